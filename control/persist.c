/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/persist.h"

#include <errno.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <libconfig.h>
#include <zlib.h>

#include "lib/log.h"
#include "control/objects/mo_rows.h"
#include "control/objects/mo_settings.h"
#include "control/objects/mo_static.h"
#include "control/objects/mo_trill.h"
#include "control/persist_measured.h"
#include "control/persist_text.h"

/* --- records ----------------------------------------------------------------------------- */

/* The port of a record; key is NULL in a record without a port. */
struct record_port {
	const char *key;
	bool is_alias;
};

static bool add_text(config_setting_t *group, const char *name, const char *text)
{
	config_setting_t *s = config_setting_add(group, name, CONFIG_TYPE_STRING);

	return s && config_setting_set_string(s, text);
}

static bool add_record(config_setting_t *list, const struct mo_column *col, const char *index,
		       const struct record_port *port, const char *value)
{
	config_setting_t *group = config_setting_add(list, NULL, CONFIG_TYPE_GROUP);

	return group && add_text(group, "object", col->name) && add_text(group, "index", index) &&
	       (!port->key || add_text(group, port->is_alias ? "alias" : "name", port->key)) &&
	       add_text(group, "value", value);
}

/* A row of a port whose profile objects a manager may have set. pc NULL: another row. */
struct record_row {
	const struct port_config *pc;
	unsigned priority;
};

/* Returns whether a column is saved: it differs from its initial value, or was set to it. */
static bool is_saved(const struct mo_table *table, const struct mo_column *col,
		     const struct record_row *at, const void *row, const void *fresh)
{
	if (!mo_is_writable(col) || col->syntax == MO_ROW_STATUS)
		return false;
	if (at->pc && mo_settings_was_set(at->pc, table->id, col->subid, at->priority))
		return true;
	return !mo_field_equal(table, col, row, fresh);
}

/* Adds the columns of row to be saved. fresh: the row with its initial values. */
static bool add_columns(config_setting_t *list, const struct mo_table *table, const char *index,
			const struct record_port *port, const struct record_row *at,
			const void *row, const void *fresh)
{
	for (unsigned i = 0; i < table->n_columns; i++) {
		const struct mo_column *col = &table->columns[i];
		struct mo_value value;
		char text[MO_VALUE_TEXT];

		if (!is_saved(table, col, at, row, fresh))
			continue;
		mo_field_get(table, col, row, &value);
		mo_format(col, &value, text, sizeof(text));
		if (!add_record(list, col, index, port, text))
			return false;
	}
	return true;
}

static bool add_com_pri(config_setting_t *list, const struct managed *m, const struct dcb_config *c,
			unsigned priority)
{
	const struct mo_table *table = mo_table(MO_cn_com_pri);
	struct cn_com_pri_row row = {.config = c->com_pri[priority]}, fresh = {0};
	const char *status = row.config.row_status == ROW_ACTIVE ? "createAndGo" : "createAndWait";
	char index[16];

	mo_field_defaults(table, &fresh);
	snprintf(index, sizeof(index), "%u.%u", m->component_id, priority);
	return add_record(list, mo_column(table, 10), index, &(struct record_port){0}, status) &&
	       add_columns(list, table, index, &(struct record_port){0}, &(struct record_row){0},
			   &row, &fresh);
}

/* A list of records being built: all of the file is made of the texts of several lists. */
struct saving {
	config_t file;
	config_setting_t *list;
	const struct managed *m;
	const struct dcb_config *c;
	struct port_config initial; /* of a port with the rate initial.profile_rate */
};

/* The settings of a port, and its initial ones. */
struct saving_port {
	const struct record_port *record;
	const struct port_config *pc, *initial;
};

static bool add_row(const struct saving *s, enum mo_table_id id, const struct record_row *at,
		    const struct record_port *port, const void *row, const void *fresh)
{
	struct mo_index index;
	char text[64];

	mo_bind_index(s->m, id, 0, at->priority, &index);
	persist_index_format(id, &index, text, sizeof(text));
	return add_columns(s->list, mo_table(id), text, port, at, row, fresh);
}

static bool add_system_row(const struct saving *s, enum mo_table_id id)
{
	_Alignas(8) uint8_t row[MO_ROW_OCTETS] = {0}, fresh[MO_ROW_OCTETS] = {0};

	mo_settings_load(s->c, NULL, id, 0, row);
	mo_field_defaults(mo_table(id), fresh);
	return add_row(s, id, &(struct record_row){0}, &(struct record_port){0}, row, fresh);
}

