/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * PFC headroom: how much a station B that sends a PFC frame must still be able
 * to take in before its peer A has stopped (36.1.1), from what is known of
 * link and stations (36.8 a, 36.8.1, Annex N). Whole bits at the link's speed,
 * each term rounded up, no floating point.
 *
 *       B: counts, asks, encodes | frame in progress | PFC frame
 *       a  b  c                    d                   e        \ f
 *                                                                 \
 *       A:                                       g decodes, h stops, i sends the last frame
 *                                                                 /
 *       k  B takes that in                                      / j
 *
 * The headroom is the sum of what belongs to worst-case delay (WD: the two
 * frames that were on their way when they should not have been), internal
 * processing delay (ID) and link delay (LD).
 */
#ifndef DCB_CORE_PFC_HEADROOM_H
#define DCB_CORE_PFC_HEADROOM_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/units.h"

/* What inputs may be at most; within these nothing overflows. */
#define PFC_HEADROOM_SPEED_MAX_BPS    UINT64_C(10000000000000)
#define PFC_HEADROOM_DELAY_MAX_NS     1000000000u
#define PFC_HEADROOM_CABLE_MAX_M      10000000u
#define PFC_HEADROOM_FRAME_MIN_OCTETS 64u
#define PFC_HEADROOM_FRAME_MAX_OCTETS 1048576u

/* Annex N.6: the frame of its example, and the PFC frame. Octets with FCS. */
#define PFC_HEADROOM_FRAME_OCTETS     2000u
#define PFC_HEADROOM_PFC_FRAME_OCTETS 64u

/* How fast a bit travels: N.6 and NOTE 1 of 36.8. */
enum pfc_medium {
	PFC_MEDIUM_COPPER = 1, /* 0.6 of the speed of light */
	PFC_MEDIUM_FIBRE,      /* 5 ns/m */
};

/* Delay of MAC and PHY, transmitting and receiving together: Table N-1. */
enum pfc_phy {
	PFC_PHY_WORST = 1, /* no PHY of the table takes longer, at any speed */
	PFC_PHY_NONE,      /* frames are passed in memory */
	PFC_PHY_10GBASE_T, /* with XGXS and XAUI, as in N.6 */
	PFC_PHY_10GBASE_R,
	PFC_PHY_10GBASE_LX4,
	PFC_PHY_10GBASE_CX4,
};
#define PFC_PHY_LAST PFC_PHY_10GBASE_CX4

enum pfc_macsec {
	PFC_MACSEC_NONE = 1,
	PFC_MACSEC_DATA, /* user data protected, PFC frames in clear: 36.4 */
	PFC_MACSEC_ALL,  /* both protected: 36.5 */
};

/* Whose arithmetic. */
enum pfc_edition {
	PFC_EDITION_QDT = 1, /* P802.1Qdt: all terms */
	PFC_EDITION_2018,    /* 802.1Q-2018: without initiation, and one SecY for both frames */
};

struct pfc_headroom_input {
	uint64_t speed_bps;        /* 1..PFC_HEADROOM_SPEED_MAX_BPS */
	uint32_t max_frame_octets; /* longest frame either may send, with FCS */
	uint32_t pfc_frame_octets; /* with FCS */
	/* The link, one way. */
	uint32_t cable_m;
	uint8_t medium;         /* enum pfc_medium */
	uint32_t link_delay_ns; /* known, from IEEE 1588 say: in place of the cable; 0: not known */
	/* MAC and PHY of either station, both ways together. */
	uint8_t phy;           /* enum pfc_phy; 0: nobody said */
	uint32_t interface_ns; /* in place of the PHY's; 0: the PHY's */
	/* Station B, ours. */
	uint32_t calculation_ns; /* a */
	uint32_t initiation_ns;  /* b; 0: as in N.6 */
	uint32_t reception_ns;   /* k, besides MAC and PHY */
	bool local_mbc;          /* our SecY delays frames even when MACsec is off */
	/* Station A, the peer. */
	uint32_t response_ns;   /* h, assured or measured; 0: the bound of 36.3.3 */
	uint32_t peer_delay_ns; /* g, h and i in one, as the peer says; 0: it does not */
	bool peer_mbc;          /* its MBC bit: it cannot bypass its SecY (36.4.1) */
	/* MACsec. */
	uint8_t macsec;   /* enum pfc_macsec */
	uint32_t secy_ns; /* of a SecY, one way; 0: the bound of 36.4.1 */
	uint8_t edition;  /* enum pfc_edition */
};

