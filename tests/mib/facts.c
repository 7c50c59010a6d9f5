/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/mib/facts.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/mib/mibtree.h"

#define FIELDS_MAX      9
#define CONVENTIONS_MAX 16

/* Columns of *-mib.csv; F_REFERENCE is missing in some of them. */
enum { F_NAME, F_OID, F_SYNTAX, F_UNITS, F_ACCESS, F_DEFVAL, F_INDEX, F_AUGMENTS, F_REFERENCE };
/* Columns of textual-conventions.csv. */
enum { T_MODULE, T_NAME, T_HINT, T_SYNTAX };

struct csv_row {
	char line[1024];
	char *field[FIELDS_MAX];
	unsigned n;
};

/* A SYNTAX clause, for example "Unsigned32 (1..4096)". */
struct syntax {
	char base[MIB_TEXT_MAX]; /* Unsigned32 */
	bool has_range;
	int64_t low, high;
	char enums[MIB_TEXT_MAX]; /* "admin(1),auto(2)" */
};

static struct convention {
	char name[64], hint[16];
	struct syntax syntax;
	bool met;
} conventions[CONVENTIONS_MAX];
static unsigned n_conventions;

/* --- reading ---------------------------------------------------------------- */

/* Reads a line of comma-separated values; fields with commas are in quotes. */
static bool csv_read(FILE *f, struct csv_row *row)
{
	char *p = row->line;

	if (!fgets(row->line, sizeof(row->line), f))
		return false;
	row->line[strcspn(row->line, "\r\n")] = '\0';
	for (row->n = 0; row->n < FIELDS_MAX;) {
		char *end;

		if (*p == '"') {
			row->field[row->n++] = ++p;
			end = strchr(p, '"');
			if (!end)
				return false;
			*end++ = '\0';
		} else {
			row->field[row->n++] = p;
			end = p + strcspn(p, ",");
		}
		if (*end != ',')
			return true;
		*end = '\0';
		p = end + 1;
	}
	return true;
}

/* Opens a file of facts and skips the line with the column names. */
static FILE *csv_open(const char *dir, const char *name)
{
	char path[4096];
	struct csv_row heading = {0};
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "r");
	if (!f || !csv_read(f, &heading))
		fail("%s: cannot be read", path);
	return f;
}

/*
 * Copies text without blanks to out, up to its end or to a character of stop. Returns the
 * position of the first character not copied.
 */
static const char *squeeze(const char *text, const char *stop, char out[MIB_TEXT_MAX])
{
	size_t n = 0;

	for (; *text && !strchr(stop, *text); text++)
		if (!isspace((unsigned char)*text) && n < MIB_TEXT_MAX - 1)
			out[n++] = *text;
	out[n] = '\0';
	return text;
}

static bool syntax_parse(const char *text, struct syntax *s)
{
	char range[MIB_TEXT_MAX];
	const char *bounds;

	memset(s, 0, sizeof(*s));
	text = squeeze(text, "({", s->base);
	if (*text == '{')
		squeeze(text + 1, "}", s->enums);
	if (*text != '(')
		return true;
	squeeze(text, "", range);
	s->has_range = true;
	bounds = range + (strncmp(range, "(SIZE(", 6) == 0 ? 6 : 1);
	if (sscanf(bounds, "%" SCNd64 "..%" SCNd64 ")", &s->low, &s->high) == 2)
		return true;
	s->high = s->low;
	return sscanf(bounds, "%" SCNd64 ")", &s->high) == 1 && (s->low = s->high, true);
}

bool facts_load_conventions(const char *dir)
{
	FILE *f = csv_open(dir, "textual-conventions.csv");
	struct csv_row row;

	if (!f)
		return false;
	while (csv_read(f, &row) && n_conventions < CONVENTIONS_MAX) {
		struct convention *c = &conventions[n_conventions++];

		if (row.n != T_SYNTAX + 1 || !syntax_parse(row.field[T_SYNTAX], &c->syntax))
			fail("textual-conventions.csv: cannot parse row %u", n_conventions);
		snprintf(c->name, sizeof(c->name), "%s", row.field[T_NAME]);
		snprintf(c->hint, sizeof(c->hint), "%s", row.field[T_HINT]);
	}
	fclose(f);
	return true;
}

/* --- comparing -------------------------------------------------------------- */

static struct convention *convention_by_name(const char *name)
{
	for (unsigned i = 0; i < n_conventions; i++)
		if (strcmp(conventions[i].name, name) == 0)
			return &conventions[i];
	return NULL;
}

static const char *base_type(int type, bool has_enums)
{
	switch (type) {
	case TYPE_INTEGER:
		return has_enums ? "INTEGER" : "INTEGER without names";
	case TYPE_INTEGER32:
		return "Integer32";
	case TYPE_UNSIGNED32:
		return "Unsigned32";
	case TYPE_COUNTER:
		return "Counter32";
	case TYPE_COUNTER64:
		return "Counter64";
	case TYPE_OCTETSTR:
		return "OCTETSTRING";
	case TYPE_BITSTRING:
		return "BITS";
	default:
		return "another type";
	}
}

/* Compares range and names, if the facts have them. */
static void check_values(const struct tree *node, const struct syntax *want)
{
	int64_t low = 0, high = 0;

	if (want->has_range &&
	    (!mib_range(node, &low, &high) || low != want->low || high != want->high))
		fail("%s: range is %" PRId64 "..%" PRId64 ", expected %" PRId64 "..%" PRId64,
		     node->label, low, high, want->low, want->high);
	if (want->enums[0]) {
		char enums[MIB_TEXT_MAX];

		mib_enums(node, enums);
		expect_text(node->label, "enumeration", enums, want->enums);
	}
}

