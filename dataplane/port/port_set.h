/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The ports of a bridge or an end station: the configuration in force, the frame
 * buffers, which ports have frames queued, and their transmission.
 *
 *   port_set_adopt()     a new configuration: ports come, change and go
 *   port_set_enqueue()   a frame goes into a port's queue ...
 *   port_set_transmit()  ... and every port with frames sends what is due
 *
 * What moves frames between the ports is the owner's: struct port_set_hooks.
 * What receives and watches them is the host's: struct port_set_ops.
 *
 * No thread and no clock; allocates only in port_set_init(). All calls come from
 * one thread.
 */
#ifndef DCB_DATAPLANE_PORT_PORT_SET_H
#define DCB_DATAPLANE_PORT_PORT_SET_H

#include <sys/queue.h>

#include "dataplane/port/frame_pool.h"
#include "dataplane/port/port.h"
#include "dataplane/port/port_pfc.h"

/* What the host does about a port. */
struct port_set_ops {
	void (*attached)(void *ctx, struct soft_port *port);          /* begin to receive */
	void (*detached)(void *ctx, struct soft_port *port);          /* stop */
	void (*blocked)(void *ctx, struct soft_port *port);           /* say when it is writable */
	void (*failed)(void *ctx, struct soft_port *port, int error); /* sending said errno */
	/* Priorities, one bit each, in a storm by the watchdog's judgement, or not any more. */
	void (*storm)(void *ctx, struct soft_port *port, uint8_t stormed, uint8_t ended);
};

/* What bridge or station does besides; each may be NULL. */
struct port_set_hooks {
	/* In force: a configuration that is new to the port, or its link's speed or address. */
	void (*configured)(void *owner, struct soft_port *port);
	/* The port's link went down; its queues are empty. */
	void (*down)(void *owner, struct soft_port *port);
	/* No configuration names the port any more; its queues are empty. */
	void (*detached)(void *owner, struct soft_port *port);
	/* ... once for all such ports, before others get their slots: bit slot % 64 of
	 * word slot / 64. */
	void (*gone)(void *owner, const uint64_t *slots);
};

struct port_set_params {
	uint32_t frame_buffers;
	uint32_t frame_octets;  /* longest frame to be queued, without FCS ... */
	uint32_t header_octets; /* ... and what may be put before it on the way */
	int64_t transit_ns;     /* longest time a frame may be queued; 0: no limit */
	uint64_t seed;
	const struct port_set_ops *ops; /* NULL: none */
	void *ctx;
	const struct port_set_hooks *hooks; /* NULL: none */
	void *owner;
};

struct port_set {
	const struct port_set_ops *ops;
	void *ctx;
	const struct port_set_hooks *hooks;
	void *owner;
	const struct dcb_config *config; /* in force; NULL before the first */
	uint64_t adoptions;
	uint32_t frame_octets;
	int64_t transit_ns;
	struct frame_pool pool;
	struct dcb_rng rng;
	struct dcb_time now;       /* of the last port_set_transmit() */
	struct soft_port *backlog; /* ports with frames queued */
	struct port_pfc_set pfc;
	struct soft_port *pfc_tx_pending; /* ports whose initiator has something to do */
	bool pfc_is_due; /* ... and one of them has something to send that is new */
	struct soft_port *by_slot[DCB_SLOTS];
};

/* false: no memory. */
bool port_set_init(struct port_set *s, const struct port_set_params *params);
/* Detaches the ports, which are the caller's and still there. */
void port_set_destroy(struct port_set *s);

/* Puts a configuration in force; the former one is not looked at afterwards. */
void port_set_adopt(struct port_set *s, const struct dcb_config *config, struct dcb_time now);

/* Sends what is due on all ports; when to call again if nothing else happens. */
struct dcb_time port_set_transmit(struct port_set *s, struct dcb_time now);

/* The port's link went down (its queues are emptied), came up, or has another speed or address. */
void port_set_port_down(struct port_set *s, struct soft_port *port, struct dcb_time now);
void port_set_port_up(struct port_set *s, struct soft_port *port, struct dcb_time now);
void port_set_port_changed(struct port_set *s, struct soft_port *port, struct dcb_time now);

/* The port has frames queued: port_set_transmit() sends from it until it has none. */
void port_set_link_backlog(struct port_set *s, struct soft_port *port);
static inline void port_set_backlog_add(struct port_set *s, struct soft_port *port)
{
	if (!port->set.backlog_link)
		port_set_link_backlog(s, port);
}

/*
 * The port's initiator may have something to send: port_set_transmit() asks it
 * until it has not. After its configuration or link changed, and by
 * port_set_charge().
 */
void port_set_schedule_pfc(struct port_set *s, struct soft_port *in);

/* The frame, which arrived there with this priority and was admitted, is about to be queued. */
static inline void port_set_charge(struct port_set *s, struct soft_port *in, uint8_t priority,
				   struct dcb_frame *frame)
{
	if (pfc_tx_charge(&in->pfc.tx, priority, frame->len, &frame->charge))
		port_set_schedule_pfc(s, in);
}

/* port_enqueue() of a frame that port_admit() let pass, to be sent by port_set_transmit(). */
static inline struct cp_verdict port_set_enqueue(struct port_set *s, struct soft_port *port,
						 struct dcb_frame *frame, struct dcb_time now)
{
	port_set_backlog_add(s, port);
	return port_enqueue(port, frame, now, &s->rng);
}

#endif
