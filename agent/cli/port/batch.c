/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dcbctl -b FILE: the commands of a file, one on a line, as one transaction. All errors of the file
 * are printed, and then nothing is set.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "agent/cli/base/out.h"
#include "agent/cli/port/port.h"
#include "lib/suggest.h"

#define BLANKS " \t\r\n"

/* Reports a command that a batch file cannot have. */
static bool fail_command(struct edit *e, const char *name)
{
	struct suggest near = {.text = name};
	const struct port_family *family;
	char hint[64];

	suggest_offer(&near, "set");
	for (size_t i = 0; (family = port_family_at(i)); i++)
		suggest_offer(&near, family->name);
	suggest_hint(&near, hint, sizeof(hint));
	/* Message: as "%s: expected set%s" */
	return edit_fail(
	    e,
	    "expected set, or pfc, ets, app, apptrust, rewr, ecn, cn, cp, rp, headroom or "
	    "watchdog, "
	    "not \"%s\"%s",
	    name, hint);
}

static bool run_command(struct edit *e, int argc, char **argv)
{
	if (strcmp(argv[0], "set") == 0)
		return edit_set(e, argc - 1, argv + 1);
	if (port_family(argv[0]))
		return edit_port(e, argc, argv);
	return fail_command(e, argv[0]);
}

/* Splits a line into words; "#" at the beginning of a word begins a comment. */
static void run_line(struct edit *e, char *line)
{
	size_t n = strlen(line) / 2 + 1; /* words, at most */
	char **argv = out_alloc_check(calloc(n + 1, sizeof(*argv))), *rest;
	int argc = 0;

	for (char *word = strtok_r(line, BLANKS, &rest); word && *word != '#';
	     word = strtok_r(NULL, BLANKS, &rest))
		argv[argc++] = word;
	if (argc > 0)
		run_command(e, argc, argv);
	free(argv);
}

static void run_lines(struct edit *e, FILE *f)
{
	char *line = NULL;
	size_t size = 0;

	/* Without dcbd, each line would fail for the same reason. */
	while (!e->names.failed && getline(&line, &size, f) >= 0) {
		e->line++;
		run_line(e, line);
	}
	free(line);
	if (ferror(f)) {
		/*
		 * Message: The file cannot be read or written, for this reason. Check its path and
		 * its permissions.
		 */
		cli_fail("%s: %s", e->file, strerror(errno));
		e->errors++;
	}
}

static int run_file(struct edit *e, FILE *f)
{
	int rc;

	run_lines(e, f);
	rc = edit_commit(e);
	if (rc != CLI_OK && e->errors > 1)
		/* Message: Correct all of them, and use the file again. */
		cli_fail("%s: %u errors: nothing was set", e->file, e->errors);
	if (rc == CLI_OK && e->cli->json)
		edit_print(e);
	return rc;
}

int cli_batch(struct cli *cli)
{
	bool is_stdin = strcmp(cli->batch, "-") == 0;
	FILE *f = is_stdin ? stdin : fopen(cli->batch, "re");
	struct edit e;
	int rc;

	if (!f)
		/* Message: as "%s: %s" */
		return cli_fail("%s: %s", cli->batch, strerror(errno));
	if (!edit_open(&e, cli)) {
		if (!is_stdin)
			fclose(f);
		return CLI_FAILED;
	}
	e.file = is_stdin ? "standard input" : cli->batch;
	rc = run_file(&e, f);
	edit_close(&e);
	if (!is_stdin)
		fclose(f);
	return rc;
}
