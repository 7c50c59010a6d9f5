/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The lock of the managed state. This thread is the control thread; "the reader" is another one.
 * Tests wait until a thread waits for the lock, so nothing depends on their speed.
 */
#include "tests/unit/unit.h"

#include <pthread.h>
#include <sched.h>

#include "control/managed/state_lock.h"

#define TURNS 2000

enum side { CONTROL, READER };

/* A thread that reads n times, each time until the control thread waits, except the last time. */
struct reader {
	struct state_lock *lock;
	pthread_t thread;
	unsigned n;
	unsigned turns;   /* that it has had; protected by the lock, like these: */
	enum side last;   /* which thread had the lock last */
	unsigned repeats; /* turns of the thread that had the lock last, while the other waited */
};

static void await_waiting(const struct state_lock *lock)
{
	while (state_lock_waiting(lock) == 0)
		sched_yield();
}

/* A thread has the lock. */
static void note_turn(struct reader *r, enum side side)
{
	r->repeats += r->last == side;
	r->last = side;
}

static void *reader_run(void *arg)
{
	struct reader *r = arg;

	for (unsigned i = 1; i <= r->n; i++) {
		state_read_begin(r->lock);
		note_turn(r, READER);
		r->turns++;
		if (i < r->n)
			await_waiting(r->lock);
		state_read_end(r->lock);
	}
	return NULL;
}

static void reader_start(struct reader *r)
{
	assert_int_equal(pthread_create(&r->thread, NULL, reader_run, r), 0);
}

static struct state_lock *shared_lock(void)
{
	struct state_lock *lock = state_lock_new();

	assert_non_null(lock);
	state_lock_share(lock);
	return lock;
}

/* Each thread asks for the lock again as soon as it has given it to the other, which waits. */
static void test_each_thread_waits_for_one_turn_of_the_other(void **state)
{
	struct reader r = {.lock = shared_lock(), .n = TURNS, .last = READER};

	(void)state;
	state_change_begin(r.lock);
	reader_start(&r);
	for (unsigned i = 0; i < TURNS; i++) {
		note_turn(&r, CONTROL);
		assert_int_equal(r.turns, i);
		await_waiting(r.lock);
		state_change_end(r.lock);
		state_change_begin(r.lock);
	}
	assert_int_equal(r.turns, TURNS);
	assert_int_equal(r.repeats, 0);
	state_change_end(r.lock);
	pthread_join(r.thread, NULL);
	state_lock_free(r.lock);
}

static void test_change_within_a_change_is_part_of_it(void **state)
{
	struct reader r = {.lock = shared_lock(), .n = 1};

	(void)state;
	state_change_begin(r.lock);
	reader_start(&r);
	await_waiting(r.lock);
	state_change_begin(r.lock);
	state_change_end(r.lock);
	assert_true(state_may_change(r.lock));
	assert_int_equal(state_lock_waiting(r.lock), 1);
	assert_int_equal(r.turns, 0);
	state_change_end(r.lock);
	assert_false(state_may_change(r.lock));
	pthread_join(r.thread, NULL);
	assert_int_equal(r.turns, 1);
	state_lock_free(r.lock);
}

/* dcbsim, dcbd -t and most tests have one thread. */
static void test_lock_that_is_not_shared_delays_no_thread(void **state)
{
	struct state_lock *lock = state_lock_new();

	(void)state;
	assert_true(state_may_change(lock));
	state_change_begin(lock);
	state_read_begin(lock);
	assert_int_equal(state_lock_waiting(lock), 0);
	state_read_end(lock);
	state_change_end(lock);
	state_lock_free(lock);
	assert_true(state_may_change(NULL));
	state_change_begin(NULL);
	state_change_end(NULL);
	state_read_begin(NULL);
	state_read_end(NULL);
	state_lock_free(NULL);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_each_thread_waits_for_one_turn_of_the_other),
	    cmocka_unit_test(test_change_within_a_change_is_part_of_it),
	    cmocka_unit_test(test_lock_that_is_not_shared_delays_no_thread),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
