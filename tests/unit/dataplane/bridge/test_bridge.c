/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/core/eth.h"
#include "lib/octets.h"
#include "dataplane/core/pfc_pdu.h"
#include "tests/unit/unit.h"
#include "tests/unit/world.h"

#include <string.h>

#define A     UINT64_C(0x020000000001)
#define B     UINT64_C(0x020000000002)
#define C     UINT64_C(0x020000000003)
#define GROUP UINT64_C(0x01005e000001)
#define ALL   UINT64_C(0xffffffffffff)

#define TCI(priority, vid) ((priority) << 13 | (vid))
#define DEI                0x1000

static uint8_t f[WORLD_OCTETS + 100];
static struct world_frame out;

static unsigned forward(struct world *w, unsigned port, uint64_t da, uint64_t sa, int tci)
{
	return world_forward(w, port, f, world_frame(f, da, sa, tci, 100), &out);
}

static int set_up(void **state)
{
	struct world *w = malloc(sizeof(*w));

	assert_non_null(w);
	world_init(w, 4, NULL);
	*state = w;
	return 0;
}

static void test_learns_sources_and_floods_unknown(void **state)
{
	struct world *w = *state;

	assert_int_equal(forward(w, 0, B, A, -1),
			 0xe); /* unknown: all ports but the ingress port */
	assert_int_equal(out.len, 100);
	assert_memory_equal(out.octets, f, 100);
	assert_int_equal(forward(w, 1, A, B, -1), 0x1);
	assert_int_equal(forward(w, 0, B, A, -1), 0x2);
	assert_int_equal(forward(w, 2, ALL, C, -1), 0xb);
	assert_int_equal(forward(w, 0, GROUP, A, -1), 0xe); /* group addresses are not learned */
	assert_int_equal(forward(w, 3, A, B, -1), 0x1);     /* B moved */
	assert_int_equal(forward(w, 0, B, A, -1), 0x8);
	assert_int_equal(forward(w, 3, B, C, -1), 0x0); /* destination is on the ingress port */
}

static void test_aged_address_is_flooded(void **state)
{
	struct world *w = *state;

	forward(w, 1, A, B, -1);
	w->now.ns += 299 * DCB_NS_PER_S;
	assert_int_equal(forward(w, 0, B, A, -1), 0x2);
	w->now.ns += DCB_NS_PER_S;
	assert_int_equal(forward(w, 0, B, A, -1), 0xe);
	for (int i = 0; i < FDB_SWEEP_CALLS; i++)
		bridge_tick(&w->bridge, w->now);
	assert_int_equal(w->bridge.fdb.entries, 1);
}

static void test_vlans_learn_independently(void **state)
{
	struct world *w = *state;

	forward(w, 1, A, B, TCI(0, 10));
	assert_int_equal(forward(w, 0, B, A, TCI(0, 10)), 0x2);
	assert_int_equal(forward(w, 0, B, A, TCI(0, 11)), 0xe);
	/* Untagged frames and frames tagged with the PVID are in the same VLAN. */
	forward(w, 1, A, B, -1);
	assert_int_equal(forward(w, 0, B, A, TCI(5, 1)), 0x2);
	assert_int_equal(forward(w, 0, B, A, TCI(5, 0)), 0x2);
}

static void test_discards_reserved_and_malformed_frames(void **state)
{
	struct world *w = *state;
	struct port_stats s;

	assert_int_equal(forward(w, 0, UINT64_C(0x0180c2000000), A, -1), 0);
	assert_int_equal(forward(w, 0, UINT64_C(0x0180c200000f), A, TCI(0, 5)), 0);
	assert_int_equal(forward(w, 0, UINT64_C(0x0180c2000010), A, -1), 0xe);
	assert_int_equal(forward(w, 0, B, A, TCI(0, 4095)), 0);
	assert_int_equal(forward(w, 0, B, GROUP, -1), 0);
	assert_int_equal(world_forward(w, 0, f, 13, &out), 0);
	world_frame(f, B, A, TCI(0, 5), 100);
	assert_int_equal(world_forward(w, 0, f, 17, &out), 0);
	s = world_stats(w, 0);
	assert_int_equal(s.discard_reserved, 2);
	assert_int_equal(s.discard_vlan, 1);
	assert_int_equal(s.discard_malformed, 3);
	assert_int_equal(s.rx_frames, 7);
	assert_int_equal(w->bridge.fdb.entries, 1); /* only the forwarded frame was learned */
}

