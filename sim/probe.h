/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Measures what one assertion is about, over its window of time: counters are
 * read at both ends, queues looked at each sample interval between them.
 */
#ifndef DCB_SIM_PROBE_H
#define DCB_SIM_PROBE_H

#include "sim/scenario.h"

struct probe {
	const struct scn_assert *assert;
	struct sim *sim;
	double value; /* once the window has ended; NaN before */
	/* Queues: mean and sum of squared differences as they grow, in octets. */
	uint64_t samples, empty;
	double mean, squares, highest;
	/* Counters when the window, or the bin of a recovery, began. */
	uint64_t began;
	uint64_t *flows_began; /* octets delivered, by flow */
	bool recovered;
};

/* false: no memory. */
bool probe_init(struct probe *probe, struct sim *sim, const struct scn_assert *assert);
void probe_destroy(struct probe *probe);

/* Time has come to a multiple of the sample interval, 0 included. */
void probe_tick(struct probe *probe, int64_t now_ns);

/* Is it within its bounds? */
bool probe_holds(const struct probe *probe);

/* Octets in the queue of a link's sending port. */
uint64_t probe_queue(const struct sim_link *link, int priority);

/* Frames the sending port had no room for. */
uint64_t probe_discards(const struct sim_link *link);

/* Frames beyond the receive buffer of the port at the link's end: headroom was insufficient. */
uint64_t probe_pfc_discards(const struct sim_link *link);

/* CNMs its congestion points made. */
uint64_t probe_cnms(const struct sim_link *link);

/* (sum x)^2 / (n sum x^2): 1 when all are equal; 0 where all are 0. */
double probe_jain(const double *x, size_t n);

#endif
