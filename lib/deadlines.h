/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Timer queue: a binary heap of deadlines, the earliest first. The caller owns the
 * deadlines and the array "heap", which must have room for all of them. The order of
 * equal deadlines depends only on the calls made before, so that it is reproducible.
 */
#ifndef DCB_LIB_DEADLINES_H
#define DCB_LIB_DEADLINES_H

#include "lib/dcbtime.h"

/* All members zero: not in a heap. */
struct deadline {
	struct dcb_time at;
	uint32_t pos; /* position in the heap, from 1; 0: not in a heap */
};

struct deadlines {
	struct deadline **heap;
	uint32_t n;
};

/* Returns the earliest deadline, NULL if there is none. */
static inline struct deadline *deadlines_first(const struct deadlines *d)
{
	return d->n ? d->heap[0] : NULL;
}

/* Returns the time of the earliest deadline, DCB_TIME_NEVER if there is none. */
static inline struct dcb_time deadlines_next(const struct deadlines *d)
{
	return d->n ? d->heap[0]->at : DCB_TIME_NEVER;
}

static inline void deadlines_put(struct deadlines *d, struct deadline *e, uint32_t pos)
{
	d->heap[pos - 1] = e;
	e->pos = pos;
}

/* Moves e towards the root while it is earlier than its parent. */
static inline void deadlines_rise(struct deadlines *d, struct deadline *e)
{
	uint32_t pos = e->pos;

	while (pos > 1 && dcb_time_before(e->at, d->heap[pos / 2 - 1]->at)) {
		deadlines_put(d, d->heap[pos / 2 - 1], pos);
		pos /= 2;
	}
	deadlines_put(d, e, pos);
}

/* Moves e away from the root while one of its children is earlier. */
static inline void deadlines_sink(struct deadlines *d, struct deadline *e)
{
	uint32_t pos = e->pos, child;

	while ((child = 2 * pos) <= d->n) {
		if (child < d->n && dcb_time_before(d->heap[child]->at, d->heap[child - 1]->at))
			child++;
		if (!dcb_time_before(d->heap[child - 1]->at, e->at))
			break;
		deadlines_put(d, d->heap[child - 1], pos);
		pos = child;
	}
	deadlines_put(d, e, pos);
}

/* Takes e out of the heap. No effect if e is not in it. */
static inline void deadlines_remove(struct deadlines *d, struct deadline *e)
{
	struct deadline *last;
	uint32_t pos = e->pos;

	if (!pos)
		return;
	last = d->heap[--d->n];
	e->pos = 0;
	if (last == e)
		return;
	deadlines_put(d, last, pos);
	deadlines_rise(d, last);
	deadlines_sink(d, last);
}

/* Sets the time of e: inserts e, moves it, or removes it if the time is DCB_TIME_NEVER. */
static inline void deadlines_set(struct deadlines *d, struct deadline *e, struct dcb_time at)
{
	if (at.ns == DCB_TIME_NEVER.ns) {
		deadlines_remove(d, e);
		return;
	}
	if (e->pos && e->at.ns == at.ns)
		return;
	e->at = at;
	if (!e->pos)
		deadlines_put(d, e, ++d->n);
	deadlines_rise(d, e);
	deadlines_sink(d, e);
}

#endif
