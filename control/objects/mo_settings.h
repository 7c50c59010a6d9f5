/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Copies the settings of a row to and from a configuration, as the settings column of
 * mibs/all.def says. No function can fail. Control thread only.
 *
 * Settings of a port know their rate and which of the six objects of the profile "scaled" a
 * manager has set: a SET wins, also one to the initial value, and the state file has all that
 * were set. When the link has another speed, the others follow, by a publication like that of a
 * SET; the values are those of cn_profile.h, which dcbctl cn-profile calls too.
 */
#ifndef DCB_CONTROL_OBJECTS_MO_SETTINGS_H
#define DCB_CONTROL_OBJECTS_MO_SETTINGS_H

#include "lib/mo/mo.h"
#include "control/objects/mo_row_at.h"
#include "dataplane/config/dcb_config.h"

/* What the settings of a table belong to. */
enum mo_scope {
	MO_SCOPE_NONE,        /* the table has no settings */
	MO_SCOPE_SYSTEM,      /* the system */
	MO_SCOPE_SYSTEM_EACH, /* a priority of the system; a SET creates the row */
	MO_SCOPE_PORT,        /* a port, or a priority of a port */
	MO_SCOPE_ALIAS,       /* a port; another table has the same settings and saves them */
};
enum mo_scope mo_settings_scope(enum mo_table_id table);

/*
 * Copies settings to the row and leaves its other members unchanged. Tables of the system
 * use config, those of a port use pc; the other argument can be NULL. priority: the
 * priority or traffic class of the row, 0 if it has none.
 */
void mo_settings_load(const struct dcb_config *config, const struct port_config *pc,
		      enum mo_table_id table, unsigned priority, void *row);

/* mo_settings_load() for the row at this place. No effect on a table without settings. */
void mo_settings_load_at(const struct dcb_config *config, const struct mo_row_at *place,
			 enum mo_table_id table, void *row);

/* Copies settings from the row to a configuration that is being edited. */
void mo_settings_store(struct dcb_config *config, struct port_config *pc, enum mo_table_id table,
		       unsigned priority, const void *row);

/*
 * Returns true if the row has the same settings in both configurations of a port. May be
 * false although they are the same, as after a change of another row in the same member.
 */
bool mo_settings_are_equal(const struct port_config *a, const struct port_config *b,
			   enum mo_table_id table, unsigned priority);

/*
 * Settings of a port that are not a copy of a struct: HOOK() and ALIAS() in mibs/all.def.
 * offset and size: the member of struct port_config that has them.
 */
struct mo_settings_hook {
	uint16_t offset, size;
	void (*load)(const struct port_config *pc, enum mo_table_id table, unsigned priority,
		     void *row);
	void (*store)(struct port_config *pc, enum mo_table_id table, unsigned priority,
		      const void *row);
};
/* Returns the mask with bit n set or not. */
static inline uint8_t mo_settings_with_bit(uint8_t mask, unsigned n, bool set)
{
	return (uint8_t)(set ? mask | 1u << n : mask & ~(1u << n));
}

#define MO_SETTINGS_MEMBER(member)                      \
	.offset = offsetof(struct port_config, member), \
	.size = sizeof(((struct port_config *)0)->member)
extern const struct mo_settings_hook mo_settings_pfc_pri;
extern const struct mo_settings_hook mo_settings_rewrite;
extern const struct mo_settings_hook mo_settings_vlan_port;
extern const struct mo_settings_hook mo_settings_trill_port;
extern const struct mo_settings_hook mo_settings_lldp; /* mo_lldp.c */

/*
 * The objects of dcb_config.h's port_config.profile_set: mo_settings_mark_set() notes that a
 * manager has set an object of a port, so that neither the profile nor the state file, which
 * saves only differences from the initial values, loses a value that is equal to the initial
 * one. mo_settings_was_set() is false for all other objects.
 */
void mo_settings_mark_set(struct port_config *pc, enum mo_table_id table, uint32_t subid,
			  unsigned priority);
bool mo_settings_was_set(const struct port_config *pc, enum mo_table_id table, uint32_t subid,
			 unsigned priority);

#endif
