/* SPDX-License-Identifier: BSD-3-Clause */
/* Frames at fixed intervals, with a fake clock, sleep and socket. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "agent/pfcgen/pace.h"
#include "lib/rng.h"
#include "tests/unit/unit.h"

#define US       DCB_NS_PER_US
#define INTERVAL (84 * US)
#define KEPT     4096

static const uint8_t frame[60] = {1, 0x80, 0xc2};

/* The fake host: its clock advances when it is read, and by sleeping and sending. */
static struct {
	struct dcb_time now;
	int64_t read_ns, oversleep_ns, send_ns;
	unsigned n; /* calls of send */
	struct dcb_time at[KEPT];
	unsigned delay_at; /* after this call of send, if not 0, the clock ... */
	int64_t delay_ns;  /* ... jumps by this */
	unsigned error_from, error_to;
	int error;
	unsigned stop_after;
	struct dcb_time sleeps_from, sleeps_to; /* must_sleep() */
	/* Other processes: after awake_max_ns awake, the clock jumps by others_ns. */
	int64_t awake_ns, awake_max_ns, others_ns;
} fake;

static struct dcb_time fake_now(void *ctx)
{
	(void)ctx;
	fake.now = dcb_time_add_ns(fake.now, fake.read_ns);
	fake.awake_ns += fake.read_ns;
	if (fake.awake_max_ns && fake.awake_ns > fake.awake_max_ns) {
		fake.awake_ns = 0;
		fake.now = dcb_time_add_ns(fake.now, fake.others_ns);
	}
	return fake.now;
}

static void fake_sleep(void *ctx, struct dcb_time when)
{
	(void)ctx;
	assert_true(dcb_time_before(fake.now, when));
	fake.awake_ns = 0;
	fake.now = dcb_time_add_ns(when, fake.oversleep_ns);
}

static int fake_send(void *ctx, const uint8_t *octets, size_t len)
{
	(void)ctx;
	assert_int_equal(len, sizeof(frame));
	assert_memory_equal(octets, frame, len);
	fake.at[fake.n++ % KEPT] = fake.now;
	fake.now = dcb_time_add_ns(fake.now, fake.send_ns);
	if (fake.n == fake.delay_at)
		fake.now = dcb_time_add_ns(fake.now, fake.delay_ns);
	return fake.n >= fake.error_from && fake.n <= fake.error_to ? fake.error : 0;
}

static bool fake_stopped(void *ctx)
{
	(void)ctx;
	return fake.stop_after && fake.n >= fake.stop_after;
}

static bool fake_must_sleep(void *ctx)
{
	(void)ctx;
	return !dcb_time_before(fake.now, fake.sleeps_from) &&
	       dcb_time_before(fake.now, fake.sleeps_to);
}

static const struct pace_host host = {
    .now = fake_now,
    .sleep_until = fake_sleep,
    .send = fake_send,
    .stopped = fake_stopped,
    .must_sleep = fake_must_sleep,
};

static struct pace_report report;

static int reset(void **state)
{
	(void)state;
	memset(&fake, 0, sizeof(fake));
	fake.now.ns = 1000 * DCB_NS_PER_S;
	fake.read_ns = 50;
	fake.send_ns = 3 * US;
	return 0;
}

static void run(enum pace_wait wait, int64_t interval_ns, int64_t duration_ns, uint64_t count)
{
	const struct pace_params p = {
	    .interval_ns = interval_ns,
	    .duration_ns = duration_ns,
	    .count = count,
	    .lapse_ns = 5 * interval_ns,
	    .wait = wait,
	    .frame = frame,
	    .octets = sizeof(frame),
	};

	pace_run(&p, &host, &report);
}

