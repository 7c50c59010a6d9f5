/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Returns a system under test to its first state, faster than by making it again: a bridge has
 * tables of 8192 slots, a port of a station has 4 MB, and an input touches little of them.
 *
 * The fuzzer makes the system once, names all of its memory with snapshot_add() and calls
 * snapshot_restore() before each input. Of a large area the whole pages become a private mapping of
 * a file in memory that has their octets: the kernel drops the pages that were written.
 */
#ifndef DCB_TESTS_SNAPSHOT_H
#define DCB_TESTS_SNAPSHOT_H

#include <string.h>

#include "tests/fuzz/fuzz.h"

#define SNAPSHOT_AREAS 96
#define SNAPSHOT_LARGE (1 << 16)

struct snapshot {
	struct snapshot_area {
		char *at, *copy;
		size_t len;
		bool is_mapped;
	} areas[SNAPSHOT_AREAS];
	unsigned n;
};

static inline void snapshot_put(struct snapshot *s, char *at, size_t len, bool map)
{
	struct snapshot_area *area = &s->areas[s->n++];
	int fd;

	FUZZ_ASSERT(s->n <= SNAPSHOT_AREAS);
	*area = (struct snapshot_area){.at = at, .len = len, .is_mapped = map};
	if (!map) {
		area->copy = malloc(len ? len : 1);
		FUZZ_ASSERT(area->copy);
		memcpy(area->copy, at, len);
		return;
	}
	fd = memfd_create("snapshot", MFD_CLOEXEC);
	FUZZ_ASSERT(fd >= 0 && pwrite(fd, at, len, 0) == (ssize_t)len);
	FUZZ_ASSERT(mmap(at, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, fd, 0) == at);
	close(fd);
}

static inline void snapshot_add(struct snapshot *s, void *at, size_t len)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t head = -(uintptr_t)at % page, whole;

	if (len < SNAPSHOT_LARGE) {
		snapshot_put(s, at, len, false);
		return;
	}
	whole = (len - head) / page * page;
	snapshot_put(s, at, head, false);
	snapshot_put(s, (char *)at + head, whole, true);
	snapshot_put(s, (char *)at + head + whole, len - head - whole, false);
}

static inline void snapshot_restore(const struct snapshot *s)
{
	for (unsigned i = 0; i < s->n; i++) {
		const struct snapshot_area *area = &s->areas[i];

		if (area->is_mapped)
			FUZZ_ASSERT(madvise(area->at, area->len, MADV_DONTNEED) == 0);
		else
			memcpy(area->at, area->copy, area->len);
	}
}

#endif
