/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * PFC loses no frame if the headroom is that of 36.1.1: simulated networks of random
 * rates, delays, frame lengths and thresholds, with the bridge of dcbd.
 *
 *   source 0 --\                       /-- slow
 *                bridge a ===== bridge b
 *   source 1 --/                       \-- talker
 *
 * The sources send more than the link to "slow" carries. "talker" sends frames of any
 * length in the other direction; PFC frames wait for their transmission, and for that
 * of frames of the sources' other priority. The headroom of each port is that of the
 * formula for its link, to the octet: WD, two frames of greatest length; the PFC
 * frame; LD, the delay of both directions; and the response time. MACs and PHYs have
 * no delay here. A nanosecond is added for each of these terms, because simulated
 * time is whole nanoseconds.
 */
#include "tests/unit/unit.h"

#include "dataplane/config/port_headroom.h"
#include "dataplane/core/pfc_headroom.h"

#include "sim/objects.h"
#include "sim/net/node.h"
#include "sim/net/sim.h"

#include <string.h>

#define CASES      1200
#define HALF_CASES 200
#define LOSSLESS   3
#define OTHER      5
#define FRAMES     200 /* duration of a case: frames of greatest length at the bottleneck's rate */

enum { SOURCE0, SOURCE1, A, B, SLOW, TALKER, NODES };
enum { SOURCE0_A, SOURCE1_A, A_B, B_SLOW, B_TALKER, CABLES };
enum { FLOWS = 5 };

static const struct {
	uint32_t ends[2];
} cables[CABLES] = {{{SOURCE0, A}}, {{SOURCE1, A}}, {{A, B}}, {{B, SLOW}}, {{B, TALKER}}};

struct network {
	struct dcb_rng rng;
	struct sim_cable cable[CABLES];
	uint32_t frame[FLOWS], longest;
	int64_t response_ns[NODES];
	uint32_t extra[CABLES]; /* octets of buffer beyond headroom and a frame */
	bool xon;               /* XON threshold is configured, not the default */
	unsigned percent;       /* headroom as a share of the formula */
	uint8_t way;            /* enum pfc_way: headroom as dcbd calculates it; 0: the formula */
	bool changes;           /* the headroom of all ports changes while frames pass */
	bool measures;          /* the ports measure it before the flows start */
	uint32_t in_force[2 * CABLES]; /* then: headroom of the port that a link ends at, bits */
};

#define CHANGES      30  /* of the headroom, in one case */
#define MOST_PERCENT 300 /* of the formula */

/* A measurement has 16 round trips at most, each shorter than 1 ms in these networks. */
#define MEASURE_NS (20 * DCB_NS_PER_MS)

/* Returns 50 Mb/s to 400 Gb/s, each decade about equally often. */
static struct dcb_rate random_rate(struct dcb_rng *rng)
{
	static const uint32_t mbps[] = {100, 1000, 2500, 10000, 25000, 40000, 100000, 400000};
	uint32_t rate = mbps[dcb_rng_uniform(rng, 0, UNIT_COUNT(mbps) - 1)];

	return dcb_rate_from_mbps(dcb_rng_uniform(rng, rate / 2, rate));
}

/* Returns 0 to 100 us (20 km of fiber), but at most the time of 200 kB at this rate. */
static int64_t random_delay(struct dcb_rng *rng, struct dcb_rate rate)
{
	static const uint32_t ns[] = {5, 500, 5000, 100000};
	int64_t most = dcb_rate_octets_to_ns(rate, 200000);
	int64_t delay = dcb_rng_uniform(rng, 0, ns[dcb_rng_uniform(rng, 0, UNIT_COUNT(ns) - 1)]);

	return delay < most ? delay : most;
}

static void choose(struct network *w)
{
	struct dcb_rng *rng = &w->rng;

	for (unsigned i = 0; i < CABLES; i++) {
		struct sim_cable *c = &w->cable[i];

		c->rate[0] = c->rate[1] = random_rate(rng);
		c->delay_ns[0] = random_delay(rng, c->rate[0]);
		c->delay_ns[1] = random_delay(rng, c->rate[0]);
		c->buffer_octets[0] = c->buffer_octets[1] = 200000; /* for priority OTHER */
		w->extra[i] = dcb_rng_uniform(rng, 0, dcb_rng_uniform(rng, 0, 1) ? 100000 : 3000);
	}
	for (unsigned i = 0; i < FLOWS; i++) {
		w->frame[i] = dcb_rng_uniform(rng, SIM_FRAME_OCTETS_MIN,
					      dcb_rng_uniform(rng, 0, 1) ? 9216 : 1518);
		if (w->frame[i] > w->longest)
			w->longest = w->frame[i];
	}
	for (unsigned i = 0; i < NODES; i++)
		w->response_ns[i] =
		    dcb_rng_uniform(rng, 0, 3) ? 614 : dcb_rng_uniform(rng, 0, 20000);
	w->xon = dcb_rng_uniform(rng, 0, 1);
	w->percent = 100;
}

