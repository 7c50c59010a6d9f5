/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The PFC receiver of a port: the engine of core/pfc_rx.h, what transmission
 * selection is told of it, and its counters. Ports with something paused, or with a
 * storm not yet over, are in a list of their set, so that a port nobody pauses costs
 * nothing.
 */
#ifndef DCB_DATAPLANE_PORT_PORT_PFC_H
#define DCB_DATAPLANE_PORT_PORT_PFC_H

#include "dataplane/port/port.h"
#include "dataplane/port/port_watchdog.h"

/* Of a set of ports. */
struct port_pfc_set {
	struct soft_port_list paused; /* ports with something paused, or a storm in the making */
	struct port_watchdogs watchdogs;
};

/* Configuration or link say something else of priorities or rate. */
void port_pfc_configure(struct port_pfc_set *s, struct soft_port *port, struct dcb_time now);

/* The link went down, or the port is no longer ours. */
void port_pfc_reset(struct port_pfc_set *s, struct soft_port *port, struct dcb_time now);

/* A MAC control frame arrived, and this is the end of it: 802.3 clause 31, 802.1Q 36.3.2. */
void port_pfc_receive(struct port_pfc_set *s, struct soft_port *port, const uint8_t *octets,
		      uint32_t len, struct dcb_time now);

/* Pauses that are over by now end. When the next one does. */
struct dcb_time port_pfc_advance(struct port_pfc_set *s, struct dcb_time now);

/* A frame that is none, or one that it would be harmful to take for one, is counted. */
void port_pfc_count_tagged(struct soft_port *port);
void port_pfc_count_group_source(struct soft_port *port);

#endif
