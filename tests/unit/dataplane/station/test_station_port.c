/* SPDX-License-Identifier: BSD-3-Clause */
/* A station: effect of PFC, watchdog and other flows on flow queues. */
#include "dataplane/core/pfc_pdu.h"
#include "lib/octets.h"
#include "tests/unit/station_world.h"
#include "tests/unit/unit.h"

#include <stdio.h>
#include <string.h>

#define OTHER_PRIORITY 5 /* not a CNPV */

/* --- PFC ------------------------------------------------------------------- */

/* 32.13.7: reaction points are frozen while PFC pauses the priority. */
static void test_pause_freezes_reaction_points(void **state)
{
	struct lab *l = *state;
	struct rp before;

	know_peer(l);
	slow_down(l, 63);
	run_ms(l, 1);
	port_pause(&l->port, 1 << CNPV, l->now);
	turn(l);
	assert_true(fq_of(l, 0)->rp.rp_freeze);
	before = fq_of(l, 0)->rp;
	run_ms(l, 1000);
	assert_memory_equal(&fq_of(l, 0)->rp, &before, sizeof(before));
	assert_int_equal(pri_stats(l).rppp_rp_centiseconds, 100);
	for (int i = 0; i < 100; i++)
		host_sends(l, make_flow(PEER, 1, 1500));
	run_ms(l, 100);
	assert_false(take(l->wire, &out));
	assert_int_equal(l->port.cn.cp_stats[CNPV].cp_transmitted_cnms, 0);
	port_pause(&l->port, 0, l->now);
	run_ms(l, 2000);
	assert_false(rp_stats(l, 1).rp_enabled);
	assert_int_equal(rp_stats(l, 1).queue_octets, 0);
}

/* RpWhile continues when the pause ends, also if the flow queue is empty. */
static void test_rp_while_continues_after_pause(void **state)
{
	struct lab *l = *state;

	know_peer(l);
	slow_down(l, 63);
	run_ms(l, 1);
	port_pause(&l->port, 1 << CNPV, l->now);
	run_ms(l, 100);
	assert_true(rp_stats(l, 1).rp_enabled);
	port_pause(&l->port, 0, l->now);
	run_ms(l, 2000);
	assert_false(rp_stats(l, 1).rp_enabled);
}

static void pfc_comes(struct lab *l, uint16_t quanta)
{
	struct pfc_pdu pdu = {.source = {2, 0, 0, 0, 0, 2}, .enable = 1 << CNPV};
	uint8_t frame[PFC_FRAME_OCTETS];

	pdu.time[CNPV] = quanta;
	pfc_pdu_encode(&pdu, frame);
	station_receive(&l->st, &l->port, frame, sizeof(frame), sizeof(frame), l->now);
	turn(l);
}

/* A PFC frame freezes the reaction points until its time expires. */
static void test_pfc_frame_freezes_until_expiry(void **state)
{
	struct lab *l = *state;
	struct dcb_time start;
	struct rp before;

	l->port_config.pfc.enable = 1 << CNPV;
	configure(l, 1 << CNPV);
	know_peer(l);
	slow_down(l, 63);
	run_ms(l, 1);
	start = l->now;
	pfc_comes(l, 50000); /* 2.56 ms */
	assert_true(fq_of(l, 0)->rp.rp_freeze);
	before = fq_of(l, 0)->rp;
	host_sends(l, make_flow(PEER, 1, 1500));
	run_until(l, dcb_time_add_ns(start, 2559999));
	assert_memory_equal(&fq_of(l, 0)->rp, &before, sizeof(before));
	assert_false(take(l->wire, &out));
	assert_int_equal(l->next.ns, start.ns + 2560000);
	l->now = l->next;
	turn(l);
	assert_false(fq_of(l, 0)->rp.rp_freeze);
	assert_true(take(l->wire, &out));
	assert_int_equal(l->port.pfc.stats[CNPV].pfc_transitions, 1);
	assert_int_equal(l->port.pfc.stats[CNPV].pfc_paused_ns, 2560000);
	/* XON, and a link that goes down. */
	pfc_comes(l, 50000);
	assert_true(fq_of(l, 0)->rp.rp_freeze);
	pfc_comes(l, 0);
	assert_false(fq_of(l, 0)->rp.rp_freeze);
	pfc_comes(l, 50000);
	station_port_down(&l->st, &l->port, l->now);
	station_port_up(&l->st, &l->port, l->now);
	host_sends(l, make_flow(PEER, 1, 1500));
	turn(l);
	assert_true(take(l->wire, &out));
	assert_false(fq_of(l, 0)->rp.rp_freeze);
}

