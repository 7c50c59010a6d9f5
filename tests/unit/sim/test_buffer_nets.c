/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Frame memory of bridges in random networks (tests/unit/random_net.h). Hosts pause the
 * ports of bridges at random times. Some cables have no PFC for some priorities.
 *
 * While the network runs:
 *   - each frame is counted once: made by a flow = delivered + counted as lost + in a
 *     queue or on a link;
 *   - what the accounts of a bridge hold is what its queues and its frame pool hold,
 *     never more than the memory, and no pool exceeds its size;
 *   - no frame is lost at a port with PFC while the plan of the memory fits and the
 *     headroom is not shared;
 *   - a guaranteed flow loses no frame: its priority is the highest and never paused,
 *     its rate is within its share, and its reserve holds its bursts.
 * At the end all frames have left, and all accounts are empty.
 *
 * In some networks the configuration changes while frames are held. If only reserves,
 * alpha and shares change, no frame is lost at ports with PFC either.
 *
 * An ordinary build simulates 10^7 frames received by bridges, others a tenth of that.
 */
#include "tests/unit/random_net.h"

#include "dataplane/core/pfc_pdu.h"
#include "sim/net/link.h"
#include "sim/net/node.h"
#include "sim/net/sim.h"

#include <string.h>

#define FRAMES         UNIT_CASES(10000000)
#define NETWORK_FRAMES 25000 /* to receive in one network */
#define STEP_FRAMES    1000  /* between two checks, about */
#define MINUTE         (60 * DCB_NS_PER_S)

/* Totals of all networks. */
enum total {
	RECEIVED,
	GUARANTEED_FRAMES,
	LOST_LOSSY,
	LOST_NO_FRAMES,
	LOST_TRANSIT,
	LOST_LOSSLESS,
	PFC_OF_BRIDGES,
	PFC_OF_HOSTS,
	ALL_BRIDGES,
	SHARED_HEADROOM,
	UNFIT,
	TOTALS
};
static const char *const total_names[TOTALS] = {
    "frames received by bridges",
    "frames of guaranteed flows, none lost",
    "frames lost at lossy accounts",
    "of these for want of frame buffers",
    "frames lost after the transit delay",
    "frames lost beyond shared, unfit or changed headroom",
    "PFC frames of bridges",
    "PFC frames of hosts",
    "bridges",
    "bridges with shared headroom",
    "networks whose memory does not fit",
};

static uint64_t total[TOTALS];
static unsigned current;   /* network */
static int64_t step_ns;    /* for about STEP_FRAMES frames */
static uint32_t unguarded; /* bridges whose headroom was shared or did not fit, by node */

/* --- checks ---------------------------------------------------------------------------------- */

static uint64_t in_pool(const struct sim_node *node)
{
	return node->set->pool.size - node->set->pool.n_free;
}

/* Frames that a bridge has counted as lost, by reason. */
struct losses {
	uint64_t queue, no_buffer, transit, lossless;
};

static void add_port(struct losses *sum, const struct soft_port *port)
{
	struct port_stats stats;

	port_read(port, &stats);
	sum->queue += stats.discard_queue;
	sum->no_buffer += stats.discard_no_buffer;
	sum->transit += stats.discard_transit;
	for (unsigned i = 0; i < DCB_PRIORITIES; i++) {
		struct pfc_stats pfc;

		port_read_pfc(port, i, &pfc);
		sum->lossless += pfc.pfc_discards;
	}
	assert_int_equal(stats.discard_malformed + stats.discard_reserved + stats.discard_vlan +
			     stats.discard_oversize + stats.discard_kernel + stats.tx_errors,
			 0);
}

static struct losses losses_of(const struct sim_node *node)
{
	struct losses sum = {0};

	for (unsigned i = 0; i < node->n_ports; i++)
		add_port(&sum, node->ports[i]);
	return sum;
}

/* Made = delivered + lost + held. Frames that a host refuses to its flow are not made. */
static void check_conservation(const struct random_net *w)
{
	uint64_t made = 0, found = 0;

	for (unsigned i = 0; i < w->n_flows; i++) {
		made += w->sim.flows[i].stats.made_frames;
		found += w->sim.flows[i].stats.frames;
	}
	for (unsigned i = 0; i < w->sim.n_nodes; i++) {
		const struct sim_node *node = &w->sim.nodes[i];
		struct losses losses = losses_of(node);

		found += in_pool(node);
		found += losses.transit;
		if (i < w->n_bridges)
			found += losses.queue + losses.no_buffer + losses.lossless;
	}
	for (unsigned i = 0; i < w->sim.n_links; i++)
		found += w->sim.links[i].data.tail - w->sim.links[i].data.head;
	assert_int_equal(found, made);
}

/* Sums of the accounts of a bridge. */
struct held {
	uint64_t octets, frames, headroom, lossy_no_octets, lossy_no_frames, lossless_refused;
};

