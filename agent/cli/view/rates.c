/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/cli/view/rates.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct rates_row {
	struct mo_index index;
	uint64_t present;
	uint64_t num[OUT_COLUMNS_MAX];
};

void rates_begin(struct rates *r, double now_s)
{
	r->current.at_s = now_s;
	r->current.n = 0;
	r->cursor = 0;
}

static struct rates_row *add(struct rates_set *set)
{
	if (set->n == set->room) {
		set->room = set->room ? 2 * set->room : 64;
		set->rows = out_alloc_check(realloc(set->rows, set->room * sizeof(*set->rows)));
	}
	return &set->rows[set->n++];
}

/*
 * Returns the row of the last read with this index; NULL: none. Both reads
 * ascend, so the cursor passes each row once.
 */
static const struct rates_row *before(struct rates *r, const struct mo_index *index)
{
	if (r->last.boot_id != r->current.boot_id)
		return NULL; /* dcbd has restarted, its counters too */
	for (; r->cursor < r->last.n; r->cursor++) {
		int order = mo_index_compare(&r->last.rows[r->cursor].index, index);

		if (order == 0)
			return &r->last.rows[r->cursor];
		if (order > 0)
			break;
	}
	return NULL;
}

static double gained(enum mo_syntax syntax, uint64_t was, uint64_t is)
{
	uint64_t delta = is - was;

	return (double)(syntax == MO_COUNTER32 ? delta & UINT32_MAX : delta);
}

void rates_row(struct rates *r, uint32_t boot_id, const struct mo_table *table,
	       const struct out_row *row, double *per_second)
{
	const struct rates_row *was;
	struct rates_row *is = add(&r->current);
	double span = r->current.at_s - r->last.at_s;

	r->current.boot_id = boot_id;
	was = before(r, &row->index);
	is->index = row->index;
	is->present = row->present;
	for (unsigned i = 0; i < table->n_columns; i++) {
		const struct mo_column *col = &table->columns[i];
		bool present = row->present >> i & 1;

		is->num[i] = present ? (uint64_t)row->values[i].num : 0;
		per_second[i] = NAN;
		if (was && present && was->present >> i & 1 && out_is_counter(col) && span > 0)
			per_second[i] = gained(col->syntax, was->num[i], is->num[i]) / span;
	}
}

void rates_end(struct rates *r)
{
	struct rates_set spare = r->last;

	r->last = r->current;
	r->current = spare;
}

void rates_free(struct rates *r)
{
	free(r->last.rows);
	free(r->current.rows);
	memset(r, 0, sizeof(*r));
}
