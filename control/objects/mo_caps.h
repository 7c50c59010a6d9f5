/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which objects a port has, and which of them can be set: what its provider says, by
 * object. All that the managed objects know about capabilities is here. Control thread.
 */
#ifndef DCB_CONTROL_OBJECTS_MO_CAPS_H
#define DCB_CONTROL_OBJECTS_MO_CAPS_H

#include "control/managed/managed.h"
#include "lib/mo/mo_msg.h"

/* Does the port have a row in the table at all? Of tables that are not about our ports: true. */
bool mo_caps_has_row(const struct port *port, const struct mo_table *table);
/* Does the port have this object, where it has a row? */
bool mo_caps_has(const struct port *port, const struct mo_table *table,
		 const struct mo_column *col);

/* Can the object be set on this port, of those that can be set at all? */
bool mo_caps_sets(const struct port *port, const struct mo_table *table,
		  const struct mo_column *col);

/*
 * Which of n varbinds a port's refusal is about, 1-based: one of the port and of what the
 * provider names, else one of the port, else one that is about all ports. 0: none of them.
 */
unsigned mo_caps_blame(const struct mo_varbind *vbs, unsigned n,
		       const struct provider_refusal *why);

#endif
