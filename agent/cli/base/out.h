/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writers of the commands' output, as text or as JSON. Each command calls the
 * operations in this order:
 *
 *   table row* table row* ... end     show, watch
 *   object* end                       objects
 *   assignment* end                   set
 *   event end                         monitor, once per event
 */
#ifndef DCB_AGENT_CLI_BASE_OUT_H
#define DCB_AGENT_CLI_BASE_OUT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "lib/mo/mo_msg.h"

#define OUT_COLUMNS_MAX 64 /* at least the accessible columns of the widest table */

struct out_row {
	struct mo_index index;
	const struct mo_value *values;   /* one per column of the table */
	uint64_t present;                /* bit i: the row has values[i] */
	const struct mo_origin *origins; /* one per column; NULL: not read */
	const double *rates; /* per second, of counters; NAN: not known; NULL: no rates */
};

struct out;
struct names;

struct out_ops {
	/* Begins a table. col: only this column is shown; NULL: all. */
	void (*table)(struct out *out, const struct mo_table *table, const struct mo_column *col);
	void (*row)(struct out *out, const struct out_row *row);
	void (*object)(struct out *out, const struct mo_table *table, const struct mo_column *col);
	void (*assignment)(struct out *out, const struct mo_varbind *vb);
	void (*event)(struct out *out, const struct mo_event *ev);
	/* Frees the writer. good: writes the output that is still buffered; else discards it. */
	void (*end)(struct out *out, bool good);
};

struct out {
	const struct out_ops *ops;
	FILE *f;
	struct names *names; /* printed beside each ifIndex; NULL: none */
};

struct out *out_text_new(FILE *f);
/* one_line: writes the array on one line. */
struct out *out_json_new(FILE *f, bool one_line);

/* Return the names of a syntax and of an access level as the MIB modules spell them. */
const char *out_syntax(enum mo_syntax syntax);
const char *out_access(enum mo_access access);
static inline bool out_is_counter(const struct mo_column *col)
{
	return col->syntax == MO_COUNTER32 || col->syntax == MO_COUNTER64;
}
/* Writes the OID of the column, without instance, as "1.3.111.2...". */
void out_oid(const struct mo_table *table, const struct mo_column *col, char *buf, size_t size);

/* Returns p. If p is NULL, prints "out of memory" and exits. */
void *out_alloc_check(void *p);

#endif
