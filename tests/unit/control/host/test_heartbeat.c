/* SPDX-License-Identifier: BSD-3-Clause */
/* The watchdog is fed while the dataplane thread turns, and not otherwise. */
#include "control/host/notify.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lib/log.h"
#include "tests/unit/log_capture.h"

#define INTERVAL_NS (10 * DCB_NS_PER_S)

static int manager; /* the other end of the socket */

static struct notify notify_new(void)
{
	struct notify n = {.watchdog_ns = INTERVAL_NS};
	int ends[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0, ends), 0);
	n.fd = ends[0];
	manager = ends[1];
	return n;
}

static void end(struct notify *n)
{
	notify_close(n);
	close(manager);
}

/* Returns the number of messages since the last call. */
static unsigned fed(void)
{
	char buf[64];
	unsigned n = 0;
	ssize_t len;

	while ((len = recv(manager, buf, sizeof(buf), 0)) >= 0) {
		assert_int_equal(len, strlen("WATCHDOG=1"));
		assert_memory_equal(buf, "WATCHDOG=1", strlen("WATCHDOG=1"));
		n++;
	}
	assert_int_equal(errno, EAGAIN);
	return n;
}

static struct dcb_time at(int64_t ms)
{
	return (struct dcb_time){(1000000 + ms) * DCB_NS_PER_MS};
}

static void test_each_turn_feeds(void **state)
{
	struct notify n = notify_new();
	struct heartbeat h = {0};

	(void)state;
	for (unsigned i = 0; i < 100; i++) {
		heartbeat_run(&h, &n, 5 + i, at(1000 * i));
		assert_int_equal(fed(), 1);
	}
	end(&n);
}

static void test_dataplane_that_hangs_does_not_feed(void **state)
{
	struct notify n = notify_new();
	struct heartbeat h = {0};
	struct log_capture c;
	char buf[512];

	(void)state;
	log_init("p", LOG_LEVEL_INFO, true);
	c = log_capture();
	heartbeat_run(&h, &n, 7, at(0));
	assert_int_equal(fed(), 1);
	for (int64_t ms = 1000; ms <= 20000; ms += 1000)
		heartbeat_run(&h, &n, 7, at(ms));
	log_captured(&c, buf, sizeof(buf));
	assert_int_equal(fed(), 0);
	/* Logged once, before the service manager ends the program. */
	assert_string_equal(buf,
			    "<3>p: dcbd: a dataplane thread does not run since 5000 ms: the "
			    "watchdog is not fed\n");
	/* It was only late. */
	heartbeat_run(&h, &n, 8, at(21000));
	assert_int_equal(fed(), 1);
	end(&n);
}

/* The dataplane turns once a second: the interval allows one more second and the check's period. */
static void test_idle_dataplane_feeds_in_time(void **state)
{
	static const int64_t watchdogs_ms[] = {3000, 4000, 10000, 60000};

	(void)state;
	for (size_t i = 0; i < UNIT_COUNT(watchdogs_ms); i++) {
		struct notify n = notify_new();
		struct heartbeat h = {0};
		int64_t last = 0, period;

		n.watchdog_ns = watchdogs_ms[i] * DCB_NS_PER_MS;
		period = heartbeat_interval_ns(&n) / DCB_NS_PER_MS;
		for (int64_t ms = 0; ms < 200000; ms += period) {
			heartbeat_run(&h, &n, (uint64_t)(ms / 1000), at(ms));
			if (fed() == 0)
				continue;
			assert_true(ms - last < watchdogs_ms[i] * 3 / 4);
			last = ms;
		}
		assert_true(200000 - last < watchdogs_ms[i]);
		end(&n);
	}
}

static void test_interval_is_a_quarter_up_to_a_second(void **state)
{
	struct notify n = {.watchdog_ns = 10 * DCB_NS_PER_S};

	(void)state;
	assert_int_equal(heartbeat_interval_ns(&n), DCB_NS_PER_S);
	n.watchdog_ns = 3 * DCB_NS_PER_S;
	assert_int_equal(heartbeat_interval_ns(&n), 750 * DCB_NS_PER_MS);
	n.watchdog_ns = 1000;
	assert_int_equal(heartbeat_interval_ns(&n), DCB_NS_PER_MS);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_each_turn_feeds),
	    cmocka_unit_test(test_dataplane_that_hangs_does_not_feed),
	    cmocka_unit_test(test_idle_dataplane_feeds_in_time),
	    cmocka_unit_test(test_interval_is_a_quarter_up_to_a_second),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
