/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/objects/mo_read_trill.h"

void load_trill(const struct managed *m, const struct dcb_config *c, const struct mo_row_at *at,
		struct trill_row *row)
{
	(void)m;
	(void)at;
	row->egress_entries = c->trill_egress.n;
}

void load_trill_hop(const struct managed *m, const struct dcb_config *c, const struct mo_row_at *at,
		    struct trill_hop_row *row)
{
	const struct trill_next_hop *hop = &c->ports[at->pos].config->trill_hops.of[at->entry];

	(void)m;
	row->tree = hop->tree;
	row->unicast = !hop->not_unicast;
	row->row_status = ROW_ACTIVE;
}

void load_trill_egress(const struct managed *m, const struct dcb_config *c,
		       const struct mo_row_at *at, struct trill_egress_row *row)
{
	(void)m;
	row->nickname = c->trill_egress.of[at->entry].nickname;
	row->row_status = ROW_ACTIVE;
}

static bool is_operational(const struct port *port)
{
	struct port_stats stats = {0};

	port->provider->ops->read_port(port, &stats);
	return stats.up;
}

/* Adds the next hops of one port. */
static void add_hops(struct trill_nickname_row *row, const struct dcb_config_port *of,
		     uint16_t nickname)
{
	const struct trill_next_hops *hops = &of->config->trill_hops;
	uint32_t at = trill_next_hop_at(hops, nickname, (const uint8_t[ETH_ADDR_OCTETS]){0});
	uint32_t n = 0;

	for (; at < hops->n && hops->of[at].nickname == nickname; at++) {
		n += !hops->of[at].not_unicast;
		if (hops->of[at].tree)
			row->tree_port = of->ifindex;
	}
	row->next_hops += n;
	if (n > 0 && is_operational(of->port))
		row->next_hops_up += n;
}

void load_trill_nickname(const struct managed *m, const struct dcb_config *c,
			 const struct mo_row_at *at, struct trill_nickname_row *row)
{
	uint16_t nickname = (uint16_t)at->entry;

	*row = (struct trill_nickname_row){0};
	for (size_t pos = 0; pos < c->n_ports; pos++)
		if (c->ports[pos].config->trill_hops.n)
			add_hops(row, &c->ports[pos], nickname);
	for (uint32_t i = 0; i < c->trill_egress.n; i++)
		row->egress_entries += c->trill_egress.of[i].nickname == nickname;
	for (unsigned i = 0; i < m->n_providers; i++) {
		const struct provider *p = m->providers[i];

		if (p->ops->read_trill_nickname &&
		    p->ops->read_trill_nickname(p, nickname, &row->stats))
			break;
	}
	row->learned = (uint32_t)row->stats.learned;
}

void load_trill_stats(const struct managed *m, const struct dcb_config *c,
		      const struct mo_row_at *at, struct trill_stats_row *row)
{
	const struct port *port = c->ports[at->pos].port;

	(void)m;
	port->provider->ops->read_trill_port(port, &row->stats);
}

void load_trill_fdb(const struct managed *m, const struct dcb_config *c, const struct mo_row_at *at,
		    struct trill_fdb_row *row)
{
	(void)m;
	(void)c;
	row->nickname = at->address.nickname;
	row->origin = at->address.fixed ? MO_trill_origin_static : MO_trill_origin_learned;
	row->age_s = at->address.age_s;
}
