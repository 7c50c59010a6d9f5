/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/sonic/sonic_poll.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dataplane/sonic/sonic_counters.h"
#include "dataplane/sonic/sonic_text.h"

#define WORDS_MAX (2 + SONIC_PORT_FIELDS)

enum kind {
	KIND_NAMES,
	KIND_STAMPS,
	KIND_LINK,
	KIND_PORT,
	KIND_QUEUE,
	KIND_PG,
	KIND_PG_PEAKS,
	KIND_QUEUE_PEAKS,
	KIND_ASIC
};

/* What the answer of a command is. */
struct entry {
	enum kind kind;
	unsigned number; /* of the queue or PG */
	struct sonic_polled *of;
};

struct list {
	struct sonic_commands *commands;
	struct entry *entries;
	unsigned n, room;
};

struct sonic_poll {
	const struct sonic_instance_conf *conf;
	const struct sonic_rows *rows;
	char asic_table[40];
	struct list links, asic, often, rarely;
	/* Of the answers that are being taken. */
	const struct list *list;
	struct sonic_stamps *stamps;
	bool changed, malformed;
	char error[SONIC_DB_ERROR];
};

/* The fields of each kind. */
static const struct fields {
	unsigned n;
	const char *const *names;
} fields_of[] = {
    [KIND_LINK] = {2, (const char *const[]){"oper_status", "admin_status"}},
    [KIND_PORT] = {SONIC_PORT_FIELDS, sonic_port_fields},
    [KIND_QUEUE] = {SONIC_QUEUE_FIELDS, sonic_queue_fields},
    [KIND_PG] = {SONIC_PG_FIELDS, sonic_pg_fields},
    [KIND_PG_PEAKS] = {SONIC_PG_PEAKS, sonic_pg_peaks},
    [KIND_QUEUE_PEAKS] = {SONIC_QUEUE_PEAKS, sonic_queue_peaks},
    [KIND_ASIC] = {SONIC_ASIC_FIELDS, sonic_asic_fields},
};

/* --- commands ------------------------------------------------------------------------------ */

static bool add(struct list *l, const struct entry *entry, unsigned n, const char *const words[])
{
	struct entry *entries;

	if (l->n == l->room) {
		l->room = l->room ? l->room * 2 : 64;
		entries = realloc(l->entries, l->room * sizeof(*entries));
		if (!entries)
			return false;
		l->entries = entries;
	}
	l->entries[l->n] = *entry;
	if (!sonic_commands_add(l->commands, n, words))
		return false;
	l->n++;
	return true;
}

static bool add_fields(struct list *l, const struct entry *entry, const char *key)
{
	const struct fields *fields = &fields_of[entry->kind];
	const char *words[WORDS_MAX] = {"HMGET", key};

	for (unsigned i = 0; i < fields->n; i++)
		words[2 + i] = fields->names[i];
	return add(l, entry, 2 + fields->n, words);
}

/* Adds the row of an object of SAI; 0: none. */
static bool add_object(const struct sonic_poll *p, struct list *l, enum kind kind,
		       const char *table, struct sonic_polled *of, unsigned number, uint64_t oid)
{
	const struct entry entry = {.kind = kind, .number = number, .of = of};
	char key[96];

	if (oid == 0)
		return true;
	snprintf(key, sizeof(key), "%s%soid:0x%" PRIx64, table,
		 p->conf->db[kind == KIND_ASIC ? SONIC_DB_ASIC : SONIC_DB_COUNTERS].separator, oid);
	return add_fields(l, &entry, key);
}

static bool add_link(const struct sonic_poll *p, struct list *l, struct sonic_polled *of)
{
	const struct entry entry = {.kind = KIND_LINK, .of = of};
	char key[64];

	snprintf(key, sizeof(key), "%s%s%s", sonic_tables[SONIC_APP_PORT].name,
		 p->conf->db[SONIC_DB_APPL].separator, of->port.name);
	return add_fields(l, &entry, key);
}

/* Returns the queues with a watchdog, one bit each. */
static unsigned watched(const struct sonic_port *port)
{
	unsigned queues = 0;

	for (unsigned i = 0; i < DCB_PRIORITIES; i++)
		if ((port->priority[i].known & SONIC_QUEUE_OF) &&
		    ((port->pfc_enable | port->pfcwd_enable) >> i & 1))
			queues |= 1u << port->priority[i].queue;
	return queues;
}

