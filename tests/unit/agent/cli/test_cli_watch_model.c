/* SPDX-License-Identifier: BSD-3-Clause */
/* dcbctl watch on the whole screen: rates, selection, and lines for any width. */
#include <string.h>

#include "agent/cli/view/layout.h"
#include "agent/cli/base/term.h"
#include "lib/mo/mo_view.h"
#include "tests/unit/cli_server.h"

/* --- ports of a test ----------------------------------------------------------------------- */

#define PORTS 4
static struct watch_port ports[PORTS];
static const struct watch_port *shown[PORTS];
static struct watch_model model;

static int fresh_ports(void **state)
{
	static const char *const names[PORTS] = {"swp1", "swp2", "swp10", "up3"};

	(void)state;
	memset(ports, 0, sizeof(ports));
	for (unsigned i = 0; i < PORTS; i++) {
		ports[i].ifindex = i + 1;
		ports[i].up = ports[i].known = true;
		strcpy(ports[i].name, names[i]);
	}
	model = (struct watch_model){.at_s = 10, .boot_id = 7, .n = PORTS, .ports = ports};
	return 0;
}

/* Asserts the names of the ports that a view shows, separated by blanks. */
static void expect_shown(struct watch_view view, const char *want)
{
	size_t n = watch_select(&model, &view, shown);
	char got[128] = "";

	for (size_t i = 0; i < n; i++) {
		if (i)
			strcat(got, " ");
		strcat(got, shown[i]->name);
	}
	assert_string_equal(got, want);
}

/* --- rates --------------------------------------------------------------------------------- */

static void test_rates_are_differences_by_time(void **state)
{
	struct watch_port was[PORTS];
	struct watch_model before = {.at_s = 8, .boot_id = 7, .n = PORTS, .ports = was};

	(void)state;
	memcpy(was, ports, sizeof(was));
	ports[0].count[WATCH_RX_OCTETS] = 1000;
	ports[0].count[WATCH_PAUSE + 2] = 500000;
	ports[0].count[WATCH_PAUSE + 5] = 1000000;
	ports[1].count[WATCH_PAUSE] = 2400000; /* more than the time between the reads */
	watch_compare(&model, &before);
	assert_true(ports[0].known);
	assert_float_equal(ports[0].per_s[WATCH_RX_OCTETS], 500, 1e-9);
	assert_float_equal(ports[0].paused_percent, 50, 1e-9); /* the longest, not the sum */
	assert_float_equal(ports[1].paused_percent, 100, 1e-9);
	assert_float_equal(ports[2].paused_percent, 0, 1e-9);
}

static void test_rates_need_the_same_run_of_the_counters(void **state)
{
	struct watch_port was[PORTS];
	struct watch_model before = {.at_s = 8, .boot_id = 7, .n = PORTS - 1, .ports = was};

	(void)state;
	memcpy(was, ports, sizeof(was));
	ports[1].since_ms = 5000; /* the interface was opened again */
	watch_compare(&model, &before);
	assert_true(ports[0].known);
	assert_false(ports[1].known);
	assert_false(ports[3].known); /* a new port */
	before.boot_id = 8;
	watch_compare(&model, &before);
	assert_false(ports[0].known); /* dcbd was started anew */
	before.boot_id = 7;
	before.at_s = 10;
	watch_compare(&model, &before);
	assert_false(ports[0].known); /* no time has passed */
}

/* --- reading ------------------------------------------------------------------------------- */

/* Puts 2^n for each object that counts losses, of port 7 and, if it has priorities, priority 3. */
static unsigned put_losses(void)
{
	unsigned n = 0;

	for (unsigned id = 0; id < MO_TABLES; id++) {
		const struct mo_table *table = mo_table((enum mo_table_id)id);
		char at[64], value[32];
		struct mo_index index;

		mo_index_make(table, &(struct mo_index_of){1, 7, 1, 3}, &index);
		mo_index_format(&index, at, sizeof(at));
		for (unsigned i = 0; i < table->n_columns; i++)
			if (mo_views(table, &table->columns[i]) & MO_VIEW_LOSSES) {
				snprintf(value, sizeof(value), "%u", 1u << n++);
				server_put(table->columns[i].name, at, value);
			}
	}
	return n;
}

