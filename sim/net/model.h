/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The data of a simulation: links, flows, nodes and struct sim. Their functions are
 * in link.h, app.h, node.h and sim.h.
 *
 * In a large network an event waits for memory. Nodes have tables for their ports and stations
 * only, and stay together in huge pages, as do the frame buffers of all nodes, which hold the
 * octets of a frame that may not be zero. Ports, engines, nodes, links and flows begin at a
 * cache line (cacheline.h) and have together what a frame accesses. A station with its cable and a
 * flow takes 32 kB; a port of a bridge takes 9 kB.
 */
#ifndef DCB_SIM_MODEL_H
#define DCB_SIM_MODEL_H

#include "dataplane/bridge/bridge.h"
#include "dataplane/config/dcb_config.h"
#include "dataplane/core/dcqcn.h"
#include "dataplane/netio/netio.h"
#include "dataplane/port/port_set.h"
#include "lib/dcbtime.h"
#include "lib/rng.h"
#include "lib/units.h"
#include "sim/net/heap.h"
#include "sim/net/roce.h"

#define SIM_VID               1    /* PVID of every port; frames are tagged with it */
#define SIM_HEADER_ROOM       16   /* octets for tags that nodes add to a frame */
#define SIM_FRAME_OCTETS_MAX  9216 /* longest application frame */
#define SIM_NAME_OCTETS       32
#define SIM_FRAME_BUFFERS_MAX (1 << 19)

struct lldp_client;
struct lldp_ports;
struct sim;
struct sim_lldp;
struct sim_node;
struct sim_part;

/* --- links --- */

/*
 * Holds a CNM in a TRILL frame; makes struct flight three cache lines. Of longer frames, those of
 * applications, links copy less: sim_link.head_octets. Nodes copy sim.extent.
 */
#define LINK_HEAD_OCTETS 180

#define SIM_STAMPS 4 /* as many as a port awaits: PORT_HM_SENT */

/* A frame in flight. */
struct flight {
	int64_t arrival_ns;
	uint32_t len;
	uint8_t head[LINK_HEAD_OCTETS]; /* zero after the frame's end; the extent of a longer one */
};

/* A ring of frames in the order they arrive. */
struct flights {
	struct flight *ring;
	uint32_t mask;       /* size of ring - 1 */
	uint32_t head, tail; /* frames head..tail-1, modulo the size */
	int64_t last_arrival_ns;
};

struct sim_link_stats {
	uint64_t frames, octets; /* sent into the link; octets without FCS */
	uint64_t wire_octets;    /* octets with FCS, preamble and gap */
	uint64_t lost;           /* in flight when the link went down */
	uint64_t controls;       /* MAC control frames among frames */
};

/* The first three cache lines are what a frame accesses; the second one, if it arrives, too. */
struct sim_link {
	_Alignas(64) struct netio io; /* back end of out; must be first */
	struct sim_part *part;        /* of the node to */
	struct sim_node *to;
	struct soft_port *in; /* to's port */
	uint64_t delivered;   /* frames that arrived */
	uint32_t id;          /* in the event heap */
	uint16_t head_octets; /* that it stores of a frame longer than LINK_HEAD_OCTETS */
	bool has_source;      /* flows start at from */

	struct flights data;
	struct flights control; /* MAC control frames, delivered when they take effect */

	struct dcb_rate rate;
	int64_t delay_ns;
	int64_t busy_ns;    /* end of the last transmission, with its gap */
	struct netio *pcap; /* capture file; NULL: none */
	/* Those of from's part to to's, see struct sim_part; NULL: from and to are in one part. */
	struct sim_crossings *crossings;
	struct sim_link_stats stats;

	struct sim_node *from;
	struct soft_port *out; /* from's port */
	struct sim_link *back; /* the other direction of the cable */
	uint32_t cost;         /* added to the cost of a path that uses this direction */
	int64_t response_ns;   /* from the arrival of a MAC control frame to its effect: 36.3.3 */
	/* Begins of the transmission of HMPDUs that sent_at() has not taken, the last ones. */
	struct netio_stamp stamps[SIM_STAMPS];
	uint32_t stamp_head, stamp_tail; /* stamps head..tail-1, modulo SIM_STAMPS */
};

/* --- flows --- */

/* Most frames of a flow in its station: without and with a rate. */
#define SIM_WINDOW       4
#define SIM_WINDOW_PACED 64

