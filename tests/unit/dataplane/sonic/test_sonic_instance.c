/* SPDX-License-Identifier: BSD-3-Clause */
/* An instance on a redis-server, with a clock of the test. */
#include "dataplane/sonic/sonic_instance.h"
#include "tests/unit/dataplane/sonic/redis_server.h"
#include "tests/unit/dataplane/sonic/sonic_switch.h"
#include "tests/unit/unit.h"

#include <poll.h>
#include <string.h>

static struct redis redis;
static const struct sonic_worker_params params = {.timeout_ms = 20000};
static struct sonic_conf conf;
static struct sonic_instance *instance;
static struct dcb_time now;
static STAILQ_HEAD(, sonic_report) reports = STAILQ_HEAD_INITIALIZER(reports);
static struct sonic_report *last; /* that was looked at */

static void post(void *arg, struct sonic_report *report)
{
	(void)arg;
	STAILQ_INSERT_TAIL(&reports, report, next);
}

/* Removes the next report, which has this type. */
static struct sonic_report *expect(enum sonic_report_type type)
{
	free(last);
	last = STAILQ_FIRST(&reports);
	if (!last)
		fail_msg("no report of type %d", type);
	STAILQ_REMOVE_HEAD(&reports, next);
	if (last->type != type && last->type == SONIC_LOST)
		print_message("%s\n", last->text);
	assert_int_equal(last->type, type);
	return last;
}

/* The same, of a port. */
static const struct sonic_port *expect_port(enum sonic_report_type type, const char *name)
{
	expect(type);
	assert_string_equal(last->port.name, name);
	return &last->port;
}

static void expect_none(void)
{
	if (STAILQ_FIRST(&reports))
		fail_msg("a report of type %d", STAILQ_FIRST(&reports)->type);
}

static void turn(void)
{
	sonic_instance_turn(instance, &conf.instance[0], now);
}

static void pass(int64_t ms)
{
	now = dcb_time_add_ns(now, ms * DCB_NS_PER_MS);
}

static void load(const char *kind, unsigned ports, unsigned round)
{
	char *text = sonic_switch_text(kind, ports, round);

	redis_run(&redis, text);
	free(text);
}

/* Takes the messages, of which at least one has come or comes. */
static void messages(void)
{
	struct pollfd fd = {.fd = sonic_instance_fd(instance), .events = POLLIN};

	assert_int_equal(poll(&fd, 1, 20000), 1);
	sonic_instance_messages(instance, now);
}

/* syncd polls the counters of ports. */
static void poll_by_syncd(void)
{
	redis_run(&redis,
		  "SELECT 2\nHINCRBY COUNTERS:TIME_STAMP "
		  "PORT_STAT_COUNTER_Port_Counter_time_stamp 1\n"
		  "HINCRBY COUNTERS:TIME_STAMP PFC_WD_Port_Counter_time_stamp 1\n");
}

static int begin(void **state)
{
	char err[SONIC_CONF_ERROR];

	(void)state;
	redis_start(&redis);
	assert_true(sonic_conf_read(redis.config, &conf, err, sizeof(err)));
	instance = sonic_instance_new(3, &params, -1, post, NULL);
	now = clock_now();
	return instance ? 0 : -1;
}

static int end(void **state)
{
	(void)state;
	sonic_instance_free(instance);
	free(last);
	while ((last = STAILQ_FIRST(&reports))) {
		STAILQ_REMOVE_HEAD(&reports, next);
		free(last);
	}
	redis_stop(&redis);
	return 0;
}

/* Connects to a switch of 2 ports, and takes the reports. Those of ports are in no order. */
static void connect_to(const char *kind)
{
	load(kind, 2, 0);
	turn();
	expect(SONIC_CONNECTED);
	expect(SONIC_PORT_ADDED);
	expect(SONIC_PORT_ADDED);
	expect_none();
}

/* --- ports --------------------------------------------------------------------------------- */

static const struct sonic_port *find_added(const char *name)
{
	do
		expect(SONIC_PORT_ADDED);
	while (strcmp(last->port.name, name) != 0);
	return &last->port;
}

