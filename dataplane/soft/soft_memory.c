/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Checks of the frame memory before a configuration is committed. A configuration that
 * promises more than it holds is refused. One that a change of a link has brought to
 * this stays in force; the statistics show how much is missing.
 *
 * Refused are SETs, with the sum; never the undo of one. What links, new ports or a start make of
 * accepted settings cannot be refused: it is dcbBufferStatus, one line of the log, and a
 * notification for each port with PFC. So is a headroom pool that is smaller than the headroom of
 * one account. Memory with nothing left to share is a status and a line.
 *
 * When the MTU of a port is raised, the dataplane thread waits between two turns (soft_park())
 * while the pool gets longer buffers: frames that are queued keep theirs until they are sent
 * (frame_pool_grow()), so no frame is lost or overtaken and no pause ends. Accounts keep their
 * numbers of buffers, so that no promise ceases to fit.
 */
#include "dataplane/soft/provider_soft_private.h"

#include "dataplane/config/port_buffer.h"
#include "lib/log.h"

#include <inttypes.h>
#include <string.h>

/*
 * Returns the port in a configuration; NULL: c is NULL, or has another or no such port. The place
 * i is tried first: a SET changes no places.
 */
static const struct dcb_config_port *find(const struct dcb_config *c, const struct port *port,
					  size_t i)
{
	if (!c)
		return NULL;
	if (i >= c->n_ports || c->ports[i].port != port)
		i = dcb_config_lower_bound(c, port->link.ifindex);
	return i < c->n_ports && c->ports[i].port == port ? &c->ports[i] : NULL;
}

/*
 * Returns true if a port has the same settings in two configurations. Its link is that of both.
 * What follows from a way that the neighbor does not support any more, or from a measured delay,
 * is a property of the link too, and no reason to refuse. A delay that it sends is a request.
 */
static bool is_unchanged(const struct dcb_config_port *a, const struct dcb_config_port *b)
{
	return a->config == b->config && a->oper.pfc_enable == b->oper.pfc_enable &&
	       a->oper.pfc_peer.delay_ns == b->oper.pfc_peer.delay_ns;
}

/* Returns the headroom, with one frame, that exceeds pfc.buffer; 0: it fits all priorities. */
static uint32_t exceeds_buffer(const struct soft *s, const struct dcb_config_port *at)
{
	struct port_buffer_input in = port_buffer_input_of(at, &s->ports->memory.is);
	struct port_buffer_quotas quotas;

	port_buffer_quotas(&in, &quotas);
	for (unsigned i = 0; i < DCB_PRIORITIES; i++)
		if (in.settings->pfc_buffer_octets &&
		    quotas.lossless[i].headroom.octets > in.settings->pfc_buffer_octets)
			return quotas.lossless[i].headroom.octets;
	return 0;
}

/* pfc.buffer of each port with PFC holds the headroom. */
static bool check_buffers(const struct soft *s, const struct dcb_config *config,
			  struct provider_refusal *why)
{
	for (size_t i = dcb_config_next_changed_from(config, s->published, 0); i < config->n_ports;
	     i = dcb_config_next_changed_from(config, s->published, i + 1)) {
		const struct dcb_config_port *at = &config->ports[i];
		const struct dcb_config_port *before = find(s->published, at->port, i);
		uint32_t headroom;

		if (!port_pfc_sent(at->config, &at->oper) || !before || is_unchanged(before, at))
			continue; /* without PFC, a new port, or in force already */
		headroom = exceeds_buffer(s, at);
		if (!headroom || (port_pfc_sent(before->config, &before->oper) &&
				  exceeds_buffer(s, before) >= headroom))
			continue;
		/*
		 * Message: PFC was refused, because `pfc.buffer` in dcbd.conf(5) does not hold the
		 * headroom of the port.
		 */
		return provider_refuse(why, PROVIDER_NO_RESOURCE, at->port, PROVIDER_PFC,
				       "pfc.buffer has %" PRIu32
				       " octets, headroom and one frame need %" PRIu32
				       ": expected a larger buffer, or less headroom",
				       at->port->settings.pfc_buffer_octets, headroom);
	}
	return true;
}

