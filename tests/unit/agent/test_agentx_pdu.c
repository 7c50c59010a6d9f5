/* SPDX-License-Identifier: BSD-3-Clause */
/* AgentX requests and Responses against octet strings in both byte orders. */
#include "agent/agentx_answer.h"
#include "agent/agentx_pdu.h"
#include "agent/mib_cache.h"
#include "tests/unit/fake_mo_client.h"
#include "tests/unit/unit.h"

static uint8_t answer_octets[AGENTX_PDU_MAX];

static struct mib_cache *cache;
static struct agentx_objects objects;

static int setup(void **state)
{
	(void)state;
	fake_dcbd_reset();
	cache = mib_cache_new(NULL);
	objects.mib = mib_new(cache);
	objects.txn = mib_txn_new(objects.mib, cache, NULL);
	return objects.txn ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	mib_txn_free(objects.txn);
	mib_free(objects.mib);
	mib_cache_free(cache);
	return 0;
}

/* --- reading ------------------------------------------------------------------ */

/* clang-format off */
static const uint8_t get_next_big[] = {
    1, 6, 0x10, 0, 0, 0, 0, 7, 0, 0, 0, 9, 1, 2, 3, 4, 0, 0, 0, 32, /* header */
    4, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 3, 0, 0, 0, 111, 0x80, 0, 0, 2, /* 1.3.111.2^31+2, include */
    2, 4, 0, 0, 0, 0, 0, 1, 0, 0, 0x1f, 0x88,                       /* 1.3.6.1.4.1.8072 */
};

static const uint8_t get_next_little[] = {
    1, 6, 0, 0, 7, 0, 0, 0, 9, 0, 0, 0, 4, 3, 2, 1, 32, 0, 0, 0, /* header */
    4, 0, 1, 0, 1, 0, 0, 0, 3, 0, 0, 0, 111, 0, 0, 0, 2, 0, 0, 0x80, /* 1.3.111.2^31+2, include */
    2, 4, 0, 0, 1, 0, 0, 0, 0x88, 0x1f, 0, 0,                    /* 1.3.6.1.4.1.8072 */
};
/* clang-format on */

static void check_get_next(const uint8_t *pdu)
{
	const struct mib_oid start = {4, {1, 3, 111, 0x80000002}};
	const struct mib_oid end = {7, {1, 3, 6, 1, 4, 1, 8072}};
	struct octets_in in = octets_in(pdu + AGENTX_HEADER, 32);
	struct agentx_header h;
	struct mib_oid a, b;
	bool include;

	assert_true(agentx_get_header(pdu, &h));
	assert_int_equal(h.type, AGENTX_GET_NEXT);
	assert_int_equal(h.session, 7);
	assert_int_equal(h.transaction, 9);
	assert_int_equal(h.packet, 0x01020304);
	assert_true(agentx_get_range(&in, &h, &a, &include, &b));
	assert_true(include);
	assert_int_equal(mib_oid_compare(&a, &start), 0);
	assert_int_equal(mib_oid_compare(&b, &end), 0);
	assert_int_equal(in.left, 0);
}

static void test_decodes_get_next(void **state)
{
	(void)state;
	check_get_next(get_next_big);
	check_get_next(get_next_little);
}

static void test_rejects_other_versions(void **state)
{
	uint8_t pdu[AGENTX_HEADER] = {2, 5};
	struct agentx_header h;

	(void)state;
	assert_false(agentx_get_header(pdu, &h));
}

static void test_rejects_malformed_ranges(void **state)
{
	static uint8_t too_long[4 + 4 * 255 + 4] = {124, 4};
	struct agentx_header h = {.flags = AGENTX_NETWORK_BYTE_ORDER};
	struct mib_oid start, end;
	struct octets_in in;
	bool include;

	(void)state;
	for (size_t len = 0; len < 32; len++) {
		in = octets_in(get_next_big + AGENTX_HEADER, len);
		assert_false(agentx_get_range(&in, &h, &start, &include, &end));
	}
	in = octets_in(too_long,
		       sizeof(too_long)); /* 124 sub-identifiers after five of the prefix */
	assert_false(agentx_get_range(&in, &h, &start, &include, &end));
	too_long[0] = 123;
	in = octets_in(too_long, sizeof(too_long));
	assert_true(agentx_get_range(&in, &h, &start, &include, &end));
	assert_int_equal(start.n, MIB_OID_MAX);
}

/* --- writing ----------------------------------------------------------------- */

