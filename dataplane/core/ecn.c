/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/core/ecn.h"

#define DEFAULT_RATE_MBPS 10000

/* Returns the octets of a threshold, as far as they fit. */
static uint32_t octets_of(uint64_t threshold, uint8_t unit, struct dcb_rate rate)
{
	uint64_t octets = threshold;

	if (unit == ECN_NANOSECONDS)
		octets = rate.bps / 1000 * threshold / (8 * DCB_NS_PER_MS);
	return octets > UINT32_MAX ? UINT32_MAX : (uint32_t)octets;
}

static uint32_t threshold(uint32_t set, uint8_t unit, uint64_t fallback_ns, struct dcb_rate rate)
{
	return set ? octets_of(set, unit, rate) : octets_of(fallback_ns, ECN_NANOSECONDS, rate);
}

struct ecn_curve ecn_curve(const struct ecn_config *config, struct dcb_rate rate)
{
	struct ecn_curve c = {
	    .enabled = config->enable,
	    .drops = config->not_ect == ECN_NOT_ECT_DROP,
	    .probability_ppm = config->probability_ppm,
	};

	if (dcb_rate_is_unlimited(rate))
		rate = dcb_rate_from_mbps(DEFAULT_RATE_MBPS);
	c.maximum = threshold(config->maximum, config->threshold_unit, ECN_MAXIMUM_NS, rate);
	c.minimum = threshold(config->minimum, config->threshold_unit, ECN_MINIMUM_NS, rate);
	/* One of them is set, and the other one, of the rate, is beyond it. */
	if (c.minimum > c.maximum && !config->minimum)
		c.minimum = c.maximum;
	if (c.maximum < c.minimum)
		c.maximum = c.minimum;
	c.always =
	    config->always ? octets_of(config->always, config->threshold_unit, rate) : c.maximum;
	if (c.always < c.maximum)
		c.always = c.maximum;
	return c;
}

uint32_t ecn_probability(const struct ecn_curve *curve, uint64_t octets)
{
	if (octets <= curve->minimum)
		return 0;
	if (octets > curve->always)
		return ECN_CERTAIN;
	if (octets >= curve->maximum)
		return curve->probability_ppm;
	return (uint32_t)((uint64_t)curve->probability_ppm * (octets - curve->minimum) /
			  (curve->maximum - curve->minimum));
}
