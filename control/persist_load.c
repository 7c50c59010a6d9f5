/* SPDX-License-Identifier: BSD-3-Clause */
#define HASH_NONFATAL_OOM 1
#include "control/persist.h"

#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include "lib/log.h"
#include "control/conf/conf_read.h"
#include "control/host/aside.h"
#include "control/objects/mo_caps.h"
#include "control/objects/mo_edit.h"
#include "control/objects/mo_trill.h"
#include "control/persist_measured.h"
#include "control/persist_record.h"
#include "control/persist_text.h"

/* Absent interfaces can have had next hops, and be back. */
static bool reconcile(struct dcb_config *config)
{
	for (size_t i = 0; i < config->n_ports; i++) {
		struct port_config *pc = config->ports[i].config;

		if (pc->trill_hops.n == 0)
			continue;
		pc = dcb_config_edit_port(config, i);
		if (!pc)
			return false;
		managed_trill_reconcile(config, i, pc, config->ports[i].port->link.name);
	}
	return true;
}

/* An address that is set behind another RBridge is at no port. */
static bool drop_static(const struct managed *m, struct dcb_config *config)
{
	if (m->role != ROLE_RBRIDGE || config->trill_egress.n == 0)
		return true;
	for (size_t i = 0; i < config->n_ports; i++) {
		struct port_config *pc;

		if (config->ports[i].config->static_unicast.n == 0)
			continue;
		pc = dcb_config_edit_port(config, i);
		if (!pc)
			return false;
		managed_trill_drop_static(config, pc, config->ports[i].port->link.name);
	}
	return true;
}

/*
 * Checks initial settings as those of a SET. The root of the tree can be behind an interface that
 * appears later: err has a warning, or is empty.
 */
static enum mo_error check_initial(const struct managed *m, const struct dcb_config *config,
				   const struct persist_batch *b, struct mo_result *r, char *err,
				   size_t errlen)
{
	struct mo_result root = {.error = MO_NO_ERROR};

	if (mo_trill_check(m, config, b->vbs, (unsigned)b->n, r) != MO_NO_ERROR)
		return r->error;
	err[0] = '\0';
	if (mo_trill_check_root(m, config, b->vbs, (unsigned)b->n, &root) != MO_NO_ERROR)
		snprintf(err, errlen, "line %u: initial: %.200s", b->lines[root.varbind - 1],
			 root.text);
	return MO_NO_ERROR;
}

/* Returns the configuration with the varbinds of the batch; NULL with *error, *varbind, err. */
static struct dcb_config *batch_edit(const struct managed *m, const struct persist_batch *b,
				     enum mo_error *error, unsigned *varbind, char *err,
				     size_t errlen)
{
	struct mo_result r;
	struct dcb_config *config = mo_edit(m, b->vbs, (unsigned)b->n, &r);

	if (config && !drop_static(m, config))
		mo_refuse(&r, MO_RESOURCE_UNAVAILABLE, "out of memory");
	else if (config && b->is_initial)
		check_initial(m, config, b, &r, err, errlen);
	else if (config && !reconcile(config))
		mo_refuse(&r, MO_RESOURCE_UNAVAILABLE, "out of memory");
	*error = r.error;
	*varbind = r.varbind;
	if (r.error == MO_NO_ERROR)
		return config;
	snprintf(err, errlen, "%s", r.text[0] ? r.text : mo_strerror(r.error));
	dcb_config_free(config);
	return NULL;
}

/* Why a batch was not published. */
struct failure {
	enum mo_error error; /* MO_NO_ERROR: a provider refused the settings */
	unsigned varbind;    /* that caused it, from 1; 0: unknown */
	struct provider_refusal why;
};

static unsigned failed_line(const struct persist_batch *b, const struct failure *f)
{
	return f->varbind ? b->lines[f->varbind - 1] : 0;
}

/* Publishes all varbinds or none; then *f and err say why. */
static bool batch_apply(struct managed *m, const struct persist_batch *b, struct failure *f,
			char *err, size_t errlen)
{
	struct dcb_config *config;

	*f = (struct failure){.error = MO_NO_ERROR};
	config = batch_edit(m, b, &f->error, &f->varbind, err, errlen);
	if (config && managed_publish(m, config, &f->why))
		return true;
	if (config) {
		f->varbind = mo_caps_refused_varbind(b->vbs, (unsigned)b->n, &f->why);
		managed_refusal_text(&f->why, err, errlen);
	}
	return false;
}

