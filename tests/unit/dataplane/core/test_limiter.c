/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/core/limiter.h"
#include "lib/rng.h"
#include "tests/unit/unit.h"

#include <stdbool.h>
#include <string.h>

#define WINDOW_NS (100 * DCB_NS_PER_MS)

static const struct dcb_time start = {5 * DCB_NS_PER_S};

/* A number of bits: whole bits, and less than a bit in 10^-9 bit. */
struct bits {
	uint64_t whole, nano;
};

/* Adds the bits that a rate allows in ns. */
static void bits_add(struct bits *b, struct dcb_rate rate, uint64_t ns)
{
	assert_true(ns <= 10 * DCB_NS_PER_S); /* longer times might overflow */
	b->nano += rate.bps % DCB_NS_PER_S * ns;
	b->whole += rate.bps / DCB_NS_PER_S * ns + b->nano / DCB_NS_PER_S;
	b->nano %= DCB_NS_PER_S;
}

/* Returns the difference to - from in bits. */
static double bits_between(struct bits from, struct bits to)
{
	return (double)(to.whole - from.whole) + ((double)to.nano - (double)from.nano) / 1e9;
}

/*
 * Octets that left before a departure, and bits that the rate had allowed by
 * then. The record has departures at least 10 us apart. All pairs 100 ms apart
 * are checked in one pass with two indexes.
 */
struct departure {
	int64_t at_ns;
	uint64_t octets_before;
	struct bits allowed;
};

#define RECORD_EVERY_NS (10 * DCB_NS_PER_US)

struct record {
	struct departure *list;
	size_t n, room;
};

static void record_add(struct record *r, struct departure d)
{
	if (r->n == r->room) {
		r->room = r->room ? 2 * r->room : 1024;
		r->list = realloc(r->list, r->room * sizeof(*r->list));
		assert_non_null(r->list);
	}
	r->list[r->n++] = d;
}

/*
 * Compares the frames that left in [first, last) with the rate over that time.
 * A window with other limits differs by at most one frame, so the check allows
 * one frame.
 */
static void check_window(const struct departure *first, const struct departure *last,
			 uint32_t frame_max)
{
	double sent = (double)(last->octets_before - first->octets_before) * 8;
	double allowed = bits_between(first->allowed, last->allowed);
	double margin = allowed / 100;

	if (margin < frame_max * 8.0)
		margin = frame_max * 8.0;
	if (sent < allowed - margin || sent > allowed + margin)
		fail_msg("%.0f bits sent in %lld ns, expected %.0f +- %.0f", sent,
			 (long long)(last->at_ns - first->at_ns), allowed, margin);
}

static void check_windows(const struct record *r, uint32_t frame_max)
{
	size_t last = 0;

	for (size_t first = 0; first < r->n; first++) {
		while (last < r->n && r->list[last].at_ns < r->list[first].at_ns + WINDOW_NS)
			last++;
		if (last == r->n)
			return;
		check_window(&r->list[first], &r->list[last], frame_max);
	}
	fail_msg("the record has no window of 100 ms");
}

/* A rate that changes at intervals, and the bits allowed so far. */
struct source {
	struct dcb_rng rng;
	struct dcb_rate rate, lowest, highest;
	int64_t change_every_ns, changed_ns, seen_ns; /* change_every_ns 0: never changes */
	struct bits allowed;
};

/* Advances to now_ns. The limiter is updated at each change of the rate. */
static void source_run_to(struct source *s, struct limiter *l, int64_t now_ns)
{
	bits_add(&s->allowed, s->rate, (uint64_t)(now_ns - s->seen_ns));
	s->seen_ns = now_ns;
	if (s->change_every_ns && s->changed_ns + s->change_every_ns == now_ns) {
		struct dcb_rate from = s->rate;

		s->changed_ns = now_ns;
		s->rate.bps = s->lowest.bps + (s->highest.bps - s->lowest.bps) / 1000 *
						  dcb_rng_uniform(&s->rng, 0, 1000);
		limiter_change_rate(l, from, s->rate, (struct dcb_time){now_ns});
	}
}

static int64_t next_event_ns(const struct source *s, const struct limiter *l)
{
	int64_t change_ns = s->changed_ns + s->change_every_ns;

	return s->change_every_ns && change_ns < l->next.ns ? change_ns : l->next.ns;
}

/*
 * Serves a queue that always has frames as soon as the limiter allows, for
 * for_ns of virtual time.
 */
static struct record serve(struct source *s, uint32_t len_lo, uint32_t len_hi, int64_t for_ns)
{
	struct limiter l = {.next = start};
	struct record r = {0};
	uint64_t sent = 0;

	s->seen_ns = s->changed_ns = start.ns;
	while (s->seen_ns < start.ns + for_ns) {
		struct dcb_time now = {next_event_ns(s, &l)};
		uint32_t octets;

		source_run_to(s, &l, now.ns);
		if (!limiter_is_due(&l, now))
			continue;
		if (!r.n || now.ns >= r.list[r.n - 1].at_ns + RECORD_EVERY_NS)
			record_add(&r, (struct departure){now.ns, sent, s->allowed});
		octets = dcb_wire_octets(dcb_rng_uniform(&s->rng, len_lo, len_hi));
		sent += octets;
		limiter_charge(&l, s->rate, octets);
	}
	return r;
}

