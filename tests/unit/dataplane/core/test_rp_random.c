/* SPDX-License-Identifier: BSD-3-Clause */
/* Invariants with any values that the MIB syntax allows and events in any order. */
#include "dataplane/core/rp.h"
#include "tests/unit/unit.h"

#include <stdbool.h>

#define WORLDS UNIT_CASES(2000)
#define EVENTS 300

struct rpw {
	struct dcb_rng draw;   /* for events */
	struct dcb_rng jitter; /* for the reaction point */
	struct rp_params params;
	struct rp rp;
	struct dcb_time now;
};

static uint32_t below(struct rpw *w, uint32_t n)
{
	return dcb_rng_uniform(&w->draw, 0, n - 1);
}

/* Draws an end of the range, the usual value, or any value. */
static uint32_t draw_value(struct rpw *w, uint32_t usual)
{
	switch (below(w, 8)) {
	case 0:
		return 0;
	case 1:
		return 1;
	case 2:
		return UINT32_MAX;
	case 3:
		return dcb_rng_next(&w->draw);
	case 4:
		return dcb_rng_next(&w->draw) >> below(w, 32);
	default:
		return usual;
	}
}

static int32_t draw_gd(struct rpw *w)
{
	switch (below(w, 8)) {
	case 0:
		return INT32_MIN;
	case 1:
		return INT32_MAX;
	case 2:
		return (int32_t)below(w, 130) - 65;
	default:
		return 7;
	}
}

static void draw_params(struct rpw *w)
{
	struct rpg_config rpg = {
	    .rpg_enable = below(w, 10) != 0,
	    .rpg_min_dec_fac = (uint8_t)(1 + below(w, 100)),
	    .rpg_time_reset = (int32_t)(draw_value(w, 15) & INT32_MAX),
	    .rpg_byte_reset = draw_value(w, 150000),
	    .rpg_threshold = draw_value(w, 5),
	    .rpg_max_rate_is_set = below(w, 2),
	    .rpg_max_rate = draw_value(w, 10000),
	    .rpg_ai_rate = draw_value(w, 5),
	    .rpg_hai_rate = draw_value(w, 50),
	    .rpg_gd = draw_gd(w),
	    .rpg_min_rate = draw_value(w, 5),
	};
	struct rp_variant variant = {
	    .reading = below(w, 2) ? RP_READING_FIG : RP_READING_PSEUDO,
	    .halving = (enum rp_halving)below(w, 3),
	    .no_jitter = below(w, 2),
	    .early = below(w, 4) == 0,
	    .no_extra_fast_recovery = below(w, 2),
	};

	rp_params_init(&w->params, &rpg, &variant, dcb_rate_from_mbps(draw_value(w, 10000)));
}

static struct dcb_rng *draw_rng(struct rpw *w)
{
	return below(w, 4) ? &w->jitter : NULL;
}

/* Advances the time to the deadline, by a minute, or not at all. */
static void time_passes(struct rpw *w)
{
	struct dcb_time deadline = rp_next_deadline(&w->rp);

	switch (below(w, 8)) {
	case 0:
	case 1:
		if (dcb_time_before(w->now, deadline) && deadline.ns != DCB_TIME_NEVER.ns)
			w->now = deadline;
		break;
	case 2:
		w->now = dcb_time_add_ns(w->now, 60 * DCB_NS_PER_S);
		break;
	case 3:
		w->now = dcb_time_add_ns(w->now, below(w, 30 * (uint32_t)DCB_NS_PER_MS));
		break;
	default:
		break;
	}
}

static void receive_cnm(struct rpw *w)
{
	uint8_t fb = (uint8_t)below(w, 70);
	bool was_enabled = w->rp.rp_enabled;
	uint64_t before;
	bool enabled;

	rp_advance(&w->rp, &w->params, w->now, draw_rng(w));
	before = rp_limiter_rate(&w->rp).bps;
	enabled = rp_receive_cnm(&w->rp, &w->params, fb, w->now, draw_rng(w));
	assert_int_equal(enabled, !was_enabled && fb && w->params.rpg.rpg_enable);
	if (was_enabled)
		assert_true(rp_limiter_rate(&w->rp).bps <= before);
}

