/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The congestion point of the 2007 proposal that became 802.1Qau: it samples
 * each frame by chance, the likelier the stronger the feedback, and marks
 * frames drop eligible while its feedback is negative. It reckons in pages.
 *
 * It lives in the same struct cp, so that a port can change from one kind to
 * the other with frames in the queue. cp_init(), cp_reconfigure() and
 * cp_dequeue() serve both; cpSampleBase and cpEnqueued have no meaning here.
 */
#ifndef DCB_CORE_CP_EARLY_H
#define DCB_CORE_CP_EARLY_H

#include "dataplane/core/cp.h"

/* Chances in parts per million; the sum is at most 1 000 000 before it is used. */
struct cp_early_config {
	uint32_t base_probability_ppm; /* BASE_PROBABILITY */
	uint32_t step_probability_ppm; /* C: for every step of the quantized feedback */
	uint32_t page_octets;          /* octets a page; 1, or 0: octets themselves */
};

/*
 * As cp_enqueue(), but rng is needed. A verdict that is no sample says nothing
 * but whether the frame is to be marked drop eligible.
 */
struct cp_verdict cp_early_enqueue(struct cp *cp, const struct cp_early_config *early,
				   uint32_t octets, struct dcb_rng *rng);

#endif
