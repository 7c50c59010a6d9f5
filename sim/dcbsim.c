/* SPDX-License-Identifier: BSD-3-Clause */
/* dcbsim: runs a scenario and prints the results; dcbsim(1). */
#include "sim/compare.h"
#include "sim/jobs.h"
#include "sim/net/huge_pages.h"
#include "sim/pcaps.h"
#include "sim/plot.h"
#include "sim/report.h"
#include "sim/run.h"
#include "sim/trace.h"
#include "lib/standard.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define THREADS_MAX 64

enum exit_status { HOLDS = 0, FAILS = 1, BAD_INPUT = 2 };

struct options {
	bool check, compare, progress, speed, quiet;
	bool has_seed;
	uint64_t seed;
	uint32_t seeds, jobs, threads;
	int64_t duration_ns; /* 0: as in the scenario */
	const char *csv, *plot, *variant;
	struct pcaps pcaps;
};

static void usage(FILE *out)
{
	fputs(
	    "usage: dcbsim [--seed N] [--seeds N [--jobs N]] [--threads N] [--duration TIME]\n"
	    "              [--csv FILE] [--plot FILE.png|FILE.svg] [--pcap LINK=FILE]... "
	    "[--progress]\n"
	    "              [--speed] [--quiet] [--variant NAME] SCENARIO\n"
	    "       dcbsim --compare [--seed N] [--seeds N] [--jobs N] [--threads N]\n"
	    "              [--duration TIME] [--plot FILE.png|FILE.svg] SCENARIO...\n"
	    "       dcbsim --check [--variant NAME] SCENARIO\n"
	    "       dcbsim --help | --version\n",
	    out);
}

static int fail(const char *text)
{
	fprintf(stderr, "dcbsim: %s\n", text);
	return BAD_INPUT;
}

/* --- command line ---------------------------------------------------------------------- */

enum {
	SEED = 256,
	SEEDS,
	JOBS,
	THREADS,
	DURATION,
	CSV,
	PLOT,
	PCAP,
	PROGRESS,
	SPEED,
	CHECK,
	COMPARE,
	VARIANT
};

static const struct option long_options[] = {
    {"seed", required_argument, NULL, SEED},
    {"seeds", required_argument, NULL, SEEDS},
    {"jobs", required_argument, NULL, JOBS},
    {"threads", required_argument, NULL, THREADS},
    {"duration", required_argument, NULL, DURATION},
    {"csv", required_argument, NULL, CSV},
    {"plot", required_argument, NULL, PLOT},
    {"pcap", required_argument, NULL, PCAP},
    {"progress", no_argument, NULL, PROGRESS},
    {"speed", no_argument, NULL, SPEED},
    {"check", no_argument, NULL, CHECK},
    {"compare", no_argument, NULL, COMPARE},
    {"variant", required_argument, NULL, VARIANT},
    {"quiet", no_argument, NULL, 'q'},
    {"help", no_argument, NULL, 'h'},
    {"version", no_argument, NULL, 'V'},
    {NULL, 0, NULL, 0},
};

static bool parse_number(const char *text, uint64_t min, uint64_t max, uint64_t *to)
{
	char *end;

	errno = 0;
	*to = strtoull(text, &end, 10);
	if (text[0] >= '0' && text[0] <= '9' && !*end && !errno && *to >= min && *to <= max)
		return true;
	/*
	 * Message: The argument of the option is not valid. Use a value as expected. Quote an
	 * argument with `>`, which is special in a shell.
	 */
	fprintf(stderr, "dcbsim: expected a number %" PRIu64 "..%" PRIu64 ", not \"%s\"\n", min,
		max, text);
	return false;
}

