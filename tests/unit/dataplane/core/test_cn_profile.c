/* SPDX-License-Identifier: BSD-3-Clause */
/* Initial values of the CP and RP objects for the rate of a port. */
#include "dataplane/core/cn_profile.h"
#include "tests/unit/rpg_defaults.h"
#include "tests/unit/unit.h"

#include <string.h>

static const struct cp_config cp_defaults = {
    .cp_qsp = 26000, .cp_sample_base = 150000, .cp_w_exp = 1, .cp_min_header_octets = 0};

/* The range of each object in IEEE8021-CN-MIB; 0 Mb/s and 0 ms would stop a flow or spin. */
static const struct {
	uint32_t min, max;
} syntax[CN_PROFILE_OBJECTS] = {
    [CN_PROFILE_QUEUE_SIZE_SET_POINT] = {100, UINT32_MAX},
    [CN_PROFILE_MIN_SAMPLE_BASE] = {10000, UINT32_MAX},
    [CN_PROFILE_TIME_RESET] = {1, INT32_MAX},
    [CN_PROFILE_AI_RATE] = {1, UINT32_MAX},
    [CN_PROFILE_HAI_RATE] = {1, UINT32_MAX},
    [CN_PROFILE_MIN_RATE] = {1, 5}, /* 32.11.10: 5 Mb/s or less must be possible */
};

static const uint32_t mbps_list[] = {1,      10,     100,    150,    200,     500,
				     1000,   2500,   5000,   10000,  25000,   40000,
				     100000, 200000, 400000, 800000, 10000000};

static void check_values(uint32_t mbps, const uint32_t expected[CN_PROFILE_OBJECTS])
{
	for (unsigned i = 0; i < CN_PROFILE_OBJECTS; i++) {
		print_message("%u Mb/s, object %u\n", mbps, i);
		assert_int_equal(
		    cn_profile_value((enum cn_profile_object)i, dcb_rate_from_mbps(mbps)),
		    expected[i]);
	}
}

/* Values with which dcbsim and a model of another author have measured the queue. */
static void test_measured_values(void **state)
{
	(void)state;
	check_values(100, (const uint32_t[]){50000, 37500, 50, 1, 5, 1});
	check_values(1000, (const uint32_t[]){50000, 75000, 30, 1, 5, 1});
	check_values(200, (const uint32_t[]){50000, 75000, 50, 1, 5, 1});
	check_values(10000, (const uint32_t[]){26000, 150000, 15, 5, 50, 5});
	check_values(100000, (const uint32_t[]){26000, 150000, 2, 50, 500, 5});
}

static void test_10g_has_the_defvals(void **state)
{
	struct cp_config cp = {.cp_w_exp = 1};
	struct rpg_config rpg = rpg_defaults;

	(void)state;
	rpg.rpg_time_reset = 0;
	rpg.rpg_ai_rate = rpg.rpg_hai_rate = rpg.rpg_min_rate = 0;
	cn_profile_apply(dcb_rate_from_mbps(10000), &cp, &rpg);
	assert_memory_equal(&cp, &cp_defaults, sizeof(cp));
	assert_int_equal(rpg.rpg_time_reset, rpg_defaults.rpg_time_reset);
	assert_int_equal(rpg.rpg_ai_rate, rpg_defaults.rpg_ai_rate);
	assert_int_equal(rpg.rpg_hai_rate, rpg_defaults.rpg_hai_rate);
	assert_int_equal(rpg.rpg_min_rate, rpg_defaults.rpg_min_rate);
}

static void test_values_are_within_the_syntax(void **state)
{
	(void)state;
	for (size_t n = 0; n < UNIT_COUNT(mbps_list); n++) {
		struct dcb_rate rate = dcb_rate_from_mbps(mbps_list[n]);

		for (unsigned i = 0; i < CN_PROFILE_OBJECTS; i++)
			assert_in_range(cn_profile_value((enum cn_profile_object)i, rate),
					syntax[i].min, syntax[i].max);
	}
	/* Below 1 Mb/s as at 1 Mb/s, above 2^32 Mb/s as at that rate. */
	for (unsigned i = 0; i < CN_PROFILE_OBJECTS; i++) {
		enum cn_profile_object object = (enum cn_profile_object)i;

		assert_int_equal(cn_profile_value(object, (struct dcb_rate){1}),
				 cn_profile_value(object, dcb_rate_from_mbps(1)));
		assert_in_range(cn_profile_value(object, (struct dcb_rate){UINT64_MAX}),
				syntax[i].min, syntax[i].max);
	}
}

