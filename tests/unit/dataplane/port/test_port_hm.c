/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Headroom measurement at the ports of a bridge: answers, requests, frames that it must not
 * forward, floods, and the result that it hands over. The test is the neighbor. Links have
 * 10 Gb/s, as of a port whose speed is not known: a quantum is 51.2 ns.
 */
#include "dataplane/core/pfc_pdu.h"
#include "lib/octets.h"
#include "tests/unit/unit.h"
#include "tests/unit/world.h"

#include <string.h>

#define HMPDU_DA UINT64_C(0x0180c2000001)
#define NEIGHBOR UINT64_C(0x02000000000a)
#define SECOND   UINT64_C(0x02000000000b)
#define HOST     UINT64_C(0x0200000000cc)
#define DELAY_NS 5120 /* 100 quanta */
#define PORTS    3

struct lab {
	struct world w;
	unsigned handed_over;
	bool full; /* the host has no room */
	int64_t halts_after_ns;
};

static bool on_measured(void *ctx, struct soft_port *port)
{
	struct lab *l = ctx;

	(void)port;
	l->handed_over += !l->full;
	return !l->full;
}

static void put_in_force(struct lab *l, uint8_t enable)
{
	l->w.port_config.pfc_measure.enable = enable;
	for (unsigned i = 0; i < l->w.n_ports; i++)
		port_hm_update(&l->w.bridge.ports.hm, l->w.ports[i], l->w.now);
}

static int set_up(void **state)
{
	struct lab *l = calloc(1, sizeof(*l));

	assert_non_null(l);
	world_init(&l->w, PORTS, NULL);
	l->w.bridge.ports.hm.measured = on_measured;
	l->w.bridge.ports.hm.ctx = l;
	*state = l;
	return 0;
}

static int tear_down(void **state)
{
	struct lab *l = *state;

	world_free(&l->w);
	free(l);
	return 0;
}

static struct pfc_measure_stats stats_of(const struct lab *l, unsigned port)
{
	struct pfc_measure_stats stats;

	port_read_measure(l->w.ports[port], &stats);
	return stats;
}

static void put_address(uint8_t *to, uint64_t address)
{
	for (unsigned i = 0; i < ETH_ADDR_OCTETS; i++)
		to[i] = (uint8_t)(address >> 8 * (ETH_ADDR_OCTETS - 1 - i));
}

/* Builds an HMPDU with a request. Returns its length. */
static uint32_t make_request(uint8_t *octets, uint64_t sa, uint32_t timestamp)
{
	struct hmpdu pdu = {
	    .reserved = 2,
	    .tuple = {{.use = HMPDU_REQUEST, .timestamp = timestamp, .request_adjustment = 7}}};

	put_address(pdu.source, sa);
	hmpdu_encode(&pdu, octets);
	return HMPDU_FRAME_OCTETS;
}

/* Sends the response to the request in a frame of the port, if it has one. */
static bool answer(struct lab *l, unsigned port, const struct world_frame *asked, uint64_t sa)
{
	uint8_t octets[HMPDU_FRAME_OCTETS];
	struct hmpdu in, out = {0};

	assert_int_equal(hmpdu_decode(asked->octets, asked->len, &in), HMPDU_OK);
	for (unsigned i = 0; i < HMPDU_TUPLES; i++) {
		if (in.tuple[i].use != HMPDU_REQUEST)
			continue;
		put_address(out.source, sa);
		out.tuple[0] = hmpdu_respond(&in.tuple[i], 0);
		hmpdu_encode(&out, octets);
		world_send(&l->w, port, octets, sizeof(octets));
		return true;
	}
	return false;
}

static void advance(struct lab *l, int64_t ns)
{
	l->w.now = dcb_time_add_ns(l->w.now, ns);
}

/* Answers the port's requests after a delay each, until it sends no more. Returns their number. */
static unsigned converse(struct lab *l, unsigned port, int64_t delay_ns)
{
	struct world_frame f;
	unsigned n = 0;

	world_turn(&l->w);
	while (world_recv(&l->w, port, &f)) {
		advance(l, delay_ns);
		if (!answer(l, port, &f, NEIGHBOR))
			continue;
		world_turn(&l->w);
		assert_true(++n <= 2 * HM_ROUND_MAX);
	}
	return n;
}

static void flush(struct lab *l)
{
	struct world_frame f;

	for (unsigned i = 0; i < l->w.n_ports; i++)
		while (world_recv(&l->w, i, &f))
			;
}

static void test_request_is_answered_when_measurement_is_off(void **state)
{
	struct lab *l = *state;
	uint8_t octets[HMPDU_FRAME_OCTETS];
	struct world_frame f;
	struct hmpdu pdu;

	put_in_force(l, PFC_MEASURE_OFF);
	world_send(&l->w, 1, octets, make_request(octets, NEIGHBOR, 0x12345678));
	world_turn(&l->w);
	assert_true(world_recv(&l->w, 1, &f));
	assert_int_equal(hmpdu_decode(f.octets, f.len, &pdu), HMPDU_OK);
	assert_memory_equal(pdu.source, l->w.ports[1]->base.link.mac, ETH_ADDR_OCTETS);
	assert_int_equal(pdu.tuple[0].timestamp, 0x12345678);
	assert_int_equal(pdu.tuple[0].request_adjustment, 7);
	assert_int_equal(pdu.reserved, 2);
	assert_int_equal(pdu.tuple[1].use, HMPDU_UNUSED);
	assert_false(world_recv(&l->w, 1, &f));
	assert_false(world_recv(&l->w, 0, &f));
	assert_int_equal(stats_of(l, 1).hm.requests_received, 1);
	assert_int_equal(stats_of(l, 1).hm.responses_sent, 1);
	assert_int_equal(stats_of(l, 1).hm.requests_sent, 0);
	assert_int_equal(stats_of(l, 0).hm.responses_sent, 0);
}

