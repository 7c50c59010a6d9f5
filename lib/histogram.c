/* SPDX-License-Identifier: BSD-3-Clause */
#include "lib/histogram.h"

/*
 * Number of bits that times of this class are shifted right by, to be less than
 * 2 * HISTOGRAM_FINE.
 */
static unsigned shift_of(unsigned class)
{
	return class < 2 * HISTOGRAM_FINE ? 0 : class / HISTOGRAM_FINE - 1;
}

static unsigned class_of(uint64_t ns)
{
	unsigned shift = 0;

	while (ns >> shift >= 2 * HISTOGRAM_FINE)
		shift++;
	return shift * HISTOGRAM_FINE + (unsigned)(ns >> shift);
}

/* Returns the middle of a class, in ns. */
static int64_t time_of(unsigned class)
{
	unsigned shift = shift_of(class);
	uint64_t low = (uint64_t)(class - shift * HISTOGRAM_FINE) << shift;

	return (int64_t)(low + (UINT64_C(1) << shift) / 2);
}

void histogram_add(struct histogram *s, int64_t ns)
{
	if (ns < 0)
		ns = 0;
	if (s->n == 0 || ns < s->min_ns)
		s->min_ns = ns;
	if (ns > s->max_ns)
		s->max_ns = ns;
	s->n++;
	s->classes[class_of((uint64_t)ns)]++;
}

int64_t histogram_quantile(const struct histogram *s, unsigned permille)
{
	uint64_t rank = s->n / 1000 * permille + (s->n % 1000 * permille + 999) / 1000;
	uint64_t seen = 0;
	int64_t ns;

	if (rank == s->n)
		return s->max_ns;
	for (unsigned class = 0; class < HISTOGRAM_CLASSES; class ++) {
		seen += s->classes[class];
		if (seen == 0 || seen < rank)
			continue;
		ns = time_of(class);
		if (ns < s->min_ns)
			return s->min_ns;
		return ns > s->max_ns ? s->max_ns : ns;
	}
	return 0;
}
