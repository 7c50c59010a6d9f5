/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dcb-agentx: AgentX subagent that serves the managed objects of dcbd to the
 * SNMP agent of this host. Holds no state: it reads and sets every object in
 * dcbd.
 */
#include "agent/agentx_confine.h"
#include "agent/agentx_session.h"
#include "lib/log.h"
#include "lib/privileges.h"
#include "lib/standard.h"

#include <event2/event.h>

#include <errno.h>
#include <limits.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define DEFAULT_CONTROL "/run/dcbd/control"
#define DEFAULT_TIMEOUT 400  /* ms, below the time limit of the master, by default 1 s */
#define COMMIT_MS_MIN   5000 /* below the 6 s that snmpd waits with its 5 repetitions */
#define REPLY_MS_MIN    900  /* least time limit of the master: three messages of 300 ms */

struct options {
	struct agentx_session_config session;
	const char *control, *user;
	const char *view; /* NULL for the file "view" beside control */
	unsigned timeout_ms, commit_ms;
	enum log_level level;
	const char *modules[MIB_ROOTS_MAX]; /* optional modules to serve */
	unsigned n_modules;
};

/* --- options ------------------------------------------------------------------ */

static void usage(FILE *to)
{
	fprintf(to,
		"usage: dcb-agentx [-fhV] [-c control] [-i seconds] [-L level] [-m module]...\n"
		"                  [-T ms] [-u user] [-v view] [-x master]\n"
		"  -c control  dcbd's control socket (" DEFAULT_CONTROL
		")\n"
		"  -f          ignored: dcb-agentx always stays in the foreground\n"
		"  -h          print this help and exit\n"
		"  -i seconds  interval of pings and of attempts to connect, 1..3600 (1)\n"
		"  -L level    log level: error, warn, info or debug (info)\n"
		"  -m module   also serve this optional module: CISCO-PFC-EXT-MIB\n"
		"  -T ms       time limit of requests to dcbd, 10..30000 (400)\n"
		"  -u user     run as this user, if root starts it\n"
		"  -v view     dcbd's view socket, to read from (view, beside the control socket)\n"
		"  -V          print the version and exit\n"
		"  -x master   AgentX address of the master, unix:/path or tcp:host:port\n"
		"              (Net-SNMP's default, /var/agentx/master)\n");
}

static bool parse_number(char option, const char *text, unsigned min, unsigned max, unsigned *value)
{
	char *end;
	unsigned long v;

	errno = 0;
	v = strtoul(text, &end, 10);
	if (errno || end == text || *end || text[0] == '-' || v < min || v > max) {
		/* Message: The argument of the option is not valid. Use a value as expected. */
		fprintf(stderr, "dcb-agentx: -%c %s: expected a number from %u to %u\n", option,
			text, min, max);
		return false;
	}
	*value = (unsigned)v;
	return true;
}

static bool parse_module(const char *text, struct options *o)
{
	for (unsigned id = 0; id < MO_TABLES && o->n_modules < MIB_ROOTS_MAX; id++) {
		const struct mo_table *table = mo_table((enum mo_table_id)id);

		if (table->optional && strcmp(table->module, text) == 0) {
			o->modules[o->n_modules++] = table->module;
			return true;
		}
	}
	/* Message: as "-%c %s: expected a number from %u to %u" */
	fprintf(stderr, "dcb-agentx: -m %s: expected CISCO-PFC-EXT-MIB\n", text);
	return false;
}

/* Returns -1 to continue, else the exit status. */
static int parse_options(int argc, char **argv, struct options *o)
{
	bool good = true;
	int c;

	while (good && (c = getopt(argc, argv, "c:fhi:L:m:T:u:v:Vx:")) != -1) {
		switch (c) {
		case 'c':
			o->control = o->session.control = optarg;
			break;
		case 'f':
			break;
		case 'h':
			usage(stdout);
			return EXIT_SUCCESS;
		case 'i':
			good = parse_number('i', optarg, 1, 3600, &o->session.ping_s);
			break;
		case 'L':
			good = log_level_argument("dcb-agentx", 'L', optarg, &o->level);
			break;
		case 'm':
			good = parse_module(optarg, o);
			break;
		case 'T':
			good = parse_number('T', optarg, 10, 30000, &o->timeout_ms);
			break;
		case 'u':
			o->user = optarg;
			break;
		case 'v':
			o->view = optarg;
			break;
		case 'V':
			puts("dcb-agentx " PACKAGE_VERSION);
			return EXIT_SUCCESS;
		case 'x':
			o->session.master = optarg;
			break;
		default:
			good = false;
		}
	}
	if (good && optind == argc)
		return -1;
	usage(stderr);
	return EXIT_FAILURE;
}

