/* SPDX-License-Identifier: BSD-3-Clause */
/* The results of a run as text. */
#ifndef DCB_SIM_REPORT_H
#define DCB_SIM_REPORT_H

#include <stdio.h>

#include "sim/run.h"

/* Prints tables of flows, links, congestion points and reaction points. */
void report_summary(struct run *run, FILE *out);

/* Prints a line for each assertion: ok or FAILED, value, bounds. */
void report_asserts(const struct run *run, FILE *out);

/* Prints one line for the run: its seed, ok or FAILED, all values. */
void report_seed(const struct run *run, FILE *out);

#endif
