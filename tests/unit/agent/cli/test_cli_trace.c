/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dcbctl storms --trace: the rows of a system by snmpbulkwalk, the way over systems that the test
 * makes, and the command with a script in the place of the tool.
 */
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/cli/trace.h"
#include "lib/rng.h"
#include "tests/unit/agent/cli/cli_ports.h"

/* OIDs of DCB-AGENT-MIB and IEEE8021-PFC-MIB. */
#define AGENT       "1.3.6.1.4.1.8072.9999.9999.8021.1."
#define PAUSE_TIME  AGENT "4.1.6"
#define PAUSED      AGENT "4.1.7"
#define FRAMES      AGENT "4.1.3"
#define PORT_NAMES  AGENT "3.1.37"
#define NEIGHBORS   AGENT "16.1"
#define PORT_FRAMES "1.3.111.2.802.1.1.21.1.1.1.3"
#define IF_NAMES    "1.3.6.1.2.1.31.1.1.1.1"
#define IF_MACS     "1.3.6.1.2.1.2.2.1.6"
#define LLDP        "1.0.8802.1.1.2.1.4.1.1"
#define LLDP_V2     "1.3.111.2.802.1.1.13.1.4.1.1"

/* --- rows by SNMP --------------------------------------------------------------------------- */

static void take(struct trace_system *s, enum trace_walk walk, unsigned read, const char *text)
{
	trace_take(s, walk, read, text, strlen(text));
}

static void test_walks_begin_at_the_objects(void **state)
{
	static const char *const roots[TRACE_WALKS] = {
	    [TRACE_PAUSE_TIME] = PAUSE_TIME,
	    [TRACE_PAUSED] = PAUSED,
	    [TRACE_FRAMES] = FRAMES,
	    [TRACE_PORT_FRAMES] = PORT_FRAMES,
	    [TRACE_PORT_NAMES] = PORT_NAMES,
	    [TRACE_NEIGHBORS] = NEIGHBORS,
	    [TRACE_IF_NAMES] = IF_NAMES,
	    [TRACE_IF_MACS] = IF_MACS,
	    [TRACE_LLDP] = LLDP,
	    [TRACE_LLDP_ADDRESSES] = "1.0.8802.1.1.2.1.4.2.1.3",
	    [TRACE_LLDP_V2] = LLDP_V2,
	    [TRACE_LLDP_V2_ADDRESSES] = "1.3.111.2.802.1.1.13.1.4.2.1.3",
	};
	char text[TRACE_ROOT_OCTETS];

	(void)state;
	for (enum trace_walk w = 0; w < TRACE_WALKS; w++) {
		trace_root(w, text);
		assert_string_equal(text, roots[w]);
	}
}

static void test_counters_and_names_of_ports(void **state)
{
	struct trace_system s = {.n_ports = 0};

	(void)state;
	take(&s, TRACE_PAUSE_TIME, 0,
	     "." PAUSE_TIME
	     ".7.3 1000\n"
	     "." PAUSE_TIME
	     ".7.4 18446744073709551615\n"
	     "." PAUSE_TIME ".9.3 5\n");
	take(&s, TRACE_PAUSE_TIME, 1, "." PAUSE_TIME ".7.3 501000\n." PAUSE_TIME ".9.3 5\n");
	take(&s, TRACE_PAUSED, 1, "." PAUSED ".7.3 2\n." PAUSED ".9.3 1\n");
	take(&s, TRACE_FRAMES, 0, "." FRAMES ".7.3 10\n." FRAMES ".7.5 10\n");
	take(&s, TRACE_FRAMES, 1, "." FRAMES ".7.3 30\n." FRAMES ".7.5 10\n");
	take(&s, TRACE_PORT_NAMES, 0,
	     "." PORT_NAMES ".7 \"73 77 70 37 \"\n." PORT_NAMES ".8 \"6C 6F \"\n." PORT_NAMES
	     ".9 \"\"\n");
	take(&s, TRACE_IF_NAMES, 0, "." IF_NAMES ".9 \"1B 5B 39 6D c3 \n A9\"\n");
	take(&s, TRACE_IF_MACS, 0,
	     "." IF_MACS ".7 \"02 00 00 00 00 07 \"\n." IF_MACS ".9 \"02 00 \"");
	trace_measure(&s, 2);
	assert_int_equal(s.n_ports, 2);
	assert_false(s.of_all_priorities);
	assert_int_equal(s.ports[0].ifindex, 7);
	assert_string_equal(s.ports[0].name, "swp7");
	assert_string_equal(s.ports[0].mac, "02-00-00-00-00-07");
	assert_true(s.ports[0].pause[3].is_on);
	assert_int_equal(s.ports[0].pause[3].percent, 25);
	assert_int_equal(s.ports[0].pause[3].rate, 10);
	/* Of one read only, and never read. */
	assert_false(s.ports[0].pause[4].is_on);
	assert_true(s.ports[0].pause[4].percent < 0);
	assert_int_equal(s.ports[0].pause[5].rate, 0);
	assert_true(s.ports[0].pause[0].rate < 0);
	/* Paused, but not for a time that was counted. */
	assert_int_equal(s.ports[1].ifindex, 9);
	assert_string_equal(s.ports[1].name, "");
	assert_string_equal(s.ports[1].if_name, "?[9m??");
	assert_string_equal(s.ports[1].mac, "");
	assert_true(s.ports[1].pause[3].is_on);
	assert_int_equal(s.ports[1].pause[3].percent, 0);
	trace_system_free(&s);
}

