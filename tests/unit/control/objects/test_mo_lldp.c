/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * LLDP-EXT-DOT1-V2-MIB: settings, their consistency and their state file. The tables of
 * neighbors are tested in test_mo_lldp_rem.c.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/mo_world.h"
#include "tests/unit/unit.h"

#define CN_TX        "lldpXdot1CnConfigCnTxEnable"
#define CONFIG(name) "lldpXdot1dcbxConfig" name "TxEnable"
#define LOC(name)    "lldpXdot1dcbxLoc" name
#define REM(name)    "lldpXdot1dcbxRem" name
#define ADMIN(name)  "lldpXdot1dcbxAdmin" name
#define BW           "TrafficClassBandwidth"
#define TSA          "TrafficSelectionAlgorithm"
#define ETS_TSA      "tsaEnhancedTransmission"
#define APP          ADMIN("ApplicationPriorityAEPriority")
#define APP_VLAN     ADMIN("ApplicationVlanAEVlanId")
#define VLAN_STATUS  "dcbDcbxAppVlanRowStatus"
#define COM(name)    "ieee8021CnComPriLldpInstance" name
#define PORT(name)   "ieee8021CnPortPriLldpInstance" name

/* --- settings --------------------------------------------------------------------------------- */

static void test_defaults_of_all_tables(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);

	(void)state;
	assert_column(w, CN_TX, "3.1=false 5.1=false 9.1=false");
	assert_column(w, CONFIG("PFC"), "3.1=false 5.1=false 9.1=false");
	assert_column(w, CONFIG("ApplicationVlan"), "3.1=false 5.1=false 9.1=false");
	assert_column(w, ADMIN("ETSConWilling"), "3=false 5=false 9=false");
	assert_column(w, ADMIN("ETSConTrafficClassesSupported"), "3=8 5=8 9=8");
	assert_column(w, ADMIN("ETSConCreditBasedShaperSupport"), "3=false 5=false 9=false");
	assert_column(w, ADMIN("PFCWilling"), "3=false 5=false 9=false");
	assert_column(w, ADMIN("PFCMBC"), "3=false 5=false 9=false");
	assert_column(w, ADMIN("PFCCap"), "3=8 5=8 9=8");
	assert_column(w, APP, "");
	assert_column(w, APP_VLAN, "");
	assert_column(w, LOC("ApplicationVlanAEVlanId"), "");
	assert_value(w, ADMIN("ETSConPriTrafficClass"), "9.7", "0");
	assert_value(w, ADMIN("ETSCon" BW), "3.0", "0");
	assert_value(w, ADMIN("ETSCon" TSA), "3.7", "tsaStrictPriority");
	assert_value(w, ADMIN("PFCEnableEnabled"), "5.3", "false");
	/* The traffic classes of dcbd.conf are in force: eight by default. */
	assert_value(w, LOC("ETSConPriTrafficClass"), "3.7", "7");
	assert_value(w, LOC("ETSCon" TSA), "3.7", "tsaStrictPriority");
	assert_column(w, "lldpV2Xdot1LocCNPVIndicators", "3=none 5=none 9=none");
	assert_column(w, "lldpV2Xdot1RemCNPVIndicators", "");
	assert_column(w, REM("PFCEnableEnabled"), "");
	mo_world_free(w);
}

static void test_tx_enable_is_per_tlv_and_port(void **state)
{
	static const struct {
		const char *object;
		enum dcb_tlv tlv;
	} objects[] = {
	    {CN_TX, DCB_TLV_CN},
	    {CONFIG("ETSConfiguration"), DCB_TLV_ETS},
	    {CONFIG("ETSRecommendation"), DCB_TLV_ETS_RECO},
	    {CONFIG("PFC"), DCB_TLV_PFC},
	    {CONFIG("ApplicationPriority"), DCB_TLV_APP},
	    {CONFIG("ApplicationVlan"), DCB_TLV_APP_VLAN},
	};
	unsigned sent = 0;
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);

	(void)state;
	for (unsigned i = 0; i < UNIT_COUNT(objects); i++) {
		const char *object = objects[i].object;

		assert_int_equal(SET(w, {object, "5.1", "true"}), MO_NO_ERROR);
		assert_column(w, object, "3.1=false 5.1=true 9.1=false");
		/* Each object has the bit of its TLV. */
		sent |= 1u << objects[i].tlv;
		assert_int_equal(w->m->config->ports[1].config->dcbx.tx_enable, sent);
		/* dcbd serves destination address 1 only. */
		assert_int_equal(SET(w, {object, "5.2", "true"}), MO_NO_CREATION);
	}
	assert_int_equal(SET(w, {objects[1].object, "5.1", "false"}), MO_NO_ERROR);
	assert_int_equal(w->m->config->ports[1].config->dcbx.tx_enable,
			 sent & ~(1u << DCB_TLV_ETS));
	mo_world_free(w);
}

