/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Drops the privileges that dcbd does not need after its start. The only module that
 * uses libcap-ng.
 */
#ifndef DCB_CONTROL_HOST_PRIV_H
#define DCB_CONTROL_HOST_PRIV_H

#include <stdbool.h>
#include <stddef.h>

/* The user of dcbd by default: contrib/sysusers.d/dcb-agent.conf has it. */
#define PRIV_USER "dcbd"

/*
 * Returns the user that dcbd is to have: user, unless it is NULL; else PRIV_USER if the
 * process is root and is permitted to change its user; else NULL: it keeps its user.
 */
const char *priv_user(const char *user);

/*
 * Changes the user of the process to user (NULL: no change), adds group to its
 * supplementary groups if it exists and that is permitted (NULL: none), drops all
 * capabilities but CAP_NET_RAW and CAP_NET_ADMIN, and sets no_new_privs. It adds no
 * capability. To be called before the first thread is started, because capabilities
 * belong to threads, and after the directories of the control socket and of the state file
 * were created and given to user.
 *
 * A process that cannot change its user (not root, or user is not mapped in its user
 * namespace) keeps it, which is logged: the process that started it has restricted it.
 * Returns false if another step fails: err says which, and the caller must exit.
 */
bool priv_drop(const char *user, const char *group, char *err, size_t errlen);

#endif
