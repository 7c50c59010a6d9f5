/* SPDX-License-Identifier: BSD-3-Clause */
/* Commits that a provider fails or refuses, and their UNDO: with one to three fake providers. */
#include <stdlib.h>
#include <string.h>

#include "lib/log.h"
#include "tests/unit/control/provider_world.h"
#include "tests/unit/mo_world.h"

/* --- refusals -------------------------------------------------------------------------- */

/* The provider accepts the change in TestSet and refuses it in CommitSet. */
static void test_refusal_between_test_and_commit(void **state)
{
	static const char *const set[][3] = {{ENABLE, "3.7", "true"}, {ENABLE, "9.7", "true"}};
	struct mo_world *w = make_world(2);
	struct snapshot before;

	(void)state;
	assert_int_equal(mo_world_test(w, set, 2), MO_NO_ERROR);
	before = take_snapshot(w);
	w->others[0].accepts = has_no_pfc_on_7;
	assert_int_equal(mo_world_phase(w, MO_OP_COMMIT), MO_INCONSISTENT_VALUE);
	assert_int_equal(w->bad, 2);
	assert_int_equal(mo_world_phase(w, MO_OP_UNDO), MO_NO_ERROR);
	check_untouched(w, &before);
	mo_world_free(w);
}

/* --- failed commits -------------------------------------------------------------------- */

static void test_commit_fails_at_each_port(void **state)
{
	static const char *const set[][3] = {
	    {ALLOWANCE, "3", "34"},
	    {ALLOWANCE, "5", "56"},
	    {ALLOWANCE, "9", "98"},
	    {STATUS, "1.4", "createAndGo"},
	};
	static const uint32_t ports[] = {3, 5, 9};

	(void)state;
	for (unsigned n = 1; n <= MO_WORLD_PROVIDERS; n++) {
		for (unsigned i = 0; i < n; i++) {
			struct mo_world *w = make_world(n);
			char *file = read_state(w);

			assert_int_equal(mo_world_test(w, set, 4), MO_NO_ERROR);
			fail_next_commit(mo_world_provider(w, i), ports[i]);
			assert_int_equal(mo_world_phase(w, MO_OP_COMMIT), MO_COMMIT_FAILED);
			assert_int_equal(w->bad, i + 1);
			assert_non_null(strstr(w->reason, ": fake does not obey"));
			assert_int_equal(mo_world_provider(w, i)->n_failed, 1);
			check_in_force(w);
			check_state(w, file);
			assert_column(w, STATUS, "");
			assert_column(w, ALLOWANCE, "3=33 5=55 9=99");
			/* The master sends UndoSet; there is nothing left to undo. */
			assert_int_equal(mo_world_phase(w, MO_OP_UNDO), MO_NO_ERROR);
			check_state(w, file);
			mo_world_adopt(w);
			check_in_force(w);
			assert_int_equal(mo_world_set(w, set, 4), MO_NO_ERROR);
			assert_column(w, ALLOWANCE, "3=34 5=56 9=98");
			check_in_force(w);
			free(file);
			mo_world_free(w);
		}
	}
}

static struct fake_port *port_at(const struct mo_world *w, unsigned i)
{
	return fake_port(w->m->config->ports[i].port);
}

/*
 * The last provider fails, and the first cannot be restored: the one between them is, and UNDO
 * tries again.
 */
