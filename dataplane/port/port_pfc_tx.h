/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The PFC initiator of a bridge's port: accounts for the receive buffer of its
 * link and sends PFC frames.
 *
 * The software dataplane has no memory reserved for each link: it copies a received
 * frame into a frame buffer for each egress port. The receive buffer is an account
 * of these copies while they are queued anywhere in the bridge. With PFC, only the
 * receive buffer limits a priority; the buffer limit of the egress port applies to
 * the other priorities. A frame with several egress ports counts once for each of
 * them, in the headroom too.
 *
 * An end station has no initiator: it passes received frames to its host at once,
 * and a tap accepts or drops a frame without reporting how full it is.
 *
 * All functions: dataplane thread.
 */
#ifndef DCB_DATAPLANE_PORT_PORT_PFC_TX_H
#define DCB_DATAPLANE_PORT_PORT_PFC_TX_H

#include "lib/counter.h"
#include "dataplane/port/port.h"

/*
 * Computes buffer, headroom and thresholds of a configured port from configuration
 * and link. frame_octets: the longest frame that can be received.
 */
void port_pfc_tx_configure(struct soft_port *port, uint32_t frame_octets);

/*
 * Returns the headroom of a configured port: octets of the receive buffer for frames
 * that arrive after XOFF (36.8).
 */
uint32_t port_pfc_tx_headroom_octets(const struct soft_port *port);

/*
 * Returns true if the receive buffer has room for a frame of a priority with PFC.
 * Otherwise the headroom was insufficient: counts a discarded frame.
 */
static inline bool port_pfc_tx_admit(struct soft_port *port, uint8_t priority, uint32_t len)
{
	if (pfc_tx_fits(&port->pfc.tx, priority, len))
		return true;
	counter_add(&port->pfc.stats[priority].pfc_discards, 1);
	return false;
}

/*
 * Sends the PFC frame that is due, if any, ahead of all queued frames and also on a
 * blocked port. Returns 0, or an errno if the interface is gone or down.
 */
int port_pfc_tx_send(struct soft_port *port, struct dcb_time now);

/* Returns when to call port_pfc_tx_send() again if no frame is received or sent until then. */
struct dcb_time port_pfc_tx_deadline(const struct soft_port *port, struct dcb_time now);

/* Sends XON for all paused priorities. Called before the port is detached. */
void port_pfc_tx_leave(struct soft_port *port, struct dcb_time now);

#endif
