/* SPDX-License-Identifier: BSD-3-Clause */
#include "lib/ring.h"
#include "tests/unit/unit.h"

#include <pthread.h>

static void test_no_slot_when_full_no_element_when_empty(void **state)
{
	struct ring *r = ring_new(4, sizeof(int));

	(void)state;
	assert_non_null(r);
	assert_null(ring_peek(r));
	for (int round = 0; round < 10; round++) {
		for (int i = 0; i < 4; i++) {
			int *slot = ring_reserve(r);

			assert_non_null(slot);
			*slot = 10 * round + i;
			ring_commit(r);
		}
		assert_null(ring_reserve(r));
		for (int i = 0; i < 4; i++) {
			assert_int_equal(*(int *)ring_peek(r), 10 * round + i);
			ring_release(r);
		}
		assert_null(ring_peek(r));
	}
	free(r);
}

/* A producer can leave half of the ring to others. */
static void test_half_full(void **state)
{
	struct ring *r = ring_new(4, sizeof(int));

	(void)state;
	assert_non_null(r);
	for (int round = 0; round < 10; round++) {
		for (int i = 0; i < 2; i++) {
			assert_false(ring_is_half_full(r));
			*(int *)ring_reserve(r) = i;
			ring_commit(r);
		}
		assert_true(ring_is_half_full(r));
		assert_non_null(ring_reserve(r));
		ring_release(r);
		assert_false(ring_is_half_full(r));
		ring_release(r);
	}
	free(r);
}

/* head and tail wrap from 2^32 - 1 to 0. */
static void test_head_and_tail_wrap(void **state)
{
	struct ring *r = ring_new(2, sizeof(int));

	(void)state;
	assert_non_null(r);
	r->head = r->head_seen = r->tail = r->tail_seen = UINT32_MAX;
	for (int i = 0; i < 2; i++) {
		*(int *)ring_reserve(r) = i;
		ring_commit(r);
	}
	assert_null(ring_reserve(r));
	for (int i = 0; i < 2; i++) {
		assert_int_equal(*(int *)ring_peek(r), i);
		ring_release(r);
	}
	assert_null(ring_peek(r));
	free(r);
}

#define PASSED 200000

static void *produce(void *ctx)
{
	struct ring *r = ctx;

	for (uint64_t i = 0; i < PASSED;) {
		uint64_t *slot = ring_reserve(r);

		if (!slot)
			continue;
		slot[0] = i;
		slot[1] = ~i;
		ring_commit(r);
		i++;
	}
	return NULL;
}

static void test_elements_pass_between_threads_in_order(void **state)
{
	struct ring *r = ring_new(64, 2 * sizeof(uint64_t));
	pthread_t thread;

	(void)state;
	assert_non_null(r);
	assert_int_equal(pthread_create(&thread, NULL, produce, r), 0);
	for (uint64_t i = 0; i < PASSED;) {
		uint64_t *slot = ring_peek(r);

		if (!slot)
			continue;
		assert_true(slot[0] == i && slot[1] == ~i);
		ring_release(r);
		i++;
	}
	pthread_join(thread, NULL);
	assert_null(ring_peek(r));
	free(r);
}

static size_t line_of(const struct ring *r, const void *member)
{
	return (size_t)((const uint8_t *)member - (const uint8_t *)r) / RING_CACHE_LINE;
}

/* The producer's, the consumer's and the constant members are in different cache lines. */
static void test_threads_write_different_cache_lines(void **state)
{
	struct ring *r = ring_new(64, 1);

	(void)state;
	assert_non_null(r);
	assert_int_equal((uintptr_t)r % RING_CACHE_LINE, 0);
	assert_int_equal(line_of(r, &r->mask), line_of(r, &r->slot_octets));
	assert_int_equal(line_of(r, &r->head), line_of(r, &r->tail_seen));
	assert_int_equal(line_of(r, &r->tail), line_of(r, &r->head_seen));
	assert_true(line_of(r, &r->mask) < line_of(r, &r->head));
	assert_true(line_of(r, &r->head) < line_of(r, &r->tail));
	assert_true(line_of(r, &r->tail) < line_of(r, r->slots));
	free(r);
}

/* The producer reads tail only if the ring is full by tail_seen, the consumer likewise. */
static void test_other_end_is_read_only_when_full_or_empty(void **state)
{
	struct ring *r = ring_new(4, 1);

	(void)state;
	assert_non_null(r);
	for (int i = 0; i < 4; i++) {
		assert_non_null(ring_reserve(r));
		ring_commit(r);
	}
	assert_non_null(ring_peek(r));
	assert_int_equal(r->head_seen, 4);
	ring_release(r);
	assert_int_equal(r->tail_seen, 0);
	assert_non_null(ring_reserve(r)); /* full by tail_seen, so that it reads tail */
	assert_int_equal(r->tail_seen, 1);
	ring_commit(r);
	assert_null(ring_reserve(r));
	for (int i = 0; i < 3; i++) {
		assert_non_null(ring_peek(r));
		assert_int_equal(r->head_seen, 4);
		ring_release(r);
	}
	assert_non_null(ring_peek(r));
	assert_int_equal(r->head_seen, 5);
	ring_release(r);
	assert_null(ring_peek(r));
	free(r);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_no_slot_when_full_no_element_when_empty),
	    cmocka_unit_test(test_half_full),
	    cmocka_unit_test(test_head_and_tail_wrap),
	    cmocka_unit_test(test_elements_pass_between_threads_in_order),
	    cmocka_unit_test(test_threads_write_different_cache_lines),
	    cmocka_unit_test(test_other_end_is_read_only_when_full_or_empty),
	};

	return cmocka_run_group_tests_name("ring", tests, NULL, NULL);
}
