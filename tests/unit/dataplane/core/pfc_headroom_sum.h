/* SPDX-License-Identifier: BSD-3-Clause */
/* Calculations of the PFC headroom that have to succeed. */
#ifndef DCB_TESTS_PFC_HEADROOM_SUM_H
#define DCB_TESTS_PFC_HEADROOM_SUM_H

#include "dataplane/core/pfc_headroom.h"
#include "tests/unit/unit.h"

#define GIGABIT UINT64_C(1000000000)

static inline struct pfc_headroom calculate(const struct pfc_headroom_input *in)
{
	struct pfc_headroom sum;
	enum pfc_headroom_error error = pfc_headroom_calculate(in, &sum);

	if (error != PFC_HEADROOM_OK)
		fail_msg("%s", pfc_headroom_strerror(error));
	return sum;
}

#endif
