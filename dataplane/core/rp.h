/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reaction Point configuration: the writable objects of 802.1Q 32.10 (per port
 * and priority) and 32.11 (per group), with the units the standard gives them.
 */
#ifndef DCB_CORE_RP_H
#define DCB_CORE_RP_H

#include <stdbool.h>
#include <stdint.h>

/* ieee8021CnRpPortPriEntry. */
struct rp_port_pri_config {
	uint8_t rppp_max_rps; /* rpppMaxRps, 1..100: 32.10.1 */
};

/* ieee8021CnRpGroupEntry. Rates in Mb/s as managed, preamble and gap included. */
struct rpg_config {
	bool rpg_enable;          /* rpgEnable: 32.11.1 */
	uint8_t rpg_min_dec_fac;  /* rpgMinDecFac, percent: 32.11.9 */
	int32_t rpg_time_reset;   /* rpgTimeReset, milliseconds: 32.11.2 */
	uint32_t rpg_byte_reset;  /* rpgByteReset, octets: 32.11.3 */
	uint32_t rpg_threshold;   /* rpgThreshold, cycles: 32.11.4 */
	bool rpg_max_rate_is_set; /* FALSE: rpgMaxRate follows the port's speed */
	uint32_t rpg_max_rate;    /* rpgMaxRate, Mb/s: 32.11.5 */
	uint32_t rpg_ai_rate;     /* rpgAiRate, Mb/s: 32.11.6 */
	uint32_t rpg_hai_rate;    /* rpgHaiRate, Mb/s: 32.11.7 */
	int32_t rpg_gd;           /* Gd = 2^-rpg_gd: 32.11.8 */
	uint32_t rpg_min_rate;    /* rpgMinRate, Mb/s: 32.11.10 */
};

#endif