static bool take_option(struct options *o, int option)
{
	uint64_t v;

	switch (option) {
	case SEED:
		o->has_seed = true;
		return parse_number(optarg, 0, UINT32_MAX, &o->seed);
	case SEEDS:
		if (!parse_number(optarg, 1, 100000, &v))
			return false;
		o->seeds = (uint32_t)v;
		return true;
	case JOBS:
		if (!parse_number(optarg, 1, 1024, &v))
			return false;
		o->jobs = (uint32_t)v;
		return true;
	case THREADS:
		if (!parse_number(optarg, 1, THREADS_MAX, &v))
			return false;
		o->threads = (uint32_t)v;
		return true;
	case DURATION:
		if (scn_parse_time(optarg, &o->duration_ns) && o->duration_ns > 0 &&
		    o->duration_ns <= SCN_DURATION_MAX_NS)
			return true;
		/* Messages: as "expected a number %u..%u, not "%s"" */
		fprintf(stderr,
			"dcbsim: --duration: expected a time such as \"100ms\", not \"%s\"\n",
			optarg);
		return false;
	case CSV:
		o->csv = optarg;
		return true;
	case PLOT:
		o->plot = optarg;
		if (plot_is_name(optarg))
			return true;
		fprintf(stderr,
			"dcbsim: --plot: expected a name that ends in .png or .svg, not \"%s\"\n",
			optarg);
		return false;
	case PCAP:
		return pcaps_add(&o->pcaps, optarg);
	case PROGRESS:
		return o->progress = true;
	case SPEED:
		return o->speed = true;
	case CHECK:
		return o->check = true;
	case VARIANT:
		o->variant = optarg;
		return true;
	case COMPARE:
		return o->compare = true;
	case 'q':
		return o->quiet = true;
	default:
		usage(stderr);
		return false;
	}
}

/* --- runs ------------------------------------------------------------------------------- */

static void show_progress(const struct run *run, double done)
{
	static int shown = -1;
	int percent = (int)(done * 100);

	if (percent == shown)
		return;
	shown = percent;
	fprintf(stderr, "\rseed %" PRIu64 ": %3d %%", run->sim.seed, percent);
	if (percent >= 100)
		fputs("\r                         \r", stderr);
}

static void show_speed(const struct run *run)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	fprintf(stderr,
		"seed %" PRIu64 ": %" PRIu64
		" frame events in %.3f CPU s, %.3f million/s, %ld kB\n",
		run->sim.seed, run->sim.frame_events, run->cpu_s,
		(double)run->sim.frame_events * 1e-6 / run->cpu_s, usage.ru_maxrss);
}

static void show_threads(const struct run *run, const struct options *o)
{
	fprintf(stderr,
		"dcbsim: --threads %" PRIu32 ": %" PRIu32
		" used, the network cannot be divided further\n",
		o->threads, run->sim.n_parts);
}

static bool write_csv(const struct trace *trace, const char *path, char *err, size_t errlen)
{
	FILE *out = strcmp(path, "-") == 0 ? stdout : fopen(path, "we");
	int error = out ? 0 : errno;

	if (out && !trace_write_csv(trace, out))
		error = standard_flush(out);
	if (out && out != stdout && fclose(out) != 0 && error == 0)
		error = errno;
	if (error)
		/* Message: as "--pcap %s: %s" */
		snprintf(err, errlen, "%s: %s", path, strerror(error));
	return error == 0;
}

static bool write_files(const struct options *o, const struct trace *trace, char *err,
			size_t errlen)
{
	if (trace->failed) {
		/* Message: as "out of memory" */
		snprintf(err, errlen, "out of memory for the time series");
		return false;
	}
	return (!o->csv || write_csv(trace, o->csv, err, errlen)) &&
	       (!o->plot || plot_write(trace, o->plot, err, errlen));
}

static void show(struct run *run, const struct options *o)
{
	FILE *out = o->csv && strcmp(o->csv, "-") == 0 ? stderr : stdout;

	if (o->speed)
		show_speed(run);
	if (o->seeds > 1) {
		report_seed(run, out);
		if (run_failures(run))
			report_asserts(run, out);
	} else {
		if (!o->quiet)
			report_summary(run, out);
		report_asserts(run, out);
	}
	fflush(out);
}

