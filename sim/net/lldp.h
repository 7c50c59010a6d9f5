/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * LLDP between simulated bridges and stations: the lldp_ports of dcbd over LLDP
 * agents in memory. An LLDPDU arrives after 1 ms, as between two lldpd on one
 * machine. Hosts do not speak LLDP.
 */
#ifndef DCB_SIM_LLDP_H
#define DCB_SIM_LLDP_H

#include "sim/net/model.h"

/*
 * Gives every bridge and station an LLDP agent, connects the agents along the
 * cables and enables the congestion notification, ETS, ETS recommendation and PFC
 * TLVs. Requires sim_start(). Returns false with the reason in err: out of memory,
 * or two ports of a node have the same name.
 */
bool sim_lldp_start(struct sim *sim, char *err, size_t errlen);
/* Does nothing if sim_lldp_start() was not called. */
void sim_lldp_destroy(struct sim *sim);

/* Delivers LLDPDUs up to sim->now and evaluates all nodes. Called at sim->lldp_due. */
void sim_lldp_run(struct sim *sim);

#endif
