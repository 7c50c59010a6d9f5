/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/port/frame_pool.h"

#include <stdlib.h>
#include <sys/mman.h>

#define CACHE_LINE 64

/* --- memory --------------------------------------------------------------------- */

static size_t stride_of(uint32_t frame_octets)
{
	size_t stride = sizeof(struct dcb_frame) + frame_octets;

	return (stride + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
}

/* mmap: the kernel allocates a page at its first use, filled with zeros. */
static uint8_t *reserve(size_t octets)
{
	void *memory = mmap(NULL, octets, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

bool frame_store_init(struct frame_store *store, uint64_t buffers, uint32_t frame_octets)
{
	size_t stride = stride_of(frame_octets);

	*store = (struct frame_store){.stride = stride};
	if (buffers > (SIZE_MAX - HUGE_PAGE) / stride)
		return false;
	store->memory_octets = stride * (size_t)buffers + HUGE_PAGE;
	store->memory = reserve(store->memory_octets);
	store->used = -(uintptr_t)store->memory % HUGE_PAGE;
	return store->memory;
}

void frame_store_destroy(struct frame_store *store)
{
	if (store->memory)
		munmap(store->memory, store->memory_octets);
	store->memory = NULL;
}

/* --- pools ---------------------------------------------------------------------- */

bool frame_pool_init(struct frame_pool *pool, uint32_t size, uint32_t frame_octets)
{
	size_t stride = stride_of(frame_octets);

	if (size > SIZE_MAX / stride) {
		*pool = (struct frame_pool){0};
		return false;
	}
	*pool = (struct frame_pool){
	    .memory_octets = stride * size,
	    .stride = stride,
	    .size = size,
	    .n_free = size,
	    .n_free_low = size,
	};
	pool->memory = reserve(pool->memory_octets);
	return pool->memory;
}

void frame_pool_init_from(struct frame_pool *pool, uint32_t size, struct frame_store *store)
{
	*pool = (struct frame_pool){
	    .store = store,
	    .stride = store->stride,
	    .size = size,
	    .n_free = size,
	    .n_free_low = size,
	};
}

static void free_former(struct frame_pool *pool)
{
	if (!pool->former)
		return;
	munmap(pool->former->memory, pool->former->memory_octets);
	free(pool->former);
	pool->former = NULL;
}

bool frame_pool_grow(struct frame_pool *pool, uint32_t frame_octets)
{
	size_t stride = stride_of(frame_octets);
	struct frame_pool_former *former;
	uint8_t *memory;

	if (pool->former || pool->store || pool->size > SIZE_MAX / stride)
		return false;
	former = malloc(sizeof(*former));
	memory = former ? reserve(stride * pool->size) : NULL;
	if (!memory) {
		free(former);
		return false;
	}
	*former = (struct frame_pool_former){
	    .memory = pool->memory,
	    .memory_octets = pool->memory_octets,
	    .in_use = pool->size - pool->n_free,
	};
	pool->former = former;
	pool->free = NULL;
	pool->memory = memory;
	pool->memory_octets = stride * pool->size;
	pool->stride = stride;
	pool->untouched = 0;
	if (!former->in_use)
		free_former(pool);
	return true;
}

struct dcb_frame *frame_pool_take_grown(struct frame_pool *pool)
{
	struct dcb_frame *frame;

	while ((frame = pool->free)) {
		const struct frame_pool_former *former = pool->former;

		pool->free = frame->next;
		if (!former ||
		    (uintptr_t)frame - (uintptr_t)former->memory >= former->memory_octets)
			break;
		if (--pool->former->in_use == 0)
			free_former(pool);
	}
	return frame;
}

void frame_pool_destroy(struct frame_pool *pool)
{
	free_former(pool);
	if (pool->memory && !pool->store)
		munmap(pool->memory, pool->memory_octets);
	pool->memory = NULL;
}

static uint8_t *from_store(struct frame_pool *pool)
{
	uint32_t at = pool->untouched % FRAME_STORE_STEP;

	if (at == 0)
		pool->memory =
		    pool->store->memory + __atomic_fetch_add(&pool->store->used,
							     FRAME_STORE_STEP * pool->stride,
							     __ATOMIC_RELAXED);
	return pool->memory + pool->stride * at;
}

struct dcb_frame *frame_pool_take_untouched(struct frame_pool *pool)
{
	uint8_t *buffer;

	if (!pool->n_free) /* also those that the pool had before count */
		return NULL;
	buffer = pool->store ? from_store(pool) : pool->memory + pool->stride * pool->untouched;
	pool->untouched++;
	return (struct dcb_frame *)buffer;
}
