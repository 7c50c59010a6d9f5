/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The organizationally specific TLVs of data center bridging, 802.1Q annex D:
 * OUI 00-80-C2, at most one of each in an LLDPDU. Encodes and decodes the
 * information string, which follows OUI and subtype.
 *
 * A TLV that is too short, with an incomplete entry of a table, with invalid
 * contents, or received twice in an LLDPDU counts as absent: the neighbor is
 * treated as one that does not send it. A counter has the number of such TLVs.
 * Octets after the known fields are ignored.
 */
#ifndef DCB_LLDP_DCB_TLV_H
#define DCB_LLDP_DCB_TLV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dataplane/core/app.h"
#include "lib/units.h"

#define DCB_TLV_OUI_OCTETS  3
#define DCB_TLV_INFO_OCTETS 507 /* longest information string */

/*
 * A set of TLVs is a mask: bit n is enumerator n. dcbNeighborTlvs and other objects have the
 * same numbers, so a new TLV is the last.
 */
enum dcb_tlv {
	DCB_TLV_CN,        /* 0x08: D.2.7, 33.5 */
	DCB_TLV_ETS,       /* 0x09 ETS Configuration: D.2.8 */
	DCB_TLV_ETS_RECO,  /* 0x0A ETS Recommendation: D.2.9 */
	DCB_TLV_PFC,       /* 0x0B PFC Configuration: D.2.10 */
	DCB_TLV_APP,       /* 0x0C Application Priority: D.2.11 */
	DCB_TLV_PFC_DELAY, /* 0x17 PFC Local Delay: P802.1Qdt */
	DCB_TLV_APP_VLAN,  /* 0x10 Application VLAN: D.2.14 */
	DCB_TLVS
};

extern const uint8_t dcb_tlv_oui[DCB_TLV_OUI_OCTETS];

/* Return the TLV with this OUI and subtype, or DCB_TLVS; and the subtype of a TLV, or 0. */
enum dcb_tlv dcb_tlv_find(const uint8_t oui[DCB_TLV_OUI_OCTETS], uint8_t subtype);
uint8_t dcb_tlv_subtype(enum dcb_tlv tlv);

/* Congestion notification: one bit a priority. */
struct cn_tlv {
	uint8_t cnpv;  /* CNPV indicators */
	uint8_t ready; /* Ready indicators: frames with CN-TAG are accepted */
};

/* Transmission selection algorithms: table 8-6. */
enum tsa { TSA_STRICT = 0, TSA_CREDIT_BASED_SHAPER = 1, TSA_ETS = 2, TSA_VENDOR = 255 };

/* The tables of the ETS TLVs. */
struct ets_tables {
	uint8_t priority_tc[DCB_PRIORITIES]; /* traffic class of each priority, 0..7 */
	uint8_t bandwidth[DCB_PRIORITIES];   /* of each traffic class, percent */
	uint8_t tsa[DCB_PRIORITIES];         /* of each traffic class, enum tsa */
};

/* Returns the sum of the bandwidths of the classes with TSA_ETS, percent. */
unsigned ets_tables_sum(const struct ets_tables *ets);
/*
 * Returns true if the bandwidths of the classes with TSA_ETS add up to 100 %,
 * or no class has it.
 */
bool ets_tables_add_up(const struct ets_tables *ets);
/* Returns true if a class has TSA_ETS. */
bool ets_tables_share(const struct ets_tables *ets);

struct ets_tlv {
	bool willing;
	bool cbs;        /* credit-based shaper is supported */
	uint8_t max_tcs; /* traffic classes supported, 1..8 (8 is 0 on the wire) */
	struct ets_tables tables;
};

struct pfc_tlv {
	bool willing;
	bool mbc;       /* MACsec bypass capability: the sender cannot bypass its SecY */
	uint8_t cap;    /* number of traffic classes that can have PFC at once, 0..15 */
	uint8_t enable; /* one bit a priority */
	/* Only in the format of P802.1Qdt, with a third octet. */
	bool qdt;
	bool macsec, privacy; /* PFC frames can be protected by them */
	bool rtm, ptp;        /* headroom measurement: round trip, PTP */
};

/* Application priorities: D.2.11. */
#define APP_TLV_MAX ((DCB_TLV_INFO_OCTETS - 1) / 3)
_Static_assert(APP_TLV_MAX == APP_MAX, "struct app_map has room for the entries of a TLV");

struct app_tlv {
	uint16_t n;
	struct app_priority of[APP_TLV_MAX]; /* received: ascending (selector, protocol) */
};

/*
 * Application VLANs: D.2.14. Selectors are those of application priorities. No member is
 * narrower, so that the struct has no padding.
 */
#define APP_VLAN_TLV_MAX (DCB_TLV_INFO_OCTETS / 4)
#define APP_VLAN_ID_MIN  1
#define APP_VLAN_ID_MAX  4094
struct app_vlan {
	uint16_t selector;
	uint16_t vlan; /* VID, APP_VLAN_ID_MIN..APP_VLAN_ID_MAX */
	uint16_t protocol;
};

struct app_vlan_tlv {
	uint16_t n;
	struct app_vlan of[APP_VLAN_TLV_MAX]; /* received: ascending (selector, protocol) */
};

/* The TLVs of one LLDPDU, received or to be sent. */
struct dcb_tlvs {
	uint8_t present;   /* TLVs present and valid */
	uint8_t malformed; /* TLVs present and not valid; not in present */
	struct cn_tlv cn;
	struct ets_tlv ets;
	struct ets_tables reco;
	struct pfc_tlv pfc;
	struct app_tlv app;
	struct app_vlan_tlv app_vlan;
	int64_t pfc_delay; /* ns x 2^16 */
};

static inline bool dcb_tlvs_have(const struct dcb_tlvs *tlvs, enum dcb_tlv tlv)
{
	return tlvs->present >> tlv & 1;
}

/*
 * Adds a received TLV to *tlvs, all zero before the first. Returns true if it
 * is valid and one of enum dcb_tlv. A second TLV of a kind makes both invalid.
 * The values of a TLV that is not in present are zero.
 */
bool dcb_tlvs_take(struct dcb_tlvs *tlvs, const uint8_t oui[DCB_TLV_OUI_OCTETS], uint8_t subtype,
		   const uint8_t *info, size_t len);

/*
 * Encodes the information string of one TLV into buf, which has
 * DCB_TLV_INFO_OCTETS. Returns its length. The TLV need not be in present.
 * Reserved bits are 0.
 */
size_t dcb_tlvs_encode(const struct dcb_tlvs *tlvs, enum dcb_tlv tlv, uint8_t *buf);

#endif
