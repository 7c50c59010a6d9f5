/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/core/pfc_watchdog.h"

#include <string.h>

/*
 * Number of looks per detection time while a paused priority has no frames
 * waiting. Frames that arrive during a pause are found at most 1/LOOKS of the
 * detection time late.
 */
#define LOOKS 16

/* Enough for the largest restoration time to reach any hold-down. */
#define DOUBLINGS_MAX 24

static uint8_t bit(unsigned priority)
{
	return (uint8_t)(1u << priority);
}

static void apply_action(struct pfc_watchdog *w)
{
	w->dropping = w->forwarding = 0;
	for (unsigned i = 0; i < DCB_PRIORITIES; i++) {
		if (!(w->storm & bit(i)))
			continue;
		if (w->pri[i].action == PFC_WATCHDOG_DROP)
			w->dropping |= bit(i);
		if (w->pri[i].action == PFC_WATCHDOG_FORWARD)
			w->forwarding |= bit(i);
	}
}

/* --- hold-down ------------------------------------------------------------------ */

int64_t pfc_watchdog_restoration_ns(const struct pfc_watchdog_pri *pri)
{
	int64_t ns = pri->restoration_ns, most = pri->hold_down_ms * DCB_NS_PER_MS;

	for (unsigned n = 0; n < pri->doublings && ns < most; n++)
		ns = 2 * ns < most ? 2 * ns : most;
	return ns;
}

/* A storm begins: doubles the restoration time, or ends the back-off. */
static void back_off(struct pfc_watchdog_pri *pri, struct dcb_time now)
{
	bool first = pri->end == PFC_STORM_NONE || pri->end == PFC_STORM_SWITCHED_OFF;

	if (first || dcb_time_diff_ns(now, pri->ended) >= pri->hold_down_ms * DCB_NS_PER_MS)
		pri->doublings = 0;
	else if (pri->doublings < DOUBLINGS_MAX)
		pri->doublings++;
}

/* --- duty cycle ----------------------------------------------------------------- */

static int64_t blocked_in_window(const struct pfc_watchdog_duty *d)
{
	int64_t ns = 0;

	for (unsigned n = 0; n < PFC_WATCHDOG_SLOTS; n++)
		ns += d->blocked_ns[n];
	return ns;
}

static void next_slot(struct pfc_watchdog_duty *d)
{
	d->at = (uint8_t)((d->at + 1u) % PFC_WATCHDOG_SLOTS);
	d->blocked_ns[d->at] = 0;
	d->slot_end = dcb_time_add_ns(d->slot_end, d->slot_ns);
}

static void add_blocked(struct pfc_watchdog_duty *d, struct dcb_time from, struct dcb_time to)
{
	d->blocked_ns[d->at] += (uint32_t)dcb_time_diff_ns(to, from);
}

/*
 * Adds the time between two views, in which the priority was blocked, or was not. Returns
 * the time blocked in a window that ended then and has the percentage; 0 if none has.
 */
static int64_t measure(struct pfc_watchdog_duty *d, bool blocked, struct dcb_time from,
		       struct dcb_time to)
{
	int64_t least = (int64_t)d->slot_ns * PFC_WATCHDOG_SLOTS / 100 * d->percent, reached = 0;

	for (unsigned n = 0; !dcb_time_before(to, d->slot_end); n++) {
		if (n > PFC_WATCHDOG_SLOTS) { /* the caller is late: all slots are equal */
			d->slot_end = dcb_time_add_ns(to, d->slot_ns);
			return reached;
		}
		if (blocked)
			add_blocked(d, from, d->slot_end);
		if (blocked_in_window(d) >= least)
			reached = blocked_in_window(d);
		from = d->slot_end;
		next_slot(d);
	}
	if (blocked)
		add_blocked(d, from, to);
	return reached;
}

