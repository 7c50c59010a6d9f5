/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages to a service manager: a socket of this test takes its place. */
#include "control/host/notify.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "lib/log.h"
#include "tests/unit/log_capture.h"

/* Binds a socket to NOTIFY_SOCKET. abstract: its name is no file. */
static int manager(bool abstract)
{
	struct sockaddr_un sa = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int n = snprintf(sa.sun_path, sizeof(sa.sun_path), "%s-%d",
			 abstract ? "@dcb-test-notify" : "/tmp/dcb-test-notify", (int)getpid());

	setenv("NOTIFY_SOCKET", sa.sun_path, 1);
	if (abstract)
		sa.sun_path[0] = '\0';
	else
		unlink(sa.sun_path);
	assert_int_equal(bind(fd, (struct sockaddr *)&sa,
			      (socklen_t)(offsetof(struct sockaddr_un, sun_path) + (size_t)n)),
			 0);
	return fd;
}

static void end_manager(int fd)
{
	char path[80];

	snprintf(path, sizeof(path), "/tmp/dcb-test-notify-%d", (int)getpid());
	unlink(path);
	close(fd);
}

static void assert_message(int fd, const char *text)
{
	char buf[2048];
	ssize_t n = recv(fd, buf, sizeof(buf) - 1, 0);

	assert_true(n >= 0);
	buf[n] = '\0';
	assert_string_equal(buf, text);
}

static void assert_no_message(int fd)
{
	char c;

	assert_int_equal(recv(fd, &c, 1, 0), -1);
	assert_int_equal(errno, EAGAIN);
}

static void test_states_are_datagrams(void **state)
{
	(void)state;
	for (int abstract = 0; abstract < 2; abstract++) {
		int fd = manager(abstract);
		struct notify n;

		notify_open(&n);
		assert_true(n.fd >= 0);
		assert_true(fcntl(n.fd, F_GETFD) & FD_CLOEXEC);
		assert_int_equal(n.watchdog_ns, 0);
		assert_null(getenv("NOTIFY_SOCKET"));
		notify_state(&n, "READY=1\nSTATUS=%u ports", 4);
		assert_message(fd, "READY=1\nSTATUS=4 ports");
		notify_alive(&n);
		assert_message(fd, "WATCHDOG=1");
		assert_no_message(fd);
		notify_close(&n);
		assert_int_equal(n.fd, -1);
		end_manager(fd);
	}
}

static void test_without_a_manager_nothing_is_sent(void **state)
{
	struct notify n;

	(void)state;
	unsetenv("NOTIFY_SOCKET");
	setenv("WATCHDOG_USEC", "1000000", 1);
	notify_open(&n);
	assert_int_equal(n.fd, -1);
	assert_int_equal(n.watchdog_ns, 0);
	assert_null(getenv("WATCHDOG_USEC"));
	notify_state(&n, "READY=1");
	notify_alive(&n);
	notify_retry(&n);
	notify_close(&n);
}

static void test_invalid_environment_is_logged(void **state)
{
	static const struct {
		const char *name, *value, *text;
	} bad[] = {
	    {"NOTIFY_SOCKET", "relative", "NOTIFY_SOCKET=relative: Invalid argument"},
	    {"NOTIFY_SOCKET", "@", "NOTIFY_SOCKET=@: Invalid argument"},
	    {"NOTIFY_SOCKET", "/nonexistent/notify",
	     "NOTIFY_SOCKET=/nonexistent/notify: No such file or directory"},
	    {"WATCHDOG_USEC", "10s", "WATCHDOG_USEC=10s: expected a positive number"},
	    {"WATCHDOG_USEC", "-1", "WATCHDOG_USEC=-1: expected a positive number"},
	    {"WATCHDOG_USEC", "99999999999999999999",
	     "WATCHDOG_USEC=99999999999999999999: expected a positive number"},
	};

	(void)state;
	log_init("p", LOG_LEVEL_INFO, true);
	for (size_t i = 0; i < UNIT_COUNT(bad); i++) {
		int fd = manager(false);
		struct log_capture c;
		char buf[512], want[256];
		struct notify n;

		setenv(bad[i].name, bad[i].value, 1);
		c = log_capture();
		notify_open(&n);
		log_captured(&c, buf, sizeof(buf));
		snprintf(want, sizeof(want), "<4>p: notify: %s\n", bad[i].text);
		assert_string_equal(buf, want);
		assert_int_equal(n.watchdog_ns, 0);
		notify_close(&n);
		end_manager(fd);
	}
}

