/* SPDX-License-Identifier: BSD-3-Clause */
/* MACsec of a port: the SAs of its keys, and the packet numbers that are used and reserved. */
#include "dataplane/macsec/port_macsec.h"
#include "tests/unit/macsec_pair.h"

/* The port's end of a link with keys for AN 1 and 3. */
static void make_params(struct port_macsec_params *p, uint64_t sci, uint64_t peer, unsigned suite)
{
	*p = (struct port_macsec_params){
	    .name = "eth0", .mode = PFC_MACSEC_ALL, .peer_sci = peer, .transmit_an = 1};
	secy_config_init(&p->secy, sci);
	p->secy.suite = (uint8_t)suite;
	p->secy.tx_scs = 2;
	p->secy.always_include_sci = true;
	for (unsigned channel = 0; channel < 2; channel++) {
		p->ssci[sci < peer][channel] = 1 + channel;
		p->ssci[sci > peer][channel] = 3 + channel;
	}
	for (unsigned an = 1; an < SECTAG_ANS; an += 2) {
		p->sak[an] = pair_sak(suite, an);
		p->numbers[an] = (struct port_macsec_numbers){1, 1000, {1, 1}};
	}
}

static void start(struct port_macsec *m, const struct port_macsec_params *p)
{
	assert_int_equal(port_macsec_init(m, p), SECY_OK);
}

/* Sends a frame in a channel from one end to the other. Returns whether it arrives. */
static bool passes(struct port_macsec *from, struct port_macsec *to, unsigned channel)
{
	struct pair_frame frame;
	struct secy_frame got;
	bool valid;

	pair_plain(&frame, 100, 1);
	if (secy_protect(&from->secy, channel, frame.at.octets, frame.at.len, frame.room,
			 &frame.at) != SECY_TX_SEND)
		return false;
	return secy_validate(&to->secy, frame.at.octets, frame.at.len, &got, &valid) ==
		   SECY_RX_DELIVER &&
	       valid;
}

static void test_both_channels_of_both_ends_work_with_each_suite(void **state)
{
	(void)state;
	for (unsigned suite = 0; suite < MACSEC_SUITES; suite++) {
		struct port_macsec_params p, q;
		struct port_macsec left, right;

		make_params(&p, PAIR_LEFT, PAIR_RIGHT, suite);
		make_params(&q, PAIR_RIGHT, PAIR_LEFT, suite);
		start(&left, &p);
		start(&right, &q);
		for (unsigned channel = 0; channel < 2; channel++) {
			assert_true(passes(&left, &right, channel));
			assert_true(passes(&right, &left, channel));
		}
		assert_int_equal(left.secy.tx[1].encoding_sa, 1);
		port_macsec_free(&left);
		port_macsec_free(&right);
	}
}

/* After a restart with the numbers of before, no frame is late, and no number is used again. */
static void test_numbers_continue_after_a_restart(void **state)
{
	struct port_macsec_numbers numbers, again;
	struct port_macsec_params p, q;
	struct port_macsec left, right;

	(void)state;
	make_params(&p, PAIR_LEFT, PAIR_RIGHT, MACSEC_GCM_AES_128);
	make_params(&q, PAIR_RIGHT, PAIR_LEFT, MACSEC_GCM_AES_128);
	start(&left, &p);
	start(&right, &q);
	for (unsigned i = 0; i < 5; i++)
		assert_true(passes(&left, &right, 0));
	assert_true(passes(&left, &right, 1));
	assert_true(passes(&right, &left, 0));
	port_macsec_numbers(&left, 1, &numbers);
	assert_int_equal(numbers.next, 6);
	assert_int_equal(numbers.last, 1000);
	assert_int_equal(numbers.lowest[0], 2);
	assert_int_equal(numbers.lowest[1], 1);
	port_macsec_free(&left);

	make_params(&p, PAIR_LEFT, PAIR_RIGHT, MACSEC_GCM_AES_128);
	p.numbers[1] = numbers;
	start(&left, &p);
	port_macsec_numbers(&left, 1, &again);
	assert_memory_equal(&again, &numbers, sizeof(numbers));
	assert_int_equal(left.secy.tx[1].sa[1].next_pn, 6);
	assert_true(passes(&left, &right, 0));
	assert_true(passes(&left, &right, 1));
	assert_true(passes(&right, &left, 0));
	port_macsec_free(&left);
	port_macsec_free(&right);
}

