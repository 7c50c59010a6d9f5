/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads the state file and dcbd.conf's initial settings: ports by their keys, records, the list of
 * varbinds that they become, records of a newer version, which are kept as they are, measured
 * delays, and the settings of absent interfaces. persist.h has the format.
 */
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

#include "control/conf/conf_read.h"
#include "control/host/aside.h"
#include "control/objects/mo_caps.h"
#include "control/objects/mo_edit.h"
#include "control/objects/mo_read.h"
#include "control/objects/mo_trill.h"
#include "lib/log.h"

/* Settings that are left out and logged, and then dropped one by one. */
#define LEFT_OUT_LOGGED 64

/* --- ports by their keys -------------------------------------------------------------------- */

/*
 * The ports of m->config, found by the keys of the state file. It is valid while m has these ports
 * and they keep their names and aliases.
 */
struct keyed_ports {
	struct managed_shared_aliases shared;
	/* [true]: the ports that are saved by alias, sorted by it; [false]: all, by name. */
	const struct port **sorted[2];
	size_t n[2];
};

static int compare_aliases(const void *a, const void *b)
{
	const struct port *const *pa = a, *const *pb = b;

	return strcmp((*pa)->link.alias, (*pb)->link.alias);
}

/* For a short time while interfaces are renamed two ports can have one name. */
static int compare_names(const void *a, const void *b)
{
	const struct port *const *pa = a, *const *pb = b;
	int order = strcmp((*pa)->link.name, (*pb)->link.name);

	return order ? order
		     : ((*pa)->link.ifindex > (*pb)->link.ifindex) -
			   ((*pa)->link.ifindex < (*pb)->link.ifindex);
}

/* ports may be NULL. */
static void keyed_ports_free(struct keyed_ports *ports)
{
	if (!ports)
		return;
	free(ports->sorted[false]);
	free(ports->sorted[true]);
	free(ports);
}

/* NULL: out of memory. */
static struct keyed_ports *keyed_ports_new(const struct managed *m)
{
	const struct dcb_config *config = m->config;
	struct keyed_ports *ports = calloc(1, sizeof(*ports));
	bool is_alias;

	if (!ports)
		return NULL;
	for (int i = 0; i < 2; i++)
		ports->sorted[i] = calloc(config->n_ports + 1, sizeof(*ports->sorted[i]));
	if (!ports->sorted[0] || !ports->sorted[1] ||
	    !managed_find_shared_aliases(m, &ports->shared)) {
		keyed_ports_free(ports);
		return NULL;
	}
	for (size_t i = 0; i < config->n_ports; i++) {
		const struct port *port = config->ports[i].port;

		ports->sorted[false][ports->n[false]++] = port;
		managed_key_of(&ports->shared, port, &is_alias);
		if (is_alias)
			ports->sorted[true][ports->n[true]++] = port;
	}
	qsort(ports->sorted[false], ports->n[false], sizeof(*ports->sorted[0]), compare_names);
	qsort(ports->sorted[true], ports->n[true], sizeof(*ports->sorted[0]), compare_aliases);
	return ports;
}

static const char *key_text(const struct port *port, bool is_alias)
{
	return is_alias ? port->link.alias : port->link.name;
}

/* Returns the port with this alias or name in the state file. NULL: its interface is absent. */
static const struct port *port_of_key(const struct keyed_ports *ports, const char *key,
				      bool is_alias)
{
	const struct port *const *at = ports->sorted[is_alias], *renamed = NULL;
	size_t from = 0, to = ports->n[is_alias], n = to;

	while (from < to) {
		size_t mid = (from + to) / 2;

		if (strcmp(key_text(at[mid], is_alias), key) < 0)
			from = mid + 1;
		else
			to = mid;
	}
	for (; from < n && strcmp(key_text(at[from], is_alias), key) == 0; from++) {
		bool by_alias;

		managed_key_of(&ports->shared, at[from], &by_alias);
		if (by_alias == is_alias)
			return at[from];
		/* The interface got an alias after its settings were saved by name. */
		renamed = at[from];
	}
	return renamed;
}

