/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Between lldp_ports.c, which decides what the neighbors make of the ports, and
 * lldp_neighbors.c, which knows the neighbors.
 */
#ifndef DCB_CONTROL_MANAGED_LLDP_PORTS_PRIVATE_H
#define DCB_CONTROL_MANAGED_LLDP_PORTS_PRIVATE_H

#include <sys/queue.h>
#include <uthash.h>

#include "control/managed/lldp_ports.h"

/* What a port's neighbor leads to is refused by the port's provider. */
enum lldp_kept_back {
	LLDP_NOT_KEPT_BACK,
	LLDP_KEPT_BACK_NOW, /* by the change under way */
	LLDP_KEPT_BACK,     /* by one before it: to be tried again once another succeeds */
};

/* A port, by its slot and by the name of its interface. */
struct lldp_tracked {
	struct lldp_port pub;
	const struct port *port;
	const struct port_config *config; /* what oper follows from; the owner's */
	struct port_oper oper;
	char ifname[IF_NAMESIZE]; /* as the agent was told */
	bool up;
	bool sends;          /* the agent has been given TLVs */
	bool changed;        /* something it depends on has changed */
	bool saved;          /* in lp->saved: evaluated by the change under way */
	bool refused;        /* the log says so of what its neighbor has said last */
	uint8_t kept_back;   /* enum lldp_kept_back */
	bool set_pending;    /* pub.sent has changed */
	bool notified;       /* the mismatch is notified ... */
	bool notify_pending; /* ... or will be if it lasts */
	struct dcb_time mismatch_since;
	LIST_ENTRY(lldp_tracked) due; /* le_prev NULL: nothing to do in lldp_ports_run() */
	const struct lldp_neighbor *neighbors[LLDP_NEIGHBORS_MAX];
	unsigned n_neighbors;
	UT_hash_handle hh;
};

LIST_HEAD(lldp_tracked_list, lldp_tracked);

/* A port as it was before the change under way. */
struct lldp_saved {
	struct lldp_tracked *t;
	struct lldp_port pub;
	const struct port_config *config;
	struct port_oper oper;
	bool changed, set_pending;
	uint8_t kept_back;
};

struct lldp_ports {
	const struct lldp_owner_ops *ops;
	void *owner;
	struct dcb_time started;
	struct lldp_client *client;
	void (*wake)(void *ctx);
	void *ctx;
	uint16_t destination;
	struct lldp_tracked *of[DCB_SLOTS];
	struct lldp_tracked *by_name;
	struct dcb_time next_aged;    /* some neighbor is believed no longer */
	struct lldp_tracked_list due; /* ports to look at, to hand over, or in a mismatch */
	const struct lldp_neighbor **sorted;
	size_t n_sorted, size_sorted;
	struct lldp_saved *saved; /* ports that the change under way has evaluated */
	size_t n_saved, size_saved;
	bool keeps_back; /* a port at least is kept back */
	bool same_rules; /* the change under way leaves what ports have in common */
	uint32_t last_index;
	struct lldp_ports_stats stats;
};

static inline void lldp_ports_wake(struct lldp_ports *lp)
{
	if (lp->wake)
		lp->wake(lp->ctx);
}

/* lldp_ports_run() has something to do on this port. */
static inline void lldp_ports_make_due(struct lldp_ports *lp, struct lldp_tracked *t)
{
	if (!t->due.le_prev)
		LIST_INSERT_HEAD(&lp->due, t, due);
	lldp_ports_wake(lp);
}

static inline void lldp_ports_mark_changed(struct lldp_ports *lp, struct lldp_tracked *t)
{
	t->changed = true;
	t->refused = false;
	t->kept_back = LLDP_NOT_KEPT_BACK;
	lldp_ports_make_due(lp, t);
}

/* Everybody on the port is gone. */
void lldp_neighbors_clear(struct lldp_ports *lp, struct lldp_tracked *t);
/* Those that are believed no longer go; the first instant at which one will not be. */
struct dcb_time lldp_neighbors_age(struct lldp_ports *lp, struct dcb_time now);

#endif
