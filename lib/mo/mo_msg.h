/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Control protocol between dcbd and its clients (dcb-agentx, dcbctl), on a
 * SOCK_SEQPACKET unix socket. A client sends a request and dcbd a reply, each
 * in one message. Numbers are in network byte order.
 *
 *   octets  0     version (MO_MSG_VERSION)
 *           1     operation; replies have MO_MSG_REPLY set
 *           2-3   table (READ), 0 in other messages
 *           4-7   sequence number, copied into the reply
 *           8-    body
 *
 *   HELLO   -> (empty)            <- u32 boot id, string version
 *   READ    -> u8 flags, u16 max rows, index
 *           <- u8 more, u16 n, n x (index, value of each column as in struct mo_table)
 *   TEST    -> u32 txid, u16 n, n x (u16 table, u32 subid, index, value)
 *   COMMIT, UNDO, CLEANUP -> u32 txid
 *           <- u8 error (enum mo_error), u16 number of the varbind at fault, from 1; 0: none,
 *              u8 length and octets of the reason as text for the operator, may be empty
 *
 *   SUBSCRIBE -> u8 flags, u32 boot id, u64 number   <- u32 boot id, u64 number
 *   EVENT   <- u64 number, u64 ms since 1970, u64 ms of CLOCK_MONOTONIC,
 *              u8 flags, u8 notification, u8 n, n x varbind as in TEST
 *   ACK     -> u64 number (not answered)
 *   CLOSE   <- u8 length and octets of the reason, as text for the operator: dcbd closes the
 *              connection. It can come in place of any reply, and without a request
 *
 *   Only one transaction at a time is between COMMIT and CLEANUP. Meanwhile dcbd
 *   answers other clients' COMMIT with genErr; they may send it again. COMMIT and UNDO are
 *   answered when the settings are on disk; while dcbd writes, another COMMIT waits for its
 *   turn, and all other requests are answered.
 *
 *   index   u8 n, n x u32
 *   value   u8 syntax; numbers u64; octets and strings u8 length and octets. With
 *           MO_READ_ORIGIN, values in the reply to READ are followed by u8 origin, u32 line
 *
 * dcbd numbers the events from 1 after each start. SUBSCRIBE asks for EVENTs on
 * this connection. If the boot id in SUBSCRIBE is dcbd's, the first EVENT is the
 * one after the number. If not, a client with MO_SUBSCRIBE_NOTIFIER gets the
 * events that no such client has acknowledged yet, other clients get new events
 * only. The reply has the number of the first EVENT. dcbd keeps the last few
 * hundred events: a client that reads too slowly misses some, and sees this by a
 * gap in their numbers.
 *
 * A column in which a row has no value has the syntax MO_MSG_NO_VALUE.
 */
#ifndef DCB_LIB_MO_MO_MSG_H
#define DCB_LIB_MO_MO_MSG_H

#include "lib/mo/mo.h"
#include "lib/octets.h"

#define MO_MSG_VERSION  1
#define MO_MSG_MAX      65536 /* octets of a message */
#define MO_MSG_HEADER   8
#define MO_MSG_REPLY    0x80
#define MO_MSG_NO_VALUE 0xff
#define MO_TEXT_MAX     255 /* octets of a text */

enum mo_msg_op {
	MO_OP_HELLO = 1,
	MO_OP_READ,
	MO_OP_TEST,
	MO_OP_COMMIT,
	MO_OP_UNDO,
	MO_OP_CLEANUP,
	MO_OP_SUBSCRIBE,
	MO_OP_ACK,
	MO_OP_EVENT, /* from dcbd without a request; seq: the event's number modulo 2^32 */
	MO_OP_CLOSE, /* from dcbd; seq: 0 */
	MO_OP_LAST = MO_OP_CLOSE
};

/* SUBSCRIBE flag: this client sends the events as notifications and acknowledges them. */
#define MO_SUBSCRIBE_NOTIFIER 0x01

/* EVENT flag: the event is to be sent as a notification. */
#define MO_EVENT_NOTIFY 0x01

