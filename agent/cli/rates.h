/* SPDX-License-Identifier: BSD-3-Clause */
/* Counters of a table's rows at two times, and what they gained per second. */
#ifndef DCB_AGENT_CLI_RATES_H
#define DCB_AGENT_CLI_RATES_H

#include "agent/cli/out.h"

struct rates_set {
	double at_s;
	uint32_t boot_id;
	size_t n, room;
	struct rates_row *rows; /* ascending, as they come */
};

/* All zero at the start. */
struct rates {
	struct rates_set was, is;
	size_t cursor; /* in was: rows before it are behind us */
};

/* Rows read at this time follow. */
void rates_begin(struct rates *r, double now_s);
/*
 * A row, in ascending order, of the run of dcbd that is connected: per_second
 * gets one entry a column; NAN where the column is no counter or this run did
 * not have the row before. A counter of either size that wrapped once is
 * followed.
 */
void rates_row(struct rates *r, uint32_t boot_id, const struct mo_table *table,
	       const struct out_row *row, double *per_second);
void rates_end(struct rates *r);
void rates_free(struct rates *r);

#endif
