/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One direction of a simulated cable. It is the netio back end of the port that
 * sends into it, and hands each frame to the port at its other end when the last
 * bit has arrived: serialization at the link's rate, then the delay. Frames
 * arrive in the order they were sent.
 *
 * Of a frame in flight only the first LINK_HEAD_OCTETS and its length are kept:
 * whatever comes after them is zero in every frame that exists here. Applications
 * send zeros behind their headers, and what bridges and stations make themselves
 * (CNMs are the longest) is not longer. So a link copies two cache lines a frame,
 * and nothing is lost.
 */
#ifndef DCB_SIM_LINK_H
#define DCB_SIM_LINK_H

#include "dataplane/netio/netio.h"
#include "dataplane/port/port.h"
#include "sim/heap.h"

/* C-TAG and CNM_FRAME_MAX fit; a struct flight is two cache lines. */
#define LINK_HEAD_OCTETS 112

struct sim;
struct sim_node;

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

/* from, to, rate, delay and sim are set already. false: no memory. */
bool sim_link_init(struct sim_link *link);
void sim_link_destroy(struct sim_link *link);

static inline uint32_t sim_link_in_flight(const struct sim_link *link)
{
	return link->data.tail - link->data.head + link->control.tail - link->control.head;
}

/*
 * The oldest frame arrives now: its head goes to octets, whose rest is zero
 * already and stays so. Its length.
 */
uint32_t sim_link_take(struct sim_link *link, uint8_t *octets);

/* When the next frame arrives. */
struct dcb_time sim_link_next(const struct sim_link *link);

/* All that is on its way is lost. */
void sim_link_cut(struct sim_link *link);

#endif
