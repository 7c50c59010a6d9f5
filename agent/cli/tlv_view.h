/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collects the contents of the DCB TLVs of a port or of a neighbor from the
 * tables of LLDP-EXT-DOT1-V2-MIB, and formats them as text and as JSON.
 */
#ifndef DCB_AGENT_CLI_TLV_VIEW_H
#define DCB_AGENT_CLI_TLV_VIEW_H

#include <jansson.h>

#include "agent/cli/rowset.h"

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

enum tlv_party { TLV_LOC, TLV_REM, TLV_ADMIN };

/*
 * The tables of one party: TLVs that the port sends (LOC), that the neighbor
 * sends (REM), settings (ADMIN).
 */
enum tlv_table {
	TLV_TABLE_CN,
	TLV_TABLE_ETS,
	TLV_TABLE_ETS_CLASS,
	TLV_TABLE_ETS_BANDWIDTH,
	TLV_TABLE_ETS_ALGORITHM,
	TLV_TABLE_RECO_BANDWIDTH,
	TLV_TABLE_RECO_ALGORITHM,
	TLV_TABLE_PFC,
	TLV_TABLE_PFC_ENABLE,
	TLV_TABLE_APP,
	TLV_TABLE_APP_VLAN,
	TLV_TABLES
};
struct tlv_tables {
	struct rowset of[TLV_TABLES];
};
/* Reads the tables, as rowset_fetch(). */
bool tlv_tables_fetch(struct cli *cli, enum tlv_party party, struct rowset_ports *ports,
		      struct tlv_tables *tables);

/* Index of a port's rows (ifIndex) or of a neighbor's rows (ifIndex, neighbor). */
struct tlv_key {
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

/*
 * Collect the contents of one TLV. false: the party has no such TLV. tlv_reco()
 * sets bandwidth and algorithm only: the tables have no priority assignment of
 * a recommendation.
 */
bool tlv_cn(const struct tlv_tables *t, const struct tlv_key *key, struct tlv_cn *cn);
bool tlv_ets(const struct tlv_tables *t, const struct tlv_key *key, struct tlv_ets *ets);
bool tlv_reco(const struct tlv_tables *t, const struct tlv_key *key, struct tlv_ets *reco);
bool tlv_pfc(const struct tlv_tables *t, const struct tlv_key *key, struct tlv_pfc *pfc);

/*
 * Returns the versions of DCBX before the standard in dcbNeighborDcbx: "CEE DCBX"; NULL:
 * none.
 */
const char *tlv_old_dcbx(uint8_t dialects);

/* "3,5-7"; "none". */
#define TLV_TEXT_OCTETS 256
void tlv_priorities_text(uint8_t mask, char text[TLV_TEXT_OCTETS]);
/* "0-2,4:60% 3:40% 7:strict": priorities by traffic class; "strict" if all classes are. */
void tlv_ets_text(const struct tlv_ets *ets, char text[TLV_TEXT_OCTETS]);
/* "TC 0:60% TC 1:40%"; "strict" if all classes are. */
void tlv_reco_text(const struct tlv_ets *reco, char text[TLV_TEXT_OCTETS]);
/* "ethertype 0x8906:3, tcp 3260:4", as many as fit; "none". Returns the number of all entries. */
unsigned tlv_apps_text(const struct tlv_tables *t, const struct tlv_key *key,
		       char text[TLV_TEXT_OCTETS]);
/* The same for VLANs of applications: "ethertype 0x8906:1002, tcp 3260:20". */
unsigned tlv_app_vlans_text(const struct tlv_tables *t, const struct tlv_key *key,
			    char text[TLV_TEXT_OCTETS]);

/* "no MACsec bypass, measurement, PTP": bits of the PFC TLV, dcbPfcWayLocalBits; "none". */
void tlv_pfc_bits_text(uint8_t mask, char text[TLV_TEXT_OCTETS]);
/* What a row of dcbPfcWayTable has: set, sent, received, in use, and why. */
enum tlv_way_cell { TLV_WAY_SET, TLV_WAY_SENT, TLV_WAY_RECEIVED, TLV_WAY_IN_USE, TLV_WAY_WHY };
void tlv_way_text(const struct rowset *way, size_t row, enum tlv_way_cell cell,
		  char text[TLV_TEXT_OCTETS]);
json_t *tlv_way_json(const struct rowset *way, size_t row);

json_t *tlv_priorities_json(uint8_t mask);
json_t *tlv_bits_json(uint8_t mask);
/* Returns the names of the bits that are set in a value of this object. */
json_t *tlv_names_json(const char *object, uint8_t mask);
json_t *tlv_cn_json(const struct tlv_cn *cn);
json_t *tlv_ets_json(const struct tlv_ets *ets);
json_t *tlv_reco_json(const struct tlv_ets *reco);
json_t *tlv_pfc_json(const struct tlv_pfc *pfc);
json_t *tlv_apps_json(const struct tlv_tables *t, const struct tlv_key *key);
json_t *tlv_app_vlans_json(const struct tlv_tables *t, const struct tlv_key *key);

#endif
