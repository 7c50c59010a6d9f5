/* SPDX-License-Identifier: BSD-3-Clause */
/* Accounts of the shared frame memory: each rule of core/buffer.h. */
#include "tests/unit/buffer_checks.h"

#define ALPHA_1 0 /* exponents */
#define ALPHA_2 1

/* A lossy account of a pool, without reserve. */
static struct buffer_account lossy(struct buffer_pool *pool, int8_t alpha)
{
	return (struct buffer_account){
	    .pool = pool,
	    .quota = {.limit_octets = UINT32_MAX, .alpha = alpha},
	};
}

static bool takes(struct buffer_account *a, uint32_t len)
{
	enum buffer_verdict verdict = buffer_take(a, len);

	return verdict == BUFFER_FITS || verdict == BUFFER_CONGESTED;
}

/* Takes frames of a length until one is refused. Returns how many fitted. */
static uint32_t fill(struct buffer_account *a, uint32_t len)
{
	uint32_t n = 0;

	while (takes(a, len))
		n++;
	return n;
}

static void drain(struct buffer_account *a, uint32_t len, uint32_t n)
{
	while (n-- > 0)
		buffer_release(a, len, 1);
}

/* --- order of the parts ------------------------------------------------------------- */

/* Reserve 1000 octets, shared at most 500, headroom 800; two, one and three frames. */
struct small {
	struct buffer_pool shared, headroom;
	struct buffer_account a;
};

static void small_init(struct small *s)
{
	s->shared = pool_of(1000, 2);
	s->headroom = pool_of(5000, 50);
	s->a = (struct buffer_account){
	    .pool = &s->shared,
	    .headroom_pool = &s->headroom,
	    .quota = {.reserve = {1000, 2},
		      .headroom = {800, 3},
		      .limit_octets = UINT32_MAX,
		      .alpha = ALPHA_1},
	};
}

static void test_octets_fill_reserve_then_shared_then_headroom(void **state)
{
	struct small s;

	(void)state;
	small_init(&s);
	s.a.quota.reserve.frames = 10;
	assert_int_equal(buffer_take(&s.a, 999), BUFFER_FITS);
	check_shared(&s.a, 0, 0);
	/* Divided between reserve and pool. The free half of the pool is the threshold. */
	assert_int_equal(buffer_take(&s.a, 500), BUFFER_FITS);
	check_shared(&s.a, 499, 0);
	assert_int_equal(buffer_threshold_octets(&s.a), 501);
	/* Two fit below the threshold, which each octet reduces by one. */
	assert_int_equal(buffer_take(&s.a, 300), BUFFER_CONGESTED);
	check_shared(&s.a, 501, 0);
	check_use(&s.a.headroom, 298, 0);
	assert_int_equal(buffer_take(&s.a, 502), BUFFER_CONGESTED);
	check_use(&s.a.headroom, 800, 0);
	assert_int_equal(buffer_take(&s.a, 1), BUFFER_NO_OCTETS);
	check_use(&s.a.held, 2301, 4);
	check_used(&s.shared, 501, 0);
	check_used(&s.headroom, 800, 0);
}

static void test_frames_fill_reserve_then_shared_then_headroom(void **state)
{
	static const struct buffer_use shared[] = {{0, 0}, {0, 0}, {0, 1}, {0, 1}, {0, 1}, {0, 1}};
	static const uint32_t headroom[] = {0, 0, 0, 1, 2, 3};
	struct small s;

	(void)state;
	small_init(&s);
	for (unsigned i = 0; i < UNIT_COUNT(shared); i++) {
		assert_int_equal(buffer_take(&s.a, 64), i < 2 ? BUFFER_FITS : BUFFER_CONGESTED);
		check_shared(&s.a, shared[i].octets, shared[i].frames);
		assert_int_equal(s.a.headroom.frames, headroom[i]);
	}
	assert_int_equal(buffer_take(&s.a, 64), BUFFER_NO_FRAMES);
	check_use(&s.a.held, 6 * 64, 6);
	assert_int_equal(s.a.no_frames, 1);
	assert_int_equal(s.a.no_octets, 0);
}