/* Returns whether a row of a port has nothing to save. */
static bool is_initial_row(const struct saving_port *port, enum mo_table_id id, unsigned priority)
{
	return mo_settings_are_equal(port->pc, port->initial, id, priority) &&
	       !mo_settings_row_was_set(port->pc, id, priority);
}

static bool add_port_row(const struct saving *s, const struct saving_port *port,
			 enum mo_table_id id, unsigned priority)
{
	_Alignas(8) uint8_t row[MO_ROW_OCTETS] = {0}, fresh[MO_ROW_OCTETS] = {0};
	const struct record_row at = {port->pc, priority};

	mo_settings_load(s->c, port->pc, id, priority, row);
	mo_settings_load(s->c, port->initial, id, priority, fresh);
	return add_row(s, id, &at, port->record, row, fresh);
}

static bool add_app(const struct saving *s, enum mo_table_id id, const unsigned sub[2],
		    unsigned number, const struct record_port *port)
{
	char index[32], value[8];

	snprintf(index, sizeof(index), "*.%u.%u", sub[0], sub[1]);
	snprintf(value, sizeof(value), "%u", number);
	return add_record(s->list, &mo_table(id)->columns[0], index, port, value);
}

/* Priorities and VLANs of applications exist only because a manager created them: adds all. */
static bool add_apps(const struct saving *s, const struct port_config *pc,
		     const struct record_port *port)
{
	const struct dcbx_config *dcbx = &pc->dcbx;

	for (unsigned i = 0; i < dcbx->n_apps; i++) {
		const unsigned sub[] = {dcbx->apps[i].selector, dcbx->apps[i].protocol};

		if (!add_app(s, MO_lldp_admin_app, sub, dcbx->apps[i].priority, port))
			return false;
	}
	for (unsigned i = 0; i < dcbx->n_app_vlans; i++) {
		const unsigned sub[] = {dcbx->app_vlans[i].selector, dcbx->app_vlans[i].protocol};

		if (!add_app(s, MO_lldp_admin_app_vlan, sub, dcbx->app_vlans[i].vlan, port))
			return false;
	}
	return true;
}

/* The record of a static entry has its port where other records have it, and "*" as value. */
static bool add_static(const struct saving *s, const struct port_config *pc,
		       const struct record_port *port)
{
	const struct mo_table *table = mo_table(MO_static_unicast);

	for (uint32_t i = 0; i < pc->static_unicast.n; i++) {
		struct mo_index index;
		char text[64];

		mo_static_index(pc->static_unicast.key[i], &index);
		mo_index_format(&index, text, sizeof(text));
		if (!add_record(s->list, &table->columns[0], text, port, "*"))
			return false;
	}
	return true;
}

/* A row that a SET created: its RowStatus, which creates it again, and its value. */
static bool add_created(config_setting_t *list, enum mo_table_id id, const struct mo_index *index,
			const struct record_port *port, const char *value)
{
	const struct mo_table *table = mo_table(id);
	char text[64];

	persist_index_format(id, index, text, sizeof(text));
	return add_record(list, &table->columns[1], text, port, "createAndGo") &&
	       (!value || add_record(list, &table->columns[0], text, port, value));
}

/* Next hops of an RBridge's port; most are not in the tree, and for unicast frames. */
static bool add_hops(const struct saving *s, const struct port_config *pc,
		     const struct record_port *port)
{
	const struct mo_column *unicast = &mo_table(MO_trill_hop)->columns[2];

	for (uint32_t i = 0; i < pc->trill_hops.n; i++) {
		const struct trill_next_hop *hop = &pc->trill_hops.of[i];
		struct mo_index index;
		char text[64];

		mo_trill_hop_index(hop, 0, &index);
		if (!add_created(s->list, MO_trill_hop, &index, port, hop->tree ? "true" : NULL))
			return false;
		persist_index_format(MO_trill_hop, &index, text, sizeof(text));
		if (hop->not_unicast && !add_record(s->list, unicast, text, port, "false"))
			return false;
	}
	return true;
}

static bool add_egresses(const struct saving *s)
{
	for (uint32_t i = 0; i < s->c->trill_egress.n; i++) {
		const struct trill_egress *entry = &s->c->trill_egress.of[i];
		struct mo_index index;
		char nickname[8];

		mo_static_index(entry->key, &index);
		snprintf(nickname, sizeof(nickname), "%u", entry->nickname);
		if (!add_created(s->list, MO_trill_egress, &index, &(struct record_port){0},
				 nickname))
			return false;
	}
	return true;
}

/* Makes s->initial that of ports with this rate. Most ports have the same as the one before. */
static void use_rate(struct saving *s, struct dcb_rate rate)
{
	bool is_made = s->initial.initial;

	if (is_made && s->initial.profile_rate.bps == rate.bps)
		return;
	s->initial.profile_rate = rate;
	port_config_init(&s->initial, s->c);
}

