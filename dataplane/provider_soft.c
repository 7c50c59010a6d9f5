/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/provider_soft.h"

#include "agent/log.h"
#include "dataplane/bridge.h"
#include "dataplane/clock.h"
#include "dataplane/counter.h"
#include "dataplane/netio.h"
#include "dataplane/ring.h"

#include <errno.h>
#include <event2/event.h>
#include <event2/event_struct.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* Frames of one port before they are sent on, and how often before the others have their turn. */
#define RECV_BATCH  64
#define RECV_ROUNDS 4

/* Port errors the control thread has not fetched yet. */
#define EVENTS 256

struct soft {
	struct provider base;
	struct provider_soft_params params;

	/* Control thread. */
	struct soft_port *open[DCB_SLOTS];
	uint64_t generation_reported;

	/* Control to dataplane thread. */
	const struct dcb_config *published;
	bool links_changed;
	bool stop;
	int wake_fd;

	/* Dataplane to control thread. */
	uint64_t generation_adopted;
	struct ring events;
	uint64_t events_lost;
	uint64_t loops;
	int event_fd;

	/* Dataplane thread. */
	struct bridge bridge;
	struct event_base *loop;
	struct event wake, timer, tick;
	struct dcb_time armed; /* what timer is set to */
	struct dcb_time ticked;
	pthread_t thread;
	bool has_thread;
};

/* The event loop's view of a port with descriptors. */
struct watch {
	struct soft *soft;
	struct soft_port *port;
	struct netio *io; /* of an interface that was opened late: see take_opened() */
	struct event recv, send;
};

static struct soft *to_soft(const struct provider *p)
{
	return (struct soft *)p;
}

/* --- dataplane thread: events to the control thread ---------------------- */

static void post_port_error(struct soft *s, const struct soft_port *port, int error)
{
	struct provider_event *ev = ring_reserve(&s->events);

	if (!ev) {
		counter_add(&s->events_lost, 1);
		return;
	}
	*ev = (struct provider_event){
	    .type = PROVIDER_PORT_ERROR,
	    .slot = port->base.slot,
	    .error = error,
	};
	ring_commit(&s->events);
	(void)eventfd_write(s->event_fd, 1);
}

/* --- dataplane thread: forwarding ---------------------------------------- */

static void arm_timer(struct soft *s, struct dcb_time next, struct dcb_time now)
{
	int64_t us;
	struct timeval tv;

	if (!s->loop || next.ns == s->armed.ns)
		return;
	s->armed = next;
	if (next.ns == DCB_TIME_NEVER.ns) {
		event_del(&s->timer);
		return;
	}
	us = (dcb_time_diff_ns(next, now) + DCB_NS_PER_US - 1) / DCB_NS_PER_US;
	us = us < 0 ? 0 : us;
	tv = (struct timeval){.tv_sec = us / 1000000, .tv_usec = us % 1000000};
	event_add(&s->timer, &tv);
}

static struct dcb_time transmit(struct soft *s, struct dcb_time now)
{
	struct dcb_time next = bridge_transmit(&s->bridge, now);

	arm_timer(s, next, now);
	return next;
}

struct arrivals {
	struct soft *soft;
	struct soft_port *port;
	struct dcb_time now;
};

static void on_frame(void *ctx, const uint8_t *octets, uint32_t len, uint32_t wire_octets)
{
	const struct arrivals *a = ctx;

	bridge_receive(&a->soft->bridge, a->port, octets, len, wire_octets, a->now);
}

static int receive(struct soft *s, struct soft_port *port, unsigned max, struct dcb_time now)
{
	struct arrivals a = {s, port, now};

	return port->io->ops->recv(port->io, max, on_frame, &a);
}

static void unwatch(struct soft_port *port)
{
	struct watch *w = port->watch;

	if (!w)
		return;
	event_del(&w->recv);
	event_del(&w->send);
}

static void watch(struct soft_port *port)
{
	struct watch *w = port->watch;

	if (w && port->io->recv_fd >= 0)
		event_add(&w->recv, NULL);
}

static void fail_port(struct soft *s, struct soft_port *port, int error)
{
	if (port->up)
		bridge_port_down(&s->bridge, port);
	unwatch(port);
	post_port_error(s, port, error);
}

