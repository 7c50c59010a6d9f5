/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/objects/mo_static.h"

#include <inttypes.h>
#include <stdlib.h>

#include "control/objects/mo_caps.h"
#include "control/objects/mo_next_private.h"

/* --- indexes ----------------------------------------------------------------------------- */

uint64_t mo_static_key(const uint32_t *sub, uint32_t max)
{
	uint64_t key = sub[0];

	if (key > max)
		return UINT64_MAX;
	for (unsigned i = 1; i <= ETH_ADDR_OCTETS; i++) {
		if (sub[i] > UINT8_MAX)
			return (key + 1) << 8 * (ETH_ADDR_OCTETS + 1 - i);
		key = key << 8 | sub[i];
	}
	return key;
}

static uint64_t key_from(const struct mo_index *index)
{
	return mo_static_key(index->sub, ETH_VID_MASK);
}

void mo_static_index(uint64_t key, struct mo_index *index)
{
	index->n = 1 + ETH_ADDR_OCTETS;
	index->sub[0] = static_unicast_vid(key);
	for (unsigned i = 1; i <= ETH_ADDR_OCTETS; i++)
		index->sub[i] = key >> 8 * (ETH_ADDR_OCTETS - i) & UINT8_MAX;
}

/* Most ports have no entry. */
bool next_static_unicast(const struct mo_next *s)
{
	uint64_t from = key_from(s->index), first = UINT64_MAX;
	size_t pos = 0;

	for (size_t i = 0; i < s->config->n_ports; i++) {
		const struct static_unicast_config *of =
		    &s->config->ports[i].config->static_unicast;
		uint32_t at = of->n && next_has_port(s, i) ? static_unicast_at(of, from) : of->n;

		if (at == of->n || of->key[at] >= first)
			continue;
		first = of->key[at];
		pos = i;
	}
	if (first == UINT64_MAX)
		return false;
	mo_static_index(first, s->index);
	s->place->pos = pos;
	return true;
}

/* --- SET ---------------------------------------------------------------------------------- */

/* The varbinds of one SET for one row. NULL: the column is not set. */
struct row_edit {
	uint64_t key;
	const struct mo_varbind *port, *status;
	size_t from, to; /* positions of the ports that lose and get the entry; n_ports: none */
};

/* Returns the position of the port that has the entry; n_ports: none. */
static size_t owner_of(const struct dcb_config *config, uint64_t key)
{
	size_t pos = 0;

	while (pos < config->n_ports &&
	       !static_unicast_has(&config->ports[pos].config->static_unicast, key))
		pos++;
	return pos;
}

static enum mo_error put(struct dcb_config *config, size_t pos, uint64_t key, struct mo_result *r)
{
	struct port_config *pc = dcb_config_edit_port(config, pos);

	if (!pc)
		return mo_refuse(r, MO_RESOURCE_UNAVAILABLE, "out of memory");
	if (!static_unicast_put(&pc->static_unicast, key))
		return mo_refuse(r, MO_RESOURCE_UNAVAILABLE,
				 "%s: expected at most %d static entries",
				 config->ports[pos].port->link.name, STATIC_UNICAST_MAX);
	return MO_NO_ERROR;
}

static enum mo_error drop(struct dcb_config *config, size_t pos, uint64_t key, struct mo_result *r)
{
	struct port_config *pc = dcb_config_edit_port(config, pos);

	if (!pc)
		return mo_refuse(r, MO_RESOURCE_UNAVAILABLE, "out of memory");
	static_unicast_drop(&pc->static_unicast, key);
	return MO_NO_ERROR;
}

/* Sets row->to, and row->from to the entry's owner if that is another port. */
static enum mo_error find_ports(const struct dcb_config *config, struct row_edit *row, size_t owner,
				struct mo_result *r)
{
	uint32_t ifindex = (uint32_t)row->port->value.num;
	size_t pos = dcb_config_lower_bound(config, ifindex);
	const struct port *port = pos < config->n_ports ? config->ports[pos].port : NULL;

	if (!port || port->link.ifindex != ifindex ||
	    !mo_caps_sets(port, mo_table(MO_static_unicast),
			  mo_column(mo_table(MO_static_unicast), row->port->subid)))
		return mo_refuse(r, MO_INCONSISTENT_VALUE,
				 "expected the ifIndex of a port of dcbd that can have static "
				 "entries, not %" PRIu32,
				 ifindex);
	if (pos == owner)
		return MO_NO_ERROR;
	row->from = owner;
	row->to = pos;
	return MO_NO_ERROR;
}

/*
 * RFC 2579, RowStatus: a row is created with its port in one SET; it is always active. Sets
 * row->from and row->to.
 */
static enum mo_error check_row(const struct dcb_config *config, struct row_edit *row,
			       const struct mo_varbind **bad, struct mo_result *r)
{
	size_t owner = owner_of(config, row->key);
	bool present = owner < config->n_ports;
	int64_t status = row->status ? row->status->value.num : ROW_ACTIVE;

	row->from = row->to = config->n_ports;
	*bad = row->status;
	if (row->key >> 40 & 1) { /* a group address has no such entry */
		*bad = row->status ? row->status : row->port;
		return MO_NO_CREATION;
	}
	if (status == ROW_DESTROY) {
		row->from = owner;
		return MO_NO_ERROR;
	}
	if (!present && !row->status) {
		*bad = row->port;
		return MO_INCONSISTENT_NAME;
	}
	if (status != (present ? ROW_ACTIVE : ROW_CREATE_AND_GO))
		return mo_refuse_status(r, row->status, present,
					present ? "active or destroy" : "createAndGo or destroy");
	if (!present && !row->port)
		return mo_refuse_status(r, row->status, false,
					"createAndGo and dcbStaticUnicastPort in one SET");
	if (!row->port)
		return MO_NO_ERROR;
	*bad = row->port;
	return find_ports(config, row, owner, r);
}

