/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A copy of the addresses behind other RBridges, for managers: made by the thread that asks, while
 * the dataplane thread goes on.
 */
#include "dataplane/soft/provider_soft_private.h"

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

/* Of two entries of an address the younger one counts. */
static int compare(const void *a, const void *b)
{
	const struct trill_address *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return (x->age_s > y->age_s) - (x->age_s < y->age_s);
}

/* Sorts, and removes the second entries of addresses that moved while they were read. */
static void put_in_order(struct trill_addresses *all)
{
	uint32_t n = 0;

	if (all->n > 0)
		qsort(all->of, all->n, sizeof(*all->of), compare);
	for (uint32_t i = 0; i < all->n; i++)
		if (n == 0 || all->of[n - 1].key != all->of[i].key)
			all->of[n++] = all->of[i];
	all->n = n;
}

static void wait_for_owner(int tries)
{
	if (tries < READ_QUICK_TRIES)
		(void)sched_yield();
	else
		(void)nanosleep(&(struct timespec){.tv_nsec = READ_PAUSE_NS}, NULL);
}

/* Adds a part. Makes room for max addresses larger if necessary. */
static bool add_part(const struct soft *s, uint32_t from, struct trill_addresses *all,
		     uint32_t *max)
{
	int n = -1;

	if (*max - all->n < RBRIDGE_READ_BUCKETS) {
		uint32_t more = 2 * *max;
		void *of = realloc(all->of, more * sizeof(*all->of));

		if (!of)
			return false;
		all->of = of;
		*max = more;
	}
	for (int i = 0; n < 0 && i < READ_TRIES; i++) {
		n = rbridge_read_addresses(&s->rbridge, from, soft_now(s), all->of + all->n);
		if (n < 0)
			wait_for_owner(i);
	}
	if (n < 0)
		return false;
	all->n += (uint32_t)n;
	return true;
}

bool soft_read_trill_addresses(const struct provider *p, struct trill_addresses *out)
{
	const struct soft *s = (const struct soft *)p;
	uint32_t parts, max;

	*out = (struct trill_addresses){.n = 0};
	if (!s->params.rbridge)
		return true;
	parts = rbridge_address_buckets(&s->rbridge) / RBRIDGE_READ_BUCKETS;
	max = gauge_get(&s->rbridge.native.fdb.entries) + 2 * RBRIDGE_READ_BUCKETS;
	out->of = malloc(max * sizeof(*out->of));
	for (uint32_t i = 0; out->of && i <= parts; i++) {
		if (add_part(s, (parts - i) % parts * RBRIDGE_READ_BUCKETS, out, &max))
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
