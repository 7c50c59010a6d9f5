/* SPDX-License-Identifier: BSD-3-Clause */
/* Enhanced transmission selection: order, shares, and the fairness bound. */
#include "dataplane/core/ets.h"
#include "lib/rng.h"
#include "tests/unit/unit.h"

#include <stdbool.h>
#include <string.h>

#define FRAME_MIN 84   /* octets on the wire */
#define FRAME_MAX 9042 /* the same with a jumbo frame */

static const uint8_t own_class[DCB_PRIORITIES] = {0, 1, 2, 3, 4, 5, 6, 7};

/* Priority n has class n. */
static void make(struct ets *e, uint8_t sharing, const uint8_t bandwidth[DCB_PRIORITIES])
{
	struct tclass_map map;

	memset(e, 0, sizeof(*e));
	tclass_map(&map, own_class, 0);
	ets_configure(e, &map, own_class, sharing, bandwidth);
}

static unsigned send(struct ets *e, uint8_t may_send, uint32_t octets)
{
	unsigned queue = ets_next(e, may_send);

	assert_true(may_send >> queue & 1);
	ets_sent(e, queue, octets);
	return queue;
}

/* --- order ----------------------------------------------------------------- */

/* Strict classes by number, then sharing classes, then classes with 0 %. */
static void test_strict_classes_before_sharing(void **state)
{
	static const uint8_t bandwidth[] = {0, 0, 60, 0, 40, 0, 0, 0};
	struct ets e;

	(void)state;
	make(&e, 1 << 2 | 1 << 4 | 1 << 6, bandwidth);
	assert_int_equal(ets_next(&e, 0xff), 7);
	assert_int_equal(ets_next(&e, 0x7f), 5);
	assert_int_equal(ets_next(&e, 0x5f), 3);
	assert_int_equal(ets_next(&e, 0x57), 1); /* 0 is lower than 1, but not lower than 4 and 2 */
	assert_int_equal(ets_next(&e, 0x55), 0);
	assert_int_equal(ets_next(&e, 0x54), 4);
	assert_int_equal(ets_next(&e, 0x44), 2);
	assert_int_equal(ets_next(&e, 0x40), 6);
	for (unsigned i = 0; i < 1000; i++)
		assert_int_not_equal(send(&e, 0x54, FRAME_MAX), 6);
}

/*
 * A CNPV has a queue of its own: the two queues of its class are ordered by
 * priority, and share one bandwidth.
 */
static void test_two_queues_of_a_class(void **state)
{
	static const uint8_t classes[] = {1, 1, 1, 1, 2, 2, 2, 2};
	static const uint8_t bandwidth[] = {0, 50, 50, 0, 0, 0, 0, 0};
	struct tclass_map map;
	struct ets e = {0};
	unsigned sent[DCB_PRIORITIES] = {0};

	(void)state;
	tclass_map(&map, classes, 1 << 3);
	ets_configure(&e, &map, classes, 1 << 1 | 1 << 2, bandwidth);
	for (unsigned i = 0; i < 1000; i++)
		sent[send(&e, 1 << 0 | 1 << 3 | 1 << 4, 1000)]++;
	assert_int_equal(sent[0], 0);
	assert_int_equal(sent[3], 500);
	assert_int_equal(sent[4], 500);
	for (unsigned i = 0; i < 1000; i++)
		sent[send(&e, 1 << 0 | 1 << 4, 1000)]++;
	assert_int_equal(sent[0], 500);
}

/* Classes with a bandwidth of 0 share equally, if all have 0 and if only some have. */
static void test_zero_bandwidths_share_equally(void **state)
{
	static const uint8_t bandwidth[] = {100, 0, 0, 0, 0, 0, 0, 0};
	struct ets e;
	unsigned sent[DCB_PRIORITIES] = {0};

	(void)state;
	make(&e, 1 << 0 | 1 << 1 | 1 << 2, bandwidth);
	for (unsigned i = 0; i < 1000; i++)
		sent[send(&e, 1 << 0 | 1 << 1, 1000)]++;
	assert_int_equal(sent[0], 1000);
	/* The time that class 1 waited gives it no advantage over class 2. */
	for (unsigned i = 0; i < 1000; i++)
		sent[send(&e, 1 << 1 | 1 << 2, 1000)]++;
	assert_int_equal(sent[1], 500);
	assert_int_equal(sent[2], 500);
}

/* --- fairness bound -------------------------------------------------------------- */

