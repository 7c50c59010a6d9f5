/* SPDX-License-Identifier: BSD-3-Clause */
/* dcb-pfcgen: its command line; pfcgen.c has the parts that need no network. */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/pfcgen/pfcgen.h"
#include "lib/standard.h"

#define PROGRAM "dcb-pfcgen"

enum { EXIT_USAGE = 2 };

struct command {
	struct pfcgen_options options;
	bool json;
	const char *ifname;
};

static void usage(FILE *out)
{
	fputs("usage: " PROGRAM
	      " [-j] -p priorities [-q quanta] [-i interval] [-t duration]\n"
	      "                  [-c count] [-X] [-a source] [-w auto|busy|sleep] INTERFACE\n"
	      "       " PROGRAM
	      " -V | -h\n"
	      "Sends PFC frames at a fixed interval; needs CAP_NET_RAW.\n",
	      out);
}

static int __attribute__((format(printf, 1, 2))) failed(const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	fputs(PROGRAM ": ", stderr);
	vfprintf(stderr, format, ap);
	fputc('\n', stderr);
	va_end(ap);
	return EXIT_FAILURE;
}

static int wrong_usage(void)
{
	usage(stderr);
	return EXIT_USAGE;
}

/* Returns an exit status, or -1 if the program is to go on. */
static int parse(struct command *cmd, int argc, char **argv)
{
	char err[256];
	int c;

	while ((c = getopt_long(argc, argv, "jhV" PFCGEN_OPTIONS, pfcgen_long_options, NULL)) !=
	       -1) {
		switch (c) {
		case 'j':
			cmd->json = true;
			break;
		case 'h':
			usage(stdout);
			return EXIT_SUCCESS;
		case 'V':
			puts(PROGRAM " " PACKAGE_VERSION);
			return EXIT_SUCCESS;
		case '?':
			return wrong_usage();
		default:
			if (!pfcgen_option(&cmd->options, c, optarg, err, sizeof(err))) {
				failed("%s", err);
				return EXIT_USAGE;
			}
			break;
		}
	}
	if (optind + 1 != argc)
		return wrong_usage();
	cmd->ifname = argv[optind];
	if (cmd->options.enable)
		return -1;
	/* Message: as "-%c: expected %s, not "%s"" */
	failed("-p: expected %s", pfcgen_expects('p'));
	return wrong_usage();
}

static int report(const struct command *cmd, const struct pfc_port *port,
		  const struct pfc_plan *plan, const struct pfc_outcome *outcome)
{
	if (cmd->json)
		pfcgen_report_json(stdout, port, plan, outcome);
	else
		pfcgen_report_text(stdout, port, plan, outcome);
	if (outcome->pace.error)
		/*
		 * Message: The kernel refused a frame, for example because the interface is down or
		 * has been removed. Check the interface.
		 */
		return failed("%s: sending failed after %" PRIu64 " frames: %s", port->ifname,
			      outcome->pace.frames, strerror(outcome->pace.error));
	if (outcome->xon_error)
		/*
		 * Message: The neighbor stays paused until the times of the last frame have
		 * elapsed. Check the interface.
		 */
		return failed("%s: sending the last frame (XON) failed: %s", port->ifname,
			      strerror(outcome->xon_error));
	return EXIT_SUCCESS;
}

static int run(int argc, char **argv)
{
	static struct pfc_outcome outcome; /* too large for the stack */
	struct command cmd = {.json = false};
	struct pace_host host;
	struct pfc_port port;
	struct pfc_plan plan;
	char err[256];
	int fd, rc = parse(&cmd, argc, argv), error;

	if (rc >= 0)
		return rc;
	fd = pfcgen_socket_open(cmd.ifname, &port, err, sizeof(err));
	if (fd < 0)
		return failed("%s", err);
	pfcgen_plan(&cmd.options, &port, &plan);
	if (plan.pause_ns && plan.pace.interval_ns > plan.pause_ns)
		/*
		 * Message: The priority is not paused all the time. Use a shorter interval (`-i`)
		 * or a longer time (`-q`) for a pause without gaps.
		 */
		fprintf(stderr,
			PROGRAM
			": warning: the shortest pause ends after %.3f us, before the next "
			"frame\n",
			(double)plan.pause_ns / 1e3);
	pfcgen_socket_host(&fd, &host);
	if (plan.pace.wait == PACE_ADAPT && pfcgen_socket_has_one_cpu())
		plan.pace.wait = PACE_ASLEEP;
	error = pfcgen_socket_real_time(&plan.pace);
	if (error)
		/*
		 * Message: The intervals between frames can be longer than asked for. Run the
		 * command as root, or raise RLIMIT_RTPRIO.
		 */
		fprintf(stderr,
			PROGRAM ": note: no real time: %s: other programs can delay frames\n",
			strerror(error));
	pfcgen_run(&plan, &host, &outcome);
	rc = report(&cmd, &port, &plan, &outcome);
	close(fd);
	return rc;
}

int main(int argc, char **argv)
{
	standard_open();
	return standard_end(PROGRAM, run(argc, argv), EXIT_FAILURE);
}