static void test_status_and_watch_count_all_losses(void **state)
{
	struct mo_client *client = mo_client_new(server.path, 5000);
	struct baseline base = {.boot_id = 0};
	struct watch_model b = {.n = 0};
	unsigned n;
	json_t *j;

	(void)state;
	server_put("dcbPortOperational", "7", "true");
	n = put_losses();
	assert_true(n >= 10);
	assert_int_equal(watch_read(&b, client, 3, &base), MO_CLIENT_OK);
	assert_int_equal(b.n, 1);
	assert_int_equal(b.ports[0].count[WATCH_LOSSES], (1u << n) - 1);
	assert_int_equal(b.ports[0].lost, (1u << n) - 1);
	watch_free(&b);
	mo_client_free(client);
	j = expect_json(RUN_ALL(cmd_status, true));
	assert_int_equal(json_integer_value(json_object_get(json_array_get(j, 0), "losses_frames")),
			 (1u << n) - 1);
	json_decref(j);
	server_clear();
}

static void test_read_joins_tables_by_port(void **state)
{
	struct mo_client *client = mo_client_new(server.path, 5000);
	struct baseline base = {.boot_id = 0};
	struct watch_model b = {.n = 0};

	(void)state;
	server_put("dcbPortName", "7", "sw\a7");
	server_put("dcbPortOperational", "7", "true");
	server_put("dcbPortRate", "7", "10000000000");
	server_put("dcbPortDiscardQueue", "7", "5");
	server_put("dcbPortTxErrors", "7", "2");
	server_put("dcbPortDiscardVlan", "7", "100"); /* no loss */
	server_put("dcbPfcPortDiscardTransit", "7", "1000");
	server_put("dcbPfcPriorityDiscards", "7.3", "20000");
	server_put("dcbPfcPriorityDiscards", "7.4", "10000");
	server_put("dcbPortDiscardOversize", "7", "100000");
	server_put("dcbPfcWatchdogDroppedTotal", "7.3", "200000");
	server_put("dcbPortOperational", "9", "false");
	server_put("dcbPfcPriorityIndications", "7.3", "11");
	server_put("dcbPfcPriorityIndications", "7.4", "22");
	server_put("dcbPfcPriorityEnable", "7.3", "true");
	server_put("dcbPfcPriorityHeld", "7.3", "100");
	server_put("dcbPfcPriorityXoff", "7.3", "1000");
	server_put("dcbPfcPriorityEnable", "7.4", "false");
	server_put("dcbPfcPriorityHeld", "7.4", "1000"); /* without PFC: no threshold */
	server_put("dcbPfcPriorityXoff", "7.4", "1000");
	server_put("dcbPfcWatchdogState", "9.1", "storm");
	assert_int_equal(watch_read(&b, client, 3, &base), MO_CLIENT_OK);
	assert_int_equal(b.n, 2);
	assert_string_equal(b.ports[0].name, "sw?7");
	assert_true(b.ports[0].up);
	assert_false(b.ports[0].storm);
	assert_int_equal(b.ports[0].count[WATCH_LOSSES], 331007);
	assert_int_equal(b.ports[0].lost, 331007);
	assert_int_equal(b.ports[0].count[WATCH_PFC_IN], 33);
	assert_int_equal(b.ports[0].queue, 100);
	assert_int_equal(b.ports[0].limit, 1000);
	assert_int_equal(b.ports[0].priority, 3);
	assert_string_equal(b.ports[1].name, "9");
	assert_true(b.ports[1].storm);
	assert_float_equal(watch_fill(&b.ports[1]), 0, 0);
	/* The queue of congestion point 1.7.1, whose set point is 26000, is fuller. */
	server_put("dcbCpQueueLength", "1.7.1", "13000");
	server_put("dcbCpQueueLength", "1.9.2", "1"); /* a congestion point without settings */
	assert_int_equal(watch_read(&b, client, 4, &base), MO_CLIENT_OK);
	assert_int_equal(b.n, 2);
	assert_int_equal(b.ports[0].queue, 13000);
	assert_int_equal(b.ports[0].limit, 26000);
	assert_int_equal(b.ports[1].limit, 0);
	watch_free(&b);
	mo_client_free(client);
	server_clear();
}

