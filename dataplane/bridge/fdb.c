/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/bridge/fdb.h"

#include "dataplane/config/bridge_config.h"
#include "lib/counter.h"

#include <stdlib.h>
#include <string.h>

#define READ_TRIES 100 /* a change takes less than a microsecond */

/* VIDs begin at 1, so a key is never 0. */
static uint64_t key_of(uint16_t vid, const uint8_t *mac)
{
	uint32_t low;
	uint16_t high;

	memcpy(&high, mac, sizeof(high));
	memcpy(&low, mac + sizeof(high), sizeof(low));
	return (uint64_t)vid << 48 | (uint64_t)high << 32 | low;
}

/* Multiplies and folds twice: every key bit affects the low bits that select the bucket. */
static uint32_t home_of(const struct fdb *fdb, uint64_t key)
{
	uint64_t h = (key ^ fdb->hash_seed) * UINT64_C(0x9e3779b97f4a7c15);

	h = (h ^ (h >> 32)) * UINT64_C(0xd6e8feb86659fd93);
	return (uint32_t)(h >> 32) & fdb->mask;
}

/* Returns the key's bucket, or the free one for it. At least half of the buckets are free. */
static uint32_t bucket_of(const struct fdb *fdb, uint64_t key)
{
	uint32_t at = home_of(fdb, key);

	while (fdb->buckets[at].key && fdb->buckets[at].key != key)
		at = (at + 1) & fdb->mask;
	return at;
}

static bool is_aged(const struct fdb *fdb, const struct fdb_entry *e, uint32_t now_s)
{
	return fdb->ageing_s && !e->fixed && now_s - e->seen_s >= fdb->ageing_s;
}

/* --- changes of entries: other threads may read at the same time ------------------------ */

/*
 * A writer of a sequence lock, without fences, which ThreadSanitizer does not know: each store
 * is after the first one of changes, and before the last one.
 */
static void begin_change(struct fdb *fdb)
{
	gauge_set(&fdb->changes, fdb->changes + 1);
}

static void end_change(struct fdb *fdb)
{
	__atomic_store_n(&fdb->changes, fdb->changes + 1, __ATOMIC_RELEASE);
}

static void put_entry(struct fdb_entry *to, const struct fdb_entry *from)
{
	__atomic_store_n(&to->seen_s, from->seen_s, __ATOMIC_RELEASE);
	__atomic_store_n(&to->slot, from->slot, __ATOMIC_RELEASE);
	__atomic_store_n(&to->fixed, from->fixed, __ATOMIC_RELEASE);
	__atomic_store_n(&to->moves, from->moves, __ATOMIC_RELEASE);
	__atomic_store_n(&to->key, from->key, __ATOMIC_RELEASE);
}

static void set_entry(struct fdb *fdb, uint32_t at, const struct fdb_entry *entry)
{
	begin_change(fdb);
	put_entry(&fdb->buckets[at], entry);
	end_change(fdb);
}

/* Removes an entry, and moves back the following entries that linear probing put behind it. */
static void remove_at(struct fdb *fdb, uint32_t hole)
{
	struct fdb_entry *b = fdb->buckets;

	begin_change(fdb);
	for (uint32_t at = (hole + 1) & fdb->mask; b[at].key; at = (at + 1) & fdb->mask) {
		uint32_t from_home = (at - home_of(fdb, b[at].key)) & fdb->mask;

		if (from_home < ((at - hole) & fdb->mask))
			continue;
		put_entry(&b[hole], &b[at]);
		hole = at;
	}
	__atomic_store_n(&b[hole].key, 0, __ATOMIC_RELEASE);
	end_change(fdb);
	gauge_set(&fdb->entries, fdb->entries - 1);
}

/* Removes an entry and reduces the counts. */
static void forget_at(struct fdb *fdb, uint32_t at)
{
	const struct fdb_entry *e = &fdb->buckets[at];
	struct fdb_port *port = &fdb->ports[e->slot];

	if (e->fixed)
		fdb->statics--;
	else
		gauge_set(&port->stats.learned, port->stats.learned - 1);
	remove_at(fdb, at);
}

