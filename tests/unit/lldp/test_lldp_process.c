/* SPDX-License-Identifier: BSD-3-Clause */
/* Queues between dcbd and dcb-lldp in both directions; start and end of processes. */
#include "tests/unit/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lib/octets.h"
#include "lldp/process/lldp_requests.h"
#include "lldp/process/lldp_outbox.h"
#include "lldp/process/lldp_spawn.h"
#include "tests/unit/lldp_remote.h"

/* --- to dcb-lldp ----------------------------------------------------------------------------- */

struct sink {
	char text[512]; /* "SET swp1 2 TLVs 1500; FORGET swp1; " */
	unsigned room;  /* messages until the socket is full */
};

static bool take(void *ctx, const uint8_t *octets, size_t len)
{
	static struct lldp_msg m;
	struct sink *sink = ctx;
	char *end = sink->text + strlen(sink->text);
	size_t room = sizeof(sink->text) - strlen(sink->text);

	assert_null(lldp_msg_decode(octets, len, LLDP_MSG_FROM_DCBD, &m));
	if (sink->room == 0)
		return false;
	sink->room--;
	if (m.type == LLDP_MSG_DESCRIBE)
		snprintf(end, room, "bridge %d %s; ", m.system.bridge, m.system.management);
	else if (m.type == LLDP_MSG_SET)
		snprintf(end, room, "set %s %u %u; ", m.remote.ifname, m.remote.n_tlvs, m.mtu);
	else
		snprintf(end, room, "%s %s; ",
			 m.type == LLDP_MSG_FORGET    ? "forget"
			 : m.type == LLDP_MSG_REFRESH ? "refresh"
			 : m.recent                   ? "replay recent"
						      : "replay",
			 m.remote.ifname);
	return true;
}

/* What the owner of the TLVs has: of interface "a" and of "b". */
static struct {
	unsigned n;
	uint32_t mtu;
} owned[2];

static unsigned read_tlvs(void *ctx, const char *ifname, struct lldp_tlv *tlvs, uint32_t *mtu)
{
	static const struct lldp_tlv three[3] = {
	    {{0x00, 0x80, 0xc2}, 8, 2, {1, 2}},
	    {{0x00, 0x80, 0xc2}, 11, 2, {3, 4}},
	    {{0x00, 0x80, 0xc2}, 12, 1, {5}},
	};

	(void)ctx;
	memcpy(tlvs, three, sizeof(three));
	*mtu = owned[ifname[0] - 'a'].mtu;
	return owned[ifname[0] - 'a'].n;
}

static void expect_sent(struct lldp_requests *requests, unsigned room, bool all, const char *text)
{
	struct sink sink = {.room = room};

	assert_int_equal(lldp_requests_flush(requests, read_tlvs, take, &sink), all);
	assert_string_equal(sink.text, text);
}

static void set(struct lldp_requests *requests, const char *ifname, size_t n, uint32_t mtu)
{
	owned[ifname[0] - 'a'].n = (unsigned)n;
	owned[ifname[0] - 'a'].mtu = mtu;
	assert_true(lldp_requests_set(requests, ifname));
}

static void test_set_is_sent_once_with_the_last_tlvs(void **state)
{
	struct lldp_requests *requests = lldp_requests_new();

	(void)state;
	expect_sent(requests, 9, true, "");
	set(requests, "a", 1, 1500);
	set(requests, "b", 2, 0);
	set(requests, "a", 3, 9000);
	assert_true(lldp_requests_refresh(requests, "a"));
	assert_true(lldp_requests_refresh(requests, "a"));
	expect_sent(requests, 9, true, "set a 3 9000; refresh a; set b 2 0; ");
	expect_sent(requests, 9, true, "");
	set(requests, "a", 3, 1500);
	expect_sent(requests, 9, true, "set a 3 1500; ");
	lldp_requests_free(requests);
}

static void test_full_socket_keeps_order(void **state)
{
	struct lldp_requests *requests = lldp_requests_new();

	(void)state;
	set(requests, "a", 1, 0);
	assert_true(lldp_requests_refresh(requests, "a"));
	set(requests, "b", 1, 0);
	expect_sent(requests, 0, false, "");
	expect_sent(requests, 1, false, "set a 1 0; ");
	set(requests, "a", 2, 0);
	expect_sent(requests, 1, false, "set a 2 0; ");
	expect_sent(requests, 9, true, "refresh a; set b 1 0; ");
	lldp_requests_free(requests);
}

static void test_replay_of_all_covers_replay_of_recent(void **state)
{
	struct lldp_requests *requests = lldp_requests_new();

	(void)state;
	assert_true(lldp_requests_replay(requests, "a", true));
	expect_sent(requests, 9, true, "replay recent a; ");
	assert_true(lldp_requests_replay(requests, "a", true));
	assert_true(lldp_requests_replay(requests, "a", false));
	assert_true(lldp_requests_replay(requests, "a", true));
	expect_sent(requests, 9, true, "replay a; ");
	lldp_requests_free(requests);
}

