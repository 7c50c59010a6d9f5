/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Shared frame memory with guarantees, as switch ASICs have it: who may hold how
 * much of the frame memory.
 *
 *   memory = reserves + headroom pool + shared lossless pool + shared lossy pool
 *
 * Each user of the memory has an account: a priority with PFC at the port that
 * receives it (lossless), and each priority at the port that sends it (lossy). A
 * frame counts in one account, from the time it is copied into a frame buffer until
 * the buffer is free again. An account fills in this order, and empties in reverse:
 *
 *   1. reserve   its own, always available;
 *   2. shared    of its pool, up to a dynamic threshold: alpha times the free part of
 *                the pool (Choudhury and Hahne). Several accounts that want more than
 *                there is get equal parts, and some of the pool always stays free;
 *   3. headroom  lossless accounts only: for frames that arrive after XOFF (36.1.1).
 *
 * Octets and frame buffers are both limited, each in this way: otherwise frames of
 * 64 octets would use up the buffers while most octets are free.
 *
 * A pure engine: no clock, no memory allocation. One thread calls the functions that
 * change an account; gauges may be read by any thread.
 */
#ifndef DCB_CORE_BUFFER_H
#define DCB_CORE_BUFFER_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/counter.h"

/* Alpha is 2 to the power of a number in this range. */
#define BUFFER_ALPHA_MIN (-8)
#define BUFFER_ALPHA_MAX 8

/* Octets of frames without FCS, and frame buffers. */
struct buffer_use {
	uint32_t octets, frames;
};

struct buffer_sum {
	uint64_t octets, frames;
};

/* A part of the memory that accounts share. Gauges but for size. */
struct buffer_pool {
	struct buffer_sum size;
	struct buffer_sum used;
	struct buffer_sum peak; /* maximum of used since buffer_pool_clear_peak() */
};

/* What an account may hold. */
struct buffer_quota {
	struct buffer_use reserve;
	struct buffer_use headroom; /* zero: lossy */
	uint32_t limit_octets;      /* of the shared octets, whatever is free */
	int8_t alpha;               /* exponent: BUFFER_ALPHA_MIN..BUFFER_ALPHA_MAX */
};

/* All zero but the pools: an account that may hold nothing. */
struct buffer_account {
	struct buffer_pool *pool; /* shared pool */
	struct buffer_pool
	    *within; /* second shared pool with the same alpha: the port's; or NULL */
	struct buffer_pool *headroom_pool; /* NULL: lossy */
	struct buffer_quota quota;
	/* Gauges. */
	struct buffer_use held; /* all; what is neither shared nor headroom is in the reserve */
	struct buffer_use shared;
	struct buffer_use headroom;
	struct buffer_use peak;          /* maximum of held since buffer_clear_peaks() */
	struct buffer_use headroom_peak; /* maximum of headroom since then */
	/* Counters of frames that were refused. */
	uint64_t no_octets, no_frames;
};

enum buffer_verdict {
	BUFFER_FITS,
	BUFFER_CONGESTED, /* fits, and buffer_is_congested() is true now */
	BUFFER_NO_OCTETS, /* refused and counted: the octets exceed threshold or headroom */
	BUFFER_NO_FRAMES, /* refused and counted: the frame buffers do */
};

/* --- sizes ------------------------------------------------------------------------ */

/* What a set of accounts was promised. */
struct buffer_promises {
	struct buffer_sum reserve;
	struct buffer_sum headroom;
	uint32_t lossless; /* number of accounts with headroom */
};

/* Divides the memory. */
struct buffer_rules {
	uint8_t lossless_percent; /* of the shared memory, while there is a lossless account */
	uint8_t
	    headroom_ratio; /* the headroom pool has the sum of headroom divided by this; 0: 1 */
};

struct buffer_plan {
	struct buffer_sum headroom, lossless, lossy; /* sizes of the pools */
	struct buffer_sum missing; /* how much more memory the promises need; zero: they fit */
};

void buffer_promises_add(struct buffer_promises *sum, const struct buffer_quota *quota);
void buffer_promises_subtract(struct buffer_promises *sum, const struct buffer_quota *quota);

/*
 * Divides the memory: reserves first, then headroom, the rest is shared. If the
 * promises do not fit, the headroom pool has what is left, and the shared pools nothing.
 */
