/* SPDX-License-Identifier: BSD-3-Clause */
#include "lib/octets.h"
#include "dataplane/core/pfc_pdu.h"
#include "lib/rng.h"
#include "tests/unit/unit.h"

#include <string.h>

/* Pauses priority 3 for 65535 quanta, ends the pause of priority 4. */
static const uint8_t golden[PFC_FRAME_OCTETS] = {
    0x01, 0x80, 0xc2, 0x00, 0x00, 0x01, 0x02, 0x00, 0x00, 0x00, 0x00, 0x07, 0x88,
    0x08, 0x01, 0x01, 0x00, 0x18, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0xff, 0xff};

static const struct pfc_pdu golden_pdu = {
    .source = {0x02, 0, 0, 0, 0, 0x07}, .enable = 0x18, .time = {[3] = 0xffff}};

static void test_encode(void **state)
{
	uint8_t frame[PFC_FRAME_OCTETS];

	(void)state;
	memset(frame, 0xa5, sizeof(frame));
	pfc_pdu_encode(&golden_pdu, frame);
	assert_memory_equal(frame, golden, sizeof(frame));
}

static void test_decode(void **state)
{
	struct pfc_pdu pdu;

	(void)state;
	memset(&pdu, 0xa5, sizeof(pdu));
	assert_int_equal(pfc_pdu_decode(golden, sizeof(golden), &pdu), PFC_PDU_OK);
	assert_memory_equal(pdu.source, golden_pdu.source, sizeof(pdu.source));
	assert_int_equal(pdu.enable, 0x18);
	assert_memory_equal(pdu.time, golden_pdu.time, sizeof(pdu.time));
}

static void test_round_trip(void **state)
{
	uint8_t frame[PFC_FRAME_OCTETS], again[PFC_FRAME_OCTETS];
	struct dcb_rng rng;

	(void)state;
	dcb_rng_seed(&rng, unit_seed(), 1);
	for (int i = 0; i < 10000; i++) {
		struct pfc_pdu pdu = {.enable = (uint8_t)dcb_rng_next(&rng)}, got;

		for (unsigned int n = 0; n < ETH_ADDR_OCTETS; n++)
			pdu.source[n] = (uint8_t)(dcb_rng_next(&rng) & (n ? 0xff : 0xfe));
		for (unsigned int n = 0; n < DCB_PRIORITIES; n++)
			pdu.time[n] = (uint16_t)dcb_rng_next(&rng);
		pfc_pdu_encode(&pdu, frame);
		assert_int_equal(pfc_pdu_decode(frame, sizeof(frame), &got), PFC_PDU_OK);
		assert_int_equal(got.enable, pdu.enable);
		assert_memory_equal(got.source, pdu.source, sizeof(got.source));
		for (unsigned int n = 0; n < DCB_PRIORITIES; n++)
			assert_int_equal(got.time[n], pdu.enable >> n & 1 ? pdu.time[n] : 0);
		pfc_pdu_encode(&got, again);
		assert_memory_equal(frame, again, sizeof(frame));
	}
}

/* Ignored on receipt: high octet of the vector, times of priorities not enabled, padding. */
static void test_ignored_fields(void **state)
{
	uint8_t frame[PFC_FRAME_OCTETS];
	struct pfc_pdu pdu;

	(void)state;
	memcpy(frame, golden, sizeof(frame));
	frame[16] = 0xff;
	put_be16(frame + 18, 0x1234);
	memset(frame + PFC_FIELDS_OCTETS, 0xff, sizeof(frame) - PFC_FIELDS_OCTETS);
	assert_int_equal(pfc_pdu_decode(frame, sizeof(frame), &pdu), PFC_PDU_OK);
	assert_int_equal(pdu.enable, 0x18);
	assert_int_equal(pdu.time[0], 0);

	frame[17] = 0;
	assert_int_equal(pfc_pdu_decode(frame, PFC_FIELDS_OCTETS, &pdu), PFC_PDU_OK);
	assert_int_equal(pdu.enable, 0);
}

static void test_reasons(void **state)
{
	static const struct {
		uint8_t offset, len;
		uint8_t octets[6];
		enum pfc_pdu_error error;
	} cases[] = {
	    {0, 6, {0x01, 0x80, 0xc2, 0x00, 0x00, 0x00}, PFC_PDU_BAD_DESTINATION},
	    {0, 6, {0x02, 0x00, 0x00, 0x00, 0x00, 0x01}, PFC_PDU_BAD_DESTINATION},
	    {0, 6, {0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, PFC_PDU_BAD_DESTINATION},
	    {6, 1, {0x03}, PFC_PDU_GROUP_SOURCE},
	    {12, 2, {0x08, 0x00}, PFC_PDU_NOT_MAC_CONTROL},
	    {12, 2, {0x81, 0x00}, PFC_PDU_NOT_MAC_CONTROL},
	    {12, 6, {0x81, 0x00, 0x00, 0x01, 0x88, 0x08}, PFC_PDU_TAGGED},
	    {12, 6, {0x22, 0xe9, 0x00, 0x01, 0x88, 0x08}, PFC_PDU_TAGGED},
	    {12, 6, {0x88, 0xa8, 0x00, 0x01, 0x88, 0x08}, PFC_PDU_TAGGED},
	    {14, 2, {0x00, 0x01}, PFC_PDU_PAUSE},
	    {14, 2, {0x00, 0x02}, PFC_PDU_BAD_OPCODE},
	    {14, 2, {0xff, 0xfe}, PFC_PDU_BAD_OPCODE},
	};

	(void)state;
	for (size_t i = 0; i < UNIT_COUNT(cases); i++) {
		struct pfc_pdu pdu = {.enable = 0x5a};
		uint8_t frame[PFC_FRAME_OCTETS];

		memcpy(frame, golden, sizeof(frame));
		memcpy(frame + cases[i].offset, cases[i].octets, cases[i].len);
		assert_int_equal(pfc_pdu_decode(frame, sizeof(frame), &pdu), cases[i].error);
		assert_int_equal(pdu.enable, 0x5a);
	}
}

static void test_truncation(void **state)
{
	(void)state;
	for (size_t len = 0; len <= sizeof(golden); len++) {
		uint8_t *exact = malloc(len ? len : 1);
		struct pfc_pdu pdu;
		enum pfc_pdu_error error;

		assert_non_null(exact);
		memcpy(exact, golden, len);
		error = pfc_pdu_decode(exact, len, &pdu);
		free(exact);
		assert_int_equal(error, len < PFC_FIELDS_OCTETS ? PFC_PDU_SHORT : PFC_PDU_OK);
	}
}

static void test_strerror(void **state)
{
	(void)state;
	for (int error = 0; error < PFC_PDU_ERRORS; error++)
		assert_string_not_equal(pfc_pdu_strerror(error), "unknown");
	assert_string_equal(pfc_pdu_strerror(PFC_PDU_ERRORS), "unknown");
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_encode),     cmocka_unit_test(test_decode),
	    cmocka_unit_test(test_round_trip), cmocka_unit_test(test_ignored_fields),
	    cmocka_unit_test(test_reasons),    cmocka_unit_test(test_truncation),
	    cmocka_unit_test(test_strerror),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