static void put_all(struct octets_out *out, const struct agentx_header *h)
{
	const struct mib_oid ieee = {4, {1, 3, 111, 0x80000002}};
	const struct mib_oid internet = {6, {1, 3, 6, 1, 4, 9}};
	const struct mo_value values[] = {
	    {.syntax = MO_ENUM, .num = -2},
	    {.syntax = MO_UNSIGNED32, .num = 0xfffefdfc},
	    {.syntax = MO_COUNTER64, .num = 0x0102030405060708},
	    {.syntax = MO_OCTETS, .len = 5, .octets = {1, 2, 3, 4, 5}},
	    {.syntax = MO_STRING, .len = 0},
	};

	agentx_begin_response(out, h);
	for (size_t i = 0; i < UNIT_COUNT(values); i++)
		agentx_put_varbind(out, h, i ? &internet : &ieee, &values[i]);
	agentx_put_exception(out, h, &internet, AGENTX_END_OF_MIB_VIEW);
	agentx_end_response(out, h, MO_NO_ERROR, 0);
}

/* clang-format off */
static const uint8_t response_big[] = {
    1, 18, 0x10, 0, 0, 0, 0, 7, 0, 0, 0, 9, 1, 2, 3, 4, 0, 0, 0, 124, /* header */
    0, 0, 0, 0, 0, 0, 0, 0,						/* uptime, error, index */
    0, 2, 0, 0, 4, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 3, 0, 0, 0, 111, 0x80, 0, 0, 2,
    0xff, 0xff, 0xff, 0xfe,						 /* INTEGER -2 */
    0, 66, 0, 0, 1, 4, 0, 0, 0, 0, 0, 9, 0xff, 0xfe, 0xfd, 0xfc,	 /* Gauge32 */
    0, 70, 0, 0, 1, 4, 0, 0, 0, 0, 0, 9, 1, 2, 3, 4, 5, 6, 7, 8,	 /* Counter64 */
    0, 4, 0, 0, 1, 4, 0, 0, 0, 0, 0, 9, 0, 0, 0, 5, 1, 2, 3, 4, 5, 0, 0, 0,
    0, 4, 0, 0, 1, 4, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0,			 /* an empty string */
    0, 130, 0, 0, 1, 4, 0, 0, 0, 0, 0, 9,
};

static const uint8_t response_little[] = {
    1, 18, 0, 0, 7, 0, 0, 0, 9, 0, 0, 0, 4, 3, 2, 1, 124, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0,
    2, 0, 0, 0, 4, 0, 0, 0, 1, 0, 0, 0, 3, 0, 0, 0, 111, 0, 0, 0, 2, 0, 0, 0x80,
    0xfe, 0xff, 0xff, 0xff,
    66, 0, 0, 0, 1, 4, 0, 0, 9, 0, 0, 0, 0xfc, 0xfd, 0xfe, 0xff,
    70, 0, 0, 0, 1, 4, 0, 0, 9, 0, 0, 0, 8, 7, 6, 5, 4, 3, 2, 1,
    4, 0, 0, 0, 1, 4, 0, 0, 9, 0, 0, 0, 5, 0, 0, 0, 1, 2, 3, 4, 5, 0, 0, 0,
    4, 0, 0, 0, 1, 4, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0,
    130, 0, 0, 0, 1, 4, 0, 0, 9, 0, 0, 0,
};
/* clang-format on */

static void test_encodes_response(void **state)
{
	struct agentx_header h = {.flags = AGENTX_NETWORK_BYTE_ORDER,
				  .session = 7,
				  .transaction = 9,
				  .packet = 0x01020304};
	struct octets_out out = octets_out(answer_octets, sizeof(answer_octets));

	(void)state;
	put_all(&out, &h);
	assert_int_equal(out.len, sizeof(response_big));
	assert_memory_equal(answer_octets, response_big, sizeof(response_big));
	h.flags = 0;
	out = octets_out(answer_octets, sizeof(answer_octets));
	put_all(&out, &h);
	assert_int_equal(out.len, sizeof(response_little));
	assert_memory_equal(answer_octets, response_little, sizeof(response_little));
}

/* CounterBasedGauge64 is encoded as Counter64: RFC 2856. */
static void test_gauge64_is_encoded_as_counter64(void **state)
{
	const struct agentx_header h = {.flags = AGENTX_NETWORK_BYTE_ORDER};
	const struct mib_oid name = {4, {1, 3, 111, 2}};
	struct mo_value value = {.syntax = MO_GAUGE64, .num = -2};
	uint8_t gauge[64], counter[64];
	struct octets_out as_gauge = octets_out(gauge, sizeof(gauge));
	struct octets_out as_counter = octets_out(counter, sizeof(counter));

	(void)state;
	agentx_put_varbind(&as_gauge, &h, &name, &value);
	value.syntax = MO_COUNTER64;
	agentx_put_varbind(&as_counter, &h, &name, &value);
	assert_int_equal(as_gauge.len, as_counter.len);
	assert_memory_equal(gauge, counter, as_counter.len);
	assert_int_equal(gauge[1], 70);
}

