/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/sonic/sonic_text.h"

#include <stdio.h>
#include <string.h>

const struct sonic_row *sonic_row_find(const struct sonic_rows *rows, enum sonic_table table,
				       const char *key)
{
	unsigned from = 0, to = rows->of[table].n;

	while (from < to) {
		unsigned at = from + (to - from) / 2;
		int order = strcmp(key, rows->of[table].rows[at].key);

		if (order == 0)
			return &rows->of[table].rows[at];
		if (order < 0)
			to = at;
		else
			from = at + 1;
	}
	return NULL;
}

struct sonic_reader sonic_reader_of(const struct sonic_rows *rows, enum sonic_table table,
				    const char *key, char *error)
{
	return (struct sonic_reader){
	    .table = table, .row = sonic_row_find(rows, table, key), .error = error};
}

const char *sonic_raw_value(const struct sonic_reader *r, const char *field)
{
	unsigned from = 0, to = r->row ? r->row->n : 0;

	while (from < to) {
		unsigned at = from + (to - from) / 2;
		int order = strcmp(field, r->row->fields[at].name);

		if (order == 0)
			return r->row->fields[at].value;
		if (order < 0)
			to = at;
		else
			from = at + 1;
	}
	return NULL;
}

const char *sonic_value(const struct sonic_reader *r, const char *field)
{
	const char *value = sonic_raw_value(r, field);

	return value && value[0] && strcmp(value, "N/A") != 0 ? value : NULL;
}

void sonic_malformed(const struct sonic_reader *r, const char *field, const char *value,
		     const char *expected)
{
	if (r->error[0])
		return;
	snprintf(r->error, SONIC_ERROR_OCTETS, "%s|%.40s %.24s: \"%.32s\", expected %s",
		 sonic_tables[r->table].name, r->row ? r->row->key : "", field, value, expected);
}

bool sonic_number(const char *text, uint64_t max, uint64_t *out)
{
	uint64_t value = 0;

	if (text[0] == '\0')
		return false;
	for (; *text; text++) {
		unsigned digit = (unsigned)(*text - '0');

		if (digit > 9 || value > (UINT64_MAX - digit) / 10)
			return false;
		value = value * 10 + digit;
	}
	if (value > max)
		return false;
	*out = value;
	return true;
}

bool sonic_read_number(const struct sonic_reader *r, const char *field, uint64_t min, uint64_t max,
		       uint64_t *out)
{
	const char *text = sonic_value(r, field);
	char expected[56];
	uint64_t value;

	if (!text)
		return false;
	if (sonic_number(text, max, &value) && value >= min) {
		*out = value;
		return true;
	}
	snprintf(expected, sizeof(expected), "%llu to %llu", (unsigned long long)min,
		 (unsigned long long)max);
	sonic_malformed(r, field, text, expected);
	return false;
}

bool sonic_read_word(const struct sonic_reader *r, const char *field, unsigned n,
		     const char *const words[], unsigned *out)
{
	const char *text = sonic_value(r, field);
	char expected[56] = "";
	size_t at = 0;

	if (!text)
		return false;
	for (unsigned i = 0; i < n; i++) {
		if (strcmp(text, words[i]) == 0) {
			*out = i;
			return true;
		}
		at += (size_t)snprintf(expected + at,
				       at < sizeof(expected) ? sizeof(expected) - at : 0, "%s%s",
				       i ? " or " : "", words[i]);
		if (at >= sizeof(expected))
			at = sizeof(expected) - 1;
	}
	sonic_malformed(r, field, text, expected);
	return false;
}

bool sonic_read_name(const struct sonic_reader *r, const char *field, size_t size, char *out)
{
	const char *text = sonic_value(r, field), *name = text;
	size_t len = text ? strlen(text) : 0;

	if (!text)
		return false;
	if (text[0] == '[' && text[len - 1] == ']') {
		name = text + 1 + strcspn(text + 1, "|:");
		len = (size_t)(text + len - 1 - name);
		name += len > 0;
		len -= len > 0;
	}
	if (len == 0 || len >= size) {
		sonic_malformed(r, field, text, "a name");
		return false;
	}
	memcpy(out, name, len);
	out[len] = '\0';
	return true;
}

bool sonic_read_oid(const char *text, uint64_t *oid)
{
	static const char prefix[] = "oid:0x", digits[] = "0123456789abcdef";
	size_t start = sizeof(prefix) - 1, len = strlen(text);
	uint64_t value = 0;

	if (len <= start || len > start + 16 || memcmp(text, prefix, start) != 0)
		return false;
	for (size_t i = start; i < len; i++) {
		const char *digit = strchr(
		    digits, text[i] >= 'A' && text[i] <= 'F' ? text[i] - 'A' + 'a' : text[i]);

		if (!digit)
			return false;
		value = value << 4 | (uint64_t)(digit - digits);
	}
	if (value == 0)
		return false;
	*oid = value;
	return true;
}

bool sonic_list_has(const char *list, size_t len, const char *name)
{
	size_t own = strlen(name);

	while (len > 0) {
		const char *comma = memchr(list, ',', len);
		size_t one = comma ? (size_t)(comma - list) : len;

		if (one == own && memcmp(list, name, own) == 0)
			return true;
		list += one + (comma != NULL);
		len -= one + (comma != NULL);
	}
	return false;
}

/* Whether a range, as 3 or 3-4, has a number of one digit. */
static bool range_has(const char *range, unsigned number)
{
	unsigned from = (unsigned)(range[0] - '0'), to;

	if (from > 9)
		return false;
	if (range[1] != '-')
		return range[1] == '\0' && number == from;
	to = (unsigned)(range[2] - '0');
	if (to > 9)
		return false;
	/* A number with two digits is above all priorities. */
	if (range[3] >= '0' && range[3] <= '9')
		to = 9;
	else if (range[3] != '\0')
		return false;
	return from <= number && number <= to;
}

bool sonic_key_covers(const char *key, char separator, const char *here, const char *port,
		      unsigned number)
{
	const char *range = strrchr(key, separator);
	size_t prefix = strlen(here);

	if (!range)
		return false;
	if (prefix && strncasecmp(key, here, prefix) == 0)
		key += prefix;
	if (key > range)
		return false; /* a chassis, and no port */
	return sonic_list_has(key, (size_t)(range - key), port) && range_has(range + 1, number);
}
