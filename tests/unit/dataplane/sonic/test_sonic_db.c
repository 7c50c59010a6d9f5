/* SPDX-License-Identifier: BSD-3-Clause */
/* Connections to a redis-server, and to a server that breaks the protocol. */
#include "dataplane/sonic/sonic_db.h"
#include "tests/unit/dataplane/sonic/redis_server.h"
#include "tests/unit/unit.h"

#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <sys/eventfd.h>

#define PATIENT_MS 20000
#define TIMEOUT_MS 300

static struct redis redis;
static struct sonic_db *db;
static char err[SONIC_DB_ERROR];
static uint32_t timeout_ms = PATIENT_MS;

static struct sonic_db *open_as(const char *password)
{
	const struct sonic_db_params params = {.socket = redis.socket,
					       .number = 2,
					       .password = password,
					       .timeout_ms = timeout_ms,
					       .stop_fd = -1};

	return sonic_db_open(&params, err, sizeof(err));
}

static int begin(void **state)
{
	(void)state;
	timeout_ms = PATIENT_MS;
	redis_start(&redis);
	db = open_as(NULL);
	return db ? 0 : -1;
}

/* Opens it with a short timeout, which this itself can exceed on a busy machine. */
static void hurry(void)
{
	timeout_ms = TIMEOUT_MS;
	sonic_db_close(db);
	do
		db = open_as(NULL);
	while (!db);
}

static int end(void **state)
{
	(void)state;
	sonic_db_close(db);
	db = NULL;
	redis_stop(&redis);
	return 0;
}

/* What answers said: each value in a pair of brackets, those of an answer in a line. */
static char said[65536];

static void take(void *arg, unsigned i, const struct sonic_reply *reply)
{
	size_t at = strlen(said);

	(void)arg;
	at += (size_t)snprintf(said + at, sizeof(said) - at, "%u", i);
	for (unsigned v = 0; v < reply->n; v++)
		at += (size_t)snprintf(said + at, sizeof(said) - at, "[%s]",
				       reply->values[v] ? reply->values[v] : "NULL");
	snprintf(said + at, sizeof(said) - at, "\n");
}

#define WORDS(...)                          \
	(const char *const[]){__VA_ARGS__}, \
	    sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *)

static void add(struct sonic_commands *c, const char *const words[], size_t n)
{
	assert_true(sonic_commands_add(c, (unsigned)n, words));
}

/* Runs one command. */
static bool run(const char *const words[], size_t n)
{
	struct sonic_commands *c = sonic_commands_new();
	bool ok;

	said[0] = '\0';
	add(c, words, n);
	ok = sonic_db_run(db, c, take, NULL);
	sonic_commands_free(c);
	return ok;
}

/* Returns what a failure of the database on this socket is called. */
static const char *text_of(const char *what)
{
	static char text[256];

	snprintf(text, sizeof(text), "redis at %s: %s", redis.socket, what);
	return text;
}

static void test_commands_are_answered_in_order(void **state)
{
	struct sonic_commands *c = sonic_commands_new();

	(void)state;
	redis_run(&redis,
		  "SELECT 2\nHSET row a 1 b 2\nHSET odd a \"x\\ny\\x00\\xff\"\nSELECT 4\n"
		  "HSET row a other\n");
	add(c, WORDS("HMGET", "row", "b", "none", "a"));
	add(c, WORDS("HGETALL", "none"));
	add(c, WORDS("HGETALL", "odd"));
	add(c, WORDS("HLEN", "row"));
	assert_int_equal(sonic_commands_count(c), 4);
	for (unsigned i = 0; i < 2; i++) {
		said[0] = '\0';
		assert_true(sonic_db_run(db, c, take, NULL));
		assert_string_equal(said, "0[2][NULL][1]\n1\n2[a][x?y??]\n3[2]\n");
	}
	sonic_commands_free(c);
}

/* More octets than the buffers of a socket hold, in both directions. */
static void test_many_commands_at_once(void **state)
{
	struct sonic_commands *c = sonic_commands_new();
	static char value[2000];
	char text[2200];
	(void)state;
	memset(value, 'v', sizeof(value) - 1);
	snprintf(text, sizeof(text), "SELECT 2\nHSET row a %s\n", value);
	redis_run(&redis, text);
	for (unsigned i = 0; i < 5000; i++)
		add(c, WORDS("HGET", "row", i % 2 ? "a" : value));
	assert_true(sonic_db_run(db, c, NULL, NULL));
	sonic_commands_free(c);
}

