/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The managed-object service by its control protocol: rows that are created and
 * deleted together, SNMP errors, transactions, order of rows.
 */
#include "tests/unit/log_capture.h"
#include "tests/unit/mo_world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/log.h"
#include "control/objects/mo_edit.h"
#include "dataplane/macsec/port_macsec.h"

/* --- rows ------------------------------------------------------------------------------------- */

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
	enum mo_error error;
	bool saved = false;
	unsigned bad;

	(void)state;
	for (unsigned p = 0; p < DCB_PRIORITIES; p++)
		vbs[p] = (struct mo_varbind){
		    .table = MO_cn_com_pri,
		    .subid = 10,
		    .index = {.n = 2, .sub = {1, p}},
		    .value = {.syntax = MO_ROW_STATUS,
			      .num = p == 2 ? ROW_CREATE_AND_WAIT : ROW_CREATE_AND_GO},
		};
	assert_true(managed_publish(w->m, mo_edit(w->m, vbs, DCB_PRIORITIES, &error, &bad), &why));
	mo_world_adopt(w);
	mo_service_save(w->service, on_saved, &saved);
	assert_true(saved);
	mo_world_restart(w);
	mo_world_load(w);
	assert_column(w, STATUS,
		      "1.0=active 1.1=active 1.2=notReady 1.3=active 1.4=active 1.5=active "
		      "1.6=active 1.7=active");
	assert_int_equal(SET(w, {STATUS, "1.2", "active"}), MO_INCONSISTENT_VALUE);
	assert_int_equal(SET(w, {"ieee8021CnComPriAlternatePriority", "1.4", "3"}), MO_NO_ERROR);
	assert_int_equal(SET(w, {STATUS, "1.2", "destroy"}), MO_NO_ERROR);
	assert_int_equal(SET(w, {STATUS, "1.2", "createAndWait"}), MO_INCONSISTENT_VALUE);
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

/* --- errors ----------------------------------------------------------------------------------- */

