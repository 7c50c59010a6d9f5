/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/port/frame_pool.h"

#include <sys/mman.h>

#define CACHE_LINE 64

bool frame_pool_init(struct frame_pool *pool, uint32_t size, uint32_t frame_octets)
{
	size_t stride = sizeof(struct dcb_frame) + frame_octets;

	stride = (stride + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
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
	/* mmap: the kernel allocates a page at its first use, filled with zeros. */
	pool->memory = mmap(NULL, pool->memory_octets, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (pool->memory == MAP_FAILED) {
		pool->memory = NULL;
		return false;
	}
	return true;
}

void frame_pool_destroy(struct frame_pool *pool)
{
	if (pool->memory)
		munmap(pool->memory, pool->memory_octets);
	pool->memory = NULL;
}

struct dcb_frame *frame_pool_take_untouched(struct frame_pool *pool)
{
	if (pool->untouched == pool->size)
		return NULL;
	return (struct dcb_frame *)(pool->memory + pool->stride * pool->untouched++);
}
