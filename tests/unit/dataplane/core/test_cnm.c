/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/core/cnm.h"
#include "lib/octets.h"
#include "lib/rng.h"
#include "tests/unit/unit.h"
#include "tests/unit/vectors.h"

#include <string.h>

static const uint8_t cpid[CNM_CPID_OCTETS] = {0x00, 0x11, 0x88, 0xfe, 0x79, 0x00, 0x01, 0x00};
static const uint8_t cp_mac[ETH_ADDR_OCTETS] = {0x00, 0x11, 0x88, 0xfe, 0x79, 0x6a};
static const uint8_t sender[ETH_ADDR_OCTETS] = {0x02, 0, 0, 0, 0, 0x01};
static const uint8_t receiver[ETH_ADDR_OCTETS] = {0x02, 0, 0, 0, 0, 0x02};

static size_t from_hex(const char *text, uint8_t *octets, size_t size)
{
	size_t n = 0;
	unsigned int octet;

	for (; n < size && sscanf(text + 2 * n, "%2x", &octet) == 1; n++)
		octets[n] = (uint8_t)octet;
	assert_int_equal(strlen(text), 2 * n);
	return n;
}

static void check_equal(const struct cnm *a, const struct cnm *b)
{
	assert_int_equal(a->version, b->version);
	assert_int_equal(a->qntz_fb, b->qntz_fb);
	assert_memory_equal(a->cpid, b->cpid, sizeof(a->cpid));
	assert_int_equal(a->cnm_qoffset, b->cnm_qoffset);
	assert_int_equal(a->cnm_qdelta, b->cnm_qdelta);
	assert_int_equal(a->encap_priority, b->encap_priority);
	assert_memory_equal(a->encap_da, b->encap_da, sizeof(a->encap_da));
	assert_int_equal(a->msdu_len, b->msdu_len);
	if (a->msdu_len)
		assert_memory_equal(a->msdu, b->msdu, a->msdu_len);
}

static void check_pdu(const struct vector *v)
{
	struct cnm cnm = {
	    .qntz_fb = (uint8_t)vector_num(v, v->inputs, "qfb"),
	    .cnm_qoffset = cnm_units((int64_t)vector_num(v, v->inputs, "qoff")),
	    .cnm_qdelta = cnm_units((int64_t)vector_num(v, v->inputs, "qdelta")),
	    .encap_priority = (uint8_t)vector_num(v, v->inputs, "pri"),
	    .msdu_len = (uint8_t)vector_num(v, v->inputs, "msdu_len"),
	};
	uint8_t expected[CNM_FRAME_MAX], pdu[CNM_FRAME_MAX];
	struct cnm got;
	size_t len;

	from_hex(vector_text(v, v->inputs, "cpid"), cnm.cpid, sizeof(cnm.cpid));
	from_hex(vector_text(v, v->inputs, "encap_da"), cnm.encap_da, sizeof(cnm.encap_da));
	len = from_hex(vector_text(v, v->outputs, "pdu"), expected, sizeof(expected));
	assert_int_equal(len, vector_int(v, v->outputs, "len"));
	assert_int_equal(cnm_encode(&cnm, pdu, sizeof(pdu)), len);
	assert_memory_equal(pdu, expected, len);
	assert_int_equal(cnm_decode(expected, len, &got), CNM_OK);
	check_equal(&cnm, &got);
}

static void test_pdu_vector(void **state)
{
	(void)state;
	assert_int_equal(vectors_each("qcn.csv", "wire-cnm", check_pdu), 1);
}

/* The sampled frames of the two frame vectors. */
struct sampled {
	const char *id;
	uint8_t head[8]; /* octets between source address and EtherType */
	uint8_t head_octets;
	uint8_t vlan[ETH_TAG_OCTETS]; /* C-TAG of the CNM, added by its sender; 0: none */
	struct cp_verdict verdict;
};

static const struct sampled sampled[] = {
    {.id = "WF2",
     .head = {0x81, 0x00, 0xe0, 0x64, 0x22, 0xe9, 0x00, 0x01},
     .head_octets = 8,
     .vlan = {0x81, 0x00, 0xc0, 0x64},
     .verdict = {.qntz_fb = 63, .cp_qoffset = -26000, .cp_qdelta = 52000}},
    {.id = "WF3", .verdict = {.qntz_fb = 1, .cp_qoffset = -2112}},
};