/* Chooses long links, whose delay is most of the headroom, and a slow bottleneck. */
static void choose_long_links(struct network *w)
{
	choose(w);
	for (unsigned i = 0; i < CABLES; i++) {
		struct sim_cable *c = &w->cable[i];

		c->rate[0] = c->rate[1] = dcb_rate_from_mbps(i == B_SLOW ? 100 : 10000);
		c->delay_ns[0] = c->delay_ns[1] = dcb_rng_uniform(&w->rng, 50000, 100000);
		w->extra[i] = dcb_rng_uniform(&w->rng, 0, 20000);
	}
	for (unsigned i = 0; i < FLOWS; i++)
		w->frame[i] = dcb_rng_uniform(&w->rng, 500, 1518);
	w->longest = 1518;
	w->percent = 50;
}

static uint64_t link_octets(struct dcb_rate rate, int64_t ns)
{
	return ((uint64_t)ns * (rate.bps / 1000) + 7999999) / 8000000;
}

/* Returns the headroom in octets of the port that receives from link; j, f, h as in annex N. */
static uint32_t headroom(const struct network *w, const struct sim_link *link)
{
	uint64_t octets = 2 * dcb_wire_octets(w->longest) + dcb_wire_octets(PFC_FRAME_OCTETS);

	octets += link_octets(link->rate, link->delay_ns);          /* j */
	octets += link_octets(link->rate, link->back->delay_ns);    /* f */
	octets += link_octets(link->rate, link->back->response_ns); /* h */
	octets += link_octets(link->rate, 6);
	return (uint32_t)(octets * w->percent / 100);
}

/* Returns the headroom that dcbd calculates if it knows the link and the neighbor in this way. */
static uint32_t automatic(const struct network *w, const struct sim_link *link)
{
	uint64_t round_trip = link_octets(link->rate, link->delay_ns) +
			      link_octets(link->rate, link->back->delay_ns) +
			      link_octets(link->rate, link->back->response_ns) +
			      dcb_wire_octets(PFC_FRAME_OCTETS);
	struct pfc_headroom_config config = {.choice = PFC_HEADROOM_AUTOMATIC,
					     .medium = PFC_MEDIUM_COPPER,
					     .phy = PFC_PHY_NONE,
					     .macsec = PFC_MACSEC_NONE,
					     .maximum = UINT32_MAX};
	struct pfc_headroom_link known = {
	    .speed_bps = link->rate.bps, .mtu = w->longest - 26, .way = w->way};
	uint32_t response_ns = (uint32_t)link->back->response_ns;
	int64_t delay_ns = (link->delay_ns + link->back->delay_ns + 1) / 2;
	struct pfc_headroom_state state;

	switch (w->way) {
	case PFC_WAY_CONFIGURED:
		config.link_delay_ns = (uint32_t)delay_ns;
		config.response_ns = response_ns ? response_ns : 1;
		break;
	case PFC_WAY_LINK_DELAYS: /* item i has a frame in it */
		config.ptp_delay_ns = (uint32_t)delay_ns;
		known.peer.delay_ns =
		    response_ns + 1 +
		    (uint32_t)dcb_rate_octets_to_ns(link->rate, dcb_wire_octets(w->longest));
		break;
	default:
		known.measured_quanta = (uint32_t)pfc_bits_to_quanta(8 * round_trip);
		break;
	}
	pfc_headroom_compute(&config, 0, &known, &state);
	assert_int_equal(state.status, PFC_HEADROOM_CALCULATED);
	return (uint32_t)(pfc_bits_to_octets(state.in_force) * w->percent / 100);
}

static void make_nodes(struct sim *sim, const struct network *w)
{
	for (unsigned i = 0; i < NODES; i++) {
		struct sim_node *node = &sim->nodes[i];

		snprintf(node->name, sizeof(node->name), "n%u", i);
		node->kind = i == A || i == B ? SIM_BRIDGE : SIM_HOST;
		node->ops = i == A || i == B ? &sim_bridge_ops : &sim_host_ops;
		node->response_ns = w->response_ns[i];
		node->settings.pvid_tagged =
		    true; /* without LLDP no bridge knows its neighbor's PFC */
	}
}