/* Pauses by PFC for this time, with refreshes. Returns the number of frames sent. */
static unsigned storm_ms(struct lab *l, unsigned ms)
{
	unsigned n = 0;

	for (unsigned i = 0; i < ms; i++) {
		pfc_comes(l, 65535);
		run_ms(l, 1);
		while (take(l->wire, &out))
			n++;
	}
	return n;
}

/* The watchdog drops or forwards frames that wait in flow queues. */
static void test_watchdog_drops_and_forwards_flow_queues(void **state)
{
	struct lab *l = *state;
	struct pfc_watchdog_stats stats;

	for (unsigned action = PFC_WATCHDOG_DROP; action <= PFC_WATCHDOG_FORWARD; action++) {
		bool drops = action == PFC_WATCHDOG_DROP;

		l->port_config.pfc.enable = 1 << CNPV;
		l->port_config.pfc_watchdog[CNPV] = (struct pfc_watchdog_config){
		    .action = (uint8_t)action, .detection_ms = 100, .restoration_ms = 200};
		configure(l, 1 << CNPV);
		know_peer(l);
		while (take(l->wire, &out))
			;
		assert_int_equal(storm_ms(l, 5), 0);
		for (int i = 0; i < 40; i++)
			host_sends(l, make_flow(PEER, 1, 1500));
		assert_int_equal(storm_ms(l, 95), 0);
		assert_int_equal(storm_ms(l, 30), drops ? 0 : 40);
		port_read_pfc_watchdog(&l->port, CNPV, &stats);
		assert_int_equal(stats.state, PFC_WATCHDOG_STORM);
		assert_int_equal(stats.dropped_storm, drops ? 40 : 0);
		assert_int_equal(rp_stats(l, 1).queue_octets, 0);
		host_sends(l, make_flow(PEER, 1, 1500));
		assert_int_equal(storm_ms(l, 300), drops ? 0 : 1);
		port_read_pfc_watchdog(&l->port, CNPV, &stats);
		assert_int_equal(stats.dropped_storm, drops ? 41 : 0);
		run_ms(l, 250);
		port_read_pfc_watchdog(&l->port, CNPV, &stats);
		assert_int_equal(stats.state, PFC_WATCHDOG_WATCHING);
		assert_int_equal(stats.storms, drops ? 1 : 2);
		host_sends(l, make_flow(PEER, 1, 1500));
		run_ms(l, 1);
		assert_true(take(l->wire, &out));
	}
}

/* LLDP frames of the host bypass pauses, reaction points and full queues. */
static void test_control_is_not_paused(void **state)
{
	struct port_settings settings = plain;
	struct lab *l = *state;

	settings.buffer_octets = 4000;
	settings.default_priority = CNPV;
	restart(l, &plenty, &settings);
	l->port_config.pfc.enable = 0xff;
	configure(l, 0);
	pfc_comes(l, 65535);
	for (int i = 0; i < 10; i++)
		host_sends(l, make_flow(PEER, 1, 1500));
	turn(l);
	assert_false(take(l->wire, &out));
	host_sends(l, make(UINT64_C(0x0180c200000e), OURS, -1, ETH_TYPE_LLDP, 200));
	turn(l);
	assert_true(take(l->wire, &out));
	assert_int_equal(out.view.ethertype, ETH_TYPE_LLDP);
	assert_false(out.view.tagged);
	assert_false(take(l->wire, &out));
	configure(l, 1 << CNPV);
	host_sends(l, make(UINT64_C(0x0180c200000e), OURS, -1, ETH_TYPE_LLDP, 200));
	turn(l);
	assert_true(take(l->wire, &out));
	assert_int_equal(out.view.ethertype, ETH_TYPE_LLDP);
	assert_false(out.view.tagged);
}