static void test_parts_empty_in_reverse(void **state)
{
	struct small s;

	(void)state;
	small_init(&s);
	s.a.quota.reserve.frames = 10;
	assert_true(takes(&s.a, 900));
	assert_true(takes(&s.a, 600)); /* 100 in the reserve, 500 shared */
	assert_true(takes(&s.a, 150));
	check_shared(&s.a, 500, 0);
	check_use(&s.a.headroom, 150, 0);
	/* Whichever frame leaves, headroom and pool are free first. */
	buffer_release(&s.a, 600, 1);
	check_use(&s.a.headroom, 0, 0);
	check_shared(&s.a, 50, 0);
	check_use(&s.a.held, 1050, 2);
	buffer_release(&s.a, 900, 1);
	check_shared(&s.a, 0, 0);
	check_use(&s.a.held, 150, 1);
	buffer_release(&s.a, 150, 1);
	check_use(&s.a.held, 0, 0);
	check_used(&s.shared, 0, 0);
	check_used(&s.headroom, 0, 0);
}

static void test_an_account_of_zeros_holds_nothing(void **state)
{
	struct buffer_pool pool = pool_of(1000, 10);
	struct buffer_account a = {.pool = &pool};

	(void)state;
	assert_int_equal(buffer_take(&a, 1), BUFFER_NO_OCTETS);
	check_use(&a.held, 0, 0);
}

static void test_lossy_account_has_no_headroom_and_is_never_congested(void **state)
{
	struct buffer_pool pool = pool_of(1000, 100);
	struct buffer_account a = lossy(&pool, ALPHA_1);

	(void)state;
	a.quota.headroom = (struct buffer_use){1000, 100};
	assert_int_equal(buffer_take(&a, 500), BUFFER_FITS);
	assert_int_equal(buffer_take(&a, 1), BUFFER_NO_OCTETS);
	check_use(&a.headroom, 0, 0);
}

/* --- reserve --------------------------------------------------------------------------- */

static void test_reserve_is_available_while_the_pool_is_full(void **state)
{
	struct buffer_pool pool = pool_of(10000, 100);
	struct buffer_account greedy = lossy(&pool, BUFFER_ALPHA_MAX),
			      quiet = lossy(&pool, ALPHA_1);

	(void)state;
	quiet.quota.reserve = (struct buffer_use){3000, 3};
	assert_int_equal(fill(&greedy, 100), 100);
	for (unsigned part = 0; part < 3; part++) {
		/* First as it is, then with no octet free, then with a pool that was reduced. */
		if (part == 1)
			buffer_pool_resize(&pool, &(struct buffer_sum){10000, 100});
		if (part == 2)
			buffer_pool_resize(&pool, &(struct buffer_sum){1, 1});
		for (unsigned i = 0; i < 3; i++)
			assert_int_equal(buffer_take(&quiet, 1000), BUFFER_FITS);
		if (part > 0) /* of its own, and nothing of the pool */
			assert_int_equal(buffer_take(&quiet, 1), BUFFER_NO_OCTETS);
		check_shared(&quiet, 0, 0);
		drain(&quiet, 1000, 3);
	}
	assert_int_equal(buffer_pool_used(&pool).octets, buffer_shared(&greedy).octets);
}

static void test_reserve_of_one_resource_does_not_give_the_other(void **state)
{
	struct buffer_pool pool = pool_of(0, 0);
	struct buffer_account octets = lossy(&pool, ALPHA_1), frames = lossy(&pool, ALPHA_1);

	(void)state;
	octets.quota.reserve = (struct buffer_use){1000, 0};
	frames.quota.reserve = (struct buffer_use){0, 10};
	assert_int_equal(buffer_take(&octets, 64), BUFFER_NO_FRAMES);
	assert_int_equal(buffer_take(&frames, 64), BUFFER_NO_OCTETS);
	check_use(&octets.held, 0, 0);
	check_use(&frames.held, 0, 0);
}

