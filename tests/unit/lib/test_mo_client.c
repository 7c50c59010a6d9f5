/* SPDX-License-Identifier: BSD-3-Clause */
/* The client of the control socket: connections and transactions. */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "lib/mo/mo_client.h"
#include "lib/mo/mo_msg.h"
#include "lib/octets.h"
#include "tests/unit/lib/mo_client_server.h"

static const char *forbidden; /* the path of a socket that this user may not connect to */

int __real_connect(int fd, const struct sockaddr *addr, socklen_t len);
int __wrap_connect(int fd, const struct sockaddr *addr, socklen_t len);
int __wrap_connect(int fd, const struct sockaddr *addr, socklen_t len)
{
	const struct sockaddr_un *un = (const struct sockaddr_un *)(const void *)addr;

	if (!forbidden || strcmp(un->sun_path, forbidden) != 0)
		return __real_connect(fd, addr, len);
	errno = EACCES;
	return -1;
}

/* --- without a server ------------------------------------------------------------------ */

static void test_path_too_long_is_refused(void **state)
{
	char path[sizeof(((struct sockaddr_un *)NULL)->sun_path) + 1];
	struct mo_client *c;

	(void)state;
	memset(path, 'x', sizeof(path));
	path[sizeof(path) - 1] = '\0';
	assert_null(mo_client_new(path, 1));
	path[sizeof(path) - 2] = '\0';
	c = mo_client_new(path, 1);
	assert_non_null(c);
	mo_client_free(c);
	mo_client_free(NULL);
}

static void test_missing_socket_is_unreachable(void **state)
{
	struct mo_client *c = mo_client_new("/nowhere/at/all", SHORT_MS);
	struct mo_page page = {.n_rows = 3, .more = true};
	enum mo_error error = MO_NO_ERROR;
	unsigned varbind = 9;

	(void)state;
	assert_int_equal(mo_client_read(c, MO_cn_cp, 0, &(struct mo_index){0}, 1, &page),
			 MO_CLIENT_UNREACHABLE);
	assert_ptr_equal(page.table, mo_table(MO_cn_cp));
	assert_int_equal(page.n_rows, 0);
	assert_false(page.more);
	assert_string_equal(mo_client_strerror(c),
			    "/nowhere/at/all: connect: No such file or directory");
	assert_int_equal(mo_client_boot_id(c), 0);
	assert_int_equal(mo_client_test(c, 1, NULL, 0, &error, &varbind), MO_CLIENT_UNREACHABLE);
	assert_int_equal(error, MO_GEN_ERR);
	assert_int_equal(varbind, 0);
	assert_int_equal(mo_client_subscribe(c, 0), MO_CLIENT_UNREACHABLE);
	mo_client_free(c);
}

/* --- the view socket ------------------------------------------------------------------- */

static struct mo_client *reader(const char *control, const char *view)
{
	struct mo_client *c = mo_client_new(control, LONG_MS);

	assert_non_null(c);
	assert_true(mo_client_use_view(c, view));
	return c;
}

static void test_view_comes_before_the_control_socket(void **state)
{
	static const struct step steps[] = {HELLO, BODY(0, 0, 0), BODY(0, 0, 0)};
	char path[sizeof(((struct sockaddr_un *)NULL)->sun_path) + 1];
	struct server control, view;
	struct mo_client *c;

	(void)state;
	server_start(&control, steps, 0, LONG_MS);
	START(&view, steps, LONG_MS);
	c = reader(control.path, view.path);
	memset(path, 'x', sizeof(path));
	path[sizeof(path) - 1] = '\0';
	assert_false(mo_client_use_view(c, path));
	assert_int_equal(read_with(c), MO_CLIENT_OK);
	assert_int_equal(read_with(c), MO_CLIENT_OK);
	mo_client_free(c);
	server_stop(&view, 1);
	server_stop(&control, 0);
}

/* The view socket does not exist, or dcbd has no place there. */
static void test_control_socket_is_used_without_a_place_at_the_view(void **state)
{
	static const struct step refusal[] = {{.what = CLOSE_WITH_REASON}};
	static const struct step steps[] = {HELLO, BODY(0, 0, 0), HELLO, BODY(0, 0, 0)};
	struct server control, view;
	struct mo_client *c;

	(void)state;
	START(&control, steps, LONG_MS);
	c = reader(control.path, "/nowhere/view");
	assert_int_equal(read_with(c), MO_CLIENT_OK);
	mo_client_free(c);
	START(&view, refusal, LONG_MS);
	c = reader(control.path, view.path);
	assert_int_equal(read_with(c), MO_CLIENT_OK);
	mo_client_free(c);
	server_stop(&view, 1);
	server_stop(&control, 2);
}

