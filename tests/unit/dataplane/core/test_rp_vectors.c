/* SPDX-License-Identifier: BSD-3-Clause */
/* The reaction point compared with every row for reaction points in tests/vectors/qcn.csv. */
#include "dataplane/core/rp.h"
#include "tests/unit/rpg_defaults.h"
#include "tests/unit/unit.h"
#include "tests/unit/vectors.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

/*
 * The table has rates with six decimals of a Mb/s, the engine whole bits. Both
 * round several times.
 */
#define TOLERANCE_MBPS 5e-6

static const struct dcb_rate port_speed = {10000000000};

static struct rp_params params_of(struct rp_variant variant)
{
	struct rp_params params;

	variant.no_jitter = true;
	rp_params_init(&params, &rpg_defaults, &variant, port_speed);
	return params;
}

static struct rp_variant variant_of(const char *thr)
{
	bool pseudo = strcmp(thr, "pseudo") == 0;

	if (!pseudo && strcmp(thr, "fig") != 0)
		fail_msg("unknown reading %s", thr);
	/* Rows without a halving have the figure's, for both readings. */
	return (struct rp_variant){.reading = pseudo ? RP_READING_PSEUDO : RP_READING_FIG,
				   .halving = RP_HALVING_HYPER};
}

static double mbps(struct dcb_rate rate)
{
	return (double)rate.bps / 1e6;
}

static struct dcb_rate rate_of(double rate_mbps)
{
	return (struct dcb_rate){(uint64_t)llround(rate_mbps * 1e6)};
}

static void check_rate(struct dcb_rate rate, double expected_mbps)
{
	if (fabs(mbps(rate) - expected_mbps) > TOLERANCE_MBPS)
		fail_msg("%.6f Mb/s, %.6f expected", mbps(rate), expected_mbps);
}

static void cnm(struct rp *rp, const struct rp_params *params, uint8_t fb)
{
	rp_receive_cnm(rp, params, fb, (struct dcb_time){0}, NULL);
}

static void byte_event(struct rp *rp, const struct rp_params *params)
{
	rp_frame_sent(rp, params, (uint32_t)rp->rp_byte_count + 1, (struct dcb_time){0}, NULL);
}

static void time_event(struct rp *rp, const struct rp_params *params)
{
	rp_advance(rp, params, rp_next_deadline(rp), NULL);
	rp->rp_while = (struct dcb_time){DCB_NS_PER_MS}; /* all other events happen at 0 */
}

/* Starts in fast recovery directly after a CNM, at these rates. */
static void begin_at(struct rp *rp, const struct rp_params *params, double target, double current)
{
	rp_init(rp, params);
	cnm(rp, params, 1);
	rp->rp_target_rate = rate_of(target);
	rp->rp_current_rate = rate_of(current);
}

static void check_decrease(const struct vector *v)
{
	struct rp_params params = params_of((struct rp_variant){0});
	uint8_t fb = (uint8_t)vector_num(v, v->inputs, "fb");
	struct rp rp;

	print_message("%s\n", v->id);
	assert_int_equal(sscanf(vector_text(v, v->inputs, "gd"), "1/%d", &params.rpg.rpg_gd), 1);
	params.rpg.rpg_gd = (int32_t)log2(params.rpg.rpg_gd);
	params.rpg.rpg_min_dec_fac = (uint8_t)(100 * vector_num(v, v->inputs, "minDecFac"));
	rp_init(&rp, &params);
	assert_int_equal(rp_receive_cnm(&rp, &params, fb, (struct dcb_time){0}, NULL), fb != 0);
	check_rate(rp.rp_target_rate, vector_num(v, v->outputs, "target"));
	check_rate(rp.rp_current_rate, vector_num(v, v->outputs, "current"));
	assert_int_equal(rp.rp_enabled, fb != 0);
}

static void test_decrease(void **state)
{
	(void)state;
	assert_int_equal(vectors_each("qcn.csv", "rp-decrease", check_decrease), 11);
}

