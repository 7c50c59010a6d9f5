/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/persist_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#define CHECKSUM_FORMAT "crc32 = \"%08lx\";\n"
#define CHECKSUM_OCTETS 20

void persist_index_format(enum mo_table_id table, const struct mo_index *index, char *buf,
			  size_t size)
{
	int port = mo_bind_port_part(table);
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
	int port = mo_bind_port_part(table);
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

const struct port *persist_port(const struct managed *m, const char *key, bool is_alias)
{
	const struct port *renamed = NULL;

	for (size_t i = 0; i < m->config->n_ports; i++) {
		const struct port *port = m->config->ports[i].port;
		bool by_alias;

		if (strcmp(is_alias ? port->link.alias : port->link.name, key) != 0)
			continue;
		managed_port_key(m, port, &by_alias);
		if (by_alias == is_alias)
			return port;
		/* The interface got an alias after its settings were saved by name. */
		if (!is_alias)
			renamed = port;
	}
	return renamed;
}

bool persist_add_checksum(char **text, size_t *len)
{
	unsigned long crc = crc32(0, (const Bytef *)*text, (uInt)*len);
	char *longer = realloc(*text, *len + CHECKSUM_OCTETS + 1);

	if (!longer)
		return false;
	*text = longer;
	*len += (size_t)snprintf(longer + *len, CHECKSUM_OCTETS + 1, CHECKSUM_FORMAT, crc);
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
	snprintf(expected, sizeof(expected), CHECKSUM_FORMAT,
		 (unsigned long)crc32(0, (const Bytef *)text, (uInt)body));
	return memcmp(expected, text + body, CHECKSUM_OCTETS) == 0;
}

/* --- texts of ports, kept --------------------------------------------------------------- */

/* The text of a port depends on its settings, immutable while there is a reference, and its key. */
struct port_text {
	struct port_config *pc; /* NULL: none */
	char *text;
	size_t len;
};

struct persist_cache {
	uint64_t made;
	uint64_t names; /* managed.names, of all that follows */
	struct managed_shared_aliases shared;
	struct cn_com_pri_config com_pri[DCB_PRIORITIES];
	struct port_text at[DCB_SLOTS]; /* by position */
};

struct persist_cache *persist_cache_new(void)
{
	return calloc(1, sizeof(struct persist_cache));
}

static void drop(struct port_text *t)
{
	port_config_unref(t->pc);
	free(t->text);
	*t = (struct port_text){.pc = NULL};
}

static void drop_all(struct persist_cache *cache)
{
	for (size_t pos = 0; pos < DCB_SLOTS; pos++)
		if (cache->at[pos].pc)
			drop(&cache->at[pos]);
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
	if (cache->names == m->names &&
	    memcmp(cache->com_pri, config->com_pri, sizeof(cache->com_pri)) == 0)
		return true;
	drop_all(cache);
	if (cache->names != m->names && !managed_find_shared_aliases(m, &cache->shared))
		return false;
	cache->names = m->names;
	memcpy(cache->com_pri, config->com_pri, sizeof(cache->com_pri));
	return true;
}

const char *persist_cache_find(const struct persist_cache *cache, size_t pos,
			       const struct port_config *pc, size_t *len)
{
	const struct port_text *t = &cache->at[pos];

	*len = t->len;
	return t->pc == pc ? t->text : NULL;
}

void persist_cache_keep(struct persist_cache *cache, size_t pos, struct port_config *pc, char *text,
			size_t len)
{
	drop(&cache->at[pos]);
	cache->at[pos] = (struct port_text){port_config_ref(pc), text, len};
	cache->made++;
}

uint64_t persist_cache_made(const struct persist_cache *cache)
{
	return cache->made;
}
