/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The headroom measurement PDU, P802.1Qdt 36.9.5: requests carry a timestamp,
 * responses return it.
 *
 *  octets  0  DA 01-80-C2-00-00-01
 *          6  SA of the sending station
 *         12  89-A2
 *         14  Version, 4 bits: sent as 0, ignored on receipt; Subtype, 4 bits: 1
 *         15  Format Identifier: use of the first tuple, of the second, path,
 *             2 bits each, and 2 bits that are sent as 0 and ignored
 *         16  tuple: Timestamp 4, Request Adjustment 2, Response Adjustment 2
 *         24  second tuple; may be missing if unused
 *             zeros up to 60
 *
 * A PDU that uses neither tuple is valid and has no effect: the draft does not
 * forbid it.
 */
#ifndef DCB_CORE_HMPDU_H
#define DCB_CORE_HMPDU_H

#include <stddef.h>
#include <stdint.h>

#include "dataplane/core/eth.h"

#define HMPDU_FRAME_OCTETS 60 /* as sent, without FCS */
#define HMPDU_MIN_OCTETS   24 /* up to the end of the first tuple */
#define HMPDU_TUPLES       2

/*
 * "A Response Adjustment need not be added if its value would be 4 or less."
 * Choice: the limit applies to the absolute value.
 */
#define HMPDU_ADJUSTMENT_OMITTED 4

enum hmpdu_error {
	HMPDU_OK,
	HMPDU_SHORT,           /* ends before its last used field */
	HMPDU_NOT_HMPDU,       /* EtherType is neither 89-A2 nor that of a tag before 89-A2 */
	HMPDU_TAGGED,          /* 89-A2 after a VLAN tag or CN-TAG */
	HMPDU_BAD_SUBTYPE,     /* not 1 */
	HMPDU_BAD_DESTINATION, /* not 01-80-C2-00-00-01 */
	HMPDU_GROUP_SOURCE,
	HMPDU_ERRORS
};

/* Use of a tuple, as encoded. */
enum hmpdu_use {
	HMPDU_UNUSED = 0,
	HMPDU_RESPONSE = 1,          /* without Response Adjustment */
	HMPDU_RESPONSE_ADJUSTED = 2, /* with Response Adjustment */
	HMPDU_REQUEST = 3,
};

/* Protection of the measured path, as encoded. */
enum hmpdu_path {
	HMPDU_PATH_PLAIN = 0,
	HMPDU_PATH_DATA = 1,    /* user data by MACsec */
	HMPDU_PATH_BOTH = 2,    /* user data and PFC frames by MACsec */
	HMPDU_PATH_PRIVACY = 3, /* both in Privacy Channels */
};

/* Fields that the use does not define are 0. */
struct hmpdu_tuple {
	uint8_t use;                 /* enum hmpdu_use */
	uint32_t timestamp;          /* opaque: only the requester interprets it */
	int16_t request_adjustment;  /* quanta */
	int16_t response_adjustment; /* quanta; HMPDU_RESPONSE_ADJUSTED only */
};

struct hmpdu {
	uint8_t source[ETH_ADDR_OCTETS];
	uint8_t path;     /* enum hmpdu_path */
	uint8_t reserved; /* bits 2 and 1: reflected in a response, 0 in our requests */
	struct hmpdu_tuple tuple[HMPDU_TUPLES];
};

/*
 * Decodes a frame of len octets, without FCS. Writes *pdu only for HMPDU_OK.
 * Order of checks: length of the header, EtherType, subtype, addresses, length
 * of the tuples.
 */
enum hmpdu_error hmpdu_decode(const uint8_t *frame, size_t len, struct hmpdu *pdu);

/* Encodes the frame. Writes fields that the use of a tuple does not define as 0. */
void hmpdu_encode(const struct hmpdu *pdu, uint8_t frame[HMPDU_FRAME_OCTETS]);

/*
 * Returns the response to a request: the same Timestamp and Request Adjustment,
 * and the Response Adjustment, in quanta, if its absolute value is above
 * HMPDU_ADJUSTMENT_OMITTED.
 */
struct hmpdu_tuple hmpdu_respond(const struct hmpdu_tuple *request, int16_t response_adjustment);

/* Returns the text for counters and logs. */
const char *hmpdu_strerror(enum hmpdu_error error);

#endif
