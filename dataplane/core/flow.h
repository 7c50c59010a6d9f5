/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Flow select of an end station, 802.1Q clause 31: which frames share a reaction
 * point. The standard leaves it open, but for this: a reaction point serves
 * frames of one source address and one priority only. Ours:
 *
 *   static rules, the first that matches; else a seeded hash over
 *     IPv4, IPv6: addresses, protocol and ports (of a fragment: addresses)
 *     all else:   MAC addresses and EtherType
 *   and VLAN and priority
 *
 * The same is asked of what a CNM brings back of a frame (cnm.h), so nothing here
 * depends on what comes after 64 octets of the MSDU unless IPv6 options do.
 */
#ifndef DCB_CORE_FLOW_H
#define DCB_CORE_FLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dataplane/core/eth.h"

#define FLOW_RULES_MAX 64

/* What of a frame tells flows apart. */
struct flow_keys {
	uint64_t address[4]; /* IP source and destination; else MAC addresses */
	uint16_t ethertype;
	uint16_t vid;         /* as classified: never 0 */
	uint16_t source_port; /* ports are 0 unless has_ports */
	uint16_t port;        /* destination port */
	uint8_t protocol;     /* IP; 0 of fragments */
	uint8_t dscp;
	uint8_t priority; /* as classified; not for rules, which may decide it */
	bool is_ip;
	bool has_ports;
	uint8_t da[ETH_ADDR_OCTETS];
};

enum flow_match {
	FLOW_PROTOCOL = 1,
	FLOW_PORT = 2,
	FLOW_SOURCE_PORT = 4,
	FLOW_DSCP = 8,
	FLOW_ETHERTYPE = 16,
	FLOW_VLAN = 32,
	FLOW_DESTINATION = 64,
};

struct flow_rule {
	uint8_t match; /* enum flow_match: which of the following must be equal */
	uint8_t protocol;
	uint16_t port;
	uint16_t source_port;
	uint16_t ethertype;
	uint16_t vlan;
	uint8_t dscp;
	uint8_t destination[ETH_ADDR_OCTETS];
	bool sets_priority; /* of frames that bring none in a tag */
	uint8_t priority;
	uint8_t reaction_point; /* 1..; 0, or more than there are: by hash */
};

struct flow_rules {
	size_t n;
	struct flow_rule rule[FLOW_RULES_MAX];
};

/*
 * Reads addresses da and sa and an MSDU of len octets that begins with its
 * EtherType. priority is left 0. false: an IP header is not there to its end, and
 * the keys are those of a frame that is not IP.
 */
bool flow_parse(struct flow_keys *keys, const uint8_t *da, const uint8_t *sa, uint16_t vid,
		const uint8_t *msdu, size_t len);

/* The first rule that matches, NULL: none. */
const struct flow_rule *flow_find_rule(const struct flow_rules *rules,
				       const struct flow_keys *keys);

uint64_t flow_hash(const struct flow_keys *keys, uint64_t seed);

/* 0..n-1, n > 0; rule may be NULL. */
unsigned flow_select(const struct flow_rule *rule, const struct flow_keys *keys, uint64_t seed,
		     unsigned n);

/* A MAC address as a number, and one spread over 64 bits. */
uint64_t flow_address(const uint8_t *mac);
uint64_t flow_address_hash(uint64_t address);

#endif
