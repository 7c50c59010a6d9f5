/* SPDX-License-Identifier: BSD-3-Clause */
/* dcbctl watch without a table: the ports of dcbd on the whole terminal. */
#ifndef DCB_AGENT_CLI_VIEW_SCREEN_H
#define DCB_AGENT_CLI_VIEW_SCREEN_H

#include "agent/cli/base/cli.h"

/*
 * Shows the ports until the key q, the end of the terminal, a signal, or cli->count reads of dcbd.
 * The terminal is then as it was before. Returns an exit status. Built without ncurses: an error.
 */
int screen_run(struct cli *cli);

#endif
