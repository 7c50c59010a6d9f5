/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Flow queues, their scheduling, and the flows in them. A flow queue with frames is either ready or
 * waits for its limiter. station_transmit() serves the ready ones of a priority round-robin; its
 * cost does not depend on the number of waiting ones.
 *
 * The flows of a priority are assigned to its flow queues, that is, to reaction points. A
 * rule of dcbd.conf assigns its flows to the queue that it names, and that queue is
 * for them alone. Every other flow gets a free queue with its first frame, and keeps it
 * while it is in use; a flow shares a queue with others only if none is free. So a CNM
 * slows down another flow than its own only while there are more flows than queues.
 * A queue that no flow used for a second is free again: age_flow_queues().
 *
 * A table, part of the port, has an entry for each flow. A full set of the table gives
 * up the flow that sent nothing for the longest time. If all flows of the set have
 * frames queued, the frames of a further one go to queue 0 without an entry.
 *
 * The table has room for 16384 flows of a priority, and makes all of this one lookup a frame. A
 * port has one flow queue for each priority; the table, the other flow queues and the destinations
 * of a CNPV are allocated when a configuration that needs them is prepared, so frames never wait
 * for memory.
 *
 * Frames of a flow are never reordered: it changes its queue only after its last frame
 * has left the old one. It stays in a queue that is rate-limited, because it might be the
 * reason for that: a new queue has no limit.
 */
#include "dataplane/station/station_private.h"

#include <string.h>

#include "dataplane/port/port_pfc.h"
#include "lib/octets.h"

#define CENTISECOND_NS (10 * DCB_NS_PER_MS)

#define OF_SEND(d)  ((struct flow_queue *)((char *)(d)-offsetof(struct flow_queue, send)))
#define OF_TIMER(d) ((struct flow_queue *)((char *)(d)-offsetof(struct flow_queue, timer)))
#define OF_AGE(d)   ((struct flow_queue *)((char *)(d)-offsetof(struct flow_queue, age)))

#define SEEN_SHIFT 27 /* unit of flow_entry.seen */

/* --- busy ports ----------------------------------------------------------------------------- */

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

/* --- statistics of reaction points ---------------------------------------------------------- */

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

/* --- ready or waiting ----------------------------------------------------------------------- */

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

/* --- frames in ------------------------------------------------------------------------------ */

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

/* Moves all frames of a flow queue behind those of another one of the same priority. */
static void move_frames(struct station *st, struct flow_queue *from, struct flow_queue *to)
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

/* --- sets of flow queues -------------------------------------------------------------------- */

static void put(struct fq_set *set, unsigned index, bool in)
{
	uint64_t bit = UINT64_C(1) << index % 64;

	if (in)
		set->bits[index / 64] |= bit;
	else
		set->bits[index / 64] &= ~bit;
}

static bool contains(const struct fq_set *set, unsigned index)
{
	return set->bits[index / 64] >> index % 64 & 1;
}

static bool is_empty(const struct fq_set *set)
{
	return !(set->bits[0] | set->bits[1]);
}

/* Returns the lowest index in a set that is not empty. */
static unsigned lowest(const struct fq_set *set)
{
	return set->bits[0] ? (unsigned)__builtin_ctzll(set->bits[0])
			    : 64 + (unsigned)__builtin_ctzll(set->bits[1]);
}

/* --- flow queues: free or assigned ---------------------------------------------------------- */

static bool is_in_use(const struct flow_queue *fq)
{
	return fq->limited || !dcb_queue_is_empty(&fq->queue);
}

/* Makes all entries of the table that name the flow queue invalid. */
static void forget_flows(struct flow_queue *fq)
{
	fq->epoch = (uint16_t)(fq->epoch < UINT16_MAX ? fq->epoch + 1 : 1);
	fq->flows = 0;
}

/* Makes a flow queue free. */
static void give_back(struct flow_queue *fq)
{
	struct station_pri *pri = fq_pri(fq);

	deadlines_remove(&fq->owner->ages, &fq->age);
	forget_flows(fq);
	put(&pri->free, fq->index, contains(&pri->exclusive, fq->index));
}

/* Returns when a flow queue can be given back, or checked again if it is in use. */
static struct dcb_time age_deadline(const struct flow_queue *fq, struct dcb_time now)
{
	return dcb_time_add_ns(is_in_use(fq) ? now : fq->sent_at, FLOW_QUEUE_AGE_NS);
}

/* Gives back the flow queues that were not used for FLOW_QUEUE_AGE_NS. */
static void age_flow_queues(struct station_port *sp, struct dcb_time now)
{
	struct deadline *first;

	while ((first = deadlines_first(&sp->ages)) && !dcb_time_before(now, first->at)) {
		struct flow_queue *fq = OF_AGE(first);
		struct dcb_time at = age_deadline(fq, now);

		if (dcb_time_before(now, at)) {
			deadlines_set(&sp->ages, &fq->age, at);
			continue;
		}
		give_back(fq);
		counter_add(&sp->port->stats.flows_aged, 1);
	}
}

