/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/port/port_set.h"

#include "dataplane/port/aggregate.h"
#include "lib/counter.h"
#include "dataplane/port/port_pfc_tx.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* One octet more: a longer frame that is read into a buffer is recognized as oversize. */
static bool init_pool(struct port_set *s, const struct port_set_params *params, uint32_t longest)
{
	/* Buffers of a store are for the extent of a frame, not for whole frames. */
	assert(!params->store || params->extent.whole_max);
	if (!params->store)
		return frame_pool_init(&s->pool, params->frame_buffers, longest + 1);
	frame_pool_init_from(&s->pool, params->frame_buffers, params->store);
	return true;
}

bool port_set_init(struct port_set *s, const struct port_set_params *params)
{
	static const struct port_set_ops no_ops;
	static const struct port_set_hooks no_hooks;
	uint32_t longest = params->frame_octets + params->header_octets;
	uint32_t slots = params->slots ? params->slots : DCB_SLOTS;
	struct port_buffer_memory memory;

	*s = (struct port_set){
	    .ops = params->ops ? params->ops : &no_ops,
	    .ctx = params->ctx,
	    .hooks = params->hooks ? params->hooks : &no_hooks,
	    .owner = params->owner,
	    .frame_octets = params->frame_octets,
	    .extent =
		params->extent.whole_max ? params->extent : (struct frame_extent){UINT32_MAX, 0},
	    .transit_ns = params->transit_ns,
	    .slots = slots,
	    .by_slot = calloc(slots, sizeof(struct soft_port *)),
	};
	s->hm.measured = s->ops->measured;
	s->hm.now = s->ops->now;
	s->hm.ctx = s->ctx;
	s->hm.due.heap = calloc(slots, sizeof(struct deadline *));
	s->pfc.watchdogs = (struct port_watchdogs){&s->pool, s->ops->storm, s->ctx};
	dcb_rng_seed(&s->rng, params->seed, 1);
	memory = (struct port_buffer_memory){
	    .size = {(uint64_t)params->frame_buffers * longest, params->frame_buffers},
	    .longest = longest,
	    .station = params->station,
	};
	frame_memory_init(&s->memory, &memory);
	if (s->by_slot && s->hm.due.heap && init_pool(s, params, longest))
		return true;
	free(s->by_slot);
	free(s->hm.due.heap);
	return false;
}

/* --- ports with frames queued -------------------------------------------- */

void port_set_link_backlog(struct port_set *s, struct soft_port *port)
{
	port->set.backlog_next = s->backlog;
	port->set.backlog_link = &s->backlog;
	if (s->backlog)
		s->backlog->set.backlog_link = &port->set.backlog_next;
	s->backlog = port;
}

static void backlog_remove(struct soft_port *port)
{
	if (!port->set.backlog_link)
		return;
	*port->set.backlog_link = port->set.backlog_next;
	if (port->set.backlog_next)
		port->set.backlog_next->set.backlog_link = port->set.backlog_link;
	port->set.backlog_link = NULL;
}

/* Discards the queued frames and ends pauses and the wait for a writable interface. */
static void reset_port(struct port_set *s, struct soft_port *port, struct dcb_time now)
{
	port_pfc_reset(&s->pfc, port, now);
	port_flush(port, &s->pool);
	backlog_remove(port);
	port->blocked = false;
}

/* Promises of the frame memory: of the port's settings and link while it is up. */
static void configure_buffers(struct port_set *s, struct soft_port *port)
{
	const struct port_buffer_input in = {
	    .settings = &port->base.settings,
	    .config = port->config,
	    .oper = &port->oper,
	    .speed = port_speed(port),
	    .mtu = port_mtu(port),
	};

	if (port->up && port->config)
		frame_memory_configure_port(&s->memory, &port->buffers, &in);
	else
		frame_memory_withdraw_port(&s->memory, &port->buffers);
}

/*
 * Ends a change of promises. When automatic reserves begin or end to fit, those of all
 * ports change.
 */
static void end_change(struct port_set *s)
{
	if (frame_memory_change_automatic(&s->memory))
		for (size_t i = 0; i < s->config->n_ports; i++)
			configure_buffers(s, soft_port_of(s->config->ports[i].port));
	frame_memory_show(&s->memory);
}