static void check_mellanox(const struct sonic_priority *p)
{
	assert_int_equal(p->known & SONIC_COUNTERS, SONIC_COUNTERS & ~SONIC_RX_TRANSITIONS);
	assert_int_equal(p->rx_frames, 2030);
	assert_int_equal(p->tx_frames, 4030);
	assert_int_equal(p->rx_pause_us, 500003);
	assert_int_equal(p->pg_drops, 3);
	assert_int_equal(p->pg_shared_peak, 1003);
	assert_int_equal(p->pg_xoff_peak, 2003);
	assert_int_equal(p->queue_peak, 3003);
	assert_int_equal(p->wd_state, SONIC_WD_OPERATIONAL);
	assert_int_equal(p->wd_storms, 2);
	assert_int_equal(p->wd_tx_drops, 30);
	assert_int_equal(p->wd_rx_drops, 31);
}

static void test_first_turn_reports_all(void **state)
{
	const struct sonic_port *port;

	(void)state;
	load("mellanox", 2, 0);
	turn();
	expect(SONIC_CONNECTED);
	assert_int_equal(last->instance, 3);
	assert_string_equal(last->text, "");
	assert_string_equal(last->sw.hwsku, "TEST-mellanox");
	port = find_added("Ethernet4");
	assert_string_equal(port->error, "");
	check_mellanox(&port->priority[3]);
	assert_int_equal(port->pause_rx, 7);
	assert_int_equal(port->priority[0].known & (SONIC_WD_STATE | SONIC_RX_PAUSE), 0);
	assert_int_equal(port->stale, 1 << SONIC_GROUP_QUEUE_WATERMARKS); /* is switched off */
	assert_true(sonic_instance_read_ns(instance) == now.ns);
}

static void test_counters_of_other_switches(void **state)
{
	const struct sonic_port *port;

	(void)state;
	load("broadcom", 2, 0);
	turn();
	expect(SONIC_CONNECTED);
	port = find_added("Ethernet0");
	assert_int_equal(port->priority[3].known & SONIC_COUNTERS,
			 SONIC_COUNTERS & ~SONIC_RX_PAUSE);
	assert_int_equal(port->priority[3].rx_transitions, 43);
	redis_run(&redis, "FLUSHALL\n");
	pass(10000);
	turn();
	load("vs", 2, 0);
	pass(10000);
	turn();
	while (STAILQ_FIRST(&reports)->type != SONIC_PORT_ADDED)
		expect(STAILQ_FIRST(&reports)->type);
	port = find_added("Ethernet0");
	assert_int_equal(port->priority[3].known & SONIC_COUNTERS,
			 SONIC_COUNTERS & ~SONIC_RX_TRANSITIONS & ~SONIC_PG_DROPS);
}

static void test_same_values_are_not_reported(void **state)
{
	(void)state;
	connect_to("mellanox");
	for (unsigned i = 0; i < 2; i++) {
		pass(1000);
		turn();
	}
	pass(60000);
	poll_by_syncd();
	turn();
	expect_none();
}

static void test_changed_counters_are_reported(void **state)
{
	const struct sonic_port *port;

	(void)state;
	connect_to("mellanox");
	redis_run(&redis,
		  "SELECT 2\nHSET COUNTERS:oid:0x1000000000002 SAI_PORT_STAT_PFC_3_RX_PKTS "
		  "18446744073709551615\n");
	pass(1000);
	turn();
	port = expect_port(SONIC_PORT_CHANGED, "Ethernet0");
	assert_false(last->discontinuity);
	assert_true(port->priority[3].rx_frames == UINT64_MAX);
	expect_none();
	redis_run(&redis,
		  "SELECT 2\nHSET COUNTERS:oid:0x1000000000002 SAI_PORT_STAT_PFC_3_RX_PKTS 1\n");
	pass(1000);
	turn();
	expect_port(SONIC_PORT_CHANGED, "Ethernet0");
	assert_true(last->discontinuity);
	expect_none();
}

static void test_missing_and_malformed_counters(void **state)
{
	const struct sonic_port *port;

	(void)state;
	connect_to("mellanox");
	redis_run(&redis,
		  "SELECT 2\nHDEL COUNTERS:oid:0x1000000000002 SAI_PORT_STAT_PFC_3_RX_PKTS\n"
		  "HSET COUNTERS:oid:0x1000000000002 SAI_PORT_STAT_PFC_4_RX_PKTS x\n");
	pass(1000);
	turn();
	port = expect_port(SONIC_PORT_CHANGED, "Ethernet0");
	assert_false(last->discontinuity);
	assert_int_equal(port->priority[3].known & SONIC_RX_FRAMES, 0);
	assert_int_equal(port->priority[4].known & SONIC_RX_FRAMES, 0);
	assert_int_equal(port->priority[5].rx_frames, 1050);
	assert_string_equal(port->error,
			    "SAI_PORT_STAT_PFC_4_RX_PKTS: \"x\", expected a number below "
			    "2^64");
	redis_run(&redis, "SELECT 2\nDEL COUNTERS:oid:0x1000000000002\n");
	pass(1000);
	turn();
	port = expect_port(SONIC_PORT_CHANGED, "Ethernet0");
	for (unsigned p = 0; p < DCB_PRIORITIES; p++)
		assert_int_equal(port->priority[p].known & (SONIC_RX_FRAMES | SONIC_TX_FRAMES), 0);
	expect_none();
}

