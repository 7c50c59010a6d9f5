/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows that CNPVs create and delete, and objects of them that are calculated. */
#include <stdio.h>
#include <string.h>

#include "lib/log.h"
#include "control/objects/mo_edit.h"
#include "tests/unit/log_capture.h"
#include "tests/unit/mo_world.h"

/* CISCO-PFC-EXT-MIB has the counters of each priority, and their sums. */
static void test_cpfc_objects_have_sums_over_priorities(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	struct fake_port *sw5 = fake_port(w->m->config->ports[1].port);

	(void)state;
	for (unsigned n = 0; n < DCB_PRIORITIES; n++) {
		sw5->pfc[n].pfc_requests = UINT64_C(1) << (4 * n); /* its own hexadecimal digit */
		sw5->pfc[n].pfc_indications = (UINT64_C(1) << 32) + n;
	}
	assert_column(w, "cpfcIfRequests", "3=0 5=286331153 9=0");
	assert_column(w, "cpfcIfIndications", "3=0 5=34359738396 9=0");
	for (unsigned n = 0; n < DCB_PRIORITIES; n++)
		fake_port(w->m->config->ports[0].port)->pfc[n].pfc_requests = 100 + n;
	assert_column(w, "cpfcIfPriorityRequests",
		      "3.0=100 3.1=101 3.2=102 3.3=103 3.4=104 3.5=105 3.6=106 3.7=107 5.0=1 "
		      "5.1=16 5.2=256 5.3=4096 5.4=65536 5.5=1048576 5.6=16777216 5.7=268435456 "
		      "9.0=0 9.1=0 9.2=0 9.3=0 9.4=0 9.5=0 9.6=0 9.7=0");
	mo_world_free(w);
}

static void assert_in_column(struct mo_world *w, const char *object, const char *word)
{
	char text[4096];

	mo_world_column(w, object, text, sizeof(text));
	if (!strstr(text, word))
		fail_msg("%s: no%sin %s", object, word, text);
}

static void test_cpfc_objects_have_watchdog_state(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	struct pfc_watchdog_stats *sw3 = fake_port(w->m->config->ports[0].port)->watchdog;

	(void)state;
	sw3[1].state = PFC_WATCHDOG_OFF;
	sw3[2].state = PFC_WATCHDOG_WATCHING;
	sw3[3] = (struct pfc_watchdog_stats){.state = PFC_WATCHDOG_STORM,
					     .storms = UINT64_C(1) << 40,
					     .ended = 5,
					     .dropped_total = 7,
					     .dropped_storm = 6};
	assert_column(w, "cpfcWatchdogIfQueueState",
		      "3.0=notApplicable 3.1=notApplicable 3.2=active 3.3=shutdown "
		      "3.4=notApplicable 3.5=notApplicable 3.6=notApplicable 3.7=notApplicable "
		      "5.0=notApplicable 5.1=notApplicable 5.2=notApplicable 5.3=notApplicable "
		      "5.4=notApplicable 5.5=notApplicable 5.6=notApplicable 5.7=notApplicable "
		      "9.0=notApplicable 9.1=notApplicable 9.2=notApplicable 9.3=notApplicable "
		      "9.4=notApplicable 9.5=notApplicable 9.6=notApplicable 9.7=notApplicable");
	assert_in_column(w, "cpfcWatchdogIfQueueShutdowns", " 3.3=1099511627776 ");
	assert_in_column(w, "cpfcWatchdogIfQueueRestores", " 3.3=5 ");
	assert_in_column(w, "cpfcWatchdogIfQueueTotalDropPkts", " 3.3=7 ");
	assert_in_column(w, "cpfcWatchdogIfQueueDropPkts", " 3.3=6 ");
	mo_world_free(w);
}

static void test_cnpv_creates_and_deletes_rows(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);

	(void)state;
	assert_column(w, QSP, "");
	assert_int_equal(SET(w, {STATUS, "1.3", "createAndGo"}), MO_NO_ERROR);
	assert_column(w, STATUS, "1.3=active");
	assert_column(w, "ieee8021CnComPriAutoAltPri", "1.3=2");
	assert_column(w, QSP, "1.3.3=26000 1.5.3=26000 1.9.3=26000");
	assert_column(w, "ieee8021CnPortPriDefModeChoice",
		      "1.3.3=cpcComp 1.3.5=cpcComp 1.3.9=cpcComp");
	assert_column(w, "ieee8021CnCpidToIfIfIndex",
		      "2.0.0.0.0.3.0.3=3 2.0.0.0.0.3.0.11=5 2.0.0.0.0.3.0.19=9");
	assert_column(w, "ieee8021CnRpgGd", ""); /* a bridge has no reaction points */
	assert_int_equal(w->provider.published->cnpv_acting, 1 << 3);
	assert_int_equal(SET(w, {STATUS, "1.3", "destroy"}), MO_NO_ERROR);
	assert_column(w, QSP, "");
	assert_column(w, "ieee8021CnCpidToIfIfIndex", "");
	assert_int_equal(w->provider.published->cnpv_acting, 0);
	mo_world_free(w);
}

