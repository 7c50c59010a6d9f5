/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two versions of dcbd.conf: the settings of a running dcbd, and those that it reads again
 * at SIGHUP. Ports follow the new file. Everything else was used at the start only.
 */
#include "control/conf/conf_private.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* --- settings that need a restart --------------------------------------------------------- */

struct comparison {
	const struct conf *now, *next;
	void (*fn)(void *ctx, const char *text);
	void *ctx;
};

static bool texts_differ(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) != 0 : a != b;
}

static const char *text_at(const struct conf_row *row, const void *base)
{
	return *(char *const *)(const void *)((const char *)base + row->offset);
}

static bool values_differ(const struct conf_row *row, const void *a, const void *b)
{
	if (row->take == conf_take_string || row->take == conf_take_text)
		return texts_differ(text_at(row, a), text_at(row, b));
	return memcmp((const char *)a + row->offset, (const char *)b + row->offset, row->size) != 0;
}

static bool entries_differ(const struct conf_row *rows, const void *a, const void *b)
{
	for (; rows->name; rows++)
		if (values_differ(rows, a, b))
			return true;
	return false;
}

/* Writes the value of a number, a bool or a string. */
static void describe(const struct conf_row *row, const struct conf *conf, char *buf, size_t size)
{
	const void *field = (const char *)conf + row->offset;
	const char *text;

	if (row->take == conf_take_string) {
		text = text_at(row, conf);
		snprintf(buf, size, text ? "\"%.200s\"" : "not set", text);
	} else if (row->take == conf_take_bool) {
		snprintf(buf, size, "%s", *(const bool *)field ? "true" : "false");
	} else if (row->take == conf_take_sonic_write) {
		snprintf(buf, size, "%s", *(const bool *)field ? "\"patch\"" : "\"none\"");
	} else if (row->size == 2) {
		snprintf(buf, size, "%u", *(const uint16_t *)field);
	} else if (row->min < 0) {
		snprintf(buf, size, "%" PRId32, *(const int32_t *)field);
	} else {
		snprintf(buf, size, "%" PRIu32, *(const uint32_t *)field);
	}
}

static void report(const struct comparison *c, const char *path, const char *now, const char *next)
{
	char text[600];

	/*
	 * Message: After SIGHUP, this setting has another value in the file than in dcbd. Restart
	 * dcbd when that is convenient, or set the managed objects with dcbctl(8).
	 */
	snprintf(text, sizeof(text), "%s: %s needs a restart of dcbd: it stays %s", path, next,
		 now);
	c->fn(c->ctx, text);
}

static void compare_row(const struct comparison *c, const struct conf_row *row, const char *path)
{
	char now[256], next[256];

	if (!values_differ(row, c->now, c->next))
		return;
	describe(row, c->now, now, sizeof(now));
	describe(row, c->next, next, sizeof(next));
	report(c, path, now, next);
}

/* Compares the settings of a group that have a field of their own, and those of its groups. */
static void compare_group(const struct comparison *c, const struct conf_row *group,
			  const char *before)
{
	char path[64];

	for (const struct conf_row *m = group->members; m->name; m++) {
		snprintf(path, sizeof(path), "%s%s", before, m->name);
		if (m->size) {
			compare_row(c, m, path);
		} else if (m->take == conf_take_group && strcmp(m->name, "defaults") != 0) {
			strcat(path, ".");
			compare_group(c, m, path);
		}
	}
}

static bool flows_differ(const struct flow_rules *a, const struct flow_rules *b)
{
	bool differ = a->n != b->n;

	for (unsigned i = 0; i < a->n && !differ; i++)
		differ = a->rule[i].match != b->rule[i].match ||
			 a->rule[i].sets_priority != b->rule[i].sets_priority ||
			 entries_differ(conf_flow_rows, &a->rule[i], &b->rule[i]);
	return differ;
}

static bool initial_differs(const struct conf *a, const struct conf *b)
{
	bool differ = a->n_initial != b->n_initial;

	for (size_t i = 0; i < a->n_initial && !differ; i++)
		differ = entries_differ(conf_initial_rows, &a->initial[i], &b->initial[i]);
	return differ;
}

static bool member_sets_differ(const struct conf_vlans *a, const struct conf_vlans *b)
{
	return a->is_set != b->is_set ||
	       (a->is_set && memcmp(a->member, b->member, sizeof(a->member)) != 0);
}

