/* SPDX-License-Identifier: BSD-3-Clause */
/* ETS on an end station whose host sends more than the port rate. */
#include "tests/unit/station_world.h"
#include "tests/unit/unit.h"

#include <limits.h>

#define RATE   (100 * MBPS)
#define LEN(p) ((p) ? 1400 : 200) /* frame length; priority 0 has short frames */

/* Classes 0, 1 and 2 use ETS, class 7 strict priority. */
static const struct ets_tables tables = {
    .priority_tc = {0, 1, 2, 3, 4, 5, 6, 7},
    .bandwidth = {50, 30, 20},
    .tsa = {TSA_ETS, TSA_ETS, TSA_ETS},
};

static uint64_t octets[DCB_PRIORITIES]; /* sent, on the wire */

static void share(struct lab *l, uint8_t cnpvs)
{
	static struct port_settings settings;

	settings = plain;
	settings.rate = (struct dcb_rate){RATE};
	restart(l, &plenty, &settings);
	l->port_config.dcbx.ets = tables;
	configure(l, cnpvs);
}

static uint32_t make_of(unsigned priority)
{
	uint32_t len = make(PEER, OURS, TCI((int)priority, 0), 0x88b5, LEN(priority));

	f[18] = (uint8_t)priority; /* the station may remove the tag */
	return len;
}

/* The host always has frames of these priorities, for flow queues or the port's queues. */
static void offer(struct lab *l, uint8_t priorities)
{
	for (unsigned p = 0; p < DCB_PRIORITIES; p++) {
		const struct station_pri *pri = &l->port.station->pri[p];
		const struct dcb_queue *queue = port_queue(&l->port, p);

		while (priorities >> p & 1 && pri->queued * LEN(p) + queue->octets < 60000)
			host_sends(l, make_of(p));
	}
}

static void collect(struct lab *l)
{
	while (take(l->wire, &out))
		octets[out.octets[out.view.payload_offset]] += dcb_wire_octets(out.len);
}

/* Calls station_transmit() late by late_ns, as on a busy host: the port has to catch up. */
static void run(struct lab *l, uint8_t priorities, unsigned ms, int64_t late_ns)
{
	struct dcb_time end = dcb_time_add_ns(l->now, ms * DCB_NS_PER_MS);

	memset(octets, 0, sizeof(octets));
	while (dcb_time_before(l->now, end)) {
		offer(l, priorities);
		turn(l);
		collect(l);
		l->next = dcb_time_min(l->next, dcb_time_add_ns(l->now, DCB_NS_PER_MS));
		l->now = dcb_time_min(dcb_time_add_ns(l->next, late_ns), end);
	}
}

static void assert_share(unsigned ms, uint64_t sent, double expected)
{
	double percent = 100.0 * (double)sent / ((double)RATE / 8 * ms / 1000);

	print_message("%.2f %% of %.2f\n", percent, expected);
	assert_true(percent > expected - 0.5 && percent < expected + 0.5);
}

/* On time, and late by more than the port's queues can bridge. */
static void test_shares_follow_bandwidths(void **state)
{
	struct lab *l = *state;

	for (unsigned late = 0; late < 2; late++) {
		share(l, 7);
		run(l, 7, 1000, late * 3 * DCB_NS_PER_MS);
		assert_share(1000, octets[0], 50);
		assert_share(1000, octets[1], 30);
		assert_share(1000, octets[2], 20);
		share(l, 7);
		run(l, 3, 1000, late * 3 * DCB_NS_PER_MS);
		assert_share(1000, octets[0], 62.5);
		assert_share(1000, octets[1], 37.5);
	}
}

/* A strict class is sent first, ETS classes share the rest. */
static void test_strict_class_is_sent_first(void **state)
{
	struct lab *l = *state;
	uint64_t sum[DCB_PRIORITIES] = {0};
	double left = 1 - 1000 * 8 * (LEN(7) + 24.0) / RATE;

	share(l, 3); /* 2 is no CNPV: its frames are in the queue of the port */
	for (unsigned i = 0; i < 1000; i++) {
		host_sends(l, make_of(7));
		run(l, 7, 1, 0);
		for (unsigned p = 0; p < DCB_PRIORITIES; p++)
			sum[p] += octets[p];
	}
	assert_int_equal(sum[7], 1000 * (LEN(7) + 24));
	assert_share(1000, sum[0], 50 * left);
	assert_share(1000, sum[1], 30 * left);
	assert_share(1000, sum[2], 20 * left);
}

/* A rate-limited flow gets its rate, other classes share the rest. */
static void test_limited_flow_gets_its_rate(void **state)
{
	struct lab *l = *state;
	struct ets_tables t = tables;

	share(l, 1 << CNPV);
	t.tsa[3] = TSA_ETS;
	t.bandwidth[0] = 10;
	t.bandwidth[3] = 40;
	l->port_config.dcbx.ets = t;
	l->port_config.rpg[CNPV].rpg_max_rate_is_set = true;
	l->port_config.rpg[CNPV].rpg_max_rate = 10;
	configure(l, 1 << CNPV);
	know_peer(l);
	slow_down(l, 1);
	run(l, 1 << 1 | 1 << 2 | 1 << CNPV, 1000, 0);
	print_message("limited: %.2f %%\n", 100.0 * (double)octets[CNPV] / ((double)RATE / 8));
	assert_in_range(octets[CNPV] * 8, 1, 11 * MBPS);
	assert_share(1000, octets[1], 60 * (1 - (double)octets[CNPV] * 8 / (double)RATE));
	assert_share(1000, octets[2], 40 * (1 - (double)octets[CNPV] * 8 / (double)RATE));
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    TEST(test_shares_follow_bandwidths),
	    TEST(test_strict_class_is_sent_first),
	    TEST(test_limited_flow_gets_its_rate),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
