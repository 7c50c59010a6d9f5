/* SPDX-License-Identifier: BSD-3-Clause */
/* dcbsim --compare: runs variants of scenarios with the same seeds, and prints a row for each. */
#ifndef DCB_SIM_COMPARE_H
#define DCB_SIM_COMPARE_H

#include <stdint.h>

struct compare_options {
	uint64_t seed; /* UINT64_MAX: that of each scenario */
	uint32_t seeds, jobs, threads;
	int64_t duration_ns; /* 0: that of each scenario */
	const char *plot;    /* NULL: no plot */
};

/*
 * Compares all variants of the scenarios in these n files. Their assertions are not checked.
 * Returns 0, or 2 after an error on standard error.
 */
int compare(char *const *paths, uint32_t n, const struct compare_options *o);

#endif
