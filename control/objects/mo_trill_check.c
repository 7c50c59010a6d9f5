/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a SET of TRILL objects may not do, because frames would loop or a nickname would be used
 * twice (RFC 6325 3.7, 4.5):
 *
 * - a next hop or an egress entry has this RBridge's own nickname;
 * - a next hop has the address of a port of this RBridge, or its port is in mode access;
 * - two next hops of one nickname are in the distribution tree;
 * - a port has a static entry of the VLAN and address of an egress entry;
 * - the tree's root is neither this RBridge nor a nickname in the tree: mo_trill_check_root().
 *
 * The rows of absent interfaces are not known here, so that the SETs of a state file are not
 * checked, and a row is checked only by a SET that has it.
 */
#include <inttypes.h>
#include <string.h>

#include "control/objects/mo_static.h"
#include "control/objects/mo_trill.h"

#define NICKNAME_COLUMN 1 /* dcbTrillNickname */
#define ROOT_COLUMN     2 /* dcbTrillTreeRoot */
#define EGRESS_COLUMN   3 /* dcbTrillEgressNickname */
#define MODE_COLUMN     1 /* dcbTrillPortMode */

/* A call of mo_trill_check(). */
struct check {
	const struct managed *m;
	const struct dcb_config *config;
	struct mo_result *r;
};

static const char *name_of(const struct check *c, size_t pos)
{
	return c->config->ports[pos].port->link.name;
}

/* Returns whether no next hop and no egress entry has the own nickname. */
static enum mo_error check_nickname(const struct check *c)
{
	uint16_t own = c->config->trill.nickname;

	for (size_t pos = 0; own && pos < c->config->n_ports; pos++) {
		const struct trill_next_hops *hops = &c->config->ports[pos].config->trill_hops;
		uint32_t at = trill_next_hop_at(hops, own, (const uint8_t[ETH_ADDR_OCTETS]){0});

		if (at < hops->n && hops->of[at].nickname == own)
			return mo_refuse(
			    c->r, MO_INCONSISTENT_VALUE,
			    "nickname %u: expected another one than that of a next hop "
			    "of port %s",
			    own, name_of(c, pos));
	}
	for (uint32_t i = 0; own && i < c->config->trill_egress.n; i++)
		if (c->config->trill_egress.of[i].nickname == own)
			return mo_refuse(
			    c->r, MO_INCONSISTENT_VALUE,
			    "nickname %u: expected another one than that of an entry in "
			    "dcbTrillEgressTable",
			    own);
	return MO_NO_ERROR;
}

/* Returns whether the tree has its root: this RBridge, or a next hop in the tree. */
static bool has_root(const struct dcb_config *config)
{
	uint16_t root = config->trill.tree_root;

	if (root == TRILL_NICKNAME_NONE || root == config->trill.nickname)
		return true;
	for (size_t pos = 0; pos < config->n_ports; pos++)
		if (trill_next_hop_tree(&config->ports[pos].config->trill_hops, root))
			return true;
	return false;
}

/* In other roles no port can have a next hop, and the root has no effect. */
static enum mo_error check_root(const struct check *c)
{
	bool is_new = c->config->trill.tree_root != c->m->config->trill.tree_root;

	if (c->m->role != ROLE_RBRIDGE || has_root(c->config) ||
	    (!is_new && !has_root(c->m->config)))
		return MO_NO_ERROR;
	/*
	 * Message: The RBridge of dcbTrillTreeRoot is not in the tree, as when the interface of the
	 * next hop is absent. A SET is refused. For `initial` of dcbd.conf(5) this is a warning:
	 * frames for groups and unknown addresses reach no other RBridge until a SET adds the next
	 * hop.
	 */
	return mo_refuse(
	    c->r, MO_INCONSISTENT_VALUE,
	    "tree root %u: expected 0, the own nickname %u, or the nickname of a next hop "
	    "whose dcbTrillNextHopTree is true",
	    c->config->trill.tree_root, c->config->trill.nickname);
}

static enum mo_error check_mode(const struct check *c, uint32_t ifindex)
{
	size_t pos = dcb_config_lower_bound(c->config, ifindex);
	const struct port_config *pc = c->config->ports[pos].config;

	if (trill_port_is_trunk(&pc->trill) || pc->trill_hops.n == 0)
		return MO_NO_ERROR;
	return mo_refuse(c->r, MO_INCONSISTENT_VALUE,
			 "port %s has %" PRIu32 " next hops: expected mode trunk or hybrid",
			 name_of(c, pos), pc->trill_hops.n);
}

/* A frame to an own port would come back. */
static enum mo_error check_address(const struct check *c, const struct trill_next_hop *hop)
{
	for (size_t i = 0; i < c->config->n_ports; i++)
		if (memcmp(c->config->ports[i].port->link.mac, hop->mac, sizeof(hop->mac)) == 0)
			return mo_refuse(c->r, MO_INCONSISTENT_NAME,
					 "the address is that of port %s: expected that of another "
					 "RBridge",
					 name_of(c, i));
	return MO_NO_ERROR;
}

