/* SPDX-License-Identifier: BSD-3-Clause */
#include "lib/standard.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void standard_open(void)
{
	/* The other direction than that of use: input that is only written, output that is read. */
	static const int modes[] = {O_WRONLY, O_RDONLY, O_RDONLY};

	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		if (fcntl(fd, F_GETFD) >= 0 || errno != EBADF)
			continue;
		/* The lowest number that is free; programs that are started have it, too. */
		if (open("/dev/null", modes[fd]) != fd) {
			perror("/dev/null");
			_exit(EXIT_FAILURE);
		}
	}
}

int standard_flush(FILE *out)
{
	if (fflush(out) != 0)
		return errno;
	if (!ferror(out))
		return 0;
	/* An earlier write failed, and its reason is lost: the next one has it, on a full disk. */
	errno = 0;
	clearerr(out);
	return fputc('\n', out) == EOF || fflush(out) != 0 ? errno : EIO;
}

int standard_end(const char *program, int status, int failed)
{
	int error = standard_flush(stdout);

	if (error == 0)
		return status;
	/*
	 * Message "standard output: %s": The output is incomplete, for this reason. Check the disk
	 * space, or the program that reads the output.
	 */
	fprintf(stderr, "%s: standard output: %s\n", program, strerror(error));
	return status == EXIT_SUCCESS ? failed : status;
}
