/* SPDX-License-Identifier: BSD-3-Clause */
/* The result of headroom measurement that a port hands over, and those of a time before. */
#include "tests/unit/dataplane/port/hm_lab.h"
#include "tests/unit/world.h"

static void test_result_stays_while_the_link_is_down(void **state)
{
	struct lab *l = *state;
	struct port_set *s = &l->w.bridge.ports;
	struct pfc_measure_stats before, after;

	put_in_force(l, PFC_MEASURE_ALWAYS);
	converse(l, 0, DELAY_NS);
	before = stats_of(l, 0);
	port_set_port_down(s, l->w.ports[0], l->w.now);
	after = stats_of(l, 0);
	assert_false(after.oper_up);
	assert_int_equal(after.average, before.average);
	assert_int_equal(after.result, before.result);
	advance(l, 2 * DCB_NS_PER_S);
	port_set_port_up(s, l->w.ports[0], l->w.now);
	assert_int_equal(stats_of(l, 0).average, before.average);
	assert_true(converse(l, 0, 10 * DELAY_NS) >= HM_ROUND_MIN);
	assert_in_range(stats_of(l, 0).average, 999, 1001);
}

static void test_result_that_finds_no_room_is_handed_over_later(void **state)
{
	struct lab *l = *state;

	l->full = true;
	put_in_force(l, PFC_MEASURE_ALWAYS);
	converse(l, 0, DELAY_NS);
	assert_int_equal(stats_of(l, 0).result, 0);
	l->full = false;
	advance(l, DCB_NS_PER_MS);
	world_turn(&l->w);
	assert_int_equal(l->handed_over, 1);
	assert_true(stats_of(l, 0).result >= stats_of(l, 0).average);
}

static void test_initial_value_is_the_first_result(void **state)
{
	struct lab *l = *state;

	l->w.port_config.pfc_measure.initial = 4000;
	put_in_force(l, PFC_MEASURE_ALWAYS);
	assert_int_equal(stats_of(l, 0).result, 4000);
	put_in_force(l, PFC_MEASURE_OFF);
	advance(l, 2 * DCB_NS_PER_S);
	world_turn(&l->w);
	assert_int_equal(stats_of(l, 0).result, 0);
}

/* --- the result of a time before a restart --------------------------------------------- */

/* Makes the port one that is just created, with this record of an earlier one. */
static void create_again(struct lab *l, uint64_t bps, enum hmpdu_path path)
{
	l->w.port_config.pfc_measured = (struct pfc_measured){
	    .rate = {bps}, .average = 1234, .count = 17, .path = (uint8_t)path};
	l->w.ports[0]->hm.engine = (struct hm){0};
}

static void assert_result(const struct lab *l, uint64_t result, uint64_t average, uint64_t count)
{
	const struct pfc_measure_stats is = stats_of(l, 0);

	assert_int_equal(is.result, result);
	assert_int_equal(is.average, average);
	assert_int_equal(is.count, count);
	assert_int_equal(is.measured, count != 0);
}

static void test_former_result_is_in_force_at_once(void **state)
{
	struct lab *l = *state;

	create_again(l, 10 * UINT64_C(1000000000), HMPDU_PATH_PLAIN);
	put_in_force(l, PFC_MEASURE_ALWAYS);
	assert_result(l, 1240, 1234, 17);
	assert_int_equal(stats_of(l, 0).rate_bps, 10 * UINT64_C(1000000000));
	assert_int_equal(l->handed_over, 1);
	assert_true(converse(l, 0, DELAY_NS) >= HM_ROUND_MIN);
	assert_in_range(stats_of(l, 0).average, 99, 101);
	assert_true(stats_of(l, 0).count >= 17 + HM_ROUND_MIN);
	/* It is not restored again. */
	put_in_force(l, PFC_MEASURE_ALWAYS);
	assert_in_range(stats_of(l, 0).average, 99, 101);
}

static void test_former_result_of_another_path_is_dropped(void **state)
{
	struct lab *l = *state;

	l->w.port_config.pfc_measure.initial = 400;
	create_again(l, 10 * UINT64_C(1000000000), HMPDU_PATH_BOTH);
	put_in_force(l, PFC_MEASURE_ALWAYS);
	assert_result(l, 400, 400, 0);
	assert_int_equal(stats_of(l, 0).hm.resets, 1);
}

