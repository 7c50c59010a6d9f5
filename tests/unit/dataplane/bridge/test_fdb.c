/* SPDX-License-Identifier: BSD-3-Clause */
#include "lib/rng.h"
#include "dataplane/bridge/fdb.h"
#include "tests/unit/unit.h"

#include <pthread.h>
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
	assert_int_equal(fdb.ports[1].stats.learned, 100);
	/* Known addresses still move to another port. */
	fdb_learn(&fdb, 1, mac_of(5), 2, 0);
	assert_int_equal(fdb_lookup(&fdb, 1, mac_of(5), 0), 2);
	fdb_destroy(&fdb);
}

static uint64_t learned_of(const struct fdb *fdb, uint16_t slot)
{
	struct learning_stats stats;

	fdb_read_port(fdb, slot, &stats);
	return stats.learned;
}

static uint64_t refused_of(const struct fdb *fdb, uint16_t slot)
{
	struct learning_stats stats;

	fdb_read_port(fdb, slot, &stats);
	return stats.refused;
}

static void test_limit_leaves_room_for_other_ports(void **state)
{
	struct fdb fdb;

	(void)state;
	assert_true(fdb_init(&fdb, 100, AGEING_S, 1));
	fdb_limit(&fdb, 1, 50);
	for (uint32_t i = 0; i < 60000; i++)
		fdb_learn(&fdb, 1, mac_of(i), 1, 0);
	assert_int_equal(learned_of(&fdb, 1), 50);
	assert_int_equal(refused_of(&fdb, 1), 60000 - 50);
	assert_int_equal(fdb.learn_failures, 0);
	for (uint32_t i = 70000; i < 70050; i++)
		fdb_learn(&fdb, 1, mac_of(i), 2, 0);
	assert_int_equal(learned_of(&fdb, 2), 50);
	assert_int_equal(fdb_lookup(&fdb, 1, mac_of(70049), 0), 2);
	/* Known addresses are refreshed at the limit. */
	fdb_learn(&fdb, 1, mac_of(0), 1, AGEING_S - 1);
	assert_int_equal(fdb_lookup(&fdb, 1, mac_of(0), AGEING_S), 1);
	assert_int_equal(refused_of(&fdb, 1), 60000 - 50);
	fdb_destroy(&fdb);
}

/* An address that moves to a port at its limit is unknown, not on its former port. */
static void test_move_to_full_port_forgets_the_address(void **state)
{
	struct fdb fdb;

	(void)state;
	assert_true(fdb_init(&fdb, 100, AGEING_S, 1));
	fdb_limit(&fdb, 1, 1);
	fdb_learn(&fdb, 1, mac_of(1), 1, 0);
	fdb_learn(&fdb, 1, mac_of(2), 2, 0);
	fdb_learn(&fdb, 1, mac_of(2), 1, 0);
	assert_int_equal(fdb_lookup(&fdb, 1, mac_of(2), 0), FDB_NO_SLOT);
	assert_int_equal(refused_of(&fdb, 1), 1);
	assert_int_equal(learned_of(&fdb, 2), 0);
	assert_int_equal(fdb.entries, 1);
	/* With room again, it is learned. */
	fdb_flush_port(&fdb, 1);
	assert_int_equal(learned_of(&fdb, 1), 0);
	fdb_learn(&fdb, 1, mac_of(2), 1, 0);
	assert_int_equal(fdb_lookup(&fdb, 1, mac_of(2), 0), 1);
	/* Limit 0 is none. */
	fdb_limit(&fdb, 1, 0);
	fdb_learn(&fdb, 1, mac_of(3), 1, 0);
	assert_int_equal(learned_of(&fdb, 1), 2);
	fdb_destroy(&fdb);
}

static void test_slot_of_gone_port_has_no_limit(void **state)
{
	const uint64_t slots[FDB_SLOTS / 64] = {1 << 3};
	struct fdb fdb;

	(void)state;
	assert_true(fdb_init(&fdb, 100, AGEING_S, 1));
	fdb_limit(&fdb, 3, 1);
	for (uint32_t i = 0; i < 5; i++)
		fdb_learn(&fdb, 1, mac_of(i), 3, 0);
	assert_int_equal(refused_of(&fdb, 3), 4);
	fdb_flush(&fdb, slots);
	assert_int_equal(refused_of(&fdb, 3), 0);
	for (uint32_t i = 0; i < 5; i++)
		fdb_learn(&fdb, 1, mac_of(i), 3, 0);
	assert_int_equal(learned_of(&fdb, 3), 5);
	fdb_destroy(&fdb);
}

