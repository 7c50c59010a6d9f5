/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/sim/heap.h"

#include <stdlib.h>

/* Four children share a cache line, and the heap is half as deep as with two. */
#define CHILDREN 4

bool heap_init(struct heap *h, uint32_t n)
{
	*h = (struct heap){
	    .entries = malloc(n * sizeof(*h->entries)),
	    .places = malloc(n * sizeof(*h->places)),
	    .n = n,
	};
	if (!h->entries || !h->places) {
		heap_destroy(h);
		return false;
	}
	for (uint32_t i = 0; i < n; i++) {
		h->entries[i] = (struct heap_entry){DCB_TIME_NEVER.ns, i};
		h->places[i] = i;
	}
	return true;
}

void heap_destroy(struct heap *h)
{
	free(h->entries);
	free(h->places);
	*h = (struct heap){0};
}

static inline bool before(struct heap_entry a, struct heap_entry b)
{
	return a.ns < b.ns || (a.ns == b.ns && a.id < b.id);
}

static inline void put(struct heap *h, uint32_t at, struct heap_entry e)
{
	h->entries[at] = e;
	h->places[e.id] = at;
}

static bool rise(struct heap *h, uint32_t at, struct heap_entry e)
{
	uint32_t start = at;

	while (at > 0) {
		uint32_t parent = (at - 1) / CHILDREN;

		if (!before(e, h->entries[parent]))
			break;
		put(h, at, h->entries[parent]);
		at = parent;
	}
	put(h, at, e);
	return at != start;
}

static void sink(struct heap *h, uint32_t at, struct heap_entry e)
{
	for (;;) {
		uint32_t first = at * CHILDREN + 1;
		uint32_t end = first + CHILDREN < h->n ? first + CHILDREN : h->n;
		uint32_t least = first;

		if (first >= h->n)
			break;
		for (uint32_t i = first + 1; i < end; i++) {
			if (before(h->entries[i], h->entries[least]))
				least = i;
		}
		if (!before(h->entries[least], e))
			break;
		put(h, at, h->entries[least]);
		at = least;
	}
	put(h, at, e);
}

void heap_set(struct heap *h, uint32_t id, struct dcb_time at)
{
	struct heap_entry e = {at.ns, id};
	uint32_t place = h->places[id];

	if (h->entries[place].ns == at.ns)
		return;
	if (!rise(h, place, e))
		sink(h, place, e);
}
