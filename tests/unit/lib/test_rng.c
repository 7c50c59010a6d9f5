/* SPDX-License-Identifier: BSD-3-Clause */
#include "lib/rng.h"
#include "tests/unit/unit.h"

/* The first outputs of PCG32 for seed 42, stream 54, as published by its author. */
static void test_published_sequence(void **state)
{
	static const uint32_t expected[] = {0xa15c02b7, 0x7b47f409, 0xba1d3330,
					    0x83d2f293, 0xbfa4784b, 0xcbed606e};
	struct dcb_rng rng;

	(void)state;
	dcb_rng_seed(&rng, 42, 54);
	for (size_t i = 0; i < UNIT_COUNT(expected); i++)
		assert_int_equal(dcb_rng_next(&rng), expected[i]);
}

static void test_uniform_is_within_bounds_and_even(void **state)
{
	unsigned int seen[7] = {0};
	struct dcb_rng rng;

	(void)state;
	dcb_rng_seed(&rng, unit_seed(), 0);
	for (int i = 0; i < 70000; i++) {
		uint32_t v = dcb_rng_uniform(&rng, 10, 16);

		assert_in_range(v, 10, 16);
		seen[v - 10]++;
	}
	for (size_t i = 0; i < 7; i++)
		assert_in_range(seen[i], 9400, 10600);
	assert_int_equal(dcb_rng_uniform(&rng, 5, 5), 5);
	(void)dcb_rng_uniform(&rng, 0, UINT32_MAX);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_published_sequence),
	    cmocka_unit_test(test_uniform_is_within_bounds_and_even),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
