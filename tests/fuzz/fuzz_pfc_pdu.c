/* SPDX-License-Identifier: BSD-3-Clause */
#include "lib/octets.h"
#include "dataplane/core/pfc_pdu.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pfc_pdu pdu = {.enable = 0x5a, .time = {1, 2, 3, 4, 5, 6, 7, 8}}, again;
	const struct pfc_pdu untouched = pdu;
	enum pfc_pdu_error error = pfc_pdu_decode(data, size, &pdu);
	uint8_t frame[PFC_FRAME_OCTETS];

	FUZZ_ASSERT((unsigned int)error < PFC_PDU_ERRORS);
	if (error) {
		FUZZ_ASSERT(memcmp(&pdu, &untouched, sizeof(pdu)) == 0);
		return 0;
	}
	FUZZ_ASSERT(size >= PFC_FIELDS_OCTETS);
	pfc_pdu_encode(&pdu, frame);
	FUZZ_ASSERT(memcmp(frame, data, 16) == 0);
	FUZZ_ASSERT(frame[16] == 0 && frame[17] == data[17]);
	for (unsigned int n = 0; n < DCB_PRIORITIES; n++) {
		uint16_t time = get_be16(frame + 18 + 2 * n);

		FUZZ_ASSERT(time == (pdu.enable >> n & 1 ? get_be16(data + 18 + 2 * n) : 0));
		FUZZ_ASSERT(time == pdu.time[n]);
	}
	for (unsigned int i = PFC_FIELDS_OCTETS; i < PFC_FRAME_OCTETS; i++)
		FUZZ_ASSERT(frame[i] == 0);
	FUZZ_ASSERT(pfc_pdu_decode(frame, sizeof(frame), &again) == PFC_PDU_OK);
	FUZZ_ASSERT(memcmp(&pdu, &again, sizeof(pdu)) == 0);
	return 0;
}
