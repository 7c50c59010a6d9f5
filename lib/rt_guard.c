/* SPDX-License-Identifier: BSD-3-Clause */
#include "lib/rt_guard.h"

void rt_guard_init(struct rt_guard *g, struct dcb_time now, int64_t used_ns, uint64_t waits)
{
	*g = (struct rt_guard){
	    .policy = RT_GUARD_REAL_TIME,
	    .start = now,
	    .used_ns = used_ns,
	    .waits = waits,
	    .next = dcb_time_add_ns(now, RT_GUARD_BUDGET_NS),
	};
}

/* The window has ended at the latest now. A thread that had the rest instead needs no wait. */
static void begin_window(struct rt_guard *g, struct dcb_time now, int64_t used_ns, uint64_t waits)
{
	bool has_waited = g->policy == RT_GUARD_SHARED || waits != g->waits;

	rt_guard_init(g, now, used_ns, waits);
	g->has_to_wait = !has_waited;
}

enum rt_guard_policy rt_guard_run(struct rt_guard *g, struct dcb_time now, int64_t used_ns,
				  uint64_t waits)
{
	int64_t left_ns = RT_GUARD_BUDGET_NS - (used_ns - g->used_ns);

	g->has_to_wait = false;
	if (dcb_time_before(now, g->next))
		return g->policy;
	if (g->policy == RT_GUARD_SHARED || dcb_time_diff_ns(now, g->start) > RT_GUARD_WINDOW_NS) {
		begin_window(g, now, used_ns, waits);
	} else if (left_ns <= 0) {
		g->policy = RT_GUARD_SHARED;
		g->has_to_wait = waits == g->waits;
		g->next = dcb_time_add_ns(now, RT_GUARD_REST_NS);
	} else {
		/* The thread cannot use up the rest of the budget in less time. */
		g->next =
		    dcb_time_add_ns(now, left_ns < RT_GUARD_LEAST_NS ? RT_GUARD_LEAST_NS : left_ns);
	}
	return g->policy;
}
