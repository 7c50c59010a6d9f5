/* SPDX-License-Identifier: BSD-3-Clause */
/* dcbctl dcbx: its text and JSON output for given rows. */
#include <string.h>

#include "tests/unit/agent/cli/cli_ports.h"

/* --- dcbx ------------------------------------------------------------------------------ */

static void put_dcbx(void)
{
	put_basic();
	put_neighbor(P, "1");
	put_tlvs();
	server_put("dcbDcbxPortTlvsSent", P, "ets,pfc,applicationPriority,applicationVlan");
	server_put("dcbDcbxPortPfcAdmin", P, "pri3");
	server_put("lldpXdot1dcbxAdminPFCWilling", P, "true");
	server_put("dcbDcbxPortPfcWilling", P, "true");
	server_put("dcbDcbxPortPfcPeer", P, "pri3,pri5");
	server_put("dcbDcbxPortPfcInForce", P, "pri3,pri5");
	server_put("lldpXdot1dcbxLocPFCEnableEnabled", P ".3", "true");
	server_put("lldpXdot1dcbxLocPFCEnableEnabled", P ".5", "true");
	server_put("dcbDcbxPortPfcReason", P, "taken");
	server_put("dcbDcbxPortEtsReason", P, "unusable");
	server_put("dcbDcbxPortEtsInForce", P, "true");
	server_put("dcbDcbxPortEtsPeerWilling", P, "true");
	server_put("lldpXdot1dcbxAdminETSConTrafficSelectionAlgorithm", P ".0",
		   "tsaEnhancedTransmission");
	server_put("lldpXdot1dcbxAdminETSConTrafficClassBandwidth", P ".0", "100");
	server_put("lldpXdot1dcbxLocETSConTrafficSelectionAlgorithm", P ".0",
		   "tsaEnhancedTransmission");
	server_put("lldpXdot1dcbxLocETSConTrafficClassBandwidth", P ".0", "100");
	server_put("lldpXdot1dcbxAdminApplicationPriorityAEPriority", P ".5.46", "6");
	server_put("lldpXdot1dcbxLocApplicationPriorityAEPriority", P ".5.46", "6");
	server_put("lldpXdot1dcbxAdminApplicationVlanAEVlanId", P ".5.46", "9");
	server_put("lldpXdot1dcbxLocApplicationVlanAEVlanId", P ".5.46", "9");
	server_put("dcbDcbxPortMismatch", P, "capability,ets");
	server_put("dcbDcbxPortPfcUntagged", P, "pri5");
}

static void test_dcbx_text(void **state)
{
	(void)state;
	put_dcbx();
	expect_out(
	    RUN_ALL(cmd_dcbx, false),
	    "port   attribute             set        sent         received               "
	    "             in force   why\n"
	    "70001  PFC                   3 willing  3,5 willing  3,5                    "
	    "             3,5        willing: the neighbor's configuration\n"
	    "70001  ETS                   0-7:100%   0-7:100%     0-2,4-6:60% 3:40% "
	    "7:strict willing  0-7:100%   the port does not support the "
	    "recommendation: local configuration\n"
	    "70001  ETS recommendation    strict     -            TC 4:100% TC 5:vendor  "
	    "             -          recommended to the neighbor\n"
	    "70001  application priority  dscp 46:6  dscp 46:6    ethertype 0x8906:3, "
	    "tcp 3260:4      dscp 46:6  local configuration\n"
	    "70001  application VLAN      dscp 46:9  dscp 46:9    ethertype 0x8906:1002, "
	    "udp 4420:20  -          announced, not negotiated\n"
	    "70002  PFC                   none       -            -                      "
	    "             none       not negotiated: the port does not send the TLV\n"
	    "70002  ETS                   strict     -            -                      "
	    "             strict     not negotiated: the port does not send the TLV\n"
	    "70002  ETS recommendation    strict     -            -                      "
	    "             -          recommended to the neighbor\n"
	    "70002  application priority  none       -            -                      "
	    "             none       local configuration\n"
	    "70002  application VLAN      none       -            -                      "
	    "             -          announced, not negotiated\n"
	    "\n"
	    "70001: mismatch: PFC is enabled for more priorities than the neighbor "
	    "supports\n"
	    "70001: mismatch: the port does not support the ETS that the neighbor recommends\n"
	    "70001: frames of priority 5 leave untagged: PFC does not protect them at the "
	    "neighbor\n");
}