/* --- spread -------------------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return x < y ? -1 : x > y;
}

static void test_quantiles_of_small_times(void **state)
{
	static struct histogram s;

	(void)state;
	memset(&s, 0, sizeof(s));
	assert_int_equal(histogram_quantile(&s, 500), 0);
	for (int64_t ns = 100; ns > 0; ns--)
		histogram_add(&s, ns);
	assert_int_equal(s.min_ns, 1);
	assert_int_equal(s.max_ns, 100);
	assert_int_equal(histogram_quantile(&s, 1), 1);
	assert_int_equal(histogram_quantile(&s, 500), 50);
	assert_int_equal(histogram_quantile(&s, 990), 99);
	assert_int_equal(histogram_quantile(&s, 1000), 100);
	histogram_add(&s, -5);
	assert_int_equal(s.min_ns, 0);
	histogram_add(&s, INT64_MAX);
	assert_true(histogram_quantile(&s, 1000) == INT64_MAX);
}

/* Compares with sorted times of all magnitudes. */
static void test_quantiles_match_sorted_times(void **state)
{
	static const unsigned permille[] = {1, 10, 250, 500, 900, 990, 999, 1000};
	static struct histogram s;
	static int64_t times[5000];
	struct dcb_rng rng;

	(void)state;
	dcb_rng_seed(&rng, unit_seed(), 0);
	for (unsigned turn = 0; turn < 20; turn++) {
		size_t n = 1 + dcb_rng_next(&rng) % UNIT_COUNT(times);

		memset(&s, 0, sizeof(s));
		for (size_t i = 0; i < n; i++) {
			uint64_t bits = (uint64_t)dcb_rng_next(&rng) << 32 | dcb_rng_next(&rng);

			times[i] = (int64_t)(bits >> (1 + dcb_rng_next(&rng) % 63));
			histogram_add(&s, times[i]);
		}
		qsort(times, n, sizeof(times[0]), compare);
		assert_int_equal(s.n, n);
		assert_true(s.min_ns == times[0] && s.max_ns == times[n - 1]);
		for (size_t q = 0; q < UNIT_COUNT(permille); q++) {
			int64_t want = times[(n * permille[q] + 999) / 1000 - 1];
			int64_t off = llabs(histogram_quantile(&s, permille[q]) - want);

			if (off > want / (2 * HISTOGRAM_FINE) + 1)
				fail_msg("%zu times, %u: off by %lld of %lld", n, permille[q],
					 (long long)off, (long long)want);
		}
	}
}

/* --- pace ---------------------------------------------------------------------------- */

/* Frame k is sent within_ns of start + k intervals. */
static void expect_on_time(unsigned n, int64_t within_ns)
{
	for (unsigned k = 0; k < n; k++) {
		int64_t off = dcb_time_diff_ns(fake.at[k], fake.at[0]) - k * INTERVAL;

		if (off < -within_ns || off > within_ns)
			fail_msg("frame %u is off by %lld ns", k, (long long)off);
	}
}

static void test_awake_sends_on_time(void **state)
{
	(void)state;
	run(PACE_AWAKE, INTERVAL, 100 * INTERVAL, 0);
	assert_int_equal(report.frames, 100);
	assert_int_equal(fake.n, 100);
	assert_int_equal(report.late + report.missed + report.lapses + report.sleeps, 0);
	assert_int_equal(report.error, 0);
	expect_on_time(100, 100);
	assert_int_equal(report.intervals.n, 99);
	assert_in_range(report.intervals.min_ns, INTERVAL - 100, INTERVAL);
	assert_in_range(report.intervals.max_ns, INTERVAL, INTERVAL + 100);
	assert_in_range(report.elapsed_ns, 100 * INTERVAL, 100 * INTERVAL + 200);
}

/* pace_run() returns after the interval of the last frame. */
static void test_count_and_duration_end_the_run(void **state)
{
	(void)state;
	run(PACE_AWAKE, INTERVAL, 0, 1);
	assert_int_equal(fake.n, 1);
	assert_int_equal(report.intervals.n, 0);
	assert_in_range(report.elapsed_ns, INTERVAL, INTERVAL + 200);
	reset(NULL);
	/* Both limits: three frames are due before the duration ends. */
	run(PACE_AWAKE, INTERVAL, 2 * INTERVAL + 1, 10);
	assert_int_equal(fake.n, 3);
	assert_in_range(report.elapsed_ns, 2 * INTERVAL + 1, 2 * INTERVAL + 200 + fake.send_ns);
}

