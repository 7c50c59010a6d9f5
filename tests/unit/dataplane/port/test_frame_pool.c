/* SPDX-License-Identifier: BSD-3-Clause */
/* Frame buffers have the requested size, do not overlap, and are reused. */
#include "dataplane/core/buffer.h"
#include "dataplane/port/frame_pool.h"
#include "tests/unit/unit.h"

#include <string.h>

#define SIZE       7
#define CACHE_LINE 64

/* Takes all buffers, for frames of many lengths: none overlaps another. */
static void test_buffers_do_not_overlap(void **state)
{
	struct buffer_account accounts[SIZE];

	(void)state;
	for (uint32_t octets = 1; octets < 300; octets++) {
		struct dcb_frame *frames[SIZE];
		struct frame_pool pool;

		assert_true(frame_pool_init(&pool, SIZE, octets));
		for (unsigned i = 0; i < SIZE; i++) {
			assert_int_equal(pool.n_free, SIZE - i);
			frames[i] = frame_pool_get(&pool);
			assert_non_null(frames[i]);
			assert_int_equal((uintptr_t)frames[i] % CACHE_LINE, 0);
			assert_null(frames[i]->account);
			frames[i]->account = &accounts[i];
			memset(frames[i]->data, (int)(i + 1), octets);
		}
		assert_null(frame_pool_get(&pool));
		assert_int_equal(pool.n_free, 0);
		for (unsigned i = 0; i < SIZE; i++) {
			assert_ptr_equal(frames[i]->account, &accounts[i]);
			for (uint32_t at = 0; at < octets; at++)
				assert_int_equal(frames[i]->data[at], i + 1);
		}
		frame_pool_destroy(&pool);
	}
}

/* The buffer freed last is reused first; n_free_low is the minimum of n_free. */
static void test_last_freed_is_reused_first(void **state)
{
	struct buffer_account account;
	struct dcb_frame *a, *b, *c;
	struct frame_pool pool;

	(void)state;
	assert_true(frame_pool_init(&pool, SIZE, 100));
	assert_int_equal(pool.size, SIZE);
	assert_int_equal(pool.n_free_low, SIZE);
	a = frame_pool_get(&pool);
	b = frame_pool_get(&pool);
	c = frame_pool_get(&pool);
	assert_int_equal(pool.n_free_low, SIZE - 3);
	a->account = &account;
	a->data += 8; /* as a station does: a buffer that is reused has all its octets */
	frame_pool_put(&pool, b);
	frame_pool_put(&pool, a);
	assert_int_equal(pool.n_free, SIZE - 1);
	assert_int_equal(pool.n_free_low, SIZE - 3);
	assert_ptr_equal(frame_pool_get(&pool), a);
	assert_ptr_equal(a->data, a + 1);
	assert_null(a->account);
	assert_int_equal(pool.n_free_low, SIZE - 3);
	assert_ptr_equal(frame_pool_get(&pool), b);
	for (unsigned i = 3; i < SIZE; i++)
		assert_ptr_not_equal(frame_pool_get(&pool), c);
	assert_null(frame_pool_get(&pool));
	assert_int_equal(pool.n_free_low, 0);
	frame_pool_put(&pool, c);
	assert_ptr_equal(frame_pool_get(&pool), c);
	frame_pool_destroy(&pool);
	frame_pool_destroy(&pool); /* no memory to free: no effect */
}

/* The buffers of a list are reused in its order, before those that were free already. */
static void test_list_is_reused_in_order(void **state)
{
	struct dcb_frame *f[SIZE];
	struct frame_pool pool;

	(void)state;
	assert_true(frame_pool_init(&pool, SIZE, 100));
	for (unsigned i = 0; i < SIZE; i++)
		f[i] = frame_pool_get(&pool);
	frame_pool_put(&pool, f[3]);
	f[0]->next = f[1];
	f[1]->next = f[2];
	frame_pool_put_list(&pool, f[0], f[2], 3);
	assert_int_equal(pool.n_free, 4);
	for (unsigned i = 0; i < 4; i++)
		assert_ptr_equal(frame_pool_get(&pool), f[i]);
	assert_null(frame_pool_get(&pool));
	assert_int_equal(pool.n_free, 0);
	frame_pool_destroy(&pool);
}

