/* SPDX-License-Identifier: BSD-3-Clause */
/* dcbctl cn: its text and JSON output for given rows. */
#include <string.h>

#include "tests/unit/agent/cli/cli_ports.h"

#define CNPV "1.3." P

static void put_cnpv(void)
{
	put_basic();
	server_put("ieee8021CnComPriRowStatus", "1.3", "active");
	server_put("ieee8021CnComPriLldpInstanceChoice", "1.3", "cnlAdmin");
	server_put("ieee8021CnPortPriLldpInstanceChoice", CNPV, "cnlComponent");
	server_put("dcbCnPortState", CNPV, "edge");
	server_put("dcbCnPortIsAdmin", CNPV, "false");
	server_put("dcbCnPortDefenseMode", CNPV, "cptEdge");
	server_put("dcbCnPortAlternatePriority", CNPV, "2");
	server_put("dcbCnPortLldpInstance", CNPV, "1");
	server_put("dcbCnPortXmitCnpvCapable", CNPV, "true");
	server_put("dcbCnPortModeChanges", CNPV, "4");
}

static void expect_why(const char *want)
{
	json_t *j = expect_json(RUN(cmd_cn, true, P));
	json_t *cnpvs = at(json_array_get(j, 0), "cnpvs");

	assert_int_equal(json_array_size(cnpvs), 1);
	assert_string_equal(json_string_value(at(json_array_get(cnpvs, 0), "why")), want);
	json_decref(j);
}

static void test_cn_reasons(void **state)
{
	(void)state;
	put_cnpv();
	expect_why("edge: no neighbor");
	server_put("dcbLldpState", "0", "connecting");
	expect_why("edge: the LLDP agent does not answer");
	server_put("dcbLldpState", "0", "mismatch");
	expect_why("edge: lldpd and liblldpctl have different versions");
	server_put("dcbPortOperational", P, "false");
	expect_why("edge: the link is down");
	server_put("dcbPortOpenError", P, "a: pcap_activate: Too many open files");
	expect_why("edge: dcbd cannot open the interface");
	server_put("dcbLldpState", "0", "off");
	expect_why("edge: LLDP is off");
	server_put("dcbLldpState", "0", "connected");
	server_put("dcbPortOperational", P, "true");
	put_neighbor(P, "1");
	expect_why("edge: the neighbor sends no CN TLV");
	server_put("dcbNeighborMalformedTlvs", P ".1", "cn");
	expect_why("edge: the neighbor's CN TLV is malformed");
	server_put("dcbNeighborMalformedTlvs", P ".1", "pfc");
	server_put("dcbNeighborTlvs", P ".1", "cn");
	expect_why("edge: priority 3 is not a CNPV of the neighbor");
	put_neighbor(P, "2");
	expect_why("edge: 2 neighbors, expected one");
	server_put("dcbCnPortLldpInstance", CNPV, "0");
	expect_why("edge: dcbd does not serve the selected LLDP instance");
	server_put("ieee8021CnComPriLldpInstanceChoice", "1.3", "cnlNone");
	expect_why("edge: the LLDP instance choice is cnlNone");
	server_put("ieee8021CnPortPriLldpInstanceChoice", CNPV, "cnlAdmin");
	expect_why("edge: dcbd does not serve the selected LLDP instance");
	server_put("dcbCnPortState", CNPV, "interior");
	expect_why("interior: the neighbor is not ready yet");
	server_put("dcbCnPortState", CNPV, "interiorReady");
	expect_why("interiorReady: the neighbor is ready too");
	server_put("dcbCnPortIsAdmin", CNPV, "true");
	expect_why("set by management");
	server_put("ieee8021CnComPriRowStatus", "1.3", "notInService");
	expect_why("the CNPV is not active");
	server_put("ieee8021CnGlobalMasterEnable", "1", "false");
	expect_why("congestion notification is switched off");
}

static void test_cn_text(void **state)
{
	(void)state;
	put_basic();
	expect_out(RUN(cmd_cn, false, P), "no CNPVs\n");
	put_cnpv();
	put_neighbor(P, "1");
	server_put("dcbDcbxPortTlvsSent", P, "cn");
	server_put("dcbCnPortState", CNPV, "interiorReady");
	server_put("dcbCnPortDefenseMode", CNPV, "cptInteriorReady");
	server_put("dcbCnPortXmitReady", CNPV, "true");
	server_put("dcbCnPortRcvdCnpv", CNPV, "true");
	server_put("dcbCnPortRcvdReady", CNPV, "true");
	/* This port does not send the TLV, and its mode is set by the administrator. */
	server_put("dcbCnPortState", "1.3." Q, "disabled");
	server_put("dcbCnPortIsAdmin", "1.3." Q, "true");
	server_put("dcbCnPortDefenseMode", "1.3." Q, "cptInterior");
	server_put("dcbCnPortXmitCnpvCapable", "1.3." Q, "true");
	/* Rows are ordered by port first. */
	server_put("ieee8021CnComPriRowStatus", "1.5", "active");
	server_put("dcbCnPortState", "1.5." P, "disabled");
	server_put("dcbCnPortIsAdmin", "1.5." P, "true");
	server_put("dcbCnPortDefenseMode", "1.5." P, "cptDisabled");
	expect_out(
	    RUN_ALL(cmd_cn, false),
	    "port   CNPV  state          defense mode      alternate  CN-TAGs   sent         "
	    "received     why\n"
	    "70001     3  interiorReady  cptInteriorReady          2  kept      CNPV, ready  "
	    "CNPV, ready  interiorReady: the neighbor is ready too\n"
	    "70001     5  disabled       cptDisabled               0  -         -            "
	    "-            set by management\n"
	    "70002     3  disabled       cptInterior               0  stripped  -            "
	    "-            set by management\n");
}

