/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Text output. A table of several rows is printed in columns, whose headings
 * are the object names without their common prefix. A table of one row is
 * printed as a list of objects with their full names.
 */
#include "agent/cli/base/out.h"
#include "lib/mo/mo_event.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "agent/cli/base/text_table.h"
#include "agent/cli/base/names.h"
#include "lib/mo/mo_expect.h"

#define INDEX_COLUMNS (MO_INDEX_MAX + 1) /* and the name of the port */
_Static_assert(TEXT_TABLE_COLUMNS_MAX >= OUT_COLUMNS_MAX + INDEX_COLUMNS,
	       "a table is shown with all its columns");

/* The longest value is 255 octets in hexadecimal; a line has a unit or a name besides. */
#define CELL_OCTETS (MO_VALUE_TEXT + 32) /* a value and its rate */
#define LINE_OCTETS (CELL_OCTETS + 128)

struct out_text {
	struct out out;
	struct text_table text;
	const struct mo_table *table; /* the current table; NULL: none */
	const struct mo_column *only;
	unsigned n_tables;
	bool has_names;                 /* the table has a column with the names of ports */
	char port[64];                  /* that the first row is about; "": none */
	char (*single)[2][LINE_OCTETS]; /* names and values of the first row's objects */
	size_t n_single;
};

static struct out_text *text_of(struct out *out)
{
	return (struct out_text *)(void *)out;
}

/* --- names and values ---------------------------------------------------------- */

/*
 * Replaces control characters, which could control the terminal: some values
 * come from neighbors.
 */
static void replace_controls(char *p)
{
	for (; *p; p++) {
		if (iscntrl((unsigned char)*p))
			*p = '?';
	}
}

/* Length of the common prefix of two names, cut back to where a word begins in both. */
static size_t common_words(const char *name, const char *other)
{
	size_t n = 0;

	while (name[n] && name[n] == other[n])
		n++;
	while (n > 0 && !(isupper((unsigned char)name[n]) && isupper((unsigned char)other[n])))
		n--;
	return n;
}

/* Length of the common prefix of all column names of the table. */
static size_t common_prefix(const struct mo_table *table)
{
	const char *first = table->columns[0].name;
	size_t n = strlen(first);

	/*
	 * A single column is compared with the names of the index, some of
	 * which have its prefix.
	 */
	if (table->n_columns == 1) {
		n = 0;
		for (unsigned i = 0; i < table->n_index; i++) {
			size_t c = common_words(first, table->index[i].name);

			n = c > n && strcmp(first, table->index[i].name) != 0 ? c : n;
		}
		return n;
	}
	for (unsigned i = 1; i < table->n_columns; i++) {
		size_t c = common_words(first, table->columns[i].name);

		n = c < n ? c : n;
	}
	return n;
}

/* Length of the common prefix of the index names. */
static size_t common_index_prefix(const struct mo_table *table)
{
	const char *first = table->n_index ? table->index[0].name : "";
	size_t n = table->n_index > 1 ? strlen(first) : 0;

	for (unsigned i = 1; i < table->n_index; i++) {
		size_t c = common_words(first, table->index[i].name);

		n = c < n ? c : n;
	}
	return n;
}

static bool is_number(const struct mo_column *col)
{
	return !col->names && !mo_is_octets(col->syntax);
}

static void format_rate(double rate, char *buf, size_t size)
{
	if (isnan(rate))
		buf[0] = '\0';
	else
		snprintf(buf, size, "%.*f", rate > 0 && rate < 10 ? 1 : 0, rate);
}

/* Formats one part of an index: a number, or octets in hexadecimal. */
static void format_part(const struct mo_index_part *part, const uint32_t *sub, char *buf,
			size_t size)
{
	size_t n = 0;

	if (!part->octets) {
		snprintf(buf, size, "%" PRIu32, sub[0]);
		return;
	}
	for (unsigned i = 0; i < part->max && n < size; i++)
		n += (size_t)snprintf(buf + n, size - n, "%s%02" PRIx32, i ? "-" : "", sub[i]);
}