bool fdb_init(struct fdb *fdb, uint32_t entries, uint32_t ageing_s, uint64_t seed)
{
	uint32_t buckets = 16;

	while (buckets < 2 * (uint64_t)entries && buckets < UINT32_C(1) << 30)
		buckets *= 2;
	*fdb = (struct fdb){
	    .mask = buckets - 1,
	    .entries_max = entries < buckets / 2 ? entries : buckets / 2,
	    .ageing_s = ageing_s,
	    .hash_seed = seed,
	    .buckets = calloc(buckets, sizeof(*fdb->buckets)),
	    .ports = calloc(FDB_SLOTS + FDB_REMOTES, sizeof(*fdb->ports)),
	};
	if (fdb->buckets && fdb->ports)
		return true;
	fdb_destroy(fdb);
	return false;
}

void fdb_destroy(struct fdb *fdb)
{
	free(fdb->buckets);
	free(fdb->ports);
	fdb->buckets = NULL;
	fdb->ports = NULL;
}

void fdb_prefetch(const struct fdb *fdb, uint16_t vid, const uint8_t *mac)
{
	__builtin_prefetch(&fdb->buckets[home_of(fdb, key_of(vid, mac))]);
}

uint16_t fdb_lookup(const struct fdb *fdb, uint16_t vid, const uint8_t *mac, uint32_t now_s)
{
	const struct fdb_entry *e = &fdb->buckets[bucket_of(fdb, key_of(vid, mac))];

	return e->key && !is_aged(fdb, e, now_s) ? e->slot : FDB_NO_SLOT;
}

/* Counts a new entry. Returns false and counts a failure if the table is full. */
static bool take_bucket(struct fdb *fdb)
{
	if (fdb->entries >= fdb->entries_max) {
		counter_add(&fdb->learn_failures, 1);
		return false;
	}
	gauge_set(&fdb->entries, fdb->entries + 1);
	return true;
}

/* Returns true if the port may learn one more address; otherwise counts a refusal. */
static bool may_learn(struct fdb_port *port)
{
	if (!port->limit || port->stats.learned < port->limit)
		return true;
	counter_add(&port->stats.refused, 1);
	return false;
}

/* Of two ports the one in the lower slot counts: so each of their addresses counts once. */
static void count_flap(struct fdb *fdb, uint64_t key, uint16_t from, uint16_t to)
{
	struct learning_stats *stats = &fdb->ports[from < to ? from : to].stats;
	struct fdb_entry entry = {.key = key};
	uint8_t mac[ETH_ADDR_OCTETS];
	uint16_t vid;

	if (from >= FDB_SLOTS || to >= FDB_SLOTS)
		return;
	fdb_entry_address(&entry, &vid, mac);
	begin_change(fdb);
	__atomic_store_n(&stats->flap_key, static_unicast_key(vid, mac), __ATOMIC_RELEASE);
	__atomic_store_n(&stats->flap_slot, from < to ? to : from, __ATOMIC_RELEASE);
	__atomic_store_n(&stats->flaps, stats->flaps + 1, __ATOMIC_RELEASE);
	end_change(fdb);
}

/* The address was at from, and is learned at to. */
static void count_move(struct fdb *fdb, uint64_t key, uint16_t from, uint16_t to, uint32_t now_s)
{
	struct fdb_mover *m = &fdb->movers[home_of(fdb, key) % FDB_MOVERS];

	counter_add(&fdb->ports[to].stats.moves, 1);
	if (m->second != now_s || m->moves == 0)
		*m = (struct fdb_mover){.key = key, .second = now_s};
	if (m->key != key || m->moves > FDB_MOVES_MAX)
		return;
	if (++m->moves > FDB_MOVES_MAX)
		count_flap(fdb, key, from, to);
}

/* The address of the bucket is new, or was learned on another port. */
static void __attribute__((noinline))
learn_new(struct fdb *fdb, uint32_t at, uint64_t key, uint16_t slot, uint32_t now_s)
{
	struct fdb_entry *e = &fdb->buckets[at];
	struct fdb_port *port = &fdb->ports[slot];
	uint8_t moves = 0;

	if (e->key) {
		struct fdb_port *former = &fdb->ports[e->slot];

		if (!may_learn(port)) {
			forget_at(fdb, at);
			return;
		}
		gauge_set(&former->stats.learned, former->stats.learned - 1);
		moves = e->moves + (e->moves < FDB_MOVES_COUNTED);
		count_move(fdb, key, e->slot, slot, now_s);
	} else if (!may_learn(port) || !take_bucket(fdb)) {
		return;
	}
	set_entry(fdb, at,
		  &(struct fdb_entry){.key = key, .seen_s = now_s, .slot = slot, .moves = moves});
	gauge_set(&port->stats.learned, port->stats.learned + 1);
}

