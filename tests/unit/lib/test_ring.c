/* SPDX-License-Identifier: BSD-3-Clause */
#include "lib/ring.h"
#include "tests/unit/unit.h"

#include <pthread.h>

static void test_full_and_empty(void **state)
{
	struct ring r;

	(void)state;
	assert_true(ring_init(&r, 4, sizeof(int)));
	assert_null(ring_peek(&r));
	for (int round = 0; round < 10; round++) {
		for (int i = 0; i < 4; i++) {
			int *slot = ring_reserve(&r);

			assert_non_null(slot);
			*slot = 10 * round + i;
			ring_commit(&r);
		}
		assert_null(ring_reserve(&r));
		for (int i = 0; i < 4; i++) {
			assert_int_equal(*(int *)ring_peek(&r), 10 * round + i);
			ring_release(&r);
		}
		assert_null(ring_peek(&r));
	}
	ring_free(&r);
}

/* head and tail run past 2^32. */
static void test_wrap(void **state)
{
	struct ring r;

	(void)state;
	assert_true(ring_init(&r, 2, sizeof(int)));
	r.head = r.tail = UINT32_MAX;
	for (int i = 0; i < 2; i++) {
		*(int *)ring_reserve(&r) = i;
		ring_commit(&r);
	}
	assert_null(ring_reserve(&r));
	for (int i = 0; i < 2; i++) {
		assert_int_equal(*(int *)ring_peek(&r), i);
		ring_release(&r);
	}
	assert_null(ring_peek(&r));
	ring_free(&r);
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

static void test_two_threads(void **state)
{
	pthread_t thread;
	struct ring r;

	(void)state;
	assert_true(ring_init(&r, 64, 2 * sizeof(uint64_t)));
	assert_int_equal(pthread_create(&thread, NULL, produce, &r), 0);
	for (uint64_t i = 0; i < PASSED;) {
		uint64_t *slot = ring_peek(&r);

		if (!slot)
			continue;
		assert_true(slot[0] == i && slot[1] == ~i);
		ring_release(&r);
		i++;
	}
	pthread_join(thread, NULL);
	assert_null(ring_peek(&r));
	ring_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_full_and_empty),
	    cmocka_unit_test(test_wrap),
	    cmocka_unit_test(test_two_threads),
	};

	return cmocka_run_group_tests_name("ring", tests, NULL, NULL);
}
