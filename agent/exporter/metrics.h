/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The rows of a snapshot in Prometheus' text format 0.0.4, part by part.
 *
 * A metric is a column, so the text goes through the rows once for each column, as the format
 * demands.
 */
#ifndef DCB_AGENT_EXPORTER_METRICS_H
#define DCB_AGENT_EXPORTER_METRICS_H

#include "agent/exporter/metric.h"
#include "agent/exporter/snapshot.h"

struct evbuffer;

/* The place where the next part begins. Initially zero. */
struct metrics {
	unsigned table, column, page, row;
	bool begun; /* the lines # HELP and # TYPE of this metric are written */
	struct metric metric;
};

/*
 * Adds lines of the snapshot to out, at least "octets" of them if there are as many. Returns
 * whether there are more. All samples of a metric are together, as the format demands.
 */
bool metrics_write(struct metrics *m, const struct snapshot *s, struct evbuffer *out,
		   size_t octets);
/*
 * Adds dcb_up and, if up, dcb_scrape_rows and dcb_scrape_duration_seconds: the time in which dcbd
 * was read.
 */
void metrics_write_up(struct evbuffer *out, bool up, size_t rows, double seconds);

#endif
