/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/random_net.h"

#include "dataplane/core/pfc_pdu.h"
#include "sim/net/node.h"

#define HOST_BUFFER    (64u << 20)
#define ALL_PRIORITIES 0xff

static uint32_t random_frame(struct random_net *w, uint32_t least)
{
	static const uint32_t most[] = {64, 600, 1518, SIM_FRAME_OCTETS_MAX};
	uint32_t limit = most[up_to(w, UNIT_COUNT(most) - 1)];

	limit = limit < w->frame_octets ? limit : w->frame_octets;
	return limit < least ? least : dcb_rng_uniform(&w->rng, least, limit);
}

/* --- topology ---------------------------------------------------------------------------- */

/*
 * Rates of a network are within a factor of eight; without guaranteed flows, which
 * would have few frames, not those of one in four cables.
 */
struct dcb_rate random_net_rate(struct random_net *w, uint32_t typical_mbps)
{
	static const uint32_t mbps[] = {100, 1000, 10000, 25000, 100000, 400000};

	if (!w->n_guaranteed && one_in(w, 4))
		typical_mbps = mbps[up_to(w, UNIT_COUNT(mbps) - 1)];
	return dcb_rate_from_mbps(
	    dcb_rng_uniform(&w->rng, typical_mbps >= 800 ? typical_mbps / 8 : 100, typical_mbps));
}

static void add_cable(struct random_net *w, unsigned a, unsigned b, uint32_t typical_mbps)
{
	static const uint32_t delays_ns[] = {5, 500, 5000, 100000};
	struct sim_cable *c = &w->cables[w->n_cables].cable;
	struct dcb_rate rate = random_net_rate(w, typical_mbps);
	int64_t most = dcb_rate_octets_to_ns(rate, one_in(w, 4) ? 100000 : 10000);

	w->cables[w->n_cables].a = a;
	w->cables[w->n_cables].b = b;
	/* PFC at both ends, or at neither. */
	w->cables[w->n_cables].pfc =
	    w->lossless & (one_in(w, 3) ? some_priorities(w) : ALL_PRIORITIES);
	for (unsigned i = 0; i < 2; i++) {
		int64_t delay = up_to(w, delays_ns[up_to(w, UNIT_COUNT(delays_ns) - 1)]);
		bool from_host = (i == 0 ? a : b) >= w->n_bridges;

		c->rate[i] = rate;
		c->delay_ns[i] = delay < most ? delay : most;
		c->buffer_octets[i] =
		    from_host ? HOST_BUFFER : dcb_rng_uniform(&w->rng, 20000, 600000);
		c->cost[i] = 1;
	}
	w->n_cables++;
	if (w->slowest.bps == 0 || rate.bps < w->slowest.bps)
		w->slowest = rate;
}

static void choose_topology(struct random_net *w)
{
	static const uint32_t mbps[] = {800, 1000, 10000, 25000, 100000, 400000};
	uint32_t typical = mbps[up_to(w, UNIT_COUNT(mbps) - 1)];

	w->shape = (enum shape)up_to(w, SHAPES - 1);
	w->n_bridges = 1 + up_to(w, RANDOM_NET_BRIDGES - 1);
	if (w->n_bridges < 3 && w->shape == RING)
		w->shape = CHAIN;
	w->n_hosts = 3 + up_to(w, RANDOM_NET_HOSTS - 3);
	for (unsigned i = 1; i < w->n_bridges; i++)
		add_cable(w, w->shape == TREE ? up_to(w, i - 1) : i - 1, i, typical);
	if (w->shape == RING)
		add_cable(w, w->n_bridges - 1, 0, typical);
	for (unsigned i = 0; i < w->n_hosts; i++)
		add_cable(w, up_to(w, w->n_bridges - 1), w->n_bridges + i, typical);
}

/* --- flows --------------------------------------------------------------------------------- */

static void choose_ends(struct random_net *w, struct sim_flow *flow)
{
	unsigned from = up_to(w, w->n_hosts - 1);
	unsigned to = (from + 1 + up_to(w, w->n_hosts - 2)) % w->n_hosts;

	flow->from = &w->sim.nodes[w->n_bridges + from];
	flow->to = &w->sim.nodes[w->n_bridges + to];
}

