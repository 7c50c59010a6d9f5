/* SPDX-License-Identifier: BSD-3-Clause */
/* Properties of a reaction point that its callers rely on. test_rp_vectors.c has the numbers. */
#include "dataplane/core/rp.h"
#include "tests/unit/rpg_defaults.h"
#include "tests/unit/unit.h"

#include <stdbool.h>

static const struct rp_variant as_built = {0};
static const struct dcb_time start = {DCB_NS_PER_S};

static uint64_t mbps(uint32_t n)
{
	return dcb_rate_from_mbps(n).bps;
}

static struct dcb_time after_ms(int64_t ms)
{
	return dcb_time_add_ns(start, ms * DCB_NS_PER_MS);
}

static struct rp_params params_of(const struct rpg_config *rpg)
{
	struct rp_params params;

	rp_params_init(&params, rpg, &as_built, dcb_rate_from_mbps(10000));
	return params;
}

static void begin(struct rp *rp, struct rp_params *params)
{
	*params = params_of(&rpg_defaults);
	rp_init(rp, params);
	assert_true(rp_receive_cnm(rp, params, 32, start, NULL));
}

static void byte_event(struct rp *rp, const struct rp_params *params, struct dcb_time now)
{
	rp_frame_sent(rp, params, (uint32_t)rp->rp_byte_count + 1, now, NULL);
}

static void check_same(const struct rp *a, const struct rp *b)
{
	assert_int_equal(a->rp_enabled, b->rp_enabled);
	assert_int_equal(a->rp_fb, b->rp_fb);
	assert_int_equal(a->state, b->state);
	assert_int_equal(a->rp_byte_stage, b->rp_byte_stage);
	assert_int_equal(a->rp_time_stage, b->rp_time_stage);
	assert_int_equal(a->rp_byte_count, b->rp_byte_count);
	assert_int_equal(a->rp_while.ns, b->rp_while.ns);
	assert_int_equal(a->rp_target_rate.bps, b->rp_target_rate.bps);
	assert_int_equal(a->rp_current_rate.bps, b->rp_current_rate.bps);
}

/* --- start and end ------------------------------------------------------------------- */

static void check_idle(const struct rp *rp, uint64_t max_bps)
{
	assert_false(rp->rp_enabled);
	assert_int_equal(rp->state, RPR_RESET);
	assert_int_equal(rp->rp_current_rate.bps, max_bps);
	assert_int_equal(rp->rp_target_rate.bps, max_bps);
	assert_int_equal(rp->rp_byte_stage, 0);
	assert_int_equal(rp->rp_time_stage, 0);
	assert_true(dcb_rate_is_unlimited(rp_limiter_rate(rp)));
	assert_int_equal(rp_next_deadline(rp).ns, DCB_TIME_NEVER.ns);
}

static void test_idle_until_a_cnm(void **state)
{
	struct rp_params params = params_of(&rpg_defaults);
	struct rp rp;

	(void)state;
	rp_init(&rp, &params);
	check_idle(&rp, mbps(10000));
	rp_frame_sent(&rp, &params, 1000000, start, NULL);
	rp_advance(&rp, &params, after_ms(1000), NULL);
	assert_false(rp_test_terminate(&rp, &params, true));
	check_idle(&rp, mbps(10000));
}

static void test_first_cnm_enables_the_rp(void **state)
{
	struct rp_params params;
	struct rp rp;

	(void)state;
	begin(&rp, &params);
	assert_true(rp.rp_enabled);
	assert_int_equal(rp.rp_fb, 32);
	assert_int_equal(rp_limiter_rate(&rp).bps, mbps(7500));
	assert_int_equal(rp_next_deadline(&rp).ns, after_ms(15).ns);
	assert_false(rp_receive_cnm(&rp, &params, 32, start, NULL));
	assert_int_equal(rp_limiter_rate(&rp).bps, mbps(5625));
}

