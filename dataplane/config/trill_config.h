/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Settings of an RBridge (RFC 6325): its nickname, and the forwarding knowledge that a campus
 * with IS-IS has from its routing protocol. Here it is configured: the next hops of every other
 * nickname, the one distribution tree, the egress nickname of an address unless it is learned,
 * the designated VLAN of a link, the VLANs for which the RBridge is the appointed forwarder.
 * All zero: no nickname, no next hop, all ports in mode access.
 *
 * A nickname is a number in the host's order. Functions are pure. Any thread may call them on a
 * configuration that no thread changes.
 */
#ifndef DCB_DATAPLANE_CONFIG_TRILL_CONFIG_H
#define DCB_DATAPLANE_CONFIG_TRILL_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

#include "dataplane/config/bridge_config.h"
#include "dataplane/core/eth.h"
#include "dataplane/trill/trill.h"

/* The highest nickname of an RBridge, RFC 6325 3.7: FFC0 to FFFF are reserved. */
#define TRILL_NICKNAME_MAX (TRILL_NICKNAME_RESERVED - 1)

/*
 * Hop count of the frames that this RBridge encapsulates. Choice: RFC 6325 3.6 wants more than the
 * hops to the egress, which are not known without IS-IS. The maximum is right in every campus.
 */
#define TRILL_HOP_COUNT_DEFAULT TRILL_HOP_COUNT_MAX
/* The default of the desired designated VLAN, RFC 6325 4.2.4.2. */
#define TRILL_DESIGNATED_VLAN 1

/*
 * dcbTrillPortMode, RFC 6325 4.9.1: what a port forwards. 0 is TRILL_ACCESS. LLDP, BPDUs, PFC and
 * the other frames of the link itself are not affected.
 */
enum trill_port_mode {
	TRILL_ACCESS = 1, /* native frames only: an access port */
	TRILL_TRUNK,      /* TRILL frames only: a trunk port */
	TRILL_HYBRID,     /* both */
};

/*
 * A nickname is reached by this port through the RBridge with this address. All rows of a
 * nickname that are not marked not_unicast, on any ports, share its flows. tree: the nickname lies
 * behind this port in the distribution tree, for sending frames of groups and for the reverse path
 * check (RFC 6325 4.5.2); one row of a nickname at most is so, on all ports together.
 *
 * In a mesh the way along the tree can be longer than the shortest one. Frames for one RBridge
 * could loop there, so such a row is in the tree and not_unicast. A row that is neither only says
 * that the RBridge with this address is a neighbor (4.6.2).
 */
struct trill_next_hop {
	uint16_t nickname;
	uint8_t mac[ETH_ADDR_OCTETS];
	bool tree;
	bool not_unicast; /* not dcbTrillNextHopUnicast */
};
/* Settings are compared octet by octet. */
_Static_assert(sizeof(struct trill_next_hop) == 10, "no padding");

/* The settings of a port. Next hops ascend by nickname, then by address; those beyond n are 0. */
#define TRILL_NEXT_HOPS_MAX 256
struct trill_next_hops {
	struct trill_next_hop of[TRILL_NEXT_HOPS_MAX];
	uint32_t n;
};

struct trill_port_config {
	uint8_t mode;                           /* enum trill_port_mode */
	uint16_t designated_vlan;               /* outer VID; 0: TRILL_DESIGNATED_VLAN */
	uint8_t not_appointed[VLAN_SET_OCTETS]; /* VLANs whose native frames it does not forward */
	uint8_t pruned[VLAN_SET_OCTETS]; /* VLANs whose group frames do not leave by the tree */
};

/* The settings of the RBridge. */
struct trill_config {
	uint16_t nickname;  /* its own; 0: none, TRILL frames are discarded */
	uint16_t tree_root; /* egress nickname of frames of groups; 0: none, they stay local */
	uint8_t hop_count;  /* 1..63; 0: TRILL_HOP_COUNT_DEFAULT */
};

/*
 * The nicknames behind which addresses are, whatever is learned. A key is that of
 * static_unicast_key(): VID and address. Keys ascend. of: n of them in memory from malloc(), which
 * trill_egress_put() enlarges; NULL if there have been none. All zero: no entries.
 */
#define TRILL_EGRESS_MAX 1024
struct trill_egress {
	uint64_t key;
	uint16_t nickname;
};

struct trill_egresses {
	struct trill_egress *of;
	uint32_t n;
};

/* Return the values in force. */
static inline enum trill_port_mode trill_port_mode(const struct trill_port_config *c)
{
	return c->mode ? (enum trill_port_mode)c->mode : TRILL_ACCESS;
}

static inline bool trill_port_is_native(const struct trill_port_config *c)
{
	return trill_port_mode(c) != TRILL_TRUNK;
}

static inline bool trill_port_is_trunk(const struct trill_port_config *c)
{
	return trill_port_mode(c) != TRILL_ACCESS;
}

static inline uint16_t trill_designated_vlan(const struct trill_port_config *c)
{
	return c->designated_vlan ? c->designated_vlan : TRILL_DESIGNATED_VLAN;
}

static inline uint8_t trill_hop_count(const struct trill_config *c)
{
	return c->hop_count ? c->hop_count : TRILL_HOP_COUNT_DEFAULT;
}

/*
 * Returns the position of the first next hop that is not less than this nickname and address;
 * n: there is none.
 */
uint32_t trill_next_hop_at(const struct trill_next_hops *hops, uint16_t nickname,
			   const uint8_t mac[ETH_ADDR_OCTETS]);
/* Returns the next hop with this nickname and address; NULL: there is none. */
const struct trill_next_hop *trill_next_hop_find(const struct trill_next_hops *hops,
						 uint16_t nickname,
						 const uint8_t mac[ETH_ADDR_OCTETS]);
/* Returns the first next hop of this nickname that is in the tree; NULL: there is none. */
const struct trill_next_hop *trill_next_hop_tree(const struct trill_next_hops *hops,
						 uint16_t nickname);
/*
 * Adds a next hop, or replaces the one with its nickname and address. Returns false if the port has
 * TRILL_NEXT_HOPS_MAX others.
 */
bool trill_next_hop_put(struct trill_next_hops *hops, const struct trill_next_hop *hop);
/* Removes a next hop if the port has it. */
void trill_next_hop_drop(struct trill_next_hops *hops, uint16_t nickname,
			 const uint8_t mac[ETH_ADDR_OCTETS]);

/* Returns the position of the first entry whose key is not less; n: there is none. */
uint32_t trill_egress_at(const struct trill_egresses *e, uint64_t key);
/* Returns the nickname behind which the address is; TRILL_NICKNAME_NONE: there is no entry. */
uint16_t trill_egress_find(const struct trill_egresses *e, uint64_t key);
/*
 * Adds an entry, or sets the nickname of the one with its key. Returns false if there are
 * TRILL_EGRESS_MAX others, or no memory.
 */
bool trill_egress_put(struct trill_egresses *e, const struct trill_egress *entry);
/* Removes an entry if there is one. */
void trill_egress_drop(struct trill_egresses *e, uint64_t key);
/* Copies the entries to memory of their own. Returns false, and to has none, if there is none. */
bool trill_egress_copy(struct trill_egresses *to, const struct trill_egresses *from);
/* Frees the memory of the entries. */
void trill_egress_free(struct trill_egresses *e);

#endif
