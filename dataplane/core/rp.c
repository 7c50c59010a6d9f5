/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How a reaction point recovers its rate after a CNM:
 *
 *     rpTargetRate  - - - - - - - - - - - - - - - -.-'-'  the target rises too:
 *                 |            ___...---'''               by rpgAiRate per cycle,
 *                 |      __--''                           then by multiples of
 *     rpCurrent   |   _-'        each cycle halves the    rpgHaiRate
 *     Rate        |  /           distance to the target
 *                 | /
 *                 |/             |                        |
 *                 CNM  fast      |  active increase       |  hyper increase
 *                      recovery  |  one counter is past   |  both are past
 *                                   rpgThreshold             rpgThreshold
 *
 * Two counters end cycles: rpByteCount after rpgByteReset octets sent, RpWhile
 * after rpgTimeReset. The first determines the recovery of a fast flow, the
 * second that of a slow one. The stage of a counter is the number of its cycles
 * since the CNM.
 *
 * The proposal of 2007 (variant.early) is the same with other details. Its
 * pseudo code has errors. They are corrected as follows: | - text of the
 * proposal - here | dec_factor cuts by 1 - (1 - Gd * fb) keep_after_cut() keeps
 * 1 - Gd * fb | the timer is reloaded with TO_THRESH RpWhile is reloaded with a
 * time | si_bcount and si_count, timer_count and one stage for each counter |
 * timer_scount | "rate" is compared with C at the end rpCurrentRate is |
 * EXTR_FAST_RECOVERY and EXTRA_... one option for both | the timer becomes
 * INACTIVE RpWhile becomes DCB_TIME_NEVER
 */
#include "dataplane/core/rp.h"

/*
 * Above any rate that an object can express; twice its value fits in 64 bits.
 * The standard does not bound the target rate: this limit only prevents
 * overflow.
 */
#define TARGET_LIMIT_BPS (UINT64_C(1) << 62)

#define PPM        1000000u
#define JITTER_PPM (PPM / 100 * RP_JITTER_PERCENT)

/* Events of the state machine. */
enum rp_event { RP_NOTHING, RP_CNM, RP_BYTE_EXPIRED, RP_TIME_EXPIRED };

/* Arguments of all actions. */
struct rp_context {
	const struct rp_params *params;
	struct dcb_rng *rng;
	struct dcb_time now;
};

static uint64_t min_u64(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t max_u64(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* --- rates and parameters as values ------------------------------------------------- */

/* A rate of 0 Mb/s is legal syntax but stops the flow: replaced by 1 Mb/s. */
static struct dcb_rate at_least_one_mbps(uint32_t mbps)
{
	return dcb_rate_from_mbps(mbps ? mbps : 1);
}

void rp_params_init(struct rp_params *params, const struct rpg_config *rpg,
		    const struct rp_variant *variant, struct dcb_rate port_speed)
{
	*params = (struct rp_params){.rpg = *rpg, .variant = *variant};
	if (rpg->rpg_max_rate_is_set)
		params->rpg_max_rate = at_least_one_mbps(rpg->rpg_max_rate);
	else if (dcb_rate_is_unlimited(port_speed))
		params->rpg_max_rate = dcb_rate_from_mbps(RP_UNKNOWN_SPEED_MBPS);
	else
		params->rpg_max_rate.bps =
		    min_u64(port_speed.bps, dcb_rate_from_mbps(UINT32_MAX).bps);
}

/* Returns rpgMinRate, or rpgMaxRate if that is lower. */
static uint64_t min_bps(const struct rp_params *params)
{
	return min_u64(at_least_one_mbps(params->rpg.rpg_min_rate).bps, params->rpg_max_rate.bps);
}

static uint64_t within_bounds(const struct rp_params *params, uint64_t bps)
{
	return min_u64(max_u64(bps, min_bps(params)), params->rpg_max_rate.bps);
}

static bool reads_as_pseudo(const struct rp_variant *variant)
{
	return variant->early || variant->reading == RP_READING_PSEUDO;
}

/* Returns true if the counter has ended rpgThreshold cycles: see enum rp_reading. */
static bool is_past_threshold(const struct rp_params *params, uint32_t stage)
{
	if (reads_as_pseudo(&params->variant))
		return stage > params->rpg.rpg_threshold;
	return stage >= params->rpg.rpg_threshold;
}

static bool is_hyper(const struct rp *rp, const struct rp_params *params)
{
	return is_past_threshold(params, rp->rp_byte_stage) &&
	       is_past_threshold(params, rp->rp_time_stage);
}

/*
 * Returns true if the event that is being processed, or none, finds the reaction
 * point in hyper increase; false for the event that leads into it.
 */
static bool was_hyper(const struct rp *rp)
{
	return rp->state == RPR_HYPER_INCREASE || rp->state == RPR_HYPER_BYTE ||
	       rp->state == RPR_HYPER_TIME;
}

/*
 * Returns true if the counter that has just reached this stage is reloaded with
 * half its value. The cycle that starts with the change to hyper increase is
 * half as long. A public implementation of figure 32-2 reloads the counter
 * before it changes the state, which makes that cycle a full one:
 * variant.full_hyper_entry.
 */
static bool is_half_reload(const struct rp *rp, const struct rp_params *params, uint32_t stage)
{
	switch (params->variant.halving) {
	case RP_HALVING_HYPER:
		break;
	case RP_HALVING_EACH:
		return stage >= params->rpg.rpg_threshold;
	case RP_HALVING_AS_READ:
		if (reads_as_pseudo(&params->variant))
			return stage >= params->rpg.rpg_threshold;
		break;
	}
	return is_hyper(rp, params) && (!params->variant.full_hyper_entry || was_hyper(rp));
}

/* --- the two counters ---------------------------------------------------------------- */

/* Returns a random factor around 1 in ppm; no jitter in the early variant. */
static uint32_t jitter_ppm(const struct rp_context *c)
{
	if (!c->rng || c->params->variant.no_jitter || c->params->variant.early)
		return PPM;
	return dcb_rng_uniform(c->rng, PPM - JITTER_PPM, PPM + JITTER_PPM);
}

static void reload_byte_count(struct rp *rp, const struct rp_context *c, bool half)
{
	int64_t octets = (int64_t)c->params->rpg.rpg_byte_reset * jitter_ppm(c) / PPM;

	rp->rp_byte_count = half ? octets / 2 : octets;
}

/* At least one millisecond: 0 is legal syntax, but a cycle must take time. */
static int64_t time_reset_ms(const struct rp_params *params)
{
	return params->rpg.rpg_time_reset > 0 ? params->rpg.rpg_time_reset : 1;
}

static void reload_rp_while(struct rp *rp, const struct rp_context *c, bool half)
{
	_Static_assert(DCB_NS_PER_MS == PPM, "1 ppm of a millisecond is 1 ns");
	int64_t ns = time_reset_ms(c->params) * jitter_ppm(c);

	if (half)
		ns /= 2;
	rp->rp_while_left_ns = ns;
	if (!rp->rp_freeze)
		rp->rp_while = dcb_time_add_ns(c->now, ns);
}

static void next_stage(uint32_t *stage)
{
	if (*stage < UINT32_MAX)
		(*stage)++;
}

static void end_byte_cycle(struct rp *rp, const struct rp_context *c)
{
	next_stage(&rp->rp_byte_stage);
	reload_byte_count(rp, c, is_half_reload(rp, c->params, rp->rp_byte_stage));
}

static void end_time_cycle(struct rp *rp, const struct rp_context *c)
{
	next_stage(&rp->rp_time_stage);
	reload_rp_while(rp, c, is_half_reload(rp, c->params, rp->rp_time_stage));
}

/* --- procedures, 32.14 --------------------------------------------------------------- */

/* ResetCnm(). Keeps rpFreeze, which the caller controls. */
void rp_reset(struct rp *rp, const struct rp_params *params)
{
	*rp = (struct rp){
	    .rp_freeze = rp->rp_freeze,
	    .state = RPR_RESET,
	    .rp_byte_count = params->rpg.rpg_byte_reset,
	    .rp_while = DCB_TIME_NEVER,
	    .rp_target_rate = params->rpg_max_rate,
	    .rp_current_rate = params->rpg_max_rate,
	};
}

/*
 * Returns current * (1 - Gd * fb), Gd = 2^-rpg_gd. The early text names that
 * factor dec_factor and then multiplies by 1 - dec_factor, so that the lowest
 * feedback would reduce the rate most. The factor itself is intended. Returns 0
 * if Gd is 1 or more, and current if Gd is below about 2^-58.
 */
static uint64_t keep_after_cut(uint64_t current, int32_t rpg_gd, uint8_t rp_fb)
{
	uint64_t cut = current * rp_fb; /* below 2^58: the rate is below 2^52 */

	if (rpg_gd <= 0)
		return 0;
	cut = rpg_gd < 63 ? cut >> rpg_gd : 0;
	return cut < current ? current - cut : 0;
}

/*
 * Returns true if this CNM changes neither target rate nor byte count: no byte
 * cycle has ended since the last CNM (extra fast recovery). Only the early
 * variant can disable that. rpTimeStage does not matter.
 */
static bool keeps_target(const struct rp *rp, const struct rp_params *params)
{
	if (params->variant.early && params->variant.no_extra_fast_recovery)
		return false;
	return rp->rp_byte_stage == 0;
}

/* ProcessCnm() */
static void process_cnm(struct rp *rp, const struct rp_context *c)
{
	const struct rpg_config *rpg = &c->params->rpg;
	uint64_t least = rp->rp_current_rate.bps * min_u64(rpg->rpg_min_dec_fac, 100) / 100;
	uint64_t kept = keep_after_cut(rp->rp_current_rate.bps, rpg->rpg_gd, rp->rp_fb);

	if (!rp->rp_enabled || !keeps_target(rp, c->params)) {
		rp->rp_target_rate = rp->rp_current_rate;
		reload_byte_count(rp, c, false);
	}
	rp->rp_enabled = true;
	rp->rp_byte_stage = 0;
	rp->rp_time_stage = 0;
	rp->rp_current_rate.bps = within_bounds(c->params, max_u64(kept, least));
	reload_rp_while(rp, c, false);
}

/*
 * Returns true if the target rate is reduced to an eighth: in the first cycle
 * after large cuts. The early variant uses the byte counter only, and only with
 * extra fast recovery.
 */
static bool is_target_reduced(const struct rp *rp, const struct rp_variant *variant)
{
	bool first = rp->rp_byte_stage == 1;

	if (variant->early)
		first = first && !variant->no_extra_fast_recovery;
	else
		first = first || rp->rp_time_stage == 1;
	return first && rp->rp_target_rate.bps > 10 * rp->rp_current_rate.bps;
}

/* AdjustRates(). The mean is rounded up, so that the current rate reaches the target. */
static void adjust_rates(struct rp *rp, const struct rp_params *params, uint64_t increase_bps)
{
	uint64_t target = rp->rp_target_rate.bps;

	if (is_target_reduced(rp, &params->variant))
		target /= 8;
	else
		target = min_u64(target + increase_bps, TARGET_LIMIT_BPS);
	rp->rp_target_rate.bps = target;
	rp->rp_current_rate.bps = within_bounds(params, (target + rp->rp_current_rate.bps + 1) / 2);
}

/* Returns rpgHaiRate times the number of cycles that both counters are past the threshold. */
static uint64_t hyper_increase_bps(const struct rp *rp, const struct rp_params *params)
{
	uint64_t hai = dcb_rate_from_mbps(params->rpg.rpg_hai_rate).bps;
	uint64_t cycles = min_u64(rp->rp_byte_stage, rp->rp_time_stage);
	uint64_t before = params->rpg.rpg_threshold;

	if (!reads_as_pseudo(&params->variant))
		cycles++;
	if (cycles <= before || !hai)
		return 0;
	cycles -= before;
	return cycles > TARGET_LIMIT_BPS / hai ? TARGET_LIMIT_BPS : cycles * hai;
}

/* --- RP rate control state machine, figure 32-2 --------------------------------------- */

static enum rpr_state on_expiry(enum rp_event event, enum rpr_state now, enum rpr_state on_byte,
				enum rpr_state on_time)
{
	switch (event) {
	case RP_BYTE_EXPIRED:
		return on_byte;
	case RP_TIME_EXPIRED:
		return on_time;
	case RP_CNM:
		return RPR_CNM_RECEIVED;
	case RP_NOTHING:
		break;
	}
	return now;
}

static enum rpr_state after_fast_cycle(const struct rp_params *params, uint32_t stage)
{
	return is_past_threshold(params, stage) ? RPR_ACTIVE_SELECT : RPR_ADJUST_RATES;
}

/* Guards. Returns the same state to wait there for the next event. */
static enum rpr_state rpr_next(const struct rp *rp, const struct rp_params *params,
			       enum rp_event event)
{
	switch (rp->state) {
	case RPR_RESET:
		return event == RP_CNM ? RPR_CNM_RECEIVED : RPR_RESET;
	case RPR_CNM_RECEIVED:
	case RPR_ADJUST_RATES:
		return RPR_FAST_RECOVERY;
	case RPR_FAST_RECOVERY:
		return on_expiry(event, rp->state, RPR_FAST_BYTE, RPR_FAST_TIME);
	case RPR_FAST_BYTE:
		return after_fast_cycle(params, rp->rp_byte_stage);
	case RPR_FAST_TIME:
		return after_fast_cycle(params, rp->rp_time_stage);
	case RPR_ACTIVE_INCREASE:
		return on_expiry(event, rp->state, RPR_ACTIVE_BYTE, RPR_ACTIVE_TIME);
	case RPR_ACTIVE_BYTE:
	case RPR_ACTIVE_TIME:
		return RPR_ACTIVE_SELECT;
	case RPR_ACTIVE_SELECT:
		return is_hyper(rp, params) ? RPR_HYPER_INCREASE : RPR_ACTIVE_INCREASE;
	case RPR_HYPER_INCREASE:
		return on_expiry(event, rp->state, RPR_HYPER_BYTE, RPR_HYPER_TIME);
	case RPR_HYPER_BYTE:
	case RPR_HYPER_TIME:
		return RPR_HYPER_INCREASE;
	}
	return RPR_RESET;
}

/* Entry actions. */
static void rpr_enter(struct rp *rp, enum rpr_state state, const struct rp_context *c)
{
	rp->state = state;
	switch (state) {
	case RPR_CNM_RECEIVED:
		process_cnm(rp, c);
		break;
	case RPR_FAST_BYTE:
	case RPR_ACTIVE_BYTE:
	case RPR_HYPER_BYTE:
		end_byte_cycle(rp, c);
		break;
	case RPR_FAST_TIME:
	case RPR_ACTIVE_TIME:
	case RPR_HYPER_TIME:
		end_time_cycle(rp, c);
		break;
	case RPR_ADJUST_RATES:
		adjust_rates(rp, c->params, 0);
		break;
	case RPR_ACTIVE_INCREASE:
		adjust_rates(rp, c->params, dcb_rate_from_mbps(c->params->rpg.rpg_ai_rate).bps);
		break;
	case RPR_HYPER_INCREASE:
		adjust_rates(rp, c->params, hyper_increase_bps(rp, c->params));
		break;
	case RPR_RESET: /* entered only by rp_reset() */
	case RPR_FAST_RECOVERY:
	case RPR_ACTIVE_SELECT:
		break;
	}
}

/* Processes one event until the state machine waits again: at most four states. */
static void rpr_run(struct rp *rp, const struct rp_context *c, enum rp_event event)
{
	enum rpr_state next = rpr_next(rp, c->params, event);

	while (next != rp->state) {
		rpr_enter(rp, next, c);
		next = rpr_next(rp, c->params, RP_NOTHING);
	}
}

/* --- inputs and outputs ---------------------------------------------------------------- */

void rp_init(struct rp *rp, const struct rp_params *params)
{
	*rp = (struct rp){0};
	rp_reset(rp, params);
}

/* Returns the state for the stages and a threshold that may have changed. */
static enum rpr_state state_by_stages(const struct rp *rp, const struct rp_params *params)
{
	if (!is_past_threshold(params, rp->rp_byte_stage) &&
	    !is_past_threshold(params, rp->rp_time_stage))
		return RPR_FAST_RECOVERY;
	return is_hyper(rp, params) ? RPR_HYPER_INCREASE : RPR_ACTIVE_INCREASE;
}

void rp_reconfigure(struct rp *rp, const struct rp_params *params, struct dcb_time now)
{
	int64_t longest_ns = time_reset_ms(params) * DCB_NS_PER_MS;

	if (!rp->rp_enabled || !params->rpg.rpg_enable) {
		rp_reset(rp, params);
		return;
	}
	if (rp->state != RPR_FAST_RECOVERY || rp->rp_byte_stage || rp->rp_time_stage)
		rp->state = state_by_stages(rp, params);
	rp->rp_target_rate.bps = within_bounds(params, rp->rp_target_rate.bps);
	rp->rp_current_rate.bps = within_bounds(params, rp->rp_current_rate.bps);
	if (rp->rp_byte_count > params->rpg.rpg_byte_reset)
		rp->rp_byte_count = params->rpg.rpg_byte_reset;
	if (rp->rp_while_left_ns > longest_ns)
		rp->rp_while_left_ns = longest_ns;
	if (!rp->rp_freeze)
		rp->rp_while = dcb_time_min(rp->rp_while, dcb_time_add_ns(now, longest_ns));
}

bool rp_receive_cnm(struct rp *rp, const struct rp_params *params, uint8_t qntz_fb,
		    struct dcb_time now, struct dcb_rng *rng)
{
	struct rp_context c = {.params = params, .rng = rng, .now = now};
	bool was_enabled = rp->rp_enabled;

	if (!params->rpg.rpg_enable || qntz_fb == 0)
		return false;
	if (was_enabled)
		rp_advance(rp, params, now, rng);
	else
		rp_reset(rp, params);
	rp->rp_fb = qntz_fb < RP_FB_MAX ? qntz_fb : RP_FB_MAX;
	rpr_run(rp, &c, RP_CNM);
	return !was_enabled;
}

void rp_frame_sent(struct rp *rp, const struct rp_params *params, uint32_t octets,
		   struct dcb_time now, struct dcb_rng *rng)
{
	struct rp_context c = {.params = params, .rng = rng, .now = now};

	if (!rp->rp_enabled || rp->rp_freeze)
		return;
	rp_advance(rp, params, now, rng);
	rp->rp_byte_count -= octets;
	if (rp->rp_byte_count < 0) /* after more than rpgByteReset octets, not at equality */
		rpr_run(rp, &c, RP_BYTE_EXPIRED);
}

struct dcb_time rp_next_deadline(const struct rp *rp)
{
	return rp->rp_while;
}

static bool time_is_up(const struct rp *rp, struct dcb_time now)
{
	return rp->rp_enabled && !rp->rp_freeze && !dcb_time_before(now, rp->rp_while);
}

/* A cycle starts at the end of the previous one, even if this call is later. */
void rp_advance(struct rp *rp, const struct rp_params *params, struct dcb_time now,
		struct dcb_rng *rng)
{
	struct rp_context c = {.params = params, .rng = rng, .now = now};

	for (unsigned int n = 0; n < RP_CATCH_UP_CYCLES && time_is_up(rp, now); n++) {
		c.now = rp->rp_while;
		rpr_run(rp, &c, RP_TIME_EXPIRED);
	}
	c.now = now;
	if (time_is_up(rp, now))
		reload_rp_while(rp, &c, is_half_reload(rp, params, rp->rp_time_stage));
}

bool rp_test_terminate(struct rp *rp, const struct rp_params *params, bool queue_empty)
{
	if (!rp->rp_enabled || !queue_empty || rp->rp_current_rate.bps < params->rpg_max_rate.bps)
		return false;
	rp_reset(rp, params);
	return true;
}

void rp_set_freeze(struct rp *rp, bool rp_freeze, struct dcb_time now)
{
	if (rp->rp_freeze == rp_freeze)
		return;
	rp->rp_freeze = rp_freeze;
	if (!rp->rp_enabled)
		return;
	if (rp_freeze) {
		int64_t left_ns = dcb_time_diff_ns(rp->rp_while, now);

		rp->rp_while_left_ns = left_ns > 0 ? left_ns : 0;
		rp->rp_while = DCB_TIME_NEVER;
	} else {
		rp->rp_while = dcb_time_add_ns(now, rp->rp_while_left_ns);
	}
}

struct dcb_rate rp_limiter_rate(const struct rp *rp)
{
	if (!rp->rp_enabled)
		return (struct dcb_rate){0};
	return rp->rp_current_rate;
}
