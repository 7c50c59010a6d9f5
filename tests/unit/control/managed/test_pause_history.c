/* SPDX-License-Identifier: BSD-3-Clause */
/* dcbPfcPauseTable: intervals of counters that a fake provider has, and rows as SNMP reads them. */
#include <stdio.h>
#include <string.h>

#include "control/managed/pause_history.h"
#include "tests/unit/mo_world.h"

static struct mo_world *w;

static int setup(void **state)
{
	(void)state;
	w = mo_world_new(ROLE_BRIDGE);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	mo_world_free(w);
	return 0;
}

/* The time of a tick, in ms after the start. */
static void tick(int64_t ms)
{
	pause_history_tick(w->m->pauses, w->m->lock, w->m->config, w->m->started,
			   dcb_time_add_ns(w->m->started, ms * DCB_NS_PER_MS));
}

static struct pfc_stats *stats(void)
{
	return fake_port(w->m->config->ports[0].port)->pfc;
}

static void test_rows_begin_with_the_first_pause(void **state)
{
	(void)state;
	assert_int_equal(SET(w, {"dcbPfcPriorityEnable", "3.3", "1"}), MO_NO_ERROR);
	mo_world_adopt(w);
	tick(1000);
	tick(2000);
	assert_column(w, "dcbPfcPauseRequests", "");
	assert_value(w, "dcbPfcPriorityQueuePeak", "3.3", "0");
	stats()[3] = (struct pfc_stats){.pfc_requests = 7,
					.pfc_indications = 5,
					.pfc_paused_ns = 250000999,
					.pfc_pause_sent_us = 4000};
	stats()[4] = stats()[3]; /* without PFC */
	tick(3000);
	tick(3999); /* the timer is not exact */
	stats()[3].pfc_requests = 9;
	tick(6500); /* the system was busy */
	tick(6900);
	assert_column(w, "dcbPfcPauseRequests", "3.3.3=7 3.3.4=0 3.3.6=2");
	assert_column(w, "dcbPfcPauseDuration", "3.3.3=1000 3.3.4=999 3.3.6=2501");
	assert_value(w, "dcbPfcPauseIndications", "3.3.3", "5");
	assert_value(w, "dcbPfcPausePaused", "3.3.3", "250000");
	assert_value(w, "dcbPfcPausePausing", "3.3.3", "4000");
	/* Counters of a device that began again. */
	stats()[3].pfc_requests = 1;
	tick(7000);
	assert_value(w, "dcbPfcPauseRequests", "3.3.7", "1");
}

static void test_only_the_last_intervals_are_kept(void **state)
{
	struct mo_index index = {3, {3, 3, 0}};

	(void)state;
	assert_int_equal(SET(w, {"dcbPfcPriorityEnable", "3.3", "1"}), MO_NO_ERROR);
	mo_world_adopt(w);
	for (unsigned i = 1; i <= 200; i++) {
		stats()[3].pfc_requests += i;
		tick(1000 * (int64_t)i);
	}
	assert_true(mo_world_next(w, MO_pfc_pause, &index));
	assert_int_equal(index.sub[2], 200 - PAUSE_INTERVALS + 1);
	assert_value(w, "dcbPfcPauseRequests", "3.3.200", "200");
	for (unsigned n = 1; mo_world_next(w, MO_pfc_pause, &index); n++)
		assert_int_equal(index.sub[2], 200 - PAUSE_INTERVALS + 1 + n);
	assert_int_equal(index.sub[2], 200);
}

/* The time without PFC is no interval. The priority has its rows still, and goes on. */
static void test_pfc_is_switched_off_and_on(void **state)
{
	(void)state;
	assert_int_equal(SET(w, {"dcbPfcPriorityEnable", "3.3", "1"}), MO_NO_ERROR);
	mo_world_adopt(w);
	tick(1000);
	stats()[3].pfc_requests = 1;
	tick(2000);
	assert_int_equal(SET(w, {"dcbPfcPriorityEnable", "3.3", "2"}), MO_NO_ERROR);
	mo_world_adopt(w);
	tick(3000);
	stats()[3].pfc_requests = 50;
	tick(4000);
	assert_int_equal(SET(w, {"dcbPfcPriorityEnable", "3.3", "1"}), MO_NO_ERROR);
	mo_world_adopt(w);
	tick(5000);
	stats()[3].pfc_requests = 51;
	tick(6000);
	assert_column(w, "dcbPfcPauseRequests", "3.3.2=1 3.3.5=0 3.3.6=1");
}

UNIT_MAIN
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
	    TEST(test_rows_begin_with_the_first_pause),
	    TEST(test_only_the_last_intervals_are_kept),
	    TEST(test_pfc_is_switched_off_and_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
