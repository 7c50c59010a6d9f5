/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Congestion notification domain defense: the state machine of figure 32-1, one
 * per port and CNPV, and the selection of its LLDP instance, table 32-1. cnd.h
 * has tables 32-2 and 32-3, which use the result.
 *
 *   DISABLED        not a CNPV, or an administrative defense mode
 *   EDGE            neighbor not in the domain: remap priorities, remove CN-TAGs
 *   INTERIOR        neighbor in the domain: do not remap; send Ready; remove CN-TAGs
 *   INTERIOR_READY  neighbor sent Ready too: keep CN-TAGs
 */
#ifndef DCB_LLDP_CN_DEFENSE_H
#define DCB_LLDP_CN_DEFENSE_H

#include "dataplane/core/cnd.h"

enum cndd_state { CNDD_DISABLED = 1, CNDD_EDGE, CNDD_INTERIOR, CNDD_INTERIOR_READY };

struct cndd_inputs {
	bool enabled;             /* is a CNPV, and cngMasterEnable is TRUE */
	struct cnd_defense admin; /* result of cnd_resolve(), with any automatic mode */
	bool cncp_does_edge;      /* 32.4.9: the port can remap priorities; optional for stations */
	bool cnpd_accepts_cn_tag; /* 32.4.10: the port can receive CN-TAGs */
	bool has_lldp_instance;   /* an LLDP instance is selected and served */
	bool cnpd_rcvd_cnpv;      /* there is one neighbor, and its CN TLV has the CNPV indicator */
	bool cnpd_rcvd_ready;
};

struct cndd {
	uint8_t state; /* enum cndd_state; 0 is CNDD_DISABLED */
	/* Outputs. */
	uint8_t cnpd_auto_defense_mode; /* enum cn_defense_mode, never disabled */
	bool cnpd_xmit_cnpv_capable;    /* CNPV indicator to send */
	bool cnpd_xmit_ready;           /* Ready indicator to send */
};

/*
 * Runs the state machine until no transition applies. Returns true if state or
 * an output changed.
 */
bool cndd_run(struct cndd *d, const struct cndd_inputs *in);

/* ieee8021CnLldpChoice of a component or port, and its selector. */
struct cn_lldp_choice_row {
	uint8_t choice; /* enum cn_lldp_choice: none(1), admin(2), component(3) */
	uint16_t selector;
};

/* Table 32-1: returns an index into the LLDP destination address table; 0: no instance. */
uint16_t cn_lldp_instance(const struct cn_lldp_choice_row *component,
			  const struct cn_lldp_choice_row *port);

#endif
