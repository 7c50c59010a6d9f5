/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The data of a simulation: links, flows, nodes and the whole. What they do is in
 * link.h, app.h, node.h and sim.h.
 */
#ifndef DCB_SIM_MODEL_H
#define DCB_SIM_MODEL_H

#include "dataplane/bridge/bridge.h"
#include "dataplane/config/dcb_config.h"
#include "dataplane/netio/netio.h"
#include "dataplane/port/port.h"
#include "lib/dcbtime.h"
#include "lib/rng.h"
#include "lib/units.h"
#include "sim/heap.h"

#define SIM_VID              1    /* every port's PVID; frames are tagged with it */
#define SIM_HEADER_ROOM      16   /* tags a frame may gain on its way */
#define SIM_FRAME_OCTETS_MAX 9216 /* longest application frame */
#define SIM_NAME_OCTETS      32

struct lldp_client;
struct lldp_ports;
struct sim;
struct sim_lldp;
struct sim_node;

/* --- links --- */

/* C-TAG and CNM_FRAME_MAX fit; a struct flight is two cache lines. */
#define LINK_HEAD_OCTETS 112

/* A frame on its way. */
struct flight {
	int64_t arrival_ns;
	uint32_t len;
	uint8_t head[LINK_HEAD_OCTETS]; /* zero behind the frame's end */
};

/* In the order they arrive. */
struct flights {
	struct flight *ring;
	uint32_t mask;       /* size of ring - 1 */
	uint32_t head, tail; /* frames head..tail-1, modulo the size */
	int64_t last_arrival_ns;
};

struct sim_link_stats {
	uint64_t frames, octets; /* sent into it; octets without FCS */
	uint64_t wire_octets;    /* the same with FCS, preamble and gap */
	uint64_t delivered;
	uint64_t lost;     /* was on its way when the link went down */
	uint64_t cnms;     /* among frames */
	uint64_t controls; /* ... MAC control */
};

struct sim_link {
	struct netio io; /* of out */
	struct sim *sim;
	uint32_t id; /* in the event heap */
	struct sim_node *from, *to;
	struct soft_port *out, *in; /* from's port, to's port */
	struct sim_link *back;
	uint32_t cost; /* of a path */
	struct dcb_rate rate;
	int64_t delay_ns;
	int64_t response_ns; /* MAC control has its effect so long after it arrived: 36.3.3 */
	struct netio *pcap;  /* NULL: nobody records it */
	struct flights data;
	struct flights control; /* MAC control, which takes effect later than it arrives */
	int64_t busy_ns;        /* the frame being sent is out, and its gap */
	struct sim_link_stats stats;
};

/* --- flows --- */

/* Frames of a flow in its station at most: always backlogged, or with a rate of its own. */
#define SIM_WINDOW       4
#define SIM_WINDOW_PACED 64

#define SIM_FRAME_OCTETS_MIN 64

/* What a flow is: times from the start of the run. */
struct sim_flow_params {
	uint8_t priority;
	uint32_t frame_octets; /* SIM_FRAME_OCTETS_MIN.., as handed to the station: with C-TAG */
	int64_t start_ns;
	int64_t stop_ns;      /* INT64_MAX: never */
	uint64_t size_octets; /* in whole frames; 0: no end */
	struct dcb_rate
	    rate; /* wire octets at most at this rate; 0: as much as the station takes */
	int64_t on_ns, off_ns; /* sends so long, then is silent so long; on 0: sends always */
	bool random;           /* on and off times are even between 0 and twice as long */
};

struct sim_flow_stats {
	uint64_t made_frames;
	uint64_t left_frames;    /* by the wire of its station */
	uint64_t frames, octets; /* delivered to their destination */
	uint64_t latency_ns;     /* sum over delivered frames, from when they were made */
	int64_t latency_max_ns;
	int64_t first_ns;    /* the first frame was made; -1: none yet */
	int64_t complete_ns; /* the last one of a size was delivered; -1: not yet */
};

