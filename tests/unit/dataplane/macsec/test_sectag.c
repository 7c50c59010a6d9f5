/* SPDX-License-Identifier: BSD-3-Clause */
/* The SecTAG, octet by octet: IEEE Std 802.1AE clause 9. */
#include "dataplane/macsec/sectag.h"
#include "lib/octets.h"
#include "lib/rng.h"
#include "tests/unit/unit.h"

#include <string.h>

#define FRAME_MAX 200
#define SCI       UINT64_C(0x12153524c0895e81)

struct golden {
	uint8_t octets[SECTAG_MAX_OCTETS];
	struct sectag tag;
};

static const struct golden golden[] = {
    /* Tables C-2, C-8 and C-26 of the standard. */
    {{0x88, 0xe5, 0x22, 0x2a, 0xb2, 0xc2, 0x84, 0x65, 0x12, 0x15, 0x35, 0x24, 0xc0, 0x89, 0x5e,
      0x81},
     {.sc = true, .an = 2, .sl = 42, .pn = 0xb2c28465, .sci = SCI}},
    {{0x88, 0xe5, 0x40, 0x00, 0x76, 0xd4, 0x57, 0xed}, {.es = true, .pn = 0x76d457ed}},
    {{0x88, 0xe5, 0x4c, 0x2a, 0x76, 0xd4, 0x57, 0xed},
     {.es = true, .encrypted = true, .changed = true, .sl = 42, .pn = 0x76d457ed}},
    {{0x88, 0xe5, 0x10, 0x2f, 0, 0, 0, 1}, {.scb = true, .sl = 47, .pn = 1}},
    {{0x88, 0xe5, 0x0b, 0x01, 0xff, 0xff, 0xff, 0xff},
     {.encrypted = true, .an = 3, .sl = 1, .pn = UINT32_MAX}},
    {{0x88, 0xe5, 0x24, 0x3f, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1},
     {.sc = true, .changed = true, .sl = 63, .sci = 1}},
};

static void assert_same(const struct sectag *a, const struct sectag *b)
{
	assert_int_equal(a->es, b->es);
	assert_int_equal(a->sc, b->sc);
	assert_int_equal(a->scb, b->scb);
	assert_int_equal(a->encrypted, b->encrypted);
	assert_int_equal(a->changed, b->changed);
	assert_int_equal(a->an, b->an);
	assert_int_equal(a->sl, b->sl);
	assert_int_equal(a->pn, b->pn);
	assert_int_equal(a->sci, b->sci);
}

/* Makes a frame with this tag; the octets behind it are its own place. */
static void make_frame(uint8_t frame[FRAME_MAX], const uint8_t *tag, size_t tag_octets)
{
	for (unsigned i = 0; i < FRAME_MAX; i++)
		frame[i] = (uint8_t)i;
	memcpy(frame + SECTAG_ADDRESSES, tag, tag_octets);
}

/* Decodes an allocation of exactly len octets, so that a sanitizer reports a read beyond them. */
static enum sectag_error decode(const uint8_t *frame, size_t len, struct sectag_view *view)
{
	uint8_t *cut = malloc(len ? len : 1);
	enum sectag_error error;

	memcpy(cut, frame, len);
	error = sectag_decode(cut, len, view);
	free(cut);
	return error;
}

static void test_examples(void **state)
{
	(void)state;
	for (size_t i = 0; i < UNIT_COUNT(golden); i++) {
		const struct sectag *tag = &golden[i].tag;
		uint8_t octets[SECTAG_MAX_OCTETS + 1], frame[FRAME_MAX];
		uint32_t data = 12 + sectag_octets(tag);
		struct sectag_view view;

		memset(octets, 0xa5, sizeof(octets));
		sectag_encode(tag, octets);
		assert_int_equal(sectag_octets(tag), tag->sc ? 16 : 8);
		assert_memory_equal(octets, golden[i].octets, sectag_octets(tag));
		assert_int_equal(octets[sectag_octets(tag)], 0xa5);
		make_frame(frame, octets, sectag_octets(tag));
		memset(&view, 0xa5, sizeof(view));
		assert_int_equal(
		    sectag_decode(frame, tag->sl ? data + tag->sl + 16u : FRAME_MAX, &view),
		    SECTAG_OK);
		assert_same(&view.tag, tag);
		assert_int_equal(view.data, data);
		assert_int_equal(view.data_octets, tag->sl ? tag->sl : FRAME_MAX - data - 16);
	}
}

/*
 * 9.12 f) to i), with every length: Secure Data of SL octets, or of 48 and more without SL.
 * A frame that is shorter than 60 octets can have been padded.
 */
static void test_length_matches_short_length(void **state)
{
	(void)state;
	for (size_t i = 0; i < UNIT_COUNT(golden); i++) {
		const struct sectag *tag = &golden[i].tag;
		size_t around = 12 + sectag_octets(tag) + 16, exact = around + tag->sl;
		uint8_t frame[FRAME_MAX];
		struct sectag_view view;

		make_frame(frame, golden[i].octets, sectag_octets(tag));
		for (size_t len = 0; len <= FRAME_MAX; len++) {
			bool fits = tag->sl ? len == exact || (exact < 60 && len == 60)
					    : len >= around + 48;
			enum sectag_error expected = len < 14   ? SECTAG_NONE
						     : len < 29 ? SECTAG_SHORT
						     : fits     ? SECTAG_OK
								: SECTAG_BAD_LENGTH;

			assert_int_equal(decode(frame, len, &view), expected);
			if (fits && tag->sl)
				assert_int_equal(view.data_octets, tag->sl);
		}
	}
}

