/* SPDX-License-Identifier: BSD-3-Clause */
#include "lib/rt_guard.h"

void rt_guard_init(struct rt_guard *g, enum rt_guard_kind kind, const struct rt_guard_seen *seen)
{
	*g = (struct rt_guard){
	    .policy = RT_GUARD_REAL_TIME,
	    .kind = kind,
	    .start = *seen,
	    .next = dcb_time_add_ns(seen->now, RT_GUARD_BUSY_NS),
	};
}

static int64_t since_start_ns(const struct rt_guard *g, const struct rt_guard_seen *seen)
{
	return dcb_time_diff_ns(seen->now, g->start.now);
}

static int64_t used_since_ns(const struct rt_guard *g, const struct rt_guard_seen *seen)
{
	return seen->used_ns - g->start.used_ns;
}

static bool uses(const struct rt_guard *g, const struct rt_guard_seen *seen, int64_t permille)
{
	return used_since_ns(g, seen) * 1000 >= since_start_ns(g, seen) * permille;
}

static bool is_due(struct dcb_time when, const struct rt_guard_seen *seen)
{
	return !dcb_time_before(seen->now, when);
}

static void ask(struct rt_guard *g, const struct rt_guard_seen *seen)
{
	if (g->asks)
		return;
	g->asks = true;
	g->asked = seen->now;
}

static void take_answer(struct rt_guard *g, int waiting)
{
	g->asks = false;
	if (waiting < 0) {
		g->others_wait = true; /* not known: as if they did */
		return;
	}
	g->waiting = (3 * g->waiting + waiting) / 4;
	g->others_wait = g->waiting >= (g->others_wait ? RT_GUARD_WAIT_END : RT_GUARD_WAIT_BEGIN);
}

/* --- how the thread leaves the processors to others --------------------------------- */

static void rest(struct rt_guard *g, enum rt_guard_policy policy, const struct rt_guard_seen *seen,
		 int64_t ns)
{
	g->has_to_wait = policy == RT_GUARD_SHARED && seen->waits == g->start.waits;
	g->policy = policy;
	g->start = *seen;
	g->until = dcb_time_add_ns(seen->now, ns);
	g->next =
	    policy == RT_GUARD_SHARED ? g->until : dcb_time_add_ns(seen->now, RT_GUARD_REST_NS);
	g->pause_ns = 0;
}

static void overload(struct rt_guard *g, const struct rt_guard_seen *seen)
{
	g->reason = g->others_wait ? RT_GUARD_OTHERS : RT_GUARD_OVERLOAD;
	rest(g, g->kind == RT_GUARD_SLEEPS ? RT_GUARD_ASLEEP : RT_GUARD_SHARED, seen,
	     g->others_wait ? RT_GUARD_SHARE_NS : RT_GUARD_REST_NS);
}

/* (C) The part of a second by which threads differ: that at which they noticed it. */
static int64_t histogram_ns(const struct rt_guard_seen *seen)
{
	return seen->now.ns / DCB_NS_PER_US % 1000 * DCB_NS_PER_MS;
}

static void yield(struct rt_guard *g, const struct rt_guard_seen *seen)
{
	bool again =
	    g->yield_ns && dcb_time_diff_ns(seen->now, g->yielded_until) < RT_GUARD_FORGET_NS;

	g->yield_ns = again ? 2 * g->yield_ns : RT_GUARD_YIELD_MIN_NS;
	if (g->yield_ns > RT_GUARD_YIELD_MAX_NS)
		g->yield_ns = RT_GUARD_YIELD_MAX_NS;
	g->asks = false;
	g->reason = RT_GUARD_OTHERS;
	rest(g, RT_GUARD_SHARED, seen, g->yield_ns + histogram_ns(seen));
	g->yielded_until = g->next;
}

/* Others wait, and the thread takes no pauses. */
static void leave(struct rt_guard *g, const struct rt_guard_seen *seen)
{
	g->reason = RT_GUARD_OTHERS;
	rest(g, g->kind == RT_GUARD_SLEEPS ? RT_GUARD_ASLEEP : RT_GUARD_SHARED, seen,
	     RT_GUARD_YIELD_MIN_NS);
}

static void collect_more(struct rt_guard *g)
{
	g->pause_ns = g->pause_ns ? 4 * g->pause_ns : RT_GUARD_PAUSE_MIN_NS;
	if (g->pause_ns > RT_GUARD_PAUSE_MAX_NS)
		g->pause_ns = RT_GUARD_PAUSE_MAX_NS;
}

static void collect_less(struct rt_guard *g)
{
	g->pause_ns /= 2;
	if (g->pause_ns < RT_GUARD_PAUSE_MIN_NS)
		g->pause_ns = 0;
}

