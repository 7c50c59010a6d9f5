/* SPDX-License-Identifier: BSD-3-Clause */
/* Independent runs side by side, each in a process of its own, with the output of a serial run. */
#ifndef DCB_SIM_JOBS_H
#define DCB_SIM_JOBS_H

#include <stdint.h>

/* Statuses of this value and above end the runs: those with higher numbers do not count. */
#define JOBS_STOP 2

/*
 * Calls work(ctx, i) for i from 0 to n - 1, each in a child process, at most side_by_side at a
 * time. What a child writes to standard output and standard error appears there when all children
 * with lower numbers have ended. work returns a status from 0 to 255. Returns the greatest status;
 * JOBS_STOP, after a message on standard error, if a child does not end by itself or cannot be
 * started. The caller has no other child processes.
 */
int jobs_run(uint32_t n, uint32_t side_by_side, int (*work)(void *ctx, uint32_t i), void *ctx);

#endif
