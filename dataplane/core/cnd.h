/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Congestion notification domains, 802.1Q 32.1 to 32.4: the congestion
 * notification priority values (CNPV), the defense mode of a port for each of
 * them, and the priorities that replace them where a frame leaves the domain. A
 * set of priorities is a mask: bit n is priority n.
 */
#ifndef DCB_CORE_CND_H
#define DCB_CORE_CND_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/units.h"

#define CND_MAX_CNPVS 7 /* 30.4: one priority is left as alternate */

/* Values of the textual conventions of IEEE8021-CN-MIB. */
enum cn_control_choice { CPC_ADMIN = 1, CPC_AUTO, CPC_COMP };
enum cn_lldp_choice { CNL_NONE = 1, CNL_ADMIN, CNL_COMPONENT };
enum cn_defense_mode { CPT_DISABLED = 1, CPT_INTERIOR, CPT_INTERIOR_READY, CPT_EDGE };

static inline bool cnd_is_cnpv(uint8_t cnpv_mask, unsigned int priority)
{
	return (cnpv_mask >> priority) & 1;
}

/* Returns the number of CNPVs in the mask. At most CND_MAX_CNPVS can be in force together. */
unsigned int cnd_count(uint8_t cnpv_mask);

/*
 * Returns cncpAutoAltPri, 32.3.3: the next lower priority that is not a CNPV,
 * or the next higher one if no lower priority is free. priority (0..7) counts
 * as a CNPV. Returns priority if all eight are CNPVs; the managed objects
 * prevent that.
 */
uint8_t cnd_auto_alt_pri(uint8_t cnpv_mask, unsigned int priority);

/*
 * Returns true if the port belongs in ieee8021CnErroredPortTable for this CNPV,
 * 32.2.4: an administrative alternate priority, of the component or of the
 * port, is itself a CNPV. It does not matter whether the port uses that
 * alternate now, so that the error shows before it affects frames.
 */
bool cnd_port_is_errored(uint8_t cnpv_mask, unsigned int cncp_alternate_priority,
			 unsigned int cnpd_alternate_priority);

/* --- defense modes ---------------------------------------------------------- */

/* Settings of one CNPV in the row of a component (32.3) or of a port (32.4). */
struct cnd_row {
	uint8_t def_mode_choice;    /* enum cn_control_choice; never CPC_COMP in a component */
	uint8_t admin_defense_mode; /* enum cn_defense_mode */
	uint8_t alternate_priority;
};

/* Defense of one CNPV in force on a port. */
struct cnd_defense {
	bool cnpd_is_admin_def_mode;            /* cnpdIsAdminDefMode: 32.4.4 */
	enum cn_defense_mode cnpd_defense_mode; /* cnpdDefenseMode: 32.4.5 */
	uint8_t alternate_priority;
};

/*
 * Returns the defense in force, tables 32-2 and 32-3. auto_defense_mode is
 * cnpdAutoDefenseMode, auto_alt_pri is cncpAutoAltPri; they apply if neither
 * row is administrative. Choice: the text of the port's DefModeChoice combines
 * the port's automatic mode with the component's administrative alternate, all
 * other text with the automatic alternate. This function uses the automatic
 * alternate.
 */
struct cnd_defense cnd_resolve(const struct cnd_row *component, const struct cnd_row *port,
			       enum cn_defense_mode auto_defense_mode, uint8_t auto_alt_pri);

/* Priority and CN-TAG processing of a port, 32.1. */
struct cnd_map {
	uint8_t ingress[DCB_PRIORITIES]; /* by received priority: the priority used */
	uint8_t cnpv;                    /* CNPVs whose defense mode is not disabled */
	uint8_t strip;                   /* priorities: remove the CN-TAG on transmission */
	uint8_t ready;                   /* CNPVs in cptInteriorReady: a CN-TAG may be sent */
	uint8_t interior;                /* CNPVs of the neighbor too: cptInterior(Ready) */
	uint8_t leave;                   /* received priorities that an edge maps to another */
};

/*
 * Sets *map from the defense of each priority.
 *
 * defense has an entry for each priority; only those in cnpv_mask are read.
 * regeneration is the port's priority regeneration table, 6.9.4, or NULL for
 * none.
 *
 * A frame received with a CNPV keeps its priority, or gets the alternate
 * priority if the defense mode is edge. The priority of any other frame is
 * regenerated; if that results in a CNPV, the frame gets the alternate priority
 * of that CNPV. An alternate priority that is itself a CNPV is used
 * nevertheless: the port is then listed as errored.
 */
void cnd_map(struct cnd_map *map, const struct cnd_defense defense[DCB_PRIORITIES],
	     uint8_t cnpv_mask, const uint8_t *regeneration);

#endif
