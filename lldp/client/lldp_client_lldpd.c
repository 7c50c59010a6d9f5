/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Connection to lldpd, its neighbors, and the TLVs of the interfaces.
 *
 *   c->watch:  connect - subscribe ........ notifications ........
 *   c->main:              connect - check - list - get, get, get - all_reported() - serve_next()
 *
 * The client subscribes first, so that it misses no change. It requests a port again if
 * a notification about it came while the request was pending, as the answer may be older.
 *
 * After that it serves one port at a time: reads its TLVs in lldpd, plans the steps to the desired
 * TLVs, takes the steps, and polls the port again some seconds later.
 *
 * lldpd handles one request of each connection, then goes through all its interfaces and
 * sends an LLDPDU on each that has changed. So that a change of several TLVs costs one
 * LLDPDU, each step has a connection of its own. The main connection sends a request that
 * changes nothing but makes lldpd go through its interfaces. When lldpd has read it, the
 * steps are written by one system call, and lldpd finds all of them when it is done with
 * the interfaces. If lldpd is done before they are written, the change costs a second
 * LLDPDU.
 *
 * The alternative, to disable transmission on the port during the change, would leave the
 * port silent if this process ended in between. Of a new port, which lldpd makes with transmission
 * disabled and a mark (lldp_client_desired.h), there is no other way to be first; the default port
 * is served as an interface without name.
 */
#include "lldp/client/lldp_client_lldpd.h"

#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <time.h>
#include <unistd.h>

#include <event2/event.h>

#include "lib/log.h"

/* Interval at which a port is polled: one with its desired TLVs; one that came or went. */
#define POLL_MS      5000
#define POLL_EACH_MS 20 /* POLL_MS is at least this for each port, which limits the load */
#define FAST_POLL_MS 200
/*
 * lldpd knows a new name of an interface some 30 ms after the kernel: the first polls for an
 * interface that it does not know yet are closer, so that neighbors do not wait.
 */
#define UNKNOWN_POLL_MS 20
/* For an interface without TLVs: it can be one that lldpd does not manage. */
#define UNKNOWN_OTHER_POLL_MS 500
/* How long dcbd may take to request TLVs on a new interface of which it has said nothing. */
#define OPEN_AFTER_MS 2000
/* How long it is polled fast: lldpd handles a netlink message up to a second later. */
#define FAST_POLL_FOR_MS 3000
/* Minimum interval of requests to transmit, which make lldpd send on all its ports. */
#define TRANSMIT_EVERY_MS 1000

/*
 * Age limit of neighbors in a replay of recent ones. lldpd handles a netlink message about
 * an interface up to a second later, so that older ones are of an earlier interface.
 */
#define REPLAY_RECENT_MS 2000

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
/*
 * After a description that has set something, until lldpd is asked whether it has it still: another
 * program, such as lldpcli, sets all of the configuration as it had read it before.
 */
#define DESCRIBED_MS 1000
/* Time limits of client_destroy(): for an answer, and for the removal of all TLVs. */
#define DESTROY_ANSWER_MS 500
#define DESTROY_MS        5000

/* --- time and state ------------------------------------------------------------------------- */

static int64_t client_now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

static struct timeval after_ms(int64_t ms)
{
	return (struct timeval){(time_t)(ms / 1000), (suseconds_t)(ms % 1000 * 1000)};
}

/* Makes client_run() run in the next iteration of the loop. */
static void client_schedule(struct client *c)
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

/* --- TLVs that the interfaces should have --------------------------------------------------- */

static struct client *client_of(struct lldp_client *base)
{
	return (struct client *)base;
}

/* Makes the port due, after the ports that have been due for longer. */
static void schedule(struct client *c, struct desired_tlvs *d)
{
	int64_t now = client_now_ms();

	if (!d->deferred && d->due_ms > now)
		d->due_ms = now;
	client_schedule(c);
}

static void client_set(struct lldp_client *base, const char *ifname, const struct lldp_tlv *tlvs,
		       size_t n, uint32_t mtu)
{
	struct client *c = client_of(base);
	struct desired_tlvs *d = desired_at(&c->desired, ifname, client_now_ms());

	if (!d || !desired_request(d, tlvs, n, mtu)) {
		/* Message: as "out of memory" */
		log_error("lldp", "%s: out of memory", ifname);
		return;
	}
	if (d->changed)
		schedule(c, d);
}

