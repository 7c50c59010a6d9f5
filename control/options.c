/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/options.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/log.h"

static void usage(FILE *out)
{
	fputs(
	    "usage: dcbd [-t] [-c file] [-l error|warn|info|debug] [--ignore-state]\n"
	    "       dcbd [-c file] --read [port=]in.pcap --write [port=]out.pcap [--seed number]\n"
	    "       dcbd -V | -h\n",
	    out);
}

enum { OPT_READ = 256, OPT_WRITE, OPT_SEED, OPT_IGNORE_STATE };

static bool add_capture(struct options *o, int opt)
{
	char err[256];

	if (opt == OPT_READ ? offline_add_read(&o->offline, optarg, err, sizeof(err))
			    : offline_add_write(&o->offline, optarg, err, sizeof(err)))
		return true;
	fprintf(stderr, "dcbd: %s\n", err);
	return false;
}

static bool parse_seed(const char *text, uint64_t *seed)
{
	char *end;

	errno = 0;
	*seed = strtoull(text, &end, 0);
	if (errno == 0 && end != text && *end == '\0')
		return true;
	/* Message: An argument is wrong. Correct the command line as described in dcbd(8). */
	fprintf(stderr, "dcbd: --seed %s: expected a 64-bit number\n", text);
	return false;
}

int options_parse(struct options *o, int argc, char **argv)
{
	static const struct option longopts[] = {
	    {"read", required_argument, NULL, OPT_READ},
	    {"write", required_argument, NULL, OPT_WRITE},
	    {"seed", required_argument, NULL, OPT_SEED},
	    {"ignore-state", no_argument, NULL, OPT_IGNORE_STATE},
	    {"config", required_argument, NULL, 'c'},
	    {"test", no_argument, NULL, 't'},
	    {"version", no_argument, NULL, 'V'},
	    {"help", no_argument, NULL, 'h'},
	    {NULL, 0, NULL, 0},
	};
	int opt;

	while ((opt = getopt_long(argc, argv, "c:tl:fVh", longopts, NULL)) != -1) {
		switch (opt) {
		case 'c':
			o->file = optarg;
			o->given_file = true;
			break;
		case 't':
			o->test_only = true;
			break;
		case 'l':
			if (!log_level_argument("dcbd", 'l', optarg, &log_level))
				return EXIT_CONFIG;
			break;
		case 'f':
			break; /* always in the foreground */
		case OPT_READ:
		case OPT_WRITE:
			if (!add_capture(o, opt))
				return EXIT_CONFIG;
			break;
		case OPT_SEED:
			if (!parse_seed(optarg, &o->seed))
				return EXIT_CONFIG;
			break;
		case OPT_IGNORE_STATE:
			o->ignore_state = true;
			break;
		case 'V':
			puts("dcbd " PACKAGE_VERSION);
			return EXIT_SUCCESS;
		case 'h':
			usage(stdout);
			return EXIT_SUCCESS;
		default:
			usage(stderr);
			return EXIT_CONFIG;
		}
	}
	if (optind == argc)
		return -1;
	/* Message: as "--seed %s: expected a 64-bit number" */
	fprintf(stderr, "dcbd: %s: expected options only\n", argv[optind]);
	return EXIT_CONFIG;
}
