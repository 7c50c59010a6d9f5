/* SPDX-License-Identifier: BSD-3-Clause */
/* The settings assertions and watch of a scenario. */
#include "sim/scenario_private.h"

#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIELD(type, field) offsetof(type, field), sizeof(((type *)0)->field)
#define END                                  \
	{                                    \
		NULL, NULL, 0, 0, 0, 0, NULL \
	}

static const struct {
	const char *name, *unit;
	enum scn_target target;
} metrics[SCN_METRICS] = {
    [SCN_UTILISATION] = {"utilisation", "", SCN_TARGET_LINK},
    [SCN_QUEUE_MEAN] = {"queue_mean", " octets", SCN_TARGET_LINK},
    [SCN_QUEUE_SD] = {"queue_sd", " octets", SCN_TARGET_LINK},
    [SCN_QUEUE_MAX] = {"queue_max", " octets", SCN_TARGET_LINK},
    [SCN_QUEUE_EMPTY] = {"queue_empty", "", SCN_TARGET_LINK},
    [SCN_DISCARDS] = {"discards", " frames", SCN_TARGET_LINK},
    [SCN_CNMS] = {"cnms", " frames", SCN_TARGET_LINK},
    [SCN_PFC_DISCARDS] = {"pfc_discards", " frames", SCN_TARGET_LINK},
    [SCN_PFC_FRAMES] = {"pfc_frames", " frames", SCN_TARGET_LINK},
    [SCN_TRANSIT_DISCARDS] = {"transit_discards", " frames", SCN_TARGET_LINK},
    [SCN_PAUSED] = {"paused", " s", SCN_TARGET_LINK},
    [SCN_ECN_MARKED] = {"ecn_marked", " frames", SCN_TARGET_LINK},
    [SCN_RECOVERY] = {"recovery", " s", SCN_TARGET_LINK},
    [SCN_CNMS_RECEIVED] = {"cnms_received", " frames", SCN_TARGET_FLOWS},
    [SCN_CNPS_RECEIVED] = {"cnps_received", " frames", SCN_TARGET_FLOWS},
    [SCN_RESENT] = {"resent", " frames", SCN_TARGET_FLOWS},
    [SCN_JAIN] = {"jain", "", SCN_TARGET_FLOWS},
    [SCN_GOODPUT] = {"goodput", " bit/s", SCN_TARGET_FLOWS},
    [SCN_GOODPUT_MIN] = {"goodput_min", " bit/s", SCN_TARGET_FLOWS},
    [SCN_GOODPUT_MAX] = {"goodput_max", " bit/s", SCN_TARGET_FLOWS},
    [SCN_COMPLETION] = {"completion", " s", SCN_TARGET_FLOWS},
    [SCN_FRAMES_LOST] = {"frames_lost", " frames", SCN_TARGET_NETWORK},
    [SCN_PAUSED_ALL] = {"paused_all", " s", SCN_TARGET_NETWORK},
    [SCN_CNMS_DROPPED] = {"cnms_dropped", " frames", SCN_TARGET_NETWORK},
    [SCN_CNMS_MISSING] = {"cnms_missing", " frames", SCN_TARGET_NETWORK},
};

const char *scn_metric_name(enum scn_metric metric)
{
	return metrics[metric].name;
}

const char *scn_metric_unit(enum scn_metric metric)
{
	return metrics[metric].unit;
}

enum scn_target scn_metric_target(enum scn_metric metric)
{
	return metrics[metric].target;
}

static bool take_metric(struct reader *r, const config_setting_t *s, const struct conf_row *row,
			void *base)
{
	const char *names[SCN_METRICS + 1] = {NULL};
	struct scn_assert *a = base;
	int metric;

	(void)row;
	for (unsigned i = 0; i < SCN_METRICS; i++)
		names[i] = metrics[i].name;
	metric = conf_one_of(r, s, names);
	if (metric >= 0)
		a->metric = (enum scn_metric)metric;
	return metric >= 0;
}

static bool take_link(struct reader *r, const config_setting_t *s, const struct conf_row *row,
		      void *base)
{
	struct scn_assert *a = base;
	const char *text = config_setting_get_string(s);
	int64_t link;

	(void)row;
	if (!text)
		return conf_expected(r, s, "a link's direction such as \"a->b\"");
	link = scn_link(r, s, text);
	a->link = (uint32_t)link;
	return link >= 0;
}

/* clang-format off */
#define TIME(name, field) {name, scn_take_time, FIELD(struct scn_assert, field), 0, 1000000 * DCB_NS_PER_S, NULL}
#define REAL(name, field) {name, scn_take_real, FIELD(struct scn_assert, field), 0, 0, NULL}
static const struct conf_row rows[] = {
	{"metric",   take_metric, 0, 0, 0, 0, NULL},
	{"link",     take_link, 0, 0, 0, 0, NULL},
	{"flows",    conf_take_string, FIELD(struct scn_assert, flows), 1, 64, NULL},
	{"priority", conf_take_number, FIELD(struct scn_assert, priority), 0, 7, NULL},
	TIME("from", from_ns),
	TIME("to", to_ns),
	REAL("percentile", percentile),
	REAL("of", of),
	TIME("over", bin_ns),
	REAL("min", min),
	REAL("max", max),
	END
};
static const struct conf_row assert_row = {"", conf_take_group, 0, 0, 0, 0, rows};
/* clang-format on */

