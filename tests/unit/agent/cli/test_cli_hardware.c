/* SPDX-License-Identifier: BSD-3-Clause */
/* dcbctl hardware report: its text and JSON about interfaces of a responder in the kernel's place.
 */
#include <string.h>
#include <sys/utsname.h>

#include "agent/cli/hardware_report.h"
#include "tests/unit/cli_server.h"
#include "tests/unit/kernel_responder.h"

static struct kernel_responder *responder;
static struct kernel_io *io;

static int begin(void **state)
{
	(void)state;
	responder = kernel_responder_new();
	io = kernel_responder_open(responder);
	return 0;
}

static int end(void **state)
{
	(void)state;
	kernel_io_destroy(io);
	kernel_responder_free(responder);
	return 0;
}

/* As cmd_hardware() calls it, for run(). */
static int report(struct cli *cli, const struct cli_command *self, int argc, char **argv)
{
	(void)self;
	assert_int_equal(argc, 1);
	return hardware_report(cli, io, argv[0]);
}

/* Returns the report about an interface; json_decref() *all. */
static json_t *report_of(const char *interface, json_t **all)
{
	*all = expect_json(RUN(report, true, interface));
	assert_int_equal(json_array_size(*all), 1);
	return json_array_get(*all, 0);
}

/* Returns the element of an array whose name is this; NULL: there is none. */
static json_t *named(json_t *array, const char *name)
{
	json_t *element;
	size_t i;

	json_array_foreach(array, i, element)
	{
		if (strcmp(json_string_value(json_object_get(element, "name")), name) == 0)
			return element;
	}
	return NULL;
}

static void expect(json_t *value, const char *text)
{
	char *is = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);

	assert_non_null(is);
	assert_string_equal(is, text);
	free(is);
}
#define EXPECT(object, key, text) expect(json_object_get(object, key), text)

/* Priority 3 of an interface of mlx5_core, with ETS of two classes and an application. */
static void add_works(void)
{
	struct dcbnl_port now;

	kernel_responder_add(responder, "eth0", KERNEL_WORKS, "mlx5_core");
	kernel_responder_read(responder, "eth0", &now);
	now.pfc.pfc_en = 1 << 3;
	now.pfc.delay = 7;
	now.pfc.requests[3] = UINT64_MAX;
	now.ets.prio_tc[3] = 1;
	now.ets.tc_tx_bw[1] = 60;
	now.has |= DCBNL_QCN | DCBNL_BUFFER;
	now.has &= ~(uint32_t)DCBNL_MAXRATE;
	now.qcn.rpg_gd[7] = 99;
	now.buffer.total_size = 262016;
	now.apps.n = 1;
	now.apps.of[0] = (struct dcb_app){.selector = 5, .priority = 3, .protocol = 46};
	kernel_responder_write(responder, "eth0", &now, false);
	kernel_responder_count(responder, "eth0", "rx_prio3_pause_duration", 1300);
}

static void test_report_has_driver_and_attributes(void **state)
{
	struct utsname system;
	char kernel[80];
	json_t *all, *o;

	(void)state;
	add_works();
	o = report_of("eth0", &all);
	assert_int_equal(uname(&system), 0);
	snprintf(kernel, sizeof(kernel), "\"%.65s\"", system.release);
	EXPECT(o, "version", "1");
	EXPECT(o, "interface", "\"eth0\"");
	EXPECT(o, "ifIndex", "101");
	EXPECT(o, "kernel", kernel);
	EXPECT(o, "dcbctl", "\"" PACKAGE_VERSION "\"");
	EXPECT(o, "driver", "\"mlx5_core\"");
	EXPECT(o, "driverVersion", "\"6.1.0\"");
	EXPECT(o, "firmware", "\"22.35.2000\"");
	EXPECT(o, "known", "\"mlx5_core\"");
	EXPECT(o, "delayUnit", "\"metres\"");
	EXPECT(o, "resetsLink", "[\"pfc\"]");
	EXPECT(o, "hostFlag", "null");
	EXPECT(o, "owner", "\"host\"");
	EXPECT(o, "dcbx", "[\"host\",\"ieee\"]");
	EXPECT(o, "countersFrom", "\"names\"");
	EXPECT(json_object_get(o, "ets"), "prio_tc", "[0,1,2,1,4,5,6,7]");
	EXPECT(json_object_get(o, "ets"), "tc_tx_bw", "[0,60,0,0,0,0,0,0]");
	EXPECT(json_object_get(o, "pfc"), "pfc_en", "8");
	EXPECT(json_object_get(o, "pfc"), "delay", "7");
	EXPECT(json_object_get(o, "pfc"), "requests", "[0,0,0,\"18446744073709551615\",0,0,0,0]");
	EXPECT(o, "maxrate", "null");
	EXPECT(json_object_get(o, "qcn"), "rpg_gd", "[0,0,0,0,0,0,0,99]");
	EXPECT(json_object_get(o, "buffer"), "total_size", "262016");
	EXPECT(o, "apps", "[{\"selector\":5,\"protocol\":46,\"priority\":3}]");
	EXPECT(o, "peerPfc", "null");
	json_decref(all);
}

