/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/agentx_confine.h"

#include <string.h>
#include <sys/socket.h>

#include "lib/confine.h"

/* AF_UNIX: dcbd, and a master. The others: a master, and the resolver. */
static const int families_unix[] = {AF_UNIX, 0};
static const int families_tcp[] = {AF_UNIX, AF_INET, AF_INET6, AF_NETLINK, 0};

void agentx_confine(const char *master)
{
	static const char *const *const lists[] = {confine_common, NULL};
	bool tcp = master && strncmp(master, "tcp", 3) == 0;
	const struct confine_calls calls = {
	    .lists = lists,
	    .families = tcp ? families_tcp : families_unix,
	};
	struct confine_files c;

	confine_files_begin(&c);
	if (log_path())
		confine_files_add_directory_of(&c, CONFINE_LOG, log_path());
	if (tcp) {
		confine_files_add(&c, CONFINE_READ, "/etc");
		confine_files_add(&c, CONFINE_READ, "/run/systemd/resolve");
		confine_files_add_libraries(&c, CONFINE_READ);
	}
	(void)confine_files_end(&c, LOG_LEVEL_INFO);
	(void)confine_calls(&calls, LOG_LEVEL_INFO);
}
