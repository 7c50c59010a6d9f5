/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The MAC Security TAG of a protected frame, IEEE Std 802.1AE clause 9:
 *
 *  octets  0  DA, SA
 *         12  88-E5
 *         14  TCI: V, ES, SC, SCB, E, C; AN, 2 bits
 *         15  Short Length, 6 bits
 *         16  PN: the low 32 bits
 *         20  SCI, if SC is set
 *             Secure Data, 1 octet or more
 *             ICV, 16 octets in all cipher suites of clause 14
 *
 * Frames have no FCS.
 */
#ifndef DCB_MACSEC_SECTAG_H
#define DCB_MACSEC_SECTAG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SECTAG_ETHERTYPE   0x88e5
#define SECTAG_OCTETS      8  /* without SCI */
#define SECTAG_SCI_OCTETS  8  /* more with SCI */
#define SECTAG_MAX_OCTETS  16 /* SECTAG_OCTETS + SECTAG_SCI_OCTETS */
#define SECTAG_ICV_OCTETS  16
#define SECTAG_SHORT_BELOW 48 /* 9.7: SL is 0 if the Secure Data has as many octets or more */
#define SECTAG_ADDRESSES   12 /* octets of DA and SA, before the tag */

#define SECTAG_ANS 4

/* Port Identifiers that are not encoded, 9.5. */
#define SECTAG_PORT_ES  1 /* of an end station */
#define SECTAG_PORT_SCB 0 /* of a Single Copy Broadcast channel */

struct sectag {
	bool es;        /* the SCI is the source address and SECTAG_PORT_ES */
	bool sc;        /* the SCI is encoded */
	bool scb;       /* the SCI has SECTAG_PORT_SCB */
	bool encrypted; /* E */
	bool changed;   /* C: the Secure Data differs from the user data */
	uint8_t an;     /* 0..3 */
	uint8_t sl;     /* Short Length; 0: the Secure Data ends where the ICV begins */
	uint32_t pn;    /* low 32 bits */
	uint64_t sci;   /* 0 without sc */
};

/* A tag, and the place of the Secure Data in its frame. The ICV follows. */
struct sectag_view {
	struct sectag tag;
	uint32_t data;        /* offset in the frame */
	uint32_t data_octets; /* 1 or more */
};

/* Why a frame is no valid MPDU, 9.12; in the order of the checks. */
enum sectag_error {
	SECTAG_OK,
	SECTAG_NONE,        /* no MACsec EtherType after the addresses */
	SECTAG_SHORT,       /* fewer than 17 octets from the EtherType on: a) */
	SECTAG_BAD_VERSION, /* V is set: c) */
	SECTAG_BAD_SCI,     /* ES or SCB together with SC: d) */
	SECTAG_BAD_SL,      /* bit 7 or 8 of the octet of SL is set: e) */
	SECTAG_BAD_LENGTH,  /* of the MPDU, by SL and SC: f) to i) */
	SECTAG_ERRORS
};

/*
 * Decodes the tag of a frame of len octets, any number. Writes *view only for SECTAG_OK.
 * Choice: a frame that is shorter than ETH_MIN_OCTETS by its SL may be padded to that, as
 * NOTE 2 of 9.10 expects of an Ethernet on the way; 9.12 has the length without padding.
 */
enum sectag_error sectag_decode(const uint8_t *frame, size_t len, struct sectag_view *view);

/* Returns the octets of a tag, EtherType included: 8, or 16 with SCI. */
static inline uint32_t sectag_octets(const struct sectag *tag)
{
	return tag->sc ? SECTAG_MAX_OCTETS : SECTAG_OCTETS;
}

/* Returns the Short Length of Secure Data of this many octets, 9.7. */
static inline uint8_t sectag_short_length(uint32_t data_octets)
{
	return (uint8_t)(data_octets < SECTAG_SHORT_BELOW ? data_octets : 0);
}

/* Writes sectag_octets() octets. V is 0. */
void sectag_encode(const struct sectag *tag, uint8_t *octets);

/*
 * Returns an SCI, 9.9: the System Identifier, a MAC address, before the Port Identifier.
 */
uint64_t sectag_sci(const uint8_t system[6], uint16_t port);

/* Returns the text for counters and logs. */
const char *sectag_strerror(enum sectag_error error);

#endif
