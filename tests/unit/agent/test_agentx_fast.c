/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The fast read path on a socket pair: it answers Get and GetNext, and the
 * library receives every octet of all other PDUs, however they are split.
 */
#include "agent/agentx_fast.h"

#include "agent/agentx_pdu.h"
#include "agent/mib_cache.h"
#include "tests/unit/fake_mo_client.h"
#include "tests/unit/unit.h"

#include <net-snmp/net-snmp-config.h>
#include <net-snmp/net-snmp-includes.h>

#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#define GET_OCTETS     (AGENTX_HEADER + 4 + 15 * 4 + 4)
#define ANSWER_OCTETS  (AGENTX_HEADER + 8 + 4 + 4 + 15 * 4 + 4)
#define LIBRARY_OCTETS 65536 /* size of the library's receive buffer */

static struct mib_cache *cache;
static struct mib *mib;
static netsnmp_transport transport;
static int master; /* the master's end of the socket pair */

static int setup(void **state)
{
	int fds[2];

	(void)state;
	fake_dcbd_reset();
	fake_dcbd_fill(MO_cn_cp, 3, 1, 1);
	cache = mib_cache_new(NULL);
	mib = mib_new(cache);
	if (!mib || socketpair(AF_UNIX, SOCK_STREAM, 0, fds) < 0)
		return -1;
	master = fds[0];
	transport = (netsnmp_transport){.sock = fds[1], .flags = NETSNMP_TRANSPORT_FLAG_STREAM};
	agentx_fast_init(mib);
	agentx_fast_attach(&transport);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	agentx_fast_detach();
	close(master);
	close(transport.sock);
	mib_free(mib);
	mib_cache_free(cache);
	return 0;
}

/* --- the master's side ------------------------------------------------------------ */

static void put_header(struct octets_out *out, uint8_t type, uint32_t transaction, uint32_t packet,
		       uint32_t length)
{
	octets_out_be32(out, 0x01000000u | (uint32_t)type << 16 | AGENTX_NETWORK_BYTE_ORDER << 8);
	octets_out_be32(out, 1);
	octets_out_be32(out, transaction);
	octets_out_be32(out, packet);
	octets_out_be32(out, length);
}

/* Get or GetNext of ieee8021CnCpQueueSizeSetPoint.1.1.cp. */
static void put_read(struct octets_out *out, uint8_t type, uint32_t packet, uint32_t cp)
{
	const uint32_t name[15] = {1, 3, 111, 2, 802, 1, 1, 18, 1, 5, 1, 7, 1, 1, cp};

	put_header(out, type, 9, packet, GET_OCTETS - AGENTX_HEADER);
	octets_out_be32(out, 15u << 24);
	for (unsigned i = 0; i < 15; i++)
		octets_out_be32(out, name[i]);
	octets_out_be32(out, 0);
}

/* A TestSet PDU with length octets of payload, which is for the library. */
static void put_set(struct octets_out *out, uint32_t packet, uint32_t length)
{
	put_header(out, 8, 9, packet, length);
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

static void assert_no_response(void)
{
	uint8_t octet;

	assert_int_equal(recv(master, &octet, 1, MSG_DONTWAIT), -1);
}

/* --- the library's side ------------------------------------------------------------- */

static int library_reads(uint8_t *buf, int size)
{
	void *opaque = buf;
	int olength = 1, n;

	transport.flags &= ~NETSNMP_TRANSPORT_FLAG_EMPTY_PKT;
	n = transport.f_recv(&transport, buf, size, &opaque, &olength);
	assert_null(opaque);
	assert_int_equal(olength, 0);
	return n;
}

static void assert_library_finds_nothing(void)
{
	uint8_t buf[64];

	assert_int_equal(library_reads(buf, sizeof(buf)), 0);
	assert_true(transport.flags & NETSNMP_TRANSPORT_FLAG_EMPTY_PKT);
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
	assert_true(agentx_fast_serve());
	assert_answered(1);
	assert_answered(2);
	assert_answered(3);
	assert_no_response();
	assert_false(agentx_fast_has_pending());
	assert_true(agentx_fast_serve()); /* no octets to read */
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
		assert_true(agentx_fast_serve());
		if (i == GET_OCTETS - 1)
			assert_answered(1);
		else if (i == 2 * GET_OCTETS - 1)
			assert_answered(2);
		else
			assert_no_response();
	}
}

/*
 * Sends in pieces of this size; the library reads size octets at a time and
 * gets all PDUs but the answered ones.
 */
static void check_library_receives(const struct octets_out *sent, const struct octets_out *wanted,
				   size_t piece, int size)
{
	static uint8_t got[4 * LIBRARY_OCTETS];
	size_t n_got = 0;

	for (size_t at = 0; at < sent->len; at += piece) {
		size_t len = sent->len - at < piece ? sent->len - at : piece;
		struct octets_out one = {.start = sent->start + at, .len = len};
		int n;

		master_sends(&one);
		if (agentx_fast_serve())
			continue;
		do {
			n = library_reads(got + n_got, size);
			n_got += (size_t)n;
		} while (agentx_fast_has_pending());
	}
	assert_int_equal(n_got, wanted->len);
	assert_memory_equal(got, wanted->start, wanted->len);
}