/* Tries again to reduce headroom that was in use. Returns when to try the next time. */
static struct dcb_time shrink_headroom(struct port_set *s, struct dcb_time now)
{
	if (!s->memory.shrinks)
		return DCB_TIME_NEVER;
	if (dcb_time_before(now, s->shrink_at))
		return s->shrink_at;
	s->memory.shrinks = false;
	for (size_t i = 0; i < s->config->n_ports; i++) {
		struct soft_port *port = soft_port_of(s->config->ports[i].port);

		if (port->buffers.shrinks)
			configure_buffers(s, port);
	}
	end_change(s);
	s->shrink_at = dcb_time_add_ns(now, FRAME_MEMORY_SHRINK_NS);
	return s->memory.shrinks ? s->shrink_at : DCB_TIME_NEVER;
}

/* Puts promises in force after a change of the port. */
static void change_buffers(struct port_set *s, struct soft_port *port)
{
	configure_buffers(s, port);
	end_change(s);
}

bool port_set_grow(struct port_set *s, uint32_t frame_octets)
{
	uint32_t longest = s->memory.is.longest - s->frame_octets + frame_octets;

	if (!frame_pool_grow(&s->pool, longest + 1))
		return false;
	s->frame_octets = frame_octets;
	frame_memory_take_longest(&s->memory, longest);
	for (size_t i = 0; s->config && i < s->config->n_ports; i++)
		configure_buffers(s, soft_port_of(s->config->ports[i].port));
	if (s->config)
		end_change(s);
	return true;
}

/* --- PFC initiators -------------------------------------------------------- */

void port_set_schedule_pfc(struct port_set *s, struct soft_port *in)
{
	s->pfc_is_due = true;
	if (in->pfc_tx_pending)
		return;
	in->pfc_tx_pending = true;
	in->set.pfc_tx_next = s->pfc_tx_pending;
	s->pfc_tx_pending = in;
}

static void fail(struct port_set *s, struct soft_port *port, int error, struct dcb_time now)
{
	port_set_port_down(s, port, now);
	if (s->ops->failed)
		s->ops->failed(s->ctx, port, error);
}

/* Removes idle initiators from the list. Returns the next deadline of the others. */
static struct dcb_time send_pfc(struct port_set *s, struct dcb_time now)
{
	struct dcb_time next = DCB_TIME_NEVER;
	struct soft_port **at = &s->pfc_tx_pending, *port;

	while ((port = *at)) {
		int error = port_pfc_tx_send(port, now);

		if (error)
			fail(s, port, error, now);
		if (port_pfc_tx_is_busy(port)) {
			next = dcb_time_min(next, port_pfc_tx_deadline(port, now));
			at = &port->set.pfc_tx_next;
		} else {
			*at = port->set.pfc_tx_next;
			port->pfc_tx_pending = false;
		}
	}
	return next;
}

/* 36.9.6 c): a discarded frame is a reason to measure again. */
void port_set_count_lossless(struct port_set *s, struct soft_port *in, uint8_t priority)
{
	counter_add(&in->pfc.stats[priority].pfc_discards, 1);
	port_hm_trigger(&s->hm, in, HM_TRIGGER_DISCARD, s->now);
}

/* --- headroom measurement ---------------------------------------------------- */

static void run_measurements(struct port_set *s, struct dcb_time now)
{
	struct deadline *first;

	while ((first = deadlines_first(&s->hm.due)) && !dcb_time_before(now, first->at)) {
		struct soft_port *port = port_hm_port_of(first);
		int error = port_hm_run(&s->hm, port, now);

		if (error)
			fail(s, port, error, now);
	}
}

/* --- ports to be detached ---------------------------------------------------- */

/* Ends the initiator of a port to be detached, and its accounts. */
static void end_pfc(struct port_set *s, struct soft_port *port, struct dcb_time now)
{
	struct soft_port **at = &s->pfc_tx_pending;

	port_pfc_tx_leave(port, now);
	for (struct soft_port *out = s->backlog; out; out = out->set.backlog_next)
		port_take_over_frames(out, &port->buffers);
	pfc_tx_reset(&port->pfc.tx);
	frame_memory_withdraw_port(&s->memory, &port->buffers);
	while (*at && *at != port)
		at = &(*at)->set.pfc_tx_next;
	if (*at)
		*at = port->set.pfc_tx_next;
	port->pfc_tx_pending = false;
}