static void test_cnm_restarts_recovery(void **state)
{
	struct rp_params params;
	struct rp rp;

	(void)state;
	begin(&rp, &params);
	for (unsigned int n = 0; n < 6; n++)
		byte_event(&rp, &params, start);
	rp_advance(&rp, &params, after_ms(80), NULL);
	assert_int_equal(rp.state, RPR_HYPER_INCREASE);
	rp_receive_cnm(&rp, &params, 32, after_ms(80), NULL);
	assert_int_equal(rp.state, RPR_FAST_RECOVERY);
	assert_int_equal(rp.rp_byte_stage, 0);
	assert_int_equal(rp.rp_time_stage, 0);
	assert_int_equal(rp.rp_byte_count, 150000);
	assert_int_equal(rp_next_deadline(&rp).ns, after_ms(95).ns);
}

/* A CNM uses the current parameters, even without rp_reconfigure(). */
static void test_first_cnm_uses_current_parameters(void **state)
{
	struct rp_params params = params_of(&rpg_defaults);
	struct rp rp;

	(void)state;
	rp_init(&rp, &params);
	params.rpg_max_rate = dcb_rate_from_mbps(1000);
	params.rpg.rpg_byte_reset = 1000;
	assert_true(rp_receive_cnm(&rp, &params, 32, start, NULL));
	assert_int_equal(rp.rp_target_rate.bps, mbps(1000));
	assert_int_equal(rp.rp_current_rate.bps, mbps(750));
	assert_int_equal(rp.rp_byte_count, 1000);
}

static void test_feedback_of_0_is_ignored(void **state)
{
	struct rp_params params;
	struct rp rp, before;

	(void)state;
	begin(&rp, &params);
	byte_event(&rp, &params, start);
	before = rp;
	assert_false(rp_receive_cnm(&rp, &params, 0, after_ms(1), NULL));
	check_same(&rp, &before);
}

/* Feedback has six bits; higher values count as the maximum. */
static void test_feedback_is_limited_to_six_bits(void **state)
{
	struct rp_params params = params_of(&rpg_defaults);
	struct rp rp;

	(void)state;
	rp_init(&rp, &params);
	rp_receive_cnm(&rp, &params, 255, start, NULL);
	assert_int_equal(rp.rp_fb, 63);
	assert_int_equal(rp.rp_current_rate.bps, 5078125000);
}

static void test_disabled_group_ignores_cnms(void **state)
{
	struct rpg_config rpg = rpg_defaults;
	struct rp_params params;
	struct rp rp;

	(void)state;
	rpg.rpg_enable = false;
	params = params_of(&rpg);
	rp_init(&rp, &params);
	assert_false(rp_receive_cnm(&rp, &params, 63, start, NULL));
	check_idle(&rp, mbps(10000));
}

static void test_terminates_at_the_maximum_with_an_empty_queue(void **state)
{
	struct rp_params params;
	struct rp rp;

	(void)state;
	begin(&rp, &params);
	rp.rp_current_rate.bps = mbps(10000) - 1;
	assert_false(rp_test_terminate(&rp, &params, true));
	rp.rp_current_rate.bps = mbps(10000);
	assert_false(rp_test_terminate(&rp, &params, false));
	assert_true(rp_test_terminate(&rp, &params, true));
	check_idle(&rp, mbps(10000));
	assert_true(rp_receive_cnm(&rp, &params, 1, start, NULL));
}

static void test_reset_disables_at_any_rate(void **state)
{
	struct rp_params params;
	struct rp rp;

	(void)state;
	begin(&rp, &params);
	rp_reset(&rp, &params);
	check_idle(&rp, mbps(10000));
}

/*
 * With rpgAiRate and rpgHaiRate 0 the rate still reaches the target exactly,
 * and the RP terminates.
 */
