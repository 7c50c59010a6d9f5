/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dcbctl app: application priorities in the words of man dcb-app. The standard's MIB has one
 * priority for each selector and protocol, so add refuses a second one, and replace changes the
 * first. They are created and changed in the table of LLDP-EXT-DOT1-V2-MIB, and deleted in
 * dcbDcbxAppTable.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "agent/cli/base/out_json.h"
#include "agent/cli/port/port.h"
#include "lib/suggest.h"

#define CREATE MO_NAME(lldpXdot1dcbxAdminApplicationPriorityAEPriority)
#define DELETE MO_NAME(dcbDcbxAppRowStatus)

static bool is_of(const struct port_app_keyword *kw, const uint32_t *sub)
{
	return sub[1] == kw->selector && sub[2] >= kw->min && sub[2] <= kw->max;
}

/* --- show ------------------------------------------------------------------------------------ */

static bool is_shown(const struct port_app_keyword *kw, int n, char **names)
{
	for (int i = 0; i < n; i++)
		if (strcmp(names[i], kw->name) == 0)
			return true;
	return n == 0;
}

static void entry_text(const struct port_app_keyword *kw, const struct out_row *row, bool numeric,
		       char *buf, size_t size)
{
	uint32_t protocol = row->index.sub[2];
	char name[16];

	if (kw->max == 0)
		snprintf(buf, size, "%" PRId64, row->values[0].num);
	else if (kw->selector == PORT_APP_ETHERTYPE)
		snprintf(buf, size, "0x%" PRIx32 ":%" PRId64, protocol, row->values[0].num);
	else if (kw->selector == PORT_APP_DSCP && !numeric) {
		port_dscp_name(protocol, name, sizeof(name));
		snprintf(buf, size, "%s:%" PRId64, name, row->values[0].num);
	} else
		snprintf(buf, size, "%" PRIu32 ":%" PRId64, protocol, row->values[0].num);
}

void port_app_text(struct port_text *t, const struct port_rows *apps, uint32_t ifindex, int n,
		   char **names, bool numeric)
{
	size_t indent = t->indent;

	for (const struct port_app_keyword *kw = port_app_keywords; kw->name; kw++) {
		bool begun = false;

		t->indent = indent;
		for (size_t i = 0; i < apps->n && is_shown(kw, n, names); i++) {
			const struct out_row *row = &apps->rows[i];
			char text[64];

			if (row->index.sub[0] != ifindex || !is_of(kw, row->index.sub))
				continue;
			if (!begun)
				port_text_word(t, kw->name);
			begun = true;
			entry_text(kw, row, numeric, text, sizeof(text));
			port_text_word(t, text);
		}
		port_text_end(t);
	}
}

void port_app_json(json_t *to, const struct port_rows *apps, uint32_t ifindex, int n, char **names)
{
	for (const struct port_app_keyword *kw = port_app_keywords; kw->name; kw++) {
		json_t *a;
		char name[32];

		if (!is_shown(kw, n, names))
			continue;
		a = out_alloc_check(json_array());
		for (size_t i = 0; i < apps->n; i++) {
			const struct out_row *row = &apps->rows[i];
			json_t *o;

			if (row->index.sub[0] != ifindex || !is_of(kw, row->index.sub))
				continue;
			o = out_alloc_check(json_object());
			out_json_put(o, "protocol", json_integer(row->index.sub[2]));
			out_json_put(o, "priority", json_integer(row->values[0].num));
			out_json_append(a, o);
		}
		snprintf(name, sizeof(name), "%s", kw->name);
		for (char *p = name; *p; p++)
			if (*p == '-')
				*p = '_';
		out_json_put(to, name, a);
	}
}

/* --- edit ------------------------------------------------------------------------------------ */

enum action { ADD, DEL, REPLACE, FLUSH };

struct apps {
	struct edit *e;
	enum action action;
	const struct port_words *words;
	struct port_rows rows; /* in dcbd */
	const struct mo_table *table, *deletion;
	const struct mo_column *col, *row_status;
};

static int64_t priority_in_dcbd(const struct apps *a, const struct mo_index *index)
{
	for (size_t i = 0; i < a->rows.n; i++)
		if (mo_index_compare(&a->rows.rows[i].index, index) == 0)
			return a->rows.rows[i].values[0].num;
	return -1;
}