/* The neighbor's word counts for agreed(2), not for always(3). */
static void test_requests_are_sent_as_the_setting_says(void **state)
{
	struct lab *l = *state;
	struct world_frame f;

	put_in_force(l, PFC_MEASURE_AGREED);
	world_turn(&l->w);
	assert_false(world_recv(&l->w, 0, &f));
	l->w.ports[0]->oper.pfc_way = PFC_WAY_MEASURED;
	put_in_force(l, PFC_MEASURE_AGREED);
	world_turn(&l->w);
	assert_true(world_recv(&l->w, 0, &f));
	assert_false(world_recv(&l->w, 1, &f));
	put_in_force(l, PFC_MEASURE_ALWAYS);
	world_turn(&l->w);
	assert_true(world_recv(&l->w, 1, &f));
}

/* Every port measures its own link, and stops when round trips agree. */
static void test_ports_measure_their_own_links(void **state)
{
	struct lab *l = *state;
	struct pfc_measure_stats s;

	for (unsigned i = 0; i < PORTS; i++) {
		uint64_t quanta = 100 * (i + 1);

		l->w.ports[i]->oper.pfc_way = PFC_WAY_MEASURED;
		put_in_force(l, PFC_MEASURE_AGREED);
		assert_in_range(converse(l, i, DELAY_NS * (i + 1)), HM_ROUND_MIN, HM_ROUND_MAX);
		s = stats_of(l, i);
		assert_in_range(s.average, quanta - 1, quanta + 1);
		assert_true(s.measured && s.minimum <= s.median && s.median <= s.maximum);
		assert_false(s.measure);
		assert_int_equal(s.clock, NETIO_CLOCK_KERNEL);
		assert_in_range(s.result, s.average, s.average + PORT_HM_STEP - 1);
		assert_int_equal(s.result % PORT_HM_STEP, 0);
	}
	assert_int_equal(l->handed_over, PORTS);
}

/* The time of transmission counts, not that of the call before it. */
static void test_late_time_of_transmission_counts(void **state)
{
	struct lab *l = *state;
	struct soft_port *port = l->w.ports[0];
	struct world_frame f;

	put_in_force(l, PFC_MEASURE_ALWAYS);
	world_turn(&l->w);
	assert_true(world_recv(&l->w, 0, &f));
	port->hm.sent[0].awaits_time = true;
	advance(l, 10 * DELAY_NS);
	hm_sent(&port->hm.engine, &port->hm.sent[0].frame, l->w.now);
	advance(l, DELAY_NS);
	assert_true(answer(l, 0, &f, NEIGHBOR));
	world_turn(&l->w);
	assert_in_range(stats_of(l, 0).last, 99, 101);
}

static void test_result_stays_while_the_link_is_down(void **state)
{
	struct lab *l = *state;
	struct port_set *s = &l->w.bridge.ports;
	struct pfc_measure_stats before, after;

	put_in_force(l, PFC_MEASURE_ALWAYS);
	converse(l, 0, DELAY_NS);
	before = stats_of(l, 0);
	port_set_port_down(s, l->w.ports[0], l->w.now);
	after = stats_of(l, 0);
	assert_false(after.oper_up);
	assert_int_equal(after.average, before.average);
	assert_int_equal(after.result, before.result);
	advance(l, 2 * DCB_NS_PER_S);
	port_set_port_up(s, l->w.ports[0], l->w.now);
	assert_int_equal(stats_of(l, 0).average, before.average);
	assert_true(converse(l, 0, 10 * DELAY_NS) >= HM_ROUND_MIN);
	assert_in_range(stats_of(l, 0).average, 999, 1001);
}

/* Frames that a port with these defects must not process. */
static const struct bad {
	const char *what;
	uint64_t da, sa;
	uint16_t tag; /* EtherType of a tag; 0: none */
	uint8_t subtype;
	uint32_t len;
	enum hmpdu_error error;
} bads[] = {
    {"destination: a host", HOST, NEIGHBOR, 0, 1, 60, HMPDU_BAD_DESTINATION},
    {"destination: all", UINT64_C(0xffffffffffff), NEIGHBOR, 0, 1, 60, HMPDU_BAD_DESTINATION},
    {"group as source", HMPDU_DA, UINT64_C(0x030000000001), 0, 1, 60, HMPDU_GROUP_SOURCE},
    {"group as source, tagged", HOST, UINT64_C(0x030000000001), ETH_TYPE_CTAG, 1, 64,
     HMPDU_GROUP_SOURCE},
    {"C-TAG", HMPDU_DA, NEIGHBOR, ETH_TYPE_CTAG, 1, 64, HMPDU_TAGGED},
    {"C-TAG, to a host", HOST, NEIGHBOR, ETH_TYPE_CTAG, 1, 64, HMPDU_TAGGED},
    {"S-TAG, to a host", HOST, NEIGHBOR, ETH_TYPE_STAG, 1, 64, HMPDU_TAGGED},
    {"CN-TAG, to a host", HOST, NEIGHBOR, ETH_TYPE_CN_TAG, 1, 64, HMPDU_TAGGED},
    {"subtype 2", HMPDU_DA, NEIGHBOR, 0, 2, 60, HMPDU_BAD_SUBTYPE},
    {"23 octets", HMPDU_DA, NEIGHBOR, 0, 1, 23, HMPDU_SHORT},
    {"header only", HMPDU_DA, NEIGHBOR, 0, 1, 14, HMPDU_SHORT},
};

