/* SPDX-License-Identifier: BSD-3-Clause */
/* A station: which CNMs it accepts, and how little a forger of CNMs can do. */
#include "lib/octets.h"
#include "lib/rng.h"
#include "tests/unit/station_world.h"
#include "tests/unit/unit.h"

#include <stdlib.h>
#include <string.h>

static struct dcb_rng rng;

static void set_queues(struct lab *l, uint8_t max_rps)
{
	l->port_config.rp_port_pri[CNPV].rppp_max_rps = max_rps;
	configure(l, 1 << CNPV);
}

/* Accepted CNMs are counted, but limit no rate that the next frames would wait for. */
static void keep_rates(struct lab *l, uint8_t max_rps)
{
	l->port_config.rpg[CNPV].rpg_enable = false;
	set_queues(l, max_rps);
}

static void send_in_vlan(struct lab *l, uint64_t to, uint16_t vid, uint32_t len)
{
	host_sends(l, make(to, OURS, TCI(CNPV, vid), 0x88b5, len));
	turn(l);
	assert_true(take(l->wire, &out));
}

static void name(struct cnm *cnm, uint64_t to)
{
	put_be16(cnm->encap_da, (uint16_t)(to >> 32));
	put_be32(cnm->encap_da + 2, (uint32_t)to);
}

/* A CNM about a frame to this address arrives. vid < 0: without C-TAG. Returns whether it counts.
 */
static bool accepts(struct lab *l, uint64_t to, int vid, uint16_t flow_id)
{
	uint64_t received = cnms(l).cnm_received;
	struct cnm cnm = a_cnm;
	uint32_t len;

	name(&cnm, to);
	len = make_cnm(&cnm, OURS, OTHER, flow_id);
	if (vid >= 0)
		len = add_tag(len, (uint16_t)TCI(6, vid));
	wire_brings(l, len);
	return cnms(l).cnm_received > received;
}

/* --- blind forgers ----------------------------------------------------------- */

static uint64_t random_address(void)
{
	uint64_t high = dcb_rng_next(&rng) & 0xfe; /* an individual address */

	return high << 40 | (uint64_t)(dcb_rng_next(&rng) & 0xff) << 32 | dcb_rng_next(&rng);
}

#define VICTIMS 3

static bool all_have_senders(const struct lab *l, const uint64_t to[VICTIMS])
{
	const struct station_pri *pri = &l->port.station->pri[CNPV];

	for (unsigned i = 0; i < VICTIMS; i++)
		if (destinations_sender(&pri->table->senders, pri->destinations->key,
					destination_of(to[i], 1)) < 0)
			return false;
	return true;
}

static void send_to_victim(struct lab *l, uint64_t to, uint16_t flow)
{
	for (unsigned n = 0; n < 100; n++) {
		host_sends(l, make_flow(to, flow, 1500));
		turn(l);
		assert_true(take(l->wire, &out));
	}
}

/*
 * Three flows to three stations, whose addresses the forger does not know. Of several queues, the
 * table of senders, with 1024 places, has that of each: if two stations have the same place in it,
 * there are three others.
 */
static void start_victims(struct lab *l, uint64_t to[VICTIMS], uint8_t max_rps)
{
	set_queues(l, max_rps);
	do {
		for (unsigned i = 0; i < VICTIMS; i++) {
			to[i] = random_address();
			send_to_victim(l, to[i], (uint16_t)i);
		}
	} while (max_rps > 1 && !all_have_senders(l, to));
}

/* Every reaction point has its full rate, and none was ever created. */
static void assert_no_rate_moved(struct lab *l)
{
	for (unsigned i = 1; i <= RPPP_MAX_RPS_LIMIT; i++) {
		struct rp_stats rp = rp_stats(l, i);

		assert_false(rp.rp_enabled);
		assert_int_equal(rp.cnms, 0);
		assert_int_equal(rp.rp_current_rate, 10000 * MBPS);
	}
	assert_int_equal(pri_stats(l).rppp_created_rps, 0);
	assert_int_equal(cnms(l).cnm_received, 0);
}

