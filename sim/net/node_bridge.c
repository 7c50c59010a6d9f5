/* SPDX-License-Identifier: BSD-3-Clause */
/* Bridges, and RBridges, whose configuration campus_rows.c makes. */
#include "dataplane/rbridge/rbridge.h"
#include "sim/net/cacheline.h"
#include "sim/net/node.h"

#include <stdlib.h>

/*
 * The filtering database has room for the addresses of all nodes. Ports of bridges send CNMs, so
 * their addresses are learned too, as far as there is room: no frame is sent to them. Frames are
 * sent to ports of RBridges.
 */
static struct bridge_params params_of(const struct sim_node *node, uint32_t frame_buffers)
{
	return (struct bridge_params){
	    .frame_buffers = frame_buffers,
	    .frame_octets = node->sim->frame_octets,
	    .extent = node->sim->extent,
	    .store = &node->sim->store,
	    .fdb_entries = sim_has_rbridges(node->sim)
			       ? 2 * (node->sim->n_nodes + node->sim->n_links)
			       : node->sim->n_nodes + node->sim->n_nodes / 4 + 1,
	    .fdb_ageing_s = 0,
	    .transit_ns = node->transit_ns,
	    .slots = node->n_ports,
	    .seed = node->sim->seed ^ (uint64_t)(node->id + 1) << 32,
	};
}

static bool bridge_node_init(struct sim_node *node, uint32_t frame_buffers)
{
	const struct bridge_params params = params_of(node, frame_buffers);
	struct bridge *bridge = cacheline_new(1, sizeof(*bridge));

	node->engine = bridge;
	if (!bridge || !bridge_init(bridge, &params, NULL, NULL))
		return false;
	node->set = &bridge->ports;
	return true;
}

static bool rbridge_node_init(struct sim_node *node, uint32_t frame_buffers)
{
	const struct bridge_params params = params_of(node, frame_buffers);
	struct rbridge *rb = cacheline_new(1, sizeof(*rb));

	node->engine = rb;
	if (!rb || !rbridge_init(rb, &params, NULL, NULL))
		return false;
	node->set = &rb->native.ports;
	return true;
}

const struct sim_node_ops sim_bridge_ops = {.engine = &bridge_engine, .init = bridge_node_init};
const struct sim_node_ops sim_rbridge_ops = {.engine = &rbridge_engine, .init = rbridge_node_init};
