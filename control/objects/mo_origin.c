/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/objects/mo_origin.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "control/objects/mo_settings.h"

struct file_value {
	const struct mo_table *table;
	const struct mo_column *col;
	struct mo_index index; /* with 0 in the place of the ifIndex */
	char *port;            /* NULL: none */
	bool is_port;          /* the value is the ifIndex of the port */
	struct mo_value value;
	unsigned line; /* 0: dcbd.conf has no value */
};

struct mo_origins {
	struct file_value *of;
	size_t n, room;
};

struct mo_origins *mo_origins_new(void)
{
	return calloc(1, sizeof(struct mo_origins));
}

void mo_origins_free(struct mo_origins *o)
{
	if (!o)
		return;
	for (size_t i = 0; i < o->n; i++)
		free(o->of[i].port);
	free(o->of);
	free(o);
}

/* Appends v with a copy of port, which can be NULL. */
static bool append(struct mo_origins *o, const struct file_value *v, const char *port)
{
	char *copy;

	if (o->n == o->room) {
		size_t room = o->room ? 2 * o->room : 16;
		struct file_value *of = realloc(o->of, room * sizeof(*of));

		if (!of)
			return false;
		o->of = of;
		o->room = room;
	}
	copy = port ? strdup(port) : NULL;
	if (port && !copy)
		return false;
	o->of[o->n] = *v;
	o->of[o->n++].port = copy;
	return true;
}

/* An object with the same setting as another one has the origin of that one. */
static void use_setting(struct file_value *v)
{
	if (v->table->id != MO_lldp_admin_pfc_enable)
		return;
	v->col = mo_column_by_name("dcbPfcPriorityEnable", &v->table);
	v->value.syntax = v->col->syntax;
}

bool mo_origins_add(struct mo_origins *o, const struct mo_file_value *in)
{
	struct file_value v = {.line = in->line};
	char digits[128];
	char *star;

	v.col = mo_column_by_name(in->object, &v.table);
	if (!v.col)
		return true;
	snprintf(digits, sizeof(digits), "%s", in->index);
	star = strchr(digits, '*');
	if (star)
		*star = '0';
	v.is_port = mo_value_is_port(v.table, v.col) && strcmp(in->value, "*") == 0;
	if (!mo_index_parse(digits, &v.index) ||
	    (!v.is_port && !mo_parse(v.col, in->value, &v.value)))
		return true;
	use_setting(&v);
	return append(o, &v, in->port);
}

bool mo_origins_add_vlans(struct mo_origins *o, const char *port, const uint8_t *member,
			  unsigned line)
{
	struct file_value v = {
	    .table = mo_table(MO_vlan_port),
	    .index = {.n = 1},
	    .value = {.syntax = MO_VLANS, .len = MO_VLANS_OCTETS},
	    .line = member ? line : 0,
	};

	for (unsigned k = 0; k < VLAN_SET_OCTETS / MO_VLANS_OCTETS; k++) {
		v.col = mo_column(v.table, 5 + k); /* dcbVlanPortEgress, dcbVlanPortEgress2k ... */
		if (member)
			memcpy(v.value.octets, member + k * MO_VLANS_OCTETS, MO_VLANS_OCTETS);
		if (!append(o, &v, port))
			return false;
	}
	return true;
}

/* --- one value ------------------------------------------------------------------------------- */

/* A row and its values, as far as they are settings. */
struct row {
	const struct mo_table *table;
	const struct mo_index *index;
	const struct dcb_config_port *port; /* NULL: not of a port */
	unsigned priority;
	bool has_initial; /* fresh has the row with its initial values */
	_Alignas(8) uint8_t now[MO_ROW_OCTETS], fresh[MO_ROW_OCTETS];
};

static bool is_index(const struct row *row, const struct mo_index *index)
{
	struct mo_index own = *row->index;
	int part = mo_index_part(mo_table(row->table->id), MO_PART_PORT);

	if (part >= 0)
		own.sub[part] = 0;
	return mo_index_compare(&own, index) == 0;
}

static bool is_named(const struct port *port, const char *pattern)
{
	return port && fnmatch(pattern, port->link.name, 0) == 0;
}

/* Returns whether the value of dcbd.conf is for this object. RowStatus is set by any of the row. */
static bool is_for(const struct file_value *v, const struct row *row, const struct mo_column *col)
{
	if (v->table != row->table || !is_index(row, &v->index))
		return false;
	if (v->col != col && col->syntax != MO_ROW_STATUS)
		return false;
	return !v->port || !row->port || is_named(row->port->port, v->port);
}

