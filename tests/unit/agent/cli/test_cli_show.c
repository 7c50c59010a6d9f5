/* SPDX-License-Identifier: BSD-3-Clause */
/* dcbctl show, config and watch: rows, settings and rates, as text and as JSON. */
#include <math.h>
#include <string.h>

#include "agent/cli/view/rates.h"
#include "tests/unit/cli_server.h"

/* --- show ------------------------------------------------------------------------------ */

static void test_show_one_row(void **state)
{
	(void)state;
	expect_out(RUN(cmd_show, false, "cn_cp", "1.7.1"),
		   "ieee8021CnCpTable: 1 row\n"
		   "ieee8021CnCpPriority.1.7.1           3\n"
		   "ieee8021CnCpMacAddress.1.7.1         00-1b-21-00-00-01\n"
		   "ieee8021CnCpIdentifier.1.7.1         00-1b-21-00-00-01-00-03\n"
		   "ieee8021CnCpQueueSizeSetPoint.1.7.1  26000 octets\n"
		   "ieee8021CnCpFeedbackWeight.1.7.1     -10\n"
		   "ieee8021CnCpMinSampleBase.1.7.1      150000 octets\n"
		   "ieee8021CnCpDiscardedFrames.1.7.1    0 frames\n"
		   "ieee8021CnCpTransmittedFrames.1.7.1  100 frames\n"
		   "ieee8021CnCpTransmittedCnms.1.7.1    18446744073709551615 frames\n"
		   "ieee8021CnCpMinHeaderOctets.1.7.1    \n");
	expect_out(RUN(cmd_show, false, "CnCpFeedbackWeight.1.7.1"),
		   "ieee8021CnCpTable: 1 row\n"
		   "ieee8021CnCpFeedbackWeight.1.7.1  -10\n");
	/* A control character is replaced; an octet of 0x80 and more is not. */
	expect_out(RUN(cmd_show, false, "dcbAgentVersion"),
		   "dcbAgent\ndcbAgentVersion.0  1?\xff\n");
	expect_out(RUN(cmd_show, false, "cn_com_pri"), "ieee8021CnCompntPriTable: 0 rows\n");
}

static void test_show_many_rows(void **state)
{
	struct ran ran = RUN(cmd_show, false, "ieee8021CnCpQueueSizeSetPoint");
	unsigned lines = 0;

	(void)state;
	assert_int_equal(ran.rc, CLI_OK);
	assert_memory_equal(ran.out,
			    "ieee8021CnCpTable: 600 rows\n"
			    "ComponentId  IfIndex  Index  QueueSizeSetPoint\n"
			    "          1        1      1              26000\n",
			    28 + 47 + 47);
	for (const char *p = ran.out; *p; p++)
		lines += *p == '\n';
	assert_int_equal(lines, SERVER_ROWS + 2); /* three pages, each row once */
	free(ran.out);
}

static void test_show_all(void **state)
{
	struct ran ran = RUN_ALL(cmd_show, false);

	(void)state;
	assert_int_equal(ran.rc, CLI_OK);
	for (unsigned id = 0; id < MO_TABLES; id++) {
		const struct mo_table *t = mo_table((enum mo_table_id)id);

		assert_true(!strstr(ran.out, t->name) == t->optional);
	}
	free(ran.out);
	/* An optional table is shown if it is named. */
	ran = RUN(cmd_show, false, "cpfc_if");
	assert_int_equal(ran.rc, CLI_OK);
	assert_non_null(strstr(ran.out, "cpfcIfTable"));
	free(ran.out);
}

/* The table of ports has more than 32 columns. */
static void test_show_widest_table(void **state)
{
	const struct mo_table *table = mo_table(MO_port);
	const struct mo_column *last = &table->columns[table->n_columns - 1];

	(void)state;
	assert_true(table->n_columns > 32 && table->n_columns <= OUT_COLUMNS_MAX);
	assert_string_equal(last->name, "dcbPortDiscardUnknown");
	server_put("dcbPortOperational", "70001", "true");
	server_put(last->name, "70001", "5");
	expect_out(RUN(cmd_show, false, last->name),
		   "dcbPortTable: 1 row\ndcbPortDiscardUnknown.70001  5 frames\n");
	server_clear();
}