/* --- sharing the port ------------------------------------------------------ */

/* Ten flows fill a slow port; one of them is rate-limited. */
static void test_flows_share_slow_port_equally(void **state)
{
	struct port_settings settings = plain;
	struct lab *l = *state;
	uint64_t before[100], least = UINT64_MAX, most = 0;

	settings.rate = dcb_rate_from_mbps(1000);
	restart(l, &plenty, &settings);
	l->port_config.rp_port_pri[CNPV].rppp_max_rps = 100;
	configure(l, 1 << CNPV);
	for (int ms = 0; ms < 200; ms++) {
		for (int i = 0; i < 10; i++) {
			for (uint16_t flow = 0; flow < 10; flow++)
				host_sends(l, make_flow(PEER, flow, 1500));
		}
		run_ms(l, 1);
		while (take(l->wire, &out))
			;
		for (unsigned i = 0; i < 100 && ms == 100; i++)
			before[i] = rp_stats(l, i + 1).frames;
	}
	for (unsigned i = 0; i < 100; i++) {
		uint64_t n = rp_stats(l, i + 1).frames - before[i];

		if (n > 0) {
			least = n < least ? n : least;
			most = n > most ? n : most;
		}
	}
	assert_in_range(most - least, 0, 1);
	assert_int_equal(l->port.cn.cp_stats[CNPV].cp_discarded_frames, 0);
	assert_int_equal(l->port.cn.cp_stats[CNPV].cp_transmitted_cnms, 0);
	assert_true(l->port.cn.cp_stats[CNPV].cp_qlen_peak <= 26000 / 3 + 1508);
}

/*
 * Flow queues fill the port's queue up to cpQSp / (1 + cpW), which its congestion point
 * does not take for congestion.
 */
static void test_port_queue_stays_below_set_point(void **state)
{
	static const struct {
		int8_t cp_w_exp;
		uint32_t limit;
	} rows[] = {{1, 8666}, {2, 5200}, {3, 2888}, {0, 13000}, {-1, 17333}, {-2, 20800}};
	struct lab *l = *state;

	for (unsigned i = 0; i < UNIT_COUNT(rows); i++) {
		const uint32_t len = 496, most = rows[i].limit;

		restart(l, &plenty, &plain);
		l->port_config.cp[CNPV].cp_w_exp = rows[i].cp_w_exp;
		configure(l, 1 << CNPV);
		l->port.blocked = true;
		for (int n = 0; n < 60; n++)
			host_sends(l, make_flow(PEER, 1, len));
		turn(l);
		assert_in_range(port_queue(&l->port, CNPV)->octets, most - len - ETH_TAG_OCTETS + 1,
				most);
		l->port.blocked = false;
	}
}

/* The limit includes a CN-TAG that may be added. */
static void test_push_limit_includes_cn_tag(void **state)
{
	static const struct {
		uint32_t len, frames;
	} rows[] = {{8666 / 5, 4}, {8666 / 5 - 1, 5}};
	struct lab *l = *state;

	for (unsigned i = 0; i < UNIT_COUNT(rows); i++) {
		restart(l, &plenty, &plain);
		l->port.blocked = true;
		for (int n = 0; n < 10; n++)
			host_sends(l, make_flow(PEER, 1, rows[i].len));
		turn(l);
		assert_int_equal(port_queue(&l->port, CNPV)->frames, rows[i].frames);
		l->port.blocked = false;
	}
}