/* The terms in the order in which they pass; the letter is the item of 36.1.1. */
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
	PFC_TERMS
};

enum pfc_delay_group { PFC_DELAY_WORST_CASE, PFC_DELAY_INTERNAL, PFC_DELAY_LINK, PFC_DELAY_GROUPS };

struct pfc_term_info {
	char item;         /* of 36.1.1 */
	uint8_t group;     /* enum pfc_delay_group */
	const char *token; /* local-transmit */
	const char *text;  /* MAC and PHY, sending */
};
const struct pfc_term_info *pfc_term_info(enum pfc_term term);
/* "WD", "ID", "LD" */
const char *pfc_delay_group_token(enum pfc_delay_group group);

struct pfc_headroom {
	uint64_t term[PFC_TERMS];         /* bits */
	uint64_t group[PFC_DELAY_GROUPS]; /* bits */
	uint64_t total;                   /* bits */
};

enum pfc_headroom_error {
	PFC_HEADROOM_OK,
	PFC_HEADROOM_BAD_SPEED,
	PFC_HEADROOM_BAD_FRAME,
	PFC_HEADROOM_BAD_CABLE,
	PFC_HEADROOM_BAD_DELAY,
	PFC_HEADROOM_BAD_CHOICE,  /* medium, PHY, MACsec or edition is none of the enumeration */
	PFC_HEADROOM_PHY_SPEED,   /* the PHY is not one of this speed */
	PFC_HEADROOM_PHY_UNKNOWN, /* nobody said which PHY, and none is known for this speed */
};
/* What was expected. */
const char *pfc_headroom_strerror(enum pfc_headroom_error error);

/* The example of N.6, at this speed. */
void pfc_headroom_input_init(struct pfc_headroom_input *in, uint64_t speed_bps);
enum pfc_headroom_error pfc_headroom_calculate(const struct pfc_headroom_input *in,
					       struct pfc_headroom *out);

/* The longest frame, with FCS, of an interface whose MTU this is; 0, not known: that of N.6. */
uint32_t pfc_headroom_frame_octets(uint32_t mtu);

static inline uint64_t pfc_bits_to_octets(uint64_t bits)
{
	return bits / 8 + (bits % 8 != 0);
}

static inline uint64_t pfc_bits_to_quanta(uint64_t bits)
{
	return bits / PFC_QUANTUM_BITS + (bits % PFC_QUANTUM_BITS != 0);
}

/* --- of a managed port: 12.23, 36.8, 36.11 ----------------------------------------- */

enum pfc_headroom_choice { PFC_HEADROOM_AUTOMATIC = 1, PFC_HEADROOM_MANUAL };

enum pfc_headroom_status {
	PFC_HEADROOM_CALCULATED = 1,
	PFC_HEADROOM_AT_MINIMUM, /* the calculation came out below */
	PFC_HEADROOM_AT_MAXIMUM, /* ... or above */
	PFC_HEADROOM_NO_RESULT,  /* an input contradicts the port's speed */
};

/* What can be set: dcbPfcHeadroomEntry. As in struct pfc_headroom_input where the names agree. */
struct pfc_headroom_config {
	uint8_t choice; /* enum pfc_headroom_choice */
	uint32_t
	    initial_allowance; /* bits, while nothing is calculated; 0: PFCLinkDelayAllowance */
	uint32_t cable_m;
	uint8_t medium;
	uint32_t link_delay_ns;
	uint8_t phy;
	uint32_t interface_ns;
	uint32_t response_ns;
	uint32_t initiation_ns;
	uint8_t macsec;
	bool peer_mbc;
	uint32_t secy_ns;
	uint32_t minimum, maximum; /* bits; minimum <= maximum */
};

/* What follows from it; bits that do not fit are UINT32_MAX. */
struct pfc_headroom_state {
	uint8_t status; /* enum pfc_headroom_status */
	uint32_t max_frame_octets;
	uint32_t calculated;              /* before the bounds; 0: no result */
	uint32_t group[PFC_DELAY_GROUPS]; /* its parts */
	uint32_t allowance;               /* PFCHeadroomAllowance: within the bounds */
	uint32_t in_force;                /* by choice that or PFCLinkDelayAllowance */
};

/* Are bounds and choices consistent with each other? */
bool pfc_headroom_config_check(const struct pfc_headroom_config *config);

/* Follows the port: call it again when speed, MTU or settings change. */
void pfc_headroom_settle(const struct pfc_headroom_config *config, uint32_t link_delay_allowance,
			 uint64_t speed_bps, uint32_t mtu, struct pfc_headroom_state *out);

#endif