/* --- thresholds -------------------------------------------------------------------------- */

/* One account alone holds alpha / (1 + alpha) of its pool. */
static void test_alpha_of_one_account(void **state)
{
	(void)state;
	for (int alpha = BUFFER_ALPHA_MIN; alpha <= BUFFER_ALPHA_MAX; alpha++) {
		struct buffer_pool pool = pool_of(1 << 20, UINT32_MAX);
		struct buffer_account a = lossy(&pool, (int8_t)alpha);
		uint64_t whole = 1 << 20;
		uint64_t part = alpha < 0 ? whole / (1 + (1u << -alpha))
					  : whole * (1u << alpha) / (1 + (1u << alpha));

		(void)fill(&a, 1);
		assert_in_range(buffer_shared(&a).octets, part - 1, part + 1);
		assert_true(buffer_pool_used(&pool).octets < pool.size.octets);
		assert_int_equal(a.no_octets, 1);
	}
}

/* The same for frame buffers: frames of no octets, so that only these are limited. */
static void test_alpha_of_frames(void **state)
{
	(void)state;
	for (int alpha = BUFFER_ALPHA_MIN; alpha <= BUFFER_ALPHA_MAX; alpha++) {
		struct buffer_pool pool = pool_of(0, 1 << 16);
		struct buffer_account a = lossy(&pool, (int8_t)alpha);
		uint64_t whole = 1 << 16;
		uint64_t part = alpha < 0 ? whole / (1 + (1u << -alpha))
					  : whole * (1u << alpha) / (1 + (1u << alpha));

		(void)fill(&a, 0);
		assert_in_range(buffer_shared(&a).frames, part - 1, part + 1);
		assert_int_equal(a.no_frames, 1);
	}
}

#define COMPETITORS_MAX 16

/* Accounts that want more than there is, in turn: equal to a frame, and some of the pool is free.
 */
static void test_competitors_get_equal_parts(void **state)
{
	const uint32_t len = 100;

	(void)state;
	for (int alpha = -3; alpha <= 6; alpha++) {
		for (uint64_t n = 2; n <= COMPETITORS_MAX; n++) {
			struct buffer_pool pool = pool_of(1000000, UINT32_MAX);
			struct buffer_account a[COMPETITORS_MAX];
			uint64_t least = UINT64_MAX, most = 0, free;
			bool any = true;

			for (unsigned i = 0; i < n; i++)
				a[i] = lossy(&pool, (int8_t)alpha);
			while (any) {
				any = false;
				for (unsigned i = 0; i < n; i++)
					any |= takes(&a[i], len);
			}
			for (unsigned i = 0; i < n; i++) {
				least = buffer_shared(&a[i]).octets < least
					    ? buffer_shared(&a[i]).octets
					    : least;
				most = buffer_shared(&a[i]).octets > most
					   ? buffer_shared(&a[i]).octets
					   : most;
			}
			free = pool.size.octets - buffer_pool_used(&pool).octets;
			assert_true(most - least <= len);
			assert_true(free > 0);
			assert_true(least + len > buffer_scale(free, (int8_t)alpha));
			assert_true(most <= buffer_scale(free + n * len, (int8_t)alpha));
		}
	}
}

