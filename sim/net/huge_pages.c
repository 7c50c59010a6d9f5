/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/net/huge_pages.h"

#include <linux/mman.h>
#include <malloc.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#define LARGE_OCTETS (128 << 10)
/* The most that mallopt() accepts on a 64-bit system, half of that on a 32-bit one. */
#define LARGEST_OCTETS (sizeof(long) * (4 << 20))

/* Of Linux 6.1; older headers do not have it, older kernels refuse it. */
#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif

void huge_pages_keep_large(bool keep)
{
	(void)mallopt(M_MMAP_THRESHOLD, keep ? LARGEST_OCTETS : LARGE_OCTETS);
}

char *huge_pages_begin(void)
{
	return sbrk(0);
}

/* An error costs speed only: there is no huge page, or the kernel is older. */
void huge_pages_use(char *begin, const struct frame_store *store)
{
	uintptr_t from = ((uintptr_t)begin + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
	uintptr_t to = (uintptr_t)sbrk(0) / HUGE_PAGE * HUGE_PAGE;

	if (from >= to)
		return;
	(void)madvise(store->memory, store->memory_octets, MADV_HUGEPAGE);
	if (madvise((void *)from, to - from, MADV_HUGEPAGE) == 0)
		(void)madvise((void *)from, to - from, MADV_COLLAPSE);
}