/* A queue does not exceed the port's buffer, but an empty one takes a frame of any length. */
static void test_flow_queues_stay_within_port_buffer(void **state)
{
	/* The limit includes a CN-TAG that may be added to the last frame. */
	static const struct {
		uint32_t buffer, frames;
	} rows[] = {{500, 1}, {3003, 2}, {3004, 3}, {4003, 3}, {4004, 4}};
	struct port_settings settings = plain;
	struct lab *l = *state;

	for (unsigned i = 0; i < UNIT_COUNT(rows); i++) {
		unsigned sent = 0;

		settings.buffer_octets = rows[i].buffer;
		restart(l, &plenty, &settings);
		l->port.blocked = true;
		for (int n = 0; n < 8; n++)
			host_sends(l, make_flow(PEER, 1, 1000));
		turn(l);
		assert_int_equal(port_queue(&l->port, CNPV)->frames, rows[i].frames);
		l->port.blocked = false;
		turn(l);
		while (take(l->wire, &out))
			sent++;
		assert_int_equal(sent, 8);
	}
}

/*
 * A paused priority without flow queues holds as many octets as one priority may: those
 * of another priority are sent.
 */
static void test_paused_priority_does_not_stop_flow_queues(void **state)
{
	struct port_settings settings = plain;
	struct lab *l = *state;
	unsigned sent = 0;

	settings.buffer_octets = 20000;
	restart(l, &plenty, &settings);
	port_pause(&l->port, 1 << OTHER_PRIORITY, l->now);
	while (port_stats(l).discard_queue == 0)
		host_sends(l, make(PEER, OURS, TCI(OTHER_PRIORITY, 0), 0x88b5, 1000));
	for (int n = 0; n < 40; n++)
		host_sends(l, make_flow(PEER, 1, 1000));
	turn(l);
	while (take(l->wire, &out))
		sent += out.view.priority == CNPV;
	assert_int_equal(sent, 40);
}

#define FLOWS 4

/* Creates flows 1 to FLOWS, each with the reaction point of the same number. */
static void start_flows(struct lab *l, const struct port_settings *settings)
{
	struct flow_rules flows = {.n = FLOWS};
	struct station_params params = plenty;

	for (uint8_t i = 0; i < FLOWS; i++) {
		flows.rule[i] = (struct flow_rule){
		    .match = FLOW_SOURCE_PORT, .source_port = i + 1u, .reaction_point = i + 1u};
	}
	params.flows = &flows;
	restart(l, &params, settings);
	l->port_config.rp_port_pri[CNPV].rppp_max_rps = FLOWS;
	configure(l, 1 << CNPV);
	for (uint16_t flow = 1; flow <= FLOWS; flow++)
		host_sends(l, make_flow(PEER, flow, 100));
	turn(l);
	while (take(l->wire, &out))
		;
}

static void limit_flow(struct lab *l, unsigned flow)
{
	earn_cnm(l, PEER, flow - 1);
	wire_brings(l, make_cnm(&a_cnm, OURS, OTHER, flow_id_of(l, flow - 1)));
}

static void assert_sends(struct lab *l, const char *flows)
{
	char sent[64] = "";

	for (unsigned n = 0; take(l->wire, &out); n++) {
		assert_true(n + 1 < sizeof(sent));
		sent[n] = (char)('0' + get_be16(out.octets + 38));
	}
	assert_string_equal(sent, flows);
}

static void queue_frames(struct lab *l, const char *flows)
{
	for (; *flows; flows++)
		host_sends(l, make_flow(PEER, (uint16_t)(*flows - '0'), 100));
}

/* Flows send a frame each in turns, in the order in which they became ready. */
static void test_flows_send_in_turns(void **state)
{
	struct lab *l = *state;

	start_flows(l, &plain);
	queue_frames(l, "111234433");
	turn(l);
	assert_sends(l, "123413413");
	queue_frames(l, "4444");
	turn(l);
	assert_sends(l, "4444");
	queue_frames(l, "2211");
	turn(l);
	assert_sends(l, "2121");
	/* Frames discarded by a link that went down do not affect the order. */
	queue_frames(l, "123412");
	station_port_down(&l->st, &l->port, l->now);
	station_port_up(&l->st, &l->port, l->now);
	queue_frames(l, "3144");
	turn(l);
	assert_sends(l, "3144");
}

