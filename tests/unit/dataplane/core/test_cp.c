/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/core/cp.h"
#include "tests/unit/unit.h"
#include "tests/unit/vectors.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

static const struct cp_config defaults = {
    .cp_qsp = 26000, .cp_sample_base = 150000, .cp_w_exp = 1, .cp_min_header_octets = 0};

static struct cp_config config_of(const struct vector *v)
{
	struct cp_config config = defaults;

	config.cp_qsp = (uint32_t)vector_num(v, v->inputs, "cpQSp");
	config.cp_w_exp = (int8_t)log2(vector_num(v, v->inputs, "cpW"));
	return config;
}

/* Enqueues a frame that brings the queue to qlen and is sampled. */
static struct cp_verdict sample_at(const struct cp_config *config, uint32_t qlen, uint32_t qlen_old,
				   struct cp *cp)
{
	cp_init(cp, config, NULL);
	cp->cp_qlen_old = qlen_old;
	cp->cp_enqueued = 0;
	return cp_enqueue(cp, qlen, NULL);
}

static void check_feedback(const struct vector *v)
{
	struct cp_config config = config_of(v);
	uint32_t qlen = (uint32_t)vector_num(v, v->inputs, "cpQLen");
	uint32_t qlen_old = (uint32_t)vector_num(v, v->inputs, "cpQLenOld");
	bool cnm = strcmp(vector_text(v, v->outputs, "cnm"), "yes") == 0;
	double fb = vector_num(v, v->outputs, "cpFb_clamped");
	struct cp cp;
	struct cp_verdict verdict = sample_at(&config, qlen, qlen_old, &cp);

	print_message("%s\n", v->id);
	assert_true(cp_feedback(&config, qlen, qlen_old) == (int64_t)(fb * CP_FB_SCALE));
	assert_true(verdict.sampled);
	assert_int_equal(verdict.cp_qoffset, vector_int(v, v->outputs, "cpQOffset"));
	assert_int_equal(verdict.cp_qdelta, vector_int(v, v->outputs, "cpQDelta"));
	assert_int_equal(verdict.qntz_fb, vector_int(v, v->outputs, "qntzFb_63"));
	assert_int_equal(verdict.cnm, cnm);
	assert_int_equal(cp.cp_fb, (int64_t)fb);
	assert_int_equal(cp.cp_qlen, qlen);
	assert_int_equal(cp.cp_qlen_old, qlen);
	assert_int_equal(cp.cp_enqueued, (int64_t)vector_num(v, v->outputs, "sampleBase_generic"));
}

static void test_feedback_vectors(void **state)
{
	(void)state;
	assert_int_equal(vectors_each("qcn.csv", "cp-feedback", check_feedback), 27);
}

/* At the least -cpFb of a quantized value the value is reached, one octet below it is not. */
static void check_threshold(const struct vector *v)
{
	struct cp_config config = config_of(v);
	unsigned int code = (unsigned int)vector_num(v, v->outputs, "qntzFb");
	int64_t fb = -(int64_t)vector_num(v, v->outputs, "min_negFb") * CP_FB_SCALE;
	uint32_t qlen = (uint32_t)vector_num(v, v->outputs, "min_qlen");

	print_message("%s\n", v->id);
	assert_int_equal(cp_quantize(&config, fb), code);
	assert_int_equal(cp_quantize(&config, fb + CP_FB_SCALE), code - 1);
	assert_int_equal(cp_quantize(&config, cp_feedback(&config, qlen, qlen)), code);
	assert_int_equal(cp_quantize(&config, cp_feedback(&config, qlen - 1, qlen - 1)), code - 1);
}

static void test_quantizer_vectors(void **state)
{
	(void)state;
	assert_int_equal(vectors_each("qcn.csv", "cp-quant-threshold", check_threshold), 10);
}