static uint32_t make_bad(uint8_t *octets, const struct bad *b)
{
	uint8_t whole[HMPDU_FRAME_OCTETS];
	uint32_t at = ETH_TYPE_OFFSET;

	make_request(whole, b->sa, 1);
	put_address(whole, b->da);
	whole[14] = b->subtype;
	memcpy(octets, whole, at);
	if (b->tag) {
		put_be16(octets + at, b->tag);
		put_be16(octets + at + 2, 0x6001); /* VID 1 */
		at += ETH_TAG_OCTETS;
	}
	memcpy(octets + at, whole + ETH_TYPE_OFFSET, sizeof(whole) - ETH_TYPE_OFFSET);
	return b->len;
}

/* Not forwarded, not answered, one counter, and nothing of the measurement changes. */
static void test_bad_frames_are_only_counted(void **state)
{
	struct lab *l = *state;
	uint8_t octets[HMPDU_FRAME_OCTETS + ETH_TAG_OCTETS];
	struct world_frame f;

	put_in_force(l, PFC_MEASURE_ALWAYS);
	converse(l, 0, DELAY_NS);
	world_frame(octets, HMPDU_DA, HOST, -1, 60); /* the bridge learns where the host is */
	world_frame(f.octets, UINT64_C(0x02000000ffff), HOST, -1, 60);
	world_send(&l->w, 2, f.octets, 60);
	world_turn(&l->w);
	for (unsigned i = 0; i < UNIT_COUNT(bads); i++) {
		struct pfc_measure_stats before = stats_of(l, 0), after;

		flush(l);
		world_send(&l->w, 0, octets, make_bad(octets, &bads[i]));
		world_turn(&l->w);
		for (unsigned port = 0; port < PORTS; port++)
			if (world_recv(&l->w, port, &f))
				fail_msg("%s: port %u sends a frame", bads[i].what, port);
		after = stats_of(l, 0);
		if (after.bad[bads[i].error] != before.bad[bads[i].error] + 1)
			fail_msg("%s: not counted", bads[i].what);
		before.bad[bads[i].error]++;
		assert_memory_equal(&before, &after, sizeof(before));
	}
}

/* A good one is not forwarded either. */
static void test_valid_frames_are_not_forwarded(void **state)
{
	struct lab *l = *state;
	uint8_t octets[HMPDU_FRAME_OCTETS];
	struct world_frame f;

	put_in_force(l, PFC_MEASURE_OFF);
	assert_int_equal(world_forward(&l->w, 0, octets, make_request(octets, NEIGHBOR, 1), &f),
			 1 << 0);
}

/*
 * Two frames wait at most, the others of a turn are dropped; a flood that lasts is limited
 * also by its rate. Other ports forward meanwhile.
 */
static void test_flood_is_dropped_and_counted(void **state)
{
	enum { TURNS = 500, EACH = 4 };
	struct lab *l = *state;
	uint8_t octets[HMPDU_FRAME_OCTETS], data[60];
	struct pfc_measure_stats s;
	struct world_frame f;
	unsigned answers = 0, forwarded = 0;

	put_in_force(l, PFC_MEASURE_OFF);
	world_frame(data, UINT64_C(0x02000000ffff), HOST, -1, sizeof(data));
	for (unsigned turn = 0; turn < TURNS; turn++) {
		for (unsigned i = 0; i < EACH; i++)
			world_send(&l->w, 0, octets, make_request(octets, NEIGHBOR, turn));
		world_send(&l->w, 1, data, sizeof(data));
		advance(l, 40 * DCB_NS_PER_US); /* 100 000 HMPDUs a second */
		world_turn(&l->w);
		while (world_recv(&l->w, 0, &f))
			answers += get_be16(f.octets + ETH_TYPE_OFFSET) == ETH_TYPE_HMPDU;
		while (world_recv(&l->w, 2, &f))
			forwarded++;
		assert_int_equal(forwarded, turn + 1);
	}
	s = stats_of(l, 0);
	assert_int_equal(answers, s.hm.responses_sent);
	assert_int_equal(s.hm.verdict[HM_ACCEPTED], answers);
	assert_int_equal(answers + s.hm.verdict[HM_BUSY] + s.excess, TURNS * EACH);
	assert_true(s.hm.verdict[HM_BUSY] > 0 && s.excess > 0);
	assert_in_range(answers, 1,
			PORT_HM_BURST + TURNS * 40 * DCB_NS_PER_US / PORT_HM_INTERVAL_NS + 1);
}

/* A back end whose kernel drops HMPDUs, as a network interface has. */
struct dropping {
	bool on, busy;    /* busy: end_drop() fails */
	unsigned begins;  /* calls of begin_drop() */
	uint64_t dropped; /* since end_drop() */
};

static struct dropping dropping;

static bool begin_drop(struct netio *io)
{
	(void)io;
	assert_false(dropping.on);
	dropping.begins++;
	return dropping.on = true;
}

static bool end_drop(struct netio *io, uint64_t *dropped)
{
	(void)io;
	assert_true(dropping.on);
	if (dropping.busy)
		return false;
	*dropped = dropping.dropped;
	dropping.on = false;
	dropping.dropped = 0;
	return true;
}

/* The link has 100 000 HMPDUs a second, or none. Returns after this time. */
static void flood_for(struct lab *l, int64_t ns, bool on)
{
	uint8_t octets[HMPDU_FRAME_OCTETS];
	struct world_frame f;

	for (int64_t i = 0; i < ns / (10 * DCB_NS_PER_US); i++) {
		if (on && dropping.on)
			dropping.dropped++;
		else if (on)
			world_send(&l->w, 0, octets, make_request(octets, NEIGHBOR, (uint32_t)i));
		advance(l, 10 * DCB_NS_PER_US);
		world_turn(&l->w);
		while (world_recv(&l->w, 0, &f))
			;
	}
}