static void test_used_up_key_is_replaced_at_the_start(void **state)
{
	static const uint64_t used[] = {UINT64_C(1) << 32, 0};

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		unsigned suite = i == 0 ? MACSEC_GCM_AES_256 : MACSEC_GCM_AES_XPN_256;
		struct port_macsec_numbers numbers;
		struct port_macsec_params p;
		struct port_macsec m;

		make_params(&p, PAIR_LEFT, PAIR_RIGHT, suite);
		p.numbers[1].next = used[i];
		p.numbers[1].last = i == 0 ? UINT32_MAX : UINT64_MAX;
		start(&m, &p);
		assert_int_equal(m.secy.tx[0].encoding_sa, 3);
		assert_int_equal(m.secy.tx[1].encoding_sa, 3);
		assert_true(secy_operational(&m.secy));
		port_macsec_numbers(&m, 1, &numbers);
		assert_int_equal(numbers.next, used[i]);
		port_macsec_free(&m);

		make_params(&p, PAIR_LEFT, PAIR_RIGHT, suite);
		for (unsigned an = 1; an < SECTAG_ANS; an += 2) {
			p.numbers[an].next = used[i];
			p.numbers[an].last = i == 0 ? UINT32_MAX : UINT64_MAX;
		}
		start(&m, &p);
		assert_int_equal(port_macsec_last_pn(&m), p.numbers[1].last);
		assert_false(secy_operational(&m.secy));
		port_macsec_free(&m);
	}
}

/* Window 0, the last number of 32 bits has arrived: no number of the key is acceptable any more. */
static void test_key_that_the_peer_has_used_up_is_no_error_at_the_start(void **state)
{
	struct port_macsec_numbers numbers;
	struct port_macsec_params p, q;
	struct port_macsec left, right;

	(void)state;
	make_params(&p, PAIR_LEFT, PAIR_RIGHT, MACSEC_GCM_AES_128);
	make_params(&q, PAIR_RIGHT, PAIR_LEFT, MACSEC_GCM_AES_128);
	q.numbers[1] = (struct port_macsec_numbers){UINT32_MAX, UINT32_MAX, {1, 1}};
	start(&left, &p);
	start(&right, &q);
	assert_true(passes(&right, &left, 0));
	port_macsec_numbers(&left, 1, &numbers);
	assert_int_equal(numbers.lowest[0], UINT64_C(1) << 32);
	port_macsec_free(&left);
	port_macsec_free(&right);

	make_params(&p, PAIR_LEFT, PAIR_RIGHT, MACSEC_GCM_AES_128);
	make_params(&q, PAIR_RIGHT, PAIR_LEFT, MACSEC_GCM_AES_128);
	p.numbers[1] = numbers;
	q.numbers[1] = (struct port_macsec_numbers){UINT32_MAX, UINT32_MAX, {1, 1}};
	start(&left, &p);
	start(&right, &q);
	assert_false(passes(&right, &left, 0));
	assert_int_equal(left.secy.rx[0].stats.late_pkts, 1);
	assert_true(passes(&right, &left, 1));
	port_macsec_numbers(&left, 1, &numbers);
	assert_int_equal(numbers.lowest[0], UINT64_C(1) << 32);
	port_macsec_free(&left);
	port_macsec_free(&right);
}

static void test_reservation_is_for_both_channels(void **state)
{
	struct port_macsec_params p;
	struct port_macsec m;

	(void)state;
	make_params(&p, PAIR_LEFT, PAIR_RIGHT, MACSEC_GCM_AES_128);
	start(&m, &p);
	port_macsec_reserve(&m, 3, 5000);
	assert_int_equal(m.secy.tx[0].sa[3].limit, 1000);
	port_macsec_extend(&m);
	assert_int_equal(m.secy.tx[0].sa[3].limit, 5000);
	assert_int_equal(m.secy.tx[1].sa[3].limit, 5000);
	assert_int_equal(m.secy.tx[0].sa[1].limit, 1000);
	port_macsec_free(&m);
}

/* --- delay of the SecY ------------------------------------------------------------------------ */

static struct dcb_time test_time;

static struct dcb_time test_clock(void)
{
	return test_time;
}

static void take_delay(struct port_macsec *m, enum port_macsec_direction direction, uint32_t octets,
		       int64_t ns)
{
	struct dcb_time began = test_time;

	test_time.ns += ns;
	port_macsec_measured(m, direction, octets, began);
}

/* As many in a row as count. */
static void take_delays(struct port_macsec *m, enum port_macsec_direction direction,
			uint32_t octets, int64_t ns)
{
	for (unsigned i = 0; i < PORT_MACSEC_IN_A_ROW; i++)
		take_delay(m, direction, octets, ns);
}

