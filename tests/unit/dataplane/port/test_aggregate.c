/* SPDX-License-Identifier: BSD-3-Clause */
/* Link aggregation: ports 1, 2 and 3 are links of one bridge port, 0 and 4 are not aggregated. */
#include "dataplane/port/aggregate.h"
#include "tests/unit/unit.h"
#include "tests/unit/world.h"

#include <string.h>

#define N_PORTS 5
#define LINKS   0xeu /* ports 1, 2, 3 */
#define FLOWS   400u
#define HOST(n) (UINT64_C(0x020000010000) + (n))
#define FAR     UINT64_C(0x020000000099)
#define NEAR    UINT64_C(0x020000000001)

static uint8_t f[200];
static struct world_frame out;

static void aggregate(struct world *w, unsigned ports)
{
	world_configure(w, 0, 0);
	for (unsigned i = 0; i < N_PORTS; i++)
		strcpy(w->ports[i]->base.settings.aggregate, ports >> i & 1 ? "trunk" : "");
	world_configure(w, N_PORTS, 0);
}

static int set_up(void **state)
{
	struct world *w = malloc(sizeof(*w));

	assert_non_null(w);
	world_init(w, N_PORTS, NULL);
	aggregate(w, LINKS);
	*state = w;
	return 0;
}

/* Returns the ports that sent the frame, one bit each. */
static unsigned forward(struct world *w, unsigned port, uint64_t da, uint64_t sa)
{
	return world_forward(w, port, f, world_frame(f, da, sa, -1, 100), &out);
}

static bool is_one_link(unsigned left)
{
	return left == 1 << 1 || left == 1 << 2 || left == 1 << 3;
}

static void learn_far(struct world *w, unsigned port)
{
	forward(w, port, NEAR, FAR);
}

/* A frame to an unknown address leaves by one link of a bridge port. */
static void test_unknown_address_leaves_by_one_link(void **state)
{
	struct world *w = *state;

	for (unsigned i = 0; i < FLOWS; i++) {
		unsigned left = forward(w, 0, HOST(i), NEAR);

		assert_true(left & 1 << 4);
		assert_true(is_one_link(left & ~(1u << 4)));
	}
}

/* A frame received on a link does not leave by other links of the bridge port. */
static void test_frame_does_not_leave_by_its_aggregation(void **state)
{
	struct world *w = *state;

	for (unsigned in = 1; in <= 3; in++) {
		assert_int_equal(forward(w, in, HOST(in), FAR), 1 << 0 | 1 << 4);
		learn_far(w, 1 + in % 3);
		assert_int_equal(forward(w, in, FAR, HOST(7)), 0);
	}
}

/* A flow keeps its link, whichever link FAR was learned on. Flows spread evenly over links. */
static void test_flow_keeps_its_link(void **state)
{
	struct world *w = *state;
	unsigned flows[N_PORTS] = {0};

	for (unsigned i = 0; i < FLOWS; i++) {
		unsigned link;

		learn_far(w, 1);
		link = forward(w, 0, FAR, HOST(i));
		assert_true(is_one_link(link));
		for (unsigned again = 1; again <= 3; again++) {
			learn_far(w, again);
			assert_int_equal(forward(w, 0, FAR, HOST(i)), link);
		}
		for (unsigned n = 1; n <= 3; n++)
			flows[n] += link >> n & 1;
	}
	for (unsigned n = 1; n <= 3; n++)
		assert_in_range(flows[n], FLOWS / 4, FLOWS * 5 / 12);
}

/* When a link goes down only its flows move, and they return when it is up. */
static void test_link_down_moves_only_its_flows(void **state)
{
	struct world *w = *state;
	unsigned before[FLOWS], moved = 0;

	learn_far(w, 1);
	for (unsigned i = 0; i < FLOWS; i++)
		before[i] = forward(w, 0, FAR, HOST(i));
	port_set_port_down(&w->bridge.ports, w->ports[2], w->now);
	for (unsigned i = 0; i < FLOWS; i++) {
		unsigned now = forward(w, 0, FAR, HOST(i));

		assert_true(is_one_link(now) && now != 1 << 2);
		assert_true(before[i] == 1 << 2 || before[i] == now);
		moved += before[i] != now;
	}
	assert_true(moved > 0);
	port_set_port_up(&w->bridge.ports, w->ports[2], w->now);
	for (unsigned i = 0; i < FLOWS; i++)
		assert_int_equal(forward(w, 0, FAR, HOST(i)), before[i]);
	for (unsigned n = 1; n <= 3; n++)
		port_set_port_down(&w->bridge.ports, w->ports[n], w->now);
	assert_int_equal(forward(w, 0, FAR, HOST(0)),
			 1 << 4); /* FAR is no longer learned: flooded */
}

/* 36.7: a pause stops the priority on its link only. */
static void test_pause_stops_one_link(void **state)
{
	struct world *w = *state;
	unsigned waiting = 0;

	learn_far(w, 1);
	port_pause(w->ports[2], 1 << 0, w->now);
	for (unsigned i = 0; i < FLOWS; i++) {
		unsigned left = forward(w, 0, FAR, HOST(i));

		assert_true(left == 1 << 1 || left == 1 << 3 || left == 0);
		waiting += left == 0;
	}
	assert_in_range(waiting, FLOWS / 4, FLOWS * 5 / 12);
	assert_int_equal(w->ports[2]->queues.queue[0].frames, waiting);
	port_pause(w->ports[2], 0, w->now);
	world_turn(w);
	for (unsigned i = 0; i < waiting; i++)
		assert_true(world_recv(w, 2, &out));
}

/* Links are added and removed by configurations, in any order. */
static void test_configuration_changes_links(void **state)
{
	struct world *w = *state;

	world_configure(w, 3, 0); /* without ports 3 and 4 */
	assert_null(w->ports[3]->ring_next);
	assert_true(aggregate_is_same(w->ports[1], w->ports[2]));
	assert_false(aggregate_is_same(w->ports[1], w->ports[3]));
	assert_false(aggregate_is_same(w->ports[0], w->ports[1]));
	learn_far(w, 1);
	for (unsigned i = 0; i < FLOWS; i++)
		assert_false(forward(w, 0, FAR, HOST(i)) & ~(1u << 1 | 1u << 2));
	world_configure(w, 2, 0); /* one link is left */
	assert_ptr_equal(w->ports[1]->ring_next, w->ports[1]);
	assert_int_equal(forward(w, 0, FAR, NEAR), 1 << 1);
	world_configure(w, N_PORTS, 0);
	assert_true(aggregate_is_same(w->ports[3], w->ports[2]));
	assert_true(aggregate_is_same(w->ports[1], w->ports[3]));
	aggregate(w, 0);
	for (unsigned i = 0; i < N_PORTS; i++)
		assert_null(w->ports[i]->ring_next);
	assert_int_equal(forward(w, 0, HOST(1), NEAR), 0x1e);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(test_unknown_address_leaves_by_one_link, set_up,
					    world_tear_down),
	    cmocka_unit_test_setup_teardown(test_frame_does_not_leave_by_its_aggregation, set_up,
					    world_tear_down),
	    cmocka_unit_test_setup_teardown(test_flow_keeps_its_link, set_up, world_tear_down),
	    cmocka_unit_test_setup_teardown(test_link_down_moves_only_its_flows, set_up,
					    world_tear_down),
	    cmocka_unit_test_setup_teardown(test_pause_stops_one_link, set_up, world_tear_down),
	    cmocka_unit_test_setup_teardown(test_configuration_changes_links, set_up,
					    world_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