/* Returns as measure(). Measures from the first pause on, until a window has no pause. */
static int64_t measure_priority(struct pfc_watchdog *w, unsigned i,
				const struct pfc_watchdog_view *view, struct dcb_time now)
{
	struct pfc_watchdog_duty *d = &w->pri[i].duty;
	uint8_t blocked = w->paused & (w->waiting | view->waiting) & (uint8_t)~view->sent;
	bool paused = view->paused & bit(i);
	int64_t reached = 0;

	if (d->percent == 0)
		return 0;
	if (w->measured & bit(i)) {
		reached = measure(d, blocked & bit(i), w->viewed, now);
		if (!paused && blocked_in_window(d) == 0)
			w->measured &= (uint8_t)~bit(i);
	} else if (paused) {
		w->measured |= bit(i);
		memset(d->blocked_ns, 0, sizeof(d->blocked_ns));
		d->slot_end = dcb_time_add_ns(now, d->slot_ns);
	}
	return reached;
}

/* A new window starts a new measurement. */
static void configure_duty(struct pfc_watchdog *w, unsigned i,
			   const struct pfc_watchdog_config *config)
{
	struct pfc_watchdog_duty *d = &w->pri[i].duty;
	uint32_t slot_ns = (uint32_t)(config->window_ms * DCB_NS_PER_MS / PFC_WATCHDOG_SLOTS);

	if (d->slot_ns != slot_ns || config->duty_percent == 0)
		w->measured &= (uint8_t)~bit(i);
	d->slot_ns = slot_ns;
	d->percent = (uint8_t)config->duty_percent;
}

/* --- storms --------------------------------------------------------------------- */

static void end_storm(struct pfc_watchdog *w, unsigned i, enum pfc_watchdog_end end,
		      struct dcb_time now)
{
	w->storm &= (uint8_t)~bit(i);
	w->pri[i].end = (uint8_t)end;
	w->pri[i].ended = now;
}

/* Ends the storms and the measurements in progress of these priorities. */
static struct pfc_watchdog_verdict end_all(struct pfc_watchdog *w, uint8_t which,
					   enum pfc_watchdog_end end, struct dcb_time now)
{
	struct pfc_watchdog_verdict verdict = {.ended = w->storm & which};

	for (unsigned i = 0; i < DCB_PRIORITIES; i++)
		if (verdict.ended & bit(i))
			end_storm(w, i, end, now);
	w->counting &= (uint8_t)~which;
	w->measured &= (uint8_t)~which;
	apply_action(w);
	return verdict;
}

struct pfc_watchdog_verdict
pfc_watchdog_configure(struct pfc_watchdog *w,
		       const struct pfc_watchdog_config config[DCB_PRIORITIES], struct dcb_time now)
{
	uint8_t watched = 0;

	for (unsigned i = 0; i < DCB_PRIORITIES; i++) {
		struct pfc_watchdog_pri *pri = &w->pri[i];

		if (config[i].action > PFC_WATCHDOG_NONE)
			watched |= bit(i);
		if (pri->end == 0)
			pri->end = PFC_STORM_NONE;
		if (pri->cause == 0)
			pri->cause = PFC_STORM_NO_CAUSE;
		pri->action = config[i].action;
		pri->detection_ns = config[i].detection_ms * DCB_NS_PER_MS;
		pri->restoration_ns = config[i].restoration_ms * DCB_NS_PER_MS;
		pri->hold_down_ms = config[i].hold_down_ms;
		configure_duty(w, i, &config[i]);
	}
	w->watched = watched;
	w->look = now; /* a priority that is paused now may be watched from now on */
	return end_all(w, (uint8_t)~watched, PFC_STORM_SWITCHED_OFF, now);
}

/*
 * Measures how long a condition has held; holds: it holds now. Returns true if
 * it has held for ns.
 */
static bool lasted(struct pfc_watchdog *w, unsigned i, bool holds, int64_t ns, struct dcb_time now)
{
	struct pfc_watchdog_pri *pri = &w->pri[i];

	if (!holds) {
		w->counting &= (uint8_t)~bit(i);
		return false;
	}
	if (!(w->counting & bit(i))) {
		w->counting |= bit(i);
		pri->since = now;
	}
	return dcb_time_diff_ns(now, pri->since) >= ns;
}

