/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reaction Point: 802.1Q 32.10 and 32.11 (managed objects), 32.13 (variables),
 * 32.14 (procedures) and 32.15 (RP rate control state machine, figure 32-2).
 *
 * One per flow queue. The caller reports CNMs and frames sent, calls
 * rp_advance() at the deadline, and never sends faster than rp_limiter_rate().
 * All reaction points of a port and priority share a struct rp_params, which is
 * passed to every call: so a SET takes effect at once.
 */
#ifndef DCB_CORE_RP_H
#define DCB_CORE_RP_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/dcbtime.h"
#include "lib/rng.h"
#include "lib/units.h"

/* Byte counter and timer are reloaded with +-15 % jitter. */
#define RP_JITTER_PERCENT 15

#define RP_FB_MAX 63 /* six bits; higher values are treated as 63 */

/* Default of rpgMaxRate if the port's speed is unknown. */
#define RP_UNKNOWN_SPEED_MBPS 10000

/*
 * Maximum number of cycles of RpWhile (a minute with the default values) that
 * rp_advance() makes up for in one call. Time beyond that is lost.
 */
#define RP_CATCH_UP_CYCLES 4096

/* ieee8021CnRpPortPriEntry. */
struct rp_port_pri_config {
	uint8_t rppp_max_rps; /* rpppMaxRps, 1..100: 32.10.1 */
};
#define RPPP_MAX_RPS_LIMIT 100

/* ieee8021CnRpGroupEntry. Rates in Mb/s, preamble and gap included. */
struct rpg_config {
	bool rpg_enable;          /* rpgEnable: 32.11.1 */
	uint8_t rpg_min_dec_fac;  /* rpgMinDecFac, percent: 32.11.9 */
	int32_t rpg_time_reset;   /* rpgTimeReset, milliseconds: 32.11.2 */
	uint32_t rpg_byte_reset;  /* rpgByteReset, octets: 32.11.3 */
	uint32_t rpg_threshold;   /* rpgThreshold, cycles: 32.11.4 */
	bool rpg_max_rate_is_set; /* false: rpgMaxRate is the port's speed */
	uint32_t rpg_max_rate;    /* rpgMaxRate, Mb/s: 32.11.5 */
	uint32_t rpg_ai_rate;     /* rpgAiRate, Mb/s: 32.11.6 */
	uint32_t rpg_hai_rate;    /* rpgHaiRate, Mb/s: 32.11.7 */
	int32_t rpg_gd;           /* Gd = 2^-rpg_gd: 32.11.8 */
	uint32_t rpg_min_rate;    /* rpgMinRate, Mb/s: 32.11.10 */
};

/*
 * Two readings of rpgThreshold, one cycle apart. Both are in public code;
 * figure 32-2 was not available.
 */
enum rp_reading {
	RP_READING_FIG,   /* increase if stage >= rpgThreshold, half reload in hyper increase */
	RP_READING_PSEUDO /* increase if stage > rpgThreshold, half reload per counter */
};

/* Counters that are reloaded with half the value, if not as in the reading. */
enum rp_halving {
	RP_HALVING_AS_READ,
	RP_HALVING_HYPER, /* both counters, in hyper increase */
	RP_HALVING_EACH   /* each counter on its own, from stage rpgThreshold on */
};

/* Algorithm variant of a port's reaction points: set in dcbd.conf, not a managed object. */
struct rp_variant {
	enum rp_reading reading;
	enum rp_halving halving;
	bool no_jitter; /* reload byte counter and timer without jitter: for test vectors */
	bool early;     /* increase and decrease rules of the 2007 proposal */
	bool no_extra_fast_recovery; /* only if early: no extra fast recovery */
	bool full_hyper_entry; /* half reload in hyper increase, but not for its first cycle */
};

/* Parameters of the reaction points of one group. */
struct rp_params {
	struct rpg_config rpg;
	struct rp_variant variant;
	struct dcb_rate rpg_max_rate; /* as set, or the port's speed; never unlimited */
};

