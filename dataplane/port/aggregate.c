/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/port/aggregate.h"

void aggregate_join(struct soft_port *port, struct soft_port *other)
{
	port->ring_next = other ? other->ring_next : port;
	if (other)
		other->ring_next = port;
}

void aggregate_leave(struct soft_port *port)
{
	struct soft_port *before = port->ring_next;

	if (!before)
		return;
	while (before->ring_next != port)
		before = before->ring_next;
	before->ring_next = port->ring_next;
	port->ring_next = NULL;
}

bool aggregate_is_same(const struct soft_port *a, const struct soft_port *b)
{
	const struct soft_port *link = a;

	do {
		if (link == b)
			return true;
		link = link->ring_next;
	} while (link && link != a);
	return false;
}

struct soft_port *aggregate_choose(struct soft_port *port, uint64_t flow_hash)
{
	struct soft_port *best = NULL, *link = port;
	uint64_t most = 0;

	do {
		uint64_t w = aggregate_weight(flow_hash, (uint64_t)(link->base.slot + 1));

		if (link->up && (!best || w > most)) {
			best = link;
			most = w;
		}
		link = link->ring_next;
	} while (link && link != port);
	return best;
}
