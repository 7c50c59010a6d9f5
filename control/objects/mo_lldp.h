/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rows of LLDP-EXT-DOT1-V2-MIB, for mo_read.c, mo_next.c and mo_settings.c. Each table
 * contains one part of one TLV: as configured, as in force or as received.
 */
#ifndef DCB_CONTROL_OBJECTS_MO_LLDP_H
#define DCB_CONTROL_OBJECTS_MO_LLDP_H

#include "control/managed/managed.h"
#include "control/objects/mo_row_at.h"
#include "lib/mo/mo.h"
#include "lldp/dcb_tlv.h"

enum lldp_party {
	LLDP_NO_TLV, /* a table of another module */
	LLDP_CONFIG, /* whether the TLV is sent */
	LLDP_LOC,    /* in force; the TLV as sent, even if sending is disabled */
	LLDP_REM,    /* received from a neighbor */
	LLDP_ADMIN,  /* settings */
};

enum lldp_part {
	LLDP_PART_TX,
	LLDP_PART_CN,
	LLDP_PART_ETS,        /* willing, and number of traffic classes */
	LLDP_PART_CLASS,      /* traffic class of a priority */
	LLDP_PART_BANDWIDTH,  /* of a traffic class */
	LLDP_PART_TSA,        /* of a traffic class */
	LLDP_PART_PFC,        /* willing, and how many traffic classes can have PFC */
	LLDP_PART_PFC_ENABLE, /* of a priority */
	LLDP_PART_APP,        /* priority of an application */
	LLDP_PART_APP_VLAN,   /* VLAN of an application */
};

struct lldp_view {
	uint8_t party; /* enum lldp_party */
	uint8_t tlv;   /* enum dcb_tlv */
	uint8_t part;  /* enum lldp_part */
};
/* Returns the part of a TLV that a table contains; party LLDP_NO_TLV for other modules. */
const struct lldp_view *mo_lldp_view(enum mo_table_id table);

/* mo_read_load() for the tables that mibs/all.def marks with LOAD_LLDP. */
void mo_lldp_load(const struct managed *m, const struct dcb_config *config, enum mo_table_id table,
		  const struct mo_row_at *place, void *row);

/* Returns the index of the LLDP destination address that dcbd serves. */
uint32_t mo_lldp_destination(const struct managed *m);

#endif
