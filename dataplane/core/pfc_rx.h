/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * PFC Receiver: 802.1Q 36.3.2 and figure 36-8. A timer and a variable
 * Priority_Paused[n] for each priority of one link. Another pair for the whole
 * link is used for PAUSE (802.3 annex 31B) while PFC is disabled.
 *
 *  M_CONTROL.indication(e[n], time[n]) --> timer[n] --> paused, bit n
 *                  PAUSE(pause_time) ----> timer[8] --> paused, bit 8
 *
 * A time counts down in quanta of the local port's rate, from the indication
 * on. A new time replaces it, 0 ends the pause. The result does not depend on
 * when the caller runs: a timer that expired before now is counted as expired
 * at its own time. The caller owns clock and frames, and asks for the next
 * deadline.
 */
#ifndef DCB_CORE_PFC_RX_H
#define DCB_CORE_PFC_RX_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/dcbtime.h"
#include "dataplane/core/pfc_pdu.h"
#include "lib/units.h"

#define PFC_RX_LINK   DCB_PRIORITIES /* index of the timer of the whole link */
#define PFC_RX_TIMERS (DCB_PRIORITIES + 1)

struct pfc_rx_timer {
	struct dcb_time until;   /* end of the pause, while the timer runs */
	uint64_t rounding;       /* rounding of until, in 10^-9 bit: less than a ns */
	struct dcb_time counted; /* paused_ns counts up to this time */
	uint64_t transitions;    /* number of changes from not paused to paused */
	uint64_t paused_ns;      /* elapsed pause time, not the time requested */
};

/* All zero: no priority is enabled. Call pfc_rx_configure() before any indication. */
struct pfc_rx {
	uint8_t enabled;      /* priorities with PFC */
	bool rx_pause;        /* PAUSE is obeyed; only while enabled is 0 */
	uint16_t paused;      /* timers that run: Priority_Paused[0..7], and the whole link */
	struct dcb_rate rate; /* for bit times; limited */
	struct pfc_rx_timer timer[PFC_RX_TIMERS];
};

/*
 * Sets new parameters. Ends the pauses of priorities that are no longer
 * enabled, and the pause of the link if PAUSE is no longer obeyed. The other
 * timers keep their remaining quanta at the new rate. pause: obey PAUSE; it is
 * never obeyed while any priority is enabled.
 */
void pfc_rx_configure(struct pfc_rx *rx, uint8_t enabled, bool pause, struct dcb_rate rate,
		      struct dcb_time now);

/* Processes a PFC frame. Ignores e[n] of priorities that are not enabled. */
void pfc_rx_indication(struct pfc_rx *rx, const struct pfc_pdu *pdu, struct dcb_time now);

/* Processes a PAUSE frame, time in quanta. Returns false if PAUSE is not obeyed. */
bool pfc_rx_pause(struct pfc_rx *rx, uint16_t quanta, struct dcb_time now);

/* Ends all pauses: the link went down. */
void pfc_rx_reset(struct pfc_rx *rx, struct dcb_time now);

/* Stops the timers that expired by now and updates paused_ns of the others. */
void pfc_rx_advance(struct pfc_rx *rx, struct dcb_time now);

/* Returns the time of the next expiry; DCB_TIME_NEVER if no timer runs. */
struct dcb_time pfc_rx_deadline(const struct pfc_rx *rx);

#endif