static void test_error_in_the_middle_fails(void **state)
{
	struct sonic_commands *c = sonic_commands_new();

	(void)state;
	redis_run(&redis, "SELECT 2\nHSET a x 1\nSET b string\nHSET c x 1\n");
	add(c, WORDS("HGETALL", "a"));
	add(c, WORDS("HGETALL", "b"));
	add(c, WORDS("HGETALL", "c"));
	said[0] = '\0';
	assert_false(sonic_db_run(db, c, take, NULL));
	assert_string_equal(said, "0[x][1]\n");
	assert_string_equal(
	    sonic_db_error(db),
	    text_of("HGETALL b: WRONGTYPE Operation against a key holding the wrong "
		    "kind of value"));
	/* It stays so: answers are outstanding. */
	assert_false(sonic_db_run(db, c, take, NULL));
	assert_string_equal(said, "0[x][1]\n");
	sonic_commands_free(c);
}

static void test_password(void **state)
{
	(void)state;
	redis_run(&redis, "CONFIG SET requirepass secret\n");
	redis.password = "secret";
	assert_null(open_as(NULL));
	assert_string_equal(err, text_of("SELECT 2: NOAUTH Authentication required.; expected a "
					 "password: sonic.password_file"));
	assert_null(open_as("guess"));
	/* The text does not have the password. */
	assert_string_equal(err,
			    text_of("AUTH: WRONGPASS invalid username-password pair or user is "
				    "disabled."));
	sonic_db_close(db);
	db = open_as("secret");
	assert_non_null(db);
	assert_true(run(WORDS("PING")));
}

static void test_missing_permission(void **state)
{
	(void)state;
	redis_run(&redis, "ACL SETUSER default -hgetall\n");
	assert_false(run(WORDS("HGETALL", "row")));
	assert_non_null(strstr(sonic_db_error(db), "HGETALL row: NOPERM "));
	assert_non_null(strstr(sonic_db_error(db), "expected that the user may read"));
}

static int64_t passed_ms(struct dcb_time since)
{
	return dcb_time_diff_ns(clock_now(), since) / DCB_NS_PER_MS;
}

static void test_killed_server(void **state)
{
	(void)state;
	redis_kill(&redis);
	assert_false(run(WORDS("PING")));
	assert_null(open_as(NULL));
	assert_string_equal(err, text_of("Connection refused"));
	unlink(redis.socket);
	assert_null(open_as(NULL));
	assert_string_equal(err, text_of("No such file or directory"));
}

/* A stopped process accepts connections, and does not answer. */
static void test_stopped_server_costs_the_timeout(void **state)
{
	struct dcb_time at;

	(void)state;
	hurry();
	at = clock_now();
	kill(redis.pid, SIGSTOP);
	assert_false(run(WORDS("PING")));
	assert_string_equal(sonic_db_error(db), text_of("no answer within 300 ms"));
	assert_true(passed_ms(at) >= TIMEOUT_MS);
	assert_null(open_as(NULL));
	assert_string_equal(err, text_of("no answer within 300 ms"));
	kill(redis.pid, SIGCONT);
	hurry();
}

/* Commands that a stopped process does not even read. */
static void test_full_socket_costs_the_timeout(void **state)
{
	struct sonic_commands *c = sonic_commands_new();
	static char value[65536];

	(void)state;
	memset(value, 'v', sizeof(value) - 1);
	for (unsigned i = 0; i < 64; i++)
		add(c, WORDS("HGET", "row", value));
	hurry();
	kill(redis.pid, SIGSTOP);
	assert_false(sonic_db_run(db, c, NULL, NULL));
	assert_string_equal(sonic_db_error(db), text_of("no answer within 300 ms"));
	kill(redis.pid, SIGCONT);
	sonic_commands_free(c);
}

static void test_stop_ends_an_exchange(void **state)
{
	const struct sonic_db_params params = {
	    .socket = redis.socket, .timeout_ms = 60000, .stop_fd = eventfd(1, EFD_CLOEXEC)};

	(void)state;
	kill(redis.pid, SIGSTOP);
	assert_null(sonic_db_open(&params, err, sizeof(err)));
	assert_string_equal(err, text_of("stopped"));
	kill(redis.pid, SIGCONT);
	close(params.stop_fd);
}

/* --- scanning ------------------------------------------------------------------------------ */

static bool seen[3000];
static unsigned n_seen;

static bool take_key(void *arg, const char *key)
{
	unsigned number;

	(void)arg;
	assert_int_equal(sscanf(key, "KEY|%u", &number), 1);
	assert_true(number < UNIT_COUNT(seen));
	n_seen += !seen[number];
	seen[number] = true;
	return n_seen < UNIT_COUNT(seen) - 1;
}

