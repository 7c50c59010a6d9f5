/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Applies the varbinds of a SET to a copy of the configuration, all or none. Their
 * order does not matter: rows of ieee8021CnCompntPriTable are created and deleted first,
 * and consistency is checked with all values applied. Control thread only.
 */
#ifndef DCB_CONTROL_OBJECTS_MO_EDIT_H
#define DCB_CONTROL_OBJECTS_MO_EDIT_H

#include "lib/mo/mo_msg.h"
#include "control/objects/mo_read.h"

/*
 * Returns the edited configuration, which the caller publishes or frees. NULL: *r has
 * the SNMP error, the varbind that caused it and, for inconsistentValue and resourceUnavailable,
 * the reason.
 */
struct dcb_config *mo_edit(const struct managed *m, const struct mo_varbind *vbs, unsigned n,
			   struct mo_result *r);
/*
 * The same for settings that were kept over a restart: a port that has any has these alone, and not
 * those that were taken from its device.
 */
struct dcb_config *mo_edit_kept(const struct managed *m, const struct mo_varbind *vbs, unsigned n,
				struct mo_result *r);

/*
 * Checks what a SET may not do, and a state file may have from another release or another
 * dcbd.conf. Returns MO_NO_ERROR, or an error, with its varbind and reason in *r:
 * - vbs create a row in ieee8021CnCompntPriTable, and all eight priorities then have one;
 * - the LLDP instance (table 32-1) of a row whose choice or selector is in vbs is neither the
 *   destination address that dcbd serves nor none.
 */
enum mo_error mo_edit_check_instances(const struct managed *m, const struct dcb_config *config,
				      const struct mo_varbind *vbs, unsigned n,
				      struct mo_result *r);

/*
 * Applies one varbind to the settings of an absent interface. The ifIndex in its index
 * can be any valid number.
 */
enum mo_error mo_edit_absent(const struct managed *m, struct port_config *pc,
			     const struct mo_varbind *vb);

#endif
