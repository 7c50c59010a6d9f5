/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Shared by lldp_ports.c (evaluates ports), lldp_neighbors.c (stores neighbors), lldp_sent.c and
 * lldp_way.c.
 */
#ifndef DCB_CONTROL_MANAGED_LLDP_PORTS_PRIVATE_H
#define DCB_CONTROL_MANAGED_LLDP_PORTS_PRIVATE_H

#include <sys/queue.h>
#include <uthash.h>

#include "lib/log.h"
#include "control/managed/lldp_ports.h"

/* Does the port's provider refuse the configuration that follows from its neighbor? */
enum lldp_rejected {
	LLDP_NOT_REJECTED,
	LLDP_REJECTED_NOW, /* refused during the current change */
	LLDP_REJECTED,     /* refused before: tried again when another change succeeds */
};

/* The last LLDPDU that a port received of a neighbor. */
struct lldp_heard {
	uint64_t msap;
	struct dcb_time at;
	uint16_t ttl;                    /* seconds */
	bool nearest;                    /* the neighbor sends to the nearest bridge: source */
	uint8_t source[ETH_ADDR_OCTETS]; /* of its last frame to that address */
};

/* A port, found by its slot and by the name of its interface. */
struct lldp_tracked {
	struct lldp_port pub;
	const struct port *port;
	const struct port_config *config; /* settings that oper was computed from; not owned */
	struct port_oper oper;
	struct peer_apps *peer_apps; /* as in struct dcb_config_port */
	char ifname[IF_NAMESIZE];    /* the name used with the client */
	bool up;
	bool sends;           /* the client has TLVs for the port */
	bool changed;         /* its neighbor or link has changed: evaluate it */
	bool saved;           /* it is in lp->saved */
	bool refused;         /* the log has the refusal of its neighbor's last change */
	uint8_t rejected;     /* enum lldp_rejected */
	bool set_pending;     /* pub.sent or the MTU has changed: call the client's set() */
	bool refresh_pending; /* the interface is new or up: after that, call refresh() */
	bool notified;        /* the mismatch has been notified */
	bool notify_pending;  /* the mismatch is notified if it lasts for the hold-off time */
	struct dcb_time mismatch_since;
	LIST_ENTRY(lldp_tracked) due; /* le_prev NULL: not in lp->due */
	/* Both have room for the next power of two, LLDP_NEIGHBORS_MAX at most. */
	const struct lldp_neighbor **neighbors;
	struct lldp_heard *heard;
	unsigned n_neighbors, n_heard;
	uint32_t min_delay_ns;      /* pfc_peer_delay_min_ns(); 0: the port was not evaluated yet */
	uint32_t response_ns;       /* lldp_ports_response() */
	uint64_t only_msap;         /* of the last only neighbor; 0: none since the link came up */
	uint32_t interruptions;     /* as in struct port_oper */
	struct log_limit pfc_limit; /* of lldp_way_log_pfc() */
	UT_hash_handle hh;
};

LIST_HEAD(lldp_tracked_list, lldp_tracked);

/* State of a port before the current change. */
struct lldp_saved {
	struct lldp_tracked *t;
	struct lldp_port pub;
	const struct port_config *config;
	struct port_oper oper;
	struct peer_apps *peer_apps;
	bool changed, set_pending;
	uint8_t rejected;
};

struct lldp_ports {
	const struct lldp_owner_ops *ops;
	void *owner;
	struct state_lock *lock;
	struct dcb_time started;
	struct lldp_client *client;
	void (*wake)(void *ctx);
	void *ctx;
	uint16_t destination;
	struct lldp_tracked *of[DCB_SLOTS];
	struct lldp_tracked *by_name;
	/* Not after the next stale neighbor ages out, or the next port uses what its neighbor says
	 * again: until then no port has to be looked at. */
	struct dcb_time next_aged, next_release;
	struct lldp_tracked_list due; /* ports with changed, set_pending or notify_pending */
	void *sent;                   /* TLVs that ports send: lldp_sent_share() */
	const struct lldp_neighbor **sorted;
	size_t n_sorted, size_sorted;
	struct lldp_saved *saved; /* ports that the current change has evaluated */
	size_t n_saved, size_saved;
	bool has_rejected; /* the neighbor of at least one port is rejected */
	bool same_rules;   /* the current change changes none of the settings common to all ports */
	uint32_t last_index;
	struct lldp_ports_stats stats;
};

static inline void lldp_ports_wake(struct lldp_ports *lp)
{
	if (lp->wake)
		lp->wake(lp->ctx);
}

