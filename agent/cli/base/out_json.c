/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * JSON output of the generic commands: one array of objects, each with the version of the format.
 * Numbers are numbers, TruthValues booleans, enumerations the names of their values, octet strings
 * hexadecimal, and null a value that the row does not have. Names are those of the MIB modules.
 * contrib/json has the schema.
 *
 *   show, watch  [{"table", "module", "rows": [{"instance", "index", "values", "rates",
 *                  "port"}]}]
 *   objects      [{"object", "table", "module", "oid", "syntax", ...}]
 *   set          [{"object", "instance", "value", "port"}]
 *   monitor      [{"event", "number", "time", "notification",
 *                  "objects": [{"object", "instance", "value", "port"}]}]
 *
 * "port" is the name of the port: only where an index or value is an ifIndex.
 */
#include "agent/cli/base/out.h"
#include "agent/cli/base/out_json.h"
#include "agent/cli/base/names.h"
#include "lib/mo/mo_event.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct out_json {
	struct out out;
	bool one_line;
	json_t *all;  /* the array written at the end */
	json_t *rows; /* rows of the current table, a borrowed reference */
	const struct mo_table *table;
	const struct mo_column *only;
};

static struct out_json *json_of(struct out *out)
{
	return (struct out_json *)(void *)out;
}

void out_json_put(json_t *object, const char *key, json_t *value)
{
	if (json_object_set_new(object, key, out_alloc_check(value)) < 0)
		out_alloc_check(NULL);
}

void out_json_append(json_t *array, json_t *value)
{
	if (json_array_append_new(array, out_alloc_check(value)) < 0)
		out_alloc_check(NULL);
}

/* Puts the version first into each object of the array, which can have no other place for it. */
static void add_version(json_t *all)
{
	for (size_t i = 0; i < json_array_size(all); i++) {
		json_t *o = out_alloc_check(json_object());

		out_json_put(o, "version", json_integer(OUT_JSON_VERSION));
		if (json_object_update(o, json_array_get(all, i)) < 0 ||
		    json_array_set_new(all, i, o) < 0)
			out_alloc_check(NULL);
	}
}

void out_json_write_as(json_t *all, FILE *f, bool one_line)
{
	add_version(all);
	json_dumpf(all, f, one_line ? JSON_COMPACT : JSON_INDENT(2));
	fputc('\n', f);
	json_decref(all);
}

void out_json_write(json_t *all, FILE *f)
{
	out_json_write_as(all, f, false);
}

/* --- values ------------------------------------------------------------------------- */

/*
 * Every value is exact. jansson's integers, as those of many other readers of JSON, end at 2^63 -
 * 1: a greater number is a string of its decimal digits, as RFC 7951 has all numbers of 64 bits.
 */
json_t *out_json_unsigned(uint64_t v)
{
	return v <= INT64_MAX ? json_integer((json_int_t)v) : json_sprintf("%" PRIu64, v);
}

/* JSON strings are UTF-8: if the value is not, its octets of 0x80 and more become "?". */
static json_t *json_text(const struct mo_value *value)
{
	char ascii[MO_OCTETS_MAX];
	json_t *s = json_stringn((const char *)value->octets, value->len);

	if (s)
		return s;
	for (unsigned i = 0; i < value->len; i++)
		ascii[i] = (char)(value->octets[i] < 0x80 ? value->octets[i] : '?');
	return json_stringn(ascii, value->len);
}

json_t *out_json_text(const char *text)
{
	struct mo_value value = {.len = (uint8_t)strnlen(text, MO_OCTETS_MAX)};

	memcpy(value.octets, text, value.len);
	return json_text(&value);
}

json_t *out_json_value(const struct mo_column *col, const struct mo_value *value)
{
	char buf[MO_VALUE_TEXT];

	if (col->syntax == MO_STRING)
		return json_text(value);
	if (col->syntax == MO_TRUTH)
		return json_boolean(value->num == MO_truth_true);
	if (col->syntax == MO_COUNTER64 || col->syntax == MO_GAUGE64)
		return out_json_unsigned((uint64_t)value->num);
	for (const struct mo_enum *e = col->names; e && e->name && col->syntax != MO_BITS; e++) {
		if (e->value == value->num)
			return json_string(e->name);
	}
	if (!mo_is_octets(col->syntax))
		return json_integer(value->num);
	mo_format(col, value, buf, sizeof(buf));
	return json_string(buf);
}

static json_t *json_part(const struct mo_index_part *part, const uint32_t *sub)
{
	char buf[4 * MO_INDEX_MAX] = "";
	size_t n = 0;

	if (!part->octets)
		return json_integer(sub[0]);
	for (unsigned i = 0; i < part->max; i++)
		n += (size_t)snprintf(buf + n, sizeof(buf) - n, "%s%02" PRIx32, i ? "-" : "",
				      sub[i] & 0xff);
	return json_string(buf);
}

json_t *out_json_instance(const struct mo_index *index)
{
	char buf[128];

	mo_index_format(index, buf, sizeof(buf));
	return json_string(buf);
}

void out_json_put_port(json_t *object, uint32_t ifindex, const char *name)
{
	if (ifindex)
		out_json_put(object, "port", name ? out_json_text(name) : json_null());
}

static void put_port(json_t *object, struct names *names, uint32_t ifindex)
{
	out_json_put_port(object, ifindex, ifindex ? names_of(names, ifindex) : NULL);
}

/* --- rows ---------------------------------------------------------------------------- */

static void json_table(struct out *out, const struct mo_table *table, const struct mo_column *col)
{
	struct out_json *j = json_of(out);
	json_t *t = out_alloc_check(json_object());

	j->table = table;
	j->only = col;
	j->rows = out_alloc_check(json_array());
	out_json_put(t, "table", json_string(table->name));
	out_json_put(t, "module", json_string(table->module));
	out_json_put(t, "rows", j->rows);
	out_json_append(j->all, t);
}

