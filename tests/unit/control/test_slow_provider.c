/* SPDX-License-Identifier: BSD-3-Clause */
/* SETs for a provider whose thread puts them in force later, or not, or never answers. */
#include <string.h>

#include "lib/log.h"
#include "tests/unit/control/slow_disk.h"
#include "tests/unit/mo_world.h"

static struct slow *world(void)
{
	struct slow *s = slow_new();

	s->w->provider.hands_over = true;
	return s;
}

static struct fake_port *first_port(const struct slow *s)
{
	return fake_port(s->w->m->config->ports[0].port);
}

/* Waits until the provider has been given n configurations more than before. */
static void await_handed(struct slow *s, unsigned before, unsigned n)
{
	turn_until(s, &s->w->provider.n_published, before + n);
	assert_int_equal(s->w->provider.outcome, PROVIDER_PENDING);
}

/* The thread has written the configuration given last, or could not write it. */
static void finish(struct slow *s)
{
	fake_provider_finish(&s->w->provider);
	mo_service_outcome(s->w->service);
}

static void test_set_waits_until_it_is_read_back(void **state)
{
	struct slow *s = world();
	struct client *c = s->clients;
	unsigned n = s->w->provider.n_published;

	(void)state;
	send_set(&c[0], "3", "33");
	await_handed(s, n, 1);
	mo_service_outcome(s->w->service); /* nothing has changed */
	assert_false(c[0].is_answered);
	assert_int_equal(first_port(s)->hardware.allowance, 0);
	/* Others read, and the next SET waits for its turn. */
	assert_column(s->w, "dcbPortName", "3=sw3 5=sw5 9=sw9");
	send_set(&c[1], "5", "55");
	turn(s);
	assert_int_equal(s->w->provider.n_published, n + 1);
	finish(s);
	assert_true(c[0].is_answered);
	assert_int_equal(c[0].error, MO_NO_ERROR);
	assert_int_equal(first_port(s)->hardware.allowance, 33);
	send_phase(&c[0], MO_OP_CLEANUP);
	await_handed(s, n, 2);
	assert_false(c[1].is_answered);
	finish(s);
	assert_true(c[1].is_answered);
	assert_int_equal(c[1].error, MO_NO_ERROR);
	assert_column(s->w, ALLOWANCE, "3=33 5=55 9=0");
	slow_free(s);
}

static void test_refused_set_is_taken_back(void **state)
{
	struct slow *s = world();
	struct client *c = s->clients;
	unsigned n = s->w->provider.n_published;

	(void)state;
	send_set(c, "3", "33");
	await_handed(s, n, 1);
	first_port(s)->fail_writes = 1;
	finish(s);
	await_handed(s, n, 2);
	assert_false(c->is_answered);
	finish(s);
	turn_until(s, &s->n_answers, 1);
	assert_int_equal(c->error, MO_COMMIT_FAILED);
	assert_string_equal(c->reason, "sw3: fake cannot be written");
	assert_int_equal(first_port(s)->hardware.allowance, 0);
	assert_column(s->w, ALLOWANCE, "3=0 5=0 9=0");
	send_phase(c, MO_OP_UNDO);
	assert_int_equal(c->error, MO_NO_ERROR);
	end_clients(s);
	mo_world_reload(s->w);
	assert_column(s->w, ALLOWANCE, "3=0 5=0 9=0");
	slow_free(s);
}

static void test_set_that_cannot_be_taken_back_is_undo_failed(void **state)
{
	struct slow *s = world();
	struct client *c = s->clients;
	unsigned n = s->w->provider.n_published;

	(void)state;
	send_set(c, "3", "33");
	await_handed(s, n, 1);
	first_port(s)->fail_writes = 3; /* of the SET, of its undo, and of the former settings */
	finish(s);
	await_handed(s, n, 2);
	finish(s);
	turn_until(s, &s->n_answers, 1);
	assert_int_equal(c->error, MO_UNDO_FAILED);
	send_phase(c, MO_OP_UNDO);
	await_handed(s, n, 3);
	assert_false(c->is_answered);
	finish(s);
	turn_until(s, &s->n_answers, 2);
	assert_int_equal(c->error, MO_NO_ERROR);
	assert_int_equal(first_port(s)->hardware.allowance, 0);
	slow_free(s);
}

/* No SET has success for values that were not read back. */
static void test_set_without_confirmation_is_undo_failed(void **state)
{
	struct slow *s = world();
	struct client *c = s->clients;
	unsigned n = s->w->provider.n_published;

	(void)state;
	send_set(c, "3", "33");
	await_handed(s, n, 1);
	turn_until(s, &s->n_answers, 1);
	assert_int_equal(c->error, MO_UNDO_FAILED);
	assert_non_null(strstr(c->reason, "not confirmed within 3000 ms"));
	assert_column(s->w, ALLOWANCE, "3=0 5=0 9=0");
	assert_int_equal(s->w->provider.n_published, n + 2); /* the former settings */
	send_phase(c, MO_OP_UNDO);
	await_handed(s, n, 3);
	finish(s);
	turn_until(s, &s->n_answers, 2);
	assert_int_equal(c->error, MO_NO_ERROR);
	slow_free(s);
}

static void test_set_of_a_client_that_left_is_taken_back(void **state)
{
	struct slow *s = world();
	struct client *c = s->clients;
	unsigned n = s->w->provider.n_published;

	(void)state;
	send_set(&c[0], "3", "33");
	await_handed(s, n, 1);
	mo_session_free(c[0].session);
	c[0].session = NULL;
	finish(s);
	await_handed(s, n, 2);
	finish(s);
	send_set(&c[1], "5", "55");
	await_handed(s, n, 3);
	finish(s);
	assert_int_equal(c[1].error, MO_NO_ERROR);
	assert_column(s->w, ALLOWANCE, "3=0 5=55 9=0");
	assert_int_equal(first_port(s)->hardware.allowance, 0);
	slow_free(s);
}

/* The end of dcbd does not wait for a device. */
static void test_end_waits_for_no_confirmation(void **state)
{
	struct slow *s = world();
	struct client *c = s->clients;
	unsigned n = s->w->provider.n_published;

	(void)state;
	send_set(c, "3", "33");
	await_handed(s, n, 1);
	mo_service_finish(s->w->service);
	assert_true(c->is_answered);
	assert_int_equal(c->error, MO_UNDO_FAILED);
	assert_non_null(strstr(c->reason, "dcbd ends before"));
	end_clients(s);
	mo_world_reload(s->w);
	assert_column(s->w, ALLOWANCE, "3=0 5=0 9=0");
	slow_free(s);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_set_waits_until_it_is_read_back),
	    cmocka_unit_test(test_refused_set_is_taken_back),
	    cmocka_unit_test(test_set_that_cannot_be_taken_back_is_undo_failed),
	    cmocka_unit_test(test_set_without_confirmation_is_undo_failed),
	    cmocka_unit_test(test_set_of_a_client_that_left_is_taken_back),
	    cmocka_unit_test(test_end_waits_for_no_confirmation),
	};

	log_init("test_slow_provider", LOG_LEVEL_ERROR, false);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
