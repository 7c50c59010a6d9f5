/* SPDX-License-Identifier: BSD-3-Clause */
/* The notifier against a socket of dcbd that the test serves; time is an argument. */
#include "agent/notifier.h"

#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "lib/log.h"
#include "lib/octets.h"
#include "tests/unit/unit.h"

#define BOOT_ID 7
#define NOW     1000000 /* ms */

struct world {
	char dir[64], path[96], view[96];
	int listener, dcbd; /* dcbd: its end of the connection; -1: none */
	struct notifier *notifier;
	int64_t now;
};

static enum notifier_sending sending; /* the answer of send_event() */
static unsigned sent;
static uint32_t ticket;
static uint64_t number;
static int watched;
static unsigned n_ended, n_back;
static uint32_t answered; /* boot id of the dcbd that answered a request last */

static enum notifier_sending send_event(const struct mo_event *ev, uint32_t t)
{
	sent++;
	ticket = t;
	number = ev->number;
	return sending;
}

static void watch(int fd)
{
	watched = fd;
}

static void on_ended(bool ended)
{
	n_ended += ended;
	n_back += !ended;
}

static uint32_t boot_id(void)
{
	return answered;
}

static int setup(void **state)
{
	static const struct notifier_ops ops = {
	    .send = send_event, .watch = watch, .ended = on_ended, .boot_id = boot_id};
	static struct world w;
	struct sockaddr_un sa = {.sun_family = AF_UNIX};

	w = (struct world){.dir = "/tmp/dcb-test-XXXXXX", .dcbd = -1, .now = NOW};
	assert_non_null(mkdtemp(w.dir));
	snprintf(w.path, sizeof(w.path), "%s/control", w.dir);
	strcpy(sa.sun_path, w.path);
	w.listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0);
	assert_int_equal(bind(w.listener, (struct sockaddr *)&sa, sizeof(sa)), 0);
	assert_int_equal(listen(w.listener, 4), 0);
	log_level = LOG_LEVEL_ERROR;
	sending = NOTIFIER_PENDING;
	sent = 0;
	watched = -1;
	n_ended = n_back = 0;
	answered = 0;
	snprintf(w.view, sizeof(w.view), "%s/view", w.dir);
	w.notifier = notifier_new(w.path, w.view, &ops);
	*state = &w;
	return w.notifier ? 0 : -1;
}

static int teardown(void **state)
{
	struct world *w = *state;

	notifier_free(w->notifier);
	assert_int_equal(watched, -1);
	close(w->listener);
	if (w->dcbd >= 0)
		close(w->dcbd);
	unlink(w->path);
	rmdir(w->dir);
	return 0;
}

static int64_t run(struct world *w)
{
	return notifier_run(w->notifier, w->now);
}

/* Receives a message of this operation; *in: its body. */
static void expect(struct world *w, enum mo_msg_op op, uint8_t *buf, size_t size,
		   struct octets_in *in)
{
	ssize_t n = recv(w->dcbd, buf, size, MSG_DONTWAIT);
	struct mo_msg_header h;

	assert_true(n > 0);
	*in = octets_in(buf, (size_t)n);
	assert_true(mo_msg_get_header(in, &h));
	assert_int_equal(h.op, op);
}

static void answer_subscription(struct world *w, uint32_t boot_id, uint64_t first)
{
	uint8_t buf[64];
	struct octets_out out = octets_out(buf, sizeof(buf));

	mo_msg_put_header(&out, &(struct mo_msg_header){.op = MO_OP_SUBSCRIBE | MO_MSG_REPLY});
	octets_out_be32(&out, boot_id);
	octets_out_be64(&out, first);
	assert_int_equal(send(w->dcbd, buf, out.len, 0), out.len);
}

/* Accepts the notifier's connection, and answers its subscription. */
static void serve(struct world *w, uint32_t boot_id, uint64_t first)
{
	struct octets_in in;
	uint8_t buf[64];

	w->dcbd = accept(w->listener, NULL, NULL);
	assert_true(w->dcbd >= 0);
	expect(w, MO_OP_SUBSCRIBE, buf, sizeof(buf), &in);
	assert_int_equal(octets_in_u8(&in), MO_SUBSCRIBE_NOTIFIER);
	answer_subscription(w, boot_id, first);
	assert_true(watched >= 0);
	notifier_read(w->notifier);
	run(w);
}

static void start(struct world *w)
{
	run(w);
	serve(w, BOOT_ID, 1);
	notifier_resume(w->notifier);
	run(w);
}

