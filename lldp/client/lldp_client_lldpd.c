/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Connection to lldpd, and its neighbors.
 *
 *   c->watch:  connect - subscribe ........ notifications ........
 *   c->main:              connect - check - list - get, get, get - all_reported() - service
 *
 * The client subscribes first, so that it misses no change. It requests a port again if
 * a notification about it came while the request was pending, as the answer may be older.
 */
#include <errno.h>
#include <event2/event.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <time.h>
#include <unistd.h>

#include "lib/log.h"
#include "lldp/client/lldp_client_lldpd.h"

#define BACKOFF_MIN_MS 50
#define BACKOFF_MAX_MS 1000
/*
 * While inotify reports a new socket. inotify does not notice another directory of the same name:
 * a file system that is mounted over the directory.
 */
#define BACKOFF_WATCHED_MS 60000
/* From lldpd's bind() of its socket to its listen(). */
#define APPEARED_MS 5
/* After a connection that lasted this long the back-off starts anew. */
#define LASTING_MS 2000
/* Requests for one port, if notifications about it keep coming during a request. */
#define SNAPSHOT_TRIES 4
/* Between attempts to describe the system: lldpd is paused while it reads its configuration. */
#define DESCRIBE_EVERY_MS 200
/* Time limits of client_destroy(): for an answer, and for the removal of all TLVs. */
#define DESTROY_ANSWER_MS 500
#define DESTROY_MS        5000

int64_t client_now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

static struct timeval after_ms(int64_t ms)
{
	return (struct timeval){(time_t)(ms / 1000), (suseconds_t)(ms % 1000 * 1000)};
}

void client_schedule(struct client *c)
{
	event_active(c->tick, EV_TIMEOUT, 0);
}

static void set_state(struct client *c, enum lldp_state state)
{
	if (c->state == state)
		return;
	c->state = state;
	if (!c->closing)
		c->events->state(c->ctx, state);
}

/* --- neighbors ------------------------------------------------------------------------------ */

static void schedule_transmit(struct client *c, const char *ifname)
{
	if (!service_neighbor(c, ifname))
		return;
	c->transmit_pending = true;
	client_schedule(c);
}

static void report(struct client *c, const struct lldp_remote *remote)
{
	enum cache_result result = cache_update(&c->cache, remote, client_now_ms());

	if (result == CACHE_SAME)
		return;
	c->events->remote(c->ctx, remote);
	/* A neighbor that is new or has restarted does not have our LLDPDU. */
	if (result == CACHE_NEW || result == CACHE_FEWER_TLVS)
		schedule_transmit(c, remote->ifname);
}

static void on_change(void *ctx, enum conn_change change, const struct lldp_remote *remote)
{
	struct client *c = ctx;

	if (c->at_name < c->n_names && strcmp(c->names[c->at_name], remote->ifname) == 0)
		c->port_changed = true;
	if (c->state != LLDP_CONNECTED || c->closing)
		return; /* the first report will include the change */
	/* A shutdown LLDPDU is an update with a time to live of 0, and then a deletion. */
	if (change != CONN_DELETED && remote->ttl > 0) {
		report(c, remote);
	} else if (cache_remove(&c->cache, remote)) {
		struct lldp_remote gone = {.chassis = remote->chassis, .port = remote->port};

		snprintf(gone.ifname, sizeof(gone.ifname), "%s", remote->ifname);
		c->events->gone(c->ctx, &gone);
	}
}

static void on_found(void *ctx, const struct lldp_remote *remote)
{
	struct client *c = ctx;

	if (remote->ttl == 0 || (c->port_changed && cache_has(c->cache, remote)))
		return;
	report(c, remote);
}

/*
 * Reports the connection when the first port has been read: its struct is the last whose
 * layout is checked, see lldp_client_conn_socket.c.
 */
static void connected(struct client *c)
{
	if (c->state == LLDP_CONNECTED)
		return;
	log_info("lldp", "%s: connected", c->socket);
	c->up_ms = client_now_ms();
	c->why[0] = '\0';
	c->stats.connects++;
	set_state(c, LLDP_CONNECTED);
}