/* --- tables ------------------------------------------------------------------------ */

static bool is_shown(const struct out_text *t, const struct mo_column *col)
{
	return !t->only || t->only == col;
}

/* An index object that is also accessible is shown once, as part of the index. */
static bool is_index(const struct mo_table *table, const struct mo_column *col)
{
	for (unsigned i = 0; i < table->n_index; i++) {
		if (strcmp(table->index[i].name, col->name) == 0)
			return true;
	}
	return false;
}

/* Columns of the rows that a narrow terminal keeps longest. */
static bool is_first(const struct mo_table *table, const struct mo_column *col)
{
	static const struct {
		enum mo_table_id table;
		uint32_t subid;
	} firsts[] = {
#define FIRST(tab, sub) {MO_##tab, sub},
#include "mibs/all.def"
	};

	for (size_t i = 0; i < sizeof(firsts) / sizeof(firsts[0]); i++)
		if (firsts[i].table == table->id && firsts[i].subid == col->subid)
			return true;
	return false;
}

/*
 * Parts of an index that hardly ever tell two rows apart: the component, of which dcbd has one,
 * when a neighbor was heard first, and the LLDP destination address.
 */
static enum text_table_rank index_rank(const struct mo_index_part *part)
{
	static const char *const words[] = {"ComponentId", "TimeMark", "DestMACAddress"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strstr(part->name, words[i]))
			return TEXT_TABLE_FIRST;
	return TEXT_TABLE_ALWAYS;
}

/*
 * dcbPortTable has the names as an object; of the other tables those that have an ifIndex show
 * them, if dcbd has told any.
 */
static bool has_names(const struct out_text *t, const struct mo_table *table)
{
	if (table->id == MO_port || !names_has_port(table))
		return false;
	(void)names_of(t->out.names, 0);
	return t->out.names && t->out.names->ports.n > 0;
}

static void flush_table(struct out_text *t)
{
	FILE *f = t->out.f;
	size_t rows = text_table_rows(&t->text), width = 0;

	if (!t->table)
		return;
	if (t->n_tables++ > 0)
		fputc('\n', f);
	if (t->table->n_index > 0)
		fprintf(f, "%s: %zu row%s%s%s\n", t->table->name, rows, rows == 1 ? "" : "s",
			rows == 1 && t->port[0] ? ", port " : "", rows == 1 ? t->port : "");
	else
		fprintf(f, "%s\n", t->table->name);
	for (size_t i = 0; i < t->n_single && rows == 1; i++)
		width = strlen(t->single[i][0]) > width ? strlen(t->single[i][0]) : width;
	for (size_t i = 0; i < t->n_single && rows == 1; i++)
		fprintf(f, "%-*s  %s\n", (int)width, t->single[i][0], t->single[i][1]);
	if (rows > 1)
		text_table_print(&t->text, f);
	text_table_clear(&t->text);
	t->table = NULL;
}

static void text_table(struct out *out, const struct mo_table *table, const struct mo_column *col)
{
	struct out_text *t = text_of(out);
	const char *stem = table->columns[0].name;
	size_t prefix = common_prefix(table);

	flush_table(t);
	t->table = table;
	t->only = col;
	t->n_single = 0;
	t->port[0] = '\0';
	t->has_names = has_names(t, table);
	for (unsigned i = 0; i < table->n_index; i++) {
		const struct mo_index_part *part = &table->index[i];
		size_t n = common_words(part->name, stem), own = common_index_prefix(table);

		n = n < prefix ? n : prefix;
		text_table_column(&t->text, part->name + (n > own ? n : own), !part->octets);
		text_table_rank(&t->text, index_rank(part));
	}
	if (t->has_names) {
		text_table_column(&t->text, "IfName", false);
		text_table_rank(&t->text, TEXT_TABLE_ALWAYS);
	}
	for (unsigned i = 0; i < table->n_columns; i++) {
		const struct mo_column *c = &table->columns[i];

		if (!is_shown(t, c) || is_index(table, c))
			continue;
		text_table_column(&t->text, c->name + prefix, is_number(c));
		text_table_rank(&t->text, is_first(table, c) ? TEXT_TABLE_FIRST : TEXT_TABLE_USUAL);
	}
}