static void make_links(struct sim *sim, const struct network *w)
{
	for (unsigned i = 0; i < CABLES; i++)
		assert_true(sim_connect(sim, i, &sim->nodes[cables[i].ends[0]],
					&sim->nodes[cables[i].ends[1]], &w->cable[i]));
	for (unsigned i = 0; i < sim->n_links; i++) {
		struct sim_link *link = &sim->links[i];
		struct port_settings *settings = &link->in->base.settings;
		uint32_t frame = sim->frame_octets + ETH_TAG_OCTETS;

		if (w->measures)
			continue; /* put_results_in_force() */
		settings->pfc_headroom_octets = w->way ? automatic(w, link) : headroom(w, link);
		settings->pfc_buffer_octets = settings->pfc_headroom_octets + frame + 1;
		if (w->changes) {
			settings->pfc_buffer_octets +=
			    settings->pfc_headroom_octets / 100 * (MOST_PERCENT - 100) + 100;
			settings->pfc_headroom_octets = 0; /* set_headroom() */
		}
		settings->pfc_buffer_octets += w->extra[i / 2];
		settings->pfc_xon_octets = w->xon ? w->extra[i / 2] / 2 + 1 : 0;
	}
}

/* Returns the link that the port of a configuration receives from. */
static const struct sim_link *link_into(const struct sim *sim, const struct port *port)
{
	for (unsigned i = 0; i < sim->n_links; i++)
		if (&sim->links[i].in->base == port)
			return &sim->links[i];
	return NULL;
}

/* Gives each port a headroom of 100 to MOST_PERCENT percent of the formula, as a measurement does.
 */
static void set_headroom(struct sim *sim, struct network *w)
{
	for (unsigned i = 0; i < NODES; i++) {
		struct dcb_config *config = dcb_config_copy(sim->nodes[i].config);

		assert_non_null(config);
		config->generation++;
		for (size_t pos = 0; pos < config->n_ports; pos++) {
			struct port_config *pc = dcb_config_edit_port(config, pos);
			uint32_t octets = headroom(w, link_into(sim, config->ports[pos].port));

			assert_non_null(pc);
			pc->pfc_headroom.choice = PFC_HEADROOM_MANUAL;
			pc->pfc_link_delay_allowance =
			    8 * (octets +
				 octets / 100 * dcb_rng_uniform(&w->rng, 0, MOST_PERCENT - 100));
		}
		dcb_config_compute_oper(config);
		sim_node_adopt(&sim->nodes[i], config);
	}
}

/* --- headroom by measurement ----------------------------------------------------------- */

/* Copies the configuration of a node, for a change. */
static struct dcb_config *next_config(const struct sim_node *node)
{
	struct dcb_config *config = dcb_config_copy(node->config);

	assert_non_null(config);
	config->generation++;
	return config;
}

/* All ports measure. Item h of a node is a setting, as an operator knows it from the vendor. */
static void start_measuring(struct sim *sim)
{
	for (unsigned i = 0; i < NODES; i++) {
		struct dcb_config *config = next_config(&sim->nodes[i]);
		int64_t response_ns = sim->nodes[i].response_ns;

		for (size_t pos = 0; pos < config->n_ports; pos++) {
			struct port_config *pc = dcb_config_edit_port(config, pos);

			assert_non_null(pc);
			pc->pfc_measure.enable = PFC_MEASURE_ALWAYS;
			pc->pfc_measure.halt_ns = response_ns ? (uint32_t)response_ns : 1;
			pc->pfc_headroom =
			    (struct pfc_headroom_config){.choice = PFC_HEADROOM_AUTOMATIC,
							 .medium = PFC_MEDIUM_COPPER,
							 .phy = PFC_PHY_NONE,
							 .macsec = PFC_MACSEC_NONE,
							 .maximum = UINT32_MAX};
		}
		dcb_config_compute_oper(config);
		sim_node_adopt(&sim->nodes[i], config);
	}
}

/*
 * Sets the way and the result of a port, as the control thread does, and its buffer. A share
 * of the headroom is a manual setting.
 */
