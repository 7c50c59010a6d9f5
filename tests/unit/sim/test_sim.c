/* SPDX-License-Identifier: BSD-3-Clause */
/* Event heap, links and runs of the simulator: small networks, exact to the nanosecond. */
#include "tests/unit/sim_run.h"

#include "sim/net/huge_pages.h"
#include "sim/net/link.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- heap ------------------------------------------------------------------ */

#define IDS 57

static void test_heap_returns_earliest_time_and_lowest_id(void **state)
{
	int64_t due[IDS];
	struct dcb_rng rng;
	struct heap h;

	(void)state;
	dcb_rng_seed(&rng, 1, 1);
	assert_true(heap_init(&h, IDS));
	assert_int_equal(heap_time(&h).ns, HEAP_NEVER_NS);
	for (unsigned i = 0; i < IDS; i++)
		due[i] = HEAP_NEVER_NS;
	for (unsigned n = 0; n < 20000; n++) {
		uint32_t id = dcb_rng_uniform(&rng, 0, IDS - 1);
		uint32_t least = 0;

		/* Few different times, so that many are equal; every seventh is never. */
		due[id] = n % 7 ? dcb_rng_uniform(&rng, 0, 40) : HEAP_NEVER_NS;
		heap_set(&h, id, n % 7 ? (struct dcb_time){due[id]} : DCB_TIME_NEVER);
		for (uint32_t i = 1; i < IDS; i++) {
			if (due[i] < due[least])
				least = i;
		}
		assert_int_equal(heap_time(&h).ns, due[least]);
		assert_int_equal(heap_id(&h), least);
	}
	heap_destroy(&h);
}

/* Ids of a heap in which each entry of the five upper levels has four below it. */
#define LARGE_IDS 1365
_Static_assert(LARGE_IDS >= HEAP_LARGE, "entries are moved ahead");

static void test_heap_has_no_entry_of_an_id_that_was_left_out(void **state)
{
	struct heap h;

	(void)state;
	assert_true(heap_init(&h, IDS));
	for (uint32_t id = 0; id < IDS; id++) {
		if (id % 3 != 1)
			heap_leave_out(&h, id);
	}
	for (uint32_t id = 1; id < IDS; id += 3)
		heap_set(&h, id, (struct dcb_time){1000 - id});
	for (uint32_t id = IDS - 2; id < IDS; id -= 3) {
		assert_int_equal(heap_id(&h), id);
		assert_int_equal(heap_time(&h).ns, 1000 - id);
		heap_set(&h, id, DCB_TIME_NEVER);
	}
	assert_int_equal(heap_time(&h).ns, HEAP_NEVER_NS);
	assert_int_equal(heap_id(&h), 1);
	heap_destroy(&h);
}

/* Those that rise have at most as many entries before them as their level says. */
static void check_risen(struct heap *h)
{
	static const uint32_t places[HEAP_RISEN] = {1, 5, 21, 85, 341};

	assert_int_equal(h->n_risen, HEAP_RISEN);
	assert_int_equal(h->risen[0], heap_id(h));
	for (uint32_t level = 0; level < HEAP_RISEN; level++) {
		assert_true(h->places[h->risen[level]] < places[level]);
		assert_true(level == 0 || h->risen[level] != h->risen[level - 1]);
	}
	h->n_risen = 0;
}

static void test_entries_of_a_large_heap_rise_before_they_are_due(void **state)
{
	struct dcb_rng rng;
	struct heap h;

	(void)state;
	dcb_rng_seed(&rng, 1, 1);
	assert_true(heap_init(&h, LARGE_IDS));
	for (uint32_t id = 0; id < LARGE_IDS; id++)
		heap_set(&h, id, (struct dcb_time){dcb_rng_uniform(&rng, 0, 1000000)});
	for (unsigned n = 0; n < 20000; n++) {
		h.n_risen = 0;
		heap_set(&h, heap_id(&h), dcb_time_add_ns(heap_time(&h), 2000000));
		check_risen(&h);
	}
	heap_destroy(&h);
}

/* --- scenarios in a string --------------------------------------------------------- */

