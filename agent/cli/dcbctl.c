/* SPDX-License-Identifier: BSD-3-Clause */
/* dcbctl: reads and sets the managed objects of dcbd on the command line. */
#include "agent/cli/base/cli.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/cli/base/term.h"
#include "lib/suggest.h"
#include "lib/standard.h"

static int cmd_help(struct cli *cli, const struct cli_command *self, int argc, char **argv);

#define SHOW        "show [dev PORT ...] [KEYWORD ...]"
#define SHOW_OR_SET SHOW " | set dev PORT ... KEYWORD VALUE ..."

static const struct cli_command commands[] = {
    {"show", "[TABLE|OBJECT] [INDEX]", "print the rows of a table, or of all tables", cmd_show,
     NULL, NULL, NULL},
    {"config", "[--changed] [TABLE|OBJECT] [INDEX]",
     "print the settings and where each value comes from: default, file, SET", cmd_config, NULL,
     cli_config_long_options, cli_config_option},
    {"set", "OBJECT.INDEX VALUE ...", "set objects, all of them or none", cmd_set, NULL, NULL,
     NULL},
    {"save", "", "print the settings that differ from the defaults, as a batch file", cmd_save,
     NULL, NULL, NULL},
    {"diff", "FILE", "compare a file of \"dcbctl save\" with dcbd", cmd_diff, NULL, NULL, NULL},
    {"preset", "[--dry-run] rocev2|iscsi|fcoe|dscp [priority=N] PORT ...",
     "set the application priorities of a well-known application", cmd_preset, NULL,
     cli_preset_long_options, cli_preset_option},
    {"clear", "[--undo] counters", "begin the counters at 0 in dcbctl watch, for this user only",
     cmd_clear, NULL, cli_clear_long_options, cli_clear_option},
    {"watch", "[-c times] [-n seconds] [TABLE|OBJECT ...]",
     "print rows and the rates of their counters repeatedly; of no table: all ports on the screen",
     cmd_watch, "c:n:", cli_watch_long_options, cli_watch_option},
    {"monitor", "[-c events]", "print events when they occur", cmd_monitor,
     "c:", cli_monitor_long_options, cli_watch_option},
    {"status", "[[dev] PORT ...]",
     "print a line for each port: state, PFC, CNPVs, neighbor, losses, storms", cmd_status, NULL,
     NULL, NULL},
    {"pfc", SHOW_OR_SET, "print or set the PFC of ports", cmd_port, NULL, NULL, NULL},
    {"ets", SHOW_OR_SET, "print or set the ETS of ports", cmd_port, NULL, NULL, NULL},
    {"app",
     "show|flush [dev PORT ...] [KEYWORD ...] | add|del|replace dev PORT ... KEYWORD "
     "PROTOCOL:PRIORITY ... | set dev PORT ... KEYWORD VALUE ...",
     "print or change the application priorities of ports", cmd_port, NULL, NULL, NULL},
    {"apptrust", SHOW_OR_SET, "print or set what ports take priorities from, in which order",
     cmd_port, NULL, NULL, NULL},
    {"rewr",
     SHOW " | flush dev PORT ... [KEYWORD ...] | add|del|replace|set dev PORT ... KEYWORD "
	  "PRIORITY:VALUE ...",
     "print or change the PCP and the DSCP with which ports send frames", cmd_port, NULL, NULL,
     NULL},
    {"ecn", SHOW_OR_SET, "print or set the ECN marking of ports", cmd_port, NULL, NULL, NULL},
    {"cp", SHOW_OR_SET, "print or set the congestion points of ports", cmd_port, NULL, NULL, NULL},
    {"rp", SHOW_OR_SET, "print or set the reaction points of ports", cmd_port, NULL, NULL, NULL},
    {"watchdog", SHOW_OR_SET, "print or set the PFC watchdog of ports", cmd_port, NULL, NULL, NULL},
    {"storms", SHOW " | --trace [--snmp ARGUMENTS] [dev PORT ...] [prio PRIORITIES]",
     "print the last PFC storm of each priority of ports, or follow a pause to its source",
     cmd_storms, NULL, cli_storms_long_options, cli_storms_option},
    {"pauses", "[PORT ...]", "draw the pauses of the last minute, by port and priority", cmd_pauses,
     NULL, NULL, NULL},
    {"counters", SHOW, "print the counters of ports", cmd_port, NULL, NULL, NULL},
    {"neighbors", "[PORT ...]", "print the neighbors of ports and the contents of their DCB TLVs",
     cmd_neighbors, NULL, NULL, NULL},
    {"dcbx", "[--audit] [PORT ...]",
     "print PFC, ETS and application priorities: set, sent, received, in force, why", cmd_dcbx,
     NULL, cli_dcbx_long_options, cli_dcbx_option},
    {"cn", "[PORT ...] | " SHOW_OR_SET,
     "print the defense mode of each congestion notification priority, and why, or set it", cmd_cn,
     NULL, NULL, NULL},
    {"buffers", "[PORT ...]",
     "print the frame memory: its pools, and what each port and priority holds and discarded",
     cmd_buffers, NULL, NULL, NULL},
    {"hardware", "[PORT ...] | report INTERFACE",
     "print the devices of ports that do PFC and ETS themselves: what they have, who decides; or "
     "all that the kernel says about one",
     cmd_hardware, NULL, NULL, NULL},
    {"fdb", "[show [dev PORT] [vlan VID] [static|dynamic]] | flush [dev PORT] [vlan VID]",
     "print the addresses of stations and their ports, or forget those that are learned", cmd_fdb,
     NULL, NULL, NULL},
    {"trill", "[PORT ...] | egress",
     "print nicknames, next hops and counters of an RBridge, or the addresses behind others",
     cmd_trill, NULL, NULL, NULL},
    {"cn-profile", "[-i priority] RATE",
     "print the values of the profile \"scaled\" for a rate such as 25G", cmd_cn_profile,
     "i:", cli_cn_profile_long_options, cli_cn_profile_option},
    {"objects", "[TABLE|OBJECT]", "print the objects: syntax, range, default, unit, clause",
     cmd_objects, NULL, NULL, NULL},
    {"keywords", "[COMMAND]", "print the keywords of the commands for ports, and their objects",
     cmd_keywords, NULL, NULL, NULL},
    {"headroom", "show [PORT ...] | " SHOW_OR_SET " | [--speed rate] [--OPTION value ...]",
     "print or set the PFC headroom of ports, or calculate that of a link, from its delays",
     cmd_headroom, NULL, cli_headroom_long_options, cli_headroom_option},
    {"help", "", "print this help", cmd_help, NULL, NULL, NULL},
};
#define N_COMMANDS (sizeof(commands) / sizeof(commands[0]))

