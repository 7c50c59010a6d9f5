/* SPDX-License-Identifier: BSD-3-Clause */
/* Reception steps common to bridge and station: counters, checks, MAC control, LLDP. */
#ifndef DCB_DATAPLANE_PORT_PORT_RECEIVE_H
#define DCB_DATAPLANE_PORT_PORT_RECEIVE_H

#include "dataplane/core/eth.h"
#include "dataplane/port/port_set.h"

enum port_received {
	PORT_FRAME,         /* valid: the caller forwards it; view is filled in */
	PORT_CONSUMED,      /* discarded and counted, or MAC control or an HMPDU, processed */
	PORT_CNM_FROM_GROUP /* a CNM with a group source address: the caller counts it */
};

/*
 * Checks and counts a frame received on port in, and fills in view. wire_octets:
 * length of the frame on the link; > len if it was truncated. Discards MAC control
 * frames behind any number of C-TAGs, S-TAGs, tags 91-00 to 93-00 and CN-TAGs: the
 * system that removes the last tag would send a frame that pauses its neighbor, and
 * only the neighbor's link partner may pause it (36.2.6). The same holds for headroom
 * measurement PDUs, which set the neighbor's headroom. Dataplane thread.
 */
enum port_received port_receive(struct port_set *s, struct soft_port *in, const uint8_t *octets,
				uint32_t len, uint32_t wire_octets, struct dcb_time now,
				struct eth_view *view);

#endif
