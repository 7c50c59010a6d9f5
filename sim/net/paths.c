/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/net/paths.h"

#include <stdlib.h>

bool paths_init(struct paths *p, uint32_t n_nodes)
{
	*p = (struct paths){
	    .distance = malloc(n_nodes * sizeof(*p->distance)),
	    .queue = malloc((n_nodes + 1) * sizeof(struct sim_node *)),
	    .queued = malloc(n_nodes * sizeof(bool)),
	};
	return p->distance && p->queue && p->queued;
}

void paths_destroy(struct paths *p)
{
	free(p->distance);
	free(p->queue);
	free(p->queued);
	*p = (struct paths){0};
}

static void clear(struct paths *p, const struct sim *sim)
{
	for (uint32_t i = 0; i < sim->n_nodes; i++) {
		p->distance[i] = PATHS_NONE;
		p->queued[i] = false;
	}
}

/*
 * Bellman-Ford search from node start, whose distance is set. A node whose distance decreases is
 * queued again, which does not happen if all costs are 1.
 */
static void search(struct paths *p, const struct sim *sim, struct sim_node *start)
{
	uint32_t head = 0, tail = 0;

	p->queue[tail++] = start;
	while (head != tail) {
		struct sim_node *node = p->queue[head];

		head = (head + 1) % (sim->n_nodes + 1);
		p->queued[node->id] = false;
		if (node != p->to && node->kind != SIM_BRIDGE)
			continue;
		for (unsigned i = 0; i < node->n_ports; i++) {
			struct sim_node *next = node->links[i]->to;
			uint32_t distance = p->distance[node->id] + node->links[i]->back->cost;

			if (distance >= p->distance[next->id])
				continue;
			p->distance[next->id] = distance;
			if (p->queued[next->id])
				continue;
			p->queued[next->id] = true;
			p->queue[tail] = next;
			tail = (tail + 1) % (sim->n_nodes + 1);
		}
	}
}

void paths_to_node(struct paths *p, const struct sim *sim, struct sim_node *to)
{
	clear(p, sim);
	p->to = to;
	p->end = NULL;
	p->distance[to->id] = 0;
	search(p, sim, to);
}

void paths_to_link(struct paths *p, const struct sim *sim, const struct sim_link *end)
{
	clear(p, sim);
	p->to = NULL;
	p->end = end;
	p->distance[end->from->id] = end->cost;
	search(p, sim, end->from);
}

static uint32_t hash(uint32_t a, uint32_t b)
{
	uint64_t h = ((uint64_t)a << 32 | b) * UINT64_C(0x9e3779b97f4a7c15);

	h = (h ^ h >> 32) * UINT64_C(0xd6e8feb86659fd93);
	return (uint32_t)(h >> 32);
}

/* Returns the cost of the path that begins with a link. */
static uint32_t cost_by(const struct paths *p, const struct sim_link *link)
{
	uint32_t rest = p->distance[link->to->id];

	if (link == p->end)
		return link->cost;
	if ((link->to != p->to && link->to->kind != SIM_BRIDGE) || rest == PATHS_NONE)
		return PATHS_NONE;
	return rest + link->cost;
}

/* Returns the number of ports on paths of least cost. *port: the one with index pick. */
static unsigned first_links(const struct paths *p, const struct sim_node *node, unsigned pick,
			    uint16_t *port)
{
	unsigned n = 0;

	for (unsigned i = 0; i < node->n_ports; i++) {
		if (cost_by(p, node->links[i]) == p->distance[node->id] && n++ == pick)
			*port = (uint16_t)i;
	}
	return n;
}

uint16_t paths_port(const struct paths *p, const struct sim_node *node, uint32_t salt)
{
	uint16_t port = 0;
	unsigned n = first_links(p, node, 0, &port);

	if (n > 1)
		first_links(p, node, hash(node->id, salt) % n, &port);
	return port;
}
