/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/agentx_connect.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define HOST_OCTETS 256

static bool has_prefix(const char *text, const char *prefix, const char **rest)
{
	size_t n = strlen(prefix);

	if (strncmp(text, prefix, n) != 0)
		return false;
	*rest = text + n;
	return true;
}

static bool unix_path(const char *address, const char **path)
{
	if (!has_prefix(address, "unix:", path))
		*path = address;
	return **path == '/' && strlen(*path) < sizeof(((struct sockaddr_un *)0)->sun_path);
}

/* Splits host:port; the host may stand in brackets. false: another form. */
static bool split_host(const char *text, char host[HOST_OCTETS], const char **port)
{
	const char *colon = strrchr(text, ':');
	size_t n = colon ? (size_t)(colon - text) : 0;

	if (n == 0 || n >= HOST_OCTETS || !colon[1])
		return false;
	if (text[0] == '[' && text[n - 1] == ']') {
		text++;
		n -= 2;
	}
	memcpy(host, text, n);
	host[n] = '\0';
	*port = colon + 1;
	return n > 0;
}

static bool tcp_host(const char *address, int *family, char host[HOST_OCTETS], const char **port)
{
	const char *rest;

	if (has_prefix(address, "tcp:", &rest))
		*family = AF_INET;
	else if (has_prefix(address, "tcp6:", &rest))
		*family = AF_INET6;
	else
		return false;
	return split_host(rest, host, port);
}

bool agentx_address_is_valid(const char *address)
{
	char host[HOST_OCTETS];
	const char *rest;
	int family;

	return unix_path(address, &rest) || tcp_host(address, &family, host, &rest);
}

static int connect_to(int family, const struct sockaddr *sa, socklen_t len)
{
	int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int on = 1, error;

	if (fd < 0)
		return -1;
	if (family != AF_UNIX)
		(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	if (connect(fd, sa, len) == 0 || errno == EINPROGRESS)
		return fd;
	error = errno;
	close(fd);
	errno = error;
	return -1;
}

static int connect_tcp(int family, const char *host, const char *port)
{
	const struct addrinfo hints = {.ai_family = family, .ai_socktype = SOCK_STREAM};
	struct addrinfo *list;
	int error = getaddrinfo(host, port, &hints, &list);
	int fd;

	if (error) {
		errno = error == EAI_SYSTEM ? errno : EADDRNOTAVAIL;
		return -1;
	}
	fd = connect_to(list->ai_family, list->ai_addr, list->ai_addrlen);
	error = errno;
	freeaddrinfo(list);
	errno = error;
	return fd;
}

int agentx_connect(const char *address)
{
	struct sockaddr_un sa = {.sun_family = AF_UNIX};
	char host[HOST_OCTETS];
	const char *rest;
	int family;

	if (unix_path(address, &rest)) {
		memcpy(sa.sun_path, rest, strlen(rest));
		return connect_to(AF_UNIX, (const struct sockaddr *)&sa, sizeof(sa));
	}
	if (tcp_host(address, &family, host, &rest))
		return connect_tcp(family, host, rest);
	errno = EINVAL;
	return -1;
}

bool agentx_connect_result(int fd)
{
	socklen_t len = sizeof(errno);
	int error = 0, flags = fcntl(fd, F_GETFL);

	if (flags < 0 || fcntl(fd, F_SETFL, flags & ~O_NONBLOCK) < 0 ||
	    getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &len) < 0)
		return false;
	errno = error;
	return error == 0;
}
