/* SPDX-License-Identifier: BSD-3-Clause */
/* Scenario files: settings, expansion of counts, and errors with line and setting. */
#include "tests/unit/unit.h"

#include "sim/scenario.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HEAD "duration = \"1s\";\n"
#define NODES                                                \
	"nodes = ( { name = \"sw\"; kind = \"bridge\"; },\n" \
	"  { name = \"h%d\"; kind = \"station\"; count = 3; } );\n"
#define LINKS "links = ( { ends = [ \"h%d\", \"sw\" ]; count = 3; rate = \"10G\"; } );\n"
#define FLOWS "flows = ( { name = \"f\"; from = \"h0\"; to = \"h1\"; } );\n"
#define NET   HEAD NODES LINKS FLOWS /* five lines: text after it is line 6 */

#define RBRIDGES                                                         \
	"nodes = ( { name = \"rb%d\"; kind = \"rbridge\"; count = 2; }," \
	"  { name = \"h0\"; kind = \"station\"; } );\n"                  \
	"links = ( { ends = [ \"rb0\", \"rb1\" ]; rate = \"1G\"; } );\n"

static char path[] = "/tmp/test_scenario_XXXXXX";

static bool read_text(struct scenario *scn, const char *text, char *err, size_t errlen)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
	return scenario_read(scn, path, NULL, err, errlen);
}