/* --- one instance per master ---------------------------------------------------- */

/*
 * Takes the lock that keeps a second dcb-agentx from the same master, which
 * would refuse its registrations. Returns the file descriptor that holds the
 * lock, -1 if another process holds it.
 *
 * The lock is an abstract unix socket named after the master's address: it
 * needs no writable directory, the kernel removes it with its process, and
 * there is one per master. A process that finds the name bound connects to it,
 * to read the credentials of the holder; the holder never accepts, so the
 * backlog is long. Any user may bind such a name. Therefore a lock held by
 * another user than root or this one is logged and ignored.
 */
static int lock_master(const char *master)
{
	struct sockaddr_un sa = {.sun_family = AF_UNIX};
	struct ucred peer = {0};
	socklen_t len = sizeof(peer);
	int n = snprintf(sa.sun_path + 1, sizeof(sa.sun_path) - 1, "dcb-agentx@%s",
			 master ? master : "default");
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0 || n >= (int)sizeof(sa.sun_path) - 1) {
		/*
		 * Messages: dcb-agentx continues without the lock. Make sure that no second
		 * dcb-agentx runs for the same master. If the text is `address too long`, use a
		 * shorter address.
		 */
		log_warn("agentx", "cannot take the lock for this master: %s",
			 fd < 0 ? strerror(errno) : "address too long");
		return fd;
	}
	len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n);
	if (bind(fd, (struct sockaddr *)&sa, len) == 0 && listen(fd, SOMAXCONN) == 0)
		return fd;
	if (connect(fd, (struct sockaddr *)&sa, len) < 0) {
		log_warn("agentx", "cannot take the lock for this master: %s", strerror(errno));
		return fd;
	}
	len = sizeof(peer);
	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) == 0 && peer.uid != getuid() &&
	    peer.uid != 0) {
		/*
		 * Message: A process of another user has bound the abstract Unix socket that is the
		 * lock. dcb-agentx continues. Find out what this process is. If it is also a
		 * dcb-agentx for this master, end one of the two.
		 */
		log_warn("agentx", "user %u, process %d, holds the lock for this master: ignored",
			 peer.uid, peer.pid);
		return fd;
	}
	/*
	 * Message: The master already has a dcb-agentx, so this one exits. End the other process,
	 * or pass the address of another master with `-x`.
	 */
	log_error("agentx", "another dcb-agentx runs for this master: process %d", peer.pid);
	close(fd);
	return -1;
}

/* --- main --------------------------------------------------------------------- */

static void on_signal(evutil_socket_t sig, short what, void *arg)
{
	(void)what;
	log_info("agentx", "signal %d, exiting", (int)sig);
	event_base_loopbreak(arg);
}

static void on_hup(evutil_socket_t sig, short what, void *arg)
{
	(void)sig;
	(void)what;
	(void)arg;
	if (log_reopen())
		log_info("agentx", "SIGHUP: the log is opened again");
	else
		/* Message: as "cannot open the log again: %s" */
		log_warn("agentx", "cannot open the log again: %s", strerror(errno));
}

/*
 * Without a user, root stays root with the one capability that it needs to connect to sockets
 * of dcbd's and the master's users.
 */
static bool drop_privileges(const char *user)
{
	const struct privileges p = {
	    .user = user,
	    .kept = {CAP_DAC_OVERRIDE},
	    .n_kept = !user,
	    .advice = ": -u expects an existing user",
	};
	char err[256];

	if (privileges_drop(&p, err, sizeof(err)))
		return true;
	log_error("agentx", "%s", err);
	return false;
}

