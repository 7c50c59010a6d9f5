/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/net/heap.h"

#include "sim/net/cacheline.h"

#include <stdlib.h>

/* Of an entry: a heap half as deep as with 2, and the children share a cache line. */
#define CHILDREN 4
/* Unused keys before the first one, so that children begin at a multiple of their size. */
#define BEFORE (CHILDREN - 1)

/* After the last key: later than any, so that the last children need no case of their own. */
#define NO_KEY UINT64_MAX

static uint64_t key_of(uint32_t id, int64_t ns)
{
	if (ns > HEAP_NEVER_NS)
		ns = HEAP_NEVER_NS;
	return (uint64_t)ns << HEAP_ID_BITS | id;
}

bool heap_init(struct heap *h, uint32_t n)
{
	*h = (struct heap){
	    .memory = cacheline_new(BEFORE + n + CHILDREN, sizeof(*h->keys)),
	    .places = malloc(n * sizeof(*h->places)),
	    .n = n,
	};
	if (!h->memory || !h->places) {
		heap_destroy(h);
		return false;
	}
	h->keys = h->memory + BEFORE;
	for (uint32_t i = 0; i < CHILDREN; i++)
		h->keys[n + i] = NO_KEY;
	for (uint32_t i = 0; i < n; i++) {
		h->keys[i] = key_of(i, HEAP_NEVER_NS);
		h->places[i] = i;
	}
	return true;
}

void heap_destroy(struct heap *h)
{
	free(h->memory);
	free(h->places);
	*h = (struct heap){0};
}

static inline void put(struct heap *h, uint32_t at, uint64_t key)
{
	h->keys[at] = key;
	h->places[key & (HEAP_IDS - 1)] = at;
}

static void rise(struct heap *h, uint32_t at, uint64_t key)
{
	while (at > 0) {
		uint32_t parent = (at - 1) / CHILDREN;

		if (h->keys[parent] < key)
			break;
		put(h, at, h->keys[parent]);
		at = parent;
	}
	put(h, at, key);
}

/*
 * Returns the index of the least of an entry's children; first: the first one. Without branches:
 * which child it is cannot be predicted.
 */
static inline uint32_t least_child(const uint64_t *keys, uint32_t first)
{
	const uint64_t *k = keys + first;
	uint64_t low = -(uint64_t)(k[1] < k[0]), high = -(uint64_t)(k[3] < k[2]); /* masks */
	uint64_t of_low = k[0] ^ ((k[0] ^ k[1]) & low), of_high = k[2] ^ ((k[2] ^ k[3]) & high);
	uint32_t a = (uint32_t)low & 1, b = 2 + ((uint32_t)high & 1);

	return first + (a ^ ((a ^ b) & -(uint32_t)(of_high < of_low)));
}

/* Moves the entry down from place at: on its way the least child of each level moves up. */
static void sink(struct heap *h, uint32_t at, uint64_t key)
{
	uint64_t *keys = h->keys;
	uint32_t first, n = h->n, level = at || n < HEAP_LARGE ? HEAP_RISEN : 0;

	for (; (first = at * CHILDREN + 1) < n; level++) {
		uint32_t least = least_child(keys, first);
		uint64_t up = keys[least];

		if (key < up)
			break;
		put(h, at, up);
		if (level < HEAP_RISEN) {
			h->risen[level] = (uint32_t)up & (HEAP_IDS - 1);
			h->n_risen = level + 1;
		}
		at = least;
	}
	put(h, at, key);
}

void heap_set(struct heap *h, uint32_t id, struct dcb_time at)
{
	uint32_t place = h->places[id];
	uint64_t key = key_of(id, at.ns), old = h->keys[place];

	if (key < old)
		rise(h, place, key);
	else if (key > old)
		sink(h, place, key);
}

void heap_leave_out(struct heap *h, uint32_t id)
{
	uint32_t place = h->places[id];
	uint64_t last = h->keys[--h->n];

	h->keys[h->n] = NO_KEY;
	if (place == h->n)
		return;
	if (last < h->keys[place])
		rise(h, place, last);
	else
		sink(h, place, last);
	h->n_risen = 0;
}
