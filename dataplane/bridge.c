/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/bridge.h"

#include "dataplane/core/eth.h"
#include "dataplane/core/octets.h"
#include "dataplane/core/pfc_pdu.h"
#include "dataplane/counter.h"

#include <string.h>

#define VID_RESERVED 4095 /* 802.1Q table 9-2: never used */

bool bridge_init(struct bridge *b, const struct bridge_params *params, const struct bridge_ops *ops,
		 void *ctx)
{
	static const struct bridge_ops no_ops;

	*b = (struct bridge){
	    .ops = ops ? ops : &no_ops,
	    .ctx = ctx,
	    .frame_octets = params->frame_octets,
	};
	dcb_rng_seed(&b->rng, params->seed, 1);
	/* Room for the tag that an untagged frame may leave with. */
	if (!frame_pool_init(&b->pool, params->frame_buffers,
			     params->frame_octets + ETH_TAG_OCTETS))
		return false;
	if (!fdb_init(&b->fdb, params->fdb_entries, params->fdb_ageing_s, params->seed)) {
		frame_pool_destroy(&b->pool);
		return false;
	}
	return true;
}

/* --- ports with frames queued -------------------------------------------- */

static void backlog_add(struct bridge *b, struct soft_port *port)
{
	if (port->backlog_link)
		return;
	port->backlog_next = b->backlog;
	port->backlog_link = &b->backlog;
	if (b->backlog)
		b->backlog->backlog_link = &port->backlog_next;
	b->backlog = port;
}

static void backlog_remove(struct soft_port *port)
{
	if (!port->backlog_link)
		return;
	*port->backlog_link = port->backlog_next;
	if (port->backlog_next)
		port->backlog_next->backlog_link = port->backlog_link;
	port->backlog_link = NULL;
}

static void empty_port(struct bridge *b, struct soft_port *port)
{
	port_flush(port, &b->pool);
	backlog_remove(port);
	port->blocked = false;
}

/* --- configuration ------------------------------------------------------- */

static void detach(struct bridge *b, struct soft_port *port)
{
	if (b->ops->detached)
		b->ops->detached(b->ctx, port);
	empty_port(b, port);
	port->attached = false;
	port->config = NULL;
	b->by_slot[port->base.slot] = NULL;
}

static void attach(struct bridge *b, struct soft_port *port)
{
	b->by_slot[port->base.slot] = port;
	port->attached = true;
	if (b->ops->attached)
		b->ops->attached(b->ctx, port);
}

/* Ports of the old configuration that the new one does not name. */
static bool detach_missing(struct bridge *b, const struct dcb_config *old, uint64_t *slots)
{
	bool any = false;

	for (size_t i = 0; old && i < old->n_ports; i++) {
		struct soft_port *port = soft_port_of(old->ports[i].port);

		if (port->adoption == b->adoptions)
			continue;
		slots[port->base.slot / 64] |= UINT64_C(1) << (port->base.slot % 64);
		any = true;
		detach(b, port);
	}
	return any;
}

static bool same_ports(const struct dcb_config *a, const struct dcb_config *b)
{
	if (!a || a->n_ports != b->n_ports)
		return false;
	for (size_t i = 0; i < a->n_ports; i++) {
		if (a->ports[i].port != b->ports[i].port)
			return false;
	}
	return true;
}

/* First of all, for a new port may have the slot of one that goes. */
static void follow_ports(struct bridge *b, const struct dcb_config *old,
			 const struct dcb_config *config)
{
	uint64_t gone[DCB_SLOTS / 64] = {0};

	b->adoptions++;
	for (size_t i = 0; i < config->n_ports; i++)
		soft_port_of(config->ports[i].port)->adoption = b->adoptions;
	if (detach_missing(b, old, gone))
		fdb_flush(&b->fdb, gone);
}

