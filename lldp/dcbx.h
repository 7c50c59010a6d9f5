/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * DCBX: what is in force on a port, of what we and the neighbor would have,
 * 802.1Q clause 38. Values in, values out; nothing is remembered, so the same
 * configuration and the same neighbor always have the same outcome.
 *
 * PFC is symmetric: both ends have to agree, so a willing end takes what the
 * other has. ETS is asymmetric: each end sends as it likes, and a willing one as
 * its neighbor recommends.
 */
#ifndef DCB_LLDP_DCBX_H
#define DCB_LLDP_DCBX_H

#include "dataplane/core/eth.h"
#include "lldp/dcb_tlv.h"

#define DCBX_TCS      8 /* traffic classes of a port */
#define DCBX_PFC_CAP  8 /* ... all of which can have PFC */
#define DCBX_APPS_MAX 64

/* One port as it is administered: Admin and Config tables of LLDP-EXT-DOT1-V2-MIB. */
struct dcbx_config {
	/* TxEnable of each TLV, bit n for enum dcb_tlv n: which are sent. */
	uint8_t tx_enable;
	bool ets_willing;
	bool pfc_willing;
	/*
	 * In force as soon as a class is one of TSA_ETS; before that the port has
	 * strict priority, and its traffic classes are those of dcbd.conf.
	 */
	struct ets_tables ets;
	struct ets_tables reco; /* priority_tc: as in ets, always */
	uint8_t n_apps;
	struct app_priority apps[DCBX_APPS_MAX]; /* ascending (selector, protocol) */
};

/* The other end. */
struct dcbx_peers {
	unsigned n;                  /* LLDP neighbors on the port */
	const struct dcb_tlvs *tlvs; /* of the only one; NULL unless n is 1 */
	/*
	 * It has said the MAC address of its port, the one it compares with ours itself.
	 * By any other, its chassis' for one, both ends could find that they are to take.
	 */
	bool has_address;
	uint8_t address[ETH_ADDR_OCTETS];
};

/* Why it is as it is: dcbDcbxPortPfcReason, dcbDcbxPortEtsReason. */
enum dcbx_reason {
	DCBX_OFF = 1,     /* we do not send the TLV: the attribute is not negotiated */
	DCBX_NO_PEER,     /* nobody there */
	DCBX_MANY_PEERS,  /* more than one neighbor */
	DCBX_PEER_SILENT, /* it sends no such TLV, or a malformed one */
	DCBX_NOT_WILLING, /* we are not willing: our own */
	DCBX_PEER_TAKES,  /* both are willing, and it is for the peer to give way */
	DCBX_TAKEN,       /* the peer's is in force */
	DCBX_UNDECIDED,   /* both are willing, and nobody knows who is to give way */
	DCBX_UNUSABLE,    /* what the peer recommends cannot be done here */
};

/*
 * What does not fit: dcbDcbxPortMismatch; a set, bit n for number n. It tells what
 * is so, whether or not we negotiate; only that there are many neighbors is of
 * no consequence to one that does not.
 */
enum dcbx_mismatch {
	DCBX_MISMATCH_ENABLE,    /* PFC is enabled for different priorities at the two ends */
	DCBX_MISMATCH_CAP,       /* more priorities enabled than the other end can have */
	DCBX_MISMATCH_PEERS,     /* more than one neighbor */
	DCBX_MISMATCH_MALFORMED, /* a TLV of the neighbor's is malformed */
	DCBX_MISMATCH_ETS,       /* its recommendation cannot be followed */
	DCBX_MISMATCH_UNDECIDED, /* both are willing and addresses do not tell who takes */
};

/* What is in force. */
struct dcbx_outcome {
	uint8_t pfc_enable; /* one bit a priority */
	uint8_t pfc_reason; /* enum dcbx_reason; the peer's if DCBX_TAKEN, else our own */
	uint8_t ets_reason;
	uint8_t mismatch; /* enum dcbx_mismatch, one bit each */
	bool ets;         /* the tables are in force; false: strict priority */
	struct ets_tables ets_tables;
};

/*
 * Both willing: is it for us to take the peer's values? The standard's text was
 * not to be had, so this follows the most widely deployed peer: the station
 * with the numerically lower MAC address takes.
 */
bool dcbx_we_take(const uint8_t ours[ETH_ADDR_OCTETS], const uint8_t theirs[ETH_ADDR_OCTETS]);

/*
 * Can a port of ours do this? Of the algorithms there are strict priority and
 * bandwidths, and those have to add up.
 */
bool dcbx_can(const struct ets_tables *ets);

/* pfc_enable: as administered, one bit a priority. address: the port's own. */
void dcbx_resolve(const struct dcbx_config *config, uint8_t pfc_enable,
		  const uint8_t address[ETH_ADDR_OCTETS], const struct dcbx_peers *peers,
		  struct dcbx_outcome *outcome);

/*
 * What a port says of itself: everything is filled in, and present are the TLVs it
 * sends. cn: from the defense machines. priority_tc: traffic classes of the port
 * that its priorities have as long as no ETS is in force. No PFC delay: that is
 * for who has measured it to add.
 */
void dcbx_advertise(const struct dcbx_config *config, const struct dcbx_outcome *outcome,
		    const struct cn_tlv *cn, const uint8_t priority_tc[DCB_PRIORITIES],
		    struct dcb_tlvs *tlvs);

#endif
