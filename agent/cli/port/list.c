/* SPDX-License-Identifier: BSD-3-Clause */
/* dcbctl keywords: the keywords of the commands for ports, for completion and the JSON schema. */
#include <string.h>

#include "agent/cli/base/text_table.h"
#include "agent/cli/base/out_json.h"
#include "agent/cli/port/port.h"

static const char *const kinds[] = {[PORT_VALUE] = "port",
				    [PORT_LIST] = "list",
				    [PORT_MAP] = "map",
				    [PORT_BITS] = "bits",
				    [PORT_BY_PRIO] = "prio"};

static const char *access_of(const struct port_keyword *kw)
{
	const struct mo_table *table;

	return mo_is_writable(port_keyword_column(kw, &table)) ? "read-write" : "read-only";
}

static void add_text(struct text_table *g, const struct port_family *family,
		     const struct port_keyword *kw)
{
	text_table_cell(g, family->name);
	text_table_cell(g, kw->name);
	text_table_cell(g, kinds[kw->kind]);
	text_table_cell(g, access_of(kw));
	text_table_cell(g, port_keyword_unit(kw));
	text_table_cell(g, kw->object);
}

static void add_json(json_t *all, const struct port_family *family, const struct port_keyword *kw)
{
	json_t *o = out_alloc_check(json_object()), *words = out_alloc_check(json_array());
	char text[80];

	out_json_put(o, "command", json_string(family->name));
	out_json_put(o, "keyword", json_string(kw->name));
	out_json_put(o, "kind", json_string(kinds[kw->kind]));
	out_json_put(o, "access", json_string(access_of(kw)));
	out_json_put(o, "unit", json_string(port_keyword_unit(kw)));
	out_json_put(o, "object", json_string(kw->object));
	out_json_put(o, "statistics", json_boolean(kw->statistics));
	port_keyword_json_name(kw, text, sizeof(text));
	out_json_put(o, "json", json_string(text));
	for (size_t i = 0; port_keyword_word(kw, i, text, sizeof(text)); i++)
		out_json_append(words, json_string(text));
	out_json_put(o, "words", words);
	out_json_append(all, o);
}

int cmd_keywords(struct cli *cli, const struct cli_command *self, int argc, char **argv)
{
	const struct port_family *family;
	struct text_table g = {.n_cols = 0};
	json_t *all;
	static const char *const headers[] = {"command", "keyword", "kind",
					      "access",  "unit",    "object"};

	if (argc > 1)
		return cli_usage(self);
	if (argc > 0 && !port_family(argv[0]))
		/* Message: Use the name of one of these commands. */
		return cli_fail("unknown command for ports \"%s\"; \"dcbctl keywords\" lists them",
				argv[0]);
	all = cli->json ? out_alloc_check(json_array()) : NULL;
	for (size_t i = 0; i < sizeof(headers) / sizeof(headers[0]); i++)
		text_table_column(&g, headers[i], false);
	for (size_t i = 0; (family = port_family_at(i)); i++)
		for (const struct port_keyword *kw = family->keywords; kw->name; kw++) {
			if (argc > 0 && strcmp(argv[0], family->name) != 0)
				continue;
			if (all)
				add_json(all, family, kw);
			else
				add_text(&g, family, kw);
		}
	if (all)
		out_json_write_as(all, cli->out, !cli->pretty);
	else
		text_table_print(&g, cli->out);
	text_table_clear(&g);
	return CLI_OK;
}