/* A counter of 32 bits wraps; one of 64 that is less than before has begun anew. */
static void test_counters_that_are_less_than_before(void **state)
{
	struct trace_system s = {.n_ports = 0}, own = {.n_ports = 0};

	(void)state;
	take(&s, TRACE_PORT_FRAMES, 0, "." PORT_FRAMES ".1 4294967290\n." PORT_FRAMES ".2 8\n");
	take(&s, TRACE_PORT_FRAMES, 1, "." PORT_FRAMES ".1 4\n." PORT_FRAMES ".2 8\n");
	trace_measure(&s, 1);
	assert_true(s.of_all_priorities);
	for (unsigned p = 0; p < TRACE_PRIORITIES; p++) {
		assert_true(s.ports[0].pause[p].is_on);
		assert_int_equal(s.ports[0].pause[p].rate, 10);
		assert_true(s.ports[0].pause[p].percent < 0);
		assert_false(s.ports[1].pause[p].is_on);
	}
	take(&own, TRACE_PAUSE_TIME, 0, "." PAUSE_TIME ".1.0 900000\n." PAUSE_TIME ".1.1 0\n");
	take(&own, TRACE_PAUSE_TIME, 1, "." PAUSE_TIME ".1.0 4\n." PAUSE_TIME ".1.1 9000000\n");
	trace_measure(&own, 1);
	assert_false(own.ports[0].pause[0].is_on);
	assert_int_equal(own.ports[0].pause[1].percent, 100);
	trace_system_free(&s);
	trace_system_free(&own);
}

static void test_other_lines_are_ignored(void **state)
{
	static const char *const lines[] = {
	    "",
	    "\n\n",
	    "." PAUSE_TIME " No Such Object available on this agent at this OID\n",
	    ".1.3.111.2 No more variables left in this MIB View (It is past the end)\n",
	    "." PAUSE_TIME ".7.3 0:0:00:00.00\n", /* TimeTicks */
	    "." PAUSE_TIME ".7.3 -1\n",
	    "." PAUSE_TIME ".7.3 184467440737095516159\n",
	    "." PAUSE_TIME ".7.3 \"01 \"\n",
	    "." PAUSE_TIME ".7.8 1\n",
	    "." PAUSE_TIME ".7 1\n",
	    "." PAUSE_TIME ".7.3.0 1\n",
	    "." PAUSE_TIME ".0.3 1\n",
	    "." PAUSE_TIME ".4294967296.3 1\n",
	    "." PAUSED ".7.3 1\n",
	    PAUSE_TIME ".7.3\n",
	    PAUSE_TIME ".7.3 ",
	    PAUSE_TIME ".7.3 \"",
	    "iso.3.6 1\n",
	};
	struct trace_system s = {.n_ports = 0};

	(void)state;
	for (size_t i = 0; i < UNIT_COUNT(lines); i++) {
		take(&s, TRACE_PAUSE_TIME, 0, lines[i]);
		if (s.n_ports)
			fail_msg("taken: %s", lines[i]);
	}
	/* Behind them is a line that counts. Then ports whose ifIndex is not above the others. */
	take(&s, TRACE_PAUSE_TIME, 0,
	     "x\n." PAUSE_TIME ".7.2 \"0g\n." PAUSE_TIME ".7.2 1\"\n." PAUSE_TIME
	     ".7.3 1\n." PAUSE_TIME ".6.3 1\n." PAUSE_TIME ".7.4 1\n");
	assert_int_equal(s.n_ports, 1);
	assert_int_equal(s.ports[0].reads[0].has_paused, 0x18);
	trace_system_free(&s);
}

static void assert_neighbor(const struct trace_neighbor *n, uint32_t ifindex, const char *chassis,
			    const char *port, const char *name, const char *address)
{
	assert_int_equal(n->ifindex, ifindex);
	assert_string_equal(n->chassis, chassis);
	assert_string_equal(n->port, port);
	assert_string_equal(n->name, name);
	assert_string_equal(n->address, address);
}

static void test_neighbors_of_dcbd(void **state)
{
	struct trace_system s = {.n_ports = 0};

	(void)state;
	take(&s, TRACE_NEIGHBORS, 0,
	     "." NEIGHBORS
	     ".2.3.1 \"73 70 69 6E 65 \"\n"
	     "." NEIGHBORS
	     ".2.5.4 \"6C 65 61 66 \"\n"
	     "." NEIGHBORS
	     ".3.3.1 \"73 77 70 31 \"\n"
	     "." NEIGHBORS
	     ".4.3.1 \"73 31 \"\n"
	     "." NEIGHBORS
	     ".6.3.1 120\n"
	     "." NEIGHBORS
	     ".15.3.1 \"32 30 30 31 3A 64 62 38 3A 3A 31 \"\n"
	     "." NEIGHBORS ".15.5.4 \"2D 76 33 \"\n"); /* -v3 */
	assert_int_equal(s.n_neighbors, 2);
	assert_neighbor(&s.neighbors[0], 3, "spine", "swp1", "s1", "2001:db8::1");
	assert_neighbor(&s.neighbors[1], 5, "leaf", "", "", "");
	assert_string_equal(trace_neighbor_name(&s.neighbors[0]), "s1");
	assert_string_equal(trace_neighbor_name(&s.neighbors[1]), "leaf");
	trace_system_free(&s);
}

