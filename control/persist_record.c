/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/persist_record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "control/persist_text.h"
#include "lib/log.h"

/* --- one record ---------------------------------------------------------------------------- */

/* A port is the value of this object: the record has it, and the value is "*". */
static bool has_port_value(const struct mo_table *table, const struct mo_column *col,
			   const char *value)
{
	return mo_value_is_port(table, col) && strcmp(value, "*") == 0;
}

bool persist_record_is_unknown(const char *object)
{
	const struct mo_table *table;
	const struct mo_column *col = mo_column_by_name(object, &table);

	return !col || !mo_is_writable(col);
}

bool persist_record_parse(const char *object, const char *index, const char *value,
			  struct persist_record *r, char *err, size_t errlen)
{
	const struct mo_table *table;
	const struct mo_column *col = mo_column_by_name(object, &table);

	if (!col || !mo_is_writable(col)) {
		snprintf(err, errlen, "object \"%s\": expected the name of a writable object",
			 object);
		return false;
	}
	r->vb.table = table->id;
	r->vb.subid = col->subid;
	if (!persist_index_parse(table->id, index, &r->vb.index, &r->has_port)) {
		snprintf(err, errlen, "index \"%s\": expected %u numbers%s", index,
			 table->index_len,
			 mo_index_part(table, MO_PART_PORT) < 0 ? "" : ", \"*\" for the ifIndex");
		return false;
	}
	if (has_port_value(table, col, value)) {
		r->has_port = true;
		r->vb.value = (struct mo_value){.syntax = col->syntax, .num = 1};
		return true;
	}
	if (!mo_parse(col, value, &r->vb.value) || mo_validate(col, &r->vb.value) != MO_NO_ERROR) {
		snprintf(err, errlen, "value \"%s\": not a value of %s", value, col->name);
		return false;
	}
	return true;
}

void persist_record_set_port(struct persist_record *r, uint32_t ifindex)
{
	int part = mo_index_part(mo_table(r->vb.table), MO_PART_PORT);

	if (part >= 0)
		r->vb.index.sub[part] = ifindex;
	else
		r->vb.value.num = ifindex;
}

/* --- a growing list of varbinds -------------------------------------------------------------- */

bool persist_batch_add(struct persist_batch *b, const struct mo_varbind *vb, unsigned line)
{
	if (b->n == b->size) {
		size_t size = b->size ? 2 * b->size : 64;
		struct mo_varbind *vbs = realloc(b->vbs, size * sizeof(*vbs));
		unsigned *lines;

		if (!vbs)
			return false;
		b->vbs = vbs;
		lines = realloc(b->lines, size * sizeof(*lines));
		if (!lines)
			return false;
		b->lines = lines;
		b->size = size;
	}
	b->vbs[b->n] = *vb;
	b->lines[b->n++] = line;
	return true;
}

/* Returns whether a varbind is a setting of the port, other than a static entry. */
static bool is_of_port(const struct mo_varbind *vb, uint32_t ifindex)
{
	int part = mo_index_part(mo_table(vb->table), MO_PART_PORT);

	return part >= 0 && vb->index.sub[part] == ifindex;
}

/* Returns whether it is the first of the two varbinds of a static entry for the port. */
static bool is_static_of_port(const struct mo_varbind *vb, uint32_t ifindex)
{
	const struct mo_table *table = mo_table(vb->table);

	return mo_value_is_port(table, mo_column(table, vb->subid)) && vb->value.num == ifindex;
}

void persist_batch_drop_port(struct persist_batch *b, uint32_t ifindex)
{
	size_t n = 0;

	for (size_t i = 0; i < b->n; i++) {
		if (is_of_port(&b->vbs[i], ifindex))
			continue;
		if (is_static_of_port(&b->vbs[i], ifindex)) {
			i++; /* its RowStatus */
			continue;
		}
		b->vbs[n] = b->vbs[i];
		b->lines[n++] = b->lines[i];
	}
	b->n = n;
}

bool persist_batch_drop_table(struct persist_batch *b, enum mo_table_id table)
{
	size_t before = b->n, n = 0;

	for (size_t i = 0; i < before; i++) {
		if (b->vbs[i].table == table)
			continue;
		b->vbs[n] = b->vbs[i];
		b->lines[n++] = b->lines[i];
	}
	b->n = n;
	return n < before;
}

