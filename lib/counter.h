/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counters and gauges that one thread, their owner, writes while any thread
 * reads them. The owner uses a plain load and store, no locked instruction. A
 * reader gets each value whole; two values may be of different moments.
 */
#ifndef DCB_LIB_COUNTER_H
#define DCB_LIB_COUNTER_H

#include <stddef.h>
#include <stdint.h>

/* Adds n. Owner only. */
static inline void counter_add(uint64_t *counter, uint64_t n)
{
	__atomic_store_n(counter, *counter + n, __ATOMIC_RELAXED);
}

/*
 * The same; a thread that gets the new value by counter_get_acquire() then reads all that the owner
 * has written before. Owner only.
 */
static inline void counter_add_release(uint64_t *counter, uint64_t n)
{
	__atomic_store_n(counter, *counter + n, __ATOMIC_RELEASE);
}

/* Returns a counter of counter_add_release(). Any thread. */
static inline uint64_t counter_get_acquire(const uint64_t *counter)
{
	return __atomic_load_n(counter, __ATOMIC_ACQUIRE);
}

/* Sets any scalar. Owner only. */
#define gauge_set(gauge, value) __atomic_store_n((gauge), (value), __ATOMIC_RELAXED)

/* Returns any scalar. Any thread. */
#define gauge_get(gauge) __atomic_load_n((gauge), __ATOMIC_RELAXED)

/* Copies a struct of octets octets, all of whose members are 64-bit counters. Any thread. */
static inline void counters_copy(void *to, const void *from, size_t octets)
{
	const uint64_t *src = from;
	uint64_t *dst = to;

	for (size_t i = 0; i < octets / sizeof(*src); i++)
		dst[i] = gauge_get(&src[i]);
}

/* Sets all 64-bit counters of a struct of octets octets to 0. Owner only. */
static inline void counters_clear(void *counters, size_t octets)
{
	uint64_t *c = counters;

	for (size_t i = 0; i < octets / sizeof(*c); i++)
		gauge_set(&c[i], 0);
}

#endif
