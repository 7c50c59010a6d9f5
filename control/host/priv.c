/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/host/priv.h"

#include <linux/capability.h>
#include <pwd.h>
#include <unistd.h>

#include "lib/privileges.h"

const char *priv_user(const char *user)
{
	return user || !privileges_of_root() ? user : PRIV_USER;
}

uid_t priv_uid(const char *user)
{
	const struct passwd *pw = privileges_of_root() ? getpwnam(priv_user(user)) : NULL;

	return pw ? pw->pw_uid : geteuid();
}

/* Packet sockets; promiscuous mode, taps, PACKET_QDISC_BYPASS. */
#define KEPT   CAP_NET_RAW, CAP_NET_ADMIN
#define KEPT_N 2

bool priv_drop(const char *user, const char *group, bool nice, char *err, size_t errlen)
{
	const struct privileges p = {
	    .user = user,
	    .group = group,
	    .kept = {KEPT, CAP_SYS_NICE},
	    .n_kept = nice ? KEPT_N + 1 : KEPT_N,
	    .advice = ": create it, or set user in dcbd.conf; with \"root\" dcbd stays root",
	    .without = "interfaces cannot be opened",
	};

	return privileges_drop(&p, err, errlen);
}

bool priv_drop_nice(char *err, size_t errlen)
{
	const struct privileges p = {.kept = {KEPT}, .n_kept = KEPT_N};

	return privileges_drop(&p, err, errlen);
}
