/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A pool of frame buffers of one size, allocated once. The buffer freed last is
 * reused first, because it is still in the CPU cache. Buffers that were never used
 * occupy no physical memory. One thread uses a pool.
 */
#ifndef DCB_DATAPLANE_PORT_FRAME_POOL_H
#define DCB_DATAPLANE_PORT_FRAME_POOL_H

#include <stdbool.h>
#include <stdint.h>

#include "dataplane/core/queue.h"
#include "lib/counter.h"

/* Where the first buffer of a store is: at a huge page, if the owner asks the kernel for these. */
#define HUGE_PAGE (UINT32_C(2) << 20)

/*
 * Memory for the buffers of several pools, which may have a thread each. Used buffers are side by
 * side: a simulation has thousands of pools with a few used buffers each.
 */
struct frame_store {
	uint8_t *memory;
	size_t memory_octets;
	size_t used;   /* octets that pools have; atomic */
	size_t stride; /* as in struct frame_pool */
};

/* Buffers that a pool had before frame_pool_grow(), until the last one that is in use returns. */
struct frame_pool_former {
	uint8_t *memory;
	size_t memory_octets;
	uint32_t in_use;
};

struct frame_pool {
	struct dcb_frame *free; /* linked by next */
	/* Gauges: written by the owner's thread, read by any thread. */
	uint32_t n_free;
	uint32_t n_free_low;       /* lowest n_free so far */
	uint8_t *memory;           /* of all buffers; of the last ones that store gave */
	struct frame_store *store; /* NULL: the memory is the pool's own */
	size_t memory_octets;
	size_t stride;      /* octets from one buffer to the next */
	uint32_t untouched; /* index of the first buffer that was never used */
	uint32_t size;
	struct frame_pool_former *former; /* NULL: none */
};

/* Allocates size buffers of frame_octets each. Returns false if there is no memory. */
bool frame_pool_init(struct frame_pool *pool, uint32_t size, uint32_t frame_octets);
/* The same with buffers of a store, which lives longer than the pool. */
void frame_pool_init_from(struct frame_pool *pool, uint32_t size, struct frame_store *store);
void frame_pool_destroy(struct frame_pool *pool);

/*
 * Gives a pool without a store buffers of frame_octets, as many as it has. Those in use stay as
 * they are until they return to the pool. false: there is no memory, or there still are some in use
 * of the last call; then the pool is as before.
 */
bool frame_pool_grow(struct frame_pool *pool, uint32_t frame_octets);

/*
 * Reserves address space for buffers of frame_octets each. A pool takes FRAME_STORE_STEP at once,
 * so that pools of two threads share no cache line: that many more for each pool. Returns false if
 * there is none.
 */
#define FRAME_STORE_STEP 16
bool frame_store_init(struct frame_store *store, uint64_t buffers, uint32_t frame_octets);
/* Frees the buffers of all pools. */
void frame_store_destroy(struct frame_store *store);

/* Returns the octets that a buffer has at data. */
static inline uint32_t frame_pool_octets(const struct frame_pool *pool)
{
	return (uint32_t)(pool->stride - sizeof(struct dcb_frame));
}

/*
 * For frame_pool_get(): return a buffer that was never used; a free one that is none of those that
 * the pool had before; or NULL.
 */
struct dcb_frame *frame_pool_take_untouched(struct frame_pool *pool);
struct dcb_frame *frame_pool_take_grown(struct frame_pool *pool);

/*
 * Returns a buffer, or NULL if all are in use. data is its begin, account is NULL, the
 * other members are undefined. The owner may set data to a place behind the begin.
 */
static inline struct dcb_frame *frame_pool_get(struct frame_pool *pool)
{
	struct dcb_frame *frame = pool->free;

	if (__builtin_expect(pool->former != NULL, 0))
		frame = frame_pool_take_grown(pool);
	else if (frame)
		pool->free = frame->next;
	if (!frame && !(frame = frame_pool_take_untouched(pool)))
		return NULL;
	frame->data = (uint8_t *)(frame + 1);
	frame->account = NULL;
	gauge_set(&pool->n_free, pool->n_free - 1);
	if (pool->n_free < pool->n_free_low)
		gauge_set(&pool->n_free_low, pool->n_free);
	return frame;
}

/* Returns n buffers to the pool, linked by next from first to last. */
static inline void frame_pool_put_list(struct frame_pool *pool, struct dcb_frame *first,
				       struct dcb_frame *last, uint32_t n)
{
	last->next = pool->free;
	pool->free = first;
	gauge_set(&pool->n_free, pool->n_free + n);
}

/* Returns a buffer to the pool. */
static inline void frame_pool_put(struct frame_pool *pool, struct dcb_frame *frame)
{
	frame_pool_put_list(pool, frame, frame, 1);
}

#endif
