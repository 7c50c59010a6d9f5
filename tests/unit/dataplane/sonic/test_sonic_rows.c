/* SPDX-License-Identifier: BSD-3-Clause */
/* Ports and switches from rows. */
#include "dataplane/sonic/sonic_rows.h"
#include "dataplane/sonic/sonic_text.h"
#include "tests/sonic/commands.h"
#include "tests/unit/dataplane/sonic/sonic_switch.h"
#include "tests/unit/unit.h"

#include <string.h>

static struct commands c;

/* Makes the rows of a switch with 2 ports. */
static void begin(const char *kind)
{
	char *text = sonic_switch_text(kind, 2, 0);

	commands_free(&c);
	commands_run(&c, text, strlen(text));
	free(text);
}

static void run(const char *commands)
{
	commands_run(&c, commands, strlen(commands));
}

static struct sonic_port port_of(const char *name)
{
	struct sonic_port port;

	memset(&port, 0x5a, sizeof(port));
	assert_true(sonic_port_of(&c.of, name, &port));
	return port;
}

static struct sonic_switch switch_of(void)
{
	struct sonic_switch sw;

	memset(&sw, 0x5a, sizeof(sw));
	sonic_switch_of(&c.of, &sw);
	return sw;
}

static int end(void **state)
{
	(void)state;
	commands_free(&c);
	return 0;
}

/* --- names --------------------------------------------------------------------------------- */

static void test_ifindex_is_that_of_the_snmp_agent(void **state)
{
	static const struct {
		const char *name;
		uint32_t ifindex;
	} rows[] = {
	    {"Ethernet0", 1},
	    {"Ethernet1", 2},
	    {"Ethernet508", 509},
	    {"Ethernet-BP0", 9000},
	    {"Ethernet-BP260", 9260},
	    {"Ethernet-IB0", 11000},
	    {"Ethernet-Rec1", 12001},
	    {"Ethernet8998", 8999},
	    {"Ethernet8999", 0},
	    {"Ethernet-BP1000", 0},
	    {"Ethernet", 0},
	    {"Ethernet-1", 0},
	    {"Ethernet-BP", 0},
	    {"Ethernet1x", 0},
	    {"Ethernet01", 0},
	    {"Ethernet 1", 0},
	    {"ethernet1", 0},
	    {"PortChannel0001", 0},
	    {"eth0", 0},
	    {"", 0},
	    {"CPU", 0},
	    {"Ethernet18446744073709551616", 0},
	};

	(void)state;
	for (size_t i = 0; i < UNIT_COUNT(rows); i++)
		assert_int_equal(sonic_ifindex(rows[i].name), rows[i].ifindex);
}

static void test_oid_is_read(void **state)
{
	static const char *const bad[] = {
	    "",        "oid:0x",  "oid:0x0",  "0x1",
	    "oid:1",   "oid:0xg", "oid:0x1 ", "oid:0x12345678901234567",
	    "OID:0x1", "oid:0x-1"};
	uint64_t oid = 7;

	(void)state;
	assert_true(sonic_read_oid("oid:0x1000000000002", &oid));
	assert_true(oid == UINT64_C(0x1000000000002));
	assert_true(sonic_read_oid("oid:0xffffffffffffffff", &oid));
	assert_true(oid == UINT64_MAX);
	assert_true(sonic_read_oid("oid:0xABC", &oid));
	assert_int_equal(oid, 0xabc);
	for (size_t i = 0; i < UNIT_COUNT(bad); i++)
		assert_false(sonic_read_oid(bad[i], &oid));
	assert_int_equal(oid, 0xabc);
}

static void test_name_of_no_port_is_refused(void **state)
{
	struct sonic_port port;

	(void)state;
	begin("vs");
	assert_false(sonic_port_of(&c.of, "PortChannel0001", &port));
	assert_false(sonic_port_of(&c.of, "CPU", &port));
}

/* --- switches ------------------------------------------------------------------------------ */

