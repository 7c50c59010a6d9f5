/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/bridge/bridge.h"

#include "dataplane/bridge/relay.h"
#include "dataplane/port/port_pfc_tx.h"
#include "dataplane/port/port_receive.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(FDB_SLOTS == DCB_SLOTS, "the database has a place for each slot");

/* --- VLAN rules and static entries ------------------------------------------- */

uint32_t bridge_learn_limit(uint32_t fdb_entries)
{
	return (fdb_entries + 1) / 2;
}

uint32_t bridge_static_max(uint32_t fdb_entries)
{
	return fdb_entries / 2;
}

static bool is_member_of_all(const struct vlan_port_config *vlan)
{
	static const uint8_t none[sizeof(vlan->excluded)];

	return memcmp(vlan->excluded, none, sizeof(none)) == 0;
}

static bool limits_floods(const struct vlan_port_config *vlan)
{
	return vlan->flood_limit[FLOOD_BROADCAST] || vlan->flood_limit[FLOOD_MULTICAST] ||
	       vlan->flood_limit[FLOOD_UNKNOWN];
}

static void set_rules(struct soft_port *port, const struct vlan_port_config *vlan)
{
	bool filters = vlan->ingress_filtering && !is_member_of_all(vlan);

	port->vlan.ingress = filters || vlan->frame_types > VLAN_ADMIT_ALL ? vlan : NULL;
	port->vlan.excluded = is_member_of_all(vlan) ? NULL : vlan->excluded;
	port->floods.limit = limits_floods(vlan) ? vlan->flood_limit : NULL;
}

/*
 * Puts the static entries of now in force in place of those of before. An entry that went
 * to another port may be in the database for it already, or be added later. Both are sorted; called
 * for the changed ports of a configuration.
 */
static void set_static(struct bridge *b, uint16_t slot, const struct static_unicast_config *before,
		       const struct static_unicast_config *now)
{
	uint8_t mac[ETH_ADDR_OCTETS];

	for (uint32_t i = 0; before && i < before->n; i++) {
		if (static_unicast_has(now, before->key[i]))
			continue;
		static_unicast_mac(before->key[i], mac);
		fdb_clear_static(&b->fdb, static_unicast_vid(before->key[i]), mac, slot);
	}
	/* soft_prepare() has refused more entries than the database has room for. */
	for (uint32_t i = 0; i < now->n; i++) {
		static_unicast_mac(now->key[i], mac);
		(void)fdb_set_static(&b->fdb, static_unicast_vid(now->key[i]), mac, slot);
	}
}

static void configure_vlan(struct bridge *b, struct soft_port *port)
{
	const struct vlan_port_config *vlan = &port->config->vlan;
	const struct static_unicast_config *now = &port->config->static_unicast;

	set_rules(port, vlan);
	fdb_limit(&b->fdb, port->base.slot,
		  vlan->learn_limit_is_set ? vlan->learn_limit
					   : bridge_learn_limit(b->fdb.entries_max));
	if (port->static_unicast != now)
		set_static(b, port->base.slot, port->static_unicast, now);
	port->static_unicast = now;
}

static void configure_trust(struct bridge *b, struct soft_port *port)
{
	uint8_t trust = port->config->trust.trust;
	struct app_map map;

	port->trust = trust == TRUST_PCP ? 0 : trust;
	if (!port->trust)
		return;
	port_app_map(&map, port->config, port->peer_apps);
	memcpy(b->dscp_priority[port->base.slot], map.dscp, sizeof(map.dscp));
}

static void configure_marking(struct soft_port *port)
{
	struct dcb_rate rate = port_rate(&port->base.settings, port_speed(port));
	const struct port_config *config = port->config;
	struct port_marking *m = &port->marking;

	port->alters = false;
	m->ecn = 0;
	for (unsigned p = 0; p < DCB_PRIORITIES; p++) {
		const struct rewrite_config *rewrite = &config->rewrite[p];

		m->curve[p] = ecn_curve(&config->ecn[p], rate);
		m->ecn |= (uint8_t)(m->curve[p].enabled << p);
		port->alters |= m->curve[p].enabled || rewrite->pcp || rewrite->dscp;
	}
}

/* --- port_set hooks --------------------------------------------------------- */

static void on_down(void *owner, struct soft_port *port)
{
	struct bridge *b = owner;

	fdb_flush_port(&b->fdb, port->base.slot);
}

