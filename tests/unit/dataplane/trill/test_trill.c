/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/trill/trill.h"
#include "lib/octets.h"
#include "tests/unit/unit.h"

#include <stdbool.h>
#include <string.h>

#define FRAME_MAX     512
#define PAYLOAD_MAX   200
#define OPTIONS_FIRST 0x12345678 /* not critical */

static const uint8_t rb2[ETH_ADDR_OCTETS] = {0x02, 0, 0, 0, 0x02, 0x01};
static const uint8_t rb3[ETH_ADDR_OCTETS] = {0x02, 0, 0, 0, 0x03, 0x01};
static const uint8_t esa[ETH_ADDR_OCTETS] = {0x02, 0, 0, 0, 0x0a, 0x0a};
static const uint8_t esb[ETH_ADDR_OCTETS] = {0x02, 0, 0, 0, 0x0b, 0x0b};
static const uint8_t group[ETH_ADDR_OCTETS] = {0x01, 0x00, 0x5e, 1, 2, 3};
static const uint8_t bpdu[ETH_ADDR_OCTETS] = {0x01, 0x80, 0xc2, 0, 0, 0};

/* A frame by its fields, written without the code under test. */
struct spec {
	const uint8_t *outer_da, *outer_sa, *da, *sa;
	bool outer_tagged, outer_cn_tagged, multi, encapsulated, tagged, cn_tagged;
	uint16_t outer_tci, tci, egress, ingress, flow, type;
	unsigned int version, reserved, op_words, hop_count;
	uint32_t options;
	uint32_t payload;
	uint32_t cut; /* length of the whole frame if not 0 */
};

static const struct spec base = {
    .outer_da = rb3,
    .outer_sa = rb2,
    .da = esb,
    .sa = esa,
    .outer_tagged = true,
    .encapsulated = true,
    .tagged = true,
    .outer_tci = 5u << 13 | 1u << 12 | 0x123,
    .tci = 3u << 13 | 0x456,
    .egress = 0x0a03,
    .ingress = 0x0a01,
    .flow = 4711,
    .type = 0x0800,
    .hop_count = 17,
    .payload = 46,
};

static void put_type(struct octets_out *out, bool present, uint16_t type, uint16_t value)
{
	if (present) {
		octets_out_be16(out, type);
		octets_out_be16(out, value);
	}
}

static void put_head(struct octets_out *out, const struct spec *s)
{
	octets_out_bytes(out, s->outer_da, ETH_ADDR_OCTETS);
	octets_out_bytes(out, s->outer_sa, ETH_ADDR_OCTETS);
	put_type(out, s->outer_tagged, 0x8100, s->outer_tci);
	put_type(out, s->outer_cn_tagged, 0x22e9, 1);
	octets_out_be16(out, 0x22f3);
	octets_out_be16(out,
			(uint16_t)(s->version << 14 | s->reserved << 12 |
				   (unsigned int)s->multi << 11 | s->op_words << 6 | s->hop_count));
	octets_out_be16(out, s->egress);
	octets_out_be16(out, s->ingress);
	for (unsigned int i = 0; i < s->op_words; i++)
		octets_out_be32(out, s->options + i);
}

/* Returns the octets written; padded as on a link. */
static uint32_t build(const struct spec *s, uint8_t frame[FRAME_MAX])
{
	struct octets_out out = octets_out(frame, FRAME_MAX);

	if (s->encapsulated)
		put_head(&out, s);
	octets_out_bytes(&out, s->da, ETH_ADDR_OCTETS);
	octets_out_bytes(&out, s->sa, ETH_ADDR_OCTETS);
	put_type(&out, s->tagged, 0x8100, s->tci);
	put_type(&out, s->cn_tagged, 0x22e9, s->flow);
	octets_out_be16(&out, s->type);
	for (uint32_t i = 0; i < s->payload; i++)
		octets_out_u8(&out, (uint8_t)(i * 7 + 1));
	while (out.len < 60)
		octets_out_u8(&out, 0);
	assert_false(out.overrun);
	return s->cut ? s->cut : (uint32_t)out.len;
}

static enum trill_error parse(const struct spec *s, struct trill_view *view)
{
	uint8_t frame[FRAME_MAX];
	uint32_t len = build(s, frame);
	uint8_t *copy =
	    malloc(len); /* of exactly this length: sanitizers detect a read behind it */
	struct eth_view outer;
	enum trill_error error;

