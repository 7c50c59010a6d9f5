/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of a table as a reply to READ has them. */
#ifndef DCB_LIB_MO_MO_PAGE_H
#define DCB_LIB_MO_MO_PAGE_H

#include "lib/mo/mo_msg.h"

/* A page: rows of one table in ascending order, in the encoding of mo_msg.h. */
struct mo_page {
	const struct mo_table *table;
	bool has_origins; /* read with MO_READ_ORIGIN */
	uint16_t n_rows;
	bool more;    /* the table has rows after the last one */
	uint8_t *buf; /* owned by the page; the next read into it overwrites it */
	size_t buf_size;
	struct mo_page_row *rows;
	size_t rows_size;
};

struct mo_page_row {
	struct mo_index index;
	uint32_t offset; /* of the first column's value in buf, in octets */
	uint32_t len;    /* of all values of the row, in octets */
};

/* Frees the page's memory and sets the page to zero. */
void mo_page_free(struct mo_page *page);

/*
 * Takes the body of a reply to READ; page->table and page->has_origins say which. Returns false
 * if it is malformed, or if out of memory.
 */
bool mo_page_parse(struct mo_page *page, struct octets_in *in);
/* Sets *value to a column of row number "row". Returns false if the row has no value there. */
bool mo_page_value(const struct mo_page *page, unsigned row, const struct mo_column *col,
		   struct mo_value *value);

/*
 * The same with the origin of the value, if the page was read with MO_READ_ORIGIN; else its kind is
 * MO_ORIGIN_NONE.
 */
bool mo_page_value_of(const struct mo_page *page, unsigned row, const struct mo_column *col,
		      struct mo_value *value, struct mo_origin *origin);

#endif
