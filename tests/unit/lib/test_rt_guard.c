/* SPDX-License-Identifier: BSD-3-Clause */
/* The guard of a real-time thread, with a thread that uses a given share of each millisecond. */
#include "lib/rt_guard.h"
#include "tests/unit/unit.h"

#define MS(n) ((n)*DCB_NS_PER_MS)

struct thread {
	struct rt_guard guard;
	struct dcb_time now;
	int64_t used_ns;
	int64_t real_ns;   /* processor time used with the real-time policy */
	unsigned given_up; /* times that the guard took the policy */
	uint64_t waits;    /* until now, those that the guard wants among them */
	unsigned forced;   /* waits that the guard wants */
	unsigned calls;
	int64_t unwaited_ns, longest_ns; /* real_ns since the last wait, and the most of it */
};

static void init(struct thread *t)
{
	*t = (struct thread){.now = {MS(5000)}, .used_ns = MS(700), .waits = 30};
	rt_guard_init(&t->guard, false, t->now, t->used_ns, t->waits);
}

/*
 * The thread uses permille of the next ms milliseconds, in slices of a tenth of a millisecond, and
 * waits meanwhile, or not: then others have the rest of the processor.
 */
static void use_waiting(struct thread *t, int64_t ms, int64_t permille, bool waits)
{
	for (int64_t i = 0; i < 10 * ms; i++) {
		enum rt_guard_policy before = t->guard.policy;
		int64_t slice_ns = MS(1) / 10 * permille / 1000;

		t->now = dcb_time_add_ns(t->now, MS(1) / 10);
		t->used_ns += slice_ns;
		t->waits += waits;
		t->unwaited_ns = waits ? 0 : t->unwaited_ns;
		if (before != RT_GUARD_SHARED) {
			t->real_ns += slice_ns;
			t->unwaited_ns += slice_ns;
		}
		if (t->unwaited_ns > t->longest_ns)
			t->longest_ns = t->unwaited_ns;
		if (dcb_time_before(t->now, t->guard.next))
			continue;
		t->calls++;
		if (rt_guard_run(&t->guard, t->now, t->used_ns, t->waits) == RT_GUARD_SHARED &&
		    before != RT_GUARD_SHARED)
			t->given_up++;
		if (t->guard.has_to_wait) {
			t->forced++;
			t->waits++;
			t->unwaited_ns = 0;
		}
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
	assert_int_equal(t.calls, 20);
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
		assert_in_range(t.calls, 100, 1000);
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
	init(t);
	t->guard.sleeps_itself = true;
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
		assert_int_equal(t.used_ns - MS(700), MS(8000 + 2 * permille));
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
	t.now = dcb_time_add_ns(t.now, 3600 * DCB_NS_PER_S);
	assert_int_equal(rt_guard_run(&t.guard, t.now, t.used_ns + MS(10), t.waits + 1),
			 RT_GUARD_REAL_TIME);
	assert_int_equal(t.guard.next.ns, t.now.ns + RT_GUARD_BUDGET_NS);
}

static void test_early_call_changes_nothing(void **state)
{
	struct rt_guard g;

	(void)state;
	rt_guard_init(&g, false, (struct dcb_time){0}, 0, 0);
	assert_int_equal(rt_guard_run(&g, (struct dcb_time){MS(79)}, MS(500), 0),
			 RT_GUARD_REAL_TIME);
	assert_false(g.has_to_wait);
	assert_int_equal(g.next.ns, MS(80));
}

int main(void)
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
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