static void check_sample_base(const struct vector *v)
{
	uint32_t base = (uint32_t)vector_num(v, v->inputs, "cpSampleBase");
	uint8_t fb = (uint8_t)(8 * vector_num(v, v->inputs, "qntzFb_div8"));
	int64_t lo = (int64_t)vector_num(v, v->outputs, "lo85");
	int64_t hi = (int64_t)vector_num(v, v->outputs, "hi115") + 1;
	struct dcb_rng rng;
	struct cp cp;

	print_message("%s\n", v->id);
	for (uint8_t low = 0; low < 8; low++) {
		assert_int_equal(cp_sample_base_for(base, fb + low),
				 (uint32_t)vector_num(v, v->outputs, "generic"));
		assert_int_equal(cp_sample_base_for(10000, fb + low),
				 (uint32_t)vector_num(v, v->outputs, "at_10000"));
		assert_int_equal(cp_sample_base_for(300000, fb + low),
				 (uint32_t)vector_num(v, v->outputs, "at_300000"));
	}
	cp_init(&cp, &defaults, NULL);
	for (uint64_t seed = 0; seed < 1000; seed++) {
		dcb_rng_seed(&rng, seed, 1);
		assert_in_range(cp_new_sample_base(&cp, fb, &rng), lo, hi);
	}
}

static void test_sample_base_vectors(void **state)
{
	(void)state;
	assert_int_equal(vectors_each("qcn.csv", "cp-sample-base", check_sample_base), 8);
}

/* "n100:q150000:d150000:fb63:CNM|n113:...": samples of equal frames, none leaves the queue. */
static void run_walk(const struct vector *v)
{
	uint32_t octets = (uint32_t)vector_num(v, v->inputs, "frame");
	char expected[VECTOR_TEXT_MAX], got[VECTOR_TEXT_MAX] = "";
	struct cp cp;

	snprintf(expected, sizeof(expected), "%s", vector_text(v, v->outputs, "trace"));
	cp_init(&cp, &defaults, NULL);
	for (unsigned int n = 1; strlen(got) < strlen(expected) && n < 10000; n++) {
		struct cp_verdict verdict = cp_enqueue(&cp, octets, NULL);
		size_t used = strlen(got);

		if (verdict.sampled)
			snprintf(got + used, sizeof(got) - used, "%sn%u:q%u:d%lld:fb%u:%s",
				 used ? "|" : "", n, cp.cp_qlen, (long long)verdict.cp_qdelta,
				 verdict.qntz_fb, verdict.cnm ? "CNM" : "-");
	}
	assert_string_equal(got, expected);
}

/* "100/200/300": sampled frames if the queue stays empty. */
static void run_idle(const struct vector *v)
{
	uint32_t octets = (uint32_t)vector_num(v, v->inputs, "frame");
	char expected[VECTOR_TEXT_MAX], got[VECTOR_TEXT_MAX] = "";
	struct cp cp;

	snprintf(expected, sizeof(expected), "%s", vector_text(v, v->outputs, "sample_frames"));
	cp_init(&cp, &defaults, NULL);
	for (unsigned int n = 1; n <= 350; n++) {
		struct cp_verdict verdict = cp_enqueue(&cp, octets, NULL);
		size_t used = strlen(got);

		cp_dequeue(&cp, octets);
		assert_false(verdict.cnm);
		if (verdict.sampled)
			snprintf(got + used, sizeof(got) - used, "%s%u", used ? "/" : "", n);
	}
	assert_string_equal(got, expected);
}

/* TR_lt0 samples at a count below 0; sample_is_due() samples at 0. */
static void check_trace(const struct vector *v)
{
	print_message("%s\n", v->id);
	if (strcmp(v->id, "TR_walk") == 0)
		run_walk(v);
	else if (strcmp(v->id, "TR_le0") == 0)
		run_idle(v);
	else
		assert_string_equal(v->id, "TR_lt0");
}

static void test_sampling_vectors(void **state)
{
	(void)state;
	assert_int_equal(vectors_each("qcn.csv", "cp-sampling-trace", check_trace), 3);
}

/* Over many draws both ends of +-15 % are nearly reached, and the mean is the base. */
static void test_jitter_is_uniform(void **state)
{
	struct cp_config config = defaults;
	struct dcb_rng rng;
	struct cp cp;

	(void)state;
	dcb_rng_seed(&rng, unit_seed(), 1);
	for (uint8_t fb = 0; fb <= CP_QNTZ_FB_MAX; fb++) {
		int64_t lowest = INT64_MAX, highest = 0, sum = 0;
		int64_t base = cp_sample_base_for(config.cp_sample_base, fb);

		cp_init(&cp, &config, &rng);
		for (int i = 0; i < 4000; i++) {
			int64_t drawn = cp_new_sample_base(&cp, fb, &rng);

			lowest = drawn < lowest ? drawn : lowest;
			highest = drawn > highest ? drawn : highest;
			sum += drawn;
		}
		assert_in_range(lowest, base * 85 / 100, base * 86 / 100);
		assert_in_range(highest, base * 114 / 100, base * 115 / 100 + 1);
		assert_in_range(sum / 4000, base * 99 / 100, base * 101 / 100);
	}
}

