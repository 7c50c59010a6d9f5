/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dcbctl storms --trace: where a pause comes from. The local system is read from dcbd, others by
 * snmpbulkwalk of Net-SNMP, at the management addresses that neighbors announce by LLDP.
 *
 * Choice: a process and not libnetsnmp, so that dcbctl does not parse what other systems answer in
 * its own memory as BER, needs no library of SNMP, and takes versions and users as the operator's
 * snmp.conf has them. It gets its arguments without a shell. The time and the octets of its output
 * have limits, as an agent can answer without end.
 *
 *   JSON  [{"ifIndex", "port", "priority", "hops": [{"system", "chassisId", "address", "ifIndex",
 *           "port", "paused", "storm", "pausedPercent", "pfcFramesPerSecond", "ofAllPriorities",
 *           "otherPorts", "neighbor": {"systemName", "chassisId", "portId", "managementAddress"}}],
 *           "end": {"reason", "cycle", "text"}}]
 */
#include "agent/cli/trace.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/cli/base/out.h"
#include "agent/cli/base/out_json.h"
#include "agent/cli/port/port.h"
#include "lib/clock.h"

#define SNMP_TOOL      "snmpbulkwalk"
#define WALK_SECONDS   60         /* of one walk */
#define WALK_OCTETS    (32 << 20) /* of its output */
#define SNMP_WORDS_MAX 64         /* of --snmp */
#define READS_APART_S  1.0

/* The status is CLI_FAILED if a way could not be followed, CLI_USAGE for an error. */
#define NOT_FOUND CLI_FAILED
#define TROUBLE   CLI_USAGE

enum { OPTION_TRACE, OPTION_SNMP };

const struct option cli_storms_long_options[] = {
    {"trace", no_argument, NULL, 't'},
    {"snmp", required_argument, NULL, 'm'},
    {NULL, 0, NULL, 0},
};

bool cli_storms_option(struct cli *cli, int c, const char *arg)
{
	cli->own_args[c == 't' ? OPTION_TRACE : OPTION_SNMP] = arg ? arg : "";
	return true;
}

struct tracer {
	struct cli *cli;
	char *snmp; /* --snmp, with zeros between the words */
	unsigned n_words;
	char *words[SNMP_WORDS_MAX];
	struct table_rows_ports chosen; /* n 0: all */
	unsigned priorities;            /* one bit each; 0: all */
	struct table_rows_all all;
	struct trace_system local;
	size_t n_systems; /* that have answered */
	struct trace_system **systems;
	json_t *traces; /* NULL: text */
	unsigned n;     /* printed */
	bool found;     /* the end of each is a source or a cycle */
};

/* --- the tool ------------------------------------------------------------------------------- */

struct output {
	int fd;
	size_t n, room;
	char *octets;
};

/* Starts the tool with its output in two pipes. Returns 0 or an errno. */
static int start_tool(char *const argv[], pid_t *pid, struct output *out, struct output *err)
{
	posix_spawn_file_actions_t actions;
	int outs[2], errs[2], error;

	if (pipe2(outs, O_CLOEXEC) < 0)
		return errno;
	if (pipe2(errs, O_CLOEXEC) < 0) {
		error = errno;
		close(outs[0]);
		close(outs[1]);
		return error;
	}
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, outs[1], STDOUT_FILENO);
	posix_spawn_file_actions_adddup2(&actions, errs[1], STDERR_FILENO);
	error = posix_spawnp(pid, argv[0], &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	close(outs[1]);
	close(errs[1]);
	*out = (struct output){.fd = outs[0]};
	*err = (struct output){.fd = errs[0]};
	return error;
}

/* Reads the octets that are in the pipe. Returns whether there can be more. */
static bool read_more(struct output *o)
{
	ssize_t n;

	if (o->room - o->n < 65536) {
		o->room += 65536;
		o->room *= 2;
		o->octets = out_alloc_check(realloc(o->octets, o->room));
	}
	n = read(o->fd, o->octets + o->n, o->room - o->n);
	o->n += n > 0 ? (size_t)n : 0;
	return n > 0 || (n < 0 && errno == EINTR);
}

