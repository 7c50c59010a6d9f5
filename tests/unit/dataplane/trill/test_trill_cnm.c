/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The path of figure 5 of draft-eastlake-trill-cn-00: ESa - B1 - RB1 - RB2 - B2 - RB3 - B3 - ESb.
 * B2 is congested. Tests with a number are named by the row of the table
 * in doc/conformance.md that they check.
 */
#include "dataplane/trill/trill_cnm.h"
#include "lib/octets.h"
#include "tests/unit/unit.h"

#include <string.h>

#define FRAME_MAX     256
#define NICKNAME_RB1  0x0a01
#define NICKNAME_RB2  0x0a02
#define NICKNAME_RB3  0x0a03
#define DESIGNATED    1
#define VLAN          100
#define CNM_PRIORITY  6
#define DATA_PRIORITY 3

static const uint8_t esa[ETH_ADDR_OCTETS] = {0x02, 0, 0, 0, 0x0a, 0x0a};
static const uint8_t esb[ETH_ADDR_OCTETS] = {0x02, 0, 0, 0, 0x0b, 0x0b};
static const uint8_t rb1[ETH_ADDR_OCTETS] = {0x02, 0, 0, 0, 0x01, 0x02};
static const uint8_t rb2[ETH_ADDR_OCTETS] = {0x02, 0, 0, 0, 0x02, 0x03};
static const uint8_t rb2_to_rb1[ETH_ADDR_OCTETS] = {0x02, 0, 0, 0, 0x02, 0x01};
static const uint8_t rb3[ETH_ADDR_OCTETS] = {0x02, 0, 0, 0, 0x03, 0x02};
static const uint8_t b2[ETH_ADDR_OCTETS] = {0x02, 0, 0, 0, 0xb2, 0x01};
static const uint8_t cpid[CNM_CPID_OCTETS] = {0x02, 0, 0, 0, 0xb2, 0, 0, 3};
static const struct cp_verdict congested = {
    .qntz_fb = 42, .cp_qoffset = -26000, .cp_qdelta = 6400, .cnm = true};

/* The data frame of the flow, and how a bridge samples it. */
struct flow {
	bool cn_tagged;
	uint16_t flow_id;
	uint16_t tci; /* of the Inner.VLAN */
	unsigned int op_words;
	uint16_t ingress;
	uint8_t octets; /* cpMinHeaderOctets of the bridge */
	uint8_t cnm_priority;
	bool outer_untagged;
};

static const struct flow base = {.tci = DATA_PRIORITY << 13 | VLAN,
				 .ingress = NICKNAME_RB1,
				 .octets = CNM_MSDU_MAX,
				 .cnm_priority = CNM_PRIORITY};

static void put_tag(struct octets_out *out, uint16_t type, unsigned int value)
{
	octets_out_be16(out, type);
	octets_out_be16(out, (uint16_t)value);
}

static uint8_t body_octet(uint32_t i)
{
	return (uint8_t)(0x80 + i);
}

/* The frame of ESa from its addresses on; 100 octets of payload. */
static void put_inner(struct octets_out *out, const struct flow *f)
{
	octets_out_bytes(out, esb, ETH_ADDR_OCTETS);
	octets_out_bytes(out, esa, ETH_ADDR_OCTETS);
	put_tag(out, 0x8100, f->tci);
	if (f->cn_tagged)
		put_tag(out, 0x22e9, f->flow_id);
	octets_out_be16(out, 0x0800);
	for (uint32_t i = 0; i < 100; i++)
		octets_out_u8(out, body_octet(i));
}

/* Returns the length of the frame that RB2 sends to RB3. */
static uint32_t trill_frame(const struct flow *f, uint8_t frame[FRAME_MAX])
{
	struct octets_out out = octets_out(frame, FRAME_MAX);

	octets_out_bytes(&out, rb3, ETH_ADDR_OCTETS);
	octets_out_bytes(&out, rb2, ETH_ADDR_OCTETS);
	if (!f->outer_untagged)
		put_tag(&out, 0x8100, DATA_PRIORITY << 13 | DESIGNATED);
	octets_out_be16(&out, 0x22f3);
	octets_out_be16(&out, (uint16_t)(f->op_words << 6 | 9));
	octets_out_be16(&out, NICKNAME_RB3);
	octets_out_be16(&out, f->ingress);
	for (unsigned int i = 0; i < f->op_words; i++)
		octets_out_be32(&out, 0x0102ff00 + i);
	put_inner(&out, f);
	assert_false(out.overrun);
	return (uint32_t)out.len;
}

