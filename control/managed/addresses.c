/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/managed/addresses.h"

#include <pthread.h>
#include <stdlib.h>

#include "lib/log.h"

struct addresses {
	pthread_mutex_t lock; /* of all that follows */
	struct fdb_addresses copy;
	bool was_tried;
	struct dcb_time tried; /* when the last copy was made, or could not be made */
};

struct addresses *addresses_new(void)
{
	struct addresses *a = calloc(1, sizeof(*a));

	if (a)
		pthread_mutex_init(&a->lock, NULL);
	return a;
}

void addresses_free(struct addresses *addresses)
{
	if (!addresses)
		return;
	pthread_mutex_destroy(&addresses->lock);
	free(addresses->copy.of);
	free(addresses);
}

static bool is_old(const struct addresses *a, struct dcb_time now)
{
	int64_t limit = ADDRESSES_AGE_NS + a->copy.n * ADDRESSES_AGE_EACH_NS;

	return !a->was_tried || dcb_time_diff_ns(now, a->tried) >= limit;
}

/* The first provider that has addresses: only one of a system is an RBridge. */
static void make_copy(struct addresses *a, struct provider *const *providers, unsigned n,
		      struct dcb_time now)
{
	struct fdb_addresses fresh = {.n = 0};

	a->was_tried = true;
	a->tried = now;
	for (unsigned i = 0; i < n && fresh.n == 0; i++) {
		const struct provider_ops *ops = providers[i]->ops;

		free(fresh.of);
		fresh.of = NULL;
		if (!ops->read_addresses || ops->read_addresses(providers[i], &fresh))
			continue;
		/*
		 * Message: dcbFdbTable, dot1qTpFdbTable and dcbTrillFdbTable have their former
		 * rows, or none, until the next attempt a second later or, for many rows, some
		 * seconds later. If the message repeats, free memory, or give the dataplane thread
		 * more of a processor: see `dataplane` in dcbd.conf(5).
		 */
		log_warn_limited("mo",
				 "filtering database: addresses not read: out of memory, or "
				 "the dataplane thread was not scheduled");
		return;
	}
	free(a->copy.of);
	a->copy = fresh;
}

/* Returns the position of the first address not before from, between low and high; high: none. */
static uint32_t position_of(const struct fdb_addresses *copy, uint32_t low, uint32_t high,
			    uint64_t from)
{
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (copy->of[middle].key < from)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

void addresses_refresh(struct addresses *addresses, struct provider *const *providers, unsigned n,
		       struct dcb_time now)
{
	pthread_mutex_lock(&addresses->lock);
	if (is_old(addresses, now))
		make_copy(addresses, providers, n, now);
	pthread_mutex_unlock(&addresses->lock);
}

void addresses_forget(struct addresses *addresses)
{
	pthread_mutex_lock(&addresses->lock);
	addresses->was_tried = false;
	pthread_mutex_unlock(&addresses->lock);
}

bool addresses_find(struct addresses *addresses, enum addresses_where where, uint64_t from,
		    struct fdb_address *out)
{
	uint32_t at, end;
	bool found;

	pthread_mutex_lock(&addresses->lock);
	end = where == ADDRESSES_AT_PORTS ? addresses->copy.n_local : addresses->copy.n;
	at = position_of(&addresses->copy,
			 where == ADDRESSES_AT_PORTS ? 0 : addresses->copy.n_local, end, from);
	found = at < end;
	if (found)
		*out = addresses->copy.of[at];
	pthread_mutex_unlock(&addresses->lock);
	return found;
}
