/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Headroom measurement on random simulated links, HMPDUs as frames between the ports of
 * bridges, stations and hosts: 1 m to 100 km, 100 Mb/s to 800 Gb/s, with another delay in each
 * direction, beside traffic or without. tests/unit/dataplane/core/test_hm_links.c has the same
 * for the engine alone.
 *
 *   - every average of either end is within 8 quanta of the truth (36.9.1);
 *   - both ends have one after four round trips from the later link-up;
 *   - neither sends more than two HMPDUs a round trip (36.9.6).
 *
 * The truth is the delay of both directions, the time of both HMPDUs on the link, and item h of
 * the other end. Waiting for a frame in transmission is not in it: an end that answers does not
 * know it, and expects the wait of earlier HMPDUs. So traffic adds the time of one frame to the
 * 8 quanta.
 */
#include "tests/unit/unit.h"

#include "sim/net/node.h"
#include "sim/objects.h"
#include "sim/net/sim.h"

#include <string.h>

#define LINKS       1000
#define SENT        1024 /* HMPDUs of one end that are recorded */
#define NS_A_METER  5
#define HALT_NS_MAX 10000
#define FLOWS       2
#define START_NS    (10 * DCB_NS_PER_US)
#define EXCHANGES   40   /* until a measurement has ended: more than HM_ROUND_MAX */
#define FRAMES      1000 /* of a flow in this time, about */

static const uint32_t speed_mbps[] = {100,   1000,  2500,   5000,   10000,  25000,
				      40000, 50000, 100000, 200000, 400000, 800000};

/* One end of the link. */
struct end {
	uint32_t halt_ns; /* item h */
	bool separate;    /* requests and responses in frames of their own */
	int64_t up_ns;
	unsigned sent; /* HMPDUs */
	int64_t sent_ns[SENT];
};

static struct network {
	unsigned number;
	struct sim_cable cable;
	uint32_t frame_octets;
	bool traffic;
	struct end end[2];
	int64_t wait_ns; /* the longest time that an HMPDU waited for a frame in transmission */
} net;

static struct sim sim;
static const struct netio_ops *sim_ops;
static unsigned compared;
static double worst;
static int64_t longest_wait_ns;

static void print_link(void)
{
	print_message("link %u: %llu Mb/s, %lld and %lld ns, h %u and %u ns, %s\n", net.number,
		      (unsigned long long)(net.cable.rate[0].bps / 1000000),
		      (long long)net.cable.delay_ns[0], (long long)net.cable.delay_ns[1],
		      net.end[0].halt_ns, net.end[1].halt_ns, net.traffic ? "traffic" : "idle");
}

/* --- truth ------------------------------------------------------------------------------- */

/* Returns the time from a request on the link to the end of its response. */
static double round_trip_ns(void)
{
	double hmpdu_bits = 8.0 * dcb_wire_octets(HMPDU_FRAME_OCTETS);

	return (double)(net.cable.delay_ns[0] + net.cable.delay_ns[1]) +
	       2 * hmpdu_bits * 1e9 / (double)net.cable.rate[0].bps;
}

static double quanta(double ns)
{
	return ns * (double)net.cable.rate[0].bps / 1e9 / 512;
}

/* Returns the result that an end should have, in quanta. */
static double truth(unsigned end)
{
	return quanta(round_trip_ns() + net.end[!end].halt_ns);
}

/*
 * Returns the longest time that an HMPDU waits: for a frame in transmission, and for the other
 * HMPDU of its end. A nanosecond is added for each, as simulated time is whole nanoseconds.
 */
static double most_wait_ns(void)
{
	uint32_t octets = dcb_wire_octets(HMPDU_FRAME_OCTETS);

	if (net.traffic)
		octets += dcb_wire_octets(net.frame_octets);
	return 8e9 * octets / (double)net.cable.rate[0].bps + 2;
}

/* Returns the port of an end: link 0 begins at end 0. */
static const struct soft_port *port_of(unsigned end)
{
	return sim.links[end].out;
}

static void compare(unsigned end)
{
	const struct hm *engine = &port_of(end)->hm.engine;
	double error;

	if (engine->count == 0)
		return;
	error = (double)hm_average(engine) - truth(end);
	error = error < 0 ? -error : error;
	if (!net.traffic)
		worst = error > worst ? error : worst;
	compared++;
	if (error > HM_AGREE_QUANTA + (net.traffic ? quanta(most_wait_ns()) : 0)) {
		print_link();
		fail_msg("end %u: average %u, truth %.1f quanta", end, hm_average(engine),
			 truth(end));
	}
}

/* --- frames -------------------------------------------------------------------------------- */

