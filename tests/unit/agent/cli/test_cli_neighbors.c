/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dcbctl neighbors: its text and JSON output for given rows. Arguments of all commands about
 * neighbors.
 */
#include <net/if.h>
#include <string.h>

#include "tests/unit/agent/cli/cli_ports.h"

static void test_no_neighbors(void **state)
{
	(void)state;
	put_basic();
	expect_out(RUN_ALL(cmd_neighbors, false), "no neighbors\n");
	server_put("dcbLldpState", "0", "connecting");
	expect_out(RUN(cmd_neighbors, false, P), "LLDP agent: connecting\nno neighbors\n");
	server_put("dcbLldpState", "0", "mismatch");
	expect_out(RUN(cmd_neighbors, false, P),
		   "LLDP agent: lldpd and liblldpctl have different versions: see the log of dcbd\n"
		   "no neighbors\n");
}

static void test_neighbors_text(void **state)
{
	(void)state;
	put_basic();
	put_neighbor(P, "1");
	put_tlvs();
	put_neighbor(Q, "2");
	server_put("dcbNeighborSystemName", Q ".2", "a\x1b[31mred");
	server_put("dcbNeighborStale", Q ".2", "true");
	server_put("dcbNeighborTimeMark", Q ".2", "4294867296"); /* before it wrapped */
	server_put("dcbNeighborMalformedTlvs", Q ".2", "pfc");
	server_put("dcbNeighborTlvs", Q ".2", "pfcDelay");
	expect_out(
	    RUN_ALL(cmd_neighbors, false),
	    "port   neighbor  its port  system                   TTL  unchanged  TLVs\n"
	    "70001  spine-1   swp7      spine-1.example        120 s       12 s  CN, "
	    "ETS, ETS recommendation, PFC, application priority, PFC delay, application VLAN\n"
	    "70002  spine-1   swp7      a?[31mred        120 s stale     33 min  PFC, PFC delay\n"
	    "\n"
	    "port   neighbor  TLV                   contents\n"
	    "70001  spine-1   CN                    CNPVs 3,5, of these ready for "
	    "CN-TAGs: 3\n"
	    "70001  spine-1   ETS                   0-2,4-6:60% 3:40% 7:strict; 3 "
	    "traffic classes; willing\n"
	    "70001  spine-1   ETS recommendation    TC 4:100% TC 5:vendor\n"
	    "70001  spine-1   PFC                   priorities 3,5, at most 4; not "
	    "willing; cannot bypass MACsec; measurement, PTP\n"
	    "70001  spine-1   application priority  ethertype 0x8906:3, tcp 3260:4\n"
	    "70001  spine-1   PFC delay             1234 ns\n"
	    "70001  spine-1   application VLAN      ethertype 0x8906:1002, udp 4420:20\n"
	    "70002  spine-1   PFC                   malformed: counts as absent\n"
	    "70002  spine-1   PFC delay             not positive: refused\n");
}

