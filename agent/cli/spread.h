/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How a great many times are spread: least, greatest and quantiles, in memory
 * that does not grow. Below 512 ns every nanosecond has a class of its own,
 * above that every power of two has 256, so a quantile is true to 0.2 %.
 */
#ifndef DCB_AGENT_CLI_SPREAD_H
#define DCB_AGENT_CLI_SPREAD_H

#include <stdint.h>

#define SPREAD_FINE    256 /* classes of a power of two */
#define SPREAD_CLASSES (2 * SPREAD_FINE + 54 * SPREAD_FINE)

/* All zero at the start. */
struct spread {
	uint64_t n;
	int64_t min_ns, max_ns;
	uint64_t classes[SPREAD_CLASSES];
};

/* A negative time counts as 0. */
void spread_add(struct spread *s, int64_t ns);

/*
 * The time that permille of all do not exceed, from 1 to 1000; 500 is the
 * median. 0 where nothing was added.
 */
int64_t spread_quantile(const struct spread *s, unsigned permille);

#endif
