/* SPDX-License-Identifier: BSD-3-Clause */
#include "lib/log.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Each line is formatted on the stack and written by one write(): lines of threads do not mix. */
#define LINE_OCTETS 1024

enum log_level log_level = LOG_LEVEL_INFO;
_Thread_local enum log_level log_level_here = LOG_LEVEL_DEBUG;

static const char *log_program = "dcb";
static bool log_journal;
static void (*log_write)(enum log_level level, const char *line); /* NULL: standard error */
static char log_file[PATH_MAX]; /* standard error; empty if it is no file */

/* sd-daemon(3) prefix; word of lines with a timestamp; name of the level in options. */
static const struct {
	const char *prefix;
	const char *word;
	const char *name;
} levels[] = {
    [LOG_LEVEL_ERROR] = {"<3>", "error: ", "error"},
    [LOG_LEVEL_WARN] = {"<4>", "warning: ", "warn"},
    [LOG_LEVEL_INFO] = {"<6>", "", "info"},
    [LOG_LEVEL_DEBUG] = {"<7>", "", "debug"},
};

const char *log_level_name(enum log_level level)
{
	return levels[level].name;
}

bool log_level_take(const char *name, enum log_level *level)
{
	for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++) {
		if (strcmp(name, levels[i].name) == 0) {
			*level = (enum log_level)i;
			return true;
		}
	}
	return false;
}

bool log_level_argument(const char *program, char option, const char *text, enum log_level *level)
{
	if (log_level_take(text, level))
		return true;
	/*
	 * Message "-%c %s: expected error, warn, info or debug": The argument of the option is not
	 * the name of a level. Use one of these.
	 */
	fprintf(stderr, "%s: -%c %s: expected error, warn, info or debug\n", program, option, text);
	return false;
}

/* A file that has no name any more cannot be opened again. */
static void note_file(void)
{
	struct stat st;
	ssize_t n = -1;

	if (fstat(STDERR_FILENO, &st) == 0 && S_ISREG(st.st_mode) && st.st_nlink > 0)
		n = readlink("/proc/self/fd/2", log_file, sizeof(log_file) - 1);
	log_file[n > 0 ? n : 0] = '\0';
}

void log_init(const char *program, enum log_level level, bool journal)
{
	log_program = program;
	log_level = level;
	log_journal = journal;
	note_file();
}

void log_to(void (*write_line)(enum log_level level, const char *line))
{
	log_write = write_line;
}

const char *log_path(void)
{
	return log_file[0] ? log_file : NULL;
}

bool log_reopen(void)
{
	int fd, error;
	bool ok;

	if (!log_file[0])
		return true;
	fd = open(log_file, O_WRONLY | O_APPEND | O_CREAT | O_NOCTTY | O_CLOEXEC, 0640);
	if (fd < 0)
		return false;
	ok = dup2(fd, STDERR_FILENO) >= 0;
	error = errno;
	close(fd);
	errno = error;
	return ok;
}

static size_t clamp(int printed, size_t room)
{
	if (printed < 0)
		return 0;
	return (size_t)printed < room ? (size_t)printed : room - 1;
}

static size_t put_time(char *buf, size_t size)
{
	struct timespec ts;
	struct tm tm;
	size_t n;

	clock_gettime(CLOCK_REALTIME, &ts);
	if (!gmtime_r(&ts.tv_sec, &tm))
		return 0;
	n = strftime(buf, size, "%Y-%m-%dT%H:%M:%S", &tm);
	return n + clamp(snprintf(buf + n, size - n, ".%03ldZ ", ts.tv_nsec / 1000000), size - n);
}

/* Replaces control characters: no interface alias or neighbor's name can start a new line. */
static void replace_controls(char *p, const char *end)
{
	for (; p < end; p++) {
		if ((unsigned char)*p < ' ' || *p == 0x7f)
			*p = '?';
	}
}

static void write_all(const char *p, size_t n)
{
	while (n > 0) {
		ssize_t w = write(STDERR_FILENO, p, n);

		if (w < 0 && errno == EINTR)
			continue;
		if (w <= 0)
			return; /* standard error is closed: the error cannot be logged */
		p += w;
		n -= (size_t)w;
	}
}