	memcpy(copy, frame, len);
	assert_int_equal(eth_parse(copy, len, &outer), ETH_OK);
	assert_true(trill_is_data(&outer));
	error = trill_parse(copy, len, &outer, view);
	free(copy);
	return error;
}

static void check_view(const struct spec *s, const struct trill_view *v)
{
	unsigned int header = 14 + (s->outer_tagged ? 4 : 0);

	assert_int_equal(v->outer.payload_offset, header);
	assert_int_equal(v->version, 0);
	assert_int_equal(v->multi, s->multi);
	assert_int_equal(v->op_words, s->op_words);
	assert_int_equal(v->hop_count, s->hop_count);
	assert_int_equal(v->egress, s->egress);
	assert_int_equal(v->ingress, s->ingress);
	assert_int_equal(v->inner_offset, header + 6 + 4 * s->op_words);
	assert_true(v->inner.tagged);
	assert_int_equal(v->inner.vid, s->tci & 0xfff);
	assert_int_equal(v->inner.priority, s->tci >> 13);
	assert_int_equal(v->inner.drop_eligible, s->tci >> 12 & 1);
	assert_int_equal(v->inner.cn_tagged, s->cn_tagged);
	assert_int_equal(v->inner.flow_id, s->cn_tagged ? s->flow : 0);
	assert_int_equal(v->inner.ethertype, s->type);
	assert_int_equal(v->inner.payload_offset, s->cn_tagged ? 22 : 18);
}

static void check_parsed(const struct spec *s)
{
	struct trill_view view;

	assert_int_equal(parse(s, &view), TRILL_OK);
	check_view(s, &view);
}

static void test_every_tag_combination(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < 16; i++) {
		struct spec s = base;

		s.outer_tagged = i & 1;
		s.cn_tagged = i & 2;
		s.op_words = i & 4 ? 3 : 0;
		s.options = OPTIONS_FIRST;
		if (i & 8) {
			s.multi = true;
			s.outer_da = trill_all_rbridges;
			s.da = group;
		}
		check_parsed(&s);
	}
}

static void test_every_value_of_header_fields(void **state)
{
	struct spec s = base;

	(void)state;
	for (s.hop_count = 1; s.hop_count <= 63; s.hop_count++)
		check_parsed(&s);
	s.hop_count = 63;
	for (s.op_words = 0; s.op_words <= 31; s.op_words++)
		check_parsed(&s);
	s.op_words = 0;
	for (s.reserved = 0; s.reserved <= 3; s.reserved++)
		check_parsed(&s);
	s.reserved = 0;
	for (unsigned int tci = 0; tci <= 0xffff; tci++) {
		s.tci = (uint16_t)tci;
		if ((tci & 0xfff) != 0 && (tci & 0xfff) != 0xfff)
			check_parsed(&s);
	}
	s.tci = 1;
	for (unsigned int nickname = 1; nickname < 0xffc0; nickname += 97) {
		s.egress = (uint16_t)nickname;
		s.ingress = (uint16_t)(0xffbf - nickname + 1);
		check_parsed(&s);
	}
}

static void test_nickname_limits(void **state)
{
	(void)state;
	assert_false(trill_nickname_is_valid(0));
	assert_true(trill_nickname_is_valid(1));
	assert_true(trill_nickname_is_valid(0xffbf));
	for (unsigned int nickname = 0xffc0; nickname <= 0xffff; nickname++) {
		struct spec egress = base, ingress = base;
		struct trill_view view;

		egress.egress = ingress.ingress = (uint16_t)nickname;
		assert_int_equal(parse(&egress, &view), TRILL_BAD_NICKNAME);
		assert_int_equal(parse(&ingress, &view), TRILL_BAD_NICKNAME);
	}
}

static void test_inner_vlan_limits(void **state)
{
	struct spec s = base;
	struct trill_view view;

	(void)state;
	s.tci = 0x7000;
	assert_int_equal(parse(&s, &view), TRILL_INNER_VID);
	s.tci = 0x7fff;
	assert_int_equal(parse(&s, &view), TRILL_INNER_VID);
}

