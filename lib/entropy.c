/* SPDX-License-Identifier: BSD-3-Clause */
#include "lib/entropy.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "lib/log.h"

uint64_t entropy_u64(void)
{
	uint64_t bits;
	ssize_t n;

	/* getrandom() returns up to 256 octets whole; a signal can interrupt it. */
	do
		n = getrandom(&bits, sizeof(bits), 0);
	while (n < 0 && errno == EINTR);
	if (n != (ssize_t)sizeof(bits)) {
		/*
		 * Message: The kernel gives no random numbers, and the program ends. Report this
		 * with the version of the kernel.
		 */
		log_error("entropy", "getrandom: %s", strerror(errno));
		abort();
	}
	return bits;
}
