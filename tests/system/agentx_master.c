/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A scripted AgentX master that fails in every way, at every octet, for many
 * subagents at a time. In each round it resets the session of a subagent, fails
 * once while the subagent opens a session, registers, answers a request and
 * pings, and is sound from then on. It measures the time from then until the
 * subagent has registered all its roots in one session and answers a GetNext of
 * all of them.
 *
 *   agentx_master [-a] [-d DIR] [-j JOBS] [-k KIND] [-l LIMIT] [-n ROUNDS] [-r ROOTS]
 *                 [-s SEED] [-v] SUBAGENT [OPTION...]
 *
 *   -a         every kind of failure at every octet once, instead of random ones
 *   -d DIR     directory of the masters' sockets (.)
 *   -j JOBS    masters, each with a subagent of its own (8)
 *   -k KIND    only this kind of failure
 *   -l LIMIT   milliseconds after which a subagent counts as wedged (15000)
 *   -n ROUNDS  rounds in total (100)
 *   -r ROOTS   roots that a subagent has (6)
 *   -s SEED    seed of the random values (1)
 *   -v         print each round
 *
 * Each subagent is started with -x unix:DIR/m<job> and these options. The kinds:
 *
 *   dies       closes the connection, and listens again after 0 to 60 ms
 *   stops      does nothing for 0 to 1200 ms, then continues
 *   hangs      does nothing any more on this connection, but accepts others; the
 *              time begins when the subagent has sent something to it
 *   truncates  does not send the rest of a PDU, or does not handle the received one
 *   loses      handles a PDU and sends no Response
 *   repeats    sends a Response twice
 *   delays     sends a Response 0 to 700 ms late, after those to later PDUs
 *   announces  sends a header that announces 4 GB, and octets
 *
 * Prints a line of results: rounds, wedged, longest, average and memory, the growth
 * of the largest subagent in KB. Status 1 if a subagent was wedged or has ended.
 */
#include "tests/system/agentx_master.h"

#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define JOBS_MAX 64

static struct {
	bool all, verbose;
	const char *dir;
	int n_jobs, only;
	long rounds, limit_ms;
	unsigned roots;
	char **subagent;
	struct job jobs[JOBS_MAX];
	long next_round, done, wedged, longest_ms, sum_ms;
	long done_of[KINDS], longest_of[KINDS];
	long memory_kb;
} m = {.dir = ".", .n_jobs = 8, .only = -1, .rounds = 100, .limit_ms = 15000, .roots = 6};

/* --- rounds ------------------------------------------------------------------------- */

static void begin_round(struct job *j)
{
	if (j->active || m.next_round >= m.rounds)
		return;
	j->active = true;
	j->round = m.next_round++;
	j->failed = j->answered = false;
	j->begin_ms = now_ms();
	if (m.all) {
		j->kind = (enum kind)(m.only >= 0 ? m.only : j->round % KINDS);
		j->cut = 1 + (uint64_t)(m.only >= 0 ? j->round : j->round / KINDS) % j->total;
	} else {
		/* Half of them die. */
		j->kind = (enum kind)(random_below(2) ? DIES : random_below(KINDS));
		if (m.only >= 0)
			j->kind = (enum kind)m.only;
		j->cut = 1 + random_below(j->total);
	}
	job_close_all(j);
}

static void end_round(struct job *j, bool wedged)
{
	int64_t took = now_ms() - j->sound_ms;

	j->active = false;
	m.done++;
	if (wedged)
		m.wedged++;
	else if (took > m.longest_ms)
		m.longest_ms = took;
	m.sum_ms += wedged ? 0 : took;
	m.done_of[j->kind]++;
	if (!wedged && took > m.longest_of[j->kind])
		m.longest_of[j->kind] = took;
	if (m.verbose || wedged)
		printf("%s round %ld: job %d %s at octet %" PRIu64 " of %" PRIu64
		       ", %u roots, %" PRId64 " ms\n",
		       wedged ? "wedged:" : "", j->round, j->number, kind_names[j->kind], j->cut,
		       j->total, j->n_nodes, took);
}

static void tick(struct job *j, int64_t now)
{
	job_tick(j, now);
	if (j->active && j->answered)
		end_round(j, false);
	if (!j->active && j->total && !j->continue_ms)
		begin_round(j);
	if (j->active && now - (j->failed ? j->sound_ms : j->begin_ms) > m.limit_ms) {
		if (!j->failed)
			j->sound_ms = j->begin_ms;
		end_round(j, true);
	}
}

/* --- subagents ------------------------------------------------------------------------ */

static long memory_of(pid_t pid)
{
	char path[64], line[256];
	long kb = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	f = fopen(path, "r");
	while (f && fgets(line, sizeof(line), f))
		sscanf(line, "VmHWM: %ld", &kb);
	if (f)
		fclose(f);
	return kb;
}

static void start_subagent(struct job *j)
{
	char address[128], *argv[32];
	int n = 0;

	snprintf(address, sizeof(address), "unix:%s", j->path);
	for (char **arg = m.subagent; *arg && n < 29; arg++)
		argv[n++] = *arg;
	argv[n++] = "-x";
	argv[n++] = address;
	argv[n] = NULL;
	j->pid = fork();
	if (j->pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		execv(argv[0], argv);
		die("%s: %m", argv[0]);
	}
}

