/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Compares the intervals of dcb-pfcgen with those of a plain loop that sleeps until
 * each frame is due with clock_nanosleep(2). Both use the same socket, in turn.
 *
 *   bench_pace IF MICROSECONDS SECONDS REPETITIONS
 *
 * The plain loop and one of the runs of dcb-pfcgen ("ordinary") have no real time, the other one
 * ("pace") has what dcbctl asks for.
 *
 * Prints a line for each run: subject=plain|ordinary|pace rep=N frames=N missed=N, and the
 * differences between actual and requested intervals in nanoseconds: median=N p99=N
 * max=N; and the processor time of a frame: cpu_ns=N.
 */
#include "agent/pfcgen/pfcgen.h"
#include "tests/bench/interval.h"

#include <inttypes.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#define DEFAULT_SLACK_NS 50000 /* default timer slack of a process */

static struct {
	struct pace_host host; /* functions of the socket */
	int64_t interval_ns;
	struct dcb_time last;
	uint64_t frames;
	double cpu;           /* processor time at the start of the run, seconds */
	struct histogram off; /* differences from the requested interval, absolute values */
} bench;

static int send_and_note(void *ctx, const uint8_t *frame, size_t octets)
{
	struct dcb_time now = bench.host.now(ctx);

	if (bench.frames++ > 0)
		histogram_add(&bench.off,
			      llabs(dcb_time_diff_ns(now, bench.last) - bench.interval_ns));
	bench.last = now;
	return bench.host.send(ctx, frame, octets);
}

static void begin(int64_t interval_ns)
{
	memset(&bench.off, 0, sizeof(bench.off));
	bench.frames = 0;
	bench.interval_ns = interval_ns;
	bench.cpu = clock_s(CLOCK_PROCESS_CPUTIME_ID);
}

static void say(const char *subject, unsigned long rep, uint64_t missed)
{
	double cpu = clock_s(CLOCK_PROCESS_CPUTIME_ID) - bench.cpu;

	printf("subject=%s rep=%lu frames=%" PRIu64 " missed=%" PRIu64 " median=%" PRId64
	       " p99=%" PRId64 " max=%" PRId64 " cpu_ns=%.0f\n",
	       subject, rep, bench.frames, missed, histogram_quantile(&bench.off, 500),
	       histogram_quantile(&bench.off, 990), bench.off.max_ns,
	       bench.frames ? cpu * 1e9 / (double)bench.frames : 0);
}

/* The simple implementation, for comparison. */
static void plain(const struct pace_params *p)
{
	struct dcb_time start = bench.host.now(bench.host.ctx), due = start;

	prctl(PR_SET_TIMERSLACK, (unsigned long)DEFAULT_SLACK_NS, 0L, 0L, 0L);
	while (dcb_time_diff_ns(due, start) < p->duration_ns) {
		send_and_note(bench.host.ctx, p->frame, p->octets);
		due = dcb_time_add_ns(due, p->interval_ns);
		bench.host.sleep_until(bench.host.ctx, due);
	}
}

/* Begins the host again, as dcbctl does: without real time. */
static void reset(int *fd)
{
	const struct sched_param none = {0};

	if (sched_setscheduler(0, SCHED_OTHER | SCHED_RESET_ON_FORK, &none) < 0)
		perror("bench_pace: SCHED_OTHER");
	pfcgen_socket_host(fd, &bench.host);
}

static void pace(const struct pace_params *p, struct pace_report *report)
{
	struct pace_host host = bench.host;

	prctl(PR_SET_TIMERSLACK, 1L, 0L, 0L, 0L);
	host.send = send_and_note;
	pace_run(p, &host, report);
}

int main(int argc, char **argv)
{
	static struct pace_report report;
	struct pfcgen_options o = {.enable = 0x08};
	struct pfc_plan plan;
	struct pfc_port port;
	char err[256];
	int fd;

	if (argc != 5) {
		fprintf(stderr, "usage: bench_pace IF MICROSECONDS SECONDS REPETITIONS\n");
		return 2;
	}
	fd = pfcgen_socket_open(argv[1], &port, err, sizeof(err));
	if (fd < 0) {
		fprintf(stderr, "bench_pace: %s\n", err);
		return 1;
	}
	o.interval_ns = atol(argv[2]) * DCB_NS_PER_US;
	o.duration_ns = (int64_t)(atof(argv[3]) * 1e9);
	pfcgen_plan(&o, &port, &plan);
	for (unsigned long rep = 1; rep <= strtoul(argv[4], NULL, 10); rep++) {
		reset(&fd);
		begin(o.interval_ns);
		plain(&plan.pace);
		say("plain", rep, 0);
		begin(o.interval_ns);
		pace(&plan.pace, &report);
		say("ordinary", rep, report.missed);
		if (pfcgen_socket_real_time(&plan.pace) != 0)
			continue; /* there is no run of this kind */
		begin(o.interval_ns);
		pace(&plan.pace, &report);
		say("pace", rep, report.missed);
	}
	return 0;
}