static void add_index(struct out_text *t, const struct out_row *row)
{
	const uint32_t *sub = row->index.sub;
	char cell[CELL_OCTETS];

	for (unsigned i = 0; i < t->table->n_index; i++) {
		const struct mo_index_part *part = &t->table->index[i];

		format_part(part, sub, cell, sizeof(cell));
		text_table_cell(&t->text, cell);
		sub += part->octets ? part->max : 1;
	}
}

/* Adds the name of the port that the row is about. */
static void add_name(struct out_text *t, const struct out_row *row, bool first)
{
	uint32_t ifindex = names_row_ifindex(t->table, &row->index, row->values, row->present);
	const char *name = ifindex ? names_of(t->out.names, ifindex) : NULL;
	char cell[sizeof(t->port)];

	snprintf(cell, sizeof(cell), "%s", name ? name : "");
	replace_controls(cell);
	if (t->has_names)
		text_table_cell(&t->text, cell);
	if (first)
		snprintf(t->port, sizeof(t->port), "%s", cell);
}

static void add_single(struct out_text *t, const struct out_row *row, const struct mo_column *col,
		       const char *cell)
{
	char index[128];

	mo_index_format(&row->index, index, sizeof(index));
	snprintf(t->single[t->n_single][0], LINE_OCTETS, "%s.%s", col->name, index);
	snprintf(t->single[t->n_single][1], LINE_OCTETS, "%s%s%s", cell,
		 cell[0] && col->unit[0] ? " " : "", cell[0] ? col->unit : "");
	t->n_single++;
}

static void text_row(struct out *out, const struct out_row *row)
{
	struct out_text *t = text_of(out);
	bool first = text_table_rows(&t->text) == 0;
	char cell[CELL_OCTETS], rate[64];

	add_index(t, row);
	add_name(t, row, first);
	for (unsigned i = 0; i < t->table->n_columns; i++) {
		const struct mo_column *col = &t->table->columns[i];
		size_t n = 0;

		if (!is_shown(t, col))
			continue;
		cell[0] = '\0';
		if (row->present >> i & 1)
			n = (size_t)mo_format(col, &row->values[i], cell, sizeof(cell));
		replace_controls(cell);
		if (n && row->rates && out_is_counter(col) && row->rates[i] != 0) {
			format_rate(row->rates[i], rate, sizeof(rate));
			if (rate[0])
				snprintf(cell + n, sizeof(cell) - n, " +%s/s", rate);
		}
		if (!is_index(t->table, col))
			text_table_cell(&t->text, cell);
		if (first)
			add_single(t, row, col, cell);
	}
}

/* --- descriptors and assignments ---------------------------------------------------- */

static void format_range(const struct mo_column *col, char *buf, size_t size)
{
	size_t n = 0;

	buf[0] = '\0';
	if (col->names) {
		for (const struct mo_enum *e = col->names; e->name && n < size; e++) {
			if (e->value >= col->min && e->value <= col->max)
				n += (size_t)snprintf(buf + n, size - n, "%s%s(%" PRId32 ")",
						      n ? " " : "", e->name, e->value);
		}
	} else if (out_is_counter(col)) {
		return;
	} else if (col->min == col->max) {
		snprintf(buf, size, "%" PRId64, col->min);
	} else {
		snprintf(buf, size, "%" PRId64 "..%" PRId64, col->min, col->max);
	}
}

