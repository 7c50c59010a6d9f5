/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/persist_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

void persist_index_format(enum mo_table_id table, const struct mo_index *index, char *buf,
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

bool persist_index_parse(enum mo_table_id table, const char *text, struct mo_index *index,
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

/* --- ports by their keys ------------------------------------------------------------------- */

struct persist_ports {
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

struct persist_ports *persist_ports_new(const struct managed *m)
{
	const struct dcb_config *config = m->config;
	struct persist_ports *ports = calloc(1, sizeof(*ports));
	bool is_alias;

	if (!ports)
		return NULL;
	for (int i = 0; i < 2; i++)
		ports->sorted[i] = calloc(config->n_ports + 1, sizeof(*ports->sorted[i]));
	if (!ports->sorted[0] || !ports->sorted[1] ||
	    !managed_find_shared_aliases(m, &ports->shared)) {
		persist_ports_free(ports);
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

void persist_ports_free(struct persist_ports *ports)
{
	if (!ports)
		return;
	free(ports->sorted[false]);
	free(ports->sorted[true]);
	free(ports);
}

static const char *key_text(const struct port *port, bool is_alias)
{
	return is_alias ? port->link.alias : port->link.name;
}

const struct port *persist_port(const struct persist_ports *ports, const char *key, bool is_alias)
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

/* --- texts of libconfig -------------------------------------------------------------------- */

char *persist_file_text(const config_t *file, size_t *len)
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
	char *text = persist_file_text(file, len);
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

/* --- checksum ------------------------------------------------------------------------------ */

void persist_checksum(unsigned long crc, char line[PERSIST_CHECKSUM_OCTETS + 1])
{
	snprintf(line, PERSIST_CHECKSUM_OCTETS + 1, "crc32 = \"%08lx\";\n", crc);
}

bool persist_add_checksum(char **text, size_t *len)
{
	unsigned long crc = crc32(0, (const Bytef *)*text, (uInt)*len);
	char *longer = realloc(*text, *len + PERSIST_CHECKSUM_OCTETS + 1);

	if (!longer)
		return false;
	*text = longer;
	persist_checksum(crc, longer + *len);
	*len += PERSIST_CHECKSUM_OCTETS;
	return true;
}

bool persist_has_checksum(const char *text, size_t len, unsigned *line)
{
	char expected[PERSIST_CHECKSUM_OCTETS + 1];
	size_t body = len - PERSIST_CHECKSUM_OCTETS;

	*line = 1;
	for (size_t i = 0; i + 1 < len; i++)
		*line += text[i] == '\n';
	if (len < PERSIST_CHECKSUM_OCTETS)
		return false;
	persist_checksum(crc32(0, (const Bytef *)text, (uInt)body), expected);
	return memcmp(expected, text + body, PERSIST_CHECKSUM_OCTETS) == 0;
}

/* --- texts of ports, kept --------------------------------------------------------------- */

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

const char *persist_cache_key(const struct persist_cache *cache, const struct port *port,
			      bool *is_alias)
{
	return managed_key_of(&cache->shared, port, is_alias);
}

/* --- texts -------------------------------------------------------------------------------- */

bool persist_cache_begin(struct persist_cache *cache, const struct managed *m,
			 const struct dcb_config *config)
{
	if (cache->names_generation == m->names_generation &&
	    memcmp(cache->com_pri, config->com_pri, sizeof(cache->com_pri)) == 0)
		return true;
	drop_all(cache);
	if (cache->names_generation != m->names_generation) {
		if (!managed_find_shared_aliases(m, &cache->shared))
			return false;
		managed_hide_parked(m, &cache->shared);
	}
	cache->names_generation = m->names_generation;
	memcpy(cache->com_pri, config->com_pri, sizeof(cache->com_pri));
	return true;
}

size_t persist_cache_octets(const struct persist_cache *cache)
{
	size_t octets = 0;

	for (size_t i = 0; i < BLOCKS; i++)
		octets += cache->blocks[i].len;
	return octets;
}

bool persist_cache_has(const struct persist_cache *cache, size_t pos, const struct port_config *pc)
{
	return cache->at[pos].pc == pc;
}

/* Makes room for len octets in place of was at an offset of the block. false: out of memory. */
static bool make_room(struct block *b, size_t offset, size_t was, size_t len)
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

bool persist_cache_keep(struct persist_cache *cache, size_t pos, struct port_config *pc,
			const char *text, size_t len)
{
	struct block *b = &cache->blocks[pos / BLOCK_PORTS];
	struct port_text *t = &cache->at[pos];
	size_t octets = len ? len + 1 : 0, offset = 0;

	for (size_t i = pos / BLOCK_PORTS * BLOCK_PORTS; i < pos; i++)
		offset += cache->at[i].len;
	if (!make_room(b, offset, t->len, octets))
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

const char *persist_cache_block(struct persist_cache *cache, size_t *pos, size_t *len,
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

struct dcb_positions persist_cache_measured(const struct persist_cache *cache)
{
	return cache->measured;
}

uint64_t persist_cache_made(const struct persist_cache *cache)
{
	return cache->made;
}