static void test_recovers_without_any_increase(void **state)
{
	struct rpg_config rpg = rpg_defaults;
	struct rp_params params;
	struct rp rp;

	(void)state;
	rpg.rpg_ai_rate = 0;
	rpg.rpg_hai_rate = 0;
	params = params_of(&rpg);
	rp_init(&rp, &params);
	rp_receive_cnm(&rp, &params, 31, start, NULL);
	for (unsigned int n = 0; n < 40; n++)
		byte_event(&rp, &params, start);
	assert_true(rp_test_terminate(&rp, &params, true));
}

/* --- counters ------------------------------------------------------------------------ */

/* The byte counter expires after more than rpgByteReset octets, not at equality. */
static void test_byte_counter_expires_beyond_its_reset(void **state)
{
	struct rp_params params;
	struct rp rp;

	(void)state;
	begin(&rp, &params);
	for (unsigned int n = 0; n < 100; n++)
		rp_frame_sent(&rp, &params, 1500, start, NULL);
	assert_int_equal(rp.rp_byte_stage, 0);
	rp_frame_sent(&rp, &params, 1, start, NULL);
	assert_int_equal(rp.rp_byte_stage, 1);
	assert_int_equal(rp.rp_byte_count, 150000);
}

static void test_timer_expires_on_time(void **state)
{
	struct rp_params params;
	struct rp rp;

	(void)state;
	begin(&rp, &params);
	rp_advance(&rp, &params, dcb_time_add_ns(after_ms(15), -1), NULL);
	assert_int_equal(rp.rp_time_stage, 0);
	rp_advance(&rp, &params, after_ms(15), NULL);
	assert_int_equal(rp.rp_time_stage, 1);
	assert_int_equal(rp_next_deadline(&rp).ns, after_ms(30).ns);
}

/* A late call results in the same state as calls in time: the timer does not drift. */
static void test_late_host_catches_up(void **state)
{
	struct rp_params params;
	struct rp late, in_time;

	(void)state;
	begin(&late, &params);
	begin(&in_time, &params);
	for (unsigned int ms = 1; ms <= 200; ms++)
		rp_advance(&in_time, &params, after_ms(ms), NULL);
	rp_advance(&late, &params, after_ms(200), NULL);
	check_same(&late, &in_time);
	/* The same if a frame or a CNM follows instead of rp_advance(). */
	begin(&late, &params);
	rp_frame_sent(&late, &params, 0, after_ms(200), NULL);
	check_same(&late, &in_time);
	begin(&late, &params);
	rp_receive_cnm(&late, &params, 9, after_ms(200), NULL);
	rp_receive_cnm(&in_time, &params, 9, after_ms(200), NULL);
	check_same(&late, &in_time);
}

/*
 * After a year without a call at most RP_CATCH_UP_CYCLES are made up for, also
 * with the shortest timer.
 */
static void test_catch_up_is_bounded(void **state)
{
	const struct dcb_time year = dcb_time_add_ns(start, 365 * 86400 * DCB_NS_PER_S);
	struct rp_params params;
	struct rp rp;

	(void)state;
	begin(&rp, &params);
	params.rpg.rpg_time_reset = 0;
	rp_reconfigure(&rp, &params, start);
	rp_advance(&rp, &params, year, NULL);
	assert_int_equal(rp.rp_time_stage, RP_CATCH_UP_CYCLES);
	assert_int_equal(rp_next_deadline(&rp).ns, year.ns + DCB_NS_PER_MS);
}

