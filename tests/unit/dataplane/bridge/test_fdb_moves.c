/* SPDX-License-Identifier: BSD-3-Clause */
/* Addresses that move from port to port, and the removal of those of a VLAN. */
#include "dataplane/bridge/fdb.h"
#include "dataplane/config/bridge_config.h"
#include "tests/unit/unit.h"

#include <string.h>

#define AGEING_S 300

static const uint8_t *mac_of(uint32_t n)
{
	static uint8_t mac[6];

	mac[0] = 2;
	memcpy(mac + 2, &n, sizeof(n));
	return mac;
}

static struct learning_stats stats_of(const struct fdb *fdb, uint16_t slot)
{
	struct learning_stats stats;

	fdb_read_port(fdb, slot, &stats);
	return stats;
}

static uint8_t moves_of(const struct fdb *fdb)
{
	struct fdb_entry of[FDB_READ_BUCKETS];

	for (uint32_t i = 0; i <= fdb->mask; i += FDB_READ_BUCKETS)
		if (fdb_read_part(fdb, i, 0, of) > 0)
			return of[0].moves;
	return 0;
}

static void test_moves_are_counted(void **state)
{
	struct fdb fdb;

	(void)state;
	assert_true(fdb_init(&fdb, 100, AGEING_S, 1));
	for (uint32_t i = 0; i < 300; i++)
		fdb_learn(&fdb, 1, mac_of(1), i / 3 % 2 ? 9 : 7, i);
	assert_int_equal(stats_of(&fdb, 7).moves, 49);
	assert_int_equal(stats_of(&fdb, 9).moves, 50);
	assert_int_equal(moves_of(&fdb), 99);
	assert_int_equal(stats_of(&fdb, 7).flaps + stats_of(&fdb, 9).flaps, 0);
	for (uint32_t i = 300; i < 600; i++)
		fdb_learn(&fdb, 1, mac_of(1), i % 2 ? 9 : 7, i);
	assert_int_equal(moves_of(&fdb), FDB_MOVES_COUNTED);
	fdb_destroy(&fdb);
}

/* More than ten moves in a second, once for each second, at the port of the lower slot. */
static void test_address_that_moves_often_is_a_flap(void **state)
{
	uint8_t own[6];
	struct fdb fdb;

	(void)state;
	assert_true(fdb_init(&fdb, 100, AGEING_S, 1));
	memcpy(own, mac_of(1), sizeof(own));
	for (uint32_t i = 0; i <= FDB_MOVES_MAX; i++)
		fdb_learn(&fdb, 5, own, i % 2 ? 9 : 7, 1);
	assert_int_equal(stats_of(&fdb, 7).flaps, 0);
	fdb_learn(&fdb, 5, own, FDB_MOVES_MAX % 2 ? 7 : 9, 1);
	assert_int_equal(stats_of(&fdb, 7).flaps, 1);
	assert_int_equal(stats_of(&fdb, 7).flap_key, static_unicast_key(5, own));
	assert_int_equal(stats_of(&fdb, 7).flap_slot, 9);
	assert_int_equal(stats_of(&fdb, 9).flaps, 0);
	for (uint32_t i = 0; i < 100; i++)
		fdb_learn(&fdb, 5, own, i % 2 ? 9 : 7, 1);
	assert_int_equal(stats_of(&fdb, 7).flaps, 1);
	for (uint32_t i = 0; i < 100; i++)
		fdb_learn(&fdb, 5, own, i % 2 ? 9 : 7, 2);
	assert_int_equal(stats_of(&fdb, 7).flaps, 2);
	/* A thousand addresses that move at once: at least one of them is seen. */
	for (uint32_t i = 0; i < 12; i++)
		for (uint32_t n = 100; n < 1100; n++)
			fdb_learn(&fdb, 1, mac_of(n), i % 2 ? 9 : 7, 3);
	assert_in_range(stats_of(&fdb, 7).flaps, 3, 2 + FDB_MOVERS);
	/* One behind another RBridge moves too, but not between two ports. */
	for (uint32_t i = 0; i < 100; i++)
		fdb_learn(&fdb, 5, own, i % 2 ? FDB_SLOTS : 7, 4);
	assert_in_range(stats_of(&fdb, 7).flaps, 3, 2 + FDB_MOVERS);
	fdb_destroy(&fdb);
}

static void test_flush_of_a_vlan(void **state)
{
	uint64_t slots[FDB_SLOT_WORDS] = {0};
	struct fdb fdb;

	(void)state;
	assert_true(fdb_init(&fdb, 100, AGEING_S, 1));
	for (uint32_t n = 0; n < 20; n++)
		fdb_learn(&fdb, n < 10 ? 1 : 2, mac_of(n), n % 2 ? 7 : 9, 0);
	assert_true(fdb_set_static(&fdb, 2, mac_of(30), 7));
	slots[0] = 1 << 7;
	fdb_flush_vlan(&fdb, slots, 2);
	assert_int_equal(fdb.entries, 16);
	for (uint32_t n = 0; n < 20; n++)
		assert_int_equal(fdb_lookup(&fdb, n < 10 ? 1 : 2, mac_of(n), 0) == FDB_NO_SLOT,
				 n >= 10 && n % 2);
	memset(slots, 0xff, sizeof(slots));
	fdb_flush_vlan(&fdb, slots, 1);
	assert_int_equal(fdb.entries, 6);
	fdb_flush_vlan(&fdb, slots, 0);
	assert_int_equal(fdb.entries, 1);
	assert_int_equal(fdb_lookup(&fdb, 2, mac_of(30), 0), 7);
	fdb_destroy(&fdb);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_moves_are_counted),
	    cmocka_unit_test(test_address_that_moves_often_is_a_flap),
	    cmocka_unit_test(test_flush_of_a_vlan),
	};

	return cmocka_run_group_tests_name("fdb_moves", tests, NULL, NULL);
}