/* Samples a frame as a bridge does, which sends the CNM with a C-TAG. */
static uint32_t sample(const uint8_t *frame, uint32_t len, const struct flow *f,
		       uint8_t cnm_out[FRAME_MAX])
{
	uint8_t untagged[CNM_FRAME_MAX];
	struct octets_out out = octets_out(cnm_out, FRAME_MAX);
	struct eth_view view;
	struct cnm cnm;

	memcpy(cnm.cpid, cpid, sizeof(cpid));
	assert_int_equal(eth_parse(frame, len, &view), ETH_OK);
	cnm_of_frame(&cnm, &congested, frame, len, &view, view.priority, f->octets);
	len = cnm_frame(untagged, &cnm, frame + ETH_SA_OFFSET, b2, view.flow_id);
	octets_out_bytes(&out, untagged, ETH_TYPE_OFFSET);
	put_tag(&out, 0x8100, (unsigned int)f->cnm_priority << 13 | DESIGNATED);
	octets_out_bytes(&out, untagged + ETH_TYPE_OFFSET, len - ETH_TYPE_OFFSET);
	return (uint32_t)out.len;
}

static uint32_t cnm_of_bridge(const struct flow *f, uint8_t cnm[FRAME_MAX])
{
	uint8_t frame[FRAME_MAX];
	uint32_t len = trill_frame(f, frame);

	return sample(frame, len, f, cnm);
}

/* Transforms a copy of exactly this length, so that sanitizers detect a read behind it. */
static enum trill_cnm_verdict transform_octets(const uint8_t *cnm, uint32_t len,
					       struct trill_cnm *out)
{
	uint8_t *copy = malloc(len);
	enum trill_cnm_verdict verdict;
	struct eth_view view;

	memcpy(copy, cnm, len);
	assert_int_equal(eth_parse(copy, len, &view), ETH_OK);
	verdict = trill_cnm_transform(copy, len, &view, view.priority, NICKNAME_RB2, out);
	free(copy);
	return verdict;
}

static enum trill_cnm_verdict transform(const struct flow *f, struct trill_cnm *out)
{
	uint8_t cnm[FRAME_MAX];
	uint32_t len = cnm_of_bridge(f, cnm);

	return transform_octets(cnm, len, out);
}

/* Decodes a CNM frame; pdu is its PDU. */
static void decode(const struct trill_cnm *t, struct eth_view *view, struct cnm *cnm)
{
	assert_int_equal(eth_parse(t->frame, t->len, view), ETH_OK);
	assert_true(eth_is_cnm(view));
	assert_true(view->cn_tagged);
	assert_false(view->tagged);
	assert_int_equal(
	    cnm_decode(t->frame + view->payload_offset, t->len - view->payload_offset, cnm),
	    CNM_OK);
}

static void decode_transformed(const struct flow *f, struct trill_cnm *t, struct eth_view *view,
			       struct cnm *cnm)
{
	assert_int_equal(transform(f, t), TRILL_CNM_TRANSFORMED);
	decode(t, view, cnm);
}

/* Encapsulates it as RB2 does towards RB1; returns the length. */
static uint32_t encapsulate(const struct trill_cnm *t, uint8_t *frame, struct trill_view *view)
{
	struct trill_outer outer = {.vid = DESIGNATED, .priority = t->priority, .tagged = true};
	const struct trill_header header = {
	    .egress = t->egress, .ingress = NICKNAME_RB2, .hop_count = 63};
	const struct trill_tags tags = {
	    .vid = t->vid, .priority = t->priority, .keep_cn_tag = true};
	struct eth_view native, head;
	uint32_t len;

	memcpy(outer.da, rb1, ETH_ADDR_OCTETS);
	memcpy(outer.sa, rb2_to_rb1, ETH_ADDR_OCTETS);
	assert_int_equal(eth_parse(t->frame, t->len, &native), ETH_OK);
	len = trill_encapsulate(frame, &outer, &header, &tags, t->frame, t->len, &native);
	assert_int_equal(eth_parse(frame, len, &head), ETH_OK);
	assert_int_equal(trill_parse(frame, len, &head, view), TRILL_OK);
	return len;
}

