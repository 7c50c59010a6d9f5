/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/cli/settings.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "agent/cli/base/cli.h"
#include "agent/cli/base/fetch.h"
#include "lib/mo/mo_expect.h"

/* --- lists ---------------------------------------------------------------------------------- */

void settings_add(struct settings *s, const struct setting *setting)
{
	if (s->n == s->room) {
		s->room = s->room ? 2 * s->room : 64;
		s->of = out_alloc_check(realloc(s->of, s->room * sizeof(*s->of)));
	}
	s->of[s->n] = *setting;
	s->of[s->n++].number = s->added++;
}

void settings_free(struct settings *s)
{
	free(s->of);
	*s = (struct settings){.n = 0};
}

/* A RowStatus comes first. */
static uint32_t rank(const struct mo_column *col)
{
	return col->syntax == MO_ROW_STATUS ? 0 : col->subid;
}

static int compare(const void *p, const void *q)
{
	const struct setting *a = p, *b = q;
	int order = mo_index_compare(&a->index, &b->index);

	if (a->table != b->table)
		return a->table->id < b->table->id ? -1 : 1;
	if (order != 0)
		return order;
	return rank(a->col) < rank(b->col) ? -1 : rank(a->col) > rank(b->col);
}

/* qsort() leaves the order of equal elements open. */
static int compare_numbered(const void *p, const void *q)
{
	const struct setting *a = p, *b = q;
	int order = compare(a, b);

	return order ? order : a->number < b->number ? -1 : a->number > b->number;
}

void settings_sort(struct settings *s)
{
	size_t n = 0;

	if (s->n > 1)
		qsort(s->of, s->n, sizeof(*s->of), compare_numbered);
	for (size_t i = 0; i < s->n; i++)
		if (i + 1 == s->n || compare(&s->of[i], &s->of[i + 1]) != 0)
			s->of[n++] = s->of[i];
	s->n = n;
}

const struct setting *settings_find(const struct settings *s, const struct setting *like)
{
	return s->n ? bsearch(like, s->of, s->n, sizeof(*s->of), compare) : NULL;
}

bool settings_equal(const struct mo_value *a, const struct mo_value *b)
{
	if (mo_is_octets(a->syntax))
		return a->len == b->len && memcmp(a->octets, b->octets, a->len) == 0;
	return a->num == b->num;
}

/* --- of dcbd -------------------------------------------------------------------------------- */

struct reading {
	struct settings *settings;
	const struct mo_table *table;
};

/*
 * Rows of these tables come into being with the value of another table, which is a setting, so
 * their RowStatus is none.
 */
static bool is_created_elsewhere(const struct mo_table *table)
{
	return table->id == MO_dcbx_app || table->id == MO_dcbx_app_vlan;
}

/* The state of a row as the value that creates a row in this state (RFC 2579). */
static void make_creating(struct setting *setting)
{
	int64_t *status = &setting->value.num;

	if (setting->col->syntax == MO_ROW_STATUS)
		*status = *status == MO_row_status_active || *status == MO_row_status_createAndGo
			      ? MO_row_status_createAndGo
			      : MO_row_status_createAndWait;
}

static void on_row(void *ctx, const struct out_row *row)
{
	struct reading *r = ctx;

	for (unsigned i = 0; i < r->table->n_columns; i++) {
		struct setting s = {.table = r->table,
				    .col = &r->table->columns[i],
				    .index = row->index,
				    .value = row->values[i]};

		if (!(row->present >> i & 1) || row->origins[i].kind == MO_ORIGIN_NONE ||
		    (s.col->syntax == MO_ROW_STATUS && is_created_elsewhere(r->table)))
			continue;
		s.is_default = row->origins[i].kind == MO_ORIGIN_DEFAULT;
		make_creating(&s);
		settings_add(r->settings, &s);
	}
}

enum mo_client_status settings_read(struct settings *s, struct mo_client *client)
{
	enum mo_client_status status = MO_CLIENT_OK;

