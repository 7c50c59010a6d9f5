/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/station/destinations.h"

#include "dataplane/core/flow.h"

#include <stddef.h>
#include <stdlib.h>

#define SEEN_SHIFT 16 /* unit of destination.seen */
#define SEEN_MASK  ((UINT64_C(1) << 40) - 1)

#define SET_BITS_MIN 2

/* The group bit of the address in destination_of(). */
#define GROUP_BIT (UINT64_C(1) << (40 + 12))

static uint64_t seen_at(struct dcb_time now)
{
	return (uint64_t)now.ns >> SEEN_SHIFT & SEEN_MASK;
}

static uint64_t age_of(const struct destination *e, uint64_t now)
{
	return (now - e->seen) & SEEN_MASK;
}

static bool is_recent(const struct destination *e, uint64_t now)
{
	return age_of(e, now) < (uint64_t)DESTINATION_SEEN_NS >> SEEN_SHIFT;
}

/* Flow queues that send to the same destination use different sets: 41 is odd. */
static struct destination *set_of(struct destinations *d, uint64_t to, unsigned queue)
{
	uint64_t hash = flow_address_hash(to, d->key);

	return d->entry[((hash >> (64 - d->set_bits)) + 41 * queue) & ((1u << d->set_bits) - 1)];
}

static uint32_t sender_index(uint64_t key, uint64_t to)
{
	return (uint32_t)(flow_address_hash(to, key) % DESTINATION_SENDERS);
}

/* Returns the entry of a set for the destination of the flow queue, or NULL. */
static struct destination *find(struct destination *set, uint64_t to, unsigned queue)
{
	for (unsigned i = 0; i < DESTINATION_WAYS; i++) {
		if (set[i].to == to && set[i].queue == queue)
			return &set[i];
	}
	return NULL;
}

/* Returns the entry of a set to replace: a free one, or the one not used for the longest time. */
static struct destination *oldest(struct destination *set, uint64_t now)
{
	struct destination *best = set;

	for (unsigned i = 0; i < DESTINATION_WAYS; i++) {
		if (!set[i].to)
			return &set[i];
		if (age_of(&set[i], now) > age_of(best, now))
			best = &set[i];
	}
	return best;
}

struct destinations *destinations_new(uint32_t n)
{
	struct destinations size = {.set_bits = SET_BITS_MIN}, *d;

	if (n == 0)
		n = DESTINATION_SETS;
	while (size.set_bits < DESTINATION_SET_BITS && 1u << size.set_bits < n)
		size.set_bits++;
	d = calloc(1, destinations_octets(&size));
	if (d)
		d->set_bits = size.set_bits;
	return d;
}

void destinations_sent(struct destinations *d, uint64_t to, unsigned queue, uint32_t octets,
		       uint32_t more, struct dcb_time now)
{
	struct destination *set = set_of(d, to, queue), *e = find(set, to, queue);
	uint32_t earned = destination_credit(octets);
	uint64_t seen = seen_at(now);

	if (!e || !is_recent(e, seen)) {
		if (!e)
			e = oldest(set, seen);
		*e = (struct destination){.to = to, .queue = (uint8_t)queue};
		if (!(to & GROUP_BIT))
			earned = DESTINATION_CNM_OCTETS;
	}
	e->seen = seen & SEEN_MASK;
	earned += e->credit + more;
	e->credit = (uint16_t)(earned < UINT16_MAX ? earned : UINT16_MAX);
}

enum destination_verdict destinations_accept(struct destinations *d, uint64_t to, unsigned queue,
					     bool charge, struct dcb_time now)
{
	struct destination *e = find(set_of(d, to, queue), to, queue);

	if (!e || !is_recent(e, seen_at(now)))
		return DESTINATION_UNKNOWN;
	if (!charge)
		return DESTINATION_ACCEPTED;
	if (e->credit < DESTINATION_CNM_OCTETS)
		return DESTINATION_EXCESS;
	e->credit = (uint16_t)(e->credit - DESTINATION_CNM_OCTETS);
	return DESTINATION_ACCEPTED;
}

void destinations_note_sender(struct destination_senders *s, uint64_t key, uint64_t to,
			      unsigned queue)
{
	uint32_t i = sender_index(key, to);

	s->to[i] = to;
	s->queue[i] = (uint8_t)queue;
}

int destinations_sender(const struct destination_senders *s, uint64_t key, uint64_t to)
{
	uint32_t i = sender_index(key, to);

	return s->to[i] == to ? s->queue[i] : -1;
}
