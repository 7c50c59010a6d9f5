/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Logging of all our programs: level checked before the arguments are
 * evaluated, one subsystem token a line, standard error with systemd's level
 * prefixes or timestamps. Never called from a core or on the per-frame path.
 */
#ifndef DCB_LIB_LOG_H
#define DCB_LIB_LOG_H

#include <stdbool.h>

enum log_level { LOG_LEVEL_ERROR, LOG_LEVEL_WARN, LOG_LEVEL_INFO, LOG_LEVEL_DEBUG };

/* As options name them: error, warn, info, debug. false: it is none of them. */
const char *log_level_name(enum log_level level);
bool log_level_take(const char *name, enum log_level *level);

extern enum log_level log_level; /* lines above it are not made; INFO at start */

/* program: first word of each line. journal: systemd's <N> prefix in place of a time. */
void log_init(const char *program, enum log_level level, bool journal);

void log_line(enum log_level level, const char *token, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

#define log_at(level, token, ...)                                \
	do {                                                     \
		if ((level) <= log_level)                        \
			log_line((level), (token), __VA_ARGS__); \
	} while (0)
#define log_error(token, ...) log_at(LOG_LEVEL_ERROR, token, __VA_ARGS__)
#define log_warn(token, ...)  log_at(LOG_LEVEL_WARN, token, __VA_ARGS__)
#define log_info(token, ...)  log_at(LOG_LEVEL_INFO, token, __VA_ARGS__)
#define log_debug(token, ...) log_at(LOG_LEVEL_DEBUG, token, __VA_ARGS__)

/*
 * For messages a peer could provoke at will: true at most once every
 * interval_ms per state, and *suppressed says how many were swallowed.
 */
struct log_limit {
	long long last_ms;
	unsigned suppressed;
};
bool log_permitted(struct log_limit *limit, unsigned interval_ms, unsigned *suppressed);

#endif