/* The kernel drops and counts most of a flood, and no frame after it. */
static void test_flood_is_dropped_by_the_kernel(void **state)
{
	enum { MS = 500 };
	struct lab *l = *state;
	struct netio *io = l->w.ports[0]->io;
	const struct netio_ops *was = io->ops;
	struct netio_ops ops = *was;
	const uint64_t all = MS * 100;
	struct pfc_measure_stats s;
	uint64_t frames;

	put_in_force(l, PFC_MEASURE_OFF);
	dropping = (struct dropping){0};
	ops.begin_drop = begin_drop;
	ops.end_drop = end_drop;
	io->ops = &ops;
	flood_for(l, MS * DCB_NS_PER_MS / 2, true);
	assert_in_range(dropping.begins, MS / 2 / 24, MS / 2 / 20 + 1);
	dropping.busy = true; /* tried again until it succeeds */
	flood_for(l, MS * DCB_NS_PER_MS / 2 - 100 * DCB_NS_PER_MS, true);
	assert_true(dropping.on && dropping.dropped > 12000);
	dropping.busy = false;
	flood_for(l, 100 * DCB_NS_PER_MS, true);
	flood_for(l, 40 * DCB_NS_PER_MS, false);
	io->ops = was;
	assert_false(dropping.on);
	s = stats_of(l, 0);
	frames = s.hm.verdict[HM_ACCEPTED] + s.hm.verdict[HM_BUSY] + s.excess;
	assert_int_equal(frames, all);
	assert_int_equal(l->w.ports[0]->stats.rx_frames, all);
	assert_int_equal(l->w.ports[0]->stats.rx_octets, all * HMPDU_FRAME_OCTETS);
	/* The others are read: those that are answered, and PORT_HM_EXCESS each time. */
	assert_in_range(s.hm.responses_sent, 1, PORT_HM_BURST + MS * 2 + 1);
}

/* A few frames too many, at any time, are not a flood. */
static void test_few_excess_frames_are_not_dropped_by_the_kernel(void **state)
{
	struct lab *l = *state;
	struct netio *io = l->w.ports[0]->io;
	const struct netio_ops *was = io->ops;
	struct netio_ops ops = *was;
	enum { TURNS = 1000, PERMITTED = (PORT_HM_DROP_NS + DCB_NS_PER_MS) / PORT_HM_INTERVAL_NS };
	uint8_t octets[HMPDU_FRAME_OCTETS];

	put_in_force(l, PFC_MEASURE_OFF);
	dropping = (struct dropping){0};
	ops.begin_drop = begin_drop;
	ops.end_drop = end_drop;
	io->ops = &ops;
	for (unsigned turn = 0; turn < TURNS; turn++) {
		for (unsigned i = 0; i < PERMITTED + PORT_HM_EXCESS / 2; i++)
			world_send(&l->w, 0, octets, make_request(octets, NEIGHBOR, turn));
		advance(l, PORT_HM_DROP_NS + DCB_NS_PER_MS);
		world_turn(&l->w);
	}
	io->ops = was;
	assert_int_equal(dropping.begins, 0);
	assert_in_range(stats_of(l, 0).excess, TURNS, TURNS * PORT_HM_EXCESS);
}

static void test_own_frames_that_return_are_dropped(void **state)
{
	struct lab *l = *state;
	struct world_frame f;

	put_in_force(l, PFC_MEASURE_ALWAYS);
	world_turn(&l->w);
	assert_true(world_recv(&l->w, 0, &f));
	advance(l, DELAY_NS);
	world_send(&l->w, 0, f.octets, f.len);
	world_turn(&l->w);
	assert_int_equal(stats_of(l, 0).hm.verdict[HM_LOOPED], 1);
	assert_false(stats_of(l, 0).measured);
	assert_false(world_recv(&l->w, 0, &f));
}

/* The first response counts; that of the second neighbor is to no open request. */
static void test_second_neighbor_is_counted_as_unexpected(void **state)
{
	struct lab *l = *state;
	struct world_frame f;

	put_in_force(l, PFC_MEASURE_ALWAYS);
	world_turn(&l->w);
	assert_true(world_recv(&l->w, 0, &f));
	advance(l, DELAY_NS);
	assert_true(answer(l, 0, &f, NEIGHBOR));
	assert_true(answer(l, 0, &f, SECOND));
	world_turn(&l->w);
	assert_int_equal(stats_of(l, 0).hm.responses_received, 1);
	assert_int_equal(stats_of(l, 0).hm.verdict[HM_UNMATCHED], 1);
	assert_in_range(stats_of(l, 0).last, 99, 101);
}

/* A paused port, and one whose interface accepts no data, measure. */
static void test_pause_does_not_delay_measurement(void **state)
{
	struct lab *l = *state;
	struct world_frame f;

	put_in_force(l, PFC_MEASURE_ALWAYS);
	port_pause(l->w.ports[0], 0xff, l->w.now);
	l->w.ports[0]->blocked = true;
	world_turn(&l->w);
	assert_true(world_recv(&l->w, 0, &f));
	assert_int_equal(get_be16(f.octets + ETH_TYPE_OFFSET), ETH_TYPE_HMPDU);
}

/* 36.9.6 c): at most one measurement a second. */
static void test_lost_lossless_frame_starts_another_measurement(void **state)
{
	struct lab *l = *state;
	struct port_set *s = &l->w.bridge.ports;
	struct world_frame f;

	put_in_force(l, PFC_MEASURE_ALWAYS);
	converse(l, 0, DELAY_NS);
	advance(l, 2 * DCB_NS_PER_S);
	world_turn(&l->w);
	assert_false(world_recv(&l->w, 0, &f));
	port_set_count_lossless(s, l->w.ports[0], 3);
	assert_int_equal(l->w.ports[0]->pfc.stats[3].pfc_discards, 1);
	world_turn(&l->w);
	assert_true(world_recv(&l->w, 0, &f));
	assert_int_equal(stats_of(l, 0).hm.rounds, 2);
}

