/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Settings of interfaces that are no ports now, by the alias or name that the state file has. While
 * an interface exists, they are its own, whatever names it has. When its port comes back, it does
 * not get what contradicts settings that were set meanwhile.
 *
 * After a restart, or with a new ifIndex, the key decides; test_renamed_ports has the rule as a
 * model. Of settings with the same key those of a port are saved, or else those of the interface
 * that went last.
 */
#define HASH_NONFATAL_OOM 1
#include "control/managed/managed_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/log.h"

/* --- keys ---------------------------------------------------------------------------------- */

static int compare_aliases(const void *a, const void *b)
{
	const struct port *const *pa = a, *const *pb = b;

	return strcmp((*pa)->link.alias, (*pb)->link.alias);
}

static void mark(struct managed_shared_aliases *shared, const struct port *port)
{
	shared->slots[port->slot / 64] |= UINT64_C(1) << port->slot % 64;
}

bool managed_find_shared_aliases(const struct managed *m, struct managed_shared_aliases *shared)
{
	const struct dcb_config *config = m->config;
	const struct port **ports = calloc(config->n_ports + 1, sizeof(*ports));
	size_t n = 0;

	if (!ports)
		return false;
	*shared = (struct managed_shared_aliases){{0}};
	for (size_t i = 0; i < config->n_ports; i++)
		if (config->ports[i].port->link.alias[0])
			ports[n++] = config->ports[i].port;
	qsort(ports, n, sizeof(*ports), compare_aliases);
	for (size_t i = 1; i < n; i++) {
		if (compare_aliases(&ports[i - 1], &ports[i]) != 0)
			continue;
		mark(shared, ports[i - 1]);
		mark(shared, ports[i]);
	}
	free(ports);
	return true;
}

const char *managed_key_of(const struct managed_shared_aliases *shared, const struct port *port,
			   bool *is_alias)
{
	*is_alias = port->link.alias[0] && !(shared->slots[port->slot / 64] >> port->slot % 64 & 1);
	return *is_alias ? port->link.alias : port->link.name;
}

/* --- kept settings ----------------------------------------------------------------------- */

/* Returns the octets of the key that count. */
static size_t key_octets(const struct managed_absent_key *key)
{
	return offsetof(struct managed_absent_key, text) + strlen(key->text);
}

bool managed_absent_add(struct managed *m, const char *key, bool is_alias,
			struct port_config *config)
{
	struct managed_absent *p = calloc(1, sizeof(*p));

	if (!p)
		return false;
	snprintf(p->key.text, sizeof(p->key.text), "%s", key);
	p->key.is_alias = is_alias;
	HASH_ADD_KEYPTR(hh, m->absent, &p->key, key_octets(&p->key), p);
	if (!p->hh.tbl) {
		free(p);
		return false;
	}
	p->config = port_config_ref(config);
	memcpy(p->epoch, m->config->com_pri_epoch, sizeof(p->epoch));
	p->number = m->next_absent++;
	return true;
}

/*
 * Returns the settings that were kept last under the key and that no port has taken; gone: and
 * whose interface does not exist any more. There can be several: an interface gets the name of one
 * that does not exist now, and goes too. The hash table has them in one chain, in either order;
 * first is the first of them there, or NULL.
 */
static struct managed_absent *newest(const struct managed *m, struct managed_absent *first,
				     bool gone)
{
	struct managed_absent *found = NULL;

	for (struct UT_hash_handle *h = first ? &first->hh : NULL; h; h = h->hh_next) {
		struct managed_absent *p = ELMT_FROM_HH(m->absent->hh.tbl, h);

		if (p->key.is_alias == first->key.is_alias &&
		    strcmp(p->key.text, first->key.text) == 0 && !p->taken_by &&
		    !(gone && p->ifindex) && (!found || p->number > found->number))
			found = p;
	}
	return found;
}

static struct managed_absent *find(const struct managed *m, const char *text, bool is_alias,
				   bool gone)
{
	struct managed_absent_key key = {.is_alias = is_alias};
	struct managed_absent *p = NULL;

	snprintf(key.text, sizeof(key.text), "%s", text);
	if (key.text[0])
		HASH_FIND(hh, m->absent, &key, key_octets(&key), p);
	return newest(m, p, gone);
}

/* Returns the settings of an interface that exists. */
static struct managed_absent *find_own(const struct managed *m, uint32_t ifindex)
{
	struct managed_absent *p;

	HASH_FIND(hh_own, m->own, &ifindex, sizeof(ifindex), p);
	return p && !p->taken_by ? p : NULL;
}

