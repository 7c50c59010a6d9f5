/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/core/cp_early.h"
#include "tests/unit/unit.h"
#include "tests/unit/vectors.h"

#include <math.h>
#include <string.h>

#define PPM   1000000
#define Q_SP  26000
#define FRAME 1500

static const struct cp_config defaults = {
    .cp_qsp = Q_SP, .cp_sample_base = 150000, .cp_w_exp = 1, .cp_min_header_octets = 0};

static const struct cp_early_config always = {.base_probability_ppm = PPM, .page_octets = 1};
static const struct cp_early_config never = {.page_octets = 1};

/* Enqueues a frame that brings the queue to qlen; qlen_old is the length at the last sample. */
static struct cp_verdict frame_at(struct cp *cp, const struct cp_early_config *early, uint32_t qlen,
				  uint32_t qlen_old, struct dcb_rng *rng)
{
	cp->cp_qlen = 0;
	cp->cp_qlen_old = qlen_old;
	return cp_early_enqueue(cp, early, qlen, rng);
}

/* Returns the shortest constant queue length with this quantized feedback. */
static uint32_t qlen_of_step(unsigned int qntz_fb)
{
	return Q_SP + (Q_SP * 5 * qntz_fb + CP_QNTZ_FB_MAX - 1) / CP_QNTZ_FB_MAX;
}

static void start(struct cp *cp, struct dcb_rng *rng)
{
	dcb_rng_seed(rng, unit_seed(), 1);
	cp_init(cp, &defaults, rng);
}

/* --- feedback -------------------------------------------------------------------- */

/* With pages of one octet the feedback is that of 802.1Q, except that a quantized 0 is sent. */
static void check_feedback(const struct vector *v)
{
	struct cp_config config = defaults;
	uint32_t qlen = (uint32_t)vector_num(v, v->inputs, "cpQLen");
	uint32_t qlen_old = (uint32_t)vector_num(v, v->inputs, "cpQLenOld");
	double fb = vector_num(v, v->outputs, "cpFb_clamped");
	struct cp_verdict verdict;
	struct dcb_rng rng;
	struct cp cp;

	print_message("%s\n", v->id);
	config.cp_qsp = (uint32_t)vector_num(v, v->inputs, "cpQSp");
	config.cp_w_exp = (int8_t)log2(vector_num(v, v->inputs, "cpW"));
	dcb_rng_seed(&rng, 1, 1);
	cp_init(&cp, &config, &rng);
	verdict = frame_at(&cp, &always, qlen, qlen_old, &rng);
	assert_true(verdict.sampled);
	assert_int_equal(verdict.qntz_fb, vector_int(v, v->outputs, "qntzFb_63"));
	assert_int_equal(verdict.cp_qoffset, vector_int(v, v->outputs, "cpQOffset"));
	assert_int_equal(verdict.cp_qdelta, vector_int(v, v->outputs, "cpQDelta"));
	assert_int_equal(verdict.mark, fb < 0);
	assert_int_equal(verdict.cnm, fb < 0);
	assert_int_equal(cp.cp_fb, (int64_t)fb);
	assert_int_equal(cp.cp_qlen_old, qlen);
}

static void test_feedback_vectors(void **state)
{
	(void)state;
	assert_int_equal(vectors_each("qcn.csv", "cp-feedback", check_feedback), 27);
}