/* --- configuration ------------------------------------------------------- */

static void detach(struct port_set *s, struct soft_port *port, struct dcb_time now)
{
	if (s->ops->detached)
		s->ops->detached(s->ctx, port);
	reset_port(s, port, now);
	end_pfc(s, port, now);
	port_hm_leave(&s->hm, port, now);
	if (s->hooks->detached)
		s->hooks->detached(s->owner, port);
	aggregate_leave(port);
	gauge_set(&port->attached, false);
	port->config = NULL;
	port->oper = (struct port_oper){0};
	port->peer_apps = NULL;
	s->by_slot[port->base.slot] = NULL;
}

/* Returns another attached link of the same bridge port, or NULL. */
static struct soft_port *sibling(const struct port_set *s, const struct soft_port *port)
{
	for (size_t i = 0; i < s->config->n_ports; i++) {
		struct soft_port *other = soft_port_of(s->config->ports[i].port);

		if (other != port && other->attached &&
		    strcmp(other->base.settings.aggregate, port->base.settings.aggregate) == 0)
			return other;
	}
	return NULL;
}

static void attach(struct port_set *s, struct soft_port *port)
{
	if (port->base.settings.aggregate[0])
		aggregate_join(port, sibling(s, port));
	s->by_slot[port->base.slot] = port;
	port->queues.transit_ns = s->transit_ns;
	gauge_set(&port->attached, true);
	if (s->ops->attached)
		s->ops->attached(s->ctx, port);
	configure_buffers(s, port); /* the host has found out whether the port is up */
}

/* Detaches the ports of the old configuration that the new one does not name. */
static bool detach_missing(struct port_set *s, const struct dcb_config *old, uint64_t *slots,
			   struct dcb_time now)
{
	bool any = false;

	for (size_t i = 0; old && i < old->n_ports; i++) {
		struct soft_port *port = soft_port_of(old->ports[i].port);

		if (port->set.adoption == s->adoptions)
			continue;
		slots[port->base.slot / 64] |= UINT64_C(1) << (port->base.slot % 64);
		any = true;
		detach(s, port, now);
	}
	return any;
}

/* Called before ports are configured: a new port may get the slot of a detached one. */
static void update_ports(struct port_set *s, const struct dcb_config *old,
			 const struct dcb_config *config, struct dcb_time now)
{
	uint64_t gone[DCB_SLOTS / 64] = {0};

	s->adoptions++;
	for (size_t i = 0; i < config->n_ports; i++)
		soft_port_of(config->ports[i].port)->set.adoption = s->adoptions;
	if (detach_missing(s, old, gone, now) && s->hooks->gone)
		s->hooks->gone(s->owner, gone);
}

/* Returns true if the parts common to all ports are equal, as far as ports depend on them. */
static bool same_common(const struct dcb_config *a, const struct dcb_config *b)
{
	return a && a->cnpv_acting == b->cnpv_acting &&
	       memcmp(a->com_pri, b->com_pri, sizeof(a->com_pri)) == 0 &&
	       memcmp(a->cncp_auto_alt_pri, b->cncp_auto_alt_pri, sizeof(a->cncp_auto_alt_pri)) ==
		   0;
}

static bool same_port_config(const struct dcb_config_port *a, const struct dcb_config_port *b)
{
	return a->config == b->config && a->peer_apps == b->peer_apps &&
	       port_oper_equal(&a->oper, &b->oper);
}

static bool is_configured_with(const struct soft_port *port, const struct dcb_config_port *own)
{
	return port->config == own->config && port->peer_apps == own->peer_apps &&
	       port_oper_equal(&port->oper, &own->oper);
}

static void configure(struct port_set *s, struct soft_port *port, const struct dcb_config *config,
		      const struct dcb_config_port *own, struct dcb_time now)
{
	port_configure(port, config, own, &s->rng);
	configure_buffers(s, port);
	port_pfc_configure(&s->pfc, port, now);
	port_hm_update(&s->hm, port, now);
	if (s->hooks->configured)
		s->hooks->configured(s->owner, port);
}

static void configure_memory(struct port_set *s, const struct dcb_config *config,
			     struct dcb_time now)
{
	if (!frame_memory_configure(&s->memory, &config->buffer_memory, now))
		return;
	for (size_t i = 0; i < config->n_ports; i++)
		frame_memory_clear_port_peaks(&soft_port_of(config->ports[i].port)->buffers);
}

