/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Shared by mo_next.c, mo_next_lldp.c, mo_static.c and mo_trill.c, which find rows: of LLDP and
 * neighbors in mo_next_lldp.c, of static entries in mo_static.c, of next hops and egress entries
 * in mo_trill.c, of all others in mo_next.c.
 */
#ifndef DCB_CONTROL_OBJECTS_MO_NEXT_PRIVATE_H
#define DCB_CONTROL_OBJECTS_MO_NEXT_PRIVATE_H

#include <string.h>

#include "control/objects/mo_read.h"
#include "control/objects/mo_caps.h"

/* A call of mo_read_next(): its arguments; index and place are also the result. */
struct mo_next {
	const struct managed *m;
	const struct dcb_config *config;
	enum mo_table_id table;
	struct mo_index *index;
	struct mo_row_at *place;
};

static inline uint32_t ifindex_at(const struct mo_next *s, size_t pos)
{
	return s->config->ports[pos].port->link.ifindex;
}

/* Writes the result: place and an index of n sub-identifiers. Returns true. */
static inline bool found(const struct mo_next *s, size_t pos, unsigned priority, unsigned n,
			 const uint32_t *sub)
{
	s->place->pos = pos;
	s->place->priority = priority;
	s->index->n = (uint8_t)n;
	memcpy(s->index->sub, sub, n * sizeof(*sub));
	return true;
}

/* Returns whether the port at this position has rows in the table. */
static inline bool next_has_port(const struct mo_next *s, size_t pos)
{
	return mo_caps_has_row(s->config->ports[pos].port, mo_table(s->table));
}

/* Returns the first such port at this position or after it; n_ports: none. */
static inline size_t next_port_from(const struct mo_next *s, size_t pos)
{
	while (pos < s->config->n_ports && !next_has_port(s, pos))
		pos++;
	return pos;
}

/* Each finds the first row whose index is not less than *s->index. false: there is none. */
bool next_fdb(const struct mo_next *s);
bool next_port_app(const struct mo_next *s);
bool next_port_neighbor(const struct mo_next *s);
bool next_rem(const struct mo_next *s);
bool next_static_unicast(const struct mo_next *s);
bool next_trill_hop(const struct mo_next *s);
bool next_trill_egress(const struct mo_next *s);
bool next_trill_fdb(const struct mo_next *s);
bool next_trill_nickname(const struct mo_next *s);

#endif