/* Each length, with and without each tag: an error, the right one, or the whole frame. */
static void check_truncations(const struct spec *from)
{
	struct spec s = *from;
	unsigned int head = 14 + (s.outer_tagged ? 4 : 0);
	unsigned int inner = head + 6 + 4 * s.op_words;
	unsigned int first = inner + (s.cn_tagged ? 22 : 18);
	uint8_t frame[FRAME_MAX];
	uint32_t len = build(from, frame);

	for (s.cut = head; s.cut <= len; s.cut++) {
		struct trill_view view;
		enum trill_error error = parse(&s, &view), expected = TRILL_OK;

		if (s.cut < inner)
			expected = TRILL_SHORT;
		else if (s.cut < first)
			expected = TRILL_INNER_SHORT;
		assert_int_equal(error, expected);
	}
}

static void test_every_truncation(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < 8; i++) {
		struct spec s = base;

		s.outer_tagged = i & 1;
		s.cn_tagged = i & 2;
		s.op_words = i & 4 ? 31 : 0;
		s.options = OPTIONS_FIRST;
		check_truncations(&s);
	}
}

/* Makes a frame wrong for this reason. */
static void spoil(struct spec *s, enum trill_error error)
{
	switch (error) {
	case TRILL_OUTER_CN_TAG:
		s->outer_cn_tagged = true;
		break;
	case TRILL_SHORT:
		s->cut = 14 + 4 + (s->outer_cn_tagged ? 4 : 0) + 5;
		break;
	case TRILL_BAD_VERSION:
		s->version = 1;
		break;
	case TRILL_BAD_OPTIONS:
		s->op_words = 1;
		s->options = 0x80000000;
		break;
	case TRILL_BAD_NICKNAME:
		s->ingress = 0xffc0;
		break;
	case TRILL_BAD_MULTI:
		s->multi = true;
		break;
	case TRILL_HOP_COUNT:
		s->hop_count = 0;
		break;
	case TRILL_INNER_SHORT:
		s->cut = 14 + 4 + (s->outer_cn_tagged ? 4 : 0) + 6 + 4 * s->op_words + 17;
		break;
	case TRILL_INNER_UNTAGGED:
		s->tagged = false;
		break;
	case TRILL_INNER_VID:
		s->tci = 0xefff;
		break;
	case TRILL_INNER_SOURCE:
		s->sa = group;
		break;
	case TRILL_INNER_RESERVED:
		s->da = bpdu;
		break;
	case TRILL_INNER_GROUP:
		s->da = group;
		break;
	case TRILL_INNER_TRILL:
		s->type = 0x22f3;
		break;
	default:
		fail();
	}
}

static void test_each_pair_of_reasons_gives_the_first(void **state)
{
	(void)state;
	for (enum trill_error a = TRILL_OK + 1; a < TRILL_ERRORS; a++) {
		/* The later reason first: where both change one field, the earlier one remains. */
		for (enum trill_error b = TRILL_ERRORS - 1; b >= a; b--) {
			struct spec s = base;
			struct trill_view view;

			spoil(&s, b);
			spoil(&s, a);
			if (b == TRILL_INNER_SHORT && a != TRILL_SHORT)
				spoil(&s, b); /* what a inserts moves the end */
			assert_int_equal(parse(&s, &view), a);
		}
		assert_string_not_equal(trill_strerror(a), trill_strerror(TRILL_OK));
		assert_string_not_equal(trill_strerror(a), "unknown");
	}
	assert_string_equal(trill_strerror(TRILL_ERRORS), "unknown");
}

static void test_critical_options_are_not_understood(void **state)
{
	struct spec s = base;
	struct trill_view view;

	(void)state;
	s.op_words = 2;
	for (unsigned int first = 0; first <= 0xff; first++) {
		s.options = first << 24;
		assert_int_equal(parse(&s, &view), first & 0xc0 ? TRILL_BAD_OPTIONS : TRILL_OK);
	}
	s.op_words = 0; /* then the same octet is of Inner.DA */
	assert_int_equal(parse(&s, &view), TRILL_OK);
}

static void test_multi_needs_all_rbridges(void **state)
{
	struct spec s = base;
	struct trill_view view;

	(void)state;
	s.outer_da = trill_all_rbridges;
	assert_int_equal(parse(&s, &view), TRILL_BAD_MULTI);
	s.multi = true;
	assert_int_equal(parse(&s, &view), TRILL_OK);
	s.outer_da = trill_all_isis_rbridges;
	assert_int_equal(parse(&s, &view), TRILL_BAD_MULTI);
}

