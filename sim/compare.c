/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/compare.h"

#include "sim/jobs.h"
#include "sim/plot.h"
#include "sim/run.h"
#include "sim/scenario_private.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define NAME_WIDTH 26

/* clang-format off */
static const struct column {
	const char *head[2]; /* the second one is the unit */
	enum scn_metric metric;
	bool whole; /* measured from the start of the run, not from warmup */
	double percentile, scale;
	int digits;
} columns[] = {
	{{"queue",    "kB"},   SCN_QUEUE_MEAN,  false, 100, 1e-3, 1},
	{{"max",      "kB"},   SCN_QUEUE_MAX,   true,  100, 1e-3, 1},
	{{"used",     "%"},    SCN_UTILISATION, false, 100, 100,  1},
	{{"goodput",  "Gb/s"}, SCN_GOODPUT,     false, 100, 1e-9, 2},
	{{"Jain",     ""},     SCN_JAIN,        false, 100, 1,    3},
	{{"complete", "ms"},   SCN_COMPLETION,  true,  50,  1e3,  2},
	{{"99 %",     "ms"},   SCN_COMPLETION,  true,  99,  1e3,  2},
	{{"paused",   "ms"},   SCN_PAUSED_ALL,  true,  100, 1e3,  1},
	{{"resent",   ""},     SCN_RESENT,      true,  100, 1,    0},
	{{"lost",     ""},     SCN_FRAMES_LOST, true,  100, 1,    0},
};
/* clang-format on */
#define COLUMNS (sizeof(columns) / sizeof(columns[0]))

struct comparison {
	const struct compare_options *o;
	struct scenario *scns; /* each is one variant */
	uint32_t n;
	char **names;
	/* Shared with the processes of the runs: COLUMNS for each seed of each scenario. */
	double *values;
	size_t values_octets;
	struct plot_series *series; /* of the first seed of each scenario; points are files */
};

static int fail(const char *text)
{
	fprintf(stderr, "dcbsim: %s\n", text);
	return JOBS_STOP;
}

/* --- scenarios ------------------------------------------------------------------------- */

static bool completes(const struct scenario *scn)
{
	for (size_t i = 0; i < scn->n_flows; i++) {
		if (scn->flows[i].params.size_octets)
			return true;
	}
	return false;
}

/* Shares of flows that complete, and completion of those that do not, say nothing. */
static bool applies(const struct column *column, const struct scenario *scn)
{
	if (column->metric == SCN_COMPLETION)
		return completes(scn);
	return column->metric != SCN_JAIN || !completes(scn);
}

/* Measures the columns instead of the assertions. */
static void measure(struct scenario *scn)
{
	int64_t end_ns = scn->duration_ns - scn->duration_ns % scn->sample_ns;

	scenario_clear_asserts(scn);
	for (unsigned i = 0; i < COLUMNS; i++)
		scenario_measure(scn, &(struct scn_assert){
					  .metric = columns[i].metric,
					  .link = scn->watch[0],
					  .priority = SCN_ALL_PRIORITIES,
					  .from_ns = columns[i].whole ? 0 : scn->warmup_ns,
					  .to_ns = end_ns,
					  .percentile = columns[i].percentile,
				      });
}

static bool read_variant(struct comparison *c, const char *path, const char *variant, char *err,
			 size_t errlen)
{
	struct scenario *scn;

	c->scns = scn_grow(c->scns, c->n, 1, sizeof(*c->scns));
	scn = &c->scns[c->n];
	if (!scenario_read(scn, path, variant, err, errlen))
		return false;
	c->n++;
	if (c->o->duration_ns)
		scn->duration_ns = c->o->duration_ns;
	if (!scn->n_watch || !scn->n_flows || scn->warmup_ns >= scn->duration_ns ||
	    scn->warmup_ns % scn->sample_ns) {
		/*
		 * Message: `--compare` measures the queue of the first link of `watch`, or of the
		 * first one that an assertion names.
		 */
		snprintf(err, errlen,
			 "%s: --compare: expected watch or an assertion with a link, flows, and a "
			 "warmup below the duration that is a multiple of sample",
			 path);
		return false;
	}
	measure(scn);
	return true;
}

