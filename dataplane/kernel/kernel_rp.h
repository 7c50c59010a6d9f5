/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reaction points of a device (struct ieee_qcn of the kernel), compared with the rows of
 * ieee8021CnRpPortPriTable and ieee8021CnRpGroupTable. Pure.
 *
 * The rows exist for CNPVs: of other priorities the device keeps its values, and reaction points of
 * one that ceases to be a CNPV are disabled. The units of the kernel are those of linux/dcbnl.h:
 * rpgTimeReset in microseconds, rpgMinRate in bit/s, the others as in the MIB. Values of a device
 * are rounded to the unit of the MIB, and then compared.
 *
 * dcbd sends no CN TLV for a hardware port: cndd_state_machine, by which the device adds CN-TAGs,
 * stays as it is.
 */
#ifndef DCB_KERNEL_KERNEL_RP_H
#define DCB_KERNEL_KERNEL_RP_H

#include "dataplane/config/provider.h"
#include "dataplane/kernel/dcbnl.h"

enum kernel_rp_value {
	KERNEL_RP_MAX_RPS,
	KERNEL_RP_TIME_RESET,
	KERNEL_RP_BYTE_RESET,
	KERNEL_RP_THRESHOLD,
	KERNEL_RP_MAX_RATE,
	KERNEL_RP_AI_RATE,
	KERNEL_RP_HAI_RATE,
	KERNEL_RP_GD,
	KERNEL_RP_MIN_DEC_FAC,
	KERNEL_RP_MIN_RATE,
	KERNEL_RP_VALUES
};

struct kernel_rp {
	/* One bit a priority. */
	uint8_t cnpvs;
	uint8_t mask;    /* those that count */
	uint8_t enable;  /* rpgEnable of CNPVs */
	uint8_t is_rate; /* rpgMaxRate is set; else that of the device stays */
	/* By enum kernel_rp_value, of CNPVs, in units of the MIB. */
	uint32_t of[DCB_PRIORITIES][KERNEL_RP_VALUES];
};

/* What the settings of a port want. cnpvs: those in force. */
void kernel_rp_wanted(const struct port_config *config, uint8_t cnpvs, struct kernel_rp *out);
/* Returns the priorities whose settings differ, one bit each. */
uint8_t kernel_rp_changed(const struct kernel_rp *a, const struct kernel_rp *b);
/* Returns those of mask that the device does not have as wanted. */
uint8_t kernel_rp_differing(const struct kernel_rp *wanted, const struct ieee_qcn *now);
/* Returns whether the device can have these settings. false: *why, as of prepare(), for port. */
bool kernel_rp_can(const struct kernel_rp *wanted, const struct port *port,
		   struct provider_refusal *why);
/* Sets the wanted values in *qcn, which has those of the device. */
void kernel_rp_set(const struct kernel_rp *wanted, struct ieee_qcn *qcn);
/*
 * Sets in config what the device has for these CNPVs. Returns whether that changed it. A value that
 * no SET could make is not taken.
 */
bool kernel_rp_adopt(const struct ieee_qcn *now, uint8_t cnpvs, struct port_config *config);

#endif