static void on_gone(void *owner, const uint64_t *slots)
{
	struct bridge *b = owner;

	fdb_flush(&b->fdb, slots);
}

static void on_configured(void *owner, struct soft_port *port)
{
	struct bridge *b = owner;

	if (port->config) {
		configure_vlan(b, port);
		configure_trust(b, port);
		configure_marking(port);
	}
	port_pfc_tx_configure(port);
	port_set_schedule_pfc(&b->ports, port); /* thresholds changed: may have to send XON */
}

/* As frame_memory_configure(): the number of the first configuration, of a state file, is none. */
static void on_adopted(void *owner, const struct dcb_config *config)
{
	const struct fdb_flush_config *flush = &config->fdb_flush;
	struct bridge *b = owner;
	bool is_asked = b->has_flush_number && b->flush_number != flush->number;
	uint64_t slots[FDB_SLOT_WORDS] = {0};

	b->flush_number = flush->number;
	b->has_flush_number = true;
	if (!is_asked)
		return;
	for (size_t i = 0; i < config->n_ports; i++) {
		uint16_t slot = config->ports[i].port->slot;

		if (config->ports[i].ifindex == flush->port)
			slots[slot / 64] |= UINT64_C(1) << slot % 64;
	}
	if (flush->port == 0)
		memset(slots, 0xff, sizeof(slots));
	fdb_flush_vlan(&b->fdb, slots, flush->vlan);
}

/* on_gone() removes the entries of the port from the database. */
static void on_detached(void *owner, struct soft_port *port)
{
	(void)owner;
	port->vlan = (struct port_vlan){0};
	port->floods = (struct port_floods){0};
	port->static_unicast = NULL;
	port->trust = 0;
	port->alters = false;
}

static const struct port_set_hooks hooks = {
    .configured = on_configured,
    .down = on_down,
    .detached = on_detached,
    .gone = on_gone,
    .adopted = on_adopted,
};

bool bridge_init(struct bridge *b, const struct bridge_params *params,
		 const struct port_set_ops *ops, void *ctx)
{
	const struct port_set_params set = {
	    .frame_buffers = params->frame_buffers,
	    .frame_octets = params->frame_octets,
	    .header_octets = params->header_octets + ETH_TAG_OCTETS,
	    .extent = params->extent,
	    .store = params->store,
	    .transit_ns = params->transit_ns,
	    .slots = params->slots,
	    .seed = params->seed,
	    .ops = ops,
	    .ctx = ctx,
	    .hooks = &hooks,
	    .owner = b,
	};

	if (!port_set_init(&b->ports, &set))
		return false;
	b->flow_seed = params->seed;
	b->dscp_priority = calloc(b->ports.slots, sizeof(*b->dscp_priority));
	if (!b->dscp_priority ||
	    !fdb_init(&b->fdb, params->fdb_entries, params->fdb_ageing_s, params->seed)) {
		port_set_destroy(&b->ports);
		free(b->dscp_priority);
		return false;
	}
	return true;
}

void bridge_destroy(struct bridge *b)
{
	port_set_destroy(&b->ports);
	fdb_destroy(&b->fdb);
	free(b->dscp_priority);
}

/* --- forwarding ---------------------------------------------------------- */

static void notify(struct bridge *b, struct soft_port *at, const struct arrival *a,
		   const struct cp_verdict *verdict);

/* Returns false if the frame was discarded. always_inline: as relay(). */
static inline bool __attribute__((always_inline))
forward(struct bridge *b, struct soft_port *out, const struct arrival *a,
	struct relay_copies *copies)
{
	struct cp_verdict verdict;

	if (!relay_forward(&b->ports, out, a, copies, &verdict))
		return false;
	if (verdict.cnm) {
		/* A copy: verdict itself stays in registers, most often as zeros. */
		const struct cp_verdict of_sample = verdict;

		notify(b, out, a, &of_sample);
	}
	return true;
}

static bool __attribute__((noinline))
flood(struct bridge *b, const struct soft_port *in, const struct arrival *a)
{
	struct relay_copies copies = {0};
	bool any = false;

	for (size_t i = 0; i < b->ports.config->n_ports; i++) {
		struct soft_port *out = soft_port_of(b->ports.config->ports[i].port);

		if (relay_carries(out, a->vid) && relay_link_for(in, out, a, b->flow_seed) == out)
			any |= forward(b, out, a, &copies);
	}
	return any;
}