static void test_errors_name_line_and_setting(void **state)
{
	static const struct {
		const char *text, *error;
	} cases[] = {
	    {"duration = ;", ":1: syntax error"},
	    {"", "expected a duration, nodes and links"},
	    {"duration = 5;", ":1: duration: expected a time such as \"1.5ms\" or \"2s\", not 5"},
	    {"duration = \"5\";", ":1: duration: expected a time"},
	    {"duration = \"-1s\";", ":1: duration: expected a time"},
	    {"duration = \"2000s\";", ":1: duration: expected a time"},
	    {NET "seed = 4294967296;",
	     ":6: seed: expected an integer 0..4294967295, not 4294967296"},
	    {NET "seed = 4294967297L;",
	     ":6: seed: expected an integer 0..4294967295, not 4294967297"},
	    {NET "seed = -4294967295;",
	     ":6: seed: expected an integer 0..4294967295, not -4294967295"},
	    {NET "seed = 0x100000000;",
	     ":6: seed: expected an integer 0..4294967295, not 4294967296"},
	    {NET "seed = 18446744073709551617;",
	     ":6: expected an integer of at most 64 bits, not 1844674407"},
	    {NET "seed = -18446744073709551617;",
	     ":6: expected an integer of at most 64 bits, not -1844674407"},
	    {NET "seed = 0x10000000000000001;",
	     ":6: expected an integer of at most 64 bits, not 0x1000000"},
	    {NET "cnpvs = ( 4294967299 );", ":6: cnpvs: expected an array of up to seven"},
	    {NET "cnpvs = ( 1.5 );", ":6: cnpvs: expected an array of up to seven"},
	    {HEAD NODES "links = ( { ends = [ \"h0\", \"sw\" ]; rate = 42949672970000; } );",
	     "rate: expected a rate of 1k..10T bit/s"},
	    {HEAD NODES
	     "links = ( { ends = [ \"h0\", \"sw\" ]; rate = \"1G\"; buffer = 4294968296; } );",
	     "buffer: expected octets such as 1500"},
	    {NET "assertions = ( { metric = \"discards\"; link = \"h0->sw\"; min = 0; "
		 "priority = 4294967299; } );",
	     "priority: expected an integer 0..7, not 4294967299"},
	    {NET "roce = [ 8 ];", ":6: roce: expected an array of priorities 0..7"},
	    {NET "variants = ( { roce = [ 3 ]; } );",
	     ":6: variants[0]: expected a group with a name"},
	    {NET "variants = ( { name = \"a\"; }, { name = \"a\"; } );",
	     ":6: variants[1].name: expected a group with a name that no other variant has"},
	    {NET "variants = ( { name = \"a\"; lldp = true; } );",
	     ":6: variants[0].lldp: unknown setting"},
	    {HEAD NODES LINKS "flows = ( { name = \"f\"; from = \"h0\"; to = \"h1\"; "
			      "frame = 67; } ); dcqcn = [ 0 ];",
	     "flow f: expected frames of at least 68 octets: RoCEv2"},
	    {NET "assertions = ( { metric = \"completion\"; flows = \"*\"; max = 1; "
		 "percentile = 0.0; } );",
	     "percentile: expected a number above 0, up to 100"},
	    {NET "speed = 1;", ":6: speed: unknown setting"},
	    {NET "warmup = \"1s\";", ":6: warmup: expected a time below the duration"},
	    {NET "trace = \"30us\";", "expected trace to be a multiple of sample"},
	    {NET "cnpvs = [ 8 ];", ":6: cnpvs: expected an array of up to seven"},
	    {NET "cnpvs = [ 0, 1, 2, 3, 4, 5, 6, 7 ];",
	     ":6: cnpvs: expected an array of up to seven"},
	    {"nodes = ( { name = \"a\"; } );", ":1: nodes[0]: expected a name and a kind"},
	    {"nodes = ( { name = \"a\"; kind = \"router\"; } );",
	     "kind: expected \"bridge\", \"rbridge\", \"station\" or \"host\", not \"router\""},
	    {"nodes = ( { name = \"a b\"; kind = \"host\"; } );", "expected a name of 1..31"},
	    {"nodes = ( { name = \"a%d%d\"; kind = \"host\"; } );", "expected a name of 1..31"},
	    {"nodes = ( { name = \"a\"; kind = \"host\"; count = 2; } );",
	     "duplicate node name \"a\""},
	    {HEAD NODES "links = ( { ends = [ \"h9\", \"sw\" ]; rate = \"1G\"; } );",
	     ":4: links[0]: expected the name of a node, not \"h9\""},
	    {HEAD NODES "links = ( { ends = [ \"h0\" ]; rate = \"1G\"; } );",
	     "ends: expected [ \"node\", \"node\" ]"},
	    {HEAD NODES "links = ( { ends = [ \"h0\", \"sw\" ]; } );",
	     "expected ends and a rate above 0"},
	    {HEAD NODES "links = ( { ends = [ \"h0\", \"h0\" ]; rate = \"1G\"; } );",
	     "expected two nodes without a link to each other"},
	    {HEAD NODES LINKS "flows = ( { from = \"h0\"; to = \"sw\"; } );",
	     ":5: flows[0]: expected an end station, not the bridge sw"},
	    {HEAD NODES LINKS "flows = ( { from = \"h0\"; to = \"h0\"; } );",
	     "expected two different nodes"},
	    {HEAD NODES LINKS "flows = ( { from = \"h0\"; to = \"h1\"; frame = 60; } );",
	     "frame: expected an integer 64..9216, not 60"},
	    {HEAD NODES LINKS "flows = ( { from = \"h0\"; to = \"h1\"; on = \"1ms\"; } );",
	     "expected both settings on and off, or neither"},
	    {HEAD NODES LINKS
	     "flows = ( { from = \"h0\"; to = \"h1\"; start = \"2s\"; stop = \"1s\"; } );",
	     "expected stop above start"},
	    {HEAD NODES "links = ( { ends = [ \"h0\", \"sw\" ]; rate = [ \"1G\" ]; } );",
	     "expected one value, or an array of two values, one for each direction"},
	    {HEAD NODES "links = ( { ends = [ \"h0\", \"sw\" ]; rate = \"1G\"; buffer = 100; } );",
	     "expected octets such as 1500"},
	    {NET "initial = ( { object = \"ifSpeed\"; value = 1; } );",
	     ":6: initial[0].object: expected the name of a writable object"},
	    {NET "initial = ( { object = \"ieee8021CnCpDiscardedFrames\"; value = 1; } );",
	     "expected the name of a writable object"},
	    {NET "initial = ( { object = \"ieee8021CnCpQueueSizeSetPoint\"; value = 5; } );",
	     "value: expected 100..4294967295 octets, not 5"},
	    {NET "initial = ( { object = \"ieee8021CnGlobalMasterEnable\"; value = \"true\"; "
		 "priority = 1; } );",
	     "expected no priority: ieee8021CnGlobalMasterEnable is not an object of a priority"},
	    {NET "initial = ( { object = \"ieee8021PfcLinkDelayAllowance\"; value = 1; "
		 "priority = 1; } );",
	     "expected no priority"},
	    {NET "initial = ( { object = \"dcbPfcWatchdogAction\"; value = 2; class = 1; } );",
	     "expected no class"},
	    {NET "initial = ( { object = \"lldpXdot1dcbxAdminETSConTrafficClassBandwidth\"; "
		 "value = 2; priority = 1; } );",
	     "expected no priority"},
	    {NET "initial = ( { object = \"lldpXdot1dcbxConfigPFCTxEnable\"; value = 1; } );",
	     "expected the name of a writable object"},
	    {NET "initial = ( { object = \"dcbNotifyRateLimit\"; value = 1; } );",
	     "expected the name of a writable object"},
	    {NET "pfc = [ 3, 8 ];", "pfc: expected an array of priorities 0..7"},
	    {NET "cnpvs = [ 0, 1, 2, 3, 4, 5, 6, 7 ];",
	     "expected an array of up to seven priorities"},
	    {HEAD NODES "links = ( { ends = [ \"h0\", \"sw\" ]; rate = \"1G\"; cost = 0; } );",
	     "cost: expected an integer 1..1000, not 0"},
	    {HEAD "nodes = ( { name = \"a\"; kind = \"bridge\"; pfc = { buffer = 1; }; } );",
	     "pfc.buffer: expected an integer 2000..1073741824, not 1"},
	    {NET "events = ( { link = \"h0->sw\"; up = false; } );",
	     ":6: events[0]: expected the setting at, the time of the event"},
	    {NET "events = ( { at = \"1ms\"; link = \"h0->h1\"; up = false; } );",
	     "expected a link's direction such as \"a->b\", not \"h0->h1\""},
	    {NET "events = ( { at = \"1ms\"; link = \"h0->sw\"; } );",
	     "expected object and value, or link with rate or up"},
	    {NET "events = ( { at = \"1ms\"; link = \"h0->sw\"; rate = 0; } );",
	     "rate: expected a rate above 0"},
	    {NET "watch = [ \"sw\" ];", ":6: watch: expected a link's direction"},
	    {NET "assertions = ( { metric = \"speed\"; } );",
	     "metric: expected one of utilisation, queue_mean"},
	    {NET "assertions = ( { metric = \"jain\"; flows = \"x*\"; min = 1; } );",
	     "flows: expected a pattern that matches the name of a flow"},
	    {NET "assertions = ( { metric = \"jain\"; link = \"h0->sw\"; min = 1; } );",
	     "metric jain: expected flows, without link"},
	    {NET "assertions = ( { metric = \"discards\"; flows = \"f\"; min = 1; } );",
	     "metric discards: expected link, without flows"},
	    {HEAD RBRIDGES "next_hops = ( { node = \"rb0\"; to = \"rb1\"; } );",
	     ":4: next_hops[0]: expected node, to and by"},
	    {HEAD RBRIDGES "next_hops = ( { node = \"rb0\"; to = \"rb1\"; by = \"h0\"; } );",
	     "by: expected the name of an RBridge, not \"h0\""},
	    {HEAD RBRIDGES "next_hops = ( { node = \"rb0\"; to = \"rb0\"; by = \"rb1\"; } );",
	     "expected other RBridges than rb0 as to and by"},
	    {HEAD RBRIDGES "tree_root = \"rb7\";",
	     ":4: tree_root: expected the name of an RBridge, not \"rb7\""},
	    {HEAD "nodes = ( { name = \"rb\"; kind = \"rbridge\"; nickname = 65472; } );",
	     "nickname: expected an integer 1..65471, not 65472"},
	    {HEAD "nodes = ( { name = \"a\"; kind = \"rbridge\"; nickname = 5; },"
		  "  { name = \"rb%d\"; kind = \"rbridge\"; nickname = 4; count = 2; } );",
	     ":2: nodes[1]: duplicate nickname 5: a has it"},
	    {HEAD "nodes = ( { name = \"rb%d\"; kind = \"rbridge\"; nickname = 65471; count = 2; "
		  "} );",
	     "expected nicknames of at most 65471"},
	    {HEAD "nodes = ( { name = \"b\"; kind = \"bridge\"; nickname = 1; } );",
	     "expected no nickname: only an RBridge has one"},
	    {HEAD "nodes = ( { name = \"rb%d\"; kind = \"rbridge\"; count = 1025; } );",
	     "expected at most 1024 RBridges"},
	    {HEAD NODES LINKS "flows = ( { from = \"h0\"; to = \"h0*\"; } );",
	     "to: expected a pattern that matches another station or host with a link"},
	    {NET "assertions = ( { metric = \"frames_lost\"; flows = \"f\"; max = 0; } );",
	     "metric frames_lost: expected neither link nor flows"},
	    {NET "assertions = ( { metric = \"jain\"; flows = \"f\"; } );",
	     "expected min, max or both"},
	    {NET "assertions = ( { metric = \"jain\"; flows = \"f\"; min = 2; max = 1; } );",
	     "expected min not above max"},
	    {NET "assertions = ( { metric = \"jain\"; flows = \"f\"; min = 1; to = \"2s\"; } );",
	     "expected from below to, and to not above the duration"},
	    {NET "assertions = ( { metric = \"jain\"; flows = \"f\"; min = 1; from = \"5us\"; } );",
	     "expected from, to and over to be multiples of sample"},
	};
	struct scenario scn;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char err[512] = "";

		if (read_text(&scn, cases[i].text, err, sizeof(err)))
			fail_msg("accepted: %s", cases[i].text);
		if (!strstr(err, cases[i].error) || strncmp(err, path, strlen(path)) != 0)
			fail_msg("%s\nfails with: %s\nexpected:   %s", cases[i].text, err,
				 cases[i].error);
	}
}