static void test_undo_retries_failed_restore(void **state)
{
	static const char *const set[][3] = {
	    {ALLOWANCE, "3", "34"}, {ALLOWANCE, "5", "54"}, {ALLOWANCE, "9", "98"}};

	(void)state;
	for (unsigned failures = 1; failures <= 2; failures++) {
		struct mo_world *w = make_world(3);
		char *file = read_state(w);

		assert_int_equal(mo_world_test(w, set, 3), MO_NO_ERROR);
		fail_next_commit(&w->others[1], 9);
		w->provider.fail_after = 1;
		w->provider.fail_commits = failures;
		assert_int_equal(mo_world_phase(w, MO_OP_COMMIT), MO_UNDO_FAILED);
		assert_string_equal(w->reason,
				    "sw9: fake does not obey; not undone yet: "
				    "fake does not obey");
		assert_int_equal(port_at(w, 1)->hardware.allowance, 55);
		assert_int_equal(mo_world_phase(w, MO_OP_COMMIT), MO_UNDO_FAILED);
		assert_int_equal(mo_world_phase(w, MO_OP_UNDO),
				 failures == 1 ? MO_NO_ERROR : MO_UNDO_FAILED);
		check_state(w, file);
		/* The next configuration that is published is complete in all providers. */
		assert_int_equal(SET(w, {ENABLE, "5.1", "true"}), MO_NO_ERROR);
		check_in_force(w);
		assert_column(w, ALLOWANCE, "3=33 5=55 9=99");
		free(file);
		mo_world_free(w);
	}
}

/* Without UNDO the end of the session undoes the change. */
static void test_half_committed_session_ends(void **state)
{
	static const char *const set[][3] = {{ALLOWANCE, "3", "34"}, {ALLOWANCE, "9", "98"}};
	struct mo_world *w = make_world(2);

	(void)state;
	assert_int_equal(mo_world_test(w, set, 2), MO_NO_ERROR);
	fail_next_commit(&w->others[0], 9);
	w->provider.fail_after = 1;
	w->provider.fail_commits = 1;
	assert_int_equal(mo_world_phase(w, MO_OP_COMMIT), MO_UNDO_FAILED);
	mo_session_free(w->session);
	w->session = mo_session_new(w->service, MO_MAY_ALL);
	check_in_force(w);
	mo_world_free(w);
}

/* Nor does it keep the others from setting: the next COMMIT undoes the change first. */
static void test_half_committed_session_is_overtaken(void **state)
{
	static const char *const set[][3] = {{ALLOWANCE, "3", "34"}, {ALLOWANCE, "9", "98"}};
	struct mo_world *w = make_world(2);
	struct mo_session *silent = w->session, *other = mo_session_new(w->service, MO_MAY_ALL);
	uint32_t txid;

	(void)state;
	assert_int_equal(mo_world_test(w, set, 2), MO_NO_ERROR);
	fail_next_commit(&w->others[0], 9);
	w->provider.fail_after = 1;
	w->provider.fail_commits = 1;
	assert_int_equal(mo_world_phase(w, MO_OP_COMMIT), MO_UNDO_FAILED);
	txid = w->txid;
	mo_service_overdue(w->service);
	w->session = other;
	assert_int_equal(SET(w, {ENABLE, "5.1", "true"}), MO_NO_ERROR);
	check_in_force(w);
	assert_column(w, ALLOWANCE, "3=33 5=55 9=99");
	w->session = silent;
	w->txid = txid;
	assert_int_equal(mo_world_phase(w, MO_OP_COMMIT), MO_COMMIT_FAILED);
	assert_int_equal(mo_world_phase(w, MO_OP_UNDO), MO_NO_ERROR); /* it is undone */
	assert_value(w, ENABLE, "5.1", "true");
	mo_session_free(other);
	mo_world_free(w);
}

static void test_undo_that_is_refused(void **state)
{
	static const char *const set[][3] = {{ALLOWANCE, "9", "100"}};
	struct mo_world *w = mo_world_of_providers(ROLE_BRIDGE, 2);

	(void)state;
	assert_int_equal(SET(w, {ALLOWANCE, "9", "5000"}), MO_NO_ERROR);
	assert_int_equal(mo_world_test(w, set, 1), MO_NO_ERROR);
	assert_int_equal(mo_world_phase(w, MO_OP_COMMIT), MO_NO_ERROR);
	w->others[0].accepts = has_little_delay;
	assert_int_equal(mo_world_phase(w, MO_OP_UNDO), MO_UNDO_FAILED);
	check_in_force(w);
	assert_value(w, ALLOWANCE, "9", "100");
	mo_world_restart(w);
	mo_world_add_port(w, 9, "sw9", "");
	mo_world_load(w);
	assert_value(w, ALLOWANCE, "9", "100");
	mo_world_free(w);
}

