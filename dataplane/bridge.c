/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/bridge.h"

#include "dataplane/core/eth.h"
#include "dataplane/core/octets.h"
#include "dataplane/counter.h"
#include "dataplane/port_receive.h"

#include <string.h>

/* --- what the ports tell ---------------------------------------------------- */

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

static const struct port_set_hooks hooks = {
    .down = on_down,
    .gone = on_gone,
};

bool bridge_init(struct bridge *b, const struct bridge_params *params,
		 const struct port_set_ops *ops, void *ctx)
{
	const struct port_set_params set = {
	    .frame_buffers = params->frame_buffers,
	    .frame_octets = params->frame_octets,
	    .header_octets = ETH_TAG_OCTETS, /* an untagged frame may leave tagged */
	    .seed = params->seed,
	    .ops = ops,
	    .ctx = ctx,
	    .hooks = &hooks,
	    .owner = b,
	};

	if (!port_set_init(&b->ports, &set))
		return false;
	if (!fdb_init(&b->fdb, params->fdb_entries, params->fdb_ageing_s, params->seed)) {
		frame_pool_destroy(&b->ports.pool);
		return false;
	}
	return true;
}

void bridge_destroy(struct bridge *b)
{
	port_set_destroy(&b->ports);
	fdb_destroy(&b->fdb);
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
	frame = frame_pool_get(&b->ports.pool);
	if (!frame) {
		port_count_no_buffer(out, a->priority);
		return;
	}
	write_frame(frame, a, tagged);
	(void)port_set_enqueue(&b->ports, out, frame, a->now);
}

static void flood(struct bridge *b, const struct soft_port *in, const struct arrival *a)
{
	for (size_t i = 0; i < b->ports.config->n_ports; i++) {
		struct soft_port *out = soft_port_of(b->ports.config->ports[i].port);

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
	out = b->ports.by_slot[slot];
	if (out != in && out->up)
		forward(b, out, a);
}

void bridge_receive(struct bridge *b, struct soft_port *in, const uint8_t *octets, uint32_t len,
		    uint32_t wire_octets, struct dcb_time now)
{
	struct arrival a = {.octets = octets, .len = len, .now = now};

	if (!in->attached || !in->up)
		return;
	if (port_receive(in, octets, len, wire_octets, b->ports.frame_octets, &a.view) !=
	    PORT_FRAME) {
		return;
	}
	if (eth_is_reserved(octets)) {
		counter_add(&in->stats.discard_reserved, 1);
		return;
	}
	a.vid = a.view.vid == ETH_VID_NONE ? in->base.settings.pvid : a.view.vid;
	a.priority = a.view.tagged ? a.view.priority : in->base.settings.default_priority;
	fdb_learn(&b->fdb, a.vid, octets + ETH_SA_OFFSET, in->base.slot, seconds_of(now));
	relay(b, in, &a);
}

void bridge_tick(struct bridge *b, struct dcb_time now)
{
	fdb_sweep(&b->fdb, seconds_of(now));
}
