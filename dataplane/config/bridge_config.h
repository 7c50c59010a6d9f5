/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Settings of a port of a bridge: where priorities come from, how they are written when a frame
 * leaves, the VLANs of which it is a member (8.8.2, 8.8.10), its ingress rules (8.6.2, 6.9), its
 * learning limit, its limits of flooded frames, its static filtering entries (8.8.1). All zero:
 * member of all VLANs, all frames accepted, default limit, none of flooded frames, no static entry.
 *
 * The configuration has the VLANs of which a port is not a member: so the default is all zero, and
 * the ports with default settings share one configuration. A port's rules are pointers into it,
 * NULL where there is no rule: default settings cost a frame one test at ingress and one at
 * egress.
 */
#ifndef DCB_DATAPLANE_CONFIG_BRIDGE_CONFIG_H
#define DCB_DATAPLANE_CONFIG_BRIDGE_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

#include "dataplane/core/eth.h"
#include "lib/octets.h"

/*
 * dcbPortTrust: what a received frame has its priority of, in this order; if it has none of them,
 * the port's default priority. The DSCP of an IP packet has a priority by the application
 * priorities. 0 is TRUST_PCP.
 */
enum port_trust {
	TRUST_PCP = 1,  /* VLAN tag: 6.9.3 */
	TRUST_PCP_DSCP, /* VLAN tag, DSCP */
	TRUST_DSCP_PCP, /* DSCP, VLAN tag */
	TRUST_DSCP,
	TRUST_NONE,
};
struct port_trust_config {
	uint8_t trust; /* enum port_trust */
};

/* dcbRewriteTable: what frames of one priority have when the port sends them. */
struct rewrite_config {
	uint8_t pcp;  /* of the VLAN tag and, times 8, its DEI; plus 1, and 0: as they are */
	uint8_t dscp; /* of an IP packet; plus 1, and 0: as it is */
};

#define VLAN_SET_OCTETS 512 /* a bit for each VID, see lib/ranges.h */

/* dcbVlanPortAcceptableFrameTypes; 0 is VLAN_ADMIT_ALL. */
enum vlan_admit { VLAN_ADMIT_ALL = 1, VLAN_ADMIT_TAGGED, VLAN_ADMIT_UNTAGGED };

/* Received frames that a bridge sends to all other ports. */
enum flood_kind { FLOOD_BROADCAST, FLOOD_MULTICAST, FLOOD_UNKNOWN, FLOOD_KINDS };

struct vlan_port_config {
	uint32_t flood_limit[FLOOD_KINDS]; /* frames per second; 0: no limit */
	uint32_t learn_limit;              /* addresses learned at a time; 0: no limit */
	bool learn_limit_is_set;           /* false: the bridge's default */
	bool ingress_filtering;
	uint8_t frame_types;               /* enum vlan_admit */
	uint8_t excluded[VLAN_SET_OCTETS]; /* VLANs of which the port is no member */
};

/*
 * The addresses whose frames go to this port, whatever is learned. A key has the VID in its
 * first 16 bits and the address in the others. Keys ascend; those beyond n are 0.
 */
#define STATIC_UNICAST_MAX 64
struct static_unicast_config {
	uint64_t key[STATIC_UNICAST_MAX];
	uint32_t n;
};

static inline uint64_t static_unicast_key(uint16_t vid, const uint8_t mac[ETH_ADDR_OCTETS])
{
	return (uint64_t)vid << 48 | (uint64_t)get_be16(mac) << 32 | get_be32(mac + 2);
}

static inline uint16_t static_unicast_vid(uint64_t key)
{
	return (uint16_t)(key >> 48);
}

static inline void static_unicast_mac(uint64_t key, uint8_t mac[ETH_ADDR_OCTETS])
{
	put_be16(mac, (uint16_t)(key >> 32));
	put_be32(mac + 2, (uint32_t)key);
}

/* Returns the position of the first key not less than this one; n: there is none. */
static inline uint32_t static_unicast_at(const struct static_unicast_config *s, uint64_t key)
{
	uint32_t low = 0, high = s->n;

	while (low < high) {
		uint32_t mid = (low + high) / 2;

		if (s->key[mid] < key)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* Returns whether the port has the entry. */
static inline bool static_unicast_has(const struct static_unicast_config *s, uint64_t key)
{
	uint32_t at = static_unicast_at(s, key);

	return at < s->n && s->key[at] == key;
}

/* Adds an entry. Returns false if the port has STATIC_UNICAST_MAX others. */
static inline bool static_unicast_put(struct static_unicast_config *s, uint64_t key)
{
	uint32_t at = static_unicast_at(s, key);

	if (at < s->n && s->key[at] == key)
		return true;
	if (s->n == STATIC_UNICAST_MAX)
		return false;
	for (uint32_t i = s->n++; i > at; i--)
		s->key[i] = s->key[i - 1];
	s->key[at] = key;
	return true;
}

/* Removes an entry if the port has it. */
static inline void static_unicast_drop(struct static_unicast_config *s, uint64_t key)
{
	uint32_t at = static_unicast_at(s, key);

	if (at == s->n || s->key[at] != key)
		return;
	s->n--;
	for (; at < s->n; at++)
		s->key[at] = s->key[at + 1];
	s->key[s->n] = 0;
}

#endif
