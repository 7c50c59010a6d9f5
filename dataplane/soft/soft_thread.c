/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The dataplane thread of provider "soft": an event loop over ports, timer and wake-ups; which
 * interfaces it polls instead; its real time, and when it waits for the control thread.
 */
#include "dataplane/soft/provider_soft_private.h"

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "dataplane/macsec/netio_secy.h"
#include "lib/clock.h"
#include "lib/counter.h"
#include "lib/log.h"
#include "lib/thread.h"

/*
 * Frames received on a port before transmission, and rounds of that before the next
 * port is served. A PFC frame received on another port waits meanwhile, which the
 * neighbor's headroom must cover: with PFC, there is one round of fewer frames.
 */
#define RECV_BATCH     64
#define RECV_ROUNDS    4
#define RECV_BATCH_PFC 32

/* A port whose interface accepted no frame tries again, if epoll does not tell when it will. */
#define SEND_RETRY_NS DCB_NS_PER_MS

/*
 * (C) After a turn with a batch of several frames and with no full one, the next turn begins this
 * much later, in ns: the sender is slower than this thread, and each few of its next frames would
 * wake it, which costs a sender on this machine more than a frame does. Not with PFC or PAUSE: the
 * time in which a port reacts is part of the neighbor's headroom.
 */
#define RECV_PAUSE_NS 15000

struct dcb_time soft_now(const struct soft *s)
{
	return s->loop ? clock_now() : s->last_call;
}

/* Returns whether a port has to react to each frame at once. */
static bool is_prompt(const struct soft *s)
{
	return s->pfc_ports || s->pause_ports;
}

/* --- real time ------------------------------------------------------------------------------ */

static const char *name_of(const struct soft *s)
{
	return s->params.name ? s->params.name : "soft";
}

/* A default that is not permitted is no fault: containers and other users start dcbd, too. */
static void log_refusal(const struct soft *s, int priority, int error)
{
	if (s->params.priority_is_default)
		/*
		 * Message: The kernel does not permit it, see dcbd(8). Other programs can delay
		 * frames, so PFC needs more headroom. Raise RLIMIT_RTPRIO, as with LimitRTPRIO of
		 * the unit, or set `dataplane.priority` to "off".
		 */
		log_info("dataplane", "%s: no real time: priority %d is not permitted: %s",
			 name_of(s), priority, strerror(error));
	else
		/* Message: as "%s: no real time: priority %d is not permitted: %s" */
		log_warn("dataplane",
			 "%s: no real time: dataplane.priority = %d is not permitted: %s",
			 name_of(s), priority, strerror(error));
}

static bool needs_real_time(const struct soft *s)
{
	return is_prompt(s) || s->measuring_ports;
}

/* At the start of the thread: asks the kernel whether it permits real time. */
static void take_real_time(struct soft *s)
{
	int priority = s->params.priority, error;

	if (priority == 0) {
		/* That with which dcbd was started. */
		gauge_set(&s->realtime.priority, realtime_priority());
		return;
	}
	s->realtime.kind = RT_GUARD_TAKES_PAUSES;
	error = realtime_begin(&s->realtime, priority, clock_now());
	if (error) {
		gauge_set(&s->realtime_state, PROVIDER_RT_NOT_PERMITTED);
		log_refusal(s, priority, error);
		return;
	}
	realtime_end(&s->realtime);
	gauge_set(&s->realtime_state, PROVIDER_RT_NOT_NEEDED);
	/* Message: The kernel permits real time to the dataplane thread of this provider. */
	log_info("dataplane",
		 "%s: real time: SCHED_FIFO, priority %d, while a port has PFC or obeys PAUSE, or "
		 "measures its headroom",
		 name_of(s), priority);
}

/* Takes real time or gives it back, as the ports of the configuration adopted need it. */
static void adjust_real_time(struct soft *s, struct dcb_time now)
{
	bool needs = needs_real_time(s), has = s->realtime_state == PROVIDER_RT_IN_FORCE;

	if (s->realtime_state == PROVIDER_RT_OFF || needs == has)
		return;
	if (!needs) {
		realtime_end(&s->realtime);
		gauge_set(&s->realtime_state, PROVIDER_RT_NOT_NEEDED);
	} else if (s->realtime_state == PROVIDER_RT_NOT_NEEDED) {
		int error = realtime_begin(&s->realtime, s->params.priority, now);

		gauge_set(&s->realtime.refused, error != 0);
		gauge_set(&s->realtime_state, PROVIDER_RT_IN_FORCE);
	}
}

