/* SPDX-License-Identifier: BSD-3-Clause */
/* The guard of a real-time thread, with a thread that uses a given share of each millisecond. */
#include "lib/rt_guard.h"
#include "tests/unit/unit.h"

#include <stdlib.h>

#define MS(n) ((n)*DCB_NS_PER_MS)

struct thread {
	struct rt_guard guard;
	struct rt_guard_seen seen;
	int waiting;  /* permille of the time that others wait; -1: not known */
	bool starves; /* the observer, while the thread has real time: no question has an answer */
	uint64_t frames;   /* in each turn, of which there is one in each slice */
	int64_t real_ns;   /* processor time used with the real-time policy */
	unsigned given_up; /* times that the guard took the policy */
	unsigned forced;   /* waits that the guard wants */
	unsigned calls;
	int64_t unwaited_ns, longest_ns; /* real_ns since the last wait, and the most of it */
};

static void init_kind(struct thread *t, enum rt_guard_kind kind)
{
	*t = (struct thread){.frames = 1};
	t->seen = (struct rt_guard_seen){.now = {MS(5000)}, .used_ns = MS(700), .waits = 30};
	rt_guard_init(&t->guard, kind, &t->seen);
}

static void init(struct thread *t)
{
	init_kind(t, RT_GUARD_TAKES_NONE);
}

static void call(struct thread *t)
{
	enum rt_guard_policy before = t->guard.policy;

	t->seen.answered = t->guard.asks && (!t->starves || before == RT_GUARD_SHARED);
	t->seen.waiting = t->waiting;
	t->calls++;
	if (rt_guard_run(&t->guard, &t->seen) == RT_GUARD_SHARED && before != RT_GUARD_SHARED)
		t->given_up++;
	if (t->guard.has_to_wait) {
		t->forced++;
		t->seen.waits++;
		t->unwaited_ns = 0;
	}
}

/*
 * The thread uses permille of the next ms milliseconds, in slices of a tenth of a millisecond, and
 * waits meanwhile, or not: then others have the rest of the processor.
 */
static void use_waiting(struct thread *t, int64_t ms, int64_t permille, bool waits)
{
	for (int64_t i = 0; i < 10 * ms; i++) {
		int64_t slice_ns = MS(1) / 10 * permille / 1000;

		t->seen.now = dcb_time_add_ns(t->seen.now, MS(1) / 10);
		t->seen.used_ns += slice_ns;
		t->seen.waits += waits;
		t->seen.turns++;
		t->seen.frames += t->frames;
		t->unwaited_ns = waits ? 0 : t->unwaited_ns;
		if (t->guard.policy != RT_GUARD_SHARED) {
			t->real_ns += slice_ns;
			t->unwaited_ns += slice_ns;
		}
		if (t->unwaited_ns > t->longest_ns)
			t->longest_ns = t->unwaited_ns;
		if (!dcb_time_before(t->seen.now, t->guard.next))
			call(t);
	}
}

/* A thread waits while it does not use the processor. */
static void use(struct thread *t, int64_t ms, int64_t permille)
{
	use_waiting(t, ms, permille, permille < 1000);
}

static void test_thread_that_never_waits_has_the_policy_for_four_fifths_of_the_time(void **state)
{
	struct thread t;

	(void)state;
	init(&t);
	use(&t, 80, 1000);
	assert_int_equal(t.guard.policy, RT_GUARD_SHARED);
	assert_int_equal(t.given_up, 1);
	use(&t, 19, 1000);
	assert_int_equal(t.guard.policy, RT_GUARD_SHARED);
	use(&t, 1, 1000);
	assert_int_equal(t.guard.policy, RT_GUARD_REAL_TIME);
	use(&t, 900, 1000);
	assert_int_equal(t.given_up, 10);
	assert_int_equal(t.real_ns, MS(800));
	assert_int_equal(t.calls, 30);
}

