/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/ctl_server.h"

#include <errno.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <event2/event.h>

#include "lib/log.h"
#include "control/managed/events.h"

#define CTL_CLIENTS_MAX 64
#define ACCEPT_RETRY_MS 100

struct ctl_client {
	LIST_ENTRY(ctl_client) link;
	struct ctl_server *server;
	struct mo_session *session;
	struct event *readable;
	struct event *writable; /* pending while events wait for room in the socket */
	int fd;
	struct ucred peer; /* who connected */
};

struct ctl_server {
	struct event_base *base;
	struct mo_service *service;
	struct event *acceptable;
	struct event *retry;  /* pending while acceptable is not: accept() has failed */
	struct event *events; /* activated by on_raised() */
	LIST_HEAD(ctl_clients, ctl_client) clients;
	unsigned n_clients;
	int fd;
	struct sockaddr_un addr;
	uint8_t request[MO_MSG_MAX], reply[MO_MSG_MAX];
};

/* Waits for clients again. Does nothing if it does already. */
static void accept_again(struct ctl_server *s)
{
	event_del(s->retry);
	if (event_add(s->acceptable, NULL) < 0)
		event_add(s->retry, &(struct timeval){.tv_usec = ACCEPT_RETRY_MS * 1000});
}

static void client_free(struct ctl_client *c)
{
	LIST_REMOVE(c, link);
	c->server->n_clients--;
	event_free(c->readable);
	event_free(c->writable);
	mo_session_free(c->session);
	close(c->fd);
	accept_again(c->server); /* with the descriptor that is free now */
	free(c);
}

/* Sends the reason for closing a connection, as far as the client's socket has room. */
static void send_close(int fd, const char *why)
{
	uint8_t buf[MO_MSG_HEADER + 1 + MO_TEXT_MAX];
	struct octets_out out = octets_out(buf, sizeof(buf));

	mo_msg_put_close(&out, why);
	(void)!send(fd, buf, out.len, MSG_DONTWAIT | MSG_NOSIGNAL);
}

/* Tells the client and the log the reason, and disconnects the client. */
static void client_refuse(struct ctl_client *c, const char *why)
{
	log_warn_limited("ctl", "client of user %u, process %d: %s: connection closed", c->peer.uid,
			 (int)c->peer.pid, why);
	send_close(c->fd, why);
	client_free(c);
}

/*
 * Sends events until the client's socket is full; on_writable() sends the rest.
 * Returns false if sending failed and the client was freed, or if event_add() failed.
 */
static bool push_events(struct ctl_client *c)
{
	const uint8_t *event;
	size_t len;

	while ((event = mo_session_event(c->session, &len))) {
		if (send(c->fd, event, len, MSG_DONTWAIT | MSG_NOSIGNAL) < 0) {
			if (errno == EAGAIN || errno == ENOBUFS)
				return event_add(c->writable, NULL) == 0;
			client_free(c);
			return false;
		}
		mo_session_event_sent(c->session);
	}
	return true;
}

static void on_writable(evutil_socket_t fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	push_events(arg);
}

/* Runs from the event loop, not within the function that raised the event. */
static void on_events(evutil_socket_t fd, short what, void *arg)
{
	struct ctl_server *s = arg;
	struct ctl_client *c, *next;

	(void)fd;
	(void)what;
	for (c = LIST_FIRST(&s->clients); c; c = next) {
		next = LIST_NEXT(c, link);
		if (!event_pending(c->writable, EV_WRITE, NULL))
			push_events(c);
	}
}

static void on_raised(void *ctx)
{
	event_active(((struct ctl_server *)ctx)->events, 0, 0);
}

/* Handles a request of n octets and sends its reply. */
static void handle(struct ctl_client *c, size_t n)
{
	struct ctl_server *s = c->server;
	struct octets_out reply = octets_out(s->reply, sizeof(s->reply));
	char why[MO_TEXT_MAX + 1];
	struct mo_msg_header h;
	struct octets_in in;

	if (!mo_service_handle(c->session, s->request, n, &reply)) {
		in = octets_in(reply.start, reply.len);
		(void)mo_msg_get_header(&in, &h);
		mo_msg_get_text(&in, why);
		client_refuse(c, why);
		return;
	}
	if (reply.len > 0 && send(c->fd, reply.start, reply.len, MSG_DONTWAIT | MSG_NOSIGNAL) < 0) {
		mo_session_reply_lost(c->session);
		client_free(c);
		return;
	}
	push_events(c);
}

/*
 * A client that does not read replies or that sends an invalid message is disconnected, so
 * that it cannot delay the others. A message that is longer than the buffer is not cut.
 */
static void on_readable(evutil_socket_t fd, short what, void *arg)
{
	struct ctl_client *c = arg;
	struct ctl_server *s = c->server;
	ssize_t n = recv(fd, s->request, sizeof(s->request), MSG_DONTWAIT | MSG_TRUNC);
	char why[80];

	(void)what;
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		client_free(c);
	} else if ((size_t)n > sizeof(s->request)) {
		snprintf(why, sizeof(why), "request of %zd octets, expected at most %d", n,
			 MO_MSG_MAX);
		client_refuse(c, why);
	} else {
		handle(c, (size_t)n);
	}
}

