/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/hm_fixture.h"

/* --- quanta ---------------------------------------------------------------------------------- */

static void test_quanta_are_rounded_to_the_nearest(void **state)
{
	(void)state;
	assert_int_equal(hm_ns_to_quanta(rate, 512), 1);
	assert_int_equal(hm_ns_to_quanta(rate, 255), 0);
	assert_int_equal(hm_ns_to_quanta(rate, 256), 1);
	assert_int_equal(hm_ns_to_quanta(rate, -256), -1);
	assert_int_equal(hm_ns_to_quanta(rate, -255), 0);
	assert_int_equal(hm_ns_to_quanta(dcb_rate_from_mbps(800000), 16), 25);
	assert_int_equal(hm_ns_to_quanta(dcb_rate_from_mbps(100), 5120), 1);
	assert_int_equal(hm_ns_to_quanta(dcb_rate_from_mbps(25000), 1000000), 48828);
	assert_int_equal(hm_ns_to_quanta((struct dcb_rate){0}, 512), 0);
	assert_int_equal(hm_quanta_to_ns(rate, 3), 1536);
	assert_int_equal(hm_quanta_to_ns(dcb_rate_from_mbps(800000), 25), 16);
	assert_int_equal(hm_quanta_to_ns(dcb_rate_from_mbps(100), UINT32_MAX),
			 INT64_C(21990232550400));
}

static void test_quanta_saturate(void **state)
{
	const struct dcb_rate fast = {UINT64_C(10000000000000)};

	(void)state;
	assert_int_equal(hm_ns_to_quanta(fast, INT64_MAX), INT32_MAX);
	assert_int_equal(hm_ns_to_quanta(fast, -INT64_MAX), INT32_MIN);
	assert_int_equal(hm_ns_to_quanta(rate, INT64_MAX), INT32_MAX);
	assert_true(hm_quanta_to_ns(fast, UINT32_MAX) > 0);
}

/* --- requests and their pace --------------------------------------------------------------- */

static void test_begin_has_no_effect_until_up(void **state)
{
	(void)state;
	is_silent();
	assert_int_equal(hm_deadline(&hm).ns, INT64_MAX);
	assert_int_equal(hm_average(&hm), 500);
	assert_false(result().measured);
	assert_int_equal(receive(request_of(1), unused), HM_WRONG_PATH);
	is_silent();
}

static void test_initial_value_is_within_the_bounds(void **state)
{
	struct hm_settings s = defaults();

	(void)state;
	s.initial = 0;
	configure(s);
	assert_int_equal(hm_average(&hm), 10);
	s.initial = UINT32_MAX;
	configure(s);
	assert_int_equal(hm_average(&hm), MAXIMUM);
}

static void test_settings_are_checked(void **state)
{
	struct hm_settings s = defaults();

	(void)state;
	assert_true(hm_settings_check(&s));
	s.minimum = s.maximum;
	assert_true(hm_settings_check(&s));
	s.minimum++;
	assert_false(hm_settings_check(&s));
	s.minimum = 0;
	assert_false(hm_settings_check(&s));
}

static void test_link_up_sends_one_request(void **state)
{
	struct hm_frame f;

	(void)state;
	up();
	assert_true(hm.measure);
	f = sends(HMPDU_REQUEST, HMPDU_UNUSED);
	assert_int_equal(f.pdu.path, HMPDU_PATH_PLAIN);
	assert_int_equal(f.pdu.reserved, 0);
	assert_int_equal(f.via, HM_VIA_PLAIN);
	is_silent();
	up(); /* again, no effect */
	is_silent();
	assert_int_equal(counters.requests_sent, 1);
	assert_int_equal(counters.pdus_sent, 1);
	assert_int_equal(counters.responses_sent, 0);
}

