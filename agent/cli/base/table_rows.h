/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whole tables in memory, for commands that combine several tables: rows by index, values by
 * object; and the columns that a command makes of them, as text and as JSON.
 */
#ifndef DCB_AGENT_CLI_BASE_TABLE_ROWS_H
#define DCB_AGENT_CLI_BASE_TABLE_ROWS_H

#include <jansson.h>

#include "agent/cli/base/cli.h"
#include "agent/cli/base/text_table.h"
#include "agent/cli/base/target.h"
#include "lib/mo/mo.h"

/* The ports of a command. n 0: all ports. */
#define TABLE_ROWS_PORTS_MAX 64
struct table_rows_ports {
	unsigned n;
	uint32_t ifindex[TABLE_ROWS_PORTS_MAX];
	struct target_ports names; /* those that dcbd's ports have */
};

/*
 * Connects to dcbd, reads the names of its ports, and parses names or ifIndex values. false:
 * an error has been printed, and table_rows_ports_free() need not be called.
 */
bool table_rows_ports_parse(struct cli *cli, struct table_rows_ports *ports, int argc, char **argv);
/* Parses the name or the ifIndex of one port. Returns whether text is one. */
bool table_rows_parse_port(const struct target_ports *names, const char *text, uint32_t *ifindex);
void table_rows_ports_free(struct table_rows_ports *ports);
bool table_rows_ports_have(const struct table_rows_ports *ports, uint32_t ifindex);

/* Returns the name of a port, or its ifIndex in decimal if dcbd has no name for it. */
#define TABLE_ROWS_PORT_OCTETS 32
const char *table_rows_port_name(const struct table_rows_ports *ports, uint32_t ifindex,
				 char name[TABLE_ROWS_PORT_OCTETS]);
/* Returns {"ifIndex", "port"}: the ifIndex and the name of a port of dcbd. */
json_t *table_rows_port_json(const struct table_rows_ports *ports, uint32_t ifindex);

/*
 * A value. num is the number, or of BITS a mask with bit n for BITS value n.
 * text is the formatted value of octet strings.
 */
struct table_rows_cell {
	int64_t num;
	char *text; /* NULL: not an octet string */
	bool has;   /* the object has an instance */
};

struct table_row {
	struct mo_index index;
	struct table_rows_cell *cells; /* one per column; all zero if the row has no value */
};

struct table_rows {
	const struct mo_table *table; /* NULL: not read */
	size_t n, room;
	struct table_row *rows; /* ascending by index */
};

/* The ports and tables that the output of a command is made of. */
struct table_rows_all {
	struct cli *cli;
	struct table_rows_ports ports;
	struct table_rows of[MO_TABLES]; /* by their ID */
};

/*
 * Reads the rows of tables that belong to the ports. Their index then begins with the ifIndex, if
 * it has one. That of a neighbor (lldpV2Rem...) becomes (ifIndex, neighbor, ...), without time mark
 * and destination address. MO_TABLES is the end of the list. false: dcbd did not answer; an error
 * has been printed.
 */
bool table_rows_fetch(struct table_rows_all *all, const enum mo_table_id *tables);
/* Frees the ports and the rows of all tables. */
void table_rows_free(struct table_rows_all *all);
/*
 * Checks that dcbd has all ports of the command; table is one with a row for every port. false:
 * an error has been printed.
 */
bool table_rows_ports_exist(const struct table_rows_all *all, enum mo_table_id table);

/* A row. If there is none, sub is NULL, and all values are 0 or "". */
struct table_rows_at {
	const struct table_rows_all *all;
	const struct table_rows *set;
	size_t row;
	const uint32_t *sub; /* its index */
	/* For the functions of a column: the column, and data of the command. */
	const struct table_rows_column *col;
	const void *data;
};

/* Returns a row by its position; of a scalar group, 0. */
struct table_rows_at table_rows_at(const struct table_rows_all *all, enum mo_table_id table,
				   size_t row);
/* Returns the first row whose index begins with the n sub-identifiers sub. */
struct table_rows_at table_rows_find(const struct table_rows_all *all, enum mo_table_id table,
				     unsigned n, const uint32_t *sub);
/* Moves to the next row if its index begins with them, too; else *at becomes no row. */
void table_rows_next(struct table_rows_at *at, unsigned n, const uint32_t *sub);
#define TABLE_ROWS_EACH(at, all, table, n, key)                                     \
	for (struct table_rows_at at = table_rows_find(all, table, n, key); at.sub; \
	     table_rows_next(&at, n, key))

/* Return the value of an object, which the table has to have. */
int64_t table_rows_num(struct table_rows_at at, const char *object);
const char *table_rows_text(struct table_rows_at at, const char *object);
/* Returns whether a TruthValue is true(1). */
bool table_rows_truth(struct table_rows_at at, const char *object);
/* Returns the name of an enumeration's value; "unknown" if it has none. */
const char *table_rows_name(struct table_rows_at at, const char *object);
/* Returns the value as JSON: of BITS an array of names, else as out_json_value(). */
json_t *table_rows_json(struct table_rows_at at, const char *object);

