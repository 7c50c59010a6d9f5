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
	struct trace *trace;  /* NULL: not wanted */
	size_t next_event;
	double cpu_s; /* that sim_run_until() took */
	/* Called now and then with the share that is done; NULL: nobody wants to know. */
	void (*progress)(const struct run *run, double done);
};

/* Everything at time 0. false: err says why. run_destroy() is due in any case. */
bool run_init(struct run *run, const struct scenario *scn, uint64_t seed, char *err, size_t errlen);
void run_destroy(struct run *run);

/* To the end. false: err says why. */
bool run_all(struct run *run, char *err, size_t errlen);

/* How many assertions do not hold. */
size_t run_failures(const struct run *run);

#endif
