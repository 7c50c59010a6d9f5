/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Link aggregation as a bridge sees it, 802.1Q 36.7 and 802.1AX: several links of
 * one bridge port. Each is a soft_port with its own queues, congestion points and
 * PFC; a frame for the bridge port leaves by one of them, every frame of a flow
 * by the same one. Which links belong together is configured, there is no LACP.
 *
 * Links of one bridge port form a ring. A port that is its own bridge port is in
 * none: it costs a comparison with NULL.
 */
#ifndef DCB_DATAPLANE_PORT_AGGREGATE_H
#define DCB_DATAPLANE_PORT_AGGREGATE_H

#include "dataplane/port/port.h"

/* The port is in force, and so is other, with the same settings.aggregate; NULL: nobody else. */
void aggregate_join(struct soft_port *port, struct soft_port *other);
/* It no longer is; nothing to do if it is in no ring. */
void aggregate_leave(struct soft_port *port);

/* Are these two links of the same bridge port, or one and the same? */
bool aggregate_is_same(const struct soft_port *a, const struct soft_port *b);

/*
 * The link that this flow takes, of those of port's ring that are up: NULL if none
 * is. Flows of a link that goes down move, all others stay where they are.
 */
struct soft_port *aggregate_choose(struct soft_port *port, uint64_t flow_hash);

#endif
