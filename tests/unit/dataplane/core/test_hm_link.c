/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/hm_fixture.h"

/* --- link, path, rate, restart --------------------------------------------------------------- */

static void test_result_is_kept_over_flaps(void **state)
{
	(void)state;
	up();
	measure(1000);
	for (unsigned i = 0; i < 5; i++) {
		down();
		is_silent();
		assert_int_equal(hm_average(&hm), 1000);
		wait_ns(50 * DCB_NS_PER_MS);
		up();
		assert_int_equal(hm_average(&hm), 1000);
		round_trip((int64_t)(i % 2 ? 12 : 9000) * QUANTUM_NS); /* unrepresentative */
		assert_int_equal(hm_average(&hm), 1000);
		measure(1000);
		assert_int_equal(hm_average(&hm), 1000);
	}
	assert_int_equal(counters.resets, 0);
}

static void test_three_round_trips_replace_the_prior_result_though_they_differ(void **state)
{
	(void)state;
	up();
	measure(1000);
	down();
	up();
	round_trip(3000 * QUANTUM_NS);
	round_trip(5000 * QUANTUM_NS);
	assert_int_equal(hm_average(&hm), 1000);
	round_trip(4000 * QUANTUM_NS);
	assert_int_equal(hm_average(&hm), 4000);
}

static void test_flap_forgets_requests_and_pending_pdus(void **state)
{
	struct hm_frame f;

	(void)state;
	up();
	f = sends(HMPDU_REQUEST, HMPDU_UNUSED);
	receive(request_of(1), unused);
	receive(request_of(2), unused);
	down();
	is_silent();
	up();
	sends(HMPDU_REQUEST, HMPDU_UNUSED);
	is_silent();
	assert_int_equal(receive(response_to(&f.pdu.tuple[0], 0), unused), HM_UNMATCHED);
}

static void test_restored_result_is_in_force_until_measured(void **state)
{
	(void)state;
	hm_restore(&hm, HMPDU_PATH_PLAIN, 1234, 0);
	assert_int_equal(hm_average(&hm), 500);
	hm_restore(&hm, HMPDU_PATH_PLAIN, 1234, 17);
	assert_int_equal(hm_average(&hm), 1234);
	assert_true(result().measured);
	hm_restore(&hm, HMPDU_PATH_PLAIN, 4321, 17); /* not twice */
	up();
	assert_int_equal(hm_average(&hm), 1234);
	round_trip(1000 * QUANTUM_NS);
	assert_int_equal(hm_average(&hm), 1234);
	measure(1000);
	assert_int_equal(hm_average(&hm), 1000);
	assert_int_equal(result().count, 19);
}

static void test_restored_result_of_another_path_is_dropped(void **state)
{
	(void)state;
	hm_restore(&hm, HMPDU_PATH_BOTH, 1234, 17);
	assert_int_equal(hm_average(&hm), 1234);
	up();
	assert_int_equal(hm_average(&hm), 500);
	assert_int_equal(result().count, 0);
	assert_int_equal(counters.resets, 1);
}

static void test_restored_result_of_the_same_path_is_kept(void **state)
{
	static const enum hm_via pair[][2] = {{HM_VIA_PLAIN, HM_VIA_PLAIN},
					      {HM_VIA_PLAIN, HM_VIA_MACSEC},
					      {HM_VIA_MACSEC, HM_VIA_MACSEC},
					      {HM_VIA_PRIVACY, HM_VIA_PRIVACY}};

	for (unsigned i = 0; i < UNIT_COUNT(pair); i++) {
		for (unsigned k = 0; k < UNIT_COUNT(pair); k++) {
			setup(state);
			hm_restore(&hm, (enum hmpdu_path)i, 1234, 1);
			assert_true(hm_set_oper(&hm, true, pair[k][0], pair[k][1], now));
			assert_int_equal(hm_average(&hm), i == k ? 1234 : 500);
		}
	}
	setup(state);
	hm_restore(&hm, (enum hmpdu_path)4, 1234, 1);
	assert_int_equal(hm_average(&hm), 500);
	up();
	hm_restore(&hm, HMPDU_PATH_PLAIN, 1234, 1); /* too late */
	assert_int_equal(hm_average(&hm), 500);
}

