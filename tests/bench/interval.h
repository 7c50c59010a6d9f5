/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Clocks, medians and their intervals for the measuring programs of this directory. A program
 * measures its operations in turn within each of its rounds, by processor time, so that other
 * programs of the machine do not count, and prints the median of the rounds.
 */
#ifndef DCB_BENCH_INTERVAL_H
#define DCB_BENCH_INTERVAL_H

#include <stdlib.h>
#include <time.h>

/* Median, and the limits of its 95 % interval */
struct interval {
	double median, low, high;
};

/* Returns the time of this clock, seconds. */
static inline double clock_s(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

static inline int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/*
 * Sorts n values, at least 6. The interval holds for any distribution: from the k-th value to the
 * k-th from above, where the median is beyond each with a probability of at most 2.5 % (binomial
 * distribution).
 */
static inline struct interval interval_of(double *values, unsigned n)
{
	double p = 1, beyond;
	unsigned k = 0;

	for (unsigned i = 0; i < n; i++)
		p /= 2;
	for (beyond = p; beyond <= 0.025; beyond += p) {
		p *= (double)(n - k) / (k + 1);
		k++;
	}
	qsort(values, n, sizeof(values[0]), compare_doubles);
	return (struct interval){
	    .median = (values[(n - 1) / 2] + values[n / 2]) / 2,
	    .low = values[k ? k - 1 : 0],
	    .high = values[n - (k ? k : 1)],
	};
}

/* Returns whether a value that should not exceed the limit does. */
static inline const char *verdict_at_most(const struct interval *value, double limit)
{
	if (value->high <= limit)
		return "met";
	return value->low > limit ? "MISSED" : "undecided";
}

#endif