static void test_link_is_followed_at_once(void **state)
{
	(void)state;
	connect_to("mellanox");
	redis_run(&redis, "SELECT 0\nHSET PORT_TABLE:Ethernet0 oper_status down\n");
	pass(1000);
	turn();
	assert_false(expect_port(SONIC_PORT_CHANGED, "Ethernet0")->oper_up);
	assert_false(last->discontinuity);
	expect_none();
}

static void test_configuration_is_read_again(void **state)
{
	(void)state;
	connect_to("mellanox");
	redis_run(&redis, "SELECT 4\nHSET PORT_QOS_MAP|Ethernet0 pfc_enable 3\n");
	pass(1000);
	turn();
	expect_none();
	pass((int)(SONIC_CONFIG_NS / DCB_NS_PER_MS));
	poll_by_syncd();
	turn();
	assert_int_equal(expect_port(SONIC_PORT_CHANGED, "Ethernet0")->pfc_enable, 8);
	expect_none();
}

static void test_notification_makes_it_read_soon(void **state)
{
	(void)state;
	connect_to("mellanox");
	redis_run(&redis, "SELECT 4\nHSET PORT_QOS_MAP|Ethernet0 pfc_enable 3\n");
	messages();
	pass(1000);
	assert_false(dcb_time_before(now, sonic_instance_next(instance)));
	turn();
	assert_int_equal(expect_port(SONIC_PORT_CHANGED, "Ethernet0")->pfc_enable, 8);
	/* A new key of APPL_DB. */
	redis_run(&redis,
		  "SELECT 0\nHSET BUFFER_PG_TABLE:Ethernet0:7 profile ingress_lossy_profile\n");
	messages();
	pass(1000);
	turn();
	assert_string_equal(expect_port(SONIC_PORT_CHANGED, "Ethernet0")->priority[7].profile,
			    "ingress_lossy_profile");
	expect_none();
}

/* The maps of names are made anew, with other objects. */
static void test_restart_of_orchagent_keeps_ports(void **state)
{
	const struct sonic_port *port;

	(void)state;
	connect_to("mellanox");
	redis_run(&redis, "SELECT 2\nFLUSHDB\n");
	pass(1000);
	turn();
	for (unsigned i = 0; i < 2; i++) {
		expect(SONIC_PORT_CHANGED);
		assert_true(last->discontinuity);
		assert_int_equal(last->port.known & SONIC_OID, 0);
		assert_int_equal(last->port.priority[3].known & SONIC_COUNTERS, 0);
		assert_int_equal(last->port.pfc_enable, 0x18);
		assert_int_equal(last->port.stale, 0);
	}
	expect_none();
	/* The first port is there, with a new object. */
	redis_run(&redis,
		  "SELECT 2\nHSET COUNTERS_PORT_NAME_MAP Ethernet0 oid:0x1000000000999\n"
		  "HSET COUNTERS:oid:0x1000000000999 SAI_PORT_STAT_PFC_3_RX_PKTS 0\n");
	pass(1000);
	turn();
	port = expect_port(SONIC_PORT_CHANGED, "Ethernet0");
	assert_true(last->discontinuity);
	assert_true(port->oid == UINT64_C(0x1000000000999));
	assert_int_equal(port->priority[3].known & SONIC_COUNTERS, SONIC_RX_FRAMES);
	expect_none();
	/* The second one does not return. */
	pass((int)(SONIC_HOLD_NS / DCB_NS_PER_MS));
	turn();
	expect_port(SONIC_PORT_REMOVED, "Ethernet4");
	expect_none();
}

