/* SPDX-License-Identifier: BSD-3-Clause */
/* Headroom measurement PDUs, octet by octet: P802.1Qdt 36.9.5. */
#include "dataplane/core/hmpdu.h"
#include "lib/octets.h"
#include "lib/rng.h"
#include "tests/unit/unit.h"

#include <string.h>

#define HEAD 0x01, 0x80, 0xc2, 0x00, 0x00, 0x01, 0x02, 0x00, 0x00, 0x00, 0x00, 0x07, 0x89, 0xa2
#define SOURCE                   \
	{                        \
		2, 0, 0, 0, 0, 7 \
	}

struct golden {
	uint8_t frame[HMPDU_FRAME_OCTETS];
	struct hmpdu pdu;
};

static const struct golden golden[] = {
    /* A request, no protection. */
    {{HEAD, 0x01, 0xc0, 0x12, 0x34, 0x56, 0x78, 0x00, 0x09, 0, 0},
     {.source = SOURCE,
      .tuple = {{.use = HMPDU_REQUEST, .timestamp = 0x12345678, .request_adjustment = 9}}}},
    /*
     * A response and a request, user data and PFC frames protected; a negative
     * Request Adjustment.
     */
    {{HEAD, 0x01, 0xb8, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfe, 0x80, 0x00, 0x00, 0x00, 0x00, 0x01,
      0x7f, 0xff, 0, 0},
     {.source = SOURCE,
      .path = HMPDU_PATH_BOTH,
      .tuple = {{.use = HMPDU_RESPONSE_ADJUSTED,
		 .timestamp = UINT32_MAX,
		 .request_adjustment = -2,
		 .response_adjustment = INT16_MIN},
		{.use = HMPDU_REQUEST, .timestamp = 1, .request_adjustment = INT16_MAX}}}},
    /* A response without Response Adjustment, user data protected. */
    {{HEAD, 0x01, 0x44, 0, 0, 0, 5, 0, 0, 0, 0},
     {.source = SOURCE,
      .path = HMPDU_PATH_DATA,
      .tuple = {{.use = HMPDU_RESPONSE, .timestamp = 5}}}},
    /* The second tuple only, in Privacy Channels. */
    {{HEAD, 0x01, 0x2c, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 3, 0, 100},
     {.source = SOURCE,
      .path = HMPDU_PATH_PRIVACY,
      .tuple = {{.use = HMPDU_UNUSED},
		{.use = HMPDU_RESPONSE_ADJUSTED,
		 .timestamp = 256,
		 .request_adjustment = 3,
		 .response_adjustment = 100}}}},
    /* No tuple used. */
    {{HEAD, 0x01, 0x00}, {.source = SOURCE}},
};

static void assert_same(const struct hmpdu *a, const struct hmpdu *b)
{
	assert_memory_equal(a->source, b->source, sizeof(a->source));
	assert_int_equal(a->path, b->path);
	assert_int_equal(a->reserved, b->reserved);
	for (unsigned i = 0; i < HMPDU_TUPLES; i++) {
		assert_int_equal(a->tuple[i].use, b->tuple[i].use);
		assert_int_equal(a->tuple[i].timestamp, b->tuple[i].timestamp);
		assert_int_equal(a->tuple[i].request_adjustment, b->tuple[i].request_adjustment);
		assert_int_equal(a->tuple[i].response_adjustment, b->tuple[i].response_adjustment);
	}
}

static void test_examples(void **state)
{
	(void)state;
	for (size_t i = 0; i < UNIT_COUNT(golden); i++) {
		uint8_t frame[HMPDU_FRAME_OCTETS];
		struct hmpdu pdu;

		memset(frame, 0xa5, sizeof(frame));
		hmpdu_encode(&golden[i].pdu, frame);
		assert_memory_equal(frame, golden[i].frame, sizeof(frame));
		memset(&pdu, 0xa5, sizeof(pdu));
		assert_int_equal(hmpdu_decode(frame, sizeof(frame), &pdu), HMPDU_OK);
		assert_same(&pdu, &golden[i].pdu);
	}
}

