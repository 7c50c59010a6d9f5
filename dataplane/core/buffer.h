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

/*
 * A part of the memory that accounts share. Gauges but for size. The free part is less
 * than zero while the pool holds more than its size, after that was reduced.
 */
struct buffer_pool {
	int64_t free_octets, free_frames;
	struct buffer_sum size;
	struct buffer_sum peak; /* of the used part: buffer_pool_note_peak() */
};

/* What an account may hold. */
struct buffer_quota {
	struct buffer_use reserve;
	uint32_t limit_octets;      /* of the shared octets, whatever is free */
	int8_t alpha;               /* exponent: BUFFER_ALPHA_MIN..BUFFER_ALPHA_MAX */
	struct buffer_use headroom; /* zero: lossy */
};

/* (C) A pause ends this many frame buffers below the threshold. */
#define BUFFER_XON_FRAMES 2

/* When a pause may end. */
struct buffer_xon {
	uint32_t margin_octets; /* below the threshold */
	uint32_t octets;        /* the account holds no more than these */
};

/*
 * All zero but the pools: an account that may hold nothing. The reserve has as much of
 * the held octets and frames as it can, headroom those that exceeded the threshold when
 * they arrived, the shared pools the rest.
 */
struct buffer_account {
	struct buffer_pool *pool;   /* shared pool */
	struct buffer_pool *within; /* second shared pool, for octets only: the port's; or NULL */
	struct buffer_quota quota;
	bool is_simple; /* alpha is 1 or more, headroom is 0: buffer_take() */
	/* Gauges. */
	struct buffer_use held;
	struct buffer_use headroom;        /* part of held */
	struct buffer_use peak;            /* buffer_peak() */
	struct buffer_use headroom_peak;   /* maximum of headroom since then */
	struct buffer_pool *headroom_pool; /* NULL: lossy */
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
 * promises do not fit, the headroom pool has the rest, and the shared pools nothing.
 */
struct buffer_plan buffer_plan(const struct buffer_sum *memory, const struct buffer_promises *sum,
			       const struct buffer_rules *rules);

static inline bool buffer_plan_fits(const struct buffer_plan *plan)
{
	return plan->missing.octets == 0 && plan->missing.frames == 0;
}

/* --- pools -------------------------------------------------------------------------- */

void buffer_pool_resize(struct buffer_pool *pool, const struct buffer_sum *size);

/*
 * Returns what accounts hold of the pool. Any thread; wrong, but not negative, at a moment
 * in which the owner resizes the pool.
 */
struct buffer_sum buffer_pool_used(const struct buffer_pool *pool);

/*
 * Updates the peak. Called before accounts release frames: use only grows in between, so
 * the peak is exact although buffer_take() does not update it.
 */
void buffer_pool_note_peak(struct buffer_pool *pool);

/* Sets the peak to the present use. */
void buffer_pool_clear_peak(struct buffer_pool *pool);

/* --- accounts ----------------------------------------------------------------------- */

/*
 * Sets a new quota. What the account holds stays: beyond the reserve it counts as
 * shared, even above the threshold, and is released as frames leave.
 */
void buffer_configure(struct buffer_account *a, const struct buffer_quota *quota);

static inline uint64_t buffer_scale(uint64_t free, int8_t alpha)
{
	return alpha < 0 ? free >> -alpha : free << alpha;
}

/* Returns a - b; 0 if that is negative. */
static inline uint64_t buffer_beyond(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

/* Return how much the shared pools have free, the lower of both. Any thread. */
static inline int64_t buffer_lower_free(const struct buffer_account *a)
{
	const struct buffer_pool *pool = gauge_get(&a->pool), *within = gauge_get(&a->within);
	int64_t free = gauge_get(&pool->free_octets);

	if (within) {
		int64_t own = gauge_get(&within->free_octets);

		free = own < free ? own : free;
	}
	return free;
}

static inline uint64_t buffer_free_octets(const struct buffer_account *a)
{
	int64_t free = buffer_lower_free(a);

	return free > 0 ? (uint64_t)free : 0;
}

static inline uint64_t buffer_free_frames(const struct buffer_account *a)
{
	const struct buffer_pool *pool = gauge_get(&a->pool);
	int64_t free = gauge_get(&pool->free_frames);

	return free > 0 ? (uint64_t)free : 0;
}

/* Return how much the account may hold of the shared pools at this moment. Any thread. */
static inline uint64_t buffer_threshold_octets(const struct buffer_account *a)
{
	uint64_t threshold = buffer_scale(buffer_free_octets(a), gauge_get(&a->quota.alpha));
	uint64_t limit = gauge_get(&a->quota.limit_octets);

	return threshold < limit ? threshold : limit;
}

static inline uint64_t buffer_threshold_frames(const struct buffer_account *a)
{
	return buffer_scale(buffer_free_frames(a), gauge_get(&a->quota.alpha));
}

/* Returns how many more frame buffers reserve and threshold leave to the account. */
static inline uint64_t buffer_room_frames(const struct buffer_account *a)
{
	return buffer_beyond(a->quota.reserve.frames + buffer_threshold_frames(a), a->held.frames);
}

/*
 * Returns true if the account holds frames and has reached its threshold: a lossless
 * priority is to be paused, and frames that arrive from now on are in the headroom.
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
 * Returns true if a pause may end, also if nothing is held. The margin keeps frames that
 * arrive one by one from causing two PFC frames each.
 */
static inline bool buffer_is_below_xon(const struct buffer_account *a, const struct buffer_xon *xon)
{
	if (a->held.frames == 0)
		return true;
	return !a->headroom.octets && !a->headroom.frames && a->held.octets <= xon->octets &&
	       (uint64_t)a->held.octets + xon->margin_octets <=
		   a->quota.reserve.octets + buffer_threshold_octets(a) &&
	       (uint64_t)a->held.frames + BUFFER_XON_FRAMES <=
		   a->quota.reserve.frames + buffer_threshold_frames(a);
}

/* --- frames ----------------------------------------------------------------------------- */

/* Returns what the account holds of the shared pools. */
static inline struct buffer_use buffer_shared(const struct buffer_account *a)
{
	return (struct buffer_use){
	    (uint32_t)buffer_beyond(a->held.octets, a->quota.reserve.octets) - a->headroom.octets,
	    (uint32_t)buffer_beyond(a->held.frames, a->quota.reserve.frames) - a->headroom.frames,
	};
}

/*
 * Returns the maximum of held since buffer_clear_peaks(). The member peak is the maximum
 * up to the last release: held only grows in between. Any thread.
 */
static inline struct buffer_use buffer_peak(const struct buffer_account *a)
{
	uint32_t octets = gauge_get(&a->held.octets), frames = gauge_get(&a->held.frames);
	uint32_t peak_octets = gauge_get(&a->peak.octets), peak_frames = gauge_get(&a->peak.frames);

	return (struct buffer_use){octets > peak_octets ? octets : peak_octets,
				   frames > peak_frames ? frames : peak_frames};
}

/* buffer_take() by the threshold. */
enum buffer_verdict buffer_take_exactly(struct buffer_account *a, uint32_t len);

/*
 * Counts a frame of len octets in the account if it fits, otherwise the refusal. Call
 * buffer_release() when the frame buffer is free again. Short for the usual case: alpha is
 * 1 or more, and the pools have as much free as the account shares with this frame, and a
 * frame more. The threshold is not less than the free part and is not calculated then.
 */
static inline enum buffer_verdict buffer_take(struct buffer_account *a, uint32_t len)
{
	uint32_t octets = a->held.octets + len, frames = a->held.frames + 1;
	int64_t shared = (int64_t)octets - a->quota.reserve.octets, needed = shared + len;
	int64_t shared_frames = (int64_t)frames - a->quota.reserve.frames;
	struct buffer_pool *pool = a->pool, *within = a->within;

	if (!a->is_simple || needed >= a->quota.limit_octets || needed >= pool->free_octets ||
	    (within && needed >= within->free_octets) || shared_frames + 1 >= pool->free_frames)
		return buffer_take_exactly(a, len);
	if (shared > 0) {
		int64_t more = shared < len ? shared : len;

		gauge_set(&pool->free_octets, pool->free_octets - more);
		if (within)
			gauge_set(&within->free_octets, within->free_octets - more);
	}
	if (shared_frames > 0)
		gauge_set(&pool->free_frames, pool->free_frames - 1);
	gauge_set(&a->held.octets, octets);
	gauge_set(&a->held.frames, frames);
	return BUFFER_FITS;
}

/* Counts a frame although it may not fit: it is held already, and counted nowhere. */
void buffer_take_over(struct buffer_account *a, uint32_t len);

/*
 * Subtracts octets and frames from what the account holds: those of one frame, of several
 * frames together (struct buffer_run), or octets alone of a frame that became shorter.
 */
void buffer_release(struct buffer_account *a, uint32_t octets, uint32_t frames);

/*
 * Frames that leave together, and the account that counts them: one buffer_release() for
 * successive frames of the same account. All zero: no frames.
 */
struct buffer_run {
	struct buffer_account *account;
	uint32_t octets, frames;
};

/* Releases the frames of the run. */
static inline void buffer_run_end(struct buffer_run *run)
{
	if (run->frames)
		buffer_release(run->account, run->octets, run->frames);
	run->frames = 0;
}

/* Adds a frame to the run, which is released first if it has frames of another account. */
static inline void buffer_run_add(struct buffer_run *run, struct buffer_account *a, uint32_t len)
{
	if (a != run->account || !run->frames) {
		buffer_run_end(run);
		*run = (struct buffer_run){.account = a};
	}
	run->octets += len;
	run->frames++;
}

/* Sets the peaks to the octets and frames held now. */
void buffer_clear_peaks(struct buffer_account *a);

#endif
