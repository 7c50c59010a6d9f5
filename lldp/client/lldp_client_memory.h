/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * LLDP agents in memory, for tests and the simulator: systems with ports that are
 * wired to each other, and a clock that moves when it is told to. Not a thread, not
 * a file, not a loop.
 *
 * What is sent is under way until lldp_memory_pump() or lldp_memory_advance(), and
 * only they call back; in immediate mode each call that changes something ends with
 * a pump. An agent does as lldpd 1.0.16 with our client does: an LLDPDU for a
 * change and every 30 s, one at once for a neighbor that is new, TTL 120 s; all
 * TLVs are forgotten when it is stopped, and set again when it is there again.
 */
#ifndef DCB_LLDP_CLIENT_LLDP_CLIENT_MEMORY_H
#define DCB_LLDP_CLIENT_LLDP_CLIENT_MEMORY_H

#include "lldp/client/lldp_client.h"

#define LLDP_MEMORY_TX_INTERVAL_MS 30000
#define LLDP_MEMORY_TTL_S          120

struct lldp_memory;

/* NULL: out of memory. */
struct lldp_memory *lldp_memory_new(bool immediate);
/* With all its agents, destroyed or not. */
void lldp_memory_free(struct lldp_memory *m);

/*
 * A system with an agent that runs, and its client, which is connected at the next
 * pump. chassis: its MAC address. Destroyed, it is a system that sends nothing of
 * ours. NULL: out of memory.
 */
struct lldp_client *lldp_client_memory(struct lldp_memory *m, const char *sysname,
				       const uint8_t chassis[6], const struct lldp_events *events,
				       void *ctx);

/*
 * A port; needed before it is wired, and for lldp_memory_hear(). mac: its port ID.
 * What is set on interfaces that have none waits for it. false: out of memory.
 */
bool lldp_memory_port(struct lldp_client *c, const char *ifname, const uint8_t mac[6]);
/* Removes it, as when its interface is deleted: what was set is forgotten by the agent. */
void lldp_memory_unplug(struct lldp_client *c, const char *ifname);
/* A cable, with carrier. Both ports are there and have none. */
void lldp_memory_wire(struct lldp_client *a, const char *a_ifname, struct lldp_client *b,
		      const char *b_ifname);
/* Carrier, for both ends. */
void lldp_memory_carrier(struct lldp_client *c, const char *ifname, bool up);

/* The agent ends, with a shutdown LLDPDU to all or without a word; and is there again. */
void lldp_memory_stop(struct lldp_client *c, bool orderly);
void lldp_memory_start(struct lldp_client *c);

/* This arrives at a port from a stranger; ifname is filled in. ttl 0 is a shutdown. */
void lldp_memory_hear(struct lldp_client *c, const char *ifname, const struct lldp_remote *remote);

/* All that is under way arrives, and what that makes others send. false: it does not end. */
bool lldp_memory_pump(struct lldp_memory *m);
/* Time passes: neighbors age, agents repeat themselves; pumps as it goes. */
bool lldp_memory_advance(struct lldp_memory *m, uint32_t ms);

/* LLDPDUs a port has sent. */
uint64_t lldp_memory_sent(const struct lldp_client *c, const char *ifname);

#endif
