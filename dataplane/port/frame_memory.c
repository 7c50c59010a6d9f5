/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/port/frame_memory.h"

#include "lib/counter.h"

/* --- pools ------------------------------------------------------------------------ */

static void show(struct buffer_sum *gauges, const struct buffer_sum *sum)
{
	gauge_set(&gauges->octets, sum->octets);
	gauge_set(&gauges->frames, sum->frames);
}

static struct buffer_sum excess_of(const struct buffer_pool *pool, const struct buffer_sum *size)
{
	struct buffer_sum used = buffer_pool_used(pool);

	return (struct buffer_sum){buffer_beyond(used.octets, size->octets),
				   buffer_beyond(used.frames, size->frames)};
}

/* Sets the size of a pool, less what others still hold of it. Returns true if they do. */
static bool resize(struct buffer_pool *pool, const struct buffer_sum *size,
		   const struct buffer_sum *a, const struct buffer_sum *b)
{
	const struct buffer_sum less = {a->octets + b->octets, a->frames + b->frames};

	const struct buffer_sum to = {buffer_beyond(size->octets, less.octets),
				      buffer_beyond(size->frames, less.frames)};

	buffer_pool_resize(pool, &to);
	return less.octets || less.frames;
}

void frame_memory_settle(struct frame_memory *m)
{
	buffer_pool_note_peak(&m->lossless);
	buffer_pool_note_peak(&m->lossy);
	buffer_pool_note_peak(&m->headroom);
	if (m->overfull)
		frame_memory_divide(m);
}

/* What a pool holds beyond a reduced size is not yet free for the other shared pool. */
void frame_memory_divide(struct frame_memory *m)
{
	struct buffer_plan plan = buffer_plan(&m->is.size, &m->promises, &m->rules);
	struct buffer_sum lossless = excess_of(&m->lossless, &plan.lossless);
	struct buffer_sum lossy = excess_of(&m->lossy, &plan.lossy);
	struct buffer_sum headroom = excess_of(&m->headroom, &plan.headroom);

	m->overfull = resize(&m->lossy, &plan.lossy, &lossless, &headroom);
	m->overfull |= resize(&m->lossless, &plan.lossless, &lossy, &headroom);
	buffer_pool_resize(&m->headroom, &plan.headroom);
}

void frame_memory_show(struct frame_memory *m)
{
	struct buffer_plan plan = buffer_plan(&m->is.size, &m->promises, &m->rules);

	show(&m->reserved, &m->promises.reserve);
	show(&m->headroom_promised, &m->promises.headroom);
	show(&m->missing, &plan.missing);
}

void frame_memory_init(struct frame_memory *m, const struct port_buffer_memory *is)
{
	*m = (struct frame_memory){
	    .is = *is,
	    .rules = {.lossless_percent = 50, .headroom_ratio = 1},
	    .automatic = true,
	};
	frame_memory_divide(m);
	frame_memory_show(m);
}

void frame_memory_take_longest(struct frame_memory *m, uint32_t longest)
{
	m->is.longest = longest;
	gauge_set(&m->is.size.octets, m->is.size.frames * longest);
	frame_memory_divide(m);
}

bool frame_memory_configure(struct frame_memory *m, const struct buffer_memory_config *config,
			    struct dcb_time now)
{
	bool reset = m->has_watermark_reset && m->watermark_reset != config->watermark_reset;

	m->rules = config->rules;
	m->watermark_reset = config->watermark_reset;
	m->has_watermark_reset = true;
	frame_memory_divide(m);
	if (!reset)
		return false;
	buffer_pool_clear_peak(&m->lossless);
	buffer_pool_clear_peak(&m->lossy);
	buffer_pool_clear_peak(&m->headroom);
	gauge_set(&m->watermarks_since_ns, (uint64_t)now.ns);
	return true;
}

/* --- accounts of a port -------------------------------------------------------------- */