static json_t *json_index(const struct mo_table *table, const struct mo_index *index)
{
	json_t *object = out_alloc_check(json_object());
	const uint32_t *sub = index->sub;

	for (unsigned i = 0; i < table->n_index; i++) {
		out_json_put(object, table->index[i].name, json_part(&table->index[i], sub));
		sub += table->index[i].octets ? table->index[i].max : 1;
	}
	return object;
}

json_t *out_json_row(const struct mo_table *table, const struct mo_column *only,
		     const struct out_row *row)
{
	json_t *r = out_alloc_check(json_object());
	json_t *values = out_alloc_check(json_object());
	json_t *rates = out_alloc_check(json_object());

	for (unsigned i = 0; i < table->n_columns; i++) {
		const struct mo_column *col = &table->columns[i];
		bool present = row->present >> i & 1;

		if (only && only != col)
			continue;
		out_json_put(values, col->name,
			     present ? out_json_value(col, &row->values[i]) : json_null());
		if (row->rates && out_is_counter(col))
			out_json_put(rates, col->name,
				     isnan(row->rates[i]) ? json_null() : json_real(row->rates[i]));
	}
	out_json_put(r, "instance", out_json_instance(&row->index));
	out_json_put(r, "index", json_index(table, &row->index));
	out_json_put(r, "values", values);
	if (row->rates)
		out_json_put(r, "rates", rates);
	else
		json_decref(rates);
	return r;
}

uint32_t out_json_row_ifindex(const struct mo_table *table, const struct out_row *row)
{
	return names_row_ifindex(table, &row->index, row->values, row->present);
}

static void json_row(struct out *out, const struct out_row *row)
{
	struct out_json *j = json_of(out);
	json_t *r = out_json_row(j->table, j->only, row);

	put_port(r, out->names, out_json_row_ifindex(j->table, row));
	out_json_append(j->rows, r);
}

/* --- descriptors and assignments -------------------------------------------------------- */

static json_t *json_names(const struct mo_column *col)
{
	json_t *names = out_alloc_check(json_object());

	for (const struct mo_enum *e = col->names; e && e->name; e++)
		out_json_put(names, e->name, json_integer(e->value));
	return names;
}

static void json_object_row(struct out *out, const struct mo_table *table,
			    const struct mo_column *col)
{
	struct mo_value initial = mo_initial(col);
	json_t *o = out_alloc_check(json_object());
	bool ranged = !out_is_counter(col);
	char oid[256];

	out_oid(table, col, oid, sizeof(oid));
	out_json_put(o, "object", json_string(col->name));
	out_json_put(o, "table", json_string(table->name));
	out_json_put(o, "module", json_string(table->module));
	out_json_put(o, "oid", json_string(oid));
	out_json_put(o, "syntax", json_string(out_syntax(col->syntax)));
	out_json_put(o, "access", json_string(out_access(col->access)));
	out_json_put(o, "min", ranged ? json_integer(col->min) : json_null());
	out_json_put(o, "max", ranged ? json_integer(col->max) : json_null());
	out_json_put(o, "names", json_names(col));
	out_json_put(o, "default", col->has_initial ? out_json_value(col, &initial) : json_null());
	out_json_put(o, "defval", json_boolean(col->initial_is_defval));
	out_json_put(o, "unit", json_string(col->unit));
	out_json_put(o, "clause", json_string(col->clause));
	out_json_append(json_of(out)->all, o);
}

static json_t *json_varbind(const struct out *out, const struct mo_varbind *vb)
{
	const struct mo_column *col = mo_column(mo_table(vb->table), vb->subid);
	json_t *o = out_alloc_check(json_object());

	out_json_put(o, "object", json_string(col ? col->name : "?"));
	out_json_put(o, "instance", out_json_instance(&vb->index));
	out_json_put(o, "value", col ? out_json_value(col, &vb->value) : json_null());
	put_port(o, out->names,
		 col ? names_ifindex(mo_table(vb->table), &vb->index, col, &vb->value) : 0);
	return o;
}

static void json_assignment(struct out *out, const struct mo_varbind *vb)
{
	out_json_append(json_of(out)->all, json_varbind(out, vb));
}

static void json_event(struct out *out, const struct mo_event *ev)
{
	json_t *o = out_alloc_check(json_object()), *objects = out_alloc_check(json_array());
	char name[64];

	mo_event_name(ev, name, sizeof(name));
	out_json_put(o, "event", json_string(name));
	out_json_put(o, "number", out_json_unsigned(ev->number));
	out_json_put(o, "time", json_real((double)ev->real_ms / 1000));
	out_json_put(o, "notification", json_boolean(ev->flags & MO_EVENT_NOTIFY));
	for (unsigned i = 0; i < ev->n; i++)
		out_json_append(objects, json_varbind(out, &ev->vbs[i]));
	out_json_put(o, "objects", objects);
	out_json_append(json_of(out)->all, o);
}

static void json_end(struct out *out, bool good)
{
	struct out_json *j = json_of(out);

	if (good)
		out_json_write_as(j->all, out->f, j->one_line);
	else
		json_decref(j->all);
	free(j);
}

static const struct out_ops json_ops = {
    .table = json_table,
    .row = json_row,
    .object = json_object_row,
    .assignment = json_assignment,
    .event = json_event,
    .end = json_end,
};

struct out *out_json_new(FILE *f, bool one_line)
{
	struct out_json *j = out_alloc_check(calloc(1, sizeof(*j)));

	j->out.ops = &json_ops;
	j->out.f = f;
	j->one_line = one_line;
	j->all = out_alloc_check(json_array());
	return &j->out;
}
