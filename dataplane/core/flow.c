/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/core/flow.h"

#include "dataplane/core/ip.h"
#include "lib/octets.h"

#include <string.h>

#define IPV4_FRAGMENT_MASK 0x3fff /* more fragments flag and offset */
#define PORTS_OCTETS       4

/* IPv6 next headers: extension headers to skip, and the fragment header. */
enum { NEXT_HOP_BY_HOP = 0, NEXT_ROUTING = 43, NEXT_FRAGMENT = 44, NEXT_DESTINATION = 60 };
#define IPV6_OPTIONS_MAX 4

enum { PROTO_TCP = 6, PROTO_UDP = 17, PROTO_DCCP = 33, PROTO_SCTP = 132, PROTO_UDPLITE = 136 };

static bool has_ports(uint8_t protocol)
{
	return protocol == PROTO_TCP || protocol == PROTO_UDP || protocol == PROTO_SCTP ||
	       protocol == PROTO_DCCP || protocol == PROTO_UDPLITE;
}

/* Returns false if the protocol has ports and they are cut off. */
static bool parse_ports(struct flow_keys *keys, struct octets_in *in)
{
	if (!has_ports(keys->protocol))
		return true;
	keys->source_port = octets_in_be16(in);
	keys->port = octets_in_be16(in);
	keys->has_ports = !in->overrun;
	return !in->overrun;
}

static bool parse_ipv4(struct flow_keys *keys, struct octets_in *in)
{
	const uint8_t *h = octets_in_take(in, IP_V4_OCTETS);
	size_t octets;

	if (!h)
		return false;
	octets = (size_t)(h[0] & 0xf) * 4;
	if (h[0] >> 4 != 4 || octets < IP_V4_OCTETS)
		return false;
	keys->is_ip = true;
	keys->dscp = h[1] >> 2;
	keys->address[0] = get_be32(h + 12);
	keys->address[1] = get_be32(h + 16);
	if (get_be16(h + 6) & IPV4_FRAGMENT_MASK)
		return true;
	keys->protocol = h[9];
	(void)octets_in_take(in, octets - IP_V4_OCTETS);
	return parse_ports(keys, in);
}

/* Skips extension headers and sets *next. Returns false at a fragment header or if cut off. */
static bool skip_options(struct octets_in *in, uint8_t *next)
{
	for (int i = 0; i < IPV6_OPTIONS_MAX; i++) {
		const uint8_t *h;

		if (*next != NEXT_HOP_BY_HOP && *next != NEXT_ROUTING && *next != NEXT_DESTINATION)
			break;
		h = octets_in_take(in, 8);
		if (!h)
			return false;
		*next = h[0];
		(void)octets_in_take(in, (size_t)h[1] * 8);
	}
	return *next != NEXT_FRAGMENT && !in->overrun;
}

static bool parse_ipv6(struct flow_keys *keys, struct octets_in *in)
{
	const uint8_t *h = octets_in_take(in, IP_V6_OCTETS);
	uint8_t next;

	if (!h || h[0] >> 4 != 6)
		return false;
	keys->is_ip = true;
	keys->dscp = (uint8_t)(get_be16(h) >> 6 & 0x3f);
	for (unsigned i = 0; i < 4; i++)
		keys->address[i] = get_be64(h + 8 + 8 * i);
	next = h[6];
	if (!skip_options(in, &next))
		return next == NEXT_FRAGMENT;
	keys->protocol = next;
	return parse_ports(keys, in);
}

static void set_mac(struct flow_keys *keys, const uint8_t *da, const uint8_t *sa)
{
	uint16_t ethertype = keys->ethertype, vid = keys->vid;

	*keys = (struct flow_keys){
	    .address = {flow_address(sa), flow_address(da)},
	    .ethertype = ethertype,
	    .vid = vid,
	};
	memcpy(keys->da, da, ETH_ADDR_OCTETS);
}