static void begin_storm(struct pfc_watchdog *w, unsigned i, enum pfc_storm_cause cause,
			int64_t blocked_ns, struct dcb_time now)
{
	struct pfc_watchdog_pri *pri = &w->pri[i];

	back_off(pri, now);
	w->storm |= bit(i);
	w->counting &= (uint8_t)~bit(i);
	w->measured &= (uint8_t)~bit(i);
	pri->end = PFC_STORM_LASTS;
	pri->cause = (uint8_t)cause;
	pri->blocked = dcb_time_add_ns(now, -blocked_ns);
	pri->detected = now;
}

/* Returns true if a storm begins. */
static bool detect(struct pfc_watchdog *w, unsigned i, const struct pfc_watchdog_view *view,
		   struct dcb_time now)
{
	struct pfc_watchdog_pri *pri = &w->pri[i];
	uint8_t blocked = view->paused & view->waiting & (uint8_t)~view->sent;
	int64_t in_window = measure_priority(w, i, view, now);

	if (lasted(w, i, blocked & bit(i), pri->detection_ns, now))
		begin_storm(w, i, PFC_STORM_BLOCKED, dcb_time_diff_ns(now, pri->since), now);
	else if (in_window)
		begin_storm(w, i, PFC_STORM_DUTY_CYCLE, in_window, now);
	return w->storm & bit(i);
}

/* Returns true if the storm ends. */
static bool restore(struct pfc_watchdog *w, unsigned i, const struct pfc_watchdog_view *view,
		    struct dcb_time now)
{
	int64_t ns = pfc_watchdog_restoration_ns(&w->pri[i]);

	if (!lasted(w, i, !(view->paused & bit(i)), ns, now))
		return false;
	end_storm(w, i, PFC_STORM_PAUSE_OVER, now);
	w->counting &= (uint8_t)~bit(i);
	return true;
}

struct pfc_watchdog_verdict
pfc_watchdog_look(struct pfc_watchdog *w, const struct pfc_watchdog_view *view, struct dcb_time now)
{
	struct pfc_watchdog_verdict verdict = {0};
	int64_t look_ns = INT64_MAX;

	for (unsigned i = 0; i < DCB_PRIORITIES && w->watched >> i; i++) {
		if (!(w->watched & bit(i)))
			continue;
		if (w->storm & bit(i)) {
			if (restore(w, i, view, now))
				verdict.ended |= bit(i);
		} else if (detect(w, i, view, now)) {
			verdict.stormed |= bit(i);
		} else if ((view->paused & bit(i)) && !(w->counting & bit(i)) &&
			   w->pri[i].detection_ns < look_ns) {
			look_ns = w->pri[i].detection_ns;
		}
	}
	w->paused = view->paused;
	w->waiting = view->waiting;
	w->viewed = now;
	w->look = look_ns == INT64_MAX ? DCB_TIME_NEVER : dcb_time_add_ns(now, look_ns / LOOKS);
	if (verdict.stormed | verdict.ended)
		apply_action(w);
	return verdict;
}

struct pfc_watchdog_verdict pfc_watchdog_reset(struct pfc_watchdog *w, struct dcb_time now)
{
	w->paused = 0;
	w->waiting = 0;
	w->viewed = now;
	w->look = DCB_TIME_NEVER;
	return end_all(w, 0xff, PFC_STORM_LINK_DOWN, now);
}

struct dcb_time pfc_watchdog_deadline(const struct pfc_watchdog *w)
{
	struct dcb_time next = w->watched ? w->look : DCB_TIME_NEVER;

	for (unsigned i = 0; i < DCB_PRIORITIES; i++) {
		const struct pfc_watchdog_pri *pri = &w->pri[i];
		int64_t ns =
		    w->storm & bit(i) ? pfc_watchdog_restoration_ns(pri) : pri->detection_ns;

		if (w->counting & bit(i))
			next = dcb_time_min(next, dcb_time_add_ns(pri->since, ns));
		if (w->measured & bit(i))
			next = dcb_time_min(next, pri->duty.slot_end);
	}
	return next;
}
