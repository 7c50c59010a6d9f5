/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ring of fixed-size elements between one producer thread and one consumer
 * thread. Wait-free on both ends; a full ring refuses. head and tail run on
 * without wrapping to the ring's size, so their difference is the fill.
 *
 * What a thread writes has a cache line of its own, and what never changes has
 * one that stays in both caches. Beside its own end each thread keeps what it
 * last saw of the other's, and looks again only when by that the ring is full,
 * or empty: with many elements in the ring that is once for all of them.
 */
#ifndef DCB_LIB_RING_H
#define DCB_LIB_RING_H

#include <stdalign.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#define RING_CACHE_LINE 64

struct ring {
	/* Never changes. */
	alignas(RING_CACHE_LINE) uint32_t slot_octets;
	uint32_t mask;

	/* Producer. */
	alignas(RING_CACHE_LINE) uint32_t head;
	uint32_t tail_seen;

	/* Consumer. */
	alignas(RING_CACHE_LINE) uint32_t tail;
	uint32_t head_seen;

	alignas(RING_CACHE_LINE) uint8_t slots[];
};

/* slots: a power of two. To be freed with free(). NULL: no memory. */
static inline struct ring *ring_new(uint32_t slots, uint32_t slot_octets)
{
	size_t octets = sizeof(struct ring) + (size_t)slots * slot_octets;
	size_t lines = (octets + RING_CACHE_LINE - 1) / RING_CACHE_LINE;
	struct ring *r = aligned_alloc(RING_CACHE_LINE, lines * RING_CACHE_LINE);

	if (r)
		*r = (struct ring){.slot_octets = slot_octets, .mask = slots - 1};
	return r;
}

static inline void *ring_slot(struct ring *r, uint32_t at)
{
	return r->slots + (size_t)(at & r->mask) * r->slot_octets;
}

/* Producer: the slot to fill next, NULL when the ring is full; then ring_commit(). */
static inline void *ring_reserve(struct ring *r)
{
	if (r->head - r->tail_seen > r->mask) {
		r->tail_seen = __atomic_load_n(&r->tail, __ATOMIC_ACQUIRE);
		if (r->head - r->tail_seen > r->mask)
			return NULL;
	}
	return ring_slot(r, r->head);
}

static inline void ring_commit(struct ring *r)
{
	__atomic_store_n(&r->head, r->head + 1, __ATOMIC_RELEASE);
}

/* Consumer: the oldest element, NULL when there is none; then ring_release(). */
static inline void *ring_peek(struct ring *r)
{
	if (r->tail == r->head_seen) {
		r->head_seen = __atomic_load_n(&r->head, __ATOMIC_ACQUIRE);
		if (r->tail == r->head_seen)
			return NULL;
	}
	return ring_slot(r, r->tail);
}

static inline void ring_release(struct ring *r)
{
	__atomic_store_n(&r->tail, r->tail + 1, __ATOMIC_RELEASE);
}

#endif
