/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/scenario.h"

#include "dataplane/trill/trill.h"
#include "sim/scenario_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- settings of the top level ----------------------------------------------------- */

/* Reads an array of at most row->max priorities into a mask. */
static bool take_priorities(struct reader *r, const config_setting_t *s, const struct conf_row *row,
			    void *base)
{
	uint8_t *mask = (uint8_t *)base + row->offset;
	bool ok = conf_is_array(s);
	int64_t v;

	for (int i = 0; ok && i < config_setting_length(s); i++) {
		ok = conf_is_integer(config_setting_get_elem(s, (unsigned)i), 0, 7, &v);
		*mask |= ok ? (uint8_t)(1u << v) : 0;
	}
	if (!ok || __builtin_popcount(*mask) > (int)row->max)
		return conf_expected(r, s,
				     row->max == 7 ? "an array of up to seven priorities 0..7"
						   : "an array of priorities 0..7");
	return true;
}

/* clang-format off */
#define FIELD(field) offsetof(struct scenario, field), sizeof(((struct scenario *)0)->field)
#define TIME(name, field, min) {name, scn_take_time, FIELD(field), min, SCN_DURATION_MAX_NS, NULL}
#define LIST(name, take) {name, take, 0, 0, 0, 0, NULL}
static const struct conf_row top_rows[] = {
	{"title",    conf_take_string, FIELD(title), 1, 200, NULL},
	{"seed",     conf_take_number, FIELD(seed), 0, UINT32_MAX, NULL},
	TIME("duration", duration_ns, 1000),
	TIME("warmup", warmup_ns, 0),
	TIME("sample", sample_ns, 1000),
	TIME("trace", trace_ns, 1000),
	{"cnpvs",    take_priorities, FIELD(cnpvs), 0, 7, NULL},
	{"pfc",      take_priorities, FIELD(pfc), 0, 8, NULL},
	{"lldp",     conf_take_bool,  FIELD(lldp), 0, 1, NULL},
	LIST("nodes", scn_take_nodes),
	LIST("links", scn_take_links),
	LIST("tree_root", scn_take_tree_root),
	{"learning", conf_take_bool,  FIELD(learning), 0, 1, NULL},
	LIST("next_hops", scn_take_next_hops),
	LIST("flows", scn_take_flows),
	LIST("initial", scn_take_initial),
	LIST("events", scn_take_events),
	LIST("watch", scn_take_watch),
	LIST("assertions", scn_take_asserts),
	{NULL, NULL, 0, 0, 0, 0, NULL}
};
static const struct conf_row top = {"", conf_take_group, 0, 0, 0, 0, top_rows};
/* clang-format on */

static bool check(struct reader *r)
{
	const config_setting_t *root = conf_root(r);
	const struct scenario *scn = scn_of(r);

	if (scn->duration_ns == 0 || scn->n_nodes == 0 || scn->n_links == 0)
		/* Message: The scenario lacks one of these settings. */
		return conf_fail(r, root, "expected a duration, nodes and links");
	if (scn->warmup_ns >= scn->duration_ns)
		/*
		 * Message "expected a time below the duration, not %s": `warmup` is not below
		 * `duration`.
		 */
		return conf_expected(r, config_setting_get_member(root, "warmup"),
				     "a time below the duration");
	if (scn->trace_ns % scn->sample_ns)
		/* Message: Change `trace` or `sample`. */
		return conf_fail(r, root, "expected trace to be a multiple of sample");
	return true;
}

static bool has_rbridges(const struct scenario *scn)
{
	for (size_t i = 0; i < scn->n_nodes; i++) {
		if (scn->nodes[i].kind == SIM_RBRIDGE)
			return true;
	}
	return false;
}

/* Watches the links of the assertions: the default of "watch". */
static void watch_asserted(struct scenario *scn)
{
	for (size_t i = 0; i < scn->n_asserts; i++) {
		const struct scn_assert *a = &scn->asserts[i];
		size_t k = 0;

		if (scn_metric_target(a->metric) != SCN_TARGET_LINK)
			continue;
		while (k < scn->n_watch && scn->watch[k] != a->link)
			k++;
		if (k < scn->n_watch)
			continue;
		scn->watch = scn_grow(scn->watch, scn->n_watch, 1, sizeof(*scn->watch));
		scn->watch[scn->n_watch++] = a->link;
	}
}

bool scenario_read(struct scenario *scn, const char *path, char *err, size_t errlen)
{
	struct reader r = {.path = path, .err = err, .errlen = errlen, .whole = scn};
	bool ok;

	*scn = (struct scenario){
	    .seed = 1,
	    .sample_ns = 20 * DCB_NS_PER_US,
	    .trace_ns = DCB_NS_PER_MS,
	    .frame_octets = 1500,
	    .tree_root = -1,
	};
	scn->path = conf_alloc_check(strdup(path));
	ok = conf_open(&r) && conf_take_group(&r, conf_root(&r), &top, scn) && check(&r);
	conf_close(&r);
	if (!ok) {
		scenario_free(scn);
		return false;
	}
	scn_clear(&scn->node_by_name);
	scn_clear(&scn->link_by_ends);
	if (scn->n_watch == 0)
		watch_asserted(scn);
	if (has_rbridges(scn))
		scn->frame_octets += TRILL_ENCAPSULATION_MAX;
	return true;
}

static void free_set(struct scn_set *set)
{
	free(set->node);
	free(set->port);
}

void scenario_free(struct scenario *scn)
{
	for (size_t i = 0; i < scn->n_sets; i++)
		free_set(&scn->sets[i]);
	for (size_t i = 0; i < scn->n_events; i++)
		free_set(&scn->events[i].set);
	for (size_t i = 0; i < scn->n_asserts; i++)
		free(scn->asserts[i].flows);
	scn_clear(&scn->node_by_name);
	scn_clear(&scn->link_by_ends);
	free(scn->nodes);
	free(scn->links);
	free(scn->next_hops);
	free(scn->flows);
	free(scn->sets);
	free(scn->events);
	free(scn->asserts);
	free(scn->watch);
	free(scn->title);
	free(scn->path);
	*scn = (struct scenario){0};
}
