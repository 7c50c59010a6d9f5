/* SPDX-License-Identifier: BSD-3-Clause */
/* dcbctl neighbors, dcbx and cn: their text and JSON output for given rows. */
#include <net/if.h>
#include <string.h>

#include "tests/unit/cli_server.h"

/* Ports of dcbd that have no name. */
#define P "70001"
#define Q "70002"

/* --- rows of dcbd ----------------------------------------------------------------------------- */

static void put_basic(void)
{
	server_clear();
	server_put("dcbAgentUpTime", "0", "100000");
	server_put("dcbLldpState", "0", "connected");
	server_put("ieee8021CnGlobalMasterEnable", "1", "true");
	for (const char *const *p = (const char *const[]){P, Q, NULL}; *p; p++) {
		server_put("dcbDcbxPortPfcReason", *p, "off");
		server_put("dcbDcbxPortEtsReason", *p, "off");
		server_put("dcbPortOperational", *p, "true");
		server_put("lldpXdot1dcbxAdminPFCCap", *p, "8");
		server_put("lldpXdot1dcbxLocPFCCap", *p, "8");
		server_put("lldpXdot1dcbxAdminETSConTrafficClassesSupported", *p, "8");
		server_put("lldpXdot1dcbxLocETSConTrafficClassesSupported", *p, "8");
	}
}

static void put_neighbor(const char *port, const char *number)
{
	char index[32];

	snprintf(index, sizeof(index), "%s.%s", port, number);
	server_put("dcbNeighborChassisId", index, "spine-1");
	server_put("dcbNeighborPortId", index, "swp7");
	server_put("dcbNeighborSystemName", index, "spine-1.example");
	server_put("dcbNeighborAddress", index, "00-1b-21-00-00-07");
	server_put("dcbNeighborAddressOrigin", index, "source");
	server_put("dcbNeighborTtl", index, "120");
	server_put("dcbNeighborTimeMark", index, "98800");
	server_put("dcbNeighborStale", index, "false");
	server_put("dcbDcbxPortNeighbors", port, number);
	server_put("dcbDcbxPortPeer", port, number);
}

/* Index of lldpV2Rem... tables: time mark, port, destination address, neighbor. */
#define REM "98800." P ".1.1"

static void put_tlvs(void)
{
	server_put("dcbNeighborTlvs", P ".1",
		   "cn,ets,etsRecommendation,pfc,applicationPriority,pfcDelay,applicationVlan");
	server_put("lldpV2Xdot1RemCNPVIndicators", REM, "pri3status,pri5status");
	server_put("lldpV2Xdot1RemReadyIndicators", REM, "pri3status");
	server_put("lldpXdot1dcbxRemETSConTrafficClassesSupported", REM, "3");
	server_put("lldpXdot1dcbxRemETSConWilling", REM, "true");
	server_put("lldpXdot1dcbxRemETSConPriTrafficClass", REM ".3", "1");
	server_put("lldpXdot1dcbxRemETSConPriTrafficClass", REM ".7", "2");
	server_put("lldpXdot1dcbxRemETSConTrafficClassBandwidth", REM ".0", "60");
	server_put("lldpXdot1dcbxRemETSConTrafficClassBandwidth", REM ".1", "40");
	server_put("lldpXdot1dcbxRemETSConTrafficSelectionAlgorithm", REM ".0",
		   "tsaEnhancedTransmission");
	server_put("lldpXdot1dcbxRemETSConTrafficSelectionAlgorithm", REM ".1",
		   "tsaEnhancedTransmission");
	server_put("lldpXdot1dcbxRemETSRecoTrafficClassBandwidth", REM ".4", "100");
	server_put("lldpXdot1dcbxRemETSRecoTrafficSelectionAlgorithm", REM ".4",
		   "tsaEnhancedTransmission");
	server_put("lldpXdot1dcbxRemETSRecoTrafficSelectionAlgorithm", REM ".5",
		   "tsaVendorSpecific");
	server_put("lldpXdot1dcbxRemPFCWilling", REM, "false");
	server_put("lldpXdot1dcbxRemPFCMBC", REM, "true");
	server_put("lldpXdot1dcbxRemPFCCap", REM, "4");
	server_put("lldpXdot1dcbxRemPFCEnableEnabled", REM ".2", "false");
	server_put("lldpXdot1dcbxRemPFCEnableEnabled", REM ".3", "true");
	server_put("lldpXdot1dcbxRemPFCEnableEnabled", REM ".5", "true");
	server_put("lldpXdot1dcbxRemApplicationPriorityAEPriority", REM ".1.35078", "3");
	server_put("lldpXdot1dcbxRemApplicationPriorityAEPriority", REM ".2.3260", "4");
	server_put("lldpXdot1dcbxRemApplicationVlanAEVlanId", REM ".1.35078", "1002");
	server_put("lldpXdot1dcbxRemApplicationVlanAEVlanId", REM ".3.4420", "20");
	server_put("dcbNeighborPfcDelay", P ".1", "1234");
	server_put("dcbNeighborPfcBits", P ".1", "mbc,measurement,ptp");
	server_put("dcbNeighborDcbx", P ".1", "ieee");
}

/* --- neighbors ------------------------------------------------------------------------------- */