static bool add_port(struct saving *s, const struct port_config *pc, uint8_t cnpvs,
		     const struct record_port *record)
{
	const struct saving_port port = {.record = record, .pc = pc, .initial = &s->initial};

	use_rate(s, pc->profile_rate);
	for (enum mo_table_id id = 0; id < MO_TABLES; id++) {
		uint8_t rows;

		if (mo_settings_scope(id) != MO_SCOPE_PORT)
			continue;
		rows = mo_bind_port_rows(id, cnpvs);
		for (unsigned p = 0; p < DCB_PRIORITIES; p++)
			if ((rows & (1u << p)) && !is_initial_row(&port, id, p) &&
			    !add_port_row(s, &port, id, p))
				return false;
	}
	return add_apps(s, pc, record) && add_static(s, pc, record) && add_hops(s, pc, record);
}

/* The settings of absent interfaces. */
static bool add_parked(struct saving *s)
{
	for (const struct managed_parked *k = s->m->parked; k; k = k->hh.next) {
		uint8_t priorities = dcb_config_cnpvs(s->c);

		for (unsigned p = 0; p < DCB_PRIORITIES; p++)
			if (k->epoch[p] != s->c->com_pri_epoch[p])
				priorities &= (uint8_t) ~(1u << p);
		if (!add_port(s, k->config, priorities,
			      &(struct record_port){k->key.text, k->key.is_alias}))
			return false;
	}
	return true;
}

static bool add_system(const struct saving *s)
{
	uint8_t cnpvs = dcb_config_cnpvs(s->c);

	for (enum mo_table_id id = 0; id < MO_TABLES; id++)
		if (mo_settings_scope(id) == MO_SCOPE_SYSTEM && !add_system_row(s, id))
			return false;
	for (unsigned p = 0; p < DCB_PRIORITIES; p++)
		if ((cnpvs & (1u << p)) && !add_com_pri(s->list, s->m, s->c, p))
			return false;
	return add_egresses(s);
}

/* --- texts of lists ----------------------------------------------------------------------- */

/* Returns the text of a file of libconfig; NULL: out of memory. */
static char *file_text(const config_t *file, size_t *len)
{
	char *text = NULL;
	FILE *out = open_memstream(&text, len);

	if (!out)
		return NULL;
	(void)__fsetlocking(out, FSETLOCKING_BYCALLER); /* libconfig writes single octets */
	config_write(file, out);
	if (fclose(out) == 0)
		return text;
	free(text);
	return NULL;
}

/* Begins an empty list. false: out of memory. saving_end() follows in any case. */
static bool saving_begin(struct saving *s)
{
	config_setting_t *root, *version;

	config_init(&s->file);
	root = config_root_setting(&s->file);
	version = config_setting_add(root, "version", CONFIG_TYPE_INT);
	s->list = config_setting_add(root, "objects", CONFIG_TYPE_LIST);
	return version && s->list && config_setting_set_int(version, PERSIST_VERSION);
}

/*
 * Returns the text up to the list's last record, or of its records only; the list can be empty.
 * NULL: out of memory, or not ok.
 */
static char *saving_end(struct saving *s, bool ok, bool records_only, size_t *len)
{
	char *text = ok ? file_text(&s->file, len) : NULL;
	const char *begin, *end;

	config_destroy(&s->file);
	if (!text)
		return NULL;
	begin = records_only ? strchr(text, '(') + 1 : text;
	end = strrchr(text, ')');
	while (end > begin && end[-1] == ' ')
		end--;
	*len = (size_t)(end - begin);
	memmove(text, begin, *len);
	return text;
}

/* The state file being written, and whether its list has records. */
struct state_text {
	FILE *out;
	bool any;
};

static void put_records(struct state_text *to, const char *text, size_t len)
{
	if (len == 0)
		return;
	if (to->any)
		fputc(',', to->out);
	fwrite(text, 1, len, to->out);
	to->any = true;
}

static bool put_system(struct state_text *to, struct saving *s)
{
	bool ok = saving_begin(s) && add_system(s);
	size_t len;
	char *text;

	to->any = ok && config_setting_length(s->list) > 0;
	text = saving_end(s, ok, false, &len);
	ok = text;
	if (ok)
		fwrite(text, 1, len, to->out);
	free(text);
	return ok;
}

static bool put_parked(struct state_text *to, struct saving *s)
{
	bool ok = saving_begin(s) && add_parked(s);
	size_t len;
	char *text = saving_end(s, ok, true, &len);

	ok = text;
	if (ok)
		put_records(to, text, len);
	free(text);
	return ok;
}