/* Slots of other RBridges are beside those of ports: a port that goes takes none of theirs. */
static void test_address_behind_an_rbridge_is_no_ports(void **state)
{
	static const uint64_t all[SLOT_WORDS] = {[0 ... SLOT_WORDS - 1] = UINT64_MAX};
	uint16_t first = FDB_SLOTS, last = FDB_SLOTS + FDB_REMOTES - 1;
	struct fdb fdb;

	(void)state;
	assert_true(fdb_init(&fdb, 100, AGEING_S, 1));
	fdb_limit(&fdb, last, 1);
	fdb_learn(&fdb, 1, mac_of(1), first, 0);
	fdb_learn(&fdb, 1, mac_of(2), last, 0);
	fdb_learn(&fdb, 1, mac_of(3), last, 0); /* at the limit */
	fdb_learn(&fdb, 1, mac_of(4), 0, 0);
	fdb_flush(&fdb, all);
	assert_int_equal(fdb_lookup(&fdb, 1, mac_of(1), 0), first);
	assert_int_equal(fdb_lookup(&fdb, 1, mac_of(2), 0), last);
	assert_int_equal(fdb_lookup(&fdb, 1, mac_of(3), 0), FDB_NO_SLOT);
	assert_int_equal(fdb_lookup(&fdb, 1, mac_of(4), 0), FDB_NO_SLOT);
	fdb_learn(&fdb, 1, mac_of(2), 5, 0); /* the station has moved here */
	assert_int_equal(fdb_lookup(&fdb, 1, mac_of(2), 0), 5);
	fdb_flush_port(&fdb, first);
	assert_int_equal(fdb.entries, 1);
	fdb_destroy(&fdb);
}

/* The dataplane thread waits for it, so it looks for no more entries than there are. */
static void test_flush_looks_for_learned_addresses_only(void **state)
{
	uint64_t slots[FDB_SLOT_WORDS] = {0};
	struct fdb_entry *buckets;
	struct fdb fdb;

	(void)state;
	assert_true(fdb_init(&fdb, 100, AGEING_S, 1));
	for (uint32_t i = 0; i < 50; i++)
		fdb_learn(&fdb, 1, mac_of(i), (uint16_t)(FDB_SLOTS + i % 5), 0);
	assert_true(fdb_set_static(&fdb, 2, mac_of(1), FDB_SLOTS));
	slots[FDB_SLOTS / 64] = 0x25; /* 0, 2, and 5, which has none */
	fdb_flush_learned(&fdb, slots);
	for (uint32_t i = 0; i < 50; i++)
		assert_int_equal(fdb_lookup(&fdb, 1, mac_of(i), 0),
				 i % 5 == 0 || i % 5 == 2 ? FDB_NO_SLOT : FDB_SLOTS + i % 5);
	assert_int_equal(fdb_lookup(&fdb, 2, mac_of(1), 0), FDB_SLOTS);
	assert_int_equal(fdb.entries, 31);
	buckets = fdb.buckets;
	fdb.buckets = NULL; /* nothing is learned there: it is not read */
	fdb_flush_learned(&fdb, slots);
	fdb_flush_port(&fdb, 7);
	fdb.buckets = buckets;
	fdb_destroy(&fdb);
}

/* A static entry is more important than an address that is learned again. */
static void test_static_entry_takes_the_place_of_a_learned_one(void **state)
{
	struct fdb fdb;

	(void)state;
	assert_true(fdb_init(&fdb, 3, AGEING_S, 1));
	for (uint32_t i = 0; i < 3; i++)
		fdb_learn(&fdb, 1, mac_of(i), 1, 0);
	for (uint32_t i = 10; i < 13; i++) {
		assert_true(fdb_set_static(&fdb, 1, mac_of(i), 2));
		assert_int_equal(fdb_lookup(&fdb, 1, mac_of(i), 0), 2);
		assert_int_equal(learned_of(&fdb, 1), 12 - i);
		assert_int_equal(fdb.entries, 3);
	}
	assert_false(fdb_set_static(&fdb, 1, mac_of(13), 2));
	/* Only for its own port. */
	fdb_clear_static(&fdb, 1, mac_of(10), 1);
	assert_int_equal(fdb_lookup(&fdb, 1, mac_of(10), 0), 2);
	fdb_clear_static(&fdb, 1, mac_of(10), 2);
	assert_int_equal(fdb_lookup(&fdb, 1, mac_of(10), 0), FDB_NO_SLOT);
	fdb_learn(&fdb, 1, mac_of(10), 1, 0);
	fdb_clear_static(&fdb, 1, mac_of(10), 1); /* it is learned */
	assert_int_equal(fdb_lookup(&fdb, 1, mac_of(10), 0), 1);
	fdb_destroy(&fdb);
}

