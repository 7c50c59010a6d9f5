/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Floods and pauses take from other traffic no more than the thresholds of the frame
 * memory let them: a bridge with default alpha and reserves, random rates and lengths.
 *
 *   source 0..n --- bridge --- sink 0..m      all frames of other traffic arrive
 */
#include "tests/unit/unit.h"

#include "dataplane/core/pfc_pdu.h"
#include "lib/rng.h"
#include "sim/net/node.h"
#include "sim/net/sim.h"

#include <string.h>

#define CASES     (UNIT_ALL ? 60 : 15)
#define HOSTS_MAX 12
#define FLOWS_MAX 12
#define MS        DCB_NS_PER_MS

struct star {
	struct dcb_rng rng;
	struct sim sim;
	unsigned n_hosts, n_flows;
	struct dcb_rate rate[HOSTS_MAX]; /* of the hosts' cables */
	uint8_t pfc[HOSTS_MAX];          /* of both ends, one bit a priority */
	uint32_t buffer;                 /* octets of each port of the bridge */
	uint32_t frame_buffers;
	struct {
		unsigned from, to;
		struct sim_flow_params params;
	} flows[FLOWS_MAX];
};

static uint32_t between(struct star *w, uint32_t least, uint32_t most)
{
	return dcb_rng_uniform(&w->rng, least, most);
}

static void star_init(struct star *w, uint64_t seed, unsigned number)
{
	*w = (struct star){.n_hosts = 0};
	dcb_rng_seed(&w->rng, seed, number);
	w->buffer = between(w, 200000, 600000);
	w->frame_buffers = between(w, 6000, 16384);
}

static unsigned add_host(struct star *w, uint64_t mbps, uint8_t pfc)
{
	w->rate[w->n_hosts] = dcb_rate_from_mbps(mbps);
	w->pfc[w->n_hosts] = pfc;
	return w->n_hosts++;
}

/* Returns the flow's parameters, for the caller to complete. */
static struct sim_flow_params *add_flow(struct star *w, unsigned from, unsigned to,
					uint8_t priority, uint32_t frame_octets)
{
	struct sim_flow_params *params = &w->flows[w->n_flows].params;

	w->flows[w->n_flows].from = from;
	w->flows[w->n_flows++].to = to;
	params->priority = priority;
	params->frame_octets = frame_octets;
	params->stop_ns = INT64_MAX;
	return params;
}

static void set_pfc(struct sim_node *node, const uint8_t *pfc)
{
	struct dcb_config *config = dcb_config_copy(node->config);

	assert_non_null(config);
	config->generation++;
	for (size_t i = 0; i < config->n_ports; i++)
		dcb_config_edit_port(config, i)->pfc.enable = pfc[i];
	dcb_config_compute_oper(config);
	sim_node_adopt(node, config);
}

/* Node 0 is the bridge, host i is node i + 1, with cable i. */
static void star_start(struct star *w)
{
	struct buffer_memory_stats memory;
	char err[200];

	assert_true(sim_init(&w->sim, 1, w->n_hosts + 1, w->n_hosts, w->n_flows, 1518));
	for (unsigned i = 0; i <= w->n_hosts; i++) {
		struct sim_node *node = &w->sim.nodes[i];

		snprintf(node->name, sizeof(node->name), "n%u", i);
		node->kind = i ? SIM_HOST : SIM_BRIDGE;
		node->ops = i ? &sim_host_ops : &sim_bridge_ops;
		node->frame_buffers = i ? 0 : w->frame_buffers;
	}
	for (unsigned i = 0; i < w->n_hosts; i++) {
		const struct sim_cable cable = {
		    .rate = {w->rate[i], w->rate[i]},
		    .delay_ns = {500, 500},
		    .buffer_octets = {w->buffer, 8u << 20},
		};

		assert_true(
		    sim_connect(&w->sim, i, &w->sim.nodes[0], &w->sim.nodes[i + 1], &cable));
		w->sim.links[2 * i + 1].in->base.settings.pfc_headroom_octets = 20000;
	}
	for (unsigned i = 0; i < w->n_flows; i++) {
		struct sim_flow *flow = &w->sim.flows[i];

		flow->from = &w->sim.nodes[w->flows[i].from + 1];
		flow->to = &w->sim.nodes[w->flows[i].to + 1];
		flow->params = w->flows[i].params;
	}
	if (!sim_start(&w->sim, err, sizeof(err)))
		fail_msg("%s", err);
	set_pfc(&w->sim.nodes[0], w->pfc);
	for (unsigned i = 0; i < w->n_hosts; i++)
		set_pfc(&w->sim.nodes[i + 1], &w->pfc[i]);
	frame_memory_read(&w->sim.nodes[0].set->memory, &memory);
	assert_int_equal(memory.missing_octets + memory.missing_frames, 0);
}

