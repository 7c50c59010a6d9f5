/* SPDX-License-Identifier: BSD-3-Clause */
#include "lib/clock.h"

#include <time.h>

struct dcb_time clock_now(void)
{
	struct timespec ts;

	/* Cannot fail: Linux always has CLOCK_MONOTONIC, and &ts is valid. */
	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (struct dcb_time){ts.tv_sec * DCB_NS_PER_S + ts.tv_nsec};
}

uint64_t clock_real_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return (uint64_t)ts.tv_sec * 1000 + (uint64_t)ts.tv_nsec / 1000000;
}