/* Reads both to their ends. Returns NULL, or why the tool has to be stopped. */
static const char *read_all(struct output *out, struct output *err)
{
	struct dcb_time until = dcb_time_add_ns(clock_now(), (int64_t)WALK_SECONDS * DCB_NS_PER_S);
	struct pollfd fds[] = {{.fd = out->fd, .events = POLLIN},
			       {.fd = err->fd, .events = POLLIN}};

	while (fds[0].fd >= 0 || fds[1].fd >= 0) {
		int64_t left = dcb_time_diff_ns(until, clock_now()) / DCB_NS_PER_MS;

		if (left <= 0)
			return "the answers take too long";
		if (poll(fds, 2, (int)left) < 0 && errno != EINTR)
			return strerror(errno);
		if (fds[0].revents && !read_more(out))
			fds[0].fd = -1;
		if (fds[1].revents && !read_more(err))
			fds[1].fd = -1;
		if (out->n + err->n > WALK_OCTETS)
			return "the answers are too long";
	}
	return NULL;
}

/* Writes the first line of an error, without the name of the tool. */
static void error_line(const struct output *err, char why[TRACE_WHY_OCTETS])
{
	static const char name[] = SNMP_TOOL ": ";
	const char *text = err->octets ? err->octets : "";
	size_t len = err->n, at = 0;

	if (len > strlen(name) && memcmp(text, name, strlen(name)) == 0)
		at = strlen(name);
	for (size_t i = at; i < len; i++)
		if (text[i] == '\n')
			len = i;
	trace_text(why, TRACE_WHY_OCTETS, text + at, len - at);
	if (!why[0])
		snprintf(why, TRACE_WHY_OCTETS, "%s failed", SNMP_TOOL);
}

