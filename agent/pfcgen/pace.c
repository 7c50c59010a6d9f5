/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/pfcgen/pace.h"

#include <errno.h>
#include <string.h>

#define SHRINK_SLEPT 64   /* each sleep reduces the excess of the margin by 1/64 */
#define SHRINK_AWAKE 1024 /* each interval awake reduces the margin by 1/1024 */

/* How to wait for a frame: asleep until the margin, or asleep until it is due. */
enum way { WAY_MARGIN, WAY_ASLEEP, WAYS };

struct pacer {
	const struct pace_params *p;
	const struct pace_host *host;
	struct pace_report *r;
	int64_t margin_ns;
	bool slept; /* slept since the last frame */
	struct dcb_time due;
	enum way way;
	int64_t late_ns, n_due; /* in this block: sum of lateness, number of frames due */
	int64_t mean_ns[WAYS];  /* moving average of the lateness of a frame; 0: not measured */
	unsigned blocks;
};

static struct dcb_time now_of(const struct pacer *w)
{
	return w->host->now(w->host->ctx);
}

static bool is_stopped(const struct pacer *w)
{
	return w->host->stopped(w->host->ctx);
}

/* --- waiting ------------------------------------------------------------------ */

static int64_t bounded(int64_t margin_ns)
{
	if (margin_ns < PACE_MARGIN_MIN_NS)
		return PACE_MARGIN_MIN_NS;
	return margin_ns > PACE_MARGIN_MAX_NS ? PACE_MARGIN_MAX_NS : margin_ns;
}

/*
 * Adjusts the margin after a sleep until wanted ended at woken: to the wake-up
 * latency and a quarter more.
 */
static void adjust_margin(struct pacer *w, struct dcb_time wanted, struct dcb_time woken)
{
	int64_t late_ns = dcb_time_diff_ns(woken, wanted);
	int64_t need_ns = late_ns + late_ns / 4;

	if (late_ns < 0)
		return; /* ended early by a signal */
	if (need_ns > w->margin_ns)
		w->margin_ns = bounded(need_ns);
	else
		w->margin_ns = bounded(w->margin_ns - (w->margin_ns - need_ns) / SHRINK_SLEPT);
}

static void sleep_until(struct pacer *w, struct dcb_time when)
{
	w->host->sleep_until(w->host->ctx, when);
	w->r->sleeps++;
	w->slept = true;
}

/*
 * Ends a block: updates the mean of its way and chooses the way for the next
 * one. A way that is good enough is kept without trying the other.
 */
static void choose_way(struct pacer *w)
{
	int64_t *mean = &w->mean_ns[w->way];

	*mean += (w->late_ns / w->n_due + 1 - *mean) / (*mean ? 4 : 1);
	w->late_ns = w->n_due = 0;
	if (*mean <= PACE_GOOD(w->p->interval_ns))
		return;
	w->way = w->mean_ns[WAY_MARGIN] <= w->mean_ns[WAY_ASLEEP] ? WAY_MARGIN : WAY_ASLEEP;
	if (++w->blocks % PACE_TRY == 0)
		w->way = w->way == WAY_MARGIN ? WAY_ASLEEP : WAY_MARGIN;
}

/* n frames have become due, the first of them late_ns ago. Counts those that were missed, too. */
static void note_due(struct pacer *w, int64_t n, int64_t late_ns)
{
	w->n_due += n;
	w->late_ns += late_ns + (n - 1) * w->p->interval_ns;
	if (w->n_due >= PACE_BLOCK && w->n_due * w->p->interval_ns >= PACE_BLOCK_NS)
		choose_way(w);
}

static void sleep_with_margin(struct pacer *w, struct dcb_time until, int64_t margin_ns)
{
	struct dcb_time wake = dcb_time_add_ns(until, -margin_ns);

	sleep_until(w, wake);
	adjust_margin(w, wake, now_of(w));
}

static bool must_sleep(const struct pacer *w)
{
	return w->way == WAY_ASLEEP || (w->host->must_sleep && w->host->must_sleep(w->host->ctx));
}