/* A destination for each of 64 values of a hash, with each flow identifier that a count gives. */
static void test_640_blind_cnms_move_no_rate(void **state)
{
	struct lab *l = *state;
	uint64_t to[VICTIMS];

	start_victims(l, to, 10);
	for (unsigned i = 0; i < 64; i++)
		for (unsigned n = 0; n < 10; n++)
			assert_false(accepts(l, OTHER + i, -1, (uint16_t)(1 + CNPV * 100 + n)));
	assert_no_rate_moved(l);
	assert_int_equal(cnms(l).cnm_unknown_flow, 640);
}

/* A flow identifier that a forger could try: 0, random, those of a count, each. */
static uint16_t guess_flow_id(unsigned i)
{
	switch (i / 4 % 4) {
	case 0:
		return 0;
	case 1:
		return (uint16_t)dcb_rng_next(&rng);
	case 2:
		return (uint16_t)(1 + dcb_rng_next(&rng) % (DCB_PRIORITIES * RPPP_MAX_RPS_LIMIT));
	default:
		return (uint16_t)(i / 16);
	}
}

/* A destination that a forger could try: known to all, one of a series, random. */
static uint64_t guess_destination(unsigned i)
{
	static const uint64_t known[] = {OURS, OTHER, UINT64_C(0xffffffffffff),
					 UINT64_C(0x0180c200000e), UINT64_C(0x01005e000001)};

	if (i % 4 == 0)
		return known[i / 16 % UNIT_COUNT(known)];
	return i % 4 == 1 ? UINT64_C(0x02000000ff00) + i / 16 : random_address();
}

/* A forger who knows the station's address, its CNPV and PVID, sends n CNMs. */
static void forge_blindly(struct lab *l, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		struct cnm cnm = a_cnm;
		uint32_t len;

		cnm.qntz_fb = 63;
		name(&cnm, guess_destination(i));
		len = make_cnm(&cnm, OURS, OTHER, guess_flow_id(i));
		if (i % 3 == 0)
			len = add_tag(len, (uint16_t)TCI(6, i % 9 ? i % 4095 : 1));
		wire_brings(l, len);
	}
}

static void test_a_million_blind_cnms_move_no_rate(void **state)
{
	static const uint8_t max_rps[] = {1, 10};
	struct lab *l = *state;
	uint64_t to[VICTIMS];

	for (unsigned k = 0; k < UNIT_COUNT(max_rps); k++) {
		restart(l, &plenty, &plain);
		start_victims(l, to, max_rps[k]);
		forge_blindly(l, 500000);
		assert_no_rate_moved(l);
		assert_int_equal(cnms(l).cnm_unknown_flow, 500000);
		/* A true CNM for one of these flows is accepted as before. */
		for (unsigned i = 0; i < VICTIMS; i++)
			assert_true(accepts(l, to[i], -1, 0));
	}
}

/* Flow identifiers are not a count: who has not seen one guesses among 65535. */
static void test_flow_identifiers_are_random_and_unique(void **state)
{
	static uint8_t count[0x10000];
	struct station_params params = plenty;
	struct lab *l = *state;
	uint16_t first[2];

	memset(count, 0, sizeof(count));
	for (unsigned p = 0; p < DCB_PRIORITIES; p++) {
		for (unsigned i = 0; i < RPPP_MAX_RPS_LIMIT; i++)
			count[l->port.station->flow_id[p][i]]++;
	}
	assert_int_equal(count[0], 0);
	for (unsigned id = 0, high = 0; id < 0x10000; id++) {
		assert_in_range(count[id], 0, 1);
		high += count[id] && id >= 0x8000;
		if (id == 0xffff)
			assert_in_range(high, 300, 500);
	}
	/* The seed decides; a change of the configuration does not change them. */
	first[0] = flow_id_of(l, 0);
	set_queues(l, 7);
	assert_int_equal(flow_id_of(l, 0), first[0]);
	restart(l, &params, &plain);
	assert_int_equal(flow_id_of(l, 0), first[0]);
	params.seed++;
	restart(l, &params, &plain);
	first[1] = flow_id_of(l, 0);
	assert_int_not_equal(first[0], first[1]);
}

/* --- who knows a destination ------------------------------------------------- */

