/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory that begins at a line of the processor's caches: what an event accesses is in as few of
 * them as the order of a struct's members says, and two parts of a network share none.
 */
#ifndef DCB_SIM_CACHELINE_H
#define DCB_SIM_CACHELINE_H

#include <stdlib.h>
#include <string.h>

#define CACHELINE_OCTETS 64

/* Returns memory of zeros, rounded up to whole lines, NULL if there is none; free() frees it. */
static inline void *cacheline_new(size_t n, size_t octets)
{
	size_t all = (n * octets + CACHELINE_OCTETS - 1) / CACHELINE_OCTETS * CACHELINE_OCTETS;
	void *memory = aligned_alloc(CACHELINE_OCTETS, all ? all : CACHELINE_OCTETS);

	return memory ? memset(memory, 0, all) : NULL;
}

#endif