/* The frame that has the same fields without the encapsulation. */
static struct spec native_of(const struct spec *s)
{
	struct spec native = *s;

	native.encapsulated = false;
	return native;
}

static struct trill_outer outer_of(const struct spec *s)
{
	struct trill_outer outer = {
	    .vid = s->outer_tci & 0xfff,
	    .priority = (uint8_t)(s->outer_tci >> 13),
	    .drop_eligible = s->outer_tci >> 12 & 1,
	    .tagged = s->outer_tagged,
	};

	memcpy(outer.da, s->outer_da, ETH_ADDR_OCTETS);
	memcpy(outer.sa, s->outer_sa, ETH_ADDR_OCTETS);
	return outer;
}

static struct trill_tags tags_of(const struct spec *s)
{
	return (struct trill_tags){.vid = s->tci & 0xfff,
				   .priority = (uint8_t)(s->tci >> 13),
				   .drop_eligible = s->tci >> 12 & 1,
				   .tagged = s->tagged,
				   .keep_cn_tag = s->cn_tagged};
}

/* Compares with the frame that the fields of want describe, and with the octets announced. */
static void check_written(const uint8_t *got, uint32_t len, uint32_t announced,
			  const struct spec *want)
{
	uint8_t expected[FRAME_MAX];
	uint32_t expected_len = build(want, expected);

	assert_int_equal(eth_padded_octets(announced), len);
	/* The padding of a short frame becomes longer when a header comes and goes again. */
	assert_true(len == expected_len || (want->payload < 46 && len > expected_len));
	assert_memory_equal(got, expected, expected_len);
	for (uint32_t i = expected_len; i < len; i++)
		assert_int_equal(got[i], 0);
}

static void check_encapsulate(const struct spec *from, const struct spec *to)
{
	const struct trill_header header = {.egress = to->egress,
					    .ingress = to->ingress,
					    .hop_count = (uint8_t)to->hop_count,
					    .multi = to->multi};
	const struct trill_outer outer = outer_of(to);
	const struct trill_tags tags = tags_of(to);
	uint8_t frame[FRAME_MAX], got[FRAME_MAX];
	uint32_t len = build(from, frame), written;
	struct eth_view view;

	assert_int_equal(eth_parse(frame, len, &view), ETH_OK);
	written = trill_encapsulate(got, &outer, &header, &tags, frame, len, &view);
	assert_true(written <= len + TRILL_ENCAPSULATION_MAX || written == ETH_MIN_OCTETS);
	check_written(got, written, trill_encapsulated_octets(&outer, &tags, len, &view), to);
}

static void check_transit(const struct spec *from, const struct spec *to)
{
	const struct trill_outer outer = outer_of(to);
	const struct trill_tags tags = tags_of(to);
	uint8_t frame[FRAME_MAX], got[FRAME_MAX];
	uint32_t len = build(from, frame), written;
	struct trill_view view;

	assert_int_equal(parse(from, &view), TRILL_OK);
	written = trill_transit(got, &outer, &tags, frame, len, &view);
	assert_true(written <= len + ETH_TAG_OCTETS || written == ETH_MIN_OCTETS);
	check_written(got, written, trill_transit_octets(&outer, &tags, len, &view), to);
}

static void check_decapsulate(const struct spec *from, const struct spec *to)
{
	const struct trill_tags tags = tags_of(to);
	uint8_t frame[FRAME_MAX], got[FRAME_MAX];
	uint32_t len = build(from, frame), written;
	struct trill_view view;

	assert_int_equal(parse(from, &view), TRILL_OK);
	written = trill_decapsulate(got, &tags, frame, len, &view);
	assert_true(written <= len);
	check_written(got, written, trill_decapsulated_octets(&tags, len, &view), to);
}

/* Calls check with each combination of tags before and after, and with short and long payloads. */
static void each_combination(void (*check)(struct spec *from, struct spec *to))
{
	static const uint32_t payloads[] = {0, 1, 46, 60, PAYLOAD_MAX};

	for (unsigned int i = 0; i < 64 * UNIT_COUNT(payloads); i++) {
		struct spec from = base, to = base;

		from.payload = to.payload = payloads[i / 64];
		from.tagged = i & 1;
		from.cn_tagged = i & 2;
		from.outer_tagged = i & 4;
		to.tagged = i & 8;
		to.cn_tagged = (i & 16) && from.cn_tagged;
		to.outer_tagged = i & 32;
		check(&from, &to);
	}
}