/* --- headroom: both ends' bits and delays, the way in use and its reason --------------- */

static void put_way(void)
{
	put_basic();
	put_neighbor(P, "1");
	server_put("dcbPfcWayAdvertise", P, "p8021qdt");
	server_put("dcbPfcWayMeasurement", P, "true");
	server_put("dcbPfcWayPtp", P, "true");
	server_put("dcbPfcWayMacsec", P, "false");
	server_put("dcbPfcWayPrivacy", P, "false");
	server_put("dcbPfcWaySendDelay", P, "true");
	server_put("dcbPfcWayLocalBits", P, "measurement,ptp");
	server_put("dcbPfcWayRemoteBits", P, "mbc,macsec,privacy,measurement");
	server_put("dcbPfcWayAgreedBits", P, "measurement");
	server_put("dcbPfcWayInUse", P, "measured");
	server_put("dcbPfcWayReason", P, "agreed");
	server_put("dcbPfcWayLocalDelay", P, "6026");
	server_put("dcbPfcWayPeerDelay", P, "5000");
}

static void test_dcbx_shows_way_of_headroom(void **state)
{
	json_t *j;

	(void)state;
	put_way();
	expect_out(
	    RUN(cmd_dcbx, false, P),
	    "port   attribute             set               sent                             "
	    "received                                                       in force  why\n"
	    "70001  PFC                   none              -                                "
	    "-                                                              none      "
	    "not negotiated: the port does not send the TLV\n"
	    "70001  PFC headroom          measurement, PTP  measurement, PTP, delay 6026 ns  "
	    "no MACsec bypass, MACsec, privacy, measurement, delay 5000 ns  measured  "
	    "both ends support it\n"
	    "70001  ETS                   strict            -                                "
	    "-                                                              strict    "
	    "not negotiated: the port does not send the TLV\n"
	    "70001  ETS recommendation    strict            -                                "
	    "-                                                              -         "
	    "recommended to the neighbor\n"
	    "70001  application priority  none              -                                "
	    "-                                                              none      "
	    "local configuration\n"
	    "70001  application VLAN      none              -                                "
	    "-                                                              -         "
	    "announced, not negotiated\n");
	j = expect_json(RUN(cmd_dcbx, true, P));
	expect_dump(at(json_array_get(j, 0), "headroom"),
		    "{\"set\":{\"format\":\"p8021qdt\",\"bits\":[\"measurement\",\"ptp\"],"
		    "\"sendDelay\":true},"
		    "\"sent\":{\"bits\":[\"measurement\",\"ptp\"],\"delay\":6026},"
		    "\"theirs\":{\"bits\":[\"mbc\",\"macsec\",\"privacy\",\"measurement\"],"
		    "\"delay\":5000},"
		    "\"agreed\":[\"measurement\"],\"inForce\":\"measured\","
		    "\"reason\":\"agreed\",\"why\":\"both ends support it\"}");
	json_decref(j);
}

