/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/cli/base/fetch.h"

#define PAGE_ROWS 256

static void call_with_row(const struct mo_page *page, unsigned i, fetch_fn fn, void *ctx)
{
	struct mo_value values[OUT_COLUMNS_MAX];
	struct mo_origin origins[OUT_COLUMNS_MAX];
	struct out_row row = {.index = page->rows[i].index, .values = values, .origins = origins};

	for (unsigned c = 0; c < page->table->n_columns; c++) {
		if (mo_page_value_of(page, i, &page->table->columns[c], &values[c], &origins[c]))
			row.present |= UINT64_C(1) << c;
	}
	fn(ctx, &row);
}

static enum mo_client_status fetch(struct mo_client *client, const struct target *target,
				   unsigned origin, fetch_fn fn, void *ctx)
{
	struct mo_page page = {.n_rows = 0};
	struct mo_index from = target->index;
	enum mo_client_status status;
	unsigned flags = origin;
	bool more = true;

	while (more) {
		status = mo_client_read(client, target->table->id, flags, &from, PAGE_ROWS, &page);
		if (status != MO_CLIENT_OK)
			break;
		more = page.more && page.n_rows > 0;
		for (unsigned i = 0; i < page.n_rows; i++) {
			from = page.rows[i].index;
			/* Rows ascend: no row after this one matches. */
			if (!target_has(target, &from)) {
				more = false;
				break;
			}
			call_with_row(&page, i, fn, ctx);
		}
		flags = MO_READ_AFTER | origin;
	}
	mo_page_free(&page);
	return status;
}

enum mo_client_status fetch_rows(struct mo_client *client, const struct target *target, fetch_fn fn,
				 void *ctx)
{
	return fetch(client, target, 0, fn, ctx);
}

enum mo_client_status fetch_origins(struct mo_client *client, const struct target *target,
				    fetch_fn fn, void *ctx)
{
	return fetch(client, target, MO_READ_ORIGIN, fn, ctx);
}
