/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Port provider "soft": bridge, RBridge or station on raw sockets, in a thread of its own; or on
 * memory ports and capture files, in the thread that calls provider_soft_advance().
 *
 *   control thread                         dataplane thread
 *   commit()   --- one atomic pointer --->  port_set_adopt()
 *   port_update() --- link words --------->  port_set_port_up/down()
 *              --- eventfd (wake up) ----->  event loop: netio, timer
 *   next_event() <--- ring, eventfd -------  port errors, PFC storms, LLDPDUs
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
	const char *name;               /* a string literal; NULL: "soft" */
	bool station;                   /* an end station, not a bridge */
	bool rbridge;                   /* an RBridge, not a bridge */
	const struct flow_rules *flows; /* of a station; copied; NULL: none */
	uint32_t frame_buffers;
	uint32_t frame_octets; /* longest frame, without FCS */
	/* > frame_octets: its limit when the MTU of a port permits longer frames. */
	uint32_t frame_octets_most;
	uint32_t fdb_entries;
	uint32_t fdb_ageing_s; /* 0: entries never age */
	int64_t transit_ns;    /* maximum transit delay of a bridge; 0: no limit */
	/* Octets of all receive rings, shared by the ports; 0: NETIO_RING_MOST for each. */
	uint64_t receive_memory;
	bool qdisc_bypass;        /* PACKET_QDISC_BYPASS: skip the queueing disciplines */
	bool no_thread;           /* the caller calls provider_soft_advance() */
	int cpu;                  /* CPU that the thread is bound to; -1: any */
	int priority;             /* real-time priority of the thread, 1..99; 0: none */
	bool priority_is_default; /* where it is not permitted, that is no fault */
	uint64_t seed;
	/*
	 * MACsec of ports, by the names of their interfaces: the caller's, and valid as long as the
	 * provider. A port with such a name moves no frames without it.
	 */
	struct port_macsec *macsec;
	size_t n_macsec;
};

/* Returns NULL on failure; err: the reason. Control thread. */
struct provider *provider_soft_new(const struct provider_soft_params *params, char *err,
				   size_t errlen);

/*
 * Sets the back end of a port with settings.memory; the default is netio_nothing().
 * The port owns io from now on. With a thread: only before a configuration names the
 * port.
 */
void provider_soft_set_netio(struct port *port, struct netio *io);

/*
 * Sets the back end of the host side of a station's port with settings.memory; other
 * ports of a station have a tap. Ownership and time as for provider_soft_set_netio().
 */
void provider_soft_set_host(struct port *port, struct netio *io);

/*
 * Tells the dataplane thread that packet numbers were reserved: port_macsec_reserve(). Control
 * thread.
 */
void provider_soft_numbers_reserved(struct provider *p);

/* Returns true if the interface is the tap of a port of p. Control thread. */
bool provider_soft_is_tap(struct provider *p, uint32_t ifindex);
/* Returns the name of the port's tap; NULL: it has none. Control thread. */
const char *provider_soft_tap(const struct port *port);

/* Returns the open port with this name, or NULL. Control thread. */
struct port *provider_soft_port(struct provider *p, const char *name);

/* Without a thread: receives up to max frames of a port. Returns their number, or -errno. */
int provider_soft_receive(struct port *port, unsigned max, struct dcb_time now);

/* Without a thread: receives up to max frames of a station's host. Returns as above. */
int provider_soft_from_host(struct port *port, unsigned max, struct dcb_time now);

/* Without a thread: sends the frames that are due. Returns when to call again. */
struct dcb_time provider_soft_advance(struct provider *p, struct dcb_time now);

#endif
