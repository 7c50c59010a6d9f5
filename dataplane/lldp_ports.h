/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ports and their LLDP neighbours: what a neighbour's TLVs make of a port
 * (struct port_oper), and what TLVs the port sends. The engines of lldp/ decide,
 * an lldp_client carries.
 *
 * Whenever a configuration is about to be published, all of it is worked out anew
 * for the ports it names; whenever a neighbour says something else, the
 * configuration is published again with what follows. Control thread only.
 */
#ifndef DCB_DATAPLANE_LLDP_PORTS_H
#define DCB_DATAPLANE_LLDP_PORTS_H

#include "dataplane/managed.h"
#include "lldp/cn_defense.h"
#include "lldp/dcbx.h"
#include "lldp/lldp_client.h"

/* A neighbour, of any port. */
struct lldp_neighbor {
	uint32_t ifindex;   /* of our port */
	uint32_t index;     /* lldpV2RemIndex: 1.., never used twice while dcbd runs */
	uint32_t time_mark; /* lldpV2RemTimeMark: uptime (centiseconds) when it last changed */
	struct lldp_id chassis, port;
	char sysname[256];
	uint32_t ttl; /* seconds */
	bool has_address;
	uint8_t address[ETH_ADDR_OCTETS]; /* of its port, as far as it says */
	bool stale;                       /* from before the connection to the agent was lost */
	struct dcb_tlvs tlvs;
};

/* The index of the only LLDP destination address there is: lldpd has one agent. */
#define LLDP_DEST_ADDRESS_INDEX_DEFAULT 1 /* nearest bridge, 01-80-C2-00-00-0E */

/* A port and what LLDP makes of it. */
struct lldp_port {
	struct cndd cnd[DCB_PRIORITIES];
	struct cn_tlv rcvd;   /* bits of the only neighbour's CN TLV that count here */
	struct dcb_tlvs sent; /* what is handed to the agent; present: which TLVs */
	struct dcbx_outcome dcbx;
	unsigned n_neighbors;
	const struct lldp_neighbor *peer; /* the only one; NULL: none or several */
	bool mismatch_told;               /* the notification is out */
	uint32_t mode_changes;            /* times a defence mode changed */
	uint32_t dcbx_changes;            /* times what is in force of PFC or ETS changed */
	uint64_t malformed[DCB_TLVS];     /* received TLVs that count as absent */
	uint64_t updates;                 /* times a neighbour was new or said something else */
};

struct lldp_ports_stats {
	uint8_t state; /* enum lldp_state */
	struct lldp_stats client;
	uint32_t neighbors;
	uint64_t neighbors_refused; /* more than LLDP_NEIGHBORS_MAX on a port */
	uint64_t aged;              /* gone by our own clock, while lldpd was away */
};
#define LLDP_NEIGHBORS_MAX 32 /* of a port, as lldpd has it */

/*
 * Takes the client over, which calls back with lldp_ports_events and what this
 * returns. destination: index that is served, see LLDP_DEST_ADDRESS_INDEX_DEFAULT.
 * NULL: out of memory.
 */
struct lldp_ports *lldp_ports_new(struct managed *m, struct event_base *base, uint16_t destination);
void lldp_ports_use(struct lldp_ports *lp, struct lldp_client *client);
void lldp_ports_free(struct lldp_ports *lp);
extern const struct lldp_events lldp_ports_events;

/* The configuration is about to be published: fills in what is in force on its ports. */
void lldp_ports_settle(struct lldp_ports *lp, struct dcb_config *config);
/* It is: what the ports are to send is handed over. */
void lldp_ports_published(struct lldp_ports *lp);
/* A port's interface has appeared, has another name, MTU or address; or the port goes. */
void lldp_ports_link(struct lldp_ports *lp, const struct port *port);
void lldp_ports_gone(struct lldp_ports *lp, const struct port *port);

/* --- for the managed objects; NULL is no LLDP at all ------------------------------------------ */

/* Never NULL: without LLDP a port that has no neighbours. */
const struct lldp_port *lldp_ports_at(const struct lldp_ports *lp, const struct port *port);
/* All neighbours, ascending (time_mark, ifindex, index). */
const struct lldp_neighbor *const *lldp_ports_neighbors(const struct lldp_ports *lp, size_t *n);
void lldp_ports_read(const struct lldp_ports *lp, struct lldp_ports_stats *out);
/* The LLDP destination address index that is served. */
uint16_t lldp_ports_destination(const struct lldp_ports *lp);

#endif
