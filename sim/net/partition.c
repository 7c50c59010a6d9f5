/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A part grows from one node. The next one is, of the nodes connected to the part, that which adds
 * the fewest cables between the part and the rest: the stations of a bridge come after it, then a
 * bridge with several neighbors in the part.
 */
#include "sim/net/partition.h"

#include "sim/net/link.h"

#include <stdlib.h>

#define NONE UINT32_MAX

/* Times of the heap are costs above this. */
#define COST_ZERO (INT64_C(1) << 32)

/* On a cable between parts a frame takes an eighth of its time on the longest cable, or more. */
#define SHORTEST_PART 8

struct growth {
	const struct sim *sim;
	uint32_t *of;        /* part of a node; NONE: none yet */
	uint32_t *stack;     /* nodes to be taken with those before */
	struct heap next;    /* nodes that are connected to the part, by cost */
	int64_t *cost;       /* of a node: cables to the rest, less those to the part */
	int64_t least_ns;    /* frames take as long at least between parts */
	uint64_t left, most; /* loads: of the rest, of the greatest part */
	uint32_t n_left;     /* nodes of the rest */
};

/*
 * Returns the least time from sending to arrival in either direction. 0 without delay: an event can
 * raise the rate so far that a transmission, and so a window, takes 1 ns.
 */
static int64_t cable_ns(const struct sim_link *link)
{
	int64_t there = sim_link_least_ns(link), back = sim_link_least_ns(link->back);

	if (!link->delay_ns || !link->back->delay_ns)
		return 0;
	return there < back ? there : back;
}

/* Returns the rates of its ports in Mb/s: frames, and so events, are as many at most. */
static uint64_t load_of(const struct sim_node *node)
{
	uint64_t sum = 1;

	for (unsigned i = 0; i < node->n_ports; i++)
		sum += dcb_rate_to_mbps(node->links[i]->rate);
	return sum;
}

static void leave_out(struct growth *g, uint32_t id)
{
	heap_set(&g->next, id, DCB_TIME_NEVER);
}

/* Takes a node into a part, and those that it is connected to by short cables. Returns the load.
 */
static uint64_t take(struct growth *g, uint32_t id, uint32_t part)
{
	uint64_t load = 0;
	uint32_t n = 0;

	g->of[id] = part;
	g->stack[n++] = id;
	while (n) {
		const struct sim_node *node = &g->sim->nodes[g->stack[--n]];

		leave_out(g, node->id);
		g->n_left--;
		load += load_of(node);
		for (unsigned i = 0; i < node->n_ports; i++) {
			uint32_t to = node->links[i]->to->id;

			if (g->of[to] != NONE)
				continue;
			g->cost[to] -= 2;
			heap_set(&g->next, to, (struct dcb_time){COST_ZERO + g->cost[to]});
			if (cable_ns(node->links[i]) >= g->least_ns)
				continue;
			g->of[to] = part;
			g->stack[n++] = to;
		}
	}
	return load;
}

/* Before a part: its nodes are all in the rest. */
static void find_costs(struct growth *g)
{
	for (uint32_t i = 0; i < g->sim->n_nodes; i++) {
		const struct sim_node *node = &g->sim->nodes[i];

		leave_out(g, i);
		g->cost[i] = 0;
		for (unsigned k = 0; k < node->n_ports; k++)
			g->cost[i] += g->of[node->links[k]->to->id] == NONE;
	}
}

/* Returns the node to take next: connected to the part, or else with the fewest cables to the rest.
 */
static uint32_t pick(const struct growth *g)
{
	uint32_t found = NONE;

	if (heap_time(&g->next).ns < HEAP_NEVER_NS)
		return heap_id(&g->next);
	for (uint32_t i = 0; i < g->sim->n_nodes; i++) {
		if (g->of[i] == NONE && (found == NONE || g->cost[i] < g->cost[found]))
			found = i;
	}
	return found;
}

/* Returns whether a part has its share of the rest, which is for it and n further parts. */
static bool is_full(const struct growth *g, uint64_t load, uint64_t more, uint64_t share,
		    uint32_t n)
{
	return load && n && (g->n_left <= n || 2 * load + more > 2 * share);
}

/* Takes nodes into a part; n: of further parts. Returns its load. */
static uint64_t fill(struct growth *g, uint32_t part, uint32_t n)
{
	uint64_t load = 0, share = g->left / (n + 1);

	find_costs(g);
	while (g->left) {
		uint32_t id = pick(g);
		uint64_t more;

		if (is_full(g, load, load_of(&g->sim->nodes[id]), share, n))
			break;
		more = take(g, id, part);
		load += more;
		g->left -= more;
	}
	return load;
}

/* Makes n parts, or fewer. Returns how many. */
static uint32_t grow(struct growth *g, uint32_t n)
{
	uint32_t part = 0;

	g->left = g->most = 0;
	g->n_left = g->sim->n_nodes;
	for (uint32_t i = 0; i < g->sim->n_nodes; i++) {
		g->of[i] = NONE;
		g->left += load_of(&g->sim->nodes[i]);
	}
	for (; part < n && g->left; part++) {
		uint64_t load = fill(g, part, n - part - 1);

		if (load > g->most)
			g->most = load;
	}
	return part;
}

static int64_t longest_ns(const struct sim *sim)
{
	int64_t longest = 1;

	for (uint32_t i = 0; i < sim->n_links; i += 2) {
		int64_t ns = cable_ns(&sim->links[i]);

		if (ns > longest)
			longest = ns;
	}
	return longest;
}

/*
 * The longer frames take between parts, the less often these wait for each other. So only the
 * longest cables are between parts, if that gives n parts of about the same size; else also those
 * that are shorter, down to SHORTEST_PART. If none of these divisions is even, that with the least
 * load of the greatest part is taken, and of such ones that with the most parts.
 */
static uint32_t grow_evenly(struct growth *g, uint32_t n)
{
	int64_t longest = longest_ns(g->sim), best_ns = longest;
	uint64_t all = 0, best = UINT64_MAX;
	uint32_t best_parts = 0;

	for (uint32_t i = 0; i < g->sim->n_nodes; i++)
		all += load_of(&g->sim->nodes[i]);
	for (int64_t ns = longest; ns && ns >= longest / SHORTEST_PART; ns /= 2) {
		uint32_t parts;

		g->least_ns = ns;
		parts = grow(g, n);
		if (g->most <= all / n + all / n / 8)
			return parts;
		if (g->most < best || (g->most == best && parts > best_parts)) {
			best = g->most;
			best_parts = parts;
			best_ns = ns;
		}
	}
	g->least_ns = best_ns;
	return grow(g, n);
}

uint32_t partition_network(const struct sim *sim, uint32_t n, uint32_t *of)
{
	struct growth g = {
	    .sim = sim,
	    .of = of,
	    .stack = malloc(sim->n_nodes * sizeof(*g.stack)),
	    .cost = malloc(sim->n_nodes * sizeof(*g.cost)),
	};
	uint32_t parts = 0;

	if (g.stack && g.cost && heap_init(&g.next, sim->n_nodes))
		parts = grow_evenly(&g, n);
	heap_destroy(&g.next);
	free(g.stack);
	free(g.cost);
	return parts;
}
