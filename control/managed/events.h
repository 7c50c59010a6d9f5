/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What happened: the last few hundred events, numbered from 1, encoded once as
 * the message that every subscriber is sent. Which of them become notifications
 * is decided here, by their switches and the rate limit (dcbNotify group).
 * Subscribers only remember a number, so one that is slow or dead costs nothing.
 * Control thread only.
 */
#ifndef DCB_CONTROL_MANAGED_EVENTS_H
#define DCB_CONTROL_MANAGED_EVENTS_H

#include "lib/mo/mo_msg.h"
#include "lib/dcbtime.h"
#include "dataplane/config/dcb_config.h"

#define EVENTS_KEPT  512
#define EVENT_OCTETS 768 /* the longest EVENT */

struct events;

/* NULL: out of memory. */
struct events *events_new(void);
void events_free(struct events *e);

/* Called after each new event; must not raise another. NULL: nobody. */
void events_listen(struct events *e, void (*fn)(void *ctx), void *ctx);

/*
 * Something happened. Where its notification is switched on it uses up the
 * limit; what goes beyond that is counted and forgotten.
 */
void events_raise(struct events *e, const struct notify_config *config, enum mo_notification_id id,
		  const struct mo_varbind *vbs, unsigned n, struct dcb_time now);

/* The number the next event gets. */
uint64_t events_next(const struct events *e);

/* The first event kept that has at least this number, which is updated; NULL: none yet. */
const uint8_t *events_at(const struct events *e, uint64_t *number, size_t *len);

/* The highest number a notifier has acknowledged, 0 in the beginning. */
uint64_t events_acked(const struct events *e);
void events_ack(struct events *e, uint64_t number);

struct events_stats {
	uint64_t sent;       /* raised with their notification switched on, within the limit */
	uint64_t suppressed; /* ... beyond it */
};
void events_read(const struct events *e, struct events_stats *out);

#endif
