/* SPDX-License-Identifier: BSD-3-Clause */
/* RBridges of the simulator: next hops, tree and addresses; frames and CNMs between them. */
#include "tests/unit/sim_run.h"

#include "dataplane/rbridge/rbridge.h"
#include "dataplane/trill/trill.h"
#include "sim/tally.h"

#include <string.h>

static struct sim_node *node_of(struct fixture *w, const char *name)
{
	uint32_t i = 0;

	while (i < w->run.sim.n_nodes && strcmp(w->run.sim.nodes[i].name, name) != 0)
		i++;
	assert_true(i < w->run.sim.n_nodes);
	return &w->run.sim.nodes[i];
}

static const struct port_config *port_config_of(struct fixture *w, const char *from, const char *to)
{
	const struct sim_link *link = link_of(w, from, to);

	return link->from->config->ports[link->out->base.slot].config;
}

/* The port of RBridge from to node to is a next hop: to RBridge at, by its neighbor's port. */
static const struct trill_next_hop *hop(struct fixture *w, const char *from, const char *to,
					const char *at, const char *neighbor, const char *its_port)
{
	return trill_next_hop_find(&port_config_of(w, from, to)->trill_hops,
				   node_of(w, at)->nickname,
				   link_of(w, neighbor, its_port)->out->base.link.mac);
}

static double measured(const struct fixture *w, size_t i)
{
	return w->run.probes[i].value;
}

/* --- next hops ---------------------------------------------------------------------------- */

/* A ring of four RBridges, all links of cost 2; bridge br is between rb3 and rb0. */
#define RING                                                                                       \
	"nodes = ( { name = \"rb%d\"; kind = \"rbridge\"; count = 4; nickname = 100; },"           \
	"  { name = \"br\"; kind = \"bridge\"; },"                                                 \
	"  { name = \"a%d\"; kind = \"station\"; count = 16; },"                                   \
	"  { name = \"c\"; kind = \"station\"; } );"                                               \
	"links = ( { ends = [ \"rb%d\", \"rb%d\" ]; offset = [ 0, 1 ]; count = 3; rate = \"10G\";" \
	"    cost = 2; },"                                                                         \
	"  { ends = [ \"rb3\", \"br\" ]; rate = \"10G\"; },"                                       \
	"  { ends = [ \"br\", \"rb0\" ]; rate = \"10G\"; },"                                       \
	"  { ends = [ \"a%d\", \"rb0\" ]; count = 16; rate = \"1G\"; },"                           \
	"  { ends = [ \"c\", \"rb2\" ]; rate = \"10G\"; } );"                                      \
	"flows = ( { name = \"f%d\"; from = \"a%d\"; to = \"c\"; count = 16; rate = \"10M\"; } );"

static void test_next_hops_are_on_all_paths_of_least_cost(void **state)
{
	struct fixture w;

	(void)state;
	start(&w, "duration = \"1ms\";" RING, 1);
	assert_non_null(hop(&w, "rb0", "rb1", "rb2", "rb1", "rb0"));
	assert_non_null(hop(&w, "rb0", "br", "rb2", "rb3", "br"));
	assert_non_null(hop(&w, "rb0", "rb1", "rb1", "rb1", "rb0"));
	assert_non_null(hop(&w, "rb0", "br", "rb3", "rb3", "br"));
	assert_int_equal(port_config_of(&w, "rb0", "rb1")->trill_hops.n, 2);
	assert_int_equal(port_config_of(&w, "rb0", "br")->trill_hops.n, 2);
	assert_int_equal(port_config_of(&w, "rb0", "a0")->trill_hops.n, 0);
	assert_int_equal(trill_port_mode(&port_config_of(&w, "rb0", "rb1")->trill), TRILL_TRUNK);
	assert_int_equal(trill_port_mode(&port_config_of(&w, "rb0", "br")->trill), TRILL_TRUNK);
	assert_int_equal(trill_port_mode(&port_config_of(&w, "rb0", "a0")->trill), TRILL_ACCESS);
	assert_int_equal(node_of(&w, "rb2")->config->trill.nickname, 102);
	assert_int_equal(node_of(&w, "rb2")->config->trill.tree_root, 0);
	end(&w);
}

