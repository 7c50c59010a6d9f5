/* SPDX-License-Identifier: BSD-3-Clause */
/* Division of the frame memory into promised, shared and missing parts. */
#include "tests/unit/buffer_checks.h"

#include <string.h>

/* --- division of the memory -------------------------------------------------------- */

static const struct buffer_rules rules = {.lossless_percent = 50, .headroom_ratio = 1};

static void test_promises_are_sums_of_the_quotas(void **state)
{
	const struct buffer_quota lossless = {.reserve = {100, 2}, .headroom = {5000, 60}};
	const struct buffer_quota reserve_only = {.reserve = {70, 1}};
	const struct buffer_quota largest = {.reserve = {UINT32_MAX, UINT32_MAX},
					     .headroom = {UINT32_MAX, UINT32_MAX}};
	struct buffer_promises sum = {0};

	(void)state;
	buffer_promises_add(&sum, &lossless);
	buffer_promises_add(&sum, &reserve_only);
	buffer_promises_add(&sum, &lossless);
	check_sum(&sum.reserve, 270, 5);
	check_sum(&sum.headroom, 10000, 120);
	assert_int_equal(sum.lossless, 2);
	buffer_promises_add(&sum, &largest);
	buffer_promises_add(&sum, &largest);
	check_sum(&sum.reserve, 270 + 2 * (uint64_t)UINT32_MAX, 5 + 2 * (uint64_t)UINT32_MAX);
	buffer_promises_subtract(&sum, &largest);
	buffer_promises_subtract(&sum, &largest);
	buffer_promises_subtract(&sum, &lossless);
	buffer_promises_subtract(&sum, &reserve_only);
	buffer_promises_subtract(&sum, &lossless);
	assert_memory_equal(&sum, &(struct buffer_promises){0}, sizeof(sum));
}

static void test_memory_is_reserves_headroom_and_shared_pools(void **state)
{
	const struct buffer_sum memory = {100000, 1000};
	const struct buffer_promises sum = {{10000, 100}, {30000, 300}, 4};
	struct buffer_plan plan = buffer_plan(&memory, &sum, &rules);

	(void)state;
	assert_true(buffer_plan_fits(&plan));
	check_sum(&plan.headroom, 30000, 300);
	check_sum(&plan.lossless, 30000, 300);
	check_sum(&plan.lossy, 30000, 300);
	check_sum(&plan.missing, 0, 0);
}

static void test_without_lossless_accounts_the_shared_memory_is_lossy(void **state)
{
	const struct buffer_sum memory = {100000, 1000};
	const struct buffer_promises sum = {{10000, 100}, {0, 0}, 0};
	struct buffer_plan plan = buffer_plan(&memory, &sum, &rules);

	(void)state;
	check_sum(&plan.lossless, 0, 0);
	check_sum(&plan.lossy, 90000, 900);
}

static void test_lossless_share_in_percent(void **state)
{
	const struct buffer_sum memory = {1099, 7};
	const struct buffer_promises sum = {{0, 0}, {0, 0}, 1};

	(void)state;
	for (unsigned percent = 1; percent < 100; percent++) {
		const struct buffer_rules part = {.lossless_percent = (uint8_t)percent,
						  .headroom_ratio = 1};
		struct buffer_plan plan = buffer_plan(&memory, &sum, &part);

		check_sum(&plan.lossless, 1099 * percent / 100, 7 * percent / 100);
		check_sum(&plan.lossy, 1099 - plan.lossless.octets, 7 - plan.lossless.frames);
	}
}

static void test_headroom_ratio_divides_and_rounds_up(void **state)
{
	const struct buffer_sum memory = {100000, 1000};
	const struct buffer_promises sum = {{0, 0}, {10001, 11}, 2};

	(void)state;
	for (unsigned ratio = 1; ratio <= 16; ratio++) {
		const struct buffer_rules part = {.lossless_percent = 50,
						  .headroom_ratio = (uint8_t)ratio};
		struct buffer_plan plan = buffer_plan(&memory, &sum, &part);

		check_sum(&plan.headroom, (10001 + ratio - 1) / ratio, (11 + ratio - 1) / ratio);
		assert_true(buffer_plan_fits(&plan));
	}
}

