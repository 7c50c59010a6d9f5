/* SPDX-License-Identifier: BSD-3-Clause */
/* dcbd.conf: error messages for invalid files. */
#include <string.h>

#include "control/conf/conf.h"
#include "tests/unit/control/conf/conf_file.h"

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
     "dataplane, defaults, ports, flows, memory_ports, state_file, control, lldp, macsec, sonic, "
     "user, initial"},
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
    {"dataplane = { cpu = -2; };", "%s:1: dataplane.cpu: expected an integer -1..1023, not -2"},
    {"dataplane = { cpu = 1024; };", "%s:1: dataplane.cpu: expected an integer -1..1023, not 1024"},
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
     "%s:1: defaults.name: unknown setting: expected one of provider, rate, speed, buffer, pvid, "
     "default_priority, pvid_tagged, nic_timestamps, flow_buffer, regeneration, "
     "traffic_classes, profile, policy, take_over, cn, pfc, vlans"},
    {"defaults = { provider = \"asic\"; };",
     "%s:1: defaults.provider: expected \"soft\", \"station\", \"observe\", \"kernel\" or "
     "\"sonic\", not "
     "\"asic\""},
    {"ports = ( { name = \"a\"; provider = 1; } );",
     "%s:1: ports[0].provider: expected \"soft\", \"station\", \"observe\", \"kernel\" or "
     "\"sonic\", not 1"},
    {"ports = ( { name = \"a\"; },\n{ name = \"b\"; rate = 1000; provider = \"observe\"; } );",
     "%s:2: ports[1].rate: provider \"observe\" moves no frames: expected name and provider only"},
    {"ports = ( { name = \"a\"; provider = \"kernel\"; rate = 1000; } );",
     "%s:1: ports[0].rate: provider \"kernel\" moves no frames: expected name, provider, policy "
     "and take_over only"},
    {"ports = ( { name = \"a\"; policy = \"watch\"; } );",
     "%s:1: ports[0].policy: expected provider \"kernel\""},
    {"ports = ( { name = \"a\"; provider = \"observe\"; take_over = true; } );",
     "%s:1: ports[0].take_over: provider \"observe\" moves no frames: expected name and "
     "provider only"},
    {"defaults = { policy = \"read\"; };",
     "%s:1: defaults.policy: expected \"adopt\", \"enforce\" or \"watch\", not \"read\""},
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
     "%s:3: ports[2]: \"a\" has an entry already: ports[0] in line 1"},
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
     "%s:1: defaults.tap: unknown setting: expected one of provider, rate, speed, buffer, pvid, "
     "default_priority, pvid_tagged, nic_timestamps, flow_buffer, regeneration, "
     "traffic_classes, profile, policy, take_over, cn, pfc, vlans"},
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
    {"initial = ( { object = \"ieee8021CnCpQueueSizeSetpoint\";\n index = \"1.*.3\"; "
     "port = \"a\"; value = 5; } );",
     "%s:1: initial[0].object: expected the name of a writable object, not "
     "\"ieee8021CnCpQueueSizeSetpoint\"; did you mean \"ieee8021CnCpQueueSizeSetPoint\"?"},
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
    {"component = 1;\ncomponent = 2;",
     "%s:2: duplicate setting \"component\": line 1 has the first one"},
    {"role = \"bridge\"\ninterfaces = {",
     "%s:2: interfaces: \"{\" is not closed before the end of the file, line 2"},
    {"bridge = {\n ageing = 5;\n ageing = 6; };",
     "%s:3: duplicate setting \"ageing\": line 2 has the first one"},
    {"bridge = { ageing = 5; };\nports = ( { pvid = 1; }, { pvid : 1;\n pvid = 2 } );",
     "%s:3: duplicate setting \"pvid\": line 2 has the first one"},
    {"bridge = {\n ageing = 5;\n# }\nports = ( { name = \"a};\"; } );\nuser = \"x\";\n",
     "%s:1: bridge: \"{\" is not closed before the end of the file, line 6"},
    {"ports = (\n { name = \"a\"; },\n { name = \"b\";\n);\n",
     "%s:3: \"{\" is not closed before line 4"},
    {"interfaces = {\n include = [ \"a\";\n};\n",
     "%s:2: include: \"[\" is not closed before line 2"},
    {"ports = (\n { name = \"a\"; }\nuser = \"x\";\n",
     "%s:1: ports: \"(\" is not closed before line 3"},
    {"role = ;\ninterfaces = {", "%s:1: syntax error"},
    {"user = abc [;\n", "%s:1: \"[\" is not closed before line 1"},
    {"ports = (\n { name = \"a; } );\n", "%s:3: syntax error"},
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
    {"dataplane = { cpu = 4294967295; };",
     "%s:1: dataplane.cpu: expected an integer -1..1023, not 4294967295"},
    {"dataplane = { cpu = 0xffffffff; };",
     "%s:1: dataplane.cpu: expected an integer -1..1023, not 4294967295"},
    {"dataplane = { cpu = -2147483649; };",
     "%s:1: dataplane.cpu: expected an integer -1..1023, not -2147483649"},
    {"dataplane = { cpu = 9223372036854775807; };",
     "%s:1: dataplane.cpu: expected an integer -1..1023, not 9223372036854775807"},
    {"flows = ( { protocol = 4294967302; priority = 3; } );",
     "%s:1: flows[0].protocol: expected an integer 0..255, not 4294967302"},
    {"defaults = { cn = { base_probability = 4294967297; }; };",
     "%s:1: defaults.cn.base_probability: expected a probability 0..1, not 4294967297"},
    {"defaults = { regeneration = ( 4294967297, 1, 2, 3, 4, 5, 6, 7 ); };",
     "%s:1: defaults.regeneration[0]: expected an integer 0..7, not 4294967297"},
    {"defaults = { regeneration = [ 4294967297, 1, 2, 3L, 4, 5, 6, 7 ]; };",
     "%s:1: defaults.regeneration[0]: expected an integer 0..7, not 4294967297"},
    /* Integers of more than 64 bits, with and without the suffix L. */
    {"\ndataplane = { cpu = 18446744073709551615; };",
     "%s:2: expected an integer of at most 64 bits, not 18446744073709551615"},
    {"dataplane = { cpu = 99999999999999999999L; };",
     "%s:1: expected an integer of at most 64 bits, not 99999999999999999999"},
    {"dataplane = { cpu = -9223372036854775809; };",
     "%s:1: expected an integer of at most 64 bits, not -9223372036854775809"},
    {"dataplane = { cpu = 0xffffffffffffffff; };",
     "%s:1: expected an integer of at most 64 bits, not 0xffffffffffffffff"},
    {"dataplane = { cpu = 0XFFFFFFFFFFFFFFFFFL; };",
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
		assert_default_conf(&conf);
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

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_errors_name_line_and_expectation),
	    cmocka_unit_test(test_long_integers_are_not_truncated),
	    cmocka_unit_test(test_too_many_entries_are_refused),
	    cmocka_unit_test(test_unreadable_file_is_an_error),
	};

	return cmocka_run_group_tests(tests, make_file, remove_file);
}
