/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A disk whose fsync() takes as long as the test wants, or fails: what the managed-object
 * service and its clients do meanwhile. The event loop runs in this thread, one step at a time.
 */
#include "tests/unit/log_capture.h"
#include "tests/unit/mo_world.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <event2/event.h>

#include "control/ctl_server.h"
#include "lib/log.h"

#define ALLOWANCE   "ieee8021PfcLinkDelayAllowance"
#define DEADLINE_MS 60000
#define CLIENTS     3

/* --- the disk: fsync() by the linker's option --wrap ------------------------------------ */

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

static void disk_set(bool stopped, unsigned lets, int error)
{
	pthread_mutex_lock(&disk.lock);
	disk.stopped = stopped;
	disk.lets = lets;
	disk.error = error;
	pthread_cond_broadcast(&disk.changed);
	pthread_mutex_unlock(&disk.lock);
}

static void disk_stop(void)
{
	disk_set(true, 0, 0);
}

static void disk_continue(void)
{
	disk_set(false, 0, 0);
}

/* Waits until the thread of the state file is in fsync(). */
static void disk_await(void)
{
	pthread_mutex_lock(&disk.lock);
	while (!disk.waits)
		pthread_cond_wait(&disk.changed, &disk.lock);
	pthread_mutex_unlock(&disk.lock);
}

/* --- a service with a thread, and its clients ---------------------------------------------- */

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

static void take_reply(struct client *c, const uint8_t *reply, size_t len)
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

static void on_answer(void *ctx, const uint8_t *reply, size_t len)
{
	if (len > 0)
		take_reply(ctx, reply, len);
}

static struct slow *slow_new(void)
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

static void slow_free(struct slow *s)
{
	disk_continue();
	for (unsigned i = 0; i < CLIENTS; i++)
		mo_session_free(s->clients[i].session);
	mo_world_free(s->w);
	event_base_free(s->base);
	free(s);
}

static int64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * INT64_C(1000) + ts.tv_nsec / 1000000;
}

/* Handles all events that are pending. */
static void turn(struct slow *s)
{
	event_base_loop(s->base, EVLOOP_ONCE | EVLOOP_NONBLOCK);
}

/* Runs the event loop until *number is at least n. */
static void turn_until(struct slow *s, const unsigned *number, unsigned n)
{
	int64_t start = now_ms();

	while (*number < n && now_ms() - start < DEADLINE_MS) {
		turn(s);
		poll(NULL, 0, 1);
	}
	assert_true(*number >= n);
}

static bool disk_waits(void)
{
	bool waits;

	pthread_mutex_lock(&disk.lock);
	waits = disk.waits;
	pthread_mutex_unlock(&disk.lock);
	return waits;
}

/* As disk_await(), where the event loop has to begin the write. */
static void disk_await_turning(struct slow *s)
{
	while (!disk_waits())
		turn(s);
}

static void send_phase(struct client *c, enum mo_msg_op op)
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
static void send_set(struct client *c, const char *index, const char *value)
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

/* Ends the session, and begins another for the client. */
static void leave(struct client *c)
{
	mo_session_free(c->session);
	c->session = mo_session_new(c->slow->w->service, MO_MAY_ALL);
	mo_session_listen(c->session, on_answer, c);
}

static void on_saved(void *ctx, bool ok)
{
	struct slow *s = ctx;

	s->n_saved += ok;
	s->n_not_saved += !ok;
}

/* Frees the clients: a system that starts again has no session of theirs. */
static void end_clients(struct slow *s)
{
	for (unsigned i = 0; i < CLIENTS; i++) {
		mo_session_free(s->clients[i].session);
		s->clients[i].session = NULL;
	}
}

/* --- one SET ---------------------------------------------------------------------------- */

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

/* --- the system changes meanwhile --------------------------------------------------------- */

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
	assert_true(managed_port_remove(w->m, managed_find(w->m, 9)));
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
	assert_true(managed_port_remove(w->m, managed_find(w->m, 9)));
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

/* --- several clients -------------------------------------------------------------------- */

static void test_commits_wait_in_their_order(void **state)
{
	struct slow *s = slow_new();
	struct client *c = s->clients;

	(void)state;
	disk_stop();
	send_set(&c[0], "3", "1");
	send_set(&c[1], "5", "2");
	send_set(&c[2], "9", "3");
	disk_await();
	disk_continue();
	turn_until(s, &s->n_answers, 1);
	assert_int_equal(c[0].order, 1);
	turn(s);
	assert_int_equal(s->n_answers, 1); /* not before the first has ended */
	assert_column(s->w, ALLOWANCE, "3=1 5=0 9=0");
	send_phase(&c[0], MO_OP_CLEANUP);
	turn_until(s, &s->n_answers, 3);
	assert_int_equal(c[1].order, 3);
	assert_column(s->w, ALLOWANCE, "3=1 5=2 9=0");
	mo_service_overdue(s->w->service); /* the second is silent */
	turn_until(s, &s->n_answers, 4);
	assert_int_equal(c[2].order, 4);
	for (unsigned i = 0; i < CLIENTS; i++)
		assert_int_equal(c[i].error, MO_NO_ERROR);
	assert_column(s->w, ALLOWANCE, "3=1 5=2 9=3");
	send_phase(&c[1], MO_OP_UNDO);
	assert_int_equal(c[1].error, MO_UNDO_FAILED); /* too late */
	assert_column(s->w, ALLOWANCE, "3=1 5=2 9=3");
	slow_free(s);
}

