/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The PFC initiator of a bridge's port: sends PFC frames for the priorities whose
 * lossless accounts are congested (frame_memory.h).
 *
 * The software dataplane has no memory reserved for each link: it copies a received
 * frame into a frame buffer. The receive buffer of a link is an account of these frames
 * while they are queued anywhere in the bridge. A frame with several egress ports counts
 * once, until the last of them has sent it (frame_group.h).
 *
 * XOFF: an account reaches its threshold. XON: it is two of the longest frames below, and its
 * headroom is empty. It is reduced wherever a frame leaves a queue: sent, flushed, too old. Ports
 * with pending PFC frames are in a list, so that ports without PFC cost one test of a bit a frame.
 * At the end of each turn one PFC frame a link has all changes, before data frames, and once more
 * after them. The headroom of an account is a frame longer than 36.1.1 requires, because a frame
 * is counted when it is complete.
 *
 * An end station has no initiator: it passes received frames to its host at once,
 * and a tap accepts or drops a frame without reporting how full it is.
 *
 * All functions: dataplane thread.
 */
#ifndef DCB_DATAPLANE_PORT_PORT_PFC_TX_H
#define DCB_DATAPLANE_PORT_PORT_PFC_TX_H

#include "dataplane/core/pfc_pdu.h"
#include "dataplane/port/port.h"

/* Takes over the enabled priorities and the rate of a configured port. */
void port_pfc_tx_configure(struct soft_port *port);

/*
 * Returns the priorities with PFC that are congested, one bit each; paused ones until
 * they are below XON.
 */
uint8_t port_pfc_tx_congested(const struct soft_port *port);

/* Returns true if a priority is paused or is to be paused. If false, no PFC frame is due. */
static inline bool port_pfc_tx_is_busy(const struct soft_port *port)
{
	return port->pfc.tx.paused || port_pfc_tx_congested(port);
}

/*
 * Sends the PFC frame that is due, if any, ahead of all queued frames and also on a
 * blocked port. Returns 0, or an errno if the interface is gone or down.
 */
int port_pfc_tx_send(struct soft_port *port, struct dcb_time now);

/*
 * Delays the next data frame by a frame of len octets that was sent ahead of the queues, where
 * the port has a rate.
 */
void port_charge_control(struct soft_port *port, uint32_t len, struct dcb_time now);

/*
 * Sends a MAC control frame ahead of all queued frames, and counts it by its opcode
 * (802.3 30.3.3.3, 30.3.4.2). The next data frame is delayed by it where the port has a
 * rate. Returns whether the interface accepted it; *error: an errno if the interface is
 * gone or down, else 0.
 */
bool port_send_mac_control(struct soft_port *port, const uint8_t octets[PFC_FRAME_OCTETS],
			   struct dcb_time now, int *error);

/* Returns when to call port_pfc_tx_send() again if no frame is received or sent until then. */
struct dcb_time port_pfc_tx_deadline(const struct soft_port *port, struct dcb_time now);

/* Sends XON for all paused priorities. Called before the port is detached. */
void port_pfc_tx_leave(struct soft_port *port, struct dcb_time now);

#endif
