/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * DCQCN: the reaction point and the notification point of a flow, as published by Zhu et al.,
 * "Congestion Control for Large-Scale RDMA Deployments", SIGCOMM 2015. No standard has it.
 *
 * Queues mark frames by ECN (ecn.h). The receiver answers them by CNPs, at most one in
 * DCQCN_CNP_NS. A CNP reduces the rate of the sender by the share alpha / 2. A timer and a byte
 * counter end cycles, and each cycle increases the rate: by half the way to the target at first,
 * then the target rises too.
 *
 * Arithmetic: rates are integers in bit/s. alpha is a fraction of DCQCN_ONE; its decay is rounded
 * up, so that it reaches 0. A cut is exact to 1024 bit/s; a mean is rounded up, so that the rate
 * reaches its target.
 */
#ifndef DCB_CORE_DCQCN_H
#define DCB_CORE_DCQCN_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/dcbtime.h"
#include "lib/units.h"

/* Values of the publication. */
#define DCQCN_G_SHIFT    8 /* g = 1/256 */
#define DCQCN_ALPHA_NS   (55 * DCB_NS_PER_US)
#define DCQCN_TIMER_NS   (55 * DCB_NS_PER_US)
#define DCQCN_CNP_NS     (50 * DCB_NS_PER_US)
#define DCQCN_BYTE_RESET 10000000
#define DCQCN_F          5 /* cycles of fast recovery */
#define DCQCN_AI_BPS     UINT64_C(40000000)
#define DCQCN_MIN_BPS    UINT64_C(40000000)
/* Hyper increase: ten times DCQCN_AI_BPS (choice; its published source was not available). */
#define DCQCN_HAI_BPS UINT64_C(400000000)

#define DCQCN_ONE (1u << 24) /* alpha 1 */

/* Highest line rate, in bit/s: products fit in 64 bits. */
#define DCQCN_LINE_MAX_BPS (UINT64_C(1) << 49)

/* The most expiries of each timer that one call makes up for: 3.6 s. Time beyond it is lost. */
#define DCQCN_CATCH_UP 65536

/* Reaction point. */
struct dcqcn_rp {
	bool active; /* a CNP has arrived: the timers run */
	uint32_t alpha;
	uint32_t time_stage, byte_stage; /* T and BC: cycles since the last CNP */
	uint64_t line_bps, current_bps, target_bps;
	int64_t byte_count; /* octets until the next byte event */
	struct dcb_time alpha_due, increase_due;
};

/* Notification point. */
struct dcqcn_np {
	struct dcb_time next; /* no CNP before */
};

/* Initializes a reaction point at the line rate; 0 is 10 Gb/s, and the minimum rate the least. */
void dcqcn_rp_init(struct dcqcn_rp *rp, struct dcb_rate line);

/* Processes a CNP. Runs dcqcn_rp_advance() first. */
void dcqcn_rp_cnp(struct dcqcn_rp *rp, struct dcb_time now);

/*
 * Counts octets that were sent. Ends at most one byte cycle; octets beyond its end are not carried
 * over. Runs dcqcn_rp_advance() first.
 */
void dcqcn_rp_sent(struct dcqcn_rp *rp, uint32_t octets, struct dcb_time now);

/* Processes the expiries of both timers up to now, each at its own time. */
void dcqcn_rp_advance(struct dcqcn_rp *rp, struct dcb_time now);

/* Returns the time to call dcqcn_rp_advance(); DCB_TIME_NEVER before the first CNP. */
struct dcb_time dcqcn_rp_next_deadline(const struct dcqcn_rp *rp);

/* Returns the rate that the flow may send at. */
static inline struct dcb_rate dcqcn_rp_rate(const struct dcqcn_rp *rp)
{
	return (struct dcb_rate){rp->current_bps};
}

/* Initializes a notification point: the first marked frame is answered. */
void dcqcn_np_init(struct dcqcn_np *np);

/* Processes a frame that arrived with mark CE. Returns true if a CNP is to be sent now. */
bool dcqcn_np_marked(struct dcqcn_np *np, struct dcb_time now);

#endif
