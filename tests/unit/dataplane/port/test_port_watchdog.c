/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The PFC watchdog of a bridge in virtual time: neighbors pause all priorities of seven
 * ports; port SOURCE receives the frames for them.
 */
#include "dataplane/core/pfc_pdu.h"
#include "tests/unit/unit.h"
#include "tests/unit/world.h"

#include <string.h>

#define PORTS       8
#define SOURCE      0
#define FIRST       1 /* first paused port */
#define TCI(p, vid) ((p) << 13 | (vid))
#define LEN         200
#define STEP_NS     (2 * DCB_NS_PER_MS) /* time between PFC frames; the longest pause is 33 ms */

struct lab {
	struct world w;
	struct port_config configs[2];
	unsigned turn;
	uint8_t pfc; /* priorities with PFC */
	uint32_t duty_percent, window_ms;
	uint8_t storming[PORTS], pausing[PORTS];
	unsigned stormed, ended; /* reports */
	struct dcb_time first_storm, last_end;
};

/* Checks the statistics at the start and at the end of a storm. */
static void assert_reported(const struct soft_port *port, uint8_t stormed, uint8_t ended)
{
	for (unsigned p = 0; p < DCB_PRIORITIES; p++) {
		struct pfc_watchdog_stats stats;

		port_read_pfc_watchdog(port, p, &stats);
		if (stormed >> p & 1) {
			assert_int_equal(stats.state, PFC_WATCHDOG_STORM);
			assert_int_equal(stats.indications, 0);
			assert_int_equal(stats.paused_ns, 0);
		}
		if (ended >> p & 1)
			assert_int_not_equal(stats.state, PFC_WATCHDOG_STORM);
	}
}

static void on_storm(void *ctx, struct soft_port *port, uint8_t stormed, uint8_t ended)
{
	struct lab *l = ctx;
	unsigned n = port->base.slot / 3u;

	assert_int_equal(l->storming[n] & stormed, 0);
	assert_int_equal(l->storming[n] & ended, ended);
	assert_reported(port, stormed, ended);
	l->storming[n] = (uint8_t)((l->storming[n] | stormed) & ~ended);
	if (!l->stormed && stormed)
		l->first_storm = l->w.now;
	l->stormed += (unsigned)__builtin_popcount(stormed);
	l->ended += (unsigned)__builtin_popcount(ended);
	if (ended)
		l->last_end = l->w.now;
}

/* Alternates two structs: an equal pointer is not a change. */
static void configure(struct lab *l, uint8_t action)
{
	struct port_config *config = &l->configs[++l->turn % 2];

	*config = l->w.port_config;
	config->pfc.enable = l->pfc;
	for (unsigned p = 0; p < DCB_PRIORITIES; p++)
		config->pfc_watchdog[p] =
		    (struct pfc_watchdog_config){.action = action,
						 .detection_ms = 400,
						 .restoration_ms = 2000,
						 .duty_percent = l->duty_percent,
						 .window_ms = l->window_ms};
	for (unsigned i = 0; i < PORTS; i++)
		l->w.own[i] = config;
	world_configure(&l->w, PORTS, 0);
}

static int set_up(void **state)
{
	struct lab *l = calloc(1, sizeof(*l));
	uint8_t f[WORLD_OCTETS];

	assert_non_null(l);
	world_init(&l->w, PORTS, NULL);
	l->w.bridge.ports.pfc.watchdogs.storm = on_storm;
	l->w.bridge.ports.pfc.watchdogs.ctx = l;
	for (unsigned i = 0; i < PORTS; i++) {
		struct port_settings *settings = &l->w.ports[i]->base.settings;

		settings->pvid_tagged = true;
		settings->rate = dcb_rate_from_mbps(1000);
		settings->pfc_buffer_octets = 1 << 22;
		settings->pfc_headroom_octets = 1 << 16;
	}
	l->pfc = 0xff;
	configure(l, PFC_WATCHDOG_ALERT);
	for (unsigned i = 0; i < PORTS; i++)
		world_send(&l->w, i, f, world_frame(f, ~UINT64_C(0), 0x020000000000 + i, -1, 60));
	world_turn(&l->w);
	l->w.now = dcb_time_add_ns(l->w.now, DCB_NS_PER_S);
	world_turn(&l->w);
	*state = l;
	return 0;
}