static uint32_t sampled_frame(const struct sampled *from, uint8_t *frame, size_t size)
{
	struct octets_out out = octets_out(frame, size);

	octets_out_bytes(&out, receiver, sizeof(receiver));
	octets_out_bytes(&out, sender, sizeof(sender));
	octets_out_bytes(&out, from->head, from->head_octets);
	octets_out_be16(&out, 0x0800);
	for (unsigned int i = 0; i < 62; i++)
		octets_out_u8(&out, (uint8_t)i);
	assert_false(out.overrun);
	return (uint32_t)out.len;
}

static void check_frame(const struct vector *v)
{
	const struct sampled *from = strcmp(v->id, sampled[0].id) == 0 ? &sampled[0] : &sampled[1];
	uint8_t expected[CNM_FRAME_MAX + ETH_TAG_OCTETS], frame[CNM_FRAME_MAX + ETH_TAG_OCTETS];
	uint8_t offered[128];
	uint8_t most = (uint8_t)vector_num(v, v->inputs, "msdu_len");
	uint32_t offered_len = sampled_frame(from, offered, sizeof(offered)), len;
	struct cnm cnm;
	struct eth_view view;
	size_t expected_len;

	print_message("%s\n", v->id);
	assert_string_equal(v->id, from->id);
	assert_int_equal(eth_parse(offered, offered_len, &view), ETH_OK);
	memcpy(cnm.cpid, cpid, sizeof(cpid));
	cnm_of_frame(&cnm, &from->verdict, offered, offered_len, &view, view.priority, most);
	len = cnm_frame(frame, &cnm, offered + ETH_SA_OFFSET, cp_mac, view.flow_id);
	if (from->vlan[0]) {
		memmove(frame + ETH_TYPE_OFFSET + ETH_TAG_OCTETS, frame + ETH_TYPE_OFFSET,
			len - ETH_TYPE_OFFSET);
		memcpy(frame + ETH_TYPE_OFFSET, from->vlan, ETH_TAG_OCTETS);
		len += ETH_TAG_OCTETS;
	}
	expected_len = from_hex(vector_text(v, v->outputs, "frame"), expected, sizeof(expected));
	assert_int_equal(expected_len, vector_int(v, v->outputs, "len_noFCS"));
	assert_int_equal(len, expected_len < ETH_MIN_OCTETS ? ETH_MIN_OCTETS : expected_len);
	assert_memory_equal(frame, expected, expected_len);
	for (size_t i = expected_len; i < len; i++)
		assert_int_equal(frame[i], 0);
}

static void test_frame_vectors(void **state)
{
	(void)state;
	assert_int_equal(vectors_each("qcn.csv", "wire-cnm-frame", check_frame),
			 UNIT_COUNT(sampled));
}

static uint16_t hex16(const struct vector *v, const char *key)
{
	return (uint16_t)strtoul(vector_text(v, v->outputs, key), NULL, 16);
}

static void check_units(const struct vector *v)
{
	int16_t cnm_qoffset = cnm_units((int64_t)vector_num(v, v->outputs, "cpQOffset"));
	int16_t cnm_qdelta = cnm_units((int64_t)vector_num(v, v->outputs, "cpQDelta"));
	const struct cnm cnm = {.cnm_qoffset = cnm_qoffset, .cnm_qdelta = cnm_qdelta};
	uint8_t pdu[CNM_PDU_MIN_OCTETS];

	print_message("%s\n", v->id);
	assert_int_equal(cnm_qoffset, vector_int(v, v->outputs, "cnmQOffset_64"));
	assert_int_equal(cnm_qdelta, vector_int(v, v->outputs, "cnmQDelta_64"));
	assert_int_equal(cnm_encode(&cnm, pdu, sizeof(pdu)), sizeof(pdu));
	assert_int_equal(get_be16(pdu + 10), hex16(v, "cnmQOffset_hex"));
	assert_int_equal(get_be16(pdu + 12), hex16(v, "cnmQDelta_hex"));
}

static void test_units_vectors(void **state)
{
	(void)state;
	assert_int_equal(vectors_each("qcn.csv", "cp-feedback", check_units), 27);
}

static void test_units_saturate(void **state)
{
	(void)state;
	assert_int_equal(cnm_units(INT16_MAX * 64 + 63), INT16_MAX);
	assert_int_equal(cnm_units((INT16_MAX + 1) * 64), INT16_MAX);
	assert_int_equal(cnm_units(INT64_MAX), INT16_MAX);
	assert_int_equal(cnm_units(INT16_MIN * 64 - 63), INT16_MIN);
	assert_int_equal(cnm_units((INT16_MIN - 1) * 64), INT16_MIN);
	assert_int_equal(cnm_units(INT64_MIN), INT16_MIN);
}