static void test_breakout_replaces_ports(void **state)
{
	(void)state;
	connect_to("mellanox");
	redis_run(&redis,
		  "SELECT 4\nDEL PORT|Ethernet4\nHSET PORT|Ethernet6 speed 50000\nSELECT 2\n"
		  "HDEL COUNTERS_PORT_NAME_MAP Ethernet4\n"
		  "HSET COUNTERS_PORT_NAME_MAP Ethernet6 oid:0x1000000000006\n");
	pass(1000);
	turn();
	assert_int_equal(expect_port(SONIC_PORT_ADDED, "Ethernet6")->speed_mbps, 50000);
	assert_int_equal(last->port.ifindex, 7);
	expect_port(SONIC_PORT_REMOVED, "Ethernet4");
	expect_none();
}

static void test_switch_is_reported(void **state)
{
	(void)state;
	connect_to("mellanox");
	redis_run(&redis, "SELECT 4\nHSET DEVICE_METADATA|localhost mac 02:00:5e:00:53:02\n");
	messages();
	pass(1000);
	turn();
	expect(SONIC_SWITCH);
	assert_int_equal(last->sw.mac[5], 2);
	expect_none();
}

/* --- staleness ----------------------------------------------------------------------------- */

static void test_old_time_stamp_means_stale(void **state)
{
	const uint8_t polled = 1 << SONIC_GROUP_PORT | 1 << SONIC_GROUP_WATCHDOG;

	(void)state;
	connect_to("mellanox");
	pass(3000);
	turn();
	expect_none();
	pass(1000);
	turn();
	for (unsigned i = 0; i < 2; i++) {
		expect(SONIC_PORT_CHANGED);
		assert_int_equal(last->port.stale & polled, polled);
		assert_false(last->discontinuity);
		assert_int_equal(last->port.priority[3].known & SONIC_RX_FRAMES, SONIC_RX_FRAMES);
	}
	expect_none();
	redis_run(
	    &redis,
	    "SELECT 2\nHSET COUNTERS:TIME_STAMP PORT_STAT_COUNTER_Port_Counter_time_stamp 5\n");
	pass(1000);
	turn();
	for (unsigned i = 0; i < 2; i++) {
		expect(SONIC_PORT_CHANGED);
		assert_int_equal(last->port.stale & polled, 1 << SONIC_GROUP_WATCHDOG);
	}
	expect_none();
}

/* Counters that do not change are no proof. */
static void test_without_time_stamps_nothing_is_stale(void **state)
{
	(void)state;
	connect_to("broadcom");
	for (unsigned i = 0; i < 3; i++) {
		pass(60000);
		turn();
	}
	expect_none();
}

/* --- storms -------------------------------------------------------------------------------- */

#define QUEUE_3        "oid:0x15000000000067"
#define STORM          "PUBLISH PFC_WD_ACTION \"[\\\"" QUEUE_3 "\\\",\\\"storm\\\"]\"\n"
#define RESTORE        "PUBLISH PFC_WD_ACTION \"[\\\"" QUEUE_3 "\\\",\\\"restore\\\"]\"\n"
#define STATUS(status) "SELECT 2\nHSET COUNTERS:" QUEUE_3 " PFC_WD_STATUS " status "\n"

static void expect_storm(uint8_t stormed, uint8_t ended)
{
	assert_string_equal(expect_port(SONIC_STORM, "Ethernet0")->name, "Ethernet0");
	assert_int_equal(last->stormed, stormed);
	assert_int_equal(last->ended, ended);
}

static void test_message_begins_and_ends_a_storm(void **state)
{
	(void)state;
	connect_to("mellanox");
	redis_run(&redis, STORM STORM);
	messages();
	expect_storm(1 << 3, 0);
	/* The status follows later. */
	pass(1000);
	turn();
	redis_run(&redis, STATUS("stormed"));
	pass(1000);
	turn();
	assert_int_equal(expect_port(SONIC_PORT_CHANGED, "Ethernet0")->priority[3].wd_state,
			 SONIC_WD_STORMED);
	redis_run(&redis, STORM);
	messages();
	expect_none();
	redis_run(&redis, RESTORE RESTORE);
	messages();
	expect_storm(0, 1 << 3);
	pass(1000);
	turn(); /* still stormed */
	redis_run(&redis, STATUS("operational"));
	for (unsigned i = 0; i < 4; i++) {
		pass(1000);
		redis_run(&redis,
			  "SELECT 2\nHINCRBY COUNTERS:TIME_STAMP "
			  "PORT_STAT_COUNTER_Port_Counter_time_stamp 1\nHINCRBY "
			  "COUNTERS:TIME_STAMP PFC_WD_Port_Counter_time_stamp 1\n");
		turn();
	}
	expect_port(SONIC_PORT_CHANGED, "Ethernet0");
	expect_none();
}