/* After lldp.destination of dcbd.conf changed, saved settings apply to the new address. */
static void test_settings_apply_to_new_destination(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);

	(void)state;
	assert_int_equal(SET(w, {CONFIG("PFC"), "5.1", "true"}), MO_NO_ERROR);
	w->conf.lldp_destination = 3;
	mo_world_restart(w);
	mo_world_add_port(w, 3, "sw3", "");
	mo_world_add_port(w, 5, "sw5", "uplink");
	mo_world_load(w);
	assert_column(w, CONFIG("PFC"), "3.3=false 5.3=true");
	mo_world_free(w);
}

static void test_inconsistent_ets_is_refused(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);

	(void)state;
	/* The bandwidth of a traffic class without ETS is not checked. */
	assert_int_equal(SET(w, {ADMIN("ETSCon" BW), "5.6", "77"}), MO_NO_ERROR);
	assert_int_equal(SET(w, {ADMIN("ETSCon" TSA), "5.0", ETS_TSA}), MO_INCONSISTENT_VALUE);
	/* The error is that of the last varbind of ETS. */
	assert_int_equal(SET(w, {ADMIN("ETSCon" TSA), "5.0", ETS_TSA},
			     {ADMIN("ETSCon" BW), "5.0", "99"}, {ADMIN("PFCWilling"), "5", "true"}),
			 MO_INCONSISTENT_VALUE);
	assert_int_equal(w->bad, 2);
	assert_int_equal(
	    SET(w, {ADMIN("ETSCon" BW), "5.0", "60"}, {ADMIN("ETSCon" TSA), "5.0", ETS_TSA},
		{ADMIN("ETSConPriTrafficClass"), "5.3", "1"}, {ADMIN("ETSCon" TSA), "5.1", ETS_TSA},
		{ADMIN("ETSCon" BW), "5.1", "40"}),
	    MO_NO_ERROR);
	assert_true(w->m->config->ports[1].oper.ets);
	assert_false(w->m->config->ports[0].oper.ets);
	assert_value(w, LOC("ETSCon" BW), "5.1", "40");
	assert_value(w, LOC("ETSCon" TSA), "5.1", ETS_TSA);
	assert_value(w, LOC("ETSConPriTrafficClass"), "5.3", "1");
	assert_value(w, LOC("ETSConPriTrafficClass"), "3.3", "3");
	assert_int_equal(SET(w, {ADMIN("ETSCon" BW), "5.1", "30"}), MO_INCONSISTENT_VALUE);
	assert_string_equal(w->reason,
			    "sw5: ETS configuration: expected a sum of 100 % for the classes with "
			    "tsaEnhancedTransmission, not 90 %");
	assert_value(w, ADMIN("ETSCon" BW), "5.1", "40");
	/* Algorithms that dcbd does not support, and values outside the enumeration or range. */
	assert_int_equal(SET(w, {ADMIN("ETSCon" TSA), "9.2", "tsaCreditBasedShaper"}),
			 MO_INCONSISTENT_VALUE);
	assert_int_equal(SET(w, {ADMIN("ETSCon" TSA), "9.2", "tsaVendorSpecific"}),
			 MO_INCONSISTENT_VALUE);
	assert_string_equal(w->reason,
			    "sw9: ETS configuration: class 2: expected tsaStrictPriority or "
			    "tsaEnhancedTransmission, not tsaVendorSpecific");
	assert_int_equal(SET(w, {ADMIN("ETSCon" TSA), "9.2", "3"}), MO_WRONG_VALUE);
	assert_int_equal(SET(w, {ADMIN("ETSCon" BW), "9.2", "101"}), MO_WRONG_VALUE);
	assert_int_equal(SET(w, {ADMIN("ETSCon" BW), "9.8", "1"}), MO_NO_CREATION);
	mo_world_free(w);
}