static void encapsulate_combination(struct spec *from, struct spec *to)
{
	struct spec native = native_of(from);

	native.tci = 0x1fff; /* of the native frame: replaced */
	to->tagged = true;
	if (from->payload < 46) /* a native frame is padded before it is encapsulated */
		native.payload = to->payload = 46;
	check_encapsulate(&native, to);
	to->hop_count = TRILL_HOP_COUNT_MAX;
	to->multi = true;
	to->outer_da = trill_all_rbridges;
	check_encapsulate(&native, to);
}

static void test_encapsulate_with_each_combination_of_tags(void **state)
{
	(void)state;
	each_combination(encapsulate_combination);
}

static void transit_combination(struct spec *from, struct spec *to)
{
	from->tagged = to->tagged = true;
	from->reserved = to->reserved = 2;
	from->op_words = to->op_words = from->payload % 3;
	from->options = to->options = OPTIONS_FIRST;
	to->outer_sa = esb;
	to->outer_da = esa;
	to->outer_tci = 0x1002;
	to->tci = (uint16_t)((from->tci & 0xfff) | 0xb000); /* the priority is mapped */
	to->hop_count = from->hop_count - 1;
	check_transit(from, to);
}

static void test_transit_with_each_combination_of_tags(void **state)
{
	(void)state;
	each_combination(transit_combination);
}

static void test_transit_lowers_each_hop_count_by_one(void **state)
{
	struct spec from = base, to = base;

	(void)state;
	from.multi = to.multi = true;
	from.outer_da = to.outer_da = trill_all_rbridges;
	from.op_words = to.op_words = 31;
	from.reserved = to.reserved = 3;
	for (from.hop_count = 1; from.hop_count <= 63; from.hop_count++) {
		to.hop_count = from.hop_count - 1;
		check_transit(&from, &to);
	}
}

static void decapsulate_combination(struct spec *from, struct spec *to)
{
	struct spec native = native_of(to);

	from->tagged = true;
	from->op_words = from->payload % 3;
	from->options = OPTIONS_FIRST;
	native.tci = 0xd234;
	check_decapsulate(from, &native);
}

static void test_decapsulate_with_each_combination_of_tags(void **state)
{
	(void)state;
	each_combination(decapsulate_combination);
}

static void test_encapsulation_and_back_is_the_same_frame(void **state)
{
	(void)state;
	for (uint32_t payload = 46; payload <= PAYLOAD_MAX; payload++) {
		struct spec s = base, native;

		s.payload = payload;
		s.cn_tagged = payload & 1;
		native = native_of(&s);
		check_encapsulate(&native, &s);
		check_decapsulate(&s, &native);
	}
}

/* What an RBridge strips at a port, by the draft's 3.2.2: behaviors 13 and 24. */
static void test_cn_tag_is_stripped_inside(void **state)
{
	struct spec from = base, to = base;

	(void)state;
	from.cn_tagged = true;
	to.hop_count = from.hop_count - 1;
	check_transit(&from, &to);
	to.cn_tagged = true;
	check_transit(&from, &to);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_every_tag_combination),
	    cmocka_unit_test(test_every_value_of_header_fields),
	    cmocka_unit_test(test_nickname_limits),
	    cmocka_unit_test(test_inner_vlan_limits),
	    cmocka_unit_test(test_every_truncation),
	    cmocka_unit_test(test_each_pair_of_reasons_gives_the_first),
	    cmocka_unit_test(test_critical_options_are_not_understood),
	    cmocka_unit_test(test_multi_needs_all_rbridges),
	    cmocka_unit_test(test_encapsulate_with_each_combination_of_tags),
	    cmocka_unit_test(test_transit_with_each_combination_of_tags),
	    cmocka_unit_test(test_transit_lowers_each_hop_count_by_one),
	    cmocka_unit_test(test_decapsulate_with_each_combination_of_tags),
	    cmocka_unit_test(test_encapsulation_and_back_is_the_same_frame),
	    cmocka_unit_test(test_cn_tag_is_stripped_inside),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