/* A manager, and a neighbor that was lost or replaced. */
static void test_triggers_of_the_control_thread(void **state)
{
	struct lab *l = *state;
	struct world_frame f;

	put_in_force(l, PFC_MEASURE_ALWAYS);
	converse(l, 0, DELAY_NS);
	for (unsigned i = 2; i < 4; i++) {
		advance(l, 2 * DCB_NS_PER_S);
		put_in_force(l, PFC_MEASURE_ALWAYS); /* the same again */
		world_turn(&l->w);
		assert_false(world_recv(&l->w, 0, &f));
		if (i == 2)
			l->w.port_config.pfc_measure.restart++;
		else
			l->w.ports[0]->oper.pfc_interruptions++;
		put_in_force(l, PFC_MEASURE_ALWAYS);
		assert_true(converse(l, 0, DELAY_NS) > 0);
		assert_int_equal(stats_of(l, 0).hm.rounds, i);
	}
}

/* The interval is between the begins. */
static void test_periodic_measurements(void **state)
{
	struct lab *l = *state;
	struct world_frame f;
	struct dcb_time began = l->w.now;

	l->w.port_config.pfc_measure.interval_s = 60;
	put_in_force(l, PFC_MEASURE_ALWAYS);
	for (unsigned i = 1; i < 5; i++) {
		assert_true(converse(l, 0, DELAY_NS) > 0);
		assert_int_equal(stats_of(l, 0).hm.rounds, i);
		began = dcb_time_add_ns(began, 60 * DCB_NS_PER_S);
		l->w.now = dcb_time_add_ns(began, -1);
		world_turn(&l->w);
		assert_false(world_recv(&l->w, 0, &f));
		assert_int_equal(l->w.ports[0]->hm.deadline.at.ns, began.ns);
		l->w.now = began;
	}
	l->w.port_config.pfc_measure.interval_s = 0;
	put_in_force(l, PFC_MEASURE_ALWAYS);
	world_turn(&l->w);
	assert_false(world_recv(&l->w, 0, &f));
	/* Ports that send no requests have no such time. */
	l->w.port_config.pfc_measure.interval_s = 1;
	put_in_force(l, PFC_MEASURE_OFF);
	advance(l, 10 * DCB_NS_PER_S);
	world_turn(&l->w);
	assert_false(world_recv(&l->w, 0, &f));
}

/* A silent neighbor is asked again after the maximum round trip, at the port's deadline. */
static void test_silent_neighbor_is_asked_again(void **state)
{
	struct lab *l = *state;
	struct world_frame f;
	struct dcb_time next;

	l->w.port_config.pfc_measure.maximum = 100000;
	put_in_force(l, PFC_MEASURE_ALWAYS);
	next = world_turn(&l->w);
	flush(l);
	assert_in_range(dcb_time_diff_ns(next, l->w.now), 1000 * DELAY_NS, 1000 * DELAY_NS + 100);
	l->w.now = next;
	world_turn(&l->w);
	assert_true(world_recv(&l->w, 0, &f));
	assert_int_equal(stats_of(l, 0).hm.timeouts, 1);
}

static void test_result_that_finds_no_room_is_handed_over_later(void **state)
{
	struct lab *l = *state;

	l->full = true;
	put_in_force(l, PFC_MEASURE_ALWAYS);
	converse(l, 0, DELAY_NS);
	assert_int_equal(stats_of(l, 0).result, 0);
	l->full = false;
	advance(l, DCB_NS_PER_MS);
	world_turn(&l->w);
	assert_int_equal(l->handed_over, 1);
	assert_true(stats_of(l, 0).result >= stats_of(l, 0).average);
}

static void test_initial_value_is_the_first_result(void **state)
{
	struct lab *l = *state;

	l->w.port_config.pfc_measure.initial = 4000;
	put_in_force(l, PFC_MEASURE_ALWAYS);
	assert_int_equal(stats_of(l, 0).result, 4000);
	put_in_force(l, PFC_MEASURE_OFF);
	advance(l, 2 * DCB_NS_PER_S);
	world_turn(&l->w);
	assert_int_equal(stats_of(l, 0).result, 0);
}

/* --- the result of a time before a restart --- */

/* Makes the port one that is just created, with this record of an earlier one. */
static void create_again(struct lab *l, uint64_t bps, enum hmpdu_path path)
{
	l->w.port_config.pfc_measured = (struct pfc_measured){
	    .rate = {bps}, .average = 1234, .count = 17, .path = (uint8_t)path};
	l->w.ports[0]->hm.engine = (struct hm){0};
}

static void assert_result(const struct lab *l, uint64_t result, uint64_t average, uint64_t count)
{
	const struct pfc_measure_stats is = stats_of(l, 0);

	assert_int_equal(is.result, result);
	assert_int_equal(is.average, average);
	assert_int_equal(is.count, count);
	assert_int_equal(is.measured, count != 0);
}

static void test_former_result_is_in_force_at_once(void **state)
{
	struct lab *l = *state;

	create_again(l, 10 * UINT64_C(1000000000), HMPDU_PATH_PLAIN);
	put_in_force(l, PFC_MEASURE_ALWAYS);
	assert_result(l, 1240, 1234, 17);
	assert_int_equal(stats_of(l, 0).rate_bps, 10 * UINT64_C(1000000000));
	assert_int_equal(l->handed_over, 1);
	assert_true(converse(l, 0, DELAY_NS) >= HM_ROUND_MIN);
	assert_in_range(stats_of(l, 0).average, 99, 101);
	assert_true(stats_of(l, 0).count >= 17 + HM_ROUND_MIN);
	/* It is not restored again. */
	put_in_force(l, PFC_MEASURE_ALWAYS);
	assert_in_range(stats_of(l, 0).average, 99, 101);
}

