/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A VLAN-aware learning bridge (802.1Q clause 8) over soft_ports.
 *
 *   netio -> bridge_receive(): parse, filter, learn, look up
 *              -> for each egress port: copy to a frame buffer, add or remove tags,
 *                 port_enqueue()
 *   port_set_transmit(): sends the frames that are due, of all ports -> netio
 *
 * Ports with the same settings.aggregate are links of one bridge port: aggregate.h.
 *
 * A frame enters by the rules of its ingress port and leaves by the ports that are
 * members of its VLAN; every port is a member of every VLAN until it is configured. A
 * frame is copied once for each egress port, which counts it; of a lossless priority,
 * which its ingress port counts, egress ports with the same tag or none share the octets.
 *
 * Has no thread and no clock. Allocates memory only in bridge_init(). One thread,
 * the dataplane thread, makes all calls.
 */
#ifndef DCB_DATAPLANE_BRIDGE_BRIDGE_H
#define DCB_DATAPLANE_BRIDGE_BRIDGE_H

#include "dataplane/bridge/fdb.h"
#include "dataplane/core/app.h"
#include "dataplane/port/engine.h"

struct bridge_params {
	uint32_t frame_buffers;
	uint32_t frame_octets;      /* longest frame, without FCS; ETH_MIN_OCTETS or more */
	uint32_t header_octets;     /* added to a frame besides a tag */
	struct frame_extent extent; /* as in struct port_set_params */
	struct frame_store *store;  /* as there */
	uint32_t fdb_entries;
	uint32_t fdb_ageing_s; /* 0: entries never age */
	int64_t transit_ns;    /* maximum bridge transit delay, 6.5.6; 0: no limit */
	uint32_t slots;        /* as in struct port_set_params */
	uint64_t seed;
};

struct bridge {
	struct port_set ports; /* first member: struct engine_ops */
	struct fdb fdb;
	/* By slot and DSCP: of packets that a port which trusts DSCPs receives, or APP_NONE. */
	uint8_t (*dscp_priority)[APP_DSCPS];
	uint32_t flush_number;
	bool has_flush_number; /* of a configuration before */
	uint64_t flow_seed;    /* of the flow hash that chooses a link of an aggregation */
};

/* ops may be NULL. Returns false if there is no memory. */
bool bridge_init(struct bridge *b, const struct bridge_params *params,
		 const struct port_set_ops *ops, void *ctx);
/* Detaches the ports. The caller owns them and frees them afterwards. */
void bridge_destroy(struct bridge *b);

/*
 * Forwards or discards a frame received on port in (EISS M_UNITDATA.indication).
 * wire_octets: length of the frame on the link; > len if it was truncated.
 */
void bridge_receive(struct bridge *b, struct soft_port *in, const uint8_t *octets, uint32_t len,
		    uint32_t wire_octets, struct dcb_time now);

/*
 * Returns the learning limit of a port that has none configured: half of the filtering
 * database's entries, so that the addresses of one port cannot fill it.
 */
uint32_t bridge_learn_limit(uint32_t fdb_entries);

/* Returns the maximum number of static entries: the other half. */
uint32_t bridge_static_max(uint32_t fdb_entries);

/* Removes aged entries of the filtering database. Called about once a second. */
void bridge_tick(struct bridge *b, struct dcb_time now);

/* The functions above for a bridge. */
extern const struct engine_ops bridge_engine;

#endif