/* A link that is down has no speed: the record waits until it is up. */
static void test_former_result_waits_for_its_rate(void **state)
{
	struct port_set *s;
	struct lab *l = *state;

	s = &l->w.bridge.ports;
	port_set_port_down(s, l->w.ports[0], l->w.now);
	create_again(l, 25 * UINT64_C(1000000000), HMPDU_PATH_PLAIN);
	put_in_force(l, PFC_MEASURE_ALWAYS);
	assert_result(l, 0, 1, 0);
	l->w.ports[0]->base.settings.rate = dcb_rate_from_mbps(25000);
	port_set_port_up(s, l->w.ports[0], l->w.now);
	assert_result(l, 1240, 1234, 17);
	assert_int_equal(stats_of(l, 0).rate_bps, 25 * UINT64_C(1000000000));
}

static void test_former_result_of_another_rate_is_not_used(void **state)
{
	struct lab *l = *state;

	create_again(l, 25 * UINT64_C(1000000000), HMPDU_PATH_PLAIN);
	put_in_force(l, PFC_MEASURE_ALWAYS);
	assert_result(l, 0, 1, 0);
	/* The link was up at another rate: the link partner is not the former one. */
	l->w.ports[0]->base.settings.rate = dcb_rate_from_mbps(25000);
	put_in_force(l, PFC_MEASURE_ALWAYS);
	assert_result(l, 0, 1, 0);
}

/* --- port_hm_result() ------------------------------------------------------------------ */

static const struct dcb_time t0 = {100 * DCB_NS_PER_S};

static void test_longer_result_is_in_force_at_once(void **state)
{
	struct dcb_time next, soon = dcb_time_add_ns(t0, PORT_HM_GROW_NS - 1);

	(void)state;
	assert_int_equal(port_hm_result(0, (struct dcb_time){0}, 1, t0, &next), PORT_HM_STEP);
	assert_int_equal(next.ns, DCB_TIME_NEVER.ns);
	assert_int_equal(port_hm_result(80, t0, 81, soon, &next), 80);
	assert_int_equal(next.ns, t0.ns + PORT_HM_GROW_NS);
	assert_int_equal(port_hm_result(80, t0, 81, next, &next), 88);
	assert_int_equal(port_hm_result(80, t0, 80, soon, &next), 80);
	assert_int_equal(next.ns, DCB_TIME_NEVER.ns);
	assert_int_equal(port_hm_result(0, (struct dcb_time){0}, UINT32_MAX, t0, &next),
			 UINT32_MAX);
}

static void test_shorter_result_waits_for_a_second_and_two_steps(void **state)
{
	struct dcb_time next, soon = dcb_time_add_ns(t0, PORT_HM_SHRINK_NS - 1);

	(void)state;
	assert_int_equal(port_hm_result(800, t0, 784, soon, &next), 800);
	assert_int_equal(next.ns, t0.ns + PORT_HM_SHRINK_NS);
	assert_int_equal(port_hm_result(800, t0, 784, next, &next), 784);
	assert_int_equal(port_hm_result(800, t0, 785, dcb_time_add_ns(t0, DCB_NS_PER_S), &next),
			 800);
	assert_int_equal(next.ns, DCB_TIME_NEVER.ns);
	assert_int_equal(port_hm_result(8, t0, 0, dcb_time_add_ns(t0, DCB_NS_PER_S), &next), 0);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    TEST(test_result_stays_while_the_link_is_down),
	    TEST(test_result_that_finds_no_room_is_handed_over_later),
	    TEST(test_initial_value_is_the_first_result),
	    TEST(test_former_result_is_in_force_at_once),
	    TEST(test_former_result_of_another_path_is_dropped),
	    TEST(test_former_result_waits_for_its_rate),
	    TEST(test_former_result_of_another_rate_is_not_used),
	    cmocka_unit_test(test_longer_result_is_in_force_at_once),
	    cmocka_unit_test(test_shorter_result_waits_for_a_second_and_two_steps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
