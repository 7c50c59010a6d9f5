/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages between dcbd and dcb-lldp, and their order. */
#include "tests/unit/unit.h"

#include <string.h>

#include "lib/octets.h"
#include "lldp/process/lldp_order.h"
#include "tests/unit/lldp_remote.h"

static struct lldp_msg decoded;

static struct lldp_msg message(enum lldp_msg_type type)
{
	return (struct lldp_msg){.type = type};
}

static struct lldp_msg about(enum lldp_msg_type type, const char *ifname)
{
	struct lldp_msg m = {.type = type};

	snprintf(m.remote.ifname, sizeof(m.remote.ifname), "%s", ifname);
	return m;
}

static void add_tlv(struct lldp_remote *r, uint8_t subtype, uint16_t len)
{
	struct lldp_tlv *tlv = &r->tlvs[r->n_tlvs++];

	memcpy(tlv->oui, dcb_tlv_oui, sizeof(tlv->oui));
	tlv->subtype = subtype;
	tlv->len = len;
	memset(tlv->info, subtype, len);
}

/* A message of each type. */
static struct lldp_msg sample(enum lldp_msg_type type)
{
	struct lldp_msg m = about(type, type < LLDP_MSG_ACK ? "swp3" : "");

	switch (type) {
	case LLDP_MSG_SET:
		m.mtu = 9000;
		add_tlv(&m.remote, 8, 2);
		add_tlv(&m.remote, 0x17, 8);
		break;
	case LLDP_MSG_REPLAY:
		m.recent = true;
		break;
	case LLDP_MSG_DESCRIBE:
		m.system = (struct lldp_system){true, "eth0"};
		break;
	case LLDP_MSG_ACK:
	case LLDP_MSG_PING:
		m.number = 0xfedcba98;
		break;
	case LLDP_MSG_HELLO:
		snprintf(m.text, sizeof(m.text), "a library");
		break;
	case LLDP_MSG_PONG:
		m.number = 7;
		m.stats = (struct lldp_stats){1, 2, UINT64_MAX, 4, 5, 6, 7};
		break;
	case LLDP_MSG_STATE:
		m.state = LLDP_MISMATCH;
		snprintf(m.text, sizeof(m.text), "why");
		break;
	case LLDP_MSG_REMOTE:
		m.remote = neighbor("swp1", 5);
		add_tlv(&m.remote, 11, 0);
		add_tlv(&m.remote, 12, LLDP_TLV_INFO_OCTETS);
		break;
	case LLDP_MSG_GONE:
		m.remote = neighbor("swp1", 5);
		m.remote.ttl = 0;
		memset(m.remote.sysname, 0, sizeof(m.remote.sysname));
		memset(m.remote.management, 0, sizeof(m.remote.management));
		break;
	default:
		break;
	}
	return m;
}

static const enum lldp_msg_type from_dcbd[] = {LLDP_MSG_SET,    LLDP_MSG_FORGET,  LLDP_MSG_REFRESH,
					       LLDP_MSG_REPLAY, LLDP_MSG_ACK,     LLDP_MSG_PING,
					       LLDP_MSG_END,    LLDP_MSG_DESCRIBE};
static const enum lldp_msg_type from_process[] = {LLDP_MSG_HELLO,  LLDP_MSG_PONG,
						  LLDP_MSG_STATE,  LLDP_MSG_ALL_REPORTED,
						  LLDP_MSG_REMOTE, LLDP_MSG_GONE};

static void check_round_trip(enum lldp_msg_type type, enum lldp_msg_from from)
{
	struct lldp_msg m = sample(type);
	uint8_t octets[LLDP_MSG_MAX + 1];
	size_t len = lldp_msg_encode(&m, octets, sizeof(octets));

	assert_true(len >= 4);
	assert_null(lldp_msg_decode(octets, len, from, &decoded));
	assert_memory_equal(&decoded, &m, sizeof(m));
	/* Invalid from the other sender, truncated, or with another octet. */
	assert_non_null(lldp_msg_decode(octets, len, !from, &decoded));
	for (size_t cut = 0; cut < len; cut++) {
		put_be16(octets + 2, (uint16_t)cut);
		assert_non_null(lldp_msg_decode(octets, cut, from, &decoded));
	}
	octets[len] = 0;
	put_be16(octets + 2, (uint16_t)(len + 1));
	assert_non_null(lldp_msg_decode(octets, len + 1, from, &decoded));
	put_be16(octets + 2, (uint16_t)len);
	octets[0]++;
	assert_string_equal(lldp_msg_decode(octets, len, from, &decoded), "unknown version");
	/* A message that does not fit is not encoded. */
	for (size_t room = 0; room < len; room++)
		assert_int_equal(lldp_msg_encode(&m, octets, room), 0);
}