/* Settings that are left out and logged, and then dropped one by one. */
#define LEFT_OUT_LOGGED 64

/* --- the state file --------------------------------------------------------------------- */

struct absent_record {
	struct absent_record *next;
	struct persist_record record;
};

/* The records of an absent interface, the last of the file first. */
struct absent {
	UT_hash_handle hh;
	struct managed_parked_key key;
	struct absent_record *records;
};

struct load {
	struct managed *m;
	struct persist_ports *ports; /* those of m; NULL: no record was read */
	int64_t version;             /* of the file */
	bool keep_absent, is_newer;  /* is_newer: the format of the file */
	struct persist_batch batch;
	struct persist_keep keep;
	unsigned left_out;     /* settings that are neither in force nor kept */
	struct absent *absent; /* a hash table, in the order of the file */
	struct persist_measured *measured;
};

/* Reads an optional string; *text is NULL if the group does not have it. */
static bool take_string(struct reader *r, const config_setting_t *group, const char *name,
			const char **text)
{
	const config_setting_t *s = config_setting_get_member(group, name);

	*text = s ? config_setting_get_string(s) : NULL;
	return !s || *text || conf_expected(r, s, "a string");
}

/* Returns the absent interface with this key, a new one if there is none. NULL: out of memory. */
static struct absent *absent_of(struct load *l, const char *key, bool is_alias)
{
	struct managed_parked_key k = {.is_alias = is_alias};
	unsigned octets;
	struct absent *a;

	snprintf(k.text, sizeof(k.text), "%s", key);
	octets = (unsigned)(offsetof(struct managed_parked_key, text) + strlen(k.text));
	HASH_FIND(hh, l->absent, &k, octets, a);
	if (a)
		return a;
	a = calloc(1, sizeof(*a));
	if (!a)
		return NULL;
	a->key = k;
	HASH_ADD_KEYPTR(hh, l->absent, &a->key, octets, a);
	if (a->hh.tbl)
		return a;
	free(a);
	return NULL;
}

static bool add_absent(struct load *l, const struct persist_record *record, const char *key,
		       bool is_alias)
{
	struct absent *a = absent_of(l, key, is_alias);
	struct absent_record *r = a ? calloc(1, sizeof(*r)) : NULL;

	if (!r)
		return false;
	r->record = *record;
	r->next = a->records;
	a->records = r;
	return true;
}

static void free_absent(struct load *l, struct absent *a)
{
	struct absent_record *r, *next;

	for (r = a->records; r; r = next) {
		next = r->next;
		free(r);
	}
	HASH_DEL(l->absent, a);
	free(a);
}

/* A port that changed its provider may lack objects of the former one (12.21: deleted). */
static bool port_has(const struct port *port, const struct persist_record *r)
{
	const struct mo_table *table = mo_table(r->vb.table);
	const struct mo_column *col = mo_column(table, r->vb.subid);

	return mo_caps_has(port, table, col) && mo_caps_sets(port, table, col);
}

/* Adds the record to the batch or to the absent ones. key NULL: a record without a port. */
static bool add_record(struct load *l, struct persist_record *record, const char *key,
		       bool is_alias, unsigned line)
{
	const struct port *port;

	mo_read_adapt_index(l->m, record->vb.table, &record->vb.index);
	if (key) {
		port = persist_port(l->ports, key, is_alias);
		if (!port)
			return add_absent(l, record, key, is_alias);
		if (!port_has(port, record)) {
			/*
			 * Message: The provider of the port was changed in dcbd.conf(5), and the
			 * port no longer has this object or table. If the change was not intended,
			 * stop dcbd before the next SET, restore the configuration and start it
			 * again.
			 */
			log_warn("persist", "%s: %s is not restored: provider \"%s\" cannot set it",
				 port->link.name,
				 mo_column(mo_table(record->vb.table), record->vb.subid)->name,
				 port->provider->ops->name);
			return true;
		}
		persist_record_set_port(record, port->link.ifindex);
	}
	return persist_batch_record(&l->batch, record, line);
}

/*
 * A setting that this version does not understand, of a file that is not damaged: the others are
 * restored.
 */
