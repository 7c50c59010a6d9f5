/* SPDX-License-Identifier: BSD-3-Clause */
/* The head of LLDPDUs: IEEE Std 802.1AB, 7.1 and 8.5. */
#include "lldp/lldpdu.h"
#include "tests/unit/unit.h"

#include <string.h>

#define DA(last) 0x01, 0x80, 0xc2, 0x00, 0x00, (last)
#define SA       0x02, 0x00, 0x00, 0x00, 0x00, 0x07
#define CHASSIS  0x02, 0x07, 0x04, 0x02, 0x00, 0x00, 0x00, 0x01, 0x07
#define PORT     0x04, 0x05, 0x05, 's', 'w', 'p', '1'
#define TTL      0x06, 0x02, 0x00, 0x78

static const uint8_t chassis_octets[] = {0x02, 0x00, 0x00, 0x00, 0x01, 0x07};
static const struct lldpdu_id chassis = {4, 6, chassis_octets};
static const struct lldpdu_id port = {5, 4, (const uint8_t *)"swp1"};

/* Decodes a copy of exactly len octets, so that a sanitizer finds reads beyond it. */
static bool decode(const uint8_t *frame, size_t len, struct lldpdu *out)
{
	uint8_t *copy = malloc(len ? len : 1);
	struct eth_view view;
	bool ok;

	assert_non_null(copy);
	memcpy(copy, frame, len);
	ok = eth_parse(copy, len, &view) == ETH_OK && lldpdu_decode(copy, len, &view, out);
	free(copy);
	return ok;
}

static void test_head_is_decoded(void **state)
{
	static const uint8_t frame[] = {DA(0x0e), SA, 0x88, 0xcc, CHASSIS, PORT, TTL, 0, 0};
	struct lldpdu pdu;

	(void)state;
	memset(&pdu, 0xa5, sizeof(pdu));
	assert_true(decode(frame, sizeof(frame), &pdu));
	assert_memory_equal(pdu.source, frame + 6, sizeof(pdu.source));
	assert_true(pdu.nearest);
	assert_int_equal(pdu.ttl, 120);
	assert_true(pdu.msap == lldpdu_msap(chassis, port));
}

static void test_truncated_frames_are_refused(void **state)
{
	static const uint8_t frame[] = {DA(0x0e), SA, 0x88, 0xcc, CHASSIS, PORT, TTL};
	struct lldpdu pdu = {.ttl = 7}, before = pdu;

	(void)state;
	for (size_t len = 0; len < sizeof(frame); len++) {
		assert_false(decode(frame, len, &pdu));
		assert_memory_equal(&pdu, &before, sizeof(pdu));
	}
	assert_true(decode(frame, sizeof(frame), &pdu));
}

static void test_three_group_addresses_are_those_of_lldp(void **state)
{
	(void)state;
	for (unsigned last = 0; last < 256; last++) {
		const uint8_t frame[] = {DA((uint8_t)last), SA, 0x88, 0xcc, CHASSIS, PORT, TTL};
		struct lldpdu pdu;

		assert_int_equal(decode(frame, sizeof(frame), &pdu),
				 last == 0x00 || last == 0x03 || last == 0x0e);
		if (decode(frame, sizeof(frame), &pdu))
			assert_int_equal(pdu.nearest, last == 0x0e);
	}
}

/* The same LLDPDU behind a priority tag counts, in a VLAN or behind other tags it does not. */
static void test_tags(void **state)
{
	static const struct {
		uint8_t tag[4];
		bool counts;
	} cases[] = {
	    {{0x81, 0x00, 0xe0, 0x00}, true},
	    {{0x81, 0x00, 0xe0, 0x01}, false},
	    {{0x22, 0xe9, 0x00, 0x00}, false},
	    {{0x88, 0xa8, 0x00, 0x00}, false},
	};

	(void)state;
	for (size_t i = 0; i < UNIT_COUNT(cases); i++) {
		const uint8_t rest[] = {0x88, 0xcc, CHASSIS, PORT, TTL};
		uint8_t frame[16 + sizeof(rest)] = {DA(0x0e), SA};
		struct lldpdu pdu;

		memcpy(frame + 12, cases[i].tag, 4);
		memcpy(frame + 16, rest, sizeof(rest));
		assert_int_equal(decode(frame, sizeof(frame), &pdu), cases[i].counts);
	}
}