static void check_common(const struct sonic_port *port)
{
	assert_string_equal(port->error, "");
	assert_string_equal(port->alias, "etp1");
	assert_string_equal(port->lag, "PortChannel0001");
	assert_int_equal(port->ifindex, 1);
	assert_int_equal(port->known & (SONIC_ADMIN | SONIC_OPER | SONIC_SPEED | SONIC_MTU |
					SONIC_PFC_ENABLE | SONIC_PFCWD_ENABLE | SONIC_PFC_ASYM |
					SONIC_CABLE | SONIC_ETS | SONIC_WD_DETECTION |
					SONIC_WD_RESTORATION | SONIC_WD_ACTION),
			 0xfff);
	assert_true(port->admin_up && port->oper_up && !port->pfc_asym);
	assert_int_equal(port->speed_mbps, 100000);
	assert_int_equal(port->mtu, 9100);
	assert_int_equal(port->pfc_enable, 0x18);
	assert_int_equal(port->pfcwd_enable, 0x18);
	assert_int_equal(port->cable_m, 5);
	assert_int_equal(port->wd_detection_ms, 200);
	assert_int_equal(port->wd_restoration_ms, 400);
	assert_int_equal(port->wd_action, SONIC_WD_DROP);
}

static void check_lossless(const struct sonic_priority *p)
{
	assert_int_equal(p->known & (SONIC_LOSSLESS | SONIC_PROFILE_SIZE | SONIC_PROFILE_XON |
				     SONIC_PROFILE_XOFF | SONIC_PROFILE_DYNAMIC),
			 SONIC_LOSSLESS | SONIC_PROFILE_SIZE | SONIC_PROFILE_XON |
			     SONIC_PROFILE_XOFF | SONIC_PROFILE_DYNAMIC);
	assert_true(p->lossless);
	assert_string_equal(p->profile, "pg_lossless_100000_5m_profile");
	assert_string_equal(p->pool, "ingress_lossless_pool");
	assert_int_equal(p->size, 19456);
	assert_int_equal(p->xon, 18432);
	assert_int_equal(p->xoff, 165888);
	assert_int_equal(p->dynamic_th, -1);
}

static void check_lossy(const struct sonic_priority *p)
{
	assert_int_equal(p->pg, 0);
	assert_true(p->known & SONIC_LOSSLESS);
	assert_false(p->lossless);
	assert_string_equal(p->profile, "ingress_lossy_profile");
	assert_int_equal(p->dynamic_th, 3);
}

static void check_priorities(const struct sonic_port *port)
{
	for (unsigned i = 0; i < DCB_PRIORITIES; i++) {
		const struct sonic_priority *p = &port->priority[i];

		assert_true(p->known & SONIC_TC && p->known & SONIC_PG &&
			    p->known & SONIC_QUEUE_OF);
		assert_int_equal(p->tc, i);
		assert_int_equal(p->queue, i);
		if (i == 3 || i == 4)
			check_lossless(p);
		else if (i != 7)
			check_lossy(p);
	}
	/* PG 7 has no row. */
	assert_true(port->priority[7].known & SONIC_LOSSLESS);
	assert_false(port->priority[7].lossless);
	assert_string_equal(port->priority[7].profile, "");
}

static void test_switch_of_a_new_image(void **state)
{
	struct sonic_port port;
	struct sonic_switch sw;

	(void)state;
	begin("mellanox");
	port = port_of("Ethernet0");
	check_common(&port);
	check_priorities(&port);
	port = port_of("Ethernet4");
	assert_string_equal(port.lag, "");
	assert_false(port.oper_up);
	assert_int_equal(port.speed_mbps, 100000); /* STATE_DB has N/A */
	sw = switch_of();
	assert_string_equal(sw.error, "");
	assert_true(sw.has_mac && sw.mac[0] == 2 && sw.mac[5] == 1);
	assert_string_equal(sw.hwsku, "TEST-mellanox");
	assert_string_equal(sw.platform, "x86_64-test_mellanox-r0");
	assert_true(sw.dynamic_buffers);
	assert_int_equal(sw.n_pools, 2);
	assert_string_equal(sw.pools[0].name, "egress_lossy_pool");
	assert_false(sw.pools[0].ingress);
	assert_int_equal(sw.pools[0].known, SONIC_POOL_SIZE);
	assert_string_equal(sw.pools[1].name, "ingress_lossless_pool");
	assert_true(sw.pools[1].ingress && sw.pools[1].dynamic);
	assert_int_equal(sw.pools[1].size, 33554432);
	assert_int_equal(sw.pools[1].xoff, 4194304);
}