static void test_each_reason_of_the_way_has_a_sentence(void **state)
{
	static const char *const reasons[][2] = {
	    {"off", "not negotiated: the port offers no other way"},
	    {"noPeer", "no neighbor"},
	    {"manyPeers", "several neighbors send DCBX TLVs, expected one"},
	    {"peerSilent", "the neighbor sends no valid PFC TLV"},
	    {"peer2018", "the neighbor's PFC TLV has a length of 6"},
	    {"notCommon", "no way is supported at both ends"},
	    {"noPfc", "PFC is enabled for no priority at one end"},
	    {"agreed", "both ends support it"},
	    {"preferred", "both ends support both ways: measurement is preferred"},
	    {"held",
	     "the neighbor changes its TLVs too often: held until it is quiet for a minute"},
	    {"notMeasuring",
	     "only measurement is left, and dcbPfcMeasureEnable of the port is off"},
	};

	(void)state;
	put_way();
	server_put("dcbPfcWayLocalDelay", P, "0");
	for (size_t i = 0; i < UNIT_COUNT(reasons); i++) {
		json_t *j, *headroom;

		server_put("dcbPfcWayReason", P, reasons[i][0]);
		j = expect_json(RUN(cmd_dcbx, true, P));
		headroom = at(json_array_get(j, 0), "headroom");
		assert_string_equal(json_string_value(at(headroom, "reason")), reasons[i][0]);
		assert_string_equal(json_string_value(at(headroom, "why")), reasons[i][1]);
		assert_true(json_is_null(at(at(headroom, "sent"), "delay")));
		json_decref(j);
	}
	/* A port without PFC. */
	put_basic();
	{
		json_t *j = expect_json(RUN(cmd_dcbx, true, P));

		assert_true(json_is_null(at(json_array_get(j, 0), "headroom")));
		json_decref(j);
	}
}

/* Each reason has a sentence of its own. */
static void test_dcbx_reasons(void **state)
{
	static const char *const reasons[][2] = {
	    {"off", "not negotiated: the port does not send the TLV"},
	    {"noPeer", "no neighbor: local configuration"},
	    {"manyPeers", "2 neighbors send DCBX TLVs, expected one: local configuration"},
	    {"peerSilent", "the neighbors send no PFC TLV: local configuration"},
	    {"notWilling", "not willing: local configuration"},
	    {"peerTakes",
	     "both willing, the neighbor has the lower MAC address: local configuration"},
	    {"taken", "willing: the neighbor's configuration"},
	    {"undecided", "both willing, no MAC address to break the tie: local configuration"},
	    {"unusable", "the port does not support the recommendation: local configuration"},
	};

	(void)state;
	put_basic();
	server_put("dcbDcbxPortNeighbors", P, "3");
	server_put("dcbDcbxPortPeers", P, "2");
	for (size_t i = 0; i < UNIT_COUNT(reasons); i++) {
		json_t *j, *pfc;

		server_put("dcbDcbxPortPfcReason", P, reasons[i][0]);
		j = expect_json(RUN(cmd_dcbx, true, P));
		pfc = at(json_array_get(j, 0), "pfc");
		assert_string_equal(json_string_value(at(pfc, "reason")), reasons[i][0]);
		assert_string_equal(json_string_value(at(pfc, "why")), reasons[i][1]);
		json_decref(j);
	}
	/* A malformed TLV has another sentence than one that is not sent. */
	put_neighbor(P, "1");
	server_put("dcbNeighborMalformedTlvs", P ".1", "pfc");
	server_put("dcbDcbxPortPfcReason", P, "peerSilent");
	{
		json_t *j = expect_json(RUN(cmd_dcbx, true, P));

		assert_string_equal(json_string_value(at(at(json_array_get(j, 0), "pfc"), "why")),
				    "the neighbor sends no valid PFC TLV: local configuration");
		json_decref(j);
	}
}

/* A neighbor with a version of DCBX before the standard is named, as text and in JSON. */
static void test_old_dcbx_is_named(void **state)
{
	static const char *const cases[][3] = {
	    {"cee", "CEE DCBX", "[\"cee\"]"},
	    {"cin", "CIN DCBX", "[\"cin\"]"},
	    {"cee,cin", "CEE and CIN DCBX", "[\"cee\",\"cin\"]"},
	};

	(void)state;
	for (size_t i = 0; i < UNIT_COUNT(cases); i++) {
		char text[256];
		struct ran ran;
		json_t *j;

		put_basic();
		put_neighbor(P, "1");
		server_put("dcbNeighborDcbx", P ".1", cases[i][0]);
		server_put("dcbDcbxPortPfcReason", P, "peerSilent");
		snprintf(text, sizeof(text),
			 "the neighbor speaks %s, and sends no PFC TLV: local configuration\n",
			 cases[i][1]);
		ran = RUN(cmd_dcbx, false, P);
		assert_int_equal(ran.rc, CLI_OK);
		assert_non_null(strstr(ran.out, text));
		free(ran.out);
		j = expect_json(RUN(cmd_dcbx, true, P));
		expect_dump(at(json_array_get(j, 0), "peerDcbx"), cases[i][2]);
		json_decref(j);
		snprintf(text, sizeof(text),
			 "port   neighbor  its port  system             TTL  unchanged  TLVs\n"
			 "70001  spine-1   swp7      spine-1.example  120 s       12 s  %s\n",
			 cases[i][1]);
		expect_out(RUN(cmd_neighbors, false, P), text);
	}
}