static void test_no_request_sooner_than_the_maximum_round_trip(void **state)
{
	(void)state;
	up();
	sends(HMPDU_REQUEST, HMPDU_UNUSED);
	assert_int_equal(hm_deadline(&hm).ns, now.ns + MAXIMUM_NS);
	wait_ns(MAXIMUM_NS - 1);
	is_silent();
	hm_trigger(&hm, HM_TRIGGER_DISCARD, now);
	is_silent();
	wait_ns(1);
	sends(HMPDU_REQUEST, HMPDU_UNUSED);
	is_silent();
	assert_int_equal(counters.timeouts, 1);
}

static void test_short_maximum_does_not_make_requests_frequent(void **state)
{
	struct hm_settings s = defaults();

	(void)state;
	s.minimum = s.maximum = 1;
	hm_configure(&hm, &s, dcb_rate_from_mbps(10000000), now);
	up();
	sends(HMPDU_REQUEST, HMPDU_UNUSED);
	assert_int_equal(hm_deadline(&hm).ns, now.ns + HM_REPEAT_MIN_NS);
}

static void test_silent_peer_is_asked_less_and_less_often(void **state)
{
	int64_t before = now.ns, pause = 0;
	unsigned sent = 0;

	(void)state;
	up();
	while (now.ns < before + 60 * DCB_NS_PER_S) {
		int64_t next;

		sends(HMPDU_REQUEST, HMPDU_UNUSED);
		sent++;
		next = hm_deadline(&hm).ns - now.ns;
		assert_true(next >= pause && next >= MAXIMUM_NS && next <= HM_SILENT_MAX_NS);
		pause = next;
		now = hm_deadline(&hm);
	}
	assert_int_equal(pause, HM_SILENT_MAX_NS);
	assert_true(sent < 75);
	assert_true(hm.measure);
	/* Any PDU of the peer: asked at the first pace again. */
	receive(request_of(1), unused);
	sends(HMPDU_RESPONSE, HMPDU_REQUEST);
	assert_int_equal(hm_deadline(&hm).ns, now.ns + MAXIMUM_NS);
}

static void test_maximum_above_a_second_is_the_longest_pause(void **state)
{
	struct hm_settings s = defaults();

	(void)state;
	s.maximum = INT32_MAX;
	configure(s);
	up();
	for (unsigned i = 0; i < 12; i++) {
		sends(HMPDU_REQUEST, HMPDU_UNUSED);
		assert_int_equal(hm_deadline(&hm).ns - now.ns, (int64_t)INT32_MAX * QUANTUM_NS);
		now = hm_deadline(&hm);
	}
}

static void test_two_responses_end_the_measurement(void **state)
{
	(void)state;
	up();
	assert_int_equal(round_trip(100 * QUANTUM_NS), HM_ACCEPTED);
	assert_int_equal(hm_average(&hm), 100);
	assert_true(hm.measure);
	assert_int_equal(round_trip(102 * QUANTUM_NS), HM_ACCEPTED);
	assert_false(hm.measure);
	assert_int_equal(hm_average(&hm), 101);
	is_silent();
	assert_int_equal(hm_deadline(&hm).ns, INT64_MAX);
	assert_int_equal(counters.requests_sent, 2);
	assert_int_equal(counters.responses_received, 2);
	assert_int_equal(counters.verdict[HM_ACCEPTED], 2);
}

static void test_round_trips_that_differ_prolong_the_measurement(void **state)
{
	(void)state;
	up();
	for (unsigned i = 0; i < HM_ROUND_MAX; i++) {
		assert_true(hm.measure);
		round_trip((1000 + 100 * (int64_t)i) * QUANTUM_NS);
	}
	assert_false(hm.measure);
}