/* A frame's octets are those of its own pool, and used buffers are side by side. */
static void test_pools_of_a_store_do_not_overlap(void **state)
{
	enum { BUFFERS = 3 * FRAME_STORE_STEP, OCTETS = 200 };
	struct dcb_frame *frames[2][BUFFERS];
	struct frame_store store;
	struct frame_pool pools[2];

	(void)state;
	assert_true(frame_store_init(&store, 2 * (BUFFERS + FRAME_STORE_STEP), OCTETS));
	for (unsigned p = 0; p < 2; p++)
		frame_pool_init_from(&pools[p], BUFFERS, &store);
	for (unsigned i = 0; i < BUFFERS; i++) {
		for (unsigned p = 0; p < 2; p++) {
			frames[p][i] = frame_pool_get(&pools[p]);
			assert_non_null(frames[p][i]);
			memset(frames[p][i]->data, (int)(2 * i + p), OCTETS);
		}
	}
	for (unsigned p = 0; p < 2; p++) {
		assert_null(frame_pool_get(&pools[p]));
		for (unsigned i = 0; i < BUFFERS; i++)
			for (unsigned at = 0; at < OCTETS; at++)
				assert_int_equal(frames[p][i]->data[at], 2 * i + p);
		frame_pool_put(&pools[p], frames[p][5]);
		assert_ptr_equal(frame_pool_get(&pools[p]), frames[p][5]);
	}
	assert_ptr_equal(frames[1][0], (uint8_t *)frames[0][0] + FRAME_STORE_STEP * store.stride);
	for (unsigned p = 0; p < 2; p++)
		frame_pool_destroy(&pools[p]);
	assert_int_equal(frames[0][0]->data[0], 0); /* the memory is the store's */
	frame_store_destroy(&store);
	assert_false(frame_store_init(&store, UINT64_MAX, OCTETS));
	frame_store_destroy(&store);
}

/* Never more buffers than the size are in use, of the former and the new ones together. */
static void test_longer_buffers_replace_the_former(void **state)
{
	struct dcb_frame *f[SIZE];
	struct frame_pool pool;
	unsigned n;

	(void)state;
	assert_true(frame_pool_init(&pool, SIZE, 100));
	for (unsigned i = 0; i < 4; i++) {
		f[i] = frame_pool_get(&pool);
		memset(f[i]->data, (int)i + 1, 100);
	}
	frame_pool_put(&pool, f[3]);
	assert_true(frame_pool_grow(&pool, 9000));
	assert_false(frame_pool_grow(&pool, 10000)); /* three are in use */
	assert_true(frame_pool_octets(&pool) >= 9000);
	assert_int_equal(pool.n_free, SIZE - 3);
	frame_pool_put(&pool, f[1]);
	for (n = 3; n < SIZE + 1; n++) {
		struct dcb_frame *frame = frame_pool_get(&pool);

		assert_non_null(frame);
		assert_ptr_not_equal(frame, f[1]);
		memset(frame->data, 0xff, 9000);
		f[n == SIZE ? 1 : n] = frame;
	}
	assert_null(frame_pool_get(&pool));
	assert_int_equal(f[0]->data[99], 1);
	assert_int_equal(f[2]->data[99], 3);
	frame_pool_put(&pool, f[0]);
	frame_pool_put(&pool, f[3]);
	frame_pool_put(&pool, f[2]);
	for (n = 0; n < 3; n++)
		memset((f[n] = frame_pool_get(&pool))->data, 0xff, 9000);
	assert_null(frame_pool_get(&pool));
	assert_null(pool.former);
	frame_pool_put(&pool, f[0]);
	assert_ptr_equal(frame_pool_get(&pool), f[0]);
	assert_true(frame_pool_grow(&pool, 10000));
	assert_null(frame_pool_get(&pool));
	frame_pool_destroy(&pool);
	assert_true(frame_pool_init(&pool, SIZE, 100));
	assert_true(frame_pool_grow(&pool, 200)); /* none is in use */
	assert_null(pool.former);
	frame_pool_destroy(&pool);
}

/* More memory than the address space has. */
static void test_init_fails_without_memory(void **state)
{
	struct frame_pool pool;

	(void)state;
	assert_false(frame_pool_init(&pool, UINT32_MAX, UINT32_MAX - CACHE_LINE));
	assert_null(pool.memory);
	frame_pool_destroy(&pool);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_buffers_do_not_overlap),
	    cmocka_unit_test(test_last_freed_is_reused_first),
	    cmocka_unit_test(test_list_is_reused_in_order),
	    cmocka_unit_test(test_pools_of_a_store_do_not_overlap),
	    cmocka_unit_test(test_longer_buffers_replace_the_former),
	    cmocka_unit_test(test_init_fails_without_memory),
	};

	return cmocka_run_group_tests_name("frame_pool", tests, NULL, NULL);
}