/* Accounts that hold all they may give way to a new one, as their frames leave. */
static void test_a_new_competitor_gets_its_part(void **state)
{
	enum { N = 4, LEN = 100, STEPS = 20000 };
	struct buffer_pool pool = pool_of(200000, UINT32_MAX);
	struct buffer_account a[N];
	struct dcb_rng rng;

	(void)state;
	dcb_rng_seed(&rng, unit_seed(), 1);
	for (unsigned i = 0; i < N; i++)
		a[i] = lossy(&pool, ALPHA_1);
	for (unsigned i = 0; i < N - 1; i++)
		(void)fill(&a[i], LEN);
	assert_true(takes(&a[N - 1], LEN));
	for (unsigned i = 0; i < STEPS; i++) {
		struct buffer_account *leaves = &a[dcb_rng_uniform(&rng, 0, N - 1)];

		if (leaves->held.frames)
			buffer_release(leaves, LEN, 1);
		for (unsigned j = 0; j < 2 * N; j++)
			(void)takes(&a[dcb_rng_uniform(&rng, 0, N - 1)], LEN);
	}
	for (unsigned i = 0; i < N; i++) /* a fifth of the pool each, and a fifth is free */
		assert_in_range(buffer_shared(&a[i]).octets, 40000 - 10 * LEN, 40000 + 10 * LEN);
}

static void test_static_limit_of_octets(void **state)
{
	struct buffer_pool pool = pool_of(1000000, UINT32_MAX);
	struct buffer_account a = lossy(&pool, BUFFER_ALPHA_MAX);

	(void)state;
	a.quota.limit_octets = 1234;
	a.quota.reserve = (struct buffer_use){100, 0};
	assert_int_equal(fill(&a, 1), 1334);
	assert_int_equal(buffer_shared(&a).octets, 1234);
	assert_int_equal(buffer_threshold_octets(&a), 1234);
	/* The dynamic threshold is lower when the pool is nearly full. */
	pool.free_octets -= 998762;
	assert_int_equal(buffer_threshold_octets(&a), 1024);
	pool.free_octets -= 3;
	assert_int_equal(buffer_threshold_octets(&a), 256);
}

static void test_second_pool_limits_octets_but_not_frames(void **state)
{
	struct buffer_pool pool = pool_of(1000000, 1000), port = pool_of(3000, 1);
	struct buffer_account a = lossy(&pool, ALPHA_2), b = lossy(&pool, ALPHA_2);
	struct buffer_account other = lossy(&pool, ALPHA_2);

	(void)state;
	a.within = b.within = &port;
	assert_int_equal(fill(&a, 100), 20); /* two thirds of the port's */
	check_used(&port, 2000, 0);
	check_used(&pool, 2000, 20);
	/* Another queue of that port shares it, another port does not. */
	assert_int_equal(fill(&b, 100), 7);
	assert_true(fill(&other, 100) > 100);
	check_used(&port, 2700, 0);
	assert_int_equal(buffer_pool_used(&pool).octets, 2700 + buffer_shared(&other).octets);
	drain(&a, 100, 20);
	drain(&b, 100, 7);
	check_used(&port, 0, 0);
	check_used(&pool, buffer_shared(&other).octets, buffer_shared(&other).frames);
}

/* Of the two pools the one with less free memory sets the threshold. */
static void test_threshold_is_of_the_fuller_pool(void **state)
{
	struct buffer_pool pool = pool_of(1000, 10), port = pool_of(3000, 10);
	struct buffer_account a = lossy(&pool, ALPHA_2);

	(void)state;
	a.within = &port;
	assert_int_equal(buffer_threshold_octets(&a), 2000);
	port.free_octets -= 2500;
	assert_int_equal(buffer_threshold_octets(&a), 1000);
	port.free_octets = -1; /* reduced while it was in use */
	assert_int_equal(buffer_threshold_octets(&a), 0);
	pool.free_octets = -1;
	port.free_octets = 3000;
	assert_int_equal(buffer_threshold_octets(&a), 0);
}

/* A threshold above the free octets does not give more than there are. */
static void test_pool_is_never_exceeded_by_a_large_alpha(void **state)
{
	struct buffer_pool pool = pool_of(1000, 10);
	struct buffer_account a = lossy(&pool, BUFFER_ALPHA_MAX);

	(void)state;
	assert_int_equal(buffer_take(&a, 1001), BUFFER_NO_OCTETS);
	assert_int_equal(buffer_take(&a, 1000), BUFFER_FITS);
	assert_int_equal(buffer_take(&a, 1), BUFFER_NO_OCTETS);
	assert_int_equal(buffer_pool_used(&pool).octets, 1000);
}