static void test_discards_oversize_frames(void **state)
{
	struct world *w = *state;

	world_frame(f, B, A, -1, sizeof(f));
	assert_int_equal(world_forward(w, 0, f, WORLD_OCTETS, &out), 0xe);
	assert_int_equal(world_forward(w, 0, f, WORLD_OCTETS + 1, &out), 0);
	bridge_receive(&w->bridge, w->ports[0], f, 1000, 1001, w->now); /* truncated */
	assert_int_equal(world_stats(w, 0).discard_oversize, 2);
	/* A frame buffer has room for the longest frame with a tag added. */
	w->ports[1]->base.settings.pvid_tagged = true;
	assert_int_equal(world_forward(w, 0, f, WORLD_OCTETS, &out), 0xe);
	assert_int_equal(world_stats(w, 1).tx_octets, 2 * WORLD_OCTETS + 4);
}

/* The settings of the egress port decide whether a frame leaves tagged. */
static void test_egress_port_decides_about_tag(void **state)
{
	static const struct {
		int in;
		bool pvid_tagged;
		int out;
	} rows[] = {
	    {-1, false, -1},
	    {-1, true, TCI(4, 1)}, /* the ingress port's default priority */
	    {TCI(6, 0), false, -1},
	    {TCI(6, 0), true, TCI(6, 1)},
	    {TCI(6, 1), false, -1},
	    {TCI(6, 1), true, TCI(6, 1)},
	    {TCI(3, 77) | DEI, false, TCI(3, 77) | DEI},
	    {TCI(0, 77), true, TCI(0, 77)},
	    {TCI(2, 1) | DEI, true, TCI(2, 1) | DEI},
	};
	struct world *w = *state;

	w->ports[0]->base.settings.default_priority = 4;
	for (size_t i = 0; i < UNIT_COUNT(rows); i++) {
		uint32_t len = 100 - (rows[i].in >= 0 ? 4 : 0) + (rows[i].out >= 0 ? 4 : 0);
		uint32_t payload = 100 - ETH_HEADER_OCTETS - (rows[i].in >= 0 ? 4 : 0);
		uint8_t expected[200];

		w->ports[1]->base.settings.pvid_tagged = rows[i].pvid_tagged;
		world_send(w, 0, f, world_frame(f, B, A, rows[i].in, 100));
		world_turn(w);
		assert_true(world_recv(w, 1, &out));
		world_frame(expected, B, A, rows[i].out, len);
		/* world_frame() fills the payload by offset in the frame: compare without the tag.
		 */
		memcpy(expected + len - payload, f + 100 - payload, payload);
		assert_int_equal(out.len, len);
		assert_memory_equal(out.octets, expected, len);
	}
	while (world_recv(w, 2, &out) || world_recv(w, 3, &out))
		;
}

/*
 * 802.3 3.2.8: a frame has 60 octets at least. Without its tag one of 60 has 56; it is
 * padded with zeros, whatever its buffer had before.
 */
