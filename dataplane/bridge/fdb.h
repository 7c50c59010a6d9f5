/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Filtering database (802.1Q 8.8): the port on which an individual address of a
 * VLAN was last seen. Independent VLAN learning. A hash table with open addressing
 * and linear probing; deletion moves the following entries, so there are no
 * tombstones. Allocates memory only in fdb_init(). One thread makes all calls, except
 * those of fdb_read_...().
 *
 * A port that has no limit of learned addresses may have half of the table, so two ports can fill
 * it together. A frame whose source is a static entry of another port is forwarded (8.7, 8.8.1):
 * 802.1Q leaves its discard to port access control. A flush by a manager is a number of the
 * configuration with port and VLAN, as the reset of watermarks is: the entries are removed when
 * the dataplane thread adopts it.
 *
 * Only a frame with a new or moved address pays for the sequence number of fdb_read_...(), for
 * counting moves, and for watching 64 addresses in a second: more than ten moves are a flap, which
 * the control thread reads with the counters once a second, and reports.
 */
#ifndef DCB_DATAPLANE_BRIDGE_FDB_H
#define DCB_DATAPLANE_BRIDGE_FDB_H

#include <stdbool.h>
#include <stdint.h>

#include "dataplane/config/stats.h"

#define FDB_NO_SLOT 0xffff
#define FDB_SLOTS   8192 /* the slot of a port is less */
/*
 * Slots from FDB_SLOTS on stand for other RBridges, behind which addresses are:
 * dataplane/rbridge/nicknames.h. They have limits and counters as those of ports.
 */
#define FDB_REMOTES    1024
#define FDB_SLOT_WORDS ((FDB_SLOTS + FDB_REMOTES) / 64)

struct fdb_entry {
	uint64_t key;    /* VID, MAC address; 0: bucket is free */
	uint32_t seen_s; /* last seen, seconds of the caller's clock */
	uint16_t slot;   /* of the port or RBridge */
	bool fixed;      /* a static entry */
	uint8_t moves;   /* from slot to slot; at most FDB_MOVES_COUNTED */
};

/* Moves of one address in a second. */
struct fdb_mover {
	uint64_t key; /* as in struct fdb_entry */
	uint32_t second, moves;
};
#define FDB_MOVERS 64

/* Learned addresses of one slot. */
struct fdb_port {
	uint32_t limit; /* maximum of stats.learned; 0: none. fdb_limit() */
	/*
	 * Gauge and counter, as in struct fdb. learned: entries in the table, aged ones
	 * included until they are removed.
	 */
	struct learning_stats stats;
};

struct fdb {
	struct fdb_entry *buckets;
	struct fdb_port *ports; /* by slot */
	uint32_t mask; /* number of buckets - 1; there are at least 2 * entries_max buckets */
	uint32_t entries_max;
	uint32_t ageing_s; /* ageing time, 8.8.3; 0: entries never age */
	uint32_t sweep_at; /* bucket where the next sweep begins */
	uint64_t hash_seed;
	uint32_t statics; /* of entries, the static ones */
	/*
	 * For fdb_read_...(): odd while an entry is added, moved or removed, and increased by each
	 * of these. What the buckets have is written with atomic operations, and read with these by
	 * other threads.
	 */
	uint32_t changes;
	/* Gauges: written by the owner's thread, read by any thread. */
	uint32_t entries;
	uint64_t learn_failures; /* addresses not learned because the table was full */
	/* By hash: the address that is the first one to move in a second. */
	struct fdb_mover movers[FDB_MOVERS];
};

/*
 * entries: maximum number. ageing_s 0: entries never age. seed: random, so that a
 * sender cannot predict hash collisions. Returns false if there is no memory.
 */
bool fdb_init(struct fdb *fdb, uint32_t entries, uint32_t ageing_s, uint64_t seed);
void fdb_destroy(struct fdb *fdb);

/* Returns the slot of an address' port, FDB_NO_SLOT if unknown or aged. mac: 6 octets. */
uint16_t fdb_lookup(const struct fdb *fdb, uint16_t vid, const uint8_t *mac, uint32_t now_s);

