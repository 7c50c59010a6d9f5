/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/rbridge/nicknames.h"

#include "dataplane/port/aggregate.h"
#include "lib/counter.h"
#include "lib/ranges.h"

#include <stdlib.h>
#include <string.h>

#define ALL_NICKNAMES (UINT16_MAX + 1)

bool nicknames_init(struct nicknames *n)
{
	*n = (struct nicknames){
	    .of = calloc(NICKNAMES_MAX, sizeof(*n->of)),
	    .hops = calloc(NICKNAMES_HOPS_MAX, sizeof(*n->hops)),
	    .number = calloc(ALL_NICKNAMES, sizeof(*n->number)),
	    .tree_port = calloc(DCB_SLOTS, sizeof(struct soft_port *)),
	    .neighbors = calloc(NICKNAMES_NEIGHBORS, sizeof(*n->neighbors)),
	};
	if (n->of && n->hops && n->number && n->tree_port && n->neighbors)
		return true;
	nicknames_destroy(n);
	return false;
}

void nicknames_destroy(struct nicknames *n)
{
	free(n->of);
	free(n->hops);
	free(n->number);
	free(n->tree_port);
	free(n->neighbors);
	*n = (struct nicknames){0};
}

/* --- what a configuration names -------------------------------------------------- */

static const struct trill_next_hops *hops_of(const struct dcb_config *config, size_t port)
{
	return &config->ports[port].config->trill_hops;
}

/* Adds a nickname to a set. Returns 1 if it is new there. */
static uint32_t add(uint8_t *set, uint16_t nickname)
{
	if (ranges_has(set, nickname))
		return 0;
	ranges_add(set, nickname);
	return 1;
}

bool nicknames_fit(const struct dcb_config *config)
{
	uint8_t set[ALL_NICKNAMES / 8] = {0};
	uint32_t nicknames = 0, hops = 0;

	for (uint32_t i = 0; i < config->trill_egress.n; i++)
		nicknames += add(set, config->trill_egress.of[i].nickname);
	for (size_t p = 0; p < config->n_ports; p++) {
		const struct trill_next_hops *own = hops_of(config, p);

		hops += own->n;
		for (uint32_t i = 0; i < own->n; i++)
			nicknames += add(set, own->of[i].nickname);
		if (hops > NICKNAMES_HOPS_MAX)
			return false;
	}
	return nicknames <= NICKNAMES_MAX;
}

static bool same_hops(const struct trill_next_hops *a, const struct trill_next_hops *b)
{
	return a->n == b->n && memcmp(a->of, b->of, a->n * sizeof(a->of[0])) == 0;
}

static bool same_egress(const struct trill_egresses *a, const struct trill_egresses *b)
{
	if (a->n != b->n)
		return false;
	for (uint32_t i = 0; i < a->n; i++)
		if (a->of[i].key != b->of[i].key || a->of[i].nickname != b->of[i].nickname)
			return false;
	return true;
}

bool nicknames_same(const struct dcb_config *a, const struct dcb_config *b)
{
	if (!dcb_config_same_ports(a, b) || !same_egress(&a->trill_egress, &b->trill_egress))
		return false;
	for (size_t p = dcb_config_next_changed_from(b, a, 0); p < b->n_ports;
	     p = dcb_config_next_changed_from(b, a, p + 1)) {
		if (a->ports[p].config != b->ports[p].config &&
		    !same_hops(hops_of(a, p), hops_of(b, p)))
			return false;
	}
	return true;
}

/* --- the tables -------------------------------------------------------------------- */

static void mark(struct nicknames *n, uint16_t nickname)
{
	struct rb_nickname *nn = nicknames_find(n, nickname);

	if (nn)
		nn->named = true;
}

/* Frees the numbers of the nicknames that are not marked. */
static void forget_others(struct nicknames *n, struct fdb *fdb)
{
	uint64_t slots[FDB_SLOT_WORDS] = {0};

	for (uint32_t i = 0; i < NICKNAMES_MAX; i++) {
		struct rb_nickname *nn = &n->of[i];
		uint16_t slot = nicknames_slot(n, nn);

		if (nn->nickname && !nn->named) {
			slots[slot / 64] |= UINT64_C(1) << (slot % 64);
			gauge_set(&n->number[nn->nickname], 0);
			counters_clear(&nn->stats, sizeof(nn->stats));
			gauge_set(&nn->nickname, TRILL_NICKNAME_NONE);
		}
		nn->named = false;
		nn->n_hops = 0;
		nn->hops = NULL;
		nn->tree = NULL;
	}
	fdb_flush_learned(fdb, slots);
}

/* Returns the nickname, with a new number if it has none. *from: no number below is free. */
static struct rb_nickname *take(struct nicknames *n, uint16_t nickname, uint32_t *from)
{
	struct rb_nickname *nn = nicknames_find(n, nickname);

