/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks shared by the tests of core/buffer.h. */
#ifndef DCB_TESTS_BUFFER_CHECKS_H
#define DCB_TESTS_BUFFER_CHECKS_H

#include "tests/unit/unit.h"

#include "dataplane/core/buffer.h"
#include "lib/rng.h"

static inline void check_use(const struct buffer_use *use, uint64_t octets, uint64_t frames)
{
	assert_int_equal(use->octets, octets);
	assert_int_equal(use->frames, frames);
}

static inline void check_shared(const struct buffer_account *a, uint64_t octets, uint64_t frames)
{
	const struct buffer_use shared = buffer_shared(a);

	check_use(&shared, octets, frames);
}

static inline void check_peak(const struct buffer_account *a, uint64_t octets, uint64_t frames)
{
	const struct buffer_use peak = buffer_peak(a);

	check_use(&peak, octets, frames);
}

static inline void check_sum(const struct buffer_sum *sum, uint64_t octets, uint64_t frames)
{
	assert_int_equal(sum->octets, octets);
	assert_int_equal(sum->frames, frames);
}

static inline void check_used(const struct buffer_pool *pool, uint64_t octets, uint64_t frames)
{
	const struct buffer_sum used = buffer_pool_used(pool);

	check_sum(&used, octets, frames);
}

static inline struct buffer_pool pool_of(uint64_t octets, uint64_t frames)
{
	struct buffer_pool pool = {0};

	buffer_pool_resize(&pool, &(struct buffer_sum){octets, frames});
	return pool;
}

/* Returns a number of at most this many bits; small ones are as frequent as large ones. */
static inline uint64_t random_amount(struct dcb_rng *rng, unsigned bits)
{
	uint64_t value = (uint64_t)dcb_rng_next(rng) << 32 | dcb_rng_next(rng);

	return value >> (64 - dcb_rng_uniform(rng, 1, bits));
}

#endif