/* Of several neighbors the one that DCBX uses is named, and its TLVs are shown. */
static void test_dcbx_names_the_neighbor_in_use(void **state)
{
	struct ran ran;
	json_t *j, *p;

	(void)state;
	put_dcbx();
	put_neighbor(P, "4");
	server_put("dcbNeighborChassisId", P ".4", "nic-firmware");
	server_put("dcbNeighborChassisId", P ".1", "a\x1b[31mred");
	server_put("dcbDcbxPortPeer", P, "1");
	server_put("dcbDcbxPortNeighbors", P, "2");
	ran = RUN(cmd_dcbx, false, P);
	assert_int_equal(ran.rc, CLI_OK);
	assert_non_null(strstr(ran.out,
			       "\n\n70001: 2 neighbors: DCBX uses the TLVs of a?[31mred "
			       "(swp7), the others send none\n70001: mismatch: "));
	free(ran.out);
	j = expect_json(RUN(cmd_dcbx, true, P));
	p = json_array_get(j, 0);
	expect_dump(at(p, "peer"), "1");
	expect_dump(at(p, "neighbors"), "2");
	expect_dump(at(at(at(p, "pfc"), "theirs"), "enable"), "[3,5]");
	json_decref(j);
}

static void test_dcbx_json(void **state)
{
	json_t *j, *p, *q;

	(void)state;
	put_dcbx();
	j = expect_json(RUN_ALL(cmd_dcbx, true));
	assert_int_equal(json_array_size(j), 2);
	p = json_array_get(j, 0);
	q = json_array_get(j, 1);
	expect_dump(at(p, "neighbors"), "1");
	expect_dump(at(p, "peer"), "1");
	expect_dump(at(q, "peer"), "null");
	expect_dump(at(p, "mismatch"), "[\"capability\",\"ets\"]");
	expect_dump(at(p, "tlvsSent"),
		    "[\"ets\",\"pfc\",\"applicationPriority\",\"applicationVlan\"]");
	expect_dump(at(at(p, "pfc"), "inForce"), "[3,5]");
	expect_dump(at(at(p, "pfc"), "untagged"), "[5]");
	expect_dump(at(at(at(p, "pfc"), "set"), "willing"), "true");
	expect_dump(at(at(at(p, "pfc"), "theirs"), "enable"), "[3,5]");
	expect_dump(at(at(at(p, "ets"), "inForce"), "bandwidth"), "[100,0,0,0,0,0,0,0]");
	expect_dump(at(at(at(p, "ets"), "theirs"), "trafficClass"), "[0,0,0,1,0,0,0,2]");
	expect_dump(at(at(p, "etsRecommendation"), "sent"), "null");
	expect_dump(at(at(at(p, "etsRecommendation"), "theirs"), "bandwidth"),
		    "[0,0,0,0,100,0,0,0]");
	expect_dump(at(at(p, "applicationPriorities"), "sent"),
		    "[{\"selector\":\"dscp\",\"protocol\":46,\"priority\":6}]");
	expect_dump(at(at(p, "applicationVlans"), "set"),
		    "[{\"selector\":\"dscp\",\"protocol\":46,\"vlan\":9}]");
	expect_dump(at(at(p, "applicationVlans"), "sent"),
		    "[{\"selector\":\"dscp\",\"protocol\":46,\"vlan\":9}]");
	expect_dump(json_array_get(at(at(p, "applicationVlans"), "theirs"), 1),
		    "{\"selector\":\"udp\",\"protocol\":4420,\"vlan\":20}");
	expect_dump(at(at(p, "applicationPriorities"), "inForce"),
		    "[{\"selector\":\"dscp\",\"protocol\":46,\"priority\":6}]");
	expect_dump(at(at(p, "applicationPriorities"), "why"), "\"local configuration\"");
	/* The members are the same if a port has no neighbor and no settings. */
	expect_dump(at(q, "mismatch"), "[]");
	expect_dump(at(at(q, "pfc"), "inForce"), "[]");
	expect_dump(at(at(q, "pfc"), "theirs"), "null");
	expect_dump(at(at(q, "ets"), "inForce"), "null");
	expect_dump(at(at(q, "applicationPriorities"), "set"), "[]");
	expect_dump(at(at(q, "applicationPriorities"), "sent"), "[]");
	expect_dump(at(at(q, "applicationPriorities"), "theirs"), "[]");
	expect_dump(at(at(q, "applicationVlans"), "set"), "[]");
	expect_dump(at(at(q, "applicationVlans"), "sent"), "[]");
	expect_dump(at(at(q, "applicationVlans"), "theirs"), "[]");
	json_decref(j);
}

