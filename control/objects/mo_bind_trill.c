/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/objects/mo_bind_trill.h"

void load_trill(const struct managed *m, const struct dcb_config *c, const struct mo_place *at,
		struct trill_row *row)
{
	(void)m;
	(void)at;
	row->egress_entries = c->trill_egress.n;
}

void load_trill_hop(const struct managed *m, const struct dcb_config *c, const struct mo_place *at,
		    struct trill_hop_row *row)
{
	(void)m;
	row->tree = c->ports[at->pos].config->trill_hops.of[at->entry].tree;
	row->row_status = ROW_ACTIVE;
}

void load_trill_egress(const struct managed *m, const struct dcb_config *c,
		       const struct mo_place *at, struct trill_egress_row *row)
{
	(void)m;
	row->nickname = c->trill_egress.of[at->entry].nickname;
	row->row_status = ROW_ACTIVE;
}
