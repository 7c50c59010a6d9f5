/* SPDX-License-Identifier: BSD-3-Clause */
/* The one place that asks the system for randomness: seeds and boot ids. */
#ifndef DCB_LIB_ENTROPY_H
#define DCB_LIB_ENTROPY_H

#include <stdint.h>

/*
 * 64 unpredictable bits. Waits while the kernel's pool is not ready, which
 * happens only in the first moments of a boot; never returns without them.
 */
uint64_t entropy_u64(void);

#endif