static void test_former_result_of_another_path_is_dropped(void **state)
{
	struct lab *l = *state;

	l->w.port_config.pfc_measure.initial = 400;
	create_again(l, 10 * UINT64_C(1000000000), HMPDU_PATH_BOTH);
	put_in_force(l, PFC_MEASURE_ALWAYS);
	assert_result(l, 400, 400, 0);
	assert_int_equal(stats_of(l, 0).hm.resets, 1);
}

/* A link that is down has no speed: the record waits until it is up. */
static void test_former_result_waits_for_its_rate(void **state)
{
	struct port_set *s;
	struct lab *l = *state;

	s = &l->w.bridge.ports;
	port_set_port_down(s, l->w.ports[0], l->w.now);
	create_again(l, 25 * UINT64_C(1000000000), HMPDU_PATH_PLAIN);
	put_in_force(l, PFC_MEASURE_ALWAYS);
	assert_result(l, 0, 1, 0);
	l->w.ports[0]->base.settings.rate = dcb_rate_from_mbps(25000);
	port_set_port_up(s, l->w.ports[0], l->w.now);
	assert_result(l, 1240, 1234, 17);
	assert_int_equal(stats_of(l, 0).rate_bps, 25 * UINT64_C(1000000000));
}

static void test_former_result_of_another_rate_is_not_used(void **state)
{
	struct lab *l = *state;

	create_again(l, 25 * UINT64_C(1000000000), HMPDU_PATH_PLAIN);
	put_in_force(l, PFC_MEASURE_ALWAYS);
	assert_result(l, 0, 1, 0);
	/* The link was up at another rate: the link partner is not the former one. */
	l->w.ports[0]->base.settings.rate = dcb_rate_from_mbps(25000);
	put_in_force(l, PFC_MEASURE_ALWAYS);
	assert_result(l, 0, 1, 0);
}

/* --- paths through a SecY --- */

/* A link with a SecY: notes the frames sent, and by which port of the SecY. */
struct secure {
	struct netio io;
	enum netio_security security;
	bool from_controlled;     /* the frame that is received */
	unsigned n, n_controlled; /* frames sent */
	uint8_t path;             /* of the last one */
};

static struct secure *to_secure(const struct netio *io)
{
	return (struct secure *)io;
}

static struct netio_sent secure_send(struct netio *io, const struct iovec *frame,
				     struct dcb_time now, struct netio_stamping *stamping)
{
	struct secure *s = to_secure(io);
	struct hmpdu pdu;

	(void)now;
	stamping->awaits_time = false;
	assert_int_equal(hmpdu_decode(frame->iov_base, frame->iov_len, &pdu), HMPDU_OK);
	s->path = pdu.path;
	s->n++;
	s->n_controlled += stamping->controlled;
	return (struct netio_sent){.taken = 1};
}

static enum netio_security secure_security(const struct netio *io)
{
	return to_secure(io)->security;
}

static bool secure_controlled(struct netio *io)
{
	return to_secure(io)->from_controlled;
}

/* Has the neighbor send a request by one of its ports. Returns the frames that the port sends. */
static unsigned ask(struct lab *l, struct secure *s, enum hmpdu_path path, bool controlled)
{
	uint8_t octets[HMPDU_FRAME_OCTETS];
	struct hmpdu pdu = {.path = (uint8_t)path, .tuple = {{.use = HMPDU_REQUEST}}};

	put_address(pdu.source, NEIGHBOR);
	hmpdu_encode(&pdu, octets);
	s->n = s->n_controlled = 0;
	s->from_controlled = controlled;
	advance(l, DCB_NS_PER_MS);
	port_hm_receive(&l->w.bridge.ports.hm, l->w.ports[0], octets, sizeof(octets), l->w.now);
	(void)port_hm_run(&l->w.bridge.ports.hm, l->w.ports[0], l->w.now);
	return s->n;
}

/* 36.9.5: requests take the path of PFC frames, responses that of data frames. */
static void test_paths_are_those_of_macsec(void **state)
{
	static const struct netio_ops ops = {.send_stamped = secure_send,
					     .security = secure_security,
					     .received_controlled = secure_controlled};
	static const struct {
		enum netio_security security;
		enum hmpdu_path path;
		bool request_controlled, response_controlled;
	} modes[] = {{NETIO_SECURES_DATA, HMPDU_PATH_DATA, false, true},
		     {NETIO_SECURES_ALL, HMPDU_PATH_BOTH, true, true},
		     {NETIO_SECURES_NONE, HMPDU_PATH_PLAIN, false, false}};
	struct lab *l = *state;
	struct secure s = {.io = {.ops = &ops, .recv_fd = -1, .send_fd = -1, .stamp_fd = -1}};
	struct netio *cable = l->w.ports[0]->io;

	put_in_force(l, PFC_MEASURE_OFF);
	l->w.ports[0]->io = &s.io;
	for (unsigned i = 0; i < UNIT_COUNT(modes); i++) {
		s.security = modes[i].security;
		port_hm_update(&l->w.bridge.ports.hm, l->w.ports[0], l->w.now);
		assert_int_equal(stats_of(l, 0).path, modes[i].path);
		assert_int_equal(ask(l, &s, modes[i].path, !modes[i].request_controlled), 0);
		assert_int_equal(ask(l, &s, modes[i].path, modes[i].request_controlled), 1);
		assert_int_equal(s.n_controlled, modes[i].response_controlled);
		assert_int_equal(s.path, modes[i].path);
	}
	assert_int_equal(stats_of(l, 0).hm.verdict[HM_WRONG_PATH], UNIT_COUNT(modes));
	l->w.ports[0]->io = cable;
}