/* A bridge between two sources and a sink; the port to the sink is the bottleneck. */
#define NET(kind, rate, buffer)                                                                    \
	"nodes = ( { name = \"sw\"; kind = \"bridge\"; },"                                         \
	"  { name = \"src%d\"; kind = \"" kind                                                     \
	"\"; count = 2; },"                                                                        \
	"  { name = \"sink\"; kind = \"" kind                                                      \
	"\"; } );"                                                                                 \
	"links = ( { ends = [ \"src%d\", \"sw\" ]; count = 2; rate = \"10G\"; delay = \"2us\"; }," \
	"  { ends = [ \"sw\", \"sink\" ]; rate = \"" rate "\"; delay = \"3us\"; buffer = " buffer  \
	"; } );"

#define FLOWS                                                                                      \
	"flows = ( { name = \"f%d\"; from = \"src%d\"; to = \"sink\"; count = 2; priority = 3; } " \
	");"

/* --- time ------------------------------------------------------------------------------ */

/*
 * 1500 octets with FCS, preamble and gap are 1524: 1219.2 ns at 10 Gb/s, rounded
 * up. The bridge stores and forwards: it receives the last bit before it transmits.
 * It sends the frame without the tag: 1520 octets, 1216 ns.
 */
static void test_frame_latency_is_transmission_plus_delay(void **state)
{
	struct fixture w;
	const struct sim_flow *flow;

	(void)state;
	start(&w,
	      "duration = \"1ms\";" NET("host", "10G", "\"1M\"")
	      "flows = ( { from = \"src0\"; to = \"sink\"; start = \"100us\"; size = 1500; } );",
	      1);
	run(&w);
	flow = &w.run.sim.flows[0];
	assert_int_equal(flow->stats.frames, 1);
	assert_int_equal(flow->stats.complete_ns, 100000 + 1220 + 2000 + 1216 + 3000);
	assert_int_equal(flow->stats.latency_max_ns, 1220 + 2000 + 1216 + 3000);
	assert_int_equal(w.run.sim.frame_events, 2);
	end(&w);
}

static void assert_measured(struct fixture *w, const char *from, const char *to, int64_t ns)
{
	int32_t quanta = hm_ns_to_quanta(dcb_rate_from_mbps(10000), ns);
	struct pfc_measure_stats stats;

	port_read_measure(link_of(w, from, to)->out, &stats);
	assert_true(stats.count >= HM_ROUND_MIN);
	assert_false(stats.measure);
	assert_in_range(stats.average, quanta - 1, quanta + 1);
}

/*
 * P802.1Qdt 36.9, from both ends: HMPDUs have 84 octets on the link, 68 ns; besides both
 * delays, 615 ns until the other end halts.
 */
static void assert_exact_delays(const char *scenario)
{
	struct fixture w;

	start(&w, scenario, 1);
	run(&w);
	assert_measured(&w, "src0", "sw", 2 * (68 + 2000) + 615);
	assert_measured(&w, "sw", "src0", 2 * (68 + 2000) + 615);
	assert_measured(&w, "sw", "sink", 2 * (68 + 3000) + 615);
	assert_measured(&w, "sink", "sw", 2 * (68 + 3000) + 615);
	assert_int_equal(w.run.sim.flows[0].stats.frames, 1);
	end(&w);
}

#define MEASURING(kind) \
	"duration = \"1ms\";" NET(kind, "10G", "\"1M\"")                                           \
	"initial = ( { object = \"dcbPfcMeasureEnable\"; value = \"always\"; } );"               \
	"flows = ( { from = \"src0\"; to = \"sink\"; start = \"900us\"; size = 1500; } );"

static void test_links_measure_their_exact_delays(void **state)
{
	(void)state;
	assert_exact_delays(MEASURING("station"));
	assert_exact_delays(MEASURING("host"));
}

static size_t allocated(void)
{
	struct mallinfo2 info = mallinfo2();

	return info.uordblks + info.hblkhd;
}

#define PAIRS 50

