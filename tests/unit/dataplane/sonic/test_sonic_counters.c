/* SPDX-License-Identifier: BSD-3-Clause */
/* Counters of a port, and messages of the watchdog. */
#include "dataplane/sonic/sonic_counters.h"
#include "tests/unit/unit.h"

#include <string.h>

static struct sonic_port port;

/* A port whose priorities 0 to 5 have PG 0, and 6 and 7 their own; queues are those of their
 * number. */
static int begin(void **state)
{
	(void)state;
	memset(&port, 0, sizeof(port));
	for (unsigned p = 0; p < DCB_PRIORITIES; p++) {
		port.priority[p].known = SONIC_PG | SONIC_QUEUE_OF;
		port.priority[p].pg = (uint8_t)(p < 6 ? 0 : p);
		port.priority[p].queue = (uint8_t)p;
	}
	return 0;
}

/* Sets the value of a field. */
static void set(const char *values[], const char *const fields[], unsigned n, const char *field,
		const char *value)
{
	for (unsigned i = 0; i < n; i++) {
		if (strcmp(fields[i], field) != 0)
			continue;
		values[i] = value;
		return;
	}
	fail_msg("no field %s", field);
}

#define SET_PORT(values, field, value) \
	set(values, sonic_port_fields, SONIC_PORT_FIELDS, field, value)
#define SET_QUEUE(values, field, value) \
	set(values, sonic_queue_fields, SONIC_QUEUE_FIELDS, field, value)

static void test_counters_of_a_port(void **state)
{
	const char *values[SONIC_PORT_FIELDS] = {NULL};

	(void)state;
	SET_PORT(values, "SAI_PORT_STAT_PFC_3_RX_PKTS", "18446744073709551615");
	SET_PORT(values, "SAI_PORT_STAT_PFC_3_TX_PKTS", "0");
	SET_PORT(values, "SAI_PORT_STAT_PFC_7_RX_PAUSE_DURATION_US", "12");
	SET_PORT(values, "SAI_PORT_STAT_PFC_0_ON2OFF_RX_PKTS", "13");
	SET_PORT(values, "SAI_PORT_STAT_PAUSE_RX_PKTS", "14");
	SET_PORT(values, "SAI_PORT_STAT_PAUSE_TX_PKTS", "15");
	sonic_take_port(&port, values);
	assert_int_equal(port.priority[3].known & SONIC_COUNTERS,
			 SONIC_RX_FRAMES | SONIC_TX_FRAMES);
	assert_true(port.priority[3].rx_frames == UINT64_MAX);
	assert_int_equal(port.priority[7].known & SONIC_COUNTERS, SONIC_RX_PAUSE);
	assert_int_equal(port.priority[7].rx_pause_us, 12);
	assert_int_equal(port.priority[0].known & SONIC_COUNTERS, SONIC_RX_TRANSITIONS);
	assert_int_equal(port.priority[0].rx_transitions, 13);
	assert_int_equal(port.priority[1].known & SONIC_COUNTERS, 0);
	assert_int_equal(port.known, SONIC_PAUSE_RX | SONIC_PAUSE_TX);
	assert_int_equal(port.pause_rx, 14);
	assert_int_equal(port.pause_tx, 15);
	assert_string_equal(port.error, "");
	/* One that is gone is unknown again. */
	memset(values, 0, sizeof(values));
	sonic_take_port(&port, values);
	assert_int_equal(port.priority[3].known & SONIC_COUNTERS, 0);
	assert_true(port.priority[3].rx_frames == 0);
	assert_int_equal(port.known, 0);
}

