/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/config/dcb_config.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* --- settings of one port -------------------------------------------------------------- */

struct port_config *port_config_ref(struct port_config *pc)
{
	pc->refs++;
	return pc;
}

void port_config_unref(struct port_config *pc)
{
	if (pc && --pc->refs == 0)
		free(pc);
}

struct port_config *port_config_dup(const struct port_config *pc)
{
	struct port_config *copy = malloc(sizeof(*copy));

	if (!copy)
		return NULL;
	*copy = *pc;
	copy->refs = 1;
	copy->set_parts = copy->set_pfc = copy->set_rp = 0;
	return copy;
}

struct peer_apps *peer_apps_new(const struct app_tlv *tlv)
{
	struct peer_apps *apps = malloc(sizeof(*apps));

	if (!apps)
		return NULL;
	*apps = (struct peer_apps){.refs = 1, .tlv = *tlv};
	return apps;
}

struct peer_apps *peer_apps_ref(struct peer_apps *apps)
{
	if (apps)
		apps->refs++;
	return apps;
}

void peer_apps_unref(struct peer_apps *apps)
{
	if (apps && --apps->refs == 0)
		free(apps);
}

void peer_apps_set(struct peer_apps **to, struct peer_apps *apps)
{
	struct peer_apps *before = *to;

	*to = peer_apps_ref(apps);
	peer_apps_unref(before);
}

void port_config_reset(struct port_config *pc, unsigned priority, const struct dcb_config *c)
{
	const struct port_config *from = &c->defaults->port;

	pc->port_pri[priority] = from->port_pri[priority];
	if (c->com_pri[priority].cncp_creation == CNCP_AUTO_DISABLE)
		pc->port_pri[priority].cnpd_def_mode_choice = CPC_ADMIN;
	pc->cp[priority] = from->cp[priority];
	pc->rp_port_pri[priority] = from->rp_port_pri[priority];
	pc->rpg[priority] = from->rpg[priority];
	cn_profile_apply(pc->profile_rate, &pc->cp[priority], &pc->rpg[priority]);
	pc->profile_set[priority] = 0;
}

void port_config_init(struct port_config *pc, const struct dcb_config *c)
{
	struct dcb_rate profile_rate = pc->profile_rate;
	uint32_t refs = pc->refs;

	*pc = c->defaults->port;
	pc->refs = refs;
	pc->profile_rate = profile_rate;
	pc->initial = 1;
	for (unsigned p = 0; p < DCB_PRIORITIES; p++)
		port_config_reset(pc, p, c);
}

void port_config_follow(struct port_config *pc, const struct dcb_config *c, struct dcb_rate rate)
{
	pc->profile_rate = rate;
	for (unsigned p = 0; p < DCB_PRIORITIES; p++) {
		struct cp_config cp = c->defaults->port.cp[p];
		struct rpg_config rpg = c->defaults->port.rpg[p];

		cn_profile_apply(rate, &cp, &rpg);
		cn_profile_copy(pc->profile_set[p], &pc->cp[p], &pc->rpg[p], &cp, &rpg);
	}
}

struct port_config *dcb_config_initial(const struct dcb_config *c, struct dcb_rate rate)
{
	struct port_config *pc;

	if (dcb_rate_is_unlimited(rate))
		return port_config_ref(c->fresh);
	pc = port_config_dup(c->fresh);
	if (pc)
		port_config_follow(pc, c, rate);
	return pc;
}

/* --- derived values ---------------------------------------------------------------------- */

uint8_t dcb_config_cnpvs(const struct dcb_config *c)
{
	uint8_t mask = 0;

	for (unsigned p = 0; p < DCB_PRIORITIES; p++)
		if (c->com_pri[p].row_status != ROW_ABSENT)
			mask |= (uint8_t)(1u << p);
	return mask;
}

static uint8_t active_mask(const struct dcb_config *c)
{
	uint8_t mask = 0;

	for (unsigned p = 0; p < DCB_PRIORITIES; p++)
		if (c->com_pri[p].row_status == ROW_ACTIVE)
			mask |= (uint8_t)(1u << p);
	return mask;
}