static void test_encode_and_decode(void **state)
{
	(void)state;
	for (size_t i = 0; i < UNIT_COUNT(from_dcbd); i++)
		check_round_trip(from_dcbd[i], LLDP_MSG_FROM_DCBD);
	for (size_t i = 0; i < UNIT_COUNT(from_process); i++)
		check_round_trip(from_process[i], LLDP_MSG_FROM_PROCESS);
}

static void test_longest_message_fits(void **state)
{
	struct lldp_msg m = sample(LLDP_MSG_REMOTE);
	uint8_t octets[LLDP_MSG_MAX];
	size_t len;

	(void)state;
	m.remote.n_tlvs = 0;
	for (unsigned i = 0; i < LLDP_TLVS_MAX; i++)
		add_tlv(&m.remote, (uint8_t)i, LLDP_TLV_INFO_OCTETS);
	m.remote.chassis = (struct lldp_id){.subtype = 7, .len = 255};
	m.remote.port = m.remote.chassis;
	memset(m.remote.sysname, 'x', sizeof(m.remote.sysname) - 1);
	strcpy(m.remote.management, "2001:db8:1111:2222:3333:4444:255.255.255.255");
	len = lldp_msg_encode(&m, octets, sizeof(octets));
	assert_true(len > 0);
	assert_null(lldp_msg_decode(octets, len, LLDP_MSG_FROM_PROCESS, &decoded));
	assert_memory_equal(&decoded, &m, sizeof(m));
}

/* --- invalid messages ------------------------------------------------------------------------- */

/* The encoder does not check m; the decoder returns this error text. */
static void expect_error(const struct lldp_msg *m, enum lldp_msg_from from, const char *expected)
{
	uint8_t octets[LLDP_MSG_MAX];
	size_t len = lldp_msg_encode(m, octets, sizeof(octets));
	const char *error = lldp_msg_decode(octets, len, from, &decoded);

	assert_true(len > 0);
	assert_non_null(error);
	assert_string_equal(error, expected);
}

static void test_rejects_invalid_interface_names(void **state)
{
	static const char *const names[] = {"", ".", "..", "a/b", "a b", "a:b", "a\nb", "a\tb"};

	(void)state;
	for (size_t i = 0; i < UNIT_COUNT(names); i++) {
		struct lldp_msg m = about(LLDP_MSG_REFRESH, names[i]);

		expect_error(&m, LLDP_MSG_FROM_DCBD, "invalid interface name");
	}
}

static void test_rejects_invalid_ids(void **state)
{
	static const struct lldp_id invalid[] = {
	    {0, 6, {2}}, {8, 6, {2}}, {255, 6, {2}}, {1, 0, {0}}};

	(void)state;
	for (size_t i = 0; i < UNIT_COUNT(invalid); i++) {
		struct lldp_msg m = sample(LLDP_MSG_REMOTE);

		m.remote.chassis = invalid[i];
		expect_error(&m, LLDP_MSG_FROM_PROCESS, "invalid chassis ID");
		m = sample(LLDP_MSG_GONE);
		m.remote.port = invalid[i];
		expect_error(&m, LLDP_MSG_FROM_PROCESS, "invalid port ID");
	}
}

static void test_mac_ids_have_six_octets(void **state)
{
	struct lldp_msg m = sample(LLDP_MSG_REMOTE);

	(void)state;
	m.remote.chassis.len = 7;
	expect_error(&m, LLDP_MSG_FROM_PROCESS, "invalid chassis ID");
	m = sample(LLDP_MSG_REMOTE);
	m.remote.port.len = 5;
	expect_error(&m, LLDP_MSG_FROM_PROCESS, "invalid port ID");
}