/* A sanitizer has an allocator of its own, of which mallinfo2() knows nothing. */
static void test_a_station_takes_40_kb_with_its_cable_and_flow(void **state)
{
	static const char scenario[] =
	    "duration = \"1ms\"; cnpvs = [ 3 ];"
	    "nodes = ( { name = \"a%d\"; kind = \"station\"; count = 50; },"
	    "  { name = \"b%d\"; kind = \"station\"; count = 50; } );"
	    "links = ( { ends = [ \"a%d\", \"b%d\" ]; count = 50; rate = \"10G\"; delay = "
	    "\"1us\"; } );"
	    "flows = ( { name = \"f%d\"; from = \"a%d\"; to = \"b%d\"; count = 50; priority = 3; } "
	    ");";
	size_t before, octets;
	struct fixture w;

	(void)state;
	huge_pages_keep_large(false);
	before = allocated();
	start(&w, scenario, 1);
	octets = (allocated() - before) / (2 * PAIRS);
	print_message("%zu octets a station\n", octets);
	assert_in_range(octets, before ? sizeof(struct soft_port) : 0, 40000);
	run(&w);
	end(&w);
}

static void test_node_has_the_frame_buffers_of_its_scenario(void **state)
{
	struct fixture w;

	(void)state;
	start(&w,
	      "duration = \"1ms\";"
	      "nodes = ( { name = \"a\"; kind = \"host\"; },"
	      "  { name = \"b\"; kind = \"bridge\"; frame_buffers = 77; },"
	      "  { name = \"c\"; kind = \"station\"; frame_buffers = 78; } );"
	      "links = ( { ends = [ \"a\", \"b\" ]; rate = \"1G\"; buffer = 64000; },"
	      "  { ends = [ \"b\", \"c\" ]; rate = \"1G\"; } );",
	      1);
	assert_in_range(w.run.sim.nodes[0].set->pool.size, 1000, SIM_FRAME_BUFFERS_MAX);
	assert_int_equal(w.run.sim.nodes[1].set->pool.size, 77);
	assert_int_equal(w.run.sim.nodes[2].set->pool.size, 78);
	end(&w);
}

/* As dcbd does: otherwise frames are lost in spite of PFC. */
static void test_rejects_headroom_that_does_not_fit(void **state)
{
	(void)state;
	assert_true(start_fails(
	    "duration = \"1ms\"; pfc = [ 3 ];"
	    "nodes = ( { name = \"b\"; kind = \"bridge\"; frame_buffers = 1000;"
	    "    pfc = { buffer = 300000; headroom = 50000; }; },"
	    "  { name = \"h%d\"; kind = \"host\"; count = 2; } );"
	    "links = ( { ends = [ \"h%d\", \"b\" ]; count = 2; rate = \"10G\"; } );",
	    "frame buffers do not fit into 1000: expected more frame_buffers, or less headroom"));
}

#define SMALL_BRIDGE                                                            \
	"duration = \"50ms\";"                                                  \
	"nodes = ( { name = \"b\"; kind = \"bridge\"; frame_buffers = 1000; }," \
	"  { name = \"s%d\"; kind = \"station\"; count = 2; } );"               \
	"links = ( { ends = [ \"s%d\", \"b\" ]; count = 2; rate = \"1G\"; } );"

/* Sets the headroom of a priority at the bridge. A frame buffer is taken for each 84 octets. */
#define HEADROOM(at, bits) \
	"{ at = \"" at     \
	"\"; object = \"ieee8021PfcLinkDelayAllowance\"; node = \"b\"; value = " bits "; }"

static void assert_run_ends(const char *text, const char *reason)
{
	struct fixture w;

	start(&w, text, 1);
	assert_false(run_all(&w.run, w.err, sizeof(w.err)));
	if (!strstr(w.err, reason))
		fail_msg("%s, expected %s", w.err, reason);
	end(&w);
}

/* Events of one time take effect together. */
static void test_headroom_of_an_event_that_does_not_fit_ends_the_run(void **state)
{
	struct fixture w;

	(void)state;
	assert_run_ends(SMALL_BRIDGE "pfc = [ 3 ]; events = (" HEADROOM("1ms", "1000000") ");",
			"frame buffers do not fit into 1000: expected more frame_buffers, or less");
	start(&w,
	      SMALL_BRIDGE "pfc = [ 3 ]; events = (" HEADROOM("1ms", "1000000") "," HEADROOM(
		  "1ms", "20000") ");",
	      1);
	run(&w);
	end(&w);
}