static void test_scenario_can_name_the_next_hops(void **state)
{
	struct fixture w;

	(void)state;
	start(&w,
	      "duration = \"1ms\";"
	      "next_hops = ( { node = \"rb0\"; to = \"rb2\"; by = \"rb3\"; },"
	      "  { node = \"rb1\"; to = \"rb2\"; by = \"rb0\"; } );" RING,
	      1);
	assert_null(hop(&w, "rb0", "rb1", "rb2", "rb1", "rb0"));
	assert_non_null(hop(&w, "rb0", "br", "rb2", "rb3", "br"));
	assert_null(hop(&w, "rb1", "rb2", "rb2", "rb2", "rb1"));
	assert_non_null(hop(&w, "rb1", "rb0", "rb2", "rb0", "rb1"));
	assert_non_null(hop(&w, "rb3", "rb2", "rb2", "rb2", "rb3"));
	run(&w);
	assert_int_equal(link_of(&w, "rb0", "rb1")->stats.frames, 0);
	assert_int_equal(tally_frames_lost(&w.run.sim), 0);
	end(&w);
}

/* The flows share both ways round, and all of them take the other one when one is down. */
static void test_flows_share_next_hops_and_leave_one_that_fails(void **state)
{
	struct fixture w;
	uint64_t by_rb1, lost;

	(void)state;
	start(
	    &w,
	    "duration = \"40ms\"; events = ("
	    "  { at = \"20ms\"; link = \"rb0->rb1\"; up = false; } );"
	    "assertions = ( { metric = \"goodput_min\"; flows = \"*\"; from = \"30ms\"; min = 0; },"
	    "  { metric = \"frames_lost\"; from = \"30ms\"; max = 0; } );" RING,
	    1);
	sim_run_until(&w.run.sim, (struct dcb_time){19 * DCB_NS_PER_MS});
	by_rb1 = link_of(&w, "rb0", "rb1")->stats.frames;
	assert_true(by_rb1 > 0);
	assert_true(link_of(&w, "rb0", "br")->stats.frames > 0);
	assert_int_equal(tally_frames_lost(&w.run.sim), 0);
	run(&w);
	lost = tally_frames_lost(&w.run.sim);
	assert_true(lost <= 1); /* at most a frame of 10 Gb/s is in flight */
	assert_true(measured(&w, 0) > 9e6);
	assert_true(measured(&w, 1) == 0);
	end(&w);
}

static void test_rejects_campus_that_cannot_work(void **state)
{
	(void)state;
	assert_true(
	    start_fails("duration = \"1ms\";"
			"next_hops = ( { node = \"rb0\"; to = \"rb3\"; by = \"rb2\"; } );" RING,
			"next_hops: expected a neighbor of RBridge rb0, not rb2"));
	assert_true(start_fails(
	    "duration = \"1ms\";"
	    "nodes = ( { name = \"rb%d\"; kind = \"rbridge\"; count = 2; } );"
	    "links = ( { ends = [ \"rb0\", \"rb1\" ]; rate = \"1G\"; cost = [ 1, 2 ]; } );",
	    "link rb0->rb1: expected the same cost in both directions: a campus of RBridges"));
	assert_true(
	    start_fails("duration = \"1ms\";"
			"nodes = ( { name = \"rb%d\"; kind = \"rbridge\"; count = 2; },"
			"  { name = \"h%d\"; kind = \"host\"; count = 2; } );"
			"links = ( { ends = [ \"rb%d\", \"h%d\" ]; count = 2; rate = \"1G\"; } );"
			"flows = ( { from = \"h0\"; to = \"h1\"; } );",
			"no path from h0 to h1"));
}

