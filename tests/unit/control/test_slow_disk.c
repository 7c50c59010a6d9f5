/* SPDX-License-Identifier: BSD-3-Clause */
/* One SET, and other saves, while the disk writes. */
#include <errno.h>
#include <pthread.h>
#include <unistd.h>

#include "lib/log.h"
#include "tests/unit/control/slow_disk.h"
#include "tests/unit/mo_world.h"

static void on_saved(void *ctx, bool ok)
{
	struct slow *s = ctx;

	s->n_saved += ok;
	s->n_not_saved += !ok;
}

/* --- one SET --------------------------------------------------------------------------- */

static void test_reads_go_on_while_the_disk_writes(void **state)
{
	struct slow *s = slow_new();
	struct client *c = &s->clients[0];

	(void)state;
	disk_stop();
	send_set(c, "3", "33");
	assert_true(mo_session_is_waiting(c->session));
	disk_await();
	turn(s);
	assert_false(c->is_answered);
	assert_column(s->w, ALLOWANCE, "3=0 5=0 9=0"); /* not on disk, so not visible */
	assert_column(s->w, "dcbAgentStateSaves", "0=0");
	disk_set(true, 1, 0); /* the file; then the directory */
	disk_await();
	turn(s);
	assert_false(c->is_answered);
	disk_continue();
	turn_until(s, &s->n_answers, 1);
	assert_int_equal(c->error, MO_NO_ERROR);
	assert_false(mo_session_is_waiting(c->session));
	assert_column(s->w, ALLOWANCE, "3=33 5=0 9=0");
	assert_column(s->w, "dcbAgentStateSaves", "0=1");
	send_phase(c, MO_OP_CLEANUP);
	assert_true(c->is_answered);
	end_clients(s);
	mo_world_reload(s->w);
	assert_column(s->w, ALLOWANCE, "3=33 5=0 9=0");
	slow_free(s);
}

static void test_failed_write_refuses_the_set(void **state)
{
	static const struct {
		int error;
		enum mo_error expected;
	} cases[] = {{EIO, MO_COMMIT_FAILED}, {ENOSPC, MO_RESOURCE_UNAVAILABLE}};
	char reason[MO_TEXT_MAX + 1];

	(void)state;
	for (size_t i = 0; i < UNIT_COUNT(cases); i++) {
		struct slow *s = slow_new();
		struct client *c = &s->clients[0];

		disk_stop();
		send_set(c, "3", "33");
		disk_await();
		disk_set(false, 0, cases[i].error);
		turn_until(s, &s->n_answers, 1);
		disk_continue();
		assert_int_equal(c->error, cases[i].expected);
		snprintf(reason, sizeof(reason), "the state file cannot be written: %s",
			 strerror(cases[i].error));
		assert_string_equal(c->reason, reason);
		assert_column(s->w, ALLOWANCE, "3=0 5=0 9=0");
		assert_column(s->w, "dcbAgentStateStatus", "0=writeFailing");
		assert_int_equal(access(s->w->state, F_OK), -1);
		send_phase(c, MO_OP_UNDO);
		assert_int_equal(c->error, MO_NO_ERROR);
		send_set(c, "3", "34");
		turn_until(s, &s->n_answers, 3);
		assert_int_equal(c->error, MO_NO_ERROR);
		assert_column(s->w, ALLOWANCE, "3=34 5=0 9=0");
		slow_free(s);
	}
}

/* UNDO waits for the disk as well; a failure of it leaves the SET in force and on disk. */
static void test_undo_waits_for_the_disk(void **state)
{
	struct slow *s = slow_new();
	struct client *c = &s->clients[0];

	(void)state;
	send_set(c, "3", "33");
	turn_until(s, &s->n_answers, 1);
	disk_stop();
	send_phase(c, MO_OP_UNDO);
	disk_await();
	turn(s);
	assert_false(c->is_answered);
	assert_column(s->w, ALLOWANCE, "3=33 5=0 9=0");
	disk_continue();
	turn_until(s, &s->n_answers, 2);
	assert_int_equal(c->error, MO_NO_ERROR);
	assert_column(s->w, ALLOWANCE, "3=0 5=0 9=0");
	send_set(c, "3", "34");
	turn_until(s, &s->n_answers, 3);
	disk_set(false, 0, EIO);
	send_phase(c, MO_OP_UNDO);
	turn_until(s, &s->n_answers, 4);
	disk_continue();
	assert_int_equal(c->error, MO_UNDO_FAILED);
	assert_column(s->w, ALLOWANCE, "3=34 5=0 9=0");
	end_clients(s);
	mo_world_reload(s->w);
	assert_column(s->w, ALLOWANCE, "3=34 5=0 9=0");
	slow_free(s);
}

