/* SPDX-License-Identifier: BSD-3-Clause */
/* dcbd.conf: settings of valid files. */
#include <string.h>

#include "control/conf/conf.h"
#include "lib/ranges.h"
#include "tests/unit/control/conf/conf_file.h"

static void test_empty_file_gives_defaults(void **state)
{
	struct conf conf;

	(void)state;
	conf_init(&conf);
	assert_default_conf(&conf);
	conf_free(&conf);
	read_good(&conf, "");
	assert_default_conf(&conf);
	conf_free(&conf);
}

static void test_all_settings_are_read(void **state)
{
	const struct port_settings *s;
	struct conf conf;

	(void)state;
	/* "ports" is before "defaults" in the file: its entries still start from the defaults. */
	read_good(
	    &conf,
	    "role = \"station\"; component = 4294967295L;\n"
	    "ports = ( { name = \"swp3\"; rate = 100000000L; default_priority = 3; },\n"
	    "          { name = \"swp[0-9]\"; rate = \"2.5G\"; pvid_tagged = false;"
	    "            nic_timestamps = false; } );\n"
	    "interfaces = { include = [\"swp*\", \"lan?\"]; exclude = (\"swp9\");\n"
	    "               keep_absent = true; };\n"
	    "bridge = { ageing = 10; transit_delay = 250; fdb_entries = 16; frame_buffers = 64;\n"
	    "           frame_octets = 9216; receive_memory = 1; qdisc_bypass = false; };"
	    "dataplane = { priority = 49; cpu = 3; };\n"
	    "defaults = { rate = \"10G\"; buffer = 0x10000; pvid = 4094;\n"
	    "             default_priority = 7; pvid_tagged = true;"
	    "             traffic_classes = [ 0, 0, 0, 1, 2, 2, 3, 7 ];"
	    "             pfc = { buffer = 3000000; headroom = 1000000; xon = 5; pause = true; }; "
	    "};\n"
	    "memory_ports = 4096;\n"
	    "state_file = \"/s\"; control = { socket = \"/c\"; group = \"dcb\"; "
	    "agent_user = \"snmp\"; view = \"/v\"; view_group = \"all\"; };"
	    "lldp = { enable = false; socket = \"/l\"; group = \"g\"; destination = 3; "
	    "hold_new_ports = false; "
	    "program = \"/p\"; };\n"
	    "user = \"dcbd\";\n"
	    "initial = ( { object = \"ieee8021CnComPriRowStatus\"; index = \"1.3\";\n"
	    "              value = \"createAndGo\"; },\n"
	    "            { object = \"ieee8021CnCpQueueSizeSetPoint\"; index = \"1.*.3\";\n"
	    "              port = \"swp*\"; value = 30000; } );\n");
	assert_int_equal(conf.role, ROLE_STATION);
	assert_int_equal(conf.component_id, UINT32_MAX);
	assert_int_equal(conf.fdb_ageing_s, 10);
	assert_int_equal(conf.transit_delay_ms, 250);
	assert_int_equal(conf.port_default.pfc_buffer_octets, 3000000);
	assert_int_equal(conf.port_default.pfc_headroom_octets, 1000000);
	assert_int_equal(conf.port_default.pfc_xon_octets, 5);
	assert_true(conf.port_default.rx_pause);
	assert_true(conf.port_default.classified);
	assert_memory_equal(conf.port_default.traffic_class, "\0\0\0\1\2\2\3\7", DCB_PRIORITIES);
	assert_int_equal(conf.fdb_entries, 16);
	assert_int_equal(conf.frame_buffers, 64);
	assert_int_equal(conf.frame_octets, 9216);
	assert_int_equal(conf.receive_mib, 1);
	assert_int_equal(conf.memory_ports, 4096);
	assert_false(conf.qdisc_bypass);
	assert_true(conf.keep_absent);
	assert_int_equal(conf.dataplane_cpu, 3);
	assert_int_equal(conf.dataplane_priority, 49);
	assert_true(conf.priority_is_set);
	assert_string_equal(conf.state_file, "/s");
	assert_string_equal(conf.control_socket, "/c");
	assert_false(conf.lldp_enable);
	assert_string_equal(conf.lldp_socket, "/l");
	assert_string_equal(conf.lldp_group, "g");
	assert_string_equal(conf.lldp_program, "/p");
	assert_int_equal(conf.lldp_destination, 3);
	assert_false(conf.lldp_hold_new_ports);
	assert_string_equal(conf.control_group, "dcb");
	assert_string_equal(conf.control_agent, "snmp");
	assert_string_equal(conf_view(&conf), "/v");
	assert_string_equal(conf.control_view_group, "all");
	assert_string_equal(conf.user, "dcbd");

	assert_true(conf_manages(&conf, "swp3"));
	assert_true(conf_manages(&conf, "lan0"));
	assert_false(conf_manages(&conf, "swp9"));
	assert_false(conf_manages(&conf, "lan10"));
	assert_false(conf_manages(&conf, "eth0"));

	s = conf_port_settings(&conf, "swp3");
	assert_int_equal(s->rate.bps, 100000000);
	assert_int_equal(s->buffer_octets, 0x10000);
	assert_int_equal(s->pvid, 4094);
	assert_int_equal(s->default_priority, 3);
	assert_true(s->pvid_tagged);
	assert_true(s->nic_times);
	s = conf_port_settings(&conf, "swp4");
	assert_int_equal(s->rate.bps, 2500000000);
	assert_int_equal(s->default_priority, 7);
	assert_false(s->pvid_tagged);
	assert_false(s->nic_times);
	s = conf_port_settings(&conf, "lan0");
	assert_int_equal(s->rate.bps, 10000000000);

	assert_int_equal(conf.n_initial, 2);
	assert_string_equal(conf.initial[0].object, "ieee8021CnComPriRowStatus");
	assert_string_equal(conf.initial[0].index, "1.3");
	assert_null(conf.initial[0].port);
	assert_string_equal(conf.initial[0].value, "createAndGo");
	assert_int_equal(conf.initial[0].line, 13);
	assert_string_equal(conf.initial[1].index, "1.*.3");
	assert_string_equal(conf.initial[1].port, "swp*");
	assert_string_equal(conf.initial[1].value, "30000");
	conf_free(&conf);
}