static void test_neighbors_json(void **state)
{
	json_t *j, *port, *n;

	(void)state;
	put_basic();
	put_neighbor(P, "1");
	put_tlvs();
	j = expect_json(RUN_ALL(cmd_neighbors, true));
	assert_int_equal(json_array_size(j), 2);
	port = json_array_get(j, 1);
	expect_dump(port,
		    "{\"version\":1,\"ifIndex\":70002,\"port\":\"70002\",\"lldp\":\"connected\","
		    "\"neighbors\":[]}");
	port = json_array_get(j, 0);
	assert_int_equal(json_array_size(at(port, "neighbors")), 1);
	n = json_array_get(at(port, "neighbors"), 0);
	expect_dump(at(n, "index"), "1");
	expect_dump(at(n, "chassisId"), "\"spine-1\"");
	expect_dump(at(n, "address"), "\"00-1b-21-00-00-07\"");
	expect_dump(at(n, "addressOrigin"), "\"source\"");
	expect_dump(at(n, "managementAddress"), "\"192.0.2.7\"");
	expect_dump(at(n, "age"), "12.0");
	expect_dump(at(n, "stale"), "false");
	expect_dump(at(n, "malformed"), "[]");
	expect_dump(at(n, "dcbx"), "[\"ieee\"]");
	expect_dump(at(n, "tlvs"),
		    "[\"cn\",\"ets\",\"etsRecommendation\",\"pfc\","
		    "\"applicationPriority\",\"pfcDelay\",\"applicationVlan\"]");
	expect_dump(at(n, "cn"), "{\"cnpv\":[3,5],\"ready\":[3]}");
	expect_dump(at(at(n, "ets"), "trafficClass"), "[0,0,0,1,0,0,0,2]");
	expect_dump(at(at(n, "ets"), "bandwidth"), "[60,40,0,0,0,0,0,0]");
	expect_dump(at(at(n, "ets"), "willing"), "true");
	assert_string_equal(
	    json_string_value(json_array_get(at(at(n, "etsRecommendation"), "algorithm"), 5)),
	    "tsaVendorSpecific");
	expect_dump(at(n, "pfc"),
		    "{\"willing\":false,\"mbc\":true,\"capability\":4,"
		    "\"enable\":[3,5]}");
	expect_dump(at(n, "applicationPriorities"),
		    "[{\"selector\":\"ethertype\",\"protocol\":35078,\"priority\":3},"
		    "{\"selector\":\"tcp\",\"protocol\":3260,\"priority\":4}]");
	expect_dump(at(n, "applicationVlans"),
		    "[{\"selector\":\"ethertype\",\"protocol\":35078,\"vlan\":1002},"
		    "{\"selector\":\"udp\",\"protocol\":4420,\"vlan\":20}]");
	expect_dump(at(n, "pfcDelay"), "1234");
	expect_dump(at(n, "pfcBits"), "[\"mbc\",\"measurement\",\"ptp\"]");
	json_decref(j);
}

/* Columns are aligned by characters, not by octets. */
static void test_utf8_names_are_aligned(void **state)
{
	(void)state;
	put_basic();
	put_neighbor(P, "1");
	put_neighbor(Q, "2");
	server_put("dcbNeighborChassisId", P ".1", "\xc3\xbc\xe2\x82\xac");
	server_put("dcbNeighborSystemName", P ".1", "");
	server_put("dcbNeighborSystemName", Q ".2", "");
	expect_out(RUN_ALL(cmd_neighbors, false),
		   "port   neighbor  its port  system    TTL  unchanged  TLVs\n"
		   "70001  \xc3\xbc\xe2\x82\xac        swp7              120 s       12 s  none\n"
		   "70002  spine-1   swp7              120 s       12 s  none\n");
}

/* TLVs that the neighbor does not send are null, or an empty array. Names are escaped. */
static void test_neighbors_json_without_tlvs(void **state)
{
	static const char *const tlvs[] = {"cn", "ets", "etsRecommendation", "pfc", "pfcDelay"};
	json_t *j, *n;

	(void)state;
	put_basic();
	put_neighbor(Q, "1");
	server_put("dcbNeighborAddress", Q ".1", "00-00-00-00-00-00");
	server_put("dcbNeighborManagement", Q ".1", "");
	server_put("dcbNeighborSystemName", Q ".1", "\xff\"\\\n<b>");
	j = expect_json(RUN(cmd_neighbors, true, Q));
	assert_int_equal(json_array_size(j), 1);
	n = json_array_get(at(json_array_get(j, 0), "neighbors"), 0);
	for (size_t i = 0; i < UNIT_COUNT(tlvs); i++)
		assert_true(json_is_null(at(n, tlvs[i])));
	expect_dump(at(n, "applicationPriorities"), "[]");
	expect_dump(at(n, "applicationVlans"), "[]");
	expect_dump(at(n, "address"), "null");
	expect_dump(at(n, "managementAddress"), "null");
	assert_string_equal(json_string_value(at(n, "systemName")), "?\"\\?<b>");
	json_decref(j);
}