static void test_error_is_of_the_socket_that_can_be_used(void **state)
{
	static const struct step refusal[] = {{.what = CLOSE_WITH_REASON}};
	struct mo_client *c = reader("/nowhere/control", "/nowhere/view");
	struct server view;

	(void)state;
	assert_int_equal(read_with(c), MO_CLIENT_UNREACHABLE);
	assert_string_equal(mo_client_strerror(c),
			    "/nowhere/control: connect: No such file or directory");
	assert_int_equal(mo_client_connect_error(c), ENOENT);
	forbidden = "/nowhere/control";
	assert_int_equal(read_with(c), MO_CLIENT_UNREACHABLE);
	assert_string_equal(mo_client_strerror(c), "/nowhere/control: connect: Permission denied");
	assert_int_equal(mo_client_connect_error(c), EACCES);
	mo_client_free(c);
	/* Without permission for the control socket, the user wants to know why not the other. */
	START(&view, refusal, LONG_MS);
	c = reader("/nowhere/control", view.path);
	assert_int_equal(read_with(c), MO_CLIENT_UNREACHABLE);
	assert_non_null(strstr(mo_client_strerror(c), "dcbd closed the connection: for a?reason"));
	mo_client_free(c);
	server_stop(&view, 1);
	forbidden = NULL;
}

/* A transaction ends with the connection on which it was begun. */
static void test_commit_undo_cleanup_do_not_connect(void **state)
{
	struct mo_client *c = mo_client_new("/nowhere/at/all", SHORT_MS);
	enum mo_error error = MO_NO_ERROR;
	unsigned varbind = 9;

	(void)state;
	assert_int_equal(mo_client_commit(c, 1, &error, &varbind), MO_CLIENT_UNREACHABLE);
	assert_int_equal(error, MO_GEN_ERR);
	assert_int_equal(varbind, 0);
	assert_string_equal(mo_client_strerror(c), "/nowhere/at/all: the connection was lost");
	error = MO_NO_ERROR;
	assert_int_equal(mo_client_undo(c, 1, &error), MO_CLIENT_UNREACHABLE);
	assert_int_equal(error, MO_GEN_ERR);
	assert_int_equal(mo_client_cleanup(c, 1), MO_CLIENT_UNREACHABLE);
	mo_client_free(c);
}

/* --- transactions ---------------------------------------------------------------------- */

static void test_each_phase_sends_its_request(void **state)
{
	static const struct step steps[] = {HELLO, RESULT(0, 0), RESULT(0, 0), RESULT(0, 0),
					    RESULT(0, 0)};
	static const uint8_t ops[] = {MO_OP_HELLO, MO_OP_TEST, MO_OP_COMMIT, MO_OP_UNDO,
				      MO_OP_CLEANUP};
	enum mo_error error = MO_GEN_ERR;
	unsigned varbind = 9;
	struct server s;

	(void)state;
	START(&s, steps, LONG_MS);
	assert_int_equal(try_test(&s, &error, &varbind), MO_CLIENT_OK);
	assert_int_equal(error, MO_NO_ERROR);
	assert_int_equal(varbind, 0);
	assert_int_equal(mo_client_boot_id(s.client), BOOT_ID);
	assert_int_equal(try_commit(&s, &error, &varbind), MO_CLIENT_OK);
	assert_int_equal(mo_client_undo(s.client, 77, &error), MO_CLIENT_OK);
	assert_int_equal(mo_client_cleanup(s.client, 77), MO_CLIENT_OK);
	server_stop(&s, 1);
	for (unsigned i = 0; i < UNIT_COUNT(ops); i++) {
		assert_int_equal(s.request[i][0], MO_MSG_VERSION);
		assert_int_equal(s.request[i][1], ops[i]);
		assert_int_equal(get_be32(s.request[i] + HEADER_SEQ), i + 1);
		if (i > 0)
			assert_int_equal(get_be32(s.request[i] + MO_MSG_HEADER), 77);
	}
	assert_int_equal(get_be16(s.request[1] + MO_MSG_HEADER + 4), 1);
	assert_int_equal(get_be16(s.request[1] + MO_MSG_HEADER + 6), MO_cn_cp);
}

