/* SPDX-License-Identifier: BSD-3-Clause */
/* Managed objects of simulated nodes, set with the effect that an SNMP SET has in dcbd. */
#ifndef DCB_SIM_OBJECTS_H
#define DCB_SIM_OBJECTS_H

#include "sim/scenario.h"

/*
 * Sets an object at every node and port that set selects, one configuration a node.
 * Returns false with the reason in err; nodes that were set before keep the value.
 */
bool sim_set_object(struct sim *sim, const struct scn_set *set, char *err, size_t errlen);

/*
 * Makes the priorities of the mask CNPVs in every node. Without LLDP ports cannot
 * learn their defense mode, so it is set to cptInteriorReady on every port: CN-TAGs
 * pass from end to end. Returns false if out of memory.
 */
bool sim_set_cnpvs(struct sim *sim, uint8_t cnpvs);

/* Enables PFC for the priorities of the mask on every port. Returns false if out of memory. */
bool sim_set_pfc(struct sim *sim, uint8_t enable);
/* As sim_set_pfc() for ECN marking, with the initial thresholds. */
bool sim_set_ecn(struct sim *sim, uint8_t enable);

#endif
