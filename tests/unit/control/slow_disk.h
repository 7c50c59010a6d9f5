/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A service with a disk whose fsync() takes as long as the test wants, or fails; and its clients.
 * The event loop runs in the thread of the test, one step at a time. Each test program has its own;
 * its linker replaces fsync() (option --wrap).
 */
#ifndef DCB_TESTS_SLOW_DISK_H
#define DCB_TESTS_SLOW_DISK_H

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <event2/event.h>

#include "tests/unit/mo_world.h"
#include "tests/unit/unit.h"

#define ALLOWANCE   "ieee8021PfcLinkDelayAllowance"
#define DEADLINE_MS 60000
#define CLIENTS     3

static struct {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool stopped;  /* fsync() waits */
	unsigned lets; /* calls that it lets through all the same */
	bool waits;    /* a call waits */
	int error;     /* errno of each call; 0: none */
} disk = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

int __real_fsync(int fd);
int __wrap_fsync(int fd);
int __wrap_fsync(int fd)
{
	int error;

	pthread_mutex_lock(&disk.lock);
	while (disk.stopped && disk.lets == 0) {
		disk.waits = true;
		pthread_cond_broadcast(&disk.changed);
		pthread_cond_wait(&disk.changed, &disk.lock);
	}
	disk.waits = false;
	if (disk.lets > 0)
		disk.lets--;
	error = disk.error;
	pthread_mutex_unlock(&disk.lock);
	if (error == 0)
		return __real_fsync(fd);
	errno = error;
	return -1;
}

static inline void disk_set(bool stopped, unsigned lets, int error)
{
	pthread_mutex_lock(&disk.lock);
	disk.stopped = stopped;
	disk.lets = lets;
	disk.error = error;
	pthread_cond_broadcast(&disk.changed);
	pthread_mutex_unlock(&disk.lock);
}

static inline void disk_stop(void)
{
	disk_set(true, 0, 0);
}

static inline void disk_continue(void)
{
	disk_set(false, 0, 0);
}

/* Waits until the thread of the state file is in fsync(). */
static inline void disk_await(void)
{
	pthread_mutex_lock(&disk.lock);
	while (!disk.waits)
		pthread_cond_wait(&disk.changed, &disk.lock);
	pthread_mutex_unlock(&disk.lock);
}

struct client {
	struct slow *slow;
	struct mo_session *session;
	uint32_t txid;
	bool is_answered;
	unsigned order; /* of the answers, from 1 */
	enum mo_error error;
	char reason[MO_TEXT_MAX + 1];
};

struct slow {
	struct mo_world *w;
	struct event_base *base;
	struct client clients[CLIENTS];
	unsigned n_answers;
	unsigned n_saved, n_not_saved;
};

static inline void take_reply(struct client *c, const uint8_t *reply, size_t len)
{
	struct octets_in in = octets_in(reply, len);
	struct mo_msg_header h;

	assert_true(mo_msg_get_header(&in, &h));
	assert_int_equal(h.seq, 42);
	c->error = (enum mo_error)octets_in_u8(&in);
	(void)octets_in_be16(&in);
	mo_msg_get_text(&in, c->reason);
	assert_false(in.overrun);
	c->is_answered = true;
	c->order = ++c->slow->n_answers;
}

static inline void on_answer(void *ctx, const uint8_t *reply, size_t len)
{
	if (len > 0)
		take_reply(ctx, reply, len);
}

static inline struct slow *slow_new(void)
{
	struct slow *s = calloc(1, sizeof(*s));

	disk_continue();
	s->w = mo_world_new(ROLE_BRIDGE);
	s->base = event_base_new();
	assert_true(mo_service_use_thread(s->w->service, s->base));
	for (unsigned i = 0; i < CLIENTS; i++) {
		struct client *c = &s->clients[i];

		c->slow = s;
		c->session = mo_session_new(s->w->service, MO_MAY_ALL);
		mo_session_listen(c->session, on_answer, c);
	}
	return s;
}

static inline void slow_free(struct slow *s)
{
	disk_continue();
	for (unsigned i = 0; i < CLIENTS; i++)
		mo_session_free(s->clients[i].session);
	mo_world_free(s->w);
	event_base_free(s->base);
	free(s);
}

static inline int64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * INT64_C(1000) + ts.tv_nsec / 1000000;
}

/* Handles all events that are pending. */
static inline void turn(struct slow *s)
{
	event_base_loop(s->base, EVLOOP_ONCE | EVLOOP_NONBLOCK);
}

/* Runs the event loop until *number is at least n. */
static inline void turn_until(struct slow *s, const unsigned *number, unsigned n)
{
	int64_t start = now_ms();

	while (*number < n && now_ms() - start < DEADLINE_MS) {
		turn(s);
		poll(NULL, 0, 1);
	}
	assert_true(*number >= n);
}

static inline void send_phase(struct client *c, enum mo_msg_op op)
{
	uint8_t request[64], buf[1024];
	struct octets_out out = mo_world_request(request, sizeof(request), op, 0);
	struct octets_out reply = octets_out(buf, sizeof(buf));

	octets_out_be32(&out, c->txid);
	c->is_answered = false;
	assert_true(mo_service_handle(c->session, request, out.len, &reply));
	assert_int_equal(reply.len == 0, mo_session_is_waiting(c->session));
	if (reply.len > 0)
		take_reply(c, buf, reply.len);
}

/* Sends TEST, which is answered at once, and COMMIT. */
static inline void send_set(struct client *c, const char *index, const char *value)
{
	struct mo_world *w = c->slow->w;
	struct mo_session *session = w->session;

	w->session = c->session;
	assert_int_equal(mo_world_test(w, (const char *const[][3]){{ALLOWANCE, index, value}}, 1),
			 MO_NO_ERROR);
	w->session = session;
	c->txid = w->txid;
	send_phase(c, MO_OP_COMMIT);
}

/* Frees the clients: a system that starts again has no session of theirs. */
static inline void end_clients(struct slow *s)
{
	for (unsigned i = 0; i < CLIENTS; i++) {
		mo_session_free(s->clients[i].session);
		s->clients[i].session = NULL;
	}
}

#endif