static void test_error_response_has_no_varbinds(void **state)
{
	const uint8_t big[] = {0, 0, 0, 8, 0, 0, 0, 0, 0, 5, 0, 3};
	const uint8_t little[] = {8, 0, 0, 0, 0, 0, 0, 0, 5, 0, 3, 0};

	(void)state;
	for (int is_big = 0; is_big < 2; is_big++) {
		struct agentx_header h = {.flags = is_big ? AGENTX_NETWORK_BYTE_ORDER : 0};
		struct octets_out out = octets_out(answer_octets, sizeof(answer_octets));

		agentx_begin_response(&out, &h);
		agentx_put_varbind(&out, &h, &(struct mib_oid){2, {1, 3}}, &(struct mo_value){0});
		agentx_end_response(&out, &h, MO_GEN_ERR, 3);
		assert_int_equal(out.len, AGENTX_HEADER + 8);
		assert_memory_equal(answer_octets + 16, is_big ? big : little, 12);
	}
}

/* --- PDUs of a session -------------------------------------------------------------- */

/* clang-format off */
static const uint8_t open_pdu[] = {
    1, 1, 0x10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 20, /* header */
    6, 0, 0, 0, 0, 0, 0, 0,                                       /* time limit, no identifier */
    0, 0, 0, 5, 's', 'e', 'v', 'e', 'n', 0, 0, 0,
};
static const uint8_t register_pdu[] = {
    1, 3, 0x10, 0, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 16, /* header */
    0, 127, 0, 0,                                                 /* priority */
    2, 4, 0, 0, 0, 0, 0, 1, 0, 0, 0x1f, 0x88,                     /* 1.3.6.1.4.1.8072 */
};
static const uint8_t close_pdu[] = {
    1, 2, 0x10, 0, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 4, 5, 0, 0, 0,
};
static const uint8_t ping_pdu[] = {
    1, 13, 0x10, 0, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 6, 0, 0, 0, 0,
};
static const uint8_t notify_pdu[] = {
    1, 12, 0x10, 0, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 60, /* header */
    0, 6, 0, 0, 6, 6, 0, 0, 0, 0, 0, 3, 0, 0, 0, 1, 0, 0, 0, 1,    /* snmpTrapOID.0 */
    0, 0, 0, 4, 0, 0, 0, 1, 0, 0, 0, 0,
    2, 4, 0, 0, 0, 0, 0, 1, 0, 0, 0x1f, 0x88,                      /* 1.3.6.1.4.1.8072 */
    0, 2, 0, 0, 1, 4, 0, 0, 0, 0, 0, 9, 0, 0, 0, 1,                /* 1.3.6.1.4.9 = 1 */
};
/* clang-format on */

static const struct mib_oid subtree = {7, {1, 3, 6, 1, 4, 1, 8072}};

static void assert_pdu(struct octets_out *out, const uint8_t *pdu, size_t len)
{
	assert_false(out->overrun);
	assert_int_equal(out->len, len);
	assert_memory_equal(out->start, pdu, len);
	*out = octets_out(out->start, out->size);
}

static void test_encodes_pdus_of_a_session(void **state)
{
	const struct mib_oid name = {6, {1, 3, 6, 1, 4, 9}};
	const struct mo_value one = {.syntax = MO_INTEGER32, .num = 1};
	uint8_t unregister[sizeof(register_pdu)], buf[256];
	struct octets_out out = octets_out(buf, sizeof(buf));
	struct agentx_header h;

	(void)state;
	agentx_put_open(&out, 3, 6, "seven");
	assert_pdu(&out, open_pdu, sizeof(open_pdu));
	agentx_put_registration(&out, AGENTX_REGISTER, 7, 4, &subtree);
	assert_pdu(&out, register_pdu, sizeof(register_pdu));
	memcpy(unregister, register_pdu, sizeof(unregister));
	unregister[1] = 4;
	agentx_put_registration(&out, AGENTX_UNREGISTER, 7, 4, &subtree);
	assert_pdu(&out, unregister, sizeof(unregister));
	agentx_put_close(&out, 7, 5, AGENTX_REASON_SHUTDOWN);
	assert_pdu(&out, close_pdu, sizeof(close_pdu));
	agentx_put_ping(&out, 7, 6);
	assert_pdu(&out, ping_pdu, sizeof(ping_pdu));
	agentx_begin_notify(&out, &h, 7, 8, &subtree);
	agentx_put_varbind(&out, &h, &name, &one);
	agentx_end_pdu(&out, &h);
	assert_pdu(&out, notify_pdu, sizeof(notify_pdu));
}