static struct cnm random_cnm(struct dcb_rng *rng)
{
	struct cnm cnm = {
	    .version = (uint8_t)dcb_rng_uniform(rng, 0, 15),
	    .qntz_fb = (uint8_t)dcb_rng_uniform(rng, 0, CP_QNTZ_FB_MAX),
	    .cnm_qoffset = (int16_t)dcb_rng_next(rng),
	    .cnm_qdelta = (int16_t)dcb_rng_next(rng),
	    .encap_priority = (uint8_t)dcb_rng_uniform(rng, 0, 7),
	    .msdu_len = (uint8_t)dcb_rng_uniform(rng, 0, CNM_MSDU_MAX),
	};

	for (unsigned int i = 0; i < sizeof(cnm.cpid); i++)
		cnm.cpid[i] = (uint8_t)dcb_rng_next(rng);
	for (unsigned int i = 0; i < sizeof(cnm.encap_da); i++)
		cnm.encap_da[i] = (uint8_t)dcb_rng_next(rng);
	for (unsigned int i = 0; i < cnm.msdu_len; i++)
		cnm.msdu[i] = (uint8_t)dcb_rng_next(rng);
	return cnm;
}

static void test_round_trip(void **state)
{
	uint8_t pdu[CNM_PDU_MIN_OCTETS + CNM_MSDU_MAX + 8];
	struct dcb_rng rng;

	(void)state;
	dcb_rng_seed(&rng, unit_seed(), 1);
	for (int i = 0; i < 10000; i++) {
		struct cnm cnm = random_cnm(&rng), got;
		size_t len = CNM_PDU_MIN_OCTETS + (size_t)cnm.msdu_len;

		memset(pdu, 0xa5, sizeof(pdu));
		assert_int_equal(cnm_encode(&cnm, pdu, len - 1), 0);
		assert_int_equal(cnm_encode(&cnm, pdu, len), len);
		assert_int_equal(pdu[len], 0xa5);
		assert_int_equal(cnm_decode(pdu, len, &got), CNM_OK);
		check_equal(&cnm, &got);
		assert_int_equal(cnm_decode(pdu, sizeof(pdu), &got), CNM_OK);
		check_equal(&cnm, &got);
	}
}

/*
 * Ignored: ReservedV, the low bits of the priority field, octets after the
 * MSDU. The version is returned but not checked.
 */
static void test_ignored_fields(void **state)
{
	uint8_t pdu[CNM_PDU_MIN_OCTETS + 3] = {0};
	struct cnm cnm;

	(void)state;
	put_be16(pdu, 0x2fc7);
	put_be16(pdu + 14, 0xbfff);
	memset(pdu + CNM_PDU_MIN_OCTETS, 0xff, 3);
	assert_int_equal(cnm_decode(pdu, sizeof(pdu), &cnm), CNM_OK);
	assert_int_equal(cnm.version, 2);
	assert_int_equal(cnm.qntz_fb, 7);
	assert_int_equal(cnm.encap_priority, 5);
	assert_int_equal(cnm.msdu_len, 0);
}

/* Every PDU length with every encapsulated MSDU length: only these two make a PDU invalid. */
static void test_every_length(void **state)
{
	(void)state;
	for (uint16_t msdu = 0; msdu <= CNM_MSDU_MAX + 2; msdu++)
		for (size_t len = 0; len <= CNM_PDU_MIN_OCTETS + CNM_MSDU_MAX + 2; len++) {
			uint8_t *exact = calloc(len ? len : 1, 1);
			struct cnm cnm = {.qntz_fb = 0x5a};
			enum cnm_error expected = CNM_OK, error;

			assert_non_null(exact);
			if (len >= CNM_PDU_MIN_OCTETS)
				put_be16(exact + 22, msdu);
			error = cnm_decode(exact, len, &cnm);
			free(exact);
			if (len < CNM_PDU_MIN_OCTETS)
				expected = CNM_SHORT;
			else if (msdu > CNM_MSDU_MAX)
				expected = CNM_BAD_LENGTH;
			else if (len < CNM_PDU_MIN_OCTETS + (size_t)msdu)
				expected = CNM_TRUNCATED;
			assert_int_equal(error, expected);
			assert_int_equal(cnm.qntz_fb, expected ? 0x5a : 0);
		}
}

