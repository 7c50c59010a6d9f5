/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Histogram of times: minimum, maximum and quantiles, in memory of fixed size.
 * Times below 512 ns have one class per nanosecond, longer ones 256 classes per
 * power of two. So the error of a quantile is at most 0.2 %.
 */
#ifndef DCB_LIB_HISTOGRAM_H
#define DCB_LIB_HISTOGRAM_H

#include <stdint.h>

#define HISTOGRAM_FINE    256 /* classes per power of two */
#define HISTOGRAM_CLASSES (2 * HISTOGRAM_FINE + 54 * HISTOGRAM_FINE)

/* All zero at the start. */
struct histogram {
	uint64_t n;
	int64_t min_ns, max_ns;
	uint64_t classes[HISTOGRAM_CLASSES];
};

/* A negative time counts as 0. */
void histogram_add(struct histogram *s, int64_t ns);

/*
 * Returns the time that permille (1 to 1000) of all times do not exceed, in ns;
 * 500 is the median. 0 if no time was added.
 */
int64_t histogram_quantile(const struct histogram *s, unsigned permille);

#endif
