/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Flow queues and their scheduling. A flow queue with frames is either ready or
 * waits for its limiter. station_transmit() serves the ready ones of a priority
 * round-robin; its cost does not depend on the number of waiting ones.
 */
#include "dataplane/station/station_private.h"

#include "lib/octets.h"
#include "dataplane/port/port_pfc.h"

#include <string.h>

#define CENTISECOND_NS (10 * DCB_NS_PER_MS)

#define OF_SEND(d)  ((struct flow_queue *)((char *)(d)-offsetof(struct flow_queue, send)))
#define OF_TIMER(d) ((struct flow_queue *)((char *)(d)-offsetof(struct flow_queue, timer)))

/* --- busy ports ------------------------------------------------------------ */

static void mark_busy(struct station *st, struct station_port *sp)
{
	if (sp->busy.le_prev)
		return;
	LIST_INSERT_HEAD(&st->busy, sp, busy);
	sp->port->queues.has_source = true;
	sp->centisecond = st->now.ns / CENTISECOND_NS;
}

void station_port_idle(struct station_port *sp)
{
	sp->port->queues.backlogged = sp->port->queues.has_source = false;
	if (!sp->busy.le_prev)
		return;
	LIST_REMOVE(sp, busy);
	sp->busy.le_prev = NULL;
}

/* --- statistics of reaction points ----------------------------------------- */

/* rpppRpCentiseconds, 32.10.3: the sum, over centiseconds, of enabled reaction points. */
static void count_centiseconds(struct station_port *sp, struct dcb_time now)
{
	int64_t centisecond = now.ns / CENTISECOND_NS;
	uint64_t passed = (uint64_t)(centisecond - sp->centisecond);

	if (!sp->enabled || centisecond <= sp->centisecond) {
		sp->centisecond = centisecond;
		return;
	}
	sp->centisecond = centisecond;
	for (unsigned p = 0; p < DCB_PRIORITIES; p++) {
		if (sp->pri[p].enabled)
			counter_add(&sp->pri[p].stats.rppp_rp_centiseconds,
				    passed * sp->pri[p].enabled);
	}
}

static void show_rp(struct flow_queue *fq)
{
	gauge_set(&fq->stats.rp_enabled, fq->rp.rp_enabled);
	gauge_set(&fq->stats.state, (uint8_t)fq->rp.state);
	gauge_set(&fq->stats.rp_fb, fq->rp.rp_fb);
	gauge_set(&fq->stats.rp_target_rate, fq->rp.rp_target_rate.bps);
	gauge_set(&fq->stats.rp_current_rate, fq->rp.rp_current_rate.bps);
	gauge_set(&fq->stats.rp_byte_stage, fq->rp.rp_byte_stage);
	gauge_set(&fq->stats.rp_time_stage, fq->rp.rp_time_stage);
}

static void show_queue(struct flow_queue *fq)
{
	gauge_set(&fq->stats.queue_octets, (uint32_t)fq->queue.octets);
}

/* --- ready or waiting ------------------------------------------------------ */

static void ring_append(struct flow_queue **ring, struct flow_queue *fq)
{
	if (!*ring) {
		*ring = fq->next = fq->prev = fq;
		return;
	}
	fq->next = *ring;
	fq->prev = (*ring)->prev;
	fq->prev->next = fq;
	fq->next->prev = fq;
}

static void ring_remove(struct flow_queue **ring, struct flow_queue *fq)
{
	if (fq->next == fq) {
		*ring = NULL;
		return;
	}
	fq->prev->next = fq->next;
	fq->next->prev = fq->prev;
	if (*ring == fq)
		*ring = fq->next;
}

static void unschedule(struct flow_queue *fq)
{
	struct station_pri *pri = fq_pri(fq);

	if (fq->place == FQ_READY) {
		ring_remove(&pri->ready, fq);
		if (!pri->ready)
			fq->owner->ready &= (uint8_t) ~(1u << fq->priority);
		pri->ready_unlimited -= !fq->limited;
	} else if (fq->place == FQ_WAITING) {
		deadlines_remove(&fq->owner->waiting, &fq->send);
	}
	fq->place = FQ_UNSCHEDULED;
}

