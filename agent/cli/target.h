/* SPDX-License-Identifier: BSD-3-Clause */
/* What an operator calls tables, objects and rows. */
#ifndef DCB_AGENT_CLI_TARGET_H
#define DCB_AGENT_CLI_TARGET_H

#include "lib/mo/mo.h"

struct target {
	const struct mo_table *table;
	const struct mo_column *col; /* NULL: all of the table's */
	struct mo_index index;       /* n 0: all rows; may be the beginning of an index */
};

/* Short name of a table: its id in mibs/all.def. */
const char *target_alias(const struct mo_table *table);

/*
 * "cn_cp", "ieee8021CnCpTable", "ieee8021CnCpPriority", the latter two without
 * regard to case and with or without "ieee8021"; a dot and an index may follow.
 * false: err says what is wrong.
 */
bool target_parse(const char *text, struct target *target, char *err, size_t errlen);

/*
 * "1.swp3.2", or the beginning of it. In the place of an interface's number
 * its name, if it has no dot, will do.
 */
bool target_parse_index(const char *text, struct target *target, char *err, size_t errlen);

/* Is this row among those meant? */
bool target_has(const struct target *target, const struct mo_index *index);

#endif
