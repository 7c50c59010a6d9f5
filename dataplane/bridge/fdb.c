/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/bridge/fdb.h"

#include "lib/counter.h"

#include <stdlib.h>
#include <string.h>

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

/* Removes an entry, and moves back the following entries that linear probing put behind it. */
static void remove_at(struct fdb *fdb, uint32_t hole)
{
	struct fdb_entry *b = fdb->buckets;

	for (uint32_t at = (hole + 1) & fdb->mask; b[at].key; at = (at + 1) & fdb->mask) {
		uint32_t from_home = (at - home_of(fdb, b[at].key)) & fdb->mask;

		if (from_home < ((at - hole) & fdb->mask))
			continue;
		b[hole] = b[at];
		hole = at;
	}
	b[hole].key = 0;
	gauge_set(&fdb->entries, fdb->entries - 1);
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
	};
	return fdb->buckets;
}

void fdb_destroy(struct fdb *fdb)
{
	free(fdb->buckets);
	fdb->buckets = NULL;
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

void fdb_learn(struct fdb *fdb, uint16_t vid, const uint8_t *mac, uint16_t slot, uint32_t now_s)
{
	uint64_t key = key_of(vid, mac);
	struct fdb_entry *e = &fdb->buckets[bucket_of(fdb, key)];

	/* The usual case: an unchanged entry is not written, so its cache line stays clean. */
	if (e->key && (e->fixed || (e->seen_s == now_s && e->slot == slot)))
		return;
	if (!e->key && !take_bucket(fdb))
		return;
	*e = (struct fdb_entry){.key = key, .seen_s = now_s, .slot = slot};
}

bool fdb_set_static(struct fdb *fdb, uint16_t vid, const uint8_t *mac, uint16_t slot)
{
	uint64_t key = key_of(vid, mac);
	struct fdb_entry *e = &fdb->buckets[bucket_of(fdb, key)];

	if (!e->key && !take_bucket(fdb))
		return false;
	*e = (struct fdb_entry){.key = key, .slot = slot, .fixed = true};
	return true;
}

/* remove_at() may move another entry into the bucket: the bucket is checked again. */
void fdb_sweep(struct fdb *fdb, uint32_t now_s)
{
	uint32_t step = (fdb->mask + 1) / FDB_SWEEP_CALLS;

	for (uint32_t i = 0; i < step; i++) {
		const struct fdb_entry *e = &fdb->buckets[fdb->sweep_at];

		while (e->key && is_aged(fdb, e, now_s))
			remove_at(fdb, fdb->sweep_at);
		fdb->sweep_at = (fdb->sweep_at + 1) & fdb->mask;
	}
}

static void flush(struct fdb *fdb, const uint64_t *slots, bool static_too)
{
	/* Two rounds: remove_at() may move an entry from the start of the table to its end. */
	for (uint64_t i = 0; fdb->entries && i < 2 * ((uint64_t)fdb->mask + 1); i++) {
		uint32_t at = (uint32_t)i & fdb->mask;
		const struct fdb_entry *e = &fdb->buckets[at];

		while (e->key && (static_too || !e->fixed) &&
		       slots[e->slot / 64] >> (e->slot % 64) & 1)
			remove_at(fdb, at);
	}
}

void fdb_flush(struct fdb *fdb, const uint64_t *slots)
{
	flush(fdb, slots, true);
}

void fdb_flush_port(struct fdb *fdb, uint16_t slot)
{
	uint64_t slots[UINT16_MAX / 64 + 1] = {0};

	slots[slot / 64] |= UINT64_C(1) << (slot % 64);
	flush(fdb, slots, false);
}
