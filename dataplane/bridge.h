/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A VLAN-aware learning bridge (802.1Q clause 8) over soft_ports.
 *
 *   netio -> bridge_receive(): parse, filter, learn, look up
 *              -> copy into a frame buffer, in the form it leaves in
 *              -> port_enqueue() of every egress port
 *   bridge_transmit(): every port with frames sends what is due -> netio
 *
 * Every port is a member of every VLAN. A frame is copied once for each port it
 * leaves by, so each copy has one owner and its own tag or none.
 *
 * No thread and no clock; allocates only in bridge_init(). The host calls from
 * one thread.
 */
#ifndef DCB_DATAPLANE_BRIDGE_H
#define DCB_DATAPLANE_BRIDGE_H

#include "dataplane/fdb.h"
#include "dataplane/frame_pool.h"
#include "dataplane/port.h"

struct bridge_params {
	uint32_t frame_buffers;
	uint32_t frame_octets; /* longest frame, without FCS */
	uint32_t fdb_entries;
	uint32_t fdb_ageing_s; /* 0: never */
	uint64_t seed;
};

/* What the host does about a port. */
struct bridge_ops {
	void (*attached)(void *ctx, struct soft_port *port);          /* begin to receive */
	void (*detached)(void *ctx, struct soft_port *port);          /* stop */
	void (*blocked)(void *ctx, struct soft_port *port);           /* say when it is writable */
	void (*failed)(void *ctx, struct soft_port *port, int error); /* sending said errno */
};

struct bridge {
	const struct bridge_ops *ops;
	void *ctx;
	const struct dcb_config *config; /* in force; NULL before the first */
	uint64_t adoptions;
	uint32_t frame_octets;
	struct frame_pool pool;
	struct fdb fdb;
	struct dcb_rng rng;
	struct soft_port *backlog; /* ports with frames queued */
	struct soft_port *by_slot[DCB_SLOTS];
};

/* ops may be NULL. false: no memory. */
bool bridge_init(struct bridge *b, const struct bridge_params *params, const struct bridge_ops *ops,
		 void *ctx);
/* Detaches the ports, which are the caller's and still there. */
void bridge_destroy(struct bridge *b);

/* Puts a configuration in force; the former one is not looked at afterwards. */
void bridge_adopt(struct bridge *b, const struct dcb_config *config);

/* A frame arrived: EISS M_UNITDATA.indication. wire_octets > len: it was cut off. */
void bridge_receive(struct bridge *b, struct soft_port *in, const uint8_t *octets, uint32_t len,
		    uint32_t wire_octets, struct dcb_time now);

/* Sends what is due on all ports; when to call again if nothing else happens. */
struct dcb_time bridge_transmit(struct bridge *b, struct dcb_time now);

/* The port's link went down (queue and addresses are forgotten) or came up. */
void bridge_port_down(struct bridge *b, struct soft_port *port);
void bridge_port_up(struct bridge *b, struct soft_port *port);

/* Housekeeping: once a second, more or less. */
void bridge_tick(struct bridge *b, struct dcb_time now);

#endif
