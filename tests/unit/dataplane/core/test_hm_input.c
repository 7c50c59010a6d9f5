/* SPDX-License-Identifier: BSD-3-Clause */
#include "lib/rng.h"
#include "tests/unit/hm_fixture.h"

/* --- wrong PDUs ------------------------------------------------------------------------------ */

/* Returns a copy of all that a wrong PDU must not change. */
static struct hm without_order(void)
{
	struct hm copy = hm;

	copy.silent = copy.unpaired = 0;
	copy.peer_separate = false;
	return copy;
}

static void assert_dropped(struct hmpdu_tuple first, struct hmpdu_tuple second,
			   enum hm_verdict verdict)
{
	struct hm before = without_order(), after;
	uint64_t counted = counters.verdict[verdict];

	assert_int_equal(receive(first, second), verdict);
	after = without_order();
	assert_memory_equal(&after, &before, sizeof(after));
	assert_int_equal(counters.verdict[verdict], counted + 1);
	assert_int_equal(counters.responses_received, 0);
}

static void test_responses_never_asked_for_are_dropped(void **state)
{
	struct hmpdu_tuple never = {.use = HMPDU_REQUEST, .timestamp = 12345}, changed;
	struct hm_frame f;

	(void)state;
	up();
	f = sends(HMPDU_REQUEST, HMPDU_UNUSED);
	assert_dropped(response_to(&never, 0), unused, HM_UNMATCHED);
	assert_dropped(unused, response_to(&never, 0), HM_UNMATCHED);
	never.timestamp = 0; /* of a record without a request */
	assert_dropped(response_to(&never, 0), unused, HM_UNMATCHED);
	never.timestamp = f.pdu.tuple[0].timestamp + 1; /* from the future */
	assert_dropped(response_to(&never, 0), unused, HM_UNMATCHED);
	changed = f.pdu.tuple[0];
	changed.request_adjustment++; /* not reflected unchanged */
	assert_dropped(response_to(&changed, 0), unused, HM_UNMATCHED);
	assert_int_equal(hm_average(&hm), 500);
	is_silent();
}

static void test_replayed_response_is_dropped(void **state)
{
	struct hm_frame f;

	(void)state;
	up();
	f = sends(HMPDU_REQUEST, HMPDU_UNUSED);
	wait_ns(1000 * QUANTUM_NS);
	assert_int_equal(receive(response_to(&f.pdu.tuple[0], 0), unused), HM_ACCEPTED);
	for (unsigned i = 0; i < 3; i++) {
		wait_ns(5000 * QUANTUM_NS);
		assert_int_equal(receive(response_to(&f.pdu.tuple[0], 0), unused), HM_UNMATCHED);
	}
	assert_int_equal(hm_average(&hm), 1000);
	assert_int_equal(result().count, 1);
}

static void test_request_with_a_wrong_response_is_answered(void **state)
{
	struct hmpdu_tuple never = {.use = HMPDU_REQUEST, .timestamp = 12345};

	(void)state;
	up();
	sends(HMPDU_REQUEST, HMPDU_UNUSED);
	assert_int_equal(receive(response_to(&never, 0), request_of(77)), HM_UNMATCHED);
	assert_int_equal(sends(HMPDU_REQUEST, HMPDU_RESPONSE).pdu.tuple[1].timestamp, 77);
}

static void test_implausible_adjustments_are_dropped(void **state)
{
	struct hm_frame f;

	(void)state;
	up();
	f = sends(HMPDU_REQUEST, HMPDU_UNUSED);
	wait_ns(1000 * QUANTUM_NS);
	/* Above the maximum round trip. */
	assert_int_equal(receive(response_to(&f.pdu.tuple[0], INT16_MAX), unused), HM_IMPLAUSIBLE);
	is_silent();
	wait_ns(MAXIMUM_NS);
	f = sends(HMPDU_REQUEST, HMPDU_UNUSED);
	wait_ns(1000 * QUANTUM_NS);
	/* Kept for longer than the response took to arrive. */
	assert_int_equal(receive(response_to(&f.pdu.tuple[0], INT16_MIN), unused), HM_IMPLAUSIBLE);
	wait_ns(MAXIMUM_NS);
	f = sends(HMPDU_REQUEST, HMPDU_UNUSED);
	wait_ns(1000 * QUANTUM_NS);
	/* 1020 kept of 1000: error of the timestamps, below the minimum. */
	assert_int_equal(receive(response_to(&f.pdu.tuple[0], -1020), unused), HM_BOUNDED);
	assert_int_equal(result().last, 10);
	assert_int_equal(result().count, 1);
	assert_int_equal(counters.verdict[HM_IMPLAUSIBLE], 2);
	assert_int_equal(counters.responses_received, 1);
}

