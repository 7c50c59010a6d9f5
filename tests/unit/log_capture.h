/* SPDX-License-Identifier: BSD-3-Clause */
/* Captures standard error, to which the log is written. */
#ifndef DCB_TESTS_LOG_CAPTURE_H
#define DCB_TESTS_LOG_CAPTURE_H

#include <unistd.h>

#include "lib/log.h"
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

/* Logs messages of this level and above, as the program "prog", until log_watched(). */
static inline struct log_capture log_watch(enum log_level level)
{
	log_init("prog", level, true);
	return log_capture();
}

/* Ends log_watch(), as log_captured(). */
static inline size_t log_watched(struct log_capture *c, char *buf, size_t size)
{
	size_t n = log_captured(c, buf, size);

	log_init("test", LOG_LEVEL_ERROR, false);
	return n;
}

/* The same. Asserts that exactly these lines were logged. */
__attribute__((format(printf, 2, 3))) static inline void log_expect(struct log_capture *c,
								    const char *format, ...)
{
	char text[4096], want[4096];
	va_list ap;

	log_watched(c, text, sizeof(text));
	va_start(ap, format);
	vsnprintf(want, sizeof(want), format, ap);
	va_end(ap);
	assert_string_equal(text, want);
}

#endif