static void snapshot_next(struct client *c);

static void snapshot_relisted(struct client *c, enum conn_answer answer)
{
	(void)answer;
	snapshot_next(c);
}

static void snapshot_got(struct client *c, enum conn_answer answer)
{
	if (answer == CONN_REFUSED) {
		/* The interface is gone, and the list with it. */
		c->at_name++;
		c->tries = 0;
		c->on_answer = snapshot_relisted;
		conn_list(c->main);
		return;
	}
	if (c->port_changed && ++c->tries < SNAPSHOT_TRIES) {
		snapshot_next(c);
		return;
	}
	connected(c);
	conn_neighbors(c->main, on_found, c);
	c->at_name++;
	c->tries = 0;
	snapshot_next(c);
}

static void snapshot_next(struct client *c)
{
	while (c->at_name < c->n_names && !conn_knows(c->main, c->names[c->at_name]))
		c->at_name++;
	if (c->at_name < c->n_names) {
		c->port_changed = false;
		c->on_answer = snapshot_got;
		conn_get(c->main, c->names[c->at_name]);
		return;
	}
	free(c->names);
	c->names = NULL;
	c->n_names = c->at_name = 0;
	c->all_reported = true;
	connected(c);
	c->events->all_reported(c->ctx);
	client_schedule(c);
}

static void snapshot(struct client *c, enum conn_answer answer)
{
	size_t n = conn_names(c->main, NULL, 0);

	if (answer != CONN_DONE) {
		client_lost(c, conn_why(c->main));
		return;
	}
	c->listed_ms = client_now_ms();
	c->names = calloc(n ? n : 1, sizeof(*c->names));
	if (!c->names) {
		client_lost(c, "out of memory");
		return;
	}
	c->n_names = conn_names(c->main, c->names, n);
	c->at_name = 0;
	c->tries = 0;
	snapshot_next(c);
}

static void client_replay(struct lldp_client *base, const char *ifname, bool recent)
{
	struct client *c = (struct client *)base;
	struct replay *r = calloc(1, sizeof(*r));

	if (!r) {
		/* Message: as "out of memory" */
		log_error("lldp", "%s: out of memory", ifname);
		return;
	}
	snprintf(r->ifname, sizeof(r->ifname), "%s", ifname);
	r->since_ms = recent ? client_now_ms() - REPLAY_RECENT_MS : 0;
	r->next = c->replays;
	c->replays = r;
	client_schedule(c);
}

static void replay_neighbors(struct client *c, bool deliver)
{
	struct replay *r;

	while ((r = c->replays)) {
		c->replays = r->next;
		if (deliver)
			cache_each(c->cache, r->ifname, r->since_ms, c->events->remote, c->ctx);
		free(r);
	}
}

/* --- connection ------------------------------------------------------------------------------ */

static void close_conns(struct client *c)
{
	conn_close(c->watch);
	conn_close(c->main);
	c->watch = c->main = NULL;
	for (size_t i = 0; i < EXTRA_CONNS; i++) {
		conn_close(c->extra[i].conn);
		c->extra[i].conn = NULL;
	}
	c->on_answer = NULL;
	free(c->names);
	c->names = NULL;
	c->n_names = c->at_name = 0;
	c->all_reported = false;
}

static bool has_mismatch(const struct client *c)
{
	bool mismatch = conn_mismatch(c->watch) || conn_mismatch(c->main);

	for (size_t i = 0; i < EXTRA_CONNS; i++)
		mismatch = mismatch || conn_mismatch(c->extra[i].conn);
	return mismatch;
}

/* Without a listener, attempts are useless until there is a new socket. */
static unsigned longest_backoff(const struct client *c)
{
	bool has_listener = c->connect_error != ENOENT && c->connect_error != ECONNREFUSED;

	return c->watch_wd >= 0 && !has_listener ? BACKOFF_WATCHED_MS : BACKOFF_MAX_MS;
}