static void test_jitter(void **state)
{
	int64_t octets_lo = INT64_MAX, octets_hi = 0, ns_lo = INT64_MAX, ns_hi = 0;
	struct rp_params params = params_of(&rpg_defaults);
	struct dcb_rng rng;
	struct rp rp;

	(void)state;
	dcb_rng_seed(&rng, unit_seed(), 1);
	for (unsigned int n = 0; n < 10000; n++) {
		int64_t ns;

		rp_init(&rp, &params);
		rp_receive_cnm(&rp, &params, 32, start, &rng);
		ns = dcb_time_diff_ns(rp_next_deadline(&rp), start);
		octets_lo = rp.rp_byte_count < octets_lo ? rp.rp_byte_count : octets_lo;
		octets_hi = rp.rp_byte_count > octets_hi ? rp.rp_byte_count : octets_hi;
		ns_lo = ns < ns_lo ? ns : ns_lo;
		ns_hi = ns > ns_hi ? ns : ns_hi;
	}
	/*
	 * 10000 draws from 300000 values: the probability that none is this
	 * close to an end is e^-100.
	 */
	assert_in_range(octets_lo, 127500, 128000);
	assert_in_range(octets_hi, 172000, 172500);
	assert_in_range(ns_lo, 12750000, 12800000);
	assert_in_range(ns_hi, 17200000, 17250000);
	params.variant.no_jitter = true;
	rp_init(&rp, &params);
	rp_receive_cnm(&rp, &params, 32, start, &rng);
	assert_int_equal(rp.rp_byte_count, 150000);
	assert_int_equal(rp_next_deadline(&rp).ns, after_ms(15).ns);
}

/* --- rpFreeze ------------------------------------------------------------------------ */

static void test_freeze_stops_counter_and_timer(void **state)
{
	struct rp_params params;
	struct rp rp;

	(void)state;
	begin(&rp, &params);
	rp_set_freeze(&rp, true, after_ms(5));
	rp_set_freeze(&rp, true, after_ms(7)); /* no effect */
	assert_int_equal(rp_next_deadline(&rp).ns, DCB_TIME_NEVER.ns);
	rp_advance(&rp, &params, after_ms(100), NULL);
	rp_frame_sent(&rp, &params, 1000000, after_ms(100), NULL);
	assert_int_equal(rp.rp_time_stage, 0);
	assert_int_equal(rp.rp_byte_stage, 0);
	assert_int_equal(rp_limiter_rate(&rp).bps, mbps(7500));
	rp_set_freeze(&rp, false, after_ms(100));
	assert_int_equal(rp_next_deadline(&rp).ns, after_ms(110).ns);
	rp_advance(&rp, &params, after_ms(110), NULL);
	assert_int_equal(rp.rp_time_stage, 1);
}

/* Frozen when already due; given a shorter time while frozen. */
static void test_remaining_time_of_a_frozen_timer(void **state)
{
	struct rp_params params;
	struct rp rp;

	(void)state;
	begin(&rp, &params);
	rp_set_freeze(&rp, true, after_ms(20));
	rp_set_freeze(&rp, false, after_ms(100));
	assert_int_equal(rp_next_deadline(&rp).ns, after_ms(100).ns);
	begin(&rp, &params);
	rp_set_freeze(&rp, true, after_ms(5));
	params.rpg.rpg_time_reset = 2;
	rp_reconfigure(&rp, &params, after_ms(6));
	assert_int_equal(rp_next_deadline(&rp).ns, DCB_TIME_NEVER.ns);
	rp_set_freeze(&rp, false, after_ms(100));
	assert_int_equal(rp_next_deadline(&rp).ns, after_ms(102).ns);
}

/* A CNM while frozen is processed, and its timer does not run. */
static void test_cnm_while_frozen(void **state)
{
	struct rp_params params = params_of(&rpg_defaults);
	struct rp rp;

	(void)state;
	rp_init(&rp, &params);
	rp_set_freeze(&rp, true, start);
	assert_true(rp_receive_cnm(&rp, &params, 32, start, NULL));
	assert_int_equal(rp_limiter_rate(&rp).bps, mbps(7500));
	assert_int_equal(rp_next_deadline(&rp).ns, DCB_TIME_NEVER.ns);
	rp_set_freeze(&rp, false, after_ms(50));
	assert_int_equal(rp_next_deadline(&rp).ns, after_ms(65).ns);
}