/* At most a CNM for each 1000 octets and for each frame that the flow sent. */
static void test_a_cnm_for_each_sample_at_most(void **state)
{
	struct lab *l = *state;
	unsigned n = 0;

	keep_rates(l, 1);
	send_in_vlan(l, PEER, 0, 64);
	assert_true(accepts(l, PEER, -1, 0)); /* of the first frame, even if it is short */
	assert_false(accepts(l, PEER, -1, 0));
	assert_int_equal(cnms(l).cnm_excess, 1);
	for (unsigned i = 0; i < 100; i++) {
		send_in_vlan(l, PEER, 0, 104); /* leaves with 104 octets */
		n += accepts(l, PEER, -1, 0);
	}
	assert_int_equal(n, 10);
	for (unsigned i = 0; i < 100; i++) {
		send_in_vlan(l, PEER, 0, 1514);
		assert_true(accepts(l, PEER, -1, 0));
		assert_false(accepts(l, PEER, -1, 0));
	}
	assert_int_equal(cnms(l).cnm_unknown_flow, 0);
	/* CNMs with feedback 0 do not use up what the flow sent. */
	send_in_vlan(l, PEER, 0, 1514);
	for (unsigned i = 0; i < 10; i++) {
		struct cnm cnm = a_cnm;

		n = cnms(l).cnm_received;
		cnm.qntz_fb = 0;
		wire_brings(l, make_cnm(&cnm, OURS, OTHER, 0));
		assert_int_equal(cnms(l).cnm_received, n + 1);
	}
	assert_true(accepts(l, PEER, -1, 0));
}

/* What a flow sent is worth 65 CNMs at most, and none after it is forgotten. */
static void test_samples_are_not_saved_up(void **state)
{
	struct lab *l = *state;
	unsigned n = 0;

	keep_rates(l, 1);
	for (unsigned i = 0; i < 1000; i++)
		send_in_vlan(l, PEER, 0, 1514);
	for (unsigned i = 0; i < 1000; i++)
		n += accepts(l, PEER, -1, 0);
	assert_int_equal(n, UINT16_MAX / DESTINATION_CNM_OCTETS);
	for (unsigned i = 0; i < 1000; i++)
		send_in_vlan(l, PEER, 0, 1514);
	run_ms(l, DESTINATION_SEEN_NS / DCB_NS_PER_MS);
	assert_false(accepts(l, PEER, -1, 0));
	send_in_vlan(l, PEER, 0, 64);
	assert_true(accepts(l, PEER, -1, 0));
	assert_false(accepts(l, PEER, -1, 0));
}

/* Frames to the broadcast address, which is easy to guess, are worth no CNM before 1000 octets. */
static void test_group_destination_needs_octets(void **state)
{
	const uint64_t all = UINT64_C(0xffffffffffff);
	struct lab *l = *state;

	keep_rates(l, 1);
	for (unsigned i = 0; i < 9; i++) {
		send_in_vlan(l, all, 0, 104);
		assert_false(accepts(l, all, -1, 0));
	}
	assert_int_equal(cnms(l).cnm_excess, 9);
	send_in_vlan(l, all, 0, 104);
	assert_true(accepts(l, all, -1, 0));
}

/* --- VLANs ------------------------------------------------------------------- */

/* A CNM comes in the VLAN of the sampled frame; untagged and priority-tagged is the PVID's. */
static void test_cnm_in_another_vlan_is_discarded(void **state)
{
	static const struct {
		uint16_t sent;
		int cnm;
		bool accepted;
	} cases[] = {
	    {0, -1, true},  {0, 0, true},  {0, 5, true},  {0, 1, false}, {0, 7, false},
	    {5, -1, true},  {5, 0, true},  {5, 5, true},  {5, 7, false}, {7, 7, true},
	    {7, -1, false}, {7, 0, false}, {7, 5, false}, {7, 8, false},
	};
	struct port_settings settings = plain;
	struct lab *l = *state;

	settings.pvid = 5;
	for (unsigned tagged = 0; tagged < 2; tagged++) {
		settings.pvid_tagged = tagged;
		for (unsigned i = 0; i < UNIT_COUNT(cases); i++) {
			restart(l, &plenty, &settings);
			set_queues(l, i % 2 ? 20 : 1);
			send_in_vlan(l, PEER, cases[i].sent, 1000);
			assert_int_equal(accepts(l, PEER, cases[i].cnm, 0), cases[i].accepted);
			assert_int_equal(cnms(l).cnm_unknown_flow, !cases[i].accepted);
		}
	}
}

