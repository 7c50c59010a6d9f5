/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Input and output of a connection to lldpd. The messages that have been read are given to
 * the library one at a time.
 *
 * Messages are memory images of lldpd's structs without a version, and differ between
 * versions: struct lldpd_hardware changed in 1.0.18, struct lldpd_port in 1.0.20, and more
 * of them in 1.0.21. The library decodes them by its own structs and checks that the octets
 * do not end too early, but not that all of them are used; then it follows invalid pointers.
 *
 * To detect another layout, each message is first given to the library without its last
 * octet. If the layout is the library's, it needs every octet of the message: it fails
 * with LLDPCTL_ERR_SERIALIZATION, discards the octets and the request can be repeated
 * (1.0.15 to 1.0.22). If it succeeds, or then fails on the complete message, lldpd has
 * another version.
 */
#include "lldp/client/lldp_client_conn_private.h"

#include <errno.h>
#include <event2/event.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <syslog.h>
#include <unistd.h>

#include "lib/log.h"

/* Reads of the socket in one callback, so that other events of the loop are handled too. */
#define READS       16
#define READ_OCTETS 16384
/* The longest message that the library accepts. */
#define MESSAGE_OCTETS_MAX (512 * 1024)

/* Header of each message: struct hmsg_header of lldpd's ctl.h. */
struct header {
	int type;
	size_t len; /* octets after the header */
};
#define TYPE_NOTIFICATION 10

static ssize_t on_send(lldpctl_conn_t *conn, const uint8_t *data, size_t length, void *ctx)
{
	struct conn *c = ctx;
	ssize_t n;

	(void)conn;
	if (c->holding && length <= sizeof(c->held)) {
		memcpy(c->held, data, length);
		c->held_len = length;
		return (ssize_t)length;
	}
	n = send(c->fd, data, length, MSG_NOSIGNAL | MSG_DONTWAIT);
	return n == (ssize_t)length ? n : LLDPCTL_ERR_CALLBACK_FAILURE;
}

/* Reads from the offered message instead of the socket. */
static ssize_t on_recv(lldpctl_conn_t *conn, LLDPCTL_RECV_CONST uint8_t *data, size_t length,
		       void *ctx)
{
	struct conn *c = ctx;
	size_t n = length < c->offered_len ? length : c->offered_len;

	(void)conn;
	if (n == 0)
		return LLDPCTL_ERR_WOULDBLOCK;
	/* Until 1.0.21 the library declares the buffer to be filled as const. */
	memcpy((void *)(uintptr_t)data, c->offered, n);
	c->offered += n;
	c->offered_len -= n;
	return (ssize_t)n;
}

static void on_library_log(int severity, const char *msg)
{
	/* Callers of the library log its errors; its own texts are for debugging. */
	if (severity <= LOG_WARNING)
		log_debug("lldp", "liblldpctl: %s", msg);
}

/* Replaces the library's connection, and keeps the socket. */
static bool renew(struct conn *c)
{
	conn_drop_atoms(c);
	lldpctl_release(c->lldpctl);
	c->lldpctl = lldpctl_new_name("", on_send, on_recv, c);
	return c->lldpctl;
}

static void set_mismatch(struct conn *c)
{
	char why[sizeof(c->why)];

	snprintf(why, sizeof(why), "messages of lldpd do not have the layout of %s",
		 conn_library());
	c->mismatch = true;
	conn_set_why(c, why);
}

/* Ends the request and reports the answer. The callback may close c. */
static void conclude(struct conn *c, enum conn_answer answer)
{
	event_del(c->limit);
	c->request = NULL;
	c->early = c->ignores_body = false;
	if (answer == CONN_LOST)
		event_del(c->readable);
	c->ops->answer(c->ctx, answer);
}

static void lost(struct conn *c, const char *why)
{
	conn_set_why(c, why);
	conclude(c, CONN_LOST);
}

/* Returns a copy of the first message's header, which may be unaligned. */
static struct header header_of(const struct conn *c)
{
	struct header h;

	memcpy(&h, c->in, sizeof(h));
	return h;
}