/* A recommendation can have any algorithm; its bandwidths must add up to 100. */
static void test_recommendation_can_have_any_algorithm(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);

	(void)state;
	assert_int_equal(SET(w, {ADMIN("ETSReco" TSA), "3.7", "tsaCreditBasedShaper"},
			     {ADMIN("ETSReco" TSA), "3.6", "tsaVendorSpecific"}),
			 MO_NO_ERROR);
	assert_int_equal(SET(w, {ADMIN("ETSReco" TSA), "3.0", ETS_TSA}), MO_INCONSISTENT_VALUE);
	assert_int_equal(SET(w, {ADMIN("ETSReco" TSA), "3.0", ETS_TSA},
			     {ADMIN("ETSReco" BW), "3.0", "100"},
			     {ADMIN("ETSConPriTrafficClass"), "3.4", "5"}),
			 MO_NO_ERROR);
	assert_int_equal(SET(w, {ADMIN("ETSReco" BW), "3.0", "1"}), MO_INCONSISTENT_VALUE);
	assert_string_equal(w->reason,
			    "sw3: ETS recommendation: expected a sum of 100 % for the classes with "
			    "tsaEnhancedTransmission, not 1 %");
	assert_value(w, LOC("ETSReco" TSA), "3.6", "tsaVendorSpecific");
	assert_value(w, LOC("ETSReco" BW), "3.0", "100");
	/* Configuration and recommendation have the same priority assignment. */
	assert_int_equal(w->m->config->ports[0].config->dcbx.reco.priority_tc[4], 5);
	assert_false(w->m->config->ports[0].oper.ets);
	mo_world_free(w);
}

static void test_pfc_enable_has_two_objects(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	char text[4096] = "";
	FILE *f;

	(void)state;
	assert_int_equal(SET(w, {ADMIN("PFCEnableEnabled"), "5.3", "true"},
			     {"dcbPfcPriorityEnable", "5.4", "true"}),
			 MO_NO_ERROR);
	assert_value(w, "dcbPfcPriorityEnable", "5.3", "true");
	assert_value(w, ADMIN("PFCEnableEnabled"), "5.4", "true");
	assert_value(w, ADMIN("PFCEnableEnabled"), "3.4", "false");
	assert_value(w, LOC("PFCEnableEnabled"), "5.4", "true");
	/* The state file has one of the two objects. */
	f = fopen(w->state, "r");
	assert_non_null(f);
	text[fread(text, 1, sizeof(text) - 1, f)] = '\0';
	fclose(f);
	assert_non_null(strstr(text, "dcbPfcPriorityEnable"));
	assert_null(strstr(text, "PFCEnableEnabled"));
	mo_world_free(w);
}

/* --- application priorities ------------------------------------------------------------------- */

