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
#include <sys/mman.h>
#include <unistd.h>

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

/*
 * Returns the path of a file in memory that has these octets until the next call. Creating a file
 * on disk for each input takes longer than reading it.
 */
static inline const char *fuzz_file(const void *octets, size_t size)
{
	static char path[32];
	static int fd = -1;

	if (fd < 0) {
		fd = memfd_create("input", MFD_CLOEXEC);
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	}
	FUZZ_ASSERT(fd >= 0 && ftruncate(fd, 0) == 0);
	FUZZ_ASSERT(pwrite(fd, octets, size, 0) == (ssize_t)size);
	return path;
}

#endif