/* A new process gets all sets again, but no refresh and no replay. */
static void test_new_process_gets_all_sets(void **state)
{
	struct lldp_requests *requests = lldp_requests_new();

	(void)state;
	set(requests, "a", 1, 0);
	set(requests, "b", 2, 0);
	assert_true(lldp_requests_replay(requests, "c", false));
	assert_true(lldp_requests_refresh(requests, "b"));
	expect_sent(requests, 2, false, "set a 1 0; set b 2 0; ");
	lldp_requests_resend(requests);
	expect_sent(requests, 9, true, "set a 1 0; set b 2 0; ");
	lldp_requests_resend(requests);
	expect_sent(requests, 9, true, "set a 1 0; set b 2 0; ");
	lldp_requests_free(requests);
}

/* The last description, before all else, so that the first LLDPDU with TLVs has it. */
static void test_description_is_sent_first(void **state)
{
	struct lldp_requests *requests = lldp_requests_new();

	(void)state;
	set(requests, "a", 1, 0);
	lldp_requests_describe(requests, &(struct lldp_system){true, "eth0"});
	expect_sent(requests, 0, false, "");
	lldp_requests_describe(requests, &(struct lldp_system){true, "eth1"});
	expect_sent(requests, 1, false, "bridge 1 eth1; ");
	expect_sent(requests, 9, true, "set a 1 0; ");
	lldp_requests_resend(requests);
	expect_sent(requests, 9, true, "bridge 1 eth1; set a 1 0; ");
	lldp_requests_free(requests);
}

/* If a process ends before it has removed TLVs, the next one gets the forget again. */
static void test_forget_is_resent_until_expired(void **state)
{
	struct lldp_requests *requests = lldp_requests_new();

	(void)state;
	set(requests, "a", 1, 0);
	expect_sent(requests, 9, true, "set a 1 0; ");
	assert_true(lldp_requests_forget(requests, "a", 100));
	expect_sent(requests, 9, true, "set a 0 0; forget a; ");
	lldp_requests_expire(requests, 100);
	lldp_requests_resend(requests);
	lldp_requests_expire(requests, 200); /* kept: not yet sent */
	expect_sent(requests, 9, true, "set a 0 0; forget a; ");
	lldp_requests_expire(requests, 101);
	lldp_requests_resend(requests);
	expect_sent(requests, 9, true, "");
	/* A set after a forget cancels it. */
	assert_true(lldp_requests_forget(requests, "a", 300));
	set(requests, "a", 1, 0);
	expect_sent(requests, 9, true, "set a 1 0; ");
	lldp_requests_expire(requests, 1000);
	lldp_requests_resend(requests);
	expect_sent(requests, 9, true, "set a 1 0; ");
	lldp_requests_free(requests);
}

/* --- to dcbd --------------------------------------------------------------------------------- */

static struct lldp_msg event_of(enum lldp_msg_type type, uint8_t address, uint32_t ttl)
{
	struct lldp_msg m = {.type = type, .remote = neighbor("swp1", address)};

	m.remote.ttl = ttl;
	return m;
}

static void put(struct lldp_outbox **box, const struct lldp_msg *m)
{
	assert_true(lldp_outbox_put(box, m));
}

static void expect_first(struct lldp_outbox **box, enum lldp_msg_type type, uint8_t address,
			 uint32_t ttl)
{
	static struct lldp_msg m;
	const uint8_t *octets;
	size_t len = lldp_outbox_first(*box, &octets);

	assert_true(len > 0);
	assert_null(lldp_msg_decode(octets, len, LLDP_MSG_FROM_PROCESS, &m));
	assert_int_equal(m.type, type);
	assert_int_equal(m.remote.port.octets[5], address);
	assert_int_equal(m.remote.ttl, ttl);
	lldp_outbox_drop_first(box);
}

static void expect_none(struct lldp_outbox *box)
{
	const uint8_t *octets;

	assert_int_equal(lldp_outbox_first(box, &octets), 0);
}

static void test_outbox_keeps_last_event_of_each_neighbor(void **state)
{
	const struct lldp_msg one = event_of(LLDP_MSG_REMOTE, 1, 10);
	const struct lldp_msg two = event_of(LLDP_MSG_REMOTE, 2, 20);
	const struct lldp_msg later = event_of(LLDP_MSG_REMOTE, 1, 30);
	const struct lldp_msg gone = event_of(LLDP_MSG_GONE, 2, 0);
	struct lldp_outbox *box = NULL;

	(void)state;
	expect_none(box);
	lldp_outbox_drop_first(&box);
	put(&box, &one);
	put(&box, &two);
	put(&box, &later);
	put(&box, &gone);
	expect_first(&box, LLDP_MSG_REMOTE, 1, 30);
	put(&box, &one);
	expect_first(&box, LLDP_MSG_GONE, 2, 0);
	expect_first(&box, LLDP_MSG_REMOTE, 1, 10);
	expect_none(box);
}

