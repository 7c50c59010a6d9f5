/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/core/buffer.h"

/* --- sizes ------------------------------------------------------------------------ */

void buffer_promises_add(struct buffer_promises *sum, const struct buffer_quota *quota)
{
	sum->reserve.octets += quota->reserve.octets;
	sum->reserve.frames += quota->reserve.frames;
	sum->headroom.octets += quota->headroom.octets;
	sum->headroom.frames += quota->headroom.frames;
	sum->lossless += quota->headroom.frames > 0;
}

void buffer_promises_subtract(struct buffer_promises *sum, const struct buffer_quota *quota)
{
	sum->reserve.octets -= quota->reserve.octets;
	sum->reserve.frames -= quota->reserve.frames;
	sum->headroom.octets -= quota->headroom.octets;
	sum->headroom.frames -= quota->headroom.frames;
	sum->lossless -= quota->headroom.frames > 0;
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* One of the two resources, octets or frame buffers. */
struct division {
	uint64_t headroom, lossless, lossy, missing;
};

static struct division divide(uint64_t memory, uint64_t reserve, uint64_t headroom, bool lossless,
			      const struct buffer_rules *rules)
{
	unsigned ratio = rules->headroom_ratio ? rules->headroom_ratio : 1;
	uint64_t pool = headroom / ratio + (headroom % ratio > 0);
	uint64_t rest = buffer_free(memory, reserve);
	struct division d = {
	    .headroom = smaller(pool, rest),
	    .missing = buffer_free(reserve + pool, memory),
	};

	rest -= d.headroom;
	d.lossless = lossless ? rest / 100 * rules->lossless_percent +
				    rest % 100 * rules->lossless_percent / 100
			      : 0;
	d.lossy = rest - d.lossless;
	return d;
}

struct buffer_plan buffer_plan(const struct buffer_sum *memory, const struct buffer_promises *sum,
			       const struct buffer_rules *rules)
{
	bool lossless = sum->lossless > 0;
	struct division octets =
	    divide(memory->octets, sum->reserve.octets, sum->headroom.octets, lossless, rules);
	struct division frames =
	    divide(memory->frames, sum->reserve.frames, sum->headroom.frames, lossless, rules);

	return (struct buffer_plan){
	    .headroom = {octets.headroom, frames.headroom},
	    .lossless = {octets.lossless, frames.lossless},
	    .lossy = {octets.lossy, frames.lossy},
	    .missing = {octets.missing, frames.missing},
	};
}

/* --- counting --------------------------------------------------------------------- */

/* A pool's part of a frame, to be added or subtracted. */
static void pool_add(struct buffer_pool *pool, uint32_t octets, uint32_t frames)
{
	gauge_set(&pool->used.octets, pool->used.octets + octets);
	gauge_set(&pool->used.frames, pool->used.frames + frames);
	if (pool->used.octets > pool->peak.octets)
		gauge_set(&pool->peak.octets, pool->used.octets);
	if (pool->used.frames > pool->peak.frames)
		gauge_set(&pool->peak.frames, pool->used.frames);
}

static void pool_subtract(struct buffer_pool *pool, uint32_t octets, uint32_t frames)
{
	gauge_set(&pool->used.octets, pool->used.octets - octets);
	gauge_set(&pool->used.frames, pool->used.frames - frames);
}

static void shared_add(struct buffer_account *a, uint32_t octets, uint32_t frames)
{
	gauge_set(&a->shared.octets, a->shared.octets + octets);
	gauge_set(&a->shared.frames, a->shared.frames + frames);
	pool_add(a->pool, octets, frames);
	if (a->within)
		pool_add(a->within, octets, frames);
}

static void shared_subtract(struct buffer_account *a, uint32_t octets, uint32_t frames)
{
	gauge_set(&a->shared.octets, a->shared.octets - octets);
	gauge_set(&a->shared.frames, a->shared.frames - frames);
	pool_subtract(a->pool, octets, frames);
	if (a->within)
		pool_subtract(a->within, octets, frames);
}

static void headroom_add(struct buffer_account *a, uint32_t octets, uint32_t frames)
{
	gauge_set(&a->headroom.octets, a->headroom.octets + octets);
	gauge_set(&a->headroom.frames, a->headroom.frames + frames);
	if (a->headroom.octets > a->headroom_peak.octets)
		gauge_set(&a->headroom_peak.octets, a->headroom.octets);
	if (a->headroom.frames > a->headroom_peak.frames)
		gauge_set(&a->headroom_peak.frames, a->headroom.frames);
	pool_add(a->headroom_pool, octets, frames);
}

static void headroom_subtract(struct buffer_account *a, uint32_t octets, uint32_t frames)
{
	gauge_set(&a->headroom.octets, a->headroom.octets - octets);
	gauge_set(&a->headroom.frames, a->headroom.frames - frames);
	pool_subtract(a->headroom_pool, octets, frames);
}

static void held_add(struct buffer_account *a, uint32_t octets, uint32_t frames)
{
	gauge_set(&a->held.octets, a->held.octets + octets);
	gauge_set(&a->held.frames, a->held.frames + frames);
	if (a->held.octets > a->peak.octets)
		gauge_set(&a->peak.octets, a->held.octets);
	if (a->held.frames > a->peak.frames)
		gauge_set(&a->peak.frames, a->held.frames);
}

/* --- accounts ----------------------------------------------------------------------- */

/* The parts of a frame, or its frame buffer, that the reserve does not hold. */
struct parts {
	uint32_t shared, headroom;
};

/* Returns what is left for an amount after the free part of the reserve. */
static inline uint32_t beyond_reserve(uint32_t amount, uint32_t reserve, uint32_t in_reserve)
{
	uint32_t free = reserve > in_reserve ? reserve - in_reserve : 0;

	return amount > free ? amount - free : 0;
}

static inline uint32_t shared_part(uint32_t amount, uint64_t threshold, uint32_t shared,
				   uint64_t free)
{
	return (uint32_t)smaller(amount, smaller(buffer_free(threshold, shared), free));
}

static inline struct parts parts_octets(const struct buffer_account *a, uint32_t len)
{
	uint32_t in_reserve = a->held.octets - a->shared.octets - a->headroom.octets;
	uint32_t rest = beyond_reserve(len, a->quota.reserve.octets, in_reserve);
	uint64_t free;
	struct parts p;

	if (rest == 0)
		return (struct parts){0, 0};
	free = buffer_free_octets(a->pool);
	if (a->within)
		free = smaller(free, buffer_free_octets(a->within));
	p.shared = shared_part(rest, buffer_threshold_octets(a), a->shared.octets, free);
	p.headroom = rest - p.shared;
	return p;
}

static inline struct parts parts_frames(const struct buffer_account *a)
{
	uint32_t in_reserve = a->held.frames - a->shared.frames - a->headroom.frames;
	struct parts p;

	if (beyond_reserve(1, a->quota.reserve.frames, in_reserve) == 0)
		return (struct parts){0, 0};
	p.shared = shared_part(1, buffer_threshold_frames(a), a->shared.frames,
			       buffer_free_frames(a->pool));
	p.headroom = 1 - p.shared;
	return p;
}

static inline bool headroom_has(uint32_t amount, uint32_t held, uint32_t quota, uint64_t used,
				uint64_t size)
{
	return held + (uint64_t)amount <= quota && used + amount <= size;
}

static bool headroom_has_octets(const struct buffer_account *a, uint32_t octets)
{
	return a->headroom_pool &&
	       headroom_has(octets, a->headroom.octets, a->quota.headroom.octets,
			    a->headroom_pool->used.octets, a->headroom_pool->size.octets);
}

static bool headroom_has_frames(const struct buffer_account *a, uint32_t frames)
{
	return a->headroom_pool &&
	       headroom_has(frames, a->headroom.frames, a->quota.headroom.frames,
			    a->headroom_pool->used.frames, a->headroom_pool->size.frames);
}

static void take(struct buffer_account *a, uint32_t len, const struct parts *octets,
		 const struct parts *frames)
{
	held_add(a, len, 1);
	if (octets->shared | frames->shared)
		shared_add(a, octets->shared, frames->shared);
	if (octets->headroom | frames->headroom)
		headroom_add(a, octets->headroom, frames->headroom);
}

enum buffer_verdict buffer_take(struct buffer_account *a, uint32_t len)
{
	struct parts octets = parts_octets(a, len), frames = parts_frames(a);

	if (octets.headroom && !headroom_has_octets(a, octets.headroom)) {
		counter_add(&a->no_octets, 1);
		return BUFFER_NO_OCTETS;
	}
	if (frames.headroom && !headroom_has_frames(a, frames.headroom)) {
		counter_add(&a->no_frames, 1);
		return BUFFER_NO_FRAMES;
	}
	take(a, len, &octets, &frames);
	return a->headroom_pool && buffer_is_congested(a) ? BUFFER_CONGESTED : BUFFER_FITS;
}

void buffer_take_over(struct buffer_account *a, uint32_t len)
{
	struct parts octets = parts_octets(a, len), frames = parts_frames(a);

	octets = (struct parts){octets.shared + octets.headroom, 0};
	frames = (struct parts){frames.shared + frames.headroom, 0};
	take(a, len, &octets, &frames);
}

static void release(struct buffer_account *a, uint32_t len, uint32_t frames)
{
	struct parts o, f;

	o.headroom = (uint32_t)smaller(len, a->headroom.octets);
	o.shared = (uint32_t)smaller(len - o.headroom, a->shared.octets);
	f.headroom = (uint32_t)smaller(frames, a->headroom.frames);
	f.shared = (uint32_t)smaller(frames - f.headroom, a->shared.frames);
	if (o.headroom | f.headroom)
		headroom_subtract(a, o.headroom, f.headroom);
	if (o.shared | f.shared)
		shared_subtract(a, o.shared, f.shared);
	gauge_set(&a->held.octets, a->held.octets - len);
	gauge_set(&a->held.frames, a->held.frames - frames);
}

void buffer_release(struct buffer_account *a, uint32_t len)
{
	release(a, len, 1);
}

void buffer_shorten(struct buffer_account *a, uint32_t octets)
{
	release(a, octets, 0);
}

void buffer_reset(struct buffer_account *a)
{
	release(a, a->held.octets, a->held.frames);
}

static void set_quota(struct buffer_quota *to, const struct buffer_quota *from)
{
	gauge_set(&to->reserve.octets, from->reserve.octets);
	gauge_set(&to->reserve.frames, from->reserve.frames);
	gauge_set(&to->headroom.octets, from->headroom.octets);
	gauge_set(&to->headroom.frames, from->headroom.frames);
	gauge_set(&to->limit_octets, from->limit_octets);
	gauge_set(&to->alpha, from->alpha);
}

void buffer_configure(struct buffer_account *a, const struct buffer_quota *quota)
{
	struct buffer_use held = a->held;

	release(a, held.octets, held.frames);
	set_quota(&a->quota, quota);
	gauge_set(&a->held.octets, held.octets);
	gauge_set(&a->held.frames, held.frames);
	shared_add(a, (uint32_t)buffer_free(held.octets, quota->reserve.octets),
		   (uint32_t)buffer_free(held.frames, quota->reserve.frames));
}

void buffer_clear_peaks(struct buffer_account *a)
{
	gauge_set(&a->peak.octets, a->held.octets);
	gauge_set(&a->peak.frames, a->held.frames);
	gauge_set(&a->headroom_peak.octets, a->headroom.octets);
	gauge_set(&a->headroom_peak.frames, a->headroom.frames);
}

void buffer_pool_clear_peak(struct buffer_pool *pool)
{
	gauge_set(&pool->peak.octets, pool->used.octets);
	gauge_set(&pool->peak.frames, pool->used.frames);
}
