/* SPDX-License-Identifier: BSD-3-Clause */
/* The command line of dcbd. */
#ifndef DCB_CONTROL_OPTIONS_H
#define DCB_CONTROL_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "dataplane/soft/offline.h"

/* Exit status: the command line or the configuration has an error; a restart would fail too. */
#define EXIT_CONFIG 2

struct options {
	const char *file; /* dcbd.conf */
	bool test_only, given_file, ignore_state;
	struct offline offline;
	uint64_t seed;
};

/*
 * Parses the command line; -l sets log_level. The caller has set the defaults in o. Returns the
 * exit status, after an error, -V or -h, or -1 if dcbd is to run.
 */
int options_parse(struct options *o, int argc, char **argv);

#endif
