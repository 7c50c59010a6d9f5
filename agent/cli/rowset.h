/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whole tables in memory, for commands that combine several tables: rows by
 * index, values by column name.
 */
#ifndef DCB_AGENT_CLI_ROWSET_H
#define DCB_AGENT_CLI_ROWSET_H

#include "agent/cli/cli.h"
#include "agent/cli/target.h"
#include "lib/mo/mo.h"

/* The ports of a command, and the tables fetched for it. n 0: all ports. */
#define ROWSET_PORTS_MAX 64
struct rowset_ports {
	unsigned n;
	uint32_t ifindex[ROWSET_PORTS_MAX];
	struct target_ports names; /* those that dcbd's ports have */
	struct rowset *fetched;    /* rowset_ports_free() frees their rows */
};

/*
 * Connects to dcbd, reads the names of its ports, and parses names or ifIndex values. false:
 * an error has been printed, and rowset_ports_free() need not be called.
 */
bool rowset_ports_parse(struct cli *cli, struct rowset_ports *ports, int argc, char **argv);
/* Parses the name or the ifIndex of one port. Returns whether text is one. */
bool rowset_parse_port(const struct target_ports *names, const char *text, uint32_t *ifindex);
/* Frees the names, and the rows of all tables that rowset_fetch() has read for these ports. */
void rowset_ports_free(struct rowset_ports *ports);
bool rowset_ports_have(const struct rowset_ports *ports, uint32_t ifindex);

/* Returns the name of a port, or its ifIndex in decimal if dcbd has no name for it. */
#define ROWSET_PORT_OCTETS 32
const char *rowset_port_name(const struct rowset_ports *ports, uint32_t ifindex,
			     char name[ROWSET_PORT_OCTETS]);

/*
 * A value. num is the number, or of BITS a mask with bit n for BITS value n.
 * text is the formatted value of octet strings.
 */
struct rowset_cell {
	int64_t num;
	char *text; /* NULL: not an octet string */
};

struct rowset_row {
	struct mo_index index;
	struct rowset_cell *cells; /* one per column; all zero if the row has no value */
};

struct rowset {
	const struct mo_table *table;
	size_t n, room;
	struct rowset_row *rows; /* ascending by index */
	struct rowset *next;     /* fetched for the same ports */
};

/*
 * Reads the rows of a table that belong to these ports. The index of a row of a
 * neighbor (lldpV2Rem...) becomes (ifIndex, neighbor, ...), without time mark
 * and destination address. Once for each set, which has to exist until rowset_ports_free().
 * false: dcbd did not answer; an error has been printed.
 */
bool rowset_fetch(struct cli *cli, enum mo_table_id table, struct rowset_ports *ports,
		  struct rowset *set);

/*
 * Checks that dcbd has all ports of *ports; table is one with a row for every
 * port. false: an error has been printed.
 */
bool rowset_ports_exist(const struct rowset_ports *ports, const struct rowset *table);

/* Returns the position of the first row whose index is not before the n sub-identifiers sub. */
size_t rowset_find(const struct rowset *set, unsigned n, const uint32_t *sub);
/*
 * Returns whether there is a row at this position whose index begins with these
 * sub-identifiers.
 */
bool rowset_has(const struct rowset *set, size_t row, unsigned n, const uint32_t *sub);

/*
 * Return the value of a column by its name, which the table has to have. 0 or
 * "" if there is no row at this position.
 */
int64_t rowset_num(const struct rowset *set, size_t row, const char *object);
const char *rowset_text(const struct rowset *set, size_t row, const char *object);
/* Returns whether a TruthValue is true(1). */
bool rowset_truth(const struct rowset *set, size_t row, const char *object);
/* Returns the name of an enumeration's value; "unknown" if it has none. */
const char *rowset_name(const struct rowset *set, size_t row, const char *object);

#endif
