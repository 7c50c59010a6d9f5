/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Real time for a thread: SCHED_FIFO, under the guard of lib/rt_guard.h. Children of the thread and
 * programs that it starts do not inherit it (SCHED_RESET_ON_FORK). The kernel permits it up to
 * RLIMIT_RTPRIO, or with CAP_SYS_NICE.
 */
#ifndef DCB_LIB_REALTIME_H
#define DCB_LIB_REALTIME_H

#include "lib/rt_guard.h"

/* Written by the thread; any thread may read the last three with gauge_get(). */
struct realtime {
	struct rt_guard guard;
	int wanted;         /* priority while the guard permits real time */
	bool sleeps_itself; /* the thread, while guard.policy is RT_GUARD_ASLEEP; set before */
	int priority;       /* in force: 1..99; 0: no real time now */
	uint64_t given_up;  /* times that the guard took it from the thread */
	bool refused;       /* the kernel did not permit it again after that */
};

/* Initial value: the thread has no real time, and realtime_check() does nothing. */
#define REALTIME_NONE \
	((struct realtime){.guard = {.policy = RT_GUARD_SHARED, .next = DCB_TIME_NEVER}})

/*
 * Gives the calling thread the policy SCHED_FIFO with a priority of 1..99. now: CLOCK_MONOTONIC.
 * Returns 0 or an errno, EPERM where it is not permitted: then nothing has changed.
 */
int realtime_begin(struct realtime *rt, int priority, struct dcb_time now);

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

#endif
