/* SPDX-License-Identifier: BSD-3-Clause */
/* dcbctl trill: its text and JSON output for given rows. */
#include <string.h>

#include "tests/unit/cli_server.h"

/* Ports of dcbd that have no name. */
#define P "70001"
#define Q "70002"

static void put_rbridge(void)
{
	server_clear();
	server_put("dcbAgentRole", "0", "rbridge");
	server_put("dcbPortOperational", P, "true");
	server_put("dcbPortOperational", Q, "false");
	server_put("dcbTrillNickname", "0", "256");
	server_put("dcbTrillTreeRoot", "0", "512");
	server_put("dcbTrillHopCount", "0", "63");
	server_put("dcbTrillPortMode", P, "trunk");
	server_put("dcbTrillPortDesignatedVlan", P, "1");
	server_put("dcbTrillPortMode", Q, "access");
	server_put("dcbTrillPortDesignatedVlan", Q, "7");
	server_put("dcbTrillNextHopTree", P ".512.2.0.0.0.2.255", "true");
	server_put("dcbTrillNextHopUnicast", P ".512.2.0.0.0.2.255", "false");
	server_put("dcbTrillNextHopTree", P ".768.2.0.0.0.2.255", "false");
	server_put("dcbTrillNextHopUnicast", P ".768.2.0.0.0.2.255", "false");
	server_put("dcbTrillNextHopTree", Q ".512.2.0.0.0.2.1", "false");
	server_put("dcbTrillNextHopUnicast", Q ".512.2.0.0.0.2.1", "true");
	server_put("dcbTrillEgressNickname", "10.2.0.0.0.0.9", "512");
	server_put("dcbTrillNicknameNextHops", "512", "2");
	server_put("dcbTrillNicknameNextHopsUp", "512", "1");
	server_put("dcbTrillNicknameEgressEntries", "512", "1");
	server_put("dcbTrillNicknameLearned", "512", "14");
	server_put("dcbTrillNicknameFramesTo", "512", "5000000000");
	server_put("dcbTrillNicknameFramesFrom", "512", "3");
	server_put("dcbTrillPortStatsTransited", P, "12");
	server_put("dcbTrillPortStatsDropHopCount", P, "1");
	server_put("dcbTrillPortStatsIngressed", Q, "0");
}

static void test_text_has_all_tables(void **state)
{
	struct ran ran;

	(void)state;
	put_rbridge();
	ran = RUN_ALL(cmd_trill, false);
	expect_out(ran,
		   "nickname: 256\n"
		   "tree root: 512\n"
		   "hop count: 63\n"
		   "\n"
		   "nicknames\n"
		   "nickname  next hops  in use  learned   frames to  frames from\n"
		   "     512          2       1       14  5000000000            3\n"
		   "\n"
		   "next hops\n"
		   "port   nickname            address  unicast  tree  in use\n"
		   "70001       512  02-00-00-00-02-ff       no   yes     yes\n"
		   "70001       768  02-00-00-00-02-ff       no    no      no\n"
		   "70002       512  02-00-00-00-02-01      yes    no      no\n"
		   "\n"
		   "static egress nicknames\n"
		   "VLAN            address  nickname\n"
		   "  10  02-00-00-00-00-09       512\n"
		   "\n"
		   "ports\n"
		   "port     mode  designated VLAN\n"
		   "70001   trunk                1\n"
		   "70002  access                7\n"
		   "\n"
		   "counters other than 0\n"
		   "port        counter  frames\n"
		   "70001     transited      12\n"
		   "70001  dropHopCount       1\n");
}

static void test_ports_select_next_hops_and_counters(void **state)
{
	struct ran ran;

	(void)state;
	put_rbridge();
	ran = RUN(cmd_trill, false, Q);
	assert_int_equal(ran.rc, CLI_OK);
	assert_non_null(strstr(ran.out, "02-00-00-00-02-01"));
	assert_null(strstr(ran.out, "02-00-00-00-02-ff"));
	assert_null(strstr(ran.out, "dropHopCount"));
	free(ran.out);
	expect_error(RUN(cmd_trill, false, "70003"), CLI_FAILED,
		     "dcbctl: 70003 is not a port of dcbd\n");
}