/* Returns the octets of the first message; 0: it is incomplete. */
static size_t message_octets(const struct conn *c)
{
	struct header h;

	if (c->in_len < sizeof(h))
		return 0;
	h = header_of(c);
	return c->in_len - sizeof(h) >= h.len ? sizeof(h) + h.len : 0;
}

/* Sets whether the first message is offered without its last octet. */
static void shorten(struct conn *c, bool is_short)
{
	struct header h = header_of(c);

	h.len = is_short ? h.len - 1 : h.len + 1;
	memcpy(c->in, &h, sizeof(h));
	c->is_short = is_short;
}

static void drop_message(struct conn *c, size_t octets)
{
	c->in_len -= octets;
	memmove(c->in, c->in + octets, c->in_len);
	c->offered_len = 0;
}

static bool step_on(struct conn *c, size_t octets, enum conn_answer *answer)
{
	c->offered = c->in;
	c->offered_len = octets;
	return conn_step(c, answer);
}

/* Does the library fail on the first message without its last octet, as it must? */
static bool answer_is_exact(struct conn *c, size_t octets)
{
	enum conn_answer answer;
	bool exact;

	if (octets == sizeof(struct header) || c->ignores_body)
		return true;
	shorten(c, true);
	exact = step_on(c, octets - 1, &answer) && answer == CONN_LOST &&
		lldpctl_last_error(c->lldpctl) == LLDPCTL_ERR_SERIALIZATION;
	shorten(c, false);
	return exact;
}

/* Handles the first message as an answer. true: the request has ended. */
static bool take_answer(struct conn *c, size_t octets, enum conn_answer *answer)
{
	bool done;

	*answer = CONN_LOST;
	if (!answer_is_exact(c, octets)) {
		set_mismatch(c);
		return true;
	}
	done = step_on(c, octets, answer);
	drop_message(c, octets);
	if (!done || *answer == CONN_DONE ||
	    lldpctl_last_error(c->lldpctl) != LLDPCTL_ERR_SERIALIZATION)
		return done;
	/* lldpd refuses by an answer without a body; one with a body has another layout. */
	if (octets > sizeof(struct header)) {
		set_mismatch(c);
	} else if (!c->watching && renew(c)) {
		*answer = CONN_REFUSED;
		conn_set_why(c, "refused by lldpd");
	}
	return true;
}

/* Gives octets of the first message to the library. Returns how many changes it reports. */
static unsigned changes_of(struct conn *c, size_t octets)
{
	c->changes = 0;
	return lldpctl_recv(c->lldpctl, c->in, octets) < 0 ? 0 : c->changes;
}

/* Handles the first message as a notification. false: it is none, or has another layout. */
static bool take_notification(struct conn *c, size_t octets)
{
	bool exact = octets > sizeof(struct header) && header_of(c).type == TYPE_NOTIFICATION;

	if (exact) {
		shorten(c, true);
		exact = changes_of(c, octets - 1) == 0;
		shorten(c, false);
	}
	exact = exact && changes_of(c, octets) == 1;
	if (!exact)
		set_mismatch(c);
	drop_message(c, octets);
	return exact;
}

static bool take_notifications(struct conn *c)
{
	size_t octets;

	while ((octets = message_octets(c)) > 0)
		if (!take_notification(c, octets))
			return false;
	return true;
}

/* Handles the complete messages that have been read. false: c may have been closed. */
static bool take_messages(struct conn *c)
{
	enum conn_answer answer;
	size_t octets;

	while (c->request) {
		octets = message_octets(c);
		if (octets == 0)
			return true;
		if (!take_answer(c, octets, &answer))
			continue;
		/* Notifications after the answer precede the receiver's next request. */
		if (answer == CONN_DONE && c->watching && !take_notifications(c))
			answer = CONN_LOST;
		if (answer != CONN_LOST && !c->watching && c->in_len > 0) {
			answer = CONN_LOST;
			conn_set_why(c, "lldpd sent an answer without a request");
		}
		conclude(c, answer);
		return false;
	}
	if (c->watching && take_notifications(c))
		return true;
	if (!c->watching)
		conn_set_why(c, "lldpd sent an answer without a request");
	conclude(c, CONN_LOST);
	return false;
}