/* Loads the place of an address into the processor's cache, for a call that follows. */
void fdb_prefetch(const struct fdb *fdb, uint16_t vid, const uint8_t *mac);

/*
 * Learning process, 8.7: the address was seen on a port. Counts a failure if the table is
 * full, a refusal if the port has reached its limit. An address that moves to a port which
 * cannot learn it is unknown from then on: it is no longer where it was. Counts moves; of
 * addresses that move in the same second FDB_MOVERS at most are watched for flaps.
 */
void fdb_learn(struct fdb *fdb, uint16_t vid, const uint8_t *mac, uint16_t slot, uint32_t now_s);

/* Sets the maximum of learned addresses of a port; 0: none. Those beyond it stay until they age. */
void fdb_limit(struct fdb *fdb, uint16_t slot, uint32_t limit);

/*
 * Copies the port's gauge and counters of learned addresses. Any thread. The last flap can have
 * the address of one and the port of another if the owner's thread stands in the middle of it.
 */
void fdb_read_port(const struct fdb *fdb, uint16_t slot, struct learning_stats *out);

/*
 * Adds a static filtering entry, 8.8.1: frames for the address go to this port. It
 * never ages and learning does not change it. In a full table it takes the place of a
 * learned address. Returns false if the table is full of static entries.
 */
bool fdb_set_static(struct fdb *fdb, uint16_t vid, const uint8_t *mac, uint16_t slot);

/* Removes the static entry of an address if it is for this port. */
void fdb_clear_static(struct fdb *fdb, uint16_t vid, const uint8_t *mac, uint16_t slot);

/* Removes aged entries from a part of the table; FDB_SWEEP_CALLS calls cover all of it. */
#define FDB_SWEEP_CALLS 8
void fdb_sweep(struct fdb *fdb, uint32_t now_s);

/*
 * Removes all entries of the ports (slots below FDB_SLOTS) whose bit is set, bit slot % 64 of word
 * slot / 64, and their limits and counters.
 */
void fdb_flush(struct fdb *fdb, const uint64_t *slots);

/*
 * Removes the learned entries of slots, of ports or RBridges; static entries stay. slots: a bit
 * for each, as above, of FDB_SLOT_WORDS words. One call for several slots takes as long as one for
 * the slot that has the last entry; it returns at once if nothing is learned there.
 */
void fdb_flush_learned(struct fdb *fdb, const uint64_t *slots);

/* The same of one VLAN; vid 0: of all. */
void fdb_flush_vlan(struct fdb *fdb, const uint64_t *slots, uint16_t vid);

/* fdb_flush_learned() of one slot. */
void fdb_flush_port(struct fdb *fdb, uint16_t slot);

/*
 * Reading while the owner's thread goes on, by any thread and without a lock: entries read between
 * fdb_read_begin(), which returns *changes, and fdb_read_end() are valid if the latter returns
 * true; otherwise the table was changed meanwhile. fdb_read_begin() returns false if it is being
 * changed. Keep this short: a few buckets.
 */
bool fdb_read_begin(const struct fdb *fdb, uint32_t *changes);
bool fdb_read_end(const struct fdb *fdb, uint32_t changes);
/* Copies the entry of a bucket, 0 to fdb->mask. Returns false if there is none, or an aged one. */
bool fdb_read(const struct fdb *fdb, uint32_t bucket, uint32_t now_s, struct fdb_entry *out);
/*
 * Reads FDB_READ_BUCKETS buckets, from on, a multiple of it, into out. Returns the number of
 * entries; -1 if entries were changed meanwhile, and the part is to be read again. An entry that
 * moves is missed in no part if the parts are read in the order 0, last to first: deletion moves
 * entries to lower buckets, or from the first part to the last. It can be in two parts.
 */
#define FDB_READ_BUCKETS 16 /* the table has a multiple of them */
int fdb_read_part(const struct fdb *fdb, uint32_t from, uint32_t now_s,
		  struct fdb_entry out[FDB_READ_BUCKETS]);
/* Sets the VID and the address, 6 octets, of an entry that was read. */
void fdb_entry_address(const struct fdb_entry *entry, uint16_t *vid, uint8_t *mac);

#endif