/* All values of the two octets after the EtherType. */
static void test_rejects_reserved_bits(void **state)
{
	uint8_t frame[FRAME_MAX];
	struct sectag_view view;
	unsigned accepted = 0;

	(void)state;
	make_frame(frame, golden[1].octets, SECTAG_OCTETS);
	for (unsigned tci = 0; tci < 256; tci++) {
		for (unsigned sl = 0; sl < 256; sl++) {
			bool sc = tci & 0x20;
			size_t around = 12u + (sc ? 16 : 8) + 16;
			enum sectag_error expected = tci & 0x80           ? SECTAG_BAD_VERSION
						     : sc && (tci & 0x50) ? SECTAG_BAD_SCI
						     : sl & 0xc0          ? SECTAG_BAD_SL
									  : SECTAG_OK;

			frame[14] = (uint8_t)tci;
			frame[15] = (uint8_t)sl;
			assert_int_equal(
			    sectag_decode(frame, around + ((sl & 63) ? sl & 63 : 48), &view),
			    expected);
			accepted += expected == SECTAG_OK;
		}
	}
	/* 64 values of AN, E, C and SCB, ES without SC; 16 with it. */
	assert_int_equal(accepted, (64 + 16) * 64);
}

static void test_other_ethertypes_are_untagged(void **state)
{
	uint8_t frame[FRAME_MAX];
	struct sectag_view view;

	(void)state;
	make_frame(frame, golden[0].octets, SECTAG_MAX_OCTETS);
	for (unsigned type = 0; type < 0x10000; type++) {
		if (type == 0x88e5)
			continue;
		put_be16(frame + 12, (uint16_t)type);
		assert_int_equal(sectag_decode(frame, FRAME_MAX, &view), SECTAG_NONE);
	}
}

/* An error does not change *view. */
static void test_error_leaves_view(void **state)
{
	struct sectag_view view, before;
	uint8_t frame[FRAME_MAX];

	(void)state;
	memset(&view, 0x5a, sizeof(view));
	memcpy(&before, &view, sizeof(view));
	make_frame(frame, golden[0].octets, SECTAG_MAX_OCTETS);
	assert_int_equal(sectag_decode(frame, 50, &view), SECTAG_BAD_LENGTH);
	assert_memory_equal(&view, &before, sizeof(view));
}

static void test_short_length_is_of_less_than_48_octets(void **state)
{
	(void)state;
	for (uint32_t n = 1; n < 100000; n++)
		assert_int_equal(sectag_short_length(n), n < 48 ? n : 0);
}

static void test_sci_is_address_and_port(void **state)
{
	static const uint8_t system[6] = {0x12, 0x15, 0x35, 0x24, 0xc0, 0x89};

	(void)state;
	assert_int_equal(sectag_sci(system, 0x5e81), SCI);
	assert_int_equal(sectag_sci(system, SECTAG_PORT_ES), UINT64_C(0x12153524c0890001));
}

/* Decoding returns the fields that were encoded, any values. */
static void test_random_round_trips(void **state)
{
	struct dcb_rng rng;

	(void)state;
	dcb_rng_seed(&rng, unit_seed(), 1);
	for (unsigned i = 0; i < 20000; i++) {
		uint32_t bits = dcb_rng_next(&rng), data = dcb_rng_uniform(&rng, 1, 100);
		struct sectag tag = {
		    .sc = bits & 1,
		    .es = (bits & 3) == 2,
		    .scb = (bits & 5) == 4,
		    .encrypted = bits & 8,
		    .changed = bits & 16,
		    .an = (bits >> 5) & 3,
		    .sl = sectag_short_length(data),
		    .pn = dcb_rng_next(&rng),
		};
		uint8_t frame[FRAME_MAX], octets[SECTAG_MAX_OCTETS];
		struct sectag_view view;

		if (tag.sc)
			tag.sci = (uint64_t)dcb_rng_next(&rng) << 32 | dcb_rng_next(&rng);
		sectag_encode(&tag, octets);
		make_frame(frame, octets, sectag_octets(&tag));
		assert_int_equal(sectag_decode(frame, 12 + sectag_octets(&tag) + data + 16, &view),
				 SECTAG_OK);
		assert_same(&view.tag, &tag);
		assert_int_equal(view.data_octets, data);
	}
}

static void test_every_error_has_a_text(void **state)
{
	(void)state;
	for (int e = 0; e < SECTAG_ERRORS; e++)
		assert_string_not_equal(sectag_strerror((enum sectag_error)e), "unknown");
	assert_string_equal(sectag_strerror(SECTAG_ERRORS), "unknown");
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_examples),
	    cmocka_unit_test(test_length_matches_short_length),
	    cmocka_unit_test(test_rejects_reserved_bits),
	    cmocka_unit_test(test_other_ethertypes_are_untagged),
	    cmocka_unit_test(test_error_leaves_view),
	    cmocka_unit_test(test_short_length_is_of_less_than_48_octets),
	    cmocka_unit_test(test_sci_is_address_and_port),
	    cmocka_unit_test(test_random_round_trips),
	    cmocka_unit_test(test_every_error_has_a_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
