/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/cli/target.h"

#include <ctype.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char *const aliases[] = {
#define TABLE(id, ...) [MO_##id] = #id,
#include "mibs/all.def"
};

const char *target_alias(const struct mo_table *table)
{
	return aliases[table->id];
}

static bool is_called(const char *name, const char *text)
{
	static const char *const prefixes[] = {"", "ieee8021", "lldpXdot1dcbx"};

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
		size_t n = strlen(prefixes[i]);

		if (strncmp(name, prefixes[i], n) == 0 && strcasecmp(name + n, text) == 0)
			return true;
	}
	return false;
}

static bool find(const char *name, struct target *target)
{
	for (unsigned id = 0; id < MO_TABLES; id++) {
		const struct mo_table *t = mo_table((enum mo_table_id)id);

		target->table = t;
		target->col = NULL;
		if (strcmp(aliases[id], name) == 0 || is_called(t->name, name))
			return true;
		for (unsigned i = 0; i < t->n_columns; i++) {
			target->col = &t->columns[i];
			if (is_called(target->col->name, name))
				return true;
		}
	}
	return false;
}

bool target_parse(const char *text, struct target *target, char *err, size_t errlen)
{
	size_t n = strcspn(text, ".");
	char name[128];

	memset(target, 0, sizeof(*target));
	snprintf(name, sizeof(name), "%.*s", (int)n, text);
	if (n >= sizeof(name) || !find(name, target)) {
		snprintf(err, errlen,
			 "unknown table or object \"%s\"; \"dcbctl objects\" lists them", name);
		return false;
	}
	return text[n] == '\0' || target_parse_index(text + n + 1, target, err, errlen);
}

/*
 * Returns the part of the index that sub-identifier number i belongs to; NULL:
 * the index is shorter.
 */
static const struct mo_index_part *part_at(const struct mo_table *table, unsigned i)
{
	for (unsigned p = 0, at = 0; p < table->n_index; p++) {
		at += table->index[p].octets ? table->index[p].max : 1;
		if (i < at)
			return &table->index[p];
	}
	return NULL;
}

static bool is_ifindex(const struct mo_index_part *part)
{
	size_t n = strlen(part->name);

	return n >= 7 && strcasecmp(part->name + n - 7, "ifIndex") == 0;
}

static bool parse_number(const char *text, uint32_t min, uint32_t max, uint32_t *sub)
{
	unsigned long long v;
	char *end;

	if (!isdigit((unsigned char)text[0]))
		return false;
	v = strtoull(text, &end, 10);
	*sub = (uint32_t)v;
	return *end == '\0' && v >= min && v <= max;
}

static bool parse_sub(const struct target *target, unsigned i, const char *text, uint32_t *sub,
		      char *err, size_t errlen)
{
	const struct mo_index_part *part = part_at(target->table, i);
	uint32_t min = 0, max = UINT8_MAX;

	if (target->table->n_index == 0 && i == 0) {
		snprintf(err, errlen, "index of %s: expected 0, not \"%s\"", target->table->name,
			 text);
		return parse_number(text, 0, 0, sub);
	}
	if (!part) {
		snprintf(err, errlen, "index of %s: expected at most %u numbers",
			 target->table->name, target->table->index_len);
		return false;
	}
	if (!part->octets) {
		min = part->min;
		max = part->max;
	}
	if (parse_number(text, min, max, sub))
		return true;
	if (is_ifindex(part)) {
		*sub = if_nametoindex(text);
		snprintf(err, errlen, "%s: expected %u..%u or the name of an interface, not \"%s\"",
			 part->name, min, max, text);
		return *sub != 0;
	}
	snprintf(err, errlen, "%s: expected %u..%u, not \"%s\"", part->name, min, max, text);
	return false;
}

bool target_parse_index(const char *text, struct target *target, char *err, size_t errlen)
{
	struct mo_index *index = &target->index;

	index->n = 0;
	for (;;) {
		size_t n = strcspn(text, ".");
		char part[64];

		snprintf(part, sizeof(part), "%.*s", (int)n, text);
		if (index->n == MO_INDEX_MAX) {
			snprintf(err, errlen, "index of %s: expected at most %u numbers",
				 target->table->name, target->table->index_len);
			return false;
		}
		if (!parse_sub(target, index->n, part, &index->sub[index->n], err, errlen))
			return false;
		index->n++;
		if (text[n] == '\0')
			return true;
		text += n + 1;
	}
}

bool target_has(const struct target *target, const struct mo_index *index)
{
	for (unsigned i = 0; i < target->index.n; i++) {
		if (i >= index->n || index->sub[i] != target->index.sub[i])
			return false;
	}
	return true;
}
