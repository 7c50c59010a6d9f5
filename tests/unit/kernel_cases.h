/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the provider of hardware ports relies on in the kernel, as cases. The unit tests run them on
 * kernel_responder, tests/system/kernel_cases on interfaces of a kernel.
 */
#ifndef DCB_TESTS_KERNEL_CASES_H
#define DCB_TESTS_KERNEL_CASES_H

#include "dataplane/kernel/kernel_io.h"

struct kernel_case {
	const char *name;
	/*
	 * Kind of interface: works, nosetter, busy, firmware, resets; nodcb has no DCB operations,
	 * of gone there is only the name.
	 */
	const char *kind;
	/* Leaves the interface as it was. Returns NULL, or why the case failed, in why or
	 * elsewhere. */
	const char *(*run)(struct kernel_io *io, const char *name, char *why, size_t size);
};

extern const struct kernel_case kernel_cases[];
extern const unsigned kernel_cases_n;

#endif
