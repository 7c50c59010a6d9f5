/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/net/campus.h"

#include <stdio.h>
#include <stdlib.h>

static bool no_memory(char *err, size_t errlen)
{
	snprintf(err, errlen, "out of memory");
	return false;
}

/* --- LANs ------------------------------------------------------------------------- */

/* Gives all nodes of the LAN of a node, which has none yet, the next number. */
static void mark_lan(struct campus *c, struct sim_node *first)
{
	struct sim_node **stack = c->paths->queue;
	struct campus_lan *lan = &c->lans[c->n_lans];
	uint32_t n = 0;

	c->lan_of[first->id] = c->n_lans;
	stack[n++] = first;
	while (n) {
		struct sim_node *node = stack[--n];

		lan->has_stations |= !sim_forwards(node->kind);
		for (unsigned i = 0; i < node->n_ports; i++) {
			struct sim_node *next = node->links[i]->to;

			if (next->kind == SIM_RBRIDGE || c->lan_of[next->id] != CAMPUS_NO_LAN)
				continue;
			c->lan_of[next->id] = c->n_lans;
			stack[n++] = next;
		}
	}
	c->n_lans++;
}

static void find_lans(struct campus *c)
{
	for (uint32_t i = 0; i < c->sim->n_nodes; i++)
		c->lan_of[i] = CAMPUS_NO_LAN;
	for (uint32_t i = 0; i < c->sim->n_nodes; i++) {
		if (c->sim->nodes[i].kind != SIM_RBRIDGE && c->lan_of[i] == CAMPUS_NO_LAN)
			mark_lan(c, &c->sim->nodes[i]);
	}
}

/* --- ports of RBridges ------------------------------------------------------------- */

static void add_port(struct campus *c, struct sim_node *node, struct sim_link *link)
{
	struct campus_port *port = &c->ports[c->n_ports++];
	struct campus_lan *lan;

	*port = (struct campus_port){node, link, c->lan_of[link->to->id]};
	if (port->lan == CAMPUS_NO_LAN)
		return;
	lan = &c->lans[port->lan];
	if (lan->has_stations && !lan->forwarder)
		lan->forwarder = port;
}

static bool find_ports(struct campus *c)
{
	size_t n = 0;

	for (uint32_t i = 0; i < c->sim->n_nodes; i++)
		n += c->sim->nodes[i].kind == SIM_RBRIDGE ? c->sim->nodes[i].n_ports : 0;
	c->ports = calloc(n + 1, sizeof(*c->ports));
	for (uint32_t i = 0; c->ports && i < c->sim->n_nodes; i++) {
		struct sim_node *node = &c->sim->nodes[i];

		for (unsigned k = 0; node->kind == SIM_RBRIDGE && k < node->n_ports; k++)
			add_port(c, node, node->links[k]);
	}
	return c->ports;
}

/*
 * A TRILL frame is accepted only from a neighbor that is a next hop itself, so that paths have to
 * be the same in both directions.
 */
static bool check_costs(const struct campus *c, char *err, size_t errlen)
{
	for (uint32_t i = 0; c->n_ports && i < c->sim->n_links; i++) {
		const struct sim_link *link = &c->sim->links[i];

		if (link->cost == link->back->cost || !sim_forwards(link->from->kind) ||
		    !sim_forwards(link->to->kind))
			continue;
		/* Message: Write one `cost` for both directions. */
		snprintf(err, errlen,
			 "link %s->%s: expected the same cost in both directions: a campus of "
			 "RBridges",
			 link->from->name, link->to->name);
		return false;
	}
	return true;
}

/* --- ways between RBridges --------------------------------------------------------------- */

static bool add_edge(struct campus *c, const struct campus_port *from, const struct campus_port *to,
		     uint32_t cost)
{
	struct campus_edge *edges = realloc(c->edges, (c->n_edges + 1) * sizeof(*edges));

	if (!edges)
		return false;
	c->edges = edges;
	edges[c->n_edges++] = (struct campus_edge){from, to, cost};
	return true;
}

/* Returns the cost from a port to the one to which c->paths are; PATHS_NONE: no way. */
static uint32_t cost_between(const struct campus *c, const struct campus_port *from,
			     const struct campus_port *to)
{
	uint32_t rest = c->paths->distance[from->link->to->id];

	if (from->node == to->node)
		return PATHS_NONE;
	if (from->link == to->link->back)
		return from->link->cost;
	if (from->lan == CAMPUS_NO_LAN || from->lan != to->lan || rest == PATHS_NONE)
		return PATHS_NONE;
	return from->link->cost + rest;
}

static bool add_edges_to(struct campus *c, const struct campus_port *to)
{
	paths_to_link(c->paths, c->sim, to->link->back);
	for (size_t i = 0; i < c->n_ports; i++) {
		uint32_t cost = cost_between(c, &c->ports[i], to);

		if (cost != PATHS_NONE && !add_edge(c, &c->ports[i], to, cost))
			return false;
	}
	return true;
}

static bool find_edges(struct campus *c)
{
	for (size_t i = 0; i < c->n_ports; i++) {
		if (!add_edges_to(c, &c->ports[i]))
			return false;
	}
	return true;
}

/* Gives each RBridge the lowest number of those that it reaches. */
static void find_parts(struct campus *c)
{
	bool changed = true;

	for (uint32_t i = 0; i < c->sim->n_nodes; i++)
		c->part[i] = i;
	while (changed) {
		changed = false;
		for (size_t i = 0; i < c->n_edges; i++) {
			uint32_t *from = &c->part[c->edges[i].from->node->id];
			uint32_t to = c->part[c->edges[i].to->node->id];

			if (to >= *from)
				continue;
			*from = to;
			changed = true;
		}
	}
}

bool campus_init(struct campus *c, struct sim *sim, struct paths *paths, char *err, size_t errlen)
{
	*c = (struct campus){
	    .sim = sim,
	    .paths = paths,
	    .lan_of = malloc(sim->n_nodes * sizeof(*c->lan_of)),
	    .lans = calloc(sim->n_nodes, sizeof(*c->lans)),
	    .part = malloc(sim->n_nodes * sizeof(*c->part)),
	};
	if (!c->lan_of || !c->lans || !c->part)
		return no_memory(err, errlen);
	find_lans(c);
	if (!find_ports(c))
		return no_memory(err, errlen);
	if (!check_costs(c, err, errlen))
		return false;
	if (!find_edges(c))
		return no_memory(err, errlen);
	find_parts(c);
	return true;
}

void campus_destroy(struct campus *c)
{
	free(c->lan_of);
	free(c->lans);
	free(c->part);
	free(c->ports);
	free(c->edges);
	*c = (struct campus){0};
}

bool campus_connects(const struct campus *c, const struct sim_node *a, const struct sim_node *b)
{
	const struct campus_port *at_a = c->lans[c->lan_of[a->id]].forwarder;
	const struct campus_port *at_b = c->lans[c->lan_of[b->id]].forwarder;

	return at_a && at_b && c->part[at_a->node->id] == c->part[at_b->node->id];
}