/*
 * Returns the priority of an entry: that of an assignment of this transaction, or of dcbd; -1:
 * there is no entry.
 */
static int64_t priority_of(const struct apps *a, const struct mo_index *index)
{
	const struct edit *e = a->e;

	for (unsigned i = e->n; i-- > 0;) {
		if (mo_index_compare(&e->vbs[i].index, index) != 0)
			continue;
		if (e->vbs[i].table == a->table->id)
			return e->vbs[i].value.num;
		if (e->vbs[i].table == a->deletion->id)
			return -1;
	}
	return priority_in_dcbd(a, index);
}

/* A transaction has one assignment for an entry: dcbd deletes it even if it is also created. */
static void put(struct apps *a, const struct mo_index *index, const char *what, int64_t priority)
{
	struct mo_value value = {.syntax = a->col->syntax, .num = priority};
	char text[16];

	snprintf(text, sizeof(text), "%" PRId64, priority);
	edit_drop(a->e, a->deletion, a->row_status, index);
	edit_add(a->e, a->table, a->col, index, &value, what, text);
}

static void destroy(struct apps *a, const struct mo_index *index, const char *what)
{
	struct mo_value value = {.syntax = MO_ROW_STATUS, .num = MO_row_status_destroy};

	edit_drop(a->e, a->table, a->col, index);
	if (priority_in_dcbd(a, index) >= 0)
		edit_add(a->e, a->deletion, a->row_status, index, &value, what, "destroy");
}

/* One entry on one port. */
static void edit_entry(struct apps *a, const struct port_app_keyword *kw, uint32_t ifindex,
		       uint32_t protocol, int64_t priority)
{
	struct mo_index index = {3, {ifindex, kw->selector, protocol}};
	int64_t now = priority_of(a, &index);
	char port[TABLE_ROWS_PORT_OCTETS], what[128];

	table_rows_port_name(&a->words->ports, ifindex, port);
	snprintf(what, sizeof(what), "%s: %s %" PRIu32 ":%" PRId64, port, kw->name, protocol,
		 priority);
	if (a->action == DEL && now != priority)
		/* Message: `del` needs the priority that the entry has. `app show` prints it. */
		edit_fail(a->e, "%s: there is no such application priority", what);
	else if (a->action == DEL)
		destroy(a, &index, what);
	else if (a->action == ADD && now >= 0 && now != priority)
		/* Message: `add` does not change a priority. Use `replace`. */
		edit_fail(a->e, "%s: it has priority %" PRId64 ": use replace", what, now);
	else
		put(a, &index, what, priority);
}

static bool parse_protocol(const struct port_app_keyword *kw, const char *text, uint32_t *first,
			   uint32_t *last)
{
	unsigned long n;
	char *end;

	if (kw->selector == PORT_APP_DSCP && strcmp(text, "all") == 0) {
		*first = kw->min;
		*last = kw->max;
		return true;
	}
	if (kw->selector == PORT_APP_DSCP && port_dscp_parse(text, first)) {
		*last = *first;
		return true;
	}
	n = strtoul(text, &end, 0);
	*first = *last = (uint32_t)n;
	return text[0] >= '0' && text[0] <= '9' && *end == '\0' && n >= kw->min && n <= kw->max;
}

/* PROTOCOL:PRIORITY, or PRIORITY of default-prio. */
static void edit_word(struct apps *a, const struct port_app_keyword *kw, const char *word)
{
	const char *colon = strrchr(word, ':'), *priority = colon ? colon + 1 : word;
	char protocol[32] = "0";
	uint32_t first, last;

	if (kw->max > 0)
		snprintf(protocol, sizeof(protocol), "%.*s", colon ? (int)(colon - word) : 0, word);
	if (priority[0] < '0' || priority[0] > '7' || priority[1] ||
	    (kw->max == 0) == (colon != NULL) || !parse_protocol(kw, protocol, &first, &last)) {
		if (kw->max == 0)
			/* Messages: as "%s %s: expected %s, not "%s"" */
			edit_fail(a->e, "app %s: expected a priority 0..7, not \"%s\"", kw->name,
				  word);
		else
			edit_fail(a->e,
				  "app %s: expected %" PRIu32 "..%" PRIu32
				  "%s, \":\" and a priority 0..7, not \"%s\"",
				  kw->name, kw->min, kw->max,
				  kw->selector == PORT_APP_DSCP ? ", the name of a DSCP or all"
								: "",
				  word);
		return;
	}
	for (uint32_t p = first; p <= last; p++)
		for (unsigned i = 0; i < a->words->ports.n; i++)
			edit_entry(a, kw, a->words->ports.ifindex[i], p, priority[0] - '0');
}

