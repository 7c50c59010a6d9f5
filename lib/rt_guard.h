/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Guard of a thread with a real-time policy: decides when the thread has to leave the processors to
 * other programs, and how. Pure: times and what the thread sees of others are arguments.
 *
 * Others wait. A thread that has used RT_GUARD_BUSY_NS of processor time in a window asks whether
 * other threads of the machine wait for a processor (lib/rt_observer.h). While they do for a third
 * of the time, a thread that takes pauses collects frames, if it uses RT_GUARD_COLLECT of the
 * processor and finds few of them in a turn: each wake-up costs more than the frames do, on virtual
 * machines ten times as much. It pauses after each turn, so that about RT_GUARD_FRAMES come in the
 * next one. One that takes none, and uses more than half of the processor, sleeps by itself if it
 * can, or loses the policy for some seconds.
 *
 * Others starve. If the question has no answer after RT_GUARD_ANSWER_NS, programs of normal
 * priority do not run at all, because threads with real time, of this process or of others, use all
 * processors. The policy is taken from the thread for RT_GUARD_YIELD_MIN_NS; each time that it
 * happens again within a minute, for twice as long, up to RT_GUARD_YIELD_MAX_NS. To this a part is
 * added that differs from thread to thread, so that not all of them come back at once.
 *
 * Overload. Without the guard, a thread that never waits, because more arrives than it can process,
 * would leave the others the 5 % that the kernel keeps, or nothing if kernel.sched_rt_runtime_us is
 * -1, even if nothing answers the question.
 *
 *              80 ms of processor time      20 ms of time
 *   ---waits---############################~~~~~~~~~~~~~~~~~~~~############---
 *              real time                    shared              real time
 *
 * A window begins with the thread. It ends after RT_GUARD_WINDOW_NS; if the thread has used
 * RT_GUARD_BUDGET_NS of processor time before, the policy is taken from it for RT_GUARD_REST_NS.
 * While others wait, the rest is RT_GUARD_SHARE_NS, so that they have about half of the processor.
 * Load that begins within a window can use the rest of that window and the next budget: at most
 * twice the budget.
 *
 * A thread that can sleep by itself keeps the policy for the first rest. If it still uses more than
 * half of the processor, as one that is always late, the policy is taken from it for a second rest.
 *
 * A thread that has not waited since the window began has to wait at its end, also if others of its
 * processor, with a higher priority, left it less than the budget: RLIMIT_RTTIME, which counts from
 * the last wait, ends only a thread that does not ask the guard.
 */
#ifndef DCB_LIB_RT_GUARD_H
#define DCB_LIB_RT_GUARD_H

#include "lib/dcbtime.h"

#define RT_GUARD_WINDOW_NS (100 * DCB_NS_PER_MS)
#define RT_GUARD_BUDGET_NS (80 * DCB_NS_PER_MS)
#define RT_GUARD_REST_NS   (20 * DCB_NS_PER_MS)
#define RT_GUARD_LEAST_NS  DCB_NS_PER_MS /* between two calls */

/* (C) Measured with four bridges in series: doc/decisions.md lists the alternatives. */
#define RT_GUARD_BUSY_NS      (5 * DCB_NS_PER_MS) /* of processor time in a window */
#define RT_GUARD_ANSWER_NS    (100 * DCB_NS_PER_MS)
#define RT_GUARD_YIELD_MIN_NS (2 * DCB_NS_PER_S)
#define RT_GUARD_YIELD_MAX_NS (64 * DCB_NS_PER_S)
#define RT_GUARD_FORGET_NS    (60 * DCB_NS_PER_S) /* without a yield: the next one is short again */
#define RT_GUARD_WAIT_BEGIN   333                 /* permille of the time that others wait */
#define RT_GUARD_WAIT_END     167
#define RT_GUARD_COLLECT      100 /* permille of a processor that the thread uses */
#define RT_GUARD_COLLECT_END  50
#define RT_GUARD_FRAMES       8
#define RT_GUARD_PAUSE_MIN_NS (25 * DCB_NS_PER_US)
#define RT_GUARD_PAUSE_MAX_NS (800 * DCB_NS_PER_US)
#define RT_GUARD_HOGS         500 /* permille of a processor, of a thread that takes no pauses */
#define RT_GUARD_SHARE_NS     (400 * DCB_NS_PER_MS)

enum rt_guard_policy {
	RT_GUARD_REAL_TIME,
	RT_GUARD_ASLEEP, /* real time; the thread has to leave the processor by itself */
	RT_GUARD_SHARED,
};

/* Why the policy is RT_GUARD_SHARED. */
enum rt_guard_reason {
	RT_GUARD_OVERLOAD, /* the thread has used up its budget */
	RT_GUARD_OTHERS,   /* other programs did not run, or waited for a thread that takes no pause
			    */
};

/* How the thread can leave the processor by itself. */
enum rt_guard_kind {
	RT_GUARD_TAKES_NONE,
	RT_GUARD_TAKES_PAUSES, /* pause_ns after each turn */
	RT_GUARD_SLEEPS,       /* while the policy is RT_GUARD_ASLEEP */
};

/* What the thread sees when it asks the guard. All but now and waiting: since it began. */
struct rt_guard_seen {
	struct dcb_time now;
	int64_t used_ns;        /* processor time of the thread */
	uint64_t waits;         /* times that it has left the processor by itself */
	uint64_t turns, frames; /* turns of its loop with frames, and those frames */
	bool answered;          /* the question of rt_guard.asks: */
	int waiting;            /* permille of the time that others waited; -1: not known */
};

struct rt_guard {
	enum rt_guard_policy policy; /* that the thread shall have */
	enum rt_guard_reason reason;
	enum rt_guard_kind kind;
	struct rt_guard_seen start; /* of the window or rest */
	struct dcb_time until;      /* end of the rest */
	struct dcb_time next; /* when rt_guard_run() has to be called again, at the earliest */
	bool has_to_wait;     /* the thread, before it goes on; set by rt_guard_run() */

	bool asks; /* whether others wait; until seen.answered */
	struct dcb_time asked;
	int waiting; /* average of the answers: one window in which others wait changes nothing */
	bool others_wait;
	int64_t
	    pause_ns; /* after a turn with frames in which the thread took all that were there */

	int64_t yield_ns; /* the last time that others starved; 0: not yet */
	struct dcb_time yielded_until;
};

/* Begins the first window. */
void rt_guard_init(struct rt_guard *g, enum rt_guard_kind kind, const struct rt_guard_seen *seen);

/*
 * Returns the policy that the thread shall have from now until g->next. Sets g->has_to_wait,
 * g->pause_ns, and g->asks: true until a call has seen->answered.
 */
enum rt_guard_policy rt_guard_run(struct rt_guard *g, const struct rt_guard_seen *seen);

#endif
