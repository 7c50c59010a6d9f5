/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The PFC watchdog of a port: shows the engine of core/pfc_watchdog.h what pauses
 * and queues do, does what is set about a storm, and keeps the evidence.
 *
 * Frames of others in a queue that several priorities share are held back by the
 * pause of one of them, and count as waiting for it.
 */
#ifndef DCB_DATAPLANE_PORT_PORT_WATCHDOG_H
#define DCB_DATAPLANE_PORT_PORT_WATCHDOG_H

#include "dataplane/port/port.h"

/* What the watchdogs of a set of ports share. */
struct port_watchdogs {
	struct frame_pool *pool; /* of the frames that they discard */
	/* Priorities, one bit each, in a storm, or not any more. NULL: nobody is told. */
	void (*storm)(void *ctx, struct soft_port *port, uint8_t stormed, uint8_t ended);
	void *ctx;
};

/* A new configuration, or none any more. */
void port_watchdog_configure(const struct port_watchdogs *ws, struct soft_port *port,
			     struct dcb_time now);

/* Pauses may have begun or ended, or the deadline is there. */
void port_watchdog_look(const struct port_watchdogs *ws, struct soft_port *port,
			struct dcb_time now);

/* The link went down. */
void port_watchdog_reset(const struct port_watchdogs *ws, struct soft_port *port,
			 struct dcb_time now);

/* Is a storm on, or could one be in the making? */
static inline bool port_watchdog_is_busy(const struct soft_port *port)
{
	return port->pfc.watchdog.engine.storm | port->pfc.watchdog.engine.counting;
}

#endif
