/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * DCBX, 802.1Q clause 38: calculates the values in force on a port from the
 * settings of the port and its neighbor. Keeps no state: the same settings and
 * the same neighbor always have the same result.
 *
 * PFC is symmetric: both ends must have the same setting, so a willing end uses
 * that of the other. ETS is asymmetric: each end has its own settings, and a
 * willing end uses those that its neighbor recommends. The TLV of application priorities
 * has no willing bit. Choice: an end that is willing for PFC or ETS is willing for them as
 * well, and two willing ends are decided as for PFC.
 */
#ifndef DCB_LLDP_DCBX_H
#define DCB_LLDP_DCBX_H

#include "dataplane/core/eth.h"
#include "lldp/dcb_tlv.h"

#define DCBX_TCS      8  /* traffic classes of a port */
#define DCBX_PFC_CAP  8  /* traffic classes of a port that can have PFC */
#define DCBX_APPS_MAX 64 /* application priorities of a port, and application VLANs */

/* Settings of one port: the Admin and Config tables of LLDP-EXT-DOT1-V2-MIB. */
struct dcbx_config {
	/* TLVs to send, bit n for enum dcb_tlv n: the TxEnable objects. */
	uint8_t tx_enable;
	bool ets_willing;
	bool pfc_willing;
	/*
	 * In force if a class has TSA_ETS. Otherwise the port has strict
	 * priority and the traffic classes of dcbd.conf.
	 */
	struct ets_tables ets;
	/*
	 * Recommended if a class has another algorithm than strict priority; priority_tc is
	 * always that of ets. Otherwise the settings of the port are recommended.
	 */
	struct ets_tables reco;
	uint8_t n_apps;
	struct app_priority apps[DCBX_APPS_MAX]; /* ascending (selector, protocol) */
	uint8_t n_app_vlans;
	struct app_vlan app_vlans[DCBX_APPS_MAX]; /* ascending (selector, protocol) */
};

/*
 * The neighbors of a port that count: those that send DCBX TLVs, or if none does, one that
 * does not. Choice: DCBX is for point-to-point links, and with several neighbors it behaves
 * as if there were no DCBX TLVs. A further system without DCBX on the link, such as the
 * firmware of a NIC that has an LLDP agent of its own, makes no decision ambiguous.
 */
struct dcbx_peers {
	unsigned n;                  /* neighbors that count */
	const struct dcb_tlvs *tlvs; /* TLVs of the neighbor; NULL unless n is 1 */
	/*
	 * The neighbor sent the MAC address of its port, which it compares with
	 * the local one. Another address, such as that of its chassis, could
	 * make both ends use the other's settings.
	 */
	bool has_address;
	uint8_t address[ETH_ADDR_OCTETS];
};

/* Reason for the values in force: dcbDcbxPortPfcReason, dcbDcbxPortEtsReason. */
enum dcbx_reason {
	DCBX_OFF = 1,     /* the TLV is not sent: not negotiated */
	DCBX_NO_PEER,     /* no neighbor */
	DCBX_MANY_PEERS,  /* more than one neighbor with DCBX TLVs */
	DCBX_PEER_SILENT, /* the neighbor sends no such TLV, or a malformed one */
	DCBX_NOT_WILLING, /* local port not willing: local settings */
	DCBX_PEER_TAKES,  /* both willing: the peer uses the local settings */
	DCBX_TAKEN,       /* settings of the peer in force */
	DCBX_UNDECIDED,   /* both willing, no MAC address to break the tie: local settings */
	DCBX_UNUSABLE,    /* recommendation of the peer not supported: local settings */
};

/*
 * Mismatches: dcbDcbxPortMismatch, bit n for number n. They are reported
 * whether or not the port negotiates, except DCBX_MISMATCH_PEERS, which only
 * matters to a port that does.
 */
enum dcbx_mismatch {
	DCBX_MISMATCH_ENABLE,    /* PFC is enabled for different priorities at the two ends */
	DCBX_MISMATCH_CAP,       /* PFC enabled for more priorities than the peer supports */
	DCBX_MISMATCH_PEERS,     /* more than one neighbor with DCBX TLVs */
	DCBX_MISMATCH_MALFORMED, /* a TLV of the neighbor is malformed */
	DCBX_MISMATCH_ETS,       /* recommendation of the peer not supported */
	DCBX_MISMATCH_UNDECIDED, /* both willing, no MAC address to break the tie */
};

