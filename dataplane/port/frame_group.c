/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/port/frame_group.h"

#include <assert.h>
#include <stdalign.h>

void frame_group_extend(struct frame_group *g, const struct frame_pool *pool,
			struct dcb_frame *buffer)
{
	buffer->next = g->buffers;
	g->buffers = buffer;
	g->frames++;
	g->free = buffer->data;
	g->room = frame_pool_octets(pool);
}

struct frame_group *frame_group_begin(const struct frame_pool *pool, struct dcb_frame *buffer,
				      uint32_t octets)
{
	struct frame_group *g = (struct frame_group *)buffer->data;

	assert(frame_pool_octets(pool) >= sizeof(*g) &&
	       frame_pool_octets(pool) >= sizeof(struct frame_copy));
	*g = (struct frame_group){.account = buffer->account, .octets = octets};
	frame_group_extend(g, pool, buffer);
	(void)frame_group_room(g, sizeof(*g));
	return g;
}

void *frame_group_room(struct frame_group *g, uint32_t octets)
{
	uint32_t align = alignof(struct frame_copy), aligned = (octets + align - 1) / align * align;
	uint8_t *room = g->free;

	if (octets > g->room)
		return NULL;
	if (aligned > g->room)
		aligned = g->room;
	g->free += aligned;
	g->room -= aligned;
	return room;
}

const struct frame_copy *frame_group_find(const struct frame_group *g, uint32_t format)
{
	const struct frame_copy *copy = g->copies;

	while (copy && copy->format != format)
		copy = copy->next;
	return copy;
}

struct frame_copy *frame_group_add(struct frame_group *g, void *room, uint32_t format)
{
	struct frame_copy *copy = room;

	*copy = (struct frame_copy){
	    .frame = {.account = g->account, .flags = PORT_FRAME_COPY},
	    .group = g,
	    .next = g->copies,
	    .format = format,
	};
	g->copies = copy;
	g->users++;
	return copy;
}

void frame_group_end(struct frame_pool *pool, struct frame_group *g)
{
	struct dcb_frame *last = g->buffers;
	struct dcb_frame *first = last;
	uint32_t n = 1;

	assert(g->users == 0);
	for (; last->next; last = last->next)
		n++;
	buffer_release(g->account, g->octets, g->frames);
	frame_pool_put_list(pool, first, last, n);
}

void frame_group_release(struct frame_pool *pool, struct dcb_frame *frame)
{
	struct frame_group *g = ((struct frame_copy *)frame)->group;

	if (--g->users == 0)
		frame_group_end(pool, g);
}

void frame_count_in(struct dcb_frame *frame, struct buffer_account *to)
{
	struct frame_group *g;

	if (!(frame->flags & PORT_FRAME_COPY)) {
		buffer_release(frame->account, frame->len, 1);
		frame->account = to;
		buffer_take_over(to, frame->len);
		return;
	}
	g = ((struct frame_copy *)frame)->group;
	buffer_release(g->account, g->octets, g->frames);
	g->account = to;
	/* Frame buffers one by one: the first has all octets. */
	for (uint32_t i = 0; i < g->frames; i++)
		buffer_take_over(to, i ? 0 : g->octets);
}
