/* SPDX-License-Identifier: BSD-3-Clause */
/* The one place that reads the clock which engines are driven by. */
#ifndef DCB_LIB_CLOCK_H
#define DCB_LIB_CLOCK_H

#include "lib/dcbtime.h"

/* CLOCK_MONOTONIC: comparable within one boot, unmoved by changes of the date. */
struct dcb_time clock_now(void);

#endif
