/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages between dcbd and dcb-lldp, the process that has liblldpctl: each is one
 * packet of a SOCK_SEQPACKET socket pair, all numbers in network byte order.
 *
 *   octets  0     version (LLDP_MSG_VERSION)
 *           1     type
 *           2-3   length of the message, with these four octets
 *           4-    body
 *
 *   dcbd -> dcb-lldp
 *   SET      ifname, u32 MTU, tlvs     lldp_client_ops.set
 *   FORGET   ifname                    lldp_client_ops.forget
 *   REFRESH  ifname                    lldp_client_ops.refresh
 *   REPLAY   ifname, u8 recent         lldp_client_ops.replay
 *   ACK      u32 events processed since the last ACK
 *   PING     u32 number
 *   END      lldp_client_ops.destroy; dcb-lldp ends
 *
 *   dcb-lldp -> dcbd
 *   HELLO    text: its library         first, once
 *   PONG     u32 number of the PING, statistics: seven counters, u64 each
 *   STATE    u8 state, text: why       lldp_events.state (an event, as those below)
 *   ALL_REPORTED                       lldp_events.all_reported
 *   REMOTE   neighbor, text: system name, u32 time to live, tlvs   lldp_events.remote
 *   GONE     neighbor                  lldp_events.gone
 *
 *   ifname, text   u8 length, octets
 *   neighbor       ifname, chassis ID, port ID, each u8 subtype, u8 length, octets
 *   tlvs           u8 n, n x (OUI, u8 subtype, u16 length, octets)
 *
 * Of events at most LLDP_MSG_WINDOW may be sent that are not acknowledged.
 *
 * Pure: no clock, memory, input or output. Neither end trusts the other: what
 * lldp_msg_decode() accepts is valid in every field.
 */
#ifndef DCB_LLDP_PROCESS_LLDP_MSG_H
#define DCB_LLDP_PROCESS_LLDP_MSG_H

#include "lldp/client/lldp_client.h"

#define LLDP_MSG_VERSION 1
#define LLDP_MSG_MAX     18432 /* octets of a message; a neighbor with all its TLVs has fewer */
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
	LLDP_MSG_HELLO = 65,
	LLDP_MSG_PONG,
	LLDP_MSG_STATE,
	LLDP_MSG_ALL_REPORTED,
	LLDP_MSG_REMOTE,
	LLDP_MSG_GONE,
};

/* What a type does not carry is zero after decoding, and is not encoded. */
struct lldp_msg {
	enum lldp_msg_type type;
	uint32_t number; /* ACK, PING, PONG */
	uint32_t mtu;    /* SET: octets, 0 for no limit */
	bool recent;     /* REPLAY */
	enum lldp_state state;
	char text[LLDP_MSG_TEXT]; /* HELLO, STATE: printable ASCII */
	struct lldp_stats stats;
	struct lldp_remote
	    remote; /* of SET its ifname and TLVs, of others about an interface ifname */
};

/* Who has sent a message. */
enum lldp_msg_from { LLDP_MSG_FROM_DCBD, LLDP_MSG_FROM_PROCESS };

/* Octets written to buf; 0: it does not fit into size. m is valid in the sense of decode. */
size_t lldp_msg_encode(const struct lldp_msg *m, uint8_t *buf, size_t size);
/* NULL: *out is valid. Else what is wrong with the octets, and *out is of no use. */
const char *lldp_msg_decode(const uint8_t *octets, size_t len, enum lldp_msg_from from,
			    struct lldp_msg *out);
/* Does it count against LLDP_MSG_WINDOW? */
bool lldp_msg_is_event(enum lldp_msg_type type);

/*
 * Can a neighbor be so (802.1AB 8.5.2, 8.5.3, 8.5.4, 9.6)? NULL, or what is wrong: an
 * interface name no kernel has, an ID subtype that is reserved, an ID of a length
 * its subtype or the TLV does not allow, a time to live of more than 65535 s or of 0,
 * more TLVs or longer ones than a struct lldp_remote has room for.
 */
const char *lldp_remote_check(const struct lldp_remote *remote);

#endif