/* Without a key to transmit with, no HMPDU is sent; then another measurement begins (36.9.7). */
static void test_measurement_waits_for_macsec(void **state)
{
	static const struct netio_ops ops = {.send_stamped = secure_send,
					     .security = secure_security,
					     .received_controlled = secure_controlled};
	struct lab *l = *state;
	struct secure s = {.io = {.ops = &ops, .recv_fd = -1, .send_fd = -1, .stamp_fd = -1},
			   .security = NETIO_NOT_SECURE_YET};
	struct port_hm_set *hm = &l->w.bridge.ports.hm;
	struct netio *cable = l->w.ports[0]->io;

	l->w.ports[0]->io = &s.io;
	put_in_force(l, PFC_MEASURE_ALWAYS);
	assert_false(stats_of(l, 0).oper_up);
	assert_int_equal(ask(l, &s, HMPDU_PATH_BOTH, true), 0);
	s.security = NETIO_SECURES_ALL;
	port_hm_update(hm, l->w.ports[0], l->w.now);
	assert_true(stats_of(l, 0).oper_up);
	(void)port_hm_run(hm, l->w.ports[0], l->w.now);
	assert_int_equal(s.n, 1);
	assert_int_equal(s.n_controlled, 1);
	l->w.ports[0]->io = cable;
}

/* --- port_hm_result() --- */

static const struct dcb_time t0 = {100 * DCB_NS_PER_S};

static void test_longer_result_is_in_force_at_once(void **state)
{
	struct dcb_time next, soon = dcb_time_add_ns(t0, PORT_HM_GROW_NS - 1);

	(void)state;
	assert_int_equal(port_hm_result(0, (struct dcb_time){0}, 1, t0, &next), PORT_HM_STEP);
	assert_int_equal(next.ns, DCB_TIME_NEVER.ns);
	assert_int_equal(port_hm_result(80, t0, 81, soon, &next), 80);
	assert_int_equal(next.ns, t0.ns + PORT_HM_GROW_NS);
	assert_int_equal(port_hm_result(80, t0, 81, next, &next), 88);
	assert_int_equal(port_hm_result(80, t0, 80, soon, &next), 80);
	assert_int_equal(next.ns, DCB_TIME_NEVER.ns);
	assert_int_equal(port_hm_result(0, (struct dcb_time){0}, UINT32_MAX, t0, &next),
			 UINT32_MAX);
}

