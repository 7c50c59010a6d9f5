/* SPDX-License-Identifier: BSD-3-Clause */
/* Neighbors as they were last reported, so that only changes are reported. */
#ifndef DCB_LLDP_CLIENT_LLDP_CLIENT_CACHE_H
#define DCB_LLDP_CLIENT_LLDP_CLIENT_CACHE_H

#include "lldp/client/lldp_client.h"

struct neighbor_cache;

enum cache_result {
	CACHE_SAME,
	CACHE_CHANGED,
	CACHE_FEWER_TLVS, /* changed, and a TLV is missing: the neighbor may have restarted */
	CACHE_NEW,
	CACHE_NO_MEMORY, /* not stored */
};

/*
 * Stores a neighbor and returns how it differs from the entry before. An empty table is
 * NULL; the key is interface, chassis ID and port ID. now_ms: the time of the report, of
 * any monotonic clock.
 */
enum cache_result cache_update(struct neighbor_cache **table, const struct lldp_remote *remote,
			       int64_t now_ms);
/* Is the neighbor in the table? */
bool cache_has(struct neighbor_cache *table, const struct lldp_remote *remote);
/* Removes a neighbor. false: it is not in the table. */
bool cache_remove(struct neighbor_cache **table, const struct lldp_remote *remote);
/* Calls each() for the neighbors of an interface that were new or changed since since_ms. */
void cache_each(const struct neighbor_cache *table, const char *ifname, int64_t since_ms,
		void (*each)(void *ctx, const struct lldp_remote *remote), void *ctx);
/* Removes all neighbors. */
void cache_clear(struct neighbor_cache **table);

#endif
