/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dcbctl config: the settings, and where each value comes from.
 *
 *   JSON  [{"object", "instance", "value", "origin", "line", "port"}]
 */
#include "agent/cli/base/cli.h"

#include <inttypes.h>
#include <stdlib.h>

#include "agent/cli/base/fetch.h"
#include "agent/cli/base/text_table.h"
#include "agent/cli/base/out_json.h"
#include "agent/cli/base/names.h"

const struct option cli_config_long_options[] = {
    {"changed", no_argument, NULL, 'c'},
    {NULL, 0, NULL, 0},
};

bool cli_config_option(struct cli *cli, int c, const char *arg)
{
	(void)c;
	(void)arg;
	cli->only_changed = true;
	return true;
}

struct settings {
	const struct cli *cli;
	struct target target;  /* the table being read */
	unsigned long rows, n; /* that were read; settings printed */
	struct text_table lines;
	struct names names;
	json_t *all; /* NULL: text */
};

static const char *origin_name(const struct mo_origin *origin)
{
	static const char *const names[] = {
	    [MO_ORIGIN_NONE] = "",
	    [MO_ORIGIN_DEFAULT] = "default",
	    [MO_ORIGIN_FILE] = "file",
	    [MO_ORIGIN_SET] = "SET",
	};

	return names[origin->kind];
}

/* Writes the name of the port that a setting is about; "": of none. Returns whether it has one. */
static bool port_name(struct settings *s, const struct mo_column *col, const struct mo_index *index,
		      const struct mo_value *value, char *buf, size_t size)
{
	uint32_t ifindex = names_ifindex(s->target.table, index, col, value);
	const char *name = ifindex ? names_of(&s->names, ifindex) : NULL;

	snprintf(buf, size, "%s", name ? name : "");
	return ifindex != 0;
}

static void add_text(struct settings *s, const struct mo_column *col, const struct mo_index *index,
		     const struct mo_value *value, const struct mo_origin *origin)
{
	char text[MO_VALUE_TEXT + 64], instance[128];

	mo_index_format(index, instance, sizeof(instance));
	snprintf(text, sizeof(text), "%s.%s", col->name, instance);
	text_table_cell(&s->lines, text);
	port_name(s, col, index, value, text, sizeof(text));
	text_table_cell(&s->lines, text);
	mo_format(col, value, text, MO_VALUE_TEXT);
	text_table_cell(&s->lines, text);
	if (origin->line == 0)
		snprintf(text, sizeof(text), "%s", origin_name(origin));
	else if (origin->kind == MO_ORIGIN_FILE)
		snprintf(text, sizeof(text), "file, line %" PRIu32, origin->line);
	else
		snprintf(text, sizeof(text), "%s; the file has another value, line %" PRIu32,
			 origin_name(origin), origin->line);
	text_table_cell(&s->lines, text);
}

static void add_json(struct settings *s, const struct mo_column *col, const struct mo_index *index,
		     const struct mo_value *value, const struct mo_origin *origin)
{
	json_t *o = out_alloc_check(json_object());
	char port[64];

	out_json_put(o, "object", json_string(col->name));
	out_json_put(o, "instance", out_json_instance(index));
	out_json_put(o, "value", out_json_value(col, value));
	out_json_put(o, "origin", json_string(origin_name(origin)));
	out_json_put(o, "line", origin->line ? json_integer(origin->line) : json_null());
	if (port_name(s, col, index, value, port, sizeof(port)))
		out_json_put(o, "port", port[0] ? out_json_text(port) : json_null());
	out_json_append(s->all, o);
}

/* A default is shown all the same if dcbd.conf has another value. */
static bool is_shown(const struct settings *s, const struct mo_origin *origin)
{
	if (origin->kind == MO_ORIGIN_NONE)
		return false;
	return !s->cli->only_changed || origin->kind != MO_ORIGIN_DEFAULT || origin->line;
}

static void on_row(void *ctx, const struct out_row *row)
{
	struct settings *s = ctx;
	const struct mo_table *table = s->target.table;

	s->rows++;
	for (unsigned i = 0; i < table->n_columns; i++) {
		const struct mo_column *col = &table->columns[i];

		if (!(row->present >> i & 1) || (s->target.col && s->target.col != col) ||
		    !is_shown(s, &row->origins[i]))
			continue;
		s->n++;
		if (s->all)
			add_json(s, col, &row->index, &row->values[i], &row->origins[i]);
		else
			add_text(s, col, &row->index, &row->values[i], &row->origins[i]);
	}
}

static enum mo_client_status read_settings(struct cli *cli, struct settings *s,
					   const struct target *target)
{
	enum mo_client_status status = MO_CLIENT_OK;

	if (target->table) {
		s->target = *target;
		return fetch_origins(cli->client, &s->target, on_row, s);
	}
	for (unsigned id = 0; id < MO_TABLES && status == MO_CLIENT_OK; id++) {
		s->target = (struct target){.table = mo_table((enum mo_table_id)id)};
		if (!s->target.table->optional)
			status = fetch_origins(cli->client, &s->target, on_row, s);
	}
	return status;
}

static void print(struct settings *s, FILE *f)
{
	if (s->all)
		out_json_write(s->all, f);
	else if (s->n > 0)
		text_table_print(&s->lines, f);
}

/* Returns whether a table has its settings itself; else writes which table has them. */
static bool has_settings(const struct mo_table *table)
{
	enum mo_table_id of = mo_settings_table(table->id);

	if (of == table->id)
		return true;
	/* Message: `config` prints a setting that two tables have for the second one only. */
	(void)cli_fail("%s has the settings of %s: name that table", table->name,
		       mo_table(of)->name);
	return false;
}

/* As dcbctl show: an index, or the begin of one, that no row has is an error. */
static int end(const struct settings *s, const struct target *target)
{
	char index[128];

	if (target->index.n == 0 || s->rows > 0)
		return CLI_OK;
	mo_index_format(&target->index, index, sizeof(index));
	/* Message: as "%s has no row %s" */
	return cli_fail("%s has no row %s", target->table->name, index);
}

int cmd_config(struct cli *cli, const struct cli_command *self, int argc, char **argv)
{
	struct settings s = {.cli = cli};
	struct target target = {.table = NULL};
	enum mo_client_status status;
	char err[256];

	if (argc > 2)
		return cli_usage(self);
	if (!cli_connect(cli))
		return CLI_FAILED;
	if ((argc > 0 && !target_parse(argv[0], cli->client, &target, err, sizeof(err))) ||
	    (argc > 1 && !target_parse_index(argv[1], cli->client, &target, err, sizeof(err))))
		return cli_fail_reason(cli, err);
	if (target.table && !has_settings(target.table))
		return CLI_FAILED;
	s.all = cli->json ? out_alloc_check(json_array()) : NULL;
	text_table_column(&s.lines, "OBJECT", false);
	text_table_column(&s.lines, "PORT", false);
	text_table_rank(&s.lines, TEXT_TABLE_FIRST);
	text_table_column(&s.lines, "VALUE", false);
	text_table_rank(&s.lines, TEXT_TABLE_FIRST);
	text_table_column(&s.lines, "ORIGIN", false);
	s.names.client = cli->client;
	status = read_settings(cli, &s, &target);
	if (status == MO_CLIENT_OK)
		print(&s, cli->out);
	else if (s.all)
		json_decref(s.all);
	text_table_clear(&s.lines);
	names_forget(&s.names);
	return status == MO_CLIENT_OK ? end(&s, &target) : cli_fail_client(cli);
}