static int tear_down(void **state)
{
	struct lab *l = *state;

	for (unsigned i = 0; i < PORTS; i++) {
		port_flush(l->w.ports[i], &l->w.bridge.ports.pool);
		assert_int_equal(l->w.ports[i]->queues.filled, 0);
	}
	assert_int_equal(l->w.bridge.ports.pool.n_free, l->w.bridge.ports.pool.size);
	world_free(&l->w);
	free(l);
	return 0;
}

static void pause(struct lab *l, unsigned port, uint8_t enable, uint16_t quanta)
{
	struct pfc_pdu pdu = {.source = {2, 0, 0, 0, 9, (uint8_t)port}, .enable = enable};
	uint8_t frame[PFC_FRAME_OCTETS];

	for (unsigned p = 0; p < DCB_PRIORITIES; p++)
		pdu.time[p] = quanta;
	pfc_pdu_encode(&pdu, frame);
	bridge_receive(&l->w.bridge, l->w.ports[port], frame, sizeof(frame), sizeof(frame),
		       l->w.now);
}

static void offer(struct lab *l, unsigned to, unsigned priority, unsigned n)
{
	uint8_t f[WORLD_OCTETS];

	while (n-- > 0) {
		world_frame(f, 0x020000000000 + to, 0x020000000000, TCI((int)priority, 1), LEN);
		bridge_receive(&l->w.bridge, l->w.ports[SOURCE], f, LEN, LEN, l->w.now);
	}
}

/* Advances time, event by event. Pausing neighbors send a PFC frame every STEP_NS. */
static void pass(struct lab *l, int64_t ms)
{
	struct dcb_time end = dcb_time_add_ns(l->w.now, ms * DCB_NS_PER_MS);
	struct dcb_time next_pfc = l->w.now;

	for (;;) {
		struct dcb_time next;

		if (!dcb_time_before(l->w.now, next_pfc)) {
			for (unsigned i = FIRST; i < PORTS; i++)
				if (l->pausing[i])
					pause(l, i, l->pausing[i], 65535);
			next_pfc = dcb_time_add_ns(next_pfc, STEP_NS);
		}
		next = dcb_time_min(world_turn(&l->w), next_pfc);
		if (!dcb_time_before(l->w.now, end))
			return;
		assert_true(dcb_time_before(l->w.now, next)); /* no deadline in the past */
		l->w.now = dcb_time_min(next, end);
	}
}

/* Returns the number of data frames that the port sent since the last call. */
static unsigned left(struct lab *l, unsigned port)
{
	struct world_frame f;
	unsigned n = 0;

	while (world_recv(&l->w, port, &f))
		n += f.octets[0] == 2;
	return n;
}

static struct pfc_watchdog_stats stats_of(const struct lab *l, unsigned port, unsigned priority)
{
	struct pfc_watchdog_stats stats;

	port_read_pfc_watchdog(l->w.ports[port], priority, &stats);
	return stats;
}

/* --- the tests -------------------------------------------------------------------------- */

static void test_detects_storms_of_all_priorities(void **state)
{
	struct lab *l = *state;
	struct dcb_time start;

	for (unsigned i = FIRST; i < PORTS; i++)
		l->pausing[i] = 0xff;
	pass(l, 1000);
	assert_int_equal(l->stormed, 0); /* no frames are queued */
	for (unsigned i = FIRST; i < PORTS; i++)
		for (unsigned p = 0; p < DCB_PRIORITIES; p++)
			offer(l, i, p, i + p);
	start = l->w.now;
	pass(l, 424);
	/* All priorities of all seven ports have frames. */
	assert_int_equal(l->stormed, 7 * 8);
	assert_in_range(dcb_time_diff_ns(l->first_storm, start), 400 * DCB_NS_PER_MS,
			425 * DCB_NS_PER_MS);
	pass(l, 20000);
	assert_int_equal(l->stormed, 7 * 8);
	assert_int_equal(l->ended, 0);
	for (unsigned i = FIRST; i < PORTS; i++) {
		for (unsigned p = 0; p < DCB_PRIORITIES; p++) {
			struct pfc_watchdog_stats stats = stats_of(l, i, p);

			assert_int_equal(stats.state, PFC_WATCHDOG_STORM);
			assert_int_equal(stats.storms, 1);
			assert_int_equal(stats.action, PFC_WATCHDOG_ALERT);
			assert_int_equal(stats.queue_frames, i + p);
			assert_int_equal(stats.queue_octets, (i + p) * LEN);
			assert_in_range(stats.indications_before, 198, 202);
			assert_in_range(stats.indications, 9990, 10020);
			assert_in_range(stats.paused_ns, 19900 * DCB_NS_PER_MS,
					20100 * DCB_NS_PER_MS);
			assert_int_equal(stats.dropped_total, 0);
		}
		assert_int_equal(left(l, i), 0);
	}
	memset(l->pausing, 0, sizeof(l->pausing));
	start = l->w.now;
	pass(l, 5000);
	assert_int_equal(l->ended, 7 * 8);
	assert_in_range(dcb_time_diff_ns(l->last_end, start), 2000 * DCB_NS_PER_MS,
			2034 * DCB_NS_PER_MS);
	for (unsigned i = FIRST; i < PORTS; i++)
		assert_int_equal(left(l, i), 8 * i + 28);
}