static void test_round_trips_agree_within_8_quanta_of_their_average(void **state)
{
	(void)state;
	up();
	round_trip(100 * QUANTUM_NS);
	round_trip(118 * QUANTUM_NS); /* 9 from the average */
	assert_true(hm.measure);
	setup(state);
	up();
	round_trip(100 * QUANTUM_NS);
	round_trip(116 * QUANTUM_NS);
	assert_false(hm.measure);
	/* Two of three are near the average, but the last two are not. */
	setup(state);
	up();
	round_trip(100 * QUANTUM_NS);
	round_trip(5000 * QUANTUM_NS);
	round_trip(100 * QUANTUM_NS);
	assert_true(hm.measure);
	round_trip(100 * QUANTUM_NS);
	assert_false(hm.measure);
	assert_int_equal(hm_average(&hm), 100);
}

static void test_one_request_at_a_time_if_the_peer_sends_responses_alone(void **state)
{
	struct hm_frame first, second, third;

	(void)state;
	up();
	first = sends(HMPDU_REQUEST, HMPDU_UNUSED);
	receive(request_of(1), unused);
	second = sends(HMPDU_RESPONSE, HMPDU_REQUEST);
	wait_ns(1000 * QUANTUM_NS);
	/* The second request is on its way: its response prompts the next. */
	receive(response_to(&first.pdu.tuple[0], 0), unused);
	is_silent();
	wait_ns(2000 * QUANTUM_NS);
	receive(response_to(&second.pdu.tuple[1], 0), unused);
	third = sends(HMPDU_REQUEST, HMPDU_UNUSED);
	receive(request_of(2), unused);
	sends(HMPDU_RESPONSE, HMPDU_UNUSED);
	is_silent();
	/* A response together with a request: two at a time again. */
	receive(response_to(&third.pdu.tuple[0], 0), request_of(3));
	sends(HMPDU_REQUEST, HMPDU_RESPONSE);
	receive(request_of(4), unused);
	sends(HMPDU_RESPONSE, HMPDU_REQUEST);
	is_silent();
}

static void test_late_response_prompts_nothing_while_a_request_is_open(void **state)
{
	for (unsigned separate = 0; separate < 2; separate++) {
		struct hm_settings s = defaults();
		struct hm_frame f;

		setup(state);
		s.separate = separate;
		configure(s);
		up();
		f = sends(HMPDU_REQUEST, HMPDU_UNUSED);
		wait_ns(MAXIMUM_NS);
		sends(HMPDU_REQUEST, HMPDU_UNUSED);
		assert_int_equal(receive(response_to(&f.pdu.tuple[0], 0), unused), HM_ACCEPTED);
		assert_true(hm_deadline(&hm).ns <= now.ns); /* prompt is set */
		is_silent();
		assert_int_equal(hm_deadline(&hm).ns, now.ns + MAXIMUM_NS);
	}
}

static void test_two_requests_without_a_response_repeat_the_own(void **state)
{
	struct hm_settings s = defaults();

	(void)state;
	s.separate = true;
	configure(s);
	up();
	sends(HMPDU_REQUEST, HMPDU_UNUSED);
	receive(request_of(1), unused);
	sends(HMPDU_RESPONSE, HMPDU_UNUSED);
	is_silent();
	receive(request_of(2), unused);
	sends(HMPDU_RESPONSE, HMPDU_UNUSED);
	sends(HMPDU_REQUEST, HMPDU_UNUSED);
	is_silent();
	assert_int_equal(counters.lost, 1);
	/* The count starts anew. */
	receive(request_of(3), unused);
	sends(HMPDU_RESPONSE, HMPDU_UNUSED);
	is_silent();
	/* A response between them. */
	receive(response_to(&(struct hmpdu_tuple){.use = HMPDU_REQUEST, .timestamp = 5}, 0),
		unused);
	receive(request_of(4), unused);
	sends(HMPDU_RESPONSE, HMPDU_UNUSED);
	is_silent();
	assert_int_equal(counters.lost, 1);
}