/* A host sends a PFC frame: the bridge's port pauses these priorities for the longest time. */
static void pause_port(struct star *w, unsigned host, uint8_t priorities)
{
	struct sim_link *link = &w->sim.links[2 * host + 1];
	struct pfc_pdu pdu = {.enable = priorities};
	uint8_t octets[PFC_FRAME_OCTETS];
	struct iovec frame = {octets, sizeof(octets)};

	memcpy(pdu.source, link->from->mac, sizeof(pdu.source));
	for (unsigned i = 0; i < DCB_PRIORITIES; i++)
		pdu.time[i] = 65535;
	pfc_pdu_encode(&pdu, octets);
	(void)link->io.ops->send_control(&link->io, &frame, w->sim.now);
}

static uint64_t lost_at(const struct star *w, unsigned host)
{
	const struct port_stats *stats = &w->sim.links[2 * host].out->stats;

	return stats->discard_queue + stats->discard_no_buffer;
}

static void check_all_arrived(const struct star *w, unsigned number, unsigned flow)
{
	const struct sim_flow_stats *stats = &w->sim.flows[flow].stats;

	if (stats->frames < stats->made_frames)
		fail_msg("case %u: flow %u: %llu of %llu frames arrived", number, flow,
			 (unsigned long long)stats->frames, (unsigned long long)stats->made_frames);
	assert_true(stats->frames > 0);
}

/* --- floods to slow ports ----------------------------------------------------------------- */

/*
 * Frames of 64 octets to slow ports use up what lossy traffic may hold of the frame
 * buffers. A lossless and a lossy flow between other ports lose no frame, and their
 * source is not paused.
 */
static void test_floods_take_nothing_from_other_ports(void **state)
{
	uint64_t seed = unit_seed();

	(void)state;
	for (unsigned i = 0; i < CASES; i++) {
		struct star w;
		unsigned slow[4], n_slow, source, sink;

		star_init(&w, seed, i);
		n_slow = between(&w, 1, 4);
		for (unsigned j = 0; j < n_slow; j++)
			slow[j] = add_host(&w, between(&w, 10, 500), 0);
		for (unsigned j = 0; j < n_slow; j++)
			(void)add_flow(&w, add_host(&w, 10000, 0), slow[j],
				       (uint8_t)between(&w, 0, 7), 64);
		source = add_host(&w, 10000, 1 << 3);
		sink = add_host(&w, 10000, 1 << 3);
		for (unsigned priority = 3; priority <= 4; priority++)
			add_flow(&w, source, sink, (uint8_t)priority, between(&w, 64, 1518))->rate =
			    dcb_rate_from_mbps(between(&w, 100, 4900));
		star_start(&w);
		sim_run_until(&w.sim, (struct dcb_time){3 * MS});
		for (unsigned j = n_slow; j < w.n_flows; j++)
			w.sim.flows[j].params.stop_ns = 0;
		sim_run_until(&w.sim, (struct dcb_time){4 * MS});
		for (unsigned j = 0; j < n_slow; j++)
			assert_true(lost_at(&w, slow[j]) > 0);
		check_all_arrived(&w, i, n_slow);
		check_all_arrived(&w, i, n_slow + 1);
		assert_int_equal(w.sim.links[2 * source].out->stats.pfc_frames_sent, 0);
		sim_destroy(&w.sim);
	}
}