/* The bridge has no priority with PFC until it takes that of a station. */
static void test_headroom_from_a_neighbor_that_does_not_fit_ends_the_run(void **state)
{
	(void)state;
	assert_run_ends(
	    SMALL_BRIDGE
	    "lldp = true; initial = ("
	    "  { object = \"ieee8021PfcLinkDelayAllowance\"; node = \"b\"; value = 1000000; },"
	    "  { object = \"lldpXdot1dcbxAdminPFCWilling\"; node = \"b\"; value = \"true\"; },"
	    "  { object = \"dcbPfcPriorityEnable\"; node = \"s0\"; priority = 3;"
	    "    value = \"true\"; } );",
	    "b: reserves and headroom of ");
}

static void test_backlogged_flow_fills_its_link(void **state)
{
	struct fixture w;

	(void)state;
	start(&w,
	      "duration = \"10ms\";" NET(
		  "station", "10G", "\"1M\"") "flows = ( { from = \"src0\"; to = \"sink\"; } );",
	      1);
	run(&w);
	/* 10 ms at 10 Gb/s are 8223.7 frames; the station sends priority 0 untagged. */
	assert_in_range(link_of(&w, "src0", "sw")->stats.frames, 8222, 8225);
	end(&w);
}

static void test_flow_keeps_its_rate_and_on_off_periods(void **state)
{
	struct fixture w;

	(void)state;
	start(&w,
	      "duration = \"100ms\";" NET("station", "10G", "\"1M\"")
	      "flows = ( { from = \"src0\"; to = \"sink\"; rate = \"1G\"; },"
	      "  { from = \"src1\"; to = \"sink\"; rate = \"1G\"; on = \"1ms\"; off = \"3ms\";"
	      "    stop = \"80ms\"; } );",
	      1);
	run(&w);
	/* 100 ms at 1 Gb/s are 8202.1 frames; a quarter of 80 ms, 1640.4. */
	assert_in_range(w.run.sim.flows[0].stats.made_frames, 8202, 8203);
	assert_in_range(w.run.sim.flows[1].stats.made_frames, 1640, 1660);
	end(&w);
}

static void test_random_periods_have_the_configured_mean(void **state)
{
	struct fixture w;

	(void)state;
	start(&w,
	      "duration = \"2s\"; sample = \"1ms\";" NET("host", "10G", "\"1M\"")
	      "flows = ( { from = \"src0\"; to = \"sink\"; rate = \"100M\"; on = \"1ms\";"
	      "  off = \"1ms\"; random = true; } );",
	      1);
	run(&w);
	/* Half of 2 s at 100 Mb/s is 8202 frames. */
	assert_in_range(w.run.sim.flows[0].stats.made_frames, 7600, 8900);
	end(&w);
}

/* --- conservation of frames ---------------------------------------------------------------- */

static uint64_t queued(const struct sim_node *node)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < node->n_ports; i++) {
		for (unsigned p = 0; p < DCB_PRIORITIES; p++)
			n += node->ports[i]->queues.queue[p].frames;
	}
	return n;
}

static void check_frame_counts(struct fixture *w)
{
	uint64_t made = 0, found = 0;

	for (uint32_t i = 0; i < w->run.sim.n_flows; i++) {
		made += w->run.sim.flows[i].stats.made_frames;
		found += w->run.sim.flows[i].stats.frames;
	}
	for (uint32_t i = 0; i < w->run.sim.n_links; i++) {
		const struct sim_link *link = &w->run.sim.links[i];

		assert_int_equal(link->stats.frames,
				 link->delivered + link->stats.lost + sim_link_in_flight(link));
		found += sim_link_in_flight(link) + link->stats.lost + probe_discards(link);
	}
	for (uint32_t i = 0; i < w->run.sim.n_nodes; i++)
		found += queued(&w->run.sim.nodes[i]);
	assert_int_equal(made, found);
}

