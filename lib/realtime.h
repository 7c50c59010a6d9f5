/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Real time for a thread: SCHED_FIFO, under the guard of lib/rt_guard.h. Children of the thread and
 * programs that it starts do not inherit it (SCHED_RESET_ON_FORK). The kernel permits it up to
 * RLIMIT_RTPRIO, or with CAP_SYS_NICE.
 *
 * Asking the guard costs a comparison a turn, and two to four system calls in some tens of ms,
 * when one of its times can be due at the earliest.
 *
 * Where root cannot raise RLIMIT_RTPRIO, as in a container that has CAP_SYS_NICE, only the
 * dataplane threads keep this capability: they are started before the control thread drops it.
 * RLIMIT_RTTIME is the last resort, as the watchdog, for a thread that does not come round: the
 * kernel ends dcbd after ten seconds without a wait (control/host/limits.c). Overload is no reason
 * for that: see the end of rt_guard.h.
 */
#ifndef DCB_LIB_REALTIME_H
#define DCB_LIB_REALTIME_H

#include "lib/rt_guard.h"
#include "lib/rt_observer.h"

/* Written by the thread; any thread may read the last five with gauge_get(). */
struct realtime {
	struct rt_guard guard;
	enum rt_guard_kind kind;      /* of the thread; set before */
	struct rt_observer *observer; /* set before; NULL: as if no other thread waited */
	struct rt_observed observed;  /* the last answer */
	bool asked;                   /* the observer */
	uint64_t turns, frames;       /* see struct rt_guard_seen */
	int wanted;                   /* priority while the guard permits real time */
	int priority;                 /* in force: 1..99; 0: no real time now */
	uint64_t overloads, yields;   /* times that the guard took it: RT_GUARD_OVERLOAD, _OTHERS */
	uint8_t reason;               /* enum rt_guard_reason of the last time */
	bool refused;                 /* the kernel did not permit it again after that */
};

/* Initial value: the thread has no real time, and realtime_check() does nothing. */
#define REALTIME_NONE \
	((struct realtime){.guard = {.policy = RT_GUARD_SHARED, .next = DCB_TIME_NEVER}})

/*
 * Gives the calling thread the policy SCHED_FIFO with a priority of 1..99. now: CLOCK_MONOTONIC.
 * Returns 0 or an errno, EPERM where it is not permitted: then nothing has changed.
 */
int realtime_begin(struct realtime *rt, int priority, struct dcb_time now);

/* Takes it from the calling thread, for which realtime_begin() has succeeded. */
void realtime_end(struct realtime *rt);

/* Returns the real-time priority that the calling thread has, from whatever gave it; 0: none. */
int realtime_priority(void);

/*
 * Asks the guard, and changes the policy of the calling thread, which is that of rt. If the kernel
 * refuses real time then, because the limit was lowered, the thread has none any more.
 */
void realtime_ask_guard(struct realtime *rt, struct dcb_time now);

/* To be called by the thread in each turn of its loop. A comparison, unless the guard is due. */
static inline void realtime_check(struct realtime *rt, struct dcb_time now)
{
	if (!dcb_time_before(now, rt->guard.next))
		realtime_ask_guard(rt, now);
}

/* Returns when to call realtime_check() even if the thread has nothing else to do. */
static inline struct dcb_time realtime_due(const struct realtime *rt)
{
	return rt->guard.policy == RT_GUARD_SHARED ? rt->guard.next : DCB_TIME_NEVER;
}

/*
 * For a thread of the kind RT_GUARD_TAKES_PAUSES: a turn of its loop with this number of frames has
 * ended; more: there are more. Returns for how long it has to sleep before the next turn, in ns.
 */
static inline int64_t realtime_end_turn(struct realtime *rt, unsigned frames, bool more)
{
	if (rt->guard.policy == RT_GUARD_SHARED || frames == 0)
		return 0;
	rt->turns++;
	rt->frames += frames;
	return more ? 0 : rt->guard.pause_ns;
}

#endif
