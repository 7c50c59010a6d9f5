/* SPDX-License-Identifier: BSD-3-Clause */
/* Text in columns as wide as their widest cell. */
#ifndef DCB_AGENT_CLI_GRID_H
#define DCB_AGENT_CLI_GRID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define GRID_COLUMNS_MAX 48

struct grid {
	size_t n_cols;
	struct {
		char *header;
		size_t width;
		bool right; /* aligned to the right: numbers */
	} cols[GRID_COLUMNS_MAX];
	char **cells; /* row after row */
	size_t n_cells, room;
};

void grid_column(struct grid *g, const char *header, bool right);
/* Cells come row by row, n_cols to each. */
void grid_cell(struct grid *g, const char *text);
size_t grid_rows(const struct grid *g);
void grid_print(const struct grid *g, FILE *f);
/* Empties it, columns included. */
void grid_clear(struct grid *g);

#endif
