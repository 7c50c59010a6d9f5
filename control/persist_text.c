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