static void test_shorter_result_waits_for_a_second_and_two_steps(void **state)
{
	struct dcb_time next, soon = dcb_time_add_ns(t0, PORT_HM_SHRINK_NS - 1);

	(void)state;
	assert_int_equal(port_hm_result(800, t0, 784, soon, &next), 800);
	assert_int_equal(next.ns, t0.ns + PORT_HM_SHRINK_NS);
	assert_int_equal(port_hm_result(800, t0, 784, next, &next), 784);
	assert_int_equal(port_hm_result(800, t0, 785, dcb_time_add_ns(t0, DCB_NS_PER_S), &next),
			 800);
	assert_int_equal(next.ns, DCB_TIME_NEVER.ns);
	assert_int_equal(port_hm_result(8, t0, 0, dcb_time_add_ns(t0, DCB_NS_PER_S), &next), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

/* --- response time of the PFC receiver ---------------------------------------------------- */

static struct dcb_time at_halt(void *ctx)
{
	struct lab *l = ctx;

	return dcb_time_add_ns(l->w.now, l->halts_after_ns);
}

static uint32_t octets_waiting(struct netio *io)
{
	(void)io;
	return 12500; /* 10 us */
}

/* Port 0, which is none in memory, receives an XOFF, and halts after a time. Then an XON. */
static void pause_after(struct lab *l, int64_t ns)
{
	struct pfc_pdu pdu = {.source = {2, 0, 0, 0, 0, 10}, .enable = 8, .time = {[3] = 1000}};
	uint8_t octets[PFC_FRAME_OCTETS];

	l->halts_after_ns = ns;
	pfc_pdu_encode(&pdu, octets);
	world_send(&l->w, 0, octets, sizeof(octets));
	world_turn(&l->w);
	assert_int_equal(l->w.ports[0]->pfc.rx.paused, 8);
	l->halts_after_ns += 1000000; /* a pause that is renewed is no other halt */
	world_send(&l->w, 0, octets, sizeof(octets));
	world_turn(&l->w);
	pdu.time[3] = 0;
	pfc_pdu_encode(&pdu, octets);
	world_send(&l->w, 0, octets, sizeof(octets));
	world_turn(&l->w);
	assert_int_equal(l->w.ports[0]->pfc.rx.paused, 0);
}

static uint32_t told_ns(const struct lab *l)
{
	return l->w.ports[0]->hm.engine.settings.halt_ns;
}

static void prepare_halts(struct lab *l)
{
	struct soft_port *port = l->w.ports[0];

	l->w.bridge.ports.hm.now = at_halt;
	port->base.settings.memory = false;
	port->oper.pfc_enable = 8;
	port_pfc_configure(&l->w.bridge.ports.pfc, port, l->w.now);
	put_in_force(l, PFC_MEASURE_OFF);
	l->handed_over = 0;
}

static void test_response_of_the_receiver_is_measured(void **state)
{
	struct lab *l = *state;

	prepare_halts(l);
	assert_int_equal(told_ns(l), PFC_MEASURE_HALT_HOST_NS);
	for (unsigned i = 1; i < PORT_RESPONSE_SAMPLES; i++) {
		pause_after(l, 3000);
		assert_int_equal(told_ns(l), PFC_MEASURE_HALT_HOST_NS);
	}
	assert_int_equal(stats_of(l, 0).response_ns, 3000);
	assert_int_equal(l->handed_over, 0);
	pause_after(l, 2000);
	assert_int_equal(told_ns(l), 8192);
	assert_int_equal(l->handed_over, 1);
	assert_int_equal(stats_of(l, 0).response_bound_ns, 8192);
	pause_after(l, 4097);
	assert_int_equal(told_ns(l), 8192);
	pause_after(l, 5000); /* raised at once by two */
	assert_int_equal(told_ns(l), 16384);
	assert_int_equal(l->handed_over, 2);
	assert_int_equal(stats_of(l, 0).response_ns, 4097);
	pause_after(l, 8192);
	pause_after(l, 8192);
	assert_int_equal(told_ns(l), 16384);
	assert_int_equal(stats_of(l, 0).response_ns, 8192);
	/* Settings replace it. */
	l->w.port_config.pfc_way.response_ns = 5000;
	put_in_force(l, PFC_MEASURE_OFF);
	assert_int_equal(told_ns(l), 5000);
	l->w.port_config.pfc_measure.halt_ns = 6000;
	put_in_force(l, PFC_MEASURE_OFF);
	assert_int_equal(told_ns(l), 6000);
	assert_int_equal(stats_of(l, 1).response_ns, 0);
}

/* Frames that the kernel has accepted before the halt leave after it. */
static void test_response_has_the_frames_in_the_kernel(void **state)
{
	struct lab *l = *state;
	struct netio *io = l->w.ports[0]->io;
	const struct netio_ops *was = io->ops;
	struct netio_ops ops = *was;

	prepare_halts(l);
	ops.unsent = octets_waiting;
	io->ops = &ops;
	pause_after(l, 3000);
	pause_after(l, 3000);
	io->ops = was;
	assert_int_equal(stats_of(l, 0).response_ns, 13000);
}

/* A bound above the preliminary one is in force at once. At a link-up only the last times count. */
static void test_response_is_reduced_by_a_link_up_only(void **state)
{
	struct lab *l = *state;
	struct port_set *s = &l->w.bridge.ports;

	prepare_halts(l);
	pause_after(l, 150000);
	pause_after(l, 150000);
	assert_int_equal(told_ns(l), 524288);
	for (unsigned i = 0; i < 2 * PORT_RESPONSE_SAMPLES; i++)
		pause_after(l, 1000);
	assert_int_equal(told_ns(l), 524288);
	assert_int_equal(stats_of(l, 0).response_ns, 150000);
	port_set_port_down(s, l->w.ports[0], l->w.now);
	port_set_port_up(s, l->w.ports[0], l->w.now);
	assert_int_equal(told_ns(l), 2048);
	assert_int_equal(stats_of(l, 0).response_bound_ns, 2048);
	assert_int_equal(stats_of(l, 0).response_ns, 1000);
	pause_after(l, DCB_NS_PER_S / 2);
	pause_after(l, DCB_NS_PER_S / 2);
	assert_int_equal(told_ns(l), PORT_RESPONSE_BOUND_MAX_NS);
}

/* The first one, a later one, and one before a link-up. */
static void test_single_outlier_of_the_response_has_no_effect(void **state)
{
	struct lab *l = *state;
	struct port_set *s = &l->w.bridge.ports;

	prepare_halts(l);
	for (unsigned i = 0; i <= PORT_RESPONSE_SAMPLES; i++)
		pause_after(l, i % 20 == 0 ? DCB_NS_PER_S / 2 : 3000);
	assert_int_equal(told_ns(l), 8192);
	assert_int_equal(stats_of(l, 0).response_ns, 3000);
	pause_after(l, DCB_NS_PER_S / 2);
	assert_int_equal(told_ns(l), 8192);
	port_set_port_down(s, l->w.ports[0], l->w.now);
	port_set_port_up(s, l->w.ports[0], l->w.now);
	assert_int_equal(told_ns(l), 8192);
}

static void test_only_a_port_in_memory_meets_the_limit_of_the_standard(void **state)
{
	struct lab *l = *state;

	put_in_force(l, PFC_MEASURE_OFF);
	assert_true(l->w.ports[0]->base.settings.memory);
	assert_int_equal(told_ns(l), 615);
	prepare_halts(l);
	assert_int_equal(told_ns(l), 200000);
	assert_int_equal(l->w.ports[1]->hm.engine.settings.halt_ns, 615);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(test_request_is_answered_when_measurement_is_off),
	    TEST(test_requests_are_sent_as_the_setting_says),
	    TEST(test_ports_measure_their_own_links),
	    TEST(test_late_time_of_transmission_counts),
	    TEST(test_result_stays_while_the_link_is_down),
	    TEST(test_bad_frames_are_only_counted),
	    TEST(test_valid_frames_are_not_forwarded),
	    TEST(test_flood_is_dropped_and_counted),
	    TEST(test_flood_is_dropped_by_the_kernel),
	    TEST(test_few_excess_frames_are_not_dropped_by_the_kernel),
	    TEST(test_own_frames_that_return_are_dropped),
	    TEST(test_second_neighbor_is_counted_as_unexpected),
	    TEST(test_pause_does_not_delay_measurement),
	    TEST(test_lost_lossless_frame_starts_another_measurement),
	    TEST(test_triggers_of_the_control_thread),
	    TEST(test_periodic_measurements),
	    TEST(test_silent_neighbor_is_asked_again),
	    TEST(test_result_that_finds_no_room_is_handed_over_later),
	    TEST(test_initial_value_is_the_first_result),
	    TEST(test_former_result_is_in_force_at_once),
	    TEST(test_former_result_of_another_path_is_dropped),
	    TEST(test_former_result_waits_for_its_rate),
	    TEST(test_former_result_of_another_rate_is_not_used),
	    TEST(test_response_of_the_receiver_is_measured),
	    TEST(test_response_has_the_frames_in_the_kernel),
	    TEST(test_response_is_reduced_by_a_link_up_only),
	    TEST(test_single_outlier_of_the_response_has_no_effect),
	    TEST(test_only_a_port_in_memory_meets_the_limit_of_the_standard),
	    TEST(test_paths_are_those_of_macsec),
	    TEST(test_measurement_waits_for_macsec),
	    cmocka_unit_test(test_longer_result_is_in_force_at_once),
	    cmocka_unit_test(test_shorter_result_waits_for_a_second_and_two_steps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