/* Returns true if the settings of a port of both configurations differ. */
static bool any_port_changes(const struct dcb_config *config, const struct dcb_config *old)
{
	for (size_t i = dcb_config_next_changed_from(config, old, 0); i < config->n_ports;
	     i = dcb_config_next_changed_from(config, old, i + 1)) {
		const struct dcb_config_port *at = &config->ports[i];
		const struct dcb_config_port *before = find(old, at->port, i);

		if (before && !is_unchanged(before, at))
			return true;
	}
	return false;
}

static bool is_promised_same(const struct dcb_config_port *at, const struct dcb_config_port *before,
			     const struct port_buffer_memory *memory, bool automatic)
{
	struct buffer_promises a = {0}, b = {0};

	port_buffer_promise(at, memory, automatic, &a);
	port_buffer_promise(before, memory, automatic, &b);
	return a.reserve.octets == b.reserve.octets && a.reserve.frames == b.reserve.frames &&
	       a.headroom.octets == b.headroom.octets && a.headroom.frames == b.headroom.frames &&
	       a.lossless == b.lossless;
}

/*
 * Returns true if the configuration divides the memory as the one in force does: most SETs
 * concern other settings, and need no plan for all ports.
 */
static bool keeps_plan(const struct soft *s, const struct dcb_config *config)
{
	const struct port_buffer_memory *memory = &s->ports->memory.is;
	const struct dcb_config *old = s->published;

	if (!dcb_config_same_ports(old, config) ||
	    memcmp(&old->buffer_memory.rules, &config->buffer_memory.rules,
		   sizeof(old->buffer_memory.rules)) != 0)
		return false;
	for (size_t i = dcb_config_next_changed_from(config, old, 0); i < config->n_ports;
	     i = dcb_config_next_changed_from(config, old, i + 1)) {
		const struct dcb_config_port *at = &config->ports[i], *before = &old->ports[i];

		if (!is_unchanged(at, before) && !(is_promised_same(at, before, memory, false) &&
						   is_promised_same(at, before, memory, true)))
			return false;
	}
	return true;
}

/* Returns the frame buffers of the reserves that were set, and of the headroom of a port. */
static uint64_t promised_frames(const struct dcb_config_port *at,
				const struct port_buffer_memory *memory)
{
	struct buffer_promises sum = {0};

	port_buffer_promise(at, memory, false, &sum);
	return sum.reserve.frames + sum.headroom.frames;
}

/* Returns the first port of both configurations that is promised more; NULL: there is none. */
static const struct port *grown_port(const struct dcb_config *config, const struct dcb_config *old,
				     const struct port_buffer_memory *memory)
{
	for (size_t i = dcb_config_next_changed_from(config, old, 0); i < config->n_ports;
	     i = dcb_config_next_changed_from(config, old, i + 1)) {
		const struct dcb_config_port *at = &config->ports[i];
		const struct dcb_config_port *before = find(old, at->port, i);

		if (before && !is_unchanged(at, before) &&
		    promised_frames(at, memory) > promised_frames(before, memory))
			return at->port;
	}
	return NULL;
}

/*
 * Returns true if the configuration differs from the one in force by ports only, or is the
 * first. Links and ports come without being asked for: dcbd has to start, and to serve a
 * port, with the settings that were accepted for another link. It is then a status.
 */
static bool has_new_ports_only(const struct soft *s, const struct dcb_config *config)
{
	const struct dcb_config *old = s->published;

	return !old || (memcmp(&old->buffer_memory.rules, &config->buffer_memory.rules,
			       sizeof(old->buffer_memory.rules)) == 0 &&
			!any_port_changes(config, old));
}

/* Returns how many more frame buffers make the memory large enough. */
static uint64_t needed(const struct buffer_plan *plan, const struct port_buffer_memory *memory)
{
	uint64_t for_octets = (plan->missing.octets + memory->longest - 1) / memory->longest;

	return plan->missing.frames > for_octets ? plan->missing.frames : for_octets;
}

/*
 * Returns the number of frame buffers with which the configuration fits. A larger memory can
 * have automatic reserves that the present one has not.
 */
static uint64_t enough(const struct dcb_config *config, const struct port_buffer_sums *sums,
		       struct port_buffer_memory memory)
{
	const struct buffer_rules *rules = &config->buffer_memory.rules;
	struct buffer_promises sum;
	struct buffer_plan plan = port_buffer_plan_sums(sums, &memory, rules, &sum);

	while (!buffer_plan_fits(&plan)) {
		memory.size.frames += needed(&plan, &memory);
		memory.size.octets = memory.size.frames * memory.longest;
		plan = port_buffer_plan_sums(sums, &memory, rules, &sum);
	}
	return memory.size.frames;
}

