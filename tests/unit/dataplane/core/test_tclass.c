/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/core/tclass.h"
#include "tests/unit/unit.h"

static void assert_octets(const uint8_t *got, const uint8_t *expected)
{
	for (unsigned i = 0; i < DCB_PRIORITIES; i++)
		assert_int_equal(got[i], expected[i]);
}

/* 802.1Q table 8-5: priority 0 is above priority 1. */
static void test_recommended_classes(void **state)
{
	struct tclass_map map;

	(void)state;
	tclass_map(&map, tclass_recommended, 0);
	assert_octets(map.queue, (uint8_t[]){0, 1, 2, 3, 4, 5, 6, 7});
	assert_octets(map.members, (uint8_t[]){1, 2, 4, 8, 16, 32, 64, 128});
	assert_octets(map.order, (uint8_t[]){7, 6, 5, 4, 3, 2, 0, 1});
}

static void test_priorities_of_a_class_share_a_queue(void **state)
{
	static const uint8_t classes[] = {0, 0, 0, 1, 1, 2, 3, 0};
	struct tclass_map map;

	(void)state;
	tclass_map(&map, classes, 0);
	assert_octets(map.queue, (uint8_t[]){0, 0, 0, 3, 3, 5, 6, 0});
	assert_octets(map.members, (uint8_t[]){0x87, 0, 0, 0x18, 0, 0x20, 0x40, 0});
	assert_octets(map.order, (uint8_t[]){6, 5, 4, 3, 7, 2, 0, 1});
}

/* A CNPV has a queue of its own; the other priorities of its class share one. */
static void test_cnpv_has_a_queue_of_its_own(void **state)
{
	static const uint8_t classes[] = {0, 0, 0, 1, 1, 2, 3, 0};
	struct tclass_map map;

	(void)state;
	tclass_map(&map, classes, 1 << 0 | 1 << 4);
	assert_octets(map.queue, (uint8_t[]){0, 1, 1, 3, 4, 5, 6, 1});
	assert_octets(map.members, (uint8_t[]){1, 0x86, 0, 8, 0x10, 0x20, 0x40, 0});
	tclass_map(&map, classes, 0xff);
	assert_octets(map.queue, (uint8_t[]){0, 1, 2, 3, 4, 5, 6, 7});
}

/* Every queue is in the order once, for all classes. */
static void test_every_queue_is_in_the_order_once(void **state)
{
	struct tclass_map map;

	(void)state;
	for (unsigned all = 0; all < 1 << 16; all += 37) {
		uint8_t classes[DCB_PRIORITIES], seen = 0, members = 0;

		for (unsigned i = 0; i < DCB_PRIORITIES; i++)
			classes[i] = all >> 2 * i & 3;
		tclass_map(&map, classes, (uint8_t)(all >> 5));
		for (unsigned i = 0; i < DCB_PRIORITIES; i++) {
			seen |= (uint8_t)(1 << map.order[i]);
			members |= map.members[i];
			assert_int_equal(map.members[map.queue[i]] >> i & 1, 1);
			assert_int_equal(classes[map.queue[i]], classes[i]);
			if (i)
				assert_true(classes[map.order[i]] <= classes[map.order[i - 1]]);
		}
		assert_int_equal(seen, 0xff);
		assert_int_equal(members, 0xff);
	}
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_recommended_classes),
	    cmocka_unit_test(test_priorities_of_a_class_share_a_queue),
	    cmocka_unit_test(test_cnpv_has_a_queue_of_its_own),
	    cmocka_unit_test(test_every_queue_is_in_the_order_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
