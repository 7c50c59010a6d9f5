/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/net/route.h"

#include <stdio.h>
#include <stdlib.h>

#define UNREACHABLE UINT32_MAX

struct search {
	uint32_t *distance;      /* by node: least cost of a path to the destination */
	struct sim_node **queue; /* ring of nodes whose neighbors have to be updated */
	bool *queued;            /* by node: it is in the queue */
};

/*
 * Bellman-Ford search from the destination. Only bridges forward frames. A node whose
 * distance decreases is queued again, which does not happen if all costs are 1.
 */
static void find_distances(const struct sim *sim, struct search *s, struct sim_node *to)
{
	uint32_t head = 0, tail = 0;

	for (uint32_t i = 0; i < sim->n_nodes; i++) {
		s->distance[i] = UNREACHABLE;
		s->queued[i] = false;
	}
	s->distance[to->id] = 0;
	s->queue[tail++] = to;
	while (head != tail) {
		struct sim_node *node = s->queue[head];

		head = (head + 1) % (sim->n_nodes + 1);
		s->queued[node->id] = false;
		if (node != to && node->kind != SIM_BRIDGE)
			continue;
		for (unsigned i = 0; i < node->n_ports; i++) {
			struct sim_node *next = node->links[i]->to;
			uint32_t distance = s->distance[node->id] + node->links[i]->back->cost;

			if (distance >= s->distance[next->id])
				continue;
			s->distance[next->id] = distance;
			if (s->queued[next->id])
				continue;
			s->queued[next->id] = true;
			s->queue[tail] = next;
			tail = (tail + 1) % (sim->n_nodes + 1);
		}
	}
}

static uint32_t hash(uint32_t a, uint32_t b)
{
	uint64_t h = ((uint64_t)a << 32 | b) * UINT64_C(0x9e3779b97f4a7c15);

	h = (h ^ h >> 32) * UINT64_C(0xd6e8feb86659fd93);
	return (uint32_t)(h >> 32);
}

/* Returns the number of ports on paths of least cost. *port: the one with index pick. */
static unsigned next_hops(const struct search *s, const struct sim_node *node, unsigned pick,
			  unsigned *port)
{
	unsigned n = 0;

	for (unsigned i = 0; i < node->n_ports; i++) {
		const struct sim_link *link = node->links[i];

		if (s->distance[link->to->id] == UNREACHABLE ||
		    s->distance[link->to->id] + link->cost != s->distance[node->id])
			continue;
		if (n++ == pick)
			*port = i;
	}
	return n;
}

static bool set_entry(const struct search *s, struct sim_node *node, const struct sim_node *to)
{
	struct bridge *bridge = node->engine;
	unsigned port = 0;
	unsigned n_hops = next_hops(s, node, 0, &port);

	if (n_hops > 1)
		next_hops(s, node, hash(node->id, to->id) % n_hops, &port);
	return fdb_set_static(&bridge->fdb, SIM_VID, to->mac, (uint16_t)port);
}

static bool set_entries(const struct sim *sim, const struct search *s, const struct sim_node *to)
{
	for (uint32_t i = 0; i < sim->n_nodes; i++) {
		if (sim->nodes[i].kind == SIM_BRIDGE && s->distance[i] != UNREACHABLE &&
		    !set_entry(s, &sim->nodes[i], to))
			return false;
	}
	return true;
}

static bool check_flows(const struct sim *sim, const struct search *s, const struct sim_node *to,
			char *err, size_t errlen)
{
	for (uint32_t i = 0; i < sim->n_flows; i++) {
		const struct sim_flow *flow = &sim->flows[i];

		if (flow->to != to || s->distance[flow->from->id] != UNREACHABLE)
			continue;
		snprintf(err, errlen, "flow %s: no path from %s to %s", flow->name,
			 flow->from->name, to->name);
		return false;
	}
	return true;
}

bool sim_route(struct sim *sim, char *err, size_t errlen)
{
	struct search s = {
	    .distance = malloc(sim->n_nodes * sizeof(*s.distance)),
	    .queue = malloc((sim->n_nodes + 1) * sizeof(struct sim_node *)),
	    .queued = malloc(sim->n_nodes * sizeof(bool)),
	};
	bool ok = s.distance && s.queue && s.queued;

	if (!ok)
		snprintf(err, errlen, "out of memory");
	for (uint32_t t = 0; ok && t < sim->n_nodes; t++) {
		struct sim_node *to = &sim->nodes[t];

		if (to->kind == SIM_BRIDGE)
			continue;
		find_distances(sim, &s, to);
		ok = check_flows(sim, &s, to, err, errlen);
		if (ok && !set_entries(sim, &s, to)) {
			snprintf(err, errlen, "out of memory");
			ok = false;
		}
	}
	free(s.distance);
	free(s.queue);
	free(s.queued);
	return ok;
}
