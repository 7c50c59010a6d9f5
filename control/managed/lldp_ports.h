/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ports and their LLDP neighbors. Computes a port's values in force (struct port_oper, the
 * neighbor's application priorities) from its settings and its neighbor's TLVs, and the TLVs
 * that the port advertises. lldp/ has the rules (CN domain defense, DCBX), an lldp_client
 * sends TLVs and reports neighbors.
 *
 * lldp_ports_compute_oper() computes these values for a configuration that is about to be
 * published. When a neighbor or a link changes, lldp_ports_evaluate() asks the owner to
 * publish again. Control thread only; the caller passes the time. Functions about a
 * configuration, a link or a port are part of a change (state_lock.h) that the caller has
 * begun; the others, and the client's events, make one.
 *
 * A refused evaluation is reversed: the old settings stay in force on that port and in its
 * objects, and it is tried again when the neighbor sends other TLVs or another configuration
 * comes into force (lldp_rejected.c). The neighbor's application priorities are in memory of
 * their own, because they are long and rarely taken. The port's TLVs are compared with those
 * sent last, and handed to the client, which keeps them over restarts, renamed interfaces and
 * changes by other programs, limits the rate, and sends one LLDPDU for a change.
 *
 * A neighbor counts while its link is up and it is the only one; for DCBX, if it is the only one
 * that sends DCBX TLVs. One that is stale counts until its time to live ends (lldp_neighbors.c):
 * a restart of lldpd or dcb-lldp makes no port an edge, and no port of several neighbors a port
 * of one.
 */
#ifndef DCB_CONTROL_MANAGED_LLDP_PORTS_H
#define DCB_CONTROL_MANAGED_LLDP_PORTS_H

#include "control/managed/state_lock.h"
#include "dataplane/config/provider.h"
#include "lldp/cn_defense.h"
#include "lldp/dcbx.h"
#include "lldp/client/lldp_client.h"

/* Origin of a neighbor's address: dcbNeighborAddressOrigin. */
enum lldp_address {
	LLDP_ADDRESS_NONE = 1,  /* no address: the port ID is no MAC address */
	LLDP_ADDRESS_PORT_ID,   /* the port ID; no frame of the neighbor has been seen */
	LLDP_ADDRESS_SOURCE,    /* the source of its frames to the nearest bridge */
	LLDP_ADDRESS_ELSEWHERE, /* no address: it sends to other group addresses only */
};

/* A neighbor of a port. */
struct lldp_neighbor {
	uint32_t ifindex;   /* of the port */
	uint32_t index;     /* lldpV2RemIndex: 1.., not reused while dcbd runs */
	uint32_t time_mark; /* lldpV2RemTimeMark: uptime in centiseconds of its last change */
	struct lldp_id chassis, port;
	char sysname[256];
	char management[LLDP_ADDRESS_OCTETS]; /* empty: none */
	uint32_t ttl;                         /* seconds */
	uint64_t msap;                        /* hash of chassis and port, as in struct lldpdu */
	/* Breaks the tie between two willing ports (clause 38). */
	uint8_t address_origin; /* enum lldp_address */
	bool has_address;
	uint8_t address[ETH_ADDR_OCTETS];
	bool stale;            /* not reported since the connection was lost */
	struct dcb_time until; /* stale: when its time to live ends */
	uint8_t dialects;      /* of DCBX, one bit each: enum dcbx_dialect */
	struct dcb_tlvs tlvs;
};

/* Index of the LLDP destination address that lldpd uses: it has one agent for each port. */
#define LLDP_DESTINATION_NEAREST_BRIDGE 1 /* 01-80-C2-00-00-0E */

#define LLDP_NEIGHBORS_MAX 32 /* of a port; lldpd's default limit */

