/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/managed/headroom_cap.h"

#include <stdlib.h>

#include "control/managed/memory.h"
#include "dataplane/config/port_buffer.h"
#include "dataplane/config/port_headroom.h"

/* A port whose neighbor's word counts. Many distributions are tried with these values. */
struct claim {
	struct dcb_config_port *at;
	uint32_t octets;  /* the headroom with the neighbor's word */
	uint32_t basis;   /* without it */
	uint32_t granted; /* by the distribution; at most octets */
	bool in_force;    /* the claim, or a longer one */
};

/* A distribution of the memory to claims. */
struct share {
	const struct provider *engine;   /* it has the memory */
	const struct dcb_config *before; /* in force */
	struct dcb_config *config;
	struct claim *claims;
	size_t n_claims;
	struct port_buffer_memory memory;
	struct buffer_promises fixed; /* of ports without a claim */
	bool automatic;               /* automatic reserves are available */
	struct buffer_promises sum;   /* all promises */
	bool leaves_frame;            /* the shared lossy pool keeps one longest frame */
	/* Claims that are met. Each of the others gets rest, or its headroom without a claim. */
	bool in_force;
	uint32_t small, rest; /* octets */
};

/* Returns whether the port has a claim while its link is up. */
static bool is_claimant(const struct dcb_config_port *at)
{
	return port_pfc_sent(at->config, &at->oper) &&
	       (at->oper.pfc_measured_quanta || at->oper.pfc_peer.delay_ns);
}

static bool may_claim(const struct dcb_config_port *at)
{
	return is_claimant(at) && at->port->link.up;
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
	return at->port->provider == s->engine;
}

static bool has_claim(const struct share *s, const struct dcb_config_port *at)
{
	return is_mine(s, at) && may_claim(at);
}

/* Returns whether a claim of that many octets is in force, or a longer one. */
static bool is_in_force(const struct share *s, const struct dcb_config_port *at, uint32_t octets)
{
	const struct dcb_config_port *was;
	size_t pos;

	if (s->before == s->config) /* the first one */
		return false;
	pos = dcb_config_lower_bound(s->before, at->ifindex);
	was = s->before->ports + pos;
	return pos < s->before->n_ports && was->port == at->port && may_claim(was) &&
	       pfc_headroom_octets_of(was) >= octets;
}

/* s->claims has room for the claims of all ports. */
static void find_claims(struct share *s)
{
	for (size_t i = 0; i < s->config->n_ports; i++) {
		struct dcb_config_port *at = &s->config->ports[i];
		struct claim *claim = &s->claims[s->n_claims];

		if (!has_claim(s, at))
			continue;
		claim->at = at;
		claim->octets = pfc_headroom_uncapped_octets_of(at);
		claim->basis = basis_of(at);
		claim->in_force = is_in_force(s, at, claim->octets);
		s->n_claims++;
	}
}

static uint32_t larger(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* Returns the headroom that a claim gets, not 0 unless the claim is. */
static uint32_t granted(const struct share *s, const struct claim *claim)
{
	if (claim->octets <= s->small || (s->in_force && claim->in_force))
		return claim->octets;
	return smaller(claim->octets, larger(larger(claim->basis, s->rest), 1));
}

/* Distributes. Returns whether the memory holds the promises then. */
static bool holds_promises(struct share *s)
{
	struct buffer_plan plan;

	s->sum = s->fixed;
	for (size_t i = 0; i < s->n_claims; i++) {
		struct claim *claim = &s->claims[i];

		claim->granted = granted(s, claim);
		port_buffer_promise_headroom(claim->at, &s->memory, s->automatic, claim->granted,
					     &s->sum);
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

/* Returns the highest bit that a claim has. */
static uint32_t highest_bit(const struct share *s)
{
	uint32_t all = 0, bit = UINT32_C(1) << 31;

	for (size_t i = 0; i < s->n_claims; i++)
		all |= s->claims[i].octets;
	while (bit > all)
		bit >>= 1;
	return bit;
}

/* Raises *octets, a member of *s, as far as it fits; no claim has a bit above this one. */
static void raise(struct share *s, uint32_t *octets, uint32_t bit)
{
	for (; bit; bit >>= 1) {
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
	uint32_t bit = highest_bit(s);

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
	raise(s, &s->small, bit);
	raise(s, &s->rest, bit);
	(void)holds_promises(s);
}

static void set_caps(const struct share *s)
{
	for (size_t i = 0; i < s->n_claims; i++) {
		const struct claim *claim = &s->claims[i];

		if (claim->granted < claim->octets)
			claim->at->oper.headroom_cap_octets = claim->granted;
	}
}

/* Returns the number of claimants in config, from that in before if config follows it. */
static size_t count_claimants(const struct dcb_config *config, const struct dcb_config *before)
{
	bool follows = dcb_config_follows(config, before);
	size_t n = follows ? before->n_claims : 0;

	for (size_t i = dcb_config_next_changed_from(config, before, 0); i < config->n_ports;
	     i = dcb_config_next_changed_from(config, before, i + 1)) {
		n += is_claimant(&config->ports[i]);
		n -= follows && is_claimant(&before->ports[i]);
	}
	return n;
}

/* Only claimants have caps: without any, no port that has not changed has one. */
static void remove_caps(struct dcb_config *config)
{
	for (size_t i = dcb_config_next_changed(config, 0); i < config->n_ports;
	     i = dcb_config_next_changed(config, i + 1))
		config->ports[i].oper.headroom_cap_octets = 0;
}

static void remove_all_caps(struct dcb_config *config)
{
	for (size_t i = 0; i < config->n_ports; i++)
		config->ports[i].oper.headroom_cap_octets = 0;
}

/* Records the ports whose cap is another one than in before. */
static void mark_caps(struct dcb_config *config, const struct dcb_config *before)
{
	for (size_t i = 0; dcb_config_follows(config, before) && i < config->n_ports; i++)
		if (config->ports[i].oper.headroom_cap_octets !=
		    before->ports[i].oper.headroom_cap_octets)
			dcb_config_mark(config, i);
}

/* Distributes the memory to the claims. false: out of memory. */
static bool distribute(const struct provider *engine, const struct dcb_config *before,
		       struct dcb_config *config)
{
	struct share s = {.engine = engine, .before = before, .config = config};
	struct buffer_memory_stats memory;

	if (!headroom_cap_has_claims(config))
		return true;
	memory_read(engine, &memory);
	if (!memory.memory_frames)
		return true;
	s.memory = (struct port_buffer_memory){
	    .size = {memory.memory_octets, memory.memory_frames},
	    .longest = (uint32_t)(memory.memory_octets / memory.memory_frames),
	};
	s.claims = calloc(config->n_ports, sizeof(*s.claims));
	if (!s.claims)
		return false;
	find_claims(&s);
	add_fixed(&s);
	share_out(&s);
	set_caps(&s);
	free(s.claims);
	return true;
}

bool headroom_cap_set(enum dcb_role role, const struct provider *engine,
		      const struct dcb_config *before, struct dcb_config *config)
{
	bool ok;

	config->n_claims = count_claimants(config, before);
	if (config->n_claims == 0) {
		remove_caps(config);
		return true;
	}
	remove_all_caps(config);
	ok = role == ROLE_STATION || distribute(engine, before, config);
	mark_caps(config, before);
	return ok;
}