static void test_action_drop_discards_frames(void **state)
{
	struct lab *l = *state;

	configure(l, PFC_WATCHDOG_DROP);
	l->pausing[1] = 1 << 3;
	pass(l, 10);
	offer(l, 1, 3, 10);
	pass(l, 430);
	assert_int_equal(l->stormed, 1);
	assert_int_equal(stats_of(l, 1, 3).dropped_storm, 10);
	assert_int_equal(l->w.ports[1]->queues.filled, 0);
	assert_int_equal(l->w.ports[SOURCE]->buffers.lossless[3].held.octets,
			 0); /* buffers are free again */
	offer(l, 1, 3, 5);
	offer(l, 1, 4, 6); /* another port and priority */
	offer(l, 2, 3, 7);
	pass(l, 10);
	assert_int_equal(stats_of(l, 1, 3).dropped_storm, 15);
	assert_int_equal(left(l, 1), 6);
	assert_int_equal(left(l, 2), 7);
	pass(l, 10000);
	assert_int_equal(l->stormed, 1);
	assert_int_equal(l->ended, 0);
	l->pausing[1] = 0;
	pass(l, 2100);
	assert_int_equal(l->ended, 1);
	offer(l, 1, 3, 4);
	pass(l, 1);
	assert_int_equal(left(l, 1), 4);
	assert_int_equal(stats_of(l, 1, 3).dropped_total, 15);
}

static void test_action_forward_sends_frames(void **state)
{
	struct lab *l = *state;

	configure(l, PFC_WATCHDOG_FORWARD);
	l->pausing[1] = 1 << 3 | 1 << 5;
	pass(l, 10);
	offer(l, 1, 3, 10);
	pass(l, 395);
	assert_int_equal(left(l, 1), 0);
	pass(l, 35);
	assert_int_equal(left(l, 1), 10);
	for (unsigned i = 0; i < 100; i++) {
		offer(l, 1, 3, 1);
		pass(l, 50);
		assert_int_equal(left(l, 1), 1);
	}
	assert_int_equal(l->stormed, 1);
	assert_int_equal(l->ended, 0);
	/* The other priority is still paused and has a storm of its own. */
	offer(l, 1, 5, 1);
	pass(l, 380);
	assert_int_equal(left(l, 1), 0);
	pass(l, 50);
	assert_int_equal(left(l, 1), 1);
	assert_int_equal(l->stormed, 2);
	/* The action changes and is switched off: the storm ends, the pause does not. */
	configure(l, PFC_WATCHDOG_DROP);
	offer(l, 1, 3, 3);
	pass(l, 20);
	assert_int_equal(left(l, 1), 0);
	assert_int_equal(stats_of(l, 1, 3).dropped_storm, 3);
	configure(l, PFC_WATCHDOG_NONE);
	assert_int_equal(l->ended, 2);
	assert_int_equal(stats_of(l, 1, 3).end, PFC_STORM_SWITCHED_OFF);
	offer(l, 1, 3, 3);
	pass(l, 5000);
	assert_int_equal(left(l, 1), 0);
	assert_int_equal(l->stormed, 2);
	l->pausing[1] = 0;
	pass(l, 40);
	assert_int_equal(left(l, 1), 3);
}

