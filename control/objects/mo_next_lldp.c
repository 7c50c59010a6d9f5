/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds rows of ports' TLVs, applications and neighbors in SNMP order. */
#include "control/managed/lldp_ports.h"
#include "control/objects/mo_lldp.h"
#include "control/objects/mo_next_private.h"

/* The applications of a port or neighbor, sorted: their priorities, or if NULL, their VLANs. */
struct apps {
	unsigned n;
	const struct app_priority *priorities;
	const struct app_vlan *vlans;
};

static bool is_of_vlans(enum mo_table_id table)
{
	return table == MO_dcbx_app_vlan || mo_lldp_view(table)->part == LLDP_PART_APP_VLAN;
}

/* Writes the selector and the protocol of an application. */
static void app_index(const struct apps *apps, unsigned i, uint32_t sub[2])
{
	sub[0] = apps->priorities ? apps->priorities[i].selector : apps->vlans[i].selector;
	sub[1] = apps->priorities ? apps->priorities[i].protocol : apps->vlans[i].protocol;
}

static int app_compare(const struct apps *apps, unsigned i, const uint32_t *sub)
{
	uint32_t app[2];

	app_index(apps, i, app);
	if (app[0] != sub[0])
		return app[0] < sub[0] ? -1 : 1;
	return app[1] < sub[1] ? -1 : app[1] > sub[1];
}

/* Returns the first application not less than sub; n: none. */
static unsigned app_at(const struct apps *apps, const uint32_t *sub)
{
	unsigned low = 0, high = apps->n;

	while (low < high) {
		unsigned mid = (low + high) / 2;

		if (app_compare(apps, mid, sub) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* Returns the applications of TLVs. */
static struct apps apps_of_tlvs(const struct mo_next *s, const struct dcb_tlvs *tlvs)
{
	return is_of_vlans(s->table)
		   ? (struct apps){.n = tlvs->app_vlan.n, .vlans = tlvs->app_vlan.of}
		   : (struct apps){.n = tlvs->app.n, .priorities = tlvs->app.of};
}

/* Returns the applications of a port: those set, or those in force. */
static struct apps apps_of_port(const struct mo_next *s, size_t pos)
{
	const struct dcb_config_port *at = &s->config->ports[pos];
	const struct dcbx_config *dcbx = &at->config->dcbx;

	if (s->table == MO_lldp_loc_app || s->table == MO_lldp_loc_app_vlan)
		return apps_of_tlvs(s, lldp_ports_at(s->m->lldp, at->port)->sent);
	return is_of_vlans(s->table)
		   ? (struct apps){.n = dcbx->n_app_vlans, .vlans = dcbx->app_vlans}
		   : (struct apps){.n = dcbx->n_apps, .priorities = dcbx->apps};
}

bool next_port_app(const struct mo_next *s)
{
	size_t pos = dcb_config_lower_bound(s->config, s->index->sub[0]);
	const uint32_t *from = s->index->sub + 1, zero[2] = {0, 0};

	if (pos < s->config->n_ports && ifindex_at(s, pos) != s->index->sub[0])
		from = zero;
	for (; pos < s->config->n_ports; pos++, from = zero) {
		struct apps apps = apps_of_port(s, pos);
		uint32_t sub[3] = {ifindex_at(s, pos)};
		unsigned i = app_at(&apps, from);

		if (i == apps.n)
			continue;
		s->place->app = i;
		app_index(&apps, i, sub + 1);
		return found(s, pos, 0, 3, sub);
	}
	return false;
}

/* --- neighbors ------------------------------------------------------------------------------ */

#define NEIGHBOR_PARTS 4 /* of an index: time mark, ifIndex, destination address, number */

static void neighbor_index(const struct mo_next *s, const struct lldp_neighbor *n,
			   uint32_t sub[NEIGHBOR_PARTS])
{
	sub[0] = n->time_mark;
	sub[1] = n->ifindex;
	sub[2] = mo_lldp_destination(s->m);
	sub[3] = n->index;
}

static int neighbor_compare(const struct mo_next *s, const struct lldp_neighbor *n)
{
	uint32_t sub[NEIGHBOR_PARTS];

	neighbor_index(s, n, sub);
	for (unsigned i = 0; i < NEIGHBOR_PARTS; i++)
		if (sub[i] != s->index->sub[i])
			return sub[i] < s->index->sub[i] ? -1 : 1;
	return 0;
}

/* Returns the position of the first neighbor not less than the index; n: none. */
static size_t neighbor_at(const struct mo_next *s, const struct lldp_neighbor *const *all, size_t n)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (neighbor_compare(s, all[mid]) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/*
 * Finds the first of a neighbor's rows not less than from; *rest: the part of its index
 * after the neighbor's own. false: there is none.
 */
static bool neighbor_rows(const struct mo_next *s, const struct lldp_neighbor *n,
			  const uint32_t *from, uint32_t *rest)
{
	const struct mo_table *table = mo_table(s->table);
	struct apps apps;

	if (table->n_index == NEIGHBOR_PARTS)
		return true;
	if (table->index[NEIGHBOR_PARTS].part == MO_PART_PRIORITY) {
		rest[0] = from[0];
		s->place->priority = from[0];
		return from[0] < DCB_PRIORITIES;
	}
	apps = apps_of_tlvs(s, &n->tlvs);
	s->place->app = app_at(&apps, from);
	if (s->place->app == apps.n)
		return false;
	app_index(&apps, s->place->app, rest);
	return true;
}

bool next_rem(const struct mo_next *s)
{
	static const uint32_t zero[2];
	uint8_t tlv = mo_lldp_view(s->table)->tlv;
	const struct lldp_neighbor *const *all;
	uint32_t from[MO_INDEX_MAX];
	size_t n = 0, i;

	memcpy(from, s->index->sub, sizeof(from));
	all = lldp_ports_neighbors(s->m->lldp, &n);
	i = neighbor_at(s, all, n);
	for (bool same = i < n && neighbor_compare(s, all[i]) == 0; i < n; i++, same = false) {
		if (!dcb_tlvs_have(&all[i]->tlvs, (enum dcb_tlv)tlv) ||
		    !neighbor_rows(s, all[i], same ? from + NEIGHBOR_PARTS : zero,
				   s->index->sub + NEIGHBOR_PARTS))
			continue;
		s->place->neighbor = all[i];
		neighbor_index(s, all[i], s->index->sub);
		return true;
	}
	return false;
}

/* Returns the port's neighbor with the lowest number not less than index; NULL: none. */
static const struct lldp_neighbor *neighbor_from(const struct mo_next *s, size_t pos,
						 uint32_t index)
{
	const struct lldp_neighbor *first = NULL, *const * of;
	size_t n;

	of = lldp_ports_neighbors_of(s->m->lldp, s->config->ports[pos].port, &n);
	for (size_t i = 0; i < n; i++)
		if (of[i]->index >= index && (!first || of[i]->index < first->index))
			first = of[i];
	return first;
}

bool next_port_neighbor(const struct mo_next *s)
{
	size_t pos = dcb_config_lower_bound(s->config, s->index->sub[0]);
	uint32_t index = 0;

	if (pos < s->config->n_ports && ifindex_at(s, pos) == s->index->sub[0])
		index = s->index->sub[1];
	for (; pos < s->config->n_ports; pos++, index = 0) {
		s->place->neighbor = neighbor_from(s, pos, index);
		if (s->place->neighbor)
			return found(s, pos, 0, 2,
				     (uint32_t[]){ifindex_at(s, pos), s->place->neighbor->index});
	}
	return false;
}
