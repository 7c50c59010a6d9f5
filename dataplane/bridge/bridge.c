/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/bridge/bridge.h"

#include "dataplane/port/aggregate.h"
#include "dataplane/core/cnm.h"
#include "dataplane/core/eth.h"
#include "dataplane/core/flow.h"
#include "lib/octets.h"
#include "lib/counter.h"
#include "lib/ranges.h"
#include "dataplane/port/port_pfc_tx.h"
#include "dataplane/port/port_receive.h"

#include <stdlib.h>
#include <string.h>

#define DEI_BIT 0x10 /* in the first octet of a C-TAG's control information */

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

static void set_rules(struct soft_port *port, const struct vlan_port_config *vlan)
{
	bool filters = vlan->ingress_filtering && !is_member_of_all(vlan);

	port->vlan.ingress = filters || vlan->frame_types > VLAN_ADMIT_ALL ? vlan : NULL;
	port->vlan.excluded = is_member_of_all(vlan) ? NULL : vlan->excluded;
}

/*
 * Puts the static entries of now in force in place of those of before. An entry that went
 * to another port may be in the database for it already, or be added later.
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
	if (port->vlan.static_unicast != now)
		set_static(b, port->base.slot, port->vlan.static_unicast, now);
	port->vlan.static_unicast = now;
}

/* A DSCP without an entry has the default priority. */
static void configure_trust(struct bridge *b, struct soft_port *port)
{
	uint8_t fallback = port->base.settings.default_priority;
	uint8_t *priority = b->dscp_priority[port->base.slot];
	struct app_map map;

	port->trusts_dscp = port->config->trust.trust == TRUST_DSCP;
	if (!port->trusts_dscp)
		return;
	port_app_map(&map, port->config, port->peer_apps);
	for (unsigned i = 0; i < APP_DSCPS; i++)
		priority[i] = map.dscp[i] == APP_NONE ? fallback : map.dscp[i];
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
	}
	port_pfc_tx_configure(port);
	port_set_schedule_pfc(&b->ports, port); /* thresholds changed: may have to send XON */
}

/* on_gone() removes the entries of the port from the database. */
static void on_detached(void *owner, struct soft_port *port)
{
	(void)owner;
	port->vlan = (struct port_vlan){0};
	port->trusts_dscp = false;
}

static const struct port_set_hooks hooks = {
    .configured = on_configured,
    .down = on_down,
    .detached = on_detached,
    .gone = on_gone,
};