static void test_decodes_response_of_a_master(void **state)
{
	const uint8_t big[] = {0, 0, 0, 0, 1, 7, 0, 0}, little[] = {0, 0, 0, 0, 7, 1, 0, 0};
	struct agentx_header h = {.flags = AGENTX_NETWORK_BYTE_ORDER, .length = 8};
	uint16_t error = 0;

	(void)state;
	assert_true(agentx_get_response(big, &h, &error));
	assert_int_equal(error, AGENTX_DUPLICATE_REGISTRATION);
	h.flags = 0;
	assert_true(agentx_get_response(little, &h, &error));
	assert_int_equal(error, AGENTX_DUPLICATE_REGISTRATION);
	h.length = 7;
	assert_false(agentx_get_response(little, &h, &error));
	h.length = 8;
	for (unsigned e = 0; e <= UINT16_MAX; e++) {
		const uint8_t payload[] = {0, 0, 0, 0, (uint8_t)e, (uint8_t)(e >> 8), 0, 0};

		assert_int_equal(agentx_get_response(payload, &h, &error),
				 e <= 18 || (e >= 256 && e <= 268));
	}
}

/* --- requests and their Responses ------------------------------------------------- */

static void put_range(struct octets_out *out, const struct mib_oid *start,
		      const struct mib_oid *end)
{
	const struct mib_oid *both[] = {start, end};

	for (int i = 0; i < 2; i++) {
		octets_out_be32(out, (uint32_t)both[i]->n << 24);
		for (unsigned k = 0; k < both[i]->n; k++)
			octets_out_be32(out, both[i]->sub[k]);
	}
}

/* The varbinds of the Response do not fit into one PDU. */
static void test_response_too_long_is_too_big(void **state)
{
	static uint8_t request[AGENTX_PDU_MAX];
	const struct mib_oid name = {13, {1, 3, 111, 2, 802, 1, 1, 18, 1, 5, 1, 6, 1}};
	struct octets_out in = octets_out(request, sizeof(request));
	struct octets_out out = octets_out(answer_octets, sizeof(answer_octets));
	struct agentx_header h = {.type = AGENTX_GET_NEXT, .flags = AGENTX_NETWORK_BYTE_ORDER};

	(void)state;
	fake_dcbd_fill(MO_cn_cp, 3, 1, 1);
	while (in.len + 200 < sizeof(request))
		put_range(&in, &name, &(struct mib_oid){0});
	h.length = (uint32_t)in.len;
	assert_true(agentx_answer(&objects, 0, &h, request, &out));
	assert_int_equal(out.len, AGENTX_HEADER + 8);
	assert_int_equal(get_be16(answer_octets + 24), AGENTX_TOO_BIG);
	assert_int_equal(get_be16(answer_octets + 26), 1);
}

