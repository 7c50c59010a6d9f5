/* SPDX-License-Identifier: BSD-3-Clause */
/* The event heap, beside a search of all entries: heaps of all small sizes, random times. */
#include "tests/unit/unit.h"

#include "lib/rng.h"
#include "sim/net/heap.h"

#include <stdint.h>

#define SIZES 90 /* heaps of 1..SIZES entries */
#define STEPS 400

static int64_t times[SIZES]; /* of the ids; OUT: left out */
#define OUT (-1)

/* Returns the id of the earliest entry, the lowest one at equal times. */
static uint32_t earliest(uint32_t n)
{
	uint32_t first = UINT32_MAX;

	for (uint32_t id = 0; id < n; id++) {
		if (times[id] != OUT && (first == UINT32_MAX || times[id] < times[first]))
			first = id;
	}
	return first;
}

static void check(const struct heap *h, uint32_t n)
{
	uint32_t id = earliest(n);

	assert_int_equal(heap_id(h), id);
	assert_int_equal(heap_time(h).ns, times[id]);
}

static void set(struct heap *h, uint32_t id, int64_t ns)
{
	times[id] = ns;
	heap_set(h, id, (struct dcb_time){ns});
}

/* Few different times, so that many are equal; one in eight is never. */
static int64_t random_ns(struct dcb_rng *rng)
{
	return dcb_rng_uniform(rng, 0, 7) ? dcb_rng_uniform(rng, 0, 40) : HEAP_NEVER_NS;
}

static void begin(struct heap *h, uint32_t n)
{
	assert_true(heap_init(h, n));
	for (uint32_t id = 0; id < n; id++)
		times[id] = HEAP_NEVER_NS;
	check(h, n);
}

static void test_earliest_is_that_of_a_search(void **state)
{
	struct dcb_rng rng;
	struct heap h;

	(void)state;
	for (uint32_t n = 1; n <= SIZES; n++) {
		dcb_rng_seed(&rng, 1, n);
		begin(&h, n);
		for (unsigned i = 0; i < STEPS; i++) {
			set(&h, dcb_rng_uniform(&rng, 0, n - 1), random_ns(&rng));
			check(&h, n);
		}
		heap_destroy(&h);
	}
}

/* Half of the ids, in any order, as those of another part of a network. */
static void test_ids_that_are_left_out_do_not_come_back(void **state)
{
	struct dcb_rng rng;
	struct heap h;

	(void)state;
	for (uint32_t n = 2; n <= SIZES; n++) {
		dcb_rng_seed(&rng, 2, n);
		begin(&h, n);
		for (uint32_t left = 0; left < n / 2;) {
			uint32_t id = dcb_rng_uniform(&rng, 0, n - 1);

			if (times[id] == OUT)
				continue;
			for (uint32_t k = 0; k < n; k++) {
				if (times[k] != OUT)
					set(&h, k, k == id ? HEAP_NEVER_NS : random_ns(&rng));
			}
			heap_leave_out(&h, id);
			times[id] = OUT;
			left++;
			check(&h, n);
		}
		for (unsigned i = 0; i < STEPS; i++) {
			uint32_t id = dcb_rng_uniform(&rng, 0, n - 1);

			if (times[id] != OUT)
				set(&h, id, random_ns(&rng));
			check(&h, n);
		}
		heap_destroy(&h);
	}
}

/* Children begin at a multiple of their size: none of the four is in another cache line. */
static void test_children_are_in_one_cache_line(void **state)
{
	struct heap h;

	(void)state;
	begin(&h, SIZES);
	assert_int_equal((uintptr_t)(h.keys + 1) % (4 * sizeof(*h.keys)), 0);
	heap_destroy(&h);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_earliest_is_that_of_a_search),
	    cmocka_unit_test(test_ids_that_are_left_out_do_not_come_back),
	    cmocka_unit_test(test_children_are_in_one_cache_line),
	};

	return cmocka_run_group_tests_name("heap", tests, NULL, NULL);
}
