/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Paths: gives every bridge a static FDB entry for every station and host, on a path
 * of least cost. Of several such ports a bridge takes one by a hash of itself and
 * the destination, as bridges do that share load by destination; so there is one
 * path from a node to a destination, and frames stay in order. RBridges get what
 * campus.h describes.
 */
#ifndef DCB_SIM_NET_ROUTE_H
#define DCB_SIM_NET_ROUTE_H

#include "sim/net/model.h"

/* Returns false with the reason in err: out of memory, a flow without a path, or as campus.h. */
bool sim_route(struct sim *sim, char *err, size_t errlen);

#endif