static void schedule(struct flow_queue *fq, struct dcb_time now)
{
	struct station_pri *pri = fq_pri(fq);

	if (dcb_queue_is_empty(&fq->queue))
		return;
	if (fq->limited && !limiter_is_due(&fq->limiter, now)) {
		deadlines_set(&fq->owner->waiting, &fq->send, fq->limiter.next);
		fq->place = FQ_WAITING;
		return;
	}
	ring_append(&pri->ready, fq);
	fq->owner->ready |= (uint8_t)(1u << fq->priority);
	pri->ready_unlimited += !fq->limited;
	fq->place = FQ_READY;
}

static void update_limited(struct station *st, struct flow_queue *fq)
{
	bool enabled = fq->rp.rp_enabled;

	fq->limited = enabled;
	fq_pri(fq)->enabled += enabled ? 1u : -1u;
	fq->owner->enabled += enabled ? 1u : -1u;
	limiter_forget(&fq->limiter, st->now, 0);
}

/*
 * Applies the reaction point's state to limiter, timers and statistics. The caller
 * has called count_centiseconds(). A flow queue at FQ_UNSCHEDULED stays there: its
 * caller calls schedule().
 */
static void apply_rp(struct station *st, struct flow_queue *fq)
{
	struct dcb_rate rate = rp_limiter_rate(&fq->rp);

	if (rate.bps != fq->rate.bps) {
		bool placed = fq->place != FQ_UNSCHEDULED;

		unschedule(fq);
		if (fq->rp.rp_enabled != fq->limited)
			update_limited(st, fq);
		else
			limiter_change_rate(&fq->limiter, fq->rate, rate, st->now);
		fq->rate = rate;
		if (placed)
			schedule(fq, st->now);
	}
	deadlines_set(&fq->owner->timers, &fq->timer, rp_next_deadline(&fq->rp));
	show_rp(fq);
}

/* 32.14: ends an empty queue's reaction point at full rate, or with an index >= rpppMaxRps. */
static void test_terminate(struct flow_queue *fq)
{
	struct station_pri *pri = fq_pri(fq);
	bool empty = dcb_queue_is_empty(&fq->queue);

	if (fq->index >= pri->rppp_max_rps && empty)
		rp_reset(&fq->rp, &pri->params);
	else
		(void)rp_test_terminate(&fq->rp, &pri->params, empty);
}

/* --- frames in ------------------------------------------------------------- */

struct flow_queue *fq_init(struct station_port *sp, unsigned priority, unsigned index)
{
	struct flow_queue *fq = fq_at(sp, priority, index);
	struct station_pri *pri = &sp->pri[priority];

	fq->owner = sp;
	fq->priority = (uint8_t)priority;
	fq->index = (uint8_t)index;
	fq->epoch = 1;
	rp_init(&fq->rp, &pri->params);
	rp_set_freeze(&fq->rp, sp->paused >> priority & 1, (struct dcb_time){0});
	show_rp(fq);
	if (index >= pri->used)
		pri->used = (uint8_t)(index + 1);
	__atomic_store_n(&fq->used, true, __ATOMIC_RELEASE);
	return fq;
}

/*
 * The flow queues of a priority share its account. Besides its limit in octets, a flow
 * queue may have no more frames than the account has left: one flow queue cannot use
 * up the account, several share it.
 */
struct buffer_account *fq_admit(struct flow_queue *fq, uint32_t len)
{
	uint32_t limit = fq->owner->port->base.settings.flow_buffer_octets;
	struct buffer_account *account = &fq->owner->port->buffers.flows[fq->priority];

	if (dcb_queue_fits(&fq->queue, len, limit ? limit : STATION_FLOW_BUFFER) &&
	    fq->queue.frames < buffer_room_frames(account) &&
	    buffer_take(account, len) == BUFFER_FITS)
		return account;
	counter_add(&fq->stats.discards, 1);
	return NULL;
}

void fq_enqueue(struct station *st, struct flow_queue *fq, struct dcb_frame *frame)
{
	bool was_empty = dcb_queue_is_empty(&fq->queue);

	dcb_queue_push(&fq->queue, frame);
	fq->pushed++;
	fq_pri(fq)->queued++;
	show_queue(fq);
	if (!was_empty)
		return;
	limiter_forget(&fq->limiter, st->now, 0);
	schedule(fq, st->now);
	mark_busy(st, fq->owner);
}