static void test_encode_rejects_bad_lengths(void **state)
{
	struct cnm cnm = {.msdu_len = CNM_MSDU_MAX};
	uint8_t pdu[128] = {0xa5};

	(void)state;
	assert_int_equal(cnm_encode(&cnm, pdu, CNM_PDU_MIN_OCTETS + CNM_MSDU_MAX - 1), 0);
	assert_int_equal(cnm_encode(&cnm, pdu, 0), 0);
	cnm.msdu_len = CNM_MSDU_MAX + 1;
	assert_int_equal(cnm_encode(&cnm, pdu, sizeof(pdu)), 0);
	assert_int_equal(pdu[0], 0xa5);
}

/* The MSDU is cut to cpMinHeaderOctets, or complete if shorter; it has no tags. */
static void test_msdu_is_cut_to_min_header_octets(void **state)
{
	static const struct {
		uint8_t head_octets;
		uint32_t msdu; /* octets of the sampled frame's MSDU, EtherType included */
		uint8_t most, returned;
	} cases[] = {
	    {0, 64, 0, 0}, {0, 64, 1, 1},   {0, 64, 64, 64}, {0, 63, 64, 63},
	    {0, 2, 64, 2}, {8, 64, 64, 64}, {8, 40, 64, 40}, {8, 40, 20, 20},
	    {8, 2, 64, 2}, {8, 2, 1, 1},    {8, 64, 65, 64}, {8, 64, 255, 64},
	};

	(void)state;
	for (size_t i = 0; i < UNIT_COUNT(cases); i++) {
		struct sampled from = sampled[0];
		struct eth_view view;
		struct cnm cnm;
		uint8_t offered[128];
		uint32_t len;

		from.head_octets = cases[i].head_octets;
		sampled_frame(&from, offered, sizeof(offered));
		len = 2u * ETH_ADDR_OCTETS + from.head_octets + cases[i].msdu;
		assert_int_equal(eth_parse(offered, len, &view), ETH_OK);
		memcpy(cnm.cpid, cpid, sizeof(cpid));
		cnm_of_frame(&cnm, &from.verdict, offered, len, &view, 4, cases[i].most);
		assert_int_equal(cnm.msdu_len, cases[i].returned);
		assert_memory_equal(cnm.msdu, offered + len - cases[i].msdu, cnm.msdu_len);
		assert_memory_equal(cnm.encap_da, receiver, sizeof(receiver));
		assert_memory_equal(cnm.cpid, cpid, sizeof(cpid));
		assert_int_equal(cnm.encap_priority, 4);
		assert_int_equal(cnm.version, 0);
	}
}

static void test_longest_frame(void **state)
{
	const struct cnm cnm = {.msdu_len = CNM_MSDU_MAX};
	uint8_t frame[CNM_FRAME_MAX];
	struct eth_view view;
	struct cnm got;

	(void)state;
	assert_int_equal(cnm_frame(frame, &cnm, sender, cp_mac, 0xfedc), CNM_FRAME_MAX);
	assert_int_equal(eth_parse(frame, sizeof(frame), &view), ETH_OK);
	assert_true(eth_is_cnm(&view));
	assert_int_equal(view.flow_id, 0xfedc);
	assert_int_equal(
	    cnm_decode(frame + view.payload_offset, CNM_FRAME_MAX - view.payload_offset, &got),
	    CNM_OK);
	check_equal(&cnm, &got);
}

static void test_strerror(void **state)
{
	(void)state;
	for (int error = 0; error < CNM_ERRORS; error++)
		assert_string_not_equal(cnm_strerror(error), "unknown");
	assert_string_equal(cnm_strerror(CNM_ERRORS), "unknown");
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_pdu_vector),
	    cmocka_unit_test(test_frame_vectors),
	    cmocka_unit_test(test_units_vectors),
	    cmocka_unit_test(test_units_saturate),
	    cmocka_unit_test(test_round_trip),
	    cmocka_unit_test(test_ignored_fields),
	    cmocka_unit_test(test_every_length),
	    cmocka_unit_test(test_encode_rejects_bad_lengths),
	    cmocka_unit_test(test_msdu_is_cut_to_min_header_octets),
	    cmocka_unit_test(test_longest_frame),
	    cmocka_unit_test(test_strerror),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
