/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The control socket and the view socket of a server, and clients of both. Each test program has
 * its own.
 */
#ifndef DCB_TESTS_CTL_SOCKETS_H
#define DCB_TESTS_CTL_SOCKETS_H

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <event2/event.h>

#include "lib/clock.h"
#include "lib/log.h"
#include "control/ctl_server.h"
#include "control/managed/events.h"
#include "control/managed_conf.h"
#include "tests/unit/fake_provider.h"
#include "tests/unit/unit.h"

#define DEADLINE_MS 20000 /* of each expected message */

static char dir[64], path[96], view_path[96];

/* Set-up and end of the group of tests: the folder of the sockets. */
static inline int make_sockets_folder(void **state)
{
	(void)state;
	snprintf(dir, sizeof(dir), "/tmp/dcb-test-XXXXXX");
	if (!mkdtemp(dir))
		return -1;
	snprintf(path, sizeof(path), "%s/control", dir);
	snprintf(view_path, sizeof(view_path), "%s/view", dir);
	return 0;
}

static inline int remove_sockets_folder(void **state)
{
	(void)state;
	unlink(path);
	unlink(view_path);
	return rmdir(dir);
}

/* Times in which nothing expires in these tests; and short ones. */
static const struct ctl_server_config patient = {
    .control = path, .first_ms = 600000, .idle_ms = 600000, .hold_ms = 600000};
static const struct ctl_server_config quick = {.control = path, .first_ms = 1000, .idle_ms = 1000};
static const struct ctl_server_config short_hold = {
    .control = path, .first_ms = 600000, .idle_ms = 600000, .hold_ms = 50};

/* Who connects to the server, as its getsockopt(SO_PEERCRED) says (linker's option --wrap). */
static struct ucred peer;
static bool peer_is_other; /* than this process */

int __real_getsockopt(int fd, int level, int name, void *value, socklen_t *len);
int __wrap_getsockopt(int fd, int level, int name, void *value, socklen_t *len);
int __wrap_getsockopt(int fd, int level, int name, void *value, socklen_t *len)
{
	if (name != SO_PEERCRED || !peer_is_other)
		return __real_getsockopt(fd, level, name, value, len);
	memcpy(value, &peer, sizeof(peer));
	return 0;
}

struct server {
	struct fake_provider provider;
	struct conf conf;
	struct managed *m;
	struct mo_service *service;
	struct event_base *base;
	struct ctl_server *ctl;
};

static inline int64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * INT64_C(1000) + ts.tv_nsec / 1000000;
}

/* A server without sockets. */
static inline struct server *server_new(void)
{
	struct server *s = calloc(1, sizeof(*s));
	struct provider *const providers[] = {&s->provider.provider};
	struct provider_refusal why;

	s->conf.role = ROLE_BRIDGE;
	s->conf.component_id = 1;
	fake_provider_init(&s->provider);
	s->m = managed_conf_new(&s->conf, providers, 1);
	assert_true(managed_release(s->m, &why));
	s->service = mo_service_new(s->m, NULL, 11);
	s->base = event_base_new();
	return s;
}

static inline struct server *server_start(const struct ctl_server_config *config)
{
	struct server *s = server_new();
	char err[256];

	s->ctl = ctl_server_new(s->base, s->service, config, err, sizeof(err));
	if (!s->ctl)
		fail_msg("%s", err);
	return s;
}

static inline void server_stop(struct server *s)
{
	ctl_server_free(s->ctl);
	mo_service_free(s->service);
	managed_free(s->m);
	event_base_free(s->base);
	free(s);
	peer_is_other = false;
}

/* Handles all events that are pending. */
static inline void turn(struct server *s)
{
	event_base_loop(s->base, EVLOOP_ONCE | EVLOOP_NONBLOCK);
}

static inline int dial_to(const char *where)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);

	snprintf(addr.sun_path, sizeof(addr.sun_path), "%s", where);
	assert_int_equal(connect(fd, (struct sockaddr *)&addr, sizeof(addr)), 0);
	return fd;
}

static inline int dial(void)
{
	return dial_to(path);
}

/* Returns the length of the next message to the client; 0: the connection is closed. */
static inline size_t receive(struct server *s, int fd, void *buf, size_t size)
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
static inline void request(int fd, enum mo_msg_op op, size_t len)
{
	static uint8_t buf[128 * 1024];
	struct octets_out out = octets_out(buf, sizeof(buf));

	memset(buf, 0, sizeof(buf));
	mo_msg_put_header(&out, &(struct mo_msg_header){.op = (uint8_t)op, .seq = 5});
	assert_int_equal(send(fd, buf, len, MSG_NOSIGNAL), len);
}

static inline void assert_hello(struct server *s, int fd)
{
	uint8_t buf[256];

	request(fd, MO_OP_HELLO, MO_MSG_HEADER);
	assert_true(receive(s, fd, buf, sizeof(buf)) > MO_MSG_HEADER);
	assert_int_equal(buf[1], MO_OP_HELLO | MO_MSG_REPLY);
}

/* Asserts that the server closes the connection and says why; closes fd. */
static inline void assert_closed(struct server *s, int fd, const char *why)
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

static inline void subscribe(struct server *s, int fd)
{
	uint8_t buf[256];

	request(fd, MO_OP_SUBSCRIBE, MO_MSG_HEADER + 13);
	assert_int_equal(receive(s, fd, buf, sizeof(buf)), MO_MSG_HEADER + 12);
}

static inline void raise_events(struct server *s, unsigned n)
{
	static const struct notify_config config = {.rate_limit = 0};
	const struct mo_varbind vb = {.table = MO_cn_errored_port,
				      .subid = 3,
				      .index = {3, {1, 4, 2}},
				      .value = {.syntax = MO_INTEGER32, .num = 2}};

	for (; n > 0; n--)
		events_raise(s->m->events, &config, MO_NOTIFY_errored_port_created, &vb, 1,
			     clock_now());
}

/* Sends TEST, then COMMIT, UNDO or CLEANUP. Returns the error, and dcbd's reason. */
static inline enum mo_error phase(struct server *s, int fd, enum mo_msg_op op, uint32_t priority,
				  char reason[MO_TEXT_MAX + 1])
{
	uint8_t buf[512];
	struct octets_out out = octets_out(buf, sizeof(buf));
	struct mo_msg_header h;
	struct octets_in in;
	enum mo_error error;

	mo_msg_put_header(&out, &(struct mo_msg_header){.op = (uint8_t)op, .seq = 5});
	octets_out_be32(&out, 1);
	if (op == MO_OP_TEST) {
		octets_out_be16(&out, 1);
		mo_msg_put_varbind(&out, &(struct mo_varbind){.table = MO_cn_com_pri,
							      .subid = 10,
							      .index = {2, {1, priority}},
							      .value = {.syntax = MO_ROW_STATUS,
									.num = ROW_CREATE_AND_GO}});
	}
	assert_int_equal(send(fd, buf, out.len, MSG_NOSIGNAL), out.len);
	in = octets_in(buf, receive(s, fd, buf, sizeof(buf)));
	assert_true(mo_msg_get_header(&in, &h));
	assert_int_equal(h.op, (uint8_t)op | MO_MSG_REPLY);
	error = (enum mo_error)octets_in_u8(&in);
	(void)octets_in_be16(&in);
	mo_msg_get_text(&in, reason);
	assert_false(in.overrun);
	return error;
}

#endif