/* A thread of lower priority that others keep from the processor gets the policy back, too. */
static void test_thread_that_gets_nothing_has_the_policy_again_after_the_rest(void **state)
{
	struct thread t;

	(void)state;
	init(&t);
	use(&t, 80, 1000);
	use(&t, 20, 0);
	assert_int_equal(t.guard.policy, RT_GUARD_REAL_TIME);
}

static void test_thread_below_the_budget_keeps_the_policy(void **state)
{
	struct thread t;

	(void)state;
	for (int64_t permille = 0; permille < 800; permille += 50) {
		init(&t);
		use(&t, 10000, permille);
		assert_int_equal(t.given_up, 0);
		assert_int_equal(t.forced, 0);
		/* At most one call for each millisecond of the last ones of a window. */
		assert_in_range(t.calls, 100, 2000);
	}
}

static void test_thread_above_the_budget_loses_the_policy(void **state)
{
	struct thread t;

	(void)state;
	for (int64_t permille = 850; permille <= 1000; permille += 10) {
		init(&t);
		use(&t, 10000, permille);
		assert_in_range(t.given_up, 80, 100);
		assert_in_range(t.real_ns, 0, MS(8200));
	}
}

/* Others with a higher priority leave it 1 % to 100 % of the processor. */
static void test_thread_that_never_waits_has_to_within_two_budgets(void **state)
{
	struct thread t;

	(void)state;
	for (int64_t permille = 10; permille <= 1000; permille += 10) {
		init(&t);
		use_waiting(&t, 100000, permille, false);
		assert_in_range(t.longest_ns, 0, 2 * RT_GUARD_BUDGET_NS + RT_GUARD_LEAST_NS);
		assert_true(t.forced >= 100);
	}
}

static void test_thread_that_waits_once_in_a_window_does_not_have_to(void **state)
{
	struct thread t;

	(void)state;
	init(&t);
	for (int i = 0; i < 100; i++) {
		use_waiting(&t, 49, 1000, false);
		use_waiting(&t, 1, 0, true);
	}
	assert_in_range(t.given_up, 1, 60);
	assert_int_equal(t.forced, 0);
}

/* It uses asleep permille of the processor while it has to sleep, and all of it before. */
static void use_asleep(struct thread *t, int64_t ms, int64_t asleep)
{
	init_kind(t, RT_GUARD_SLEEPS);
	for (int64_t i = 0; i < ms; i++)
		use(t, 1, t->guard.policy == RT_GUARD_ASLEEP ? asleep : 1000);
}

static void test_thread_that_sleeps_itself_keeps_the_policy(void **state)
{
	struct thread t;

	(void)state;
	for (int64_t permille = 0; permille <= 500; permille += 50) {
		use_asleep(&t, 10000, permille);
		assert_int_equal(t.given_up, 0);
		assert_int_equal(t.forced, 0);
		assert_int_equal(t.seen.used_ns - MS(700), MS(8000 + 2 * permille));
	}
}

/* 80 ms before the first rest, 20 ms in it, 20 ms without the policy. */
static void test_thread_that_does_not_sleep_loses_the_policy(void **state)
{
	struct thread t;

	(void)state;
	use_asleep(&t, 12000, 1000);
	assert_int_equal(t.given_up, 100);
	assert_int_equal(t.forced, 100);
	assert_int_equal(t.real_ns, MS(10000));
}

/* Load that begins at any time of a window: the thread has the policy for at most two budgets. */
static void test_load_has_the_policy_for_at_most_two_budgets(void **state)
{
	struct thread t;

	(void)state;
	for (int64_t wait_ms = 0; wait_ms <= 300; wait_ms++) {
		init(&t);
		use(&t, wait_ms, 0);
		while (t.given_up == 0)
			use(&t, 1, 1000);
		assert_in_range(t.real_ns, RT_GUARD_BUDGET_NS, 2 * RT_GUARD_BUDGET_NS);
	}
}

/* A thread that waits for hours is not asked meanwhile; the first window after that is a new one.
 */
