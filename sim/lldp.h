/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * LLDP between simulated nodes: the daemon's own lldp_ports over agents in memory.
 * What is said arrives a millisecond later, as between two lldpd on one machine.
 * Hosts say nothing.
 */
#ifndef DCB_SIM_LLDP_H
#define DCB_SIM_LLDP_H

#include "sim/model.h"

/*
 * From now on bridges and stations talk: each has an agent, and sends all TLVs
 * there are objects for. After sim_start(). false: err says why.
 */
bool sim_lldp_start(struct sim *sim, char *err, size_t errlen);
void sim_lldp_destroy(struct sim *sim);

/* The heap's entry of LLDP is due. */
void sim_lldp_run(struct sim *sim);

#endif