static bool read_variants(struct comparison *c, const char *path, char *err, size_t errlen)
{
	uint32_t first = c->n;

	if (!read_variant(c, path, NULL, err, errlen))
		return false;
	for (size_t i = 1; i < c->scns[first].n_variants; i++) {
		if (!read_variant(c, path, c->scns[first].variants[i], err, errlen))
			return false;
	}
	return true;
}

/* --- runs ------------------------------------------------------------------------------ */

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Writes the share of flows that took at most this time (ms), or had at most this rate (Mb/s). */
static bool put_distribution(const struct run *run, FILE *to)
{
	double *x = calloc(run->sim.n_flows, sizeof(*x));
	size_t n = 0;

	for (uint32_t i = 0; x && i < run->sim.n_flows; i++) {
		const struct sim_flow *flow = &run->sim.flows[i];
		int64_t took_ns = flow->stats.complete_ns - flow->params.start_ns;

		if (!completes(run->scn))
			x[n++] = (double)flow->stats.octets * 8e3 / (double)run->sim.now.ns;
		else if (flow->stats.complete_ns >= 0)
			x[n++] = (double)took_ns * 1e-6;
	}
	if (!x)
		return false;
	qsort(x, n, sizeof(*x), ascending);
	for (size_t i = 0; i < n; i++)
		fprintf(to, "%.6g %.6g\n", x[i], (double)(i + 1) / run->sim.n_flows);
	free(x);
	return true;
}

/* Writes the points of both plots. */
static bool put_points(const struct run *run, FILE *to)
{
	const struct trace *trace = run->trace;

	for (size_t row = 0; row < trace->n_rows; row++)
		fprintf(to, "%.9g %.6g\n", trace->rows[row * trace->columns],
			trace->rows[row * trace->columns + 1] * 1e-3);
	fputs("\n\n", to);
	return !trace->failed && put_distribution(run, to) && fflush(to) == 0;
}

/* One seed of one scenario, in a process of its own. */
static int run_one(void *ctx, uint32_t i)
{
	const struct comparison *c = ctx;
	const struct scenario *scn = &c->scns[i / c->o->seeds];
	uint32_t seed = i % c->o->seeds;
	uint64_t first = c->o->seed == UINT64_MAX ? scn->seed : c->o->seed;
	bool plots = c->series && seed == 0;
	struct trace trace = {0};
	char err[512] = "";
	struct run run;

	if (!run_init(&run, scn, first + seed, c->o->threads, err, sizeof(err)) ||
	    (plots && !trace_init(&trace, scn, err, sizeof(err))))
		return fail(err);
	if (plots)
		run.trace = &trace;
	if (!run_all(&run, err, sizeof(err)))
		return fail(err);
	for (unsigned k = 0; k < COLUMNS; k++)
		c->values[i * COLUMNS + k] = applies(&columns[k], scn) ? run.probes[k].value : NAN;
	/* Message: as "out of memory" */
	if (plots && !put_points(&run, c->series[i / c->o->seeds].points))
		return fail("out of memory for the time series");
	run_destroy(&run);
	trace_destroy(&trace);
	return 0;
}

/* --- the table --------------------------------------------------------------------------- */

/* Makes a name of that of the file, without its directory and ".scn", and of the variant. */
static char *name_of(const struct scenario *scn)
{
	const char *file = strrchr(scn->path, '/') ? strrchr(scn->path, '/') + 1 : scn->path;
	int len = strstr(file, ".scn") ? (int)(strstr(file, ".scn") - file) : (int)strlen(file);
	char *name;

	if (asprintf(&name, "%.*s%s%s", len, file, scn->variant ? " " : "",
		     scn->variant ? scn->variant : "") < 0)
		return NULL;
	return name;
}

