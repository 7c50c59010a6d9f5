/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Congestion Notification Message, 802.1Q clause 33: its PDU, and the frame a
 * congestion point makes of the frame it sampled (GenerateCnmPdu(), 32.9.4).
 *
 *    0  Version 4 bits, ReservedV 6 bits, Quantized Feedback 6 bits
 *    2  CPID                              8 octets
 *   10  cnmQOffset, 12 cnmQDelta          two's complement, CNM_UNIT_OCTETS each
 *   14  encapsulated priority             in the three most significant bits
 *   16  encapsulated destination address
 *   22  encapsulated MSDU length          0..64
 *   24  encapsulated MSDU                 from its EtherType on
 */
#ifndef DCB_CORE_CNM_H
#define DCB_CORE_CNM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dataplane/core/cp.h"
#include "dataplane/core/eth.h"

#define CNM_PDU_MIN_OCTETS 24
#define CNM_MSDU_MAX       64
#define CNM_CPID_OCTETS    8
/* DA, SA, CN-TAG, EtherType, PDU with the longest MSDU. */
#define CNM_FRAME_MAX (ETH_HEADER_OCTETS + ETH_TAG_OCTETS + CNM_PDU_MIN_OCTETS + CNM_MSDU_MAX)

/*
 * Unit of cnmQOffset and cnmQDelta. No source at hand states it; reaction points
 * do not use either field.
 */
#define CNM_UNIT_OCTETS 64

struct cnm {
	uint8_t version; /* 0 when sent; any other is read as if it were 0 */
	uint8_t qntz_fb; /* 0..63 */
	uint8_t cpid[CNM_CPID_OCTETS];
	int16_t cnm_qoffset; /* CNM_UNIT_OCTETS */
	int16_t cnm_qdelta;  /* CNM_UNIT_OCTETS */
	uint8_t encap_priority;
	uint8_t encap_da[ETH_ADDR_OCTETS];
	uint8_t msdu_len; /* 0..CNM_MSDU_MAX */
	uint8_t msdu[CNM_MSDU_MAX];
};

enum cnm_error {
	CNM_OK,
	CNM_SHORT,      /* fewer than 24 octets */
	CNM_BAD_LENGTH, /* encapsulated MSDU length above 64 */
	CNM_TRUNCATED,  /* ... or more than there are octets */
	CNM_ERRORS
};

/*
 * Reads a PDU (what follows EtherType 0x22E7, padding included): 33.4.11 as far
 * as it could be learnt. ReservedV and trailing octets are ignored. Fills the
 * message only for CNM_OK.
 */
enum cnm_error cnm_decode(const uint8_t *pdu, size_t len, struct cnm *cnm);
const char *cnm_strerror(enum cnm_error error);

/*
 * Writes a PDU of CNM_PDU_MIN_OCTETS + msdu_len octets, ReservedV 0; how many.
 * 0, and nothing written: they do not fit in size, or msdu_len is above 64.
 */
size_t cnm_encode(const struct cnm *cnm, uint8_t *pdu, size_t size);

/* Octets as cnmQOffset and cnmQDelta carry them: towards zero, saturated. */
int16_t cnm_units(int64_t octets);

/*
 * What a congestion point says of a sampled frame: frame is len octets, view
 * what eth_parse() found in them, priority the one it was queued with. The MSDU
 * returned is the shorter of the frame's and cpMinHeaderOctets (32.9.4 k).
 * Everything is set but cpid, which is the congestion point's for good.
 */
void cnm_of_frame(struct cnm *cnm, const struct cp_verdict *verdict, const uint8_t *frame,
		  uint32_t len, const struct eth_view *view, uint8_t priority,
		  uint8_t cp_min_header_octets);

/*
 * The frame without a C-TAG: DA, SA, CN-TAG with this flow id (that of the
 * sampled frame, 0 when it had none), EtherType, PDU, padded to ETH_MIN_OCTETS.
 * Octets written to frame[CNM_FRAME_MAX].
 */
uint32_t cnm_frame(uint8_t frame[CNM_FRAME_MAX], const struct cnm *cnm, const uint8_t *da,
		   const uint8_t *sa, uint16_t flow_id);

#endif