/* The buffer may be no larger than necessary, or automatic in one port only. */
static void test_sufficient_receive_buffers_are_accepted(void **state)
{
	struct conf conf;

	(void)state;
	read_good(&conf,
		  "defaults = { pfc = { buffer = 22052; headroom = 20000; }; };\n"
		  "ports = ( { name = \"a\"; pfc = { buffer = 0; headroom = 500000; }; } );");
	assert_int_equal(conf.port_default.pfc_buffer_octets, 22052);
	assert_int_equal(conf_port_settings(&conf, "a")->pfc_buffer_octets, 0);
	conf_free(&conf);
}

/* The VLANs of an entry replace those of defaults; a port may have neither. */
static void test_vlans_are_of_the_first_matching_entry(void **state)
{
	static const uint8_t none[VLAN_SET_OCTETS];
	const struct conf_vlans *vlans;
	struct conf conf;

	(void)state;
	read_good(&conf,
		  "ports = ( { name = \"a\"; vlans = \"1,10-20\"; },\n"
		  "{ name = \"b\"; vlans = \"none\"; }, { name = \"c\"; } );\n");
	vlans = conf_port_vlans(&conf, "a");
	assert_int_equal(vlans->line, 1);
	for (uint32_t vid = 0; vid < 4096; vid++)
		assert_int_equal(ranges_has(vlans->member, vid),
				 vid == 1 || (vid >= 10 && vid <= 20));
	assert_memory_equal(conf_port_vlans(&conf, "b")->member, none, sizeof(none));
	assert_null(conf_port_vlans(&conf, "c"));
	assert_null(conf_port_vlans(&conf, "d"));
	conf_free(&conf);
	read_good(&conf,
		  "ports = ( { name = \"a\"; vlans = \"7\"; }, { name = \"b\"; } );\n"
		  "defaults = { vlans = \"4094\"; };\n");
	assert_true(ranges_has(conf_port_vlans(&conf, "a")->member, 7));
	assert_false(ranges_has(conf_port_vlans(&conf, "a")->member, 4094));
	assert_true(ranges_has(conf_port_vlans(&conf, "b")->member, 4094));
	assert_true(ranges_has(conf_port_vlans(&conf, "c")->member, 4094));
	conf_free(&conf);
}

static void test_only_valid_rates_are_accepted(void **state)
{
	static const struct {
		const char *text;
		int64_t bps; /* -1: not a rate */
	} rates[] = {
	    {"0", 0},
	    {"\"0\"", 0},
	    {"1000", 1000},
	    {"\"1k\"", 1000},
	    {"\"100M\"", 100000000},
	    {"\"2.5G\"", 2500000000},
	    {"\"0.0015G\"", 1500000},
	    {"\"1.000000001G\"", 1000000001},
	    {"\"10T\"", 10000000000000},
	    {"10000000000000L", 10000000000000},
	    {"999", -1},
	    {"-1", -1},
	    {"\"10T1\"", -1},
	    {"\"11T\"", -1},
	    {"10000000000001L", -1},
	    {"\"99999999999999999999G\"", -1},
	    {"\"1.0000000001G\"", -1},
	    {"\"1.5\"", -1},
	    {"\".5G\"", -1},
	    {"\"5.G\"", -1},
	    {"\"1.5.5G\"", -1},
	    {"\"G\"", -1},
	    {"\"\"", -1},
	    {"\"10g\"", -1},
	    {"\"10 G\"", -1},
	    {"\"-10G\"", -1},
	    {"\"10Gbit\"", -1},
	    {"1.5", -1},
	    {"true", -1},
	};

	(void)state;
	for (size_t i = 0; i < UNIT_COUNT(rates); i++) {
		char text[80], err[512];
		struct conf conf;
		bool ok;

		snprintf(text, sizeof(text), "defaults = { rate = %s; };", rates[i].text);
		write_file(text);
		conf_init(&conf);
		ok = conf_read(&conf, file, err, sizeof(err));
		if (ok != (rates[i].bps >= 0))
			fail_msg("%s: %s", text, ok ? "accepted" : err);
		if (ok)
			assert_int_equal(conf.port_default.rate.bps, rates[i].bps);
		else
			assert_non_null(strstr(err, "a rate of 1k..10T bit/s"));
		conf_free(&conf);
	}
}

