/* SPDX-License-Identifier: BSD-3-Clause */
/* The clocks: the first one is also the value that engines are given as "now". */
#ifndef DCB_LIB_CLOCK_H
#define DCB_LIB_CLOCK_H

#include "lib/dcbtime.h"

/*
 * Returns the time of CLOCK_MONOTONIC: comparable within one boot, not affected by changes
 * of the date. Any thread.
 */
struct dcb_time clock_now(void);

/* Returns the date, in milliseconds since 1970-01-01 00:00 UTC. Any thread. */
uint64_t clock_real_ms(void);

#endif
