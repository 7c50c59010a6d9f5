/* SPDX-License-Identifier: BSD-3-Clause */
/* Reception steps common to bridge and station: counters, checks, MAC control, LLDP. */
#ifndef DCB_DATAPLANE_PORT_PORT_RECEIVE_H
#define DCB_DATAPLANE_PORT_PORT_RECEIVE_H

#include "dataplane/core/eth.h"
#include "dataplane/port/port_set.h"
#include "lib/counter.h"

enum port_received {
	PORT_FRAME,         /* valid: the caller forwards it; view is filled in */
	PORT_CONSUMED,      /* discarded and counted, or MAC control or an HMPDU, processed */
	PORT_CNM_FROM_GROUP /* a CNM with a group source address: the caller counts it */
};

/* Parts of port_receive(): for frames that are not valid, and those of protocols. */
enum port_received port_receive_bad(struct soft_port *in, const uint8_t *octets, uint32_t len,
				    enum eth_error error);
enum port_received port_receive_special(struct port_set *s, struct soft_port *in,
					const uint8_t *octets, uint32_t len, struct dcb_time now,
					const struct eth_view *view);

static inline bool port_receive_is_special(const struct eth_view *view)
{
	return eth_is_link_control(view) || view->ethertype == ETH_TYPE_LLDP ||
	       view->vid == ETH_VID_RESERVED;
}

/*
 * Checks and counts a frame received on port in, and fills in view. wire_octets:
 * length of the frame on the link; > len if it was truncated. Discards MAC control
 * frames behind any number of C-TAGs, S-TAGs, tags 91-00 to 93-00 and CN-TAGs: the
 * system that removes the last tag would send a frame that pauses its neighbor, and
 * only the neighbor's link partner may pause it (36.2.6). The same holds for headroom
 * measurement PDUs, which set the neighbor's headroom. Dataplane thread.
 */
static inline enum port_received port_receive(struct port_set *s, struct soft_port *in,
					      const uint8_t *octets, uint32_t len,
					      uint32_t wire_octets, struct dcb_time now,
					      struct eth_view *view)
{
	enum eth_error error;

	counter_add(&in->stats.rx_frames, 1);
	counter_add(&in->stats.rx_octets, wire_octets);
	if (wire_octets > len || len > s->frame_octets) {
		counter_add(&in->stats.discard_oversize, 1);
		return PORT_CONSUMED;
	}
	error = eth_parse(octets, len, view);
	if (error != ETH_OK)
		return port_receive_bad(in, octets, len, error);
	return port_receive_is_special(view) ? port_receive_special(s, in, octets, len, now, view)
					     : PORT_FRAME;
}

#endif
