/* SPDX-License-Identifier: BSD-3-Clause */
/* The client of the control socket: replies that come late or not at all. */
#include <pthread.h>
#include <semaphore.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "lib/mo/mo_client.h"
#include "tests/unit/lib/mo_client_server.h"

#define LIMIT_MS 1000 /* time limit of tests in which one reply is late, and others are not */

static void test_missing_reply_is_a_timeout(void **state)
{
	static const struct step steps[] = {{.what = SILENCE}};
	struct mo_page page = {0};
	struct server s;

	(void)state;
	START(&s, steps, SHORT_MS);
	assert_int_equal(try_read(&s, &page), MO_CLIENT_TIMEOUT);
	assert_non_null(strstr(mo_client_strerror(s.client), "/ctl: receive: no answer in time"));
	server_stop(&s, 1);
}

#define NO_ROWS 0, 0, 0
#define LATE(...)                                                                              \
	{                                                                                      \
		.body = {__VA_ARGS__}, .len = sizeof((uint8_t[]){__VA_ARGS__}), .waits = true, \
	}

/* Lets the server go on, and reads until its late reply has come. */
static enum mo_client_status read_again(struct server *s, struct mo_page *page)
{
	const struct timespec ms = {.tv_nsec = 1000000};
	enum mo_client_status status;

	sem_post(&s->go);
	do {
		nanosleep(&ms, NULL);
		status = try_read(s, page);
	} while (status == MO_CLIENT_TIMEOUT);
	return status;
}

/* A dcbd that was stopped: one request is sent, and the next when its reply has come. */
static void test_late_reply_is_awaited(void **state)
{
	static const struct step steps[] = {HELLO, LATE(NO_ROWS), BODY(NO_ROWS)};
	struct mo_page page = {0};
	struct server s;

	(void)state;
	START(&s, steps, LIMIT_MS);
	for (unsigned i = 0; i < 100; i++) {
		assert_int_equal(try_read(&s, &page), MO_CLIENT_TIMEOUT);
		assert_non_null(strstr(mo_client_strerror(s.client), "no answer in time"));
	}
	assert_int_equal(read_again(&s, &page), MO_CLIENT_OK);
	mo_page_free(&page);
	server_stop(&s, 1);
}

static void test_late_hello_is_awaited(void **state)
{
	static const struct step steps[] = {LATE(1, 2, 3, 4, 1, '0'), BODY(NO_ROWS)};
	struct mo_page page = {0};
	struct server s;

	(void)state;
	START(&s, steps, LIMIT_MS);
	assert_int_equal(try_read(&s, &page), MO_CLIENT_TIMEOUT);
	assert_int_equal(try_read(&s, &page), MO_CLIENT_TIMEOUT);
	assert_int_equal(mo_client_boot_id(s.client), 0);
	assert_int_equal(read_again(&s, &page), MO_CLIENT_OK);
	assert_int_equal(mo_client_boot_id(s.client), BOOT_ID);
	mo_page_free(&page);
	server_stop(&s, 1);
}

/* A dcbd that was stopped and ended: the next one is asked. */
static void test_end_instead_of_a_late_reply_is_followed_by_a_connection(void **state)
{
	static const struct step steps[] = {
	    HELLO, {.what = CLOSE, .waits = true}, HELLO, BODY(NO_ROWS)};
	struct mo_page page = {0};
	struct server s;

	(void)state;
	START(&s, steps, LIMIT_MS);
	assert_int_equal(try_read(&s, &page), MO_CLIENT_TIMEOUT);
	assert_int_equal(read_again(&s, &page), MO_CLIENT_OK);
	mo_page_free(&page);
	server_stop(&s, 2);
}

/* dcbd undoes a SET that it cannot report, so it has to see the end. */
static void test_missing_reply_to_commit_ends_the_connection(void **state)
{
	static const struct step steps[] = {
	    HELLO, RESULT(0, 0), {.what = SILENCE}, HELLO, BODY(NO_ROWS)};
	struct mo_page page = {0};
	enum mo_error error;
	unsigned varbind;
	struct server s;

	(void)state;
	START(&s, steps, LONG_MS);
	assert_int_equal(try_test(&s, &error, &varbind), MO_CLIENT_OK);
	mo_client_commit_within(s.client, SHORT_MS);
	assert_int_equal(try_commit(&s, &error, &varbind), MO_CLIENT_TIMEOUT);
	assert_int_equal(try_commit(&s, &error, &varbind), MO_CLIENT_UNREACHABLE);
	assert_int_equal(try_read(&s, &page), MO_CLIENT_OK);
	mo_page_free(&page);
	server_stop(&s, 2);
}

static void *go_later(void *arg)
{
	const struct timespec longer = {.tv_sec = 1, .tv_nsec = 300000000};

	nanosleep(&longer, NULL);
	sem_post(arg);
	return NULL;
}

