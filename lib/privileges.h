/* SPDX-License-Identifier: BSD-3-Clause */
/* Drops the privileges that a daemon does not need after its start. */
#ifndef DCB_LIB_PRIVILEGES_H
#define DCB_LIB_PRIVILEGES_H

#include <stdbool.h>
#include <stddef.h>

#define PRIVILEGES_KEPT_MAX 3

struct privileges {
	const char *user;                   /* NULL: no change */
	const char *group;                  /* supplementary, if it exists; NULL: none */
	unsigned kept[PRIVILEGES_KEPT_MAX]; /* capabilities that stay: CAP_NET_RAW ... */
	unsigned n_kept;
	const char *advice;  /* ends the message that there is no such user */
	const char *without; /* logged if there are no capabilities: the consequence; NULL: none */
};

/* Returns whether the process is root and is permitted to change its user. */
bool privileges_of_root(void);

/*
 * Changes the user of the process, adds the group to its supplementary groups if that is
 * permitted, drops all capabilities but those to keep, and sets no_new_privs. It adds no
 * capability. To be called before the first thread is started, because capabilities belong
 * to threads.
 *
 * A process that cannot change its user (not root, or the user is not mapped in its user
 * namespace) keeps it, which is logged: the process that started it has restricted it.
 * Returns false if another step fails: err says which, and the caller must exit.
 */
bool privileges_drop(const struct privileges *p, char *err, size_t errlen);

#endif
