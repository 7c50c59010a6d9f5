/* SPDX-License-Identifier: BSD-3-Clause */
/* The reload of the counter whose cycle leads into hyper increase: half, or full as a variant. */
#include "dataplane/core/rp.h"
#include "tests/unit/rpg_defaults.h"
#include "tests/unit/unit.h"

#include <stdbool.h>

static const struct dcb_time start = {DCB_NS_PER_S};

/* Enables a reaction point by a CNM. */
static void begin(struct rp *rp, struct rp_params *params, const struct rpg_config *rpg,
		  const struct rp_variant *variant)
{
	rp_params_init(params, rpg, variant, dcb_rate_from_mbps(10000));
	rp_init(rp, params);
	assert_true(rp_receive_cnm(rp, params, 32, start, NULL));
}

static void byte_event(struct rp *rp, const struct rp_params *params, struct dcb_time now)
{
	rp_frame_sent(rp, params, (uint32_t)rp->rp_byte_count + 1, now, NULL);
}

/* A time event at the deadline. Returns its time. */
static struct dcb_time time_event(struct rp *rp, const struct rp_params *params)
{
	struct dcb_time now = rp_next_deadline(rp);

	rp_advance(rp, params, now, NULL);
	return now;
}

/*
 * Ends cycles alternately until both counters are at rpgThreshold. The last one leads into hyper
 * increase; its next cycle has this length in octets or ns.
 */
static void check_first_hyper_cycle(bool full, bool by_byte, int64_t first)
{
	const struct rp_variant variant = {.full_hyper_entry = full};
	struct rp_params params;
	struct dcb_time now = start;
	struct rp rp;
	int64_t next;

	begin(&rp, &params, &rpg_defaults, &variant);
	for (unsigned int i = 0; i < 5; i++) {
		if (!by_byte)
			byte_event(&rp, &params, now);
		now = time_event(&rp, &params);
		if (by_byte)
			byte_event(&rp, &params, now);
		assert_int_equal(rp.state == RPR_HYPER_INCREASE, i == 4);
	}
	next = by_byte ? rp.rp_byte_count : dcb_time_diff_ns(rp_next_deadline(&rp), now);
	assert_int_equal(next, first);
	/* In hyper increase both counters are reloaded with half their value. */
	byte_event(&rp, &params, now);
	assert_int_equal(rp.rp_byte_count, 75000);
	now = time_event(&rp, &params);
	assert_int_equal(dcb_time_diff_ns(rp_next_deadline(&rp), now), 7500000);
	assert_int_equal(rp.state, RPR_HYPER_INCREASE);
}

static void test_first_hyper_cycle_is_half(void **state)
{
	(void)state;
	check_first_hyper_cycle(false, true, 75000);
	check_first_hyper_cycle(false, false, 7500000);
}

static void test_first_hyper_cycle_is_full_in_the_variant(void **state)
{
	(void)state;
	check_first_hyper_cycle(true, true, 150000);
	check_first_hyper_cycle(true, false, 15000000);
}

/* The threshold 0: the first cycle leads from fast recovery into hyper increase. */
static void test_first_hyper_cycle_after_fast_recovery(void **state)
{
	struct rpg_config rpg = rpg_defaults;

	(void)state;
	rpg.rpg_threshold = 0;
	for (unsigned int full = 0; full < 2; full++) {
		const struct rp_variant variant = {.full_hyper_entry = full};
		struct rp_params params;
		struct rp rp;

		begin(&rp, &params, &rpg, &variant);
		byte_event(&rp, &params, start);
		assert_int_equal(rp.state, RPR_HYPER_INCREASE);
		assert_int_equal(rp.rp_byte_count, full ? 150000 : 75000);
		byte_event(&rp, &params, start);
		assert_int_equal(rp.rp_byte_count, 75000);
	}
}

/* Readings that reload each counter on its own are not affected. */
static void test_first_hyper_cycle_of_pseudo_code_is_half(void **state)
{
	(void)state;
	for (unsigned int full = 0; full < 2; full++) {
		const struct rp_variant variant = {.reading = RP_READING_PSEUDO,
						   .full_hyper_entry = full};
		struct rp_params params;
		struct rp rp;

		begin(&rp, &params, &rpg_defaults, &variant);
		for (unsigned int i = 1; i <= 6; i++) {
			byte_event(&rp, &params, start);
			assert_int_equal(rp.rp_byte_count, i < 5 ? 150000 : 75000);
		}
	}
}

/* Time that rp_advance() does not make up for: the timer runs with the length of the state. */
static void test_skipped_time_reloads_by_the_state(void **state)
{
	(void)state;
	for (unsigned int full = 0; full < 2; full++) {
		const struct rp_variant variant = {.full_hyper_entry = full};
		struct dcb_time late = dcb_time_add_ns(start, 1000 * DCB_NS_PER_S);
		struct rp_params params;
		struct rp rp;

		begin(&rp, &params, &rpg_defaults, &variant);
		for (unsigned int i = 0; i < 5; i++)
			byte_event(&rp, &params, start);
		rp_advance(&rp, &params, late, NULL);
		assert_int_equal(rp.state, RPR_HYPER_INCREASE);
		assert_int_equal(dcb_time_diff_ns(rp_next_deadline(&rp), late), 7500000);
	}
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_first_hyper_cycle_is_half),
	    cmocka_unit_test(test_first_hyper_cycle_is_full_in_the_variant),
	    cmocka_unit_test(test_first_hyper_cycle_after_fast_recovery),
	    cmocka_unit_test(test_first_hyper_cycle_of_pseudo_code_is_half),
	    cmocka_unit_test(test_skipped_time_reloads_by_the_state),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
