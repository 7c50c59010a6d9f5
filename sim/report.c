/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/report.h"

#include "dataplane/rbridge/rbridge.h"
#include "dataplane/station/station.h"
#include "sim/tally.h"

#include <inttypes.h>
#include <math.h>

#define ROWS_MAX 48 /* of a table; one line more counts the omitted rows */

static void put_title(const struct run *run, FILE *out)
{
	const struct scenario *scn = run->scn;

	fprintf(out, "%s%s%s, seed %" PRIu64 ", %.6g s: %" PRIu64 " frame events\n",
		scn->title ? scn->title : scn->path, scn->variant ? ", " : "",
		scn->variant ? scn->variant : "", run->sim.seed, (double)scn->duration_ns * 1e-9,
		run->sim.frame_events);
}

/* --- flows ----------------------------------------------------------------------------- */

static double lasted_s(const struct sim *sim, const struct sim_flow *flow)
{
	int64_t end_ns = flow->stats.complete_ns >= 0 ? flow->stats.complete_ns : sim->now.ns;

	if (flow->params.stop_ns < end_ns)
		end_ns = flow->params.stop_ns;
	return flow->params.start_ns < end_ns ? (double)(end_ns - flow->params.start_ns) * 1e-9 : 0;
}

static void put_flow(const struct sim *sim, const struct sim_flow *flow, FILE *out)
{
	const struct sim_flow_stats *s = &flow->stats;
	double seconds = lasted_s(sim, flow);

	fprintf(out, "  %-24s %10" PRIu64 " %10" PRIu64 " %9.1f", flow->name, s->made_frames,
		s->frames, seconds > 0 ? (double)s->octets * 8e-6 / seconds : 0);
	if (s->frames)
		fprintf(out, " %10.1f %9.1f", (double)s->latency_ns / (double)s->frames * 1e-3,
			(double)s->latency_max_ns * 1e-3);
	else
		fprintf(out, " %10s %9s", "-", "-");
	if (s->complete_ns >= 0)
		fprintf(out, " %11.3f", (double)(s->complete_ns - flow->params.start_ns) * 1e-6);
	fputc('\n', out);
}

static void put_flows(const struct sim *sim, FILE *out)
{
	if (sim->n_flows == 0)
		return;
	fprintf(out, "flows %31s %10s %9s %10s %9s %11s\n", "made", "delivered", "Mb/s",
		"latency us", "max us", "complete ms");
	for (uint32_t i = 0; i < sim->n_flows && i < ROWS_MAX; i++)
		put_flow(sim, &sim->flows[i], out);
	if (sim->n_flows > ROWS_MAX)
		fprintf(out, "  ... and %" PRIu32 " more\n", sim->n_flows - ROWS_MAX);
}

/* --- RoCEv2 ------------------------------------------------------------------------------- */

static void put_roce(const struct sim *sim, FILE *out)
{
	unsigned shown = 0;

	for (uint32_t i = 0; i < sim->n_flows && shown < ROWS_MAX; i++) {
		const struct sim_flow *flow = &sim->flows[i];

		if (!flow->params.roce)
			continue;
		if (shown++ == 0)
			fprintf(out, "RoCEv2 %30s %10s %9s\n", "resent", "CNPs", "DCQCN Mb/s");
		fprintf(out, "  %-24s %10" PRIu64 " %10" PRIu64, flow->name, flow->sender.resent,
			flow->cnps);
		if (flow->params.dcqcn)
			fprintf(out, " %10.1f\n", (double)dcqcn_rp_rate(&flow->rp).bps * 1e-6);
		else
			fprintf(out, " %10s\n", "-");
	}
}

/* --- links -------------------------------------------------------------------------------- */

static void put_link(const struct run *run, uint32_t i, FILE *out)
{
	const struct sim_link *link = &run->sim.links[i];
	char name[2 * SIM_NAME_OCTETS + 2];

	scn_link_name(run->scn, i, name, sizeof(name));
	fprintf(out, "  %-24s %10" PRIu64 " %9.1f %10" PRIu64 " %10" PRIu64 " %9" PRIu64 "\n", name,
		link->stats.frames, (double)link->stats.wire_octets * 8e3 / (double)run->sim.now.ns,
		probe_queue(link, SCN_ALL_PRIORITIES), probe_discards(link), link->stats.lost);
}