/* If UNDO fails to commit, the state file is restored to the configuration in force. */
static void test_undo_that_fails_to_commit(void **state)
{
	static const char *const set[][3] = {{ALLOWANCE, "3", "34"}, {ALLOWANCE, "9", "98"}};
	struct mo_world *w = make_world(2);
	char *file;

	(void)state;
	assert_int_equal(mo_world_test(w, set, 2), MO_NO_ERROR);
	assert_int_equal(mo_world_phase(w, MO_OP_COMMIT), MO_NO_ERROR);
	file = read_state(w);
	fail_next_commit(&w->others[0], 9);
	assert_int_equal(mo_world_phase(w, MO_OP_UNDO), MO_UNDO_FAILED);
	check_in_force(w);
	check_state(w, file);
	assert_value(w, ALLOWANCE, "3", "34");
	free(file);
	mo_world_free(w);
}

/* --- several ports of a provider ------------------------------------------------------- */

static const char *const all_ports[][3] = {
    {ALLOWANCE, "3", "34"}, {ALLOWANCE, "5", "56"}, {ALLOWANCE, "9", "98"}};

static void test_port_that_refuses_leaves_others_unchanged(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		struct mo_world *w = make_world(1);
		char *file = read_state(w);

		assert_int_equal(mo_world_test(w, all_ports, 3), MO_NO_ERROR);
		port_at(w, i)->fail_writes = 1;
		assert_int_equal(mo_world_phase(w, MO_OP_COMMIT), MO_COMMIT_FAILED);
		assert_int_equal(w->bad, i + 1);
		check_in_force(w);
		check_state(w, file);
		assert_int_equal(mo_world_phase(w, MO_OP_UNDO), MO_NO_ERROR);
		assert_int_equal(mo_world_set(w, all_ports, 3), MO_NO_ERROR);
		check_in_force(w);
		free(file);
		mo_world_free(w);
	}
}

/*
 * The second port refuses, and the first one cannot be restored. UNDO publishes the settings that
 * the provider has committed last: it writes them nevertheless.
 */
static void test_undo_inside_a_provider_is_retried(void **state)
{
	(void)state;
	for (unsigned failures = 1; failures <= 2; failures++) {
		struct mo_world *w = make_world(1);
		char *file = read_state(w);

		assert_int_equal(mo_world_test(w, all_ports, 3), MO_NO_ERROR);
		port_at(w, 0)->write_after = 1;
		port_at(w, 0)->fail_writes = failures;
		port_at(w, 1)->fail_writes = 1;
		assert_int_equal(mo_world_phase(w, MO_OP_COMMIT), MO_UNDO_FAILED);
		assert_int_equal(w->bad, 2);
		assert_int_equal(port_at(w, 0)->hardware.allowance, 34);
		check_state(w, file);
		assert_int_equal(mo_world_phase(w, MO_OP_UNDO),
				 failures == 1 ? MO_NO_ERROR : MO_UNDO_FAILED);
		if (failures == 1)
			check_in_force(w);
		check_state(w, file);
		assert_int_equal(SET(w, {ENABLE, "5.1", "true"}), MO_NO_ERROR);
		check_in_force(w);
		assert_column(w, ALLOWANCE, "3=33 5=55 9=99");
		free(file);
		mo_world_free(w);
	}
}

/* --- removed ports --------------------------------------------------------------------- */