/* Buffers in CONFIG_DB, and references in brackets. */
static void test_switch_of_an_older_image(void **state)
{
	struct sonic_port port;
	struct sonic_switch sw;

	(void)state;
	begin("broadcom");
	port = port_of("Ethernet0");
	check_common(&port);
	check_priorities(&port);
	sw = switch_of();
	assert_false(sw.dynamic_buffers);
	assert_int_equal(sw.n_pools, 2);
	assert_int_equal(sw.pools[1].known, SONIC_POOL_SIZE);
}

static void test_switch_without_buffers(void **state)
{
	struct sonic_port port;

	(void)state;
	begin("vs");
	port = port_of("Ethernet0");
	check_common(&port);
	assert_false(port.priority[3].lossless);
	assert_string_equal(port.priority[3].profile, "");
	assert_int_equal(switch_of().n_pools, 0);
}

static void test_intervals_have_defaults(void **state)
{
	struct sonic_switch sw;

	(void)state;
	begin("vs");
	sw = switch_of();
	assert_int_equal(sw.poll_ms[SONIC_GROUP_PORT], 1000);
	assert_int_equal(sw.poll_ms[SONIC_GROUP_WATCHDOG], 200);
	assert_int_equal(sw.poll_ms[SONIC_GROUP_PG_DROPS], 10000);
	assert_int_equal(sw.poll_ms[SONIC_GROUP_PG_WATERMARKS], 30000);
	assert_int_equal(sw.poll_ms[SONIC_GROUP_QUEUE_WATERMARKS], 0); /* disabled */
	run("SELECT 4\nHSET FLEX_COUNTER_TABLE|PORT POLL_INTERVAL x\n");
	sw = switch_of();
	assert_int_equal(sw.poll_ms[SONIC_GROUP_PORT], 1000);
	assert_string_equal(sw.error,
			    "FLEX_COUNTER_TABLE|PORT POLL_INTERVAL: \"x\", expected 1 to "
			    "4294967295");
}

/* --- PFC, maps ----------------------------------------------------------------------------- */

static void test_row_without_pfc_has_none(void **state)
{
	struct sonic_port port;

	(void)state;
	begin("mellanox");
	run("SELECT 4\nHDEL PORT_QOS_MAP|Ethernet0 pfc_enable\n"
	    "HSET PORT_QOS_MAP|Ethernet0 pfcwd_sw_enable \"\"\n");
	port = port_of("Ethernet0");
	assert_true(port.known & SONIC_PFC_ENABLE && port.known & SONIC_PFCWD_ENABLE);
	assert_int_equal(port.pfc_enable, 0);
	assert_int_equal(port.pfcwd_enable, 0);
	assert_string_equal(port.error, "");
	run("DEL PORT_QOS_MAP|Ethernet0\n");
	port = port_of("Ethernet0");
	assert_true(port.known & SONIC_PFC_ENABLE);
	assert_false(port.known & SONIC_ETS);
	assert_false(port.priority[3].known & SONIC_PG);
	assert_true(port.priority[3].known & SONIC_QUEUE_OF);
	assert_string_equal(port.error, "");
}

static void test_row_of_several_ports(void **state)
{
	(void)state;
	begin("mellanox");
	run("SELECT 4\nDEL PORT_QOS_MAP|Ethernet0\nDEL PORT_QOS_MAP|Ethernet4\n"
	    "HSET PORT_QOS_MAP|Ethernet0,Ethernet4 pfc_enable 5\n");
	assert_int_equal(port_of("Ethernet0").pfc_enable, 0x20);
	assert_int_equal(port_of("Ethernet4").pfc_enable, 0x20);
}

