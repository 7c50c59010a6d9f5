/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random links whose round trip is known: every average of either station is
 * within 8 quanta of it (36.9.1), there is one after four round trips from the
 * later link-up, and no station sends more than two PDUs a round trip.
 */
#include "tests/unit/hm_world.h"
#include "tests/unit/unit.h"

#include <string.h>

#define LINKS 1000

static const uint32_t speed_mbps[] = {100,   1000,  2500,   5000,   10000,  25000,
				      40000, 50000, 100000, 200000, 400000, 800000};

static struct hm_world w;
static unsigned link_number, compared;
static int64_t worst;
static uint64_t busy;

static void print_link(void)
{
	print_message("%s\nlink %u: %llu b/s, %lld ns and %lld ns one way\n", w.trace, link_number,
		      (unsigned long long)w.rate.bps, (long long)w.end[0].wire_ns,
		      (long long)w.end[1].wire_ns);
}

static void compare(struct hm_world *world, unsigned end)
{
	int64_t truth = hm_world_truth(world, end);
	int64_t error = hm_average(&world->end[end].hm) - truth;

	error = error < 0 ? -error : error;
	worst = error > worst ? error : worst;
	compared++;
	if (error > HM_AGREE_QUANTA) {
		print_link();
		print_message("average %u, truth %lld\n", hm_average(&world->end[end].hm),
			      (long long)truth);
	}
	assert_true(error <= HM_AGREE_QUANTA);
}

/* Returns 1 m to 100 km, each decade with the same probability, as a delay of 5 ns a meter. */
static int64_t random_wire_ns(struct dcb_rng *rng)
{
	uint32_t limit = 10;

	for (uint32_t decades = dcb_rng_uniform(rng, 0, 4); decades > 0; decades--)
		limit *= 10;
	return dcb_rng_uniform(rng, limit / 10, limit) * INT64_C(5);
}

/*
 * Returns a delay at random, up to 1 us and at most 1000 quanta, so that the
 * adjustments fit into 16 bits at any speed.
 */
static uint32_t random_delay_ns(struct dcb_rng *rng, struct dcb_rate rate)
{
	int64_t most = hm_quanta_to_ns(rate, 1000);

	return dcb_rng_uniform(rng, 0, most < 1000 ? (uint32_t)most : 1000);
}

static void random_end(struct dcb_rng *rng, struct hm_end *e, struct dcb_rate rate)
{
	e->settings.initiate_ns = random_delay_ns(rng, rate);
	e->settings.halt_ns = random_delay_ns(rng, rate);
	e->settings.transmit_ns = random_delay_ns(rng, rate);
	e->settings.receive_ns = random_delay_ns(rng, rate);
	e->settings.separate = dcb_rng_uniform(rng, 0, 1);
	/* Longer than the longest round trip of 100 km, of all delays, and of its turnarounds. */
	e->settings.maximum = (uint32_t)hm_ns_to_quanta(rate, 1100000 + 100000);
	e->wire_ns = random_wire_ns(rng);
	e->turnaround_ns = random_delay_ns(rng, rate) * (int64_t)dcb_rng_uniform(rng, 1, 10);
	e->jitter_ns = (uint32_t)hm_quanta_to_ns(rate, 1);
}

static void random_link(struct dcb_rng *rng)
{
	struct dcb_rate rate =
	    dcb_rate_from_mbps(speed_mbps[dcb_rng_uniform(rng, 0, UNIT_COUNT(speed_mbps) - 1)]);
	int64_t start = (int64_t)dcb_rng_next(rng) * 2;

	hm_world_init(&w, rate, 0);
	dcb_rng_seed(&w.rng, dcb_rng_next(rng), 2);
	for (unsigned i = 0; i < 2; i++) {
		random_end(rng, &w.end[i], rate);
		w.end[i].up_ns = start;
	}
	if (dcb_rng_uniform(rng, 0, 3) > 0) /* one is later: up to 20 round trips, or at random */
		w.end[dcb_rng_uniform(rng, 0, 1)].up_ns +=
		    dcb_rng_uniform(rng, 0, 20) * (w.end[0].wire_ns + w.end[1].wire_ns) / 2 +
		    dcb_rng_uniform(rng, 0, 10000);
	w.on_result = compare;
}

