/* SPDX-License-Identifier: BSD-3-Clause */
/* The settings nodes, links and flows of a scenario, whose entries may have a count. */
#include "sim/scenario_private.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT_MAX 100000

#define FIELD(type, field) offsetof(type, field), sizeof(((type *)0)->field)
#define END                                  \
	{                                    \
		NULL, NULL, 0, 0, 0, 0, NULL \
	}

/* --- common to all three -------------------------------------------------------- */

/* name[0]: "from" or "ends[0]"; name[1]: "to" or "ends[1]". */
struct ends {
	struct scn_name name[2];
};

/* divide, offset, modulo: one number for both names, or an array of two. */
/* clang-format off */
static const struct conf_row number_row[] = {{"", conf_take_number, 0, sizeof(struct scn_name), 0, COUNT_MAX, NULL}};
/* clang-format on */

static bool take_pair(struct reader *r, const config_setting_t *s, const struct conf_row *row,
		      void *base)
{
	bool pair = conf_is_array(s);

	if (pair && config_setting_length(s) != 2)
		return conf_expected(r, s,
				     "a number, or an array of two numbers, one for each end");
	for (unsigned i = 0; i < 2; i++) {
		const config_setting_t *e = pair ? config_setting_get_elem(s, i) : s;
		struct conf_row one = number_row[0];

		one.size = sizeof(uint32_t);
		one.min = row->min;
		one.offset = row->offset + i * sizeof(struct scn_name);
		if (!conf_take_number(r, e, &one, base))
			return false;
	}
	return true;
}

static const char list_expected[] = "a list ( { ... }, ... )";

/* --- nodes ------------------------------------------------------------------------ */

struct raw_node {
	struct scn_name name;
	uint32_t count;
	uint8_t kind;
	uint16_t nickname; /* 0: the lowest that is free */
	int64_t transit_ns, response_ns;
	uint32_t frame_buffers;
	struct port_settings settings;
};

static bool take_kind(struct reader *r, const config_setting_t *s, const struct conf_row *row,
		      void *base)
{
	static const char *const kinds[] = {[SIM_BRIDGE] = "bridge",
					    [SIM_RBRIDGE] = "rbridge",
					    [SIM_STATION] = "station",
					    [SIM_HOST] = "host",
					    NULL};
	int kind = conf_one_of(r, s, kinds);

	if (kind >= 0)
		*((uint8_t *)base + row->offset) = (uint8_t)kind;
	return kind >= 0;
}

/* clang-format off */
static const struct conf_row node_rows[] = {
	{"name",   conf_take_string, FIELD(struct raw_node, name.pattern), 1, SIM_NAME_OCTETS, NULL},
	{"count",  conf_take_number, FIELD(struct raw_node, count), 1, COUNT_MAX, NULL},
	{"kind",   take_kind,        FIELD(struct raw_node, kind), 0, 0, NULL},
	{"nickname", conf_take_number, FIELD(struct raw_node, nickname), 1, TRILL_NICKNAME_MAX, NULL},
	{"regeneration", conf_take_regeneration, FIELD(struct raw_node, settings), 0, 7, NULL},
	{"profile", conf_take_profile, FIELD(struct raw_node, settings), 0, 0, NULL},
	{"cn",     conf_take_cn,     FIELD(struct raw_node, settings), 0, 0, NULL},
	{"pfc",    conf_take_pfc,    FIELD(struct raw_node, settings), 0, 0, NULL},
	{"pvid_tagged", conf_take_bool, FIELD(struct raw_node, settings.pvid_tagged), 0, 1, NULL},
	{"frame_buffers", conf_take_number, FIELD(struct raw_node, frame_buffers), 1, SIM_FRAME_BUFFERS_MAX, NULL},
	{"transit_delay", scn_take_time, FIELD(struct raw_node, transit_ns), 0, 60 * DCB_NS_PER_S, NULL},
	{"pfc_response",  scn_take_time, FIELD(struct raw_node, response_ns), 0, DCB_NS_PER_S, NULL},
	END
};
static const struct conf_row node_row = {"", conf_take_group, 0, 0, 0, 0, node_rows};
/* clang-format on */