static void use_result(const struct sim *sim, struct network *w, struct dcb_config *config,
		       size_t pos)
{
	const struct sim_link *link = link_into(sim, config->ports[pos].port);
	struct port_config *pc = dcb_config_edit_port(config, pos);
	struct pfc_measure_stats stats;
	struct pfc_headroom_state state;
	struct port_settings *settings = &link->in->base.settings;

	assert_non_null(pc);
	port_read_measure(link->in, &stats);
	assert_true(stats.measured && !stats.measure);
	config->ports[pos].oper.pfc_way = PFC_WAY_MEASURED;
	config->ports[pos].oper.pfc_measured_quanta = (uint32_t)stats.result;
	port_headroom_of(&config->ports[pos], &state);
	assert_int_equal(state.source[PFC_TERM_ROUND_TRIP], PFC_SOURCE_MEASURED);
	assert_int_equal(state.basis, PFC_BASIS_ALLOWANCE);
	assert_int_equal(state.status, PFC_HEADROOM_CALCULATED);
	w->in_force[link - sim->links] = state.in_force;
	if (w->percent != 100) {
		pc->pfc_headroom.choice = PFC_HEADROOM_MANUAL;
		pc->pfc_link_delay_allowance =
		    (uint32_t)(state.in_force * (uint64_t)w->percent / 100);
		state.in_force = pc->pfc_link_delay_allowance;
	}
	settings->pfc_buffer_octets = (uint32_t)pfc_bits_to_octets(state.in_force) +
				      sim->frame_octets + ETH_TAG_OCTETS + 1 +
				      w->extra[(link - sim->links) / 2];
	settings->pfc_xon_octets = w->xon ? w->extra[(link - sim->links) / 2] / 2 + 1 : 0;
}

/* Has all ports measure their links, and puts the results in force. */
static void measure(struct sim *sim, struct network *w)
{
	start_measuring(sim);
	sim_run_until(sim, (struct dcb_time){MEASURE_NS - 1});
	for (unsigned i = 0; i < NODES; i++) {
		struct dcb_config *config = next_config(&sim->nodes[i]);

		dcb_config_compute_oper(config);
		for (size_t pos = 0; pos < config->n_ports; pos++)
			use_result(sim, w, config, pos);
		sim_node_adopt(&sim->nodes[i], config);
	}
}

/* --- traffic --------------------------------------------------------------------------- */

static struct dcb_rate bottleneck(const struct network *w)
{
	struct dcb_rate a = w->cable[A_B].rate[0], b = w->cable[B_SLOW].rate[0];

	return a.bps < b.bps ? a : b;
}

static void make_flows(struct sim *sim, const struct network *w)
{
	static const struct {
		uint32_t from, to;
		uint8_t priority;
	} flows[FLOWS] = {
	    {SOURCE0, SLOW, LOSSLESS}, {SOURCE1, SLOW, LOSSLESS},   {SOURCE0, TALKER, OTHER},
	    {TALKER, SOURCE0, OTHER},  {TALKER, SOURCE1, LOSSLESS},
	};

	for (unsigned i = 0; i < FLOWS; i++) {
		struct sim_flow *flow = &sim->flows[i];

		snprintf(flow->name, sizeof(flow->name), "f%u", i);
		flow->from = &sim->nodes[flows[i].from];
		flow->to = &sim->nodes[flows[i].to];
		flow->params = (struct sim_flow_params){.priority = flows[i].priority,
							.frame_octets = w->frame[i],
							.start_ns = w->measures ? MEASURE_NS : 0,
							.stop_ns = INT64_MAX};
		if (i > 1) /* not paused by the bottleneck, or only on a part of the path */
			flow->params.rate.bps =
			    bottleneck(w).bps / (flows[i].priority == OTHER ? 3 : 1);
	}
}

struct outcome {
	uint64_t lost;    /* frames of priority LOSSLESS, at all ports */
	uint64_t pauses;  /* PFC frames */
	uint64_t arrived; /* frames of flows 0 and 1 */
	bool overran;     /* a buffer held more octets than its size */
};

static void read_outcome(const struct sim *sim, struct outcome *out)
{
	*out = (struct outcome){0};
	for (uint32_t i = 0; i < sim->n_links; i++) {
		const struct soft_port *port = sim->links[i].in;
		struct buffer_stats buffer;
		struct pfc_stats stats;

		port_read_buffer(port, LOSSLESS, &buffer);
		port_read_pfc(port, LOSSLESS, &stats);
		out->lost += stats.pfc_discards + port->stats.discard_transit +
			     port->stats.discard_no_buffer;
		out->overran |= buffer.lossless.peak_octets > port->base.settings.pfc_buffer_octets;
		out->pauses += stats.pfc_requests;
	}
	out->arrived = sim->flows[0].stats.frames + sim->flows[1].stats.frames;
}

