/* SPDX-License-Identifier: BSD-3-Clause */
#include "lldp/process/lldp_serve.h"

#include <errno.h>
#include <event2/event.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "lib/log.h"
#include "lldp/process/lldp_msg.h"
#include "lldp/process/lldp_outbox.h"

#define READS 64 /* messages handled in one callback */

struct serve {
	int fd;
	struct event_base *loop;
	struct event *readable, *writable;
	struct lldp_client *client;
	struct lldp_outbox *outbox;
	unsigned unacknowledged;
	bool pong;     /* a PONG did not fit into the socket's buffer and is to be sent */
	uint32_t ping; /* number of the last PING */
	bool ended;
	enum lldp_serve_end end;
	struct lldp_msg msg, event;
	uint8_t octets[LLDP_MSG_MAX + 1];
};

static void end(struct serve *s, enum lldp_serve_end how)
{
	if (s->ended)
		return;
	s->ended = true;
	s->end = how;
	event_base_loopbreak(s->loop);
}

/* --- to dcbd --------------------------------------------------------------------------------- */

/* false: the buffer is full, or dcbd has ended, which on_readable() handles. */
static bool send_octets(struct serve *s, const uint8_t *octets, size_t len)
{
	if (send(s->fd, octets, len, MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)len)
		return true;
	event_add(s->writable, NULL);
	return false;
}

static bool send_msg(struct serve *s, const struct lldp_msg *m)
{
	uint8_t octets[512];

	return send_octets(s, octets, lldp_msg_encode(m, octets, sizeof(octets)));
}

static void send_pong(struct serve *s)
{
	struct lldp_msg m = {.type = LLDP_MSG_PONG, .number = s->ping};

	s->client->ops->read(s->client, &m.stats);
	s->pong = !send_msg(s, &m);
}

static void flush(struct serve *s)
{
	const uint8_t *octets;
	size_t len;

	if (s->pong)
		send_pong(s);
	while (!s->pong && s->unacknowledged < LLDP_MSG_WINDOW &&
	       (len = lldp_outbox_first(s->outbox, &octets)) > 0) {
		if (!send_octets(s, octets, len))
			return;
		lldp_outbox_drop_first(&s->outbox);
		s->unacknowledged++;
	}
}

static void on_writable(evutil_socket_t fd, short what, void *ctx)
{
	(void)fd;
	(void)what;
	flush(ctx);
}

/*
 * If an event were lost, dcbd would have outdated neighbors: the process ends, and a new one
 * reports all of them.
 */
static void put_event(struct serve *s)
{
	if (!lldp_outbox_put(&s->outbox, &s->event)) {
		/* Message: as "out of memory" */
		log_error("lldp", "out of memory");
		end(s, LLDP_SERVE_FAILED);
		return;
	}
	flush(s);
}

/* Copies a text and replaces characters that are not printable. */
static void set_text(struct lldp_msg *m, const char *text)
{
	snprintf(m->text, sizeof(m->text), "%s", text);
	for (char *c = m->text; *c; c++)
		if (*c < ' ' || *c > '~')
			*c = '?';
}

static void put_state(struct serve *s, enum lldp_state state, const char *why)
{
	s->event.type = LLDP_MSG_STATE;
	s->event.state = state;
	set_text(&s->event, why);
	put_event(s);
}

static void on_state(void *ctx, enum lldp_state state)
{
	struct serve *s = ctx;

	put_state(s, state, lldp_client_lldpd_why(s->client));
}

static void on_all_reported(void *ctx)
{
	struct serve *s = ctx;

	s->event.type = LLDP_MSG_ALL_REPORTED;
	put_event(s);
}

static void on_remote(void *ctx, const struct lldp_remote *remote)
{
	struct serve *s = ctx;
	const char *error = lldp_remote_check(remote);

	if (error) {
		log_debug("lldp", "%s: neighbor ignored: %s", remote->ifname, error);
		return;
	}
	s->event.type = LLDP_MSG_REMOTE;
	s->event.remote = *remote;
	put_event(s);
}

static void on_gone(void *ctx, const struct lldp_remote *remote)
{
	struct serve *s = ctx;

	s->event.type = LLDP_MSG_GONE;
	s->event.remote = *remote;
	/* Only its name and IDs are encoded; the check requires a time to live. */
	s->event.remote.ttl = 1;
	if (!lldp_remote_check(&s->event.remote))
		put_event(s);
}

