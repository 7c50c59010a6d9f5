/* SPDX-License-Identifier: BSD-3-Clause */
/* Conversion of the kernel's timestamps to the clock of the event loop. */
#include "dataplane/netio/netio_stamp.h"
#include "lib/clock.h"
#include "tests/unit/unit.h"

#define REAL INT64_C(1800000000000000000)

/* The narrowest reading decides, however long others were interrupted. */
static void test_interrupted_readings_do_not_change_the_offset(void **state)
{
	struct netio_real_clock c = {0};

	(void)state;
	assert_int_equal(netio_stamp_offset(&c, 1000, REAL + 1010, 1020), REAL);
	assert_int_equal(netio_stamp_offset(&c, 5000, REAL + 5000, 9000000), REAL - 5);
	assert_int_equal(netio_stamp_offset(&c, 10000000, REAL + 19999999, 20000000), REAL - 1);
	assert_int_equal(netio_stamp_offset(&c, 30000000, REAL + 30000001, 30000002), REAL - 1);
}

static void test_offset_follows_when_the_date_is_set(void **state)
{
	struct netio_real_clock c = {0};

	(void)state;
	assert_int_equal(netio_stamp_offset(&c, 1000, REAL + 1010, 1020), REAL);
	assert_int_equal(netio_stamp_offset(&c, 2000, REAL + 7002010, 2020), REAL + 7000000);
	assert_int_equal(netio_stamp_offset(&c, 3000, REAL - 999997000 + 10, 3020),
			 REAL - 1000000000);
}

/* The error of a conversion is at most half of the time between the readings around it. */
static void test_present_time_is_converted_to_the_present(void **state)
{
	struct netio_real_clock c = {0};

	(void)state;
	for (int i = 0; i < 1000; i++) {
		struct dcb_time before = clock_now(), at, after;
		struct timespec real;

		clock_gettime(CLOCK_REALTIME, &real);
		at = netio_stamp_time(&c, real);
		after = clock_now();
		assert_true(2 * dcb_time_diff_ns(at, before) >= -dcb_time_diff_ns(after, before));
		assert_true(2 * dcb_time_diff_ns(at, after) <= dcb_time_diff_ns(after, before));
	}
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_interrupted_readings_do_not_change_the_offset),
	    cmocka_unit_test(test_offset_follows_when_the_date_is_set),
	    cmocka_unit_test(test_present_time_is_converted_to_the_present),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
