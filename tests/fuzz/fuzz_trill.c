/* SPDX-License-Identifier: BSD-3-Clause */
/* The octets as a received TRILL data frame, and as a native frame that is encapsulated. */
#include "dataplane/trill/trill.h"
#include "lib/octets.h"
#include "tests/fuzz/fuzz.h"

#define SIZE_MAX_IN 2048

static const struct trill_outer next_hop = {.da = {0x02, 0, 0, 0, 0, 3},
					    .sa = {0x02, 0, 0, 0, 0, 2},
					    .vid = 1,
					    .priority = 5,
					    .drop_eligible = true};

/* Copies of exactly the sizes that trill.h promises: sanitizers detect an access beyond. */
static uint8_t *room(uint32_t octets)
{
	uint8_t *p = malloc(octets < ETH_MIN_OCTETS ? ETH_MIN_OCTETS : octets);

	FUZZ_ASSERT(p);
	return p;
}

static void check_head(const uint8_t *out, uint32_t len, const struct trill_outer *outer)
{
	FUZZ_ASSERT(len >= ETH_MIN_OCTETS);
	FUZZ_ASSERT(memcmp(out, outer->da, 6) == 0 && memcmp(out + 6, outer->sa, 6) == 0);
	FUZZ_ASSERT(get_be16(out + 12) == (outer->tagged ? 0x8100 : 0x22f3));
	if (outer->tagged)
		FUZZ_ASSERT(get_be32(out + 14) == 0xb00122f3);
}

/* The inner MSDU must arrive as it was sent. */
static void check_msdu(const uint8_t *a, uint32_t a_len, const uint8_t *b, uint32_t b_len)
{
	uint32_t len = a_len < b_len ? a_len : b_len;

	FUZZ_ASSERT(memcmp(a, b, len) == 0);
	for (uint32_t i = len; i < b_len; i++)
		FUZZ_ASSERT(b[i] == 0);
	FUZZ_ASSERT(b_len >= a_len);
}

static void forward(const uint8_t *data, uint32_t size, const struct trill_view *view,
		    const struct trill_tags *tags, bool tagged)
{
	uint32_t most = size + ETH_TAG_OCTETS, len, in, at;
	uint8_t *out = room(most);
	struct trill_outer outer = next_hop;
	struct trill_view again;
	struct eth_view head;
	enum trill_error error;

	outer.tagged = tagged;
	if (view->multi)
		memcpy(outer.da, trill_all_rbridges, ETH_ADDR_OCTETS);
	len = trill_transit(out, &outer, tags, data, size, view);
	FUZZ_ASSERT(len == eth_padded_octets(trill_transit_octets(&outer, tags, size, view)));
	FUZZ_ASSERT(len <= most || len == ETH_MIN_OCTETS);
	check_head(out, len, &outer);
	FUZZ_ASSERT(eth_parse(out, len, &head) == ETH_OK);
	error = trill_parse(out, len, &head, &again);
	if (view->hop_count == 1) {
		FUZZ_ASSERT(error == TRILL_HOP_COUNT);
	} else if (tags->keep_cn_tag || !view->inner.cn_tagged) {
		FUZZ_ASSERT(error == TRILL_OK);
		FUZZ_ASSERT(again.hop_count + 1 == view->hop_count);
		FUZZ_ASSERT(again.egress == view->egress && again.ingress == view->ingress);
		FUZZ_ASSERT(again.multi == view->multi && again.op_words == view->op_words);
		FUZZ_ASSERT(again.inner.vid == view->inner.vid);
		FUZZ_ASSERT(again.inner.priority == tags->priority);
		FUZZ_ASSERT(again.inner.flow_id == view->inner.flow_id);
		in = view->inner_offset + view->inner.payload_offset - 2u;
		at = again.inner_offset + again.inner.payload_offset - 2u;
		check_msdu(data + in, size - in, out + at, len - at);
	}
	free(out);
}

static void decapsulate(const uint8_t *data, uint32_t size, const struct trill_view *view,
			const struct trill_tags *tags)
{
	uint8_t *out = room(size);
	uint32_t len = trill_decapsulate(out, tags, data, size, view), in, at = 12;

	FUZZ_ASSERT(len == eth_padded_octets(trill_decapsulated_octets(tags, size, view)));
	FUZZ_ASSERT(len <= size || len == ETH_MIN_OCTETS);
	FUZZ_ASSERT(memcmp(out, data + view->inner_offset, 12) == 0);
	if (tags->tagged) {
		FUZZ_ASSERT(get_be16(out + at) == 0x8100);
		FUZZ_ASSERT(get_be16(out + at + 2) == (tags->priority << 13 | tags->vid));
		at += 4;
	}
	if (view->inner.cn_tagged && tags->keep_cn_tag) {
		FUZZ_ASSERT(get_be16(out + at) == 0x22e9);
		FUZZ_ASSERT(get_be16(out + at + 2) == view->inner.flow_id);
		at += 4;
	}
	in = view->inner_offset + view->inner.payload_offset - 2u;
	check_msdu(data + in, size - in, out + at, len - at);
	free(out);
}