static void test_malformed_mask_is_unknown(void **state)
{
	static const char *const bad[] = {"x", "3,x", "8", "-3", "3,", ",3", "3;4", "34", "3 ,4"};

	(void)state;
	begin("mellanox");
	for (size_t i = 0; i < UNIT_COUNT(bad); i++) {
		struct sonic_port port;
		char text[128];

		snprintf(text, sizeof(text),
			 "SELECT 4\nHSET PORT_QOS_MAP|Ethernet0 pfc_enable %s\n", bad[i]);
		if (strchr(bad[i], ' '))
			continue; /* words have no blanks */
		run(text);
		port = port_of("Ethernet0");
		assert_false(port.known & SONIC_PFC_ENABLE);
		assert_int_equal(port.pfc_enable, 0);
		snprintf(
		    text, sizeof(text),
		    "PORT_QOS_MAP|Ethernet0 pfc_enable: \"%s\", expected priorities of 0 to 7, "
		    "such as 3,4",
		    bad[i]);
		assert_string_equal(port.error, text);
		/* The other values are known. */
		assert_int_equal(port.pfcwd_enable, 0x18);
		check_lossless(&port.priority[3]);
	}
}

static void test_missing_map_is_reported(void **state)
{
	struct sonic_port port;

	(void)state;
	begin("vs");
	run("SELECT 4\nDEL TC_TO_PRIORITY_GROUP_MAP|AZURE\n");
	port = port_of("Ethernet0");
	assert_false(port.priority[3].known & SONIC_PG);
	assert_string_equal(port.error,
			    "PORT_QOS_MAP|Ethernet0 tc_to_pg_map: \"AZURE\", expected an "
			    "existing map");
}

static void test_malformed_entry_of_a_map_is_unknown(void **state)
{
	struct sonic_port port;

	(void)state;
	begin("vs");
	run("SELECT 4\nHSET TC_TO_PRIORITY_GROUP_MAP|AZURE 3 9\n");
	port = port_of("Ethernet0");
	assert_false(port.priority[3].known & SONIC_PG);
	assert_true(port.priority[4].known & SONIC_PG);
	assert_string_equal(port.error, "TC_TO_PRIORITY_GROUP_MAP|AZURE 3: \"9\", expected 0 to 7");
	run("HSET TC_TO_PRIORITY_GROUP_MAP|AZURE 3 3 -1 3\n");
	assert_string_equal(port_of("Ethernet0").error,
			    "TC_TO_PRIORITY_GROUP_MAP|AZURE -1: \"3\", expected a field of 0 to 7");
}

static void test_map_of_pfc_is_before_that_of_traffic_classes(void **state)
{
	struct sonic_port port;

	(void)state;
	begin("mellanox");
	run("SELECT 4\nHSET PFC_PRIORITY_TO_PRIORITY_GROUP_MAP|AZURE 3 4\n"
	    "HSET MAP_PFC_PRIORITY_TO_QUEUE|AZURE 3 2\n");
	port = port_of("Ethernet0");
	assert_int_equal(port.priority[3].pg, 4);
	assert_int_equal(port.priority[3].queue, 2);
	assert_int_equal(port.priority[7].pg, 7); /* only in tc_to_pg_map */
}

static void test_priorities_map_to_traffic_classes(void **state)
{
	struct sonic_port port;

	(void)state;
	begin("vs");
	run("SELECT 4\nHSET DOT1P_TO_TC_MAP|D 0 1 1 0 2 2 3 3 4 4 5 5 6 6\n"
	    "HSET PORT_QOS_MAP|Ethernet0 dot1p_to_tc_map D\n");
	port = port_of("Ethernet0");
	assert_int_equal(port.priority[0].tc, 1);
	assert_int_equal(port.priority[1].tc, 0);
	assert_false(port.priority[7].known & SONIC_TC); /* no entry */
	assert_false(port.known & SONIC_ETS);
	assert_int_equal(port.dscp_priority[0], 0); /* TC 1 is of priority 0 */
	assert_int_equal(port.dscp_priority[46], 5);
}