static void set_gone(struct managed *m, struct managed_absent *p)
{
	if (p->ifindex)
		HASH_DELETE(hh_own, m->own, p);
	p->ifindex = 0;
}

struct managed_absent *managed_absent_find(const struct managed *m, const struct link_info *link)
{
	struct managed_absent *p = find_own(m, link->ifindex);

	if (!p)
		p = find(m, link->alias, true, true);
	return p ? p : find(m, link->name, false, true);
}

void managed_absent_gone(struct managed *m, uint32_t ifindex)
{
	struct managed_absent *p = find_own(m, ifindex);

	if (p)
		set_gone(m, p);
}

void managed_warn_of_absent(const struct managed *m, const struct link_info *link)
{
	static const uint8_t none[DCB_MAC_OCTETS];
	uint8_t pfc;

	for (const struct managed_absent *p = m->absent; p; p = p->hh.next) {
		bool same_mac = memcmp(p->mac, link->mac, sizeof(p->mac)) == 0 &&
				memcmp(p->mac, none, sizeof(none)) != 0;

		if (p->taken_by || p->ifindex || (!same_mac && strcmp(p->name, link->name) != 0))
			continue;
		pfc = p->config->pfc.enable;
		/*
		 * Message: An interface with the MAC address or the name of one that was removed
		 * came without the alias or name under which the settings of that one are kept. If
		 * they had PFC, frames of its priorities can be lost now. Give the interface this
		 * alias or name (`ip link set dev NAME alias ALIAS`), or enter the settings again.
		 */
		log_warn_limited(
		    "port",
		    "%s: initial settings, although it seems to be the interface "
		    "that was %s: settings for %s \"%s\" are kept, %s",
		    link->name, p->name, p->key.is_alias ? "alias" : "name", p->key.text,
		    pfc ? "with PFC: its priorities are not lossless here" : "without PFC");
		return;
	}
}

static void hide(struct managed_absent *p)
{
	if (p)
		p->is_hidden = true;
}

void managed_absent_hide(const struct managed *m, const struct managed_shared_aliases *shared)
{
	for (struct managed_absent *p = m->absent; p; p = p->hh.next)
		p->is_hidden = find(m, p->key.text, p->key.is_alias, false) != p;
	for (size_t i = 0; m->absent && i < m->config->n_ports; i++) {
		const struct port *port = m->config->ports[i].port;
		bool is_alias;

		managed_key_of(shared, port, &is_alias);
		if (is_alias)
			hide(find(m, port->link.alias, true, false));
		hide(find(m, port->link.name, false, false));
	}
}

void managed_absent_remove(struct managed *m, struct managed_absent *p)
{
	if (!p)
		return;
	set_gone(m, p);
	HASH_DEL(m->absent, p);
	port_config_unref(p->config);
	free(p);
}

void managed_absent_remove_from(struct managed *m, uint64_t first)
{
	struct managed_absent *p, *next;

	for (p = m->absent; p; p = next) {
		next = p->hh.next;
		if (p->number >= first)
			managed_absent_remove(m, p);
	}
}

void managed_give_back(struct managed *m, const struct port *port)
{
	for (struct managed_absent *p = m->absent; p; p = p->hh.next)
		if (p->taken_by == port)
			p->taken_by = NULL;
}

struct managed_absent *managed_find_taken(const struct managed *m, const struct port *port)
{
	struct managed_absent *p = m->absent;

	while (p && p->taken_by != port)
		p = p->hh.next;
	return p;
}

void managed_absent_remove_taken(struct managed *m)
{
	struct managed_absent *p, *next;

	for (p = m->absent; p; p = next) {
		next = p->hh.next;
		if (p->taken_by)
			managed_absent_remove(m, p);
	}
}

/* Says whose settings were kept last. */
static void note_interface(struct managed *m, const struct link_info *link)
{
	struct managed_absent *last = ELMT_FROM_HH(m->absent->hh.tbl, m->absent->hh.tbl->tail);

	last->ifindex = link->ifindex;
	HASH_ADD(hh_own, m->own, ifindex, sizeof(last->ifindex), last);
	if (!last->hh_own.tbl) /* out of memory */
		last->ifindex = 0;
	memcpy(last->mac, link->mac, sizeof(last->mac));
	memcpy(last->name, link->name, sizeof(last->name));
}

struct pfc_measured managed_delay(const struct dcb_config_port *at)
{
	const struct provider_ops *ops = at->port->provider->ops;
	struct pfc_measure_stats stats;