/* --- one record ----------------------------------------------------------------------------- */

struct record {
	struct mo_varbind vb; /* with ifIndex 0 until set_port() */
	bool has_port;
};

/* A port is the value of this object: the record has it, and the value is "*". */
static bool has_port_value(const struct mo_table *table, const struct mo_column *col,
			   const char *value)
{
	return mo_value_is_port(table, col) && strcmp(value, "*") == 0;
}

/*
 * Parses an index as "1.*.3", with "*" in the place of the ifIndex, which becomes 0; *has_port: the
 * table has an ifIndex in its index. Returns false if text is not an index of this table.
 */
static bool parse_index(enum mo_table_id table, const char *text, struct mo_index *index,
			bool *has_port)
{
	int port = mo_index_part(mo_table(table), MO_PART_PORT);
	char digits[128];
	char *star;

	*has_port = port >= 0;
	if (snprintf(digits, sizeof(digits), "%s", text) >= (int)sizeof(digits))
		return false;
	star = strchr(digits, '*');
	if (star)
		*star = '0';
	if (!mo_index_parse(digits, index) || index->n != mo_table(table)->index_len)
		return false;
	return *has_port == (star != NULL) && (!star || index->sub[port] == 0);
}

/* Returns whether this version has no writable object of this name. */
static bool is_unknown_object(const char *object)
{
	const struct mo_table *table;
	const struct mo_column *col = mo_column_by_name(object, &table);

	return !col || !mo_is_writable(col);
}

