/* SPDX-License-Identifier: BSD-3-Clause */
/* The client of the control socket, against a server whose replies are a script. */
#include "lib/mo/mo_client.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "lib/mo/mo_msg.h"
#include "lib/octets.h"
#include "tests/unit/unit.h"

#define BOOT_ID    0x01020304
#define STEPS      8
#define LONG_MS    20000 /* time limit of tests that expect no timeout */
#define SHORT_MS   50
#define LIMIT_MS   1000 /* time limit of tests in which one reply is late, and others are not */
#define NUMBER(n)  0, 0, 0, 0, 0, 0, 0, n /* 64 bits, in network byte order */
#define HEADER_SEQ 4

static unsigned realloc_fails; /* the call of realloc() that fails, from 1; 0: none */

/* The linker replaces realloc() by this (option --wrap). */
void *__real_realloc(void *p, size_t size);
void *__wrap_realloc(void *p, size_t size);
void *__wrap_realloc(void *p, size_t size)
{
	if (realloc_fails > 0 && --realloc_fails == 0)
		return NULL;
	return __real_realloc(p, size);
}

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

/* The reply to one request: the request's header with MO_MSG_REPLY set, then the body. */
struct step {
	enum { ANSWER, WRONG_OP, WRONG_SEQ, SILENCE, CLOSE, CLOSE_WITH_REASON } what;
	uint8_t body[64];
	size_t len;
	const uint8_t *event; /* a message to send after the reply, header included */
	size_t event_len;
	bool is_last; /* the server closes the connection after the reply */
	bool waits;   /* for server.go, before it does this */
	unsigned ms;  /* that it takes */
};

#define BODY(...)                                                              \
	{                                                                      \
		.body = {__VA_ARGS__}, .len = sizeof((uint8_t[]){__VA_ARGS__}) \
	}
#define HELLO                  BODY(1, 2, 3, 4, 1, '0')
#define RESULT(error, varbind) BODY(error, 0, varbind)

struct server {
	char dir[64], path[96];
	int fd;
	const struct step *steps;
	unsigned n, done, connections;
	unsigned closed; /* connections; read by both threads */
	sem_t go;
	uint8_t request[STEPS][256]; /* the first octets of each request */
	pthread_t thread;
	struct mo_client *client;
};

static void pass(unsigned ms)
{
	const struct timespec time = {.tv_nsec = ms * 1000000L};

	nanosleep(&time, NULL);
}

/* Handles one request. Returns false if the connection is closed, or is to be closed. */
static bool answer(struct server *s, int fd)
{
	static uint8_t request[MO_MSG_MAX];
	const struct step *step = &s->steps[s->done];
	uint8_t reply[MO_MSG_HEADER + sizeof(step->body)];
	ssize_t n = recv(fd, request, sizeof(request), 0);

	if (n <= 0)
		return false;
	memcpy(s->request[s->done++], request, sizeof(s->request[0]));
	while (step->waits && sem_wait(&s->go) < 0)
		;
	pass(step->ms);
	if (step->what == CLOSE)
		return false;
	if (step->what == CLOSE_WITH_REASON) {
		struct octets_out out = octets_out(request, sizeof(request));

		mo_msg_put_close(&out, "for a\nreason");
		(void)!send(fd, request, out.len, MSG_NOSIGNAL);
		return false;
	}
	if (step->what == SILENCE)
		return true;
	memcpy(reply, request, MO_MSG_HEADER);
	reply[1] |= MO_MSG_REPLY;
	if (step->what == WRONG_OP)
		reply[1]++;
	if (step->what == WRONG_SEQ)
		reply[HEADER_SEQ]++;
	memcpy(reply + MO_MSG_HEADER, step->body, step->len);
	if (send(fd, reply, MO_MSG_HEADER + step->len, MSG_NOSIGNAL) < 0)
		return false;
	if (step->is_last)
		return false;
	return !step->event || send(fd, step->event, step->event_len, MSG_NOSIGNAL) > 0;
}

