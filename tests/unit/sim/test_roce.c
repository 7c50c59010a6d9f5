/* SPDX-License-Identifier: BSD-3-Clause */
/* RoCEv2 of the simulator: headers against octets written by hand, and go-back-N with losses. */
#include "sim/net/roce.h"

#include "lib/rng.h"
#include "tests/unit/unit.h"

#include <stdio.h>

static struct dcb_time at(int64_t ns)
{
	return (struct dcb_time){ns};
}

static void test_headers(void **state)
{
	/* InfiniBand volume 1, 9.2: opcode, flags, P_Key, reserved, QP, A and PSN. */
	static const uint8_t send[ROCE_BTH_OCTETS] = {0x04, 0,    0xff, 0xff, 0,    0x12,
						      0x34, 0x56, 0x80, 0xab, 0xcd, 0xef};
	const struct roce_bth bth = {ROCE_RC_SEND_ONLY, true, 0x123456, 0xabcdef};
	uint8_t p[ROCE_BTH_OCTETS], aeth[ROCE_AETH_OCTETS];
	struct roce_bth read;

	(void)state;
	roce_put_bth(p, &bth);
	assert_memory_equal(p, send, sizeof(send));
	read = roce_get_bth(p);
	assert_int_equal(read.opcode, bth.opcode);
	assert_int_equal(read.qp, bth.qp);
	assert_int_equal(read.sequence, bth.sequence);
	assert_true(read.acknowledge);
	p[8] = 0;
	assert_false(roce_get_bth(p).acknowledge);
	roce_put_aeth(aeth, true);
	assert_int_equal(aeth[0], 0x60); /* PSN sequence error */
	assert_true(roce_is_negative(aeth));
	roce_put_aeth(aeth, false);
	assert_int_equal(aeth[0] & 0xe0, 0);
	assert_false(roce_is_negative(aeth));
}

static struct roce_bth packet(uint64_t number, bool acknowledge)
{
	return (struct roce_bth){ROCE_RC_SEND_ONLY, acknowledge, 1, (uint32_t)number & 0xffffff};
}

/* One negative answer for a gap; none for the packets behind it; duplicates are acknowledged. */
static void test_receiver_takes_packets_in_order(void **state)
{
	static const struct {
		uint64_t number;
		bool asks, in_order;
		enum roce_answer answer;
		uint32_t sequence; /* of the answer */
	} steps[] = {{0, false, true, ROCE_SILENT, 0}, {1, true, true, ROCE_ACK, 1},
		     {3, true, false, ROCE_NAK, 2},    {4, true, false, ROCE_SILENT, 0},
		     {2, false, true, ROCE_SILENT, 0}, {4, false, false, ROCE_NAK, 3},
		     {3, true, true, ROCE_ACK, 3},     {1, true, false, ROCE_ACK, 3},
		     {0, false, false, ROCE_SILENT, 0}};
	struct roce_receiver r = {0};

	(void)state;
	for (unsigned i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		struct roce_bth bth = packet(steps[i].number, steps[i].asks);
		uint32_t sequence = UINT32_MAX;
		bool in_order;

		assert_int_equal(roce_received(&r, &bth, &in_order, &sequence), steps[i].answer);
		assert_int_equal(in_order, steps[i].in_order);
		if (steps[i].answer != ROCE_SILENT)
			assert_int_equal(sequence, steps[i].sequence);
	}
	assert_int_equal(r.expected, 4);
}

