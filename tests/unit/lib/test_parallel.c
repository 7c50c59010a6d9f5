/* SPDX-License-Identifier: BSD-3-Clause */
#include "lib/parallel.h"
#include "tests/unit/unit.h"

#include <pthread.h>
#include <string.h>

#define MOST 1000

static unsigned calls[MOST];
static pthread_barrier_t together;

static void count(void *ctx, unsigned i)
{
	__atomic_fetch_add(&((unsigned *)ctx)[i], 1, __ATOMIC_RELAXED);
}

static void test_each_is_called_once(void **state)
{
	static const unsigned sizes[] = {0, 1, 2, PARALLEL_THREADS, PARALLEL_THREADS + 2, MOST};

	(void)state;
	for (unsigned i = 0; i < UNIT_COUNT(sizes); i++) {
		memset(calls, 0, sizeof(calls));
		parallel_run(sizes[i], count, calls);
		for (unsigned k = 0; k < MOST; k++)
			assert_int_equal(calls[k], k < sizes[i]);
	}
}

static void wait_for_all(void *ctx, unsigned i)
{
	(void)ctx, (void)i;
	pthread_barrier_wait(&together);
}

/* Returns only if all calls run at the same time. */
static void test_calls_wait_side_by_side(void **state)
{
	(void)state;
	assert_int_equal(pthread_barrier_init(&together, NULL, PARALLEL_THREADS + 1), 0);
	parallel_run(PARALLEL_THREADS + 1, wait_for_all, NULL);
	pthread_barrier_destroy(&together);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_each_is_called_once),
	    cmocka_unit_test(test_calls_wait_side_by_side),
	};

	return cmocka_run_group_tests_name("parallel", tests, NULL, NULL);
}
