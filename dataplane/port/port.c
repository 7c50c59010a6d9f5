/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/port/port.h"

#include "lib/counter.h"

static void map_queues(struct soft_port *port);

void port_init(struct soft_port *port)
{
	port->up = port->base.link.up;
	port_take_link(port);
	map_queues(port);
}

/* --- link ---------------------------------------------------------------- */

void port_take_link(struct soft_port *port)
{
	uint64_t mac = 0;

	for (unsigned i = DCB_MAC_OCTETS; i-- > 0;)
		mac = mac << 8 | port->base.link.mac[i];
	gauge_set(&port->link.mac, mac);
	gauge_set(&port->link.bps, port->base.link.speed.bps);
	gauge_set(&port->link.mtu, port->base.link.mtu);
}

/* --- queues --------------------------------------------------------------- */

/* Holds the queues that have, or may receive, frames of a paused priority. */
static void hold_queues(struct soft_port *port)
{
	uint16_t held = 0;

	for (unsigned i = 0; i < DCB_PRIORITIES; i++) {
		if (port->queues.holds[i] & port->queues.paused)
			held |= (uint16_t)(1u << i);
	}
	port->queues.held = held;
}

static uint8_t sharing_classes(const struct soft_port *port)
{
	uint8_t mask = 0;

	for (unsigned tc = 0; tc < DCB_PRIORITIES; tc++)
		if (port->oper.ets_tables.tsa[tc] == TSA_ETS)
			mask |= (uint8_t)(1u << tc);
	return mask;
}

/* A queue that is not empty may still have frames of priorities that now map elsewhere. */
static void map_queues(struct soft_port *port)
{
	const uint8_t *classes = port_classes(&port->base.settings, &port->oper);

	tclass_map(&port->queues.tclass, classes, port->cn.map.cnpv);
	if (port->oper.ets)
		ets_configure(&port->queues.ets, &port->queues.tclass, classes,
			      sharing_classes(port), port->oper.ets_tables.bandwidth);
	for (unsigned i = 0; i < DCB_PRIORITIES; i++) {
		if (dcb_queue_is_empty(&port->queues.queue[i]))
			port->queues.holds[i] = 0;
		port->queues.holds[i] |= port->queues.tclass.members[i];
	}
	hold_queues(port);
}

static void queue_emptied(struct soft_port *port, unsigned queue)
{
	port->queues.filled &= (uint16_t) ~(1u << queue);
	if (queue != PORT_CONTROL &&
	    port->queues.holds[queue] != port->queues.tclass.members[queue]) {
		port->queues.holds[queue] = port->queues.tclass.members[queue];
		hold_queues(port);
	}
}

/* --- congestion points --------------------------------------------------- */

static void set_qlen(struct soft_port *port, unsigned priority)
{
	struct cp_stats *stats = &port->cn.cp_stats[priority];
	uint32_t qlen = port->cn.cp[priority].cp_qlen;

	gauge_set(&stats->cp_qlen, qlen);
	if (qlen > stats->cp_qlen_peak)
		gauge_set(&stats->cp_qlen_peak, qlen);
}

/* Frames queued before the priority became a CNPV count in cpQLen as well. */
static void cp_start(struct soft_port *port, unsigned priority, const struct cp_config *config,
		     struct dcb_rng *rng)
{
	struct cp *cp = &port->cn.cp[priority];

	cp_init(cp, config, rng);
	cp->cp_qlen = cp->cp_qlen_old = (uint32_t)port->queues.queue[priority].octets;
	for (const struct dcb_frame *f = port->queues.queue[priority].head;
	     port->base.settings.early && f; f = f->next)
		cp_early_count(cp, &port->base.settings.cp_early, f->len);
	gauge_set(&port->cn.cp_stats[priority].cp_fb, 0);
	set_qlen(port, priority);
}

static struct cnd_map map_of(const struct soft_port *port, const struct dcb_config *whole,
			     const struct dcb_config_port *own)
{
	const struct port_settings *settings = &port->base.settings;
	struct cnd_defense defense[DCB_PRIORITIES];
	struct cnd_map map;

	for (unsigned i = 0; i < DCB_PRIORITIES; i++)
		defense[i] = dcb_config_defense(whole, own, i);
	cnd_map(&map, defense, whole->cnpv_acting,
		settings->regenerates ? settings->regeneration : NULL);
	return map;
}

