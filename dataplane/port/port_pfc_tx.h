/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The PFC initiator of a bridge's port: the receive buffer of its link, what that
 * has room for, and the PFC frames that come of it.
 *
 * The software dataplane has no buffer of its own for each link: a received frame
 * is copied into a frame buffer for each port it leaves by. The receive buffer is
 * what these copies are counted in, as long as they are queued anywhere in the
 * bridge; with PFC it alone says whether there is room, and the egress port's
 * limit is for the other frames. So a frame that leaves by several ports counts
 * as often, in the headroom too.
 *
 * An end station has no initiator: what it receives goes to its host at once,
 * and a tap takes a frame or loses it, but never tells of filling up.
 */
#ifndef DCB_DATAPLANE_PORT_PORT_PFC_TX_H
#define DCB_DATAPLANE_PORT_PORT_PFC_TX_H

#include "lib/counter.h"
#include "dataplane/port/port.h"

/* Configuration or link changed. frame_octets: the longest frame received. */
void port_pfc_tx_configure(struct soft_port *port, uint32_t frame_octets);

/* Octets of the receive buffer that are kept free for what arrives after XOFF: 36.8. */
uint32_t port_pfc_tx_headroom_octets(const struct soft_port *port);

/*
 * A frame of a priority with PFC arrived. false: the buffer is full, which is
 * counted; the headroom was insufficient.
 */
static inline bool port_pfc_tx_admit(struct soft_port *port, uint8_t priority, uint32_t len)
{
	if (pfc_tx_fits(&port->pfc.tx, priority, len))
		return true;
	counter_add(&port->pfc.stats[priority].pfc_discards, 1);
	return false;
}

/*
 * Sends the PFC frame that is due, if there is one: ahead of all that is queued,
 * whether the port is blocked or not. 0, or the errno that says the interface is
 * gone or down.
 */
int port_pfc_tx_send(struct soft_port *port, struct dcb_time now);

/* When port_pfc_tx_send() has something to do again if no frame comes or goes. */
struct dcb_time port_pfc_tx_deadline(const struct soft_port *port, struct dcb_time now);

/* The link is still there, but not for long: ends all pauses. */
void port_pfc_tx_leave(struct soft_port *port, struct dcb_time now);

#endif