static void test_library_receives_all_other_pdus(void **state)
{
	static uint8_t sent_octets[8192], wanted_octets[8192];
	static const size_t pieces[] = {1, 3, 19, 20, 21, 100, 1000, 8192};
	static const int sizes[] = {1, 50, LIBRARY_OCTETS};

	(void)state;
	for (size_t p = 0; p < UNIT_COUNT(pieces); p++) {
		for (size_t s = 0; s < UNIT_COUNT(sizes); s++) {
			struct octets_out sent = octets_out(sent_octets, sizeof(sent_octets));
			struct octets_out wanted = octets_out(wanted_octets, sizeof(wanted_octets));

			for (uint32_t i = 1; i <= 6; i++) {
				put_set(&sent, 100 + i, 40 * (i - 1));
				put_set(&wanted, 100 + i, 40 * (i - 1));
				put_read(&sent, i % 2 ? AGENTX_GET : AGENTX_GET_NEXT, i, 1 + i % 2);
			}
			check_library_receives(&sent, &wanted, pieces[p], sizes[s]);
			for (uint32_t i = 1; i <= 6; i++)
				assert_answered(i);
			assert_no_response();
		}
	}
}

/*
 * One call of the receive function hands over all PDUs: the library may wait in
 * select() next, which does not report octets in the buffer.
 */
static void test_receive_hands_over_all_pdus_at_once(void **state)
{
	uint8_t buf[2048], got[2048];
	struct octets_out out = octets_out(buf, sizeof(buf));

	(void)state;
	put_set(&out, 1, 100);
	put_read(&out, AGENTX_GET, 2, 1);
	put_set(&out, 3, 200);
	put_header(&out, AGENTX_RESPONSE, 9, 4, 0);
	master_sends(&out);
	assert_int_equal(library_reads(got, sizeof(got)), 3 * AGENTX_HEADER + 300);
	assert_answered(2);
	assert_false(agentx_fast_has_pending());
	assert_library_finds_nothing();
}

/* Malformed PDUs and PDUs with a context are passed to the library. */
static void test_malformed_pdus_go_to_library(void **state)
{
	uint8_t buf[1024], got[1024];
	struct octets_out out = octets_out(buf, sizeof(buf));

	(void)state;
	put_read(&out, AGENTX_GET, 1, 1);
	buf[0] = 2; /* version */
	put_read(&out, AGENTX_GET, 2, 1);
	buf[GET_OCTETS + 2] |= AGENTX_NON_DEFAULT_CONTEXT;
	put_read(&out, AGENTX_GET, 3, 1);
	buf[2 * GET_OCTETS + AGENTX_HEADER] = 200; /* sub-identifiers */
	put_header(&out, AGENTX_GET, 9, 4, 0xfffffff0);
	octets_out_bytes(&out, "whatever follows", 16);
	master_sends(&out);
	assert_false(agentx_fast_serve());
	assert_int_equal(library_reads(got, sizeof(got)), out.len);
	assert_memory_equal(got, buf, out.len);
	assert_no_response();
}

static void test_end_of_connection_follows_last_octets(void **state)
{
	uint8_t buf[1024];
	struct octets_out out = octets_out(buf, sizeof(buf));

	(void)state;
	assert_library_finds_nothing();
	put_set(&out, 1, 50);
	master_sends(&out);
	shutdown(master, SHUT_WR);
	assert_false(agentx_fast_serve());
	assert_int_equal(library_reads(buf, sizeof(buf)), AGENTX_HEADER + 50);
	assert_false(agentx_fast_serve());
	assert_true(agentx_fast_has_pending());
	assert_int_equal(library_reads(buf, sizeof(buf)), 0);
	assert_false(transport.flags & NETSNMP_TRANSPORT_FLAG_EMPTY_PKT);
}

/* After agentx_fast_detach() the receive function reads the socket. */
static void test_detached_transport_reads_socket(void **state)
{
	uint8_t buf[64];
	struct octets_out out = octets_out(buf, sizeof(buf));

	(void)state;
	agentx_fast_detach();
	assert_int_equal(agentx_fast_fd(), -1);
	assert_false(agentx_fast_has_pending());
	octets_out_bytes(&out, "octets", 6);
	master_sends(&out);
	assert_int_equal(library_reads(buf, sizeof(buf)), 6);
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
	setsockopt(transport.sock, SOL_SOCKET, SO_SNDBUF, &small, sizeof(small));
	for (uint32_t i = 0; i < SLOW_PDUS; i++)
		put_read(&out, AGENTX_GET, i, 1);
	assert_int_equal(pthread_create(&reader, NULL, read_slowly, &n_read), 0);
	master_sends(&out);
	while (agentx_fast_serve() && n_read == 0)
		;
	pthread_join(reader, NULL);
	assert_int_equal(n_read, SLOW_PDUS * ANSWER_OCTETS);
}

/* The master does not read for AGENTX_FAST_SEND_MS: the connection is closed. */
static void test_connection_is_closed_if_master_does_not_read(void **state)
{
	static uint8_t buf[SLOW_PDUS * GET_OCTETS];
	struct octets_out out = octets_out(buf, sizeof(buf));
	int small = 4096;

	(void)state;
	setsockopt(transport.sock, SOL_SOCKET, SO_SNDBUF, &small, sizeof(small));
	for (uint32_t i = 0; i < SLOW_PDUS; i++)
		put_read(&out, AGENTX_GET, i, 1);
	master_sends(&out);
	while (agentx_fast_serve())
		;
	assert_int_equal(library_reads(buf, sizeof(buf)), 0);
	assert_false(transport.flags & NETSNMP_TRANSPORT_FLAG_EMPTY_PKT);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
	    TEST(test_answers_get_and_get_next),
	    TEST(test_answers_pdus_received_octet_by_octet),
	    TEST(test_library_receives_all_other_pdus),
	    TEST(test_receive_hands_over_all_pdus_at_once),
	    TEST(test_malformed_pdus_go_to_library),
	    TEST(test_end_of_connection_follows_last_octets),
	    TEST(test_detached_transport_reads_socket),
	    TEST(test_slow_master_receives_all_responses),
	    TEST(test_connection_is_closed_if_master_does_not_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
