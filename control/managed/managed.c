/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/managed/managed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/log.h"
#include "lib/clock.h"
#include "control/managed/lldp_ports.h"

/* A configuration, and perhaps a port, that the provider may still be reading. */
struct managed_retired {
	struct managed_retired *next;
	uint64_t successor; /* free once this generation is adopted */
	struct dcb_config *config;
	struct port *port;
};

/* --- for lldp_ports -------------------------------------------------------------------------- */

static struct dcb_time lldp_now(void *owner)
{
	(void)owner;
	return clock_now();
}

static const struct dcb_config *lldp_config(void *owner)
{
	return ((struct managed *)owner)->config;
}

static void lldp_publish(void *owner, struct dcb_config *config)
{
	managed_publish(owner, config);
}

static void lldp_mismatch(void *owner, const struct port *port, bool mismatch, struct dcb_time now)
{
	const struct managed *m = owner;

	m->ops->mismatch(m, port, mismatch, now);
}

static const struct lldp_owner_ops lldp_ops = {
    .now = lldp_now,
    .config = lldp_config,
    .publish = lldp_publish,
    .mismatch = lldp_mismatch,
};

/* --- start and stop -------------------------------------------------------------------------- */

struct managed *managed_new(const struct managed_params *params, struct provider *provider)
{
	struct managed *m = calloc(1, sizeof(*m));

	if (!m)
		return NULL;
	m->holding = true;
	m->defaults = params->defaults;
	m->config = dcb_config_new(&m->defaults);
	m->events = events_new();
	m->lldp = lldp_ports_new(&lldp_ops, m, params->lldp_destination);
	if (!m->config || !m->events || !m->lldp) {
		lldp_ports_free(m->lldp);
		dcb_config_free(m->config);
		events_free(m->events);
		free(m);
		return NULL;
	}
	m->role = params->role;
	m->component_id = params->component_id;
	m->ops = params->ops;
	m->provider = provider;
	m->started = clock_now();
	m->state_status = STATE_OK;
	return m;
}

static void parked_free(struct managed_parked *p)
{
	port_config_unref(p->config);
	free(p);
}

/* The provider goes before what it may read, and the ports with it. */
void managed_free(struct managed *m)
{
	lldp_ports_free(m->lldp);
	m->provider->ops->destroy(m->provider);
	while (m->retired) {
		struct managed_retired *r = m->retired;

		m->retired = r->next;
		dcb_config_free(r->config);
		free(r);
	}
	while (m->parked) {
		struct managed_parked *p = m->parked;

		m->parked = p->next;
		parked_free(p);
	}
	dcb_config_free(m->config);
	events_free(m->events);
	free(m);
}

/* --- configurations come into force ------------------------------------------------------ */

static void index_slots(struct managed *m)
{
	memset(m->by_slot, 0, sizeof(m->by_slot));
	for (size_t i = 0; i < m->config->n_ports; i++)
		m->by_slot[m->config->ports[i].port->slot] = (uint16_t)(i + 1);
}

static void retire(struct managed *m, struct dcb_config *config, struct port *port)
{
	struct managed_retired *r = calloc(1, sizeof(*r));

	if (!r) {
		/* Freeing now could pull it from under the dataplane: a leak is the lesser evil. */
		log_error("mo", "out of memory: a configuration of %zu ports is lost",
			  config->n_ports);
		return;
	}
	r->successor = m->config->generation;
	r->config = config;
	r->port = port;
	r->next = m->retired;
	m->retired = r;
}

static void publish(struct managed *m, struct dcb_config *config, struct port *closed)
{
	struct dcb_config *old = m->config;

	config->generation = old->generation + 1;
	memcpy(config->system_address, m->address, sizeof(config->system_address));
	dcb_config_settle(config);
	if (!lldp_ports_settle(m->lldp, config))
		log_error("lldp", "out of memory: some ports are as without neighbours");
	m->config = config;
	index_slots(m);
	if (m->holding) {
		dcb_config_free(old);
		if (closed)
			m->provider->ops->port_close(closed);
		return;
	}
	m->provider->ops->publish(m->provider, config);
	m->ops->published(m, old);
	retire(m, old, closed);
	lldp_ports_published(m->lldp);
}

void managed_release(struct managed *m)
{
	m->holding = false;
	m->provider->ops->publish(m->provider, m->config);
	m->ops->published(m, NULL);
	lldp_ports_published(m->lldp);
}

void managed_publish(struct managed *m, struct dcb_config *config)
{
	publish(m, config, NULL);
}