static void test_application_priorities_are_created_by_set(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);

	(void)state;
	assert_int_equal(SET(w, {APP, "5.4.3260", "4"}, {APP, "5.1.35078", "3"},
			     {APP, "3.5.46", "5"}, {APP, "5.1.0", "1"}),
			 MO_NO_ERROR);
	assert_column(w, APP, "3.5.46=5 5.1.0=1 5.1.35078=3 5.4.3260=4");
	assert_column(w, LOC("ApplicationPriorityAEPriority"),
		      "3.5.46=5 5.1.0=1 5.1.35078=3 5.4.3260=4");
	/* Changes the priority of an existing row. Of two varbinds for one row the last applies. */
	assert_int_equal(
	    SET(w, {APP, "5.1.35078", "6"}, {APP, "9.2.80", "1"}, {APP, "9.2.80", "2"}),
	    MO_NO_ERROR);
	assert_column(w, APP, "3.5.46=5 5.1.0=1 5.1.35078=6 5.4.3260=4 9.2.80=2");
	assert_int_equal(SET(w, {APP, "5.0.1", "3"}), MO_NO_CREATION);
	assert_int_equal(SET(w, {APP, "5.6.1", "3"}), MO_NO_CREATION);
	assert_int_equal(SET(w, {APP, "5.1.65536", "3"}), MO_NO_CREATION);
	/* An ifIndex between two ports, and one after the last port. */
	assert_int_equal(SET(w, {APP, "4.1.1", "3"}), MO_INCONSISTENT_NAME);
	assert_int_equal(SET(w, {APP, "10.1.1", "3"}), MO_INCONSISTENT_NAME);
	assert_int_equal(SET(w, {"dcbDcbxAppRowStatus", "4.1.1", "destroy"}), MO_INCONSISTENT_NAME);
	assert_int_equal(SET(w, {"dcbDcbxAppRowStatus", "10.1.1", "destroy"}),
			 MO_INCONSISTENT_NAME);
	/* RFC 2579: destroy succeeds if the row does not exist; other rows are unchanged. */
	assert_int_equal(SET(w, {"dcbDcbxAppRowStatus", "5.1.1", "destroy"}), MO_NO_ERROR);
	assert_column(w, APP, "3.5.46=5 5.1.0=1 5.1.35078=6 5.4.3260=4 9.2.80=2");
	assert_int_equal(SET(w, {APP, "5.1.1", "8"}), MO_WRONG_VALUE);
	mo_world_free(w);
}

static void test_application_priorities_are_limited(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	char index[32];

	(void)state;
	for (unsigned i = 0; i < DCBX_APPS_MAX; i++) {
		snprintf(index, sizeof(index), "5.2.%u", 1000 - i);
		assert_int_equal(SET(w, {APP, index, "1"}), MO_NO_ERROR);
	}
	assert_int_equal(SET(w, {APP, "3.2.1", "1"}, {APP, "5.2.1", "1"}), MO_RESOURCE_UNAVAILABLE);
	assert_int_equal(w->bad, 2);
	assert_string_equal(w->reason, "sw5: expected at most 64 application priorities");
	/* Existing rows can still be changed. */
	assert_int_equal(SET(w, {APP, "5.2.937", "7"}, {APP, "5.2.1000", "7"}), MO_NO_ERROR);
	assert_value(w, APP, "5.2.937", "7");
	assert_value(w, APP, "5.2.938", "1");
	assert_int_equal(w->m->config->ports[1].config->dcbx.n_apps, DCBX_APPS_MAX);
	mo_world_restart(w);
	mo_world_add_port(w, 7, "sw7", "uplink");
	mo_world_load(w);
	assert_int_equal(w->m->config->ports[0].config->dcbx.n_apps, DCBX_APPS_MAX);
	assert_value(w, APP, "7.2.937", "7");
	assert_value(w, APP, "7.2.999", "1");
	mo_world_free(w);
}

/* --- application VLANs ------------------------------------------------------------------------ */

