/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Congestion Notification Message, 802.1Q clause 33: its PDU, and the frame
 * that a congestion point sends for a sampled frame (GenerateCnmPdu(), 32.9.4).
 *
 *   0  Version 4 bits, ReservedV 6 bits, Quantized Feedback 6 bits
 *   2  CPID                              8 octets
 *  10  cnmQOffset, 12 cnmQDelta          two's complement, CNM_UNIT_OCTETS each
 *  14  encapsulated priority             in the three most significant bits
 *  16  encapsulated destination address
 *  22  encapsulated MSDU length          0..64
 *  24  encapsulated MSDU                 starts with its EtherType
 */
#ifndef DCB_CORE_CNM_H
#define DCB_CORE_CNM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dataplane/core/cp.h"
#include "dataplane/core/eth.h"

#define CNM_PDU_MIN_OCTETS  24
#define CNM_PRIORITY_OFFSET 14 /* of the encapsulated priority in the PDU */
#define CNM_MSDU_MAX        64
#define CNM_CPID_OCTETS     8
/* DA, SA, CN-TAG, EtherType, PDU with the longest MSDU. */
#define CNM_FRAME_MAX (ETH_HEADER_OCTETS + ETH_TAG_OCTETS + CNM_PDU_MIN_OCTETS + CNM_MSDU_MAX)

/*
 * Unit of cnmQOffset and cnmQDelta, in octets. Choice: no available source
 * states the unit. Reaction points use neither field.
 */
#define CNM_UNIT_OCTETS 64

struct cnm {
	uint8_t version; /* sent as 0, ignored on receipt */
	uint8_t qntz_fb; /* 0..63 */
	uint8_t cpid[CNM_CPID_OCTETS];
	int16_t cnm_qoffset; /* in CNM_UNIT_OCTETS */
	int16_t cnm_qdelta;  /* in CNM_UNIT_OCTETS */
	uint8_t encap_priority;
	uint8_t encap_da[ETH_ADDR_OCTETS];
	uint8_t msdu_len; /* 0..CNM_MSDU_MAX */
	uint8_t msdu[CNM_MSDU_MAX];
};

enum cnm_error {
	CNM_OK,
	CNM_SHORT,      /* fewer than 24 octets */
	CNM_BAD_LENGTH, /* encapsulated MSDU length above 64 */
	CNM_TRUNCATED,  /* encapsulated MSDU length beyond the end of the PDU */
	CNM_ERRORS
};

/*
 * Decodes a PDU: len octets after EtherType 0x22E7, padding included. Makes the
 * checks of 33.4.11 that are known; ReservedV and trailing octets are ignored.
 * Writes *cnm only for CNM_OK.
 */
enum cnm_error cnm_decode(const uint8_t *pdu, size_t len, struct cnm *cnm);
/* Returns the text for counters and logs. */
const char *cnm_strerror(enum cnm_error error);

/*
 * Encodes a PDU of CNM_PDU_MIN_OCTETS + msdu_len octets, ReservedV 0. Returns
 * the octets written. Returns 0 and writes nothing if the PDU is longer than
 * size or msdu_len is above 64.
 */
size_t cnm_encode(const struct cnm *cnm, uint8_t *pdu, size_t size);

/* Converts octets to the unit of cnmQOffset and cnmQDelta: rounded towards zero, saturated. */
int16_t cnm_units(int64_t octets);

/*
 * Fills a CNM for a sampled frame. frame has len octets, view is the result of
 * eth_parse() for it, priority is the priority it was queued with. The
 * encapsulated MSDU is the frame's MSDU cut to cp_min_header_octets (32.9.4 k).
 * Sets every field but cpid, which does not depend on the frame.
 */
void cnm_of_frame(struct cnm *cnm, const struct cp_verdict *verdict, const uint8_t *frame,
		  uint32_t len, const struct eth_view *view, uint8_t priority,
		  uint8_t cp_min_header_octets);

/*
 * Writes a CNM frame without a C-TAG: DA, SA, CN-TAG, EtherType, PDU, padded to
 * ETH_MIN_OCTETS. flow_id is that of the sampled frame, or 0 if it had no
 * CN-TAG. Returns the octets written to frame[CNM_FRAME_MAX].
 */
uint32_t cnm_frame(uint8_t frame[CNM_FRAME_MAX], const struct cnm *cnm, const uint8_t *da,
		   const uint8_t *sa, uint16_t flow_id);

#endif