/* The first of a line of 258 RBridges reaches 257 by one port. */
static void test_rejects_more_next_hops_than_a_port_may_have(void **state)
{
	(void)state;
	assert_true(
	    start_fails("duration = \"1ms\";"
			"nodes = ( { name = \"rb%d\"; kind = \"rbridge\"; count = 258; } );"
			"links = ( { ends = [ \"rb%d\", \"rb%d\" ]; offset = [ 0, 1 ]; count = 257;"
			"  rate = \"1G\"; buffer = 2000; } );",
			": expected at most 256 next hops at a port"));
}

/* --- addresses and the tree ------------------------------------------------------------------ */

/* A line of three RBridges: two stations at the first, one at each of the others. */
#define LINE                                                                                \
	"nodes = ( { name = \"rb%d\"; kind = \"rbridge\"; count = 3; },"                    \
	"  { name = \"br\"; kind = \"bridge\"; },"                                          \
	"  { name = \"s%d\"; kind = \"station\"; count = 4; } );"                           \
	"links = ( { ends = [ \"rb0\", \"br\" ]; rate = \"1G\"; },"                         \
	"  { ends = [ \"br\", \"rb1\" ]; rate = \"1G\"; },"                                 \
	"  { ends = [ \"rb1\", \"rb2\" ]; rate = \"1G\"; },"                                \
	"  { ends = [ \"s%d\", \"rb%d\" ]; count = 3; rate = \"1G\"; },"                    \
	"  { ends = [ \"s3\", \"rb0\" ]; rate = \"1G\"; } );"                               \
	"flows = ( { name = \"there\"; from = \"s0\"; to = \"s2\"; size = 1500; },"         \
	"  { name = \"back\"; from = \"s2\"; to = \"s0\"; start = \"1ms\"; size = 1500; }," \
	"  { name = \"again\"; from = \"s0\"; to = \"s2\"; start = \"2ms\"; size = 1500; } );"

static void each_flow_arrives_once(struct fixture *w)
{
	for (uint32_t i = 0; i < w->run.sim.n_flows; i++)
		assert_int_equal(w->run.sim.flows[i].stats.frames, 1);
	assert_int_equal(tally_frames_lost(&w->run.sim), 0);
}

/* The first frame goes along the tree to all stations, the later ones to their destination. */
static void test_unknown_address_is_learned_along_the_tree(void **state)
{
	struct fixture w;
	struct trill_nickname_stats stats;

	(void)state;
	start(&w, "duration = \"5ms\"; tree_root = \"rb1\"; learning = true;" LINE, 1);
	assert_true(hop(&w, "rb0", "br", "rb2", "rb1", "br")->tree);
	assert_true(hop(&w, "rb0", "br", "rb1", "rb1", "br")->tree);
	assert_true(hop(&w, "rb1", "rb2", "rb2", "rb2", "rb1")->tree);
	run(&w);
	each_flow_arrives_once(&w);
	assert_int_equal(link_of(&w, "rb1", "s1")->stats.frames, 1);
	assert_int_equal(link_of(&w, "rb0", "s3")->stats.frames, 1);
	assert_true(rbridge_read_nickname(node_of(&w, "rb0")->engine, node_of(&w, "rb2")->nickname,
					  &stats));
	assert_int_equal(stats.learned, 1);
	end(&w);
}

/*
 * A ring of four RBridges with a station each, whose link rb2 - rb3 is not in the tree. The first
 * frame goes round by rb1 and rb0, and to the other stations; the later ones take the link.
 */
