/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/cli/port/port.h"

#include <stdlib.h>
#include <string.h>

#include "agent/cli/fetch.h"

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

bool port_rows_read(struct cli *cli, const struct mo_table *table, struct port_rows *rows)
{
	*rows = (struct port_rows){.table = table};
	if (fetch_rows(cli->client, &(struct target){.table = table}, take_row, rows) ==
	    MO_CLIENT_OK)
		return true;
	cli_fail_client(cli);
	port_rows_free(rows);
	return false;
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
	size_t c = (size_t)(col - rows->table->columns);
	uint32_t of_port;
	unsigned of_priority;

	for (size_t i = 0; i < rows->n; i++)
		if (port_row_of(rows->table, &rows->rows[i].index, &of_port, &of_priority) &&
		    of_port == ifindex && of_priority == priority)
			return rows->rows[i].present >> c & 1 ? &rows->rows[i].values[c] : NULL;
	return NULL;
}
