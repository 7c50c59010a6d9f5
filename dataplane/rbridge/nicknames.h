/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The forwarding knowledge of an RBridge in the form that frames need: for each nickname of
 * another RBridge its next hops and its place in the distribution tree. Made from the
 * configuration (dataplane/config/trill_config.h) whenever that changes.
 *
 * A nickname keeps its number while the configuration names it: the filtering database
 * has slot FDB_SLOTS + number for the addresses behind it.
 *
 * A nickname is a table index. Of several next hops the one with the highest random weight has a
 * flow, as with links of an aggregation; those that are in the tree only are behind the others,
 * and get no flow.
 *
 * Allocates memory only in nicknames_init(). The dataplane thread makes all calls, except
 * nicknames_read(), which any thread may call.
 */
#ifndef DCB_DATAPLANE_RBRIDGE_NICKNAMES_H
#define DCB_DATAPLANE_RBRIDGE_NICKNAMES_H

#include "dataplane/bridge/fdb.h"
#include "dataplane/port/port.h"
#include "lib/octets.h"

#define NICKNAMES_MAX       FDB_REMOTES
#define NICKNAMES_HOPS_MAX  8192 /* next hops of all nicknames together */
#define NICKNAMES_NEIGHBORS (2 * NICKNAMES_HOPS_MAX)

struct rb_hop {
	struct soft_port *port;
	uint64_t way; /* rb_way(): number of the hop for aggregate_weight() */
	uint8_t mac[ETH_ADDR_OCTETS];
};

struct rb_nickname {
	uint16_t nickname; /* 0: the number is free */
	bool named;        /* by the configuration that is being put in force */
	uint32_t n_hops;   /* that share its flows */
	struct rb_hop *hops;
	const struct rb_hop *tree; /* in the distribution tree, maybe not in hops; NULL: nowhere */
	struct trill_nickname_stats stats;
};

struct nicknames {
	struct rb_nickname *of; /* NICKNAMES_MAX */
	struct rb_hop *hops;    /* NICKNAMES_HOPS_MAX: by nickname; last those without flows */
	uint16_t *number;       /* by nickname: its number + 1; 0: not known */
	struct soft_port **tree_port; /* DCB_SLOTS: ports that are links of the tree */
	size_t n_tree_ports;
	uint64_t *neighbors;     /* NICKNAMES_NEIGHBORS: hash table of the ways of all hops */
	uint32_t neighbors_mask; /* buckets in use less 1: twice the hops, so that half are free */
};

/* Returns false if there is no memory. */
bool nicknames_init(struct nicknames *n);
void nicknames_destroy(struct nicknames *n);

/*
 * Returns whether the tables have room for the nicknames and next hops of a configuration.
 * Any thread.
 */
bool nicknames_fit(const struct dcb_config *config);

/* Returns whether two configurations give the same tables; a may be NULL. Any thread. */
bool nicknames_same(const struct dcb_config *a, const struct dcb_config *b);

/*
 * Makes the tables of a configuration that fits; its ports are attached. Removes the
 * learned addresses of nicknames that it does not name from the database.
 */
void nicknames_build(struct nicknames *n, const struct dcb_config *config, struct fdb *fdb);

/* Returns a nickname; NULL: the configuration does not name it. */
static inline struct rb_nickname *nicknames_find(const struct nicknames *n, uint16_t nickname)
{
	uint16_t number = n->number[nickname];

	return number ? &n->of[number - 1] : NULL;
}

/* Returns the slot in the database of addresses behind a nickname. */
static inline uint16_t nicknames_slot(const struct nicknames *n, const struct rb_nickname *nn)
{
	return (uint16_t)(FDB_SLOTS + (nn - n->of));
}

static inline struct rb_nickname *nicknames_of_slot(const struct nicknames *n, uint16_t slot)
{
	return &n->of[slot - FDB_SLOTS];
}

/* Returns the number of an address at a port, never 0. */
static inline uint64_t rb_way(const struct soft_port *port, const uint8_t mac[ETH_ADDR_OCTETS])
{
	return (uint64_t)(port->base.slot + 1) << 48 | (uint64_t)get_be16(mac) << 32 |
	       get_be32(mac + 2);
}

/*
 * Returns the bucket of a way, or the free one for it. The hash has no random seed: only the
 * configuration adds ways.
 */
static inline uint64_t *nicknames_bucket(const struct nicknames *n, uint64_t way)
{
	uint64_t hash = (way ^ way >> 32) * UINT64_C(0x9e3779b97f4a7c15);
	uint32_t at = (uint32_t)(hash >> 32) & n->neighbors_mask;

	while (n->neighbors[at] && n->neighbors[at] != way)
		at = (at + 1) & n->neighbors_mask;
	return &n->neighbors[at];
}

/* Returns whether a next hop of any nickname at this port has the address. */
static inline bool nicknames_has_neighbor(const struct nicknames *n, const struct soft_port *port,
					  const uint8_t mac[ETH_ADDR_OCTETS])
{
	return *nicknames_bucket(n, rb_way(port, mac)) != 0;
}

/*
 * Returns the next hop for a flow towards a nickname, of those whose port is up; NULL: there
 * is none. A port that goes down moves only the flows of its hops.
 */
const struct rb_hop *nicknames_choose(const struct rb_nickname *nn, uint64_t flow_hash);

/*
 * Copies the counters of a nickname, and the number of addresses behind it in the database.
 * Returns false if it is not known. Any thread.
 */
bool nicknames_read(const struct nicknames *n, const struct fdb *fdb, uint16_t nickname,
		    struct trill_nickname_stats *out);

#endif
