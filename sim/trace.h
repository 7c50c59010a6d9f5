/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The time series of a run: for each watched link the queue of its sending port and
 * the rate on the wire; for each flow (up to TRACE_FLOWS_MAX) the rate delivered and
 * the rate that its reaction point allows. Kept in memory until the run ends, then
 * written as CSV or plotted.
 */
#ifndef DCB_SIM_TRACE_H
#define DCB_SIM_TRACE_H

#include <stdio.h>

#include "sim/scenario.h"

#define TRACE_FLOWS_MAX 32

struct trace {
	const struct scenario *scn;
	uint32_t n_flows;
	size_t columns; /* column 0 is the time */
	size_t n_rows, room;
	double *rows;     /* n_rows * columns */
	uint64_t *before; /* counters at the last row, by column */
	int64_t last_ns;  /* time of the last row */
	bool failed;      /* out of memory: rows are missing */
};

/* Returns false if out of memory; err: says so. trace_destroy() is permitted then. */
bool trace_init(struct trace *trace, const struct scenario *scn, char *err, size_t errlen);
void trace_destroy(struct trace *trace);

/* Adds a row of the values at sim->now. */
void trace_tick(struct trace *trace, struct sim *sim);

/*
 * The kind of a column: column 0 is the time; then each watched link has a queue and
 * a rate, then each flow a goodput and a limit.
 */
enum trace_kind { TRACE_TIME, TRACE_QUEUE, TRACE_RATE, TRACE_GOODPUT, TRACE_LIMIT };
enum trace_kind trace_kind(const struct trace *trace, size_t column);
/* Writes the heading of a column, such as "queue sw->sink (octets)". */
void trace_name(const struct trace *trace, size_t column, char *buf, size_t size);

/* Returns false if writing failed, with errno set. */
bool trace_write_csv(const struct trace *trace, FILE *out);

#endif
