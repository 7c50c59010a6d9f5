/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/cli/port/port.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "agent/cli/base/out_json.h"
#include "agent/cli/view/baseline.h"

#define TABLES_MAX 16 /* of one family */

struct showing {
	struct cli *cli;
	const struct port_family *family;
	struct port_words words;
	size_t n_tables;
	struct port_rows tables[TABLES_MAX];
	struct port_rows ports; /* dcbPortTable: which ports there are */
	struct port_rows apps;  /* app only */
	struct baseline base;   /* empty with JSON */
};

static bool is_app(const struct showing *s)
{
	return port_family_is_app(s->family);
}

/* Whether the keyword is shown: named, or none is named and it is no counter, or with -s. */
static bool is_shown(const struct showing *s, const struct port_keyword *kw)
{
	for (int i = 0; i < s->words.n; i++)
		if (strcmp(s->words.rest[i], kw->name) == 0)
			return true;
	return s->words.n == 0 && (!kw->statistics || s->cli->statistics);
}

static const struct port_rows *rows_of(const struct showing *s, const struct mo_table *table)
{
	for (size_t i = 0; i < s->n_tables; i++)
		if (s->tables[i].table == table)
			return &s->tables[i];
	return NULL;
}

/* Reads the table, if it has not been read. */
static bool read_table(struct showing *s, const struct mo_table *table)
{
	struct port_rows *rows = &s->tables[s->n_tables];

	if (rows_of(s, table))
		return true;
	assert(s->n_tables < TABLES_MAX);
	if (!port_rows_read(s->cli, table, rows))
		return false;
	s->n_tables++;
	for (size_t i = 0; i < rows->n; i++)
		baseline_subtract(&s->base, table, &rows->rows[i].index,
				  (struct mo_value *)(uintptr_t)rows->rows[i].values,
				  rows->rows[i].present);
	return true;
}

/* Begins to count from "clear counters" on, for people. */
static bool begin_counters(struct showing *s)
{
	if (s->cli->json)
		return true;
	if (baseline_begin(&s->base, s->cli->client) != MO_CLIENT_OK) {
		cli_fail_client(s->cli);
		return false;
	}
	return true;
}

static bool read_tables(struct showing *s)
{
	const struct mo_table *table;

	if (!port_rows_read(s->cli, mo_table(MO_port), &s->ports))
		return false;
	if (is_app(s) && !port_rows_read(s->cli, mo_table(MO_lldp_admin_app), &s->apps))
		return false;
	for (const struct port_keyword *kw = s->family->keywords; kw->name; kw++) {
		port_keyword_column(kw, &table);
		if (is_shown(s, kw) && !read_table(s, table))
			return false;
	}
	return !s->family->only_rows ||
	       (mo_column_by_name(s->family->only_rows, &table) && read_table(s, table));
}

static const struct mo_value *value_of(const struct showing *s, const struct port_keyword *kw,
				       uint32_t ifindex, unsigned priority)
{
	const struct mo_table *table;
	const struct mo_column *col = port_keyword_column(kw, &table);

	return port_rows_value(rows_of(s, table), col, ifindex, priority);
}

/* Whether the priority has something to show: storms shows those that had one. */
static bool has_row(const struct showing *s, uint32_t ifindex, unsigned priority)
{
	const struct mo_table *table;
	const struct mo_column *col;
	const struct mo_value *value;

	if (!s->family->only_rows)
		return true;
	col = mo_column_by_name(s->family->only_rows, &table);
	value = port_rows_value(rows_of(s, table), col, ifindex, priority);
	return value && value->num != col->names[0].value;
}

static bool bit(const struct mo_value *value, unsigned n)
{
	return n / 8 < value->len && value->octets[n / 8] & (0x80 >> n % 8);
}

/* --- text ------------------------------------------------------------------------------------ */

static void word_of(const struct showing *s, const struct port_keyword *kw,
		    const struct mo_value *value, const char *before, struct port_text *t)
{
	char text[MO_VALUE_TEXT], all[MO_VALUE_TEXT + 80];

	port_keyword_format(kw, value, s->cli->numeric, text, sizeof(text));
	snprintf(all, sizeof(all), "%s%s", before, text);
	port_text_word(t, all);
}

/* One line: the values of the port itself. */
static void show_values(const struct showing *s, uint32_t ifindex, struct port_text *t)
{
	for (const struct port_keyword *kw = s->family->keywords; kw->name; kw++) {
		const struct mo_value *value;
		char before[80];

		if ((kw->kind != PORT_VALUE && kw->kind != PORT_LIST) || !is_shown(s, kw))
			continue;
		value = value_of(s, kw, ifindex, PORT_PRIORITIES);
		if (!value)
			continue;
		snprintf(before, sizeof(before), "%s ", kw->name);
		word_of(s, kw, value, before, t);
	}
	port_text_end(t);
}

