/* SPDX-License-Identifier: BSD-3-Clause */
#include "lib/mo/mo_view.h"

#define SUBID_MAX 63 /* of a column: a mask of 64 bits has all of a table */

/* clang-format off */
#define VIEWS(id, subid, a, b, c, d, ...) \
	[MO_##id][subid] = MO_VIEW_##a | MO_VIEW_##b | MO_VIEW_##c | MO_VIEW_##d,
/* clang-format on */

/* By sub-identifier; 0: of each object of the table. */
static const uint16_t views[MO_TABLES][SUBID_MAX + 1] = {
#define VIEW(id, subid, ...) VIEWS(id, subid, __VA_ARGS__, NONE, NONE, NONE, NONE)
#include "mibs/all.def"
};

unsigned mo_views(const struct mo_table *table, const struct mo_column *col)
{
	return views[table->id][0] | (col->subid <= SUBID_MAX ? views[table->id][col->subid] : 0u);
}