static void test_every_frame_is_accounted_for(void **state)
{
	static const char *const rates[] = {
	    "duration = \"5ms\";" NET("host", "10G", "\"50k\"") FLOWS,
	    "duration = \"5ms\";" NET("host", "1G", "\"unlimited\"") FLOWS,
	    "duration = \"5ms\";" NET("station", "7G", "\"150k\"") FLOWS,
	};
	struct fixture w;

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		start(&w, rates[i], 1);
		run(&w);
		assert_true(w.run.sim.flows[0].stats.frames > 0);
		/* Frames are discarded unless the buffer is unlimited, case 1. */
		assert_int_equal(probe_discards(link_of(&w, "sw", "sink")) == 0, i == 1);
		check_frame_counts(&w);
		end(&w);
	}
}

/* --- events and objects ----------------------------------------------------------------------- */

static void test_link_down_loses_frames_in_flight(void **state)
{
	struct fixture w;
	const struct sim_link *link;

	(void)state;
	start(&w,
	      "duration = \"3ms\"; " NET("station", "10G", "\"150k\"") FLOWS
	      "events = ( { at = \"1ms\"; link = \"src0->sw\"; up = false; },"
	      "  { at = \"2ms\"; link = \"sw->src0\"; up = true; } );",
	      1);
	run(&w);
	link = link_of(&w, "src0", "sw");
	/* 2 us and one frame's time at 10 Gb/s: two or three frames. */
	assert_in_range(link->stats.lost, 2, 3);
	/* It sends for two of the three milliseconds: before and after the link was down. */
	assert_in_range(link->stats.frames, 1640 - 10, 1640 + 10);
	assert_true(w.run.sim.flows[0].stats.frames < w.run.sim.flows[1].stats.frames);
	end(&w);
}

static void test_rate_event_changes_port_rate(void **state)
{
	struct fixture w;

	(void)state;
	start(&w,
	      "duration = \"20ms\"; " NET("host", "10G", "\"150k\"") FLOWS
	      "events = ( { at = \"10ms\"; link = \"sw->sink\"; rate = \"1G\"; } );"
	      "assertions = ("
	      "  { metric = \"goodput\"; flows = \"*\"; from = \"1ms\"; to = \"10ms\"; min = "
	      "9.8e9; max = 9.9e9; },"
	      "  { metric = \"goodput\"; flows = \"*\"; from = \"11ms\"; min = 0.98e9; max = "
	      "0.99e9; },"
	      "  { metric = \"utilisation\"; link = \"sw->sink\"; from = \"11ms\"; min = 0.998; "
	      "max = 1.002; } );",
	      1);
	run(&w);
	assert_int_equal(run_failures(&w.run), 0);
	end(&w);
}

static void test_event_sets_object_during_run(void **state)
{
	struct fixture w;

	(void)state;
	start(&w,
	      "duration = \"400ms\"; cnpvs = [ 3 ]; " NET("station", "10G", "\"400k\"") FLOWS
	      "initial = ( { object = \"ieee8021CnCpQueueSizeSetPoint\"; value = 60000; node = "
	      "\"sw\"; priority = 3; } );"
	      "events = ( { at = \"200ms\"; object = \"ieee8021CnCpQueueSizeSetPoint\"; value = "
	      "20000; node = \"sw\"; port = \"sink\"; } );"
	      "assertions = ("
	      "  { metric = \"queue_mean\"; link = \"sw->sink\"; from = \"150ms\"; to = \"200ms\"; "
	      "min = 45000; max = 70000; },"
	      "  { metric = \"queue_mean\"; link = \"sw->sink\"; from = \"350ms\"; min = 14000; "
	      "max = 25000; } );",
	      1);
	run(&w);
	for (unsigned i = 0; i < 2; i++)
		print_message("mean queue %.0f\n", w.run.probes[i].value);
	assert_int_equal(run_failures(&w.run), 0);
	end(&w);
}