static void test_rejects_unreadable_file(void **state)
{
	struct scenario scn;
	char err[512];

	(void)state;
	assert_false(scenario_read(&scn, "/nonexistent/x.scn", NULL, err, sizeof(err)));
	assert_string_equal(err, "/nonexistent/x.scn: No such file or directory");
	assert_false(scenario_read(&scn, "/", NULL, err, sizeof(err)));
	assert_string_equal(err, "/: Is a directory");
}

static void test_count_expands_nodes_links_and_flows(void **state)
{
	struct scenario scn;
	char err[512], name[80];

	(void)state;
	if (!read_text(&scn,
		       HEAD
		       "nodes = ( { name = \"leaf%d\"; kind = \"bridge\"; count = 2; },"
		       "  { name = \"h%d\"; kind = \"station\"; count = 4; } );"
		       "links = ( { ends = [ \"h%d\", \"leaf%d\" ]; count = 4; divide = [ 1, 2 ];"
		       "    rate = [ \"10G\", \"2.5G\" ]; delay = [ \"0ns\", \"1.5us\" ]; buffer = "
		       "[ \"unlimited\", \"150k\" ]; },"
		       "  { ends = [ \"leaf0\", \"leaf1\" ]; rate = 1000000; } );"
		       "flows = ( { from = \"h%d\"; to = \"h%d\"; count = 4; offset = [ 0, 2 ]; "
		       "modulo = 4; } );",
		       err, sizeof(err)))
		fail_msg("%s", err);
	assert_int_equal(scn.n_nodes, 6);
	assert_string_equal(scn.nodes[5].name, "h3");
	assert_int_equal(scn.n_links, 5);
	scn_link_name(&scn, 4, name, sizeof(name));
	assert_string_equal(name, "h2->leaf1");
	scn_link_name(&scn, 7, name, sizeof(name));
	assert_string_equal(name, "leaf1->h3");
	assert_int_equal(scn.links[0].cable.rate[0].bps, 10000000000);
	assert_int_equal(scn.links[0].cable.rate[1].bps, 2500000000);
	assert_int_equal(scn.links[0].cable.delay_ns[1], 1500);
	assert_int_equal(scn.links[0].cable.buffer_octets[0], UINT32_MAX);
	assert_int_equal(scn.links[0].cable.buffer_octets[1], 150000);
	assert_int_equal(scn.links[4].cable.rate[1].bps, 1000000);
	assert_int_equal(scn.n_flows, 4);
	assert_string_equal(scn.flows[3].name, "h3->h1");
	scenario_free(&scn);
}