static void test_pads_to_minimum_with_zeros(void **state)
{
	static const uint8_t zeros[ETH_MIN_OCTETS];
	struct world *w = *state;
	uint64_t octets = 0;

	forward(w, 1, A, B, -1);
	for (uint32_t len = 18; len <= 70; len++) {
		memset(f, 0xff, 200);
		world_frame(f, B, A, TCI(7, 1), 18);
		assert_int_equal(world_forward(w, 0, f, 200, &out), 0x2); /* fills the buffer */
		assert_int_equal(world_forward(w, 0, f, len, &out), 0x2);
		assert_int_equal(out.len, len - 4 < ETH_MIN_OCTETS ? ETH_MIN_OCTETS : len - 4);
		octets += 200 - 4 + out.len;
		assert_memory_equal(out.octets, f, 12);
		assert_memory_equal(out.octets + 12, f + 16, len - 16);
		assert_memory_equal(out.octets + len - 4, zeros, out.len - (len - 4));
	}
	assert_int_equal(world_stats(w, 1).tx_octets, octets);
}

/* Ports with different PVIDs: a frame untagged on one port is tagged on another. */
static void test_pvids_differ_between_ports(void **state)
{
	struct world *w = *state;

	w->ports[0]->base.settings.pvid = 20;
	w->ports[2]->base.settings.pvid = 20;
	world_send(w, 0, f, world_frame(f, B, A, -1, 100));
	world_turn(w);
	assert_true(world_recv(w, 1, &out));
	assert_int_equal(out.len, 104);
	assert_int_equal(get_be16(out.octets + 14), TCI(0, 20));
	assert_true(world_recv(w, 2, &out));
	assert_int_equal(out.len, 100);
	assert_true(world_recv(w, 3, &out));
	assert_int_equal(out.len, 104);
}

/* The bridge forwards CN-TAG and a second VLAN tag unchanged. */
static void test_inner_tags_are_forwarded(void **state)
{
	struct world *w = *state;
	uint8_t inner[8] = {0x22, 0xe9, 0x12, 0x34, 0x81, 0x00, 0x00, 0x05};

	world_frame(f, B, A, TCI(3, 1), 100);
	memcpy(f + 16, inner, sizeof(inner));
	assert_int_equal(world_forward(w, 0, f, 100, &out), 0xe);
	assert_int_equal(out.len, 96);
	assert_memory_equal(out.octets + 12, inner, sizeof(inner));
}

static void test_priority_selects_queue(void **state)
{
	struct world *w = *state;

	w->ports[0]->base.settings.default_priority = 5;
	w->ports[1]->base.settings.rate.bps = 1000; /* frames stay queued */
	forward(w, 1, ALL, B, -1);
	for (int i = 0; i < 8; i++) {
		world_send(w, 0, f, world_frame(f, B, A, TCI(i, 0), 100));
		world_send(w, 0, f, world_frame(f, B, A, -1, 100));
	}
	world_turn(w);
	for (int i = 0; i < 8; i++) /* the frame of priority 7 was sent */
		assert_int_equal(w->ports[1]->queues.queue[i].frames, i == 5 ? 9 : i == 7 ? 0 : 1);
	port_set_port_down(&w->bridge.ports, w->ports[1], w->now);
	assert_true(world_recv(w, 1, &out));
	assert_false(world_recv(w, 1, &out));
}

static void test_mac_control_is_counted_not_forwarded(void **state)
{
	struct pfc_pdu pdu = {.source = {2, 0, 0, 0, 0, 1}, .enable = 0x89, .time = {1, 0, 0, 9}};
	struct world *w = *state;
	struct pfc_stats pfc;
	struct port_stats s;

	pfc_pdu_encode(&pdu, f);
	assert_int_equal(world_forward(w, 0, f, PFC_FRAME_OCTETS, &out), 0);
	pdu.enable = 0x08;
	pfc_pdu_encode(&pdu, f);
	assert_int_equal(world_forward(w, 0, f, PFC_FRAME_OCTETS, &out), 0);
	put_be16(f + 14, PFC_OPCODE_PAUSE);
	assert_int_equal(world_forward(w, 0, f, PFC_FRAME_OCTETS, &out), 0);
	put_be16(f + 14, PFC_OPCODE);
	assert_int_equal(world_forward(w, 0, f, 20, &out), 0); /* too short */
	s = world_stats(w, 0);
	assert_int_equal(s.pfc_frames_received, 2);
	assert_int_equal(s.discard_reserved, 1);
	assert_int_equal(s.discard_malformed, 1);
	for (unsigned i = 0; i < 8; i++) {
		port_read_pfc(w->ports[0], i, &pfc);
		assert_int_equal(pfc.pfc_indications, i == 3 ? 2 : i == 0 || i == 7 ? 1 : 0);
	}
	assert_int_equal(w->bridge.fdb.entries, 0);
}

