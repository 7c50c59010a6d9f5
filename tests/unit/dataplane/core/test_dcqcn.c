/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/core/dcqcn.h"

#include <math.h>

#include "lib/rng.h"
#include "tests/unit/unit.h"

#define LINE ((struct dcb_rate){UINT64_C(40000000000)})

static struct dcb_time us(int64_t n)
{
	return (struct dcb_time){n * DCB_NS_PER_US};
}

static void test_starts_at_line_rate_without_timers(void **state)
{
	struct dcqcn_rp rp;

	(void)state;
	dcqcn_rp_init(&rp, LINE);
	assert_int_equal(dcqcn_rp_rate(&rp).bps, LINE.bps);
	assert_int_equal(dcqcn_rp_next_deadline(&rp).ns, DCB_TIME_NEVER.ns);
	dcqcn_rp_sent(&rp, 50000000, us(10));
	dcqcn_rp_advance(&rp, us(1000000));
	assert_int_equal(rp.alpha, DCQCN_ONE);
	dcqcn_rp_init(&rp, (struct dcb_rate){0});
	assert_int_equal(dcqcn_rp_rate(&rp).bps, UINT64_C(10000000000));
}

/* Rates in kb/s by hand: 40 -> 20 Gb/s, target 40; then half the way, then 40 Mb/s more. */
static void test_fast_recovery_then_additive(void **state)
{
	static const uint64_t kbps[] = {30000000, 35000000, 37500000, 38750000};
	struct dcqcn_rp rp;

	(void)state;
	dcqcn_rp_init(&rp, LINE);
	dcqcn_rp_cnp(&rp, us(0));
	assert_int_equal(dcqcn_rp_rate(&rp).bps, UINT64_C(20000000000));
	assert_int_equal(rp.alpha, DCQCN_ONE); /* (1 - g) + g */
	dcqcn_rp_cnp(&rp, us(1));
	assert_int_equal(dcqcn_rp_rate(&rp).bps, UINT64_C(10000000000));
	assert_int_equal(rp.target_bps, UINT64_C(20000000000));
	for (unsigned i = 0; i < UNIT_COUNT(kbps); i++) {
		assert_int_equal(dcqcn_rp_next_deadline(&rp).ns, us(56 + 55 * i).ns);
		dcqcn_rp_advance(&rp, us(56 + 55 * i));
		assert_int_equal(dcqcn_rp_rate(&rp).bps, kbps[i] * 1000 / 2);
	}
	/* The fifth cycle is the first that is not below F: (20.04 + 19.375) / 2. */
	dcqcn_rp_advance(&rp, us(276));
	assert_int_equal(rp.target_bps, UINT64_C(20040000000));
	assert_int_equal(dcqcn_rp_rate(&rp).bps, UINT64_C(19707500000));
}

static void test_hyper_increase_needs_both_counters(void **state)
{
	struct dcqcn_rp rp;

	(void)state;
	dcqcn_rp_init(&rp, LINE);
	dcqcn_rp_cnp(&rp, us(0));
	dcqcn_rp_cnp(&rp, us(0));
	dcqcn_rp_advance(&rp, us(55 * 6)); /* T = 6: two additive cycles */
	assert_int_equal(rp.target_bps, UINT64_C(20080000000));
	for (unsigned i = 0; i < 5; i++)
		dcqcn_rp_sent(&rp, DCQCN_BYTE_RESET, us(55 * 6));
	assert_int_equal(rp.target_bps, UINT64_C(20280000000));
	dcqcn_rp_sent(&rp, DCQCN_BYTE_RESET - 1, us(55 * 6));
	assert_int_equal(rp.byte_stage, 5);
	dcqcn_rp_sent(&rp, 1, us(55 * 6)); /* BC = 6 */
	assert_int_equal(rp.target_bps, UINT64_C(20680000000));
	dcqcn_rp_cnp(&rp, us(340));
	assert_int_equal(rp.time_stage, 0);
	assert_int_equal(rp.byte_stage, 0);
	assert_int_equal(dcqcn_rp_next_deadline(&rp).ns, us(395).ns);
}

static void test_alpha_decays_to_zero(void **state)
{
	struct dcqcn_rp rp;

	(void)state;
	dcqcn_rp_init(&rp, LINE);
	dcqcn_rp_cnp(&rp, us(0));
	for (unsigned i = 1; i <= 1000; i++) {
		dcqcn_rp_advance(&rp, us(55 * i));
		assert_true(fabs(rp.alpha / (double)DCQCN_ONE - pow(255.0 / 256, i)) < 2e-5);
	}
	dcqcn_rp_advance(&rp, us(1000000));
	assert_int_equal(rp.alpha, 0);
	assert_int_equal(dcqcn_rp_rate(&rp).bps, LINE.bps);
	/* After an hour without a call the timers run on from now. */
	dcqcn_rp_advance(&rp, us(INT64_C(3600000000)));
	assert_true(dcb_time_before(us(INT64_C(3600000000)), dcqcn_rp_next_deadline(&rp)));
}

