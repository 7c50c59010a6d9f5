/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dcb-exporter: serves the managed objects of dcbd over HTTP, to Prometheus and to browsers. It
 * reads dcbd's view socket, sets nothing and keeps nothing.
 */
#include "agent/exporter/exporter_confine.h"
#include "agent/exporter/listen.h"
#include "agent/exporter/server.h"
#include "lib/log.h"
#include "lib/mo/mo_client.h"
#include "lib/privileges.h"
#include "lib/standard.h"

#include <event2/event.h>

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TOKEN           "exporter"
#define DEFAULT_VIEW    "/run/dcbd/view"
#define DEFAULT_ADDRESS "127.0.0.1:9921"
#define TIMEOUT_MS      2000 /* of each request to dcbd, which answers within milliseconds */
#define ADDRESSES_MAX   8

struct options {
	const char *view, *user;
	const char *addresses[ADDRESSES_MAX];
	unsigned n_addresses;
	enum log_level level;
};

/* --- options ------------------------------------------------------------------------------- */

static void usage(FILE *to)
{
	fprintf(to,
		"usage: dcb-exporter [-hV] [-L level] [-l ADDRESS:PORT]... [-s view] [-u user]\n"
		"  -h               print this help and exit\n"
		"  -L level         log level: error, warn, info or debug (info)\n"
		"  -l ADDRESS:PORT  listen there, unless systemd has passed sockets\n"
		"                   (" DEFAULT_ADDRESS
		")\n"
		"  -s view          dcbd's view socket (" DEFAULT_VIEW
		")\n"
		"  -u user          run as this user, if root starts it\n"
		"  -V               print the version and exit\n");
}

static bool add_address(struct options *o, const char *address)
{
	if (o->n_addresses == ADDRESSES_MAX) {
		/*
		 * Message: The argument of the option is not valid. An address is numeric; the name
		 * of a host is not.
		 */
		fprintf(stderr, "dcb-exporter: -l %s: at most %d addresses\n", address,
			ADDRESSES_MAX);
		return false;
	}
	o->addresses[o->n_addresses++] = address;
	return true;
}

/* Returns -1 to continue, else the exit status. */
static int parse_options(int argc, char **argv, struct options *o)
{
	bool good = true;
	int c;

	while (good && (c = getopt(argc, argv, "hL:l:s:u:V")) != -1) {
		switch (c) {
		case 'h':
			usage(stdout);
			return EXIT_SUCCESS;
		case 'L':
			good = log_level_argument("dcb-exporter", 'L', optarg, &o->level);
			break;
		case 'l':
			good = add_address(o, optarg);
			break;
		case 's':
			o->view = optarg;
			break;
		case 'u':
			o->user = optarg;
			break;
		case 'V':
			puts("dcb-exporter " PACKAGE_VERSION);
			return EXIT_SUCCESS;
		default:
			good = false;
		}
	}
	if (good && optind == argc) {
		if (o->n_addresses == 0)
			(void)add_address(o, DEFAULT_ADDRESS);
		return -1;
	}
	usage(stderr);
	return EXIT_FAILURE;
}

/* --- sockets ------------------------------------------------------------------------------- */

static bool serve(struct server *server, int fd)
{
	char name[64];

	listen_name(fd, name, sizeof(name));
	if (!server_listen(server, fd)) {
		/* Message: as "out of memory" */
		log_error(TOKEN, "%s: out of memory", name);
		close(fd);
		return false;
	}
	log_info(TOKEN, "version " PACKAGE_VERSION ", listening at %s", name);
	return true;
}

/* Serves the sockets that systemd has passed; without them those of option -l. */
static bool serve_all(struct server *server, const struct options *o)
{
	char err[256];
	int passed = listen_passed(err, sizeof(err));
	bool good = passed >= 0;

	for (int i = 0; i < passed && good; i++)
		good = serve(server, LISTEN_FIRST + i);
	for (unsigned i = 0; i < o->n_addresses && passed == 0 && good; i++) {
		int fd = listen_open(o->addresses[i], err, sizeof(err));

		if (fd < 0)
			passed = -1;
		good = fd >= 0 && serve(server, fd);
	}
	if (passed < 0)
		log_error(TOKEN, "%s", err);
	return good;
}

/* --- main ---------------------------------------------------------------------------------- */

static void on_signal(evutil_socket_t sig, short what, void *arg)
{
	(void)what;
	log_info(TOKEN, "signal %d, exiting", (int)sig);
	event_base_loopbreak(arg);
}

static void on_hup(evutil_socket_t sig, short what, void *arg)
{
	(void)sig;
	(void)what;
	(void)arg;
	if (log_reopen())
		log_info(TOKEN, "SIGHUP: the log is opened again");
	else
		/* Message: as "cannot open the log again: %s" */
		log_warn(TOKEN, "cannot open the log again: %s", strerror(errno));
}

static bool drop_privileges(const char *user)
{
	const struct privileges p = {.user = user, .advice = ": -u expects an existing user"};
	char err[256];

	if (privileges_drop(&p, err, sizeof(err)))
		return true;
	log_error(TOKEN, "%s", err);
	return false;
}

static int run(const struct options *o, struct event_base *base, struct server *server)
{
	struct event *events[] = {
	    evsignal_new(base, SIGTERM, on_signal, base),
	    evsignal_new(base, SIGINT, on_signal, base),
	    evsignal_new(base, SIGHUP, on_hup, NULL),
	};
	const size_t n = sizeof(events) / sizeof(events[0]);
	int status = EXIT_FAILURE;
	bool good = true;

	for (size_t i = 0; i < n; i++)
		good = good && events[i] && event_add(events[i], NULL) == 0;
	if (!good)
		/* Message: as "out of memory" */
		log_error(TOKEN, "out of memory");
	else if (serve_all(server, o) && drop_privileges(o->user)) {
		exporter_confine();
		status = event_base_dispatch(base) < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
	}
	for (size_t i = 0; i < n; i++) {
		if (events[i])
			event_free(events[i]);
	}
	return status;
}

static int start(int argc, char **argv)
{
	struct options o = {.view = DEFAULT_VIEW, .level = LOG_LEVEL_INFO};
	struct event_base *base = NULL;
	struct server *server = NULL;
	struct mo_client *client;
	int status = parse_options(argc, argv, &o);

	if (status >= 0)
		return status;
	log_init("dcb-exporter", o.level, getenv("JOURNAL_STREAM") != NULL);
	signal(SIGPIPE, SIG_IGN); /* of clients that close their connection */
	signal(SIGHUP, SIG_IGN);  /* until there is an event for it */
	status = EXIT_FAILURE;
	client = mo_client_new(o.view, TIMEOUT_MS);
	if (client)
		base = event_base_new();
	if (base)
		server = server_new(base, client);
	if (server)
		status = run(&o, base, server);
	else
		/* Message: as "%s: path too long for a socket, or out of memory" */
		log_error(TOKEN, "%s: path too long for a socket, or out of memory", o.view);
	server_free(server);
	if (base)
		event_base_free(base);
	mo_client_free(client);
	return status;
}

int main(int argc, char **argv)
{
	standard_open();
	return standard_end("dcb-exporter", start(argc, argv), EXIT_FAILURE);
}
