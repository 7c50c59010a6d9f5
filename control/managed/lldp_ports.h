/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ports and their LLDP neighbors: what a neighbor's TLVs make of a port
 * (struct port_oper), and what TLVs the port sends. The engines of lldp/ decide,
 * an lldp_client carries.
 *
 * Whenever a configuration is about to be published, what is in force is worked
 * out for the ports it is new to; whenever a neighbor says something else, the
 * configuration is published again with what follows. Control thread only; the
 * clock is the caller's.
 */
#ifndef DCB_CONTROL_MANAGED_LLDP_PORTS_H
#define DCB_CONTROL_MANAGED_LLDP_PORTS_H

#include "dataplane/config/provider.h"
#include "lldp/cn_defense.h"
#include "lldp/dcbx.h"
#include "lldp/client/lldp_client.h"

/* A neighbor, of any port. */
struct lldp_neighbor {
	uint32_t ifindex;   /* of our port */
	uint32_t index;     /* lldpV2RemIndex: 1.., never used twice while dcbd runs */
	uint32_t time_mark; /* lldpV2RemTimeMark: uptime (centiseconds) when it last changed */
	struct lldp_id chassis, port;
	char sysname[256];
	uint32_t ttl; /* seconds */
	bool has_address;
	uint8_t address[ETH_ADDR_OCTETS]; /* of its port, where the port ID is that */
	bool stale;                       /* from before the connection to the agent was lost */
	struct dcb_time until;            /* ... and till when it is believed */
	struct dcb_tlvs tlvs;
};

/* The index of the only LLDP destination address there is: lldpd has one agent. */
#define LLDP_DESTINATION_NEAREST_BRIDGE 1 /* 01-80-C2-00-00-0E */

#define LLDP_NEIGHBORS_MAX 32 /* of a port, as lldpd has it */

/* A port and what LLDP makes of it. */
struct lldp_port {
	struct cndd cnd[DCB_PRIORITIES];
	struct cn_tlv rcvd;   /* bits of the only neighbor's CN TLV that count here */
	struct dcb_tlvs sent; /* what is handed to the agent; present: which TLVs */
	struct dcbx_outcome dcbx;
	unsigned n_neighbors;
	const struct lldp_neighbor *peer;      /* the only one; NULL: none or several, or no link */
	uint32_t mode_changes[DCB_PRIORITIES]; /* times the automatic defense mode changed */
	uint32_t dcbx_changes;                 /* times what is in force of PFC or ETS changed */
	uint64_t malformed[DCB_TLVS];          /* received TLVs that count as absent */
	uint64_t updates;                      /* times a neighbor was new or said something else */
};

struct lldp_ports_stats {
	uint8_t state; /* enum lldp_state */
	struct lldp_stats client;
	uint32_t neighbors;
	uint64_t neighbors_refused; /* more than LLDP_NEIGHBORS_MAX on a port */
	uint64_t aged;              /* gone by our own clock, while the agent was away */
};

/* Whose ports they are. */
struct lldp_owner_ops {
	struct dcb_time (*now)(void *owner);
	/* The port has not agreed with its neighbor for some time, or does again. */
	void (*mismatch)(void *owner, const struct port *port, bool mismatch, struct dcb_time now);
};

/*
 * destination: LLDP destination address index that is served; 0: nearest bridge.
 * Without a client no port has neighbors. NULL: out of memory.
 */
struct lldp_ports *lldp_ports_new(const struct lldp_owner_ops *ops, void *owner,
				  uint16_t destination);
void lldp_ports_free(struct lldp_ports *lp);

/*
 * The client, which calls back with lldp_ports_events and lp, and is destroyed
 * with it. wake is called whenever lldp_ports_evaluate() or lldp_ports_run()
 * has something to do, from within any call; it must not call back.
 */
void lldp_ports_use(struct lldp_ports *lp, struct lldp_client *client, void (*wake)(void *ctx),
		    void *ctx);
extern const struct lldp_events lldp_ports_events;

/*
 * Looks at the ports whose neighbors or links have changed; config is in force. true:
 * something else than that follows from them, and the owner publishes a copy of config,
 * which settles it; if that fails, the owner calls again some time later.
 */
bool lldp_ports_evaluate(struct lldp_ports *lp, const struct dcb_config *config,
			 struct dcb_time now);
/*
 * After that: hands over what ports are to send and reports mismatches. When to call both
 * again if wake() does not say so before.
 */
struct dcb_time lldp_ports_run(struct lldp_ports *lp, struct dcb_time now);

/*
 * Sets oper of every port in config, which dcb_config_settle() has been called for and
 * which is to replace before. The caller then calls lldp_ports_published() if config came
 * into force, else lldp_ports_aborted(). false: out of memory, call lldp_ports_aborted().
 */
bool lldp_ports_settle(struct lldp_ports *lp, const struct dcb_config *before,
		       struct dcb_config *config);
/* The settled configuration is in force: hands the ports' TLVs over to the client. */
void lldp_ports_published(struct lldp_ports *lp);
/* The settled configuration is not in force: restores the ports as before lldp_ports_settle(). */
void lldp_ports_aborted(struct lldp_ports *lp);
/*
 * The port's provider refuses what has been settled. true: that is its neighbor's doing,
 * for its settings and the rules are those in force; after lldp_ports_aborted() the
 * neighbor has no effect there until it says something else, the link changes, or a
 * configuration has come into force that was not refused. *first: this is news.
 */
bool lldp_ports_keep_back(struct lldp_ports *lp, const struct port *port, bool *first);
/* A port's interface has another name, MTU, address or state; or the port goes. */
void lldp_ports_link(struct lldp_ports *lp, const struct port *port);
void lldp_ports_gone(struct lldp_ports *lp, const struct port *port);

/* --- for the managed objects ------------------------------------------------------------------ */

/* Never NULL: before its first configuration a port without neighbors. */
const struct lldp_port *lldp_ports_at(const struct lldp_ports *lp, const struct port *port);
/* All neighbors, ascending (time_mark, ifindex, index). */
const struct lldp_neighbor *const *lldp_ports_neighbors(const struct lldp_ports *lp, size_t *n);
/* The neighbors of one port, any order. */
const struct lldp_neighbor *const *lldp_ports_neighbors_of(const struct lldp_ports *lp,
							   const struct port *port, size_t *n);
void lldp_ports_read(const struct lldp_ports *lp, struct lldp_ports_stats *out);
/* The LLDP destination address index that is served. */
uint16_t lldp_ports_destination(const struct lldp_ports *lp);

#endif