static void test_mesh_has_rows_of_the_tree_only(void **state)
{
	const struct trill_next_hop *row;
	struct fixture w;

	(void)state;
	start(&w,
	      "duration = \"5ms\"; tree_root = \"rb0\"; learning = true;"
	      "nodes = ( { name = \"rb%d\"; kind = \"rbridge\"; count = 4; },"
	      "  { name = \"s%d\"; kind = \"station\"; count = 4; } );"
	      "links = ( { ends = [ \"rb%d\", \"rb%d\" ]; offset = [ 0, 1 ]; modulo = [ 0, 4 ];"
	      "    count = 4; rate = \"1G\"; },"
	      "  { ends = [ \"s%d\", \"rb%d\" ]; count = 4; rate = \"1G\"; } );"
	      "flows = ( { from = \"s2\"; to = \"s3\"; size = 1500; },"
	      "  { from = \"s3\"; to = \"s2\"; start = \"1ms\"; size = 1500; },"
	      "  { from = \"s2\"; to = \"s3\"; start = \"2ms\"; size = 1500; } );",
	      1);
	row = hop(&w, "rb3", "rb0", "rb2", "rb0", "rb3");
	assert_true(row->tree && row->not_unicast);
	row = hop(&w, "rb3", "rb2", "rb2", "rb2", "rb3");
	assert_true(!row->tree && !row->not_unicast);
	row = hop(&w, "rb3", "rb0", "rb1", "rb0", "rb3"); /* one of two shortest ways */
	assert_true(row->tree && !row->not_unicast);
	run(&w);
	each_flow_arrives_once(&w);
	assert_int_equal(link_of(&w, "rb2", "rb3")->stats.frames, 1);
	assert_int_equal(link_of(&w, "rb3", "rb2")->stats.frames, 1);
	assert_int_equal(link_of(&w, "rb0", "s0")->stats.frames, 1);
	assert_int_equal(link_of(&w, "rb1", "s1")->stats.frames, 1);
	assert_int_equal(link_of(&w, "rb3", "s3")->stats.frames, 2);
	end(&w);
}

static void test_addresses_are_known_without_learning(void **state)
{
	struct fixture w;

	(void)state;
	start(&w, "duration = \"5ms\";" LINE, 1);
	run(&w);
	each_flow_arrives_once(&w);
	assert_int_equal(link_of(&w, "rb1", "s1")->stats.frames, 0);
	assert_int_equal(link_of(&w, "rb0", "s3")->stats.frames, 0);
	end(&w);
}

/* rb1 takes no TRILL frames from bridge br any more: RFC 6325, 4.9.1. */
static void test_scenario_can_change_the_mode_of_a_port(void **state)
{
	struct fixture w;

	(void)state;
	start(&w,
	      "duration = \"5ms\"; initial = ( { object = \"dcbTrillPortMode\"; value = \"access\";"
	      "  node = \"rb1\"; port = \"br\"; } );" LINE,
	      1);
	run(&w);
	assert_int_equal(w.run.sim.flows[0].stats.frames, 0);
	assert_int_equal(tally_frames_lost(&w.run.sim), 2); /* those to s2 */
	end(&w);
}

/* Without a tree such frames stay at their RBridge: RFC 6325, 4.5. */
static void test_unknown_address_without_tree_stays_local(void **state)
{
	struct fixture w;

	(void)state;
	start(&w, "duration = \"5ms\"; learning = true;" LINE, 1);
	run(&w);
	assert_int_equal(w.run.sim.flows[0].stats.frames, 0);
	assert_int_equal(link_of(&w, "rb0", "s3")->stats.frames, 2);
	assert_int_equal(link_of(&w, "rb0", "br")->stats.frames, 0);
	end(&w);
}