static void test_extreme_adjustment_that_is_possible_counts(void **state)
{
	struct hm_frame f;

	(void)state;
	up();
	f = sends(HMPDU_REQUEST, HMPDU_UNUSED);
	wait_ns(33000 * QUANTUM_NS);
	assert_int_equal(receive(response_to(&f.pdu.tuple[0], INT16_MIN), unused), HM_ACCEPTED);
	assert_int_equal(hm_average(&hm), 33000 - 32768);
}

static void test_malformed_combinations_are_dropped(void **state)
{
	struct hm_frame f;

	(void)state;
	up();
	f = sends(HMPDU_REQUEST, HMPDU_UNUSED);
	assert_dropped(request_of(1), request_of(2), HM_MALFORMED);
	assert_dropped(response_to(&f.pdu.tuple[0], 0), response_to(&f.pdu.tuple[0], 0),
		       HM_MALFORMED);
	assert_dropped(response_to(&f.pdu.tuple[0], 0), response_to(&f.pdu.tuple[0], 9),
		       HM_MALFORMED);
	is_silent();
}

static void test_pdu_without_tuples_has_no_effect(void **state)
{
	(void)state;
	up();
	sends(HMPDU_REQUEST, HMPDU_UNUSED);
	for (unsigned i = 0; i < 3; i++)
		assert_dropped(unused, unused, HM_ACCEPTED);
	receive(request_of(1), unused);
	assert_dropped(unused, unused, HM_ACCEPTED);
	sends(HMPDU_RESPONSE, HMPDU_REQUEST);
	is_silent();
	assert_int_equal(counters.lost, 0);
}

static void test_own_pdu_is_dropped(void **state)
{
	struct hm_frame f;
	struct hm before;

	(void)state;
	up();
	f = sends(HMPDU_REQUEST, HMPDU_UNUSED);
	before = hm;
	assert_int_equal(hm_receive(&hm, &f.pdu, HM_VIA_PLAIN, now), HM_LOOPED);
	assert_memory_equal(&hm, &before, sizeof(hm));
	is_silent();
}

static void test_other_paths_are_dropped(void **state)
{
	(void)state;
	up();
	sends(HMPDU_REQUEST, HMPDU_UNUSED);
	for (uint8_t path = HMPDU_PATH_DATA; path <= HMPDU_PATH_PRIVACY; path++) {
		struct hmpdu pdu = pdu_of(request_of(1), unused);
		struct hm before = hm;

		pdu.path = path;
		assert_int_equal(hm_receive(&hm, &pdu, HM_VIA_PLAIN, now), HM_WRONG_PATH);
		assert_memory_equal(&hm, &before, sizeof(hm));
	}
	is_silent();
	assert_int_equal(counters.verdict[HM_WRONG_PATH], 3);
}