static void test_show_json(void **state)
{
	json_t *j = expect_json(RUN(cmd_show, true, "cn_cp", "1.600"));
	json_t *rows = json_object_get(json_array_get(j, 0), "rows"), *values;
	static const char want[] =
	    "{\"instance\":\"1.600.1\",\"index\":{\"ieee8021CnCpComponentId\":1,"
	    "\"ieee8021CnCpIfIndex\":600,\"ieee8021CnCpIndex\":1},\"values\":{"
	    "\"ieee8021CnCpPriority\":3,\"ieee8021CnCpMacAddress\":\"00-1b-21-00-00-01\","
	    "\"ieee8021CnCpIdentifier\":\"00-1b-21-00-00-01-00-03\","
	    "\"ieee8021CnCpQueueSizeSetPoint\":26000,\"ieee8021CnCpFeedbackWeight\":-10,"
	    "\"ieee8021CnCpMinSampleBase\":150000,\"ieee8021CnCpDiscardedFrames\":0,";
	char *text;

	(void)state;
	assert_int_equal(json_array_size(j), 1);
	assert_int_equal(json_array_size(rows), 1);
	text = json_dumps(json_array_get(rows, 0), JSON_COMPACT);
	assert_memory_equal(text, want, sizeof(want) - 1);
	free(text);
	values = json_object_get(json_array_get(rows, 0), "values");
	assert_true(json_is_integer(json_object_get(values, "ieee8021CnCpTransmittedFrames")));
	/* Greater than INT64_MAX: exact, as a string. */
	assert_string_equal(
	    json_string_value(json_object_get(values, "ieee8021CnCpTransmittedCnms")),
	    "18446744073709551615");
	assert_int_equal(json_integer_value(json_object_get(json_array_get(j, 0), "version")), 1);
	assert_true(json_is_null(json_object_get(values, "ieee8021CnCpMinHeaderOctets")));
	assert_null(json_object_get(json_array_get(rows, 0), "rates"));
	json_decref(j);

	j = expect_json(RUN(cmd_show, true, "agent_id"));
	values = json_object_get(json_array_get(json_object_get(json_array_get(j, 0), "rows"), 0),
				 "values");
	assert_string_equal(json_string_value(json_object_get(values, "dcbAgentVersion")), "1\n?");
	assert_string_equal(json_string_value(json_object_get(values, "dcbAgentRole")), "bridge");
	assert_int_equal(json_integer_value(json_object_get(values, "dcbAgentStateStatus")), 9);
	assert_int_equal(json_integer_value(json_object_get(values, "dcbAgentUpTime")), 4294967295);
	json_decref(j);
}

static void test_truth_values_are_booleans_in_json(void **state)
{
	json_t *j, *values;

	(void)state;
	server_put("dcbPfcPriorityEnable", "1.3", "true");
	server_put("dcbPfcPriorityPaused", "1.3", "false");
	j = expect_json(RUN(cmd_show, true, "pfc_pri"));
	values = json_object_get(json_array_get(json_object_get(json_array_get(j, 0), "rows"), 0),
				 "values");
	assert_true(json_is_true(json_object_get(values, "dcbPfcPriorityEnable")));
	assert_true(json_is_false(json_object_get(values, "dcbPfcPriorityPaused")));
	json_decref(j);
	server_clear();
}

static void test_show_errors(void **state)
{
	(void)state;
	expect_error(RUN(cmd_show, false, "cn_cq"), CLI_FAILED,
		     "dcbctl: unknown table or object \"cn_cq\"; did you mean \"cn_cp\"? "
		     "\"dcbctl objects\" lists them\n");
	expect_error(RUN(cmd_show, false, "CnCpQueSizeSetPoint"), CLI_FAILED,
		     "dcbctl: unknown table or object \"CnCpQueSizeSetPoint\"; did you mean "
		     "\"CnCpQueueSizeSetPoint\"? \"dcbctl objects\" lists them\n");
	expect_error(
	    RUN(cmd_show, false, "nonsense"), CLI_FAILED,
	    "dcbctl: unknown table or object \"nonsense\"; \"dcbctl objects\" lists them\n");
	expect_error(RUN(cmd_show, false, "cn_cp", "1.601"), CLI_FAILED,
		     "dcbctl: ieee8021CnCpTable has no row 1.601\n");
	expect_error(RUN(cmd_show, false, "cn_cp", "0.1"), CLI_FAILED,
		     "dcbctl: ieee8021CnCpComponentId: expected 1..4294967295, not \"0\"\n");
	expect_error(RUN(cmd_show, false, "cn_cp", "1.nosuchif"), CLI_FAILED,
		     "dcbctl: ieee8021CnCpIfIndex: expected 1..2147483647 or the name of a port "
		     "of dcbd, not \"nosuchif\"\n");
	expect_error(RUN(cmd_show, false, "cn_cp", "1.2.3.4"), CLI_FAILED,
		     "dcbctl: index of ieee8021CnCpTable: expected at most 3 numbers\n");
	expect_error(RUN(cmd_show, false, "agent_id", "1"), CLI_FAILED,
		     "dcbctl: index of dcbAgent: expected 0, not \"1\"\n");
	expect_error(RUN(cmd_show, false, "a", "b", "c"), CLI_USAGE,
		     "usage: dcbctl [-jpsN] [--socket socket] command ARGS\n");
}