static void test_restored_result_is_within_the_bounds(void **state)
{
	(void)state;
	hm_restore(&hm, HMPDU_PATH_PLAIN, UINT32_MAX, 1);
	assert_int_equal(hm_average(&hm), MAXIMUM);
}

static void test_path_change_drops_the_result_and_measures_again(void **state)
{
	struct hmpdu old = pdu_of(request_of(1), unused);
	struct hm_frame f;

	(void)state;
	up();
	f = sends(HMPDU_REQUEST, HMPDU_UNUSED);
	wait_ns(1000 * QUANTUM_NS);
	receive(response_to(&f.pdu.tuple[0], 0), request_of(9));
	assert_int_equal(hm_average(&hm), 1000);
	/* MACsec becomes operational: 36.9.7. */
	assert_true(hm_set_oper(&hm, true, HM_VIA_MACSEC, HM_VIA_MACSEC, now));
	assert_int_equal(hm_average(&hm), 500);
	assert_int_equal(counters.resets, 1);
	f = sends(HMPDU_REQUEST, HMPDU_UNUSED); /* no answer for the old path */
	assert_int_equal(f.pdu.path, HMPDU_PATH_BOTH);
	assert_int_equal(f.via, HM_VIA_MACSEC);
	is_silent();
	assert_int_equal(hm_receive(&hm, &old, HM_VIA_PLAIN, now), HM_WRONG_PATH);
	assert_int_equal(hm_receive(&hm, &old, HM_VIA_MACSEC, now), HM_WRONG_PATH);
	old.path = HMPDU_PATH_BOTH;
	assert_int_equal(hm_receive(&hm, &old, HM_VIA_PLAIN, now), HM_WRONG_PATH);
	assert_int_equal(hm_receive(&hm, &old, HM_VIA_MACSEC, now), HM_ACCEPTED);
	f = sends(HMPDU_RESPONSE, HMPDU_REQUEST);
	assert_int_equal(f.via, HM_VIA_MACSEC);
	assert_int_equal(counters.verdict[HM_WRONG_PATH], 3);
}

static void test_change_of_one_interface_is_a_path_change(void **state)
{
	(void)state;
	up();
	measure(1000);
	assert_true(hm_set_oper(&hm, true, HM_VIA_PLAIN, HM_VIA_MACSEC, now));
	assert_int_equal(hm_average(&hm), 500);
	assert_int_equal(sends(HMPDU_REQUEST, HMPDU_UNUSED).pdu.path, HMPDU_PATH_DATA);
}

/* One received response at any instant, until the request that it prompts is sent: 36.10. */
static void test_second_response_is_dropped_with_two_interfaces(void **state)
{
	struct hm_frame first, second;
	struct hmpdu pdu;

	(void)state;
	assert_true(hm_set_oper(&hm, true, HM_VIA_PLAIN, HM_VIA_MACSEC, now));
	first = sends(HMPDU_REQUEST, HMPDU_UNUSED);
	wait_ns(MAXIMUM_NS);
	second = sends(HMPDU_REQUEST, HMPDU_UNUSED);
	pdu = pdu_of(response_to(&first.pdu.tuple[0], 0), unused);
	pdu.path = HMPDU_PATH_DATA;
	assert_int_equal(hm_receive(&hm, &pdu, HM_VIA_MACSEC, now), HM_ACCEPTED);
	pdu.tuple[0] = response_to(&second.pdu.tuple[0], 0);
	assert_int_equal(hm_receive(&hm, &pdu, HM_VIA_MACSEC, now), HM_BUSY);
	is_silent();
	wait_ns(1000 * QUANTUM_NS);
	assert_int_equal(hm_receive(&hm, &pdu, HM_VIA_MACSEC, now), HM_ACCEPTED);
}

