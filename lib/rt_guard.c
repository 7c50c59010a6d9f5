/* SPDX-License-Identifier: BSD-3-Clause */
#include "lib/rt_guard.h"

void rt_guard_init(struct rt_guard *g, bool sleeps_itself, struct dcb_time now, int64_t used_ns,
		   uint64_t waits)
{
	*g = (struct rt_guard){
	    .policy = RT_GUARD_REAL_TIME,
	    .sleeps_itself = sleeps_itself,
	    .start = now,
	    .used_ns = used_ns,
	    .waits = waits,
	    .next = dcb_time_add_ns(now, RT_GUARD_BUDGET_NS),
	};
}

/* The window has ended at the latest now. A thread that had a rest instead needs no wait. */
static void begin_window(struct rt_guard *g, struct dcb_time now, int64_t used_ns, uint64_t waits)
{
	bool has_waited = g->policy != RT_GUARD_REAL_TIME || waits != g->waits;

	rt_guard_init(g, g->sleeps_itself, now, used_ns, waits);
	g->has_to_wait = !has_waited;
}

static void rest(struct rt_guard *g, enum rt_guard_policy policy, struct dcb_time now,
		 int64_t used_ns, uint64_t waits)
{
	g->policy = policy;
	g->used_ns = used_ns;
	g->has_to_wait = policy == RT_GUARD_SHARED && waits == g->waits;
	g->next = dcb_time_add_ns(now, RT_GUARD_REST_NS);
}

enum rt_guard_policy rt_guard_run(struct rt_guard *g, struct dcb_time now, int64_t used_ns,
				  uint64_t waits)
{
	int64_t since_ns = used_ns - g->used_ns, left_ns = RT_GUARD_BUDGET_NS - since_ns;

	g->has_to_wait = false;
	if (dcb_time_before(now, g->next))
		return g->policy;
	if (g->policy == RT_GUARD_ASLEEP && since_ns > RT_GUARD_REST_NS / 2) {
		rest(g, RT_GUARD_SHARED, now, used_ns, waits);
	} else if (g->policy != RT_GUARD_REAL_TIME ||
		   dcb_time_diff_ns(now, g->start) > RT_GUARD_WINDOW_NS) {
		begin_window(g, now, used_ns, waits);
	} else if (left_ns <= 0) {
		rest(g, g->sleeps_itself ? RT_GUARD_ASLEEP : RT_GUARD_SHARED, now, used_ns, waits);
	} else {
		/* The thread cannot use up the rest of the budget in less time. */
		g->next =
		    dcb_time_add_ns(now, left_ns < RT_GUARD_LEAST_NS ? RT_GUARD_LEAST_NS : left_ns);
	}
	return g->policy;
}