static void test_feedback_in_pages(void **state)
{
	static const struct {
		uint32_t page, qlen, qlen_old;
		int32_t cp_fb; /* octets, a multiple of the page size */
	} cases[] = {
	    /* 26000 octets are 102 pages of 256, the last one partly used. */
	    {256, 26000, 26000, 0},
	    {256, 26112, 26112, 0},
	    {256, 26113, 26113, -256},
	    {256, 26113, 26112, -3 * 256},
	    {256, 26112, 26111, 0},
	    {256, 26368, 26113, -256},
	    {256, 26369, 26113, -4 * 256},
	    /* 1500 octets above the set point are more pages of 64 octets than of 256. */
	    {64, 27500, 27500, -23 * 64},
	    {1000, 27500, 27500, -2 * 1000},
	    {1500, 27500, 27500, -1500},
	    {9000, 27000, 27000, 0},
	    {9000, 27001, 27001, -9000},
	    /* Queue and set point are one page each. */
	    {UINT32_MAX, 130000, 0, -INT32_MAX - 1},
	    {UINT32_MAX, 130000, 1, 0},
	    {0, 26001, 26001, -1},
	    {1, 26001, 26001, -1},
	};
	struct dcb_rng rng;
	struct cp cp;

	(void)state;
	start(&cp, &rng);
	for (size_t i = 0; i < UNIT_COUNT(cases); i++) {
		struct cp_early_config early = always;
		struct cp_verdict verdict;

		print_message("page %u, queue %u\n", cases[i].page, cases[i].qlen);
		early.page_octets = cases[i].page;
		verdict = frame_at(&cp, &early, cases[i].qlen, cases[i].qlen_old, &rng);
		assert_int_equal(cp.cp_fb, cases[i].cp_fb);
		assert_int_equal(verdict.mark, cases[i].cp_fb < 0);
		assert_int_equal(verdict.cnm, cases[i].cp_fb < 0);
		/* State and CNM fields stay in octets. */
		assert_int_equal(cp.cp_qlen, cases[i].qlen);
		assert_int_equal(cp.cp_qlen_old, cases[i].qlen);
		assert_int_equal(verdict.cp_qoffset, (int64_t)Q_SP - cases[i].qlen);
	}
}

/* Large pages result in large steps; the first and the last threshold stay. */
static void test_quantized_feedback_in_pages(void **state)
{
	struct cp_early_config early = always;
	struct dcb_rng rng;
	struct cp cp;

	(void)state;
	start(&cp, &rng);
	for (early.page_octets = 1; early.page_octets <= 26000; early.page_octets *= 2) {
		assert_int_equal(frame_at(&cp, &early, 6 * Q_SP, 0, &rng).qntz_fb, CP_QNTZ_FB_MAX);
		assert_int_equal(frame_at(&cp, &early, Q_SP, Q_SP, &rng).qntz_fb, 0);
	}
	early.page_octets = 13000; /* set point 2 pages, bound 10 pages */
	assert_int_equal(frame_at(&cp, &early, 26001, 26001, &rng).qntz_fb, 6);
	assert_int_equal(frame_at(&cp, &early, 39000, 39000, &rng).qntz_fb, 6);
	assert_int_equal(frame_at(&cp, &early, 39001, 39001, &rng).qntz_fb, 12);
}

/* --- sampling ---------------------------------------------------------------------- */

/*
 * Checks the number of sampled frames, within five sigma: fails by chance in
 * one of two million runs.
 */
static void check_frequency(const struct cp_early_config *early, unsigned int qntz_fb, double p,
			    struct dcb_rng *rng)
{
	enum { FRAMES = 400000 };
	uint32_t qlen = qlen_of_step(qntz_fb);
	double sigma = sqrt(FRAMES * p * (1 - p));
	unsigned int sampled = 0;
	struct cp cp;

	cp_init(&cp, &defaults, rng);
	for (unsigned int i = 0; i < FRAMES; i++) {
		struct cp_verdict verdict = frame_at(&cp, early, qlen, qlen, rng);

		sampled += verdict.sampled;
		assert_int_equal(verdict.cnm, verdict.sampled && qntz_fb);
		assert_int_equal(verdict.qntz_fb, verdict.sampled ? qntz_fb : 0);
	}
	print_message("step %u: %u of %u, expected %.0f +- %.0f\n", qntz_fb, sampled, FRAMES,
		      FRAMES * p, 5 * sigma);
	assert_true(fabs(sampled - FRAMES * p) <= 5 * sigma);
}

