/* SPDX-License-Identifier: BSD-3-Clause */
/* The times of many requests, one a millisecond, for the programs that measure them. */
#ifndef DCB_TESTS_TIMES_H
#define DCB_TESTS_TIMES_H

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define TIMES_MAX 100000

struct times {
	int64_t us[TIMES_MAX];
	unsigned n, failed;
};

static inline int64_t times_now_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * INT64_C(1000000) + ts.tv_nsec / 1000;
}

static inline int times_compare(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/*
 * Calls request(ctx) each millisecond, for this time, and prints how many calls there were, how
 * many returned false, and the 99th percentile and the greatest of their times in microseconds.
 */
static inline void times_print(struct times *t, int64_t ms, bool (*request)(void *ctx), void *ctx)
{
	int64_t end = times_now_us() + ms * 1000;

	t->n = t->failed = 0;
	while (t->n < TIMES_MAX && times_now_us() < end) {
		int64_t start = times_now_us();

		if (!request(ctx))
			t->failed++;
		t->us[t->n++] = times_now_us() - start;
		nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
	}
	qsort(t->us, t->n, sizeof(t->us[0]), times_compare);
	printf("%u %u %" PRId64 " %" PRId64 "\n", t->n, t->failed,
	       t->n ? t->us[t->n - 1 - t->n / 100] : 0, t->n ? t->us[t->n - 1] : 0);
}

#endif
