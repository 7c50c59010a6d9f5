/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A VLAN-aware learning bridge (802.1Q clause 8) over soft_ports.
 *
 *   netio -> bridge_receive(): parse, filter, learn, look up
 *              -> copy into a frame buffer, in the form it leaves in
 *              -> port_enqueue() of every egress port
 *   port_set_transmit(): every port with frames sends what is due -> netio
 *
 * Ports with the same settings.aggregate are links of one bridge port: aggregate.h.
 *
 * Every port is a member of every VLAN. A frame is copied once for each port it
 * leaves by, so each copy has one owner and its own tag or none.
 *
 * No thread and no clock; allocates only in bridge_init(). The host calls from
 * one thread.
 */
#ifndef DCB_DATAPLANE_BRIDGE_BRIDGE_H
#define DCB_DATAPLANE_BRIDGE_BRIDGE_H

#include "dataplane/bridge/fdb.h"
#include "dataplane/port/port_set.h"

struct bridge_params {
	uint32_t frame_buffers;
	uint32_t frame_octets; /* longest frame, without FCS */
	uint32_t fdb_entries;
	uint32_t fdb_ageing_s; /* 0: never */
	int64_t transit_ns;    /* maximum bridge transit delay, 6.5.6; 0: no limit */
	uint64_t seed;
};

struct bridge {
	struct port_set ports;
	struct fdb fdb;
	uint64_t flow_seed; /* which link of several a flow takes */
};

/* ops may be NULL. false: no memory. */
bool bridge_init(struct bridge *b, const struct bridge_params *params,
		 const struct port_set_ops *ops, void *ctx);
/* Detaches the ports, which are the caller's and still there. */
void bridge_destroy(struct bridge *b);

/* A frame arrived: EISS M_UNITDATA.indication. wire_octets > len: it was cut off. */
void bridge_receive(struct bridge *b, struct soft_port *in, const uint8_t *octets, uint32_t len,
		    uint32_t wire_octets, struct dcb_time now);

/* Housekeeping: once a second, more or less. */
void bridge_tick(struct bridge *b, struct dcb_time now);

#endif