static void test_01_cnm_to_the_rbridge_is_recognized_and_transformed(void **state)
{
	uint8_t cnm[FRAME_MAX], data[FRAME_MAX];
	uint32_t len = cnm_of_bridge(&base, cnm);
	struct trill_cnm t;
	struct eth_view view;

	(void)state;
	assert_int_equal(eth_parse(cnm, len, &view), ETH_OK);
	assert_true(trill_cnm_is_to(cnm, &view, rb2));
	assert_int_equal(transform_octets(cnm, len, &t), TRILL_CNM_TRANSFORMED);
	/* A frame to the RBridge that is no CNM. */
	len = trill_frame(&base, data);
	assert_int_equal(eth_parse(data, len, &view), ETH_OK);
	assert_false(trill_cnm_is_to(data, &view, rb3));
}

static void test_02_cnm_for_a_control_frame_is_discarded(void **state)
{
	uint8_t cnm[FRAME_MAX];
	uint32_t len = cnm_of_bridge(&base, cnm);
	struct trill_cnm t;

	(void)state;
	put_be16(cnm + 22 + CNM_PDU_MIN_OCTETS, ETH_TYPE_L2_ISIS);
	assert_int_equal(transform_octets(cnm, len, &t), TRILL_CNM_CONTROL);
}

static void test_03_cnm_to_another_station_is_a_native_frame(void **state)
{
	uint8_t cnm[FRAME_MAX], frame[FRAME_MAX], native[FRAME_MAX];
	struct octets_out out = octets_out(native, sizeof(native));
	const struct trill_outer outer = {.vid = DESIGNATED, .tagged = true};
	const struct trill_header header = {
	    .egress = NICKNAME_RB1, .ingress = NICKNAME_RB3, .hop_count = 63};
	const struct trill_tags tags = {.vid = DESIGNATED, .priority = 6, .keep_cn_tag = true};
	struct eth_view view;
	uint32_t len;

	(void)state;
	put_inner(&out, &base); /* what B3 samples, as RB3 has decapsulated it */
	len = sample(native, (uint32_t)out.len, &base, cnm);
	assert_int_equal(eth_parse(cnm, len, &view), ETH_OK);
	assert_memory_equal(cnm, esa, ETH_ADDR_OCTETS);
	assert_false(trill_cnm_is_to(cnm, &view, rb3));
	/* Its octets are inside, behind outer header, TRILL header and nothing else. */
	assert_int_equal(trill_encapsulate(frame, &outer, &header, &tags, cnm, len, &view),
			 len + 24);
	assert_memory_equal(frame + 24, cnm, len);
}

static void test_04_outer_header_is_that_of_the_link_with_the_received_priority(void **state)
{
	(void)state;
	for (uint8_t priority = 0; priority < 8; priority++) {
		struct flow f = base;
		uint8_t frame[FRAME_MAX];
		struct trill_cnm t;
		struct trill_view view;

		f.cnm_priority = priority;
		assert_int_equal(transform(&f, &t), TRILL_CNM_TRANSFORMED);
		(void)encapsulate(&t, frame, &view);
		assert_memory_equal(frame, rb1, ETH_ADDR_OCTETS);
		assert_memory_equal(frame + 6, rb2_to_rb1, ETH_ADDR_OCTETS);
		assert_int_equal(view.outer.vid, DESIGNATED);
		assert_int_equal(view.outer.priority, priority);
	}
}

static void test_05_egress_nickname_is_the_ingress_of_the_data_frame(void **state)
{
	static const uint16_t nicknames[] = {1, NICKNAME_RB1, NICKNAME_RB3, 0xffbf};

	(void)state;
	for (size_t i = 0; i < UNIT_COUNT(nicknames); i++) {
		struct flow f = base;
		uint8_t frame[FRAME_MAX];
		struct trill_cnm t;
		struct trill_view view;

		f.ingress = nicknames[i];
		assert_int_equal(transform(&f, &t), TRILL_CNM_TRANSFORMED);
		assert_int_equal(t.egress, nicknames[i]);
		(void)encapsulate(&t, frame, &view);
		assert_int_equal(view.egress, nicknames[i]);
		assert_int_equal(view.ingress, NICKNAME_RB2);
		assert_false(view.multi);
	}
}