/* Of a thread that asked for real time and does not have it now. */
static uint8_t state_without(const struct soft *s)
{
	if (gauge_get(&s->realtime.refused))
		return PROVIDER_RT_NOT_PERMITTED;
	return gauge_get(&s->realtime.reason) == RT_GUARD_OVERLOAD ? PROVIDER_RT_SUSPENDED
								   : PROVIDER_RT_YIELDED;
}

void soft_read_schedule(const struct soft *s, struct provider_stats *out)
{
	out->rt_state = gauge_get(&s->realtime_state);
	out->rt_priority = (uint32_t)gauge_get(&s->realtime.priority);
	out->rt_yields = gauge_get(&s->realtime.yields);
	out->rt_suspensions = gauge_get(&s->realtime.overloads) + out->rt_yields;
	out->cpu = s->has_thread ? s->params.cpu : -1;
	if (out->rt_state == PROVIDER_RT_IN_FORCE && out->rt_priority == 0)
		out->rt_state = state_without(s);
}

/* --- a thread that waits -------------------------------------------------------------------- */

static void wait_for(sem_t *semaphore)
{
	while (sem_wait(semaphore) != 0)
		; /* EINTR */
}

/* Between two turns: see soft_park(). */
static void wait_if_parked(struct soft *s)
{
	if (!__atomic_load_n(&s->parks, __ATOMIC_ACQUIRE))
		return;
	__atomic_store_n(&s->parks, false, __ATOMIC_RELAXED);
	sem_post(&s->parked);
	wait_for(&s->resumed);
}

void soft_park(struct soft *s)
{
	if (!s->has_thread)
		return;
	__atomic_store_n(&s->parks, true, __ATOMIC_RELEASE);
	(void)eventfd_write(s->wake_fd, 1);
	wait_for(&s->parked);
}

void soft_resume(struct soft *s)
{
	if (s->has_thread)
		sem_post(&s->resumed);
}

/* --- events to the control thread ----------------------------------------------------------- */

static void post_port_error(struct soft *s, const struct soft_port *port, int error)
{
	soft_post_rare(s, &(struct provider_event){.type = PROVIDER_PORT_ERROR,
						   .slot = port->base.slot,
						   .error = error});
}

static void on_storm(void *ctx, struct soft_port *port, uint8_t stormed, uint8_t ended)
{
	soft_post_rare(ctx, &(struct provider_event){.type = PROVIDER_PFC_STORM,
						     .slot = port->base.slot,
						     .stormed = stormed,
						     .ended = ended});
}

static bool on_lldp(void *ctx, struct soft_port *port, const struct lldpdu *pdu,
		    struct dcb_time now)
{
	return soft_post_frequent(
	    ctx, &(struct provider_event){
		     .type = PROVIDER_LLDPDU, .slot = port->base.slot, .lldpdu = *pdu, .at = now});
}

static bool on_measured(void *ctx, struct soft_port *port)
{
	return soft_post_measured(ctx, port);
}

static struct dcb_time on_now(void *ctx)
{
	return soft_now(ctx);
}

/* --- interfaces that are polled ------------------------------------------------------------- */

/*
 * While an interface's descriptor is in the set of epoll, the kernel notes each arriving frame
 * there, under a lock: in the context of the sender, and for a twelfth of what receiving the frame
 * costs. So an interface from which several frames come at a time is taken out of the set, and
 * served in each turn of the loop, which then does not block, until fewer come. The loop pauses
 * after a turn in which several frames came from a link, and no batch was full: RECV_PAUSE_NS. For
 * the frames of a station's host it does not pause: while several come in each turn, the loop uses
 * all of the processor, and when fewer come it waits again.
 *
 * A note of a frame took 6 % of the sender's processor time for the frame, and 4 to 5 % of dcbd's.
 *
 * Not with PFC or PAUSE, as there is no pause either: the loop would use the processor all the
 * time.
 *
 * If the kernel refuses to take a descriptor into the set, for want of memory or of watches of the
 * user, its interface is polled with a pause in each turn. The next attempt is in the next second,
 * as for the descriptor of the times at which frames left, which is not polled.
 */

static void begin_polling(struct watch *w)
{
	if (w->is_polled)
		return;
	w->is_polled = true;
	LIST_INSERT_HEAD(&w->soft->polled, w, polled);
}

