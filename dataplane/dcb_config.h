/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The configuration as a value: what the managed objects say, in the shape the
 * dataplane reads it.
 *
 * A struct dcb_config is immutable once published. A SET builds a new one that
 * shares every port_config it did not touch with its predecessor, and one
 * pointer swap puts it in force. References are counted by the control thread
 * alone; the dataplane only reads.
 */
#ifndef DCB_DATAPLANE_DCB_CONFIG_H
#define DCB_DATAPLANE_DCB_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dataplane/core/cp.h"
#include "dataplane/core/rp.h"
#include "dataplane/core/units.h"

/* Enumerations with the tokens and values of the textual conventions. */
enum cn_control_choice { CPC_ADMIN = 1, CPC_AUTO, CPC_COMP };
enum cn_defense_mode { CPT_DISABLED = 1, CPT_INTERIOR, CPT_INTERIOR_READY, CPT_EDGE };
enum cn_lldp_choice { CNL_NONE = 1, CNL_ADMIN, CNL_COMPONENT };
enum cn_creation { CNCP_AUTO_ENABLE = 1, CNCP_AUTO_DISABLE };
enum row_status {
	ROW_ABSENT = 0,
	ROW_ACTIVE,
	ROW_NOT_IN_SERVICE,
	ROW_NOT_READY,
	ROW_CREATE_AND_GO,
	ROW_CREATE_AND_WAIT,
	ROW_DESTROY
};

/* ieee8021CnGlobalEntry: 32.2. */
struct cn_global_config {
	bool cng_master_enable;
	uint8_t cng_cnm_transmit_priority;
};

/* ieee8021CnCompntPriEntry: 32.3. row_status ROW_ABSENT: the priority is no CNPV. */
struct cn_com_pri_config {
	uint8_t row_status;
	uint8_t cncp_def_mode_choice;
	uint8_t cncp_alternate_priority;
	uint8_t cncp_admin_defense_mode;
	uint8_t cncp_creation;
	uint8_t cncp_lldp_instance_choice;
	uint16_t cncp_lldp_instance_selector;
};

/* ieee8021CnPortPriEntry: 32.4. */
struct cn_port_pri_config {
	uint8_t cnpd_def_mode_choice;
	uint8_t cnpd_admin_defense_mode;
	uint8_t cnpd_lldp_instance_choice;
	uint8_t cnpd_alternate_priority;
	uint16_t cnpd_lldp_instance_selector;
};

/* Everything managed about one port. */
struct port_config {
	uint32_t refs;
	uint32_t pfc_link_delay_allowance; /* bits: 12.23 */
	struct cn_port_pri_config port_pri[DCB_PRIORITIES];
	struct cp_config cp[DCB_PRIORITIES];
	struct rp_port_pri_config rp_port_pri[DCB_PRIORITIES];
	struct rpg_config rpg[DCB_PRIORITIES];
};

struct port; /* provider.h */

struct dcb_config_port {
	struct port *port;
	const struct port_config *config;
};

struct dcb_config {
	uint64_t generation;
	struct cn_global_config global;
	struct cn_com_pri_config com_pri[DCB_PRIORITIES];
	/* Priorities that act as CNPVs: rows that are active while cngMasterEnable is TRUE. */
	uint8_t cnpv_acting;
	size_t n_ports;
	struct dcb_config_port ports[]; /* ascending ifIndex */
};

#endif
