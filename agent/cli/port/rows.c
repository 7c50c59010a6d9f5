/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/cli/port/port.h"

#include <stdlib.h>
#include <string.h>

#include "agent/cli/base/fetch.h"

static void take_row(void *ctx, const struct out_row *from)
{
	struct port_rows *rows = ctx;
	size_t size = rows->table->n_columns * sizeof(struct mo_value);
	struct mo_value *values = out_alloc_check(malloc(size));

	if (rows->n == rows->room) {
		rows->room = rows->room ? 2 * rows->room : 64;
		rows->rows = out_alloc_check(realloc(rows->rows, rows->room * sizeof(*rows->rows)));
	}
	memcpy(values, from->values, size);
	rows->rows[rows->n++] =
	    (struct out_row){.index = from->index, .present = from->present, .values = values};
}

/* Compares the row with a port and priority, as memcmp(). */
static int compare_with(const struct mo_table *table, const struct out_row *row, uint32_t ifindex,
			unsigned priority)
{
	uint32_t of_port = 0;
	unsigned of_priority = 0;

	port_row_of(table, &row->index, &of_port, &of_priority);
	if (of_port != ifindex)
		return of_port < ifindex ? -1 : 1;
	return of_priority < priority ? -1 : of_priority > priority;
}

static int compare_rows(const void *a, const void *b, void *table)
{
	const struct out_row *other = b;
	uint32_t ifindex = 0;
	unsigned priority = 0;

	port_row_of(table, &other->index, &ifindex, &priority);
	return compare_with(table, a, ifindex, priority);
}

bool port_rows_read(struct cli *cli, const struct mo_table *table, struct port_rows *rows)
{
	*rows = (struct port_rows){.table = table};
	if (fetch_rows(cli->client, &(struct target){.table = table}, take_row, rows) !=
	    MO_CLIENT_OK) {
		cli_fail_client(cli);
		port_rows_free(rows);
		return false;
	}
	/* Rows by priority and port are in another order. */
	if (rows->n > 1 && table->rows == MO_ROWS_PORT_EACH)
		qsort_r(rows->rows, rows->n, sizeof(*rows->rows), compare_rows,
			(void *)(uintptr_t)table);
	return true;
}

void port_rows_free(struct port_rows *rows)
{
	for (size_t i = 0; i < rows->n; i++)
		free((void *)(uintptr_t)rows->rows[i].values);
	free(rows->rows);
	*rows = (struct port_rows){.table = NULL};
}

const struct mo_value *port_rows_value(const struct port_rows *rows, const struct mo_column *col,
				       uint32_t ifindex, unsigned priority)
{
	size_t c = (size_t)(col - rows->table->columns), low = 0, high = rows->n;

	while (low < high) {
		size_t mid = (low + high) / 2;
		int order = compare_with(rows->table, &rows->rows[mid], ifindex, priority);

		if (order == 0)
			return rows->rows[mid].present >> c & 1 ? &rows->rows[mid].values[c] : NULL;
		if (order < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return NULL;
}