bool persist_batch_record(struct persist_batch *b, const struct persist_record *r, unsigned line)
{
	struct mo_varbind status = r->vb;

	if (!persist_batch_add(b, &r->vb, line))
		return false;
	if (!r->has_port || mo_index_part(mo_table(r->vb.table), MO_PART_PORT) >= 0)
		return true;
	status.subid = 4; /* dcbStaticUnicastRowStatus */
	status.value = (struct mo_value){.syntax = MO_ROW_STATUS, .num = ROW_CREATE_AND_GO};
	return persist_batch_add(b, &status, line);
}

void persist_batch_drop(struct persist_batch *b, unsigned line, const struct mo_varbind *vb,
			bool all_of_object)
{
	const struct mo_varbind of = *vb; /* vb can be in the list */
	size_t n = 0;

	for (size_t i = 0; i < b->n; i++) {
		if (b->lines[i] == line ||
		    (all_of_object && b->vbs[i].table == of.table && b->vbs[i].subid == of.subid))
			continue;
		b->vbs[n] = b->vbs[i];
		b->lines[n++] = b->lines[i];
	}
	b->n = n;
}

void persist_batch_free(struct persist_batch *b)
{
	free(b->vbs);
	free(b->lines);
}

/* --- records of a newer version -------------------------------------------------------------- */

/* Copies a member of a record. libconfig ends the program if memory runs out. */
static bool copy_member(config_setting_t *group, const config_setting_t *from)
{
	int type = config_setting_type(from);
	config_setting_t *s;

	if (config_setting_is_aggregate(from) || type == CONFIG_TYPE_FLOAT)
		return false;
	s = config_setting_add(group, config_setting_name(from), type);
	if (!s)
		return false;
	switch (type) {
	case CONFIG_TYPE_STRING:
		return config_setting_set_string(s, config_setting_get_string(from));
	case CONFIG_TYPE_BOOL:
		return config_setting_set_bool(s, config_setting_get_bool(from));
	case CONFIG_TYPE_INT64:
		return config_setting_set_int64(s, config_setting_get_int64(from));
	default:
		return config_setting_set_int(s, config_setting_get_int(from));
	}
}

/* Returns whether no record of this object is kept yet. */
static bool is_first(const struct persist_keep *k, const char *object)
{
	for (int i = config_setting_length(k->list) - 1; i >= 0; i--) {
		const char *of;

		if (config_setting_lookup_string(config_setting_get_elem(k->list, (unsigned)i),
						 "object", &of) &&
		    strcmp(of, object) == 0)
			return false;
	}
	return true;
}

bool persist_keep_record(struct persist_keep *k, const config_setting_t *group, const char *object,
			 const char *path, unsigned line)
{
	config_setting_t *copy;
	bool first;

	if (!k->list) {
		config_init(&k->file);
		k->list =
		    config_setting_add(config_root_setting(&k->file), "objects", CONFIG_TYPE_LIST);
	}
	if (!k->list)
		return false;
	first = is_first(k, object);
	copy = config_setting_add(k->list, NULL, CONFIG_TYPE_GROUP);
	for (int i = 0; copy && i < config_setting_length(group); i++)
		if (!copy_member(copy, config_setting_get_elem(group, (unsigned)i))) {
			config_setting_remove_elem(k->list,
						   (unsigned)config_setting_length(k->list) - 1);
			return false;
		}
	if (copy && first)
		/*
		 * Message: A newer version of dcbd has written the file. It finds the settings that
		 * are kept when it starts again. The others are in the copy that the next message
		 * names: compare it with the settings in force.
		 */
		log_warn("persist",
			 "%s:%u: object \"%s\" is unknown to this version: its settings are kept "
			 "in the file, and have no effect",
			 path, line, object);
	return copy;
}

bool persist_keep_publish(struct persist_keep *k, struct managed *m)
{
	struct managed_kept kept = {.records = NULL};

	if (k->list && config_setting_length(k->list) > 0) {
		kept.records = persist_list_text(&k->file, true, &kept.len);
		if (!kept.records)
			return false;
	}
	free(m->kept.records);
	m->kept = kept;
	return true;
}

void persist_keep_free(struct persist_keep *k)
{
	if (k->list)
		config_destroy(&k->file);
	*k = (struct persist_keep){.list = NULL};
}
