/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What an event accesses is found by pointers. Each step here reads only what the step before,
 * some events earlier, has loaded: FAR, an index of heap.risen, is the first one.
 */
#include "sim/net/ahead.h"

#include "dataplane/bridge/bridge.h"
#include "lib/octets.h"

#include <stddef.h>

#define LINE 64

enum { NEXT, SOON, NEAR, FAR };
_Static_assert(FAR == HEAP_RISEN - 1, "a step for each");

static inline void load(const void *from, size_t octets)
{
	for (size_t at = 0; at < octets; at += LINE)
		__builtin_prefetch((const char *)from + at);
}

/* Loads the members of a port that a frame with this priority accesses when it arrives. */
static void load_ingress(const struct soft_port *in)
{
	load(&in->base.settings.rate, LINE);
	load(&in->io, 2 * LINE);
	load(&in->pfc.tx, 1);
	load(&in->cn.map, LINE);
	load(&in->stats, 1);
}

/* As above, when it leaves. */
static void load_egress(const struct soft_port *out, unsigned priority)
{
	load(&out->base.settings.rate, 2 * LINE);
	load(&out->io, 3 * LINE);
	load(&out->queues, LINE);
	load(&out->queues.holds, 1);
	load(&out->queues.queue[priority], 1);
	load(&out->buffers.shared, 1);
	load(&out->buffers.lossy[priority], 2 * LINE);
	load(&out->pfc.watchdog.engine, 1);
	load(&out->cn.map, 1);
	load(&out->cn.cp[priority], 1);
	load(&out->cn.cp_stats[priority], 1);
	load(&out->stats.tx_frames, 1);
	load(&out->link, 1);
}

static unsigned priority_of(const uint8_t *octets)
{
	return get_be16(octets + ETH_TYPE_OFFSET) == ETH_TYPE_CTAG
		   ? octets[ETH_TYPE_OFFSET + 2] >> 5
		   : 0;
}

/* The next frame arrives at a bridge: loads its egress port, and the buffer that it will get. */
static void load_bridge(const struct sim_node *node, const uint8_t *octets)
{
	const struct bridge *b = node->engine;
	uint16_t slot = fdb_lookup(&b->fdb, SIM_VID, octets, 0);

	if (slot < node->n_ports) {
		load_egress(node->ports[slot], priority_of(octets));
		load(node->links[slot], sizeof(struct sim_link));
	}
	if (b->ports.pool.free)
		load(b->ports.pool.free, 4 * LINE);
}

static const struct flight *first_of(const struct flights *f)
{
	return &f->ring[f->head & f->mask];
}

/* The next event of the link is the arrival of a frame. */
static void load_arrival(const struct sim_link *link, unsigned step)
{
	const struct sim_node *node = link->to;
	const struct flight *flight;

	if (step == FAR) {
		load(link, sizeof(*link));
		return;
	}
	flight = first_of(&link->data);
	if (step == NEAR) {
		load(flight, sizeof(*flight));
		load(node, sizeof(*node));
		load_ingress(link->in);
	} else if (step == SOON) {
		load(node->set, 6 * LINE);
		load(node->links, node->n_ports * sizeof(struct sim_link *));
		load(node->ports, node->n_ports * sizeof(struct soft_port *));
		if (node->kind == SIM_BRIDGE) {
			const struct bridge *b = node->engine;

			fdb_prefetch(&b->fdb, SIM_VID, flight->head + ETH_DA_OFFSET);
			fdb_prefetch(&b->fdb, SIM_VID, flight->head + ETH_SA_OFFSET);
			load(b->ports.by_slot, node->n_ports * sizeof(struct soft_port *));
		}
	} else if (node->kind == SIM_BRIDGE) {
		load_bridge(node, flight->head);
	}
}

/* The next event of the node is that it may send. */
static void load_node(const struct sim_node *node, unsigned step)
{
	const struct soft_port *port;

	if (step == FAR) {
		load(node, sizeof(*node));
		return;
	}
	if (step == NEAR) {
		load(node->engine, 6 * LINE);
		load(node->set, 6 * LINE);
		return;
	}
	port = node->set->backlog;
	for (unsigned n = 0; port && n < 4; n++, port = port->set.backlog_next) {
		if (step == SOON) {
			load_egress(port, 3);
			break;
		}
		for (uint16_t filled = port->queues.filled; filled;
		     filled &= (uint16_t)(filled - 1))
			load(port->queues.queue[__builtin_ctz(filled)].head, 4 * LINE);
	}
}

void sim_look_ahead(struct sim *sim, struct heap *h)
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
