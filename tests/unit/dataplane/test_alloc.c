/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * No memory is allocated after the start: counts calls of malloc(), calloc() and
 * realloc() while bridge and ports forward frames.
 */
#include "tests/unit/unit.h"
#include "tests/unit/world.h"

#include "lib/rng.h"

static unsigned allocations;

/* The linker option --wrap replaces the functions by these. */
void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t size);

void *__wrap_malloc(size_t size)
{
	allocations++;
	return __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size)
{
	allocations++;
	return __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t size)
{
	allocations++;
	return __real_realloc(p, size);
}

/* Makes an LLDPDU of a frame. */
static void put_lldpdu(uint8_t *f)
{
	static const uint8_t da[] = {0x01, 0x80, 0xc2, 0x00, 0x00, 0x0e};
	static const uint8_t head[] = {0x88, 0xcc, 0x02, 0x02, 0x07, 'c',  0x04,
				       0x02, 0x05, 'p',  0x06, 0x02, 0x00, 0x78};

	memcpy(f, da, sizeof(da));
	memcpy(f + 12, head, sizeof(head));
}

static bool on_lldp(void *ctx, struct soft_port *port, const struct lldpdu *pdu,
		    struct dcb_time now)
{
	(void)ctx;
	(void)port;
	(void)pdu;
	(void)now;
	return true;
}

static void forward_random_frame(struct world *w, struct dcb_rng *rng)
{
	static uint8_t f[WORLD_OCTETS];
	static struct world_frame out;
	uint64_t group = dcb_rng_uniform(rng, 0, 9) ? 0x02 : 0x01;
	uint64_t da = group << 40 | dcb_rng_uniform(rng, 0, 2000);
	uint64_t sa = UINT64_C(0x02) << 40 | dcb_rng_uniform(rng, 0, 2000);
	int tci = dcb_rng_uniform(rng, 0, 3) ? (int)dcb_rng_uniform(rng, 0, 0xffff) : -1;
	uint32_t len = dcb_rng_uniform(rng, 60, 1514);

	len = world_frame(f, da, sa, tci, len);
	if (dcb_rng_uniform(rng, 0, 9) == 0)
		put_lldpdu(f);
	world_send(w, dcb_rng_uniform(rng, 0, 3), f, len);
	w->now.ns += 10000;
	world_turn(w);
	for (unsigned i = 0; i < 4; i++) {
		while (world_recv(w, i, &out))
			;
	}
}

static void test_no_allocation_per_frame(void **state)
{
	static const struct port_set_ops ops = {.lldp = on_lldp};
	struct port_stats stats;
	struct dcb_rng rng;
	struct world w;

	(void)state;
	dcb_rng_seed(&rng, unit_seed(), 1);
	world_init(&w, 4, NULL);
	w.bridge.ports.ops = &ops;
	w.ports[3]->base.settings.rate = dcb_rate_from_mbps(100);
	w.ports[3]->base.settings.buffer_octets = 100000;
	world_configure(&w, 3, 0xff);
	world_configure(&w, 4, 0xff);
	assert_true(allocations > 0); /* the counter works */
	allocations = 0;
	for (int i = 0; i < 50000; i++)
		forward_random_frame(&w, &rng);
	bridge_tick(&w.bridge, w.now);
	assert_int_equal(allocations, 0);
	/* Frames were sent and discarded, and the table of addresses was full. */
	port_read(w.ports[3], &stats);
	assert_true(stats.tx_frames > 5000);
	assert_true(stats.discard_queue > 0);
	assert_true(stats.lldp_nearest > stats.lldp_ignored);
	assert_true(w.bridge.fdb.learn_failures > 0);
	world_free(&w);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_no_allocation_per_frame)};

	return cmocka_run_group_tests_name("alloc", tests, NULL, NULL);
}
