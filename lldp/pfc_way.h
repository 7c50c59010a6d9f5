/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The way in which the headroom of a port is found (36.8), which both ends agree on by the
 * PFC Configuration TLV of P802.1Qdt (D.2.10), and the delays of the PFC Local Delay TLV
 * (D.2.19).
 *
 *   own TLV, neighbor's TLVs -> pfc_way_find(): what both say -> pfc_way_settle(): in use
 *
 * The two differ while a neighbor changes its TLVs again and again: see pfc_way_settle().
 *
 * This is the one engine that remembers its neighbor, for a minute, because each change of
 * headroom moves the thresholds of a port: what needs more headroom takes effect at once, the
 * rest of a neighbor that flaps when it has been quiet.
 */
#ifndef DCB_LLDP_PFC_WAY_H
#define DCB_LLDP_PFC_WAY_H

#include "dataplane/core/pfc_headroom.h"
#include "lib/dcbtime.h"
#include "lldp/dcbx.h"

/* Format of the PFC Configuration TLV that a port sends: length 6 or 7. */
enum pfc_advertise { PFC_ADVERTISE_2018 = 1, PFC_ADVERTISE_QDT };

/* Settings of one port: dcbPfcWayEntry. All but response_ns need PFC_ADVERTISE_QDT. */
struct pfc_way_config {
	uint8_t advertise;    /* enum pfc_advertise */
	bool rtm, ptp;        /* bits to send: the ways that the port supports */
	bool macsec, privacy; /* bits to send: what can protect PFC frames of the port */
	bool send_delay;      /* send the PFC Local Delay TLV, with either format */
	uint32_t response_ns; /* item h of this station; 0: not set, see port_halt_ns() */
};

/* Bits of both ends: dcbPfcWayLocalBits, dcbPfcWayRemoteBits, dcbPfcWayAgreedBits. */
enum pfc_way_bit { PFC_BIT_MBC, PFC_BIT_MACSEC, PFC_BIT_PRIVACY, PFC_BIT_RTM, PFC_BIT_PTP };

/* Why a way is in use: dcbPfcWayReason. */
enum pfc_way_reason {
	PFC_REASON_OFF = 1,       /* the port sends the bit of no way */
	PFC_REASON_NO_PEER,       /* no neighbor */
	PFC_REASON_MANY_PEERS,    /* more than one neighbor with DCBX TLVs */
	PFC_REASON_PEER_SILENT,   /* the neighbor sends no PFC TLV, or a malformed one */
	PFC_REASON_PEER_2018,     /* the neighbor's PFC TLV has length 6 */
	PFC_REASON_NOT_COMMON,    /* no way has its bit set at both ends */
	PFC_REASON_NO_PFC,        /* a way has, but one end has PFC for no priority */
	PFC_REASON_AGREED,        /* one way has its bit set at both ends */
	PFC_REASON_PREFERRED,     /* both ways have: measurement is preferred */
	PFC_REASON_HELD,          /* the neighbor changes its TLVs too often */
	PFC_REASON_NOT_MEASURING, /* only measurement is left, and the port does not measure */
};

/* What a port and its neighbor say at a moment. */
struct pfc_way_said {
	uint8_t way;                   /* enum pfc_way */
	uint8_t reason;                /* enum pfc_way_reason, not PFC_REASON_HELD */
	uint8_t local, remote, agreed; /* enum pfc_way_bit, one bit each */
	struct pfc_peer peer;
};

/*
 * Bounds of a neighbor's local delay. Choice: D.2.19.4 has none. A shorter one than the
 * longest frame of the link takes cannot have item i in it, and would cost frames. A longer
 * one than the maximum would reserve the whole memory of most ports. mtu in octets, 0:
 * unknown.
 */
#define PFC_PEER_DELAY_MAX_NS UINT32_C(100000000)
uint32_t pfc_peer_delay_min_ns(const struct pfc_headroom_config *config, struct dcb_rate rate,
			       uint32_t mtu);