static void test_row_status_transitions(void **state)
{
	static const struct {
		const char *before, *set;
		enum mo_error error;
		const char *after;
	} rows[] = {
	    {NULL, "active", MO_INCONSISTENT_VALUE, ""},
	    {NULL, "notInService", MO_INCONSISTENT_VALUE, ""},
	    {NULL, "notReady", MO_WRONG_VALUE, ""},
	    {NULL, "createAndGo", MO_NO_ERROR, "1.3=active"},
	    {NULL, "createAndWait", MO_NO_ERROR, "1.3=notInService"},
	    {NULL, "destroy", MO_NO_ERROR, ""},
	    {"createAndWait", "active", MO_NO_ERROR, "1.3=active"},
	    {"createAndWait", "notInService", MO_NO_ERROR, "1.3=notInService"},
	    {"createAndWait", "notReady", MO_WRONG_VALUE, "1.3=notInService"},
	    {"createAndWait", "createAndGo", MO_INCONSISTENT_VALUE, "1.3=notInService"},
	    {"createAndWait", "createAndWait", MO_INCONSISTENT_VALUE, "1.3=notInService"},
	    {"createAndWait", "destroy", MO_NO_ERROR, ""},
	    {"createAndGo", "active", MO_NO_ERROR, "1.3=active"},
	    {"createAndGo", "notInService", MO_NO_ERROR, "1.3=notInService"},
	    {"createAndGo", "notReady", MO_WRONG_VALUE, "1.3=active"},
	    {"createAndGo", "createAndGo", MO_INCONSISTENT_VALUE, "1.3=active"},
	    {"createAndGo", "createAndWait", MO_INCONSISTENT_VALUE, "1.3=active"},
	    {"createAndGo", "destroy", MO_NO_ERROR, ""},
	    {"createAndGo", "7", MO_WRONG_VALUE, "1.3=active"},
	    {"createAndGo", "0", MO_WRONG_VALUE, "1.3=active"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct mo_world *w = mo_world_new(ROLE_BRIDGE);

		if (rows[i].before)
			assert_int_equal(SET(w, {STATUS, "1.3", rows[i].before}), MO_NO_ERROR);
		assert_int_equal(SET(w, {STATUS, "1.3", rows[i].set}), rows[i].error);
		assert_column(w, STATUS, rows[i].after);
		mo_world_free(w);
	}
}

/*
 * RFC 3416, 4.2.5: inconsistentName if the row could exist, with another CNPV or another port;
 * noCreation if no row can have this index.
 */
static void test_error_for_an_absent_row_says_if_it_could_exist(void **state)
{
	static const struct {
		const char *object, *index, *value;
		enum mo_error error;
	} cases[] = {
	    {"ieee8021PfcLinkDelayAllowance", "4", "1", MO_INCONSISTENT_NAME},
	    {"ieee8021PfcLinkDelayAllowance", "2147483647", "1", MO_INCONSISTENT_NAME},
	    {"dcbPfcPriorityEnable", "4.3", "true", MO_INCONSISTENT_NAME},
	    {"dcbPfcPriorityEnable", "5.8", "true", MO_NO_CREATION},
	    {QSP, "1.5.4", "30000", MO_INCONSISTENT_NAME}, /* no such CNPV */
	    {QSP, "1.4.3", "30000", MO_INCONSISTENT_NAME}, /* no such port */
	    {QSP, "1.5.8", "30000", MO_INCONSISTENT_NAME}, /* of priority 0, no CNPV */
	    {QSP, "1.5.9", "30000", MO_NO_CREATION},       /* no priority has this CpIndex */
	    {QSP, "1.5.4096", "30000", MO_NO_CREATION},
	    {QSP, "2.5.3", "30000", MO_NO_CREATION}, /* no such component */
	    {"ieee8021CnPortPriAlternatePriority", "1.4.5", "1", MO_INCONSISTENT_NAME},
	    {"ieee8021CnPortPriAlternatePriority", "1.3.4", "1", MO_INCONSISTENT_NAME},
	    {"ieee8021CnPortPriAlternatePriority", "2.3.5", "1", MO_NO_CREATION},
	    {"ieee8021CnRpgEnable", "1.4.5.4", "true", MO_INCONSISTENT_NAME},
	    {"ieee8021CnRpgEnable", "1.4.5.3", "true", MO_NO_CREATION}, /* of another priority */
	    {"lldpXdot1CnConfigCnTxEnable", "4.1", "true", MO_INCONSISTENT_NAME},
	    {"lldpXdot1CnConfigCnTxEnable", "5.2", "true", MO_NO_CREATION},
	    {"ieee8021CnGlobalMasterEnable", "2", "true", MO_NO_CREATION},
	    {"dcbNotifyRateLimit", "1", "5", MO_NO_CREATION},
	};
	struct mo_world *w = mo_world_new(ROLE_STATION);

	(void)state;
	assert_int_equal(SET(w, {STATUS, "1.3", "createAndGo"}), MO_NO_ERROR);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		enum mo_error error = SET(w, {QSP, "1.5.3", "30000"},
					  {cases[i].object, cases[i].index, cases[i].value});

		if (error != cases[i].error || w->bad != 2)
			fail_msg("%s.%s: %s for %u", cases[i].object, cases[i].index,
				 mo_strerror(error), w->bad);
	}
	assert_column(w, QSP, "1.3.3=26000 1.5.3=26000 1.9.3=26000");
	/* A row that the same SET deletes. */
	assert_int_equal(SET(w, {STATUS, "1.3", "destroy"}, {QSP, "1.5.3", "30000"}),
			 MO_INCONSISTENT_NAME);
	mo_world_free(w);
}

