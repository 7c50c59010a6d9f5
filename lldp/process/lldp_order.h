/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The order of the messages that dcb-lldp sends: what it may send when. Pure.
 *
 *   HELLO - { STATE connected - REMOTE and GONE ... ALL_REPORTED ... - STATE other }
 *
 * and to each PING one PONG. An event more than the window allows is not in order.
 */
#ifndef DCB_LLDP_PROCESS_LLDP_ORDER_H
#define DCB_LLDP_PROCESS_LLDP_ORDER_H

#include "lldp/process/lldp_msg.h"

/* All zero is before HELLO. */
struct lldp_order {
	bool hello;
	bool all_reported; /* since the last STATE connected */
	bool pinged;
	uint32_t ping;         /* number of the last PING */
	enum lldp_state state; /* 0: none was sent */
	unsigned unacknowledged;
};

/* NULL, or what is out of order. */
const char *lldp_order_take(struct lldp_order *o, const struct lldp_msg *m);
/* A PING is sent: its number. */
uint32_t lldp_order_ping(struct lldp_order *o);
/* An ACK is sent: for this many events, 0 for none. */
uint32_t lldp_order_ack(struct lldp_order *o);

#endif