static void test_06_inner_addresses_are_of_the_source_and_of_the_bridge(void **state)
{
	struct trill_cnm t;

	(void)state;
	assert_int_equal(transform(&base, &t), TRILL_CNM_TRANSFORMED);
	assert_memory_equal(t.frame + ETH_DA_OFFSET, esa, ETH_ADDR_OCTETS);
	assert_memory_equal(t.frame + ETH_SA_OFFSET, b2, ETH_ADDR_OCTETS);
}

static void test_07_inner_vlan_is_of_the_data_frame_with_the_received_priority(void **state)
{
	(void)state;
	for (unsigned int vid = 1; vid < 4095; vid += 13) {
		struct flow f = base;
		uint8_t frame[FRAME_MAX];
		struct trill_cnm t;
		struct trill_view view;

		f.tci = (uint16_t)(5u << 13 | 1u << 12 | vid);
		f.cnm_priority = vid % 8;
		assert_int_equal(transform(&f, &t), TRILL_CNM_TRANSFORMED);
		assert_int_equal(t.vid, vid);
		assert_int_equal(t.priority, vid % 8);
		(void)encapsulate(&t, frame, &view);
		assert_int_equal(view.inner.vid, vid);
		assert_int_equal(view.inner.priority, vid % 8);
		assert_false(view.inner.drop_eligible);
	}
}

static void test_08_flow_id_is_of_the_inner_cn_tag(void **state)
{
	static const uint16_t flows[] = {0, 1, 4711, 0xffff};
	struct trill_cnm t;
	struct eth_view view;
	struct cnm cnm;

	(void)state;
	for (size_t i = 0; i < UNIT_COUNT(flows); i++) {
		struct flow f = base;

		f.cn_tagged = true;
		f.flow_id = flows[i];
		decode_transformed(&f, &t, &view, &cnm);
		assert_int_equal(view.flow_id, flows[i]);
	}
	decode_transformed(&base, &t, &view, &cnm);
	assert_int_equal(view.flow_id, 0);
}

static void test_09_feedback_is_copied_and_the_rest_is_of_the_inner_frame(void **state)
{
	uint8_t received[FRAME_MAX];
	uint32_t len = cnm_of_bridge(&base, received);
	struct trill_cnm t;
	struct eth_view view;
	struct cnm cnm;

	(void)state;
	received[22] = 0xff; /* Version and ReservedV are copied as they are, too */
	received[23] |= 0xc0;
	assert_int_equal(transform_octets(received, len, &t), TRILL_CNM_TRANSFORMED);
	decode(&t, &view, &cnm);
	assert_memory_equal(t.frame + view.payload_offset, received + 22, 14);
	assert_int_equal(cnm.qntz_fb, congested.qntz_fb);
	assert_memory_equal(cnm.cpid, cpid, sizeof(cpid));
	assert_int_equal(cnm.cnm_qoffset, -406);
	assert_int_equal(cnm.cnm_qdelta, 100);
	for (uint8_t priority = 0; priority < 8; priority++) {
		struct flow f = base;

		f.tci = (uint16_t)(priority << 13 | 1 << 12 | VLAN);
		decode_transformed(&f, &t, &view, &cnm);
		assert_int_equal(get_be16(t.frame + view.payload_offset + 14), priority << 13);
		assert_memory_equal(cnm.encap_da, esb, ETH_ADDR_OCTETS);
	}
}

/* Checks that a CNM with octets of the TRILL frame returns those of the inner frame that it has. */
static void check_msdu(const struct flow *from, unsigned int head)
{
	struct flow f = *from;

	for (f.octets = (uint8_t)head; f.octets <= CNM_MSDU_MAX; f.octets++) {
		struct trill_cnm t;
		struct eth_view view;
		struct cnm cnm;

		decode_transformed(&f, &t, &view, &cnm);
		assert_int_equal(cnm.msdu_len, f.octets - head);
		assert_int_equal(t.len, 18 + 24 + cnm.msdu_len < 60 ? 60 : 18 + 24 + cnm.msdu_len);
		for (unsigned int i = 0; i < cnm.msdu_len; i++)
			assert_int_equal(cnm.msdu[i], i == 0   ? 0x08
						      : i == 1 ? 0x00
							       : body_octet(i - 2));
	}
}