static void test_errors_name_the_varbind(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	unsigned published;

	(void)state;
	assert_int_equal(SET(w, {STATUS, "1.3", "createAndGo"}), MO_NO_ERROR);
	published = w->provider.n_published;
	assert_int_equal(SET(w, {QSP, "1.3.3", "30000"}, {QSP, "1.5.3", "99"}), MO_WRONG_VALUE);
	assert_int_equal(w->bad, 2);
	assert_int_equal(SET(w, {QSP, "1.3.3", "30000"}, {QSP, "1.4.3", "200"}),
			 MO_INCONSISTENT_NAME);
	assert_int_equal(w->bad, 2);
	assert_int_equal(SET(w, {QSP, "1.3.4", "30000"}), MO_INCONSISTENT_NAME);
	assert_int_equal(SET(w, {QSP, "2.3.3", "30000"}), MO_NO_CREATION);
	assert_int_equal(SET(w, {QSP, "1.3", "30000"}), MO_NO_CREATION);
	assert_int_equal(SET(w, {"ieee8021CnCpMacAddress", "1.3.3", "02-00-00-00-00-01"}),
			 MO_NOT_WRITABLE);
	assert_int_equal(SET(w, {"ieee8021CnComPriCreation", "1.4", "cncpAutoEnable"}),
			 MO_INCONSISTENT_NAME);
	assert_int_equal(SET(w, {STATUS, "2.4", "createAndGo"}), MO_NO_CREATION);
	assert_int_equal(SET(w, {STATUS, "1.8", "createAndGo"}), MO_NO_CREATION);
	assert_int_equal(SET(w, {"ieee8021CnCpFeedbackWeight", "1.3.3", "-11"}), MO_WRONG_VALUE);
	assert_int_equal(SET(w, {"ieee8021CnCpFeedbackWeight", "1.3.3", "11"}), MO_WRONG_VALUE);
	assert_int_equal(w->provider.n_published, published);
	assert_column(w, QSP, "1.3.3=26000 1.5.3=26000 1.9.3=26000");
	assert_int_equal(SET(w, {"ieee8021CnCpFeedbackWeight", "1.3.3", "-10"}), MO_NO_ERROR);
	assert_column(w, "ieee8021CnCpFeedbackWeight", "1.3.3=-10 1.5.3=1 1.9.3=1");
	mo_world_free(w);
}

/* The varbind of a row that another varbind creates can be the first. */
static void test_order_of_varbinds_does_not_matter(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);

	(void)state;
	assert_int_equal(SET(w, {QSP, "1.9.2", "50000"}, {STATUS, "1.2", "createAndGo"}),
			 MO_NO_ERROR);
	assert_column(w, QSP, "1.3.2=26000 1.5.2=26000 1.9.2=50000");
	/* Deleting the CNPV deletes the setting. */
	assert_int_equal(SET(w, {STATUS, "1.2", "destroy"}), MO_NO_ERROR);
	assert_int_equal(SET(w, {STATUS, "1.2", "createAndGo"}), MO_NO_ERROR);
	assert_column(w, QSP, "1.3.2=26000 1.5.2=26000 1.9.2=26000");
	mo_world_free(w);
}

/* --- transactions ----------------------------------------------------------------------------- */

static void test_undo_restores_configuration_and_file(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	static const char *const set[][3] = {{QSP, "1.5.3", "31000"},
					     {STATUS, "1.4", "createAndGo"}};

	(void)state;
	assert_int_equal(SET(w, {STATUS, "1.3", "createAndGo"}), MO_NO_ERROR);
	assert_int_equal(mo_world_test(w, set, 2), MO_NO_ERROR);
	assert_column(w, QSP, "1.3.3=26000 1.5.3=26000 1.9.3=26000");
	assert_int_equal(mo_world_phase(w, MO_OP_COMMIT), MO_NO_ERROR);
	assert_int_equal(mo_world_phase(w, MO_OP_COMMIT), MO_NO_ERROR); /* repeated */
	assert_column(w, STATUS, "1.3=active 1.4=active");
	mo_world_add_port(w, 7, "sw7", ""); /* a port is added before UNDO */
	assert_int_equal(mo_world_phase(w, MO_OP_UNDO), MO_NO_ERROR);
	assert_column(w, STATUS, "1.3=active");
	assert_column(w, QSP, "1.3.3=26000 1.5.3=26000 1.7.3=26000 1.9.3=26000");
	mo_world_restart(w);
	mo_world_add_port(w, 5, "sw5", "uplink");
	mo_world_load(w);
	assert_column(w, QSP, "1.5.3=26000");
	mo_world_free(w);
}

static void test_set_is_undone_only_if_its_reply_is_lost(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	static const char *const set[][3] = {{STATUS, "1.4", "createAndGo"}};

	(void)state;
	/* A transaction that was only tested is dropped. */
	assert_int_equal(mo_world_test(w, set, 1), MO_NO_ERROR);
	mo_session_free(w->session);
	w->session = mo_session_new(w->service, MO_MAY_ALL);
	assert_column(w, STATUS, "");
	assert_int_equal(mo_world_phase(w, MO_OP_COMMIT), MO_COMMIT_FAILED);
	/* A committed transaction whose reply was sent stays in force. */
	assert_int_equal(mo_world_test(w, set, 1), MO_NO_ERROR);
	assert_int_equal(mo_world_phase(w, MO_OP_COMMIT), MO_NO_ERROR);
	mo_session_free(w->session);
	w->session = mo_session_new(w->service, MO_MAY_ALL);
	assert_column(w, STATUS, "1.4=active");
	/* A committed transaction whose reply was not sent is undone. */
	assert_int_equal(mo_world_test(w, (const char *const[][3]){{STATUS, "1.4", "destroy"}}, 1),
			 MO_NO_ERROR);
	assert_int_equal(mo_world_phase(w, MO_OP_COMMIT), MO_NO_ERROR);
	mo_session_reply_lost(w->session);
	mo_session_free(w->session);
	w->session = mo_session_new(w->service, MO_MAY_ALL);
	assert_column(w, STATUS, "1.4=active");
	mo_world_free(w);
}

