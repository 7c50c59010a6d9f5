/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lossless frames that a bridge sends by several ports: each is held once, until its last copy
 * has left, and a lost one is one loss. Random frames, pauses, links that go down, and ports that
 * are removed, against a model that knows the ports at which each frame is still queued.
 */
#include "dataplane/core/pfc_pdu.h"
#include "lib/octets.h"
#include "lib/rng.h"
#include "tests/unit/unit.h"
#include "tests/unit/world.h"

#include <string.h>

#define GROUP    UINT64_C(0x01005e000001)
#define UNKNOWN  UINT64_C(0x020000000002)
#define SOURCE   UINT64_C(0x020000000001)
#define PRIORITY 3
#define IN       0 /* the port at which the frames arrive; the others are egress ports */
#define TCI      (PRIORITY << 13 | 1)
#define FRAMES   400
#define BUFFER   400000
#define HEADROOM 100000
#define STEPS    (UNIT_ALL ? 20000 : 3000)

/* In the payload of each frame: its number. Behind it, octets count up: world_frame(). */
#define NUMBER_AT ETH_HEADER_OCTETS

struct held {
	uint32_t ports; /* where it is queued, one bit each */
	uint32_t octets;
};

struct lab {
	struct world w;
	struct dcb_rng rng;
	struct held held[FRAMES]; /* ports 0: free */
	uint32_t paused;          /* egress ports, one bit each */
	uint64_t lost;
	uint32_t longest; /* of the frames */
};

static void configure(struct lab *l, unsigned n_ports)
{
	static struct port_config configs[2];
	static unsigned turn;
	struct port_config *config = &configs[++turn % 2]; /* an equal pointer is not a change */

	*config = l->w.port_config;
	config->pfc.enable = 1 << PRIORITY;
	for (unsigned i = 0; i < l->w.n_ports; i++)
		l->w.own[i] = config;
	world_configure(&l->w, n_ports, 0);
}

/* Half of the ports have tagged frames only: the copies have two formats. */
static void lab_init(struct lab *l, unsigned n_egress, uint32_t frame_buffers, uint32_t buffer)
{
	const struct bridge_params params = {
	    .frame_buffers = frame_buffers,
	    .frame_octets = WORLD_OCTETS - 4,
	    .fdb_entries = 1000,
	    .fdb_ageing_s = 300,
	    .seed = 1,
	};

	memset(l, 0, sizeof(*l));
	l->longest = WORLD_OCTETS - 4;
	world_init(&l->w, n_egress + 1, &params);
	for (unsigned i = 0; i <= n_egress; i++) {
		struct port_settings *settings = &l->w.ports[i]->base.settings;

		settings->pvid_tagged = i % 2;
		settings->buffer_octets = buffer;
		settings->pfc_buffer_octets = buffer;
		settings->pfc_headroom_octets = HEADROOM;
	}
	configure(l, n_egress + 1);
}

static struct buffer_account *account(struct lab *l)
{
	return &l->w.ports[IN]->buffers.lossless[PRIORITY];
}

static uint64_t discards(struct lab *l)
{
	struct pfc_stats stats;

	port_read_pfc(l->w.ports[IN], PRIORITY, &stats);
	return stats.pfc_discards;
}

static void pause(struct lab *l, unsigned port, bool on)
{
	struct pfc_pdu pdu = {.source = {2, 0, 0, 0, 0, 2}, .enable = 1 << PRIORITY};
	uint8_t f[PFC_FRAME_OCTETS];

	pdu.time[PRIORITY] = on ? 65535 : 0;
	pfc_pdu_encode(&pdu, f);
	bridge_receive(&l->w.bridge, l->w.ports[port], f, sizeof(f), sizeof(f), l->w.now);
	l->paused = (l->paused & ~(1u << port)) | (uint32_t)on << port;
}

/* A frame arrives, tagged. Returns its number, or -1 if the bridge counts it as lost. */
static int arrive(struct lab *l, uint32_t len)
{
	uint64_t before = discards(l), da = dcb_rng_uniform(&l->rng, 0, 1) ? GROUP : UNKNOWN;
	uint8_t f[WORLD_OCTETS];
	unsigned n = 0;

	while (l->held[n].ports)
		assert_true(++n < FRAMES);
	world_frame(f, da, SOURCE, TCI, len);
	put_be32(f + NUMBER_AT + ETH_TAG_OCTETS, n);
	bridge_receive(&l->w.bridge, l->w.ports[IN], f, len, len, l->w.now);
	if (discards(l) > before) {
		assert_int_equal(discards(l), before + 1);
		l->lost++;
		return -1;
	}
	for (unsigned i = 1; i < l->w.n_ports; i++)
		l->held[n].ports |= (uint32_t)l->w.ports[i]->up << i;
	l->held[n].octets = len;
	return (int)n;
}

