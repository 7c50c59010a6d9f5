/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Port provider "soft": bridge or station on raw sockets, in a thread of its own; or on
 * memory and capture files, in whatever thread turns it.
 *
 *   control thread                         dataplane thread
 *   commit()   --- one atomic pointer --->  port_set_adopt()
 *   port_update() --- link words --------->  port_set_port_up/down()
 *              --- eventfd (wake up) ----->  event loop: netio, timer
 *   next_event() <--- ring, eventfd -------  port errors
 *                <--- generation ----------  adopted
 *   read_...() <--- counters --------------
 */
#ifndef DCB_DATAPLANE_SOFT_PROVIDER_SOFT_H
#define DCB_DATAPLANE_SOFT_PROVIDER_SOFT_H

#include "lib/dcbtime.h"
#include "dataplane/config/provider.h"

struct netio;

struct flow_rules;

struct provider_soft_params {
	bool station;                   /* an end station, not a bridge */
	const struct flow_rules *flows; /* a station's; copied; NULL: none */
	uint32_t frame_buffers;
	uint32_t frame_octets; /* longest frame, without FCS */
	uint32_t fdb_entries;
	uint32_t fdb_ageing_s; /* 0: never */
	int64_t transit_ns;    /* a bridge's maximum transit delay; 0: no limit */
	bool qdisc_bypass;     /* send past the kernel's queueing disciplines */
	bool no_thread;        /* the caller turns it: provider_soft_advance() */
	int cpu;               /* the thread runs on this one only; -1: any */
	uint64_t seed;
};

/* NULL: err says why. */
struct provider *provider_soft_new(const struct provider_soft_params *params, char *err,
				   size_t errlen);

/*
 * Frames of the port come from and go to io, which the port owns from now on;
 * for ports of settings.memory, which otherwise have nothing behind them. With a
 * thread: before a configuration names the port.
 */
void provider_soft_set_netio(struct port *port, struct netio *io);

/*
 * The same for the host side of a station's port; of ports that are not
 * settings.memory it is a tap.
 */
void provider_soft_set_host(struct port *port, struct netio *io);

/* Is this interface a tap of ours? */
bool provider_soft_is_tap(struct provider *p, uint32_t ifindex);
/* The tap's name; NULL: the port has none. */
const char *provider_soft_tap(const struct port *port);

/* The open port of that name, NULL when there is none. Control thread only. */
struct port *provider_soft_port(struct provider *p, const char *name);

uint32_t provider_soft_frame_octets(const struct provider *p);

/* Without a thread: up to max frames of a port arrive. How many, or -errno. */
int provider_soft_receive(struct port *port, unsigned max, struct dcb_time now);

/* Without a thread: up to max frames of a station's host. How many, or -errno. */
int provider_soft_from_host(struct port *port, unsigned max, struct dcb_time now);

/* Without a thread: sends what is due by now. When to call again. */
struct dcb_time provider_soft_advance(struct provider *p, struct dcb_time now);

#endif
