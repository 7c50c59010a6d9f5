/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Divides a network into parts whose ports have about the same sum of rates, few cables between
 * them, and only such cables on which a frame takes long: as long as that the parts need not wait
 * for each other.
 */
#ifndef DCB_SIM_PARTITION_H
#define DCB_SIM_PARTITION_H

#include "sim/net/model.h"

/*
 * Sets of[i] to the part of node i, 0 to the number returned less one: at most n, at least 1; fewer
 * than n if not so many nodes are connected by cables on which frames take time, an eighth of that
 * on the longest cable at least, or if none are left. Requires all links. Returns 0 if out of
 * memory.
 */
uint32_t partition_network(const struct sim *sim, uint32_t n, uint32_t *of);

#endif