static void test_two_requests_after_the_measurement_repeat_nothing(void **state)
{
	(void)state;
	up();
	measure(100);
	for (uint32_t i = 0; i < 5; i++) {
		receive(request_of(i), unused);
		sends(HMPDU_RESPONSE, HMPDU_UNUSED);
		is_silent();
	}
	assert_int_equal(counters.lost, 0);
	assert_int_equal(counters.requests_sent, 2);
}

/* --- responses ------------------------------------------------------------------------------ */

static void test_answer_only_answers_every_request(void **state)
{
	struct hm_settings s = defaults();
	struct hm_frame f;

	(void)state;
	s.measure = false;
	configure(s);
	up();
	is_silent();
	assert_int_equal(hm_deadline(&hm).ns, INT64_MAX);
	hm_trigger(&hm, HM_TRIGGER_MANAGEMENT, now);
	for (uint32_t i = 0; i < 20; i++) {
		receive(request_of(i), unused);
		f = sends(HMPDU_RESPONSE, HMPDU_UNUSED);
		assert_int_equal(f.pdu.tuple[0].timestamp, i);
		assert_int_equal(f.pdu.tuple[0].request_adjustment, -7);
		is_silent();
	}
	assert_int_equal(counters.requests_sent, 0);
	assert_int_equal(counters.responses_sent, 20);
	assert_int_equal(counters.requests_received, 20);
}

static void test_response_reflects_bits_and_keeps_its_tuple(void **state)
{
	struct hmpdu pdu = pdu_of(unused, request_of(0xfedcba98));
	struct hm_frame f;

	(void)state;
	up();
	sends(HMPDU_REQUEST, HMPDU_UNUSED);
	pdu.reserved = 3;
	assert_int_equal(hm_receive(&hm, &pdu, HM_VIA_PLAIN, now), HM_ACCEPTED);
	f = sends(HMPDU_REQUEST, HMPDU_RESPONSE);
	assert_int_equal(f.pdu.tuple[1].timestamp, 0xfedcba98);
	assert_int_equal(f.pdu.tuple[1].request_adjustment, -7);
	assert_int_equal(f.pdu.reserved, 3);
	assert_int_equal(f.pdu.path, HMPDU_PATH_PLAIN);
}

static void test_response_adjustment_is_the_halt_minus_the_delay(void **state)
{
	struct hm_settings s = defaults();
	struct hm_frame f;

	(void)state;
	s.measure = false;
	s.halt_ns = 100 * QUANTUM_NS;
	s.transmit_ns = 20 * QUANTUM_NS;
	s.receive_ns = 10 * QUANTUM_NS;
	configure(s);
	up();
	/* Kept for 300 quanta and 30 outside the timestamps: 230 later than the halt. */
	receive(request_of(1), unused);
	wait_ns(300 * QUANTUM_NS);
	f = sends(HMPDU_RESPONSE_ADJUSTED, HMPDU_UNUSED);
	assert_int_equal(f.pdu.tuple[0].response_adjustment, -230);
	/* Earlier than the halt: NOTE 3 of 36.9.4. */
	receive(request_of(2), unused);
	f = sends(HMPDU_RESPONSE_ADJUSTED, HMPDU_UNUSED);
	assert_int_equal(f.pdu.tuple[0].response_adjustment, 70);
	/* 4 or less are left out: 36.9.6. */
	receive(request_of(3), unused);
	wait_ns(74 * QUANTUM_NS);
	sends(HMPDU_RESPONSE, HMPDU_UNUSED);
	/* A reception time after now: as if just received. */
	now.ns += 1000000;
	receive(request_of(4), unused);
	now.ns -= 1000000;
	f = sends(HMPDU_RESPONSE_ADJUSTED, HMPDU_UNUSED);
	assert_int_equal(f.pdu.tuple[0].response_adjustment, 100);
	assert_int_equal(counters.saturated, 0);
}