static void test_arguments_are_ports_of_dcbd(void **state)
{
	(void)state;
	put_basic();
	put_neighbor(P, "1");
	put_neighbor(Q, "2");
	expect_out(RUN(cmd_neighbors, false, Q),
		   "port   neighbor  its port  system             TTL  unchanged  TLVs\n"
		   "70002  spine-1   swp7      spine-1.example  120 s       12 s  none\n");
	expect_error(RUN(cmd_neighbors, false, "nosuchif"), CLI_FAILED,
		     "dcbctl: expected the name or ifIndex of a port of dcbd, not \"nosuchif\"\n");
	expect_error(RUN(cmd_dcbx, false, "7x"), CLI_FAILED,
		     "dcbctl: expected the name or ifIndex of a port of dcbd, not \"7x\"\n");
	expect_error(RUN(cmd_dcbx, false, "0"), CLI_FAILED,
		     "dcbctl: expected the name or ifIndex of a port of dcbd, not \"0\"\n");
	/* An interface of this process's namespace, and no port of dcbd. */
	expect_error(RUN(cmd_cn, true, P, "lo"), CLI_FAILED,
		     "dcbctl: expected the name or ifIndex of a port of dcbd, not \"lo\"\n");
	expect_error(RUN(cmd_neighbors, false, "70003"), CLI_FAILED,
		     "dcbctl: 70003 is not a port of dcbd\n");
}

/* dcbd's names count: in this process's namespace "lo" has ifIndex 1, in dcbd's it is port Q. */
static void test_names_of_ports_are_those_of_dcbd(void **state)
{
	json_t *j;

	(void)state;
	assert_int_equal(if_nametoindex("lo"), 1);
	put_basic();
	put_neighbor(P, "1");
	put_neighbor(Q, "2");
	put_neighbor("1", "3");
	server_put("dcbPortName", Q, "lo");
	server_put("dcbPortName", P, "sw1");
	server_put("dcbPortName", "1", "uplink");
	expect_out(RUN(cmd_neighbors, false, "lo"),
		   "port  neighbor  its port  system             TTL  unchanged  TLVs\n"
		   "lo    spine-1   swp7      spine-1.example  120 s       12 s  none\n");
	expect_out(RUN(cmd_neighbors, false, "1"),
		   "port    neighbor  its port  system             TTL  unchanged  TLVs\n"
		   "uplink  spine-1   swp7      spine-1.example  120 s       12 s  none\n");
	j = expect_json(RUN(cmd_dcbx, true, "lo"));
	assert_int_equal(json_array_size(j), 1);
	assert_int_equal(json_integer_value(json_object_get(json_array_get(j, 0), "ifIndex")),
			 70002);
	assert_string_equal(json_string_value(json_object_get(json_array_get(j, 0), "port")), "lo");
	json_decref(j);
	j = expect_json(RUN(cmd_cn, true, "sw1"));
	assert_int_equal(json_integer_value(json_object_get(json_array_get(j, 0), "ifIndex")),
			 70001);
	json_decref(j);
	/* Two ports with one name: the interfaces are being renamed. */
	server_put("dcbPortName", P, "lo");
	expect_error(RUN(cmd_dcbx, false, "lo"), CLI_FAILED,
		     "dcbctl: expected the name or ifIndex of a port of dcbd, not \"lo\"\n");
}

static void test_unreachable_dcbd_is_reported(void **state)
{
	char path[sizeof(server.path)], want[256];
	command_fn *const commands[] = {cmd_neighbors, cmd_dcbx, cmd_cn};

	(void)state;
	strcpy(path, server.path);
	strcpy(server.path, "/tmp/test_cli.nowhere");
	for (size_t i = 0; i < UNIT_COUNT(commands); i++) {
		struct ran ran = RUN_ALL(commands[i], true);

		snprintf(want, sizeof(want), "dcbctl: ");
		assert_memory_equal(ran.err, want, strlen(want));
		assert_int_equal(ran.rc, CLI_FAILED);
		assert_string_equal(ran.out, "");
		free(ran.out);
	}
	strcpy(server.path, path);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_no_neighbors),
	    cmocka_unit_test(test_neighbors_text),
	    cmocka_unit_test(test_neighbors_json),
	    cmocka_unit_test(test_neighbors_json_without_tlvs),
	    cmocka_unit_test(test_utf8_names_are_aligned),
	    cmocka_unit_test(test_arguments_are_ports_of_dcbd),
	    cmocka_unit_test(test_names_of_ports_are_those_of_dcbd),
	    cmocka_unit_test(test_unreachable_dcbd_is_reported),
	};

	return cmocka_run_group_tests(tests, start_server, stop_server);
}
