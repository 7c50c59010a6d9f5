/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/host/directory.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Returns the directory of file, in buf. */
static const char *directory_of(const char *file, char buf[PATH_MAX])
{
	snprintf(buf, PATH_MAX, "%s", file);
	return dirname(buf);
}

/* O_NOFOLLOW: the directory that was created, not what a link in its place names. */
static bool give(const char *dir, const struct passwd *pw)
{
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	int error;
	bool ok;

	if (fd < 0)
		return false;
	ok = fchown(fd, pw->pw_uid, pw->pw_gid) == 0;
	error = errno;
	close(fd);
	errno = error;
	return ok;
}

bool directory_make(const char *file, const char *user, char *err, size_t errlen)
{
	const struct passwd *pw = user ? getpwnam(user) : NULL;
	char buf[PATH_MAX];
	const char *dir = directory_of(file, buf);

	if (mkdir(dir, 0755) < 0) {
		if (errno == EEXIST)
			return true;
		/*
		 * Messages: The directory of the state file or of the control socket cannot be
		 * created. Create its parent directory, or create it for `user`.
		 */
		snprintf(err, errlen, "%s: cannot create the directory: %s", dir, strerror(errno));
		return false;
	}
	if (!pw || getuid() != 0 || give(dir, pw))
		return true;
	snprintf(err, errlen, "%s: cannot give the directory to user %s: %s", dir, user,
		 strerror(errno));
	return false;
}

bool directory_is_permitted(const char *file, const char *key, char *err, size_t errlen)
{
	const struct passwd *pw;
	char buf[PATH_MAX];
	const char *dir = directory_of(file, buf);

	/* Other errors, such as a full or read-only file system, may end while dcbd runs. */
	if (faccessat(AT_FDCWD, dir, W_OK | X_OK, AT_EACCESS) == 0 || errno != EACCES)
		return true;
	pw = getpwuid(geteuid());
	/*
	 * Message: dcbd does not start. Set `state_file` or `control.socket` to a path in a
	 * directory that does not exist yet, or make `user` the owner of the directory.
	 */
	snprintf(err, errlen,
		 "%s = \"%s\": user %s has no permission to write in %s: expected a directory of "
		 "its own; dcbd creates one that is missing",
		 key, file, pw ? pw->pw_name : "of dcbd", dir);
	return false;
}

static const char *name_of(mode_t mode)
{
	switch (mode & S_IFMT) {
	case S_IFREG:
		return "a regular file";
	case S_IFSOCK:
		return "a socket";
	case S_IFLNK:
		return "a symbolic link";
	case S_IFDIR:
		return "a directory";
	default:
		return "a device or a pipe";
	}
}

bool directory_has_place(const char *file, const char *key, mode_t type, char *err, size_t errlen)
{
	struct stat st;

	if (lstat(file, &st) < 0 || (st.st_mode & S_IFMT) == type)
		return true;
	/*
	 * Message: dcbd does not start while something else has the name of the state file, of the
	 * control socket or of the view socket. Correct the path, or move the file away.
	 */
	snprintf(err, errlen, "%s = \"%s\": expected %s or no file, not %s", key, file,
		 name_of(type), name_of(st.st_mode));
	return false;
}