static void test_dcbx_application_priorities_of_the_neighbor(void **state)
{
	struct ran ran;
	json_t *j, *apps;

	(void)state;
	put_dcbx();
	server_put("lldpXdot1dcbxLocApplicationPriorityAEPriority", P ".5.46", "7");
	ran = RUN(cmd_dcbx, false, P);
	assert_int_equal(ran.rc, CLI_OK);
	assert_non_null(strstr(ran.out, "  dscp 46:7  willing: the neighbor's configuration\n"));
	free(ran.out);
	j = expect_json(RUN(cmd_dcbx, true, P));
	apps = at(json_array_get(j, 0), "applicationPriorities");
	expect_dump(at(apps, "set"), "[{\"selector\":\"dscp\",\"protocol\":46,\"priority\":6}]");
	expect_dump(at(apps, "inForce"),
		    "[{\"selector\":\"dscp\",\"protocol\":46,\"priority\":7}]");
	expect_dump(at(apps, "why"), "\"willing: the neighbor's configuration\"");
	json_decref(j);
}

/* The greatest number of application priorities: text is cut, JSON has all. */
static void test_dcbx_cuts_application_priorities_in_text(void **state)
{
	struct ran ran;
	json_t *j;
	char index[64];

	(void)state;
	put_basic();
	for (unsigned i = 0; i < 64; i++) {
		snprintf(index, sizeof(index), P ".4.%u", 60000 + i);
		server_put("lldpXdot1dcbxAdminApplicationPriorityAEPriority", index, "7");
	}
	ran = RUN(cmd_dcbx, false, P);
	assert_int_equal(ran.rc, CLI_OK);
	assert_non_null(strstr(ran.out, "tcp/udp 60000:7, tcp/udp 60001:7, "));
	assert_non_null(strstr(ran.out, ", ..."));
	free(ran.out);
	j = expect_json(RUN(cmd_dcbx, true, P));
	assert_int_equal(
	    json_array_size(at(at(json_array_get(j, 0), "applicationPriorities"), "set")), 64);
	json_decref(j);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_dcbx_text),
	    cmocka_unit_test(test_dcbx_shows_way_of_headroom),
	    cmocka_unit_test(test_each_reason_of_the_way_has_a_sentence),
	    cmocka_unit_test(test_dcbx_reasons),
	    cmocka_unit_test(test_dcbx_names_the_neighbor_in_use),
	    cmocka_unit_test(test_old_dcbx_is_named),
	    cmocka_unit_test(test_dcbx_json),
	    cmocka_unit_test(test_dcbx_application_priorities_of_the_neighbor),
	    cmocka_unit_test(test_dcbx_cuts_application_priorities_in_text),
	};

	return cmocka_run_group_tests(tests, start_server, stop_server);
}