uint8_t dcb_config_cnpvs_for_alternate(const struct dcb_config *c)
{
	uint8_t mask = dcb_config_cnpvs(c);

	return mask == 0xff ? active_mask(c) : mask;
}

unsigned dcb_config_active_rows(const struct dcb_config *c)
{
	return (unsigned)__builtin_popcount(active_mask(c));
}

enum row_status dcb_config_row_status(const struct dcb_config *c, unsigned priority)
{
	uint8_t status = c->com_pri[priority].row_status;

	if (status == ROW_ABSENT || status == ROW_ACTIVE)
		return (enum row_status)status;
	return dcb_config_active_rows(c) < DCB_PRIORITIES - 1 ? ROW_NOT_IN_SERVICE : ROW_NOT_READY;
}

/* Ports that share their settings share what follows from these. */
static void compute_ports(struct dcb_config *c)
{
	const struct port_config *of = NULL;
	struct port_oper oper = {0};

	for (size_t i = dcb_config_next_changed(c, 0); i < c->n_ports;
	     i = dcb_config_next_changed(c, i + 1)) {
		if (c->ports[i].config != of) {
			of = c->ports[i].config;
			oper = port_oper_alone(of);
		}
		c->ports[i].oper = oper;
		peer_apps_set(&c->ports[i].peer_apps, NULL);
	}
}

void dcb_config_compute_oper(struct dcb_config *c)
{
	uint8_t cnpvs = dcb_config_cnpvs_for_alternate(c);

	c->cnpv_acting = c->global.cng_master_enable ? active_mask(c) : 0;
	for (unsigned p = 0; p < DCB_PRIORITIES; p++)
		c->cncp_auto_alt_pri[p] = cnd_auto_alt_pri(cnpvs, p);
	compute_ports(c);
}

size_t dcb_config_lower_bound(const struct dcb_config *c, uint32_t ifindex)
{
	size_t lo = 0, hi = c->n_ports;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (c->ports[mid].ifindex < ifindex)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* --- editing -------------------------------------------------------------------------------- */

/* Allocates a configuration without values. */
static struct dcb_config *config_alloc(size_t n_ports)
{
	return malloc(sizeof(struct dcb_config) + n_ports * sizeof(struct dcb_config_port));
}

struct dcb_config *dcb_config_new(const struct dcb_defaults *defaults)
{
	struct dcb_config *c = config_alloc(0);

	if (!c)
		return NULL;
	*c = (struct dcb_config){.defaults = defaults};
	c->global = defaults->global;
	c->notify = defaults->notify;
	c->buffer_memory = defaults->buffer_memory;
	c->trill = defaults->trill;
	c->fdb_flush = defaults->fdb_flush;
	c->fresh = port_config_dup(&defaults->port);
	if (!c->fresh) {
		free(c);
		return NULL;
	}
	port_config_init(c->fresh, c);
	dcb_config_compute_oper(c);
	return c;
}

/* Copies all but the ports, with room for n_ports, which have no values yet. */
static struct dcb_config *copy_head(const struct dcb_config *c, size_t n_ports)
{
	struct dcb_config *copy = config_alloc(n_ports);

	if (!copy)
		return NULL;
	*copy = *c;
	if (!trill_egress_copy(&copy->trill_egress, &c->trill_egress)) {
		free(copy);
		return NULL;
	}
	copy->refs = 0;
	copy->n_ports = n_ports;
	port_config_ref(copy->fresh);
	return copy;
}

/* The copy is changed: no provider has accepted it before. */
static struct dcb_config *copy_head_to_change(const struct dcb_config *c, size_t n_ports)
{
	struct dcb_config *copy = copy_head(c, n_ports);

	if (copy) {
		copy->restores = false;
		copy->base = 0;
	}
	return copy;
}

/* Loads the settings of a later port, whose references are changed soon: there may be thousands. */
static void load_ahead(const struct dcb_config_port *ports, size_t i, size_t n)
{
	if (i + 16 < n)
		__builtin_prefetch(&ports[i + 16].config->refs, 1);
}

static void copy_ports(struct dcb_config_port *to, const struct dcb_config_port *from, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		load_ahead(from, i, n);
		to[i] = from[i];
		port_config_ref(to[i].config);
		peer_apps_ref(to[i].peer_apps);
	}
}