/* Parses a record. false: err says whether object, index or value is wrong and why. */
static bool parse_record(const char *object, const char *index, const char *value, struct record *r,
			 char *err, size_t errlen)
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
	if (!parse_index(table->id, index, &r->vb.index, &r->has_port)) {
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

/* Sets the port of a record that has one. */
static void set_port(struct record *r, uint32_t ifindex)
{
	int part = mo_index_part(mo_table(r->vb.table), MO_PART_PORT);

	if (part >= 0)
		r->vb.index.sub[part] = ifindex;
	else
		r->vb.value.num = ifindex;
}

/* --- a growing list of varbinds ------------------------------------------------------------- */

/* All zero: empty. */
struct batch {
	struct mo_varbind *vbs;
	unsigned *lines;
	size_t n, size;
	bool is_initial; /* checked as a SET; else settings that were in force before */
};

/* Adds a varbind of this line of the file. false: out of memory. */
static bool batch_add(struct batch *b, const struct mo_varbind *vb, unsigned line)
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

/* Removes the settings of one port. */
static void batch_drop_port(struct batch *b, uint32_t ifindex)
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

/* Removes the rows of a table. Returns whether there were any. */
static bool batch_drop_table(struct batch *b, enum mo_table_id table)
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

/* Adds a record whose port is set. A static entry is created by its RowStatus. As above. */
static bool batch_record(struct batch *b, const struct record *r, unsigned line)
{
	struct mo_varbind status = r->vb;

	if (!batch_add(b, &r->vb, line))
		return false;
	if (!r->has_port || mo_index_part(mo_table(r->vb.table), MO_PART_PORT) >= 0)
		return true;
	status.subid = 4; /* dcbStaticUnicastRowStatus */
	status.value = (struct mo_value){.syntax = MO_ROW_STATUS, .num = ROW_CREATE_AND_GO};
	return batch_add(b, &status, line);
}

/* Removes the varbinds of a line, and with all_of_object those of the same object as vb. */
static void batch_drop(struct batch *b, unsigned line, const struct mo_varbind *vb,
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

static void batch_free(struct batch *b)
{
	free(b->vbs);
	free(b->lines);
}

/* --- publishing a list of varbinds ---------------------------------------------------------- */

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
				   const struct batch *b, struct mo_result *r, char *err,
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
static struct dcb_config *batch_edit(const struct managed *m, const struct batch *b,
				     enum mo_error *error, unsigned *varbind, char *err,
				     size_t errlen)
{
	struct mo_result r;
	struct dcb_config *config = b->is_initial ? mo_edit(m, b->vbs, (unsigned)b->n, &r)
						  : mo_edit_kept(m, b->vbs, (unsigned)b->n, &r);

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

static unsigned failed_line(const struct batch *b, const struct failure *f)
{
	return f->varbind ? b->lines[f->varbind - 1] : 0;
}

/* Publishes all varbinds or none; then *f and err say why. */
static bool batch_apply(struct managed *m, const struct batch *b, struct failure *f, char *err,
			size_t errlen)
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

/* --- records of a newer version ------------------------------------------------------------- */

/* Records that are kept, while the state file is read. All zero: none. */
struct keep {
	config_t file;
	config_setting_t *list; /* NULL: file is not initialized */
};

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
static bool is_first(const struct keep *k, const char *object)
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

/*
 * Keeps a copy of a record of an unknown object, which has this name and is in this line of the
 * file at path, and logs the first one of each object. false: it has members that are no integers,
 * strings or booleans; or out of memory.
 */
static bool keep_unknown(struct keep *k, const config_setting_t *group, const char *object,
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

/* Makes the records those that m saves beside its settings. false: out of memory. */
static bool publish_kept(struct keep *k, struct managed *m)
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

static void free_kept(struct keep *k)
{
	if (k->list)
		config_destroy(&k->file);
	*k = (struct keep){.list = NULL};
}

/* --- measured delays: reading --------------------------------------------------------------- */

/*
 * The delays that ports have measured (P802.1Qdt 36.9.6) are no settings. They are in a list of
 * their own, which earlier versions of dcbd do not look for, so that they accept the file. After a
 * restart the list goes into the immutable settings of the port (struct pfc_measured in struct
 * port_config), as settings of an absent interface do, and the dataplane thread hands it to
 * the engine before the link is up; only while the link has that rate, because quanta are of
 * another length otherwise.
 */

/* A record, of a present interface or an absent one. */
struct measured {
	struct measured *next;
	struct pfc_measured is;
	bool is_alias;
	char key[DCB_ALIAS_OCTETS];
};

static const config_setting_t *take_member(struct reader *r, const config_setting_t *group,
					   const char *name)
{
	const config_setting_t *s = config_setting_get_member(group, name);

	if (!s)
		(void)conf_fail(r, group, "expected %s", name);
	return s;
}

static bool take_integer(struct reader *r, const config_setting_t *group, const char *name,
			 int64_t min, int64_t max, int64_t *v)
{
	const config_setting_t *s = take_member(r, group, name);

	return s && conf_integer(r, s, min, max, v);
}

static bool take_key(struct reader *r, const config_setting_t *group, struct measured *to)
{
	const config_setting_t *s = config_setting_get_member(group, "alias");
	const char *key;

	to->is_alias = s;
	if (!s)
		s = take_member(r, group, "name");
	key = s ? conf_string(r, s, 0, DCB_ALIAS_OCTETS - 1) : NULL;
	if (key)
		snprintf(to->key, sizeof(to->key), "%s", key);
	return key;
}

static bool take_delay(struct reader *r, const config_setting_t *group, struct measured *to)
{
	int64_t rate, path, average, count;

	if (!take_key(r, group, to) || !take_integer(r, group, "rate", 1, INT64_MAX, &rate) ||
	    !take_integer(r, group, "path", HMPDU_PATH_PLAIN, HMPDU_PATH_PRIVACY, &path) ||
	    !take_integer(r, group, "average", 1, UINT32_MAX, &average) ||
	    !take_integer(r, group, "count", 1, UINT32_MAX, &count))
		return false;
	to->is = (struct pfc_measured){.rate = {(uint64_t)rate},
				       .average = (uint32_t)average,
				       .count = (uint32_t)count,
				       .path = (uint8_t)path};
	return true;
}

/* Returns true, also for a wrong record: the next one is read. */
static bool read_delay(struct reader *r, const config_setting_t *group, void *base)
{
	struct measured *is = conf_alloc_check(calloc(1, sizeof(*is))), **list = base;
	struct reader warns = *r;
	char text[512];

	warns.err = text;
	warns.errlen = sizeof(text);
	if (take_delay(&warns, group, is)) {
		is->next = *list;
		*list = is;
		return true;
	}
	/*
	 * Message: The record at this line of the state file is wrong, or the provider of a port
	 * refuses it. All settings are restored. The port has no result until it has measured
	 * again.
	 */
	log_warn("persist", "%s: this measured delay is not restored", text);
	free(is);
	return true;
}

/*
 * Reads the records of a file. Choice: a wrong one is logged with its line and left out. It costs
 * the port its result until it has measured again, which takes a few round trips, and not the
 * system its settings. The list is missing in files of earlier versions, and while no port has
 * measured.
 */
static void read_measured(struct measured **list, struct reader *r)
{
	const config_setting_t *s = config_setting_get_member(conf_root(r), "measured");

	if (s && config_setting_is_list(s))
		(void)conf_each(r, s, "a list", read_delay, list);
	else if (s)
		/* Message: as "%s: this measured delay is not restored" */
		log_warn("persist", "%s:%u: measured: expected a list: no delay is restored",
			 r->path, conf_line(r, s));
}

/* Returns the record with this alias or name; its count is 0 if there is none. */
static struct pfc_measured measured_of(const struct measured *list, const char *key, bool is_alias)
{
	for (; list; list = list->next)
		if (list->is_alias == is_alias && strcmp(list->key, key) == 0)
			return list->is;
	return (struct pfc_measured){0};
}

/* --- measured delays: giving them to the ports ---------------------------------------------- */

/* A port without settings of a manager stays one. false: out of memory. */
static bool give_delay(const struct keyed_ports *ports, struct dcb_config *config,
		       const struct measured *was)
{
	const struct port *port = port_of_key(ports, was->key, was->is_alias);
	struct dcb_config_port *at;
	struct port_config *pc;

	if (!port)
		return true;
	at = &config->ports[dcb_config_lower_bound(config, port->link.ifindex)];
	pc = port_config_dup(at->config);
	if (!pc)
		return false;
	pc->pfc_measured = was->is;
	port_config_unref(at->config);
	at->config = pc;
	return true;
}

/* Publishes the delays of the ports that exist. If that fails, it is logged. */
static void publish_measured(struct managed *m, const struct keyed_ports *ports,
			     const struct measured *list)
{
	struct dcb_config *config = list ? dcb_config_copy(m->config) : NULL;
	struct provider_refusal why;
	char text[256] = "out of memory";
	bool ok = config;

	if (!list)
		return;
	for (; ok && list; list = list->next)
		ok = give_delay(ports, config, list);
	if (!ok)
		dcb_config_free(config);
	else if (managed_publish(m, config, &why))
		return;
	else
		managed_refusal_text(&why, text, sizeof(text));
	/* Message: as "%s: this measured delay is not restored" */
	log_warn("persist", "measured delays are not restored: %s", text);
}

static void free_measured(struct measured *list)
{
	while (list) {
		struct measured *next = list->next;

		free(list);
		list = next;
	}
}

/* --- the state file ------------------------------------------------------------------------- */

struct absent_record {
	struct absent_record *next;
	struct record record;
};

/* The records of an absent interface, the last of the file first. */
struct absent {
	UT_hash_handle hh;
	struct managed_absent_key key;
	struct absent_record *records;
};

struct load {
	struct managed *m;
	struct keyed_ports *ports;  /* those of m; NULL: no record was read */
	int64_t version;            /* of the file */
	bool keep_absent, is_newer; /* is_newer: the format of the file */
	struct batch batch;
	struct keep keep;
	unsigned left_out;     /* settings that are neither in force nor kept */
	struct absent *absent; /* a hash table, in the order of the file */
	struct measured *measured;
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
	struct managed_absent_key k = {.is_alias = is_alias};
	unsigned octets;
	struct absent *a;

	snprintf(k.text, sizeof(k.text), "%s", key);
	octets = (unsigned)(offsetof(struct managed_absent_key, text) + strlen(k.text));
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

static bool add_absent(struct load *l, const struct record *record, const char *key, bool is_alias)
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
static bool port_has(const struct port *port, const struct record *r)
{
	const struct mo_table *table = mo_table(r->vb.table);
	const struct mo_column *col = mo_column(table, r->vb.subid);

	return mo_caps_has(port, table, col) && mo_caps_sets(port, table, col);
}

/* Adds the record to the batch or to the absent ones. key NULL: a record without a port. */
static bool add_record(struct load *l, struct record *record, const char *key, bool is_alias,
		       unsigned line)
{
	const struct port *port;

	mo_read_adapt_index(l->m, record->vb.table, &record->vb.index);
	if (key) {
		port = port_of_key(l->ports, key, is_alias);
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
		set_port(record, port->link.ifindex);
	}
	return batch_record(&l->batch, record, line);
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
	    !port_of_key(l->ports, alias ? alias : name, alias != NULL))
		return conf_fail_at(r, line, "object \"%s\" of an absent interface", object);
	return keep_unknown(&l->keep, group, object, r->path, line) ||
	       conf_fail_at(r, line, "object \"%s\": expected strings and integers", object);
}

/* Takes a record. false: r->err has the reason, or *no_memory. */
static bool take_record(struct load *l, struct reader *r, const config_setting_t *group,
			bool *no_memory)
{
	const char *object, *index, *value, *alias, *name, *key;
	unsigned line = config_setting_source_line(group);
	struct record record;
	char reason[256];

	if (!take_string(r, group, "object", &object))
		return false;
	if (object && is_unknown_object(object))
		return keep_record(l, r, group, object);
	if (!take_string(r, group, "index", &index) || !take_string(r, group, "value", &value) ||
	    !take_string(r, group, "alias", &alias) || !take_string(r, group, "name", &name))
		return false;
	if (!object || !index || !value)
		return conf_fail_at(r, line, "expected object, index and value");
	if (!parse_record(object, index, value, &record, reason, sizeof(reason)))
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

/* --- files of version 1 --------------------------------------------------------------------- */

#define LINK_ALLOWANCE_COLUMN 1 /* ieee8021PfcLinkDelayAllowance */
#define CHOICE_COLUMN         1 /* dcbPfcHeadroomChoice */

/* The varbind of a port that has the allowance, or of its choice. */
static bool is_allowance(const struct mo_varbind *vb)
{
	return vb->table == MO_pfc_if && vb->subid == LINK_ALLOWANCE_COLUMN && vb->value.num;
}

static bool has_choice(const struct batch *b, const struct mo_index *port)
{
	for (size_t i = 0; i < b->n; i++)
		if (b->vbs[i].table == MO_pfc_headroom && b->vbs[i].subid == CHOICE_COLUMN &&
		    mo_index_compare(&b->vbs[i].index, port) == 0)
			return true;
	return false;
}

/* automatic, the initial value of that time, is calculated now. */
static bool migrate_batch(struct batch *b)
{
	size_t n = b->n;

	for (size_t i = 0; i < n; i++) {
		struct mo_varbind vb = b->vbs[i];

		if (!is_allowance(&vb) || has_choice(b, &vb.index))
			continue;
		vb.table = MO_pfc_headroom;
		vb.subid = CHOICE_COLUMN;
		vb.value = (struct mo_value){.syntax = MO_ENUM, .num = PFC_HEADROOM_CALCULATION};
		if (!batch_add(b, &vb, b->lines[i]))
			return false;
	}
	return true;
}

static void migrate_port(struct port_config *pc)
{
	if (pc->pfc_link_delay_allowance && pc->pfc_headroom.choice == PFC_HEADROOM_AUTOMATIC)
		pc->pfc_headroom.choice = PFC_HEADROOM_CALCULATION;
}

/* --- absent interfaces ---------------------------------------------------------------------- */

static void keep_settings_of_absent(struct load *l, struct absent *a)
{
	struct port_config *pc = port_config_dup(l->m->config->fresh);

	for (struct absent_record *r = a->records; pc && r; r = r->next) {
		set_port(&r->record, 1); /* any valid ifIndex */
		if (mo_edit_absent(l->m, pc, &r->record.vb) != MO_NO_ERROR)
			/*
			 * Messages: A setting of an interface that does not exist was lost. Set the
			 * objects again when the interface exists.
			 */
			log_warn("persist", "a setting of absent interface %s is invalid, not kept",
				 a->key.text);
	}
	if (pc)
		pc->pfc_measured = measured_of(l->measured, a->key.text, a->key.is_alias);
	if (pc && l->version == 1)
		migrate_port(pc);
	if (!pc || !managed_absent_add(l->m, a->key.text, a->key.is_alias, pc))
		log_error("persist", "out of memory: settings of absent interface %s are lost",
			  a->key.text);
	port_config_unref(pc);
}

/*
 * Rows of TRILL are refused for all ports together: those of one table are dropped, egress entries
 * first, because an RBridge learns such addresses.
 */
static bool drop_trill(struct batch *b, const struct provider_refusal *why)
{
	static const enum mo_table_id tables[] = {MO_trill_egress, MO_trill_hop};

	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		if (!batch_drop_table(b, tables[i]))
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

static bool drop_port(struct batch *b, const struct provider_refusal *why)
{
	size_t n = b->n;

	batch_drop_port(b, why->port->link.ifindex);
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
	batch_drop(&l->batch, line, vb, l->left_out > LEFT_OUT_LOGGED);
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
	l->ports = keyed_ports_new(l->m);
	if (!l->ports)
		return conf_fail(r, root, "out of memory");
	if (!conf_each(r, list, "a list", load_record, l))
		return false;
	if (l->version == 1 && !migrate_batch(&l->batch))
		return conf_fail(r, root, "out of memory");
	if (!load_batch(l, r->path, &line, reason, sizeof(reason)))
		return conf_fail_at(r, line, "%s", reason);
	return publish_kept(&l->keep, l->m) || conf_fail(r, root, "out of memory");
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
		read_measured(&l->measured, r);
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
	publish_measured(m, l.ports, l.measured);
	while (l.absent) {
		struct absent *a = l.absent;

		if (ok && keep_absent)
			keep_settings_of_absent(&l, a);
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
	free_measured(l.measured);
	keyed_ports_free(l.ports);
	batch_free(&l.batch);
	free_kept(&l.keep);
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

/* --- dcbd.conf's initial settings ----------------------------------------------------------- */

static bool initial_add(const struct managed *m, const struct conf_initial *in, struct batch *batch,
			char *err, size_t errlen)
{
	struct record r;
	bool any = false;

	if (!parse_record(in->object, in->index, in->value, &r, err, errlen))
		return false;
	if (r.has_port != (in->port != NULL)) {
		snprintf(err, errlen, "%s: expected %s port", in->object, r.has_port ? "a" : "no");
		return false;
	}
	if (!r.has_port)
		return batch_add(batch, &r.vb, in->line);
	for (size_t i = 0; i < m->config->n_ports; i++) {
		const struct port *port = m->config->ports[i].port;

		if (fnmatch(in->port, port->link.name, 0) != 0 || !port_has(port, &r))
			continue;
		set_port(&r, port->link.ifindex);
		if (!batch_record(batch, &r, in->line))
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
static bool initial_vlans(const struct managed *m, const struct conf *conf, struct batch *batch)
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
			if (!batch_add(batch, &vb, vlans->line))
				return false;
		}
	}
	return true;
}

bool persist_initial(struct managed *m, const struct conf *conf, char *err, size_t errlen)
{
	char reason[256] = "out of memory";
	struct batch batch = {.is_initial = true};
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
	batch_free(&batch);
	return ok;
}
