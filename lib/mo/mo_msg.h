/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Control protocol between dcbd and its clients (dcb-agentx, dcbctl): one
 * request, one reply, each one message on a SOCK_SEQPACKET unix socket, all
 * numbers in network byte order.
 *
 *   octets  0     version (MO_MSG_VERSION)
 *           1     operation, replies with MO_MSG_REPLY set
 *           2-3   table (READ), 0 else
 *           4-7   sequence number, copied into the reply
 *           8-    body
 *
 *   HELLO   -> (empty)            <- u32 boot id, string version
 *   READ    -> u8 flags, u16 max rows, index
 *           <- u8 more, u16 n, n x (index, per column in descriptor order: value)
 *   TEST    -> u32 txid, u16 n, n x (u16 table, u32 subid, index, value)
 *   COMMIT, UNDO, CLEANUP -> u32 txid
 *           <- u8 error (enum mo_error), u16 1-based varbind the error is about, 0: all,
 *              u8 length and octets of a text for the operator, empty where the error says it
 *
 *   SUBSCRIBE -> u8 flags, u32 boot id, u64 number   <- u32 boot id, u64 number
 *   EVENT   <- u64 number, u64 ms since 1970, u64 ms of CLOCK_MONOTONIC,
 *              u8 flags, u8 notification, u8 n, n x varbind as in TEST
 *   ACK     -> u64 number (not answered)
 *
 *   One transaction at a time is between COMMIT and CLEANUP: genErr answers
 *   another's COMMIT, which may be tried again.
 *
 *   index   u8 n, n x u32
 *   value   u8 syntax; numbers u64; octets and strings u8 length and octets
 *
 * What happens is numbered from 1 in each run of dcbd. SUBSCRIBE asks for EVENTs
 * on this connection, from the one after the number on if the boot id is that of
 * this run; else a notifier (flag) is given those no notifier has acknowledged
 * yet, anyone else those to come. The reply's number is that of the first of
 * them. dcbd keeps the last few hundred: who is too slow for that finds numbers
 * missing, and nobody else notices.
 *
 * A row that has no value in a column carries syntax MO_MSG_NO_VALUE there.
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
	MO_OP_EVENT, /* from dcbd only, as a reply to nothing: its seq is the number's low half */
	MO_OP_LAST = MO_OP_EVENT
};

/* SUBSCRIBE flags: this client makes notifications of the events and acknowledges them. */
#define MO_SUBSCRIBE_NOTIFIER 0x01

/* EVENT flags: not switched off, to be sent as a notification. */
#define MO_EVENT_NOTIFY 0x01

/* READ flags: the row at the index itself, or rows after it (absent: from it on). */
#define MO_READ_EXACT 0x01
#define MO_READ_AFTER 0x02

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

#define MO_EVENT_VARBINDS 16

/* Something that happened, with the objects of its notification. */
struct mo_event {
	uint64_t number;
	uint64_t real_ms; /* since 1970 */
	uint64_t mono_ms; /* CLOCK_MONOTONIC, for its age */
	uint8_t flags;
	uint8_t id; /* enum mo_notification_id, or of a dcbd that knows more */
	uint8_t n;
	struct mo_varbind vbs[MO_EVENT_VARBINDS];
};

void mo_msg_put_header(struct octets_out *out, const struct mo_msg_header *h);
/* false: short, wrong version or unknown operation. */
bool mo_msg_get_header(struct octets_in *in, struct mo_msg_header *h);

void mo_msg_put_index(struct octets_out *out, const struct mo_index *index);
void mo_msg_get_index(struct octets_in *in, struct mo_index *index);
void mo_msg_put_value(struct octets_out *out, const struct mo_value *value);
/* false: the row has no value in this column, or the input is malformed (then in->overrun). */
bool mo_msg_get_value(struct octets_in *in, struct mo_value *value);
void mo_msg_put_varbind(struct octets_out *out, const struct mo_varbind *vb);
void mo_msg_get_varbind(struct octets_in *in, struct mo_varbind *vb);
/* The body of an EVENT; malformed: in->overrun. */
void mo_msg_put_event(struct octets_out *out, const struct mo_event *ev);
void mo_msg_get_event(struct octets_in *in, struct mo_event *ev);

#endif