/* Reading searches nodes and links by hash; a search through all of them would take minutes. */
static void test_reads_largest_counts(void **state)
{
	static const char text[] = HEAD
	    "nodes = ( { name = \"n%d\"; kind = \"bridge\"; count = 100000; },\n"
	    "  { name = \"h%d\"; kind = \"host\"; count = 2; } );\n"
	    "links = ( { ends = [ \"n%d\", \"n%d\" ]; offset = [ 0, 1 ]; count = 99999;\n"
	    "    rate = \"1G\"; }, { ends = [ \"h%d\", \"n0\" ]; count = 2; rate = \"1G\"; } );\n"
	    "flows = ( { from = \"h0\"; to = \"h1\"; count = 100000; } );\n"
	    "watch = [ \"n99999->n99998\", \"h1->n0\" ];\n";
	struct scenario scn;
	char err[512] = "";

	(void)state;
	if (!read_text(&scn, text, err, sizeof(err)))
		fail_msg("%s", err);
	assert_int_equal(scn.n_nodes, 100002);
	assert_int_equal(scn.n_links, 100001);
	assert_int_equal(scn.n_flows, 100000);
	assert_int_equal(scn.watch[0], 2 * 99998 + 1);
	assert_int_equal(scn.watch[1], 2 * 100000);
	scenario_free(&scn);
}

