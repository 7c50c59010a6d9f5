/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The connection to the master on a socket pair: requests are answered, however
 * they are split, Responses are handed over, and PDUs of any length cost neither
 * memory nor the connection.
 */
#include "agent/agentx_link.h"

#include "agent/agentx_pdu.h"
#include "agent/mib_cache.h"
#include "tests/unit/fake_mo_client.h"
#include "tests/unit/unit.h"

#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#define GET_OCTETS    (AGENTX_HEADER + 4 + 15 * 4 + 4)
#define ANSWER_OCTETS (AGENTX_HEADER + 8 + 4 + 4 + 15 * 4 + 4)
#define ERROR_OCTETS  (AGENTX_HEADER + 8)

static struct mib_cache *cache;
static struct agentx_objects objects;
static int master, ours; /* the ends of the socket pair */

/* What the connection has handed over. */
static unsigned n_responses;
static struct agentx_header last_response;

static void on_response(const struct agentx_header *h, const uint8_t *payload)
{
	(void)payload;
	n_responses++;
	last_response = *h;
}

static int setup(void **state)
{
	struct agentx_link_config config = {.response = on_response};
	int fds[2];

	(void)state;
	fake_dcbd_reset();
	fake_dcbd_fill(MO_cn_cp, 3, 1, 1);
	cache = mib_cache_new(NULL);
	objects.mib = mib_new(cache);
	objects.txn = mib_txn_new(objects.mib, cache, NULL);
	if (!objects.txn || socketpair(AF_UNIX, SOCK_STREAM, 0, fds) < 0)
		return -1;
	master = fds[0];
	ours = fds[1];
	n_responses = 0;
	config.objects = objects;
	agentx_link_init(&config);
	agentx_link_attach(ours);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	agentx_link_detach();
	close(master);
	mib_txn_free(objects.txn);
	mib_free(objects.mib);
	mib_cache_free(cache);
	return 0;
}

/* --- the master's side ------------------------------------------------------------ */

static void put_header(struct octets_out *out, uint8_t type, uint32_t packet, uint32_t length)
{
	octets_out_be32(out, 0x01000000u | (uint32_t)type << 16 | AGENTX_NETWORK_BYTE_ORDER << 8);
	octets_out_be32(out, 1);
	octets_out_be32(out, 9);
	octets_out_be32(out, packet);
	octets_out_be32(out, length);
}

static void put_name(struct octets_out *out, uint32_t cp)
{
	const uint32_t name[15] = {1, 3, 111, 2, 802, 1, 1, 18, 1, 5, 1, 7, 1, 1, cp};

	octets_out_be32(out, 15u << 24);
	for (unsigned i = 0; i < 15; i++)
		octets_out_be32(out, name[i]);
	octets_out_be32(out, 0);
}

/* Get or GetNext of ieee8021CnCpQueueSizeSetPoint.1.1.cp. */
static void put_read(struct octets_out *out, uint8_t type, uint32_t packet, uint32_t cp)
{
	put_header(out, type, packet, GET_OCTETS - AGENTX_HEADER);
	put_name(out, cp);
}

/* A malformed TestSet with length octets of payload. */
static void put_set(struct octets_out *out, uint32_t packet, uint32_t length)
{
	put_header(out, AGENTX_TEST_SET, packet, length);
	for (uint32_t i = 0; i < length; i++)
		octets_out_u8(out, (uint8_t)(i * 7 + packet));
}

static void master_sends(const struct octets_out *out)
{
	assert_false(out->overrun);
	assert_int_equal(send(master, out->start, out->len, 0), out->len);
}

/* The master has received the Response with this packet number. */
static void assert_answered(uint32_t packet)
{
	uint8_t buf[ANSWER_OCTETS];

	assert_int_equal(recv(master, buf, sizeof(buf), MSG_DONTWAIT), sizeof(buf));
	assert_int_equal(buf[1], AGENTX_RESPONSE);
	assert_int_equal(get_be32(buf + 12), packet);
	assert_int_equal(get_be16(buf + 24), MO_NO_ERROR);
	assert_int_equal(get_be16(buf + 28), 66);
}

