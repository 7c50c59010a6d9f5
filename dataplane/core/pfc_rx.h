/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * PFC Receiver: 802.1Q 36.3.2 and figure 36-8. A timer and a variable
 * Priority_Paused[n] for each priority of one link, and another pair for the link
 * as a whole, which is what PAUSE of 802.3 annex 31B means where PFC is not used.
 *
 *   M_CONTROL.indication(e[n], time[n]) --> timer[n] --> paused, bit n
 *                   PAUSE(pause_time) ----> timer[8] --> paused, bit 8
 *
 * A time counts down in quanta of this port's own rate from the indication on. A
 * new one takes its place, 0 ends it. What a timer says at an instant does not
 * depend on when anybody looks: one that ran out before now did so in time, and
 * so it is counted. The host owns clock and frames; it asks for the deadline.
 */
#ifndef DCB_CORE_PFC_RX_H
#define DCB_CORE_PFC_RX_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/dcbtime.h"
#include "dataplane/core/pfc_pdu.h"
#include "lib/units.h"

#define PFC_RX_LINK   DCB_PRIORITIES /* the link's own timer */
#define PFC_RX_TIMERS (DCB_PRIORITIES + 1)

struct pfc_rx_timer {
	struct dcb_time until;   /* while it runs: when it ends ... */
	uint64_t spare;          /* ... which is so much too late: 10^-9 bit, less than a ns */
	struct dcb_time counted; /* ... and in paused_ns up to here */
	uint64_t transitions;    /* from not paused to paused */
	uint64_t paused_ns;      /* of the time that was received, what has passed */
};

/* All zero is a receiver that heeds nothing; configure it before any indication. */
struct pfc_rx {
	uint8_t enabled;      /* priorities with PFC */
	bool heeds_pause;     /* PAUSE counts while enabled is 0 */
	struct dcb_rate rate; /* of bit times: limited */
	uint16_t paused;      /* timers that run: Priority_Paused[0..7], and the link */
	struct pfc_rx_timer timer[PFC_RX_TIMERS];
};

/*
 * Pauses of priorities no longer enabled end, and that of the link where it is no
 * longer heeded. What is left of the others is the same number of quanta at the
 * new rate. pause: is PAUSE to be heeded? It never is while any priority is enabled.
 */
void pfc_rx_configure(struct pfc_rx *rx, uint8_t enabled, bool pause, struct dcb_rate rate,
		      struct dcb_time now);

/* A PFC frame. e[n] of a priority that is not enabled is treated as 0. */
void pfc_rx_indication(struct pfc_rx *rx, const struct pfc_pdu *pdu, struct dcb_time now);

/* A PAUSE frame. false: it is ignored. */
bool pfc_rx_pause(struct pfc_rx *rx, uint16_t quanta, struct dcb_time now);

/* The link went down: nothing is paused. */
void pfc_rx_reset(struct pfc_rx *rx, struct dcb_time now);

/* Timers that have ended by now stop; paused_ns of the others is brought up to date. */
void pfc_rx_advance(struct pfc_rx *rx, struct dcb_time now);

/* When the next timer ends; DCB_TIME_NEVER: none runs. */
struct dcb_time pfc_rx_deadline(const struct pfc_rx *rx);

#endif
