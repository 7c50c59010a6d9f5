/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Exchanges of two stations. The expected frames of figure 36-14 are written down
 * from the text of 36.9.6, as the figure is missing in D0.3. Times are in percent of
 * the round trip: a one-way delay is 50.
 */
#include "tests/unit/hm_world.h"
#include "tests/unit/unit.h"

#include <string.h>

/* 1 Gb/s; a round trip of 1000 quanta, of which 1/100 is the unit of time. */
#define QUANTUM_NS    512
#define TRUTH         1000
#define ROUND_TRIP_NS (TRUTH * QUANTUM_NS)
#define UNIT_NS       (ROUND_TRIP_NS / 100)
#define MAXIMUM       5000 /* quanta: the longest round trip is five of this link's */

static struct hm_world w;

static void init(int64_t a_up, int64_t b_up)
{
	hm_world_init(&w, dcb_rate_from_mbps(1000), ROUND_TRIP_NS / 2);
	w.unit_ns = UNIT_NS;
	w.end[0].up_ns = a_up * UNIT_NS;
	w.end[1].up_ns = b_up * UNIT_NS;
	for (unsigned i = 0; i < 2; i++)
		w.end[i].settings.maximum = MAXIMUM;
}

static void separate(unsigned end)
{
	w.end[end].settings.separate = true;
}

static void run_until(int64_t percent)
{
	hm_world_run(&w, percent * UNIT_NS);
}

static void assert_results(unsigned a, unsigned b)
{
	assert_int_equal(w.end[0].results, a);
	assert_int_equal(w.end[1].results, b);
}

static void assert_end(void)
{
	for (unsigned i = 0; i < 2; i++) {
		if (!w.end[i].settings.measure)
			continue;
		assert_false(w.end[i].hm.measure);
		assert_true(w.end[i].results >= HM_ROUND_MIN);
		assert_int_equal(hm_average(&w.end[i].hm), TRUTH);
		assert_int_equal(hm_world_truth(&w, i), TRUTH);
	}
}

/* --- figure 36-14 ------------------------------------------------------------------------- */

/* B transmits its first request within the one-way delay of A's. */
static void init_example_1(void)
{
	init(0, 20);
	separate(0);
	separate(1);
}

static void test_figure_36_14_example_1(void **state)
{
	(void)state;
	init_example_1();
	hm_world_start(&w);
	run_until(99);
	assert_results(0, 0);
	run_until(120);
	assert_results(1, 1);
	run_until(199);
	assert_results(1, 1);
	run_until(220);
	assert_results(2, 2);
	run_until(10000);
	assert_string_equal(w.trace,
			    "A@0 Q, B@20 Q, B@50 P, A@70 P, A@100 Q, B@120 Q, B@150 P, "
			    "A@170 P");
	assert_end();
}

/* Two results in slightly less time than in the first example, three in the same time. */
static void init_example_2(void)
{
	init(0, 20);
}

static void test_figure_36_14_example_2(void **state)
{
	(void)state;
	init_example_2();
	hm_world_start(&w);
	run_until(170);
	assert_results(2, 2);
	run_until(220);
	assert_results(3, 3);
	run_until(10000);
	assert_string_equal(w.trace,
			    "A@0 Q, B@20 Q, B@50 PQ, A@70 PQ, A@100 QP, B@120 QP, "
			    "B@150 P, A@170 P");
	assert_end();
	assert_results(3, 3);
}

/* B is not ready for A's first request: two results in less than three round trips. */
static void init_example_3(void)
{
	init(0, 200);
}

static void test_figure_36_14_example_3(void **state)
{
	(void)state;
	init_example_3();
	hm_world_start(&w);
	run_until(200 + 299);
	assert_results(2, 2);
	run_until(10000);
	assert_string_equal(w.trace, "A@0 Q, B@200 Q, A@250 PQ, B@300 QP, A@350 PQ, B@400  P");
	assert_end();
}

/* A's first request is lost, and both send separate PDUs: less than four round trips. */
static void init_example_4(void)
{
	init(0, 200);
	separate(0);
	separate(1);
}

static void test_figure_36_14_example_4(void **state)
{
	(void)state;
	init_example_4();
	hm_world_start(&w);
	run_until(349);
	assert_int_equal(w.end[0].counters.requests_sent, 1);
	run_until(200 + 399);
	assert_results(2, 2);
	assert_int_equal(w.end[0].counters.lost, 1);
	assert_int_equal(w.end[0].counters.timeouts, 0);
	run_until(10000);
	assert_string_equal(w.trace,
			    "A@0 Q, B@200 Q, A@250 P, B@300 Q, A@350 P, A@350 Q, B@400 P, "
			    "A@450 Q, B@500 P");
	assert_end();
}

/* --- losses and strategies ---------------------------------------------------------------- */

/* Choice of the engine: PDUs of a station by time are at most two a round trip, and two more. */
static void assert_pace(unsigned end)
{
	const struct hm_end *e = &w.end[end];
	unsigned sent = e->sent < HM_WORLD_SENT ? e->sent : HM_WORLD_SENT;

	for (unsigned i = 0; i < sent; i++) {
		for (unsigned k = i; k < sent; k++) {
			int64_t ns = e->sent_ns[k] - e->sent_ns[i];

			assert_true(k - i + 1 <= 2 * (ns / ROUND_TRIP_NS) + 4);
		}
	}
}

static void (*const example[])(void) = {init_example_1, init_example_2, init_example_3,
					init_example_4};

