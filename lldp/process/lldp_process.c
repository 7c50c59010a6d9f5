/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * States of the process:
 *
 *            spawned            HELLO
 *   WAITING ---------> STARTING ------> RUNNING
 *      ^                   |               |    end of file, invalid message,
 *      |     reaped        v               v    no answer in time
 *      +---------------- ENDING <----------+
 *
 * Time limits of the process are counted in ticks of one timer instead of read from the
 * clock, so that dcbd does not kill it because dcbd itself was stopped or not scheduled.
 */
#include "lldp/process/lldp_process.h"

#include <errno.h>
#include <event2/event.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "lib/log.h"
#include "lldp/process/lldp_requests.h"
#include "lldp/process/lldp_order.h"
#include "lldp/process/lldp_spawn.h"

#define PROGRAM "dcb-lldp"

#define TICK_MS        250
#define START_TICKS    40 /* from its start to HELLO: loading may take long on a busy host */
#define ANSWER_TICKS   3  /* from PING to PONG */
#define BACKOFF_MIN_MS 50
#define BACKOFF_MAX_MS 500
#define FAILING_MS     2000 /* maximum back-off after FAILURES failures in a row */
#define ABSENT_MS      5000 /* between attempts to start a program that cannot be started */
#define LASTING_MS     500  /* a process that lived this long is replaced without back-off */
#define REAP_MS        5    /* between calls of waitpid() */
#define REAP_TRIES     20   /* calls of waitpid() before an ending process is killed */
#define MISMATCH_TICKS 40   /* from a mismatch to a new process, which loads the library again */
/* After this time a process counts as started well, and has removed forgotten TLVs. */
#define SETTLED_MS   10000
#define ACK_EVERY_MS 10 /* limits the rate of events to LLDP_MSG_WINDOW in this time */
#define READS        64 /* messages handled in one callback, so that other events are too */
#define FAILURES     3  /* failures in a row that mean a mismatch */
#define DESTROY_MS   6000
#define LOG_EVERY_MS 10000 /* minimum interval of a log message about an ended process */

enum phase { WAITING, STARTING, RUNNING, ENDING };

struct process {
	struct lldp_client base;
	struct event_base *loop;
	char *program, *socket;
	bool holds; /* new ports: see lldp_client_lldpd() */
	const struct lldp_events *events;
	void *ctx;

	enum phase phase;
	struct lldp_spawned child;
	struct event *readable, *writable; /* of its socket */
	struct event *tick, *ack, *restart, *reap;
	unsigned ticks; /* since its start, or since the unanswered PING */
	unsigned mismatch_ticks;
	unsigned waits;
	bool is_killed; /* dcbd has killed it */
	int64_t started_ms;
	unsigned backoff_ms;
	unsigned failures; /* in a row: the process ended after HELLO, and dcbd did not kill it */
	char why[192];     /* the last logged reason why the program cannot be started */
	struct log_limit killed, ended;

	enum lldp_state state; /* as last reported by events->state */
	struct lldp_order order;
	struct lldp_requests *requests;
	struct lldp_stats before, stats; /* sum of earlier processes; of the current one */
	struct lldp_msg msg;
	uint8_t octets[LLDP_MSG_MAX + 1];
};

static int64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

static void after(struct event *timer, unsigned ms)
{
	const struct timeval tv = {(time_t)(ms / 1000), (suseconds_t)(ms % 1000 * 1000)};

	event_add(timer, &tv);
}

static void set_state(struct process *p, enum lldp_state state)
{
	if (p->state == state)
		return;
	p->state = state;
	p->events->state(p->ctx, state);
}

static void add_stats(struct lldp_stats *sum, const struct lldp_stats *more)
{
	sum->connects += more->connects;
	sum->disconnects += more->disconnects;
	sum->batches += more->batches;
	sum->deferred += more->deferred;
	sum->repairs += more->repairs;
	sum->refused += more->refused;
	sum->failures += more->failures;
}

/* --- the end of a process -------------------------------------------------------------------- */

