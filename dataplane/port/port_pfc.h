/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The PFC receiver of a port: passes PFC and PAUSE frames to the engine of
 * core/pfc_rx.h, sets the paused priorities for transmission selection, and keeps
 * counters. Ports with a paused priority or a storm are in a list of their set;
 * other ports need no periodic work.
 *
 * The result is one mask, for transmission selection and for the reaction points, which freeze.
 * A port stays in the list as long as the watchdog's window has a pause.
 *
 * All functions: dataplane thread.
 */
#ifndef DCB_DATAPLANE_PORT_PORT_PFC_H
#define DCB_DATAPLANE_PORT_PORT_PFC_H

#include "dataplane/port/port.h"
#include "dataplane/port/port_watchdog.h"

/* PFC receivers of a set of ports. */
struct port_pfc_set {
	struct soft_port_list paused; /* ports with a pause, a storm, or storm detection running */
	struct port_watchdogs watchdogs;
};

/* Applies the configuration in force and the link speed to receiver and watchdog. */
void port_pfc_configure(struct port_pfc_set *s, struct soft_port *port, struct dcb_time now);

/* Ends all pauses and storms: the link went down, or the port is being detached. */
void port_pfc_reset(struct port_pfc_set *s, struct soft_port *port, struct dcb_time now);

/*
 * Processes a received MAC control frame (802.3 clause 31, 802.1Q 36.3.2): obeys or
 * discards it. Invalid frames are counted. Returns true for a PFC frame that pauses a priority
 * which was not paused.
 */
bool port_pfc_receive(struct port_pfc_set *s, struct soft_port *port, const uint8_t *octets,
		      uint32_t len, struct dcb_time now);

/* Ends the pauses that expired by now. Returns the next deadline of a pause or watchdog. */
struct dcb_time port_pfc_advance(struct port_pfc_set *s, struct dcb_time now);

/*
 * Count a discarded frame: one with EtherType 88-08 behind tags, which is no MAC control
 * frame; a MAC control frame with a group source address.
 */
void port_pfc_count_tagged(struct soft_port *port);
void port_pfc_count_group_source(struct soft_port *port, const uint8_t *octets, uint32_t len);

#endif