struct buffer_plan buffer_plan(const struct buffer_sum *memory, const struct buffer_promises *sum,
			       const struct buffer_rules *rules);

static inline bool buffer_plan_fits(const struct buffer_plan *plan)
{
	return plan->missing.octets == 0 && plan->missing.frames == 0;
}

/* --- accounts ----------------------------------------------------------------------- */

/*
 * Sets a new quota and a new pool. What the account holds stays: beyond the reserve
 * it counts as shared, even above the threshold, and is released as frames leave.
 */
void buffer_configure(struct buffer_account *a, const struct buffer_quota *quota);

/* Counts what the account holds nowhere any more: its frames are counted elsewhere. */
void buffer_reset(struct buffer_account *a);

static inline uint64_t buffer_scale(uint64_t free, int8_t alpha)
{
	return alpha < 0 ? free >> -alpha : free << alpha;
}

static inline uint64_t buffer_free(uint64_t size, uint64_t used)
{
	return size > used ? size - used : 0;
}

static inline uint64_t buffer_free_octets(const struct buffer_pool *pool)
{
	return buffer_free(gauge_get(&pool->size.octets), gauge_get(&pool->used.octets));
}

static inline uint64_t buffer_free_frames(const struct buffer_pool *pool)
{
	return buffer_free(gauge_get(&pool->size.frames), gauge_get(&pool->used.frames));
}

/* Returns the shared octets that the account may hold at this moment. Any thread. */
static inline uint64_t buffer_threshold_octets(const struct buffer_account *a)
{
	uint64_t free = buffer_free_octets(a->pool), limit = gauge_get(&a->quota.limit_octets);
	uint64_t threshold;

	if (a->within) {
		uint64_t own = buffer_free_octets(a->within);

		free = own < free ? own : free;
	}
	threshold = buffer_scale(free, gauge_get(&a->quota.alpha));
	return threshold < limit ? threshold : limit;
}

/* The same for frame buffers. The second pool does not limit them. Any thread. */
static inline uint64_t buffer_threshold_frames(const struct buffer_account *a)
{
	return buffer_scale(buffer_free_frames(a->pool), gauge_get(&a->quota.alpha));
}

/* Returns how many more frame buffers reserve and threshold leave to the account. */
static inline uint64_t buffer_room_frames(const struct buffer_account *a)
{
	return buffer_free(a->quota.reserve.frames + buffer_threshold_frames(a), a->held.frames);
}

/*
 * Returns true if the account holds frames and has reached its threshold: a lossless priority is to
 * be paused, and what it receives from now on is in the headroom.
 */
static inline bool buffer_is_congested(const struct buffer_account *a)
{
	if (a->held.frames == 0)
		return false;
	return a->headroom.octets || a->headroom.frames ||
	       a->held.octets >= a->quota.reserve.octets + buffer_threshold_octets(a) ||
	       a->held.frames >= a->quota.reserve.frames + buffer_threshold_frames(a);
}

/*
 * Returns true if a pause may end: at least the margin below the threshold, or nothing
 * held. The margin keeps frames that arrive one by one from causing two PFC frames each.
 */
static inline bool buffer_is_relieved(const struct buffer_account *a,
				      const struct buffer_use *margin)
{
	if (a->held.frames == 0)
		return true;
	return !a->headroom.octets && !a->headroom.frames &&
	       (uint64_t)a->held.octets + margin->octets <=
		   a->quota.reserve.octets + buffer_threshold_octets(a) &&
	       (uint64_t)a->held.frames + margin->frames <=
		   a->quota.reserve.frames + buffer_threshold_frames(a);
}

/*
 * Counts a frame of len octets in the account if it fits, otherwise the refusal. Call
 * buffer_release() when the frame buffer is free again.
 */
enum buffer_verdict buffer_take(struct buffer_account *a, uint32_t len);

/* Counts a frame although it may not fit: it is held already, and counted nowhere. */
void buffer_take_over(struct buffer_account *a, uint32_t len);

void buffer_release(struct buffer_account *a, uint32_t len);

/* Subtracts octets of a frame that became shorter. */
void buffer_shorten(struct buffer_account *a, uint32_t octets);

/* Set the peaks to what is held now. */
void buffer_clear_peaks(struct buffer_account *a);
void buffer_pool_clear_peak(struct buffer_pool *pool);

#endif