static bool any_flow(const struct scenario *scn, const char *pattern)
{
	for (size_t i = 0; i < scn->n_flows; i++) {
		if (fnmatch(pattern, scn->flows[i].name, 0) == 0)
			return true;
	}
	return false;
}

static bool check_target(struct reader *r, const config_setting_t *s, const struct scn_assert *a)
{
	const char *name = metrics[a->metric].name;

	if (metrics[a->metric].target == SCN_TARGET_LINK) {
		if (!config_setting_get_member(s, "link") || a->flows)
			/* Messages: as "expected a metric" */
			return conf_fail(r, s, "metric %s: expected link, without flows", name);
		return true;
	}
	if (metrics[a->metric].target == SCN_TARGET_NETWORK) {
		if (config_setting_get_member(s, "link") || a->flows)
			return conf_fail(r, s, "metric %s: expected neither link nor flows", name);
		return true;
	}
	if (!a->flows || config_setting_get_member(s, "link"))
		return conf_fail(r, s, "metric %s: expected flows, without link", name);
	if (!any_flow(scn_of(r), a->flows))
		return conf_expected(r, config_setting_get_member(s, "flows"),
				     "a pattern that matches the name of a flow");
	return true;
}

static bool check(struct reader *r, const config_setting_t *s, const struct scn_assert *a)
{
	const struct scenario *scn = scn_of(r);

	if (!config_setting_get_member(s, "metric"))
		/*
		 * Messages: An assertion lacks a setting, or has one that does not fit its metric.
		 */
		return conf_fail(r, s, "expected a metric");
	if (isinf(a->min) && isinf(a->max))
		return conf_fail(r, s, "expected min, max or both");
	if (a->min > a->max)
		return conf_fail(r, s, "expected min not above max");
	if (!(a->percentile > 0 && a->percentile <= 100))
		return conf_expected(r, config_setting_get_member(s, "percentile"),
				     "a number above 0, up to 100");
	if (a->from_ns >= a->to_ns || a->to_ns > scn->duration_ns)
		/*
		 * Message: Change the settings `from` and `to`. The default of `from` is `warmup`:
		 * a `warmup` that is not below `duration` also causes this message.
		 */
		return conf_fail(r, s, "expected from below to, and to not above the duration");
	if (a->from_ns % scn->sample_ns || a->to_ns % scn->sample_ns ||
	    a->bin_ns % scn->sample_ns || a->bin_ns == 0)
		/* Message: Round these times to multiples of `sample`. */
		return conf_fail(
		    r, s, "expected from, to and over to be multiples of sample, and over above 0");
	return check_target(r, s, a);
}

static bool add_assert(struct reader *r, const config_setting_t *e, void *base)
{
	struct scenario *scn = base;
	struct scn_assert *a;

	scn->asserts = scn_grow(scn->asserts, scn->n_asserts, 1, sizeof(*scn->asserts));
	a = &scn->asserts[scn->n_asserts++];
	*a = (struct scn_assert){
	    .priority = SCN_ALL_PRIORITIES,
	    .from_ns = scn->warmup_ns,
	    .to_ns = scn->duration_ns,
	    .percentile = 100,
	    .of = 0.95,
	    .bin_ns = DCB_NS_PER_MS,
	    .min = -INFINITY,
	    .max = INFINITY,
	    .line = conf_line(r, e),
	};
	return conf_take_group(r, e, &assert_row, a) && check(r, e, a);
}

bool scn_take_asserts(struct reader *r, const config_setting_t *s, const struct conf_row *row,
		      void *base)
{
	(void)row;
	(void)base;
	return conf_each(r, s, "a list ( { ... }, ... )", add_assert, scn_of(r));
}

static bool add_watch(struct reader *r, const config_setting_t *e, void *base)
{
	const char *text = config_setting_get_string(e);
	struct scenario *scn = base;
	int64_t link;

	if (!text)
		return conf_expected(r, config_setting_parent(e), "an array [ \"a->b\", ... ]");
	link = scn_link(r, config_setting_parent(e), text);
	if (link < 0)
		return false;
	scn->watch = scn_grow(scn->watch, scn->n_watch, 1, sizeof(*scn->watch));
	scn->watch[scn->n_watch++] = (uint32_t)link;
	return true;
}

bool scn_take_watch(struct reader *r, const config_setting_t *s, const struct conf_row *row,
		    void *base)
{
	(void)row;
	(void)base;
	return conf_each_of_array(r, s, "an array [ \"a->b\", ... ]", add_watch, scn_of(r));
}
