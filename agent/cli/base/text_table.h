/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Table of text; each column is as wide as its widest cell. Where the terminal is narrower than the
 * table, columns are left out: first those without contents, then the usual ones from the right.
 */
#ifndef DCB_AGENT_CLI_BASE_TEXT_TABLE_H
#define DCB_AGENT_CLI_BASE_TEXT_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define TEXT_TABLE_COLUMNS_MAX 80

/* Which columns a narrow terminal keeps longest. */
enum text_table_rank {
	TEXT_TABLE_USUAL,
	TEXT_TABLE_FIRST,  /* left out after all usual ones */
	TEXT_TABLE_ALWAYS, /* never left out: what identifies the row */
};

struct text_table {
	size_t n_cols;
	struct {
		char *header;
		size_t width;
		bool right; /* aligned to the right */
		enum text_table_rank rank;
		bool blank;  /* no cell but "" and "0" */
		bool hidden; /* left out */
	} cols[TEXT_TABLE_COLUMNS_MAX];
	char **cells; /* row by row */
	size_t n_cells, room;
};

/* Adds a column; the first one of a table is TEXT_TABLE_ALWAYS, the others are TEXT_TABLE_USUAL. */
void text_table_column(struct text_table *g, const char *header, bool right);
/* Sets the rank of the column added last. */
void text_table_rank(struct text_table *g, enum text_table_rank rank);
/* Adds a cell. Cells are added row by row, n_cols per row, after all columns. */
void text_table_cell(struct text_table *g, const char *text);
size_t text_table_rows(const struct text_table *g);
/* Prints the table, at most as wide as the terminal that term_width() is about. */
void text_table_print(struct text_table *g, FILE *f);
/*
 * The same for a width in characters; 0: no limit. A last line has the number of columns that were
 * left out. Columns that are TEXT_TABLE_ALWAYS can be wider.
 */
void text_table_print_within(struct text_table *g, unsigned width, FILE *f);
/* Frees the cells and the columns. */
void text_table_clear(struct text_table *g);

#endif