/* NULL: the interface is no port. */
static inline struct lldp_tracked *lldp_tracked_by_name(const struct lldp_ports *lp,
							const char *ifname)
{
	struct lldp_tracked *t;

	HASH_FIND_STR(lp->by_name, ifname, t);
	return t;
}

/* Makes lldp_ports_evaluate() and lldp_ports_run() handle the port. */
static inline void lldp_ports_make_due(struct lldp_ports *lp, struct lldp_tracked *t)
{
	if (!t->due.le_prev)
		LIST_INSERT_HEAD(&lp->due, t, due);
	lldp_ports_wake(lp);
}

/* The port's neighbor or link has changed. */
static inline void lldp_ports_mark_changed(struct lldp_ports *lp, struct lldp_tracked *t)
{
	t->changed = true;
	t->refused = false;
	t->rejected = LLDP_NOT_REJECTED;
	lldp_ports_make_due(lp, t);
}

/*
 * lldp_sent.c: ports that send the same TLVs share them, because few of thousands differ.
 * lldp_sent_share() returns TLVs that equal *tlvs, with a reference; NULL: out of memory. They are
 * the same as long as the former ones have references. lldp_sent_none are those of a port that has
 * not been evaluated yet, and need none.
 */
extern const struct dcb_tlvs lldp_sent_none;
const struct dcb_tlvs *lldp_sent_share(struct lldp_ports *lp, const struct dcb_tlvs *tlvs);
/* Takes a reference. Returns tlvs. */
const struct dcb_tlvs *lldp_sent_ref(const struct dcb_tlvs *tlvs);
/* Drops a reference. */
void lldp_sent_unref(struct lldp_ports *lp, const struct dcb_tlvs *tlvs);
/*
 * Encodes the TLVs that the port sends, whatever a change that is not complete has evaluated.
 * Returns their number, at most DCB_TLVS.
 */
unsigned lldp_sent_encode(const struct lldp_ports *lp, const struct lldp_tracked *t,
			  struct lldp_tlv *tlvs);
/* As lldp_events.tlvs; ctx: struct lldp_ports. */
unsigned lldp_sent_read(void *ctx, const char *ifname, struct lldp_tlv *tlvs, uint32_t *mtu);

/* Adds the TLVs of P802.1Qdt to those that the port sends. */
void lldp_way_advertise(const struct lldp_tracked *t, const struct dcb_config_port *at,
			struct dcb_tlvs *tlvs);
/*
 * Sets the way in which the headroom is found, and what the neighbor says about it. The TLVs
 * that the port sends are in t->pub.sent.
 */
void lldp_way_evaluate(struct lldp_ports *lp, struct lldp_tracked *t, struct dcb_config_port *at);
/*
 * Logs of each port that the current change has evaluated whether its neighbor has switched PFC
 * on or off.
 */
void lldp_way_log_pfc(struct lldp_ports *lp);
/* Counts and logs a local delay in the TLVs of a neighbor that is refused. */
void lldp_way_check_delay(struct lldp_tracked *t, const struct dcb_tlvs *tlvs);
/* t->pub.way has been set: the port may wait until its neighbor has been quiet. */
static inline void lldp_way_wait(struct lldp_ports *lp, const struct lldp_tracked *t)
{
	lp->next_release = dcb_time_min(lp->next_release, pfc_way_next(&t->pub.way));
}
/*
 * lldp_rejected.c. After a successful change, while lp->saved has the ports that it evaluated:
 * those that were rejected before it are evaluated again if it put anything in force; those
 * that were rejected during it would be refused again.
 */
void lldp_rejected_retry(struct lldp_ports *lp);

/*
 * Marks ports changed whose neighbor has been quiet for long enough: see pfc_way_settle(). Sets
 * lp->next_release.
 */
void lldp_way_release(struct lldp_ports *lp, struct dcb_time now);

/* Drops all neighbors of a port. */
void lldp_neighbors_clear(struct lldp_ports *lp, struct lldp_tracked *t);
/* Forgets the LLDPDUs that the port has received. */
void lldp_neighbors_unhear(struct lldp_tracked *t);
/* Sets pub.peer and pub.dcbx_peer, if the link is up, and the numbers of neighbors. */
void lldp_neighbors_count(struct lldp_tracked *t);
/* Drops the stale neighbors of a port. */
void lldp_neighbors_drop_stale(struct lldp_ports *lp, struct lldp_tracked *t);
/* Drops stale neighbors whose time to live has ended. Sets lp->next_aged. */
void lldp_neighbors_age(struct lldp_ports *lp, struct dcb_time now);

#endif