static const struct {
	uint32_t mbps, len_lo, len_hi;
} constant[] = {
    {1, 60, 60},        {1, 60, 9212},      {1, 9212, 9212},  {3, 60, 1514},
    {5, 1514, 1514},    {7, 60, 9212},      {100, 60, 60},    {333, 60, 9212},
    {1000, 60, 60},     {9999, 60, 1514},   {10000, 60, 60},  {40000, 1514, 1514},
    {100000, 60, 9212}, {399999, 60, 9212}, {400000, 60, 60}, {400000, 9212, 9212},
};

static void test_constant_rate(void **state)
{
	uint64_t seed = unit_seed();

	(void)state;
	for (size_t i = 0; i < UNIT_COUNT(constant); i++) {
		struct source s = {.rate = dcb_rate_from_mbps(constant[i].mbps)};
		int64_t for_ns = constant[i].mbps < 1000 ? DCB_NS_PER_S : 105 * DCB_NS_PER_MS;
		struct record r;

		print_message("%u Mb/s, %u..%u octets\n", constant[i].mbps, constant[i].len_lo,
			      constant[i].len_hi);
		dcb_rng_seed(&s.rng, seed, i);
		r = serve(&s, constant[i].len_lo, constant[i].len_hi, for_ns);
		check_windows(&r, dcb_wire_octets(constant[i].len_hi));
		free(r.list);
	}
}

static const struct {
	uint32_t lowest_mbps, highest_mbps;
	int64_t every_ns;
} changing[] = {
    {1, 10, 30 * DCB_NS_PER_MS},     {100, 1000, DCB_NS_PER_MS},
    {1, 10000, 50 * DCB_NS_PER_MS},  {5000, 10000, 100 * DCB_NS_PER_US},
    {1, 400000, 60 * DCB_NS_PER_MS}, {1, 3, DCB_NS_PER_MS},
};

/* Also with more changes of the rate than departures. */
static void test_changing_rate(void **state)
{
	uint64_t seed = unit_seed();

	(void)state;
	for (size_t i = 0; i < UNIT_COUNT(changing); i++) {
		struct source s = {.lowest = dcb_rate_from_mbps(changing[i].lowest_mbps),
				   .highest = dcb_rate_from_mbps(changing[i].highest_mbps),
				   .change_every_ns = changing[i].every_ns};
		struct record r;

		print_message("%u..%u Mb/s\n", changing[i].lowest_mbps, changing[i].highest_mbps);
		s.rate = s.lowest;
		dcb_rng_seed(&s.rng, seed, i);
		r = serve(&s, 1514, 1514, DCB_NS_PER_S);
		check_windows(&r, dcb_wire_octets(1514));
		free(r.list);
	}
}

/* Over a million frames the time is exact to a nanosecond, at rates that leave remainders. */
static void test_remainder_is_exact(void **state)
{
	static const uint64_t rates[] = {1000000, 3000001, 7777777777, 399999999989, 400000000000};

	(void)state;
	for (size_t i = 0; i < UNIT_COUNT(rates); i++) {
		struct dcb_rate rate = {rates[i]};
		struct limiter l = {.next = start};
		uint64_t bits = 0, ns, rest;

		for (uint32_t n = 0; n < 1000000; n++) {
			uint32_t octets = dcb_wire_octets(60 + n % 9153);

			limiter_charge(&l, rate, octets);
			bits += octets * 8;
			assert_true(l.rest < rate.bps);
		}
		/*
		 * bits * 10^9 / rate.bps in steps of three decimals: the
		 * product does not fit in 64 bits.
		 */
		ns = bits / rate.bps;
		rest = bits % rate.bps;
		for (int k = 0; k < 3; k++) {
			ns = ns * 1000 + rest * 1000 / rate.bps;
			rest = rest * 1000 % rate.bps;
		}
		assert_int_equal(l.next.ns - start.ns, ns);
		assert_int_equal(l.rest, rest);
	}
}

/* The remainder stays below a nanosecond when the rate falls. */
static void test_remainder_is_cut_when_the_rate_falls(void **state)
{
	struct limiter l = {.next = start};
	struct dcb_time before;

	(void)state;
	limiter_charge(&l, (struct dcb_rate){400000000001}, 84);
	assert_true(l.rest > 100000000000);
	before = l.next;
	limiter_charge(&l, dcb_rate_from_mbps(1), 84);
	/*
	 * 672 us for 84 octets, at most 1 ns more; the remainder of the old
	 * rate would be 267 us.
	 */
	assert_in_range(dcb_time_diff_ns(l.next, before), 672000, 672001);
	assert_true(l.rest < 1000000);
}