/* Frames of a CNPV discarded for any reason count in cpDiscardedFrames. */
static void test_cp_counts_discards_of_cnpv(void **state)
{
	const struct bridge_params few = {
	    .frame_buffers = 20, .frame_octets = WORLD_OCTETS, .fdb_entries = 10};
	struct cp_stats cp;
	struct world w;

	(void)state;
	world_init(&w, 2, &few);
	w.port_config.buffer[3].alpha_lossy = BUFFER_ALPHA_MAX; /* all that is free */
	world_configure(&w, 2, 1 << 3);
	w.ports[1]->base.settings.rate.bps = 1000;
	for (int i = 0; i < 25; i++)
		world_send(&w, 0, f, world_frame(f, B, A, TCI(3, 1), 1004));
	world_turn(&w);
	port_read_cp(w.ports[1], 3, &cp);
	assert_int_equal(cp.cp_transmitted_frames, 20);
	assert_int_equal(cp.cp_discarded_frames, 5);
	assert_int_equal(world_stats(&w, 1).discard_no_buffer, 5);
	w.ports[1]->base.settings.buffer_octets = 1000;
	port_set_port_changed(&w.bridge.ports, w.ports[1], w.now);
	world_send(&w, 0, f, world_frame(f, B, A, TCI(3, 1), 1004));
	world_send(&w, 0, f, world_frame(f, B, A, TCI(4, 1), 1004));
	world_turn(&w);
	port_read_cp(w.ports[1], 3, &cp);
	assert_int_equal(cp.cp_discarded_frames, 6);
	assert_int_equal(world_stats(&w, 1).discard_queue, 2);
	/* A link that goes down discards the queued frames. */
	port_set_port_down(&w.bridge.ports, w.ports[1], w.now);
	assert_int_equal(world_stats(&w, 1).discard_down, 19); /* one was sent */
	world_free(&w);
}

static void test_removed_port_loses_frames_and_addresses(void **state)
{
	struct world *w = *state;

	forward(w, 2, ALL, B, -1);
	assert_int_equal(forward(w, 0, B, A, -1), 0x4);
	w->ports[2]->base.settings.rate.bps = 1000;
	for (int i = 0; i < 5; i++)
		world_send(w, 0, f, world_frame(f, B, A, -1, 100));
	world_turn(w);
	assert_int_equal(w->ports[2]->queues.queue[0].frames, 4);
	assert_true(world_recv(w, 2, &out));
	world_configure(w, 2, 0);
	assert_int_equal(w->ports[2]->queues.queue[0].frames, 0);
	assert_int_equal(forward(w, 0, B, A, -1), 0x2); /* not learned any more: flooded */
	assert_int_equal(forward(w, 2, A, C, -1), 0);   /* not in the configuration */
	assert_int_equal(world_stats(w, 2).rx_frames, 1);
	world_configure(w, 4, 0);
	assert_int_equal(forward(w, 3, A, C, -1), 0x1);
}

