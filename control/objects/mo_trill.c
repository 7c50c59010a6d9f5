/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/objects/mo_trill.h"

#include <stdlib.h>

#include "control/objects/mo_caps.h"
#include "control/objects/mo_next_private.h"
#include "control/objects/mo_static.h"

/* --- indexes ----------------------------------------------------------------------------- */

/* Nickname and address of an index are a number and an address, as in static_unicast_key(). */
static uint64_t hop_key(const struct mo_index *index)
{
	return mo_static_key(index->sub + 1, TRILL_NICKNAME_MAX);
}

static uint64_t egress_key(const struct mo_index *index)
{
	return mo_static_key(index->sub, ETH_VID_MASK);
}

static struct trill_next_hop hop_of_key(uint64_t key)
{
	struct trill_next_hop hop = {.nickname = static_unicast_vid(key)};

	static_unicast_mac(key, hop.mac);
	return hop;
}

struct trill_next_hop mo_trill_hop_of(const struct mo_index *index)
{
	return hop_of_key(hop_key(index));
}

void mo_trill_hop_index(const struct trill_next_hop *hop, uint32_t ifindex, struct mo_index *index)
{
	index->n = 2 + ETH_ADDR_OCTETS;
	index->sub[0] = ifindex;
	index->sub[1] = hop->nickname;
	for (unsigned i = 0; i < ETH_ADDR_OCTETS; i++)
		index->sub[2 + i] = hop->mac[i];
}

bool next_trill_hop(const struct mo_next *s)
{
	uint32_t ifindex = s->index->sub[0];
	const struct trill_next_hop from = hop_of_key(hop_key(s->index));
	size_t pos = next_port_from(s, dcb_config_lower_bound(s->config, ifindex));

	for (; pos < s->config->n_ports; pos = next_port_from(s, pos + 1)) {
		const struct trill_next_hops *hops = &s->config->ports[pos].config->trill_hops;
		uint32_t at = 0;

		if (ifindex_at(s, pos) == ifindex)
			at = trill_next_hop_at(hops, from.nickname, from.mac);
		if (at == hops->n)
			continue;
		s->place->pos = pos;
		s->place->entry = at;
		mo_trill_hop_index(&hops->of[at], ifindex_at(s, pos), s->index);
		return true;
	}
	return false;
}

bool next_trill_egress(const struct mo_next *s)
{
	const struct trill_egresses *entries = &s->config->trill_egress;
	uint32_t at = trill_egress_at(entries, egress_key(s->index));

	if (at == entries->n)
		return false;
	s->place->entry = at;
	mo_static_index(entries->of[at].key, s->index);
	return true;
}

bool next_trill_fdb(const struct mo_next *s)
{
	struct fdb_address *at = &s->place->address;

	if (!addresses_find(s->m->addresses, ADDRESSES_BEHIND, egress_key(s->index), at))
		return false;
	mo_static_index(at->key, s->index);
	return true;
}

/* Sets *to to the lowest nickname that is in the configuration, not below from and below *to. */
static void lower(uint32_t *to, uint32_t from, uint16_t nickname)
{
	if (nickname >= from && nickname < *to)
		*to = nickname;
}

bool next_trill_nickname(const struct mo_next *s)
{
	uint32_t from = s->index->sub[0], lowest = TRILL_NICKNAME_RESERVED;
	const struct trill_egresses *entries = &s->config->trill_egress;

	if (from > TRILL_NICKNAME_MAX)
		return false;
	for (size_t pos = 0; pos < s->config->n_ports; pos++) {
		const struct trill_next_hops *hops = &s->config->ports[pos].config->trill_hops;
		uint32_t at =
		    trill_next_hop_at(hops, (uint16_t)from, (const uint8_t[ETH_ADDR_OCTETS]){0});

		if (at < hops->n)
			lower(&lowest, from, hops->of[at].nickname);
	}
	for (uint32_t i = 0; i < entries->n; i++)
		lower(&lowest, from, entries->of[i].nickname);
	s->place->entry = lowest;
	return lowest < TRILL_NICKNAME_RESERVED && found(s, 0, 0, 1, &lowest);
}

/* --- SET --------------------------------------------------------------------------------- */

#define VALUE_COLUMN   3 /* dcbTrillNextHopTree, dcbTrillEgressNickname */
#define STATUS_COLUMN  4 /* dcbTrillNextHopRowStatus, dcbTrillEgressRowStatus */
#define UNICAST_COLUMN 5 /* dcbTrillNextHopUnicast */

bool mo_trill_has_rows(enum mo_table_id table)
{
	return table == MO_trill_hop || table == MO_trill_egress;
}

/* The varbinds of one SET for one row. NULL: the column is not set. */
struct row_edit {
	const struct mo_varbind *value, *status, *unicast;
	size_t pos;     /* of the port of a next hop */
	bool is_absent; /* before the SET */
};

static const struct mo_varbind *any_of(const struct row_edit *row)
{
	if (row->status)
		return row->status;
	return row->value ? row->value : row->unicast;
}

static bool is_hop(const struct row_edit *row)
{
	return any_of(row)->table == MO_trill_hop;
}

