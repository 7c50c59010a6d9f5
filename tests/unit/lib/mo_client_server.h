/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A server whose replies are a script, and a client of the control socket that is connected
 * to it. Each test program has its own.
 */
#ifndef DCB_TESTS_MO_CLIENT_SERVER_H
#define DCB_TESTS_MO_CLIENT_SERVER_H

#include <pthread.h>
#include <semaphore.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "lib/mo/mo_client.h"
#include "lib/mo/mo_msg.h"
#include "lib/octets.h"
#include "tests/unit/unit.h"

#define BOOT_ID    0x01020304
#define STEPS      8
#define LONG_MS    20000 /* time limit of tests that expect no timeout */
#define SHORT_MS   50
#define HEADER_SEQ 4

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

static inline void pass(unsigned ms)
{
	const struct timespec time = {.tv_nsec = ms * 1000000L};

	nanosleep(&time, NULL);
}

/* Handles one request. Returns false if the connection is closed, or is to be closed. */
static inline bool answer(struct server *s, int fd)
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

static inline void *serve(void *arg)
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

static inline void server_start(struct server *s, const struct step *steps, unsigned n,
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
static inline void server_stop(struct server *s, unsigned connections)
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

static inline enum mo_client_status try_test(struct server *s, enum mo_error *error,
					     unsigned *varbind)
{
	const struct mo_varbind vb = {.table = MO_cn_cp,
				      .subid = 5,
				      .index = {1, {9}},
				      .value = {.syntax = MO_INTEGER32, .num = 3}};

	return mo_client_test(s->client, 77, &vb, 1, error, varbind);
}

static inline enum mo_client_status try_commit(struct server *s, enum mo_error *error,
					       unsigned *varbind)
{
	return mo_client_commit(s->client, 77, error, varbind);
}

static inline enum mo_client_status try_read(struct server *s, struct mo_page *page)
{
	return mo_client_read(s->client, MO_cn_com_pri, MO_READ_AFTER,
			      &(struct mo_index){2, {1, 6}}, 300, page);
}

static inline enum mo_client_status read_with(struct mo_client *c)
{
	struct mo_page page = {0};
	enum mo_client_status status =
	    mo_client_read(c, MO_cn_com_pri, 0, &(struct mo_index){0}, 1, &page);

	mo_page_free(&page);
	return status;
}

#endif
