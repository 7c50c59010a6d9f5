/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of dcbd for dcbctl neighbors, dcbx and cn: two ports and their neighbors. */
#ifndef DCB_TESTS_CLI_PORTS_H
#define DCB_TESTS_CLI_PORTS_H

#include "tests/unit/cli_server.h"

/* Ports of dcbd that have no name. */
#define P "70001"
#define Q "70002"

static inline void put_basic(void)
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

static inline void put_neighbor(const char *port, const char *number)
{
	char index[32];

	snprintf(index, sizeof(index), "%s.%s", port, number);
	server_put("dcbNeighborChassisId", index, "spine-1");
	server_put("dcbNeighborPortId", index, "swp7");
	server_put("dcbNeighborSystemName", index, "spine-1.example");
	server_put("dcbNeighborManagement", index, "192.0.2.7");
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

static inline void put_tlvs(void)
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

static inline json_t *at(json_t *j, const char *key)
{
	json_t *found = json_object_get(j, key);

	if (!found)
		fail_msg("no %s", key);
	return found;
}

static inline void expect_dump(json_t *j, const char *want)
{
	char *text = json_dumps(j, JSON_COMPACT | JSON_ENCODE_ANY);

	assert_string_equal(text, want);
	free(text);
}

#endif