/* Makes room to read READ_OCTETS. false: out of memory, or the message is too long. */
static bool make_room(struct conn *c)
{
	uint8_t *in;

	if (c->in_size - c->in_len >= READ_OCTETS)
		return true;
	if (c->in_len > sizeof(struct header) + MESSAGE_OCTETS_MAX)
		return false;
	in = realloc(c->in, c->in_len + 2 * READ_OCTETS);
	if (!in)
		return false;
	c->in = in;
	c->in_size = c->in_len + 2 * READ_OCTETS;
	return true;
}

static void on_readable(evutil_socket_t fd, short what, void *ctx)
{
	struct conn *c = ctx;
	ssize_t n;

	(void)what;
	if (c->early) {
		conclude(c, c->answer);
		return;
	}
	for (int i = 0; i < READS; i++) {
		if (!make_room(c)) {
			lost(c, "out of memory, or a message of lldpd is too long");
			return;
		}
		n = recv(fd, c->in + c->in_len, READ_OCTETS, MSG_DONTWAIT);
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return;
		if (n <= 0) {
			lost(c, n == 0 ? "closed by lldpd" : strerror(errno));
			return;
		}
		c->in_len += (size_t)n;
		if (!take_messages(c))
			return;
	}
}

static void on_limit(evutil_socket_t fd, short what, void *ctx)
{
	struct conn *c = ctx;

	(void)fd;
	(void)what;
	if (c->early)
		conclude(c, c->answer);
	else
		lost(c, "lldpd does not answer");
}

bool conn_poll(struct conn *const *conns, size_t n, unsigned limit_ms)
{
	struct pollfd fds[CONN_POLL_MAX];

	for (size_t i = 0; i < n; i++) {
		fds[i] = (struct pollfd){.fd = conns[i] ? conns[i]->fd : -1, .events = POLLIN};
		if (conns[i] && conns[i]->early) {
			conclude(conns[i], conns[i]->answer);
			return true;
		}
	}
	if (poll(fds, n, (int)limit_ms) <= 0)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (fds[i].revents) {
			on_readable(fds[i].fd, EV_READ, conns[i]);
			break; /* the others may have been closed */
		}
	}
	return true;
}

static int connect_to(const char *path)
{
	struct sockaddr_un to = {.sun_family = AF_UNIX};
	int fd, error;

	if (strlen(path) >= sizeof(to.sun_path)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	strcpy(to.sun_path, path);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd >= 0 && connect(fd, (struct sockaddr *)&to, sizeof(to)) < 0) {
		error = errno;
		close(fd);
		errno = error;
		return -1;
	}
	return fd;
}

struct conn *conn_open(struct event_base *base, const char *socket, const struct conn_ops *ops,
		       void *ctx)
{
	struct conn *c = calloc(1, sizeof(*c));
	int error;

	if (!c)
		return NULL;
	lldpctl_log_callback(on_library_log);
	c->ops = ops;
	c->ctx = ctx;
	c->fd = connect_to(socket);
	if (c->fd >= 0) {
		c->lldpctl = lldpctl_new_name("", on_send, on_recv, c);
		c->readable = event_new(base, c->fd, EV_READ | EV_PERSIST, on_readable, c);
		c->limit = event_new(base, -1, 0, on_limit, c);
		if (c->lldpctl && c->readable && c->limit && event_add(c->readable, NULL) == 0)
			return c;
		errno = ENOMEM;
	}
	error = errno;
	conn_close(c);
	errno = error;
	return NULL;
}

void conn_close(struct conn *c)
{
	if (!c)
		return;
	conn_drop_atoms(c);
	lldpctl_release(c->lldpctl);
	free(c->in);
	if (c->readable)
		event_free(c->readable);
	if (c->limit)
		event_free(c->limit);
	if (c->fd >= 0)
		close(c->fd);
	free(c);
}