/* Nicknames that the file names are left out, wherever they stand in it. */
static void test_rbridges_get_the_lowest_free_nicknames(void **state)
{
	struct scenario scn;
	char err[512] = "";

	(void)state;
	if (!read_text(&scn,
		       HEAD "nodes = ( { name = \"rb%d\"; kind = \"rbridge\"; count = 3; },"
			    "  { name = \"b\"; kind = \"bridge\"; },"
			    "  { name = \"x\"; kind = \"rbridge\"; nickname = 2; } );"
			    "links = ( { ends = [ \"rb0\", \"rb1\" ]; rate = \"1G\"; } );"
			    "tree_root = \"rb1\"; learning = true;"
			    "next_hops = ( { node = \"rb0\"; to = \"x\"; by = \"rb2\"; } );",
		       err, sizeof(err)))
		fail_msg("%s", err);
	assert_int_equal(scn.nodes[0].nickname, 1);
	assert_int_equal(scn.nodes[1].nickname, 3);
	assert_int_equal(scn.nodes[2].nickname, 4);
	assert_int_equal(scn.nodes[3].nickname, 0);
	assert_int_equal(scn.nodes[4].nickname, 2);
	assert_int_equal(scn.tree_root, 1);
	assert_true(scn.learning);
	assert_int_equal(scn.n_next_hops, 1);
	assert_int_equal(scn.next_hops[0].to, 4);
	assert_int_equal(scn.next_hops[0].by, 2);
	scenario_free(&scn);
}