void soft_poll_forget(struct watch *w)
{
	if (!w->is_polled)
		return;
	w->is_polled = false;
	if (w->soft->polled_then == w)
		w->soft->polled_then = LIST_NEXT(w, polled);
	LIST_REMOVE(w, polled);
}

/* Waits for the event of w again, and polls w while the kernel refuses that. */
static void end_polling(struct watch *w)
{
	struct soft *s = w->soft;

	if (!s->only_polls && event_add(&w->recv, NULL) == 0) {
		soft_poll_forget(w);
		return;
	}
	if (!s->only_polls)
		/*
		 * Message: The port works, at the cost of processor time: the kernel refuses to
		 * wake dcbd for its frames, for this reason, such as a limit of watches or of
		 * memory. Raise the limit.
		 */
		log_warn_limited("port", "%s: polled, as epoll refuses its descriptor: %s",
				 w->port->base.link.name, strerror(errno));
	s->only_polls = true;
	s->pauses = true;
	begin_polling(w);
}

void soft_poll_after(struct watch *w, int n)
{
	bool several;

	if (n < 0)
		return;
	several = n >= SOFT_SEVERAL && !is_prompt(w->soft);
	if (several && !w->is_polled && w->port->up) {
		event_del(&w->recv);
		begin_polling(w);
	}
	if (!several && w->is_polled)
		end_polling(w);
}

int64_t soft_pause_ns(struct soft *s)
{
	int64_t ns = s->pauses && !s->has_more ? RECV_PAUSE_NS : 0;
	int64_t for_others_ns = realtime_end_turn(&s->realtime, s->turn_frames, s->has_more);

	s->pauses = s->has_more = false;
	s->turn_frames = 0;
	return ns > for_others_ns ? ns : for_others_ns;
}

void soft_watch_stamp(struct watch *w)
{
	w->lacks_stamp = event_initialized(&w->stamp) && event_add(&w->stamp, NULL) < 0;
	if (!w->lacks_stamp)
		return;
	/*
	 * Message: The headroom measurement does without these times meanwhile. Raise the limit
	 * that the reason names.
	 */
	log_warn_limited("port",
			 "%s: no times of its sent frames, as epoll refuses their descriptor: %s; "
			 "retry in 1 s",
			 w->port->base.link.name, strerror(errno));
	w->soft->lacks_stamps = true;
}

void soft_retry_stamps(struct soft *s)
{
	const struct dcb_config *config = s->ports->config;

	if (!s->lacks_stamps)
		return;
	s->lacks_stamps = false;
	for (size_t i = 0; config && i < config->n_ports; i++) {
		struct soft_port *port = soft_port_of(config->ports[i].port);
		struct watch *w = soft_iface_of(port)->wire.watch;

		if (w && w->lacks_stamp)
			soft_watch_stamp(w);
	}
}

/* --- forwarding ----------------------------------------------------------------------------- */

/*
 * Rate limits need a timer with microsecond resolution, for which libevent would
 * make a system call in each loop. This timerfd is set only if the new deadline is
 * earlier. If it fires too early, nothing is due and it is set again.
 */
static void arm_timer(struct soft *s, struct dcb_time next)
{
	struct itimerspec at = {
	    .it_value = {.tv_sec = next.ns / DCB_NS_PER_S, .tv_nsec = next.ns % DCB_NS_PER_S},
	};

	if (!s->loop || !dcb_time_before(next, s->armed))
		return;
	s->armed = next;
	(void)timerfd_settime(s->timer_fd, TFD_TIMER_ABSTIME, &at, NULL);
}

struct dcb_time soft_transmit(struct soft *s, struct dcb_time now)
{
	struct dcb_time next;

	realtime_check(&s->realtime, now);
	soft_macsec_run(s, now);
	next = s->engine->transmit(s->ports, now);
	arm_timer(s, dcb_time_min(next, realtime_due(&s->realtime)));
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

	a->soft->engine->receive(a->soft->ports, a->port, octets, len, wire_octets, a->now);
}

int soft_receive(struct soft *s, struct soft_port *port, unsigned max, struct dcb_time now)
{
	struct arrivals a = {s, port, now};
	int n = port->io->ops->recv(port->io, max, on_frame, &a);

	if (n > 0)
		soft_iface_of(port)->received = true;
	return n;
}

int soft_from_host(struct soft *s, struct soft_port *port, unsigned max, struct dcb_time now)
{
	return station_read_host(&s->station, port, max, now);
}

