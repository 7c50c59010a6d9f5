/* SPDX-License-Identifier: BSD-3-Clause */
/* Independent calls that wait for the kernel, side by side. */
#ifndef DCB_LIB_PARALLEL_H
#define DCB_LIB_PARALLEL_H

/* More threads than processors: they wait. */
#define PARALLEL_THREADS 32

/*
 * Calls fn(ctx, i) once for each i below n, in any order, in up to PARALLEL_THREADS threads and in
 * the caller's, and returns after the last one. Without memory or room for a thread there are
 * fewer; the caller's is always one of them.
 */
void parallel_run(unsigned n, void (*fn)(void *ctx, unsigned i), void *ctx);

#endif
