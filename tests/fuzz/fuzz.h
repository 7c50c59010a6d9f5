/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A fuzzer is one function with untrusted octets as input. It checks properties
 * that hold for any input. clang's libFuzzer calls it (--enable-fuzzer);
 * otherwise fuzz_main.c calls it with the files in corpus/.
 */
#ifndef DCB_TESTS_FUZZ_H
#define DCB_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Not assert(): also checks with NDEBUG. */
#define FUZZ_ASSERT(condition)                                                            \
	do {                                                                              \
		if (!(condition)) {                                                       \
			fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, \
				#condition);                                              \
			abort();                                                          \
		}                                                                         \
	} while (0)

#endif