static void test_scan_finds_all_keys(void **state)
{
	(void)state;
	redis_run(&redis,
		  "SELECT 2\n"
		  "EVAL \"for i=0,2998 do redis.call('SET','KEY|'..i,'v') "
		  "redis.call('SET','OTHER|'..i,'v') end\" 0\n");
	memset(seen, 0, sizeof(seen));
	n_seen = 0;
	/* It ends when the caller wants no more. */
	(void)sonic_db_scan(db, "KEY|*", take_key, NULL);
	assert_int_equal(n_seen, 2999);
	n_seen = 0;
	memset(seen, 0, sizeof(seen));
	redis_run(&redis, "SELECT 2\nDEL KEY|7\n");
	assert_true(sonic_db_scan(db, "KEY|*", take_key, NULL));
	assert_int_equal(n_seen, 2998);
	assert_true(run(WORDS("PING")));
}

/* --- messages ------------------------------------------------------------------------------ */

/* Waits for a message. */
static void await(const char *channel, const char *text)
{
	struct pollfd fd = {.fd = sonic_db_fd(db), .events = POLLIN};
	const char *got_channel, *got_text;
	int got;

	while ((got = sonic_db_message(db, &got_channel, &got_text)) == 0)
		assert_int_equal(poll(&fd, 1, 20000), 1);
	assert_int_equal(got, 1);
	assert_string_equal(got_channel, channel);
	assert_string_equal(got_text, text);
}

static void test_messages_of_channels_and_patterns(void **state)
{
	static const char *const channels[] = {"A", "B"};
	static const char *const patterns[] = {"__keyspace@4__:*"};
	const char *channel, *text;

	(void)state;
	assert_true(sonic_db_subscribe(db, 2, channels, 1, patterns));
	assert_int_equal(sonic_db_message(db, &channel, &text), 0);
	redis_run(&redis,
		  "PUBLISH A one\nPUBLISH C two\nSELECT 4\nHSET PORT|x a 1\nPUBLISH B three\n");
	await("A", "one");
	await("__keyspace@4__:PORT|x", "hset");
	await("B", "three");
	/* They need no more memory the more of them there are. */
	redis_run(&redis, "EVAL \"for i=1,100000 do redis.call('PUBLISH','A','x') end\" 0\n");
	for (unsigned i = 0; i < 100000; i++)
		await("A", "x");
	assert_int_equal(sonic_db_message(db, &channel, &text), 0);
	redis_kill(&redis);
	for (;;) {
		struct pollfd fd = {.fd = sonic_db_fd(db), .events = POLLIN};

		assert_int_equal(poll(&fd, 1, 20000), 1);
		if (sonic_db_message(db, &channel, &text) < 0)
			break;
	}
	assert_string_equal(sonic_db_error(db), text_of("it closed the connection"));
}

static void test_subscription_without_permission(void **state)
{
	static const char *const channels[] = {"A"};

	(void)state;
	redis_run(&redis, "ACL SETUSER default resetchannels\n");
	assert_false(sonic_db_subscribe(db, 1, channels, 0, NULL));
	assert_non_null(strstr(sonic_db_error(db), "SUBSCRIBE A: NOPERM "));
}

/* --- a server that breaks the protocol ----------------------------------------------------- */

struct liar {
	int listener;
	const char *answer; /* after +OK for SELECT */
	unsigned more;      /* pieces of 64 KiB behind it */
	bool slowly;        /* an octet every 50 ms */
};

static bool say(int to, const char *octets, size_t len)
{
	return send(to, octets, len, MSG_NOSIGNAL) == (ssize_t)len;
}

/* Begins an answer, and goes on with it until the far end closes. */
static void say_slowly(int to, const char *octets)
{
	static const char value[] = "$1\r\nv\r\n";

	for (bool ok = say(to, octets, strlen(octets)); ok;)
		for (size_t i = 0; i + 1 < sizeof(value) && ok; i++) {
			ok = say(to, &value[i], 1);
			usleep(50000);
		}
}

/* The far end closing ends it. */
static void *lie(void *arg)
{
	const struct liar *l = arg;
	int to = accept4(l->listener, NULL, NULL, SOCK_CLOEXEC);
	static char piece[65536];
	char octets[256];
	bool ok = recv(to, octets, sizeof(octets), 0) > 0 && say(to, "+OK\r\n", 5) &&
		  recv(to, octets, sizeof(octets), 0) > 0;

	memset(piece, 'v', sizeof(piece));
	if (ok && l->slowly)
		say_slowly(to, l->answer);
	else
		ok = ok && say(to, l->answer, strlen(l->answer));
	for (unsigned i = 0; i < l->more && ok; i++)
		ok = say(to, piece, sizeof(piece));
	while (recv(to, octets, sizeof(octets), 0) > 0)
		;
	close(to);
	return NULL;
}