/* States of figure 32-2. The first four wait for an event; the others are left within one call. */
enum rpr_state {
	RPR_RESET = 1,
	RPR_FAST_RECOVERY,
	RPR_ACTIVE_INCREASE,
	RPR_HYPER_INCREASE,
	RPR_CNM_RECEIVED,
	RPR_FAST_BYTE,
	RPR_FAST_TIME,
	RPR_ADJUST_RATES,
	RPR_ACTIVE_SELECT,
	RPR_ACTIVE_BYTE,
	RPR_ACTIVE_TIME,
	RPR_HYPER_BYTE,
	RPR_HYPER_TIME
};

struct rp {
	bool rp_enabled; /* rpEnabled: 32.13.1 */
	bool rp_freeze;  /* rpFreeze: 32.13.7 */
	uint8_t rp_fb;   /* rpFb: quantized feedback of the last CNM */
	enum rpr_state state;
	uint32_t rp_byte_stage;          /* rpByteStage */
	uint32_t rp_time_stage;          /* rpTimeStage */
	int64_t rp_byte_count;           /* rpByteCount: octets until the next byte event */
	struct dcb_time rp_while;        /* RpWhile: its expiry; NEVER while frozen or disabled */
	int64_t rp_while_left_ns;        /* remaining time of RpWhile when frozen */
	struct dcb_rate rp_target_rate;  /* rpTargetRate */
	struct dcb_rate rp_current_rate; /* rpCurrentRate */
};

/*
 * Derives the parameters. rpgMaxRate is the port's speed if it is not set.
 * Choice: a value that the syntax allows but that stops a flow is replaced by
 * the nearest useful one: a rate of 0 Mb/s by 1, a time of 0 ms by 1, a minimum
 * above the maximum by the maximum. With rpgByteReset 0 every frame ends a
 * cycle.
 */
void rp_params_init(struct rp_params *params, const struct rpg_config *rpg,
		    const struct rp_variant *variant, struct dcb_rate port_speed);

/* Initializes a reaction point: not enabled, not frozen, rates at rpgMaxRate. */
void rp_init(struct rp *rp, const struct rp_params *params);

/* ResetCnm(): disables the reaction point at any rate. rpFreeze stays as it is. */
void rp_reset(struct rp *rp, const struct rp_params *params);

/*
 * Applies new parameters. rpgEnable FALSE disables the reaction point. Rates
 * are limited to the new bounds, the running counter and timer to the new
 * resets, and the stages are compared with the new threshold.
 */
void rp_reconfigure(struct rp *rp, const struct rp_params *params, struct dcb_time now);

/*
 * ProcessCnm(), 32.14: processes a CNM for this reaction point. Has no effect
 * if qntz_fb is 0 or rpgEnable is FALSE. Returns true if rpEnabled became TRUE.
 * Runs rp_advance() first, as rp_frame_sent() does. rng may be NULL, here and
 * below: no jitter.
 */
bool rp_receive_cnm(struct rp *rp, const struct rp_params *params, uint8_t qntz_fb,
		    struct dcb_time now, struct dcb_rng *rng);

/*
 * TransmitDataFrame(): counts a MAC frame of this many octets that left the
 * queue. Ends at most one byte cycle; octets beyond the end of the cycle are
 * not carried over.
 */
void rp_frame_sent(struct rp *rp, const struct rp_params *params, uint32_t octets,
		   struct dcb_time now, struct dcb_rng *rng);

/* Returns the time to call rp_advance(); DCB_TIME_NEVER if the timer does not run. */
struct dcb_time rp_next_deadline(const struct rp *rp);

/*
 * Processes the expiries of RpWhile up to now, each at its own time, at most
 * RP_CATCH_UP_CYCLES of them.
 */
void rp_advance(struct rp *rp, const struct rp_params *params, struct dcb_time now,
		struct dcb_rng *rng);

/*
 * TestRpTerminate(): disables the reaction point if it is at rpgMaxRate and the
 * queue is empty. Returns true if so.
 */
bool rp_test_terminate(struct rp *rp, const struct rp_params *params, bool queue_empty);

/*
 * Sets rpFreeze: the queue is stopped by PFC, not by the limiter. While frozen,
 * RpWhile stops and frames sent are not counted; CNMs are processed. Choice:
 * the text of 32.13.7 was not available, this follows the name.
 */
void rp_set_freeze(struct rp *rp, bool rp_freeze, struct dcb_time now);

/* Returns rpLimiterRate; unlimited if not enabled. */
struct dcb_rate rp_limiter_rate(const struct rp *rp);

#endif
