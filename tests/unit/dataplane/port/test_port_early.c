/* SPDX-License-Identifier: BSD-3-Clause */
/* The congestion point of 2007 in a port: pages of frames enter and leave with the frames. */
#include "tests/unit/unit.h"
#include "tests/unit/world.h"

#define A    UINT64_C(0x020000000001)
#define B    UINT64_C(0x020000000002)
#define CNPV 3
#define SLOW 1
#define PAGE 256

static uint8_t f[WORLD_OCTETS];
static struct world_frame out;

static int set_up(void **state)
{
	struct world *w = malloc(sizeof(*w));

	assert_non_null(w);
	world_init(w, 2, NULL);
	w->ports[SLOW]->base.settings.early = true;
	w->ports[SLOW]->base.settings.rate = dcb_rate_from_mbps(1);
	w->ports[SLOW]->base.settings.cp_early =
	    (struct cp_early_config){.page_octets = PAGE, .pages_of_frames = true};
	*state = w;
	return 0;
}

static int tear_down(void **state)
{
	struct world *w = *state;

	world_free(w);
	free(w);
	return 0;
}

/* Puts a frame of this length into the queue of SLOW. Returns its pages. */
static uint32_t queue_frame(struct world *w, uint32_t len)
{
	world_send(w, 0, f, world_frame(f, B, A, CNPV << 13 | 1, len));
	world_turn(w);
	return (len + PAGE - 1) / PAGE;
}

/* Sends a frame: at 1 Mb/s the next ones stay in the queue until send_all(). */
static void occupy(struct world *w)
{
	queue_frame(w, 1500);
	assert_true(world_recv(w, SLOW, &out));
}

static const struct cp *cp_of(const struct world *w)
{
	return &w->ports[SLOW]->cn.cp[CNPV];
}

static void send_all(struct world *w)
{
	while (!dcb_queue_is_empty(&w->ports[SLOW]->queues.queue[CNPV])) {
		w->now = dcb_time_add_ns(w->now, 20 * DCB_NS_PER_MS);
		world_turn(w);
	}
	while (world_recv(w, SLOW, &out))
		;
}

static void test_pages_enter_and_leave(void **state)
{
	struct world *w = *state;
	uint32_t pages = 0;

	world_configure(w, 2, 1 << CNPV);
	occupy(w);
	for (uint32_t len = 64; len <= 1500; len += 359)
		pages += queue_frame(w, len);
	assert_int_equal(pages, 1 + 2 + 4 + 5 + 6);
	assert_int_equal(cp_of(w)->pages, pages);
	send_all(w);
	assert_int_equal(cp_of(w)->pages, 0);
	assert_int_equal(cp_of(w)->cp_qlen, 0);
}

/* Frames that are queued when the priority becomes a CNPV. */
static void test_pages_of_queued_frames_are_counted(void **state)
{
	struct world *w = *state;
	uint32_t pages;

	world_configure(w, 2, 0);
	occupy(w);
	pages = queue_frame(w, 64) + queue_frame(w, 300);
	world_configure(w, 2, 1 << CNPV);
	assert_int_equal(cp_of(w)->pages, pages);
	assert_int_equal(cp_of(w)->pages_old, pages);
	pages += queue_frame(w, 64);
	assert_int_equal(cp_of(w)->pages, pages);
	send_all(w);
	assert_int_equal(cp_of(w)->pages, 0);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(test_pages_enter_and_leave, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_pages_of_queued_frames_are_counted, set_up,
					    tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
