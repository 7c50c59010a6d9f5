/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Log of all programs: one line a message on standard error, with a timestamp
 * or systemd's level prefix, and a token that names the subsystem. The macros
 * check the level before they evaluate their arguments. Any thread. The
 * engines in dataplane/core and the per-frame path do not log.
 */
#ifndef DCB_LIB_LOG_H
#define DCB_LIB_LOG_H

#include <stdbool.h>

enum log_level { LOG_LEVEL_ERROR, LOG_LEVEL_WARN, LOG_LEVEL_INFO, LOG_LEVEL_DEBUG };

/* Returns the name of a level in options: error, warn, info or debug. */
const char *log_level_name(enum log_level level);
/* Sets *level to the level of this name. Returns false if no level has it. */
bool log_level_take(const char *name, enum log_level *level);
/* The same for the argument of an option. Prints on standard error why it returns false. */
bool log_level_argument(const char *program, char option, const char *text, enum log_level *level);

extern enum log_level log_level; /* less severe messages are not written; at start INFO */
/* The same for the calling thread alone, for work whose messages say nothing; at start DEBUG */
extern _Thread_local enum log_level log_level_here;

/*
 * Sets the program's name, the level, and the format. journal: lines begin with systemd's
 * <N> prefix (sd-daemon(3)) instead of a timestamp. Called before threads are started.
 */
void log_init(const char *program, enum log_level level, bool journal);

/*
 * Opens the file again that standard error was at log_init(), to append to it, after a program
 * such as logrotate has renamed it. Returns true, also if standard error was no file; false:
 * errno, and the log stays as it was. To be called while no other thread starts a process.
 */
bool log_reopen(void);

/* Returns the path of that file; NULL: standard error was no file. */
const char *log_path(void);

/*
 * Passes each line to write instead of standard error, as "token: text" without newline: for a
 * module in another program's process. Called before the first message; log_init() is not needed.
 */
void log_to(void (*write)(enum log_level level, const char *line));

/*
 * Writes a line regardless of the level; the macros below check it. Cuts a line at 1024
 * octets, writes control characters as '?', preserves errno.
 */
void log_line(enum log_level level, const char *token, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/*
 * Writes a line about the command line or the configuration: "PROGRAM: text", without time
 * and token. In the journal it has the level too. Otherwise like log_line().
 */
void log_plain(enum log_level level, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#define log_at(level, token, ...)                                      \
	do {                                                           \
		if ((level) <= log_level && (level) <= log_level_here) \
			log_line((level), (token), __VA_ARGS__);       \
	} while (0)
#define log_error(token, ...) log_at(LOG_LEVEL_ERROR, token, __VA_ARGS__)
#define log_warn(token, ...)  log_at(LOG_LEVEL_WARN, token, __VA_ARGS__)
#define log_info(token, ...)  log_at(LOG_LEVEL_INFO, token, __VA_ARGS__)
#define log_debug(token, ...) log_at(LOG_LEVEL_DEBUG, token, __VA_ARGS__)

/*
 * Rate limit of one message, for those that a client, a manager, a neighbor or an interface
 * can cause at any rate. Initially zero. Any thread.
 */
struct log_limit {
	long long full_ms; /* CLOCK_MONOTONIC when no message counts against the limit any more */
	unsigned suppressed;
};
/* Limit of log_..._limited(): messages at once, and the interval of each further one. */
#define LOG_LIMIT_BURST 10
#define LOG_LIMIT_MS    6000
/*
 * Returns true at most once in interval_ms; *suppressed, unless NULL, is then the number of
 * calls that returned false since the last that returned true.
 */
bool log_permitted(struct log_limit *limit, unsigned interval_ms, unsigned *suppressed);

/*
 * log_line() within LOG_LIMIT_BURST and LOG_LIMIT_MS. The first line after others were
 * suppressed ends with their number.
 */
void log_line_limited(struct log_limit *limit, enum log_level level, const char *token,
		      const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/*
 * Returns true if messages were suppressed, and the next one would be written. So a state that
 * changed while its messages were suppressed can be written later.
 */
bool log_owes(const struct log_limit *limit);

/* Each use of these macros has a limit of its own. */
#define log_limited_at(level, token, ...)                                         \
	do {                                                                      \
		static struct log_limit limit_;                                   \
		if ((level) <= log_level && (level) <= log_level_here)            \
			log_line_limited(&limit_, (level), (token), __VA_ARGS__); \
	} while (0)
#define log_error_limited(token, ...) log_limited_at(LOG_LEVEL_ERROR, token, __VA_ARGS__)
#define log_warn_limited(token, ...)  log_limited_at(LOG_LEVEL_WARN, token, __VA_ARGS__)
#define log_info_limited(token, ...)  log_limited_at(LOG_LEVEL_INFO, token, __VA_ARGS__)

#endif
