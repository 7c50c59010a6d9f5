/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/managed/managed.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/log.h"
#include "lib/clock.h"
#include "control/managed/lldp_ports.h"

/* --- callbacks of lldp_ports ----------------------------------------------------------------- */

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

/* --- start and stop -------------------------------------------------------------------------- */

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
	m->addresses = addresses_new();
	m->lldp = lldp_ports_new(&lldp_ops, m, params->lldp_destination, m->lock);
	if (!m->lock || !m->config || !m->events || !m->addresses || !m->lldp) {
		lldp_ports_free(m->lldp);
		addresses_free(m->addresses);
		dcb_config_free(m->config);
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
	m->started = clock_now();
	m->state_status = STATE_OK;
	return m;
}

static void parked_free(struct managed_parked *p)
{
	port_config_unref(p->config);
	free(p);
}

/* Destroys the providers first: until then they may read configurations and ports. */
void managed_free(struct managed *m)
{
	lldp_ports_free(m->lldp);
	for (unsigned i = 0; i < m->n_providers; i++)
		m->providers[i]->ops->destroy(m->providers[i]);
	managed_forget_published(m);
	while (m->parked) {
		struct managed_parked *p = m->parked;

		m->parked = p->next;
		parked_free(p);
	}
	dcb_config_free(m->config);
	addresses_free(m->addresses);
	events_free(m->events);
	state_lock_free(m->lock);
	free(m);
}

/* --- adding and removing ports ---------------------------------------------------------------- */

size_t managed_find(const struct managed *m, uint32_t ifindex)
{
	size_t pos = dcb_config_lower_bound(m->config, ifindex);

	if (pos < m->config->n_ports && m->config->ports[pos].port->link.ifindex == ifindex)
		return pos;
	return m->config->n_ports;
}

static bool alias_is_unique(const struct managed *m, const struct port *port)
{
	for (size_t i = 0; i < m->config->n_ports; i++) {
		const struct port *other = m->config->ports[i].port;

		if (other != port && strcmp(other->link.alias, port->link.alias) == 0)
			return false;
	}
	return true;
}

const char *managed_port_key(const struct managed *m, const struct port *port, bool *is_alias)
{
	*is_alias = port->link.alias[0] != '\0' && alias_is_unique(m, port);
	return *is_alias ? port->link.alias : port->link.name;
}

bool managed_park(struct managed *m, const char *key, bool is_alias, struct port_config *config)
{
	struct managed_parked *p = calloc(1, sizeof(*p));

	if (!p)
		return false;
	snprintf(p->key, sizeof(p->key), "%s", key);
	p->is_alias = is_alias;
	p->config = port_config_ref(config);
	memcpy(p->epoch, m->config->com_pri_epoch, sizeof(p->epoch));
	p->next = m->parked;
	m->parked = p;
	return true;
}

/* Takes out the settings parked under the interface's alias, or else its name. NULL: none. */
static struct managed_parked *unpark(struct managed *m, const struct link_info *link)
{
	for (int by_alias = 1; by_alias >= 0; by_alias--) {
		const char *key = by_alias ? link->alias : link->name;

		if (!*key)
			continue;
		for (struct managed_parked **at = &m->parked; *at; at = &(*at)->next) {
			struct managed_parked *p = *at;

			if (p->is_alias == by_alias && strcmp(p->key, key) == 0) {
				*at = p->next;
				return p;
			}
		}
	}
	return NULL;
}

/* Puts settings back that unpark() took out. */
static void repark(struct managed *m, struct managed_parked *p)
{
	if (!p)
		return;
	p->next = m->parked;
	m->parked = p;
}

/* Removes the static entries that a port got while these settings were parked. */
static void drop_taken(const struct managed *m, const struct managed_parked *p,
		       struct port_config *pc)
{
	for (size_t i = 0; i < m->config->n_ports; i++) {
		const struct static_unicast_config *taken =
		    &m->config->ports[i].config->static_unicast;

		for (uint32_t n = 0; n < taken->n; n++) {
			if (!static_unicast_has(&pc->static_unicast, taken->key[n]))
				continue;
			log_warn("mo", "%s: a static entry is not restored: %s has it now", p->key,
				 m->config->ports[i].port->link.name);
			static_unicast_drop(&pc->static_unicast, taken->key[n]);
		}
	}
}

