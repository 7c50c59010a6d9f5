/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/host/notify.h"

#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "lib/log.h"

/* Returns a connected socket, or -1 with errno. A leading "@" is that of an abstract name. */
static int connect_to(const char *path)
{
	struct sockaddr_un sa = {.sun_family = AF_UNIX};
	size_t len = strlen(path);
	int fd, error;

	if ((path[0] != '/' && path[0] != '@') || path[1] == '\0' || len >= sizeof(sa.sun_path)) {
		errno = EINVAL;
		return -1;
	}
	memcpy(sa.sun_path, path, len);
	if (path[0] == '@')
		sa.sun_path[0] = '\0';
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0 || connect(fd, (const struct sockaddr *)&sa,
			      (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len)) == 0)
		return fd;
	error = errno;
	close(fd);
	errno = error;
	return -1;
}

/* Returns a positive number of the environment; 0: missing or invalid. */
static int64_t number_of(const char *name)
{
	const char *text = getenv(name);
	char *end;
	long long v;

	if (!text)
		return 0;
	errno = 0;
	v = strtoll(text, &end, 10);
	if (errno == 0 && end != text && *end == '\0' && v > 0)
		return v;
	/* Message: as "NOTIFY_SOCKET=%s: %s" */
	log_warn("notify", "%s=%s: expected a positive number", name, text);
	return 0;
}

void notify_open(struct notify *n)
{
	const char *path = getenv("NOTIFY_SOCKET");
	int64_t us = number_of("WATCHDOG_USEC");

	*n = (struct notify){.fd = -1};
	if (path) {
		n->fd = connect_to(path);
		if (n->fd < 0)
			/*
			 * Message: The service manager's variables are invalid, or its socket does
			 * not exist: it is not notified.
			 */
			log_warn("notify", "NOTIFY_SOCKET=%s: %s", path, strerror(errno));
	}
	/* Without WATCHDOG_PID the interval is for each process that has the variable. */
	if (n->fd >= 0 && us <= INT64_MAX / 1000 &&
	    (!getenv("WATCHDOG_PID") || number_of("WATCHDOG_PID") == getpid()))
		n->watchdog_ns = us * 1000;
	unsetenv("NOTIFY_SOCKET");
	unsetenv("WATCHDOG_USEC");
	unsetenv("WATCHDOG_PID");
}

void notify_close(struct notify *n)
{
	if (n->fd >= 0)
		close(n->fd);
	n->fd = -1;
}

/* Returns false if the socket is full. Other errors are final: the manager is gone. */
static bool put(const struct notify *n, const char *text)
{
	return send(n->fd, text, strlen(text), MSG_NOSIGNAL) >= 0 ||
	       (errno != EAGAIN && errno != ENOBUFS && errno != EINTR);
}

void notify_retry(struct notify *n)
{
	if (n->fd >= 0 && n->unsent[0] && put(n, n->unsent))
		n->unsent[0] = '\0';
}

void notify_state(struct notify *n, const char *fmt, ...)
{
	va_list ap;

	if (n->fd < 0)
		return;
	va_start(ap, fmt);
	vsnprintf(n->unsent, sizeof(n->unsent), fmt, ap);
	va_end(ap);
	notify_retry(n);
}

void notify_alive(struct notify *n)
{
	notify_retry(n);
	if (n->fd >= 0)
		(void)put(n, "WATCHDOG=1");
}

int64_t heartbeat_interval_ns(const struct notify *n)
{
	int64_t quarter = n->watchdog_ns / 4;

	if (quarter > DCB_NS_PER_S)
		return DCB_NS_PER_S;
	return quarter < DCB_NS_PER_MS ? DCB_NS_PER_MS : quarter;
}

void heartbeat_run(struct heartbeat *h, struct notify *n, uint64_t turns, struct dcb_time now)
{
	if (h->fed.ns == 0 || turns != h->turns) {
		h->turns = turns;
		h->fed = now;
		h->missed = false;
		notify_alive(n);
		return;
	}
	if (h->missed || dcb_time_diff_ns(now, h->fed) < n->watchdog_ns / 2)
		return;
	h->missed = true;
	/*
	 * Message: The service manager will restart dcbd unless the thread continues. Check whether
	 * the host is overloaded, or whether `dataplane.cpu` is a processor on which a program with
	 * real-time priority runs.
	 */
	log_error("dcbd", "a dataplane thread does not run since %lld ms: the watchdog is not fed",
		  (long long)(dcb_time_diff_ns(now, h->fed) / DCB_NS_PER_MS));
}
