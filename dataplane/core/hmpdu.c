/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/core/hmpdu.h"
#include "lib/octets.h"

#define SUBTYPE_OFFSET ETH_HEADER_OCTETS
#define FORMAT_OFFSET  15
#define TUPLE_OFFSET   16
#define TUPLE_OCTETS   8

#define SUBTYPE      1
#define SUBTYPE_MASK 0x0f

static const uint8_t destination[ETH_ADDR_OCTETS] = {0x01, 0x80, 0xc2, 0x00, 0x00, 0x01};

/* --- Format Identifier: the standard numbers bits from 1, the least significant ------- */

static uint8_t use_in(uint8_t format, unsigned tuple)
{
	return format >> (6 - 2 * tuple) & 3;
}

static uint8_t format_of(const struct hmpdu *pdu)
{
	return (uint8_t)((pdu->tuple[0].use & 3) << 6 | (pdu->tuple[1].use & 3) << 4 |
			 (pdu->path & 3) << 2 | (pdu->reserved & 3));
}

/* --- decoding ------------------------------------------------------------------------------ */

/* Checks that the EtherType is 89-A2. */
static enum hmpdu_error check_type(const uint8_t *frame, size_t len)
{
	struct eth_view view;

	if (get_be16(frame + ETH_TYPE_OFFSET) == ETH_TYPE_HMPDU)
		return HMPDU_OK;
	if (eth_parse(frame, len, &view) == ETH_OK && view.ethertype == ETH_TYPE_HMPDU)
		return HMPDU_TAGGED;
	return HMPDU_NOT_HMPDU;
}

static enum hmpdu_error check_addresses(const uint8_t *frame)
{
	if (memcmp(frame + ETH_DA_OFFSET, destination, ETH_ADDR_OCTETS) != 0)
		return HMPDU_BAD_DESTINATION;
	return eth_is_group(frame + ETH_SA_OFFSET) ? HMPDU_GROUP_SOURCE : HMPDU_OK;
}

static enum hmpdu_error check(const uint8_t *frame, size_t len)
{
	enum hmpdu_error error;

	if (len < TUPLE_OFFSET)
		return HMPDU_SHORT;
	error = check_type(frame, len);
	if (!error && (frame[SUBTYPE_OFFSET] & SUBTYPE_MASK) != SUBTYPE)
		error = HMPDU_BAD_SUBTYPE;
	if (!error)
		error = check_addresses(frame);
	if (!error && len < HMPDU_MIN_OCTETS)
		error = HMPDU_SHORT;
	if (!error && use_in(frame[FORMAT_OFFSET], 1) != HMPDU_UNUSED &&
	    len < HMPDU_MIN_OCTETS + TUPLE_OCTETS)
		error = HMPDU_SHORT;
	return error;
}

static struct hmpdu_tuple get_tuple(const uint8_t *p, uint8_t use)
{
	struct hmpdu_tuple t = {.use = use};

	if (use != HMPDU_UNUSED) {
		t.timestamp = get_be32(p);
		t.request_adjustment = (int16_t)get_be16(p + 4);
	}
	if (use == HMPDU_RESPONSE_ADJUSTED)
		t.response_adjustment = (int16_t)get_be16(p + 6);
	return t;
}

enum hmpdu_error hmpdu_decode(const uint8_t *frame, size_t len, struct hmpdu *pdu)
{
	enum hmpdu_error error = check(frame, len);
	uint8_t format;

	if (error)
		return error;
	format = frame[FORMAT_OFFSET];
	*pdu = (struct hmpdu){.path = format >> 2 & 3, .reserved = format & 3};
	memcpy(pdu->source, frame + ETH_SA_OFFSET, ETH_ADDR_OCTETS);
	/* get_tuple() does not read an unused tuple: the second may be missing. */
	for (unsigned i = 0; i < HMPDU_TUPLES; i++)
		pdu->tuple[i] =
		    get_tuple(frame + TUPLE_OFFSET + i * TUPLE_OCTETS, use_in(format, i));
	return HMPDU_OK;
}

/* --- encoding ------------------------------------------------------------------------------ */

static void put_tuple(uint8_t *p, const struct hmpdu_tuple *t)
{
	if (t->use == HMPDU_UNUSED)
		return;
	put_be32(p, t->timestamp);
	put_be16(p + 4, (uint16_t)t->request_adjustment);
	if (t->use == HMPDU_RESPONSE_ADJUSTED)
		put_be16(p + 6, (uint16_t)t->response_adjustment);
}

void hmpdu_encode(const struct hmpdu *pdu, uint8_t frame[HMPDU_FRAME_OCTETS])
{
	memset(frame, 0, HMPDU_FRAME_OCTETS);
	memcpy(frame + ETH_DA_OFFSET, destination, ETH_ADDR_OCTETS);
	memcpy(frame + ETH_SA_OFFSET, pdu->source, ETH_ADDR_OCTETS);
	put_be16(frame + ETH_TYPE_OFFSET, ETH_TYPE_HMPDU);
	frame[SUBTYPE_OFFSET] = SUBTYPE;
	frame[FORMAT_OFFSET] = format_of(pdu);
	for (unsigned i = 0; i < HMPDU_TUPLES; i++)
		put_tuple(frame + TUPLE_OFFSET + i * TUPLE_OCTETS, &pdu->tuple[i]);
}

struct hmpdu_tuple hmpdu_respond(const struct hmpdu_tuple *request, int16_t response_adjustment)
{
	struct hmpdu_tuple response = {.use = HMPDU_RESPONSE,
				       .timestamp = request->timestamp,
				       .request_adjustment = request->request_adjustment};

	if (response_adjustment > HMPDU_ADJUSTMENT_OMITTED ||
	    response_adjustment < -HMPDU_ADJUSTMENT_OMITTED) {
		response.use = HMPDU_RESPONSE_ADJUSTED;
		response.response_adjustment = response_adjustment;
	}
	return response;
}

const char *hmpdu_strerror(enum hmpdu_error error)
{
	static const char *const text[HMPDU_ERRORS] = {
	    [HMPDU_OK] = "no error",
	    [HMPDU_SHORT] = "frame shorter than its fields",
	    [HMPDU_NOT_HMPDU] = "not a headroom measurement PDU",
	    [HMPDU_TAGGED] = "tagged headroom measurement PDU",
	    [HMPDU_BAD_SUBTYPE] = "subtype is not 1",
	    [HMPDU_BAD_DESTINATION] = "destination is not 01-80-c2-00-00-01",
	    [HMPDU_GROUP_SOURCE] = "source address is a group address",
	};

	return (unsigned int)error < HMPDU_ERRORS ? text[error] : "unknown";
}