/* Returns in ns the time of FRAMES at the bottleneck and of three round trips. */
static int64_t duration(const struct network *w)
{
	int64_t ns = dcb_rate_octets_to_ns(bottleneck(w), FRAMES * dcb_wire_octets(w->longest));

	for (unsigned i = 0; i < CABLES; i++)
		ns += 3 * (w->cable[i].delay_ns[0] + w->cable[i].delay_ns[1]);
	return ns;
}

/* Runs a case, then stops the flows and waits until the frames in flight and in queues arrive. */
static void run(struct network *w, struct outcome *out)
{
	int64_t end_ns = duration(w) + (w->measures ? MEASURE_NS : 0);
	char err[200];
	struct sim sim;
	uint64_t left;

	assert_true(sim_init(&sim, 1, NODES, CABLES, FLOWS, w->longest));
	make_nodes(&sim, w);
	make_links(&sim, w);
	make_flows(&sim, w);
	assert_true(sim_start(&sim, err, sizeof(err)));
	assert_true(sim_set_pfc(&sim, 1 << LOSSLESS));
	if (w->measures)
		measure(&sim, w);
	for (unsigned i = 0; w->changes && i < CHANGES; i++) {
		set_headroom(&sim, w);
		sim_run_until(&sim, (struct dcb_time){duration(w) / CHANGES * i});
	}
	sim_run_until(&sim, (struct dcb_time){end_ns});
	for (unsigned i = 0; i < FLOWS; i++)
		sim.flows[i].params.stop_ns = 0;
	for (left = 0;
	     left < 1000 && sim.flows[0].stats.frames + sim.flows[1].stats.frames <
				sim.flows[0].stats.made_frames + sim.flows[1].stats.made_frames;
	     left++)
		sim_run_until(&sim, (struct dcb_time){sim.now.ns + 20 * DCB_NS_PER_MS});
	read_outcome(&sim, out);
	if (w->percent == 100)
		assert_int_equal(out->arrived,
				 sim.flows[0].stats.made_frames + sim.flows[1].stats.made_frames);
	sim_destroy(&sim);
}

static void test_no_loss_with_computed_headroom(void **state)
{
	uint64_t seed = unit_seed(), paused = 0, arrived = 0;

	(void)state;
	for (unsigned i = 0; i < UNIT_CASES(CASES); i++) {
		struct network w = {0};
		struct outcome out;

		dcb_rng_seed(&w.rng, seed, i);
		choose(&w);
		run(&w, &out);
		if (out.lost || out.overran)
			fail_msg("case %u: %llu frames lost", i, (unsigned long long)out.lost);
		paused += out.pauses > 0;
		arrived += out.arrived;
	}
	print_message("%d cases, PFC frames sent in %llu, %llu frames, none lost\n",
		      UNIT_CASES(CASES), (unsigned long long)paused, (unsigned long long)arrived);
	assert_true(paused > UNIT_CASES(CASES) / 2);
}

static void test_loss_with_half_the_headroom(void **state)
{
	uint64_t seed = unit_seed();

	(void)state;
	for (unsigned i = 0; i < UNIT_CASES(HALF_CASES); i++) {
		struct network w = {0};
		struct outcome out;

		dcb_rng_seed(&w.rng, seed, CASES + i);
		choose_long_links(&w);
		run(&w, &out);
		if (!out.lost)
			fail_msg("case %u: no frame lost", i);
		w.percent = 100;
		run(&w, &out);
		if (out.lost)
			fail_msg("case %u: %llu frames lost", i, (unsigned long long)out.lost);
	}
}

/*
 * Headroom that is enough before and after a change loses no frame while the change comes
 * into force, whatever frames are held and in flight.
 */
static void test_changing_headroom_loses_nothing(void **state)
{
	uint64_t seed = unit_seed(), paused = 0;

	(void)state;
	for (unsigned i = 0; i < UNIT_CASES(HALF_CASES); i++) {
		struct network w = {0};
		struct outcome out;

		dcb_rng_seed(&w.rng, seed, CASES + 2 * HALF_CASES + i);
		choose(&w);
		w.changes = true;
		run(&w, &out);
		if (out.lost || out.overran)
			fail_msg("case %u: %llu frames lost", i, (unsigned long long)out.lost);
		paused += out.pauses > 0;
	}
	assert_true(paused > UNIT_CASES(HALF_CASES) / 2);
}