/* Returns the offset of the CN-TAG that the frame has or could have. */
static uint32_t cn_tag_offset(const struct dcb_frame *frame)
{
	return get_be16(frame->data + ETH_TYPE_OFFSET) == ETH_TYPE_CTAG
		   ? ETH_TYPE_OFFSET + ETH_TAG_OCTETS
		   : ETH_TYPE_OFFSET;
}

void fq_move_frames(struct station *st, struct flow_queue *from, struct flow_queue *to)
{
	struct dcb_frame *frame;

	unschedule(from);
	while ((frame = dcb_queue_pop(&from->queue))) {
		fq_pri(from)->queued--;
		if (frame->flags & FRAME_CN_TAGGED)
			put_be16(frame->data + cn_tag_offset(frame) + 2, fq_flow_id(to));
		fq_enqueue(st, to, frame);
	}
	show_queue(from);
}

/* --- CNMs ------------------------------------------------------------------ */

void fq_receive_cnm(struct station *st, struct flow_queue *fq, uint8_t qntz_fb)
{
	struct station_port *sp = fq->owner;
	struct station_pri *pri = fq_pri(fq);

	counter_add(&sp->cnm.cnm_received, 1);
	if (qntz_fb == 0 || !pri->params.rpg.rpg_enable)
		counter_add(&sp->cnm.cnm_no_effect, 1);
	if (qntz_fb == 0)
		return;
	counter_add(&fq->stats.cnms, 1);
	count_centiseconds(sp, st->now);
	if (rp_receive_cnm(&fq->rp, &pri->params, qntz_fb, st->now, &st->ports.rng))
		gauge_set(&pri->stats.rppp_created_rps, pri->stats.rppp_created_rps + 1);
	apply_rp(st, fq);
	if (fq->limited)
		mark_busy(st, sp);
}

/* Passes feedback of the port's own congestion point to the reaction point without a CNM. */
static void own_cnm(struct station *st, struct flow_queue *fq, const struct cp_verdict *verdict)
{
	if (verdict->cnm) {
		counter_add(&fq->owner->port->cn.cp_stats[fq->priority].cp_transmitted_cnms, 1);
		fq_receive_cnm(st, fq, verdict->qntz_fb);
	}
}

/* --- configuration --------------------------------------------------------- */

void fq_reconfigure(struct station *st, struct flow_queue *fq)
{
	struct station_pri *pri = fq_pri(fq);
	bool is_cnpv = station_is_cnpv(fq->owner->port, fq->priority);

	count_centiseconds(fq->owner, st->now);
	if (is_cnpv)
		rp_reconfigure(&fq->rp, &pri->params, st->now);
	else
		rp_reset(&fq->rp, &pri->params);
	test_terminate(fq);
	apply_rp(st, fq);
}

static void free_frame(struct station *st, struct dcb_frame *frame)
{
	buffer_release(frame->account, frame->len, 1);
	frame_pool_put(&st->ports.pool, frame);
}

void fq_reset(struct station *st, struct flow_queue *fq)
{
	struct dcb_frame *frame;

	unschedule(fq);
	while ((frame = dcb_queue_pop(&fq->queue))) {
		fq_pri(fq)->queued--;
		free_frame(st, frame);
		counter_add(&fq->owner->port->stats.discard_down, 1);
	}
	show_queue(fq);
	count_centiseconds(fq->owner, st->now);
	rp_reset(&fq->rp, &fq_pri(fq)->params);
	apply_rp(st, fq);
	fq->limiter = (struct limiter){0};
}

/* --- sending --------------------------------------------------------------- */

/* The defense mode changed while the frame was queued. A CN-TAG uses the room in front of it. */
static void retag(struct dcb_frame *frame, uint16_t flow_id)
{
	uint32_t at = cn_tag_offset(frame);
	uint8_t *p = frame->data;

	if (frame->flags & FRAME_CN_TAGGED) {
		frame->data = memmove(p + ETH_TAG_OCTETS, p, at);
		frame->len = eth_pad(frame->data, frame->len - ETH_TAG_OCTETS);
	} else {
		frame->data = memmove(p - ETH_TAG_OCTETS, p, at);
		put_be32(frame->data + at, (uint32_t)ETH_TYPE_CN_TAG << 16 | flow_id);
		frame->len += ETH_TAG_OCTETS;
	}
	frame->flags ^= FRAME_CN_TAGGED;
}