static void receive(const uint8_t *data, uint32_t size, const struct eth_view *outer)
{
	struct trill_view view;
	enum trill_error error = trill_parse(data, size, outer, &view);

	FUZZ_ASSERT((unsigned int)error < TRILL_ERRORS);
	if (error)
		return;
	FUZZ_ASSERT(view.hop_count >= 1 && view.hop_count <= 63 && view.version == 0);
	FUZZ_ASSERT(trill_nickname_is_valid(view.egress) && trill_nickname_is_valid(view.ingress));
	FUZZ_ASSERT(view.inner_offset + view.inner.payload_offset <= size);
	FUZZ_ASSERT(get_be16(data + view.inner_offset + 12) == 0x8100);
	for (unsigned int i = 0; i < 8; i++) {
		const struct trill_tags tags = {.vid = view.inner.vid,
						.priority = (uint8_t)i,
						.tagged = i & 1,
						.keep_cn_tag = i & 2};

		forward(data, size, &view, &tags, i & 4);
		decapsulate(data, size, &view, &tags);
	}
}

/* Returns true if trill_parse() accepts the frame when it is encapsulated as unicast. */
static bool is_accepted_inside(const uint8_t *data, const struct eth_view *native)
{
	return !eth_is_group(data) && native->ethertype != ETH_TYPE_TRILL;
}

static void send(const uint8_t *data, uint32_t size, const struct eth_view *native, bool tagged)
{
	const struct trill_header header = {.egress = 3, .ingress = 1, .hop_count = 63};
	const struct trill_tags tags = {
	    .vid = 7, .priority = native->priority, .tagged = native->tagged, .keep_cn_tag = true};
	uint32_t most = size + TRILL_ENCAPSULATION_MAX, len;
	uint8_t *out = room(most);
	struct trill_outer outer = next_hop;
	struct trill_view view;
	struct eth_view head;

	outer.tagged = tagged;
	len = trill_encapsulate(out, &outer, &header, &tags, data, size, native);
	FUZZ_ASSERT(len ==
		    eth_padded_octets(trill_encapsulated_octets(&outer, &tags, size, native)));
	FUZZ_ASSERT(len <= most || len == ETH_MIN_OCTETS);
	check_head(out, len, &outer);
	FUZZ_ASSERT(eth_parse(out, len, &head) == ETH_OK && trill_is_data(&head));
	if (is_accepted_inside(data, native)) {
		FUZZ_ASSERT(trill_parse(out, len, &head, &view) == TRILL_OK);
		FUZZ_ASSERT(view.inner.vid == 7 && view.inner.flow_id == native->flow_id);
		FUZZ_ASSERT(view.inner.ethertype == native->ethertype);
		decapsulate(out, len, &view, &tags);
	} else {
		FUZZ_ASSERT(trill_parse(out, len, &head, &view) != TRILL_OK);
	}
	free(out);
}

/* decapsulate(encapsulate(frame)) is the frame: all but the TCI, which the tags set. */
static void round_trip(const uint8_t *data, uint32_t size, const struct eth_view *native)
{
	const struct trill_header header = {.egress = 3, .ingress = 1, .hop_count = 63};
	const struct trill_tags tags = {.vid = native->vid ? native->vid : 7,
					.priority = native->priority,
					.drop_eligible = native->drop_eligible,
					.tagged = native->tagged,
					.keep_cn_tag = true};
	uint8_t *out, *back;
	struct trill_view view;
	struct eth_view head;
	uint32_t len;

	if (!is_accepted_inside(data, native) || tags.vid == ETH_VID_RESERVED ||
	    (native->tagged && native->vid == ETH_VID_NONE))
		return;
	out = room(size + TRILL_ENCAPSULATION_MAX);
	len = trill_encapsulate(out, &next_hop, &header, &tags, data, size, native);
	FUZZ_ASSERT(eth_parse(out, len, &head) == ETH_OK);
	FUZZ_ASSERT(trill_parse(out, len, &head, &view) == TRILL_OK);
	back = room(len);
	len = trill_decapsulate(back, &tags, out, len, &view);
	check_msdu(data, size, back, len);
	FUZZ_ASSERT(len == eth_padded_octets(size));
	free(back);
	free(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct eth_view view;

	if (size > SIZE_MAX_IN || eth_parse(data, size, &view) != ETH_OK)
		return 0;
	if (trill_is_data(&view))
		receive(data, (uint32_t)size, &view);
	send(data, (uint32_t)size, &view, false);
	send(data, (uint32_t)size, &view, true);
	round_trip(data, (uint32_t)size, &view);
	return 0;
}