/* Two priorities share a queue: dropping frames of one lets the other send. */
static void test_drop_frees_shared_queue(void **state)
{
	static const uint8_t classes[DCB_PRIORITIES] = {1, 0, 2, 3, 3, 5, 6, 7};
	struct lab *l = *state;

	l->w.ports[1]->base.settings.classified = true;
	memcpy(l->w.ports[1]->base.settings.traffic_class, classes, sizeof(classes));
	configure(l, PFC_WATCHDOG_DROP);
	l->pausing[1] = 1 << 3;
	pass(l, 10);
	for (unsigned i = 0; i < 5; i++) {
		offer(l, 1, 3, 1);
		offer(l, 1, 4, 2);
	}
	pass(l, 390);
	assert_int_equal(left(l, 1), 0);
	pass(l, 40);
	assert_int_equal(l->stormed, 1);
	assert_int_equal(stats_of(l, 1, 3).dropped_storm, 5);
	assert_int_equal(stats_of(l, 1, 4).dropped_total, 0);
	assert_int_equal(left(l, 1), 10);
	l->pausing[1] = 0;
	pass(l, 2100);
	assert_int_equal(l->ended, 1);
}

/* Sent control frames have a priority, but do not end the storm of that priority. */
static void test_control_frames_do_not_end_storm(void **state)
{
	struct lab *l = *state;

	l->pausing[1] = 1 << 3;
	pass(l, 10);
	offer(l, 1, 3, 1);
	for (unsigned i = 0; i < 43; i++) {
		struct dcb_frame *frame = frame_pool_get(&l->w.bridge.ports.pool);

		assert_non_null(frame);
		frame->len = world_frame(frame->data, UINT64_C(0x0180c200000e), 1, -1, 60);
		frame->priority = 3;
		frame->flags = PORT_FRAME_CONTROL;
		(void)port_set_enqueue(&l->w.bridge.ports, l->w.ports[1], frame, l->w.now);
		pass(l, 10);
	}
	assert_int_equal(left(l, 1), 0);
	assert_int_equal(l->stormed, 1);
}

static void test_link_down_ends_storm(void **state)
{
	struct lab *l = *state;
	struct soft_port *port = l->w.ports[1];
	struct pfc_watchdog_stats before;

	configure(l, PFC_WATCHDOG_FORWARD);
	l->pausing[1] = 0xff;
	for (unsigned i = 0; i < 20; i++) {
		pass(l, 10);
		offer(l, 1, 3, 4);
		pass(l, 380);
		port_set_port_down(&l->w.bridge.ports, port, l->w.now);
		pass(l, 100); /* PFC frames have no effect while the link is down */
		port_set_port_up(&l->w.bridge.ports, port, l->w.now);
	}
	assert_int_equal(l->stormed, 0);
	pass(l, 10);
	offer(l, 1, 3, 4);
	pass(l, 430);
	assert_int_equal(l->stormed, 1);
	before = stats_of(l, 1, 3);
	l->w.now = dcb_time_add_ns(l->w.now, 7 * DCB_NS_PER_MS); /* the host was late */
	port_set_port_down(&l->w.bridge.ports, port, l->w.now);
	assert_int_equal(l->ended, 1);
	assert_int_equal(stats_of(l, 1, 3).paused_ns, before.paused_ns + 7 * DCB_NS_PER_MS);
	assert_int_equal(stats_of(l, 1, 3).end, PFC_STORM_LINK_DOWN);
	assert_int_equal(stats_of(l, 1, 3).state, PFC_WATCHDOG_WATCHING);
	port_set_port_up(&l->w.bridge.ports, port, l->w.now);
}

/* Statistics of an ended storm stay while other priorities have storms. */
static void test_statistics_of_ended_storm_stay(void **state)
{
	struct lab *l = *state;
	struct pfc_watchdog_stats before, after;

	l->pausing[1] = 1 << 3;
	pass(l, 10);
	offer(l, 1, 3, 1);
	pass(l, 1000);
	assert_int_equal(l->stormed, 1);
	l->pausing[1] = 0;
	pass(l, 2100);
	assert_int_equal(l->ended, 1);
	before = stats_of(l, 1, 3);
	assert_in_range(before.indications, 280, 301);
	l->pausing[1] = 1 << 3 | 1 << 5;
	pass(l, 10);
	offer(l, 1, 5, 1);
	pass(l, 1000);
	assert_int_equal(l->stormed, 2);
	l->pausing[1] = 0;
	pass(l, 2100);
	assert_int_equal(l->ended, 2);
	after = stats_of(l, 1, 3);
	assert_memory_equal(&before, &after, sizeof(before));
	assert_int_equal(stats_of(l, 1, 5).storms, 1);
	assert_int_equal(stats_of(l, 1, 5).ended, 1);
	assert_int_equal(stats_of(l, 1, 5).end, before.end);
}