static void leave_out(struct load *l, const char *reason)
{
	if (l->left_out++ < LEFT_OUT_LOGGED)
		/*
		 * Message: as "%s:%u: object "%s" is unknown to this version: its settings are kept
		 * in the file, and have no effect"
		 */
		log_warn("persist", "%s: this setting is not restored", reason);
}

/* Keeps the record of an object that this version does not know. false: r->err says why not. */
static bool keep_record(struct load *l, struct reader *r, const config_setting_t *group,
			const char *object)
{
	unsigned line = config_setting_source_line(group);
	const char *alias, *name;

	if (!take_string(r, group, "alias", &alias) || !take_string(r, group, "name", &name))
		return false;
	if (!l->keep_absent && (alias || name) &&
	    !persist_port(l->ports, alias ? alias : name, alias != NULL))
		return conf_fail_at(r, line, "object \"%s\" of an absent interface", object);
	return persist_keep_record(&l->keep, group, object, r->path, line) ||
	       conf_fail_at(r, line, "object \"%s\": expected strings and integers", object);
}

/* Takes a record. false: r->err has the reason, or *no_memory. */
static bool take_record(struct load *l, struct reader *r, const config_setting_t *group,
			bool *no_memory)
{
	const char *object, *index, *value, *alias, *name, *key;
	unsigned line = config_setting_source_line(group);
	struct persist_record record;
	char reason[256];

	if (!take_string(r, group, "object", &object))
		return false;
	if (object && persist_record_is_unknown(object))
		return keep_record(l, r, group, object);
	if (!take_string(r, group, "index", &index) || !take_string(r, group, "value", &value) ||
	    !take_string(r, group, "alias", &alias) || !take_string(r, group, "name", &name))
		return false;
	if (!object || !index || !value)
		return conf_fail_at(r, line, "expected object, index and value");
	if (!persist_record_parse(object, index, value, &record, reason, sizeof(reason)))
		return conf_fail_at(r, line, "%s", reason);
	key = alias ? alias : name;
	if (record.has_port != (key != NULL))
		return conf_fail_at(r, line, "%s: expected %s alias or name", object,
				    record.has_port ? "an" : "no");
	*no_memory = !add_record(l, &record, key, alias != NULL, line);
	return !*no_memory;
}

/* The file has its checksum: a record that is not understood is of another version. */
static bool load_record(struct reader *r, const config_setting_t *group, void *base)
{
	struct reader warns = *r;
	struct load *l = base;
	bool no_memory = false;
	char text[512];

	warns.err = text;
	warns.errlen = sizeof(text);
	if (take_record(l, &warns, group, &no_memory))
		return true;
	if (no_memory)
		return conf_fail_at(r, config_setting_source_line(group), "out of memory");
	leave_out(l, text);
	return true;
}

/* --- files of version 1 ---------------------------------------------------------------------- */

#define LINK_ALLOWANCE_COLUMN 1 /* ieee8021PfcLinkDelayAllowance */
#define CHOICE_COLUMN         1 /* dcbPfcHeadroomChoice */

/* The varbind of a port that has the allowance, or of its choice. */
static bool is_allowance(const struct mo_varbind *vb)
{
	return vb->table == MO_pfc_if && vb->subid == LINK_ALLOWANCE_COLUMN && vb->value.num;
}

static bool has_choice(const struct persist_batch *b, const struct mo_index *port)
{
	for (size_t i = 0; i < b->n; i++)
		if (b->vbs[i].table == MO_pfc_headroom && b->vbs[i].subid == CHOICE_COLUMN &&
		    mo_index_compare(&b->vbs[i].index, port) == 0)
			return true;
	return false;
}

/* automatic, the initial value of that time, is calculated now. */
static bool migrate_batch(struct persist_batch *b)
{
	size_t n = b->n;

	for (size_t i = 0; i < n; i++) {
		struct mo_varbind vb = b->vbs[i];

		if (!is_allowance(&vb) || has_choice(b, &vb.index))
			continue;
		vb.table = MO_pfc_headroom;
		vb.subid = CHOICE_COLUMN;
		vb.value = (struct mo_value){.syntax = MO_ENUM, .num = PFC_HEADROOM_CALCULATION};
		if (!persist_batch_add(b, &vb, b->lines[i]))
			return false;
	}
	return true;
}

