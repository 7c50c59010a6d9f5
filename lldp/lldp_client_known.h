/* SPDX-License-Identifier: BSD-3-Clause */
/* Neighbours as they were last reported: what says nothing new is not reported again. */
#ifndef DCB_LLDP_LLDP_CLIENT_KNOWN_H
#define DCB_LLDP_LLDP_CLIENT_KNOWN_H

#include "lldp/lldp_client.h"

struct known;

enum known_news {
	KNOWN_SAME,
	KNOWN_CHANGED,
	KNOWN_FEWER, /* ... and a TLV it had before is not there any more: it may have restarted */
	KNOWN_NEW,
	KNOWN_NO_MEMORY, /* not remembered */
};

/* An empty table is NULL. A neighbour is known by its interface, chassis and port. */
enum known_news known_take(struct known **table, const struct lldp_remote *remote);
bool known_has(struct known *table, const struct lldp_remote *remote);
/* false: it was not known. */
bool known_drop(struct known **table, const struct lldp_remote *remote);
void known_clear(struct known **table);

#endif