/* Its messages were lost. */
static void test_status_begins_and_ends_a_storm(void **state)
{
	(void)state;
	connect_to("mellanox");
	redis_run(&redis, STATUS("stormed"));
	pass(1000);
	turn();
	expect_port(SONIC_PORT_CHANGED, "Ethernet0");
	expect_storm(1 << 3, 0);
	redis_run(&redis, STATUS("operational"));
	pass(1000);
	turn();
	expect_port(SONIC_PORT_CHANGED, "Ethernet0");
	expect_storm(0, 1 << 3);
	expect_none();
}

/* orchagent ignores messages while the "big red switch" is on. */
static void test_storm_without_status_ends(void **state)
{
	(void)state;
	connect_to("mellanox");
	redis_run(&redis, STORM);
	messages();
	expect_storm(1 << 3, 0);
	pass(3000);
	turn();
	expect_storm(0, 1 << 3);
	expect_none();
}

static void test_storm_ends_with_the_port(void **state)
{
	(void)state;
	connect_to("mellanox");
	redis_run(&redis, STATUS("stormed"));
	pass(1000);
	turn();
	expect_port(SONIC_PORT_CHANGED, "Ethernet0");
	expect_storm(1 << 3, 0);
	/* A restart of orchagent does not end it. */
	redis_run(&redis, "SELECT 2\nHDEL COUNTERS_PORT_NAME_MAP Ethernet0\n");
	pass(1000);
	turn();
	expect_port(SONIC_PORT_CHANGED, "Ethernet0");
	expect_none();
	redis_run(&redis, "SELECT 4\nDEL PORT|Ethernet0\n");
	messages();
	pass(1000);
	turn();
	expect_storm(0, 1 << 3);
	expect_port(SONIC_PORT_REMOVED, "Ethernet0");
	expect_none();
}

static void test_other_messages_are_ignored(void **state)
{
	(void)state;
	connect_to("mellanox");
	redis_run(&redis,
		  "PUBLISH PFC_WD_ACTION x\nPUBLISH PFC_WD_ACTION "
		  "\"[\\\"oid:0x15000000009999\\\",\\\"storm\\\"]\"\n");
	messages();
	expect_none();
}

/* --- failures ------------------------------------------------------------------------------ */

static void test_wrong_type_is_no_part_of_a_whole(void **state)
{
	(void)state;
	connect_to("mellanox");
	/* The counters of the other port change too, and are not reported. */
	redis_run(&redis,
		  "SELECT 2\nHSET COUNTERS:oid:0x1000000000002 SAI_PORT_STAT_PFC_3_RX_PKTS 5000\n"
		  "DEL COUNTERS:oid:0x1000000000003\nSET COUNTERS:oid:0x1000000000003 x\n");
	pass(1000);
	turn();
	expect(SONIC_LOST);
	assert_non_null(strstr(last->text, "HMGET COUNTERS:oid:0x1000000000003: WRONGTYPE"));
	expect_none();
	/* It is tried again, later each time, and reported once. */
	for (unsigned i = 0; i < 6; i++) {
		int64_t wait = dcb_time_diff_ns(sonic_instance_next(instance), now);

		assert_true(wait > 0 && wait <= 5 * DCB_NS_PER_S);
		assert_true(i < 5 || wait == 5 * DCB_NS_PER_S);
		now = sonic_instance_next(instance);
		turn();
		expect_none();
	}
	redis_run(&redis, "SELECT 2\nDEL COUNTERS:oid:0x1000000000003\n");
	load("mellanox", 2, 0);
	poll_by_syncd();
	now = sonic_instance_next(instance);
	turn();
	expect(SONIC_CONNECTED);
	expect_none();
	pass(1000);
	assert_int_equal(dcb_time_diff_ns(sonic_instance_next(instance), now), 0);
	/* The next loss is tried again soon. */
	redis_kill(&redis);
	messages();
	expect(SONIC_LOST);
	assert_int_equal(dcb_time_diff_ns(sonic_instance_next(instance), now), DCB_NS_PER_S / 2);
}