/* A flow that becomes rate-limited is the last of its round, then waits; others do not. */
static void test_limited_flow_waits_for_its_limiter(void **state)
{
	static const char *const others[] = {"", "234234234", "134134134", "124124124",
					     "123123123"};
	struct lab *l = *state;

	for (unsigned flow = 1; flow <= FLOWS; flow++) {
		char want[11];

		(void)snprintf(want, sizeof(want), "%.3s%u%s", others[flow], flow,
			       others[flow] + 3);
		start_flows(l, &plain);
		queue_frames(l, "123412341234");
		limit_flow(l, flow);
		turn(l);
		assert_sends(l, want);
		run_ms(l, 1);
		(void)snprintf(want, sizeof(want), "%u%u", flow, flow);
		assert_sends(l, want);
		/* All flows are rate-limited and have frames again. */
		for (unsigned other = 1; other <= FLOWS; other++)
			limit_flow(l, other);
		queue_frames(l, "4321");
		run_ms(l, 1);
		assert_sends(l, "4321");
		assert_true(rp_stats(l, flow).rp_enabled);
	}
}

/*
 * A slow port with a short queue reaches its rate even if station_transmit() is called
 * only once in a millisecond; an idle port accumulates no rate.
 */
static void test_late_calls_do_not_reduce_rate(void **state)
{
	struct port_settings settings = plain;
	struct lab *l = *state;
	unsigned n = 0;

	settings.rate = dcb_rate_from_mbps(200);
	restart(l, &plenty, &settings);
	l->now.ns += DCB_NS_PER_S;
	for (int ms = 0; ms <= 100; ms++) {
		for (int i = 0; i < 30; i++)
			host_sends(l, make_flow(PEER, 1, 1510));
		turn(l);
		while (take(l->wire, &out))
			n++;
		if (ms == 0)
			assert_int_equal(n, 1);
		l->now.ns += DCB_NS_PER_MS;
	}
	/* 61.36 us for each frame. */
	assert_in_range(n, 1629, 1631);
}

/* Rate-limited flows exceed the port rate: the port's own congestion point slows them down. */
static void test_own_cp_limits_flows_above_port_rate(void **state)
{
	struct port_settings settings = plain;
	struct lab *l = *state;
	uint64_t sum = 0;

	settings.rate = dcb_rate_from_mbps(1000);
	restart(l, &plenty, &settings);
	l->port_config.rp_port_pri[CNPV].rppp_max_rps = 2;
	configure(l, 1 << CNPV);
	host_sends(l, make_flow(PEER, 1, 100));
	host_sends(l, make_flow(PEER, 2, 100));
	host_sends(l, make_flow(PEER, 3, 100));
	host_sends(l, make_flow(PEER, 4, 100));
	turn(l);
	assert_true(fq_of(l, 0)->used && fq_of(l, 1)->used);
	for (uint16_t i = 0; i < 2; i++)
		wire_brings(l, make_cnm(&a_cnm, OURS, OTHER, flow_id_of(l, i)));
	for (int ms = 0; ms < 300; ms++) {
		for (int i = 0; i < 100; i++)
			host_sends(l, make_flow(PEER, (uint16_t)(i % 4 + 1), 1500));
		run_ms(l, 1);
		while (take(l->wire, &out))
			sum += ms >= 200 ? dcb_wire_octets(out.len) : 0;
	}
	assert_true(l->port.cn.cp_stats[CNPV].cp_transmitted_cnms > 0);
	assert_int_equal(l->port.cn.cp_stats[CNPV].cp_discarded_frames, 0);
	assert_true(rp_stats(l, 1).cnms > 1 && rp_stats(l, 2).cnms > 1);
	assert_true(sum * 8 * 10 > 950 * MBPS);
}