/* Returns false after it has reported a nickname that another node has, or that is too high. */
static bool check_nickname(struct reader *r, const config_setting_t *s, uint32_t nickname)
{
	const struct scenario *scn = scn_of(r);

	if (nickname > TRILL_NICKNAME_MAX)
		/* Messages: as "expected no nickname: only an RBridge has one" */
		return conf_fail(r, s, "expected nicknames of at most %d", TRILL_NICKNAME_MAX);
	for (size_t i = 0; nickname && i < scn->n_nodes; i++) {
		if (scn->nodes[i].nickname == nickname)
			return conf_fail(r, s, "duplicate nickname %u: %s has it", nickname,
					 scn->nodes[i].name);
	}
	return true;
}

static bool add_nodes(struct reader *r, const config_setting_t *s, const struct raw_node *raw)
{
	struct scenario *scn = scn_of(r);

	scn->nodes = scn_grow(scn->nodes, scn->n_nodes, raw->count, sizeof(*scn->nodes));
	for (uint32_t i = 0; i < raw->count; i++) {
		struct scn_node *node = &scn->nodes[scn->n_nodes];
		uint32_t nickname = raw->nickname ? raw->nickname + i : 0;

		if (!scn_expand(r, s, &raw->name, i, node->name))
			return false;
		if (scn_find(scn->node_by_name, node->name, strlen(node->name)) >= 0)
			/* Message: Rename one of the nodes. With `count`, use `%d` in the name. */
			return conf_fail(r, s, "duplicate node name \"%s\"", node->name);
		if (!check_nickname(r, s, nickname))
			return false;
		node->kind = (enum sim_kind)raw->kind;
		node->nickname = (uint16_t)nickname;
		node->settings = raw->settings;
		node->transit_ns = raw->transit_ns;
		node->response_ns = raw->response_ns;
		node->frame_buffers = raw->frame_buffers;
		scn_add(&scn->node_by_name, node->name, strlen(node->name), (uint32_t)scn->n_nodes);
		scn->n_nodes++;
	}
	return true;
}

static uint32_t count_rbridges(const struct scenario *scn)
{
	uint32_t n = 0;

	for (size_t i = 0; i < scn->n_nodes; i++)
		n += scn->nodes[i].kind == SIM_RBRIDGE;
	return n;
}

static bool take_node(struct reader *r, const config_setting_t *s, void *base)
{
	struct raw_node raw = {.count = 1, .kind = UINT8_MAX, .transit_ns = DCB_NS_PER_S};
	bool ok;

	conf_port_init(&raw.settings);
	ok = conf_take_group(r, s, &node_row, &raw);
	if (ok && (!raw.name.pattern || raw.kind == UINT8_MAX))
		/* Message: A node lacks one of these settings. */
		ok = conf_fail(r, s, "expected a name and a kind");
	if (ok && raw.nickname && raw.kind != SIM_RBRIDGE)
		/* Message: Change `nickname`; with `count`, consecutive nicknames are used. */
		ok = conf_fail(r, s, "expected no nickname: only an RBridge has one");
	if (ok && raw.kind == SIM_RBRIDGE && count_rbridges(base) + raw.count > SIM_RBRIDGES_MAX)
		/*
		 * Message: Each RBridge has room for 1024 others in its filtering database. Use
		 * fewer.
		 */
		ok = conf_fail(r, s, "expected at most %d RBridges", SIM_RBRIDGES_MAX);
	ok = ok && add_nodes(r, s, &raw);
	free(raw.name.pattern);
	return ok;
}

bool scn_take_nodes(struct reader *r, const config_setting_t *s, const struct conf_row *row,
		    void *base)
{
	(void)row;
	if (!conf_each(r, s, list_expected, take_node, base))
		return false;
	scn_number_rbridges(base);
	return true;
}

/* --- links ---------------------------------------------------------------------------- */

struct raw_link {
	struct ends ends;
	uint32_t count;
	struct sim_cable cable;
};