/* --- congestion -------------------------------------------------------------------------- */

static void test_congested_from_the_threshold_on(void **state)
{
	struct buffer_pool shared = pool_of(3000, 1000), headroom = pool_of(10000, 100);
	struct buffer_account a = lossy(&shared, ALPHA_1);

	(void)state;
	a.headroom_pool = &headroom;
	a.quota.headroom = (struct buffer_use){10000, 100};
	assert_int_equal(buffer_take(&a, 1499), BUFFER_FITS); /* threshold 1501 */
	assert_false(buffer_is_congested(&a));
	assert_int_equal(buffer_take(&a, 1), BUFFER_CONGESTED); /* threshold 1500 */
	assert_true(buffer_is_congested(&a));
	check_use(&a.headroom, 0, 0);
	/* Frames of another account reduce the threshold, so this one is congested again. */
	buffer_release(&a, 1, 1);
	assert_false(buffer_is_congested(&a));
	shared.free_octets -= 2;
	assert_true(buffer_is_congested(&a));
}

static void test_frames_alone_congest(void **state)
{
	struct buffer_pool shared = pool_of(1 << 30, 4), headroom = pool_of(10000, 100);
	struct buffer_account a = lossy(&shared, ALPHA_1);

	(void)state;
	a.headroom_pool = &headroom;
	a.quota.headroom = (struct buffer_use){10000, 100};
	assert_int_equal(buffer_take(&a, 60), BUFFER_FITS);
	assert_int_equal(buffer_take(&a, 60), BUFFER_CONGESTED);
	buffer_release(&a, 60, 1);
	assert_false(buffer_is_congested(&a));
}

static void test_xon_needs_an_empty_headroom_and_both_margins(void **state)
{
	static const struct buffer_xon xon = {500, UINT32_MAX};
	struct buffer_pool shared = pool_of(4000, 20), headroom = pool_of(10000, 100);
	struct buffer_account a = lossy(&shared, ALPHA_1);

	(void)state;
	a.headroom_pool = &headroom;
	a.quota.headroom = (struct buffer_use){10000, 100};
	assert_int_equal(buffer_take(&a, 2000), BUFFER_CONGESTED);
	assert_int_equal(buffer_take(&a, 100), BUFFER_CONGESTED);
	check_use(&a.headroom, 100, 0);
	assert_false(buffer_is_below_xon(&a, &xon));
	buffer_release(&a, 100, 0); /* headroom empty, 2000 shared of 2000 */
	assert_false(buffer_is_below_xon(&a, &xon));
	buffer_release(&a, 249, 0); /* 1751 + 500 > 4000 - 1751 */
	assert_false(buffer_is_below_xon(&a, &xon));
	buffer_release(&a, 1, 0); /* 1750 + 500 = 2250 */
	assert_true(buffer_is_below_xon(&a, &xon));
	for (unsigned i = 0; i < 7; i++) /* nine frames of eleven: two below the threshold */
		assert_true(takes(&a, 0));
	assert_true(buffer_is_below_xon(&a, &xon));
	assert_true(takes(&a, 0));
	assert_false(buffer_is_below_xon(&a, &xon));
}

/* Whatever the threshold, an account that holds more than that is not below XON. */
static void test_xon_needs_no_more_than_its_octets(void **state)
{
	static const struct buffer_xon xon = {500, 1000};
	struct buffer_pool shared = pool_of(1 << 20, 1000), headroom = pool_of(10000, 100);
	struct buffer_account a = lossy(&shared, ALPHA_1);

	(void)state;
	a.headroom_pool = &headroom;
	a.quota.headroom = (struct buffer_use){10000, 100};
	assert_int_equal(buffer_take(&a, 1001), BUFFER_FITS);
	assert_false(buffer_is_below_xon(&a, &xon));
	buffer_release(&a, 1, 0);
	assert_true(buffer_is_below_xon(&a, &xon));
}

