/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * PFC Initiator: 802.1Q 36.1 and 36.2. Watches the fill of the receive buffer
 * of one link, per priority, and decides when to pause the station at the other
 * end and when to end the pause.
 *
 *        0          XON              XOFF      + one frame           buffer
 *        |-----------|-----------------|-------------|------- headroom -------|
 *        octets held ------------------>  XOFF (time > 0), repeated while congested
 *                    <-----------------   XON  (time 0)
 *
 * A frame counts when all of it is received. The frame that reaches XOFF may
 * therefore exceed it by almost a frame, so the longest frame fits between XOFF
 * and the headroom, and the headroom is left for the frames that follow. XON is
 * some frames below XOFF: otherwise each frame would cause two PFC frames.
 *
 * The caller reports each frame that it keeps and frees, asks for the PFC frame
 * to send and reports PFC frames sent. The caller owns clock, frames and link.
 * Another thread may read the octets held.
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

/* XON by default: this many of the longest frames below XOFF. */
#define PFC_TX_XON_FRAMES 2

/* The settings, in octets of frames without FCS, the same for each priority. */
struct pfc_tx_config {
	uint8_t enable;           /* bit n: PFC is enabled for priority n */
	uint32_t buffer_octets;   /* receive buffer of each priority */
	uint32_t headroom_octets; /* part of it, for frames received after XOFF, 36.1.1 */
	uint32_t xon_octets;      /* 0: PFC_TX_XON_FRAMES below XOFF */
	uint32_t frame_octets;    /* longest frame */
	struct dcb_rate rate;     /* of the link; limited */
};

/* Derived from the settings. */
struct pfc_tx_params {
	uint8_t enable;
	uint32_t buffer_octets;
	uint32_t xoff_octets; /* XOFF threshold, at least 1 */
	uint32_t xon_octets;  /* XON threshold, less than xoff_octets */
	int64_t pause_ns;     /* PFC_TX_PAUSE_QUANTA */
	int64_t refresh_ns;   /* PFC_TX_REFRESH_QUANTA */
};

struct pfc_tx {
	uint8_t enable; /* copy of params.enable; first member, as it is read for each frame */
	uint8_t paused; /* XOFF was sent, XON was not sent yet */
	uint32_t octets[DCB_PRIORITIES]; /* held now */
	uint32_t peak[DCB_PRIORITIES];   /* maximum of octets */
	struct pfc_tx_params params;
	struct dcb_time refresh;                 /* time to repeat XOFF */
	struct dcb_time since[DCB_PRIORITIES];   /* paused_ns counts up to this time */
	struct dcb_time expires[DCB_PRIORITIES]; /* expiry of the pause without XON */
	uint64_t paused_ns[DCB_PRIORITIES];      /* pause time sent: up to XON or expiry */
};

/*
 * Calculates the thresholds. Returns false if the buffer is smaller than
 * headroom and one frame together: frames may be lost.
 */
bool pfc_tx_params_init(struct pfc_tx_params *params, const struct pfc_tx_config *config);

/*
 * Sets new parameters; octets and peak are kept. All zero is an initiator with
 * no priority enabled.
 */
void pfc_tx_configure(struct pfc_tx *tx, const struct pfc_tx_params *params);

/*
 * Marks all priorities as not paused: the link was down, and the station at its
 * other end has no pauses. pfc_tx_next() pauses congested priorities again.
 */
void pfc_tx_forget(struct pfc_tx *tx, struct dcb_time now);

/*
 * Disables all priorities and clears octets and pauses. Charges of frames that
 * are still held become invalid.
 */
void pfc_tx_reset(struct pfc_tx *tx);

/* --- frames ------------------------------------------------------------------ */

static inline bool pfc_tx_is_enabled(const struct pfc_tx *tx, unsigned priority)
{
	return tx->enable >> priority & 1;
}

/*
 * Returns true if a frame of len octets fits into the buffer. If not, the
 * headroom was too small.
 */
static inline bool pfc_tx_fits(const struct pfc_tx *tx, unsigned priority, uint32_t len)
{
	return len <= tx->params.buffer_octets &&
	       tx->octets[priority] <= tx->params.buffer_octets - len;
}

/*
 * Counts a frame that is kept. Returns true if its priority is to be paused:
 * call pfc_tx_next(). Pass *charge to pfc_tx_release() when the frame is freed.
 */
static inline bool pfc_tx_charge(struct pfc_tx *tx, unsigned priority, uint32_t len,
				 uint32_t **charge)
{
	uint32_t octets = tx->octets[priority] + len;

	*charge = &tx->octets[priority];
	__atomic_store_n(&tx->octets[priority], octets, __ATOMIC_RELAXED);
	if (octets > tx->peak[priority])
		__atomic_store_n(&tx->peak[priority], octets, __ATOMIC_RELAXED);
	return octets >= tx->params.xoff_octets && !(tx->paused >> priority & 1);
}

/* Subtracts a frame that was sent or discarded. pfc_tx_next() decides whether a pause ends. */
static inline void pfc_tx_release(uint32_t *charge, uint32_t len)
{
	__atomic_store_n(charge, *charge - len, __ATOMIC_RELAXED);
}

/* --- pauses ------------------------------------------------------------------ */

/*
 * Returns true if a PFC frame is to be sent now, and sets *pdu except for the
 * source address. The frame has the priorities that change and, as that needs
 * no further frame, all that stay paused. A priority that is not enabled is in
 * it only to end its pause.
 */
bool pfc_tx_next(const struct pfc_tx *tx, struct dcb_time now, struct pfc_pdu *pdu);

/* Reports that pdu was sent. */
void pfc_tx_sent(struct pfc_tx *tx, const struct pfc_pdu *pdu, struct dcb_time now);

/*
 * Sets *pdu to end all pauses, for a link on which PFC is being disabled.
 * Returns false if no priority is paused.
 */
bool pfc_tx_last(const struct pfc_tx *tx, struct pfc_pdu *pdu);

/*
 * Returns the time to call pfc_tx_next() if no frame is kept or freed before;
 * DCB_TIME_NEVER if no priority is paused.
 */
struct dcb_time pfc_tx_deadline(const struct pfc_tx *tx);

/*
 * Returns true if a priority is paused or is to be paused. If false, there is
 * no work until a frame is charged.
 */
bool pfc_tx_is_busy(const struct pfc_tx *tx);

/* Returns the time in ns of quanta of 512 bit times each, at a limited rate: 36.1.3.3. */
int64_t pfc_tx_quanta_ns(struct dcb_rate rate, uint32_t quanta);

#endif
