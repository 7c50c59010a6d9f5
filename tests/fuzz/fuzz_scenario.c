/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A scenario with any content is either rejected with a message, or complete: its nodes, links,
 * flows, objects, events and assertions are those that a run relies on.
 */
#include <string.h>

#include "sim/scenario.h"
#include "tests/fuzz/fuzz.h"

/* libconfig 1.5 leaks the string it was scanning at a syntax error. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "detect_leaks=0";
}
/* ASAN_OPTIONS may switch it on again. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:libconfig\n";
}

static void check_nodes(const struct scenario *scn)
{
	FUZZ_ASSERT(scn->n_nodes > 0);
	for (size_t i = 0; i < scn->n_nodes; i++) {
		const struct scn_node *node = &scn->nodes[i];

		FUZZ_ASSERT(node->name[0] && strlen(node->name) < SIM_NAME_OCTETS);
		FUZZ_ASSERT(node->kind == SIM_BRIDGE || node->kind == SIM_STATION ||
			    node->kind == SIM_HOST);
		FUZZ_ASSERT(node->transit_ns >= 0 && node->response_ns >= 0);
	}
}

/* Only bridges have several links. */
static void check_links(const struct scenario *scn)
{
	unsigned *links = calloc(scn->n_nodes, sizeof(*links));

	FUZZ_ASSERT(links && scn->n_links > 0);
	for (size_t i = 0; i < scn->n_links; i++) {
		const struct scn_link *link = &scn->links[i];

		FUZZ_ASSERT(link->ends[0] != link->ends[1]);
		for (unsigned k = 0; k < 2; k++) {
			FUZZ_ASSERT(link->ends[k] < scn->n_nodes &&
				    link->cable.rate[k].bps >= 1000);
			FUZZ_ASSERT(links[link->ends[k]]++ == 0 ||
				    scn->nodes[link->ends[k]].kind == SIM_BRIDGE);
		}
	}
	free(links);
}

static void check_flows(const struct scenario *scn)
{
	for (size_t i = 0; i < scn->n_flows; i++) {
		const struct scn_flow *flow = &scn->flows[i];

		FUZZ_ASSERT(flow->from < scn->n_nodes && flow->to < scn->n_nodes);
		FUZZ_ASSERT(flow->from != flow->to && flow->name[0]);
		FUZZ_ASSERT(scn->nodes[flow->from].kind != SIM_BRIDGE);
		FUZZ_ASSERT(scn->nodes[flow->to].kind != SIM_BRIDGE);
		FUZZ_ASSERT(flow->params.priority < 8 && flow->params.start_ns >= 0);
		FUZZ_ASSERT(flow->params.start_ns < flow->params.stop_ns);
		FUZZ_ASSERT(flow->params.frame_octets <= scn->frame_octets);
		FUZZ_ASSERT(!flow->params.on_ns == !flow->params.off_ns);
	}
}

static void check_set(const struct scn_set *set)
{
	FUZZ_ASSERT(mo_is_writable(set->column));
	FUZZ_ASSERT(mo_validate(set->column, &set->value) == MO_NO_ERROR);
	FUZZ_ASSERT(set->priority >= SCN_ALL_PRIORITIES && set->priority < 8);
}

static void check_events(const struct scenario *scn)
{
	for (size_t i = 0; i < scn->n_sets; i++)
		check_set(&scn->sets[i]);
	for (size_t i = 0; i < scn->n_events; i++) {
		const struct scn_event *event = &scn->events[i];

		FUZZ_ASSERT(event->at_ns >= (i > 0 ? event[-1].at_ns : 0));
		if (event->kind == SCN_SET)
			check_set(&event->set);
		else
			FUZZ_ASSERT(event->link < 2 * scn->n_links);
		FUZZ_ASSERT(event->kind != SCN_RATE || event->rate.bps >= 1000);
	}
}

static void check_asserts(const struct scenario *scn)
{
	for (size_t i = 0; i < scn->n_asserts; i++) {
		const struct scn_assert *a = &scn->asserts[i];

		FUZZ_ASSERT(a->metric < SCN_METRICS && a->min <= a->max);
		FUZZ_ASSERT(a->from_ns >= 0 && a->from_ns < a->to_ns);
		FUZZ_ASSERT(a->to_ns <= scn->duration_ns && a->bin_ns > 0);
		if (scn_metric_target(a->metric) == SCN_TARGET_LINK)
			FUZZ_ASSERT(a->link < 2 * scn->n_links && !a->flows);
		else
			FUZZ_ASSERT(a->flows);
	}
	for (size_t i = 0; i < scn->n_watch; i++)
		FUZZ_ASSERT(scn->watch[i] < 2 * scn->n_links);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *path = fuzz_file(data, size);
	char err[512] = "";
	struct scenario scn;

	if (memmem(data, size, "@include", 8)) /* could name any file */
		return 0;
	if (!scenario_read(&scn, path, NULL, err, sizeof(err))) {
		FUZZ_ASSERT(strncmp(err, path, strlen(path)) == 0 && err[strlen(path)] == ':');
		return 0;
	}
	FUZZ_ASSERT(scn.duration_ns > scn.warmup_ns && scn.warmup_ns >= 0);
	FUZZ_ASSERT(scn.sample_ns > 0 && scn.trace_ns % scn.sample_ns == 0);
	check_nodes(&scn);
	check_links(&scn);
	check_flows(&scn);
	check_events(&scn);
	check_asserts(&scn);
	scenario_free(&scn);
	return 0;
}
