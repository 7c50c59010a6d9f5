/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The privileges of dcbd after its start.
 *
 * What dcbd needs for its ports beyond dcbd.conf is one table: raw sockets; for a station
 * /dev/net/tun, CAP_NET_ADMIN and /proc/sys/net; real time. A lack is a warning, because
 * dcbd starts, and opens its ports when that is possible. contrib/demo_check.sh tests for
 * namespaces and interfaces in them, and asks dcbd -t in a network namespace for the rest.
 */
#ifndef DCB_CONTROL_HOST_PRIV_H
#define DCB_CONTROL_HOST_PRIV_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* The user of dcbd by default: contrib/sysusers.d/dcb-agent.conf has it. */
#define PRIV_USER "dcbd"

/*
 * Returns the user that dcbd is to have: user, unless it is NULL; else PRIV_USER if the
 * process is root and is permitted to change its user; else NULL: it keeps its user.
 */
const char *priv_user(const char *user);

/*
 * Returns the UID that dcbd has or, as root, will have after priv_drop() to priv_user(user). If
 * there is no such user, which priv_drop() reports, the present one. Control thread.
 */
uid_t priv_uid(const char *user);

/*
 * privileges_drop() for dcbd, which keeps CAP_NET_RAW and CAP_NET_ADMIN. nice: CAP_SYS_NICE too,
 * if it has that, until priv_drop_nice(). To be called after the directories of the control socket
 * and of the state file were created and given to user.
 */
bool priv_drop(const char *user, const char *group, bool nice, char *err, size_t errlen);

/*
 * Drops CAP_SYS_NICE in the calling thread and those that it starts from now on: the control
 * thread, when it has started the dataplane threads, which keep it for their real time. Returns
 * false: err.
 */
bool priv_drop_nice(char *err, size_t errlen);

/* What dcbd may need of the machine or the container. */
enum priv_need {
	PRIV_PORTS = 1,     /* it opens interfaces */
	PRIV_TAPS = 2,      /* as a station */
	PRIV_REAL_TIME = 4, /* dataplane.priority */
};

/*
 * Calls say() for each thing that the process lacks of these needs, a set of enum priv_need, with
 * a line: what, why, and what helps. dcbd -t, the start of dcbd and the demos check this way. To be
 * called after priv_drop(), and before the process is confined: the privileges that dcbd has then
 * count. Tries, and changes nothing.
 */
void priv_lacks(unsigned needs, void (*say)(void *ctx, const char *text), void *ctx);

#endif