static void assert_error(uint32_t packet, unsigned error, unsigned index)
{
	uint8_t buf[ERROR_OCTETS];

	assert_int_equal(recv(master, buf, sizeof(buf), MSG_DONTWAIT), sizeof(buf));
	assert_int_equal(buf[1], AGENTX_RESPONSE);
	assert_int_equal(get_be32(buf + 12), packet);
	assert_int_equal(get_be32(buf + 16), 8);
	assert_int_equal(get_be16(buf + 24), error);
	assert_int_equal(get_be16(buf + 26), index);
}

static void assert_too_big(uint32_t packet)
{
	assert_error(packet, AGENTX_TOO_BIG, 1); /* with 0, Net-SNMP's master says genErr */
}

static void assert_no_response(void)
{
	uint8_t octet;

	assert_int_equal(recv(master, &octet, 1, MSG_DONTWAIT), -1);
}

/* --- tests -------------------------------------------------------------------------- */

static void test_answers_get_and_get_next(void **state)
{
	uint8_t buf[1024];
	struct octets_out out = octets_out(buf, sizeof(buf));

	(void)state;
	put_read(&out, AGENTX_GET, 1, 2);
	put_read(&out, AGENTX_GET_NEXT, 2, 1);
	put_read(&out, AGENTX_GET_NEXT, 3, 2);
	master_sends(&out);
	assert_true(agentx_link_serve());
	assert_answered(1);
	assert_answered(2);
	assert_answered(3);
	assert_no_response();
	assert_int_equal(agentx_link_received(), 3);
	assert_true(agentx_link_serve()); /* no octets to read */
}

static void test_answers_pdus_received_octet_by_octet(void **state)
{
	uint8_t buf[1024];
	struct octets_out out = octets_out(buf, sizeof(buf)), one;

	(void)state;
	put_read(&out, AGENTX_GET, 1, 2);
	put_read(&out, AGENTX_GET, 2, 3);
	for (size_t i = 0; i < out.len; i++) {
		one = (struct octets_out){.start = buf + i, .len = 1};
		master_sends(&one);
		assert_true(agentx_link_serve());
		if (i == GET_OCTETS - 1)
			assert_answered(1);
		else if (i == 2 * GET_OCTETS - 1)
			assert_answered(2);
		else
			assert_no_response();
	}
}

static void test_answers_pdus_in_any_pieces(void **state)
{
	static uint8_t sent_octets[8192];
	static const size_t pieces[] = {1, 3, 19, 20, 21, 100, 1000, 8192};

	(void)state;
	for (size_t p = 0; p < UNIT_COUNT(pieces); p++) {
		struct octets_out sent = octets_out(sent_octets, sizeof(sent_octets));

		for (uint32_t i = 1; i <= 6; i++) {
			put_set(&sent, 100 + i, 40 * i);
			put_read(&sent, i % 2 ? AGENTX_GET : AGENTX_GET_NEXT, i, 1 + i % 2);
		}
		for (size_t at = 0; at < sent.len; at += pieces[p]) {
			size_t len = sent.len - at < pieces[p] ? sent.len - at : pieces[p];
			struct octets_out one = {.start = sent.start + at, .len = len};

			master_sends(&one);
			assert_true(agentx_link_serve());
		}
		for (uint32_t i = 1; i <= 6; i++) {
			assert_error(100 + i, AGENTX_PARSE_ERROR, 0);
			assert_answered(i);
		}
		assert_no_response();
	}
}

static void test_responses_are_handed_over_by_header(void **state)
{
	uint8_t buf[256];
	struct octets_out out = octets_out(buf, sizeof(buf));

	(void)state;
	put_header(&out, AGENTX_RESPONSE, 77, 8);
	octets_out_be64(&out, 0);
	master_sends(&out);
	assert_true(agentx_link_serve());
	assert_int_equal(n_responses, 1);
	assert_int_equal(last_response.packet, 77);
}

/* Octets of the header that do not fit: version, type, session identifier. */
static void test_invalid_header_ends_connection(void **state)
{
	static const uint8_t octets[] = {0, 1, 4, 7};
	uint8_t buf[1024];

	for (size_t i = 0; i < UNIT_COUNT(octets); i++) {
		struct octets_out out = octets_out(buf, sizeof(buf));

		put_read(&out, AGENTX_GET, 1, 1);
		agentx_link_expect(1);
		master_sends(&out);
		assert_true(agentx_link_serve());
		assert_answered(1);
		buf[octets[i]] = 19;
		master_sends(&out);
		assert_false(agentx_link_serve());
		assert_string_equal(agentx_link_error(), "invalid header of a PDU");
		teardown(state);
		assert_int_equal(setup(state), 0);
	}
}