/* Lost clients whose SET is undone, and one whose SET cannot be undone. */
static void test_lost_replies_are_logged(void **state)
{
	static const char *const set[][3] = {{STATUS, "1.4", "createAndGo"}};
	static const char lost[] = "reply to a client lost: undoing its committed SET\n";
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	char text[1024], want[1024], temporary[128];
	struct log_capture c;

	(void)state;
	assert_int_equal(mo_world_test(w, set, 1), MO_NO_ERROR);
	mo_session_reply_lost(w->session); /* only tested: not logged */
	log_init("prog", LOG_LEVEL_WARN, true);
	c = log_capture();
	mo_session_reply_lost(w->session);
	assert_int_equal(mo_world_phase(w, MO_OP_COMMIT), MO_NO_ERROR);
	mo_session_reply_lost(w->session);
	assert_column(w, STATUS, "");
	mo_world_phase(w, MO_OP_CLEANUP);
	assert_int_equal(mo_world_test(w, set, 1), MO_NO_ERROR);
	assert_int_equal(mo_world_phase(w, MO_OP_COMMIT), MO_NO_ERROR);
	snprintf(temporary, sizeof(temporary), "%s.new", w->state);
	assert_int_equal(mkdir(temporary, 0700), 0);
	mo_session_reply_lost(w->session);
	log_captured(&c, text, sizeof(text));
	log_init("test_mo_service", LOG_LEVEL_ERROR, false);
	snprintf(want, sizeof(want),
		 "<4>prog: ctl: %s<4>prog: ctl: %s"
		 "<3>prog: persist: %s: Is a directory: settings not saved\n"
		 "<3>prog: provider: UNDO of a SET failed: the state file cannot be written\n"
		 "<3>prog: ctl: UNDO failed: the SET whose reply was lost stays in force\n",
		 lost, lost, w->state);
	assert_string_equal(text, want);
	assert_column(w, STATUS, "1.4=active");
	assert_int_equal(rmdir(temporary), 0);
	mo_world_free(w);
}

static void test_commit_during_other_commit_is_refused(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	struct mo_session *first = w->session;

	(void)state;
	assert_int_equal(
	    mo_world_test(w, (const char *const[][3]){{STATUS, "1.4", "createAndGo"}}, 1),
	    MO_NO_ERROR);
	assert_int_equal(mo_world_phase(w, MO_OP_COMMIT), MO_NO_ERROR);
	w->session = mo_session_new(w->service, MO_MAY_ALL);
	assert_int_equal(SET(w, {STATUS, "1.5", "createAndGo"}), MO_GEN_ERR);
	mo_session_free(first);
	assert_int_equal(SET(w, {STATUS, "1.5", "createAndGo"}), MO_NO_ERROR);
	mo_world_free(w);
}

