/* SPDX-License-Identifier: BSD-3-Clause */
/* An end station with reaction points; its frames come from and go to applications. */
#include "sim/net/app.h"
#include "sim/net/cacheline.h"
#include "sim/net/node.h"
#include "dataplane/station/station.h"

#include <stdio.h>
#include <stdlib.h>

struct station_node {
	struct station station;
	struct netio host; /* the station sends received frames into it, to the applications */
	struct sim_node *node;
};

static struct netio_sent to_host(struct netio *io, const struct iovec *frames, unsigned n,
				 struct dcb_time now)
{
	struct station_node *s =
	    (struct station_node *)((char *)io - offsetof(struct station_node, host));

	for (unsigned i = 0; i < n; i++)
		sim_app_receive(s->node, frames[i].iov_base, (uint32_t)frames[i].iov_len, now);
	return (struct netio_sent){.taken = n};
}

static bool station_node_init(struct sim_node *node, uint32_t frame_buffers)
{
	static const struct netio_ops host_ops = {.name = "sim", .send = to_host};
	const struct station_params params = {
	    .frame_buffers = frame_buffers,
	    .frame_octets = node->sim->frame_octets,
	    .extent = node->sim->extent,
	    .store = &node->sim->store,
	    .slots = node->n_ports,
	    .seed = node->sim->seed ^ (uint64_t)(node->id + 1) << 32,
	};
	struct station_node *s = cacheline_new(1, sizeof(*s));

	if (!s)
		return false;
	node->engine = s;
	s->node = node;
	s->host = (struct netio){.ops = &host_ops, .recv_fd = -1, .send_fd = -1};
	if (!station_init(&s->station, &params, NULL, NULL))
		return false;
	node->set = &s->station.ports;
	for (unsigned i = 0; i < node->n_ports; i++) {
		if (!station_port_new(node->ports[i], &s->host))
			return false;
	}
	return true;
}

static void station_node_prepare(struct sim_node *node)
{
	const struct dcb_config *config = node->config;

	for (size_t i = 0; i < config->n_ports; i++) {
		if (station_port_prepare(node->ports[i], config->cnpv_acting,
					 config->ports[i].config, node->app.n_flows + 1))
			continue;
		fputs("dcbsim: out of memory for flow queues\n", stderr);
		exit(2);
	}
}

static bool station_node_from_host(struct sim_node *node, const uint8_t *octets, uint32_t len,
				   struct dcb_time now)
{
	struct station_node *s = node->engine;

	if (!node->ports[0]->up)
		return false;
	station_from_host(&s->station, node->ports[0], octets, len, len, now);
	return true;
}

const struct sim_node_ops sim_station_ops = {
    .engine = &station_engine,
    .init = station_node_init,
    .prepare = station_node_prepare,
    .from_host = station_node_from_host,
};
