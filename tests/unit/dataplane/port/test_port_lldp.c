/* SPDX-License-Identifier: BSD-3-Clause */
/* LLDPDUs that a bridge's port hands to its host: which, how many, and the counters. */
#include "dataplane/port/port_lldp.h"
#include "lib/octets.h"
#include "tests/unit/unit.h"
#include "tests/unit/world.h"

#include <string.h>

static const uint8_t lldpdu[] = {0x02, 0x07, 0x04, 0x02, 0,    0,    0,    1, 7, 0x04,
				 0x02, 0x05, 'p',  0x06, 0x02, 0x00, 0x78, 0, 0};

struct lab {
	struct world w;
	unsigned n; /* LLDPDUs handed over */
	bool full;  /* the host has no room */
	struct soft_port *port;
	struct lldpdu pdu;
	struct dcb_time at;
};

static bool on_lldp(void *ctx, struct soft_port *port, const struct lldpdu *pdu,
		    struct dcb_time now)
{
	struct lab *l = ctx;

	l->port = port;
	l->pdu = *pdu;
	l->at = now;
	l->n += !l->full;
	return !l->full;
}

static int set_up(void **state)
{
	static const struct port_set_ops ops = {.lldp = on_lldp};
	struct lab *l = calloc(1, sizeof(*l));

	assert_non_null(l);
	world_init(&l->w, 2, NULL);
	l->w.bridge.ports.ops = &ops;
	l->w.bridge.ports.ctx = l;
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

/* Sends an LLDPDU to the port. Returns the ports that forwarded it, one bit each. */
static unsigned receive(struct lab *l, uint64_t da, uint16_t type, size_t len)
{
	struct world_frame out;
	uint8_t frame[60];

	world_frame(frame, da, UINT64_C(0x020000000007), -1, sizeof(frame));
	put_be16(frame + 12, type);
	memcpy(frame + 14, lldpdu, sizeof(lldpdu));
	return world_forward(&l->w, 1, frame, (uint32_t)len, &out);
}

static void assert_counters(const struct lab *l, uint64_t nearest, uint64_t elsewhere,
			    uint64_t ignored)
{
	struct port_stats stats;

	port_read(l->w.ports[1], &stats);
	assert_int_equal(stats.lldp_nearest, nearest);
	assert_int_equal(stats.lldp_elsewhere, elsewhere);
	assert_int_equal(stats.lldp_ignored, ignored);
}

#define NEAREST  UINT64_C(0x0180c200000e)
#define CUSTOMER UINT64_C(0x0180c2000000)

static void test_lldpdus_are_handed_over(void **state)
{
	struct lab *l = *state;

	assert_int_equal(receive(l, NEAREST, ETH_TYPE_LLDP, 60), 0);
	assert_int_equal(l->n, 1);
	assert_ptr_equal(l->port, l->w.ports[1]);
	assert_int_equal(l->at.ns, l->w.now.ns);
	assert_true(l->pdu.nearest);
	assert_int_equal(l->pdu.source[5], 7);
	assert_int_equal(l->pdu.ttl, 120);
	assert_counters(l, 1, 0, 0);
	assert_int_equal(receive(l, CUSTOMER, ETH_TYPE_LLDP, 60), 0);
	assert_int_equal(l->n, 2);
	assert_false(l->pdu.nearest);
	assert_counters(l, 1, 1, 0);
}

static void test_other_frames_are_not(void **state)
{
	struct lab *l = *state;

	assert_int_equal(receive(l, NEAREST, 0x88b5, 60), 0);
	assert_counters(l, 0, 0, 0);
	assert_int_equal(receive(l, NEAREST, ETH_TYPE_LLDP, 14 + 16), 0); /* cut */
	assert_counters(l, 0, 0, 1);
	/* Other addresses: the bridge forwards the frame. */
	assert_int_equal(receive(l, UINT64_C(0x0180c2000010), ETH_TYPE_LLDP, 60), 0x1);
	assert_int_equal(receive(l, UINT64_C(0x020000000009), ETH_TYPE_LLDP, 60), 0x1);
	assert_counters(l, 0, 0, 3);
	assert_int_equal(l->n, 0);
}

/* All are counted, but a flood neither fills the host's ring nor keeps the control thread busy. */
static void test_flood_is_limited(void **state)
{
	struct lab *l = *state;

	for (unsigned i = 0; i < 1000; i++)
		receive(l, NEAREST, ETH_TYPE_LLDP, 60);
	assert_int_equal(l->n, PORT_LLDP_BURST);
	assert_counters(l, 1000, 0, 1000 - PORT_LLDP_BURST);
	for (unsigned i = 0; i < 1000; i++) {
		l->w.now = dcb_time_add_ns(l->w.now, DCB_NS_PER_MS);
		receive(l, NEAREST, ETH_TYPE_LLDP, 60);
	}
	assert_in_range(l->n, PORT_LLDP_BURST + 99, PORT_LLDP_BURST + 101);
	/* After an idle time the burst is allowed again, and no more. */
	l->w.now = dcb_time_add_ns(l->w.now, 1000 * DCB_NS_PER_S);
	l->n = 0;
	for (unsigned i = 0; i < 1000; i++)
		receive(l, NEAREST, ETH_TYPE_LLDP, 60);
	assert_int_equal(l->n, PORT_LLDP_BURST);
}

static void test_host_without_room(void **state)
{
	struct lab *l = *state;

	l->full = true;
	receive(l, NEAREST, ETH_TYPE_LLDP, 60);
	assert_counters(l, 1, 0, 1);
	l->full = false;
	receive(l, NEAREST, ETH_TYPE_LLDP, 60);
	assert_int_equal(l->n, 1);
	assert_counters(l, 2, 0, 1);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(test_lldpdus_are_handed_over, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_other_frames_are_not, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_flood_is_limited, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_host_without_room, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