/* A variant adds to the settings of the top level; without a name the first one is read. */
static void test_reads_one_variant(void **state)
{
	static const char text[] = NET
	    "pfc = [ 3 ]; variants = ( { name = \"a\"; cnpvs = [ 3 ]; },"
	    "  { name = \"b\"; dcqcn = [ 4 ]; pfc = [ 4 ];"
	    "    initial = ( { object = \"dcbEcnMinimum\"; value = 1; } ); } );";
	struct scenario scn;
	char err[512] = "";

	(void)state;
	if (!read_text(&scn, text, err, sizeof(err)))
		fail_msg("%s", err);
	assert_string_equal(scn.variant, "a");
	assert_int_equal(scn.n_variants, 2);
	assert_int_equal(scn.pfc, 0x08);
	assert_int_equal(scn.cnpvs, 0x08);
	assert_int_equal(scn.dcqcn | scn.roce, 0);
	assert_int_equal(scn.n_sets, 0);
	scenario_free(&scn);
	assert_true(scenario_read(&scn, path, "b", err, sizeof(err)));
	assert_int_equal(scn.pfc, 0x18);
	assert_int_equal(scn.cnpvs, 0);
	assert_int_equal(scn.dcqcn, 0x10);
	assert_int_equal(scn.roce, 0x10);
	assert_int_equal(scn.n_sets, 1);
	scenario_free(&scn);
	assert_false(scenario_read(&scn, path, "c", err, sizeof(err)));
	assert_non_null(strstr(err, "expected a variant named c"));
}

static void test_reads_pfc_settings(void **state)
{
	struct scenario scn;
	char err[512];

	(void)state;
	if (!read_text(&scn,
		       HEAD
		       "pfc = [ 7, 0 ];"
		       "nodes = ( { name = \"b\"; kind = \"bridge\"; transit_delay = \"0ms\";"
		       "    pfc = { buffer = 90000; headroom = 20000; xon = 5; }; },"
		       "  { name = \"h\"; kind = \"host\"; pfc_response = \"614ns\";"
		       "    frame_buffers = 333; } );"
		       "links = ( { ends = [ \"b\", \"h\" ]; rate = \"1G\"; cost = [ 1, 3 ]; } );",
		       err, sizeof(err)))
		fail_msg("%s", err);
	assert_int_equal(scn.pfc, 0x81);
	assert_int_equal(scn.nodes[0].transit_ns, 0);
	assert_int_equal(scn.nodes[0].settings.pfc_buffer_octets, 90000);
	assert_int_equal(scn.nodes[0].settings.pfc_headroom_octets, 20000);
	assert_int_equal(scn.nodes[0].settings.pfc_xon_octets, 5);
	assert_int_equal(scn.nodes[1].transit_ns, DCB_NS_PER_S);
	assert_int_equal(scn.nodes[1].response_ns, 614);
	assert_int_equal(scn.nodes[0].frame_buffers, 0);
	assert_int_equal(scn.nodes[1].frame_buffers, 333);
	assert_int_equal(scn.links[0].cable.cost[0], 1);
	assert_int_equal(scn.links[0].cable.cost[1], 3);
	scenario_free(&scn);
}

static void test_events_are_sorted_by_time(void **state)
{
	struct scenario scn;
	char err[512];

	(void)state;
	if (!read_text(&scn,
		       NET "events = ( { at = \"3ms\"; link = \"h0->sw\"; up = true; },"
			   "  { at = \"1ms\"; link = \"h0->sw\"; up = false; },"
			   "  { at = \"3ms\"; link = \"h0->sw\"; rate = \"1G\"; },"
			   "  { at = \"2ms\"; object = \"ieee8021CnGlobalMasterEnable\"; value = "
			   "\"false\"; } );",
		       err, sizeof(err)))
		fail_msg("%s", err);
	assert_int_equal(scn.n_events, 4);
	assert_int_equal(scn.events[0].kind, SCN_DOWN);
	assert_int_equal(scn.events[1].kind, SCN_SET);
	assert_int_equal(scn.events[2].kind, SCN_UP);
	assert_int_equal(scn.events[3].kind, SCN_RATE);
	scenario_free(&scn);
}