static void test_rbridge_without_settings_says_so(void **state)
{
	(void)state;
	server_clear();
	server_put("dcbAgentRole", "0", "rbridge");
	server_put("dcbPortOperational", P, "true");
	server_put("dcbTrillNickname", "0", "0");
	server_put("dcbTrillTreeRoot", "0", "0");
	server_put("dcbTrillHopCount", "0", "63");
	server_put("dcbTrillPortMode", P, "access");
	server_put("dcbTrillPortDesignatedVlan", P, "1");
	server_put("dcbTrillPortStatsIngressed", P, "0");
	server_put("dcbTrillNextHopTree", P ".512.2.0.0.0.2.255", "false");
	server_put("dcbTrillNextHopUnicast", P ".512.2.0.0.0.2.255", "true");
	server_put("dcbTrillEgressNickname", "10.2.0.0.0.0.9", "512");
	server_put("dcbTrillNicknameNextHops", "512", "1");
	expect_out(RUN_ALL(cmd_trill, false),
		   "nickname: none, TRILL frames are discarded\n"
		   "tree root: none, frames for groups stay here\n"
		   "hop count: 63\n"
		   "\n"
		   "nicknames\n"
		   "nickname  next hops  in use  learned  frames to  frames from\n"
		   "     512          1       0        0          0            0\n"
		   "\n"
		   "next hops\n"
		   "port   nickname            address  unicast  tree  in use\n"
		   "70001       512  02-00-00-00-02-ff      yes    no     yes\n"
		   "\n"
		   "static egress nicknames\n"
		   "VLAN            address  nickname\n"
		   "  10  02-00-00-00-00-09       512\n"
		   "\n"
		   "ports\n"
		   "port     mode  designated VLAN\n"
		   "70001  access                1\n");
}

static void test_other_roles_are_an_error(void **state)
{
	(void)state;
	put_rbridge();
	server_put("dcbAgentRole", "0", "station");
	expect_error(RUN_ALL(cmd_trill, true), CLI_FAILED,
		     "dcbctl: dcbd has the role station: expected rbridge\n");
}

static int64_t num(const json_t *o, const char *key)
{
	assert_true(json_is_integer(json_object_get(o, key)));
	return json_integer_value(json_object_get(o, key));
}

static void expect_text(const json_t *o, const char *key, const char *text)
{
	assert_string_equal(json_string_value(json_object_get(o, key)), text);
}

static void test_json_has_all_tables(void **state)
{
	json_t *all, *o, *nickname, *hops, *port;

	(void)state;
	put_rbridge();
	all = expect_json(RUN_ALL(cmd_trill, true));
	assert_int_equal(json_array_size(all), 1);
	o = json_array_get(all, 0);
	assert_int_equal(num(o, "nickname"), 256);
	assert_int_equal(num(o, "treeRoot"), 512);
	assert_int_equal(num(o, "hopCount"), 63);
	nickname = json_array_get(json_object_get(o, "nicknames"), 0);
	assert_int_equal(num(nickname, "nickname"), 512);
	assert_int_equal(num(nickname, "learned"), 14);
	assert_int_equal(num(nickname, "egressEntries"), 1);
	assert_int_equal(num(nickname, "framesTo"), 5000000000);
	assert_int_equal(num(nickname, "framesFrom"), 3);
	hops = json_object_get(nickname, "nextHops");
	assert_int_equal(json_array_size(hops), 2);
	assert_int_equal(num(json_array_get(hops, 1), "ifIndex"), 70002);
	expect_text(json_array_get(hops, 1), "address", "02-00-00-00-02-01");
	assert_true(json_is_false(json_object_get(json_array_get(hops, 1), "tree")));
	assert_true(json_is_true(json_object_get(json_array_get(hops, 1), "unicast")));
	assert_true(json_is_true(json_object_get(json_array_get(hops, 0), "tree")));
	assert_true(json_is_false(json_object_get(json_array_get(hops, 0), "unicast")));
	assert_true(json_is_false(json_object_get(json_array_get(hops, 1), "inUse")));
	assert_true(json_is_true(json_object_get(json_array_get(hops, 0), "inUse")));
	o = json_object_get(o, "egress");
	assert_int_equal(json_array_size(o), 1);
	assert_int_equal(num(json_array_get(o, 0), "vlan"), 10);
	expect_text(json_array_get(o, 0), "address", "02-00-00-00-00-09");
	assert_int_equal(num(json_array_get(o, 0), "nickname"), 512);
	port = json_array_get(json_object_get(json_array_get(all, 0), "ports"), 0);
	expect_text(port, "mode", "trunk");
	assert_int_equal(num(port, "designatedVlan"), 1);
	assert_int_equal(num(json_object_get(port, "counters"), "transited"), 12);
	assert_int_equal(num(json_object_get(port, "counters"), "dropHopCount"), 1);
	assert_int_equal(num(json_object_get(port, "counters"), "dropMtu"), 0);
	json_decref(all);
}