/*
 * A column: a member of a JSON object and a column of a text table. An array of columns ends with
 * one that has neither key nor heading.
 *
 * The value is null if has() returns false, else what value() returns, or the value of object, or
 * an object of members, or an array of rows, or null. The text is what text() writes, or the value
 * of object, or a number, a string, the names of bits, yes or no; of null, "-".
 */
#define TABLE_ROWS_CELL_OCTETS 1024 /* of a cell, with its zero: the rest is cut */
struct table_rows_column {
	const char *key;     /* of the member; NULL: text only */
	const char *heading; /* NULL: JSON only */
	bool right;          /* the text is aligned to the right */
	const char *object;
	const struct table_rows_column *members; /* of the row table_rows_members() */
	/* Of table: those whose index begins with arg parts of this one's. */
	const struct table_rows_column *rows;
	enum mo_table_id table;
	bool (*has)(struct table_rows_at at); /* NULL: always */
	json_t *(*value)(struct table_rows_at at);
	void (*text)(struct table_rows_at at, char text[TABLE_ROWS_CELL_OCTETS]);
	/* For these functions, which find the column in at.col. */
	unsigned arg;
	const char *other;
};

/* Whether the object has an instance: has() of a column. */
bool table_rows_has(struct table_rows_at at);
/* Values: number arg of the index; six of its numbers from there on as an address. */
json_t *table_rows_sub(struct table_rows_at at);
json_t *table_rows_address(struct table_rows_at at);
/* The name of the row's port, and its text. */
json_t *table_rows_port(struct table_rows_at at);
void table_rows_port_text(struct table_rows_at at, char text[TABLE_ROWS_CELL_OCTETS]);
/* Fields of data: a string, which can be NULL, and an int64_t. */
json_t *table_rows_string(struct table_rows_at at);
json_t *table_rows_integer(struct table_rows_at at);
#define TABLE_ROWS_STRING(type, field)  .value = table_rows_string, .arg = offsetof(type, field)
#define TABLE_ROWS_INTEGER(type, field) .value = table_rows_integer, .arg = offsetof(type, field)
/* clang-format off */
/* A column whose text is aligned to the right: an object, or a number of the index. */
#define TABLE_ROWS_NUMBER(name, title, of) \
	{.key = (name), .heading = (title), .right = true, .object = MO_NAME(of)}
#define TABLE_ROWS_INDEX(name, title, part) \
	{.key = (name), .heading = (title), .right = true, .value = table_rows_sub, .arg = (part)}
/* The row's port: its name in text; ifIndex and name in JSON, too. */
#define TABLE_ROWS_PORT_CELL {.heading = "port", .text = table_rows_port_text}
#define TABLE_ROWS_PORT \
	{.key = "ifIndex", .value = table_rows_sub}, \
	{.key = "port", .heading = "port", .value = table_rows_port, .text = table_rows_port_text}
/* clang-format on */

/* An object's value, null if it is 0; names of the bits that are set in a value of the object. */
json_t *table_rows_nonzero(struct table_rows_at at);
json_t *table_rows_bits(const char *object, int64_t mask);

/*
 * Returns the row that the members of at.col are about: with arg, that of table whose index begins
 * with arg parts of this one's, else this row; none if the column has none here.
 */
struct table_rows_at table_rows_members(struct table_rows_at at);
/* Returns a JSON object with the columns of a row. */
json_t *table_rows_object(struct table_rows_at at, const struct table_rows_column *columns);
/* Adds the headings to a text table; the cells of a row. */
void table_rows_headings(struct text_table *g, const struct table_rows_column *columns);
void table_rows_cells(struct text_table *g, struct table_rows_at at,
		      const struct table_rows_column *columns);
/* Writes the cell of the column with this key, which there has to be. */
void table_rows_cell(struct table_rows_at at, const struct table_rows_column *columns,
		     const char *key, char text[TABLE_ROWS_CELL_OCTETS]);
/* Adds headings and all rows of a table. */
void table_rows_put(struct text_table *g, const struct table_rows_all *all, enum mo_table_id table,
		    const struct table_rows_column *columns);
/*
 * Prints the text table and frees it. With a title, "" for none, only if it has rows, after an
 * empty line and the title.
 */
void table_rows_print(struct text_table *g, FILE *f, const char *title);

/* A command that reads tables for ports, its arguments, and prints them. */
struct table_rows_command {
	const enum mo_table_id *tables;
	enum mo_table_id ports; /* the one with a row for every port */
	/* false: not possible with this dcbd, an error has been printed. NULL: always possible. */
	bool (*check)(const struct table_rows_all *all);
	void (*text)(const struct table_rows_all *all, FILE *f);
	/* JSON: an array of the rows of this table; of a scalar group there is one, or none. */
	enum mo_table_id rows;
	const struct table_rows_column *columns;
	/*
	 * Whether what has been printed is good; else the exit status is CLI_FAILED, and that of an
	 * error CLI_USAGE. NULL: an error is CLI_FAILED.
	 */
	bool (*good)(const struct table_rows_all *all);
};
/* Returns the exit status. */
int table_rows_command(struct cli *cli, const struct table_rows_command *command, int argc,
		       char **argv);

#endif
