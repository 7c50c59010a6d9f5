/* SPDX-License-Identifier: BSD-3-Clause */
/* What happens to a received frame before bridge or station see it: counters, checks, MAC control.
 */
#ifndef DCB_DATAPLANE_PORT_PORT_RECEIVE_H
#define DCB_DATAPLANE_PORT_PORT_RECEIVE_H

#include "dataplane/core/eth.h"
#include "dataplane/port/port_set.h"

enum port_received {
	PORT_FRAME,         /* it goes on; the view is filled */
	PORT_CONSUMED,      /* discarded and counted, or MAC control and done with */
	PORT_CNM_FROM_GROUP /* discarded, but not counted yet: a CNM with a group source address */
};

/*
 * wire_octets > len: it was cut off. MAC control behind a tag ends here as well: a
 * port that takes the tag off would make a frame of it that stops the neighbor,
 * and nobody but the neighbor's own link partner may do that (36.2.6).
 */
enum port_received port_receive(struct port_set *s, struct soft_port *in, const uint8_t *octets,
				uint32_t len, uint32_t wire_octets, struct dcb_time now,
				struct eth_view *view);

#endif