/* Closes the socket and schedules reaping. Reports LLDP_CONNECTING, as if lldpd were lost. */
static void disconnect(struct process *p)
{
	event_free(p->readable);
	event_free(p->writable);
	p->readable = p->writable = NULL;
	close(p->child.fd);
	event_del(p->tick);
	event_del(p->ack);
	p->phase = ENDING;
	p->is_killed = false;
	p->waits = 0;
	if (p->order.state == LLDP_CONNECTED)
		p->before.disconnects++;
	add_stats(&p->before, &p->stats);
	p->stats = (struct lldp_stats){0};
	after(p->reap, REAP_MS);
	if (p->state == LLDP_CONNECTED)
		set_state(p, LLDP_CONNECTING);
}

static void replace(struct process *p)
{
	kill(p->child.pid, SIGKILL);
	disconnect(p);
	p->is_killed = true;
}

static void kill_process(struct process *p, const char *why)
{
	unsigned suppressed;

	if (log_permitted(&p->killed, LOG_EVERY_MS, &suppressed))
		/*
		 * Message: The process did not answer, sent an invalid message, or ended. dcbd
		 * starts it again. If the message repeats, check that the host is not overloaded
		 * and that dcb-lldp(8) is of the same version as dcbd.
		 */
		log_warn("lldp",
			 PROGRAM
			 " (%d): %s: killed, starting a new process (%u messages suppressed)",
			 (int)p->child.pid, why, suppressed);
	replace(p);
}

static void start_later(struct process *p)
{
	unsigned most = p->failures < FAILURES ? BACKOFF_MAX_MS : FAILING_MS;

	p->phase = WAITING;
	p->backoff_ms = p->backoff_ms == 0         ? BACKOFF_MIN_MS
			: p->backoff_ms * 2 < most ? p->backoff_ms * 2
						   : most;
	after(p->restart, p->backoff_ms);
}

/* FAILURES failures in a row after HELLO are reported as LLDP_MISMATCH: liblldpctl crashes. */
static void count_failure(struct process *p, bool failed)
{
	p->failures = failed && p->order.hello ? p->failures + 1 : 0;
	if (p->failures == FAILURES)
		/* Message: as "lldpd and liblldpctl have different versions: %s" */
		log_error("lldp",
			  PROGRAM
			  " has failed %u times in a row: "
			  "lldpd and liblldpctl may have different versions",
			  p->failures);
	if (p->failures >= FAILURES)
		set_state(p, LLDP_MISMATCH);
}

static void on_reap(evutil_socket_t fd, short what, void *ctx)
{
	struct process *p = ctx;
	char how[96];
	unsigned suppressed;
	bool failed;

	(void)fd;
	(void)what;
	if (!lldp_spawn_ended(p->child.pid, how, sizeof(how), &failed)) {
		if (++p->waits == REAP_TRIES)
			kill(p->child.pid, SIGKILL);
		after(p->reap, REAP_MS);
		return;
	}
	if (!p->is_killed && log_permitted(&p->ended, LOG_EVERY_MS, &suppressed))
		/*
		 * Message: as "dcb-lldp (%d): %s: killed, starting a new process (%u messages
		 * suppressed)"
		 */
		log_warn("lldp", PROGRAM " (%d): %s (%u messages suppressed)", (int)p->child.pid,
			 how, suppressed);
	if (now_ms() - p->started_ms >= LASTING_MS || (p->order.all_reported && !failed))
		p->backoff_ms = 0;
	count_failure(p, failed);
	start_later(p);
}

/* --- messages to the process ----------------------------------------------------------------- */

/* false: its buffer is full, or it has ended, which on_readable() handles. */
static bool send_octets(void *ctx, const uint8_t *msg, size_t len)
{
	const struct process *p = ctx;

	return send(p->child.fd, msg, len, MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)len;
}

static bool send_number(struct process *p, enum lldp_msg_type type, uint32_t number)
{
	const struct lldp_msg m = {.type = type, .number = number};
	uint8_t octets[16];

	return send_octets(p, octets, lldp_msg_encode(&m, octets, sizeof(octets)));
}