/* A client that is silent after COMMIT keeps its values, and others may commit in time. */
static void test_overdue_commit_blocks_nobody(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	struct mo_session *silent = w->session, *other = mo_session_new(w->service, MO_MAY_ALL);
	uint32_t txid;

	(void)state;
	mo_service_overdue(w->service); /* no transaction: no effect on the next */
	assert_int_equal(
	    mo_world_test(w, (const char *const[][3]){{STATUS, "1.4", "createAndGo"}}, 1),
	    MO_NO_ERROR);
	assert_int_equal(mo_world_phase(w, MO_OP_COMMIT), MO_NO_ERROR);
	assert_true(mo_session_is_committed(silent));
	txid = w->txid;
	w->session = other;
	assert_int_equal(SET(w, {STATUS, "1.5", "createAndGo"}), MO_GEN_ERR);
	assert_string_equal(w->reason, "another SET has not ended");
	mo_service_overdue(w->service);
	assert_true(mo_session_is_committed(silent)); /* until another client commits */
	assert_int_equal(SET(w, {STATUS, "1.5", "createAndGo"}), MO_NO_ERROR);
	assert_false(mo_session_is_committed(silent));
	assert_column(w, STATUS, "1.4=active 1.5=active");
	/* UNDO would take the other SET away. */
	w->session = silent;
	w->txid = txid;
	assert_int_equal(mo_world_phase(w, MO_OP_COMMIT), MO_NO_ERROR); /* repeated */
	assert_int_equal(mo_world_phase(w, MO_OP_UNDO), MO_UNDO_FAILED);
	assert_string_equal(w->reason, "too late: another SET has followed");
	assert_int_equal(mo_world_phase(w, MO_OP_CLEANUP), MO_NO_ERROR);
	assert_column(w, STATUS, "1.4=active 1.5=active");
	assert_int_equal(SET(w, {STATUS, "1.4", "destroy"}), MO_NO_ERROR);
	assert_column(w, STATUS, "1.5=active");
	mo_session_free(other);
	mo_world_free(w);
}

/* Without a COMMIT of another client: a slow client can still undo. */
static void test_overdue_commit_can_be_undone(void **state)
{
	static const char *const set[][3] = {{STATUS, "1.4", "createAndGo"}};
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	struct mo_session *other = mo_session_new(w->service, MO_MAY_ALL), *first = w->session;

	(void)state;
	assert_int_equal(mo_world_test(w, set, 1), MO_NO_ERROR);
	assert_int_equal(mo_world_phase(w, MO_OP_COMMIT), MO_NO_ERROR);
	mo_service_overdue(w->service);
	assert_int_equal(mo_world_phase(w, MO_OP_UNDO), MO_NO_ERROR);
	assert_column(w, STATUS, "");
	/* The next transaction has its own time. */
	assert_int_equal(mo_world_test(w, set, 1), MO_NO_ERROR);
	assert_int_equal(mo_world_phase(w, MO_OP_COMMIT), MO_NO_ERROR);
	w->session = other;
	assert_int_equal(SET(w, {STATUS, "1.5", "createAndGo"}), MO_GEN_ERR);
	w->session = first;
	mo_session_free(other);
	mo_world_free(w);
}

/* Such a session ends like any other. */
static void test_overtaken_session_ends(void **state)
{
	static const char *const set[][3] = {{STATUS, "1.4", "createAndGo"}};
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	struct mo_session *silent = w->session;

	(void)state;
	assert_int_equal(mo_world_test(w, set, 1), MO_NO_ERROR);
	assert_int_equal(mo_world_phase(w, MO_OP_COMMIT), MO_NO_ERROR);
	mo_service_overdue(w->service);
	w->session = mo_session_new(w->service, MO_MAY_ALL);
	assert_int_equal(SET(w, {STATUS, "1.5", "createAndGo"}), MO_NO_ERROR);
	mo_session_reply_lost(silent);
	mo_session_free(silent);
	assert_column(w, STATUS, "1.4=active 1.5=active");
	mo_world_free(w);
}

/* A client of the view socket reads, and sets nothing. */
static void test_session_without_the_right_sets_nothing(void **state)
{
	static const char *const set[][3] = {{STATUS, "1.4", "createAndGo"}};
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	struct mo_session *all = w->session, *view = mo_session_new(w->service, 0);

	(void)state;
	assert_int_equal(SET(w, {STATUS, "1.3", "createAndGo"}), MO_NO_ERROR);
	w->session = view;
	assert_column(w, STATUS, "1.3=active");
	assert_int_equal(mo_world_test(w, set, 1), MO_NO_ACCESS);
	assert_int_equal(w->bad, 0);
	assert_string_equal(w->reason,
			    "the view socket is for reading: objects are set over control.socket");
	assert_int_equal(mo_world_phase(w, MO_OP_COMMIT), MO_COMMIT_FAILED);
	assert_int_equal(mo_world_phase(w, MO_OP_UNDO), MO_NO_ERROR);
	assert_int_equal(mo_world_phase(w, MO_OP_CLEANUP), MO_NO_ERROR);
	assert_column(w, STATUS, "1.3=active");
	mo_session_free(view);
	w->session = all;
	assert_int_equal(SET(w, {STATUS, "1.4", "createAndGo"}), MO_NO_ERROR);
	mo_world_free(w);
}

