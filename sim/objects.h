/* SPDX-License-Identifier: BSD-3-Clause */
/* Managed objects of simulated nodes: set as SNMP would set them. */
#ifndef DCB_SIM_OBJECTS_H
#define DCB_SIM_OBJECTS_H

#include "sim/scenario.h"

/*
 * Puts a value into the configuration of every node that matches, and each in
 * force. false: err says why; nodes before it keep theirs.
 */
bool sim_set_object(struct sim *sim, const struct scn_set *set, char *err, size_t errlen);

/*
 * Priorities that are CNPVs everywhere. Without LLDP there is nothing to find out
 * by how to defend them, so cnpdAdminDefenseMode is set by administration: a domain
 * whose every port is cptInteriorReady passes CN-TAGs from end to end.
 */
bool sim_set_cnpvs(struct sim *sim, uint8_t cnpvs);

/* Priorities with PFC on every port. */
bool sim_set_pfc(struct sim *sim, uint8_t enable);

#endif