static void test_dscps_have_priorities(void **state)
{
	struct sonic_port port;

	(void)state;
	begin("mellanox");
	port = port_of("Ethernet0");
	assert_string_equal(port.dscp_map, "AZURE"); /* of the switch */
	assert_int_equal(port.dscp_priority[3], 3);
	assert_int_equal(port.dscp_priority[8], 0);
	assert_int_equal(port.dscp_priority[46], 5);
	assert_int_equal(port.dscp_priority[63], 1);
	run("SELECT 4\nHSET DSCP_TO_TC_MAP|OWN 10 4\n"
	    "HSET PORT_QOS_MAP|Ethernet0 dscp_to_tc_map OWN\n");
	port = port_of("Ethernet0");
	assert_string_equal(port.dscp_map, "OWN");
	assert_int_equal(port.dscp_priority[10], 4);
	assert_int_equal(port.dscp_priority[3], SONIC_NO_PRIORITY);
}

/* --- ETS ----------------------------------------------------------------------------------- */

static void test_bandwidths_add_up(void **state)
{
	struct sonic_port port;
	unsigned sum = 0;

	(void)state;
	begin("mellanox");
	port = port_of("Ethernet0");
	assert_true(port.known & SONIC_ETS);
	for (unsigned q = 0; q < DCB_PRIORITIES; q++) {
		assert_int_equal(port.ets.priority_tc[q], q);
		assert_int_equal(port.ets.tsa[q], q == 7 ? TSA_STRICT : TSA_ETS);
		sum += port.ets.bandwidth[q];
	}
	assert_int_equal(sum, 100);
	assert_int_equal(port.ets.bandwidth[7], 0);
	/* 5 x 14 and 2 x 15: exact shares. */
	assert_int_equal(port.ets.bandwidth[0], 14);
	assert_int_equal(port.ets.bandwidth[3], 15);
}

static void test_rounding_favours_the_largest_rest(void **state)
{
	struct sonic_port port;

	(void)state;
	begin("vs");
	/* 3 queues of weight 1 with a priority: 34, 33, 33. */
	run("SELECT 4\nHSET TC_TO_QUEUE_MAP|AZURE 0 0 1 0 2 0 3 3 4 4 5 0 6 0 7 0\n"
	    "HSET SCHEDULER|scheduler.0 weight 1\nHSET SCHEDULER|scheduler.1 weight 1\n");
	port = port_of("Ethernet0");
	assert_int_equal(port.ets.bandwidth[0], 34);
	assert_int_equal(port.ets.bandwidth[3], 33);
	assert_int_equal(port.ets.bandwidth[4], 33);
	assert_int_equal(port.ets.tsa[1], TSA_STRICT); /* has no priority */
	assert_int_equal(port.ets.priority_tc[7], 0);
}

static void test_all_strict_has_no_bandwidths(void **state)
{
	struct sonic_port port;

	(void)state;
	begin("vs");
	run("SELECT 4\nHSET SCHEDULER|scheduler.0 type STRICT\nHSET SCHEDULER|scheduler.1 type "
	    "STRICT\n");
	port = port_of("Ethernet0");
	assert_true(port.known & SONIC_ETS);
	for (unsigned q = 0; q < DCB_PRIORITIES; q++)
		assert_int_equal(port.ets.bandwidth[q] + port.ets.tsa[q], 0);
}

static void test_scheduler_has_defaults_of_sai(void **state)
{
	struct sonic_port port;

	(void)state;
	begin("vs");
	run("SELECT 4\nHSET SCHEDULER|scheduler.0 cir 1\nHDEL SCHEDULER|scheduler.0 type "
	    "weight\nHSET SCHEDULER|scheduler.1 weight "
	    "1\n");
	port = port_of("Ethernet0");
	assert_true(port.known & SONIC_ETS);
	assert_int_equal(port.ets.bandwidth[0], 15);
	assert_int_equal(port.ets.bandwidth[4], 14);
}