static void send_number(struct world *w, uint64_t n, uint8_t flags)
{
	struct mo_event ev = {.number = n, .mono_ms = NOW, .flags = flags};
	uint8_t buf[256];
	struct octets_out out = octets_out(buf, sizeof(buf));

	mo_msg_put_header(&out, &(struct mo_msg_header){.op = MO_OP_EVENT | MO_MSG_REPLY});
	mo_msg_put_event(&out, &ev);
	assert_int_equal(send(w->dcbd, buf, out.len, 0), out.len);
	assert_true(watched >= 0);
	notifier_read(w->notifier);
}

static void expect_ack(struct world *w, uint64_t n)
{
	struct octets_in in;
	uint8_t buf[64];

	expect(w, MO_OP_ACK, buf, sizeof(buf), &in);
	assert_int_equal(octets_in_be64(&in), n);
}

static void expect_silence(struct world *w)
{
	uint8_t buf[64];

	assert_true(recv(w->dcbd, buf, sizeof(buf), MSG_DONTWAIT) < 0);
}

static void test_event_is_acknowledged_after_its_result(void **state)
{
	struct world *w = *state;

	start(w);
	send_number(w, 1, MO_EVENT_NOTIFY);
	assert_int_equal(run(w), INT64_MAX);
	assert_int_equal(sent, 1);
	assert_int_equal(number, 1);
	assert_int_equal(watched, -1); /* the next one waits in dcbd */
	expect_silence(w);
	notifier_done(w->notifier, ticket + 1, NOTIFIER_SENT);
	expect_silence(w);
	notifier_done(w->notifier, ticket, NOTIFIER_SENT);
	expect_ack(w, 1);
	run(w);
	assert_true(watched >= 0);
}

static void test_event_that_is_taken_is_acknowledged_at_once(void **state)
{
	struct world *w = *state;

	start(w);
	sending = NOTIFIER_TAKEN;
	for (uint64_t n = 1; n <= 3; n++) {
		send_number(w, n, MO_EVENT_NOTIFY);
		run(w);
		assert_int_equal(sent, n);
		expect_ack(w, n);
	}
}

static void test_event_that_is_no_notification_is_only_acknowledged(void **state)
{
	struct world *w = *state;

	start(w);
	send_number(w, 1, 0);
	expect_ack(w, 1);
	run(w);
	assert_int_equal(sent, 0);
}

static void test_busy_sender_is_asked_again_after_a_second(void **state)
{
	struct world *w = *state;

	start(w);
	sending = NOTIFIER_BUSY;
	send_number(w, 1, MO_EVENT_NOTIFY);
	assert_int_equal(run(w), w->now + 1000);
	assert_int_equal(run(w), w->now + 1000);
	assert_int_equal(sent, 1);
	w->now += 1000;
	sending = NOTIFIER_TAKEN;
	assert_int_equal(run(w), INT64_MAX);
	assert_int_equal(sent, 2);
	expect_ack(w, 1);
}

static void test_event_waits_for_a_session(void **state)
{
	struct world *w = *state;

	start(w);
	notifier_suspend(w->notifier);
	send_number(w, 1, MO_EVENT_NOTIFY);
	run(w);
	assert_int_equal(sent, 0);
	notifier_resume(w->notifier);
	run(w);
	assert_int_equal(sent, 1);
}

static void test_unconfirmed_event_is_given_up_after_the_last_try(void **state)
{
	struct world *w = *state;

	start(w);
	send_number(w, 1, MO_EVENT_NOTIFY);
	for (unsigned i = 1; i <= NOTIFIER_TRIES; i++) {
		run(w);
		assert_int_equal(sent, i);
		expect_silence(w);
		notifier_done(w->notifier, ticket, NOTIFIER_TIMEOUT);
		run(w);
		w->now += 1000;
	}
	expect_ack(w, 1);
}

static void test_stale_event_is_discarded(void **state)
{
	struct world *w = *state;

	start(w);
	w->now += NOTIFIER_AGE_MS + 1;
	send_number(w, 1, MO_EVENT_NOTIFY);
	run(w);
	assert_int_equal(sent, 0);
	expect_ack(w, 1);
}

static void test_lost_connection_is_made_again_after_a_second(void **state)
{
	struct world *w = *state;

	start(w);
	close(w->dcbd);
	notifier_read(w->notifier);
	assert_int_equal(watched, -1);
	assert_int_equal(run(w), w->now + 1000);
	w->now += 1000;
	run(w);
	serve(w, BOOT_ID + 1, 1);
	sending = NOTIFIER_TAKEN;
	send_number(w, 1, MO_EVENT_NOTIFY);
	run(w);
	expect_ack(w, 1);
}

