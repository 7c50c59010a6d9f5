/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collects the contents of the DCB TLVs of a port or of a neighbor from the
 * tables of LLDP-EXT-DOT1-V2-MIB, and formats them as text and as JSON.
 */
#ifndef DCB_AGENT_CLI_TLV_VIEW_H
#define DCB_AGENT_CLI_TLV_VIEW_H

#include <jansson.h>

#include "agent/cli/base/table_rows.h"

/* Bits of dcbNeighborTlvs and of the other objects with the same syntax. */
enum tlv_bit {
	TLV_CN = MO_dcb_tlv_cn,
	TLV_ETS = MO_dcb_tlv_ets,
	TLV_RECO = MO_dcb_tlv_etsRecommendation,
	TLV_PFC = MO_dcb_tlv_pfc,
	TLV_APP = MO_dcb_tlv_applicationPriority,
	TLV_DELAY = MO_dcb_tlv_pfcDelay,
	TLV_APP_VLAN = MO_dcb_tlv_applicationVlan,
	TLV_BITS
};
/* Returns the name of a TLV for text output, as "ETS recommendation". */
const char *tlv_title(enum tlv_bit tlv);

/* TLVs that the port sends (LOC), that the neighbor sends (REM), settings (ADMIN). */
enum tlv_party { TLV_LOC, TLV_REM, TLV_ADMIN };
/* clang-format off */
#define TLV_TABLES(party)                                                                         \
	MO_lldp_##party##_ets, MO_lldp_##party##_ets_pri, MO_lldp_##party##_ets_bw,                \
	MO_lldp_##party##_ets_tsa, MO_lldp_##party##_reco_bw, MO_lldp_##party##_reco_tsa,          \
	MO_lldp_##party##_pfc, MO_lldp_##party##_pfc_enable, MO_lldp_##party##_app,                \
	MO_lldp_##party##_app_vlan
/* clang-format on */
/* The tables of each party, to be read for the functions below. */
#define TLV_TABLES_LOC   TLV_TABLES(loc), MO_lldp_loc_cn
#define TLV_TABLES_REM   TLV_TABLES(rem), MO_lldp_rem_cn
#define TLV_TABLES_ADMIN TLV_TABLES(admin)

/* Whose TLVs: of a port, sub is its ifIndex; of a neighbor (n 2), ifIndex and neighbor. */
struct tlv_from {
	const struct table_rows_all *all;
	enum tlv_party party;
	unsigned n;
	uint32_t sub[2];
};

struct tlv_cn {
	uint8_t cnpv, ready; /* bit n for priority n */
};
struct tlv_ets {
	bool willing, cbs;
	uint8_t max_tcs;
	uint8_t traffic_class[8]; /* of each priority */
	uint8_t bandwidth[8];     /* of each traffic class, percent */
	uint8_t algorithm[8];     /* of each traffic class */
};
struct tlv_pfc {
	bool willing, mbc;
	uint8_t cap, enable;
};

/* Collect the contents of one TLV. false: the party has no such TLV, and the contents are 0. */
bool tlv_cn(const struct tlv_from *from, struct tlv_cn *cn);
bool tlv_ets(const struct tlv_from *from, struct tlv_ets *ets);
bool tlv_pfc(const struct tlv_from *from, struct tlv_pfc *pfc);

/*
 * Returns the versions of DCBX before the standard in dcbNeighborDcbx: "CEE DCBX"; NULL:
 * none.
 */
const char *tlv_old_dcbx(uint8_t dialects);

/* "3,5-7"; "none". */
#define TLV_TEXT_OCTETS 256
void tlv_priorities_text(uint8_t mask, char text[TLV_TEXT_OCTETS]);
/*
 * Writes the contents of a TLV other than TLV_CN. PFC: priorities. ETS: "0-2,4:60% 3:40% 7:strict",
 * priorities by traffic class. ETS recommendation: "TC 0:60% TC 1:40%". Both: "strict" if all
 * classes are. Applications: "ethertype 0x8906:3, tcp 3260:4" with priorities or VLANs, as many as
 * fit; "none". *willing: its willing bit, false if it has none. Returns whether the party has the
 * TLV; true for applications.
 */
bool tlv_text(const struct tlv_from *from, enum tlv_bit tlv, bool *willing,
	      char text[TLV_TEXT_OCTETS]);
/* "no MACsec bypass, measurement, PTP": bits of the PFC TLV, dcbPfcWayLocalBits; "none". */
void tlv_pfc_bits_text(uint8_t mask, char text[TLV_TEXT_OCTETS]);

json_t *tlv_priorities_json(uint8_t mask);
/*
 * Returns the contents of a TLV, null if the party has no such TLV. TLV_APP, TLV_APP_VLAN: an
 * array, which can be empty.
 */
json_t *tlv_json(const struct tlv_from *from, enum tlv_bit tlv);

/* What a row of dcbPfcWayTable has; headings: set, sent, received, in force, why. */
extern const struct table_rows_column tlv_way_columns[];

#endif
