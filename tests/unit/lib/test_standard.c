/* SPDX-License-Identifier: BSD-3-Clause */
/* Standard descriptors that are closed, and standard output that cannot be written. */
#include "lib/standard.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/unit.h"

/* Runs a function in a process of its own. Returns its exit status. */
static int status_of(int (*run)(unsigned arg), unsigned arg)
{
	pid_t pid = fork();
	int status = -1;

	if (pid == 0)
		_exit(run(arg));
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

/* closed: a bit for each descriptor. 0: as expected. */
static int open_without(unsigned closed)
{
	int zero = open("/dev/zero", O_RDWR), next;
	char octet;

	for (int fd = 0; fd < 3; fd++) {
		(void)dup2(zero, fd);
		if (closed & (1u << fd))
			close(fd);
	}
	standard_open();
	next = open("/dev/null", O_RDWR);
	if (next < 3)
		return 1;
	for (int fd = 0; fd < 3; fd++) {
		ssize_t n = fd == 0 ? read(fd, &octet, 1) : write(fd, "x", 1);

		if (closed & (1u << fd) ? n != -1 || errno != EBADF : n != 1)
			return 2 + fd;
	}
	return 0;
}

static void test_closed_descriptors_stay_unusable_and_are_not_given_away(void **state)
{
	(void)state;
	for (unsigned closed = 0; closed < 8; closed++)
		assert_int_equal(status_of(open_without, closed), 0);
}

/* Prints this many lines to a full device. Returns the errno of standard_flush(). */
static int print_to_full(unsigned lines)
{
	FILE *out = fopen("/dev/full", "w");

	for (unsigned i = 0; out && i < lines; i++)
		fprintf(out, "%u\n", i);
	errno = 0; /* of something else meanwhile */
	return out ? standard_flush(out) : 0;
}

static void test_reason_is_known_after_short_and_long_output(void **state)
{
	(void)state;
	assert_int_equal(print_to_full(0), 0);
	assert_int_equal(print_to_full(1), ENOSPC);
	for (unsigned lines = 700; lines < 1100; lines++)
		assert_int_equal(print_to_full(lines), ENOSPC);
	assert_int_equal(print_to_full(100000), ENOSPC);
}

/* Ends with output to a full device, and standard error to a file. */
static int end_with(unsigned status)
{
	static char text[128];
	FILE *to = tmpfile();

	if (!to || dup2(fileno(to), STDERR_FILENO) < 0 || !freopen("/dev/full", "w", stdout))
		return 100;
	puts("text");
	status = (unsigned)standard_end("prog", (int)status, 7);
	rewind(to);
	if (!fgets(text, sizeof(text), to) ||
	    strcmp(text, "prog: standard output: No space left on device\n") != 0)
		return 101;
	return (int)status;
}

static void test_end_changes_only_the_status_of_success(void **state)
{
	(void)state;
	assert_int_equal(status_of(end_with, 0), 7);
	assert_int_equal(status_of(end_with, 2), 2);
	assert_int_equal(standard_end("prog", 0, 7), 0);
	assert_int_equal(standard_end("prog", 3, 7), 3);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_closed_descriptors_stay_unusable_and_are_not_given_away),
	    cmocka_unit_test(test_reason_is_known_after_short_and_long_output),
	    cmocka_unit_test(test_end_changes_only_the_status_of_success),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