static void test_missing_memory_is_exact_and_shared_pools_are_empty(void **state)
{
	static const struct {
		struct buffer_sum memory;
		struct buffer_sum missing, headroom, shared;
	} cases[] = {
	    {{40000, 400}, {0, 0}, {30000, 300}, {0, 0}}, /* fits, to the octet */
	    {{39999, 400}, {1, 0}, {29999, 300}, {0, 0}},
	    {{40000, 399}, {0, 1}, {30000, 299}, {0, 0}},
	    {{10000, 100}, {30000, 300}, {0, 0}, {0, 0}},
	    {{9999, 99}, {30001, 301}, {0, 0}, {0, 0}},
	    {{0, 0}, {40000, 400}, {0, 0}, {0, 0}},
	    {{40000, 1400}, {0, 0}, {30000, 300}, {0, 1000}},
	};
	const struct buffer_promises sum = {{10000, 100}, {30000, 300}, 1};

	(void)state;
	for (unsigned i = 0; i < UNIT_COUNT(cases); i++) {
		struct buffer_plan plan = buffer_plan(&cases[i].memory, &sum, &rules);

		check_sum(&plan.missing, cases[i].missing.octets, cases[i].missing.frames);
		check_sum(&plan.headroom, cases[i].headroom.octets, cases[i].headroom.frames);
		assert_int_equal(plan.lossless.octets + plan.lossy.octets, cases[i].shared.octets);
		assert_int_equal(plan.lossless.frames + plan.lossy.frames, cases[i].shared.frames);
		assert_int_equal(buffer_plan_fits(&plan),
				 cases[i].missing.octets + cases[i].missing.frames == 0);
	}
}

/* Of any memory and any promises each octet is in exactly one part. */
static void test_parts_of_random_plans_add_up(void **state)
{
	struct dcb_rng rng;

	(void)state;
	dcb_rng_seed(&rng, unit_seed(), 0);
	for (unsigned i = 0; i < 100000; i++) {
		const struct buffer_sum memory = {random_amount(&rng, 48), random_amount(&rng, 32)};
		const struct buffer_promises sum = {
		    {random_amount(&rng, 48), random_amount(&rng, 32)},
		    {random_amount(&rng, 48), random_amount(&rng, 32)},
		    dcb_rng_uniform(&rng, 0, 2),
		};
		const struct buffer_rules random_rules = {
		    .lossless_percent = (uint8_t)dcb_rng_uniform(&rng, 1, 99),
		    .headroom_ratio = (uint8_t)dcb_rng_uniform(&rng, 1, 16),
		};
		struct buffer_plan p = buffer_plan(&memory, &sum, &random_rules);
		uint64_t octets = sum.reserve.octets + p.headroom.octets + p.lossless.octets +
				  p.lossy.octets - p.missing.octets;
		uint64_t wanted = (sum.headroom.octets + random_rules.headroom_ratio - 1) /
				  random_rules.headroom_ratio;

		assert_true(p.headroom.octets <= wanted);
		if (p.missing.octets == 0) {
			assert_int_equal(p.headroom.octets, wanted);
			assert_int_equal(octets, memory.octets);
		} else {
			assert_int_equal(p.missing.octets,
					 sum.reserve.octets + wanted - memory.octets);
			assert_int_equal(p.lossless.octets + p.lossy.octets, 0);
		}
		if (sum.lossless == 0)
			assert_int_equal(p.lossless.octets + p.lossless.frames, 0);
	}
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_promises_are_sums_of_the_quotas),
	    cmocka_unit_test(test_memory_is_reserves_headroom_and_shared_pools),
	    cmocka_unit_test(test_without_lossless_accounts_the_shared_memory_is_lossy),
	    cmocka_unit_test(test_lossless_share_in_percent),
	    cmocka_unit_test(test_headroom_ratio_divides_and_rounds_up),
	    cmocka_unit_test(test_missing_memory_is_exact_and_shared_pools_are_empty),
	    cmocka_unit_test(test_parts_of_random_plans_add_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