/* As lldpd has it; its local port number is an ifIndex. */
static void test_neighbors_of_lldp_mib(void **state)
{
	struct trace_system s = {.n_ports = 0};

	(void)state;
	take(&s, TRACE_LLDP, 0,
	     "." LLDP
	     ".4.1100.3.1 4\n"
	     "." LLDP
	     ".4.1200.2.2 5\n"
	     "." LLDP
	     ".5.1100.3.1 \"02 00 00 00 00 0A \"\n"
	     "." LLDP
	     ".5.1200.2.2 \"01 C0 00 02 01 \"\n"
	     "." LLDP
	     ".6.1100.3.1 3\n"
	     "." LLDP
	     ".6.1200.2.2 5\n"
	     "." LLDP
	     ".7.1100.3.1 \"02 00 00 00 00 0B \"\n"
	     "." LLDP
	     ".7.1200.2.2 \"65 74 68 30 \"\n"
	     "." LLDP
	     ".8.1100.3.1 \"78 \"\n"
	     "." LLDP ".9.1100.3.1 \"73 32 \"\n");
	/* IPv4, IPv6, another family, and lengths that are none. */
	take(&s, TRACE_LLDP_ADDRESSES, 0,
	     ".1.0.8802.1.1.2.1.4.2.1.3.1100.3.1.6.6.2.0.0.0.0.10 2\n"
	     ".1.0.8802.1.1.2.1.4.2.1.3.1100.3.1.1.4.192.0.2 2\n"
	     ".1.0.8802.1.1.2.1.4.2.1.3.1100.3.1.1.4294967295.192.0.2.9 2\n"
	     ".1.0.8802.1.1.2.1.4.2.1.3.1100.3.1.1.4.192.0.2.7 2\n"
	     ".1.0.8802.1.1.2.1.4.2.1.3.1200.2.2.2.16.32.1.13.184.0.0.0.0.0.0.0.0.0.0.0.5 2\n");
	assert_int_equal(s.n_neighbors, 2);
	assert_neighbor(&s.neighbors[0], 3, "02-00-00-00-00-0a", "02-00-00-00-00-0b", "s2",
			"192.0.2.7");
	assert_neighbor(&s.neighbors[1], 2, "192.0.2.1", "eth0", "", "2001:db8::5");
	trace_system_free(&s);
}

/* With the destination address in the index. */
static void test_neighbors_of_lldp_v2_mib(void **state)
{
	struct trace_system s = {.n_ports = 0};

	(void)state;
	take(&s, TRACE_LLDP_V2, 0,
	     "." LLDP_V2
	     ".5.1100.3.1.8 7\n"
	     "." LLDP_V2
	     ".6.1100.3.1.8 \"73 \"\n"
	     "." LLDP_V2
	     ".7.1100.3.1.8 3\n"
	     "." LLDP_V2
	     ".8.1100.3.1.8 \"02 00 00 00 00 0B \"\n"
	     "." LLDP_V2
	     ".10.1100.3.1.8 \"73 32 \"\n"
	     "." LLDP_V2 ".10.1100.3.1 \"73 33 \"\n");
	take(&s, TRACE_LLDP_V2_ADDRESSES, 0,
	     ".1.3.111.2.802.1.1.13.1.4.2.1.3.1100.3.1.8.1.4.192.0.2.7 2\n"
	     ".1.3.111.2.802.1.1.13.1.4.2.1.3.1100.3.1.8.1 2\n");
	assert_int_equal(s.n_neighbors, 1);
	assert_neighbor(&s.neighbors[0], 3, "s", "02-00-00-00-00-0b", "s2", "192.0.2.7");
	trace_system_free(&s);
}

/* Output of an agent that answers anything. */
static void test_any_output_is_taken(void **state)
{
	static const char octets[] = "0123456789.... \n\n\"\"afx";
	struct dcb_rng r;
	char text[256], root[TRACE_ROOT_OCTETS];

	(void)state;
	dcb_rng_seed(&r, unit_seed(), 0);
	for (unsigned i = 0; i < UNIT_CASES(20000); i++) {
		enum trace_walk walk = (enum trace_walk)dcb_rng_uniform(&r, 0, TRACE_WALKS - 1);
		struct trace_system s = {.n_ports = 0};
		size_t n = 0;

		while (n < sizeof(text) - TRACE_ROOT_OCTETS - 2) {
			if (dcb_rng_uniform(&r, 0, 7) == 0) {
				trace_root(walk, root);
				n += (size_t)snprintf(text + n, sizeof(text) - n, "\n.%s", root);
			}
			text[n++] = octets[dcb_rng_uniform(&r, 0, sizeof(octets) - 2)];
		}
		trace_take(&s, walk, i % 2, text, n);
		trace_measure(&s, 1);
		trace_system_free(&s);
	}
}

static void test_targets_are_addresses_of_other_systems(void **state)
{
	static const char *const refused[] = {
	    "",         "host",          "-v3",     "127.0.0.1",   "0.0.0.0",          "224.0.0.1",
	    "::",       "::1",           "fe80::1", "ff02::1",     "255.255.255.255",  "1.2.3",
	    "1.2.3.4 ", "2001:db8::1%0", "[::2]",   "udp:1.2.3.4", "::ffff:127.0.0.1", "1.2.3.4:5"};
	struct trace_neighbor n = {.ifindex = 1};
	char target[TRACE_TARGET_OCTETS];

	(void)state;
	for (size_t i = 0; i < UNIT_COUNT(refused); i++) {
		assert_false(trace_target(refused[i], target));
		trace_take_address(&n, refused[i]);
		assert_string_equal(n.address, "");
	}
	assert_true(trace_target("192.0.2.1", target));
	assert_string_equal(target, "192.0.2.1");
	assert_true(trace_target("2001:db8::1", target));
	assert_string_equal(target, "udp6:[2001:db8::1]");
	trace_take_address(&n, "192.0.2.1");
	trace_take_address(&n, "192.0.2.2");
	assert_string_equal(n.address, "192.0.2.1");
}