static void on_readable(evutil_socket_t fd, short what, void *ctx)
{
	struct watch *w = ctx;
	int n = RECV_BATCH;

	(void)fd, (void)what;
	counter_add(&w->soft->loops, 1);
	for (int round = 0; round < RECV_ROUNDS && n == RECV_BATCH && w->port->up; round++) {
		struct dcb_time now = clock_now();

		n = receive(w->soft, w->port, RECV_BATCH, now);
		if (n < 0)
			fail_port(w->soft, w->port, -n);
		transmit(w->soft, now);
	}
}

static void on_writable(evutil_socket_t fd, short what, void *ctx)
{
	struct watch *w = ctx;

	(void)fd, (void)what;
	w->port->blocked = false;
	transmit(w->soft, clock_now());
}

static void on_timer(evutil_socket_t fd, short what, void *ctx)
{
	struct soft *s = ctx;

	(void)fd, (void)what;
	s->armed = DCB_TIME_NEVER;
	counter_add(&s->loops, 1);
	transmit(s, clock_now());
}

static void read_losses(struct soft *s)
{
	const struct dcb_config *config = s->bridge.config;

	for (size_t i = 0; config && i < config->n_ports; i++) {
		struct soft_port *port = soft_port_of(config->ports[i].port);

		if (port->watch)
			gauge_set(&port->stats.discard_kernel, port->io->ops->lost(port->io));
	}
}

static void on_tick(evutil_socket_t fd, short what, void *ctx)
{
	struct soft *s = ctx;

	(void)fd, (void)what;
	bridge_tick(&s->bridge, clock_now());
	read_losses(s);
}

/* --- dataplane thread: what the bridge asks for -------------------------- */

static void assign_events(struct soft *s, struct soft_port *port)
{
	struct watch *w = port->watch;

	if (!w)
		return;
	event_assign(&w->recv, s->loop, port->io->recv_fd, EV_READ | EV_PERSIST, on_readable, w);
	event_assign(&w->send, s->loop, port->io->send_fd, EV_WRITE, on_writable, w);
}

/* An interface that was down when the port was opened has been opened by the control thread. */
static bool take_opened(struct soft_port *port)
{
	struct watch *w = __atomic_exchange_n(&port->opened, NULL, __ATOMIC_ACQ_REL);

	if (!w)
		return false;
	port->io = w->io;
	port->watch = w;
	return true;
}

static void on_attached(void *ctx, struct soft_port *port)
{
	port->link_seen = __atomic_load_n(&port->link_seq, __ATOMIC_ACQUIRE);
	port->up = gauge_get(&port->link_up);
	take_opened(port);
	assign_events(ctx, port);
	if (port->up)
		watch(port);
}

static void on_detached(void *ctx, struct soft_port *port)
{
	(void)ctx;
	unwatch(port);
}

static void on_blocked(void *ctx, struct soft_port *port)
{
	struct watch *w = port->watch;

	(void)ctx;
	if (w && port->io->send_fd >= 0)
		event_add(&w->send, NULL);
}

static void on_failed(void *ctx, struct soft_port *port, int error)
{
	fail_port(ctx, port, error);
}

/* --- dataplane thread: what the control thread asks for ------------------ */

static void follow_link(struct soft *s, struct soft_port *port)
{
	uint32_t seq = __atomic_load_n(&port->link_seq, __ATOMIC_ACQUIRE);
	bool up = gauge_get(&port->link_up);

	if (seq == port->link_seen)
		return;
	port->link_seen = seq;
	if (take_opened(port))
		assign_events(s, port);
	if (up && !port->up) {
		bridge_port_up(&s->bridge, port);
		watch(port);
	} else if (!up && port->up) {
		bridge_port_down(&s->bridge, port);
		unwatch(port);
	}
}

static void follow_links(struct soft *s)
{
	const struct dcb_config *config = s->bridge.config;

	if (!__atomic_exchange_n(&s->links_changed, false, __ATOMIC_ACQ_REL))
		return;
	for (size_t i = 0; config && i < config->n_ports; i++)
		follow_link(s, soft_port_of(config->ports[i].port));
}

static void adopt(struct soft *s)
{
	const struct dcb_config *config = __atomic_load_n(&s->published, __ATOMIC_ACQUIRE);

	if (!config || config == s->bridge.config)
		return;
	bridge_adopt(&s->bridge, config);
	__atomic_store_n(&s->generation_adopted, config->generation, __ATOMIC_RELEASE);
	(void)eventfd_write(s->event_fd, 1);
}

