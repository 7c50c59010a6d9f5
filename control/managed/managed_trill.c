/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/managed/managed.h"

#include "lib/log.h"

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