static void text_object(struct out *out, const struct mo_table *table, const struct mo_column *col)
{
	static const char *const headers[] = {"object", "syntax", "range",  "default",
					      "access", "unit",   "clause", "oid"};
	struct out_text *t = text_of(out);
	struct mo_value initial = mo_initial(col);
	char cell[CELL_OCTETS] = "";

	for (size_t i = 0; t->text.n_cols < sizeof(headers) / sizeof(headers[0]); i++)
		text_table_column(&t->text, headers[i], false);
	text_table_cell(&t->text, col->name);
	text_table_cell(&t->text, out_syntax(col->syntax));
	format_range(col, cell, sizeof(cell));
	text_table_cell(&t->text, cell);
	cell[0] = '\0';
	if (col->has_initial)
		mo_format(col, &initial, cell, sizeof(cell));
	text_table_cell(&t->text, cell);
	text_table_cell(&t->text, out_access(col->access));
	text_table_cell(&t->text, col->unit);
	text_table_cell(&t->text, col->clause);
	out_oid(table, col, cell, sizeof(cell));
	text_table_cell(&t->text, cell);
}

static void text_assignment(struct out *out, const struct mo_varbind *vb)
{
	const struct mo_column *col = mo_column(mo_table(vb->table), vb->subid);
	char index[128], value[CELL_OCTETS];

	mo_index_format(&vb->index, index, sizeof(index));
	mo_format(col, &vb->value, value, sizeof(value));
	replace_controls(value);
	fprintf(out->f, "%s.%s = %s%s%s\n", col->name, index, value, col->unit[0] ? " " : "",
		col->unit);
}

/* Writes " port swp1" for the first object of the event that has an ifIndex; "" if none has. */
static void format_event_port(struct out *out, const struct mo_event *ev, char *buf, size_t size)
{
	const char *name = NULL;

	for (unsigned i = 0; i < ev->n && !name; i++) {
		const struct mo_varbind *vb = &ev->vbs[i];
		const struct mo_table *table = mo_table(vb->table);
		const struct mo_column *col = table ? mo_column(table, vb->subid) : NULL;
		uint32_t ifindex = col ? names_ifindex(table, &vb->index, col, &vb->value) : 0;

		name = ifindex ? names_of(out->names, ifindex) : NULL;
	}
	snprintf(buf, size, "%s%s", name ? " port " : "", name ? name : "");
	replace_controls(buf);
}

static void text_event(struct out *out, const struct mo_event *ev)
{
	time_t seconds = (time_t)(ev->real_ms / 1000);
	char when[32], name[64], port[64], objects[MO_EVENT_TEXT];
	struct tm tm;

	strftime(when, sizeof(when), "%Y-%m-%dT%H:%M:%S", gmtime_r(&seconds, &tm));
	mo_event_name(ev, name, sizeof(name));
	mo_event_objects(ev, objects, sizeof(objects));
	replace_controls(objects);
	format_event_port(out, ev, port, sizeof(port));
	fprintf(out->f, "%s.%03uZ %s%s%s%s%s\n", when, (unsigned)(ev->real_ms % 1000), name, port,
		ev->flags & MO_EVENT_NOTIFY ? "" : " (switched off)", objects[0] ? ": " : "",
		objects);
}

static void text_end(struct out *out, bool good)
{
	struct out_text *t = text_of(out);

	if (good && t->table)
		flush_table(t);
	else if (good && t->text.n_cols)
		text_table_print(&t->text, out->f);
	text_table_clear(&t->text);
	free(t->single);
	free(t);
}

static const struct out_ops text_ops = {
    .table = text_table,
    .row = text_row,
    .object = text_object,
    .assignment = text_assignment,
    .event = text_event,
    .end = text_end,
};

struct out *out_text_new(FILE *f)
{
	struct out_text *t = out_alloc_check(calloc(1, sizeof(*t)));

	t->out.ops = &text_ops;
	t->out.f = f;
	t->single = out_alloc_check(calloc(OUT_COLUMNS_MAX, sizeof(*t->single)));
	return &t->out;
}
