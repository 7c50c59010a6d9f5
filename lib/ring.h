/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ring of fixed-size elements between one producer thread and one consumer
 * thread. Wait-free on both ends; a full ring refuses. head and tail run on
 * without wrapping to the ring's size, so their difference is the fill.
 */
#ifndef DCB_LIB_RING_H
#define DCB_LIB_RING_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

struct ring {
	uint8_t *slots;
	uint32_t slot_octets;
	uint32_t mask;
	uint32_t head; /* producer's */
	uint8_t apart[64];
	uint32_t tail; /* consumer's */
};

/* slots: a power of two. false: no memory. */
static inline bool ring_init(struct ring *r, uint32_t slots, uint32_t slot_octets)
{
	*r = (struct ring){.slot_octets = slot_octets, .mask = slots - 1};
	r->slots = calloc(slots, slot_octets);
	return r->slots;
}

static inline void ring_free(struct ring *r)
{
	free(r->slots);
	r->slots = NULL;
}

/* Producer: the slot to fill next, NULL when the ring is full; then ring_commit(). */
static inline void *ring_reserve(struct ring *r)
{
	uint32_t tail = __atomic_load_n(&r->tail, __ATOMIC_ACQUIRE);

	if (r->head - tail > r->mask)
		return NULL;
	return r->slots + (size_t)(r->head & r->mask) * r->slot_octets;
}

static inline void ring_commit(struct ring *r)
{
	__atomic_store_n(&r->head, r->head + 1, __ATOMIC_RELEASE);
}

/* Consumer: the oldest element, NULL when there is none; then ring_release(). */
static inline void *ring_peek(struct ring *r)
{
	uint32_t head = __atomic_load_n(&r->head, __ATOMIC_ACQUIRE);

	if (head == r->tail)
		return NULL;
	return r->slots + (size_t)(r->tail & r->mask) * r->slot_octets;
}

static inline void ring_release(struct ring *r)
{
	__atomic_store_n(&r->tail, r->tail + 1, __ATOMIC_RELEASE);
}

#endif
