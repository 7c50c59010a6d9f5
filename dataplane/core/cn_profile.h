/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Initial values of the congestion point and reaction point objects for the
 * rate of a port: the profile "scaled" of dcbd.conf. The DEFVALs of
 * IEEE8021-CN-MIB, the profile "standard", are for 10 Gb/s.
 */
#ifndef DCB_CORE_CN_PROFILE_H
#define DCB_CORE_CN_PROFILE_H

#include <stdint.h>

#include "dataplane/core/cp.h"
#include "dataplane/core/rp.h"
#include "lib/units.h"

enum cn_profile { CN_PROFILE_STANDARD, CN_PROFILE_SCALED };

/* The objects whose value depends on the rate. The others have their DEFVAL at every rate. */
enum cn_profile_object {
	CN_PROFILE_QUEUE_SIZE_SET_POINT, /* cpQSp, octets: 32.8.3 */
	CN_PROFILE_MIN_SAMPLE_BASE,      /* cpSampleBase, octets: 32.8.11 */
	CN_PROFILE_TIME_RESET,           /* rpgTimeReset, milliseconds: 32.11.2 */
	CN_PROFILE_AI_RATE,              /* rpgAiRate, Mb/s: 32.11.6 */
	CN_PROFILE_HAI_RATE,             /* rpgHaiRate, Mb/s: 32.11.7 */
	CN_PROFILE_MIN_RATE,             /* rpgMinRate, Mb/s: 32.11.10 */
	CN_PROFILE_OBJECTS
};

/*
 * Returns the scaled value of an object for a rate above 0, in the unit and
 * within the syntax of the object. At 10 Gb/s it is the DEFVAL.
 */
uint32_t cn_profile_value(enum cn_profile_object object, struct dcb_rate rate);

/* Sets the objects to their scaled values. A rate of 0 is unknown: changes nothing. */
void cn_profile_apply(struct dcb_rate rate, struct cp_config *cp, struct rpg_config *rpg);

/*
 * Sets the objects to the values in from_cp and from_rpg, except those in the
 * mask keep (bit n is enum cn_profile_object n): gives other initial values to
 * the objects that no manager has set.
 */
void cn_profile_copy(uint8_t keep, struct cp_config *cp, struct rpg_config *rpg,
		     const struct cp_config *from_cp, const struct rpg_config *from_rpg);

#endif
