/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/cli/cli.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define INTERVAL_MIN_S 0.1
#define INTERVAL_MAX_S 86400.0

int cli_fail(const char *fmt, ...)
{
	va_list ap;

	fputs("dcbctl: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	return CLI_FAILED;
}

static void print_usage(const struct cli_command *command, FILE *f)
{
	fprintf(f, "usage: dcbctl [-j] [-s socket] %s %s\n", command->name, command->args);
}

int cli_usage(const struct cli_command *command)
{
	print_usage(command, stderr);
	return CLI_USAGE;
}

static bool parse_interval(const char *text, double *seconds)
{
	char *end;

	errno = 0;
	*seconds = strtod(text, &end);
	if (errno == 0 && end != text && *end == '\0' && isfinite(*seconds) &&
	    *seconds >= INTERVAL_MIN_S && *seconds <= INTERVAL_MAX_S)
		return true;
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
	cli_fail("-c: expected a number of times, not \"%s\"", text);
	return false;
}

int cli_options(struct cli *cli, const struct cli_command *command, int argc, char **argv)
{
	static const struct option long_options[] = {
	    {"count", required_argument, NULL, 'c'},
	    {"help", no_argument, NULL, 'h'},
	    {"interval", required_argument, NULL, 'n'},
	    {"json", no_argument, NULL, 'j'},
	    {"socket", required_argument, NULL, 's'},
	    {"version", no_argument, NULL, 'V'},
	    {NULL, 0, NULL, 0},
	};
	char short_options[32] = "+hjs:V";
	int c;

	strcat(short_options, command->options ? command->options : "");
	optind = 0; /* glibc: start anew */
	while ((c = getopt_long(argc, argv, short_options, long_options, NULL)) != -1) {
		/* A long option knows no subcommand. */
		if ((c == 'c' || c == 'n') && !strchr(short_options, c))
			c = '?';
		switch (c) {
		case 'c':
			if (!parse_count(optarg, &cli->count))
				return -1;
			break;
		case 'h':
			print_usage(command, cli->out);
			return -2;
		case 'j':
			cli->json = true;
			break;
		case 'n':
			if (!parse_interval(optarg, &cli->interval_s))
				return -1;
			break;
		case 's':
			cli->socket = optarg;
			break;
		case 'V':
			fprintf(cli->out, "dcbctl %s\n", PACKAGE_VERSION);
			return -2;
		default:
			cli_usage(command);
			return -1;
		}
	}
	return optind;
}

bool cli_connect(struct cli *cli)
{
	if (!cli->client)
		cli->client = mo_client_new(cli->socket, CLI_TIMEOUT_MS);
	if (!cli->client)
		cli_fail("%s: not the path of a socket", cli->socket);
	return cli->client != NULL;
}