static void add_accounts(struct held *sum, const struct soft_port *port)
{
	for (unsigned i = 0; i < DCB_PRIORITIES; i++) {
		struct buffer_stats b;

		port_read_buffer(port, i, &b);
		sum->octets += b.lossless.octets + b.lossy.octets;
		sum->frames += b.lossless.frames + b.lossy.frames;
		sum->headroom += b.headroom_octets;
		sum->lossy_no_octets += b.lossy.no_octets;
		sum->lossy_no_frames += b.lossy.no_frames;
		sum->lossless_refused += b.lossless.no_octets + b.lossless.no_frames;
	}
}

static void check_pool(const struct buffer_pool_stats *pool)
{
	assert_true(pool->octets <= pool->size_octets && pool->frames <= pool->size_frames);
}

static void check_memory(const struct random_net *w, const struct sim_node *node)
{
	struct losses losses = losses_of(node);
	struct buffer_memory_stats memory;
	struct held held = {0};
	uint64_t queued = 0;

	frame_memory_read(&node->set->memory, &memory);
	for (unsigned i = 0; i < node->n_ports; i++) {
		add_accounts(&held, node->ports[i]);
		for (unsigned q = 0; q < PORT_QUEUES; q++)
			queued += node->ports[i]->queues.queue[q].octets;
	}
	assert_int_equal(held.frames, in_pool(node));
	assert_int_equal(held.octets, queued);
	assert_int_equal(held.headroom, memory.headroom.octets);
	assert_true(held.octets <= memory.memory_octets && held.frames <= memory.memory_frames);
	assert_int_equal(held.lossy_no_octets, losses.queue);
	assert_int_equal(held.lossy_no_frames, losses.no_buffer);
	assert_int_equal(held.lossless_refused, losses.lossless);
	if (memory.missing_octets || memory.missing_frames ||
	    node->config->buffer_memory.rules.headroom_ratio > 1)
		unguarded |= 1u << node->id;
	if (w->changes != ANY_CHANGES && !(unguarded >> node->id & 1))
		assert_int_equal(losses.lossless, 0);
	if (w->changes) /* frames held since before a change may exceed the new size */
		return;
	check_pool(&memory.lossless);
	check_pool(&memory.lossy);
	check_pool(&memory.headroom);
}

static bool fits(const struct random_net *w)
{
	for (unsigned i = 0; i < w->n_bridges; i++) {
		struct buffer_memory_stats memory;

		frame_memory_read(&w->sim.nodes[i].set->memory, &memory);
		if (memory.missing_octets || memory.missing_frames)
			return false;
	}
	return true;
}

static void check(const struct random_net *w)
{
	check_conservation(w);
	for (unsigned i = 0; i < w->n_bridges; i++)
		check_memory(w, &w->sim.nodes[i]);
}

/* --- a run ----------------------------------------------------------------------------------- */

/* Sends a PFC frame from a host: pauses some priorities of the bridge's port, resumes others. */
static void send_pfc(struct random_net *w, unsigned host, uint8_t enable, uint32_t most_quanta)
{
	struct sim_link *link = w->sim.nodes[w->n_bridges + host].links[0];
	struct pfc_pdu pdu = {.enable = enable};
	uint8_t octets[PFC_FRAME_OCTETS];
	struct iovec frame = {octets, sizeof(octets)};

	memcpy(pdu.source, link->from->mac, sizeof(pdu.source));
	for (unsigned i = 0; i < DCB_PRIORITIES; i++)
		pdu.time[i] = (uint16_t)up_to(w, most_quanta);
	pfc_pdu_encode(&pdu, octets);
	(void)link->io.ops->send_control(&link->io, &frame, w->sim.now);
	total[PFC_OF_HOSTS]++;
}

static void change(struct random_net *w)
{
	struct sim_link *link = &w->sim.links[up_to(w, w->sim.n_links - 1)];

	switch (w->changes == BUFFER_CHANGES ? 1 : up_to(w, 2)) {
	case 0:
		w->cables[(link - w->sim.links) / 2].pfc = w->lossless & some_priorities(w);
		random_net_configure(w, link->from);
		random_net_configure(w, link->to);
		break;
	case 1:
		random_net_configure(w, link->from);
		break;
	default:
		sim_set_rate(link, random_net_rate(w, (uint32_t)(link->rate.bps / 1000000)));
	}
}

static uint64_t received_by_bridges(const struct random_net *w)
{
	uint64_t frames = 0;

	for (unsigned i = 0; i < w->n_bridges; i++) {
		for (unsigned j = 0; j < w->sim.nodes[i].n_ports; j++)
			frames += w->sim.nodes[i].ports[j]->stats.rx_frames;
	}
	return frames;
}

/* Runs for a time in which about STEP_FRAMES frames arrive. */
static void step(struct random_net *w)
{
	uint64_t before = w->sim.frame_events, frames;

	sim_run_until(&w->sim, (struct dcb_time){w->sim.now.ns + step_ns});
	frames = w->sim.frame_events - before;
	if (frames < STEP_FRAMES / 2 && step_ns < DCB_NS_PER_S)
		step_ns *= 2;
	else if (frames > 2 * STEP_FRAMES && step_ns > 1)
		step_ns /= 2;
}