static void test_adjustments_saturate(void **state)
{
	struct hm_settings s = defaults();
	struct hm_frame f;

	(void)state;
	s.halt_ns = 1000000000;
	s.initiate_ns = 1000000000;
	configure(s);
	up();
	f = sends(HMPDU_REQUEST, HMPDU_UNUSED);
	assert_int_equal(f.pdu.tuple[0].request_adjustment, INT16_MAX);
	assert_int_equal(counters.saturated, 1);
	receive(request_of(2), unused);
	wait_ns(3 * DCB_NS_PER_S);
	f = sends(HMPDU_RESPONSE_ADJUSTED, HMPDU_REQUEST);
	assert_int_equal(f.pdu.tuple[0].response_adjustment, INT16_MIN);
	assert_int_equal(counters.saturated, 3);
}

/* --- results -------------------------------------------------------------------------------- */

static void test_result_is_delay_plus_both_adjustments(void **state)
{
	struct hm_settings s = defaults();
	struct hm_frame f;

	(void)state;
	s.initiate_ns = 30 * QUANTUM_NS;
	s.transmit_ns = 7 * QUANTUM_NS;
	s.receive_ns = 5 * QUANTUM_NS;
	configure(s);
	up();
	f = sends(HMPDU_REQUEST, HMPDU_UNUSED);
	assert_int_equal(f.pdu.tuple[0].request_adjustment, 30);
	wait_ns(1000 * QUANTUM_NS);
	assert_int_equal(receive(response_to(&f.pdu.tuple[0], -200), unused), HM_ACCEPTED);
	assert_int_equal(hm_average(&hm), 1000 - 7 - 5 + 30 - 200);
	f = sends(HMPDU_REQUEST, HMPDU_UNUSED);
	wait_ns(500 * QUANTUM_NS);
	assert_int_equal(receive(response_to(&f.pdu.tuple[0], 300), unused), HM_ACCEPTED);
	assert_int_equal(result().last, 500 - 7 - 5 + 30 + 300);
}

static void test_bounds_are_substituted_and_counted(void **state)
{
	(void)state;
	up();
	assert_int_equal(round_trip(5 * QUANTUM_NS), HM_BOUNDED);
	assert_int_equal(hm_average(&hm), 10);
	assert_int_equal(counters.below, 1);
	/* Late, and after the request was repeated: the bound counts (decision 1). */
	{
		struct hm_frame f = sends(HMPDU_REQUEST, HMPDU_UNUSED);

		wait_ns(MAXIMUM_NS + QUANTUM_NS);
		sends(HMPDU_REQUEST, HMPDU_UNUSED);
		assert_int_equal(receive(response_to(&f.pdu.tuple[0], 0), unused), HM_BOUNDED);
	}
	assert_int_equal(result().last, MAXIMUM);
	assert_int_equal(counters.above, 1);
	assert_int_equal(counters.verdict[HM_BOUNDED], 2);
	assert_int_equal(counters.responses_received, 2);
}

static void test_bounds_themselves_are_inside(void **state)
{
	(void)state;
	up();
	assert_int_equal(round_trip(10 * QUANTUM_NS), HM_ACCEPTED);
	assert_int_equal(round_trip(MAXIMUM_NS), HM_ACCEPTED);
	assert_int_equal(counters.below + counters.above, 0);
}

