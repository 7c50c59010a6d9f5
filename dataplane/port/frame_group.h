/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A received frame of a lossless priority that leaves by several ports. It is held and
 * counted once: each egress port queues a copy, which is a header and a pointer to octets,
 * and copies of one format have the same octets. The frame buffers are free again, and the
 * receive buffer no longer counts the frame, when the last copy has left (36.1.1: headroom
 * is for frames that arrive).
 *
 * Headers and octets share the frame buffers of the group. As a rule that is one buffer;
 * there are more if the octets of a long frame, or many copies, do not fit.
 *
 * The promises of the frame memory stay true: more buffers are counted where more are used, and
 * headroom has frame buffers for frames of 64 octets, so that long frames have several each. A
 * header has 64 octets. Copies of a lossy frame have a buffer and an account each: a slow port
 * then takes nothing from the others.
 *
 * One thread, the dataplane thread, makes all calls.
 */
#ifndef DCB_DATAPLANE_PORT_FRAME_GROUP_H
#define DCB_DATAPLANE_PORT_FRAME_GROUP_H

#include "dataplane/core/buffer.h"
#include "dataplane/port/frame_pool.h"

/* In dcb_frame.flags: the frame is a copy, to be released by frame_group_release(). */
#define PORT_FRAME_COPY 0x40u

struct frame_copy;

struct frame_group {
	struct dcb_frame *buffers; /* linked by next; the group itself is in the last one */
	struct frame_copy *copies; /* all that were made, newest first */
	struct buffer_account *account;
	uint32_t octets, frames; /* that the account counts: of the frame; frame buffers */
	uint32_t users;          /* copies that have not left */
	uint32_t room;           /* octets at free */
	uint8_t *free;           /* in the first of buffers */
};

/* Copies with the same octets have the same format; one with its own has this. */
#define FRAME_FORMAT_OWN 0

struct frame_copy {
	struct dcb_frame frame;
	struct frame_group *group;
	struct frame_copy *next;
	uint32_t format;
};

/*
 * Begins a group without copies in a frame buffer of the pool, of which buffer->account counts
 * octets and the buffer. Returns the group.
 */
struct frame_group *frame_group_begin(const struct frame_pool *pool, struct dcb_frame *buffer,
				      uint32_t octets);

/* Adds a frame buffer, which the account counts. The rest of the one before is not used. */
void frame_group_extend(struct frame_group *g, const struct frame_pool *pool,
			struct dcb_frame *buffer);

/* Returns room for this many octets, aligned for a copy; NULL: the group is to be extended. */
void *frame_group_room(struct frame_group *g, uint32_t octets);

/* Returns a copy of this format; NULL: there is none. */
const struct frame_copy *frame_group_find(const struct frame_group *g, uint32_t format);

/*
 * Makes room, as frame_group_room() returned it, a copy of the group with this format. The caller
 * sets the other members of copy->frame.
 */
struct frame_copy *frame_group_add(struct frame_group *g, void *room, uint32_t format);

/*
 * The copy has left. The last one returns the buffers to the pool and ends the group. frame: with
 * PORT_FRAME_COPY.
 */
void frame_group_release(struct frame_pool *pool, struct dcb_frame *frame);

/* Returns the buffer of a frame to the pool; a copy has left. */
static inline void frame_put(struct frame_pool *pool, struct dcb_frame *frame)
{
	if (frame->flags & PORT_FRAME_COPY)
		frame_group_release(pool, frame);
	else
		frame_pool_put(pool, frame);
}

/* Ends a group without copies: a frame that no port has queued. */
void frame_group_end(struct frame_pool *pool, struct frame_group *g);

/* Returns the account that counts the frame: of its group, if it is a copy. */
static inline struct buffer_account *frame_account(const struct dcb_frame *frame)
{
	return frame->flags & PORT_FRAME_COPY ? ((const struct frame_copy *)frame)->group->account
					      : frame->account;
}

/* Another account counts the frame, or all of its group, from now on: buffer_take_over(). */
void frame_count_in(struct dcb_frame *frame, struct buffer_account *to);

#endif
