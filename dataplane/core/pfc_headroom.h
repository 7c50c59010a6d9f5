/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * PFC headroom: the bits that station B must still be able to receive after it
 * decides to send a PFC frame, until its peer A has stopped (36.1.1).
 * Calculated from properties of the link and the stations (36.8 a, 36.8.1,
 * Annex N). Whole bits at the speed of the link, each term rounded up, no
 * floating point.
 *
 *       B: calculate, initiate, transmit | frame in progress | PFC frame
 *       a  b  c                            d                   e        \ f
 *                                                                         \
 *       A:                              g receives, h responds, i sends the last frame
 *                                                                         /
 *       k  B receives it                                                 / j
 *
 * The headroom is the sum of worst-case delay (WD: the frame in progress of
 * each station), internal processing delay (ID) and link delay (LD).
 */
#ifndef DCB_CORE_PFC_HEADROOM_H
#define DCB_CORE_PFC_HEADROOM_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/units.h"

/* Upper bounds of the inputs: the calculation does not overflow within them. */
#define PFC_HEADROOM_SPEED_MAX_BPS    UINT64_C(10000000000000)
#define PFC_HEADROOM_DELAY_MAX_NS     1000000000u
#define PFC_HEADROOM_CABLE_MAX_M      10000000u
#define PFC_HEADROOM_FRAME_MIN_OCTETS 64u
#define PFC_HEADROOM_FRAME_MAX_OCTETS 1048576u

/* Annex N.6: the frame of the example, and the PFC frame. Octets with FCS. */
#define PFC_HEADROOM_FRAME_OCTETS     2000u
#define PFC_HEADROOM_PFC_FRAME_OCTETS 64u

/* Propagation speed of the medium: N.6 and NOTE 1 of 36.8. */
enum pfc_medium {
	PFC_MEDIUM_COPPER = 1, /* 0.6 of the speed of light */
	PFC_MEDIUM_FIBRE,      /* 5 ns/m */
};

/* MAC and PHY delay, transmit and receive together: Table N-1, and IEEE Std 802.3, 31B.3.7. */
enum pfc_phy {
	PFC_PHY_WORST = 1, /* an upper bound for all PHYs of the speed */
	PFC_PHY_NONE,      /* no PHY: frames are passed in memory */
	PFC_PHY_10GBASE_T, /* with XGXS and XAUI, as in N.6 */
	PFC_PHY_10GBASE_R,
	PFC_PHY_10GBASE_LX4,
	PFC_PHY_10GBASE_CX4,
	PFC_PHY_25GBASE_R, /* these with the FEC and the PMD of the longest delay */
	PFC_PHY_40GBASE_R,
	PFC_PHY_50GBASE_R,
	PFC_PHY_100GBASE_R,
	PFC_PHY_200GBASE_R,
	PFC_PHY_400GBASE_R,
};
#define PFC_PHY_LAST PFC_PHY_400GBASE_R

enum pfc_macsec {
	PFC_MACSEC_NONE = 1,
	PFC_MACSEC_DATA, /* user data protected, PFC frames in clear: 36.4 */
	PFC_MACSEC_ALL,  /* both protected: 36.5 */
};

/* Edition of the calculation. */
enum pfc_edition {
	PFC_EDITION_QDT = 1, /* P802.1Qdt: all terms */
	PFC_EDITION_2018,    /* 802.1Q-2018: no initiation delay, one SecY delay for both frames */
};