static bool add_port(struct sonic_poll *p, struct sonic_polled *of)
{
	unsigned often = watched(&of->port);
	bool ok = add_link(p, &p->links, of) &&
		  add_object(p, &p->asic, KIND_ASIC, p->asic_table, of, 0, of->oids.port) &&
		  add_object(p, &p->often, KIND_PORT, "COUNTERS", of, 0, of->oids.port);

	for (unsigned i = 0; i < DCB_PRIORITIES && ok; i++)
		ok = add_object(p, often >> i & 1 ? &p->often : &p->rarely, KIND_QUEUE, "COUNTERS",
				of, i, of->oids.queue[i]) &&
		     add_object(p, &p->rarely, KIND_PG, "COUNTERS", of, i, of->oids.pg[i]) &&
		     add_object(p, &p->rarely, KIND_PG_PEAKS, "USER_WATERMARKS", of, i,
				of->oids.pg[i]) &&
		     add_object(p, &p->rarely, KIND_QUEUE_PEAKS, "USER_WATERMARKS", of, i,
				of->oids.queue[i]);
	return ok;
}

static bool add_common(struct sonic_poll *p)
{
	const struct entry names = {.kind = KIND_NAMES}, stamps = {.kind = KIND_STAMPS};
	const char *const get_names[] = {"HGETALL", sonic_tables[SONIC_PORT_NAMES].name};
	char key[32];
	const char *const get_stamps[] = {"HGETALL", key};

	snprintf(key, sizeof(key), "COUNTERS%sTIME_STAMP",
		 p->conf->db[SONIC_DB_COUNTERS].separator);
	return add(&p->often, &names, 2, get_names) && add(&p->often, &stamps, 2, get_stamps);
}

struct sonic_poll *sonic_poll_new(const struct sonic_instance_conf *conf,
				  const struct sonic_snapshot *s,
				  struct sonic_polled *const ports[], unsigned n)
{
	struct sonic_poll *p = calloc(1, sizeof(*p));
	bool ok;

	if (!p)
		return NULL;
	p->conf = conf;
	p->rows = sonic_snapshot_rows(s);
	snprintf(p->asic_table, sizeof(p->asic_table), "ASIC_STATE%sSAI_OBJECT_TYPE_PORT",
		 conf->db[SONIC_DB_ASIC].separator);
	p->links.commands = sonic_commands_new();
	p->asic.commands = sonic_commands_new();
	p->often.commands = sonic_commands_new();
	p->rarely.commands = sonic_commands_new();
	ok = p->links.commands && p->asic.commands && p->often.commands && p->rarely.commands &&
	     add_common(p);
	for (unsigned i = 0; i < n && ok; i++)
		ok = add_port(p, ports[i]);
	if (ok)
		return p;
	sonic_poll_free(p);
	return NULL;
}

static void free_list(struct list *l)
{
	sonic_commands_free(l->commands);
	free(l->entries);
}

void sonic_poll_free(struct sonic_poll *p)
{
	if (!p)
		return;
	free_list(&p->links);
	free_list(&p->asic);
	free_list(&p->often);
	free_list(&p->rarely);
	free(p);
}

const char *sonic_poll_error(const struct sonic_poll *p)
{
	return p->error;
}

/* --- answers ------------------------------------------------------------------------------- */

/* Whether a field has this value. NULL: it has none. */
static bool is_value(const struct sonic_reader *r, const char *field, const char *value)
{
	const char *was = sonic_raw_value(r, field);

	return was == value || (was && value && strcmp(was, value) == 0);
}

static void take_names(struct sonic_poll *p, const struct sonic_reply *reply)
{
	char ignored[SONIC_ERROR_OCTETS];
	struct sonic_reader r = sonic_reader_of(p->rows, SONIC_PORT_NAMES, "", ignored);

	p->changed |= reply->n / 2 != (r.row ? r.row->n : 0);
	for (unsigned i = 0; i + 1 < reply->n && !p->changed; i += 2)
		p->changed =
		    !reply->values[i] || !is_value(&r, reply->values[i], reply->values[i + 1]);
}

