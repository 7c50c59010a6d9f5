/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Paths: every bridge gets a static entry for every end station, on a shortest
 * way. Of several equally short ones each bridge takes one by a hash of itself
 * and the destination, as bridges that share load by destination do; so each
 * destination has one path from everywhere, and frames stay in order.
 */
#ifndef DCB_SIM_ROUTE_H
#define DCB_SIM_ROUTE_H

#include "sim/model.h"

/* false: err says between whom there is no path. */
bool sim_route(struct sim *sim, char *err, size_t errlen);

#endif
