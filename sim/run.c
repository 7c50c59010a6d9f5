/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/run.h"

#include "sim/net/huge_pages.h"
#include "sim/net/lldp.h"
#include "sim/net/node.h"
#include "sim/net/threads.h"
#include "sim/objects.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Random streams of the destinations of flows, from this number; those of flows have lower ones. */
#define DESTINATION_STREAM (UINT64_C(2) << 32)

/* --- building ------------------------------------------------------------------------- */

static void make_nodes(struct run *run)
{
	static const struct sim_node_ops *const ops[] = {[SIM_BRIDGE] = &sim_bridge_ops,
							 [SIM_RBRIDGE] = &sim_rbridge_ops,
							 [SIM_STATION] = &sim_station_ops,
							 [SIM_HOST] = &sim_host_ops};

	for (uint32_t i = 0; i < run->sim.n_nodes; i++) {
		const struct scn_node *from = &run->scn->nodes[i];
		struct sim_node *node = &run->sim.nodes[i];

		memcpy(node->name, from->name, sizeof(node->name));
		node->kind = from->kind;
		node->nickname = from->nickname;
		node->settings = from->settings;
		node->transit_ns = from->transit_ns;
		node->response_ns = from->response_ns;
		node->frame_buffers = from->frame_buffers;
		node->ops = ops[from->kind];
	}
}

static bool connect_nodes(struct run *run)
{
	for (uint32_t i = 0; i < run->scn->n_links; i++) {
		const struct scn_link *link = &run->scn->links[i];

		if (!sim_connect(&run->sim, i, &run->sim.nodes[link->ends[0]],
				 &run->sim.nodes[link->ends[1]], &link->cable))
			return false;
	}
	return true;
}

static void set_campus(struct run *run)
{
	const struct scenario *scn = run->scn;

	run->sim.campus = (struct sim_campus){
	    .tree_root = scn->tree_root < 0 ? NULL : &run->sim.nodes[scn->tree_root],
	    .learning = scn->learning,
	    .next_hops = scn->next_hops,
	    .n_next_hops = scn->n_next_hops,
	};
}

/* Returns the destination of a flow: by a random stream of its own, if the scenario has a choice.
 */
static uint32_t destination(const struct run *run, uint32_t i)
{
	const struct scn_flow *flow = &run->scn->flows[i];
	uint32_t n = 0, node = 0, pick;
	struct dcb_rng rng;

	if (!flow->to_any[0])
		return flow->to;
	for (uint32_t k = 0; k < run->scn->n_nodes; k++)
		n += scn_is_destination(run->scn, flow, k);
	dcb_rng_seed(&rng, run->sim.seed, DESTINATION_STREAM + i);
	pick = dcb_rng_uniform(&rng, 0, n - 1);
	while (!scn_is_destination(run->scn, flow, node) || pick-- > 0)
		node++;
	return node;
}

static void make_flows(struct run *run)
{
	for (uint32_t i = 0; i < run->sim.n_flows; i++) {
		const struct scn_flow *from = &run->scn->flows[i];
		struct sim_flow *flow = &run->sim.flows[i];

		memcpy(flow->name, from->name, sizeof(flow->name));
		flow->from = &run->sim.nodes[from->from];
		flow->to = &run->sim.nodes[destination(run, i)];
		flow->params = from->params;
		flow->params.roce = run->scn->roce >> from->params.priority & 1;
		flow->params.dcqcn = run->scn->dcqcn >> from->params.priority & 1;
	}
}

static bool make_probes(struct run *run)
{
	const struct scenario *scn = run->scn;

	run->probes = calloc(scn->n_asserts + 1, sizeof(*run->probes));
	for (size_t i = 0; run->probes && i < scn->n_asserts; i++) {
		if (!probe_init(&run->probes[i], &run->sim, &scn->asserts[i]))
			return false;
	}
	return run->probes;
}

/*
 * Returns whether the frame buffers of each node hold its reserves and the headroom of its ports.
 * Otherwise priorities would be paused for good, and frames lost in spite of PFC; dcbd refuses
 * that.
 */
static bool check_memory(const struct sim *sim, char *err, size_t errlen)
{
	for (uint32_t i = 0; i < sim->n_nodes; i++) {
		const struct sim_node *node = &sim->nodes[i];
		const struct port_buffer_memory *memory = &node->set->memory.is;
		struct buffer_promises sum;
		struct buffer_plan plan = port_buffer_plan(node->config, memory, &sum);

		if (buffer_plan_fits(&plan))
			continue;
		/*
		 * Message: With these settings priorities would be paused for good, and frames lost
		 * in spite of PFC. They are checked at the start, after each `events` entry that
		 * sets an object, and with `lldp` each `sample`, because a node takes settings from
		 * its neighbors. Increase `frame_buffers` of the node, or reduce the headroom of
		 * its setting `pfc`.
		 */
		snprintf(err, errlen,
			 "%s: reserves and headroom of %" PRIu64
			 " frame buffers do not fit into "
			 "%" PRIu64 ": expected more frame_buffers, or less headroom",
			 node->name, sum.reserve.frames + sum.headroom.frames, memory->size.frames);
		return false;
	}
	return true;
}