static void on_wake(evutil_socket_t fd, short what, void *ctx)
{
	struct soft *s = ctx;
	eventfd_t ignored;

	(void)what;
	(void)eventfd_read(fd, &ignored);
	if (__atomic_load_n(&s->stop, __ATOMIC_ACQUIRE)) {
		event_base_loopbreak(s->loop);
		return;
	}
	adopt(s);
	follow_links(s);
}

static void *run(void *ctx)
{
	struct soft *s = ctx;

	event_base_dispatch(s->loop);
	return NULL;
}

/* --- control thread: ports ----------------------------------------------- */

static int free_slot(const struct soft *s)
{
	for (int slot = 0; slot < DCB_SLOTS; slot++) {
		if (!s->open[slot])
			return slot;
	}
	return -1;
}

static struct netio *open_packet(const struct soft *s, const struct soft_port *port, char *err,
				 size_t errlen)
{
	const struct netio_packet_params params = {
	    .ifname = port->base.link.name,
	    .ifindex = port->base.link.ifindex,
	    .mtu = port->base.link.mtu,
	    .frame_octets = s->params.frame_octets,
	    .qdisc_bypass = s->params.qdisc_bypass,
	};

	return netio_packet_open(&params, err, errlen);
}

/*
 * libpcap opens no interface that is down: until it is up its port waits, with
 * nothing behind it.
 */
static bool open_netio(const struct soft *s, struct soft_port *port, char *err, size_t errlen)
{
	port->waiting = !port->base.settings.memory && !port->base.link.up;
	if (port->base.settings.memory || port->waiting)
		port->io = netio_nothing();
	else
		port->io = open_packet(s, port, err, errlen);
	return port->io;
}

static struct watch *new_watch(struct soft *s, struct soft_port *port, struct netio *io)
{
	struct watch *w = calloc(1, sizeof(*w));

	if (w)
		*w = (struct watch){.soft = s, .port = port, .io = io};
	return w;
}

/* Ports with descriptors need one to be watched with; the thousands without do not. */
static bool make_watch(struct soft *s, struct soft_port *port)
{
	if (!s->loop || (port->io->recv_fd < 0 && port->io->send_fd < 0))
		return true;
	port->watch = new_watch(s, port, port->io);
	return port->watch;
}

/* The interface a port waits for is up: open it, and hand it to the dataplane thread. */
static void open_late(struct soft *s, struct soft_port *port)
{
	char err[256];
	struct netio *io = open_packet(s, port, err, sizeof(err));
	struct watch *w = io ? new_watch(s, port, io) : NULL;

	if (w) {
		port->waiting = false;
		__atomic_store_n(&port->opened, w, __ATOMIC_RELEASE);
		return;
	}
	log_error("port", "%s: no frames until the link changes again: %s", port->base.link.name,
		  io ? "out of memory" : err);
	if (io)
		io->ops->close(io);
}

static struct port *soft_port_open(struct provider *p, const struct link_info *link,
				   const struct port_settings *settings, char *err, size_t errlen)
{
	struct soft *s = to_soft(p);
	int slot = free_slot(s);
	struct soft_port *port;

	if (slot < 0) {
		snprintf(err, errlen, "%s: more ports than a provider can have", link->name);
		return NULL;
	}
	port = calloc(1, sizeof(*port));
	if (!port) {
		snprintf(err, errlen, "%s: out of memory", link->name);
		return NULL;
	}
	port->base = (struct port){
	    .provider = p,
	    .slot = (uint16_t)slot,
	    .link = *link,
	    .settings = *settings,
	};
	if (!open_netio(s, port, err, errlen))
		goto fail_port;
	if (!make_watch(s, port)) {
		snprintf(err, errlen, "%s: out of memory", link->name);
		goto fail_netio;
	}
	port_init(port);
	s->open[slot] = port;
	return &port->base;

fail_netio:
	port->io->ops->close(port->io);
fail_port:
	free(port);
	return NULL;
}

static void soft_port_close(struct port *base)
{
	struct soft_port *port = soft_port_of(base);

	to_soft(base->provider)->open[base->slot] = NULL;
	port->io->ops->close(port->io);
	free(port->watch);
	if (take_opened(port)) {
		port->io->ops->close(port->io);
		free(port->watch);
	}
	free(port);
}

void provider_soft_set_netio(struct port *base, struct netio *io)
{
	struct soft_port *port = soft_port_of(base);

	port->io->ops->close(port->io);
	free(port->watch);
	port->watch = NULL;
	port->io = io;
	if (!make_watch(to_soft(base->provider), port))
		abort(); /* a few octets, in tests and before offline runs only */
}