/* An unused second tuple may be missing; the first must be present. */
static void test_rejects_short_frames(void **state)
{
	(void)state;
	for (size_t i = 0; i < UNIT_COUNT(golden); i++) {
		bool second = golden[i].pdu.tuple[1].use != HMPDU_UNUSED;
		size_t least = second ? 32 : 24;
		struct hmpdu pdu;

		for (size_t len = 0; len < HMPDU_FRAME_OCTETS; len++) {
			/*
			 * An allocation of exactly len octets, so that a
			 * sanitizer reports a read beyond them.
			 */
			uint8_t *cut = malloc(len ? len : 1);

			memcpy(cut, golden[i].frame, len);
			assert_int_equal(hmpdu_decode(cut, len, &pdu),
					 len < least ? HMPDU_SHORT : HMPDU_OK);
			if (len >= least)
				assert_same(&pdu, &golden[i].pdu);
			free(cut);
		}
	}
}

/* Ignored: version, undefined fields of a tuple, padding. */
static void test_ignored_fields(void **state)
{
	uint8_t frame[HMPDU_FRAME_OCTETS];
	struct hmpdu pdu;

	(void)state;
	memcpy(frame, golden[0].frame, sizeof(frame));
	frame[14] = 0xf1;
	put_be16(frame + 22, 0x1234); /* Response Adjustment, undefined in a request */
	memset(frame + 24, 0xff, sizeof(frame) - 24); /* unused tuple and padding */
	assert_int_equal(hmpdu_decode(frame, sizeof(frame), &pdu), HMPDU_OK);
	assert_same(&pdu, &golden[0].pdu);
	memcpy(frame, golden[2].frame, sizeof(frame));
	put_be16(frame + 22, 0x1234); /* undefined in a response without adjustment */
	assert_int_equal(hmpdu_decode(frame, sizeof(frame), &pdu), HMPDU_OK);
	assert_same(&pdu, &golden[2].pdu);
	/* Bits 2 and 1 are kept, as a response must return them. */
	frame[15] |= 0x03;
	assert_int_equal(hmpdu_decode(frame, sizeof(frame), &pdu), HMPDU_OK);
	assert_int_equal(pdu.path, HMPDU_PATH_DATA);
	assert_int_equal(pdu.reserved, 3);
}

static void expect(const uint8_t *frame, size_t len, enum hmpdu_error error)
{
	struct hmpdu pdu, untouched;

	memset(&pdu, 0x5a, sizeof(pdu));
	untouched = pdu;
	assert_int_equal(hmpdu_decode(frame, len, &pdu), error);
	assert_memory_equal(&pdu, &untouched, sizeof(pdu));
}

static void test_rejects_bad_fields(void **state)
{
	uint8_t frame[HMPDU_FRAME_OCTETS + 4];

	(void)state;
	memcpy(frame, golden[0].frame, HMPDU_FRAME_OCTETS);
	frame[13] = 0xa3;
	expect(frame, HMPDU_FRAME_OCTETS, HMPDU_NOT_HMPDU);
	memcpy(frame, golden[0].frame, HMPDU_FRAME_OCTETS);
	frame[14] = 0x02;
	expect(frame, HMPDU_FRAME_OCTETS, HMPDU_BAD_SUBTYPE);
	frame[14] = 0x10;
	expect(frame, HMPDU_FRAME_OCTETS, HMPDU_BAD_SUBTYPE);
	memcpy(frame, golden[0].frame, HMPDU_FRAME_OCTETS);
	frame[5] = 0x02;
	expect(frame, HMPDU_FRAME_OCTETS, HMPDU_BAD_DESTINATION);
	memcpy(frame, golden[0].frame, HMPDU_FRAME_OCTETS);
	frame[6] |= 0x01;
	expect(frame, HMPDU_FRAME_OCTETS, HMPDU_GROUP_SOURCE);
	/* After a C-TAG. */
	memcpy(frame, golden[0].frame, ETH_TYPE_OFFSET);
	put_be16(frame + 12, ETH_TYPE_CTAG);
	put_be16(frame + 14, 0x6001);
	memcpy(frame + 16, golden[0].frame + 12, HMPDU_FRAME_OCTETS - 12);
	expect(frame, HMPDU_FRAME_OCTETS + 4, HMPDU_TAGGED);
	for (unsigned e = 0; e < HMPDU_ERRORS; e++)
		assert_string_not_equal(hmpdu_strerror((enum hmpdu_error)e), "unknown");
	assert_string_equal(hmpdu_strerror(HMPDU_ERRORS), "unknown");
}