/* Also if there is no shared memory at all: a paused neighbor would never send again. */
static void test_an_account_that_holds_nothing_is_below_xon(void **state)
{
	static const struct buffer_xon xon = {18432, UINT32_MAX};
	struct buffer_pool shared = pool_of(0, 0), headroom = pool_of(20000, 10);
	struct buffer_account a = lossy(&shared, ALPHA_1);

	(void)state;
	a.headroom_pool = &headroom;
	a.quota.headroom = (struct buffer_use){20000, 10};
	assert_true(buffer_is_below_xon(&a, &xon));
	assert_int_equal(buffer_take(&a, 60), BUFFER_CONGESTED);
	assert_false(buffer_is_below_xon(&a, &xon));
	buffer_release(&a, 60, 1);
	assert_true(buffer_is_below_xon(&a, &xon));
	assert_false(
	    buffer_is_congested(&a)); /* or XOFF and XON would follow each other for ever */
}

/* A pool that others have used up pauses no account that is within its reserve. */
static void test_an_account_within_its_reserve_is_not_congested(void **state)
{
	struct buffer_pool shared = pool_of(0, 0), headroom = pool_of(20000, 10);
	struct buffer_account a = lossy(&shared, ALPHA_1);

	(void)state;
	a.headroom_pool = &headroom;
	a.quota.headroom = (struct buffer_use){20000, 10};
	a.quota.reserve = (struct buffer_use){3000, 4};
	assert_int_equal(buffer_take(&a, 1500), BUFFER_FITS);
	assert_int_equal(buffer_take(&a, 1499), BUFFER_FITS);
	assert_int_equal(buffer_take(&a, 1), BUFFER_CONGESTED);
}

/* --- headroom ---------------------------------------------------------------------------- */

static void test_headroom_is_limited_by_quota_and_pool(void **state)
{
	struct buffer_pool shared = pool_of(0, 0), headroom = pool_of(1500, 30);
	struct buffer_account a = lossy(&shared, ALPHA_1), b = a;

	(void)state;
	a.headroom_pool = b.headroom_pool = &headroom;
	a.quota.headroom = b.quota.headroom = (struct buffer_use){1000, 20};
	assert_int_equal(fill(&a, 50), 20); /* all of its quota: the pool has room */
	assert_int_equal(a.no_octets, 1);
	assert_int_equal(fill(&b, 50), 10); /* what the pool has left */
	assert_int_equal(b.no_octets, 1);
	buffer_release(&a, 50, 1);
	assert_int_equal(buffer_take(&b, 50), BUFFER_CONGESTED);
	check_used(&headroom, 1500, 30);
}

static void test_headroom_of_frames_is_limited_by_quota_and_pool(void **state)
{
	struct buffer_pool shared = pool_of(0, 0), headroom = pool_of(1500, 30);
	struct buffer_account a = lossy(&shared, ALPHA_1), b = a;

	(void)state;
	a.headroom_pool = b.headroom_pool = &headroom;
	a.quota.headroom = b.quota.headroom = (struct buffer_use){1000, 20};
	assert_int_equal(fill(&a, 1), 20);
	assert_int_equal(a.no_frames, 1);
	assert_int_equal(fill(&b, 1), 10);
	assert_int_equal(b.no_frames, 1);
	assert_int_equal(a.no_octets + b.no_octets, 0);
}

/* --- refusals ---------------------------------------------------------------------------- */