struct port *provider_soft_port(struct provider *p, const char *name)
{
	struct soft *s = to_soft(p);

	for (int slot = 0; slot < DCB_SLOTS; slot++) {
		if (s->open[slot] && strcmp(s->open[slot]->base.link.name, name) == 0)
			return &s->open[slot]->base;
	}
	return NULL;
}

uint32_t provider_soft_frame_octets(const struct provider *p)
{
	return ((const struct soft *)p)->params.frame_octets;
}

static void wake(struct soft *s)
{
	if (s->has_thread) {
		(void)eventfd_write(s->wake_fd, 1);
		return;
	}
	adopt(s);
	follow_links(s);
}

static void soft_port_update(struct port *base, const struct link_info *link)
{
	struct soft_port *port = soft_port_of(base);
	struct soft *s = to_soft(base->provider);

	base->link = *link;
	if (port->waiting && link->up)
		open_late(s, port);
	gauge_set(&port->link_up, link->up);
	__atomic_fetch_add(&port->link_seq, 1, __ATOMIC_RELEASE);
	__atomic_store_n(&s->links_changed, true, __ATOMIC_RELEASE);
	wake(s);
}

/* --- control thread: configuration, events, statistics ------------------- */

static void soft_publish(struct provider *p, const struct dcb_config *config)
{
	struct soft *s = to_soft(p);

	__atomic_store_n(&s->published, config, __ATOMIC_RELEASE);
	wake(s);
}

static int soft_event_fd(const struct provider *p)
{
	return to_soft(p)->event_fd;
}

/* A generation is a state, not an event: it cannot be lost, only overtaken. */
static bool take_event(struct soft *s, struct provider_event *ev)
{
	uint64_t adopted = __atomic_load_n(&s->generation_adopted, __ATOMIC_ACQUIRE);
	const struct provider_event *oldest;

	if (adopted != s->generation_reported) {
		s->generation_reported = adopted;
		*ev = (struct provider_event){.type = PROVIDER_ADOPTED, .generation = adopted};
		return true;
	}
	oldest = ring_peek(&s->events);
	if (!oldest)
		return false;
	*ev = *oldest;
	ring_release(&s->events);
	return true;
}

static bool soft_next_event(struct provider *p, struct provider_event *ev)
{
	struct soft *s = to_soft(p);
	eventfd_t ignored;

	if (take_event(s, ev))
		return true;
	/* Reset, then look again: what came in between rang before the reset. */
	(void)eventfd_read(s->event_fd, &ignored);
	return take_event(s, ev);
}

static void soft_read_cp(const struct port *port, unsigned priority, struct cp_stats *out)
{
	port_read_cp(soft_port_of((struct port *)port), priority, out);
}

static void soft_read_pfc(const struct port *port, unsigned priority, struct pfc_stats *out)
{
	port_read_pfc(soft_port_of((struct port *)port), priority, out);
}

static void soft_read_port(const struct port *port, struct port_stats *out)
{
	port_read(soft_port_of((struct port *)port), out);
}

static void soft_read_provider(const struct provider *p, struct provider_stats *out)
{
	const struct soft *s = to_soft(p);

	*out = (struct provider_stats){
	    .generation_adopted = gauge_get(&s->generation_adopted),
	    .frame_buffers = s->bridge.pool.size,
	    .frame_buffers_free = gauge_get(&s->bridge.pool.n_free),
	    .frame_buffers_low = gauge_get(&s->bridge.pool.n_free_low),
	    .loops = gauge_get(&s->loops),
	    .events_lost = gauge_get(&s->events_lost),
	    .fdb_entries = gauge_get(&s->bridge.fdb.entries),
	    .fdb_learn_failures = gauge_get(&s->bridge.fdb.learn_failures),
	};
}

/* --- without a thread ---------------------------------------------------- */

int provider_soft_receive(struct port *port, unsigned max, struct dcb_time now)
{
	return receive(to_soft(port->provider), soft_port_of(port), max, now);
}

struct dcb_time provider_soft_advance(struct provider *p, struct dcb_time now)
{
	struct soft *s = to_soft(p);

	if (dcb_time_diff_ns(now, s->ticked) >= DCB_NS_PER_S) {
		bridge_tick(&s->bridge, now);
		s->ticked = now;
	}
	return transmit(s, now);
}

/* --- start and stop ------------------------------------------------------ */

