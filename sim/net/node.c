/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/net/node.h"

#include "dataplane/station/station.h"
#include "sim/net/app.h"
#include "sim/net/cacheline.h"

#include <stdlib.h>
#include <string.h>

/*
 * Frame buffers of a node without a number of its own: as many as its ports can hold
 * frames of least size, at least these and at most SIM_FRAME_BUFFERS_MAX.
 */
#define FRAME_BUFFERS_MIN 256

/* --- ports ------------------------------------------------------------------ */

static bool make_room(struct sim_node *node)
{
	unsigned room = node->ports_room ? 2 * node->ports_room : 2;
	struct soft_port **ports;
	struct sim_link **links;

	if (node->n_ports < node->ports_room)
		return true;
	ports = realloc(node->ports, room * sizeof(struct soft_port *));
	if (!ports)
		return false;
	node->ports = ports;
	links = realloc(node->links, room * sizeof(struct sim_link *));
	if (!links)
		return false;
	node->links = links;
	node->ports_room = room;
	return true;
}

static void name_port(struct link_info *info, const struct sim_link *link)
{
	size_t len = strnlen(link->to->name, sizeof(info->name) - 1);

	memcpy(info->name, link->to->name, len);
	info->name[len] = '\0';
}

struct soft_port *sim_node_add_port(struct sim_node *node, struct sim_link *link,
				    struct dcb_rate speed, uint32_t buffer_octets)
{
	struct soft_port *port;

	if (node->n_ports == DCB_SLOTS || !make_room(node))
		return NULL;
	port = cacheline_new(1, sizeof(*port));
	if (!port)
		return NULL;
	port->base.slot = (uint16_t)node->n_ports;
	port->base.has =
	    node->kind == SIM_RBRIDGE ? PROVIDER_CAPS_ALL : PROVIDER_CAPS_ALL & ~PROVIDER_TRILL;
	port->base.sets = (uint16_t)port->base.has;
	port->base.link = (struct link_info){
	    .ifindex = node->n_ports + 1,
	    .up = true,
	    .mtu = node->sim->frame_octets,
	    .speed = speed,
	};
	name_port(&port->base.link, link);
	memcpy(port->base.link.mac, node->mac, DCB_MAC_OCTETS);
	if (sim_forwards(node->kind)) {
		port->base.link.mac[0] |= (uint8_t)((node->n_ports + 1) >> 8 << 2);
		port->base.link.mac[1] = (uint8_t)(node->n_ports + 1);
	}
	port->base.settings = node->settings;
	port->base.settings.rate = link->rate;
	port->base.settings.buffer_octets = buffer_octets;
	port->base.settings.pvid = SIM_VID;
	port->base.settings.memory = true;
	port->io = &link->io;
	port_init(port);
	node->ports[node->n_ports] = port;
	node->links[node->n_ports++] = link;
	return port;
}

uint32_t sim_node_frame_buffers(const struct sim_node *node)
{
	const struct sim *sim = node->sim;
	/* All nodes together take at most a quarter of the address space, for 32-bit systems. */
	uint64_t room = SIZE_MAX / 4 / sim->n_nodes / sim->frame_octets;
	uint64_t most = room < SIM_FRAME_BUFFERS_MAX ? room : SIM_FRAME_BUFFERS_MAX;
	uint64_t octets = 0;
	uint64_t buffers;

	if (node->frame_buffers)
		return node->frame_buffers;
	for (unsigned i = 0; i < node->n_ports; i++) {
		const struct port_settings *s = &node->ports[i]->base.settings;
		uint32_t lossless = s->pfc_buffer_octets ? s->pfc_buffer_octets : s->buffer_octets;

		octets += s->buffer_octets + DCB_PRIORITIES * (uint64_t)lossless;
	}
	buffers = octets / SIM_FRAME_OCTETS_MIN;
	if (buffers < FRAME_BUFFERS_MIN || most < FRAME_BUFFERS_MIN)
		return FRAME_BUFFERS_MIN;
	return (uint32_t)(buffers < most ? buffers : most);
}

/* --- configuration and links ---------------------------------------------------- */

/* Runs the node at once: its deadline may be earlier after a change. */
static void run_at_once(struct sim_node *node)
{
	node->deadline = node->sim->now;
	heap_set(&node->part->heap, node->id, node->sim->now);
}

static struct dcb_config *with_all_ports(const struct sim_node *node)
{
	struct dcb_config *config = dcb_config_new(&node->sim->defaults);

