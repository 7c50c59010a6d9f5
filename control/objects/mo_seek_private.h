/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Between mo_seek.c, which knows the shapes of the tables, and mo_seek_lldp.c, which
 * seeks in those of LLDP.
 */
#ifndef DCB_CONTROL_OBJECTS_MO_SEEK_PRIVATE_H
#define DCB_CONTROL_OBJECTS_MO_SEEK_PRIVATE_H

#include <string.h>

#include "control/objects/mo_bind.h"
#include "control/objects/mo_caps.h"

/* One seek: what is asked of which table, and the answer being built. */
struct seek {
	const struct managed *m;
	const struct dcb_config *config;
	enum mo_table_id table;
	struct mo_index *index;
	struct mo_place *place;
};

static inline uint32_t ifindex_at(const struct seek *s, size_t pos)
{
	return s->config->ports[pos].port->link.ifindex;
}

static inline bool found(const struct seek *s, size_t pos, unsigned priority, unsigned n,
			 const uint32_t *sub)
{
	s->place->pos = pos;
	s->place->priority = priority;
	s->index->n = (uint8_t)n;
	memcpy(s->index->sub, sub, n * sizeof(*sub));
	return true;
}

/* Does the port at this position have rows in the table? */
static inline bool seek_has_port(const struct seek *s, size_t pos)
{
	return mo_caps_has_row(s->config->ports[pos].port, mo_table(s->table));
}

/* The first such port from this position on; n_ports: none. */
static inline size_t seek_port_from(const struct seek *s, size_t pos)
{
	while (pos < s->config->n_ports && !seek_has_port(s, pos))
		pos++;
	return pos;
}

/* The first row of the shape at or behind *s->index, found(); false: there is none. */
bool seek_port_address(const struct seek *s);
bool seek_port_app(const struct seek *s);
bool seek_port_neighbor(const struct seek *s);
bool seek_rem(const struct seek *s, enum mo_shape shape);

#endif