static void test_malformed_requests_are_refused(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	uint8_t buf[64], reply_buf[256];
	struct octets_out out, reply = octets_out(reply_buf, sizeof(reply_buf));

	(void)state;
	assert_false(mo_service_handle(w->session, (const uint8_t *)"", 0, &reply));
	out = mo_world_request(buf, sizeof(buf), MO_OP_READ, MO_TABLES);
	octets_out_bytes(&out, "\0\0\1\0", 4);
	assert_false(mo_service_handle(w->session, buf, out.len, &reply));
	out = mo_world_request(buf, sizeof(buf), MO_OP_READ, MO_cn_cp);
	octets_out_bytes(&out, "\0\0\1\377", 4); /* an index of 255 parts */
	assert_false(mo_service_handle(w->session, buf, out.len, &reply));
	out = mo_world_request(buf, sizeof(buf), MO_OP_TEST, 0);
	octets_out_bytes(&out, "\0\0\0\1\377\377", 6); /* 65535 varbinds, but no data */
	assert_false(mo_service_handle(w->session, buf, out.len, &reply));
	buf[0] = MO_MSG_VERSION + 1;
	assert_false(mo_service_handle(w->session, buf, out.len, &reply));
	mo_world_free(w);
}

static struct octets_out request_of(uint8_t *buf, size_t size, enum mo_msg_op op)
{
	struct octets_out out = mo_world_request(buf, size, op, MO_cn_com_pri);

	switch (op) {
	case MO_OP_READ:
		octets_out_u8(&out, 0);
		octets_out_be16(&out, 10);
		octets_out_u8(&out, 0);
		break;
	case MO_OP_TEST:
		octets_out_be32(&out, 1);
		octets_out_be16(&out, 1);
		mo_msg_put_varbind(
		    &out, &(struct mo_varbind){.table = MO_cn_com_pri,
					       .subid = 10,
					       .index = {2, {1, 3}},
					       .value = {.syntax = MO_ROW_STATUS, .num = 4}});
		break;
	case MO_OP_COMMIT:
	case MO_OP_UNDO:
	case MO_OP_CLEANUP:
		octets_out_be32(&out, 1);
		break;
	case MO_OP_SUBSCRIBE:
		octets_out_u8(&out, MO_SUBSCRIBE_NOTIFIER);
		octets_out_be32(&out, 0);
		octets_out_be64(&out, 0);
		break;
	case MO_OP_ACK:
		octets_out_be64(&out, 1);
		break;
	default:
		break;
	}
	return out;
}

/* A truncated request is refused, and a message that is a reply. */
static void test_truncated_requests_are_refused(void **state)
{
	static const enum mo_msg_op ops[] = {MO_OP_HELLO,     MO_OP_READ, MO_OP_TEST,
					     MO_OP_COMMIT,    MO_OP_UNDO, MO_OP_CLEANUP,
					     MO_OP_SUBSCRIBE, MO_OP_ACK};
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	uint8_t buf[128], answer[512];

	(void)state;
	for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++) {
		struct octets_out out = request_of(buf, sizeof(buf), ops[i]), reply;

		for (size_t len = 0; len < out.len; len++) {
			reply = octets_out(answer, sizeof(answer));
			assert_false(mo_service_handle(w->session, buf, len, &reply));
		}
		reply = octets_out(answer, sizeof(answer));
		assert_true(mo_service_handle(w->session, buf, out.len, &reply));
		buf[1] |= MO_MSG_REPLY;
		reply = octets_out(answer, sizeof(answer));
		assert_false(mo_service_handle(w->session, buf, out.len, &reply));
	}
	assert_column(w, STATUS, "");
	mo_world_free(w);
}

/* A reply buffer without room for the header of the rows is an error. */
static void test_reply_has_only_rows_that_fit(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	uint8_t buf[128], answer[MO_MSG_HEADER + 3];
	struct octets_out out = request_of(buf, sizeof(buf), MO_OP_READ), reply;

	(void)state;
	for (size_t size = MO_MSG_HEADER; size < sizeof(answer); size++) {
		reply = octets_out(answer, size);
		assert_false(mo_service_handle(w->session, buf, out.len, &reply));
	}
	reply = octets_out(answer, sizeof(answer));
	assert_true(mo_service_handle(w->session, buf, out.len, &reply));
	assert_int_equal(reply.len, sizeof(answer));
	assert_memory_equal(answer + MO_MSG_HEADER, "\0\0\0", 3);
	/* Without room for the row, the reply has no row and says that rows are left. */
	assert_int_equal(SET(w, {STATUS, "1.3", "createAndGo"}), MO_NO_ERROR);
	reply = octets_out(answer, sizeof(answer));
	assert_true(mo_service_handle(w->session, buf, out.len, &reply));
	assert_int_equal(reply.len, sizeof(answer));
	assert_memory_equal(answer + MO_MSG_HEADER, "\1\0\0", 3);
	mo_world_free(w);
}

