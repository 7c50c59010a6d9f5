/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/plot.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

static bool ends_in(const char *path, const char *end)
{
	size_t n = strlen(path), m = strlen(end);

	return n > m && strcmp(path + n - m, end) == 0;
}

bool plot_is_name(const char *path)
{
	return ends_in(path, ".png") || ends_in(path, ".svg");
}

/* Writes a string in gnuplot's single quotes: a quote inside is doubled. */
static void put_quoted(FILE *to, const char *text)
{
	fputc('\'', to);
	for (; *text; text++) {
		if (*text == '\'')
			fputc('\'', to);
		fputc(*text, to);
	}
	fputc('\'', to);
}

static void put_head(const char *path, const char *title, FILE *to)
{
	fprintf(to, "set terminal %s size 1200,900 noenhanced\nset output ",
		ends_in(path, ".png") ? "pngcairo" : "svg dynamic");
	put_quoted(to, path);
	fputs("\nset datafile separator ','\nset grid\nset key outside right\n", to);
	fputs("set multiplot layout 2,1 title ", to);
	put_quoted(to, title);
	fputs("\nset xlabel 'time (s)'\n", to);
}

static bool wanted(enum trace_kind kind, bool queues)
{
	return queues ? kind == TRACE_QUEUE : kind == TRACE_RATE || kind == TRACE_GOODPUT;
}

static void put_panel(const struct trace *trace, bool queues, FILE *to)
{
	const char *before = "plot ";
	char name[128];

	fprintf(to, "set ylabel '%s'\n", queues ? "queue (octets)" : "rate (Mb/s)");
	for (size_t i = 1; i < trace->columns; i++) {
		if (!wanted(trace_kind(trace, i), queues))
			continue;
		trace_name(trace, i, name, sizeof(name));
		*strrchr(name, '(') = '\0';
		fprintf(to, "%s$series using 1:%zu with lines title ", before, i + 1);
		put_quoted(to, name);
		before = ", ";
	}
	fputc('\n', to);
}

/* Starts gnuplot. NULL: the reason is in err. */
static FILE *start(char *err, size_t errlen)
{
	FILE *to = popen("gnuplot", "w");

	if (!to)
		/* Message: The messages of gnuplot(1) before this one have the cause. */
		snprintf(err, errlen, "gnuplot cannot be started");
	return to;
}

static bool end(FILE *to, const char *path, char *err, size_t errlen)
{
	int status;

	fputs("unset multiplot\n", to);
	status = pclose(to);
	if (status == 0)
		return true;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
		/* Message: Install gnuplot(1), or use `--csv`. */
		snprintf(err, errlen, "gnuplot is not installed: --plot needs it");
	else
		/* Message: as "gnuplot cannot be started" */
		snprintf(err, errlen, "%s: gnuplot failed", path);
	return false;
}

bool plot_write(const struct trace *trace, const char *path, char *err, size_t errlen)
{
	void (*old)(int) = signal(SIGPIPE, SIG_IGN);
	FILE *to = start(err, errlen);
	bool ok = to;

	if (to) {
		fputs("$series << EOD\n", to);
		(void)trace_write_csv(trace, to);
		fputs("EOD\n", to);
		put_head(path, trace->scn->title ? trace->scn->title : trace->scn->path, to);
		put_panel(trace, true, to);
		put_panel(trace, false, to);
		ok = end(to, path, err, errlen);
	}
	signal(SIGPIPE, old);
	return ok;
}

/* --- comparisons ------------------------------------------------------------------------- */

static void put_points(const struct plot_series *series, uint32_t n, FILE *to)
{
	char buf[4096];
	size_t len;

	for (uint32_t i = 0; i < n; i++) {
		fprintf(to, "$s%u << EOD\n", i);
		rewind(series[i].points);
		while ((len = fread(buf, 1, sizeof(buf), series[i].points)) > 0)
			fwrite(buf, 1, len, to);
		fputs("EOD\n", to);
	}
}

static void put_compared(const struct plot_series *series, uint32_t n, unsigned index, FILE *to)
{
	const char *before = "plot ";

	for (uint32_t i = 0; i < n; i++) {
		fprintf(to, "%s$s%u index %u using 1:2 with %s title ", before, i, index,
			index ? "steps" : "lines");
		put_quoted(to, series[i].name);
		before = ", ";
	}
	fputc('\n', to);
}

bool plot_compare(const struct plot_series *series, uint32_t n, const char *path, char *err,
		  size_t errlen)
{
	void (*old)(int) = signal(SIGPIPE, SIG_IGN);
	FILE *to = start(err, errlen);
	bool ok = to;

	if (to) {
		put_points(series, n, to);
		put_head(path, "comparison", to);
		fputs("set datafile separator whitespace\nset ylabel 'queue (kB)'\n", to);
		put_compared(series, n, 0, to);
		fprintf(to, "set ylabel 'share of the flows'\nset xlabel '%s'\n",
			series[0].completes ? "completion (ms)" : "goodput (Mb/s)");
		put_compared(series, n, 1, to);
		ok = end(to, path, err, errlen);
	}
	signal(SIGPIPE, old);
	return ok;
}
