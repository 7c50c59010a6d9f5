/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * LLDPDUs that a port receives. lldpd receives and decodes them by sockets of its own, but
 * reports neither their source and destination addresses nor when they arrived: the port
 * hands these to the control thread.
 *
 * Only ports of provider "soft" do so.
 */
#ifndef DCB_DATAPLANE_PORT_PORT_LLDP_H
#define DCB_DATAPLANE_PORT_PORT_LLDP_H

#include "dataplane/port/port_set.h"

/*
 * Limits of a port: this many LLDPDUs at once, then one in each interval. A port has at
 * most 32 neighbors.
 */
#define PORT_LLDP_BURST       32
#define PORT_LLDP_INTERVAL_NS (10 * DCB_NS_PER_MS)

/*
 * Counts a frame with the EtherType of LLDP, and gives the head of the LLDPDU to ops->lldp.
 * The caller handles the frame as any other. Dataplane thread.
 */
void port_lldp_receive(struct port_set *s, struct soft_port *in, const uint8_t *octets,
		       uint32_t len, const struct eth_view *view, struct dcb_time now);

#endif
