/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Event heap: what is due next. Whoever can have an event (a node, a link) has
 * one entry, its number, for the whole run, so the heap never grows and an entry
 * moves only as far as its time changed. At equal times the lower number comes
 * first: the order of events depends on nothing else.
 */
#ifndef DCB_SIM_HEAP_H
#define DCB_SIM_HEAP_H

#include <stdbool.h>
#include <stdint.h>

#include "dataplane/core/dcbtime.h"

struct heap_entry {
	int64_t ns;
	uint32_t id;
};

struct heap {
	struct heap_entry *entries; /* entries[0] is the next */
	uint32_t *places;           /* where in entries an id is */
	uint32_t n;
};

/* Ids 0..n-1, n at least 1, none of them due ever. false: no memory. */
bool heap_init(struct heap *h, uint32_t n);
void heap_destroy(struct heap *h);

/* The id is due at this time, or DCB_TIME_NEVER. */
void heap_set(struct heap *h, uint32_t id, struct dcb_time at);

static inline struct dcb_time heap_time(const struct heap *h)
{
	return (struct dcb_time){h->entries[0].ns};
}

static inline uint32_t heap_id(const struct heap *h)
{
	return h->entries[0].id;
}

#endif