static void put_links(const struct run *run, FILE *out)
{
	uint32_t shown = 0, left = 0;

	fprintf(out, "links %31s %9s %10s %10s %9s\n", "frames", "Mb/s", "queued", "discards",
		"lost");
	for (uint32_t i = 0; i < run->sim.n_links; i++) {
		if (run->sim.links[i].stats.frames == 0)
			continue;
		if (shown++ < ROWS_MAX)
			put_link(run, i, out);
		else
			left++;
	}
	if (left)
		fprintf(out, "  ... and %" PRIu32 " more\n", left);
}

/* --- congestion points --------------------------------------------------------------------- */

static bool put_cp(const struct run *run, uint32_t i, unsigned priority, bool first, FILE *out)
{
	const struct sim_link *link = &run->sim.links[i];
	struct cp_stats cp;
	char name[2 * SIM_NAME_OCTETS + 2];

	port_read_cp(link->out, priority, &cp);
	if (!cp.cp_samples)
		return false;
	if (first)
		fprintf(out, "congestion points %4s %14s %10s %10s %10s %9s\n", "pri", "frames",
			"discards", "samples", "CNMs", "max queue");
	scn_link_name(run->scn, i, name, sizeof(name));
	fprintf(out,
		"  %-18s %1u %14" PRIu64 " %10" PRIu64 " %10" PRIu64 " %10" PRIu64 " %9" PRIu32
		"\n",
		name, priority, cp.cp_transmitted_frames, cp.cp_discarded_frames, cp.cp_samples,
		cp.cp_transmitted_cnms, cp.cp_qlen_peak);
	return true;
}

static void put_cps(const struct run *run, FILE *out)
{
	unsigned shown = 0;

	for (uint32_t i = 0; i < run->sim.n_links && shown < ROWS_MAX; i++) {
		/* Stations are left out: their queues are rarely the bottleneck. */
		if (!sim_forwards(run->sim.links[i].from->kind))
			continue;
		for (unsigned p = 0; p < DCB_PRIORITIES && shown < ROWS_MAX; p++)
			shown += put_cp(run, i, p, shown == 0, out);
	}
}

/* --- reaction points ----------------------------------------------------------------------- */

static bool put_rp(const struct sim_node *node, unsigned priority, unsigned index, bool first,
		   FILE *out)
{
	struct rp_stats rp = {0};

	station_read_rp(node->ports[0], priority, index, &rp);
	if (!rp.cnms)
		return false;
	if (first)
		fprintf(out, "reaction points %6s %3s %12s %10s %10s %8s\n", "pri", "RP", "frames",
			"CNMs", "Mb/s", "enabled");
	fprintf(out, "  %-18s %1u %3u %12" PRIu64 " %10" PRIu64 " %10.1f %8s\n", node->name,
		priority, index, rp.frames, rp.cnms, (double)rp.rp_current_rate * 1e-6,
		rp.rp_enabled ? "yes" : "no");
	return true;
}

static void put_rps(const struct sim *sim, FILE *out)
{
	unsigned shown = 0;

	for (uint32_t i = 0; i < sim->n_nodes && shown < ROWS_MAX; i++) {
		const struct sim_node *node = &sim->nodes[i];

		if (node->kind != SIM_STATION || node->n_ports == 0)
			continue;
		for (unsigned p = 0; p < DCB_PRIORITIES; p++) {
			unsigned rps = node->config->ports[0].config->rp_port_pri[p].rppp_max_rps;

			for (unsigned k = 1; k <= rps && shown < ROWS_MAX; k++)
				shown += put_rp(node, p, k, shown == 0, out);
		}
	}
}

/* --- RBridges ------------------------------------------------------------------------------ */

static void put_rbridge(const struct sim_node *node, FILE *out)
{
	struct trill_port_stats sum = {0};

	for (unsigned i = 0; i < node->n_ports; i++) {
		struct trill_port_stats s;

		rbridge_read_port(node->engine, (uint16_t)i, &s);
		sum.ingressed += s.ingressed;
		sum.transited += s.transited;
		sum.egressed += s.egressed;
		sum.cnm_transformed += s.cnm_transformed;
	}
	fprintf(out,
		"  %-18s %8" PRIu16 " %10" PRIu64 " %10" PRIu64 " %10" PRIu64 " %16" PRIu64 "\n",
		node->name, node->nickname, sum.ingressed, sum.transited, sum.egressed,
		sum.cnm_transformed);
}