#define SIM_FRAME_OCTETS_MIN 64
#define SIM_ROCE_OCTETS_MIN  68 /* of a flow of RoCEv2, with its CRC */

/* Parameters of a flow; times count from the start of the run. */
struct sim_flow_params {
	uint8_t priority;
	uint32_t frame_octets; /* SIM_FRAME_OCTETS_MIN.._MAX, with C-TAG, without FCS */
	int64_t start_ns;
	int64_t stop_ns;       /* INT64_MAX: never */
	uint64_t size_octets;  /* to send, rounded up to whole frames; 0: unlimited */
	struct dcb_rate rate;  /* of wire octets; 0: as fast as the station accepts frames */
	int64_t on_ns, off_ns; /* periods of sending and of silence; on 0: sends always */
	bool random;           /* periods are uniform between 0 and twice on_ns, off_ns */
	bool roce;             /* its frames are RoCEv2: lost ones are sent again */
	bool dcqcn;            /* its frames are ECT, and its rate follows CNPs */
};

struct sim_flow_stats {
	uint64_t made_frames;
	uint64_t left_frames;    /* transmitted by its station */
	int64_t first_ns;        /* when the first frame was made; -1: none yet */
	uint64_t frames, octets; /* delivered to the destination */
	uint64_t latency_ns;     /* sum over delivered frames, each since it was made */
	int64_t latency_max_ns;
	int64_t complete_ns; /* when size_octets were delivered; -1: not yet */
};

/*
 * In cache lines: the head of its frames, which does not change; what its source changes, up to
 * stats.first_ns, and then what its destination does; parameters, and what few events access.
 */
struct sim_flow {
	_Alignas(64) uint8_t head[SIM_FRAME_OCTETS_MIN]; /* of its frames, zeros follow */

	struct dcb_time next;        /* when its rate allows the next frame */
	struct dcb_time period_end;  /* when the on or off period ends */
	struct dcb_time wake;        /* when to run the flow again */
	struct sim_flow *ready_next; /* list app.ready */
	uint8_t window, outstanding; /* frames in its station: most, now */
	bool sending;                /* in an on period */
	bool is_ready;               /* in the list app.ready */
	uint32_t from_id;            /* of from */
	struct sim_flow_stats stats;
	struct sim_node *to;

	_Alignas(64) struct sim_flow_params params;
	struct sim_node *from;
	uint32_t id;
	char name[32];
	struct dcb_rng rng;
	/* If params.dcqcn and params.roce: at the source, and at the destination. */
	struct dcqcn_rp rp;
	struct roce_sender sender;
	uint64_t cnps; /* received */
	_Alignas(64) struct dcqcn_np np;
	struct roce_receiver receiver;
};

/* The flows of one node. */
struct sim_app {
	unsigned n_flows;
	struct sim_flow **flows;
	struct sim_flow *ready; /* flows to run at the next sim_app_run() */
	struct dcb_time wake;   /* earliest wake of the flows */
	bool starved;           /* the last frame of a flow left since sim_app_run() */
	uint64_t received; /* frames that arrived for applications, and let them send nothing */
};

/* --- nodes --- */

enum sim_kind { SIM_BRIDGE, SIM_RBRIDGE, SIM_STATION, SIM_HOST };

/* The most RBridges of a simulation: each has a slot in the filtering databases of the others. */
#define SIM_RBRIDGES_MAX FDB_REMOTES

/* Returns whether a node of this kind forwards frames, and can have several links. */
static inline bool sim_forwards(enum sim_kind kind)
{
	return kind == SIM_BRIDGE || kind == SIM_RBRIDGE;
}

/* A kind of node. */
struct sim_node_ops {
	const struct engine_ops *engine;
	/* Makes node->engine and node->set; the node has all its ports. false: out of memory. */
	bool (*init)(struct sim_node *node, uint32_t frame_buffers);
	/* NULL, or what goes before the engine adopts node->config. */
	void (*prepare)(struct sim_node *node);
	/* Sends a frame of the node's applications. false: it was not accepted. NULL: it has none.
	 */
	bool (*from_host)(struct sim_node *node, const uint8_t *octets, uint32_t len,
			  struct dcb_time now);
};