void client_lost(struct client *c, const char *why)
{
	unsigned longest = longest_backoff(c);
	struct timeval after;
	char reason[sizeof(c->why)];
	bool mismatch = has_mismatch(c);

	snprintf(reason, sizeof(reason), "%s", why); /* why points into the connection */
	close_conns(c);
	service_reset(c);
	cache_clear(&c->cache);
	if (c->closing)
		return;
	if (c->state == LLDP_CONNECTED) {
		/*
		 * Message: The connection to lldpd(8) ended for this reason. If the message
		 * repeats, check the log of lldpd(8).
		 */
		log_warn("lldp", "%s: connection lost: %s; reconnecting", c->socket, reason);
		c->stats.disconnects++;
		if (client_now_ms() - c->up_ms >= LASTING_MS)
			c->backoff_ms = 0;
	} else if (strcmp(c->why, reason) != 0) {
		/*
		 * Message: The connection to lldpd(8) on this socket failed. It is tried again
		 * until it succeeds: at once when there is a new socket, else at intervals that
		 * grow to one second, or to one minute while no process listens on the socket. With
		 * `No such file or directory` or `Connection refused`, lldpd(8) does not run, or
		 * has another socket: start it, or set `lldp.socket` in dcbd.conf(5). With
		 * `Permission denied`, the user of dcbd(8) is not a member of the group of the
		 * socket: set `lldp.group`, or add the user to the group. With `messages of lldpd
		 * do not have the layout of`, the versions of lldpd(8) and liblldpctl do not match:
		 * install the same version of both, and restart lldpd(8). With `lldpd does not
		 * answer`, lldpd(8) is overloaded or blocked: restart it if the message remains.
		 */
		log_warn("lldp", "%s: not connected: %s; retrying", c->socket, reason);
	}
	snprintf(c->why, sizeof(c->why), "%s", reason);
	c->connect_error = 0;
	c->backoff_ms = c->backoff_ms == 0            ? BACKOFF_MIN_MS
			: c->backoff_ms * 2 < longest ? c->backoff_ms * 2
						      : longest;
	after = after_ms(c->backoff_ms);
	event_add(c->retry, &after);
	set_state(c, mismatch ? LLDP_MISMATCH : LLDP_CONNECTING);
}

static void on_main_answer(void *ctx, enum conn_answer answer)
{
	struct client *c = ctx;
	client_answer_fn on_answer = c->on_answer;

	if (answer == CONN_LOST) {
		client_lost(c, conn_why(c->main));
		return;
	}
	c->on_answer = NULL;
	on_answer(c, answer);
}

static void describe(struct client *c, client_answer_fn on_answer)
{
	c->described = c->system;
	c->on_answer = on_answer;
	conn_describe(c->main, &c->system);
}

/* Another description has come meanwhile, or it is to be tried again as lldpd is paused. */
static void note_described(struct client *c)
{
	bool is_other = memcmp(&c->described, &c->system, sizeof(c->system)) != 0;
	bool again = conn_is_paused(c->main) && !c->closing;

	c->describe = is_other || again;
	c->describe_ms = is_other ? 0 : client_now_ms() + DESCRIBE_EVERY_MS;
}

static void list(struct client *c, enum conn_answer answer)
{
	if (answer != CONN_DONE) {
		client_lost(c, conn_why(c->main));
		return;
	}
	c->on_answer = snapshot;
	conn_list(c->main);
}

static void first_described(struct client *c, enum conn_answer answer)
{
	if (answer == CONN_DONE)
		note_described(c);
	list(c, answer);
}

/* The description comes before the TLVs, whose change makes lldpd transmit. */
static void checked(struct client *c, enum conn_answer answer)
{
	if (answer == CONN_DONE && c->system.bridge)
		describe(c, first_described);
	else
		list(c, answer);
}

static const struct conn_ops main_ops = {.answer = on_main_answer};

static void on_watch_answer(void *ctx, enum conn_answer answer)
{
	struct client *c = ctx;

	if (answer != CONN_DONE) {
		client_lost(c, conn_why(c->watch));
		return;
	}
	c->main = conn_open(c->loop, c->socket, &main_ops, c);
	if (!c->main) {
		c->connect_error = errno;
		client_lost(c, strerror(errno));
		return;
	}
	c->on_answer = checked;
	conn_check(c->main);
}