static bool take_ends(struct reader *r, const config_setting_t *s, const struct conf_row *row,
		      void *base)
{
	struct ends *ends = (struct ends *)((char *)base + row->offset);
	bool two = conf_is_array(s) && config_setting_length(s) == 2;

	for (unsigned i = 0; two && i < 2; i++) {
		const char *text = config_setting_get_string_elem(s, (int)i);

		two = text && text[0];
		if (two)
			ends->name[i].pattern = conf_alloc_check(strdup(text));
	}
	return two || conf_expected(r, s, "[ \"node\", \"node\" ]");
}

/* clang-format off */
#define PAIRS(type) \
	{"divide", take_pair, FIELD(type, ends.name[0].divide), 1, COUNT_MAX, NULL}, \
	{"offset", take_pair, FIELD(type, ends.name[0].offset), 0, COUNT_MAX, NULL}, \
	{"modulo", take_pair, FIELD(type, ends.name[0].modulo), 0, COUNT_MAX, NULL}

#define CABLE(field) FIELD(struct raw_link, cable.field)
static const struct conf_row rate_row = {"", conf_take_rate, 0, sizeof(struct dcb_rate), 1000, INT64_C(10000000000000), NULL};
static const struct conf_row delay_row = {"", scn_take_time, 0, sizeof(int64_t), 0, 10 * DCB_NS_PER_S, NULL};
static const struct conf_row buffer_row = {"", scn_take_octets, 0, sizeof(uint32_t), 2000, INT64_C(4000000000), NULL};
static const struct conf_row cost_row = {"", conf_take_number, 0, sizeof(uint32_t), 1, 1000, NULL};
static const struct conf_row link_rows[] = {
	{"ends",   take_ends,        FIELD(struct raw_link, ends), 0, 0, NULL},
	{"count",  conf_take_number, FIELD(struct raw_link, count), 1, COUNT_MAX, NULL},
	PAIRS(struct raw_link),
	{"rate",   scn_take_both, CABLE(rate), 0, 0, &rate_row},
	{"delay",  scn_take_both, CABLE(delay_ns), 0, 0, &delay_row},
	{"buffer", scn_take_both, CABLE(buffer_octets), 0, 0, &buffer_row},
	{"cost",   scn_take_both, CABLE(cost), 0, 0, &cost_row},
	END
};
static const struct conf_row link_row = {"", conf_take_group, 0, 0, 0, 0, link_rows};
/* clang-format on */

static bool add_link(struct reader *r, const config_setting_t *s, const struct raw_link *raw,
		     uint32_t i)
{
	struct scenario *scn = scn_of(r);
	struct scn_link *link = &scn->links[scn->n_links];

	for (unsigned k = 0; k < 2; k++) {
		char name[SIM_NAME_OCTETS];
		int64_t node;

		if (!scn_expand(r, s, &raw->ends.name[k], i, name) ||
		    (node = scn_node(r, s, name)) < 0)
			return false;
		link->ends[k] = (uint32_t)node;
		if (!sim_forwards(scn->nodes[node].kind) && scn->nodes[node].n_links > 0)
			/*
			 * Message: Connect the station or host to a bridge, and the bridge to the
			 * other nodes.
			 */
			return conf_fail(
			    r, s,
			    "%s has a link already: only a bridge or RBridge can have several",
			    name);
	}
	if (link->ends[0] == link->ends[1] ||
	    scn_link_between(scn, link->ends[0], link->ends[1]) >= 0)
		/*
		 * Message: The ends of a link are the same node, or these nodes have a link
		 * already. Remove the link, or change the rate of the other one.
		 */
		return conf_fail(r, s, "expected two nodes without a link to each other: %s, %s",
				 scn->nodes[link->ends[0]].name, scn->nodes[link->ends[1]].name);
	link->cable = raw->cable;
	scn_add_link(scn, link->ends, (uint32_t)scn->n_links);
	scn->nodes[link->ends[0]].n_links++;
	scn->nodes[link->ends[1]].n_links++;
	scn->n_links++;
	return true;
}

