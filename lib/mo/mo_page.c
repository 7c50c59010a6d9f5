/* SPDX-License-Identifier: BSD-3-Clause */
#include "lib/mo/mo_page.h"

#include <stdlib.h>
#include <string.h>

void mo_page_free(struct mo_page *page)
{
	free(page->buf);
	free(page->rows);
	memset(page, 0, sizeof(*page));
}

static bool page_reserve(struct mo_page *page, size_t rows, size_t octets)
{
	if (page->rows_size < rows) {
		struct mo_page_row *p = realloc(page->rows, rows * sizeof(*p));

		if (!p)
			return false;
		page->rows = p;
		page->rows_size = rows;
	}
	if (page->buf_size < octets) {
		uint8_t *p = realloc(page->buf, octets);

		if (!p)
			return false;
		page->buf = p;
		page->buf_size = octets;
	}
	return true;
}

/* Takes a value of the page. Returns false if the row has none, or if it is malformed. */
static bool take_value(const struct mo_page *page, struct octets_in *in, struct mo_value *value,
		       struct mo_origin *origin)
{
	*origin = (struct mo_origin){.kind = MO_ORIGIN_NONE};
	if (!mo_msg_get_value(in, value))
		return false;
	if (page->has_origins)
		mo_msg_get_origin(in, origin);
	return !in->overrun;
}

/* Skips the values of one row. Sets in->overrun if one is missing or malformed. */
static void skip_row(const struct mo_page *page, struct octets_in *in)
{
	struct mo_origin origin;
	struct mo_value value;

	for (unsigned i = 0; i < page->table->n_columns && !in->overrun; i++)
		(void)take_value(page, in, &value, &origin);
}

bool mo_page_parse(struct mo_page *page, struct octets_in *in)
{
	const uint8_t *start = in->p;
	size_t octets = in->left;
	uint16_t n;

	page->more = octets_in_u8(in) != 0;
	n = octets_in_be16(in);
	/* A row takes one octet at least, so that the reply's length limits the memory for n. */
	if (in->overrun || n > in->left || !page_reserve(page, n, octets))
		return false;
	memcpy(page->buf, start, octets);
	for (unsigned i = 0; i < n; i++) {
		struct mo_page_row *row = &page->rows[i];

		mo_msg_get_index(in, &row->index);
		row->offset = (uint32_t)(in->p - start);
		skip_row(page, in);
		row->len = (uint32_t)(in->p - start) - row->offset;
		if (in->overrun)
			return false;
	}
	page->n_rows = n;
	return true;
}

bool mo_page_value_of(const struct mo_page *page, unsigned row, const struct mo_column *col,
		      struct mo_value *value, struct mo_origin *origin)
{
	const struct mo_page_row *r = &page->rows[row];
	struct octets_in in = octets_in(page->buf + r->offset, r->len);
	bool found = false;

	for (const struct mo_column *at = page->table->columns; at <= col; at++)
		found = take_value(page, &in, value, origin);
	return found;
}

bool mo_page_value(const struct mo_page *page, unsigned row, const struct mo_column *col,
		   struct mo_value *value)
{
	struct mo_origin origin;

	return mo_page_value_of(page, row, col, value, &origin);
}
