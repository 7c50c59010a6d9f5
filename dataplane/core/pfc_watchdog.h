/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * PFC watchdog: detects a priority that has been paused for too long (a storm),
 * as opposed to normal pauses. Not standardized; the rules are those common in
 * switches.
 *
 *    watching --- blocked without a break for the detection time ---> storm
 *             --- blocked for a share of the window ------------->
 *       ^------ not paused without a break for the restoration time -----'
 *
 * Blocked: paused by received PFC, frames waiting, and no frame of the priority
 * sent. The caller acts on a storm: it may discard the frames, or send them
 * despite the pause. Either ends the blocking, but not the received PFC. So a
 * storm ends only by the absence of PFC, and does not flap.
 *
 * Pauses with short breaks are a storm if they block the priority for
 * duty_percent of window_ms. The window consists of PFC_WATCHDOG_SLOTS slots,
 * and slides by one slot. So pauses with this share in each interval of that
 * length are found after 9/8 of it at most, and pauses with a smaller share in
 * each such interval never.
 *
 * Hold-down: a storm that begins less than hold_down_ms after the last one
 * ended doubles the restoration time, up to hold_down_ms. So pauses that recur
 * just after the restoration time do not flap: each storm ends at least twice
 * the time after its predecessor, until that time is hold_down_ms.
 *
 * The caller calls pfc_watchdog_look() when a pause begins or ends, and at the
 * deadline. It owns clock and frames.
 */
#ifndef DCB_CORE_PFC_WATCHDOG_H
#define DCB_CORE_PFC_WATCHDOG_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/dcbtime.h"
#include "lib/units.h"

/* dcbPfcWatchdogAction: the action on a storm. */
enum pfc_watchdog_action {
	PFC_WATCHDOG_NONE = 1, /* the priority is not watched */
	PFC_WATCHDOG_ALERT,    /* a storm is logged, counted and notified: dcbPfcStorm */
	PFC_WATCHDOG_DROP,     /* as ALERT, and the frames are discarded */
	PFC_WATCHDOG_FORWARD,  /* as ALERT, and the frames are sent even while paused */
};

/* dcbPfcWatchdogState. */
enum pfc_watchdog_state { PFC_WATCHDOG_OFF = 1, PFC_WATCHDOG_WATCHING, PFC_WATCHDOG_STORM };

/* dcbPfcStormEnd: the reason why the last storm ended. */
enum pfc_watchdog_end {
	PFC_STORM_NONE = 1,     /* no storm yet */
	PFC_STORM_LASTS,        /* the storm is still active */
	PFC_STORM_PAUSE_OVER,   /* not paused for the restoration time */
	PFC_STORM_LINK_DOWN,    /* the link went down */
	PFC_STORM_SWITCHED_OFF, /* the watchdog, or PFC, was disabled */
};

/* dcbPfcStormCause. */
enum pfc_storm_cause {
	PFC_STORM_NO_CAUSE = 1, /* no storm yet */
	PFC_STORM_BLOCKED,      /* blocked without a break for the detection time */
	PFC_STORM_DUTY_CYCLE,   /* blocked for the share of the window */
};

#define PFC_WATCHDOG_SLOTS 8
/* A slot has less than 2^32 ns. */
#define PFC_WATCHDOG_WINDOW_MS 30000

struct pfc_watchdog_config {
	uint8_t action; /* enum pfc_watchdog_action */
	uint32_t detection_ms;
	uint32_t restoration_ms;
	uint32_t duty_percent; /* 0: no storms by duty cycle */
	uint32_t window_ms;    /* PFC_WATCHDOG_WINDOW_MS at most; not 0, unless duty_percent is */
	uint32_t hold_down_ms; /* 0: the restoration time is never doubled */
};

/* Observations of the caller, one bit a priority. */
struct pfc_watchdog_view {
	uint8_t paused;  /* by received PFC, obeyed or not */
	uint8_t waiting; /* frames are queued */
	uint8_t sent;    /* frames were sent since the last view */
};

/* Changes found, one bit a priority. */
struct pfc_watchdog_verdict {
	uint8_t stormed; /* a storm began */
	uint8_t ended;   /* a storm ended; reason in end */
};

/* Time blocked in the window, as long as there is any. */
struct pfc_watchdog_duty {
	struct dcb_time slot_end; /* of the slot in progress */
	uint32_t slot_ns;
	uint8_t percent; /* 0: not measured */
	uint8_t at;      /* the slot in progress */
	uint32_t blocked_ns[PFC_WATCHDOG_SLOTS];
};

struct pfc_watchdog_pri {
	uint8_t action;
	uint8_t end;       /* enum pfc_watchdog_end, of the last storm */
	uint8_t cause;     /* enum pfc_storm_cause, of the last storm */
	uint8_t doublings; /* of the restoration time */
	uint32_t hold_down_ms;
	int64_t detection_ns, restoration_ns;
	struct pfc_watchdog_duty duty;
	struct dcb_time since; /* start of the blocking, or in a storm of the time without pause */
	struct dcb_time blocked;  /* last storm: detected minus the time blocked before */
	struct dcb_time detected; /* last storm: detected */
	struct dcb_time ended;    /* last storm: ended */
};

/* All zero: no priority is watched. */
struct pfc_watchdog {
	uint8_t watched;
	uint8_t storm;    /* priorities in a storm */
	uint8_t counting; /* priorities whose since is valid */
	uint8_t measured; /* priorities whose duty.slot_end, at and slots are valid */
	uint8_t paused;   /* in the last view */
	uint8_t waiting;  /* in the last view */
	uint8_t dropping; /* in a storm, with PFC_WATCHDOG_DROP */
	uint8_t forwarding;
	struct dcb_time viewed; /* time of the last view */
	struct dcb_time look;   /* next time to check whether frames wait for a paused priority */
	struct pfc_watchdog_pri pri[DCB_PRIORITIES];
};

/*
 * Sets new parameters. New times also apply to a detection or restoration in
 * progress, a new action to an active storm. Disabling the watchdog of a
 * priority ends its storm.
 */
struct pfc_watchdog_verdict
pfc_watchdog_configure(struct pfc_watchdog *w,
		       const struct pfc_watchdog_config config[DCB_PRIORITIES],
		       struct dcb_time now);

/* Evaluates a view. Call it at pfc_watchdog_deadline() at the latest. */
struct pfc_watchdog_verdict pfc_watchdog_look(struct pfc_watchdog *w,
					      const struct pfc_watchdog_view *view,
					      struct dcb_time now);

/* Ends all storms and all measurements in progress: the link went down. */
struct pfc_watchdog_verdict pfc_watchdog_reset(struct pfc_watchdog *w, struct dcb_time now);

/*
 * Returns the time of the next look if no pause begins or ends before;
 * DCB_TIME_NEVER if none is needed.
 */
struct dcb_time pfc_watchdog_deadline(const struct pfc_watchdog *w);

/* Returns the restoration time in force, with its doublings, in ns. */
int64_t pfc_watchdog_restoration_ns(const struct pfc_watchdog_pri *pri);

/* Returns dcbPfcWatchdogState of a priority. */
static inline enum pfc_watchdog_state pfc_watchdog_state(const struct pfc_watchdog *w,
							 unsigned priority)
{
	if (!(w->watched >> priority & 1))
		return PFC_WATCHDOG_OFF;
	return w->storm >> priority & 1 ? PFC_WATCHDOG_STORM : PFC_WATCHDOG_WATCHING;
}

#endif
