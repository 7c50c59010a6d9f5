/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rows of LLDP-EXT-DOT1-V2-MIB: for mo_bind.c, mo_seek.c and mo_settings.c, which have
 * those of the other modules. A table shows one part of one TLV, as one of the parties
 * has it.
 */
#ifndef DCB_CONTROL_OBJECTS_MO_LLDP_H
#define DCB_CONTROL_OBJECTS_MO_LLDP_H

#include "control/managed/managed.h"
#include "control/objects/mo_place.h"
#include "lib/mo/mo.h"
#include "lldp/dcb_tlv.h"

enum lldp_party {
	LLDP_NOT,    /* a table of another module */
	LLDP_CONFIG, /* is the TLV sent */
	LLDP_LOC,    /* in force: what the TLV says, or would if it were sent */
	LLDP_REM,    /* as a neighbor says */
	LLDP_ADMIN,  /* as administered */
};

enum lldp_part {
	LLDP_PART_TX,
	LLDP_PART_CN,
	LLDP_PART_ETS,        /* willing and what is supported */
	LLDP_PART_CLASS,      /* traffic class of a priority */
	LLDP_PART_BANDWIDTH,  /* of a traffic class */
	LLDP_PART_TSA,        /* of a traffic class */
	LLDP_PART_PFC,        /* willing and what is supported */
	LLDP_PART_PFC_ENABLE, /* of a priority */
	LLDP_PART_APP,        /* of an application */
};

struct lldp_view {
	uint8_t party; /* enum lldp_party */
	uint8_t tlv;   /* enum dcb_tlv */
	uint8_t part;  /* enum lldp_part */
};
const struct lldp_view *mo_lldp_view(enum mo_table_id table);

/* The row of a table that says LOAD_LLDP: as mo_bind_load(). */
void mo_lldp_load(const struct managed *m, const struct dcb_config *config, enum mo_table_id table,
		  const struct mo_place *place, void *row);

/* LLDP destination address index of every row that has one. */
uint32_t mo_lldp_destination(const struct managed *m);

#endif