static int run_seed(const struct scenario *scn, struct options *o, uint64_t seed, bool first)
{
	char err[512] = "";
	struct run run;
	struct trace trace = {0};
	bool traces = o->csv || o->plot;
	bool ok = run_init(&run, scn, seed, o->threads, err, sizeof(err)) &&
		  (!traces || trace_init(&trace, scn, err, sizeof(err))) &&
		  pcaps_open(&o->pcaps, &run.sim, err, sizeof(err));
	int status = BAD_INPUT;

	if (ok && first && run.sim.n_parts < o->threads)
		show_threads(&run, o);
	if (traces)
		run.trace = &trace;
	if (o->progress)
		run.progress = show_progress;
	ok = ok && run_all(&run, err, sizeof(err));
	ok = pcaps_close(&o->pcaps, ok, err, sizeof(err)) && ok;
	if (ok) {
		show(&run, o);
		ok = write_files(o, &trace, err, sizeof(err));
		status = run_failures(&run) ? FAILS : HOLDS;
	}
	run_destroy(&run);
	trace_destroy(&trace);
	return ok ? status : fail(err);
}

struct seeds {
	const struct scenario *scn;
	struct options *o;
	uint64_t first;
};

static int run_one_of(void *ctx, uint32_t i)
{
	const struct seeds *seeds = ctx;

	return run_seed(seeds->scn, seeds->o, seeds->first + i, i == 0);
}

static int run_seeds(const struct scenario *scn, struct options *o)
{
	uint64_t first = o->has_seed ? o->seed : scn->seed;
	int worst = HOLDS;

	_Static_assert(BAD_INPUT == JOBS_STOP, "no further seed is run");
	if (o->seeds > 1 && o->jobs > 1) {
		struct seeds seeds = {scn, o, first};

		o->progress = false;
		return jobs_run(o->seeds, o->jobs, run_one_of, &seeds);
	}
	for (uint32_t i = 0; i < o->seeds && worst != BAD_INPUT; i++) {
		int status = run_seed(scn, o, first + i, i == 0);

		if (status > worst)
			worst = status;
	}
	return worst;
}

static int start_compare(char *const *paths, int n, const struct options *o)
{
	const struct compare_options to = {
	    .seed = o->has_seed ? o->seed : UINT64_MAX,
	    .seeds = o->seeds,
	    .jobs = o->jobs,
	    .threads = o->threads,
	    .duration_ns = o->duration_ns,
	    .plot = o->plot,
	};

	if (n < 1 || o->variant || o->check || o->csv || o->pcaps.n || o->progress || o->speed ||
	    o->quiet) {
		usage(stderr);
		return BAD_INPUT;
	}
	huge_pages_keep_large(false);
	return compare(paths, (uint32_t)n, &to);
}

static int start(int argc, char **argv)
{
	struct options o = {.seeds = 1, .jobs = 1, .threads = 1};
	struct scenario scn;
	char err[512];
	int option, status;

	while ((option = getopt_long(argc, argv, "hqV", long_options, NULL)) != -1) {
		if (option == 'h') {
			usage(stdout);
			return HOLDS;
		}
		if (option == 'V') {
			puts("dcbsim " PACKAGE_VERSION);
			return HOLDS;
		}
		if (!take_option(&o, option))
			return BAD_INPUT;
	}
	if (o.compare)
		return start_compare(argv + optind, argc - optind, &o);
	if (optind + 1 != argc) {
		usage(stderr);
		return BAD_INPUT;
	}
	if (o.seeds > 1 && (o.csv || o.plot || o.pcaps.n))
		/* Message: Run dcbsim once for each seed with `--seed` instead. */
		return fail("--csv, --plot and --pcap cannot be used with --seeds above 1");
	if (!scenario_read(&scn, argv[optind], o.variant, err, sizeof(err)))
		return fail(err);
	if (o.duration_ns)
		scn.duration_ns = o.duration_ns;
	huge_pages_keep_large(false);
	o.progress = o.progress || isatty(STDERR_FILENO);
	status = o.check ? HOLDS : run_seeds(&scn, &o);
	scenario_free(&scn);
	return status;
}

int main(int argc, char **argv)
{
	standard_open();
	return standard_end("dcbsim", start(argc, argv), BAD_INPUT);
}
