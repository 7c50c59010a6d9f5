/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Link aggregation (802.1Q 36.7, 802.1AX): several links form one bridge port.
 * Each link is a soft_port with its own queues, congestion points and PFC. A frame
 * for the bridge port leaves by one of its links, all frames of a flow by the same
 * one. The configuration says which links belong together; there is no LACP.
 *
 * The links of a bridge port form a ring. ring_next is NULL for a port that is not
 * aggregated.
 *
 * All functions: dataplane thread.
 */
#ifndef DCB_DATAPLANE_PORT_AGGREGATE_H
#define DCB_DATAPLANE_PORT_AGGREGATE_H

#include "dataplane/port/port.h"

/*
 * Adds an attached port to the ring of other, an attached port with the same
 * settings.aggregate. other NULL: starts a new ring.
 */
void aggregate_join(struct soft_port *port, struct soft_port *other);
/* Removes the port from its ring, if it is in one. */
void aggregate_leave(struct soft_port *port);

/* Returns true if a and b are links of the same bridge port, or the same link. */
bool aggregate_is_same(const struct soft_port *a, const struct soft_port *b);

/*
 * Returns the weight of a link, or of another way, for a flow: the way with the highest weight
 * has the flow. A way that goes up or down moves no flow between others. way: a number of its own.
 */
static inline uint64_t aggregate_weight(uint64_t flow_hash, uint64_t way)
{
	uint64_t h = (flow_hash ^ way) * UINT64_C(0x9e3779b97f4a7c15);

	h = (h ^ h >> 32) * UINT64_C(0xd6e8feb86659fd93);
	return h ^ h >> 32;
}

/*
 * Returns the link for a flow among the links of port's ring that are up; NULL if
 * none is up. When a link goes down, only its flows move to other links.
 */
struct soft_port *aggregate_choose(struct soft_port *port, uint64_t flow_hash);

#endif