/* Names of priorities without PFC are not there, and dcbd does not use each of the others. */
static void test_report_says_what_counters_mean(void **state)
{
	json_t *all, *o, *counters;

	(void)state;
	add_works();
	o = report_of("eth0", &all);
	counters = json_object_get(o, "counters");
	expect(named(counters, "rx_prio3_pause_duration"),
	       "{\"name\":\"rx_prio3_pause_duration\",\"value\":1300,\"priority\":3,"
	       "\"object\":\"dcbPfcPriorityPauseTime\"}");
	EXPECT(named(counters, "tx_prio3_pause"), "object", "\"dcbPfcPriorityRequests\"");
	EXPECT(named(counters, "rx_packets"), "priority", "null");
	EXPECT(named(counters, "rx_packets"), "object", "null");
	assert_null(named(counters, "tx_prio4_pause"));
	expect(named(json_object_get(o, "notFound"), "tx_prio%u_pause"),
	       "{\"name\":\"tx_prio%u_pause\",\"priorities\":[0,1,2,4,5,6,7],"
	       "\"object\":\"dcbPfcPriorityRequests\"}");
	json_decref(all);
}

static void test_report_of_totals(void **state)
{
	json_t *all, *o;

	(void)state;
	kernel_responder_add(responder, "eth0", KERNEL_WORKS, "bnxt_en");
	o = report_of("eth0", &all);
	EXPECT(named(json_object_get(o, "counters"), "tx_pfc_frames"), "object",
	       "\"ieee8021PfcRequests\"");
	EXPECT(named(json_object_get(o, "counters"), "tx_pfc_frames"), "priority", "null");
	json_decref(all);
	kernel_responder_add(responder, "eth1", KERNEL_WORKS, "hns3"); /* without counters here */
	o = report_of("eth1", &all);
	EXPECT(o, "counters", "[]");
	expect(named(json_object_get(o, "notFound"), "mac_rx_pfc_pkt_num"),
	       "{\"name\":\"mac_rx_pfc_pkt_num\",\"priorities\":null,"
	       "\"object\":\"ieee8021PfcIndications\"}");
	json_decref(all);
}

static void test_report_of_an_unknown_driver(void **state)
{
	json_t *all, *o;

	(void)state;
	kernel_responder_add(responder, "eth0", KERNEL_FIRMWARE, "acme");
	o = report_of("eth0", &all);
	EXPECT(o, "driver", "\"acme\"");
	EXPECT(o, "known", "\"unknown driver\"");
	EXPECT(o, "owner", "\"firmware\"");
	EXPECT(o, "countersFrom", "\"pfc\"");
	EXPECT(o, "notFound", "[]");
	json_decref(all);
	kernel_responder_add(responder, "eth1", KERNEL_FIRMWARE, "ice");
	o = report_of("eth1", &all);
	EXPECT(o, "hostFlag", "\"fw-lldp-agent off\"");
	json_decref(all);
}

static bool has_line(const char *text, const char *line)
{
	const char *at = strstr(text, line);

	return at && (at == text || at[-1] == '\n') && at[strlen(line)] == '\n';
}

static void test_text_has_the_same(void **state)
{
	struct ran ran;

	(void)state;
	add_works();
	ran = RUN(report, false, "eth0");
	assert_int_equal(ran.rc, CLI_OK);
	assert_string_equal(ran.err, "");
	assert_true(has_line(ran.out, "driver: mlx5_core"));
	assert_true(has_line(ran.out, "dcbx: host ieee"));
	assert_true(has_line(ran.out, "  prio_tc: 0 1 2 1 4 5 6 7"));
	assert_true(has_line(ran.out, "maxrate: -"));
	assert_true(has_line(
	    ran.out, "rx_prio3_pause_duration         1300  3         dcbPfcPriorityPauseTime"));
	assert_true(
	    has_line(ran.out, "tx_prio%u_pause             0 1 2 4 5 6 7  dcbPfcPriorityRequests"));
	assert_non_null(strstr(ran.out, "dcbHardwareStormWarnings\n"));
	free(ran.out);
}

static void test_report_fails(void **state)
{
	(void)state;
	kernel_responder_add(responder, "lo", KERNEL_NO_DCB, "");
	expect_error(RUN(report, false, "lo"), CLI_FAILED,
		     "dcbctl: lo: the driver has no DCB operations\n");
	expect_error(RUN(report, true, "eth9"), CLI_FAILED,
		     "dcbctl: eth9: there is no such interface\n");
}

/* The command itself asks the kernel; dcbd does not run. */
static void test_command_asks_the_kernel(void **state)
{
	static const struct cli_command self = {.name = "hardware", .args = "..."};
	struct cli cli = {.out = stdout};
	char *words[] = {(char[]){"report"}, (char[]){"lo"}, (char[]){"lo"}};

	(void)state;
	assert_int_equal(cmd_hardware(&cli, &self, 2, words), CLI_FAILED);
	assert_int_equal(cmd_hardware(&cli, &self, 1, words), CLI_USAGE);
	assert_int_equal(cmd_hardware(&cli, &self, 3, words), CLI_USAGE);
	assert_null(cli.client);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(test_report_has_driver_and_attributes, begin, end),
	    cmocka_unit_test_setup_teardown(test_report_says_what_counters_mean, begin, end),
	    cmocka_unit_test_setup_teardown(test_report_of_totals, begin, end),
	    cmocka_unit_test_setup_teardown(test_report_of_an_unknown_driver, begin, end),
	    cmocka_unit_test_setup_teardown(test_text_has_the_same, begin, end),
	    cmocka_unit_test_setup_teardown(test_report_fails, begin, end),
	    cmocka_unit_test(test_command_asks_the_kernel),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
