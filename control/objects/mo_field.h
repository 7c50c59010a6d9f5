/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Binds the field column of mibs/all.def to the row structs of mo_rows.h:
 * moves values between a struct <id>_row and struct mo_value. That a field has
 * the C type its syntax needs is checked when this is compiled.
 */
#ifndef DCB_CONTROL_OBJECTS_MO_FIELD_H
#define DCB_CONTROL_OBJECTS_MO_FIELD_H

#include "lib/mo/mo.h"

/* Room for any row. */
#define MO_ROW_OCTETS 1024

/* Value of a column of its table's row. */
void mo_field_get(const struct mo_table *table, const struct mo_column *col, const void *row,
		  struct mo_value *value);
/* The reverse, for a value that mo_validate() accepted; what FOLLOWS() something is set then. */
void mo_field_set(const struct mo_table *table, const struct mo_column *col, void *row,
		  const struct mo_value *value);
/* Same value in both rows, and in both set or in both not, where it FOLLOWS() something? */
bool mo_field_equal(const struct mo_table *table, const struct mo_column *col, const void *a,
		    const void *b);
/* Every column that has an initial value gets it. */
void mo_field_defaults(const struct mo_table *table, void *row);

#endif