static const struct lldp_events events = {
    .state = on_state, .all_reported = on_all_reported, .remote = on_remote, .gone = on_gone};

/* --- from dcbd ------------------------------------------------------------------------------- */

static void take_ack(struct serve *s, uint32_t n)
{
	if (n > s->unacknowledged) {
		/* Message: as "invalid message from dcbd: %s" */
		log_error("lldp", "dcbd acknowledges more events than were sent");
		end(s, LLDP_SERVE_FAILED);
		return;
	}
	s->unacknowledged -= n;
	flush(s);
}

static void take(struct serve *s)
{
	const struct lldp_client_ops *ops = s->client->ops;
	const struct lldp_msg *m = &s->msg;
	const char *ifname = m->remote.ifname;

	switch (m->type) {
	case LLDP_MSG_SET:
		ops->set(s->client, ifname, m->remote.tlvs, m->remote.n_tlvs, m->mtu);
		break;
	case LLDP_MSG_FORGET:
		ops->forget(s->client, ifname);
		break;
	case LLDP_MSG_REFRESH:
		ops->refresh(s->client, ifname);
		break;
	case LLDP_MSG_REPLAY:
		ops->replay(s->client, ifname, m->recent);
		break;
	case LLDP_MSG_DESCRIBE:
		ops->describe(s->client, &m->system);
		break;
	case LLDP_MSG_ACK:
		take_ack(s, m->number);
		break;
	case LLDP_MSG_PING:
		s->ping = m->number;
		send_pong(s);
		break;
	default:
		end(s, LLDP_SERVE_END);
		break;
	}
}

static void on_readable(evutil_socket_t fd, short what, void *ctx)
{
	struct serve *s = ctx;
	const char *error;
	ssize_t n;

	(void)what;
	for (int i = 0; i < READS && !s->ended; i++) {
		n = recv(fd, s->octets, sizeof(s->octets), MSG_DONTWAIT);
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return;
		if (n <= 0) {
			end(s, LLDP_SERVE_GONE);
			return;
		}
		error = lldp_msg_decode(s->octets, (size_t)n, LLDP_MSG_FROM_DCBD, &s->msg);
		if (error) {
			/*
			 * Message: dcb-lldp and dcbd(8) are of different versions. Install the same
			 * version of both.
			 */
			log_error("lldp", "invalid message from dcbd: %s", error);
			end(s, LLDP_SERVE_FAILED);
			return;
		}
		take(s);
	}
}

/* --- start and stop -------------------------------------------------------------------------- */

static bool start(struct serve *s, const char *socket, bool holds)
{
	struct lldp_msg hello = {.type = LLDP_MSG_HELLO};

	s->loop = event_base_new();
	if (!s->loop)
		return false;
	s->readable = event_new(s->loop, s->fd, EV_READ | EV_PERSIST, on_readable, s);
	s->writable = event_new(s->loop, s->fd, EV_WRITE, on_writable, s);
	if (!s->readable || !s->writable || event_add(s->readable, NULL) < 0)
		return false;
	s->client = lldp_client_lldpd(s->loop, socket, holds, &events, s);
	if (!s->client)
		return false;
	set_text(&hello, lldp_client_lldpd_library());
	if (!send_msg(s, &hello))
		return false;
	put_state(s, LLDP_CONNECTING, "");
	return true;
}

static void stop(struct serve *s)
{
	if (s->client && s->end == LLDP_SERVE_END)
		s->client->ops->destroy(s->client);
	/* Else without destroy(): lldpd keeps the TLVs for the next process. */
	if (s->client && s->end == LLDP_SERVE_GONE)
		lldp_client_lldpd_release(s->client);
	lldp_outbox_clear(&s->outbox);
	if (s->readable)
		event_free(s->readable);
	if (s->writable)
		event_free(s->writable);
}

enum lldp_serve_end lldp_serve(int fd, const char *socket, bool holds)
{
	static struct serve s;

	s = (struct serve){.fd = fd, .end = LLDP_SERVE_FAILED};
	if (start(&s, socket, holds))
		event_base_dispatch(s.loop);
	else
		/*
		 * Message: The kernel gives dcb-lldp no memory or no file descriptors. Free memory
		 * or raise the limits of dcbd(8).
		 */
		log_error("lldp", "cannot start: %s", strerror(errno));
	stop(&s);
	return s.end;
}
