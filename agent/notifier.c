/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/notifier.h"

#include "lib/log.h"
#include "lib/mo/mo_event.h"

#include <event2/event.h>

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

/* Interval between attempts to connect, and to send an unconfirmed notification. */
static const struct timeval retry_after = {.tv_sec = 1};
/* Time limit for dcbd's answer to the subscription. */
static const struct timeval answer_within = {.tv_sec = 5};

struct notifier {
	struct event_base *base;
	struct sockaddr_un addr;
	notifier_send_fn send;
	int fd;
	struct event *readable;       /* on fd; pending while has_event is false */
	struct event *retry;          /* connects, or sends again */
	struct event *continue_event; /* calls step() from the event loop */
	bool subscribed;
	bool loss_logged; /* the loss of the connection has been logged */
	uint32_t boot_id;
	uint64_t seen; /* number of the last event received */
	bool ready;    /* there is a session with the master */
	bool has_event, in_flight;
	bool waiting; /* retry will send the event again */
	unsigned tries;
	uint32_t ticket;
	uint32_t event_boot_id; /* boot_id of the dcbd that sent ev */
	struct mo_event ev;
};

/* --- the connection --------------------------------------------------------------- */

static void disconnect(struct notifier *n)
{
	if (n->readable)
		event_free(n->readable);
	n->readable = NULL;
	if (n->fd >= 0)
		close(n->fd);
	n->fd = -1;
	n->subscribed = false;
	event_add(n->retry, &retry_after);
}

static void connection_lost(struct notifier *n, const char *why)
{
	if (!n->loss_logged)
		log_warn("notify", "cannot receive events from dcbd at %s: %s", n->addr.sun_path,
			 why);
	n->loss_logged = true;
	disconnect(n);
}

static bool subscribe(struct notifier *n)
{
	uint8_t request[MO_MSG_HEADER + 16];
	struct octets_out out = octets_out(request, sizeof(request));

	mo_msg_put_header(&out, &(struct mo_msg_header){.op = MO_OP_SUBSCRIBE});
	octets_out_u8(&out, MO_SUBSCRIBE_NOTIFIER);
	octets_out_be32(&out, n->boot_id);
	octets_out_be64(&out, n->seen);
	return send(n->fd, request, out.len, MSG_DONTWAIT | MSG_NOSIGNAL) >= 0;
}

static void on_readable(evutil_socket_t fd, short what, void *arg);

static void connect_now(struct notifier *n)
{
	n->fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (n->fd < 0 || connect(n->fd, (const struct sockaddr *)&n->addr, sizeof(n->addr)) < 0 ||
	    !subscribe(n)) {
		connection_lost(n, strerror(errno));
		return;
	}
	n->readable = event_new(n->base, n->fd, EV_READ, on_readable, n);
	if (!n->readable || event_add(n->readable, &answer_within) < 0)
		connection_lost(n, "out of memory");
}

static bool on_subscribed(struct notifier *n, struct octets_in *in)
{
	uint32_t boot_id = octets_in_be32(in);
	uint64_t first = octets_in_be64(in);

	if (in->overrun || first == 0)
		return false;
	if (n->loss_logged)
		log_info("notify", "receiving events from dcbd again");
	n->loss_logged = false;
	n->subscribed = true;
	n->boot_id = boot_id;
	n->seen = first - 1;
	return true;
}

/* --- events ------------------------------------------------------------------------- */

static bool is_stale(const struct mo_event *ev)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000 + (uint64_t)ts.tv_nsec / 1000000 >
	       ev->mono_ms + NOTIFIER_AGE_MS;
}

/*
 * Ends the event and acknowledges it to dcbd, unless dcbd has restarted or the
 * connection is down.
 */
static void acknowledge(struct notifier *n)
{
	uint8_t request[MO_MSG_HEADER + 8];
	struct octets_out out = octets_out(request, sizeof(request));

	n->has_event = n->in_flight = false;
	n->tries = 0;
	if (!n->subscribed || n->event_boot_id != n->boot_id)
		return;
	mo_msg_put_header(&out, &(struct mo_msg_header){.op = MO_OP_ACK});
	octets_out_be64(&out, n->ev.number);
	/* An acknowledgment covers the events before it, so the next one replaces a lost one. */
	(void)!send(n->fd, request, out.len, MSG_DONTWAIT | MSG_NOSIGNAL);
}

static void give_up(struct notifier *n, const char *why)
{
	char name[64], text[MO_EVENT_TEXT];

	mo_event_name(&n->ev, name, sizeof(name));
	mo_event_objects(&n->ev, text, sizeof(text));
	log_warn_limited("notify", "notification %s (%s) not sent: %s", name, text, why);
	acknowledge(n);
}

static void try_later(struct notifier *n)
{
	n->waiting = true;
	event_add(n->retry, &retry_after);
}

/* Continues after any change of state: sends the event, or reads the next one. */
static void step(struct notifier *n)
{
	if (n->has_event && !n->in_flight && n->ready && !n->waiting) {
		if (is_stale(&n->ev))
			give_up(n, "older than 5 minutes");
		else if (n->send(&n->ev, ++n->ticket))
			n->in_flight = true;
		else
			try_later(n);
	}
	if (!n->has_event && n->readable)
		event_add(n->readable, NULL);
}

