/* SPDX-License-Identifier: BSD-3-Clause */
#include "lib/rng.h"
#include "dataplane/bridge/fdb.h"
#include "tests/unit/unit.h"

#include <string.h>

#define AGEING_S   300
#define SLOT_WORDS ((UINT16_MAX + 1) / 64)

static const uint8_t *mac_of(uint32_t n)
{
	static uint8_t mac[6];

	mac[0] = 2;
	memcpy(mac + 2, &n, sizeof(n));
	return mac;
}

static void test_address_moves_to_last_port(void **state)
{
	struct fdb fdb;

	(void)state;
	assert_true(fdb_init(&fdb, 100, AGEING_S, 1));
	assert_int_equal(fdb_lookup(&fdb, 1, mac_of(1), 0), FDB_NO_SLOT);
	fdb_learn(&fdb, 1, mac_of(1), 7, 0);
	assert_int_equal(fdb_lookup(&fdb, 1, mac_of(1), 0), 7);
	/* Independent VLAN learning. */
	assert_int_equal(fdb_lookup(&fdb, 2, mac_of(1), 0), FDB_NO_SLOT);
	fdb_learn(&fdb, 1, mac_of(1), 9, 1);
	assert_int_equal(fdb_lookup(&fdb, 1, mac_of(1), 1), 9);
	assert_int_equal(fdb.entries, 1);
	fdb_destroy(&fdb);
}

static void test_entries_age(void **state)
{
	struct fdb fdb;

	(void)state;
	assert_true(fdb_init(&fdb, 100, AGEING_S, 1));
	fdb_learn(&fdb, 1, mac_of(1), 1, 1000);
	fdb_learn(&fdb, 1, mac_of(2), 2, 1001);
	assert_int_equal(fdb_lookup(&fdb, 1, mac_of(1), 999 + AGEING_S), 1);
	/* Entries age to the second, before fdb_sweep() removes them. */
	assert_int_equal(fdb_lookup(&fdb, 1, mac_of(1), 1000 + AGEING_S), FDB_NO_SLOT);
	assert_int_equal(fdb_lookup(&fdb, 1, mac_of(2), 1000 + AGEING_S), 2);
	for (int i = 0; i < FDB_SWEEP_CALLS; i++)
		fdb_sweep(&fdb, 1000 + AGEING_S);
	assert_int_equal(fdb.entries, 1);
	fdb_learn(&fdb, 1, mac_of(1), 3, 1000 + AGEING_S);
	assert_int_equal(fdb_lookup(&fdb, 1, mac_of(1), 1000 + AGEING_S), 3);
	fdb_destroy(&fdb);
}

static void test_ageing_time_0_keeps_entries(void **state)
{
	struct fdb fdb;

	(void)state;
	assert_true(fdb_init(&fdb, 100, 0, 1));
	fdb_learn(&fdb, 1, mac_of(1), 1, 0);
	for (int i = 0; i < FDB_SWEEP_CALLS; i++)
		fdb_sweep(&fdb, UINT32_MAX);
	assert_int_equal(fdb_lookup(&fdb, 1, mac_of(1), UINT32_MAX), 1);
	fdb_destroy(&fdb);
}