static void test_sender_goes_back(void **state)
{
	struct roce_sender s;

	(void)state;
	roce_sender_init(&s);
	assert_true(s.expiry.ns == DCB_TIME_NEVER.ns);
	assert_true(roce_asks(&s, false, at(0)));
	for (unsigned i = 0; i < 10; i++)
		roce_sent(&s, i == 0, at(i));
	assert_false(roce_asks(&s, false, at(10)));
	assert_true(roce_asks(&s, true, at(10)));
	assert_true(roce_asks(&s, false, at(ROCE_ACK_NS)));
	assert_int_equal(s.expiry.ns, ROCE_TIMEOUT_NS);
	assert_true(roce_answered(&s, 3, false, at(20)));
	assert_int_equal(s.acked, 4);
	assert_int_equal(s.next, 10);
	assert_int_equal(s.expiry.ns, 20 + ROCE_TIMEOUT_NS);
	assert_false(roce_answered(&s, 3, false, at(21)));  /* again */
	assert_false(roce_answered(&s, 10, false, at(21))); /* of a packet that was not sent */
	assert_true(roce_answered(&s, 6, true, at(30)));
	assert_int_equal(s.acked, 6);
	assert_int_equal(s.next, 6);
	assert_int_equal(s.resent, 0);
	roce_sent(&s, false, at(40));
	assert_int_equal(s.resent, 1);
	/* The answer of packets that were on their way: they need not be sent again. */
	assert_true(roce_answered(&s, 8, false, at(50)));
	assert_int_equal(s.next, 9);
	assert_true(s.expiry.ns == DCB_TIME_NEVER.ns);
	roce_sent(&s, false, at(60));
	roce_advance(&s, at(59 + ROCE_TIMEOUT_NS));
	assert_int_equal(s.next, 10);
	roce_advance(&s, at(60 + ROCE_TIMEOUT_NS));
	assert_int_equal(s.next, 9);
	assert_true(roce_asks(&s, false, at(60 + ROCE_TIMEOUT_NS)));
}

/* Both numbers pass 2^24, where PSNs begin again at 0. */
static void test_sequence_begins_again(void **state)
{
	struct roce_receiver r = {.expected = 0xfffffe};
	struct roce_sender s = {.next = 0xfffffe, .acked = 0xfffffe, .top = 0xfffffe};

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		struct roce_bth bth = packet(s.next, true);
		uint32_t sequence;
		bool in_order;

		roce_sent(&s, true, at(0));
		assert_int_equal(roce_received(&r, &bth, &in_order, &sequence), ROCE_ACK);
		assert_true(in_order);
		assert_true(roce_answered(&s, sequence, false, at(0)));
	}
	assert_int_equal(s.acked, 0x1000002);
	assert_int_equal(r.expected, s.acked);
}

/* All packets arrive, each once and in order, although one in eight is lost, both ways. */
static void test_all_packets_arrive_in_spite_of_losses(void **state)
{
	enum { PACKETS = 20000, DELAY = 16 };
	struct {
		bool data, answer;
		struct roce_bth bth;
		enum roce_answer kind;
		uint32_t sequence;
	} wire[DELAY] = {0};
	struct roce_receiver r = {0};
	struct roce_sender s;
	struct dcb_rng rng;
	uint64_t delivered = 0, steps = 0;

	(void)state;
	dcb_rng_seed(&rng, 39, 3);
	roce_sender_init(&s);
	for (; s.acked < PACKETS && steps < 100 * PACKETS; steps++) {
		struct dcb_time now = at((int64_t)steps * 10 * DCB_NS_PER_US);
		unsigned slot = steps % DELAY;
		bool in_order = false;

		if (wire[slot].answer)
			(void)roce_answered(&s, wire[slot].sequence, wire[slot].kind == ROCE_NAK,
					    now);
		wire[slot].answer = false;
		if (wire[slot].data) {
			wire[slot].kind =
			    roce_received(&r, &wire[slot].bth, &in_order, &wire[slot].sequence);
			wire[slot].answer =
			    wire[slot].kind != ROCE_SILENT && dcb_rng_uniform(&rng, 0, 7);
		}
		delivered += in_order;
		wire[slot].data = false;
		roce_advance(&s, now);
		if (s.next >= PACKETS)
			continue;
		wire[slot].bth = packet(s.next, roce_asks(&s, s.next + 1 == PACKETS, now));
		wire[slot].data = dcb_rng_uniform(&rng, 0, 7);
		roce_sent(&s, wire[slot].bth.acknowledge, now);
	}
	assert_int_equal(s.acked, PACKETS);
	assert_int_equal(delivered, PACKETS);
	assert_int_equal(r.expected, PACKETS);
	assert_true(s.resent > PACKETS / 8);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_headers),
	    cmocka_unit_test(test_receiver_takes_packets_in_order),
	    cmocka_unit_test(test_sender_goes_back),
	    cmocka_unit_test(test_sequence_begins_again),
	    cmocka_unit_test(test_all_packets_arrive_in_spite_of_losses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
