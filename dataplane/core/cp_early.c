/* SPDX-License-Identifier: BSD-3-Clause */
/*
 *     Fb     = (Q_EQ - qlen) - W * (qlen - qlen_old)     in pages, for each frame
 *     sample = urand() < BASE_PROBABILITY + C * qntz_Fb
 *     DE     = Fb < 0
 *
 * Q_EQ is cpQSp and W is cpW. Feedback, bounds and quantizer are those of cp.c,
 * with pages in place of octets. The quantizer is the same so that one step
 * reduces the rate equally at a reaction point, for both kinds of congestion
 * point.
 *
 * All known errors of the proposal's text are in its reaction point. Where the
 * text of its congestion point is ambiguous, see the functions below.
 */
#include "dataplane/core/cp_early.h"

#define PPM 1000000u

/*
 * A page counts as used if it holds one octet. Queue length and set point are
 * both rounded up: so a queue at its set point has no feedback at any page
 * size, and the set point is never 0. A queue of frames that do not fill their
 * pages reaches the set point with fewer octets if pages_of_frames.
 */
static uint32_t pages(const struct cp_early_config *early, uint32_t octets)
{
	uint32_t page = early->page_octets;

	return page < 2 ? octets : octets / page + (octets % page != 0);
}

/* A sum above 1 000 000 means that each frame is sampled. */
static bool sample_is_due(const struct cp_early_config *early, uint8_t qntz_fb, struct dcb_rng *rng)
{
	uint64_t ppm = (uint64_t)early->step_probability_ppm * qntz_fb;

	return dcb_rng_uniform(rng, 0, PPM - 1) < ppm + early->base_probability_ppm;
}

/* Includes feedback smaller than one step of the quantizer. */
static bool is_congested(int64_t cp_fb)
{
	return cp_fb < 0;
}

/*
 * The text sends every negative feedback, so a CNM with quantized feedback 0 is
 * sent too. Reaction points ignore it. cp.c does not send it.
 */
static bool cnm_is_due(int64_t cp_fb)
{
	return is_congested(cp_fb);
}

/* Converts cpFb from 1/CP_FB_SCALE page to whole octets, saturated as in cp.c. */
static int32_t whole_octets(const struct cp_early_config *early, int64_t cp_fb)
{
	int64_t page = early->page_octets < 2 ? 1 : early->page_octets;
	int64_t octets = cp_fb / CP_FB_SCALE * page;

	return octets < INT32_MIN ? INT32_MIN : (int32_t)octets;
}

/* The length of the queue in pages, now and at the last sample. */
struct length {
	uint32_t now, old;
};

/* Counts a frame that enters the queue. */
static struct length length_with(struct cp *cp, const struct cp_early_config *early,
				 uint32_t octets)
{
	cp->cp_qlen += octets;
	if (!early->pages_of_frames)
		return (struct length){pages(early, cp->cp_qlen), pages(early, cp->cp_qlen_old)};
	cp->pages += pages(early, octets);
	return (struct length){cp->pages, cp->pages_old};
}

void cp_early_count(struct cp *cp, const struct cp_early_config *early, uint32_t octets)
{
	cp->pages += pages(early, octets);
	cp->pages_old += pages(early, octets);
}

void cp_early_dequeue(struct cp *cp, const struct cp_early_config *early, uint32_t octets)
{
	cp_dequeue(cp, octets);
	if (early->pages_of_frames)
		cp->pages -= pages(early, octets);
}

struct cp_verdict cp_early_enqueue(struct cp *cp, const struct cp_early_config *early,
				   uint32_t octets, struct dcb_rng *rng)
{
	struct cp_config in_pages = {.cp_qsp = pages(early, cp->config.cp_qsp),
				     .cp_w_exp = cp->config.cp_w_exp};
	struct length length = length_with(cp, early, octets);
	struct cp_verdict verdict = {0};
	uint8_t qntz_fb = 0;
	int64_t cp_fb;

	cp_fb = cp_feedback(&in_pages, length.now, length.old);
	if (is_congested(cp_fb)) {
		verdict.mark = true;
		qntz_fb = cp_quantize(&in_pages, cp_fb);
	}
	if (!sample_is_due(early, qntz_fb, rng))
		return verdict;

	verdict.sampled = true;
	verdict.cnm = cnm_is_due(cp_fb);
	verdict.qntz_fb = qntz_fb;
	verdict.cp_qoffset = (int64_t)cp->config.cp_qsp - cp->cp_qlen;
	verdict.cp_qdelta = (int64_t)cp->cp_qlen - cp->cp_qlen_old;
	cp->cp_fb = whole_octets(early, cp_fb);
	cp->cp_qlen_old = cp->cp_qlen;
	cp->pages_old = cp->pages;
	return verdict;
}