static void test_refusal_counts_its_reason_and_changes_nothing(void **state)
{
	static const struct {
		uint32_t octets, frames; /* of the pool */
		enum buffer_verdict verdict;
	} cases[] = {
	    {100, 10, BUFFER_FITS},
	    {99, 10, BUFFER_NO_OCTETS},
	    {100, 0, BUFFER_NO_FRAMES},
	    {99, 0, BUFFER_NO_OCTETS}, /* both: octets are the reason */
	};

	(void)state;
	for (unsigned i = 0; i < UNIT_COUNT(cases); i++) {
		struct buffer_pool pool = pool_of(cases[i].octets, cases[i].frames), before = pool;
		struct buffer_account a = lossy(&pool, ALPHA_1);

		assert_int_equal(buffer_take(&a, 100), cases[i].verdict);
		assert_int_equal(a.no_octets, cases[i].verdict == BUFFER_NO_OCTETS);
		assert_int_equal(a.no_frames, cases[i].verdict == BUFFER_NO_FRAMES);
		if (cases[i].verdict == BUFFER_FITS)
			continue;
		assert_memory_equal(&pool, &before, sizeof(pool));
		check_use(&a.held, 0, 0);
		check_peak(&a, 0, 0);
	}
}

/* --- changes of the quota ------------------------------------------------------------------ */

static void test_new_quota_keeps_what_is_held(void **state)
{
	struct buffer_quota quota;
	struct small s;

	(void)state;
	small_init(&s);
	s.a.quota.reserve.frames = 10;
	assert_true(takes(&s.a, 1000) && takes(&s.a, 500) && takes(&s.a, 200));
	check_use(&s.a.headroom, 200, 0);
	/* A larger reserve returns octets to the pools. */
	quota = s.a.quota;
	quota.reserve = (struct buffer_use){1600, 2};
	buffer_configure(&s.a, &quota);
	check_use(&s.a.held, 1700, 3);
	check_shared(&s.a, 100, 1);
	check_use(&s.a.headroom, 0, 0);
	check_used(&s.shared, 100, 1);
	check_used(&s.headroom, 0, 0);
	/* Without any quota all of it is shared, although that is above the threshold. */
	buffer_configure(&s.a, &(struct buffer_quota){0});
	check_use(&s.a.held, 1700, 3);
	check_shared(&s.a, 1700, 3);
	check_used(&s.shared, 1700, 3);
	assert_int_equal(buffer_take(&s.a, 1), BUFFER_NO_OCTETS);
	buffer_release(&s.a, 1000, 1);
	buffer_release(&s.a, 500, 1);
	buffer_release(&s.a, 200, 1);
	check_use(&s.a.held, 0, 0);
	check_used(&s.shared, 0, 0);
}

/* A thread that reads while the pool is made smaller gets no number below zero. */
static void test_use_read_during_a_resize_is_not_negative(void **state)
{
	struct buffer_pool pool = pool_of(1000, 10), half = pool;

	(void)state;
	half.size = (struct buffer_sum){500, 5};
	check_used(&half, 0, 0);
	half.free_octets = -300;
	half.free_frames = -2;
	check_used(&half, 800, 7);
}

static void test_frames_taken_over_count_above_the_threshold(void **state)
{
	struct buffer_pool pool = pool_of(1000, 10), port = pool_of(300, 10);
	struct buffer_account a = lossy(&pool, ALPHA_1);

	(void)state;
	a.within = &port;
	a.quota.reserve = (struct buffer_use){100, 1};
	buffer_take_over(&a, 900);
	buffer_take_over(&a, 900);
	check_use(&a.held, 1800, 2);
	check_shared(&a, 1700, 1);
	check_used(&pool, 1700, 1);
	check_used(&port, 1700, 0);
	assert_int_equal(a.no_octets + a.no_frames, 0);
	assert_int_equal(buffer_take(&a, 1), BUFFER_NO_OCTETS);
	drain(&a, 900, 2);
	check_shared(&a, 0, 0);
	check_used(&pool, 0, 0);
	check_used(&port, 0, 0);
}

