/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The settable part of rows, moved to and from a configuration as the settings
 * column of mibs/all.def says. Control thread; nothing here can fail.
 */
#ifndef DCB_CONTROL_OBJECTS_MO_SETTINGS_H
#define DCB_CONTROL_OBJECTS_MO_SETTINGS_H

#include "lib/mo/mo.h"
#include "control/objects/mo_place.h"
#include "dataplane/config/dcb_config.h"

/* What the settings of a table are about. */
enum mo_scope {
	MO_SCOPE_NONE,        /* it has none */
	MO_SCOPE_SYSTEM,      /* the system */
	MO_SCOPE_SYSTEM_EACH, /* a priority of the system; its row is made by SET */
	MO_SCOPE_PORT,        /* a port, or a priority of it */
	MO_SCOPE_ALIAS,       /* a port, and another table has them, by which they are saved */
};
enum mo_scope mo_settings_scope(enum mo_table_id table);

/*
 * What is set, as it was set, into the row; the rest of the row stays as it is. config
 * is for tables of the system, pc for those of a port; the other may be NULL. priority
 * is that of the row, or its traffic class; 0 where it has none.
 */
void mo_settings_load(const struct dcb_config *config, const struct port_config *pc,
		      enum mo_table_id table, unsigned priority, void *row);

/* Of the row at this place; nothing, where nothing can be set there. */
void mo_settings_load_at(const struct dcb_config *config, const struct mo_place *place,
			 enum mo_table_id table, void *row);

/* The reverse of mo_settings_load(), into a configuration that is being edited. */
void mo_settings_store(struct dcb_config *config, struct port_config *pc, enum mo_table_id table,
		       unsigned priority, const void *row);

/* Settings of a port that are no plain copy of a struct: HOOK() and ALIAS() in the rows. */
struct mo_settings_hook {
	void (*load)(const struct port_config *pc, enum mo_table_id table, unsigned priority,
		     void *row);
	void (*store)(struct port_config *pc, enum mo_table_id table, unsigned priority,
		      const void *row);
};
extern const struct mo_settings_hook mo_settings_pfc_pri;
extern const struct mo_settings_hook mo_settings_lldp; /* mo_lldp.c */

#endif