static void test_malformed_counter_is_unknown(void **state)
{
	static const char *const bad[] = {"-1", "18446744073709551616", "1.5", "x", "1 ", "0x10"};

	(void)state;
	for (size_t i = 0; i < UNIT_COUNT(bad); i++) {
		const char *values[SONIC_PORT_FIELDS] = {NULL};
		char text[128];

		begin(NULL);
		SET_PORT(values, "SAI_PORT_STAT_PFC_3_RX_PKTS", bad[i]);
		SET_PORT(values, "SAI_PORT_STAT_PFC_4_RX_PKTS", "5");
		sonic_take_port(&port, values);
		assert_int_equal(port.priority[3].known & SONIC_RX_FRAMES, 0);
		assert_true(port.priority[3].rx_frames == 0);
		assert_int_equal(port.priority[4].rx_frames, 5);
		snprintf(text, sizeof(text),
			 "SAI_PORT_STAT_PFC_3_RX_PKTS: \"%s\", expected a number below 2^64",
			 bad[i]);
		assert_string_equal(port.error, text);
	}
}

static void test_value_that_is_not_available_is_no_error(void **state)
{
	const char *values[SONIC_PORT_FIELDS] = {NULL};

	(void)state;
	SET_PORT(values, "SAI_PORT_STAT_PFC_3_RX_PKTS", "N/A");
	SET_PORT(values, "SAI_PORT_STAT_PFC_4_RX_PKTS", "");
	sonic_take_port(&port, values);
	assert_int_equal(port.priority[3].known & SONIC_RX_FRAMES, 0);
	assert_int_equal(port.priority[4].known & SONIC_RX_FRAMES, 0);
	assert_string_equal(port.error, "");
}

static void test_watchdog_of_a_queue(void **state)
{
	const char *values[SONIC_QUEUE_FIELDS] = {NULL};
	const struct sonic_priority *p = &port.priority[3];

	(void)state;
	port.priority[4].queue = 3;
	SET_QUEUE(values, "PFC_WD_STATUS", "stormed");
	SET_QUEUE(values, "PFC_WD_QUEUE_STATS_DEADLOCK_DETECTED", "3");
	SET_QUEUE(values, "PFC_WD_QUEUE_STATS_DEADLOCK_RESTORED", "2");
	SET_QUEUE(values, "PFC_WD_QUEUE_STATS_TX_DROPPED_PACKETS", "10");
	sonic_take_queue(&port, 3, values);
	assert_int_equal(
	    p->known & (SONIC_WD_STATE | SONIC_WD_COUNTS | SONIC_WD_TX_DROPS | SONIC_WD_RX_DROPS),
	    SONIC_WD_STATE | SONIC_WD_COUNTS | SONIC_WD_TX_DROPS);
	assert_int_equal(p->wd_state, SONIC_WD_STORMED);
	assert_int_equal(p->wd_storms, 3);
	assert_int_equal(p->wd_ended, 2);
	assert_int_equal(p->wd_tx_drops, 10);
	assert_int_equal(port.priority[4].wd_storms, 3); /* the same queue */
	assert_int_equal(port.priority[5].known & SONIC_WD_STATE, 0);
	SET_QUEUE(values, "PFC_WD_STATUS", "operational");
	SET_QUEUE(values, "PFC_WD_QUEUE_STATS_DEADLOCK_RESTORED", "y");
	sonic_take_queue(&port, 3, values);
	assert_int_equal(p->wd_state, SONIC_WD_OPERATIONAL);
	assert_int_equal(p->known & SONIC_WD_COUNTS, 0);
	assert_int_equal(p->wd_storms, 0);
	SET_QUEUE(values, "PFC_WD_STATUS", "broken");
	begin(NULL);
	sonic_take_queue(&port, 3, values);
	assert_int_equal(p->known & SONIC_WD_STATE, 0);
	assert_string_equal(port.error,
			    "PFC_WD_STATUS: \"broken\", expected operational or stormed");
}