static void test_asleep_lateness_does_not_accumulate(void **state)
{
	(void)state;
	fake.oversleep_ns = INTERVAL / 5;
	run(PACE_ASLEEP, INTERVAL, 0, 50);
	assert_int_equal(report.frames, 50);
	assert_int_equal(report.late, 49); /* all except the first */
	assert_int_equal(report.missed, 0);
	assert_int_equal(report.sleeps, 50);
	expect_on_time(50, INTERVAL / 5 + 200); /* lateness does not accumulate */
	reset(NULL);
	fake.oversleep_ns = INTERVAL / 20;
	run(PACE_ASLEEP, INTERVAL, 0, 50);
	assert_int_equal(report.late, 0);
}

/*
 * A process that wakes up late polls for most of the interval, and then for all of it. While it
 * must not poll, it sleeps until each frame is due.
 */
static void test_sleeps_while_it_must(void **state)
{
	(void)state;
	fake.oversleep_ns = INTERVAL / 2;
	fake.sleeps_from = fake.now;
	fake.sleeps_to = dcb_time_add_ns(fake.now, 40 * INTERVAL);
	run(PACE_ADAPT, INTERVAL, 0, 100);
	assert_int_equal(report.missed, 0);
	assert_in_range(report.sleeps, 40, 50);
	/* A process that is to poll does not ask. */
	reset(NULL);
	fake.sleeps_from = fake.now;
	fake.sleeps_to = dcb_time_add_ns(fake.now, 40 * INTERVAL);
	run(PACE_AWAKE, INTERVAL, 0, 100);
	assert_int_equal(report.sleeps, 0);
}

/* A wake-up latency of 20 us: the margin grows beyond it, so frames are on time. */
static void test_margin_covers_wake_up_latency(void **state)
{
	int64_t on_time = 0;

	(void)state;
	fake.oversleep_ns = 20 * US;
	run(PACE_ADAPT, 10 * INTERVAL, 0, 1000);
	assert_int_equal(report.frames, 1000);
	assert_int_equal(report.late, 0);
	assert_true(report.sleeps >= 999);
	for (unsigned k = 1; k < 1000; k++)
		on_time +=
		    llabs(dcb_time_diff_ns(fake.at[k], fake.at[0]) - k * 10 * INTERVAL) <= 100;
	assert_int_equal(on_time, 999);
}

/* The wake-up latency is nearly the interval: stays awake, with few attempts to sleep. */
static void test_short_intervals_stay_awake(void **state)
{
	(void)state;
	fake.oversleep_ns = 80 * US;
	run(PACE_ADAPT, INTERVAL, 0, 4000);
	assert_int_equal(report.frames, 4000);
	assert_in_range(report.sleeps, 1, 20);
	assert_true(report.late <= report.sleeps);
	assert_int_equal(report.missed, 0);
}

/*
 * If other processes suspend it for 4 ms of 8 ms when awake, pace_run() sleeps;
 * if they stop, it stays awake again.
 */
static void test_sleeps_if_other_processes_need_the_cpu(void **state)
{
	uint64_t missed;

	(void)state;
	fake.oversleep_ns = 80 * US;
	fake.awake_max_ns = fake.others_ns = 4 * DCB_NS_PER_MS;
	run(PACE_AWAKE, INTERVAL, 50000 * INTERVAL, 0);
	assert_true(report.missed > 20000);
	run(PACE_ADAPT, INTERVAL, 50000 * INTERVAL, 0);
	missed = report.missed;
	assert_true(missed < 2500);
	assert_true(report.sleeps > 40000);
	fake.awake_max_ns = 0;
	run(PACE_ADAPT, INTERVAL, 50000 * INTERVAL, 0);
	assert_true(report.missed == 0 && report.late < 1000);
}

/* The margin shrinks when the wake-up latency does. */
static void test_margin_shrinks(void **state)
{
	uint64_t slow;

	(void)state;
	fake.oversleep_ns = 80 * US;
	run(PACE_ADAPT, INTERVAL, 0, 2000);
	slow = report.sleeps;
	reset(NULL);
	fake.oversleep_ns = 5 * US;
	run(PACE_ADAPT, INTERVAL, 0, 2000);
	assert_true(report.sleeps > 1500 && report.sleeps > 10 * slow);
	assert_int_equal(report.late, 0);
}

