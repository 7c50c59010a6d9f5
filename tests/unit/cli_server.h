/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dcbctl's commands against a server that speaks dcbd's control protocol over
 * a handful of rows, on a clock that nothing but the test moves.
 */
#ifndef DCB_TESTS_CLI_SERVER_H
#define DCB_TESTS_CLI_SERVER_H

#include <jansson.h>
#include <pthread.h>

#include "agent/cli/cli.h"
#include "tests/unit/unit.h"

#define SERVER_ROWS 600 /* of cn_cp: more than a page has */

struct cli_server {
	char path[64];
	int listener;
	pthread_t thread;
	uint32_t boot_id;
	uint64_t transmitted; /* of every congestion point; more at each read of the first row */
	uint32_t set_point;   /* of row 1.1.1 */
	uint32_t pending;
	uint64_t subscribed; /* number of the first event to come */
	enum mo_error refuse_test, refuse_commit;
	unsigned refuse_at;
	const char *refuse_because; /* the text; NULL: that of a dcbd that has none to send */
	unsigned n_test, n_commit, n_undo, n_cleanup;
};
extern struct cli_server server;

/* Of a group of tests. */
int start_server(void **state);
int stop_server(void **state);

/*
 * Rows of whatever table, value by value as dcbctl set takes them; what a row is not
 * given is 0 or empty. A table with such rows has no others.
 */
void server_put(const char *object, const char *index, const char *value);
void server_clear(void);

/* dcbctl's time, which passes while it sleeps and at no other time. */
struct cli_time {
	double now_s;
	double oversleeps_s; /* the next time it sleeps */
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

/* Runs a command on these words, of which NULL is the last. */
struct ran run(command_fn *command, bool json, const char *const *words);
#define RUN(command, json, ...) run(command, json, (const char *const[]){__VA_ARGS__, NULL})

/* The command succeeded, with just this on standard output. */
void expect_out(struct ran ran, const char *out);
/* It failed, with just this on standard error. */
void expect_error(struct ran ran, int rc, const char *err);
/* It succeeded; what it wrote is an array, which the caller releases. */
json_t *expect_json(struct ran ran);

#endif