/* Random pauses interrupted for some ms, with frames all the time, are no storm. */
static void test_normal_flow_control_is_no_storm(void **state)
{
	struct lab *l = *state;
	struct dcb_rng rng;

	dcb_rng_seed(&rng, unit_seed(), 1);
	configure(l, PFC_WATCHDOG_DROP);
	for (unsigned i = 0; i < 300; i++) {
		l->pausing[1] = 0xff;
		offer(l, 1, (unsigned)(dcb_rng_next(&rng) % 8), 3);
		pass(l, (int64_t)(dcb_rng_next(&rng) % 360));
		l->pausing[1] = 0;
		pass(l, 34 + (int64_t)(dcb_rng_next(&rng) % 5));
	}
	assert_int_equal(l->stormed, 0);
	assert_int_equal(left(l, 1), 900);
}

/* Pauses of 30 ms with gaps of 2 ms, in which a slow port sends a part of its frames. */
static void test_finds_storm_by_duty_cycle(void **state)
{
	struct lab *l = *state;
	struct dcb_time start = l->w.now;

	l->duty_percent = 90;
	l->window_ms = 2000;
	configure(l, PFC_WATCHDOG_ALERT);
	for (unsigned ms = 0; ms < 2000 * 9 / 8; ms += 32) {
		offer(l, 1, 3, 2);
		pause(l, 1, 1 << 3, 58594);
		pass(l, 32);
		assert_int_equal(left(l, 1), 2); /* in the gap: frames are not stuck */
	}
	assert_int_equal(l->stormed, 1);
	assert_in_range(dcb_time_diff_ns(l->first_storm, start), 1800 * DCB_NS_PER_MS,
			2250 * DCB_NS_PER_MS);
	assert_int_equal(stats_of(l, 1, 3).cause, PFC_STORM_DUTY_CYCLE);
	pass(l, 2100);
	assert_int_equal(l->ended, 1);
	/* 84 % of the time: none; the port leaves the list when the window is over. */
	for (unsigned ms = 0; ms < 10000; ms += 36) {
		offer(l, 1, 3, 2);
		pause(l, 1, 1 << 3, 58594);
		pass(l, 36);
	}
	assert_int_equal(l->stormed, 1);
	pass(l, 2300);
	assert_null(l->w.bridge.ports.pfc.paused.lh_first);
}

/* Only priorities with PFC in force are watched; without PFC a storm is over. */
static void test_watches_priorities_with_pfc(void **state)
{
	struct lab *l = *state;

	for (unsigned p = 0; p < DCB_PRIORITIES; p++)
		assert_int_equal(stats_of(l, 1, p).state, PFC_WATCHDOG_WATCHING);
	l->pausing[1] = 0xff;
	pass(l, 10);
	offer(l, 1, 3, 1);
	offer(l, 1, 4, 1);
	pass(l, 430);
	assert_int_equal(l->stormed, 2);
	l->pfc = 1 << 4;
	configure(l, PFC_WATCHDOG_ALERT);
	assert_int_equal(l->ended, 1);
	assert_int_equal(stats_of(l, 1, 3).end, PFC_STORM_SWITCHED_OFF);
	for (unsigned p = 0; p < DCB_PRIORITIES; p++)
		assert_int_equal(stats_of(l, 1, p).state,
				 p == 4 ? PFC_WATCHDOG_STORM : PFC_WATCHDOG_OFF);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    TEST(test_detects_storms_of_all_priorities), TEST(test_action_drop_discards_frames),
	    TEST(test_action_forward_sends_frames),      TEST(test_drop_frees_shared_queue),
	    TEST(test_control_frames_do_not_end_storm),  TEST(test_link_down_ends_storm),
	    TEST(test_statistics_of_ended_storm_stay),   TEST(test_finds_storm_by_duty_cycle),
	    TEST(test_watches_priorities_with_pfc),      TEST(test_normal_flow_control_is_no_storm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