/* Checks the octets of a frame that left by this port. */
static void left(struct lab *l, unsigned port, const struct world_frame *out)
{
	bool tagged = l->w.ports[port]->base.settings.pvid_tagged;
	uint32_t at = NUMBER_AT + (tagged ? ETH_TAG_OCTETS : 0);
	uint8_t expected[WORLD_OCTETS];
	uint32_t n, len;

	if (get_be16(out->octets + ETH_TYPE_OFFSET) == ETH_TYPE_MAC_CONTROL)
		return;
	n = get_be32(out->octets + at);
	assert_true(n < FRAMES && l->held[n].ports >> port & 1);
	len = l->held[n].octets;
	world_frame(expected, 0, 0, TCI, len);
	put_be32(expected + NUMBER_AT + ETH_TAG_OCTETS, n);
	assert_int_equal(get_be16(out->octets + ETH_TYPE_OFFSET) == ETH_TYPE_CTAG, tagged);
	if (len - (tagged ? 0 : ETH_TAG_OCTETS) >= ETH_MIN_OCTETS)
		assert_int_equal(out->len, len - (tagged ? 0 : ETH_TAG_OCTETS));
	assert_memory_equal(out->octets + at, expected + NUMBER_AT + ETH_TAG_OCTETS,
			    len - NUMBER_AT - ETH_TAG_OCTETS);
	l->held[n].ports &= ~(1u << port);
}

static void run(struct lab *l)
{
	struct world_frame out;

	world_turn(&l->w);
	for (unsigned i = 0; i < l->w.n_ports; i++)
		while (world_recv(&l->w, i, &out))
			left(l, i, &out);
}

/* The account has each held frame once, as it left first; all buffers in use are counted. */
static void check(struct lab *l)
{
	const struct frame_pool *pool = &l->w.bridge.ports.pool;
	uint32_t most = 0, frames = 0;

	for (unsigned i = 0; i < FRAMES; i++) {
		most += l->held[i].ports ? l->held[i].octets : 0;
		frames += l->held[i].ports != 0;
	}
	assert_in_range(account(l)->held.octets, most - frames * ETH_TAG_OCTETS, most);
	assert_true(account(l)->held.frames >= frames);
	assert_int_equal(account(l)->held.frames, pool->size - pool->n_free);
	assert_int_equal(discards(l), l->lost);
}

static void check_empty(struct lab *l)
{
	for (unsigned i = 0; i < FRAMES; i++)
		assert_int_equal(l->held[i].ports, 0);
	check(l);
	for (unsigned i = 0; i < l->w.n_ports; i++)
		for (unsigned p = 0; p <= DCB_PRIORITIES; p++)
			assert_int_equal(l->w.ports[i]->buffers.lossy[p].held.octets, 0);
}

static void link_down(struct lab *l, unsigned port)
{
	port_set_port_down(&l->w.bridge.ports, l->w.ports[port], l->w.now);
	for (unsigned i = 0; i < FRAMES; i++)
		l->held[i].ports &= ~(1u << port);
	l->paused &= ~(1u << port);
	port_set_port_up(&l->w.bridge.ports, l->w.ports[port], l->w.now);
}

static unsigned n_held(const struct lab *l)
{
	unsigned n = 0;

	for (unsigned i = 0; i < FRAMES; i++)
		n += l->held[i].ports != 0;
	return n;
}

static void end_pauses(struct lab *l)
{
	for (unsigned i = 1; i < l->w.n_ports; i++)
		pause(l, i, false);
	run(l);
}

/* All ports are paused, and the longest frames arrive until ten are lost. */
static void fill(struct lab *l)
{
	uint64_t before = l->lost;

	for (unsigned i = 1; i < l->w.n_ports; i++)
		pause(l, i, true);
	while (l->lost < before + 10) {
		(void)arrive(l, l->longest);
		run(l);
		check(l);
	}
}

/* --- tests --------------------------------------------------------------------------- */

static void step(struct lab *l)
{
	unsigned port = dcb_rng_uniform(&l->rng, 1, l->w.n_ports - 1);

	switch (dcb_rng_uniform(&l->rng, 0, 99)) {
	case 0:
		link_down(l, port);
		break;
	case 1:
		end_pauses(l);
		break;
	case 2 ... 12:
		pause(l, port, true);
		break;
	case 13 ... 18:
		pause(l, port, false);
		break;
	default:
		if (n_held(l) < FRAMES)
			(void)arrive(l, dcb_rng_uniform(&l->rng, 64, l->longest));
	}
	run(l);
	check(l);
}

static void test_frames_are_counted_until_the_last_copy_has_left(void **state)
{
	static const unsigned n_egress[] = {1, 2, 3, 24};
	uint64_t seed = unit_seed();

	(void)state;
	for (unsigned i = 0; i < sizeof(n_egress) / sizeof(n_egress[0]); i++) {
		struct lab *l = malloc(sizeof(*l));

		assert_non_null(l);
		lab_init(l, n_egress[i], 4096, BUFFER / 2);
		dcb_rng_seed(&l->rng, seed, i);
		for (unsigned k = 0; k < STEPS; k++)
			step(l);
		end_pauses(l);
		check_empty(l);
		fill(l);
		end_pauses(l);
		check_empty(l);
		world_free(&l->w);
		free(l);
	}
}