static void terminate(struct rpw *w)
{
	bool at_max = w->rp.rp_current_rate.bps == w->params.rpg_max_rate.bps;
	bool was_enabled = w->rp.rp_enabled, empty = below(w, 2);

	assert_int_equal(rp_test_terminate(&w->rp, &w->params, empty),
			 was_enabled && at_max && empty);
}

static void send_frame(struct rpw *w)
{
	uint32_t octets = below(w, 2) ? below(w, 9217) : draw_value(w, 64);

	rp_frame_sent(&w->rp, &w->params, octets, w->now, draw_rng(w));
}

static void one_event(struct rpw *w)
{
	switch (below(w, 16)) {
	case 0:
	case 1:
		receive_cnm(w);
		break;
	case 2:
		terminate(w);
		break;
	case 3:
		rp_set_freeze(&w->rp, below(w, 3) == 0, w->now);
		break;
	case 4:
		if (below(w, 4) == 0)
			draw_params(w);
		rp_reconfigure(&w->rp, &w->params, w->now);
		break;
	case 5:
	case 6:
	case 7:
		rp_advance(&w->rp, &w->params, w->now, draw_rng(w));
		if (rp_next_deadline(&w->rp).ns != DCB_TIME_NEVER.ns)
			assert_true(dcb_time_before(w->now, rp_next_deadline(&w->rp)));
		break;
	default:
		send_frame(w);
	}
}

static uint64_t least_bps(const struct rp_params *params)
{
	uint64_t min =
	    params->rpg.rpg_min_rate ? params->rpg.rpg_min_rate * UINT64_C(1000000) : 1000000;

	return min < params->rpg_max_rate.bps ? min : params->rpg_max_rate.bps;
}

static void check_running(const struct rpw *w)
{
	const struct rp *rp = &w->rp;

	assert_in_range(rp->state, RPR_FAST_RECOVERY, RPR_HYPER_INCREASE);
	assert_true(rp->rp_freeze == (rp_next_deadline(rp).ns == DCB_TIME_NEVER.ns));
	assert_int_equal(rp_limiter_rate(rp).bps, rp->rp_current_rate.bps);
	assert_true(rp->rp_current_rate.bps >= least_bps(&w->params));
	assert_true(rp->rp_current_rate.bps <= w->params.rpg_max_rate.bps);
	assert_true(rp->rp_target_rate.bps > 0 && rp->rp_target_rate.bps <= UINT64_C(1) << 62);
	assert_true(rp->rp_byte_count >= 0);
	assert_true(rp->rp_byte_count <= w->params.rpg.rpg_byte_reset * INT64_C(115) / 100 + 1);
}

static void check_idle(const struct rpw *w)
{
	assert_int_equal(w->rp.state, RPR_RESET);
	assert_int_equal(rp_next_deadline(&w->rp).ns, DCB_TIME_NEVER.ns);
	assert_true(dcb_rate_is_unlimited(rp_limiter_rate(&w->rp)));
	assert_int_equal(w->rp.rp_current_rate.bps, w->params.rpg_max_rate.bps);
}

static void run_world(uint64_t seed, uint64_t stream, unsigned int enabled_in[RPR_HYPER_TIME + 1])
{
	struct rpw w = {.now = {DCB_NS_PER_S}};

	dcb_rng_seed(&w.draw, seed, 2 * stream);
	dcb_rng_seed(&w.jitter, seed, 2 * stream + 1);
	draw_params(&w);
	rp_init(&w.rp, &w.params);
	for (unsigned int n = 0; n < EVENTS; n++) {
		time_passes(&w);
		one_event(&w);
		if (w.rp.rp_enabled)
			check_running(&w);
		else
			check_idle(&w);
		enabled_in[w.rp.state]++;
	}
}

static void test_invariants(void **state)
{
	unsigned int visits[RPR_HYPER_TIME + 1] = {0};
	uint64_t seed = unit_seed();

	(void)state;
	for (uint64_t stream = 0; stream < WORLDS; stream++)
		run_world(seed, stream, visits);
	/* Every state must have been reached, otherwise the test is void. */
	for (int lasting = RPR_RESET; lasting <= RPR_HYPER_INCREASE; lasting++)
		assert_true(visits[lasting] > WORLDS * EVENTS / 100);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_invariants),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