static void reset(const struct port *port, const char *object, void *is, const void *initial,
		  size_t octets)
{
	if (memcmp(is, initial, octets) == 0)
		return;
	log_warn("mo", "%s: %s is not restored: provider \"%s\" cannot set it", port->link.name,
		 object, port->provider->ops->name);
	memcpy(is, initial, octets);
}

/*
 * Resets the settings that contradict those of other ports and have no objects on this port, as
 * a restart does (12.21): a manager could neither see nor delete them.
 */
static void reset_absent(const struct port *port, const struct port_config *initial,
			 struct port_config *pc)
{
	if (!(port->has & PROVIDER_VLAN)) {
		reset(port, "dcbPortTrust", &pc->trust, &initial->trust, sizeof(pc->trust));
		reset(port, "dcbVlanPortTable", &pc->vlan, &initial->vlan, sizeof(pc->vlan));
		reset(port, "dcbStaticUnicastTable", &pc->static_unicast, &initial->static_unicast,
		      sizeof(pc->static_unicast));
	}
	if (!(port->has & PROVIDER_TRILL)) {
		reset(port, "dcbTrillPortTable", &pc->trill, &initial->trill, sizeof(pc->trill));
		reset(port, "dcbTrillNextHopTable", &pc->trill_hops, &initial->trill_hops,
		      sizeof(pc->trill_hops));
	}
}

/*
 * Returns a copy of parked settings for a port with this rate of the profile, with initial
 * values for priorities whose component-wide row has changed since and for what the port has no
 * objects of, and without static entries that another port or RBridge has and next hops that
 * contradict others. NULL: out of memory.
 */
static struct port_config *settings_of_parked(const struct managed *m,
					      const struct managed_parked *p,
					      const struct port *port, struct dcb_rate rate)
{
	struct port_config *pc = port_config_dup(p->config);

	if (pc)
		reset_absent(port, m->config->fresh, pc);
	for (unsigned i = 0; pc && i < DCB_PRIORITIES; i++)
		if (p->epoch[i] != m->config->com_pri_epoch[i])
			port_config_reset(pc, i, m->config);
	if (pc)
		port_config_follow(pc, m->config, rate);
	if (pc && pc->static_unicast.n)
		drop_taken(m, p, pc);
	if (pc && m->role == ROLE_RBRIDGE)
		managed_trill_drop_static(m->config, pc, p->key);
	if (pc && pc->trill_hops.n)
		managed_trill_reconcile(m->config, m->config->n_ports, pc, p->key);
	return pc;
}

/* Returns the provider that dcbd.conf names for the port, else the first. NULL: unknown name. */
static struct provider *provider_of(const struct managed *m, const struct port_settings *settings)
{
	if (!settings->provider)
		return m->providers[0];
	for (unsigned i = 0; i < m->n_providers; i++)
		if (strcmp(m->providers[i]->ops->name, settings->provider) == 0)
			return m->providers[i];
	return NULL;
}

static bool take_slot(struct managed *m, uint16_t *slot)
{
	for (unsigned i = 0; i < DCB_SLOTS; i++) {
		if (m->slot_is_taken[i])
			continue;
		m->slot_is_taken[i] = true;
		*slot = (uint16_t)i;
		return true;
	}
	return false;
}

void managed_close_port(struct managed *m, struct port *port)
{
	m->slot_is_taken[port->slot] = false;
	m->has_measured[port->slot / 64] &= ~(UINT64_C(1) << port->slot % 64);
	m->measured[port->slot] = 0;
	m->secy_ns[port->slot] = 0;
	port->provider->ops->port_close(port);
}