static void test_10_msdu_is_of_the_inner_frame_and_24_shorter(void **state)
{
	(void)state;
	check_msdu(&base, 24);
}

static void test_11_64_octets_have_the_headers_of_ip_and_udp(void **state)
{
	struct flow f = base;
	struct trill_cnm t;
	struct eth_view view;
	struct cnm cnm;

	(void)state;
	f.cn_tagged = true;
	f.op_words = 1;
	decode_transformed(&f, &t, &view, &cnm);
	assert_true(cnm.msdu_len >= 2 + 20 + 8);
	/* The default of cpMinHeaderOctets is not enough. */
	f.octets = 0;
	assert_int_equal(transform(&f, &t), TRILL_CNM_SHORT);
}

/* Returns the flow identifier inside the frame after RB3 has stripped, or kept, the CN-TAG. */
static void check_strip(bool keep)
{
	const struct trill_outer outer = {.vid = DESIGNATED, .tagged = true};
	const struct trill_tags tags = {
	    .vid = VLAN, .priority = DATA_PRIORITY, .tagged = true, .keep_cn_tag = keep};
	uint8_t frame[FRAME_MAX], out[FRAME_MAX];
	struct flow f = base;
	struct eth_view head;
	struct trill_view view;
	uint32_t len, after;

	f.cn_tagged = true;
	f.flow_id = 4711;
	len = trill_frame(&f, frame);
	assert_int_equal(eth_parse(frame, len, &head), ETH_OK);
	assert_int_equal(trill_parse(frame, len, &head, &view), TRILL_OK);
	assert_int_equal(view.inner.flow_id, 4711);

	after = trill_transit(out, &outer, &tags, frame, len, &view);
	assert_int_equal(after, keep ? len : len - 4);
	assert_int_equal(get_be16(out + 24 + 16), keep ? 0x22e9 : 0x0800);
	assert_memory_equal(out + after - 102, frame + len - 102, 102);

	after = trill_decapsulate(out, &tags, frame, len, &view);
	assert_int_equal(after, keep ? len - 24 : len - 28);
	assert_int_equal(get_be16(out + 16), keep ? 0x22e9 : 0x0800);
	assert_memory_equal(out + after - 102, frame + len - 102, 102);
}

static void test_13_cn_tag_inside_a_trill_frame_is_stripped_or_kept(void **state)
{
	(void)state;
	check_strip(false);
	check_strip(true);
}

static void test_15_cnm_of_an_rbridge_is_for_the_inner_frame(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < 8; i++) {
		struct flow f = base;
		uint8_t frame[FRAME_MAX], native[FRAME_MAX], expected[CNM_FRAME_MAX];
		struct octets_out inner = octets_out(native, sizeof(native));
		struct eth_view head, nf1;
		struct trill_view view;
		struct trill_cnm t;
		struct cnm cnm;
		uint32_t len;

		f.cn_tagged = i & 1;
		f.flow_id = 4711;
		f.op_words = i & 2 ? 2 : 0;
		f.outer_untagged = i & 4;
		len = trill_frame(&f, frame);
		assert_int_equal(eth_parse(frame, len, &head), ETH_OK);
		assert_int_equal(trill_parse(frame, len, &head, &view), TRILL_OK);
		trill_cnm_of_frame(&t, &congested, cpid, rb2, frame, len, &view, 4, CNM_PRIORITY,
				   CNM_MSDU_MAX);

		/* What a congestion point makes of the native frame. */
		put_inner(&inner, &f);
		assert_int_equal(eth_parse(native, inner.len, &nf1), ETH_OK);
		memcpy(cnm.cpid, cpid, sizeof(cpid));
		cnm_of_frame(&cnm, &congested, native, (uint32_t)inner.len, &nf1, 4, CNM_MSDU_MAX);
		len = cnm_frame(expected, &cnm, esa, rb2, nf1.flow_id);
		assert_int_equal(t.len, len);
		assert_memory_equal(t.frame, expected, len);
		assert_int_equal(cnm.msdu_len, CNM_MSDU_MAX);
		assert_int_equal(nf1.flow_id, i & 1 ? 4711 : 0);
		assert_int_equal(t.vid, VLAN);
		assert_int_equal(t.priority, CNM_PRIORITY);
		assert_int_equal(t.egress, NICKNAME_RB1);
	}
}

