/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The ports, and the configuration in force. A change is published in all providers or in none: see
 * dataplane/config/provider.h. Does not wait for providers; an old configuration is freed when its
 * provider has adopted a later one.
 */
#include "control/managed/managed.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "control/managed/headroom_cap.h"
#include "control/managed/lldp_ports.h"
#include "control/managed/managed_private.h"
#include "control/managed/pause_history.h"
#include "lib/clock.h"
#include "lib/log.h"

/* Interval of retries after out of memory or a provider's failure. */
#define RETRY_NS DCB_NS_PER_S

/* A replaced configuration or a removed port that the provider may still read. */
struct managed_deferred_free {
	struct managed_deferred_free *next;
	const struct provider *provider;
	uint64_t successor; /* freed when the provider has adopted this generation */
	struct dcb_config *config;
	struct port *port;
};

/* --- callbacks of lldp_ports ---------------------------------------------------------------- */

static struct dcb_time lldp_now(void *owner)
{
	(void)owner;
	return clock_now();
}

static void lldp_mismatch(void *owner, const struct port *port, bool mismatch, struct dcb_time now)
{
	const struct managed *m = owner;

	m->ops->mismatch(m, port, mismatch, now);
}

static const struct lldp_owner_ops lldp_ops = {
    .now = lldp_now,
    .mismatch = lldp_mismatch,
};

/* --- slots and positions of ports ----------------------------------------------------------- */

static bool take_slot(struct managed *m, uint16_t *slot)
{
	const bool *free_one = memchr(m->slot_is_taken, 0, sizeof(m->slot_is_taken));

	if (!free_one)
		return false;
	*slot = (uint16_t)(free_one - m->slot_is_taken);
	m->slot_is_taken[*slot] = true;
	return true;
}

/* Closes a port that its provider does not read any more, and frees its slot. */
static void close_port(struct managed *m, struct port *port)
{
	m->slot_is_taken[port->slot] = false;
	addresses_forget(m->addresses);
	m->has_measured[port->slot / 64] &= ~(UINT64_C(1) << port->slot % 64);
	m->measured[port->slot] = 0;
	m->secy_ns[port->slot] = 0;
	port->provider->ops->port_close(port);
}

size_t managed_find(const struct managed *m, uint32_t ifindex)
{
	size_t pos = dcb_config_lower_bound(m->config, ifindex);

	if (pos < m->config->n_ports && m->config->ports[pos].port->link.ifindex == ifindex)
		return pos;
	return m->config->n_ports;
}

/* --- views: each provider's part of a configuration ----------------------------------------- */

/* A single provider's view is the configuration itself. */
static bool is_shared(const struct managed *m)
{
	return m->n_providers == 1;
}

static void views_free(const struct managed *m, struct dcb_config *views[MANAGED_PROVIDERS_MAX])
{
	for (unsigned i = 0; i < m->n_providers; i++) {
		if (!is_shared(m))
			dcb_config_free(views[i]);
		views[i] = NULL;
	}
}

static bool views_make(const struct managed *m, struct dcb_config *config,
		       struct dcb_config *views[MANAGED_PROVIDERS_MAX])
{
	for (unsigned i = 0; i < m->n_providers; i++) {
		views[i] = is_shared(m) ? config : dcb_config_of_provider(config, m->providers[i]);
		if (views[i])
			continue;
		views_free(m, views);
		return false;
	}
	return true;
}

static void views_number(const struct managed *m, struct dcb_config *views[MANAGED_PROVIDERS_MAX],
			 uint64_t generation)
{
	for (unsigned i = 0; i < m->n_providers; i++)
		views[i]->generation = generation;
}

/* --- first phase ---------------------------------------------------------------------------- */

const char *managed_refusal_text(const struct provider_refusal *why, char *buf, size_t size)
{
	snprintf(buf, size, "%s%s%s", why->port ? why->port->link.name : "", why->port ? ": " : "",
		 why->text);
	return buf;
}

static bool prepare_one(struct provider *p, const struct dcb_config *config,
			struct provider_refusal *why)
{
	return !p->ops->prepare || p->ops->prepare(p, config, why);
}

static void abort_one(struct provider *p, const struct dcb_config *config)
{
	if (p->ops->abort)
		p->ops->abort(p, config);
}

/* Records the ports whose measured delays have changed since the last publication. */
static void mark_measured(const struct managed *m, struct dcb_config *config)
{
	for (unsigned i = 0; dcb_config_follows(config, m->config) && i < DCB_SLOTS / 64; i++)
		for (uint64_t slots = m->measured_unpublished[i]; slots; slots &= slots - 1) {
			unsigned entry = m->by_slot[i * 64 + (unsigned)__builtin_ctzll(slots)];

			if (entry)
				dcb_config_mark(config, entry - 1u);
		}
}

static void set_measured(const struct managed *m, struct dcb_config *config)
{
	mark_measured(m, config);
	for (size_t i = dcb_config_next_changed(config, 0); i < config->n_ports;
	     i = dcb_config_next_changed(config, i + 1)) {
		struct port_oper *oper = &config->ports[i].oper;
		uint16_t slot = config->ports[i].port->slot;

		oper->pfc_measured_quanta = m->measured[slot];
		oper->secy_ns = m->secy_ns[slot];
	}
}

/* Computes the values in force, makes views and has each provider prepare its view. */
static bool prepare_all(struct managed *m, struct managed_change *next,
			struct provider_refusal *why)
{
	*why = (struct provider_refusal){0};
	dcb_config_compute_oper(next->config);
	if (!lldp_ports_compute_oper(m->lldp, m->config, next->config))
		return provider_refuse(why, PROVIDER_NO_RESOURCE, NULL, 0, "out of memory");
	set_measured(m, next->config);
	if (!headroom_cap_set(m->role, m->engine, m->config, next->config) ||
	    !views_make(m, next->config, next->views))
		return provider_refuse(why, PROVIDER_NO_RESOURCE, NULL, 0, "out of memory");
	for (unsigned i = 0; i < m->n_providers; i++) {
		if (prepare_one(m->providers[i], next->views[i], why))
			continue;
		while (i-- > 0)
			abort_one(m->providers[i], next->views[i]);
		views_free(m, next->views);
		return false;
	}
	return true;
}