/* Its UNDO comes before a COMMIT that waits. */
static void test_undo_comes_before_waiting_commits(void **state)
{
	struct slow *s = slow_new();
	struct client *c = s->clients;

	(void)state;
	disk_stop();
	send_set(&c[0], "3", "1");
	send_set(&c[1], "3", "2");
	disk_await();
	disk_continue();
	turn_until(s, &s->n_answers, 1);
	send_phase(&c[0], MO_OP_UNDO);
	turn_until(s, &s->n_answers, 3);
	assert_int_equal(c[0].order, 2);
	assert_int_equal(c[0].error, MO_NO_ERROR);
	assert_int_equal(c[1].order, 3);
	assert_int_equal(c[1].error, MO_NO_ERROR);
	assert_column(s->w, ALLOWANCE, "3=2 5=0 9=0");
	slow_free(s);
}

/* The client got no reply: its SET is undone. One that waits for its turn changes nothing. */
static void test_client_that_leaves_has_set_nothing(void **state)
{
	struct slow *s = slow_new();
	struct client *c = s->clients;
	struct log_capture log;

	(void)state;
	send_set(&c[0], "3", "33");
	turn_until(s, &s->n_answers, 1);
	send_phase(&c[0], MO_OP_CLEANUP);
	disk_stop();
	send_set(&c[0], "3", "77");
	send_set(&c[1], "5", "55");
	send_set(&c[2], "9", "99");
	disk_await();
	log = log_watch(LOG_LEVEL_WARN);
	leave(&c[0]);
	leave(&c[1]);
	disk_continue();
	turn_until(s, &s->n_answers, 3);
	log_expect(&log, "<4>prog: ctl: a client has left during its SET: the SET is undone\n");
	assert_int_equal(c[2].order, 3);
	assert_int_equal(c[2].error, MO_NO_ERROR);
	assert_column(s->w, ALLOWANCE, "3=33 5=0 9=99");
	end_clients(s);
	mo_world_reload(s->w);
	assert_column(s->w, ALLOWANCE, "3=33 5=0 9=99");
	slow_free(s);
}

static void test_request_before_the_reply_is_refused(void **state)
{
	uint8_t request[64], buf[1024];
	struct octets_out out = mo_world_request(request, sizeof(request), MO_OP_HELLO, 0);
	struct octets_out reply = octets_out(buf, sizeof(buf));
	struct slow *s = slow_new();
	struct client *c = &s->clients[0];

	(void)state;
	disk_stop();
	send_set(c, "3", "33");
	assert_false(mo_service_handle(c->session, request, out.len, &reply));
	assert_int_equal(buf[1], MO_OP_CLOSE | MO_MSG_REPLY);
	disk_continue();
	turn_until(s, &s->n_answers, 1);
	assert_int_equal(c->error, MO_NO_ERROR);
	slow_free(s);
}

/* --- saves that are no SET, and the end --------------------------------------------------- */

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

/* --- the control socket ------------------------------------------------------------------ */

static int dial(const char *path)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);

	snprintf(addr.sun_path, sizeof(addr.sun_path), "%s", path);
	assert_int_equal(connect(fd, (struct sockaddr *)&addr, sizeof(addr)), 0);
	return fd;
}

/* Sends a message about transaction 1; TEST sets the allowance of port 3. */
static void send_op(int fd, enum mo_msg_op op, uint32_t value)
{
	uint8_t buf[512];
	struct octets_out out = mo_world_request(buf, sizeof(buf), op, 0);
	const struct mo_table *table;
	const struct mo_column *col = mo_column_by_name(ALLOWANCE, &table);

	if (op != MO_OP_HELLO)
		octets_out_be32(&out, 1);
	if (op == MO_OP_TEST) {
		octets_out_be16(&out, 1);
		mo_msg_put_varbind(
		    &out, &(struct mo_varbind){.table = table->id,
					       .subid = col->subid,
					       .index = {.n = 1, .sub = {3}},
					       .value = {.syntax = col->syntax, .num = value}});
	}
	assert_int_equal(send(fd, buf, out.len, MSG_NOSIGNAL), out.len);
}

/* Returns the operation of the next message to the client, and the octet after its header. */
static uint8_t receive_op(struct slow *s, int fd, uint8_t *octet)
{
	int64_t start = now_ms();
	uint8_t buf[512];
	ssize_t n;

	do {
		turn(s);
		n = recv(fd, buf, sizeof(buf), MSG_DONTWAIT);
		poll(NULL, 0, n < 0);
	} while (n < 0 && now_ms() - start < DEADLINE_MS);
	assert_true(n > MO_MSG_HEADER);
	*octet = buf[MO_MSG_HEADER];
	return buf[1];
}