void fdb_learn(struct fdb *fdb, uint16_t vid, const uint8_t *mac, uint16_t slot, uint32_t now_s)
{
	uint64_t key = key_of(vid, mac);
	uint32_t at = bucket_of(fdb, key);
	struct fdb_entry *e = &fdb->buckets[at];

	if (!e->key || (e->slot != slot && !e->fixed))
		learn_new(fdb, at, key, slot, now_s);
	else if (e->seen_s != now_s && !e->fixed) /* else its cache line stays clean */
		gauge_set(&e->seen_s, now_s);
}

void fdb_limit(struct fdb *fdb, uint16_t slot, uint32_t limit)
{
	fdb->ports[slot].limit = limit;
}

void fdb_read_port(const struct fdb *fdb, uint16_t slot, struct learning_stats *out)
{
	const struct learning_stats *stats = &fdb->ports[slot].stats;

	for (int tries = 0; tries < READ_TRIES; tries++) {
		uint32_t changes;
		bool calm = fdb_read_begin(fdb, &changes);

		*out = (struct learning_stats){
		    .learned = gauge_get(&stats->learned),
		    .refused = gauge_get(&stats->refused),
		    .moves = gauge_get(&stats->moves),
		    .flaps = __atomic_load_n(&stats->flaps, __ATOMIC_ACQUIRE),
		    .flap_key = __atomic_load_n(&stats->flap_key, __ATOMIC_ACQUIRE),
		    .flap_slot = __atomic_load_n(&stats->flap_slot, __ATOMIC_ACQUIRE),
		};
		if (calm && fdb_read_end(fdb, changes))
			return;
	}
}

/*
 * Removes a learned entry, near the bucket: at most every second bucket is in use. Returns
 * false if there is none.
 */
static bool evict_learned(struct fdb *fdb, uint32_t from)
{
	if (fdb->statics == fdb->entries)
		return false;
	while (!fdb->buckets[from].key || fdb->buckets[from].fixed)
		from = (from + 1) & fdb->mask;
	forget_at(fdb, from);
	return true;
}

bool fdb_set_static(struct fdb *fdb, uint16_t vid, const uint8_t *mac, uint16_t slot)
{
	uint64_t key = key_of(vid, mac);
	uint32_t at = bucket_of(fdb, key);

	if (fdb->buckets[at].key) {
		forget_at(fdb, at);
		at = bucket_of(fdb, key);
	} else if (fdb->entries == fdb->entries_max) {
		if (!evict_learned(fdb, at))
			return false;
		at = bucket_of(fdb, key);
	}
	set_entry(fdb, at, &(struct fdb_entry){.key = key, .slot = slot, .fixed = true});
	fdb->statics++;
	gauge_set(&fdb->entries, fdb->entries + 1);
	return true;
}

void fdb_clear_static(struct fdb *fdb, uint16_t vid, const uint8_t *mac, uint16_t slot)
{
	uint32_t at = bucket_of(fdb, key_of(vid, mac));
	const struct fdb_entry *e = &fdb->buckets[at];

	if (e->key && e->fixed && e->slot == slot)
		forget_at(fdb, at);
}

/* remove_at() may move another entry into the bucket: the bucket is checked again. */
void fdb_sweep(struct fdb *fdb, uint32_t now_s)
{
	uint32_t step = (fdb->mask + 1) / FDB_SWEEP_CALLS;

	for (uint32_t i = 0; i < step; i++) {
		const struct fdb_entry *e = &fdb->buckets[fdb->sweep_at];

		while (e->key && is_aged(fdb, e, now_s))
			forget_at(fdb, fdb->sweep_at);
		fdb->sweep_at = (fdb->sweep_at + 1) & fdb->mask;
	}
}

static bool is_in(const uint64_t *slots, uint32_t n_slots, uint16_t slot)
{
	return slot < n_slots && slots[slot / 64] >> (slot % 64) & 1;
}

/* Two rounds: remove_at() may move an entry from the start of the table to its end. */
static uint64_t flush_end(const struct fdb *fdb)
{
	return 2 * ((uint64_t)fdb->mask + 1);
}