/* A commit may take longer than a read, and the read after it has its own limit again. */
static void test_commit_has_a_limit_of_its_own(void **state)
{
	static const struct step steps[] = {HELLO, RESULT(0, 0), LATE(0, 0, 0), {.what = SILENCE}};
	struct mo_page page = {0};
	enum mo_error error;
	unsigned varbind;
	pthread_t thread;
	struct server s;

	(void)state;
	START(&s, steps, LIMIT_MS);
	mo_client_commit_within(s.client, LONG_MS);
	assert_int_equal(try_test(&s, &error, &varbind), MO_CLIENT_OK);
	assert_int_equal(pthread_create(&thread, NULL, go_later, &s.go), 0);
	assert_int_equal(try_commit(&s, &error, &varbind), MO_CLIENT_OK);
	pthread_join(thread, NULL);
	assert_int_equal(try_read(&s, &page), MO_CLIENT_TIMEOUT);
	mo_page_free(&page);
	server_stop(&s, 1);
}

/* --- a client that is shared ----------------------------------------------------------- */

#define MANY 100000 /* slices: no time limit */

/* Its last reply but one is late. */
static const struct step one_late[] = {HELLO, BODY(NO_ROWS), LATE(NO_ROWS), BODY(NO_ROWS)};

/* Reads once, without a time limit, and then once while the server waits. */
static void read_late(struct server *s, unsigned n_steps, struct mo_page *page)
{
	server_start(s, one_late, n_steps, LONG_MS);
	mo_client_wait_slices(s->client, MANY, NULL);
	assert_int_equal(try_read(s, page), MO_CLIENT_OK);
	assert_int_equal(mo_client_late_fd(s->client), -1);
	mo_client_wait_slices(s->client, 2, NULL);
	assert_int_equal(try_read(s, page), MO_CLIENT_TIMEOUT);
	assert_true(mo_client_late_fd(s->client) >= 0);
	assert_true(mo_client_slices(s->client) >= 2);
}

static void test_late_reply_is_taken_by_the_same_read(void **state)
{
	struct mo_page page = {0};
	struct server s;

	(void)state;
	read_late(&s, UNIT_COUNT(one_late) - 1, &page);
	for (unsigned i = 0; i < 100; i++)
		assert_int_equal(try_read(&s, &page), MO_CLIENT_TIMEOUT);
	assert_int_equal(read_again(&s, &page), MO_CLIENT_OK);
	assert_int_equal(mo_client_late_fd(s.client), -1);
	mo_page_free(&page);
	server_stop(&s, 1);
}

static void test_late_reply_is_discarded_by_another_read(void **state)
{
	struct mo_page page = {0};
	struct server s;

	(void)state;
	read_late(&s, UNIT_COUNT(one_late), &page);
	mo_client_wait_slices(s.client, MANY, NULL);
	sem_post(&s.go);
	while (read_with(s.client) == MO_CLIENT_TIMEOUT)
		;
	mo_page_free(&page);
	server_stop(&s, 1);
}

static void test_late_reply_is_discarded_without_a_read(void **state)
{
	struct mo_page page = {0};
	struct server s;

	(void)state;
	read_late(&s, UNIT_COUNT(one_late), &page);
	mo_client_wait_slices(s.client, MANY, NULL);
	sem_post(&s.go);
	while (mo_client_late_fd(s.client) >= 0)
		mo_client_discard_late(s.client);
	assert_int_equal(try_read(&s, &page), MO_CLIENT_OK);
	mo_page_free(&page);
	server_stop(&s, 1);
}

/* Replies within their slices: a request that needs many of them ends nevertheless. */
static void test_time_of_replies_is_counted_in_slices(void **state)
{
#define SLOW                                                                    \
	{                                                                       \
		.body = {NO_ROWS}, .len = sizeof((uint8_t[]){NO_ROWS}), .ms = 3 \
	}
	static const struct step steps[] = {HELLO, SLOW, SLOW, SLOW, SLOW};
	struct mo_page page = {0};
	struct server s;

	(void)state;
	START(&s, steps, LONG_MS);
	mo_client_wait_slices(s.client, MANY, NULL);
	for (unsigned i = 1; i < UNIT_COUNT(steps); i++)
		assert_int_equal(try_read(&s, &page), MO_CLIENT_OK);
	assert_true(mo_client_slices(s.client) > 0);
	mo_page_free(&page);
	server_stop(&s, 1);
}