/* With fewer buffers than accounts may use, a frame is lost at once, or after some copies. */
static void test_frames_without_buffers_are_lost_once(void **state)
{
	uint64_t seed = unit_seed();
	struct lab *l = malloc(sizeof(*l));
	unsigned n = 0;

	(void)state;
	assert_non_null(l);
	lab_init(l, 24, 100, 1 << 20);
	dcb_rng_seed(&l->rng, seed, 0);
	for (unsigned i = 1; i <= 24; i++)
		pause(l, i, true);
	while (l->lost < 50) {
		n++;
		(void)arrive(l, l->longest - dcb_rng_uniform(&l->rng, 0, 4));
		assert_int_equal(account(l)->held.frames,
				 l->w.bridge.ports.pool.size - l->w.bridge.ports.pool.n_free);
	}
	assert_int_equal(discards(l), 50);
	assert_true(n < 50 + 100);
	for (unsigned i = 1; i <= 24; i++)
		port_flush(l->w.ports[i], &l->w.bridge.ports.pool);
	memset(l->held, 0, sizeof(l->held));
	check_empty(l);
	world_free(&l->w);
	free(l);
}

/* The neighbor sends as much as the headroom has, after XOFF. */
static void test_burst_to_many_ports_fits_the_headroom(void **state)
{
	static const unsigned n_egress[] = {1, 2, 23};

	(void)state;
	for (unsigned i = 0; i < sizeof(n_egress) / sizeof(n_egress[0]); i++) {
		uint32_t lens[] = {64, 300, 1518, WORLD_OCTETS - 4};

		for (unsigned k = 0; k < sizeof(lens) / sizeof(lens[0]); k++) {
			struct lab *l = malloc(sizeof(*l));
			uint32_t after = 0;
			uint8_t f[WORLD_OCTETS];

			assert_non_null(l);
			lab_init(l, n_egress[i], 16384, BUFFER);
			for (unsigned p = 1; p <= n_egress[i]; p++)
				pause(l, p, true);
			world_frame(f, GROUP, SOURCE, TCI, lens[k]);
			while (after + dcb_wire_octets(lens[k]) <= HEADROOM) {
				bridge_receive(&l->w.bridge, l->w.ports[IN], f, lens[k], lens[k],
					       l->w.now);
				world_turn(&l->w);
				if (l->w.ports[IN]->pfc.tx.paused)
					after += (uint32_t)dcb_wire_octets(lens[k]);
			}
			assert_int_equal(discards(l), 0);
			for (unsigned p = 1; p <= n_egress[i]; p++)
				port_flush(l->w.ports[p], &l->w.bridge.ports.pool);
			check_empty(l);
			world_free(&l->w);
			free(l);
		}
	}
}

/* The accounts of a removed port end: the queued copies of each frame count at an egress port. */
static void test_copies_outlive_the_port_that_received_them(void **state)
{
	struct lab *l = malloc(sizeof(*l));
	struct soft_port *in;
	uint64_t octets = 0;

	(void)state;
	assert_non_null(l);
	lab_init(l, 3, 4096, BUFFER);
	dcb_rng_seed(&l->rng, unit_seed(), 0);
	for (unsigned i = 1; i <= 3; i++)
		pause(l, i, true);
	for (unsigned i = 0; i < 50; i++)
		assert_true(arrive(l, 1500) >= 0);
	pause(l, 1, false);
	run(l);
	octets = account(l)->held.octets;
	in = l->w.ports[IN]; /* the last one is removed: change places */
	l->w.ports[IN] = l->w.ports[3];
	l->w.ports[3] = in;
	configure(l, 3);
	assert_int_equal(in->buffers.lossless[PRIORITY].held.frames, 0);
	assert_int_equal(l->w.ports[IN]->buffers.lossy[PRIORITY].held.octets +
			     l->w.ports[1]->buffers.lossy[PRIORITY].held.octets +
			     l->w.ports[2]->buffers.lossy[PRIORITY].held.octets,
			 octets);
	port_flush(l->w.ports[IN], &l->w.bridge.ports.pool);
	port_flush(l->w.ports[2], &l->w.bridge.ports.pool);
	assert_int_equal(l->w.bridge.ports.pool.n_free, l->w.bridge.ports.pool.size);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(l->w.ports[i]->buffers.lossy[PRIORITY].held.octets, 0);
	world_free(&l->w);
	free(l);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_frames_are_counted_until_the_last_copy_has_left),
	    cmocka_unit_test(test_frames_without_buffers_are_lost_once),
	    cmocka_unit_test(test_burst_to_many_ports_fits_the_headroom),
	    cmocka_unit_test(test_copies_outlive_the_port_that_received_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