void fdb_flush(struct fdb *fdb, const uint64_t *slots)
{
	for (uint64_t i = 0; fdb->entries && i < flush_end(fdb); i++) {
		uint32_t at = (uint32_t)i & fdb->mask;
		const struct fdb_entry *e = &fdb->buckets[at];

		while (e->key && is_in(slots, FDB_SLOTS, e->slot))
			forget_at(fdb, at);
	}
	for (uint32_t slot = 0; slot < FDB_SLOTS; slot++) {
		if (!(slots[slot / 64] >> (slot % 64) & 1))
			continue;
		fdb->ports[slot].limit = 0;
		gauge_set(&fdb->ports[slot].stats.refused, 0);
		gauge_set(&fdb->ports[slot].stats.moves, 0);
		gauge_set(&fdb->ports[slot].stats.flaps, 0);
		gauge_set(&fdb->ports[slot].stats.flap_key, 0);
	}
}

/* Returns how many addresses are learned at these slots. */
static uint64_t learned_at(const struct fdb *fdb, const uint64_t *slots)
{
	uint64_t learned = 0;

	for (uint32_t word = 0; word < FDB_SLOT_WORDS; word++)
		for (uint64_t left = slots[word]; left; left &= left - 1)
			learned +=
			    fdb->ports[64 * word + (uint32_t)__builtin_ctzll(left)].stats.learned;
	return learned;
}

void fdb_flush_vlan(struct fdb *fdb, const uint64_t *slots, uint16_t vid)
{
	uint64_t left = learned_at(fdb, slots);

	for (uint64_t i = 0; left && i < flush_end(fdb); i++) {
		uint32_t at = (uint32_t)i & fdb->mask;
		const struct fdb_entry *e = &fdb->buckets[at];

		for (; e->key && !e->fixed && (vid == 0 || e->key >> 48 == vid) &&
		       is_in(slots, FDB_SLOTS + FDB_REMOTES, e->slot);
		     left--)
			forget_at(fdb, at);
	}
}

void fdb_flush_learned(struct fdb *fdb, const uint64_t *slots)
{
	fdb_flush_vlan(fdb, slots, 0);
}

void fdb_flush_port(struct fdb *fdb, uint16_t slot)
{
	uint64_t slots[FDB_SLOT_WORDS] = {0};

	slots[slot / 64] |= UINT64_C(1) << (slot % 64);
	fdb_flush_learned(fdb, slots);
}

/* --- other threads ----------------------------------------------------------------------- */

bool fdb_read_begin(const struct fdb *fdb, uint32_t *changes)
{
	*changes = __atomic_load_n(&fdb->changes, __ATOMIC_ACQUIRE);
	return *changes % 2 == 0;
}

bool fdb_read_end(const struct fdb *fdb, uint32_t changes)
{
	return gauge_get(&fdb->changes) == changes;
}

bool fdb_read(const struct fdb *fdb, uint32_t bucket, uint32_t now_s, struct fdb_entry *out)
{
	const struct fdb_entry *e = &fdb->buckets[bucket];

	*out = (struct fdb_entry){
	    .key = __atomic_load_n(&e->key, __ATOMIC_ACQUIRE),
	    .seen_s = __atomic_load_n(&e->seen_s, __ATOMIC_ACQUIRE),
	    .slot = __atomic_load_n(&e->slot, __ATOMIC_ACQUIRE),
	    .fixed = __atomic_load_n(&e->fixed, __ATOMIC_ACQUIRE),
	    .moves = __atomic_load_n(&e->moves, __ATOMIC_ACQUIRE),
	};
	/* The owner's clock may be ahead of the caller's. */
	return out->key && !((int32_t)(now_s - out->seen_s) > 0 && is_aged(fdb, out, now_s));
}

int fdb_read_part(const struct fdb *fdb, uint32_t from, uint32_t now_s,
		  struct fdb_entry out[FDB_READ_BUCKETS])
{
	uint32_t changes;
	int n = 0;

	if (!fdb_read_begin(fdb, &changes))
		return -1;
	for (uint32_t i = 0; i < FDB_READ_BUCKETS; i++)
		n += fdb_read(fdb, from + i, now_s, &out[n]);
	return fdb_read_end(fdb, changes) ? n : -1;
}

void fdb_entry_address(const struct fdb_entry *entry, uint16_t *vid, uint8_t *mac)
{
	uint16_t high = (uint16_t)(entry->key >> 32);
	uint32_t low = (uint32_t)entry->key;

	*vid = (uint16_t)(entry->key >> 48);
	memcpy(mac, &high, sizeof(high));
	memcpy(mac + sizeof(high), &low, sizeof(low));
}