struct sim_flow {
	uint32_t id;
	char name[32];
	struct sim_node *from, *to;
	struct sim_flow_params params;
	struct sim_flow_stats stats;
	uint8_t head[LINK_HEAD_OCTETS];
	uint32_t window, outstanding;
	bool sending;         /* in an on period */
	struct dcb_time next; /* its rate allows the next frame */
	struct dcb_time turn; /* the on or off period ends */
	struct dcb_time wake; /* in its node's list of timed flows: something to do */
	bool is_ready;
	struct sim_flow *ready_next;
	struct dcb_rng rng;
};

/* The flows of one node. */
struct sim_app {
	unsigned n_flows;
	struct sim_flow **flows;
	struct sim_flow *ready; /* flows that may have a frame to make */
	struct dcb_time wake;   /* earliest of the flows' */
	bool starved;           /* a flow has no frame in the station left */
	uint64_t received;      /* frames that arrived for applications */
};

/* --- nodes --- */

enum sim_kind { SIM_BRIDGE, SIM_STATION, SIM_HOST };

/* The kinds of nodes. Every engine is over a port_set. */
struct sim_node_ops {
	/* Engine of a node whose ports are known. false: no memory. */
	bool (*init)(struct sim_node *node, uint32_t frame_buffers);
	void (*destroy)(struct sim_node *node);
	/* A frame arrived at a port. */
	void (*receive)(struct sim_node *node, struct soft_port *in, const uint8_t *octets,
			uint32_t len, struct dcb_time now);
	/* A frame of the node's own applications. false: it was not taken. */
	bool (*from_host)(struct sim_node *node, const uint8_t *octets, uint32_t len,
			  struct dcb_time now);
	/* Sends what is due; when to call again. */
	struct dcb_time (*transmit)(struct sim_node *node, struct dcb_time now);
	/* A configuration is in force. */
	void (*adopt)(struct sim_node *node, const struct dcb_config *config, struct dcb_time now);
	/* A port's link has another speed, or came up, or went down. */
	void (*link)(struct sim_node *node, struct soft_port *port, struct dcb_time now);
};

struct sim_node {
	struct sim *sim;
	uint32_t id; /* place among the nodes, and in the event heap */
	enum sim_kind kind;
	char name[SIM_NAME_OCTETS];
	uint8_t mac[ETH_ADDR_OCTETS];
	int64_t transit_ns;  /* a bridge's maximum transit delay; 0: no limit */
	int64_t response_ns; /* what it takes to obey a PFC frame, once that is there */
	/* Of all its ports, before sim_start(): what dcbd.conf says besides rate and buffer. */
	struct port_settings settings;
	const struct sim_node_ops *ops;
	void *engine;
	struct port_set *set; /* in the engine */
	struct dcb_config *config;
	struct lldp_ports *lldp; /* NULL: does not speak it */
	struct lldp_client *agent;
	unsigned n_ports, ports_room;
	struct soft_port **ports; /* by slot */
	struct sim_link **links;  /* what each sends into */
	struct dcb_time deadline; /* of the engine */
	struct sim_app app;
};

/* --- the whole --- */

/* For nodes that speak LLDP, around adopt() and after a link has changed: lldp.c. */
struct sim_lldp_ops {
	void (*settle)(struct sim_node *node, struct dcb_config *config);
	void (*published)(struct sim_node *node);
	void (*link)(struct sim_node *node, const struct soft_port *port);
};

struct sim {
	uint64_t seed;
	struct dcb_time now;
	struct heap heap;
	uint32_t frame_octets; /* longest frame, tags included */
	uint32_t n_nodes, n_links, n_flows;
	struct sim_node *nodes;
	struct sim_link *links; /* each cable is two: 2i and 2i + 1 */
	struct sim_flow *flows;
	uint64_t frame_events; /* frames that arrived at a node over a link */
	uint8_t *arriving;     /* the frame that arrives: head as sent, zeros behind it */
	uint8_t *leaving;      /* the frame an application makes */
	struct sim_lldp *lldp; /* NULL: nobody speaks LLDP */
	const struct sim_lldp_ops *lldp_ops;
	struct dcb_defaults defaults;
};

/* Numbers in the heap: nodes, links, LLDP as a whole. */
static inline uint32_t sim_lldp_id(const struct sim *sim)
{
	return sim->n_nodes + sim->n_links;
}

#endif