bool flow_parse(struct flow_keys *keys, const uint8_t *da, const uint8_t *sa, uint16_t vid,
		const uint8_t *msdu, size_t len)
{
	struct octets_in in = octets_in(msdu, len);
	bool whole;

	keys->ethertype = octets_in_be16(&in);
	keys->vid = vid;
	set_mac(keys, da, sa);
	if (keys->ethertype == IP_TYPE_V4)
		whole = parse_ipv4(keys, &in);
	else if (keys->ethertype == IP_TYPE_V6)
		whole = parse_ipv6(keys, &in);
	else
		return !in.overrun;
	if (!whole)
		set_mac(keys, da, sa);
	return whole;
}

/* --- rules --------------------------------------------------------------- */

static bool ip_matches(const struct flow_rule *r, const struct flow_keys *k)
{
	if (r->match & FLOW_PROTOCOL && r->protocol != k->protocol)
		return false;
	if (r->match & FLOW_DSCP && r->dscp != k->dscp)
		return false;
	if (r->match & (FLOW_PORT | FLOW_SOURCE_PORT) && !k->has_ports)
		return false;
	if (r->match & FLOW_PORT && r->port != k->port)
		return false;
	return !(r->match & FLOW_SOURCE_PORT) || r->source_port == k->source_port;
}

static bool matches(const struct flow_rule *r, const struct flow_keys *k)
{
	const unsigned of_ip = FLOW_PROTOCOL | FLOW_DSCP | FLOW_PORT | FLOW_SOURCE_PORT;

	if (r->match & of_ip && (!k->is_ip || !ip_matches(r, k)))
		return false;
	if (r->match & FLOW_ETHERTYPE && r->ethertype != k->ethertype)
		return false;
	if (r->match & FLOW_VLAN && r->vlan != k->vid)
		return false;
	return !(r->match & FLOW_DESTINATION) ||
	       memcmp(r->destination, k->da, ETH_ADDR_OCTETS) == 0;
}

const struct flow_rule *flow_find_rule(const struct flow_rules *rules, const struct flow_keys *keys)
{
	for (size_t i = 0; i < rules->n; i++) {
		if (matches(&rules->rule[i], keys))
			return &rules->rule[i];
	}
	return NULL;
}

/* --- hash ---------------------------------------------------------------- */

/*
 * Odd multipliers with well-distributed bits: from the golden ratio, and in
 * finish() two from splitmix64.
 */
static uint64_t mix(uint64_t h, uint64_t word)
{
	h = (h ^ word) * UINT64_C(0x9e3779b97f4a7c15);
	return h ^ h >> 32;
}

static uint64_t finish(uint64_t h)
{
	h = (h ^ h >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	h = (h ^ h >> 27) * UINT64_C(0x94d049bb133111eb);
	return h ^ h >> 31;
}

uint64_t flow_hash(const struct flow_keys *keys, uint64_t seed)
{
	uint64_t h = mix(seed, (uint64_t)keys->ethertype << 48 | (uint64_t)keys->vid << 32 |
				   (uint64_t)keys->priority << 8 | keys->protocol);

	h = mix(h, (uint64_t)keys->source_port << 16 | keys->port);
	for (unsigned i = 0; i < 4; i++)
		h = mix(h, keys->address[i]);
	return finish(h);
}

int flow_rule_index(const struct flow_rule *rule, unsigned n)
{
	return rule && rule->reaction_point <= n ? rule->reaction_point - 1 : -1;
}

unsigned flow_hash_index(uint64_t hash, unsigned n)
{
	return (unsigned)((hash >> 32) * n >> 32);
}

uint64_t flow_address(const uint8_t *mac)
{
	return (uint64_t)get_be16(mac) << 32 | get_be32(mac + 2);
}

uint64_t flow_address_hash(uint64_t address, uint64_t key)
{
	return finish(mix(key, address));
}
