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

/*
 * Returns the EtherType that a frame has when all its tags are removed, one after
 * another: C-TAGs, S-TAGs, CN-TAGs, 91-00 to 93-00. Does not use eth_parse().
 */
static inline unsigned fuzz_bare_type(const uint8_t *frame, size_t len)
{
	unsigned type = 0;

	for (size_t at = 12; at + 2 <= len; at += 4) {
		type = (unsigned)frame[at] << 8 | frame[at + 1];
		if (type != 0x8100 && type != 0x88a8 && type != 0x22e9 && type != 0x9100 &&
		    type != 0x9200 && type != 0x9300)
			break;
	}
	return type;
}

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