/* Delayed by 5.5 intervals: the frames due in that time are not sent. */
static void test_frames_due_during_a_delay_are_missed(void **state)
{
	(void)state;
	fake.delay_at = 10;
	fake.delay_ns = 5 * INTERVAL + INTERVAL / 2;
	run(PACE_AWAKE, INTERVAL, 100 * INTERVAL, 0);
	/* Frame 11 is late by 4.5 intervals, the next four are missed. */
	assert_int_equal(report.late, 1);
	assert_int_equal(report.missed, 4);
	assert_int_equal(report.frames, 96);
	assert_int_equal(report.lapses, 1);
	assert_in_range(report.intervals.max_ns, 5 * INTERVAL, 6 * INTERVAL);
	/* The other frames are on time. */
	assert_in_range(dcb_time_diff_ns(fake.at[95], fake.at[0]), 99 * INTERVAL - 100,
			99 * INTERVAL + 100);
	reset(NULL);
	fake.delay_at = 10;
	fake.delay_ns = 1000 * INTERVAL; /* beyond the end */
	run(PACE_AWAKE, INTERVAL, 100 * INTERVAL, 0);
	assert_int_equal(report.frames, 10);
	assert_int_equal(report.missed, 90);
}

/* Sending takes three intervals: one frame of three is sent, and it is late. */
static void test_slow_sending_misses_frames(void **state)
{
	(void)state;
	fake.send_ns = 3 * INTERVAL;
	run(PACE_AWAKE, INTERVAL, 300 * INTERVAL, 0);
	assert_in_range(report.frames, 99, 101);
	assert_in_range(report.frames + report.missed, 299, 301);
	assert_true(report.late >= 98);
}

static void test_refused_frames_are_counted(void **state)
{
	(void)state;
	fake.error = ENOBUFS;
	fake.error_from = 3;
	fake.error_to = 5;
	run(PACE_AWAKE, INTERVAL, 0, 10);
	assert_int_equal(report.frames, 10);
	assert_int_equal(fake.n, 13);
	assert_int_equal(report.refused, 3);
	assert_int_equal(report.error, 0);
	/* From the frame before the refused ones to the one after them. */
	assert_in_range(report.intervals.max_ns, 4 * INTERVAL - 100, 4 * INTERVAL + 100);
}

static void test_error_ends_the_run(void **state)
{
	int64_t before = fake.now.ns;

	(void)state;
	fake.error = ENETDOWN;
	fake.error_from = fake.error_to = 5;
	run(PACE_AWAKE, INTERVAL, 100 * INTERVAL, 0);
	assert_int_equal(report.error, ENETDOWN);
	assert_int_equal(report.frames, 4);
	assert_int_equal(fake.n, 5);
	assert_true(fake.now.ns - before < 5 * INTERVAL); /* at once */
}

static void test_stop_ends_the_run(void **state)
{
	(void)state;
	fake.stop_after = 7;
	run(PACE_ADAPT, INTERVAL, 0, 0);
	assert_int_equal(report.frames, 7);
	assert_int_equal(report.error, 0);
	assert_true(report.elapsed_ns < 7 * INTERVAL);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_quantiles_of_small_times),
	    cmocka_unit_test(test_quantiles_match_sorted_times),
	    cmocka_unit_test_setup(test_awake_sends_on_time, reset),
	    cmocka_unit_test_setup(test_count_and_duration_end_the_run, reset),
	    cmocka_unit_test_setup(test_asleep_lateness_does_not_accumulate, reset),
	    cmocka_unit_test_setup(test_sleeps_while_it_must, reset),
	    cmocka_unit_test_setup(test_margin_covers_wake_up_latency, reset),
	    cmocka_unit_test_setup(test_short_intervals_stay_awake, reset),
	    cmocka_unit_test_setup(test_sleeps_if_other_processes_need_the_cpu, reset),
	    cmocka_unit_test_setup(test_margin_shrinks, reset),
	    cmocka_unit_test_setup(test_frames_due_during_a_delay_are_missed, reset),
	    cmocka_unit_test_setup(test_slow_sending_misses_frames, reset),
	    cmocka_unit_test_setup(test_refused_frames_are_counted, reset),
	    cmocka_unit_test_setup(test_error_ends_the_run, reset),
	    cmocka_unit_test_setup(test_stop_ends_the_run, reset),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
