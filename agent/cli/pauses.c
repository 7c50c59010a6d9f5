/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dcbctl pauses: the last intervals of priorities with PFC.
 *
 *   JSON  [{"ifIndex", "port", "priority", "interval", "requests", ...}], a row an interval
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "agent/cli/base/out.h"
#include "agent/cli/base/table_rows.h"

#define INTERVALS 64 /* that dcbd keeps */

static const struct table_rows_column columns[] = {
    TABLE_ROWS_PORT,
    {.key = "priority", .value = table_rows_sub, .arg = 1},
    {.key = "interval", .value = table_rows_sub, .arg = 2},
    {.key = "duration_milliseconds", .object = MO_NAME(dcbPfcPauseDuration)},
    {.key = "requests", .object = MO_NAME(dcbPfcPauseRequests), .has = table_rows_has},
    {.key = "indications", .object = MO_NAME(dcbPfcPauseIndications), .has = table_rows_has},
    {.key = "paused_microseconds", .object = MO_NAME(dcbPfcPausePaused), .has = table_rows_has},
    {.key = "pausing_microseconds", .object = MO_NAME(dcbPfcPausePausing), .has = table_rows_has},
    {.key = "longest_microseconds", .object = MO_NAME(dcbPfcPauseLongest), .has = table_rows_has},
    {.key = "queue_octets", .object = MO_NAME(dcbPfcPauseQueuePeak), .has = table_rows_has},
    {0},
};

/* --- text ----------------------------------------------------------------------------------- */

/* The rows of a port and priority: one more column each interval, the last one at the right. */
struct chart {
	double is[INTERVALS]; /* below 0: no interval */
	double sum, highest, ms;
};

/* Adds a value at its interval. last: the number of the last one. */
static void add(struct chart *c, struct table_rows_at at, uint32_t last, const char *object)
{
	double value = (double)table_rows_num(at, object);

	if (last - at.sub[2] < INTERVALS)
		c->is[INTERVALS - 1 - (last - at.sub[2])] = value;
	c->sum += value;
	c->ms += (double)table_rows_num(at, MO_NAME(dcbPfcPauseDuration));
	if (value > c->highest)
		c->highest = value;
}

static struct chart chart_of(struct table_rows_at first, uint32_t last, const char *object)
{
	struct chart c = {.sum = 0};

	for (unsigned i = 0; i < INTERVALS; i++)
		c.is[i] = -1;
	TABLE_ROWS_EACH (at, first.all, MO_pfc_pause, 2, first.sub)
		add(&c, at, last, object);
	return c;
}

static bool is_utf8(void)
{
	static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};

	for (unsigned i = 0; i < 3; i++) {
		const char *value = getenv(names[i]);

		if (value && *value)
			return strcasestr(value, "utf-8") || strcasestr(value, "utf8");
	}
	return false;
}

/* Draws a chart as one line; full: the value of the highest bar. */
static void draw(const struct chart *c, double full, FILE *f)
{
	static const char *const blocks[] = {"\u2581", "\u2582", "\u2583", "\u2584",
					     "\u2585", "\u2586", "\u2587", "\u2588"};
	static const char *const ascii[] = {".", ":", "-", "=", "+", "*", "#", "@"};
	const char *const *bars = is_utf8() ? blocks : ascii;

	for (unsigned i = 0; i < INTERVALS; i++) {
		unsigned bar = full > 0 ? (unsigned)(c->is[i] / full * 8) : 0;

		if (c->is[i] < 0)
			fputc(' ', f);
		else if (c->is[i] == 0)
			fputc('_', f);
		else
			fputs(bars[bar < 8 ? bar : 7], f);
	}
}

static void write_share(struct table_rows_at first, uint32_t last, const char *title,
			const char *object, FILE *f)
{
	struct chart c = chart_of(first, last, object);

	fprintf(f, "  %-8s|", title);
	draw(&c, 1e6, f);
	fprintf(f, "| %.1f %%, highest %.1f %%\n", c.ms > 0 ? c.sum / c.ms / 10 : 0,
		c.highest / 1e4);
}

static void write_priority(struct table_rows_at first, FILE *f)
{
	struct chart queue, longest;
	char port[TABLE_ROWS_CELL_OCTETS];
	uint32_t last = 0;
	int64_t sent = 0, received = 0;

	TABLE_ROWS_EACH (at, first.all, MO_pfc_pause, 2, first.sub) {
		last = at.sub[2];
		sent += table_rows_num(at, MO_NAME(dcbPfcPauseRequests));
		received += table_rows_num(at, MO_NAME(dcbPfcPauseIndications));
	}
	table_rows_port_text(first, port);
	fprintf(f, "%s priority %" PRIu32 ": %" PRId64 " PFC frames received, %" PRId64 " sent\n",
		port, first.sub[1], received, sent);
	write_share(first, last, "paused", MO_NAME(dcbPfcPausePaused), f);
	write_share(first, last, "pausing", MO_NAME(dcbPfcPausePausing), f);
	queue = chart_of(first, last, MO_NAME(dcbPfcPauseQueuePeak));
	fputs("  queue   |", f);
	draw(&queue, queue.highest, f);
	longest = chart_of(first, last, MO_NAME(dcbPfcPauseLongest));
	fprintf(f, "| up to %.0f octets; longest pause %.3f ms\n", queue.highest,
		longest.highest / 1e3);
}

static void write_text(const struct table_rows_all *all, FILE *f)
{
	const uint32_t *before = NULL;

	TABLE_ROWS_EACH (at, all, MO_pfc_pause, 0, NULL) {
		if (!before || before[0] != at.sub[0] || before[1] != at.sub[1])
			write_priority(at, f);
		before = at.sub;
	}
	if (!before)
		fputs("no pauses\n", f);
}

static const struct table_rows_command pauses = {
    .tables = (const enum mo_table_id[]){MO_port, MO_pfc_pause, MO_TABLES},
    .ports = MO_port,
    .text = write_text,
    .rows = MO_pfc_pause,
    .columns = columns,
};

int cmd_pauses(struct cli *cli, const struct cli_command *self, int argc, char **argv)
{
	(void)self;
	return table_rows_command(cli, &pauses, argc, argv);
}
