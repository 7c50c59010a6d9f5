/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/notifier.h"

#include "lib/log.h"
#include "lib/mo/mo_event.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define RETRY_MS  1000 /* between attempts to connect, and to send an unconfirmed notification */
#define ANSWER_MS 5000 /* time limit of dcbd's answer to the subscription */

struct notifier {
	struct notifier_ops ops;
	struct sockaddr_un addr, view; /* view: sun_family is 0 if there is none */
	int fd;
	bool absent; /* no dcbd has accepted a connection or answered a request since absent_ms */
	int64_t absent_ms;
	uint32_t answered;  /* ops.boot_id() at absent_ms */
	bool ended;         /* the last ops.ended() */
	bool watched;       /* ops.watch() watches fd; not while has_event is set */
	int64_t connect_ms; /* fd is -1: time of the next attempt */
	int64_t answer_ms;  /* not subscribed: time limit of the answer */
	bool subscribed;
	bool loss_logged; /* the loss of the connection has been logged */
	bool lost;        /* the next attempt to connect has no time yet */
	uint32_t boot_id;
	uint64_t seen; /* number of the last event received */
	bool ready;    /* there is a session with the master */
	bool has_event, in_flight;
	bool waiting;   /* the event is sent again at again_ms */
	bool try_later; /* again_ms has to be set */
	int64_t again_ms;
	unsigned tries;
	uint32_t ticket;
	uint32_t event_boot_id; /* boot_id of the dcbd that sent ev */
	struct mo_event ev;
};

/* --- the connection --------------------------------------------------------------- */

static void watch(struct notifier *n, bool on)
{
	if (on != n->watched)
		n->ops.watch(on ? n->fd : -1);
	n->watched = on;
}

static void disconnect(struct notifier *n)
{
	watch(n, false);
	if (n->fd >= 0)
		close(n->fd);
	n->fd = -1;
	n->subscribed = false;
	n->lost = true;
}