static void test_loss_of_each_single_frame(void **state)
{
	(void)state;
	for (unsigned i = 0; i < UNIT_COUNT(example); i++) {
		for (unsigned lost = 0; lost < 12; lost++) {
			example[i]();
			w.lose = UINT64_C(1) << lost;
			hm_world_start(&w);
			/* At most one longest round trip more than without the loss. */
			run_until(200 + 400 + 500 + 400);
			assert_end();
			assert_pace(0);
			assert_pace(1);
		}
	}
}

static void test_loss_of_each_pair_of_frames(void **state)
{
	(void)state;
	for (unsigned i = 0; i < UNIT_COUNT(example); i++) {
		for (unsigned lost = 0; lost < 144; lost++) {
			example[i]();
			w.lose = UINT64_C(1) << lost / 12 | UINT64_C(1) << lost % 12;
			hm_world_start(&w);
			run_until(200 + 400 + 2 * (500 + 400));
			assert_end();
		}
	}
}

enum strategy { COMBINED, SEPARATE, ANSWER_ONLY, STRATEGIES };

static void set_strategy(unsigned end, enum strategy strategy)
{
	w.end[end].settings.separate = strategy == SEPARATE;
	w.end[end].settings.measure = strategy != ANSWER_ONLY;
}

static void test_any_pair_of_strategies_at_any_offset(void **state)
{
	(void)state;
	for (unsigned pair = 0; pair < STRATEGIES * STRATEGIES; pair++) {
		for (int64_t offset = 0; offset < 450; offset += 10) {
			init(0, offset);
			set_strategy(0, pair / STRATEGIES);
			set_strategy(1, pair % STRATEGIES);
			hm_world_start(&w);
			/* A waits for the longest round trip if B never asks. */
			run_until(offset + 400 + (pair % STRATEGIES == ANSWER_ONLY ? 500 : 0));
			assert_end();
			run_until(100000);
			assert_end();
			assert_pace(0);
			assert_pace(1);
			for (unsigned i = 0; i < 2; i++) {
				if (!w.end[i].settings.measure)
					assert_int_equal(w.end[i].counters.requests_sent, 0);
			}
		}
	}
}

static void test_any_pair_of_strategies_with_loss_of_each_frame(void **state)
{
	(void)state;
	for (unsigned pair = 0; pair < STRATEGIES * STRATEGIES; pair++) {
		for (unsigned lost = 0; lost < 12; lost++) {
			init(0, 30);
			set_strategy(0, pair / STRATEGIES);
			set_strategy(1, pair % STRATEGIES);
			w.lose = UINT64_C(1) << lost;
			hm_world_start(&w);
			run_until(30 + 400 + 500 + 400);
			assert_end();
			assert_pace(0);
			assert_pace(1);
		}
	}
}

/* Two stations that only answer send nothing. */
static void test_two_answerers_are_silent(void **state)
{
	(void)state;
	init(0, 10);
	set_strategy(0, ANSWER_ONLY);
	set_strategy(1, ANSWER_ONLY);
	hm_world_start(&w);
	run_until(100000);
	assert_int_equal(w.frames, 0);
}

static void test_flap_in_the_middle_of_an_exchange(void **state)
{
	(void)state;
	for (unsigned i = 0; i < UNIT_COUNT(example); i++) {
		for (int64_t at = 5; at < 600; at += 15) {
			example[i]();
			hm_world_start(&w);
			run_until(at);
			hm_world_set_up(&w, i % 2, false);
			run_until(at + 25);
			hm_world_set_up(&w, i % 2, true);
			run_until(at + 25 + 1400);
			assert_end();
		}
	}
}

/* The transmission time is reported after the response, or never: the delay is learned. */
static void test_late_reports_of_the_transmission_time(void **state)
{
	static const int64_t report_ns[] = {0, 1000, ROUND_TRIP_NS / 2, 3 * (int64_t)ROUND_TRIP_NS};

	(void)state;
	for (unsigned i = 0; i < UNIT_COUNT(report_ns); i++) {
		init(0, 20);
		for (unsigned k = 0; k < 2; k++) {
			w.end[k].lag_ns = 50 * QUANTUM_NS;
			w.end[k].report_ns = report_ns[i];
			w.end[k].turnaround_ns = 30 * QUANTUM_NS;
		}
		hm_world_start(&w);
		run_until(2000);
		for (unsigned k = 0; k < 10; k++) {
			run_until(k * 1000000 + 2000);
			hm_trigger(&w.end[0].hm, HM_TRIGGER_MANAGEMENT,
				   (struct dcb_time){w.now_ns});
			hm_trigger(&w.end[1].hm, HM_TRIGGER_MANAGEMENT,
				   (struct dcb_time){w.now_ns});
		}
		run_until(11000000);
		for (unsigned k = 0; k < 2; k++)
			assert_in_range(hm_average(&w.end[k].hm), TRUTH - 1, TRUTH + 1);
	}
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_figure_36_14_example_1),
	    cmocka_unit_test(test_figure_36_14_example_2),
	    cmocka_unit_test(test_figure_36_14_example_3),
	    cmocka_unit_test(test_figure_36_14_example_4),
	    cmocka_unit_test(test_loss_of_each_single_frame),
	    cmocka_unit_test(test_loss_of_each_pair_of_frames),
	    cmocka_unit_test(test_any_pair_of_strategies_at_any_offset),
	    cmocka_unit_test(test_any_pair_of_strategies_with_loss_of_each_frame),
	    cmocka_unit_test(test_two_answerers_are_silent),
	    cmocka_unit_test(test_flap_in_the_middle_of_an_exchange),
	    cmocka_unit_test(test_late_reports_of_the_transmission_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