/*
 * All guaranteed flows together have a third of the slowest link. The reserve holds a
 * burst of each: one frame, and those that arrive while at each bridge of the path the
 * longest frame is in transmission.
 */
static void make_guaranteed(struct random_net *w, struct sim_flow *flow)
{
	uint64_t waits = (w->n_bridges + 1) * (uint64_t)dcb_wire_octets(w->longest);
	uint64_t frames;

	flow->params.priority = GUARANTEED;
	flow->params.frame_octets = random_frame(w, 300);
	flow->params.rate.bps = w->slowest.bps / 3 / w->n_guaranteed;
	frames = waits / 3 / w->n_guaranteed / dcb_wire_octets(flow->params.frame_octets) + 2;
	w->guaranteed_reserve += (uint32_t)frames * w->longest;
}

static void make_other(struct random_net *w, struct sim_flow *flow)
{
	struct sim_flow_params *p = &flow->params;

	p->priority = (uint8_t)up_to(w, w->n_guaranteed ? GUARANTEED - 1 : GUARANTEED);
	p->frame_octets = random_frame(w, SIM_FRAME_OCTETS_MIN);
	if (one_in(w, 2))
		p->rate.bps = w->slowest.bps / 16 * dcb_rng_uniform(&w->rng, 1, 64);
	if (one_in(w, 3)) {
		p->random = true;
		p->on_ns = dcb_rate_octets_to_ns(w->slowest, 1 + up_to(w, 100000));
		p->off_ns = dcb_rate_octets_to_ns(w->slowest, 1 + up_to(w, 100000));
	}
}

static void make_flows(struct random_net *w)
{
	for (unsigned i = 0; i < w->n_flows; i++) {
		struct sim_flow *flow = &w->sim.flows[i];

		snprintf(flow->name, sizeof(flow->name), "f%u", i);
		choose_ends(w, flow);
		flow->params.stop_ns = INT64_MAX;
		if (i < w->n_guaranteed)
			make_guaranteed(w, flow);
		else
			make_other(w, flow);
	}
}

/* --- nodes and links -------------------------------------------------------------------------- */

static void make_nodes(struct random_net *w)
{
	for (unsigned i = 0; i < w->n_bridges + w->n_hosts; i++) {
		struct sim_node *node = &w->sim.nodes[i];

		snprintf(node->name, sizeof(node->name), "%c%u", i < w->n_bridges ? 'b' : 'h', i);
		node->kind = i < w->n_bridges ? SIM_BRIDGE : SIM_HOST;
		node->ops = i < w->n_bridges ? &sim_bridge_ops : &sim_host_ops;
		node->response_ns = up_to(w, one_in(w, 4) ? 20000 : 614);
		/* A ring of bridges that pause each other ends by this limit only: 36.2.5. */
		if (w->shape == RING)
			node->transit_ns = dcb_rate_octets_to_ns(
			    w->slowest, dcb_rng_uniform(&w->rng, 200000, 4000000));
		if (i < w->n_bridges)
			node->frame_buffers = one_in(w, 5) ? dcb_rng_uniform(&w->rng, 300, 4000)
							   : dcb_rng_uniform(&w->rng, 8192, 65536);
	}
}

static uint64_t link_octets(struct dcb_rate rate, int64_t ns)
{
	return ((uint64_t)ns * (rate.bps / 1000) + 7999999) / 8000000;
}

/*
 * Returns the headroom in octets of the port that receives from link: 36.1.1, with one
 * PFC frame for each priority, which can follow each other.
 */
static uint32_t headroom(const struct random_net *w, const struct sim_link *link)
{
	uint64_t octets =
	    2 * dcb_wire_octets(w->longest) + DCB_PRIORITIES * dcb_wire_octets(PFC_FRAME_OCTETS);

	octets += link_octets(link->rate,
			      link->delay_ns + link->back->delay_ns + link->back->response_ns + 16);
	return (uint32_t)octets;
}