static void client_new(struct ctl_server *s, int fd, const struct ucred *peer)
{
	struct ctl_client *c = calloc(1, sizeof(*c));

	if (!c)
		goto no_client;
	c->server = s;
	c->fd = fd;
	c->peer = *peer;
	c->session = mo_session_new(s->service);
	if (!c->session)
		goto no_session;
	c->readable = event_new(s->base, fd, EV_READ | EV_PERSIST, on_readable, c);
	c->writable = event_new(s->base, fd, EV_WRITE, on_writable, c);
	if (!c->readable || !c->writable || event_add(c->readable, NULL) < 0)
		goto no_event;
	LIST_INSERT_HEAD(&s->clients, c, link);
	s->n_clients++;
	return;
no_event:
	if (c->readable)
		event_free(c->readable);
	if (c->writable)
		event_free(c->writable);
	mo_session_free(c->session);
no_session:
	free(c);
no_client:
	log_error_limited("ctl", "out of memory: client rejected");
	close(fd);
}

/* Tells the client and the log why it is not served. */
static void reject(int fd, const struct ucred *peer, const char *why)
{
	log_warn_limited("ctl", "client of user %u, process %d rejected: %s", peer->uid,
			 (int)peer->pid, why);
	send_close(fd, why);
	close(fd);
}

/*
 * Without file descriptors or memory accept() fails, and the client stays in the queue of
 * the socket, which is readable all the time: waits for a while, or until a client leaves.
 */
static void accept_later(struct ctl_server *s, int error)
{
	log_error_limited("ctl", "cannot accept a client: %s; retry in %d ms", strerror(error),
			  ACCEPT_RETRY_MS);
	if (event_add(s->retry, &(struct timeval){.tv_usec = ACCEPT_RETRY_MS * 1000}) == 0)
		event_del(s->acceptable);
}

static void on_retry(evutil_socket_t fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	accept_again(arg);
}

static void on_acceptable(evutil_socket_t fd, short what, void *arg)
{
	struct ctl_server *s = arg;
	int client = accept4(fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	struct ucred peer = {0};
	socklen_t len = sizeof(peer);
	char why[80];

	(void)what;
	if (client < 0) {
		if (errno != EAGAIN && errno != EINTR && errno != ECONNABORTED)
			accept_later(s, errno);
		return;
	}
	if (getsockopt(client, SOL_SOCKET, SO_PEERCRED, &peer, &len) < 0) {
		close(client);
	} else if (s->n_clients >= CTL_CLIENTS_MAX) {
		snprintf(why, sizeof(why), "%d clients, which is the maximum", CTL_CLIENTS_MAX);
		reject(client, &peer, why);
	} else {
		client_new(s, client, &peer);
	}
}

/* Removes a socket file that no process listens on. false: errno, EADDRINUSE if one does. */
static bool remove_stale_socket(const struct sockaddr_un *addr)
{
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	bool alive;

	if (fd < 0)
		return false;
	alive = connect(fd, (const struct sockaddr *)addr, sizeof(*addr)) == 0;
	close(fd);
	if (alive) {
		errno = EADDRINUSE;
		return false;
	}
	return unlink(addr->sun_path) == 0 || errno == ENOENT;
}

static bool bind_socket(struct ctl_server *s, mode_t mode)
{
	mode_t old = umask(~mode & 0777);
	bool ok = bind(s->fd, (const struct sockaddr *)&s->addr, sizeof(s->addr)) == 0;

	umask(old);
	return ok;
}

static bool set_group(const char *path, const char *group)
{
	const struct group *g;

	if (!group)
		return true;
	errno = 0;
	g = getgrnam(group);
	if (!g) {
		if (errno == 0)
			errno = ESRCH;
		return false;
	}
	return chown(path, (uid_t)-1, g->gr_gid) == 0;
}

struct ctl_server *ctl_server_new(struct event_base *base, struct mo_service *service,
				  const char *path, const char *group, char *err, size_t errlen)
{
	struct ctl_server *s = calloc(1, sizeof(*s));
	const char *step = "out of memory";

	if (!s)
		goto no_server;
	s->base = base;
	s->service = service;
	s->addr.sun_family = AF_UNIX;
	LIST_INIT(&s->clients);
	step = "path of a unix socket";
	errno = ENAMETOOLONG;
	if (strlen(path) >= sizeof(s->addr.sun_path))
		goto no_socket;
	memcpy(s->addr.sun_path, path, strlen(path) + 1);
	step = "socket";
	s->fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (s->fd < 0)
		goto no_socket;
	step = "used by another dcbd, or cannot be removed";
	if (!remove_stale_socket(&s->addr))
		goto no_bind;
	step = "bind";
	if (!bind_socket(s, 0660))
		goto no_bind;
	step = "cannot set the group";
	if (!set_group(path, group))
		goto no_listen;
	step = "listen";
	if (listen(s->fd, 16) < 0)
		goto no_listen;
	s->acceptable = event_new(base, s->fd, EV_READ | EV_PERSIST, on_acceptable, s);
	s->retry = evtimer_new(base, on_retry, s);
	s->events = event_new(base, -1, 0, on_events, s);
	if (s->acceptable && s->retry && s->events && event_add(s->acceptable, NULL) == 0) {
		events_listen(mo_service_events(service), on_raised, s);
		return s;
	}
	step = "out of memory";
	if (s->events)
		event_free(s->events);
	if (s->retry)
		event_free(s->retry);
	if (s->acceptable)
		event_free(s->acceptable);
no_listen:
	unlink(path);
no_bind:
	close(s->fd);
no_socket:
	free(s);
no_server:
	snprintf(err, errlen, "%s: %s: %s", path, step, strerror(errno));
	return NULL;
}

void ctl_server_free(struct ctl_server *s)
{
	struct ctl_client *c, *next;

	if (!s)
		return;
	for (c = LIST_FIRST(&s->clients); c; c = next) {
		next = LIST_NEXT(c, link);
		client_free(c);
	}
	events_listen(mo_service_events(s->service), NULL, NULL);
	event_free(s->acceptable);
	event_free(s->retry);
	event_free(s->events);
	close(s->fd);
	unlink(s->addr.sun_path);
	free(s);
}
