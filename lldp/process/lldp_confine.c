/* SPDX-License-Identifier: BSD-3-Clause */
#include "lldp/process/lldp_confine.h"

#include <sys/socket.h>

#include "lib/confine.h"

const char *const lldp_confine_calls[] = {"alarm", /* to end after dcbd */
					  /* to notice that lldpd has made its socket */
					  "inotify_add_watch", "inotify_init1", "inotify_rm_watch",
					  /* lldp_client_sendv */
					  "io_destroy", "io_getevents", "io_setup", "io_submit",
					  NULL};
static const int families[] = {AF_UNIX, 0};

void lldp_confine(void)
{
	static const char *const *const lists[] = {confine_common, lldp_confine_calls, NULL};
	const struct confine_calls calls = {.lists = lists, .families = families};
	struct confine_files c;

	confine_files_begin(&c);
	(void)confine_files_end(&c, LOG_LEVEL_DEBUG);
	(void)confine_calls(&calls, LOG_LEVEL_DEBUG);
}