/* Stations at a LAN of two RBridges: the first forwards for them, nothing arrives twice. */
static void test_one_rbridge_of_a_lan_is_appointed_forwarder(void **state)
{
	struct fixture w;

	(void)state;
	start(&w,
	      "duration = \"5ms\"; tree_root = \"rb0\"; learning = true;"
	      "nodes = ( { name = \"rb%d\"; kind = \"rbridge\"; count = 3; },"
	      "  { name = \"sw\"; kind = \"bridge\"; },"
	      "  { name = \"h%d\"; kind = \"station\"; count = 3; } );"
	      "links = ( { ends = [ \"rb%d\", \"sw\" ]; count = 2; rate = \"1G\"; },"
	      "  { ends = [ \"rb0\", \"rb2\" ]; rate = \"1G\"; cost = 2; },"
	      "  { ends = [ \"h%d\", \"sw\" ]; count = 2; rate = \"1G\"; },"
	      "  { ends = [ \"h2\", \"rb2\" ]; rate = \"1G\"; } );"
	      "flows = ( { from = \"h0\"; to = \"h2\"; size = 1500; },"
	      "  { from = \"h2\"; to = \"h1\"; start = \"1ms\"; size = 1500; },"
	      "  { from = \"h1\"; to = \"h2\"; start = \"2ms\"; size = 1500; } );",
	      1);
	assert_int_equal(trill_port_mode(&port_config_of(&w, "rb0", "sw")->trill), TRILL_HYBRID);
	assert_int_equal(trill_port_mode(&port_config_of(&w, "rb1", "sw")->trill), TRILL_HYBRID);
	run(&w);
	for (uint32_t i = 0; i < w.run.sim.n_flows; i++)
		assert_int_equal(w.run.sim.flows[i].stats.frames, 1);
	assert_int_equal(link_of(&w, "rb2", "h2")->stats.frames, 2);
	assert_int_equal(link_of(&w, "rb1", "sw")->stats.frames, 0);
	end(&w);
}

/* --- CNMs ------------------------------------------------------------------------------------- */

/* Two stations overload the port of bridge br to rb1, and br pauses rb0. A frame of 9216 octets has
 * to fit. */
#define BOTTLENECK(octets)                                                                 \
	"duration = \"30ms\"; cnpvs = [ 3 ]; pfc = [ 3 ];"                                 \
	"nodes = ( { name = \"rb%d\"; kind = \"rbridge\"; count = 2; },"                   \
	"  { name = \"br\"; kind = \"bridge\"; },"                                         \
	"  { name = \"s%d\"; kind = \"station\"; count = 2; },"                            \
	"  { name = \"d\"; kind = \"station\"; } );"                                       \
	"links = ( { ends = [ \"s%d\", \"rb0\" ]; count = 2; rate = \"10G\"; },"           \
	"  { ends = [ \"rb0\", \"br\" ]; rate = \"10G\"; },"                               \
	"  { ends = [ \"br\", \"rb1\" ]; rate = \"1G\"; },"                                \
	"  { ends = [ \"rb1\", \"d\" ]; rate = \"10G\"; } );"                              \
	"flows = ( { name = \"s%d\"; from = \"s%d\"; to = \"d\"; count = 2; priority = 3;" \
	"  frame = 9216; stop = \"20ms\"; } );"                                            \
	"initial = ( { object = \"ieee8021CnCpMinHeaderOctets\"; value = " octets          \
	"; } );"                                                                           \
	"assertions = ( { metric = \"frames_lost\"; max = 0; },"                           \
	"  { metric = \"cnms\"; link = \"br->rb1\"; min = 1; },"                           \
	"  { metric = \"cnms_received\"; flows = \"s*\"; min = 1; },"                      \
	"  { metric = \"cnms_received\"; flows = \"s0\"; min = 1; },"                      \
	"  { metric = \"cnms_received\"; flows = \"s1\"; min = 1; },"                      \
	"  { metric = \"cnms_dropped\"; max = 0; }, { metric = \"cnms_missing\"; max = 0; } );"

static void test_every_cnm_is_received_by_its_source(void **state)
{
	struct fixture w;
	struct tally_cnms cnms;

	(void)state;
	start(&w, BOTTLENECK("64"), 1);
	run(&w);
	tally_cnms(&w.run.sim, &cnms);
	assert_true(measured(&w, 0) == 0);
	assert_true(measured(&w, 1) > 2);
	assert_true(measured(&w, 2) == (double)cnms.made);
	assert_true(measured(&w, 2) == measured(&w, 3) + measured(&w, 4));
	assert_true(measured(&w, 5) == 0);
	assert_true(measured(&w, 6) == 0);
	assert_int_equal(run_failures(&w.run), 0);
	end(&w);
}