static void fast_poll(struct client *c, struct desired_tlvs *d)
{
	d->fast_poll_until_ms = client_now_ms() + FAST_POLL_FOR_MS;
	schedule(c, d);
}

/*
 * dcbd has requested all TLVs that it wants on the interface, or wants none: a mark on its port
 * goes.
 */
static void client_refresh(struct lldp_client *base, const char *ifname)
{
	struct client *c = client_of(base);
	struct desired_tlvs *d = c->holds && c->all_reported
				     ? desired_at(&c->desired, ifname, client_now_ms())
				     : desired_find(c->desired, ifname);

	if (!d)
		return; /* snapshot_got() or note_names() finds a mark */
	d->opens_ms = 0;
	fast_poll(c, d);
}

/* The interface is new, or has a mark. */
static void note_new(struct client *c, const char *ifname)
{
	int64_t now = client_now_ms();
	struct desired_tlvs *d = desired_find(c->desired, ifname);

	if (d)
		return;
	d = desired_at(&c->desired, ifname, now);
	if (d && !c->closing)
		d->opens_ms = d->due_ms = now + OPEN_AFTER_MS;
}

static void client_forget(struct lldp_client *base, const char *ifname)
{
	struct client *c = client_of(base);
	struct desired_tlvs *d = desired_find(c->desired, ifname);

	if (!d)
		return;
	d->forgotten = true;
	d->changed = true;
	d->opens_ms = client_now_ms() + OPEN_AFTER_MS;
	fast_poll(c, d);
}

/* Forgets lldpd's TLVs after a lost connection: all ports are due. */
static void reset_ports(struct client *c)
{
	struct desired_tlvs *d, *next;

	for (d = c->desired; d; d = next) {
		next = d->hh.next;
		d->synced = false;
		d->due_ms = 0;
		d->unknown_ms = 0;
		d->kept = 0;
	}
	free(c->plan.steps);
	c->plan = (struct desired_plan){0};
	c->serving = NULL;
	c->pending = 0;
	c->stepping = false;
}

static void free_ports(struct client *c)
{
	struct desired_tlvs *d, *next;

	for (d = c->desired; d; d = next) {
		next = d->hh.next;
		desired_free(&c->desired, d);
	}
	free(c->plan.steps);
}

/* A neighbor is new. true: dcbd sets TLVs on the interface, so lldpd should transmit now. */
static bool note_neighbor(struct client *c, const char *ifname)
{
	struct desired_tlvs *d = desired_find(c->desired, ifname);

	if (!d)
		return false;
	schedule(c, d); /* lldpd may have recreated the port and lost its TLVs */
	return !d->forgotten;
}

/* --- end of a connection -------------------------------------------------------------------- */

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
	c->all_reported = c->looks_for_new = false;
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

