/* SPDX-License-Identifier: BSD-3-Clause */
/* Captures standard error, to which the log is written. */
#ifndef DCB_TESTS_LOG_CAPTURE_H
#define DCB_TESTS_LOG_CAPTURE_H

#include <unistd.h>

#include "tests/unit/unit.h"

struct log_capture {
	FILE *file;
	int saved; /* the original standard error */
};

/* Redirects standard error to a temporary file. */
static inline struct log_capture log_capture(void)
{
	struct log_capture c = {.file = tmpfile(), .saved = dup(STDERR_FILENO)};

	assert_non_null(c.file);
	assert_true(c.saved >= 0);
	dup2(fileno(c.file), STDERR_FILENO);
	return c;
}

/* Restores standard error. Copies the captured text to buf; returns its length in octets. */
static inline size_t log_captured(struct log_capture *c, char *buf, size_t size)
{
	size_t n;

	dup2(c->saved, STDERR_FILENO);
	close(c->saved);
	rewind(c->file);
	n = fread(buf, 1, size - 1, c->file);
	buf[n] = '\0';
	fclose(c->file);
	return n;
}

#endif
