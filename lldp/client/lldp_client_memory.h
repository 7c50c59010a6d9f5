/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * LLDP agents in memory, for tests and dcbsim: systems whose ports are connected by
 * links, and a clock that lldp_memory_advance() moves. It uses no thread, file or event
 * loop.
 *
 * LLDPDUs are queued until lldp_memory_pump() or lldp_memory_advance() delivers them, and
 * only these call events; in immediate mode each call that changes something ends with
 * lldp_memory_pump(). An agent behaves as lldpd 1.0.16 with the client of lldpd: it sends
 * an LLDPDU with time to live 120 s after a change, every 30 s, and when a neighbor is
 * new. When it stops it loses its TLVs; when it starts again the client sets them again.
 */
#ifndef DCB_LLDP_CLIENT_LLDP_CLIENT_MEMORY_H
#define DCB_LLDP_CLIENT_LLDP_CLIENT_MEMORY_H

#include "lldp/client/lldp_client.h"

#define LLDP_MEMORY_TX_INTERVAL_MS 30000
#define LLDP_MEMORY_TTL_S          120

struct lldp_memory;

/* NULL: out of memory. */
struct lldp_memory *lldp_memory_new(bool immediate);
/* Frees all agents too, also those whose destroy() was not called. */
void lldp_memory_free(struct lldp_memory *m);

/*
 * Adds a system whose agent runs, and returns its client, which connects with the next
 * lldp_memory_pump(). chassis: MAC address, the chassis ID. After the client's destroy()
 * the system goes on, without the client's TLVs. NULL: out of memory.
 */
struct lldp_client *lldp_client_memory(struct lldp_memory *m, const char *sysname,
				       const uint8_t chassis[6], const struct lldp_events *events,
				       void *ctx);

/*
 * Adds a port. mac: its port ID. TLVs may be set on an interface before its port is added.
 * false: out of memory.
 */
bool lldp_memory_port(struct lldp_client *c, const char *ifname, const uint8_t mac[6]);
/* Removes a port, as when its interface is deleted: the agent loses its TLVs. */
void lldp_memory_unplug(struct lldp_client *c, const char *ifname);
/* Connects two ports by a link and sets carrier. Both must exist and have no link. */
void lldp_memory_wire(struct lldp_client *a, const char *a_ifname, struct lldp_client *b,
		      const char *b_ifname);
/* Sets carrier on or off at both ends of the link. */
void lldp_memory_carrier(struct lldp_client *c, const char *ifname, bool up);

/* Stops the agent (orderly: with a shutdown LLDPDU on each port), and starts it again. */
void lldp_memory_stop(struct lldp_client *c, bool orderly);
void lldp_memory_start(struct lldp_client *c);

/* Queues an LLDPDU for a port from a system that is not simulated. ttl 0: shutdown. */
void lldp_memory_receive(struct lldp_client *c, const char *ifname,
			 const struct lldp_remote *remote);

/* Delivers all LLDPDUs, also those sent in response. false: systems answer without an end. */
bool lldp_memory_pump(struct lldp_memory *m);
/* Advances the clock: neighbors age out, agents retransmit. Delivers as lldp_memory_pump(). */
bool lldp_memory_advance(struct lldp_memory *m, uint32_t ms);

/* Returns how many LLDPDUs a port has sent. */
uint64_t lldp_memory_sent(const struct lldp_client *c, const char *ifname);

#endif