/*
 * The automatic value loses nothing, whatever the way of 36.8, and 80 % of it loses: the
 * delay of these links is more than that.
 */
static void test_automatic_headroom_is_enough_and_80_percent_is_not(void **state)
{
	uint64_t seed = unit_seed();

	(void)state;
	for (unsigned i = 0; i < UNIT_CASES(HALF_CASES); i++) {
		struct network w = {.way = (uint8_t)(PFC_WAY_CONFIGURED + i % 3)};
		struct outcome out;

		dcb_rng_seed(&w.rng, seed, CASES + HALF_CASES + i);
		choose_long_links(&w);
		w.way = (uint8_t)(PFC_WAY_CONFIGURED + i % 3);
		w.percent = 100;
		run(&w, &out);
		if (out.lost || out.overran)
			fail_msg("case %u: %llu frames lost", i, (unsigned long long)out.lost);
		w.percent = 80;
		run(&w, &out);
		if (!out.lost)
			fail_msg("case %u: no frame lost", i);
	}
}

/*
 * The same with the results of the ports' own measurements (36.9), on links of any rate and
 * length. The measurement has no part of the simulation's truth but item h of the neighbor.
 */
static void test_measured_headroom_is_enough_and_80_percent_is_not(void **state)
{
	uint64_t seed = unit_seed(), paused = 0;

	(void)state;
	for (unsigned i = 0; i < UNIT_CASES(2 * HALF_CASES); i++) {
		struct network w = {0};
		bool is_long = i % 2;
		struct outcome out;

		dcb_rng_seed(&w.rng, seed, CASES + 3 * HALF_CASES + i);
		if (is_long)
			choose_long_links(&w);
		else
			choose(&w);
		w.measures = true;
		w.percent = 100;
		run(&w, &out);
		if (out.lost || out.overran)
			fail_msg("case %u: %llu frames lost", i, (unsigned long long)out.lost);
		paused += out.pauses > 0;
		if (!is_long)
			continue;
		w.percent = 80;
		run(&w, &out);
		if (!out.lost)
			fail_msg("case %u: no frame lost", i);
	}
	assert_true(paused > UNIT_CASES(2 * HALF_CASES) / 2);
}

/* A link of a tenth of the length frees nine tenths of its delay, to the accuracy of 36.9.1. */
static void test_shorter_links_free_the_difference(void **state)
{
	static const uint32_t mbps[] = {1000, 10000, 25000, 100000, 400000};
	uint64_t seed = unit_seed();

	(void)state;
	for (unsigned i = 0; i < UNIT_COUNT(mbps); i++) {
		struct network w = {0};
		struct outcome out;
		uint32_t before;
		int64_t freed, wanted;

		dcb_rng_seed(&w.rng, seed, CASES + 5 * HALF_CASES + i);
		choose_long_links(&w);
		w.measures = true;
		w.percent = 100;
		w.cable[A_B].rate[0] = w.cable[A_B].rate[1] = dcb_rate_from_mbps(mbps[i]);
		w.cable[A_B].delay_ns[0] = 50000; /* 10 km of fiber */
		w.cable[A_B].delay_ns[1] = 60000;
		run(&w, &out);
		assert_int_equal(out.lost, 0);
		before = w.in_force[2 * A_B];
		w.cable[A_B].delay_ns[0] /= 10;
		w.cable[A_B].delay_ns[1] /= 10;
		run(&w, &out);
		assert_int_equal(out.lost, 0);
		freed = (int64_t)before - w.in_force[2 * A_B];
		wanted = (int64_t)mbps[i] * 99; /* 99 us */
		print_message("%u Mb/s: headroom %u octets, a tenth of the length %u, freed %lld\n",
			      mbps[i], before / 8, w.in_force[2 * A_B] / 8, (long long)freed / 8);
		assert_in_range(freed, wanted - 2 * HM_AGREE_QUANTA * PFC_QUANTUM_BITS,
				wanted + 2 * HM_AGREE_QUANTA * PFC_QUANTUM_BITS);
	}
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_no_loss_with_computed_headroom),
	    cmocka_unit_test(test_loss_with_half_the_headroom),
	    cmocka_unit_test(test_changing_headroom_loses_nothing),
	    cmocka_unit_test(test_automatic_headroom_is_enough_and_80_percent_is_not),
	    cmocka_unit_test(test_measured_headroom_is_enough_and_80_percent_is_not),
	    cmocka_unit_test(test_shorter_links_free_the_difference),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
