/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pseudo-random numbers: PCG32 (M. E. O'Neill, pcg-random.org). The caller owns
 * and seeds the state: dcbd from the kernel, a simulated node from its scenario,
 * a test with a number that it prints.
 */
#ifndef DCB_LIB_RNG_H
#define DCB_LIB_RNG_H

#include <stdint.h>

struct dcb_rng {
	uint64_t state;
	uint64_t inc;
};

/* Returns the next 32 bits of the sequence. */
static inline uint32_t dcb_rng_next(struct dcb_rng *rng)
{
	uint64_t old = rng->state;
	uint32_t xorshifted, rot;

	rng->state = old * UINT64_C(6364136223846793005) + rng->inc;
	xorshifted = (uint32_t)(((old >> 18) ^ old) >> 27);
	rot = (uint32_t)(old >> 59);
	return (xorshifted >> rot) | (xorshifted << ((32u - rot) & 31u));
}

/* Sets the state. Equal seed and stream give an equal sequence; streams are independent. */
static inline void dcb_rng_seed(struct dcb_rng *rng, uint64_t seed, uint64_t stream)
{
	rng->state = 0;
	rng->inc = (stream << 1) | 1u;
	(void)dcb_rng_next(rng);
	rng->state += seed;
	(void)dcb_rng_next(rng);
}

/* Returns a uniformly distributed number from lo to hi, both included; lo <= hi. */
static inline uint32_t dcb_rng_uniform(struct dcb_rng *rng, uint32_t lo, uint32_t hi)
{
	uint64_t span = (uint64_t)hi - lo + 1;

	return lo + (uint32_t)((dcb_rng_next(rng) * span) >> 32);
}

#endif
