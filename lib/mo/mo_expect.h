/* SPDX-License-Identifier: BSD-3-Clause */
/* Text for error messages: the values that an object accepts. */
#ifndef DCB_LIB_MO_MO_EXPECT_H
#define DCB_LIB_MO_MO_EXPECT_H

#include "lib/mo/mo.h"

/*
 * Writes the values that mo_validate() accepts: "100..4294967295 octets", "one
 * of cpcAdmin, cpcAuto", "8 octets in hex". Returns the length as snprintf().
 */
int mo_expected(const struct mo_column *col, char *buf, size_t size);

/* Whether mo_validate() accepts this named number: by the column's range and RowStatus. */
bool mo_enum_settable(const struct mo_column *col, const struct mo_enum *e);

#endif
