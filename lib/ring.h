/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ring of fixed-size elements between one producer thread and one consumer
 * thread. Both ends are wait-free; ring_reserve() fails if the ring is full.
 * head and tail count elements modulo 2^32, so head - tail is the number of
 * elements in the ring.
 *
 * The members that the producer writes share a cache line, as do those that
 * the consumer writes and those that never change. tail_seen is the producer's
 * copy of tail, head_seen the consumer's copy of head. A thread reads the
 * other's cache line only when the ring is full, or empty, by its copy: with
 * many elements in the ring, once for all of them.
 */
#ifndef DCB_LIB_RING_H
#define DCB_LIB_RING_H

#include <stdalign.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#define RING_CACHE_LINE 64

struct ring {
	/* Constant. */
	alignas(RING_CACHE_LINE) uint32_t slot_octets;
	uint32_t mask;

	/* Written by the producer. */
	alignas(RING_CACHE_LINE) uint32_t head;
	uint32_t tail_seen;

	/* Written by the consumer. */
	alignas(RING_CACHE_LINE) uint32_t tail;
	uint32_t head_seen;

	alignas(RING_CACHE_LINE) uint8_t slots[];
};

/*
 * Returns a ring for slots elements, a power of two, of slot_octets each; NULL if out of
 * memory. The caller frees it with free().
 */
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

/*
 * Producer: returns the slot to fill next, NULL if the ring is full. The consumer gets the
 * element after ring_commit().
 */
static inline void *ring_reserve(struct ring *r)
{
	if (r->head - r->tail_seen > r->mask) {
		r->tail_seen = __atomic_load_n(&r->tail, __ATOMIC_ACQUIRE);
		if (r->head - r->tail_seen > r->mask)
			return NULL;
	}
	return ring_slot(r, r->head);
}

/* Producer: is the ring more than half full? */
static inline bool ring_is_half_full(struct ring *r)
{
	if (r->head - r->tail_seen <= r->mask / 2)
		return false;
	r->tail_seen = __atomic_load_n(&r->tail, __ATOMIC_ACQUIRE);
	return r->head - r->tail_seen > r->mask / 2;
}

/* Producer: adds the element in the slot that ring_reserve() returned. */
static inline void ring_commit(struct ring *r)
{
	__atomic_store_n(&r->head, r->head + 1, __ATOMIC_RELEASE);
}

/* Consumer: returns the oldest element, NULL if there is none. Valid until ring_release(). */
static inline void *ring_peek(struct ring *r)
{
	if (r->tail == r->head_seen) {
		r->head_seen = __atomic_load_n(&r->head, __ATOMIC_ACQUIRE);
		if (r->tail == r->head_seen)
			return NULL;
	}
	return ring_slot(r, r->tail);
}

/* Consumer: removes the element that ring_peek() returned. */
static inline void ring_release(struct ring *r)
{
	__atomic_store_n(&r->tail, r->tail + 1, __ATOMIC_RELEASE);
}

#endif