/* --- the way -------------------------------------------------------------------------------- */

/* Systems s0 to s39; s0 is the local one. */
#define SYSTEMS 40
static struct {
	struct trace_system of[SYSTEMS];
	unsigned asked;
	enum trace_reason reason; /* of the system that does not answer */
	unsigned silent;          /* its number; 0: all answer */
	struct trace t;
} net;

static int begin_net(void **state)
{
	(void)state;
	memset(&net, 0, sizeof(net));
	for (unsigned i = 0; i < SYSTEMS; i++) {
		snprintf(net.of[i].name, sizeof(net.of[i].name), "s%u", i);
		if (i > 0)
			snprintf(net.of[i].chassis, sizeof(net.of[i].chassis), "c%u", i);
	}
	net.of[0].is_local = true;
	return 0;
}

static int end_net(void **state)
{
	(void)state;
	for (unsigned i = 0; i < SYSTEMS; i++)
		trace_system_free(&net.of[i]);
	return 0;
}

/* Returns a port "pN" of a system; to be called in ascending order. */
static struct trace_port *port(unsigned system, uint32_t ifindex)
{
	struct trace_port *p = trace_port(&net.of[system], ifindex);

	assert_non_null(p);
	if (!p->name[0]) {
		snprintf(p->name, sizeof(p->name), "p%u", ifindex);
		for (unsigned i = 0; i < TRACE_PRIORITIES; i++)
			p->pause[i] = (struct trace_pause){.percent = 0, .rate = 0};
	}
	return p;
}

static struct trace_pause *pause_at(unsigned system, uint32_t ifindex, double percent)
{
	struct trace_pause *p = &port(system, ifindex)->pause[3];

	p->is_on = percent > 0;
	p->percent = percent;
	return p;
}

/* One system hears another one at a port. */
static struct trace_neighbor *hears(unsigned system, uint32_t ifindex, unsigned other,
				    const char *port_id)
{
	struct trace_neighbor *n = trace_neighbor(&net.of[system], ifindex, 100 * other + ifindex);

	assert_non_null(n);
	snprintf(n->chassis, sizeof(n->chassis), "c%u", other);
	snprintf(n->name, sizeof(n->name), "s%u", other);
	snprintf(n->port, sizeof(n->port), "%s", port_id);
	snprintf(n->address, sizeof(n->address), "192.0.2.%u", other + 1);
	return n;
}

/* Links two ports, which have their names as port IDs. */
static void link_ports(unsigned a, uint32_t port_a, unsigned b, uint32_t port_b)
{
	hears(a, port_a, b, port(b, port_b)->name);
	hears(b, port_b, a, port(a, port_a)->name);
}

static const struct trace_system *ask(void *ctx, const struct trace_neighbor *n,
				      enum trace_reason *reason, char why[TRACE_WHY_OCTETS])
{
	unsigned number = (unsigned)strtoul(n->chassis + 1, NULL, 10);

	assert_ptr_equal(ctx, &net);
	assert_true(n->address[0] && number < SYSTEMS);
	net.asked++;
	if (net.silent && number == net.silent) {
		*reason = net.reason;
		strcpy(why, "because");
		return NULL;
	}
	return &net.of[number];
}

#define NET_TEST(test) cmocka_unit_test_setup_teardown(test, begin_net, end_net)

/* Follows the pause of a port of s0: the way has these hops, "s0 p1, s1 p2", and this end. */
static void expect_way(uint32_t from, const char *hops, enum trace_reason reason, const char *text)
{
	char way[2048] = "";
	size_t n = 0;

	net.t = (struct trace){.priority = 3};
	trace_follow(&net.t, &net.of[0], port(0, from), ask, &net);
	for (unsigned i = 0; i < net.t.n; i++)
		n += (size_t)snprintf(way + n, sizeof(way) - n, "%s%s %s", i ? ", " : "",
				      net.t.hops[i].system->name, net.t.hops[i].port->name);
	assert_string_equal(way, hops);
	assert_string_equal(net.t.text, text);
	assert_int_equal(net.t.reason, reason);
}

#define SOURCE_OF(name)                                                                          \
	name " is the source: it is paused at no other port for priority 3, so a port of it is " \
	     "congested, or it receives slowly"

static void test_way_ends_at_the_system_that_is_not_paused(void **state)
{
	(void)state;
	pause_at(0, 1, 40);
	port(1, 1);
	pause_at(1, 2, 60);
	port(2, 5);
	port(2, 6);
	link_ports(0, 1, 1, 1);
	link_ports(1, 2, 2, 5);
	expect_way(1, "s0 p1, s1 p2", TRACE_SOURCE, SOURCE_OF("s2"));
	assert_int_equal(net.t.hops[0].others, 0);
	assert_string_equal(net.t.hops[1].neighbor->port, "p5");
	assert_string_equal(net.of[0].chassis, "c0");
	/* The port to us may be paused, too: that is the other direction of the link. */
	pause_at(2, 5, 100);
	pause_at(1, 1, 100);
	expect_way(1, "s0 p1, s1 p2", TRACE_SOURCE, SOURCE_OF("s2"));
	/* Another priority is another pause. */
	port(2, 6)->pause[4].is_on = true;
	expect_way(1, "s0 p1, s1 p2", TRACE_SOURCE, SOURCE_OF("s2"));
}