static void test_lost_connection_clears_outbox(void **state)
{
	const struct lldp_msg connected = {.type = LLDP_MSG_STATE, .state = LLDP_CONNECTED};
	const struct lldp_msg connecting = {.type = LLDP_MSG_STATE, .state = LLDP_CONNECTING};
	const struct lldp_msg all_reported = {.type = LLDP_MSG_ALL_REPORTED};
	const struct lldp_msg one = event_of(LLDP_MSG_REMOTE, 1, 10);
	struct lldp_outbox *box = NULL;

	(void)state;
	put(&box, &connected);
	put(&box, &one);
	put(&box, &all_reported);
	put(&box, &connecting);
	put(&box, &connected);
	put(&box, &all_reported);
	expect_first(&box, LLDP_MSG_STATE, 0, 0);
	expect_first(&box, LLDP_MSG_STATE, 0, 0);
	expect_first(&box, LLDP_MSG_ALL_REPORTED, 0, 0);
	expect_none(box);
	put(&box, &one);
	lldp_outbox_clear(&box);
	assert_null(box);
}

/* --- processes ------------------------------------------------------------------------------- */

/* Runs a shell command with one end of the pair, and sets how it ended. */
static void run(const char *command, char *how, size_t howlen, bool *failed)
{
	const char *argv[] = {"/bin/sh", "-c", command, NULL};
	const struct timespec interval = {0, 1000000};
	struct lldp_spawned child;

	assert_true(lldp_spawn(argv, &child));
	while (!lldp_spawn_ended(child.pid, how, howlen, failed))
		nanosleep(&interval, NULL);
	close(child.fd);
}

static void expect_end(const char *command, const char *how, bool failed)
{
	char end[96];
	bool is_failed;

	run(command, end, sizeof(end), &is_failed);
	assert_int_equal(strncmp(end, how, strlen(how)), 0);
	assert_int_equal(is_failed, failed);
}

static void test_end_of_child_is_reported(void **state)
{
	(void)state;
	expect_end("exit 0", "ended with status 0", false);
	expect_end("exit 7", "ended with status 7", true);
	expect_end("ulimit -c 0; kill -SEGV $$", "ended by signal 11 (", true);
	expect_end("kill -KILL $$", "ended by signal 9 (", false);
}

static void test_child_inherits_no_other_descriptor(void **state)
{
	const char *argv[] = {"/bin/sh", "-c", "echo /proc/self/fd/* >&3; cat <&3 >&3", NULL};
	char text[128] = "", how[96];
	int left_open = fcntl(STDIN_FILENO, F_DUPFD, 10);
	const struct timespec interval = {0, 1000000};
	struct lldp_spawned child;
	bool failed;

	(void)state;
	assert_true(left_open >= 10);
	assert_true(lldp_spawn(argv, &child));
	while (recv(child.fd, text, sizeof(text) - 1, 0) < 0)
		assert_int_equal(errno, EAGAIN);
	/* 4: the directory, if the shell expands the pattern itself. */
	text[strcspn(text, "\n")] = '\0';
	if (strcmp(text, "/proc/self/fd/0 /proc/self/fd/1 /proc/self/fd/2 /proc/self/fd/3") != 0)
		assert_string_equal(text,
				    "/proc/self/fd/0 /proc/self/fd/1 /proc/self/fd/2 "
				    "/proc/self/fd/3 /proc/self/fd/4");
	close(left_open);
	close(child.fd);
	while (!lldp_spawn_ended(child.pid, how, sizeof(how), &failed))
		nanosleep(&interval, NULL);
}

/* posix_spawn() reports the error through memory that it shares with the child. */
static void test_missing_program_fails(void **state)
{
	const char *argv[] = {"/nowhere/dcb-lldp", NULL};
	const struct timespec interval = {0, 1000000};
	struct lldp_spawned child;
	char how[128];
	bool failed;

	(void)state;
	if (lldp_spawn(argv, &child)) {
		close(child.fd);
		while (!lldp_spawn_ended(child.pid, how, sizeof(how), &failed))
			nanosleep(&interval, NULL);
		print_message("a new process does not share memory with its parent\n");
		skip();
	}
	assert_int_equal(errno, ENOENT);
}

static void test_program_beside_this_one(void **state)
{
	char path[256], small[8];

	(void)state;
	assert_true(lldp_spawn_beside("x", path, sizeof(path)));
	assert_int_equal(path[0], '/');
	assert_string_equal(strrchr(path, '/'), "/x");
	assert_false(lldp_spawn_beside("x", small, sizeof(small)));
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_set_is_sent_once_with_the_last_tlvs),
	    cmocka_unit_test(test_full_socket_keeps_order),
	    cmocka_unit_test(test_replay_of_all_covers_replay_of_recent),
	    cmocka_unit_test(test_description_is_sent_first),
	    cmocka_unit_test(test_new_process_gets_all_sets),
	    cmocka_unit_test(test_forget_is_resent_until_expired),
	    cmocka_unit_test(test_outbox_keeps_last_event_of_each_neighbor),
	    cmocka_unit_test(test_lost_connection_clears_outbox),
	    cmocka_unit_test(test_end_of_child_is_reported),
	    cmocka_unit_test(test_child_inherits_no_other_descriptor),
	    cmocka_unit_test(test_missing_program_fails),
	    cmocka_unit_test(test_program_beside_this_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