	if (!(at->port->has & PROVIDER_MEASURE) || !ops->read_measure)
		return at->config->pfc_measured;
	ops->read_measure(at->port, &stats);
	if (!stats.measured)
		return at->config->pfc_measured;
	return (struct pfc_measured){
	    .rate = {stats.rate_bps},
	    .average = (uint32_t)stats.average,
	    .count = (uint32_t)stats.count,
	    .path = (uint8_t)stats.path,
	};
}

/*
 * Keeps the settings of the port at pos, with the delay that it has measured, unless they are
 * defaults. false: out of memory.
 */
static bool add_port_settings(struct managed *m, size_t pos,
			      const struct managed_shared_aliases *shared)
{
	const struct dcb_config_port *at = &m->config->ports[pos];
	struct port_config *pc;
	bool is_alias, ok;
	const char *key = managed_key_of(shared, at->port, &is_alias);

	if (dcb_config_is_initial(m->config, pos))
		return true;
	pc = port_config_dup(at->config);
	if (!pc)
		return false;
	pc->pfc_measured = managed_delay(at);
	ok = managed_absent_add(m, key, is_alias, pc);
	if (ok)
		note_interface(m, &at->port->link);
	port_config_unref(pc);
	return ok;
}

bool managed_absent_add_ports(struct managed *m, const struct dcb_positions *ports)
{
	struct managed_shared_aliases shared;
	uint64_t first = m->next_absent;
	bool ok = managed_find_shared_aliases(m, &shared);

	for (size_t pos = 0; ok && pos < m->config->n_ports; pos++)
		if (dcb_positions_have(ports, pos))
			ok = add_port_settings(m, pos, &shared);
	if (!ok)
		managed_absent_remove_from(m, first);
	return ok;
}

/* --- settings of a port that comes back ------------------------------------------------------ */

/*
 * Removes the static entries that another port got while these settings were kept. Returns
 * whether there were any.
 */
static bool drop_taken(const struct dcb_config *c, size_t pos, const char *name,
		       struct static_unicast_config *is)
{
	uint32_t n_before = is->n;

	for (size_t i = 0; i < c->n_ports; i++) {
		const struct static_unicast_config *taken = &c->ports[i].config->static_unicast;

		for (uint32_t n = 0; i != pos && n < taken->n; n++) {
			if (!static_unicast_has(is, taken->key[n]))
				continue;
			/*
			 * Message: Another port got this static entry while the interface was
			 * absent. Set dcbStaticUnicastTable as you need it.
			 */
			log_warn("mo", "%s: a static entry is not restored: %s has it now", name,
				 c->ports[i].port->link.name);
			static_unicast_drop(is, taken->key[n]);
		}
	}
	return is->n < n_before;
}

/* Returns the name of another port that has the nickname in the tree; NULL: none. */
static const char *tree_port(const struct dcb_config *config, size_t pos, uint16_t nickname)
{
	for (size_t i = 0; i < config->n_ports; i++)
		if (i != pos && trill_next_hop_tree(&config->ports[i].config->trill_hops, nickname))
			return config->ports[i].port->link.name;
	return NULL;
}

void managed_trill_drop_static(const struct dcb_config *config, struct port_config *pc,
			       const char *name)
{
	struct static_unicast_config *s = &pc->static_unicast;

	for (uint32_t i = 0; i < s->n;) {
		uint16_t nickname = trill_egress_find(&config->trill_egress, s->key[i]);

		if (nickname == TRILL_NICKNAME_NONE) {
			i++;
			continue;
		}
		/*
		 * Message: Of rows for the same VLAN and address in dcbStaticUnicastTable and
		 * dcbTrillEgressTable, from `initial` or after an interface was absent, the former
		 * is dropped. Delete the latter and set the former again, or ignore the message.
		 */
		log_warn("mo",
			 "%s: a static entry is not set: dcbTrillEgressTable has the address, of "
			 "nickname %u",
			 name, nickname);
		static_unicast_drop(s, s->key[i]);
	}
}

bool managed_trill_reconcile(const struct dcb_config *config, size_t pos, struct port_config *pc,
			     const char *name)
{
	struct trill_next_hops *hops = &pc->trill_hops;
	bool is_cut = false;

	for (uint32_t i = 0; i < hops->n;) {
		struct trill_next_hop *hop = &hops->of[i];
		const char *other = hop->tree ? tree_port(config, pos, hop->nickname) : NULL;

		if (hop->nickname == config->trill.nickname) {
			/*
			 * Messages: Settings of an interface that was absent contradict those that
			 * were set meanwhile. Set dcbTrillNextHopTable as you need it.
			 */
			log_warn("mo", "%s: a next hop is not restored: nickname %u is now our own",
				 name, hop->nickname);
			trill_next_hop_drop(hops, hop->nickname, hop->mac);
			continue;
		}
		if (other) {
			log_warn("mo",
				 "%s: the next hop of nickname %u is not in the tree: %s has one "
				 "now",
				 name, hop->nickname, other);
			hop->tree = false;
			is_cut = true;
		}
		i++;
	}
	return is_cut;
}