static void put_value(const struct comparison *c, uint32_t scenario, unsigned column, FILE *out)
{
	double sum = 0;

	for (uint32_t seed = 0; seed < c->o->seeds; seed++)
		sum += c->values[((size_t)scenario * c->o->seeds + seed) * COLUMNS + column];
	if (isnan(sum))
		fprintf(out, " %9s", "-");
	else
		fprintf(out, " %9.*f", columns[column].digits,
			sum / c->o->seeds * columns[column].scale);
}

static void put_table(const struct comparison *c, FILE *out)
{
	for (unsigned line = 0; line < 2; line++) {
		fprintf(out, "%-*s", NAME_WIDTH, line ? "" : "scenario");
		for (unsigned k = 0; k < COLUMNS; k++)
			fprintf(out, " %9s", columns[k].head[line]);
		fputc('\n', out);
	}
	for (uint32_t i = 0; i < c->n; i++) {
		fprintf(out, "%-*s", NAME_WIDTH, c->names[i]);
		for (unsigned k = 0; k < COLUMNS; k++)
			put_value(c, i, k, out);
		fputc('\n', out);
	}
}

/* --- start and end ------------------------------------------------------------------------ */

static bool make_room(struct comparison *c)
{
	bool ok;

	c->values_octets = (size_t)c->n * c->o->seeds * COLUMNS * sizeof(double);
	c->values =
	    mmap(NULL, c->values_octets, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (c->values == MAP_FAILED)
		c->values = NULL;
	c->names = calloc(c->n, sizeof(*c->names));
	if (c->o->plot)
		c->series = calloc(c->n, sizeof(*c->series));
	ok = c->values && c->names && (c->series || !c->o->plot);
	for (uint32_t i = 0; ok && i < c->n; i++) {
		c->names[i] = name_of(&c->scns[i]);
		ok = c->names[i];
	}
	return ok;
}

/* Opens the files of the points, before the processes that write them. */
static bool open_series(struct comparison *c)
{
	for (uint32_t i = 0; c->series && i < c->n; i++) {
		c->series[i].name = c->names[i];
		c->series[i].completes = completes(&c->scns[i]);
		c->series[i].points = tmpfile();
		if (!c->series[i].points)
			return false;
	}
	return true;
}

static void end(struct comparison *c)
{
	for (uint32_t i = 0; i < c->n; i++) {
		if (c->series && c->series[i].points)
			fclose(c->series[i].points);
		if (c->names)
			free(c->names[i]);
		scenario_free(&c->scns[i]);
	}
	free(c->names);
	free(c->series);
	free(c->scns);
	if (c->values)
		munmap(c->values, c->values_octets);
}

static bool run_and_show(struct comparison *c, char *const *paths, uint32_t n, char *err,
			 size_t errlen)
{
	for (uint32_t i = 0; i < n; i++) {
		if (!read_variants(c, paths[i], err, errlen))
			return false;
	}
	/* Message: as "out of memory" */
	snprintf(err, errlen, "out of memory");
	if (!make_room(c))
		return false;
	if (!open_series(c)) {
		/* Message: as "--pcap %s: %s" */
		snprintf(err, errlen, "temporary file: %s", strerror(errno));
		return false;
	}
	err[0] = '\0';
	if (jobs_run(c->n * c->o->seeds, c->o->jobs, run_one, c) != 0)
		return false;
	put_table(c, stdout);
	return !c->series || plot_compare(c->series, c->n, c->o->plot, err, errlen);
}

int compare(char *const *paths, uint32_t n, const struct compare_options *o)
{
	struct comparison c = {.o = o};
	char err[512];
	bool ok = run_and_show(&c, paths, n, err, sizeof(err));

	end(&c);
	if (!ok && err[0])
		fail(err);
	return ok ? 0 : JOBS_STOP;
}