static void test_two_interfaces_use_separate_pdus(void **state)
{
	struct hmpdu pdu = pdu_of(request_of(1), unused);
	struct hm_frame f, own_request;

	(void)state;
	assert_true(hm_set_oper(&hm, true, HM_VIA_PLAIN, HM_VIA_MACSEC, now));
	own_request = sends(HMPDU_REQUEST, HMPDU_UNUSED);
	assert_int_equal(own_request.pdu.path, HMPDU_PATH_DATA);
	assert_int_equal(own_request.via, HM_VIA_PLAIN);
	pdu.path = HMPDU_PATH_DATA;
	pdu.reserved = 2;
	assert_int_equal(hm_receive(&hm, &pdu, HM_VIA_MACSEC, now), HM_WRONG_PATH);
	assert_int_equal(hm_receive(&hm, &pdu, HM_VIA_PLAIN, now), HM_ACCEPTED);
	/* One request at any instant: 36.10. */
	assert_int_equal(hm_receive(&hm, &pdu, HM_VIA_PLAIN, now), HM_BUSY);
	f = sends(HMPDU_RESPONSE, HMPDU_UNUSED);
	assert_int_equal(f.via, HM_VIA_MACSEC);
	assert_int_equal(f.pdu.path, HMPDU_PATH_DATA);
	assert_int_equal(f.pdu.reserved, 2);
	is_silent();
	wait_ns(100 * QUANTUM_NS);
	pdu = pdu_of(response_to(&own_request.pdu.tuple[0], 0), request_of(2));
	pdu.path = HMPDU_PATH_DATA;
	assert_int_equal(hm_receive(&hm, &pdu, HM_VIA_MACSEC, now), HM_MALFORMED);
	pdu.tuple[1] = unused;
	assert_int_equal(hm_receive(&hm, &pdu, HM_VIA_PLAIN, now), HM_WRONG_PATH);
	assert_int_equal(hm_receive(&hm, &pdu, HM_VIA_MACSEC, now), HM_ACCEPTED);
	assert_int_equal(hm_average(&hm), 100);
	f = sends(HMPDU_REQUEST, HMPDU_UNUSED);
	assert_int_equal(f.via, HM_VIA_PLAIN);
	is_silent();
}

/* Path 3: both in the Express Privacy Channel, so a request rides with a response. */
static void test_privacy_channel_has_requests_and_responses(void **state)
{
	struct hmpdu pdu = pdu_of(request_of(7), unused);
	struct hm_frame f;

	(void)state;
	up();
	measure(1000);
	assert_true(hm_set_oper(&hm, true, HM_VIA_PRIVACY, HM_VIA_PRIVACY, now));
	assert_int_equal(hm_average(&hm), 500); /* that of the former path is dropped */
	f = sends(HMPDU_REQUEST, HMPDU_UNUSED);
	assert_int_equal(f.pdu.path, HMPDU_PATH_PRIVACY);
	assert_int_equal(f.via, HM_VIA_PRIVACY);
	/* Outside of the channel, or of another path: 36.9.7. */
	pdu.path = HMPDU_PATH_PRIVACY;
	assert_int_equal(hm_receive(&hm, &pdu, HM_VIA_MACSEC, now), HM_WRONG_PATH);
	assert_int_equal(hm_receive(&hm, &pdu, HM_VIA_PLAIN, now), HM_WRONG_PATH);
	pdu.path = HMPDU_PATH_BOTH;
	assert_int_equal(hm_receive(&hm, &pdu, HM_VIA_PRIVACY, now), HM_WRONG_PATH);
	wait_ns(300 * QUANTUM_NS);
	pdu = pdu_of(response_to(&f.pdu.tuple[0], 0), request_of(7));
	pdu.path = HMPDU_PATH_PRIVACY;
	assert_int_equal(hm_receive(&hm, &pdu, HM_VIA_PRIVACY, now), HM_ACCEPTED);
	assert_int_equal(hm_average(&hm), 300);
	f = sends(HMPDU_REQUEST, HMPDU_RESPONSE);
	assert_int_equal(f.pdu.path, HMPDU_PATH_PRIVACY);
	assert_int_equal(f.via, HM_VIA_PRIVACY);
	assert_int_equal(f.pdu.tuple[1].timestamp, 7);
	is_silent();
}

