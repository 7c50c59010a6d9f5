/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Clients that misbehave on the control socket, and what the others notice. The event loop of
 * ctl_server runs in this thread, one step at a time, between the calls of the clients.
 */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <event2/event.h>

#include "lib/log.h"
#include "control/ctl_server.h"
#include "control/managed/events.h"
#include "tests/unit/control/ctl_sockets.h"
#include "tests/unit/log_capture.h"

/* --- replaced functions, by the linker's option --wrap ------------------------------- */

static int accept_error; /* errno of accept4(); 0: it works */
static unsigned accept_calls;

int __real_accept4(int fd, struct sockaddr *addr, socklen_t *len, int flags);
int __wrap_accept4(int fd, struct sockaddr *addr, socklen_t *len, int flags);
int __wrap_accept4(int fd, struct sockaddr *addr, socklen_t *len, int flags)
{
	accept_calls++;
	if (accept_error == 0)
		return __real_accept4(fd, addr, len, flags);
	errno = accept_error;
	return -1;
}

static unsigned count_lines(const char *text)
{
	unsigned n = 0;

	for (; (text = strchr(text, '\n')); text++)
		n++;
	return n;
}

/* The most lines that a limited message can have had since start_ms. */
static unsigned lines_allowed(int64_t start_ms)
{
	return LOG_LIMIT_BURST + 1 + (unsigned)((now_ms() - start_ms) / LOG_LIMIT_MS);
}

/* --- accept, messages ------------------------------------------------------------------ */

/* The socket stays readable while accept() fails; it is not asked again at once. */
static void test_accept_without_descriptors_backs_off(void **state)
{
	static const int errors[] = {EMFILE, ENFILE, ENOMEM, ENOBUFS};
	struct server *s = server_start(&patient);
	int64_t start;
	int fd;

	(void)state;
	for (unsigned i = 0; i < UNIT_COUNT(errors); i++) {
		accept_error = errors[i];
		accept_calls = 0;
		start = now_ms();
		fd = dial();
		for (unsigned n = 0; n < 1000; n++)
			turn(s);
		assert_in_range(accept_calls, 1, 2 + (now_ms() - start) / 100);
		accept_error = 0;
		assert_hello(s, fd);
		close(fd);
	}
	server_stop(s);
}

/* A client that ends has a descriptor that accept() needs: it is called at once. */
static void test_accept_is_tried_again_when_a_client_ends(void **state)
{
	struct server *s = server_start(&patient);
	int first = dial(), second;

	(void)state;
	assert_hello(s, first);
	accept_error = EMFILE;
	second = dial();
	accept_calls = 0;
	while (accept_calls == 0)
		turn(s);
	accept_error = 0;
	close(first);
	turn(s); /* sees the end of the first client */
	accept_calls = 0;
	turn(s);
	assert_in_range(accept_calls, 1, 2);
	assert_hello(s, second);
	close(second);
	server_stop(s);
}

/* The octets behind the limit are not dropped, which would make another request of it. */
static void test_message_too_long_is_refused_not_cut(void **state)
{
	struct server *s = server_start(&patient);
	uint8_t buf[256];
	int fd = dial();

	(void)state;
	request(fd, MO_OP_HELLO, MO_MSG_MAX);
	assert_true(receive(s, fd, buf, sizeof(buf)) > MO_MSG_HEADER);
	assert_int_equal(buf[1], MO_OP_HELLO | MO_MSG_REPLY);
	request(fd, MO_OP_HELLO, MO_MSG_MAX + 1);
	assert_closed(s, fd, "request of 65537 octets, expected at most 65536");
	fd = dial();
	request(fd, MO_OP_HELLO, 100000);
	assert_closed(s, fd, "request of 100000 octets, expected at most 65536");
	server_stop(s);
}

/* Each client gets the reason; the log gets a few lines and the number of the others. */
static void test_garbage_does_not_fill_the_log(void **state)
{
	struct server *s = server_start(&patient);
	int64_t start = now_ms();
	struct log_capture c;
	char text[65536];
	unsigned allowed;

	(void)state;
	log_init("prog", LOG_LEVEL_INFO, true);
	c = log_capture();
	for (unsigned i = 0; i < 300; i++) {
		int fd = dial();

		assert_int_equal(send(fd, "garbage", 7, MSG_NOSIGNAL), 7);
		assert_closed(s, fd, "malformed or unknown request");
	}
	allowed = lines_allowed(start);
	log_captured(&c, text, sizeof(text));
	log_init("test_ctl_clients", LOG_LEVEL_ERROR, false);
	assert_in_range(count_lines(text), 1, allowed);
	assert_non_null(strstr(text, ": malformed or unknown request: connection closed\n"));
	server_stop(s);
}

