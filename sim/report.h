/* SPDX-License-Identifier: BSD-3-Clause */
/* What a run came to, for people. */
#ifndef DCB_SIM_REPORT_H
#define DCB_SIM_REPORT_H

#include <stdio.h>

#include "sim/run.h"

/* Flows, links, queues, congestion points and reaction points. */
void report_summary(struct run *run, FILE *out);

/* A line for each assertion: ok or FAILED, value, bounds. */
void report_asserts(const struct run *run, FILE *out);

/* All assertions in one line. */
void report_seed(const struct run *run, FILE *out);

#endif
