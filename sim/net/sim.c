/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/net/sim.h"

#include "control/objects/mo_defaults.h"
#include "dataplane/trill/trill.h"
#include "lib/octets.h"
#include "sim/net/app.h"
#include "sim/net/cacheline.h"
#include "sim/net/link.h"
#include "sim/net/lldp.h"
#include "sim/net/node.h"
#include "sim/net/part.h"
#include "sim/net/route.h"
#include "sim/net/threads.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- building ------------------------------------------------------------------ */

bool sim_init(struct sim *sim, uint64_t seed, uint32_t n_nodes, uint32_t n_cables, uint32_t n_flows,
	      uint32_t frame_octets)
{
	*sim = (struct sim){
	    .seed = seed,
	    .frame_octets = frame_octets + SIM_HEADER_ROOM,
	    .nodes = cacheline_new(n_nodes, sizeof(*sim->nodes)),
	    .links = cacheline_new(2 * (size_t)n_cables, sizeof(*sim->links)),
	    .flows = cacheline_new(n_flows, sizeof(*sim->flows)),
	    .lldp_due = DCB_TIME_NEVER,
	};
	sim->n_nodes = n_nodes;
	sim->n_links = 2 * n_cables;
	sim->n_flows = n_flows;
	if (!sim->nodes || !sim->links || !sim->flows || !sim_parts_init(sim, 1)) {
		sim->n_nodes = sim->n_links = 0;
		sim_destroy(sim);
		return false;
	}
	mo_defaults(&sim->defaults);
	for (uint32_t i = 0; i < n_nodes; i++) {
		struct sim_node *node = &sim->nodes[i];

		node->sim = sim;
		node->part = &sim->parts[0];
		node->id = i;
		node->deadline = node->app.wake = DCB_TIME_NEVER;
		node->mac[0] = 2; /* locally administered */
		put_be32(node->mac + 2, i);
	}
	for (uint32_t i = 0; i < n_flows; i++)
		sim->flows[i].id = i;
	return true;
}

void sim_destroy(struct sim *sim)
{
	sim_threads_destroy(sim);
	sim_lldp_destroy(sim);
	for (uint32_t i = 0; i < sim->n_nodes; i++)
		sim_node_destroy(&sim->nodes[i]);
	for (uint32_t i = 0; i < sim->n_links; i++)
		sim_link_destroy(&sim->links[i]);
	sim_parts_destroy(sim);
	frame_store_destroy(&sim->store);
	free(sim->nodes);
	free(sim->links);
	free(sim->flows);
	*sim = (struct sim){0};
}

/*
 * The speed of a cable's interfaces: both ends count pause quanta at it, and a direction with a
 * lower rate is limited by its sender.
 */
static struct dcb_rate higher(struct dcb_rate a, struct dcb_rate b)
{
	return a.bps > b.bps ? a : b;
}

static bool make_link(struct sim *sim, struct sim_link *link, struct sim_node *from,
		      struct sim_node *to, const struct sim_cable *cable, unsigned direction)
{
	link->part = to->part;
	link->id = sim->n_nodes + (uint32_t)(link - sim->links);
	link->from = from;
	link->to = to;
	link->rate = cable->rate[direction];
	link->delay_ns = cable->delay_ns[direction];
	link->response_ns = to->response_ns;
	link->cost = cable->cost[direction] ? cable->cost[direction] : 1;
	if (!sim_link_init(link))
		return false;
	link->out = sim_node_add_port(from, link, higher(cable->rate[0], cable->rate[1]),
				      cable->buffer_octets[direction]);
	return link->out;
}

bool sim_connect(struct sim *sim, uint32_t i, struct sim_node *a, struct sim_node *b,
		 const struct sim_cable *cable)
{
	struct sim_link *ab = &sim->links[2 * i], *ba = ab + 1;

	if (!make_link(sim, ab, a, b, cable, 0) || !make_link(sim, ba, b, a, cable, 1))
		return false;
	ab->in = ba->out;
	ba->in = ab->out;
	ab->back = ba;
	ba->back = ab;
	return true;
}

/*
 * Frames that are longer than LINK_HEAD_OCTETS are of applications: their header, and the tags
 * that nodes add. A node copies a tag more than a link: if it strips a CN-TAG, the rest of what it
 * copied still has the octets that the link reads.
 */