/* --- paused priorities ------------------------------------------------------------------------ */

/*
 * The sink pauses some priorities for the whole time. Their sources send as fast as
 * they can; some have PFC with the bridge, and wait, others have none, so that the bridge
 * discards. The flows of the other priorities together have less than the link.
 */
static void test_paused_priorities_take_nothing_from_others(void **state)
{
	uint64_t seed = unit_seed(), discarding = 0;

	(void)state;
	for (unsigned i = 0; i < CASES; i++) {
		struct star w;
		unsigned sink, n_others = 0;
		uint8_t paused;

		star_init(&w, seed, i);
		paused = (uint8_t)between(&w, 1, 254);
		sink = add_host(&w, 1000, paused);
		for (uint8_t p = 0; p < DCB_PRIORITIES; p++) {
			if (paused >> p & 1)
				continue;
			add_flow(&w, add_host(&w, 1000, 0), sink, p, between(&w, 64, 1518))->rate =
			    dcb_rate_from_mbps(100);
			n_others++;
		}
		for (uint8_t p = 0; p < DCB_PRIORITIES; p++) {
			uint8_t pfc = between(&w, 0, 2) ? 0 : (uint8_t)(1u << p);

			if (paused >> p & 1)
				(void)add_flow(&w, add_host(&w, 10000, pfc), sink, p,
					       between(&w, 64, 1518));
		}
		star_start(&w);
		pause_port(&w, sink, paused);
		for (unsigned j = 0; j < n_others; j++) /* the pause is in force */
			w.sim.flows[j].params.stop_ns = 8 * MS;
		sim_run_until(&w.sim, (struct dcb_time){10 * MS});
		for (unsigned j = 0; j < n_others; j++)
			check_all_arrived(&w, i, j);
		for (unsigned j = n_others; j < w.n_flows; j++)
			assert_true(w.sim.flows[j].stats.frames < 100);
		discarding += lost_at(&w, sink) > 0;
		sim_destroy(&w.sim);
	}
	assert_true(discarding > CASES / 2);
}

/* --- strict priority without ETS ------------------------------------------------------------- */

/*
 * A lower priority holds as much as one may, the port's buffer of dcbd.conf. A burst of
 * a higher one fits beside it: a fifth of the buffer more than the port sends meanwhile.
 */
static void test_lower_priority_leaves_room_for_a_burst_of_a_higher_one(void **state)
{
	/* The traffic class of priority 1 is below that of priority 0: table 8-5. */
	static const uint8_t order[] = {1, 0, 2, 3, 4, 5, 6, 7};
	uint64_t seed = unit_seed();

	(void)state;
	for (unsigned i = 0; i < CASES; i++) {
		uint32_t octets;
		unsigned sink, low; /* rank */
		struct star w;

		star_init(&w, seed, i);
		w.frame_buffers = 16384;
		low = between(&w, 0, 6);
		sink = add_host(&w, 1000, 0);
		octets = between(&w, 64, 1518);
		for (unsigned j = 0; j < 2; j++) {
			struct sim_flow_params *burst =
			    add_flow(&w, add_host(&w, 1000, 0), sink,
				     order[between(&w, low + 1, 7)], octets);

			burst->start_ns = 20 * MS;
			burst->size_octets = w.buffer / 5;
		}
		(void)add_flow(&w, add_host(&w, 10000, 0), sink, order[low], between(&w, 64, 1518));
		star_start(&w);
		sim_run_until(&w.sim, (struct dcb_time){60 * MS});
		assert_true(lost_at(&w, sink) > 0);
		check_all_arrived(&w, i, 0);
		check_all_arrived(&w, i, 1);
		sim_destroy(&w.sim);
	}
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_floods_take_nothing_from_other_ports),
	    cmocka_unit_test(test_paused_priorities_take_nothing_from_others),
	    cmocka_unit_test(test_lower_priority_leaves_room_for_a_burst_of_a_higher_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