static void test_application_vlans_are_created_and_deleted_by_set(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);

	(void)state;
	assert_int_equal(SET(w, {APP_VLAN, "5.4.3260", "20"}, {APP_VLAN, "5.1.35078", "1002"},
			     {APP_VLAN, "3.5.46", "1"}, {APP_VLAN, "5.1.0", "4094"}),
			 MO_NO_ERROR);
	assert_column(w, APP_VLAN, "3.5.46=1 5.1.0=4094 5.1.35078=1002 5.4.3260=20");
	/* The port announces its settings; they are independent of the application priorities. */
	assert_column(w, LOC("ApplicationVlanAEVlanId"),
		      "3.5.46=1 5.1.0=4094 5.1.35078=1002 5.4.3260=20");
	assert_column(w, "dcbDcbxAppVlanId", "3.5.46=1 5.1.0=4094 5.1.35078=1002 5.4.3260=20");
	assert_column(w, APP, "");
	/* Changes the VLAN of an existing row. Of two varbinds for one row the last applies. */
	assert_int_equal(SET(w, {APP_VLAN, "5.1.35078", "7"}, {APP_VLAN, "9.2.80", "8"},
			     {APP_VLAN, "9.2.80", "9"}),
			 MO_NO_ERROR);
	assert_column(w, APP_VLAN, "3.5.46=1 5.1.0=4094 5.1.35078=7 5.4.3260=20 9.2.80=9");
	assert_int_equal(SET(w, {APP_VLAN, "5.1.1", "0"}), MO_WRONG_VALUE);
	assert_int_equal(SET(w, {APP_VLAN, "5.1.1", "4095"}), MO_WRONG_VALUE);
	assert_int_equal(SET(w, {APP_VLAN, "5.0.1", "3"}), MO_NO_CREATION);
	assert_int_equal(SET(w, {APP_VLAN, "5.6.1", "3"}), MO_NO_CREATION);
	assert_int_equal(SET(w, {APP_VLAN, "5.1.65536", "3"}), MO_NO_CREATION);
	assert_int_equal(SET(w, {APP_VLAN, "4.1.1", "3"}), MO_INCONSISTENT_NAME);
	assert_int_equal(SET(w, {VLAN_STATUS, "4.1.1", "destroy"}), MO_INCONSISTENT_NAME);
	assert_int_equal(SET(w, {VLAN_STATUS, "5.1.1", "createAndGo"}), MO_INCONSISTENT_VALUE);
	assert_string_equal(w->reason,
			    "row 5.1.1 does not exist: expected createAndGo and the "
			    "VLAN in one SET, not createAndGo");
	assert_int_equal(SET(w, {VLAN_STATUS, "5.1.1", "createAndWait"}), MO_INCONSISTENT_VALUE);
	assert_int_equal(SET(w, {VLAN_STATUS, "5.1.0", "createAndGo"}), MO_INCONSISTENT_VALUE);
	assert_int_equal(SET(w, {VLAN_STATUS, "5.1.0", "notInService"}), MO_INCONSISTENT_VALUE);
	assert_string_equal(w->reason,
			    "row 5.1.0 exists: expected active or destroy, not notInService");
	assert_int_equal(SET(w, {"dcbDcbxAppVlanId", "5.1.0", "5"}), MO_NOT_WRITABLE);
	/* One SET creates, changes and deletes; if one varbind fails, none is applied. */
	assert_int_equal(SET(w, {VLAN_STATUS, "5.1.0", "destroy"}, {APP_VLAN, "5.1.1", "5"},
			     {APP_VLAN, "5.1.2", "4095"}),
			 MO_WRONG_VALUE);
	assert_int_equal(w->bad, 3);
	assert_column(w, APP_VLAN, "3.5.46=1 5.1.0=4094 5.1.35078=7 5.4.3260=20 9.2.80=9");
	assert_int_equal(SET(w, {VLAN_STATUS, "5.1.0", "destroy"},
			     {VLAN_STATUS, "5.1.9", "destroy"},
			     {VLAN_STATUS, "5.3.67", "createAndGo"}, {APP_VLAN, "5.3.67", "5"},
			     {APP_VLAN, "5.4.3260", "21"}),
			 MO_NO_ERROR);
	assert_column(w, APP_VLAN, "3.5.46=1 5.1.35078=7 5.3.67=5 5.4.3260=21 9.2.80=9");
	assert_column(w, VLAN_STATUS,
		      "3.5.46=active 5.1.35078=active 5.3.67=active 5.4.3260=active 9.2.80=active");
	mo_world_free(w);
}

static void test_application_vlans_are_limited(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	char index[32];

	(void)state;
	for (unsigned i = 0; i < DCBX_APPS_MAX; i++) {
		snprintf(index, sizeof(index), "5.2.%u", 1000 - i);
		assert_int_equal(SET(w, {APP_VLAN, index, "1"}), MO_NO_ERROR);
	}
	assert_int_equal(SET(w, {APP_VLAN, "3.2.1", "1"}, {APP_VLAN, "5.2.1", "1"}),
			 MO_RESOURCE_UNAVAILABLE);
	assert_int_equal(w->bad, 2);
	assert_string_equal(w->reason, "sw5: expected at most 64 application VLANs");
	/* Existing rows can still be changed, and priorities have a limit of their own. */
	assert_int_equal(SET(w, {APP_VLAN, "5.2.937", "7"}, {APP, "5.2.1", "1"}), MO_NO_ERROR);
	assert_int_equal(w->m->config->ports[1].config->dcbx.n_app_vlans, DCBX_APPS_MAX);
	/* A deleted row makes room. */
	assert_int_equal(SET(w, {VLAN_STATUS, "5.2.1000", "destroy"}), MO_NO_ERROR);
	assert_int_equal(SET(w, {APP_VLAN, "5.2.1", "4094"}), MO_NO_ERROR);
	mo_world_restart(w);
	mo_world_add_port(w, 7, "sw7", "uplink");
	mo_world_load(w);
	assert_int_equal(w->m->config->ports[0].config->dcbx.n_app_vlans, DCBX_APPS_MAX);
	assert_value(w, APP_VLAN, "7.2.937", "7");
	assert_value(w, APP_VLAN, "7.2.999", "1");
	assert_value(w, APP_VLAN, "7.2.1", "4094");
	mo_world_free(w);
}

