/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/host/replace_file.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int write_all(int fd, const char *text, size_t len)
{
	while (len > 0) {
		ssize_t n = write(fd, text, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno;
		text += n;
		len -= (size_t)n;
	}
	return fsync(fd) < 0 ? errno : 0;
}

static int open_directory(const char *path)
{
	char copy[PATH_MAX];

	snprintf(copy, sizeof(copy), "%s", path);
	return open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/* Creates the file, which may be left over from a save that was interrupted. */
static int write_new(const char *name, const char *text, size_t len, mode_t mode)
{
	int fd, error;

	if (unlink(name) < 0 && errno != ENOENT)
		return errno;
	fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
	if (fd < 0)
		return errno;
	error = write_all(fd, text, len);
	if (close(fd) < 0 && error == 0)
		error = errno;
	if (error != 0)
		unlink(name);
	return error;
}

/* The former file while the names are changed. */
enum former {
	FORMER_NONE, /* there was none */
	FORMER_KEPT, /* it has the name of the new file */
	FORMER_LOST, /* replaced: the file system cannot exchange two names */
};

/* Gives the new file the name of the former one. Returns 0 or an errno; both are unchanged then. */
static int put_in_place(const char *name, const char *path, enum former *former)
{
	struct stat st;

	if (lstat(path, &st) == 0 && S_ISDIR(st.st_mode))
		return EISDIR;
	*former = FORMER_KEPT;
	if (renameat2(AT_FDCWD, name, AT_FDCWD, path, RENAME_EXCHANGE) == 0)
		return 0;
	*former = errno == ENOENT ? FORMER_NONE : FORMER_LOST;
	return rename(name, path) < 0 ? errno : 0;
}

/* Reverses put_in_place(). */
static bool put_back(const char *name, const char *path, enum former former)
{
	switch (former) {
	case FORMER_NONE:
		return unlink(path) == 0;
	case FORMER_KEPT:
		return renameat2(AT_FDCWD, name, AT_FDCWD, path, RENAME_EXCHANGE) == 0;
	case FORMER_LOST:
		break;
	}
	return false;
}

/*
 * Writes the changed names to disk: the caller then reports that the settings are saved. If
 * this fails they are refused, so that a restart must not find them: the former file gets
 * its name back. After a loss of power the disk can have either of the files.
 */
static struct file_written sync_names(int directory, const char *name, const char *path,
				      enum former former)
{
	struct file_written w = {0};

	if (fsync(directory) == 0) {
		unlink(name); /* the former file */
		return w;
	}
	w.error = errno;
	w.is_left = !put_back(name, path, former);
	if (w.is_left)
		return w;
	(void)fsync(directory);
	unlink(name);
	return w;
}

static struct file_written write_file(const char *path, const char *text, size_t len, mode_t mode)
{
	struct file_written w = {0};
	char name[PATH_MAX];
	enum former former;
	int directory;

	if (snprintf(name, sizeof(name), "%s.new", path) >= (int)sizeof(name))
		return (struct file_written){.error = ENAMETOOLONG};
	directory = open_directory(path);
	if (directory < 0)
		return (struct file_written){.error = errno};
	w.error = write_new(name, text, len, mode);
	if (w.error == 0) {
		w.error = put_in_place(name, path, &former);
		if (w.error == 0)
			w = sync_names(directory, name, path, former);
		else
			unlink(name);
	}
	close(directory);
	return w;
}

struct file_written replace_file(const char *path, const char *text, size_t len)
{
	return write_file(path, text, len, 0640);
}

struct file_written replace_private_file(const char *path, const char *text, size_t len)
{
	return write_file(path, text, len, 0600);
}