static const struct conn_ops watch_ops = {.answer = on_watch_answer, .change = on_change};

/* Watches the directory of lldpd's socket, unless it is watched. */
static void watch_directory(struct client *c)
{
	char path[PATH_MAX];

	if (!c->appears || c->watch_wd >= 0)
		return;
	snprintf(path, sizeof(path), "%s", c->socket);
	c->watch_wd = inotify_add_watch(c->watch_fd, dirname(path),
					IN_CREATE | IN_MOVED_TO | IN_ATTRIB | IN_MOVE_SELF);
}

static void on_retry(evutil_socket_t fd, short what, void *ctx)
{
	struct client *c = ctx;

	(void)fd;
	(void)what;
	watch_directory(c); /* before the attempt: a socket that is made after it is noticed */
	c->watch = conn_open(c->loop, c->socket, &watch_ops, c);
	if (c->watch) {
		conn_watch(c->watch);
		return;
	}
	c->connect_error = errno;
	client_lost(c, strerror(errno));
}

/* Returns whether the directory was removed or renamed: another of its name is not watched. */
static bool directory_is_gone(struct client *c, const struct inotify_event *event)
{
	if (event->wd != c->watch_wd || !(event->mask & (IN_IGNORED | IN_MOVE_SELF)))
		return false;
	if (event->mask & IN_MOVE_SELF)
		(void)inotify_rm_watch(c->watch_fd, event->wd);
	c->watch_wd = -1;
	return true;
}

/* Returns whether one of the inotify events can be about the file of this name. */
static bool concerns(struct client *c, const char *buf, ssize_t len, const char *name)
{
	bool any = false;

	for (ssize_t at = 0; at < len;) {
		const struct inotify_event *event = (const struct inotify_event *)(buf + at);

		any = directory_is_gone(c, event) || any || event->mask & IN_Q_OVERFLOW ||
		      (event->len && strcmp(event->name, name) == 0);
		at += (ssize_t)(sizeof(*event) + event->len);
	}
	return any;
}

/* Something changed in the socket's directory, or the directory itself. */
static void on_appears(evutil_socket_t fd, short what, void *ctx)
{
	const struct timeval soon = {0, APPEARED_MS * 1000};
	_Alignas(struct inotify_event) char buf[4096];
	const char *slash;
	struct client *c = ctx;
	bool appeared = false;
	ssize_t n;

	(void)what;
	slash = strrchr(c->socket, '/');
	while ((n = read(fd, buf, sizeof(buf))) > 0)
		appeared = concerns(c, buf, n, slash ? slash + 1 : c->socket) || appeared;
	if (!appeared || c->watch || c->closing)
		return;
	c->backoff_ms = 0;
	event_add(c->retry, &soon);
}

/* Prepares to watch for lldpd's socket. If that fails, attempts are frequent. */
static void await_socket(struct client *c)
{
	c->watch_fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	if (c->watch_fd < 0)
		return;
	c->appears = event_new(c->loop, c->watch_fd, EV_READ | EV_PERSIST, on_appears, c);
	if (!c->appears || event_add(c->appears, NULL) == 0)
		return;
	event_free(c->appears);
	c->appears = NULL;
}

/* --- due requests ---------------------------------------------------------------------------- */

static void transmitted(struct client *c, enum conn_answer answer)
{
	(void)answer;
	client_schedule(c);
}

static void redescribed(struct client *c, enum conn_answer answer)
{
	c->describe = false;
	if (answer == CONN_DONE)
		note_described(c);
	client_schedule(c);
}

void client_run(struct client *c)
{
	int64_t now = client_now_ms(), next, due;
	struct timeval after;

	if (!c->all_reported || c->on_answer || c->serving)
		return;
	if (c->describe && c->describe_ms <= now) {
		describe(c, redescribed);
		return;
	}
	next = c->transmitted_ms + TRANSMIT_EVERY_MS;
	if (c->transmit_pending && next <= now && !c->closing) {
		c->transmit_pending = false;
		c->transmitted_ms = now;
		c->on_answer = transmitted;
		conn_transmit(c->main);
		return;
	}
	if (!c->transmit_pending)
		next = INT64_MAX;
	do {
		due = service_run(c, now);
		if (c->on_answer)
			return;
	} while (due <= now);
	next = due < next ? due : next;
	if (c->describe && c->describe_ms < next)
		next = c->describe_ms;
	if (next == INT64_MAX) {
		event_del(c->tick);
		return;
	}
	after = after_ms(next - now);
	event_add(c->tick, &after);
}

