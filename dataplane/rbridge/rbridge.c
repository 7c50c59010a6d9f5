/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/rbridge/rbridge_private.h"

#include "dataplane/port/port_receive.h"
#include "dataplane/trill/trill_cnm.h"

#include <stddef.h>
#include <stdlib.h>

/* --- configuration ------------------------------------------------------------------ */

bool rbridge_init(struct rbridge *rb, const struct bridge_params *params,
		  const struct port_set_ops *ops, void *ctx)
{
	struct bridge_params own = *params;
	uint32_t slots = params->slots ? params->slots : DCB_SLOTS;

	own.header_octets = TRILL_ENCAPSULATION_MAX;
	*rb = (struct rbridge){.stats = calloc(slots, sizeof(*rb->stats))};
	if (!rb->stats)
		return false;
	if (!nicknames_init(&rb->nicknames)) {
		free(rb->stats);
		return false;
	}
	if (bridge_init(&rb->native, &own, ops, ctx))
		return true;
	nicknames_destroy(&rb->nicknames);
	free(rb->stats);
	return false;
}

void rbridge_destroy(struct rbridge *rb)
{
	bridge_destroy(&rb->native);
	nicknames_destroy(&rb->nicknames);
	free(rb->stats);
}

bool rbridge_fits(const struct dcb_config *config, uint32_t fdb_entries)
{
	uint64_t statics = config->trill_egress.n;

	for (size_t i = 0; i < config->n_ports; i++)
		statics += config->ports[i].config->static_unicast.n;
	return nicknames_fit(config) && statics <= bridge_static_max(fdb_entries);
}

/*
 * Removes or adds the static addresses behind other RBridges, except those that other has too:
 * they stay, so that a frame or a reader finds them at any time. Both are in the order of their
 * keys.
 */
static void set_egress(struct rbridge *rb, const struct trill_egresses *egress,
		       const struct trill_egresses *other, bool add)
{
	uint8_t mac[ETH_ADDR_OCTETS];
	uint32_t k = 0;

	for (uint32_t i = 0; i < egress->n; i++) {
		const struct trill_egress *e = &egress->of[i];
		const struct rb_nickname *nn = nicknames_find(&rb->nicknames, e->nickname);
		uint16_t vid = static_unicast_vid(e->key);

		while (k < other->n && other->of[k].key < e->key)
			k++;
		if (k < other->n && other->of[k].key == e->key &&
		    other->of[k].nickname == e->nickname)
			continue;
		static_unicast_mac(e->key, mac);
		if (add) /* rbridge_fits() has found room */
			(void)fdb_set_static(&rb->native.fdb, vid, mac,
					     nicknames_slot(&rb->nicknames, nn));
		else
			fdb_clear_static(&rb->native.fdb, vid, mac,
					 nicknames_slot(&rb->nicknames, nn));
	}
}

/* The addresses behind an RBridge have the limit of those at a port. */
static void limit_learning(struct rbridge *rb)
{
	for (uint32_t i = 0; i < NICKNAMES_MAX; i++)
		fdb_limit(&rb->native.fdb, (uint16_t)(FDB_SLOTS + i),
			  bridge_learn_limit(rb->native.fdb.entries_max));
}

/* A port that is attached now starts with counters of 0. */
static void reset_new_ports(struct rbridge *rb, const struct dcb_config *config)
{
	if (dcb_config_follows(config, rb_config(rb)))
		return;
	for (size_t i = 0; i < config->n_ports; i++) {
		struct soft_port *port = soft_port_of(config->ports[i].port);

		if (!port->attached)
			counters_clear(rb_stats(rb, port), sizeof(struct trill_port_stats));
	}
}

void rbridge_adopt(struct rbridge *rb, const struct dcb_config *config, struct dcb_time now)
{
	static const struct trill_egresses none = {.n = 0};
	const struct dcb_config *old = rb_config(rb);
	bool changed = !nicknames_same(old, config);

	if (!old)
		limit_learning(rb);
	else if (changed)
		set_egress(rb, &old->trill_egress, &config->trill_egress, false);
	reset_new_ports(rb, config);
	port_set_adopt(&rb->native.ports, config, now);
	if (!changed)
		return;
	nicknames_build(&rb->nicknames, config, &rb->native.fdb);
	set_egress(rb, &config->trill_egress, old ? &old->trill_egress : &none, true);
}

/* --- reception of native frames ------------------------------------------------------- */

/*
 * Frames that are never encapsulated, RFC 6325 4.6.1.1 and draft-eastlake-trill-cn-00: TRILL
 * control frames and LLDP. Neither are TRILL frames: not even behind further tags, which other
 * systems remove. BPDUs have reserved addresses: relay_accept().
 */
static bool is_control(const uint8_t *octets, const struct eth_view *view)
{
	return view->inner_type == ETH_TYPE_L2_ISIS || view->inner_type == ETH_TYPE_TRILL ||
	       view->ethertype == ETH_TYPE_LLDP || rb_is_trill_address(octets);
}

/* 4.2.4.3: a port forwards native frames of the VLANs whose appointed forwarder it is. */
static bool takes_native(struct rbridge *rb, const struct soft_port *in, const struct arrival *a)
{
	const struct trill_port_config *config = rb_port_config(in);

	if (!trill_port_is_native(config)) {
		counter_add(&rb_stats(rb, in)->mode, 1);
		return false;
	}
	if (ranges_has(config->not_appointed, a->vid)) {
		counter_add(&rb_stats(rb, in)->not_appointed, 1);
		return false;
	}
	return true;
}

