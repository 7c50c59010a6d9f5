/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Between mo_seek.c, which knows the shapes of the tables, and mo_seek_lldp.c, which
 * seeks in those of LLDP.
 */
#ifndef DCB_CONTROL_OBJECTS_MO_SEEK_PRIVATE_H
#define DCB_CONTROL_OBJECTS_MO_SEEK_PRIVATE_H

#include <string.h>

#include "control/objects/mo_bind.h"

enum shape {
	SHAPE_SCALAR,        /* .0 */
	SHAPE_COMPONENT,     /* component */
	SHAPE_PRIORITY,      /* component, priority */
	SHAPE_PRIORITY_PORT, /* component, priority, ifIndex [, identifier] */
	SHAPE_PORT_CP,       /* component, ifIndex, CpIndex */
	SHAPE_CPID,          /* eight octets */
	SHAPE_PORT,          /* ifIndex */
	SHAPE_PORT_PRIORITY, /* ifIndex, priority or traffic class */
	SHAPE_RP,            /* component, ifIndex, priority, reaction point */
	SHAPE_PORT_ADDRESS,  /* ifIndex, LLDP destination address */
	SHAPE_PORT_APP,      /* ifIndex, selector, protocol */
	SHAPE_REM,           /* time mark, ifIndex, LLDP destination address, neighbour */
	SHAPE_REM_PRIORITY,  /* ..., priority or traffic class */
	SHAPE_REM_APP,       /* ..., selector, protocol */
	SHAPE_PORT_NEIGHBOR, /* ifIndex, neighbour */
};

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

/* The first row of the shape at or behind *s->index, found(); false: there is none. */
bool seek_port_address(const struct seek *s);
bool seek_port_app(const struct seek *s);
bool seek_port_neighbor(const struct seek *s);
bool seek_rem(const struct seek *s, enum shape shape);

#endif
