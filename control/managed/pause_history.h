/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The last intervals of each priority with PFC, of about a second each: frames, pauses and queues.
 * Rings of a fixed length; a priority has one from the first interval on in which it was paused,
 * or paused its neighbor, so that others cost no memory. Control thread; others read with the lock
 * of the managed system.
 */
#ifndef DCB_CONTROL_MANAGED_PAUSE_HISTORY_H
#define DCB_CONTROL_MANAGED_PAUSE_HISTORY_H

#include "control/managed/state_lock.h"
#include "dataplane/config/dcb_config.h"

#define PAUSE_INTERVALS 64 /* that a ring holds */

/* One interval. What the port does not know is 0. */
struct pause_interval {
	uint32_t number;         /* seconds from the start of dcbd to its end, rounded up or down */
	uint32_t lasted_ms;      /* as a busy machine had it, or longer if ticks were missing */
	uint32_t sent, received; /* PFC frames that name the priority */
	uint32_t paused_us;      /* time in which PFC frames stopped the priority */
	uint32_t pausing_us;     /* time for which it stopped the neighbor */
	uint32_t longest_us;     /* pause that ended then or lasts on, with its time before */
	uint32_t
	    queue_octets; /* most that waited to be sent, when the port could send or had to wait */
};

/* NULL: out of memory. */
struct pause_history *pause_history_new(void);
void pause_history_free(struct pause_history *h);

/*
 * Ends an interval, if half a second has passed; to be called once a second. Reads all ports of
 * the configuration, and takes the lock for those with pauses. started: the start of dcbd.
 */
void pause_history_tick(struct pause_history *h, struct state_lock *lock,
			const struct dcb_config *config, struct dcb_time started,
			struct dcb_time now);

/* Returns the first interval of the port and priority from this number on; NULL: there is none. */
const struct pause_interval *pause_history_from(const struct pause_history *h,
						const struct port *port, unsigned priority,
						uint32_t number);
/* Returns the last interval of the port and priority; NULL: there is none. */
const struct pause_interval *pause_history_last(const struct pause_history *h,
						const struct port *port, unsigned priority);

#endif