static void test_pair_of_paths_without_a_code_is_down(void **state)
{
	(void)state;
	assert_int_equal(hm_path_code(HM_VIA_PLAIN, HM_VIA_PLAIN), HMPDU_PATH_PLAIN);
	assert_int_equal(hm_path_code(HM_VIA_PLAIN, HM_VIA_MACSEC), HMPDU_PATH_DATA);
	assert_int_equal(hm_path_code(HM_VIA_MACSEC, HM_VIA_MACSEC), HMPDU_PATH_BOTH);
	assert_int_equal(hm_path_code(HM_VIA_PRIVACY, HM_VIA_PRIVACY), HMPDU_PATH_PRIVACY);
	assert_int_equal(hm_path_code(HM_VIA_MACSEC, HM_VIA_PLAIN), -1);
	up();
	assert_false(hm_set_oper(&hm, true, HM_VIA_MACSEC, HM_VIA_PLAIN, now));
	is_silent();
	assert_false(hm.hm_oper_up);
}

static void test_new_rate_drops_the_result_and_measures_again(void **state)
{
	struct hm_settings s = defaults();

	(void)state;
	up();
	measure(1000);
	hm_configure(&hm, &s, (struct dcb_rate){0}, now); /* not known for a moment */
	assert_int_equal(hm_average(&hm), 1000);
	is_silent();
	hm_configure(&hm, &s, dcb_rate_from_mbps(10000), now);
	assert_int_equal(hm_average(&hm), 500);
	assert_int_equal(round_trip(100000), HM_ACCEPTED);
	assert_int_equal(hm_average(&hm), 1953);
}

static void test_unknown_rate_answers_and_does_not_measure(void **state)
{
	struct hm_settings s = defaults();

	(void)state;
	hm_init(&hm, &s, (struct dcb_rate){0}, &counters);
	up();
	is_silent();
	receive(request_of(1), unused);
	wait_ns(1000000);
	sends(HMPDU_RESPONSE, HMPDU_UNUSED);
	is_silent();
	hm_configure(&hm, &s, rate, now);
	measure(1000);
	assert_int_equal(hm_average(&hm), 1000);
	assert_int_equal(counters.resets, 0);
}

static void test_settings_in_force_at_once(void **state)
{
	struct hm_settings s = defaults();

	(void)state;
	up();
	measure(1000);
	s.maximum = 900;
	configure(s);
	assert_int_equal(hm_average(&hm), 900);
	is_silent();
	s.maximum = MAXIMUM;
	s.measure = false;
	configure(s);
	hm_trigger(&hm, HM_TRIGGER_MANAGEMENT, now);
	wait_ns(HM_PAUSE_MIN_NS);
	is_silent();
	assert_int_equal(hm_average(&hm), 1000);
	s.measure = true;
	configure(s);
	sends(HMPDU_REQUEST, HMPDU_UNUSED);
	s.measure = false;
	configure(s);
	is_silent();
	assert_int_equal(hm_deadline(&hm).ns, INT64_MAX);
	s.measure = true;
	configure(s);
	measure(1000);
	/* Other round trips: measures again. */
	s.initiate_ns = 5 * QUANTUM_NS;
	configure(s);
	measure(1000);
	assert_int_equal(hm_average(&hm), 1005);
	s.transmit_ns = 20 * QUANTUM_NS;
	configure(s);
	measure(1000);
	assert_int_equal(hm_average(&hm), 985);
	s.receive_ns = 40 * QUANTUM_NS;
	configure(s);
	measure(1000);
	assert_int_equal(hm_average(&hm), 945);
}

/* --- transmission times ---------------------------------------------------------------------- */