/* Parses "target/current|target/current|...": one CNM for each pair. */
static void run_cnms(const struct vector *v, struct rp *rp, const struct rp_params *params)
{
	uint8_t fb = (uint8_t)vector_num(v, v->inputs, "fb");
	const char *at = vector_text(v, v->outputs, "target_over_current");
	unsigned int n = 0;

	for (; at; at = strchr(at, '|')) {
		double target, current;

		at += *at == '|';
		assert_int_equal(sscanf(at, "%lf/%lf", &target, &current), 2);
		cnm(rp, params, fb);
		check_rate(rp->rp_target_rate, target);
		check_rate(rp->rp_current_rate, current);
		n++;
	}
	assert_int_equal(n, 13);
}

/* Parses "CNM63,byteEv,CNM32". */
static void run_sequence(const struct vector *v, struct rp *rp, const struct rp_params *params)
{
	bool bytes = strstr(v->inputs, "byteEv") != NULL;
	double target, current;

	assert_string_equal(v->inputs, bytes ? "seq=CNM63,byteEv,CNM32" : "seq=CNM63,timeEv,CNM32");
	cnm(rp, params, 63);
	(bytes ? byte_event : time_event)(rp, params);
	assert_int_equal(sscanf(vector_text(v, v->outputs, bytes ? "after_byte" : "after_time"),
				"%lf/%lf", &target, &current),
			 2);
	check_rate(rp->rp_target_rate, target);
	check_rate(rp->rp_current_rate, current);
	cnm(rp, params, 32);
	check_rate(rp->rp_target_rate, vector_num(v, v->outputs, "target"));
	check_rate(rp->rp_current_rate, vector_num(v, v->outputs, "current"));
}

static void check_consecutive(const struct vector *v)
{
	struct rp_params params = params_of((struct rp_variant){0});
	struct rp rp;

	print_message("%s\n", v->id);
	rp_init(&rp, &params);
	if (strncmp(v->inputs, "seq=", 4) == 0)
		run_sequence(v, &rp, &params);
	else
		run_cnms(v, &rp, &params);
}

static void test_consecutive_cnms(void **state)
{
	(void)state;
	assert_int_equal(vectors_each("qcn.csv", "rp-consecutive", check_consecutive), 3);
}

static const char *short_name(enum rpr_state state)
{
	switch (state) {
	case RPR_FAST_RECOVERY:
		return "FR";
	case RPR_ACTIVE_INCREASE:
		return "AI";
	case RPR_HYPER_INCREASE:
		return "HAI";
	default:
		return "?";
	}
}

/* Parses "1:FR:10000.000000/7539.062500:next150000|...". */
static void check_bytes_only(const struct vector *v)
{
	struct rp_params params = params_of(variant_of(vector_text(v, v->inputs, "thr")));
	const char *at = vector_text(v, v->outputs, "stage_state_target_current");
	unsigned int stage = 0;
	struct rp rp;

	print_message("%s\n", v->id);
	rp_init(&rp, &params);
	cnm(&rp, &params, 63);
	for (; at; at = strchr(at, '|')) {
		double target, current;
		char state[8];
		int next;

		at += *at == '|';
		assert_int_equal(sscanf(at, "%u:%7[A-Z]:%lf/%lf:next%d", &stage, state, &target,
					&current, &next),
				 5);
		byte_event(&rp, &params);
		assert_int_equal(rp.rp_byte_stage, stage);
		assert_string_equal(short_name(rp.state), state);
		check_rate(rp.rp_target_rate, target);
		check_rate(rp.rp_current_rate, current);
		assert_int_equal(rp.rp_byte_count, next);
	}
	assert_int_equal(stage, 8);
}

static void test_recovery_by_byte_counter(void **state)
{
	(void)state;
	assert_int_equal(vectors_each("qcn.csv", "rp-recovery-bytes-only", check_bytes_only), 2);
}