static bool make_loop(struct soft *s)
{
	static const struct timeval second = {.tv_sec = 1};
	struct event_config *config = event_config_new();

	if (!config)
		return false;
	/* Shaping needs the microsecond, and nobody else touches this base. */
	event_config_set_flag(config, EVENT_BASE_FLAG_PRECISE_TIMER | EVENT_BASE_FLAG_NOLOCK);
	s->loop = event_base_new_with_config(config);
	event_config_free(config);
	if (!s->loop)
		return false;
	event_assign(&s->wake, s->loop, s->wake_fd, EV_READ | EV_PERSIST, on_wake, s);
	event_assign(&s->timer, s->loop, -1, 0, on_timer, s);
	event_assign(&s->tick, s->loop, -1, EV_PERSIST, on_tick, s);
	return event_add(&s->wake, NULL) == 0 && event_add(&s->tick, &second) == 0;
}

/* Signals are the control thread's. */
static int start_thread(struct soft *s)
{
	sigset_t all, before;
	cpu_set_t cpus;
	int error;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	error = pthread_create(&s->thread, NULL, run, s);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (error)
		return error;
	s->has_thread = true;
	pthread_setname_np(s->thread, "dataplane");
	if (s->params.cpu < 0)
		return 0;
	CPU_ZERO(&cpus);
	CPU_SET((unsigned)s->params.cpu, &cpus);
	return pthread_setaffinity_np(s->thread, sizeof(cpus), &cpus);
}

static void stop_thread(struct soft *s)
{
	if (!s->has_thread)
		return;
	__atomic_store_n(&s->stop, true, __ATOMIC_RELEASE);
	(void)eventfd_write(s->wake_fd, 1);
	pthread_join(s->thread, NULL);
	s->has_thread = false;
}

static void soft_destroy(struct provider *p)
{
	struct soft *s = to_soft(p);

	stop_thread(s);
	if (s->bridge.pool.memory)
		bridge_destroy(&s->bridge);
	for (int slot = 0; slot < DCB_SLOTS; slot++) {
		if (s->open[slot])
			soft_port_close(&s->open[slot]->base);
	}
	if (s->loop) {
		event_del(&s->wake);
		event_del(&s->timer);
		event_del(&s->tick);
		event_base_free(s->loop);
	}
	ring_free(&s->events);
	if (s->wake_fd >= 0)
		close(s->wake_fd);
	if (s->event_fd >= 0)
		close(s->event_fd);
	free(s);
}

static const char *start(struct soft *s)
{
	static const struct bridge_ops ops = {
	    .attached = on_attached,
	    .detached = on_detached,
	    .blocked = on_blocked,
	    .failed = on_failed,
	};
	const struct bridge_params params = {
	    .frame_buffers = s->params.frame_buffers,
	    .frame_octets = s->params.frame_octets,
	    .fdb_entries = s->params.fdb_entries,
	    .fdb_ageing_s = s->params.fdb_ageing_s,
	    .seed = s->params.seed,
	};
	int error;

	if (!bridge_init(&s->bridge, &params, &ops, s))
		return "no memory for frame buffers and filtering database";
	if (!ring_init(&s->events, EVENTS, sizeof(struct provider_event)))
		return "out of memory";
	if (s->wake_fd < 0 || s->event_fd < 0)
		return strerror(errno);
	if (s->params.no_thread)
		return NULL;
	if (!make_loop(s))
		return "libevent: no event base";
	error = start_thread(s);
	return error ? strerror(error) : NULL;
}

struct provider *provider_soft_new(const struct provider_soft_params *params, char *err,
				   size_t errlen)
{
	static const struct provider_ops ops = {
	    .name = "soft",
	    .port_open = soft_port_open,
	    .port_update = soft_port_update,
	    .port_close = soft_port_close,
	    .publish = soft_publish,
	    .event_fd = soft_event_fd,
	    .next_event = soft_next_event,
	    .read_cp = soft_read_cp,
	    .read_pfc = soft_read_pfc,
	    .read_port = soft_read_port,
	    .read_provider = soft_read_provider,
	    .destroy = soft_destroy,
	};
	struct soft *s = calloc(1, sizeof(*s));
	const char *problem;

	if (!s) {
		snprintf(err, errlen, "dataplane: out of memory");
		return NULL;
	}
	s->base.ops = &ops;
	s->params = *params;
	s->armed = DCB_TIME_NEVER;
	s->wake_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	s->event_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	problem = start(s);
	if (problem) {
		snprintf(err, errlen, "dataplane: %s", problem);
		soft_destroy(&s->base);
		return NULL;
	}
	return &s->base;
}
