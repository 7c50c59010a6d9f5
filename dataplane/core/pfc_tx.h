/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * PFC Initiator: 802.1Q 36.1 and 36.2. Pauses the station at the other end of one
 * link, per priority, while a priority is congested here, and ends the pause.
 *
 *      not congested  ->  congested       XOFF (time > 0), repeated while congested
 *      congested      ->  not congested   XON  (time 0)
 *
 * The caller decides which priorities are congested, from the receive buffers (buffer.h), with
 * hysteresis. It asks for the PFC frame to send and reports PFC frames sent, and owns
 * clock and link.
 */
#ifndef DCB_CORE_PFC_TX_H
#define DCB_CORE_PFC_TX_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/dcbtime.h"
#include "dataplane/core/pfc_pdu.h"
#include "lib/units.h"

/*
 * Choices, left to the initiator by the standard. The time is the longest
 * possible, so that a lost PFC frame or a late host has no effect. The pause
 * ends by XON, not by expiry. XOFF is repeated after half of the time.
 */
#define PFC_TX_PAUSE_QUANTA   65535
#define PFC_TX_REFRESH_QUANTA 32768

struct pfc_tx {
	int64_t pause_ns;                        /* PFC_TX_PAUSE_QUANTA at the link's rate */
	int64_t refresh_ns;                      /* PFC_TX_REFRESH_QUANTA */
	struct dcb_time refresh;                 /* time to repeat XOFF */
	struct dcb_time since[DCB_PRIORITIES];   /* paused_ns counts up to this time */
	struct dcb_time expires[DCB_PRIORITIES]; /* expiry of the pause without XON */
	uint64_t paused_ns[DCB_PRIORITIES];      /* pause time sent: up to XON or expiry */
	uint8_t enable; /* priorities with PFC; last, beside what else each frame reads */
	uint8_t paused; /* XOFF was sent, XON was not sent yet */
};

/* Sets the priorities with PFC, one bit each, and the rate of the link, which is limited. */
void pfc_tx_configure(struct pfc_tx *tx, uint8_t enable, struct dcb_rate rate);

/*
 * Marks all priorities as not paused: the link was down, and the station at its
 * other end has no pauses. pfc_tx_next() pauses congested priorities again.
 */
void pfc_tx_forget(struct pfc_tx *tx, struct dcb_time now);

/* Disables all priorities and clears pauses. */
void pfc_tx_reset(struct pfc_tx *tx);

static inline bool pfc_tx_is_enabled(const struct pfc_tx *tx, unsigned priority)
{
	return tx->enable >> priority & 1;
}

/* --- pauses ------------------------------------------------------------------ */

/*
 * Returns true if a PFC frame is to be sent now, and sets *pdu except for the
 * source address. congested: priorities to be paused, one bit each. The frame has
 * the priorities that change and, as that needs no further frame, all that stay
 * paused. A priority that is not enabled is in it only to end its pause.
 */
bool pfc_tx_next(const struct pfc_tx *tx, uint8_t congested, struct dcb_time now,
		 struct pfc_pdu *pdu);

/* Reports that pdu was sent. */
void pfc_tx_sent(struct pfc_tx *tx, const struct pfc_pdu *pdu, struct dcb_time now);

/*
 * Sets *pdu to end all pauses, for a link on which PFC is being disabled.
 * Returns false if no priority is paused.
 */
bool pfc_tx_last(const struct pfc_tx *tx, struct pfc_pdu *pdu);

/*
 * Returns the time to call pfc_tx_next() if congestion does not change before;
 * DCB_TIME_NEVER if no priority is paused.
 */
struct dcb_time pfc_tx_deadline(const struct pfc_tx *tx);

/* Returns the time in ns of quanta of 512 bit times each, at a limited rate: 36.1.3.3. */
int64_t pfc_tx_quanta_ns(struct dcb_rate rate, uint32_t quanta);

#endif
