/* SPDX-License-Identifier: BSD-3-Clause */
/* The octets as a received PDU, and as a sampled frame. */
#include "dataplane/core/cnm.h"
#include "lib/octets.h"
#include "tests/fuzz/fuzz.h"

/*
 * Returns the bits of an octet that the decoder keeps: not ReservedV, not the
 * low bits of the priority.
 */
static uint8_t kept_bits(size_t octet)
{
	switch (octet) {
	case 0:
		return 0xf0;
	case 1:
		return 0x3f;
	case 14:
		return 0xe0;
	case 15:
		return 0;
	default:
		return 0xff;
	}
}

static void decode(const uint8_t *data, size_t size)
{
	struct cnm cnm = {.version = 0x5a, .msdu_len = 0xa5}, again = cnm;
	const struct cnm untouched = cnm;
	enum cnm_error error = cnm_decode(data, size, &cnm);
	uint8_t pdu[CNM_PDU_MIN_OCTETS + CNM_MSDU_MAX];
	size_t len;

	FUZZ_ASSERT((unsigned int)error < CNM_ERRORS);
	FUZZ_ASSERT((error == CNM_SHORT) == (size < CNM_PDU_MIN_OCTETS));
	if (error) {
		FUZZ_ASSERT(memcmp(&cnm, &untouched, sizeof(cnm)) == 0);
		return;
	}
	FUZZ_ASSERT(cnm.version < 16 && cnm.qntz_fb < 64 && cnm.encap_priority < 8);
	len = cnm_encode(&cnm, pdu, sizeof(pdu));
	FUZZ_ASSERT(len == CNM_PDU_MIN_OCTETS + (size_t)cnm.msdu_len && len <= size);
	for (size_t i = 0; i < len; i++)
		FUZZ_ASSERT(pdu[i] == (data[i] & kept_bits(i)));
	FUZZ_ASSERT(cnm_encode(&cnm, pdu, len - 1) == 0);
	FUZZ_ASSERT(cnm_decode(pdu, len, &again) == CNM_OK);
	FUZZ_ASSERT(memcmp(&cnm, &again, sizeof(cnm)) == 0);
}

/* Samples a frame, with a verdict and cpMinHeaderOctets taken from its octets. */
static void sample(const uint8_t *data, size_t size, const struct eth_view *view)
{
	const struct cp_verdict verdict = {.qntz_fb = data[0] & 63,
					   .cp_qoffset = (int32_t)get_be32(data + 1),
					   .cp_qdelta = (int32_t)get_be32(data + 5)};
	struct cnm cnm = {.cpid = {1, 2, 3, 4, 5, 6, 7, 8}}, got;
	uint8_t most = data[9] % (CNM_MSDU_MAX + 1), frame[CNM_FRAME_MAX];
	size_t msdu = view->payload_offset - 2u;
	struct eth_view made;
	uint32_t len;

	cnm_of_frame(&cnm, &verdict, data, (uint32_t)size, view, view->priority, most);
	FUZZ_ASSERT(cnm.msdu_len == (size - msdu < most ? size - msdu : most));
	FUZZ_ASSERT(memcmp(cnm.msdu, data + msdu, cnm.msdu_len) == 0);
	len = cnm_frame(frame, &cnm, data + ETH_SA_OFFSET, data + ETH_SA_OFFSET, view->flow_id);
	FUZZ_ASSERT(len >= ETH_MIN_OCTETS && len <= CNM_FRAME_MAX);
	FUZZ_ASSERT(eth_parse(frame, len, &made) == ETH_OK);
	FUZZ_ASSERT(eth_is_cnm(&made) && made.cn_tagged && made.flow_id == view->flow_id);
	FUZZ_ASSERT(cnm_decode(frame + made.payload_offset, len - made.payload_offset, &got) ==
		    CNM_OK);
	FUZZ_ASSERT(memcmp(&cnm, &got, sizeof(cnm)) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct eth_view view;

	decode(data, size);
	if (eth_parse(data, size, &view) == ETH_OK)
		sample(data, size, &view);
	return 0;
}
