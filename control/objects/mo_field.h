/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Copies values between a struct <id>_row of mo_rows.h and a struct mo_value, as the
 * field column of mibs/all.def says. The compiler checks that the C type of each field
 * fits the syntax of its object.
 */
#ifndef DCB_CONTROL_OBJECTS_MO_FIELD_H
#define DCB_CONTROL_OBJECTS_MO_FIELD_H

#include "dataplane/config/stats.h"
#include "lib/mo/mo.h"

/* The largest struct <id>_row, or more. */
#define MO_ROW_OCTETS 2048

/* Reads the value of a column from a row. */
void mo_field_get(const struct mo_table *table, const struct mo_column *col, const void *row,
		  struct mo_value *value);
/* A member of a struct of statistics: STATS_MEMBER(). */
struct mo_from {
	enum stats_of of; /* 0: none */
	uint64_t member;
};
/* Returns the member that the value of a column is, or is computed of. */
struct mo_from mo_field_from(const struct mo_table *table, const struct mo_column *col);
/*
 * Writes a value, which mo_validate() accepted, to a column of a row. A column whose
 * initial value is FOLLOWS(field) is marked as set.
 */
void mo_field_set(const struct mo_table *table, const struct mo_column *col, void *row,
		  const struct mo_value *value);
/* Compares a column of two rows: its value and, with FOLLOWS(), whether it is set. */
bool mo_field_equal(const struct mo_table *table, const struct mo_column *col, const void *a,
		    const void *b);
/* Sets each column that has an initial value to it. */
void mo_field_defaults(const struct mo_table *table, void *row);

#endif
