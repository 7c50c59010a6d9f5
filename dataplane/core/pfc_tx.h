/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * PFC Initiator: 802.1Q 36.1 and 36.2. Watches how full the receive buffer of one
 * link is, priority by priority, and says when to pause the station at its other
 * end and when to let it go on.
 *
 *        0          XON              XOFF      + one frame           buffer
 *        |-----------|-----------------|-------------|------- headroom -------|
 *        octets held ------------------>  XOFF (time > 0), again and again while it lasts
 *                    <-----------------   XON  (time 0)
 *
 * A frame counts when the whole of it is there, so the one that reaches XOFF may
 * reach beyond it by as much as a frame: that much lies between XOFF and the
 * headroom, so that the headroom is all there for what follows. XON is below
 * XOFF by some frames, or each frame would need two of PFC.
 *
 * The host tells it of every frame it keeps and gives up, asks what to send and
 * tells what it has sent. It owns no clock, frame or link. Occupancy may be read
 * by another thread than the host's.
 */
#ifndef DCB_CORE_PFC_TX_H
#define DCB_CORE_PFC_TX_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/dcbtime.h"
#include "dataplane/core/pfc_pdu.h"
#include "lib/units.h"

/*
 * Choices, the standard leaves them to the initiator. The longest time there is,
 * so that a link which loses one frame, or a host that is late, does no harm; the
 * pause ends by XON, not by running out. Sent again when half of it is over.
 */
#define PFC_TX_PAUSE_QUANTA   65535
#define PFC_TX_REFRESH_QUANTA 32768

/* Where XON is unless told otherwise: so many of the longest frames below XOFF. */
#define PFC_TX_XON_FRAMES 2

/* What is set, in octets of frames without FCS, the same for each priority. */
struct pfc_tx_config {
	uint8_t enable;           /* bit n: PFC is enabled for priority n */
	uint32_t buffer_octets;   /* what the link's frames of a priority may take */
	uint32_t headroom_octets; /* of that: for what still comes after XOFF, 36.1.1 */
	uint32_t xon_octets;      /* 0: PFC_TX_XON_FRAMES below XOFF */
	uint32_t frame_octets;    /* longest frame */
	struct dcb_rate rate;     /* of the link: limited */
};

/* What follows from it. */
struct pfc_tx_params {
	uint8_t enable;
	uint32_t buffer_octets;
	uint32_t xoff_octets; /* pause when so much is held, at least 1 ... */
	uint32_t xon_octets;  /* ... and go on when no more than this, less than xoff_octets */
	int64_t pause_ns;     /* PFC_TX_PAUSE_QUANTA */
	int64_t refresh_ns;   /* PFC_TX_REFRESH_QUANTA */
};

struct pfc_tx {
	uint8_t enable;                  /* params.enable, first for the frame's sake */
	uint8_t paused;                  /* XOFF was sent, XON not yet */
	uint32_t octets[DCB_PRIORITIES]; /* held now */
	uint32_t peak[DCB_PRIORITIES];   /* ... and at most so far */
	struct pfc_tx_params params;
	struct dcb_time refresh;                /* when the pauses are to be sent again */
	struct dcb_time since[DCB_PRIORITIES];  /* a pause is in paused_ns up to here ... */
	struct dcb_time lapses[DCB_PRIORITIES]; /* ... and ends here by itself */
	uint64_t paused_ns[DCB_PRIORITIES];     /* pause time sent: until XON or lapse */
};

/* false: the buffer is too small for headroom and a frame, so that frames may be lost. */
bool pfc_tx_params_init(struct pfc_tx_params *params, const struct pfc_tx_config *config);

/* All zero is an initiator with nothing enabled; octets and peak go on. */
void pfc_tx_configure(struct pfc_tx *tx, const struct pfc_tx_params *params);

/*
 * The link was down, and whoever is at its other end remembers no pause: what is
 * still congested is to be paused anew.
 */
void pfc_tx_forget(struct pfc_tx *tx, struct dcb_time now);

/* Nothing is enabled, held or paused: all charges are void. */
void pfc_tx_reset(struct pfc_tx *tx);

/* --- frames ------------------------------------------------------------------ */

static inline bool pfc_tx_is_enabled(const struct pfc_tx *tx, unsigned priority)
{
	return tx->enable >> priority & 1;
}

/* Is there room for a frame of len octets? If not, the headroom was insufficient. */
static inline bool pfc_tx_fits(const struct pfc_tx *tx, unsigned priority, uint32_t len)
{
	return len <= tx->params.buffer_octets &&
	       tx->octets[priority] <= tx->params.buffer_octets - len;
}

/*
 * A frame is kept. true: its priority is to be paused, which pfc_tx_next() will
 * say. *charge is to be given to pfc_tx_release() when the frame is given up.
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

/* A frame was sent or thrown away. Whether a pause ends by it, pfc_tx_next() says. */
static inline void pfc_tx_release(uint32_t *charge, uint32_t len)
{
	__atomic_store_n(charge, *charge - len, __ATOMIC_RELAXED);
}

/* --- pauses ------------------------------------------------------------------ */

/*
 * Is a PFC frame to be sent now? Then *pdu, but for its source: priorities that
 * change, and all that are paused with them, for that costs no frame more. A
 * priority that is not enabled is in it only for its pause to end.
 */
bool pfc_tx_next(const struct pfc_tx *tx, struct dcb_time now, struct pfc_pdu *pdu);

/* It was sent. */
void pfc_tx_sent(struct pfc_tx *tx, const struct pfc_pdu *pdu, struct dcb_time now);

/* Ends all pauses: false where there are none. For a link that PFC leaves. */
bool pfc_tx_last(const struct pfc_tx *tx, struct pfc_pdu *pdu);

/*
 * When pfc_tx_next() has something to say if no frame comes or goes:
 * DCB_TIME_NEVER while nothing is paused.
 */
struct dcb_time pfc_tx_deadline(const struct pfc_tx *tx);

/* Is anything paused, or to be? While not, nothing happens until a frame is charged. */
bool pfc_tx_is_busy(const struct pfc_tx *tx);

/* Time of so many quanta, 512 bit times each, at a rate that is limited: 36.1.3.3. */
int64_t pfc_tx_quanta_ns(struct dcb_rate rate, uint32_t quanta);

#endif