static void take_stamps(struct sonic_poll *p, const struct sonic_reply *reply)
{
	static const char *const names[SONIC_GROUPS] = {
	    [SONIC_GROUP_PORT] = "PORT_STAT_COUNTER_Port_Counter_time_stamp",
	    [SONIC_GROUP_WATCHDOG] = "PFC_WD_Port_Counter_time_stamp",
	    [SONIC_GROUP_PG_DROPS] = "PG_DROP_STAT_COUNTER_Priority_Group_Counter_time_stamp",
	    [SONIC_GROUP_PG_WATERMARKS] =
		"PG_WATERMARK_STAT_COUNTER_Priority_Group_Counter_time_stamp",
	    [SONIC_GROUP_QUEUE_WATERMARKS] =
		"QUEUE_WATERMARK_STAT_COUNTER_Queue_Counter_time_stamp",
	};

	memset(p->stamps, 0, sizeof(*p->stamps));
	for (unsigned i = 0; i + 1 < reply->n; i += 2)
		for (unsigned g = 0; g < SONIC_GROUPS; g++)
			if (reply->values[i] && reply->values[i + 1] &&
			    strcmp(reply->values[i], names[g]) == 0)
				snprintf(p->stamps->of[g], sizeof(p->stamps->of[g]), "%s",
					 reply->values[i + 1]);
}

static void take_link(struct sonic_poll *p, const struct sonic_polled *of,
		      const struct sonic_reply *reply)
{
	char ignored[SONIC_ERROR_OCTETS];
	struct sonic_reader r = sonic_reader_of(p->rows, SONIC_APP_PORT, of->port.name, ignored);
	const struct fields *fields = &fields_of[KIND_LINK];

	for (unsigned i = 0; i < fields->n; i++)
		p->changed |= !is_value(&r, fields->names[i], reply->values[i]);
}

static void take_fields(struct sonic_poll *p, const struct entry *entry,
			const struct sonic_reply *reply)
{
	struct sonic_port *port = &entry->of->port;

	switch (entry->kind) {
	case KIND_LINK:
		take_link(p, entry->of, reply);
		break;
	case KIND_PORT:
		sonic_take_port(port, reply->values);
		break;
	case KIND_QUEUE:
		sonic_take_queue(port, entry->number, reply->values);
		break;
	case KIND_ASIC:
		sonic_take_asic(port, reply->values);
		break;
	case KIND_PG:
		sonic_take_pg(port, entry->number, reply->values);
		break;
	case KIND_PG_PEAKS:
		sonic_take_pg_peaks(port, entry->number, reply->values);
		break;
	default:
		sonic_take_queue_peaks(port, entry->number, reply->values);
		break;
	}
}

static void take(void *arg, unsigned i, const struct sonic_reply *reply)
{
	struct sonic_poll *p = arg;
	const struct entry *entry = &p->list->entries[i];

	if (entry->kind == KIND_NAMES)
		take_names(p, reply);
	else if (entry->kind == KIND_STAMPS)
		take_stamps(p, reply);
	else if (reply->n == fields_of[entry->kind].n)
		take_fields(p, entry, reply);
	else
		p->malformed = true;
}

static bool run(struct sonic_poll *p, const struct list *list, struct sonic_db *db)
{
	p->list = list;
	p->changed = p->malformed = false;
	if (!sonic_db_run(db, list->commands, take, p)) {
		snprintf(p->error, sizeof(p->error), "%s", sonic_db_error(db));
		return false;
	}
	if (p->malformed)
		snprintf(p->error, sizeof(p->error),
			 "redis: HMGET has not answered with a value for each field");
	return !p->malformed;
}

bool sonic_poll_links(struct sonic_poll *p, struct sonic_db *appl, bool *changed)
{
	bool ok = run(p, &p->links, appl);

	*changed = p->changed;
	return ok;
}

bool sonic_poll_asic(struct sonic_poll *p, struct sonic_db *asic)
{
	return run(p, &p->asic, asic);
}

bool sonic_poll_often(struct sonic_poll *p, struct sonic_db *counters, struct sonic_stamps *stamps,
		      bool *changed)
{
	bool ok;

	p->stamps = stamps;
	ok = run(p, &p->often, counters);
	*changed = p->changed;
	return ok;
}

bool sonic_poll_rarely(struct sonic_poll *p, struct sonic_db *counters)
{
	return run(p, &p->rarely, counters);
}
