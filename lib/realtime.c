/* SPDX-License-Identifier: BSD-3-Clause */
#include "lib/realtime.h"

#include <errno.h>
#include <sched.h>
#include <sys/resource.h>
#include <time.h>

#include "lib/counter.h"

static int64_t used_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return ts.tv_sec * DCB_NS_PER_S + ts.tv_nsec;
}

static uint64_t waits(void)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return (uint64_t)usage.ru_nvcsw;
}

/* priority 0: SCHED_OTHER. The flag stays: only privileged threads may remove it. */
static int set(struct realtime *rt, int priority)
{
	const struct sched_param param = {.sched_priority = priority};
	int policy = (priority ? SCHED_FIFO : SCHED_OTHER) | SCHED_RESET_ON_FORK;

	if (sched_setscheduler(0, policy, &param) < 0)
		return errno;
	gauge_set(&rt->priority, priority);
	return 0;
}

/* Takes the answer of the observer, if there is one. Returns permille of the time since the one
 * before; -1: not known. */
static int take_answer(struct realtime *rt)
{
	struct rt_observed before = rt->observed;
	int64_t ns;

	rt->asked = false;
	rt->observed = rt_observer_answer(rt->observer);
	ns = dcb_time_diff_ns(rt->observed.at, before.at);
	if (!rt->observed.knows)
		return -1;
	return ns > 0 ? (int)((rt->observed.waited_ns - before.waited_ns) * 1000 / ns) : 0;
}

static struct rt_guard_seen see(struct realtime *rt, struct dcb_time now)
{
	struct rt_guard_seen seen = {
	    .now = now,
	    .used_ns = used_ns(),
	    .waits = waits(),
	    .turns = rt->turns,
	    .frames = rt->frames,
	};

	if (!rt->observer) {
		seen.answered = true;
	} else if (rt->asked && rt_observer_has_answer(rt->observer)) {
		seen.answered = true;
		seen.waiting = take_answer(rt);
	}
	return seen;
}

int realtime_begin(struct realtime *rt, int priority, struct dcb_time now)
{
	int error = set(rt, priority);
	struct rt_guard_seen seen;

	if (error)
		return error;
	rt->wanted = priority;
	seen = see(rt, now);
	rt_guard_init(&rt->guard, rt->kind, &seen);
	return 0;
}

static void forget(struct realtime *rt)
{
	rt->guard.policy = RT_GUARD_SHARED;
	rt->guard.next = DCB_TIME_NEVER;
}

void realtime_end(struct realtime *rt)
{
	forget(rt);
	if (rt->priority)
		(void)set(rt, 0);
}

int realtime_priority(void)
{
	int policy = sched_getscheduler(0) & ~SCHED_RESET_ON_FORK;
	struct sched_param param;

	if ((policy != SCHED_FIFO && policy != SCHED_RR) || sched_getparam(0, &param) < 0)
		return 0;
	return param.sched_priority;
}

/*
 * RLIMIT_RTTIME counts processor time until a wake-up of the thread while it has real time. Such a
 * thread has no timer slack: a timer of some nanoseconds expires before the thread leaves the
 * processor, without a wake-up.
 */
#define WAIT_NS (100 * DCB_NS_PER_US)

static void give_up(struct realtime *rt)
{
	counter_add(rt->guard.reason == RT_GUARD_OVERLOAD ? &rt->overloads : &rt->yields, 1);
	gauge_set(&rt->reason, (uint8_t)rt->guard.reason);
	(void)set(rt, 0);
}

static void take_back(struct realtime *rt)
{
	if (set(rt, rt->wanted) == 0)
		return;
	forget(rt);
	gauge_set(&rt->refused, true);
}

static void ask_observer(struct realtime *rt)
{
	if (!rt->guard.asks || rt->asked || !rt->observer)
		return;
	rt->asked = true;
	rt_observer_ask(rt->observer);
}

void realtime_ask_guard(struct realtime *rt, struct dcb_time now)
{
	enum rt_guard_policy before = rt->guard.policy, policy;
	struct rt_guard_seen seen = see(rt, now);

	policy = rt_guard_run(&rt->guard, &seen);
	if (rt->guard.has_to_wait)
		nanosleep(&(struct timespec){.tv_nsec = WAIT_NS}, NULL);
	if (before != RT_GUARD_SHARED && policy == RT_GUARD_SHARED)
		give_up(rt);
	else if (before == RT_GUARD_SHARED && policy != RT_GUARD_SHARED)
		take_back(rt);
	ask_observer(rt);
}