/* 36.9.6: a response returns the request's fields; a small adjustment is left out. */
static void test_response_returns_request_fields(void **state)
{
	static const struct {
		int16_t adjustment;
		uint8_t use;
	} cases[] = {
	    {0, HMPDU_RESPONSE},
	    {4, HMPDU_RESPONSE},
	    {-4, HMPDU_RESPONSE},
	    {5, HMPDU_RESPONSE_ADJUSTED},
	    {-5, HMPDU_RESPONSE_ADJUSTED},
	    {INT16_MAX, HMPDU_RESPONSE_ADJUSTED},
	    {INT16_MIN, HMPDU_RESPONSE_ADJUSTED},
	};
	const struct hmpdu_tuple request = {
	    .use = HMPDU_REQUEST, .timestamp = 0xdeadbeef, .request_adjustment = -17};

	(void)state;
	for (size_t i = 0; i < UNIT_COUNT(cases); i++) {
		struct hmpdu_tuple r = hmpdu_respond(&request, cases[i].adjustment);

		assert_int_equal(r.use, cases[i].use);
		assert_int_equal(r.timestamp, 0xdeadbeef);
		assert_int_equal(r.request_adjustment, -17);
		assert_int_equal(r.response_adjustment,
				 r.use == HMPDU_RESPONSE ? 0 : cases[i].adjustment);
	}
}

static void test_round_trip(void **state)
{
	struct dcb_rng rng;

	(void)state;
	dcb_rng_seed(&rng, unit_seed(), 1);
	for (int i = 0; i < 10000; i++) {
		struct hmpdu pdu = {.source = SOURCE}, got;
		uint8_t frame[HMPDU_FRAME_OCTETS];

		pdu.path = (uint8_t)dcb_rng_uniform(&rng, 0, 3);
		pdu.reserved = (uint8_t)dcb_rng_uniform(&rng, 0, 3);
		for (unsigned n = 0; n < HMPDU_TUPLES; n++) {
			struct hmpdu_tuple *t = &pdu.tuple[n];

			t->use = (uint8_t)dcb_rng_uniform(&rng, HMPDU_UNUSED, HMPDU_REQUEST);
			if (t->use != HMPDU_UNUSED) {
				t->timestamp = dcb_rng_next(&rng);
				t->request_adjustment = (int16_t)dcb_rng_next(&rng);
			}
			if (t->use == HMPDU_RESPONSE_ADJUSTED)
				t->response_adjustment = (int16_t)dcb_rng_next(&rng);
		}
		hmpdu_encode(&pdu, frame);
		assert_int_equal(hmpdu_decode(frame, sizeof(frame), &got), HMPDU_OK);
		assert_same(&got, &pdu);
	}
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_examples),
	    cmocka_unit_test(test_rejects_short_frames),
	    cmocka_unit_test(test_ignored_fields),
	    cmocka_unit_test(test_rejects_bad_fields),
	    cmocka_unit_test(test_response_returns_request_fields),
	    cmocka_unit_test(test_round_trip),
	};

	return cmocka_run_group_tests_name("hmpdu", tests, NULL, NULL);
}