/* False after a change of the defense mode, until take_frame(). */
static bool has_final_tags(const struct station_pri *pri, const struct dcb_frame *frame)
{
	return !(frame->flags & FRAME_CN_TAGGED) == !pri->adds_cn_tags;
}

/* Counts frames that were taken out of the flow queue. */
static void count_taken(struct flow_queue *fq, uint32_t frames, uint64_t octets)
{
	fq_pri(fq)->queued -= frames;
	counter_add(&fq->stats.frames, frames);
	counter_add(&fq->stats.octets, octets);
	show_queue(fq);
}

static struct dcb_frame *take_frame(struct flow_queue *fq)
{
	struct dcb_frame *frame = dcb_queue_pop(&fq->queue);

	if (!has_final_tags(fq_pri(fq), frame)) {
		buffer_release(frame->account, frame->len, 1);
		retag(frame, fq_flow_id(fq));
		buffer_take_over(frame->account, frame->len);
	}
	count_taken(fq, 1, frame->len);
	return frame;
}

/* TransmitDataFrame(), 32.14. */
static void charge_rp(struct station *st, struct flow_queue *fq, uint32_t len)
{
	const struct rp_params *params = &fq_pri(fq)->params;

	limiter_forget(&fq->limiter, st->now, STATION_CATCH_UP_NS);
	limiter_charge(&fq->limiter, rp_limiter_rate(&fq->rp), dcb_wire_octets(len));
	rp_frame_sent(&fq->rp, params, len, st->now, &st->ports.rng);
	test_terminate(fq);
	apply_rp(st, fq);
}

/* Moves the oldest frame of a ready flow queue to the port's queue. */
static void send_one(struct station *st, struct flow_queue *fq)
{
	struct cp_verdict verdict;
	struct dcb_frame *frame;

	unschedule(fq);
	frame = take_frame(fq);
	fq->sent_at = st->now;
	if (port_discards(fq->owner->port, frame->priority)) {
		free_frame(st, frame);
		schedule(fq, st->now);
		return;
	}
	station_cnm_note_sent(fq, frame, 1, st->now);
	if (fq->limited)
		charge_rp(st, fq, frame->len);
	verdict = port_set_enqueue(&st->ports, fq->owner->port, frame, st->now);
	own_cnm(st, fq, &verdict);
	schedule(fq, st->now);
}

/*
 * Moves frames of ready flow queues, in turn, while the port's queue of the priority has less than
 * limit octets, at most the port's buffer, which is for one priority: a paused one keeps no other
 * from being sent. An empty queue accepts a frame of any length. limited: only while all of these
 * flow queues are rate-limited. Returns the number of frames.
 */
static unsigned fill(struct station *st, struct station_port *sp, unsigned priority, uint32_t limit,
		     bool limited)
{
	const struct dcb_queue *q = port_queue(sp->port, priority);
	const struct station_pri *pri = &sp->pri[priority];
	uint32_t buffer = sp->port->base.settings.buffer_octets;
	unsigned n = 0;

	if (limit > buffer)
		limit = buffer;
	for (; pri->ready && !(limited && pri->ready_unlimited); n++) {
		uint32_t len = dcb_queue_peek(&pri->ready->queue)->len + ETH_TAG_OCTETS;

		if (!dcb_queue_is_empty(q) && q->octets + len > limit)
			break;
		send_one(st, pri->ready);
	}
	return n;
}

/*
 * Frames past the port's queue, which takes less than push_limit: a few long frames for each call
 * of the interface. While that accepts all, it gets frames of the flow queues, in the same order.
 */
struct passage {
	struct iovec frames[PORT_SEND_BATCH];
	struct flow_queue *from[PORT_SEND_BATCH];
	unsigned n;
};

/* Selects frames of the ready flow queues in turn; none if one of these is rate-limited. */
static void select_passage(const struct station_pri *pri, struct passage *p)
{
	const struct dcb_frame *next[PORT_SEND_BATCH];
	struct flow_queue *from[PORT_SEND_BATCH], *fq = pri->ready;
	unsigned n = 0;

	p->n = 0;
	do {
		if (fq->limited)
			return;
		from[n] = fq;
		next[n++] = dcb_queue_peek(&fq->queue);
		fq = fq->next;
	} while (fq != pri->ready && n < PORT_SEND_BATCH);
	while (n > 0) {
		unsigned left = 0;

		for (unsigned i = 0; i < n; i++) {
			if (p->n == PORT_SEND_BATCH || !has_final_tags(pri, next[i]))
				return;
			p->from[p->n] = from[left] = from[i];
			p->frames[p->n++] = (struct iovec){next[i]->data, next[i]->len};
			next[left] = next[i]->next;
			left += next[left] != NULL;
		}
		n = left;
	}
}