/*
 * Checks each interval between transmissions of a station: two PDUs for each round trip that has
 * begun, and one of the round trip before. A station that sends requests and responses separately
 * has two PDUs at one time.
 */
static void assert_pace(unsigned end, int64_t round_trip_ns)
{
	const struct hm_end *e = &w.end[end];
	unsigned sent = e->sent < HM_WORLD_SENT ? e->sent : HM_WORLD_SENT;
	bool separate = w.end[0].settings.separate || w.end[1].settings.separate;

	for (unsigned i = 0; i < sent; i++) {
		for (unsigned k = i; k < sent; k++) {
			int64_t trips = (e->sent_ns[k] - e->sent_ns[i]) / round_trip_ns + 1;
			int64_t most = 2 * trips + (separate ? 2 : 1);

			if (k - i + 1 > most)
				print_link();
			assert_true(k - i + 1 <= most);
		}
	}
}

/*
 * Returns the time of a round trip in which each station has its turnaround once:
 * from a request to the next one that the response prompts.
 */
static int64_t exchange_ns(void)
{
	int64_t a = hm_world_round_trip_ns(&w, 0) + w.end[0].turnaround_ns;

	assert_int_equal(a, hm_world_round_trip_ns(&w, 1) + w.end[1].turnaround_ns);
	return a;
}

static void run_link(void)
{
	int64_t later, round_trip;

	later = w.end[0].up_ns > w.end[1].up_ns ? w.end[0].up_ns : w.end[1].up_ns;
	hm_world_start(&w);
	round_trip = exchange_ns();
	hm_world_run(&w, later + 4 * round_trip);
	for (unsigned i = 0; i < 2; i++) {
		if (w.end[i].results == 0)
			print_link();
		assert_true(w.end[i].results > 0);
		assert_true(w.end[i].first_ns - later <= 4 * round_trip);
	}
	hm_world_run(&w, later + 100 * DCB_NS_PER_MS);
	for (unsigned i = 0; i < 2; i++) {
		assert_false(w.end[i].hm.measure);
		assert_true(w.end[i].results >= HM_ROUND_MIN);
		compare(&w, i);
		assert_pace(i, round_trip);
		assert_int_equal(w.end[i].counters.saturated, 0);
		/* A short link with long turnarounds: a third PDU may come while two wait. */
		busy += w.end[i].counters.verdict[HM_BUSY];
	}
}

static void test_random_links(void **state)
{
	struct dcb_rng rng;

	(void)state;
	dcb_rng_seed(&rng, unit_seed(), 1);
	compared = 0;
	worst = 0;
	for (link_number = 0; link_number < LINKS; link_number++) {
		random_link(&rng);
		run_link();
	}
	print_message(
	    "%u averages compared, largest error %lld quanta; %llu PDUs dropped as busy\n",
	    compared, (long long)worst, (unsigned long long)busy);
	assert_true(compared >= 4 * LINKS);
}

/* Frames are lost at random: the results are as exact, only later. */
static void test_random_links_that_lose_frames(void **state)
{
	struct dcb_rng rng;

	(void)state;
	dcb_rng_seed(&rng, unit_seed(), 3);
	for (link_number = 0; link_number < LINKS; link_number++) {
		random_link(&rng);
		w.lose = (uint64_t)dcb_rng_next(&rng) & dcb_rng_next(&rng);
		hm_world_start(&w);
		hm_world_run(&w, 100 * DCB_NS_PER_S);
		for (unsigned i = 0; i < 2; i++) {
			assert_false(w.end[i].hm.measure);
			compare(&w, i);
		}
	}
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_random_links),
	    cmocka_unit_test(test_random_links_that_lose_frames),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