/* Returns the interval with this WATCHDOG_USEC and WATCHDOG_PID. */
static int64_t watchdog_of(const char *usec, const char *pid)
{
	int fd = manager(true);
	struct notify n;

	setenv("WATCHDOG_USEC", usec, 1);
	if (pid)
		setenv("WATCHDOG_PID", pid, 1);
	notify_open(&n);
	notify_close(&n);
	assert_null(getenv("WATCHDOG_PID"));
	end_manager(fd);
	return n.watchdog_ns;
}

static void test_watchdog_of_this_process_counts(void **state)
{
	char own[16], other[16];

	(void)state;
	snprintf(own, sizeof(own), "%d", (int)getpid());
	snprintf(other, sizeof(other), "%d", (int)getppid());
	assert_int_equal(watchdog_of("10000000", NULL), 10000000000);
	assert_int_equal(watchdog_of("10000000", own), 10000000000);
	assert_int_equal(watchdog_of("10000000", other), 0);
	assert_int_equal(watchdog_of("9223372036854775807", NULL), 0);
}

/* The manager does not read: nothing blocks, and the last state is sent when it reads again. */
static void test_full_socket_keeps_the_last_state(void **state)
{
	unsigned taken = 0, got = 0;
	int fd = manager(false);
	char buf[2048];
	struct notify n;

	(void)state;
	notify_open(&n);
	for (; taken < 1000000 && !n.unsent[0]; taken++)
		notify_state(&n, "READY=1\nSTATUS=%u ports", taken);
	assert_true(n.unsent[0]);
	notify_state(&n, "RELOADING=1");
	notify_alive(&n);
	assert_string_equal(n.unsent, "RELOADING=1");
	while (recv(fd, buf, sizeof(buf), 0) >= 0)
		got++;
	assert_int_equal(got, taken - 1);
	notify_retry(&n);
	assert_message(fd, "RELOADING=1");
	notify_retry(&n);
	assert_no_message(fd);
	notify_close(&n);
	end_manager(fd);
}

/* The manager has ended: no signal, no endless retry. */
static void test_manager_that_is_gone_is_ignored(void **state)
{
	int fd = manager(false);
	struct notify n;

	(void)state;
	notify_open(&n);
	end_manager(fd);
	notify_state(&n, "READY=1");
	assert_string_equal(n.unsent, "");
	notify_alive(&n);
	notify_close(&n);
}

static void test_long_text_is_cut(void **state)
{
	char text[2 * NOTIFY_TEXT_OCTETS], want[NOTIFY_TEXT_OCTETS];
	int fd = manager(true);
	struct notify n;

	(void)state;
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	notify_open(&n);
	notify_state(&n, "STATUS=%s", text);
	snprintf(want, sizeof(want), "STATUS=%.*s", (int)(sizeof(want) - strlen("STATUS=") - 1),
		 text);
	assert_message(fd, want);
	notify_close(&n);
	end_manager(fd);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_states_are_datagrams),
	    cmocka_unit_test(test_without_a_manager_nothing_is_sent),
	    cmocka_unit_test(test_invalid_environment_is_logged),
	    cmocka_unit_test(test_watchdog_of_this_process_counts),
	    cmocka_unit_test(test_full_socket_keeps_the_last_state),
	    cmocka_unit_test(test_manager_that_is_gone_is_ignored),
	    cmocka_unit_test(test_long_text_is_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