/* --- LLDP instances --------------------------------------------------------------------------- */

static void test_unserved_lldp_instance_is_refused(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);

	(void)state;
	assert_int_equal(SET(w, {STATUS, "1.3", "createAndGo"}), MO_NO_ERROR);
	/* The choice is cnlAdmin(2) by default, and dcbd serves address 1 only. */
	assert_int_equal(SET(w, {COM("Selector"), "1.3", "2"}), MO_INCONSISTENT_VALUE);
	assert_string_equal(w->reason,
			    "LLDP instance: expected the destination address of dcbd, 1, not 2");
	/* The choice of a port is cnlComponent(3) by default: its selector is not used. */
	assert_int_equal(SET(w, {PORT("Selector"), "1.3.5", "4096"}), MO_NO_ERROR);
	assert_int_equal(SET(w, {"ieee8021CnGlobalCnmTransmitPriority", "1", "5"},
			     {PORT("Choice"), "1.3.5", "cnlAdmin"}),
			 MO_INCONSISTENT_VALUE);
	assert_int_equal(w->bad, 2);
	assert_column(w, "ieee8021CnGlobalCnmTransmitPriority", "1=6");
	assert_int_equal(
	    SET(w, {PORT("Choice"), "1.3.5", "cnlAdmin"}, {PORT("Selector"), "1.3.5", "1"}),
	    MO_NO_ERROR);
	/* The component's selector is not used with cnlNone; cnlAdmin would use it. */
	assert_int_equal(SET(w, {COM("Choice"), "1.3", "cnlNone"}, {COM("Selector"), "1.3", "7"}),
			 MO_NO_ERROR);
	assert_int_equal(SET(w, {COM("Choice"), "1.3", "cnlAdmin"}), MO_INCONSISTENT_VALUE);
	/* A row created by the same SET is checked, one that it deletes is not. */
	assert_int_equal(SET(w, {STATUS, "1.4", "createAndGo"}, {COM("Selector"), "1.4", "9"}),
			 MO_INCONSISTENT_VALUE);
	assert_int_equal(w->bad, 2);
	assert_int_equal(SET(w, {STATUS, "1.4", "createAndGo"}, {COM("Selector"), "1.4", "9"},
			     {COM("Choice"), "1.4", "cnlNone"}),
			 MO_NO_ERROR);
	assert_int_equal(SET(w, {COM("Choice"), "1.4", "cnlAdmin"}, {STATUS, "1.4", "destroy"}),
			 MO_NO_ERROR);
	mo_world_free(w);
}

/* A SET is checked, the state file is not: its rows then use no LLDP instance. */
static void test_state_file_can_have_unserved_instance(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);

	(void)state;
	assert_int_equal(SET(w, {STATUS, "1.3", "createAndGo"}), MO_NO_ERROR);
	assert_int_equal(
	    SET(w, {PORT("Choice"), "1.3.5", "cnlAdmin"}, {PORT("Selector"), "1.3.5", "1"}),
	    MO_NO_ERROR);
	w->conf.lldp_destination = 3;
	mo_world_restart(w);
	mo_world_add_port(w, 5, "sw5", "uplink");
	mo_world_load(w);
	assert_column(w, PORT("Selector"), "1.3.5=1");
	assert_int_equal(SET(w, {PORT("Selector"), "1.3.5", "1"}), MO_INCONSISTENT_VALUE);
	assert_int_equal(SET(w, {PORT("Selector"), "1.3.5", "3"}), MO_NO_ERROR);
	mo_world_free(w);
}

/* --- state file ------------------------------------------------------------------------------- */