/* A row that does not fit leaves no octets in the reply. */
static void test_reply_has_no_part_of_a_row(void **state)
{
	static const char *const rows[] = {"1.3", "1.4"};
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	size_t whole[] = {MO_MSG_HEADER + 3, 0, 0}; /* length of the reply with n rows */
	uint8_t buf[128], answer[512];
	struct octets_out out = request_of(buf, sizeof(buf), MO_OP_READ), reply;

	(void)state;
	for (unsigned n = 1; n < 3; n++) {
		assert_int_equal(SET(w, {STATUS, rows[n - 1], "createAndGo"}), MO_NO_ERROR);
		reply = octets_out(answer, sizeof(answer));
		assert_true(mo_service_handle(w->session, buf, out.len, &reply));
		whole[n] = reply.len;
	}
	for (size_t size = whole[0]; size < whole[2]; size++) {
		unsigned n = size >= whole[1];

		reply = octets_out(answer, size);
		assert_true(mo_service_handle(w->session, buf, out.len, &reply));
		assert_int_equal(reply.len, whole[n]);
		assert_int_equal(answer[MO_MSG_HEADER], 1); /* rows are left */
		assert_int_equal(get_be16(answer + MO_MSG_HEADER + 1), n);
	}
	mo_world_free(w);
}

/* --- order ------------------------------------------------------------------------------------ */

/* Checks that the place of a row has the port and the priority of its index. */
static void check_place(const struct mo_world *w, enum mo_table_id id, const struct mo_index *at,
			const struct mo_place *place)
{
	int part = mo_bind_port_part(id);

	if (part >= 0)
		assert_int_equal(w->m->config->ports[place->pos].port->link.ifindex, at->sub[part]);
	switch (mo_table(id)->shape) {
	case MO_SHAPE_PRIORITY:
		assert_int_equal(place->priority, at->sub[1]);
		break;
	case MO_SHAPE_RP:
		assert_int_equal(place->priority, at->sub[2]);
		assert_int_equal(place->rp, at->sub[3]);
		break;
	case MO_SHAPE_PORT_FEATURE:
		assert_int_equal(place->feature, at->sub[1]);
		break;
	case MO_SHAPE_PORT_TERM:
		assert_int_equal(place->term + 1, at->sub[1]);
		break;
	case MO_SHAPE_PORT_SA:
		assert_int_equal(place->an, at->sub[2]);
		/* fallthrough */
	case MO_SHAPE_PORT_SC:
		assert_int_equal(place->channel + 1, at->sub[1]);
		break;
	case MO_SHAPE_SCALAR:
	case MO_SHAPE_COMPONENT:
	case MO_SHAPE_PORT:
	case MO_SHAPE_PORT_ADDRESS:
	case MO_SHAPE_PORT_APP:
	case MO_SHAPE_PORT_PRIORITY:
	case MO_SHAPE_PRIORITY_PORT:
	case MO_SHAPE_PORT_CP:
		assert_int_equal(place->priority, mo_bind_index_priority(id, at));
		break;
	default:
		break;
	}
}

/*
 * Checks that a search from random indexes of any length finds the same row as a search
 * in the list of all rows.
 */