static void on_tick(evutil_socket_t fd, short what, void *ctx)
{
	(void)fd;
	(void)what;
	replay_neighbors(ctx, true);
	client_run(ctx);
}

/* --- the client ------------------------------------------------------------------------------ */

static void client_describe(struct lldp_client *base, const struct lldp_system *system)
{
	struct client *c = (struct client *)base;

	c->system = *system;
	c->describe = true;
	c->describe_ms = 0;
	client_schedule(c);
}

static void client_read(const struct lldp_client *base, struct lldp_stats *out)
{
	*out = ((const struct client *)base)->stats;
}

/* Removes all TLVs and the description. The loop does not run any more. */
static void drain(struct client *c)
{
	int64_t end = client_now_ms() + DESTROY_MS;
	struct desired_tlvs *d, *next;

	for (d = c->desired; d; d = next) {
		next = d->hh.next;
		d->forgotten = d->changed = true;
		d->due_ms = 0;
	}
	c->describe = c->system.bridge;
	c->describe_ms = 0;
	c->system.bridge = false;
	while (c->all_reported && (c->desired || c->serving || c->describe || c->on_answer)) {
		struct conn *conns[1 + EXTRA_CONNS];
		int64_t left = end - client_now_ms();

		client_run(c);
		conns[0] = c->main;
		for (size_t i = 0; i < EXTRA_CONNS; i++)
			conns[1 + i] = c->extra[i].conn;
		if (left > DESTROY_ANSWER_MS)
			left = DESTROY_ANSWER_MS;
		if (left <= 0 || !conn_poll(conns, 1 + EXTRA_CONNS, (unsigned)left))
			break;
	}
}

static void client_destroy(struct lldp_client *base)
{
	struct client *c = (struct client *)base;

	c->closing = true;
	if (c->tick && c->retry)
		drain(c);
	close_conns(c);
	service_free(c);
	cache_clear(&c->cache);
	replay_neighbors(c, false);
	if (c->retry)
		event_free(c->retry);
	if (c->tick)
		event_free(c->tick);
	if (c->appears)
		event_free(c->appears);
	if (c->watch_fd >= 0)
		close(c->watch_fd);
	sendv_free(c->sendv);
	free(c->socket);
	free(c);
}

const char *lldp_client_lldpd_why(const struct lldp_client *c)
{
	return ((const struct client *)c)->why;
}

const char *lldp_client_lldpd_library(void)
{
	return conn_library();
}

static const struct lldp_client_ops client_ops = {
    .set = service_set,
    .refresh = service_refresh,
    .replay = client_replay,
    .forget = service_forget,
    .describe = client_describe,
    .read = client_read,
    .destroy = client_destroy,
};

struct lldp_client *lldp_client_lldpd(struct event_base *base, const char *socket,
				      const struct lldp_events *events, void *ctx)
{
	struct client *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->base.ops = &client_ops;
	c->loop = base;
	c->events = events;
	c->ctx = ctx;
	c->state = LLDP_CONNECTING;
	c->watch_fd = c->watch_wd = -1;
	c->transmitted_ms = -TRANSMIT_EVERY_MS;
	for (size_t i = 0; i < EXTRA_CONNS; i++)
		c->extra[i].c = c;
	c->socket = strdup(socket);
	c->sendv = sendv_new();
	c->retry = event_new(base, -1, 0, on_retry, c);
	c->tick = event_new(base, -1, 0, on_tick, c);
	if (!c->socket || !c->retry || !c->tick) {
		client_destroy(&c->base);
		return NULL;
	}
	await_socket(c);
	event_active(c->retry, EV_TIMEOUT, 0);
	return &c->base;
}