/* Without priority or class all rows of a port are set; those of CN tables only for CNPVs. */
static void test_initial_sets_objects_of_all_port_tables(void **state)
{
	const struct port_config *pc;
	struct fixture w;

	(void)state;
	start(&w,
	      "duration = \"1ms\"; cnpvs = [ 3 ]; " NET("station", "10G", "\"400k\"") FLOWS
	      "initial = ( { object = \"dcbPfcWatchdogAction\"; value = \"drop\"; },"
	      "  { object = \"dcbPfcWatchdogDetectionTime\"; value = 50; priority = 5; },"
	      "  { object = \"dcbPfcHeadroomCableLength\"; value = 7; },"
	      "  { object = \"ieee8021CnCpFeedbackWeight\"; value = 4; },"
	      "  { object = \"lldpXdot1dcbxAdminETSRecoTrafficClassBandwidth\"; value = 9; "
	      "class = 2; } );",
	      1);
	run(&w);
	pc = w.run.sim.nodes[0].config->ports[0].config;
	for (unsigned p = 0; p < DCB_PRIORITIES; p++) {
		assert_int_equal(pc->pfc_watchdog[p].action, MO_watchdog_action_drop);
		assert_int_equal(pc->pfc_watchdog[p].detection_ms, p == 5 ? 50 : 400);
		assert_int_equal(pc->cp[p].cp_w_exp, p == 3 ? 4 : 1);
		assert_int_equal(pc->dcbx.reco.bandwidth[p], p == 2 ? 9 : 0);
	}
	assert_int_equal(pc->pfc_headroom.cable_m, 7);
	end(&w);
}

/* --- reproducibility ------------------------------------------------------------------- */

static char *csv_of(const char *text, uint64_t seed)
{
	struct fixture w;
	struct trace trace;
	char *csv = NULL;
	size_t size = 0;
	char err[64] = "";
	FILE *out = open_memstream(&csv, &size);

	assert_non_null(out);
	start(&w, text, seed);
	assert_true(trace_init(&trace, &w.scn, err, sizeof(err)));
	w.run.trace = &trace;
	run(&w);
	assert_true(trace_write_csv(&trace, out));
	fclose(out);
	trace_destroy(&trace);
	end(&w);
	return csv;
}

static void test_equal_seeds_give_equal_time_series(void **state)
{
	static const char text[] =
	    "duration = \"50ms\"; trace = \"100us\"; cnpvs = [ 3 ]; watch = [ \"sw->sink\" ];" NET(
		"station", "5G", "\"150k\"") FLOWS;
	char *once = csv_of(text, 7), *again = csv_of(text, 7), *other = csv_of(text, 8);

	(void)state;
	assert_true(strlen(once) > 10000);
	assert_string_equal(once, again);
	assert_string_not_equal(once, other);
	free(once);
	free(again);
	free(other);
}

/* The linker replaces calloc() by this (option --wrap). */
static bool no_memory;
void *__real_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size);

void *__wrap_calloc(size_t n, size_t size)
{
	return no_memory ? NULL : __real_calloc(n, size);
}

static void test_time_series_without_memory_has_a_reason(void **state)
{
	static const char text[] = "duration = \"1ms\";" NET("host", "5G", "\"150k\"") FLOWS;
	struct fixture w;
	struct trace trace;
	bool made;

	(void)state;
	start(&w, text, 1);
	no_memory = true;
	made = trace_init(&trace, &w.scn, w.err, sizeof(w.err));
	no_memory = false;
	assert_false(made);
	assert_string_equal(w.err, "out of memory for the time series");
	trace_destroy(&trace);
	end(&w);
}

/* --- paths ----------------------------------------------------------------------------- */

