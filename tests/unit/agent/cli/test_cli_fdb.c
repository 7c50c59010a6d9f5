/* SPDX-License-Identifier: BSD-3-Clause */
/* dcbctl fdb: its text and JSON output for given rows, and its arguments. */
#include "tests/unit/agent/cli/cli_ports.h"

static void put_address(const char *index, const char *port, bool learned, const char *age,
			const char *moves)
{
	server_put("dcbFdbPort", index, port);
	server_put("dcbFdbOrigin", index, learned ? "learned" : "static");
	server_put("dcbFdbAge", index, age);
	server_put("dcbFdbMoves", index, moves);
}

static void put_addresses(void)
{
	server_clear();
	server_put("dcbPortOperational", P, "true");
	server_put("dcbPortOperational", Q, "true");
	put_address("1.2.0.0.0.0.1", P, true, "3", "0");
	put_address("1.2.0.0.0.0.255", Q, false, "0", "0");
	put_address("12.2.0.0.0.0.1", Q, true, "250", "255");
}

static void test_show_prints_a_line_for_each_address(void **state)
{
	static const char all[] = "02:00:00:00:00:01 dev " P
				  " vlan 1 used 3 moves 0\n"
				  "02:00:00:00:00:ff dev " Q
				  " vlan 1 static\n"
				  "02:00:00:00:00:01 dev " Q " vlan 12 used 250 moves 255\n";

	(void)state;
	put_addresses();
	expect_out(RUN(cmd_fdb, false, "show"), all);
	expect_out(RUN_ALL(cmd_fdb, false), all);
	expect_out(RUN(cmd_fdb, false, "show", "dev", Q, "dynamic"),
		   "02:00:00:00:00:01 dev " Q " vlan 12 used 250 moves 255\n");
	expect_out(RUN(cmd_fdb, false, "show", "static"),
		   "02:00:00:00:00:ff dev " Q " vlan 1 static\n");
	expect_out(RUN(cmd_fdb, false, "show", "vlan", "12"),
		   "02:00:00:00:00:01 dev " Q " vlan 12 used 250 moves 255\n");
	expect_out(RUN(cmd_fdb, false, "show", "vlan", "12", "dev", P), "");
}

static void test_json_has_the_members_of_bridge(void **state)
{
	(void)state;
	put_addresses();
	expect_out(RUN(cmd_fdb, true, "show", "vlan", "1"),
		   "[{\"version\":1,\"mac\":\"02:00:00:00:00:01\",\"ifIndex\":" P ",\"ifname\":\"" P
		   "\",\"vlan\":1,\"used\":3,\"moves\":0,\"flags\":[],"
		   "\"state\":\"\"},\n"
		   " {\"version\":1,\"mac\":\"02:00:00:00:00:ff\",\"ifIndex\":" Q ",\"ifname\":\"" Q
		   "\",\"vlan\":1,\"used\":0,\"moves\":0,\"flags\":[],"
		   "\"state\":\"static\"}]\n");
	expect_out(RUN(cmd_fdb, true, "show", "vlan", "7"), "[]\n");
}

static void test_wrong_arguments_are_named(void **state)
{
	(void)state;
	put_addresses();
	expect_error(RUN(cmd_fdb, false, "show", "vlan", "4095"), CLI_FAILED,
		     "dcbctl: vlan: expected 1..4094, not \"4095\"\n");
	expect_error(RUN(cmd_fdb, false, "show", "vlan", "-1"), CLI_FAILED,
		     "dcbctl: vlan: expected 1..4094, not \"-1\"\n");
	expect_error(RUN(cmd_fdb, false, "flush", "dev", "nosuchif"), CLI_FAILED,
		     "dcbctl: expected the name or ifIndex of a port of dcbd, not \"nosuchif\"\n");
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_show_prints_a_line_for_each_address),
	    cmocka_unit_test(test_json_has_the_members_of_bridge),
	    cmocka_unit_test(test_wrong_arguments_are_named),
	};

	return cmocka_run_group_tests(tests, start_server, stop_server);
}