/* An interface that was never attached has no events yet. */
static void forget_events(struct watch *w)
{
	if (!event_initialized(&w->recv))
		return;
	soft_poll_forget(w);
	event_del(&w->recv);
	if (event_initialized(&w->send))
		event_del(&w->send);
	w->lacks_stamp = false;
	if (event_initialized(&w->stamp))
		event_del(&w->stamp);
}

static void unwatch(struct soft_iface *iface)
{
	if (iface->host.watch)
		forget_events(iface->host.watch);
	if (iface->wire.watch)
		forget_events(iface->wire.watch);
}

/* One that is polled stays so. */
static void watch_side(struct watch *w)
{
	if (w && event_initialized(&w->recv) && w->io->recv_fd >= 0 && !w->is_polled)
		end_polling(w);
}

static void watch(struct soft_iface *iface)
{
	watch_side(iface->wire.watch);
	watch_side(iface->host.watch);
	if (iface->wire.watch)
		soft_watch_stamp(iface->wire.watch);
}

/* The tap was deleted, or there is another one: the control thread closes this one. */
static void give_host_back(struct soft_iface *iface)
{
	struct watch *w = iface->host.watch;

	if (!w)
		return;
	forget_events(w);
	station_port_set_host(&iface->port, NULL);
	iface->host.watch = NULL;
	mailbox_return(&iface->host.mailbox, &w->item);
}

static void fail_port(struct soft *s, struct soft_port *port, int error)
{
	if (port->up)
		s->engine->port_down(s->ports, port, soft_now(s));
	unwatch(soft_iface_of(port));
	post_port_error(s, port, error);
}

int soft_serve(struct watch *w)
{
	struct soft *s = w->soft;
	struct soft_port *port = w->port;
	bool from_host = w->receive == soft_from_host;
	int batch = s->pfc_ports ? RECV_BATCH_PFC : RECV_BATCH, n = batch;
	int rounds = s->pfc_ports ? 1 : RECV_ROUNDS;

	counter_add(&s->loops, 1);
	for (int round = 0; round < rounds && n == batch && port->up; round++) {
		struct dcb_time now = clock_now();

		n = w->receive(s, port, (unsigned)batch, now);
		s->turn_frames += n > 0 ? (unsigned)n : 0;
		if (n < 0 && from_host)
			give_host_back(soft_iface_of(port));
		if (n < 0)
			fail_port(s, port, -n);
		soft_transmit(s, now);
	}
	if (n == batch)
		s->has_more = true;
	else if (!from_host && n >= SOFT_SEVERAL && !is_prompt(s))
		s->pauses = true;
	return n;
}

void soft_poll(struct soft *s)
{
	struct watch *w;

	for (w = LIST_FIRST(&s->polled); w; w = s->polled_then) {
		s->polled_then = LIST_NEXT(w, polled);
		soft_poll_after(w, soft_serve(w));
	}
}

static void on_readable(evutil_socket_t fd, short what, void *ctx)
{
	(void)fd, (void)what;
	soft_poll_after(ctx, soft_serve(ctx));
}

static void on_writable(evutil_socket_t fd, short what, void *ctx)
{
	struct watch *w = ctx;

	(void)fd, (void)what;
	w->port->blocked = false;
	soft_transmit(w->soft, clock_now());
}

/* Times at which frames left: poll() reports them as an error, libevent as readable. */
static void on_stamp(evutil_socket_t fd, short what, void *ctx)
{
	struct watch *w = ctx;

	(void)fd, (void)what;
	port_hm_times(&w->soft->ports->hm, w->port, clock_now());
}

static void on_timer(evutil_socket_t fd, short what, void *ctx)
{
	struct soft *s = ctx;
	uint64_t ignored;

	(void)what;
	if (read(fd, &ignored, sizeof(ignored)) < 0)
		return;
	s->armed = DCB_TIME_NEVER;
	counter_add(&s->loops, 1);
	soft_transmit(s, clock_now());
}

/* The kernel discards frames while a ring is full: then there are frames to receive, too. */
static void read_losses(struct soft *s)
{
	const struct dcb_config *config = s->ports->config;

	for (size_t i = 0; config && i < config->n_ports; i++) {
		struct soft_port *port = soft_port_of(config->ports[i].port);
		struct soft_iface *iface = soft_iface_of(port);

		if (!iface->received || !iface->wire.watch)
			continue;
		iface->received = false;
		gauge_set(&port->stats.discard_kernel,
			  iface->lost_before + port->io->ops->lost(port->io));
	}
}