static void test_real_transmission_time_corrects_the_round_trip(void **state)
{
	struct hm_frame f;

	(void)state;
	up();
	f = sends(HMPDU_REQUEST, HMPDU_UNUSED);
	hm_sent(&hm, &f, dcb_time_add_ns(now, 300 * QUANTUM_NS));
	hm_sent(&hm, &f, dcb_time_add_ns(now, 300 * QUANTUM_NS)); /* twice */
	wait_ns(1000 * QUANTUM_NS);
	receive(response_to(&f.pdu.tuple[0], 0), unused);
	assert_int_equal(result().last, 700);
	/* Of the next request it never comes: the delay is expected to be the same. */
	f = sends(HMPDU_REQUEST, HMPDU_UNUSED);
	wait_ns(1000 * QUANTUM_NS);
	receive(response_to(&f.pdu.tuple[0], 0), unused);
	assert_int_equal(result().last, 700);
	/* After the response: no effect on its result. */
	hm_sent(&hm, &f, dcb_time_add_ns(f.at, 300 * QUANTUM_NS));
	assert_int_equal(result().last, 700);
	assert_int_equal(hm_average(&hm), 700);
}

static void test_each_remembered_request_is_corrected(void **state)
{
	(void)state;
	up();
	for (unsigned i = 0; i < 3 * HM_REQUESTS; i++) {
		struct hm_frame f;
		int64_t lag = (int64_t)(i * 50) * QUANTUM_NS;

		hm_trigger(&hm, HM_TRIGGER_MANAGEMENT, now);
		wait_ns(HM_PAUSE_MIN_NS);
		f = sends(HMPDU_REQUEST, HMPDU_UNUSED);
		hm_sent(&hm, &f, dcb_time_add_ns(now, lag));
		wait_ns(2000 * QUANTUM_NS);
		receive(response_to(&f.pdu.tuple[0], 0), unused);
		assert_int_equal(result().last, 2000 - 50 * i);
	}
}

static void test_expected_delay_is_in_the_response_adjustment(void **state)
{
	struct hm_settings s = defaults();
	struct hm_frame f;

	(void)state;
	s.measure = false;
	configure(s);
	up();
	receive(request_of(1), unused);
	f = sends(HMPDU_RESPONSE, HMPDU_UNUSED);
	hm_sent(&hm, &f, dcb_time_add_ns(now, 100 * QUANTUM_NS));
	receive(request_of(2), unused);
	wait_ns(50 * QUANTUM_NS);
	f = sends(HMPDU_RESPONSE_ADJUSTED, HMPDU_UNUSED);
	assert_int_equal(f.pdu.tuple[0].response_adjustment, -150);
}

/* Measured between two interfaces of a machine: each third frame is the first after a pause. */
static void test_first_frame_after_a_pause_does_not_raise_the_expected_delay(void **state)
{
	static const int64_t lag[] = {13700, 1742, 2193, 12689, 2413, 1402, 19389, 1502, 1252};
	struct hm_settings s = defaults();

	(void)state;
	s.measure = false;
	configure(s);
	up();
	for (uint32_t i = 0; i < UNIT_COUNT(lag); i++) {
		struct hm_frame f;

		receive(request_of(i), unused);
		wait_ns(100 * QUANTUM_NS);
		f = sends(HMPDU_RESPONSE_ADJUSTED, HMPDU_UNUSED);
		if (i > 1)
			assert_in_range(-f.pdu.tuple[0].response_adjustment, 102, 105);
		hm_sent(&hm, &f, dcb_time_add_ns(now, lag[i]));
	}
}

static void test_impossible_transmission_times_are_ignored(void **state)
{
	static const int64_t lag[] = {-DCB_NS_PER_S, -HM_TIMESTAMP_ERROR_NS - 1, HM_LAG_MAX_NS + 1,
				      INT64_C(1) << 61, -(INT64_C(1) << 61)};
	struct hm_frame f;

	(void)state;
	up();
	f = sends(HMPDU_REQUEST, HMPDU_UNUSED);
	for (unsigned i = 0; i < UNIT_COUNT(lag); i++)
		hm_sent(&hm, &f, dcb_time_add_ns(now, lag[i]));
	/* Before hm_transmit() by the error of the timestamps: at hm_transmit(). */
	hm_sent(&hm, &f, dcb_time_add_ns(now, -HM_TIMESTAMP_ERROR_NS));
	wait_ns(1000 * QUANTUM_NS);
	receive(response_to(&f.pdu.tuple[0], 0), unused);
	assert_int_equal(result().last, 1000);
}