bool bridge_init(struct bridge *b, const struct bridge_params *params,
		 const struct port_set_ops *ops, void *ctx)
{
	const struct port_set_params set = {
	    .frame_buffers = params->frame_buffers,
	    .frame_octets = params->frame_octets,
	    .header_octets = ETH_TAG_OCTETS, /* an untagged frame may leave tagged */
	    .transit_ns = params->transit_ns,
	    .seed = params->seed,
	    .ops = ops,
	    .ctx = ctx,
	    .hooks = &hooks,
	    .owner = b,
	};

	if (!port_set_init(&b->ports, &set))
		return false;
	b->flow_seed = params->seed;
	b->dscp_priority = calloc(DCB_SLOTS, sizeof(*b->dscp_priority));
	if (!b->dscp_priority ||
	    !fdb_init(&b->fdb, params->fdb_entries, params->fdb_ageing_s, params->seed)) {
		frame_pool_destroy(&b->ports.pool);
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

/* A received frame, parsed and classified: 8.6.1, 6.9.3. */
struct arrival {
	const uint8_t *octets;
	uint32_t len;
	struct eth_view view;
	uint16_t vid;
	uint8_t priority;
	uint8_t link_priority;     /* received priority, before regeneration (6.9.4) */
	bool left_domain;          /* an edge has mapped link_priority, a CNPV, to another */
	struct soft_port *ingress; /* receiving port if it has PFC for link_priority, else NULL */
	struct dcb_time now;
	uint32_t now_s; /* now in seconds, for the filtering database */
};

static uint32_t seconds_of(struct dcb_time t)
{
	return (uint32_t)(t.ns / DCB_NS_PER_S);
}

/* Format of a frame on an egress port: addresses, a C-TAG or none (6.9.2), copied octets. */
struct departure {
	bool tagged;
	uint32_t rest; /* offset in the received frame from where octets are copied unchanged */
	uint32_t len;  /* before padding */
};

/*
 * 32.1: a port in defense mode edge or interior removes the CN-TAG of frames of the
 * CNPV, because the neighbor may not support CN-TAGs. Every port removes it from a
 * frame that has left the domain, where an edge mapped its priority to another. The
 * CN-TAG of a CNM is part of its format and stays; the priority of CNMs should not be
 * a CNPV.
 */
static bool strips_cn_tag(const struct soft_port *out, const struct arrival *a)
{
	return a->view.cn_tagged && (a->left_domain || out->cn.map.strip >> a->priority & 1) &&
	       !eth_is_cnm(&a->view);
}

/*
 * The untagged set of a port is its PVID or empty. Bridges send no priority-tagged
 * frames (6.9.2), so CNMs and the priorities that the neighbor uses have a VLAN tag.
 */
static bool leaves_tagged(const struct soft_port *out, const struct arrival *a)
{
	const struct port_settings *settings = &out->base.settings;

	return a->vid != settings->pvid || settings->pvid_tagged ||
	       out->cn.tagged >> a->priority & 1 || eth_is_cnm(&a->view);
}

static struct departure departure_of(const struct soft_port *out, const struct arrival *a)
{
	struct departure d = {
	    .tagged = leaves_tagged(out, a),
	    .rest = eth_cn_tag_offset(&a->view),
	};

	if (strips_cn_tag(out, a))
		d.rest += ETH_TAG_OCTETS;
	d.len = ETH_TYPE_OFFSET + (d.tagged ? ETH_TAG_OCTETS : 0) + a->len - d.rest;
	return d;
}

static void write_frame(struct dcb_frame *frame, const struct arrival *a, const struct departure *d)
{
	uint8_t *p = frame->data;

	frame->priority = a->priority;
	frame->flags = 0;
	memcpy(p, a->octets, ETH_TYPE_OFFSET);
	p += ETH_TYPE_OFFSET;
	if (d->tagged) {
		put_be16(p, ETH_TYPE_CTAG);
		put_be16(p + 2,
			 (uint16_t)(a->priority << 13 | a->view.drop_eligible << 12 | a->vid));
		p += ETH_TAG_OCTETS;
	}
	memcpy(p, a->octets + d->rest, a->len - d->rest);
	frame->len = eth_pad(frame->data, d->len);
}

static void notify(struct bridge *b, struct soft_port *at, const struct arrival *a,
		   const struct cp_verdict *verdict);

/* With PFC, the ingress port's receive buffer limits the frame; otherwise the egress port. */
static inline struct buffer_account *admit(struct bridge *b, struct soft_port *out,
					   const struct arrival *a, uint32_t len)
{
	return a->ingress ? port_set_admit_lossless(&b->ports, a->ingress, a->link_priority, len)
			  : port_admit(out, a->priority, len);
}

/* The memory is smaller than the promises: no frame buffer for a frame that fits its account. */
static void __attribute__((noinline))
count_no_buffer(struct soft_port *out, const struct arrival *a, struct buffer_account *account,
		uint32_t len)
{
	buffer_release(account, len, 1);
	counter_add(&account->no_frames, 1);
	if (a->ingress)
		counter_add(&a->ingress->pfc.stats[a->link_priority].pfc_discards, 1);
	else
		port_count_no_buffer(out, a->priority);
}

/* Returns false if the frame was discarded. */
static bool forward(struct bridge *b, struct soft_port *out, const struct arrival *a)
{
	struct departure d = departure_of(out, a);
	uint32_t len = eth_padded_octets(d.len);
	struct buffer_account *account;
	struct cp_verdict verdict;
	struct dcb_frame *frame;

	if (port_discards(out, a->priority) || !(account = admit(b, out, a, len)))
		return false;
	frame = frame_pool_get(&b->ports.pool);
	if (!frame) {
		count_no_buffer(out, a, account, len);
		return false;
	}
	write_frame(frame, a, &d);
	frame->account = account;
	verdict = port_set_enqueue(&b->ports, out, frame, a->now);
	if (verdict.mark && d.tagged)
		frame->data[ETH_TYPE_OFFSET + 2] |= DEI_BIT;
	if (verdict.cnm)
		notify(b, out, a, &verdict);
	return true;
}

/*
 * Hash of a flow, whose frames must stay in order: addresses, VLAN, and the ports of
 * IP packets. The priority is not included: frames of different priorities may
 * overtake each other in any case.
 */
static uint64_t hash_of(const struct bridge *b, const struct arrival *a)
{
	uint32_t at = a->view.payload_offset - 2u;
	struct flow_keys keys;

	(void)flow_parse(&keys, a->octets, a->octets + ETH_SA_OFFSET, a->vid, a->octets + at,
			 a->len - at);
	return flow_hash(&keys, b->flow_seed);
}

/* Returns the link for the frame among the links of out's bridge port; NULL: not forwarded. */
static struct soft_port *link_for(const struct bridge *b, const struct soft_port *in,
				  struct soft_port *out, const struct arrival *a)
{
	if (!out->ring_next)
		return out != in && out->up ? out : NULL;
	return aggregate_is_same(out, in) ? NULL : aggregate_choose(out, hash_of(b, a));
}

/* 8.6.4: a port sends the frames of the VLANs of which it is a member. */
static inline bool carries(const struct soft_port *out, uint16_t vid)
{
	return !out->vlan.excluded || !ranges_has(out->vlan.excluded, vid);
}

static bool flood(struct bridge *b, const struct soft_port *in, const struct arrival *a)
{
	bool any = false;

	for (size_t i = 0; i < b->ports.config->n_ports; i++) {
		struct soft_port *out = soft_port_of(b->ports.config->ports[i].port);

		if (carries(out, a->vid) && link_for(b, in, out, a) == out)
			any |= forward(b, out, a);
	}
	return any;
}

/*
 * 8.6.3, 8.8: forwards to the port that the address was learned on, or to all other
 * ports if it is unknown, as far as they are members of the VLAN. Returns false if no
 * port queued the frame. always_inline: the compiler would not inline it, because
 * notify() calls it too.
 */
static inline bool __attribute__((always_inline))
relay(struct bridge *b, struct soft_port *in, const struct arrival *a)
{
	uint16_t slot = FDB_NO_SLOT;
	struct soft_port *out;

	if (!eth_is_group(a->octets))
		slot = fdb_lookup(&b->fdb, a->vid, a->octets, a->now_s);
	if (slot == FDB_NO_SLOT)
		return flood(b, in, a);
	out = link_for(b, in, b->ports.by_slot[slot], a);
	if (!out)
		return false;
	if (!carries(out, a->vid)) {
		counter_add(&out->stats.discard_egress, 1);
		return false;
	}
	return forward(b, out, a);
}

/*
 * GenerateCnmPdu(), 32.9.4: sends a CNM to the source of the sampled frame, in its
 * VLAN. It is relayed as if the congestion point's port had received it, but is not
 * counted as received and its source address is not learned. A CNM never causes
 * another CNM, even if the priority of CNMs is a CNPV.
 */
static void __attribute__((noinline))
notify(struct bridge *b, struct soft_port *at, const struct arrival *a,
       const struct cp_verdict *verdict)
{
	const struct dcb_config *config = b->ports.config;
	uint8_t octets[CNM_FRAME_MAX], mac[ETH_ADDR_OCTETS];
	struct arrival own = {
	    .octets = octets,
	    .vid = a->vid,
	    .priority = config->global.cng_cnm_transmit_priority,
	    .now = a->now,
	    .now_s = a->now_s,
	};
	struct cnm cnm;

	if (eth_is_cnm(&a->view))
		return;
	port_mac(at, mac);
	cnm_of_frame(&cnm, verdict, a->octets, a->len, &a->view, a->priority,
		     at->cn.cp[a->priority].config.cp_min_header_octets);
	dcb_cpid(config->system_address, at->base.slot, a->priority, cnm.cpid);
	own.len = cnm_frame(octets, &cnm, a->octets + ETH_SA_OFFSET, mac, a->view.flow_id);
	if (eth_parse(octets, own.len, &own.view) == ETH_OK && relay(b, at, &own))
		counter_add(&at->cn.cp_stats[a->priority].cp_transmitted_cnms, 1);
}

/*
 * 32.1: a congestion point of the domain of a CNPV is not beyond an edge of the domain.
 * A CNM that arrives there, and names that CNPV or is too short to name one, is forged.
 * Tags before it do not hide it: bridges on the path remove some of them. The frame has
 * inner_type ETH_TYPE_CNM.
 */
static bool __attribute__((noinline))
is_foreign_cnm(uint8_t edge_of, const uint8_t *octets, uint32_t len)
{
	struct octets_in in = octets_in(octets, len);
	const uint8_t *priority;

	(void)octets_in_take(&in, ETH_TYPE_OFFSET);
	while (octets_in_be16(&in) != ETH_TYPE_CNM && !in.overrun)
		(void)octets_in_take(&in, ETH_TAG_OCTETS - 2);
	(void)octets_in_take(&in, CNM_PRIORITY_OFFSET);
	priority = octets_in_take(&in, 1);
	return !priority || edge_of >> (*priority >> 5) & 1;
}

/*
 * Acceptable frame types (6.9) and ingress filtering (8.6.2) of a port that has such a
 * rule. Returns false and counts the frame if the port discards it.
 */
static bool __attribute__((noinline)) passes_ingress(struct soft_port *in, const struct arrival *a)
{
	const struct vlan_port_config *vlan = in->vlan.ingress;
	bool tagged = a->view.vid != ETH_VID_NONE; /* a priority-tagged frame is not */

	if (vlan->frame_types == (tagged ? VLAN_ADMIT_UNTAGGED : VLAN_ADMIT_TAGGED)) {
		counter_add(&in->stats.discard_frame_type, 1);
		return false;
	}
	if (vlan->ingress_filtering && ranges_has(vlan->excluded, a->vid)) {
		counter_add(&in->stats.discard_ingress, 1);
		return false;
	}
	return true;
}

/* Returns the priority of an untagged frame at a port that trusts DSCPs. */
static uint8_t __attribute__((noinline))
trusted_priority(const struct bridge *b, const struct soft_port *in, const struct arrival *a)
{
	uint32_t at = a->view.payload_offset - 2u;
	int dscp = app_dscp(a->octets + at, a->len - at);

	return dscp < 0 ? in->base.settings.default_priority
			: b->dscp_priority[in->base.slot][dscp];
}

/* 6.9.3: returns the received priority; that of an untagged frame is the port's choice. */
static inline uint8_t priority_of(const struct bridge *b, const struct soft_port *in,
				  const struct arrival *a)
{
	if (a->view.tagged)
		return a->view.priority;
	return in->trusts_dscp ? trusted_priority(b, in, a) : in->base.settings.default_priority;
}

void bridge_receive(struct bridge *b, struct soft_port *in, const uint8_t *octets, uint32_t len,
		    uint32_t wire_octets, struct dcb_time now)
{
	struct arrival a = {.octets = octets, .len = len, .now = now, .now_s = seconds_of(now)};

	if (!in->attached || !in->up)
		return;
	switch (port_receive(&b->ports, in, octets, len, wire_octets, now, &a.view)) {
	case PORT_FRAME:
		break;
	case PORT_CNM_FROM_GROUP: /* a bridge does not count it apart from other invalid frames */
		counter_add(&in->stats.discard_malformed, 1);
		return;
	case PORT_CONSUMED:
		return;
	}
	if (eth_is_reserved(octets)) {
		counter_add(&in->stats.discard_reserved, 1);
		return;
	}
	if (a.view.inner_type == ETH_TYPE_CNM && in->cn.map.leave &&
	    is_foreign_cnm(in->cn.map.leave, octets, len)) {
		counter_add(&in->stats.discard_cnm, 1);
		return;
	}
	a.vid = a.view.vid == ETH_VID_NONE ? in->base.settings.pvid : a.view.vid;
	if (in->vlan.ingress && !passes_ingress(in, &a))
		return;
	a.link_priority = priority_of(b, in, &a);
	a.ingress = pfc_tx_is_enabled(&in->pfc.tx, a.link_priority) ? in : NULL;
	a.priority = in->cn.map.ingress[a.link_priority];
	a.left_domain = in->cn.map.leave >> a.link_priority & 1;
	fdb_learn(&b->fdb, a.vid, octets + ETH_SA_OFFSET, in->base.slot, a.now_s);
	(void)relay(b, in, &a);
}

void bridge_tick(struct bridge *b, struct dcb_time now)
{
	fdb_sweep(&b->fdb, seconds_of(now));
}