struct pfc_headroom_input {
	uint64_t speed_bps;        /* 1..PFC_HEADROOM_SPEED_MAX_BPS */
	uint32_t max_frame_octets; /* longest frame of either station, with FCS */
	uint32_t pfc_frame_octets; /* with FCS */
	/* The link, one way. */
	uint32_t cable_m;
	uint8_t medium;         /* enum pfc_medium */
	uint32_t link_delay_ns; /* known: replaces cable_m; 0: unknown */
	bool link_is_ptp;       /* IEEE 1588 reported link_delay_ns */
	/* MAC and PHY of each station, transmit and receive together. */
	uint8_t phy;           /* enum pfc_phy; 0: unknown */
	uint32_t interface_ns; /* replaces the delay of phy; 0: use phy */
	/* Station B, the local station. */
	uint32_t calculation_ns; /* a */
	uint32_t initiation_ns;  /* b; 0: as in N.6 */
	uint32_t reception_ns;   /* k, in addition to MAC and PHY */
	bool local_mbc;          /* the local SecY delays frames also when MACsec is off */
	/* Station A, the peer. */
	uint32_t response_ns;   /* h, guaranteed or measured; 0: the bound of 36.3.3 */
	uint32_t peer_delay_ns; /* g, h and i together, as the peer sent it; 0: not sent */
	bool peer_mbc;          /* the peer cannot bypass its SecY (36.4.1) */
	bool neighbor_mbc;      /* as peer_mbc, by the MBC bit of its PFC TLV */
	bool neighbor_macsec;   /* the peer protects PFC frames where MACsec protects data */
	/* Way b) of 36.8: the round trip, with both adjustments, without items a and b. */
	uint32_t measured_quanta; /* of PFC_QUANTUM_BITS bits; 0: not measured */
	/* MACsec. */
	uint8_t macsec;   /* enum pfc_macsec */
	uint32_t secy_ns; /* delay of a SecY, one way; 0: the bound of 36.4.1 */
	uint32_t
	    local_secy_ns; /* measured delay of the local SecY, used if secy_ns is 0; 0: none */
	uint8_t edition;   /* enum pfc_edition */
};

/* The terms in order of time. The letter is the item of 36.1.1. */
enum pfc_term {
	PFC_TERM_CALCULATION,      /* a */
	PFC_TERM_INITIATION,       /* b */
	PFC_TERM_LOCAL_PFC_SECY,   /* c */
	PFC_TERM_LOCAL_TRANSMIT,   /* c */
	PFC_TERM_LOCAL_FRAME,      /* d */
	PFC_TERM_LOCAL_FRAME_SECY, /* d */
	PFC_TERM_PFC_FRAME,        /* e */
	PFC_TERM_LINK_TO_PEER,     /* f */
	PFC_TERM_PEER_RECEIVE,     /* g */
	PFC_TERM_PEER_PFC_SECY,    /* g */
	PFC_TERM_RESPONSE,         /* h */
	PFC_TERM_PEER_FRAME,       /* i */
	PFC_TERM_PEER_FRAME_SECY,  /* i */
	PFC_TERM_PEER_TRANSMIT,    /* i */
	PFC_TERM_LINK_FROM_PEER,   /* j */
	PFC_TERM_LOCAL_RECEIVE,    /* k */
	PFC_TERM_ROUND_TRIP,       /* measured, in place of the terms that it covers */
	PFC_TERMS
};

/* Where the value of a term is from. */
enum pfc_source {
	PFC_SOURCE_STANDARD = 1, /* a bound or an example of the standard */
	PFC_SOURCE_CONFIGURED,   /* settings of the port, or its MTU */
	PFC_SOURCE_NEIGHBOR,     /* the neighbor's TLVs */
	PFC_SOURCE_PTP,          /* IEEE 1588 */
	PFC_SOURCE_MEASURED,     /* the measurement of 36.9, or that of the local SecY */
};

enum pfc_delay_group { PFC_DELAY_WORST_CASE, PFC_DELAY_INTERNAL, PFC_DELAY_LINK, PFC_DELAY_GROUPS };

struct pfc_term_info {
	char item;         /* of 36.1.1; '-': of several items */
	uint8_t group;     /* enum pfc_delay_group */
	bool is_measured;  /* a part of the round trip that the measurement reports */
	const char *token; /* for example local-transmit */
	const char *text;  /* for example our MAC and PHY, sending */
};
/* Returns the description of a term, or NULL for no valid term. */
const struct pfc_term_info *pfc_term_info(enum pfc_term term);
/* Returns "WD", "ID" or "LD"; NULL for no valid group. */
const char *pfc_delay_group_token(enum pfc_delay_group group);

struct pfc_headroom {
	uint64_t term[PFC_TERMS];         /* bits */
	uint8_t source[PFC_TERMS];        /* enum pfc_source */
	uint64_t group[PFC_DELAY_GROUPS]; /* bits */
	uint64_t total;                   /* bits */
};