static void connection_lost(struct notifier *n, const char *why)
{
	if (!n->loss_logged)
		/*
		 * Message: dcb-agentx sends no notifications. The second text is the cause. Start
		 * dcbd(8), or correct the path (`-c`) or the access to the control socket. If the
		 * text is `only root, dcbd's user and control.agent_user may send notifications,
		 * over control.socket`, set `control.agent_user` in dcbd.conf(5) to the user of
		 * dcb-agentx.
		 */
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

/* Connects fd. Returns 0 or an errno. */
static int connect_to(int fd, const struct sockaddr_un *addr)
{
	if (fd < 0 || connect(fd, (const struct sockaddr *)addr, sizeof(*addr)) < 0)
		return errno;
	return 0;
}

static int new_socket(void)
{
	return socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

/* Returns whether the error of connect() says that no process listens. */
static bool is_of_no_process(int error)
{
	return error == ENOENT || error == ECONNREFUSED;
}

static bool has_view(const struct notifier *n)
{
	int fd, error;

	if (!n->view.sun_family)
		return false;
	fd = new_socket();
	error = connect_to(fd, &n->view);
	if (fd >= 0)
		close(fd);
	return !is_of_no_process(error);
}

static void connect_now(struct notifier *n, int64_t now_ms)
{
	bool was_absent = n->absent && n->ops.boot_id() == n->answered;
	int error;

	n->fd = new_socket();
	error = connect_to(n->fd, &n->addr);
	n->absent = is_of_no_process(error) && !has_view(n);
	if (!was_absent) {
		n->absent_ms = now_ms;
		n->answered = n->ops.boot_id();
	}
	if (!error && !subscribe(n))
		error = errno;
	if (error)
		connection_lost(n, strerror(error));
	n->answer_ms = now_ms + ANSWER_MS;
}

/* Tells the owner that dcbd has ended or is back. */
static void judge(struct notifier *n, int64_t now_ms)
{
	bool ended = n->absent && now_ms - n->absent_ms >= NOTIFIER_ENDED_MS;

	if (ended == n->ended)
		return;
	n->ended = ended;
	if (ended)
		/*
		 * Message: dcbd(8) has ended, and has not been started for five seconds. Start it,
		 * or correct the paths: `-c` and `-v` of dcb-agentx(8), dcbSocket and dcbView of
		 * dcb-dlmod(8).
		 */
		log_warn("notify", "no dcbd at %s: its objects do not exist until it is back",
			 n->addr.sun_path);
	else
		log_info("notify", "dcbd at %s is back: its objects exist again", n->addr.sun_path);
	n->ops.ended(ended);
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
	/*
	 * Message: The notification is lost, for the reason at the end, which has an explanation of
	 * its own here.
	 */
	log_warn_limited("notify", "notification %s (%s) not sent: %s", name, text, why);
	acknowledge(n);
}

static void send_event(struct notifier *n, int64_t now_ms)
{
	if (now_ms > (int64_t)n->ev.mono_ms + NOTIFIER_AGE_MS) {
		/*
		 * Message "notification %s (%s) not sent: older than 5 minutes": The master was not
		 * connected for a long time. Read the tables for the current state.
		 */
		give_up(n, "older than 5 minutes");
		return;
	}
	switch (n->ops.send(&n->ev, ++n->ticket)) {
	case NOTIFIER_BUSY:
		n->try_later = true;
		break;
	case NOTIFIER_PENDING:
		n->in_flight = true;
		break;
	case NOTIFIER_TAKEN:
		acknowledge(n);
		break;
	}
}

static bool on_event(struct notifier *n, struct octets_in *in)
{
	uint64_t expected = n->seen + 1;

	mo_msg_get_event(in, &n->ev);
	if (in->overrun)
		return false;
	if (n->ev.number > expected)
		/*
		 * Message: More than 512 events occurred while dcb-agentx could not send. Read the
		 * tables for the current state.
		 */
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

void notifier_read(struct notifier *n)
{
	char buf[MO_TEXT_MAX + 1];
	const char *why = NULL;
	uint8_t msg[2048];
	ssize_t len;

	len = recv(n->fd, msg, sizeof(msg), MSG_DONTWAIT | MSG_TRUNC);
	if (len < 0 && errno == ECONNRESET) /* dcbd has closed the connection: its last message */
		len = recv(n->fd, msg, sizeof(msg), MSG_DONTWAIT | MSG_TRUNC);
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
}

/* --- time ---------------------------------------------------------------------------- */

/* Sets the times that other functions could not know. */
static void set_times(struct notifier *n, int64_t now_ms)
{
	if (n->lost)
		n->connect_ms = now_ms + RETRY_MS;
	if (n->try_later)
		n->again_ms = now_ms + RETRY_MS;
	n->waiting |= n->try_later;
	n->lost = n->try_later = false;
}

int64_t notifier_run(struct notifier *n, int64_t now_ms)
{
	int64_t next_ms = INT64_MAX;

	set_times(n, now_ms);
	if (n->fd < 0 && now_ms >= n->connect_ms)
		connect_now(n, now_ms);
	else if (n->fd >= 0 && !n->subscribed && now_ms >= n->answer_ms)
		connection_lost(n, "subscription timed out");
	judge(n, now_ms);
	if (n->waiting && now_ms >= n->again_ms)
		n->waiting = false;
	if (n->has_event && !n->in_flight && n->ready && !n->waiting)
		send_event(n, now_ms);
	watch(n, n->fd >= 0 && !n->has_event);
	set_times(n, now_ms);
	if (n->fd < 0)
		next_ms = n->connect_ms;
	else if (!n->subscribed)
		next_ms = n->answer_ms;
	return n->waiting && n->again_ms < next_ms ? n->again_ms : next_ms;
}

/* --- interface of the sender ------------------------------------------------------------ */

void notifier_resume(struct notifier *n)
{
	n->ready = true;
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
		n->try_later = true;
		return;
	}
	if (result == NOTIFIER_SENT)
		acknowledge(n);
	else
		/*
		 * Message "notification %s (%s) not sent: not confirmed by the master": The master
		 * did not answer three times. Check the load of the host and the master.
		 */
		/*
		 * Message "notification %s (%s) not sent: refused by the master": Check the log of
		 * the master.
		 */
		give_up(n, result == NOTIFIER_REFUSED ? "refused by the master"
						      : "not confirmed by the master");
}

/* --- start and stop --------------------------------------------------------------------- */

struct notifier *notifier_new(const char *socket_path, const char *view_path,
			      const struct notifier_ops *ops)
{
	struct notifier *n;

	if (strlen(socket_path) >= sizeof(n->addr.sun_path) ||
	    (view_path && strlen(view_path) >= sizeof(n->view.sun_path)))
		return NULL;
	n = calloc(1, sizeof(*n));
	if (!n)
		return NULL;
	n->ops = *ops;
	n->fd = -1;
	n->addr.sun_family = AF_UNIX;
	memcpy(n->addr.sun_path, socket_path, strlen(socket_path) + 1);
	if (view_path) {
		n->view.sun_family = AF_UNIX;
		memcpy(n->view.sun_path, view_path, strlen(view_path) + 1);
	}
	n->connect_ms = INT64_MIN;
	return n;
}

void notifier_free(struct notifier *n)
{
	if (n)
		disconnect(n);
	free(n);
}