/* Makes the text of the settings of the port at pos, for the cache. NULL: out of memory. */
static const char *make_port(struct saving *s, struct persist_cache *cache, size_t pos, size_t *len)
{
	const struct dcb_config_port *at = &s->c->ports[pos];
	struct record_port record;
	char *text;
	bool ok;

	record.key = persist_cache_key(cache, at->port, &record.is_alias);
	ok = saving_begin(s) && add_port(s, at->config, dcb_config_cnpvs(s->c), &record);
	text = saving_end(s, ok, true, len);
	if (text)
		persist_cache_keep(cache, pos, at->config, text, *len);
	return text;
}

static bool put_ports(struct state_text *to, struct saving *s, struct persist_cache *cache)
{
	for (size_t i = 0; i < s->c->n_ports; i++) {
		const char *text;
		size_t len;

		if (dcb_config_is_initial(s->c, i))
			continue;
		text = persist_cache_find(cache, i, s->c->ports[i].config, &len);
		if (!text)
			text = make_port(s, cache, i, &len);
		if (!text)
			return false;
		put_records(to, text, len);
	}
	return true;
}

static bool add_measured(config_setting_t *root, const struct saving *s,
			 const struct persist_cache *cache)
{
	for (size_t i = 0; i < s->c->n_ports; i++) {
		const struct pfc_measured is = managed_delay_reported(s->m, &s->c->ports[i]);
		bool is_alias;
		const char *key;

		if (is.count == 0)
			continue;
		key = persist_cache_key(cache, s->c->ports[i].port, &is_alias);
		if (!persist_measured_add(root, &is, key, is_alias))
			return false;
	}
	for (const struct managed_parked *k = s->m->parked; k; k = k->hh.next)
		if (!persist_measured_add(root, &k->config->pfc_measured, k->key.text,
					  k->key.is_alias))
			return false;
	return true;
}

static bool put_measured(struct state_text *to, const struct saving *s,
			 const struct persist_cache *cache)
{
	config_t file;
	char *text;
	size_t len;
	bool ok;

	config_init(&file);
	text = add_measured(config_root_setting(&file), s, cache) ? file_text(&file, &len) : NULL;
	config_destroy(&file);
	ok = text;
	if (ok)
		fwrite(text, 1, len, to->out);
	free(text);
	return ok;
}

static bool put_all(struct state_text *to, struct saving *s, struct persist_cache *cache)
{
	if (!persist_cache_begin(cache, s->m, s->c) || !put_system(to, s) ||
	    !put_ports(to, s, cache) || !put_parked(to, s))
		return false;
	fputs(" );\n", to->out);
	return put_measured(to, s, cache);
}

/* As persist_text(), with a cache. */
static char *make_text(const struct managed *m, const struct dcb_config *config,
		       struct persist_cache *cache, size_t *len)
{
	struct saving s = {.m = m, .c = config};
	char *text = NULL;
	struct state_text to = {.out = open_memstream(&text, len)};
	bool ok;

	if (!to.out)
		return NULL;
	(void)__fsetlocking(to.out, FSETLOCKING_BYCALLER);
	ok = put_all(&to, &s, cache);
	ok = fclose(to.out) == 0 && ok && persist_add_checksum(&text, len);
	if (ok)
		return text;
	free(text);
	return NULL;
}

char *persist_text(const struct managed *m, const struct dcb_config *config,
		   struct persist_cache *cache, size_t *len)
{
	struct persist_cache *own = cache ? NULL : persist_cache_new();
	char *text = NULL;

	if (cache || own)
		text = make_text(m, config, cache ? cache : own, len);
	persist_cache_free(own);
	return text;
}

int persist_outcome(const char *path, const struct file_written *w)
{
	if (w->is_left)
		log_error("persist",
			  "%s has settings that were refused: they come into force at a "
			  "restart unless a later SET succeeds",
			  path);
	return w->error;
}

int persist_save(const struct managed *m, const struct dcb_config *config, const char *path)
{
	struct file_written w;
	size_t len;
	char *text = persist_text(m, config, NULL, &len);

	if (!text)
		return ENOMEM;
	w = replace_file(path, text, len);
	free(text);
	return persist_outcome(path, &w);
}

int persist_set_aside(const char *path, char *aside, size_t size)
{
	char stamp[32];
	time_t now = time(NULL);
	struct tm tm;

	strftime(stamp, sizeof(stamp), "%Y%m%dT%H%M%SZ", gmtime_r(&now, &tm));
	snprintf(aside, size, "%s.damaged-%s-%ld", path, stamp, (long)getpid());
	return rename(path, aside) < 0 ? errno : 0;
}