/* Assigns a flow queue, which may be free. */
static struct flow_queue *take(struct station_port *sp, unsigned priority, unsigned index,
			       struct dcb_time now)
{
	struct station_pri *pri = &sp->pri[priority];
	struct flow_queue *fq = fq_get(sp, priority, index);

	if (contains(&pri->free, index)) {
		put(&pri->free, index, false);
		fq->sent_at = now;
		deadlines_set(&sp->ages, &fq->age, age_deadline(fq, now));
	}
	return fq;
}

/*
 * Choice: returns the flow queue that a flow shares if none is free. Of two that its
 * hash names, it is the one that is not rate-limited, else the one with fewer flows. With
 * two candidates instead of one, fewer flows are slowed down for others, and the work
 * does not depend on the number of queues.
 */
static struct flow_queue *share(struct station_port *sp, unsigned priority, uint64_t hash)
{
	const struct station_pri *pri = &sp->pri[priority];
	unsigned i = flow_hash_index(hash, pri->n_pool);
	unsigned k = flow_hash_index(hash << 32, pri->n_pool);
	struct flow_queue *a = fq_get(sp, priority, pri->pool[i]);
	struct flow_queue *b = fq_get(sp, priority, pri->pool[k]);

	if (a->limited != b->limited)
		return a->limited ? b : a;
	return b->flows < a->flows ? b : a;
}

/* --- the table of flows --------------------------------------------------------------------- */

static struct flow_entry *set_of(struct station_port *sp, unsigned priority, uint64_t hash)
{
	return sp->pri[priority].table->flows[hash >> (64 - FLOW_SET_BITS)];
}

/* Returns where flow_entry.last is for the flows of the set that have no entry. */
static uint32_t *unlisted_of(struct station_port *sp, unsigned priority, uint64_t hash)
{
	return &sp->pri[priority].table->unlisted_last[hash >> (64 - FLOW_SET_BITS)];
}

/* The units wrap after 34 s: an older entry may then be given up later than a newer one. */
static uint8_t seen_at(struct dcb_time now)
{
	return (uint8_t)((uint64_t)now.ns >> SEEN_SHIFT);
}

static uint8_t age_of(const struct flow_entry *e, uint8_t now)
{
	return (uint8_t)(now - e->seen);
}

/* Returns whether the frame after which flow_queue.pushed was last has left the queue. */
static bool has_left(const struct flow_queue *fq, uint32_t last)
{
	return fq->pushed - last >= fq->queue.frames;
}

/*
 * Returns flow_entry.last of a new flow in queue 0: there may be frames of it that
 * had no entry, or were moved. Of the two, it is the later one.
 */
static uint32_t new_last(struct station_port *sp, unsigned priority, uint64_t hash)
{
	uint32_t pushed = sp->first[priority].pushed, moved = sp->pri[priority].moved_last;
	uint32_t unlisted = *unlisted_of(sp, priority, hash);

	return pushed - unlisted < pushed - moved ? unlisted : moved;
}

/* Returns whether the flow queue that an entry names was not given back since. */
static bool is_valid(const struct flow_entry *e, const struct flow_queue *fq)
{
	return e->epoch == fq->epoch;
}

/* Returns the entry of the set that has the flow's hash, or NULL. */
static struct flow_entry *match(struct flow_entry *set, uint64_t hash)
{
	for (unsigned i = 0; i < FLOW_WAYS; i++) {
		if (set[i].flow == hash)
			return &set[i];
	}
	return NULL;
}

/* Returns the flow's entry, or NULL. hash: not 0. */
static struct flow_entry *find(struct station_port *sp, unsigned priority, uint64_t hash)
{
	struct flow_entry *e = sp->pri[priority].recent;

	if (e->flow != hash)
		e = match(set_of(sp, priority, hash), hash);
	return e && is_valid(e, fq_at(sp, priority, e->queue)) ? e : NULL;
}

/*
 * Returns whether an entry can be given up: the flow's frames have left the queue, and
 * the queue is not rate-limited or the flow sent nothing for FLOW_QUEUE_AGE_NS.
 */
static bool is_dispensable(const struct flow_entry *e, const struct flow_queue *fq, uint8_t now)
{
	return has_left(fq, e->last) &&
	       (!fq->limited || age_of(e, now) >= FLOW_QUEUE_AGE_NS >> SEEN_SHIFT);
}