static void test_answers_exceptions_and_errors(void **state)
{
	const struct mib_oid gone = {13, {1, 3, 111, 2, 802, 1, 1, 18, 1, 5, 1, 7, 1}};
	const struct mib_oid column = {12, {1, 3, 111, 2, 802, 1, 1, 18, 1, 5, 1, 99}};
	const struct mib_oid after = {2, {2, 1}};
	struct agentx_header h = {.type = AGENTX_GET, .flags = AGENTX_NETWORK_BYTE_ORDER};
	uint8_t request[1024];
	struct octets_out in = octets_out(request, sizeof(request)), out;

	(void)state;
	put_range(&in, &gone, &(struct mib_oid){0});
	put_range(&in, &column, &(struct mib_oid){0});
	h.length = (uint32_t)in.len;
	out = octets_out(answer_octets, sizeof(answer_octets));
	assert_true(agentx_answer(&objects, 0, &h, request, &out));
	assert_int_equal(get_be16(answer_octets + 28), AGENTX_NO_SUCH_INSTANCE);
	assert_int_equal(get_be16(answer_octets + 28 + 8 + 13 * 4), AGENTX_NO_SUCH_OBJECT);
	assert_int_equal(out.len, 28 + 8 + 13 * 4 + 8 + 12 * 4);

	/* After the last instance: endOfMibView with the name of the request. */
	h.type = AGENTX_GET_NEXT;
	in = octets_out(request, sizeof(request));
	put_range(&in, &after, &(struct mib_oid){0});
	h.length = (uint32_t)in.len;
	out = octets_out(answer_octets, sizeof(answer_octets));
	assert_true(agentx_answer(&objects, 0, &h, request, &out));
	assert_int_equal(get_be16(answer_octets + 28), AGENTX_END_OF_MIB_VIEW);
	assert_int_equal(out.len, 28 + 8 + 2 * 4);
	assert_int_equal(get_be32(answer_octets + 28 + 8), 2);

	/*
	 * dcbd does not answer: genErr, with the index of the first varbind
	 * that is read from dcbd.
	 */
	fake_dcbd.fails = MO_CLIENT_UNREACHABLE;
	h.type = AGENTX_GET;
	in = octets_out(request, sizeof(request));
	put_range(&in, &column, &(struct mib_oid){0});
	put_range(&in, &(struct mib_oid){15, {1, 3, 111, 2, 802, 1, 1, 18, 1, 5, 1, 7, 1, 1, 1}},
		  &(struct mib_oid){0});
	h.length = (uint32_t)in.len;
	out = octets_out(answer_octets, sizeof(answer_octets));
	assert_true(agentx_answer(&objects, 1000, &h, request, &out));
	assert_int_equal(get_be16(answer_octets + 24), MO_GEN_ERR);
	assert_int_equal(get_be16(answer_octets + 26), 2);
}

/* Processes the request in h and payload. Returns the error, *index that of the varbind. */
static unsigned answer(const struct agentx_header *h, const uint8_t *payload, unsigned *index)
{
	struct octets_out out = octets_out(answer_octets, sizeof(answer_octets));

	assert_true(agentx_answer(&objects, 0, h, payload, &out));
	*index = get_be16(answer_octets + 26);
	return get_be16(answer_octets + 24);
}

static void test_malformed_requests_and_contexts(void **state)
{
	static const uint8_t types[] = {AGENTX_GET, AGENTX_GET_NEXT, AGENTX_GET_BULK,
					AGENTX_TEST_SET};
	struct agentx_header h = {.flags = AGENTX_NETWORK_BYTE_ORDER};
	const uint8_t *payload = get_next_big + AGENTX_HEADER;
	unsigned index;

	(void)state;
	for (size_t i = 0; i < UNIT_COUNT(types); i++) {
		h.type = types[i];
		h.length = 31;
		assert_int_equal(answer(&h, payload, &index), AGENTX_PARSE_ERROR);
		assert_int_equal(index, 0);
		h.length = types[i] == AGENTX_GET_BULK ? 4 : 0;
		assert_int_equal(answer(&h, payload, &index),
				 types[i] == AGENTX_TEST_SET ? MO_GEN_ERR : MO_NO_ERROR);
		h.length = 32;
		h.flags |= AGENTX_NON_DEFAULT_CONTEXT;
		assert_int_equal(answer(&h, payload, &index), AGENTX_UNSUPPORTED_CONTEXT);
		h.flags = AGENTX_NETWORK_BYTE_ORDER;
	}
}

static void test_other_pdus_get_no_response(void **state)
{
	struct octets_out out = octets_out(answer_octets, sizeof(answer_octets));
	struct agentx_header h = {.flags = AGENTX_NETWORK_BYTE_ORDER};

	(void)state;
	for (unsigned type = 0; type <= AGENTX_RESPONSE; type++) {
		h.type = (uint8_t)type;
		if (type < AGENTX_GET || type > AGENTX_UNDO_SET)
			assert_false(agentx_answer(&objects, 0, &h, NULL, &out));
	}
}

/* --- GetBulk ------------------------------------------------------------------------ */

static const struct mib_oid set_point = {12, {1, 3, 111, 2, 802, 1, 1, 18, 1, 5, 1, 7}};
static const struct mib_oid weight = {12, {1, 3, 111, 2, 802, 1, 1, 18, 1, 5, 1, 8}};
static const struct mib_oid last = {2, {2, 1}};