/* draft-eastlake-trill-cn-00, 3.1: rb0 cannot find the inner frame. */
static void test_cnms_without_the_head_of_the_frame_are_counted_as_dropped(void **state)
{
	struct fixture w;
	struct tally_cnms cnms;

	(void)state;
	start(&w, BOTTLENECK("0"), 1);
	run(&w);
	tally_cnms(&w.run.sim, &cnms);
	assert_true(measured(&w, 1) > 2);
	assert_true(measured(&w, 1) == (double)cnms.malformed);
	assert_int_equal(cnms.received, cnms.made - cnms.malformed); /* those of rb0 itself */
	assert_true(measured(&w, 5) == (double)cnms.malformed);
	assert_true(measured(&w, 6) == 0);
	end(&w);
}

/*
 * rb1 strips the CN-TAGs of frames to rb2. Buffers that have held a CNM have its octets behind the
 * extent of the next frame.
 */
#define STRIPS(octets)                                                                        \
	"duration = \"30ms\"; cnpvs = [ 3 ]; tree_root = \"rb1\";"                            \
	"nodes = ( { name = \"rb%d\"; kind = \"rbridge\"; count = 3; },"                      \
	"  { name = \"s\"; kind = \"station\"; }, { name = \"d\"; kind = \"station\"; } );"   \
	"links = ( { ends = [ \"s\", \"rb0\" ]; rate = \"10G\"; delay = \"1us\"; },"          \
	"  { ends = [ \"rb%d\", \"rb%d\" ]; offset = [ 0, 1 ]; count = 2; rate = \"10G\";"    \
	"    delay = \"1us\"; },"                                                             \
	"  { ends = [ \"rb2\", \"d\" ]; rate = \"1G\"; delay = \"1us\"; } );"                 \
	"flows = ( { name = \"f\"; from = \"s\"; to = \"d\"; priority = 3;"                   \
	"  frame = " octets                                                                   \
	"; } );"                                                                              \
	"initial = ( { object = \"ieee8021CnCpMinHeaderOctets\"; value = 64; },"              \
	"  { object = \"ieee8021CnPortPriDefModeChoice\"; node = \"rb1\"; port = \"rb2\";"    \
	"    priority = 3; value = \"cpcAdmin\"; },"                                          \
	"  { object = \"ieee8021CnPortPriAdminDefenseMode\"; node = \"rb1\"; port = \"rb2\";" \
	"    priority = 3; value = \"cptInterior\"; } );"

/* Returns whether a frame has other octets than zeros behind its stamp, of those that arrive. */
static bool has_old_octets(const struct sim_link *link, const struct flight *f)
{
	uint32_t n = f->len > LINK_HEAD_OCTETS ? link->head_octets : f->len;

	for (uint32_t i = SIM_FRAME_OCTETS_MIN + TRILL_ENCAPSULATION_MAX; i < n; i++) {
		if (f->head[i])
			return true;
	}
	return false;
}

static void test_frames_without_their_cn_tag_have_no_octets_of_other_frames(void **state)
{
	/* 177 to 185 octets before rb1, and long ones. */
	static const char *const scenarios[] = {
	    STRIPS("149"), STRIPS("152"), STRIPS("153"), STRIPS("154"),  STRIPS("155"),
	    STRIPS("156"), STRIPS("157"), STRIPS("160"), STRIPS("1500"),
	};

	(void)state;
	for (unsigned i = 0; i < UNIT_COUNT(scenarios); i++) {
		struct fixture w;
		const struct sim_link *link;
		uint32_t old = 0;

		start(&w, scenarios[i], 1);
		link = link_of(&w, "rb1", "rb2");
		for (int64_t us = 1; us <= 30000; us++) {
			const struct flights *f = &link->data;

			sim_run_until(&w.run.sim, (struct dcb_time){us * 1000});
			for (uint32_t k = f->head; k != f->tail; k++)
				old += has_old_octets(link, &f->ring[k & f->mask]);
		}
		assert_true(link->stats.frames > 1000);
		assert_int_equal(old, 0);
		end(&w);
	}
}

