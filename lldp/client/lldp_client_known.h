/* SPDX-License-Identifier: BSD-3-Clause */
/* Neighbors as they were last reported: what says nothing new is not reported again. */
#ifndef DCB_LLDP_CLIENT_LLDP_CLIENT_KNOWN_H
#define DCB_LLDP_CLIENT_LLDP_CLIENT_KNOWN_H

#include "lldp/client/lldp_client.h"

struct known;

enum known_news {
	KNOWN_SAME,
	KNOWN_CHANGED,
	KNOWN_FEWER, /* ... and a TLV it had before is not there any more: it may have restarted */
	KNOWN_NEW,
	KNOWN_NO_MEMORY, /* not remembered */
};

/*
 * An empty table is NULL. A neighbor is known by its interface, chassis and port.
 * now_ms, of any clock that does not go back, is when it was heard of.
 */
enum known_news known_take(struct known **table, const struct lldp_remote *remote, int64_t now_ms);
bool known_has(struct known *table, const struct lldp_remote *remote);
/* false: it was not known. */
bool known_drop(struct known **table, const struct lldp_remote *remote);
/* Those of an interface that have been new or said something else since then. */
void known_each(const struct known *table, const char *ifname, int64_t since_ms,
		void (*each)(void *ctx, const struct lldp_remote *remote), void *ctx);
void known_clear(struct known **table);

#endif
