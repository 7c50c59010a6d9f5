/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Parts of the network. The events of a part are processed in the order of its heap: by time, then
 * by number of node or link. That order is the same whatever nodes the part has, because what
 * happens at a node depends on its own events alone; and a frame comes from another part before
 * the events of its time are processed. So the octets of a run do not depend on the parts.
 *
 * Nodes and links have numbers that order simultaneous events, random streams are those of nodes
 * and flows, and an event changes nothing outside its part but the sender's fields of a link and
 * a flow, which the other end does not access. Links without delay are not between parts.
 */
#ifndef DCB_SIM_PART_H
#define DCB_SIM_PART_H

#include "sim/net/model.h"

/*
 * Makes n parts without nodes; all parts of sim before are destroyed. The caller sets the members
 * part of nodes and links, and crossings of links. Returns false if out of memory.
 */
bool sim_parts_init(struct sim *sim, uint32_t n);
void sim_parts_destroy(struct sim *sim);

/* Processes the events of the part up to and including this time. The thread of the part. */
void sim_part_run(struct sim *sim, struct sim_part *part, struct dcb_time until);

#endif
