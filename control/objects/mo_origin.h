/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where the values of settings come from: the default of a new row, dcbd.conf, or a SET.
 *
 * Choice: the origin follows from the value, as what the state file saves does: no setting keeps
 * who wrote it. A value that dcbd.conf has is its, also if a SET wrote the same; a value equal to
 * the initial one of the row is a default, unless it is one of the profile that was set. What is
 * left was set, in this run of dcbd or before. So the origin is the same before and after a
 * restart.
 */
#ifndef DCB_CONTROL_OBJECTS_MO_ORIGIN_H
#define DCB_CONTROL_OBJECTS_MO_ORIGIN_H

#include "lib/mo/mo_msg.h"
#include "control/objects/mo_changed.h"
#include "control/objects/mo_read.h"

/*
 * The values that dcbd.conf has for objects. They do not change after dcbd's start, when they are
 * used: readers need no lock for them.
 */
struct mo_origins;

/* Returns an empty list; NULL: out of memory. */
struct mo_origins *mo_origins_new(void);
void mo_origins_free(struct mo_origins *o);

/* A value in dcbd.conf. */
struct mo_file_value {
	const char *object, *index; /* as in struct conf_initial: "*" in the place of the ifIndex */
	const char *port;           /* fnmatch(3) pattern of interface names; NULL: no port */
	const char *value;          /* "*": the port itself */
	unsigned line;
};

/*
 * Adds a value that conf_read() has checked. Of several values for an object the last one counts.
 * Copies what v points to. false: out of memory.
 */
bool mo_origins_add(struct mo_origins *o, const struct mo_file_value *v);
/*
 * Adds the VLANs of which ports are members, VLAN_SET_OCTETS. member NULL: ports that match have
 * none in dcbd.conf, whatever was added before. false: out of memory.
 */
bool mo_origins_add_vlans(struct mo_origins *o, const char *port, const uint8_t *member,
			  unsigned line);

/* Reads the origins of rows of one configuration, m->config. origins can be NULL. */
struct mo_origin_reader {
	const struct managed *m;
	const struct mo_origins *origins;
	struct mo_initial initial;
};

void mo_origin_begin(struct mo_origin_reader *r, const struct managed *m,
		     const struct mo_origins *origins);
/*
 * Sets of[i] for each column of the row: kind MO_ORIGIN_NONE if it is no setting, or one that
 * another table has too. The caller holds the lock of the managed state, or is the control thread.
 */
void mo_origin_row(struct mo_origin_reader *r, const struct mo_table *table,
		   const struct mo_index *index, const struct mo_row_at *place,
		   struct mo_origin *of);

#endif