void port_configure(struct soft_port *port, const struct dcb_config *whole,
		    const struct dcb_config_port *own, struct dcb_rng *rng)
{
	const struct port_config *config = own->config;
	struct cnd_map map = map_of(port, whole, own);

	for (unsigned i = 0; i < DCB_PRIORITIES; i++) {
		if (!(map.cnpv >> i & 1)) {
			if (port_has_cp(port, i))
				gauge_set(&port->cn.cp_stats[i].cp_qlen, 0);
		} else if (port_has_cp(port, i)) {
			cp_reconfigure(&port->cn.cp[i], &config->cp[i]);
		} else {
			cp_start(port, i, &config->cp[i], rng);
		}
	}
	port->cn.map = map;
	port->cn.tagged = map.interior | own->oper.pfc_agreed;
	port->config = config;
	port->oper = own->oper;
	port->peer_apps = own->peer_apps;
	map_queues(port);
}

struct cp_verdict port_cp_frame_in(struct soft_port *port, unsigned priority, uint32_t len,
				   struct dcb_rng *rng)
{
	struct cp_stats *stats = &port->cn.cp_stats[priority];
	const struct port_settings *settings = &port->base.settings;
	struct cp_verdict verdict;

	if (settings->early)
		verdict = cp_early_enqueue(&port->cn.cp[priority], &settings->cp_early, len, rng);
	else
		verdict = cp_enqueue(&port->cn.cp[priority], len, rng);
	counter_add(&stats->cp_transmitted_frames, 1);
	set_qlen(port, priority);
	if (verdict.sampled) {
		counter_add(&stats->cp_samples, 1);
		gauge_set(&stats->cp_fb, port->cn.cp[priority].cp_fb);
	}
	return verdict;
}

static void cp_frame_out(struct soft_port *port, unsigned priority, uint32_t len)
{
	struct cp *cp = &port->cn.cp[priority];

	if (port->base.settings.early)
		cp_early_dequeue(cp, &port->base.settings.cp_early, len);
	else
		cp_dequeue(cp, len);
	gauge_set(&port->cn.cp_stats[priority].cp_qlen, cp->cp_qlen);
}

/* --- enqueue ------------------------------------------------------------- */

static void count_drop(struct soft_port *port, unsigned priority, uint64_t *reason)
{
	counter_add(reason, 1);
	if (port_has_cp(port, priority))
		counter_add(&port->cn.cp_stats[priority].cp_discarded_frames, 1);
}

void port_count_refused(struct soft_port *port, unsigned queue, enum buffer_verdict verdict)
{
	count_drop(port, queue,
		   verdict == BUFFER_NO_OCTETS ? &port->stats.discard_queue
					       : &port->stats.discard_no_buffer);
}

void port_count_no_buffer(struct soft_port *port, uint8_t priority)
{
	count_drop(port, priority, &port->stats.discard_no_buffer);
}

/* An idle or paused port accumulates no rate; only a backlogged port catches up. */
static void forget_idle_time(struct soft_port *port, struct dcb_time now)
{
	if (!port_wants_to_send(port) && !port->queues.backlogged)
		limiter_forget(&port->queues.limiter, now, 0);
}

/* Returns when a frame queued at that time exceeds the maximum transit delay. */
static struct dcb_time expiry(const struct soft_port *port, struct dcb_time queued)
{
	return port->queues.transit_ns ? dcb_time_add_ns(queued, port->queues.transit_ns)
				       : DCB_TIME_NEVER;
}

/* The port has no frames that it may send: before one is queued. */
void port_begin_backlog(struct soft_port *port, struct dcb_time now)
{
	forget_idle_time(port, now);
	if (!port->queues.filled)
		port->queues.expires = expiry(port, now);
}

void port_count_held(struct soft_port *port, struct dcb_frame *frame)
{
	unsigned queue = frame->flags & PORT_FRAME_CONTROL ? PORT_CONTROL : frame->priority;

	frame->account = &port->buffers.lossy[queue];
	buffer_take_over(frame->account, frame->len);
}

