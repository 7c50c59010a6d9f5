/* SPDX-License-Identifier: BSD-3-Clause */
/* An RBridge allocates memory in rbridge_init() only, and says so if there is none. */
#include "tests/unit/rbridge_world.h"
#include "tests/unit/unit.h"

static unsigned allocations, fail_at; /* fail_at: the allocation that fails; 0: none */

/* The linker option --wrap replaces the functions by these. */
void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t size);

void *__wrap_malloc(size_t size)
{
	return ++allocations == fail_at ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size)
{
	return ++allocations == fail_at ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t size)
{
	return ++allocations == fail_at ? NULL : __real_realloc(p, size);
}

static void test_init_fails_without_memory(void **state)
{
	static const struct bridge_params params = {
	    .frame_buffers = 16, .frame_octets = 2048, .fdb_entries = 16, .seed = 1};
	static struct rbridge rb;
	unsigned all;

	(void)state;
	allocations = 0;
	assert_true(rbridge_init(&rb, &params, NULL, NULL));
	rbridge_destroy(&rb);
	all = allocations;
	assert_true(all >= 7); /* counters, five tables, database, frames may be mapped */
	for (unsigned i = 1; i <= all; i++) {
		allocations = 0;
		fail_at = i;
		assert_false(rbridge_init(&rb, &params, NULL, NULL));
	}
	fail_at = 0;
}

static void test_no_allocation_for_frames_or_configurations(void **state)
{
	static struct rbridge_world w;
	static struct world_frame out;
	static uint8_t f[WORLD_OCTETS];
	struct trill_text text = {
	    .da = rbridge_world_mac(1, 2),
	    .sa = RBW_M2,
	    .tci = 20,
	    .header = 10,
	    .ingress = 2,
	    .inner_da = UINT64_C(0x020000000001),
	    .inner_tci = 5,
	    .flow_id = -1,
	};

	(void)state;
	rbridge_world_campus(&w);
	allocations = 0;
	for (unsigned i = 0; i < 1000; i++) {
		text.egress = (uint16_t)(1 + i % 4);
		text.inner_sa = UINT64_C(0x020000000100) + i;
		(void)rbridge_world_forward(&w, 2, f, rbridge_world_trill(f, &text), &out);
		(void)rbridge_world_forward(
		    &w, 0, f, world_frame(f, text.inner_sa, text.inner_da, 5, 100), &out);
	}
	rbridge_tick(&w.rb, w.now);
	assert_int_equal(allocations, 0);
	for (uint16_t i = 0; i < 100; i++)
		rbridge_world_egress(&w, 5, UINT64_C(0x020000001000) + i, (uint16_t)(100 + i));
	allocations = 0;
	rbridge_world_configure(&w);
	/* Those of the test, for settings, configuration and its egress entries. */
	assert_int_equal(allocations, 3);
	rbridge_world_free(&w);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_init_fails_without_memory),
	    cmocka_unit_test(test_no_allocation_for_frames_or_configurations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
