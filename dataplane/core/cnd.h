/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Congestion notification domains: which priorities are congestion notification
 * priority values (CNPV) and where frames go that must leave one, 802.1Q 32.3
 * and 32.4. A set of CNPVs is a mask, bit n for priority n.
 */
#ifndef DCB_CORE_CND_H
#define DCB_CORE_CND_H

#include <stdbool.h>
#include <stdint.h>

#include "dataplane/core/units.h"

#define CND_MAX_CNPVS 7 /* one priority must stay free to be the alternate: 30.4 */

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

#endif