/* Takes the first n frames, which have left, out of the flow queue. */
static void take_passed(struct station *st, struct flow_queue *fq, unsigned n)
{
	struct dcb_frame *first = fq->queue.head, *last = first;
	uint64_t octets = first->len;

	for (unsigned i = 1; i < n; i++) {
		last = last->next;
		octets += last->len;
	}
	station_cnm_note_sent(fq, first, n, st->now);
	dcb_queue_cut(&fq->queue, last->next, n, octets);
	count_taken(fq, n, octets);
	buffer_release(first->account, (uint32_t)octets, n);
	frame_pool_put_list(&st->ports.pool, first, last, n);
}

/* Returns the number of successive frames of one flow queue, from index at to before end. */
static unsigned run_length(const struct passage *p, unsigned at, unsigned end)
{
	unsigned n = 1;

	while (at + n < end && p->from[at + n] == p->from[at])
		n++;
	return n;
}

/*
 * Counts frames of the passage that left, from index at to before end: the first ones, of one flow
 * queue, none after one that causes a CNM, and a single one if the flow queue is limited. Returns
 * their number.
 */
static unsigned passed(struct station *st, const struct passage *p, unsigned at, unsigned end)
{
	struct flow_queue *fq = p->from[at];
	bool limited = fq->limited;
	unsigned n = limited ? 1 : run_length(p, at, end);
	struct cp_verdict verdict;

	unschedule(fq);
	fq->sent_at = st->now;
	if (limited) {
		take_passed(st, fq, 1);
		charge_rp(st, fq, (uint32_t)p->frames[at].iov_len);
	}
	n = port_passed(fq->owner->port, p->frames + at, n, fq->priority, &st->ports.rng, &verdict);
	if (!limited)
		take_passed(st, fq, n);
	own_cnm(st, fq, &verdict);
	schedule(fq, st->now);
	return n;
}

/*
 * Sends frames of the flow queues past the port's queue, if they need not wait there and one
 * priority alone has frames. Returns their number.
 */
static unsigned pass_frames(struct station *st, struct station_port *sp)
{
	unsigned priority, n;
	struct passage p;

	if (!sp->ready || sp->ready & (sp->ready - 1))
		return 0;
	priority = (unsigned)__builtin_ctz(sp->ready);
	if (!port_passes(sp->port, priority))
		return 0;
	select_passage(&sp->pri[priority], &p);
	n = p.n ? port_pass(sp->port, p.frames, p.n, priority, st->now) : 0;
	for (unsigned i = 0; i < n;)
		i += passed(st, &p, i, n);
	return n;
}

/* Serves the flow queues round-robin until the port has enough. Returns the number of frames. */
static unsigned serve_flow_queues(struct station *st, struct station_port *sp)
{
	unsigned n = pass_frames(st, sp);

	for (unsigned p = 0; sp->ready >> p; p++) {
		if (sp->ready >> p & 1)
			n += fill(st, sp, p, sp->pri[p].push_limit, false);
	}
	return n;
}

/* Returns for how long the port has been full while only limited flow queues are ready. */
static int64_t contended_ns(struct station_port *sp, unsigned priority, struct dcb_time now)
{
	struct station_pri *pri = &sp->pri[priority];
	bool limited = !pri->ready_unlimited, lasts = sp->contended >> priority & 1;

	if (!limited || !lasts || dcb_time_before(now, pri->contended))
		pri->contended = now;
	sp->contended =
	    (uint8_t)((sp->contended & ~(1u << priority)) | (unsigned)limited << priority);
	return dcb_time_diff_ns(now, pri->contended);
}

/*
 * Contention: the port has had enough for STATION_CATCH_UP_NS, and all ready flow
 * queues are rate-limited. Their rates exceed the port rate, so their frames go to
 * the port's queue beyond push_limit, where its congestion point samples them. The
 * delay excludes bursts after the host was busy: those wait in the flow queues. If
 * a ready flow queue is not limited, all wait: otherwise the limited ones would keep
 * it from sending. Returns the number of frames.
 */