static void test_window_ends_while_the_thread_waits(void **state)
{
	struct thread t;

	(void)state;
	init(&t);
	use(&t, 79, 1000);
	t.seen.now = dcb_time_add_ns(t.seen.now, 3600 * DCB_NS_PER_S);
	t.seen.used_ns += MS(10);
	t.seen.waits++;
	call(&t);
	assert_int_equal(t.guard.policy, RT_GUARD_REAL_TIME);
	assert_int_equal(t.guard.start.now.ns, t.seen.now.ns);
	assert_int_equal(t.guard.start.used_ns, t.seen.used_ns);
}

static void test_early_call_changes_nothing(void **state)
{
	struct rt_guard_seen seen = {.now = {MS(1)}};
	struct rt_guard g;

	(void)state;
	rt_guard_init(&g, RT_GUARD_TAKES_NONE, &seen);
	seen.now.ns += RT_GUARD_BUSY_NS - 1;
	seen.used_ns = MS(500);
	assert_int_equal(rt_guard_run(&g, &seen), RT_GUARD_REAL_TIME);
	assert_false(g.has_to_wait);
	assert_false(g.asks);
	assert_int_equal(g.next.ns, MS(1) + RT_GUARD_BUSY_NS);
}

/* --- others ----------------------------------------------------------------------------- */

/* The question is asked once in a window of which the thread uses RT_GUARD_BUSY_NS. */
static void test_busy_thread_asks_whether_others_wait(void **state)
{
	struct thread t;

	(void)state;
	init_kind(&t, RT_GUARD_TAKES_PAUSES);
	use(&t, 1000, 40);
	assert_int_equal(t.guard.asked.ns, 0);
	init_kind(&t, RT_GUARD_TAKES_PAUSES);
	use(&t, 1000, 60);
	assert_true(t.guard.asked.ns > MS(5000));
}

static void test_thread_collects_frames_while_others_wait(void **state)
{
	struct thread t;

	(void)state;
	init_kind(&t, RT_GUARD_TAKES_PAUSES);
	use(&t, 1000, 150);
	assert_int_equal(t.guard.pause_ns, 0);
	t.waiting = 1000;
	use(&t, 170, 150); /* one answer, and none */
	t.waiting = 0;
	use(&t, 1000, 150);
	assert_int_equal(t.guard.pause_ns, 0);
	t.waiting = 2 * RT_GUARD_WAIT_BEGIN;
	use(&t, 600, 150);
	assert_true(t.guard.pause_ns >= RT_GUARD_PAUSE_MIN_NS);
	use(&t, 1000, 150);
	assert_int_equal(t.guard.pause_ns, RT_GUARD_PAUSE_MAX_NS);
	/* Below the value at which it begins, and above that at which it ends. */
	t.waiting = RT_GUARD_WAIT_END;
	use(&t, 5000, 150);
	assert_int_equal(t.guard.pause_ns, RT_GUARD_PAUSE_MAX_NS);
	t.waiting = RT_GUARD_WAIT_END - 1;
	use(&t, 5000, 150);
	assert_int_equal(t.guard.pause_ns, 0);
	assert_int_equal(t.given_up, 0);
}

static void test_thread_of_an_unknown_kernel_collects_frames(void **state)
{
	struct thread t;

	(void)state;
	init_kind(&t, RT_GUARD_TAKES_PAUSES);
	t.waiting = -1;
	use(&t, 2000, 150);
	assert_int_equal(t.guard.pause_ns, RT_GUARD_PAUSE_MAX_NS);
}

/* Neither one that uses little of its processor, nor one that finds many frames in each turn. */
static void test_thread_that_gains_nothing_does_not_collect(void **state)
{
	struct thread t;

	(void)state;
	for (int64_t permille = 10; permille < RT_GUARD_COLLECT; permille += 10) {
		init_kind(&t, RT_GUARD_TAKES_PAUSES);
		t.waiting = 1000;
		use(&t, 2000, permille);
		assert_int_equal(t.guard.pause_ns, 0);
	}
	init_kind(&t, RT_GUARD_TAKES_PAUSES);
	t.waiting = 1000;
	t.frames = RT_GUARD_FRAMES;
	use(&t, 2000, 300);
	assert_int_equal(t.guard.pause_ns, 0);
}

