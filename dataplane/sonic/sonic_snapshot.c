/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/sonic/sonic_snapshot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include "dataplane/sonic/sonic_text.h"

#define BLOCK_OCTETS 65536
#define KEY_OCTETS   256 /* with the name of the table; longer ones are none of these tables */

struct block {
	SLIST_ENTRY(block) next;
	char octets[];
};

struct table {
	struct sonic_row *rows;
	unsigned n, room;
};

struct sonic_snapshot {
	struct sonic_rows rows;
	struct table tables[SONIC_TABLES];
	SLIST_HEAD(blocks, block) blocks;
	size_t left, total;  /* octets of the first block, of all */
	const char *failure; /* NULL: none */
};

/* A row that is asked for. */
struct want {
	enum sonic_table table;
	const char *key;
};

/* What reads a snapshot. */
struct reading {
	struct sonic_snapshot *s;
	struct sonic_db *db;
	const struct sonic_instance_conf *conf;
	enum sonic_db_name from;
	struct sonic_commands *commands;
	struct want *wants; /* one for each command */
	unsigned n, room;
};

/* --- memory -------------------------------------------------------------------------------- */

/* Returns octets that last as long as the snapshot, aligned; NULL: failure is set. */
static void *reserve(struct sonic_snapshot *s, size_t size)
{
	struct block *block = SLIST_FIRST(&s->blocks);
	size_t most;

	size = (size + 7) & ~(size_t)7;
	if (size > s->left) {
		most = size > BLOCK_OCTETS ? size : BLOCK_OCTETS;
		if (most > SONIC_SNAPSHOT_OCTETS - s->total) {
			s->failure = "its tables have more octets than those of a switch";
			return NULL;
		}
		block = malloc(sizeof(*block) + most);
		if (!block) {
			s->failure = "out of memory";
			return NULL;
		}
		SLIST_INSERT_HEAD(&s->blocks, block, next);
		s->left = most;
		s->total += most;
	}
	s->left -= size;
	return block->octets + s->left;
}

static const char *keep(struct sonic_snapshot *s, const char *text)
{
	size_t size = strlen(text) + 1;
	char *to = reserve(s, size);

	return to ? memcpy(to, text, size) : NULL;
}

/* Grows an array. Returns false, with failure set, if out of memory. */
static bool grow(struct sonic_snapshot *s, void **of, size_t size, unsigned n, unsigned *room)
{
	unsigned more = *room ? *room * 2 : 64;
	void *at;

	if (n < *room)
		return true;
	at = realloc(*of, more * size);
	if (!at) {
		s->failure = "out of memory";
		return false;
	}
	*of = at;
	*room = more;
	return true;
}

/* --- rows ---------------------------------------------------------------------------------- */

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct sonic_field *)a)->name, ((const struct sonic_field *)b)->name);
}

static int by_key(const void *a, const void *b)
{
	return strcmp(((const struct sonic_row *)a)->key, ((const struct sonic_row *)b)->key);
}

/* Copies the answer of HGETALL. Returns NULL, with failure set, if it is none. */
static struct sonic_field *keep_fields(struct sonic_snapshot *s, const struct sonic_reply *reply)
{
	struct sonic_field *fields = reserve(s, reply->n / 2 * sizeof(*fields));

	if (fields && reply->n % 2 != 0)
		s->failure = "an answer of HGETALL has no pairs";
	for (unsigned i = 0; i < reply->n / 2 && !s->failure; i++) {
		const char *name = reply->values[2 * i], *value = reply->values[2 * i + 1];

		if (!name || !value)
			s->failure = "an answer of HGETALL has no pairs";
		else
			fields[i] = (struct sonic_field){keep(s, name), keep(s, value)};
	}
	if (!s->failure)
		qsort(fields, reply->n / 2, sizeof(*fields), by_name);
	return s->failure ? NULL : fields;
}

static void take_row(void *arg, unsigned i, const struct sonic_reply *reply)
{
	struct reading *r = arg;
	const struct want *want = &r->wants[i];
	struct table *t = &r->s->tables[want->table];
	void *rows = t->rows;
	struct sonic_field *fields;

	/* A row without fields has been deleted since its key was read. */
	if (r->s->failure || reply->n == 0)
		return;
	fields = keep_fields(r->s, reply);
	if (fields && grow(r->s, &rows, sizeof(*t->rows), t->n, &t->room)) {
		t->rows = rows;
		t->rows[t->n++] = (struct sonic_row){want->key, fields, reply->n / 2};
	}
}

/* --- requests ----------------------------------------------------------------------------- */

/* Adds the command for a row. key: without the table; NULL: the table is one row. */
static void want(struct reading *r, enum sonic_table table, const char *key)
{
	char name[KEY_OCTETS];
	const char *const words[] = {"HGETALL", name};
	const char *separator = r->conf->db[r->from].separator;
	void *wants = r->wants;
	const char *kept;

	if (snprintf(name, sizeof(name), "%s%s%s", sonic_tables[table].name, key ? separator : "",
		     key ? key : "") >= (int)sizeof(name))
		return;
	if (!(kept = keep(r->s, key ? key : "")) ||
	    !grow(r->s, &wants, sizeof(*r->wants), r->n, &r->room))
		return;
	r->wants = wants;
	if (!sonic_commands_add(r->commands, 2, words))
		r->s->failure = "out of memory";
	else
		r->wants[r->n++] = (struct want){table, kept};
}