static void test_24_cn_tag_follows_the_inner_vlan_tag(void **state)
{
	uint8_t frame[FRAME_MAX];
	struct trill_cnm t;
	struct trill_view view;

	(void)state;
	assert_int_equal(transform(&base, &t), TRILL_CNM_TRANSFORMED);
	(void)encapsulate(&t, frame, &view);
	/* Outer.DA, Outer.SA, Outer.VLAN, 22-F3: no CN-TAG outside. */
	assert_int_equal(get_be16(frame + 12), 0x8100);
	assert_int_equal(get_be16(frame + 16), 0x22f3);
	/* Inner.DA, Inner.SA, Inner.VLAN, CN-TAG, 22-E7. */
	assert_int_equal(get_be16(frame + 24 + 12), 0x8100);
	assert_int_equal(get_be16(frame + 24 + 16), 0x22e9);
	assert_int_equal(get_be16(frame + 24 + 20), 0x22e7);
}

/* --- Choices where the draft is silent ------------------------------------------------------ */

static void test_own_nickname_goes_natively_to_the_source(void **state)
{
	struct flow f = base;
	struct trill_cnm t, to_rb1;
	struct eth_view view;
	struct cnm cnm;

	(void)state;
	f.ingress = NICKNAME_RB2;
	assert_int_equal(transform(&f, &t), TRILL_CNM_NATIVE);
	decode(&t, &view, &cnm);
	assert_int_equal(transform(&base, &to_rb1), TRILL_CNM_TRANSFORMED);
	assert_int_equal(t.len, to_rb1.len);
	assert_memory_equal(t.frame, to_rb1.frame, t.len);
	assert_int_equal(t.vid, VLAN);
}

static void test_inner_cn_tag_and_options_shorten_the_msdu_too(void **state)
{
	struct flow f = base;

	(void)state;
	f.cn_tagged = true;
	check_msdu(&f, 28);
	f.op_words = 1;
	check_msdu(&f, 32);
	f.cn_tagged = false;
	f.op_words = 10;
	check_msdu(&f, 64);
	f.op_words = 9;
	f.cn_tagged = true;
	check_msdu(&f, 64);
}

static void test_too_few_octets_are_discarded(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < 4; i++) {
		struct flow f = base;
		unsigned int head;

		f.cn_tagged = i & 1;
		f.op_words = i & 2 ? 5 : 0;
		head = 24 + 4 * f.op_words;
		for (f.octets = 0; f.octets <= CNM_MSDU_MAX; f.octets++) {
			struct trill_cnm t = {.egress = 0x5a5a}, untouched = t;
			enum trill_cnm_verdict verdict = transform(&f, &t);
			/* With 2 or 3 octets of a CN-TAG it is there, and its flow is unknown. */
			bool in_tag = f.cn_tagged && f.octets >= head + 2 && f.octets < head + 4;

			assert_int_equal(verdict, f.octets < head || in_tag
						      ? TRILL_CNM_SHORT
						      : TRILL_CNM_TRANSFORMED);
			if (verdict == TRILL_CNM_SHORT)
				assert_memory_equal(&t, &untouched, sizeof(t));
		}
	}
}

static void test_cnm_for_a_frame_of_our_own_is_for_our_reaction_points(void **state)
{
	uint8_t cnm[FRAME_MAX];
	uint32_t len = cnm_of_bridge(&base, cnm);
	struct flow none = base;
	struct trill_cnm t;

	(void)state;
	put_be16(cnm + 22 + CNM_PDU_MIN_OCTETS, 0x0800);
	assert_int_equal(transform_octets(cnm, len, &t), TRILL_CNM_OWN);
	/* No EtherType: the flow identifier decides, which is 0 for a TRILL frame. */
	for (none.octets = 0; none.octets < 2; none.octets++) {
		len = cnm_of_bridge(&none, cnm);
		assert_int_equal(transform_octets(cnm, len, &t), TRILL_CNM_SHORT);
		put_be16(cnm + 18, 7);
		assert_int_equal(transform_octets(cnm, len, &t), TRILL_CNM_OWN);
	}
}