/* Nothing printed with status 0 would mean that the rows exist and have no settings. */
static void test_config_errors(void **state)
{
	(void)state;
	expect_error(RUN(cmd_config, false, "cn_cp", "1.601"), CLI_FAILED,
		     "dcbctl: ieee8021CnCpTable has no row 1.601\n");
	expect_error(RUN(cmd_config, true, "CnCpQueueSizeSetPoint.1.601.3"), CLI_FAILED,
		     "dcbctl: ieee8021CnCpTable has no row 1.601.3\n");
	expect_out(RUN(cmd_config, false, "cn_com_pri"), "");
	expect_error(RUN(cmd_config, false, "dcbDcbxAppPriority"), CLI_FAILED,
		     "dcbctl: dcbDcbxAppTable has the settings of "
		     "lldpXdot1dcbxAdminApplicationPriorityAppTable: name that table\n");
	expect_error(RUN(cmd_config, true, "dcbx_app_vlan"), CLI_FAILED,
		     "dcbctl: dcbDcbxAppVlanTable has the settings of "
		     "lldpXdot1dcbxAdminApplicationVlanAppTable: name that table\n");
	expect_error(RUN(cmd_config, false, "lldp_admin_pfc_enable"), CLI_FAILED,
		     "dcbctl: lldpXdot1dcbxAdminPFCEnableTable has the settings of "
		     "dcbPfcPriorityTable: name that table\n");
}

/* --- watch ------------------------------------------------------------------------------- */

/* The rate of the first row in a line that dcbctl watch printed; NAN: null. */
static double rate_in(const char *line)
{
	json_t *j = json_loads(line, 0, NULL);
	json_t *rows = json_object_get(json_array_get(j, 0), "rows");
	json_t *rate = json_object_get(json_object_get(json_array_get(rows, 0), "rates"),
				       "ieee8021CnCpTransmittedFrames");
	double per_second;

	assert_int_equal(json_array_size(j), 2);
	assert_int_equal(json_array_size(rows), SERVER_ROWS);
	assert_true(json_is_null(rate) || json_is_real(rate));
	per_second = json_is_null(rate) ? NAN : json_real_value(rate);
	json_decref(j);
	return per_second;
}

/* Three outputs, the first one without rates. */
static void watch_json(double *second, double *third)
{
	struct ran ran = RUN(cmd_watch, true, "ieee8021CnCpTransmittedFrames", "cn_com_pri");
	char *save = NULL, *line;

	assert_int_equal(ran.rc, CLI_OK);
	line = strtok_r(ran.out, "\n", &save);
	assert_non_null(line);
	assert_true(isnan(rate_in(line)));
	line = strtok_r(NULL, "\n", &save);
	assert_non_null(line);
	*second = rate_in(line);
	line = strtok_r(NULL, "\n", &save);
	assert_non_null(line);
	*third = rate_in(line);
	assert_null(strtok_r(NULL, "\n", &save));
	free(ran.out);
}

/* The counter grows by 1000 between reads, which are 0.1 s apart. */
static void test_watch_json(void **state)
{
	double second, third;

	(void)state;
	cli_time = (struct cli_time){.now_s = 5};
	watch_json(&second, &third);
	assert_float_equal(second, 10000, 1e-6);
	assert_float_equal(third, 10000, 1e-6);
	assert_int_equal(cli_time.sleeps, 2);
	assert_float_equal(cli_time.now_s, 5.2, 1e-9);
}