static unsigned read_tlvs(void *ctx, const char *ifname, struct lldp_tlv *tlvs, uint32_t *mtu)
{
	const struct process *p = ctx;

	return p->events->tlvs(p->ctx, ifname, tlvs, mtu);
}

static void flush(struct process *p)
{
	if (p->phase != STARTING && p->phase != RUNNING)
		return;
	if (!lldp_requests_flush(p->requests, read_tlvs, send_octets, p))
		event_add(p->writable, NULL);
}

static void on_writable(evutil_socket_t fd, short what, void *ctx)
{
	(void)fd;
	(void)what;
	flush(ctx);
}

static void on_ack(evutil_socket_t fd, short what, void *ctx)
{
	struct process *p = ctx;
	uint32_t n = lldp_order_ack(&p->order);

	(void)fd;
	(void)what;
	if (n == 0 || send_number(p, LLDP_MSG_ACK, n))
		return;
	p->order.unacknowledged = n;
	after(p->ack, ACK_EVERY_MS);
}

/* --- messages from the process --------------------------------------------------------------- */

/* was: state of this process before the message; 0: none. */
static void take_state(struct process *p, enum lldp_state was)
{
	const struct lldp_msg *m = &p->msg;

	if (m->state == LLDP_MISMATCH && p->state != LLDP_MISMATCH)
		/*
		 * Message: The versions of lldpd(8) and liblldpctl do not match. Install the same
		 * version of both, and restart lldpd(8).
		 */
		log_error("lldp", "lldpd and liblldpctl have different versions: %s", m->text);
	/* The first state of a process is connecting: a mismatch before it stays reported. */
	if (was != 0 || m->state != LLDP_CONNECTING || p->state != LLDP_MISMATCH)
		set_state(p, m->state);
}

static void take(struct process *p, enum lldp_state was)
{
	const struct lldp_msg *m = &p->msg;

	switch (m->type) {
	case LLDP_MSG_HELLO:
		log_debug("lldp", PROGRAM " (%d): %s", (int)p->child.pid, m->text);
		p->phase = RUNNING;
		p->ticks = 0;
		p->why[0] = '\0';
		break;
	case LLDP_MSG_PONG:
		p->stats = m->stats;
		break;
	case LLDP_MSG_STATE:
		take_state(p, was);
		break;
	case LLDP_MSG_ALL_REPORTED:
		p->events->all_reported(p->ctx);
		break;
	case LLDP_MSG_REMOTE:
		p->events->remote(p->ctx, &m->remote);
		break;
	default: /* GONE: lldp_order_take() has refused other types */
		p->events->gone(p->ctx, &m->remote);
		break;
	}
}

static void on_readable(evutil_socket_t fd, short what, void *ctx)
{
	struct process *p = ctx;
	enum lldp_state was;
	const char *error;
	ssize_t n;

	(void)what;
	for (int i = 0; i < READS; i++) {
		n = recv(fd, p->octets, sizeof(p->octets), MSG_DONTWAIT);
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			break;
		if (n <= 0) {
			disconnect(p);
			return;
		}
		was = p->order.state;
		error = lldp_msg_decode(p->octets, (size_t)n, LLDP_MSG_FROM_PROCESS, &p->msg);
		if (!error)
			error = lldp_order_take(&p->order, &p->msg);
		if (error) {
			kill_process(p, error);
			return;
		}
		take(p, was);
	}
	if (p->order.unacknowledged > 0 && !event_pending(p->ack, EV_TIMEOUT, NULL))
		after(p->ack, ACK_EVERY_MS);
}

/* --- the start of a process ------------------------------------------------------------------ */

static void on_settled(struct process *p)
{
	p->failures = 0;
	lldp_requests_expire(p->requests, now_ms() - SETTLED_MS);
	/* take_state() did not report it at the start of the process. */
	if (p->order.state == LLDP_CONNECTING)
		set_state(p, LLDP_CONNECTING);
}