/* rpFreeze stays set if the reaction point is disabled. */
static void test_freeze_stays_after_termination(void **state)
{
	struct rp_params params;
	struct rp rp;

	(void)state;
	begin(&rp, &params);
	rp_set_freeze(&rp, true, start);
	rp.rp_current_rate.bps = mbps(10000);
	assert_true(rp_test_terminate(&rp, &params, true));
	assert_true(rp.rp_freeze);
	rp_reset(&rp, &params);
	assert_true(rp.rp_freeze);
	rp_receive_cnm(&rp, &params, 32, start, NULL);
	assert_int_equal(rp_next_deadline(&rp).ns, DCB_TIME_NEVER.ns);
}

/* --- change of parameters ---------------------------------------------------------------- */

static void test_disabling_the_group_disables_the_rp(void **state)
{
	struct rp_params params;
	struct rp rp;

	(void)state;
	begin(&rp, &params);
	params.rpg.rpg_enable = false;
	rp_reconfigure(&rp, &params, start);
	check_idle(&rp, mbps(10000));
}

static void test_idle_rp_has_the_new_maximum_rate(void **state)
{
	struct rp_params params = params_of(&rpg_defaults);
	struct rp rp;

	(void)state;
	rp_init(&rp, &params);
	params.rpg_max_rate = dcb_rate_from_mbps(100);
	rp_reconfigure(&rp, &params, start);
	check_idle(&rp, mbps(100));
}

static void test_rates_are_limited_to_new_bounds(void **state)
{
	struct rp_params params;
	struct rp rp;

	(void)state;
	begin(&rp, &params);
	params.rpg_max_rate = dcb_rate_from_mbps(2000);
	rp_reconfigure(&rp, &params, start);
	assert_int_equal(rp.rp_current_rate.bps, mbps(2000));
	assert_int_equal(rp.rp_target_rate.bps, mbps(2000));
	params = params_of(&rpg_defaults);
	params.rpg.rpg_min_rate = 3000;
	rp_reconfigure(&rp, &params, start);
	assert_int_equal(rp.rp_current_rate.bps, mbps(3000));
	assert_int_equal(rp.rp_target_rate.bps, mbps(3000));
}

static void test_counters_are_limited_to_new_resets(void **state)
{
	struct rp_params params;
	struct rp rp;

	(void)state;
	begin(&rp, &params);
	params.rpg.rpg_byte_reset = 3000;
	params.rpg.rpg_time_reset = 2;
	rp_reconfigure(&rp, &params, after_ms(1));
	assert_int_equal(rp.rp_byte_count, 3000);
	assert_int_equal(rp_next_deadline(&rp).ns, after_ms(3).ns);
	params.rpg.rpg_byte_reset = 150000;
	params.rpg.rpg_time_reset = 15;
	rp_reconfigure(&rp, &params, after_ms(1));
	assert_int_equal(rp.rp_byte_count, 3000);
	assert_int_equal(rp_next_deadline(&rp).ns, after_ms(3).ns);
}

/* Stages stay, and are compared with the new threshold. */
static void test_threshold_change_changes_the_state(void **state)
{
	struct rp_params params;
	struct rp rp;

	(void)state;
	begin(&rp, &params);
	for (unsigned int n = 0; n < 3; n++)
		byte_event(&rp, &params, start);
	assert_int_equal(rp.state, RPR_FAST_RECOVERY);
	params.rpg.rpg_threshold = 2;
	rp_reconfigure(&rp, &params, start);
	assert_int_equal(rp.state, RPR_ACTIVE_INCREASE);
	params.rpg.rpg_threshold = UINT32_MAX;
	rp_reconfigure(&rp, &params, start);
	assert_int_equal(rp.state, RPR_FAST_RECOVERY);
}