static bool take_link(struct reader *r, const config_setting_t *s, void *base)
{
	struct scenario *scn = base;
	struct raw_link raw = {.count = 1, .cable.buffer_octets = {UINT32_MAX, UINT32_MAX}};
	bool ok = conf_take_group(r, s, &link_row, &raw);

	if (ok &&
	    (!raw.ends.name[0].pattern || raw.cable.rate[0].bps == 0 || raw.cable.rate[1].bps == 0))
		/* Message: A link lacks one of these settings. */
		ok = conf_fail(r, s, "expected ends and a rate above 0");
	if (ok)
		scn->links = scn_grow(scn->links, scn->n_links, raw.count, sizeof(*scn->links));
	for (uint32_t i = 0; ok && i < raw.count; i++)
		ok = add_link(r, s, &raw, i);
	free(raw.ends.name[0].pattern);
	free(raw.ends.name[1].pattern);
	return ok;
}

bool scn_take_links(struct reader *r, const config_setting_t *s, const struct conf_row *row,
		    void *base)
{
	(void)row;
	return conf_each(r, s, list_expected, take_link, base);
}

/* --- flows ------------------------------------------------------------------------------ */

struct raw_flow {
	struct scn_name name;
	struct ends ends;
	uint32_t count;
	struct sim_flow_params params;
};

/* clang-format off */
#define PARAM(field) FIELD(struct raw_flow, params.field)
#define TIME_PARAM(name, field, min) {name, scn_take_time, PARAM(field), min, 1000000 * DCB_NS_PER_S, NULL}
static const struct conf_row flow_rows[] = {
	{"name",     conf_take_string, FIELD(struct raw_flow, name.pattern), 1, SIM_NAME_OCTETS, NULL},
	{"from",     conf_take_string, FIELD(struct raw_flow, ends.name[0].pattern), 1, SIM_NAME_OCTETS, NULL},
	{"to",       conf_take_string, FIELD(struct raw_flow, ends.name[1].pattern), 1, SIM_NAME_OCTETS - 1, NULL},
	{"count",    conf_take_number, FIELD(struct raw_flow, count), 1, COUNT_MAX, NULL},
	PAIRS(struct raw_flow),
	{"priority", conf_take_number, PARAM(priority), 0, 7, NULL},
	{"frame",    conf_take_number, PARAM(frame_octets), SIM_FRAME_OCTETS_MIN, SIM_FRAME_OCTETS_MAX, NULL},
	TIME_PARAM("start", start_ns, 0),
	TIME_PARAM("stop", stop_ns, 0),
	{"size",     scn_take_octets, PARAM(size_octets), 1, INT64_C(1000000000000), NULL},
	{"rate",     conf_take_rate, PARAM(rate), 1000, INT64_C(10000000000000), NULL},
	TIME_PARAM("on", on_ns, 1000),
	TIME_PARAM("off", off_ns, 1000),
	{"random",   conf_take_bool, PARAM(random), 0, 1, NULL},
	END
};
static const struct conf_row flow_row = {"", conf_take_group, 0, 0, 0, 0, flow_rows};
/* clang-format on */

bool scn_is_destination(const struct scenario *scn, const struct scn_flow *flow, uint32_t node)
{
	const struct scn_node *n = &scn->nodes[node];

	return node != flow->from && !sim_forwards(n->kind) && n->n_links > 0 &&
	       fnmatch(flow->to_any, n->name, 0) == 0;
}

/* Reads one end of a flow: an end station with a link. Returns -1 after it has reported an error.
 */
static int64_t flow_end(struct reader *r, const config_setting_t *s, const struct scn_name *from,
			uint32_t i)
{
	const struct scenario *scn = scn_of(r);
	char name[SIM_NAME_OCTETS];
	int64_t node;

	if (!scn_expand(r, s, from, i, name) || (node = scn_node(r, s, name)) < 0)
		return -1;
	if (!sim_forwards(scn->nodes[node].kind) && scn->nodes[node].n_links > 0)
		return node;
	if (sim_forwards(scn->nodes[node].kind))
		/* Messages: The ends of a flow are two different stations or hosts with a link. */
		conf_fail(r, s, "expected an end station, not the bridge %s", name);
	else
		conf_fail(r, s, "%s has no link", name);
	return -1;
}