static void bind_accounts(struct frame_memory *m, struct port_buffers *port)
{
	for (unsigned i = 0; i < DCB_PRIORITIES; i++) {
		port->lossless[i].headroom_pool = &m->headroom;
		gauge_set(&port->lossless[i].pool, &m->lossless);
		if (port->flows)
			gauge_set(&port->flows[i].pool, &m->lossy);
	}
	for (unsigned i = 0; i <= DCB_PRIORITIES; i++) {
		gauge_set(&port->lossy[i].within, i < DCB_PRIORITIES ? &port->shared : NULL);
		gauge_set(&port->lossy[i].pool, &m->lossy);
	}
}

static void apply_one(struct frame_memory *m, struct buffer_account *a,
		      const struct buffer_quota *quota)
{
	buffer_promises_subtract(&m->promises, &a->quota);
	buffer_configure(a, quota);
	buffer_promises_add(&m->promises, quota);
}

/* A quota of zero ends PFC for the priority: no headroom is needed any more. */
static bool must_keep_headroom(const struct buffer_account *a, const struct buffer_quota *to)
{
	bool is_smaller = to->headroom.octets < a->quota.headroom.octets ||
			  to->headroom.frames < a->quota.headroom.frames;

	return to->headroom.frames && is_smaller && buffer_is_congested(a);
}

/* Also keeps the limit below the headroom: with pfc.buffer, it grows by what becomes free. */
static struct buffer_quota with_former_headroom(const struct buffer_account *a,
						const struct buffer_quota *to)
{
	struct buffer_quota q = *to;

	q.headroom = a->quota.headroom;
	if (a->quota.limit_octets < q.limit_octets)
		q.limit_octets = a->quota.limit_octets;
	return q;
}

static void apply_lossless(struct frame_memory *m, struct port_buffers *port, unsigned priority,
			   const struct buffer_quota *to)
{
	struct buffer_account *a = &port->lossless[priority];
	struct buffer_quota q = *to;

	if (must_keep_headroom(a, to)) {
		q = with_former_headroom(a, to);
		port->shrinks = m->shrinks = true;
	}
	apply_one(m, a, &q);
}

static void apply(struct frame_memory *m, struct port_buffers *port,
		  const struct port_buffer_quotas *quotas)
{
	port->shrinks = false;
	for (unsigned i = 0; i < DCB_PRIORITIES; i++) {
		apply_lossless(m, port, i, &quotas->lossless[i]);
		if (port->flows)
			apply_one(m, &port->flows[i], &quotas->flows[i]);
	}
	for (unsigned i = 0; i <= DCB_PRIORITIES; i++)
		apply_one(m, &port->lossy[i], &quotas->lossy[i]);
	frame_memory_divide(m);
}

static void set_automatic_frames(struct frame_memory *m, struct port_buffers *port, uint32_t frames)
{
	m->automatic_frames += frames - (uint64_t)port->automatic_frames;
	port->automatic_frames = frames;
}

static void set_xon(struct buffer_xon *xon, struct buffer_xon to)
{
	gauge_set(&xon->octets, to.octets);
	gauge_set(&xon->margin_octets, to.margin_octets);
}

void frame_memory_configure_port(struct frame_memory *m, struct port_buffers *port,
				 const struct port_buffer_input *in)
{
	struct port_buffer_input own = *in;
	struct port_buffer_quotas quotas;
	struct buffer_sum shared = {0};

	own.longest = m->is.longest;
	own.station = m->is.station;
	own.automatic = m->automatic;
	set_automatic_frames(m, port, port_buffer_automatic_frames(&own));
	port_buffer_quotas(&own, &quotas);
	for (unsigned i = 0; i < DCB_PRIORITIES; i++)
		set_xon(&port->xon[i],
			port_buffer_xon(in->settings, &quotas.lossless[i], m->is.longest));
	shared.octets = port_buffer_shared_octets(in->settings);
	buffer_pool_resize(&port->shared, &shared);
	bind_accounts(m, port);
	apply(m, port, &quotas);
}

void frame_memory_withdraw_port(struct frame_memory *m, struct port_buffers *port)
{
	static const struct port_buffer_quotas none;

	if (!port->lossy[0].pool)
		return;
	set_automatic_frames(m, port, 0);
	apply(m, port, &none);
}

bool frame_memory_change_automatic(struct frame_memory *m)
{
	bool automatic = port_buffer_automatic_fits(&m->is.size, m->automatic_frames);
	bool changes = automatic != m->automatic;

	m->automatic = automatic;
	return changes;
}