bool run_init(struct run *run, const struct scenario *scn, uint64_t seed, uint32_t threads,
	      char *err, size_t errlen)
{
	char *memory = huge_pages_begin();
	bool ok;

	*run = (struct run){.scn = scn};
	/* Message: as "out of memory" */
	snprintf(err, errlen, "out of memory");
	huge_pages_keep_large(true);
	ok = sim_init(&run->sim, seed, (uint32_t)scn->n_nodes, (uint32_t)scn->n_links,
		      (uint32_t)scn->n_flows, scn->frame_octets);
	huge_pages_keep_large(false);
	if (!ok)
		return false;
	make_nodes(run);
	if (!connect_nodes(run))
		return false;
	set_campus(run);
	make_flows(run);
	if (threads > 1 && !sim_threads_divide(&run->sim, threads))
		return false;
	if (!sim_start(&run->sim, err, errlen) || !make_probes(run) ||
	    (scn->lldp && !sim_lldp_start(&run->sim, err, errlen)) ||
	    !sim_set_cnpvs(&run->sim, scn->cnpvs) || !sim_set_pfc(&run->sim, scn->pfc) ||
	    !sim_set_ecn(&run->sim, scn->dcqcn))
		return false;
	for (size_t i = 0; i < scn->n_sets; i++) {
		if (!sim_set_object(&run->sim, &scn->sets[i], err, errlen))
			return false;
	}
	huge_pages_use(memory, &run->sim.store);
	return check_memory(&run->sim, err, errlen);
}

void run_destroy(struct run *run)
{
	for (size_t i = 0; run->probes && i < run->scn->n_asserts; i++)
		probe_destroy(&run->probes[i]);
	free(run->probes);
	run->probes = NULL;
	sim_destroy(&run->sim);
}

/* --- running ------------------------------------------------------------------------------ */

static bool apply_event(struct run *run, const struct scn_event *event, char *err, size_t errlen)
{
	struct sim_link *link = &run->sim.links[event->link];

	switch (event->kind) {
	case SCN_SET:
		return sim_set_object(&run->sim, &event->set, err, errlen);
	case SCN_RATE:
		sim_set_rate(link, event->rate);
		return true;
	default:
		sim_set_up(link, event->kind == SCN_UP);
		return true;
	}
}

/*
 * Takes the samples of this time first, then applies the events of this time. With LLDP, neighbors
 * can have changed configurations since the last call.
 */
static bool sample_and_apply_events(struct run *run, int64_t now_ns, int64_t *tick_ns, char *err,
				    size_t errlen)
{
	const struct scenario *scn = run->scn;
	bool changed = scn->lldp;

	if (now_ns == *tick_ns) {
		for (size_t i = 0; i < scn->n_asserts; i++)
			probe_tick(&run->probes[i], now_ns);
		if (run->trace && now_ns % scn->trace_ns == 0)
			trace_tick(run->trace, &run->sim);
		*tick_ns += scn->sample_ns;
	}
	while (run->next_event < scn->n_events && scn->events[run->next_event].at_ns <= now_ns) {
		const struct scn_event *event = &scn->events[run->next_event++];

		if (!apply_event(run, event, err, errlen))
			return false;
		changed |= event->kind == SCN_SET;
	}
	return !changed || check_memory(&run->sim, err, errlen);
}

static double cpu_s(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

bool run_all(struct run *run, char *err, size_t errlen)
{
	const struct scenario *scn = run->scn;
	double began = cpu_s();
	int64_t tick_ns = 0;
	uint64_t steps = 0;
	bool ok = true;

	for (int64_t now_ns = 0; ok && now_ns <= scn->duration_ns;) {
		sim_run_until(&run->sim, (struct dcb_time){now_ns});
		ok = sample_and_apply_events(run, now_ns, &tick_ns, err, errlen);
		now_ns = tick_ns;
		if (run->next_event < scn->n_events && scn->events[run->next_event].at_ns < now_ns)
			now_ns = scn->events[run->next_event].at_ns;
		if (run->progress && ++steps % 256 == 0)
			run->progress(run, (double)now_ns / (double)scn->duration_ns);
	}
	run->cpu_s = cpu_s() - began;
	if (run->progress)
		run->progress(run, 1);
	return ok;
}

size_t run_failures(const struct run *run)
{
	size_t n = 0;

	for (size_t i = 0; i < run->scn->n_asserts; i++)
		n += !probe_holds(&run->probes[i]);
	return n;
}