/* A refusal does not close the connection. */
static void test_refusal_has_error_and_varbind(void **state)
{
	static const struct step steps[] = {HELLO, RESULT(MO_WRONG_VALUE, 2),
					    RESULT(MO_COMMIT_FAILED, 0), RESULT(MO_UNDO_FAILED, 0)};
	enum mo_error error = MO_NO_ERROR;
	unsigned varbind = 0;
	struct server s;

	(void)state;
	START(&s, steps, LONG_MS);
	assert_int_equal(try_test(&s, &error, &varbind), MO_CLIENT_REFUSED);
	assert_int_equal(error, MO_WRONG_VALUE);
	assert_int_equal(varbind, 2);
	assert_string_equal(mo_client_strerror(s.client), "wrongValue");
	assert_int_equal(try_commit(&s, &error, &varbind), MO_CLIENT_REFUSED);
	assert_int_equal(error, MO_COMMIT_FAILED);
	assert_int_equal(varbind, 0);
	assert_int_equal(mo_client_undo(s.client, 77, &error), MO_CLIENT_REFUSED);
	assert_int_equal(error, MO_UNDO_FAILED);
	server_stop(&s, 1);
}

/* mo_client_reason() is the reason of the last reply, with control characters replaced. */
static void test_refusal_has_reason(void **state)
{
	static const struct step steps[] = {
	    HELLO,
	    BODY(MO_RESOURCE_UNAVAILABLE, 0, 1, 5, 'n', 'o', '\n', 0, '~'),
	    BODY(MO_COMMIT_FAILED, 0, 0, 0),
	    BODY(MO_UNDO_FAILED, 0, 0, 3, 'n', 'o'),
	};
	enum mo_error error;
	unsigned varbind;
	struct server s;

	(void)state;
	START(&s, steps, LONG_MS);
	assert_int_equal(try_test(&s, &error, &varbind), MO_CLIENT_REFUSED);
	assert_string_equal(mo_client_reason(s.client), "no??~");
	assert_string_equal(mo_client_strerror(s.client), "resourceUnavailable: no??~");
	assert_int_equal(try_commit(&s, &error, &varbind), MO_CLIENT_REFUSED);
	assert_string_equal(mo_client_reason(s.client), "");
	assert_int_equal(mo_client_undo(s.client, 77, &error), MO_CLIENT_PROTOCOL);
	assert_non_null(strstr(mo_client_strerror(s.client), "/ctl: reply too short"));
	server_stop(&s, 1);
}

/* dcbd answers COMMIT with genErr while another client's transaction is being committed. */
static void test_commit_is_repeated_after_gen_err(void **state)
{
	static const struct step steps[] = {HELLO, RESULT(0, 0), RESULT(MO_GEN_ERR, 0),
					    RESULT(MO_GEN_ERR, 0), RESULT(0, 0)};
	enum mo_error error;
	unsigned varbind;
	struct server s;

	(void)state;
	START(&s, steps, LONG_MS);
	assert_int_equal(try_test(&s, &error, &varbind), MO_CLIENT_OK);
	assert_int_equal(try_commit(&s, &error, &varbind), MO_CLIENT_OK);
	assert_int_equal(error, MO_NO_ERROR);
	server_stop(&s, 1);
}

static void test_short_replies_are_errors(void **state)
{
	static const struct step hello[] = {BODY(1, 2, 3)};
	static const struct step result[] = {HELLO, BODY(0, 0)};
	enum mo_error error;
	unsigned varbind;
	struct server s;

	(void)state;
	START(&s, hello, LONG_MS);
	assert_int_equal(try_test(&s, &error, &varbind), MO_CLIENT_PROTOCOL);
	assert_non_null(strstr(mo_client_strerror(s.client), "/ctl: reply to HELLO too short"));
	assert_int_equal(mo_client_boot_id(s.client), 0);
	server_stop(&s, 1);
	START(&s, result, LONG_MS);
	assert_int_equal(try_test(&s, &error, &varbind), MO_CLIENT_PROTOCOL);
	assert_non_null(strstr(mo_client_strerror(s.client), "/ctl: reply too short"));
	server_stop(&s, 1);
}