/* --- true CNMs --------------------------------------------------------------- */

/* CNMs of a bridge that returns no headers, with several flow queues and destinations. */
static void test_true_cnms_find_each_flow_and_destination(void **state)
{
	struct lab *l = *state;
	uint64_t to[200];

	keep_rates(l, 100);
	for (unsigned i = 0; i < UNIT_COUNT(to); i++) {
		unsigned queue = 0;

		to[i] = random_address();
		host_sends(l, make_flow(to[i], (uint16_t)i, 300));
		while (dcb_queue_is_empty(&fq_of(l, queue)->queue))
			queue++;
		turn(l);
		assert_true(take(l->wire, &out));
		assert_true(accepts(l, to[i], -1, flow_id_of(l, queue)));
		send_in_vlan(l, to[i], 0, 1000);
	}
	for (unsigned i = 0; i < UNIT_COUNT(to); i++) {
		host_sends(l, make_flow(to[i], (uint16_t)i, 1000));
		turn(l);
		assert_true(accepts(l, to[i], -1, 0));
	}
	assert_int_equal(cnms(l).cnm_unknown_flow + cnms(l).cnm_excess, 0);
}

/* 10000 destinations in one flow queue, in turns: the sampled frame is a recent one. */
static void test_cnms_of_10000_destinations_are_accepted(void **state)
{
	enum { N = 10000, LATE = 1000 };
	static uint64_t to[N];
	struct lab *l = *state;
	unsigned remembered = 0;

	keep_rates(l, 1);
	for (unsigned i = 0; i < N; i++)
		to[i] = i % 2 ? random_address() : UINT64_C(0x0200000a0000) + i;
	for (unsigned i = 0; i < 2 * N; i++) {
		send_in_vlan(l, to[i % N], 0, 1000);
		l->now.ns += DCB_NS_PER_US;
		if (i >= LATE && i % 100 == 0) /* 1 ms later */
			remembered += accepts(l, to[(i - LATE) % N], -1, 0);
	}
	assert_in_range(remembered, 190 * 99 / 100, 190);
	/* Most are remembered; a CNM for one of the others is discarded. */
	remembered = 0;
	for (unsigned i = 0; i < N; i++)
		remembered += accepts(l, to[i], -1, 0);
	assert_in_range(remembered, N * 9 / 10, N);
	for (unsigned i = 0; i < 1000; i++)
		assert_false(accepts(l, random_address(), -1, 0));
}

/* Ten times as many destinations as the table holds displace the oldest ones only. */
static void test_more_destinations_displace_the_oldest(void **state)
{
	enum { N = 10 * DESTINATION_SETS * DESTINATION_WAYS };
	struct destinations *d = destinations_new(0);
	struct dcb_time now = {DCB_NS_PER_S};
	unsigned kept = 0;

	(void)state;
	assert_non_null(d);
	d->key = random_address() << 16 | dcb_rng_next(&rng);
	for (uint64_t i = 1; i <= N; i++) {
		now.ns += 10 * DCB_NS_PER_US;
		destinations_sent(d, destination_of(i, 1), 0, 1000, 0, now);
		assert_int_equal(destinations_accept(d, destination_of(i, 1), 0, false, now),
				 DESTINATION_ACCEPTED);
	}
	for (uint64_t i = N - 1000; i <= N; i++)
		kept += destinations_accept(d, destination_of(i, 1), 0, true, now) ==
			DESTINATION_ACCEPTED;
	assert_in_range(kept, 990, 1001);
	free(d);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    TEST(test_640_blind_cnms_move_no_rate),
	    TEST(test_a_million_blind_cnms_move_no_rate),
	    TEST(test_flow_identifiers_are_random_and_unique),
	    TEST(test_a_cnm_for_each_sample_at_most),
	    TEST(test_samples_are_not_saved_up),
	    TEST(test_group_destination_needs_octets),
	    TEST(test_cnm_in_another_vlan_is_discarded),
	    TEST(test_true_cnms_find_each_flow_and_destination),
	    TEST(test_cnms_of_10000_destinations_are_accepted),
	    TEST(test_more_destinations_displace_the_oldest),
	};

	dcb_rng_seed(&rng, unit_seed(), 1);
	return cmocka_run_group_tests_name("station_cnm", tests, NULL, NULL);
}