static void test_sampling_frequency(void **state)
{
	static const struct cp_early_config early = {
	    .base_probability_ppm = 10000, .step_probability_ppm = 2500, .page_octets = 1};
	static const unsigned int steps[] = {0, 1, 2, 12, 31, 63};
	struct dcb_rng rng;

	(void)state;
	dcb_rng_seed(&rng, unit_seed(), 1);
	for (size_t i = 0; i < UNIT_COUNT(steps); i++)
		check_frequency(&early, steps[i], 0.01 + 0.0025 * steps[i], &rng);
}

static void test_sum_above_1_samples_every_frame(void **state)
{
	static const struct cp_early_config beyond[] = {
	    {.base_probability_ppm = PPM, .page_octets = 1},
	    {.base_probability_ppm = UINT32_MAX, .page_octets = 1},
	    {.base_probability_ppm = UINT32_MAX, .step_probability_ppm = UINT32_MAX},
	    {.step_probability_ppm = UINT32_MAX, .page_octets = 1},
	    {.step_probability_ppm = 15874, .page_octets = 1}, /* 63 steps: 1000062 ppm */
	};
	struct dcb_rng rng;

	(void)state;
	dcb_rng_seed(&rng, unit_seed(), 1);
	for (size_t i = 0; i < UNIT_COUNT(beyond); i++)
		check_frequency(&beyond[i], CP_QNTZ_FB_MAX, 1, &rng);
	check_frequency(&never, CP_QNTZ_FB_MAX, 0, &rng);
}

/* With the same draw, a frame sampled at one step is sampled at every higher step. */
static void test_sampling_is_monotonic_in_feedback(void **state)
{
	static const struct cp_early_config early = {
	    .base_probability_ppm = 10000, .step_probability_ppm = 15000, .page_octets = 1};
	unsigned int risen = 0;
	struct dcb_rng rng;
	struct cp cp;

	(void)state;
	start(&cp, &rng);
	for (unsigned int i = 0; i < 20000; i++) {
		bool sampled = false;
		struct dcb_rng draw = rng;

		for (unsigned int step = 0; step <= CP_QNTZ_FB_MAX; step++) {
			struct cp_verdict verdict;
			uint32_t qlen = qlen_of_step(step);

			draw = rng;
			verdict = frame_at(&cp, &early, qlen, qlen, &draw);
			assert_true(verdict.sampled || !sampled);
			risen += verdict.sampled && !sampled;
			sampled = verdict.sampled;
		}
		rng = draw;
	}
	/*
	 * Of 20000, 95.5 % (base and 63 steps) are sampled at the last step:
	 * 19100, five sigma are 147.
	 */
	assert_in_range(risen, 19100 - 147, 19100 + 147);
}

/* --- results with and without a sample ----------------------------------------------- */

static void test_marks_while_feedback_is_negative(void **state)
{
	struct dcb_rng rng;
	struct cp cp;

	(void)state;
	start(&cp, &rng);
	for (uint32_t qlen = 0; qlen <= 2 * Q_SP; qlen += 500) {
		struct cp_verdict verdict = frame_at(&cp, &never, qlen, qlen, &rng);

		assert_int_equal(verdict.mark, qlen > Q_SP);
		assert_false(verdict.sampled || verdict.cnm);
	}
	/*
	 * Feedback decides, not length: a growing queue below the set point, a
	 * shrinking one above it.
	 */
	assert_true(frame_at(&cp, &never, 20000, 14000, &rng).mark);
	assert_false(frame_at(&cp, &never, 40000, 60000, &rng).mark);
}

/*
 * A negative feedback that is quantized to 0 is sent, as the text requires;
 * cp.c does not send it.
 */
