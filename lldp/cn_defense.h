/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A congestion notification domain defends itself: the state machine of figure
 * 32-1, one per port and CNPV, and which LLDP instance it listens to, table 32-1.
 * What tables 32-2 and 32-3 make of the outcome is cnd.h's.
 *
 *   DISABLED        no CNPV, or an administrator says how it is defended
 *   EDGE            the neighbor is not in the domain: remap, strip CN-TAGs
 *   INTERIOR        it is: do not remap; say Ready; still strip CN-TAGs
 *   INTERIOR_READY  it has said Ready too: CN-TAGs stay on
 */
#ifndef DCB_LLDP_CN_DEFENSE_H
#define DCB_LLDP_CN_DEFENSE_H

#include "dataplane/core/cnd.h"

enum cndd_state { CNDD_DISABLED = 1, CNDD_EDGE, CNDD_INTERIOR, CNDD_INTERIOR_READY };

struct cndd_inputs {
	bool enabled;             /* a CNPV, and cngMasterEnable TRUE */
	struct cnd_defense admin; /* what cnd_resolve() says, whatever the automatic mode is */
	bool cncp_does_edge;      /* 32.4.9: the port can remap frames; a station's may not */
	bool cnpd_accepts_cn_tag; /* 32.4.10: frames may come here with a CN-TAG */
	bool listens;             /* an LLDP instance that is served is selected */
	bool cnpd_rcvd_cnpv;      /* the one neighbor's CN TLV names the CNPV */
	bool cnpd_rcvd_ready;
};

struct cndd {
	uint8_t state; /* enum cndd_state; 0 is CNDD_DISABLED */
	/* Outcome. */
	uint8_t cnpd_auto_defense_mode; /* enum cn_defense_mode, never disabled */
	bool cnpd_xmit_cnpv_capable;    /* our CNPV indicator */
	bool cnpd_xmit_ready;           /* our Ready indicator */
};

/* Follows the exits until none is open. true: something of it is different now. */
bool cndd_run(struct cndd *d, const struct cndd_inputs *in);

/* ieee8021CnLldpChoice of port and component, and the selectors that go with them. */
struct cn_lldp_choice_row {
	uint8_t choice; /* enum cn_lldp_choice: none(1), admin(2), component(3) */
	uint16_t selector;
};

/* Table 32-1: index into the LLDP destination address table; 0: no instance. */
uint16_t cn_lldp_instance(const struct cn_lldp_choice_row *component,
			  const struct cn_lldp_choice_row *port);

#endif
