/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Congestion Point: 802.1Q 32.8 (variables) and 32.9 (procedures).
 *
 * One per port and CNPV queue. The host tells it of every frame put into and
 * taken from the queue; it answers whether a congestion notification message
 * is due and with which feedback. It owns no memory, clock or queue.
 */
#ifndef DCB_CORE_CP_H
#define DCB_CORE_CP_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/rng.h"

/* Feedback is reckoned in 1/1024 octets: exact for the smallest cpW, 2^-10. */
#define CP_FB_SCALE 1024

#define CP_QNTZ_FB_MAX 63 /* six bits */

/* NewCpSampleBase() draws within +-15 % of the table's value. */
#define CP_JITTER_PERCENT 15

/*
 * The writable objects of ieee8021CnCpEntry, within the ranges the module gives
 * them: whoever sets them has checked that.
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
	uint32_t cp_qlen_old; /* cpQLenOld, octets: 32.8.5 */
	int64_t cp_enqueued;  /* cpEnqueued, octets until the next sample: 32.8.10 */
	int32_t cp_fb;        /* cpFb of the last sample, whole octets, saturated: 32.8.9 */
};

/* What cp_enqueue() found. Offsets and deltas in octets, signs as in 32.8. */
struct cp_verdict {
	bool sampled;       /* a sample was taken */
	bool cnm;           /* ... and a CNM is due */
	bool mark;          /* the frame is to be marked drop eligible: cp_early.h only */
	uint8_t qntz_fb;    /* quantized feedback, 0..63 */
	int64_t cp_qoffset; /* cpQOffset: 32.8.7 */
	int64_t cp_qdelta;  /* cpQDelta: 32.8.8 */
};

/*
 * Empty queue, first sample base drawn from rng. rng may be NULL, here and in
 * cp_enqueue(): then there is no jitter and a published trace can be replayed.
 */
void cp_init(struct cp *cp, const struct cp_config *config, struct dcb_rng *rng);

/*
 * New parameters for a running CP. Queue state and the running sample stay, but
 * no sample lasts longer than the new cpSampleBase.
 */
void cp_reconfigure(struct cp *cp, const struct cp_config *config);

/*
 * A data frame of this many octets went into the queue: EM_UNITDATA.request,
 * 32.9.3. Octets are those of the MAC frame the host counts in its queue. A
 * frame the queue discarded is not offered here.
 */
struct cp_verdict cp_enqueue(struct cp *cp, uint32_t octets, struct dcb_rng *rng);

/* A data frame of this many octets left the queue (sent or flushed). */
void cp_dequeue(struct cp *cp, uint32_t octets);

/* Pieces of cp_enqueue(), public for the vectors. */

/* cpFb in 1/CP_FB_SCALE octets, clamped to [-cpQSp * (2 * cpW + 1), 0]: 32.8.9. */
int64_t cp_feedback(const struct cp_config *config, uint32_t qlen, uint32_t qlen_old);

/* Six bits of a cpFb as cp_feedback() returns it, 0..63. */
uint8_t cp_quantize(const struct cp_config *config, int64_t cp_fb);

/* Table 32-5: octets between samples at this feedback, before jitter. */
uint32_t cp_sample_base_for(uint32_t cp_sample_base, uint8_t qntz_fb);

/* NewCpSampleBase(), 32.9: the same with jitter, octets. */
int64_t cp_new_sample_base(const struct cp *cp, uint8_t qntz_fb, struct dcb_rng *rng);

#endif