static const struct cli_command whole = {"COMMAND", "...", NULL, NULL, NULL, NULL, NULL};

static void print_help(FILE *f)
{
	fputs(
	    "usage: dcbctl [-jpsN] [--socket socket] COMMAND ...\n"
	    "       dcbctl [-j] [--socket socket] -b FILE\n"
	    "       dcbctl --help | --version\n\n",
	    f);
	for (size_t i = 0; i < N_COMMANDS; i++)
		fprintf(f, "  %s%s%s\n        %s\n", commands[i].name,
			commands[i].args[0] ? " " : "", commands[i].args, commands[i].does);
	fputs(
	    "\n  -j, --json            print JSON instead of text\n"
	    "  -p, --pretty          indent the JSON\n"
	    "  -s, --statistics      print counters, too\n"
	    "  -N, --Numeric         print numbers in place of names of values\n"
	    "  -b, --batch FILE      set all that the commands in FILE say, or nothing; -: stdin\n"
	    "      --socket socket   control socket of dcbd (" CLI_SOCKET
	    "),\n"
	    "                        or its view socket, to read (" CLI_VIEW
	    ");\n"
	    "                        the environment variable DCBCTL_SOCKET is the same\n"
	    "  -w, --wide            print all columns, also where the terminal is narrower\n",
	    f);
}

static int cmd_help(struct cli *cli, const struct cli_command *self, int argc, char **argv)
{
	(void)self;
	(void)argc;
	(void)argv;
	print_help(cli->out);
	return CLI_OK;
}

static const struct cli_command *find_command(const char *name)
{
	for (size_t i = 0; i < N_COMMANDS; i++) {
		if (strcmp(commands[i].name, name) == 0)
			return &commands[i];
	}
	return NULL;
}

static int unknown_command(const char *name)
{
	struct suggest near = {.text = name};
	char hint[64];

	for (size_t i = 0; i < N_COMMANDS; i++)
		suggest_offer(&near, commands[i].name);
	suggest_hint(&near, hint, sizeof(hint));
	/*
	 * Message "unknown command "%s"; did you mean "%s"? "dcbctl help" lists the commands": The
	 * name does not exist; the second one is similar. Correct the name.
	 */
	cli_fail("unknown command \"%s\"%s%s \"dcbctl help\" lists the commands", name, hint,
		 hint[0] ? "" : ";");
	return CLI_USAGE;
}

/* Runs the command; its output fits the terminal, except JSON and with -w. */
static int run_command(struct cli *cli, const struct cli_command *command, int argc, char **argv)
{
	int rc;

	if (cli->json || cli->wide || !isatty(STDOUT_FILENO))
		return command->run(cli, command, argc, argv);
	term_limit(STDOUT_FILENO);
	cli->out = term_folded(stdout);
	rc = command->run(cli, command, argc, argv);
	fclose(cli->out);
	cli->out = stdout;
	return rc;
}

static int run(struct cli *cli, int argc, char **argv)
{
	const struct cli_command *command;
	int at;

	if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0))
		return cmd_help(cli, NULL, 0, NULL);
	at = cli_options(cli, &whole, argc, argv);
	if (at < 0)
		return at == -2 ? CLI_OK : CLI_USAGE;
	if (cli->batch && at == argc)
		return cli_batch(cli);
	if (at == argc) {
		print_help(stderr);
		return CLI_USAGE;
	}
	command = find_command(argv[at]);
	if (!command)
		return unknown_command(argv[at]);
	argc -= at;
	argv += at;
	argv[0] = (char[]){"dcbctl"}; /* program name in the messages of getopt */
	at = cli_options(cli, command, argc, argv);
	if (at < 0)
		return at == -2 ? CLI_OK : CLI_USAGE;
	if (cli->batch) {
		/* Message: Put the command into the file. */
		cli_fail("-b %s: expected no command beside it", cli->batch);
		return CLI_USAGE;
	}
	return run_command(cli, command, argc - at, argv + at);
}

int main(int argc, char **argv)
{
	struct cli cli = {.socket = CLI_SOCKET,
			  .view = CLI_VIEW,
			  .is_default = true,
			  .interval_s = 1,
			  .clock = cli_clock_monotonic,
			  .out = stdout};
	const char *path = getenv("DCBCTL_SOCKET");
	int rc;

	standard_open();
	if (path && *path)
		cli_use_socket(&cli, path);
	rc = run(&cli, argc, argv);
	mo_client_free(cli.client);
	/* A full disk or a closed pipe must not look like success. */
	return standard_end("dcbctl", rc, CLI_FAILED);
}
