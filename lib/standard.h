/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Standard input, output and error of all programs: a program can be started without them, and
 * writing to them can fail. For the thread of main().
 */
#ifndef DCB_LIB_STANDARD_H
#define DCB_LIB_STANDARD_H

#include <stdio.h>

/*
 * To be called first in main(). Opens those of the file descriptors 0, 1 and 2 that are closed, or
 * a socket or a file would get their number, and the text printed to it. Reading or writing them
 * fails as before, with EBADF. Ends the program if that is not possible.
 */
void standard_open(void);

/* Flushes the stream. Returns 0 if it and all before have been written, or an errno. */
int standard_flush(FILE *out);

/*
 * To be called last in main(): returns the exit status. If standard output could not be written,
 * prints "PROGRAM: standard output: REASON", and returns failed in the place of the status 0.
 */
int standard_end(const char *program, int status, int failed);

#endif