/* cpIndex is the priority, and 8 for priority 0: the first and the last of each port. */
static void test_cp_index_of_priorities_0_and_1(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);

	(void)state;
	assert_int_equal(SET(w, {STATUS, "1.0", "createAndGo"}, {STATUS, "1.1", "createAndGo"}),
			 MO_NO_ERROR);
	assert_column(w, "ieee8021CnCpPriority", "1.3.1=1 1.3.8=0 1.5.1=1 1.5.8=0 1.9.1=1 1.9.8=0");
	mo_world_free(w);
}

static void test_station_has_reaction_points(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_STATION);

	(void)state;
	assert_int_equal(SET(w, {STATUS, "1.0", "createAndGo"}), MO_NO_ERROR);
	/* The syntax starts at 1, so priority 0 has index 8. */
	assert_column(w, "ieee8021CnRpgMaxRate", "1.0.3.8=10000 1.0.5.8=10000 1.0.9.8=10000");
	assert_column(w, "ieee8021CnCpPriority", "1.3.8=0 1.5.8=0 1.9.8=0");
	assert_int_equal(SET(w, {"ieee8021CnRpgMaxRate", "1.0.5.8", "4000"}), MO_NO_ERROR);
	assert_column(w, "ieee8021CnRpgMaxRate", "1.0.3.8=10000 1.0.5.8=4000 1.0.9.8=10000");
	assert_column(w, "ieee8021CnRpPortPriMaxRps", "1.0.3=1 1.0.5=1 1.0.9=1");
	fake_port(w->m->config->ports[0].port)->rp_port_pri[0] =
	    (struct rp_port_pri_stats){UINT32_MAX, UINT64_C(1) << 40};
	fake_port(w->m->config->ports[2].port)->rp_port_pri[0].rppp_created_rps = 9;
	assert_column(w, "ieee8021CnRpPortPriCreatedRps", "1.0.3=4294967295 1.0.5=0 1.0.9=9");
	assert_column(w, "ieee8021CnRpPortPriCentiseconds", "1.0.3=1099511627776 1.0.5=0 1.0.9=0");
	mo_world_free(w);
}

static void test_auto_disable_creates_admin_rows(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);

	(void)state;
	assert_int_equal(SET(w, {"ieee8021CnComPriCreation", "1.4", "cncpAutoDisable"},
			     {STATUS, "1.4", "createAndGo"}),
			 MO_NO_ERROR);
	assert_column(w, "ieee8021CnPortPriDefModeChoice",
		      "1.4.3=cpcAdmin 1.4.5=cpcAdmin 1.4.9=cpcAdmin");
	mo_world_add_port(w, 7, "sw7", "");
	assert_column(w, "ieee8021CnPortPriDefModeChoice",
		      "1.4.3=cpcAdmin 1.4.5=cpcAdmin 1.4.7=cpcAdmin 1.4.9=cpcAdmin");
	mo_world_free(w);
}

/* The module's text: the agent answers a request that creates the eighth row so. */
static void test_eighth_cnpv_is_refused(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	char index[8];

	(void)state;
	for (unsigned p = 0; p < 7; p++) {
		snprintf(index, sizeof(index), "1.%u", p);
		assert_int_equal(SET(w, {STATUS, index, p ? "createAndGo" : "createAndWait"}),
				 MO_NO_ERROR);
	}
	/* Seven rows, six of them active. */
	assert_int_equal(SET(w, {STATUS, "1.7", "createAndGo"}), MO_INCONSISTENT_VALUE);
	assert_string_equal(w->reason, "expected rows of at most 7 priorities");
	assert_int_equal(w->bad, 1);
	assert_int_equal(SET(w, {STATUS, "1.0", "active"}, {STATUS, "1.7", "createAndWait"}),
			 MO_INCONSISTENT_VALUE);
	assert_int_equal(w->bad, 2);
	assert_column(w, STATUS,
		      "1.0=notInService 1.1=active 1.2=active 1.3=active 1.4=active 1.5=active "
		      "1.6=active");
	assert_int_equal(SET(w, {STATUS, "1.0", "active"}), MO_NO_ERROR);
	assert_column(w, "ieee8021CnComPriAutoAltPri", "1.0=7 1.1=7 1.2=7 1.3=7 1.4=7 1.5=7 1.6=7");
	/* One SET can delete a row and create another, in any order. */
	assert_int_equal(SET(w, {STATUS, "1.7", "createAndGo"}, {STATUS, "1.2", "destroy"}),
			 MO_NO_ERROR);
	assert_column(w, STATUS,
		      "1.0=active 1.1=active 1.3=active 1.4=active 1.5=active 1.6=active "
		      "1.7=active");
	mo_world_free(w);
}

