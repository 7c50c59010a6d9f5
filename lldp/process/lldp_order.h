/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Checks the order of the messages that dcb-lldp sends. Pure.
 *
 *   HELLO - { STATE connected - REMOTE and GONE ... ALL_REPORTED ... - STATE other }
 *
 * and one PONG to each PING. More than LLDP_MSG_WINDOW unacknowledged events are an error.
 */
#ifndef DCB_LLDP_PROCESS_LLDP_ORDER_H
#define DCB_LLDP_PROCESS_LLDP_ORDER_H

#include "lldp/process/lldp_msg.h"

/* All zero: before HELLO. */
struct lldp_order {
	bool hello;
	bool all_reported; /* since the last STATE connected */
	bool pinged;
	uint32_t ping;         /* number of the last PING */
	enum lldp_state state; /* of the last STATE; 0: none */
	unsigned unacknowledged;
};

/* Checks and records a message. Returns NULL, or why it is out of order. */
const char *lldp_order_take(struct lldp_order *o, const struct lldp_msg *m);
/* Records a PING and returns its number. */
uint32_t lldp_order_ping(struct lldp_order *o);
/* Records an ACK and returns the number of events it acknowledges; 0: none is needed. */
uint32_t lldp_order_ack(struct lldp_order *o);

#endif