static void test_filter_and_statistics(void **state)
{
	static const uint32_t quanta[] = {100, 300, 900, 500, 700, 1100, 1300, 1500, 100};
	struct hm_result r;

	(void)state;
	up();
	round_trip(100 * QUANTUM_NS);
	round_trip(201 * QUANTUM_NS);
	assert_int_equal(hm_average(&hm), 151); /* of two the mean */
	setup(state);
	up();
	for (unsigned i = 0; i < 3; i++)
		round_trip(quanta[i] * (int64_t)QUANTUM_NS);
	assert_int_equal(hm_average(&hm), 300); /* of three the median */
	for (unsigned i = 3; i < 8; i++)
		round_trip(quanta[i] * (int64_t)QUANTUM_NS);
	r = result(); /* 100 300 | 500 700 900 1100 | 1300 1500 */
	assert_int_equal(r.average, 800);
	assert_int_equal(r.minimum, 100);
	assert_int_equal(r.median, 800);
	assert_int_equal(r.maximum, 1500);
	assert_int_equal(r.last, 1500);
	assert_int_equal(r.count, 8);
	assert_int_equal(r.since.ns, now.ns);
	assert_true(r.measured);
	round_trip(quanta[8] * (int64_t)QUANTUM_NS); /* the oldest leaves */
	r = result();
	assert_int_equal(r.minimum, 100);
	assert_int_equal(r.last, 100);
	assert_int_equal(r.count, 9);
	assert_int_equal(r.average, 800);
}

/* n round trips that agree, at each possible place in the ring, and one that does not. */
static void test_one_outlier_moves_the_average_by_less_than_1_of_n(void **state)
{
	(void)state;
	for (unsigned n = 1; n <= 3 * HM_SAMPLES; n++) {
		for (unsigned direction = 0; direction < 2; direction++) {
			uint32_t before, moved, outlier = direction ? MAXIMUM : 10, distance;

			setup(state);
			up();
			for (unsigned i = 0; i < n; i++) {
				hm_trigger(&hm, HM_TRIGGER_MANAGEMENT, now);
				wait_ns(HM_PAUSE_MIN_NS);
				round_trip((1000 + (i % 3) * 4) * (int64_t)QUANTUM_NS);
			}
			before = hm_average(&hm);
			hm_trigger(&hm, HM_TRIGGER_MANAGEMENT, now);
			wait_ns(HM_PAUSE_MIN_NS);
			round_trip(outlier * (int64_t)QUANTUM_NS);
			assert_int_equal(result().last, outlier);
			moved = (uint32_t)abs((int)hm_average(&hm) - (int)before);
			distance = (uint32_t)abs((int)outlier - (int)before);
			assert_true(moved * n < distance);
			if (n >= 2)
				assert_true(moved <= 8);
		}
	}
}

static void test_changed_link_replaces_the_average_within_one_measurement(void **state)
{
	(void)state;
	up();
	for (unsigned i = 0; i < 10; i++) {
		measure(1000);
		wait_ns(HM_PAUSE_MIN_NS);
		hm_trigger(&hm, HM_TRIGGER_DISCARD, now);
	}
	measure(3000);
	assert_int_equal(hm_average(&hm), 3000);
	/* 36.9.6 d): a changed result is measured again, and confirmed. */
	assert_true(hm_deadline(&hm).ns >= now.ns);
	assert_true(hm_deadline(&hm).ns <= now.ns + 2 * HM_PAUSE_MIN_NS);
	now = hm_deadline(&hm);
	measure(3000);
	assert_int_equal(hm_deadline(&hm).ns, INT64_MAX);
}

static void test_pause_doubles_while_the_result_changes(void **state)
{
	int64_t pause = 0;

	(void)state;
	up();
	measure(1000);
	wait_ns(HM_PAUSE_MIN_NS);
	hm_trigger(&hm, HM_TRIGGER_MANAGEMENT, now);
	for (uint32_t i = 0; i < 12; i++) {
		struct dcb_time began = now;

		measure(2000 + 1000 * i);
		assert_true(hm_deadline(&hm).ns - began.ns >= pause);
		pause = hm_deadline(&hm).ns - began.ns;
		assert_true(pause <= HM_PAUSE_MAX_NS);
		now = hm_deadline(&hm);
	}
	assert_int_equal(pause, HM_PAUSE_MAX_NS);
	measure(2000 + 1000 * 11);
	assert_int_equal(hm_deadline(&hm).ns, INT64_MAX);
}

/* --- triggers: 36.9.6 ------------------------------------------------------------------------- */