/* dcbd is stopped, and its backlog is full. */
static void test_shared_client_does_not_wait_to_connect(void **state)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	int listener = socket(AF_UNIX, SOCK_SEQPACKET, 0), others[8];
	char dir[] = "/tmp/dcb-test-XXXXXX";
	struct mo_page page = {0};
	struct mo_client *c;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(addr.sun_path, sizeof(addr.sun_path), "%s/ctl", dir);
	assert_int_equal(bind(listener, (struct sockaddr *)&addr, sizeof(addr)), 0);
	assert_int_equal(listen(listener, 0), 0);
	for (unsigned i = 0; i < UNIT_COUNT(others); i++) {
		others[i] = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0);
		(void)connect(others[i], (struct sockaddr *)&addr, sizeof(addr));
	}
	c = mo_client_new(addr.sun_path, LONG_MS);
	mo_client_wait_slices(c, MANY, NULL);
	assert_int_equal(mo_client_read(c, MO_cn_cp, 0, &(struct mo_index){0}, 1, &page),
			 MO_CLIENT_TIMEOUT);
	assert_int_equal(mo_client_late_fd(c), -1);
	assert_int_equal(mo_client_slices(c), 0);
	mo_client_free(c);
	for (unsigned i = 0; i < UNIT_COUNT(others); i++)
		close(others[i]);
	close(listener);
	unlink(addr.sun_path);
	rmdir(dir);
}

static unsigned asked; /* calls of the functions below */
static sem_t *go_third;

static bool alive(void)
{
	if (++asked == 3)
		sem_post(go_third);
	return true;
}

static bool alive_at_first(void)
{
	return ++asked < 3;
}

static bool alive_after_20_ms(void)
{
	asked++;
	pass(20);
	return true;
}

static void begin_commit(struct server *s, bool (*is_alive)(void))
{
	enum mo_error error;
	unsigned varbind;

	asked = 0;
	go_third = &s->go;
	mo_client_wait_slices(s->client, MANY, is_alive);
	mo_client_commit_within(s->client, LONG_MS);
	assert_int_equal(try_test(s, &error, &varbind), MO_CLIENT_OK);
	mo_client_wait_slices(s->client, 1, is_alive);
}

static void test_commit_waits_as_long_as_dcbd_is_alive(void **state)
{
	static const struct step steps[] = {HELLO, RESULT(0, 0), LATE(0, 0, 0)};
	enum mo_error error;
	unsigned varbind;
	struct server s;

	(void)state;
	START(&s, steps, LONG_MS);
	begin_commit(&s, alive);
	assert_int_equal(try_commit(&s, &error, &varbind), MO_CLIENT_OK);
	assert_true(asked >= 3);
	server_stop(&s, 1);
}

static void test_commit_without_sign_of_life_ends_the_connection(void **state)
{
	static const struct step steps[] = {HELLO, RESULT(0, 0), {.what = SILENCE}};
	enum mo_error error;
	unsigned varbind;
	struct server s;

	(void)state;
	START(&s, steps, LONG_MS);
	begin_commit(&s, alive_at_first);
	assert_int_equal(try_commit(&s, &error, &varbind), MO_CLIENT_TIMEOUT);
	assert_int_equal(asked, 3);
	assert_int_equal(try_commit(&s, &error, &varbind), MO_CLIENT_UNREACHABLE);
	server_stop(&s, 1);
}

/* The time in which dcbd is asked whether it is alive counts. */
static void test_commit_has_a_limit_though_dcbd_is_alive(void **state)
{
	static const struct step steps[] = {HELLO, RESULT(0, 0), {.what = SILENCE}};
	enum mo_error error;
	unsigned varbind;
	struct server s;

	(void)state;
	START(&s, steps, LONG_MS);
	begin_commit(&s, alive_after_20_ms);
	mo_client_commit_within(s.client, 100);
	assert_int_equal(try_commit(&s, &error, &varbind), MO_CLIENT_TIMEOUT);
	assert_in_range(asked, 1, 100 / 20);
	server_stop(&s, 1);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_missing_reply_is_a_timeout),
	    cmocka_unit_test(test_late_reply_is_awaited),
	    cmocka_unit_test(test_late_hello_is_awaited),
	    cmocka_unit_test(test_end_instead_of_a_late_reply_is_followed_by_a_connection),
	    cmocka_unit_test(test_missing_reply_to_commit_ends_the_connection),
	    cmocka_unit_test(test_commit_has_a_limit_of_its_own),
	    cmocka_unit_test(test_late_reply_is_taken_by_the_same_read),
	    cmocka_unit_test(test_late_reply_is_discarded_by_another_read),
	    cmocka_unit_test(test_late_reply_is_discarded_without_a_read),
	    cmocka_unit_test(test_time_of_replies_is_counted_in_slices),
	    cmocka_unit_test(test_shared_client_does_not_wait_to_connect),
	    cmocka_unit_test(test_commit_waits_as_long_as_dcbd_is_alive),
	    cmocka_unit_test(test_commit_without_sign_of_life_ends_the_connection),
	    cmocka_unit_test(test_commit_has_a_limit_though_dcbd_is_alive),
	};

	return cmocka_run_group_tests_name("mo_client", tests, NULL, NULL);
}