void frame_memory_clear_port_peaks(struct port_buffers *port)
{
	for (unsigned i = 0; i < DCB_PRIORITIES; i++) {
		buffer_clear_peaks(&port->lossless[i]);
		if (port->flows)
			buffer_clear_peaks(&port->flows[i]);
	}
	for (unsigned i = 0; i <= DCB_PRIORITIES; i++)
		buffer_clear_peaks(&port->lossy[i]);
}

/* --- statistics ---------------------------------------------------------------------- */

static void read_pool(const struct buffer_pool *pool, struct buffer_pool_stats *out)
{
	struct buffer_sum used = buffer_pool_used(pool);

	*out = (struct buffer_pool_stats){
	    .size_octets = gauge_get(&pool->size.octets),
	    .size_frames = gauge_get(&pool->size.frames),
	    .octets = used.octets,
	    .frames = used.frames,
	    .peak_octets = gauge_get(&pool->peak.octets),
	    .peak_frames = gauge_get(&pool->peak.frames),
	};
}

void frame_memory_read(const struct frame_memory *m, struct buffer_memory_stats *out)
{
	*out = (struct buffer_memory_stats){
	    .memory_octets = gauge_get(&m->is.size.octets),
	    .memory_frames = m->is.size.frames,
	    .reserved_octets = gauge_get(&m->reserved.octets),
	    .reserved_frames = gauge_get(&m->reserved.frames),
	    .headroom_octets = gauge_get(&m->headroom_promised.octets),
	    .headroom_frames = gauge_get(&m->headroom_promised.frames),
	    .missing_octets = gauge_get(&m->missing.octets),
	    .missing_frames = gauge_get(&m->missing.frames),
	    .watermarks_since_ns = gauge_get(&m->watermarks_since_ns),
	};
	read_pool(&m->lossless, &out->lossless);
	read_pool(&m->lossy, &out->lossy);
	read_pool(&m->headroom, &out->headroom);
}

/* Adds the state of an account: flow queues and queue of a station are one for a manager. */
static void add_account(const struct buffer_account *a, struct buffer_account_stats *out)
{
	struct buffer_use peak = buffer_peak(a);

	out->octets += gauge_get(&a->held.octets);
	out->frames += gauge_get(&a->held.frames);
	out->peak_octets += peak.octets;
	out->peak_frames += peak.frames;
	out->no_octets += gauge_get(&a->no_octets);
	out->no_frames += gauge_get(&a->no_frames);
	/* An account without a quota holds nothing, whatever its pool has free. */
	if (!gauge_get(&a->pool) ||
	    (!gauge_get(&a->quota.limit_octets) && !gauge_get(&a->quota.reserve.octets)))
		return;
	out->threshold_octets += gauge_get(&a->quota.reserve.octets) + buffer_threshold_octets(a);
	out->threshold_frames += gauge_get(&a->quota.reserve.frames) + buffer_threshold_frames(a);
}

static uint64_t xon_octets(const struct buffer_xon *xon, uint64_t xoff_octets)
{
	uint64_t below_xoff = buffer_beyond(xoff_octets, gauge_get(&xon->margin_octets));
	uint64_t most = gauge_get(&xon->octets);

	return below_xoff < most ? below_xoff : most;
}

void frame_memory_read_port(const struct port_buffers *port, unsigned priority,
			    struct buffer_stats *out)
{
	const struct buffer_account *lossless = &port->lossless[priority];

	*out = (struct buffer_stats){
	    .reserve_octets = gauge_get(&port->lossy[priority].quota.reserve.octets),
	    .reserve_frames = gauge_get(&port->lossy[priority].quota.reserve.frames),
	    .headroom_size = gauge_get(&lossless->quota.headroom.octets),
	    .headroom_octets = gauge_get(&lossless->headroom.octets),
	    .headroom_peak = gauge_get(&lossless->headroom_peak.octets),
	};
	add_account(lossless, &out->lossless);
	out->xon_octets = xon_octets(&port->xon[priority], out->lossless.threshold_octets);
	add_account(&port->lossy[priority], &out->lossy);
	if (port->flows)
		add_account(&port->flows[priority], &out->lossy);
}
