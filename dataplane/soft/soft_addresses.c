/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A copy of the filtering database, for managers: made by the thread that asks, while
 * the dataplane thread goes on.
 */
#include "dataplane/soft/provider_soft_private.h"

#include "dataplane/bridge/relay.h"
#include "dataplane/config/bridge_config.h"
#include "lib/counter.h"

#include <sched.h>
#include <stdlib.h>
#include <time.h>

/*
 * Attempts to read a part. After the first ones the dataplane thread has probably lost its
 * processor in the middle of a change: then each waits longer, 0.1 s in all.
 */
#define READ_QUICK_TRIES 100
#define READ_TRIES       (READ_QUICK_TRIES + 1000)
#define READ_PAUSE_NS    (100 * DCB_NS_PER_US)

static bool is_remote(const struct fdb_address *a)
{
	return a->nickname != TRILL_NICKNAME_NONE;
}

/* Of two entries of an address the younger one counts. */
static int compare(const void *a, const void *b)
{
	const struct fdb_address *x = a, *y = b;

	if (is_remote(x) != is_remote(y))
		return is_remote(x) - is_remote(y);
	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return (x->age_s > y->age_s) - (x->age_s < y->age_s);
}

/* Sorts, and removes the second entries of addresses that moved while they were read. */
static void put_in_order(struct fdb_addresses *all)
{
	uint32_t n = 0;

	if (all->n > 0)
		qsort(all->of, all->n, sizeof(*all->of), compare);
	for (uint32_t i = 0; i < all->n; i++) {
		const struct fdb_address *a = &all->of[i];

		if (n > 0 && all->of[n - 1].key == a->key &&
		    is_remote(&all->of[n - 1]) == is_remote(a))
			continue;
		all->n_local += !is_remote(a);
		all->of[n++] = *a;
	}
	all->n = n;
}

/* Adds an entry, if it is not behind an RBridge whose addresses are being removed. */
static void add_entry(const struct soft *s, const struct fdb_entry *e, uint32_t now_s,
		      struct fdb_addresses *all)
{
	bool seen_before = (int32_t)(now_s - e->seen_s) > 0, remote = e->slot >= FDB_SLOTS;
	uint8_t mac[ETH_ADDR_OCTETS];
	uint16_t vid, nickname = TRILL_NICKNAME_NONE;

	if (remote)
		nickname = rbridge_nickname_of(&s->rbridge, e->slot);
	if (remote && nickname == TRILL_NICKNAME_NONE)
		return;
	fdb_entry_address(e, &vid, mac);
	all->of[all->n++] = (struct fdb_address){
	    .key = static_unicast_key(vid, mac),
	    .age_s = !e->fixed && seen_before ? now_s - e->seen_s : 0,
	    .slot = remote ? 0 : e->slot,
	    .nickname = nickname,
	    .moves = e->moves,
	    .fixed = e->fixed,
	};
}

static void wait_for_owner(int tries)
{
	if (tries < READ_QUICK_TRIES)
		(void)sched_yield();
	else
		(void)nanosleep(&(struct timespec){.tv_nsec = READ_PAUSE_NS}, NULL);
}

/* Adds a part. Makes room for max addresses larger if necessary. */
static bool add_part(const struct soft *s, uint32_t from, struct fdb_addresses *all, uint32_t *max)
{
	uint32_t now_s = relay_seconds(soft_now(s));
	struct fdb_entry part[FDB_READ_BUCKETS];
	int n = -1;

	if (*max - all->n < FDB_READ_BUCKETS) {
		uint32_t more = 2 * *max;
		void *of = realloc(all->of, more * sizeof(*all->of));

		if (!of)
			return false;
		all->of = of;
		*max = more;
	}
	for (int i = 0; n < 0 && i < READ_TRIES; i++) {
		n = fdb_read_part(&s->bridge.fdb, from, now_s, part);
		if (n < 0)
			wait_for_owner(i);
	}
	for (int i = 0; i < n; i++)
		add_entry(s, &part[i], now_s, all);
	return n >= 0;
}

bool soft_read_addresses(const struct provider *p, struct fdb_addresses *out)
{
	const struct soft *s = (const struct soft *)p;
	uint32_t parts, max;

	*out = (struct fdb_addresses){.n = 0};
	if (s->params.station)
		return true;
	parts = (s->bridge.fdb.mask + 1) / FDB_READ_BUCKETS;
	max = gauge_get(&s->bridge.fdb.entries) + 2 * FDB_READ_BUCKETS;
	out->of = malloc(max * sizeof(*out->of));
	for (uint32_t i = 0; out->of && i <= parts; i++) {
		if (add_part(s, (parts - i) % parts * FDB_READ_BUCKETS, out, &max))
			continue;
		free(out->of);
		out->of = NULL;
	}
	if (!out->of) {
		out->n = 0;
		return false;
	}
	put_in_order(out);
	return true;
}
