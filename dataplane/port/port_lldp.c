/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/port/port_lldp.h"

#include "lib/counter.h"

/* Takes one of the port's permissions; a flood must not fill the ring of events. */
static bool is_permitted(struct dcb_time *next, struct dcb_time now)
{
	struct dcb_time earliest = dcb_time_add_ns(now, -PORT_LLDP_BURST * PORT_LLDP_INTERVAL_NS);

	if (dcb_time_before(*next, earliest))
		*next = earliest;
	if (!dcb_time_before(*next, now))
		return false;
	*next = dcb_time_add_ns(*next, PORT_LLDP_INTERVAL_NS);
	return true;
}

/* noinline: not part of the path of other frames. */
void __attribute__((noinline))
port_lldp_receive(struct port_set *s, struct soft_port *in, const uint8_t *octets, uint32_t len,
		  const struct eth_view *view, struct dcb_time now)
{
	struct lldpdu pdu;

	if (!lldpdu_decode(octets, len, view, &pdu)) {
		counter_add(&in->stats.lldp_ignored, 1);
		return;
	}
	counter_add(pdu.nearest ? &in->stats.lldp_nearest : &in->stats.lldp_elsewhere, 1);
	if (!s->ops->lldp)
		return;
	if (!is_permitted(&in->lldp_next, now) || !s->ops->lldp(s->ctx, in, &pdu, now))
		counter_add(&in->stats.lldp_ignored, 1);
}