/* A static entry neither ages nor moves. fdb_flush_port() keeps it, fdb_flush() removes it. */
static void test_static_entry_stays(void **state)
{
	uint64_t slots[SLOT_WORDS] = {0};
	struct fdb fdb;

	(void)state;
	assert_true(fdb_init(&fdb, 2, AGEING_S, 1));
	fdb_learn(&fdb, 1, mac_of(1), 3, 0);
	assert_true(fdb_set_static(&fdb, 1, mac_of(1), 7));
	assert_true(fdb_set_static(&fdb, 2, mac_of(1), 8)); /* another VLAN, another entry */
	assert_int_equal(fdb.entries, 2);
	fdb_learn(&fdb, 1, mac_of(1), 3, 1);
	fdb_learn(&fdb, 1, mac_of(1), 7, 1);
	for (int i = 0; i < FDB_SWEEP_CALLS; i++)
		fdb_sweep(&fdb, 10 * AGEING_S);
	assert_int_equal(fdb_lookup(&fdb, 1, mac_of(1), 10 * AGEING_S), 7);
	assert_int_equal(fdb_lookup(&fdb, 2, mac_of(1), 10 * AGEING_S), 8);
	fdb_flush_port(&fdb, 7);
	assert_int_equal(fdb_lookup(&fdb, 1, mac_of(1), 0), 7);
	assert_true(fdb_set_static(&fdb, 1, mac_of(1), 9)); /* set to another port */
	assert_int_equal(fdb_lookup(&fdb, 1, mac_of(1), 0), 9);
	assert_false(fdb_set_static(&fdb, 1, mac_of(2), 9));
	slots[0] = 1 << 9;
	fdb_flush(&fdb, slots);
	assert_int_equal(fdb_lookup(&fdb, 1, mac_of(1), 0), FDB_NO_SLOT);
	assert_int_equal(fdb.entries, 1);
	assert_true(fdb_set_static(&fdb, 1, mac_of(2), 9));
	fdb_destroy(&fdb);
}

static void test_full_table_counts_failures(void **state)
{
	struct fdb fdb;

	(void)state;
	assert_true(fdb_init(&fdb, 100, AGEING_S, 1));
	for (uint32_t i = 0; i < 110; i++)
		fdb_learn(&fdb, 1, mac_of(i), 1, 0);
	assert_int_equal(fdb.entries, 100);
	assert_int_equal(fdb.learn_failures, 10);
	/* Known addresses still move to another port. */
	fdb_learn(&fdb, 1, mac_of(5), 2, 0);
	assert_int_equal(fdb_lookup(&fdb, 1, mac_of(5), 0), 2);
	fdb_destroy(&fdb);
}

/* Compares with a plain array: collisions, removals, wrap-around at the table's end. */
static void test_equals_array_after_random_operations(void **state)
{
	enum { ADDRESSES = 200, PORTS = 8 };
	uint16_t slot[ADDRESSES];
	uint32_t seen[ADDRESSES] = {0};
	uint32_t now = 1000;
	struct dcb_rng rng;
	struct fdb fdb;
	uint64_t seed;

	(void)state;
	seed = unit_seed();
	dcb_rng_seed(&rng, seed, 1);
	assert_true(fdb_init(&fdb, ADDRESSES, 20, seed));
	memset(slot, 0xff, sizeof(slot));
	for (int step = 0; step < 50000; step++) {
		uint32_t a = dcb_rng_uniform(&rng, 0, ADDRESSES - 1);
		uint16_t port = (uint16_t)dcb_rng_uniform(&rng, 0, PORTS - 1);
		uint32_t what = dcb_rng_uniform(&rng, 0, 99);

		if (what < 90) {
			fdb_learn(&fdb, 1, mac_of(a), port, now);
			slot[a] = port;
			seen[a] = now;
		} else if (what < 98) {
			now++;
			fdb_sweep(&fdb, now);
		} else {
			fdb_flush_port(&fdb, port);
			for (int i = 0; i < ADDRESSES; i++)
				slot[i] = slot[i] == port ? FDB_NO_SLOT : slot[i];
		}
		a = dcb_rng_uniform(&rng, 0, ADDRESSES - 1);
		assert_int_equal(fdb_lookup(&fdb, 1, mac_of(a), now),
				 now - seen[a] >= 20 ? FDB_NO_SLOT : slot[a]);
	}
	assert_int_equal(fdb.learn_failures, 0);
	fdb_destroy(&fdb);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_address_moves_to_last_port),
	    cmocka_unit_test(test_entries_age),
	    cmocka_unit_test(test_ageing_time_0_keeps_entries),
	    cmocka_unit_test(test_static_entry_stays),
	    cmocka_unit_test(test_full_table_counts_failures),
	    cmocka_unit_test(test_equals_array_after_random_operations),
	};

	return cmocka_run_group_tests_name("fdb", tests, NULL, NULL);
}