static void test_close_ends_connection(void **state)
{
	uint8_t buf[64];
	struct octets_out out = octets_out(buf, sizeof(buf));

	(void)state;
	put_header(&out, AGENTX_CLOSE, 1, 4);
	octets_out_be32(&out, 0x05000000);
	master_sends(&out);
	assert_false(agentx_link_serve());
}

static void test_end_of_connection_follows_last_pdu(void **state)
{
	uint8_t buf[1024];
	struct octets_out out = octets_out(buf, sizeof(buf));

	(void)state;
	put_read(&out, AGENTX_GET, 1, 2);
	master_sends(&out);
	shutdown(master, SHUT_WR);
	assert_true(agentx_link_serve());
	assert_answered(1);
	assert_false(agentx_link_serve());
	assert_string_equal(agentx_link_error(), "closed by the master");
}

/* --- long PDUs ------------------------------------------------------------------------ */

/* Sends n octets of payload in pieces that the socket takes. */
static void master_sends_octets(size_t n)
{
	static uint8_t piece[32768];

	while (n > 0) {
		struct octets_out one = {.start = piece,
					 .len = n < sizeof(piece) ? n : sizeof(piece)};

		master_sends(&one);
		assert_true(agentx_link_serve());
		n -= one.len;
	}
}

/* A request of AGENTX_PDU_MAX is handled; a longer one is refused, the next one answered. */
static void test_request_longer_than_pdu_max_is_too_big(void **state)
{
	static const uint32_t lengths[] = {AGENTX_PDU_MAX - AGENTX_HEADER + 1, AGENTX_PDU_MAX,
					   5000 * 72, AGENTX_LINK_SKIP_MAX};
	static const uint8_t types[] = {AGENTX_GET, AGENTX_GET_NEXT, AGENTX_GET_BULK,
					AGENTX_TEST_SET};
	uint8_t buf[1024];

	(void)state;
	for (size_t i = 0; i < UNIT_COUNT(lengths); i++) {
		struct octets_out out = octets_out(buf, sizeof(buf));

		put_header(&out, types[i], 7, lengths[i]);
		master_sends(&out);
		assert_true(agentx_link_serve());
		assert_too_big(7); /* before the payload */
		master_sends_octets(lengths[i]);
		assert_no_response();
		out = octets_out(buf, sizeof(buf));
		put_read(&out, AGENTX_GET, 8, 2);
		master_sends(&out);
		assert_true(agentx_link_serve());
		assert_answered(8);
	}
}

static void test_pdu_of_maximum_length_is_answered(void **state)
{
	static uint8_t buf[AGENTX_PDU_MAX];
	struct octets_out out = octets_out(buf, sizeof(buf));

	(void)state;
	put_set(&out, 1, AGENTX_PDU_MAX - AGENTX_HEADER);
	for (size_t at = 0; at < out.len; at += 4096) {
		struct octets_out one = {.start = buf + at, .len = 4096};

		master_sends(&one);
		assert_true(agentx_link_serve());
	}
	assert_error(1, AGENTX_PARSE_ERROR, 0);
}

/* A long PDU of another type gets no answer. */
static void test_long_response_is_dropped(void **state)
{
	uint8_t buf[1024];
	struct octets_out out = octets_out(buf, sizeof(buf));

	(void)state;
	put_header(&out, AGENTX_RESPONSE, 7, 100000);
	master_sends(&out);
	master_sends_octets(100000);
	out = octets_out(buf, sizeof(buf));
	put_read(&out, AGENTX_GET, 8, 2);
	master_sends(&out);
	assert_true(agentx_link_serve());
	assert_answered(8);
	assert_int_equal(n_responses, 0);
}