/* Returns the number of varbinds; columns: of each, '7', '8', or 'e' for endOfMibView. */
static unsigned bulk(uint16_t non_repeaters, uint16_t repetitions, char *columns)
{
	const struct mib_oid *names[] = {&set_point, &weight, &last};
	struct agentx_header h = {.type = AGENTX_GET_BULK, .flags = AGENTX_NETWORK_BYTE_ORDER};
	uint8_t request[1024];
	struct octets_out in = octets_out(request, sizeof(request));
	struct octets_in out;
	unsigned index, n = 0;

	octets_out_be32(&in, (uint32_t)non_repeaters << 16 | repetitions);
	for (unsigned i = 0; i < 3; i++)
		put_range(&in, names[i], &(struct mib_oid){0});
	h.length = (uint32_t)in.len;
	assert_int_equal(answer(&h, request, &index), MO_NO_ERROR);
	out = octets_in(answer_octets + 28, get_be32(answer_octets + 16) - 8);
	for (; out.left > 0; n++) {
		uint16_t type = octets_in_be16(&out);
		unsigned subs = octets_in_take(&out, 6)[2];
		const uint8_t *name = octets_in_take(&out, subs * 4u);

		assert_non_null(name);
		columns[n] =
		    type == AGENTX_END_OF_MIB_VIEW ? 'e' : (char)('0' + get_be32(name + 44));
		if (type != AGENTX_END_OF_MIB_VIEW)
			octets_in_take(&out, 4);
	}
	columns[n] = '\0';
	assert_false(out.overrun);
	return n;
}

static void test_get_bulk(void **state)
{
	char columns[256];

	(void)state;
	fake_dcbd_fill(MO_cn_cp, 3, 1, 1);
	assert_int_equal(bulk(3, 0, columns), 3);
	assert_string_equal(columns, "78e");
	assert_int_equal(bulk(0, 2, columns), 6);
	assert_string_equal(columns, "78e78e");
	assert_int_equal(bulk(1, 3, columns), 7);
	assert_string_equal(columns, "78e8e8e");
	assert_int_equal(bulk(1, 0, columns), 1);
	assert_string_equal(columns, "7");
	assert_int_equal(bulk(9, 5, columns), 3);
	assert_string_equal(columns, "78e");
	assert_int_equal(bulk(2, 5, columns), 3); /* the only repeater has ended */
	assert_string_equal(columns, "78e");
}

/* As many repetitions as fit: the Response is not tooBig. */
static void test_get_bulk_that_does_not_fit(void **state)
{
	struct agentx_header h = {.type = AGENTX_GET_BULK, .flags = AGENTX_NETWORK_BYTE_ORDER};
	uint8_t request[256];
	struct octets_out in = octets_out(request, sizeof(request));
	unsigned index;

	(void)state;
	fake_dcbd_fill(MO_cn_cp, 3000, 1, 1);
	octets_out_be32(&in, UINT16_MAX);
	put_range(&in, &set_point, &(struct mib_oid){0});
	h.length = (uint32_t)in.len;
	assert_int_equal(answer(&h, request, &index), MO_NO_ERROR);
	assert_true(get_be32(answer_octets + 16) > AGENTX_PDU_MAX - 200);
	assert_int_equal((get_be32(answer_octets + 16) - 8) % (4 + 4 + 15 * 4 + 4), 0);
}

/* --- SET ---------------------------------------------------------------------------- */

#define TRANSACTION 9

static void put_set_name(struct octets_out *out, uint16_t type, uint32_t column, uint32_t cp)
{
	const uint32_t name[15] = {1, 3, 111, 2, 802, 1, 1, 18, 1, 5, 1, column, 1, 1, cp};

	octets_out_be32(out, (uint32_t)type << 16);
	octets_out_be32(out, 15u << 24);
	for (unsigned i = 0; i < 15; i++)
		octets_out_be32(out, name[i]);
}

static void put_number(struct octets_out *out, uint16_t type, uint32_t column, uint32_t value)
{
	put_set_name(out, type, column, 1);
	octets_out_be32(out, value);
}

static unsigned step(enum agentx_type type, const struct octets_out *in, unsigned *index)
{
	const struct agentx_header h = {.type = (uint8_t)type,
					.flags = AGENTX_NETWORK_BYTE_ORDER,
					.transaction = TRANSACTION,
					.length = in ? (uint32_t)in->len : 0};

	return answer(&h, in ? in->start : NULL, index);
}

static void cleanup(void)
{
	struct octets_out out = octets_out(answer_octets, sizeof(answer_octets));
	const struct agentx_header h = {.type = AGENTX_CLEANUP_SET, .transaction = TRANSACTION};

	assert_false(agentx_answer(&objects, 0, &h, NULL, &out));
}

