/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The time series of a run: of each watched link the queue before it and the rate
 * it carried, of each flow (up to TRACE_FLOWS_MAX) the rate its application had
 * delivered and the rate its station's reaction point allowed it. Kept in memory
 * until the run ends, then written as CSV or plotted.
 */
#ifndef DCB_SIM_TRACE_H
#define DCB_SIM_TRACE_H

#include <stdio.h>

#include "sim/scenario.h"

#define TRACE_FLOWS_MAX 32

struct trace {
	const struct scenario *scn;
	uint32_t n_flows;
	size_t columns; /* time first */
	size_t n_rows, room;
	double *rows;     /* n_rows * columns */
	uint64_t *before; /* counters at the last row, by column */
	int64_t last_ns;
	bool failed; /* no memory for a row */
};

bool trace_init(struct trace *trace, const struct scenario *scn);
void trace_destroy(struct trace *trace);

/* One more row. */
void trace_tick(struct trace *trace, struct sim *sim);

/* What a column is: 0 the time; then by watched link a queue and a rate, by flow two rates. */
enum trace_kind { TRACE_TIME, TRACE_QUEUE, TRACE_RATE, TRACE_GOODPUT, TRACE_LIMIT };
enum trace_kind trace_kind(const struct trace *trace, size_t column);
/* "queue sw->sink (octets)" */
void trace_name(const struct trace *trace, size_t column, char *buf, size_t size);

/* false: writing failed, errno says why. */
bool trace_write_csv(const struct trace *trace, FILE *out);

#endif