/* Draws sharing classes with bandwidths that add up to 100. */
static uint8_t random_rules(struct dcb_rng *rng, uint8_t bandwidth[DCB_PRIORITIES])
{
	uint8_t sharing = (uint8_t)dcb_rng_uniform(rng, 1, 255);
	unsigned left = 100, last = 0;

	memset(bandwidth, 0, DCB_PRIORITIES);
	for (unsigned c = 0; c < DCB_PRIORITIES; c++) {
		if (!(sharing >> c & 1))
			continue;
		bandwidth[c] = (uint8_t)dcb_rng_uniform(rng, 0, left);
		left -= bandwidth[c];
		last = c;
	}
	bandwidth[last] = (uint8_t)(bandwidth[last] + left);
	return sharing;
}

/* Octets that two classes sent since both have had frames without a break. */
struct pair {
	uint64_t sent[2]; /* octets */
};

struct run {
	struct ets e;
	uint8_t sharing, bandwidth[DCB_PRIORITIES];
	uint32_t longest[DCB_PRIORITIES]; /* longest frame, octets */
	struct pair pair[DCB_PRIORITIES][DCB_PRIORITIES];
	uint64_t sent[DCB_PRIORITIES];
};

static bool is_entitled(const struct run *r, unsigned c)
{
	return (r->sharing >> c & 1) && r->bandwidth[c];
}

/* |W1/w1 - W2/w2| <= L1/w1 + L2/w2 */
static void check_pair(const struct run *r, unsigned a, unsigned b)
{
	const struct pair *p = &r->pair[a][b];
	int64_t apart =
	    (int64_t)(p->sent[0] * r->bandwidth[b]) - (int64_t)(p->sent[1] * r->bandwidth[a]);
	int64_t bound =
	    (int64_t)r->longest[a] * r->bandwidth[b] + (int64_t)r->longest[b] * r->bandwidth[a];

	assert_in_range(apart + bound, 0, 2 * bound);
}

/* Sends a frame. want: classes with frames, one bit each; octets: length of the frame. */
static void step(struct run *r, uint8_t want, uint32_t octets)
{
	unsigned sender = ets_next(&r->e, want);
	uint8_t strict = want & (uint8_t)~r->sharing;

	assert_true(want >> sender & 1);
	assert_true(octets <= r->longest[sender]);
	ets_sent(&r->e, sender, octets);
	r->sent[sender] += octets;
	if (strict) {
		assert_int_equal(sender, 31 - __builtin_clz(strict));
		sender = DCB_PRIORITIES;
	}
	for (unsigned a = 0; a < DCB_PRIORITIES; a++) {
		for (unsigned b = 0; b < a; b++) {
			struct pair *p = &r->pair[a][b];

			if (!is_entitled(r, a) || !is_entitled(r, b))
				continue;
			if (!(want >> a & want >> b & 1)) {
				*p = (struct pair){{0}};
				continue;
			}
			p->sent[0] += a == sender ? octets : 0;
			p->sent[1] += b == sender ? octets : 0;
			if (a == sender || b == sender)
				check_pair(r, a, b);
		}
	}
}

static void start(struct run *r, struct dcb_rng *rng)
{
	memset(r, 0, sizeof(*r));
	r->sharing = random_rules(rng, r->bandwidth);
	make(&r->e, r->sharing, r->bandwidth);
	for (unsigned c = 0; c < DCB_PRIORITIES; c++)
		r->longest[c] = dcb_rng_uniform(rng, FRAME_MIN, FRAME_MAX);
}

/*
 * Classes start and stop at random, with frames of any length. In every
 * interval, two classes that have frames throughout get their shares, except
 * for one frame of each.
 */
static void test_fairness_bound(void **state)
{
	struct dcb_rng rng;
	struct run r;

	(void)state;
	dcb_rng_seed(&rng, unit_seed(), 1);
	for (unsigned i = 0; i < 300; i++) {
		uint8_t want = 0xff;

		start(&r, &rng);
		for (unsigned n = 0; n < 3000; n++) {
			unsigned sender;

			if (dcb_rng_uniform(&rng, 0, i % 64) == 0)
				want ^= (uint8_t)(1u << dcb_rng_uniform(&rng, 0, 7));
			if (!want)
				continue;
			sender = ets_next(&r.e, want);
			step(&r, want, dcb_rng_uniform(&rng, FRAME_MIN, r.longest[sender]));
		}
	}
}

