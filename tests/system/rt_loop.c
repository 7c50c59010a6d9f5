/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A thread with real time that never waits by itself, and asks the guard in each turn as the
 * dataplane thread does. The kernel ends the program if the thread uses 300 ms of processor time
 * without a wait (RLIMIT_RTTIME). It runs until it has used MS of processor time.
 *
 *   rt_loop CASE MS
 *     overload  nothing else uses its processor
 *     less      a process with a higher priority uses 30 % of it
 *     late      the thread is one that sleeps by itself, but has no time to
 *     lowered   RLIMIT_RTPRIO becomes 0 when the thread has real time, and it loses CAP_SYS_NICE
 * prints how often the guard took real time from the thread, and whether the kernel refused it
 * then.
 */
#include <inttypes.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/realtime.h"

#define PRIORITY 5
#define LIMIT_US 300000
#define TURN_NS  (50 * DCB_NS_PER_US)

static int64_t read_clock(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return ts.tv_sec * DCB_NS_PER_S + ts.tv_nsec;
}

static int64_t used_ns(void)
{
	return read_clock(CLOCK_THREAD_CPUTIME_ID);
}

static struct dcb_time now(void)
{
	return (struct dcb_time){read_clock(CLOCK_MONOTONIC)};
}

static void use(int64_t ns)
{
	for (int64_t end = used_ns() + ns; used_ns() < end;)
		;
}

/* Ends with its parent. */
static void use_three_of_ten_ms(void)
{
	struct realtime rt = REALTIME_NONE;

	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (realtime_begin(&rt, PRIORITY + 1, now()) != 0)
		_exit(1);
	for (;;) {
		use(3 * DCB_NS_PER_MS);
		(void)nanosleep(&(struct timespec){.tv_nsec = 7 * DCB_NS_PER_MS}, NULL);
	}
}

static void run(struct realtime *rt, int64_t ms)
{
	for (int64_t end = used_ns() + ms * DCB_NS_PER_MS; used_ns() < end;) {
		use(TURN_NS);
		realtime_check(rt, now());
	}
}

/* Also takes all capabilities. */
static bool lower(void)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	const struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {{0}};

	return setrlimit(RLIMIT_RTPRIO, &(struct rlimit){0, 0}) == 0 &&
	       syscall(SYS_capset, &header, none) == 0;
}

int main(int argc, char **argv)
{
	const struct rlimit limit = {LIMIT_US, LIMIT_US};
	struct realtime rt = REALTIME_NONE;
	pid_t other = 0;
	int error;

	if (argc != 3) {
		fprintf(stderr, "usage: rt_loop CASE MS\n");
		return 2;
	}
	if (strcmp(argv[1], "less") == 0 && (other = fork()) == 0)
		use_three_of_ten_ms();
	if (other < 0 || setrlimit(RLIMIT_RTTIME, &limit) < 0) {
		perror("rt_loop");
		return 1;
	}
	rt.kind = strcmp(argv[1], "late") == 0 ? RT_GUARD_SLEEPS : RT_GUARD_TAKES_NONE;
	error = realtime_begin(&rt, PRIORITY, now());
	if (error) {
		fprintf(stderr, "rt_loop: no real time: %s\n", strerror(error));
		return 1;
	}
	if (strcmp(argv[1], "lowered") == 0 && !lower()) {
		perror("rt_loop: lower the limit");
		return 1;
	}
	run(&rt, atoll(argv[2]));
	if (other && waitpid(other, NULL, WNOHANG) != 0) {
		fprintf(stderr, "rt_loop: the other process has ended\n");
		return 1;
	}
	printf("%" PRIu64 "%s\n", rt.overloads, rt.refused ? " refused" : "");
	return 0;
}
