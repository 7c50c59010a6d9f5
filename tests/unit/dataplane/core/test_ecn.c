/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/core/ecn.h"

#include <math.h>

#include "tests/unit/unit.h"

#define GBPS(n)                            \
	(struct dcb_rate)                  \
	{                                  \
		(n) * UINT64_C(1000000000) \
	}

static const struct ecn_config set = {
    .enable = true,
    .threshold_unit = ECN_OCTETS,
    .minimum = 100000,
    .maximum = 400000,
    .probability_ppm = 200000,
};

static void test_thresholds_follow_the_rate(void **state)
{
	/* The published values: 4 and 16 kB for each Gb/s. */
	static const struct {
		unsigned gbps, minimum, maximum;
	} of[] = {{25, 100000, 400000},   {40, 160000, 640000},    {100, 400000, 1600000},
		  {200, 800000, 3200000}, {400, 1600000, 6400000}, {0, 40000, 160000}};
	const struct ecn_config config = {.enable = true, .probability_ppm = 1};

	(void)state;
	for (unsigned i = 0; i < UNIT_COUNT(of); i++) {
		struct ecn_curve c = ecn_curve(&config, GBPS(of[i].gbps));

		assert_int_equal(c.minimum, of[i].minimum);
		assert_int_equal(c.maximum, of[i].maximum);
		assert_int_equal(c.always, of[i].maximum);
	}
}

static void test_time_is_octets_at_the_rate(void **state)
{
	struct ecn_config config = set;
	struct ecn_curve c;

	(void)state;
	config.threshold_unit = ECN_NANOSECONDS;
	config.minimum = 5000;
	config.maximum = 20000;
	config.always = 80000;
	c = ecn_curve(&config, GBPS(100));
	assert_int_equal(c.minimum, 62500);
	assert_int_equal(c.maximum, 250000);
	assert_int_equal(c.always, 1000000);
	/* The longest time at the highest rate is limited, not wrapped. */
	config.always = UINT32_MAX;
	assert_int_equal(ecn_curve(&config, GBPS(800)).always, UINT32_MAX);
	c = ecn_curve(&config, (struct dcb_rate){10000000});
	assert_int_equal(c.minimum, 6);
}

static void test_thresholds_ascend(void **state)
{
	struct ecn_config config = {.minimum = 1000000};
	struct ecn_curve c = ecn_curve(&config, GBPS(10));

	(void)state;
	assert_int_equal(c.minimum, 1000000);
	assert_int_equal(c.maximum, 1000000);
	config = (struct ecn_config){.maximum = 1000};
	c = ecn_curve(&config, GBPS(10));
	assert_int_equal(c.minimum, 1000);
	assert_int_equal(c.maximum, 1000);
	assert_int_equal(c.always, 1000);
	/* A step: all or nothing. */
	assert_int_equal(ecn_probability(&c, 1000), 0);
	assert_int_equal(ecn_probability(&c, 1001), ECN_CERTAIN);
}

static void test_probability_rises_between_the_thresholds(void **state)
{
	struct ecn_curve c = ecn_curve(&set, GBPS(25));

	(void)state;
	assert_int_equal(ecn_probability(&c, 0), 0);
	assert_int_equal(ecn_probability(&c, 100000), 0);
	assert_int_equal(ecn_probability(&c, 250000), 100000);
	assert_int_equal(ecn_probability(&c, 325000), 150000);
	assert_int_equal(ecn_probability(&c, 400000), 200000);
	assert_int_equal(ecn_probability(&c, 400001), ECN_CERTAIN);
	c.always = 800000;
	assert_int_equal(ecn_probability(&c, 400001), 200000);
	assert_int_equal(ecn_probability(&c, 800000), 200000);
	assert_int_equal(ecn_probability(&c, 800001), ECN_CERTAIN);
	for (uint32_t q = 0, before = 0; q < 1000000; q += 97) {
		assert_true(ecn_probability(&c, q) >= before);
		before = ecn_probability(&c, q);
	}
}

/* The share of marks is the probability, within five standard deviations. */
static void test_marks_are_as_probable_as_the_curve_says(void **state)
{
	const unsigned n = 100000;
	struct ecn_curve c = ecn_curve(&set, GBPS(25));
	struct dcb_rng rng;

	(void)state;
	dcb_rng_seed(&rng, unit_seed(), 1);
	for (uint32_t q = 0; q <= 500000; q += 50000) {
		double p = ecn_probability(&c, q) / 1e6, deviation = sqrt(p * (1 - p) / n);
		unsigned marks = 0;

		for (unsigned i = 0; i < n; i++)
			marks += ecn_marks(&c, q, &rng);
		print_message("%u octets: %.4f, expected %.4f\n", q, marks / (double)n, p);
		assert_true(fabs(marks / (double)n - p) <= 5 * deviation);
	}
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_thresholds_follow_the_rate),
	    cmocka_unit_test(test_time_is_octets_at_the_rate),
	    cmocka_unit_test(test_thresholds_ascend),
	    cmocka_unit_test(test_probability_rises_between_the_thresholds),
	    cmocka_unit_test(test_marks_are_as_probable_as_the_curve_says),
	};

	return cmocka_run_group_tests_name("ecn", tests, NULL, NULL);
}
