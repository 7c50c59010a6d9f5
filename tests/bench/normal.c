/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program of normal priority, beside those that are measured: computes for SECONDS, and starts
 * the program "true" every 100 ms. Prints the processor time that it got, as a share of the time
 * that passed, and the greatest time from the moment at which "true" was to be started until it
 * ended.
 *
 *   normal SECONDS
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define INTERVAL_S 0.1

static double read_s(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

/* Returns the time that passed, and computes meanwhile. */
static double compute(double seconds)
{
	double start = read_s(CLOCK_MONOTONIC), now;

	do
		now = read_s(CLOCK_MONOTONIC);
	while (now < start + seconds);
	return now - start;
}

static void start_true(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		execlp("true", "true", (char *)NULL);
		_exit(1);
	}
	if (pid < 0 || waitpid(pid, NULL, 0) != pid) {
		perror("normal: true");
		_exit(1);
	}
}

/* Returns the greatest lateness, in seconds. */
static double start_programs(double seconds)
{
	double due = read_s(CLOCK_MONOTONIC), end = due + seconds, most = 0;

	for (; due < end; due += INTERVAL_S) {
		double wait = due - read_s(CLOCK_MONOTONIC), late;

		if (wait > 0)
			usleep((useconds_t)(wait * 1e6));
		start_true();
		late = read_s(CLOCK_MONOTONIC) - due;
		most = late > most ? late : most;
	}
	return most;
}

int main(int argc, char **argv)
{
	double seconds, passed;
	int status;
	pid_t pid;

	if (argc != 2 || (seconds = strtod(argv[1], NULL)) <= 0) {
		fprintf(stderr, "usage: normal SECONDS\n");
		return 2;
	}
	pid = fork();
	if (pid == 0) {
		printf("late_ms=%.1f ", 1e3 * start_programs(seconds));
		fflush(stdout);
		_exit(0);
	}
	passed = compute(seconds);
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status != 0) {
		fprintf(stderr, "normal: the programs could not be started\n");
		return 1;
	}
	printf("share=%.4f\n", read_s(CLOCK_PROCESS_CPUTIME_ID) / passed);
	return 0;
}