static void make_links(struct random_net *w)
{
	for (unsigned i = 0; i < w->n_cables; i++)
		assert_true(sim_connect(&w->sim, i, &w->sim.nodes[w->cables[i].a],
					&w->sim.nodes[w->cables[i].b], &w->cables[i].cable));
	for (unsigned i = 0; i < w->sim.n_links; i++) {
		struct sim_link *link = &w->sim.links[i];
		struct port_settings *settings = &link->in->base.settings;

		/* Between bridges frames keep their priority; at hosts they may be untagged. */
		settings->pvid_tagged = link->from->kind == SIM_BRIDGE || one_in(w, 2);
		settings->pfc_headroom_octets = headroom(w, link);
		if (one_in(w, 3))
			settings->pfc_buffer_octets =
			    settings->pfc_headroom_octets + 2 * w->longest + up_to(w, 200000);
		if (one_in(w, 4))
			settings->pfc_xon_octets = 1 + up_to(w, 100000);
	}
}

/* --- configuration --------------------------------------------------------------------------- */

static int8_t random_alpha(struct random_net *w)
{
	return (int8_t)((int)up_to(w, 8) - 4);
}

static void choose_port(struct random_net *w, struct port_config *config, uint8_t pfc)
{
	config->pfc.enable = pfc;
	for (unsigned i = 0; i < DCB_PRIORITIES; i++) {
		config->buffer[i].alpha_lossless = random_alpha(w);
		config->buffer[i].alpha_lossy = random_alpha(w);
		config->buffer[i].reserve_octets = one_in(w, 3) ? 1 + up_to(w, 60000) : 0;
	}
	if (w->n_guaranteed)
		config->buffer[GUARANTEED].reserve_octets = w->guaranteed_reserve;
}

/* Puts a random configuration in force at a node. Hosts have default buffers. */
void random_net_configure(struct random_net *w, struct sim_node *node)
{
	struct dcb_config *config = dcb_config_copy(node->config);

	assert_non_null(config);
	config->generation++;
	for (size_t i = 0; i < config->n_ports; i++) {
		struct port_config *own = dcb_config_edit_port(config, i);
		const struct sim_link *link = node->links[config->ports[i].port->slot];
		uint8_t pfc = w->cables[(link - w->sim.links) / 2].pfc;

		assert_non_null(own);
		if (node->kind == SIM_BRIDGE)
			choose_port(w, own, pfc);
		else
			own->pfc.enable = pfc;
	}
	config->buffer_memory.rules = (struct buffer_rules){
	    .lossless_percent = (uint8_t)dcb_rng_uniform(&w->rng, 1, 99),
	    .headroom_ratio = w->changes != BUFFER_CHANGES && one_in(w, 6)
				  ? (uint8_t)dcb_rng_uniform(&w->rng, 2, 8)
				  : 1,
	};
	dcb_config_compute_oper(config);
	sim_node_adopt(node, config);
}

void random_net_make(struct random_net *w, uint64_t seed, unsigned number)
{
	char err[200];

	*w = (struct random_net){.n_flows = 0};
	dcb_rng_seed(&w->rng, seed, number);
	w->changes = one_in(w, 2) ? NO_CHANGES : one_in(w, 2) ? BUFFER_CHANGES : ANY_CHANGES;
	w->lossless = some_priorities(w) & (one_in(w, 3) ? ALL_PRIORITIES : some_priorities(w));
	w->n_guaranteed = w->changes ? 0 : up_to(w, 4);
	choose_topology(w);
	w->frame_octets = one_in(w, 3) ? SIM_FRAME_OCTETS_MAX : 1518;
	w->n_flows = w->n_guaranteed + 3 + up_to(w, RANDOM_NET_FLOWS - 6);
	/* Its own priority is not paused; where it has PFC, bridges may pause it. */
	w->pausable = w->n_guaranteed ? ALL_PRIORITIES & ~(1 << GUARANTEED) : ALL_PRIORITIES;
	assert_true(sim_init(&w->sim, seed + number, w->n_bridges + w->n_hosts, w->n_cables,
			     w->n_flows, w->frame_octets));
	w->longest = w->sim.frame_octets + ETH_TAG_OCTETS;
	make_nodes(w);
	make_links(w);
	make_flows(w);
	if (!sim_start(&w->sim, err, sizeof(err)))
		fail_msg("%s", err);
	for (unsigned i = 0; i < w->sim.n_nodes; i++)
		random_net_configure(w, &w->sim.nodes[i]);
}