/* All flows and pauses end: each frame leaves. */
static void end_flows(struct random_net *w)
{
	for (unsigned i = 0; i < w->n_flows; i++)
		w->sim.flows[i].params.stop_ns = 0;
	for (unsigned i = 0; i < w->n_hosts; i++)
		send_pfc(w, i, 0xff, 0);
}

static uint64_t held_anywhere(const struct random_net *w)
{
	uint64_t frames = 0;

	for (unsigned i = 0; i < w->sim.n_nodes; i++)
		frames += in_pool(&w->sim.nodes[i]);
	for (unsigned i = 0; i < w->sim.n_links; i++)
		frames += sim_link_in_flight(&w->sim.links[i]);
	return frames;
}

static void drain(struct random_net *w)
{
	int64_t until = w->sim.now.ns + 10 * MINUTE;

	end_flows(w);
	while (held_anywhere(w) && w->sim.now.ns < until) {
		step(w);
		check_conservation(w);
	}
	assert_int_equal(held_anywhere(w), 0);
	check(w);
	for (unsigned i = 0; i < w->n_bridges; i++) {
		struct buffer_memory_stats memory;

		frame_memory_read(&w->sim.nodes[i].set->memory, &memory);
		assert_int_equal(memory.lossless.octets + memory.lossless.frames +
				     memory.lossy.octets + memory.lossy.frames +
				     memory.headroom.octets + memory.headroom.frames,
				 0);
	}
}

static void check_guaranteed(const struct random_net *w)
{
	if (!fits(w))
		return;
	for (unsigned i = 0; i < w->n_guaranteed; i++) {
		const struct sim_flow_stats *stats = &w->sim.flows[i].stats;

		if (stats->frames != stats->made_frames)
			fail_msg("flow %u: %llu of %llu frames arrived", i,
				 (unsigned long long)stats->frames,
				 (unsigned long long)stats->made_frames);
		total[GUARANTEED_FRAMES] += stats->frames;
	}
}

static void add_to_totals(struct random_net *w)
{
	total[RECEIVED] += received_by_bridges(w);
	total[UNFIT] += !fits(w);
	for (unsigned i = 0; i < w->n_bridges; i++) {
		const struct sim_node *node = &w->sim.nodes[i];
		struct losses losses = losses_of(node);

		total[LOST_LOSSY] += losses.queue + losses.no_buffer;
		total[LOST_NO_FRAMES] += losses.no_buffer;
		total[LOST_LOSSLESS] += losses.lossless;
		total[LOST_TRANSIT] += losses.transit;
		total[SHARED_HEADROOM] += node->config->buffer_memory.rules.headroom_ratio > 1;
		for (unsigned j = 0; j < node->n_ports; j++)
			total[PFC_OF_BRIDGES] += node->ports[j]->stats.pfc_frames_sent;
	}
}

static void run(struct random_net *w)
{
	while (received_by_bridges(w) < NETWORK_FRAMES && w->sim.now.ns < 60 * MINUTE) {
		if (one_in(w, 2))
			send_pfc(w, up_to(w, w->n_hosts - 1), some_priorities(w) & w->pausable,
				 one_in(w, 2) ? 65535 : 1000);
		if (w->changes && one_in(w, 3))
			change(w);
		check(w);
		step(w);
		check(w);
	}
	drain(w);
	check_guaranteed(w);
	add_to_totals(w);
}

static void print_totals(void)
{
	print_message("%10u networks\n", current);
	for (unsigned i = 0; i < TOTALS; i++)
		print_message("%10llu %s\n", (unsigned long long)total[i], total_names[i]);
	if (!UNIT_ALL) /* too few networks for all kinds */
		return;
	assert_true(total[UNFIT] < current / 2);
	for (unsigned i = 0; i < TOTALS; i++)
		assert_true(total[i] > 0);
}

/* DCB_NETWORK=n runs network n only, to find the cause of a failure. */
static void test_frame_memory_in_random_networks(void **state)
{
	const char *only = getenv("DCB_NETWORK");
	uint64_t seed = unit_seed();

	(void)state;
	current = only ? (unsigned)strtoul(only, NULL, 0) : 0;
	do {
		struct random_net w;

		random_net_make(&w, seed, current);
		step_ns = 1000;
		unguarded = 0;
		total[ALL_BRIDGES] += w.n_bridges;
		run(&w);
		sim_destroy(&w.sim);
		current++;
	} while (!only && total[RECEIVED] < FRAMES);
	if (!only)
		print_totals();
}

static int print_network(void **state)
{
	(void)state;
	print_message("last network: DCB_NETWORK=%u\n", current);
	return 0;
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_teardown(test_frame_memory_in_random_networks, print_network),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