/* Counts a frame out of its queue and congestion point. The caller releases its account. */
static void frame_left(struct soft_port *port, unsigned queue, const struct dcb_frame *frame)
{
	if (dcb_queue_is_empty(&port->queues.queue[queue]))
		queue_emptied(port, queue);
	if (port_has_cp(port, queue))
		cp_frame_out(port, queue, frame->len);
}

/* Adds a frame to what the run releases: a copy counts with its group. */
static inline void count_out(struct buffer_run *run, const struct dcb_frame *frame)
{
	if (!(frame->flags & PORT_FRAME_COPY))
		buffer_run_add(run, frame->account, frame->len);
}

/* Returns the buffer of a frame that has left its queue. The run releases what counts it. */
static void release(struct frame_pool *pool, struct buffer_run *run, struct dcb_frame *frame)
{
	count_out(run, frame);
	frame_put(pool, frame);
}

void port_flush(struct soft_port *port, struct frame_pool *pool)
{
	struct buffer_run run = {0};
	struct dcb_frame *frame;

	for (unsigned i = 0; i < PORT_QUEUES; i++) {
		while ((frame = dcb_queue_pop(&port->queues.queue[i]))) {
			frame_left(port, i, frame);
			release(pool, &run, frame);
			counter_add(&port->stats.discard_down, 1);
		}
	}
	buffer_run_end(&run);
}

/* Frames of other priorities in the queue are popped and pushed once: their order stays. */
uint32_t port_discard_priority(struct soft_port *port, struct frame_pool *pool, unsigned priority)
{
	unsigned queue = port->queues.tclass.queue[priority];
	struct buffer_run run = {0};
	uint32_t discarded = 0;

	for (uint32_t n = port->queues.queue[queue].frames; n > 0; n--) {
		struct dcb_frame *frame = dcb_queue_pop(&port->queues.queue[queue]);

		if (frame->priority != priority) {
			dcb_queue_push(&port->queues.queue[queue], frame);
			continue;
		}
		frame_left(port, queue, frame);
		release(pool, &run, frame);
		discarded++;
	}
	buffer_run_end(&run);
	return discarded;
}

/*
 * 36.2.5: a bridge discards frames older than its maximum transit delay, also if
 * the priority is paused or the interface does not accept frames. This resolves
 * deadlocks of bridges that pause each other in a loop. The first frame of a queue
 * is its oldest. discard_late counts those of queues that may send: the port is too
 * slow for what its queue holds.
 */
static void discard_expired(struct soft_port *port, struct frame_pool *pool, struct dcb_time now)
{
	uint16_t sends = port->blocked ? 0 : (uint16_t) ~(port->queues.held | 1u << PORT_CONTROL);
	struct buffer_run run = {0};

	port->queues.expires = DCB_TIME_NEVER;
	for (unsigned i = 0; i < PORT_QUEUES; i++) {
		struct dcb_frame *frame;

		while ((frame = dcb_queue_peek(&port->queues.queue[i])) &&
		       !dcb_time_before(now, expiry(port, frame->queued))) {
			unsigned priority = frame->priority;

			dcb_queue_pop(&port->queues.queue[i]);
			frame_left(port, i, frame);
			release(pool, &run, frame);
			counter_add(&port->stats.discard_transit, 1);
			if (sends >> i & 1)
				counter_add(&port->stats.discard_late[priority], 1);
		}
		if (frame)
			port->queues.expires =
			    dcb_time_min(port->queues.expires, expiry(port, frame->queued));
	}
	buffer_run_end(&run);
}

void port_take_over_frames(struct soft_port *port, struct port_buffers *from)
{
	for (unsigned i = 0; i < PORT_QUEUES; i++) {
		for (struct dcb_frame *f = dcb_queue_peek(&port->queues.queue[i]); f; f = f->next) {
			const struct buffer_account *account = frame_account(f);

			if (account >= from->lossless && account < from->lossless + DCB_PRIORITIES)
				frame_count_in(f, &port->buffers.lossy[f->priority]);
		}
	}
}

/* --- transmission selection ---------------------------------------------- */

void port_pause(struct soft_port *port, uint8_t paused, struct dcb_time now)
{
	forget_idle_time(port, now);
	port->queues.paused = paused;
	hold_queues(port);
}