enum pfc_headroom_error {
	PFC_HEADROOM_OK,
	PFC_HEADROOM_BAD_SPEED,
	PFC_HEADROOM_BAD_FRAME,
	PFC_HEADROOM_BAD_CABLE,
	PFC_HEADROOM_BAD_DELAY,
	PFC_HEADROOM_BAD_CHOICE,  /* medium, PHY, MACsec or edition is outside its enumeration */
	PFC_HEADROOM_PHY_SPEED,   /* the PHY does not exist at this speed */
	PFC_HEADROOM_PHY_UNKNOWN, /* the PHY is unknown, and no delay of this speed is known */
};
/* Returns the text for the operator: the values that were expected. */
const char *pfc_headroom_strerror(enum pfc_headroom_error error);

/* Sets the values of the example of N.6, at this speed in bit/s. */
void pfc_headroom_input_init(struct pfc_headroom_input *in, uint64_t speed_bps);

/* Calculates all terms. On an error *out is all zero. */
enum pfc_headroom_error pfc_headroom_calculate(const struct pfc_headroom_input *in,
					       struct pfc_headroom *out);

/*
 * Returns the delay that a station sends in its PFC Local Delay TLV: g, h and i of the peer of
 * *in, in ns, rounded up (36.8 a) 3), D.2.19). A station that wants its own delay states itself
 * as the peer. in->peer_delay_ns has no effect. Returns 0 for an input with an error.
 * Choice: i has a frame of maximum length in it, as in 36.1.1.
 */
uint64_t pfc_local_delay_ns(const struct pfc_headroom_input *in);

/*
 * Returns the longest frame, with FCS, for an MTU in octets; the frame of N.6
 * if mtu is 0 (unknown).
 */
uint32_t pfc_headroom_frame_octets(uint32_t mtu);

/* Convert bits to octets and to pause quanta, rounded up. */
static inline uint64_t pfc_bits_to_octets(uint64_t bits)
{
	return bits / 8 + (bits % 8 != 0);
}

static inline uint64_t pfc_bits_to_quanta(uint64_t bits)
{
	return bits / PFC_QUANTUM_BITS + (bits % PFC_QUANTUM_BITS != 0);
}

/* --- headroom of a managed port: 12.23, 36.8, 36.11 ------------------------------- */

/* How the headroom of a port is found: 36.8. A way is in use when both ends have its bit. */
enum pfc_way {
	PFC_WAY_CONFIGURED = 1, /* the neighbor has agreed on none */
	PFC_WAY_LINK_DELAYS,    /* PTP and the Local Delay TLV: 36.8.1 */
	PFC_WAY_MEASURED,       /* round trips: 36.9 */
};

/* What the neighbor's PFC TLV and PFC Local Delay TLV say. All zero: nothing. */
struct pfc_peer {
	uint32_t delay_ns;            /* g, h and i together; 0: not sent */
	bool mbc : 1;                 /* it cannot bypass its SecY: 36.4.1 */
	bool macsec : 1, privacy : 1; /* it can protect PFC frames */
	bool rtm : 1, ptp : 1;        /* it supports PFC_WAY_MEASURED, PFC_WAY_LINK_DELAYS */
};

static inline bool pfc_peer_equal(const struct pfc_peer *a, const struct pfc_peer *b)
{
	return a->delay_ns == b->delay_ns && a->mbc == b->mbc && a->macsec == b->macsec &&
	       a->privacy == b->privacy && a->rtm == b->rtm && a->ptp == b->ptp;
}

enum pfc_headroom_choice {
	PFC_HEADROOM_AUTOMATIC = 1, /* as 12.23: pfc_headroom_compute() */
	PFC_HEADROOM_MANUAL,        /* PFCLinkDelayAllowance */
	PFC_HEADROOM_CALCULATION,   /* PFCHeadroomAllowance */
};

enum pfc_headroom_status {
	PFC_HEADROOM_CALCULATED = 1,
	PFC_HEADROOM_AT_MINIMUM, /* the calculated value is below the minimum */
	PFC_HEADROOM_AT_MAXIMUM, /* the calculated value is above the maximum */
	PFC_HEADROOM_NO_RESULT,  /* an input is not valid for the speed of the port */
};