/* The next call connects again. */
static void test_unexpected_reply_closes_the_connection(void **state)
{
	static const struct step steps[] = {HELLO, {.what = WRONG_OP}, HELLO, {.what = WRONG_SEQ},
					    HELLO, {.what = CLOSE},    HELLO, RESULT(0, 0)};
	static const char *const texts[] = {"/ctl: reply does not match the request",
					    "/ctl: reply does not match the request",
					    "/ctl: dcbd closed the connection"};
	enum mo_error error;
	unsigned varbind;
	struct server s;

	(void)state;
	START(&s, steps, LONG_MS);
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(try_test(&s, &error, &varbind),
				 i < 2 ? MO_CLIENT_PROTOCOL : MO_CLIENT_UNREACHABLE);
		assert_int_equal(error, MO_GEN_ERR);
		assert_int_equal(varbind, 0);
		assert_non_null(strstr(mo_client_strerror(s.client), texts[i]));
		assert_int_equal(try_commit(&s, &error, &varbind), MO_CLIENT_UNREACHABLE);
	}
	assert_int_equal(try_test(&s, &error, &varbind), MO_CLIENT_OK);
	server_stop(&s, 4);
}

/* dcbd says why it closes a connection, in place of a reply or of an event. */
static void test_reason_for_closing_is_the_error(void **state)
{
	static const struct step steps[] = {
	    {.what = CLOSE_WITH_REASON}, HELLO, {.what = CLOSE_WITH_REASON}, HELLO, BODY(0)};
	static const char closed[] = "/ctl: dcbd closed the connection: for a?reason";
	uint8_t message[64];
	struct octets_out out = octets_out(message, sizeof(message));
	struct step events[UNIT_COUNT(steps)];
	enum mo_error error;
	struct mo_event ev;
	unsigned varbind;
	struct server s;

	(void)state;
	mo_msg_put_close(&out, "for a\nreason");
	memcpy(events, steps, sizeof(steps));
	events[4].event = message;
	events[4].event_len = out.len;
	START(&s, events, LONG_MS);
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(try_test(&s, &error, &varbind), MO_CLIENT_UNREACHABLE);
		assert_non_null(strstr(mo_client_strerror(s.client), closed));
	}
	assert_int_equal(mo_client_subscribe(s.client, 0), MO_CLIENT_OK);
	assert_int_equal(mo_client_event(s.client, &ev), MO_CLIENT_UNREACHABLE);
	assert_non_null(strstr(mo_client_strerror(s.client), closed));
	server_stop(&s, 3);
}

static void test_request_too_long_is_refused(void **state)
{
	static const struct step steps[] = {HELLO, RESULT(0, 0)};
	struct mo_varbind *vbs = calloc(MO_MSG_MAX / 15, sizeof(*vbs));
	enum mo_error error;
	unsigned varbind;
	struct server s;

	(void)state;
	assert_non_null(vbs);
	START(&s, steps, LONG_MS);
	assert_int_equal(mo_client_test(s.client, 1, vbs, MO_MSG_MAX / 15, &error, &varbind),
			 MO_CLIENT_REFUSED);
	assert_int_equal(error, MO_RESOURCE_UNAVAILABLE);
	assert_int_equal(varbind, 0);
	assert_string_equal(mo_client_reason(s.client), "expected a SET of at most 65536 octets");
	assert_string_equal(mo_client_strerror(s.client),
			    "resourceUnavailable: expected a SET of at most 65536 octets");
	assert_int_equal(try_test(&s, &error, &varbind), MO_CLIENT_OK);
	server_stop(&s, 1);
	free(vbs);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_path_too_long_is_refused),
	    cmocka_unit_test(test_missing_socket_is_unreachable),
	    cmocka_unit_test(test_view_comes_before_the_control_socket),
	    cmocka_unit_test(test_control_socket_is_used_without_a_place_at_the_view),
	    cmocka_unit_test(test_error_is_of_the_socket_that_can_be_used),
	    cmocka_unit_test(test_commit_undo_cleanup_do_not_connect),
	    cmocka_unit_test(test_each_phase_sends_its_request),
	    cmocka_unit_test(test_refusal_has_error_and_varbind),
	    cmocka_unit_test(test_refusal_has_reason),
	    cmocka_unit_test(test_commit_is_repeated_after_gen_err),
	    cmocka_unit_test(test_short_replies_are_errors),
	    cmocka_unit_test(test_unexpected_reply_closes_the_connection),
	    cmocka_unit_test(test_reason_for_closing_is_the_error),
	    cmocka_unit_test(test_request_too_long_is_refused),
	};

	return cmocka_run_group_tests_name("mo_client", tests, NULL, NULL);
}