static struct port *open_port(struct managed *m, const struct link_info *link,
			      const struct port_settings *settings, char *err, size_t errlen)
{
	struct provider *p = provider_of(m, settings);
	struct port *port;
	uint16_t slot;

	if (!p) {
		snprintf(err, errlen, "%s: unknown provider \"%s\"", link->name,
			 settings->provider);
		return NULL;
	}
	if (!take_slot(m, &slot)) {
		snprintf(err, errlen, "%s: expected at most %d ports", link->name, DCB_SLOTS);
		return NULL;
	}
	port = p->ops->port_open(p, slot, link, settings, err, errlen);
	if (port)
		port->counters_since_ms = clock_real_ms();
	else
		m->slot_is_taken[slot] = false;
	return port;
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

/* While ports are collected: adds the port to the configuration in place. */
static bool insert_port(struct managed *m, struct port *port, struct port_config *pc,
			struct provider_refusal *why)
{
	struct dcb_config *config = pc ? dcb_config_insert_port(m->config, port, pc) : NULL;

	port_config_unref(pc);
	if (!config)
		return provider_refuse(why, PROVIDER_NO_RESOURCE, NULL, 0, "out of memory");
	m->config = config;
	m->names++;
	return true;
}

/* Publishes a configuration with the port and its settings. */
static bool publish_with(struct managed *m, struct port *port, struct port_config *pc,
			 struct provider_refusal *why)
{
	struct dcb_config *next = dcb_config_with_port(m->config, port, pc);

	if (next)
		return managed_publish(m, next, why);
	return provider_refuse(why, PROVIDER_NO_RESOURCE, NULL, 0, "out of memory");
}

/* Publishes a configuration with the port, which gets the parked settings. */
static bool publish_port(struct managed *m, struct port *port, const struct managed_parked *parked,
			 struct provider_refusal *why)
{
	struct dcb_rate rate = profile_rate(port);
	struct port_config *pc = parked ? settings_of_parked(m, parked, port, rate)
					: dcb_config_initial(m->config, rate);
	bool ok;

	if (m->collects)
		return insert_port(m, port, pc, why);
	ok = pc ? publish_with(m, port, pc, why)
		: provider_refuse(why, PROVIDER_NO_RESOURCE, NULL, 0, "out of memory");
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
	managed_drop_port(m, port, why);
}

/* Adds an open port, or closes it. */
/* The system has the address of its first port. Returns whether it had one. */
static bool take_address(struct managed *m, const struct link_info *link)
{
	bool had = m->has_address;

	if (!had)
		memcpy(m->address, link->mac, sizeof(m->address));
	m->has_address = true;
	return had;
}

static bool add_open_port(struct managed *m, const struct link_info *link, struct port *port,
			  char *err, size_t errlen)
{
	bool had_address = take_address(m, link);
	struct managed_parked *parked;
	struct provider_refusal why;

	parked = unpark(m, link);
	if (publish_port(m, port, parked, &why)) {
		if (parked)
			parked_free(parked);
		log_profile(port);
		return true;
	}
	repark(m, parked);
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

/* Adds the ports of a configuration one after another, and closes those that are refused. */
static bool add_one_by_one(struct managed *m, const struct dcb_config *all, char *err,
			   size_t errlen)
{
	struct provider_refusal why;
	bool ok = true;

	m->has_address = false;
	for (size_t i = 0; i < all->n_ports; i++) {
		struct port *port = all->ports[i].port;
		bool is_memory = port->settings.memory;
		bool had_address = take_address(m, &port->link);
		char text[256];

		if (publish_with(m, port, all->ports[i].config, &why))
			continue;
		m->has_address = had_address;
		refuse_port(m, port, &why, text, sizeof(text));
		if (!is_memory)
			log_error("port", "%s", text);
		else if (ok)
			snprintf(err, errlen, "%s", text);
		ok = ok && !is_memory;
	}
	return ok;
}

void managed_collect(struct managed *m)
{
	m->collects = true;
}

bool managed_collected(struct managed *m, char *err, size_t errlen)
{
	struct dcb_config *all = m->config;
	struct provider_refusal why;
	bool ok = true;

	m->collects = false;
	state_change_begin(m->lock);
	if (!managed_try(m, all, &why)) {
		struct dcb_config *none = dcb_config_of_provider(all, NULL); /* no ports */

		if (none) {
			m->config = none;
			ok = add_one_by_one(m, all, err, errlen);
			dcb_config_free(all);
		} else {
			snprintf(err, errlen, "out of memory");
			ok = false;
		}
	}
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

/* Gives a port with initial settings those parked under the interface's alias or name. */
static void take_parked(struct managed *m, size_t pos)
{
	const struct dcb_config_port *at = &m->config->ports[pos];
	const struct link_info *link = &at->port->link;
	struct managed_parked *parked = unpark(m, link);
	struct port_config *pc;
	char err[256];

	if (!parked)
		return;
	pc = settings_of_parked(m, parked, at->port, at->config->profile_rate);
	if (publish_settings(m, pos, pc, err, sizeof(err))) {
		parked_free(parked);
	} else {
		log_error("mo", "%s: its settings are not restored: %s", link->name, err);
		repark(m, parked);
	}
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
	at->port->provider->ops->port_update(at->port, link);
	lldp_ports_link(m->lldp, at->port);
	m->claims_are_due = true;
	m->names += rekeyed;
	if (rekeyed && dcb_config_is_initial(m->config, pos))
		take_parked(m, pos);
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

struct pfc_measured managed_delay(const struct dcb_config_port *at)
{
	const struct provider_ops *ops = at->port->provider->ops;
	struct pfc_measure_stats stats;

	if (!(at->port->has & PROVIDER_HEADROOM) || !ops->read_measure)
		return at->config->pfc_measured;
	ops->read_measure(at->port, &stats);
	if (!stats.measured)
		return at->config->pfc_measured;
	return (struct pfc_measured){
	    .rate = {stats.rate_bps},
	    .average = (uint32_t)stats.average,
	    .count = (uint32_t)stats.count,
	    .path = (uint8_t)stats.path,
	};
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

/*
 * Parks the settings of the port at pos, with the delay that it has measured, unless they are
 * defaults. false: out of memory.
 */
static bool park_port(struct managed *m, size_t pos, struct managed_parked **parked)
{
	const struct dcb_config_port *at = &m->config->ports[pos];
	struct port_config *pc;
	bool is_alias, ok;
	const char *key = managed_port_key(m, at->port, &is_alias);

	*parked = NULL;
	if (dcb_config_is_initial(m->config, pos))
		return true;
	pc = port_config_dup(at->config);
	if (!pc)
		return false;
	pc->pfc_measured = managed_delay(at);
	ok = managed_park(m, key, is_alias, pc);
	port_config_unref(pc);
	if (ok)
		*parked = m->parked;
	return ok;
}

/* Publishes a configuration without the port, whose discards are counted here from now on. */
static bool publish_without(struct managed *m, struct port *port, struct dcb_config *next,
			    struct provider_refusal *why)
{
	uint64_t discards = port_discards(port);
	bool ok;

	state_change_begin(m->lock);
	m->next.closed = port;
	ok = managed_publish(m, next, why);
	if (ok)
		m->closed_port_discards += discards;
	state_change_end(m->lock);
	return ok;
}

bool managed_port_remove(struct managed *m, size_t pos)
{
	struct port *port = m->config->ports[pos].port;
	struct dcb_config *next = dcb_config_without_port(m->config, pos);
	struct managed_parked *parked;
	struct provider_refusal why;
	char text[256];

	if (!next || !park_port(m, pos, &parked)) {
		log_error("port", "%s: port not removed: out of memory", port->link.name);
		dcb_config_free(next);
		return false;
	}
	if (!publish_without(m, port, next, &why)) {
		log_error("port", "%s: port not removed: %s", port->link.name,
			  managed_refusal_text(&why, text, sizeof(text)));
		if (parked) {
			m->parked = parked->next;
			parked_free(parked);
		}
		return false;
	}
	return true;
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