static void test_small_feedback_is_sent(void **state)
{
	struct cp_verdict verdict;
	struct dcb_rng rng;
	struct cp cp;

	(void)state;
	start(&cp, &rng);
	verdict = frame_at(&cp, &always, Q_SP + 1, Q_SP + 1, &rng);
	assert_true(verdict.sampled && verdict.cnm && verdict.mark);
	assert_int_equal(verdict.qntz_fb, 0);

	cp.cp_qlen = 0;
	cp.cp_enqueued = 0;
	verdict = cp_enqueue(&cp, Q_SP + 1, NULL);
	assert_true(verdict.sampled);
	assert_int_equal(cp.cp_fb, -1);
	assert_false(verdict.cnm || verdict.mark);
}

/*
 * A sample updates the old length, with or without a CNM. Other frames change
 * only the queue length.
 */
static void test_sample_updates_old_length(void **state)
{
	struct dcb_rng rng;
	struct cp cp;
	int64_t enqueued;

	(void)state;
	start(&cp, &rng);
	enqueued = cp.cp_enqueued;
	assert_false(cp_early_enqueue(&cp, &always, FRAME, &rng).cnm);
	assert_int_equal(cp.cp_qlen_old, FRAME);
	assert_false(cp_early_enqueue(&cp, &never, FRAME, &rng).sampled);
	assert_int_equal(cp.cp_qlen, 2 * FRAME);
	assert_int_equal(cp.cp_qlen_old, FRAME);
	assert_int_equal(cp.cp_fb, 0);
	assert_true(cp_early_enqueue(&cp, &always, 60000, &rng).cnm);
	assert_int_equal(cp.cp_qlen_old, 63000);
	assert_int_equal(cp.cp_fb, -130000);
	cp_dequeue(&cp, 63000);
	assert_int_equal(cp.cp_qlen, 0);
	assert_int_equal(cp.cp_qlen_old, 63000);
	assert_int_equal(cp.cp_enqueued, enqueued);
}

/* --- pages of frames ------------------------------------------------------------------- */

/* Puts n frames of this length into the queue. Returns the verdict of the last one. */
static struct cp_verdict fill(struct cp *cp, const struct cp_early_config *early, unsigned int n,
			      uint32_t octets, struct dcb_rng *rng)
{
	struct cp_verdict verdict = {0};

	while (n-- > 0)
		verdict = cp_early_enqueue(cp, early, octets, rng);
	return verdict;
}

/*
 * Queues of equal frames at cpQSp 26000 octets: 102 pages of 256. With pages of frames each
 * frame counts whole pages, so that short frames reach the set point with fewer octets.
 */
static void test_feedback_in_pages_of_frames(void **state)
{
	static const struct {
		uint32_t page, octets;
		unsigned int frames;
		uint32_t of_queue, of_frames; /* pages */
	} cases[] = {
	    {256, 1500, 17, 100, 102},                            /* 6 pages a frame, 5.86 filled */
	    {256, 1500, 18, 106, 108}, {256, 1536, 17, 102, 102}, /* frames that fill their pages:
								     no difference */
	    {256, 64, 102, 26, 102},                              /* a quarter of a page each */
	    {256, 64, 103, 26, 103},   {256, 257, 51, 52, 102},   /* one octet in the second page */
	    {256, 257, 52, 53, 104},   {1, 1500, 18, 27000, 27000}, {0, 1500, 18, 27000, 27000},
	    {2048, 60, 14, 1, 14},
	};
	struct dcb_rng rng;
	struct cp cp;

	(void)state;
	for (size_t i = 0; i < UNIT_COUNT(cases); i++) {
		uint32_t page = cases[i].page < 2 ? 1 : cases[i].page;
		int64_t set_point = (Q_SP + page - 1) / page;

		for (unsigned int of_frames = 0; of_frames < 2; of_frames++) {
			struct cp_early_config early = never;
			int64_t used = of_frames ? cases[i].of_frames : cases[i].of_queue;
			/* The old length is 0: Fb = (set point - used) - 2 * used. */
			int64_t fb = set_point - used - 2 * used;
			struct cp_verdict verdict;

			print_message("case %zu, pages of %s\n", i, of_frames ? "frames" : "queue");
			early.page_octets = cases[i].page;
			early.pages_of_frames = of_frames;
			start(&cp, &rng);
			fill(&cp, &early, cases[i].frames - 1, cases[i].octets, &rng);
			early.base_probability_ppm = PPM;
			verdict = fill(&cp, &early, 1, cases[i].octets, &rng);
			assert_true(verdict.sampled);
			assert_int_equal(cp.cp_fb, fb < 0 ? fb * page : 0);
			/* State and CNM fields stay in octets. */
			assert_int_equal(cp.cp_qlen, cases[i].frames * cases[i].octets);
			assert_int_equal(verdict.cp_qoffset,
					 (int64_t)Q_SP - cases[i].frames * cases[i].octets);
			/* At the next sample the old length is that of this one. */
			verdict = fill(&cp, &early, 1, page, &rng);
			fb = set_point - (used + 1) - 2;
			if (of_frames)
				assert_int_equal(cp.cp_fb, fb < 0 ? fb * page : 0);
		}
	}
}