static void test_event_of_a_former_dcbd_is_not_acknowledged(void **state)
{
	struct world *w = *state;

	start(w);
	send_number(w, 1, MO_EVENT_NOTIFY);
	run(w);
	close(w->dcbd);
	w->now += 1000;
	run(w); /* not watched while an event is sent: the loss shows later */
	notifier_done(w->notifier, ticket, NOTIFIER_SENT);
	run(w);
	notifier_read(w->notifier);
	run(w);
	w->now += 1000;
	run(w);
	serve(w, BOOT_ID + 1, 1);
	expect_silence(w);
}

static void test_subscription_without_answer_is_given_up(void **state)
{
	struct world *w = *state;
	int64_t next = run(w);

	assert_int_equal(next, w->now + 5000);
	w->now = next;
	assert_int_equal(run(w), w->now + 1000);
	assert_int_equal(watched, -1);
}

static void test_absent_dcbd_is_tried_every_second(void **state)
{
	struct world *w = *state;

	unlink(w->path);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(run(w), w->now + 1000);
		w->now += 1000;
	}
}

static int listen_at(const char *path)
{
	struct sockaddr_un sa = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0);

	snprintf(sa.sun_path, sizeof(sa.sun_path), "%s", path);
	unlink(path);
	assert_int_equal(bind(fd, (struct sockaddr *)&sa, sizeof(sa)), 0);
	assert_int_equal(listen(fd, 4), 0);
	return fd;
}

/* Runs for this time, in steps of a second, as the notifier asks for. */
static void run_for(struct world *w, unsigned ms)
{
	for (unsigned i = 0; i < ms / 1000; i++) {
		run(w);
		w->now += 1000;
	}
	run(w);
}

/* Not during a short restart, nor while dcbd is slow: it is at its sockets. */
static void test_dcbd_has_ended_after_some_seconds_without_it(void **state)
{
	struct world *w = *state;

	run_for(w, 60000); /* it has not answered the subscription */
	assert_int_equal(n_ended, 0);
	close(w->listener); /* refused */
	run_for(w, 3000);
	w->listener = listen_at(w->path);
	run_for(w, 10000);
	assert_int_equal(n_ended, 0);
	close(w->listener);
	unlink(w->path); /* no socket */
	run_for(w, 30000);
	assert_int_equal(n_ended, 1);
	assert_int_equal(n_back, 0);
	w->listener = listen_at(w->path);
	run_for(w, 1000);
	assert_int_equal(n_ended, 1);
	assert_int_equal(n_back, 1);
}

static void test_dcbd_that_serves_its_view_socket_has_not_ended(void **state)
{
	struct world *w = *state;
	int view = listen_at(w->view);

	close(w->listener);
	for (unsigned i = 0; i < 20; i++) {
		run_for(w, 1000);
		close(accept(view, NULL, NULL));
	}
	assert_int_equal(n_ended, 0);
	close(view);
	run_for(w, 10000);
	assert_int_equal(n_ended, 1);
	unlink(w->view);
	w->listener = listen_at(w->path);
}

/* A dcbd that lives for less than the second between two attempts is seen by its answers. */
static void test_dcbd_that_answers_requests_has_not_ended(void **state)
{
	struct world *w = *state;

	close(w->listener);
	for (answered = 1; answered < 20; answered++)
		run_for(w, 3000);
	assert_int_equal(n_ended, 0);
	run_for(w, 5000);
	assert_int_equal(n_ended, 1);
	answered++; /* the answers of a dcbd that ended again at once */
	run_for(w, 1000);
	assert_int_equal(n_back, 1);
	run_for(w, 5000);
	assert_int_equal(n_ended, 2);
	unlink(w->path);
	w->listener = listen_at(w->path);
}

UNIT_MAIN
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
	    TEST(test_event_is_acknowledged_after_its_result),
	    TEST(test_event_that_is_taken_is_acknowledged_at_once),
	    TEST(test_event_that_is_no_notification_is_only_acknowledged),
	    TEST(test_busy_sender_is_asked_again_after_a_second),
	    TEST(test_event_waits_for_a_session),
	    TEST(test_unconfirmed_event_is_given_up_after_the_last_try),
	    TEST(test_stale_event_is_discarded),
	    TEST(test_lost_connection_is_made_again_after_a_second),
	    TEST(test_event_of_a_former_dcbd_is_not_acknowledged),
	    TEST(test_subscription_without_answer_is_given_up),
	    TEST(test_absent_dcbd_is_tried_every_second),
	    TEST(test_dcbd_has_ended_after_some_seconds_without_it),
	    TEST(test_dcbd_that_serves_its_view_socket_has_not_ended),
	    TEST(test_dcbd_that_answers_requests_has_not_ended),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
