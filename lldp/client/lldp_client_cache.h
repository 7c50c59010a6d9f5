/* SPDX-License-Identifier: BSD-3-Clause */
/* Neighbors as they were last reported: what says nothing new is not reported again. */
#ifndef DCB_LLDP_CLIENT_LLDP_CLIENT_CACHE_H
#define DCB_LLDP_CLIENT_LLDP_CLIENT_CACHE_H

#include "lldp/client/lldp_client.h"

struct neighbor_cache;

enum cache_result {
	CACHE_SAME,
	CACHE_CHANGED,
	CACHE_FEWER_TLVS, /* ... and a TLV it had before is not there any more: it may have
			     restarted */
	CACHE_NEW,
	CACHE_NO_MEMORY, /* not remembered */
};

/*
 * An empty table is NULL. A neighbor is known by its interface, chassis and port.
 * now_ms, of any clock that does not go back, is when it was heard of.
 */
enum cache_result cache_update(struct neighbor_cache **table, const struct lldp_remote *remote,
			       int64_t now_ms);
bool cache_has(struct neighbor_cache *table, const struct lldp_remote *remote);
/* false: it was not known. */
bool cache_remove(struct neighbor_cache **table, const struct lldp_remote *remote);
/* Those of an interface that have been new or said something else since then. */
void cache_each(const struct neighbor_cache *table, const char *ifname, int64_t since_ms,
		void (*each)(void *ctx, const struct lldp_remote *remote), void *ctx);
void cache_clear(struct neighbor_cache **table);

#endif
