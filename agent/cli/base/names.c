/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/cli/base/names.h"

#include <limits.h>
#include <string.h>
#include <strings.h>

void names_forget(struct names *names)
{
	target_ports_free(&names->ports);
	names->read = false;
}

const char *names_of(struct names *names, uint32_t ifindex)
{
	if (!names || !names->client)
		return NULL;
	if (!names->read)
		(void)target_ports_read(names->client, &names->ports);
	names->read = true;
	return target_ports_name(&names->ports, ifindex);
}

static bool is_ifindex(const char *name)
{
	size_t n = strlen(name);

	return n >= 7 && strcasecmp(name + n - 7, "ifIndex") == 0;
}

unsigned names_port_part(const struct mo_table *table)
{
	for (unsigned i = 0; i < table->n_index; i++)
		if (is_ifindex(table->index[i].name))
			return i;
	return UINT_MAX;
}

bool names_is_port(const struct mo_table *table, const struct mo_column *col)
{
	return is_ifindex(col->name) || mo_value_is_port(table, col);
}

uint32_t names_ifindex(const struct mo_table *table, const struct mo_index *index,
		       const struct mo_column *col, const struct mo_value *value)
{
	unsigned part = names_port_part(table);

	/* No part before an ifIndex has several sub-identifiers. */
	if (part < index->n)
		return index->sub[part];
	return col && names_is_port(table, col) ? (uint32_t)value->num : 0;
}

uint32_t names_row_ifindex(const struct mo_table *table, const struct mo_index *index,
			   const struct mo_value *values, uint64_t present)
{
	uint32_t ifindex = names_ifindex(table, index, NULL, NULL);

	for (unsigned i = 0; i < table->n_columns && !ifindex; i++)
		if (present >> i & 1)
			ifindex = names_ifindex(table, index, &table->columns[i], &values[i]);
	return ifindex;
}

bool names_has_port(const struct mo_table *table)
{
	bool has = names_port_part(table) != UINT_MAX;

	for (unsigned i = 0; i < table->n_columns; i++)
		has |= names_is_port(table, &table->columns[i]);
	return has;
}
