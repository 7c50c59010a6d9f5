/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tables as a whole, for commands that make one picture of several: rows by
 * index, values by column.
 */
#ifndef DCB_AGENT_CLI_ROWSET_H
#define DCB_AGENT_CLI_ROWSET_H

#include "agent/cli/cli.h"
#include "lib/mo/mo.h"

/* Ports that a command is about; n 0: all. */
#define ROWSET_PORTS_MAX 64
struct rowset_ports {
	unsigned n;
	uint32_t ifindex[ROWSET_PORTS_MAX];
};

/* Names of interfaces or their numbers. false: says what is wrong. */
bool rowset_ports_parse(struct rowset_ports *ports, int argc, char **argv);
bool rowset_ports_have(const struct rowset_ports *ports, uint32_t ifindex);

/* The name of an interface, or its number where it has none here. */
#define ROWSET_PORT_OCTETS 32
const char *rowset_port_name(uint32_t ifindex, char name[ROWSET_PORT_OCTETS]);

/* A number, of BITS a mask with bit n for number n; octets and strings are text besides. */
struct rowset_cell {
	int64_t num;
	char *text; /* NULL: it is a number */
};

struct rowset_row {
	struct mo_index index;
	struct rowset_cell *cells; /* one a column; 0 where the row has none there */
};

struct rowset {
	const struct mo_table *table;
	size_t n, room;
	struct rowset_row *rows; /* ascending by index */
};

/*
 * Reads a table's rows that are about these ports. Of what neighbors say the
 * index becomes (ifIndex, neighbor, ...), without time mark and LLDP destination
 * address. false: dcbd did not answer, which has been said; nothing is to be freed.
 */
bool rowset_fetch(struct cli *cli, enum mo_table_id table, const struct rowset_ports *ports,
		  struct rowset *set);
void rowset_free(struct rowset *set);

/* Does dcbd have each port that was named? table: one with a row for every port. If not, says so.
 */
bool rowset_ports_are_there(const struct rowset_ports *ports, const struct rowset *table);

/* Position of the first row whose index begins with these, or of what is behind where it would be.
 */
size_t rowset_find(const struct rowset *set, unsigned n, const uint32_t *sub);
/* Does the row at this position, if there is one, begin with these? */
bool rowset_has(const struct rowset *set, size_t row, unsigned n, const uint32_t *sub);

/* By the name of an object, which the table has; of a position, 0 or "" if there is no such row. */
int64_t rowset_num(const struct rowset *set, size_t row, const char *object);
const char *rowset_text(const struct rowset *set, size_t row, const char *object);
/* A TruthValue. */
bool rowset_truth(const struct rowset *set, size_t row, const char *object);
/* The name of an enumeration's value; "unknown" where it has none. */
const char *rowset_name(const struct rowset *set, size_t row, const char *object);

#endif
