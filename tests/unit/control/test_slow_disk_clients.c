/* SPDX-License-Identifier: BSD-3-Clause */
/* SETs of several clients and of the control socket while the disk writes. */
#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "control/ctl_server.h"
#include "lib/log.h"
#include "tests/unit/control/slow_disk.h"
#include "tests/unit/log_capture.h"
#include "tests/unit/mo_world.h"

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

/* Ends the session, and begins another for the client. */
static void leave(struct client *c)
{
	mo_session_free(c->session);
	c->session = mo_session_new(c->slow->w->service, MO_MAY_ALL);
	mo_session_listen(c->session, on_answer, c);
}

/* --- several clients ------------------------------------------------------------------- */

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

/* --- the control socket ---------------------------------------------------------------- */

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

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_commits_wait_in_their_order),
	    cmocka_unit_test(test_undo_comes_before_waiting_commits),
	    cmocka_unit_test(test_client_that_leaves_has_set_nothing),
	    cmocka_unit_test(test_request_before_the_reply_is_refused),
	    cmocka_unit_test(test_socket_is_served_while_the_disk_writes),
	    cmocka_unit_test(test_client_that_closes_its_socket_has_set_nothing),
	};

	log_init("test_slow_disk", LOG_LEVEL_ERROR, false);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