/* Keeps the port's neighbor back if it is the cause of the refusal. false: it is not. */
static bool reject(struct managed *m, const struct provider_refusal *why)
{
	bool first;

	if (!why->port || !lldp_ports_reject(m->lldp, why->port, &first))
		return false;
	if (first)
		/*
		 * Message: The port is willing, and its provider refuses the settings of the
		 * neighbor for this reason. Change the settings of the neighbor, or make the port
		 * not willing.
		 */
		log_warn_limited("provider", "%s: settings of its neighbor not applied: %s",
				 why->port->link.name, why->text);
	return true;
}

/* As managed_prepare(), but config remains the caller's when it is refused. */
static bool prepare(struct managed *m, struct dcb_config *config, struct provider_refusal *why)
{
	assert(!m->next.config);
	state_change_begin(m->lock);
	m->next.config = config;
	memcpy(config->system_address, m->address, sizeof(config->system_address));
	while (!prepare_all(m, &m->next, why)) {
		bool again = reject(m, why);

		lldp_ports_aborted(m->lldp);
		if (again)
			continue;
		m->next = (struct managed_change){0};
		state_change_end(m->lock);
		return false;
	}
	return true;
}

bool managed_prepare(struct managed *m, struct dcb_config *config, struct provider_refusal *why)
{
	if (prepare(m, config, why))
		return true;
	dcb_config_free(config);
	return false;
}

/* Has the providers abort, and frees the views. m->next.config stays. */
static void abort_all(struct managed *m)
{
	for (unsigned i = 0; i < m->n_providers; i++)
		abort_one(m->providers[i], m->next.views[i]);
	views_free(m, m->next.views);
}

/* As managed_abort(), but the configuration remains. */
static void give_up(struct managed *m)
{
	abort_all(m);
	lldp_ports_aborted(m->lldp);
	m->next = (struct managed_change){0};
	state_change_end(m->lock);
}

void managed_abort(struct managed *m)
{
	struct dcb_config *config = m->next.config;

	give_up(m);
	dcb_config_free(config);
}

/* --- configurations and ports to be freed later
 * ------------------------------------------------------- */

static void retired_free(struct managed *m, struct managed_deferred_free *r)
{
	if (r->port)
		close_port(m, r->port);
	dcb_config_free(r->config);
}

/* Frees both when the provider has adopted the successor. Each may be NULL. */
static void free_later(struct managed *m, const struct provider *p, struct dcb_config *config,
		       struct port *port, uint64_t successor)
{
	struct managed_deferred_free now = {.config = config, .port = port}, *r;

	if (!config && !port)
		return;
	if (!p->ops->event_fd && successor <= m->generation) {
		retired_free(m, &now);
		return;
	}
	r = malloc(sizeof(*r));
	if (!r) {
		/* Not freed, as the dataplane may still read it. */
		/* Message: as "out of memory" */
		log_error("mo", "out of memory: a replaced configuration or port is not freed");
		return;
	}
	*r = (struct managed_deferred_free){m->deferred_free, p, successor, config, port};
	m->deferred_free = r;
}

void managed_adopted(struct managed *m, const struct provider *provider, uint64_t generation)
{
	struct managed_deferred_free **at = &m->deferred_free;

	for (unsigned i = 0; i < m->n_providers; i++)
		if (m->providers[i] == provider)
			m->acknowledged[i] = generation;
	while (*at) {
		struct managed_deferred_free *r = *at;

		if (r->provider != provider || r->successor > generation) {
			at = &r->next;
			continue;
		}
		*at = r->next;
		retired_free(m, r);
		free(r);
	}
}

bool managed_is_adopted(const struct managed *m)
{
	for (unsigned i = 0; i < m->n_providers; i++)
		if (!m->acknowledged[i])
			return false;
	return true;
}

bool managed_is_closing(const struct managed *m)
{
	for (const struct managed_deferred_free *r = m->deferred_free; r; r = r->next)
		if (r->port)
			return true;
	return false;
}

/* Returns the generation after which the provider does not read a port that is not published. */
static uint64_t last_reader(const struct managed *m, const struct dcb_config *published,
			    const struct port *port)
{
	size_t pos = dcb_config_lower_bound(published, port->link.ifindex);
	bool has = pos < published->n_ports && published->ports[pos].port == port; /* not undone */

	return has ? m->generation + 1 : published->generation;
}

/*
 * Closes a port that could not be added. If its provider had committed it before another one
 * failed, the port is closed later, when the provider does not read it any more.
 */
static void drop_port(struct managed *m, struct port *port)
{
	unsigned i = 0;
	uint64_t successor;

	while (m->providers[i] != port->provider)
		i++;
	successor = m->published[i] ? last_reader(m, m->published[i], port) : 0;
	if (m->acknowledged[i] < successor)
		free_later(m, port->provider, NULL, port, successor);
	else
		close_port(m, port);
}

/* Frees all published configurations. No provider reads them any more. */
static void forget_published(struct managed *m)
{
	views_free(m, m->published);
	while (m->deferred_free) {
		struct managed_deferred_free *r = m->deferred_free;

		m->deferred_free = r->next;
		dcb_config_free(r->config);
		free(r);
	}
}

