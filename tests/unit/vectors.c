/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/unit.h"
#include "tests/unit/vectors.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

/* Reads one CSV field without quotes. Returns the start of the next one; NULL: the last. */
static const char *csv_field(const char *line, char field[VECTOR_TEXT_MAX])
{
	bool quoted = false;
	size_t n = 0;

	for (; *line && (quoted || (*line != ',' && *line != '\n' && *line != '\r')); line++) {
		if (*line == '"') {
			quoted = !quoted;
			continue;
		}
		assert_true(n + 1 < VECTOR_TEXT_MAX);
		field[n++] = *line;
	}
	field[n] = '\0';
	return *line == ',' ? line + 1 : NULL;
}

static bool csv_row(const char *line, struct vector *v)
{
	char *fields[] = {v->id, v->group, v->inputs, v->outputs};

	for (size_t i = 0; i < UNIT_COUNT(fields); i++) {
		if (!line)
			return false;
		line = csv_field(line, fields[i]);
	}
	return true;
}

unsigned int vectors_each(const char *file, const char *group, void (*row)(const struct vector *))
{
	const char *srcdir = getenv("DCB_SRCDIR");
	char path[4096], line[4 * VECTOR_TEXT_MAX];
	static struct vector v;
	unsigned int n = 0;
	FILE *f;

	snprintf(path, sizeof(path), "%s/tests/vectors/%s", srcdir ? srcdir : ".", file);
	f = fopen(path, "r");
	if (!f)
		fail_msg("%s: cannot open (run it by make check, or set DCB_SRCDIR)", path);
	while (fgets(line, sizeof(line), f)) {
		if (!csv_row(line, &v))
			fail_msg("%s: malformed row: %s", path, line);
		if (strcmp(v.group, group) != 0)
			continue;
		n++;
		row(&v);
	}
	fclose(f);
	return n;
}

const char *vector_text(const struct vector *v, const char *list, const char *key)
{
	static char text[VECTOR_TEXT_MAX];
	size_t key_len = strlen(key), len;

	for (const char *at = list; at; at = strchr(at, ';')) {
		at += *at == ';';
		if (strncmp(at, key, key_len) != 0 || at[key_len] != '=')
			continue;
		at += key_len + 1;
		len = strcspn(at, ";");
		memcpy(text, at, len);
		text[len] = '\0';
		return text;
	}
	fail_msg("vector %s: no %s in \"%s\"", v->id, key, list);
	return NULL;
}

int64_t vector_int(const struct vector *v, const char *list, const char *key)
{
	const char *text = vector_text(v, list, key);
	char *end;
	long long num;

	errno = 0;
	num = strtoll(text, &end, 10);
	if (errno || end == text || *end)
		fail_msg("vector %s: %s is not a whole number: \"%s\"", v->id, key, text);
	return num;
}

double vector_num(const struct vector *v, const char *list, const char *key)
{
	const char *text = vector_text(v, list, key);
	char *end;
	double num = strtod(text, &end);

	if (end == text || *end)
		fail_msg("vector %s: %s is not a number: \"%s\"", v->id, key, text);
	return num;
}