/* The usual change, one port of thousands, does not touch the memory of the others. */
void bridge_adopt(struct bridge *b, const struct dcb_config *config)
{
	const struct dcb_config *old = b->config;
	uint8_t cnpv = config->cnpv_acting;
	bool same = same_ports(old, config);

	if (!same)
		follow_ports(b, old, config);
	for (size_t i = 0; i < config->n_ports; i++) {
		struct soft_port *port = soft_port_of(config->ports[i].port);

		if (same && old->cnpv_acting == cnpv &&
		    old->ports[i].config == config->ports[i].config)
			continue;
		if (port->config != config->ports[i].config || port->cnpv != cnpv)
			port_configure(port, config->ports[i].config, cnpv, &b->rng);
		if (!port->attached)
			attach(b, port);
	}
	b->config = config;
}

void bridge_destroy(struct bridge *b)
{
	for (size_t slot = 0; slot < DCB_SLOTS; slot++) {
		if (b->by_slot[slot])
			detach(b, b->by_slot[slot]);
	}
	fdb_destroy(&b->fdb);
	frame_pool_destroy(&b->pool);
}

void bridge_port_down(struct bridge *b, struct soft_port *port)
{
	port->up = false;
	empty_port(b, port);
	fdb_flush_port(&b->fdb, port->base.slot);
}

void bridge_port_up(struct bridge *b, struct soft_port *port)
{
	(void)b;
	port->up = true;
}

/* --- a frame's way ------------------------------------------------------- */

/* A received frame, parsed and classified: 8.6.1, 6.9.3. */
struct arrival {
	const uint8_t *octets;
	uint32_t len;
	struct eth_view view;
	uint16_t vid;
	uint8_t priority;
	struct dcb_time now;
};

static bool leaves_tagged(const struct soft_port *out, uint16_t vid)
{
	return vid != out->base.settings.pvid || out->base.settings.pvid_tagged;
}

/* Addresses, C-TAG if it leaves tagged, and all that followed them: 6.9.2. */
static void write_frame(struct dcb_frame *frame, const struct arrival *a, bool tagged)
{
	uint32_t rest = ETH_TYPE_OFFSET + (a->view.tagged ? ETH_TAG_OCTETS : 0);
	uint8_t *p = frame->data;

	frame->vid = a->vid;
	frame->priority = a->priority;
	frame->flags = 0;
	memcpy(p, a->octets, ETH_TYPE_OFFSET);
	p += ETH_TYPE_OFFSET;
	if (tagged) {
		put_be16(p, ETH_TYPE_CTAG);
		put_be16(p + 2,
			 (uint16_t)(a->priority << 13 | a->view.drop_eligible << 12 | a->vid));
		p += ETH_TAG_OCTETS;
	}
	memcpy(p, a->octets + rest, a->len - rest);
	frame->len = (uint32_t)(p - frame->data) + a->len - rest;
}

static void forward(struct bridge *b, struct soft_port *out, const struct arrival *a)
{
	bool tagged = leaves_tagged(out, a->vid);
	uint32_t len =
	    a->len - (a->view.tagged ? ETH_TAG_OCTETS : 0) + (tagged ? ETH_TAG_OCTETS : 0);
	struct dcb_frame *frame;

	if (!port_admit(out, a->priority, len))
		return;
	frame = frame_pool_get(&b->pool);
	if (!frame) {
		port_count_no_buffer(out, a->priority);
		return;
	}
	write_frame(frame, a, tagged);
	(void)port_enqueue(out, frame, a->now, &b->rng);
	backlog_add(b, out);
}

static void flood(struct bridge *b, const struct soft_port *in, const struct arrival *a)
{
	for (size_t i = 0; i < b->config->n_ports; i++) {
		struct soft_port *out = soft_port_of(b->config->ports[i].port);

		if (out != in && out->up)
			forward(b, out, a);
	}
}

static uint32_t seconds_of(struct dcb_time t)
{
	return (uint32_t)(t.ns / DCB_NS_PER_S);
}

