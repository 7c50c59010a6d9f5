/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Each value is proportional to the rate, or to the time of an octet, between
 * bounds, and equal to the DEFVAL at 10 Gb/s. R is the rate in Mb/s:
 *
 *     object          formula                  bounds    200 Mb/s 10 Gb/s 100 Gb/s
 *     cpQSp           52000000 / R       26000..50000       50000   26000    26000
 *     cpSampleBase    375 R, R < 200    10000..75000
 *                     75 R              75000..150000       75000  150000   150000
 *     rpgTimeReset    30000 / R                15..50          50      15
 *                     150000 / R, R > 10000     1..                            2
 *     rpgAiRate       R / 2000                  1..             1       5       50
 *     rpgHaiRate      R / 200                   5..             5      50      500
 *     rpgMinRate      R / 2000                  1..5            1       5        5
 *
 * Why: a cycle of a reaction point ends after a number of octets, which take a
 * time that is proportional to 1 / R, or after rpgTimeReset, and then adds a
 * rate. With rates added that are proportional to R, and above 10 Gb/s a time
 * that is proportional to 1 / R, all rates behave alike. The unit of
 * rpgAiRate, 1 Mb/s, is the limit: below 2 Gb/s it is a larger share of the
 * rate than at 10 Gb/s, and the queue oscillates more. There
 *
 * - rpgTimeReset grows, so that the rate added in a time stays the same share
 *   of R. With more than 50 ms recovery takes longer than half a second.
 * - a larger cpQSp keeps the queue from becoming empty, and reduces rates in
 *   smaller steps: cpFb is quantized relative to cpQSp.
 * - a smaller cpSampleBase corrects the rates more often, below 200 Mb/s every
 *   3 ms.
 *
 * Above 10 Gb/s, cpQSp and cpSampleBase stay. They are in octets, so a queue at
 * its set point takes less time at a higher rate, and so does the interval
 * between two samples. The unit of rpgTimeReset, 1 ms, is reached at 100 Gb/s.
 * rpgMinRate stays at or below 5 Mb/s, so that many flows share a slow link.
 *
 * doc/profiles.md compares both profiles, measured with dcbsim.
 */
#include "dataplane/core/cn_profile.h"

static uint32_t within(uint64_t value, uint32_t min, uint32_t max)
{
	if (value < min)
		return min;
	return value > max ? max : (uint32_t)value;
}

static uint64_t rounded(uint64_t dividend, uint64_t divisor)
{
	return (dividend + divisor / 2) / divisor;
}

/* Returns the rate in Mb/s, rounded down, at least 1. */
static uint64_t mbps_of(struct dcb_rate rate)
{
	uint32_t mbps = dcb_rate_to_mbps(rate);

	return mbps ? mbps : 1;
}

uint32_t cn_profile_value(enum cn_profile_object object, struct dcb_rate rate)
{
	uint64_t mbps = mbps_of(rate);

	switch (object) {
	case CN_PROFILE_QUEUE_SIZE_SET_POINT:
		return within(rounded(52000000, mbps), 26000, 50000);
	case CN_PROFILE_MIN_SAMPLE_BASE:
		if (mbps < 200)
			return within(375 * mbps, 10000, 75000);
		return within(75 * mbps, 75000, 150000);
	case CN_PROFILE_TIME_RESET:
		if (mbps <= 10000)
			return within(rounded(30000, mbps), 15, 50);
		return within(rounded(150000, mbps), 1, 15);
	case CN_PROFILE_AI_RATE:
		return within(rounded(mbps, 2000), 1, UINT32_MAX);
	case CN_PROFILE_HAI_RATE:
		return within(rounded(mbps, 200), 5, UINT32_MAX);
	case CN_PROFILE_MIN_RATE:
		return within(rounded(mbps, 2000), 1, 5);
	case CN_PROFILE_OBJECTS:
		break;
	}
	return 0;
}

void cn_profile_apply(struct dcb_rate rate, struct cp_config *cp, struct rpg_config *rpg)
{
	if (dcb_rate_is_unlimited(rate))
		return;
	cp->cp_qsp = cn_profile_value(CN_PROFILE_QUEUE_SIZE_SET_POINT, rate);
	cp->cp_sample_base = cn_profile_value(CN_PROFILE_MIN_SAMPLE_BASE, rate);
	rpg->rpg_time_reset = (int32_t)cn_profile_value(CN_PROFILE_TIME_RESET, rate);
	rpg->rpg_ai_rate = cn_profile_value(CN_PROFILE_AI_RATE, rate);
	rpg->rpg_hai_rate = cn_profile_value(CN_PROFILE_HAI_RATE, rate);
	rpg->rpg_min_rate = cn_profile_value(CN_PROFILE_MIN_RATE, rate);
}

static bool is_kept(uint8_t keep, enum cn_profile_object object)
{
	return keep >> object & 1;
}

void cn_profile_copy(uint8_t keep, struct cp_config *cp, struct rpg_config *rpg,
		     const struct cp_config *from_cp, const struct rpg_config *from_rpg)
{
	if (!is_kept(keep, CN_PROFILE_QUEUE_SIZE_SET_POINT))
		cp->cp_qsp = from_cp->cp_qsp;
	if (!is_kept(keep, CN_PROFILE_MIN_SAMPLE_BASE))
		cp->cp_sample_base = from_cp->cp_sample_base;
	if (!is_kept(keep, CN_PROFILE_TIME_RESET))
		rpg->rpg_time_reset = from_rpg->rpg_time_reset;
	if (!is_kept(keep, CN_PROFILE_AI_RATE))
		rpg->rpg_ai_rate = from_rpg->rpg_ai_rate;
	if (!is_kept(keep, CN_PROFILE_HAI_RATE))
		rpg->rpg_hai_rate = from_rpg->rpg_hai_rate;
	if (!is_kept(keep, CN_PROFILE_MIN_RATE))
		rpg->rpg_min_rate = from_rpg->rpg_min_rate;
}