/* Calls fn for the ports of old, which m->config has replaced, that m->config does not have. */
static void each_removed(struct managed *m, const struct dcb_config *old,
			 void (*fn)(struct managed *m, struct port *port))
{
	const struct dcb_config *now = m->config;
	size_t at = 0;

	if (dcb_config_same_ports(old, now))
		return;
	for (size_t i = 0; i < old->n_ports; i++) {
		while (at < now->n_ports && now->ports[at].ifindex < old->ports[i].ifindex)
			at++;
		if (at == now->n_ports || now->ports[at].port != old->ports[i].port)
			fn(m, old->ports[i].port);
	}
}

static void retire_port(struct managed *m, struct port *port)
{
	free_later(m, port->provider, NULL, port, m->generation);
}

static void forget_neighbors(struct managed *m, struct port *port)
{
	lldp_ports_gone(m->lldp, port);
}

/* Records the new views as those in force, and retires the old ones. */
static void set_given(struct managed *m, struct dcb_config *views[MANAGED_PROVIDERS_MAX])
{
	for (unsigned i = 0; i < m->n_providers; i++) {
		const struct provider *p = m->providers[i];

		free_later(m, p, m->published[i], NULL, m->generation);
		m->published[i] = views[i];
		views[i] = NULL;
		if (!p->ops->event_fd)
			managed_adopted(m, p, m->generation);
	}
}

/* --- second phase --------------------------------------------------------------------------- */

/*
 * Undoes the commit of the first n providers: commits m->config's settings again, as new
 * views with a new generation, because the dataplane may read the earlier views and they
 * must not change. false: a provider failed again, the first of these for *why.
 */
static bool recommit_old(struct managed *m, unsigned n, struct provider_refusal *why)
{
	struct dcb_config *back[MANAGED_PROVIDERS_MAX];
	struct provider_refusal one;
	bool ok = true;

	if (!views_make(m, m->config, back))
		return provider_refuse(why, PROVIDER_NO_RESOURCE, NULL, 0, "out of memory");
	views_number(m, back, ++m->generation);
	for (unsigned i = 0; i < m->n_providers; i++) {
		struct provider *p = m->providers[i];
		bool returned;

		back[i]->restores = true;
		returned =
		    i < n && prepare_one(p, back[i], &one) && p->ops->commit(p, back[i], &one);
		if (i < n && !returned && ok) {
			*why = one;
			ok = false;
		}
		if (!returned) {
			dcb_config_free(back[i]);
			continue;
		}
		free_later(m, p, m->published[i], NULL, m->generation);
		free_later(m, p, m->next.views[i], NULL, m->generation);
		m->published[i] = back[i];
		m->next.views[i] = NULL;
	}
	return ok;
}

/*
 * Records the new views of those of the first n providers that recommit_old() could not
 * restore. Their former views are freed when they adopt a later generation.
 */
static void keep_new_views(struct managed *m, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		if (!m->next.views[i])
			continue;
		free_later(m, m->providers[i], m->published[i], NULL, m->generation);
		m->published[i] = m->next.views[i];
		m->next.views[i] = NULL;
	}
}

/* Provider number n failed to commit, for *why: undoes the change in the others. */
static void roll_back(struct managed *m, unsigned n, struct provider_refusal *why)
{
	struct provider_refusal back;
	char text[sizeof(back.text)];

	for (unsigned i = n + 1; i < m->n_providers; i++)
		abort_one(m->providers[i], m->next.views[i]);
	if (n > 0 && !recommit_old(m, n, &back)) {
		keep_new_views(m, n);
		snprintf(text, sizeof(text), "%.80s; not undone yet: %.80s", why->text, back.text);
		provider_refuse(why, PROVIDER_NOT_UNDONE, why->port, why->about, "%s", text);
	}
	views_free(m, m->next.views);
}

static bool commit_all(struct managed *m, struct provider_refusal *why)
{
	*why = (struct provider_refusal){0};
	views_number(m, m->next.views, m->generation);
	for (unsigned i = 0; i < m->n_providers; i++) {
		struct provider *p = m->providers[i];

		if (p->ops->commit(p, m->next.views[i], why))
			continue;
		roll_back(m, i, why);
		return false;
	}
	return true;
}

static void index_slots(struct managed *m)
{
	memset(m->by_slot, 0, sizeof(m->by_slot));
	for (size_t i = 0; i < m->config->n_ports; i++)
		m->by_slot[m->config->ports[i].port->slot] = (uint16_t)(i + 1);
}

/* m->config has replaced old, which may be the same one. */
static void index_published(struct managed *m, const struct dcb_config *old)
{
	if (m->config == old || !dcb_config_same_ports(old, m->config)) {
		index_slots(m);
		m->names_generation++;
	}
	memset(m->measured_unpublished, 0, sizeof(m->measured_unpublished));
}

/* Before managed_release(): no provider has committed a configuration. */
static void replace_uncommitted(struct managed *m, struct dcb_config *old)
{
	abort_all(m);
	each_removed(m, old, close_port);
	dcb_config_free(old);
}

static void replace_committed(struct managed *m, struct dcb_config *old)
{
	m->ops->published(m, old);
	each_removed(m, old, retire_port);
	set_given(m, m->next.views);
	if (!is_shared(m))
		dcb_config_free(old);
}

static bool commit_prepared(struct managed *m, struct provider_refusal *why)
{
	struct dcb_config *old = m->config;

	assert(state_may_change(m->lock));
	m->next.config->generation = ++m->generation;
	if (!m->holding && !commit_all(m, why)) {
		lldp_ports_aborted(m->lldp);
		dcb_config_free(m->next.config);
		m->next = (struct managed_change){0};
		return false;
	}
	m->config = m->next.config;
	index_published(m, old);
	each_removed(m, old, forget_neighbors);
	(m->holding ? replace_uncommitted : replace_committed)(m, old);
	m->next = (struct managed_change){0};
	lldp_ports_published(m->lldp);
	return true;
}

bool managed_commit(struct managed *m, struct provider_refusal *why)
{
	bool ok = commit_prepared(m, why);

	state_change_end(m->lock);
	return ok;
}