/* The first cache line is for all events, the second one for those of stations and hosts. */
struct sim_node {
	_Alignas(64) const struct sim_node_ops *ops;
	void *engine;         /* one block of memory */
	struct port_set *set; /* of the engine; NULL: not made yet */
	struct sim_part *part;
	struct sim *sim;
	struct dcb_time deadline; /* when to call engine->transmit() */
	struct soft_port **ports; /* by slot */
	uint32_t id;              /* index in sim.nodes, and id in the event heap */
	enum sim_kind kind;

	struct sim_app app;
	struct sim_link **links; /* the link that each port sends into, by slot */
	unsigned n_ports, ports_room;

	char name[SIM_NAME_OCTETS];
	uint8_t mac[ETH_ADDR_OCTETS];
	uint16_t nickname;      /* of an RBridge */
	int64_t transit_ns;     /* maximum bridge transit delay; 0: no limit */
	int64_t response_ns;    /* from the arrival of a PFC frame to its effect */
	uint32_t frame_buffers; /* 0: from the buffers of its ports */
	/* Of all its ports, set before sim_start(); rate and buffer are those of the cable. */
	struct port_settings settings;
	struct dcb_config *config;
	struct lldp_ports *lldp; /* NULL: no LLDP */
	struct lldp_client *agent;
};

/* --- simulation --- */

/* Calls to lldp.c for nodes with LLDP: before and after ops->adopt(), and after a link change. */
struct sim_lldp_ops {
	void (*compute_oper)(struct sim_node *node, struct dcb_config *config);
	void (*published)(struct sim_node *node);
	void (*link)(struct sim_node *node, const struct soft_port *port);
};

/* RBridge at reaches RBridge to by its neighbor by, whatever the costs; ids of nodes. */
struct sim_next_hop {
	uint32_t at, to, by;
};

/* What RBridges know besides what follows from links and costs. */
struct sim_campus {
	const struct sim_node *tree_root; /* NULL: no distribution tree */
	bool learning;                    /* they learn the addresses of stations from frames */
	const struct sim_next_hop *next_hops;
	size_t n_next_hops;
};

/* A frame that was sent into a link to another part. */
struct sim_crossing {
	struct sim_link *link;
	struct flights *flights; /* of the link: where to append it */
	struct flight flight;
};

struct sim_crossings {
	_Alignas(64) struct sim_crossing *frames; /* in the order they were sent */
	uint32_t n, room;
};

/*
 * Nodes, and the links that end at them: their events are processed by one thread, in the order of
 * one heap. There are several parts only if there are threads; see threads.h.
 */
struct sim_part {
	/* For the other parts, by window: the numbers of two consecutive windows are 0 and 1. */
	_Alignas(64) int64_t next_ns[2]; /* the earliest event after the window, here or crossing */
	struct sim_crossings *crossings; /* frames to part i: 2 * i + window */
	_Alignas(64) struct dcb_time now; /* of the event that is processed */
	int64_t crossing_ns;              /* earliest arrival of frames that cross in this window */
	unsigned window;                  /* 0 or 1; the last one, if none is in progress */
	bool is_running;                  /* a window is in progress */
	struct heap heap;
	uint64_t frame_events; /* frames that arrived at a node over a link */
	uint8_t *arriving;     /* buffer of the frame that arrives: head as sent, then zeros */
	uint8_t *leaving;      /* buffer of the frame that an application makes */
	uint8_t *captured;     /* buffer of the frame that goes into a capture file */
};

struct sim {
	uint64_t seed;
	struct dcb_time now; /* between calls of sim_run_until(), and in sim_lldp_run() */
	struct sim_part *parts;
	uint32_t n_parts;
	struct sim_threads *threads; /* NULL: there is one part */
	uint32_t frame_octets;       /* longest frame, tags included */
	struct frame_extent extent;  /* the octets of frames that nodes copy */
	struct frame_store store;    /* of the frame buffers of all nodes */
	uint32_t n_nodes, n_links, n_flows;
	struct sim_node *nodes;
	struct sim_link *links; /* cable i is links 2i and 2i + 1 */
	struct sim_flow *flows;
	uint64_t frame_events;    /* of all parts, before now */
	struct sim_lldp *lldp;    /* NULL: no node has LLDP */
	struct dcb_time lldp_due; /* when to call sim_lldp_run() */
	const struct sim_lldp_ops *lldp_ops;
	struct sim_campus campus;
	struct dcb_defaults defaults;
};

/* Returns whether a node of the simulation is an RBridge. */
bool sim_has_rbridges(const struct sim *sim);

#endif