/* With LLDP the ports between RBridges and bridges agree on the domain, so CN-TAGs are kept. */
static void test_rbridges_agree_on_the_domain_by_lldp(void **state)
{
	struct fixture w;

	(void)state;
	start(&w, "lldp = true;" BOTTLENECK("64"), 1);
	run(&w);
	assert_true(measured(&w, 0) == 0);
	assert_true(measured(&w, 2) > 2);
	assert_true(measured(&w, 6) == 0);
	end(&w);
}

/* --- random destinations --------------------------------------------------------------------- */

#define RANDOM                                                                 \
	"duration = \"1ms\";"                                                  \
	"nodes = ( { name = \"sw\"; kind = \"bridge\"; },"                     \
	"  { name = \"h%d\"; kind = \"host\"; count = 9; },"                   \
	"  { name = \"other\"; kind = \"host\"; } );"                          \
	"links = ( { ends = [ \"h%d\", \"sw\" ]; count = 9; rate = \"1G\"; }," \
	"  { ends = [ \"other\", \"sw\" ]; rate = \"1G\"; } );"                \
	"flows = ( { from = \"h%d\"; to = \"h*\"; count = 9; } );"

#define SEEDS 30

static void test_seed_chooses_destinations_that_match(void **state)
{
	uint32_t chosen[SEEDS][9];
	bool differ = false;

	(void)state;
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		struct fixture w;

		start(&w, RANDOM, seed / 2); /* each twice */
		for (uint32_t i = 0; i < 9; i++) {
			const struct sim_flow *flow = &w.run.sim.flows[i];

			chosen[seed][i] = flow->to->id;
			assert_int_equal(flow->to->name[0], 'h');
			assert_ptr_not_equal(flow->to, flow->from);
		}
		end(&w);
		if (seed % 2)
			assert_memory_equal(chosen[seed], chosen[seed - 1], sizeof(chosen[0]));
		differ |= memcmp(chosen[seed], chosen[0], sizeof(chosen[0])) != 0;
	}
	assert_true(differ);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_next_hops_are_on_all_paths_of_least_cost),
	    cmocka_unit_test(test_scenario_can_name_the_next_hops),
	    cmocka_unit_test(test_flows_share_next_hops_and_leave_one_that_fails),
	    cmocka_unit_test(test_rejects_campus_that_cannot_work),
	    cmocka_unit_test(test_rejects_more_next_hops_than_a_port_may_have),
	    cmocka_unit_test(test_unknown_address_is_learned_along_the_tree),
	    cmocka_unit_test(test_mesh_has_rows_of_the_tree_only),
	    cmocka_unit_test(test_addresses_are_known_without_learning),
	    cmocka_unit_test(test_scenario_can_change_the_mode_of_a_port),
	    cmocka_unit_test(test_unknown_address_without_tree_stays_local),
	    cmocka_unit_test(test_one_rbridge_of_a_lan_is_appointed_forwarder),
	    cmocka_unit_test(test_every_cnm_is_received_by_its_source),
	    cmocka_unit_test(test_cnms_without_the_head_of_the_frame_are_counted_as_dropped),
	    cmocka_unit_test(test_frames_without_their_cn_tag_have_no_octets_of_other_frames),
	    cmocka_unit_test(test_rbridges_agree_on_the_domain_by_lldp),
	    cmocka_unit_test(test_seed_chooses_destinations_that_match),
	};

	return cmocka_run_group_tests_name("campus", tests, NULL, NULL);
}