enum provider_outcome managed_outcome(const struct managed *m, struct provider_refusal *why)
{
	enum provider_outcome all = PROVIDER_IN_FORCE;

	*why = (struct provider_refusal){0};
	for (unsigned i = 0; i < m->n_providers; i++) {
		const struct provider *p = m->providers[i];
		enum provider_outcome of =
		    p->ops->outcome ? p->ops->outcome(p, why) : PROVIDER_IN_FORCE;

		if (of == PROVIDER_REFUSED)
			return of;
		if (of == PROVIDER_PENDING)
			all = of;
	}
	return all;
}

bool managed_publish(struct managed *m, struct dcb_config *config, struct provider_refusal *why)
{
	return managed_prepare(m, config, why) && managed_commit(m, why);
}

bool managed_release(struct managed *m, struct provider_refusal *why)
{
	struct managed_change first = {.config = m->config};
	bool ok;

	state_change_begin(m->lock);
	m->collects = false;
	/* Also without ports, so that providers report that they have adopted it: 0 is none. */
	m->config->generation = ++m->generation;
	m->next = first;
	memcpy(m->config->system_address, m->address, sizeof(m->address));
	ok = prepare_all(m, &m->next, why) && commit_all(m, why);
	if (ok) {
		m->holding = false;
		index_published(m, m->config);
		set_given(m, m->next.views);
		m->ops->published(m, NULL);
		lldp_ports_published(m->lldp);
	}
	m->next = (struct managed_change){0};
	state_change_end(m->lock);
	return ok;
}

/* If no provider can refuse, managed_try() can skip the pass over all ports. */
static bool may_refuse(const struct managed *m)
{
	for (unsigned i = 0; i < m->n_providers; i++)
		if (m->providers[i]->ops->prepare)
			return true;
	return false;
}

bool managed_try(struct managed *m, struct dcb_config *config, struct provider_refusal *why)
{
	if (!may_refuse(m))
		return true;
	if (!prepare(m, config, why))
		return false;
	give_up(m);
	return true;
}

/* --- changes of neighbors and links --------------------------------------------------------- */

/* false: failed, err says why. */
static bool publish_again(struct managed *m, char *err, size_t errlen)
{
	struct dcb_config *config = dcb_config_successor(m->config);
	struct provider_refusal why;

	if (!config) {
		lldp_ports_aborted(m->lldp);
		snprintf(err, errlen, "out of memory");
		return false;
	}
	if (managed_publish(m, config, &why))
		return true;
	managed_refusal_text(&why, err, errlen);
	return false;
}

void managed_discontinuity(struct managed *m, uint16_t slot)
{
	uint64_t *since = &m->records[slot].counters_since_ms, now = clock_real_ms();

	state_change_begin(m->lock);
	*since = now > *since ? now : *since + 1;
	state_change_end(m->lock);
}

void managed_capabilities(struct managed *m, uint16_t slot)
{
	unsigned entry = m->by_slot[slot];

	if (!entry) /* the port was removed meanwhile */
		return;
	state_change_begin(m->lock);
	m->generation++;
	lldp_ports_link(m->lldp, m->config->ports[entry - 1].port); /* its TLVs depend on them */
	state_change_end(m->lock);
	/*
	 * Message: Another program or the firmware took over settings of the interface, or gave
	 * them back. Objects that the port does not have any more have no instances, and a SET of
	 * those that cannot be set is notWritable.
	 */
	log_info_limited("port", "%s: the objects that it has, or that can be set, have changed",
			 m->config->ports[entry - 1].port->link.name);
}

static bool publish_settings(struct managed *m, size_t pos, struct port_config *pc, char *err,
			     size_t errlen);

/*
 * The settings of a port that follows its device are those of it. If the provider refuses
 * them, or memory is out, the next change tries again.
 */
static void follow_device(struct managed *m, size_t pos)
{
	const struct dcb_config_port *at = &m->config->ports[pos];
	struct port_config *pc = port_config_dup(at->config);
	char err[256];

	if (pc && at->port->provider->ops->adopt(at->port, dcb_config_cnpvs(m->config), pc) &&
	    !publish_settings(m, pos, pc, err, sizeof(err)))
		/*
		 * Message: The objects of the port do not have the settings of its device, for this
		 * reason; those in force are shown. With `out of memory`, free memory.
		 */
		log_warn_limited("port", "%s: settings of its device not shown: %s",
				 at->port->link.name, err);
	port_config_unref(pc);
}

void managed_oper(struct managed *m, uint16_t slot)
{
	unsigned entry = m->by_slot[slot];
	const struct port *port = entry ? m->config->ports[entry - 1].port : NULL;

	if (!port)
		return;
	state_change_begin(m->lock);
	if (port_follows_device(port) && port->provider->ops->adopt)
		follow_device(m, entry - 1u);
	lldp_ports_device(m->lldp, &m->config->ports[entry - 1]);
	state_change_end(m->lock);
}

void managed_measured(struct managed *m, uint16_t slot)
{
	uint64_t bit = UINT64_C(1) << slot % 64;

	m->measured_changed[slot / 64] |= bit;
	m->has_measured[slot / 64] |= bit;
	m->any_has_measured = true;
}

/* Reads the delays of the port in a slot. Returns true if one has changed. */
static bool read_measured(struct managed *m, unsigned slot)
{
	unsigned entry = m->by_slot[slot];
	struct pfc_measure_stats stats;
	const struct port *port;

	if (!entry) /* the port was removed meanwhile */
		return false;
	port = m->config->ports[entry - 1].port;
	if (!(port->has & PROVIDER_MEASURE)) /* the slot has another port now */
		return false;
	port->provider->ops->read_measure(port, &stats);
	lldp_ports_response(m->lldp, port, (uint32_t)stats.response_bound_ns);
	if (m->measured[slot] == stats.result && m->secy_ns[slot] == stats.secy_ns)
		return false;
	m->measured[slot] = (uint32_t)stats.result;
	m->secy_ns[slot] = (uint32_t)stats.secy_ns;
	m->measured_unpublished[slot / 64] |= UINT64_C(1) << slot % 64;
	return true;
}