static void test_unknown_scheduler_makes_ets_unknown(void **state)
{
	static const struct {
		const char *commands, *error;
	} rows[] = {
	    {"HSET SCHEDULER|scheduler.0 type FIFO\n",
	     "SCHEDULER|scheduler.0 type: \"FIFO\", expected STRICT or DWRR or WRR"},
	    {"HSET SCHEDULER|scheduler.0 weight 0\n",
	     "SCHEDULER|scheduler.0 weight: \"0\", expected 1 to 255"},
	    {"DEL SCHEDULER|scheduler.0\n",
	     "QUEUE|Ethernet0|0 scheduler: \"scheduler.0\", expected an existing scheduler"},
	    {"DEL QUEUE|Ethernet0|0\n", ""},
	};

	(void)state;
	for (size_t i = 0; i < UNIT_COUNT(rows); i++) {
		struct sonic_port port;

		begin("vs");
		run("SELECT 4\n");
		run(rows[i].commands);
		port = port_of("Ethernet0");
		assert_false(port.known & SONIC_ETS);
		assert_int_equal(port.ets.bandwidth[1] + port.ets.tsa[1], 0);
		assert_string_equal(port.error, rows[i].error);
	}
}

static void test_queues_of_a_range_and_of_a_chassis(void **state)
{
	(void)state;
	begin("vs");
	run("SELECT 4\nDEL QUEUE|Ethernet0|0\nDEL QUEUE|Ethernet0|1\nDEL QUEUE|Ethernet0|2\n"
	    "HSET QUEUE|Ethernet4,Ethernet0|0-2 scheduler scheduler.1\n");
	assert_true(port_of("Ethernet0").known & SONIC_ETS);
	run("DEL QUEUE|Ethernet4,Ethernet0|0-2\n"
	    "HSET QUEUE|tor|Asic0|Ethernet0|0-15 scheduler scheduler.1\n");
	assert_true(port_of("Ethernet0").known & SONIC_ETS);
	run("DEL QUEUE|tor|Asic0|Ethernet0|0-15\n"
	    "HSET QUEUE|tor|asic1|Ethernet0|0-2 scheduler scheduler.1\n");
	assert_false(port_of("Ethernet0").known & SONIC_ETS);
	run("HSET QUEUE|tor|asic0|0 scheduler scheduler.1\n"); /* without a port */
	assert_false(port_of("Ethernet0").known & SONIC_ETS);
	run("HSET QUEUE|Ethernet0|0-x scheduler scheduler.1\nHSET QUEUE|Ethernet0|00 scheduler "
	    "scheduler.1\n");
	assert_false(port_of("Ethernet0").known & SONIC_ETS);
}

/* --- values -------------------------------------------------------------------------------- */

/* A malformed value is unknown, and the text names it. */
static void test_malformed_values(void **state)
{
	static const struct {
		const char *commands;
		uint32_t unknown; /* enum sonic_port_member */
		const char *error;
	} rows[] = {
	    {"SELECT 0\nHSET PORT_TABLE:Ethernet0 mtu -1\n", SONIC_MTU,
	     "PORT_TABLE|Ethernet0 mtu: \"-1\", expected 68 to 65535"},
	    {"SELECT 0\nHSET PORT_TABLE:Ethernet0 oper_status UP\n", SONIC_OPER,
	     "PORT_TABLE|Ethernet0 oper_status: \"UP\", expected down or up"},
	    {"SELECT 6\nHSET PORT_TABLE|Ethernet0 speed 18446744073709551617\n", SONIC_SPEED,
	     "PORT_TABLE|Ethernet0 speed: \"18446744073709551617\", expected 1 to 4294967295"},
	    {"SELECT 4\nHSET CABLE_LENGTH|AZURE Ethernet0 5\n", SONIC_CABLE,
	     "CABLE_LENGTH|AZURE Ethernet0: \"5\", expected metres, such as 5m"},
	    {"SELECT 4\nHSET CABLE_LENGTH|AZURE Ethernet0 99999999999m\n", SONIC_CABLE,
	     "CABLE_LENGTH|AZURE Ethernet0: \"99999999999m\", expected metres, such as 5m"},
	    {"SELECT 4\nHSET PORT|Ethernet0 pfc_asym maybe\n", SONIC_PFC_ASYM,
	     "PORT|Ethernet0 pfc_asym: \"maybe\", expected off or on"},
	    {"SELECT 4\nHSET PFC_WD|Ethernet0 detection_time 1s\n", SONIC_WD_DETECTION,
	     "PFC_WD|Ethernet0 detection_time: \"1s\", expected 1 to 4294967295"},
	    {"SELECT 4\nHSET PFC_WD|Ethernet0 action none\n", SONIC_WD_ACTION,
	     "PFC_WD|Ethernet0 action: \"none\", expected drop or forward or alert"},
	};

	(void)state;
	for (size_t i = 0; i < UNIT_COUNT(rows); i++) {
		struct sonic_port good, bad;

		begin("mellanox");
		good = port_of("Ethernet0");
		run(rows[i].commands);
		bad = port_of("Ethernet0");
		assert_int_equal(good.known & ~bad.known, rows[i].unknown);
		assert_string_equal(bad.error, rows[i].error);
	}
}

