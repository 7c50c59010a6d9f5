/* SPDX-License-Identifier: BSD-3-Clause */
/* dcbd.conf: settings of valid files, and error messages for invalid files. */
#include "control/conf/conf.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "lib/ranges.h"
#include "tests/unit/unit.h"

static char file[] = "/tmp/test_conf.XXXXXX";

static int make_file(void **state)
{
	int fd = mkstemp(file);

	(void)state;
	if (fd >= 0)
		close(fd);
	return fd >= 0 ? 0 : -1;
}

static int remove_file(void **state)
{
	(void)state;
	return unlink(file);
}

static void write_file(const char *text)
{
	FILE *f = fopen(file, "w");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static void read_good(struct conf *conf, const char *text)
{
	char err[512];

	write_file(text);
	conf_init(conf);
	if (!conf_read(conf, file, err, sizeof(err)))
		fail_msg("%s", err);
}

static void assert_default(const struct conf *conf)
{
	assert_int_equal(conf->role, ROLE_BRIDGE);
	assert_int_equal(conf->component_id, 1);
	assert_int_equal(conf->fdb_ageing_s, 300);
	assert_int_equal(conf->transit_delay_ms, 1000);
	assert_int_equal(conf->fdb_entries, 8192);
	assert_int_equal(conf->frame_buffers, 16384);
	assert_int_equal(conf->frame_octets, 2048);
	assert_int_equal(conf->memory_ports, 0);
	assert_int_equal(conf->receive_mib, 72);
	assert_true(conf->qdisc_bypass);
	assert_false(conf->keep_absent);
	assert_int_equal(conf_cpu(conf), -1);
	assert_int_equal(conf->dataplane_priority, 5);
	assert_false(conf->priority_is_set);
	assert_string_equal(conf->state_file, "/var/lib/dcbd/state");
	assert_string_equal(conf->control_socket, "/run/dcbd/control");
	assert_true(conf->lldp_enable);
	assert_string_equal(conf->lldp_socket, "/run/lldpd.socket");
	assert_string_equal(conf->lldp_group, "_lldpd");
	assert_null(conf->lldp_program);
	assert_int_equal(conf->lldp_destination, 1);
	assert_null(conf->control_group);
	assert_null(conf->control_agent);
	assert_string_equal(conf_view(conf), "/run/dcbd/view");
	assert_null(conf->control_view_group);
	assert_null(conf->user);
	assert_int_equal(conf->port_default.rate.bps, 0);
	assert_int_equal(conf->port_default.buffer_octets, 400000);
	assert_int_equal(conf->port_default.pfc_buffer_octets, 0);
	assert_int_equal(conf->port_default.pfc_headroom_octets, 0);
	assert_int_equal(conf->port_default.pfc_xon_octets, 0);
	assert_false(conf->port_default.rx_pause);
	assert_false(conf->port_default.classified);
	assert_int_equal(conf->port_default.pvid, 1);
	assert_int_equal(conf->port_default.default_priority, 0);
	assert_false(conf->port_default.pvid_tagged);
	assert_true(conf->port_default.nic_times);
	assert_false(conf->port_default.memory);
	assert_int_equal(conf->n_include + conf->n_exclude + conf->n_ports + conf->n_initial, 0);
	assert_false(conf_manages(conf, "eth0"));
}

static void test_empty_file_gives_defaults(void **state)
{
	struct conf conf;

	(void)state;
	conf_init(&conf);
	assert_default(&conf);
	conf_free(&conf);
	read_good(&conf, "");
	assert_default(&conf);
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
	assert_int_equal(conf_cpu(&conf), 3);
	assert_int_equal(conf.dataplane_priority, 49);
	assert_true(conf.priority_is_set);
	assert_string_equal(conf.state_file, "/s");
	assert_string_equal(conf.control_socket, "/c");
	assert_false(conf.lldp_enable);
	assert_string_equal(conf.lldp_socket, "/l");
	assert_string_equal(conf.lldp_group, "g");
	assert_string_equal(conf.lldp_program, "/p");
	assert_int_equal(conf.lldp_destination, 3);
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

/* %s in a message stands for the path of the file. */
static const struct {
	const char *text, *message;
} bad[] = {
    {"role = \"switch\";",
     "%s:1: role: expected \"bridge\", \"station\" or \"rbridge\", not \"switch\""},
    {"role = 1;", "%s:1: role: expected \"bridge\", \"station\" or \"rbridge\", not 1"},
    {"\n\ncomponent = 0;", "%s:3: component: expected an integer 1..4294967295, not 0"},
    {"component = 4294967296L;",
     "%s:1: component: expected an integer 1..4294967295, not 4294967296"},
    {"component = \"1\";", "%s:1: component: expected an integer 1..4294967295, not \"1\""},
    {"color = 1;",
     "%s:1: color: unknown setting: expected one of role, component, interfaces, bridge, "
     "dataplane, defaults, ports, flows, memory_ports, state_file, control, lldp, macsec, user, "
     "initial"},
    {"interfaces = {\n  includes = [ \"a\" ];\n};",
     "%s:2: interfaces.includes: unknown setting: expected one of include, exclude, keep_absent"},
    {"interfaces = [ \"a\" ];", "%s:1: interfaces: expected a group { ... }, not an array"},
    {"interfaces = { include = \"a\"; };",
     "%s:1: interfaces.include: expected an array [ \"name\", ... ], not \"a\""},
    {"interfaces = { include = [ 1 ]; };",
     "%s:1: interfaces.include[0]: expected an interface name or pattern of 1..15 characters, "
     "not 1"},
    {"interfaces = { include = [ \"\" ]; };",
     "%s:1: interfaces.include[0]: expected an interface name or pattern of 1..15 characters, "
     "not \"\""},
    {"interfaces = { exclude = [ \"a\",\n \"enp0s31f6v12345x\" ]; };",
     "%s:2: interfaces.exclude[1]: expected an interface name or pattern of 1..15 characters, "
     "not \"enp0s31f6v12345x\""},
    {"interfaces = { include = [ \"a/b\" ]; };",
     "%s:1: interfaces.include[0]: expected an interface name or pattern of 1..15 characters, "
     "not \"a/b\""},
    {"interfaces = { include = [ \"a\", \"b\",\n \"a\" ]; };",
     "%s:2: interfaces.include[2]: duplicate \"a\""},
    {"interfaces = { keep_absent = 1; };",
     "%s:1: interfaces.keep_absent: expected true or false, not 1"},
    {"bridge = { ageing = 9; };", "%s:1: bridge.ageing: expected an integer 10..1000000, not 9"},
    {"bridge = { ageing = 1000001; };",
     "%s:1: bridge.ageing: expected an integer 10..1000000, not 1000001"},
    {"bridge = { ageing = 300.5; };",
     "%s:1: bridge.ageing: expected an integer 10..1000000, not 300.5"},
    {"bridge = { fdb_entries = 15; };",
     "%s:1: bridge.fdb_entries: expected an integer 16..1048576, not 15"},
    {"bridge = { frame_buffers = 63; };",
     "%s:1: bridge.frame_buffers: expected an integer 64..1048576, not 63"},
    {"bridge = { frame_octets = 1535; };",
     "%s:1: bridge.frame_octets: expected an integer 1536..65536, not 1535"},
    {"bridge = { receive_memory = 65537; };",
     "%s:1: bridge.receive_memory: expected an integer 1..65536, not 65537"},
    {"bridge = { qdisc_bypass = \"yes\"; };",
     "%s:1: bridge.qdisc_bypass: expected true or false, not \"yes\""},
    {"bridge = { cpu = -2; };", "%s:1: bridge.cpu: expected an integer -1..1023, not -2"},
    {"dataplane = { cpu = 1024; };", "%s:1: dataplane.cpu: expected an integer -1..1023, not 1024"},
    {"bridge = { cpu = 0; };\ndataplane = { cpu = 1; };",
     "%s:2: dataplane.cpu: expected either this or bridge.cpu, its former name"},
    {"dataplane = { priority = 100; };",
     "%s:1: dataplane.priority: expected an integer 0..99 or \"off\", not 100"},
    {"dataplane = { priority = \"on\"; };",
     "%s:1: dataplane.priority: expected an integer 0..99 or \"off\", not \"on\""},
    {"defaults = { buffer = 1999; };",
     "%s:1: defaults.buffer: expected an integer 2000..1073741824, not 1999"},
    {"defaults = { pvid = 1.0; };", "%s:1: defaults.pvid: expected an integer 1..4094, not 1.0"},
    {"defaults = { pvid = 0; };", "%s:1: defaults.pvid: expected an integer 1..4094, not 0"},
    {"defaults = { pvid = 4095; };", "%s:1: defaults.pvid: expected an integer 1..4094, not 4095"},
    {"defaults = { vlans = \"1-4095\"; };",
     "%s:1: defaults.vlans: expected VLANs 1..4094 such as \"1,10-20\", or \"none\", not "
     "\"1-4095\""},
    {"ports = ( { name = \"a\";\n vlans = \"1, 2\"; } );",
     "%s:2: ports[0].vlans: expected VLANs 1..4094 such as \"1,10-20\", or \"none\", not "
     "\"1, 2\""},
    {"ports = ( { name = \"a\"; vlans = 10; } );",
     "%s:1: ports[0].vlans: expected VLANs 1..4094 such as \"1,10-20\", or \"none\", not 10"},
    {"ports = ( { name = \"a\"; vlans = \"1\"; provider = \"observe\"; } );",
     "%s:1: ports[0].vlans: provider \"observe\" moves no frames: expected name and provider "
     "only"},
    {"role = \"station\";\nports = ( { name = \"a\"; vlans = \"1\"; } );",
     "%s:2: ports[0].vlans: expected no vlans in a station"},
    {"role = \"station\";\ndefaults = { vlans = \"1\"; };",
     "%s:2: defaults.vlans: expected no vlans in a station"},
    {"role = \"station\";\nports = ( { name = \"a\"; provider = \"station\"; } );",
     "%s:2: ports[0].provider: expected \"soft\" or \"observe\" in a station, whose ports are "
     "stations"},
    {"role = \"station\";\ndefaults = { provider = \"station\"; };",
     "%s:2: defaults.provider: expected \"soft\" or \"observe\" in a station, whose ports are "
     "stations"},
    {"role = \"rbridge\";\nports = ( { name = \"b\"; vlans = \"1\"; },\n"
     "{ name = \"a\"; provider = \"station\"; vlans = \"1\"; } );",
     "%s:3: ports[1].vlans: expected no vlans in a station"},
    {"initial = ( { object = \"dcbStaticUnicastPort\"; index = \"1.2.0.0.0.0.1\"; value = \"*\"; } "
     ");",
     "%s:1: initial[0]: expected a port, because the value has a \"*\""},
    {"initial = ( { object = \"dcbTrillNextHopRowStatus\"; index = \"3.256.2.0.0.0.0.1\"; port = "
     "\"a\"; value = \"createAndGo\"; } );",
     "%s:1: initial[0].index: expected ifIndex as *.dcbTrillNextHopNickname."
     "dcbTrillNextHopAddress, not \"3.256.2.0.0.0.0.1\""},
    {"initial = ( { object = \"dcbTrillNextHopRowStatus\"; index = \"*.65472.2.0.0.0.0.1\"; port = "
     "\"a\"; value = \"createAndGo\"; } );",
     "%s:1: initial[0].index: expected ifIndex as *.dcbTrillNextHopNickname."
     "dcbTrillNextHopAddress, not \"*.65472.2.0.0.0.0.1\""},
    {"initial = ( { object = \"dcbTrillNextHopRowStatus\"; index = \"*.256.2.0.0.*.0.1\"; port = "
     "\"a\"; value = \"createAndGo\"; } );",
     "%s:1: initial[0].index: expected ifIndex as *.dcbTrillNextHopNickname."
     "dcbTrillNextHopAddress, not \"*.256.2.0.0.*.0.1\""},
    {"initial = ( { object = \"dcbVlanPortEgress\"; index = \"*\"; port = \"a\"; value = "
     "\"1-1024\"; } );",
     "%s:1: initial[0].value: expected none, or VLANs 1..1023 as 1,10-20, not \"1-1024\""},
    {"defaults = { default_priority = 8; };",
     "%s:1: defaults.default_priority: expected an integer 0..7, not 8"},
    {"defaults = { rate = \"fast\"; };",
     "%s:1: defaults.rate: expected a rate of 1k..10T bit/s such as \"2.5G\" or 100000000, or 0, "
     "not \"fast\""},
    {"defaults = { name = \"a\"; };",
     "%s:1: defaults.name: unknown setting: expected one of provider, rate, buffer, pvid, "
     "default_priority, pvid_tagged, nic_timestamps, flow_buffer, regeneration, "
     "traffic_classes, profile, cn, pfc, vlans"},
    {"defaults = { provider = \"asic\"; };",
     "%s:1: defaults.provider: expected \"soft\", \"station\" or \"observe\", not \"asic\""},
    {"ports = ( { name = \"a\"; provider = 1; } );",
     "%s:1: ports[0].provider: expected \"soft\", \"station\" or \"observe\", not 1"},
    {"ports = ( { name = \"a\"; },\n{ name = \"b\"; rate = 1000; provider = \"observe\"; } );",
     "%s:2: ports[1].rate: provider \"observe\" moves no frames: expected name and provider only"},
    {"defaults = { provider = \"observe\"; };\nports = ( { name = \"a\"; aggregate = \"t\"; } );",
     "%s:2: ports[0].aggregate: provider \"observe\" moves no frames: expected name and "
     "provider only"},
    {"defaults = { traffic_classes = [ 0, 1 ]; };",
     "%s:1: defaults.traffic_classes: expected eight traffic classes [ 1, 0, 2, 3, 4, 5, 6, 7 ]"},
    {"defaults = {\n traffic_classes = ( 0, 1, 2, 3, 4, 5, 6, 8 ); };",
     "%s:2: defaults.traffic_classes[7]: expected an integer 0..7, not 8"},
    {"defaults = { pfc = { pause = 1; }; };",
     "%s:1: defaults.pfc.pause: expected true or false, not 1"},
    {"defaults = { pfc = { buffer = 1999; }; };",
     "%s:1: defaults.pfc.buffer: expected an integer 2000..1073741824, not 1999"},
    {"defaults = { pfc = { headroom = 20000;\n buffer = 22051; }; };",
     "%s:2: defaults.pfc.buffer: pfc.buffer has 22051 octets: expected at least 22052, "
     "pfc.headroom 20000 and a tagged frame of 2052, or 0"},
    {"defaults = { pfc = { buffer = 30000; }; };\n"
     "ports = ( { name = \"a\"; pfc = { headroom = 28000; }; } );",
     "%s:2: ports[0].pfc: pfc.buffer has 30000 octets: expected at least 30052, "
     "pfc.headroom 28000 and a tagged frame of 2052, or 0"},
    {"ports = ( { name = \"a\"; },\n { name = \"b\"; pfc = { buffer = 9219; }; } );\n"
     "bridge = { frame_octets = 9216; };",
     "%s:2: ports[1].pfc.buffer: pfc.buffer has 9219 octets: expected at least 9220, "
     "pfc.headroom 0 and a tagged frame of 9220, or 0"},
    {"ports = { name = \"a\"; };",
     "%s:1: ports: expected a list ( { name = ...; }, ... ), not a group"},
    {"ports = ( \"a\" );", "%s:1: ports[0]: expected a group { ... }, not \"a\""},
    {"ports = (\n { rate = \"1G\"; } );", "%s:2: ports[0]: expected a name"},
    {"ports = ( { name = \"a\"; },\n { name = \"b\"; },\n { name = \"a\"; } );",
     "%s:3: ports[2]: \"a\" has an entry already: ports[0]"},
    {"ports = ( { name = \"a\"; },\n { name = \"b\";\n pvid = 5000; } );",
     "%s:3: ports[1].pvid: expected an integer 1..4094, not 5000"},
    {"ports = ( { name = \"a\"; aggregate = \"\"; } );",
     "%s:1: ports[0].aggregate: expected a name of 1..15 characters, not \"\""},
    {"ports = ( { name = \"a\"; aggregate = \"a234567890123456\"; } );",
     "%s:1: ports[0].aggregate: expected a name of 1..15 characters, not \"a234567890123456\""},
    {"ports = ( { name = \"a\"; aggregate = \"t\"; } );\nrole = \"station\";",
     "%s:1: ports[0].aggregate: expected no aggregate in a station"},
    {"ports = ( { name = \"a\"; tap = \"\"; } );",
     "%s:1: ports[0].tap: expected an interface name such as \"dcb0\" or \"dcb%d\", not \"\""},
    {"ports = ( { name = \"a\"; tap = \"dcb%s\"; } );",
     "%s:1: ports[0].tap: expected an interface name such as \"dcb0\" or \"dcb%d\", not "
     "\"dcb%s\""},
    {"ports = ( { name = \"a\"; tap = \"%d%d\"; } );",
     "%s:1: ports[0].tap: expected an interface name such as \"dcb0\" or \"dcb%d\", not "
     "\"%d%d\""},
    {"ports = ( { name = \"a\"; tap = \"0123456789abcdef\"; } );",
     "%s:1: ports[0].tap: expected an interface name such as \"dcb0\" or \"dcb%d\", not "
     "\"0123456789abcdef\""},
    {"ports = ( { name = \"a\"; tap = \"a/b\"; } );",
     "%s:1: ports[0].tap: expected an interface name such as \"dcb0\" or \"dcb%d\", not \"a/b\""},
    {"ports = ( { name = \"eth*\";\n tap = \"dcb0\"; } );",
     "%s:2: ports[0].tap: expected a name with %d, because \"eth*\" can match several ports"},
    {"ports = ( { name = \"a\"; tap = \"t\"; },\n { name = \"b\"; tap = \"t\"; } );",
     "%s:2: ports[1].tap: \"t\" is the tap of ports[0] already"},
    {"defaults = { tap = \"dcb%d\"; };",
     "%s:1: defaults.tap: unknown setting: expected one of provider, rate, buffer, pvid, "
     "default_priority, pvid_tagged, nic_timestamps, flow_buffer, regeneration, "
     "traffic_classes, profile, cn, pfc, vlans"},
    {"defaults = { flow_buffer = 1999; };",
     "%s:1: defaults.flow_buffer: expected an integer 2000..1073741824, not 1999"},
    {"flows = { };",
     "%s:1: flows: expected a list ( { port = ...; priority = ...; }, ... ), not a group"},
    {"flows = ( 3 );", "%s:1: flows[0]: expected a group { ... }, not 3"},
    {"flows = ( { priority = 3; },\n { port = 80; } );",
     "%s:2: flows[1]: expected a priority, a reaction_point or both"},
    {"flows = ( { prio = 3; } );",
     "%s:1: flows[0].prio: unknown setting: expected one of protocol, port, source_port, dscp, "
     "ethertype, vlan, destination, priority, reaction_point"},
    {"flows = ( { protocol = \"TCP\"; priority = 3; } );",
     "%s:1: flows[0].protocol: expected \"tcp\", \"udp\", \"sctp\", \"icmp\", \"icmpv6\" or a "
     "number "
     "0..255, not \"TCP\""},
    {"flows = ( { protocol = 256; priority = 3; } );",
     "%s:1: flows[0].protocol: expected an integer 0..255, not 256"},
    {"flows = ( { port = 65536; priority = 3; } );",
     "%s:1: flows[0].port: expected an integer 0..65535, not 65536"},
    {"flows = ( { source_port = -1; priority = 3; } );",
     "%s:1: flows[0].source_port: expected an integer 0..65535, not -1"},
    {"flows = ( { dscp = 64; priority = 3; } );",
     "%s:1: flows[0].dscp: expected an integer 0..63, not 64"},
    {"flows = ( { ethertype = 0x5ff; priority = 3; } );",
     "%s:1: flows[0].ethertype: expected an integer 1536..65535, not 1535"},
    {"flows = ( { vlan = 0; priority = 3; } );",
     "%s:1: flows[0].vlan: expected an integer 1..4094, not 0"},
    {"flows = ( { destination = \"02:00:00:00:00:1\"; priority = 3; } );",
     "%s:1: flows[0].destination: expected an address such as \"02:00:00:00:00:01\", not "
     "\"02:00:00:00:00:1\""},
    {"flows = ( { destination = \"02:00:00:00:00:01 \"; priority = 3; } );",
     "%s:1: flows[0].destination: expected an address such as \"02:00:00:00:00:01\", not "
     "\"02:00:00:00:00:01 \""},
    {"flows = ( { priority = 8; } );", "%s:1: flows[0].priority: expected an integer 0..7, not 8"},
    {"flows = ( { reaction_point = 101; } );",
     "%s:1: flows[0].reaction_point: expected an integer 1..100, not 101"},
    {"memory_ports = 8193;", "%s:1: memory_ports: expected an integer 0..8192, not 8193"},
    {"state_file = \"\";", "%s:1: state_file: expected a string of 1..4000 characters, not \"\""},
    {"state_file = true;", "%s:1: state_file: expected a string of 1..4000 characters, not true"},
    {"control = { socket = \"/234567890123456789012345678901234567890123456789012345678901234567890"
     "123456789012345678901234567890123456789\"; };",
     "%s:1: control.socket: expected a string of 1..107 characters, not "
     "\"/234567890123456789012345678901234567890123456789012345678901234\""},
    {"control = { socket = \"/c\";\n view = \"/c\"; };",
     "%s:2: control.view: expected another path than that of socket"},
    {"control = { group = ( 1 ); };",
     "%s:1: control.group: expected a string of 1..32 characters, not a list"},
    {"user = 0;", "%s:1: user: expected a string of 1..32 characters, not 0"},
    {"initial = ( { object = \"ieee8021CnComPriRowStatus\"; index = \"1.3\"; } );",
     "%s:1: initial[0]: expected object, index and value"},
    {"initial = ( { object = \"sysName\";\n index = \"0\";\n value = \"x\"; } );",
     "%s:1: initial[0].object: expected the name of a writable object, not \"sysName\""},
    {"initial = ( { object = \"ieee8021CnCpTransmittedCnms\"; index = \"1.*.3\"; port = \"a\";\n"
     " value = 5; } );",
     "%s:1: initial[0].object: expected the name of a writable object, not "
     "\"ieee8021CnCpTransmittedCnms\""},
    {"initial = ( { object = \"ieee8021CnComPriRowStatus\";\n index = \"1\";\n value = 4; } );",
     "%s:2: initial[0].index: expected ieee8021CnComPriComponentId.ieee8021CnComPriPriority, "
     "not \"1\""},
    {"initial = ( { object = \"ieee8021CnComPriRowStatus\";\n index = \"1.8\";\n value = 4; } );",
     "%s:2: initial[0].index: expected ieee8021CnComPriComponentId.ieee8021CnComPriPriority, "
     "not \"1.8\""},
    {"initial = ( { object = \"ieee8021CnComPriRowStatus\"; index = \"1.3\";\n port = \"a\";\n"
     " value = 4; } );",
     "%s:2: initial[0].port: expected no port, because the index of ieee8021CnCompntPriTable has "
     "no ifIndex"},
    {"initial = ( { object = \"ieee8021CnCpFeedbackWeight\";\n index = \"1.7.3\";\n"
     " value = 1; } );",
     "%s:2: initial[0].index: expected ieee8021CnCpComponentId.ieee8021CnCpIfIndex as *."
     "ieee8021CnCpIndex, not \"1.7.3\""},
    {"initial = ( { object = \"ieee8021CnCpFeedbackWeight\"; index = \"*.1.3\"; port = \"a\";\n"
     " value = 1; } );",
     "%s:1: initial[0].index: expected ieee8021CnCpComponentId.ieee8021CnCpIfIndex as *."
     "ieee8021CnCpIndex, not \"*.1.3\""},
    {"initial = ( { object = \"ieee8021CnCpFeedbackWeight\"; index = \"1.**.3\"; port = \"a\";\n"
     " value = 1; } );",
     "%s:1: initial[0].index: expected ieee8021CnCpComponentId.ieee8021CnCpIfIndex as *."
     "ieee8021CnCpIndex, not \"1.**.3\""},
    {"initial = (\n { object = \"ieee8021CnCpFeedbackWeight\"; index = \"1.*.3\"; value = 1; } );",
     "%s:2: initial[0]: expected a port, because the index has a \"*\""},
    {"initial = ( { object = \"ieee8021CnCpQueueSizeSetPoint\"; index = \"1.*.3\"; port = \"a\";\n"
     " value = 99; } );",
     "%s:2: initial[0].value: expected 100..4294967295 octets, not 99"},
    {"initial = ( { object = \"ieee8021CnComPriDefModeChoice\"; index = \"1.3\";\n"
     " value = \"cpcComp\"; } );",
     "%s:2: initial[0].value: expected one of cpcAdmin, cpcAuto, not \"cpcComp\""},
    {"initial = ( { object = \"ieee8021CnComPriRowStatus\"; index = \"1.3\";\n"
     " value = \"notReady\"; } );",
     "%s:2: initial[0].value: expected one of active, notInService, createAndGo, createAndWait, "
     "destroy, not \"notReady\""},
    {"initial = ( { object = \"ieee8021CnComPriRowStatus\"; index = \"1.3\"; value = 1.5; } );",
     "%s:1: initial[0].value: expected a string or an integer, not 1.5"},
    {"initial = ( { object = \"ieee8021CnComPriRowStatus\"; index = \"1.3\"; value = 4; },\n"
     " { object = \"ieee8021CnComPriRowStatus\"; index = \"1.3\"; value = 6; } );",
     "%s:2: initial[1]: ieee8021CnComPriRowStatus.1.3 has an entry already"},
    /* syntax errors */
    {"component = 1;\ncomponent = 2;", "%s:2: duplicate setting name"},
    {"role = \"bridge\"\ninterfaces = {", "%s:2: syntax error"},
    {"component = 1;\n@include \"/no-such-file\"\n",
     "%s:2: cannot open include file \"/no-such-file\": No such file or directory"},
    {"@include \"/tmp\"\n", "%s:1: cannot open include file \"/tmp\": Is a directory"},
    {"@include \"no-end\n", "%s:1: expected @include \"FILE\""},
    {"component = 1; @include \"/dev/null\"\n", "%s:1: syntax error"},
    {" @include/dev/null\n", "%s:1: syntax error"},
    /* Integers of more than 32 bits are not truncated, with and without the suffix L. */
    {"component = 4294967296;",
     "%s:1: component: expected an integer 1..4294967295, not 4294967296"},
    {"component = 4294967297L;",
     "%s:1: component: expected an integer 1..4294967295, not 4294967297"},
    {"component = -4294967295;",
     "%s:1: component: expected an integer 1..4294967295, not -4294967295"},
    {"component = +4294967297;",
     "%s:1: component: expected an integer 1..4294967295, not 4294967297"},
    {"component = 0x100000001;",
     "%s:1: component: expected an integer 1..4294967295, not 4294967297"},
    {"bridge = { cpu = 4294967295; };",
     "%s:1: bridge.cpu: expected an integer -1..1023, not 4294967295"},
    {"bridge = { cpu = 0xffffffff; };",
     "%s:1: bridge.cpu: expected an integer -1..1023, not 4294967295"},
    {"bridge = { cpu = -2147483649; };",
     "%s:1: bridge.cpu: expected an integer -1..1023, not -2147483649"},
    {"bridge = { cpu = 9223372036854775807; };",
     "%s:1: bridge.cpu: expected an integer -1..1023, not 9223372036854775807"},
    {"flows = ( { protocol = 4294967302; priority = 3; } );",
     "%s:1: flows[0].protocol: expected an integer 0..255, not 4294967302"},
    {"defaults = { cn = { base_probability = 4294967297; }; };",
     "%s:1: defaults.cn.base_probability: expected a probability 0..1, not 4294967297"},
    {"defaults = { regeneration = ( 4294967297, 1, 2, 3, 4, 5, 6, 7 ); };",
     "%s:1: defaults.regeneration[0]: expected an integer 0..7, not 4294967297"},
    {"defaults = { regeneration = [ 4294967297, 1, 2, 3L, 4, 5, 6, 7 ]; };",
     "%s:1: defaults.regeneration[0]: expected an integer 0..7, not 4294967297"},
    /* Integers of more than 64 bits, with and without the suffix L. */
    {"\nbridge = { cpu = 18446744073709551615; };",
     "%s:2: expected an integer of at most 64 bits, not 18446744073709551615"},
    {"bridge = { cpu = 99999999999999999999L; };",
     "%s:1: expected an integer of at most 64 bits, not 99999999999999999999"},
    {"bridge = { cpu = -9223372036854775809; };",
     "%s:1: expected an integer of at most 64 bits, not -9223372036854775809"},
    {"bridge = { cpu = 0xffffffffffffffff; };",
     "%s:1: expected an integer of at most 64 bits, not 0xffffffffffffffff"},
    {"bridge = { cpu = 0XFFFFFFFFFFFFFFFFFL; };",
     "%s:1: expected an integer of at most 64 bits, not 0XFFFFFFFFFFFFFFFFF"},
};

static void test_errors_name_line_and_expectation(void **state)
{
	(void)state;
	for (size_t i = 0; i < UNIT_COUNT(bad); i++) {
		char err[512] = "", want[512];
		struct conf conf;

		write_file(bad[i].text);
		conf_init(&conf);
		/* conf_read() must reset it to the default. */
		conf.memory_ports = 5;
		if (conf_read(&conf, file, err, sizeof(err)))
			fail_msg("accepted: %s", bad[i].text);
		/* Each message starts with "%s". */
		snprintf(want, sizeof(want), "%s%s", file, bad[i].message + 2);
		assert_string_equal(err, want);
		assert_default(&conf);
		conf_free(&conf);
	}
}

/* Digits in comments, strings and floating-point numbers are not integers. */
static void test_long_integers_are_not_truncated(void **state)
{
	struct conf conf;

	(void)state;
	read_good(
	    &conf,
	    "# 99999999999999999999\n// 99999999999999999999 \"\n/* 99999999999999999999\n"
	    "*/ component = 4294967295; user = \"99999999999999999999\";\n"
	    "defaults = { rate = 10000000000; buffer = 0x2000; cn = { base_probability = .5;\n"
	    " step_probability = 0.99999999999999999999e-1; page_octets = +0000000002; };\n"
	    " regeneration = [ 0, 1, 0x2, 3L, 4, 5, 6, 7 ]; };\n"
	    "ports = ( { name = \"999999999999999\"; rate = 0x2540BE400; pvid = 010; },\n"
	    " { name = \"\\\"99999999999\"; rate = 0x2540BE400LL; } );\n");
	assert_int_equal(conf.component_id, 4294967295);
	assert_string_equal(conf.user, "99999999999999999999");
	assert_int_equal(conf.port_default.rate.bps, 10000000000);
	assert_int_equal(conf.port_default.buffer_octets, 0x2000);
	assert_int_equal(conf.port_default.cp_early.base_probability_ppm, 500000);
	assert_int_equal(conf.port_default.cp_early.step_probability_ppm, 100000);
	assert_int_equal(conf.port_default.cp_early.page_octets, 2);
	assert_int_equal(conf.ports[0].settings.rate.bps, 10000000000);
	assert_int_equal(conf.ports[0].settings.pvid, 10);
	assert_int_equal(conf.ports[1].settings.rate.bps, 10000000000);
	assert_string_equal(conf.ports[0].name, "999999999999999");
	assert_string_equal(conf.ports[1].name, "\"99999999999");
	conf_free(&conf);
}

static void test_too_many_entries_are_refused(void **state)
{
	char text[16384] = "interfaces = { include = [ ", err[512], want[512];
	struct conf conf;

	(void)state;
	for (int i = 0; i <= CONF_PATTERNS_MAX; i++)
		snprintf(text + strlen(text), 32, "%s\"p%d\"", i ? ", " : "", i);
	strcat(text, " ]; };");
	write_file(text);
	conf_init(&conf);
	assert_false(conf_read(&conf, file, err, sizeof(err)));
	snprintf(want, sizeof(want), "%s:1: interfaces.include[%d]: expected at most %d patterns",
		 file, CONF_PATTERNS_MAX, CONF_PATTERNS_MAX);
	assert_string_equal(err, want);
	conf_free(&conf);

	strcpy(text, "ports = ( ");
	for (int i = 0; i <= CONF_PORTS_MAX; i++)
		snprintf(text + strlen(text), 32, "%s{ name = \"p%d\"; }", i ? ", " : "", i);
	strcat(text, " );");
	write_file(text);
	conf_init(&conf);
	assert_false(conf_read(&conf, file, err, sizeof(err)));
	snprintf(want, sizeof(want), "%s:1: ports[%d]: expected at most %d entries", file,
		 CONF_PORTS_MAX, CONF_PORTS_MAX);
	assert_string_equal(err, want);
	conf_free(&conf);
}

static void test_unreadable_file_is_an_error(void **state)
{
	struct conf conf;
	char err[512];

	(void)state;
	conf_init(&conf);
	assert_false(conf_read(&conf, "/nonexistent/dcbd.conf", err, sizeof(err)));
	assert_string_equal(err, "/nonexistent/dcbd.conf: No such file or directory");
	assert_false(conf_read(&conf, "/", err, sizeof(err)));
	assert_string_equal(err, "/: Is a directory");
	/* A message that does not fit in err is truncated. */
	write_file("component = 0;");
	memset(err, 'x', sizeof(err));
	assert_false(conf_read(&conf, file, err, 20));
	assert_int_equal(strlen(err), 19);
	assert_int_equal(err[20], 'x');
	conf_free(&conf);
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

static void test_cpu_has_a_former_name(void **state)
{
	struct conf conf;

	(void)state;
	read_good(&conf, "bridge = { cpu = 7; };");
	assert_int_equal(conf_cpu(&conf), 7);
	conf_free(&conf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_empty_file_gives_defaults),
	    cmocka_unit_test(test_all_settings_are_read),
	    cmocka_unit_test(test_sufficient_receive_buffers_are_accepted),
	    cmocka_unit_test(test_vlans_are_of_the_first_matching_entry),
	    cmocka_unit_test(test_only_valid_rates_are_accepted),
	    cmocka_unit_test(test_errors_name_line_and_expectation),
	    cmocka_unit_test(test_long_integers_are_not_truncated),
	    cmocka_unit_test(test_too_many_entries_are_refused),
	    cmocka_unit_test(test_unreadable_file_is_an_error),
	    cmocka_unit_test(test_second_read_replaces_the_first),
	    cmocka_unit_test(test_flow_rules_have_given_conditions),
	    cmocka_unit_test(test_real_time_is_switched_off_by_0_and_by_a_word),
	    cmocka_unit_test(test_cpu_has_a_former_name),
	    cmocka_unit_test(test_example_files_are_valid),
	};

	return cmocka_run_group_tests(tests, make_file, remove_file);
}