/* --- selection ----------------------------------------------------------------------------- */

static void test_busy_ports_are_shown(void **state)
{
	(void)state;
	expect_shown((struct watch_view){.all = false}, "");
	ports[1].per_s[WATCH_TX_OCTETS] = 1;
	ports[2].storm = true;
	ports[3].queue = 1;
	expect_shown((struct watch_view){.all = false}, "swp2 swp10 up3");
	ports[1].known = false; /* its rates are from another run */
	expect_shown((struct watch_view){.all = false}, "swp10 up3");
	expect_shown((struct watch_view){.all = true}, "swp1 swp2 swp10 up3");
}

static void test_filter_is_a_part_of_the_name(void **state)
{
	(void)state;
	expect_shown((struct watch_view){.all = true, .filter = "swp1"}, "swp1 swp10");
	expect_shown((struct watch_view){.all = true, .filter = "0"}, "swp10");
	expect_shown((struct watch_view){.all = true, .filter = "eth"}, "");
}

static void test_sorting_puts_the_greatest_first(void **state)
{
	(void)state;
	ports[0].queue = 10;
	ports[0].limit = 100;
	ports[2].queue = 5;
	ports[2].limit = 6;
	expect_shown((struct watch_view){.all = true, .sort = WATCH_BY_QUEUE},
		     "swp10 swp1 swp2 up3");
	ports[3].per_s[WATCH_LOSSES] = 3;
	expect_shown((struct watch_view){.all = true, .sort = WATCH_BY_LOSSES},
		     "up3 swp1 swp2 swp10");
	ports[1].paused_percent = 0.5;
	expect_shown((struct watch_view){.all = true, .sort = WATCH_BY_PAUSE},
		     "swp2 swp1 swp10 up3");
	ports[0].per_s[WATCH_PFC_IN] = 2;
	ports[2].per_s[WATCH_PFC_OUT] = 3;
	expect_shown((struct watch_view){.all = true, .sort = WATCH_BY_PFC}, "swp10 swp1 swp2 up3");
	expect_shown((struct watch_view){.all = true, .sort = WATCH_BY_NAME},
		     "swp1 swp2 swp10 up3");
}

/* --- lines --------------------------------------------------------------------------------- */

static void expect_number(double number, const char *want)
{
	char buf[LAYOUT_NUMBER_OCTETS];

	layout_number(buf, number);
	assert_string_equal(buf, want);
	assert_true(strlen(buf) <= 5);
}

static void test_numbers_have_five_characters(void **state)
{
	(void)state;
	expect_number(0, "0");
	expect_number(0.34, "0.3");
	expect_number(9.94, "9.9");
	expect_number(9.96, "10");
	expect_number(4567, "4567");
	expect_number(9999.4, "9999");
	expect_number(9999.6, "10.0k");
	expect_number(99940, "99.9k");
	expect_number(99960, "100k");
	expect_number(999400, "999k");
	expect_number(999600, "1.0M");
	expect_number(4e11, "400G");
	expect_number(18446744073709551615.0, "18.4E");
}

static void expect_bar(unsigned width, uint32_t queue, uint32_t limit, const char *want)
{
	char buf[64];

	layout_bar(buf, width, queue, limit);
	assert_string_equal(buf, want);
}

