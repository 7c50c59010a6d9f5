/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rows of dcbTrillNextHopTable and dcbTrillEgressTable. A next hop is kept in the settings of its
 * port, an egress entry in those of the system. Control thread only.
 *
 * The rows are what IS-IS would tell an RBridge; a routing daemon would set the same ones over the
 * control socket. While an interface is absent its rows are not known, so the state file is not
 * checked: rows that they contradict when they come back can be in force by then, and they lose
 * (managed_trill_reconcile()), as a port's static entry does to an egress entry
 * (managed_trill_drop_static()).
 */
#ifndef DCB_CONTROL_OBJECTS_MO_TRILL_H
#define DCB_CONTROL_OBJECTS_MO_TRILL_H

#include "control/objects/mo_read.h"
#include "dataplane/config/dcb_config.h"
#include "lib/mo/mo_msg.h"

/* Returns whether SET creates and deletes the rows of this table: it is one of the two. */
bool mo_trill_has_rows(enum mo_table_id table);

/*
 * Applies the varbinds of a SET that are of these tables, whose objects, values and indexes
 * are checked, to a configuration that is being edited. Returns MO_NO_ERROR, or the error,
 * with its varbind and reason in *r.
 */
enum mo_error mo_trill_edit(struct dcb_config *config, const struct mo_varbind *vbs, unsigned n,
			    struct mo_result *r);

/*
 * Checks the edited configuration for what a SET may not do, and a state file may have because
 * interfaces were absent: mo_trill_check.c lists it. Returns MO_NO_ERROR, or an error, with
 * its varbind and reason in *r.
 */
enum mo_error mo_trill_check(const struct managed *m, const struct dcb_config *config,
			     const struct mo_varbind *vbs, unsigned n, struct mo_result *r);

/*
 * The same for the root of the distribution tree. It does not fail for a wrong root that is in
 * force. "initial" of dcbd.conf may name a root behind an absent interface.
 */
enum mo_error mo_trill_check_root(const struct managed *m, const struct dcb_config *config,
				  const struct mo_varbind *vbs, unsigned n, struct mo_result *r);

/* Applies a varbind of dcbTrillNextHopTable to the settings of an absent interface. */
enum mo_error mo_trill_put_hop(struct port_config *pc, const struct mo_varbind *vb);

/* Sets the index of a next hop of the port with this ifIndex. */
void mo_trill_hop_index(const struct trill_next_hop *hop, uint32_t ifindex, struct mo_index *index);
/* Returns a new next hop with the nickname and the address of an index: for unicast frames only. */
struct trill_next_hop mo_trill_hop_of(const struct mo_index *index);

#endif