static void test_timestamp_wraps(void **state)
{
	static const int64_t start[] = {0, INT64_C(1) << 31, INT64_C(1) << 32, INT64_C(1) << 33,
					INT64_C(1) << 62};

	for (unsigned i = 0; i < UNIT_COUNT(start); i++) {
		for (int64_t before = 0; before < 3000; before += 500) {
			setup(state);
			now.ns = start[i] - before * QUANTUM_NS;
			if (now.ns < 0)
				continue;
			up();
			measure(1000);
			assert_int_equal(hm_average(&hm), 1000);
			assert_int_equal(counters.responses_received, 2);
		}
	}
}

static void test_timestamps_are_unique(void **state)
{
	uint32_t timestamp[HM_REQUESTS];

	(void)state;
	up();
	for (unsigned i = 0; i < HM_REQUESTS; i++) {
		timestamp[i] = sends(HMPDU_REQUEST, HMPDU_UNUSED).pdu.tuple[0].timestamp;
		for (unsigned k = 0; k < i; k++)
			assert_int_not_equal(timestamp[i], timestamp[k]);
		/* Two requests lost at the same time. */
		receive(request_of(1), unused);
		receive(request_of(2), unused);
		{
			struct hm_frame out;

			while (hm_transmit(&hm, now, &out))
				;
		}
		now.ns += INT64_C(1) << 32; /* the same low 32 bits, request due */
	}
}

/* 40000 quanta: the response waits for 7233, so that the rest fits. The request waits with it. */
static void test_long_halt_delays_the_response(void **state)
{
	for (unsigned separate = 0; separate < 2; separate++) {
		struct hm_settings s = defaults();
		struct hm_frame f;

		setup(state);
		s.halt_ns = 40000 * QUANTUM_NS;
		s.separate = separate;
		configure(s);
		up();
		f = sends(HMPDU_REQUEST, HMPDU_UNUSED);
		wait_ns(100 * QUANTUM_NS);
		receive(request_of(1), unused);
		is_silent();
		assert_int_equal(hm_deadline(&hm).ns, now.ns + 7233 * QUANTUM_NS);
		wait_ns(7000 * QUANTUM_NS);
		assert_int_equal(receive(response_to(&f.pdu.tuple[0], 0), unused), HM_ACCEPTED);
		is_silent();
		assert_int_equal(hm_deadline(&hm).ns, now.ns + 233 * QUANTUM_NS);
		wait_ns(233 * QUANTUM_NS - 1);
		is_silent();
		wait_ns(1);
		f = sends(HMPDU_RESPONSE_ADJUSTED, separate ? HMPDU_UNUSED : HMPDU_REQUEST);
		assert_int_equal(f.pdu.tuple[0].response_adjustment, INT16_MAX);
		if (separate)
			sends(HMPDU_REQUEST, HMPDU_UNUSED);
		assert_int_equal(counters.saturated, 0);
		assert_int_equal(counters.verdict[HM_BUSY], 0);
		/* A shorter halt takes effect at once. */
		receive(request_of(2), unused);
		is_silent();
		s.halt_ns = 100 * QUANTUM_NS;
		configure(s);
		f = sends(HMPDU_RESPONSE_ADJUSTED, HMPDU_UNUSED);
		assert_int_equal(f.pdu.tuple[0].response_adjustment, 100);
	}
}

