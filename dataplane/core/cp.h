/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Congestion Point: 802.1Q 32.8 (variables) and 32.9 (procedures).
 *
 * One per port and CNPV queue. The caller reports each frame that enters or
 * leaves the queue; cp_enqueue() returns whether a congestion notification
 * message is to be sent, and with which feedback. Uses no clock and allocates
 * no memory. The caller owns the queue.
 */
#ifndef DCB_CORE_CP_H
#define DCB_CORE_CP_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/rng.h"

/* Feedback is in units of 1/1024 octet: exact for the smallest cpW, 2^-10. */
#define CP_FB_SCALE 1024

#define CP_QNTZ_FB_MAX 63 /* six bits */

/* NewCpSampleBase() draws from +-15 % around the value of table 32-5. */
#define CP_JITTER_PERCENT 15

/*
 * The writable objects of ieee8021CnCpEntry. The caller has checked the ranges
 * of the MIB module.
 */
struct cp_config {
	uint32_t cp_qsp;              /* cpQSp, octets: 32.8.3 */
	uint32_t cp_sample_base;      /* cpSampleBase, octets: 32.8.11 */
	int8_t cp_w_exp;              /* cpW = 2^cp_w_exp: 32.8.6 */
	uint8_t cp_min_header_octets; /* cpMinHeaderOctets: 32.8.15 */
};

/* Variables of one congestion point. */
struct cp {
	struct cp_config config;
	uint32_t cp_qlen;     /* cpQLen, octets: 32.8.4 */
	int64_t cp_enqueued;  /* cpEnqueued, octets until the next sample: 32.8.10 */
	uint32_t cp_qlen_old; /* cpQLenOld, octets: 32.8.5 */
	int32_t cp_fb;        /* cpFb of the last sample, whole octets, saturated: 32.8.9 */
	/* cpQLen and cpQLenOld in pages of frames: only cp_early_config.pages_of_frames. */
	uint32_t pages, pages_old;
};

/*
 * Result of cp_enqueue(). Offset and delta in octets, signs as in 32.8. They are not side by side:
 * compilers would read both by one load, which waits for the two stores before it.
 */
struct cp_verdict {
	int64_t cp_qoffset; /* cpQOffset: 32.8.7 */
	bool sampled;       /* the frame was sampled */
	bool cnm;           /* send a CNM; only if sampled */
	bool mark;          /* mark the frame drop eligible: cp_early.h only */
	uint8_t qntz_fb;    /* quantized feedback, 0..63 */
	int64_t cp_qdelta;  /* cpQDelta: 32.8.8 */
};

/*
 * Initializes a CP with an empty queue and draws the first sample base from
 * rng. rng may be NULL, also in cp_enqueue(): no jitter, so that a published
 * trace can be reproduced.
 */
void cp_init(struct cp *cp, const struct cp_config *config, struct dcb_rng *rng);

/*
 * Sets new parameters. Queue length and current sample interval stay, but the
 * interval is at most the new cpSampleBase.
 */
void cp_reconfigure(struct cp *cp, const struct cp_config *config);

/*
 * Counts a data frame put into the queue: EM_UNITDATA.request, 32.9.3. octets
 * is the length of the MAC frame as counted in the queue. Do not call it for a
 * frame that the queue discarded.
 */
struct cp_verdict cp_enqueue(struct cp *cp, uint32_t octets, struct dcb_rng *rng);

/* Counts a data frame that left the queue, sent or discarded. */
void cp_dequeue(struct cp *cp, uint32_t octets);

/*
 * cp_enqueue() and cp_dequeue() of a data frame that leaves at once. Returns false, and counts
 * nothing, if cp_enqueue() would sample it.
 */
static inline bool cp_pass_unsampled(struct cp *cp, uint32_t octets)
{
	if (cp->cp_enqueued <= octets)
		return false;
	cp->cp_enqueued -= octets;
	return true;
}

/* Parts of cp_enqueue(), public for the test vectors. */

/* Returns cpFb in 1/CP_FB_SCALE octet, within [-cpQSp * (2 * cpW + 1), 0]: 32.8.9. */
int64_t cp_feedback(const struct cp_config *config, uint32_t qlen, uint32_t qlen_old);

/* Returns the quantized feedback, 0..63. cp_fb as cp_feedback() returns it. */
uint8_t cp_quantize(const struct cp_config *config, int64_t cp_fb);

/* Table 32-5: returns the octets between samples at this feedback, before jitter. */
uint32_t cp_sample_base_for(uint32_t cp_sample_base, uint8_t qntz_fb);

/* NewCpSampleBase(), 32.9: returns the same octets with jitter. */
int64_t cp_new_sample_base(const struct cp *cp, uint8_t qntz_fb, struct dcb_rng *rng);

#endif
