/* SPDX-License-Identifier: BSD-3-Clause */
/* Fills in the rows of DCB-AGENT-MIB about LLDP and neighbors; called by mo_read_load(). */
#ifndef DCB_CONTROL_OBJECTS_MO_READ_LLDP_H
#define DCB_CONTROL_OBJECTS_MO_READ_LLDP_H

#include "control/managed/managed.h"
#include "control/objects/mo_row_at.h"
#include "control/objects/mo_rows.h"

void load_lldp(const struct managed *m, const struct dcb_config *c, const struct mo_row_at *at,
	       struct lldp_row *row);
void load_dcbx_port(const struct managed *m, const struct dcb_config *c, const struct mo_row_at *at,
		    struct dcbx_port_row *row);
void load_pfc_way(const struct managed *m, const struct dcb_config *c, const struct mo_row_at *at,
		  struct pfc_way_row *row);
void load_dcbx_audit(const struct managed *m, const struct dcb_config *c,
		     const struct mo_row_at *at, struct dcbx_audit_row *row);
void load_cn_port(const struct managed *m, const struct dcb_config *c, const struct mo_row_at *at,
		  struct cn_port_row *row);
void load_neighbor(const struct managed *m, const struct dcb_config *c, const struct mo_row_at *at,
		   struct neighbor_row *row);
void load_dcbx_app(const struct managed *m, const struct dcb_config *c, const struct mo_row_at *at,
		   struct dcbx_app_row *row);
void load_dcbx_app_vlan(const struct managed *m, const struct dcb_config *c,
			const struct mo_row_at *at, struct dcbx_app_vlan_row *row);

#endif
