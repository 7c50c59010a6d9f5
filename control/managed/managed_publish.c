/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Publishes a configuration in all providers or in none: see dataplane/config/provider.h.
 * Does not wait for providers; an old configuration is freed when its provider has
 * adopted a later one.
 */
#include "control/managed/managed.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/log.h"
#include "control/managed/headroom_cap.h"
#include "control/managed/lldp_ports.h"

/* Interval of retries after out of memory or a provider's failure. */
#define RETRY_NS DCB_NS_PER_S

/* A replaced configuration or a removed port that the provider may still read. */
struct managed_retired {
	struct managed_retired *next;
	const struct provider *provider;
	uint64_t successor; /* freed when the provider has adopted this generation */
	struct dcb_config *config;
	struct port *port;
};

const char *managed_refusal_text(const struct provider_refusal *why, char *buf, size_t size)
{
	snprintf(buf, size, "%s%s%s", why->port ? why->port->link.name : "", why->port ? ": " : "",
		 why->text);
	return buf;
}

/* --- views: each provider's part of a configuration --------------------------------------- */

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

/* --- first phase -------------------------------------------------------------------------- */

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

/* Settles the configuration, makes views and has each provider prepare its view. */
static bool prepare_all(struct managed *m, struct managed_change *next,
			struct provider_refusal *why)
{
	*why = (struct provider_refusal){0};
	dcb_config_settle(next->config);
	if (!lldp_ports_settle(m->lldp, m->config, next->config))
		return provider_refuse(why, PROVIDER_NO_RESOURCE, NULL, 0, "out of memory");
	set_measured(m, next->config);
	if (!headroom_cap_set(m->role, m->providers[0], m->config, next->config) ||
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
static bool keep_back(struct managed *m, const struct provider_refusal *why)
{
	bool first;

	if (!why->port || !lldp_ports_keep_back(m->lldp, why->port, &first))
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
		bool again = keep_back(m, why);

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

/* --- retired configurations and ports ----------------------------------------------------- */

static void retired_free(struct managed *m, struct managed_retired *r)
{
	if (r->port)
		managed_close_port(m, r->port);
	dcb_config_free(r->config);
}

/* Frees both when the provider has adopted the successor. Each may be NULL. */
static void retire(struct managed *m, const struct provider *p, struct dcb_config *config,
		   struct port *port, uint64_t successor)
{
	struct managed_retired now = {.config = config, .port = port}, *r;

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
	*r = (struct managed_retired){m->retired, p, successor, config, port};
	m->retired = r;
}

void managed_adopted(struct managed *m, const struct provider *provider, uint64_t generation)
{
	struct managed_retired **at = &m->retired;

	for (unsigned i = 0; i < m->n_providers; i++)
		if (m->providers[i] == provider)
			m->adopted[i] = generation;
	while (*at) {
		struct managed_retired *r = *at;

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
		if (!m->adopted[i])
			return false;
	return true;
}

bool managed_is_closing(const struct managed *m)
{
	for (const struct managed_retired *r = m->retired; r; r = r->next)
		if (r->port)
			return true;
	return false;
}

/* Returns the generation after which the provider does not read a port that is not published. */
static uint64_t last_reader(const struct managed *m, const struct dcb_config *given,
			    const struct port *port)
{
	size_t pos = dcb_config_lower_bound(given, port->link.ifindex);
	bool has = pos < given->n_ports && given->ports[pos].port == port; /* not undone */

	return has ? m->generation + 1 : given->generation;
}

void managed_drop_port(struct managed *m, struct port *port)
{
	unsigned i = 0;
	uint64_t successor;

	while (m->providers[i] != port->provider)
		i++;
	successor = m->given[i] ? last_reader(m, m->given[i], port) : 0;
	if (m->adopted[i] < successor)
		retire(m, port->provider, NULL, port, successor);
	else
		managed_close_port(m, port);
}

void managed_forget_published(struct managed *m)
{
	views_free(m, m->given);
	while (m->retired) {
		struct managed_retired *r = m->retired;

		m->retired = r->next;
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
	retire(m, port->provider, NULL, port, m->generation);
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

		retire(m, p, m->given[i], NULL, m->generation);
		m->given[i] = views[i];
		views[i] = NULL;
		if (!p->ops->event_fd)
			managed_adopted(m, p, m->generation);
	}
}

/* --- second phase ------------------------------------------------------------------------- */

/*
 * Undoes the commit of the first n providers: commits m->config's settings again, as new
 * views with a new generation, because the dataplane may read the earlier views and they
 * must not change. false: a provider failed again, for *why.
 */
static bool recommit_old(struct managed *m, unsigned n, struct provider_refusal *why)
{
	struct dcb_config *back[MANAGED_PROVIDERS_MAX];
	bool ok = true;

	if (!views_make(m, m->config, back))
		return provider_refuse(why, PROVIDER_NO_RESOURCE, NULL, 0, "out of memory");
	views_number(m, back, ++m->generation);
	for (unsigned i = 0; i < m->n_providers; i++) {
		struct provider *p = m->providers[i];

		back[i]->restores = true;
		if (i < n && ok)
			ok = prepare_one(p, back[i], why) && p->ops->commit(p, back[i], why);
		if (i >= n || !ok) {
			dcb_config_free(back[i]);
			continue;
		}
		retire(m, p, m->given[i], NULL, m->generation);
		retire(m, p, m->next.views[i], NULL, m->generation);
		m->given[i] = back[i];
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
		retire(m, m->providers[i], m->given[i], NULL, m->generation);
		m->given[i] = m->next.views[i];
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
	each_removed(m, old, managed_close_port);
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

/* --- changes of neighbors and links ------------------------------------------------------- */

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
	if (!(port->has & PROVIDER_HEADROOM)) /* the slot has another port now */
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