struct dcb_config *dcb_config_copy(const struct dcb_config *c)
{
	struct dcb_config *copy = copy_head_to_change(c, c->n_ports);

	if (copy)
		copy_ports(copy->ports, c->ports, c->n_ports);
	return copy;
}

struct dcb_config *dcb_config_successor(const struct dcb_config *c)
{
	struct dcb_config *copy = dcb_config_copy(c);

	if (copy) {
		copy->base = c->generation;
		memset(copy->changed, 0, sizeof(copy->changed));
	}
	return copy;
}

struct dcb_config *dcb_config_ref(struct dcb_config *c)
{
	c->refs++;
	return c;
}

void dcb_config_free(struct dcb_config *c)
{
	if (!c)
		return;
	if (c->refs > 0) {
		c->refs--;
		return;
	}
	for (size_t i = 0; i < c->n_ports; i++) {
		load_ahead(c->ports, i, c->n_ports);
		port_config_unref(c->ports[i].config);
		peer_apps_unref(c->ports[i].peer_apps);
	}
	port_config_unref(c->fresh);
	trill_egress_free(&c->trill_egress);
	free(c);
}

/* Returns the settings of the port at pos, copied first if they are shared. */
static struct port_config *own_config(struct dcb_config *c, size_t pos)
{
	struct port_config *pc = c->ports[pos].config;

	dcb_config_mark(c, pos);
	if (pc->refs == 1)
		return pc;
	pc = port_config_dup(pc);
	if (!pc)
		return NULL;
	port_config_unref(c->ports[pos].config);
	c->ports[pos].config = pc;
	return pc;
}

struct port_config *dcb_config_edit_port(struct dcb_config *c, size_t pos)
{
	struct port_config *pc = own_config(c, pos);

	if (pc)
		pc->initial = 0;
	return pc;
}

void dcb_config_set_port(struct dcb_config *c, size_t pos, struct port_config *config)
{
	dcb_config_mark(c, pos);
	port_config_ref(config);
	port_config_unref(c->ports[pos].config);
	c->ports[pos].config = config;
}

struct dcb_config *dcb_config_with_port(const struct dcb_config *c, struct port *port,
					struct port_config *config)
{
	size_t pos = dcb_config_lower_bound(c, port->link.ifindex);
	struct dcb_config *copy = copy_head_to_change(c, c->n_ports + 1);

	if (!copy)
		return NULL;
	copy_ports(copy->ports, c->ports, pos);
	copy->ports[pos] = dcb_config_port_alone(port, port_config_ref(config ? config : c->fresh));
	copy_ports(copy->ports + pos + 1, c->ports + pos, c->n_ports - pos);
	return copy;
}

struct dcb_config *dcb_config_insert_port(struct dcb_config *c, struct port *port,
					  struct port_config *config)
{
	size_t pos = dcb_config_lower_bound(c, port->link.ifindex);

	c = realloc(c, sizeof(*c) + (c->n_ports + 1) * sizeof(c->ports[0]));
	if (!c)
		return NULL;
	memmove(c->ports + pos + 1, c->ports + pos, (c->n_ports - pos) * sizeof(c->ports[0]));
	c->ports[pos] = (struct dcb_config_port){
	    .port = port,
	    .ifindex = port->link.ifindex,
	    .config = port_config_ref(config ? config : c->fresh),
	};
	c->n_ports++;
	c->base = 0;
	return c;
}