/* A header that announces 4 GB ends the connection before any octet of payload. */
static void test_impossible_length_ends_connection(void **state)
{
	static const uint32_t lengths[] = {AGENTX_LINK_SKIP_MAX + 1, 0x80000000, 0xfffffff0,
					   0xffffffff};
	uint8_t buf[64];

	for (size_t i = 0; i < UNIT_COUNT(lengths); i++) {
		struct octets_out out = octets_out(buf, sizeof(buf));

		put_header(&out, AGENTX_GET, 7, lengths[i]);
		master_sends(&out);
		assert_false(agentx_link_serve());
		assert_string_equal(agentx_link_error(), "invalid header of a PDU");
		teardown(state);
		assert_int_equal(setup(state), 0);
	}
}

/* A Get whose Response would be longer than the master accepts. */
static void test_response_longer_than_pdu_max_is_too_big(void **state)
{
	static uint8_t buf[AGENTX_PDU_MAX];
	struct octets_out out = octets_out(buf, sizeof(buf));
	unsigned n = (AGENTX_PDU_MAX - AGENTX_HEADER) / (GET_OCTETS - AGENTX_HEADER);

	(void)state;
	put_header(&out, AGENTX_GET, 7, n * (GET_OCTETS - AGENTX_HEADER));
	for (unsigned i = 0; i < n; i++)
		put_name(&out, 1 + i % 3);
	for (size_t at = 0; at < out.len; at += 4096) {
		struct octets_out one = {.start = buf + at,
					 .len = out.len - at < 4096 ? out.len - at : 4096};

		master_sends(&one);
		assert_true(agentx_link_serve());
	}
	assert_too_big(7);
	assert_no_response();
}

/* --- a master that reads slowly, and one that does not read --------------------------- */

#define SLOW_PDUS 400

static void *read_slowly(void *arg)
{
	_Atomic size_t *n = arg;
	uint8_t buf[1000];
	ssize_t got;

	while (*n < SLOW_PDUS * (size_t)ANSWER_OCTETS) {
		usleep(200);
		got = recv(master, buf, sizeof(buf), 0);
		if (got <= 0)
			break;
		*n += (size_t)got;
	}
	return NULL;
}

static void test_slow_master_receives_all_responses(void **state)
{
	static uint8_t buf[SLOW_PDUS * GET_OCTETS];
	struct octets_out out = octets_out(buf, sizeof(buf));
	int small = 4096;
	_Atomic size_t n_read = 0;
	pthread_t reader;

	(void)state;
	setsockopt(ours, SOL_SOCKET, SO_SNDBUF, &small, sizeof(small));
	for (uint32_t i = 0; i < SLOW_PDUS; i++)
		put_read(&out, AGENTX_GET, i, 1);
	assert_int_equal(pthread_create(&reader, NULL, read_slowly, &n_read), 0);
	master_sends(&out);
	while (agentx_link_serve() && n_read == 0)
		;
	pthread_join(reader, NULL);
	assert_int_equal(n_read, SLOW_PDUS * ANSWER_OCTETS);
}

/* The master does not read for AGENTX_LINK_SEND_MS: the connection is useless. */
static void test_master_that_does_not_read_is_an_error(void **state)
{
	static uint8_t buf[SLOW_PDUS * GET_OCTETS];
	struct octets_out out = octets_out(buf, sizeof(buf));
	int small = 4096;

	(void)state;
	setsockopt(ours, SOL_SOCKET, SO_SNDBUF, &small, sizeof(small));
	for (uint32_t i = 0; i < SLOW_PDUS; i++)
		put_read(&out, AGENTX_GET, i, 1);
	master_sends(&out);
	while (agentx_link_serve())
		;
	assert_string_equal(agentx_link_error(), "master does not read responses");
}

UNIT_MAIN
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
	    TEST(test_answers_get_and_get_next),
	    TEST(test_answers_pdus_received_octet_by_octet),
	    TEST(test_answers_pdus_in_any_pieces),
	    TEST(test_responses_are_handed_over_by_header),
	    TEST(test_invalid_header_ends_connection),
	    TEST(test_close_ends_connection),
	    TEST(test_end_of_connection_follows_last_pdu),
	    TEST(test_request_longer_than_pdu_max_is_too_big),
	    TEST(test_pdu_of_maximum_length_is_answered),
	    TEST(test_long_response_is_dropped),
	    TEST(test_impossible_length_ends_connection),
	    TEST(test_response_longer_than_pdu_max_is_too_big),
	    TEST(test_slow_master_receives_all_responses),
	    TEST(test_master_that_does_not_read_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