static void test_way_follows_the_longest_pause(void **state)
{
	(void)state;
	pause_at(0, 1, 40);
	port(1, 1);
	pause_at(1, 2, 10);
	pause_at(1, 3, 70);
	pause_at(1, 4, 69);
	port(2, 1);
	port(3, 1);
	link_ports(0, 1, 1, 1);
	link_ports(1, 2, 2, 1);
	link_ports(1, 3, 3, 1);
	expect_way(1, "s0 p1, s1 p3", TRACE_SOURCE, SOURCE_OF("s3"));
	assert_int_equal(net.t.hops[1].others, 2);
	/* Without times, the one with the most PFC frames. */
	for (uint32_t i = 2; i <= 4; i++)
		pause_at(1, i, 1)->percent = -1;
	pause_at(1, 2, 1)->percent = -1;
	port(1, 2)->pause[3].rate = 9;
	port(1, 3)->pause[3].rate = 8;
	expect_way(1, "s0 p1, s1 p2", TRACE_SOURCE, SOURCE_OF("s2"));
}

/* The port at our link is found by any form of its port ID, or by its own neighbor. */
static void test_port_of_the_link_is_found(void **state)
{
	static const char *const ids[] = {"p1", "Eth1", "02-00-00-00-00-01", "1"};
	struct trace_neighbor *n;

	(void)state;
	pause_at(0, 1, 40);
	pause_at(1, 1, 90);
	port(1, 2);
	strcpy(port(1, 1)->if_name, "Eth1");
	strcpy(port(1, 1)->mac, "02-00-00-00-00-01");
	n = hears(0, 1, 1, "");
	for (size_t i = 0; i < UNIT_COUNT(ids); i++) {
		strcpy(n->port, ids[i]);
		expect_way(1, "s0 p1", TRACE_SOURCE, SOURCE_OF("s1"));
	}
	/* All ports of s2 have one MAC address, by which s1 knows them. */
	pause_at(1, 2, 50);
	port(2, 1);
	pause_at(2, 2, 50);
	port(2, 3);
	for (uint32_t i = 1; i <= 3; i++)
		strcpy(port(2, i)->mac, "02-00-00-00-00-02");
	hears(1, 2, 2, "02-00-00-00-00-02");
	hears(2, 1, 3, "p2");
	hears(2, 2, 1, "p2");
	expect_way(1, "s0 p1, s1 p2", TRACE_SOURCE, SOURCE_OF("s2"));
}

static void test_way_without_a_pause(void **state)
{
	(void)state;
	port(0, 1);
	port(1, 1);
	pause_at(1, 2, 0);
	link_ports(0, 1, 1, 1);
	expect_way(1, "s0 p1", TRACE_NOT_PAUSED, "p1 of s0 is not paused for priority 3 now");
	/* A storm may last for a time without pause; a pause may be further on. */
	port(0, 1)->pause[3].is_storm = true;
	expect_way(1, "s0 p1", TRACE_SOURCE, SOURCE_OF("s1"));
	port(0, 1)->pause[3].is_storm = false;
	pause_at(1, 2, 3);
	expect_way(1, "s0 p1, s1 p2", TRACE_NO_NEIGHBOR,
		   "LLDP knows no neighbor at p2 of s1, which is paused from there");
}

static void test_way_ends_where_no_system_answers(void **state)
{
	struct trace_neighbor *n;

	(void)state;
	pause_at(0, 1, 40);
	expect_way(1, "s0 p1", TRACE_NO_NEIGHBOR,
		   "LLDP knows no neighbor at p1 of s0, which is paused from there");
	n = hears(0, 1, 1, "p1");
	n->address[0] = '\0';
	n->name[0] = '\0';
	expect_way(1, "s0 p1", TRACE_NO_ADDRESS, "c1 announces no management address");
	assert_int_equal(net.asked, 0);
	/* Of two LLDP agents of a station, one has an address. */
	hears(0, 1, 2, "p1");
	net.silent = 2;
	net.reason = TRACE_NO_ANSWER;
	expect_way(1, "s0 p1", TRACE_NO_ANSWER, "s2 (192.0.2.3) does not answer by SNMP: because");
	net.reason = TRACE_NO_TOOL;
	expect_way(1, "s0 p1", TRACE_NO_TOOL,
		   "snmpbulkwalk, to ask s2 (192.0.2.3), cannot be run: because");
	net.reason = TRACE_NO_OBJECTS;
	expect_way(1, "s0 p1", TRACE_NO_OBJECTS,
		   "s2 (192.0.2.3) shows neither dcbPfcPriorityTable nor ieee8021PfcIfTable");
}

#define DEADLOCK "deadlock: each port of this cycle waits for the next one: "

static void test_cycle_with_the_local_system(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		port(i, 1);
		pause_at(i, 2, 100);
	}
	for (unsigned i = 0; i < 3; i++)
		link_ports(i, 2, (i + 1) % 3, 1);
	expect_way(2, "s0 p2, s1 p2, s2 p2", TRACE_CYCLE, DEADLOCK "s0 p2, s1 p2, s2 p2");
	assert_int_equal(net.t.cycle, 0);
	assert_int_equal(net.asked, 2); /* the local system is not asked by SNMP */
}

static void test_cycle_that_does_not_have_the_local_system(void **state)
{
	(void)state;
	pause_at(0, 1, 10);
	port(1, 1);
	pause_at(1, 2, 100);
	port(1, 3);
	for (unsigned i = 2; i < 4; i++) {
		port(i, 1);
		pause_at(i, 2, 100);
	}
	link_ports(0, 1, 1, 1);
	link_ports(1, 2, 2, 1);
	link_ports(2, 2, 3, 1);
	link_ports(3, 2, 1, 3);
	expect_way(1, "s0 p1, s1 p2, s2 p2, s3 p2", TRACE_CYCLE, DEADLOCK "s1 p2, s2 p2, s3 p2");
	assert_int_equal(net.t.cycle, 1);
}

