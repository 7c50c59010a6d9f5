/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/core/dcqcn.h"

#define UNKNOWN_LINE_BPS UINT64_C(10000000000)

static uint64_t min_u64(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t max_u64(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

void dcqcn_rp_init(struct dcqcn_rp *rp, struct dcb_rate line)
{
	uint64_t bps = dcb_rate_is_unlimited(line) ? UNKNOWN_LINE_BPS : line.bps;

	bps = min_u64(max_u64(bps, DCQCN_MIN_BPS), DCQCN_LINE_MAX_BPS);
	*rp = (struct dcqcn_rp){
	    .alpha = DCQCN_ONE,
	    .line_bps = bps,
	    .current_bps = bps,
	    .target_bps = bps,
	    .byte_count = DCQCN_BYTE_RESET,
	    .alpha_due = DCB_TIME_NEVER,
	    .increase_due = DCB_TIME_NEVER,
	};
}

/* alpha = (1 - g) alpha, the decay rounded up. */
static void decay(struct dcqcn_rp *rp)
{
	rp->alpha -= (rp->alpha + (1u << DCQCN_G_SHIFT) - 1) >> DCQCN_G_SHIFT;
}

/* Ends a cycle, whose counter has the next stage already. */
static void increase(struct dcqcn_rp *rp)
{
	uint32_t most = rp->time_stage, least = rp->byte_stage;

	if (most < least) {
		most = rp->byte_stage;
		least = rp->time_stage;
	}
	if (least > DCQCN_F)
		rp->target_bps += DCQCN_HAI_BPS;
	else if (most >= DCQCN_F)
		rp->target_bps += DCQCN_AI_BPS;
	rp->target_bps = min_u64(rp->target_bps, rp->line_bps);
	rp->current_bps = (rp->target_bps + rp->current_bps + 1) / 2;
}

static void next_stage(uint32_t *stage)
{
	if (*stage < UINT32_MAX)
		(*stage)++;
}

struct dcb_time dcqcn_rp_next_deadline(const struct dcqcn_rp *rp)
{
	return dcb_time_min(rp->alpha_due, rp->increase_due);
}

/* Processes one expiry: of the timer of alpha, if both are due at the same time. */
static void expire(struct dcqcn_rp *rp)
{
	if (!dcb_time_before(rp->increase_due, rp->alpha_due)) {
		decay(rp);
		rp->alpha_due = dcb_time_add_ns(rp->alpha_due, DCQCN_ALPHA_NS);
		return;
	}
	rp->increase_due = dcb_time_add_ns(rp->increase_due, DCQCN_TIMER_NS);
	next_stage(&rp->time_stage);
	increase(rp);
}

void dcqcn_rp_advance(struct dcqcn_rp *rp, struct dcb_time now)
{
	if (!rp->active)
		return;
	for (unsigned n = 0; !dcb_time_before(now, dcqcn_rp_next_deadline(rp)); n++) {
		if (n == 2 * DCQCN_CATCH_UP) {
			rp->alpha_due = dcb_time_add_ns(now, DCQCN_ALPHA_NS);
			rp->increase_due = dcb_time_add_ns(now, DCQCN_TIMER_NS);
			return;
		}
		expire(rp);
	}
}

void dcqcn_rp_cnp(struct dcqcn_rp *rp, struct dcb_time now)
{
	uint64_t cut;

	dcqcn_rp_advance(rp, now);
	cut = (rp->current_bps >> 10) * rp->alpha / (2 * (DCQCN_ONE >> 10));
	rp->target_bps = rp->current_bps;
	rp->current_bps = max_u64(rp->current_bps - cut, DCQCN_MIN_BPS);
	decay(rp);
	rp->alpha += DCQCN_ONE >> DCQCN_G_SHIFT;
	rp->active = true;
	rp->time_stage = 0;
	rp->byte_stage = 0;
	rp->byte_count = DCQCN_BYTE_RESET;
	rp->alpha_due = dcb_time_add_ns(now, DCQCN_ALPHA_NS);
	rp->increase_due = dcb_time_add_ns(now, DCQCN_TIMER_NS);
}

void dcqcn_rp_sent(struct dcqcn_rp *rp, uint32_t octets, struct dcb_time now)
{
	if (!rp->active)
		return;
	dcqcn_rp_advance(rp, now);
	rp->byte_count -= octets;
	if (rp->byte_count > 0)
		return;
	rp->byte_count = DCQCN_BYTE_RESET;
	next_stage(&rp->byte_stage);
	increase(rp);
}

void dcqcn_np_init(struct dcqcn_np *np)
{
	*np = (struct dcqcn_np){.next = {INT64_MIN}};
}

bool dcqcn_np_marked(struct dcqcn_np *np, struct dcb_time now)
{
	if (dcb_time_before(now, np->next))
		return false;
	np->next = dcb_time_add_ns(now, DCQCN_CNP_NS);
	return true;
}
