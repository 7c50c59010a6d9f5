/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dcb-lldp runs liblldpctl in a process of its own. dcbd starts it and passes one end of a
 * socket pair. It opens lldpd's control socket and nothing else.
 */
#include <cap-ng.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lib/log.h"
#include "lib/standard.h"
#include "lldp/process/lldp_confine.h"
#include "lldp/process/lldp_serve.h"
#include "lldp/process/lldp_spawn.h"

enum { EXIT_USAGE = 2 };

#define GONE_S 6 /* from the end of dcbd to that of this process */

static void usage(FILE *out)
{
	fputs(
	    "usage: dcb-lldp [-H] [-l error|warn|info|debug] socket\n"
	    "       dcb-lldp -V | -h\n"
	    "Started by dcbd, which passes one end of a socket pair as file descriptor 3.\n",
	    out);
}

/* Returns an exit status, or -1 if the program is to go on. */
static int parse_options(int argc, char **argv, bool *holds)
{
	int opt;

	while ((opt = getopt(argc, argv, "Hl:Vh")) != -1) {
		if (opt == 'V') {
			puts("dcb-lldp " PACKAGE_VERSION);
			return EXIT_SUCCESS;
		}
		if (opt == 'h') {
			usage(stdout);
			return EXIT_SUCCESS;
		}
		if (opt == 'H') {
			*holds = false;
			continue;
		}
		if (opt != 'l' || !log_level_take(optarg, &log_level)) {
			usage(stderr);
			return EXIT_USAGE;
		}
	}
	if (optind + 1 == argc)
		return -1;
	usage(stderr);
	return EXIT_USAGE;
}

static bool has_socket(void)
{
	int type = 0, domain = 0;
	socklen_t len = sizeof(type);

	return getsockopt(LLDP_SPAWN_FD, SOL_SOCKET, SO_TYPE, &type, &len) == 0 &&
	       type == SOCK_SEQPACKET &&
	       getsockopt(LLDP_SPAWN_FD, SOL_SOCKET, SO_DOMAIN, &domain, &len) == 0 &&
	       domain == AF_UNIX;
}

/* dcbd has ended, as the end of its socket says too: if this process hangs, it ends all the same.
 */
static void on_dcbd_gone(int signal)
{
	(void)signal;
	alarm(GONE_S);
}

/*
 * Gives up all capabilities and the way to gain any, disables core files, and has the
 * kernel send SIGUSR1 when dcbd ends.
 */
static bool drop_privileges(void)
{
	static const struct rlimit none = {0, 0};

	/* Repeated crashes must not fill the disk. A failure of setrlimit() is ignored. */
	(void)setrlimit(RLIMIT_CORE, &none);
	/* Real time is for the dataplane thread of dcbd. */
	(void)setrlimit(RLIMIT_RTPRIO, &none);
	capng_clear(CAPNG_SELECT_CAPS);
	return capng_apply(CAPNG_SELECT_CAPS) == 0 && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       prctl(PR_SET_PDEATHSIG, SIGUSR1) == 0;
}

static int start(int argc, char **argv)
{
	bool holds = true;
	int status;

	log_init("dcb-lldp", LOG_LEVEL_INFO, getenv("JOURNAL_STREAM") != NULL);
	status = parse_options(argc, argv, &holds);
	if (status >= 0)
		return status;
	if (!has_socket()) {
		/* Message: dcb-lldp was not started by dcbd(8). Start dcbd(8) instead. */
		fputs("dcb-lldp: file descriptor 3 is not a socket of dcbd: see dcb-lldp(8)\n",
		      stderr);
		return EXIT_USAGE;
	}
	if (!drop_privileges()) {
		/*
		 * Message: The kernel or a security module refuses to drop capabilities. Check the
		 * security policy and the options of the service manager.
		 */
		log_error("lldp", "cannot give up privileges");
		return EXIT_FAILURE;
	}
	/* The service manager and the terminal signal dcbd too, which ends this process. */
	signal(SIGTERM, SIG_IGN);
	signal(SIGINT, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGUSR1, on_dcbd_gone);
	lldp_confine();
	return lldp_serve(LLDP_SPAWN_FD, argv[optind], holds) == LLDP_SERVE_FAILED ? EXIT_FAILURE
										   : EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
	standard_open();
	return standard_end("dcb-lldp", start(argc, argv), EXIT_FAILURE);
}
