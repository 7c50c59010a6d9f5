/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/probe.h"

#include "sim/tally.h"

#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>

/* Returns whether the metric is calculated from the octets of each flow. */
static bool measures_flows(const struct scn_assert *a)
{
	return scn_metric_target(a->metric) == SCN_TARGET_FLOWS && a->metric != SCN_CNMS_RECEIVED &&
	       a->metric != SCN_CNPS_RECEIVED && a->metric != SCN_RESENT;
}

bool probe_init(struct probe *probe, struct sim *sim, const struct scn_assert *assert)
{
	*probe = (struct probe){.assert = assert, .sim = sim, .value = NAN};
	if (!measures_flows(assert))
		return true;
	probe->flows_began = calloc(sim->n_flows + 1, sizeof(*probe->flows_began));
	return probe->flows_began;
}

void probe_destroy(struct probe *probe)
{
	free(probe->flows_began);
}

/* --- queues and counters ------------------------------------------------------------- */

uint64_t probe_queue(const struct sim_link *link, int priority)
{
	uint64_t sum = 0;

	if (priority != SCN_ALL_PRIORITIES)
		return port_queue(link->out, (unsigned)priority)->octets;
	for (unsigned i = 0; i < PORT_QUEUES; i++)
		sum += link->out->queues.queue[i].octets;
	return sum;
}

uint64_t probe_discards(const struct sim_link *link)
{
	return link->out->stats.discard_queue + link->out->stats.discard_no_buffer;
}

uint64_t probe_pfc_discards(const struct sim_link *link)
{
	uint64_t sum = 0;

	for (unsigned p = 0; p < DCB_PRIORITIES; p++)
		sum += link->in->pfc.stats[p].pfc_discards;
	return sum;
}

uint64_t probe_cnms(const struct sim_link *link)
{
	uint64_t sum = 0;

	for (unsigned p = 0; p < DCB_PRIORITIES; p++)
		sum += link->out->cn.cp_stats[p].cp_transmitted_cnms;
	return sum;
}

static uint64_t ecn_marked(const struct sim_link *link)
{
	struct ecn_stats stats;
	uint64_t sum = 0;

	for (unsigned p = 0; p < DCB_PRIORITIES; p++) {
		port_read_ecn(link->out, p, &stats);
		sum += stats.marked;
	}
	return sum;
}

/* The sum of the priorities of the sending port. */
static uint64_t paused_ns(const struct sim_link *link)
{
	struct pfc_stats stats;
	uint64_t sum = 0;

	for (unsigned p = 0; p < DCB_PRIORITIES; p++) {
		port_read_pfc(link->out, p, &stats);
		sum += stats.pfc_paused_ns;
	}
	return sum;
}

static bool is_selected(const struct probe *probe, const struct sim_flow *flow)
{
	return fnmatch(probe->assert->flows, flow->name, 0) == 0;
}

/* Returns the CNMs received by the stations that send the selected flows. */
static uint64_t cnms_received(const struct probe *probe)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < probe->sim->n_nodes; i++) {
		const struct sim_node *node = &probe->sim->nodes[i];
		unsigned k = 0;

		while (k < node->app.n_flows && !is_selected(probe, node->app.flows[k]))
			k++;
		if (k < node->app.n_flows)
			sum += tally_cnms_received(node);
	}
	return sum;
}

/* Returns the CNPs received for the selected flows, or their frames sent again. */
static uint64_t roce_counter(const struct probe *probe)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < probe->sim->n_flows; i++) {
		const struct sim_flow *flow = &probe->sim->flows[i];

		if (is_selected(probe, flow))
			sum +=
			    probe->assert->metric == SCN_RESENT ? flow->sender.resent : flow->cnps;
	}
	return sum;
}

static uint64_t paused_all_ns(const struct sim *sim)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < sim->n_links; i++)
		sum += paused_ns(&sim->links[i]);
	return sum;
}