/* Parses "b1:FR:1000.000000/753.906250,t1:FR:...|b2:...". */
static void check_alternating(const struct vector *v)
{
	struct rp_params params = params_of(variant_of(vector_text(v, v->inputs, "thr")));
	double start = vector_num(v, v->inputs, "start");
	const char *at = vector_text(v, v->outputs, "walk");
	unsigned int stage = 0;
	struct rp rp;

	print_message("%s\n", v->id);
	begin_at(&rp, &params, start, start);
	cnm(&rp, &params, 63);
	for (; at; at = strpbrk(at, ",|")) {
		char counter, state[8];
		double target, current;

		at += *at == '|' || *at == ',';
		assert_int_equal(
		    sscanf(at, "%c%u:%7[A-Z]:%lf/%lf", &counter, &stage, state, &target, &current),
		    5);
		(counter == 'b' ? byte_event : time_event)(&rp, &params);
		assert_int_equal(counter == 'b' ? rp.rp_byte_stage : rp.rp_time_stage, stage);
		assert_string_equal(short_name(rp.state), state);
		check_rate(rp.rp_target_rate, target);
		check_rate(rp.rp_current_rate, current);
	}
	assert_int_equal(stage, 9);
}

static void test_recovery_by_alternating_counters(void **state)
{
	(void)state;
	assert_int_equal(vectors_each("qcn.csv", "rp-recovery-alternating", check_alternating), 2);
}

static void check_10x(const struct vector *v)
{
	struct rp_params params = params_of((struct rp_variant){0});
	struct rp rp;

	print_message("%s\n", v->id);
	begin_at(&rp, &params, vector_num(v, v->inputs, "target"),
		 vector_num(v, v->inputs, "current"));
	byte_event(&rp, &params);
	if (strstr(v->inputs, "events=byte1 then time1"))
		time_event(&rp, &params);
	check_rate(rp.rp_target_rate, vector_num(v, v->outputs, "target"));
	check_rate(rp.rp_current_rate, vector_num(v, v->outputs, "current"));
}

static void test_target_above_10x_is_reduced(void **state)
{
	(void)state;
	assert_int_equal(vectors_each("qcn.csv", "rp-10x-rule", check_10x), 6);
}

/*
 * Returns the increase of the target when the byte counter reaches byteStage,
 * with the timer at timeStage.
 */
static double increase_at(const struct vector *v, const char *thr, enum rpr_state *state)
{
	struct rp_params params = params_of(variant_of(thr));
	struct rp rp;

	params.rpg.rpg_hai_rate = (uint32_t)vector_num(v, v->inputs, "hai");
	begin_at(&rp, &params, 100, 100);
	rp.rp_byte_stage = (uint32_t)vector_num(v, v->inputs, "byteStage") - 1;
	rp.rp_time_stage = (uint32_t)vector_num(v, v->inputs, "timeStage");
	params.rpg.rpg_threshold = (uint32_t)vector_num(v, v->inputs, "T");
	rp_reconfigure(&rp, &params, (struct dcb_time){0});
	byte_event(&rp, &params);
	*state = rp.state;
	return mbps(rp.rp_target_rate) - 100;
}

static void check_hyper(const struct vector *v)
{
	enum rpr_state state;

	print_message("%s\n", v->id);
	assert_float_equal(increase_at(v, "fig", &state), vector_num(v, v->outputs, "inc_fig"),
			   1e-9);
	assert_int_equal(state, RPR_HYPER_INCREASE);
	if (strstr(v->outputs, "inc_pseudo=AI/FR (not hyper)")) {
		assert_true(increase_at(v, "pseudo", &state) <= 5);
		assert_int_not_equal(state, RPR_HYPER_INCREASE);
		return;
	}
	assert_float_equal(increase_at(v, "pseudo", &state),
			   vector_num(v, v->outputs, "inc_pseudo"), 1e-9);
	assert_int_equal(state, RPR_HYPER_INCREASE);
}

static void test_hyper_increment(void **state)
{
	(void)state;
	assert_int_equal(vectors_each("qcn.csv", "rp-hyper-increment", check_hyper), 6);
}

/*
 * A flow that always sends at its current rate, as a fluid. The octet that
 * exceeds the count is the first of the next cycle.
 */
