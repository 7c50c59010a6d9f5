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

int realtime_begin(struct realtime *rt, int priority, struct dcb_time now)
{
	int error = set(rt, priority);

	if (error)
		return error;
	rt->wanted = priority;
	rt_guard_init(&rt->guard, rt->sleeps_itself, now, used_ns(), waits());
	return 0;
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
	counter_add(&rt->given_up, 1);
	(void)set(rt, 0);
}

static void take_back(struct realtime *rt)
{
	if (set(rt, rt->wanted) == 0)
		return;
	rt->guard.policy = RT_GUARD_SHARED;
	rt->guard.next = DCB_TIME_NEVER;
	gauge_set(&rt->refused, true);
}

void realtime_ask_guard(struct realtime *rt, struct dcb_time now)
{
	enum rt_guard_policy before = rt->guard.policy;
	enum rt_guard_policy policy = rt_guard_run(&rt->guard, now, used_ns(), waits());

	if (rt->guard.has_to_wait)
		nanosleep(&(struct timespec){.tv_nsec = WAIT_NS}, NULL);
	if (before != RT_GUARD_SHARED && policy == RT_GUARD_SHARED)
		give_up(rt);
	else if (before == RT_GUARD_SHARED && policy != RT_GUARD_SHARED)
		take_back(rt);
}
