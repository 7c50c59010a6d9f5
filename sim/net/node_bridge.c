/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/net/app.h"
#include "sim/net/lines.h"
#include "sim/net/node.h"

#include <stdlib.h>

/*
 * The filtering database has room for the addresses of all nodes. Ports of bridges send CNMs, so
 * their addresses are learned too, as far as there is room: no frame is sent to them. Frames are
 * sent to ports of RBridges.
 */
struct bridge_params sim_node_bridge_params(const struct sim_node *node, uint32_t frame_buffers)
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
	const struct bridge_params params = sim_node_bridge_params(node, frame_buffers);
	struct bridge *bridge = lines_new(1, sizeof(*bridge));

	if (!bridge)
		return false;
	if (!bridge_init(bridge, &params, NULL, NULL)) {
		free(bridge);
		return false;
	}
	node->engine = bridge;
	node->set = &bridge->ports;
	return true;
}

static void bridge_node_destroy(struct sim_node *node)
{
	bridge_destroy(node->engine);
	free(node->engine);
	node->engine = NULL;
}

static void bridge_node_receive(struct sim_node *node, struct soft_port *in, const uint8_t *octets,
				uint32_t len, struct dcb_time now)
{
	bridge_receive(node->engine, in, octets, len, len, now);
}

/* Bridges and RBridges have no applications. */
bool sim_node_no_host(struct sim_node *node, const uint8_t *octets, uint32_t len,
		      struct dcb_time now)
{
	(void)node;
	(void)octets;
	(void)len;
	(void)now;
	return false;
}

struct dcb_time sim_node_plain_transmit(struct sim_node *node, struct dcb_time now)
{
	return port_set_transmit(node->set, now);
}

static void bridge_node_adopt(struct sim_node *node, const struct dcb_config *config,
			      struct dcb_time now)
{
	port_set_adopt(node->set, config, now);
}

const struct sim_node_ops sim_bridge_ops = {
    .init = bridge_node_init,
    .destroy = bridge_node_destroy,
    .receive = bridge_node_receive,
    .from_host = sim_node_no_host,
    .transmit = sim_node_plain_transmit,
    .adopt = bridge_node_adopt,
    .link = sim_node_plain_link,
};
