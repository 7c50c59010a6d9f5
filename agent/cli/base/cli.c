/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/cli/base/cli.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int cli_fail(const char *fmt, ...)
{
	va_list ap;

	fputs("dcbctl: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	return CLI_FAILED;
}

/* Writes who has permission for a socket, and how to get it. */
static void advise_group(const char *path, char *buf, size_t size)
{
	const struct passwd *user = getpwuid(getuid());
	const struct group *group;
	struct stat st;

	if (stat(path, &st) < 0 || st.st_gid == 0 || !(group = getgrgid(st.st_gid))) {
		/*
		 * Message: as "; only root and members of group %s have permission: join group %s
		 * with "usermod -aG %s %s" as root, and log in again"
		 */
		snprintf(buf, size,
			 "; only root has permission: see control.group in dcbd.conf(5)");
		return;
	}
	/*
	 * Message: Only root and the group of the control socket may connect to it, which `set`
	 * needs; the other commands need it if there is no view socket, or no connection to that.
	 * Run dcbctl as root, or add the user to the group, which `control.group` has in
	 * dcbd.conf(5). A process has the groups that its user had at the login.
	 */
	snprintf(buf, size,
		 "; only root and members of group %s have permission: join group %s with "
		 "\"usermod -aG %s %s\" as root, and log in again",
		 group->gr_name, group->gr_name, group->gr_name, user ? user->pw_name : "USER");
}

/* Writes what to do about the error of the last call; "" if nothing is known. */
static void advise(const struct cli *cli, char *buf, size_t size)
{
	buf[0] = '\0';
	switch (cli->client ? mo_client_connect_error(cli->client) : 0) {
	case ENOENT:
	case ECONNREFUSED:
		/*
		 * Message "%s: connect: %s; dcbd is not running: systemctl start dcbd": dcbd(8) is
		 * not running, or it uses another control socket. Start dcbd(8), or pass the path
		 * that `control.socket` has in dcbd.conf(5) with `-s` or DCBCTL_SOCKET.
		 */
		/*
		 * Message "%s: connect: %s; no dcbd that is running has this socket: see
		 * control.socket in dcbd.conf(5)": No dcbd(8) that is running has the path of `-s`
		 * or DCBCTL_SOCKET. Start dcbd(8), or pass the path that `control.socket` has in
		 * dcbd.conf(5).
		 */
		snprintf(buf, size, "; %s",
			 cli->is_default ? "dcbd is not running: systemctl start dcbd"
					 : "no dcbd that is running has this socket: see "
					   "control.socket in dcbd.conf(5)");
		break;
	case EACCES:
		advise_group(mo_client_path(cli->client), buf, size);
		break;
	default:
		break;
	}
}

int cli_fail_reason(const struct cli *cli, const char *text)
{
	char advice[256];

	advise(cli, advice, sizeof(advice));
	return cli_fail("%s%s", text, advice);
}

int cli_fail_client(const struct cli *cli)
{
	return cli_fail_reason(cli, mo_client_strerror(cli->client));
}

static void print_usage(const struct cli_command *command, FILE *f)
{
	fprintf(f, "usage: dcbctl [-jpsN] [--socket socket] %s %s\n", command->name, command->args);
}

int cli_usage(const struct cli_command *command)
{
	print_usage(command, stderr);
	return CLI_USAGE;
}

/* Long options without a letter, or whose letter means something else. */
enum { OPT_SOCKET = 0x100, OPT_STATISTICS };

static const struct option common_options[] = {
    {"batch", required_argument, NULL, 'b'},
    {"help", no_argument, NULL, 'h'},
    {"json", no_argument, NULL, 'j'},
    {"Numeric", no_argument, NULL, 'N'},
    {"pretty", no_argument, NULL, 'p'},
    {"socket", required_argument, NULL, OPT_SOCKET},
    {"statistics", no_argument, NULL, OPT_STATISTICS},
    {"wide", no_argument, NULL, 'w'},
    {"version", no_argument, NULL, 'V'},
};
#define N_COMMON (sizeof(common_options) / sizeof(common_options[0]))

/* Fills in all: the common options, then the command's own, then an entry of zeros. */
static void long_options_of(const struct cli_command *command,
			    struct option all[N_COMMON + CLI_OPTIONS_MAX + 1])
{
	size_t n = 0;

	memcpy(all, common_options, sizeof(common_options));
	for (const struct option *o = command->long_options; o && o->name; o++) {
		assert(n < CLI_OPTIONS_MAX);
		all[N_COMMON + n++] = *o;
	}
	memset(&all[N_COMMON + n], 0, sizeof(all[0]));
}

void cli_use_socket(struct cli *cli, const char *path)
{
	cli->socket = path;
	cli->view = NULL;
	cli->is_default = false;
}

/* Sets what an option without argument says. Returns whether c is one. */
static bool take_flag(struct cli *cli, int c)
{
	switch (c) {
	case 'j':
		cli->json = true;
		return true;
	case 'N':
		cli->numeric = true;
		return true;
	case 'p':
		cli->pretty = true;
		return true;
	case OPT_STATISTICS:
	case 's':
		cli->statistics = true;
		return true;
	case 'w':
		cli->wide = true;
		return true;
	default:
		return false;
	}
}

/*
 * -s was the path of a socket before it was "statistics", as in iproute2: if a word with "/"
 * follows, or is a part of the option's own word, it is that path still. Else the rest of the
 * option's own word is further options: -sj. Returns false for another letter there, after an
 * error message.
 */
static bool take_s(struct cli *cli, const char *rest, int argc, char **argv)
{
	const char *word = rest ? rest : optind < argc ? argv[optind] : "";

	if (strchr(word, '/')) {
		cli_use_socket(cli, word);
		optind += rest == NULL;
		return true;
	}
	cli->statistics = true;
	for (; rest && *rest; rest++) {
		if (take_flag(cli, *rest))
			continue;
		/* Message: Use `--socket` for a path without `/`. */
		cli_fail("-s%s: expected a path with \"/\", or further options j, p, s, w, N",
			 rest);
		return false;
	}
	return true;
}

/* A command's own option takes precedence over the common one of the same letter. */
static bool is_own(const struct cli_command *command, int c)
{
	if (c > 0 && c < 0x100 && command->options && strchr(command->options, c))
		return true;
	for (const struct option *o = command->long_options; o && o->name; o++)
		if (o->val == c)
			return true;
	return false;
}

/* Processes one common option. Returns 0, or what cli_options() returns. */
static int take_common(struct cli *cli, const struct cli_command *command, int c, int argc,
		       char **argv)
{
	switch (c) {
	case 'b':
		cli->batch = optarg;
		return 0;
	case 'h':
		print_usage(command, cli->out);
		return -2;
	case 's':
		return take_s(cli, optarg, argc, argv) ? 0 : -1;
	case OPT_SOCKET:
		cli_use_socket(cli, optarg);
		return 0;
	case 'V':
		fprintf(cli->out, "dcbctl %s\n", PACKAGE_VERSION);
		return -2;
	default:
		if (take_flag(cli, c))
			return 0;
		cli_usage(command);
		return -1;
	}
}

int cli_options(struct cli *cli, const struct cli_command *command, int argc, char **argv)
{
	struct option long_options[N_COMMON + CLI_OPTIONS_MAX + 1];
	char short_options[64];
	int c, rc;

	long_options_of(command, long_options);
	/* The first of two equal letters counts. */
	snprintf(short_options, sizeof(short_options), "+%sb:hjNps::Vw",
		 command->options ? command->options : "");
	optind = 0; /* glibc: restart the scan */
	while ((c = getopt_long(argc, argv, short_options, long_options, NULL)) != -1) {
		if (c != '?' && is_own(command, c)) {
			if (!command->option(cli, c, optarg))
				return -1;
			continue;
		}
		rc = take_common(cli, command, c, argc, argv);
		if (rc < 0)
			return rc;
	}
	return optind;
}

/* Returns the factor of a suffix; 0: unknown suffix. */
static uint64_t unit_of(char suffix)
{
	switch (suffix) {
	case '\0':
		return 1;
	case 'k':
		return 1000;
	case 'M':
		return 1000000;
	case 'G':
		return 1000000000;
	case 'T':
		return UINT64_C(1000000000000);
	default:
		return 0;
	}
}

bool cli_parse_rate(const char *text, uint64_t *bps)
{
	uint64_t whole = 0, decimals = 0, scale = 1, unit;
	const char *start = text;

	for (; isdigit((unsigned char)*text) && whole <= CLI_RATE_MAX_BPS; text++)
		whole = 10 * whole + (uint64_t)(*text - '0');
	if (text == start)
		return false;
	if (*text == '.') {
		for (text++; isdigit((unsigned char)*text) && scale < 1000000; text++) {
			decimals = 10 * decimals + (uint64_t)(*text - '0');
			scale *= 10;
		}
		if (scale == 1)
			return false;
	}
	unit = unit_of(*text);
	if (unit == 0 || (*text && text[1]) || whole > CLI_RATE_MAX_BPS / unit ||
	    decimals * unit % scale)
		return false;
	*bps = whole * unit + decimals * unit / scale;
	return *bps > 0 && *bps <= CLI_RATE_MAX_BPS;
}

struct mo_client *cli_new_client(const struct cli *cli)
{
	struct mo_client *client = mo_client_new(cli->socket, CLI_TIMEOUT_MS);

	if (!client) {
		/* Message: as "%s: path too long for a socket, or out of memory" */
		cli_fail("%s: path too long for a socket, or out of memory", cli->socket);
		return NULL;
	}
	mo_client_commit_within(client, CLI_COMMIT_MS);
	if (cli->view)
		(void)mo_client_use_view(client, cli->view);
	return client;
}

bool cli_connect(struct cli *cli)
{
	if (!cli->client)
		cli->client = cli_new_client(cli);
	return cli->client != NULL;
}
