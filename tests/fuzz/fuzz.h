/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A fuzzer is one function over untrusted octets that checks what must hold for
 * any of them. clang's libFuzzer drives it (--enable-fuzzer); everywhere else
 * fuzz_main.c does, over the octets kept in corpus/.
 */
#ifndef DCB_TESTS_FUZZ_H
#define DCB_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Not assert(): has to hold with NDEBUG too. */
#define FUZZ_ASSERT(condition)                                                            \
	do {                                                                              \
		if (!(condition)) {                                                       \
			fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, \
				#condition);                                              \
			abort();                                                          \
		}                                                                         \
	} while (0)

#endif