/* Returns an entry of the set for a new flow; NULL: the flows of the set need them all. */
static struct flow_entry *make_room(struct station_port *sp, unsigned priority, uint64_t hash,
				    uint8_t now)
{
	struct flow_entry *set = set_of(sp, priority, hash), *best = match(set, hash);

	if (best)
		return best; /* it is not valid */
	for (unsigned i = 0; i < FLOW_WAYS; i++) {
		const struct flow_queue *fq = fq_at(sp, priority, set[i].queue);

		if (!set[i].flow || !is_valid(&set[i], fq))
			return &set[i];
		if (is_dispensable(&set[i], fq, now) &&
		    (!best || age_of(&set[i], now) > age_of(best, now)))
			best = &set[i];
	}
	if (best)
		fq_at(sp, priority, best->queue)->flows--;
	return best;
}

/* Writes the entry of a flow that has no frames in another flow queue. */
static void enter(struct flow_entry *e, uint64_t hash, struct flow_queue *fq)
{
	*e = (struct flow_entry){
	    .flow = hash,
	    .last =
		fq->index ? fq->pushed - fq->queue.frames : new_last(fq->owner, fq->priority, hash),
	    .epoch = fq->epoch,
	    .queue = fq->index,
	};
	fq->flows++;
}

/* --- assigning flows ------------------------------------------------------------------------ */

/* Returns the flow queue for a new flow. */
static struct flow_queue *queue_for(struct station_port *sp, unsigned priority, uint64_t hash,
				    struct dcb_time now)
{
	struct station_pri *pri = &sp->pri[priority];
	bool is_new = has_left(&sp->first[priority], new_last(sp, priority, hash));

	if (is_empty(&pri->free))
		age_flow_queues(sp, now);
	if (is_new && !is_empty(&pri->free)) {
		counter_add(&sp->port->stats.flows_assigned, 1);
		return take(sp, priority, lowest(&pri->free), now);
	}
	counter_add(&sp->port->stats.flows_sharing, 1);
	return is_new ? share(sp, priority, hash) : take(sp, priority, 0, now);
}

/* Makes an entry of a new flow. Returns NULL if there is no room. */
static struct flow_entry *add(struct station_port *sp, unsigned priority, uint64_t hash,
			      struct dcb_time now)
{
	struct flow_entry *e = make_room(sp, priority, hash, seen_at(now));

	if (e)
		enter(e, hash, queue_for(sp, priority, hash, now));
	return e;
}

/* Returns whether a flow's queue has, or may have, other flows. */
static bool shares(const struct station_pri *pri, const struct flow_queue *fq)
{
	return fq->flows > 1 || !contains(&pri->exclusive, fq->index);
}

/* Assigns a flow that shares its queue to a free one, if that is possible now. */
static void leave(struct station_port *sp, unsigned priority, struct flow_entry *e, uint64_t hash,
		  struct dcb_time now)
{
	struct flow_queue *fq = fq_at(sp, priority, e->queue);

	if (fq->limited || !has_left(fq, e->last))
		return;
	fq->flows--;
	enter(e, hash, take(sp, priority, lowest(&sp->pri[priority].free), now));
	counter_add(&sp->port->stats.flows_assigned, 1);
}

struct flow_queue *flow_queues_assign(struct station *st, struct station_port *sp,
				      unsigned priority, uint64_t hash, uint32_t **last)
{
	struct flow_entry *e = find(sp, priority, hash);
	struct station_pri *pri = &sp->pri[priority];

	if (!e)
		e = add(sp, priority, hash, st->now);
	else if (!is_empty(&pri->free) && shares(pri, fq_at(sp, priority, e->queue)))
		leave(sp, priority, e, hash, st->now);
	if (!e) {
		counter_add(&sp->port->stats.flows_unlisted, 1);
		*last = unlisted_of(sp, priority, hash);
		return take(sp, priority, 0, st->now);
	}
	pri->recent = e;
	e->seen = seen_at(st->now);
	*last = &e->last;
	return fq_at(sp, priority, e->queue);
}

unsigned flow_queues_find(const struct station_port *sp, unsigned priority, uint64_t hash)
{
	const struct flow_entry *e = find((struct station_port *)sp, priority, hash);

	return e ? e->queue : 0;
}

/* --- rpppMaxRps ----------------------------------------------------------------------------- */

/* Returns the flow queues that rules name. */
static struct fq_set named_by_rules(const struct flow_rules *rules, unsigned n)
{
	struct fq_set named = {{0}};

	for (size_t i = 0; i < rules->n; i++) {
		int index = flow_rule_index(&rules->rule[i], n);

		if (index >= 0)
			put(&named, (unsigned)index, true);
	}
	return named;
}

