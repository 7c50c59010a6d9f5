/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Filtering database: which port an individual address of a VLAN was last seen
 * on (802.1Q 8.8; every VLAN learns on its own). Open addressing with linear
 * probing and deletion by moving up what follows, so there are no tombstones.
 * Bounded; allocates nothing after fdb_init().
 */
#ifndef DCB_DATAPLANE_BRIDGE_FDB_H
#define DCB_DATAPLANE_BRIDGE_FDB_H

#include <stdbool.h>
#include <stdint.h>

#define FDB_NO_SLOT 0xffff

struct fdb_entry {
	uint64_t key;    /* VID, MAC address; 0: bucket is free */
	uint32_t seen_s; /* when, in seconds of the caller's clock */
	uint16_t slot;   /* port */
	bool fixed;      /* a static entry */
};

struct fdb {
	struct fdb_entry *buckets;
	uint32_t mask; /* buckets - 1; at least twice as many as entries_max */
	uint32_t entries_max;
	uint32_t ageing_s; /* entries not seen for so long do not count: 802.1Q 8.8.3 */
	uint32_t sweep_at; /* bucket where the next sweep begins */
	uint64_t hash_seed;
	/* Gauges: written by the owner, read by anyone. */
	uint32_t entries;
	uint64_t learn_failures; /* addresses that found no room */
};

/* ageing_s 0: entries never age. seed keeps outsiders from building collisions. false: no memory.
 */
bool fdb_init(struct fdb *fdb, uint32_t entries, uint32_t ageing_s, uint64_t seed);
void fdb_destroy(struct fdb *fdb);

/* Port of an address, FDB_NO_SLOT when unknown or aged. mac: 6 octets. */
uint16_t fdb_lookup(const struct fdb *fdb, uint16_t vid, const uint8_t *mac, uint32_t now_s);

/* The address was seen on a port: 8.7. Counts a failure when the table is full. */
void fdb_learn(struct fdb *fdb, uint16_t vid, const uint8_t *mac, uint16_t slot, uint32_t now_s);

/*
 * Static filtering entry, 8.8.1: frames for the address go to this port, whatever
 * is learnt, for ever; but not beyond fdb_flush(). false: the table is full.
 */
bool fdb_set_static(struct fdb *fdb, uint16_t vid, const uint8_t *mac, uint16_t slot);

/* Frees aged entries among the next buckets; FDB_SWEEP_CALLS calls go once around. */
#define FDB_SWEEP_CALLS 8
void fdb_sweep(struct fdb *fdb, uint32_t now_s);

/* Ports went: forgets all about those whose bit is set, bit slot % 64 of word slot / 64. */
void fdb_flush(struct fdb *fdb, const uint64_t *slots);

/* Forgets what was learnt on one port; static entries stay. */
void fdb_flush_port(struct fdb *fdb, uint16_t slot);

#endif
