/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Paths of least cost to one destination, through bridges that know nothing of TRILL. The cost of
 * a path is the sum of those of its links, in the direction of the frames.
 */
#ifndef DCB_SIM_NET_PATHS_H
#define DCB_SIM_NET_PATHS_H

#include "sim/net/model.h"

#define PATHS_NONE UINT32_MAX

struct paths {
	uint32_t *distance;         /* by node: least cost; PATHS_NONE: there is no path */
	struct sim_node **queue;    /* ring of nodes whose neighbors have to be updated */
	bool *queued;               /* by node: it is in the queue */
	const struct sim_node *to;  /* the destination; NULL: a link */
	const struct sim_link *end; /* the link with which all paths end; NULL: a node */
};

/* Returns false if out of memory. Call paths_destroy() in either case. */
bool paths_init(struct paths *p, uint32_t n_nodes);
void paths_destroy(struct paths *p);

/* Finds the paths of all nodes to a node. */
void paths_to_node(struct paths *p, const struct sim *sim, struct sim_node *to);
/* Finds the paths of all nodes that end with this link. */
void paths_to_link(struct paths *p, const struct sim *sim, const struct sim_link *end);

/*
 * Returns the port by which a bridge with a path forwards, its slot. Of several with the same cost
 * it takes one by a hash of itself and salt.
 */
uint16_t paths_port(const struct paths *p, const struct sim_node *node, uint32_t salt);

#endif
