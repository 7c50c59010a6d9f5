/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Maps the capabilities of a port's provider to managed objects: which objects exist on
 * the port, and which of them can be set. Control thread only.
 */
#ifndef DCB_CONTROL_OBJECTS_MO_CAPS_H
#define DCB_CONTROL_OBJECTS_MO_CAPS_H

#include "control/managed/managed.h"
#include "lib/mo/mo_msg.h"

/* Returns whether the system has the table: those about its engine and frame memory need both. */
bool mo_caps_has_table(const struct managed *m, enum mo_table_id table);
/*
 * Returns whether the port has rows in the table. True for tables of the system and of
 * neighbors.
 */
bool mo_caps_has_row(const struct port *port, const struct mo_table *table);
/* Returns whether the object exists in the port's rows. */
bool mo_caps_has(const struct port *port, const struct mo_table *table,
		 const struct mo_column *col);
/* Returns whether all objects of the table exist in the port's rows: one test a row. */
bool mo_caps_has_columns(const struct port *port, const struct mo_table *table);

/*
 * Returns whether the port knows now what the column is computed of: else the object has no
 * instance. priority: of the row, if it has one.
 */
bool mo_caps_knows(const struct port *port, const struct mo_table *table,
		   const struct mo_column *col, unsigned priority);

/* Returns whether the port's provider allows a SET of this writable object. */
bool mo_caps_sets(const struct port *port, const struct mo_table *table,
		  const struct mo_column *col);

/*
 * Returns which of n varbinds caused a provider's refusal, 1-based: one of the port and
 * capability that *why names, else one of the port, else one of the system. 0: none.
 */
unsigned mo_caps_refused_varbind(const struct mo_varbind *vbs, unsigned n,
				 const struct provider_refusal *why);

#endif