	for (unsigned i = 0; config && i < node->n_ports; i++) {
		struct port *port = &node->ports[i]->base;
		struct dcb_rate rate = port_profile_rate(&port->settings, port->link.speed);
		struct port_config *pc = dcb_config_initial(config, rate);
		struct dcb_config *more = pc ? dcb_config_with_port(config, port, pc) : NULL;

		port_config_unref(pc);
		dcb_config_free(config);
		config = more;
	}
	return config;
}

bool sim_node_start(struct sim_node *node)
{
	struct dcb_config *config;

	if (!node->ops->init(node, sim_node_frame_buffers(node)))
		return false;
	config = with_all_ports(node);
	if (!config)
		return false;
	config->generation = 1;
	dcb_config_compute_oper(config);
	sim_node_adopt(node, config);
	return true;
}

void sim_node_adopt(struct sim_node *node, struct dcb_config *config)
{
	struct dcb_config *old = node->config;

	if (node->lldp)
		node->sim->lldp_ops->compute_oper(node, config);
	node->config = config;
	if (node->ops->prepare)
		node->ops->prepare(node);
	node->ops->engine->adopt(node->set, config, node->sim->now);
	dcb_config_free(old);
	if (node->lldp)
		node->sim->lldp_ops->published(node);
	run_at_once(node);
}

static void take_link(struct sim_node *node, struct soft_port *port)
{
	const struct engine_ops *engine = node->ops->engine;
	struct dcb_time now = node->sim->now;

	port_take_link(port);
	if (port->base.link.up && !port->up)
		engine->port_up(node->set, port, now);
	else if (!port->base.link.up && port->up)
		engine->port_down(node->set, port, now);
	engine->port_changed(node->set, port, now);
}

void sim_node_link(struct sim_node *node, struct soft_port *port)
{
	bool was_up = port->up;

	take_link(node, port);
	if (port->up != was_up)
		sim_app_frames_discarded(node);
	if (node->lldp)
		node->sim->lldp_ops->link(node, port);
	run_at_once(node);
}

void sim_node_destroy(struct sim_node *node)
{
	if (node->set)
		node->ops->engine->destroy(node->set);
	free(node->engine);
	dcb_config_free(node->config);
	for (unsigned i = 0; i < node->n_ports; i++) {
		station_port_free(node->ports[i]);
		free(node->ports[i]);
	}
	free(node->ports);
	free(node->links);
	sim_app_destroy(&node->app);
}

/* --- events ---------------------------------------------------------------------- */

/*
 * Returns whether a frame that arrived may change when the node has to transmit. In
 * a bridge or RBridge it does not if its output port had queued frames already; a port that had
 * none is now the first of the list set->backlog. In a station or host it does not if
 * the applications received it. While PFC has paused a priority or has a frame to
 * send, any frame may.
 */
static bool may_send(const struct sim_node *node, const struct soft_port *backlog,
		     uint64_t received)
{
	const struct port_set *set = node->set;

	if (!LIST_EMPTY(&set->pfc.paused) || set->pfc_is_due)
		return true;
	return sim_forwards(node->kind) ? set->backlog != backlog : node->app.received == received;
}

void sim_node_receive(struct sim_node *node, struct soft_port *in, const uint8_t *octets,
		      uint32_t len, struct dcb_time now)
{
	const struct soft_port *backlog = node->set->backlog;
	uint64_t received = sim_forwards(node->kind) ? 0 : node->app.received;
	uint64_t pfc_frames = in->stats.pfc_frames_received;

	node->ops->engine->receive(node->set, in, octets, len, len, now);
	if (may_send(node, backlog, received) || in->stats.pfc_frames_received != pfc_frames ||
	    !dcb_time_before(now, deadlines_next(&node->set->hm.due)))
		sim_node_run(node, now);
}

/*
 * A flow may make another frame when one has left. That waits for the next call as
 * long as the flow has frames in the station, and is repeated at once if it has none.
 */
static struct dcb_time run_with_app(struct sim_node *node, struct dcb_time now)
{
	do {
		sim_app_run(node, now);
		node->deadline = node->ops->engine->transmit(node->set, now);
	} while (node->app.starved);
	return dcb_time_min(node->deadline, node->app.wake);
}

void sim_node_run(struct sim_node *node, struct dcb_time now)
{
	struct dcb_time due;

	if (sim_forwards(node->kind))
		due = node->deadline = node->ops->engine->transmit(node->set, now);
	else
		due = run_with_app(node, now);
	heap_set(&node->part->heap, node->id, due);
}
