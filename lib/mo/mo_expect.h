/* SPDX-License-Identifier: BSD-3-Clause */
/* For messages to people: what an object would have taken. */
#ifndef DCB_LIB_MO_MO_EXPECT_H
#define DCB_LIB_MO_MO_EXPECT_H

#include "lib/mo/mo.h"

/*
 * "100..4294967295 octets", "one of cpcAdmin, cpcAuto", "8 octets in hex":
 * from the descriptor alone. Returns the length as snprintf.
 */
int mo_expected(const struct mo_column *col, char *buf, size_t size);

/* Can this named number be set, by the column's range and the rules of RowStatus? */
bool mo_enum_settable(const struct mo_column *col, const struct mo_enum *e);

#endif