/* A change of one port does not access the memory of the others: there may be thousands. */
void port_set_adopt(struct port_set *s, const struct dcb_config *config, struct dcb_time now)
{
	const struct dcb_config *old = s->config;
	bool common_stays = same_common(old, config);
	bool ports_stay = dcb_config_same_ports(old, config);
	const struct dcb_config *from = common_stays ? old : NULL;

	if (!ports_stay)
		update_ports(s, old, config, now);
	s->config = config;
	configure_memory(s, config, now);
	for (size_t i = dcb_config_next_changed_from(config, from, 0); i < config->n_ports;
	     i = dcb_config_next_changed_from(config, from, i + 1)) {
		struct soft_port *port = soft_port_of(config->ports[i].port);
		const struct dcb_config_port *own = &config->ports[i];

		if (ports_stay && common_stays && same_port_config(&old->ports[i], own))
			continue;
		if (!common_stays || !is_configured_with(port, own))
			configure(s, port, config, own, now);
		if (!port->attached) {
			attach(s, port);
			port_hm_update(&s->hm, port, now);
		}
	}
	end_change(s);
	if (s->hooks->adopted)
		s->hooks->adopted(s->owner, config);
}

void port_set_destroy(struct port_set *s)
{
	for (size_t slot = 0; slot < s->slots; slot++) {
		if (s->by_slot[slot])
			detach(s, s->by_slot[slot], s->now);
	}
	frame_pool_destroy(&s->pool);
	free(s->by_slot);
	free(s->hm.due.heap);
}

/* --- links ----------------------------------------------------------------- */

void port_set_port_down(struct port_set *s, struct soft_port *port, struct dcb_time now)
{
	gauge_set(&port->up, false);
	reset_port(s, port, now);
	change_buffers(s, port);
	pfc_tx_forget(&port->pfc.tx, now);
	port_hm_update(&s->hm, port, now);
	if (s->hooks->down)
		s->hooks->down(s->owner, port);
}

void port_set_port_up(struct port_set *s, struct soft_port *port, struct dcb_time now)
{
	gauge_set(&port->up, true);
	change_buffers(s, port);
	port_set_schedule_pfc(s, port);
	port_hm_update(&s->hm, port, now);
}

void port_set_port_changed(struct port_set *s, struct soft_port *port, struct dcb_time now)
{
	change_buffers(s, port);
	port_pfc_configure(&s->pfc, port, now);
	port_hm_update(&s->hm, port, now);
	if (s->hooks->configured)
		s->hooks->configured(s->owner, port);
}

/* --- transmission ---------------------------------------------------------- */

static struct dcb_time send_backlog(struct port_set *s, struct dcb_time now)
{
	struct dcb_time next = port_pfc_advance(&s->pfc, now);
	struct soft_port *port, *following;

	for (port = s->backlog; port; port = following) {
		int error = port_is_due(port, now) ? port_transmit(port, &s->pool, now) : 0;

		following = port->set.backlog_next;
		if (error) {
			fail(s, port, error, now);
		} else if (!port->queues.filled) {
			backlog_remove(port);
		} else {
			next = dcb_time_min(next, port_deadline(port));
			if (port->blocked && s->ops->blocked)
				s->ops->blocked(s->ctx, port);
		}
	}
	return next;
}

/*
 * Sends PFC frames before data, and again after it: frames that left may cause XON.
 * Headroom measurement PDUs leave after the first ones.
 */
struct dcb_time port_set_transmit(struct port_set *s, struct dcb_time now)
{
	struct dcb_time next, shrink_at;

	s->now = now;
	frame_memory_settle(&s->memory);
	shrink_at = shrink_headroom(s, now);
	if (s->pfc_tx_pending)
		send_pfc(s, now);
	if (!dcb_time_before(now, deadlines_next(&s->hm.due)))
		run_measurements(s, now);
	next = dcb_time_min(send_backlog(s, now), deadlines_next(&s->hm.due));
	next = dcb_time_min(next, shrink_at);
	s->pfc_is_due = false;
	return s->pfc_tx_pending ? dcb_time_min(next, send_pfc(s, now)) : next;
}