/*
 * 8.6.3, 8.8: forwards to the port that the address was learned on, or to all other
 * ports if it is unknown, as far as they are members of the VLAN. Returns false if no
 * port queued the frame. is_received: not made here. always_inline: the compiler would not
 * inline it, because notify() calls it too.
 */
static inline bool __attribute__((always_inline))
relay(struct bridge *b, struct soft_port *in, const struct arrival *a, bool is_received)
{
	uint16_t slot = FDB_NO_SLOT;
	struct soft_port *out;

	if (!eth_is_group(a->octets))
		slot = fdb_lookup(&b->fdb, a->vid, a->octets, a->now_s);
	if (slot == FDB_NO_SLOT)
		return (!is_received || !in->floods.limit || relay_may_flood(in, a)) &&
		       flood(b, in, a);
	out = relay_link_for(in, b->ports.by_slot[slot], a, b->flow_seed);
	if (!out)
		return false;
	if (!relay_carries(out, a->vid)) {
		counter_add(&out->stats.discard_egress, 1);
		return false;
	}
	return forward(b, out, a, NULL);
}

/*
 * GenerateCnmPdu(), 32.9.4: sends a CNM to the source of the sampled frame, in its
 * VLAN. It is relayed as if the congestion point's port had received it, but is not
 * counted as received and its source address is not learned.
 */
static void __attribute__((noinline))
notify(struct bridge *b, struct soft_port *at, const struct arrival *a,
       const struct cp_verdict *verdict)
{
	uint8_t octets[CNM_FRAME_MAX], mac[ETH_ADDR_OCTETS];
	struct arrival own;

	port_mac(at, mac);
	if (relay_cnm(b->ports.config, at, a->priority, a, verdict, mac, octets, &own) &&
	    relay(b, at, &own, false))
		counter_add(&at->cn.cp_stats[a->priority].cp_transmitted_cnms, 1);
}

void bridge_receive(struct bridge *b, struct soft_port *in, const uint8_t *octets, uint32_t len,
		    uint32_t wire_octets, struct dcb_time now)
{
	struct arrival a; /* set member by member: not all of them twice */

	if (!in->attached || !in->up)
		return;
	a.octets = octets;
	a.len = len;
	a.now = now;
	a.now_s = relay_seconds(now);
	switch (port_receive(&b->ports, in, octets, len, wire_octets, now, &a.view)) {
	case PORT_FRAME:
		break;
	case PORT_CNM_FROM_GROUP: /* a bridge does not count it apart from other invalid frames */
		counter_add(&in->stats.discard_malformed, 1);
		return;
	case PORT_CONSUMED:
		return;
	}
	if (!relay_accept(b->dscp_priority, in, &a))
		return;
	fdb_learn(&b->fdb, a.vid, octets + ETH_SA_OFFSET, in->base.slot, a.now_s);
	(void)relay(b, in, &a, true);
}

void bridge_tick(struct bridge *b, struct dcb_time now)
{
	fdb_sweep(&b->fdb, relay_seconds(now));
}

_Static_assert(offsetof(struct bridge, ports) == 0, "see struct engine_ops");

static struct bridge *bridge_of(struct port_set *engine)
{
	return (struct bridge *)engine;
}

static void engine_destroy(struct port_set *engine)
{
	bridge_destroy(bridge_of(engine));
}

static void engine_receive(struct port_set *engine, struct soft_port *in, const uint8_t *octets,
			   uint32_t len, uint32_t wire_octets, struct dcb_time now)
{
	bridge_receive(bridge_of(engine), in, octets, len, wire_octets, now);
}

static void engine_tick(struct port_set *engine, struct dcb_time now)
{
	bridge_tick(bridge_of(engine), now);
}

const struct engine_ops bridge_engine = {
    .lacks = PROVIDER_RP | PROVIDER_RP_STATE | PROVIDER_TRILL,
    .destroy = engine_destroy,
    .receive = engine_receive,
    .transmit = port_set_transmit,
    .adopt = port_set_adopt,
    .port_up = port_set_port_up,
    .port_down = port_set_port_down,
    .port_changed = port_set_port_changed,
    .grow = port_set_grow,
    .tick = engine_tick,
};