static void test_extremes_do_not_overflow(void **state)
{
	struct dcb_rate fastest = dcb_rate_from_mbps(UINT32_MAX), slowest = {1};
	struct limiter l = {.next = start};

	(void)state;
	for (unsigned int n = 0; n < 1000000; n++)
		limiter_charge(&l, fastest, 84);
	assert_int_equal(dcb_time_diff_ns(l.next, start), UINT64_C(672000) * 1000000 / 4294967295);
	l = (struct limiter){.next = start, .rest = fastest.bps - 1};
	limiter_charge(&l, fastest, UINT32_C(1) << 30);
	assert_int_equal(dcb_time_diff_ns(l.next, start), 2001);
	l = (struct limiter){.next = start};
	limiter_charge(&l, slowest, UINT32_C(1) << 30);
	assert_int_equal(dcb_time_diff_ns(l.next, start), (INT64_C(8) << 30) * DCB_NS_PER_S);
	assert_int_equal(l.rest, 0);
}

/* 1500 octets on the wire take 12 ms at 1 Mb/s; after 4 ms 8000 bits are left. */
static void test_rate_change_keeps_charged_bits(void **state)
{
	static const struct dcb_rate slow = {1000000}, fast = {400000000000};
	struct limiter l = {.next = start};
	struct dcb_time now = dcb_time_add_ns(start, 4 * DCB_NS_PER_MS);

	(void)state;
	limiter_charge(&l, slow, 1500);
	limiter_change_rate(&l, slow, fast, now);
	assert_int_equal(dcb_time_diff_ns(l.next, now), 20);
	limiter_change_rate(&l, fast, slow, now);
	assert_int_equal(dcb_time_diff_ns(l.next, now), 8 * DCB_NS_PER_MS);
	/* If the queue may send, a change of the rate has no effect. */
	limiter_change_rate(&l, slow, fast, dcb_time_add_ns(l.next, DCB_NS_PER_MS));
	assert_int_equal(dcb_time_diff_ns(l.next, now), 8 * DCB_NS_PER_MS);
	/* The remainder is converted too. */
	l = (struct limiter){.next = dcb_time_add_ns(now, 8 * DCB_NS_PER_MS), .rest = 333333};
	limiter_change_rate(&l, slow, (struct dcb_rate){1}, now);
	assert_int_equal(dcb_time_diff_ns(l.next, now), 8000 * DCB_NS_PER_S + 333333);
}

static void test_zero_limiter_is_due(void **state)
{
	struct limiter l = {0};

	(void)state;
	assert_true(limiter_is_due(&l, (struct dcb_time){0}));
	assert_true(limiter_is_due(&l, start));
}

/* With a catch-up time of 0 an idle queue gets no credit. */
static void test_idle_queue_gets_no_credit(void **state)
{
	struct limiter l = {.next = start, .rest = 17};
	struct dcb_time later = dcb_time_add_ns(start, DCB_NS_PER_S);

	(void)state;
	limiter_forget(&l, later, 0);
	assert_int_equal(l.next.ns, later.ns);
	assert_int_equal(l.rest, 0);
	limiter_charge(&l, dcb_rate_from_mbps(1000), 125);
	assert_false(limiter_is_due(&l, later));
}

/* A host that is late by no more than the catch-up time sends as much as one in time. */
static void test_late_host_catches_up(void **state)
{
	struct limiter l = {.next = start, .rest = 17};

	(void)state;
	limiter_forget(&l, dcb_time_add_ns(start, 100), 100);
	assert_int_equal(l.next.ns, start.ns);
	assert_int_equal(l.rest, 17);
	limiter_forget(&l, dcb_time_add_ns(start, 101), 100);
	assert_int_equal(l.next.ns, start.ns + 1);
	assert_int_equal(l.rest, 0);
}

/* With a charge left there is no credit to limit: the next frame does not leave earlier. */
static void test_forget_keeps_the_charge(void **state)
{
	struct limiter l = {.next = dcb_time_add_ns(start, 500), .rest = 17};

	(void)state;
	limiter_forget(&l, start, 0);
	assert_int_equal(l.next.ns, start.ns + 500);
	assert_int_equal(l.rest, 17);
}

/* The remainder of a higher rate is cut to less than a nanosecond of the new rate. */
static void test_charge_cuts_remainder_of_higher_rate(void **state)
{
	struct dcb_rate slow = {.bps = 1000};

	(void)state;
	for (uint64_t rest = 999; rest <= 1001; rest++) {
		struct limiter l = {.next = start, .rest = rest};

		limiter_charge(&l, slow, 0);
		assert_int_equal(l.next.ns, start.ns);
		assert_int_equal(l.rest, 999);
	}
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_charge_cuts_remainder_of_higher_rate),
	    cmocka_unit_test(test_constant_rate),
	    cmocka_unit_test(test_changing_rate),
	    cmocka_unit_test(test_remainder_is_exact),
	    cmocka_unit_test(test_remainder_is_cut_when_the_rate_falls),
	    cmocka_unit_test(test_extremes_do_not_overflow),
	    cmocka_unit_test(test_rate_change_keeps_charged_bits),
	    cmocka_unit_test(test_zero_limiter_is_due),
	    cmocka_unit_test(test_idle_queue_gets_no_credit),
	    cmocka_unit_test(test_late_host_catches_up),
	    cmocka_unit_test(test_forget_keeps_the_charge),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