/* The local system is another one by SNMP if no neighbor tells its chassis ID. */
static void test_cycle_closes_by_snmp(void **state)
{
	struct trace_system by_snmp = {.name = "s9", .chassis = "c9"};

	(void)state;
	pause_at(0, 2, 100);
	port(1, 1);
	pause_at(1, 2, 100);
	hears(0, 2, 1, "p1");
	hears(1, 2, 9, "p1");
	net.of[9] = by_snmp;
	port(9, 1);
	pause_at(9, 2, 100);
	hears(9, 2, 1, "p1");
	expect_way(2, "s0 p2, s1 p2, s9 p2", TRACE_CYCLE, DEADLOCK "s1 p2, s9 p2");
}

static void test_way_has_a_limit(void **state)
{
	(void)state;
	for (unsigned i = 0; i < SYSTEMS; i++) {
		port(i, 1);
		pause_at(i, 2, 100);
	}
	for (unsigned i = 0; i + 1 < SYSTEMS; i++)
		link_ports(i, 2, i + 1, 1);
	net.t = (struct trace){.priority = 3};
	trace_follow(&net.t, &net.of[0], port(0, 2), ask, &net);
	assert_int_equal(net.t.reason, TRACE_TOO_FAR);
	assert_int_equal(net.t.n, TRACE_HOPS_MAX);
	assert_string_equal(net.t.text, "no end after 32 ports");
}

/* Names that fill the text of a cycle do not exceed it. */
static void test_text_of_a_cycle_is_cut(void **state)
{
	(void)state;
	for (unsigned i = 0; i < TRACE_HOPS_MAX; i++) {
		port(i, 1);
		pause_at(i, 2, 100);
	}
	for (unsigned i = 0; i < TRACE_HOPS_MAX; i++) {
		link_ports(i, 2, (i + 1) % TRACE_HOPS_MAX, 1);
		memset(net.of[i].name, 'x', sizeof(net.of[i].name) - 1);
	}
	net.t = (struct trace){.priority = 3};
	trace_follow(&net.t, &net.of[0], port(0, 2), ask, &net);
	assert_int_equal(net.t.reason, TRACE_CYCLE);
	assert_int_equal(strlen(net.t.text), sizeof(net.t.text) - 1);
}

static void test_reasons_have_names(void **state)
{
	(void)state;
	for (enum trace_reason r = 0; r < TRACE_REASONS; r++)
		for (enum trace_reason other = 0; other < r; other++)
			assert_string_not_equal(trace_reason_name(r), trace_reason_name(other));
}

/* --- the command ---------------------------------------------------------------------------- */

static char dir[] = "/tmp/test_cli_trace.XXXXXX";
static char *path; /* PATH before */
static const char *snmp;

