/* SPDX-License-Identifier: BSD-3-Clause */
/* Events that are found by looking at the managed objects. Control thread only. */
#ifndef DCB_CONTROL_EVENT_WATCH_H
#define DCB_CONTROL_EVENT_WATCH_H

#include "control/managed/managed.h"

/*
 * A configuration in force makes rows of ieee8021CnErroredPortTable, or they are gone
 * with it; a port does not agree with its neighbor, or does again: struct dcbx_outcome.
 */
extern const struct managed_ops event_watch_ops;

struct event_poll;

/* An input buffer with PFC that discards is news, unless it did so less than this ago. */
#define EVENT_POLL_QUIET_S 60

/*
 * Counters that are looked at about once a second: frames that an input buffer
 * with PFC had to discard. NULL: out of memory.
 */
struct event_poll *event_poll_new(void);
void event_poll_free(struct event_poll *poll);
void event_poll(struct event_poll *poll, const struct managed *m, struct dcb_time now);

/* The watchdog reports: priorities of the port in this slot, one bit each. */
void event_watch_storm(const struct managed *m, uint16_t slot, uint8_t stormed, uint8_t ended,
		       struct dcb_time now);

#endif
