/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Loads what the next events will access into the processor's cache. In a large network each
 * event accesses another node, and most of its time it would wait for memory. Changes nothing.
 *
 * In a fat tree of 1024 hosts an event finds 40 cache lines outside a second-level cache of 2
 * MB. doc/decisions.md lists what gained nothing.
 */
#ifndef DCB_SIM_PREFETCH_H
#define DCB_SIM_PREFETCH_H

#include "sim/net/model.h"

/* Called after the earliest entry of the heap, of one of the parts, has changed. */
void sim_prefetch(struct sim *sim, struct heap *h);

#endif