static void migrate_port(struct port_config *pc)
{
	if (pc->pfc_link_delay_allowance && pc->pfc_headroom.choice == PFC_HEADROOM_AUTOMATIC)
		pc->pfc_headroom.choice = PFC_HEADROOM_CALCULATION;
}

/* --- absent interfaces ----------------------------------------------------------------------- */

static void park_absent(struct load *l, struct absent *a)
{
	struct port_config *pc = port_config_dup(l->m->config->fresh);

	for (struct absent_record *r = a->records; pc && r; r = r->next) {
		persist_record_set_port(&r->record, 1); /* any valid ifIndex */
		if (mo_edit_absent(l->m, pc, &r->record.vb) != MO_NO_ERROR)
			/*
			 * Messages: A setting of an interface that does not exist was lost. Set the
			 * objects again when the interface exists.
			 */
			log_warn("persist", "a setting of absent interface %s is invalid, not kept",
				 a->key.text);
	}
	if (pc)
		pc->pfc_measured = persist_measured_of(l->measured, a->key.text, a->key.is_alias);
	if (pc && l->version == 1)
		migrate_port(pc);
	if (!pc || !managed_park(l->m, a->key.text, a->key.is_alias, pc))
		log_error("persist", "out of memory: settings of absent interface %s are lost",
			  a->key.text);
	port_config_unref(pc);
}

/*
 * Rows of TRILL are refused for all ports together: those of one table are dropped, egress entries
 * first, because an RBridge learns such addresses.
 */
static bool drop_trill(struct persist_batch *b, const struct provider_refusal *why)
{
	static const enum mo_table_id tables[] = {MO_trill_egress, MO_trill_hop};

	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		if (!persist_batch_drop_table(b, tables[i]))
			continue;
		/*
		 * Message: The saved rows of this table have no room any more, as when
		 * `bridge.fdb_entries` was reduced; all other settings are in force. If the change
		 * was not intended, stop dcbd before the next SET, restore the configuration and
		 * start it again.
		 */
		log_warn("persist", "the rows of %s are not restored: %s",
			 mo_table(tables[i])->name, why->text);
		return true;
	}
	return false;
}

static bool drop_port(struct persist_batch *b, const struct provider_refusal *why)
{
	size_t n = b->n;

	persist_batch_drop_port(b, why->port->link.ifindex);
	if (b->n == n)
		return false;
	/* Message: as "%s: its settings are not restored: %s" */
	log_warn("persist", "%s: its settings are not restored: %s", why->port->link.name,
		 why->text);
	return true;
}

/*
 * Settings that contradict each other here did not where they were saved: of a newer version, or
 * one with other limits. Drops one, or of many all of its object. false: it is not a setting.
 */
static bool drop_setting(struct load *l, const struct failure *f, const char *path,
			 const char *reason)
{
	unsigned line = failed_line(&l->batch, f);
	const struct mo_varbind *vb;
	char text[512];

	if (line == 0 || f->error == MO_NO_ERROR || f->error == MO_RESOURCE_UNAVAILABLE)
		return false;
	vb = &l->batch.vbs[f->varbind - 1];
	snprintf(text, sizeof(text), "%s:%u: %s: %s", path, line,
		 mo_column(mo_table(vb->table), vb->subid)->name, reason);
	leave_out(l, text);
	persist_batch_drop(&l->batch, line, vb, l->left_out > LEFT_OUT_LOGGED);
	return true;
}

/*
 * The settings were in force when they were saved. If a port's provider refuses them now,
 * it is another provider, or its capabilities or dcbd.conf's limits shrank: the port starts
 * with defaults.
 */
static bool load_batch(struct load *l, const char *path, unsigned *line, char *err, size_t errlen)
{
	struct failure f;

	while (!batch_apply(l->m, &l->batch, &f, err, errlen)) {
		bool again = drop_setting(l, &f, path, err);

		*line = failed_line(&l->batch, &f);
		if (f.why.port)
			again = drop_port(&l->batch, &f.why);
		else if (f.why.about == PROVIDER_TRILL)
			again = drop_trill(&l->batch, &f.why);
		if (!again)
			return false;
	}
	return true;
}

