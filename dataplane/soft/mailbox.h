/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Hands objects from the control thread to the dataplane thread and back, without a lock.
 *
 *   control thread                        dataplane thread
 *   mailbox_offer()   --- offered --->   mailbox_take()
 *   mailbox_collect() <-- returned ---   mailbox_return()
 *
 * One object is on offer at a time. Any number of objects may be returned before they are
 * collected. Whatever the order of the calls of the two threads, each object has one owner:
 * the caller that got it last.
 */
#ifndef DCB_DATAPLANE_SOFT_MAILBOX_H
#define DCB_DATAPLANE_SOFT_MAILBOX_H

#include <stdbool.h>
#include <stddef.h>

/* A member of each object. */
struct mailbox_item {
	struct mailbox_item *next;
};

/* All zero: empty. */
struct mailbox {
	struct mailbox_item *offered;
	struct mailbox_item *returned; /* list: the last one returned is first */
};

/*
 * Offers an object; NULL: withdraws the offer. Returns the former offer if it was not taken,
 * else NULL. Control thread.
 */
static inline struct mailbox_item *mailbox_offer(struct mailbox *h, struct mailbox_item *item)
{
	return __atomic_exchange_n(&h->offered, item, __ATOMIC_ACQ_REL);
}

/* Returns the object on offer, or NULL. Dataplane thread. */
static inline struct mailbox_item *mailbox_take(struct mailbox *h)
{
	return __atomic_exchange_n(&h->offered, NULL, __ATOMIC_ACQ_REL);
}

/* Gives an object back. Dataplane thread. */
static inline void mailbox_return(struct mailbox *h, struct mailbox_item *item)
{
	item->next = __atomic_load_n(&h->returned, __ATOMIC_RELAXED);
	while (!__atomic_compare_exchange_n(&h->returned, &item->next, item, true, __ATOMIC_RELEASE,
					    __ATOMIC_RELAXED))
		continue;
}

/* Returns the list of all objects that were given back. Control thread. */
static inline struct mailbox_item *mailbox_collect(struct mailbox *h)
{
	return __atomic_exchange_n(&h->returned, NULL, __ATOMIC_ACQUIRE);
}

#endif
