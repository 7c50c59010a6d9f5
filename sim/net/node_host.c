/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An end station without congestion notification: a port with queues that PFC frames pause,
 * and that takes part in the headroom measurement.
 */
#include "lib/octets.h"
#include "dataplane/port/port_hm.h"
#include "dataplane/port/port_pfc.h"
#include "sim/net/app.h"
#include "sim/net/lines.h"
#include "sim/net/node.h"

#include <stdlib.h>
#include <string.h>

static bool host_init(struct sim_node *node, uint32_t frame_buffers)
{
	const struct port_set_params params = {
	    .frame_buffers = frame_buffers,
	    .frame_octets = node->sim->frame_octets,
	    .extent = node->sim->extent,
	    .store = &node->sim->store,
	    .slots = node->n_ports,
	    .seed = node->sim->seed ^ (uint64_t)(node->id + 1) << 32,
	};
	struct port_set *set = lines_new(1, sizeof(*set));

	if (!set)
		return false;
	if (!port_set_init(set, &params)) {
		free(set);
		return false;
	}
	node->engine = node->set = set;
	return true;
}

static void host_destroy(struct sim_node *node)
{
	port_set_destroy(node->set);
	free(node->engine);
	node->engine = NULL;
}

static void host_receive(struct sim_node *node, struct soft_port *in, const uint8_t *octets,
			 uint32_t len, struct dcb_time now)
{
	in->stats.rx_frames++;
	in->stats.rx_octets += len;
	switch (get_be16(octets + ETH_TYPE_OFFSET)) {
	case ETH_TYPE_MAC_CONTROL:
		port_pfc_receive(&node->set->pfc, in, octets, len, now);
		break;
	case ETH_TYPE_HMPDU:
		port_hm_receive(&node->set->hm, in, octets, len, now);
		break;
	default:
		sim_app_receive(node, octets, len, now);
	}
}

static bool host_from_host(struct sim_node *node, const uint8_t *octets, uint32_t len,
			   struct dcb_time now)
{
	struct soft_port *port = node->ports[0];
	uint8_t priority = octets[ETH_TYPE_OFFSET + 2] >> 5;
	struct buffer_account *account;
	struct dcb_frame *frame;

	if (!port->up || !(account = port_admit(port, priority, len)))
		return false;
	frame = frame_pool_get(&node->set->pool);
	if (!frame) {
		buffer_release(account, len, 1);
		port_count_no_buffer(port, priority);
		return false;
	}
	memcpy(frame->data, octets, frame_extent(&node->set->extent, len));
	frame->len = len;
	frame->priority = priority;
	frame->flags = 0;
	frame->account = account;
	(void)port_set_enqueue(node->set, port, frame, now);
	return true;
}

static struct dcb_time host_transmit(struct sim_node *node, struct dcb_time now)
{
	return port_set_transmit(node->set, now);
}

/* A host has no CNPVs: those of the configuration are ignored. */
static void host_adopt(struct sim_node *node, const struct dcb_config *config, struct dcb_time now)
{
	node->config->cnpv_acting = 0;
	port_set_adopt(node->set, config, now);
}

const struct sim_node_ops sim_host_ops = {
    .init = host_init,
    .destroy = host_destroy,
    .receive = host_receive,
    .from_host = host_from_host,
    .transmit = host_transmit,
    .adopt = host_adopt,
    .link = sim_node_plain_link,
};
