/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Landlock, by its three system calls: there is no library of it. A rule belongs to an inode,
 * so rules name directories: editors, package managers and dcbd itself replace files by
 * others with the same name.
 */
#include "lib/confine.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <linux/landlock.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Rights of later kernels than the headers of Debian 12 describe. */
#ifndef LANDLOCK_ACCESS_FS_TRUNCATE
#define LANDLOCK_ACCESS_FS_TRUNCATE (1ULL << 14)
#endif
#ifndef LANDLOCK_ACCESS_FS_IOCTL_DEV
#define LANDLOCK_ACCESS_FS_IOCTL_DEV (1ULL << 15)
#endif

#define FS(name) LANDLOCK_ACCESS_FS_##name

/* By the version of Landlock, from 1: the rights that it knows. */
static const uint64_t known[] = {FS(MAKE_SYM) * 2 - 1, FS(REFER) * 2 - 1, FS(TRUNCATE) * 2 - 1,
				 FS(TRUNCATE) * 2 - 1, FS(IOCTL_DEV) * 2 - 1};
#define N_KNOWN (sizeof(known) / sizeof(known[0]))

static const uint64_t rights[] = {
    [CONFINE_READ] = FS(READ_FILE) | FS(READ_DIR),
    [CONFINE_EXECUTE] = FS(READ_FILE) | FS(READ_DIR) | FS(EXECUTE),
    [CONFINE_WRITE] = FS(READ_FILE) | FS(WRITE_FILE) | FS(TRUNCATE) | FS(IOCTL_DEV),
    [CONFINE_LOG] = FS(WRITE_FILE) | FS(MAKE_REG),
    [CONFINE_REPLACE] = FS(READ_FILE) | FS(READ_DIR) | FS(WRITE_FILE) | FS(TRUNCATE) |
			FS(MAKE_REG) | FS(REMOVE_FILE),
    [CONFINE_SOCKETS] = FS(MAKE_SOCK) | FS(REMOVE_FILE),
};
/* Rights that a rule for a file, not a directory, can have. */
#define OF_FILES (FS(EXECUTE) | FS(READ_FILE) | FS(WRITE_FILE) | FS(TRUNCATE) | FS(IOCTL_DEV))

const char *confine_files_missing(void)
{
	return NULL;
}

/* Returns -1 with errno on failure. */
static int create_ruleset(uint64_t *handled)
{
	struct landlock_ruleset_attr attr = {0};
	long version =
	    syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);

	if (version < 1)
		return -1;
	*handled = known[(size_t)version < N_KNOWN ? (size_t)version - 1 : N_KNOWN - 1];
	attr.handled_access_fs = *handled;
	return (int)syscall(SYS_landlock_create_ruleset, &attr, sizeof(attr), 0);
}

void confine_files_begin(struct confine_files *c)
{
	*c = (struct confine_files){0};
	c->ruleset = create_ruleset(&c->handled);
}

/*
 * The kernel makes the inodes of /proc anew when they have left its cache, and a rule would
 * be lost with its inode: an open descriptor keeps it.
 */
static bool is_to_be_kept(const char *path)
{
	return strncmp(path, "/proc/", strlen("/proc/")) == 0;
}

void confine_files_add(struct confine_files *c, enum confine_use use, const char *path)
{
	struct landlock_path_beneath_attr attr = {.allowed_access = rights[use] & c->handled};
	struct stat st;

	if (c->ruleset < 0)
		return;
	attr.parent_fd = open(path, O_PATH | O_CLOEXEC);
	if (attr.parent_fd < 0) {
		log_debug(CONFINE_TOKEN, "%s: %s", path, strerror(errno));
		return;
	}
	if (fstat(attr.parent_fd, &st) == 0 && !S_ISDIR(st.st_mode))
		attr.allowed_access &= OF_FILES;
	if (syscall(SYS_landlock_add_rule, c->ruleset, LANDLOCK_RULE_PATH_BENEATH, &attr, 0) < 0)
		log_debug(CONFINE_TOKEN, "%s: rule of Landlock: %s", path, strerror(errno));
	if (!is_to_be_kept(path))
		close(attr.parent_fd);
}

static void add_parent(struct confine_files *c, enum confine_use use, const char *file)
{
	char copy[PATH_MAX];

	snprintf(copy, sizeof(copy), "%s", file);
	confine_files_add(c, use, dirname(copy));
}

void confine_files_add_directory_of(struct confine_files *c, enum confine_use use, const char *file)
{
	char real[PATH_MAX];

	add_parent(c, use, file);
	if (realpath(file, real))
		add_parent(c, use, real);
}

/* Adds the files of LD_PRELOAD or the directories of LD_LIBRARY_PATH. */
static void add_list(struct confine_files *c, const char *variable)
{
	const char *at = getenv(variable);
	char path[PATH_MAX];
	size_t len;

	for (; at && *at; at += len + (at[len] != '\0')) {
		len = strcspn(at, ": ");
		if (at[0] == '/' && len < sizeof(path)) {
			snprintf(path, sizeof(path), "%.*s", (int)len, at);
			confine_files_add(c, CONFINE_READ, path);
		}
	}
}

/* The dynamic loader is executed, and is among the libraries. */
void confine_files_add_libraries(struct confine_files *c, enum confine_use use)
{
	static const char *const directories[] = {
	    "/lib", "/lib32", "/lib64", "/usr/lib", "/usr/lib32", "/usr/lib64", "/usr/local/lib"};

	for (size_t i = 0; i < sizeof(directories) / sizeof(directories[0]); i++)
		confine_files_add(c, use, directories[i]);
	add_list(c, "LD_LIBRARY_PATH");
	add_list(c, "LD_PRELOAD");
}

bool confine_files_end(struct confine_files *c, enum log_level level)
{
	bool ok = c->ruleset >= 0 && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
		  syscall(SYS_landlock_restrict_self, c->ruleset, 0) == 0;

	if (!ok)
		/* Message: as "access to files is not restricted: %s" */
		log_at(level, CONFINE_TOKEN, "access to files is not restricted: Landlock: %s",
		       strerror(errno));
	if (c->ruleset >= 0)
		close(c->ruleset);
	c->ruleset = -1;
	return ok;
}