static void test_port_vanishes_between_test_and_commit(void **state)
{
	static const char *const set[][3] = {{ALLOWANCE, "3", "34"}, {ALLOWANCE, "9", "98"}};
	struct mo_world *w = make_world(2);

	(void)state;
	assert_int_equal(mo_world_test(w, set, 2), MO_NO_ERROR);
	assert_true(managed_interface_gone(w->m, 9));
	assert_int_equal(mo_world_phase(w, MO_OP_COMMIT), MO_INCONSISTENT_NAME);
	assert_int_equal(w->bad, 2);
	mo_world_phase(w, MO_OP_CLEANUP);
	mo_world_adopt(w);
	check_in_force(w);
	assert_column(w, ALLOWANCE, "3=33 5=55");
	mo_world_add_port(w, 9, "sw9", "");
	assert_value(w, ALLOWANCE, "9", "99");
	mo_world_free(w);
}

/*
 * UNDO restores the ports that exist: those at another position since a port was closed, and
 * one that has returned. A new port keeps its settings.
 */
static void test_ports_come_and_go_between_commit_and_undo(void **state)
{
	static const char *const set[][3] = {{ALLOWANCE, "3", "34"},
					     {ALLOWANCE, "5", "56"},
					     {ALLOWANCE, "9", "98"},
					     {STATUS, "1.4", "createAndGo"}};
	struct mo_world *w = make_world(3);

	(void)state;
	assert_true(managed_interface_gone(w->m, 3));
	mo_world_adopt(w);
	assert_int_equal(mo_world_test(w, set + 1, 3), MO_NO_ERROR);
	assert_int_equal(mo_world_phase(w, MO_OP_COMMIT), MO_NO_ERROR);
	mo_world_add_port(w, 3, "sw3", "");
	mo_world_add_port(w, 7, "sw7", "");
	assert_true(managed_interface_gone(w->m, 5));
	assert_true(managed_interface_gone(w->m, 9));
	mo_world_adopt(w);
	mo_world_add_port(w, 9, "sw9", "");
	assert_column(w, ALLOWANCE, "3=33 7=0 9=98");
	assert_int_equal(mo_world_phase(w, MO_OP_UNDO), MO_NO_ERROR);
	mo_world_adopt(w);
	check_in_force(w);
	assert_column(w, ALLOWANCE, "3=33 7=0 9=99");
	assert_ptr_equal(w->m->config->ports[1].config, w->m->config->fresh);
	mo_world_free(w);
}

/* The provider notices in its commit that the interface is gone. */
static void test_port_vanishes_between_prepare_and_commit(void **state)
{
	struct mo_world *w = make_world(2);

	(void)state;
	fail_next_commit(&w->others[0], 9);
	assert_int_equal(SET(w, {ALLOWANCE, "3", "34"}, {ALLOWANCE, "9", "98"}), MO_COMMIT_FAILED);
	assert_int_equal(w->bad, 2);
	check_in_force(w);
	assert_true(managed_interface_gone(w->m, 9));
	mo_world_adopt(w);
	check_in_force(w);
	assert_int_equal(w->others[0].n_open, 1);
	mo_world_free(w);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_refusal_between_test_and_commit),
	    cmocka_unit_test(test_commit_fails_at_each_port),
	    cmocka_unit_test(test_undo_retries_failed_restore),
	    cmocka_unit_test(test_half_committed_session_ends),
	    cmocka_unit_test(test_half_committed_session_is_overtaken),
	    cmocka_unit_test(test_undo_that_is_refused),
	    cmocka_unit_test(test_undo_that_fails_to_commit),
	    cmocka_unit_test(test_port_that_refuses_leaves_others_unchanged),
	    cmocka_unit_test(test_undo_inside_a_provider_is_retried),
	    cmocka_unit_test(test_port_vanishes_between_test_and_commit),
	    cmocka_unit_test(test_ports_come_and_go_between_commit_and_undo),
	    cmocka_unit_test(test_port_vanishes_between_prepare_and_commit),
	};

	log_init("test_provider", LOG_LEVEL_ERROR, false);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