/* A line for each keyword: KEY:VALUE ... */
static void show_maps(const struct showing *s, uint32_t ifindex, struct port_text *t)
{
	for (const struct port_keyword *kw = s->family->keywords; kw->name; kw++) {
		bool begun = false;

		if ((kw->kind != PORT_MAP && kw->kind != PORT_BITS) || !is_shown(s, kw))
			continue;
		for (unsigned p = 0; p < PORT_PRIORITIES; p++) {
			bool bits = kw->kind == PORT_BITS;
			const struct mo_value *value =
			    value_of(s, kw, ifindex, bits ? PORT_PRIORITIES : p);
			char before[16];

			if (!value)
				continue;
			if (!begun)
				port_text_word(t, kw->name);
			begun = true;
			snprintf(before, sizeof(before), "%u:%s", p,
				 !bits           ? ""
				 : bit(value, p) ? "on"
						 : "off");
			if (bits)
				port_text_word(t, before);
			else
				word_of(s, kw, value, before, t);
		}
		port_text_end(t);
	}
}

/* A line for each priority: prio N KEYWORD VALUE ... */
static void show_prio(const struct showing *s, uint32_t ifindex, unsigned p, struct port_text *t)
{
	char before[80];
	bool begun = false;

	for (const struct port_keyword *kw = s->family->keywords; kw->name; kw++) {
		const struct mo_value *value;

		if (kw->kind != PORT_BY_PRIO || !is_shown(s, kw))
			continue;
		value = value_of(s, kw, ifindex, p);
		if (!value)
			continue;
		snprintf(before, sizeof(before), "prio %u", p);
		if (!begun)
			port_text_word(t, before);
		begun = true;
		snprintf(before, sizeof(before), "%s ", kw->name);
		word_of(s, kw, value, before, t);
	}
	port_text_end(t);
}

static void show_port(const struct showing *s, uint32_t ifindex)
{
	FILE *f = s->cli->out;
	bool named = s->words.ports.n != 1;
	struct port_text t = port_text_new(f, named ? 2 : 0);
	char name[TABLE_ROWS_PORT_OCTETS];

	if (named)
		fprintf(f, "%s\n", table_rows_port_name(&s->words.ports, ifindex, name));
	show_values(s, ifindex, &t);
	t.indent = named ? 2 : 0;
	show_maps(s, ifindex, &t);
	for (unsigned p = 0; p < PORT_PRIORITIES; p++) {
		t.indent = named ? 2 : 0;
		if (has_row(s, ifindex, p))
			show_prio(s, ifindex, p, &t);
	}
	t.indent = named ? 2 : 0;
	if (is_app(s))
		port_app_text(&t, &s->apps, ifindex, s->words.n, s->words.rest, s->cli->numeric);
}

/* --- JSON ------------------------------------------------------------------------------------ */

static json_t *json_of(const struct showing *s, const struct port_keyword *kw,
		       const struct mo_value *value)
{
	const struct mo_table *table;
	const struct mo_column *col = port_keyword_column(kw, &table);
	char text[MO_VALUE_TEXT];

	if (!value)
		return json_null();
	if (!col->names || col->syntax == MO_TRUTH)
		return out_json_value(col, value);
	if (s->cli->numeric)
		return json_integer(value->num);
	port_keyword_format(kw, value, false, text, sizeof(text));
	return json_string(text);
}

static json_t *map_json(const struct showing *s, const struct port_keyword *kw, uint32_t ifindex)
{
	json_t *a = out_alloc_check(json_array());

	for (unsigned p = 0; p < PORT_PRIORITIES; p++) {
		const struct mo_value *value;

		if (kw->kind == PORT_MAP) {
			out_json_append(a, json_of(s, kw, value_of(s, kw, ifindex, p)));
			continue;
		}
		value = value_of(s, kw, ifindex, PORT_PRIORITIES);
		out_json_append(a, value ? json_boolean(bit(value, p)) : json_null());
	}
	return a;
}

/* The words of a value; none for "none". */
static json_t *list_json(const struct showing *s, const struct port_keyword *kw, uint32_t ifindex)
{
	const struct mo_value *value = value_of(s, kw, ifindex, PORT_PRIORITIES);
	char text[MO_VALUE_TEXT], *rest = text, *word;
	json_t *a;

	if (!value)
		return json_null();
	a = out_alloc_check(json_array());
	port_keyword_format(kw, value, false, text, sizeof(text));
	while (strcmp(text, "none") != 0 && (word = strsep(&rest, " ")))
		out_json_append(a, json_string(word));
	return a;
}

