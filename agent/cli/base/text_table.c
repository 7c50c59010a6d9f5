/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/cli/base/text_table.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "agent/cli/base/out.h"
#include "agent/cli/base/term.h"

static void widen(struct text_table *g, size_t col, const char *text)
{
	size_t n = term_characters(text);

	if (n > g->cols[col].width)
		g->cols[col].width = n;
}

void text_table_column(struct text_table *g, const char *header, bool right)
{
	assert(g->n_cols < TEXT_TABLE_COLUMNS_MAX && g->n_cells == 0);
	g->cols[g->n_cols].header = out_alloc_check(strdup(header));
	g->cols[g->n_cols].right = right;
	g->cols[g->n_cols].rank = g->n_cols ? TEXT_TABLE_USUAL : TEXT_TABLE_ALWAYS;
	g->cols[g->n_cols].blank = true;
	widen(g, g->n_cols++, header);
}

void text_table_rank(struct text_table *g, enum text_table_rank rank)
{
	g->cols[g->n_cols - 1].rank = rank;
}

void text_table_cell(struct text_table *g, const char *text)
{
	if (g->n_cells == g->room) {
		g->room = g->room ? 2 * g->room : 256;
		g->cells = out_alloc_check(realloc(g->cells, g->room * sizeof(*g->cells)));
	}
	widen(g, g->n_cells % g->n_cols, text);
	if (text[0] && strcmp(text, "0") != 0)
		g->cols[g->n_cells % g->n_cols].blank = false;
	g->cells[g->n_cells++] = out_alloc_check(strdup(text));
}

size_t text_table_rows(const struct text_table *g)
{
	return g->n_cols ? g->n_cells / g->n_cols : 0;
}

/* --- which columns -------------------------------------------------------------------------- */

#define GAP 2 /* blanks between columns */

/* Returns which of two columns is left out first: the one with the greater number. */
static unsigned dispensable(const struct text_table *g, size_t col)
{
	if (g->cols[col].hidden || g->cols[col].rank == TEXT_TABLE_ALWAYS)
		return 0;
	return 1 + (g->cols[col].rank == TEXT_TABLE_USUAL ? 2U : 0) + (g->cols[col].blank ? 1U : 0);
}

static size_t width_shown(const struct text_table *g)
{
	size_t width = 0;

	for (size_t i = 0; i < g->n_cols; i++)
		if (!g->cols[i].hidden)
			width += (width ? GAP : 0) + g->cols[i].width;
	return width;
}

/* Leaves out columns until the rest fits. Returns their number. */
static size_t hide_columns(struct text_table *g, unsigned width)
{
	size_t hidden = 0;

	for (size_t i = 0; i < g->n_cols; i++)
		g->cols[i].hidden = false;
	for (; width && width_shown(g) > width; hidden++) {
		size_t worst = 0;

		for (size_t i = 1; i < g->n_cols; i++)
			if (dispensable(g, i) >= dispensable(g, worst))
				worst = i;
		if (dispensable(g, worst) == 0)
			break;
		g->cols[worst].hidden = true;
	}
	return hidden;
}

static size_t last_shown(const struct text_table *g)
{
	size_t last = g->n_cols - 1;

	while (last > 0 && g->cols[last].hidden)
		last--;
	return last;
}

/* --- printing ------------------------------------------------------------------------------- */

static void print_cell(const struct text_table *g, size_t col, bool last, const char *text, FILE *f)
{
	int blanks = (int)(g->cols[col].width - term_characters(text));

	if (g->cols[col].hidden)
		return;
	if (g->cols[col].right)
		fprintf(f, "%*s%s%s", blanks, "", text, last ? "\n" : "  ");
	else if (last)
		fprintf(f, "%s\n", text); /* no trailing blanks */
	else
		fprintf(f, "%s%*s  ", text, blanks, "");
}

void text_table_print_within(struct text_table *g, unsigned width, FILE *f)
{
	size_t hidden = hide_columns(g, width), last = last_shown(g);

	for (size_t i = 0; i < g->n_cols; i++)
		print_cell(g, i, i == last, g->cols[i].header, f);
	for (size_t i = 0; i < g->n_cells; i++)
		print_cell(g, i % g->n_cols, i % g->n_cols == last, g->cells[i], f);
	if (hidden)
		fprintf(f, "(%zu column%s more with -w)\n", hidden, hidden == 1 ? "" : "s");
}

void text_table_print(struct text_table *g, FILE *f)
{
	text_table_print_within(g, term_width(), f);
}

void text_table_clear(struct text_table *g)
{
	for (size_t i = 0; i < g->n_cols; i++)
		free(g->cols[i].header);
	for (size_t i = 0; i < g->n_cells; i++)
		free(g->cells[i]);
	free(g->cells);
	memset(g, 0, sizeof(*g));
}
