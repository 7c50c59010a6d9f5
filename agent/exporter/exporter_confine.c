/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/exporter/exporter_confine.h"

#include <sys/socket.h>

#include "lib/confine.h"

void exporter_confine(void)
{
	static const char *const *const lists[] = {confine_common, NULL};
	static const int families[] = {AF_UNIX, 0}; /* dcbd; accept() needs none */
	const struct confine_calls calls = {.lists = lists, .families = families};
	struct confine_files c;

	confine_files_begin(&c);
	if (log_path())
		confine_files_add_directory_of(&c, CONFINE_LOG, log_path());
	(void)confine_files_end(&c, LOG_LEVEL_INFO);
	(void)confine_calls(&calls, LOG_LEVEL_INFO);
}
