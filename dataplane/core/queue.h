/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * First-in first-out queue of frame buffers that belong to the caller. Counts
 * octets and frames; allocates nothing, every operation is O(1).
 */
#ifndef DCB_CORE_QUEUE_H
#define DCB_CORE_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/dcbtime.h"

/* Head of a frame buffer. A buffer is in one queue at a time. */
struct dcb_frame {
	struct dcb_frame *next; /* the queue's, while queued */
	uint8_t *data;          /* DA first, no FCS */
	uint32_t len;           /* octets at data; not to be changed while queued */
	uint8_t priority;       /* 0..7, as classified */
	uint8_t flags;          /* the owner's */
	uint32_t *charge;       /* ingress buffer it is counted in: pfc_tx_charge(); NULL: none */
	struct dcb_time queued; /* since when */
};

/* All zero is an empty queue. */
struct dcb_queue {
	struct dcb_frame *head;
	struct dcb_frame *tail; /* meaningless while head is NULL */
	uint64_t octets;        /* sum of len */
	uint32_t frames;
};

static inline bool dcb_queue_is_empty(const struct dcb_queue *q)
{
	return !q->head;
}

/* Oldest frame, NULL when empty. */
static inline struct dcb_frame *dcb_queue_peek(const struct dcb_queue *q)
{
	return q->head;
}

/* Appends; the queue holds the frame until it is popped. */
static inline void dcb_queue_push(struct dcb_queue *q, struct dcb_frame *frame)
{
	frame->next = NULL;
	if (q->head)
		q->tail->next = frame;
	else
		q->head = frame;
	q->tail = frame;
	q->octets += frame->len;
	q->frames++;
}

/* Takes the oldest frame out, NULL when empty. */
static inline struct dcb_frame *dcb_queue_pop(struct dcb_queue *q)
{
	struct dcb_frame *frame = q->head;

	if (!frame)
		return NULL;
	q->head = frame->next;
	frame->next = NULL;
	q->octets -= frame->len;
	q->frames--;
	return frame;
}

/* Would a frame of len octets keep the queue within limit octets? */
static inline bool dcb_queue_fits(const struct dcb_queue *q, uint32_t len, uint64_t limit)
{
	return len <= limit && q->octets <= limit - len;
}

#endif
