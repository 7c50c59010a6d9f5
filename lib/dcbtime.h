/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Time as a struct, so that the compiler rejects a mix of nanoseconds with
 * milliseconds, centiseconds or pause quanta. The engines in dataplane/core
 * never read a clock: every function that needs the time takes "now".
 */
#ifndef DCB_LIB_DCBTIME_H
#define DCB_LIB_DCBTIME_H

#include <stdbool.h>
#include <stdint.h>

#define DCB_NS_PER_US INT64_C(1000)
#define DCB_NS_PER_MS INT64_C(1000000)
#define DCB_NS_PER_S  INT64_C(1000000000)

struct dcb_time {
	int64_t ns;
};

/* Later than any deadline: nothing is due. */
#define DCB_TIME_NEVER ((struct dcb_time){INT64_MAX})

static inline struct dcb_time dcb_time_add_ns(struct dcb_time t, int64_t ns)
{
	return (struct dcb_time){t.ns + ns};
}

static inline int64_t dcb_time_diff_ns(struct dcb_time later, struct dcb_time earlier)
{
	return later.ns - earlier.ns;
}

static inline bool dcb_time_before(struct dcb_time a, struct dcb_time b)
{
	return a.ns < b.ns;
}

static inline struct dcb_time dcb_time_min(struct dcb_time a, struct dcb_time b)
{
	return a.ns < b.ns ? a : b;
}

#endif
