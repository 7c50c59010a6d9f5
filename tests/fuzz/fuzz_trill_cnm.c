/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The octets as a CNM received by an RBridge, and as a TRILL data frame that it samples. The
 * nickname of the RBridge is 0A02.
 */
#include "dataplane/trill/trill_cnm.h"
#include "lib/octets.h"
#include "tests/fuzz/fuzz.h"

#define NICKNAME 0x0a02

/* Checks a CNM that the RBridge sends. Returns its PDU's octets in *cnm. */
static void check_sent(const struct trill_cnm *t, struct cnm *cnm, struct eth_view *view)
{
	FUZZ_ASSERT(t->len >= ETH_MIN_OCTETS && t->len <= CNM_FRAME_MAX);
	FUZZ_ASSERT(t->priority < 8);
	FUZZ_ASSERT(t->vid >= 1 && t->vid <= 4094);
	FUZZ_ASSERT(trill_nickname_is_valid(t->egress));
	FUZZ_ASSERT(eth_parse(t->frame, t->len, view) == ETH_OK);
	FUZZ_ASSERT(eth_is_cnm(view) && view->cn_tagged && !view->tagged);
	FUZZ_ASSERT(!eth_is_group(t->frame));
	FUZZ_ASSERT(cnm_decode(t->frame + view->payload_offset, t->len - view->payload_offset,
			       cnm) == CNM_OK);
}

/* What a received CNM must have, octet by octet, to be transformed. */
static void check_transformed(const uint8_t *pdu, const struct trill_cnm *t)
{
	const uint8_t *msdu = pdu + CNM_PDU_MIN_OCTETS;
	uint32_t options = 4u * (get_be16(msdu + 2) >> 6 & 31);
	const uint8_t *inner = msdu + 8 + options;
	uint32_t used = 24 + options;
	struct eth_view view;
	struct cnm cnm;

	check_sent(t, &cnm, &view);
	FUZZ_ASSERT(get_be16(msdu) == 0x22f3 && get_be16(msdu + 2) >> 14 == 0);
	FUZZ_ASSERT(get_be16(pdu + 22) >= used);
	FUZZ_ASSERT(t->egress == get_be16(msdu + 6));
	FUZZ_ASSERT(memcmp(t->frame, inner + 6, 6) == 0);
	FUZZ_ASSERT(memcmp(cnm.encap_da, inner, 6) == 0);
	FUZZ_ASSERT(get_be16(inner + 12) == 0x8100);
	FUZZ_ASSERT(t->vid == (get_be16(inner + 14) & 0xfff));
	FUZZ_ASSERT(cnm.encap_priority == inner[14] >> 5);
	FUZZ_ASSERT(memcmp(t->frame + view.payload_offset, pdu, 14) == 0);
	if (get_be16(pdu + 22) >= used + 2 && get_be16(inner + 16) == 0x22e9) {
		used += 4;
		FUZZ_ASSERT(view.flow_id == get_be16(inner + 18));
	} else {
		FUZZ_ASSERT(view.flow_id == 0);
	}
	FUZZ_ASSERT(cnm.msdu_len + used == get_be16(pdu + 22));
	FUZZ_ASSERT(memcmp(cnm.msdu, msdu + used, cnm.msdu_len) == 0);
}

static void receive(const uint8_t *data, uint32_t size, const struct eth_view *view)
{
	const uint8_t *pdu = data + view->payload_offset;
	struct trill_cnm t, untouched;
	enum trill_cnm_verdict verdict;

	memset(&t, 0x5a, sizeof(t));
	memcpy(&untouched, &t, sizeof(t));
	verdict = trill_cnm_transform(data, size, view, view->priority, NICKNAME, &t);
	FUZZ_ASSERT((unsigned int)verdict < TRILL_CNM_VERDICTS);
	if (verdict == TRILL_CNM_TRANSFORMED || verdict == TRILL_CNM_NATIVE) {
		FUZZ_ASSERT((verdict == TRILL_CNM_NATIVE) == (t.egress == NICKNAME));
		FUZZ_ASSERT(memcmp(t.frame + 6, data + 6, 6) == 0 && t.priority == view->priority);
		check_transformed(pdu, &t);
		return;
	}
	FUZZ_ASSERT(memcmp(&t, &untouched, sizeof(t)) == 0);
	if (verdict != TRILL_CNM_MALFORMED)
		FUZZ_ASSERT(size - view->payload_offset >= CNM_PDU_MIN_OCTETS &&
			    get_be16(pdu + 22) <= CNM_MSDU_MAX);
	if (verdict == TRILL_CNM_CONTROL)
		FUZZ_ASSERT(get_be16(pdu + CNM_PDU_MIN_OCTETS) == 0x22f4);
}

static void sample(const uint8_t *data, uint32_t size, const struct eth_view *outer)
{
	static const uint8_t cpid[CNM_CPID_OCTETS] = {1, 2, 3, 4, 5, 6, 7, 8};
	static const uint8_t mac[ETH_ADDR_OCTETS] = {0x02, 0, 0, 0, 0, 2};
	const struct cp_verdict congested = {.qntz_fb = 1};
	struct trill_view view;
	struct eth_view made;
	struct trill_cnm t;
	struct cnm cnm;
	uint32_t msdu;

	if (trill_parse(data, size, outer, &view) != TRILL_OK)
		return;
	trill_cnm_of_frame(&t, &congested, cpid, mac, data, size, &view, 3, 6, CNM_MSDU_MAX);
	check_sent(&t, &cnm, &made);
	msdu = view.inner_offset + view.inner.payload_offset - 2u;
	FUZZ_ASSERT(cnm.msdu_len == (size - msdu < 64 ? size - msdu : 64));
	FUZZ_ASSERT(memcmp(cnm.msdu, data + msdu, cnm.msdu_len) == 0);
	FUZZ_ASSERT(memcmp(t.frame, data + view.inner_offset + 6, 6) == 0);
	FUZZ_ASSERT(memcmp(cnm.encap_da, data + view.inner_offset, 6) == 0);
	FUZZ_ASSERT(t.egress == view.ingress && t.vid == view.inner.vid && t.priority == 6);
	FUZZ_ASSERT(made.flow_id == view.inner.flow_id && cnm.encap_priority == 3);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct eth_view view;

	if (size > 2048 || eth_parse(data, size, &view) != ETH_OK)
		return 0;
	if (eth_is_cnm(&view))
		receive(data, (uint32_t)size, &view);
	if (trill_is_data(&view))
		sample(data, (uint32_t)size, &view);
	return 0;
}