/* Four leaves, two spines: frames take shortest paths over both spines and are not flooded. */
static void test_frames_take_shortest_paths_over_both_spines(void **state)
{
	struct fixture w;
	uint64_t by_spine[2] = {0, 0};

	(void)state;
	start(&w,
	      "duration = \"1ms\";"
	      "nodes = ( { name = \"leaf%d\"; kind = \"bridge\"; count = 4; },"
	      "  { name = \"spine%d\"; kind = \"bridge\"; count = 2; },"
	      "  { name = \"h%d\"; kind = \"host\"; count = 16; } );"
	      "links = ( { ends = [ \"h%d\", \"leaf%d\" ]; count = 16; divide = [ 1, 4 ]; rate = "
	      "\"1G\"; },"
	      "  { ends = [ \"leaf%d\", \"spine%d\" ]; count = 8; divide = [ 2, 1 ]; modulo = [ 0, "
	      "2 ]; rate = \"10G\"; } );"
	      "flows = ( { from = \"h%d\"; to = \"h%d\"; count = 16; offset = [ 0, 4 ]; modulo = "
	      "16; size = 15000; } );",
	      1);
	run(&w);
	for (uint32_t i = 0; i < 16; i++)
		assert_int_equal(w.run.sim.flows[i].stats.frames, 10);
	assert_int_equal(w.run.sim.frame_events, 16 * 10 * 4);
	for (uint32_t i = 0; i < w.run.sim.n_links; i++) {
		const char *to = w.run.sim.links[i].to->name;

		if (strncmp(to, "spine", 5) == 0)
			by_spine[to[5] - '0'] += w.run.sim.links[i].stats.frames;
	}
	assert_int_equal(by_spine[0] + by_spine[1], 160);
	assert_true(by_spine[0] > 0 && by_spine[1] > 0);
	end(&w);
}

static void test_rejects_flow_without_path(void **state)
{
	struct fixture w;

	(void)state;
	read_text(&w.scn,
		  "duration = \"1ms\";"
		  "nodes = ( { name = \"sw%d\"; kind = \"bridge\"; count = 2; },"
		  "  { name = \"h%d\"; kind = \"host\"; count = 2; } );"
		  "links = ( { ends = [ \"h%d\", \"sw%d\" ]; count = 2; rate = \"1G\"; } );"
		  "flows = ( { from = \"h0\"; to = \"h1\"; } );");
	assert_false(run_init(&w.run, &w.scn, 1, 1, w.err, sizeof(w.err)));
	assert_non_null(strstr(w.err, "no path from h0 to h1"));
	end(&w);
}

static void test_jain_index_of_equal_and_unequal_rates(void **state)
{
	static const double equal[] = {5, 5, 5, 5}, one[] = {5, 0, 0, 0}, none[] = {0, 0};

	(void)state;
	assert_float_equal(probe_jain(equal, 4), 1, 1e-9);
	assert_float_equal(probe_jain(one, 4), 0.25, 1e-9);
	assert_float_equal(probe_jain(none, 2), 0, 1e-9);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_heap_returns_earliest_time_and_lowest_id),
	    cmocka_unit_test(test_heap_has_no_entry_of_an_id_that_was_left_out),
	    cmocka_unit_test(test_entries_of_a_large_heap_rise_before_they_are_due),
	    cmocka_unit_test(test_frame_latency_is_transmission_plus_delay),
	    cmocka_unit_test(test_links_measure_their_exact_delays),
	    cmocka_unit_test(test_a_station_takes_40_kb_with_its_cable_and_flow),
	    cmocka_unit_test(test_node_has_the_frame_buffers_of_its_scenario),
	    cmocka_unit_test(test_rejects_headroom_that_does_not_fit),
	    cmocka_unit_test(test_headroom_of_an_event_that_does_not_fit_ends_the_run),
	    cmocka_unit_test(test_headroom_from_a_neighbor_that_does_not_fit_ends_the_run),
	    cmocka_unit_test(test_backlogged_flow_fills_its_link),
	    cmocka_unit_test(test_flow_keeps_its_rate_and_on_off_periods),
	    cmocka_unit_test(test_random_periods_have_the_configured_mean),
	    cmocka_unit_test(test_every_frame_is_accounted_for),
	    cmocka_unit_test(test_link_down_loses_frames_in_flight),
	    cmocka_unit_test(test_rate_event_changes_port_rate),
	    cmocka_unit_test(test_event_sets_object_during_run),
	    cmocka_unit_test(test_initial_sets_objects_of_all_port_tables),
	    cmocka_unit_test(test_equal_seeds_give_equal_time_series),
	    cmocka_unit_test(test_time_series_without_memory_has_a_reason),
	    cmocka_unit_test(test_frames_take_shortest_paths_over_both_spines),
	    cmocka_unit_test(test_rejects_flow_without_path),
	    cmocka_unit_test(test_jain_index_of_equal_and_unequal_rates),
	};

	return cmocka_run_group_tests_name("sim", tests, NULL, NULL);
}
