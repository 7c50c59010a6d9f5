/* SPDX-License-Identifier: BSD-3-Clause */
/* Parses the names of tables, objects and rows on the command line. */
#ifndef DCB_AGENT_CLI_TARGET_H
#define DCB_AGENT_CLI_TARGET_H

#include "lib/mo/mo.h"

struct target {
	const struct mo_table *table;
	const struct mo_column *col; /* NULL: all columns */
	struct mo_index index;       /* n 0: all rows; may be a prefix of an index */
};

/* Returns the short name of a table: its id in mibs/all.def. */
const char *target_alias(const struct mo_table *table);

/*
 * Parses the name of a table or an object, optionally with a dot and an index:
 * "cn_cp", "ieee8021CnCpTable", "ieee8021CnCpPriority.1.3.2". Names of MIB
 * modules are accepted in any case, and without their prefix "ieee8021" or
 * "lldpXdot1dcbx". false: err says why.
 */
bool target_parse(const char *text, struct target *target, char *err, size_t errlen);

/*
 * Parses an index or a prefix of one into target->index: "1.swp3.2". The name
 * of an interface stands for its ifIndex, unless it has a dot. false: err says
 * why.
 */
bool target_parse_index(const char *text, struct target *target, char *err, size_t errlen);

/* Returns whether index begins with target->index. */
bool target_has(const struct target *target, const struct mo_index *index);

#endif
