/* SPDX-License-Identifier: BSD-3-Clause */
/* In the place of screen.c in a dcbctl that is built without ncurses. */
#include "agent/cli/view/screen.h"

int screen_run(struct cli *cli)
{
	(void)cli;
	/*
	 * Message: as "watch: without tables it needs a terminal; to a pipe or file, name tables"
	 */
	return cli_fail(
	    "watch: this dcbctl is built without ncurses, so it has no full screen; "
	    "name tables, for example: dcbctl watch pfc_pri");
}
