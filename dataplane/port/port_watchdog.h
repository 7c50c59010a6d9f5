/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The PFC watchdog of a port: passes pauses and queue states to the engine of
 * core/pfc_watchdog.h, executes the configured action on a storm, and records
 * statistics of the storm.
 *
 * In a queue that several priorities share, the pause of one priority stops the
 * frames of all of them: they all count as waiting.
 *
 * All functions: dataplane thread.
 */
#ifndef DCB_DATAPLANE_PORT_PORT_WATCHDOG_H
#define DCB_DATAPLANE_PORT_PORT_WATCHDOG_H

#include "dataplane/port/port.h"

/* Members common to the watchdogs of a set of ports. */
struct port_watchdogs {
	struct frame_pool *pool; /* discarded frames return to it */
	/* Storms were detected, or ended: priorities, one bit each. May be NULL. */
	void (*storm)(void *ctx, struct soft_port *port, uint8_t stormed, uint8_t ended);
	void *ctx;
};

/*
 * Applies the port's configuration, of the priorities with PFC in force: the others are not
 * watched. Does nothing while port->config is NULL.
 */
void port_watchdog_configure(const struct port_watchdogs *ws, struct soft_port *port,
			     struct dcb_time now);

/* Updates the watchdog: after a pause began or ended, and at its deadline. */
void port_watchdog_look(const struct port_watchdogs *ws, struct soft_port *port,
			struct dcb_time now);

/* Ends all storms: the link went down. */
void port_watchdog_reset(const struct port_watchdogs *ws, struct soft_port *port,
			 struct dcb_time now);

/* Returns true if there is a storm, or storm detection is running. */
static inline bool port_watchdog_is_busy(const struct soft_port *port)
{
	const struct pfc_watchdog *w = &port->pfc.watchdog.engine;

	return w->storm | w->counting | w->measured;
}

#endif