static void on_running_tick(struct process *p)
{
	if (now_ms() - p->started_ms > SETTLED_MS)
		on_settled(p);
	p->mismatch_ticks = p->order.state == LLDP_MISMATCH ? p->mismatch_ticks + 1 : 0;
	if (p->mismatch_ticks > MISMATCH_TICKS) {
		replace(p);
	} else if (!p->order.pinged) {
		p->ticks = 0;
		/* A PING that does not fit into the socket's buffer counts as unanswered. */
		(void)send_number(p, LLDP_MSG_PING, lldp_order_ping(&p->order));
	} else if (p->ticks > ANSWER_TICKS) {
		kill_process(p, "does not answer");
	}
}

static void on_tick(evutil_socket_t fd, short what, void *ctx)
{
	struct process *p = ctx;

	(void)fd;
	(void)what;
	p->ticks++;
	if (p->phase == RUNNING)
		on_running_tick(p);
	else if (p->ticks > START_TICKS)
		kill_process(p, "does not start");
}

/* Logs each reason once. */
static void cannot_start(struct process *p, const char *why)
{
	char text[sizeof(p->why)];

	snprintf(text, sizeof(text), "%s", why);
	if (strcmp(text, p->why) != 0)
		/*
		 * Message: The program dcb-lldp(8) is not installed or not executable. dcbd tries
		 * again every five seconds. Install it, set `lldp.program` in dcbd.conf(5), or set
		 * `lldp.enable` to false.
		 */
		log_error("lldp",
			  "%s: cannot be started: %s: DCB TLVs are not sent, neighbors are unknown",
			  p->program, text);
	memcpy(p->why, text, sizeof(text));
	after(p->restart, ABSENT_MS);
}

static bool watch_child(struct process *p)
{
	const struct timeval tick = {TICK_MS / 1000, TICK_MS % 1000 * 1000};

	p->readable = event_new(p->loop, p->child.fd, EV_READ | EV_PERSIST, on_readable, p);
	p->writable = event_new(p->loop, p->child.fd, EV_WRITE, on_writable, p);
	return p->readable && p->writable && event_add(p->readable, NULL) == 0 &&
	       event_add(p->tick, &tick) == 0;
}

static void free_event(struct event *event)
{
	if (event)
		event_free(event);
}

static void on_restart(evutil_socket_t fd, short what, void *ctx)
{
	struct process *p = ctx;
	const char *argv[6] = {p->program, "-l", log_level_name(log_level)};
	size_t argc = 3;

	(void)fd;
	(void)what;
	if (!p->holds)
		argv[argc++] = "-H";
	argv[argc] = p->socket;
	if (!lldp_spawn(argv, &p->child)) {
		cannot_start(p, errno == ENOENT ? "it is not installed" : strerror(errno));
		return;
	}
	p->started_ms = now_ms();
	p->phase = STARTING;
	p->ticks = p->mismatch_ticks = 0;
	p->order = (struct lldp_order){0};
	if (!watch_child(p)) {
		free_event(p->readable);
		free_event(p->writable);
		p->readable = p->writable = NULL;
		close(p->child.fd);
		kill(p->child.pid, SIGKILL);
		p->phase = ENDING;
		after(p->reap, REAP_MS);
		return;
	}
	lldp_requests_resend(p->requests);
	flush(p);
}

/* --- the client ------------------------------------------------------------------------------ */

static void flush_request(struct process *p, const char *ifname, bool ok)
{
	if (ok)
		flush(p);
	else
		/* Message: as "out of memory" */
		log_error("lldp", "%s: out of memory: request to dcb-lldp not sent", ifname);
}

static void process_set(struct lldp_client *base, const char *ifname, const struct lldp_tlv *tlvs,
			size_t n, uint32_t mtu)
{
	struct process *p = (struct process *)base;

	(void)tlvs;
	(void)n;
	(void)mtu;
	flush_request(p, ifname, lldp_requests_set(p->requests, ifname));
}

static void process_refresh(struct lldp_client *base, const char *ifname)
{
	struct process *p = (struct process *)base;

	flush_request(p, ifname, lldp_requests_refresh(p->requests, ifname));
}

static void process_replay(struct lldp_client *base, const char *ifname, bool recent)
{
	struct process *p = (struct process *)base;

	flush_request(p, ifname, lldp_requests_replay(p->requests, ifname, recent));
}