/*
 * Converts a neighbor's local delay to ns, rounded up. Choice: D.2.19.4 has no unit. It is
 * 2^-16 ns, as TimeInterval of IEEE 1588. Returns 0 if it is refused: outside the bounds.
 */
uint32_t pfc_peer_delay_ns(int64_t delay, uint32_t min_ns);

/*
 * Returns g + h + i of 36.8 a) 3) in ns, rounded up: the longest time from the arrival of a
 * PFC frame to the end of the last frame, at a station with PHY and MACsec of the port.
 * response_ns: item h, 0: the bound of 36.3.3. mbc: its SecY cannot be bypassed. Returns 0 if
 * there is no result: a PHY that does not exist at this rate.
 */
uint32_t pfc_way_delay_ns(const struct pfc_headroom_config *config, uint32_t response_ns, bool mbc,
			  struct dcb_rate rate, uint32_t mtu);

/*
 * Adds the bits of P802.1Qdt and the PFC Local Delay TLV to the TLVs of dcbx_advertise().
 * delay_ns: of this station; 0: no such TLV.
 */
void pfc_way_advertise(const struct pfc_way_config *config, uint32_t delay_ns,
		       struct dcb_tlvs *tlvs);

/*
 * Returns the bits of a TLV, one bit for each enum pfc_way_bit. Those of P802.1Qdt are 0 in
 * a TLV of length 6, and all of one that is absent.
 */
uint8_t pfc_way_bits(const struct pfc_tlv *pfc);

/*
 * Sets *said from the TLVs that the port sends and those of its neighbors. Choice: D.2.10 asks
 * whether both ways can be supported. They can, and PFC_WAY_MEASURED is preferred, because it
 * needs no value that an operator or a vendor has stated. min_ns: pfc_peer_delay_min_ns().
 */
void pfc_way_find(const struct dcb_tlvs *sent, const struct dcbx_peers *peers, uint32_t min_ns,
		  struct pfc_way_said *said);

/*
 * Called after pfc_way_find() for a port that supports measurement, which is switched off: its TLV
 * has no bit RTM. Choice: makes this the reason if without it another way is not even supported by
 * this port, or not by both ends while the neighbor can measure.
 */
void pfc_way_withhold(struct pfc_way_said *said);

/*
 * Losses that a neighbor may cause before it is held, and the time without a loss after which
 * they are forgotten. Choice: not in the standard. With them one neighbor changes the headroom of a
 * port at most 2 * PFC_WAY_LOSSES_MAX times by a way that comes and goes; see pfc_way_settle().
 */
#define PFC_WAY_LOSSES_MAX 3
#define PFC_WAY_QUIET_NS   (60 * DCB_NS_PER_S)

/* Zero before the first pfc_way_settle(). */
struct pfc_way_state {
	struct pfc_way_said said; /* by the last pfc_way_settle() */
	/* In use. */
	uint8_t way;    /* enum pfc_way */
	uint8_t reason; /* enum pfc_way_reason */
	struct pfc_peer peer;
	uint32_t changes; /* times that way changed */
	uint8_t losses;
	struct dcb_time quiet_at; /* when the losses are forgotten */
};

/*
 * Puts *said in use. A loss is a change that needs more headroom: a way is gone, a
 * delay is longer or not sent any more, MBC or MACsec cap is set. Losses take effect
 * at once. After PFC_WAY_LOSSES_MAX of them nothing else does until there has been none for
 * PFC_WAY_QUIET_NS; a longer delay is then rounded up to a power of two, so that one that
 * grows forever causes few changes. assumed_ns: what the port assumes if the neighbor sends
 * no delay. The same arguments again change nothing.
 */
void pfc_way_settle(struct pfc_way_state *s, const struct pfc_way_said *said, uint32_t assumed_ns,
		    struct dcb_time now);
/* Forgets the losses: the port's settings have changed. */
void pfc_way_forgive(struct pfc_way_state *s);
/* Returns when to call pfc_way_settle() again although nothing changes. */
struct dcb_time pfc_way_next(const struct pfc_way_state *s);

#endif
