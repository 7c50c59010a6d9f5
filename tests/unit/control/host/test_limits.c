/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The limit of open files grows with the number of ports, as far as the hard limit permits; that of
 * real time as far as its priority.
 */
#include "control/host/limits.h"
#include "tests/unit/unit.h"

#include <sys/resource.h>

static struct rlimit before;

static struct rlimit files(void)
{
	struct rlimit limit;

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	return limit;
}

static void set_soft(rlim_t soft)
{
	struct rlimit limit = {soft, before.rlim_max};

	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

static int restore(void **state)
{
	(void)state;
	return setrlimit(RLIMIT_NOFILE, &before);
}

static void test_soft_limit_is_raised(void **state)
{
	(void)state;
	set_soft(100);
	assert_int_equal(limits_raise_files(10), 10);
	assert_true(files().rlim_cur >= 10 * LIMITS_FILES_PER_PORT);
	assert_true(files().rlim_cur <= 1000);
	assert_int_equal(files().rlim_max, before.rlim_max);
}

static void test_limit_is_not_lowered(void **state)
{
	(void)state;
	set_soft(1000);
	assert_int_equal(limits_raise_files(1), 1);
	assert_int_equal(files().rlim_cur, 1000);
}

/* With CAP_SYS_RESOURCE the hard limit grows too, else the soft limit becomes the hard one. */
static void test_hard_limit(void **state)
{
	const rlim_t wanted = before.rlim_max + 6000;
	const uint32_t ports = (uint32_t)(wanted / LIMITS_FILES_PER_PORT);
	uint32_t enough;

	(void)state;
	set_soft(100);
	enough = limits_raise_files(ports);
	if (files().rlim_max == before.rlim_max) {
		assert_int_equal(files().rlim_cur, before.rlim_max);
		assert_true(enough < ports);
		assert_true(enough >= (before.rlim_max - 500) / LIMITS_FILES_PER_PORT);
	} else {
		assert_int_equal(enough, ports);
		assert_true(files().rlim_cur >= wanted);
	}
}

/* Without CAP_SYS_RESOURCE the answer is no, and the limit stays. */
static void test_real_time_is_permitted_up_to_the_priority(void **state)
{
	struct rlimit was, limit;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_RTPRIO, &was), 0);
	if (limits_permit_real_time(5))
		was.rlim_cur = was.rlim_cur < 5 ? 5 : was.rlim_cur;
	assert_int_equal(getrlimit(RLIMIT_RTPRIO, &limit), 0);
	assert_int_equal(limit.rlim_cur, was.rlim_cur);
	assert_true(limit.rlim_max >= was.rlim_max);
	/* Enough already: nothing changes. */
	was = limit;
	assert_int_equal(limits_permit_real_time(1), was.rlim_cur >= 1);
	assert_int_equal(getrlimit(RLIMIT_RTPRIO, &limit), 0);
	assert_int_equal(limit.rlim_cur, was.rlim_cur);
}

static void test_kernel_ends_a_real_time_thread_that_hangs(void **state)
{
	struct rlimit limit;

	(void)state;
	(void)limits_permit_real_time(5);
	assert_int_equal(getrlimit(RLIMIT_RTTIME, &limit), 0);
	assert_in_range(limit.rlim_cur, 0, LIMITS_RT_SECONDS * 1000000);
	assert_in_range(limit.rlim_max, 0, LIMITS_RT_SECONDS * 1000000);
}

static void test_without_real_time_no_limit_changes(void **state)
{
	struct rlimit was[2], now[2];

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_RTPRIO, &was[0]), 0);
	assert_int_equal(getrlimit(RLIMIT_RTTIME, &was[1]), 0);
	assert_true(limits_permit_real_time(0));
	assert_int_equal(getrlimit(RLIMIT_RTPRIO, &now[0]), 0);
	assert_int_equal(getrlimit(RLIMIT_RTTIME, &now[1]), 0);
	assert_memory_equal(was, now, sizeof(was));
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_teardown(test_soft_limit_is_raised, restore),
	    cmocka_unit_test_teardown(test_limit_is_not_lowered, restore),
	    cmocka_unit_test_teardown(test_hard_limit, NULL),
	    cmocka_unit_test(test_without_real_time_no_limit_changes),
	    cmocka_unit_test(test_real_time_is_permitted_up_to_the_priority),
	    cmocka_unit_test(test_kernel_ends_a_real_time_thread_that_hangs),
	};

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	/* A hard limit can always be lowered; an infinite one cannot be exceeded. */
	if (before.rlim_max > 4000)
		before.rlim_cur = before.rlim_max = 4000;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	return cmocka_run_group_tests_name("limits", tests, NULL, NULL);
}