/* The values in force. */
struct dcbx_outcome {
	uint8_t pfc_enable; /* one bit a priority */
	uint8_t pfc_reason; /* enum dcbx_reason; DCBX_TAKEN: the peer's, else the local one */
	uint8_t ets_reason;
	uint8_t mismatch; /* enum dcbx_mismatch, one bit each */
	bool ets;         /* ets_tables are in force; false: strict priority */
	struct ets_tables ets_tables;
	/* Application priorities. enum dcbx_reason; DCBX_TAKEN: the peer's, else the local ones */
	uint8_t app_reason;
};

/*
 * Returns true if, with both ends willing, the peer's settings are in force.
 * Choice: the standard's text was not available. As in the most widely deployed
 * implementation, the station with the numerically lower MAC address uses the
 * settings of the other.
 */
bool dcbx_peer_has_precedence(const uint8_t ours[ETH_ADDR_OCTETS],
			      const uint8_t theirs[ETH_ADDR_OCTETS]);

/* Versions of DCBX that a neighbor can speak; this system speaks that of IEEE only. */
enum dcbx_dialect {
	DCBX_IEEE, /* clause 38 */
	DCBX_CEE,  /* Converged Enhanced Ethernet, before the standard: OUI 00-1B-21, subtype 2 */
	DCBX_CIN,  /* Cisco, Intel, Nuova, before CEE: OUI 00-1B-21, subtype 1 */
};

/* Returns the versions before the standard that have this TLV: bits of enum dcbx_dialect. */
uint8_t dcbx_dialect_of(const uint8_t oui[DCB_TLV_OUI_OCTETS], uint8_t subtype);

/*
 * Does a neighbor with these TLVs send DCBX TLVs (D.2.8 to D.2.11), valid or malformed?
 * Choice: the Application VLAN TLV (D.2.14), of which nothing is negotiated, does not count.
 * A second neighbor that sends only that does not end the negotiation with the first.
 */
bool dcbx_speaks(const struct dcb_tlvs *tlvs);

/*
 * Compares PFC enabled here, one bit a priority, with the neighbor's TLV: returns
 * DCBX_MISMATCH_ENABLE and DCBX_MISMATCH_CAP, one bit each. Only the neighbor's capability
 * counts: all local traffic classes can have PFC.
 */
uint8_t dcbx_pfc_mismatch(uint8_t pfc_enable, const struct pfc_tlv *theirs);

/*
 * Returns true if a port supports these tables: strict priority and ETS only,
 * and bandwidths that add up to 100 %.
 */
bool dcbx_ets_is_supported(const struct ets_tables *ets);

/*
 * Sets *tables to the settings of the port: its ETS, or if no class has TSA_ETS, strict
 * priority with the traffic classes strict_classes.
 */
void dcbx_set_tables(const struct dcbx_config *config, const uint8_t strict_classes[DCB_PRIORITIES],
		     struct ets_tables *tables);

/* Returns true if a recommendation is set: a class has another algorithm than strict priority. */
bool dcbx_has_recommendation(const struct dcbx_config *config);

/*
 * Sets *reco to the tables that the port recommends to its neighbor (D.2.9): those of
 * the recommendation, or if it is not set, the settings of the port: its ETS, or strict
 * priority with the traffic classes strict_classes. A priority map that is all 0, the
 * initial value, is replaced by the port's. Values received from the neighbor have no
 * effect: two ports that recommend values of each other would never agree.
 */
void dcbx_recommend(const struct dcbx_config *config, const uint8_t strict_classes[DCB_PRIORITIES],
		    struct ets_tables *reco);

/* Sets *outcome. pfc_enable: priorities set, one bit each. address: MAC address of the port. */
void dcbx_resolve(const struct dcbx_config *config, uint8_t pfc_enable,
		  const uint8_t address[ETH_ADDR_OCTETS], const struct dcbx_peers *peers,
		  struct dcbx_outcome *outcome);

/*
 * Sets the TLVs of a port: all values, and in present the TLVs to send. outcome: of
 * dcbx_resolve() with these peers. cn: from the domain defense. strict_classes: traffic
 * classes of the port while ETS is not in force. The PFC delay TLV is not in present: the
 * caller adds it once measured.
 */
void dcbx_advertise(const struct dcbx_config *config, const struct dcbx_peers *peers,
		    const struct dcbx_outcome *outcome, const struct cn_tlv *cn,
		    const uint8_t strict_classes[DCB_PRIORITIES], struct dcb_tlvs *tlvs);

#endif