static void write_file(const char *name, mode_t mode, const char *text)
{
	char file[256];
	FILE *f;

	snprintf(file, sizeof(file), "%s/%s", dir, name);
	f = fopen(file, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
	assert_int_equal(chmod(file, mode), 0);
}

static void remove_file(const char *name)
{
	char file[256];

	snprintf(file, sizeof(file), "%s/%s", dir, name);
	assert_int_equal(unlink(file), 0);
}

static void read_file(const char *name, char *text, size_t size)
{
	char file[256];
	FILE *f;

	snprintf(file, sizeof(file), "%s/%s", dir, name);
	f = fopen(file, "r");
	assert_non_null(f);
	text[fread(text, 1, size - 1, f)] = '\0';
	fclose(f);
}

/* The tool prints the file TARGET-OID of the directory, and keeps its arguments. */
static const char tool[] =
    "#!/bin/sh\n"
    "cd \"${0%/*}\" || exit 9\n"
    "printf '<%s>' \"$@\" >>args\n"
    "for word; do target=$last last=$word; done\n"
    "[ ! -x \"$target\" ] || exec \"./$target\"\n"
    "if [ -f \"$target-$last\" ]; then cat \"$target-$last\"\n"
    "else echo \".$last No Such Object available on this agent at this OID\"\n"
    "fi\n";

/* The script is found before the tool. */
static void set_path(void)
{
	char *text = malloc(sizeof(dir) + 1 + strlen(path));

	assert_non_null(text);
	sprintf(text, "%s:%s", dir, path);
	assert_int_equal(setenv("PATH", text, 1), 0);
	free(text);
}

static int start_all(void **state)
{
	if (!mkdtemp(dir) || start_server(state))
		return -1;
	path = strdup(getenv("PATH") ? getenv("PATH") : "/bin:/usr/bin");
	write_file("snmpbulkwalk", 0700, tool);
	set_path();
	return 0;
}

static int stop_all(void **state)
{
	char command[300];

	setenv("PATH", path, 1);
	free(path);
	snprintf(command, sizeof(command), "rm -r %s", dir);
	return system(command) || stop_server(state);
}

/* As "storms --trace --snmp ..." calls it. */
static int storms(struct cli *cli, const struct cli_command *self, int argc, char **argv)
{
	assert_true(cli_storms_option(cli, 't', NULL));
	if (snmp)
		assert_true(cli_storms_option(cli, 'm', snmp));
	return cmd_storms(cli, self, argc, argv);
}

/* Ports P and Q, of which P is paused by a neighbor at 192.0.2.7. */
static void put_pause(void)
{
	put_basic();
	for (const char *const *p = (const char *const[]){P, Q, NULL}; *p; p++) {
		char index[32];

		snprintf(index, sizeof(index), "%s.3", *p);
		server_put("dcbPfcPriorityPaused", index, (*p)[4] == '1' ? "true" : "false");
		server_put("dcbPfcPriorityPauseTime", index, "5");
		server_put("dcbPfcPriorityIndications", index, "5");
		server_put("dcbPfcWatchdogState", index, "watching");
	}
	put_neighbor(P, "1");
	snmp = NULL;
}

static void expect_status(struct ran ran, int rc, const char *out)
{
	assert_string_equal(ran.err, "");
	assert_string_equal(ran.out, out);
	assert_int_equal(ran.rc, rc);
	free(ran.out);
}

/* The words of the last line. */
static void expect_end(const char *end)
{
	struct ran ran = RUN_ALL(storms, false);
	const char *last = strstr(ran.out, "\n   ");

	assert_string_equal(ran.err, "");
	assert_non_null(last);
	assert_string_equal(last, end);
	assert_int_equal(ran.rc, CLI_FAILED);
	free(ran.out);
}

static void test_arguments_reach_the_tool_without_a_shell(void **state)
{
	char args[4096];

	(void)state;
	put_pause();
	snmp = " -v2c  -c\t$(id);*' ";
	expect_end(
	    "\n   spine-1.example (192.0.2.7) shows neither dcbPfcPriorityTable nor "
	    "ieee8021PfcIfTable\n");
	read_file("args", args, sizeof(args));
	assert_memory_equal(args,
			    "<-t><2><-r><1><-v2c><-c><$(id);*'><-m><><-Onqx><-Cr40><192.0.2.7>"
			    "<" PAUSE_TIME ">",
			    strlen("<-t><2><-r><1><-v2c><-c><$(id);*'><-m><><-Onqx><-Cr40>"
				   "<192.0.2.7><" PAUSE_TIME ">"));
	assert_non_null(strstr(args, "<" PORT_FRAMES ">"));
	assert_null(strstr(args, "<" IF_NAMES ">"));
}

static void test_tool_that_fails(void **state)
{
	(void)state;
	put_pause();
	write_file("192.0.2.7", 0700,
		   "#!/bin/sh\nprintf 'snmpbulkwalk: \\033[2Jno user\\nmore\\n' >&2\nexit 1\n");
	expect_end("\n   spine-1.example (192.0.2.7) does not answer by SNMP: ?[2Jno user\n");
	write_file("192.0.2.7", 0700, "#!/bin/sh\nkill -9 $$\n");
	expect_end(
	    "\n   spine-1.example (192.0.2.7) does not answer by SNMP: snmpbulkwalk failed\n");
	write_file("192.0.2.7", 0700, "#!/bin/sh\nexec cat /dev/zero\n");
	expect_end(
	    "\n   spine-1.example (192.0.2.7) does not answer by SNMP: the answers are too "
	    "long\n");
	remove_file("192.0.2.7");
	setenv("PATH", "/nonexistent", 1);
	expect_end(
	    "\n   snmpbulkwalk, to ask spine-1.example (192.0.2.7), cannot be run: No such "
	    "file or directory\n");
	set_path();
}

/* The neighbor is paused at swp8, by a station without an address. */
static void put_spine(void)
{
	write_file("192.0.2.7-" PAUSE_TIME, 0600, "." PAUSE_TIME ".7.3 5\n." PAUSE_TIME ".8.3 5\n");
	write_file("192.0.2.7-" PAUSED, 0600, "." PAUSED ".7.3 2\n." PAUSED ".8.3 1\n");
	write_file("192.0.2.7-" PORT_NAMES, 0600,
		   "." PORT_NAMES ".7 \"73 77 70 37\"\n." PORT_NAMES ".8 \"73 77 70 38\"\n");
	write_file("192.0.2.7-" NEIGHBORS, 0600,
		   "." NEIGHBORS
		   ".2.7.1 \"75 73\"\n"
		   "." NEIGHBORS
		   ".2.8.2 \"68 6F 73 74 39\"\n"
		   "." NEIGHBORS
		   ".3.8.2 \"65 74 68 30\"\n"
		   "." NEIGHBORS ".4.7.1 \"6C 65 61 66\"\n");
}

static void test_trace_as_text_and_json(void **state)
{
	struct ran ran;
	json_t *j, *t;

	(void)state;
	put_pause();
	put_spine();
	expect_status(RUN_ALL(storms, false), CLI_FAILED,
		      "1  leaf (this system)  70001 prio 3: paused by spine-1.example (192.0.2.7), "
		      "port swp7\n"
		      "2  spine-1.example (192.0.2.7)  swp8 prio 3: paused by host9, port eth0\n"
		      "   host9 announces no management address\n");
	ran = RUN(storms, true, "dev", P, "prio", "3");
	assert_int_equal(ran.rc, CLI_FAILED);
	j = json_loads(ran.out, 0, NULL);
	assert_int_equal(json_array_size(j), 1);
	t = json_array_get(j, 0);
	expect_dump(at(t, "version"), "1");
	expect_dump(at(t, "ifIndex"), "70001");
	expect_dump(at(t, "port"), "\"70001\"");
	expect_dump(at(t, "priority"), "3");
	expect_dump(json_array_get(at(t, "hops"), 1),
		    "{\"system\":\"spine-1.example\",\"chassisId\":\"spine-1\","
		    "\"address\":\"192.0.2.7\",\"ifIndex\":8,\"port\":\"swp8\",\"paused\":true,"
		    "\"storm\":false,\"pausedPercent\":0,\"pfcFramesPerSecond\":null,"
		    "\"ofAllPriorities\":false,\"otherPorts\":0,\"neighbor\":{\"systemName\":\"\","
		    "\"chassisId\":\"host9\",\"portId\":\"eth0\",\"managementAddress\":null}}");
	expect_dump(at(at(json_array_get(at(t, "hops"), 0), "neighbor"), "managementAddress"),
		    "\"192.0.2.7\"");
	expect_dump(at(t, "end"),
		    "{\"reason\":\"noAddress\",\"cycle\":null,"
		    "\"text\":\"host9 announces no management address\"}");
	json_decref(j);
	free(ran.out);
}

/* A source is success. Both ports are paused; the neighbor is asked once. */
static void test_every_paused_port_begins_a_trace(void **state)
{
	char args[8192];
	struct ran ran;

	(void)state;
	put_pause();
	put_neighbor(Q, "1");
	server_put("dcbNeighborPortId", Q ".1", "swp8");
	server_put("dcbPfcWatchdogState", Q ".3", "storm");
	put_spine();
	write_file("192.0.2.7-" PAUSED, 0600, "." PAUSED ".8.3 2\n");
	remove_file("args");
	ran = RUN_ALL(storms, false);
	assert_string_equal(ran.err, "");
	assert_int_equal(ran.rc, CLI_OK);
	assert_non_null(strstr(ran.out,
			       "70001 prio 3: paused by spine-1.example (192.0.2.7), "
			       "port swp7\n   spine-1.example is the source: "));
	assert_non_null(strstr(ran.out,
			       "\n\n1  leaf (this system)  70002 prio 3: not paused, a "
			       "storm, by spine-1.example (192.0.2.7), port swp8\n"));
	free(ran.out);
	read_file("args", args, sizeof(args));
	assert_null(strstr(strstr(strstr(args, PAUSE_TIME) + 1, PAUSE_TIME) + 1, PAUSE_TIME));
}

static void test_nothing_is_paused(void **state)
{
	(void)state;
	put_pause();
	server_put("dcbPfcPriorityPaused", P ".3", "false");
	expect_status(RUN_ALL(storms, false), CLI_FAILED, "no port is paused\n");
	expect_status(RUN_ALL(storms, true), CLI_FAILED, "[]\n");
	expect_status(RUN(storms, false, "dev", P), CLI_FAILED, "no port is paused\n");
	expect_status(RUN(storms, false, "prio", "all"), CLI_FAILED, "no port is paused\n");
}

static void test_arguments_are_checked(void **state)
{
	static const char *const words[][5] = {{"dev"}, {"dev", P, "prio"},      {"prio"},
					       {P},     {"prio", "3", "dev", P}, {"show"}};
	char many[2 * 65 + 1] = "";

	(void)state;
	put_pause();
	for (size_t i = 0; i < UNIT_COUNT(words); i++) {
		struct ran ran = run(storms, false, words[i]);

		assert_memory_equal(ran.err, "usage: ", 7);
		assert_int_equal(ran.rc, CLI_USAGE);
		free(ran.out);
	}
	expect_error(RUN(storms, false, "prio", "8"), CLI_USAGE,
		     "dcbctl: command prio: expected priorities 0..7, such as 3 or 3,5, or all, "
		     "not \"8\"\n");
	expect_error(RUN(storms, false, "dev", "nosuchif"), CLI_USAGE,
		     "dcbctl: expected the name or ifIndex of a port of dcbd, not \"nosuchif\"\n");
	expect_error(RUN(storms, false, "dev", "70003", "prio", "3"), CLI_USAGE,
		     "dcbctl: 70003 is not a port of dcbd\n");
	for (size_t i = 0; i + 1 < sizeof(many); i++)
		many[i] = i % 2 ? ' ' : 'x';
	snmp = many;
	expect_error(RUN_ALL(storms, false), CLI_USAGE,
		     "dcbctl: --snmp: expected at most 64 arguments\n");
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_walks_begin_at_the_objects),
	    cmocka_unit_test(test_counters_and_names_of_ports),
	    cmocka_unit_test(test_counters_that_are_less_than_before),
	    cmocka_unit_test(test_other_lines_are_ignored),
	    cmocka_unit_test(test_neighbors_of_dcbd),
	    cmocka_unit_test(test_neighbors_of_lldp_mib),
	    cmocka_unit_test(test_neighbors_of_lldp_v2_mib),
	    cmocka_unit_test(test_any_output_is_taken),
	    cmocka_unit_test(test_targets_are_addresses_of_other_systems),
	    NET_TEST(test_way_ends_at_the_system_that_is_not_paused),
	    NET_TEST(test_way_follows_the_longest_pause),
	    NET_TEST(test_port_of_the_link_is_found),
	    NET_TEST(test_way_without_a_pause),
	    NET_TEST(test_way_ends_where_no_system_answers),
	    NET_TEST(test_cycle_with_the_local_system),
	    NET_TEST(test_cycle_that_does_not_have_the_local_system),
	    NET_TEST(test_cycle_closes_by_snmp),
	    NET_TEST(test_way_has_a_limit),
	    NET_TEST(test_text_of_a_cycle_is_cut),
	    cmocka_unit_test(test_reasons_have_names),
	    cmocka_unit_test(test_arguments_reach_the_tool_without_a_shell),
	    cmocka_unit_test(test_tool_that_fails),
	    cmocka_unit_test(test_trace_as_text_and_json),
	    cmocka_unit_test(test_every_paused_port_begins_a_trace),
	    cmocka_unit_test(test_nothing_is_paused),
	    cmocka_unit_test(test_arguments_are_checked),
	};

	return cmocka_run_group_tests(tests, start_all, stop_all);
}
