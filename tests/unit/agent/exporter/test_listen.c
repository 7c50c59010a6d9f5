/* SPDX-License-Identifier: BSD-3-Clause */
/* Addresses of option -l, and sockets that a service manager passes. */
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/exporter/listen.h"
#include "tests/unit/unit.h"

/* Opens an address whose port is free: other programs may use some. */
static int open_free_port(char address[32])
{
	char err[256] = "no port is free";
	int fd = -1;

	for (unsigned port = 20000; port < 60000 && fd < 0; port++) {
		snprintf(address, 32, "127.0.0.1:%u", port);
		fd = listen_open(address, err, sizeof(err));
	}
	if (fd < 0)
		fail_msg("%s", err);
	return fd;
}

static void test_opens_an_address(void **state)
{
	char err[256] = "", name[64], address[32];
	int fd = open_free_port(address);

	(void)state;
	assert_true(fcntl(fd, F_GETFL) & O_NONBLOCK);
	listen_name(fd, name, sizeof(name));
	assert_string_equal(name, address);
	assert_int_equal(listen_open(name, err, sizeof(err)), -1);
	assert_non_null(strstr(err, ": Address already in use"));
	close(fd);
}

static void test_refuses_other_texts(void **state)
{
	static const char *const texts[] = {
	    "",         "9921",  "127.0.0.1", "127.0.0.1:",     "localhost:9921", "127.0.0.1:x",
	    "::1:9921", "[::1]", "[::1:9921", "127.0.0.1:70000"};
	char err[256];

	(void)state;
	for (size_t i = 0; i < UNIT_COUNT(texts); i++) {
		assert_int_equal(listen_open(texts[i], err, sizeof(err)), -1);
		assert_non_null(strstr(err, ": expected ADDRESS:PORT, for example"));
	}
}

/* Runs listen_passed() in a process whose descriptor 3 is fd. Returns its result, 100 for -1. */
static int passed(int fd, const char *pid, const char *fds)
{
	int status;
	pid_t child = fork();

	if (child == 0) {
		char own[16], err[256];
		int n;

		snprintf(own, sizeof(own), "%d", (int)getpid());
		dup2(fd, LISTEN_FIRST);
		if (pid)
			setenv("LISTEN_PID", strcmp(pid, "own") == 0 ? own : pid, 1);
		if (fds)
			setenv("LISTEN_FDS", fds, 1);
		n = listen_passed(err, sizeof(err));
		if (getenv("LISTEN_PID") || getenv("LISTEN_FDS"))
			n = 101;
		if (n > 0 && !(fcntl(LISTEN_FIRST, F_GETFL) & O_NONBLOCK))
			n = 102;
		_exit(n < 0 ? 100 : n);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void test_takes_sockets_that_were_passed(void **state)
{
	char address[32];
	int listening = open_free_port(address);
	int other = socket(AF_UNIX, SOCK_STREAM, 0), udp = socket(AF_INET, SOCK_DGRAM, 0);

	(void)state;
	assert_int_equal(passed(listening, "own", "1"), 1);
	assert_int_equal(passed(listening, "1", "1"), 0); /* for another process */
	assert_int_equal(passed(listening, NULL, "1"), 0);
	assert_int_equal(passed(listening, "own", NULL), 0);
	assert_int_equal(passed(listening, "own", "one"), 0);
	assert_int_equal(passed(listening, "own", "9"), 100);
	assert_int_equal(passed(other, "own", "1"), 100); /* does not listen */
	assert_int_equal(passed(udp, "own", "1"), 100);
	close(listening);
	close(other);
	close(udp);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_opens_an_address),
	    cmocka_unit_test(test_refuses_other_texts),
	    cmocka_unit_test(test_takes_sockets_that_were_passed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
