/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Privileges: what is not needed goes, as soon as nothing needs it any more.
 * The only file that speaks libcap-ng.
 */
#ifndef DCB_CONTROL_HOST_PRIV_H
#define DCB_CONTROL_HOST_PRIV_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Become user (NULL: stay who we are), a member of group as well if there is one of
 * that name and it can be joined (NULL: of none more), and keep no capability but CAP_NET_RAW
 * and CAP_NET_ADMIN, and these only if they were there. Also sets
 * no_new_privs. Capabilities belong to threads: call it before the first one
 * is started, and after the control socket and the state file's directory
 * have been made and given to user.
 *
 * A process that may not change its user (not root, or root of a user
 * namespace where user has no number) stays who it is and says so in the log:
 * it was somebody else who confined it. false: err says what failed, and the
 * caller must not go on.
 */
bool priv_drop(const char *user, const char *group, char *err, size_t errlen);

#endif
