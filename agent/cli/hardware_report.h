/* SPDX-License-Identifier: BSD-3-Clause */
/* dcbctl hardware report: what the kernel says about an interface, for a bug report. */
#ifndef DCB_AGENT_CLI_HARDWARE_REPORT_H
#define DCB_AGENT_CLI_HARDWARE_REPORT_H

#include "agent/cli/base/cli.h"
#include "dataplane/kernel/kernel_io.h"

/* Prints the report about an interface. Returns the exit status: an error has been printed. */
int hardware_report(const struct cli *cli, struct kernel_io *io, const char *interface);
/* The same, and asks the kernel. */
int hardware_report_of(const struct cli *cli, const char *interface);

#endif