static void *serve(void *arg)
{
	struct server *s = arg;

	while (s->done < s->n) {
		int fd = accept(s->fd, NULL, NULL);

		s->connections++;
		while (s->done < s->n && answer(s, fd))
			;
		if (s->done == s->n && s->steps[s->n - 1].what == SILENCE)
			(void)recv(fd, &(uint8_t){0}, 1, 0); /* returns when the client closes */
		close(fd);
		__atomic_add_fetch(&s->closed, 1, __ATOMIC_SEQ_CST);
	}
	return NULL;
}

static void server_start(struct server *s, const struct step *steps, unsigned n,
			 unsigned timeout_ms)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};

	memset(s, 0, sizeof(*s));
	snprintf(s->dir, sizeof(s->dir), "/tmp/dcb-test-XXXXXX");
	assert_non_null(mkdtemp(s->dir));
	snprintf(s->path, sizeof(s->path), "%s/ctl", s->dir);
	strcpy(addr.sun_path, s->path);
	s->steps = steps;
	s->n = n;
	sem_init(&s->go, 0, 0);
	s->fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);
	assert_int_equal(bind(s->fd, (struct sockaddr *)&addr, sizeof(addr)), 0);
	assert_int_equal(listen(s->fd, 8), 0);
	assert_int_equal(pthread_create(&s->thread, NULL, serve, s), 0);
	s->client = mo_client_new(s->path, timeout_ms);
	assert_non_null(s->client);
}

/* Expects that the client has used all steps and made this number of connections. */
static void server_stop(struct server *s, unsigned connections)
{
	mo_client_free(s->client);
	assert_int_equal(pthread_join(s->thread, NULL), 0);
	assert_int_equal(s->done, s->n);
	assert_int_equal(s->connections, connections);
	close(s->fd);
	sem_destroy(&s->go);
	unlink(s->path);
	rmdir(s->dir);
}

#define START(s, steps, timeout_ms) server_start(s, steps, UNIT_COUNT(steps), timeout_ms)

static enum mo_client_status try_test(struct server *s, enum mo_error *error, unsigned *varbind)
{
	const struct mo_varbind vb = {.table = MO_cn_cp,
				      .subid = 5,
				      .index = {1, {9}},
				      .value = {.syntax = MO_INTEGER32, .num = 3}};

	return mo_client_test(s->client, 77, &vb, 1, error, varbind);
}

static enum mo_client_status try_read(struct server *s, struct mo_page *page)
{
	return mo_client_read(s->client, MO_cn_com_pri, MO_READ_AFTER,
			      &(struct mo_index){2, {1, 6}}, 300, page);
}

/* --- without a server --------------------------------------------------------- */

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

/* --- the view socket ------------------------------------------------------------ */

static struct mo_client *reader(const char *control, const char *view)
{
	struct mo_client *c = mo_client_new(control, LONG_MS);

	assert_non_null(c);
	assert_true(mo_client_use_view(c, view));
	return c;
}

static enum mo_client_status read_with(struct mo_client *c)
{
	struct mo_page page = {0};
	enum mo_client_status status =
	    mo_client_read(c, MO_cn_com_pri, 0, &(struct mo_index){0}, 1, &page);

