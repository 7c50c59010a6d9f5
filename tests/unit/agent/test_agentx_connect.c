/* SPDX-License-Identifier: BSD-3-Clause */
/* Addresses of masters, and connections that do not wait. */
#include "agent/agentx_connect.h"

#include "tests/unit/unit.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static void test_addresses(void **state)
{
	static const char *const good[] = {"unix:/run/master",  "/var/agentx/master",
					   "tcp:127.0.0.1:705", "tcp:localhost:agentx",
					   "tcp6:[::1]:705",    "tcp6:::1:705"};
	static const char *const bad[] = {
	    "",         "unix:",     "unix:master", "master",        "tcp:",       "tcp:705",
	    "tcp::705", "tcp:host:", "udp:h:705",   "localhost:705", "tcp6:[]:705"};
	char path[200] = "unix:/";

	(void)state;
	for (size_t i = 0; i < UNIT_COUNT(good); i++)
		assert_true(agentx_address_is_valid(good[i]));
	for (size_t i = 0; i < UNIT_COUNT(bad); i++)
		assert_false(agentx_address_is_valid(bad[i]));
	memset(path + 6, 'x', 106); /* 107 octets with the slash */
	assert_true(agentx_address_is_valid(path));
	path[112] = 'x';
	assert_false(agentx_address_is_valid(path));
}

static bool is_blocking(int fd)
{
	return !(fcntl(fd, F_GETFL) & O_NONBLOCK);
}

/* A master that is stopped accepts nothing: once its queue is full, attempts fail at once. */
static void test_full_queue_does_not_block(void **state)
{
	char dir[] = "/tmp/agentx_connect.XXXXXX", address[sizeof(dir) + 16];
	struct sockaddr_un sa = {.sun_family = AF_UNIX};
	int listener = socket(AF_UNIX, SOCK_STREAM, 0), fds[8], n = 0;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(sa.sun_path, sizeof(sa.sun_path), "%s/master", dir);
	snprintf(address, sizeof(address), "unix:%s/master", dir);
	assert_int_equal(agentx_connect(address), -1);
	assert_int_equal(errno, ENOENT);
	assert_int_equal(bind(listener, (struct sockaddr *)&sa, sizeof(sa)), 0);
	assert_int_equal(agentx_connect(address), -1);
	assert_int_equal(errno, ECONNREFUSED);
	assert_int_equal(listen(listener, 1), 0);
	while (n < 8 && (fds[n] = agentx_connect(address)) >= 0) {
		assert_true(agentx_connect_result(fds[n]));
		assert_true(is_blocking(fds[n]));
		n++;
	}
	assert_int_equal(errno, EAGAIN);
	assert_in_range(n, 1, 7);
	while (n > 0)
		close(fds[--n]);
	close(listener);
	unlink(sa.sun_path);
	rmdir(dir);
}

static void test_tcp(void **state)
{
	struct sockaddr_in sa = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
	int listener = socket(AF_INET, SOCK_STREAM, 0), fd;
	socklen_t len = sizeof(sa);
	struct pollfd p = {.events = POLLOUT};
	char address[32];

	(void)state;
	assert_int_equal(bind(listener, (struct sockaddr *)&sa, sizeof(sa)), 0);
	assert_int_equal(listen(listener, 1), 0);
	assert_int_equal(getsockname(listener, (struct sockaddr *)&sa, &len), 0);
	snprintf(address, sizeof(address), "tcp:127.0.0.1:%u", ntohs(sa.sin_port));
	p.fd = fd = agentx_connect(address);
	assert_in_range(fd, 0, 1023);
	assert_int_equal(poll(&p, 1, 10000), 1);
	assert_true(agentx_connect_result(fd));
	assert_true(is_blocking(fd));
	close(fd);
	close(listener);
	p.fd = fd = agentx_connect(address); /* refused now or later */
	if (fd >= 0) {
		assert_int_equal(poll(&p, 1, 10000), 1);
		assert_false(agentx_connect_result(fd));
		assert_int_equal(errno, ECONNREFUSED);
		close(fd);
	}
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_addresses),
	    cmocka_unit_test(test_full_queue_does_not_block),
	    cmocka_unit_test(test_tcp),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