/* Reads the pattern of the nodes of which each run chooses one. */
static bool take_any(struct reader *r, const config_setting_t *s, const char *pattern,
		     struct scn_flow *flow)
{
	const struct scenario *scn = scn_of(r);

	snprintf(flow->to_any, sizeof(flow->to_any), "%s", pattern);
	for (uint32_t i = 0; i < scn->n_nodes; i++) {
		if (scn_is_destination(scn, flow, i))
			return true;
	}
	return conf_expected(r, config_setting_get_member(s, "to"),
			     "a pattern that matches another station or host with a link");
}

static bool take_destination(struct reader *r, const config_setting_t *s,
			     const struct scn_name *name, uint32_t i, struct scn_flow *flow)
{
	int64_t to;

	if (scn_is_pattern(name->pattern))
		return take_any(r, s, name->pattern, flow);
	to = flow_end(r, s, name, i);
	if (to < 0)
		return false;
	flow->to = (uint32_t)to;
	if (flow->to == flow->from)
		/* Message: as "expected an end station, not the bridge %s" */
		return conf_fail(r, s, "expected two different nodes, not %s twice",
				 scn_of(r)->nodes[to].name);
	return true;
}

static bool add_flow(struct reader *r, const config_setting_t *s, const struct raw_flow *raw,
		     uint32_t i)
{
	struct scenario *scn = scn_of(r);
	struct scn_flow *flow = &scn->flows[scn->n_flows];
	int64_t from = flow_end(r, s, &raw->ends.name[0], i);

	if (from < 0)
		return false;
	flow->from = (uint32_t)from;
	if (!take_destination(r, s, &raw->ends.name[1], i, flow))
		return false;
	if (raw->name.pattern) {
		if (!scn_expand(r, s, &raw->name, i, flow->name))
			return false;
	} else {
		snprintf(flow->name, sizeof(flow->name), "%.14s->%.14s",
			 scn->nodes[flow->from].name,
			 flow->to_any[0] ? flow->to_any : scn->nodes[flow->to].name);
	}
	flow->params = raw->params;
	if (flow->params.frame_octets > scn->frame_octets)
		scn->frame_octets = flow->params.frame_octets;
	scn->n_flows++;
	return true;
}

static bool check_flow(struct reader *r, const config_setting_t *s, const struct raw_flow *raw)
{
	if (!raw->ends.name[0].pattern || !raw->ends.name[1].pattern)
		/* Messages: A flow lacks a setting, or its times are in the wrong order. */
		return conf_fail(r, s, "expected the settings from and to");
	if ((raw->params.on_ns == 0) != (raw->params.off_ns == 0))
		return conf_fail(r, s, "expected both settings on and off, or neither");
	if (raw->params.stop_ns <= raw->params.start_ns)
		return conf_fail(r, s, "expected stop above start");
	return true;
}

static bool take_flow(struct reader *r, const config_setting_t *s, void *base)
{
	struct scenario *scn = base;
	struct raw_flow raw = {.count = 1, .params = {.frame_octets = 1500, .stop_ns = INT64_MAX}};
	bool ok = conf_take_group(r, s, &flow_row, &raw) && check_flow(r, s, &raw);

	if (ok)
		scn->flows = scn_grow(scn->flows, scn->n_flows, raw.count, sizeof(*scn->flows));
	for (uint32_t i = 0; ok && i < raw.count; i++)
		ok = add_flow(r, s, &raw, i);
	free(raw.name.pattern);
	free(raw.ends.name[0].pattern);
	free(raw.ends.name[1].pattern);
	return ok;
}

bool scn_take_flows(struct reader *r, const config_setting_t *s, const struct conf_row *row,
		    void *base)
{
	(void)row;
	return conf_each(r, s, list_expected, take_flow, base);
}
