/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Guard of a thread with a real-time policy: decides when the thread has to compete with the
 * others of its processor for a while. Without it, a thread that never waits, because more
 * arrives than it can process, would leave them the 5 % that the kernel keeps, or nothing if
 * kernel.sched_rt_runtime_us is -1.
 *
 *              80 ms of processor time      20 ms of time
 *   ---waits---############################~~~~~~~~~~~~~~~~~~~~############---
 *              real time                    shared              real time
 *
 * A window begins with the thread. It ends after RT_GUARD_WINDOW_NS; if the thread has used
 * RT_GUARD_BUDGET_NS of processor time before, the policy is taken from it for RT_GUARD_REST_NS.
 * Load that begins within a window can use the rest of that window and the next budget: at most
 * twice the budget.
 *
 * A thread that can sleep by itself keeps the policy for the first rest. If it still uses more than
 * half of the processor, as one that is always late, the policy is taken from it for a second rest.
 *
 * A thread that has not waited since the window began has to wait at its end, also if others of its
 * processor, with a higher priority, left it less than the budget: RLIMIT_RTTIME, which counts from
 * the last wait, ends only a thread that does not ask the guard.
 * Pure: time, processor time and the number of waits are arguments.
 */
#ifndef DCB_LIB_RT_GUARD_H
#define DCB_LIB_RT_GUARD_H

#include "lib/dcbtime.h"

#define RT_GUARD_WINDOW_NS (100 * DCB_NS_PER_MS)
#define RT_GUARD_BUDGET_NS (80 * DCB_NS_PER_MS)
#define RT_GUARD_REST_NS   (20 * DCB_NS_PER_MS)
#define RT_GUARD_LEAST_NS  DCB_NS_PER_MS /* between two calls */

enum rt_guard_policy {
	RT_GUARD_REAL_TIME,
	RT_GUARD_ASLEEP, /* real time; the thread has to leave the processor by itself */
	RT_GUARD_SHARED,
};

struct rt_guard {
	enum rt_guard_policy policy; /* that the thread shall have */
	bool sleeps_itself;          /* the thread, while the policy is RT_GUARD_ASLEEP */
	struct dcb_time start;       /* of the window */
	int64_t used_ns;      /* processor time of the thread, at the start of the window or rest */
	uint64_t waits;       /* of the thread, at the start of the window */
	struct dcb_time next; /* when rt_guard_run() has to be called again, at the earliest */
	bool has_to_wait;     /* the thread, before it goes on; set by rt_guard_run() */
};

/*
 * Begins the first window. sleeps_itself: the guard may return RT_GUARD_ASLEEP. used_ns: processor
 * time that the thread has used until now; waits: times that it has left the processor by itself
 * until now.
 */
void rt_guard_init(struct rt_guard *g, bool sleeps_itself, struct dcb_time now, int64_t used_ns,
		   uint64_t waits);

/* Returns the policy that the thread shall have from now until g->next. Sets g->has_to_wait. */
enum rt_guard_policy rt_guard_run(struct rt_guard *g, struct dcb_time now, int64_t used_ns,
				  uint64_t waits);

#endif
