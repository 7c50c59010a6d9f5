/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/cli/view/layout.h"

#include <stdio.h>
#include <string.h>

#define BAR_MIN 7
#define BAR_MAX 31
#define CELL    (LAYOUT_WIDTH_MAX + 1)

void layout_number(char buf[LAYOUT_NUMBER_OCTETS], double number)
{
	static const char suffixes[] = " kMGTPE";
	unsigned i = 0;

	for (; number >= (i ? 999.5 : 9999.5) && suffixes[i + 1]; i++)
		number /= 1000;
	if (i == 0)
		snprintf(buf, LAYOUT_NUMBER_OCTETS, "%.*f", number > 0 && number < 9.95, number);
	else
		snprintf(buf, LAYOUT_NUMBER_OCTETS, "%.*f%c", number < 99.95, number, suffixes[i]);
}

void layout_bar(char *buf, unsigned width, uint32_t queue, uint32_t limit)
{
	uint64_t marks = limit ? (uint64_t)queue * width / (2 * (uint64_t)limit) : 0;

	/* A queue that holds anything is seen. */
	if (queue && limit && marks == 0)
		marks = 1;
	memset(buf, '.', width);
	memset(buf, '#', marks < width ? (size_t)marks : width);
	if (limit)
		buf[width / 2] = '|';
	else
		memset(buf, ' ', width);
	if (limit && marks > width)
		buf[width - 1] = '>';
	buf[width] = '\0';
}

/* --- columns -------------------------------------------------------------------------------- */

static enum layout_kind cell_name(char *buf, unsigned width, const struct watch_port *p)
{
	snprintf(buf, CELL, "%-*.*s", (int)width, (int)width, p->name);
	return p->storm ? LAYOUT_ALARM : p->up ? LAYOUT_PLAIN : LAYOUT_DIM;
}

static enum layout_kind cell_bar(char *buf, unsigned width, const struct watch_port *p)
{
	layout_bar(buf, width, p->queue, p->limit);
	return p->queue > p->limit ? LAYOUT_NOTICE : LAYOUT_PLAIN;
}

/* Writes a rate; "-" if it is not known, "" if it is 0. */
static void put_rate(char *buf, unsigned width, const struct watch_port *p, double rate)
{
	char number[LAYOUT_NUMBER_OCTETS] = "-";

	if (p->known && rate > 0)
		layout_number(number, rate);
	else if (p->known)
		strcpy(number, ".");
	snprintf(buf, CELL, "%*s", (int)width, number);
}

static enum layout_kind cell_losses(char *buf, unsigned width, const struct watch_port *p)
{
	put_rate(buf, width, p, p->per_s[WATCH_LOSSES]);
	return p->known && p->per_s[WATCH_LOSSES] > 0 ? LAYOUT_ALARM : LAYOUT_PLAIN;
}

static enum layout_kind cell_pause(char *buf, unsigned width, const struct watch_port *p)
{
	if (p->known && p->paused_percent > 0)
		snprintf(buf, CELL, "%*.*f%%", (int)width - 1, p->paused_percent < 9.95,
			 p->paused_percent);
	else
		put_rate(buf, width, p, 0);
	return p->paused || (p->known && p->paused_percent > 0) ? LAYOUT_NOTICE : LAYOUT_PLAIN;
}

static enum layout_kind cell_in(char *buf, unsigned width, const struct watch_port *p)
{
	put_rate(buf, width, p, p->per_s[WATCH_PFC_IN]);
	return LAYOUT_PLAIN;
}

static enum layout_kind cell_out(char *buf, unsigned width, const struct watch_port *p)
{
	put_rate(buf, width, p, p->per_s[WATCH_PFC_OUT]);
	return LAYOUT_PLAIN;
}

static enum layout_kind cell_lost(char *buf, unsigned width, const struct watch_port *p)
{
	char number[LAYOUT_NUMBER_OCTETS];

	layout_number(number, (double)p->lost);
	snprintf(buf, CELL, "%*s", (int)width, p->lost ? number : ".");
	return p->lost ? LAYOUT_ALARM : LAYOUT_PLAIN;
}

