/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * PFC watchdog: tells a priority that has been paused for too long, a storm, from
 * the pauses that PFC is for. No standard has one; the rules are those that
 * switches have come to.
 *
 *     watching --- blocked without a break for the detection time ---> storm
 *        ^------ not paused without a break for the restoration time -----'
 *
 * Blocked: paused by received PFC, with frames waiting, and none of the priority
 * sent. What is done about a storm is the host's affair: it may discard the frames,
 * or send them in spite of the pause. Both end the blocking and neither ends the
 * PFC that comes in, so a storm ends by the latter alone and does not come and go
 * while it lasts.
 *
 * The host looks whenever a pause begins or ends, and at the deadline. It owns
 * clock and frames.
 */
#ifndef DCB_CORE_PFC_WATCHDOG_H
#define DCB_CORE_PFC_WATCHDOG_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/dcbtime.h"
#include "lib/units.h"

/* dcbPfcWatchdogAction: what is done about a storm. */
enum pfc_watchdog_action {
	PFC_WATCHDOG_NONE = 1, /* the priority is not watched */
	PFC_WATCHDOG_ALERT,    /* it is told */
	PFC_WATCHDOG_DROP,     /* ... and its frames are discarded */
	PFC_WATCHDOG_FORWARD,  /* ... and its frames are sent, paused or not */
};

/* dcbPfcWatchdogState. */
enum pfc_watchdog_state { PFC_WATCHDOG_OFF = 1, PFC_WATCHDOG_WATCHING, PFC_WATCHDOG_STORM };

/* dcbPfcStormEnd: why a storm is over. */
enum pfc_watchdog_end {
	PFC_STORM_NONE = 1,     /* there was none yet */
	PFC_STORM_LASTS,        /* it is not */
	PFC_STORM_PAUSE_OVER,   /* no pause for the restoration time */
	PFC_STORM_LINK_DOWN,    /* nor a link */
	PFC_STORM_SWITCHED_OFF, /* nobody watches any more */
};

struct pfc_watchdog_config {
	uint8_t action; /* enum pfc_watchdog_action */
	uint32_t detection_ms;
	uint32_t restoration_ms;
};

/* What there is to see, one bit a priority. */
struct pfc_watchdog_view {
	uint8_t paused;  /* by received PFC, whether or not that is obeyed */
	uint8_t waiting; /* frames are queued */
	uint8_t sent;    /* frames have been sent since the last view */
};

/* What follows, one bit a priority. */
struct pfc_watchdog_verdict {
	uint8_t stormed; /* in a storm from now on */
	uint8_t ended;   /* ... from now on no more: see end */
};

struct pfc_watchdog_pri {
	uint8_t action;
	uint8_t end; /* enum pfc_watchdog_end, of the last storm */
	int64_t detection_ns, restoration_ns;
	struct dcb_time since;    /* blocked; or in a storm, not paused: since when */
	struct dcb_time blocked;  /* of the last storm: since when it had been blocked */
	struct dcb_time detected; /* ... when it was detected */
	struct dcb_time ended;    /* ... when it was over */
};

/* All zero is one that watches nothing. */
struct pfc_watchdog {
	uint8_t watched;
	uint8_t storm;    /* priorities in a storm */
	uint8_t counting; /* priorities whose since counts */
	uint8_t paused;   /* in the last view */
	uint8_t dropping; /* in a storm, with this action */
	uint8_t forwarding;
	struct dcb_time look; /* when to see whether frames wait for a paused priority */
	struct pfc_watchdog_pri pri[DCB_PRIORITIES];
};

/*
 * New times count for what goes on as well; a new action is that of a storm that
 * lasts; one switched off ends.
 */
struct pfc_watchdog_verdict
pfc_watchdog_configure(struct pfc_watchdog *w,
		       const struct pfc_watchdog_config config[DCB_PRIORITIES],
		       struct dcb_time now);

/* A look: at the latest when pfc_watchdog_deadline() says. */
struct pfc_watchdog_verdict pfc_watchdog_look(struct pfc_watchdog *w,
					      const struct pfc_watchdog_view *view,
					      struct dcb_time now);

/* The link went down: storms are over, and what was counted is forgotten. */
struct pfc_watchdog_verdict pfc_watchdog_reset(struct pfc_watchdog *w, struct dcb_time now);

/* When to look again if no pause begins or ends; DCB_TIME_NEVER: only then. */
struct dcb_time pfc_watchdog_deadline(const struct pfc_watchdog *w);

static inline enum pfc_watchdog_state pfc_watchdog_state(const struct pfc_watchdog *w,
							 unsigned priority)
{
	if (!(w->watched >> priority & 1))
		return PFC_WATCHDOG_OFF;
	return w->storm >> priority & 1 ? PFC_WATCHDOG_STORM : PFC_WATCHDOG_WATCHING;
}

#endif