static void test_cn_json(void **state)
{
	json_t *j;

	(void)state;
	put_cnpv();
	server_put("dcbDcbxPortTlvsSent", P, "cn");
	j = expect_json(RUN_ALL(cmd_cn, true));
	expect_dump(
	    j,
	    "[{\"version\":1,\"ifIndex\":70001,\"port\":\"70001\",\"cnpvs\":[{\"priority\":3,"
	    "\"state\":\"edge\",\"administrative\":false,\"defenseMode\":\"cptEdge\","
	    "\"alternatePriority\":2,\"receivedAs\":3,\"untagged\":false,"
	    "\"cnTags\":\"stripped\",\"lldpInstance\":1,"
	    "\"sent\":{\"cnpv\":true,\"ready\":false},"
	    "\"theirs\":{\"cnpv\":false,\"ready\":false},\"modeChanges\":4,"
	    "\"why\":\"edge: no neighbor\"}]},"
	    "{\"version\":1,\"ifIndex\":70002,\"port\":\"70002\",\"cnpvs\":[]}]");
	json_decref(j);
	server_put("dcbDcbxPortTlvsSent", P, "none");
	server_put("dcbCnPortLldpInstance", CNPV, "0");
	server_put("ieee8021CnGlobalMasterEnable", "1", "false");
	j = expect_json(RUN(cmd_cn, true, P));
	{
		json_t *one = json_array_get(at(json_array_get(j, 0), "cnpvs"), 0);

		expect_dump(at(one, "sent"), "null");
		expect_dump(at(one, "cnTags"), "null");
		expect_dump(at(one, "lldpInstance"), "null");
	}
	json_decref(j);
}

/* What happens to frames of the CNPV that the table does not tell. */
static void test_cn_notes_lost_priorities(void **state)
{
	struct ran ran;
	json_t *j, *one;

	(void)state;
	put_cnpv();
	server_put("dcbVlanPortPvid", P, "1");
	server_put("dcbCnPortUntagged", CNPV, "true");
	ran = RUN(cmd_cn, false, P);
	assert_int_equal(ran.rc, CLI_OK);
	assert_non_null(strstr(ran.out,
			       "edge: no neighbor\n\n"
			       "70001: frames of priority 3 leave untagged: the neighbor "
			       "receives them with its default priority\n"
			       "70001: frames received with priority 3 get priority 2: the "
			       "port is an edge\n"));
	free(ran.out);
	j = expect_json(RUN(cmd_cn, true, P));
	one = json_array_get(at(json_array_get(j, 0), "cnpvs"), 0);
	expect_dump(at(one, "untagged"), "true");
	expect_dump(at(one, "receivedAs"), "2");
	json_decref(j);
	/* Each note is independent of the other one. */
	server_put("dcbCnPortUntagged", CNPV, "false");
	ran = RUN(cmd_cn, false, P);
	assert_null(strstr(ran.out, "leave untagged"));
	assert_non_null(strstr(ran.out, "no neighbor\n\n70001: frames received with"));
	free(ran.out);
	/* An alternate priority that is the CNPV itself, an error, changes nothing. */
	server_put("dcbCnPortAlternatePriority", CNPV, "3");
	ran = RUN(cmd_cn, false, P);
	assert_null(strstr(ran.out, "frames received"));
	free(ran.out);
	server_put("dcbCnPortAlternatePriority", CNPV, "2");
	/* Only an edge maps priorities, and only those in force. */
	server_put("dcbCnPortDefenseMode", CNPV, "cptInterior");
	ran = RUN(cmd_cn, false, P);
	assert_null(strstr(ran.out, "frames received"));
	free(ran.out);
	server_put("dcbCnPortDefenseMode", CNPV, "cptEdge");
	server_put("ieee8021CnGlobalMasterEnable", "1", "false");
	ran = RUN(cmd_cn, false, P);
	assert_null(strstr(ran.out, "frames received"));
	free(ran.out);
}

/* The port of a station maps nothing, whatever dcbd is beside it. */
static void test_cn_received_priority_depends_on_the_port(void **state)
{
	static const char *const roles[] = {"bridge", "rbridge", "station"};

	(void)state;
	for (size_t i = 0; i < UNIT_COUNT(roles); i++) {
		struct ran ran;

		put_cnpv();
		server_put("dcbAgentRole", "0", roles[i]);
		server_put("dcbCnPortState", "1.3." Q, "edge");
		server_put("dcbCnPortDefenseMode", "1.3." Q, "cptEdge");
		server_put("dcbCnPortAlternatePriority", "1.3." Q, "2");
		if (strcmp(roles[i], "station") != 0)
			server_put("dcbVlanPortPvid", P, "1");
		ran = RUN_ALL(cmd_cn, false);
		assert_int_equal(ran.rc, CLI_OK);
		assert_int_equal(strstr(ran.out, "70001: frames received") != NULL,
				 strcmp(roles[i], "station") != 0);
		assert_null(strstr(ran.out, "70002: frames received"));
		free(ran.out);
	}
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_cn_reasons),
	    cmocka_unit_test(test_cn_text),
	    cmocka_unit_test(test_cn_json),
	    cmocka_unit_test(test_cn_notes_lost_priorities),
	    cmocka_unit_test(test_cn_received_priority_depends_on_the_port),
	};

	return cmocka_run_group_tests(tests, start_server, stop_server);
}