/* Both ends need 40000 quanta to halt, on a link of 1000: each measures 42000. */
static void test_measurement_of_a_long_halt(void **state)
{
	struct hm_settings s = defaults();

	(void)state;
	s.halt_ns = 40000 * QUANTUM_NS;
	s.maximum = 100000;
	configure(s);
	up();
	for (unsigned i = 0; i < HM_ROUND_MIN; i++) {
		struct hm_frame f =
		    sends(HMPDU_REQUEST, i ? HMPDU_RESPONSE_ADJUSTED : HMPDU_UNUSED);

		/* To the peer, which keeps it for 7233 quanta, and back with its own request. */
		wait_ns((1000 + 7233 + 1000) * QUANTUM_NS);
		assert_int_equal(
		    receive(response_to(&f.pdu.tuple[0], INT16_MAX), request_of(i + 1)),
		    HM_ACCEPTED);
		is_silent();
		wait_ns(7233 * QUANTUM_NS);
	}
	assert_int_equal(hm_average(&hm), 42000);
	assert_false(hm.measure);
	assert_int_equal(counters.timeouts + counters.lost + counters.saturated, 0);
}

/* Exchanges PDUs of hm and far, without a delay of the link, until far has a result. */
static void exchange(struct hm *far)
{
	struct hm_frame f;

	for (unsigned i = 0; i < 200 && far->count == 0; i++) {
		int64_t next;

		while (hm_transmit(far, now, &f))
			hm_receive(&hm, &f.pdu, (enum hm_via)f.via, now);
		while (hm_transmit(&hm, now, &f))
			hm_receive(far, &f.pdu, (enum hm_via)f.via, now);
		next = dcb_time_min(hm_deadline(&hm), hm_deadline(far)).ns;
		if (next > now.ns)
			now.ns = next;
	}
}

/* 200 ms at 10 Gb/s: the response waits for 20 ms, so that the peer still knows its request. */
static void test_peer_has_a_result_whatever_the_halt(void **state)
{
	static const struct dcb_rate fast = {UINT64_C(10000000000)};
	struct hm_settings s = defaults(), of_far = defaults();
	struct hm_counters far_counters = {0};
	struct hm far;

	(void)state;
	s.measure = false;
	s.halt_ns = 200 * DCB_NS_PER_MS;
	s.maximum = of_far.maximum = (uint32_t)hm_ns_to_quanta(fast, 20 * DCB_NS_PER_MS);
	memcpy(of_far.address, peer, sizeof(peer));
	hm_configure(&hm, &s, fast, now);
	hm_init(&far, &of_far, fast, &far_counters);
	up();
	assert_true(hm_set_oper(&far, true, HM_VIA_PLAIN, HM_VIA_PLAIN, now));
	exchange(&far);
	assert_int_equal(far.count, 1);
	assert_int_equal(hm_average(&far), of_far.maximum);
	assert_int_equal(counters.saturated, 1);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    TEST(test_result_is_kept_over_flaps),
	    TEST(test_three_round_trips_replace_the_prior_result_though_they_differ),
	    TEST(test_flap_forgets_requests_and_pending_pdus),
	    TEST(test_restored_result_is_in_force_until_measured),
	    TEST(test_restored_result_of_another_path_is_dropped),
	    TEST(test_restored_result_of_the_same_path_is_kept),
	    TEST(test_restored_result_is_within_the_bounds),
	    TEST(test_path_change_drops_the_result_and_measures_again),
	    TEST(test_change_of_one_interface_is_a_path_change),
	    TEST(test_second_response_is_dropped_with_two_interfaces),
	    TEST(test_two_interfaces_use_separate_pdus),
	    TEST(test_privacy_channel_has_requests_and_responses),
	    TEST(test_pair_of_paths_without_a_code_is_down),
	    TEST(test_new_rate_drops_the_result_and_measures_again),
	    TEST(test_unknown_rate_answers_and_does_not_measure),
	    TEST(test_settings_in_force_at_once),
	    TEST(test_real_transmission_time_corrects_the_round_trip),
	    TEST(test_each_remembered_request_is_corrected),
	    TEST(test_expected_delay_is_in_the_response_adjustment),
	    TEST(test_first_frame_after_a_pause_does_not_raise_the_expected_delay),
	    TEST(test_impossible_transmission_times_are_ignored),
	    TEST(test_timestamp_wraps),
	    TEST(test_timestamps_are_unique),
	    TEST(test_long_halt_delays_the_response),
	    TEST(test_measurement_of_a_long_halt),
	    TEST(test_peer_has_a_result_whatever_the_halt),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
