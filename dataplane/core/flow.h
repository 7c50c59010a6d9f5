/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Flow selection of an end station, 802.1Q clause 31: which frames are a flow, and
 * which rule assigns it to a reaction point. The standard only requires that a
 * reaction point serves frames of one source address and one priority. Choice: the
 * frames of a flow have the same
 *
 *   IPv4, IPv6: addresses, protocol and ports (of a fragment: addresses)
 *   all else:   MAC addresses and EtherType
 *   and VLAN and priority
 *
 * and a seeded hash of these stands for the flow. Of the rules, the first that
 * matches applies; station_queue.c assigns the flows without a rule.
 *
 * The encapsulated MSDU of a CNM (cnm.h) is parsed in the same way. So the
 * result depends on the first 64 octets of the MSDU only, except with IPv6
 * options.
 */
#ifndef DCB_CORE_FLOW_H
#define DCB_CORE_FLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dataplane/core/eth.h"

#define FLOW_RULES_MAX 64

/* Fields of a frame that identify its flow. */
struct flow_keys {
	uint64_t address[4]; /* IP source and destination; else MAC addresses */
	uint16_t ethertype;
	uint16_t vid;         /* as classified, never 0 */
	uint16_t source_port; /* ports are 0 unless has_ports */
	uint16_t port;        /* destination port */
	uint8_t protocol;     /* of IP; 0 in fragments */
	uint8_t dscp;
	uint8_t priority; /* as classified; not for rules, which may set it */
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
	uint8_t match; /* enum flow_match: the fields below that must be equal */
	uint8_t protocol;
	uint16_t port;
	uint16_t source_port;
	uint16_t ethertype;
	uint16_t vlan;
	uint8_t dscp;
	uint8_t destination[ETH_ADDR_OCTETS];
	bool sets_priority; /* sets the priority of frames without a VLAN tag */
	uint8_t priority;
	uint8_t reaction_point; /* from 1; 0 or above the number of reaction points: any */
};

struct flow_rules {
	size_t n;
	struct flow_rule rule[FLOW_RULES_MAX];
};

/*
 * Sets the keys from addresses da and sa, VLAN vid, and an MSDU of len octets
 * that starts with its EtherType. Sets priority to 0. Returns false if an IP
 * header is cut off; the keys are then those of a non-IP frame.
 */
bool flow_parse(struct flow_keys *keys, const uint8_t *da, const uint8_t *sa, uint16_t vid,
		const uint8_t *msdu, size_t len);

/* Returns the first rule that matches, or NULL. */
const struct flow_rule *flow_find_rule(const struct flow_rules *rules,
				       const struct flow_keys *keys);

/* Returns the seeded hash of the keys of a flow. */
uint64_t flow_hash(const struct flow_keys *keys, uint64_t seed);

/*
 * Returns the index, 0..n-1, of the reaction point to which the rule assigns its flows;
 * -1: to none of these n. rule may be NULL.
 */
int flow_rule_index(const struct flow_rule *rule, unsigned n);

/* Returns one of 0..n-1, each for as many hashes as another. Uses the high 32 bits. */
unsigned flow_hash_index(uint64_t hash, unsigned n);

/* Returns a MAC address as a number below 2^48. */
uint64_t flow_address(const uint8_t *mac);

/* Returns the hash of an address with a key. A system that has not the key cannot predict it. */
uint64_t flow_address_hash(uint64_t address, uint64_t key);

#endif
