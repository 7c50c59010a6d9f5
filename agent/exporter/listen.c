/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/exporter/listen.h"

#include <arpa/inet.h>
#include <errno.h>
#include <event2/util.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define BACKLOG    128
#define PASSED_MAX 8

union address {
	struct sockaddr sa;
	struct sockaddr_in in;
	struct sockaddr_in6 in6;
	struct sockaddr_storage storage;
};

/* An IPv6 address takes connections of IPv6 only, so that [::] and 0.0.0.0 can both be given. */
static int set_options(int fd, int family)
{
	int on = 1;

	if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) < 0)
		return -1;
	if (family != AF_INET6)
		return 0;
	return setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on));
}

/* evutil_parse_sockaddr_port() also takes an address without port, which then is 0. */
static bool has_port(const char *text)
{
	const char *colon = strrchr(text, ':');
	const char *bracket = strrchr(text, ']');

	return colon && colon[1] && (bracket ? colon == bracket + 1 : strchr(text, ':') == colon);
}

int listen_open(const char *text, char *err, size_t errlen)
{
	union address a = {.storage = {.ss_family = AF_UNSPEC}};
	int len = sizeof(a), fd;

	if (!has_port(text) || evutil_parse_sockaddr_port(text, &a.sa, &len) < 0) {
		/* Message: as "-l %s: at most %d addresses" */
		snprintf(err, errlen,
			 "%s: expected ADDRESS:PORT, for example 127.0.0.1:9921 or [::]:9921",
			 text);
		return -1;
	}
	fd = socket(a.sa.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd >= 0 && set_options(fd, a.sa.sa_family) == 0 &&
	    bind(fd, &a.sa, (socklen_t)len) == 0 && listen(fd, BACKLOG) == 0)
		return fd;
	/*
	 * Message: The address cannot be used. With `Address already in use`, end the other
	 * program, or use another port.
	 */
	snprintf(err, errlen, "%s: %s", text, strerror(errno));
	if (fd >= 0)
		close(fd);
	return -1;
}

/* Whether the variable has the number, and nothing else. */
static bool number_of(const char *variable, long *number)
{
	const char *text = getenv(variable);
	char *end;

	if (!text)
		return false;
	*number = strtol(text, &end, 10);
	return end != text && !*end;
}

static bool prepare(int fd)
{
	int type = 0, listens = 0;
	socklen_t len = sizeof(type);

	if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &len) < 0 || type != SOCK_STREAM)
		return false;
	len = sizeof(listens);
	if (getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &len) < 0 || !listens)
		return false;
	return fcntl(fd, F_SETFD, FD_CLOEXEC) == 0 &&
	       fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK) == 0;
}

int listen_passed(char *err, size_t errlen)
{
	long pid = 0, n = 0;
	bool passed = number_of("LISTEN_PID", &pid) && number_of("LISTEN_FDS", &n) &&
		      pid == (long)getpid() && n > 0;

	unsetenv("LISTEN_PID");
	unsetenv("LISTEN_FDS");
	unsetenv("LISTEN_FDNAMES");
	if (!passed)
		return 0;
	if (n > PASSED_MAX) {
		/* Messages: The socket unit of systemd(1) does not fit: correct it. */
		snprintf(err, errlen, "%ld sockets passed: expected %d or fewer", n, PASSED_MAX);
		return -1;
	}
	for (int i = 0; i < n; i++) {
		if (!prepare(LISTEN_FIRST + i)) {
			snprintf(err, errlen,
				 "descriptor %d: expected a listening stream socket "
				 "(Accept=no in the socket unit)",
				 LISTEN_FIRST + i);
			return -1;
		}
	}
	return (int)n;
}

void listen_name(int fd, char *name, size_t size)
{
	union address a = {.storage = {.ss_family = AF_UNSPEC}};
	socklen_t len = sizeof(a);
	char text[INET6_ADDRSTRLEN] = "";

	snprintf(name, size, "descriptor %d", fd);
	if (getsockname(fd, &a.sa, &len) < 0)
		return;
	if (a.sa.sa_family == AF_INET) {
		inet_ntop(AF_INET, &a.in.sin_addr, text, sizeof(text));
		snprintf(name, size, "%s:%u", text, ntohs(a.in.sin_port));
	} else if (a.sa.sa_family == AF_INET6) {
		inet_ntop(AF_INET6, &a.in6.sin6_addr, text, sizeof(text));
		snprintf(name, size, "[%s]:%u", text, ntohs(a.in6.sin6_port));
	}
}