/* READ flags. Without them: rows from the index on, including the row at the index. */
#define MO_READ_EXACT 0x01 /* only the row at the index */
#define MO_READ_AFTER 0x02 /* rows after the index */
/* Each value has its struct mo_origin. */
#define MO_READ_ORIGIN 0x04

/* Where the value of a setting comes from. */
enum mo_origin_kind {
	MO_ORIGIN_NONE,    /* no setting, or one that another table has too */
	MO_ORIGIN_DEFAULT, /* the initial value of the row */
	MO_ORIGIN_FILE,    /* dcbd.conf */
	MO_ORIGIN_SET,     /* SNMP or dcbctl, or the state file that has such values */
	MO_ORIGIN_LAST = MO_ORIGIN_SET
};
struct mo_origin {
	uint8_t kind;
	/* Of dcbd.conf: of this value or, except with MO_ORIGIN_FILE, of another one that is not in
	 * force; 0: none. */
	uint32_t line;
};

struct mo_msg_header {
	uint8_t op;
	uint16_t table;
	uint32_t seq;
};

struct mo_varbind {
	enum mo_table_id table;
	uint32_t subid;
	struct mo_index index;
	struct mo_value value;
};

/* The result of TEST, COMMIT or UNDO. */
struct mo_result {
	enum mo_error error;
	unsigned varbind; /* that caused the error, 1-based; 0: not a single one */
	char text[MO_TEXT_MAX + 1];
};

#define MO_EVENT_VARBINDS 16

/* An event, with the objects of its notification. */
struct mo_event {
	uint64_t number;
	uint64_t real_ms; /* time since 1970-01-01 UTC */
	uint64_t mono_ms; /* CLOCK_MONOTONIC, to compute the event's age */
	uint8_t flags;
	uint8_t id; /* enum mo_notification_id; a newer dcbd may send others */
	uint8_t n;
	struct mo_varbind vbs[MO_EVENT_VARBINDS];
};

/*
 * Encoding and decoding. The functions that write set out->overrun if the message does not
 * fit; those that read set in->overrun if it is malformed.
 */

void mo_msg_put_header(struct octets_out *out, const struct mo_msg_header *h);
/* Returns false if the header is short, of another version or of an unknown operation. */
bool mo_msg_get_header(struct octets_in *in, struct mo_msg_header *h);

void mo_msg_put_index(struct octets_out *out, const struct mo_index *index);
void mo_msg_get_index(struct octets_in *in, struct mo_index *index);
void mo_msg_put_value(struct octets_out *out, const struct mo_value *value);
/* Returns false if the row has no value in this column, or on malformed input. */
bool mo_msg_get_value(struct octets_in *in, struct mo_value *value);
void mo_msg_put_origin(struct octets_out *out, const struct mo_origin *origin);
void mo_msg_get_origin(struct octets_in *in, struct mo_origin *origin);
void mo_msg_put_varbind(struct octets_out *out, const struct mo_varbind *vb);
void mo_msg_get_varbind(struct octets_in *in, struct mo_varbind *vb);
/* The text at the end of a message, at most MO_TEXT_MAX octets; control characters as '?'. */
void mo_msg_put_text(struct octets_out *out, const char *text);
void mo_msg_get_text(struct octets_in *in, char text[MO_TEXT_MAX + 1]);
/* Sets error and text, which the format says: "WHAT: expected ..., not FOUND". Returns the error.
 */
enum mo_error mo_refuse(struct mo_result *r, enum mo_error error, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/*
 * The same for a RowStatus (RFC 2579), of a row that exists or does not. expected: the values that
 * it can have then. Returns inconsistentValue.
 */
enum mo_error mo_refuse_status(struct mo_result *r, const struct mo_varbind *vb, bool exists,
			       const char *expected);
/* A whole CLOSE message. */
void mo_msg_put_close(struct octets_out *out, const char *reason);
/* The body of an EVENT. */
void mo_msg_put_event(struct octets_out *out, const struct mo_event *ev);
void mo_msg_get_event(struct octets_in *in, struct mo_event *ev);

#endif
