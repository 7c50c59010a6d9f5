/* SPDX-License-Identifier: BSD-3-Clause */
/* Phases of a SET: errors, UNDO, lost replies, several sessions. */
#include <stdio.h>
#include <sys/stat.h>

#include "lib/log.h"
#include "tests/unit/log_capture.h"
#include "tests/unit/mo_world.h"

/* --- errors ---------------------------------------------------------------------------- */

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

/* --- transactions ---------------------------------------------------------------------- */

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

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
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
	};

	log_init("test_mo_service", LOG_LEVEL_ERROR, false);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