static void test_bar_has_the_limit_in_its_middle(void **state)
{
	(void)state;
	expect_bar(10, 0, 26000, ".....|....");
	expect_bar(10, 1, 26000, "#....|....");
	expect_bar(10, 13000, 26000, "##...|....");
	expect_bar(10, 26000, 26000, "#####|....");
	expect_bar(10, 46800, 26000, "#####|###.");
	expect_bar(10, 52000, 26000, "#####|####");
	expect_bar(10, UINT32_MAX, 26000, "#####|###>");
	expect_bar(10, UINT32_MAX, UINT32_MAX, "#####|....");
	expect_bar(10, 5, 0, "          ");
}

static void test_lines_fit_every_width(void **state)
{
	struct layout_line head, line;

	(void)state;
	for (unsigned i = 0; i < WATCH_COUNTERS; i++) {
		ports[0].count[i] = UINT64_MAX;
		ports[0].per_s[i] = 1e18;
	}
	ports[0].lost = UINT64_MAX;
	ports[0].paused_percent = 100;
	ports[0].queue = ports[0].limit = UINT32_MAX;
	strcpy(ports[0].name, "longest-name-15");
	for (unsigned width = 1; width <= LAYOUT_WIDTH_MAX + 10; width++) {
		layout_head(&head, width, WATCH_BY_NAME);
		layout_port(&line, width, &ports[0]);
		assert_true(term_characters(head.text) <= width);
		assert_int_equal(strlen(head.text), strlen(line.text));
		assert_int_equal(head.n, line.n);
		for (unsigned i = 0; i < line.n; i++)
			assert_true(line.parts[i].at + line.parts[i].len <= strlen(line.text));
	}
}

static void test_lines_say_what_happens(void **state)
{
	struct layout_line line;

	(void)state;
	ports[0].queue = 13000;
	ports[0].limit = 26000;
	ports[0].per_s[WATCH_PFC_IN] = 1234;
	ports[0].per_s[WATCH_LOSSES] = 2.5;
	ports[0].lost = 77;
	ports[0].per_s[WATCH_RX_OCTETS] = 1.25e8;
	ports[0].paused_percent = 12.4;
	layout_head(&line, 80, WATCH_BY_QUEUE);
	assert_string_equal(line.text,
			    "PORT       QUEUE/LIMIT           PFCin PFCout PAUSE "
			    "LOSS/s  LOST RXbit/s TXbit/s");
	assert_int_equal(line.parts[0].kind, LAYOUT_PLAIN);
	assert_int_equal(line.parts[1].kind, LAYOUT_NOTICE); /* sorted by it */
	layout_port(&line, 80, &ports[0]);
	assert_string_equal(line.text,
			    "swp1       #####.....|..........  1234      .   12% "
			    "   2.5    77    1.0G       .");
	assert_int_equal(line.parts[4].kind, LAYOUT_NOTICE);
	assert_int_equal(line.parts[5].kind, LAYOUT_ALARM);
	assert_int_equal(line.parts[6].kind, LAYOUT_ALARM);
	layout_port(&line, 40, &ports[0]);
	assert_string_equal(line.text, "swp1       ##...|....  1234   12%    2.5");
	ports[0].known = false;
	layout_port(&line, 60, &ports[0]);
	assert_non_null(strstr(line.text, " - "));
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup(test_rates_are_differences_by_time, fresh_ports),
	    cmocka_unit_test_setup(test_rates_need_the_same_run_of_the_counters, fresh_ports),
	    cmocka_unit_test(test_status_and_watch_count_all_losses),
	    cmocka_unit_test(test_read_joins_tables_by_port),
	    cmocka_unit_test_setup(test_busy_ports_are_shown, fresh_ports),
	    cmocka_unit_test_setup(test_filter_is_a_part_of_the_name, fresh_ports),
	    cmocka_unit_test_setup(test_sorting_puts_the_greatest_first, fresh_ports),
	    cmocka_unit_test(test_numbers_have_five_characters),
	    cmocka_unit_test(test_bar_has_the_limit_in_its_middle),
	    cmocka_unit_test_setup(test_lines_fit_every_width, fresh_ports),
	    cmocka_unit_test_setup(test_lines_say_what_happens, fresh_ports),
	};

	return cmocka_run_group_tests(tests, start_server, stop_server);
}
