/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Event heap: what is due next. Whoever can have an event (a node, a link) has
 * one entry, its number, for the whole run, so the heap never grows and an entry
 * moves only as far as its time changed. At equal times the lower number comes
 * first: the order of events depends on nothing else.
 *
 * Time and number are one 64-bit key, so that comparing two entries is comparing
 * two numbers. HEAP_TIME_BITS of ns are four hours.
 */
#ifndef DCB_SIM_HEAP_H
#define DCB_SIM_HEAP_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/dcbtime.h"

#define HEAP_ID_BITS   20
#define HEAP_TIME_BITS (64 - HEAP_ID_BITS)
#define HEAP_IDS       (UINT32_C(1) << HEAP_ID_BITS)
#define HEAP_NEVER_NS  ((INT64_C(1) << HEAP_TIME_BITS) - 1)

struct heap {
	uint64_t *keys;   /* keys[0] is the next */
	uint32_t *places; /* where in keys an id is */
	uint32_t n;
};

/* Ids 0..n-1, 1 <= n <= HEAP_IDS, none of them due ever. false: no memory. */
bool heap_init(struct heap *h, uint32_t n);
void heap_destroy(struct heap *h);

/* The id is due at this time; HEAP_NEVER_NS and later is never. */
void heap_set(struct heap *h, uint32_t id, struct dcb_time at);

/* When the next one is due: HEAP_NEVER_NS if none is. */
static inline struct dcb_time heap_time(const struct heap *h)
{
	return (struct dcb_time){(int64_t)(h->keys[0] >> HEAP_ID_BITS)};
}

static inline uint32_t heap_id(const struct heap *h)
{
	return (uint32_t)h->keys[0] & (HEAP_IDS - 1);
}

#endif