static void test_rate_has_a_floor(void **state)
{
	struct dcqcn_rp rp;

	(void)state;
	dcqcn_rp_init(&rp, LINE);
	for (unsigned i = 0; i < 100; i++)
		dcqcn_rp_cnp(&rp, us(i));
	assert_int_equal(dcqcn_rp_rate(&rp).bps, DCQCN_MIN_BPS);
	dcqcn_rp_init(&rp, (struct dcb_rate){UINT64_MAX});
	dcqcn_rp_cnp(&rp, us(0));
	assert_int_equal(dcqcn_rp_rate(&rp).bps, DCQCN_LINE_MAX_BPS / 2);
}

static void test_cnps_are_paced(void **state)
{
	struct dcqcn_np np;
	unsigned sent = 0;

	(void)state;
	dcqcn_np_init(&np);
	for (unsigned i = 0; i <= 1000; i++)
		sent += dcqcn_np_marked(&np, us(i));
	assert_int_equal(sent, 21);
	assert_false(dcqcn_np_marked(&np, (struct dcb_time){1050 * DCB_NS_PER_US - 1}));
	assert_true(dcqcn_np_marked(&np, us(1050)));
	assert_true(dcqcn_np_marked(&np, us(5000)));
}

/* The publication in real numbers; shares no code with the engine. */
struct model {
	double alpha, rc, rt, octets, alpha_at, increase_at;
	int t, bc;
};

static void model_increase(struct model *m)
{
	if (fmin(m->t, m->bc) > 5)
		m->rt += 400e6;
	else if (fmax(m->t, m->bc) >= 5)
		m->rt += 40e6;
	m->rt = fmin(m->rt, 40e9);
	m->rc = (m->rc + m->rt) / 2;
}

static void model_advance(struct model *m, double now)
{
	while (m->alpha_at <= now) {
		m->alpha *= 1 - 1 / 256.0;
		m->alpha_at += 55e3;
	}
	while (m->increase_at <= now) {
		m->increase_at += 55e3;
		m->t++;
		model_increase(m);
	}
}

static void model_cnp(struct model *m, double now)
{
	model_advance(m, now);
	m->rt = m->rc;
	m->rc = fmax(m->rc * (1 - m->alpha / 2), 40e6);
	m->alpha = (1 - 1 / 256.0) * m->alpha + 1 / 256.0;
	m->t = m->bc = 0;
	m->octets = 0;
	m->alpha_at = m->increase_at = now + 55e3;
}

static void model_sent(struct model *m, double octets, double now)
{
	model_advance(m, now);
	if (m->alpha_at == INFINITY)
		return;
	m->octets += octets;
	if (m->octets < 10e6)
		return;
	m->octets = 0;
	m->bc++;
	model_increase(m);
}

static void test_follows_the_model(void **state)
{
	double worst = 0;
	struct dcb_rng rng;

	(void)state;
	dcb_rng_seed(&rng, unit_seed(), 1);
	for (unsigned run = 0; run < 20; run++) {
		struct model m = {.alpha = 1,
				  .rc = 40e9,
				  .rt = 40e9,
				  .alpha_at = INFINITY,
				  .increase_at = INFINITY};
		uint32_t often = dcb_rng_uniform(&rng, 1, 200);
		struct dcb_time now = {0};
		struct dcqcn_rp rp;

		dcqcn_rp_init(&rp, LINE);
		for (unsigned i = 0; i < 20000; i++) {
			now.ns += dcb_rng_uniform(&rng, 1, 100000);
			if (dcb_rng_uniform(&rng, 0, 999) < often) {
				dcqcn_rp_cnp(&rp, now);
				model_cnp(&m, (double)now.ns);
			} else {
				uint32_t octets = dcb_rng_uniform(&rng, 1, 1000000);

				dcqcn_rp_sent(&rp, octets, now);
				model_sent(&m, octets, (double)now.ns);
			}
			worst = fmax(worst, fabs((double)rp.current_bps / m.rc - 1));
			assert_true(rp.current_bps >= DCQCN_MIN_BPS && rp.current_bps <= LINE.bps);
			assert_true(fabs(rp.alpha / (double)DCQCN_ONE - m.alpha) < 2e-5);
		}
	}
	print_message("largest relative error of a rate: %g\n", worst);
	assert_true(worst < 1e-3);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_starts_at_line_rate_without_timers),
	    cmocka_unit_test(test_fast_recovery_then_additive),
	    cmocka_unit_test(test_hyper_increase_needs_both_counters),
	    cmocka_unit_test(test_alpha_decays_to_zero),
	    cmocka_unit_test(test_rate_has_a_floor),
	    cmocka_unit_test(test_cnps_are_paced),
	    cmocka_unit_test(test_follows_the_model),
	};

	return cmocka_run_group_tests_name("dcqcn", tests, NULL, NULL);
}