/* --- comparison with plain arrays --------------------------------------------------- */

#define MODEL_ADDRESSES 200
#define MODEL_PORTS     8
#define MODEL_AGEING_S  20

/* What the database should contain, with entries that have aged but are not removed. */
struct model {
	struct fdb fdb;
	struct dcb_rng rng;
	uint32_t now;
	uint16_t slot[MODEL_ADDRESSES]; /* FDB_NO_SLOT: no entry */
	uint32_t seen[MODEL_ADDRESSES];
	bool fixed[MODEL_ADDRESSES];
	uint32_t limit[MODEL_PORTS];
	uint64_t refused[MODEL_PORTS], failures;
	unsigned capacity;
};

static unsigned model_count(const struct model *m, uint16_t slot, bool fixed)
{
	unsigned n = 0;

	for (unsigned i = 0; i < MODEL_ADDRESSES; i++)
		n += m->slot[i] != FDB_NO_SLOT && (slot == FDB_NO_SLOT || m->slot[i] == slot) &&
		     m->fixed[i] == fixed;
	return n;
}

static unsigned model_entries(const struct model *m)
{
	return model_count(m, FDB_NO_SLOT, false) + model_count(m, FDB_NO_SLOT, true);
}

static bool model_is_aged(const struct model *m, unsigned a)
{
	return !m->fixed[a] && m->now - m->seen[a] >= MODEL_AGEING_S;
}

static void model_learn(struct model *m, unsigned a, uint16_t port)
{
	fdb_learn(&m->fdb, 1, mac_of(a), port, m->now);
	if (m->slot[a] != FDB_NO_SLOT && m->fixed[a])
		return;
	if (m->slot[a] != port) {
		if (m->limit[port] && model_count(m, port, false) >= m->limit[port]) {
			m->refused[port]++;
			m->slot[a] = FDB_NO_SLOT;
			return;
		}
		if (m->slot[a] == FDB_NO_SLOT && model_entries(m) == m->capacity) {
			m->failures++;
			return;
		}
	}
	m->slot[a] = port;
	m->fixed[a] = false;
	m->seen[a] = m->now;
}

/* A full table loses one learned address, whichever it is. */
static void model_set_static(struct model *m, unsigned a, uint16_t port)
{
	bool present = m->slot[a] != FDB_NO_SLOT, full = model_entries(m) == m->capacity;
	bool ok = present || !full || model_count(m, FDB_NO_SLOT, false) > 0;
	unsigned lost = 0;

	assert_int_equal(fdb_set_static(&m->fdb, 1, mac_of(a), port), ok);
	if (!ok)
		return;
	for (unsigned i = 0; i < MODEL_ADDRESSES && !present && full; i++) {
		/* At time seen, an entry that is in the table has not aged. */
		if (m->slot[i] == FDB_NO_SLOT || m->fixed[i] ||
		    fdb_lookup(&m->fdb, 1, mac_of(i), m->seen[i]) != FDB_NO_SLOT)
			continue;
		m->slot[i] = FDB_NO_SLOT;
		lost++;
	}
	assert_int_equal(lost, !present && full);
	m->slot[a] = port;
	m->fixed[a] = true;
}

static void model_clear_static(struct model *m, unsigned a, uint16_t port)
{
	fdb_clear_static(&m->fdb, 1, mac_of(a), port);
	if (m->slot[a] == port && m->fixed[a])
		m->slot[a] = FDB_NO_SLOT;
}

/* Sweeps the whole table, so that the model knows which aged entries are removed: all. */
static void model_sweep(struct model *m)
{
	m->now += dcb_rng_uniform(&m->rng, 1, 3);
	for (unsigned i = 0; i < FDB_SWEEP_CALLS; i++)
		fdb_sweep(&m->fdb, m->now);
	/* An entry that linear probing moves across the end of the sweep stays for the next. */
	for (unsigned i = 0; i < FDB_SWEEP_CALLS; i++)
		fdb_sweep(&m->fdb, m->now);
	for (unsigned a = 0; a < MODEL_ADDRESSES; a++)
		if (m->slot[a] != FDB_NO_SLOT && model_is_aged(m, a))
			m->slot[a] = FDB_NO_SLOT;
}

static void model_flush_port(struct model *m, uint16_t port)
{
	fdb_flush_port(&m->fdb, port);
	for (unsigned a = 0; a < MODEL_ADDRESSES; a++)
		if (m->slot[a] == port && !m->fixed[a])
			m->slot[a] = FDB_NO_SLOT;
}

