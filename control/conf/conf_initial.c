/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * initial = ( { object; index; port; value }, ... ). Checks each entry with the
 * descriptors of the managed objects. Whether its row exists is checked at start.
 */
#include "control/conf/conf_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/suggest.h"
#include "lib/mo/mo.h"
#include "lib/mo/mo_expect.h"

/* clang-format off */
#define TEXT(name, field, max) \
	{name, conf_take_string, offsetof(struct conf_initial, field), sizeof(char *), 1, max, NULL}
const struct conf_row conf_initial_rows[] = {
	TEXT("object", object, 64),
	TEXT("index", index, 96),
	TEXT("port", port, IF_NAMESIZE - 1),
	{"value", conf_take_text, offsetof(struct conf_initial, value), sizeof(char *), 0, 0, NULL},
	{NULL, NULL, 0, 0, 0, 0, NULL}
};
static const struct conf_row item_row = {"", conf_take_group, 0, 0, 0, 0, conf_initial_rows};
/* clang-format on */

static bool is_ifindex(const char *name)
{
	size_t n = strlen(name);

	return n >= 7 && (strcmp(name + n - 7, "IfIndex") == 0 || strcmp(name, "ifIndex") == 0);
}

/* Writes the names of the table's index objects, joined by ".", as the expected index. */
static void describe_index(const struct mo_table *table, char *buf, size_t size)
{
	size_t n = 0;

	for (unsigned i = 0; i < table->n_index && n < size; i++) {
		const char *name = table->index[i].name;

		n += (size_t)snprintf(buf + n, size - n, "%s%s%s", i ? "." : "", name,
				      is_ifindex(name) ? " as *" : "");
	}
}

/* Returns the part after that at p: strings have a fixed length. NULL: there is none. */
static char *next_part(char *p, const struct mo_index_part *part)
{
	for (uint32_t n = part->octets ? part->max : 1; p && n > 0; n--) {
		p = strchr(p, '.');
		p = p ? p + 1 : NULL;
	}
	return p;
}

/*
 * Returns whether the index is valid in the table and "*" is in the place of the ifIndex.
 * For the check "*" is replaced by a valid ifIndex, 1.
 */
static bool index_fits(const struct mo_table *table, const char *text)
{
	struct mo_index index = {.n = 0};
	char digits[96];
	unsigned part = 0;

	if (table->n_index == 0)
		return strcmp(text, "0") == 0;
	snprintf(digits, sizeof(digits), "%s", text);
	for (char *p = digits; p && part < table->n_index; part++) {
		bool star = p[0] == '*' && (p[1] == '.' || p[1] == '\0');

		if (star != is_ifindex(table->index[part].name))
			return false;
		if (star)
			*p = '1';
		p = next_part(p, &table->index[part]);
	}
	return mo_index_parse(digits, &index) && mo_index_valid(table, &index);
}

static bool check_index(struct reader *r, const config_setting_t *s, const struct mo_table *table,
			const struct conf_initial *item)
{
	const struct mo_column *col = mo_column_by_name(item->object, &table);
	bool by_value = mo_value_is_port(table, col) && strcmp(item->value, "*") == 0;
	bool star = strchr(item->index, '*') != NULL || by_value;
	char what[160];

	if (!index_fits(table, item->index)) {
		describe_index(table, what, sizeof(what));
		return conf_expected(r, config_setting_get_member(s, "index"), what);
	}
	if (star && !item->port)
		/* Message: Index or value stands for a port. Add `port` with a pattern. */
		return conf_fail(r, s, "expected a port, because the %s has a \"*\"",
				 by_value ? "value" : "index");
	if (!star && item->port)
		/* Message: The object is not an object of ports. Remove `port`. */
		return conf_fail(r, config_setting_get_member(s, "port"),
				 "expected no port, because the index of %s has no ifIndex",
				 table->name);
	return true;
}

/* The name that was meant, as dcbctl has it. Returns buf. */
static const char *hint(const char *object, char *buf, size_t size)
{
	struct suggest near = {.text = object};

	for (unsigned t = 0; t < MO_TABLES; t++) {
		const struct mo_table *table = mo_table((enum mo_table_id)t);

		for (unsigned i = 0; i < table->n_columns; i++)
			if (mo_is_writable(&table->columns[i]))
				suggest_offer(&near, table->columns[i].name);
	}
	return suggest_hint(&near, buf, size);
}

static bool check(struct reader *r, const config_setting_t *s, const struct conf_initial *item)
{
	const struct mo_table *table;
	const struct mo_column *col;
	struct mo_value value;
	char what[256];

	if (!item->object || !item->index || !item->value)
		/* Message: The entry lacks one of these settings. Add it. */
		return conf_fail(r, s, "expected object, index and value");
	col = mo_column_by_name(item->object, &table);
	if (!col || !mo_is_writable(col))
		/* Message: `dcbctl objects` lists the objects that can be set. */
		return conf_fail(r, config_setting_get_member(s, "object"),
				 "expected the name of a writable object, not \"%.64s\"%s",
				 item->object, hint(item->object, what, sizeof(what)));
	if (!check_index(r, s, table, item))
		return false;
	if (mo_value_is_port(table, col) && strcmp(item->value, "*") == 0)
		return true;
	if (mo_parse(col, item->value, &value) && mo_validate(col, &value) == MO_NO_ERROR)
		return true;
	mo_expected(col, what, sizeof(what));
	return conf_expected(r, config_setting_get_member(s, "value"), what);
}

static bool is_duplicate(const struct conf *conf, const struct conf_initial *item)
{
	for (const struct conf_initial *o = conf->initial; o < item; o++) {
		if (strcmp(o->object, item->object) == 0 && strcmp(o->index, item->index) == 0 &&
		    strcmp(o->port ? o->port : "", item->port ? item->port : "") == 0)
			return true;
	}
	return false;
}

static bool add_item(struct reader *r, const config_setting_t *e, void *base)
{
	struct conf *conf = base;
	struct conf_initial *item = &conf->initial[conf->n_initial];

	if (conf->n_initial == CONF_INITIAL_MAX)
		/* Message: as "expected at most %d patterns" */
		return conf_fail(r, e, "expected at most %d entries", CONF_INITIAL_MAX);
	conf->n_initial++; /* so that conf_free() frees an entry with an error, too */
	item->line = conf_line(r, e);
	if (!conf_take_group(r, e, &item_row, item) || !check(r, e, item))
		return false;
	if (is_duplicate(conf, item))
		/*
		 * Message: Two entries set the same object of the same row and ports. Remove one of
		 * them.
		 */
		return conf_fail(r, e, "%s.%s has an entry already", item->object, item->index);
	return true;
}

bool conf_take_initial(struct reader *r, const config_setting_t *s, const struct conf_row *row,
		       void *base)
{
	(void)row;
	(void)base;
	return conf_each(r, s, "a list ( { object = ...; }, ... )", add_item, conf_of(r));
}
