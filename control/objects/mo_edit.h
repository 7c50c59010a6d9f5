/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * SET as a function of values: a list of varbinds applied to a copy of the
 * configuration, all of them or none. Order among them does not matter: rows
 * of ieee8021CnCompntPriTable are created and deleted first, and everything is
 * judged on the merged result.
 */
#ifndef DCB_CONTROL_OBJECTS_MO_EDIT_H
#define DCB_CONTROL_OBJECTS_MO_EDIT_H

#include "lib/mo/mo_msg.h"
#include "control/objects/mo_bind.h"

/*
 * The configuration that results, to be published or freed. NULL: *error is
 * what SNMP answers and *varbind (1-based; 0: the whole) what it is about.
 */
struct dcb_config *mo_edit(const struct managed *m, const struct mo_varbind *vbs, unsigned n,
			   enum mo_error *error, unsigned *varbind);

/*
 * LLDP instances: only one destination address is served, so after a SET no row it
 * gave a choice or a selector may use another. MO_NO_ERROR, or what is wrong with
 * *varbind. Whatever a state file says is accepted, and selects no instance.
 */
enum mo_error mo_edit_check_instances(const struct managed *m, const struct dcb_config *config,
				      const struct mo_varbind *vbs, unsigned n, unsigned *varbind);

/*
 * One value into the settings of a port that is not there: index has any
 * number in the place of the ifIndex. For settings waiting for an interface.
 */
enum mo_error mo_edit_absent(const struct managed *m, struct port_config *pc,
			     const struct mo_varbind *vb);

#endif
