/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * First-in first-out queue of frame buffers that the caller owns. Counts octets
 * and frames. Allocates no memory; every operation is O(1).
 */
#ifndef DCB_CORE_QUEUE_H
#define DCB_CORE_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/dcbtime.h"

struct buffer_account;

/* Header of a frame: of its frame buffer, or of a copy. It is in at most one queue. */
struct dcb_frame {
	struct dcb_frame *next;         /* used by the queue */
	uint8_t *data;                  /* DA first, no FCS */
	uint32_t len;                   /* octets at data; must not change while queued */
	uint8_t priority;               /* 0..7, as classified */
	uint8_t flags;                  /* for the owner of the buffer */
	struct buffer_account *account; /* counts the frame: buffer_take(); NULL: none */
	struct dcb_time queued;         /* time of enqueuing */
};

/* All zero is an empty queue. */
struct dcb_queue {
	struct dcb_frame *head;
	struct dcb_frame *tail; /* undefined while head is NULL */
	uint64_t octets;        /* sum of len */
	uint32_t frames;
};

static inline bool dcb_queue_is_empty(const struct dcb_queue *q)
{
	return !q->head;
}

/* Returns the oldest frame, or NULL if empty. */
static inline struct dcb_frame *dcb_queue_peek(const struct dcb_queue *q)
{
	return q->head;
}

/* Appends a frame. The queue links the frame until it is popped. */
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

/* Removes and returns the oldest frame; NULL if empty. */
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

/* Removes the first n frames, of octets together; the frame next is the first one from then on. */
static inline void dcb_queue_cut(struct dcb_queue *q, struct dcb_frame *next, uint32_t n,
				 uint64_t octets)
{
	q->head = next;
	q->octets -= octets;
	q->frames -= n;
}

/* Returns true if the queue with a further frame of len octets has at most limit octets. */
static inline bool dcb_queue_fits(const struct dcb_queue *q, uint32_t len, uint64_t limit)
{
	return len <= limit && q->octets <= limit - len;
}

#endif
