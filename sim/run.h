/* SPDX-License-Identifier: BSD-3-Clause */
/* One run of a scenario with one seed. */
#ifndef DCB_SIM_RUN_H
#define DCB_SIM_RUN_H

#include "sim/probe.h"
#include "sim/scenario.h"
#include "sim/trace.h"

struct run {
	const struct scenario *scn;
	struct sim sim;
	struct probe *probes; /* one for each assertion */
	struct trace *trace;  /* NULL: no time series */
	size_t next_event;
	double cpu_s; /* processor time of run_all() */
	/* Called from time to time; done: share of the duration, up to 1. NULL: not called. */
	void (*progress)(const struct run *run, double done);
};

/*
 * Builds the network of the scenario at time 0, with seed in place of the
 * scenario's, for up to this many threads; sim.n_parts says how many there are. Returns false with
 * the reason in err. Call run_destroy() in either case.
 */
bool run_init(struct run *run, const struct scenario *scn, uint64_t seed, uint32_t threads,
	      char *err, size_t errlen);
void run_destroy(struct run *run);

/* Runs to the end of the scenario. Returns false with the reason in err: an event failed. */
bool run_all(struct run *run, char *err, size_t errlen);

/* Returns the number of assertions that do not hold. */
size_t run_failures(const struct run *run);

#endif