/*
 * draft-eastlake-trill-cn-00, 3.1: returns whether it is a CNM to this RBridge. Choice: to the
 * address of any port, because it can arrive at another link of an aggregation, or at another
 * port on the LAN.
 */
static bool is_cnm_to_us(const struct rbridge *rb, const struct arrival *a)
{
	const struct dcb_config *config = rb_config(rb);
	uint8_t mac[ETH_ADDR_OCTETS];

	for (size_t i = 0; i < config->n_ports; i++) {
		port_mac(soft_port_of(config->ports[i].port), mac);
		if (trill_cnm_is_to(a->octets, &a->view, mac))
			return true;
	}
	return false;
}

/* f->native.octets, len and view are set. */
static void __attribute__((noinline))
native_receive(struct rbridge *rb, struct soft_port *in, struct rb_frame *f, struct dcb_time now)
{
	struct arrival *a = &f->native;

	a->now = now;
	a->now_s = relay_seconds(now);
	f->in = in;
	f->octets = NULL;
	f->ingress = rb_config(rb)->trill.nickname;
	if (!eth_is_reserved(a->octets) && is_control(a->octets, &a->view)) {
		counter_add(&rb_stats(rb, in)->control, 1);
		return;
	}
	if (!relay_accept(rb->native.dscp_priority, in, a))
		return;
	if (__builtin_expect(eth_is_cnm(&a->view), 0) && is_cnm_to_us(rb, a)) {
		rb_cnm_receive(rb, in, a);
		return;
	}
	if (!takes_native(rb, in, a))
		return;
	fdb_learn(&rb->native.fdb, a->vid, a->octets + ETH_SA_OFFSET, in->base.slot, a->now_s);
	f->outer_priority = a->priority;
	if (rb_route(rb, in, f) & RB_ENCAPSULATED)
		counter_add(&rb_stats(rb, in)->ingressed, 1);
}

void rbridge_receive(struct rbridge *rb, struct soft_port *in, const uint8_t *octets, uint32_t len,
		     uint32_t wire_octets, struct dcb_time now)
{
	struct rb_frame f; /* members are set in turn: it is long, and this is each frame's path */

	if (!in->attached || !in->up)
		return;
	switch (
	    port_receive(&rb->native.ports, in, octets, len, wire_octets, now, &f.native.view)) {
	case PORT_FRAME:
		break;
	case PORT_CNM_FROM_GROUP: /* as in a bridge */
		counter_add(&in->stats.discard_malformed, 1);
		return;
	case PORT_CONSUMED:
		return;
	}
	f.copies = (struct relay_copies){0};
	if (trill_is_data(&f.native.view)) {
		f.octets = octets;
		f.len = len;
		rb_trill_receive(rb, in, &f, now);
	} else {
		f.native.octets = octets;
		f.native.len = len;
		native_receive(rb, in, &f, now);
	}
}

void rbridge_tick(struct rbridge *rb, struct dcb_time now)
{
	bridge_tick(&rb->native, now);
}

/* --- counters --------------------------------------------------------------------------- */

void rbridge_read_port(const struct rbridge *rb, uint16_t slot, struct trill_port_stats *out)
{
	counters_copy(out, &rb->stats[slot], sizeof(*out));
}

bool rbridge_read_nickname(const struct rbridge *rb, uint16_t nickname,
			   struct trill_nickname_stats *out)
{
	return nicknames_read(&rb->nicknames, &rb->native.fdb, nickname, out);
}

/* --- addresses, for other threads ------------------------------------------------------- */

/*
 * A number is given to another nickname only after its addresses were removed. It has none while
 * nicknames_build() removes them.
 */
uint16_t rbridge_nickname_of(const struct rbridge *rb, uint16_t slot)
{
	const struct rb_nickname *nn = nicknames_of_slot(&rb->nicknames, slot);

	return __atomic_load_n(&nn->nickname, __ATOMIC_ACQUIRE);
}

_Static_assert(offsetof(struct rbridge, native.ports) == 0, "see struct engine_ops");

static struct rbridge *rbridge_of(struct port_set *engine)
{
	return (struct rbridge *)engine;
}

static void engine_destroy(struct port_set *engine)
{
	rbridge_destroy(rbridge_of(engine));
}

static void engine_receive(struct port_set *engine, struct soft_port *in, const uint8_t *octets,
			   uint32_t len, uint32_t wire_octets, struct dcb_time now)
{
	rbridge_receive(rbridge_of(engine), in, octets, len, wire_octets, now);
}

static void engine_adopt(struct port_set *engine, const struct dcb_config *config,
			 struct dcb_time now)
{
	rbridge_adopt(rbridge_of(engine), config, now);
}

static void engine_tick(struct port_set *engine, struct dcb_time now)
{
	rbridge_tick(rbridge_of(engine), now);
}

const struct engine_ops rbridge_engine = {
    .lacks = PROVIDER_RP | PROVIDER_RP_STATE,
    .destroy = engine_destroy,
    .receive = engine_receive,
    .transmit = port_set_transmit,
    .adopt = engine_adopt,
    .port_up = port_set_port_up,
    .port_down = port_set_port_down,
    .port_changed = port_set_port_changed,
    .grow = port_set_grow,
    .tick = engine_tick,
};
