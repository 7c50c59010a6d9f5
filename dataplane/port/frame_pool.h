/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Frame buffers of one size, allocated once. The last one given back is the
 * next one handed out, because it is still in the cache; memory of buffers that
 * were never needed is never touched.
 */
#ifndef DCB_DATAPLANE_PORT_FRAME_POOL_H
#define DCB_DATAPLANE_PORT_FRAME_POOL_H

#include <stdbool.h>
#include <stdint.h>

#include "dataplane/core/queue.h"

struct frame_pool {
	uint8_t *memory;
	size_t memory_octets;
	size_t stride;          /* octets from one buffer to the next */
	struct dcb_frame *free; /* linked by next */
	uint32_t untouched;     /* buffers from here on were never handed out */
	uint32_t size;
	/* Gauges: written by the owner, read by anyone. */
	uint32_t n_free;
	uint32_t n_free_low; /* lowest n_free so far */
};

/* size buffers with room for frame_octets each. false: no memory. */
bool frame_pool_init(struct frame_pool *pool, uint32_t size, uint32_t frame_octets);
void frame_pool_destroy(struct frame_pool *pool);

/* A buffer with data set, charge NULL and everything else undefined; NULL when all are in use. */
struct dcb_frame *frame_pool_get(struct frame_pool *pool);
void frame_pool_put(struct frame_pool *pool, struct dcb_frame *frame);

#endif
