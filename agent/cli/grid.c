/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/cli/grid.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "agent/cli/out.h"

/* Number of characters of UTF-8 text: its octets that begin a character. */
static size_t width_of(const char *text)
{
	size_t n = 0;

	for (; *text; text++)
		n += ((unsigned char)*text & 0xc0) != 0x80;
	return n;
}

static void widen(struct grid *g, size_t col, const char *text)
{
	size_t n = width_of(text);

	if (n > g->cols[col].width)
		g->cols[col].width = n;
}

void grid_column(struct grid *g, const char *header, bool right)
{
	assert(g->n_cols < GRID_COLUMNS_MAX && g->n_cells == 0);
	g->cols[g->n_cols].header = out_alloc_check(strdup(header));
	g->cols[g->n_cols].right = right;
	widen(g, g->n_cols++, header);
}

void grid_cell(struct grid *g, const char *text)
{
	if (g->n_cells == g->room) {
		g->room = g->room ? 2 * g->room : 256;
		g->cells = out_alloc_check(realloc(g->cells, g->room * sizeof(*g->cells)));
	}
	widen(g, g->n_cells % g->n_cols, text);
	g->cells[g->n_cells++] = out_alloc_check(strdup(text));
}

size_t grid_rows(const struct grid *g)
{
	return g->n_cols ? g->n_cells / g->n_cols : 0;
}

static void print_cell(const struct grid *g, size_t col, const char *text, FILE *f)
{
	bool last = col + 1 == g->n_cols;
	int blanks = (int)(g->cols[col].width - width_of(text));

	if (g->cols[col].right)
		fprintf(f, "%*s%s%s", blanks, "", text, last ? "\n" : "  ");
	else if (last)
		fprintf(f, "%s\n", text); /* no trailing blanks */
	else
		fprintf(f, "%s%*s  ", text, blanks, "");
}

void grid_print(const struct grid *g, FILE *f)
{
	for (size_t i = 0; i < g->n_cols; i++)
		print_cell(g, i, g->cols[i].header, f);
	for (size_t i = 0; i < g->n_cells; i++)
		print_cell(g, i % g->n_cols, g->cells[i], f);
}

void grid_clear(struct grid *g)
{
	for (size_t i = 0; i < g->n_cols; i++)
		free(g->cols[i].header);
	for (size_t i = 0; i < g->n_cells; i++)
		free(g->cells[i]);
	free(g->cells);
	memset(g, 0, sizeof(*g));
}
