/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A connection to a database of redis, over the protocol code of hiredis. For one thread.
 *
 * Each exchange ends within the timeout, however redis behaves: it can be stopped, send octet by
 * octet, or not read. After a failure the connection is of no more use, as answers can be
 * outstanding: it is closed.
 */
#ifndef DCB_SONIC_SONIC_DB_H
#define DCB_SONIC_SONIC_DB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An answer that is longer is a failure: strings in it, and octets of these. */
#define SONIC_DB_VALUES 262144
#define SONIC_DB_OCTETS (16 * 1024 * 1024)
/* Keys in a database, for sonic_db_scan(). */
#define SONIC_DB_KEYS  (8 * 1024 * 1024)
#define SONIC_DB_ERROR 200

struct sonic_db_params {
	const char *socket;
	unsigned number;      /* of the database */
	const char *password; /* NULL or empty: none */
	uint32_t timeout_ms;  /* of each exchange */
	int stop_fd;          /* each exchange fails at once when it is readable; -1: none */
};

/*
 * An answer, or a message. Strings have '?' in the place of octets that are no printable ASCII; of
 * arrays in arrays they are in one sequence. NULL: no value. Valid within the call.
 */
struct sonic_reply {
	const char *const *values;
	unsigned n;
};

struct sonic_db;
struct sonic_commands;

/* Connects, and selects the database. NULL: err has the socket, the error and the remedy. */
struct sonic_db *sonic_db_open(const struct sonic_db_params *params, char *err, size_t errlen);
void sonic_db_close(struct sonic_db *db);
/* Returns why the last call failed, as of sonic_db_open(). */
const char *sonic_db_error(const struct sonic_db *db);

/* A list of commands, which is made once and run any number of times. NULL: out of memory. */
struct sonic_commands *sonic_commands_new(void);
/* Adds a command. Returns false if out of memory: the list is unchanged. */
bool sonic_commands_add(struct sonic_commands *c, unsigned n, const char *const words[]);
unsigned sonic_commands_count(const struct sonic_commands *c);
void sonic_commands_free(struct sonic_commands *c);

/*
 * Sends all commands at once, and calls take() with each answer, in their order. Returns false at
 * the first error, of redis or of the connection; answers taken before it are no whole.
 */
bool sonic_db_run(struct sonic_db *db, const struct sonic_commands *c,
		  void (*take)(void *arg, unsigned i, const struct sonic_reply *reply), void *arg);

/*
 * Calls take() with each key that fits pattern, some of them twice. An exchange for every thousand
 * keys of the database. take() returns false to end it. Returns false then, and on failure.
 */
bool sonic_db_scan(struct sonic_db *db, const char *pattern,
		   bool (*take)(void *arg, const char *key), void *arg);

/* Subscribes to channels and to patterns of channels. From then on only sonic_db_message(). */
bool sonic_db_subscribe(struct sonic_db *db, unsigned n_channels, const char *const channels[],
			unsigned n_patterns, const char *const patterns[]);
/* Returns a file descriptor that is readable when there may be a message. */
int sonic_db_fd(const struct sonic_db *db);
/*
 * Reads the next message: its channel and text, valid until the next call. Does not wait. Returns
 * 1, 0 if there is none, or -1 on failure.
 */
int sonic_db_message(struct sonic_db *db, const char **channel, const char **text);

#endif