static void test_pause_is_kept_while_enough_frames_come_in_it(void **state)
{
	struct thread t;
	int64_t pause_ns;

	(void)state;
	init_kind(&t, RT_GUARD_TAKES_PAUSES);
	t.waiting = 1000;
	while (t.guard.pause_ns < 4 * RT_GUARD_PAUSE_MIN_NS)
		use(&t, 1, 150);
	t.frames = RT_GUARD_FRAMES;
	use(&t, 300, 150);
	pause_ns = t.guard.pause_ns;
	use(&t, 2000, 150);
	assert_int_equal(t.guard.pause_ns, pause_ns);
	t.frames = 2 * RT_GUARD_FRAMES;
	use(&t, 2000, 150);
	assert_int_equal(t.guard.pause_ns, 0);
}

/* The next frame after a second without any is not delayed. */
static void test_pause_ends_while_the_thread_hardly_runs(void **state)
{
	struct thread t;

	(void)state;
	init_kind(&t, RT_GUARD_TAKES_PAUSES);
	t.waiting = 1000;
	use(&t, 2000, 150);
	assert_int_equal(t.guard.pause_ns, RT_GUARD_PAUSE_MAX_NS);
	t.seen.now = dcb_time_add_ns(t.seen.now, 2 * DCB_NS_PER_S);
	call(&t);
	assert_int_equal(t.guard.policy, RT_GUARD_REAL_TIME);
	assert_int_equal(t.guard.pause_ns, 0);
	t.waiting = 0; /* meanwhile the others have ended */
	for (unsigned ms = 0; ms < 1000; ms++) {
		use(&t, 1, 150);
		assert_int_equal(t.guard.pause_ns, 0);
	}
}

/* 80 ms with the policy, 400 ms without. */
static void test_overloaded_thread_shares_its_processor_for_longer_while_others_wait(void **state)
{
	struct thread t;

	(void)state;
	init_kind(&t, RT_GUARD_TAKES_PAUSES);
	t.waiting = 1000;
	use(&t, 700, 700);
	assert_int_equal(t.given_up, 0);
	t.real_ns = 0;
	use(&t, 4800, 1000);
	assert_in_range(t.given_up, 9, 11);
	assert_in_range(t.real_ns, MS(700), MS(900));
	assert_int_equal(t.guard.reason, RT_GUARD_OTHERS);
}

static void test_thread_that_cannot_pause_sleeps_or_yields_while_others_wait(void **state)
{
	struct thread t;

	(void)state;
	init_kind(&t, RT_GUARD_SLEEPS);
	t.waiting = 1000;
	use(&t, 700, 700);
	assert_int_equal(t.given_up, 1); /* it does not sleep */
	init_kind(&t, RT_GUARD_SLEEPS);
	t.waiting = 1000;
	while (t.guard.policy != RT_GUARD_ASLEEP)
		use(&t, 1, 700);
	use(&t, 1900, 400);
	assert_int_equal(t.guard.policy, RT_GUARD_ASLEEP);
	use(&t, 200, 400);
	assert_int_equal(t.guard.policy, RT_GUARD_REAL_TIME);
	assert_int_equal(t.given_up, 0);
	init(&t);
	t.waiting = 1000;
	use(&t, 700, 700);
	assert_int_equal(t.guard.policy, RT_GUARD_SHARED);
	assert_int_equal(t.guard.reason, RT_GUARD_OTHERS);
	use(&t, 10000, 700);
	/* At most a window in two seconds. */
	assert_in_range(t.real_ns, 0, MS(10700) * 7 / 10 / 8);
}