	mo_page_free(&page);
	return status;
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

/* --- transactions --------------------------------------------------------------- */

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
	assert_int_equal(mo_client_commit(s.client, 77, &error, &varbind), MO_CLIENT_OK);
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
	assert_int_equal(mo_client_commit(s.client, 77, &error, &varbind), MO_CLIENT_REFUSED);
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
	assert_int_equal(mo_client_commit(s.client, 77, &error, &varbind), MO_CLIENT_REFUSED);
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
	assert_int_equal(mo_client_commit(s.client, 77, &error, &varbind), MO_CLIENT_OK);
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
		assert_int_equal(mo_client_commit(s.client, 77, &error, &varbind),
				 MO_CLIENT_UNREACHABLE);
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
	assert_int_equal(mo_client_commit(s.client, 77, &error, &varbind), MO_CLIENT_TIMEOUT);
	assert_int_equal(mo_client_commit(s.client, 77, &error, &varbind), MO_CLIENT_UNREACHABLE);
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
	assert_int_equal(mo_client_commit(s.client, 77, &error, &varbind), MO_CLIENT_OK);
	pthread_join(thread, NULL);
	assert_int_equal(try_read(&s, &page), MO_CLIENT_TIMEOUT);
	mo_page_free(&page);
	server_stop(&s, 1);
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

/* --- pages ------------------------------------------------------------------------ */

/* Two rows of a table with three columns, with and without values. */
static void test_page_has_rows_and_values(void **state)
{
	static const struct step steps[] = {
	    HELLO, BODY(1, 0, 2, /* row */ 1, 0, 0, 0, 7, MO_UNSIGNED32, NUMBER(1), MO_MSG_NO_VALUE,
			MO_MSG_NO_VALUE, /* row */ 2, 0, 0, 0, 8, 0, 0, 0, 9, MO_MSG_NO_VALUE,
			MO_INTEGER32, NUMBER(2), MO_MSG_NO_VALUE)};
	const struct mo_table *table = mo_table(MO_cn_cpid);
	struct mo_page page = {0};
	struct mo_value value;
	struct server s;

	(void)state;
	assert_int_equal(table->n_columns, 3);
	START(&s, steps, LONG_MS);
	assert_int_equal(mo_client_read(s.client, MO_cn_cpid, MO_READ_AFTER,
					&(struct mo_index){2, {1, 6}}, 300, &page),
			 MO_CLIENT_OK);
	server_stop(&s, 1);
	assert_int_equal(get_be16(s.request[1] + 2), MO_cn_cpid);
	assert_memory_equal(s.request[1] + MO_MSG_HEADER,
			    "\x02\x01\x2c\x02\x00\x00\x00\x01\x00\x00\x00\x06", 12);
	assert_ptr_equal(page.table, table);
	assert_int_equal(page.n_rows, 2);
	assert_true(page.more);
	assert_int_equal(page.rows[0].index.n, 1);
	assert_int_equal(page.rows[0].index.sub[0], 7);
	assert_int_equal(page.rows[1].index.n, 2);
	assert_int_equal(page.rows[1].index.sub[1], 9);
	assert_true(mo_page_value(&page, 0, &table->columns[0], &value));
	assert_int_equal(value.num, 1);
	assert_false(mo_page_value(&page, 0, &table->columns[1], &value));
	assert_false(mo_page_value(&page, 1, &table->columns[0], &value));
	assert_true(mo_page_value(&page, 1, &table->columns[1], &value));
	assert_int_equal(value.num, 2);
	mo_page_free(&page);
	assert_null(page.rows);
	assert_null(page.buf);
}

/* A read into a page replaces the rows and values of the read before. */
static void test_page_is_reused(void **state)
{
	static const struct step steps[] = {
	    HELLO, BODY(0, 0, 1, 1, 0, 0, 0, 7, MO_MSG_NO_VALUE, MO_MSG_NO_VALUE, MO_MSG_NO_VALUE),
	    BODY(0, 0, 0),
	    BODY(0, 0, 2, 1, 0, 0, 0, 7, MO_UNSIGNED32, NUMBER(5), MO_INTEGER32, NUMBER(6),
		 MO_MSG_NO_VALUE, 1, 0, 0, 0, 8, MO_UNSIGNED32, NUMBER(7), MO_MSG_NO_VALUE,
		 MO_MSG_NO_VALUE)};
	const struct mo_table *table = mo_table(MO_cn_cpid);
	static const uint16_t rows[] = {1, 0, 2};
	struct mo_page page = {0};
	struct mo_value value;
	struct server s;

	(void)state;
	START(&s, steps, LONG_MS);
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(
		    mo_client_read(s.client, MO_cn_cpid, 0, &(struct mo_index){0}, 9, &page),
		    MO_CLIENT_OK);
		assert_int_equal(page.n_rows, rows[i]);
		assert_false(page.more);
	}
	assert_true(mo_page_value(&page, 0, &table->columns[1], &value));
	assert_int_equal(value.num, 6);
	assert_true(mo_page_value(&page, 1, &table->columns[0], &value));
	assert_int_equal(value.num, 7);
	mo_page_free(&page);
	server_stop(&s, 1);
}