static void on_tick(evutil_socket_t fd, short what, void *ctx)
{
	struct soft *s = ctx;
	uint64_t ignored;

	(void)what;
	while (read(fd, &ignored, sizeof(ignored)) > 0)
		;
	s->only_polls = false;
	soft_retry_stamps(s);
	counter_add(&s->loops, 1); /* also without frames: one that hangs is recognized */
	soft_age(s, clock_now());
	read_losses(s);
}

/* --- port_set_ops --------------------------------------------------------------------------- */

static void assign_events(struct soft *s, struct soft_iface *iface)
{
	const struct netio *io = iface->port.io;
	struct watch *w = iface->wire.watch;

	if (!w || !s->loop)
		return;
	w->receive = soft_receive;
	event_assign(&w->recv, s->loop, io->recv_fd, EV_READ | EV_PERSIST, on_readable, w);
	event_assign(&w->send, s->loop, io->send_fd, EV_WRITE, on_writable, w);
	if (io->ops->sent_at && io->stamp_fd >= 0)
		event_assign(&w->stamp, s->loop, io->stamp_fd, EV_READ | EV_PERSIST, on_stamp, w);
}

static void assign_host_events(struct soft *s, struct soft_iface *iface)
{
	struct watch *w = iface->host.watch;

	if (!w || !s->loop)
		return;
	w->receive = soft_from_host;
	event_assign(&w->recv, s->loop, w->io->recv_fd, EV_READ | EV_PERSIST, on_readable, w);
}

static void ignore_frame(void *ctx, const uint8_t *octets, uint32_t len, uint32_t wire_octets)
{
	(void)ctx, (void)octets, (void)len, (void)wire_octets;
}

/*
 * An interface that is opened again while its link is up is open twice, and both have the
 * frames received since then: forwards those that the former still has, and discards those
 * of the other, so that no frame is forwarded twice (6.5.4). A frame that arrives between
 * these two steps is lost. Of each, no more frames than its ring holds: others arrive meanwhile.
 * Until then no other port is served, nor until other rings taken over in the same turn are
 * drained: a PFC frame can wait for longer than RECV_BATCH_PFC frames.
 */
static void drain(struct soft *s, struct soft_port *port, const struct watch *former,
		  const struct watch *w)
{
	/* Not by the SecY, which would count them as replayed. */
	struct netio *other = netio_secy_link(w->io);
	unsigned batch = s->pfc_ports ? RECV_BATCH_PFC : RECV_BATCH;
	int n = (int)batch;

	for (uint32_t i = 0; i < former->slots && n == (int)batch; i += batch) {
		struct dcb_time now = soft_now(s);

		n = soft_receive(s, port, batch, now);
		soft_transmit(s, now);
	}
	n = RECV_BATCH;
	for (uint32_t i = 0; i < w->slots && n == RECV_BATCH; i += RECV_BATCH)
		n = other->ops->recv(other, RECV_BATCH, ignore_frame, NULL);
}

/*
 * Takes over the interface that the control thread has opened, and gives back the former
 * one. in_use: that received until now.
 */
static bool take_opened(struct soft *s, struct soft_iface *iface, bool in_use)
{
	struct mailbox_item *item = mailbox_take(&iface->wire.mailbox);
	struct watch *w = item ? watch_of(item) : NULL;
	struct watch *former = iface->wire.watch;

	if (!w)
		return false;
	if (former && in_use)
		drain(s, &iface->port, former, w);
	if (former) {
		iface->lost_before += former->io->ops->lost(former->io);
		forget_events(former);
	}
	iface->port.io = w->io;
	iface->port.blocked = false;
	iface->port.hm.dropping = false; /* by the former one: netio.begin_drop() */
	iface->wire.watch = w;
	assign_events(s, iface);
	if (former)
		mailbox_return(&iface->wire.mailbox, &former->item);
	return true;
}

/* The same for the tap of a station's port. */
static bool take_host(struct soft *s, struct soft_iface *iface)
{
	struct mailbox_item *item = mailbox_take(&iface->host.mailbox);

	if (!item)
		return false;
	give_host_back(iface);
	iface->host.watch = watch_of(item);
	station_port_set_host(&iface->port, iface->host.watch->io);
	assign_host_events(s, iface);
	return true;
}