/* Compares the entries of the same name: another order or other names change no VLANs. */
static bool vlans_differ(const struct conf *a, const struct conf *b)
{
	bool differ = member_sets_differ(&a->vlans_default, &b->vlans_default);

	for (size_t i = 0; i < a->n_ports; i++)
		for (size_t k = 0; k < b->n_ports && !differ; k++)
			differ = strcmp(a->ports[i].name, b->ports[k].name) == 0 &&
				 member_sets_differ(&a->ports[i].vlans, &b->ports[k].vlans);
	return differ;
}

void conf_each_restart(const struct conf *now, const struct conf *next,
		       void (*fn)(void *ctx, const char *text), void *ctx)
{
	struct comparison c = {.now = now, .next = next, .fn = fn, .ctx = ctx};

	if (now->role != next->role)
		report(&c, "role", conf_role_name(now), conf_role_name(next));
	compare_group(&c, &conf_top, "");
	if (flows_differ(&now->flows, &next->flows))
		/* Messages: as "%s: %s needs a restart of dcbd: it stays %s" */
		fn(ctx, "flows: the change needs a restart of dcbd");
	if (initial_differs(now, next))
		fn(ctx, "initial: the change is used only at a start without a state file");
	if (vlans_differ(now, next))
		fn(ctx, "vlans: the change is used only at a start without a state file");
}

/* --- ports ------------------------------------------------------------------------------------ */

static bool cn_differs(const struct port_settings *a, const struct port_settings *b)
{
	const struct cp_early_config *cp = &a->cp_early, *cp_b = &b->cp_early;
	const struct rp_variant *rp = &a->rp_variant, *rp_b = &b->rp_variant;

	return a->early != b->early || a->profile != b->profile ||
	       cp->base_probability_ppm != cp_b->base_probability_ppm ||
	       cp->step_probability_ppm != cp_b->step_probability_ppm ||
	       cp->page_octets != cp_b->page_octets ||
	       cp->pages_of_frames != cp_b->pages_of_frames || rp->early != rp_b->early ||
	       rp->reading != rp_b->reading || rp->no_jitter != rp_b->no_jitter ||
	       rp->no_extra_fast_recovery != rp_b->no_extra_fast_recovery ||
	       rp->full_hyper_entry != rp_b->full_hyper_entry;
}

static bool queues_differ(const struct port_settings *a, const struct port_settings *b)
{
	return a->buffer_octets != b->buffer_octets || a->rx_pause != b->rx_pause ||
	       a->flow_buffer_octets != b->flow_buffer_octets ||
	       a->pfc_buffer_octets != b->pfc_buffer_octets ||
	       a->pfc_headroom_octets != b->pfc_headroom_octets ||
	       a->pfc_xon_octets != b->pfc_xon_octets || a->classified != b->classified ||
	       memcmp(a->traffic_class, b->traffic_class, sizeof(a->traffic_class)) != 0;
}

static bool is_same_provider(const struct port_settings *a, const struct port_settings *b)
{
	return conf_is_provider(a, b->provider ? b->provider : CONF_PROVIDER_SOFT);
}

static bool settings_differ(const struct port_settings *a, const struct port_settings *b)
{
	return !is_same_provider(a, b) || a->policy != b->policy || a->take_over != b->take_over ||
	       a->rate.bps != b->rate.bps || a->speed.bps != b->speed.bps || a->pvid != b->pvid ||
	       a->default_priority != b->default_priority || a->pvid_tagged != b->pvid_tagged ||
	       a->nic_times != b->nic_times || a->regenerates != b->regenerates ||
	       memcmp(a->regeneration, b->regeneration, sizeof(a->regeneration)) != 0 ||
	       strcmp(a->aggregate, b->aggregate) != 0 || strcmp(a->tap, b->tap) != 0 ||
	       queues_differ(a, b) || cn_differs(a, b);
}

bool conf_port_differs(const struct conf *now, const struct conf *next, const char *ifname)
{
	return settings_differ(conf_port_settings(now, ifname), conf_port_settings(next, ifname));
}

void conf_take_ports_of(struct conf *conf, const struct conf *next)
{
	conf->port_default = next->port_default;
	conf->n_include = next->n_include;
	conf->n_exclude = next->n_exclude;
	conf->n_ports = next->n_ports;
	memcpy(conf->include, next->include, sizeof(conf->include));
	memcpy(conf->exclude, next->exclude, sizeof(conf->exclude));
	memcpy(conf->ports, next->ports, sizeof(conf->ports));
}
