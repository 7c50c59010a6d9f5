/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reaction Point: 802.1Q 32.10 and 32.11 (what is managed), 32.13 (variables),
 * 32.14 (procedures) and 32.15 (RP rate control state machine, figure 32-2).
 *
 * One per flow queue. The host tells it of CNMs and of frames sent, asks when it
 * wants to be called again, and never sends faster than rp_limiter_rate(). All
 * reaction points of a port and priority obey the same struct rp_params, which
 * is passed to every call, so that a SET is in force at once.
 */
#ifndef DCB_CORE_RP_H
#define DCB_CORE_RP_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/dcbtime.h"
#include "lib/rng.h"
#include "lib/units.h"

/* Byte counter and timer are reloaded with +-15 % of their value. */
#define RP_JITTER_PERCENT 15

#define RP_FB_MAX 63 /* quantized feedback has six bits; more counts as this */

/* rpgMaxRate where neither it nor the port's speed is known. */
#define RP_UNKNOWN_SPEED_MBPS 10000

/*
 * A host that did not call for longer than so many cycles of RpWhile (a minute
 * by default) loses the time beyond them.
 */
#define RP_CATCH_UP_CYCLES 4096

/* ieee8021CnRpPortPriEntry. */
struct rp_port_pri_config {
	uint8_t rppp_max_rps; /* rpppMaxRps, 1..100: 32.10.1 */
};
#define RPPP_MAX_RPS_LIMIT 100

/* ieee8021CnRpGroupEntry. Rates in Mb/s as managed, preamble and gap included. */
struct rpg_config {
	bool rpg_enable;          /* rpgEnable: 32.11.1 */
	uint8_t rpg_min_dec_fac;  /* rpgMinDecFac, percent: 32.11.9 */
	int32_t rpg_time_reset;   /* rpgTimeReset, milliseconds: 32.11.2 */
	uint32_t rpg_byte_reset;  /* rpgByteReset, octets: 32.11.3 */
	uint32_t rpg_threshold;   /* rpgThreshold, cycles: 32.11.4 */
	bool rpg_max_rate_is_set; /* FALSE: rpgMaxRate follows the port's speed */
	uint32_t rpg_max_rate;    /* rpgMaxRate, Mb/s: 32.11.5 */
	uint32_t rpg_ai_rate;     /* rpgAiRate, Mb/s: 32.11.6 */
	uint32_t rpg_hai_rate;    /* rpgHaiRate, Mb/s: 32.11.7 */
	int32_t rpg_gd;           /* Gd = 2^-rpg_gd: 32.11.8 */
	uint32_t rpg_min_rate;    /* rpgMinRate, Mb/s: 32.11.10 */
};

/*
 * Two readings of rpgThreshold, one cycle apart, both found in public code; the
 * figure itself could not be consulted.
 */
enum rp_reading {
	RP_READING_FIG, /* increase from stage >= rpgThreshold on, half reload in hyper increase */
	RP_READING_PSEUDO /* from stage > rpgThreshold on, half reload for each counter by itself */
};

/* Whose cycles become half as long, where it is not to follow from the reading. */
enum rp_halving {
	RP_HALVING_AS_READ,
	RP_HALVING_HYPER, /* both counters' in hyper increase */
	RP_HALVING_EACH   /* each counter's by itself from stage rpgThreshold on */
};

/* How the reaction points of a port are built: dcbd.conf's, not managed. */
struct rp_variant {
	enum rp_reading reading;
	enum rp_halving halving;
	bool no_jitter;              /* byte counter and timer reload exactly: for vectors */
	bool early;                  /* the increase and decrease rules of the 2007 proposal ... */
	bool no_extra_fast_recovery; /* ... without its extra fast recovery */
};

/* What one group's reaction points obey. */
struct rp_params {
	struct rpg_config rpg;
	struct rp_variant variant;
	struct dcb_rate rpg_max_rate; /* as set or the port's; never unlimited */
};

/* States of figure 32-2: the first four last, the others are passed through in one call. */
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
	uint32_t rp_byte_stage;   /* rpByteStage */
	uint32_t rp_time_stage;   /* rpTimeStage */
	int64_t rp_byte_count;    /* rpByteCount: octets until the next byte event */
	struct dcb_time rp_while; /* RpWhile: when it expires; NEVER while frozen or disabled */
	int64_t rp_while_left_ns; /* what was left of it when it was frozen */
	struct dcb_rate rp_target_rate;  /* rpTargetRate */
	struct dcb_rate rp_current_rate; /* rpCurrentRate */
};

/*
 * rpgMaxRate where it is not set: the port's speed. What the objects' syntax
 * allows and no flow could live with is read as the next best thing: a rate of
 * 0 Mb/s as 1, a time of 0 ms as 1, a minimum above the maximum as the maximum.
 * rpgByteReset 0: every frame ends a cycle.
 */
void rp_params_init(struct rp_params *params, const struct rpg_config *rpg,
		    const struct rp_variant *variant, struct dcb_rate port_speed);

/* As new: not enabled, not frozen, rates at rpgMaxRate. */
void rp_init(struct rp *rp, const struct rp_params *params);

/* ResetCnm(): ends it, whatever its rate. It stays frozen if it is: the host's queue is. */
void rp_reset(struct rp *rp, const struct rp_params *params);

/*
 * New parameters are in force: rpgEnable FALSE ends it, rates come within the
 * new bounds, running counters and timer no longer than the new resets, and the
 * cycles counted are held against the new threshold.
 */
void rp_reconfigure(struct rp *rp, const struct rp_params *params, struct dcb_time now);

/*
 * A CNM for it: ProcessCnm(), 32.14. Nothing happens for a feedback of 0 or
 * while rpgEnable is FALSE. true: rpEnabled went TRUE because of it. rng may be
 * NULL here and below: no jitter. Here and in rp_frame_sent(), what was due by
 * now happens first.
 */
bool rp_receive_cnm(struct rp *rp, const struct rp_params *params, uint8_t qntz_fb,
		    struct dcb_time now, struct dcb_rng *rng);

/*
 * TransmitDataFrame(): a frame of so many MAC frame octets left its queue. It ends
 * one byte cycle at most; what it sent beyond the cycle's end is not carried over.
 */
void rp_frame_sent(struct rp *rp, const struct rp_params *params, uint32_t octets,
		   struct dcb_time now, struct dcb_rng *rng);

/* When rp_advance() has something to do; DCB_TIME_NEVER: not by time alone. */
struct dcb_time rp_next_deadline(const struct rp *rp);

/* Everything due by now, in order and at its time; no more than RP_CATCH_UP_CYCLES. */
void rp_advance(struct rp *rp, const struct rp_params *params, struct dcb_time now,
		struct dcb_rng *rng);

/* TestRpTerminate(): ends it if it is back at rpgMaxRate with nothing queued. true: it ended. */
bool rp_test_terminate(struct rp *rp, const struct rp_params *params, bool queue_empty);

/*
 * rpFreeze: something else than the limiter holds the queue (PFC). While it lasts
 * RpWhile stands still and frames sent are not counted; a CNM works as ever. The
 * text of 32.13.7 could not be consulted: this is what the name suggests.
 */
void rp_set_freeze(struct rp *rp, bool rp_freeze, struct dcb_time now);

/* rpLimiterRate: what the limiter lets pass; unlimited while not enabled. */
struct dcb_rate rp_limiter_rate(const struct rp *rp);

#endif