/* If another flow is not limited, the congestion point generates no CNM for limited flows. */
static void test_no_own_cnm_beside_unlimited_flow(void **state)
{
	struct port_settings settings = plain;
	struct lab *l = *state;
	unsigned n[FLOWS + 1] = {0};

	settings.rate = dcb_rate_from_mbps(1000);
	start_flows(l, &settings);
	for (int ms = 0; ms < 100; ms++) {
		limit_flow(l, 1);
		for (int i = 0; i < 300; i++)
			host_sends(l, make_flow(PEER, (uint16_t)(i % 3 + 1), 1500));
		run_ms(l, 1);
		while (take(l->wire, &out))
			n[get_be16(out.octets + 38)]++;
	}
	assert_true(rp_stats(l, 1).rp_enabled);
	assert_int_equal(l->port.cn.cp_stats[CNPV].cp_transmitted_cnms, 0);
	assert_true(n[1] > 0 && n[1] < n[2]);
	assert_in_range(n[2], n[3] - 1, n[3] + 1);
}

/* Returns whether flow queues of the CNPV wait for room in the port's queue, all of them limited.
 */
static bool is_contended(const struct lab *l)
{
	const struct station_pri *pri = &l->port.station->pri[CNPV];

	return pri->ready && !pri->ready_unlimited;
}

/*
 * Limited flow queues wait for room in the port's queue for STATION_CATCH_UP_NS, and then all their
 * frames go to it. The wait begins again after none of them waited, or another one was not limited.
 */
static void test_limited_flows_wait_before_they_exceed_push_limit(void **state)
{
	const uint32_t limit = 8666; /* as in test_port_queue_stays_below_set_point() */
	const struct dcb_queue *queue;
	struct port_settings settings = plain;
	struct lab *l = *state;
	struct dcb_rng rng;
	int64_t since_ns = -1;
	unsigned exceeded = 0, waits = 0;

	dcb_rng_seed(&rng, 1, 1);
	settings.rate = dcb_rate_from_mbps(100);
	start_flows(l, &settings);
	queue = port_queue(&l->port, CNPV);
	for (unsigned step = 0; step < 20000; step++) {
		uint64_t before = queue->octets;

		for (uint16_t flow = 1; flow < FLOWS; flow++) {
			if (step % 500 == 0)
				limit_flow(l, flow);
			if (step % 5 == 0)
				host_sends(l, make_flow(PEER, flow, 1000));
		}
		if (dcb_rng_next(&rng) % 256 == 0)
			host_sends(l, make_flow(PEER, FLOWS, 1000));
		turn(l);
		while (take(l->wire, &out))
			;
		if (queue->octets > limit && queue->octets > before) {
			assert_true(since_ns >= 0);
			assert_true(l->now.ns - since_ns >= STATION_CATCH_UP_NS);
			exceeded++;
		} else if (!is_contended(l)) {
			since_ns = -1;
		} else if (since_ns < 0) {
			since_ns = l->now.ns;
			waits++;
		}
		assert_true(!is_contended(l) || l->now.ns - since_ns < STATION_CATCH_UP_NS);
		l->now.ns += 20 * DCB_NS_PER_US;
	}
	assert_true(exceeded > 0 && waits > exceeded);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    TEST(test_pause_freezes_reaction_points),
	    TEST(test_rp_while_continues_after_pause),
	    TEST(test_pfc_frame_freezes_until_expiry),
	    TEST(test_watchdog_drops_and_forwards_flow_queues),
	    TEST(test_control_is_not_paused),
	    TEST(test_flows_share_slow_port_equally),
	    TEST(test_port_queue_stays_below_set_point),
	    TEST(test_push_limit_includes_cn_tag),
	    TEST(test_flow_queues_stay_within_port_buffer),
	    TEST(test_paused_priority_does_not_stop_flow_queues),
	    TEST(test_flows_send_in_turns),
	    TEST(test_limited_flow_waits_for_its_limiter),
	    TEST(test_late_calls_do_not_reduce_rate),
	    TEST(test_own_cp_limits_flows_above_port_rate),
	    TEST(test_no_own_cnm_beside_unlimited_flow),
	    TEST(test_limited_flows_wait_before_they_exceed_push_limit),
	};

	return cmocka_run_group_tests_name("station_port", tests, NULL, NULL);
}
