/* SPDX-License-Identifier: BSD-3-Clause */
/* Values of rows: found, read, and reported if they are malformed. Pure. */
#ifndef DCB_SONIC_SONIC_TEXT_H
#define DCB_SONIC_SONIC_TEXT_H

#include <stddef.h>
#include <stdint.h>

#include "dataplane/sonic/sonic_tables.h"

/* Where values are read from, and where the first malformed one is reported. */
struct sonic_reader {
	enum sonic_table table;
	const struct sonic_row *row; /* NULL: there is none, as if it were empty */
	char *error;                 /* SONIC_ERROR_OCTETS */
};

/* Returns the row of a key; NULL: there is none. */
const struct sonic_row *sonic_row_find(const struct sonic_rows *rows, enum sonic_table table,
				       const char *key);
/* The same, as a reader. */
struct sonic_reader sonic_reader_of(const struct sonic_rows *rows, enum sonic_table table,
				    const char *key, char *error);
/* Returns the value of a field; NULL: it is missing, empty, or "N/A". */
const char *sonic_value(const struct sonic_reader *r, const char *field);
/* The same, also if it is empty. */
const char *sonic_raw_value(const struct sonic_reader *r, const char *field);

/* Reports a malformed value, if it is the first. */
void sonic_malformed(const struct sonic_reader *r, const char *field, const char *value,
		     const char *expected);

/*
 * Read a field. Return whether it has a valid value. Without one *out is unchanged; one that is
 * malformed is reported.
 */
bool sonic_read_number(const struct sonic_reader *r, const char *field, uint64_t min, uint64_t max,
		       uint64_t *out);
/* One of n words: *out is its number. */
bool sonic_read_word(const struct sonic_reader *r, const char *field, unsigned n,
		     const char *const words[], unsigned *out);
/* A name, also as [TABLE|name] or [TABLE:name], as older images write references. */
bool sonic_read_name(const struct sonic_reader *r, const char *field, size_t size, char *out);

/* Reads decimal digits, and nothing else. Returns false if the number is above max. */
bool sonic_number(const char *text, uint64_t max, uint64_t *out);

/* Reads "oid:0x" and 1 to 16 hexadecimal digits, not 0. Returns false if it is anything else. */
bool sonic_read_oid(const char *text, uint64_t *oid);

/*
 * Returns whether the key of a row of QUEUE or BUFFER_PG is about this port and number: a list of
 * ports, a separator, and a range, as Ethernet0,Ethernet4|3-4. On a chassis the name of the system
 * and of the ASIC come first. here: these two with a separator behind each.
 */
bool sonic_key_covers(const char *key, char separator, const char *here, const char *port,
		      unsigned number);
/* Returns whether name is in a list of names between commas. */
bool sonic_list_has(const char *list, size_t len, const char *name);

#endif