static int run(const struct options *o, const struct agentx_objects *objects)
{
	struct event_base *base = event_base_new();
	struct event *term = base ? evsignal_new(base, SIGTERM, on_signal, base) : NULL;
	struct event *intr = base ? evsignal_new(base, SIGINT, on_signal, base) : NULL;
	struct event *hup = base ? evsignal_new(base, SIGHUP, on_hup, NULL) : NULL;
	int status = EXIT_FAILURE;

	if (!term || !intr || !hup || event_add(term, NULL) < 0 || event_add(intr, NULL) < 0 ||
	    event_add(hup, NULL) < 0) {
		/* Message: as "out of memory" */
		log_error("agentx", "out of memory");
		goto free_events;
	}
	if (!agentx_session_start(&o->session, objects, base))
		goto free_events;
	agentx_confine(o->session.master);
	status = event_base_dispatch(base) < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
	agentx_session_stop();
free_events:
	if (term)
		event_free(term);
	if (intr)
		event_free(intr);
	if (hup)
		event_free(hup);
	if (base)
		event_base_free(base);
	return status;
}

/*
 * Returns the client that reads, NULL if out of memory or if a path is too long. A thread of
 * its own serves dcbd's view socket: objects are read while dcbd is busy with a SET.
 */
static struct mo_client *new_reader(struct options *o)
{
	struct mo_client *client = mo_client_new(o->control, o->timeout_ms);
	const char *name = strrchr(o->control, '/');
	static char beside[PATH_MAX];

	if (!client)
		return NULL;
	snprintf(beside, sizeof(beside), "%.*sview", name ? (int)(name + 1 - o->control) : 0,
		 o->control);
	o->session.view = o->view ? o->view : beside;
	if (mo_client_use_view(client, o->session.view))
		return client;
	o->session.view = NULL; /* of a control socket whose path has the longest name */
	if (!o->view)
		return client;
	mo_client_free(client);
	return NULL;
}

static int start(int argc, char **argv)
{
	struct options o = {
	    .session = {.ping_s = 1, .control = DEFAULT_CONTROL},
	    .control = DEFAULT_CONTROL,
	    .timeout_ms = DEFAULT_TIMEOUT,
	    .level = LOG_LEVEL_INFO,
	};
	struct agentx_objects objects = {.mib = NULL};
	struct mib_cache *cache = NULL;
	struct mo_client *client, *reader = NULL;
	int status = parse_options(argc, argv, &o);
	int lock;

	if (status >= 0)
		return status;
	o.commit_ms = o.timeout_ms > COMMIT_MS_MIN ? o.timeout_ms : COMMIT_MS_MIN;
	o.session.request_s = (uint8_t)((o.commit_ms + 999) / 1000 + 1);
	o.session.reply_ms = o.timeout_ms > REPLY_MS_MIN ? o.timeout_ms : REPLY_MS_MIN;
	log_init("dcb-agentx", o.level, getenv("JOURNAL_STREAM") != NULL);
	signal(SIGHUP, SIG_IGN); /* until there is an event for it */
	lock = lock_master(o.session.master);
	if (lock < 0 || !drop_privileges(o.user))
		return EXIT_FAILURE;
	status = EXIT_FAILURE;
	client = mo_client_new(o.control, o.timeout_ms);
	if (client) {
		mo_client_commit_within(client, o.commit_ms);
		reader = new_reader(&o);
	}
	if (reader)
		cache = mib_cache_new(reader);
	if (cache)
		objects.mib = mib_new(cache);
	for (unsigned i = 0; i < o.n_modules && objects.mib; i++)
		mib_add_module(objects.mib, o.modules[i]);
	if (objects.mib)
		objects.txn = mib_txn_new(objects.mib, cache, client);
	if (objects.txn)
		status = run(&o, &objects);
	else
		/*
		 * Message: The program ends, or dcb.so serves nothing. The path of a Unix socket
		 * has at most 107 octets: use a shorter one, or free memory.
		 */
		log_error("agentx", "%s: path too long for a socket, or out of memory",
			  client && o.view ? o.view : o.control);
	mib_txn_free(objects.txn);
	mib_free(objects.mib);
	mib_cache_free(cache);
	mo_client_free(reader);
	mo_client_free(client);
	close(lock);
	return status;
}

int main(int argc, char **argv)
{
	standard_open();
	return standard_end("dcb-agentx", start(argc, argv), EXIT_FAILURE);
}
