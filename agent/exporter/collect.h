/* SPDX-License-Identifier: BSD-3-Clause */
/* Which objects a scrape has: groups of objects, as the parameter collect[] names them. */
#ifndef DCB_AGENT_EXPORTER_COLLECT_H
#define DCB_AGENT_EXPORTER_COLLECT_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/mo/mo.h"

/* Bit i of columns[table]: column i of the table, as in struct mo_table, is wanted. */
struct collect {
	uint64_t columns[MO_TABLES];
};

/* The names of all groups, for messages. */
#define COLLECT_GROUPS "health, cp, pfc, watchdog or full"

/* Adds the objects of a group. Returns false if no group has this name. */
bool collect_add(struct collect *c, const char *group);
/* Adds the groups of a scrape without parameters: health, cp, pfc and watchdog. */
void collect_add_default(struct collect *c);
/* Adds all objects of all tables but those of optional modules, as dcbctl show does. */
void collect_add_all(struct collect *c);
/* Adds all objects of a table. */
void collect_add_table(struct collect *c, const struct mo_table *table);

#endif