/* Writes what stands before the token. Returns its length. */
static size_t put_head(enum log_level level, char *line, size_t room)
{
	size_t n;

	if (log_write)
		return 0;
	if (log_journal)
		n = clamp(snprintf(line, room, "%s", levels[level].prefix), room);
	else
		n = put_time(line, room);
	return n + clamp(snprintf(line + n, room - n, "%s: %s", log_program,
				  log_journal ? "" : levels[level].word),
			 room - n);
}

/* suppressed: number of messages to mention; 0: none. */
__attribute__((format(printf, 4, 0))) static void
put_line(enum log_level level, const char *token, unsigned suppressed, const char *fmt, va_list ap)
{
	int saved_errno = errno;
	char line[LINE_OCTETS];
	const size_t room = sizeof(line) - 1; /* without the newline */
	size_t n = put_head(level, line, room);

	n += clamp(snprintf(line + n, room - n, "%s: ", token), room - n);
	n += clamp(vsnprintf(line + n, room - n, fmt, ap), room - n);
	if (suppressed > 0)
		n += clamp(snprintf(line + n, room - n, " (%u messages suppressed)", suppressed),
			   room - n);
	replace_controls(line, line + n);
	line[n] = log_write ? '\0' : '\n';
	if (log_write)
		log_write(level, line);
	else
		write_all(line, n + 1);
	errno = saved_errno;
}

void log_line(enum log_level level, const char *token, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	put_line(level, token, 0, fmt, ap);
	va_end(ap);
}

void log_plain(enum log_level level, const char *fmt, ...)
{
	int saved_errno = errno;
	char line[LINE_OCTETS];
	const size_t room = sizeof(line) - 1; /* without the newline */
	size_t n =
	    clamp(snprintf(line, room, "%s%s: %s", log_journal ? levels[level].prefix : "",
			   log_program, level == LOG_LEVEL_WARN && !log_journal ? "warning: " : ""),
		  room);
	va_list ap;

	va_start(ap, fmt);
	n += clamp(vsnprintf(line + n, room - n, fmt, ap), room - n);
	va_end(ap);
	replace_controls(line, line + n);
	line[n++] = '\n';
	write_all(line, n);
	errno = saved_errno;
}

/* --- limits ----------------------------------------------------------------------------- */

static pthread_mutex_t limits = PTHREAD_MUTEX_INITIALIZER;

static long long monotonic_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (long long)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

/* Whether the bucket has a message left. */
static bool has_room(const struct log_limit *limit, unsigned burst, unsigned interval_ms,
		     long long now_ms)
{
	return limit->full_ms - now_ms <= (burst - 1LL) * interval_ms || interval_ms == 0;
}

/* A bucket of burst messages, to which one is added each interval_ms. 0: no limit. */
static bool permitted(struct log_limit *limit, unsigned burst, unsigned interval_ms,
		      unsigned *suppressed)
{
	long long now_ms = monotonic_ms();
	bool ok;

	pthread_mutex_lock(&limits);
	if (limit->full_ms < now_ms)
		limit->full_ms = now_ms;
	ok = has_room(limit, burst, interval_ms, now_ms);
	*suppressed = limit->suppressed;
	limit->suppressed = ok ? 0 : limit->suppressed + 1;
	if (ok)
		limit->full_ms += interval_ms;
	pthread_mutex_unlock(&limits);
	return ok;
}

bool log_permitted(struct log_limit *limit, unsigned interval_ms, unsigned *suppressed)
{
	unsigned before;

	if (!permitted(limit, 1, interval_ms, &before))
		return false;
	if (suppressed)
		*suppressed = before;
	return true;
}

bool log_owes(const struct log_limit *limit)
{
	long long now_ms = monotonic_ms();
	bool owes;

	pthread_mutex_lock(&limits);
	owes = limit->suppressed && has_room(limit, LOG_LIMIT_BURST, LOG_LIMIT_MS, now_ms);
	pthread_mutex_unlock(&limits);
	return owes;
}

void log_line_limited(struct log_limit *limit, enum log_level level, const char *token,
		      const char *fmt, ...)
{
	unsigned suppressed;
	va_list ap;

	if (!permitted(limit, LOG_LIMIT_BURST, LOG_LIMIT_MS, &suppressed))
		return;
	va_start(ap, fmt);
	put_line(level, token, suppressed, fmt, ap);
	va_end(ap);
}