/* With the largest base, the highest draw does not fit in 32 bits. */
static void test_jitter_of_extreme_bases(void **state)
{
	struct cp_config config = defaults;
	struct dcb_rng rng;
	struct cp cp;
	bool above = false;

	(void)state;
	dcb_rng_seed(&rng, unit_seed(), 1);
	config.cp_sample_base = UINT32_MAX;
	cp_init(&cp, &config, &rng);
	for (int i = 0; i < 1000; i++) {
		int64_t drawn = cp_new_sample_base(&cp, 0, &rng);

		above |= drawn > UINT32_MAX;
		assert_in_range(drawn, (uint64_t)UINT32_MAX * 85 / 100,
				(uint64_t)UINT32_MAX * 115 / 100 + 1);
	}
	assert_true(above);
	assert_true(cp_new_sample_base(&cp, 0, NULL) == UINT32_MAX);
}

/* Equal seeds result in equal samples, including the first. */
static void test_same_seed_same_samples(void **state)
{
	uint64_t seed = unit_seed();
	struct dcb_rng rng[3];
	struct cp cp[3];
	bool differs = false;

	(void)state;
	for (int i = 0; i < 3; i++) {
		dcb_rng_seed(&rng[i], seed, i == 2 ? 2 : 1);
		cp_init(&cp[i], &defaults, &rng[i]);
	}
	differs = cp[0].cp_enqueued != cp[2].cp_enqueued;
	for (int n = 0; n < 20000; n++) {
		bool sampled[3];

		for (int i = 0; i < 3; i++)
			sampled[i] = cp_enqueue(&cp[i], 1000, &rng[i]).sampled;
		assert_int_equal(sampled[0], sampled[1]);
		differs |= sampled[0] != sampled[2];
	}
	assert_int_equal(cp[0].cp_qlen, cp[1].cp_qlen);
	assert_int_equal(cp[0].cp_qlen_old, cp[1].cp_qlen_old);
	assert_int_equal(cp[0].cp_enqueued, cp[1].cp_enqueued);
	assert_int_equal(cp[0].cp_fb, cp[1].cp_fb);
	assert_true(differs);
}

/* With the smallest weight, fractions of an octet determine the quantized value. */
static void test_feedback_keeps_fractions(void **state)
{
	struct cp_config config = {.cp_qsp = 100, .cp_sample_base = 10000, .cp_w_exp = -10};

	(void)state;
	/* Bound 100 * (1 + 2/1024); value 1 starts at 1.59... octets: 1 + 1/1024 * 607. */
	assert_int_equal(cp_feedback(&config, 101, 101), -CP_FB_SCALE);
	assert_int_equal(cp_feedback(&config, 100, 99), -1);
	assert_int_equal(cp_feedback(&config, 100, 101), 0);
	assert_int_equal(cp_feedback(&config, 607 + 101, 101), -(100 * CP_FB_SCALE + 200));
	assert_int_equal(cp_quantize(&config, -1628), 0);
	assert_int_equal(cp_quantize(&config, -1629), 1);
	assert_int_equal(cp_quantize(&config, -(100 * CP_FB_SCALE + 199)), 62);
	assert_int_equal(cp_quantize(&config, -(100 * CP_FB_SCALE + 200)), 63);
}

/*
 * Any state and configuration: feedback within its bound, quantized values
 * monotonic, no CNM if cpFb is not negative.
 */
