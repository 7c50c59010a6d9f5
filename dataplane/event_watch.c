/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/event_watch.h"

#include "dataplane/core/cnd.h"
#include "dataplane/provider.h"

/* ieee8021CnErroredPortTable has one object that may be read: its own index. */
#define EP_IFINDEX 3

/* Priorities that a port is in error for (32.2.4), one bit each. */
static uint8_t errored_mask(const struct dcb_config *c, size_t pos)
{
	const struct port_config *pc = c->ports[pos].config;
	uint8_t cnpvs = dcb_config_cnpvs(c), mask = 0;

	for (unsigned p = 0; cnpvs && p < DCB_PRIORITIES; p++)
		if ((cnpvs >> p & 1) &&
		    cnd_port_is_errored(cnpvs, c->com_pri[p].cncp_alternate_priority,
					pc->port_pri[p].cnpd_alternate_priority))
			mask |= (uint8_t)(1u << p);
	return mask;
}

struct watch {
	struct events *e;
	uint32_t component_id;
	const struct notify_config *config;
	struct dcb_time now;
};

static void raise_mask(const struct watch *w, enum mo_notification_id id, uint32_t ifindex,
		       uint8_t mask)
{
	for (unsigned p = 0; mask >> p; p++) {
		struct mo_varbind vb = {
		    .table = MO_cn_errored_port,
		    .subid = EP_IFINDEX,
		    .index = {3, {w->component_id, p, ifindex}},
		    .value = {.syntax = MO_INTEGER32, .num = ifindex},
		};

		if (mask >> p & 1)
			events_raise(w->e, w->config, id, &vb, 1, w->now);
	}
}

static uint32_t ifindex_at(const struct dcb_config *c, size_t pos)
{
	return pos < c->n_ports ? c->ports[pos].port->link.ifindex : UINT32_MAX;
}

void event_watch_config(struct events *e, uint32_t component_id, const struct dcb_config *before,
			const struct dcb_config *after, struct dcb_time now)
{
	struct watch w = {e, component_id, &after->notify, now};
	size_t i = 0, k = 0, n_before = before ? before->n_ports : 0;

	while (i < n_before || k < after->n_ports) {
		uint32_t was = before ? ifindex_at(before, i) : UINT32_MAX;
		uint32_t is = ifindex_at(after, k);
		uint32_t at = was < is ? was : is;
		uint8_t old = was == at ? errored_mask(before, i++) : 0;
		uint8_t new = is == at ? errored_mask(after, k++) : 0;

		raise_mask(&w, MO_NOTIFY_errored_port_deleted, at, old & (uint8_t) ~new);
		raise_mask(&w, MO_NOTIFY_errored_port_created, at, new &(uint8_t)~old);
	}
}