/* Reads the delays of the ports that managed_measured() named. */
static bool read_all_measured(struct managed *m)
{
	bool any = false;

	for (unsigned i = 0; i < DCB_SLOTS / 64; i++) {
		for (uint64_t slots = m->measured_changed[i]; slots; slots &= slots - 1)
			any |= read_measured(m, i * 64 + (unsigned)__builtin_ctzll(slots));
		m->measured_changed[i] = 0;
	}
	return any;
}

/*
 * Publishes the delays in m->measured, which any other publication does too. If the frame memory
 * does not hold the headroom for a longer delay, it is limited: headroom_cap_set().
 */
static bool publish_measured(struct managed *m, char *err, size_t errlen)
{
	m->measured_is_due |= read_all_measured(m);
	m->measured_is_due |= m->claims_are_due && headroom_cap_has_claims(m->config);
	m->claims_are_due = false;
	if (m->measured_is_due)
		m->measured_is_due = !publish_again(m, err, errlen);
	return !m->measured_is_due;
}

struct dcb_time managed_run(struct managed *m, struct dcb_time now)
{
	bool was_failing = m->neighbors_fail, measured_failed = m->measured_is_due;
	struct dcb_time next;
	char err[256];

	state_change_begin(m->lock);
	m->neighbors_fail =
	    lldp_ports_evaluate(m->lldp, m->config, now) && !publish_again(m, err, sizeof(err));
	state_change_end(m->lock);
	if (m->neighbors_fail && !was_failing)
		/*
		 * Message: The settings in force do not follow a change of a neighbor for this
		 * reason. With `out of memory`, free memory.
		 */
		log_error_limited("lldp", "neighbor change not applied: %s; retry in 1 s", err);
	if (!publish_measured(m, err, sizeof(err)) && !measured_failed)
		/*
		 * Message: The headroom does not follow a measurement for this reason. With `out of
		 * memory`, free memory.
		 */
		log_error_limited("port", "measured delay not applied: %s; retry in 1 s", err);
	next = lldp_ports_run(m->lldp, now);
	return m->neighbors_fail || m->measured_is_due
		   ? dcb_time_min(next, dcb_time_add_ns(now, RETRY_NS))
		   : next;
}

/* --- start and stop ------------------------------------------------------------------------- */

static const struct provider *find_engine(struct provider *const *providers, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (providers[i]->ops->read_provider)
			return providers[i];
	return NULL;
}

struct managed *managed_new(const struct managed_params *params, struct provider *const *providers,
			    unsigned n)
{
	struct managed *m = calloc(1, sizeof(*m));

	assert(n >= 1 && n <= MANAGED_PROVIDERS_MAX);
	if (!m)
		return NULL;
	m->holding = true;
	m->defaults = params->defaults;
	m->lock = state_lock_new();
	m->config = dcb_config_new(&m->defaults);
	m->events = events_new();
	m->pauses = pause_history_new();
	m->addresses = addresses_new();
	m->lldp = lldp_ports_new(&lldp_ops, m, params->lldp_destination, m->lock);
	if (!m->lock || !m->config || !m->events || !m->pauses || !m->addresses || !m->lldp) {
		lldp_ports_free(m->lldp);
		addresses_free(m->addresses);
		dcb_config_free(m->config);
		pause_history_free(m->pauses);
		events_free(m->events);
		state_lock_free(m->lock);
		free(m);
		return NULL;
	}
	m->role = params->role;
	m->component_id = params->component_id;
	m->ops = params->ops;
	memcpy(m->providers, providers, n * sizeof(struct provider *));
	m->n_providers = n;
	m->engine = find_engine(providers, n);
	m->started = clock_now();
	m->state_status = STATE_OK;
	return m;
}

/* Destroys the providers first: until then they may read configurations and ports. */
void managed_free(struct managed *m)
{
	lldp_ports_free(m->lldp);
	free(m->kept.records);
	for (unsigned i = 0; i < m->n_providers; i++)
		m->providers[i]->ops->destroy(m->providers[i]);
	forget_published(m);
	dcb_config_free(m->collected);
	managed_absent_remove_from(m, 0);
	dcb_config_free(m->config);
	addresses_free(m->addresses);
	pause_history_free(m->pauses);
	events_free(m->events);
	state_lock_free(m->lock);
	free(m);
}

/* --- adding and removing ports -------------------------------------------------------------- */

/* Returns the provider that dcbd.conf names for the port, else the engine. NULL: there is none. */
static struct provider *provider_of(const struct managed *m, const struct port_settings *settings)
{
	const char *name = settings->provider;

	for (unsigned i = 0; i < m->n_providers; i++)
		if (name ? strcmp(m->providers[i]->ops->name, name) == 0
			 : m->providers[i] == m->engine)
			return m->providers[i];
	return NULL;
}

static struct port *open_port(struct managed *m, const struct link_info *link,
			      const struct port_settings *settings, char *err, size_t errlen)
{
	struct provider *p = provider_of(m, settings);
	struct port *port;
	uint16_t slot;

	if (!p) {
		/*
		 * Message: At the start of dcbd, dcbd.conf(5) had another provider for all ports.
		 * Restart dcbd, or give the port one that was started.
		 */
		snprintf(err, errlen, "%s: provider \"%s\" was not started", link->name,
			 settings->provider ? settings->provider : "soft");
		return NULL;
	}
	if (!take_slot(m, &slot)) {
		/*
		 * Message: More interfaces match `interfaces.include` than dcbd can manage. Use
		 * narrower patterns.
		 */
		snprintf(err, errlen, "%s: expected at most %d ports", link->name, DCB_SLOTS);
		return NULL;
	}
	port = p->ops->port_open(p, slot, link, settings, err, errlen);
	if (!port) {
		m->slot_is_taken[slot] = false;
		return NULL;
	}
	m->records[slot] = (struct managed_record){.counters_since_ms = clock_real_ms(),
						   .carrier = link->carrier_changes};
	return port;
}