/* Waits for the end of the tool. Returns whether it was successful. */
static bool end_tool(pid_t pid, bool is_killed)
{
	int status;

	if (is_killed)
		kill(pid, SIGKILL);
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return false;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* Runs the tool. The caller frees out->octets. Returns whether it was successful. */
static bool run_tool(char *const argv[], struct output *out, enum trace_reason *reason,
		     char why[TRACE_WHY_OCTETS])
{
	struct output err = {.fd = -1};
	const char *stopped;
	pid_t pid = -1;
	bool good;
	int error = start_tool(argv, &pid, out, &err);

	if (error) {
		*reason = TRACE_NO_TOOL;
		snprintf(why, TRACE_WHY_OCTETS, "%s", strerror(error));
		if (err.fd >= 0) {
			close(out->fd);
			close(err.fd);
		}
		return false;
	}
	*reason = TRACE_NO_ANSWER;
	stopped = read_all(out, &err);
	close(out->fd);
	close(err.fd);
	good = end_tool(pid, stopped) && !stopped;
	if (stopped)
		snprintf(why, TRACE_WHY_OCTETS, "%s", stopped);
	else if (!good)
		error_line(&err, why);
	free(err.octets);
	return good;
}

/* --- systems by SNMP ------------------------------------------------------------------------ */

/* A system while it is read. */
struct asking {
	struct tracer *t;
	struct trace_system *s;
	enum trace_reason *reason;
	char *why;
};

static bool walk(const struct asking *a, enum trace_walk what, unsigned read)
{
	static const char *const before[] = {SNMP_TOOL, "-t", "2", "-r", "1"}, *const behind[] = {
										   "-m", "",
										   "-Onqx",
										   "-Cr40"};
	char target[TRACE_TARGET_OCTETS], root[TRACE_ROOT_OCTETS];
	char *argv[SNMP_WORDS_MAX + 16];
	struct output out = {.fd = -1};
	unsigned n = 0;
	bool good;

	if (!trace_target(a->s->address, target))
		return false;
	trace_root(what, root);
	for (size_t i = 0; i < sizeof(before) / sizeof(before[0]); i++)
		argv[n++] = (char *)(uintptr_t)before[i];
	for (unsigned i = 0; i < a->t->n_words; i++)
		argv[n++] = a->t->words[i];
	for (size_t i = 0; i < sizeof(behind) / sizeof(behind[0]); i++)
		argv[n++] = (char *)(uintptr_t)behind[i];
	argv[n++] = target;
	argv[n++] = root;
	argv[n] = NULL;
	good = run_tool(argv, &out, a->reason, a->why);
	if (good)
		trace_take(a->s, what, read, out.octets, out.n);
	free(out.octets);
	return good;
}

/* The neighbors: of dcbd, else of the LLDP agent by the modules of the standard. */
static bool walk_neighbors(const struct asking *a)
{
	static const enum trace_walk pairs[][2] = {{TRACE_LLDP_V2, TRACE_LLDP_V2_ADDRESSES},
						   {TRACE_LLDP, TRACE_LLDP_ADDRESSES}};

	if (!walk(a, TRACE_NEIGHBORS, 0))
		return false;
	for (size_t i = 0; i < 2 && a->s->n_neighbors == 0; i++)
		if (!walk(a, pairs[i][0], 0) || (a->s->n_neighbors > 0 && !walk(a, pairs[i][1], 0)))
			return false;
	return true;
}

/* The counters of dcb-agent, else those of the standard. */
static bool walk_counts(const struct asking *a, unsigned read)
{
	bool is_all = a->s->of_all_priorities;

	if (!is_all && (!walk(a, TRACE_PAUSE_TIME, read) || !walk(a, TRACE_FRAMES, read) ||
			!walk(a, TRACE_PAUSED, read)))
		return false;
	return (!is_all && a->s->n_ports > 0) || walk(a, TRACE_PORT_FRAMES, read);
}

static bool read_system(const struct asking *a)
{
	const struct cli_clock *clock = &a->t->cli->clock;
	double first = clock->now_s(), second;

	if (!walk_counts(a, 0))
		return false;
	if (a->s->n_ports == 0) {
		*a->reason = TRACE_NO_OBJECTS;
		return false;
	}
	if (!walk(a, TRACE_PORT_NAMES, 0) || !walk(a, TRACE_IF_NAMES, 0) ||
	    !walk(a, TRACE_IF_MACS, 0) || !walk_neighbors(a))
		return false;
	clock->sleep_until(first + READS_APART_S);
	second = clock->now_s();
	if (!walk_counts(a, 1))
		return false;
	trace_measure(a->s, second - first);
	return true;
}

/* Whether a system that has answered is that of the neighbor. */
static bool is_system_of(const struct trace_system *s, const struct trace_neighbor *n)
{
	return strcmp(s->chassis, n->chassis) == 0 || strcmp(s->address, n->address) == 0;
}

static const struct trace_system *ask(void *ctx, const struct trace_neighbor *n,
				      enum trace_reason *reason, char why[TRACE_WHY_OCTETS])
{
	struct tracer *t = ctx;
	struct trace_system *s;

	for (size_t i = 0; i < t->n_systems; i++)
		if (is_system_of(t->systems[i], n))
			return t->systems[i];
	s = out_alloc_check(calloc(1, sizeof(*s)));
	memcpy(s->chassis, n->chassis, sizeof(s->chassis));
	memcpy(s->address, n->address, sizeof(s->address));
	snprintf(s->name, sizeof(s->name), "%s", trace_neighbor_name(n));
	if (!read_system(&(struct asking){t, s, reason, why})) {
		trace_system_free(s);
		free(s);
		return NULL;
	}
	t->systems = out_alloc_check(realloc(t->systems, (t->n_systems + 1) * sizeof(*t->systems)));
	t->systems[t->n_systems++] = s;
	return s;
}

/* --- the local system ----------------------------------------------------------------------- */

static void take_text(char *to, size_t size, struct table_rows_at at, const char *object)
{
	const char *text = table_rows_text(at, object);

	trace_text(to, size, text, strlen(text));
}

static bool has(struct table_rows_at at, const char *object)
{
	at.col = &(struct table_rows_column){.object = object};
	return table_rows_has(at);
}

static void take_counts(struct trace_system *s, const struct table_rows_all *all, unsigned read)
{
	TABLE_ROWS_EACH (at, all, MO_pfc_pri, 0, NULL) {
		struct trace_port *port = trace_port(s, at.sub[0]);
		unsigned p = at.sub[1];
		struct trace_counts *c;

		if (!port || p >= TRACE_PRIORITIES)
			continue;
		c = &port->reads[read];
		c->paused_us[p] = (uint64_t)table_rows_num(at, MO_NAME(dcbPfcPriorityPauseTime));
		c->frames[p] = (uint64_t)table_rows_num(at, MO_NAME(dcbPfcPriorityIndications));
		c->has_paused |= (uint8_t)(has(at, MO_NAME(dcbPfcPriorityPauseTime)) << p);
		c->has_frames |= (uint8_t)(has(at, MO_NAME(dcbPfcPriorityIndications)) << p);
		c->is_paused |= (uint8_t)(table_rows_truth(at, MO_NAME(dcbPfcPriorityPaused)) << p);
	}
}

static void take_ports(struct tracer *t)
{
	struct utsname system;
	char name[TABLE_ROWS_PORT_OCTETS];

	(void)uname(&system);
	trace_text(t->local.name, sizeof(t->local.name), system.nodename, strlen(system.nodename));
	t->local.is_local = true;
	for (size_t i = 0; i < t->local.n_ports; i++) {
		struct trace_port *port = &t->local.ports[i];
		const char *own = table_rows_port_name(&t->all.ports, port->ifindex, name);

		trace_text(port->name, sizeof(port->name), own, strlen(own));
	}
	TABLE_ROWS_EACH (at, &t->all, MO_pfc_watchdog, 0, NULL) {
		struct trace_port *port = trace_port(&t->local, at.sub[0]);

		if (port && at.sub[1] < TRACE_PRIORITIES)
			port->pause[at.sub[1]].is_storm =
			    table_rows_num(at, MO_NAME(dcbPfcWatchdogState)) ==
			    MO_watchdog_state_storm;
	}
}

static void take_neighbors(struct tracer *t)
{
	TABLE_ROWS_EACH (at, &t->all, MO_neighbor, 0, NULL) {
		struct trace_neighbor *n = trace_neighbor(&t->local, at.sub[0], at.sub[1]);

		if (!n)
			continue;
		take_text(n->chassis, sizeof(n->chassis), at, MO_NAME(dcbNeighborChassisId));
		take_text(n->port, sizeof(n->port), at, MO_NAME(dcbNeighborPortId));
		take_text(n->name, sizeof(n->name), at, MO_NAME(dcbNeighborSystemName));
		trace_take_address(n, table_rows_text(at, MO_NAME(dcbNeighborManagement)));
	}
}

/* Reads the counters twice. The ports of dcbd of the second read are those of the first. */
static bool read_local(struct tracer *t)
{
	static const enum mo_table_id counts[] = {MO_pfc_pri, MO_TABLES},
				      tables[] = {MO_pfc_pri, MO_pfc_watchdog, MO_neighbor, MO_port,
						  MO_TABLES};
	struct table_rows_all before = {.cli = t->cli};
	double first, second;

	if (!table_rows_fetch(&before, counts)) {
		table_rows_free(&before);
		return false;
	}
	first = t->cli->clock.now_s();
	take_counts(&t->local, &before, 0);
	table_rows_free(&before);
	t->cli->clock.sleep_until(first + READS_APART_S);
	if (!table_rows_fetch(&t->all, tables))
		return false;
	second = t->cli->clock.now_s();
	take_counts(&t->local, &t->all, 1);
	take_ports(t);
	take_neighbors(t);
	trace_measure(&t->local, second - first);
	return true;
}

/* --- text ----------------------------------------------------------------------------------- */

/* Rounds to a number that is 0 only if the value is. */
static long whole(double value)
{
	return value > 0 && value < 1 ? 1 : lround(value);
}

static void print_pause(const struct trace_hop *hop, unsigned priority, FILE *f)
{
	const struct trace_pause *pause = &hop->port->pause[priority];

	if (pause->percent > 0)
		fprintf(f, "paused %ld %%", whole(pause->percent));
	else if (pause->percent < 0 && pause->rate > 0)
		fprintf(f, "%ld PFC frames/s%s", whole(pause->rate),
			hop->system->of_all_priorities ? " of all priorities" : "");
	else
		fputs(pause->is_on ? "paused" : "not paused", f);
	fputs(pause->is_storm ? ", a storm," : "", f);
}

static void print_hop(const struct trace *t, unsigned i, FILE *f)
{
	const struct trace_hop *hop = &t->hops[i];
	const struct trace_neighbor *n = hop->neighbor;
	char port[TRACE_NAME_OCTETS];

	fprintf(f, "%-2u %s (%s)  %s prio %u: ", i + 1, hop->system->name,
		hop->system->is_local ? "this system" : hop->system->address,
		trace_port_name(hop->port, port), t->priority);
	print_pause(hop, t->priority, f);
	if (n)
		fprintf(f, " by %s%s%s%s, port %s", trace_neighbor_name(n),
			n->address[0] ? " (" : "", n->address, n->address[0] ? ")" : "", n->port);
	if (hop->others)
		fprintf(f, "; %u other port%s paused", hop->others,
			hop->others == 1 ? " is" : "s are");
	fputc('\n', f);
}

static void print_text(const struct tracer *t, const struct trace *trace)
{
	FILE *f = t->cli->out;

	if (t->n)
		fputc('\n', f);
	for (unsigned i = 0; i < trace->n; i++)
		print_hop(trace, i, f);
	fprintf(f, "   %s\n", trace->text);
}

/* --- JSON ----------------------------------------------------------------------------------- */

static json_t *text_or_null(const char *text)
{
	return text[0] ? json_string(text) : json_null();
}

/* A whole number, of which 0 is exact; null if it is not known. */
static json_t *measured(double value)
{
	return value < 0 ? json_null() : json_integer(whole(value));
}

static json_t *neighbor_json(const struct trace_neighbor *n)
{
	json_t *o;

	if (!n)
		return json_null();
	o = out_alloc_check(json_object());
	out_json_put(o, "systemName", json_string(n->name));
	out_json_put(o, "chassisId", json_string(n->chassis));
	out_json_put(o, "portId", json_string(n->port));
	out_json_put(o, "managementAddress", text_or_null(n->address));
	return o;
}

static json_t *hop_json(const struct trace_hop *hop, unsigned priority)
{
	const struct trace_pause *pause = &hop->port->pause[priority];
	json_t *o = out_alloc_check(json_object());
	char port[TRACE_NAME_OCTETS];

	out_json_put(o, "system", json_string(hop->system->name));
	out_json_put(o, "chassisId", text_or_null(hop->system->chassis));
	out_json_put(o, "address", text_or_null(hop->system->address));
	out_json_put(o, "ifIndex", json_integer(hop->port->ifindex));
	out_json_put(o, "port", json_string(trace_port_name(hop->port, port)));
	out_json_put(o, "paused", json_boolean(pause->is_on));
	out_json_put(o, "storm", json_boolean(pause->is_storm));
	out_json_put(o, "pausedPercent", measured(pause->percent));
	out_json_put(o, "pfcFramesPerSecond", measured(pause->rate));
	out_json_put(o, "ofAllPriorities", json_boolean(hop->system->of_all_priorities));
	out_json_put(o, "otherPorts", json_integer(hop->others));
	out_json_put(o, "neighbor", neighbor_json(hop->neighbor));
	return o;
}

static json_t *trace_json(const struct trace *t)
{
	const struct trace_port *first = t->hops[0].port;
	json_t *o = out_alloc_check(json_object()), *hops = out_alloc_check(json_array()),
	       *end = out_alloc_check(json_object());
	char port[TRACE_NAME_OCTETS];

	for (unsigned i = 0; i < t->n; i++)
		out_json_append(hops, hop_json(&t->hops[i], t->priority));
	out_json_put(end, "reason", json_string(trace_reason_name(t->reason)));
	out_json_put(end, "cycle",
		     t->reason == TRACE_CYCLE ? json_integer(t->cycle + 1) : json_null());
	out_json_put(end, "text", json_string(t->text));
	out_json_put(o, "ifIndex", json_integer(first->ifindex));
	out_json_put(o, "port", json_string(trace_port_name(first, port)));
	out_json_put(o, "priority", json_integer(t->priority));
	out_json_put(o, "hops", hops);
	out_json_put(o, "end", end);
	return o;
}

/* --- the command ---------------------------------------------------------------------------- */

static void trace_one(struct tracer *t, const struct trace_port *port, unsigned priority)
{
	struct trace *trace = out_alloc_check(calloc(1, sizeof(*trace)));

	trace->priority = priority;
	trace_follow(trace, &t->local, port, ask, t);
	t->found &= trace->reason == TRACE_SOURCE || trace->reason == TRACE_CYCLE;
	if (t->traces)
		out_json_append(t->traces, trace_json(trace));
	else
		print_text(t, trace);
	t->n++;
	free(trace);
}

/* Where a way begins: a port and priority that are paused, or that the command names both. */
static bool begins(const struct tracer *t, const struct trace_port *port, unsigned priority)
{
	const struct trace_pause *pause = &port->pause[priority];

	if (!table_rows_ports_have(&t->chosen, port->ifindex) ||
	    (t->priorities && !(t->priorities >> priority & 1)))
		return false;
	return pause->is_on || pause->is_storm || (t->chosen.n > 0 && t->priorities);
}

static int trace_all(struct tracer *t)
{
	t->traces = t->cli->json ? out_alloc_check(json_array()) : NULL;
	t->found = true;
	for (size_t i = 0; i < t->local.n_ports; i++)
		for (unsigned p = 0; p < TRACE_PRIORITIES; p++)
			if (begins(t, &t->local.ports[i], p))
				trace_one(t, &t->local.ports[i], p);
	if (t->traces)
		out_json_write_as(t->traces, t->cli->out, !t->cli->pretty);
	else if (t->n == 0)
		/* Message: No port of the command is paused, so there is no way to follow. */
		fputs("no port is paused\n", t->cli->out);
	return t->n > 0 && t->found ? CLI_OK : NOT_FOUND;
}

static bool split_words(struct tracer *t)
{
	const char *text = t->cli->own_args[OPTION_SNMP];
	char *rest;

	t->snmp = out_alloc_check(strdup(text ? text : ""));
	for (char *word = strtok_r(t->snmp, " \t", &rest); word;
	     word = strtok_r(NULL, " \t", &rest)) {
		if (t->n_words == SNMP_WORDS_MAX) {
			/* Message: Put arguments that are always the same into snmp.conf(5). */
			cli_fail("--snmp: expected at most %u arguments", SNMP_WORDS_MAX);
			return false;
		}
		t->words[t->n_words++] = word;
	}
	return true;
}

/* Parses "[dev PORT ...] [prio PRIORITIES]". Returns CLI_OK, or TROUBLE after an error message. */
static int parse(struct tracer *t, const struct cli_command *self, int argc, char **argv)
{
	int n = 0, ports = 0;

	if (argc > 0 && strcmp(argv[0], "dev") == 0) {
		/* The first word is a port, even if its name is "prio". */
		for (n = 2; n < argc && strcmp(argv[n], "prio") != 0;)
			n++;
		ports = n - 1;
	}
	if (n > argc || (n < argc && (n + 2 != argc || strcmp(argv[n], "prio") != 0)))
		return cli_usage(self);
	if (n < argc && !(t->priorities = port_parse_priorities(argv[n + 1]))) {
		/* Message: as "%s %s: expected %s, not "%s"" */
		cli_fail("%s prio: expected priorities 0..7, such as 3 or 3,5, or all, not \"%s\"",
			 self->name, argv[n + 1]);
		return TROUBLE;
	}
	if (!split_words(t) ||
	    !table_rows_ports_parse(t->cli, &t->chosen, ports, argv + (ports > 0)))
		return TROUBLE;
	/* All ports are read: the way can return to any. */
	t->all.ports.names = t->chosen.names;
	return CLI_OK;
}

static bool ports_exist(struct tracer *t)
{
	bool good;

	t->all.ports.n = t->chosen.n;
	memcpy(t->all.ports.ifindex, t->chosen.ifindex, sizeof(t->chosen.ifindex));
	good = table_rows_ports_exist(&t->all, MO_port);
	t->all.ports.n = 0;
	return good;
}

static int run_trace(struct cli *cli, const struct cli_command *self, int argc, char **argv)
{
	struct tracer t = {.cli = cli, .all = {.cli = cli}};
	int rc = parse(&t, self, argc, argv);

	if (rc == CLI_OK)
		rc = read_local(&t) && ports_exist(&t) ? trace_all(&t) : TROUBLE;
	for (size_t i = 0; i < t.n_systems; i++) {
		trace_system_free(t.systems[i]);
		free(t.systems[i]);
	}
	free(t.systems);
	trace_system_free(&t.local);
	table_rows_free(&t.all);
	free(t.snmp);
	return rc;
}

int cmd_storms(struct cli *cli, const struct cli_command *self, int argc, char **argv)
{
	if (cli->own_args[OPTION_TRACE])
		return run_trace(cli, self, argc, argv);
	return cli->own_args[OPTION_SNMP] ? cli_usage(self) : cmd_port(cli, self, argc, argv);
}
