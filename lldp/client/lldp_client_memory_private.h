/* SPDX-License-Identifier: BSD-3-Clause */
/* Systems in memory in two: the agents (lldp_client_memory.c), and time and cables. */
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
	struct tlv_list tlvs; /* that it sends */
	int64_t repeat_ms;
	uint64_t sent;
	struct heard *heard;
};

struct agent {
	struct lldp_client base;
	struct agent *next;
	struct lldp_memory *world;
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

/* Under way, or to be told of. */
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
/* The end of what changes something from outside. */
void memory_immediate(struct lldp_memory *m);
/* At the end of the queue. NULL: out of memory, which has been said. */
struct item *memory_item(struct agent *a, enum item_kind kind);
/* An LLDPDU; ttl 0 is a shutdown. */
void memory_transmit(struct port *p, uint32_t ttl);
/* Makes a port send what it is to, as far as it may now. */
void memory_serve(struct agent *a, struct desired_tlvs *d);
void memory_serve_all(struct agent *a);
/* A neighbor is not heard any more; all of them. */
void memory_lose(struct heard **h, struct agent *a);
void memory_lose_all(struct port *p);

#endif