/* Which value is in force. */
enum pfc_headroom_basis {
	PFC_BASIS_ALLOWANCE = 1,  /* PFCHeadroomAllowance */
	PFC_BASIS_LINK_ALLOWANCE, /* PFCLinkDelayAllowance */
	PFC_BASIS_FILE,           /* pfc.headroom of dcbd.conf */
	PFC_BASIS_DEVICE,         /* the device of a hardware port has it */
};

/*
 * The settings: dcbPfcHeadroomEntry. Names as in struct pfc_headroom_input have
 * the same meaning.
 */
struct pfc_headroom_config {
	uint8_t choice;             /* enum pfc_headroom_choice */
	uint32_t initial_allowance; /* bits, without a calculated value; 0: PFCLinkDelayAllowance */
	uint32_t cable_m;
	uint8_t medium;
	uint32_t link_delay_ns; /* set by hand: replaces ptp_delay_ns */
	uint8_t phy;
	uint32_t interface_ns;
	uint32_t response_ns; /* set by hand: replaces the neighbor's Local Delay */
	uint32_t initiation_ns;
	uint8_t macsec;
	bool peer_mbc; /* set by hand: as if the neighbor's bit were set */
	uint32_t secy_ns;
	uint32_t minimum, maximum; /* bits; minimum <= maximum */
	uint32_t ptp_delay_ns;     /* of the link, one way; 0: unknown */
};

/* The link of a port, and what its neighbor says and the measurement reports. */
struct pfc_headroom_link {
	uint64_t speed_bps;
	uint32_t mtu;             /* octets; 0: unknown */
	uint8_t way;              /* enum pfc_way */
	struct pfc_peer peer;     /* all zero: says nothing */
	uint32_t measured_quanta; /* average of 36.9.6; 0: no result */
	uint32_t secy_ns;         /* measured delay of the local SecY; 0: none */
};

/* The result. Values above UINT32_MAX bits are UINT32_MAX. */
struct pfc_headroom_state {
	uint8_t status; /* enum pfc_headroom_status */
	uint8_t basis;  /* enum pfc_headroom_basis */
	uint32_t max_frame_octets;
	uint32_t calculated;              /* before the bounds; 0: no result */
	uint32_t group[PFC_DELAY_GROUPS]; /* the parts of calculated */
	uint32_t term[PFC_TERMS];         /* as well */
	uint8_t source[PFC_TERMS];        /* enum pfc_source */
	uint32_t allowance;               /* PFCHeadroomAllowance: within the bounds */
	uint32_t in_force;
};

/* Returns true if the minimum is not above the maximum. */
bool pfc_headroom_config_check(const struct pfc_headroom_config *config);

/*
 * Choice: an average can be 8 quanta less than the round trip (36.9.1, accuracy). These are
 * added to a measured one, because headroom is a bound.
 */
#define PFC_HEADROOM_ACCURACY_QUANTA 8

/*
 * Choice: a Local Delay that is shorter than the transmission of our longest frame cannot have
 * the frame of item i in it, and is not used. Nor is a round trip shorter than a PFC frame or
 * longer than PFC_HEADROOM_DELAY_MAX_NS. The other inputs are used instead.
 */
bool pfc_headroom_is_plausible_delay(uint32_t delay_ns, uint64_t speed_bps,
				     uint32_t max_frame_octets);
bool pfc_headroom_is_plausible_round_trip(uint32_t quanta, uint64_t speed_bps);

/*
 * Calculates the headroom of a port. Call it again when link, neighbor or settings change.
 *
 * 12.23, choice: automatic is PFCHeadroomAllowance where both ends agree on a way of 36.8.
 * Otherwise it is PFCLinkDelayAllowance; while that is 0, its initial value, it is
 * PFCHeadroomAllowance, calculated from the settings of the port and what the neighbor
 * says. So neighbors without P802.1Qdt need no manual setting.
 */
void pfc_headroom_compute(const struct pfc_headroom_config *config, uint32_t link_delay_allowance,
			  const struct pfc_headroom_link *link, struct pfc_headroom_state *out);

#endif