/* Sets the pool: the flow queues that no rule names, or all if rules name all of them. */
static void set_pool(const struct station *st, struct station_port *sp, unsigned priority)
{
	struct station_pri *pri = &sp->pri[priority];
	struct fq_set named = named_by_rules(&st->flows, pri->rppp_max_rps);
	uint8_t n = 0;

	for (unsigned i = 0; i < RPPP_MAX_RPS_LIMIT; i++) {
		bool exclusive = i < pri->rppp_max_rps && !contains(&named, i);

		if (exclusive)
			pri->pool[n++] = (uint8_t)i;
		put(&pri->exclusive, i, exclusive);
		put(&pri->free, i, exclusive && !fq_at(sp, priority, i)->age.pos);
	}
	for (; is_empty(&pri->exclusive) && n < pri->rppp_max_rps; n++)
		pri->pool[n] = n;
	pri->n_pool = n;
}

void flow_queues_configure(struct station *st, struct station_port *sp, unsigned priority,
			   uint8_t rppp_max_rps)
{
	struct station_pri *pri = &sp->pri[priority];
	struct flow_queue *first = &sp->first[priority], *fq;
	uint8_t before = pri->rppp_max_rps;

	if (rppp_max_rps == before)
		return;
	for (unsigned i = rppp_max_rps; (fq = fq_next_used(sp, priority, &i));) {
		move_frames(st, fq, fq_get(sp, priority, 0));
		give_back(fq);
	}
	/* The table is not used: the entries of queue 0 would be outdated afterwards. */
	if (rppp_max_rps == 1 && first->used)
		give_back(first);
	if (rppp_max_rps < before || before == 1)
		pri->moved_last = first->pushed;
	pri->rppp_max_rps = rppp_max_rps;
	pri->recent = pri->table ? pri->table->flows[0] : NULL;
	if (pri->rule_rps > rppp_max_rps)
		pri->rule_rps = rppp_max_rps;
	set_pool(st, sp, priority);
	if (is_in_use(first))
		(void)take(sp, priority, 0, st->now);
}

void flow_queues_apply_rules(const struct station *st, struct station_port *sp, unsigned priority)
{
	struct station_pri *pri = &sp->pri[priority];
	struct flow_queue *fq;
	bool applies = false;

	for (size_t i = 0; i < st->flows.n; i++)
		applies |= flow_rule_index(&st->flows.rule[i], pri->rppp_max_rps) >= pri->rule_rps;
	for (unsigned i = 0; applies && (fq = fq_next_used(sp, priority, &i));) {
		if (fq->limited)
			forget_flows(fq);
		else
			give_back(fq);
	}
	pri->rule_rps = pri->rppp_max_rps;
}

/* --- CNMs ----------------------------------------------------------------------------------- */

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

/* --- configuration -------------------------------------------------------------------------- */

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

/* --- sending -------------------------------------------------------------------------------- */

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

/* Returns the VLAN in which the neighbor receives a frame: its C-TAG's, or the PVID. */
static uint16_t vid_of(const struct soft_port *port, const uint8_t *octets)
{
	uint16_t vid = ETH_VID_NONE;

	if (get_be16(octets + ETH_TYPE_OFFSET) == ETH_TYPE_CTAG)
		vid = get_be16(octets + ETH_TYPE_OFFSET + 2) & ETH_VID_MASK;
	return vid == ETH_VID_NONE ? port->base.settings.pvid : vid;
}

static uint64_t destination_of_frame(const struct soft_port *port, const struct dcb_frame *frame)
{
	return destination_of(flow_address(frame->data), vid_of(port, frame->data));
}

/*
 * Notes that the flow queue sent n frames, a list by next from frame on, as destinations of which
 * CNMs are accepted: one look at the table for successive frames to one destination.
 */
static void note_sent(struct flow_queue *fq, const struct dcb_frame *frame, unsigned n,
		      struct dcb_time now)
{
	const struct soft_port *port = fq->owner->port;
	const struct station_pri *pri = fq_pri(fq);
	uint64_t to = destination_of_frame(port, frame), next = to;

	while (n > 0) {
		uint32_t octets = frame->len, more = 0;

		while (--n > 0) {
			frame = frame->next;
			next = destination_of_frame(port, frame);
			if (next != to)
				break;
			more += destination_credit(frame->len);
		}
		destinations_sent(pri->destinations, fq_destination(fq, to), fq->index, octets,
				  more, now);
		if (pri->rppp_max_rps > 1)
			destinations_note_sender(&pri->table->senders, pri->destinations->key, to,
						 fq->index);
		to = next;
	}
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
	note_sent(fq, frame, 1, st->now);
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
	note_sent(fq, first, n, st->now);
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

/* --- time ----------------------------------------------------------------------------------- */

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
	age_flow_queues(sp, st->now);
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