static void test_each_256th_frame_is_measured_if_there_is_a_clock(void **state)
{
	struct port_macsec m = {.mode = PFC_MACSEC_ALL};

	(void)state;
	for (unsigned i = 1; i <= 1000; i++)
		assert_false(port_macsec_samples(&m, PORT_MACSEC_TX));
	m.clock = test_clock;
	for (unsigned i = 1; i <= 1024; i++) {
		assert_int_equal(port_macsec_samples(&m, PORT_MACSEC_TX), i % 256 == 0);
		if (i % 2)
			assert_int_equal(port_macsec_samples(&m, PORT_MACSEC_RX),
					 (i + 1) / 2 % 256 == 0);
	}
}

static void test_delay_counts_when_four_in_a_row_have_it(void **state)
{
	struct port_macsec m = {.clock = test_clock};

	(void)state;
	for (unsigned i = 1; i < PORT_MACSEC_IN_A_ROW; i++)
		take_delay(&m, PORT_MACSEC_TX, 1500, 800);
	assert_int_equal(m.stats.delay_ns, 0);
	take_delay(&m, PORT_MACSEC_TX, 1500, 1600);
	assert_int_equal(m.stats.delay_ns, 900);
	/* The thread was suspended in three of four. */
	for (unsigned i = 1; i < PORT_MACSEC_IN_A_ROW; i++)
		take_delay(&m, PORT_MACSEC_TX, 1500, 50000000);
	assert_int_equal(m.stats.delay_ns, 1800);
	take_delay(&m, PORT_MACSEC_TX, 1500, 800);
	assert_int_equal(m.stats.delay_ns, 1800);
	/* Within an eighth. */
	take_delays(&m, PORT_MACSEC_TX, 1500, 1800);
	assert_int_equal(m.stats.delay_ns, 1800);
	take_delays(&m, PORT_MACSEC_TX, 1500, 2400);
	assert_int_equal(m.stats.delay_ns, 2700);
}

/* Long frames take longer: short ones between them do not hide it. */
static void test_short_and_long_frames_and_directions_are_separate(void **state)
{
	struct port_macsec m = {.clock = test_clock};

	(void)state;
	for (unsigned i = 0; i < PORT_MACSEC_IN_A_ROW; i++) {
		take_delay(&m, PORT_MACSEC_RX, PORT_MACSEC_LONG_OCTETS, 4000);
		take_delay(&m, PORT_MACSEC_RX, PORT_MACSEC_LONG_OCTETS - 1, 400);
		take_delay(&m, PORT_MACSEC_TX, PORT_MACSEC_LONG_OCTETS, 800);
	}
	assert_int_equal(m.stats.delay_ns, 4500);
}

static void test_delay_is_limited(void **state)
{
	struct port_macsec m = {.clock = test_clock};

	(void)state;
	/* The clock stood still, and one that takes more than a second. */
	take_delays(&m, PORT_MACSEC_TX, 60, 0);
	assert_int_equal(m.stats.delay_ns, 1);
	take_delays(&m, PORT_MACSEC_TX, 60, INT64_C(9000000000));
	assert_int_equal(m.stats.delay_ns, PFC_HEADROOM_DELAY_MAX_NS);
}

static void test_delays_are_forgotten(void **state)
{
	struct port_macsec m = {.clock = test_clock};

	(void)state;
	take_delays(&m, PORT_MACSEC_TX, 60, 50000000);
	assert_int_equal(m.stats.delay_ns, 56250000);
	port_macsec_forget_delays(&m);
	assert_int_equal(m.stats.delay_ns, 0);
	for (unsigned i = 1; i < PORT_MACSEC_IN_A_ROW; i++)
		take_delay(&m, PORT_MACSEC_TX, 60, 800);
	assert_int_equal(m.stats.delay_ns, 0);
	take_delay(&m, PORT_MACSEC_TX, 60, 800);
	assert_int_equal(m.stats.delay_ns, 900);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_both_channels_of_both_ends_work_with_each_suite),
	    cmocka_unit_test(test_numbers_continue_after_a_restart),
	    cmocka_unit_test(test_used_up_key_is_replaced_at_the_start),
	    cmocka_unit_test(test_key_that_the_peer_has_used_up_is_no_error_at_the_start),
	    cmocka_unit_test(test_reservation_is_for_both_channels),
	    cmocka_unit_test(test_each_256th_frame_is_measured_if_there_is_a_clock),
	    cmocka_unit_test(test_delay_counts_when_four_in_a_row_have_it),
	    cmocka_unit_test(test_short_and_long_frames_and_directions_are_separate),
	    cmocka_unit_test(test_delay_is_limited),
	    cmocka_unit_test(test_delays_are_forgotten),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
