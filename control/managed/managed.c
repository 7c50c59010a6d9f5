/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/managed/managed.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/log.h"
#include "lib/clock.h"
#include "control/managed/lldp_ports.h"
#include "control/managed/managed_private.h"

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

/* Destroys the providers first: until then they may read configurations and ports. */
void managed_free(struct managed *m)
{
	lldp_ports_free(m->lldp);
	free(m->kept.records);
	for (unsigned i = 0; i < m->n_providers; i++)
		m->providers[i]->ops->destroy(m->providers[i]);
	managed_forget_published(m);
	dcb_config_free(m->collected);
	managed_unpark_from(m, 0);
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
	const bool *free_one = memchr(m->slot_is_taken, 0, sizeof(m->slot_is_taken));

	if (!free_one)
		return false;
	*slot = (uint16_t)(free_one - m->slot_is_taken);
	m->slot_is_taken[*slot] = true;
	return true;
}

void managed_close_port(struct managed *m, struct port *port)
{
	m->slot_is_taken[port->slot] = false;
	addresses_forget(m->addresses);
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

/* Publishes a configuration with the port, which gets the parked settings. */
static bool publish_port(struct managed *m, struct port *port, struct managed_parked *parked,
			 struct provider_refusal *why)
{
	const struct dcb_config *others = m->collected ? m->collected : m->config;
	struct dcb_rate rate = profile_rate(port);
	struct port_config *pc = parked ? managed_parked_settings(m, others, parked, port, rate)
					: dcb_config_initial(m->config, rate);
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
	managed_drop_port(m, port);
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
	struct managed_parked *parked = managed_find_parked(m, link);
	struct provider_refusal why;

	if (publish_port(m, port, parked, &why)) {
		if (parked && m->collects)
			parked->taken_by = port;
		else
			managed_unpark(m, parked);
		log_profile(port);
		if (!parked)
			managed_warn_of_parked(m, link);
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
 * Refuses a port that was collected: its settings stay parked as they are. err gets the reason of
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
	struct managed_parked *parked = managed_find_taken(m, at->port);
	struct port_config *pc = at->config;
	bool ok;

	pc = parked ? managed_parked_settings(m, m->config, parked, at->port, pc->profile_rate)
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
	managed_unpark_taken(m);
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

/* Gives a port with initial settings those parked under the interface's alias or name. */
static void take_parked(struct managed *m, size_t pos)
{
	const struct dcb_config_port *at = &m->config->ports[pos];
	const struct link_info *link = &at->port->link;
	struct managed_parked *parked = managed_find_parked(m, link);
	struct port_config *pc;
	char err[256];

	if (!parked)
		return;
	pc = managed_parked_settings(m, m->config, parked, at->port, at->config->profile_rate);
	if (publish_settings(m, pos, pc, err, sizeof(err)))
		managed_unpark(m, parked);
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
	uint64_t discards = sum_discards(m, ports), first = m->next_parked;
	bool ok;

	if (!next || !managed_park_ports(m, ports)) {
		dcb_config_free(next);
		return provider_refuse(why, PROVIDER_NO_RESOURCE, NULL, 0, "out of memory");
	}
	state_change_begin(m->lock);
	ok = managed_publish(m, next, why);
	if (ok)
		m->closed_port_discards += discards;
	state_change_end(m->lock);
	if (!ok)
		managed_unpark_from(m, first);
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

	managed_parked_gone(m, ifindex);
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
