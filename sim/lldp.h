/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * LLDP between simulated nodes: the daemon's own lldp_ports over agents in memory.
 * What is said arrives a millisecond later, as between two lldpd on one machine.
 * Hosts say nothing.
 */
#ifndef DCB_SIM_LLDP_H
#define DCB_SIM_LLDP_H

#include "sim/node.h"

struct sim_lldp;

/*
 * From now on bridges and stations talk: each has an agent, and sends all TLVs
 * there are objects for. After sim_start(). false: err says why.
 */
bool sim_lldp_start(struct sim *sim, char *err, size_t errlen);
void sim_lldp_destroy(struct sim *sim);

/* The heap's entry of LLDP is due. */
void sim_lldp_run(struct sim *sim);

/* For sim_node_adopt(), before and after; and when a port's link has changed. */
void sim_lldp_settle(struct sim_node *node, struct dcb_config *config);
void sim_lldp_published(struct sim_node *node);
void sim_lldp_link(struct sim_node *node, const struct soft_port *port);

#endif