struct dcb_config *dcb_config_without_ports(const struct dcb_config *c,
					    const struct dcb_positions *ports)
{
	struct dcb_config *copy = copy_head_to_change(c, c->n_ports);
	size_t n = 0;

	if (!copy)
		return NULL;
	for (size_t i = 0; i < c->n_ports; i++)
		if (!dcb_positions_have(ports, i))
			copy_ports(&copy->ports[n++], &c->ports[i], 1);
	copy->n_ports = n;
	return copy;
}

struct dcb_config *dcb_config_of_provider(const struct dcb_config *c,
					  const struct provider *provider)
{
	struct dcb_config *copy = copy_head(c, c->n_ports);
	size_t n = 0;

	if (!copy)
		return NULL;
	memset(copy->changed, 0, sizeof(copy->changed));
	for (size_t i = 0; i < c->n_ports; i++) {
		if (c->ports[i].port->provider != provider)
			continue;
		if (dcb_config_next_changed(c, i) == i)
			dcb_config_mark(copy, n);
		copy_ports(&copy->ports[n++], &c->ports[i], 1);
	}
	copy->n_ports = n;
	return copy;
}

/* Returns the settings of a port that before does not have: as they are now. */
static struct port_config *restore_new(const struct dcb_config *current,
				       const struct dcb_config *before, size_t pos)
{
	struct port_config *own = current->ports[pos].config;

	return own == current->fresh ? before->fresh : own;
}

struct dcb_config *dcb_config_restore(const struct dcb_config *current,
				      const struct dcb_config *before)
{
	struct dcb_config *copy = copy_head(before, current->n_ports);
	size_t at = 0;

	if (!copy)
		return NULL;
	copy->generation = current->generation;
	copy->base = current->generation;
	memset(copy->changed, 0, sizeof(copy->changed));
	copy->restores = true;
	for (unsigned p = 0; p < DCB_PRIORITIES; p++)
		copy->com_pri_epoch[p] = current->com_pri_epoch[p];
	for (size_t i = 0; i < current->n_ports; i++) {
		struct dcb_config_port *to = &copy->ports[i];

		*to = current->ports[i];
		while (at < before->n_ports && before->ports[at].ifindex < to->ifindex)
			at++;
		if (at < before->n_ports && before->ports[at].ifindex == to->ifindex)
			to->config = before->ports[at].config;
		else
			to->config = restore_new(current, before, i);
		if (to->config != current->ports[i].config)
			dcb_config_mark(copy, i);
		port_config_ref(to->config);
		peer_apps_ref(to->peer_apps);
	}
	return copy;
}

/* Resets one priority on every port. Ports with unchanged default settings still share them. */
static bool reset_priority(struct dcb_config *c, unsigned priority)
{
	struct port_config *old = c->fresh, *fresh = port_config_dup(old);

	if (!fresh)
		return false;
	port_config_reset(fresh, priority, c);
	for (size_t i = 0; i < c->n_ports; i++) {
		struct port_config *pc = c->ports[i].config;

		if (pc == old) {
			dcb_config_set_port(c, i, fresh);
			continue;
		}
		pc = own_config(c, i);
		if (!pc) {
			port_config_unref(fresh);
			return false;
		}
		port_config_reset(pc, priority, c);
	}
	c->fresh = fresh;
	port_config_unref(old);
	return true;
}

bool dcb_config_create_cnpv(struct dcb_config *c, unsigned priority)
{
	c->com_pri_epoch[priority]++;
	return reset_priority(c, priority);
}

bool dcb_config_destroy_cnpv(struct dcb_config *c, unsigned priority)
{
	c->com_pri[priority] = (struct cn_com_pri_config){.row_status = ROW_ABSENT};
	c->com_pri_epoch[priority]++;
	return reset_priority(c, priority);
}

bool dcb_config_change_creation(struct dcb_config *c, unsigned priority)
{
	struct port_config *fresh = port_config_dup(c->fresh);

	if (!fresh)
		return false;
	port_config_reset(fresh, priority, c);
	fresh->initial++;
	port_config_unref(c->fresh);
	c->fresh = fresh;
	return true;
}