/* After 50 MB with bandwidths from 50 to 1 %, the shares are exact but for a frame. */
static void test_long_run_shares_are_exact(void **state)
{
	static const uint8_t bandwidth[] = {1, 2, 0, 4, 13, 0, 30, 50};
	const uint8_t sharing = 0xdb;
	double worst = 0;
	uint64_t total = 0;
	struct dcb_rng rng;
	struct run r = {.sharing = sharing};

	(void)state;
	dcb_rng_seed(&rng, unit_seed(), 1);
	memcpy(r.bandwidth, bandwidth, sizeof(bandwidth));
	make(&r.e, sharing, bandwidth);
	for (unsigned c = 0; c < DCB_PRIORITIES; c++)
		r.longest[c] = 1542 - 100 * c;
	while (total < 50000000) {
		unsigned sender = ets_next(&r.e, sharing);
		uint32_t octets = dcb_rng_uniform(&rng, FRAME_MIN, r.longest[sender]);

		step(&r, sharing, octets);
		total += octets;
	}
	for (unsigned c = 0; c < DCB_PRIORITIES; c++) {
		double share = 100.0 * (double)r.sent[c] / (double)total;
		double off = bandwidth[c] ? share / bandwidth[c] - 1 : share;

		worst = off > worst ? off : -off > worst ? -off : worst;
	}
	print_message("largest error of a share after 50 MB: %.4f %%\n", 100 * worst);
	assert_true(worst < 0.005);
}

/* --- changes -------------------------------------------------------------------------- */

/* A class that was the only sender, or was idle, then gets exactly its share. */
static void test_no_credit_and_no_debt_after_idle(void **state)
{
	static const uint8_t bandwidth[] = {10, 90, 0, 0, 0, 0, 0, 0};
	struct ets e;

	(void)state;
	make(&e, 3, bandwidth);
	for (unsigned alone = 0; alone < 2; alone++) {
		unsigned sent[2] = {0};

		for (unsigned i = 0; i < 100000; i++)
			assert_int_equal(send(&e, (uint8_t)(1u << alone), 1500), alone);
		for (unsigned i = 0; i < 100; i++)
			sent[send(&e, 3, 1500)]++;
		assert_in_range(sent[0], 9, 11);
	}
}

/* Configuring the same rules has no effect; another bandwidth resets the start tags. */
static void test_same_rules_keep_start_tags(void **state)
{
	uint8_t bandwidth[] = {1, 99, 0, 0, 0, 0, 0, 0};
	struct tclass_map map;
	struct ets e, before;

	(void)state;
	make(&e, 3, bandwidth);
	assert_int_equal(send(&e, 1, 1500), 0);
	before = e;
	tclass_map(&map, own_class, 0);
	ets_configure(&e, &map, own_class, 3, bandwidth);
	assert_memory_equal(&e, &before, sizeof(e));
	for (unsigned i = 0; i < 50; i++)
		assert_int_equal(send(&e, 3, 1500), 1);
	bandwidth[0] = 50;
	bandwidth[1] = 50;
	ets_configure(&e, &map, own_class, 3, bandwidth);
	assert_int_equal(send(&e, 3, 1500), 1);
	assert_int_equal(send(&e, 3, 1500), 0);
}

/* The largest start tags: no overflow in years. */
static void test_largest_start_tags_do_not_overflow(void **state)
{
	static const uint8_t bandwidth[] = {16, 9, 5, 7, 11, 13, 17, 19};
	uint64_t sent[DCB_PRIORITIES] = {0};
	struct ets e;

	(void)state;
	make(&e, 0xff, bandwidth);
	assert_int_equal(e.rules.price[0] * 16, 232792560);
	for (unsigned i = 0; i < 97 * 1000; i++)
		sent[send(&e, 0xff, 1 << 30)]++;
	for (unsigned c = 0; c < DCB_PRIORITIES; c++)
		assert_in_range(sent[c], bandwidth[c] * 1000u - 1, bandwidth[c] * 1000u + 1);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_strict_classes_before_sharing),
	    cmocka_unit_test(test_two_queues_of_a_class),
	    cmocka_unit_test(test_zero_bandwidths_share_equally),
	    cmocka_unit_test(test_fairness_bound),
	    cmocka_unit_test(test_long_run_shares_are_exact),
	    cmocka_unit_test(test_no_credit_and_no_debt_after_idle),
	    cmocka_unit_test(test_same_rules_keep_start_tags),
	    cmocka_unit_test(test_largest_start_tags_do_not_overflow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
