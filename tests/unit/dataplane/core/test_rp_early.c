/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The reaction point of the 2007 proposal. Its pseudo code has errors. For each
 * of them a test shows the result of the text as written, and that the engine
 * does as intended.
 */
#include "dataplane/core/rp.h"
#include "tests/unit/unit.h"

#include <stdbool.h>

#define THRESHOLD 5

static const struct rpg_config defaults = {
    .rpg_enable = true,
    .rpg_min_dec_fac = 50,
    .rpg_time_reset = 15,
    .rpg_byte_reset = 150000,
    .rpg_threshold = THRESHOLD,
    .rpg_ai_rate = 5,
    .rpg_hai_rate = 50,
    .rpg_gd = 7,
    .rpg_min_rate = 5,
};

static const struct dcb_time start = {DCB_NS_PER_S};

static uint64_t mbps(uint32_t n)
{
	return dcb_rate_from_mbps(n).bps;
}

static void begin(struct rp *rp, struct rp_params *params, bool no_extra_fast_recovery)
{
	struct rp_variant variant = {.early = true,
				     .no_extra_fast_recovery = no_extra_fast_recovery};

	rp_params_init(params, &defaults, &variant, dcb_rate_from_mbps(10000));
	rp_init(rp, params);
}

static void cnm(struct rp *rp, const struct rp_params *params, uint8_t fb)
{
	rp_receive_cnm(rp, params, fb, start, NULL);
}

static void byte_event(struct rp *rp, const struct rp_params *params)
{
	rp_frame_sent(rp, params, (uint32_t)rp->rp_byte_count + 1, start, NULL);
}

static void time_event(struct rp *rp, const struct rp_params *params)
{
	rp_advance(rp, params, rp_next_deadline(rp), NULL);
}

static void rates_at(struct rp *rp, uint64_t target_bps, uint64_t current_bps)
{
	rp->rp_target_rate.bps = target_bps;
	rp->rp_current_rate.bps = current_bps;
}

/* --- errors of the text ------------------------------------------------------------ */

/* As written: crate * (1 - dec_factor) with dec_factor = max(1 - Gd * fb, min). */
static uint64_t literal_cut(uint64_t current, uint8_t fb)
{
	uint64_t dec_factor_128 = 128u - fb < 64 ? 64 : 128u - fb;

	return current * (128 - dec_factor_128) / 128;
}

static void test_decrease_keeps_the_factor(void **state)
{
	struct rp_params params;
	struct rp rp;

	(void)state;
	for (uint8_t fb = 1; fb <= RP_FB_MAX; fb++) {
		begin(&rp, &params, false);
		cnm(&rp, &params, fb);
		assert_int_equal(rp.rp_current_rate.bps, mbps(10000) * (128u - fb) / 128);
		assert_true(rp.rp_current_rate.bps > literal_cut(mbps(10000), fb));
	}
	/* As written, the lowest feedback reduces the rate most. */
	assert_true(literal_cut(mbps(10000), 1) < literal_cut(mbps(10000), 63));
}

/* The timer is reloaded with a time, not with the byte threshold 150000 as written. */
static void test_timer_is_reloaded_with_a_time(void **state)
{
	struct rp_params params;
	struct rp rp;

	(void)state;
	begin(&rp, &params, false);
	params.rpg.rpg_byte_reset = 300000;
	cnm(&rp, &params, 10);
	for (unsigned int n = 1; n <= 8; n++) {
		struct dcb_time before = rp_next_deadline(&rp);
		int64_t period_ns = n < THRESHOLD ? 15 * DCB_NS_PER_MS : 15 * DCB_NS_PER_MS / 2;

		time_event(&rp, &params);
		assert_int_equal(dcb_time_diff_ns(rp_next_deadline(&rp), before), period_ns);
	}
}

/*
 * There is one counter of byte cycles. The text increments si_count but tests
 * si_bcount for shorter cycles, so as written cycles never become shorter.
 */
static void test_byte_cycles_become_shorter(void **state)
{
	struct rp_params params;
	struct rp rp;

	(void)state;
	begin(&rp, &params, false);
	cnm(&rp, &params, 10);
	for (unsigned int n = 1; n <= 8; n++) {
		byte_event(&rp, &params);
		assert_int_equal(rp.rp_byte_stage, n);
		assert_int_equal(rp.rp_byte_count, n < THRESHOLD ? 150000 : 75000);
	}
}

/*
 * There is one counter of timer cycles. The text resets timer_count but uses
 * timer_scount, so as written a reused limiter would start in its last stage.
 */
static void test_reused_rp_starts_both_stages_at_0(void **state)
{
	struct rp_params params;
	struct rp rp;

	(void)state;
	begin(&rp, &params, false);
	cnm(&rp, &params, 10);
	for (unsigned int n = 0; n < 7; n++)
		time_event(&rp, &params);
	rates_at(&rp, mbps(10000), mbps(10000));
	assert_true(rp_test_terminate(&rp, &params, true));
	assert_int_equal(rp.rp_time_stage, 0);
	assert_int_equal(rp.rp_byte_stage, 0);
	cnm(&rp, &params, 10);
	time_event(&rp, &params);
	assert_int_equal(rp.rp_time_stage, 1);
	assert_int_equal(rp.state, RPR_FAST_RECOVERY);
}

/*
 * The current rate is compared with C. The text compares "rate"; the target
 * rate reaches C much earlier.
 */
static void test_terminates_at_maximum_current_rate(void **state)
{
	struct rp_params params;
	struct rp rp;

	(void)state;
	begin(&rp, &params, false);
	cnm(&rp, &params, 10);
	assert_int_equal(rp.rp_target_rate.bps, mbps(10000));
	assert_false(rp_test_terminate(&rp, &params, true));
	rp.rp_current_rate.bps = mbps(10000);
	assert_false(rp_test_terminate(&rp, &params, false));
	assert_true(rp_test_terminate(&rp, &params, true));
}