static void process_forget(struct lldp_client *base, const char *ifname)
{
	struct process *p = (struct process *)base;

	flush_request(p, ifname, lldp_requests_forget(p->requests, ifname, now_ms()));
}

static void process_describe(struct lldp_client *base, const struct lldp_system *system)
{
	struct process *p = (struct process *)base;

	lldp_requests_describe(p->requests, system);
	flush(p);
}

static void process_read(const struct lldp_client *base, struct lldp_stats *out)
{
	const struct process *p = (const struct process *)base;

	*out = p->before;
	add_stats(out, &p->stats);
}

/* Sends END, discards messages of the process and waits until it has closed its end. */
static void end_process(struct process *p)
{
	int64_t until = now_ms() + DESTROY_MS, left;
	struct pollfd pfd = {.fd = p->child.fd, .events = POLLIN | POLLOUT};
	ssize_t n;

	while ((left = until - now_ms()) > 0 && poll(&pfd, 1, (int)left) >= 0) {
		if (pfd.revents & POLLOUT && send_number(p, LLDP_MSG_END, 0))
			pfd.events = POLLIN;
		if (!(pfd.revents & (POLLIN | POLLHUP | POLLERR)))
			continue;
		n = recv(p->child.fd, p->octets, sizeof(p->octets), MSG_DONTWAIT);
		if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
			break;
	}
}

/* Reaps the process; kills it if it has not ended after REAP_TRIES calls of waitpid(). */
static void reap_process(struct process *p)
{
	const struct timespec interval = {0, REAP_MS * 1000000};
	char how[96];
	bool failed;

	for (int i = 0; !lldp_spawn_ended(p->child.pid, how, sizeof(how), &failed); i++) {
		if (i == REAP_TRIES)
			kill(p->child.pid, SIGKILL);
		nanosleep(&interval, NULL);
	}
	if (failed)
		/*
		 * Message: The process ended with an error when dcbd ended it, for this reason. If
		 * it is a signal, report it.
		 */
		log_warn("lldp", PROGRAM " (%d): %s", (int)p->child.pid, how);
}

static void process_destroy(struct lldp_client *base)
{
	struct process *p = (struct process *)base;

	if (p->phase == STARTING || p->phase == RUNNING) {
		end_process(p);
		close(p->child.fd);
	}
	if (p->phase != WAITING)
		reap_process(p);
	free_event(p->readable);
	free_event(p->writable);
	free_event(p->tick);
	free_event(p->ack);
	free_event(p->restart);
	free_event(p->reap);
	lldp_requests_free(p->requests);
	free(p->program);
	free(p->socket);
	free(p);
}

static const struct lldp_client_ops process_ops = {
    .set = process_set,
    .refresh = process_refresh,
    .replay = process_replay,
    .forget = process_forget,
    .describe = process_describe,
    .read = process_read,
    .destroy = process_destroy,
};

static char *program_path(const char *program)
{
	char path[PATH_MAX];

	if (program)
		return strdup(program);
	return lldp_spawn_beside(PROGRAM, path, sizeof(path)) ? strdup(path) : NULL;
}

struct lldp_client *lldp_process_new(struct event_base *base, const char *program,
				     const char *socket, bool holds,
				     const struct lldp_events *events, void *ctx)
{
	struct process *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->base.ops = &process_ops;
	p->loop = base;
	p->events = events;
	p->ctx = ctx;
	p->holds = holds;
	p->phase = WAITING;
	p->state = LLDP_CONNECTING;
	p->program = program_path(program);
	p->socket = strdup(socket);
	p->requests = lldp_requests_new();
	p->tick = event_new(base, -1, EV_PERSIST, on_tick, p);
	p->ack = event_new(base, -1, 0, on_ack, p);
	p->restart = event_new(base, -1, 0, on_restart, p);
	p->reap = event_new(base, -1, 0, on_reap, p);
	if (!p->program || !p->socket || !p->requests || !p->tick || !p->ack || !p->restart ||
	    !p->reap) {
		process_destroy(&p->base);
		return NULL;
	}
	event_active(p->restart, EV_TIMEOUT, 0);
	return &p->base;
}