/* Each line differs from a valid LLDPDU in one TLV. */
static void test_malformed_heads_are_refused(void **state)
{
	static const struct {
		uint8_t tlvs[24];
		size_t len;
	} cases[] = {
	    {{PORT, CHASSIS, TTL}, 20},                          /* wrong order */
	    {{CHASSIS, CHASSIS, TTL}, 22},                       /* chassis ID twice */
	    {{0x02, 0x00, PORT, TTL}, 13},                       /* no chassis ID */
	    {{0x02, 0x01, 0x04, PORT, TTL}, 14},                 /* empty chassis ID */
	    {{CHASSIS, 0x04, 0x01, 0x05, TTL}, 16},              /* empty port ID */
	    {{CHASSIS, PORT, 0x06, 0x01, 0x78}, 19},             /* short time to live */
	    {{CHASSIS, PORT, 0x08, 0x02, 0x00, 0x78}, 20},       /* no time to live */
	    {{0xfe, 0x07, 4, 2, 0, 0, 0, 1, 7, PORT, TTL}, 20},  /* type 127 */
	    {{CHASSIS, PORT, 0x07, 0x02, 0x00, 0x78, 0, 0}, 22}, /* longer than the frame */
	};

	(void)state;
	for (size_t i = 0; i < UNIT_COUNT(cases); i++) {
		uint8_t frame[14 + 24] = {DA(0x0e), SA, 0x88, 0xcc};
		struct lldpdu pdu;

		memcpy(frame + 14, cases[i].tlvs, cases[i].len);
		assert_false(decode(frame, 14 + cases[i].len, &pdu));
	}
}

/* An ID has 255 octets at most; its TLV could have 511. */
static void test_longest_ids(void **state)
{
	uint8_t frame[14 + 2 + 257 + 7 + 4] = {DA(0x03), SA, 0x88, 0xcc};

	(void)state;
	for (size_t len = 256; len <= 257; len++) {
		static const uint8_t rest[] = {PORT, TTL};
		struct lldpdu pdu;

		frame[14] = 0x03;
		frame[15] = (uint8_t)len;
		memcpy(frame + 16 + len, rest, sizeof(rest));
		assert_int_equal(decode(frame, 16 + len + sizeof(rest), &pdu), len == 256);
	}
}

/* Subtype, length and contents of both IDs make the identifier. */
static void test_msap_depends_on_every_part(void **state)
{
	uint64_t hash[7];

	(void)state;
	hash[0] = lldpdu_msap(chassis, port);
	hash[1] = lldpdu_msap(port, chassis);
	hash[2] = lldpdu_msap((struct lldpdu_id){5, 6, chassis_octets}, port);
	hash[3] = lldpdu_msap((struct lldpdu_id){4, 5, chassis_octets}, port);
	hash[4] = lldpdu_msap(chassis, (struct lldpdu_id){7, 4, port.octets});
	hash[5] = lldpdu_msap(chassis, (struct lldpdu_id){5, 4, (const uint8_t *)"swp2"});
	hash[6] = lldpdu_msap(chassis, (struct lldpdu_id){5, 3, port.octets});
	for (size_t i = 0; i < UNIT_COUNT(hash); i++)
		for (size_t k = 0; k < i; k++)
			assert_true(hash[i] != hash[k]);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_head_is_decoded),
	    cmocka_unit_test(test_truncated_frames_are_refused),
	    cmocka_unit_test(test_three_group_addresses_are_those_of_lldp),
	    cmocka_unit_test(test_tags),
	    cmocka_unit_test(test_malformed_heads_are_refused),
	    cmocka_unit_test(test_longest_ids),
	    cmocka_unit_test(test_msap_depends_on_every_part),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
