/* SPDX-License-Identifier: BSD-3-Clause */
/* The thread, on redis-servers. */
#include "dataplane/sonic/sonic_worker.h"
#include "tests/unit/dataplane/sonic/redis_server.h"
#include "tests/unit/dataplane/sonic/sonic_switch.h"
#include "tests/unit/unit.h"

#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>

#define WAIT_MS 20000

static struct redis redis;
static struct sonic_worker *worker;
static int fd;

static int begin(void **state)
{
	(void)state;
	redis_start(&redis);
	fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	return fd < 0;
}

static int end(void **state)
{
	(void)state;
	if (worker)
		sonic_worker_free(worker);
	worker = NULL;
	close(fd);
	redis_stop(&redis);
	return 0;
}

static void load(const struct redis *to, const char *kind, unsigned ports, unsigned round)
{
	char *text = sonic_switch_text(kind, ports, round);

	redis_run(to, text);
	free(text);
}

static void start(const char *config, const char *password, uint32_t timeout_ms)
{
	const struct sonic_worker_params params = {
	    .config = config, .password = password, .timeout_ms = timeout_ms};
	char err[200];

	worker = sonic_worker_start(&params, fd, err, sizeof(err));
	assert_non_null(worker);
}

/* Returns the next report of this type, for free(). Those before it are freed. */
static struct sonic_report *await(enum sonic_report_type type)
{
	const struct dcb_time end_at = dcb_time_add_ns(clock_now(), WAIT_MS * DCB_NS_PER_MS);
	struct pollfd pfd = {.fd = fd, .events = POLLIN};
	struct sonic_report *report;
	eventfd_t ignored;

	for (;;) {
		while ((report = sonic_worker_report(worker))) {
			if (report->type == type)
				return report;
			free(report);
		}
		assert_true(dcb_time_before(clock_now(), end_at));
		assert_int_equal(poll(&pfd, 1, WAIT_MS), 1);
		(void)eventfd_read(fd, &ignored);
	}
}

static void test_ports_and_changes_are_reported(void **state)
{
	struct sonic_report *report;

	(void)state;
	load(&redis, "mellanox", 2, 0);
	start(redis.config, NULL, WAIT_MS);
	free(await(SONIC_CONNECTED));
	assert_true(sonic_worker_age_ms(worker, 1) == UINT32_MAX);
	free(await(SONIC_PORT_ADDED));
	free(await(SONIC_PORT_ADDED));
	load(&redis, "mellanox", 2, 5);
	report = await(SONIC_PORT_CHANGED);
	assert_int_equal(report->port.priority[3].rx_frames,
			 1000 * (report->port.ifindex / 4 + 1) + 35);
	free(report);
	assert_true(sonic_worker_age_ms(worker, 0) < WAIT_MS);
}

static void test_missing_file_is_lost_until_it_is_there(void **state)
{
	struct sonic_report *report;

	(void)state;
	unlink(redis.config);
	start(redis.config, NULL, WAIT_MS);
	report = await(SONIC_LOST);
	assert_non_null(strstr(report->text, "database_config.json: No such file or directory"));
	free(report);
	load(&redis, "vs", 1, 0);
	redis_write_config(&redis, "database_config.json");
	free(await(SONIC_CONNECTED));
	free(await(SONIC_PORT_ADDED));
}

static void test_password_is_needed(void **state)
{
	struct sonic_report *report;

	(void)state;
	redis_run(&redis, "CONFIG SET requirepass secret\n");
	redis.password = "secret";
	load(&redis, "vs", 1, 0);
	start(redis.config, NULL, WAIT_MS);
	report = await(SONIC_LOST);
	assert_non_null(
	    strstr(report->text,
		   "NOAUTH Authentication required.; expected a password: sonic.password_file"));
	free(report);
	sonic_worker_free(worker);
	start(redis.config, "secret", WAIT_MS);
	free(await(SONIC_CONNECTED));
	free(await(SONIC_PORT_ADDED));
}

static void test_stopped_redis_is_lost_and_returns(void **state)
{
	struct sonic_report *report;

	(void)state;
	load(&redis, "mellanox", 1, 0);
	start(redis.config, NULL, 300);
	free(await(SONIC_PORT_ADDED));
	kill(redis.pid, SIGSTOP);
	report = await(SONIC_LOST);
	assert_non_null(strstr(report->text, "no answer within 300 ms"));
	free(report);
	kill(redis.pid, SIGCONT);
	free(await(SONIC_CONNECTED));
}

/* Also while it waits for redis. */
static void test_worker_ends_at_once(void **state)
{
	struct dcb_time at;

	(void)state;
	kill(redis.pid, SIGSTOP);
	start(redis.config, NULL, 600000);
	usleep(50000);
	at = clock_now();
	sonic_worker_free(worker);
	worker = NULL;
	assert_true(dcb_time_diff_ns(clock_now(), at) < WAIT_MS * DCB_NS_PER_MS);
	kill(redis.pid, SIGCONT);
}

static void test_storm_is_reported(void **state)
{
	struct sonic_report *report;

	(void)state;
	load(&redis, "mellanox", 1, 0);
	start(redis.config, NULL, WAIT_MS);
	free(await(SONIC_PORT_ADDED));
	redis_run(&redis,
		  "PUBLISH PFC_WD_ACTION \"[\\\"oid:0x15000000000068\\\",\\\"storm\\\"]\"\n");
	report = await(SONIC_STORM);
	assert_int_equal(report->stormed, 1 << 4);
	assert_string_equal(report->port.name, "Ethernet0");
	free(report);
}

/* One instance is lost, and the other one goes on. */
static void test_each_namespace_is_an_instance(void **state)
{
	struct redis other;
	struct sonic_report *report;
	char text[512], path[64];

	(void)state;
	redis_start(&other);
	snprintf(text, sizeof(text),
		 "{\"INCLUDES\":[{\"include\":\"database_config.json\"},"
		 "{\"namespace\":\"asic0\",\"include\":\"../..%s\"}]}",
		 other.config);
	redis_write(&redis, "database_global.json", text);
	snprintf(path, sizeof(path), "%s/database_global.json", redis.dir);
	load(&other, "mellanox", 1, 0);
	start(path, NULL, WAIT_MS);
	report = await(SONIC_PORT_ADDED);
	assert_int_equal(report->instance, 1);
	assert_string_equal(report->space, "asic0");
	free(report);
	redis_kill(&redis);
	report = await(SONIC_LOST);
	assert_int_equal(report->instance, 0);
	assert_string_equal(report->space, "");
	free(report);
	load(&other, "mellanox", 1, 1);
	report = await(SONIC_PORT_CHANGED);
	assert_int_equal(report->instance, 1);
	free(report);
	redis_stop(&other);
}

UNIT_MAIN
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(test_ports_and_changes_are_reported, begin, end),
	    cmocka_unit_test_setup_teardown(test_missing_file_is_lost_until_it_is_there, begin,
					    end),
	    cmocka_unit_test_setup_teardown(test_password_is_needed, begin, end),
	    cmocka_unit_test_setup_teardown(test_stopped_redis_is_lost_and_returns, begin, end),
	    cmocka_unit_test_setup_teardown(test_worker_ends_at_once, begin, end),
	    cmocka_unit_test_setup_teardown(test_storm_is_reported, begin, end),
	    cmocka_unit_test_setup_teardown(test_each_namespace_is_an_instance, begin, end),
	};

	if (!redis_is_there()) {
		print_message("SKIP: redis-server or redis-cli is not installed\n");
		return 77;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