uint32_t managed_link_changes(const struct managed *m, const struct port *port)
{
	const struct managed_record *record = &m->records[port->slot];
	uint32_t carrier = port->link.carrier_changes - record->carrier;

	return carrier > record->changes ? carrier : record->changes;
}

/* Returns whether the profile of dcbd.conf applies. An observed port has none of its objects. */
static bool is_scaled(const struct port *port)
{
	return port->settings.profile == CN_PROFILE_SCALED &&
	       (port->has & (PROVIDER_CP | PROVIDER_RP));
}

static struct dcb_rate profile_rate(const struct port *port)
{
	return is_scaled(port) ? port_profile_rate(&port->settings, port->link.speed)
			       : (struct dcb_rate){0};
}

/*
 * While ports are collected: adds the port to a configuration in place, at the start to that which
 * no provider has yet.
 */
static bool insert_port(struct managed *m, struct port *port, struct port_config *pc,
			struct provider_refusal *why)
{
	struct dcb_config **to = m->holding ? &m->config : &m->collected, *config = NULL;

	if (!*to)
		*to = dcb_config_copy(m->config);
	if (*to && pc)
		config = dcb_config_insert_port(*to, port, pc);
	port_config_unref(pc);
	if (!config)
		return provider_refuse(why, PROVIDER_NO_RESOURCE, NULL, 0, "out of memory");
	*to = config;
	return true;
}

/* Publishes a configuration with the port and its settings. pc NULL: out of memory. */
static bool publish_with(struct managed *m, struct port *port, struct port_config *pc,
			 struct provider_refusal *why)
{
	struct dcb_config *next = pc ? dcb_config_with_port(m->config, port, pc) : NULL;

	if (next)
		return managed_publish(m, next, why);
	return provider_refuse(why, PROVIDER_NO_RESOURCE, NULL, 0, "out of memory");
}

/* Returns the first settings of a port: those of its device, if it keeps any. NULL: no memory. */
static struct port_config *first_settings(const struct managed *m, const struct port *port,
					  struct dcb_rate rate)
{
	struct port_config *initial = dcb_config_initial(m->config, rate), *pc;

	if (!initial || !port->provider->ops->adopt)
		return initial;
	pc = port_config_dup(initial);
	port_config_unref(initial);
	if (pc && port->provider->ops->adopt(port, dcb_config_cnpvs(m->config), pc))
		pc->initial = PORT_CONFIG_ADOPTED;
	return pc;
}

/* Publishes a configuration with the port, which gets the kept settings. */
static bool publish_port(struct managed *m, struct port *port, struct managed_absent *kept,
			 struct provider_refusal *why)
{
	const struct dcb_config *others = m->collected ? m->collected : m->config;
	struct dcb_rate rate = profile_rate(port);
	struct port_config *pc = kept ? managed_absent_settings(m, others, kept, port, rate)
				      : first_settings(m, port, rate);
	bool ok;

	if (m->collects)
		return insert_port(m, port, pc, why);
	ok = publish_with(m, port, pc, why);
	port_config_unref(pc);
	return ok;
}

/* Logs the rate of the initial values of a port whose profile is "scaled". */
static void log_profile(const struct port *port)
{
	struct dcb_rate rate = profile_rate(port);

	if (!is_scaled(port))
		return;
	if (dcb_rate_is_unlimited(rate))
		/*
		 * Message: The link has no speed yet, as when it is down. The port gets the values
		 * of its rate when the link comes up.
		 */
		log_warn("port",
			 "%s: profile \"scaled\": the rate is not known yet: initial values of "
			 "\"standard\"",
			 port->link.name);
	else
		log_info("port", "%s: profile \"scaled\": initial values for %.6g Mb/s",
			 port->link.name, (double)rate.bps / 1e6);
}

/* Closes a port that was refused. err says why. */
static void refuse_port(struct managed *m, struct port *port, const struct provider_refusal *why,
			char *err, size_t errlen)
{
	char text[256];

	if (why->port != port)
		managed_refusal_text(why, text, sizeof(text));
	snprintf(err, errlen, "%s: %s", port->link.name, why->port == port ? why->text : text);
	lldp_ports_gone(m->lldp, port);
	drop_port(m, port);
}

/* The system has the address of its first port. Returns whether it had one. */
static bool take_address(struct managed *m, const struct link_info *link)
{
	bool had = m->has_address;

	if (!had)
		memcpy(m->address, link->mac, sizeof(m->address));
	m->has_address = true;
	return had;
}

/* Adds an open port, or closes it. */
static bool add_open_port(struct managed *m, const struct link_info *link, struct port *port,
			  char *err, size_t errlen)
{
	bool had_address = take_address(m, link);
	struct managed_absent *kept = managed_absent_find(m, link);
	struct provider_refusal why;

	if (publish_port(m, port, kept, &why)) {
		if (kept && m->collects)
			kept->taken_by = port;
		else
			managed_absent_remove(m, kept);
		log_profile(port);
		if (!kept)
			managed_warn_of_absent(m, link);
		return true;
	}
	m->has_address = had_address;
	refuse_port(m, port, &why, err, errlen);
	return false;
}

/* Opening an interface can block; no reader finds the port yet. */
bool managed_port_add(struct managed *m, const struct link_info *link,
		      const struct port_settings *settings, char *err, size_t errlen)
{
	struct port *port = open_port(m, link, settings, err, errlen);
	bool ok;

	if (!port)
		return false;
	state_change_begin(m->lock);
	ok = add_open_port(m, link, port, err, errlen);
	state_change_end(m->lock);
	return ok;
}