/* Wants a row if its key is of one of the tables of this database. */
static bool want_scanned(void *arg, const char *key)
{
	struct reading *r = arg;
	const char *separator = r->conf->db[r->from].separator;
	const char *end = strstr(key, separator);
	size_t len = end ? (size_t)(end - key) : 0;

	for (unsigned t = 0; t < SONIC_TABLES && end; t++)
		if (sonic_tables[t].db == r->from && strlen(sonic_tables[t].name) == len &&
		    memcmp(sonic_tables[t].name, key, len) == 0)
			want(r, (enum sonic_table)t, end + strlen(separator));
	return r->s->failure == NULL;
}

/* Wants a row of a table for each row of another one. */
static void want_as(struct reading *r, enum sonic_table table, const struct table *of)
{
	for (unsigned i = 0; i < of->n && !r->s->failure; i++)
		want(r, table, of->rows[i].key);
}

/* Wants the rows of APPL_DB. Ports are known; of the others the scan or before has the keys. */
static bool want_app(struct reading *r, const struct sonic_snapshot *before)
{
	want_as(r, SONIC_APP_PORT, &r->s->tables[SONIC_PORT]);
	if (!before)
		return sonic_db_scan(r->db, "BUFFER_P*", want_scanned, r);
	for (unsigned t = SONIC_APP_BUFFER_PG; t <= SONIC_APP_BUFFER_POOL; t++)
		want_as(r, (enum sonic_table)t, &before->tables[t]);
	return true;
}

static bool want_all(struct reading *r, const struct sonic_snapshot *before)
{
	switch (r->from) {
	case SONIC_DB_CONFIG:
		return sonic_db_scan(r->db, "*", want_scanned, r);
	case SONIC_DB_APPL:
		return want_app(r, before);
	case SONIC_DB_STATE:
		want_as(r, SONIC_STATE_PORT, &r->s->tables[SONIC_PORT]);
		return true;
	default:
		want(r, SONIC_PORT_NAMES, NULL);
		want(r, SONIC_QUEUE_NAMES, NULL);
		want(r, SONIC_PG_NAMES, NULL);
		return true;
	}
}

/* Sorts the rows of a table, and removes those whose key was scanned twice. */
static void sort(struct sonic_snapshot *s, enum sonic_table table)
{
	struct table *t = &s->tables[table];
	unsigned kept = 0;

	if (t->n)
		qsort(t->rows, t->n, sizeof(*t->rows), by_key);
	for (unsigned i = 0; i < t->n; i++)
		if (kept == 0 || strcmp(t->rows[kept - 1].key, t->rows[i].key) != 0)
			t->rows[kept++] = t->rows[i];
	t->n = kept;
	s->rows.of[table].rows = t->rows;
	s->rows.of[table].n = t->n;
}

/* Reads the tables of a database. Returns false with err set. */
static bool read_db(struct sonic_snapshot *s, struct sonic_db *db, enum sonic_db_name from,
		    const struct sonic_instance_conf *conf, const struct sonic_snapshot *before,
		    char *err, size_t errlen)
{
	struct reading r = {.s = s, .db = db, .conf = conf, .from = from};
	bool ok;

	r.commands = sonic_commands_new();
	if (!r.commands)
		s->failure = "out of memory";
	ok = !s->failure && want_all(&r, before) && !s->failure &&
	     sonic_db_run(db, r.commands, take_row, &r) && !s->failure;
	if (!ok)
		snprintf(err, errlen, "%s%s", s->failure ? "tables of SONiC: " : "",
			 s->failure ? s->failure : sonic_db_error(db));
	for (unsigned t = 0; t < SONIC_TABLES && ok; t++)
		if (sonic_tables[t].db == from)
			sort(s, (enum sonic_table)t);
	sonic_commands_free(r.commands);
	free(r.wants);
	return ok;
}

struct sonic_snapshot *sonic_snapshot_read(struct sonic_db *const dbs[SONIC_DBS],
					   const struct sonic_instance_conf *conf,
					   const struct sonic_snapshot *before, char *err,
					   size_t errlen)
{
	/* Those of APPL_DB and STATE_DB need the ports. None is in ASIC_DB. */
	static const enum sonic_db_name order[] = {SONIC_DB_COUNTERS, SONIC_DB_CONFIG,
						   SONIC_DB_APPL, SONIC_DB_STATE};
	struct sonic_snapshot *s = calloc(1, sizeof(*s));

	if (!s) {
		snprintf(err, errlen, "out of memory");
		return NULL;
	}
	SLIST_INIT(&s->blocks);
	for (unsigned i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
		if (read_db(s, dbs[order[i]], order[i], conf, before, err, errlen))
			continue;
		sonic_snapshot_free(s);
		return NULL;
	}
	return s;
}

const struct sonic_rows *sonic_snapshot_rows(const struct sonic_snapshot *s)
{
	return &s->rows;
}

void sonic_snapshot_free(struct sonic_snapshot *s)
{
	struct block *block;

	if (!s)
		return;
	while ((block = SLIST_FIRST(&s->blocks))) {
		SLIST_REMOVE_HEAD(&s->blocks, next);
		free(block);
	}
	for (unsigned t = 0; t < SONIC_TABLES; t++)
		free(s->tables[t].rows);
	free(s);
}