void port_update_pause(struct soft_port *port, struct dcb_time now)
{
	const struct pfc_watchdog *w = &port->pfc.watchdog.engine;
	uint8_t paused =
	    port->pfc.rx.paused >> PFC_RX_LINK & 1 ? 0xff : (uint8_t)port->pfc.rx.paused;

	paused &= (uint8_t) ~(w->dropping | w->forwarding);
	if (paused != port->queues.paused)
		port_pause(port, paused, now);
}

/* Strict priority: the control queue, then the traffic classes, highest first. */
static unsigned queue_at(const struct soft_port *port, unsigned rank)
{
	return rank == 0 ? PORT_CONTROL : port->queues.tclass.order[rank - 1];
}

/* Returns the queues that may send, one bit each. */
static uint16_t queues_to_send(const struct soft_port *port)
{
	return (uint16_t)(port->queues.filled & ~port->queues.held);
}

/* Clears the bit of the queue that sends first, and returns the queue. Most often it is alone. */
static unsigned take_first(const struct soft_port *port, uint16_t *ready)
{
	unsigned queue = (unsigned)__builtin_ctz(*ready), rank = 0;

	if (*ready & (*ready - 1)) {
		do
			queue = queue_at(port, rank++);
		while (!(*ready >> queue & 1));
	}
	*ready &= (uint16_t) ~(1u << queue);
	return queue;
}

/* Returns the octets that a frame occupies on the link. */
static uint32_t wire_octets(const struct soft_port *port, uint32_t len)
{
	return dcb_wire_octets(len + port->link_octets);
}

static void charge(const struct soft_port *port, struct limiter *limiter, uint32_t len)
{
	struct dcb_rate rate = port->base.settings.rate;

	if (!dcb_rate_is_unlimited(rate))
		limiter_charge(limiter, rate, wire_octets(port, len));
}

/*
 * Frames for one call of the interface's send(). The kernel has one priority for all of
 * them, so where its queueing discipline uses that, they have the same. The control queue
 * has the highest.
 */
struct batch {
	struct iovec iov[PORT_SEND_BATCH];
	unsigned n;
	unsigned priority;
	bool by_priority;
};

/* Returns false if the frame has to wait for the next batch. */
static inline bool batch_add(struct batch *b, const struct dcb_frame *frame)
{
	unsigned n = b->n;

	if (n == PORT_SEND_BATCH)
		return false;
	if (b->by_priority) {
		unsigned priority =
		    frame->flags & PORT_FRAME_CONTROL ? DCB_PRIORITIES - 1 : frame->priority;

		if (n > 0 && priority != b->priority)
			return false;
		b->priority = priority;
	}
	b->iov[n] = (struct iovec){frame->data, frame->len};
	b->n = n + 1;
	return true;
}

/* Selects frames in transmission order. They stay queued until the interface took them. */
static void select_strict(const struct soft_port *port, struct dcb_time now, struct batch *b)
{
	struct limiter limiter = port->queues.limiter;
	uint16_t ready = queues_to_send(port);

	while (ready) {
		unsigned queue = take_first(port, &ready);

		for (const struct dcb_frame *frame = dcb_queue_peek(&port->queues.queue[queue]);
		     frame; frame = frame->next) {
			if (!limiter_is_due(&limiter, now) || !batch_add(b, frame))
				return;
			charge(port, &limiter, frame->len);
		}
	}
}

/* --- transmission selection with ETS --- */

static unsigned shared_next(const struct ets *ets, uint16_t queues)
{
	return queues >> PORT_CONTROL & 1 ? PORT_CONTROL : ets_next(ets, (uint8_t)queues);
}

static void shared_sent(const struct soft_port *port, struct ets *ets, unsigned queue, uint32_t len)
{
	if (queue != PORT_CONTROL)
		ets_sent(ets, queue, wire_octets(port, len));
}

/*
 * With has_source, the batch ends when a queue runs empty: the owner may have frames
 * for it, and until they are queued the other queues would use its bandwidth.
 */