static void test_killed_redis_is_lost_and_returns(void **state)
{
	(void)state;
	connect_to("mellanox");
	redis_kill(&redis);
	messages();
	expect(SONIC_LOST);
	assert_non_null(strstr(last->text, "it closed the connection"));
	assert_false(sonic_instance_is_connected(instance));
	assert_int_equal(sonic_instance_fd(instance), -1);
	now = sonic_instance_next(instance);
	turn();
	expect(SONIC_LOST);
	assert_non_null(strstr(last->text, "Connection refused"));
	expect_none();
	redis_up(&redis, "");
	load("mellanox", 1, 7);
	now = sonic_instance_next(instance);
	turn();
	expect(SONIC_CONNECTED);
	expect_port(SONIC_PORT_REMOVED, "Ethernet4");
	expect_port(SONIC_PORT_CHANGED, "Ethernet0");
	assert_false(last->discontinuity);
	expect_none();
}

static void test_missing_permissions(void **state)
{
	(void)state;
	redis_run(&redis, "ACL SETUSER default resetchannels\n");
	load("mellanox", 2, 0);
	turn();
	/* Without notifications. */
	expect(SONIC_CONNECTED);
	assert_non_null(strstr(last->text, "SUBSCRIBE PFC_WD_ACTION: NOPERM"));
	expect(SONIC_PORT_ADDED);
	expect(SONIC_PORT_ADDED);
	redis_run(&redis, "ACL SETUSER default -scan\n");
	pass(10000);
	turn();
	expect(SONIC_LOST);
	assert_non_null(strstr(last->text, "SCAN 0: NOPERM"));
	expect_none();
}

static void test_file_that_cannot_be_used_is_lost(void **state)
{
	(void)state;
	snprintf(conf.instance[0].error, sizeof(conf.instance[0].error), "no file");
	turn();
	expect(SONIC_LOST);
	assert_string_equal(last->text, "no file");
}

static void test_empty_databases_have_no_ports(void **state)
{
	(void)state;
	turn();
	expect(SONIC_CONNECTED);
	expect_none();
	load("vs", 1, 0);
	pass(1000);
	turn();
	expect(SONIC_SWITCH);
	expect_port(SONIC_PORT_ADDED, "Ethernet0");
	expect_none();
}

UNIT_MAIN
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(test_first_turn_reports_all, begin, end),
	    cmocka_unit_test_setup_teardown(test_counters_of_other_switches, begin, end),
	    cmocka_unit_test_setup_teardown(test_same_values_are_not_reported, begin, end),
	    cmocka_unit_test_setup_teardown(test_changed_counters_are_reported, begin, end),
	    cmocka_unit_test_setup_teardown(test_missing_and_malformed_counters, begin, end),
	    cmocka_unit_test_setup_teardown(test_link_is_followed_at_once, begin, end),
	    cmocka_unit_test_setup_teardown(test_configuration_is_read_again, begin, end),
	    cmocka_unit_test_setup_teardown(test_notification_makes_it_read_soon, begin, end),
	    cmocka_unit_test_setup_teardown(test_restart_of_orchagent_keeps_ports, begin, end),
	    cmocka_unit_test_setup_teardown(test_breakout_replaces_ports, begin, end),
	    cmocka_unit_test_setup_teardown(test_switch_is_reported, begin, end),
	    cmocka_unit_test_setup_teardown(test_old_time_stamp_means_stale, begin, end),
	    cmocka_unit_test_setup_teardown(test_without_time_stamps_nothing_is_stale, begin, end),
	    cmocka_unit_test_setup_teardown(test_message_begins_and_ends_a_storm, begin, end),
	    cmocka_unit_test_setup_teardown(test_status_begins_and_ends_a_storm, begin, end),
	    cmocka_unit_test_setup_teardown(test_storm_without_status_ends, begin, end),
	    cmocka_unit_test_setup_teardown(test_storm_ends_with_the_port, begin, end),
	    cmocka_unit_test_setup_teardown(test_other_messages_are_ignored, begin, end),
	    cmocka_unit_test_setup_teardown(test_wrong_type_is_no_part_of_a_whole, begin, end),
	    cmocka_unit_test_setup_teardown(test_killed_redis_is_lost_and_returns, begin, end),
	    cmocka_unit_test_setup_teardown(test_missing_permissions, begin, end),
	    cmocka_unit_test_setup_teardown(test_file_that_cannot_be_used_is_lost, begin, end),
	    cmocka_unit_test_setup_teardown(test_empty_databases_have_no_ports, begin, end),
	};

	if (!redis_is_there()) {
		print_message("SKIP: redis-server or redis-cli is not installed\n");
		return 77;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