static void test_malformed_profiles(void **state)
{
	static const struct {
		const char *fields;
		uint32_t unknown; /* enum sonic_priority_member */
		const char *error;
	} rows[] = {
	    {"xoff x", SONIC_PROFILE_XOFF | SONIC_LOSSLESS,
	     "xoff: \"x\", expected 0 to 18446744073709551615"},
	    {"xon -5", SONIC_PROFILE_XON, "xon: \"-5\", expected 0 to 18446744073709551615"},
	    {"dynamic_th 9", SONIC_PROFILE_DYNAMIC, "dynamic_th: \"9\", expected -8 to 8"},
	    {"dynamic_th --1", SONIC_PROFILE_DYNAMIC, "dynamic_th: \"--1\", expected -8 to 8"},
	    {"pool []", 0, "pool: \"[]\", expected a name"},
	};

	(void)state;
	for (size_t i = 0; i < UNIT_COUNT(rows); i++) {
		struct sonic_port good, bad;
		char text[200];

		begin("mellanox");
		good = port_of("Ethernet0");
		snprintf(text, sizeof(text),
			 "SELECT 0\nHSET BUFFER_PROFILE_TABLE:pg_lossless_100000_5m_profile %s\n",
			 rows[i].fields);
		run(text);
		bad = port_of("Ethernet0");
		assert_int_equal(good.priority[3].known & ~bad.priority[3].known, rows[i].unknown);
		snprintf(text, sizeof(text),
			 "BUFFER_PROFILE_TABLE|pg_lossless_100000_5m_profile %s", rows[i].error);
		assert_string_equal(bad.error, text);
		assert_int_equal(bad.priority[0].known, good.priority[0].known);
	}
}

static void test_missing_profile_is_reported(void **state)
{
	struct sonic_port port;

	(void)state;
	begin("mellanox");
	run("SELECT 0\nHSET BUFFER_PG_TABLE:Ethernet0:3-4 profile gone\n");
	port = port_of("Ethernet0");
	assert_false(port.priority[3].known & SONIC_LOSSLESS);
	assert_string_equal(port.error,
			    "BUFFER_PG_TABLE|Ethernet0:3-4 profile: \"gone\", expected an "
			    "existing profile");
	run("HSET BUFFER_PG_TABLE:Ethernet0:3-4 profile NULL\n");
	port = port_of("Ethernet0");
	assert_string_equal(port.error, "");
	assert_true(port.priority[3].known & SONIC_LOSSLESS && !port.priority[3].lossless);
}

static void test_first_error_is_kept(void **state)
{
	(void)state;
	begin("mellanox");
	run("SELECT 4\nHSET PORT|Ethernet0 pfc_asym x\nHSET PFC_WD|Ethernet0 action x\n");
	assert_string_equal(port_of("Ethernet0").error,
			    "PORT|Ethernet0 pfc_asym: \"x\", expected off or on");
}