static void test_socket_is_served_while_the_disk_writes(void **state)
{
	struct slow *s = slow_new();
	char path[160], err[256];
	const struct ctl_server_config config = {.control = path};
	struct ctl_server *ctl;
	int setter, reader, leaver;
	uint8_t error;

	(void)state;
	snprintf(path, sizeof(path), "%s/control", s->w->dir);
	ctl = ctl_server_new(s->base, s->w->service, &config, err, sizeof(err));
	assert_non_null(ctl);
	setter = dial(path);
	reader = dial(path);
	leaver = dial(path);
	disk_stop();
	send_op(setter, MO_OP_TEST, 33);
	assert_int_equal(receive_op(s, setter, &error), MO_OP_TEST | MO_MSG_REPLY);
	send_op(setter, MO_OP_COMMIT, 0);
	send_op(setter, MO_OP_CLEANUP, 0); /* answered after COMMIT, in order */
	disk_await_turning(s);
	for (unsigned i = 0; i < 100; i++) {
		send_op(reader, MO_OP_HELLO, 0);
		assert_int_equal(receive_op(s, reader, &error), MO_OP_HELLO | MO_MSG_REPLY);
	}
	/* One more, which leaves while it waits. */
	send_op(leaver, MO_OP_TEST, 44);
	assert_int_equal(receive_op(s, leaver, &error), MO_OP_TEST | MO_MSG_REPLY);
	send_op(leaver, MO_OP_COMMIT, 0);
	turn(s);
	assert_int_equal(ctl_server_clients(ctl), 3);
	close(leaver);
	turn(s);
	assert_int_equal(ctl_server_clients(ctl), 2);
	assert_int_equal(recv(setter, &error, 1, MSG_DONTWAIT), -1);
	disk_continue();
	assert_int_equal(receive_op(s, setter, &error), MO_OP_COMMIT | MO_MSG_REPLY);
	assert_int_equal(error, MO_NO_ERROR);
	assert_int_equal(receive_op(s, setter, &error), MO_OP_CLEANUP | MO_MSG_REPLY);
	assert_column(s->w, ALLOWANCE, "3=33 5=0 9=0");
	close(setter);
	close(reader);
	ctl_server_free(ctl);
	slow_free(s);
}

/* The client leaves while its own SET is written, also with a request that was not read. */
static void test_client_that_closes_its_socket_has_set_nothing(void **state)
{
	(void)state;
	for (unsigned more = 0; more < 2; more++) {
		struct slow *s = slow_new();
		char path[160], err[256];
		const struct ctl_server_config config = {.control = path};
		struct ctl_server *ctl;
		uint8_t error;
		int fd;

		snprintf(path, sizeof(path), "%s/control", s->w->dir);
		ctl = ctl_server_new(s->base, s->w->service, &config, err, sizeof(err));
		assert_non_null(ctl);
		fd = dial(path);
		send_op(fd, MO_OP_TEST, 33);
		assert_int_equal(receive_op(s, fd, &error), MO_OP_TEST | MO_MSG_REPLY);
		disk_stop();
		send_op(fd, MO_OP_COMMIT, 0);
		if (more)
			send_op(fd, MO_OP_CLEANUP, 0);
		disk_await_turning(s);
		turn(s);
		close(fd);
		turn(s);
		disk_continue();
		while (ctl_server_clients(ctl) > 0)
			turn(s);
		ctl_server_free(ctl);
		mo_service_finish(s->w->service);
		assert_column(s->w, ALLOWANCE, "3=0 5=0 9=0");
		end_clients(s);
		mo_world_reload(s->w);
		assert_column(s->w, ALLOWANCE, "3=0 5=0 9=0");
		slow_free(s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_reads_go_on_while_the_disk_writes),
	    cmocka_unit_test(test_failed_write_refuses_the_set),
	    cmocka_unit_test(test_undo_waits_for_the_disk),
	    cmocka_unit_test(test_failed_commit_restores_the_file),
	    cmocka_unit_test(test_ports_come_and_go_while_the_disk_writes),
	    cmocka_unit_test(test_port_of_the_set_goes_while_the_disk_writes),
	    cmocka_unit_test(test_commits_wait_in_their_order),
	    cmocka_unit_test(test_undo_comes_before_waiting_commits),
	    cmocka_unit_test(test_client_that_leaves_has_set_nothing),
	    cmocka_unit_test(test_request_before_the_reply_is_refused),
	    cmocka_unit_test(test_save_waits_for_its_turn),
	    cmocka_unit_test(test_finish_waits_for_the_disk),
	    cmocka_unit_test(test_socket_is_served_while_the_disk_writes),
	    cmocka_unit_test(test_client_that_closes_its_socket_has_set_nothing),
	};

	log_init("test_slow_disk", LOG_LEVEL_ERROR, false);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
