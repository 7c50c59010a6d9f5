/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Managed objects bound to the managed system: which rows a table has, in
 * which order, and what is in them. Rows are not stored anywhere: they are
 * worked out from the configuration, so that no two tables can disagree.
 */
#ifndef DCB_CONTROL_OBJECTS_MO_BIND_H
#define DCB_CONTROL_OBJECTS_MO_BIND_H

#include "lib/mo/mo.h"
#include "control/managed/managed.h"
#include "control/objects/mo_field.h"
#include "control/objects/mo_place.h"

/*
 * The first row of a table at index (after false) or behind it (after true),
 * in SNMP order; index may be shorter or longer than an instance. On true
 * *index and *place are the row's.
 */
bool mo_bind_seek(const struct managed *m, const struct dcb_config *config, enum mo_table_id table,
		  struct mo_index *index, bool after, struct mo_place *place);

/* Is there a row at exactly this index? */
bool mo_bind_find(const struct managed *m, const struct dcb_config *config, enum mo_table_id table,
		  const struct mo_index *index, struct mo_place *place);

/* Fill the row: MO_ROW_OCTETS of room. */
void mo_bind_load(const struct managed *m, const struct dcb_config *config, enum mo_table_id table,
		  const struct mo_place *place, void *row);

/* Priorities (or traffic classes) a port has rows for in a table; one row for all is number 0. */
unsigned mo_bind_port_rows(enum mo_table_id table, uint8_t cnpvs);

/* Which part of an index is the ifIndex; -1: none. */
int mo_bind_port_part(enum mo_table_id table);

/* The index of a row of settings of the system or a port, and the priority such an index names. */
void mo_bind_index(const struct managed *m, enum mo_table_id table, uint32_t ifindex,
		   unsigned priority, struct mo_index *index);
/* What was saved under another LLDP destination address is about the one there is now. */
void mo_bind_adapt_index(const struct managed *m, enum mo_table_id table, struct mo_index *index);
unsigned mo_bind_index_priority(enum mo_table_id table, const struct mo_index *index);

#endif