/* A second conf_read() replaces all settings of the first. */
static void test_second_read_replaces_the_first(void **state)
{
	struct conf conf;
	char err[512];

	(void)state;
	read_good(&conf, "user = \"a\"; interfaces = { include = [ \"x\" ]; };");
	write_file("memory_ports = 2;");
	assert_true(conf_read(&conf, file, err, sizeof(err)));
	assert_null(conf.user);
	assert_int_equal(conf.n_include, 0);
	assert_int_equal(conf.memory_ports, 2);
	conf_free(&conf);
}

/* A rule has the conditions of its settings, and no others. */
static void test_flow_rules_have_given_conditions(void **state)
{
	struct conf conf;

	(void)state;
	read_good(&conf,
		  "role = \"station\";\n"
		  "ports = ( { name = \"eth0\"; tap = \"storage\"; flow_buffer = 3000; } );\n"
		  "flows = ( { protocol = \"tcp\"; port = 5201; source_port = 1; dscp = 46;\n"
		  "            ethertype = 0x0800; vlan = 7; priority = 3; reaction_point = 2;\n"
		  "            destination = \"02:ab:CD:00:00:01\"; },\n"
		  "          { protocol = 89; reaction_point = 100; },\n"
		  "          { priority = 0; } );");
	assert_int_equal(conf.flows.n, 3);
	assert_int_equal(conf.flows.rule[0].match, 127);
	assert_int_equal(conf.flows.rule[0].protocol, 6);
	assert_int_equal(conf.flows.rule[0].port, 5201);
	assert_int_equal(conf.flows.rule[0].source_port, 1);
	assert_int_equal(conf.flows.rule[0].dscp, 46);
	assert_int_equal(conf.flows.rule[0].ethertype, 0x800);
	assert_int_equal(conf.flows.rule[0].vlan, 7);
	assert_memory_equal(conf.flows.rule[0].destination, "\x02\xab\xcd\0\0\x01", 6);
	assert_true(conf.flows.rule[0].sets_priority);
	assert_int_equal(conf.flows.rule[0].priority, 3);
	assert_int_equal(conf.flows.rule[0].reaction_point, 2);
	assert_int_equal(conf.flows.rule[1].match, FLOW_PROTOCOL);
	assert_int_equal(conf.flows.rule[1].protocol, 89);
	assert_false(conf.flows.rule[1].sets_priority);
	assert_int_equal(conf.flows.rule[2].match, 0);
	assert_true(conf.flows.rule[2].sets_priority);
	assert_string_equal(conf_port_settings(&conf, "eth0")->tap, "storage");
	assert_int_equal(conf_port_settings(&conf, "eth0")->flow_buffer_octets, 3000);
	assert_string_equal(conf_port_settings(&conf, "eth1")->tap, "dcb%d");
	assert_int_equal(conf_port_settings(&conf, "eth1")->flow_buffer_octets, 1 << 20);
	conf_free(&conf);
}

static void assert_valid_example(const char *name)
{
	const char *srcdir = getenv("DCB_SRCDIR");
	char path[4096], err[512];
	struct conf conf;

	snprintf(path, sizeof(path), "%s/contrib/%s", srcdir ? srcdir : ".", name);
	conf_init(&conf);
	if (!conf_read(&conf, path, err, sizeof(err)))
		fail_msg("%s", err);
	assert_true(conf.n_include > 0);
	conf_free(&conf);
}

/* The example files in contrib are valid. */
static void test_example_files_are_valid(void **state)
{
	(void)state;
	assert_valid_example("dcbd.conf");
	assert_valid_example("dcbd-station.conf");
}

static void test_real_time_is_switched_off_by_0_and_by_a_word(void **state)
{
	static const char *const texts[] = {"dataplane = { priority = 0; };",
					    "dataplane = { priority = \"off\"; };"};
	struct conf conf;

	(void)state;
	for (size_t i = 0; i < UNIT_COUNT(texts); i++) {
		read_good(&conf, texts[i]);
		assert_int_equal(conf.dataplane_priority, 0);
		assert_true(conf.priority_is_set);
		conf_free(&conf);
	}
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_empty_file_gives_defaults),
	    cmocka_unit_test(test_all_settings_are_read),
	    cmocka_unit_test(test_sufficient_receive_buffers_are_accepted),
	    cmocka_unit_test(test_vlans_are_of_the_first_matching_entry),
	    cmocka_unit_test(test_only_valid_rates_are_accepted),
	    cmocka_unit_test(test_second_read_replaces_the_first),
	    cmocka_unit_test(test_flow_rules_have_given_conditions),
	    cmocka_unit_test(test_real_time_is_switched_off_by_0_and_by_a_word),
	    cmocka_unit_test(test_example_files_are_valid),
	};

	return cmocka_run_group_tests(tests, make_file, remove_file);
}