/*
 * A port without its interface, or of a station without its tap, is not operational,
 * whatever the state of the link.
 */
static bool is_usable(const struct soft_iface *iface)
{
	bool open = iface->wire.watch && (!iface->port.station || iface->host.watch);

	return gauge_get(&iface->link_up) && (iface->port.base.settings.memory || open);
}

static void on_attached(void *ctx, struct soft_port *port)
{
	struct soft_iface *iface = soft_iface_of(port);

	iface->link_seen = __atomic_load_n(&iface->link_seq, __ATOMIC_ACQUIRE);
	soft_macsec_attach(ctx, iface);
	if (!take_opened(ctx, iface, false))
		assign_events(ctx, iface);
	if (!take_host(ctx, iface))
		assign_host_events(ctx, iface);
	gauge_set(&port->up, is_usable(iface));
	if (port->up)
		watch(iface);
}

static void on_detached(void *ctx, struct soft_port *port)
{
	unwatch(soft_iface_of(port));
	soft_macsec_detach(ctx, soft_iface_of(port));
}

/* Without the event, for want of memory or of watches of the user, the port tries again soon. */
static void on_blocked(void *ctx, struct soft_port *port)
{
	struct watch *w = soft_iface_of(port)->wire.watch;

	if (!w || !event_initialized(&w->send) || port->io->send_fd < 0 ||
	    event_add(&w->send, NULL) == 0)
		return;
	port->blocked = false;
	arm_timer(ctx, dcb_time_add_ns(clock_now(), SEND_RETRY_NS));
}

static void on_failed(void *ctx, struct soft_port *port, int error)
{
	fail_port(ctx, port, error);
}

const struct port_set_ops soft_port_ops = {
    .attached = on_attached,
    .detached = on_detached,
    .blocked = on_blocked,
    .failed = on_failed,
    .storm = on_storm,
    .lldp = on_lldp,
    .measured = on_measured,
    .now = on_now,
};

/* --- configuration and link updates --------------------------------------------------------- */

static void apply_link_update(struct soft *s, struct soft_port *port, struct dcb_time now)
{
	struct soft_iface *iface = soft_iface_of(port);
	uint32_t seq = __atomic_load_n(&iface->link_seq, __ATOMIC_ACQUIRE);
	bool up, taken;

	if (seq == iface->link_seen)
		return;
	iface->link_seen = seq;
	soft_macsec_take_mtu(iface);
	taken = take_opened(s, iface, port->up);
	taken |= take_host(s, iface);
	if (taken && port->up)
		watch(iface);
	up = is_usable(iface);
	if (up && !port->up) {
		soft_macsec_link_up(iface);
		s->engine->port_up(s->ports, port, now);
		watch(iface);
	} else if (!up && port->up) {
		s->engine->port_down(s->ports, port, now);
		unwatch(iface);
	}
	s->engine->port_changed(s->ports, port, now);
}

static void apply_link_updates(struct soft *s, struct dcb_time now)
{
	const struct dcb_config *config = s->ports->config;

	if (!__atomic_exchange_n(&s->links_changed, false, __ATOMIC_ACQ_REL))
		return;
	for (size_t i = 0; config && i < config->n_ports; i++)
		apply_link_update(s, soft_port_of(config->ports[i].port), now);
}

static bool measures(const struct dcb_config_port *p)
{
	return port_measures(p->config, &p->oper);
}

/*
 * Counts the ports that have PFC, obey PAUSE, or measure their headroom. The counts are those of
 * the configuration adopted.
 */
static void count_prompt(struct soft *s, const struct dcb_config *config)
{
	const struct dcb_config *old = s->ports->config;
	bool follows = dcb_config_follows(config, old);

	if (!follows)
		s->pfc_ports = s->pause_ports = s->measuring_ports = 0;
	for (size_t i = dcb_config_next_changed_from(config, old, 0); i < config->n_ports;
	     i = dcb_config_next_changed_from(config, old, i + 1)) {
		s->pfc_ports += config->ports[i].oper.pfc_enable != 0;
		s->pfc_ports -= follows && old->ports[i].oper.pfc_enable;
		s->pause_ports += !follows && config->ports[i].port->settings.rx_pause;
		s->measuring_ports += measures(&config->ports[i]);
		s->measuring_ports -= follows && measures(&old->ports[i]);
	}
}