	if (nn)
		return nn;
	while (n->of[*from].nickname) /* nicknames_fit() has found a place for all */
		++*from;
	nn = &n->of[*from];
	__atomic_store_n(&nn->nickname, nickname, __ATOMIC_RELEASE);
	gauge_set(&n->number[nickname], (uint16_t)(*from + 1));
	return nn;
}

/* *rest: the next place for hops that get no flows. */
static void add_hop(struct rb_nickname *nn, struct soft_port *port,
		    const struct trill_next_hop *from, struct rb_hop **rest)
{
	struct rb_hop *hop = from->not_unicast ? (*rest)++ : &nn->hops[nn->n_hops++];

	hop->port = port;
	hop->way = rb_way(port, from->mac);
	memcpy(hop->mac, from->mac, sizeof(hop->mac));
	if (from->tree)
		nn->tree = hop;
}

/*
 * Gives each nickname as many places in n->hops as it has hops for its flows. Returns the place
 * behind them.
 */
static struct rb_hop *place_hops(struct nicknames *n, const struct dcb_config *config)
{
	struct rb_hop *next = n->hops;

	for (size_t p = 0; p < config->n_ports; p++)
		for (uint32_t i = 0; i < hops_of(config, p)->n; i++) {
			const struct trill_next_hop *hop = &hops_of(config, p)->of[i];

			nicknames_find(n, hop->nickname)->n_hops += !hop->not_unicast;
		}
	for (uint32_t i = 0; i < NICKNAMES_MAX; i++) {
		n->of[i].hops = next;
		next += n->of[i].n_hops;
		n->of[i].n_hops = 0;
	}
	return next;
}

static void fill_hops(struct nicknames *n, const struct dcb_config *config)
{
	struct rb_hop *rest = place_hops(n, config);

	n->n_tree_ports = 0;
	for (size_t p = 0; p < config->n_ports; p++) {
		const struct trill_next_hops *own = hops_of(config, p);
		struct soft_port *port = soft_port_of(config->ports[p].port);
		bool tree = false;

		for (uint32_t i = 0; i < own->n; i++) {
			add_hop(nicknames_find(n, own->of[i].nickname), port, &own->of[i], &rest);
			tree |= own->of[i].tree;
		}
		if (tree)
			n->tree_port[n->n_tree_ports++] = port;
	}
}

/* The table has the least number of buckets, so that few rows need few cache lines. */
static void fill_neighbors(struct nicknames *n, const struct dcb_config *config)
{
	uint32_t hops = 0, buckets = 2;

	for (size_t p = 0; p < config->n_ports; p++)
		hops += hops_of(config, p)->n;
	while (buckets < 2 * hops)
		buckets *= 2;
	n->neighbors_mask = buckets - 1;
	memset(n->neighbors, 0, buckets * sizeof(*n->neighbors));
	for (uint32_t i = 0; i < hops; i++)
		*nicknames_bucket(n, n->hops[i].way) = n->hops[i].way;
}

void nicknames_build(struct nicknames *n, const struct dcb_config *config, struct fdb *fdb)
{
	uint32_t from = 0;

	for (uint32_t i = 0; i < config->trill_egress.n; i++)
		mark(n, config->trill_egress.of[i].nickname);
	for (size_t p = 0; p < config->n_ports; p++)
		for (uint32_t i = 0; i < hops_of(config, p)->n; i++)
			mark(n, hops_of(config, p)->of[i].nickname);
	forget_others(n, fdb);
	for (uint32_t i = 0; i < config->trill_egress.n; i++)
		(void)take(n, config->trill_egress.of[i].nickname, &from);
	for (size_t p = 0; p < config->n_ports; p++)
		for (uint32_t i = 0; i < hops_of(config, p)->n; i++)
			(void)take(n, hops_of(config, p)->of[i].nickname, &from);
	fill_hops(n, config);
	fill_neighbors(n, config);
}

/* --- use ----------------------------------------------------------------------------- */

const struct rb_hop *nicknames_choose(const struct rb_nickname *nn, uint64_t flow_hash)
{
	const struct rb_hop *best = NULL;
	uint64_t most = 0;

	for (uint32_t i = 0; i < nn->n_hops; i++) {
		const struct rb_hop *hop = &nn->hops[i];
		uint64_t w = aggregate_weight(flow_hash, hop->way);

		if (hop->port->up && (!best || w > most)) {
			best = hop;
			most = w;
		}
	}
	return best;
}

bool nicknames_read(const struct nicknames *n, const struct fdb *fdb, uint16_t nickname,
		    struct trill_nickname_stats *out)
{
	uint16_t number = gauge_get(&n->number[nickname]);
	struct learning_stats learning;

	if (!number)
		return false;
	counters_copy(out, &n->of[number - 1].stats, sizeof(*out));
	fdb_read_port(fdb, (uint16_t)(FDB_SLOTS + number - 1), &learning);
	out->learned = learning.learned;
	return true;
}