static void on_saved(void *ctx, bool ok)
{
	*(bool *)ctx = ok;
}

/* Earlier releases could save eight rows, seven of them active. */
static void test_eighth_row_of_an_old_state_file_is_kept(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	struct mo_varbind vbs[DCB_PRIORITIES];
	struct provider_refusal why;
	struct mo_result r;
	bool saved = false;

	(void)state;
	for (unsigned p = 0; p < DCB_PRIORITIES; p++)
		vbs[p] = (struct mo_varbind){
		    .table = MO_cn_com_pri,
		    .subid = 10,
		    .index = {.n = 2, .sub = {1, p}},
		    .value = {.syntax = MO_ROW_STATUS,
			      .num = p == 2 ? ROW_CREATE_AND_WAIT : ROW_CREATE_AND_GO},
		};
	assert_true(managed_publish(w->m, mo_edit(w->m, vbs, DCB_PRIORITIES, &r), &why));
	mo_world_adopt(w);
	mo_service_save(w->service, on_saved, &saved);
	assert_true(saved);
	mo_world_restart(w);
	mo_world_load(w);
	assert_column(w, STATUS,
		      "1.0=active 1.1=active 1.2=notReady 1.3=active 1.4=active 1.5=active "
		      "1.6=active 1.7=active");
	assert_int_equal(SET(w, {STATUS, "1.2", "active"}), MO_INCONSISTENT_VALUE);
	assert_string_equal(w->reason, "expected at most 7 active rows, not 8");
	assert_int_equal(SET(w, {"ieee8021CnComPriAlternatePriority", "1.4", "3"}), MO_NO_ERROR);
	assert_int_equal(SET(w, {STATUS, "1.2", "destroy"}), MO_NO_ERROR);
	assert_int_equal(SET(w, {STATUS, "1.2", "createAndWait"}), MO_INCONSISTENT_VALUE);
	assert_string_equal(w->reason, "expected rows of at most 7 priorities");
	mo_world_free(w);
}

static void test_errored_ports_follow_alternate_priority(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);

	(void)state;
	assert_int_equal(SET(w, {STATUS, "1.3", "createAndGo"}), MO_NO_ERROR);
	assert_column(w, "ieee8021CnEpIfIndex", "");
	assert_int_equal(SET(w, {STATUS, "1.4", "createAndGo"},
			     {"ieee8021CnPortPriAlternatePriority", "1.3.5", "4"}),
			 MO_NO_ERROR);
	assert_column(w, "ieee8021CnEpIfIndex", "1.3.5=5");
	assert_int_equal(SET(w, {"ieee8021CnComPriAlternatePriority", "1.4", "3"}), MO_NO_ERROR);
	assert_column(w, "ieee8021CnEpIfIndex", "1.3.5=5 1.4.3=3 1.4.5=5 1.4.9=9");
	assert_int_equal(SET(w, {STATUS, "1.4", "destroy"}), MO_NO_ERROR);
	assert_column(w, "ieee8021CnEpIfIndex", "");
	mo_world_free(w);
}

static void test_master_enable_false_stops_cnpvs(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);

	(void)state;
	assert_int_equal(
	    SET(w, {STATUS, "1.3", "createAndGo"}, {"ieee8021CnGlobalMasterEnable", "1", "false"}),
	    MO_NO_ERROR);
	assert_int_equal(w->provider.published->cnpv_acting, 0);
	assert_column(w, STATUS, "1.3=active");
	mo_world_free(w);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_cpfc_objects_have_sums_over_priorities),
	    cmocka_unit_test(test_cpfc_objects_have_watchdog_state),
	    cmocka_unit_test(test_cnpv_creates_and_deletes_rows),
	    cmocka_unit_test(test_cp_index_of_priorities_0_and_1),
	    cmocka_unit_test(test_station_has_reaction_points),
	    cmocka_unit_test(test_auto_disable_creates_admin_rows),
	    cmocka_unit_test(test_eighth_cnpv_is_refused),
	    cmocka_unit_test(test_eighth_row_of_an_old_state_file_is_kept),
	    cmocka_unit_test(test_errored_ports_follow_alternate_priority),
	    cmocka_unit_test(test_master_enable_false_stops_cnpvs),
	};

	log_init("test_mo_service", LOG_LEVEL_ERROR, false);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