void managed_adopted(struct managed *m, uint64_t generation)
{
	struct managed_retired **at = &m->retired;

	while (*at) {
		struct managed_retired *r = *at;

		if (r->successor > generation) {
			at = &r->next;
			continue;
		}
		*at = r->next;
		if (r->port)
			m->provider->ops->port_close(r->port);
		dcb_config_free(r->config);
		free(r);
	}
}

/* --- ports come and go ------------------------------------------------------------------------ */

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

/* Takes out what an interface of this alias, or else of this name, left behind. */
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

/* Settings to start with: parked ones less the priorities that changed meanwhile; NULL: fresh. */
static struct port_config *settings_of_parked(const struct managed *m,
					      const struct managed_parked *p)
{
	struct port_config *pc = port_config_dup(p->config);

	for (unsigned i = 0; pc && i < DCB_PRIORITIES; i++)
		if (p->epoch[i] != m->config->com_pri_epoch[i])
			port_config_reset(pc, i, m->config);
	return pc;
}

/* What an interface of this alias or name left behind; NULL: nothing. The caller owns it. */
static struct port_config *take_parked(struct managed *m, const struct link_info *link)
{
	struct managed_parked *parked = unpark(m, link);
	struct port_config *pc = NULL;

	if (parked) {
		pc = settings_of_parked(m, parked);
		parked_free(parked);
	}
	return pc;
}

bool managed_port_add(struct managed *m, const struct link_info *link,
		      const struct port_settings *settings, char *err, size_t errlen)
{
	struct port *port = m->provider->ops->port_open(m->provider, link, settings, err, errlen);
	struct port_config *pc;
	struct dcb_config *next;

	if (!port)
		return false;
	pc = take_parked(m, link);
	next = dcb_config_with_port(m->config, port, pc);
	port_config_unref(pc);
	if (!next) {
		snprintf(err, errlen, "%s: out of memory", link->name);
		m->provider->ops->port_close(port);
		return false;
	}
	if (!m->has_address) {
		memcpy(m->address, link->mac, sizeof(m->address));
		m->has_address = true;
	}
	publish(m, next, NULL);
	return true;
}

void managed_port_update(struct managed *m, size_t pos, const struct link_info *link)
{
	const struct dcb_config_port *at = &m->config->ports[pos];
	bool rekeyed = strcmp(at->port->link.name, link->name) != 0 ||
		       strcmp(at->port->link.alias, link->alias) != 0;
	struct port_config *pc = NULL;
	struct dcb_config *next = NULL;

	m->provider->ops->port_update(at->port, link);
	lldp_ports_link(m->lldp, at->port);
	if (rekeyed && at->config == m->config->fresh)
		pc = take_parked(m, link);
	if (!pc)
		return;
	next = dcb_config_copy(m->config);
	if (next) {
		port_config_unref(next->ports[pos].config);
		next->ports[pos].config = pc;
		publish(m, next, NULL);
	} else {
		log_error("mo", "%s: out of memory: its settings are not restored", link->name);
		port_config_unref(pc);
	}
}

static uint64_t port_discards(const struct managed *m, const struct port *port)
{
	struct cp_stats stats;
	uint64_t sum = 0;

	for (unsigned p = 0; p < DCB_PRIORITIES; p++) {
		m->provider->ops->read_cp(port, p, &stats);
		sum += stats.cp_discarded_frames;
	}
	return sum;
}

bool managed_port_remove(struct managed *m, size_t pos)
{
	struct dcb_config_port *at = &m->config->ports[pos];
	struct port *port = at->port;
	struct dcb_config *next = dcb_config_without_port(m->config, pos);
	bool is_alias;
	const char *key = managed_port_key(m, port, &is_alias);

	if (!next)
		return false;
	if (at->config != m->config->fresh && !managed_park(m, key, is_alias, at->config)) {
		dcb_config_free(next);
		return false;
	}
	m->closed_port_discards += port_discards(m, port);
	lldp_ports_gone(m->lldp, port);
	publish(m, next, port);
	return true;
}

uint64_t managed_discarded_frames(const struct managed *m)
{
	uint64_t sum = m->closed_port_discards;

	for (size_t i = 0; i < m->config->n_ports; i++)
		sum += port_discards(m, m->config->ports[i].port);
	return sum;
}

void managed_cpid(const struct managed *m, const struct port *port, unsigned priority,
		  uint8_t cpid[8])
{
	dcb_cpid(m->address, port->slot, priority, cpid);
}