/*
 * Refuses a port that was collected: its settings stay kept as they are. err gets the reason of
 * the first memory port, and *ok becomes false.
 */
static void refuse_collected(struct managed *m, struct port *port,
			     const struct provider_refusal *why, bool *ok, char *err, size_t errlen)
{
	bool is_memory = port->settings.memory;
	char text[256];

	managed_give_back(m, port);
	refuse_port(m, port, why, text, sizeof(text));
	if (!is_memory)
		log_error("port", "%s", text);
	else if (*ok)
		snprintf(err, errlen, "%s", text);
	*ok = *ok && !is_memory;
}

/*
 * Publishes a configuration with a port that was collected. Those collected before it, whose
 * settings it did not contradict, may have been refused meanwhile.
 */
static bool publish_alone(struct managed *m, const struct dcb_config_port *at,
			  struct provider_refusal *why)
{
	struct managed_absent *kept = managed_find_taken(m, at->port);
	struct port_config *pc = at->config;
	bool ok;

	pc = kept ? managed_absent_settings(m, m->config, kept, at->port, pc->profile_rate)
		  : port_config_ref(pc);
	ok = publish_with(m, at->port, pc, why);
	port_config_unref(pc);
	return ok;
}

/*
 * Adds those ports of a configuration that m->config does not have one after another, and closes
 * those that are refused.
 */
static void add_one_by_one(struct managed *m, const struct dcb_config *all, bool *ok, char *err,
			   size_t errlen)
{
	struct provider_refusal why;

	for (size_t i = 0; i < all->n_ports; i++) {
		struct port *port = all->ports[i].port;
		bool had_address;

		if (managed_find(m, all->ports[i].ifindex) < m->config->n_ports)
			continue;
		had_address = take_address(m, &port->link);
		if (publish_alone(m, &all->ports[i], &why))
			continue;
		m->has_address = had_address;
		refuse_collected(m, port, &why, ok, err, errlen);
	}
}

/* Returns the position of a collected port in all; all->n_ports: it was not collected. */
static size_t find_collected(const struct managed *m, const struct dcb_config *all,
			     const struct port *port)
{
	size_t pos;

	if (!port || (!m->holding && managed_find(m, port->link.ifindex) < m->config->n_ports))
		return all->n_ports;
	pos = dcb_config_lower_bound(all, port->link.ifindex);
	return pos < all->n_ports && all->ports[pos].port == port ? pos : all->n_ports;
}

/*
 * Takes the port that was refused out of *all, and restores what others did not get because of its
 * settings. false: the refusal names no collected port, or out of memory.
 */
static bool take_out(struct managed *m, struct dcb_config **all, const struct provider_refusal *why,
		     bool *ok, char *err, size_t errlen)
{
	size_t pos = find_collected(m, *all, why->port);
	struct dcb_positions only = {{0}};
	struct dcb_config *rest;
	struct port *port;

	if (pos == (*all)->n_ports)
		return false;
	port = (*all)->ports[pos].port;
	dcb_positions_add(&only, pos);
	rest = dcb_config_without_ports(*all, &only);
	if (!rest)
		return false;
	dcb_config_free(*all);
	*all = rest;
	refuse_collected(m, port, why, ok, err, errlen);
	m->has_address = m->had_address;
	if (rest->n_ports)
		(void)take_address(m, &rest->ports[0].port->link);
	return managed_restore_cut(m, rest);
}

void managed_collect(struct managed *m)
{
	m->collects = true;
	m->had_address = m->has_address;
}

/* At the start: all ports of m->config are new. */
static bool start_collected(struct managed *m, char *err, size_t errlen)
{
	struct dcb_config *all, *none;
	struct provider_refusal why;
	bool ok = true;

	while (!managed_try(m, m->config, &why)) {
		if (take_out(m, &m->config, &why, &ok, err, errlen))
			continue;
		all = m->config;
		none = dcb_config_of_provider(all, NULL); /* no ports */
		if (!none) {
			snprintf(err, errlen, "out of memory");
			return false;
		}
		m->config = none;
		m->has_address = m->had_address;
		add_one_by_one(m, all, &ok, err, errlen);
		dcb_config_free(all);
		break;
	}
	return ok;
}

static bool publish_collected(struct managed *m, char *err, size_t errlen)
{
	struct dcb_config *all = m->collected;
	struct provider_refusal why;
	bool ok = true;

	m->collected = NULL;
	while (all && !managed_publish(m, dcb_config_ref(all), &why)) {
		if (take_out(m, &all, &why, &ok, err, errlen))
			continue;
		m->has_address = m->had_address;
		add_one_by_one(m, all, &ok, err, errlen);
		break;
	}
	dcb_config_free(all);
	managed_absent_remove_taken(m);
	return ok;
}

bool managed_collected(struct managed *m, char *err, size_t errlen)
{
	bool ok;

	m->collects = false;
	state_change_begin(m->lock);
	ok = (m->holding ? start_collected : publish_collected)(m, err, errlen);
	state_change_end(m->lock);
	return ok;
}

/* Publishes a configuration with settings pc for the port at pos. */
static bool publish_settings(struct managed *m, size_t pos, struct port_config *pc, char *err,
			     size_t errlen)
{
	struct dcb_config *next = pc ? dcb_config_successor(m->config) : NULL;
	struct provider_refusal why;

	if (!next) {
		snprintf(err, errlen, "out of memory");
		return false;
	}
	dcb_config_set_port(next, pos, pc);
	if (managed_publish(m, next, &why))
		return true;
	managed_refusal_text(&why, err, errlen);
	return false;
}