/* --- times ----------------------------------------------------------------------------- */

static void test_silent_client_is_disconnected(void **state)
{
	struct server *s = server_start(&quick);
	int silent = dial(), idle = dial();

	(void)state;
	assert_closed(s, silent, "no request for 1 s");
	close(idle);
	idle = dial();
	assert_hello(s, idle);
	assert_hello(s, idle);
	assert_closed(s, idle, "no request for 1 s");
	server_stop(s);
}

/* A subscriber sends nothing for as long as it likes; one that does not read is disconnected. */
static void test_subscriber_has_to_read(void **state)
{
	struct server *s = server_start(&quick);
	int reader = dial(), stopped = dial(), idle;
	uint8_t buf[1024];
	int64_t start;
	size_t n;

	(void)state;
	subscribe(s, reader);
	subscribe(s, stopped);
	idle = dial();
	assert_hello(s, idle);
	assert_closed(s, idle, "no request for 1 s");
	raise_events(s, 1);
	assert_true(receive(s, reader, buf, sizeof(buf)) > MO_MSG_HEADER);
	assert_int_equal(buf[1], MO_OP_EVENT | MO_MSG_REPLY);
	/* More than the socket takes; the reader gets them all. */
	start = now_ms();
	for (unsigned i = 0; i < 4; i++) {
		raise_events(s, EVENTS_KEPT);
		for (unsigned k = 0; k < EVENTS_KEPT; k++)
			assert_true(receive(s, reader, buf, sizeof(buf)) > MO_MSG_HEADER);
	}
	while (now_ms() - start < DEADLINE_MS && ctl_server_clients(s->ctl) > 1)
		event_base_loop(s->base, EVLOOP_ONCE);
	assert_int_equal(ctl_server_clients(s->ctl), 1);
	do
		n = receive(s, stopped, buf, sizeof(buf));
	while (n > 0);
	raise_events(s, 1);
	assert_true(receive(s, reader, buf, sizeof(buf)) > MO_MSG_HEADER);
	close(stopped);
	close(reader);
	server_stop(s);
}

/* As a client that was stopped (Ctrl-Z) after COMMIT. */
static void test_silent_commit_does_not_block_others(void **state)
{
	struct server *s = server_start(&short_hold);
	int silent = dial(), other = dial();
	char reason[MO_TEXT_MAX + 1];
	enum mo_error error;
	int64_t start;

	(void)state;
	assert_int_equal(phase(s, silent, MO_OP_TEST, 3, reason), MO_NO_ERROR);
	assert_int_equal(phase(s, silent, MO_OP_COMMIT, 0, reason), MO_NO_ERROR);
	assert_int_equal(phase(s, other, MO_OP_TEST, 4, reason), MO_NO_ERROR);
	start = now_ms();
	do
		error = phase(s, other, MO_OP_COMMIT, 0, reason);
	while (error == MO_GEN_ERR && now_ms() - start < DEADLINE_MS);
	assert_int_equal(error, MO_NO_ERROR);
	assert_int_equal(phase(s, silent, MO_OP_UNDO, 0, reason), MO_UNDO_FAILED);
	assert_string_equal(reason, "too late: another SET has followed");
	assert_int_equal(phase(s, other, MO_OP_CLEANUP, 0, reason), MO_NO_ERROR);
	close(silent);
	close(other);
	server_stop(s);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_accept_without_descriptors_backs_off),
	    cmocka_unit_test(test_accept_is_tried_again_when_a_client_ends),
	    cmocka_unit_test(test_message_too_long_is_refused_not_cut),
	    cmocka_unit_test(test_garbage_does_not_fill_the_log),
	    cmocka_unit_test(test_silent_client_is_disconnected),
	    cmocka_unit_test(test_subscriber_has_to_read),
	    cmocka_unit_test(test_silent_commit_does_not_block_others),
	};

	log_init("test_ctl_clients", LOG_LEVEL_ERROR, false);
	return cmocka_run_group_tests_name("ctl_clients", tests, make_sockets_folder,
					   remove_sockets_folder);
}
