/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writes the state file: the settings as text. The texts of ports are kept from one save to the
 * next, because most SETs change one port of thousands. A text of a port is kept while its
 * settings, the names of ports and the rows of CNPVs stay: a SET makes that of one port, in a block
 * with those of 127 others, and copies the other blocks with their checksums.
 */
#include "control/persist.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>

#include <libconfig.h>
#include <zlib.h>

#include "control/objects/mo_read.h"
#include "control/objects/mo_rows.h"
#include "control/objects/mo_changed.h"
#include "control/objects/mo_static.h"
#include "control/objects/mo_trill.h"
#include "lib/log.h"

/* Kept settings and measured delays that are usual: more of them are written too. */
#define STATE_TAIL_OCTETS 4096

/* --- texts of libconfig --------------------------------------------------------------------- */

/* Returns the text of a file of libconfig, from malloc, and its length. NULL: out of memory. */
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

char *persist_list_text(const config_t *file, bool records_only, size_t *len)
{
	char *text = file_text(file, len);
	const char *begin, *end;

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

/* --- checksum ------------------------------------------------------------------------------- */

#define CHECKSUM_OCTETS 20

/* Makes the last line: crc is zlib's crc32() of all others. */
static void checksum_line(unsigned long crc, char line[CHECKSUM_OCTETS + 1])
{
	snprintf(line, CHECKSUM_OCTETS + 1, "crc32 = \"%08lx\";\n", crc);
}

bool persist_add_checksum(char **text, size_t *len)
{
	unsigned long crc = crc32(0, (const Bytef *)*text, (uInt)*len);
	char *longer = realloc(*text, *len + CHECKSUM_OCTETS + 1);

	if (!longer)
		return false;
	*text = longer;
	checksum_line(crc, longer + *len);
	*len += CHECKSUM_OCTETS;
	return true;
}

bool persist_has_checksum(const char *text, size_t len, unsigned *line)
{
	char expected[CHECKSUM_OCTETS + 1];
	size_t body = len - CHECKSUM_OCTETS;

	*line = 1;
	for (size_t i = 0; i + 1 < len; i++)
		*line += text[i] == '\n';
	if (len < CHECKSUM_OCTETS)
		return false;
	checksum_line(crc32(0, (const Bytef *)text, (uInt)body), expected);
	return memcmp(expected, text + body, CHECKSUM_OCTETS) == 0;
}

/* --- texts of ports, kept ------------------------------------------------------------------- */

/*
 * The text of a port depends on its settings, immutable while there is a reference, and its key.
 * The texts of neighboring ports are joined: a change of one makes one block anew, with its
 * checksum, and all others are copied as they are. Each text begins with the comma after the one
 * before.
 */
#define BLOCK_PORTS 128
#define BLOCKS      (DCB_SLOTS / BLOCK_PORTS)

struct block {
	char *text; /* of the ports, in their order */
	size_t len;
	unsigned long crc; /* of text */
	bool has_crc;
};

struct port_text {
	struct port_config *pc; /* NULL: none */
	size_t len;             /* in the text of its block; 0: the port has nothing to be saved */
};

struct persist_cache {
	uint64_t made;
	uint64_t names_generation; /* managed.names_generation, of all that follows */
	struct managed_shared_aliases shared;
	struct cn_com_pri_config com_pri[DCB_PRIORITIES];
	struct dcb_positions measured;  /* settings with a struct pfc_measured */
	struct port_text at[DCB_SLOTS]; /* by position */
	struct block blocks[BLOCKS];
};

struct persist_cache *persist_cache_new(void)
{
	return calloc(1, sizeof(struct persist_cache));
}

static void drop_all(struct persist_cache *cache)
{
	for (size_t pos = 0; pos < DCB_SLOTS; pos++) {
		port_config_unref(cache->at[pos].pc);
		cache->at[pos] = (struct port_text){.pc = NULL};
	}
	for (size_t i = 0; i < BLOCKS; i++) {
		free(cache->blocks[i].text);
		cache->blocks[i] = (struct block){.text = NULL};
	}
	cache->measured = (struct dcb_positions){{0}};
}

void persist_cache_free(struct persist_cache *cache)
{
	if (cache)
		drop_all(cache);
	free(cache);
}

/* As managed_key_of(). */
static const char *cache_key(const struct persist_cache *cache, const struct port *port,
			     bool *is_alias)
{
	return managed_key_of(&cache->shared, port, is_alias);
}

/*
 * To be called first in each save of config, which has the ports of m->config. Drops all texts if
 * ports, their names or aliases have changed, or the rows of CNPVs, on which the rows to be saved
 * and their initial values depend. Hides kept settings if names have changed, as each change of
 * these settings does: managed_absent_hide(). false: out of memory.
 */
static bool cache_begin(struct persist_cache *cache, const struct managed *m,
			const struct dcb_config *config)
{
	if (cache->names_generation == m->names_generation &&
	    memcmp(cache->com_pri, config->com_pri, sizeof(cache->com_pri)) == 0)
		return true;
	drop_all(cache);
	if (cache->names_generation != m->names_generation) {
		if (!managed_find_shared_aliases(m, &cache->shared))
			return false;
		managed_absent_hide(m, &cache->shared);
	}
	cache->names_generation = m->names_generation;
	memcpy(cache->com_pri, config->com_pri, sizeof(cache->com_pri));
	return true;
}

/* Returns the length of all texts. */
static size_t cache_octets(const struct persist_cache *cache)
{
	size_t octets = 0;

	for (size_t i = 0; i < BLOCKS; i++)
		octets += cache->blocks[i].len;
	return octets;
}

/* Returns whether the text of the port at pos is that of these settings. */
static bool cache_has(const struct persist_cache *cache, size_t pos, const struct port_config *pc)
{
	return cache->at[pos].pc == pc;
}

/* Makes room for len octets in place of was at an offset of the block. false: out of memory. */
static bool block_resize(struct block *b, size_t offset, size_t was, size_t len)
{
	char *text = b->text;

	if (len > was) {
		text = realloc(b->text, b->len + len - was);
		if (!text)
			return false;
	}
	b->text = text;
	if (text)
		memmove(text + offset + len, text + offset + was, b->len - offset - was);
	b->len = b->len + len - was;
	b->has_crc = false;
	return true;
}

/*
 * Keeps a copy of the text of the port at pos in place of an earlier one, and takes a reference to
 * its settings. len 0: it has nothing to be saved. false: out of memory, and the earlier one stays.
 */
static bool cache_keep(struct persist_cache *cache, size_t pos, struct port_config *pc,
		       const char *text, size_t len)
{
	struct block *b = &cache->blocks[pos / BLOCK_PORTS];
	struct port_text *t = &cache->at[pos];
	size_t octets = len ? len + 1 : 0, offset = 0;

	for (size_t i = pos / BLOCK_PORTS * BLOCK_PORTS; i < pos; i++)
		offset += cache->at[i].len;
	if (!block_resize(b, offset, t->len, octets))
		return false;
	if (len) {
		b->text[offset] = ',';
		memcpy(b->text + offset + 1, text, len);
	}
	port_config_ref(pc);
	port_config_unref(t->pc);
	*t = (struct port_text){.pc = pc, .len = octets};
	cache->measured.bits[pos / 64] &= ~(UINT64_C(1) << pos % 64);
	if (pc->pfc_measured.count)
		dcb_positions_add(&cache->measured, pos);
	cache->made += len != 0;
	return true;
}

/*
 * Returns the joined texts, of *len octets with this crc32(), of the port at *pos, 0 at first, and
 * some that follow. Each begins with a comma. Sets *pos to the first port of the next ones.
 */
static const char *cache_block(struct persist_cache *cache, size_t *pos, size_t *len,
			       unsigned long *crc)
{
	struct block *b = &cache->blocks[*pos / BLOCK_PORTS];

	if (!b->has_crc)
		b->crc = crc32(0, (const Bytef *)b->text, (uInt)b->len);
	b->has_crc = true;
	*len = b->len;
	*crc = b->crc;
	*pos += BLOCK_PORTS;
	return b->text;
}

/* Returns the ports whose settings have a measured delay from before they were created. */
static struct dcb_positions cache_measured(const struct persist_cache *cache)
{
	return cache->measured;
}

uint64_t persist_cache_made(const struct persist_cache *cache)
{
	return cache->made;
}

/* --- records -------------------------------------------------------------------------------- */

/* Formats an index as "1.*.3", with "*" in the place of the ifIndex. */
static void format_index(enum mo_table_id table, const struct mo_index *index, char *buf,
			 size_t size)
{
	int port = mo_index_part(mo_table(table), MO_PART_PORT);
	size_t used = 0;

	buf[0] = '\0';
	for (int i = 0; i < index->n && used < size; i++) {
		const char *dot = i ? "." : "";

		if (i == port)
			used += (size_t)snprintf(buf + used, size - used, "%s*", dot);
		else
			used += (size_t)snprintf(buf + used, size - used, "%s%" PRIu32, dot,
						 index->sub[i]);
	}
}

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

/* A list of records being built: all of the file is made of the texts of several lists. */
struct saving {
	config_t file;
	config_setting_t *list;
	const struct managed *m;
	const struct dcb_config *c;
	struct mo_initial initial;
	const struct record_port *port; /* whose settings are being added; NULL: the system's */
};

/* A RowStatus is written as the value that creates the row in this state (RFC 2579). */
static bool add_setting(void *ctx, const struct mo_changed *setting)
{
	static const struct record_port of_system;
	const struct saving *s = ctx;
	struct mo_value value;
	struct mo_index index;
	char at[64], text[MO_VALUE_TEXT];

	mo_field_get(setting->table, setting->col, setting->row, &value);
	if (value.syntax == MO_ROW_STATUS)
		value.num = value.num == ROW_ACTIVE ? ROW_CREATE_AND_GO : ROW_CREATE_AND_WAIT;
	mo_format(setting->col, &value, text, sizeof(text));
	mo_read_index(s->m, setting->table->id, 0, setting->priority, &index);
	format_index(setting->table->id, &index, at, sizeof(at));
	return add_record(s->list, setting->col, at, s->port ? s->port : &of_system, text);
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

	format_index(id, index, text, sizeof(text));
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
		format_index(MO_trill_hop, &index, text, sizeof(text));
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

static bool add_port(struct saving *s, const struct port_config *pc, uint8_t cnpvs,
		     const struct record_port *record)
{
	const struct port_config *initial = mo_initial_of(&s->initial, s->c, pc->profile_rate);
	bool ok;

	s->port = record;
	ok = mo_changed_each_of_port(pc, initial, cnpvs, add_setting, s);
	s->port = NULL;
	return ok && add_apps(s, pc, record) && add_static(s, pc, record) &&
	       add_hops(s, pc, record);
}

/* The settings of absent interfaces, unless they are hidden. */
static bool add_absent(struct saving *s)
{
	for (const struct managed_absent *k = s->m->absent; k; k = k->hh.next) {
		uint8_t priorities = dcb_config_cnpvs(s->c);

		if (k->is_hidden)
			continue;
		for (unsigned p = 0; p < DCB_PRIORITIES; p++)
			if (k->epoch[p] != s->c->com_pri_epoch[p])
				priorities &= (uint8_t) ~(1u << p);
		if (!add_port(s, k->config, priorities,
			      &(struct record_port){k->key.text, k->key.is_alias}))
			return false;
	}
	return true;
}

static bool add_system(struct saving *s)
{
	return mo_changed_each_of_system(s->c, add_setting, s) && add_egresses(s);
}

/* --- texts of lists ------------------------------------------------------------------------- */

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
	char *text = ok ? persist_list_text(&s->file, records_only, len) : NULL;

	config_destroy(&s->file);
	return text;
}

/* The state file being written, whether its list has records, and its checksum. */
struct state_text {
	char *text;
	size_t len, size;
	bool any, failed; /* failed: out of memory */
	unsigned long crc;
};

static void make_room(struct state_text *to, size_t octets)
{
	size_t size = to->len + octets;
	char *text;

	if (to->failed || size <= to->size)
		return;
	if (size < 2 * to->size)
		size = 2 * to->size;
	text = realloc(to->text, size);
	to->failed = !text;
	if (!text)
		return;
	to->text = text;
	to->size = size;
}

/* As put_text(), of a text that has this checksum. */
static void put_checked(struct state_text *to, const char *text, size_t len, unsigned long crc)
{
	make_room(to, len);
	if (to->failed)
		return;
	memcpy(to->text + to->len, text, len);
	to->len += len;
	to->crc = crc32_combine(to->crc, crc, (z_off_t)len);
}

static void put_text(struct state_text *to, const char *text, size_t len)
{
	put_checked(to, text, len, crc32(0, (const Bytef *)text, (uInt)len));
}

/* The records of ports, in blocks that begin with a comma. */
static void put_blocks(struct state_text *to, struct persist_cache *cache, size_t n_ports)
{
	make_room(to, cache_octets(cache) + STATE_TAIL_OCTETS);
	for (size_t pos = 0; pos < n_ports;) {
		unsigned long crc;
		size_t len;
		const char *text = cache_block(cache, &pos, &len, &crc);

		if (len == 0)
			continue;
		if (to->any)
			put_checked(to, text, len, crc);
		else
			put_text(to, text + 1, len - 1);
		to->any = true;
	}
}

static void put_records(struct state_text *to, const char *text, size_t len)
{
	if (len == 0)
		return;
	if (to->any)
		put_text(to, ",", 1);
	put_text(to, text, len);
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
		put_text(to, text, len);
	free(text);
	return ok;
}

static bool put_absent(struct state_text *to, struct saving *s)
{
	bool ok = saving_begin(s) && add_absent(s);
	size_t len;
	char *text = saving_end(s, ok, true, &len);

	ok = text;
	if (ok)
		put_records(to, text, len);
	free(text);
	return ok;
}

/* Makes the text of the settings of the port at pos, for the cache. false: out of memory. */
static bool make_port(struct saving *s, struct persist_cache *cache, size_t pos)
{
	const struct dcb_config_port *at = &s->c->ports[pos];
	struct record_port record;
	size_t len;
	char *text;
	bool ok;

	if (dcb_config_is_initial(s->c, pos))
		return cache_keep(cache, pos, at->config, NULL, 0);
	record.key = cache_key(cache, at->port, &record.is_alias);
	ok = saving_begin(s) && add_port(s, at->config, dcb_config_cnpvs(s->c), &record);
	text = saving_end(s, ok, true, &len);
	ok = text && cache_keep(cache, pos, at->config, text, len);
	free(text);
	return ok;
}

static bool put_ports(struct state_text *to, struct saving *s, struct persist_cache *cache)
{
	for (size_t i = 0; i < s->c->n_ports; i++)
		if (!cache_has(cache, i, s->c->ports[i].config) && !make_port(s, cache, i))
			return false;
	put_blocks(to, cache, s->c->n_ports);
	return true;
}

/* --- measured delays ------------------------------------------------------------------------ */

/*
 * Returns the ports that may have a delay to be saved: no others are looked at. A measurement
 * writes nothing: for every save the control thread reads the delays from the statistics of the
 * ports that have reported one.
 */
static struct dcb_positions may_have_measured(const struct managed *m,
					      const struct persist_cache *cache)
{
	struct dcb_positions ports = cache_measured(cache);

	for (size_t i = 0; m->any_has_measured && i < DCB_SLOTS / 64; i++)
		for (uint64_t slots = m->has_measured[i]; slots; slots &= slots - 1) {
			unsigned entry = m->by_slot[i * 64 + (unsigned)__builtin_ctzll(slots)];

			if (entry)
				dcb_positions_add(&ports, entry - 1u);
		}
	return ports;
}

static bool add_number(config_setting_t *group, const char *name, uint64_t number)
{
	config_setting_t *s = config_setting_add(group, name, CONFIG_TYPE_INT64);

	return s && config_setting_set_int64(s, (long long)number);
}

/*
 * Adds the record of a port to the file whose root this is, unless the count is 0. key: the port's
 * alias or name. false: out of memory.
 */
static bool add_delay(config_setting_t *root, const struct pfc_measured *is, const char *key,
		      bool is_alias)
{
	config_setting_t *list = config_setting_get_member(root, "measured"), *group;

	if (is->count == 0)
		return true;
	if (!list)
		list = config_setting_add(root, "measured", CONFIG_TYPE_LIST);
	group = list ? config_setting_add(list, NULL, CONFIG_TYPE_GROUP) : NULL;
	return group && add_text(group, is_alias ? "alias" : "name", key) &&
	       add_number(group, "rate", is->rate.bps) && add_number(group, "path", is->path) &&
	       add_number(group, "average", is->average) && add_number(group, "count", is->count);
}

static bool add_measured_of(config_setting_t *root, const struct saving *s,
			    const struct persist_cache *cache, size_t pos)
{
	const struct pfc_measured is = managed_delay_reported(s->m, &s->c->ports[pos]);
	bool is_alias;
	const char *key = cache_key(cache, s->c->ports[pos].port, &is_alias);

	return is.count == 0 || add_delay(root, &is, key, is_alias);
}

static bool add_measured(config_setting_t *root, const struct saving *s,
			 const struct persist_cache *cache)
{
	const struct dcb_positions ports = may_have_measured(s->m, cache);

	for (size_t i = 0; i < DCB_SLOTS / 64; i++)
		for (uint64_t bits = ports.bits[i]; bits; bits &= bits - 1)
			if (!add_measured_of(root, s, cache,
					     i * 64 + (unsigned)__builtin_ctzll(bits)))
				return false;
	for (const struct managed_absent *k = s->m->absent; k; k = k->hh.next)
		if (!k->is_hidden &&
		    !add_delay(root, &k->config->pfc_measured, k->key.text, k->key.is_alias))
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
		put_text(to, text, len);
	free(text);
	return ok;
}

/* --- the file ------------------------------------------------------------------------------- */

static bool put_all(struct state_text *to, struct saving *s, struct persist_cache *cache)
{
	char line[CHECKSUM_OCTETS + 1];

	if (!cache_begin(cache, s->m, s->c) || !put_system(to, s) || !put_ports(to, s, cache) ||
	    !put_absent(to, s))
		return false;
	put_records(to, s->m->kept.records, s->m->kept.len);
	put_text(to, " );\n", 4);
	if (!put_measured(to, s, cache))
		return false;
	checksum_line(to->crc, line);
	put_text(to, line, CHECKSUM_OCTETS + 1); /* with the NUL, which is not counted */
	return !to->failed;
}

/* As persist_text(), with a cache. */
static char *make_text(const struct managed *m, const struct dcb_config *config,
		       struct persist_cache *cache, size_t *len)
{
	struct saving s = {.m = m, .c = config};
	struct state_text to = {.text = NULL};

	if (!put_all(&to, &s, cache)) {
		free(to.text);
		return NULL;
	}
	*len = to.len - 1;
	return to.text;
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
		/*
		 * Message: The disk did not confirm that the state file was replaced, and did not
		 * accept that the former file is put back. The SET failed, and its values are not
		 * in force. Check the disk, and repeat the SET, or set any object.
		 */
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
