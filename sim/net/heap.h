/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Event heap: finds the earliest event. Every node and every link of a part of the
 * network has one entry, identified by a number, for the whole run; so the heap never grows,
 * and an entry moves only as far as its time changed. At equal times the lower number
 * comes first: the order of events depends on nothing else.
 *
 * Time and number form one 64-bit key, so that two entries are compared at once.
 * HEAP_TIME_BITS of ns are more than four hours.
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

/* Entries that heap_set() moves ahead, see struct heap, in heaps of HEAP_LARGE entries and more. */
#define HEAP_RISEN 5
#define HEAP_LARGE 1024

struct heap {
	uint64_t *memory; /* of keys */
	uint64_t *keys;   /* keys[0] is the earliest */
	uint32_t *places; /* index in keys, by id */
	uint32_t n;
	/*
	 * When the earliest entry gets a later time, an entry of each level moves one level up.
	 * risen[0] is the id of the earliest one now; risen[1], [2], [3] and [4] are now among
	 * the first 5, 21, 85 and 341 of keys. The caller sets n_risen to 0 when it has seen them.
	 */
	uint32_t n_risen;
	uint32_t risen[HEAP_RISEN];
};

/* Ids are 0..n-1, 1 <= n <= HEAP_IDS, without events. Returns false if out of memory. */
bool heap_init(struct heap *h, uint32_t n);
void heap_destroy(struct heap *h);

/* Removes an id that has no event, for good; it was not the only one. */
void heap_leave_out(struct heap *h, uint32_t id);

/* Sets the time of the id's next event; HEAP_NEVER_NS and later: it has none. */
void heap_set(struct heap *h, uint32_t id, struct dcb_time at);

/* Returns the time of the earliest event, HEAP_NEVER_NS if there is none. */
static inline struct dcb_time heap_time(const struct heap *h)
{
	return (struct dcb_time){(int64_t)(h->keys[0] >> HEAP_ID_BITS)};
}

/* Returns the id of the earliest event. */
static inline uint32_t heap_id(const struct heap *h)
{
	return (uint32_t)h->keys[0] & (HEAP_IDS - 1);
}

#endif