static void test_counters_of_a_group_go_to_its_priorities(void **state)
{
	const char *const drops[SONIC_PG_FIELDS] = {"6"};
	const char *const peaks[SONIC_PG_PEAKS] = {"100", "200"};
	const char *const queue[SONIC_QUEUE_PEAKS] = {"300"};

	(void)state;
	sonic_take_pg(&port, 0, drops);
	sonic_take_pg_peaks(&port, 6, peaks);
	sonic_take_queue_peaks(&port, 2, queue);
	for (unsigned p = 0; p < DCB_PRIORITIES; p++) {
		assert_int_equal(port.priority[p].pg_drops, p < 6 ? 6 : 0);
		assert_int_equal((port.priority[p].known & SONIC_PG_DROPS) != 0, p < 6);
		assert_int_equal(port.priority[p].pg_shared_peak, p == 6 ? 100 : 0);
		assert_int_equal(port.priority[p].pg_xoff_peak, p == 6 ? 200 : 0);
		assert_int_equal(port.priority[p].queue_peak, p == 2 ? 300 : 0);
	}
}

static void test_counters_continue(void **state)
{
	struct sonic_port now;

	(void)state;
	port.known = SONIC_PAUSE_RX;
	port.pause_rx = 5;
	port.priority[3].known = SONIC_RX_FRAMES | SONIC_WD_COUNTS | SONIC_PG_SHARED_PEAK;
	port.priority[3].rx_frames = 10;
	port.priority[3].wd_ended = 4;
	port.priority[3].pg_shared_peak = 9;
	now = port;
	assert_true(sonic_continues(&port, &now));
	now.priority[3].rx_frames++;
	now.priority[3].pg_shared_peak = 0; /* a peak goes down */
	assert_true(sonic_continues(&port, &now));
	now.priority[3].rx_frames = 9;
	assert_false(sonic_continues(&port, &now));
	now = port;
	now.priority[3].wd_ended = 3;
	assert_false(sonic_continues(&port, &now));
	now = port;
	now.pause_rx = 4;
	assert_false(sonic_continues(&port, &now));
	now = port;
	now.priority[5].known |= SONIC_TX_FRAMES; /* is known now */
	assert_false(sonic_continues(&port, &now));
	now = port;
	now.priority[3].known = 0; /* is not known any more */
	now.priority[3].rx_frames = 0;
	assert_true(sonic_continues(&port, &now));
	now.known |= SONIC_PAUSE_TX;
	assert_false(sonic_continues(&port, &now));
}

static void test_storm_message(void **state)
{
	static const char *const bad[] = {
	    "",
	    "[",
	    "[\"oid:0x15\"",
	    "[\"oid:0x15\",\"storm",
	    "[\"oid:0x15\",\"storm\"",
	    "[\"oid:0x15\",\"storms\"]",
	    "[\"oid:0x15\", \"storm\"]",
	    "[\"0x15\",\"storm\"]",
	    "[\"oid:0x1500000000006f1500000000006f\",\"storm\"]",
	    "{\"oid:0x15\":\"storm\"}",
	};
	bool begins = false;
	uint64_t oid = 0;

	(void)state;
	assert_true(sonic_read_storm("[\"oid:0x1500000000006f\",\"storm\"]", &oid, &begins));
	assert_true(begins && oid == UINT64_C(0x1500000000006f));
	assert_true(sonic_read_storm("[\"oid:0x15\",\"restore\"]", &oid, &begins));
	assert_true(!begins && oid == 0x15);
	assert_true(sonic_read_storm("[\"oid:0x16\",\"storm\",\"time\",\"7\"]", &oid, &begins));
	assert_true(begins && oid == 0x16);
	for (size_t i = 0; i < UNIT_COUNT(bad); i++)
		assert_false(sonic_read_storm(bad[i], &oid, &begins));
}

UNIT_MAIN
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup(test_counters_of_a_port, begin),
	    cmocka_unit_test_setup(test_malformed_counter_is_unknown, begin),
	    cmocka_unit_test_setup(test_value_that_is_not_available_is_no_error, begin),
	    cmocka_unit_test_setup(test_watchdog_of_a_queue, begin),
	    cmocka_unit_test_setup(test_counters_of_a_group_go_to_its_priorities, begin),
	    cmocka_unit_test_setup(test_counters_continue, begin),
	    cmocka_unit_test(test_storm_message),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