static const char *const kept[][3] = {
    {CN_TX, "5.1", "true"},
    {CONFIG("ETSConfiguration"), "5.1", "true"},
    {CONFIG("ETSRecommendation"), "5.1", "true"},
    {CONFIG("PFC"), "5.1", "true"},
    {CONFIG("ApplicationPriority"), "5.1", "true"},
    {CONFIG("ApplicationVlan"), "5.1", "true"},
    {ADMIN("ETSConWilling"), "5", "true"},
    {ADMIN("ETSConPriTrafficClass"), "5.7", "6"},
    {ADMIN("ETSCon" BW), "5.2", "100"},
    {ADMIN("ETSCon" TSA), "5.2", ETS_TSA},
    {ADMIN("ETSReco" BW), "5.3", "100"},
    {ADMIN("ETSReco" TSA), "5.3", ETS_TSA},
    {ADMIN("PFCWilling"), "5", "true"},
    {ADMIN("PFCEnableEnabled"), "5.1", "true"},
    {APP, "5.5.46", "5"},
    {APP_VLAN, "5.5.46", "4094"},
};

static void check_kept(struct mo_world *w)
{
	for (unsigned i = 0; i < UNIT_COUNT(kept); i++) {
		char index[32];

		snprintf(index, sizeof(index), "4%s", kept[i][1] + 1);
		assert_value(w, kept[i][0], index, kept[i][2]);
	}
}

/* All writable objects of the module are restored, also for an interface that comes later. */
static void test_all_settings_survive_restart(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	unsigned writable = 0;

	(void)state;
	for (unsigned id = 0; id < MO_TABLES; id++) {
		const struct mo_table *t = mo_table((enum mo_table_id)id);

		for (unsigned i = 0; i < t->n_columns; i++)
			writable += mo_is_writable(&t->columns[i]) &&
				    strcmp(t->module, "LLDP-EXT-DOT1-V2-MIB") == 0;
	}
	assert_int_equal(writable, UNIT_COUNT(kept));
	assert_int_equal(mo_world_set(w, kept, UNIT_COUNT(kept)), MO_NO_ERROR);
	mo_world_restart(w);
	mo_world_add_port(w, 3, "sw3", "");
	mo_world_add_port(w, 4, "other", "uplink"); /* was ifIndex 5 */
	mo_world_load(w);
	check_kept(w);
	assert_column(w, CONFIG("PFC"), "3.1=false 4.1=true");
	assert_column(w, APP, "4.5.46=5");
	assert_column(w, APP_VLAN, "4.5.46=4094");
	/* Settings wait for their interface over a restart and a save. */
	w->conf.keep_absent = true;
	mo_world_restart(w);
	mo_world_add_port(w, 3, "sw3", "");
	mo_world_load(w);
	assert_column(w, CONFIG("PFC"), "3.1=false");
	assert_int_equal(SET(w, {CONFIG("PFC"), "3.1", "true"}), MO_NO_ERROR);
	mo_world_restart(w);
	mo_world_add_port(w, 3, "sw3", "");
	mo_world_load(w);
	mo_world_add_port(w, 4, "sw4", "uplink");
	check_kept(w);
	mo_world_free(w);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_defaults_of_all_tables),
	    cmocka_unit_test(test_tx_enable_is_per_tlv_and_port),
	    cmocka_unit_test(test_settings_apply_to_new_destination),
	    cmocka_unit_test(test_inconsistent_ets_is_refused),
	    cmocka_unit_test(test_recommendation_can_have_any_algorithm),
	    cmocka_unit_test(test_pfc_enable_has_two_objects),
	    cmocka_unit_test(test_application_priorities_are_created_by_set),
	    cmocka_unit_test(test_application_priorities_are_limited),
	    cmocka_unit_test(test_application_vlans_are_created_and_deleted_by_set),
	    cmocka_unit_test(test_application_vlans_are_limited),
	    cmocka_unit_test(test_unserved_lldp_instance_is_refused),
	    cmocka_unit_test(test_state_file_can_have_unserved_instance),
	    cmocka_unit_test(test_all_settings_survive_restart),
	};

	return cmocka_run_group_tests_name("mo_lldp", tests, NULL, NULL);
}
