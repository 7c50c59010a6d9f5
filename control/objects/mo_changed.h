/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The settings that are not the initial ones: those that the state file has, and whose origin is a
 * SET or dcbd.conf. No function can fail. Any thread that has the lock of the managed state.
 */
#ifndef DCB_CONTROL_OBJECTS_MO_CHANGED_H
#define DCB_CONTROL_OBJECTS_MO_CHANGED_H

#include "control/objects/mo_settings.h"

/*
 * Whether an object of a row is to be kept: its value in row is not the initial one, which is in
 * fresh, or a manager has set it to that. pc: of a row of a port, else NULL. A RowStatus is not.
 */
bool mo_changed_is(const struct mo_table *table, const struct mo_column *col,
		   const struct port_config *pc, unsigned priority, const void *row,
		   const void *fresh);

/* A setting that differs. A row that a SET creates begins with its RowStatus. */
struct mo_changed {
	const struct mo_table *table;
	const struct mo_column *col;
	unsigned priority; /* or traffic class; 0: the row has none */
	const void *row;
};
typedef bool (*mo_changed_fn)(void *ctx, const struct mo_changed *setting);

/*
 * Call fn for each setting of the system or of a port that differs, by table and row, until it
 * returns false. Return false then. cnpvs: the CNPVs, one bit each: those of which a port has rows.
 * Without the rows of lists: application priorities, static entries, next hops, egress entries.
 */
bool mo_changed_each_of_system(const struct dcb_config *config, mo_changed_fn fn, void *ctx);
bool mo_changed_each_of_port(const struct port_config *pc, const struct port_config *initial,
			     uint8_t cnpvs, mo_changed_fn fn, void *ctx);

/* The initial settings of ports with one rate of the profile; all zero: of none yet. */
struct mo_initial {
	bool is_made;
	struct port_config port;
};
/* Returns those of this rate. Most ports have the same as the one before. */
const struct port_config *mo_initial_of(struct mo_initial *initial, const struct dcb_config *config,
					struct dcb_rate rate);

#endif
