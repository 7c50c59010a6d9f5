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

bool priv_drop(const char *user, const char *group, char *err, size_t errlen)
{
	const struct privileges p = {
	    .user = user,
	    .group = group,
	    /* Packet sockets; promiscuous mode, taps, PACKET_QDISC_BYPASS. */
	    .kept = {CAP_NET_RAW, CAP_NET_ADMIN},
	    .n_kept = 2,
	    .advice = ": create it, or set user in dcbd.conf; with \"root\" dcbd stays root",
	    .without = "interfaces cannot be opened",
	};

	return privileges_drop(&p, err, errlen);
}