/* Sleeps if the way and the remaining time allow it, else returns at once. */
static void sleep_if_allowed(struct pacer *w, struct dcb_time now, struct dcb_time until)
{
	if (w->p->wait == PACE_ASLEEP || (w->p->wait == PACE_ADAPT && must_sleep(w)))
		sleep_with_margin(w, until, 0);
	else if (w->p->wait == PACE_ADAPT &&
		 dcb_time_diff_ns(until, now) - w->margin_ns >= PACE_SLEEP_MIN_NS)
		sleep_with_margin(w, until, w->margin_ns);
}

/* Waits until the time "until". Returns the current time, which is earlier only if stopped. */
static struct dcb_time wait_until(struct pacer *w, struct dcb_time until)
{
	struct dcb_time now = now_of(w);

	w->slept = false;
	while (dcb_time_before(now, until) && !is_stopped(w)) {
		sleep_if_allowed(w, now, until);
		now = now_of(w);
	}
	if (!w->slept)
		w->margin_ns = bounded(w->margin_ns - w->margin_ns / SHRINK_AWAKE);
	return now;
}

/* --- sending ------------------------------------------------------------------ */

static bool is_refusal(int error)
{
	return error == ENOBUFS || error == EAGAIN || error == EINTR || error == ENOMEM;
}

static void note_sent(struct pacer *w, struct dcb_time now, struct dcb_time *last)
{
	int64_t interval_ns = dcb_time_diff_ns(now, *last);
	struct pace_report *r = w->r;

	if (r->frames++ > 0) {
		histogram_add(&r->intervals, interval_ns);
		if (w->p->lapse_ns && interval_ns > w->p->lapse_ns)
			r->lapses++;
	}
	if (dcb_time_diff_ns(now, w->due) > PACE_LATE(w->p->interval_ns))
		r->late++;
	*last = now;
}

/* Number of frames that are due within ns after one that is due, that one included. */
static int64_t intervals_in(const struct pacer *w, int64_t ns)
{
	return (ns - 1) / w->p->interval_ns + 1;
}

/* Moves to the next frame that is not due yet, and counts the frames in between as missed. */
static void advance(struct pacer *w, struct dcb_time now)
{
	int64_t late_ns = dcb_time_diff_ns(now, w->due), missed = 0;

	if (late_ns > w->p->interval_ns)
		missed = intervals_in(w, late_ns - w->p->interval_ns);
	w->r->missed += (uint64_t)missed;
	w->due = dcb_time_add_ns(w->due, (1 + missed) * w->p->interval_ns);
	note_due(w, 1 + missed, late_ns);
}

static void send_all(struct pacer *w, struct dcb_time end)
{
	const struct pace_params *p = w->p;
	struct dcb_time last = {0};

	while (dcb_time_before(w->due, end) && (p->count == 0 || w->r->frames < p->count)) {
		struct dcb_time now = wait_until(w, w->due);
		int error;

		if (dcb_time_before(now, w->due))
			break; /* stopped */
		if (!dcb_time_before(now, end)) {
			w->r->missed += (uint64_t)intervals_in(w, dcb_time_diff_ns(end, w->due));
			break;
		}
		error = w->host->send(w->host->ctx, p->frame, p->octets);
		if (error == 0) {
			note_sent(w, now, &last);
		} else if (is_refusal(error)) {
			w->r->refused++;
		} else {
			w->r->error = error;
			break;
		}
		advance(w, now);
		if (is_stopped(w))
			break;
	}
}

void pace_run(const struct pace_params *p, const struct pace_host *host, struct pace_report *r)
{
	struct pacer w = {.p = p, .host = host, .r = r, .margin_ns = PACE_MARGIN_FIRST_NS};
	struct dcb_time start, end = DCB_TIME_NEVER;

	memset(r, 0, sizeof(*r));
	start = w.due = now_of(&w);
	if (p->duration_ns)
		end = dcb_time_add_ns(start, p->duration_ns);
	send_all(&w, end);
	if (r->error == 0)
		wait_until(&w, dcb_time_min(w.due, end));
	r->elapsed_ns = dcb_time_diff_ns(now_of(&w), start);
}
