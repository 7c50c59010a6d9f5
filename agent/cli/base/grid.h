/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Table of text; each column is as wide as its widest cell. Where the terminal is narrower than the
 * table, columns are left out: first those without contents, then the usual ones from the right.
 */
#ifndef DCB_AGENT_CLI_BASE_GRID_H
#define DCB_AGENT_CLI_BASE_GRID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define GRID_COLUMNS_MAX 80

/* Which columns a narrow terminal keeps longest. */
enum grid_rank {
	GRID_USUAL,
	GRID_FIRST,  /* left out after all usual ones */
	GRID_ALWAYS, /* never left out: what identifies the row */
};

struct grid {
	size_t n_cols;
	struct {
		char *header;
		size_t width;
		bool right; /* aligned to the right */
		enum grid_rank rank;
		bool blank;  /* no cell but "" and "0" */
		bool hidden; /* left out */
	} cols[GRID_COLUMNS_MAX];
	char **cells; /* row by row */
	size_t n_cells, room;
};

/* Adds a column; the first one of a grid is GRID_ALWAYS, the others are GRID_USUAL. */
void grid_column(struct grid *g, const char *header, bool right);
/* Sets the rank of the column added last. */
void grid_rank(struct grid *g, enum grid_rank rank);
/* Adds a cell. Cells are added row by row, n_cols per row, after all columns. */
void grid_cell(struct grid *g, const char *text);
size_t grid_rows(const struct grid *g);
/* Prints the table, at most as wide as the terminal that term_width() is about. */
void grid_print(struct grid *g, FILE *f);
/*
 * The same for a width in characters; 0: no limit. A last line has the number of columns that were
 * left out. Columns that are GRID_ALWAYS can be wider.
 */
void grid_print_within(struct grid *g, unsigned width, FILE *f);
/* Frees the cells and the columns. */
void grid_clear(struct grid *g);

#endif
