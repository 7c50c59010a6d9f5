/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The congestion point of the 2007 proposal that became 802.1Qau: it samples
 * each frame by chance, the likelier the stronger the feedback, and marks
 * frames drop eligible while its feedback is negative. It reckons in pages.
 */
#ifndef DCB_CORE_CP_EARLY_H
#define DCB_CORE_CP_EARLY_H

#include "dataplane/core/cp.h"

/* Chances in parts per million; the sum is at most 1 000 000 before it is used. */
struct cp_early_config {
	uint32_t base_probability_ppm; /* BASE_PROBABILITY */
	uint32_t step_probability_ppm; /* C: for every step of the quantized feedback */
	uint32_t page_octets;          /* 1: octets */
};

/* As cp_enqueue(); the verdict's mark says that the frame is to be marked drop eligible. */
struct cp_verdict cp_early_enqueue(struct cp *cp, const struct cp_early_config *early,
				   uint32_t octets, struct dcb_rng *rng);

#endif