/* A provider that fails after the write: the former file is written again before the reply. */
static void test_failed_commit_restores_the_file(void **state)
{
	struct slow *s = slow_new();
	struct client *c = &s->clients[0];

	(void)state;
	send_set(c, "3", "33");
	turn_until(s, &s->n_answers, 1);
	send_phase(c, MO_OP_CLEANUP);
	disk_stop();
	send_set(c, "3", "77");
	disk_await();
	s->w->provider.fail_commits = 1;
	disk_set(true, 2, 0); /* the file and its directory */
	while (s->w->provider.fail_commits > 0) {
		turn(s);
		poll(NULL, 0, 1);
	}
	disk_await(); /* the former settings */
	assert_false(c->is_answered);
	disk_continue();
	turn_until(s, &s->n_answers, 3);
	assert_int_equal(c->error, MO_COMMIT_FAILED);
	assert_column(s->w, ALLOWANCE, "3=33 5=0 9=0");
	end_clients(s);
	mo_world_reload(s->w);
	assert_column(s->w, ALLOWANCE, "3=33 5=0 9=0");
	slow_free(s);
}

/* --- the system changes meanwhile ------------------------------------------------------ */

static void test_ports_come_and_go_while_the_disk_writes(void **state)
{
	struct slow *s = slow_new();
	struct client *c = &s->clients[0];
	struct mo_world *w = s->w;

	(void)state;
	disk_stop();
	send_set(c, "3", "33");
	disk_await();
	mo_world_add_port(w, 7, "sw7", "");
	assert_true(managed_interface_gone(w->m, 9));
	mo_world_adopt(w);
	disk_continue();
	turn_until(s, &s->n_answers, 1);
	assert_int_equal(c->error, MO_NO_ERROR);
	assert_column(w, ALLOWANCE, "3=33 5=0 7=0");
	mo_world_adopt(w);
	slow_free(s);
}

/* The SET is refused, and the file does not have it. */
static void test_port_of_the_set_goes_while_the_disk_writes(void **state)
{
	struct slow *s = slow_new();
	struct client *c = &s->clients[0];
	struct mo_world *w = s->w;

	(void)state;
	disk_stop();
	send_set(c, "9", "99");
	disk_await();
	assert_true(managed_interface_gone(w->m, 9));
	mo_world_adopt(w);
	disk_continue();
	turn_until(s, &s->n_answers, 1);
	assert_int_not_equal(c->error, MO_NO_ERROR);
	assert_column(w, ALLOWANCE, "3=0 5=0");
	end_clients(s);
	mo_world_reload(s->w);
	assert_column(w, ALLOWANCE, "3=0 5=0 9=0");
	slow_free(s);
}

/* --- saves that are no SET, and the end ------------------------------------------------ */

static void test_save_waits_for_its_turn(void **state)
{
	struct slow *s = slow_new();
	struct client *c = &s->clients[0];

	(void)state;
	disk_stop();
	send_set(c, "3", "33");
	mo_service_save(s->w->service, on_saved, s);
	mo_service_save(s->w->service, on_saved, s); /* the same save */
	disk_await();
	assert_int_equal(s->n_saved, 0);
	disk_continue();
	turn_until(s, &s->n_saved, 1);
	assert_int_equal(s->n_answers, 1);
	assert_column(s->w, "dcbAgentStateSaves", "0=2");
	/* During a save: another one follows. */
	disk_stop();
	mo_service_save(s->w->service, on_saved, s);
	disk_await();
	mo_service_save(s->w->service, on_saved, s);
	disk_continue();
	turn_until(s, &s->n_saved, 2);
	assert_column(s->w, "dcbAgentStateSaves", "0=4");
	disk_set(false, 0, EIO);
	mo_service_save(s->w->service, on_saved, s);
	turn_until(s, &s->n_not_saved, 1);
	assert_int_equal(s->n_saved, 2);
	slow_free(s);
}

static void *continue_later(void *arg)
{
	(void)arg;
	disk_await();
	disk_continue();
	return NULL;
}

/* What has begun is answered; what waits does not begin. */
static void test_finish_waits_for_the_disk(void **state)
{
	struct slow *s = slow_new();
	struct client *c = s->clients;
	pthread_t thread;

	(void)state;
	disk_stop();
	send_set(&c[0], "3", "33");
	send_set(&c[1], "5", "55");
	mo_service_save(s->w->service, on_saved, s);
	assert_int_equal(pthread_create(&thread, NULL, continue_later, NULL), 0);
	mo_service_finish(s->w->service);
	pthread_join(thread, NULL);
	assert_true(c[0].is_answered);
	assert_int_equal(c[0].error, MO_NO_ERROR);
	assert_false(c[1].is_answered);
	assert_int_equal(s->n_saved, 1);
	end_clients(s);
	mo_world_reload(s->w);
	assert_column(s->w, ALLOWANCE, "3=33 5=0 9=0");
	slow_free(s);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_reads_go_on_while_the_disk_writes),
	    cmocka_unit_test(test_failed_write_refuses_the_set),
	    cmocka_unit_test(test_undo_waits_for_the_disk),
	    cmocka_unit_test(test_failed_commit_restores_the_file),
	    cmocka_unit_test(test_ports_come_and_go_while_the_disk_writes),
	    cmocka_unit_test(test_port_of_the_set_goes_while_the_disk_writes),
	    cmocka_unit_test(test_save_waits_for_its_turn),
	    cmocka_unit_test(test_finish_waits_for_the_disk),
	};

	log_init("test_slow_disk", LOG_LEVEL_ERROR, false);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