static void test_set_in_four_steps(void **state)
{
	uint8_t request[512];
	struct octets_out in = octets_out(request, sizeof(request));
	unsigned index;

	(void)state;
	put_number(&in, 66, 7, 500);         /* Gauge32 */
	put_number(&in, 2, 8, (uint32_t)-3); /* INTEGER */
	assert_int_equal(step(AGENTX_TEST_SET, &in, &index), MO_NO_ERROR);
	assert_int_equal(fake_dcbd.n_set, 2);
	assert_int_equal(fake_dcbd.set[0].value.num, 500);
	assert_int_equal(fake_dcbd.set[1].value.num, -3);
	assert_int_equal(step(AGENTX_COMMIT_SET, NULL, &index), MO_NO_ERROR);
	assert_int_equal(fake_dcbd.commits, 1);
	cleanup();
	assert_int_equal(fake_dcbd.cleanups, 1);

	fake_dcbd.commit_error = MO_GEN_ERR;
	fake_dcbd.error_varbind = 2;
	assert_int_equal(step(AGENTX_TEST_SET, &in, &index), MO_NO_ERROR);
	assert_int_equal(step(AGENTX_COMMIT_SET, NULL, &index), MO_COMMIT_FAILED);
	assert_int_equal(index, 2);
	assert_int_equal(step(AGENTX_UNDO_SET, NULL, &index), MO_NO_ERROR);
	assert_int_equal(fake_dcbd.undos, 1);
}

/* A step of a transaction that does not exist; its error has an index, see agentx_put_too_big(). */
static void test_steps_without_test_set(void **state)
{
	unsigned index;

	(void)state;
	assert_int_equal(step(AGENTX_COMMIT_SET, NULL, &index), MO_COMMIT_FAILED);
	assert_int_equal(index, 1);
	assert_int_equal(step(AGENTX_UNDO_SET, NULL, &index), MO_UNDO_FAILED);
	assert_int_equal(index, 1);
	cleanup();
	assert_int_equal(fake_dcbd.commits + fake_dcbd.undos + fake_dcbd.cleanups, 0);
}

/* The varbinds of a TestSet that failed are not those of the next one, nor of a CommitSet. */
static void test_failed_test_set_leaves_nothing(void **state)
{
	uint8_t request[512];
	struct octets_out in = octets_out(request, sizeof(request));
	unsigned index;

	(void)state;
	put_number(&in, 66, 7, 500);
	put_number(&in, 66, 7, 5);
	put_number(&in, 66, 7, 600);
	in.len -= 4;
	assert_int_equal(step(AGENTX_TEST_SET, &in, &index), AGENTX_PARSE_ERROR);
	assert_int_equal(index, 0);
	assert_int_equal(step(AGENTX_COMMIT_SET, NULL, &index), MO_COMMIT_FAILED);
	assert_int_equal(step(AGENTX_TEST_SET, NULL, &index), MO_GEN_ERR);
	assert_int_equal(step(AGENTX_COMMIT_SET, NULL, &index), MO_COMMIT_FAILED);
	in.len += 4; /* the second value is less than 100 */
	assert_int_equal(step(AGENTX_TEST_SET, &in, &index), MO_WRONG_VALUE);
	assert_int_equal(step(AGENTX_COMMIT_SET, NULL, &index), MO_COMMIT_FAILED);
	assert_int_equal(fake_dcbd.tests, 0);
	in.len = 4 + 4 + 15 * 4 + 4;
	assert_int_equal(step(AGENTX_TEST_SET, &in, &index), MO_NO_ERROR);
	assert_int_equal(index, 0);
	assert_int_equal(fake_dcbd.n_set, 1);
	cleanup();
}

static void test_test_set_has_the_first_error(void **state)
{
	uint8_t request[512];
	struct octets_out in = octets_out(request, sizeof(request));
	unsigned index;

	(void)state;
	put_number(&in, 66, 7, 500);
	put_number(&in, 66, 7, 5); /* less than 100 */
	put_number(&in, 66, 8, 1); /* of another type */
	assert_int_equal(step(AGENTX_TEST_SET, &in, &index), MO_WRONG_VALUE);
	assert_int_equal(index, 2);
	assert_int_equal(fake_dcbd.tests, 0);
	cleanup();
	fake_dcbd.test_error = MO_INCONSISTENT_VALUE;
	fake_dcbd.error_varbind = 1;
	in.len -= 2 * (4 + 4 + 15 * 4 + 4);
	assert_int_equal(step(AGENTX_TEST_SET, &in, &index), MO_INCONSISTENT_VALUE);
	assert_int_equal(index, 1);
}