static bool is_port(const struct mo_varbind *vb)
{
	const struct mo_table *table = mo_table(vb->table);

	return mo_value_is_port(table, mo_column(table, vb->subid));
}

static int compare_varbinds(const void *a, const void *b)
{
	const struct mo_varbind *const *x = a, *const *y = b;
	int order = mo_index_compare(&(*x)->index, &(*y)->index);

	return order ? order : (*x > *y) - (*x < *y);
}

/*
 * Collects n varbinds, sorted by index, in rows. Returns the number of rows. Of two
 * varbinds for one object the first counts: a state file has an entry of a port before one
 * that an absent interface had when it vanished.
 */
static unsigned collect_rows(const struct mo_varbind *const *of, unsigned n, struct row_edit *rows)
{
	unsigned n_rows = 0;

	for (unsigned i = 0; i < n; n_rows++) {
		const struct mo_index *index = &of[i]->index;

		rows[n_rows] = (struct row_edit){.key = key_from(index)};
		for (; i < n && mo_index_compare(&of[i]->index, index) == 0; i++) {
			const struct mo_varbind **at =
			    is_port(of[i]) ? &rows[n_rows].port : &rows[n_rows].status;

			if (!*at)
				*at = of[i];
		}
	}
	return n_rows;
}

/*
 * RFC 3416, 4.2.5: assignments are simultaneous. Ports lose entries before others get them,
 * so that the entries of full ports can be replaced and exchanged. *bad: the varbind of the
 * error.
 */
static enum mo_error edit_rows(struct dcb_config *config, struct row_edit *rows, unsigned n,
			       const struct mo_varbind **bad, struct mo_result *r)
{
	enum mo_error error = MO_NO_ERROR;

	for (unsigned i = 0; i < n && error == MO_NO_ERROR; i++)
		error = check_row(config, &rows[i], bad, r);
	for (unsigned i = 0; i < n && error == MO_NO_ERROR; i++) {
		if (rows[i].from == config->n_ports)
			continue;
		*bad = rows[i].port ? rows[i].port : rows[i].status;
		error = drop(config, rows[i].from, rows[i].key, r);
	}
	for (unsigned i = 0; i < n && error == MO_NO_ERROR; i++) {
		if (rows[i].to == config->n_ports)
			continue;
		*bad = rows[i].port;
		error = put(config, rows[i].to, rows[i].key, r);
	}
	return error;
}

/* Sorts the varbinds and edits their rows; rows has room for n. */
static enum mo_error edit_sorted(struct dcb_config *config, const struct mo_varbind **of,
				 unsigned n, struct row_edit *rows, const struct mo_varbind **bad,
				 struct mo_result *r)
{
	qsort(of, n, sizeof(struct mo_varbind *), compare_varbinds);
	return edit_rows(config, rows, collect_rows(of, n, rows), bad, r);
}

enum mo_error mo_static_edit(struct dcb_config *config, const struct mo_varbind *vbs, unsigned n,
			     struct mo_result *r)
{
	const struct mo_varbind **of, *bad = NULL;
	struct row_edit *rows;
	unsigned n_of = 0;

	for (unsigned i = 0; i < n; i++)
		n_of += vbs[i].table == MO_static_unicast;
	if (n_of == 0)
		return MO_NO_ERROR;
	of = malloc(n_of * sizeof(struct mo_varbind *));
	rows = malloc(n_of * sizeof(*rows));
	for (unsigned i = 0, to = 0; of && i < n; i++)
		if (vbs[i].table == MO_static_unicast)
			of[to++] = &vbs[i];
	if (of && rows)
		r->error = edit_sorted(config, of, n_of, rows, &bad, r);
	else
		mo_refuse(r, MO_RESOURCE_UNAVAILABLE, "out of memory");
	if (r->error != MO_NO_ERROR && bad)
		r->varbind = (unsigned)(bad - vbs) + 1;
	free(of);
	free(rows);
	return r->error;
}

enum mo_error mo_static_put(struct port_config *pc, const struct mo_index *index)
{
	uint64_t key = key_from(index);

	if (key >> 40 & 1)
		return MO_NO_CREATION;
	return static_unicast_put(&pc->static_unicast, key) ? MO_NO_ERROR : MO_RESOURCE_UNAVAILABLE;
}

/* --- addresses ---------------------------------------------------------------------------- */

bool next_fdb(const struct mo_next *s)
{
	struct fdb_address *at = &s->place->address;
	uint64_t from = mo_static_key(s->index->sub, ETH_VID_MASK);

	if (!addresses_find(s->m->addresses, ADDRESSES_AT_PORTS, from, at))
		return false;
	mo_static_index(at->key, s->index);
	return true;
}