static void test_thread_yields_when_others_do_not_run(void **state)
{
	struct thread t;

	(void)state;
	init_kind(&t, RT_GUARD_TAKES_PAUSES);
	t.starves = true;
	use(&t, 300, 250);
	assert_int_equal(t.guard.policy, RT_GUARD_SHARED);
	assert_int_equal(t.guard.reason, RT_GUARD_OTHERS);
	/* Asked after 20 ms. */
	assert_in_range(t.real_ns, MS(25), MS(35));
}

/* Of two minutes: the answer of 120 ms, then 2 s, 4 s ... and a part of a second. */
static void test_thread_yields_for_longer_each_time(void **state)
{
	struct thread t;

	(void)state;
	init_kind(&t, RT_GUARD_TAKES_PAUSES);
	t.starves = true;
	use(&t, 120000, 250);
	assert_in_range(t.given_up, 5, 6);
	assert_in_range(t.guard.yield_ns, 32 * DCB_NS_PER_S, RT_GUARD_YIELD_MAX_NS);
	use(&t, 600000, 250);
	assert_int_equal(t.guard.yield_ns, RT_GUARD_YIELD_MAX_NS);
	t.starves = false;
	use(&t, 200000, 250);
	assert_int_equal(t.guard.policy, RT_GUARD_REAL_TIME);
	t.starves = true;
	use(&t, 300, 250);
	assert_int_equal(t.guard.yield_ns, RT_GUARD_YIELD_MIN_NS);
}

/* Threads that lost it at different times do not have it back at the same one. */
static void test_threads_that_yield_come_back_at_different_times(void **state)
{
	struct dcb_time at[8];
	struct thread t;

	(void)state;
	for (unsigned i = 0; i < 8; i++) {
		init_kind(&t, RT_GUARD_TAKES_PAUSES);
		t.starves = true;
		t.seen.now.ns += i * 130 * DCB_NS_PER_US;
		use(&t, 300, 250);
		at[i] = t.guard.next;
		for (unsigned j = 0; j < i; j++)
			assert_true(llabs(dcb_time_diff_ns(at[i], at[j])) >= MS(9));
	}
}

UNIT_MAIN
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(
		test_thread_that_never_waits_has_the_policy_for_four_fifths_of_the_time),
	    cmocka_unit_test(test_thread_that_gets_nothing_has_the_policy_again_after_the_rest),
	    cmocka_unit_test(test_thread_below_the_budget_keeps_the_policy),
	    cmocka_unit_test(test_thread_above_the_budget_loses_the_policy),
	    cmocka_unit_test(test_thread_that_never_waits_has_to_within_two_budgets),
	    cmocka_unit_test(test_thread_that_waits_once_in_a_window_does_not_have_to),
	    cmocka_unit_test(test_thread_that_sleeps_itself_keeps_the_policy),
	    cmocka_unit_test(test_thread_that_does_not_sleep_loses_the_policy),
	    cmocka_unit_test(test_load_has_the_policy_for_at_most_two_budgets),
	    cmocka_unit_test(test_window_ends_while_the_thread_waits),
	    cmocka_unit_test(test_early_call_changes_nothing),
	    cmocka_unit_test(test_busy_thread_asks_whether_others_wait),
	    cmocka_unit_test(test_thread_collects_frames_while_others_wait),
	    cmocka_unit_test(test_thread_of_an_unknown_kernel_collects_frames),
	    cmocka_unit_test(test_thread_that_gains_nothing_does_not_collect),
	    cmocka_unit_test(test_pause_is_kept_while_enough_frames_come_in_it),
	    cmocka_unit_test(test_pause_ends_while_the_thread_hardly_runs),
	    cmocka_unit_test(
		test_overloaded_thread_shares_its_processor_for_longer_while_others_wait),
	    cmocka_unit_test(test_thread_that_cannot_pause_sleeps_or_yields_while_others_wait),
	    cmocka_unit_test(test_thread_yields_when_others_do_not_run),
	    cmocka_unit_test(test_thread_yields_for_longer_each_time),
	    cmocka_unit_test(test_threads_that_yield_come_back_at_different_times),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
