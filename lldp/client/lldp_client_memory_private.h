/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by lldp_client_memory.c (agents) and lldp_client_memory_links.c (clock and links). */
#ifndef DCB_LLDP_CLIENT_LLDP_CLIENT_MEMORY_PRIVATE_H
#define DCB_LLDP_CLIENT_LLDP_CLIENT_MEMORY_PRIVATE_H

#include "lldp/client/lldp_client_cache.h"
#include "lldp/client/lldp_client_memory.h"
#include "lldp/client/lldp_client_desired.h"

struct heard {
	struct heard *next;
	int64_t until_ms;
	struct lldp_remote remote;
};

struct port {
	struct port *next;
	struct agent *agent;
	struct port *peer;
	char ifname[IF_NAMESIZE];
	uint8_t mac[6];
	bool carrier;
	struct tlv_list tlvs; /* the custom TLVs of its LLDPDUs */
	int64_t repeat_ms;
	uint64_t sent;
	struct heard *heard;
};

struct agent {
	struct lldp_client base;
	struct agent *next;
	struct lldp_memory *memory;
	char sysname[256];
	uint8_t chassis[6];
	const struct lldp_events *events; /* NULL: destroyed */
	void *ctx;
	bool running, connected;
	struct port *ports;
	struct desired_tlvs *desired;
	struct neighbor_cache *cache;
	struct lldp_stats stats;
};

enum item_kind { ITEM_LLDPDU, ITEM_GONE, ITEM_UP, ITEM_DOWN };

/* A queued LLDPDU or event. */
struct item {
	struct item *next;
	enum item_kind kind;
	struct agent *agent;
	struct lldp_remote remote; /* ifname: of the port it is for */
};

struct lldp_memory {
	bool immediate, pumping;
	int64_t now_ms;
	struct agent *agents;
	struct item *first, **last;
};

extern const struct lldp_client_ops memory_ops;

struct port *memory_port_of(const struct lldp_client *c, const char *ifname);
/* In immediate mode delivers all; called at the end of functions that change something. */
void memory_immediate(struct lldp_memory *m);
/* Appends an item to the queue. NULL: out of memory, which is logged. */
struct item *memory_item(struct agent *a, enum item_kind kind);
/* Sends an LLDPDU. ttl 0: shutdown. */
void memory_transmit(struct port *p, uint32_t ttl);
/* Gives a port its desired TLVs, as far as the rate limit and the MTU permit. */
void memory_serve(struct agent *a, struct desired_tlvs *d);
void memory_serve_all(struct agent *a);
/* Removes a neighbor of a port, or all of them, and queues ITEM_GONE. */
void memory_remove_heard(struct heard **h, struct agent *a);
void memory_remove_all_heard(struct port *p);

#endif