/* At the end of a window. */
static void adjust_pauses(struct rt_guard *g, const struct rt_guard_seen *seen)
{
	uint64_t turns = seen->turns - g->start.turns, frames = seen->frames - g->start.frames;

	if (!g->others_wait || !uses(g, seen, RT_GUARD_COLLECT_END) ||
	    frames >= 2 * RT_GUARD_FRAMES * turns)
		collect_less(g);
	else if (uses(g, seen, RT_GUARD_COLLECT) && frames < RT_GUARD_FRAMES * turns)
		collect_more(g);
}

/* --- windows ------------------------------------------------------------------------- */

/* The window or rest has ended at the latest now. After a rest the thread needs no wait. */
static void begin_window(struct rt_guard *g, const struct rt_guard_seen *seen)
{
	g->has_to_wait = g->policy == RT_GUARD_REAL_TIME && seen->waits == g->start.waits;
	g->policy = RT_GUARD_REAL_TIME;
	g->start = *seen;
	if (g->pause_ns)
		ask(g, seen);
}

/* The thread cannot use up the rest of a budget in less time, but for least_ns. */
static struct dcb_time used_up(const struct rt_guard *g, const struct rt_guard_seen *seen,
			       int64_t budget_ns, int64_t least_ns)
{
	int64_t left_ns = budget_ns - used_since_ns(g, seen);

	return dcb_time_add_ns(seen->now, left_ns < least_ns ? least_ns : left_ns);
}

/* A thread that has hardly run for a second does not know whether others wait now. */
static void forget_others(struct rt_guard *g)
{
	g->waiting = 0;
	g->others_wait = false;
	g->pause_ns = 0;
}

static void end_window(struct rt_guard *g, const struct rt_guard_seen *seen)
{
	bool hogs;

	if (since_start_ns(g, seen) > 10 * RT_GUARD_WINDOW_NS)
		forget_others(g);
	hogs = g->others_wait && uses(g, seen, RT_GUARD_HOGS);
	if (g->kind == RT_GUARD_TAKES_PAUSES)
		adjust_pauses(g, seen);
	if (hogs && g->kind != RT_GUARD_TAKES_PAUSES)
		leave(g, seen);
	else
		begin_window(g, seen);
}

/* In this window. */
static bool has_asked(const struct rt_guard *g)
{
	return !dcb_time_before(g->asked, g->start.now);
}

static void set_next(struct rt_guard *g, const struct rt_guard_seen *seen)
{
	g->next = used_up(g, seen, RT_GUARD_BUDGET_NS, RT_GUARD_LEAST_NS);
	if (g->asks)
		g->next = dcb_time_min(g->next, dcb_time_add_ns(g->asked, RT_GUARD_ANSWER_NS));
	else if (!has_asked(g))
		g->next =
		    dcb_time_min(g->next, used_up(g, seen, RT_GUARD_BUSY_NS, RT_GUARD_BUSY_NS));
}

static void run_in_real_time(struct rt_guard *g, const struct rt_guard_seen *seen)
{
	bool used = used_since_ns(g, seen) >= RT_GUARD_BUDGET_NS;

	if (g->asks && seen->answered)
		take_answer(g, seen->waiting);
	if (g->asks && dcb_time_diff_ns(seen->now, g->asked) >= RT_GUARD_ANSWER_NS)
		yield(g, seen);
	else if (since_start_ns(g, seen) > RT_GUARD_WINDOW_NS)
		end_window(g, seen);
	else if (used)
		overload(g, seen);
	else if (used_since_ns(g, seen) >= RT_GUARD_BUSY_NS && !has_asked(g))
		ask(g, seen);
	if (g->policy == RT_GUARD_REAL_TIME)
		set_next(g, seen);
}

static void run_in_rest(struct rt_guard *g, const struct rt_guard_seen *seen)
{
	if (g->policy == RT_GUARD_ASLEEP && used_since_ns(g, seen) > since_start_ns(g, seen) / 2) {
		rest(g, RT_GUARD_SHARED, seen,
		     g->reason == RT_GUARD_OVERLOAD ? RT_GUARD_REST_NS : RT_GUARD_YIELD_MIN_NS);
	} else if (dcb_time_before(seen->now, g->until)) {
		g->start = *seen;
		g->next = dcb_time_add_ns(seen->now, RT_GUARD_REST_NS);
	} else {
		begin_window(g, seen);
		set_next(g, seen);
	}
}

enum rt_guard_policy rt_guard_run(struct rt_guard *g, const struct rt_guard_seen *seen)
{
	g->has_to_wait = false;
	if (!is_due(g->next, seen))
		return g->policy;
	if (g->policy == RT_GUARD_REAL_TIME)
		run_in_real_time(g, seen);
	else
		run_in_rest(g, seen);
	return g->policy;
}