static enum layout_kind cell_rx(char *buf, unsigned width, const struct watch_port *p)
{
	put_rate(buf, width, p, 8 * p->per_s[WATCH_RX_OCTETS]);
	return LAYOUT_PLAIN;
}

static enum layout_kind cell_tx(char *buf, unsigned width, const struct watch_port *p)
{
	put_rate(buf, width, p, 8 * p->per_s[WATCH_TX_OCTETS]);
	return LAYOUT_PLAIN;
}

/*
 * From left to right. need: a column is shown if all those with a smaller number fit as well. The
 * width of the bar is its least one; it takes what the others leave.
 */
static const struct column {
	const char *title;
	unsigned width, need;
	bool left; /* the title is aligned to the left */
	int sort;  /* enum watch_sort; -1: cannot be sorted by */
	enum layout_kind (*cell)(char *buf, unsigned width, const struct watch_port *p);
} columns[] = {
    {"PORT", 10, 0, true, WATCH_BY_NAME, cell_name},
    {"QUEUE/LIMIT", BAR_MIN, 1, true, WATCH_BY_QUEUE, cell_bar},
    {"PFCin", 5, 4, false, WATCH_BY_PFC, cell_in},
    {"PFCout", 6, 5, false, WATCH_BY_PFC, cell_out},
    {"PAUSE", 5, 3, false, WATCH_BY_PAUSE, cell_pause},
    {"LOSS/s", 6, 2, false, WATCH_BY_LOSSES, cell_losses},
    {"LOST", 5, 6, false, -1, cell_lost},
    {"RXbit/s", 7, 7, false, -1, cell_rx},
    {"TXbit/s", 7, 8, false, -1, cell_tx},
};
#define N_COLUMNS (sizeof(columns) / sizeof(columns[0]))
_Static_assert(N_COLUMNS == LAYOUT_COLUMNS, "a line has a part for each column");

/* Returns how many columns, by their need, fit; *left gets the rest of the width. */
static unsigned columns_that_fit(unsigned width, unsigned *left)
{
	unsigned n = 0;

	*left = width;
	for (; n < N_COLUMNS; n++) {
		size_t c = 0;

		while (columns[c].need != n)
			c++;
		if (columns[c].width + (n ? 1 : 0) > *left)
			break;
		*left -= columns[c].width + (n ? 1 : 0);
	}
	return n;
}

typedef enum layout_kind cell_fn(char *buf, unsigned width, size_t column, const void *ctx);

/* Calls fn for each column that is shown, and puts its text into the line. */
static void lay_out(struct layout_line *line, unsigned width, cell_fn *fn, const void *ctx)
{
	unsigned left, n, at = 0;
	char cell[CELL];

	line->n = 0;
	line->text[0] = '\0';
	n = columns_that_fit(width < LAYOUT_WIDTH_MAX ? width : LAYOUT_WIDTH_MAX, &left);
	for (size_t c = 0; c < N_COLUMNS; c++) {
		unsigned w = columns[c].width;

		if (columns[c].need >= n)
			continue;
		if (columns[c].cell == cell_bar)
			w = w + left < BAR_MAX ? w + left : BAR_MAX;
		if (at)
			line->text[at++] = ' ';
		line->parts[line->n].kind = fn(cell, w, c, ctx);
		line->parts[line->n].at = at;
		line->parts[line->n++].len = w;
		memcpy(line->text + at, cell, w);
		at += w;
		line->text[at] = '\0';
	}
}

static enum layout_kind title(char *buf, unsigned width, size_t column, const void *ctx)
{
	const struct column *c = &columns[column];
	int w = (int)width;

	snprintf(buf, CELL, "%*.*s", c->left ? -w : w, w, c->title);
	return c->sort == (int)*(const enum watch_sort *)ctx ? LAYOUT_NOTICE : LAYOUT_PLAIN;
}

void layout_head(struct layout_line *line, unsigned width, enum watch_sort sort)
{
	lay_out(line, width, title, &sort);
}

static enum layout_kind cell_of(char *buf, unsigned width, size_t column, const void *ctx)
{
	return columns[column].cell(buf, width, ctx);
}

void layout_port(struct layout_line *line, unsigned width, const struct watch_port *port)
{
	lay_out(line, width, cell_of, port);
}