static void test_invalid_fields_are_discarded(void **state)
{
	static const struct {
		unsigned int offset; /* in the encapsulated MSDU */
		uint16_t value;
	} wrong[] = {
	    {2, 0x4009},                /* version 1 */
	    {6, 0},                     /* ingress nickname */
	    {6, 0xffc0},  {14, 0x0300}, /* group address as Inner.MacSA */
	    {20, 0x88a8},               /* no C-TAG */
	    {22, 0x6000},               /* VID 0 */
	    {22, 0x6fff},
	};
	struct trill_cnm t;

	(void)state;
	for (size_t i = 0; i < UNIT_COUNT(wrong); i++) {
		uint8_t cnm[FRAME_MAX];
		uint32_t len = cnm_of_bridge(&base, cnm);

		put_be16(cnm + 22 + CNM_PDU_MIN_OCTETS + wrong[i].offset, wrong[i].value);
		assert_int_equal(transform_octets(cnm, len, &t), TRILL_CNM_MALFORMED);
	}
}

/* The length field of the CNM counts, not that of the frame: 33.4.11. */
static void test_every_truncation_is_malformed(void **state)
{
	uint8_t cnm[FRAME_MAX];
	uint32_t len = cnm_of_bridge(&base, cnm);
	struct trill_cnm t;

	(void)state;
	for (uint32_t cut = 22; cut < len; cut++)
		assert_int_equal(transform_octets(cnm, cut, &t), TRILL_CNM_MALFORMED);
	put_be16(cnm + 22 + 22, CNM_MSDU_MAX + 1);
	assert_int_equal(transform_octets(cnm, len, &t), TRILL_CNM_MALFORMED);
}

static void test_each_verdict_has_a_text(void **state)
{
	(void)state;
	for (enum trill_cnm_verdict v = 0; v < TRILL_CNM_VERDICTS; v++)
		assert_string_not_equal(trill_cnm_strverdict(v), "unknown");
	assert_string_equal(trill_cnm_strverdict(TRILL_CNM_VERDICTS), "unknown");
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_01_cnm_to_the_rbridge_is_recognized_and_transformed),
	    cmocka_unit_test(test_02_cnm_for_a_control_frame_is_discarded),
	    cmocka_unit_test(test_03_cnm_to_another_station_is_a_native_frame),
	    cmocka_unit_test(test_04_outer_header_is_that_of_the_link_with_the_received_priority),
	    cmocka_unit_test(test_05_egress_nickname_is_the_ingress_of_the_data_frame),
	    cmocka_unit_test(test_06_inner_addresses_are_of_the_source_and_of_the_bridge),
	    cmocka_unit_test(test_07_inner_vlan_is_of_the_data_frame_with_the_received_priority),
	    cmocka_unit_test(test_08_flow_id_is_of_the_inner_cn_tag),
	    cmocka_unit_test(test_09_feedback_is_copied_and_the_rest_is_of_the_inner_frame),
	    cmocka_unit_test(test_10_msdu_is_of_the_inner_frame_and_24_shorter),
	    cmocka_unit_test(test_11_64_octets_have_the_headers_of_ip_and_udp),
	    cmocka_unit_test(test_13_cn_tag_inside_a_trill_frame_is_stripped_or_kept),
	    cmocka_unit_test(test_15_cnm_of_an_rbridge_is_for_the_inner_frame),
	    cmocka_unit_test(test_24_cn_tag_follows_the_inner_vlan_tag),
	    cmocka_unit_test(test_own_nickname_goes_natively_to_the_source),
	    cmocka_unit_test(test_inner_cn_tag_and_options_shorten_the_msdu_too),
	    cmocka_unit_test(test_too_few_octets_are_discarded),
	    cmocka_unit_test(test_cnm_for_a_frame_of_our_own_is_for_our_reaction_points),
	    cmocka_unit_test(test_invalid_fields_are_discarded),
	    cmocka_unit_test(test_every_truncation_is_malformed),
	    cmocka_unit_test(test_each_verdict_has_a_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