static bool is_deleted(const struct row_edit *row)
{
	return row->status && row->status->value.num == ROW_DESTROY;
}

/* An entry of a group address, or of none, has no meaning. */
static bool is_individual(uint64_t key)
{
	return !(key >> 40 & 1) && key << 16;
}

/* Finds the port of a next hop, and whether the row exists. */
static enum mo_error find_hop(const struct dcb_config *config, struct row_edit *row)
{
	const struct mo_varbind *vb = any_of(row);
	uint32_t ifindex = vb->index.sub[0];
	const struct mo_table *table = mo_table(MO_trill_hop);
	const struct trill_next_hop hop = mo_trill_hop_of(&vb->index);
	const struct port *port;

	row->pos = dcb_config_lower_bound(config, ifindex);
	port = row->pos < config->n_ports ? config->ports[row->pos].port : NULL;
	if (!port || port->link.ifindex != ifindex)
		return MO_INCONSISTENT_NAME;
	if (!mo_caps_has_row(port, table) || !is_individual(hop_key(&vb->index)))
		return MO_NO_CREATION;
	if (!mo_caps_sets(port, table, mo_column(table, vb->subid)))
		return MO_NOT_WRITABLE;
	row->is_absent = !trill_next_hop_find(&config->ports[row->pos].config->trill_hops,
					      hop.nickname, hop.mac);
	return MO_NO_ERROR;
}

static enum mo_error find_row(const struct dcb_config *config, struct row_edit *row)
{
	uint64_t key;

	if (is_hop(row))
		return find_hop(config, row);
	key = egress_key(&any_of(row)->index);
	row->is_absent = trill_egress_find(&config->trill_egress, key) == TRILL_NICKNAME_NONE;
	return is_individual(key) ? MO_NO_ERROR : MO_NO_CREATION;
}

/*
 * RFC 2579, RowStatus: a row is created in one SET and is always active; that of an egress entry
 * needs its nickname.
 */
static enum mo_error check_row(const struct dcb_config *config, struct row_edit *row,
			       const struct mo_varbind **bad, struct mo_result *r)
{
	enum mo_error error;

	*bad = any_of(row);
	error = find_row(config, row);
	if (error != MO_NO_ERROR || is_deleted(row))
		return error;
	if (row->is_absent && !row->status)
		return MO_INCONSISTENT_NAME;
	if (row->status &&
	    row->status->value.num != (row->is_absent ? ROW_CREATE_AND_GO : ROW_ACTIVE))
		return mo_refuse_status(r, row->status, !row->is_absent,
					row->is_absent ? "createAndGo or destroy"
						       : "active or destroy");
	if (row->is_absent && !is_hop(row) && !row->value)
		return mo_refuse_status(r, row->status, false,
					"createAndGo and dcbTrillEgressNickname in one SET");
	return MO_NO_ERROR;
}

static enum mo_error drop_row(struct dcb_config *config, const struct row_edit *row,
			      struct mo_result *r)
{
	const struct trill_next_hop hop = mo_trill_hop_of(&any_of(row)->index);
	struct port_config *pc;

	if (!is_hop(row)) {
		trill_egress_drop(&config->trill_egress, egress_key(&any_of(row)->index));
		return MO_NO_ERROR;
	}
	pc = dcb_config_edit_port(config, row->pos);
	if (!pc)
		return mo_refuse(r, MO_RESOURCE_UNAVAILABLE, "out of memory");
	trill_next_hop_drop(&pc->trill_hops, hop.nickname, hop.mac);
	return MO_NO_ERROR;
}

/* Applies varbinds of one row, NULL: none, to its next hop; the others of its objects stay. */
static enum mo_error put_hop(struct port_config *pc, const struct mo_index *index,
			     const struct mo_varbind *tree, const struct mo_varbind *unicast)
{
	struct trill_next_hop hop = mo_trill_hop_of(index);
	const struct trill_next_hop *is =
	    trill_next_hop_find(&pc->trill_hops, hop.nickname, hop.mac);

	if (is)
		hop = *is;
	if (tree)
		hop.tree = tree->value.num == 1;
	if (unicast)
		hop.not_unicast = unicast->value.num != 1;
	return trill_next_hop_put(&pc->trill_hops, &hop) ? MO_NO_ERROR : MO_RESOURCE_UNAVAILABLE;
}

static enum mo_error put_row(struct dcb_config *config, const struct row_edit *row,
			     struct mo_result *r)
{
	struct port_config *pc;
	bool done;