static void test_shorter_frame_frees_octets_and_no_frame_buffer(void **state)
{
	struct small s;

	(void)state;
	small_init(&s);
	s.a.quota.reserve.frames = 10;
	assert_true(takes(&s.a, 1000) && takes(&s.a, 500) && takes(&s.a, 200));
	buffer_release(&s.a, 150, 0);
	check_use(&s.a.headroom, 50, 0);
	buffer_release(&s.a, 60, 0);
	check_use(&s.a.headroom, 0, 0);
	check_shared(&s.a, 490, 0);
	check_use(&s.a.held, 1490, 3);
	buffer_release(&s.a, 1000, 1);
	buffer_release(&s.a, 490, 1);
	check_use(&s.a.held, 0, 1);
}

static void test_peaks_are_maxima_since_they_were_cleared(void **state)
{
	struct small s;

	(void)state;
	small_init(&s);
	assert_true(takes(&s.a, 1000) && takes(&s.a, 500) && takes(&s.a, 200));
	buffer_pool_note_peak(&s.shared);
	buffer_pool_note_peak(&s.headroom);
	buffer_release(&s.a, 200, 1);
	check_peak(&s.a, 1700, 3);
	check_use(&s.a.headroom_peak, 200, 0);
	check_sum(&s.shared.peak, 500, 1);
	check_sum(&s.headroom.peak, 200, 0);
	buffer_clear_peaks(&s.a);
	buffer_pool_clear_peak(&s.shared);
	buffer_pool_clear_peak(&s.headroom);
	check_peak(&s.a, 1500, 2);
	check_use(&s.a.headroom_peak, 0, 0);
	check_sum(&s.shared.peak, 500, 0);
	check_sum(&s.headroom.peak, 0, 0);
	assert_true(takes(&s.a, 100));
	check_peak(&s.a, 1600, 3);
	check_use(&s.a.headroom_peak, 100, 0);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_octets_fill_reserve_then_shared_then_headroom),
	    cmocka_unit_test(test_frames_fill_reserve_then_shared_then_headroom),
	    cmocka_unit_test(test_parts_empty_in_reverse),
	    cmocka_unit_test(test_an_account_of_zeros_holds_nothing),
	    cmocka_unit_test(test_lossy_account_has_no_headroom_and_is_never_congested),
	    cmocka_unit_test(test_reserve_is_available_while_the_pool_is_full),
	    cmocka_unit_test(test_reserve_of_one_resource_does_not_give_the_other),
	    cmocka_unit_test(test_alpha_of_one_account),
	    cmocka_unit_test(test_alpha_of_frames),
	    cmocka_unit_test(test_competitors_get_equal_parts),
	    cmocka_unit_test(test_a_new_competitor_gets_its_part),
	    cmocka_unit_test(test_static_limit_of_octets),
	    cmocka_unit_test(test_second_pool_limits_octets_but_not_frames),
	    cmocka_unit_test(test_threshold_is_of_the_fuller_pool),
	    cmocka_unit_test(test_pool_is_never_exceeded_by_a_large_alpha),
	    cmocka_unit_test(test_congested_from_the_threshold_on),
	    cmocka_unit_test(test_frames_alone_congest),
	    cmocka_unit_test(test_xon_needs_an_empty_headroom_and_both_margins),
	    cmocka_unit_test(test_xon_needs_no_more_than_its_octets),
	    cmocka_unit_test(test_an_account_that_holds_nothing_is_below_xon),
	    cmocka_unit_test(test_an_account_within_its_reserve_is_not_congested),
	    cmocka_unit_test(test_headroom_is_limited_by_quota_and_pool),
	    cmocka_unit_test(test_headroom_of_frames_is_limited_by_quota_and_pool),
	    cmocka_unit_test(test_refusal_counts_its_reason_and_changes_nothing),
	    cmocka_unit_test(test_new_quota_keeps_what_is_held),
	    cmocka_unit_test(test_use_read_during_a_resize_is_not_negative),
	    cmocka_unit_test(test_frames_taken_over_count_above_the_threshold),
	    cmocka_unit_test(test_shorter_frame_frees_octets_and_no_frame_buffer),
	    cmocka_unit_test(test_peaks_are_maxima_since_they_were_cleared),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