static void select_shared(const struct soft_port *port, struct dcb_time now, struct batch *b)
{
	struct limiter limiter = port->queues.limiter;
	struct ets ets = port->queues.ets;
	const struct dcb_frame *next[PORT_QUEUES];
	uint16_t queues = queues_to_send(port), all = queues;

	for (unsigned i = 0; i < PORT_QUEUES; i++)
		next[i] = dcb_queue_peek(&port->queues.queue[i]);
	while (queues && limiter_is_due(&limiter, now)) {
		unsigned queue = shared_next(&ets, queues);
		const struct dcb_frame *frame = next[queue];

		if (!batch_add(b, frame))
			break;
		charge(port, &limiter, frame->len);
		shared_sent(port, &ets, queue, frame->len);
		next[queue] = frame->next;
		if (!frame->next)
			queues &= (uint16_t) ~(1u << queue);
		if (port->queues.has_source && queues != all)
			break;
	}
}

/* --- transmission ---------------------------------------------------------- */

/* Collects the frames that are due at now and can be sent at once. Returns their number. */
static unsigned select_batch(const struct soft_port *port, struct dcb_time now, struct batch *b)
{
	b->n = 0;
	b->priority = 0;
	if (port->oper.ets)
		select_shared(port, now, b);
	else
		select_strict(port, now, b);
	return b->n;
}

/* Frames that were sent: a list by next, their octets, and what to release of their accounts. */
struct departed {
	struct dcb_frame *first, *last;
	uint64_t octets;
	struct buffer_run run;
	uint8_t flags; /* of all frames */
};

/*
 * Dequeues frames of a queue that were sent, at most max and at least one, and counts them out
 * of the congestion point. Returns their number.
 */
static unsigned depart(struct soft_port *port, unsigned queue, unsigned max, struct departed *d)
{
	struct dcb_queue *q = &port->queues.queue[queue];
	struct dcb_frame *frame = q->head, *last, **link = d->last ? &d->last->next : &d->first;
	bool has_cp = port_has_cp(port, queue);
	struct buffer_run run = d->run;
	uint8_t sent = 0, flags = d->flags;
	uint64_t octets = 0;
	unsigned n = 0;

	*link = frame;
	do {
		flags |= frame->flags;
		octets += frame->len;
		charge(port, &port->queues.limiter, frame->len);
		sent |= (uint8_t)(1u << frame->priority);
		if (has_cp)
			cp_frame_out(port, queue, frame->len);
		count_out(&run, frame);
		last = frame;
		frame = frame->next;
	} while (++n < max && frame);
	d->run = run;
	d->flags = flags;
	d->last = last;
	dcb_queue_cut(q, frame, n, octets);
	if (!frame)
		queue_emptied(port, queue);
	if (queue != PORT_CONTROL)
		port->sent |= sent;
	d->octets += octets;
	return n;
}

/* Dequeues the frames that were sent: the same in the same order as select_shared(). */
static void depart_shared(struct soft_port *port, unsigned left, struct departed *d)
{
	for (; left > 0; left--) {
		unsigned queue = shared_next(&port->queues.ets, queues_to_send(port));

		shared_sent(port, &port->queues.ets, queue,
			    dcb_queue_peek(&port->queues.queue[queue])->len);
		depart(port, queue, 1, d);
	}
}

/* The same as select_strict(). */
static void depart_strict(struct soft_port *port, unsigned left, struct departed *d)
{
	uint16_t ready = queues_to_send(port);

	while (left > 0)
		left -= depart(port, take_first(port, &ready), left, d);
}

/* Returns the buffers of n frames, of which some are copies. */
static void __attribute__((noinline))
put_mixed(struct frame_pool *pool, struct dcb_frame *frame, unsigned n)
{
	for (; n > 0; n--) {
		struct dcb_frame *next = frame->next;

		frame_put(pool, frame);
		frame = next;
	}
}

/* Dequeues and counts the sent frames, and returns their buffers. */
static void finish_batch(struct soft_port *port, struct frame_pool *pool,
			 const struct netio_sent *sent)
{
	struct departed d = {0};

	if (port->oper.ets)
		depart_shared(port, sent->taken, &d);
	else
		depart_strict(port, sent->taken, &d);
	buffer_run_end(&d.run);
	if (d.flags & PORT_FRAME_COPY)
		put_mixed(pool, d.first, sent->taken);
	else if (d.first)
		frame_pool_put_list(pool, d.first, d.last, sent->taken);
	counter_add(&port->stats.tx_frames, sent->taken - sent->refused);
	counter_add(&port->stats.tx_octets, d.octets - sent->refused_octets);
	if (sent->refused)
		counter_add(&port->stats.tx_errors, sent->refused);
}

