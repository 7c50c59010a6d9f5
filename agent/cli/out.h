/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writers: what the commands found, as text for people or JSON for programs.
 *
 *   table row* table row* ... end     show, watch
 *   object* end                       objects
 *   assignment* end                   set
 *   event end                         monitor, again and again
 */
#ifndef DCB_AGENT_CLI_OUT_H
#define DCB_AGENT_CLI_OUT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "lib/mo/mo_msg.h"

#define OUT_COLUMNS_MAX 32 /* accessible columns of the widest table, and more */

struct out_row {
	struct mo_index index;
	const struct mo_value *values; /* one a column of the table */
	uint32_t present;              /* bit i: there is a values[i] */
	const double *rates; /* per second, for counters; NAN: none yet. NULL: not asked */
};

struct out;

struct out_ops {
	/* Rows of this table follow; col: only this column of it, NULL: all. */
	void (*table)(struct out *out, const struct mo_table *table, const struct mo_column *col);
	void (*row)(struct out *out, const struct out_row *row);
	void (*object)(struct out *out, const struct mo_table *table, const struct mo_column *col);
	void (*assignment)(struct out *out, const struct mo_varbind *vb);
	void (*event)(struct out *out, const struct mo_event *ev);
	/* Writes what is held back, or after an error drops it, and frees the writer. */
	void (*end)(struct out *out, bool good);
};

struct out {
	const struct out_ops *ops;
	FILE *f;
};

struct out *out_text_new(FILE *f);
/* one_line: no line breaks within, for a stream of them. */
struct out *out_json_new(FILE *f, bool one_line);

/* Names of syntaxes and accesses as the MIB modules write them. */
const char *out_syntax(enum mo_syntax syntax);
const char *out_access(enum mo_access access);
static inline bool out_is_counter(const struct mo_column *col)
{
	return col->syntax == MO_COUNTER32 || col->syntax == MO_COUNTER64;
}
/* "1.3.111.2...": of the column, without the instance. */
void out_oid(const struct mo_table *table, const struct mo_column *col, char *buf, size_t size);

/* There is nothing to do without memory for a line of text. */
void *out_alloc_check(void *p);

#endif