static void adopt(struct soft *s, struct dcb_time now)
{
	const struct dcb_config *config = __atomic_load_n(&s->published, __ATOMIC_ACQUIRE);

	if (!config || config == s->ports->config)
		return;
	count_prompt(s, config);
	adjust_real_time(s, now);
	s->engine->adopt(s->ports, config, now);
	__atomic_store_n(&s->generation_adopted, config->generation, __ATOMIC_RELEASE);
	(void)eventfd_write(s->event_fd, 1);
}

void soft_apply_updates(struct soft *s)
{
	struct dcb_time now = soft_now(s);

	adopt(s, now);
	apply_link_updates(s, now);
	/* The change may have ended rate limits, or pauses that this system requested by PFC. */
	soft_transmit(s, now);
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
	wait_if_parked(s);
	soft_apply_updates(s);
}

static void *run(void *ctx)
{
	struct timespec pause = {.tv_nsec = 0};
	struct soft *s = ctx;

	/* By the thread itself: for another one it is a file of /proc, which dcbd cannot open. */
	pthread_setname_np(pthread_self(), s->params.name ? s->params.name : "dataplane");
	(void)prctl(PR_SET_TIMERSLACK, 1UL); /* ns: else 50 us are added to a pause */
	take_real_time(s);
	while (event_base_loop(s->loop, LIST_EMPTY(&s->polled) ? EVLOOP_ONCE : EVLOOP_NONBLOCK) ==
		   0 &&
	       !event_base_got_break(s->loop)) {
		soft_poll(s);
		pause.tv_nsec = soft_pause_ns(s);
		if (pause.tv_nsec)
			(void)clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL);
	}
	return NULL;
}

/* --- start and stop ------------------------------------------------------------------------- */

/*
 * A timer of the kernel each second. With one of libevent epoll_wait() has a timeout, for which the
 * kernel sets and cancels a timer in each wait: on a virtual machine with one frame in each turn,
 * that took a twentieth of the processor time of the frame.
 */
static int start_tick(void)
{
	const struct itimerspec second = {.it_interval.tv_sec = 1, .it_value.tv_sec = 1};
	int fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);

	if (fd >= 0)
		(void)timerfd_settime(fd, 0, &second, NULL);
	return fd;
}

bool soft_make_loop(struct soft *s)
{
	struct event_config *config = event_config_new();

	if (!config)
		return false;
	event_config_set_flag(config, EVENT_BASE_FLAG_NOLOCK); /* one thread uses this base */
	s->loop = event_base_new_with_config(config);
	event_config_free(config);
	s->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	s->tick_fd = start_tick();
	if (!s->loop || s->timer_fd < 0 || s->tick_fd < 0)
		return false;
	event_assign(&s->wake, s->loop, s->wake_fd, EV_READ | EV_PERSIST, on_wake, s);
	event_assign(&s->timer, s->loop, s->timer_fd, EV_READ | EV_PERSIST, on_timer, s);
	event_assign(&s->tick, s->loop, s->tick_fd, EV_READ | EV_PERSIST, on_tick, s);
	return event_add(&s->wake, NULL) == 0 && event_add(&s->timer, NULL) == 0 &&
	       event_add(&s->tick, NULL) == 0;
}

void soft_free_loop(struct soft *s)
{
	if (!s->loop)
		return;
	event_del(&s->wake);
	event_del(&s->timer);
	event_del(&s->tick);
	event_base_free(s->loop);
	if (s->timer_fd >= 0)
		close(s->timer_fd);
	if (s->tick_fd >= 0)
		close(s->tick_fd);
}

int soft_start_thread(struct soft *s)
{
	cpu_set_t cpus;
	int error;

	if (s->params.priority && !(s->realtime.observer = rt_observer_start()))
		return errno;
	error = thread_start(&s->thread, run, s);
	if (error)
		return error;
	s->has_thread = true;
	if (s->params.cpu < 0)
		return 0;
	CPU_ZERO(&cpus);
	CPU_SET((unsigned)s->params.cpu, &cpus);
	return pthread_setaffinity_np(s->thread, sizeof(cpus), &cpus);
}

void soft_stop_thread(struct soft *s)
{
	if (s->has_thread) {
		__atomic_store_n(&s->stop, true, __ATOMIC_RELEASE);
		(void)eventfd_write(s->wake_fd, 1);
		pthread_join(s->thread, NULL);
		s->has_thread = false;
	}
	rt_observer_stop(s->realtime.observer);
	s->realtime.observer = NULL;
}
