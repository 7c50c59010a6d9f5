/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/trace.h"

#include "sim/probe.h"
#include "dataplane/station/station.h"

#include <stdlib.h>

bool trace_init(struct trace *trace, const struct scenario *scn, char *err, size_t errlen)
{
	*trace = (struct trace){.scn = scn};
	trace->n_flows =
	    (uint32_t)(scn->n_flows < TRACE_FLOWS_MAX ? scn->n_flows : TRACE_FLOWS_MAX);
	trace->columns = 1 + 2 * scn->n_watch + 2 * trace->n_flows;
	trace->before = calloc(trace->columns, sizeof(*trace->before));
	if (!trace->before)
		/* Message: as "out of memory" */
		snprintf(err, errlen, "out of memory for the time series");
	return trace->before;
}

void trace_destroy(struct trace *trace)
{
	free(trace->rows);
	free(trace->before);
}

enum trace_kind trace_kind(const struct trace *trace, size_t column)
{
	if (column == 0)
		return TRACE_TIME;
	column--;
	if (column < 2 * trace->scn->n_watch)
		return column % 2 ? TRACE_RATE : TRACE_QUEUE;
	return (column - 2 * trace->scn->n_watch) % 2 ? TRACE_LIMIT : TRACE_GOODPUT;
}

/* Returns the index in scn->watch or the index of the flow. */
static size_t target_index(const struct trace *trace, size_t column)
{
	size_t at = column - 1;

	return at < 2 * trace->scn->n_watch ? at / 2 : (at - 2 * trace->scn->n_watch) / 2;
}

void trace_name(const struct trace *trace, size_t column, char *buf, size_t size)
{
	const struct scenario *scn = trace->scn;
	char link[2 * SIM_NAME_OCTETS + 2];

	switch (trace_kind(trace, column)) {
	case TRACE_TIME:
		snprintf(buf, size, "time (s)");
		return;
	case TRACE_QUEUE:
	case TRACE_RATE:
		scn_link_name(scn, scn->watch[target_index(trace, column)], link, sizeof(link));
		if (trace_kind(trace, column) == TRACE_QUEUE)
			snprintf(buf, size, "queue %s (octets)", link);
		else
			snprintf(buf, size, "rate %s (Mb/s)", link);
		return;
	case TRACE_GOODPUT:
		snprintf(buf, size, "goodput %s (Mb/s)",
			 scn->flows[target_index(trace, column)].name);
		return;
	case TRACE_LIMIT:
		snprintf(buf, size, "limit %s (Mb/s)",
			 scn->flows[target_index(trace, column)].name);
	}
}

static double mbps(struct trace *trace, size_t column, uint64_t octets, int64_t lasted_ns)
{
	uint64_t more = octets - trace->before[column];

	trace->before[column] = octets;
	return lasted_ns > 0 ? (double)more * 8e3 / (double)lasted_ns : 0;
}

/*
 * Returns in Mb/s the rate of the flow's reaction point of DCQCN; without it that of the first
 * reaction point of the flow's station and priority, the only one by default; for a host the rate
 * of its link.
 */
static double limit(const struct sim_flow *flow)
{
	struct rp_stats rp = {0};

	if (flow->params.dcqcn)
		return (double)dcqcn_rp_rate(&flow->rp).bps * 1e-6;
	if (flow->from->kind != SIM_STATION)
		return (double)flow->from->links[0]->rate.bps * 1e-6;
	station_read_rp(flow->from->ports[0], flow->params.priority, 1, &rp);
	return (double)rp.rp_current_rate * 1e-6;
}

static bool make_room(struct trace *trace)
{
	size_t room = trace->room ? 2 * trace->room : 1024;
	double *rows;

	if (trace->n_rows < trace->room)
		return true;
	rows = realloc(trace->rows, room * trace->columns * sizeof(*rows));
	if (!rows)
		return false;
	trace->rows = rows;
	trace->room = room;
	return true;
}

static double value_of(struct trace *trace, struct sim *sim, size_t column, int64_t lasted_ns)
{
	enum trace_kind kind = trace_kind(trace, column);
	size_t n = column ? target_index(trace, column) : 0;

	switch (kind) {
	case TRACE_QUEUE:
		return (double)probe_queue(&sim->links[trace->scn->watch[n]], SCN_ALL_PRIORITIES);
	case TRACE_RATE:
		return mbps(trace, column, sim->links[trace->scn->watch[n]].stats.wire_octets,
			    lasted_ns);
	case TRACE_GOODPUT:
		return mbps(trace, column, sim->flows[n].stats.octets, lasted_ns);
	case TRACE_LIMIT:
		return limit(&sim->flows[n]);
	default:
		return (double)sim->now.ns * 1e-9;
	}
}

void trace_tick(struct trace *trace, struct sim *sim)
{
	int64_t lasted_ns = sim->now.ns - trace->last_ns;
	double *row;

	if (!make_room(trace)) {
		trace->failed = true;
		return;
	}
	row = trace->rows + trace->n_rows++ * trace->columns;
	for (size_t i = 0; i < trace->columns; i++)
		row[i] = value_of(trace, sim, i, lasted_ns);
	trace->last_ns = sim->now.ns;
}

bool trace_write_csv(const struct trace *trace, FILE *out)
{
	char name[128];

	for (size_t i = 0; i < trace->columns; i++) {
		trace_name(trace, i, name, sizeof(name));
		fprintf(out, "%s\"%s\"", i ? "," : "", name);
	}
	fputc('\n', out);
	for (size_t row = 0; row < trace->n_rows; row++) {
		const double *values = trace->rows + row * trace->columns;

		fprintf(out, "%.9f", values[0]);
		for (size_t i = 1; i < trace->columns; i++)
			fprintf(out, trace_kind(trace, i) == TRACE_QUEUE ? ",%.0f" : ",%.3f",
				values[i]);
		fputc('\n', out);
	}
	return fflush(out) == 0 && !ferror(out);
}