static void check_convention(const struct tree *node, struct syntax *want)
{
	struct convention *c = convention_by_name(want->base);

	expect_text(node->label, "textual convention", get_tc_descriptor(node->tc_index),
		    want->base);
	if (!c)
		return; /* of SNMPv2-TC or IF-MIB: not in the facts */
	c->met = true;
	expect_text(node->label, "DISPLAY-HINT", node->hint, c->hint);
	expect_text(node->label, "type", base_type(node->type, node->enums != NULL),
		    c->syntax.base);
	if (!want->has_range) {
		want->has_range = c->syntax.has_range;
		want->low = c->syntax.low;
		want->high = c->syntax.high;
	}
	if (!want->enums[0])
		memcpy(want->enums, c->syntax.enums, sizeof(want->enums));
}

/* Whether type is the label with a capital: Ieee8021CnCpEntry of ieee8021CnCpEntry. */
static bool is_type_of(const char *type, const char *label)
{
	return tolower((unsigned char)type[0]) == label[0] && strcmp(type + 1, label + 1) == 0;
}

static void check_syntax(const struct tree *node, const char *text)
{
	static const char sequence_of[] = "SEQUENCE OF ";
	struct syntax want;

	if (strncmp(text, sequence_of, sizeof(sequence_of) - 1) == 0) {
		if (!node->child_list || node->child_list->next_peer ||
		    !is_type_of(text + sizeof(sequence_of) - 1, node->child_list->label))
			fail("%s: is not a table of %s", node->label, text);
		return;
	}
	if (is_type_of(text, node->label))
		return;
	if (!syntax_parse(text, &want)) {
		fail("%s: cannot parse SYNTAX '%s' of the facts", node->label, text);
		return;
	}
	if (strcmp(want.base, "INTEGER") == 0 || strcmp(want.base, "Integer32") == 0 ||
	    strcmp(want.base, "Unsigned32") == 0 || strcmp(want.base, "OCTETSTRING") == 0 ||
	    strncmp(want.base, "Counter", 7) == 0) {
		expect_text(node->label, "type", base_type(node->type, node->enums != NULL),
			    want.base);
		if (node->tc_index >= 0)
			fail("%s: has a textual convention, expected plain %s", node->label,
			     want.base);
		if (!want.has_range && node->ranges)
			fail("%s: has a range, expected none", node->label);
	} else {
		check_convention(node, &want);
	}
	check_values(node, &want);
}

static void check_row(const char *module, const struct csv_row *row)
{
	char *const *field = row->field;
	const struct tree *node = mib_find(module, field[F_NAME]);
	char got[MIB_TEXT_MAX], want[MIB_TEXT_MAX];

	if (!node)
		return;
	mib_oid(node, got);
	expect_text(node->label, "OID", got, field[F_OID]);
	check_syntax(node, field[F_SYNTAX]);
	expect_text(node->label, "UNITS", node->units, field[F_UNITS]);
	expect_text(node->label, "MAX-ACCESS", mib_access(node), field[F_ACCESS]);
	expect_text(node->label, "DEFVAL", node->defaultValue, field[F_DEFVAL]);
	expect_text(node->label, "AUGMENTS", node->augments, field[F_AUGMENTS]);
	if (!node->augments) {
		mib_index(node, module, got);
		expect_text(node->label, "INDEX", got, field[F_INDEX]);
	}
	if (row->n > F_REFERENCE) {
		mib_clauses(node->reference, got);
		mib_clauses(field[F_REFERENCE], want);
		expect_text(node->label, "REFERENCE", got, want);
	}
	if (!node->description || strlen(node->description) < 10)
		fail("%s: DESCRIPTION is missing or too short", node->label);
}

/* Returns the number of nodes below this one. */
static unsigned count_below(const struct tree *node)
{
	unsigned n = 0;

	for (const struct tree *child = node->child_list; child; child = child->next_peer)
		n += 1 + count_below(child);
	return n;
}

void facts_check(const char *dir, const struct facts_expected *expected)
{
	const struct tree *objects = mib_find(expected->module, expected->objects);
	FILE *f = csv_open(dir, expected->file);
	unsigned rows = 0, accessible = 0;
	struct csv_row row;

	if (!f)
		return;
	while (csv_read(f, &row)) {
		rows++;
		if (row.n < F_REFERENCE) {
			fail("%s: row %u has %u fields, expected %u", expected->file, rows, row.n,
			     F_REFERENCE);
			continue;
		}
		accessible += strcmp(row.field[F_ACCESS], "not-accessible") != 0;
		check_row(expected->module, &row);
	}
	fclose(f);
	if (rows != expected->n_rows || accessible != expected->n_accessible)
		fail("%s: %u rows, %u of them accessible; expected %u and %u", expected->file, rows,
		     accessible, expected->n_rows, expected->n_accessible);
	/* Each fact has been found as a node: with equal numbers there are no other nodes. */
	if (objects && count_below(objects) != rows + expected->n_arcs)
		fail("%s: %u nodes below %s, expected %u", expected->module, count_below(objects),
		     expected->objects, rows + expected->n_arcs);
}

void facts_check_conventions(void)
{
	for (unsigned i = 0; i < n_conventions; i++)
		if (!conventions[i].met)
			fail("%s: no object has this textual convention", conventions[i].name);
}