/* false: it is none that this program reads. */
static bool take_version(struct load *l, struct reader *r)
{
	const config_setting_t *root = conf_root(r);
	const config_setting_t *s = config_setting_get_member(root, "version");

	if (s && conf_is_integer(s, 1, PERSIST_VERSION, &l->version))
		return true;
	l->is_newer = s && conf_is_integer(s, PERSIST_VERSION + 1, INT64_MAX, &l->version);
	if (l->is_newer)
		/*
		 * Message: A newer version of dcbd has written the file. Start that version, or
		 * this one with `--ignore-state`; the next message says so.
		 */
		return conf_fail_at(r, config_setting_source_line(s),
				    "the state file has format %" PRId64
				    ", this dcbd reads formats 1 to %d",
				    l->version, PERSIST_VERSION);
	return conf_fail(r, root, "expected version = 1..%d", PERSIST_VERSION);
}

static bool load_objects(struct load *l, struct reader *r)
{
	const config_setting_t *root = conf_root(r);
	const config_setting_t *list = config_setting_get_member(root, "objects");
	char reason[256];
	unsigned line;

	if (!take_version(l, r))
		return false;
	if (!list || !config_setting_is_list(list))
		return conf_fail(r, root, "expected a list named objects");
	l->ports = persist_ports_new(l->m);
	if (!l->ports)
		return conf_fail(r, root, "out of memory");
	if (!conf_each(r, list, "a list", load_record, l))
		return false;
	if (l->version == 1 && !migrate_batch(&l->batch))
		return conf_fail(r, root, "out of memory");
	if (!load_batch(l, r->path, &line, reason, sizeof(reason)))
		return conf_fail_at(r, line, "%s", reason);
	return persist_keep_publish(&l->keep, l->m) || conf_fail(r, root, "out of memory");
}

/* For a copy of the file: whether any setting is not in force. */
static void note_left_out(struct load *l, const char *text, size_t len)
{
	struct managed_kept *kept = &l->m->kept;

	if (l->left_out > LEFT_OUT_LOGGED)
		/*
		 * Message: as "%s:%u: object "%s" is unknown to this version: its settings are kept
		 * in the file, and have no effect"
		 */
		log_warn("persist", "%u more settings are not restored",
			 l->left_out - LEFT_OUT_LOGGED);
	kept->is_incomplete = l->left_out > 0 || kept->len > 0;
	kept->mark = l->left_out > 0 ? crc32(0, (const Bytef *)text, (uInt)len)
				     : crc32(0, (const Bytef *)kept->records, (uInt)kept->len);
}

static bool load_text(struct load *l, struct reader *r, const char *text, size_t len)
{
	unsigned line;
	bool ok = conf_open_text(r, text);

	if (ok && !persist_has_checksum(text, len, &line))
		ok = conf_fail_at(r, line, "the checksum does not match the text before it");
	ok = ok && load_objects(l, r);
	if (ok)
		persist_measured_read(&l->measured, r);
	conf_close(r);
	return ok;
}

enum persist_result persist_load(struct managed *m, const char *path, bool keep_absent, char *err,
				 size_t errlen)
{
	struct reader r = {.path = path, .err = err, .errlen = errlen};
	struct load l = {.m = m, .keep_absent = keep_absent};
	size_t len = 0;
	char *text = conf_file_octets(path, &len);
	bool ok;

	if (!text) {
		/*
		 * Message: The state file cannot be read, and dcbd does not start. Correct its path
		 * in dcbd.conf(5) or its permissions.
		 */
		snprintf(err, errlen, "%s: %s", path, strerror(errno));
		return errno == ENOENT ? PERSIST_NONE : PERSIST_FAILED;
	}
	ok = load_text(&l, &r, text, len);
	if (ok)
		note_left_out(&l, text, len);
	free(text);
	persist_measured_publish(m, l.ports, l.measured);
	while (l.absent) {
		struct absent *a = l.absent;

		if (ok && keep_absent)
			park_absent(&l, a);
		else if (ok)
			/*
			 * Message: The state file has settings of an interface that does not exist.
			 * If the interface is expected later, set `keep_absent` to true and set the
			 * objects again.
			 */
			log_warn("persist", "no interface with %s \"%s\": its settings are deleted",
				 a->key.is_alias ? "alias" : "name", a->key.text);
		free_absent(&l, a);
	}
	persist_measured_free(l.measured);
	persist_ports_free(l.ports);
	persist_batch_free(&l.batch);
	persist_keep_free(&l.keep);
	if (l.is_newer)
		return PERSIST_NEWER;
	return ok ? PERSIST_LOADED : PERSIST_DAMAGED;
}