static void test_long_names_are_malformed(void **state)
{
	static const char long_name[] =
	    "0123456789012345678901234567890123456789"
	    "0123456789012345678901234567890123456789";
	struct sonic_port port;
	char text[256];

	(void)state;
	begin("mellanox");
	snprintf(text, sizeof(text), "SELECT 0\nHSET PORT_TABLE:Ethernet0 alias %s\n", long_name);
	run(text);
	port = port_of("Ethernet0");
	assert_string_equal(port.alias, "");
	assert_string_equal(port.error,
			    "PORT_TABLE|Ethernet0 alias: "
			    "\"01234567890123456789012345678901\", expected a name");
}

static void test_oids_are_found(void **state)
{
	struct sonic_port port;
	struct sonic_oids oids;

	(void)state;
	begin("mellanox");
	port = port_of("Ethernet4");
	assert_false(port.known & SONIC_OID);
	sonic_oids_of(&c.of, &port, &oids);
	assert_true(port.known & SONIC_OID);
	assert_true(oids.port == UINT64_C(0x1000000000003) && port.oid == oids.port);
	assert_true(oids.queue[3] == UINT64_C(0x1500000000006f));
	assert_true(oids.pg[7] == UINT64_C(0x1a000000000073));
	run("SELECT 2\nHSET COUNTERS_PORT_NAME_MAP Ethernet4 0x12\n");
	sonic_oids_of(&c.of, &port, &oids);
	assert_false(port.known & SONIC_OID);
	assert_true(oids.port == 0 && port.oid == 0);
	assert_string_equal(port.error,
			    "COUNTERS_PORT_NAME_MAP| Ethernet4: \"0x12\", expected oid:0x "
			    "and 1 to 16 hexadecimal digits");
}

UNIT_MAIN
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_ifindex_is_that_of_the_snmp_agent),
	    cmocka_unit_test(test_oid_is_read),
	    cmocka_unit_test_teardown(test_name_of_no_port_is_refused, end),
	    cmocka_unit_test_teardown(test_switch_of_a_new_image, end),
	    cmocka_unit_test_teardown(test_switch_of_an_older_image, end),
	    cmocka_unit_test_teardown(test_switch_without_buffers, end),
	    cmocka_unit_test_teardown(test_intervals_have_defaults, end),
	    cmocka_unit_test_teardown(test_row_without_pfc_has_none, end),
	    cmocka_unit_test_teardown(test_row_of_several_ports, end),
	    cmocka_unit_test_teardown(test_malformed_mask_is_unknown, end),
	    cmocka_unit_test_teardown(test_missing_map_is_reported, end),
	    cmocka_unit_test_teardown(test_malformed_entry_of_a_map_is_unknown, end),
	    cmocka_unit_test_teardown(test_map_of_pfc_is_before_that_of_traffic_classes, end),
	    cmocka_unit_test_teardown(test_priorities_map_to_traffic_classes, end),
	    cmocka_unit_test_teardown(test_dscps_have_priorities, end),
	    cmocka_unit_test_teardown(test_bandwidths_add_up, end),
	    cmocka_unit_test_teardown(test_rounding_favours_the_largest_rest, end),
	    cmocka_unit_test_teardown(test_all_strict_has_no_bandwidths, end),
	    cmocka_unit_test_teardown(test_scheduler_has_defaults_of_sai, end),
	    cmocka_unit_test_teardown(test_unknown_scheduler_makes_ets_unknown, end),
	    cmocka_unit_test_teardown(test_queues_of_a_range_and_of_a_chassis, end),
	    cmocka_unit_test_teardown(test_malformed_values, end),
	    cmocka_unit_test_teardown(test_malformed_profiles, end),
	    cmocka_unit_test_teardown(test_missing_profile_is_reported, end),
	    cmocka_unit_test_teardown(test_first_error_is_kept, end),
	    cmocka_unit_test_teardown(test_long_names_are_malformed, end),
	    cmocka_unit_test_teardown(test_oids_are_found, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
