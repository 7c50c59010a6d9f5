/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/managed/headroom_cap.h"

#include "control/managed/memory.h"
#include "dataplane/config/port_buffer.h"
#include "dataplane/config/port_headroom.h"

/* A distribution of the memory to claims. */
struct share {
	const struct managed *m;
	const struct dcb_config *before; /* in force */
	struct dcb_config *config;
	struct port_buffer_memory memory;
	struct buffer_promises fixed; /* of ports without a claim */
	bool automatic;               /* automatic reserves are available */
	struct buffer_promises sum;   /* all promises */
	bool leaves_frame;            /* the shared lossy pool keeps one longest frame */
	/* Claims that are met. Each of the others gets rest, or its headroom without a claim. */
	bool in_force;
	uint32_t small, rest; /* octets */
};

static bool may_claim(const struct dcb_config_port *at)
{
	return at->oper.pfc_enable && at->port->link.up &&
	       (at->oper.pfc_measured_quanta || at->oper.pfc_peer.delay_ns);
}

bool headroom_cap_has_claims(const struct dcb_config *config)
{
	for (size_t i = 0; i < config->n_ports; i++)
		if (may_claim(&config->ports[i]))
			return true;
	return false;
}

/* Returns the headroom without the neighbor's word. */
static uint32_t basis_of(const struct dcb_config_port *at)
{
	struct dcb_config_port own = *at;

	own.oper.headroom_cap_octets = 0;
	own.oper.pfc_measured_quanta = 0;
	own.oper.pfc_peer.delay_ns = 0;
	return pfc_headroom_octets_of(&own);
}

static bool is_mine(const struct share *s, const struct dcb_config_port *at)
{
	return at->port->provider == s->m->providers[0];
}

static bool has_claim(const struct share *s, const struct dcb_config_port *at)
{
	return is_mine(s, at) && may_claim(at);
}

/* Returns whether the claim is in force, or a longer one. */
static bool is_in_force(const struct share *s, const struct dcb_config_port *at)
{
	const struct dcb_config_port *was;
	size_t pos;

	if (s->before == s->config) /* the first one */
		return false;
	pos = dcb_config_lower_bound(s->before, at->ifindex);
	was = s->before->ports + pos;
	return pos < s->before->n_ports && was->port == at->port && may_claim(was) &&
	       pfc_headroom_octets_of(was) >= pfc_headroom_uncapped_octets_of(at);
}

/* Returns the cap of a port with a claim; 0: the claim is met. */
static uint32_t cap_of(const struct share *s, const struct dcb_config_port *at)
{
	uint32_t claim, basis, granted;

	if (s->small == UINT32_MAX)
		return 0;
	claim = pfc_headroom_uncapped_octets_of(at);
	if (claim <= s->small || (s->in_force && is_in_force(s, at)))
		return 0;
	basis = basis_of(at);
	granted = basis > s->rest ? basis : s->rest;
	return granted < claim ? granted + !granted : 0;
}

/* Sets the caps. Returns whether the memory holds the promises with them. */
static bool holds_promises(struct share *s)
{
	struct buffer_plan plan;

	s->sum = s->fixed;
	for (size_t i = 0; i < s->config->n_ports; i++) {
		struct dcb_config_port *at = &s->config->ports[i];

		if (!has_claim(s, at))
			continue;
		at->oper.headroom_cap_octets = cap_of(s, at);
		port_buffer_promise(at, &s->memory, s->automatic, &s->sum);
	}
	plan = buffer_plan(&s->memory.size, &s->sum, &s->config->buffer_memory.rules);
	return buffer_plan_fits(&plan);
}

/* Returns whether the shared lossy pool has room for the longest frame. */
static bool leaves_frame(const struct share *s)
{
	const struct buffer_memory_stats memory = {
	    .memory_octets = s->memory.size.octets,
	    .memory_frames = s->memory.size.frames,
	    .reserved_octets = s->sum.reserve.octets,
	    .reserved_frames = s->sum.reserve.frames,
	    .headroom_octets = s->sum.headroom.octets,
	    .headroom_frames = s->sum.headroom.frames,
	};

	return memory_shares(&memory, &s->config->buffer_memory.rules);
}

static bool fits(struct share *s)
{
	return holds_promises(s) && (!s->leaves_frame || leaves_frame(s));
}

/* Raises *octets, a member of *s, as far as it fits. */
static void raise(struct share *s, uint32_t *octets)
{
	for (uint32_t bit = UINT32_C(1) << 31; bit; bit >>= 1) {
		*octets |= bit;
		if (!fits(s))
			*octets &= ~bit;
	}
}

/* Promises to all but the claims. */
static void add_fixed(struct share *s)
{
	uint64_t frames = 0;

	for (size_t i = 0; i < s->config->n_ports; i++) {
		struct port_buffer_input in =
		    port_buffer_input_of(&s->config->ports[i], &s->memory);

		if (is_mine(s, &s->config->ports[i]) && s->config->ports[i].port->link.up)
			frames += port_buffer_automatic_frames(&in);
	}
	s->automatic = port_buffer_automatic_fits(&s->memory.size, frames);
	for (size_t i = 0; i < s->config->n_ports; i++)
		if (is_mine(s, &s->config->ports[i]) && !has_claim(s, &s->config->ports[i]))
			port_buffer_promise(&s->config->ports[i], &s->memory, s->automatic,
					    &s->fixed);
}

static void share_out(struct share *s)
{
	s->leaves_frame = true;
	s->small = UINT32_MAX;
	if (fits(s))
		return;
	s->small = 0;
	if (!holds_promises(s)) /* even without claims */
		return;
	s->leaves_frame = leaves_frame(s);
	s->in_force = true;
	s->in_force = fits(s);
	raise(s, &s->small);
	raise(s, &s->rest);
	(void)holds_promises(s);
}

void headroom_cap_set(const struct managed *m, struct dcb_config *config)
{
	struct share s = {.m = m, .before = m->config, .config = config};
	struct buffer_memory_stats memory;

	for (size_t i = 0; i < config->n_ports; i++)
		config->ports[i].oper.headroom_cap_octets = 0;
	if (m->role == ROLE_STATION || !headroom_cap_has_claims(config))
		return;
	memory_read(m, &memory);
	if (!memory.memory_frames)
		return;
	s.memory = (struct port_buffer_memory){
	    .size = {memory.memory_octets, memory.memory_frames},
	    .longest = (uint32_t)(memory.memory_octets / memory.memory_frames),
	};
	add_fixed(&s);
	share_out(&s);
}
