/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/scenario.h"

#include "dataplane/trill/trill.h"
#include "sim/scenario_private.h"

#include <math.h>
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

/* The setting was read before the others of its group. */
static bool take_nothing(struct reader *r, const config_setting_t *s, const struct conf_row *row,
			 void *base)
{
	(void)r, (void)s, (void)row, (void)base;
	return true;
}

/* clang-format off */
#define FIELD(field) offsetof(struct scenario, field), sizeof(((struct scenario *)0)->field)
#define TIME(name, field, min) {name, scn_take_time, FIELD(field), min, SCN_DURATION_MAX_NS, NULL}
#define LIST(name, take) {name, take, 0, 0, 0, 0, NULL}
static const struct conf_row variant_rows[] = {
	{"name",     take_nothing, 0, 0, 0, 0, NULL},
	{"cnpvs",    take_priorities, FIELD(cnpvs), 0, 7, NULL},
	{"pfc",      take_priorities, FIELD(pfc), 0, 8, NULL},
	{"roce",     take_priorities, FIELD(roce), 0, 8, NULL},
	{"dcqcn",    take_priorities, FIELD(dcqcn), 0, 8, NULL},
	LIST("initial", scn_take_initial),
	{NULL, NULL, 0, 0, 0, 0, NULL}
};
static const struct conf_row variant_row = {"", conf_take_group, 0, 0, 0, 0, variant_rows};
/* clang-format on */

static bool is_variant(const struct scenario *scn, const char *name)
{
	for (size_t i = 0; i < scn->n_variants; i++) {
		if (strcmp(scn->variants[i], name) == 0)
			return true;
	}
	return false;
}

static bool add_variant(struct reader *r, const config_setting_t *e, void *base)
{
	struct scenario *scn = base;
	const config_setting_t *s =
	    config_setting_is_group(e) ? config_setting_get_member(e, "name") : NULL;
	const char *name = s ? config_setting_get_string(s) : NULL;

	if (!name || !name[0] || is_variant(scn, name))
		return conf_expected(r, s ? s : e, "a group with a name that no other variant has");
	scn->variants = scn_grow(scn->variants, scn->n_variants, 1, sizeof(*scn->variants));
	scn->variants[scn->n_variants++] = conf_alloc_check(strdup(name));
	if (!scn->variant)
		scn->variant = scn->variants[0];
	return strcmp(name, scn->variant) != 0 || conf_take_group(r, e, &variant_row, scn);
}

/* Takes the settings of the variant that is to be read. */
static bool take_variants(struct reader *r, const config_setting_t *s, const struct conf_row *row,
			  void *base)
{
	struct scenario *scn = base;

	(void)row;
	if (!conf_each(r, s, "a list ( { ... }, ... )", add_variant, scn))
		return false;
	if (scn->variant && !is_variant(scn, scn->variant))
		/* Message: `--variant` names none of the variants of this scenario. */
		return conf_fail(r, s, "expected a variant named %s", scn->variant);
	return true;
}

/* clang-format off */
static const struct conf_row top_rows[] = {
	{"title",    conf_take_string, FIELD(title), 1, 200, NULL},
	{"seed",     conf_take_number, FIELD(seed), 0, UINT32_MAX, NULL},
	TIME("duration", duration_ns, 1000),
	TIME("warmup", warmup_ns, 0),
	TIME("sample", sample_ns, 1000),
	TIME("trace", trace_ns, 1000),
	{"cnpvs",    take_priorities, FIELD(cnpvs), 0, 7, NULL},
	{"pfc",      take_priorities, FIELD(pfc), 0, 8, NULL},
	{"roce",     take_priorities, FIELD(roce), 0, 8, NULL},
	{"dcqcn",    take_priorities, FIELD(dcqcn), 0, 8, NULL},
	{"lldp",     conf_take_bool,  FIELD(lldp), 0, 1, NULL},
	LIST("nodes", scn_take_nodes),
	LIST("links", scn_take_links),
	LIST("tree_root", scn_take_tree_root),
	{"learning", conf_take_bool,  FIELD(learning), 0, 1, NULL},
	LIST("next_hops", scn_take_next_hops),
	LIST("flows", scn_take_flows),
	LIST("initial", scn_take_initial),
	LIST("variants", take_variants),
	LIST("events", scn_take_events),
	LIST("watch", scn_take_watch),
	LIST("assertions", scn_take_asserts),
	{NULL, NULL, 0, 0, 0, 0, NULL}
};
static const struct conf_row top = {"", conf_take_group, 0, 0, 0, 0, top_rows};
/* clang-format on */

/* A frame of RoCEv2 has more headers. */
static bool check_roce(struct reader *r)
{
	struct scenario *scn = scn_of(r);

	scn->roce |= scn->dcqcn;
	for (size_t i = 0; i < scn->n_flows; i++) {
		const struct sim_flow_params *p = &scn->flows[i].params;

		if ((scn->roce >> p->priority & 1) && p->frame_octets < SIM_ROCE_OCTETS_MIN)
			/* Message: Change `frame` of the flow, or `roce` or `dcqcn`. */
			return conf_fail(r, conf_root(r),
					 "flow %s: expected frames of at least %d octets: RoCEv2",
					 scn->flows[i].name, SIM_ROCE_OCTETS_MIN);
	}
	return true;
}

static bool check(struct reader *r)
{
	const config_setting_t *root = conf_root(r);
	const struct scenario *scn = scn_of(r);

	if (scn->variant && !scn->n_variants)
		return conf_fail(r, root, "expected a variant named %s", scn->variant);
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
	return check_roce(r);
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

bool scenario_read(struct scenario *scn, const char *path, const char *variant, char *err,
		   size_t errlen)
{
	struct reader r = {.path = path, .err = err, .errlen = errlen, .whole = scn};
	bool ok;

	*scn = (struct scenario){
	    .seed = 1,
	    .sample_ns = 20 * DCB_NS_PER_US,
	    .trace_ns = DCB_NS_PER_MS,
	    .frame_octets = 1500,
	    .tree_root = -1,
	    .variant = variant,
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

void scenario_clear_asserts(struct scenario *scn)
{
	for (size_t i = 0; i < scn->n_asserts; i++)
		free(scn->asserts[i].flows);
	scn->n_asserts = 0;
}

void scenario_measure(struct scenario *scn, const struct scn_assert *assert)
{
	struct scn_assert *a;

	scn->asserts = scn_grow(scn->asserts, scn->n_asserts, 1, sizeof(*scn->asserts));
	a = &scn->asserts[scn->n_asserts++];
	*a = *assert;
	a->min = -INFINITY;
	a->max = INFINITY;
	a->flows = conf_alloc_check(strdup("*"));
}

void scenario_free(struct scenario *scn)
{
	for (size_t i = 0; i < scn->n_sets; i++)
		free_set(&scn->sets[i]);
	for (size_t i = 0; i < scn->n_events; i++)
		free_set(&scn->events[i].set);
	scenario_clear_asserts(scn);
	scn_clear(&scn->node_by_name);
	scn_clear(&scn->link_by_ends);
	for (size_t i = 0; i < scn->n_variants; i++)
		free(scn->variants[i]);
	free(scn->variants);
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
