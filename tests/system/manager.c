/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a service manager and an error do to a program, for service.sh.
 *
 *   manager listen PATH
 *     binds a datagram socket, prints "ready", then a line for each message until ended:
 *     MILLISECONDS TEXT, with "|" for a newline. The time is that of CLOCK_MONOTONIC.
 *   manager freeze PID THREAD
 *     stops the thread with this name, and no other one, prints "ready", and lets it run
 *     again at SIGTERM.
 */
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void die(const char *what)
{
	fprintf(stderr, "manager: %s: %s\n", what, strerror(errno));
	exit(1);
}

static int64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

static void ready(void)
{
	puts("ready");
	fflush(stdout);
}

static void end(int sig)
{
	(void)sig;
	_exit(0);
}

static int receive(const char *path)
{
	struct sockaddr_un sa = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	char buf[4096];
	ssize_t n;

	snprintf(sa.sun_path, sizeof(sa.sun_path), "%s", path);
	if (fd < 0 || bind(fd, (struct sockaddr *)&sa, sizeof(sa)) < 0)
		die(path);
	signal(SIGTERM, end);
	ready();
	while ((n = recv(fd, buf, sizeof(buf) - 1, 0)) >= 0) {
		buf[n] = '\0';
		for (char *p = buf; (p = strchr(p, '\n')); p++)
			*p = '|';
		printf("%lld %s\n", (long long)now_ms(), buf);
		fflush(stdout);
	}
	die("recv");
	return 1;
}

/* Returns the thread of a process with this name. */
static pid_t thread_of(const char *pid, const char *name)
{
	char path[280], comm[32];
	struct dirent *e;
	pid_t tid = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%s/task", pid);
	dir = opendir(path);
	if (!dir)
		die(path);
	while (!tid && (e = readdir(dir))) {
		FILE *f;

		snprintf(path, sizeof(path), "/proc/%s/task/%s/comm", pid, e->d_name);
		f = fopen(path, "r");
		if (f && fgets(comm, sizeof(comm), f)) {
			comm[strcspn(comm, "\n")] = '\0';
			if (strcmp(comm, name) == 0)
				tid = (pid_t)atoi(e->d_name);
		}
		if (f)
			fclose(f);
	}
	closedir(dir);
	errno = ESRCH;
	if (!tid)
		die(name);
	return tid;
}

static void on_term(int sig)
{
	(void)sig;
}

static int freeze(const char *pid, const char *name)
{
	pid_t tid = thread_of(pid, name);
	struct sigaction sa = {.sa_handler = on_term};
	sigset_t term, before;
	int status;

	sigaction(SIGTERM, &sa, NULL);
	sigemptyset(&term);
	sigaddset(&term, SIGTERM);
	sigprocmask(SIG_BLOCK, &term, &before);
	if (ptrace(PTRACE_SEIZE, tid, NULL, NULL) < 0 ||
	    ptrace(PTRACE_INTERRUPT, tid, NULL, NULL) < 0)
		die("ptrace");
	if (waitpid(tid, &status, __WALL) != tid || !WIFSTOPPED(status))
		die("waitpid");
	ready();
	sigsuspend(&before);
	if (ptrace(PTRACE_DETACH, tid, NULL, NULL) < 0)
		die("ptrace");
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 3 && strcmp(argv[1], "listen") == 0)
		return receive(argv[2]);
	if (argc == 4 && strcmp(argv[1], "freeze") == 0)
		return freeze(argv[2], argv[3]);
	fprintf(stderr, "usage: manager listen PATH | manager freeze PID THREAD\n");
	return 2;
}
