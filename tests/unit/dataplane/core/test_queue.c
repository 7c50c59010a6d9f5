/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/core/queue.h"
#include "lib/rng.h"
#include "tests/unit/unit.h"

static void test_fifo_order_and_counts(void **state)
{
	struct dcb_frame frames[3] = {{.len = 60}, {.len = 1514}, {.len = 0}};
	struct dcb_queue q = {0};

	(void)state;
	assert_true(dcb_queue_is_empty(&q));
	assert_null(dcb_queue_pop(&q));
	for (size_t i = 0; i < 3; i++)
		dcb_queue_push(&q, &frames[i]);
	assert_int_equal(q.octets, 1574);
	assert_int_equal(q.frames, 3);
	for (size_t i = 0; i < 3; i++) {
		assert_ptr_equal(dcb_queue_peek(&q), &frames[i]);
		assert_ptr_equal(dcb_queue_pop(&q), &frames[i]);
		assert_null(frames[i].next);
	}
	assert_true(dcb_queue_is_empty(&q));
	assert_int_equal(q.octets, 0);
	assert_int_equal(q.frames, 0);
}

/* After any number of frames was cut, the others leave in order, and further ones follow. */
static void test_cut(void **state)
{
	(void)state;
	for (unsigned cut = 1; cut <= 5; cut++) {
		struct dcb_frame frames[6] = {{.len = 1}, {.len = 2},  {.len = 4},
					      {.len = 8}, {.len = 16}, {.len = 32}};
		struct dcb_queue q = {0};

		for (unsigned i = 0; i < 5; i++)
			dcb_queue_push(&q, &frames[i]);
		dcb_queue_cut(&q, cut < 5 ? &frames[cut] : NULL, cut, (1u << cut) - 1);
		assert_int_equal(q.frames, 5 - cut);
		dcb_queue_push(&q, &frames[5]);
		for (unsigned i = cut; i < 6; i++)
			assert_ptr_equal(dcb_queue_pop(&q), &frames[i]);
		assert_true(dcb_queue_is_empty(&q));
		assert_int_equal(q.octets, 0);
		assert_int_equal(q.frames, 0);
	}
}

/* Compared with a ring buffer of the expected frames. */
static void test_random_walk(void **state)
{
	struct dcb_frame frames[64];
	unsigned int in = 0, out = 0;
	struct dcb_queue q = {0};
	uint64_t octets = 0;
	struct dcb_rng rng;

	(void)state;
	dcb_rng_seed(&rng, unit_seed(), 1);
	for (int step = 0; step < 100000; step++) {
		if (in - out < 64 && dcb_rng_uniform(&rng, 0, 1)) {
			struct dcb_frame *frame = &frames[in++ % 64];

			frame->len = dcb_rng_uniform(&rng, 60, 9216);
			octets += frame->len;
			dcb_queue_push(&q, frame);
		} else if (in != out) {
			octets -= frames[out % 64].len;
			assert_ptr_equal(dcb_queue_pop(&q), &frames[out++ % 64]);
		} else {
			assert_null(dcb_queue_pop(&q));
		}
		assert_int_equal(q.octets, octets);
		assert_int_equal(q.frames, in - out);
		assert_int_equal(dcb_queue_is_empty(&q), in == out);
	}
}

static void test_fits(void **state)
{
	struct dcb_frame frame = {.len = 1000};
	struct dcb_queue q = {0};

	(void)state;
	assert_true(dcb_queue_fits(&q, 1500, 1500));
	assert_false(dcb_queue_fits(&q, 1501, 1500));
	dcb_queue_push(&q, &frame);
	assert_true(dcb_queue_fits(&q, 500, 1500));
	assert_false(dcb_queue_fits(&q, 501, 1500));
	assert_false(dcb_queue_fits(&q, UINT32_MAX, 1500));
	assert_false(dcb_queue_fits(&q, 1, 999));
	assert_true(dcb_queue_fits(&q, UINT32_MAX, UINT64_MAX));
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_fifo_order_and_counts),
	    cmocka_unit_test(test_cut),
	    cmocka_unit_test(test_random_walk),
	    cmocka_unit_test(test_fits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