/* The LLDP state of a port. */
struct lldp_port {
	struct cndd cnd[DCB_PRIORITIES];
	struct cn_tlv rcvd; /* the neighbor's CN TLV: bits of priorities that are CNPVs here */
	const struct dcb_tlvs *sent; /* TLVs that the port advertises; other ports may have them */
	struct dcbx_outcome dcbx;
	unsigned n_neighbors;
	const struct lldp_neighbor *peer; /* the neighbor; NULL: none or several, or no link */
	unsigned n_dcbx;                  /* neighbors that send DCBX TLVs */
	/* The only one of these, or peer if there is none. */
	const struct lldp_neighbor *dcbx_peer;
	uint32_t mode_changes[DCB_PRIORITIES]; /* times the automatic defense mode changed */
	uint32_t dcbx_changes;                 /* times PFC or ETS in force changed */
	uint64_t malformed[DCB_TLVS];          /* received TLVs that were malformed: ignored */
	uint64_t refused_delays;  /* received PFC delay TLVs: see pfc_peer_delay_ns() */
	uint64_t updates;         /* times a neighbor was new or changed */
	struct pfc_way_state way; /* how the headroom is found */
};

struct lldp_ports_stats {
	uint8_t state; /* enum lldp_state */
	struct lldp_stats client;
	uint32_t neighbors;
	uint64_t neighbors_refused; /* reports of more than LLDP_NEIGHBORS_MAX on a port */
	uint64_t aged;              /* stale neighbors whose time to live ended */
};

/* Callbacks of the owner: struct managed. */
struct lldp_owner_ops {
	struct dcb_time (*now)(void *owner);
	/* The port has had a DCBX mismatch for the hold-off time, or has it no more. */
	void (*mismatch)(void *owner, const struct port *port, bool mismatch, struct dcb_time now);
};

/*
 * Creates the LLDP state of all ports. ops and owner: callbacks and their first argument.
 * destination: index of the LLDP destination address in use; 0: nearest bridge. lock: that of
 * the owner's state, or NULL. Without lldp_ports_use() no port has neighbors. NULL: out of
 * memory.
 */
struct lldp_ports *lldp_ports_new(const struct lldp_owner_ops *ops, void *owner,
				  uint16_t destination, struct state_lock *lock);
/* Destroys the client, which removes all TLVs and may block, and frees lp. NULL: does nothing. */
void lldp_ports_free(struct lldp_ports *lp);

/*
 * Sets the LLDP client. Its events are lldp_ports_events with ctx lp; lldp_ports_free()
 * destroys it. wake is called when lldp_ports_evaluate() or lldp_ports_run() has something
 * to do, from within any function here; it must not call these functions.
 */
void lldp_ports_use(struct lldp_ports *lp, struct lldp_client *client, void (*wake)(void *ctx),
		    void *ctx);
extern const struct lldp_events lldp_ports_events;
/* Describes the system to the LLDP agent, if there is one. */
void lldp_ports_describe(struct lldp_ports *lp, const struct lldp_system *system);

/*
 * Evaluates the ports whose neighbors or links have changed; config is in force. true: the
 * values in force of a port change, and the owner publishes a copy of config; if that
 * fails, it calls this function again later.
 */
bool lldp_ports_evaluate(struct lldp_ports *lp, const struct dcb_config *config,
			 struct dcb_time now);
/*
 * Called after lldp_ports_evaluate(): sets changed TLVs and reports mismatches. Returns when
 * to call both again, unless wake() is called before.
 */
struct dcb_time lldp_ports_run(struct lldp_ports *lp, struct dcb_time now);

/*
 * Sets oper and peer_apps of every port in config, which is to replace before;
 * dcb_config_compute_oper() has been called for it. In a successor of before, those of the changed
 * ports, of which it records more: those whose neighbor or link has changed. The caller then calls
 * lldp_ports_published() if config comes into force, else lldp_ports_aborted(). false: out of
 * memory, call lldp_ports_aborted().
 */
bool lldp_ports_compute_oper(struct lldp_ports *lp, const struct dcb_config *before,
			     struct dcb_config *config);
/* The configuration computed is in force: sets the ports' TLVs. */
void lldp_ports_published(struct lldp_ports *lp);
/* The configuration computed is not in force: restores the ports as before
 * lldp_ports_compute_oper(). */