/* Closes all connections, schedules a reconnection and reports the state. */
static void client_lost(struct client *c, const char *why)
{
	unsigned longest = longest_backoff(c);
	struct timeval after;
	char reason[sizeof(c->why)];
	bool mismatch = has_mismatch(c);

	snprintf(reason, sizeof(reason), "%s", why); /* why points into the connection */
	close_conns(c);
	reset_ports(c);
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

/* --- neighbors ------------------------------------------------------------------------------ */

static void schedule_transmit(struct client *c, const char *ifname)
{
	if (!note_neighbor(c, ifname))
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
	struct conn_port port;

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
	if (conn_port(c->main, &port)) {
		if (desired_has_mark(&port))
			note_new(c, c->names[c->at_name]);
		free(port.tlvs);
	}
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

/* --- connection ----------------------------------------------------------------------------- */

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

/*
 * Another description has come meanwhile, or it is to be tried again as lldpd is paused, or to be
 * confirmed.
 */
static void note_described(struct client *c)
{
	bool is_other = memcmp(&c->described, &c->system, sizeof(c->system)) != 0;
	bool is_paused = conn_is_paused(c->main);
	bool again = (is_paused || conn_has_set(c->main)) && !c->closing;

	c->describe = is_other || again;
	c->describe_ms =
	    is_other ? 0 : client_now_ms() + (is_paused ? DESCRIBE_EVERY_MS : DESCRIBED_MS);
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

/* --- end of serving a port ------------------------------------------------------------------ */

/* Ends serving the port, which is due again in retry_ms. */
static void finish(struct client *c, int64_t retry_ms)
{
	struct desired_tlvs *d = c->serving;

	free(c->plan.steps);
	c->plan = (struct desired_plan){0};
	c->serving = NULL;
	d->due_ms = client_now_ms() + retry_ms;
	client_schedule(c);
}

/* Until the next poll for an interface that lldpd has not known for so long. */
static int64_t unknown_poll_ms(const struct desired_tlvs *d, int64_t unknown_for_ms)
{
	int64_t ms = unknown_for_ms / 4;

	if (d->forgotten)
		return UNKNOWN_OTHER_POLL_MS;
	return ms < UNKNOWN_POLL_MS ? UNKNOWN_POLL_MS : ms < FAST_POLL_MS ? ms : FAST_POLL_MS;
}

/* lldpd does not have the interface, or not yet. */
static void finish_unknown(struct client *c, struct desired_tlvs *d)
{
	int64_t now = client_now_ms();

	d->synced = false;
	if (!d->unknown_ms)
		d->unknown_ms = now;
	if (!d->forgotten && !d->unknown_logged && now - d->unknown_ms >= FAST_POLL_FOR_MS) {
		d->unknown_logged = true;
		/*
		 * Message: lldpd(8) does not manage the interface. Check its option `-I` and its
		 * configuration `system interface pattern`.
		 */
		log_warn("lldp", "%s: lldpd does not know the interface: DCB TLVs are not sent",
			 d->ifname);
	}
	d->due_ms = now + (d->fast_poll_until_ms > now || now - d->unknown_ms < FAST_POLL_FOR_MS
			       ? unknown_poll_ms(d, now - d->unknown_ms)
			       : POLL_MS);
	if (c->serving == d)
		finish(c, d->due_ms - now);
	if (d->forgotten && (c->closing || d->fast_poll_until_ms <= now))
		desired_free(&c->desired, d);
}

/* Poll interval of a port: longer with many ports, to limit lldpd's load. */
static int64_t poll_ms(const struct client *c)
{
	int64_t each = (int64_t)HASH_COUNT(c->desired) * POLL_EACH_MS;

	return each > POLL_MS ? each : POLL_MS;
}

static void finish_synced(struct client *c)
{
	struct desired_tlvs *d = c->serving;
	int64_t now = client_now_ms();
	bool is_fast = d->fast_poll_until_ms > now;

	d->synced = true;
	if (!*d->ifname)
		c->looks_for_new = true;
	if (d->waits && !d->changed) {
		finish(c, d->opens_ms - now);
		return;
	}
	if (d->forgotten && !d->changed) {
		finish(c, 0);
		desired_free(&c->desired, d);
		return;
	}
	finish(c, d->changed ? 0 : is_fast ? FAST_POLL_MS : poll_ms(c));
}

/* --- steps ---------------------------------------------------------------------------------- */

static void take_steps(struct client *c);

/* Handles the answer to a step. */
static void step_answered(struct client *c, enum conn_answer answer)
{
	if (answer == CONN_REFUSED) {
		c->refused = true;
		c->stats.failures++;
	}
	if (--c->pending > 0)
		return;
	c->stepping = false;
	if (c->refused)
		finish_unknown(c, c->serving);
	else if (c->plan_at < c->plan.n)
		take_steps(c);
	else
		finish_synced(c);
}

static size_t ready_conns(const struct client *c)
{
	size_t n = 0;

	while (n < EXTRA_CONNS && c->extra[n].ready)
		n++;
	return n;
}

/* Returns the number of steps, from the next one on, whose order does not matter. */
static size_t steps_together(const struct client *c)
{
	size_t n = 0;

	while (c->plan_at + n < c->plan.n && !c->plan.steps[c->plan_at + n].alone)
		n++;
	return n;
}

/* Takes as many steps of the plan as there are connections. */
static void take_steps(struct client *c)
{
	size_t conns = ready_conns(c), left = steps_together(c);
	const struct desired_step *step = &c->plan.steps[c->plan_at];
	struct conn *extra[EXTRA_CONNS];

	c->refused = false;
	c->stepping = true;
	c->on_answer = step_answered;
	/* A marked port transmits after the last step. */
	if (!c->serving->marked || c->plan_at + 1 == c->plan.n)
		c->stats.batches++;
	if (left <= 1 || conns == 0) {
		c->pending = 1;
		c->plan_at++;
		conn_prepare(c->main, step->op, &step->tlv);
		conn_set(NULL, &c->main, 1);
		return;
	}
	if (left > conns)
		left = conns;
	c->pending = 1 + (unsigned)left;
	c->plan_at += left;
	conn_prepare(c->main, CONN_REMOVE, &c->absent);
	for (size_t i = 0; i < left; i++) {
		extra[i] = c->extra[i].conn;
		conn_prepare(extra[i], step[i].op, &step[i].tlv);
	}
	conn_set(NULL, &c->main, 1);
	conn_await_read(c->main);
	conn_set(c->sendv, extra, left);
}

static void extra_ready(struct client *c)
{
	if (--c->pending > 0)
		return;
	take_steps(c);
}

static void extra_get(struct extra *e)
{
	if (e->listed && conn_knows(e->conn, e->c->serving->ifname)) {
		conn_get(e->conn, e->c->serving->ifname);
	} else {
		e->listed = false;
		conn_list(e->conn);
	}
}

/* Handles the answer of an extra connection: to conn_list(), conn_get() or a step. */
static void on_extra_answer(void *ctx, enum conn_answer answer)
{
	struct extra *e = ctx;
	struct client *c = e->c;

	if (answer == CONN_LOST) {
		client_lost(c, conn_why(e->conn));
		return;
	}
	if (answer == CONN_REFUSED)
		e->listed = false;
	if (c->stepping) {
		step_answered(c, answer);
		return;
	}
	if (answer == CONN_DONE && !e->listed) {
		e->listed = true;
		if (conn_knows(e->conn, c->serving->ifname)) {
			extra_get(e);
			return;
		}
	} else {
		e->ready = answer == CONN_DONE;
	}
	extra_ready(c);
}

static const struct conn_ops extra_ops = {.answer = on_extra_answer};

/* For several steps: each extra connection has to get the port first. */
static void prepare_extra(struct client *c)
{
	size_t n, n_conns;

	c->plan_at = 0;
	n = steps_together(c);
	n_conns = n < EXTRA_CONNS ? n : EXTRA_CONNS;
	c->pending = 1; /* this function */
	for (size_t i = 0; i < EXTRA_CONNS; i++) {
		struct extra *e = &c->extra[i];

		e->ready = false;
		if (n < 2 || i >= n_conns)
			continue;
		if (!e->conn) {
			e->listed = false;
			e->conn = conn_open(c->loop, c->socket, &extra_ops, e);
		}
		if (!e->conn)
			break; /* lldpd's backlog is full: use fewer connections */
		c->pending++;
		extra_get(e);
	}
	extra_ready(c);
}

/* --- serving a port ------------------------------------------------------------------------- */

static void check_fit(struct client *c, struct desired_tlvs *d, const struct conn_port *port)
{
	static const char *const outcome[] = {
	    [DESIRED_TOO_LONG] = "TLVs not changed",
	    [DESIRED_NONE_FIT] = "the former TLVs do not fit either and are removed",
	};
	size_t octets;
	enum desired_fit fit = desired_fit(d, port, &octets);

	if (fit == DESIRED_FITS && d->too_long && !d->forgotten)
		log_info("lldp", "%s: the requested TLVs fit into the MTU now", d->ifname);
	if (fit != DESIRED_FITS && !d->too_long) {
		c->stats.refused++;
		/*
		 * Message: The TLVs do not fit into a frame on the interface. The end of the
		 * message says whether the former TLVs stay or are removed. Raise the MTU, delete
		 * application priorities or application VLANs of the port, or set TxEnable objects
		 * of the port to false.
		 */
		log_warn("lldp",
			 "%s: an LLDP frame with the requested TLVs has %zu octets, more than the "
			 "MTU of %u: %s",
			 d->ifname, octets, d->mtu, outcome[fit]);
	}
	/* d->fitting has changed: the difference to lldpd is no repair. */
	d->changed = d->changed || d->too_long != (fit != DESIRED_FITS);
	d->too_long = fit != DESIRED_FITS;
}

static void start_change(struct client *c, struct desired_tlvs *d, bool repairs)
{
	int64_t now = client_now_ms();
	int64_t wait = c->closing ? 0 : desired_tx_credit(d, now);

	if (wait > 0) {
		c->stats.deferred += !d->deferred;
		d->deferred = true;
		finish(c, wait);
		return;
	}
	d->deferred = false;
	d->changed = false;
	if (repairs) {
		c->stats.repairs++;
		/*
		 * Message: Another program has removed or changed TLVs of dcbd(8). The level of
		 * this message is info. If the message repeats, find that program, for example an
		 * lldpcli(8) script, and stop it.
		 */
		log_info("lldp", "%s: another program changed the TLVs in lldpd: set again",
			 d->ifname);
	}
	prepare_extra(c);
}

/* Returns a TLV that the port does not have: a request to remove it changes nothing. */
static struct lldp_tlv absent(const struct conn_port *port)
{
	struct lldp_tlv tlv = {.oui = {0x00, 0x80, 0xc2}};

	for (size_t i = 0; i < port->n;) {
		if (memcmp(port->tlvs[i].oui, tlv.oui, sizeof(tlv.oui)) == 0 &&
		    port->tlvs[i].subtype == tlv.subtype) {
			tlv.subtype++;
			i = 0;
		} else {
			i++;
		}
	}
	return tlv;
}

static void got_port(struct client *c, enum conn_answer answer)
{
	struct desired_tlvs *d = c->serving;
	int64_t now = client_now_ms();
	struct conn_port port;
	bool planned = false;

	if (answer != CONN_DONE) {
		c->stats.failures++;
		finish_unknown(c, d);
		return;
	}
	if (d->unknown_ms)
		d->fast_poll_until_ms = now + FAST_POLL_FOR_MS;
	if (d->unknown_logged)
		log_info("lldp", "%s: lldpd knows the interface now", d->ifname);
	d->unknown_ms = 0;
	d->unknown_logged = false;
	if (conn_port(c->main, &port)) {
		c->absent = absent(&port);
		d->marked = *d->ifname && desired_has_mark(&port);
		d->waits = d->marked && now < d->opens_ms;
		check_fit(c, d, &port);
		planned = desired_plan(d, &port, now, &c->plan);
		free(port.tlvs);
	}
	if (!planned) {
		finish(c, POLL_MS);
	} else if (c->plan.n == 0) {
		d->changed = d->deferred = false;
		finish_synced(c);
	} else {
		start_change(c, d,
			     *d->ifname && d->synced && !d->changed && !d->marked &&
				 d->fast_poll_until_ms <= now);
	}
}

/* Compares the new list of interfaces with the former one. Both are sorted. */
static void note_names(struct client *c)
{
	size_t n = conn_names(c->main, NULL, 0), at = 0;
	char(*names)[IF_NAMESIZE] = calloc(n ? n : 1, sizeof(*names));

	if (!names)
		return; /* compared next time */
	n = conn_names(c->main, names, n);
	for (size_t i = 0; i < n && c->holds; i++) {
		while (at < c->n_names && strcmp(c->names[at], names[i]) < 0)
			at++;
		if (at == c->n_names || strcmp(c->names[at], names[i]) != 0)
			note_new(c, names[i]);
	}
	free(c->names);
	c->names = names;
	c->n_names = c->at_name = n;
}

static void listed(struct client *c, enum conn_answer answer)
{
	c->listed_ms = client_now_ms();
	if (answer == CONN_DONE)
		note_names(c);
	client_schedule(c);
}

/* Starts serving a due port and returns now_ms, or returns when one is due; INT64_MAX: never. */
static int64_t serve_next(struct client *c, int64_t now_ms)
{
	struct desired_tlvs *first = c->desired;

	for (struct desired_tlvs *d = c->desired; d; d = d->hh.next)
		if (d->due_ms < first->due_ms)
			first = d;
	if (!first)
		return INT64_MAX;
	if (first->due_ms > now_ms)
		return first->due_ms;
	if (*first->ifname && !conn_knows(c->main, first->ifname)) {
		if (now_ms - c->listed_ms < UNKNOWN_POLL_MS / 2) {
			finish_unknown(c, first);
			return now_ms;
		}
		c->on_answer = listed;
		conn_list(c->main);
		return now_ms;
	}
	c->serving = first;
	c->on_answer = got_port;
	conn_get(c->main, first->ifname);
	return now_ms;
}

/* --- due requests --------------------------------------------------------------------------- */

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

/* Starts the next due request on the main connection, unless one is pending. */
static void client_run(struct client *c)
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
	if (c->looks_for_new) {
		c->looks_for_new = false;
		c->on_answer = listed;
		conn_list(c->main);
		return;
	}
	do {
		due = serve_next(c, now);
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

/* --- the client ----------------------------------------------------------------------------- */

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

static bool has_forgotten(const struct client *c)
{
	const struct desired_tlvs *d = c->desired;

	while (d && !d->forgotten)
		d = d->hh.next;
	return d;
}

/* Waits until all that is forgotten is removed. The loop does not run any more. */
static void drain(struct client *c)
{
	int64_t end = client_now_ms() + DESTROY_MS;

	while (c->all_reported && (has_forgotten(c) || c->serving || c->describe ||
				   c->looks_for_new || c->on_answer)) {
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

static void forget(struct desired_tlvs *d)
{
	d->forgotten = d->changed = true;
	d->due_ms = d->opens_ms = 0;
}

void lldp_client_lldpd_release(struct lldp_client *base)
{
	struct client *c = (struct client *)base;

	c->closing = true;
	for (struct desired_tlvs *d = c->desired; d; d = d->hh.next)
		if (d->forgotten || !*d->ifname)
			forget(d);
	drain(c);
}

static void client_destroy(struct lldp_client *base)
{
	struct client *c = (struct client *)base;

	c->closing = true;
	for (struct desired_tlvs *d = c->desired; d; d = d->hh.next)
		forget(d);
	c->describe = c->system.bridge;
	c->describe_ms = 0;
	c->system.bridge = false;
	if (c->tick && c->retry)
		drain(c);
	close_conns(c);
	free_ports(c);
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
    .set = client_set,
    .refresh = client_refresh,
    .replay = client_replay,
    .forget = client_forget,
    .describe = client_describe,
    .read = client_read,
    .destroy = client_destroy,
};

struct lldp_client *lldp_client_lldpd(struct event_base *base, const char *socket, bool holds,
				      const struct lldp_events *events, void *ctx)
{
	struct client *c = calloc(1, sizeof(*c));
	struct desired_tlvs *d;

	if (!c)
		return NULL;
	c->base.ops = &client_ops;
	c->loop = base;
	c->events = events;
	c->ctx = ctx;
	c->holds = holds;
	c->state = LLDP_CONNECTING;
	c->watch_fd = c->watch_wd = -1;
	c->transmitted_ms = -TRANSMIT_EVERY_MS;
	for (size_t i = 0; i < EXTRA_CONNS; i++)
		c->extra[i].c = c;
	c->socket = strdup(socket);
	c->sendv = sendv_new();
	c->retry = event_new(base, -1, 0, on_retry, c);
	c->tick = event_new(base, -1, 0, on_tick, c);
	/* If ports are not held, what a former process has left is removed. */
	d = desired_at(&c->desired, DEFAULT_PORT, 0);
	if (!c->socket || !c->retry || !c->tick || !d) {
		client_destroy(&c->base);
		return NULL;
	}
	d->forgotten = !holds;
	await_socket(c);
	event_active(c->retry, EV_TIMEOUT, 0);
	return &c->base;
}