static uint64_t network_counter(const struct probe *probe)
{
	struct tally_cnms cnms;

	if (probe->assert->metric == SCN_FRAMES_LOST)
		return tally_frames_lost(probe->sim);
	if (probe->assert->metric == SCN_PAUSED_ALL)
		return paused_all_ns(probe->sim);
	tally_cnms(probe->sim, &cnms);
	return probe->assert->metric == SCN_CNMS_DROPPED ? tally_cnms_dropped(&cnms)
							 : tally_cnms_missing(&cnms);
}

static uint64_t counter_of(const struct probe *probe)
{
	const struct sim_link *link = &probe->sim->links[probe->assert->link];

	switch (probe->assert->metric) {
	case SCN_CNMS_RECEIVED:
		return cnms_received(probe);
	case SCN_CNPS_RECEIVED:
	case SCN_RESENT:
		return roce_counter(probe);
	case SCN_FRAMES_LOST:
	case SCN_PAUSED_ALL:
	case SCN_CNMS_DROPPED:
	case SCN_CNMS_MISSING:
		return network_counter(probe);
	case SCN_UTILISATION:
	case SCN_RECOVERY:
		return link->stats.wire_octets;
	case SCN_DISCARDS:
		return probe_discards(link);
	case SCN_CNMS:
		return probe_cnms(link);
	case SCN_PFC_DISCARDS:
		return probe_pfc_discards(link);
	case SCN_PFC_FRAMES:
		return link->stats.controls;
	case SCN_TRANSIT_DISCARDS:
		return link->out->stats.discard_transit;
	case SCN_PAUSED:
		return paused_ns(link);
	case SCN_ECN_MARKED:
		return ecn_marked(link);
	default:
		return 0;
	}
}

/* --- windows --------------------------------------------------------------------------- */

static void read_counters(struct probe *probe)
{
	if (!probe->flows_began) {
		probe->began = counter_of(probe);
		return;
	}
	for (uint32_t i = 0; i < probe->sim->n_flows; i++)
		probe->flows_began[i] = probe->sim->flows[i].stats.octets;
}

/* Returns the share of the link's rate that was used since the counter was read. */
static double share(const struct probe *probe, int64_t lasted_ns)
{
	const struct sim_link *link = &probe->sim->links[probe->assert->link];
	double could = (double)link->rate.bps * (double)lasted_ns * 1e-9;

	return (double)(counter_of(probe) - probe->began) * 8 / could;
}

/* Updates mean and squared deviations by Welford's algorithm. */
static void sample_queue(struct probe *probe)
{
	const struct scn_assert *a = probe->assert;
	double octets = (double)probe_queue(&probe->sim->links[a->link], a->priority);
	double off = octets - probe->mean;

	probe->samples++;
	probe->empty += octets == 0;
	probe->mean += off / (double)probe->samples;
	probe->squares += off * (octets - probe->mean);
	if (octets > probe->highest)
		probe->highest = octets;
}

static void end_bin(struct probe *probe, int64_t now_ns)
{
	const struct scn_assert *a = probe->assert;

	if (probe->recovered || (now_ns - a->from_ns) % a->bin_ns)
		return;
	if (share(probe, a->bin_ns) >= a->of) {
		probe->recovered = true;
		probe->value = (double)(now_ns - a->from_ns) * 1e-9;
	}
	probe->began = counter_of(probe);
}

/* --- results ------------------------------------------------------------------------------ */

double probe_jain(const double *x, size_t n)
{
	double sum = 0, squares = 0;

	for (size_t i = 0; i < n; i++) {
		sum += x[i];
		squares += x[i] * x[i];
	}
	return squares > 0 ? sum * sum / ((double)n * squares) : 0;
}

