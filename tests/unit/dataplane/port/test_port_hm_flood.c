/* SPDX-License-Identifier: BSD-3-Clause */
/* Frames of headroom measurement that a port must not forward, and floods of them. */
#include <string.h>

#include "lib/octets.h"
#include "tests/unit/dataplane/port/hm_lab.h"
#include "tests/unit/world.h"

#define HMPDU_DA UINT64_C(0x0180c2000001)

#define HOST UINT64_C(0x0200000000cc)

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

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    TEST(test_bad_frames_are_only_counted),
	    TEST(test_valid_frames_are_not_forwarded),
	    TEST(test_flood_is_dropped_and_counted),
	    TEST(test_flood_is_dropped_by_the_kernel),
	    TEST(test_few_excess_frames_are_not_dropped_by_the_kernel),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