	*s = (struct settings){.n = 0};
	for (unsigned id = 0; id < MO_TABLES && status == MO_CLIENT_OK; id++) {
		struct target target = {.table = mo_table((enum mo_table_id)id)};
		struct reading r = {.settings = s, .table = target.table};

		if (!target.table->optional &&
		    mo_settings_table(target.table->id) == target.table->id)
			status = fetch_origins(client, &target, on_row, &r);
	}
	if (status != MO_CLIENT_OK)
		settings_free(s);
	settings_sort(s);
	return status;
}

/* --- of a file ------------------------------------------------------------------------------ */

struct parsing {
	struct settings *settings;
	struct mo_client *client;
	const char *name;
	unsigned line, errors;
};

static void report(struct parsing *p, const char *text)
{
	(void)cli_fail("%s:%u: %s", p->name, p->line, text);
	p->errors++;
}

static void parse_pair(struct parsing *p, const char *object, const char *value)
{
	char err[512], expected[256];
	struct target target;
	struct setting s;

	if (!target_parse(object, p->client, &target, err, sizeof(err))) {
		report(p, err);
		return;
	}
	s = (struct setting){.table = target.table, .col = target.col, .index = target.index};
	if (!s.col || !mo_index_valid(s.table, &s.index)) {
		/* Message: as "%s: expected OBJECT.INDEX, with all %u numbers of the index" */
		snprintf(err, sizeof(err),
			 "%s: expected OBJECT.INDEX, with all %u numbers of the "
			 "index",
			 object, s.table->index_len);
		report(p, err);
		return;
	}
	if (!mo_parse(s.col, value, &s.value) || mo_validate(s.col, &s.value) != MO_NO_ERROR) {
		mo_expected(s.col, expected, sizeof(expected));
		/* Message: as "expected "set OBJECT.INDEX VALUE", as dcbctl save writes" */
		snprintf(err, sizeof(err), "%.128s: expected %s, not \"%.64s\"", object, expected,
			 value);
		report(p, err);
		return;
	}
	make_creating(&s);
	settings_add(p->settings, &s);
}

/* Returns the next word of a line; NULL: its end, or a comment, from which it is not to go on. */
static char *next_word(char *line, char **save)
{
	char *word = strtok_r(line, " \t\r\n", save);

	return word && *word != '#' ? word : NULL;
}

static void parse_line(struct parsing *p, char *line)
{
	char *save, *word = next_word(line, &save);

	if (!word)
		return;
	if (strcmp(word, "set") != 0) {
		/* Message: `diff`: this line of the file is malformed. */
		report(p, "expected \"set OBJECT.INDEX VALUE\", as dcbctl save writes");
		return;
	}
	while ((word = next_word(NULL, &save))) {
		const char *value = next_word(NULL, &save);

		if (!value) {
			/* Message: as "expected "set OBJECT.INDEX VALUE", as dcbctl save writes" */
			report(p, "expected a value behind the object");
			return;
		}
		parse_pair(p, word, value);
	}
}

unsigned settings_parse(struct settings *s, FILE *f, const char *name, struct mo_client *client)
{
	struct parsing p = {.settings = s, .client = client, .name = name};
	char *line = NULL;
	size_t size = 0;

	*s = (struct settings){.n = 0};
	while (getline(&line, &size, f) >= 0) {
		p.line++;
		parse_line(&p, line);
	}
	free(line);
	if (ferror(f))
		/* Message: as "expected "set OBJECT.INDEX VALUE", as dcbctl save writes" */
		report(&p, "cannot be read");
	settings_sort(s);
	return p.errors;
}

/* --- text ----------------------------------------------------------------------------------- */

/* Whether a name in an index is read as the name. */
static bool is_unambiguous(const char *name)
{
	return name && !isdigit((unsigned char)name[0]) && !strpbrk(name, ". \t#");
}

void settings_print(const struct setting *s, struct names *names, FILE *f)
{
	unsigned part = names_port_part(s->table);
	char text[MO_VALUE_TEXT];

	fputs(s->col->name, f);
	for (unsigned i = 0; i < s->index.n; i++) {
		const char *name = i == part ? names_of(names, s->index.sub[i]) : NULL;

		if (is_unambiguous(name))
			fprintf(f, ".%s", name);
		else
			fprintf(f, ".%" PRIu32, s->index.sub[i]);
	}
	mo_format(s->col, &s->value, text, sizeof(text));
	fprintf(f, " %s", text);
}