static void test_triggers_start_a_measurement(void **state)
{
	static const enum hm_trigger trigger[] = {HM_TRIGGER_CONNECTIVITY, HM_TRIGGER_DISCARD,
						  HM_TRIGGER_CHANGED, HM_TRIGGER_MANAGEMENT};

	(void)state;
	hm_trigger(&hm, HM_TRIGGER_MANAGEMENT, now); /* the link is down */
	is_silent();
	up();
	measure(1000);
	for (unsigned i = 0; i < UNIT_COUNT(trigger); i++) {
		wait_ns(HM_PAUSE_MIN_NS);
		hm_trigger(&hm, trigger[i], now);
		measure(1000);
		assert_int_equal(counters.rounds, i + 2);
	}
	assert_int_equal(result().count, 10);
	assert_int_equal(counters.timeouts, 0);
}

static void test_many_discards_start_one_measurement_a_second(void **state)
{
	int64_t start = now.ns;

	(void)state;
	up();
	measure(1000);
	while (now.ns < start + 10 * DCB_NS_PER_S) {
		for (unsigned i = 0; i < 100; i++)
			hm_trigger(&hm, HM_TRIGGER_DISCARD, now);
		if (hm.measure || hm_deadline(&hm).ns <= now.ns)
			measure(1000);
		wait_ns(DCB_NS_PER_MS);
	}
	assert_in_range(counters.rounds, 9, 11);
}

static void test_connectivity_loss_keeps_the_result_until_two_agree(void **state)
{
	(void)state;
	up();
	measure(1000);
	wait_ns(HM_PAUSE_MIN_NS);
	hm_trigger(&hm, HM_TRIGGER_CONNECTIVITY, now);
	round_trip(5000 * QUANTUM_NS);
	assert_int_equal(hm_average(&hm), 1000);
	round_trip(5000 * QUANTUM_NS);
	assert_int_equal(hm_average(&hm), 5000);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    TEST(test_quanta_are_rounded_to_the_nearest),
	    TEST(test_quanta_saturate),
	    TEST(test_begin_has_no_effect_until_up),
	    TEST(test_initial_value_is_within_the_bounds),
	    TEST(test_settings_are_checked),
	    TEST(test_link_up_sends_one_request),
	    TEST(test_no_request_sooner_than_the_maximum_round_trip),
	    TEST(test_short_maximum_does_not_make_requests_frequent),
	    TEST(test_silent_peer_is_asked_less_and_less_often),
	    TEST(test_maximum_above_a_second_is_the_longest_pause),
	    TEST(test_two_responses_end_the_measurement),
	    TEST(test_round_trips_that_differ_prolong_the_measurement),
	    TEST(test_round_trips_agree_within_8_quanta_of_their_average),
	    TEST(test_one_request_at_a_time_if_the_peer_sends_responses_alone),
	    TEST(test_late_response_prompts_nothing_while_a_request_is_open),
	    TEST(test_two_requests_without_a_response_repeat_the_own),
	    TEST(test_two_requests_after_the_measurement_repeat_nothing),
	    TEST(test_answer_only_answers_every_request),
	    TEST(test_response_reflects_bits_and_keeps_its_tuple),
	    TEST(test_response_adjustment_is_the_halt_minus_the_delay),
	    TEST(test_adjustments_saturate),
	    TEST(test_result_is_delay_plus_both_adjustments),
	    TEST(test_bounds_are_substituted_and_counted),
	    TEST(test_bounds_themselves_are_inside),
	    TEST(test_filter_and_statistics),
	    TEST(test_one_outlier_moves_the_average_by_less_than_1_of_n),
	    TEST(test_changed_link_replaces_the_average_within_one_measurement),
	    TEST(test_pause_doubles_while_the_result_changes),
	    TEST(test_triggers_start_a_measurement),
	    TEST(test_many_discards_start_one_measurement_a_second),
	    TEST(test_connectivity_loss_keeps_the_result_until_two_agree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
