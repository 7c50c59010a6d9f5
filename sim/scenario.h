/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A scenario file, read with libconfig; dcbsim(1) describes the format. Names are
 * resolved, and entries with a count expanded. The whole file is checked before the
 * run; an error is reported as "file:line: setting: expected ...". Out of memory ends
 * the program.
 */
#ifndef DCB_SIM_SCENARIO_H
#define DCB_SIM_SCENARIO_H

#include "lib/mo/mo.h"
#include "sim/net/sim.h"

#define SCN_ALL_PRIORITIES  -1
#define SCN_DURATION_MAX_NS (1000 * DCB_NS_PER_S)

struct scn_node {
	char name[SIM_NAME_OCTETS];
	enum sim_kind kind;
	uint16_t nickname; /* of an RBridge */
	int64_t transit_ns, response_ns;
	uint32_t frame_buffers; /* 0: from the buffers of its ports */
	uint32_t n_links;
	struct port_settings settings;
};

struct scn_link {
	uint32_t ends[2]; /* nodes */
	struct sim_cable cable;
};

struct scn_flow {
	char name[SIM_NAME_OCTETS];
	uint32_t from, to; /* nodes */
	/* fnmatch(3) pattern: each run chooses one of these nodes as to; "": to is as above. */
	char to_any[SIM_NAME_OCTETS];
	struct sim_flow_params params;
};

/* A writable object and its value, for the nodes and ports that match. */
struct scn_set {
	const struct mo_table *table;
	const struct mo_column *column;
	struct mo_value value;
	/* fnmatch(3) patterns, NULL: all; a port has the name of the node it is connected to. */
	char *node, *port;
	int priority; /* or traffic class; SCN_ALL_PRIORITIES: all */
};

enum scn_event_kind { SCN_SET, SCN_RATE, SCN_DOWN, SCN_UP };

struct scn_event {
	int64_t at_ns;
	enum scn_event_kind kind;
	struct scn_set set;
	uint32_t link; /* index in sim.links */
	struct dcb_rate rate;
};

/* Metrics of assertions; scenario_assert.c has their names and units. */
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
	SCN_PAUSED,
	SCN_ECN_MARKED,
	SCN_RECOVERY,
	SCN_CNMS_RECEIVED,
	SCN_CNPS_RECEIVED,
	SCN_RESENT,
	SCN_JAIN,
	SCN_GOODPUT,
	SCN_GOODPUT_MIN,
	SCN_GOODPUT_MAX,
	SCN_COMPLETION,
	SCN_FRAMES_LOST,
	SCN_PAUSED_ALL,
	SCN_CNMS_DROPPED,
	SCN_CNMS_MISSING,
	SCN_METRICS
};

/* The target of a metric: one direction of a link, flows, or the whole network. */
enum scn_target { SCN_TARGET_LINK, SCN_TARGET_FLOWS, SCN_TARGET_NETWORK };

struct scn_assert {
	enum scn_metric metric;
	uint32_t link; /* SCN_TARGET_LINK: index in sim.links */
	char *flows;   /* SCN_TARGET_FLOWS: fnmatch(3) pattern of names */
	int priority;  /* of queue metrics; SCN_ALL_PRIORITIES: all queues of the port */
	int64_t from_ns, to_ns;
	double percentile; /* SCN_COMPLETION: of the flows */
	double of;         /* SCN_RECOVERY: share of the link's rate that counts as recovered */
	int64_t bin_ns;    /* SCN_RECOVERY: time over which the share is measured */
	double min, max;   /* -inf, inf: no bound */
	unsigned line;
};

struct scenario {
	char *path;
	char *title;
	uint64_t seed;
	int64_t duration_ns, warmup_ns;
	int64_t sample_ns; /* between samples of queues */
	int64_t trace_ns;  /* between rows of --csv and points of --plot */
	char **variants;   /* names of variants; the first n_variants */
	size_t n_variants;
	const char *variant; /* the one that was read, NULL: there is none */
	uint8_t cnpvs;       /* CNPVs of every node, a bit each */
	uint8_t pfc;         /* priorities with PFC on every port, a bit each */
	uint8_t roce;        /* priorities whose flows are RoCEv2, a bit each */
	uint8_t dcqcn;       /* of these, with DCQCN, and ECN marking at bridges */
	bool lldp;           /* bridges, RBridges and stations speak LLDP */
	int64_t tree_root;   /* of the RBridges' distribution tree, a node; -1: none */
	bool learning;       /* RBridges learn addresses from frames */
	size_t n_nodes, n_links, n_next_hops, n_flows, n_sets, n_events, n_asserts, n_watch;
	struct scn_node *nodes;
	struct scn_link *links;
	struct sim_next_hop *next_hops;
	struct scn_flow *flows;
	struct scn_set *sets;
	struct scn_event *events; /* sorted by at_ns */
	struct scn_assert *asserts;
	uint32_t *watch;       /* for --csv and --plot: indices in sim.links */
	uint32_t frame_octets; /* longest frame of all flows; encapsulated, if there are RBridges */
	struct scn_entry *node_by_name, *link_by_ends; /* while the file is read */
};

/*
 * Reads the file. variant: name of one of its variants; NULL: the first one, if it has any. Returns
 * false with "file:line: ..." in err; scn then needs no scenario_free().
 */
bool scenario_read(struct scenario *scn, const char *path, const char *variant, char *err,
		   size_t errlen);
void scenario_free(struct scenario *scn);

/* Removes all assertions. */
void scenario_clear_asserts(struct scenario *scn);
/* Adds an assertion without bounds, of all flows if its metric is of flows. */
void scenario_measure(struct scenario *scn, const struct scn_assert *assert);

/* Parses a time such as "1.5ms" into ns. Returns false if text is not a time. */
bool scn_parse_time(const char *text, int64_t *ns);

/* Returns the name in scenario files, such as "queue_mean". */
const char *scn_metric_name(enum scn_metric metric);
/* Returns the unit to print after a value, such as " octets". */
const char *scn_metric_unit(enum scn_metric metric);
enum scn_target scn_metric_target(enum scn_metric metric);

/* Returns whether the flow's pattern to_any selects a node: another station or host with a link. */
bool scn_is_destination(const struct scenario *scn, const struct scn_flow *flow, uint32_t node);

/* Writes the name of a link's direction, such as "sw->sink". link: index in sim.links. */
void scn_link_name(const struct scenario *scn, uint32_t link, char *buf, size_t size);

#endif
