/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dcbctl watch: prints tables repeatedly, with the rates of their counters; without a table, shows
 * the ports on the whole terminal.
 */
#include "agent/cli/base/cli.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "agent/cli/base/fetch.h"
#include "agent/cli/view/rates.h"
#include "agent/cli/view/baseline.h"
#include "agent/cli/base/names.h"
#include "agent/cli/view/screen.h"

#define WATCHED_MAX    16
#define INTERVAL_MIN_S 0.1
#define INTERVAL_MAX_S 86400.0

struct watched {
	struct target target;
	struct rates rates;
	struct out *out; /* writer of the current output */
	const struct mo_client *client;
	const struct baseline *base; /* NULL: JSON */
};

/* --- options ---------------------------------------------------------------------- */

const struct option cli_watch_long_options[] = {
    {"count", required_argument, NULL, 'c'},
    {"interval", required_argument, NULL, 'n'},
    {NULL, 0, NULL, 0},
};

static bool parse_interval(const char *text, double *seconds)
{
	char *end;

	errno = 0;
	*seconds = strtod(text, &end);
	if (errno == 0 && end != text && *end == '\0' && isfinite(*seconds) &&
	    *seconds >= INTERVAL_MIN_S && *seconds <= INTERVAL_MAX_S)
		return true;
	/* Message: The argument of the option is not valid. Correct it. */
	cli_fail("-n: expected %g..%g seconds, not \"%s\"", INTERVAL_MIN_S, INTERVAL_MAX_S, text);
	return false;
}

static bool parse_count(const char *text, unsigned long *count)
{
	char *end;

	errno = 0;
	*count = strtoul(text, &end, 10);
	if (errno == 0 && *end == '\0' && text[0] >= '0' && text[0] <= '9' && *count > 0)
		return true;
	/* Message: as "-n: expected %s..%s seconds, not "%s"" */
	cli_fail("-c: expected a number of at least 1, not \"%s\"", text);
	return false;
}

bool cli_watch_option(struct cli *cli, int c, const char *arg)
{
	return c == 'c' ? parse_count(arg, &cli->count) : parse_interval(arg, &cli->interval_s);
}

/* --- time ------------------------------------------------------------------------- */

static double monotonic_now_s(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static void monotonic_sleep_until(double when_s)
{
	struct timespec ts;

	ts.tv_sec = (time_t)when_s;
	ts.tv_nsec = (long)((when_s - (double)ts.tv_sec) * 1e9);
	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL);
}

const struct cli_clock cli_clock_monotonic = {monotonic_now_s, monotonic_sleep_until};

/* Returns when the next output is due. Outputs that became due during a sleep are left out. */
static double next_due_s(const struct cli *cli, double due_s)
{
	double now_s = cli->clock.now_s();

	due_s += cli->interval_s;
	return due_s > now_s ? due_s : now_s + cli->interval_s;
}

/* --- output ----------------------------------------------------------------------- */

static void on_row(void *ctx, const struct out_row *row)
{
	struct watched *w = ctx;
	struct mo_value values[OUT_COLUMNS_MAX];
	struct out_row with_rates = *row;
	double per_second[OUT_COLUMNS_MAX];

	rates_row(&w->rates, mo_client_boot_id(w->client), w->target.table, row, per_second);
	with_rates.rates = per_second;
	if (w->base) {
		memcpy(values, row->values, w->target.table->n_columns * sizeof(*values));
		baseline_subtract(w->base, w->target.table, &row->index, values, row->present);
		with_rates.values = values;
	}
	w->out->ops->row(w->out, &with_rates);
}

static enum mo_client_status print_tables(struct cli *cli, struct watched *watched, unsigned n,
					  struct baseline *base)
{
	struct names names = {.client = cli->client}; /* ports come and go */
	struct out *out = cli->json ? out_json_new(cli->out, true) : out_text_new(cli->out);
	enum mo_client_status status = MO_CLIENT_OK;

	out->names = &names;
	if (!cli->json) {
		status = baseline_begin(base, cli->client);
		baseline_print(base, cli->out);
	}
	for (unsigned i = 0; i < n && status == MO_CLIENT_OK; i++) {
		struct watched *w = &watched[i];

		w->out = out;
		w->client = cli->client;
		w->base = cli->json ? NULL : base;
		out->ops->table(out, w->target.table, w->target.col);
		rates_begin(&w->rates, cli->clock.now_s());
		status = fetch_rows(cli->client, &w->target, on_row, w);
		rates_end(&w->rates);
	}
	out->ops->end(out, status == MO_CLIENT_OK);
	names_forget(&names);
	return status;
}

static void clear_screen(void)
{
	fputs("\033[H\033[J", stdout);
	fflush(stdout);
}

static int watch(struct cli *cli, struct watched *watched, unsigned n)
{
	bool screen = !cli->json && isatty(STDOUT_FILENO);
	double due_s = cli->clock.now_s();
	struct baseline base = {.boot_id = 0};
	int rc = CLI_OK;

	for (unsigned long i = 0; cli->count == 0 || i < cli->count; i++) {
		if (i > 0)
			cli->clock.sleep_until(due_s);
		due_s = next_due_s(cli, due_s);
		if (screen)
			clear_screen();
		else if (i > 0 && !cli->json)
			fputc('\n', cli->out);
		/* If dcbd does not answer it may be restarting: the next output connects again. */
		rc = CLI_OK;
		if (print_tables(cli, watched, n, &base) != MO_CLIENT_OK)
			rc = cli_fail_client(cli);
		if (fflush(cli->out) != 0) {
			rc = CLI_FAILED;
			break;
		}
	}
	baseline_end(&base);
	return rc;
}

static int watch_ports(struct cli *cli)
{
	if (cli->json)
		/* Messages: See the full screen of `watch` in dcbctl(8). */
		return cli_fail("watch: without tables it fills the screen; with -j, name tables");
	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return cli_fail(
		    "watch: without tables it needs a terminal; to a pipe or file, "
		    "name tables");
	return screen_run(cli);
}

int cmd_watch(struct cli *cli, const struct cli_command *self, int argc, char **argv)
{
	static struct watched watched[WATCHED_MAX];
	char err[256];
	int rc;

	(void)self;
	if (argc == 0)
		return watch_ports(cli);
	if (argc > WATCHED_MAX)
		/* Message: as "expected at most %u ports" */
		return cli_fail("expected at most %d tables", WATCHED_MAX);
	memset(watched, 0, sizeof(watched));
	if (!cli_connect(cli))
		return CLI_FAILED;
	for (int i = 0; i < argc; i++) {
		if (!target_parse(argv[i], cli->client, &watched[i].target, err, sizeof(err)))
			return cli_fail_reason(cli, err);
	}
	rc = watch(cli, watched, (unsigned)argc);
	for (int i = 0; i < argc; i++)
		rates_free(&watched[i].rates);
	return rc;
}
