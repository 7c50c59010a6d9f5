/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A scenario as its file says it, names resolved and arrays of nodes, links and
 * flows written out: dcbsim(1) describes the format. Parsed by libconfig;
 * everything is checked before anything runs, and a mistake is reported as
 * "file:line: setting: what was expected". Out of memory ends the program.
 */
#ifndef DCB_SIM_SCENARIO_H
#define DCB_SIM_SCENARIO_H

#include "lib/mo/mo.h"
#include "sim/sim.h"

#define SCN_ALL_PRIORITIES  -1
#define SCN_DURATION_MAX_NS (1000 * DCB_NS_PER_S)

struct scn_node {
	char name[SIM_NAME_OCTETS];
	enum sim_kind kind;
	int64_t transit_ns, response_ns;
	struct port_settings settings;
};

struct scn_link {
	uint32_t ends[2]; /* nodes */
	struct sim_cable cable;
};

struct scn_flow {
	char name[SIM_NAME_OCTETS];
	uint32_t from, to; /* nodes */
	struct sim_flow_params params;
};

/* A writable object set on all nodes and ports that match: as dcbd.conf's initial. */
struct scn_set {
	const struct mo_table *table;
	const struct mo_column *column;
	struct mo_value value;
	char *node,
	    *port;    /* fnmatch(3) patterns; a port has the name of the node at its other end */
	int priority; /* or traffic class */
};

enum scn_event_kind { SCN_SET, SCN_RATE, SCN_DOWN, SCN_UP };

struct scn_event {
	int64_t at_ns;
	enum scn_event_kind kind;
	struct scn_set set;
	uint32_t link; /* as in struct sim's links */
	struct dcb_rate rate;
};

/* What can be asserted; scenario_assert.c has their names and what each is about. */
enum scn_metric {
	SCN_UTILISATION,
	SCN_QUEUE_MEAN,
	SCN_QUEUE_SD,
	SCN_QUEUE_MAX,
	SCN_QUEUE_EMPTY,
	SCN_DISCARDS,
	SCN_CNMS,
	SCN_PFC_DISCARDS,
	SCN_PFC_FRAMES,
	SCN_TRANSIT_DISCARDS,
	SCN_RECOVERY,
	SCN_JAIN,
	SCN_GOODPUT,
	SCN_GOODPUT_MIN,
	SCN_GOODPUT_MAX,
	SCN_COMPLETION,
	SCN_METRICS
};

enum scn_about { SCN_ABOUT_LINK, SCN_ABOUT_FLOWS };

struct scn_assert {
	enum scn_metric metric;
	uint32_t link; /* SCN_ABOUT_LINK */
	char *flows;   /* SCN_ABOUT_FLOWS: fnmatch(3) pattern */
	int priority;  /* of queue metrics; SCN_ALL_PRIORITIES: the whole port */
	int64_t from_ns, to_ns;
	double of;       /* SCN_RECOVERY: share of the link's rate ... */
	int64_t bin_ns;  /* ... over so long */
	double min, max; /* -inf, inf: not bounded */
	unsigned line;
};

struct scenario {
	char *path;
	char *title;
	uint64_t seed;
	int64_t duration_ns, warmup_ns;
	int64_t sample_ns; /* between looks at queues */
	int64_t trace_ns;  /* between rows of --csv and points of --plot */
	uint8_t cnpvs;
	uint8_t pfc; /* priorities with PFC, everywhere */
	bool lldp;   /* bridges and stations talk to each other */
	size_t n_nodes, n_links, n_flows, n_sets, n_events, n_asserts, n_watch;
	struct scn_node *nodes;
	struct scn_link *links;
	struct scn_flow *flows;
	struct scn_set *sets;
	struct scn_event *events; /* in the order they happen */
	struct scn_assert *asserts;
	uint32_t *watch;       /* links, by direction, for --csv and --plot */
	uint32_t frame_octets; /* longest of the flows' */
};

/* false: err holds "file:line: ..." and nothing is to be freed. */
bool scenario_read(struct scenario *scn, const char *path, char *err, size_t errlen);
void scenario_free(struct scenario *scn);

/* "1.5ms" in ns. false: no time. */
bool scn_parse_time(const char *text, int64_t *ns);

/* "queue_mean"; what it is measured in. */
const char *scn_metric_name(enum scn_metric metric);
const char *scn_metric_unit(enum scn_metric metric);
enum scn_about scn_metric_about(enum scn_metric metric);

/* "sw->sink": a direction of a link. */
void scn_link_name(const struct scenario *scn, uint32_t link, char *buf, size_t size);

#endif
