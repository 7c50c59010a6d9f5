/* SPDX-License-Identifier: BSD-3-Clause */
/* Interface of the commands of dcbctl. */
#ifndef DCB_AGENT_CLI_H
#define DCB_AGENT_CLI_H

#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>

#include "lib/mo/mo_client.h"

#define CLI_SOCKET     "/run/dcbd/control" /* dcbd.conf(5): control.socket */
#define CLI_VIEW       "/run/dcbd/view"    /* and control.view */
#define CLI_TIMEOUT_MS 5000
#define CLI_COMMIT_MS  60000 /* a slow disk, and the SETs before this one */

#define CLI_OPTIONS_MAX 24 /* long options of one command */

enum cli_exit { CLI_OK = 0, CLI_FAILED = 1, CLI_USAGE = 2 };

/* Clock of dcbctl watch and monitor: a monotonic time in seconds. A test may replace it. */
struct cli_clock {
	double (*now_s)(void);
	void (*sleep_until)(double when_s);
};
extern const struct cli_clock cli_clock_monotonic;

struct cli {
	const char *socket;
	const char *view; /* to read from, if it can be reached; NULL: none */
	bool is_default;  /* socket is CLI_SOCKET: neither -s nor DCBCTL_SOCKET names another */
	bool json;
	bool wide;           /* print all columns, wider than the terminal */
	bool pretty;         /* -p: indent the JSON of commands for ports */
	bool statistics;     /* -s: counters, too */
	const char *batch;   /* -b: file of commands; NULL: none */
	bool numeric;        /* -N: numbers in place of names of values */
	double interval_s;   /* watch -n */
	unsigned long count; /* watch -c, monitor -c; 0: no end */
	bool undo;           /* clear --undo: show all that was counted again */
	bool dry_run;        /* preset --dry-run: print the values only */
	bool only_changed;   /* config --changed: no defaults */
	struct cli_clock clock;
	/* headroom, cn-profile, dcbx, storms: option arguments; NULL: not given */
	const char *own_args[CLI_OPTIONS_MAX];
	struct mo_client *client; /* created by cli_connect() */
	FILE *out;
};

struct cli_command {
	const char *name;
	const char *args;
	const char *does;
	int (*run)(struct cli *cli, const struct cli_command *self, int argc, char **argv);
	const char *options; /* besides the common ones, as getopt(3) takes them; NULL: none */
	const struct option *long_options; /* as getopt_long(3) takes them; NULL: none */
	/* Stores option c with its argument. false: invalid, an error has been printed. */
	bool (*option)(struct cli *cli, int c, const char *arg);
};

/*
 * Processes the options before the first argument that is not an option;
 * argv[0] is skipped. Returns the index of that argument, -1 after an error
 * message, or -2 after help or the version has been printed.
 */
int cli_options(struct cli *cli, const struct cli_command *command, int argc, char **argv);

/* Makes path the only socket: that of option --socket, or of the environment variable
 * DCBCTL_SOCKET. */
void cli_use_socket(struct cli *cli, const char *path);

