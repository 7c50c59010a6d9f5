/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/core/pfc_watchdog.h"

/*
 * Number of looks per detection time while a paused priority has no frames
 * waiting. Frames that arrive during a pause are found at most 1/LOOKS of the
 * detection time late.
 */
#define LOOKS 16

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
		pri->action = config[i].action;
		pri->detection_ns = config[i].detection_ms * DCB_NS_PER_MS;
		pri->restoration_ns = config[i].restoration_ms * DCB_NS_PER_MS;
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

static void begin_storm(struct pfc_watchdog *w, unsigned i, struct dcb_time now)
{
	struct pfc_watchdog_pri *pri = &w->pri[i];

	w->storm |= bit(i);
	w->counting &= (uint8_t)~bit(i);
	pri->end = PFC_STORM_LASTS;
	pri->blocked = pri->since;
	pri->detected = now;
}

struct pfc_watchdog_verdict
pfc_watchdog_look(struct pfc_watchdog *w, const struct pfc_watchdog_view *view, struct dcb_time now)
{
	struct pfc_watchdog_verdict verdict = {0};
	uint8_t blocked = view->paused & view->waiting & (uint8_t)~view->sent;
	int64_t look_ns = INT64_MAX;

	for (unsigned i = 0; i < DCB_PRIORITIES && w->watched >> i; i++) {
		struct pfc_watchdog_pri *pri = &w->pri[i];

		if (!(w->watched & bit(i)))
			continue;
		if (w->storm & bit(i)) {
			if (!lasted(w, i, !(view->paused & bit(i)), pri->restoration_ns, now))
				continue;
			end_storm(w, i, PFC_STORM_PAUSE_OVER, now);
			w->counting &= (uint8_t)~bit(i);
			verdict.ended |= bit(i);
		} else if (lasted(w, i, blocked & bit(i), pri->detection_ns, now)) {
			begin_storm(w, i, now);
			verdict.stormed |= bit(i);
		} else if ((view->paused & ~blocked & bit(i)) && pri->detection_ns < look_ns) {
			look_ns = pri->detection_ns;
		}
	}
	w->paused = view->paused;
	w->look = look_ns == INT64_MAX ? DCB_TIME_NEVER : dcb_time_add_ns(now, look_ns / LOOKS);
	if (verdict.stormed | verdict.ended)
		apply_action(w);
	return verdict;
}

struct pfc_watchdog_verdict pfc_watchdog_reset(struct pfc_watchdog *w, struct dcb_time now)
{
	w->paused = 0;
	w->look = DCB_TIME_NEVER;
	return end_all(w, 0xff, PFC_STORM_LINK_DOWN, now);
}

struct dcb_time pfc_watchdog_deadline(const struct pfc_watchdog *w)
{
	struct dcb_time next = w->watched ? w->look : DCB_TIME_NEVER;

	for (unsigned i = 0; i < DCB_PRIORITIES; i++) {
		const struct pfc_watchdog_pri *pri = &w->pri[i];
		bool in_storm = w->storm & bit(i);

		if (w->counting & bit(i))
			next = dcb_time_min(
			    next, dcb_time_add_ns(pri->since, in_storm ? pri->restoration_ns
								       : pri->detection_ns));
	}
	return next;
}