static void test_no_neighbors(void **state)
{
	(void)state;
	put_basic();
	expect_out(run(cmd_neighbors, false, (const char *const[]){NULL}), "no neighbors\n");
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
	    run(cmd_neighbors, false, (const char *const[]){NULL}),
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

static json_t *at(json_t *j, const char *key)
{
	json_t *found = json_object_get(j, key);

	if (!found)
		fail_msg("no %s", key);
	return found;
}

static void expect_dump(json_t *j, const char *want)
{
	char *text = json_dumps(j, JSON_COMPACT | JSON_ENCODE_ANY);

	assert_string_equal(text, want);
	free(text);
}

static void test_neighbors_json(void **state)
{
	json_t *j, *port, *n;

	(void)state;
	put_basic();
	put_neighbor(P, "1");
	put_tlvs();
	j = expect_json(run(cmd_neighbors, true, (const char *const[]){NULL}));
	assert_int_equal(json_array_size(j), 2);
	port = json_array_get(j, 1);
	expect_dump(port,
		    "{\"version\":1,\"ifIndex\":70002,\"port\":\"70002\",\"lldp\":\"connected\","
		    "\"neighbours\":[],\"neighbors\":[]}");
	port = json_array_get(j, 0);
	assert_int_equal(json_array_size(at(port, "neighbors")), 1);
	assert_true(json_equal(at(port, "neighbours"), at(port, "neighbors")));
	n = json_array_get(at(port, "neighbors"), 0);
	expect_dump(at(n, "index"), "1");
	expect_dump(at(n, "chassisId"), "\"spine-1\"");
	expect_dump(at(n, "address"), "\"00-1b-21-00-00-07\"");
	expect_dump(at(n, "addressOrigin"), "\"source\"");
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
	expect_out(run(cmd_neighbors, false, (const char *const[]){NULL}),
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
	server_put("dcbNeighborSystemName", Q ".1", "\xff\"\\\n<b>");
	j = expect_json(RUN(cmd_neighbors, true, Q));
	assert_int_equal(json_array_size(j), 1);
	n = json_array_get(at(json_array_get(j, 0), "neighbors"), 0);
	for (size_t i = 0; i < UNIT_COUNT(tlvs); i++)
		assert_true(json_is_null(at(n, tlvs[i])));
	expect_dump(at(n, "applicationPriorities"), "[]");
	expect_dump(at(n, "applicationVlans"), "[]");
	expect_dump(at(n, "address"), "null");
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

/* --- dcbx ------------------------------------------------------------------------------------- */

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
	    run(cmd_dcbx, false, (const char *const[]){NULL}),
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

/* --- headroom: both ends' bits and delays, the way in use and its reason -----------------------
 */

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
	j = expect_json(run(cmd_dcbx, true, (const char *const[]){NULL}));
	assert_int_equal(json_array_size(j), 2);
	p = json_array_get(j, 0);
	q = json_array_get(j, 1);
	expect_dump(at(p, "neighbors"), "1");
	expect_dump(at(p, "neighbours"), "1");
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

/* --- cn --------------------------------------------------------------------------------------- */

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
	    run(cmd_cn, false, (const char *const[]){NULL}),
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
	j = expect_json(run(cmd_cn, true, (const char *const[]){NULL}));
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

/* What happens to frames of the CNPV that the grid does not tell. */
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
		ran = run(cmd_cn, false, (const char *const[]){NULL});
		assert_int_equal(ran.rc, CLI_OK);
		assert_int_equal(strstr(ran.out, "70001: frames received") != NULL,
				 strcmp(roles[i], "station") != 0);
		assert_null(strstr(ran.out, "70002: frames received"));
		free(ran.out);
	}
}

static void test_unreachable_dcbd_is_reported(void **state)
{
	char path[sizeof(server.path)], want[256];
	command_fn *const commands[] = {cmd_neighbors, cmd_dcbx, cmd_cn};

	(void)state;
	strcpy(path, server.path);
	strcpy(server.path, "/tmp/test_cli.nowhere");
	for (size_t i = 0; i < UNIT_COUNT(commands); i++) {
		struct ran ran = run(commands[i], true, (const char *const[]){NULL});

		snprintf(want, sizeof(want), "dcbctl: ");
		assert_memory_equal(ran.err, want, strlen(want));
		assert_int_equal(ran.rc, CLI_FAILED);
		assert_string_equal(ran.out, "");
		free(ran.out);
	}
	strcpy(server.path, path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_no_neighbors),
	    cmocka_unit_test(test_neighbors_text),
	    cmocka_unit_test(test_neighbors_json),
	    cmocka_unit_test(test_neighbors_json_without_tlvs),
	    cmocka_unit_test(test_utf8_names_are_aligned),
	    cmocka_unit_test(test_arguments_are_ports_of_dcbd),
	    cmocka_unit_test(test_names_of_ports_are_those_of_dcbd),
	    cmocka_unit_test(test_dcbx_text),
	    cmocka_unit_test(test_dcbx_shows_way_of_headroom),
	    cmocka_unit_test(test_each_reason_of_the_way_has_a_sentence),
	    cmocka_unit_test(test_dcbx_reasons),
	    cmocka_unit_test(test_dcbx_names_the_neighbor_in_use),
	    cmocka_unit_test(test_old_dcbx_is_named),
	    cmocka_unit_test(test_dcbx_json),
	    cmocka_unit_test(test_dcbx_application_priorities_of_the_neighbor),
	    cmocka_unit_test(test_dcbx_cuts_application_priorities_in_text),
	    cmocka_unit_test(test_cn_reasons),
	    cmocka_unit_test(test_cn_text),
	    cmocka_unit_test(test_cn_json),
	    cmocka_unit_test(test_cn_notes_lost_priorities),
	    cmocka_unit_test(test_cn_received_priority_depends_on_the_port),
	    cmocka_unit_test(test_unreachable_dcbd_is_reported),
	};

	return cmocka_run_group_tests(tests, start_server, stop_server);
}
