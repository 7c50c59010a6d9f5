/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads managed objects from the managed system: which rows a table has, their
 * order and their values. Rows are not stored: they are derived from the
 * configuration, so tables are always consistent with each other. Control thread only.
 */
#ifndef DCB_CONTROL_OBJECTS_MO_READ_H
#define DCB_CONTROL_OBJECTS_MO_READ_H

#include "lib/mo/mo.h"
#include "control/managed/managed.h"
#include "control/objects/mo_field.h"
#include "control/objects/mo_row_at.h"

/*
 * Finds the first row in SNMP order whose index is not less than *index or, with after,
 * greater than *index, which can be shorter or longer than an index of the table. Returns
 * true with the row's *index and *place, false if there is no such row.
 */
bool mo_read_next(const struct managed *m, const struct dcb_config *config, enum mo_table_id table,
		  struct mo_index *index, bool after, struct mo_row_at *place);

/* Finds the row with exactly this index. Returns false if it does not exist. */
bool mo_read_find(const struct managed *m, const struct dcb_config *config, enum mo_table_id table,
		  const struct mo_index *index, struct mo_row_at *place);

/* Fills in the table's struct <id>_row. row has MO_ROW_OCTETS, aligned to 8. */
void mo_read_load(const struct managed *m, const struct dcb_config *config, enum mo_table_id table,
		  const struct mo_row_at *place, void *row);

/*
 * Returns the priorities (or traffic classes) for which a port has rows in the table, one
 * bit each; bit 0 if it has one row. cnpvs: the CNPVs, one bit each.
 */
unsigned mo_read_port_rows(enum mo_table_id table, uint8_t cnpvs);

/* Returns in *index the index of a row of settings of the system or of a port. */
void mo_read_index(const struct managed *m, enum mo_table_id table, uint32_t ifindex,
		   unsigned priority, struct mo_index *index);
/*
 * Replaces the LLDP destination address in an index by the configured one: settings are
 * kept when lldp.destination of dcbd.conf changes.
 */
void mo_read_adapt_index(const struct managed *m, enum mo_table_id table, struct mo_index *index);
/*
 * Adds up the PFC frames of all priorities that the port, one with PROVIDER_PFC_COUNT, knows.
 * Returns the members of struct pfc_stats that it knows of no priority.
 */
uint64_t mo_read_pfc_sum(const struct port *port, struct pfc_stats *sum);

#endif