static void model_flush(struct model *m, uint16_t port)
{
	const uint64_t slots[FDB_SLOTS / 64] = {UINT64_C(1) << port};

	fdb_flush(&m->fdb, slots);
	for (unsigned a = 0; a < MODEL_ADDRESSES; a++)
		if (m->slot[a] == port)
			m->slot[a] = FDB_NO_SLOT;
	m->refused[port] = 0;
	m->limit[port] = 0;
}

static void model_step(struct model *m)
{
	unsigned a = dcb_rng_uniform(&m->rng, 0, MODEL_ADDRESSES - 1);
	uint16_t port = (uint16_t)dcb_rng_uniform(&m->rng, 0, MODEL_PORTS - 1);
	uint32_t what = dcb_rng_uniform(&m->rng, 0, 999);

	if (what < 900) {
		model_learn(m, a, port);
	} else if (what < 940) {
		model_set_static(m, a, port);
	} else if (what < 970) {
		model_clear_static(m, a,
				   m->slot[a] == FDB_NO_SLOT || what % 4 == 0 ? port : m->slot[a]);
	} else if (what < 980) {
		m->limit[port] = dcb_rng_uniform(&m->rng, 0, 20);
		fdb_limit(&m->fdb, port, m->limit[port]);
	} else if (what < 990) {
		model_sweep(m);
	} else if (what < 997) {
		model_flush_port(m, port);
	} else {
		model_flush(m, port);
	}
}

static void assert_equals_model(const struct model *m)
{
	for (unsigned a = 0; a < MODEL_ADDRESSES; a++)
		assert_int_equal(fdb_lookup(&m->fdb, 1, mac_of(a), m->now),
				 m->slot[a] == FDB_NO_SLOT || model_is_aged(m, a) ? FDB_NO_SLOT
										  : m->slot[a]);
	for (uint16_t port = 0; port < MODEL_PORTS; port++) {
		assert_int_equal(learned_of(&m->fdb, port), model_count(m, port, false));
		assert_int_equal(refused_of(&m->fdb, port), m->refused[port]);
	}
	assert_int_equal(m->fdb.entries, model_entries(m));
	assert_int_equal(m->fdb.statics, model_count(m, FDB_NO_SLOT, true));
	assert_int_equal(m->fdb.learn_failures, m->failures);
}