static void test_rejects_invalid_management_addresses(void **state)
{
	static const char *const invalid[] = {"192.0.2", "-v", "host", "2001:db8::1%eth0",
					      "1.2.3.4 "};
	struct lldp_msg m = sample(LLDP_MSG_REMOTE);

	(void)state;
	for (size_t i = 0; i < UNIT_COUNT(invalid); i++) {
		strcpy(m.remote.management, invalid[i]);
		expect_error(&m, LLDP_MSG_FROM_PROCESS, "invalid management address");
	}
	m.remote.management[0] = '\0';
	assert_null(lldp_remote_check(&m.remote));
}

static void test_rejects_invalid_time_to_live(void **state)
{
	struct lldp_msg m = sample(LLDP_MSG_REMOTE);

	(void)state;
	m.remote.ttl = 0;
	expect_error(&m, LLDP_MSG_FROM_PROCESS, "invalid time to live");
	m.remote.ttl = 65536;
	expect_error(&m, LLDP_MSG_FROM_PROCESS, "invalid time to live");
	m.remote.ttl = 65535;
	assert_null(lldp_remote_check(&m.remote));
}

static void test_rejects_invalid_tlvs(void **state)
{
	struct lldp_msg m = sample(LLDP_MSG_SET);
	uint8_t octets[LLDP_MSG_MAX];
	size_t len;

	(void)state;
	m.remote.tlvs[1].oui[2]++;
	expect_error(&m, LLDP_MSG_FROM_DCBD, "TLV with another OUI than 00-80-C2");
	m = sample(LLDP_MSG_SET);
	len = lldp_msg_encode(&m, octets, sizeof(octets));
	octets[4 + 1 + 4 + 4] = LLDP_TLVS_MAX + 1;
	assert_string_equal(lldp_msg_decode(octets, len, LLDP_MSG_FROM_DCBD, &decoded),
			    "too many TLVs");
	octets[4 + 1 + 4 + 4] = 2;
	put_be16(octets + 4 + 1 + 4 + 4 + 1 + 4, LLDP_TLV_INFO_OCTETS + 1);
	assert_string_equal(lldp_msg_decode(octets, len, LLDP_MSG_FROM_DCBD, &decoded),
			    "TLV too long");
}

static void test_rejects_invalid_texts(void **state)
{
	struct lldp_msg m = sample(LLDP_MSG_HELLO);
	uint8_t octets[LLDP_MSG_MAX];
	size_t len;

	(void)state;
	m.text[1] = '\x1b';
	expect_error(&m, LLDP_MSG_FROM_PROCESS, "text is not printable");
	m = sample(LLDP_MSG_HELLO);
	len = lldp_msg_encode(&m, octets, sizeof(octets));
	octets[len - 1] = 0;
	assert_string_equal(lldp_msg_decode(octets, len, LLDP_MSG_FROM_PROCESS, &decoded),
			    "invalid text");
}

static void test_rejects_invalid_numbers(void **state)
{
	struct lldp_msg m = sample(LLDP_MSG_STATE);
	uint8_t octets[64];
	size_t len;

	(void)state;
	m.state = LLDP_OFF;
	expect_error(&m, LLDP_MSG_FROM_PROCESS, "invalid state");
	m.state = LLDP_MISMATCH + 1;
	expect_error(&m, LLDP_MSG_FROM_PROCESS, "invalid state");
	m = sample(LLDP_MSG_REPLAY);
	len = lldp_msg_encode(&m, octets, sizeof(octets));
	octets[len - 1] = 2;
	assert_string_equal(lldp_msg_decode(octets, len, LLDP_MSG_FROM_DCBD, &decoded),
			    "boolean is neither 0 nor 1");
	m = sample(LLDP_MSG_DESCRIBE);
	m.system.management[0] = '\0';
	len = lldp_msg_encode(&m, octets, sizeof(octets));
	assert_null(lldp_msg_decode(octets, len, LLDP_MSG_FROM_DCBD, &decoded));
	octets[len - 2] = 2;
	assert_string_equal(lldp_msg_decode(octets, len, LLDP_MSG_FROM_DCBD, &decoded),
			    "boolean is neither 0 nor 1");
	snprintf(m.system.management, sizeof(m.system.management), "a/b");
	expect_error(&m, LLDP_MSG_FROM_DCBD, "invalid interface name");
	m = sample(LLDP_MSG_PONG);
	len = lldp_msg_encode(&m, octets, sizeof(octets));
	octets[8 + 3] = 1; /* 2^32 connections */
	assert_string_equal(lldp_msg_decode(octets, len, LLDP_MSG_FROM_PROCESS, &decoded),
			    "counter exceeds 32 bits");
}