	if (!is_hop(row)) {
		done = trill_egress_put(&config->trill_egress,
					&(struct trill_egress){
					    .key = egress_key(&any_of(row)->index),
					    .nickname = (uint16_t)row->value->value.num,
					});
		if (done)
			return MO_NO_ERROR;
		if (config->trill_egress.n < TRILL_EGRESS_MAX)
			return mo_refuse(r, MO_RESOURCE_UNAVAILABLE, "out of memory");
		return mo_refuse(r, MO_RESOURCE_UNAVAILABLE,
				 "expected at most %d rows in dcbTrillEgressTable",
				 TRILL_EGRESS_MAX);
	}
	pc = dcb_config_edit_port(config, row->pos);
	if (!pc)
		return mo_refuse(r, MO_RESOURCE_UNAVAILABLE, "out of memory");
	if (put_hop(pc, &any_of(row)->index, row->value, row->unicast) == MO_NO_ERROR)
		return MO_NO_ERROR;
	return mo_refuse(r, MO_RESOURCE_UNAVAILABLE, "%s: expected at most %d next hops",
			 config->ports[row->pos].port->link.name, TRILL_NEXT_HOPS_MAX);
}

/*
 * RFC 3416, 4.2.5: assignments are simultaneous. Rows are deleted before others are created, so
 * that those of a full table can be replaced. *bad: the varbind of the error.
 */
static enum mo_error edit_rows(struct dcb_config *config, struct row_edit *rows, unsigned n,
			       const struct mo_varbind **bad, struct mo_result *r)
{
	enum mo_error error = MO_NO_ERROR;

	for (unsigned i = 0; i < n && error == MO_NO_ERROR; i++)
		error = check_row(config, &rows[i], bad, r);
	for (unsigned i = 0; i < n && error == MO_NO_ERROR; i++) {
		*bad = any_of(&rows[i]);
		if (is_deleted(&rows[i]) && !rows[i].is_absent)
			error = drop_row(config, &rows[i], r);
	}
	for (unsigned i = 0; i < n && error == MO_NO_ERROR; i++) {
		*bad = any_of(&rows[i]);
		if (!is_deleted(&rows[i]) &&
		    (rows[i].is_absent || rows[i].value || rows[i].unicast))
			error = put_row(config, &rows[i], r);
	}
	return error;
}

static int compare_varbinds(const void *a, const void *b)
{
	const struct mo_varbind *const *x = a, *const *y = b;
	int order = (*x)->table == (*y)->table ? mo_index_compare(&(*x)->index, &(*y)->index)
					       : (int)(*x)->table - (int)(*y)->table;

	return order ? order : (*x > *y) - (*x < *y);
}

static const struct mo_varbind **member_of(struct row_edit *row, const struct mo_varbind *vb)
{
	if (vb->subid == STATUS_COLUMN)
		return &row->status;
	return vb->subid == UNICAST_COLUMN ? &row->unicast : &row->value;
}

static bool is_same_row(const struct mo_varbind *a, const struct mo_varbind *b)
{
	return a->table == b->table && mo_index_compare(&a->index, &b->index) == 0;
}

/*
 * Collects n sorted varbinds in rows. Returns the number of rows. Of two varbinds for one object
 * the first counts: a state file has the settings of a port before those that an absent
 * interface had when it vanished.
 */
static unsigned collect_rows(const struct mo_varbind *const *of, unsigned n, struct row_edit *rows)
{
	unsigned n_rows = 0;

	for (unsigned i = 0; i < n; n_rows++) {
		const struct mo_varbind *first = of[i];

		rows[n_rows] = (struct row_edit){.value = NULL};
		for (; i < n && is_same_row(of[i], first); i++) {
			const struct mo_varbind **at = member_of(&rows[n_rows], of[i]);

			if (!*at)
				*at = of[i];
		}
	}
	return n_rows;
}

enum mo_error mo_trill_edit(struct dcb_config *config, const struct mo_varbind *vbs, unsigned n,
			    struct mo_result *r)
{
	const struct mo_varbind **of, *bad = NULL;
	struct row_edit *rows;
	unsigned n_of = 0;

	for (unsigned i = 0; i < n; i++)
		n_of += mo_trill_has_rows(vbs[i].table);
	if (n_of == 0)
		return MO_NO_ERROR;
	of = malloc(n_of * sizeof(struct mo_varbind *));
	rows = malloc(n_of * sizeof(*rows));
	for (unsigned i = 0, to = 0; of && i < n; i++)
		if (mo_trill_has_rows(vbs[i].table))
			of[to++] = &vbs[i];
	if (of && rows) {
		qsort(of, n_of, sizeof(struct mo_varbind *), compare_varbinds);
		r->error = edit_rows(config, rows, collect_rows(of, n_of, rows), &bad, r);
	} else {
		mo_refuse(r, MO_RESOURCE_UNAVAILABLE, "out of memory");
	}
	if (r->error != MO_NO_ERROR && bad)
		r->varbind = (unsigned)(bad - vbs) + 1;
	free(of);
	free(rows);
	return r->error;
}

/* The records of a row come in any order. */
enum mo_error mo_trill_put_hop(struct port_config *pc, const struct mo_varbind *vb)
{
	bool is_status = vb->subid == STATUS_COLUMN;

	if (!is_individual(hop_key(&vb->index)) ||
	    (is_status && vb->value.num != ROW_CREATE_AND_GO))
		return MO_NO_CREATION;
	pc->initial = 0;
	return put_hop(pc, &vb->index, vb->subid == VALUE_COLUMN ? vb : NULL,
		       vb->subid == UNICAST_COLUMN ? vb : NULL);
}