static json_t *prio_json(const struct showing *s, uint32_t ifindex, unsigned p)
{
	json_t *o = out_alloc_check(json_object());
	bool any = false;
	char name[80];

	out_json_put(o, "priority", json_integer(p));
	for (const struct port_keyword *kw = s->family->keywords; kw->name; kw++) {
		const struct mo_value *value;

		if (kw->kind != PORT_BY_PRIO || !is_shown(s, kw))
			continue;
		value = value_of(s, kw, ifindex, p);
		any = any || value;
		port_keyword_json_name(kw, name, sizeof(name));
		out_json_put(o, name, json_of(s, kw, value));
	}
	if (any)
		return o;
	json_decref(o);
	return NULL;
}

static json_t *port_json(const struct showing *s, uint32_t ifindex)
{
	json_t *o = table_rows_port_json(&s->words.ports, ifindex), *prios = NULL;
	char name[80];

	for (const struct port_keyword *kw = s->family->keywords; kw->name; kw++) {
		if (!is_shown(s, kw))
			continue;
		port_keyword_json_name(kw, name, sizeof(name));
		if (kw->kind == PORT_LIST)
			out_json_put(o, name, list_json(s, kw, ifindex));
		else if (kw->kind == PORT_VALUE)
			out_json_put(o, name,
				     json_of(s, kw, value_of(s, kw, ifindex, PORT_PRIORITIES)));
		else if (kw->kind != PORT_BY_PRIO)
			out_json_put(o, name, map_json(s, kw, ifindex));
		else if (!prios)
			out_json_put(o, "priorities", prios = out_alloc_check(json_array()));
	}
	for (unsigned p = 0; prios && p < PORT_PRIORITIES; p++) {
		json_t *one = has_row(s, ifindex, p) ? prio_json(s, ifindex, p) : NULL;

		if (one)
			out_json_append(prios, one);
	}
	if (is_app(s))
		port_app_json(o, &s->apps, ifindex, s->words.n, s->words.rest);
	return o;
}

/* --- the command ----------------------------------------------------------------------------- */

static bool ports_exist(const struct showing *s, struct edit *e)
{
	const struct mo_column *col = &mo_table(MO_port)->columns[0];
	char name[TABLE_ROWS_PORT_OCTETS];

	for (unsigned i = 0; i < s->words.ports.n; i++) {
		uint32_t ifindex = s->words.ports.ifindex[i];

		if (!port_rows_value(&s->ports, col, ifindex, PORT_PRIORITIES))
			/* Message: as "%s is not a port of dcbd" */
			edit_fail(e, "%s is not a port of dcbd",
				  table_rows_port_name(&s->words.ports, ifindex, name));
	}
	return e->errors == 0;
}

static void show_all(const struct showing *s)
{
	json_t *all = s->cli->json ? out_alloc_check(json_array()) : NULL;

	for (size_t i = 0; i < s->ports.n; i++) {
		uint32_t ifindex = s->ports.rows[i].index.sub[0];

		if (!table_rows_ports_have(&s->words.ports, ifindex))
			continue;
		if (all)
			out_json_append(all, port_json(s, ifindex));
		else
			show_port(s, ifindex);
	}
	if (all)
		out_json_write_as(all, s->cli->out, !s->cli->pretty);
}

/* Whether a counter is shown. */
static bool shows_counters(const struct showing *s)
{
	const struct mo_table *table;

	for (const struct port_keyword *kw = s->family->keywords; kw->name; kw++)
		if (is_shown(s, kw) && out_is_counter(port_keyword_column(kw, &table)))
			return true;
	return false;
}

static bool words_are_keywords(const struct showing *s, struct edit *e)
{
	for (int i = 0; i < s->words.n; i++)
		if (!port_keyword(s->family, s->words.rest[i]) &&
		    !(is_app(s) && port_app_keyword(s->words.rest[i])))
			port_fail_keyword(e, s->family, s->words.rest[i]);
	return e->errors == 0;
}

int port_show(struct cli *cli, const struct port_family *family, int argc, char **argv)
{
	struct showing s = {.cli = cli, .family = family};
	struct edit e = {.cli = cli};
	int rc = CLI_FAILED;

	if (!cli_connect(cli))
		return CLI_FAILED;
	e.names.client = cli->client;
	port_words_parse(&e, family, argc, argv, &s.words);
	if (words_are_keywords(&s, &e) && begin_counters(&s) && read_tables(&s) &&
	    ports_exist(&s, &e)) {
		if (shows_counters(&s))
			baseline_print(&s.base, cli->out);
		show_all(&s);
		rc = CLI_OK;
	}
	for (size_t i = 0; i < s.n_tables; i++)
		port_rows_free(&s.tables[i]);
	port_rows_free(&s.ports);
	port_rows_free(&s.apps);
	baseline_end(&s.base);
	edit_close(&e);
	return rc;
}