static void set_extent(struct sim *sim)
{
	uint32_t head = SIM_FRAME_OCTETS_MIN + 2 * ETH_TAG_OCTETS;

	if (sim_has_rbridges(sim))
		head += TRILL_ENCAPSULATION_MAX;
	sim->extent =
	    (struct frame_extent){LINK_HEAD_OCTETS + ETH_TAG_OCTETS, head + ETH_TAG_OCTETS};
	for (uint32_t i = 0; i < sim->n_links; i++)
		sim->links[i].head_octets = (uint16_t)head;
}

/* A frame in a buffer has its extent, and before it room for tags. */
static bool make_store(struct sim *sim)
{
	uint32_t octets = LINK_HEAD_OCTETS + 3 * ETH_TAG_OCTETS + TRILL_ENCAPSULATION_MAX;
	uint64_t buffers = 0;

	for (uint32_t i = 0; i < sim->n_nodes; i++)
		buffers += sim_node_frame_buffers(&sim->nodes[i]) + FRAME_STORE_STEP;
	return frame_store_init(&sim->store, buffers, octets);
}

bool sim_start(struct sim *sim, char *err, size_t errlen)
{
	bool ok = make_store(sim);

	set_extent(sim);
	for (uint32_t i = 0; ok && i < sim->n_flows; i++)
		ok = sim_app_add(&sim->flows[i], sim->seed);
	for (uint32_t i = 0; i < sim->n_links; i++)
		sim->links[i].has_source = sim->links[i].from && sim->links[i].from->app.n_flows;
	for (uint32_t i = 0; ok && i < sim->n_nodes; i++)
		ok = sim_node_start(&sim->nodes[i]);
	if (!ok) {
		snprintf(err, errlen, "out of memory");
		return false;
	}
	return sim_route(sim, err, errlen) && sim_threads_start(sim, err, errlen);
}

bool sim_has_rbridges(const struct sim *sim)
{
	for (uint32_t i = 0; i < sim->n_nodes; i++) {
		if (sim->nodes[i].kind == SIM_RBRIDGE)
			return true;
	}
	return false;
}

/* --- events ----------------------------------------------------------------------- */

static void run_parts(struct sim *sim, struct dcb_time until)
{
	if (sim->threads)
		sim_threads_run(sim, until);
	else
		sim_part_run(sim, &sim->parts[0], until);
	sim->now = until;
	sim->frame_events = 0;
	for (uint32_t i = 0; i < sim->n_parts; i++) {
		sim->parts[i].now = until;
		sim->frame_events += sim->parts[i].frame_events;
	}
}

void sim_run_until(struct sim *sim, struct dcb_time until)
{
	/* At equal times LLDP comes after nodes and links, which its changes make run again. */
	while (!dcb_time_before(until, sim->lldp_due)) {
		run_parts(sim, sim->lldp_due);
		sim_lldp_run(sim);
	}
	run_parts(sim, until);
}

/* --- changes ------------------------------------------------------------------------ */

struct sim_link *sim_link_by_names(struct sim *sim, const char *from, const char *to)
{
	for (uint32_t i = 0; i < sim->n_links; i++) {
		struct sim_link *link = &sim->links[i];

		if (strcmp(link->from->name, from) == 0 && strcmp(link->to->name, to) == 0)
			return link;
	}
	return NULL;
}

void sim_set_rate(struct sim_link *link, struct dcb_rate rate)
{
	struct sim_link *both[] = {link, link->back};
	struct dcb_rate speed = higher(rate, link->back->rate);

	link->rate = rate;
	link->out->base.settings.rate = rate;
	for (unsigned i = 0; i < 2; i++) {
		struct dcb_rate *at = &both[i]->out->base.link.speed;
		bool changes = i == 0 || at->bps != speed.bps;

		*at = speed;
		if (changes)
			sim_node_link(both[i]->from, both[i]->out);
	}
	sim_threads_rate(link->from->sim);
}

void sim_set_up(struct sim_link *link, bool up)
{
	struct sim_link *both[] = {link, link->back};

	for (unsigned i = 0; i < 2; i++) {
		both[i]->out->base.link.up = up;
		if (!up)
			sim_link_cut(both[i]);
		sim_node_link(both[i]->from, both[i]->out);
	}
}