static const struct file_value *find(const struct mo_origin_reader *r, const struct row *row,
				     const struct mo_column *col)
{
	for (size_t i = r->origins ? r->origins->n : 0; i > 0; i--)
		if (is_for(&r->origins->of[i - 1], row, col))
			return r->origins->of[i - 1].line ? &r->origins->of[i - 1] : NULL;
	return NULL;
}

/* A RowStatus that creates a row reads as the state that it gives the row. */
static bool is_status(int64_t set, int64_t now)
{
	return set == ROW_CREATE_AND_WAIT ? now != ROW_ACTIVE : now == ROW_ACTIVE;
}

static bool is_equal(const struct mo_origin_reader *r, const struct file_value *v,
		     const struct mo_column *col, const struct mo_value *now)
{
	const struct dcb_config *c = r->m->config;
	size_t pos;

	if (v->col != col) /* RowStatus of a row that dcbd.conf creates by another object */
		return now->num == ROW_ACTIVE;
	if (v->is_port) {
		pos = managed_find(r->m, (uint32_t)now->num);
		return pos < c->n_ports && is_named(c->ports[pos].port, v->port);
	}
	if (col->syntax == MO_ROW_STATUS)
		return is_status(v->value.num, now->num);
	if (mo_is_octets(col->syntax))
		return v->value.len == now->len &&
		       memcmp(v->value.octets, now->octets, now->len) == 0;
	return v->value.num == now->num;
}

static bool is_default(const struct row *row, const struct mo_column *col)
{
	return row->has_initial && col->syntax != MO_ROW_STATUS &&
	       !mo_changed_is(row->table, col, row->port ? row->port->config : NULL, row->priority,
			      row->now, row->fresh);
}

static struct mo_origin origin(const struct mo_origin_reader *r, const struct row *row,
			       const struct mo_column *col)
{
	const struct file_value *v = find(r, row, col);
	struct mo_origin of = {.kind = MO_ORIGIN_SET, .line = v ? v->line : 0};
	struct mo_value now;

	mo_field_get(row->table, col, row->now, &now);
	if (v && is_equal(r, v, col, &now))
		of.kind = MO_ORIGIN_FILE;
	else if (is_default(row, col))
		of.kind = MO_ORIGIN_DEFAULT;
	return of;
}

/* --- one row ---------------------------------------------------------------------------------- */

/*
 * Fills in the values of the row as they were set, which some objects do not read as, and its
 * initial values, if it has any.
 */
static void load(struct mo_origin_reader *r, struct row *row, const struct mo_row_at *place)
{
	const struct dcb_config *c = r->m->config;
	enum mo_table_id id = row->table->id;

	row->has_initial = true;
	switch (mo_settings_scope(id)) {
	case MO_SCOPE_SYSTEM:
		mo_settings_load_at(c, place, id, row->now);
		mo_field_defaults(row->table, row->fresh);
		break;
	case MO_SCOPE_SYSTEM_EACH:
		mo_read_load(r->m, c, id, place, row->now); /* with RowStatus */
		mo_field_defaults(row->table, row->fresh);
		break;
	case MO_SCOPE_PORT:
		mo_settings_load_at(c, place, id, row->now);
		mo_settings_load(NULL,
				 mo_initial_of(&r->initial, c, row->port->config->profile_rate), id,
				 row->priority, row->fresh);
		break;
	case MO_SCOPE_NONE: /* a SET created the row */
	case MO_SCOPE_ALIAS:
		mo_read_load(r->m, c, id, place, row->now);
		row->has_initial = false;
		break;
	}
}

void mo_origin_begin(struct mo_origin_reader *r, const struct managed *m,
		     const struct mo_origins *origins)
{
	r->m = m;
	r->origins = origins;
	r->initial.is_made = false;
}

void mo_origin_row(struct mo_origin_reader *r, const struct mo_table *table,
		   const struct mo_index *index, const struct mo_row_at *place,
		   struct mo_origin *of)
{
	bool of_port = mo_index_part(table, MO_PART_PORT) >= 0, is_due = false;
	struct row row = {.table = table, .index = index, .priority = place->priority};

	memset(of, 0, table->n_columns * sizeof(*of));
	for (unsigned i = 0; i < table->n_columns; i++)
		is_due |= mo_is_writable(&table->columns[i]);
	if (!is_due || mo_settings_table(table->id) != table->id)
		return;
	row.port = of_port ? &r->m->config->ports[place->pos] : NULL;
	load(r, &row, place);
	for (unsigned i = 0; i < table->n_columns; i++)
		if (mo_is_writable(&table->columns[i]))
			of[i] = origin(r, &row, &table->columns[i]);
}