/* Rates refer to the measured time, and outputs that became due during a sleep are left out. */
static void test_watch_leaves_out_late_outputs(void **state)
{
	double second, third;

	(void)state;
	cli_time = (struct cli_time){.now_s = 5, .oversleeps_s = 0.15};
	watch_json(&second, &third);
	assert_float_equal(second, 4000, 1e-6);
	assert_float_equal(third, 10000, 1e-6);
	assert_float_equal(cli_time.now_s, 5.35, 1e-9);
	/* Late by less than an interval: the next output is on time. */
	cli_time = (struct cli_time){.now_s = 5, .oversleeps_s = 0.06};
	watch_json(&second, &third);
	assert_float_equal(second, 6250, 1e-6);
	assert_float_equal(third, 25000, 1e-6);
	assert_float_equal(cli_time.now_s, 5.2, 1e-9);
}

static void test_watch_text(void **state)
{
	struct ran ran = RUN(cmd_watch, false, "ieee8021CnCpTransmittedFrames.1.1.1");

	(void)state;
	/* The first output has no rate, and a read of one row does not increase the counter. */
	assert_null(strstr(ran.out, "/s"));
	assert_non_null(strstr(ran.out, "ieee8021CnCpTransmittedFrames.1.1.1"));
	free(ran.out);
}

static void test_rates_of_counters(void **state)
{
	const struct mo_table *table = mo_table(MO_agent_id);
	struct mo_value values[OUT_COLUMNS_MAX] = {{0}};
	struct out_row row = {.index = {.n = 1}, .values = values, .present = 0x1ff};
	double per_second[OUT_COLUMNS_MAX];
	struct rates rates = {.cursor = 0};

	(void)state;
	assert_int_equal(table->columns[7].syntax, MO_COUNTER32);
	values[7].num = UINT32_MAX - 9;
	rates_begin(&rates, 10);
	rates_row(&rates, 1, table, &row, per_second);
	rates_end(&rates);
	assert_true(isnan(per_second[7]));
	/* The counter wraps: 10 to 0, then 10, in two seconds. */
	values[7].num = 10;
	rates_begin(&rates, 12);
	rates_row(&rates, 1, table, &row, per_second);
	rates_end(&rates);
	assert_float_equal(per_second[7], 10.0, 1e-9);
	assert_true(isnan(per_second[3])); /* TimeTicks are not a counter */
	/* dcbd has restarted: no rates. */
	rates_begin(&rates, 13);
	rates_row(&rates, 2, table, &row, per_second);
	rates_end(&rates);
	assert_true(isnan(per_second[7]));
	rates_free(&rates);
}

/* CounterBasedGauge64 is encoded as a counter, but has no rate, as it may decrease. */
static void test_rates_of_gauges(void **state)
{
	const struct mo_table *table = mo_table(MO_rp);
	struct mo_value values[OUT_COLUMNS_MAX] = {{0}};
	struct out_row row = {.index = {.n = 4}, .values = values, .present = 0xfff};
	double per_second[OUT_COLUMNS_MAX];
	struct rates rates = {.cursor = 0};

	(void)state;
	for (double now_s = 1; now_s < 3; now_s++) {
		for (unsigned i = 0; i < table->n_columns; i++)
			values[i].num = (int64_t)(1000 * now_s);
		rates_begin(&rates, now_s);
		rates_row(&rates, 1, table, &row, per_second);
		rates_end(&rates);
	}
	for (unsigned i = 0; i < table->n_columns; i++) {
		if (table->columns[i].syntax == MO_COUNTER64)
			assert_float_equal(per_second[i], 1000, 1e-9);
		else
			assert_true(isnan(per_second[i]));
	}
	assert_int_equal(table->columns[2].syntax, MO_GAUGE64); /* dcbRpTargetRate */
	rates_free(&rates);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_show_one_row),
	    cmocka_unit_test(test_show_many_rows),
	    cmocka_unit_test(test_show_widest_table),
	    cmocka_unit_test(test_show_all),
	    cmocka_unit_test(test_show_json),
	    cmocka_unit_test(test_truth_values_are_booleans_in_json),
	    cmocka_unit_test(test_show_errors),
	    cmocka_unit_test(test_config_errors),
	    cmocka_unit_test(test_watch_json),
	    cmocka_unit_test(test_watch_leaves_out_late_outputs),
	    cmocka_unit_test(test_watch_text),
	    cmocka_unit_test(test_rates_of_counters),
	    cmocka_unit_test(test_rates_of_gauges),
	};

	return cmocka_run_group_tests(tests, start_server, stop_server);
}