/* The row of a port may be gone since the rows of ports were read. */
static void test_port_without_counters_does_not_have_those_of_the_next(void **state)
{
	json_t *all, *ports;

	(void)state;
	server_clear();
	server_put("dcbAgentRole", "0", "rbridge");
	server_put("dcbTrillEgressEntries", "0", "0");
	server_put("dcbPortOperational", P, "true");
	server_put("dcbTrillPortMode", P, "trunk");
	server_put("dcbTrillPortMode", Q, "trunk");
	server_put("dcbTrillPortStatsTransited", Q, "12");
	all = expect_json(RUN_ALL(cmd_trill, true));
	ports = json_object_get(json_array_get(all, 0), "ports");
	assert_int_equal(json_array_size(ports), 2);
	for (size_t i = 0; i < 2; i++)
		assert_int_equal(
		    num(json_object_get(json_array_get(ports, i), "counters"), "transited"),
		    12 * i);
	json_decref(all);
}

static void put_addresses(void)
{
	put_rbridge();
	server_put("dcbTrillFdbNickname", "1.2.0.0.0.0.255", "512");
	server_put("dcbTrillFdbOrigin", "1.2.0.0.0.0.255", "learned");
	server_put("dcbTrillFdbAge", "1.2.0.0.0.0.255", "17");
	server_put("dcbTrillFdbNickname", "10.2.0.0.0.0.9", "768");
	server_put("dcbTrillFdbOrigin", "10.2.0.0.0.0.9", "static");
	server_put("dcbTrillFdbAge", "10.2.0.0.0.0.9", "0");
}

static void test_addresses_are_listed_with_origin_and_age(void **state)
{
	json_t *all, *o;

	(void)state;
	put_addresses();
	expect_out(RUN(cmd_trill, false, "egress"),
		   "VLAN            address  nickname  origin    age\n"
		   "   1  02-00-00-00-00-ff       512  learned  17 s\n"
		   "  10  02-00-00-00-00-09       768  static      -\n");
	all = expect_json(RUN(cmd_trill, true, "egress"));
	assert_int_equal(json_array_size(all), 2);
	o = json_array_get(all, 0);
	assert_int_equal(num(o, "vlan"), 1);
	expect_text(o, "address", "02-00-00-00-00-ff");
	assert_int_equal(num(o, "nickname"), 512);
	expect_text(o, "origin", "learned");
	assert_int_equal(num(o, "ageSeconds"), 17);
	expect_text(json_array_get(all, 1), "origin", "static");
	json_decref(all);
}

static void test_addresses_of_other_roles_are_an_error(void **state)
{
	(void)state;
	put_addresses();
	server_put("dcbAgentRole", "0", "bridge");
	expect_error(RUN(cmd_trill, false, "egress"), CLI_FAILED,
		     "dcbctl: dcbd has the role bridge: expected rbridge\n");
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_text_has_all_tables),
	    cmocka_unit_test(test_ports_select_next_hops_and_counters),
	    cmocka_unit_test(test_rbridge_without_settings_says_so),
	    cmocka_unit_test(test_other_roles_are_an_error),
	    cmocka_unit_test(test_json_has_all_tables),
	    cmocka_unit_test(test_port_without_counters_does_not_have_those_of_the_next),
	    cmocka_unit_test(test_addresses_are_listed_with_origin_and_age),
	    cmocka_unit_test(test_addresses_of_other_roles_are_an_error),
	};

	return cmocka_run_group_tests(tests, start_server, stop_server);
}
