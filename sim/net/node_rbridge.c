/* SPDX-License-Identifier: BSD-3-Clause */
/* An RBridge. Its configuration is made by campus_rows.c. */
#include "dataplane/rbridge/rbridge.h"
#include "sim/net/lines.h"
#include "sim/net/node.h"

#include <stdlib.h>

static bool rbridge_node_init(struct sim_node *node, uint32_t frame_buffers)
{
	const struct bridge_params params = sim_node_bridge_params(node, frame_buffers);
	struct rbridge *rb = lines_new(1, sizeof(*rb));

	if (!rb)
		return false;
	if (!rbridge_init(rb, &params, NULL, NULL)) {
		free(rb);
		return false;
	}
	node->engine = rb;
	node->set = &rb->native.ports;
	return true;
}

static void rbridge_node_destroy(struct sim_node *node)
{
	rbridge_destroy(node->engine);
	free(node->engine);
	node->engine = NULL;
}

static void rbridge_node_receive(struct sim_node *node, struct soft_port *in, const uint8_t *octets,
				 uint32_t len, struct dcb_time now)
{
	rbridge_receive(node->engine, in, octets, len, len, now);
}

static void rbridge_node_adopt(struct sim_node *node, const struct dcb_config *config,
			       struct dcb_time now)
{
	rbridge_adopt(node->engine, config, now);
}

const struct sim_node_ops sim_rbridge_ops = {
    .init = rbridge_node_init,
    .destroy = rbridge_node_destroy,
    .receive = rbridge_node_receive,
    .from_host = sim_node_no_host,
    .transmit = sim_node_plain_transmit,
    .adopt = rbridge_node_adopt,
    .link = sim_node_plain_link,
};