/*
 * EXTRA_ and EXTR_FAST_RECOVERY are one option. With two, disabling only one
 * would lower the target with each CNM and still reduce it to an eighth.
 */
static void test_one_option_for_extra_fast_recovery(void **state)
{
	struct rp_params params;
	struct rp rp;

	(void)state;
	for (int without = 0; without < 2; without++) {
		begin(&rp, &params, without);
		cnm(&rp, &params, 10);
		cnm(&rp, &params, 10);
		if (without)
			assert_true(rp.rp_target_rate.bps < mbps(10000));
		else
			assert_int_equal(rp.rp_target_rate.bps, mbps(10000));
		rates_at(&rp, mbps(8000), mbps(100));
		byte_event(&rp, &params);
		assert_int_equal(rp.rp_target_rate.bps, without ? mbps(8000) : mbps(1000));
	}
}

/*
 * Without a running timer there is no deadline. The text sets the timer to the
 * number of the state INACTIVE, so it would expire at once.
 */
static void test_no_deadline_after_termination(void **state)
{
	struct rp_params params;
	struct rp rp;

	(void)state;
	begin(&rp, &params, false);
	cnm(&rp, &params, 10);
	rp.rp_current_rate.bps = mbps(10000);
	assert_true(rp_test_terminate(&rp, &params, true));
	assert_int_equal(rp_next_deadline(&rp).ns, DCB_TIME_NEVER.ns);
	rp_advance(&rp, &params, dcb_time_add_ns(start, DCB_NS_PER_S), NULL);
	assert_int_equal(rp.rp_time_stage, 0);
	assert_false(rp.rp_enabled);
}

/* --- differences from 802.1Qau ------------------------------------------------------- */

/* Without extra fast recovery every CNM sets the target rate and starts a new byte cycle. */
static void test_every_cnm_sets_the_target(void **state)
{
	struct rp_params params;
	struct rp rp;

	(void)state;
	for (int without = 0; without < 2; without++) {
		begin(&rp, &params, without);
		cnm(&rp, &params, 32);
		rp_frame_sent(&rp, &params, 100000, start, NULL);
		assert_int_equal(rp.rp_byte_count, 50000);
		cnm(&rp, &params, 32);
		assert_int_equal(rp.rp_target_rate.bps, without ? mbps(7500) : mbps(10000));
		assert_int_equal(rp.rp_byte_count, without ? 150000 : 50000);
		assert_int_equal(rp.rp_current_rate.bps, mbps(5625));
	}
}

/* Only the byte stage is tested for the reduction to an eighth; 802.1Qau tests both. */
static void test_timer_cycle_does_not_reduce_the_target(void **state)
{
	struct rp_params params;
	struct rp rp;

	(void)state;
	for (int early = 0; early < 2; early++) {
		begin(&rp, &params, false);
		params.variant.early = early;
		cnm(&rp, &params, 10);
		rates_at(&rp, mbps(8000), mbps(100));
		time_event(&rp, &params);
		assert_int_equal(rp.rp_target_rate.bps, early ? mbps(8000) : mbps(1000));
	}
}

/* Increase starts when a stage exceeds the threshold, in either reading. */
static void test_increase_beyond_the_threshold(void **state)
{
	struct rp_params params;
	struct rp rp;

	(void)state;
	begin(&rp, &params, false);
	params.variant.reading = RP_READING_FIG;
	cnm(&rp, &params, 10);
	for (unsigned int n = 0; n < THRESHOLD; n++)
		byte_event(&rp, &params);
	assert_int_equal(rp.state, RPR_FAST_RECOVERY);
	assert_int_equal(rp.rp_target_rate.bps, mbps(10000));
	byte_event(&rp, &params);
	assert_int_equal(rp.state, RPR_ACTIVE_INCREASE);
	assert_int_equal(rp.rp_target_rate.bps, mbps(10005));
	for (unsigned int n = 0; n < THRESHOLD; n++)
		time_event(&rp, &params);
	assert_int_equal(rp.rp_target_rate.bps, mbps(10030));
	time_event(&rp, &params);
	assert_int_equal(rp.state, RPR_HYPER_INCREASE);
	assert_int_equal(rp.rp_target_rate.bps, mbps(10080));
}

static void test_no_jitter(void **state)
{
	struct rp_params params;
	struct dcb_rng rng;
	struct rp rp;

	(void)state;
	dcb_rng_seed(&rng, 1, 1);
	begin(&rp, &params, false);
	assert_true(rp_receive_cnm(&rp, &params, 10, start, &rng));
	assert_int_equal(rp.rp_byte_count, 150000);
	assert_int_equal(dcb_time_diff_ns(rp_next_deadline(&rp), start), 15 * DCB_NS_PER_MS);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_decrease_keeps_the_factor),
	    cmocka_unit_test(test_timer_is_reloaded_with_a_time),
	    cmocka_unit_test(test_byte_cycles_become_shorter),
	    cmocka_unit_test(test_reused_rp_starts_both_stages_at_0),
	    cmocka_unit_test(test_terminates_at_maximum_current_rate),
	    cmocka_unit_test(test_one_option_for_extra_fast_recovery),
	    cmocka_unit_test(test_no_deadline_after_termination),
	    cmocka_unit_test(test_every_cnm_sets_the_target),
	    cmocka_unit_test(test_timer_cycle_does_not_reduce_the_target),
	    cmocka_unit_test(test_increase_beyond_the_threshold),
	    cmocka_unit_test(test_no_jitter),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
