/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The last EVENTS_KEPT events, numbered from 1, each encoded once as the EVENT message
 * that subscribers get. The dcbNotify group decides which of them are notifications: a
 * switch for each kind and a rate limit. A subscriber's state is the number of its next
 * event, so that a slow subscriber needs no memory. Control thread only;
 * events_raise() is part of a change (state_lock.h), and other threads call events_next(),
 * events_at() and events_read() while they have the lock.
 *
 * An eventfd of each socket's thread announces a new event.
 */
#ifndef DCB_CONTROL_MANAGED_EVENTS_H
#define DCB_CONTROL_MANAGED_EVENTS_H

#include "lib/mo/mo_msg.h"
#include "lib/dcbtime.h"
#include "dataplane/config/dcb_config.h"

#define EVENTS_KEPT  512
#define EVENT_OCTETS 768 /* maximum octets of an EVENT message */

struct events;

/* NULL: out of memory. */
struct events *events_new(void);
void events_free(struct events *e);

/*
 * Has a function called after each new event, by the thread that raised it, until
 * events_ignore(). It must not raise one. The caller keeps the struct.
 */
struct events_listener {
	void (*fn)(void *ctx);
	void *ctx;
	struct events_listener *next;
};
void events_listen(struct events *e, struct events_listener *listener);
/* The listener need not have been given to events_listen(). */
void events_ignore(struct events *e, const struct events_listener *listener);

/*
 * Stores and logs an event with n objects. Beyond config->rate_limit it is neither stored
 * nor logged; returns false then. Events whose notification is switched on are counted as
 * sent or suppressed. The others have a limit of their own, of the same rate: they neither
 * fill the log and the memory of events, nor delay a notification. The log has 600 events a
 * minute at most.
 */
bool events_raise(struct events *e, const struct notify_config *config, enum mo_notification_id id,
		  const struct mo_varbind *vbs, unsigned n, struct dcb_time now);

/* Returns the number that the next event gets. */
uint64_t events_next(const struct events *e);

/*
 * Returns the EVENT message of the oldest stored event whose number is at least *number,
 * and sets *number to its number and *len to its octets. NULL: there is none yet.
 */
const uint8_t *events_at(const struct events *e, uint64_t *number, size_t *len);

/* Returns the highest number that a notifier has acknowledged; 0: none. */
uint64_t events_acked(const struct events *e);
/* Records an acknowledgement. Numbers of the future are ignored. */
void events_ack(struct events *e, uint64_t number);

struct events_stats {
	uint64_t sent;       /* events with notification, within the limit */
	uint64_t suppressed; /* events with notification, beyond the limit */
};
void events_read(const struct events *e, struct events_stats *out);

#endif
