/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An end station without congestion notification: a port with queues that PFC frames pause,
 * and that takes part in the headroom measurement.
 */
#include "lib/octets.h"
#include "dataplane/port/port_hm.h"
#include "dataplane/port/port_pfc.h"
#include "sim/net/app.h"
#include "sim/net/cacheline.h"
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
	    .owner = node,
	};
	struct port_set *set = cacheline_new(1, sizeof(*set));

	if (!set)
		return false;
	node->engine = set;
	if (!port_set_init(set, &params))
		return false;
	node->set = set;
	return true;
}

static void host_receive(struct port_set *set, struct soft_port *in, const uint8_t *octets,
			 uint32_t len, uint32_t wire_octets, struct dcb_time now)
{
	(void)wire_octets;
	in->stats.rx_frames++;
	in->stats.rx_octets += len;
	switch (get_be16(octets + ETH_TYPE_OFFSET)) {
	case ETH_TYPE_MAC_CONTROL:
		port_pfc_receive(&set->pfc, in, octets, len, now);
		break;
	case ETH_TYPE_HMPDU:
		port_hm_receive(&set->hm, in, octets, len, now);
		break;
	default:
		sim_app_receive(set->owner, octets, len, now);
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

/* A host has no CNPVs: those of the configuration are ignored. */
static void host_prepare(struct sim_node *node)
{
	node->config->cnpv_acting = 0;
}

static const struct engine_ops host_engine = {
    .destroy = port_set_destroy,
    .receive = host_receive,
    .transmit = port_set_transmit,
    .adopt = port_set_adopt,
    .port_up = port_set_port_up,
    .port_down = port_set_port_down,
    .port_changed = port_set_port_changed,
};

const struct sim_node_ops sim_host_ops = {
    .engine = &host_engine,
    .init = host_init,
    .prepare = host_prepare,
    .from_host = host_from_host,
};
