/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/core/eth.h"
#include "lib/octets.h"
#include "tests/fuzz/fuzz.h"

/* Rebuilds the header that the view describes, with the addresses of the frame. */
static struct octets_out rebuild(const uint8_t *frame, const struct eth_view *view,
				 uint8_t head[22])
{
	struct octets_out out = octets_out(head, 22);

	octets_out_bytes(&out, frame, 2 * ETH_ADDR_OCTETS);
	if (view->tagged) {
		octets_out_be16(&out, ETH_TYPE_CTAG);
		octets_out_be16(
		    &out, (uint16_t)(view->priority << 13 | view->drop_eligible << 12 | view->vid));
	}
	if (view->cn_tagged) {
		FUZZ_ASSERT(out.len == eth_cn_tag_offset(view));
		octets_out_be16(&out, ETH_TYPE_CN_TAG);
		octets_out_be16(&out, view->flow_id);
	}
	octets_out_be16(&out, view->ethertype);
	return out;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct eth_view untouched = {.payload_offset = 0xffff};
	struct eth_view view = untouched;
	enum eth_error error = eth_parse(data, size, &view);
	struct octets_out out;
	uint8_t head[22];

	FUZZ_ASSERT((unsigned int)error < ETH_ERRORS);
	FUZZ_ASSERT((error == ETH_SHORT) == (size < ETH_HEADER_OCTETS));
	if (error) {
		FUZZ_ASSERT(view.payload_offset == untouched.payload_offset);
		return 0;
	}
	FUZZ_ASSERT(!eth_is_group(data + ETH_SA_OFFSET));
	FUZZ_ASSERT(view.payload_offset <= size);
	FUZZ_ASSERT(view.priority < 8 && view.vid <= ETH_VID_MASK);
	FUZZ_ASSERT(view.tagged || (!view.vid && !view.priority && !view.drop_eligible));
	FUZZ_ASSERT(view.cn_tagged || !view.flow_id);
	FUZZ_ASSERT(view.inner_type == fuzz_bare_type(data, size));
	out = rebuild(data, &view, head);
	FUZZ_ASSERT(!out.overrun && out.len == view.payload_offset);
	FUZZ_ASSERT(memcmp(head, data, out.len) == 0);
	return 0;
}
