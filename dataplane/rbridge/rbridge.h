/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An RBridge (RFC 6325) over soft_ports: the third owner of a port set beside bridge and
 * station. It is a bridge for native frames between its own ports, and sends those for
 * addresses behind other RBridges encapsulated. There is no IS-IS: nicknames.h has the
 * forwarding knowledge, made of the configuration.
 *
 *   native frame -> rbridge_receive(): classify, learn the source at the port, look up
 *                     local address   -> native, by its port
 *                     remote address  -> encapsulated, by a next hop of its RBridge
 *                     unknown, group  -> native by the other ports of the VLAN, and
 *                                        encapsulated along the tree
 *   TRILL frame  -> check header, reverse path of a multi-destination frame
 *                     egress is another -> transit: hop count, next hop
 *                     egress is this    -> learn the source behind the ingress nickname,
 *                                          native by the local port, or those of the VLAN
 *                     multi-destination -> both, along the other links of the tree
 *
 * The outer priority decides queue, congestion point and PFC of a TRILL frame; the Inner.VLAN
 * has the priority of the native frame. A next hop's port may be a link of an aggregation: its
 * rows then stand for that link only.
 *
 * A TRILL frame is parsed once. Its inner frame has the struct that a native frame has, so that
 * decapsulation, learning, CNMs and flow hash are those of the bridge (relay.h). Each copy has its
 * own tags. The CNM for an encapsulated frame is that for its inner frame, sent to its ingress
 * RBridge; a native CNM that a bridge between two RBridges made is transformed to the same
 * (trill_cnm.h).
 *
 * Has no thread and no clock. Allocates memory only in rbridge_init(). One thread, the
 * dataplane thread, makes all calls, except rbridge_fits(), rbridge_address_buckets() and
 * rbridge_read_*().
 */
#ifndef DCB_DATAPLANE_RBRIDGE_RBRIDGE_H
#define DCB_DATAPLANE_RBRIDGE_RBRIDGE_H

#include "dataplane/bridge/bridge.h"
#include "dataplane/rbridge/nicknames.h"

struct rbridge {
	struct bridge native; /* ports, local and remote addresses; owner of the port set */
	struct nicknames nicknames;
	struct trill_port_stats *stats; /* by slot */
};

/* As bridge_init(). Returns false if there is no memory. */
bool rbridge_init(struct rbridge *rb, const struct bridge_params *params,
		  const struct port_set_ops *ops, void *ctx);
/* Detaches the ports. The caller owns them and frees them afterwards. */
void rbridge_destroy(struct rbridge *rb);

/*
 * Returns whether an RBridge has room for the nicknames, next hops and static addresses of a
 * configuration: what the provider checks when it prepares one. Any thread.
 */
bool rbridge_fits(const struct dcb_config *config, uint32_t fdb_entries);

/*
 * Puts a configuration in force that fits, in place of port_set_adopt(). The previous one is not
 * read after the call.
 */
void rbridge_adopt(struct rbridge *rb, const struct dcb_config *config, struct dcb_time now);

/* Forwards or discards a frame received on port in. As bridge_receive(). */
void rbridge_receive(struct rbridge *rb, struct soft_port *in, const uint8_t *octets, uint32_t len,
		     uint32_t wire_octets, struct dcb_time now);

/* Removes aged addresses. Called about once a second. */
void rbridge_tick(struct rbridge *rb, struct dcb_time now);

/* The functions above for an RBridge. */
extern const struct engine_ops rbridge_engine;

/* Copies the counters of a port. Any thread. */
void rbridge_read_port(const struct rbridge *rb, uint16_t slot, struct trill_port_stats *out);

/* Copies the counters of a nickname. Returns false if no row names it. Any thread. */
bool rbridge_read_nickname(const struct rbridge *rb, uint16_t nickname,
			   struct trill_nickname_stats *out);

/*
 * Returns the nickname of the RBridge that an entry of the filtering database is behind;
 * TRILL_NICKNAME_NONE: of none, or of one whose addresses are being removed. slot: FDB_SLOTS or
 * more. Any thread.
 */
uint16_t rbridge_nickname_of(const struct rbridge *rb, uint16_t slot);

#endif