static void test_link_down_forgets_addresses(void **state)
{
	struct world *w = *state;

	forward(w, 1, ALL, B, -1);
	port_set_port_down(&w->bridge.ports, w->ports[1], w->now);
	assert_int_equal(forward(w, 0, B, A, -1), 0xc); /* flooded to the ports that are up */
	assert_int_equal(forward(w, 1, A, B, -1), 0);
	port_set_port_up(&w->bridge.ports, w->ports[1], w->now);
	assert_int_equal(forward(w, 1, A, B, -1), 0x1);
}

/* --- trust in DSCPs ----------------------------------------------------------- */

/* Port 0 has these settings, default priority 2; frames leave port 1 with their priority. */
static void trust(struct world *w, enum port_trust how, const struct app_priority *apps, uint8_t n)
{
	static struct port_config configs[2];
	static unsigned turn;
	struct port_config *config = &configs[++turn % 2]; /* an equal pointer is not a change */

	*config = w->port_config;
	config->trust.trust = (uint8_t)how;
	config->dcbx.n_apps = n;
	memcpy(config->dcbx.apps, apps, n * sizeof(*apps));
	w->own[0] = config;
	w->ports[0]->base.settings.default_priority = 2;
	w->ports[1]->base.settings.pvid_tagged = true;
	world_configure(w, w->n_ports, 0);
}

/* An IPv4 packet; len: 34 at least. */
static uint32_t make_packet(int tci, uint8_t dscp, uint32_t len)
{
	uint8_t *p = f + ETH_TYPE_OFFSET + (tci >= 0 ? ETH_TAG_OCTETS : 0);

	(void)world_frame(f, B, A, tci, len);
	put_be16(p, 0x0800);
	p[2] = 0x45;
	p[3] = (uint8_t)(dscp << 2 | 1); /* with ECN */
	return len;
}

/* Returns the priority with which the frame in f leaves port 1. */
static unsigned left_with(struct world *w, uint32_t len)
{
	struct world_frame other;

	world_send(w, 0, f, len);
	world_turn(w);
	assert_true(world_recv(w, 1, &out));
	while (world_recv(w, 2, &other) || world_recv(w, 3, &other)) /* flooded */
		;
	assert_int_equal(get_be16(out.octets + ETH_TYPE_OFFSET), ETH_TYPE_CTAG);
	return get_be16(out.octets + ETH_TYPE_OFFSET + 2) >> 13;
}

static void test_port_trusts_dscp(void **state)
{
	static const struct app_priority apps[] = {
	    {APP_ETHERTYPE, 7, 0x0800}, {APP_PORT, 7, 0}, {APP_DSCP, 3, 26}, {APP_DSCP, 6, 48}};
	struct world *w = *state;
	uint32_t len;

	trust(w, TRUST_PCP, apps, UNIT_COUNT(apps));
	assert_int_equal(left_with(w, make_packet(-1, 26, 100)), 2);
	trust(w, TRUST_PCP_DSCP, apps, UNIT_COUNT(apps));
	assert_int_equal(left_with(w, make_packet(-1, 26, 100)), 3);
	assert_int_equal(left_with(w, make_packet(-1, 48, 100)), 6);
	/* Other DSCPs and frames: the default priority, whatever other entries there are. */
	assert_int_equal(left_with(w, make_packet(-1, 27, 100)), 2);
	assert_int_equal(left_with(w, world_frame(f, B, A, -1, 100)), 2);
	/* Frames with a tag keep its priority, also one of 0. */
	assert_int_equal(left_with(w, make_packet(TCI(5, 1), 26, 100)), 5);
	assert_int_equal(left_with(w, make_packet(TCI(0, 0), 26, 100)), 0);
	/* The smallest packet, and one whose header is cut off. */
	assert_int_equal(left_with(w, make_packet(-1, 26, 34)), 3);
	assert_int_equal(left_with(w, make_packet(-1, 26, 33)), 2);
	len = make_packet(-1, 26, 100);
	put_be16(f + ETH_TYPE_OFFSET, 0x86dd);
	put_be16(f + ETH_TYPE_OFFSET + 2, 0x6000 | 48 << 6);
	assert_int_equal(left_with(w, len), 6);
	trust(w, TRUST_PCP_DSCP, apps, 0);
	assert_int_equal(left_with(w, make_packet(-1, 26, 100)), 2);
	trust(w, TRUST_PCP, apps, UNIT_COUNT(apps));
	assert_int_equal(left_with(w, make_packet(-1, 26, 100)), 2);
}