/* Every setting that takes an integer; none takes more than 32 bits. */
static const char integers[] =
    "duration = \"1s\"; seed = 7;\n"
    "cnpvs = [ 1, 2 ];\n"
    "pfc = [ 3 ];\n"
    "nodes = ( { name = \"b\"; kind = \"bridge\"; frame_buffers = 900;\n"
    "    regeneration = [ 0, 1, 2, 3, 4, 5, 6, 7 ];\n"
    "    pfc = { buffer = 90000; headroom = 20000; xon = 5; };\n"
    "    cn = { variant = \"2007\"; page_octets = 64; }; },\n"
    "  { name = \"h%d\"; kind = \"station\"; count = 2; } );\n"
    "links = ( { ends = [ \"h%d\", \"b\" ]; count = 2; divide = 1; offset = [ 0, 0 ];\n"
    "    modulo = [ 2, 0 ]; rate = \"1G\"; cost = [ 1, 3 ]; buffer = 150000; } );\n"
    "flows = ( { name = \"f%d\"; from = \"h%d\"; to = \"h%d\"; count = 2; divide = 1;\n"
    "    offset = [ 0, 1 ]; modulo = 2; priority = 4; frame = 1000; } );\n"
    "initial = ( { object = \"ieee8021CnCpQueueSizeSetPoint\"; value = 30000;\n"
    "    priority = 1; } );\n"
    "events = ( { at = \"1ms\"; object = \"dcbPfcHeadroomResponse\"; value = 5000; } );\n"
    "assertions = ( { metric = \"discards\"; link = \"b->h0\"; max = 0.0; priority = 1; } );\n";

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Returns the next integer of the text that is not in a string, a name or a real number. */
static const char *next_integer(const char *p)
{
	bool quoted = false;

	for (char before = ' '; *p; before = *p++) {
		if (*p == '"')
			quoted = !quoted;
		if (!quoted && is_digit(*p) && before == ' ' && p[strspn(p, "0123456789")] != '.')
			return p;
	}
	return NULL;
}

/* Reads the text with this text in place of the integer at. */
static bool read_with(const char *at, const char *number, char *err, size_t errlen)
{
	char text[sizeof(integers) + 40];
	struct scenario scn;
	bool ok;

	snprintf(text, sizeof(text), "%.*s%s%s", (int)(at - integers), integers, number,
		 at + strspn(at, "0123456789"));
	ok = read_text(&scn, text, err, errlen);
	if (ok)
		scenario_free(&scn);
	return ok;
}

static void test_no_integer_is_truncated(void **state)
{
	const char *const text = integers;
	unsigned n = 0;

	(void)state;
	for (const char *at = next_integer(text); at; at = next_integer(at + 1)) {
		const unsigned long long v = strtoull(at, NULL, 10), step = 1ULL << 32;
		const char *const formats[] = {"%llu", "%lluL", "0x%llx"};
		char err[512] = "", number[40], where[80];
		unsigned line = 1;

		for (const char *p = text; p < at; p++)
			line += *p == '\n';
		snprintf(where, sizeof(where), "%s:%u:", path, line);
		snprintf(number, sizeof(number), "%llu", v);
		if (!read_with(at, number, err, sizeof(err)))
			fail_msg("%s", err);
		for (size_t k = 0; k < sizeof(formats) / sizeof(formats[0]); k++) {
			snprintf(number, sizeof(number), formats[k], v + step);
			if (read_with(at, number, err, sizeof(err)))
				fail_msg("accepted: %s instead of %.40s", number, at);
			if (strncmp(err, where, strlen(where)) != 0 || !strstr(err, "expected"))
				fail_msg("%s instead of %.40s: %s", number, at, err);
		}
		n++;
		at += strspn(at, "0123456789") - 1;
	}
	assert_true(n >= 30);
}

static int make_file(void **state)
{
	int fd = mkstemp(path);

	(void)state;
	close(fd);
	return fd < 0;
}

static int remove_file(void **state)
{
	(void)state;
	return unlink(path);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_errors_name_line_and_setting),
	    cmocka_unit_test(test_rejects_unreadable_file),
	    cmocka_unit_test(test_count_expands_nodes_links_and_flows),
	    cmocka_unit_test(test_reads_largest_counts),
	    cmocka_unit_test(test_rbridges_get_the_lowest_free_nicknames),
	    cmocka_unit_test(test_reads_one_variant),
	    cmocka_unit_test(test_reads_pfc_settings),
	    cmocka_unit_test(test_events_are_sorted_by_time),
	    cmocka_unit_test(test_no_integer_is_truncated),
	};

	return cmocka_run_group_tests_name("scenario", tests, make_file, remove_file);
}