/* A frame takes the same pages away that it added. */
static void test_pages_of_frames_leave_with_the_frames(void **state)
{
	struct cp_early_config early = never;
	uint32_t octets[64];
	struct dcb_rng rng;
	struct cp cp;

	(void)state;
	early.page_octets = 256;
	early.pages_of_frames = true;
	start(&cp, &rng);
	for (unsigned int turn = 0; turn < 100; turn++) {
		uint32_t used = 0;

		for (unsigned int i = 0; i < UNIT_COUNT(octets); i++) {
			octets[i] = dcb_rng_uniform(&rng, 1, 9216);
			used += (octets[i] + 255) / 256;
			cp_early_enqueue(&cp, &early, octets[i], &rng);
			assert_int_equal(cp.pages, used);
		}
		for (unsigned int i = 0; i < UNIT_COUNT(octets); i++)
			cp_early_dequeue(&cp, &early, octets[i]);
		assert_int_equal(cp.pages, 0);
		assert_int_equal(cp.cp_qlen, 0);
	}
}

/* Frames that were in the queue before the congestion point are in its length, old and new. */
static void test_pages_of_earlier_frames_are_counted(void **state)
{
	struct cp_early_config early = always;
	struct dcb_rng rng;
	struct cp cp;

	(void)state;
	early.page_octets = 256;
	early.pages_of_frames = true;
	start(&cp, &rng);
	cp.cp_qlen = cp.cp_qlen_old = 99 * 60;
	for (unsigned int i = 0; i < 99; i++)
		cp_early_count(&cp, &early, 60);
	/* The set point is 102 pages. A frame more: 102 - 100 - 2 * 1, then 102 - 101 - 2 * 1. */
	assert_false(cp_early_enqueue(&cp, &early, 60, &rng).mark);
	assert_int_equal(cp.cp_fb, 0);
	assert_true(cp_early_enqueue(&cp, &early, 60, &rng).mark);
	assert_int_equal(cp.cp_fb, -256);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_feedback_vectors),
	    cmocka_unit_test(test_feedback_in_pages),
	    cmocka_unit_test(test_quantized_feedback_in_pages),
	    cmocka_unit_test(test_sampling_frequency),
	    cmocka_unit_test(test_sum_above_1_samples_every_frame),
	    cmocka_unit_test(test_sampling_is_monotonic_in_feedback),
	    cmocka_unit_test(test_marks_while_feedback_is_negative),
	    cmocka_unit_test(test_small_feedback_is_sent),
	    cmocka_unit_test(test_sample_updates_old_length),
	    cmocka_unit_test(test_feedback_in_pages_of_frames),
	    cmocka_unit_test(test_pages_of_frames_leave_with_the_frames),
	    cmocka_unit_test(test_pages_of_earlier_frames_are_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