static void fail_keyword(struct edit *e, const char *word)
{
	struct suggest near = {.text = word};
	char hint[64];

	for (const struct port_app_keyword *kw = port_app_keywords; kw->name; kw++)
		suggest_offer(&near, kw->name);
	/* Message: as "%s: unknown keyword "%s"; did you mean "%s"?" */
	edit_fail(e, "app: unknown keyword \"%s\"%s", word,
		  suggest_hint(&near, hint, sizeof(hint)));
}

static void edit_words(struct apps *a)
{
	const struct port_words *words = a->words;

	for (int i = 0; i < words->n;) {
		const struct port_app_keyword *kw = port_app_keyword(words->rest[i]);
		int first = ++i;

		if (!kw)
			fail_keyword(a->e, words->rest[i - 1]);
		for (; i < words->n && !port_app_keyword(words->rest[i]); i++)
			if (kw)
				edit_word(a, kw, words->rest[i]);
		if (kw && i == first)
			/* Message: as "%s %s: expected a keyword and its value" */
			edit_fail(a->e, "app %s: expected a value", kw->name);
	}
	if (words->n == 0)
		/* Message: as "%s %s: expected a keyword and its value" */
		edit_fail(a->e, "app: expected a keyword, such as dscp-prio, and its values");
}

/* Deletes an entry of the keyword on one of the ports, if it exists at this point. */
static void flush_entry(struct apps *a, const struct port_app_keyword *kw,
			const struct mo_index *index)
{
	char port[TABLE_ROWS_PORT_OCTETS], what[128];

	if (!is_of(kw, index->sub) || priority_of(a, index) < 0)
		return;
	for (unsigned i = 0; i < a->words->ports.n; i++) {
		if (a->words->ports.ifindex[i] != index->sub[0])
			continue;
		table_rows_port_name(&a->words->ports, index->sub[0], port);
		snprintf(what, sizeof(what), "%s: %s %" PRIu32, port, kw->name, index->sub[2]);
		destroy(a, index, what);
	}
}

static void flush(struct apps *a)
{
	for (int i = 0; i < a->words->n; i++)
		if (!port_app_keyword(a->words->rest[i]))
			fail_keyword(a->e, a->words->rest[i]);
	for (const struct port_app_keyword *kw = port_app_keywords; kw->name; kw++) {
		if (!is_shown(kw, a->words->n, a->words->rest))
			continue;
		for (size_t i = 0; i < a->rows.n; i++)
			flush_entry(a, kw, &a->rows.rows[i].index);
		/* Backwards, because deleted entries are taken out. */
		for (unsigned i = a->e->n; i-- > 0;) {
			struct mo_index index = a->e->vbs[i].index;

			if (a->e->vbs[i].table == a->table->id)
				flush_entry(a, kw, &index);
		}
	}
}

bool port_app_edit(struct edit *e, const char *action, int argc, char **argv)
{
	static const char *const actions[] = {"add", "del", "replace", "flush"};
	unsigned before = e->errors;
	struct port_words words;
	struct apps a = {.e = e, .words = &words};

	while (strcmp(actions[a.action], action) != 0)
		a.action++;
	if (argc == 0 || strcmp(argv[0], "dev") != 0)
		/* Message: as "%s: expected a port after dev" */
		return edit_fail(e, "app %s: expected dev and a port", action);
	port_words_parse(e, port_family("app"), argc, argv, &words);
	a.col = mo_column_by_name(CREATE, &a.table);
	a.row_status = mo_column_by_name(DELETE, &a.deletion);
	if (e->names.failed || !port_rows_read(e->cli, a.table, &a.rows)) {
		e->errors += e->errors == before;
		return false;
	}
	(a.action == FLUSH ? flush : edit_words)(&a);
	port_rows_free(&a.rows);
	return e->errors == before;
}
