/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/dcbd_confine.h"

#include <limits.h>
#include <stdio.h>
#include <sys/socket.h>

#include "dataplane/sonic/sonic_conf.h"
#include "lib/confine.h"
#include "lib/rt_observer.h"
#include "lldp/process/lldp_confine.h"
#include "lldp/process/lldp_spawn.h"

/* Calls that no other program of this package needs. */
static const char *const own_calls[] = {
    /* the state file; its directory */
    "fdatasync", "fsync", "rename", "renameat", "renameat2", "unlink", "unlinkat",
    /* the files of packet numbers */
    "flock",
    /* group of the sockets */
    "chown", "chown32", "fchownat",
    /* dataplane.cpu, dataplane.priority */
    "sched_setaffinity", "sched_setscheduler", NULL};

/* AF_PACKET: frames. AF_NETLINK: interfaces. AF_UNIX: clients, LLDP, ioctls of interfaces. */
static const int families[] = {AF_UNIX, AF_NETLINK, AF_PACKET, 0};

/* dcb-lldp, its libraries, and the accounts of users and groups. */
static void add_programs(struct confine_files *c, const struct conf *conf)
{
	char path[PATH_MAX];

	confine_files_add(c, CONFINE_READ, "/etc");
	/* libcap-ng reads it at the start of dcb-lldp. */
	confine_files_add(c, CONFINE_READ, "/proc/sys/kernel/cap_last_cap");
	confine_files_add_libraries(c, conf->lldp_enable ? CONFINE_EXECUTE : CONFINE_READ);
	if (!conf->lldp_enable)
		return;
	if (conf->lldp_program)
		confine_files_add_directory_of(c, CONFINE_EXECUTE, conf->lldp_program);
	else if (lldp_spawn_beside("dcb-lldp", path, sizeof(path)))
		confine_files_add_directory_of(c, CONFINE_EXECUTE, path);
}

/* The directories of database_config.json: of the switch, and of each ASIC. */
static void add_sonic(struct confine_files *c, const struct conf *conf)
{
	char path[64];

	if (conf->sonic_config)
		confine_files_add_directory_of(c, CONFINE_READ, conf->sonic_config);
	if (conf->sonic_password_file)
		confine_files_add_directory_of(c, CONFINE_READ, conf->sonic_password_file);
	confine_files_add(c, CONFINE_READ, "/run/redis");
	for (unsigned i = 0; i < SONIC_INSTANCES; i++) {
		snprintf(path, sizeof(path), "/run/redis%u", i);
		confine_files_add(c, CONFINE_READ, path);
	}
}

static void confine_to_files(const struct conf *conf, const char *file)
{
	struct confine_files c;

	confine_files_begin(&c);
	add_programs(&c, conf);
	confine_files_add_directory_of(&c, CONFINE_READ, file);
	confine_files_add_directory_of(&c, CONFINE_REPLACE, conf->state_file);
	confine_files_add_directory_of(&c, CONFINE_SOCKETS, conf->control_socket);
	confine_files_add_directory_of(&c, CONFINE_REPLACE, conf->control_socket); /* netio_kept */
	if (conf_view(conf))
		confine_files_add_directory_of(&c, CONFINE_SOCKETS, conf_view(conf));
	if (log_path())
		confine_files_add_directory_of(&c, CONFINE_LOG, log_path());
	confine_files_add(&c, CONFINE_READ, RT_OBSERVER_FILE);
	confine_files_add(&c, CONFINE_READ, "/sys/class/net");
	confine_files_add(&c, CONFINE_READ, "/sys/devices");
	if (conf->role == ROLE_STATION || conf_uses_provider(conf, CONF_PROVIDER_STATION)) {
		confine_files_add(&c, CONFINE_WRITE, "/dev/net/tun");
		confine_files_add(&c, CONFINE_WRITE, "/proc/sys/net");
	}
	if (conf_uses_provider(conf, CONF_PROVIDER_SONIC))
		add_sonic(&c, conf);
	(void)confine_files_end(&c, LOG_LEVEL_INFO);
}

void dcbd_confine(const struct conf *conf, const char *file)
{
	static const char *const *const lists[] = {confine_common, confine_start,
						   lldp_confine_calls, own_calls, NULL};
	const struct confine_calls calls = {.lists = lists, .families = families};

	confine_to_files(conf, file);
	(void)confine_calls(&calls, LOG_LEVEL_INFO);
}
