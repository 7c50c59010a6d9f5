/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/core/hmpdu.h"
#include "lib/octets.h"
#include "tests/fuzz/fuzz.h"

static void check_tuple(const uint8_t *sent, const uint8_t *data, const struct hmpdu_tuple *t)
{
	if (t->use == HMPDU_UNUSED) {
		for (unsigned i = 0; i < 8; i++)
			FUZZ_ASSERT(sent[i] == 0);
		return;
	}
	FUZZ_ASSERT(memcmp(sent, data, 6) == 0);
	FUZZ_ASSERT(get_be16(sent + 6) ==
		    (t->use == HMPDU_RESPONSE_ADJUSTED ? get_be16(data + 6) : 0));
}

/* Checks that the response to a request returns its fields. */
static void check_response(const struct hmpdu_tuple *request, uint16_t adjustment)
{
	struct hmpdu_tuple r = hmpdu_respond(request, (int16_t)adjustment);

	FUZZ_ASSERT(r.timestamp == request->timestamp);
	FUZZ_ASSERT(r.request_adjustment == request->request_adjustment);
	FUZZ_ASSERT(r.use == HMPDU_RESPONSE || r.use == HMPDU_RESPONSE_ADJUSTED);
	FUZZ_ASSERT(r.response_adjustment ==
		    (r.use == HMPDU_RESPONSE_ADJUSTED ? (int16_t)adjustment : 0));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct hmpdu pdu, again, untouched;
	enum hmpdu_error error;
	uint8_t frame[HMPDU_FRAME_OCTETS];

	memset(&pdu, 0x5a, sizeof(pdu));
	memset(&again, 0, sizeof(again)); /* padding too */
	untouched = pdu;
	error = hmpdu_decode(data, size, &pdu);
	FUZZ_ASSERT((unsigned int)error < HMPDU_ERRORS);
	if (error) {
		FUZZ_ASSERT(memcmp(&pdu, &untouched, sizeof(pdu)) == 0);
		return 0;
	}
	FUZZ_ASSERT(size >= HMPDU_MIN_OCTETS);
	FUZZ_ASSERT(pdu.tuple[1].use == HMPDU_UNUSED || size >= HMPDU_MIN_OCTETS + 8);
	hmpdu_encode(&pdu, frame);
	FUZZ_ASSERT(memcmp(frame, data, 14) == 0);
	FUZZ_ASSERT(frame[14] == (data[14] & 0x0f)); /* any version is decoded as 0 */
	FUZZ_ASSERT(frame[15] == data[15]);
	for (unsigned i = 0; i < HMPDU_TUPLES; i++) {
		check_tuple(frame + 16 + 8 * i, data + 16 + 8 * i, &pdu.tuple[i]);
		check_response(&pdu.tuple[i], get_be16(data + 22));
	}
	for (unsigned i = 32; i < HMPDU_FRAME_OCTETS; i++)
		FUZZ_ASSERT(frame[i] == 0);
	FUZZ_ASSERT(hmpdu_decode(frame, sizeof(frame), &again) == HMPDU_OK);
	FUZZ_ASSERT(memcmp(again.source, pdu.source, sizeof(pdu.source)) == 0);
	FUZZ_ASSERT(again.path == pdu.path && again.reserved == pdu.reserved);
	for (unsigned i = 0; i < HMPDU_TUPLES; i++) {
		FUZZ_ASSERT(again.tuple[i].use == pdu.tuple[i].use);
		FUZZ_ASSERT(again.tuple[i].timestamp == pdu.tuple[i].timestamp);
		FUZZ_ASSERT(again.tuple[i].request_adjustment == pdu.tuple[i].request_adjustment);
		FUZZ_ASSERT(again.tuple[i].response_adjustment == pdu.tuple[i].response_adjustment);
	}
	return 0;
}
