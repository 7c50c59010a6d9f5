/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Congestion notification domains: which priorities are congestion notification
 * priority values (CNPV), how a port defends them, and where frames go that must
 * leave one, 802.1Q 32.1 to 32.4. A set of priorities is a mask, bit n for
 * priority n.
 */
#ifndef DCB_CORE_CND_H
#define DCB_CORE_CND_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/units.h"

#define CND_MAX_CNPVS 7 /* one priority must stay free to be the alternate: 30.4 */

/* Tokens and values of the textual conventions. */
enum cn_control_choice { CPC_ADMIN = 1, CPC_AUTO, CPC_COMP };
enum cn_lldp_choice { CNL_NONE = 1, CNL_ADMIN, CNL_COMPONENT };
enum cn_defense_mode { CPT_DISABLED = 1, CPT_INTERIOR, CPT_INTERIOR_READY, CPT_EDGE };

static inline bool cnd_is_cnpv(uint8_t cnpv_mask, unsigned int priority)
{
	return (cnpv_mask >> priority) & 1;
}

/* How many CNPVs there are; more than CND_MAX_CNPVS cannot be in force together. */
unsigned int cnd_count(uint8_t cnpv_mask);

/*
 * cncpAutoAltPri, 32.3.3: the next lower priority that is not a CNPV, the next
 * higher one where there is none. priority (0..7) counts as a CNPV itself. With
 * all eight taken, which the managed objects forbid, it is priority.
 */
uint8_t cnd_auto_alt_pri(uint8_t cnpv_mask, unsigned int priority);

/*
 * Does the port belong in ieee8021CnErroredPortTable for this CNPV, 32.2.4? It
 * does while an administrative alternate priority, the component's or the port's
 * own, is itself a CNPV; whether the port's choice makes use of that alternate
 * now does not matter, so that a mistake shows before it does harm.
 */
bool cnd_port_is_errored(uint8_t cnpv_mask, unsigned int cncp_alternate_priority,
			 unsigned int cnpd_alternate_priority);

/* --- defense modes ---------------------------------------------------------- */

/* What the row of a component (32.3) or of a port (32.4) says of one CNPV. */
struct cnd_row {
	uint8_t def_mode_choice;    /* enum cn_control_choice; a component's is never CPC_COMP */
	uint8_t admin_defense_mode; /* enum cn_defense_mode */
	uint8_t alternate_priority;
};

/* What applies on a port to one CNPV. */
struct cnd_defense {
	bool cnpd_is_admin_def_mode;            /* cnpdIsAdminDefMode: 32.4.4 */
	enum cn_defense_mode cnpd_defense_mode; /* cnpdDefenseMode: 32.4.5 */
	uint8_t alternate_priority;
};

/*
 * Tables 32-2 and 32-3. automatic is what applies where neither row decides:
 * cnpdAutoDefenseMode and cncpAutoAltPri. The text of the port's DefModeChoice
 * sends its automatic mode to the component's administrative alternate, all else
 * to the automatic one, and so do we.
 */
struct cnd_defense cnd_resolve(const struct cnd_row *component, const struct cnd_row *port,
			       enum cn_defense_mode auto_defense_mode, uint8_t auto_alt_pri);

/* What a port does to priorities and CN-TAGs: 32.1. */
struct cnd_map {
	uint8_t ingress[DCB_PRIORITIES]; /* by received priority: the one it goes on with */
	uint8_t cnpv;                    /* CNPVs here: those whose defense is not disabled */
	uint8_t strip;                   /* frames of these priorities leave without their CN-TAG */
	uint8_t ready; /* CNPVs whose frames may carry a CN-TAG here: cptInteriorReady */
};

/*
 * defense has an entry for every priority, looked at where cnpv_mask has it.
 * regeneration is the port's priority regeneration table, 6.9.4; NULL: none.
 *
 * A frame received with a CNPV keeps it, or at an edge gets the alternate. Any
 * other goes by the regeneration table, but not into a CNPV: it then gets that
 * one's alternate. An alternate that is a CNPV itself is used all the same; the
 * port is listed as errored.
 */
void cnd_map(struct cnd_map *map, const struct cnd_defense defense[DCB_PRIORITIES],
	     uint8_t cnpv_mask, const uint8_t *regeneration);

#endif
