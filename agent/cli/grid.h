/* SPDX-License-Identifier: BSD-3-Clause */
/* Table of text; each column is as wide as its widest cell. */
#ifndef DCB_AGENT_CLI_GRID_H
#define DCB_AGENT_CLI_GRID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define GRID_COLUMNS_MAX 64

struct grid {
	size_t n_cols;
	struct {
		char *header;
		size_t width;
		bool right; /* aligned to the right */
	} cols[GRID_COLUMNS_MAX];
	char **cells; /* row by row */
	size_t n_cells, room;
};

void grid_column(struct grid *g, const char *header, bool right);
/* Adds a cell. Cells are added row by row, n_cols per row, after all columns. */
void grid_cell(struct grid *g, const char *text);
size_t grid_rows(const struct grid *g);
void grid_print(const struct grid *g, FILE *f);
/* Frees the cells and the columns. */
void grid_clear(struct grid *g);

#endif