/* Returns true if the memory misses as much with the configuration in force. */
static bool is_no_worse(const struct soft *s, const struct buffer_plan *plan)
{
	struct buffer_promises sum;
	struct buffer_plan now;

	now = port_buffer_plan_sums(&s->sums, &s->ports->memory.is,
				    &s->published->buffer_memory.rules, &sum);
	return plan->missing.frames <= now.missing.frames &&
	       plan->missing.octets <= now.missing.octets;
}

/* Changes the sums from those of s->published to those of config, which follows it. */
static void advance_sums(const struct soft *s, const struct dcb_config *config,
			 struct port_buffer_sums *sums)
{
	const struct port_buffer_memory *memory = &s->ports->memory.is;

	for (size_t i = dcb_config_next_changed(config, 0); i < config->n_ports;
	     i = dcb_config_next_changed(config, i + 1)) {
		port_buffer_sums_subtract(sums, &s->published->ports[i], memory);
		port_buffer_sums_add(sums, &config->ports[i], memory);
	}
}

/* Sets s->sums, and *sums to those of config. */
static void find_sums(struct soft *s, const struct dcb_config *config,
		      struct port_buffer_sums *sums)
{
	const struct port_buffer_memory *memory = &s->ports->memory.is;

	if (!s->sums_generation || s->sums_generation != s->published->generation)
		port_buffer_sums_of(s->published, memory, &s->sums);
	s->sums_generation = s->published->generation;
	if (!dcb_config_follows(config, s->published)) {
		port_buffer_sums_of(config, memory, sums);
		return;
	}
	*sums = s->sums;
	advance_sums(s, config, sums);
}

void soft_memory_commit(struct soft *s, const struct dcb_config *config)
{
	bool keeps = s->published && s->sums_generation &&
		     s->sums_generation == s->published->generation &&
		     dcb_config_follows(config, s->published);

	if (keeps)
		advance_sums(s, config, &s->sums);
	s->sums_generation = keeps ? config->generation : 0;
}

bool soft_memory_check(struct soft *s, const struct dcb_config *config,
		       struct provider_refusal *why)
{
	const struct port_buffer_memory *memory = &s->ports->memory.is;
	struct port_buffer_sums sums;
	struct buffer_promises sum;
	struct buffer_plan plan;

	if (config->restores) /* fits, or was a status before the change that is undone */
		return true;
	if (!check_buffers(s, config, why))
		return false;
	if (keeps_plan(s, config) || has_new_ports_only(s, config))
		return true;
	find_sums(s, config, &sums);
	plan = port_buffer_plan_sums(&sums, memory, &config->buffer_memory.rules, &sum);
	if (buffer_plan_fits(&plan) || is_no_worse(s, &plan))
		return true;
	/*
	 * Message: A SET, or the settings of a neighbor, would need more than the frame memory, and
	 * was refused. The headroom is the sum of all priorities with PFC, before it is divided by
	 * dcbBufferHeadroomRatio.
	 */
	return provider_refuse(
	    why, PROVIDER_NO_RESOURCE, grown_port(config, s->published, memory), PROVIDER_PFC,
	    "reserves of %" PRIu64 " and headroom of %" PRIu64
	    " frame buffers (ratio %u) do not fit: expected bridge.frame_buffers "
	    "of %" PRIu64 " instead of %" PRIu64 ", smaller reserves or a higher ratio",
	    sum.reserve.frames, sum.headroom.frames, config->buffer_memory.rules.headroom_ratio,
	    enough(config, &sums, *memory), memory->size.frames);
}

/* --- length of frames ------------------------------------------------------------------ */

bool soft_memory_take_mtu(struct soft *s, uint32_t mtu)
{
	uint32_t most = s->params.frame_octets_most, to = port_mtu_octets(mtu);
	bool ok;

	if (to > most)
		to = most;
	if (to <= s->params.frame_octets)
		return false;
	soft_park(s);
	ok = s->engine->grow(s->ports, to);
	soft_resume(s);
	if (!ok)
		return false;
	s->params.frame_octets = s->base.frame_octets = to;
	s->sums_generation = 0;
	log_info("port",
		 "frame buffers for frames of up to %" PRIu32 " octets, as the MTU %" PRIu32
		 " permits",
		 to, mtu);
	return true;
}
