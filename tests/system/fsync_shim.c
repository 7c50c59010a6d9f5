/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A library for LD_PRELOAD that gives dcbd a slow disk. In the directory $FSYNC_SHIM, fsync()
 * waits as long as there is a file "stop", and then fails if there is a file "fail". While it
 * waits there is a file "waiting".
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static void path_of(const char *name, char path[PATH_MAX])
{
	const char *directory = getenv("FSYNC_SHIM");

	snprintf(path, PATH_MAX, "%s/%s", directory ? directory : "/nonexistent", name);
}

static bool has(const char *name)
{
	char path[PATH_MAX];

	path_of(name, path);
	return access(path, F_OK) == 0;
}

static void wait_for_the_disk(void)
{
	const struct timespec ms = {.tv_nsec = 1000000};
	char path[PATH_MAX];
	int fd;

	path_of("waiting", path);
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	while (has("stop"))
		nanosleep(&ms, NULL);
	unlink(path);
	if (fd >= 0)
		close(fd);
}

int fsync(int fd)
{
	int (*next)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fsync");

	if (has("stop"))
		wait_for_the_disk();
	if (next && !has("fail"))
		return next(fd);
	errno = EIO;
	return -1;
}