void port_note_queues(struct soft_port *port, unsigned priorities)
{
	for (unsigned n = 0; priorities >> n; n++) {
		uint64_t octets = port->queues.queue[n].octets;
		struct pfc_peaks *peaks;

		if (!(priorities >> n & 1) || octets == 0)
			continue;
		peaks = port_peaks_now(port->peaks, n);
		if (octets > peaks->queue_octets)
			gauge_set(&peaks->queue_octets, octets);
	}
}

int port_transmit(struct soft_port *port, struct frame_pool *pool, struct dcb_time now)
{
	struct batch b;
	unsigned n;

	b.by_priority = gauge_get(&port->link.by_priority);
	if (!dcb_time_before(now, port->queues.expires))
		discard_expired(port, pool, now);
	limiter_forget(&port->queues.limiter, now, PORT_CATCH_UP_NS);
	if (port->peaks)
		port_note_queues(port, port->queues.filled & port->oper.pfc_enable);
	port->queues.needs_refill = false;
	while (!port->blocked && !port->queues.needs_refill &&
	       (n = select_batch(port, now, &b)) > 0) {
		uint16_t filled = port->queues.filled;
		struct netio_sent sent;

		netio_set_priority(port->io, b.priority);
		sent = port->io->ops->send(port->io, b.iov, n, now);
		finish_batch(port, pool, &sent);
		if (sent.error)
			return sent.error;
		port->blocked = sent.taken < n;
		port->queues.needs_refill =
		    port->queues.has_source && port->oper.ets && port->queues.filled != filled;
	}
	return 0;
}

unsigned port_pass(struct soft_port *port, const struct iovec *frames, unsigned n,
		   unsigned priority, struct dcb_time now)
{
	struct netio_sent sent = port->io->ops->send(port->io, frames, n, now);
	uint64_t octets = 0;

	for (unsigned i = 0; i < sent.taken; i++)
		octets += frames[i].iov_len;
	port->sent |= (uint8_t)((sent.taken > 0) << priority);
	port->blocked = sent.taken < n && !sent.error;
	counter_add(&port->stats.tx_frames, sent.taken - sent.refused);
	counter_add(&port->stats.tx_octets, octets - sent.refused_octets);
	if (sent.refused)
		counter_add(&port->stats.tx_errors, sent.refused);
	return sent.taken;
}

/* Counts the frames before the next one that the congestion point samples. Returns their number. */
static unsigned pass_unsampled(struct soft_port *port, const struct iovec *frames, unsigned n,
			       unsigned priority)
{
	struct cp_stats *stats = &port->cn.cp_stats[priority];
	struct cp *cp = &port->cn.cp[priority];
	uint32_t longest = 0;
	unsigned i = 0;

	if (port->base.settings.early)
		return 0;
	for (; i < n && cp_pass_unsampled(cp, (uint32_t)frames[i].iov_len); i++) {
		if (frames[i].iov_len > longest)
			longest = (uint32_t)frames[i].iov_len;
	}
	counter_add(&stats->cp_transmitted_frames, i);
	if (i > 0 && cp->cp_qlen + longest > stats->cp_qlen_peak)
		gauge_set(&stats->cp_qlen_peak, cp->cp_qlen + longest);
	return i;
}

unsigned port_passed(struct soft_port *port, const struct iovec *frames, unsigned n,
		     unsigned priority, struct dcb_rng *rng, struct cp_verdict *verdict)
{
	unsigned i = 0;

	*verdict = (struct cp_verdict){0};
	if (!port_has_cp(port, priority))
		return n;
	while (!verdict->cnm) {
		uint32_t len;

		i += pass_unsampled(port, frames + i, n - i, priority);
		if (i == n)
			break;
		len = (uint32_t)frames[i++].iov_len;
		*verdict = port_cp_frame_in(port, priority, len, rng);
		cp_frame_out(port, priority, len);
	}
	return i;
}

struct dcb_time port_deadline(const struct soft_port *port)
{
	bool sends = port_wants_to_send(port) && !port->blocked;

	if (!port->queues.filled)
		return DCB_TIME_NEVER;
	return sends ? dcb_time_min(port->queues.limiter.next, port->queues.expires)
		     : port->queues.expires;
}
