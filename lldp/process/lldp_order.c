/* SPDX-License-Identifier: BSD-3-Clause */
#include "lldp/process/lldp_order.h"

static const char *take_state(struct lldp_order *o, const struct lldp_msg *m)
{
	if (m->state == LLDP_CONNECTED && o->state == LLDP_CONNECTED)
		return "STATE connected twice";
	o->state = m->state;
	o->all_reported = false;
	return NULL;
}

static const char *take_all_reported(struct lldp_order *o)
{
	if (o->state != LLDP_CONNECTED || o->all_reported)
		return "ALL_REPORTED without a new connection";
	o->all_reported = true;
	return NULL;
}

static const char *take_pong(struct lldp_order *o, const struct lldp_msg *m)
{
	if (!o->pinged || m->number != o->ping)
		return "PONG without a PING";
	o->pinged = false;
	return NULL;
}

const char *lldp_order_take(struct lldp_order *o, const struct lldp_msg *m)
{
	if (o->hello != (m->type != LLDP_MSG_HELLO))
		return o->hello ? "HELLO twice" : "a message before HELLO";
	if (lldp_msg_is_event(m->type) && ++o->unacknowledged > LLDP_MSG_WINDOW)
		return "too many unacknowledged events";
	switch (m->type) {
	case LLDP_MSG_HELLO:
		o->hello = true;
		return NULL;
	case LLDP_MSG_PONG:
		return take_pong(o, m);
	case LLDP_MSG_STATE:
		return take_state(o, m);
	case LLDP_MSG_ALL_REPORTED:
		return take_all_reported(o);
	case LLDP_MSG_REMOTE:
	case LLDP_MSG_GONE:
		return o->state == LLDP_CONNECTED ? NULL : "REMOTE or GONE without a connection";
	default:
		return "type of message not valid from dcb-lldp";
	}
}

uint32_t lldp_order_ping(struct lldp_order *o)
{
	o->pinged = true;
	return ++o->ping;
}

uint32_t lldp_order_ack(struct lldp_order *o)
{
	uint32_t n = o->unacknowledged;

	o->unacknowledged = 0;
	return n;
}
