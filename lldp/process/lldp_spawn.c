/* SPDX-License-Identifier: BSD-3-Clause */
#include "lldp/process/lldp_spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* Returns 0 or an errno value. theirs: the descriptor that becomes LLDP_SPAWN_FD. */
static int start(const char *const *argv, int theirs, pid_t *pid)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t none;
	int error = posix_spawn_file_actions_init(&actions);

	if (error)
		return error;
	error = posix_spawnattr_init(&attributes);
	if (error)
		goto free_actions;
	sigemptyset(&none);
	error = posix_spawnattr_setsigmask(&attributes, &none);
	if (!error)
		error = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
	if (!error)
		error = posix_spawn_file_actions_adddup2(&actions, theirs, LLDP_SPAWN_FD);
	if (!error)
		error = posix_spawn_file_actions_addclosefrom_np(&actions, LLDP_SPAWN_FD + 1);
	if (!error)
		/* posix_spawn() does not modify argv, though its type permits it. */
		error = posix_spawn(pid, argv[0], &actions, &attributes,
				    (char *const *)(uintptr_t)argv, environ);
	posix_spawnattr_destroy(&attributes);
free_actions:
	posix_spawn_file_actions_destroy(&actions);
	return error;
}

bool lldp_spawn(const char *const *argv, struct lldp_spawned *out)
{
	int fds[2], error;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) < 0)
		return false;
	/* Only this end: O_NONBLOCK is of the open file description, and each end has its own. */
	if (fcntl(fds[0], F_SETFL, O_NONBLOCK) < 0)
		error = errno;
	else
		error = start(argv, fds[1], &out->pid);
	close(fds[1]);
	if (error) {
		close(fds[0]);
		errno = error;
		return false;
	}
	out->fd = fds[0];
	return true;
}

bool lldp_spawn_ended(pid_t pid, char *text, size_t textlen, bool *failed)
{
	int status;
	pid_t ended = waitpid(pid, &status, WNOHANG);

	if (ended == 0 || (ended < 0 && errno == EINTR))
		return false;
	*failed = false;
	if (ended < 0) {
		snprintf(text, textlen, "ended, and waitpid() failed: %s", strerror(errno));
	} else if (WIFSIGNALED(status)) {
		*failed = WTERMSIG(status) != SIGKILL && WTERMSIG(status) != SIGTERM;
		snprintf(text, textlen, "ended by signal %d (%s)", WTERMSIG(status),
			 strsignal(WTERMSIG(status)));
	} else {
		*failed = WEXITSTATUS(status) != 0;
		snprintf(text, textlen, "ended with status %d", WEXITSTATUS(status));
	}
	return true;
}

bool lldp_spawn_beside(const char *name, char *path, size_t pathlen)
{
	char own[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", own, sizeof(own) - 1);
	char *slash;
	int len;

	if (n < 0)
		return false;
	own[n] = '\0';
	slash = strrchr(own, '/');
	if (!slash)
		return false;
	*slash = '\0';
	len = snprintf(path, pathlen, "%s/%s", own, name);
	return len > 0 && (size_t)len < pathlen;
}
