/* SPDX-License-Identifier: BSD-3-Clause */
/* Random numbers of the kernel, for seeds and boot identifiers. */
#ifndef DCB_LIB_ENTROPY_H
#define DCB_LIB_ENTROPY_H

#include <stdint.h>

/*
 * Returns 64 unpredictable bits. Blocks while the kernel's pool is not ready,
 * which happens only just after boot. Logs and aborts if getrandom() fails.
 */
uint64_t entropy_u64(void);

#endif