/* Hyper increase with both stages below the threshold: possible until rp_reconfigure(). */
static void test_threshold_change_without_reconfigure(void **state)
{
	struct rp_params params;
	struct rp rp;

	(void)state;
	begin(&rp, &params);
	params.rpg.rpg_threshold = 0;
	byte_event(&rp, &params, start);
	byte_event(&rp, &params, start);
	assert_int_equal(rp.state, RPR_HYPER_INCREASE);
	params.rpg.rpg_threshold = 5;
	rp.rp_target_rate.bps = mbps(9000);
	byte_event(&rp, &params, start);
	assert_int_equal(rp.rp_target_rate.bps, mbps(9000));
}

/* --- limits of the syntax -------------------------------------------------------------- */

static void test_maximum_rate(void **state)
{
	struct rpg_config rpg = rpg_defaults;
	struct rp_params params;

	(void)state;
	rp_params_init(&params, &rpg, &as_built, (struct dcb_rate){123456789});
	assert_int_equal(params.rpg_max_rate.bps, 123456789);
	rp_params_init(&params, &rpg, &as_built, (struct dcb_rate){0});
	assert_int_equal(params.rpg_max_rate.bps, mbps(RP_UNKNOWN_SPEED_MBPS));
	rp_params_init(&params, &rpg, &as_built, (struct dcb_rate){UINT64_MAX});
	assert_int_equal(params.rpg_max_rate.bps, mbps(UINT32_MAX));
	rpg.rpg_max_rate_is_set = true;
	rpg.rpg_max_rate = 777;
	rp_params_init(&params, &rpg, &as_built, dcb_rate_from_mbps(10000));
	assert_int_equal(params.rpg_max_rate.bps, mbps(777));
	rpg.rpg_max_rate = 0;
	rp_params_init(&params, &rpg, &as_built, dcb_rate_from_mbps(10000));
	assert_int_equal(params.rpg_max_rate.bps, mbps(1));
}

static uint64_t rate_after_cnms(const struct rpg_config *rpg, unsigned int cnms)
{
	struct rp_params params = params_of(rpg);
	struct rp rp;

	rp_init(&rp, &params);
	for (unsigned int n = 0; n < cnms; n++)
		rp_receive_cnm(&rp, &params, 63, start, NULL);
	return rp.rp_current_rate.bps;
}

static void test_minimum_rate(void **state)
{
	struct rpg_config rpg = rpg_defaults;

	(void)state;
	assert_int_equal(rate_after_cnms(&rpg, 100), mbps(5));
	rpg.rpg_min_rate = 0;
	assert_int_equal(rate_after_cnms(&rpg, 100), mbps(1));
	rpg.rpg_min_rate = UINT32_MAX; /* above rpgMaxRate */
	assert_int_equal(rate_after_cnms(&rpg, 1), mbps(10000));
}

/* Gd = 2^-rpgGd, from a cut to 0 (limited by rpgMinDecFac) to no cut. */
static void test_every_gd(void **state)
{
	static const int32_t all_cut[] = {INT32_MIN, -64, -1, 0, 1, 5, 6};
	static const int32_t none_cut[] = {62, 63, 64, 127, INT32_MAX};
	struct rpg_config rpg = rpg_defaults;

	(void)state;
	for (size_t i = 0; i < UNIT_COUNT(all_cut); i++) {
		rpg.rpg_gd = all_cut[i];
		assert_int_equal(rate_after_cnms(&rpg, 1), mbps(5000));
	}
	for (size_t i = 0; i < UNIT_COUNT(none_cut); i++) {
		rpg.rpg_gd = none_cut[i];
		assert_int_equal(rate_after_cnms(&rpg, 1), mbps(10000));
	}
	rpg.rpg_gd = 6;
	rpg.rpg_min_dec_fac = 1;
	assert_int_equal(rate_after_cnms(&rpg, 1), mbps(10000) / 64);
	rpg.rpg_gd = 0;
	assert_int_equal(rate_after_cnms(&rpg, 1), mbps(100));
	rpg.rpg_gd = 7;
	rpg.rpg_min_dec_fac = 100;
	assert_int_equal(rate_after_cnms(&rpg, 1), mbps(10000));
}