static void test_third_pdu_is_dropped(void **state)
{
	struct hm_states states;
	struct hm_frame f;

	(void)state;
	up();
	f = sends(HMPDU_REQUEST, HMPDU_UNUSED);
	assert_int_equal(receive(request_of(1), unused), HM_ACCEPTED);
	assert_int_equal(receive(response_to(&f.pdu.tuple[0], 0), request_of(2)), HM_BOUNDED);
	hm_get_states(&hm, &states);
	assert_int_equal(states.hr, HM_STATE_WAIT);
	assert_int_equal(states.qp, HM_STATE_WAIT);
	assert_int_equal(states.ct, HM_STATE_TRANSMIT);
	for (unsigned i = 0; i < 100000; i++)
		assert_int_equal(receive(request_of(3), unused), HM_BUSY);
	assert_int_equal(counters.verdict[HM_BUSY], 100000);
	f = sends(HMPDU_RESPONSE, HMPDU_REQUEST);
	assert_int_equal(f.pdu.tuple[0].timestamp, 1);
	f = sends(HMPDU_REQUEST, HMPDU_RESPONSE);
	assert_int_equal(f.pdu.tuple[1].timestamp, 2);
	is_silent();
	hm_get_states(&hm, &states);
	assert_int_equal(states.hr, HM_STATE_IDLE);
	assert_int_equal(states.qp, HM_STATE_IDLE);
	assert_int_equal(states.rp, HM_STATE_IDLE);
	assert_int_equal(states.ct, HM_STATE_IDLE);
	assert_int_equal(states.qt, HM_STATE_INIT);
	assert_int_equal(states.rt, HM_STATE_INIT);
}

/* A liar that answers at once or late, with any adjustment, stays within the bounds. */
static void test_liar_stays_within_the_bounds(void **state)
{
	struct dcb_rng rng;

	(void)state;
	dcb_rng_seed(&rng, unit_seed(), 1);
	up();
	for (unsigned i = 0; i < 20000; i++) {
		struct hm_frame f;

		hm_trigger(&hm, HM_TRIGGER_DISCARD, now);
		if (hm_transmit(&hm, now, &f) && f.pdu.tuple[0].use == HMPDU_REQUEST) {
			wait_ns(dcb_rng_uniform(&rng, 0, 2000000000) >>
				dcb_rng_uniform(&rng, 0, 20));
			receive(response_to(&f.pdu.tuple[0], (int16_t)dcb_rng_next(&rng)), unused);
		} else if (hm_deadline(&hm).ns != INT64_MAX) {
			now.ns = hm_deadline(&hm).ns > now.ns ? hm_deadline(&hm).ns : now.ns;
		}
		assert_in_range(hm_average(&hm), 10, MAXIMUM);
		if (result().last)
			assert_in_range(result().last, 10, MAXIMUM);
	}
	assert_true(counters.responses_received > 1000);
}

static void test_states_before_and_after_up(void **state)
{
	struct hm_states s, init = {HM_STATE_INIT, HM_STATE_INIT, HM_STATE_INIT,
				    HM_STATE_INIT, HM_STATE_INIT, HM_STATE_INIT};

	(void)state;
	hm_get_states(&hm, &s);
	assert_memory_equal(&s, &init, sizeof(s));
	assert_true(hm_set_oper(&hm, true, HM_VIA_PLAIN, HM_VIA_MACSEC, now));
	hm_get_states(&hm, &s);
	assert_int_equal(s.ct, HM_STATE_INIT);
	assert_int_equal(s.qt, HM_STATE_IDLE);
	assert_int_equal(s.rt, HM_STATE_IDLE);
}

static void test_texts(void **state)
{
	(void)state;
	for (int i = 0; i < HM_VERDICTS; i++)
		assert_true(strlen(hm_verdict_text((enum hm_verdict)i)) > 5);
	assert_string_equal(hm_verdict_text(HM_VERDICTS), "unknown");
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    TEST(test_responses_never_asked_for_are_dropped),
	    TEST(test_replayed_response_is_dropped),
	    TEST(test_request_with_a_wrong_response_is_answered),
	    TEST(test_implausible_adjustments_are_dropped),
	    TEST(test_extreme_adjustment_that_is_possible_counts),
	    TEST(test_malformed_combinations_are_dropped),
	    TEST(test_pdu_without_tuples_has_no_effect),
	    TEST(test_own_pdu_is_dropped),
	    TEST(test_other_paths_are_dropped),
	    TEST(test_third_pdu_is_dropped),
	    TEST(test_liar_stays_within_the_bounds),
	    TEST(test_states_before_and_after_up),
	    TEST(test_texts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
