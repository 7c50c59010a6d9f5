/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Assigns the flows of a priority to its flow queues, that is, to reaction points. A
 * rule of dcbd.conf assigns its flows to the queue that it names, and that queue is
 * for them alone. Every other flow gets a free queue with its first frame, and keeps it
 * while it is in use; a flow shares a queue with others only if none is free. So a CNM
 * slows down another flow than its own only while there are more flows than queues.
 *
 * A queue that no flow used for a second is free again: flow_queues_age().
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

#define OF_AGE(d) ((struct flow_queue *)((char *)(d)-offsetof(struct flow_queue, age)))

#define SEEN_SHIFT 27 /* unit of flow_entry.seen */

/* --- sets of flow queues ----------------------------------------------------- */

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

/* --- flow queues: free or assigned ------------------------------------------- */

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

void flow_queues_age(struct station_port *sp, struct dcb_time now)
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

/* --- the table of flows ------------------------------------------------------ */

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

/* --- assigning flows --------------------------------------------------------- */

/* Returns the flow queue for a new flow. */
static struct flow_queue *queue_for(struct station_port *sp, unsigned priority, uint64_t hash,
				    struct dcb_time now)
{
	struct station_pri *pri = &sp->pri[priority];
	bool is_new = has_left(&sp->first[priority], new_last(sp, priority, hash));

	if (is_empty(&pri->free))
		flow_queues_age(sp, now);
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

/* --- rpppMaxRps -------------------------------------------------------------- */

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
		fq_move_frames(st, fq, fq_get(sp, priority, 0));
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
