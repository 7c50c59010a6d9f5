/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How a congestion point works:
 *
 *     cpQLen
 *       ^                     . a sample every cpSampleBase octets:
 *       |                ..x..     cpQOffset = cpQSp  - cpQLen
 *       |           ..x..  |       cpQDelta  = cpQLen - cpQLenOld
 *  cpQSp|- - - -..x.- - - -|-      cpFb      = cpQOffset - cpW * cpQDelta
 *       |   ..x..          v
 *       +-------------------->  the longer the queue and the faster its growth, the
 *                               more negative is cpFb and the sooner the next sample
 *
 * A queue that grows to twice its set point within one sample interval has the
 * most negative feedback, -cpQSp * (2 * cpW + 1).
 */
#include "dataplane/core/cp.h"

/* Returns cpW in 1/CP_FB_SCALE: 1 for 2^-10, 2^20 for 2^10. */
static int64_t scaled_w(const struct cp_config *config)
{
	return INT64_C(1) << (config->cp_w_exp + 10);
}

/* Returns cpQSp * (2 * cpW + 1) in 1/CP_FB_SCALE octet; below 2^54. */
static int64_t feedback_bound(const struct cp_config *config)
{
	return (int64_t)config->cp_qsp * (2 * scaled_w(config) + CP_FB_SCALE);
}

int64_t cp_feedback(const struct cp_config *config, uint32_t qlen, uint32_t qlen_old)
{
	int64_t cp_qoffset = (int64_t)config->cp_qsp - qlen;
	int64_t cp_qdelta = (int64_t)qlen - qlen_old;
	int64_t cp_fb = cp_qoffset * CP_FB_SCALE - cp_qdelta * scaled_w(config);
	int64_t lowest = -feedback_bound(config);

	if (cp_fb > 0)
		return 0;
	return cp_fb < lowest ? lowest : cp_fb;
}

/*
 * Equal steps over the whole range, rounded down: only the bound itself results
 * in 63. The standard's rounding could not be verified; a quantizer of 64 steps
 * differs by at most one step.
 */
uint8_t cp_quantize(const struct cp_config *config, int64_t cp_fb)
{
	return (uint8_t)(-cp_fb * CP_QNTZ_FB_MAX / feedback_bound(config));
}

/*
 * Table 32-5 lists 150000, 75000, 50000, 37500, 30000, 25000, 21500, 18500 for
 * the default base. That is base / (k + 1), with the last two rounded. The
 * division also serves other bases.
 */
uint32_t cp_sample_base_for(uint32_t cp_sample_base, uint8_t qntz_fb)
{
	return cp_sample_base / ((qntz_fb >> 3) + 1u);
}

int64_t cp_new_sample_base(const struct cp *cp, uint8_t qntz_fb, struct dcb_rng *rng)
{
	int64_t base = cp_sample_base_for(cp->config.cp_sample_base, qntz_fb);
	int64_t jitter = base * CP_JITTER_PERCENT / 100;

	if (!rng)
		return base;
	return base - jitter + dcb_rng_uniform(rng, 0, (uint32_t)(2 * jitter));
}

/*
 * A sample is due when exactly cpSampleBase octets are counted: with frames of
 * 1500 octets and no jitter that is every 100th frame.
 */
static bool sample_is_due(const struct cp *cp)
{
	return cp->cp_enqueued <= 0;
}

/* A quantized feedback of 0 is not sent: receivers ignore it, even if cpFb was negative. */
static bool cnm_is_due(uint8_t qntz_fb)
{
	return qntz_fb > 0;
}

static int32_t whole_octets(int64_t cp_fb)
{
	int64_t octets = cp_fb / CP_FB_SCALE;

	return octets < INT32_MIN ? INT32_MIN : (int32_t)octets;
}

static struct cp_verdict take_sample(struct cp *cp, struct dcb_rng *rng)
{
	int64_t cp_fb = cp_feedback(&cp->config, cp->cp_qlen, cp->cp_qlen_old);
	uint8_t qntz_fb = cp_quantize(&cp->config, cp_fb);
	struct cp_verdict verdict = {
	    .sampled = true,
	    .cnm = cnm_is_due(qntz_fb),
	    .qntz_fb = qntz_fb,
	    .cp_qoffset = (int64_t)cp->config.cp_qsp - cp->cp_qlen,
	    .cp_qdelta = (int64_t)cp->cp_qlen - cp->cp_qlen_old,
	};

	cp->cp_fb = whole_octets(cp_fb);
	cp->cp_qlen_old = cp->cp_qlen;
	cp->cp_enqueued = cp_new_sample_base(cp, qntz_fb, rng);
	return verdict;
}

void cp_init(struct cp *cp, const struct cp_config *config, struct dcb_rng *rng)
{
	*cp = (struct cp){.config = *config};
	cp->cp_enqueued = cp_new_sample_base(cp, 0, rng);
}

void cp_reconfigure(struct cp *cp, const struct cp_config *config)
{
	cp->config = *config;
	if (cp->cp_enqueued > config->cp_sample_base)
		cp->cp_enqueued = config->cp_sample_base;
}

struct cp_verdict cp_enqueue(struct cp *cp, uint32_t octets, struct dcb_rng *rng)
{
	cp->cp_qlen += octets;
	cp->cp_enqueued -= octets;
	if (!sample_is_due(cp))
		return (struct cp_verdict){0};
	return take_sample(cp, rng);
}

void cp_dequeue(struct cp *cp, uint32_t octets)
{
	cp->cp_qlen -= octets;
}
