/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages between dcbd and dcb-lldp, the process that uses liblldpctl. Each is one
 * packet of a SOCK_SEQPACKET socket pair; numbers are in network byte order.
 *
 *   octets  0     version (LLDP_MSG_VERSION)
 *           1     type
 *           2-3   length of the message in octets, header included
 *           4-    body
 *
 *   dcbd -> dcb-lldp
 *   SET      ifname, u32 MTU, tlvs     lldp_client_ops.set
 *   FORGET   ifname                    lldp_client_ops.forget
 *   REFRESH  ifname                    lldp_client_ops.refresh
 *   REPLAY   ifname, u8 recent         lldp_client_ops.replay
 *   DESCRIBE u8 bridge, text: management interface   lldp_client_ops.describe
 *   ACK      u32 events processed since the last ACK
 *   PING     u32 number
 *   END      lldp_client_ops.destroy; dcb-lldp ends
 *
 *   dcb-lldp -> dcbd
 *   HELLO    text: library in use      first message, sent once
 *   PONG     u32 number of the PING, statistics: seven counters, u64 each
 *   STATE    u8 state, text: why       lldp_events.state
 *   ALL_REPORTED                       lldp_events.all_reported
 *   REMOTE   neighbor, text: system name, text: management address, u32 time to live, tlvs
 *                                      lldp_events.remote
 *   GONE     neighbor                  lldp_events.gone
 *
 *   ifname, text   u8 length, octets
 *   neighbor       ifname, chassis ID, port ID, each u8 subtype, u8 length, octets
 *   tlvs           u8 n, n x (OUI, u8 subtype, u16 length, octets)
 *
 * STATE, ALL_REPORTED, REMOTE and GONE are events. At most LLDP_MSG_WINDOW events may be
 * unacknowledged.
 *
 * Pure: no clock, memory, input or output. Neither end trusts the other: all fields of a
 * message that lldp_msg_decode() accepts are valid.
 */
#ifndef DCB_LLDP_PROCESS_LLDP_MSG_H
#define DCB_LLDP_PROCESS_LLDP_MSG_H

#include "lldp/client/lldp_client.h"

#define LLDP_MSG_VERSION 1
#define LLDP_MSG_MAX     18432 /* octets; enough for a neighbor with LLDP_TLVS_MAX TLVs */
#define LLDP_MSG_WINDOW  256
#define LLDP_MSG_TEXT    256 /* with the terminating zero */

enum lldp_msg_type {
	LLDP_MSG_SET = 1,
	LLDP_MSG_FORGET,
	LLDP_MSG_REFRESH,
	LLDP_MSG_REPLAY,
	LLDP_MSG_ACK,
	LLDP_MSG_PING,
	LLDP_MSG_END,
	LLDP_MSG_DESCRIBE,
	LLDP_MSG_HELLO = 65,
	LLDP_MSG_PONG,
	LLDP_MSG_STATE,
	LLDP_MSG_ALL_REPORTED,
	LLDP_MSG_REMOTE,
	LLDP_MSG_GONE,
};

/* Fields that a type does not have are zero after decoding, and are not encoded. */
struct lldp_msg {
	enum lldp_msg_type type;
	uint32_t number;           /* ACK, PING, PONG */
	uint32_t mtu;              /* SET: octets, 0 for no limit */
	bool recent;               /* REPLAY */
	struct lldp_system system; /* DESCRIBE */
	enum lldp_state state;
	char text[LLDP_MSG_TEXT]; /* HELLO, STATE: printable ASCII */
	struct lldp_stats stats;
	/* SET: ifname and TLVs; FORGET, REFRESH, REPLAY: ifname; REMOTE: all; GONE: its key */
	struct lldp_remote remote;
};

/* Sender of a message. */
enum lldp_msg_from { LLDP_MSG_FROM_DCBD, LLDP_MSG_FROM_PROCESS };

/* Encodes a valid message. Returns the octets written to buf; 0: more than size. */
size_t lldp_msg_encode(const struct lldp_msg *m, uint8_t *buf, size_t size);
/* Decodes a message. Returns NULL, or why it is invalid; then *out is undefined. */
const char *lldp_msg_decode(const uint8_t *octets, size_t len, enum lldp_msg_from from,
			    struct lldp_msg *out);
/* Does it count against LLDP_MSG_WINDOW? */
bool lldp_msg_is_event(enum lldp_msg_type type);

/*
 * Checks a neighbor (802.1AB 8.5.2, 8.5.3, 8.5.4, 9.6). Returns NULL, or why it is invalid:
 * the kernel does not allow the interface name, an ID subtype is reserved, the subtype or
 * the TLV does not allow the length of an ID, the management address is no IPv4 or IPv6
 * address, the time to live is 0 or above 65535 s, or there are more or longer TLVs than a
 * struct lldp_remote can hold.
 */
const char *lldp_remote_check(const struct lldp_remote *remote);

#endif
