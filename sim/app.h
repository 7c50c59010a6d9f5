/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Applications in an end station: flows of frames to another one.
 *
 * A flow keeps no more than a few frames of its own inside its station: one that
 * leaves by the wire lets the next one in. So an application that always has
 * something to send fills its reaction point's queue, and nothing is lost in the
 * station; TCP over small queues does the same.
 *
 * A frame is Ethernet, C-TAG, IPv4 and UDP, then 16 octets that say whose it is,
 * its number and when it was made, then zeros.
 */
#ifndef DCB_SIM_APP_H
#define DCB_SIM_APP_H

#include "lib/dcbtime.h"
#include "dataplane/core/eth.h"
#include "lib/rng.h"
#include "lib/units.h"
#include "sim/link.h"

struct sim_node;

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

/* The flow's ends and parameters are set: it belongs to its node from now on. false: no memory. */
bool sim_app_add(struct sim_flow *flow, uint64_t seed);
void sim_app_destroy(struct sim_app *app);

/* Makes what is to be made now. When an application wants to be called again is app.wake. */
void sim_app_run(struct sim_node *node, struct dcb_time now);

/* A frame arrived for this node's applications. */
void sim_app_receive(struct sim_node *node, const uint8_t *octets, uint32_t len,
		     struct dcb_time now);

/* A frame left the node by its wire. */
void sim_app_frame_left(struct sim_node *node, const uint8_t *octets, uint32_t len);

/* The frames in the station were thrown away. */
void sim_app_forget(struct sim_node *node);

#endif