static void test_malformed_page_is_an_error(void **state)
{
	static const struct step bad[] = {
	    BODY(0, 0),                        /* number of rows missing */
	    BODY(0, 0, 1),                     /* row missing */
	    BODY(0, 0, 3, 0, MO_MSG_NO_VALUE), /* more rows than octets */
	    /* column missing */
	    BODY(0, 0, 1, 1, 0, 0, 0, 7, MO_MSG_NO_VALUE, MO_MSG_NO_VALUE),
	    /* unknown syntax */
	    BODY(0, 0, 1, 1, 0, 0, 0, 7, MO_MSG_NO_VALUE, MO_MSG_NO_VALUE, 0x7f),
	    /* index too long */
	    BODY(0, 0, 1, 9, MO_MSG_NO_VALUE, MO_MSG_NO_VALUE, MO_MSG_NO_VALUE),
	};
	struct mo_page page = {0};
	struct server s;

	(void)state;
	for (unsigned i = 0; i < UNIT_COUNT(bad); i++) {
		const struct step steps[] = {HELLO, bad[i]};

		START(&s, steps, LONG_MS);
		assert_int_equal(
		    mo_client_read(s.client, MO_cn_cpid, 0, &(struct mo_index){0}, 9, &page),
		    MO_CLIENT_PROTOCOL);
		assert_int_equal(page.n_rows, 0);
		assert_non_null(
		    strstr(mo_client_strerror(s.client), "/ctl: malformed reply to READ"));
		server_stop(&s, 1);
	}
	mo_page_free(&page);
}

/* The first read has no memory for the rows, the second none for the values; the third has both. */
static void test_page_without_memory_is_an_error(void **state)
{
#define ROW BODY(0, 0, 1, 1, 0, 0, 0, 7, MO_MSG_NO_VALUE, MO_MSG_NO_VALUE, MO_MSG_NO_VALUE)
	static const struct step steps[] = {HELLO, ROW, HELLO, ROW, HELLO, ROW};
	struct mo_page page = {0};
	struct server s;

	(void)state;
	START(&s, steps, LONG_MS);
	for (unsigned n = 1; n <= 3; n++) {
		bool fails = n < 3;

		realloc_fails = fails ? n : 0;
		assert_int_equal(
		    mo_client_read(s.client, MO_cn_cpid, 0, &(struct mo_index){0}, 9, &page),
		    fails ? MO_CLIENT_PROTOCOL : MO_CLIENT_OK);
		assert_int_equal(realloc_fails, 0);
		assert_int_equal(page.n_rows, !fails);
	}
	mo_page_free(&page);
	server_stop(&s, 3);
}

/* dcbd closes idle connections; a request that it has not handled for that is repeated. */
static void test_request_on_closed_connection_is_repeated(void **state)
{
	struct step read = BODY(0, 0, 0),
		    steps[7] = {HELLO, read,         HELLO,          {.what = CLOSE_WITH_REASON},
				HELLO, RESULT(0, 0), {.what = CLOSE}};
	struct mo_page page = {0};
	enum mo_error error;
	unsigned varbind;
	struct server s;

	(void)state;
	steps[1].is_last = true;
	START(&s, steps, LONG_MS);
	assert_int_equal(try_read(&s, &page), MO_CLIENT_OK);
	while (__atomic_load_n(&s.closed, __ATOMIC_SEQ_CST) == 0)
		usleep(1000);
	/* The second connection is closed when the request has arrived. */
	assert_int_equal(try_test(&s, &error, &varbind), MO_CLIENT_UNREACHABLE);
	assert_int_equal(try_test(&s, &error, &varbind), MO_CLIENT_OK);
	/* Without a reason: dcbd may have handled it. */
	assert_int_equal(try_read(&s, &page), MO_CLIENT_UNREACHABLE);
	server_stop(&s, 3);
	mo_page_free(&page);
}

/* --- events ------------------------------------------------------------------------- */