struct fluid {
	struct rp rp;
	struct rp_params params;
	double now_ns;
	double sent; /* octets of this byte cycle */
};

static void fluid_step(struct fluid *f)
{
	struct rp *rp = &f->rp;
	double octets_per_ns = (double)rp->rp_current_rate.bps / 8e9;
	double byte_ns = f->now_ns + ((double)rp->rp_byte_count - f->sent) / octets_per_ns;
	double time_ns = (double)rp_next_deadline(rp).ns;

	if (byte_ns < time_ns) {
		f->now_ns = byte_ns;
		f->sent = 0;
		rp_frame_sent(rp, &f->params, (uint32_t)rp->rp_byte_count + 1,
			      (struct dcb_time){(int64_t)byte_ns}, NULL);
	} else {
		f->sent += (time_ns - f->now_ns) * octets_per_ns;
		f->now_ns = time_ns;
		rp_advance(rp, &f->params, rp_next_deadline(rp), NULL);
	}
}

/* Returns the time in ms of the cycle after which the flow has this share of the port's speed. */
static double fluid_reaches_ms(struct fluid *f, double share)
{
	while (!f->now_ns ||
	       mbps(f->rp.rp_current_rate) < share * mbps(port_speed) - TOLERANCE_MBPS)
		fluid_step(f);
	return f->now_ns / 1e6;
}

static void check_ms(double ms, double expected_ms)
{
	if (fabs(ms - expected_ms) > 2e-5)
		fail_msg("after %.6f ms, %.6f expected", ms, expected_ms);
}

static void check_timed(const struct vector *v)
{
	static const struct {
		const char *name;
		double share;
	} marks[] = {{"t50_ms", 0.5}, {"t90_ms", 0.9}, {"t95_ms", 0.95}, {"t100_ms", 1}};
	struct rp_variant variant = variant_of(vector_text(v, v->inputs, "thr"));
	struct fluid f = {0};

	print_message("%s\n", v->id);
	variant.halving = strcmp(vector_text(v, v->inputs, "halve"), "hai") == 0 ? RP_HALVING_HYPER
										 : RP_HALVING_EACH;
	f.params = params_of(variant);
	begin_at(&f.rp, &f.params, vector_num(v, v->inputs, "target"),
		 vector_num(v, v->inputs, "current"));
	for (size_t i = 0; i < UNIT_COUNT(marks); i++)
		check_ms(fluid_reaches_ms(&f, marks[i].share),
			 vector_num(v, v->outputs, marks[i].name));
}

static void test_timed_recovery(void **state)
{
	(void)state;
	assert_int_equal(vectors_each("qcn.csv", "rp-timed-recovery", check_timed), 24);
}

/* N sources with equal rates and equal phase: one of them represents all. */
static void check_hotspot(const struct vector *v)
{
	double n = vector_num(v, v->inputs, "N"), share = vector_num(v, v->inputs, "share_each");
	struct fluid f = {.params = params_of(variant_of(vector_text(v, v->inputs, "thr")))};

	print_message("%s\n", v->id);
	begin_at(&f.rp, &f.params, share, share);
	check_ms(fluid_reaches_ms(&f, 0.95 / n), vector_num(v, v->outputs, "t95_aggregate_ms"));
	assert_int_equal(f.rp.rp_byte_stage, vector_int(v, v->outputs, "byteStage"));
	assert_int_equal(f.rp.rp_time_stage, vector_int(v, v->outputs, "timeStage"));
}

static void test_hotspot_recovery(void **state)
{
	(void)state;
	assert_int_equal(vectors_each("qcn.csv", "og-hotspot-recovery", check_hotspot), 4);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_decrease),
	    cmocka_unit_test(test_consecutive_cnms),
	    cmocka_unit_test(test_recovery_by_byte_counter),
	    cmocka_unit_test(test_recovery_by_alternating_counters),
	    cmocka_unit_test(test_target_above_10x_is_reduced),
	    cmocka_unit_test(test_hyper_increment),
	    cmocka_unit_test(test_timed_recovery),
	    cmocka_unit_test(test_hotspot_recovery),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