static bool on_event(struct notifier *n, struct octets_in *in)
{
	uint64_t expected = n->seen + 1;

	mo_msg_get_event(in, &n->ev);
	if (in->overrun)
		return false;
	if (n->ev.number > expected)
		log_warn_limited("notify", "%" PRIu64 " events lost: dcbd keeps only the latest",
				 n->ev.number - expected);
	n->seen = n->ev.number;
	n->event_boot_id = n->boot_id;
	n->has_event = true;
	n->tries = 0;
	if (!(n->ev.flags & MO_EVENT_NOTIFY) || !mo_notification(n->ev.id))
		acknowledge(n);
	return true;
}

/* Handles a message of n octets. Returns NULL, or why the connection is lost. */
static const char *handle(struct notifier *n, const uint8_t *msg, size_t len,
			  char why[MO_TEXT_MAX + 1])
{
	struct octets_in in = octets_in(msg, len);
	struct mo_msg_header h;
	bool valid;

	if (!mo_msg_get_header(&in, &h))
		return "invalid message";
	if (h.op == (MO_OP_CLOSE | MO_MSG_REPLY)) {
		mo_msg_get_text(&in, why);
		return why;
	}
	if (n->subscribed)
		valid = h.op == (MO_OP_EVENT | MO_MSG_REPLY) && on_event(n, &in);
	else
		valid = h.op == (MO_OP_SUBSCRIBE | MO_MSG_REPLY) && on_subscribed(n, &in);
	return valid ? NULL : "invalid message";
}

static void on_readable(evutil_socket_t fd, short what, void *arg)
{
	struct notifier *n = arg;
	char buf[MO_TEXT_MAX + 1];
	const char *why = NULL;
	uint8_t msg[2048];
	ssize_t len;

	if (what & EV_TIMEOUT) {
		connection_lost(n, "subscription timed out");
		return;
	}
	len = recv(fd, msg, sizeof(msg), MSG_DONTWAIT | MSG_TRUNC);
	if (len < 0 && errno == ECONNRESET) /* dcbd has closed the connection: its last message */
		len = recv(fd, msg, sizeof(msg), MSG_DONTWAIT | MSG_TRUNC);
	if (len == 0)
		why = "dcbd closed the connection";
	else if (len < 0 && errno != EAGAIN && errno != EINTR)
		why = strerror(errno);
	else if (len > (ssize_t)sizeof(msg))
		why = "invalid message";
	else if (len > 0)
		why = handle(n, msg, (size_t)len, buf);
	if (why)
		connection_lost(n, why);
	else
		step(n);
}

static void on_retry(evutil_socket_t fd, short what, void *arg)
{
	struct notifier *n = arg;

	(void)fd, (void)what;
	n->waiting = false;
	if (n->fd < 0)
		connect_now(n);
	step(n);
}

static void on_continue(evutil_socket_t fd, short what, void *arg)
{
	(void)fd, (void)what;
	step(arg);
}

/* --- interface of the sender ------------------------------------------------------------ */

void notifier_resume(struct notifier *n)
{
	n->ready = true;
	event_active(n->continue_event, 0, 0);
}

void notifier_suspend(struct notifier *n)
{
	n->ready = false;
	n->in_flight = false;
	n->ticket++;
}

void notifier_done(struct notifier *n, uint32_t ticket, enum notifier_result result)
{
	if (!n->in_flight || ticket != n->ticket)
		return;
	n->in_flight = false;
	if (result == NOTIFIER_TIMEOUT && ++n->tries < NOTIFIER_TRIES) {
		try_later(n);
		return;
	}
	if (result == NOTIFIER_SENT)
		acknowledge(n);
	else
		give_up(n, result == NOTIFIER_REFUSED ? "refused by the master"
						      : "not confirmed by the master");
	event_active(n->continue_event, 0, 0);
}

/* --- start and stop --------------------------------------------------------------------- */

struct notifier *notifier_new(struct event_base *base, const char *socket_path,
			      notifier_send_fn send)
{
	struct notifier *n = calloc(1, sizeof(*n));

	if (!n || strlen(socket_path) >= sizeof(n->addr.sun_path))
		goto fail;
	n->base = base;
	n->send = send;
	n->fd = -1;
	n->addr.sun_family = AF_UNIX;
	memcpy(n->addr.sun_path, socket_path, strlen(socket_path) + 1);
	n->retry = evtimer_new(base, on_retry, n);
	n->continue_event = event_new(base, -1, 0, on_continue, n);
	if (!n->retry || !n->continue_event)
		goto fail;
	event_active(n->retry, EV_TIMEOUT, 0);
	return n;
fail:
	if (n && n->retry)
		event_free(n->retry);
	free(n);
	return NULL;
}

void notifier_free(struct notifier *n)
{
	if (!n)
		return;
	disconnect(n);
	event_free(n->retry);
	event_free(n->continue_event);
	free(n);
}
