/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums over all nodes since the start of the run: frames that were lost, and CNMs. */
#ifndef DCB_SIM_TALLY_H
#define DCB_SIM_TALLY_H

#include "sim/net/model.h"

/*
 * Returns the frames of any kind that nodes discarded, for any reason, or that a link lost when it
 * went down. A multi-destination frame counts at each node that discards a copy.
 */
uint64_t tally_frames_lost(const struct sim *sim);

/*
 * CNMs. Each that was made is received, or dropped for a reason that is its own, or on its way, or
 * was lost as any other frame can be.
 */
struct tally_cnms {
	uint64_t made;     /* by congestion points; cpTransmittedCnms */
	uint64_t received; /* by a reaction point: by the station that caused it */
	/* Dropped by RBridges: draft-eastlake-trill-cn-00, 3.1. */
	uint64_t own;       /* for frames of the RBridge itself */
	uint64_t control;   /* caused by TRILL control frames */
	uint64_t malformed; /* too few octets of the TRILL frame that caused it, or none */
	uint64_t forged;    /* from where it cannot come */
	/* Dropped by others. */
	uint64_t edge;    /* by a port that is an edge of the domain */
	uint64_t station; /* by a station that did not cause it, or to which it has no meaning */
};
void tally_cnms(const struct sim *sim, struct tally_cnms *out);

/* Returns those that were dropped for a reason of CNMs. */
uint64_t tally_cnms_dropped(const struct tally_cnms *t);
/* Returns those that are on their way, or were lost as other frames. */
uint64_t tally_cnms_missing(const struct tally_cnms *t);

/* Returns the CNMs that the reaction points of a station have received; 0: it is no station. */
uint64_t tally_cnms_received(const struct sim_node *node);

#endif