/* The link's send_stamped(), which also records the frame and compares the averages so far. */
static struct netio_sent record(struct netio *io, const struct iovec *frame, struct dcb_time now,
				struct netio_stamping *stamping)
{
	struct sim_link *link = (struct sim_link *)io;
	struct end *e = &net.end[link - sim.links];
	struct netio_sent sent = sim_ops->send_stamped(io, frame, now, stamping);
	int64_t wait_ns = link->stamps[stamping->id % SIM_STAMPS].at.ns - now.ns;

	if (e->sent < SENT)
		e->sent_ns[e->sent] = now.ns;
	e->sent++;
	net.wait_ns = wait_ns > net.wait_ns ? wait_ns : net.wait_ns;
	compare(0);
	compare(1);
	return sent;
}

/*
 * Checks each interval between HMPDUs of an end: two for each round trip that has begun, and one of
 * the round trip before; one more if responses are sent alone.
 */
static void assert_pace(unsigned end)
{
	const struct end *e = &net.end[end];
	bool separate = net.end[0].separate || net.end[1].separate;

	assert_true(e->sent >= 2 && e->sent <= SENT);
	for (unsigned i = 0; i < e->sent; i++) {
		for (unsigned k = i; k < e->sent; k++) {
			double trips = (double)(e->sent_ns[k] - e->sent_ns[i]) / round_trip_ns();
			unsigned most = 2 * ((unsigned)trips + 1) + (separate ? 2 : 1);

			if (k - i + 1 > most)
				print_link();
			assert_true(k - i + 1 <= most);
		}
	}
}

/* --- links --------------------------------------------------------------------------------- */

/* Returns the delay of 1 m to 100 km of fiber, each decade with the same probability. */
static int64_t random_delay(struct dcb_rng *rng)
{
	uint32_t limit = 10;

	for (uint32_t decades = dcb_rng_uniform(rng, 0, 4); decades > 0; decades--)
		limit *= 10;
	return dcb_rng_uniform(rng, limit / 10, limit) * (int64_t)NS_A_METER;
}

static void choose(struct dcb_rng *rng)
{
	uint32_t mbps = speed_mbps[dcb_rng_uniform(rng, 0, UNIT_COUNT(speed_mbps) - 1)];

	net = (struct network){.number = net.number,
			       .frame_octets = dcb_rng_uniform(rng, SIM_FRAME_OCTETS_MIN, 9216),
			       .traffic = dcb_rng_uniform(rng, 0, 1)};
	for (unsigned i = 0; i < 2; i++) {
		net.cable.rate[i] = dcb_rate_from_mbps(mbps);
		net.cable.delay_ns[i] = random_delay(rng);
		net.cable.buffer_octets[i] = 200000;
		net.end[i].halt_ns = dcb_rng_uniform(rng, 1, HALT_NS_MAX);
		net.end[i].separate = dcb_rng_uniform(rng, 0, 1);
		net.end[i].up_ns = START_NS;
	}
	if (dcb_rng_uniform(rng, 0, 3) > 0) /* one end is later: up to 20 round trips */
		net.end[dcb_rng_uniform(rng, 0, 1)].up_ns +=
		    (int64_t)(round_trip_ns() * dcb_rng_uniform(rng, 0, 2000) / 100);
}

static void make_nodes(struct dcb_rng *rng)
{
	static const struct {
		enum sim_kind kind;
		const struct sim_node_ops *ops;
	} kinds[] = {{SIM_HOST, &sim_host_ops},
		     {SIM_STATION, &sim_station_ops},
		     {SIM_BRIDGE, &sim_bridge_ops}};

	for (unsigned i = 0; i < 2; i++) {
		/* A bridge has no flows. */
		unsigned kind = dcb_rng_uniform(rng, 0, net.traffic ? 1 : 2);

		snprintf(sim.nodes[i].name, sizeof(sim.nodes[i].name), "n%u", i);
		sim.nodes[i].kind = kinds[kind].kind;
		sim.nodes[i].ops = kinds[kind].ops;
	}
}

static void make_flows(void)
{
	double frame_bits = 8.0 * dcb_wire_octets(net.frame_octets);
	uint64_t bps = (uint64_t)(FRAMES * frame_bits / (EXCHANGES * round_trip_ns() / 1e9));

	for (unsigned i = 0; i < sim.n_flows; i++) {
		struct sim_flow *flow = &sim.flows[i];

		snprintf(flow->name, sizeof(flow->name), "f%u", i);
		flow->from = &sim.nodes[i];
		flow->to = &sim.nodes[!i];
		flow->params = (struct sim_flow_params){
		    .frame_octets = net.frame_octets, .stop_ns = INT64_MAX, .rate.bps = bps};
	}
}

/* Sets the port of one end up or down, as its own PHY. */
static void set_up(unsigned end, bool up)
{
	struct soft_port *port = sim.links[end].out;

	port->base.link.up = up;
	sim_node_link(&sim.nodes[end], port);
}

