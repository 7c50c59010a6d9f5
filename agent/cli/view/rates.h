/* SPDX-License-Identifier: BSD-3-Clause */
/* Computes the rates of counters from two reads of a table's rows. */
#ifndef DCB_AGENT_CLI_VIEW_RATES_H
#define DCB_AGENT_CLI_VIEW_RATES_H

#include "agent/cli/base/out.h"

struct rates_set {
	double at_s;
	uint32_t boot_id;
	size_t n, room;
	struct rates_row *rows; /* ascending by index */
};

/* All zero at the start. */
struct rates {
	struct rates_set last, current;
	size_t cursor; /* position in last; rows before it have been passed */
};

/* Begins a read of the table at time now_s, in seconds. */
void rates_begin(struct rates *r, double now_s);
/*
 * Takes a row; rows have to come in ascending order. boot_id identifies the run
 * of dcbd that it was read from. Sets per_second[i] for each column: NAN if the
 * column is not a counter, or if the last read did not have the row from the
 * same run of dcbd. One wrap of a counter, of 32 or 64 bits, is taken into
 * account.
 */
void rates_row(struct rates *r, uint32_t boot_id, const struct mo_table *table,
	       const struct out_row *row, double *per_second);
void rates_end(struct rates *r);
void rates_free(struct rates *r);

#endif
