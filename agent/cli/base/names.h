/* SPDX-License-Identifier: BSD-3-Clause */
/* The names of ports, to print them beside each ifIndex. */
#ifndef DCB_AGENT_CLI_BASE_NAMES_H
#define DCB_AGENT_CLI_BASE_NAMES_H

#include "agent/cli/base/target.h"

/* All zero but client at the start. dcbd is asked when the first name is needed. */
struct names {
	struct mo_client *client; /* NULL: there are no names */
	bool read;
	struct target_ports ports; /* empty: dcbd did not answer, or has no ports */
};

/* Reads the names again when the next one is needed. Frees them, so it is also the end. */
void names_forget(struct names *names);

/*
 * Returns the name of the port; NULL: names is NULL, dcbd did not answer, or it has no port of
 * this ifIndex.
 */
const char *names_of(struct names *names, uint32_t ifindex);

/* Returns the number of the index part that is an ifIndex; UINT_MAX: none. */
unsigned names_port_part(const struct mo_table *table);
/* Returns whether the value of an object is the ifIndex of a port. */
bool names_is_port(const struct mo_table *table, const struct mo_column *col);
/*
 * Returns the ifIndex of an instance: of its index, else of the value of col, which can be NULL;
 * 0: it has none.
 */
uint32_t names_ifindex(const struct mo_table *table, const struct mo_index *index,
		       const struct mo_column *col, const struct mo_value *value);
/*
 * The same for a row: present bit i says that it has values[i]. Of several values that are an
 * ifIndex the first one counts.
 */
uint32_t names_row_ifindex(const struct mo_table *table, const struct mo_index *index,
			   const struct mo_value *values, uint64_t present);
/* Returns whether rows of the table can have an ifIndex. */
bool names_has_port(const struct mo_table *table);

#endif