/* Values of all types of RFC 2741, 5.4, of the object that is a Gauge32. */
static void test_types_of_values(void **state)
{
	static const struct {
		uint16_t type;
		uint8_t octets; /* of the value */
		enum mo_error error;
	} types[] = {
	    {66, 4, MO_NO_ERROR},    {2, 4, MO_WRONG_TYPE},   {65, 4, MO_WRONG_TYPE},
	    {67, 4, MO_WRONG_TYPE},  {70, 8, MO_WRONG_TYPE},  {5, 0, MO_WRONG_TYPE},
	    {128, 0, MO_WRONG_TYPE}, {129, 0, MO_WRONG_TYPE}, {130, 0, MO_WRONG_TYPE},
	    {4, 0, MO_WRONG_TYPE},   {6, 0, MO_WRONG_TYPE},   {64, 0, MO_WRONG_TYPE},
	    {68, 0, MO_WRONG_TYPE},
	};
	unsigned index;

	(void)state;
	for (size_t i = 0; i < UNIT_COUNT(types); i++) {
		uint8_t request[512];
		struct octets_out in = octets_out(request, sizeof(request));

		put_set_name(&in, types[i].type, 7, 1);
		for (unsigned n = 0; n < types[i].octets; n += 4)
			octets_out_be32(&in, n + 4 == types[i].octets ? 500 : 0);
		if (types[i].octets == 0 && types[i].type != 5 && types[i].type < 128)
			octets_out_be32(&in, 0); /* an empty string, or the null OID */
		assert_int_equal(step(AGENTX_TEST_SET, &in, &index), types[i].error);
		cleanup();
		in.len -= in.len > 68 ? 4 : 1;
		assert_int_equal(step(AGENTX_TEST_SET, &in, &index), AGENTX_PARSE_ERROR);
		cleanup();
	}
	for (unsigned type = 0; type < 256; type++) {
		uint8_t request[512];
		struct octets_out in = octets_out(request, sizeof(request));
		bool known = false;

		for (size_t i = 0; i < UNIT_COUNT(types); i++)
			known |= types[i].type == type;
		put_set_name(&in, (uint16_t)type, 7, 1);
		octets_out_be64(&in, 0);
		if (!known)
			assert_int_equal(step(AGENTX_TEST_SET, &in, &index), AGENTX_PARSE_ERROR);
	}
}

/* A string may have 128 octets; one that is longer than a value of any object is not cut. */
static void test_lengths_of_strings(void **state)
{
	static const struct {
		uint32_t len;
		unsigned error;
	} lengths[] = {{0, MO_NO_ERROR},       {1, MO_NO_ERROR},
		       {128, MO_NO_ERROR},     {129, MO_WRONG_LENGTH},
		       {255, MO_WRONG_LENGTH}, {256, MO_WRONG_LENGTH},
		       {384, MO_WRONG_LENGTH}, {UINT32_MAX, AGENTX_PARSE_ERROR}};
	const struct mo_table *table;
	const struct mo_column *col = mo_column_by_name(MO_NAME(dcbVlanPortEgress), &table);

	(void)state;
	for (size_t i = 0; i < UNIT_COUNT(lengths); i++) {
		uint8_t request[512];
		struct octets_out in = octets_out(request, sizeof(request));
		unsigned index;

		octets_out_be32(&in, 4u << 16);
		octets_out_be32(&in, (table->oid_len + 2u) << 24);
		for (unsigned n = 0; n < table->oid_len; n++)
			octets_out_be32(&in, table->oid[n]);
		octets_out_be32(&in, col->subid);
		octets_out_be32(&in, 1);
		octets_out_be32(&in, lengths[i].len);
		for (unsigned n = 0; n < lengths[i].len && n < 384; n += 4)
			octets_out_be32(&in, 0);
		assert_int_equal(step(AGENTX_TEST_SET, &in, &index), lengths[i].error);
		cleanup();
	}
}

UNIT_MAIN
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
	    TEST(test_decodes_get_next),
	    TEST(test_rejects_other_versions),
	    TEST(test_rejects_malformed_ranges),
	    TEST(test_encodes_response),
	    TEST(test_gauge64_is_encoded_as_counter64),
	    TEST(test_error_response_has_no_varbinds),
	    TEST(test_encodes_pdus_of_a_session),
	    TEST(test_decodes_response_of_a_master),
	    TEST(test_response_too_long_is_too_big),
	    TEST(test_answers_exceptions_and_errors),
	    TEST(test_malformed_requests_and_contexts),
	    TEST(test_other_pdus_get_no_response),
	    TEST(test_get_bulk),
	    TEST(test_get_bulk_that_does_not_fit),
	    TEST(test_set_in_four_steps),
	    TEST(test_steps_without_test_set),
	    TEST(test_failed_test_set_leaves_nothing),
	    TEST(test_test_set_has_the_first_error),
	    TEST(test_types_of_values),
	    TEST(test_lengths_of_strings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
