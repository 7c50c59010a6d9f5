/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Measures the processor time of an instance of SONiC's databases, with its turn of each second and
 * its reading of the configuration every 10 s, and that of its redis-server.
 *
 *   bench_sonic DATABASE_CONFIG PID [TURNS]
 *
 * PID: of the redis-server. Prints percent of a processor. Run by sonic.sh.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "dataplane/sonic/sonic_instance.h"
#include "lib/clock.h"

#define GOAL_PERCENT 2.0

static unsigned ports, changed;
static char lost[200];

static void post(void *arg, struct sonic_report *report)
{
	(void)arg;
	ports += report->type == SONIC_PORT_ADDED;
	changed += report->type == SONIC_PORT_CHANGED;
	if (report->type == SONIC_LOST)
		snprintf(lost, sizeof(lost), "%s", report->text);
	free(report);
}

static double seconds_of(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	const struct sonic_worker_params params = {.timeout_ms = 10000};
	unsigned turns = argc > 3 ? (unsigned)strtoul(argv[3], NULL, 10) : 60;
	struct dcb_time now = clock_now();
	struct sonic_instance *instance;
	static struct sonic_conf conf;
	double client, server, first;
	clockid_t of_server;
	char err[200] = "usage: bench_sonic DATABASE_CONFIG PID [TURNS]";

	if (argc < 3 || !sonic_conf_read(argv[1], &conf, err, sizeof(err)) ||
	    clock_getcpuclockid((pid_t)strtol(argv[2], NULL, 10), &of_server) != 0) {
		fprintf(stderr, "%s\n", err);
		return 2;
	}
	instance = sonic_instance_new(0, &params, -1, post, NULL);
	if (!instance)
		return 1;
	first = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
	sonic_instance_turn(instance, &conf.instance[0], now);
	client = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
	first = client - first;
	server = seconds_of(of_server);
	for (unsigned i = 0; i < turns && !lost[0]; i++) {
		now = dcb_time_add_ns(now, SONIC_POLL_NS);
		sonic_instance_turn(instance, &conf.instance[0], now);
	}
	client = (seconds_of(CLOCK_PROCESS_CPUTIME_ID) - client) * 100 / turns;
	server = (seconds_of(of_server) - server) * 100 / turns;
	sonic_instance_free(instance);
	if (lost[0]) {
		fprintf(stderr, "%s\n", lost);
		return 1;
	}
	printf("%u ports, %u turns, %u changes: dcbd %.2f %%, redis %.2f %%; first turn %.1f ms\n",
	       ports, turns, changed, client, server, first * 1000);
	printf("goal: at most %.0f %%: %s\n", GOAL_PERCENT,
	       client <= GOAL_PERCENT ? "met" : "missed");
	return 0;
}
