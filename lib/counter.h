/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counters and gauges that one thread writes and others read while it does.
 * The writer pays a load and a store, no locked instruction; a reader never
 * sees half a value, and gets no order between two of them.
 */
#ifndef DCB_LIB_COUNTER_H
#define DCB_LIB_COUNTER_H

#include <stddef.h>
#include <stdint.h>

/* Owner only. */
static inline void counter_add(uint64_t *counter, uint64_t n)
{
	__atomic_store_n(counter, *counter + n, __ATOMIC_RELAXED);
}

/* Any scalar; owner only. */
#define gauge_set(gauge, value) __atomic_store_n((gauge), (value), __ATOMIC_RELAXED)

/* Any scalar; anyone. */
#define gauge_get(gauge) __atomic_load_n((gauge), __ATOMIC_RELAXED)

/* Copies a struct that is nothing but 64-bit counters; anyone. */
static inline void counters_copy(void *to, const void *from, size_t octets)
{
	const uint64_t *src = from;
	uint64_t *dst = to;

	for (size_t i = 0; i < octets / sizeof(*src); i++)
		dst[i] = gauge_get(&src[i]);
}

#endif