/* Gives a port with initial settings those kept under the interface's alias or name. */
static void take_absent(struct managed *m, size_t pos)
{
	const struct dcb_config_port *at = &m->config->ports[pos];
	const struct link_info *link = &at->port->link;
	struct managed_absent *kept = managed_absent_find(m, link);
	struct port_config *pc;
	char err[256];

	if (!kept)
		return;
	pc = managed_absent_settings(m, m->config, kept, at->port, at->config->profile_rate);
	if (publish_settings(m, pos, pc, err, sizeof(err)))
		managed_absent_remove(m, kept);
	else
		/*
		 * Message: The provider of the port refuses a saved setting, or memory is out. The
		 * port has default settings. Set the objects of the port again.
		 */
		log_error("mo", "%s: its settings are not restored: %s", link->name, err);
	port_config_unref(pc);
}

/* Gives a port whose profile is "scaled" the initial values for a new rate. */
static void follow_rate(struct managed *m, size_t pos)
{
	const struct port *port = m->config->ports[pos].port;
	const struct port_config *now = m->config->ports[pos].config;
	struct dcb_rate rate = profile_rate(port);
	struct port_config *pc;
	char err[256];

	/* A link that is down has no speed: its port keeps the values of the last one. */
	if (dcb_rate_is_unlimited(rate) || rate.bps == now->profile_rate.bps)
		return;
	pc = port_config_dup(now);
	if (pc)
		port_config_follow(pc, m->config, rate);
	if (publish_settings(m, pos, pc, err, sizeof(err)))
		log_profile(port);
	else
		/*
		 * Message: The initial values for the new rate of the link are not in force, for
		 * this reason. Correct the cause, or set the objects of the port.
		 */
		log_error("port", "%s: profile \"scaled\": values not changed: %s", port->link.name,
			  err);
	port_config_unref(pc);
}

void managed_port_update(struct managed *m, size_t pos, const struct link_info *link)
{
	const struct dcb_config_port *at = &m->config->ports[pos];
	bool rekeyed = strcmp(at->port->link.name, link->name) != 0 ||
		       strcmp(at->port->link.alias, link->alias) != 0;

	state_change_begin(m->lock);
	m->records[at->port->slot].changes += at->port->link.up != link->up;
	at->port->provider->ops->port_update(at->port, link);
	lldp_ports_link(m->lldp, at->port);
	m->claims_are_due = true;
	m->names_generation += rekeyed;
	if (rekeyed &&
	    (dcb_config_is_initial(m->config, pos) || at->config->initial == PORT_CONFIG_ADOPTED))
		take_absent(m, pos);
	follow_rate(m, pos);
	state_change_end(m->lock);
}

static uint64_t port_discards(const struct port *port)
{
	struct cp_stats stats;
	uint64_t sum = 0;

	for (unsigned p = 0; (port->has & PROVIDER_CP) && p < DCB_PRIORITIES; p++) {
		port->provider->ops->read_cp(port, p, &stats);
		sum += stats.cp_discarded_frames;
	}
	return sum;
}

struct pfc_measured managed_delay_reported(const struct managed *m,
					   const struct dcb_config_port *at)
{
	uint16_t slot;

	if (!m->any_has_measured)
		return at->config->pfc_measured;
	slot = at->port->slot;
	return m->has_measured[slot / 64] >> slot % 64 & 1 ? managed_delay(at)
							   : at->config->pfc_measured;
}

/* Returns the sum of the discards of these ports. */
static uint64_t sum_discards(const struct managed *m, const struct dcb_positions *ports)
{
	uint64_t sum = 0;

	for (size_t pos = 0; pos < m->config->n_ports; pos++)
		if (dcb_positions_have(ports, pos))
			sum += port_discards(m->config->ports[pos].port);
	return sum;
}

/* Publishes a configuration without these ports, whose discards are counted here from now on. */
static bool remove_ports(struct managed *m, const struct dcb_positions *ports,
			 struct provider_refusal *why)
{
	struct dcb_config *next = dcb_config_without_ports(m->config, ports);
	uint64_t discards = sum_discards(m, ports), first = m->next_absent;
	bool ok;

	if (!next || !managed_absent_add_ports(m, ports)) {
		dcb_config_free(next);
		return provider_refuse(why, PROVIDER_NO_RESOURCE, NULL, 0, "out of memory");
	}
	state_change_begin(m->lock);
	ok = managed_publish(m, next, why);
	if (ok)
		m->closed_port_discards += discards;
	state_change_end(m->lock);
	if (!ok)
		managed_absent_remove_from(m, first);
	return ok;
}

bool managed_port_remove(struct managed *m, size_t pos)
{
	const struct port *port = m->config->ports[pos].port;
	struct dcb_positions only = {{0}};
	struct provider_refusal why;
	char text[256];

	dcb_positions_add(&only, pos);
	if (remove_ports(m, &only, &why))
		return true;
	/* Message: A port could not be removed from the configuration. Restart dcbd. */
	log_error("port", "%s: port not removed: %s", port->link.name,
		  managed_refusal_text(&why, text, sizeof(text)));
	return false;
}

bool managed_interface_gone(struct managed *m, uint32_t ifindex)
{
	size_t pos = managed_find(m, ifindex);
	bool ok = pos == m->config->n_ports || managed_port_remove(m, pos);

	managed_absent_gone(m, ifindex);
	return ok;
}

void managed_ports_remove(struct managed *m, const struct dcb_positions *ports)
{
	struct provider_refusal why;

	if (remove_ports(m, ports, &why))
		return;
	for (size_t pos = m->config->n_ports; pos-- > 0;)
		if (dcb_positions_have(ports, pos))
			(void)managed_port_remove(m, pos); /* logs a failure itself */
}

uint64_t managed_discarded_frames(const struct managed *m)
{
	uint64_t sum = m->closed_port_discards;

	for (size_t i = 0; i < m->config->n_ports; i++)
		sum += port_discards(m->config->ports[i].port);
	return sum;
}

void managed_cpid(const struct managed *m, const struct port *port, unsigned priority,
		  uint8_t cpid[8])
{
	dcb_cpid(m->address, port->slot, priority, cpid);
}