static void configure(unsigned end)
{
	struct sim_node *node = &sim.nodes[end];
	struct dcb_config *config = dcb_config_copy(node->config);
	struct port_config *pc;

	assert_non_null(config);
	config->generation++;
	pc = dcb_config_edit_port(config, 0);
	assert_non_null(pc);
	pc->pfc_measure.enable = PFC_MEASURE_ALWAYS;
	pc->pfc_measure.halt_ns = net.end[end].halt_ns;
	pc->pfc_measure.separate = net.end[end].separate;
	dcb_config_compute_oper(config);
	sim_node_adopt(node, config);
}

static void start(struct dcb_rng *rng)
{
	static struct netio_ops ops;
	char err[200];

	assert_true(sim_init(&sim, 1, 2, 1, net.traffic ? FLOWS : 0, net.frame_octets));
	make_nodes(rng);
	assert_true(sim_connect(&sim, 0, &sim.nodes[0], &sim.nodes[1], &net.cable));
	make_flows();
	sim_ops = sim.links[0].io.ops;
	ops = *sim_ops;
	ops.send_stamped = record;
	for (unsigned i = 0; i < 2; i++)
		sim.links[i].io.ops = &ops;
	if (!sim_start(&sim, err, sizeof(err)))
		fail_msg("%s", err);
	for (unsigned i = 0; i < 2; i++) {
		set_up(i, false);
		configure(i);
	}
}

static void run_until(int64_t ns)
{
	sim_run_until(&sim, (struct dcb_time){ns});
}

/* Sets both ends up at their times. Returns that of the later one. */
static int64_t go_up(void)
{
	unsigned first = net.end[1].up_ns < net.end[0].up_ns;

	for (unsigned i = 0; i < 2; i++) {
		unsigned end = i ? !first : first;

		run_until(net.end[end].up_ns);
		set_up(end, true);
	}
	return net.end[!first].up_ns;
}

static void assert_measured(unsigned end)
{
	const struct pfc_measure_stats *stats = &port_of(end)->hm.stats;

	if (stats->measure)
		print_link();
	compare(end);
	assert_pace(end);
	assert_false(stats->measure);
	assert_true(stats->count >= HM_ROUND_MIN);
	assert_int_equal(stats->hm.saturated, 0);
	assert_int_equal(stats->clock, NETIO_CLOCK_KERNEL);
	if (net.traffic)
		return;
	assert_int_equal(stats->hm.below + stats->hm.above, 0);
	assert_int_equal(stats->hm.verdict[HM_IMPLAUSIBLE], 0);
}

/*
 * Has both ends measure, then ends the traffic. A response whose expected wait was much longer
 * than the real one is not plausible: then the request is repeated after the maximum round trip.
 */
static void run_link(struct dcb_rng *rng)
{
	double exchange_ns = round_trip_ns() + 2 * most_wait_ns();
	int64_t later;

	start(rng);
	later = go_up();
	run_until(later + (int64_t)(4 * exchange_ns));
	for (unsigned i = 0; i < 2; i++) {
		const struct hm *engine = &port_of(i)->hm.engine;

		if (net.traffic && engine->counters->verdict[HM_IMPLAUSIBLE])
			continue;
		if (engine->count == 0)
			print_link();
		assert_true(engine->count > 0);
	}
	run_until(later + (int64_t)(EXCHANGES * exchange_ns));
	for (unsigned i = 0; i < sim.n_flows; i++) {
		assert_true(sim.flows[i].stats.frames > 0);
		sim.flows[i].params.stop_ns = 0;
	}
	run_until(later + (int64_t)(EXCHANGES * exchange_ns) + HM_ROUND_MAX * PFC_MEASURE_MAX_NS);
	for (unsigned i = 0; i < 2; i++)
		assert_measured(i);
	assert_true((double)net.wait_ns <= most_wait_ns());
	longest_wait_ns = net.wait_ns > longest_wait_ns ? net.wait_ns : longest_wait_ns;
	sim_destroy(&sim);
}

static void test_random_links_are_measured_within_8_quanta(void **state)
{
	uint64_t seed = unit_seed();

	(void)state;
	for (net.number = 0; net.number < LINKS; net.number++) {
		struct dcb_rng rng;

		dcb_rng_seed(&rng, seed, net.number);
		choose(&rng);
		run_link(&rng);
	}
	print_message("%d links, %u averages, largest error %.1f quanta; an HMPDU waited %lld ns\n",
		      LINKS, compared, worst, (long long)longest_wait_ns);
	assert_true(compared >= 4 * LINKS);
	assert_true(longest_wait_ns > 0);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_random_links_are_measured_within_8_quanta),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