static void put_rbridges(const struct sim *sim, FILE *out)
{
	unsigned shown = 0;

	for (uint32_t i = 0; i < sim->n_nodes && shown < ROWS_MAX; i++) {
		if (sim->nodes[i].kind != SIM_RBRIDGE)
			continue;
		if (shown++ == 0)
			fprintf(out, "RBridges %20s %10s %10s %10s %16s\n", "nickname", "ingress",
				"transit", "egress", "CNMs transformed");
		put_rbridge(&sim->nodes[i], out);
	}
}

static void put_cnms(const struct sim *sim, FILE *out)
{
	struct tally_cnms t;

	tally_cnms(sim, &t);
	if (!t.made)
		return;
	fprintf(out,
		"CNMs: %" PRIu64 " made, %" PRIu64 " received by their source, %" PRId64
		" on their way or lost as other frames\n",
		t.made, t.received, (int64_t)tally_cnms_missing(&t));
	fprintf(out,
		"  dropped: %" PRIu64 " for an RBridge itself, %" PRIu64
		" for control frames, %" PRIu64 " malformed, %" PRIu64 " forged, %" PRIu64
		" at an edge, %" PRIu64 " by stations\n",
		t.own, t.control, t.malformed, t.forged, t.edge, t.station);
}

void report_summary(struct run *run, FILE *out)
{
	put_title(run, out);
	put_flows(&run->sim, out);
	put_roce(&run->sim, out);
	put_links(run, out);
	put_cps(run, out);
	put_rps(&run->sim, out);
	put_rbridges(&run->sim, out);
	put_cnms(&run->sim, out);
}

/* --- assertions ---------------------------------------------------------------------------- */

static void put_target(const struct run *run, const struct scn_assert *a, FILE *out)
{
	char name[2 * SIM_NAME_OCTETS + 2];

	if (scn_metric_target(a->metric) == SCN_TARGET_NETWORK) {
		fprintf(out, "the network");
		return;
	}
	if (scn_metric_target(a->metric) == SCN_TARGET_FLOWS) {
		fprintf(out, "%s", a->flows);
		return;
	}
	scn_link_name(run->scn, a->link, name, sizeof(name));
	fprintf(out, "%s", name);
}

static void put_bounds(const struct scn_assert *a, FILE *out)
{
	if (!isinf(a->min) && !isinf(a->max))
		fprintf(out, "%.6g..%.6g", a->min, a->max);
	else if (!isinf(a->min))
		fprintf(out, "at least %.6g", a->min);
	else
		fprintf(out, "at most %.6g", a->max);
}

void report_asserts(const struct run *run, FILE *out)
{
	for (size_t i = 0; i < run->scn->n_asserts; i++) {
		const struct probe *probe = &run->probes[i];
		const struct scn_assert *a = probe->assert;

		/*
		 * Message "FAILED %s:%u: %s of %s %u..%u s: %s, expected %s": The metric is outside
		 * of the bounds of the assertion in this file and line. Use `--plot` or `--csv` to
		 * find the cause, then change the network or the bounds. If the value is `nan`, the
		 * run ended before the end of the measurement: use a longer `--duration`.
		 */
		fprintf(out, "%s %s:%u: %s of ", probe_holds(probe) ? "ok    " : "FAILED",
			run->scn->path, a->line, scn_metric_name(a->metric));
		put_target(run, a, out);
		fprintf(out, " %.6g..%.6g s: %.6g%s, expected ", (double)a->from_ns * 1e-9,
			(double)a->to_ns * 1e-9, probe->value, scn_metric_unit(a->metric));
		put_bounds(a, out);
		fputc('\n', out);
	}
}

void report_seed(const struct run *run, FILE *out)
{
	size_t failures = run_failures(run);

	fprintf(out, "seed %-4" PRIu64 " %s", run->sim.seed, failures ? "FAILED" : "ok    ");
	for (size_t i = 0; i < run->scn->n_asserts; i++) {
		const struct probe *probe = &run->probes[i];

		fprintf(out, " %s%s=%.5g", probe_holds(probe) ? "" : "!",
			scn_metric_name(probe->assert->metric), probe->value);
	}
	fputc('\n', out);
}