/* Returns whether the port has another next hop of the nickname in the tree. */
static bool has_other_tree(const struct trill_next_hops *hops, const struct trill_next_hop *hop)
{
	for (uint32_t i = 0; i < hops->n; i++)
		if (&hops->of[i] != hop && hops->of[i].tree &&
		    hops->of[i].nickname == hop->nickname)
			return true;
	return false;
}

static enum mo_error check_tree(const struct check *c, const struct trill_next_hop *hop)
{
	for (size_t i = 0; i < c->config->n_ports; i++) {
		if (has_other_tree(&c->config->ports[i].config->trill_hops, hop))
			return mo_refuse(
			    c->r, MO_INCONSISTENT_VALUE,
			    "nickname %u: expected one next hop in the tree, and port %s "
			    "has one",
			    hop->nickname, name_of(c, i));
	}
	return MO_NO_ERROR;
}

static enum mo_error check_hop(const struct check *c, const struct mo_varbind *vb)
{
	size_t pos = dcb_config_lower_bound(c->config, vb->index.sub[0]);
	const struct port_config *pc = c->config->ports[pos].config;
	struct trill_next_hop hop = mo_trill_hop_of(&vb->index);
	const struct trill_next_hop *is =
	    trill_next_hop_find(&pc->trill_hops, hop.nickname, hop.mac);
	enum mo_error error;

	if (!is)
		return MO_NO_ERROR; /* deleted */
	if (is->nickname == c->config->trill.nickname)
		return mo_refuse(c->r, MO_INCONSISTENT_NAME,
				 "nickname %u is this RBridge's own: expected that of another one",
				 is->nickname);
	error = check_address(c, is);
	if (error == MO_NO_ERROR)
		error = check_mode(c, vb->index.sub[0]);
	if (error == MO_NO_ERROR && is->tree)
		error = check_tree(c, is);
	return error;
}

static enum mo_error check_egress(const struct check *c, const struct mo_varbind *vb)
{
	if (vb->subid != EGRESS_COLUMN || vb->value.num != c->config->trill.nickname)
		return MO_NO_ERROR;
	return mo_refuse(c->r, MO_INCONSISTENT_VALUE,
			 "nickname %u is this RBridge's own: expected that of another one",
			 c->config->trill.nickname);
}

/*
 * The filtering database has one static entry of a VLAN and address. In other roles egress entries
 * have no effect.
 */
static enum mo_error check_static(const struct check *c, const struct mo_varbind *vb)
{
	uint64_t key = mo_static_key(vb->index.sub, ETH_VID_MASK);
	uint16_t nickname = trill_egress_find(&c->config->trill_egress, key);
	size_t pos = 0;

	while (pos < c->config->n_ports &&
	       !static_unicast_has(&c->config->ports[pos].config->static_unicast, key))
		pos++;
	if (c->m->role != ROLE_RBRIDGE || nickname == TRILL_NICKNAME_NONE ||
	    pos == c->config->n_ports)
		return MO_NO_ERROR;
	return mo_refuse(c->r, MO_INCONSISTENT_VALUE,
			 "expected an entry in dcbStaticUnicastTable, as that of port %s, or in "
			 "dcbTrillEgressTable, as that of nickname %u, not in both",
			 name_of(c, pos), nickname);
}

static enum mo_error check_varbind(const struct check *c, const struct mo_varbind *vb)
{
	enum mo_error error;

	switch (vb->table) {
	case MO_trill:
		return vb->subid == NICKNAME_COLUMN ? check_nickname(c) : MO_NO_ERROR;
	case MO_trill_port:
		return vb->subid == MODE_COLUMN ? check_mode(c, vb->index.sub[0]) : MO_NO_ERROR;
	case MO_trill_hop:
		return check_hop(c, vb);
	case MO_trill_egress:
		error = check_egress(c, vb);
		return error == MO_NO_ERROR ? check_static(c, vb) : error;
	case MO_static_unicast:
		return check_static(c, vb);
	default:
		return MO_NO_ERROR;
	}
}

/* Returns how likely the varbind took the root out of the tree; 0: it did not. */
static unsigned of_root(const struct mo_varbind *vb)
{
	if (vb->table != MO_trill)
		return vb->table == MO_trill_hop;
	return vb->subid == ROOT_COLUMN ? 3 : 2;
}

enum mo_error mo_trill_check(const struct managed *m, const struct dcb_config *config,
			     const struct mo_varbind *vbs, unsigned n, struct mo_result *r)
{
	const struct check c = {m, config, r};
	enum mo_error error = MO_NO_ERROR;

	for (unsigned i = 0; i < n && error == MO_NO_ERROR; i++) {
		error = check_varbind(&c, &vbs[i]);
		r->varbind = i + 1;
	}
	return error;
}

enum mo_error mo_trill_check_root(const struct managed *m, const struct dcb_config *config,
				  const struct mo_varbind *vbs, unsigned n, struct mo_result *r)
{
	const struct check c = {m, config, r};
	unsigned best = 0;

	for (unsigned i = 0; i < n; i++) {
		if (of_root(&vbs[i]) <= best)
			continue;
		best = of_root(&vbs[i]);
		r->varbind = i + 1;
	}
	return best ? check_root(&c) : MO_NO_ERROR;
}