/* Learned, moved, aged, flushed, static: the counts of each port are exact at every step. */
static void test_counts_equal_model_after_random_operations(void **state)
{
	uint64_t seed = unit_seed();

	(void)state;
	for (unsigned run = 0; run < 4; run++) {
		struct model m = {.now = 1000, .capacity = run % 2 ? MODEL_ADDRESSES : 60};

		dcb_rng_seed(&m.rng, seed, run + 1);
		assert_true(fdb_init(&m.fdb, m.capacity, MODEL_AGEING_S, seed));
		memset(m.slot, 0xff, sizeof(m.slot));
		for (unsigned step = 0; step < UNIT_CASES(20000); step++) {
			model_step(&m);
			assert_equals_model(&m);
		}
		fdb_destroy(&m.fdb);
	}
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
	for (int step = 0; step < UNIT_CASES(50000); step++) {
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

/* --- reading by other threads --------------------------------------------------------------- */

static void test_reader_sees_each_change(void **state)
{
	uint32_t changes, at;
	struct fdb_entry e;
	uint8_t mac[6];
	uint16_t vid;
	struct fdb fdb;

	(void)state;
	assert_true(fdb_init(&fdb, 16, AGEING_S, 1));
	assert_true(fdb_read_begin(&fdb, &changes));
	assert_true(fdb_read_end(&fdb, changes));
	fdb_learn(&fdb, 5, mac_of(77), 3, 100);
	assert_false(fdb_read_end(&fdb, changes));
	for (at = 0; !fdb_read(&fdb, at, 100, &e); at++)
		assert_true(at < fdb.mask);
	fdb_entry_address(&e, &vid, mac);
	assert_int_equal(vid, 5);
	assert_memory_equal(mac, mac_of(77), sizeof(mac));
	assert_int_equal(e.slot, 3);
	assert_int_equal(e.seen_s, 100);
	assert_false(e.fixed);
	/* A reader whose clock is behind finds no aged entry; one after the ageing time does. */
	assert_true(fdb_read(&fdb, at, 99, &e));
	assert_true(fdb_read(&fdb, at, 99 + AGEING_S, &e));
	assert_false(fdb_read(&fdb, at, 100 + AGEING_S, &e));
	/* A further frame of the address changes only its time. */
	assert_true(fdb_read_begin(&fdb, &changes));
	fdb_learn(&fdb, 5, mac_of(77), 3, 101);
	assert_true(fdb_read_end(&fdb, changes));
	fdb_learn(&fdb, 5, mac_of(77), 4, 101);
	assert_false(fdb_read_end(&fdb, changes));
	assert_true(fdb_read_begin(&fdb, &changes));
	assert_true(fdb_set_static(&fdb, 5, mac_of(77), 4));
	assert_false(fdb_read_end(&fdb, changes));
	assert_true(fdb_read_begin(&fdb, &changes));
	fdb_clear_static(&fdb, 5, mac_of(77), 4);
	assert_false(fdb_read_end(&fdb, changes));
	fdb.changes++; /* as in the midst of a change */
	assert_false(fdb_read_begin(&fdb, &changes));
	fdb_destroy(&fdb);
}

#define READS     2000
#define ADDRESSES 60

/* Each address of the test has one slot. */
static uint16_t slot_of(const uint8_t *mac)
{
	return (uint16_t)(100 + mac[2] * 7 % 64);
}

struct reading {
	struct fdb fdb;
	unsigned valid, entries, wrong;
	bool done;
};

static void read_part(struct reading *r, uint32_t from)
{
	unsigned n = 0, wrong = 0;
	uint32_t changes;

	if (!fdb_read_begin(&r->fdb, &changes))
		return;
	for (uint32_t at = from; at < from + 16; at++) {
		struct fdb_entry e;
		uint8_t mac[6];
		uint16_t vid;

		if (!fdb_read(&r->fdb, at, 0, &e))
			continue;
		fdb_entry_address(&e, &vid, mac);
		n++;
		wrong += vid != 1 || mac[0] != 2 || e.slot != slot_of(mac);
	}
	if (!fdb_read_end(&r->fdb, changes))
		return;
	r->valid++;
	r->entries += n;
	r->wrong += wrong;
}

static void *read_all(void *ctx)
{
	struct reading *r = ctx;

	while (r->valid < READS || r->entries == 0)
		for (uint32_t from = 0; from <= r->fdb.mask; from += 16)
			read_part(r, from);
	__atomic_store_n(&r->done, true, __ATOMIC_RELEASE);
	return NULL;
}

/* Addresses are learned, and removed with all of their slot: others then move to their buckets. */
static void test_reader_gets_no_mixed_entries(void **state)
{
	struct reading r = {.valid = 0};
	uint64_t seed = unit_seed();
	struct dcb_rng rng;
	pthread_t thread;

	(void)state;
	dcb_rng_seed(&rng, seed, 1);
	assert_true(fdb_init(&r.fdb, 2 * ADDRESSES, 0, seed));
	assert_int_equal(pthread_create(&thread, NULL, read_all, &r), 0);
	while (!__atomic_load_n(&r.done, __ATOMIC_ACQUIRE)) {
		const uint8_t *mac = mac_of((uint32_t)(dcb_rng_next(&rng) % ADDRESSES));

		if (dcb_rng_next(&rng) % 4)
			fdb_learn(&r.fdb, 1, mac, slot_of(mac), 0);
		else
			fdb_flush_port(&r.fdb, slot_of(mac));
	}
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_int_equal(r.wrong, 0);
	fdb_destroy(&r.fdb);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_address_moves_to_last_port),
	    cmocka_unit_test(test_entries_age),
	    cmocka_unit_test(test_ageing_time_0_keeps_entries),
	    cmocka_unit_test(test_static_entry_stays),
	    cmocka_unit_test(test_full_table_counts_failures),
	    cmocka_unit_test(test_limit_leaves_room_for_other_ports),
	    cmocka_unit_test(test_move_to_full_port_forgets_the_address),
	    cmocka_unit_test(test_slot_of_gone_port_has_no_limit),
	    cmocka_unit_test(test_address_behind_an_rbridge_is_no_ports),
	    cmocka_unit_test(test_flush_looks_for_learned_addresses_only),
	    cmocka_unit_test(test_static_entry_takes_the_place_of_a_learned_one),
	    cmocka_unit_test(test_counts_equal_model_after_random_operations),
	    cmocka_unit_test(test_equals_array_after_random_operations),
	    cmocka_unit_test(test_reader_sees_each_change),
	    cmocka_unit_test(test_reader_gets_no_mixed_entries),
	};

	return cmocka_run_group_tests_name("fdb", tests, NULL, NULL);
}
