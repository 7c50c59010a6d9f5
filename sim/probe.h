/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Measures the metric of one assertion from its from_ns to its to_ns: counters are
 * read at both times, queues once a sample interval in between.
 */
#ifndef DCB_SIM_PROBE_H
#define DCB_SIM_PROBE_H

#include "sim/scenario.h"

struct probe {
	const struct scn_assert *assert;
	struct sim *sim;
	double value; /* the result; NaN before to_ns */
	/* Of queues, over the samples so far: mean, sum of squared deviations, maximum; octets. */
	uint64_t samples, empty;
	double mean, squares, highest;
	/* Counters at from_ns, or for SCN_RECOVERY at the start of the bin. */
	uint64_t began;
	uint64_t *flows_began; /* octets delivered, by flow */
	bool recovered;        /* SCN_RECOVERY: value is set */
};

/* Returns false if out of memory. */
bool probe_init(struct probe *probe, struct sim *sim, const struct scn_assert *assert);
void probe_destroy(struct probe *probe);

/* Must be called at every multiple of the sample interval, 0 included. */
void probe_tick(struct probe *probe, int64_t now_ns);

/* Whether the value is within the assertion's bounds. */
bool probe_holds(const struct probe *probe);

/* Octets in a queue of the link's sending port; SCN_ALL_PRIORITIES: in all its queues. */
uint64_t probe_queue(const struct sim_link *link, int priority);

/* Frames that the sending port discarded: queue full, or no frame buffer. */
uint64_t probe_discards(const struct sim_link *link);

/* Frames that did not fit into the PFC receive buffer at the link's end: headroom too small. */
uint64_t probe_pfc_discards(const struct sim_link *link);

/* CNMs that the congestion points of the sending port sent. */
uint64_t probe_cnms(const struct sim_link *link);

/* Jain's fairness index (sum x)^2 / (n sum x^2): 1 if all are equal, 0 if all are 0. */
double probe_jain(const double *x, size_t n);

#endif