int persist_copy_aside(const struct managed *m, const char *path, char *aside, size_t size,
		       bool *is_old)
{
	size_t len;
	char *text = conf_file_octets(path, &len);
	int error = errno;

	if (text)
		error = aside_copy(path, ASIDE_NEWER, m->kept.mark, text, len, aside, size, is_old);
	free(text);
	return error;
}

/* --- dcbd.conf's initial settings ------------------------------------------------------------- */

static bool initial_add(const struct managed *m, const struct conf_initial *in,
			struct persist_batch *batch, char *err, size_t errlen)
{
	struct persist_record r;
	bool any = false;

	if (!persist_record_parse(in->object, in->index, in->value, &r, err, errlen))
		return false;
	if (r.has_port != (in->port != NULL)) {
		snprintf(err, errlen, "%s: expected %s port", in->object, r.has_port ? "a" : "no");
		return false;
	}
	if (!r.has_port)
		return persist_batch_add(batch, &r.vb, in->line);
	for (size_t i = 0; i < m->config->n_ports; i++) {
		const struct port *port = m->config->ports[i].port;

		if (fnmatch(in->port, port->link.name, 0) != 0 || !port_has(port, &r))
			continue;
		persist_record_set_port(&r, port->link.ifindex);
		if (!persist_batch_record(batch, &r, in->line))
			return false;
		any = true;
	}
	if (!any)
		/*
		 * Message: This is a warning: no existing port has the object and a matching name.
		 * The entry has no effect, also on interfaces that appear later. Correct `port`, or
		 * set the object with dcbctl(8) when the interface exists.
		 */
		log_warn("conf", "line %u: initial: no port that has %s matches \"%s\"", in->line,
			 in->object, in->port);
	return true;
}

/* Adds the settings vlans of the ports, as SETs of the objects that have them. */
static bool initial_vlans(const struct managed *m, const struct conf *conf,
			  struct persist_batch *batch)
{
	for (size_t i = 0; i < m->config->n_ports; i++) {
		const struct port *port = m->config->ports[i].port;
		const struct conf_vlans *vlans = conf_port_vlans(conf, port->link.name);
		struct mo_varbind vb = {
		    .table = MO_vlan_port,
		    .index = {.n = 1, .sub = {port->link.ifindex}},
		    .value = {.syntax = MO_VLANS, .len = MO_VLANS_OCTETS},
		};

		if (!vlans || !(port->sets & PROVIDER_VLAN))
			continue;
		for (unsigned k = 0; k < VLAN_SET_OCTETS / MO_VLANS_OCTETS; k++) {
			vb.subid = 5 + k; /* dcbVlanPortEgress, dcbVlanPortEgress2k ... */
			memcpy(vb.value.octets, vlans->member + k * MO_VLANS_OCTETS,
			       MO_VLANS_OCTETS);
			if (!persist_batch_add(batch, &vb, vlans->line))
				return false;
		}
	}
	return true;
}

bool persist_initial(struct managed *m, const struct conf *conf, char *err, size_t errlen)
{
	char reason[256] = "out of memory";
	struct persist_batch batch = {.is_initial = true};
	struct failure f;
	unsigned line = 0;
	bool ok = initial_vlans(m, conf, &batch);

	for (size_t i = 0; ok && i < conf->n_initial; i++) {
		line = conf->initial[i].line;
		ok = initial_add(m, &conf->initial[i], &batch, reason, sizeof(reason));
	}
	err[0] = '\0';
	if (ok && batch.n > 0) {
		ok = batch_apply(m, &batch, &f, reason, sizeof(reason));
		line = failed_line(&batch, &f);
		if (ok)
			snprintf(err, errlen, "%s", reason);
	}
	if (!ok)
		/*
		 * Message: The entry cannot be set, and dcbd(8) does not start. The message has the
		 * SNMP error, for example `inconsistentName` or `noCreation` if the row does not
		 * exist, or the reason why a provider refuses the value. Correct the entry, or add
		 * an entry that creates the row. `dcbd -t` sets the entries for the interfaces that
		 * exist then.
		 */
		snprintf(err, errlen, "line %u: initial: %s", line, reason);
	else if (err[0])
		log_warn("conf", "%s", err);
	persist_batch_free(&batch);
	return ok;
}
