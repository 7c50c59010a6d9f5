/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A thread with real time that never waits by itself, and asks the guard in each turn as the
 * dataplane thread does. The kernel ends the program if the thread uses 300 ms of processor time
 * without a wait (RLIMIT_RTTIME). It runs until it has used MS of processor time.
 *
 *   rt_loop CASE MS
 *     overload  prints how often the guard took real time from the thread
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

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

static void run(struct realtime *rt, int64_t ms)
{
	for (int64_t end = used_ns() + ms * DCB_NS_PER_MS; used_ns() < end;) {
		use(TURN_NS);
		realtime_check(rt, now());
	}
}

int main(int argc, char **argv)
{
	const struct rlimit limit = {LIMIT_US, LIMIT_US};
	struct realtime rt = REALTIME_NONE;
	int error;

	if (argc != 3 || strcmp(argv[1], "overload") != 0) {
		fprintf(stderr, "usage: rt_loop overload MS\n");
		return 2;
	}
	if (setrlimit(RLIMIT_RTTIME, &limit) < 0) {
		perror("rt_loop: RLIMIT_RTTIME");
		return 1;
	}
	error = realtime_begin(&rt, PRIORITY, now());
	if (error) {
		fprintf(stderr, "rt_loop: no real time: %s\n", strerror(error));
		return 1;
	}
	run(&rt, atoll(argv[2]));
	printf("%" PRIu64 "\n", rt.given_up);
	return 0;
}