static void check_seeks(struct mo_world *w, enum mo_table_id id, struct dcb_rng *rng)
{
	struct mo_index all[512];
	struct mo_place place;
	size_t n = 0;

	memset(all, 0, sizeof(all));
	for (struct mo_index at = {0}; mo_bind_seek(w->m, w->m->config, id, &at, n > 0, &place);
	     n++) {
		assert_true(n < 512);
		all[n] = at;
		assert_true(mo_index_valid(mo_table(id), &at));
		check_place(w, id, &at, &place);
		assert_true(n == 0 || mo_index_compare(&all[n - 1], &at) < 0);
	}
	for (unsigned i = 0; i < 4000; i++) {
		struct mo_index from = n ? all[dcb_rng_uniform(rng, 0, (uint32_t)n - 1)] : all[0];
		bool after = dcb_rng_uniform(rng, 0, 1);
		struct mo_index got;
		size_t want = 0;
		bool found;

		from.n = (uint8_t)dcb_rng_uniform(rng, 0, MO_INDEX_MAX);
		if (from.n > 0 && dcb_rng_uniform(rng, 0, 2))
			from.sub[dcb_rng_uniform(rng, 0, from.n - 1u)] +=
			    dcb_rng_uniform(rng, 0, 2) - 1;
		got = from;
		while (want < n && (mo_index_compare(&all[want], &from) < 0 ||
				    (after && mo_index_compare(&all[want], &from) == 0)))
			want++;
		found = mo_bind_seek(w->m, w->m->config, id, &got, after, &place);
		assert_int_equal(found, want < n);
		if (found)
			assert_int_equal(mo_index_compare(&got, &all[want]), 0);
		got = from;
		if (mo_bind_find(w->m, w->m->config, id, &from, &place))
			assert_int_equal(mo_index_compare(&from, &got), 0);
	}
}

/* Gives the port MACsec with these channels, and keys with these ANs: bit n for AN n. */
static void secure(struct mo_world *w, size_t pos, struct port_macsec *m, uint8_t channels,
		   unsigned ans)
{
	struct fake_port *port = fake_port(w->m->config->ports[pos].port);

	m->secy.config.tx_scs = channels;
	for (unsigned an = 0; an < SECTAG_ANS; an++)
		m->sak[an] = ans >> an & 1 ? (struct sak *)m : NULL;
	port->port.has |= PROVIDER_SECY;
	port->macsec = m;
}

static void test_search_from_any_index(void **state)
{
	struct port_macsec macsec[3] = {0};
	struct mo_world *w = mo_world_new(ROLE_STATION);
	uint64_t seed = 20260101;
	struct dcb_rng rng;

	(void)state;
	print_message("seed %llu\n", (unsigned long long)seed);
	dcb_rng_seed(&rng, seed, 1);
	w->m->component_id = 4;
	mo_world_add_port(w, 2147483647, "last", "");
	assert_int_equal(SET(w, {STATUS, "4.0", "createAndGo"}, {STATUS, "4.7", "createAndGo"},
			     {STATUS, "4.4", "createAndWait"},
			     {"ieee8021CnPortPriAlternatePriority", "4.4.9", "7"}),
			 MO_NO_ERROR);
	assert_int_equal(SET(w, {"ieee8021CnRpPortPriMaxRps", "4.4.5", "3"},
			     {"ieee8021CnRpPortPriMaxRps", "4.7.2147483647", "100"}),
			 MO_NO_ERROR);
	secure(w, 0, &macsec[0], 1, 0xa);
	secure(w, 2, &macsec[1], 2, 0xf);
	secure(w, 3, &macsec[2], 2, 0x0);
	for (unsigned id = 0; id < MO_TABLES; id++)
		check_seeks(w, (enum mo_table_id)id, &rng);
	mo_world_free(w);
}

int main(void)
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
	    cmocka_unit_test(test_row_status_transitions),
	    cmocka_unit_test(test_error_for_an_absent_row_says_if_it_could_exist),
	    cmocka_unit_test(test_errors_name_the_varbind),
	    cmocka_unit_test(test_order_of_varbinds_does_not_matter),
	    cmocka_unit_test(test_undo_restores_configuration_and_file),
	    cmocka_unit_test(test_set_is_undone_only_if_its_reply_is_lost),
	    cmocka_unit_test(test_lost_replies_are_logged),
	    cmocka_unit_test(test_commit_during_other_commit_is_refused),
	    cmocka_unit_test(test_overdue_commit_blocks_nobody),
	    cmocka_unit_test(test_overdue_commit_can_be_undone),
	    cmocka_unit_test(test_overtaken_session_ends),
	    cmocka_unit_test(test_session_without_the_right_sets_nothing),
	    cmocka_unit_test(test_malformed_requests_are_refused),
	    cmocka_unit_test(test_truncated_requests_are_refused),
	    cmocka_unit_test(test_reply_has_only_rows_that_fit),
	    cmocka_unit_test(test_reply_has_no_part_of_a_row),
	    cmocka_unit_test(test_search_from_any_index),
	};

	log_init("test_mo_service", LOG_LEVEL_ERROR, false);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
