/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs dcbctl's commands against a fake dcbd: a thread that serves a few rows with the
 * control protocol, and a clock that only the test advances.
 */
#ifndef DCB_TESTS_CLI_SERVER_H
#define DCB_TESTS_CLI_SERVER_H

#include <jansson.h>
#include <pthread.h>

#include "agent/cli/base/cli.h"
#include "tests/unit/unit.h"

#define SERVER_ROWS 600 /* of cn_cp: more than one reply has */

struct cli_server {
	char path[64];
	int listener;
	pthread_t thread;
	uint32_t boot_id;
	uint64_t transmitted; /* of every congestion point; increases when the first row is read */
	uint32_t set_point;   /* of row 1.1.1 */
	uint32_t pending;
	uint64_t subscribed; /* number of the first event after SUBSCRIBE */
	unsigned repeated;   /* the first event is sent this many times more */
	unsigned n_hello;    /* connections */
	enum mo_error refuse_test, refuse_commit;
	unsigned refuse_at;
	const char *refuse_because; /* text of the reply; NULL: a reply without text */
	unsigned n_test, n_commit, n_undo, n_cleanup;
};
extern struct cli_server server;

/* Set-up and tear-down of a group of tests. */
int start_server(void **state);
int stop_server(void **state);

/*
 * Sets one value of a row, in the syntax of dcbctl set, and creates the row if it does not
 * exist; its other values are 0 or empty. The server then has only such rows in the table.
 */
void server_put(const char *object, const char *index, const char *value);
/* Removes all rows of server_put(). */
void server_clear(void);

/* The clock of dcbctl, which advances only while dcbctl sleeps. */
struct cli_time {
	double now_s;
	double oversleeps_s; /* the next sleep takes this much longer */
	unsigned sleeps;
};
extern struct cli_time cli_time;

struct ran {
	int rc;
	char *out;
	size_t n;
	char err[4096];
};

typedef int command_fn(struct cli *cli, const struct cli_command *self, int argc, char **argv);

/* Runs a command with NULL-terminated arguments. */
struct ran run(command_fn *command, bool json, const char *const *words);
#define RUN(command, json, ...) run(command, json, (const char *const[]){__VA_ARGS__, NULL})
/* The same without arguments: for all ports. */
#define RUN_ALL(command, json) run(command, json, (const char *const[]){NULL})

/* Asserts that the command succeeded and that its standard output is out. */
void expect_out(struct ran ran, const char *out);
/* Asserts that the command exited with rc and that its standard error is err. */
void expect_error(struct ran ran, int rc, const char *err);
/* Asserts that the command succeeded. Returns its output, a JSON array; json_decref() it. */
json_t *expect_json(struct ran ran);

#endif
