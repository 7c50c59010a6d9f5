/* SPDX-License-Identifier: BSD-3-Clause */
/* The directories of files that dcbd writes: the state file and the control socket. */
#ifndef DCB_CONTROL_HOST_DIRECTORY_H
#define DCB_CONTROL_HOST_DIRECTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/*
 * Creates the directory of a file if only that directory is missing in the path, and as
 * root gives it to user (NULL: keeps the owner). An existing directory is not changed:
 * other programs may use it. Returns false if a step fails; err: the directory and the
 * reason. To be called before priv_drop().
 */
bool directory_make(const char *file, const char *user, char *err, size_t errlen);

/*
 * Returns false if the process has no permission to create files in the directory of
 * file; err: the directory, the user, and a remedy. key: the name in
 * dcbd.conf that file is the value of. To be called after priv_drop().
 */
bool directory_is_permitted(const char *file, const char *key, char *err, size_t errlen);

/*
 * Returns false if something else than a file of this type, S_IFREG or S_IFSOCK, has the
 * name of file: dcbd would have to replace or remove a file that it has not made. A symbolic
 * link is something else, whatever it leads to: the state file is exchanged by names, so a
 * save would replace the link and leave the file behind it as it is. Links in the path of
 * the directory are followed. err: the file, its type and the expected one. To be called
 * after priv_drop().
 */
bool directory_has_place(const char *file, const char *key, mode_t type, char *err, size_t errlen);

#endif