void lldp_ports_aborted(struct lldp_ports *lp);
/*
 * The port's provider refuses the configuration computed. true: the neighbor is the cause,
 * as neither the port's settings nor the rules common to ports differ from those in force.
 * The neighbor is then rejected: after lldp_ports_aborted() the port keeps its former
 * struct port_oper until the neighbor or the link changes, or a later configuration comes
 * into force. *first: the refusal is to be logged.
 */
bool lldp_ports_reject(struct lldp_ports *lp, const struct port *port, bool *first);
/* The device of a port has other values, or others differ: the TLVs of the port follow. */
void lldp_ports_device(struct lldp_ports *lp, const struct dcb_config_port *at);
/*
 * Sets in *tlvs how many priorities can have PFC on a device, and those of these parts that it
 * has: enum provider_part, a bit each.
 */
void lldp_ports_take_device(const struct provider_oper *oper, uint8_t parts, struct dcb_tlvs *tlvs);
/* The name, MTU, address or state of a port's interface has changed. */
void lldp_ports_link(struct lldp_ports *lp, const struct port *port);
/* The interface is new or has changed, and is no port: the agent may send on it. */
void lldp_ports_no_port(struct lldp_ports *lp, const char *ifname);
/*
 * The interface of a new port was there before: the agent reports all neighbors that it has on
 * it. For other new ports it reports only recent ones, as older ones can be of a deleted
 * interface of that name.
 */
void lldp_ports_replay(struct lldp_ports *lp, const struct port *port);
/*
 * The port in this slot received an LLDPDU at a time. Source address and time count for the
 * neighbor with its chassis ID and port ID, which the agent reports before or later.
 */
void lldp_ports_heard(struct lldp_ports *lp, uint16_t slot, const struct lldpdu *pdu,
		      struct dcb_time at);
/*
 * The provider has measured the response time of the port's PFC receiver: bound_ns, a bound of item
 * h of 36.1.1; 0: not known. It is part of the local delay that the port advertises.
 */
void lldp_ports_response(struct lldp_ports *lp, const struct port *port, uint32_t bound_ns);
/*
 * Copies the client's statistics for lldp_ports_read(), because a client is used by one thread.
 * lldp_ports_run() does it too; to be called once a second.
 */
void lldp_ports_take_stats(struct lldp_ports *lp);
/* The port is being closed. */
void lldp_ports_gone(struct lldp_ports *lp, const struct port *port);

/* --- reading, for the managed objects: any thread that has the lock --------------------------- */

/* Never NULL: a port that is not yet configured has no neighbors. */
const struct lldp_port *lldp_ports_at(const struct lldp_ports *lp, const struct port *port);
/* Returns the neighbors of a port that count for DCBX; valid until a neighbor changes. */
static inline struct dcbx_peers lldp_port_peers(const struct lldp_port *port)
{
	static const struct dcb_tlvs none;
	const struct lldp_neighbor *peer = port->dcbx_peer;
	struct dcbx_peers peers = {.n = port->n_dcbx};

	if (port->n_dcbx > 1 || port->n_neighbors == 0)
		return peers;
	peers.n = 1;
	peers.tlvs = peer ? &peer->tlvs : &none;
	if (peer) {
		peers.has_address = peer->has_address;
		memcpy(peers.address, peer->address, sizeof(peers.address));
	}
	return peers;
}
/* Returns the TLVs that a port may send, one bit each: none about a function that it lacks. */
uint8_t lldp_port_tlvs(const struct port *port);
/* All neighbors, in ascending order of time_mark, ifindex, index. */
const struct lldp_neighbor *const *lldp_ports_neighbors(const struct lldp_ports *lp, size_t *n);
/* The neighbors of one port, in any order. */
const struct lldp_neighbor *const *lldp_ports_neighbors_of(const struct lldp_ports *lp,
							   const struct port *port, size_t *n);
/* Reads the statistics, those of the client as they were at lldp_ports_take_stats(). */
void lldp_ports_read(const struct lldp_ports *lp, struct lldp_ports_stats *out);
/* The index of the LLDP destination address in use. */
uint16_t lldp_ports_destination(const struct lldp_ports *lp);

#endif
