/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs side by side: order of their output, statuses, errors. */
#include "tests/unit/unit.h"

#include "sim/jobs.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define MAX_OCTETS 4096

/* What jobs_run() wrote, and returned. */
static char out[MAX_OCTETS], err[MAX_OCTETS];
static int status;

static int redirect(int fd, FILE *to)
{
	int saved = dup(fd);

	assert_true(saved >= 0 && to);
	assert_int_equal(dup2(fileno(to), fd), fd);
	return saved;
}

static void restore(int fd, int saved, FILE *from, char *text)
{
	ssize_t len;

	fflush(NULL);
	assert_int_equal(dup2(saved, fd), fd);
	close(saved);
	len = pread(fileno(from), text, MAX_OCTETS - 1, 0);
	assert_true(len >= 0);
	text[len] = '\0';
	fclose(from);
}

static void run(uint32_t n, uint32_t side_by_side, int (*work)(void *ctx, uint32_t i), void *ctx)
{
	FILE *files[2] = {tmpfile(), tmpfile()};
	int saved[2];

	fflush(NULL);
	saved[0] = redirect(STDOUT_FILENO, files[0]);
	saved[1] = redirect(STDERR_FILENO, files[1]);
	status = jobs_run(n, side_by_side, work, ctx);
	restore(STDOUT_FILENO, saved[0], files[0], out);
	restore(STDERR_FILENO, saved[1], files[1], err);
}

/* Ends only after the process that has the other end of the pipe, the next one, has begun. */
static int in_reverse(void *ctx, uint32_t i)
{
	int(*pipes)[2] = ctx;
	char octet = 0;

	printf("out %u\n", i);
	fprintf(stderr, "err %u\n", i);
	if (i % 2 == 1)
		return write(pipes[i / 2][1], &octet, 1) == 1 ? 0 : 9;
	return read(pipes[i / 2][0], &octet, 1) == 1 ? 1 : 9;
}

static void test_output_is_in_order_when_later_runs_end_first(void **state)
{
	int pipes[3][2];

	(void)state;
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(pipe(pipes[i]), 0);
	run(6, 2, in_reverse, pipes);
	assert_int_equal(status, 1);
	assert_string_equal(out, "out 0\nout 1\nout 2\nout 3\nout 4\nout 5\n");
	assert_string_equal(err, "err 0\nerr 1\nerr 2\nerr 3\nerr 4\nerr 5\n");
	for (unsigned i = 0; i < 3; i++) {
		close(pipes[i][0]);
		close(pipes[i][1]);
	}
}

static int stops_at_2(void *ctx, uint32_t i)
{
	(void)ctx;
	printf("out %u\n", i);
	return i == 2 ? JOBS_STOP : 0;
}

static void test_runs_after_an_error_do_not_count(void **state)
{
	(void)state;
	for (uint32_t side_by_side = 1; side_by_side <= 8; side_by_side++) {
		run(50, side_by_side, stops_at_2, NULL);
		assert_int_equal(status, JOBS_STOP);
		assert_string_equal(out, "out 0\nout 1\nout 2\n");
	}
}

static int waits_for_ever(void *ctx, uint32_t i)
{
	(void)ctx;
	while (i > 0)
		pause();
	return JOBS_STOP;
}

static void test_an_error_ends_the_runs_in_progress(void **state)
{
	(void)state;
	run(4, 4, waits_for_ever, NULL);
	assert_int_equal(status, JOBS_STOP);
}

static int is_killed(void *ctx, uint32_t i)
{
	(void)ctx;
	if (i == 1)
		raise(SIGKILL);
	return 0;
}

static void test_a_run_that_a_signal_ends_is_an_error(void **state)
{
	(void)state;
	run(3, 2, is_killed, NULL);
	assert_int_equal(status, JOBS_STOP);
	assert_string_equal(err, "dcbsim: run 2 ended by signal 9\n");
}

/* The number of runs in progress, in memory that they share. */
static int counts(void *ctx, uint32_t i)
{
	int *running = ctx, most = __atomic_add_fetch(running, 1, __ATOMIC_SEQ_CST);

	(void)i;
	usleep(2000);
	__atomic_sub_fetch(running, 1, __ATOMIC_SEQ_CST);
	return most <= 3 ? 0 : 1;
}

static void test_no_more_than_the_given_number_run_at_a_time(void **state)
{
	int *running =
	    mmap(NULL, sizeof(*running), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	(void)state;
	assert_true(running != MAP_FAILED);
	run(30, 3, counts, running);
	assert_int_equal(status, 0);
	munmap(running, sizeof(*running));
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_output_is_in_order_when_later_runs_end_first),
	    cmocka_unit_test(test_runs_after_an_error_do_not_count),
	    cmocka_unit_test(test_an_error_ends_the_runs_in_progress),
	    cmocka_unit_test(test_a_run_that_a_signal_ends_is_an_error),
	    cmocka_unit_test(test_no_more_than_the_given_number_run_at_a_time),
	};

	return cmocka_run_group_tests_name("jobs", tests, NULL, NULL);
}