static void reset(const struct port *port, const char *object, void *is, const void *initial,
		  size_t octets)
{
	if (memcmp(is, initial, octets) == 0)
		return;
	/* Message: as "%s: %s is not restored: provider "%s" cannot set it" */
	log_warn("mo", "%s: %s is not restored: provider \"%s\" cannot set it", port->link.name,
		 object, port->provider->ops->name);
	memcpy(is, initial, octets);
}

/*
 * Resets the settings that contradict those of other ports and have no objects on this port, as
 * a restart does (12.21): a manager could neither see nor delete them.
 */
static void reset_absent(const struct port *port, const struct port_config *initial,
			 struct port_config *pc)
{
	if (!(port->has & PROVIDER_VLAN)) {
		reset(port, "dcbPortTrust", &pc->trust, &initial->trust, sizeof(pc->trust));
		reset(port, "dcbVlanPortTable", &pc->vlan, &initial->vlan, sizeof(pc->vlan));
		reset(port, "dcbStaticUnicastTable", &pc->static_unicast, &initial->static_unicast,
		      sizeof(pc->static_unicast));
	}
	if (!(port->has & PROVIDER_PFC_DIRECTION)) {
		struct pfc_config both = {.enable = pc->pfc.enable};

		reset(port, "dcbPfcPriorityDirection", &pc->pfc, &both, sizeof(both));
	}
	if (!(port->has & PROVIDER_REWRITE))
		reset(port, "dcbRewriteTable", pc->rewrite, initial->rewrite, sizeof(pc->rewrite));
	if (!(port->has & PROVIDER_ECN))
		reset(port, "dcbEcnTable", pc->ecn, initial->ecn, sizeof(pc->ecn));
	if (!(port->has & PROVIDER_TRILL)) {
		reset(port, "dcbTrillPortTable", &pc->trill, &initial->trill, sizeof(pc->trill));
		reset(port, "dcbTrillNextHopTable", &pc->trill_hops, &initial->trill_hops,
		      sizeof(pc->trill_hops));
	}
}

/* Returns the position of the port; c->n_ports: c does not have it. */
static size_t position_of(const struct dcb_config *c, const struct port *port)
{
	size_t pos = dcb_config_lower_bound(c, port->link.ifindex);

	return pos < c->n_ports && c->ports[pos].port == port ? pos : c->n_ports;
}

struct port_config *managed_absent_settings(const struct managed *m, const struct dcb_config *c,
					    struct managed_absent *p, const struct port *port,
					    struct dcb_rate rate)
{
	struct port_config *pc = port_config_dup(p->config);
	size_t pos = position_of(c, port);

	p->is_cut = false;
	if (!pc)
		return NULL;
	reset_absent(port, m->config->fresh, pc);
	for (unsigned i = 0; i < DCB_PRIORITIES; i++)
		if (p->epoch[i] != m->config->com_pri_epoch[i])
			port_config_reset(pc, i, m->config);
	port_config_follow(pc, m->config, rate);
	if (pc->static_unicast.n)
		p->is_cut = drop_taken(c, pos, p->key.text, &pc->static_unicast);
	if (m->role == ROLE_RBRIDGE)
		managed_trill_drop_static(c, pc, p->key.text);
	if (pc->trill_hops.n)
		p->is_cut |= managed_trill_reconcile(c, pos, pc, p->key.text);
	return pc;
}

bool managed_restore_cut(struct managed *m, struct dcb_config *config)
{
	for (struct managed_absent *p = m->absent; p; p = p->hh.next) {
		struct port_config *pc;
		size_t pos;

		if (!p->taken_by || !p->is_cut)
			continue;
		log_info("mo", "%s: its settings are restored again, without a refused port",
			 p->key.text);
		pos = position_of(config, p->taken_by);
		pc = managed_absent_settings(m, config, p, p->taken_by,
					     config->ports[pos].config->profile_rate);
		if (!pc)
			return false;
		dcb_config_set_port(config, pos, pc);
		port_config_unref(pc);
	}
	return true;
}
