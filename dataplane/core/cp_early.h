/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The congestion point of the 2007 proposal that became 802.1Qau. It samples
 * each frame with a probability that rises with the feedback, and marks frames
 * drop eligible while the feedback is negative. Queue lengths are in pages.
 *
 * It uses the same struct cp, so that a port can change between the two kinds
 * with frames in the queue. cp_init(), cp_reconfigure() and cp_dequeue() serve
 * both; cpSampleBase and cpEnqueued are not used. With pages_of_frames, frames
 * leave by cp_early_dequeue() instead, and those that are in the queue at the
 * start are counted by cp_early_count().
 */
#ifndef DCB_CORE_CP_EARLY_H
#define DCB_CORE_CP_EARLY_H

#include "dataplane/core/cp.h"

/*
 * Probabilities in parts per million. Their sum may be more than 1 000 000: the
 * frame is sampled.
 */
struct cp_early_config {
	uint32_t base_probability_ppm; /* BASE_PROBABILITY */
	uint32_t step_probability_ppm; /* C: per step of the quantized feedback */
	uint32_t page_octets;          /* octets per page; 0 or 1: queue lengths in octets */
	/*
	 * Choice, as the text does not say it. false: the pages that the octets
	 * of the queue fill, frames one behind the other. true: the sum of the
	 * pages of each frame, as a switch whose frames start at a page counts.
	 */
	bool pages_of_frames;
};

/*
 * As cp_enqueue(), but rng must not be NULL. If the frame was not sampled, only
 * mark is valid in the result.
 */
struct cp_verdict cp_early_enqueue(struct cp *cp, const struct cp_early_config *early,
				   uint32_t octets, struct dcb_rng *rng);

/* Counts a data frame that left the queue, sent or discarded. */
void cp_early_dequeue(struct cp *cp, const struct cp_early_config *early, uint32_t octets);

/* Counts the pages of a frame whose octets are in cpQLen already, at the start. */
void cp_early_count(struct cp *cp, const struct cp_early_config *early, uint32_t octets);

#endif