static void listen_as(struct liar *l)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};

	snprintf(redis.dir, sizeof(redis.dir), "/tmp/dcb-redis-XXXXXX");
	assert_non_null(mkdtemp(redis.dir));
	snprintf(redis.socket, sizeof(redis.socket), "%s/socket", redis.dir);
	memcpy(at.sun_path, redis.socket, sizeof(redis.socket));
	l->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(bind(l->listener, (struct sockaddr *)&at, sizeof(at)), 0);
	assert_int_equal(listen(l->listener, 4), 0);
}

static void test_answers_that_break_the_protocol_fail(void **state)
{
	static const struct {
		const char *answer;
		unsigned more;
		const char *error;
	} rows[] = {
	    {"*1000000000\r\n", 0, "an answer has more than 262144 values or 16777216 octets"},
	    {"*2\r\n*262144\r\n", 1, "Protocol error, got \"v\" as reply type byte"},
	    {"!", 0, "Protocol error, got \"!\" as reply type byte"},
	    {"*2\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n", 0, NULL},
	    {"$-7\r\n", 0, NULL},
	    {"", 300, "Protocol error, got \"v\" as reply type byte"},
	    {"$500000000\r\n", 300, "an answer has more than 16777216 octets"},
	    {"*2\r\n$15000000\r\n", 300, NULL}, /* no end of line after the first string */
	};

	(void)state;
	timeout_ms = PATIENT_MS;
	for (size_t i = 0; i < UNIT_COUNT(rows); i++) {
		struct liar liar = {.answer = rows[i].answer, .more = rows[i].more};
		pthread_t thread;

		listen_as(&liar);
		assert_int_equal(pthread_create(&thread, NULL, lie, &liar), 0);
		db = open_as(NULL);
		assert_non_null(db);
		assert_false(run(WORDS("HGETALL", "x")));
		assert_string_equal(said, "");
		assert_null(strstr(sonic_db_error(db), "no answer"));
		if (rows[i].error)
			assert_string_equal(sonic_db_error(db), text_of(rows[i].error));
		sonic_db_close(db);
		db = NULL;
		pthread_join(thread, NULL);
		close(liar.listener);
		redis.pid = 0;
		redis_stop(&redis);
	}
}

/* Each octet comes in time, but the answer does not. */
static void test_slow_answer_costs_the_timeout(void **state)
{
	struct liar liar = {.answer = "*200000\r\n", .slowly = true};
	pthread_t thread;

	(void)state;
	timeout_ms = 1000;
	listen_as(&liar);
	assert_int_equal(pthread_create(&thread, NULL, lie, &liar), 0);
	db = open_as(NULL);
	assert_non_null(db);
	assert_false(run(WORDS("HGETALL", "x")));
	assert_string_equal(sonic_db_error(db), text_of("no answer within 1000 ms"));
	sonic_db_close(db);
	db = NULL;
	pthread_join(thread, NULL);
	close(liar.listener);
	redis.pid = 0;
	redis_stop(&redis);
}

UNIT_MAIN
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(test_commands_are_answered_in_order, begin, end),
	    cmocka_unit_test_setup_teardown(test_many_commands_at_once, begin, end),
	    cmocka_unit_test_setup_teardown(test_error_in_the_middle_fails, begin, end),
	    cmocka_unit_test_setup_teardown(test_password, begin, end),
	    cmocka_unit_test_setup_teardown(test_missing_permission, begin, end),
	    cmocka_unit_test_setup_teardown(test_killed_server, begin, end),
	    cmocka_unit_test_setup_teardown(test_stopped_server_costs_the_timeout, begin, end),
	    cmocka_unit_test_setup_teardown(test_full_socket_costs_the_timeout, begin, end),
	    cmocka_unit_test_setup_teardown(test_stop_ends_an_exchange, begin, end),
	    cmocka_unit_test_setup_teardown(test_scan_finds_all_keys, begin, end),
	    cmocka_unit_test_setup_teardown(test_messages_of_channels_and_patterns, begin, end),
	    cmocka_unit_test_setup_teardown(test_subscription_without_permission, begin, end),
	    cmocka_unit_test(test_answers_that_break_the_protocol_fail),
	    cmocka_unit_test(test_slow_answer_costs_the_timeout),
	};

	if (!redis_is_there()) {
		print_message("SKIP: redis-server or redis-cli is not installed\n");
		return 77;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
