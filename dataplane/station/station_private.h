/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Internal declarations of station.c (frames from and to the host, configuration),
 * station_queue.c (flow queues and their reaction points) and station_cnm.c (finds
 * the reaction point of a CNM). All functions: dataplane thread.
 */
#ifndef DCB_DATAPLANE_STATION_STATION_PRIVATE_H
#define DCB_DATAPLANE_STATION_STATION_PRIVATE_H

#include "dataplane/core/limiter.h"
#include "dataplane/core/rp.h"
#include "lib/counter.h"
#include "lib/deadlines.h"
#include "dataplane/station/destinations.h"
#include "dataplane/station/station.h"

/* dcb_frame.flags: the frame has a CN-TAG. */
#define FRAME_CN_TAGGED 1u

enum fq_place {
	FQ_UNSCHEDULED, /* empty, or unscheduled while it is processed */
	FQ_READY,       /* in the ready ring: may send now */
	FQ_WAITING      /* in owner->waiting: its limiter allows the next frame later */
};

/* A flow queue and its reaction point. */
struct flow_queue {
	struct flow_queue *next, *prev; /* ring station_pri.ready */
	struct station_port *owner;
	uint8_t priority, index;
	uint8_t place; /* enum fq_place */
	bool used;     /* initialized by fq_get(); read by all threads */
	bool limited;  /* counted in station_pri.enabled: rpEnabled is TRUE */
	struct dcb_queue queue;
	struct limiter limiter;
	struct dcb_rate rate; /* rate of the limiter; 0: not limited */
	struct rp rp;
	struct deadline send;  /* in owner->waiting */
	struct deadline timer; /* in owner->timers */
	struct rp_stats stats;
};

/* Flow queues of one priority. */
struct station_pri {
	struct flow_queue *ready;  /* ring of flow queues that may send, the next one first */
	uint32_t ready_unlimited;  /* number of them that are not limited */
	struct dcb_time contended; /* overfill(): start of contention; DCB_TIME_NEVER: none */
	uint32_t queued;           /* frames in all flow queues */
	uint32_t enabled;          /* reaction points with rpEnabled TRUE */
	uint32_t push_limit;       /* the port's queue is refilled up to this, octets */
	uint8_t rppp_max_rps;      /* rpppMaxRps: 32.10.1 */
	uint8_t used;              /* index of the first flow queue never used */
	bool adds_cn_tags;         /* the defense mode is interiorReady */
	struct rp_params params;
	uint64_t max_rate_bps; /* gauge: rpg_max_rate of params, for other threads */
	struct rp_port_pri_stats stats;
};

struct station_port {
	struct soft_port *port;
	struct netio *host;
	LIST_ENTRY(station_port) busy; /* le_prev NULL: not in station's busy */
	uint8_t mac[ETH_ADDR_OCTETS];
	uint8_t paused;      /* paused priorities at the last apply_pause() */
	uint32_t enabled;    /* enabled reaction points of all priorities */
	int64_t centisecond; /* rpppRpCentiseconds is counted up to this time */
	struct deadlines waiting, timers;
	struct cnm_stats cnm;
	struct buffer_account buffers[DCB_PRIORITIES]; /* frames in the flow queues of a priority */
	struct station_pri pri[DCB_PRIORITIES];
	struct deadline *heaps[2][DCB_PRIORITIES * RPPP_MAX_RPS_LIMIT];
	struct flow_queue fq[DCB_PRIORITIES][RPPP_MAX_RPS_LIMIT];
	bool has_secrets; /* flow_id and the keys of destinations are set */
	uint16_t flow_id[DCB_PRIORITIES][RPPP_MAX_RPS_LIMIT];
	struct destinations destinations[DCB_PRIORITIES]; /* pages never used cost no memory */
};

static inline struct station_pri *fq_pri(const struct flow_queue *fq)
{
	return &fq->owner->pri[fq->priority];
}

/* Returns the flow identifier for CN-TAGs, 33.2: random, never 0, unique on the port. */
static inline uint16_t fq_flow_id(const struct flow_queue *fq)
{
	return fq->owner->flow_id[fq->priority][fq->index];
}

static inline bool station_is_cnpv(const struct soft_port *port, unsigned priority)
{
	return port->cn.map.cnpv >> priority & 1;
}

/* --- station_queue.c --- */

/* Returns a flow queue; initializes it at its first use. */
struct flow_queue *fq_get(struct station_port *sp, unsigned priority, unsigned index);

/*
 * Takes room for a frame of len octets, including tags, in a flow queue. Returns the
 * account, for frame->account; NULL if there is no room, and then counts a discarded
 * frame.
 */
struct buffer_account *fq_admit(struct flow_queue *fq, uint32_t len);
/* Queues an admitted frame. */
void fq_enqueue(struct station *st, struct flow_queue *fq, struct dcb_frame *frame);

/* Passes a CNM's quantized feedback to the reaction point. */
void fq_receive_cnm(struct station *st, struct flow_queue *fq, uint8_t qntz_fb);

/* Applies the parameters of the priority after they changed. */
void fq_reconfigure(struct station *st, struct flow_queue *fq);

/* Discards the queued frames and resets the reaction point. */
void fq_reset(struct station *st, struct flow_queue *fq);

/* Removes the port from the station's list of busy ports. */
void station_port_idle(struct station_port *sp);

/* --- station_cnm.c --- */

/* Draws the port's flow identifiers and the keys of its destinations, once. */
void station_cnm_set_secrets(struct station_port *sp, uint64_t seed);

/* Checks a received CNM and passes it to its reaction point, or discards and counts it. */
void station_cnm_receive(struct station *st, struct soft_port *port, const uint8_t *octets,
			 uint32_t len, const struct eth_view *view);

/* Returns the VID of a frame on this port: its tag's, or the PVID. */
static inline uint16_t station_vid(const struct soft_port *port, const struct eth_view *view)
{
	return view->vid == ETH_VID_NONE ? port->base.settings.pvid : view->vid;
}

#endif