/* Prints "dcbctl: ..." on standard error. Returns CLI_FAILED. */
int cli_fail(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* The same with the error of the last call of cli->client, and what to do about it. */
int cli_fail_client(const struct cli *cli);
/* The same with text, the reason of a failure that cli->client, which can be NULL, may have caused.
 */
int cli_fail_reason(const struct cli *cli, const char *text);
/* Prints the synopsis of the command on standard error. Returns CLI_USAGE. */
int cli_usage(const struct cli_command *command);

/*
 * Parses a rate such as 10G, 2.5G, 100M or 9600 to bit/s. Returns false if it is malformed, not a
 * whole number of bit/s, 0, or above CLI_RATE_MAX_BPS.
 */
#define CLI_RATE_MAX_BPS UINT64_C(10000000000000)
bool cli_parse_rate(const char *text, uint64_t *bps);

/*
 * Creates cli->client, which connects to cli->view, or to cli->socket if that fails. false: an
 * error has been printed.
 */
bool cli_connect(struct cli *cli);
/* The same with a client of the caller's own, to free; NULL: an error has been printed. */
struct mo_client *cli_new_client(const struct cli *cli);

int cmd_show(struct cli *cli, const struct cli_command *self, int argc, char **argv);
int cmd_config(struct cli *cli, const struct cli_command *self, int argc, char **argv);
int cmd_save(struct cli *cli, const struct cli_command *self, int argc, char **argv);
int cmd_diff(struct cli *cli, const struct cli_command *self, int argc, char **argv);
int cmd_set(struct cli *cli, const struct cli_command *self, int argc, char **argv);
/* pfc, ets, app, cn, cp, rp, headroom, watchdog, counters: by self->name. */
int cmd_port(struct cli *cli, const struct cli_command *self, int argc, char **argv);
/* Runs the commands of cli->batch as one transaction. */
int cli_batch(struct cli *cli);
/* storms: show as cmd_port(), or with --trace the way of a pause. */
int cmd_storms(struct cli *cli, const struct cli_command *self, int argc, char **argv);
int cmd_keywords(struct cli *cli, const struct cli_command *self, int argc, char **argv);
int cmd_status(struct cli *cli, const struct cli_command *self, int argc, char **argv);
int cmd_preset(struct cli *cli, const struct cli_command *self, int argc, char **argv);
int cmd_monitor(struct cli *cli, const struct cli_command *self, int argc, char **argv);
int cmd_watch(struct cli *cli, const struct cli_command *self, int argc, char **argv);
int cmd_objects(struct cli *cli, const struct cli_command *self, int argc, char **argv);
int cmd_neighbors(struct cli *cli, const struct cli_command *self, int argc, char **argv);
int cmd_dcbx(struct cli *cli, const struct cli_command *self, int argc, char **argv);
int cmd_cn(struct cli *cli, const struct cli_command *self, int argc, char **argv);
int cmd_pauses(struct cli *cli, const struct cli_command *self, int argc, char **argv);
int cmd_buffers(struct cli *cli, const struct cli_command *self, int argc, char **argv);
int cmd_hardware(struct cli *cli, const struct cli_command *self, int argc, char **argv);
/* fdb show|flush: the filtering database, in the words of bridge(8). */
int cmd_fdb(struct cli *cli, const struct cli_command *self, int argc, char **argv);
int cmd_trill(struct cli *cli, const struct cli_command *self, int argc, char **argv);
int cmd_cn_profile(struct cli *cli, const struct cli_command *self, int argc, char **argv);
int cmd_headroom(struct cli *cli, const struct cli_command *self, int argc, char **argv);

/* clear: --undo. */
int cmd_clear(struct cli *cli, const struct cli_command *self, int argc, char **argv);
extern const struct option cli_clear_long_options[];
bool cli_clear_option(struct cli *cli, int c, const char *arg);

/* watch: -c times, -n seconds; monitor: -c events. */
extern const struct option cli_watch_long_options[];
extern const struct option cli_monitor_long_options[];
bool cli_watch_option(struct cli *cli, int c, const char *arg);

/* dcbx: --audit. */
extern const struct option cli_dcbx_long_options[];
bool cli_dcbx_option(struct cli *cli, int c, const char *arg);

/* config: --changed. */
extern const struct option cli_config_long_options[];
bool cli_config_option(struct cli *cli, int c, const char *arg);

/* storms: --trace, --snmp ARGUMENTS. */
extern const struct option cli_storms_long_options[];
bool cli_storms_option(struct cli *cli, int c, const char *arg);

/* preset: --dry-run. */
extern const struct option cli_preset_long_options[];
bool cli_preset_option(struct cli *cli, int c, const char *arg);

/* cn-profile: -i priority. */
extern const struct option cli_cn_profile_long_options[];
bool cli_cn_profile_option(struct cli *cli, int c, const char *arg);

/* headroom: one option per input of the calculation. */
extern const struct option cli_headroom_long_options[];
bool cli_headroom_option(struct cli *cli, int c, const char *arg);

#endif