/* --- order ----------------------------------------------------------------------------------- */

static void in_order(struct lldp_order *o, struct lldp_msg m)
{
	const char *error = lldp_order_take(o, &m);

	if (error)
		fail_msg("type %d: %s", m.type, error);
}

static void out_of_order(struct lldp_order o, struct lldp_msg m, const char *expected)
{
	const char *error = lldp_order_take(&o, &m);

	assert_non_null(error);
	assert_string_equal(error, expected);
}

static struct lldp_msg state_of(enum lldp_state s)
{
	return (struct lldp_msg){.type = LLDP_MSG_STATE, .state = s};
}

static void test_rejects_events_out_of_order(void **state)
{
	struct lldp_order o = {0};

	(void)state;
	out_of_order(o, sample(LLDP_MSG_STATE), "a message before HELLO");
	in_order(&o, sample(LLDP_MSG_HELLO));
	out_of_order(o, sample(LLDP_MSG_HELLO), "HELLO twice");
	in_order(&o, state_of(LLDP_CONNECTING));
	out_of_order(o, sample(LLDP_MSG_REMOTE), "REMOTE or GONE without a connection");
	out_of_order(o, sample(LLDP_MSG_ALL_REPORTED), "ALL_REPORTED without a new connection");
	in_order(&o, state_of(LLDP_CONNECTED));
	out_of_order(o, state_of(LLDP_CONNECTED), "STATE connected twice");
	in_order(&o, sample(LLDP_MSG_REMOTE));
	in_order(&o, message(LLDP_MSG_ALL_REPORTED));
	out_of_order(o, message(LLDP_MSG_ALL_REPORTED), "ALL_REPORTED without a new connection");
	in_order(&o, sample(LLDP_MSG_GONE));
	in_order(&o, state_of(LLDP_MISMATCH));
	out_of_order(o, sample(LLDP_MSG_GONE), "REMOTE or GONE without a connection");
	in_order(&o, state_of(LLDP_CONNECTED));
	in_order(&o, message(LLDP_MSG_ALL_REPORTED));
}

static void test_rejects_pong_without_ping(void **state)
{
	struct lldp_order o = {0};
	struct lldp_msg pong = message(LLDP_MSG_PONG);

	(void)state;
	in_order(&o, sample(LLDP_MSG_HELLO));
	out_of_order(o, pong, "PONG without a PING");
	pong.number = lldp_order_ping(&o) + 1;
	out_of_order(o, pong, "PONG without a PING");
	pong.number--;
	in_order(&o, pong);
	out_of_order(o, pong, "PONG without a PING");
}

static void test_rejects_events_beyond_window(void **state)
{
	struct lldp_order o = {0};

	(void)state;
	in_order(&o, sample(LLDP_MSG_HELLO));
	for (unsigned i = 0; i < LLDP_MSG_WINDOW; i++)
		in_order(&o, state_of(LLDP_CONNECTING));
	out_of_order(o, state_of(LLDP_CONNECTING), "too many unacknowledged events");
	lldp_order_ping(&o);
	in_order(&o, (struct lldp_msg){.type = LLDP_MSG_PONG, .number = 1}); /* not an event */
	assert_int_equal(lldp_order_ack(&o), LLDP_MSG_WINDOW);
	assert_int_equal(lldp_order_ack(&o), 0);
	in_order(&o, state_of(LLDP_CONNECTING));
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_encode_and_decode),
	    cmocka_unit_test(test_longest_message_fits),
	    cmocka_unit_test(test_rejects_invalid_interface_names),
	    cmocka_unit_test(test_rejects_invalid_ids),
	    cmocka_unit_test(test_mac_ids_have_six_octets),
	    cmocka_unit_test(test_rejects_invalid_management_addresses),
	    cmocka_unit_test(test_rejects_invalid_time_to_live),
	    cmocka_unit_test(test_rejects_invalid_tlvs),
	    cmocka_unit_test(test_rejects_invalid_texts),
	    cmocka_unit_test(test_rejects_invalid_numbers),
	    cmocka_unit_test(test_rejects_events_out_of_order),
	    cmocka_unit_test(test_rejects_pong_without_ping),
	    cmocka_unit_test(test_rejects_events_beyond_window),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