static unsigned overfill(struct station *st, struct station_port *sp)
{
	unsigned n = 0;

	sp->contended &= sp->ready;
	for (unsigned p = 0; sp->ready >> p; p++) {
		if (sp->ready >> p & 1 && contended_ns(sp, p, st->now) >= STATION_CATCH_UP_NS &&
		    !sp->port->blocked && !(sp->port->queues.paused >> p & 1))
			n += fill(st, sp, p, UINT32_MAX, true);
	}
	return n;
}

/* --- time ------------------------------------------------------------------ */

/* rpFreeze, 32.13.7: while PFC pauses the priority. */
static void apply_pause(struct station *st, struct station_port *sp)
{
	uint8_t changed = sp->paused ^ sp->port->queues.paused;
	struct flow_queue *fq;

	sp->paused = sp->port->queues.paused;
	for (unsigned p = 0; p < DCB_PRIORITIES; p++) {
		if (!(changed >> p & 1))
			continue;
		for (unsigned i = 0; (fq = fq_next_used(sp, p, &i));) {
			rp_set_freeze(&fq->rp, sp->paused >> p & 1, st->now);
			apply_rp(st, fq);
		}
	}
}

static void advance(struct station *st, struct station_port *sp)
{
	struct deadline *first;

	count_centiseconds(sp, st->now);
	flow_queues_age(sp, st->now);
	if (sp->paused != sp->port->queues.paused)
		apply_pause(st, sp);
	while ((first = deadlines_first(&sp->timers)) && !dcb_time_before(st->now, first->at)) {
		struct flow_queue *fq = OF_TIMER(first);

		rp_advance(&fq->rp, &fq_pri(fq)->params, st->now, &st->ports.rng);
		test_terminate(fq);
		apply_rp(st, fq);
	}
	while ((first = deadlines_first(&sp->waiting)) && !dcb_time_before(st->now, first->at)) {
		struct flow_queue *fq = OF_SEND(first);

		unschedule(fq);
		schedule(fq, st->now);
	}
}

/* Returns the next deadline of the port's flow queues and reaction points. */
static struct dcb_time next_deadline(const struct station_port *sp)
{
	struct dcb_time next =
	    dcb_time_min(deadlines_next(&sp->waiting), deadlines_next(&sp->timers));

	if (sp->enabled)
		next =
		    dcb_time_min(next, (struct dcb_time){(sp->centisecond + 1) * CENTISECOND_NS});
	return next;
}

static bool is_idle(const struct station_port *sp)
{
	return !sp->enabled && !sp->waiting.n && !sp->ready;
}

/*
 * A port that needs a refill is served again after its flow queues, even if they
 * had no frames.
 *
 * backlogged: only the first refill after an idle time finds the port idle. The
 * following frames were ready at the same time and only waited for room in the
 * port's queue. If the port had frames left before, none of them finds it idle.
 */
static struct dcb_time transmit_all(struct station *st)
{
	struct station_port *sp;
	struct dcb_time next;
	unsigned n;

	do {
		next = port_set_transmit(&st->ports, st->now);
		n = 0;
		for (sp = LIST_FIRST(&st->busy); sp; sp = LIST_NEXT(sp, busy)) {
			n += serve_flow_queues(st, sp) + port_needs_refill(sp->port);
			sp->port->queues.backlogged = true;
		}
	} while (n);
	for (sp = LIST_FIRST(&st->busy); sp; sp = LIST_NEXT(sp, busy))
		n += overfill(st, sp);
	return n ? port_set_transmit(&st->ports, st->now) : next;
}

struct dcb_time station_transmit(struct station *st, struct dcb_time now)
{
	struct station_port *sp, *following;
	struct dcb_time next;

	st->now = now;
	(void)port_pfc_advance(&st->ports.pfc, now);
	for (sp = LIST_FIRST(&st->busy); sp; sp = LIST_NEXT(sp, busy)) {
		sp->port->queues.backlogged = port_wants_to_send(sp->port);
		advance(st, sp);
	}
	next = transmit_all(st);
	for (sp = LIST_FIRST(&st->busy); sp; sp = following) {
		following = LIST_NEXT(sp, busy);
		sp->port->queues.backlogged = false;
		next = dcb_time_min(next, next_deadline(sp));
		if (is_idle(sp))
			station_port_idle(sp);
	}
	return next;
}