/* A number is sent with the boot id of the dcbd that it is from, no number with boot id 0. */
static void test_subscribe_sends_boot_id_and_number(void **state)
{
	static const struct step steps[] = {HELLO, BODY(0), {.what = CLOSE}, HELLO, BODY(0)};
	struct mo_page page = {0};
	struct server s;

	(void)state;
	START(&s, steps, LONG_MS);
	assert_int_equal(mo_client_subscribe(s.client, 0), MO_CLIENT_OK);
	assert_int_equal(try_read(&s, &page), MO_CLIENT_UNREACHABLE);
	assert_int_equal(mo_client_subscribe(s.client, 5), MO_CLIENT_OK);
	server_stop(&s, 2);
	assert_memory_equal(s.request[1] + MO_MSG_HEADER, "\0\0\0\0\0\0\0\0\0\0\0\0\0", 13);
	assert_memory_equal(s.request[4] + MO_MSG_HEADER, "\0\1\2\3\4\0\0\0\0\0\0\0\5", 13);
}

static enum mo_client_status event_of(const uint8_t *message, size_t len, struct mo_event *ev,
				      const char *text)
{
	struct step steps[] = {HELLO, BODY(0)};
	enum mo_client_status status;
	struct server s;

	steps[1].event = message;
	steps[1].event_len = len;
	START(&s, steps, LONG_MS);
	assert_int_equal(mo_client_subscribe(s.client, 0), MO_CLIENT_OK);
	status = mo_client_event(s.client, ev);
	if (text)
		assert_non_null(strstr(mo_client_strerror(s.client), text));
	server_stop(&s, 1);
	return status;
}

static void test_event_is_decoded_or_refused(void **state)
{
	uint8_t message[] = {MO_MSG_VERSION,
			     MO_OP_EVENT | MO_MSG_REPLY,
			     0,
			     0,
			     0,
			     0,
			     0,
			     5,
			     NUMBER(5),
			     NUMBER(6),
			     NUMBER(7),
			     MO_EVENT_NOTIFY,
			     MO_NOTIFY_pfc_storm,
			     0};
	struct mo_event ev = {.number = 1};

	(void)state;
	assert_int_equal(event_of(message, sizeof(message), &ev, NULL), MO_CLIENT_OK);
	assert_int_equal(ev.number, 5);
	assert_int_equal(ev.real_ms, 6);
	assert_int_equal(ev.mono_ms, 7);
	assert_int_equal(ev.flags, MO_EVENT_NOTIFY);
	assert_int_equal(ev.id, MO_NOTIFY_pfc_storm);
	assert_int_equal(ev.n, 0);
	assert_int_equal(event_of(message, sizeof(message) - 1, &ev, "/ctl: malformed event"),
			 MO_CLIENT_PROTOCOL);
	message[1] = MO_OP_EVENT; /* without MO_MSG_REPLY */
	assert_int_equal(event_of(message, sizeof(message), &ev, "/ctl: malformed event"),
			 MO_CLIENT_PROTOCOL);
	assert_int_equal(event_of(NULL, 0, &ev, "/ctl: dcbd closed the connection"),
			 MO_CLIENT_UNREACHABLE);
}

/* mo_client_event() does not connect: dcbd sends events only after mo_client_subscribe(). */
static void test_event_without_connection_is_unreachable(void **state)
{
	struct mo_client *c = mo_client_new("/nowhere/at/all", SHORT_MS);
	struct mo_event ev = {.number = 1};

	(void)state;
	assert_int_equal(mo_client_event(c, &ev), MO_CLIENT_UNREACHABLE);
	assert_string_equal(mo_client_strerror(c), "/nowhere/at/all: receive: Bad file descriptor");
	assert_int_equal(ev.number, 1);
	mo_client_free(c);
}

/* --- a client that is shared -------------------------------------------------------- */

#define MANY 100000 /* slices: no time limit */

/* Reads once, without a time limit, and then once while the server waits. */
static void read_late(struct server *s, struct mo_page *page)
{
	mo_client_share(s->client, MANY, NULL);
	assert_int_equal(try_read(s, page), MO_CLIENT_OK);
	assert_int_equal(mo_client_late_fd(s->client), -1);
	mo_client_share(s->client, 2, NULL);
	assert_int_equal(try_read(s, page), MO_CLIENT_TIMEOUT);
	assert_true(mo_client_late_fd(s->client) >= 0);
	assert_true(mo_client_slices(s->client) >= 2);
}

