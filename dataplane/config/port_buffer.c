/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/config/port_buffer.h"

#include "dataplane/config/port_headroom.h"

static uint32_t saturating_sub(uint32_t a, uint32_t b)
{
	return a > b ? a - b : 0;
}

static uint32_t saturating_add(uint32_t a, uint32_t b)
{
	return a > UINT32_MAX - b ? UINT32_MAX : a + b;
}

static struct buffer_use reserve_of(const struct port_buffer_input *in, uint32_t octets)
{
	if (octets)
		return (struct buffer_use){octets, (octets - 1) / in->longest + 1};
	if (!in->automatic)
		return (struct buffer_use){0, 0};
	return (struct buffer_use){PORT_BUFFER_RESERVE_FRAMES * in->longest,
				   PORT_BUFFER_RESERVE_FRAMES};
}

/* Returns the reserve, or the part of it that has this many octets. */
static struct buffer_use at_most(const struct port_buffer_input *in, struct buffer_use reserve,
				 uint32_t octets)
{
	if (reserve.octets <= octets)
		return reserve;
	return (struct buffer_use){octets, octets ? (octets - 1) / in->longest + 1 : 0};
}

/*
 * The frame that reaches the threshold may exceed it by almost a frame, so the longest
 * frame is added to the headroom. (C) Frame buffers: as many as frames of the least
 * size, with preamble and gap, arrive in the headroom's bit times.
 */
static struct buffer_use headroom_of(const struct port_buffer_input *in, uint32_t headroom)
{
	uint32_t octets = saturating_add(headroom, in->longest);

	return (struct buffer_use){octets,
				   octets / (uint32_t)dcb_wire_octets(DCB_FRAME_MIN_OCTETS) + 1};
}

/*
 * pfc.buffer of dcbd.conf is all of it: reserve, shared octets and headroom. Without
 * that setting the shared octets are limited as those of the egress port are, and the
 * headroom is in addition.
 */
static struct buffer_quota lossless_quota(const struct port_buffer_input *in, unsigned priority,
					  uint32_t headroom)
{
	const struct buffer_config *config = &in->config->buffer[priority];
	uint32_t buffer = in->settings->pfc_buffer_octets;
	struct buffer_quota q = {
	    .reserve = reserve_of(in, config->reserve_octets),
	    .headroom = headroom_of(in, headroom),
	    .limit_octets = in->settings->buffer_octets,
	    .alpha = config->alpha_lossless,
	};

	if (buffer) {
		uint32_t below_xoff = saturating_sub(buffer, q.headroom.octets);

		q.reserve = at_most(in, q.reserve, below_xoff);
		q.limit_octets = below_xoff - q.reserve.octets;
	}
	return q;
}

static struct buffer_quota lossy_quota(const struct port_buffer_input *in,
				       const struct buffer_config *config)
{
	struct buffer_quota q = {
	    .reserve = reserve_of(in, config->reserve_octets),
	    .alpha = config->alpha_lossy,
	};

	q.limit_octets = saturating_sub(in->settings->buffer_octets, q.reserve.octets);
	return q;
}

static void quotas_with(const struct port_buffer_input *in, uint32_t headroom,
			struct port_buffer_quotas *out)
{
	*out = (struct port_buffer_quotas){0};
	for (unsigned i = 0; i < DCB_PRIORITIES; i++) {
		const struct buffer_config *config = &in->config->buffer[i];

		if (port_pfc_sent(in->config, in->oper) >> i & 1 && !in->station)
			out->lossless[i] = lossless_quota(in, i, headroom);
		out->lossy[i] = lossy_quota(in, config);
		if (!in->station)
			continue;
		out->flows[i] = out->lossy[i];
		out->flows[i].limit_octets = PORT_BUFFER_FLOWS_OCTETS;
	}
	out->lossy[DCB_PRIORITIES] = (struct buffer_quota){
	    .reserve = reserve_of(in, 0),
	    .limit_octets = PORT_BUFFER_CONTROL_OCTETS,
	    .alpha = PORT_BUFFER_CONTROL_ALPHA,
	};
}

void port_buffer_quotas(const struct port_buffer_input *in, struct port_buffer_quotas *out)
{
	uint32_t headroom = 0;

	if (port_pfc_sent(in->config, in->oper) && !in->station)
		headroom =
		    pfc_headroom_octets(in->settings, in->config, in->oper, in->speed, in->mtu);
	quotas_with(in, headroom, out);
}

uint32_t port_buffer_automatic_frames(const struct port_buffer_input *in)
{
	uint32_t accounts = 1; /* the control queue */

	for (unsigned i = 0; i < DCB_PRIORITIES; i++)
		if (!in->config->buffer[i].reserve_octets)
			accounts +=
			    in->station || port_pfc_sent(in->config, in->oper) >> i & 1 ? 2 : 1;
	return accounts * PORT_BUFFER_RESERVE_FRAMES;
}