static void stop_subagents(void)
{
	for (int i = 0; i < m.n_jobs; i++) {
		struct job *j = &m.jobs[i];
		long grown = memory_of(j->pid) - j->memory_kb;
		int status;

		if (grown > m.memory_kb)
			m.memory_kb = grown;
		kill(j->pid, SIGTERM);
		if (waitpid(j->pid, &status, 0) != j->pid || status != 0)
			die("job %d: the subagent ended with status %d", i, status);
	}
}

/* --- main ------------------------------------------------------------------------------ */

static void serve(struct job *j, const struct pollfd *fds, int n)
{
	for (int i = 0; i < n; i++) {
		if (!fds[i].revents)
			continue;
		if (fds[i].fd == j->listener)
			job_accept(j);
		else
			job_receive(j, fds[i].fd);
	}
}

static int watch(const struct job *j, struct pollfd *fds)
{
	int n = 0;

	if (j->continue_ms)
		return 0;
	if (j->listener >= 0)
		fds[n++] = (struct pollfd){.fd = j->listener, .events = POLLIN};
	for (int i = 0; i < CONNS_MAX; i++)
		if (j->conns[i].fd >= 0)
			fds[n++] = (struct pollfd){.fd = j->conns[i].fd, .events = POLLIN};
	return n;
}

static void turn(void)
{
	static struct pollfd fds[JOBS_MAX * (CONNS_MAX + 1)];
	int first[JOBS_MAX + 1], n = 0;
	int64_t now;

	for (int i = 0; i < m.n_jobs; i++) {
		first[i] = n;
		n += watch(&m.jobs[i], fds + n);
	}
	first[m.n_jobs] = n;
	poll(fds, (nfds_t)n, 1);
	now = now_ms();
	for (int i = 0; i < m.n_jobs; i++) {
		struct job *j = &m.jobs[i];

		serve(j, fds + first[i], first[i + 1] - first[i]);
		tick(j, now);
	}
	if (waitpid(-1, NULL, WNOHANG) > 0)
		die("a subagent has ended");
}

static int kind_of(const char *name)
{
	for (int i = 0; i < KINDS; i++)
		if (strcmp(kind_names[i], name) == 0)
			return i;
	die("-k %s: no such kind", name);
}

static void options(int argc, char **argv)
{
	int c;

	while ((c = getopt(argc, argv, "+ad:j:k:l:n:r:s:v")) != -1) {
		switch (c) {
		case 'a':
			m.all = true;
			break;
		case 'd':
			m.dir = optarg;
			break;
		case 'j':
			m.n_jobs = atoi(optarg);
			break;
		case 'k':
			m.only = kind_of(optarg);
			break;
		case 'l':
			m.limit_ms = atol(optarg);
			break;
		case 'n':
			m.rounds = atol(optarg);
			break;
		case 'r':
			m.roots = (unsigned)atoi(optarg);
			break;
		case 's':
			random_start(strtoull(optarg, NULL, 0));
			break;
		case 'v':
			m.verbose = true;
			break;
		default:
			die("see the head of agentx_master.c");
		}
	}
	if (optind == argc || m.n_jobs < 1 || m.n_jobs > JOBS_MAX || m.roots > ROOTS_MAX)
		die("see the head of agentx_master.c");
	m.subagent = argv + optind;
}

/* The first conversation of each job has no failure: it shows the number of octets. */
static void await_first_conversations(void)
{
	int64_t end = now_ms() + 4 * m.limit_ms;
	bool all = false;

	while (!all) {
		turn();
		all = true;
		for (int i = 0; i < m.n_jobs; i++)
			all = all && m.jobs[i].total;
		if (now_ms() > end)
			die("a subagent does not open a session, register %u roots and ping",
			    m.roots);
	}
	for (int i = 0; i < m.n_jobs; i++)
		m.jobs[i].memory_kb = memory_of(m.jobs[i].pid);
	if (m.all)
		m.rounds = (long)m.jobs[0].total * (m.only >= 0 ? 1 : KINDS);
}

int main(int argc, char **argv)
{
	long rounds;

	setvbuf(stdout, NULL, _IOLBF, 0);
	options(argc, argv);
	rounds = m.rounds;
	m.rounds = 0;
	for (int i = 0; i < m.n_jobs; i++) {
		struct job *j = &m.jobs[i];

		j->number = i;
		for (int k = 0; k < CONNS_MAX; k++)
			j->conns[k].fd = -1;
		j->roots = m.roots;
		snprintf(j->path, sizeof(j->path), "%s/m%d", m.dir, i);
		job_listen(j);
		start_subagent(j);
	}
	await_first_conversations();
	if (!m.all)
		m.rounds = rounds;
	while (m.done < m.rounds)
		turn();
	stop_subagents();
	for (int k = 0; k < KINDS; k++)
		if (m.done_of[k])
			printf("%s: %ld, longest %ld ms\n", kind_names[k], m.done_of[k],
			       m.longest_of[k]);
	printf("rounds %ld wedged %ld longest %ld average %ld memory %ld\n", m.done, m.wedged,
	       m.longest_ms, m.done > m.wedged ? m.sum_ms / (m.done - m.wedged) : 0, m.memory_kb);
	return m.wedged ? 1 : 0;
}