/* Those of the neighbor are in force in place of the port's own. */
static void test_port_trusts_dscp_of_the_neighbor(void **state)
{
	static const struct app_priority own[] = {{APP_DSCP, 3, 26}};
	struct peer_apps theirs = {.refs = 1, .tlv = {.n = 1, .of = {{APP_DSCP, 4, 26}}}};
	struct world *w = *state;
	size_t size = sizeof(*w->config) + w->n_ports * sizeof(w->config->ports[0]);
	struct dcb_config *next = malloc(size);

	assert_non_null(next);
	trust(w, TRUST_PCP_DSCP, own, 1);
	assert_int_equal(left_with(w, make_packet(-1, 26, 100)), 3);
	memcpy(next, w->config, size);
	next->ports[0].peer_apps = &theirs;
	port_set_adopt(&w->bridge.ports, next, w->now);
	free(w->config);
	w->config = next;
	assert_int_equal(left_with(w, make_packet(-1, 26, 100)), 4);
	trust(w, TRUST_PCP_DSCP, own, 1);
	assert_int_equal(left_with(w, make_packet(-1, 26, 100)), 3);
}

/* A simulator's frames: of a longer one, no octet behind its headers is copied. */
static void test_copies_the_extent_of_a_frame(void **state)
{
	static const struct bridge_params params = {
	    .frame_buffers = 4,
	    .frame_octets = WORLD_OCTETS,
	    .extent = {.whole_max = 180, .head_octets = 72},
	    .fdb_entries = 10,
	    .seed = 1,
	};
	static const uint8_t zeros[WORLD_OCTETS];
	struct world_frame longer;
	struct world w;

	(void)state;
	world_init(&w, 2, &params);
	world_frame(longer.octets, B, A, 1 << 13 | 1, 1000);
	assert_int_equal(world_forward(&w, 0, longer.octets, 1000, &out), 0x2);
	assert_int_equal(out.len, 996); /* without the tag of the PVID */
	assert_memory_equal(out.octets, longer.octets, 12);
	assert_memory_equal(out.octets + 12, longer.octets + 16, 72);
	assert_memory_equal(out.octets + 84, zeros, 996 - 84);
	assert_int_equal(world_forward(&w, 0, longer.octets, 180, &out), 0x2);
	assert_memory_equal(out.octets + 12, longer.octets + 16, 180 - 16);
	world_free(&w);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, world_tear_down)

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    TEST(test_learns_sources_and_floods_unknown),
	    TEST(test_aged_address_is_flooded),
	    TEST(test_vlans_learn_independently),
	    TEST(test_discards_reserved_and_malformed_frames),
	    TEST(test_discards_oversize_frames),
	    TEST(test_egress_port_decides_about_tag),
	    TEST(test_pads_to_minimum_with_zeros),
	    TEST(test_pvids_differ_between_ports),
	    TEST(test_inner_tags_are_forwarded),
	    TEST(test_priority_selects_queue),
	    TEST(test_mac_control_is_counted_not_forwarded),
	    TEST(test_cp_counts_discards_of_cnpv),
	    TEST(test_removed_port_loses_frames_and_addresses),
	    TEST(test_link_down_forgets_addresses),
	    TEST(test_port_trusts_dscp),
	    TEST(test_port_trusts_dscp_of_the_neighbor),
	    cmocka_unit_test(test_copies_the_extent_of_a_frame),
	};

	return cmocka_run_group_tests_name("bridge", tests, NULL, NULL);
}
