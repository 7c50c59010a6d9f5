/* SPDX-License-Identifier: BSD-3-Clause */
/* Included by every unit test: cmocka with the headers it requires, and random seeds. */
#ifndef DCB_TESTS_UNIT_H
#define DCB_TESTS_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

#define UNIT_COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Returns and prints a new seed for each run. DCB_SEED=n in the environment sets it to n. */
static inline uint64_t unit_seed(void)
{
	const char *text = getenv("DCB_SEED");
	struct timespec now;
	uint64_t seed;

	clock_gettime(CLOCK_REALTIME, &now);
	seed = text ? strtoull(text, NULL, 0) : (uint64_t)now.tv_sec * 1000000000u + now.tv_nsec;
	print_message("seed: DCB_SEED=%llu\n", (unsigned long long)seed);
	return seed;
}

#endif
