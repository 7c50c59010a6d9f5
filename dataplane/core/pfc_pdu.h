/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The PFC frame, 802.1Q 36.1.3 and 802.3 annex 31D: a MAC control frame that
 * pauses each of eight priorities for a time of its own.
 *
 *  octets  0  DA 01-80-C2-00-00-01
 *          6  SA of the sending station
 *         12  88-08
 *         14  opcode 01-01
 *         16  priority_enable_vector: bit n of the low octet is priority n
 *         18  time[0..7], 2 octets each
 *         34  zeros up to 60
 */
#ifndef DCB_CORE_PFC_PDU_H
#define DCB_CORE_PFC_PDU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dataplane/core/eth.h"
#include "lib/units.h"

#define PFC_FRAME_OCTETS  60 /* as sent, without FCS */
#define PFC_FIELDS_OCTETS 34 /* up to the end of time[7] */
#define PFC_PAUSE_OCTETS  18 /* of a PAUSE frame, up to the end of its time */
#define PFC_OPCODE        0x0101
#define PFC_OPCODE_PAUSE  0x0001 /* 802.3 annex 31B: pauses all priorities */

enum pfc_pdu_error {
	PFC_PDU_OK,
	PFC_PDU_SHORT,           /* ends before its last field */
	PFC_PDU_NOT_MAC_CONTROL, /* EtherType is neither 88-08 nor that of a tag before 88-08 */
	PFC_PDU_TAGGED,          /* 88-08 after one or more tags: VLAN tags, CN-TAGs */
	PFC_PDU_PAUSE,           /* 802.3 PAUSE: not used together with PFC */
	PFC_PDU_BAD_OPCODE,      /* any other opcode: aUnsupportedOpcodesReceived */
	PFC_PDU_BAD_DESTINATION, /* not 01-80-C2-00-00-01 */
	PFC_PDU_GROUP_SOURCE,
	PFC_PDU_ERRORS
};

struct pfc_pdu {
	uint8_t source[ETH_ADDR_OCTETS];
	uint8_t enable;                /* e[n]: time[n] is valid if bit n is set */
	uint16_t time[DCB_PRIORITIES]; /* quanta, 0 ends the pause; 0 if e[n] is not set */
};

/* Returns whether an untagged MAC control frame, valid or not, is PAUSE by its opcode. */
bool pfc_pdu_is_pause(const uint8_t *frame, size_t len);

/*
 * Decodes a frame of len octets, without FCS. Writes *pdu only for PFC_PDU_OK.
 * Order of checks: length of the header, EtherType, opcode, addresses, length
 * of the fields. Padding and the high octet of the vector are ignored. A vector
 * of 0 is valid.
 */
enum pfc_pdu_error pfc_pdu_decode(const uint8_t *frame, size_t len, struct pfc_pdu *pdu);

/*
 * Decodes a PAUSE frame: one for which pfc_pdu_decode() returned PFC_PDU_PAUSE.
 * Writes *quanta only for PFC_PDU_OK. Choice: accepts the group address only.
 * Annex 31B also allows the station's own address, but bridges forward frames
 * to that from beyond the link.
 */
enum pfc_pdu_error pfc_pdu_decode_pause(const uint8_t *frame, size_t len, uint16_t *quanta);

/* Encodes the frame. Writes the time of a priority that is not enabled as 0. */
void pfc_pdu_encode(const struct pfc_pdu *pdu, uint8_t frame[PFC_FRAME_OCTETS]);

/* Returns the text for counters and logs. */
const char *pfc_pdu_strerror(enum pfc_pdu_error error);

#endif