static double flow_result(const struct probe *probe)
{
	const struct scn_assert *a = probe->assert;
	double seconds = (double)(a->to_ns - a->from_ns) * 1e-9;
	double *x = malloc(probe->sim->n_flows * sizeof(*x));
	double value = 0, least = INFINITY, most = 0;
	size_t n = 0;

	if (!x)
		return NAN;
	for (uint32_t i = 0; i < probe->sim->n_flows; i++) {
		const struct sim_flow *flow = &probe->sim->flows[i];

		if (!is_selected(probe, flow))
			continue;
		x[n] = (double)(flow->stats.octets - probe->flows_began[i]) * 8 / seconds;
		value += x[n];
		least = fmin(least, x[n]);
		most = fmax(most, x[n++]);
	}
	if (a->metric == SCN_JAIN)
		value = probe_jain(x, n);
	free(x);
	return a->metric == SCN_GOODPUT_MIN ? least : a->metric == SCN_GOODPUT_MAX ? most : value;
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/*
 * Returns a percentile (nearest rank) of the times in s from a flow's start to the arrival of its
 * last frame: the longest one for 100.
 */
static double completion(const struct probe *probe)
{
	double *x = malloc(probe->sim->n_flows * sizeof(*x)), value;
	size_t n = 0;

	if (!x)
		return NAN;
	for (uint32_t i = 0; i < probe->sim->n_flows; i++) {
		const struct sim_flow *flow = &probe->sim->flows[i];
		int64_t took_ns = flow->stats.complete_ns - flow->params.start_ns;

		if (is_selected(probe, flow))
			x[n++] = flow->stats.complete_ns < 0 ? INFINITY : (double)took_ns * 1e-9;
	}
	qsort(x, n, sizeof(*x), ascending);
	value = x[(size_t)ceil(probe->assert->percentile / 100 * (double)n) - 1];
	free(x);
	return value;
}

static double result(const struct probe *probe)
{
	const struct scn_assert *a = probe->assert;

	switch (a->metric) {
	case SCN_UTILISATION:
		return share(probe, a->to_ns - a->from_ns);
	case SCN_QUEUE_MEAN:
		return probe->mean;
	case SCN_QUEUE_SD:
		return sqrt(probe->squares / (double)probe->samples);
	case SCN_QUEUE_MAX:
		return probe->highest;
	case SCN_QUEUE_EMPTY:
		return (double)probe->empty / (double)probe->samples;
	case SCN_DISCARDS:
	case SCN_CNMS:
	case SCN_PFC_DISCARDS:
	case SCN_PFC_FRAMES:
	case SCN_TRANSIT_DISCARDS:
	case SCN_ECN_MARKED:
	case SCN_CNMS_RECEIVED:
	case SCN_CNPS_RECEIVED:
	case SCN_RESENT:
	case SCN_FRAMES_LOST:
	case SCN_CNMS_DROPPED:
		return (double)(counter_of(probe) - probe->began);
	case SCN_PAUSED:
	case SCN_PAUSED_ALL:
		return (double)(counter_of(probe) - probe->began) * 1e-9;
	case SCN_CNMS_MISSING: /* below 0 if CNMs were on their way at from_ns */
		return (double)(int64_t)(counter_of(probe) - probe->began);
	case SCN_RECOVERY:
		return probe->recovered ? probe->value : INFINITY;
	case SCN_COMPLETION:
		return completion(probe);
	default:
		return flow_result(probe);
	}
}

static bool is_queue_metric(enum scn_metric metric)
{
	return metric >= SCN_QUEUE_MEAN && metric <= SCN_QUEUE_EMPTY;
}

void probe_tick(struct probe *probe, int64_t now_ns)
{
	const struct scn_assert *a = probe->assert;

	if (now_ns == a->from_ns)
		read_counters(probe);
	if (now_ns <= a->from_ns || now_ns > a->to_ns)
		return;
	if (is_queue_metric(a->metric))
		sample_queue(probe);
	else if (a->metric == SCN_RECOVERY)
		end_bin(probe, now_ns);
	if (now_ns == a->to_ns)
		probe->value = result(probe);
}

bool probe_holds(const struct probe *probe)
{
	return probe->value >= probe->assert->min && probe->value <= probe->assert->max;
}
