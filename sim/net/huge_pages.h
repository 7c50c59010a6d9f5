/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Huge pages for a simulation. An event accesses a few hundred octets in each of many places:
 * with pages of 4 kB most of these accesses miss the processor's address translation cache.
 */
#ifndef DCB_SIM_HUGE_PAGES_H
#define DCB_SIM_HUGE_PAGES_H

#include "dataplane/port/frame_pool.h"

/*
 * false, before the first run: has the allocator take large tables from the kernel, page by page as
 * they are used, also after it has freed some. The rest, which is small, stays together. true: has
 * it not do so, for the tables of nodes, links and flows, which are used wholly.
 */
void huge_pages_keep_large(bool keep);

/* Returns the end of the memory for small allocations: before those of a run. */
char *huge_pages_begin(void);

/*
 * Puts the memory for small allocations since huge_pages_begin() into huge pages, if that is
 * several, and the frame buffers of the run; as far as the kernel has some and permits it. Octets
 * stay the same.
 */
void huge_pages_use(char *begin, const struct frame_store *store);

#endif