static void test_feedback_bounds(void **state)
{
	struct dcb_rng rng;

	(void)state;
	dcb_rng_seed(&rng, unit_seed(), 1);
	for (int i = 0; i < 200000; i++) {
		unsigned int shift = dcb_rng_uniform(&rng, 0, 25);
		struct cp_config config = {
		    .cp_qsp = dcb_rng_uniform(&rng, 100, UINT32_MAX >> shift),
		    .cp_sample_base = dcb_rng_uniform(&rng, 10000, UINT32_MAX),
		    .cp_w_exp = (int8_t)((int)dcb_rng_uniform(&rng, 0, 20) - 10),
		};
		uint32_t qlen = dcb_rng_next(&rng) >> shift;
		uint32_t qlen_old = dcb_rng_next(&rng) >> shift;
		double w = ldexp(1, config.cp_w_exp);
		double exact = (double)config.cp_qsp - qlen - w * ((double)qlen - (double)qlen_old);
		double lowest = -(double)config.cp_qsp * (2 * w + 1);
		struct cp cp;
		struct cp_verdict verdict = sample_at(&config, qlen, qlen_old, &cp);

		exact = fmin(0, fmax(lowest, exact));
		assert_true(cp_feedback(&config, qlen, qlen_old) == (int64_t)(exact * CP_FB_SCALE));
		assert_in_range(verdict.qntz_fb, 0, CP_QNTZ_FB_MAX);
		assert_int_equal(verdict.qntz_fb == CP_QNTZ_FB_MAX, exact == lowest);
		assert_int_equal(verdict.cnm, verdict.qntz_fb > 0);
		assert_true(cp.cp_fb <= 0);
		assert_true(cp.cp_fb == (int32_t)fmax(exact, INT32_MIN));
	}
}

/* The queue length is octets in minus octets out, and samples are taken when due. */
static void test_queue_length_and_samples_in_random_walk(void **state)
{
	struct dcb_rng rng;
	int64_t inside = 0, since = 0;
	unsigned int samples = 0;
	struct cp cp;

	(void)state;
	dcb_rng_seed(&rng, unit_seed(), 1);
	cp_init(&cp, &defaults, &rng);
	for (int n = 0; n < 100000; n++) {
		uint32_t octets = dcb_rng_uniform(&rng, 60, 1514);
		uint32_t old = cp.cp_qlen_old;
		struct cp_verdict verdict = cp_enqueue(&cp, octets, &rng);

		inside += octets;
		since += octets;
		assert_int_equal(cp.cp_qlen, inside);
		if (verdict.sampled) {
			samples++;
			assert_in_range(since, 150000 / 8 * 85 / 100, 150000 * 115 / 100 + 1514);
			assert_int_equal(verdict.cp_qoffset, 26000 - inside);
			assert_int_equal(verdict.cp_qdelta, inside - old);
			assert_int_equal(cp.cp_qlen_old, inside);
			since = 0;
		} else {
			assert_int_equal(verdict.cnm, 0);
			assert_int_equal(cp.cp_qlen_old, old);
		}
		while (inside > 60000 || (inside && dcb_rng_uniform(&rng, 0, 1))) {
			uint32_t left = inside < 1000 ? (uint32_t)inside : 1000;

			cp_dequeue(&cp, left);
			inside -= left;
		}
	}
	assert_true(samples > 100000 * 60 / 172500);
}

static void test_reconfigure_limits_the_sample_interval(void **state)
{
	struct cp_config config = defaults;
	struct cp_verdict verdict;
	struct cp cp;

	(void)state;
	config.cp_sample_base = UINT32_MAX;
	cp_init(&cp, &config, NULL);
	(void)cp_enqueue(&cp, 30000, NULL);
	config.cp_sample_base = 20000;
	config.cp_qsp = 40000;
	cp_reconfigure(&cp, &config);
	assert_int_equal(cp.cp_qlen, 30000);
	assert_int_equal(cp.cp_enqueued, 20000);
	/* A larger base does not change the current sample interval. */
	config.cp_sample_base = 150000;
	cp_reconfigure(&cp, &config);
	assert_int_equal(cp.cp_enqueued, 20000);
	assert_false(cp_enqueue(&cp, 19999, NULL).sampled);
	verdict = cp_enqueue(&cp, 1, NULL);
	assert_true(verdict.sampled);
	assert_int_equal(verdict.cp_qoffset, 40000 - 50000);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_feedback_vectors),
	    cmocka_unit_test(test_quantizer_vectors),
	    cmocka_unit_test(test_sample_base_vectors),
	    cmocka_unit_test(test_sampling_vectors),
	    cmocka_unit_test(test_jitter_is_uniform),
	    cmocka_unit_test(test_jitter_of_extreme_bases),
	    cmocka_unit_test(test_same_seed_same_samples),
	    cmocka_unit_test(test_feedback_keeps_fractions),
	    cmocka_unit_test(test_feedback_bounds),
	    cmocka_unit_test(test_queue_length_and_samples_in_random_walk),
	    cmocka_unit_test(test_reconfigure_limits_the_sample_interval),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