struct port_buffer_input port_buffer_input_of(const struct dcb_config_port *at,
					      const struct port_buffer_memory *memory)
{
	return (struct port_buffer_input){
	    .settings = &at->port->settings,
	    .config = at->config,
	    .oper = &at->oper,
	    .speed = at->port->link.speed,
	    .mtu = at->port->link.mtu,
	    .longest = memory->longest,
	    .station = memory->station,
	};
}

static void add_quotas(struct buffer_promises *sum, const struct port_buffer_quotas *quotas)
{
	for (unsigned i = 0; i < DCB_PRIORITIES; i++) {
		buffer_promises_add(sum, &quotas->lossless[i]);
		buffer_promises_add(sum, &quotas->flows[i]);
	}
	for (unsigned i = 0; i <= DCB_PRIORITIES; i++)
		buffer_promises_add(sum, &quotas->lossy[i]);
}

void port_buffer_promise(const struct dcb_config_port *at, const struct port_buffer_memory *memory,
			 bool automatic, struct buffer_promises *sum)
{
	struct port_buffer_input in = port_buffer_input_of(at, memory);
	struct port_buffer_quotas quotas;

	if (!at->port->link.up)
		return;
	in.automatic = automatic;
	port_buffer_quotas(&in, &quotas);
	add_quotas(sum, &quotas);
}

void port_buffer_promise_headroom(const struct dcb_config_port *at,
				  const struct port_buffer_memory *memory, bool automatic,
				  uint32_t headroom, struct buffer_promises *sum)
{
	struct port_buffer_input in = port_buffer_input_of(at, memory);
	struct port_buffer_quotas quotas;

	if (!at->port->link.up)
		return;
	in.automatic = automatic;
	quotas_with(&in, headroom, &quotas);
	add_quotas(sum, &quotas);
}

/* Adds to *to, or subtracts if times is -1. Sums of unsigned numbers wrap, and come back. */
static void change_promises(struct buffer_promises *to, const struct buffer_promises *by,
			    int64_t times)
{
	to->reserve.octets += by->reserve.octets * (uint64_t)times;
	to->reserve.frames += by->reserve.frames * (uint64_t)times;
	to->headroom.octets += by->headroom.octets * (uint64_t)times;
	to->headroom.frames += by->headroom.frames * (uint64_t)times;
	to->lossless += by->lossless * (uint32_t)times;
}

static void change_sums(struct port_buffer_sums *sums, const struct dcb_config_port *at,
			const struct port_buffer_memory *memory, int64_t times)
{
	struct port_buffer_input in = port_buffer_input_of(at, memory);

	if (!at->port->link.up)
		return;
	sums->automatic_frames += port_buffer_automatic_frames(&in) * (uint64_t)times;
	for (unsigned automatic = 0; automatic < 2; automatic++) {
		struct buffer_promises promises = {.lossless = 0};

		port_buffer_promise(at, memory, automatic, &promises);
		change_promises(&sums->of[automatic], &promises, times);
	}
}

void port_buffer_sums_add(struct port_buffer_sums *sums, const struct dcb_config_port *at,
			  const struct port_buffer_memory *memory)
{
	change_sums(sums, at, memory, 1);
}

void port_buffer_sums_subtract(struct port_buffer_sums *sums, const struct dcb_config_port *at,
			       const struct port_buffer_memory *memory)
{
	change_sums(sums, at, memory, -1);
}

void port_buffer_sums_of(const struct dcb_config *config, const struct port_buffer_memory *memory,
			 struct port_buffer_sums *sums)
{
	*sums = (struct port_buffer_sums){.automatic_frames = 0};
	for (size_t i = 0; i < config->n_ports; i++)
		port_buffer_sums_add(sums, &config->ports[i], memory);
}

struct buffer_plan port_buffer_plan_sums(const struct port_buffer_sums *sums,
					 const struct port_buffer_memory *memory,
					 const struct buffer_rules *rules,
					 struct buffer_promises *sum)
{
	*sum = sums->of[port_buffer_automatic_fits(&memory->size, sums->automatic_frames)];
	return buffer_plan(&memory->size, sum, rules);
}

struct buffer_plan port_buffer_plan(const struct dcb_config *config,
				    const struct port_buffer_memory *memory,
				    struct buffer_promises *sum)
{
	struct port_buffer_sums sums;

	port_buffer_sums_of(config, memory, &sums);
	return port_buffer_plan_sums(&sums, memory, &config->buffer_memory.rules, sum);
}

struct buffer_xon port_buffer_xon(const struct port_settings *settings,
				  const struct buffer_quota *lossless, uint32_t longest)
{
	struct buffer_xon xon = {
	    .margin_octets = BUFFER_XON_FRAMES * longest,
	    .octets = UINT32_MAX,
	};
	uint32_t xoff = saturating_add(lossless->reserve.octets, lossless->limit_octets);
	uint32_t configured = settings->pfc_xon_octets;

	if (configured == 0)
		return xon;
	xon.octets = configured;
	if (saturating_sub(xoff, configured) < xon.margin_octets)
		xon.margin_octets = saturating_sub(xoff, configured);
	return xon;
}
