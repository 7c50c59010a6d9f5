/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What an event accesses is found by pointers. Each step here reads only what the step before,
 * some events earlier, has loaded: FAR, an index of heap.risen, is the first one.
 */
#include "sim/net/prefetch.h"

#include "dataplane/bridge/bridge.h"
#include "lib/octets.h"
#include "sim/net/cacheline.h"

#include <stddef.h>

enum { NEXT, SOON, NEAR, FAR, FARTHEST };
_Static_assert(FARTHEST == HEAP_RISEN - 1, "a step for each");

static inline void load(const void *from, size_t octets)
{
	for (size_t at = 0; at < octets; at += CACHELINE_OCTETS)
		__builtin_prefetch((const char *)from + at);
}

static inline void load_to(const void *from, const void *to)
{
	load(from, (size_t)((const char *)to - (const char *)from));
}

/* Loads what each frame accesses of a port. */
static void load_port(const struct soft_port *port)
{
	load(port, 1);
	load(&port->io, 1);
	load(&port->attached, 1);
	load(&port->pfc.tx.enable, 1);
}

/* Loads what else a frame with this priority accesses of a port by which it leaves. */
static void load_egress(const struct soft_port *out, unsigned priority)
{
	load_port(out);
	load(&out->queues, 1);
	load(&out->queues.queue[priority], 1);
	load(&out->queues.holds, 1);
	load(&out->buffers.lossy[priority], 2 * CACHELINE_OCTETS);
	load(&out->cn.cp[priority].cp_qlen, 1);
	load(&out->cn.cp_stats[priority].cp_transmitted_frames, 1);
}

static unsigned priority_of(const uint8_t *octets)
{
	return get_be16(octets + ETH_TYPE_OFFSET) == ETH_TYPE_CTAG
		   ? octets[ETH_TYPE_OFFSET + 2] >> 5
		   : 0;
}

/* Loads what each event accesses of a node's engine. */
static void load_set(const struct port_set *set)
{
	load_to(&set->hm.due, &set->memory.is);
}

/* Loads the lines of a link that a frame accesses as it is sent. */
static void load_link(const struct sim_link *link)
{
	load_to(link, &link->from);
}

/* --- a frame arrives ------------------------------------------------------------ */

static const struct flight *first_of(const struct flights *f)
{
	return &f->ring[f->head & f->mask];
}

/* The next frame arrives at a bridge: loads its egress port, and the buffer that it will get. */
static void load_forwarding(const struct sim_node *node, const uint8_t *octets)
{
	const struct bridge *b = node->engine;
	uint16_t slot = fdb_lookup(&b->fdb, SIM_VID, octets, 0);

	if (slot < b->ports.slots) {
		load_egress(node->ports[slot], priority_of(octets));
		load_link(node->links[slot]);
	}
	if (b->ports.pool.free)
		load(b->ports.pool.free, 2 * CACHELINE_OCTETS);
}

static void load_bridge(const struct sim_node *node, const uint8_t *octets, unsigned step)
{
	const struct bridge *b = node->engine;

	if (step == NEAR) {
		load_set(&b->ports);
		load(&b->fdb, 1);
		load(&node->links, 1);
	} else if (step == SOON) {
		fdb_prefetch(&b->fdb, SIM_VID, octets + ETH_DA_OFFSET);
		fdb_prefetch(&b->fdb, SIM_VID, octets + ETH_SA_OFFSET);
		load(node->links, b->ports.slots * sizeof(struct sim_link *));
		load(node->ports, b->ports.slots * sizeof(struct soft_port *));
		load(b->ports.by_slot, b->ports.slots * sizeof(struct soft_port *));
	} else {
		load_forwarding(node, octets);
	}
}

/* The next event of the link is the arrival of a frame. */
static void load_arrival(const struct sim_link *link, unsigned step)
{
	const struct sim_node *node = link->to;
	const struct flight *flight;

	if (step == FARTHEST) {
		load_to(link, &link->rate);
		return;
	}
	flight = first_of(&link->data);
	if (step == FAR) {
		load(flight, 2 * CACHELINE_OCTETS);
		load(node, 1);
		load_port(link->in);
	} else if (node->kind == SIM_BRIDGE) {
		load_bridge(node, flight->head, step);
	} else if (step == NEAR) {
		load_set(node->set);
		load(&node->app, 1);
	}
}

/* --- a node may send --------------------------------------------------------------- */

/* Loads what the ports with queued frames, a few of them, need to send the first one. */
static void load_backlog(const struct soft_port *port, unsigned step)
{
	for (unsigned n = 0; port && n < 4; n++, port = port->set.backlog_next) {
		if (step == NEAR) {
			load_egress(port, 3);
			return;
		}
		if (step == SOON)
			load_link((const struct sim_link *)port->io);
		for (uint16_t filled = port->queues.filled; filled;
		     filled &= (uint16_t)(filled - 1))
			load(port->queues.queue[__builtin_ctz(filled)].head, 2 * CACHELINE_OCTETS);
	}
}

static void load_flows(const struct sim_node *node, unsigned step)
{
	const struct sim_app *app = &node->app;

	if (step == NEAR)
		load(app->flows, 1);
	else if (step == SOON && app->n_flows)
		load(app->flows[0], sizeof(*app->flows[0]));
}

/* The next event of the node is that it may send. */
static void load_node(const struct sim_node *node, unsigned step)
{
	if (step == FARTHEST) {
		load(node, 2 * CACHELINE_OCTETS);
		return;
	}
	if (step == FAR) {
		load_set(node->set);
		return;
	}
	load_backlog(node->set->backlog, step);
	if (!sim_forwards(node->kind))
		load_flows(node, step);
}

void sim_prefetch(struct sim *sim, struct heap *h)
{
	for (uint32_t step = 0; step < h->n_risen; step++) {
		uint32_t id = h->risen[step];

		if (id < sim->n_nodes)
			load_node(&sim->nodes[id], step);
		else
			load_arrival(&sim->links[id - sim->n_nodes], step);
	}
	h->n_risen = 0;
}