/* 8.6.3, 8.8: to the port the address was learnt on, to all others if it was not. */
static void relay(struct bridge *b, struct soft_port *in, const struct arrival *a)
{
	uint16_t slot = FDB_NO_SLOT;
	struct soft_port *out;

	if (!eth_is_group(a->octets))
		slot = fdb_lookup(&b->fdb, a->vid, a->octets, seconds_of(a->now));
	if (slot == FDB_NO_SLOT) {
		flood(b, in, a);
		return;
	}
	out = b->by_slot[slot];
	if (out != in && out->up)
		forward(b, out, a);
}

/* MAC control sublayer, 802.3 clause 31: what it does not know ends here too. */
static void mac_control(struct soft_port *in, const struct arrival *a)
{
	struct pfc_pdu pdu;

	switch (pfc_pdu_decode(a->octets, a->len, &pdu)) {
	case PFC_PDU_OK:
		counter_add(&in->stats.pfc_frames_received, 1);
		for (unsigned i = 0; i < DCB_PRIORITIES; i++) {
			if (pdu.enable >> i & 1)
				counter_add(&in->pfc_stats[i].pfc_indications, 1);
		}
		break;
	case PFC_PDU_PAUSE:
	case PFC_PDU_BAD_OPCODE:
		counter_add(&in->stats.discard_reserved, 1);
		break;
	default:
		counter_add(&in->stats.discard_malformed, 1);
	}
}

/* Why a frame is not relayed: the counter that says so, NULL when it may be. */
static uint64_t *filtered(struct bridge *b, struct soft_port *in, struct arrival *a,
			  uint32_t wire_octets)
{
	struct port_stats *stats = &in->stats;

	if (wire_octets > a->len || a->len > b->frame_octets)
		return &stats->discard_oversize;
	if (eth_parse(a->octets, a->len, &a->view) != ETH_OK)
		return &stats->discard_malformed;
	if (eth_is_reserved(a->octets) && !eth_is_mac_control(&a->view))
		return &stats->discard_reserved;
	if (a->view.vid == VID_RESERVED)
		return &stats->discard_vlan;
	return NULL;
}

void bridge_receive(struct bridge *b, struct soft_port *in, const uint8_t *octets, uint32_t len,
		    uint32_t wire_octets, struct dcb_time now)
{
	struct arrival a = {.octets = octets, .len = len, .now = now};
	uint64_t *reason;

	if (!in->attached || !in->up)
		return;
	counter_add(&in->stats.rx_frames, 1);
	counter_add(&in->stats.rx_octets, wire_octets);
	reason = filtered(b, in, &a, wire_octets);
	if (reason) {
		counter_add(reason, 1);
		return;
	}
	if (eth_is_mac_control(&a.view)) {
		mac_control(in, &a);
		return;
	}
	a.vid = a.view.vid == ETH_VID_NONE ? in->base.settings.pvid : a.view.vid;
	a.priority = a.view.tagged ? a.view.priority : in->base.settings.default_priority;
	fdb_learn(&b->fdb, a.vid, octets + ETH_SA_OFFSET, in->base.slot, seconds_of(now));
	relay(b, in, &a);
}

struct dcb_time bridge_transmit(struct bridge *b, struct dcb_time now)
{
	struct dcb_time next = DCB_TIME_NEVER;
	struct soft_port *port, *following;

	for (port = b->backlog; port; port = following) {
		int error = port_transmit(port, &b->pool, now);

		following = port->backlog_next;
		if (error) {
			bridge_port_down(b, port);
			if (b->ops->failed)
				b->ops->failed(b->ctx, port, error);
		} else if (!port->filled) {
			backlog_remove(port);
		} else {
			next = dcb_time_min(next, port_deadline(port));
			if (port->blocked && b->ops->blocked)
				b->ops->blocked(b->ctx, port);
		}
	}
	return next;
}

void bridge_tick(struct bridge *b, struct dcb_time now)
{
	fdb_sweep(&b->fdb, seconds_of(now));
}