/* From rate to rate each value rises, or each falls: no rate is an exception. */
static void test_values_are_monotonic(void **state)
{
	(void)state;
	for (uint32_t mbps = 1; mbps < 420000; mbps += 1 + mbps / 50) {
		struct dcb_rate low = dcb_rate_from_mbps(mbps);
		struct dcb_rate high = dcb_rate_from_mbps(mbps + 1 + mbps / 50);

		for (unsigned i = 0; i < CN_PROFILE_OBJECTS; i++) {
			enum cn_profile_object object = (enum cn_profile_object)i;
			bool falls = object == CN_PROFILE_QUEUE_SIZE_SET_POINT ||
				     object == CN_PROFILE_TIME_RESET;
			uint32_t a = cn_profile_value(object, low);
			uint32_t b = cn_profile_value(object, high);

			assert_true(falls ? a >= b : a <= b);
		}
	}
}

/* Rates added are in proportion to the rate wherever the unit of 1 Mb/s permits. */
static void test_increases_are_a_share_of_the_rate(void **state)
{
	(void)state;
	for (uint32_t mbps = 10000; mbps <= 400000; mbps += 10000) {
		struct dcb_rate rate = dcb_rate_from_mbps(mbps);

		assert_int_equal(cn_profile_value(CN_PROFILE_AI_RATE, rate), mbps / 2000);
		assert_int_equal(cn_profile_value(CN_PROFILE_HAI_RATE, rate), mbps / 200);
	}
}

/* The six objects by number, in the order of enum cn_profile_object. */
static void numbers(const struct cp_config *cp, const struct rpg_config *rpg,
		    uint32_t to[CN_PROFILE_OBJECTS])
{
	to[CN_PROFILE_QUEUE_SIZE_SET_POINT] = cp->cp_qsp;
	to[CN_PROFILE_MIN_SAMPLE_BASE] = cp->cp_sample_base;
	to[CN_PROFILE_TIME_RESET] = (uint32_t)rpg->rpg_time_reset;
	to[CN_PROFILE_AI_RATE] = rpg->rpg_ai_rate;
	to[CN_PROFILE_HAI_RATE] = rpg->rpg_hai_rate;
	to[CN_PROFILE_MIN_RATE] = rpg->rpg_min_rate;
}

static void test_unknown_rate_changes_nothing(void **state)
{
	uint32_t before[CN_PROFILE_OBJECTS], after[CN_PROFILE_OBJECTS];
	struct cp_config cp = cp_defaults;
	struct rpg_config rpg = rpg_defaults;

	(void)state;
	numbers(&cp, &rpg, before);
	cn_profile_apply((struct dcb_rate){0}, &cp, &rpg);
	numbers(&cp, &rpg, after);
	assert_memory_equal(before, after, sizeof(before));
}

static void test_copy_keeps_the_objects_of_the_mask(void **state)
{
	struct cp_config own_cp = {.cp_qsp = 1, .cp_sample_base = 2, .cp_w_exp = 3};
	struct rpg_config own_rpg = {.rpg_time_reset = 4,
				     .rpg_ai_rate = 5,
				     .rpg_hai_rate = 6,
				     .rpg_min_rate = 7,
				     .rpg_gd = 8,
				     .rpg_threshold = 9};
	uint32_t own[CN_PROFILE_OBJECTS], other[CN_PROFILE_OBJECTS], got[CN_PROFILE_OBJECTS];

	(void)state;
	numbers(&own_cp, &own_rpg, own);
	numbers(&cp_defaults, &rpg_defaults, other);
	for (unsigned keep = 0; keep < 1u << CN_PROFILE_OBJECTS; keep++) {
		struct cp_config cp = own_cp;
		struct rpg_config rpg = own_rpg;

		cn_profile_copy((uint8_t)keep, &cp, &rpg, &cp_defaults, &rpg_defaults);
		numbers(&cp, &rpg, got);
		for (unsigned i = 0; i < CN_PROFILE_OBJECTS; i++)
			assert_int_equal(got[i], keep >> i & 1 ? own[i] : other[i]);
		assert_int_equal(cp.cp_w_exp, 3);
		assert_int_equal(rpg.rpg_gd, 8);
		assert_int_equal(rpg.rpg_threshold, 9);
	}
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_measured_values),
	    cmocka_unit_test(test_10g_has_the_defvals),
	    cmocka_unit_test(test_values_are_within_the_syntax),
	    cmocka_unit_test(test_values_are_monotonic),
	    cmocka_unit_test(test_increases_are_a_share_of_the_rate),
	    cmocka_unit_test(test_unknown_rate_changes_nothing),
	    cmocka_unit_test(test_copy_keeps_the_objects_of_the_mask),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