static void test_late_reply_is_taken_by_the_same_read(void **state)
{
	static const struct step steps[] = {HELLO, BODY(NO_ROWS), LATE(NO_ROWS)};
	struct mo_page page = {0};
	struct server s;

	(void)state;
	START(&s, steps, LONG_MS);
	read_late(&s, &page);
	for (unsigned i = 0; i < 100; i++)
		assert_int_equal(try_read(&s, &page), MO_CLIENT_TIMEOUT);
	assert_int_equal(read_again(&s, &page), MO_CLIENT_OK);
	assert_int_equal(mo_client_late_fd(s.client), -1);
	mo_page_free(&page);
	server_stop(&s, 1);
}

static void test_late_reply_is_discarded_by_another_read(void **state)
{
	static const struct step steps[] = {HELLO, BODY(NO_ROWS), LATE(NO_ROWS), BODY(NO_ROWS)};
	struct mo_page page = {0};
	struct server s;

	(void)state;
	START(&s, steps, LONG_MS);
	read_late(&s, &page);
	mo_client_share(s.client, MANY, NULL);
	sem_post(&s.go);
	while (read_with(s.client) == MO_CLIENT_TIMEOUT)
		;
	mo_page_free(&page);
	server_stop(&s, 1);
}

static void test_late_reply_is_discarded_without_a_read(void **state)
{
	static const struct step steps[] = {HELLO, BODY(NO_ROWS), LATE(NO_ROWS), BODY(NO_ROWS)};
	struct mo_page page = {0};
	struct server s;

	(void)state;
	START(&s, steps, LONG_MS);
	read_late(&s, &page);
	mo_client_share(s.client, MANY, NULL);
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
	mo_client_share(s.client, MANY, NULL);
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
	mo_client_share(c, MANY, NULL);
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
	mo_client_share(s->client, MANY, is_alive);
	mo_client_commit_within(s->client, LONG_MS);
	assert_int_equal(try_test(s, &error, &varbind), MO_CLIENT_OK);
	mo_client_share(s->client, 1, is_alive);
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
	assert_int_equal(mo_client_commit(s.client, 77, &error, &varbind), MO_CLIENT_OK);
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
	assert_int_equal(mo_client_commit(s.client, 77, &error, &varbind), MO_CLIENT_TIMEOUT);
	assert_int_equal(asked, 3);
	assert_int_equal(mo_client_commit(s.client, 77, &error, &varbind), MO_CLIENT_UNREACHABLE);
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
	assert_int_equal(mo_client_commit(s.client, 77, &error, &varbind), MO_CLIENT_TIMEOUT);
	assert_in_range(asked, 1, 100 / 20);
	server_stop(&s, 1);
}

int main(void)
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
	    cmocka_unit_test(test_missing_reply_is_a_timeout),
	    cmocka_unit_test(test_late_reply_is_awaited),
	    cmocka_unit_test(test_late_hello_is_awaited),
	    cmocka_unit_test(test_end_instead_of_a_late_reply_is_followed_by_a_connection),
	    cmocka_unit_test(test_missing_reply_to_commit_ends_the_connection),
	    cmocka_unit_test(test_commit_has_a_limit_of_its_own),
	    cmocka_unit_test(test_request_too_long_is_refused),
	    cmocka_unit_test(test_page_has_rows_and_values),
	    cmocka_unit_test(test_page_is_reused),
	    cmocka_unit_test(test_malformed_page_is_an_error),
	    cmocka_unit_test(test_page_without_memory_is_an_error),
	    cmocka_unit_test(test_request_on_closed_connection_is_repeated),
	    cmocka_unit_test(test_subscribe_sends_boot_id_and_number),
	    cmocka_unit_test(test_event_is_decoded_or_refused),
	    cmocka_unit_test(test_event_without_connection_is_unreachable),
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