/* Each frame ends one byte cycle. */
static void test_byte_reset_of_0(void **state)
{
	struct rp_params params;
	struct rp rp;

	(void)state;
	begin(&rp, &params);
	params.rpg.rpg_byte_reset = 0;
	rp_reconfigure(&rp, &params, start);
	for (unsigned int n = 1; n <= 10; n++) {
		rp_frame_sent(&rp, &params, 9000, start, NULL);
		assert_int_equal(rp.rp_byte_stage, n);
		assert_int_equal(rp.rp_byte_count, 0);
	}
}

/* Stages and target rate saturate. */
static void test_stages_and_target_saturate(void **state)
{
	struct rp_params params;
	uint64_t target;
	struct rp rp;

	(void)state;
	begin(&rp, &params);
	params.rpg.rpg_hai_rate = UINT32_MAX;
	params.rpg.rpg_threshold = 0;
	params.rpg.rpg_byte_reset = UINT32_MAX;
	params.rpg.rpg_time_reset = INT32_MAX;
	rp_reconfigure(&rp, &params, start);
	rp.rp_byte_stage = UINT32_MAX - 1;
	rp.rp_time_stage = UINT32_MAX;
	byte_event(&rp, &params, start);
	assert_int_equal(rp.rp_byte_stage, UINT32_MAX);
	target = rp.rp_target_rate.bps;
	for (unsigned int n = 0; n < 10; n++)
		byte_event(&rp, &params, start);
	assert_int_equal(rp.rp_byte_stage, UINT32_MAX);
	assert_int_equal(rp.rp_target_rate.bps, target);
	assert_int_equal(rp.rp_current_rate.bps, mbps(10000));
	rp_advance(&rp, &params, rp_next_deadline(&rp), NULL);
	assert_int_equal(rp.rp_time_stage, UINT32_MAX);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_idle_until_a_cnm),
	    cmocka_unit_test(test_first_cnm_enables_the_rp),
	    cmocka_unit_test(test_cnm_restarts_recovery),
	    cmocka_unit_test(test_first_cnm_uses_current_parameters),
	    cmocka_unit_test(test_feedback_of_0_is_ignored),
	    cmocka_unit_test(test_feedback_is_limited_to_six_bits),
	    cmocka_unit_test(test_disabled_group_ignores_cnms),
	    cmocka_unit_test(test_terminates_at_the_maximum_with_an_empty_queue),
	    cmocka_unit_test(test_reset_disables_at_any_rate),
	    cmocka_unit_test(test_recovers_without_any_increase),
	    cmocka_unit_test(test_byte_counter_expires_beyond_its_reset),
	    cmocka_unit_test(test_timer_expires_on_time),
	    cmocka_unit_test(test_late_host_catches_up),
	    cmocka_unit_test(test_catch_up_is_bounded),
	    cmocka_unit_test(test_jitter),
	    cmocka_unit_test(test_freeze_stops_counter_and_timer),
	    cmocka_unit_test(test_remaining_time_of_a_frozen_timer),
	    cmocka_unit_test(test_cnm_while_frozen),
	    cmocka_unit_test(test_freeze_stays_after_termination),
	    cmocka_unit_test(test_disabling_the_group_disables_the_rp),
	    cmocka_unit_test(test_idle_rp_has_the_new_maximum_rate),
	    cmocka_unit_test(test_rates_are_limited_to_new_bounds),
	    cmocka_unit_test(test_counters_are_limited_to_new_resets),
	    cmocka_unit_test(test_threshold_change_changes_the_state),
	    cmocka_unit_test(test_threshold_change_without_reconfigure),
	    cmocka_unit_test(test_maximum_rate),
	    cmocka_unit_test(test_minimum_rate),
	    cmocka_unit_test(test_every_gd),
	    cmocka_unit_test(test_byte_reset_of_0),
	    cmocka_unit_test(test_stages_and_target_saturate),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
