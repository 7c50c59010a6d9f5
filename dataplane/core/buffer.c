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
	uint64_t rest = buffer_beyond(memory, reserve);
	struct division d = {
	    .headroom = smaller(pool, rest),
	    .missing = buffer_beyond(reserve + pool, memory),
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

/* --- pools -------------------------------------------------------------------------- */

/* Another thread may read a size that is reduced already, and the free part of before. */
static uint64_t used_of(uint64_t size, int64_t free)
{
	return free < 0 ? size + (uint64_t)-free : buffer_beyond(size, (uint64_t)free);
}

struct buffer_sum buffer_pool_used(const struct buffer_pool *pool)
{
	return (struct buffer_sum){
	    used_of(gauge_get(&pool->size.octets), gauge_get(&pool->free_octets)),
	    used_of(gauge_get(&pool->size.frames), gauge_get(&pool->free_frames)),
	};
}

void buffer_pool_resize(struct buffer_pool *pool, const struct buffer_sum *size)
{
	struct buffer_sum used = buffer_pool_used(pool);

	gauge_set(&pool->size.octets, size->octets);
	gauge_set(&pool->size.frames, size->frames);
	gauge_set(&pool->free_octets, (int64_t)(size->octets - used.octets));
	gauge_set(&pool->free_frames, (int64_t)(size->frames - used.frames));
}

/* buffer_pool_used() for the thread that writes the pool: less than zero are none. */
void buffer_pool_note_peak(struct buffer_pool *pool)
{
	int64_t octets = (int64_t)pool->size.octets - pool->free_octets;
	int64_t frames = (int64_t)pool->size.frames - pool->free_frames;

	if (octets > (int64_t)pool->peak.octets)
		gauge_set(&pool->peak.octets, (uint64_t)octets);
	if (frames > (int64_t)pool->peak.frames)
		gauge_set(&pool->peak.frames, (uint64_t)frames);
}

void buffer_pool_clear_peak(struct buffer_pool *pool)
{
	struct buffer_sum used = buffer_pool_used(pool);

	gauge_set(&pool->peak.octets, used.octets);
	gauge_set(&pool->peak.frames, used.frames);
}

/* --- amounts -------------------------------------------------------------------------- */

/* Adds to the free part of a pool; negative: subtracts. */
static void add(int64_t *free, int64_t amount)
{
	gauge_set(free, *free + amount);
}

static void add_free(struct buffer_account *a, int64_t octets, int64_t frames)
{
	add(&a->pool->free_octets, octets);
	add(&a->pool->free_frames, frames);
	if (a->within)
		add(&a->within->free_octets, octets);
}

static void set_held(struct buffer_account *a, uint32_t octets, uint32_t frames)
{
	gauge_set(&a->held.octets, octets);
	gauge_set(&a->held.frames, frames);
}

/* --- headroom ------------------------------------------------------------------------- */

static void set_simple(struct buffer_account *a)
{
	a->is_simple = a->quota.alpha >= 0 && !a->headroom.octets && !a->headroom.frames;
}

static void headroom_add(struct buffer_account *a, uint32_t octets, uint32_t frames)
{
	struct buffer_pool *pool = a->headroom_pool;

	gauge_set(&a->headroom.octets, a->headroom.octets + octets);
	gauge_set(&a->headroom.frames, a->headroom.frames + frames);
	if (a->headroom.octets > a->headroom_peak.octets)
		gauge_set(&a->headroom_peak.octets, a->headroom.octets);
	if (a->headroom.frames > a->headroom_peak.frames)
		gauge_set(&a->headroom_peak.frames, a->headroom.frames);
	add(&pool->free_octets, -(int64_t)octets);
	add(&pool->free_frames, -(int64_t)frames);
	set_simple(a);
}

static void headroom_subtract(struct buffer_account *a, uint32_t octets, uint32_t frames)
{
	struct buffer_pool *pool = a->headroom_pool;

	gauge_set(&a->headroom.octets, a->headroom.octets - octets);
	gauge_set(&a->headroom.frames, a->headroom.frames - frames);
	add(&pool->free_octets, octets);
	add(&pool->free_frames, frames);
	set_simple(a);
}

/* The parts of a frame, or of its frame buffer, beyond the reserve. */
struct parts {
	uint32_t shared, headroom;
};

/* The shared pools have as much of an amount as threshold and free part permit. */
static struct parts divide_amount(uint64_t beyond, uint64_t amount, uint32_t shared,
				  uint64_t threshold, uint64_t free)
{
	uint64_t rest = smaller(beyond, amount);
	uint64_t in_shared = smaller(rest, smaller(buffer_beyond(threshold, shared), free));

	return (struct parts){(uint32_t)in_shared, (uint32_t)(rest - in_shared)};
}

static struct parts parts_octets(const struct buffer_account *a, uint32_t len)
{
	uint64_t beyond = buffer_beyond((uint64_t)a->held.octets + len, a->quota.reserve.octets);

	return divide_amount(beyond, len, buffer_shared(a).octets, buffer_threshold_octets(a),
			     buffer_free_octets(a));
}

static struct parts parts_frames(const struct buffer_account *a)
{
	uint64_t beyond = buffer_beyond((uint64_t)a->held.frames + 1, a->quota.reserve.frames);

	return divide_amount(beyond, 1, buffer_shared(a).frames, buffer_threshold_frames(a),
			     buffer_free_frames(a));
}

static bool headroom_has(uint32_t amount, uint32_t held, uint32_t quota, int64_t free)
{
	return held + (uint64_t)amount <= quota && (int64_t)amount <= free;
}

static bool has_octets(const struct buffer_account *a, uint32_t octets)
{
	return octets == 0 || (a->headroom_pool &&
			       headroom_has(octets, a->headroom.octets, a->quota.headroom.octets,
					    a->headroom_pool->free_octets));
}

static bool has_frames(const struct buffer_account *a, uint32_t frames)
{
	return frames == 0 || (a->headroom_pool &&
			       headroom_has(frames, a->headroom.frames, a->quota.headroom.frames,
					    a->headroom_pool->free_frames));
}

static void note_peak(struct buffer_account *a)
{
	struct buffer_use peak = buffer_peak(a);

	gauge_set(&a->peak.octets, peak.octets);
	gauge_set(&a->peak.frames, peak.frames);
}

static void take(struct buffer_account *a, uint32_t len, const struct parts *octets,
		 const struct parts *frames)
{
	add_free(a, -(int64_t)octets->shared, -(int64_t)frames->shared);
	if (octets->headroom | frames->headroom)
		headroom_add(a, octets->headroom, frames->headroom);
	set_held(a, a->held.octets + len, a->held.frames + 1);
}

enum buffer_verdict buffer_take_exactly(struct buffer_account *a, uint32_t len)
{
	struct parts octets = parts_octets(a, len), frames = parts_frames(a);

	if (!has_octets(a, octets.headroom)) {
		counter_add(&a->no_octets, 1);
		return BUFFER_NO_OCTETS;
	}
	if (!has_frames(a, frames.headroom)) {
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

void buffer_release(struct buffer_account *a, uint32_t octets, uint32_t frames)
{
	uint32_t o = (uint32_t)smaller(octets, a->headroom.octets);
	uint32_t f = (uint32_t)smaller(frames, a->headroom.frames);
	struct buffer_use shared = buffer_shared(a);

	note_peak(a);
	if (o | f)
		headroom_subtract(a, o, f);
	add_free(a, (int64_t)smaller(octets - o, shared.octets),
		 (int64_t)smaller(frames - f, shared.frames));
	set_held(a, a->held.octets - octets, a->held.frames - frames);
}

/* --- settings ------------------------------------------------------------------------- */

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
	struct buffer_use shared = buffer_shared(a);

	add_free(a, shared.octets, shared.frames);
	if (a->headroom.octets | a->headroom.frames)
		headroom_subtract(a, a->headroom.octets, a->headroom.frames);
	set_quota(&a->quota, quota);
	set_simple(a);
	shared = buffer_shared(a);
	add_free(a, -(int64_t)shared.octets, -(int64_t)shared.frames);
}

void buffer_clear_peaks(struct buffer_account *a)
{
	gauge_set(&a->peak.octets, a->held.octets);
	gauge_set(&a->peak.frames, a->held.frames);
	gauge_set(&a->headroom_peak.octets, a->headroom.octets);
	gauge_set(&a->headroom_peak.frames, a->headroom.frames);
}
