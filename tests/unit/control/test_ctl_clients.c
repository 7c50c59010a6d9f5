/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Clients that misbehave on the control socket, and what the others notice. The event loop
 * of ctl_server runs in this thread, one step at a time, between the calls of the clients.
 */
#include "tests/unit/log_capture.h"
#include "tests/unit/unit.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <event2/event.h>

#include "lib/log.h"
#include "control/ctl_server.h"
#include "control/managed_conf.h"
#include "tests/unit/fake_provider.h"

#define DEADLINE_MS 20000 /* of each expected message */

static char dir[64], path[96];

/* --- replaced functions, by the linker's option --wrap ------------------------------------ */

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

/* --- the server and its clients --------------------------------------------------------------- */

struct server {
	struct fake_provider provider;
	struct conf conf;
	struct managed *m;
	struct mo_service *service;
	struct event_base *base;
	struct ctl_server *ctl;
};

static int64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * INT64_C(1000) + ts.tv_nsec / 1000000;
}

static struct server *server_start(void)
{
	struct server *s = calloc(1, sizeof(*s));
	struct provider *const providers[] = {&s->provider.provider};
	struct provider_refusal why;
	char err[256];

	s->conf.role = ROLE_BRIDGE;
	s->conf.component_id = 1;
	fake_provider_init(&s->provider);
	s->m = managed_conf_new(&s->conf, providers, 1);
	assert_true(managed_release(s->m, &why));
	s->service = mo_service_new(s->m, NULL, 11);
	s->base = event_base_new();
	s->ctl = ctl_server_new(s->base, s->service, path, NULL, err, sizeof(err));
	if (!s->ctl)
		fail_msg("%s", err);
	return s;
}

static void server_stop(struct server *s)
{
	ctl_server_free(s->ctl);
	mo_service_free(s->service);
	managed_free(s->m);
	event_base_free(s->base);
	free(s);
}

/* Handles all events that are pending. */
static void turn(struct server *s)
{
	event_base_loop(s->base, EVLOOP_ONCE | EVLOOP_NONBLOCK);
}

static int dial(void)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);

	snprintf(addr.sun_path, sizeof(addr.sun_path), "%s", path);
	assert_int_equal(connect(fd, (struct sockaddr *)&addr, sizeof(addr)), 0);
	return fd;
}

/* Returns the length of the next message to the client; 0: the connection is closed. */
static size_t receive(struct server *s, int fd, void *buf, size_t size)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	int64_t start = now_ms();
	ssize_t n;

	do {
		turn(s);
		n = recv(fd, buf, size, MSG_DONTWAIT);
		/* The error of a closed connection comes before its last message. */
		if (n < 0 && errno == ECONNRESET)
			n = recv(fd, buf, size, MSG_DONTWAIT);
		if (n < 0)
			poll(&p, 1, 1);
	} while (n < 0 && now_ms() - start < DEADLINE_MS);
	assert_true(n >= 0);
	return (size_t)n;
}

/* Sends a request without a body, padded to len octets. */
static void request(int fd, enum mo_msg_op op, size_t len)
{
	static uint8_t buf[128 * 1024];
	struct octets_out out = octets_out(buf, sizeof(buf));

	memset(buf, 0, sizeof(buf));
	mo_msg_put_header(&out, &(struct mo_msg_header){.op = (uint8_t)op, .seq = 5});
	assert_int_equal(send(fd, buf, len, MSG_NOSIGNAL), len);
}

static void assert_hello(struct server *s, int fd)
{
	uint8_t buf[256];

	request(fd, MO_OP_HELLO, MO_MSG_HEADER);
	assert_true(receive(s, fd, buf, sizeof(buf)) > MO_MSG_HEADER);
	assert_int_equal(buf[1], MO_OP_HELLO | MO_MSG_REPLY);
}

/* Asserts that the server closes the connection and says why; closes fd. */
static void assert_closed(struct server *s, int fd, const char *why)
{
	uint8_t buf[512];
	struct octets_in in = octets_in(buf, receive(s, fd, buf, sizeof(buf)));
	char text[MO_TEXT_MAX + 1];
	struct mo_msg_header h;

	assert_true(mo_msg_get_header(&in, &h));
	assert_int_equal(h.op, MO_OP_CLOSE | MO_MSG_REPLY);
	mo_msg_get_text(&in, text);
	assert_string_equal(text, why);
	assert_int_equal(receive(s, fd, buf, sizeof(buf)), 0);
	close(fd);
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

/* --- tests ------------------------------------------------------------------------------------ */

/* The socket stays readable while accept() fails; it is not asked again at once. */
static void test_accept_without_descriptors_backs_off(void **state)
{
	static const int errors[] = {EMFILE, ENFILE, ENOMEM, ENOBUFS};
	struct server *s = server_start();
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
	struct server *s = server_start();
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
	assert_int_equal(accept_calls, 1);
	assert_hello(s, second);
	close(second);
	server_stop(s);
}

/* The octets behind the limit are not dropped, which would make another request of it. */
static void test_message_too_long_is_refused_not_cut(void **state)
{
	struct server *s = server_start();
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
	struct server *s = server_start();
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

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_accept_without_descriptors_backs_off),
	    cmocka_unit_test(test_accept_is_tried_again_when_a_client_ends),
	    cmocka_unit_test(test_message_too_long_is_refused_not_cut),
	    cmocka_unit_test(test_garbage_does_not_fill_the_log),
	};
	int failed;

	log_init("test_ctl_clients", LOG_LEVEL_ERROR, false);
	snprintf(dir, sizeof(dir), "/tmp/dcb-test-XXXXXX");
	if (!mkdtemp(dir))
		return 99;
	snprintf(path, sizeof(path), "%s/control", dir);
	failed = cmocka_run_group_tests_name("ctl_clients", tests, NULL, NULL);
	unlink(path);
	rmdir(dir);
	return failed;
}
