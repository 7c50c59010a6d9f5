/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rows of SONiC's databases from commands of redis, as tests/sonic/switch.sh prints them, without
 * redis: SELECT NUMBER, HSET KEY FIELD VALUE..., HDEL KEY FIELD..., DEL KEY. Words are between
 * blanks; "" is an empty one. All other lines are ignored.
 */
#ifndef DCB_TESTS_SONIC_COMMANDS_H
#define DCB_TESTS_SONIC_COMMANDS_H

#include <stdlib.h>
#include <string.h>

#include "dataplane/sonic/sonic_tables.h"

#define COMMANDS_WORDS 512

struct commands_row {
	enum sonic_table table;
	const char *key;
	struct sonic_field *fields;
	unsigned n;
};

struct commands {
	unsigned db;
	struct commands_row *all;
	unsigned n;
	char **texts; /* which the words are in */
	unsigned n_texts;
	struct sonic_row *rows; /* those of the tables, one table after the other */
	struct sonic_rows of;
};

/* Whether a key is of a table: *row is the rest of the key. */
static inline bool commands_is_of(const char *key, unsigned db, enum sonic_table table,
				  const char **row)
{
	static const unsigned numbers[SONIC_DBS] = {[SONIC_DB_APPL] = 0,
						    [SONIC_DB_COUNTERS] = 2,
						    [SONIC_DB_CONFIG] = 4,
						    [SONIC_DB_STATE] = 6};
	const char *name = sonic_tables[table].name;
	size_t len = strlen(name);

	if (numbers[sonic_tables[table].db] != db || strncmp(key, name, len) != 0)
		return false;
	*row = key + len + (key[len] != '\0');
	return key[len] == (table >= SONIC_PORT_NAMES ? '\0' : db == 4 || db == 6 ? '|' : ':');
}

/* Returns the row of a key, a new one if it has none; NULL: it is of no table. */
static inline struct commands_row *commands_row(struct commands *c, const char *key)
{
	struct commands_row *found = NULL;
	const char *row = NULL;
	unsigned t = 0;

	while (t < SONIC_TABLES && !commands_is_of(key, c->db, (enum sonic_table)t, &row))
		t++;
	if (t == SONIC_TABLES)
		return NULL;
	for (unsigned i = 0; i < c->n && !found; i++)
		if (c->all[i].table == t && strcmp(c->all[i].key, row) == 0)
			found = &c->all[i];
	if (found)
		return found;
	c->all = realloc(c->all, (c->n + 1) * sizeof(*c->all));
	c->all[c->n] = (struct commands_row){.table = (enum sonic_table)t, .key = row};
	return &c->all[c->n++];
}

static inline void commands_unset(struct commands_row *row, const char *field)
{
	for (unsigned i = 0; i < row->n; i++)
		if (strcmp(row->fields[i].name, field) == 0)
			row->fields[i--] = row->fields[--row->n];
}

static inline void commands_set(struct commands_row *row, const char *field, const char *value)
{
	commands_unset(row, field);
	row->fields = realloc(row->fields, (row->n + 1) * sizeof(*row->fields));
	row->fields[row->n++] = (struct sonic_field){field, value};
}

/* Runs one command of n words. */
static inline void commands_one(struct commands *c, char *const words[], unsigned n)
{
	struct commands_row *row = NULL;

	if (n == 2 && strcmp(words[0], "SELECT") == 0)
		c->db = (unsigned)strtoul(words[1], NULL, 10);
	else if (n >= 2)
		row = commands_row(c, words[1]);
	if (!row)
		return;
	if (strcmp(words[0], "DEL") == 0)
		row->n = 0;
	for (unsigned i = 2; i + 1 < n && strcmp(words[0], "HSET") == 0; i += 2)
		commands_set(row, words[i], words[i + 1]);
	for (unsigned i = 2; i < n && strcmp(words[0], "HDEL") == 0; i++)
		commands_unset(row, words[i]);
}

static inline int commands_by_key(const void *a, const void *b)
{
	return strcmp(((const struct sonic_row *)a)->key, ((const struct sonic_row *)b)->key);
}

static inline int commands_by_name(const void *a, const void *b)
{
	return strcmp(((const struct sonic_field *)a)->name, ((const struct sonic_field *)b)->name);
}

/* Sorts the rows, and those that have fields into their tables. */
static inline void commands_sort(struct commands *c)
{
	unsigned at = 0;

	free(c->rows);
	c->rows = calloc(c->n + 1, sizeof(*c->rows));
	for (unsigned t = 0; t < SONIC_TABLES; t++) {
		unsigned from = at;

		for (unsigned i = 0; i < c->n; i++) {
			const struct commands_row *row = &c->all[i];

			if (row->table != t || row->n == 0)
				continue;
			qsort(row->fields, row->n, sizeof(*row->fields), commands_by_name);
			c->rows[at++] = (struct sonic_row){row->key, row->fields, row->n};
		}
		qsort(c->rows + from, at - from, sizeof(*c->rows), commands_by_key);
		c->of.of[t].rows = c->rows + from;
		c->of.of[t].n = at - from;
	}
}

/* Runs len octets of commands, after those before. Their rows are c->of. */
static inline void commands_run(struct commands *c, const char *octets, size_t len)
{
	char *text = malloc(len + 1), *line, *lines = text, *words[COMMANDS_WORDS];

	for (size_t i = 0; i < len; i++)
		text[i] =
		    octets[i] == '\n' || (octets[i] >= ' ' && octets[i] <= '~') ? octets[i] : '?';
	text[len] = '\0';
	c->texts = realloc(c->texts, (c->n_texts + 1) * sizeof(*c->texts));
	c->texts[c->n_texts++] = text;
	while ((line = strsep(&lines, "\n"))) {
		unsigned n = 0;
		char *word;

		while ((word = strsep(&line, " ")) && n < COMMANDS_WORDS)
			if (word[0])
				words[n++] = strcmp(word, "\"\"") == 0 ? word + 2 : word;
		commands_one(c, words, n);
	}
	commands_sort(c);
}

static inline void commands_free(struct commands *c)
{
	for (unsigned i = 0; i < c->n; i++)
		free(c->all[i].fields);
	for (unsigned i = 0; i < c->n_texts; i++)
		free(c->texts[i]);
	free(c->all);
	free(c->texts);
	free(c->rows);
	*c = (struct commands){.db = 0};
}

#endif
