/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/scenario_private.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- numbers -------------------------------------------------------------------- */

struct suffix {
	const char *text;
	double factor;
};

/* Factors to seconds for times; decimal multiples for the others. */
static const struct suffix suffixes[][7] = {
    [SCN_TIME] = {{"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1}, {NULL, 0}},
    [SCN_OCTETS] = {{"", 1}, {"k", 1e3}, {"M", 1e6}, {"G", 1e9}, {NULL, 0}},
    [SCN_NUMBER] =
	{{"", 1}, {"k", 1e3}, {"M", 1e6}, {"G", 1e9}, {"us", 1e-6}, {"ms", 1e-3}, {NULL, 0}},
};

static bool parse(const char *text, enum scn_unit unit, double *v)
{
	char *end;
	double number;

	if (text[0] < '0' || text[0] > '9')
		return false;
	number = strtod(text, &end);
	for (const struct suffix *s = suffixes[unit]; s->text; s++) {
		if (strcmp(end, s->text) == 0) {
			*v = number * s->factor;
			return true;
		}
	}
	return false;
}

bool scn_quantity(const config_setting_t *s, enum scn_unit unit, double *v)
{
	const char *text = config_setting_get_string(s);
	bool is_real = config_setting_type(s) == CONFIG_TYPE_FLOAT;

	if (text)
		return parse(text, unit, v);
	if (unit == SCN_TIME || (unit == SCN_OCTETS && is_real))
		return false;
	return conf_is_real(s, v) && (is_real || *v >= 0);
}

bool scn_parse_time(const char *text, int64_t *ns)
{
	double v;

	if (!parse(text, SCN_TIME, &v) || v > 1e6)
		return false;
	*ns = llround(v * 1e9);
	return true;
}

static bool time_of(const config_setting_t *s, const struct conf_row *row, int64_t *ns)
{
	double v;

	if (!scn_quantity(s, SCN_TIME, &v) || v > 1e6)
		return false;
	*ns = llround(v * 1e9);
	return *ns >= row->min && *ns <= row->max;
}

bool scn_take_time(struct reader *r, const config_setting_t *s, const struct conf_row *row,
		   void *base)
{
	if (time_of(s, row, (int64_t *)((char *)base + row->offset)))
		return true;
	return conf_expected(r, s, "a time such as \"1.5ms\" or \"2s\"");
}

static bool octets_of(const config_setting_t *s, const struct conf_row *row, uint64_t *octets)
{
	double v;

	if (!scn_quantity(s, SCN_OCTETS, &v) || v < (double)row->min || v > (double)row->max)
		return false;
	*octets = (uint64_t)llround(v);
	return true;
}

static bool take_octets(struct reader *r, const config_setting_t *s, const struct conf_row *row,
			size_t size, void *to)
{
	const char *text = config_setting_get_string(s);
	uint64_t octets = 0;
	char what[96];

	if (size == 4 && text && strcmp(text, "unlimited") == 0) {
		*(uint32_t *)to = UINT32_MAX;
		return true;
	}
	if (!octets_of(s, row, &octets)) {
		snprintf(what, sizeof(what), "octets such as 1500 or \"150k\", %lld..%lld%s",
			 (long long)row->min, (long long)row->max,
			 size == 4 ? ", or \"unlimited\"" : "");
		return conf_expected(r, s, what);
	}
	if (size == 4)
		*(uint32_t *)to = (uint32_t)octets;
	else
		*(uint64_t *)to = octets;
	return true;
}

bool scn_take_octets(struct reader *r, const config_setting_t *s, const struct conf_row *row,
		     void *base)
{
	return take_octets(r, s, row, row->size, (char *)base + row->offset);
}

bool scn_take_real(struct reader *r, const config_setting_t *s, const struct conf_row *row,
		   void *base)
{
	double v;

	if (!scn_quantity(s, SCN_NUMBER, &v))
		return conf_expected(r, s, "a number such as 0.95, \"26k\" or \"150ms\"");
	*(double *)(void *)((char *)base + row->offset) = v;
	return true;
}

/* --- both directions --------------------------------------------------------------- */

bool scn_take_both(struct reader *r, const config_setting_t *s, const struct conf_row *row,
		   void *base)
{
	bool pair = conf_is_array(s);

	if (pair && config_setting_length(s) != 2)
		return conf_expected(
		    r, s, "one value, or an array of two values, one for each direction");
	for (unsigned i = 0; i < 2; i++) {
		const config_setting_t *e = pair ? config_setting_get_elem(s, i) : s;
		struct conf_row one = *row->members;

		one.offset = row->offset + i * row->members->size;
		if (!one.take(r, e, &one, base))
			return false;
	}
	return true;
}

/* --- names ---------------------------------------------------------------------------- */

static bool is_name(const char *text)
{
	return text[0] && strlen(text) < SIM_NAME_OCTETS && !strpbrk(text, " \t\n,;\"'*?[]{}|/") &&
	       !strstr(text, "->") && !strchr(text, '%');
}

bool scn_expand(struct reader *r, const config_setting_t *s, const struct scn_name *name,
		uint32_t i, char to[SIM_NAME_OCTETS])
{
	uint32_t number = i / (name->divide ? name->divide : 1) + name->offset;
	const char *at = strstr(name->pattern, "%d");
	char text[2 * SIM_NAME_OCTETS];
	char what[96];

	if (name->modulo)
		number %= name->modulo;
	if (at)
		snprintf(text, sizeof(text), "%.*s%u%s", (int)(at - name->pattern), name->pattern,
			 number, at + 2);
	else
		snprintf(text, sizeof(text), "%s", name->pattern);
	if (!is_name(text)) {
		snprintf(what, sizeof(what),
			 "a name of 1..%d letters and digits, with at most one %%d",
			 SIM_NAME_OCTETS - 1);
		return conf_expected(r, s, what);
	}
	memcpy(to, text, strlen(text) + 1);
	return true;
}

int64_t scn_find(const struct scn_entry *table, const void *key, size_t len)
{
	const struct scn_entry *e;

	HASH_FIND(hh, table, key, len, e);
	return e ? (int64_t)e->index : -1;
}

void scn_add(struct scn_entry **table, const void *key, size_t len, uint32_t index)
{
	struct scn_entry *e = conf_alloc_check(calloc(1, sizeof(*e)));

	memcpy(e->key, key, len);
	e->index = index;
	HASH_ADD(hh, *table, key, len, e);
}

void scn_clear(struct scn_entry **table)
{
	struct scn_entry *e, *next;

	HASH_ITER (hh, *table, e, next) {
		HASH_DEL(*table, e);
		free(e);
	}
}

int64_t scn_node(struct reader *r, const config_setting_t *s, const char *name)
{
	int64_t node = scn_find(scn_of(r)->node_by_name, name, strlen(name));

	if (node < 0)
		/*
		 * Message: The scenario has no such node or link. Correct the name, or `count`,
		 * `divide`, `offset` and `modulo`.
		 */
		conf_fail(r, s, "expected the name of a node, not \"%s\"", name);
	return node;
}

/* The key of a link: its nodes in ascending order. */
static void link_key(uint32_t a, uint32_t b, uint32_t key[2])
{
	key[0] = a < b ? a : b;
	key[1] = a < b ? b : a;
}

int64_t scn_link_between(const struct scenario *scn, uint32_t a, uint32_t b)
{
	uint32_t key[2];

	link_key(a, b, key);
	return scn_find(scn->link_by_ends, key, sizeof(key));
}

void scn_add_link(struct scenario *scn, const uint32_t ends[2], uint32_t index)
{
	uint32_t key[2];

	link_key(ends[0], ends[1], key);
	scn_add(&scn->link_by_ends, key, sizeof(key), index);
}

void scn_link_name(const struct scenario *scn, uint32_t link, char *buf, size_t size)
{
	const struct scn_link *l = &scn->links[link / 2];

	snprintf(buf, size, "%s->%s", scn->nodes[l->ends[link % 2]].name,
		 scn->nodes[l->ends[1 - link % 2]].name);
}

int64_t scn_link(struct reader *r, const config_setting_t *s, const char *name)
{
	const struct scenario *scn = scn_of(r);
	const char *arrow = strstr(name, "->");
	int64_t from = -1, to = -1, link = -1;

	if (arrow) {
		from = scn_find(scn->node_by_name, name, (size_t)(arrow - name));
		to = scn_find(scn->node_by_name, arrow + 2, strlen(arrow + 2));
	}
	if (from >= 0 && to >= 0)
		link = scn_link_between(scn, (uint32_t)from, (uint32_t)to);
	if (link >= 0)
		return 2 * link + (scn->links[link].ends[0] != (uint32_t)from);
	/* Message: as "expected the name of a node, not "%s"" */
	conf_fail(r, s, "expected a link's direction such as \"a->b\", not \"%s\"", name);
	return -1;
}

void *scn_grow(void *array, size_t n, size_t more, size_t size)
{
	char *grown = conf_alloc_check(realloc(array, (n + more) * size));

	memset(grown + n * size, 0, more * size);
	return grown;
}
